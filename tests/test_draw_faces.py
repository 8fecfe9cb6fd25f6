"""The same noun has the same face in arcade and in pygame."""

import importlib

import numpy as np
import pytest

from tests.draw_faces import expected_fog, face
from tests.tmx import TILESET, csv_layer, write_map
from tilequad import load_map
from tilequad.nav import Fog, Grid

pygame = pytest.importorskip("pygame")
arcade = pytest.importorskip(
    "arcade", exc_type=ImportError, reason="arcade or the OpenGL library it needs is missing"
)
import tilequad.draw.arcade as on_gpu  # noqa: E402
import tilequad.draw.pygame as on_surface  # noqa: E402
from tests.drawing import screen  # noqa: E402

SHARED = ["FieldOverlay", "FogOverlay", "FollowedSprites", "InfluenceOverlay", "MapView"]
SHARED += ["Minimap", "TreeOverlay"]


@pytest.mark.parametrize("name", SHARED)
def test_a_class_has_the_same_names_and_arguments_in_both(name):
    ours, theirs = face(getattr(on_gpu, name)), face(getattr(on_surface, name))
    if name.endswith("Overlay"):  # arcade's camera in use says what is seen
        theirs["draw"] = [argument for argument in theirs["draw"] if argument[0] != "bounds"]
    assert ours == theirs
    assert "nbytes" in ours


@pytest.mark.parametrize("package", ["arcade", "pygame", "pillow"])
def test_each_name_is_that_of_what_it_leads_to(package):
    module = importlib.import_module(f"tilequad.draw.{package}")
    for name in module.__all__:
        assert getattr(module, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = module.nothing


class OnSurface:
    """pygame, which draws on a surface."""

    package, y_up = on_surface, False

    def shown(self, size, draw, *arguments, **options):
        """The picture of this size that a call draws on black, top row first."""
        surface = pygame.Surface(size)
        draw(surface, *arguments, **options)
        return pygame.surfarray.array3d(surface).swapaxes(0, 1).astype(int)


class InWindow:
    """arcade, which draws in its window, from the lower left corner."""

    package, y_up = on_gpu, True

    def __init__(self, window):
        self.window = window

    def shown(self, size, draw, *arguments, **options):
        self.window.clear(color=(0, 0, 0, 255))
        draw(*arguments, **options)
        return screen(self.window)[-size[1] :, : size[0]]


@pytest.fixture(params=["pygame", pytest.param("arcade", marks=pytest.mark.gl)])
def host(request):
    """Each of the two."""
    if request.param == "pygame":
        return OnSurface()
    return InWindow(request.getfixturevalue("window"))


@pytest.fixture
def tile_map(tmp_path, host):
    cells = np.random.default_rng(4).integers(1, 5, (20, 30)).tolist()
    path = write_map(tmp_path, TILESET, csv_layer("a", cells), size=(30, 20))
    return load_map(path, y_up=host.y_up)


@pytest.fixture
def fog(tile_map):
    """A fog on a grid less high than the map; no edge of a cell is at the center of a pixel."""
    bounds = tile_map.bounds
    grid = Grid(np.ones((9, 14), bool), cell_size=35.3)
    fog = Fog(grid, teams=2)
    explored = np.zeros((9, 14), bool)
    explored[2:7, 3:12] = True
    fog.set_explored(explored, 1)
    fog.add(bounds.width / 3, bounds.height / 3, 60, team=1)
    return fog


def test_a_minimap_hides_what_is_unexplored(host, tile_map, fog):
    minimap = host.package.Minimap(host.package.MapView(tile_map), 90, fog=fog, team=1)

    def draw():
        return host.shown((90, 60), minimap.draw, 0, 0)

    assert draw().any()
    minimap.fog = None
    plain = draw()
    assert plain.max() > 100
    minimap.fog, minimap.team = fog, 1
    for change in (lambda: None, lambda: fog.add(100, 200, 50, team=1)):
        change()
        light = expected_fog(fog, 1, minimap, host.y_up)
        assert len(np.unique(light)) == 3
        assert np.abs(draw() - plain * light[..., None]).max() <= 2
    minimap.team = 0
    assert not draw().any()  # a team that has seen nothing
    minimap.team = 2
    with pytest.raises(ValueError, match="team must be from 0 to 1"):
        draw()
    minimap.fog = None
    assert (draw() == plain).all()
    assert minimap.nbytes > 5 * 90 * 60


def test_a_fog_that_stays_the_same_is_not_asked_again(host, tile_map, fog):
    asked = []

    class Counted:
        grid = fog.grid
        revision = 1

        def states(self, team):
            asked.append(team)
            return fog.states(team)

    minimap = host.package.Minimap(host.package.MapView(tile_map), 90, fog=Counted())
    for _ in range(3):
        host.shown((90, 60), minimap.draw, 0, 0)
    assert asked == [0]


def test_dots_may_be_transparent(host, tile_map):
    tile_map.layer("a").visible = False
    minimap = host.package.Minimap(host.package.MapView(tile_map), 90, background=(0, 0, 0))
    dots = {"positions": [(240, 160)], "colors": (200, 100, 0, 128), "dot": 4}
    picture = host.shown((90, 60), minimap.draw, 0, 0, **dots)
    assert np.abs(picture.max(axis=(0, 1)) - (100, 50, 0)).max() <= 1


def test_layers_are_chosen(host, tmp_path):
    cells = [[1] * 10] * 10, [[2] * 10] * 10
    layers = [csv_layer(name, part) for name, part in zip("ab", cells, strict=True)]
    tile_map = load_map(write_map(tmp_path, TILESET, *layers, size=(10, 10)), y_up=host.y_up)
    map_view = host.package.MapView(tile_map)
    tile_map.layer("a").visible = False
    pictures = []
    for chosen in (None, tile_map.layers[1:], tile_map.layers[:1], [], iter(tile_map.layers)):
        picture = host.shown((100, 100), map_view.draw, (0, 0, 100, 100), layers=chosen)
        pictures.append(picture.tobytes())
    visible, upper, lower, nothing, both = pictures
    assert visible == upper == both != lower
    assert not any(nothing)
    assert map_view.nbytes > 0

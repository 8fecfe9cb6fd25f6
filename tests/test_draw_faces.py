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


@pytest.mark.parametrize("package", ["", ".arcade", ".pygame", ".pillow"])
def test_dir_is_the_api(package):
    module = importlib.import_module(f"tilequad.draw{package}")
    assert sorted(dir(module)) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name).__name__ == name
    assert sorted(dir(module)) == sorted(module.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = module.nothing


def map_of(folder, y_up):
    cells = np.random.default_rng(4).integers(1, 5, (20, 30)).tolist()
    path = write_map(folder, TILESET, csv_layer("a", cells), size=(30, 20))
    return load_map(path, y_up=y_up)


def fog_of(tile_map):
    """A grid less high than the map; no edge of a cell is at the center of a pixel."""
    bounds = tile_map.bounds
    grid = Grid(np.ones((9, 14), bool), cell_size=35.3)
    fog = Fog(grid, teams=2)
    explored = np.zeros((9, 14), bool)
    explored[2:7, 3:12] = True
    fog.set_explored(explored, 1)
    fog.add(bounds.width / 3, bounds.height / 3, 60, team=1)
    return fog


def checked(draw, minimap, fog, y_up):
    """Compare pictures with and without fog, over the life of a fog."""
    minimap.fog = None
    plain = draw()
    assert plain.max() > 100
    minimap.fog, minimap.team = fog, 1
    for change in (lambda: None, lambda: fog.add(100, 200, 50, team=1)):
        change()
        light = expected_fog(fog, 1, minimap, y_up)
        assert len(np.unique(light)) == 3
        assert np.abs(draw() - plain * light[..., None]).max() <= 2
    minimap.team = 0
    assert not draw().any()  # a team that has seen nothing
    minimap.team = 2
    with pytest.raises(ValueError, match="team must be from 0 to 1"):
        draw()
    minimap.fog = None
    assert (draw() == plain).all()


def test_a_minimap_on_a_surface_hides_what_is_unexplored(tmp_path):
    tile_map = map_of(tmp_path, y_up=False)
    fog = fog_of(tile_map)
    minimap = on_surface.Minimap(on_surface.MapView(tile_map), 90, fog=fog, team=1)
    surface = pygame.Surface((minimap.width, minimap.height))

    def draw():
        minimap.draw(surface, 0, 0)
        return pygame.surfarray.array3d(surface).swapaxes(0, 1).astype(int)

    assert draw().any()
    checked(draw, minimap, fog, y_up=False)
    assert minimap.nbytes > 4 * 90 * 60


@pytest.mark.gl
def test_a_minimap_in_a_window_hides_what_is_unexplored(window, tmp_path):
    tile_map = map_of(tmp_path, y_up=True)
    fog = fog_of(tile_map)
    minimap = on_gpu.Minimap(on_gpu.MapView(tile_map), 90, fog=fog, team=1)

    def draw():
        window.clear(color=(0, 0, 0, 255))
        minimap.draw(0, 0)
        return screen(window)[-minimap.height :, : minimap.width, :3].astype(int)

    assert draw().any()
    checked(draw, minimap, fog, y_up=True)
    assert minimap.nbytes > 5 * 90 * 60


@pytest.mark.gl
def test_a_fog_that_stays_the_same_is_not_asked_again(window, tmp_path):
    for package, y_up in ((on_gpu, True), (on_surface, False)):
        tile_map = map_of(tmp_path, y_up)
        fog = fog_of(tile_map)
        asked = []

        class Counted:
            grid = fog.grid
            revision = 1

            def states(self, team, fog=fog, asked=asked):
                asked.append(team)
                return fog.states(team)

        minimap = package.Minimap(package.MapView(tile_map), 90, fog=Counted())
        target = () if y_up else (pygame.Surface((90, 60)),)
        for _ in range(3):
            minimap.draw(*target, 0, 0)
        assert asked == [0]


@pytest.mark.gl
def test_dots_and_frames_may_be_transparent(window, tmp_path):
    found = []
    for package, y_up in ((on_gpu, True), (on_surface, False)):
        tile_map = map_of(tmp_path, y_up)
        tile_map.layer("a").visible = False
        minimap = package.Minimap(package.MapView(tile_map), 90, background=(0, 0, 0))
        surface = pygame.Surface((90, 60))
        if y_up:
            window.clear(color=(0, 0, 0, 255))
        options = {"colors": (200, 100, 0, 128), "dot": 4}
        minimap.draw(*(() if y_up else (surface,)), 0, 0, None, [(240, 160)], **options)
        picture = screen(window)[-60:, :90, :3] if y_up else pygame.surfarray.array3d(surface)
        found.append(picture.reshape(-1, 3).max(axis=0).tolist())
        with pytest.raises(ValueError, match="a color must have three or four numbers"):
            minimap.draw(*(() if y_up else (surface,)), 0, 0, None, [(1, 1)], colors=(1, 2))
        with pytest.raises(ValueError, match=r"positions must have shape \(n, 2\)"):
            minimap.draw(*(() if y_up else (surface,)), 0, 0, None, [1, 2, 3])
    assert np.abs(np.subtract(*found)).max() <= 2
    assert 90 < found[0][0] < 110


@pytest.mark.gl
def test_layers_are_chosen_in_both(window, tmp_path):
    cells = [[1] * 10] * 10, [[2] * 10] * 10
    layers = [csv_layer(name, part) for name, part in zip("ab", cells, strict=True)]
    path = write_map(tmp_path, TILESET, *layers, size=(10, 10))
    other = load_map(path).layer("a")
    for package, y_up in ((on_gpu, True), (on_surface, False)):
        tile_map = load_map(path, y_up=y_up)
        map_view = package.MapView(tile_map)
        bounds, target = (0, 0, 100, 100), () if y_up else (pygame.Surface((100, 100)),)
        for wrong, error in (("a", TypeError), (other, KeyError)):
            with pytest.raises(error, match=r"layers must be|belongs to another map"):
                map_view.draw(*target, bounds, [wrong])
        pictures = []
        tile_map.layer("a").visible = False
        for chosen in (None, tile_map.layers[1:], tile_map.layers[:1], [], iter(tile_map.layers)):
            if y_up:
                window.clear(color=(0, 0, 0, 255))
            else:
                target[0].fill((0, 0, 0))
            assert map_view.draw(*target, bounds, layers=chosen) is None
            picture = screen(window) if y_up else pygame.surfarray.array3d(target[0])
            pictures.append(picture.tobytes())
        visible, upper, lower, nothing, both = pictures
        assert visible == upper == both != lower
        assert not any(nothing)
        assert map_view.nbytes > 0

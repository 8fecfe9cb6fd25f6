"""Tiles seen from far away in pygame: pixels picked out of a sheet, as Pillow picks them."""

import numpy as np
import pytest

pygame = pytest.importorskip("pygame")
from PIL import Image  # noqa: E402

from tests.tmx import csv_layer, map_text  # noqa: E402
from tilequad import load_map  # noqa: E402
from tilequad.draw.pillow import render  # noqa: E402
from tilequad.draw.pygame import MapView  # noqa: E402
from tilequad.draw.pygame.far_tiles import TileSheet, distinct_in  # noqa: E402
from tilequad.draw.pygame.painter import Painter  # noqa: E402

SIDE = 90  # cells
FLIPS = [0, 1 << 31, 1 << 30, 1 << 29, 0b111 << 29]
ANIMATED = (
    '<tile id="0"><animation><frame tileid="1" duration="100"/>'
    '<frame tileid="2" duration="100"/></animation></tile>'
)
TILES = (
    '<tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" tilecount="16" columns="4">'
    f'<image source="tiles.png" width="64" height="64"/>{ANIMATED}</tileset>'
)


def noisy_map(folder, seed, *, crisp=True, look="", attributes=""):
    """Layers with gaps and turned tiles, of noise with holes."""
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 256, (64, 64, 4), np.uint8)
    clear = rng.random((64, 64)) < 0.3
    pixels[:, :, 3] = np.where(clear, 0, 255 if crisp else pixels[:, :, 3])
    Image.fromarray(pixels).save(folder / "tiles.png")
    layers = []
    for number in (1, 2):
        gids = rng.integers(1, 17, (SIDE, SIDE)) | rng.choice(FLIPS, (SIDE, SIDE))
        gids[rng.random((SIDE, SIDE)) < 0.2] = 0
        layers.append(csv_layer(f"layer {number}", gids.tolist(), look if number == 2 else ""))
    return load(folder, TILES, *layers, attributes=attributes)


def load(folder, *parts, size=(SIDE, SIDE), attributes=""):
    path = folder / "map.tmx"
    path.write_text(map_text(*parts, size=size, attributes=attributes))
    return load_map(path, y_up=False)


def shown(tile_map, view, size, time=0):
    """What a new view draws, (height, width, 4)."""
    map_view = MapView(tile_map)
    map_view.set_time(time)
    surface = pygame.Surface(size, pygame.SRCALPHA)
    map_view.draw(surface, view)
    colors, alpha = pygame.surfarray.array3d(surface), pygame.surfarray.array_alpha(surface)
    return np.dstack((colors, alpha)).swapaxes(0, 1)


@pytest.mark.parametrize(
    "look",
    ["", 'offsetx="5" offsety="-21"', 'tintcolor="#80ff40"', 'opacity="0.5"', 'offsetx="0.25"'],
)
@pytest.mark.parametrize("zoom", [0.4871, 0.37, 0.3, 0.2313, 0.1407])
def test_picked_pixels_are_those_of_pillow(tmp_path, monkeypatch, look, zoom):
    tile_map = noisy_map(tmp_path, int(zoom * 1e4), look=look)
    size = 230, 170
    picked = []
    far = Painter._far_tiles
    end = SIDE * 16 - 300
    for x, y, time in [(-100, -80, 0), (333.3, 250.7, 100), (end, end, 250)]:
        view = x, y, x + size[0] / zoom, y + size[1] / zoom
        with monkeypatch.context() as patch:
            patch.setattr(Painter, "_far_tiles", lambda *_: None)
            by_pillow = shown(tile_map, view, size, time)
            patch.setattr(Painter, "_far_tiles", lambda *it: picked.append(far(*it)) or picked[-1])
            found = shown(tile_map, view, size, time)
        assert (found == by_pillow).all()
    between = zoom == 0.37  # some pixels lie between two of a tile: Pillow draws flips
    assert any(blits is not None for blits in picked) != between


def test_half_transparent_tiles_are_left_to_pillow(tmp_path, monkeypatch):
    tile_map = noisy_map(tmp_path, 1, crisp=False)
    found = []
    far = Painter._far_tiles
    monkeypatch.setattr(Painter, "_far_tiles", lambda *it: found.append(far(*it)) or found[-1])
    shown(tile_map, (0, 0, 500, 500), (150, 150))
    assert found
    assert set(found) == {None}


@pytest.mark.parametrize("order", ["right-down", "left-up", "right-up", "left-down"])
@pytest.mark.parametrize(("zoom", "side"), [(1.0, 12), (0.5, 12), (0.2313, 16)])
def test_tiles_that_overlap_are_drawn_in_order(tmp_path, monkeypatch, order, zoom, side):
    """But for those seen from far away, which fill their cells."""
    cells = f'tilewidth="{side}" tileheight="{side}"'
    tile_map = noisy_map(tmp_path, 5, attributes=f'renderorder="{order}" {cells}')
    view = 100, 50, 100 + 200 / zoom, 50 + 150 / zoom
    at_once = []
    for name in ("_even_blits", "_far_tiles"):
        own = getattr(Painter, name)
        monkeypatch.setattr(
            Painter, name, lambda *it, own=own: at_once.append(own(*it)) or at_once[-1]
        )
    found = shown(tile_map, view, (200, 150))
    assert at_once
    assert all(blits is not None for blits in at_once)
    monkeypatch.setattr(Painter, "_even_tiles", lambda *_: None)
    assert (found == shown(tile_map, view, (200, 150))).all()


@pytest.fixture
def colorful(tmp_path):
    """A map of cells in one color each."""
    rng = np.random.default_rng(3)
    gids = rng.integers(1, 17, (SIDE, SIDE)).tolist()
    tiles = Image.fromarray(rng.integers(0, 256, (4, 4, 3), np.uint8))
    tiles.resize((64, 64), Image.NEAREST).save(tmp_path / "tiles.png")
    return load(tmp_path, TILES, csv_layer("ground", gids))


TINY = [0.5 / 16, 1.1 / 16, 1.3 / 16, 0.07]  # at all but the last, pixels lie between two cells


@pytest.mark.parametrize("zoom", TINY)
def test_tiny_cells_of_one_color_are_those_of_render(colorful, zoom):
    size = 131, 117
    view = 0.0, 0.0, size[0] / zoom, size[1] / zoom
    expected = np.asarray(render(colorful, view, scale=zoom))[: size[1], : size[0]]
    assert (expected == shown(colorful, view, size)).all()


@pytest.mark.parametrize("zoom", TINY)
def test_tiny_cells_that_change_are_painted_as_those_around_them(colorful, zoom):
    kept, [layer] = MapView(colorful), colorful.layers
    view = 0.0, 0.0, 130 / zoom, 130 / zoom
    for column in range(0, SIDE, 3):
        layer.set_tile(column, column * 37 % SIDE, column % 4 + 1)
        pictures = []
        for map_view in (kept, MapView(colorful)):
            pictures.append(pygame.Surface((130, 130), pygame.SRCALPHA))
            map_view.draw(pictures[-1], view)
        assert pictures[0].get_buffer().raw == pictures[1].get_buffer().raw, column


def test_tiny_cells_of_a_layer_that_begins_elsewhere_are_those_of_render(colorful, tmp_path):
    gids = np.random.default_rng(4).integers(1, 17, (20, 30)).tolist()
    tile_map = load(tmp_path, TILES, csv_layer("moved", gids, 'x="37" y="-3"'))
    view = 0.0, -160.0, 1440.0, 1280.0
    found = shown(tile_map, view, (180, 180))
    assert (found[:, :, 3] > 0).sum() == 2 * 30 * 2 * 20
    assert (found == np.asarray(render(tile_map, view, scale=0.125))).all()


@pytest.mark.parametrize("axis", ["x", "y"])
@pytest.mark.parametrize("origin", [(0, 0), (-7, 5)])
def test_tiny_staggered_cells_of_an_odd_size_are_where_render_has_them(tmp_path, axis, origin):
    gids = np.zeros((200, 200), int)
    gids[150:160, 170:180] = 1
    tiles = TILES.replace(ANIMATED, "").replace('"16"', '"33"').replace('"64"', '"132"')
    Image.new("RGB", (132, 132), "red").save(tmp_path / "tiles.png")
    attributes = f'orientation="staggered" staggeraxis="{axis}" staggerindex="odd" '
    attributes += 'tilewidth="33" tileheight="33"'
    layer = csv_layer("a", gids.tolist(), f'x="{origin[0]}" y="{origin[1]}"')
    tile_map = load(tmp_path, tiles, layer, size=(200, 200), attributes=attributes)
    view, scale = tile_map.bounds, 2 / 33
    size = int(view.width * scale), int(view.height * scale)
    view = 0.0, 0.0, size[0] / scale, size[1] / scale
    pictures = np.asarray(render(tile_map, view, scale)), shown(tile_map, view, size)
    expected, found = (Image.fromarray(picture[:, :, 3]).getbbox() for picture in pictures)
    assert np.abs(np.subtract(found, expected)).max() <= 1


def test_a_sheet_makes_each_tile_once_and_grows():
    made = []

    def make(number):
        made.append(number)
        surface = pygame.Surface((3, 2), pygame.SRCALPHA)
        surface.fill((number, 0, 0, 255))
        return surface

    sheet = TileSheet((3, 2))
    numbers = [[sheet.number(key, lambda key=key: make(key)) for key in range(9)] for _ in range(2)]
    assert numbers[0] == numbers[1] == list(range(1, 10))
    assert made == list(range(9))
    assert sheet.number(77, lambda: None) is None
    picture = sheet.picked(np.array([numbers[0]]), np.arange(-3, 30), np.array([-1, 0, 1, 2]))
    alpha = pygame.surfarray.array_alpha(picture).T
    assert (alpha[1:3, 3:30] == 255).all()
    assert alpha.sum() == 255 * 2 * 27
    assert (
        pygame.surfarray.array_red(picture).T[1, 3:30].tolist() == np.arange(9).repeat(3).tolist()
    )


@pytest.mark.parametrize("most", [7, 1 << 20])
def test_distinct_numbers(most):
    values = np.random.default_rng(most).integers(0, most, (20, 30)).astype(np.uint32)
    kinds, which = distinct_in(values)
    assert kinds == sorted(set(values.ravel().tolist()))
    assert (np.array(kinds)[which] == values).all()


@pytest.mark.parametrize("zoom", [0.04, 0.1])
def test_single_cells_are_painted_again_where_parts_are_a_pixel_wide(tmp_path, zoom):
    rng = np.random.default_rng(3)
    gids = rng.integers(1, 17, (200, 200))
    noisy_map(tmp_path, 3)  # its tiles
    tile_map = load(tmp_path, TILES, csv_layer("a", gids.tolist()), size=(200, 200))
    [layer], map_view, surface = tile_map.layers, MapView(tile_map), pygame.Surface((320, 320))
    view = -600, -600, 320 / zoom - 600, 320 / zoom - 600
    map_view.draw(surface, view)
    for number in range(200):
        layer.set_tile(number, 5, int(gids[5, number]) % 16 + 1)
        layer.set_tile(5, number, int(gids[number, 5]) % 16 + 1)
        surface.fill((0, 0, 0))
        map_view.draw(surface, view)
    fresh = pygame.Surface((320, 320))
    MapView(tile_map).draw(fresh, view)
    assert pygame.image.tobytes(surface, "RGB") == pygame.image.tobytes(fresh, "RGB")

"""MapView of pygame against `render`: pixel by pixel at zoom 1, and close to it at other zooms."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.draw_faces import map_paths, real_maps, without_parallax
from tests.programs import MAP, ROOT, run
from tests.random_maps import write_random_map
from tests.share import WHOLE
from tests.tmx import TILESET, csv_layer, write_map
from tilequad import DynamicQuadtree
from tilequad.draw.blending import blend
from tilequad.draw.pillow import render
from tilequad.draw.tile_pictures import TilePictures
from tilequad.nav import Fog, Grid
from tilequad.tiled import Layer, MapError, ObjectLayer, TileLayer, TileMap, load_map

pygame = pytest.importorskip("pygame")
from tilequad.draw.pygame import (  # noqa: E402
    Camera,
    FogOverlay,
    FollowedSprites,
    MapView,
    Minimap,
    TreeOverlay,
    painter,
)
from tilequad.draw.pygame.surfaces import to_image  # noqa: E402

Pixels = NDArray[np.int64]
VERSION = (1, 12)  # of Tiled: random maps may be oblique
ORIENTATIONS = ("orthogonal", "isometric", "staggered", "hexagonal", "oblique")
TIMES = (0, 95, 400)  # milliseconds; the animated tiles of random maps change in between


def pixels(image: Image.Image) -> Pixels:
    """RGBA as signed numbers; what is transparent has no color."""
    values = np.asarray(image).astype(int)
    values[values[:, :, 3] == 0] = 0
    return values


def drawn(
    map_view: MapView,
    view: Sequence[float],
    layers: list[Layer] | None = None,
    size: tuple[int, int] | None = None,
) -> Pixels:
    """Draw a view on a transparent surface, at zoom 1 unless a size says otherwise."""
    size = size or (round(view[2] - view[0]), round(view[3] - view[1]))
    surface = pygame.Surface(size, pygame.SRCALPHA)
    map_view.draw(surface, view, layers)
    return pixels(to_image(surface))


def small_map(folder: Path, *parts: str, **options: Any) -> TileMap:
    return load_map(write_map(folder, TILESET, *parts, **options), y_up=False)


def expected(
    tile_map: TileMap, view: Sequence[float], time: float = 0, layers: list[Layer] | None = None
) -> list[Pixels]:
    """What `render` draws of a view, and what it draws there as a part of a larger picture.

    They differ in a few pixels of images that are resized by odd ratios, by rounding.
    """
    wide = tuple(np.floor(np.array(view[:2]) / 256) * 256)
    left, top = (int(a - b) for a, b in zip(view[:2], wide, strict=True))
    whole = pixels(render(tile_map, (*wide, *view[2:]), time=time, layers=layers))
    return [pixels(render(tile_map, view, time=time, layers=layers)), whole[top:, left:]]


def mixes(wanted: list[Pixels], picture: Pixels) -> bool:
    """Whether each pixel of a picture is that of one of the two that are `expected`."""
    one, other = ((picture == each).all(axis=2) for each in wanted)
    return bool((one | other).all())


def around(tile_map: TileMap) -> tuple[int, int, int, int]:
    """A view of a map and some pixels around it, across chunks."""
    bounds = tile_map.canvas
    left, top = int(bounds.min_x) - 5, int(bounds.min_y) - 7
    return left, top, left + min(int(bounds.width) + 20, 700), top + min(int(bounds.height), 700)


def random_map(folder: Path, seed: int) -> TileMap:
    return load_map(write_random_map(folder, seed, VERSION), y_up=False)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_pictures_equal_those_of_render(tmp_path, orientation):
    seeds = 0
    for seed in range(400):
        tile_map = random_map(tmp_path, seed)
        if tile_map.orientation != orientation:
            continue
        map_view = MapView(without_parallax(tile_map), objects="all")
        view = around(tile_map)
        for time in TIMES:
            map_view.set_time(time)
            wanted = expected(tile_map, view, time)
            assert mixes(wanted, drawn(map_view, view)), (seed, time)
        seeds += 1
        if seeds == (8 if WHOLE else 4):
            return
    pytest.fail(f"too few random maps are {orientation}")


@pytest.mark.parametrize("seed", range(12))
def test_each_layer_moves_with_its_parallax(tmp_path, seed):
    tile_map = random_map(tmp_path, seed)
    rng = np.random.default_rng(seed)
    for layer in tile_map.layers:
        layer.parallax = tuple(rng.choice([0.0, 0.5, 1.0, 2.0], 2).tolist())
    view = around(tile_map)
    map_view = MapView(tile_map, objects="all")
    for layer in tile_map.layers:
        dx, dy = tile_map.parallax_shift(layer, view)
        left, top = ceil(view[0] - dx - 0.5), ceil(view[1] - dy - 0.5)
        seen = left, top, left + view[2] - view[0], top + view[3] - view[1]
        wanted = expected(tile_map, seen, layers=[layer])
        assert mixes(wanted, drawn(map_view, view, [layer])), layer


def test_layers_of_several_parallaxes_cover_each_other(tmp_path):
    rng = np.random.default_rng(5)
    parts = [
        csv_layer(name, rng.integers(0, 5, (40, 40)).tolist(), attributes)
        for name, attributes in (
            ("far", 'parallaxx="0.5" parallaxy="0.25"'),
            ("ground", ""),
            ("decor", ""),
            ("near", 'parallaxx="1.5" tintcolor="#80ff80"'),
        )
    ]
    tile_map = small_map(tmp_path, *parts, size=(40, 40))
    map_view = MapView(tile_map, objects="all")
    for view in ((10, 20, 310, 220), (50, 21, 350, 221), (333, 400, 633, 600)):
        picture = Image.new("RGBA", (300, 200))
        for layer in tile_map.layers:
            dx, dy = tile_map.parallax_shift(layer, view)
            left, top = ceil(view[0] - dx - 0.5), ceil(view[1] - dy - 0.5)
            box = left, top, left + 300, top + 200
            picture.alpha_composite(render(tile_map, box, layers=[layer]))
        assert (drawn(map_view, view) == pixels(picture)).all()


@pytest.mark.parametrize("level", [1, 2, 3])
def test_halved_zooms_equal_render(tmp_path, level):
    cells = np.random.default_rng(3).integers(0, 5, (120, 120)).tolist()
    tile_map = small_map(tmp_path, csv_layer("a", cells), size=(120, 120))
    scale = 0.5**level
    view = (80, 160, 80 + 240 / scale, 160 + 160 / scale)
    picture = drawn(MapView(tile_map, objects="all"), view, size=(240, 160))
    wanted = pixels(render(tile_map, view, scale))
    if level < 3:
        assert (picture == wanted).all()
    else:  # tiles of two pixels are drawn in one color
        assert abs(picture - wanted).mean() < 6


def test_shapes_reach_into_neighboring_parts(tmp_path):
    objects = "".join(
        f'<object id="{number}" x="{256 + 2 * number}" y="{256 + number % 5}">{kind}</object>'
        for number, kind in enumerate(("<point/>", "", "<ellipse/>") * 4)
    )
    layer = f'<objectgroup id="1" name="shapes">{objects}</objectgroup>'
    tile_map = small_map(tmp_path, layer, size=(40, 40))
    view = (200, 200, 320, 320)
    wanted = pixels(render(tile_map, view))
    assert wanted[:40].any()  # above the chunk that holds the points
    assert (drawn(MapView(tile_map, objects="all"), view) == wanted).all()


@pytest.mark.parametrize("zoom", [2, 3, 7])
def test_enlarged_pixels_are_squares(tmp_path, zoom):
    tile_map = without_parallax(random_map(tmp_path, 3))
    view = around(tile_map)
    small = drawn(MapView(tile_map, objects="none"), view)[:60, :80]
    part = *view[:2], view[0] + 80, view[1] + 60
    large = drawn(MapView(tile_map, objects="none"), part, size=(80 * zoom, 60 * zoom))
    assert (large == small.repeat(zoom, axis=0).repeat(zoom, axis=1)).all()


@pytest.mark.parametrize("zoom", [1.25, 2, 3])
def test_enlarged_shapes_and_texts_are_sharp(tmp_path, zoom):
    objects = """<object id="1" x="10" y="8" width="60" height="20">
          <text wrap="1">Gate</text></object>
        <object id="2" x="30" y="12" width="30" height="20"><ellipse/></object>
        <object id="3" gid="2" x="4" y="40" width="16" height="16"/>"""
    layers = [
        csv_layer("below", [[1, 2, 3, 4, 0]] * 4),
        f'<objectgroup id="2" name="things">{objects}</objectgroup>',
        csv_layer("above", [[0, 0, 0, 0, 1]] + [[0, 3, 0, 0, 0]] * 3),
    ]
    tile_map = small_map(tmp_path, *layers, size=(5, 4))
    view = 0, 0, 80, 64
    size = round(80 * zoom), round(64 * zoom)
    picture = drawn(MapView(tile_map, objects="all"), view, size=size)
    # the margin of the picture begins in the chunk to the left, which is painted together
    wide = pixels(render(tile_map, (-256 / zoom, 0, 80, 64), zoom))
    assert (picture == wide[:, 256:]).all()
    shown = picture[int(12 * zoom) : int(24 * zoom), int(12 * zoom) : int(30 * zoom)]  # letters
    grown = drawn(MapView(tile_map, objects="all"), view).repeat(4, axis=0).repeat(4, axis=1)
    assert len(np.unique(shown, axis=0)) > len(np.unique(grown[48:96, 48:120], axis=0))


def far_from_render(tile_map: TileMap, map_view: MapView, zoom: float, place: float) -> float:
    """The mean difference to `render` of a view that begins on a pixel, anywhere on the map.

    Args:
        tile_map: The map, without parallax.
        map_view: A view of it.
        zoom: Pixels for each world unit.
        place: From 0 for the view of one corner to 1 for the opposite one.
    """
    size, bounds = (300, 200), tile_map.bounds
    room = max(bounds.width - size[0] / zoom, 0), max(bounds.height - size[1] / zoom, 0)
    left = round((bounds.min_x + place * room[0]) * zoom)
    top = round((bounds.min_y + place * room[1]) * zoom)
    view = tuple(side / zoom for side in (left, top, left + size[0], top + size[1]))
    picture = drawn(map_view, view, size=size)
    return float(abs(picture - pixels(render(tile_map, view, zoom))).mean())


def most(tile_map: TileMap, zoom: float) -> float:
    """How far a picture may be from `render`: tiles of two pixels have one color each."""
    return 6 if max(tile_map.tile_size) * zoom <= 2 else 0.5


ZOOMS = (0.1, 0.13, 0.2, 0.31, 0.37, 0.45, 0.6, 0.77, 0.9)


@pytest.fixture(scope="module")
def real_map():
    return load_map(MAP, y_up=False)


def test_zoomed_out_the_real_map_is_that_of_render(real_map):
    map_view, rng = MapView(real_map, objects="all"), np.random.default_rng(2)
    for zoom in (*ZOOMS, *rng.uniform(0.1, 1, 8).tolist()):
        far = far_from_render(real_map, map_view, zoom, rng.random())
        assert far < most(real_map, zoom), zoom


@pytest.mark.parametrize("zoom", [0.9, 0.77, 0.6, 0.45, 0.37, 0.31, 0.2, 0.13, 1.3])
def test_a_camera_moves_a_zoomed_picture_by_whole_pixels(real_map, zoom):
    map_view = MapView(real_map, objects="all")
    pictures = []
    for step in range(13):  # a third of a pixel each
        left, top = 3000 + step / 3 / zoom, 3900
        view = (left, top, left + 300 / zoom, top + 200 / zoom)
        pictures.append(drawn(map_view, view, size=(300, 200))[:, :, :3])
    moved = 0
    for before, after in pairwise(pictures):
        if (before != after).any():
            moved += 1
            assert (before[:, 1:] == after[:, :-1]).all()
    assert moved == 4
    assert np.abs(np.diff(pictures, axis=0)).mean() < 6


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_far_views_show_the_colors_of_the_tiles(tmp_path, orientation):
    cells = np.repeat(np.repeat(np.array([[1, 2], [3, 4]]), 64, axis=0), 64, axis=1).tolist()
    kind = f'orientation="{orientation}" staggeraxis="y" staggerindex="odd" hexsidelength="6"'
    kind += ' skewx="4"' if orientation == "oblique" else ""
    tile_map = small_map(tmp_path, csv_layer("a", cells), size=(128, 128), attributes=kind)
    bounds = tile_map.bounds
    size = int(bounds.width / 16), int(bounds.height / 16)
    view = (*bounds[:2], bounds.min_x + size[0] * 16, bounds.min_y + size[1] * 16)
    far = drawn(MapView(tile_map, objects="all"), view, size=size)
    near = pixels(render(tile_map, view, 1 / 16))
    wrong = (abs(far - near).max(axis=2) > 40).mean()  # but for the seams
    assert wrong < 0.06


def test_far_views_of_infinite_maps_find_their_tiles(tmp_path):
    chunks = "".join(
        f'<chunk x="{x}" y="{y}" width="16" height="16">{",".join([str(gid)] * 256)}</chunk>'
        for x, y, gid in ((-32, 0, 1), (16, -64, 2), (1600, 1600, 3))
    )
    layer = f'<layer name="a"><data encoding="csv">{chunks}</data></layer>'
    tile_map = small_map(tmp_path, layer, attributes='infinite="1"')
    for x, y, color in ((-32, 0, (255, 0, 0)), (16, -64, (0, 255, 0)), (1600, 1600, (0, 0, 255))):
        left, top = (x + 8) * 16 - 1024, (y + 8) * 16 - 1024
        view = (left, top, left + 2048, top + 2048)
        picture = drawn(MapView(tile_map, objects="all"), view, size=(128, 128))
        assert np.abs(picture[64, 64, :3] - color).max() < 4
        assert picture[80, 64, 3] == 0


@pytest.mark.parametrize("mode", ["add", "multiply", "screen", "difference", "color-burn"])
def test_a_moving_layer_blends_with_what_is_below(tmp_path, mode):
    rng = np.random.default_rng(8)
    low = csv_layer("low", rng.integers(1, 5, (30, 30)).tolist())
    high = csv_layer(
        "high",
        rng.integers(0, 5, (30, 30)).tolist(),
        f'parallaxx="0.5" mode="{mode}" opacity="0.5"',
    )
    tile_map = small_map(tmp_path, low, high, size=(30, 30))
    view = (100, 100, 300, 250)
    dx, _ = tile_map.parallax_shift(tile_map.layers[1], view)
    assert dx == int(dx)
    below = render(tile_map, view, layers=[tile_map.layers[0]])
    shifted = (view[0] - dx, view[1], view[2] - dx, view[3])
    above = render(tile_map, shifted, layers=[tile_map.layers[1]])
    surface = pygame.Surface((200, 150))
    MapView(tile_map, objects="all").draw(surface, view)
    assert abs(pixels(to_image(surface)) - pixels(blend(below, above, mode))).max() <= 2


def test_layers_are_drawn_alone_hidden_or_not(tmp_path):
    tile_map = without_parallax(random_map(tmp_path, 6))
    view = around(tile_map)
    map_view = MapView(tile_map, objects="all")
    chosen = [layer for layer in tile_map.layers if isinstance(layer, TileLayer | ObjectLayer)][:2]
    for layer in chosen:
        layer.visible = False
    assert mixes(expected(tile_map, view, layers=chosen), drawn(map_view, view, chosen))


def test_a_part_of_a_surface_is_drawn_on(tmp_path):
    tile_map = without_parallax(random_map(tmp_path, 6))
    surface = pygame.Surface((300, 200))
    surface.fill((1, 2, 3))
    MapView(tile_map, objects="all").draw(surface.subsurface((100, 50, 120, 90)), (0, 0, 120, 90))
    outside = pygame.surfarray.array3d(surface)
    outside[100:220, 50:140] = 1, 2, 3
    assert (outside == (1, 2, 3)).all()
    alone = pygame.Surface((120, 90))
    alone.fill((1, 2, 3))
    MapView(tile_map, objects="all").draw(alone, (0, 0, 120, 90))
    part = pygame.surfarray.array3d(surface)[100:220, 50:140]
    assert (part == pygame.surfarray.array3d(alone)).all()


def test_a_camera_sees_and_finds():
    camera = Camera((640, 480), (100, 50), zoom=2)
    assert camera.visible_bounds == (-60, -70, 260, 170)
    for x, y in ((0, 0), (123, 45), (640, 480)):
        assert camera.to_screen(*camera.to_world(x, y)) == pytest.approx((x, y))
    fixed = camera.to_world(200, 300)
    camera.zoom_at(200, 300, 1.7)
    assert camera.to_world(200, 300) == pytest.approx(fixed)
    before = camera.to_world(10, 10)
    camera.pan(30, -20)
    assert camera.to_world(40, -10) == pytest.approx(before)


def test_a_camera_keeps_within_a_box():
    camera = Camera((640, 480), (100, 50), zoom=2)
    camera.keep_within((0, 0, 1000, 800))
    assert camera.visible_bounds == (0, 0, 320, 240)
    camera.position = 900, 400
    camera.keep_within((0, 0, 1000, 800))
    assert camera.visible_bounds == (680, 280, 1000, 520)
    inside = camera.visible_bounds
    camera.keep_within((-50, 0, 5000, 5000))
    assert camera.visible_bounds == inside
    camera.keep_within((-50, 0, 50, 5000))  # narrower than the view
    assert camera.position == (0, 400)


@pytest.mark.parametrize("size", [(0, 0), (0, 30), (40, 0)])
def test_on_a_surface_without_pixels_nothing_is_drawn(tmp_path, size):
    tile_map = small_map(tmp_path, csv_layer("a", [[1, 2, 3, 4]] * 3))
    units: DynamicQuadtree[Any] = DynamicQuadtree(tile_map.bounds)
    surface, view, fog = pygame.Surface(size), (0, 0, 40, 30), Fog(Grid([[True] * 4] * 3))
    MapView(tile_map).draw(surface, view)
    FogOverlay(fog).draw(surface, view)
    TreeOverlay().draw(surface, view, units.nodes())
    FollowedSprites(units).draw(surface, view)


def test_a_view_draws_after_a_call_that_failed(tmp_path):
    tile_map = small_map(tmp_path, csv_layer("a", [[1, 2, 3, 4]] * 3))
    map_view, surface = MapView(tile_map), pygame.Surface((40, 30))
    with pytest.raises(ValueError, match="nearer to the origin"):
        map_view.draw(surface, (1e12, 0, 1e12 + 40, 30))
    map_view.draw(surface, (0, 0, 40, 30))
    assert surface.get_at((1, 1))[:3] == (255, 0, 0)


def test_what_opaque_tiles_cover_is_not_painted_and_not_missed(tmp_path, monkeypatch):
    """Layers of which some cells, or all, are hidden by opaque tiles above."""
    sets = ""
    for first, name, channels in ((1, "solid", 3), (5, "clear", 4)):
        art = np.random.default_rng(first).integers(0, 255, (16, 64, channels), np.uint8)
        Image.fromarray(art).save(tmp_path / f"{name}.png")
        sets += (
            f'<tileset firstgid="{first}" name="{name}" tilewidth="16" tileheight="16" '
            f'tilecount="4" columns="4"><image source="{name}.png"/></tileset>'
        )
    rng = np.random.default_rng(3)
    size = 64, 64

    def layer(name, low, high, empty):
        cells = rng.integers(low, high, size[::-1])
        cells[rng.random(size[::-1]) < empty] = 0
        return csv_layer(name, cells.tolist())

    parts = layer("a", 1, 5, 0), layer("b", 1, 9, 0.3), layer("c", 1, 5, 0.5), layer("d", 1, 9, 0.8)
    path = write_map(tmp_path, sets, *parts, size=size)
    tile_map = load_map(path, y_up=False)
    view = 300, 300, 700, 700

    def check(zoom=1.0):
        out = round(400 * zoom), round(400 * zoom)
        picture = drawn(MapView(tile_map, objects="all"), view, size=out)
        assert (picture == pixels(render(tile_map, view, zoom))).all()

    check()
    check(0.5)
    check(2)
    tile_map.layer("c").opacity = 0.5  # it covers nothing then
    check()
    tile_map.layer("c").opacity = 1
    tile_map.layer("b").mode = "multiply"
    check()
    tile_map.layer("b").mode = "normal"
    painted: list[int] = []
    draw_all = painter.draw_all

    def spy(target, blits):
        shown = list(blits)
        painted.append(len(shown))
        draw_all(target, shown)

    monkeypatch.setattr(painter, "draw_all", spy)

    def painted_tiles(layers):
        painted.clear()
        drawn(MapView(tile_map), view, layers, size=(400, 400))
        return sum(painted)

    each = [painted_tiles([layer]) for layer in tile_map.layers]
    assert painted_tiles(list(tile_map.layers)) < 0.9 * sum(each)
    cells = [(column, row) for column in range(64) for row in range(64)]
    tile_map.layer("d").set_tiles(cells, [2] * len(cells))
    assert painted_tiles(list(tile_map.layers)) == painted_tiles([tile_map.layer("d")]) > 0
    check()


@pytest.mark.parametrize("most", [3, 40])
def test_a_view_with_more_tiles_than_are_kept_looks_the_same(real_map, monkeypatch, most):
    view = (3000, 3900, 3600, 4300)
    wanted = drawn(MapView(real_map), view)
    monkeypatch.setattr(painter, "_MOST_TILES", most)
    assert (drawn(MapView(real_map), view) == wanted).all()


def test_markers_of_missing_images_keep_their_lines_at_each_zoom(tmp_path):
    path = write_map(tmp_path, TILESET, csv_layer("a", [[1, 2, 3, 4]] * 3))
    (tmp_path / "tiles.png").unlink()
    tile_map, view = load_map(path, y_up=False), (0, 0, 64, 48)
    map_view = MapView(tile_map, objects="all")
    for zoom in (1, 0.5, 0.25, 0.375, 0.75, 0.5):
        picture = drawn(map_view, view, size=(round(64 * zoom), round(48 * zoom)))
        assert (picture == pixels(render(tile_map, view, zoom))).all()


def test_no_display_is_needed_to_import_or_to_draw(tmp_path):
    path = write_map(tmp_path, TILESET, csv_layer("a", [[1, 2, 3, 4]] * 3))
    program = (
        "import pygame; from tilequad import load_map; from tilequad.draw.pygame import MapView\n"
        f"view = MapView(load_map({str(path)!r}, y_up=False))\n"
        "surface = pygame.Surface((64, 48)); view.draw(surface, (0, 0, 64, 48))\n"
        "assert not pygame.display.get_init() and surface.get_at((20, 5))[:3] == (0, 255, 0)\n"
    )
    done = run("-c", program, folder=tmp_path, paths=(ROOT,), SDL_VIDEODRIVER="no such driver")
    assert done.returncode == 0, done.stderr


CORPUS_MAPS = 20 if WHOLE else 5


@pytest.mark.corpus
def test_real_maps_equal_render(corpus):
    paths = map_paths(corpus)
    drawn_maps = 0
    for path in paths[:: max(len(paths) // (3 * CORPUS_MAPS), 1)]:
        try:
            tile_map = without_parallax(load_map(path, y_up=False))
            view = around(tile_map)
            wanted = expected(tile_map, view)
        except MapError:
            continue
        if min(view[2] - view[0], view[3] - view[1]) <= 0 or not wanted[0].any():
            continue
        assert mixes(wanted, drawn(MapView(tile_map, objects="all"), view)), path
        drawn_maps += 1
        if drawn_maps == CORPUS_MAPS:
            return
    pytest.fail(f"the corpus has only {drawn_maps} maps to draw")


# How many maps of each orientation are drawn smaller: of the whole, more than forty.
ZOOMED_MAPS = {"orthogonal": 20, "isometric": 10, "hexagonal": 10, "staggered": 5}
if not WHOLE:
    ZOOMED_MAPS = {orientation: count // 5 for orientation, count in ZOOMED_MAPS.items()}


@pytest.mark.slow
@pytest.mark.corpus
def test_zoomed_out_real_maps_are_those_of_render(corpus):
    rng = np.random.default_rng(4)
    for path, tile_map in real_maps(corpus, rng, ZOOMED_MAPS, y_up=False):
        map_view = MapView(tile_map, objects="all")
        for zoom in (*rng.choice(ZOOMS, 4, replace=False).tolist(), rng.uniform(0.1, 1)):
            far = far_from_render(tile_map, map_view, zoom, rng.random())
            assert far < most(tile_map, zoom), (path, zoom)


def test_frames_of_all_animated_tiles_are_those_of_each(tmp_path):
    """Found by the rhythms of the tiles; a time may be negative, or go back."""
    pictures = TilePictures.of(random_map(tmp_path, 3))
    assert pictures.animated
    for time in (*range(-500, 3000, 7), *range(3000, 0, -13), 0.5, 1e9):
        each = {gid: pictures.frame(gid, time) for gid in pictures.animated}
        assert pictures.frames_at(time) == each
    assert pictures.frames_at(5) is pictures.frames_at(5)


def test_a_change_that_could_not_be_painted_is_painted_later(tmp_path, monkeypatch):
    tile_map = small_map(tmp_path, csv_layer("a", [[1] * 40] * 4), size=(40, 4))
    [layer], map_view, view = tile_map.layers, MapView(tile_map), (0, 0, 640, 64)
    drawn(map_view, view)
    layer.set_tiles([(15, 1), (16, 1), (31, 1), (32, 1)], 2)  # beside the edges of chunks
    with monkeypatch.context() as patch:
        patch.setattr(painter.Painter, "paint", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            drawn(map_view, view)
    assert (drawn(map_view, view) == drawn(MapView(tile_map), view)).all()


def counted(monkeypatch) -> list[pygame.Rect]:
    """The parts that are painted from now on."""
    painted: list[pygame.Rect] = []
    steps = painter.Painter.steps

    def spy(self, area, *rest):
        painted.append(area.copy())
        return steps(self, area, *rest)

    monkeypatch.setattr(painter.Painter, "steps", spy)
    return painted


def test_any_number_of_choices_drawn_by_turns_keep_their_pictures(tmp_path, monkeypatch):
    layers = [csv_layer(f"layer {number}", [[1, 2, 0, 4]] * 3) for number in range(20)]
    tile_map = small_map(tmp_path, *layers)
    map_view, view, painted = MapView(tile_map), (0, 0, 64, 48), counted(monkeypatch)
    for _ in range(2):
        painted.clear()
        for layer in tile_map.layers:
            drawn(map_view, view, [layer])
    assert not painted
    full = map_view.nbytes
    for number in range(200):
        drawn(map_view, view, tile_map.layers[: number % 4 + 1])
    drawn(map_view, view, tile_map.layers[:5])  # now those that are not drawn any more may go
    assert map_view.nbytes < full / 2
    painted.clear()
    for number in range(4):
        drawn(map_view, view, tile_map.layers[: number + 1])
    assert not painted


@pytest.mark.parametrize("zoom", [1, 0.4])
@pytest.mark.parametrize("count", [1, 10, 32])
def test_cells_beside_each_other_are_painted_together(tmp_path, monkeypatch, count, zoom):
    tile_map = small_map(tmp_path, csv_layer("a", [[1] * 64] * 64), size=(64, 64))
    [layer], map_view, view = tile_map.layers, MapView(tile_map), (0, 0, 1024, 1024)
    size = round(1024 * zoom), round(1024 * zoom)
    drawn(map_view, view, size=size)
    painted = counted(monkeypatch)
    for left, top, gid in ((4, 4, 2), (50, 50, 3)):  # two places far from each other
        layer.set_tiles([(left + number % 8, top + number // 8) for number in range(count)], gid)
    found = drawn(map_view, view, size=size)
    monkeypatch.undo()
    assert (found == drawn(MapView(tile_map), view, size=size)).all()
    assert len(painted) == 2
    reach = 18  # pixels around the cells
    wide, high = (16 * cells + 2 * reach for cells in (min(count, 8), -(-count // 8)))
    assert all(part.width <= wide * zoom + 2 for part in painted)
    assert all(part.height <= high * zoom + 2 for part in painted)


def test_scattered_cells_are_painted_alone(tmp_path, monkeypatch):
    tile_map = small_map(tmp_path, csv_layer("a", [[1] * 64] * 64), size=(64, 64))
    [layer], map_view, view = tile_map.layers, MapView(tile_map), (0, 0, 1024, 1024)
    drawn(map_view, view)
    painted = counted(monkeypatch)
    rng = np.random.default_rng(5)
    for cell in rng.integers(4, 60, (30, 2)).tolist():
        layer.set_tile(*cell, 2)
    found = drawn(map_view, view)
    assert sum(part.width * part.height for part in painted) < 2 * 30 * (16 + 2 * 18) ** 2
    monkeypatch.undo()
    assert (found == drawn(MapView(tile_map), view)).all()


def test_around_a_moved_object_little_is_painted_and_for_an_unseen_one_nothing(
    tmp_path, monkeypatch
):
    tile_map = small_map(tmp_path, csv_layer("a", [[1] * 64] * 64), size=(64, 64))
    things = tile_map.add_object_layer("things")
    boat, place = things.add_object("tile", 300, 300, gid=3), things.add_object("point", 600, 500)
    map_view, minimap, view = MapView(tile_map), Minimap(MapView(tile_map), 64), (0, 0, 1024, 1024)
    surface = pygame.Surface((64, 64))
    for _ in range(2):
        found = drawn(map_view, view)
        minimap.draw(surface, 0, 0)
    painted = counted(monkeypatch)
    things.edit_object(place, x=800)
    drawn(map_view, view)
    minimap.draw(surface, 0, 0)
    assert not painted
    things.edit_object(boat, x=310, opacity=0.5)
    moved = drawn(map_view, view)
    assert 0 < sum(part.width * part.height for part in painted) < 100**2
    monkeypatch.undo()
    assert (moved == drawn(MapView(tile_map), view)).all()
    assert (moved != found).any()


@pytest.mark.parametrize("zoom", [1, 2, 0.4])
def test_objects_that_change_come_and_go_are_followed(tmp_path, zoom):
    """The first shape has lines, which are as wide at each zoom; the last one takes them away."""
    tile_map = small_map(tmp_path, csv_layer("a", [[1, 2] * 20] * 40), size=(40, 40))
    things, map_view = tile_map.add_object_layer("things"), MapView(tile_map, objects="all")
    view, size = (100, 50, 500, 450), (round(400 * zoom),) * 2
    drawn(map_view, view, size=size)
    made = []
    for change in (
        lambda: made.append(things.add_object("tile", 250, 250, (40, 30), gid=3)),
        lambda: made.append(things.add_object("ellipse", 200, 240, (70, 90))),
        lambda: made.append(things.add_object("text", 300, 300, (90, 40), text="To the sea")),
        lambda: things.edit_object(made[1], x=256, rotation=30),
        lambda: things.edit_object(made[0], flags=8, y=256),
        lambda: things.edit_object(made[2], text="From the sea"),
        lambda: setattr(things, "draw_order", "index"),
        lambda: things.edit_object(made[1], visible=False),
        lambda: things.remove_object(made[2]),
        lambda: things.remove_object(made[0]),
    ):
        before = drawn(map_view, view, size=size)
        change()
        found = drawn(map_view, view, size=size)
        assert (found == drawn(MapView(tile_map, objects="all"), view, size=size)).all()
        assert (found != before).any() or things.draw_order == "index"


@pytest.mark.parametrize("attributes", ["", 'orientation="isometric"'])
def test_larger_tiles_that_come_and_go_are_followed(tmp_path, monkeypatch, attributes):
    """Around a changed cell no more is painted than the tiles of its layer cover."""
    Image.new("RGBA", (64, 96), (200, 90, 20, 255)).save(tmp_path / "large.png")
    large = (
        '<tileset firstgid="9" name="large" tilewidth="64" tileheight="96" tilecount="1" '
        'columns="1"><tileoffset x="9" y="20"/>'
        '<image source="large.png" width="64" height="96"/></tileset>'
    )
    cells = np.ones((40, 40), int)
    cells[20, 20] = 9
    layers = csv_layer("a", [[1] * 40] * 40), csv_layer("b", cells.tolist())
    tile_map = small_map(tmp_path, large, *layers, size=(40, 40), attributes=attributes)
    ground, map_view = tile_map.layer("a"), MapView(tile_map)
    view = tuple(map(int, tile_map.bounds))
    drawn(map_view, view)
    painted = counted(monkeypatch)
    for gid in (2, 9, 9, 3):
        ground.set_tile(10, 11, gid)
        painted.clear()
        found = drawn(map_view, view)
        covered = sum(part.width * part.height for part in painted)
        assert (found == drawn(MapView(tile_map), view)).all()
        assert gid != 2 or 0 < covered < 70 * 70
    ground.set_tile(30, 5, 4)
    tile_map.layer("b").clear_tile(20, 20)
    assert (drawn(map_view, view) == drawn(MapView(tile_map), view)).all()


def test_colors_of_outlines_and_repeats_of_images_are_followed(tmp_path):
    tile_map = small_map(
        tmp_path,
        '<imagelayer id="1" name="sky"><image source="tiles.png" width="32" height="32"/>'
        '</imagelayer><objectgroup id="2" name="marks" color="#ff0000">'
        '<object id="1" x="10" y="20" width="30" height="20"/></objectgroup>',
    )
    sky, marks = tile_map.layers
    map_view, view = MapView(tile_map, objects="all"), (0, 0, 64, 48)
    minimap, pictures = Minimap(map_view, 64), []
    for change in (
        lambda: None,
        lambda: setattr(marks, "color", (0, 0, 255, 255)),
        lambda: setattr(sky, "repeat", (True, False)),
    ):
        change()
        picture = drawn(map_view, view)
        assert (picture == pixels(render(tile_map, view))).all()
        small = pygame.Surface((64, 48))
        minimap.draw(small, 0, 0)
        pictures += [picture.tobytes(), small.get_buffer().raw]
    assert len(set(pictures)) == 6

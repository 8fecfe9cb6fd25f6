"""Pictures by Pillow, compared with Tiled's own where the corpus has them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.corpus import each, rows
from tests.judge_corpus import undrawn
from tests.judge_pictures import differing, premultiplied
from tests.programs import ROOT, run
from tests.share import share
from tests.tmx import TILE, TILESET, csv_layer, write_map
from tilequad.draw.blending import MODES
from tilequad.draw.pillow import canvas, render, renderer
from tilequad.draw.tile_pictures import ImageCache, TilePictures
from tilequad.tiled import Limits, MapError, TileLayer, TileMap, load_map

RED, GREEN, BLUE, WHITE = (255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (255,) * 4
BLACK, EMPTY = (0, 0, 0, 255), (0, 0, 0, 0)

# Maps whose picture differs from Tiled's: by how many pixels, and why.
NO_IMAGE = "Tiled shrinks the marker of a tile whose image is missing to a dot; ours fills the cell"
EXCEPTIONS = {
    "maps/go-tiled/assets/test2.tmx": (1026, NO_IMAGE),
    "maps/melonjs/packages/examples/public/assets/isometricRpg/isometric_staggered.tmx": (
        1330690,
        NO_IMAGE,
    ),
    "maps/melonjs/packages/examples/src/examples/isometricRpg/assets/isometric_staggered.tmx": (
        1330690,
        NO_IMAGE,
    ),
    "maps/pytiled_parser/tests/test_data/layer_tests/b64_zstd/map.tmx": (49152, NO_IMAGE),
    "maps/tiled/tests/errors/tile_image_not_found_in_tileset.tmx": (11266, NO_IMAGE),
    "maps/tiled/tests/errors/tileset_image_not_found_in_map.tmx": (665646, NO_IMAGE),
    "maps/tiled/tests/errors/tileset_image_not_found_in_tileset.tmx": (1635279, NO_IMAGE),
}


def pixel(picture: Image.Image, x: int, y: int) -> tuple[int, ...]:
    value = picture.getpixel((x, y))
    assert isinstance(value, tuple)
    return value


def test_tiles_are_drawn_in_their_cells(tmp_path):
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1, 0], [0, 4]]), size=(2, 2)))
    picture = render(tile_map)
    assert (picture.size, picture.mode) == ((32, 32), "RGBA")
    assert pixel(picture, 0, 0) == BLACK
    assert pixel(picture, 15, 15) == RED
    assert pixel(picture, 16, 15) == EMPTY
    assert pixel(picture, 16, 16) == BLACK
    assert pixel(picture, 31, 31) == WHITE


@pytest.mark.parametrize("flags", range(0, 16, 2))
def test_all_eight_flips_are_drawn(tmp_path, flags):
    """An L of two colors tells all eight apart: diagonal first, then across, then down."""
    art = Image.new("RGBA", (16, 16), RED)
    art.paste(GREEN, (8, 0, 16, 8))  # top right
    art.paste(BLUE, (0, 8, 8, 16))  # bottom left
    path = write_map(tmp_path, TILESET, csv_layer("g", [[1 | flags << 28]]), size=(1, 1))
    sheet = Image.new("RGBA", (32, 32))
    sheet.paste(art, (0, 0))
    sheet.save(tmp_path / "tiles.png")
    wanted = np.asarray(art)
    if flags & 2:
        wanted = wanted.transpose(1, 0, 2)
    if flags & 8:
        wanted = wanted[:, ::-1]
    if flags & 4:
        wanted = wanted[::-1]
    assert np.array_equal(np.asarray(render(load_map(path))), wanted)


def test_bounds_choose_a_part_and_scale_the_size(tmp_path):
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1, 2], [3, 4]]), size=(2, 2)))
    part = render(tile_map, (16, 0, 32, 16), scale=3)  # bottom right, y up
    assert part.size == (48, 48)
    assert pixel(part, 2, 2) == BLACK
    assert pixel(part, 3, 3) == WHITE
    whole = render(tile_map, scale=0.25)
    assert whole.size == (8, 8)
    assert [pixel(whole, x, y) for x, y in ((3, 3), (4, 3), (3, 4), (4, 7))] == [
        RED,
        GREEN,
        BLUE,
        WHITE,
    ]
    wide = render(tile_map, (-16, -16, 48, 48))
    assert wide.size == (64, 64)
    assert pixel(wide, 15, 31) == EMPTY
    assert pixel(wide, 31, 31) == RED


def test_a_smaller_scale_takes_the_texels_that_tiled_takes(tmp_path):
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1]]), size=(1, 1)))
    ramp = np.zeros((32, 32, 4), np.uint8)
    ramp[:, :, 0], ramp[:, :, 3] = np.arange(32), 255
    Image.fromarray(ramp).save(tmp_path / "tiles.png")
    half, three_quarters = (np.asarray(render(tile_map, scale=scale)) for scale in (0.5, 0.75))
    assert half[0, :, 0].tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    assert three_quarters[0, :, 0].tolist() == [0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15]


def test_cells_of_an_odd_isometric_size_are_where_tiled_draws_them(tmp_path):
    """Tiles of one pixel; the numbers are from a picture by Tiled 1.8, which cuts off the sixth."""
    dots = Image.new("RGBA", (6, 1))
    for number in range(6):
        dots.putpixel((number, 0), (number + 1, 0, 0, 255))
    tiles = (
        '<tileset firstgid="1" name="dots" tilewidth="1" tileheight="1" tilecount="6" columns="6">'
        '<image source="dots.png" width="6" height="1"/></tileset>'
    )
    odd = 'orientation="isometric" tilewidth="7" tileheight="5"'
    layer = csv_layer("g", [[1, 2, 3], [4, 5, 6]])
    path = write_map(tmp_path, tiles, layer, size=(3, 2), attributes=odd)
    dots.save(tmp_path / "dots.png")
    pixels = np.asarray(render(load_map(path)))
    assert pixels.shape == (12, 17, 4)
    rows, columns = np.nonzero(pixels[:, :, 3])
    found = {int(pixels[y, x, 0]): (int(x), int(y)) for x, y in zip(columns, rows, strict=True)}
    assert found == {1: (4, 5), 2: (8, 7), 3: (11, 10), 4: (1, 7), 5: (4, 10)}


@pytest.mark.parametrize("rotation", [0, 90])
def test_a_hexagonal_tile_is_resized_before_it_turns(tmp_path, rotation):
    """A half turn, by the flags for 60 and 120 degrees, of a tile at another size."""
    art = np.zeros((16, 16, 4), np.uint8)
    art[:, :8], art[:, 8:], art[:8, :8] = RED, GREEN, BLUE
    turned, y = 1 | 3 << 28, 0 if rotation else 16
    objects = (
        f'<objectgroup name="o"><object id="1" gid="{turned}" x="40" y="{y}" width="32" '
        f'height="16" rotation="{rotation}"/></objectgroup>'
    )
    tiles = TILESET.replace('name="tiles"', 'name="tiles" tilerendersize="grid"')
    grid = 'orientation="hexagonal" hexsidelength="8" tilewidth="32" tileheight="16"'
    path = write_map(tmp_path, tiles, csv_layer("g", [[turned, 0, 0]]), objects, attributes=grid)
    sheet = Image.new("RGBA", (32, 32))
    sheet.paste(Image.fromarray(art), (0, 0))
    sheet.save(tmp_path / "tiles.png")
    picture = np.asarray(render(load_map(path)))
    wanted = np.rot90(np.repeat(art, 2, axis=1), 2)
    assert np.array_equal(picture[:16, :32], wanted)
    box = picture[:32, 40:56] if rotation else picture[:16, 40:72]
    assert np.array_equal(box, np.rot90(wanted, -rotation // 90))


@pytest.mark.parametrize("scale", [0.125, 0.3, 0.45, 0.5, 0.9, 1])
@pytest.mark.parametrize("opacity", [1, 0.5])
def test_small_tiles_look_the_same_all_at_once_and_one_by_one(
    tmp_path, scale, opacity, monkeypatch
):
    rng = np.random.default_rng(7)
    art = rng.integers(0, 256, (32, 32, 4), dtype=np.uint8)
    layers = []
    for number in range(2):
        gids = rng.integers(0, 5, (9, 13)) | rng.integers(0, 8, (9, 13)) << 29
        gids[gids & 7 == 0] = 0
        attributes = f'opacity="{opacity}" offsetx="{number * 2.5}"'
        layers.append(csv_layer(f"l{number}", gids.tolist(), attributes))
    path = write_map(tmp_path, TILESET, *layers, size=(13, 9))
    Image.fromarray(art).save(tmp_path / "tiles.png")
    refused: list[object] = []
    for view in (None, (3, 5, 150, 100)):
        at_once = render(load_map(path), view, scale)
        with monkeypatch.context() as patch:
            patch.setattr(renderer, "draw_batch", lambda *given: refused.append(given))
            one_by_one = render(load_map(path), view, scale)
        assert np.array_equal(premultiplied(at_once), premultiplied(one_by_one))
    assert len(refused) == 4 * (scale < 1)


def test_y_direction_does_not_change_the_picture(tmp_path):
    path = write_map(tmp_path, TILESET, csv_layer("g", [[1, 2], [3, 4]], 'offsety="3"'))
    assert render(load_map(path)).tobytes() == render(load_map(path, y_up=False)).tobytes()


def test_hidden_layers_opacity_and_tint_look_as_in_tiled(tmp_path):
    path = write_map(
        tmp_path,
        TILESET,
        csv_layer("hidden", [[4, 4]], 'visible="0"'),
        csv_layer("half", [[4, 0]], 'opacity="0.5"'),
        csv_layer("tinted", [[0, 4]], 'tintcolor="#ff8000"'),
        size=(2, 1),
    )
    tile_map = load_map(path)
    picture = render(tile_map)
    assert pixel(picture, 8, 8) == (255, 255, 255, 128)
    assert pixel(picture, 24, 8) == (255, 128, 0, 255)
    assert pixel(render(tile_map, layers=[tile_map.layer("hidden")]), 24, 8) == WHITE


def test_a_tint_sees_a_half_transparent_pixel_on_white(tmp_path):
    path = write_map(
        tmp_path, TILESET, csv_layer("g", [[1]], 'tintcolor="#ff8040" opacity="0.5"'), size=(1, 1)
    )
    Image.new("RGBA", (32, 32), (100, 200, 0, 102)).save(tmp_path / "tiles.png")
    red, green, blue, alpha = pixel(render(load_map(path)), 8, 8)
    assert alpha == 51
    # t * (1 - a + a * c) with a = 0.4
    wanted = [tint * (0.6 + 0.4 * color / 255) for tint, color in ((255, 100), (128, 200), (64, 0))]
    assert np.abs(np.array((red, green, blue)) - wanted).max() <= 2


def test_the_canvas_grows_by_layer_offsets_and_not_by_tall_tiles(tmp_path):
    layer = csv_layer("g", [[1]], 'offsetx="-3" offsety="5"')
    picture = render(load_map(write_map(tmp_path, TILESET, layer, size=(1, 1))))
    assert picture.size == (16 + 3, 16 + 5)
    assert pixel(picture, 0, 5) == BLACK
    assert pixel(picture, 15, 20) == RED
    assert pixel(picture, 16, 20) == EMPTY


def test_the_transparent_color_is_transparent(tmp_path):
    tileset = TILESET.replace('source="tiles.png"', 'source="tiles.png" trans="0000FF"')
    picture = render(load_map(write_map(tmp_path, tileset, csv_layer("g", [[3, 2]]))))
    assert pixel(picture, 8, 8)[3] == 0
    assert pixel(picture, 0, 0) == BLACK
    assert pixel(picture, 24, 8) == GREEN


def test_an_animated_tile_shows_the_frame_of_its_time(tmp_path):
    frames = '<tile id="0"><animation><frame tileid="1" duration="100"/>'
    frames += '<frame tileid="2" duration="100"/></animation></tile></tileset>'
    tileset = TILESET.replace("</tileset>", frames)
    tile_map = load_map(write_map(tmp_path, tileset, csv_layer("g", [[1]]), size=(1, 1)))
    assert [pixel(render(tile_map, time=time), 8, 8) for time in (0, 99, 100, 200)] == [
        GREEN,
        GREEN,
        BLUE,
        GREEN,
    ]


def test_tile_objects_stand_on_their_position(tmp_path):
    path = write_map(
        tmp_path,
        TILESET,
        '<objectgroup name="o"><object id="1" gid="2" x="4" y="20"/>'
        '<object id="2" gid="3" x="24" y="32" width="32" height="8"/>'
        '<object id="3" gid="4" x="0" y="48" visible="0"/></objectgroup>',
    )
    picture = render(load_map(path))
    assert pixel(picture, 4, 4) == BLACK
    assert pixel(picture, 19, 19) == GREEN
    assert pixel(picture, 20, 19) == EMPTY
    assert pixel(picture, 24, 23) == EMPTY
    assert pixel(picture, 55, 31) == BLUE
    assert pixel(picture, 0, 47) == EMPTY
    assert pixel(render(load_map(path), objects="none"), 19, 19) == EMPTY


def test_an_image_layer_repeats(tmp_path):
    image = '<image source="tiles.png" width="32" height="32"/>'
    path = write_map(tmp_path, f'<imagelayer name="i" offsetx="8" repeatx="1">{image}</imagelayer>')
    picture = render(load_map(path))
    assert picture.size == (64, 48)
    assert [pixel(picture, x, 8) for x in (7, 9, 23, 25, 41)] == [GREEN, RED, RED, GREEN, RED]
    assert pixel(picture, 8, 32) == EMPTY


@pytest.mark.parametrize("style", ['repeatx="1"', 'offsetx="-28"', 'offsetx="-71"'])
def test_a_part_of_an_image_looks_as_in_the_whole_picture(tmp_path, style):
    pixels = np.random.default_rng(1).integers(0, 256, (60, 72, 4), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "sky.png")
    image = '<image source="sky.png" width="72" height="60"/>'
    path = write_map(tmp_path, f'<imagelayer name="i" {style}>{image}</imagelayer>')
    tile_map = load_map(path, y_up=False)
    whole = np.asarray(render(tile_map, (-2560, 0, 0, 60), scale=0.1))
    for width in (73, 90, 200):
        part = render(tile_map, (-10 * width, 0, 0, 60), scale=0.1)
        assert np.array_equal(whole[:, -width:], np.asarray(part))


def test_a_part_of_an_ellipse_looks_as_in_the_whole_picture():
    tile_map = TileMap.new(20, 10, (16, 16), y_up=False)
    tile_map.add_object_layer("places").add_object("ellipse", 63, 28, (19, 49))
    whole = np.asarray(render(tile_map, (-256, 0, 128, 96)))
    for left in (-100, 0, 50):
        part = render(tile_map, (left, 0, 128, 96))
        assert np.array_equal(whole[:, 256 + left :], np.asarray(part))


def test_a_missing_image_is_marked_or_refused(tmp_path):
    path = write_map(tmp_path, TILESET, csv_layer("g", [[1]]), size=(1, 1))
    (tmp_path / "tiles.png").write_text("no image")
    tile_map = load_map(path)
    picture = render(tile_map)
    assert pixel(picture, 0, 8) == RED
    assert pixel(picture, 4, 10) == (0, 0, 0, 128)
    [warning] = tile_map.warnings
    assert warning == f"{tmp_path / 'tiles.png'}: tileset 'tiles': is not an image that can be read"
    with pytest.raises(MapError, match="is not an image"):
        render(load_map(path, strict=True))


def test_tiles_are_cut_once(tmp_path):
    pictures = TilePictures.of(load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1]]))))
    assert pictures.tile(2).size == (TILE, TILE)
    assert pictures.tile(2) is pictures.tile(2)
    with pytest.raises(KeyError):
        pictures.tile(0)


LARGE_IMAGE = '<imagelayer name="i" {}><image source="../large.png"/></imagelayer>'
WORDS = f'<object id="1" x="0" y="0"><text pixelsize="900">{"W" * 4000}</text>'
COSTLY = {
    "a tile without height": (100_000_000, 0, csv_layer("g", [[1]])),
    "a tile without width": (0, 100_000_000, csv_layer("g", [[1]])),
    "a thin tile that is flipped": (0, 100_000_000, csv_layer("g", [[1 | 1 << 29]])),
    "a long line of words": (16, 16, f'<objectgroup name="o">{WORDS}</object></objectgroup>'),
    "an opacity": (16, 16, LARGE_IMAGE.format('opacity="0.5"')),
    "a tint": (16, 16, LARGE_IMAGE.format('tintcolor="#ff8000"')),
    "a blend mode": (16, 16, LARGE_IMAGE.format('mode="overlay"')),
}


# Only the system knows how much Pillow takes, and only a new process has a peak of its own.
PEAKS = """
import os, sys
from tilequad import load_map
from tilequad.draw.pillow import render
def peak():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
for path in sys.argv[1:]:
    if os.fork() == 0:
        tile_map = load_map(path)
        before = peak()
        render(tile_map)
        print(peak() - before, flush=True)
        os._exit(0)
    assert os.wait()[1] == 0
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's count of memory")
def test_drawing_takes_little_memory_beside_its_images(tmp_path):
    Image.new("RGBA", (3000, 1000), RED).save(tmp_path / "large.png")
    paths = []
    for what, (width, height, layer) in COSTLY.items():
        (tmp_path / what).mkdir()
        tiles = TILESET.replace('"16" tileheight="16"', f'"{width}" tileheight="{height}"')
        paths.append(write_map(tmp_path / what, tiles, layer, size=(190, 63)))
    done = run("-c", PEAKS, *paths, folder=tmp_path, paths=(ROOT,))
    assert done.returncode == 0, done.stderr
    peaks = dict(zip(COSTLY, map(int, done.stdout.split()), strict=True))
    # kilobytes: picture, image and its tinted copy are 12 MB each
    assert max(peaks.values()) < 70_000, peaks


def test_the_cache_forgets_tiles_that_are_large_together(tmp_path):
    parts = "".join(
        f'<tile id="{number}" x="{number}" y="0" width="1000" height="1000">'
        '<image source="tiles.png" width="32" height="32"/></tile>'
        for number in range(30)
    )
    tiles = (
        '<tileset firstgid="1" name="t" tilewidth="1000" tileheight="1000" tilecount="30" '
        f'columns="0">{parts}</tileset>'
    )
    cells = csv_layer("g", [[(number + 1) | 1 << 31 for number in range(30)]])
    path = write_map(tmp_path, tiles, cells, size=(30, 1))
    tile_map = load_map(path, limits=Limits(pixels=4_000_000))
    whole = render(load_map(path))
    assert np.array_equal(np.asarray(render(tile_map)), np.asarray(whole))
    assert len(TilePictures.of(tile_map)._tiles) < 5


def test_an_image_cache_forgets_the_least_recently_used():
    made: list[str] = []
    cache = ImageCache(max_pixels=100)

    def get(name: str, side: int = 7) -> None:
        def make() -> Image.Image:
            made.append(name)
            return Image.new("RGBA", (side, side))

        assert cache.get(name, (side, side), make).size == (side, side)

    for name in ("a", "b", "a", "c"):  # 49 pixels each: two fit, and "b" is the oldest
        get(name)
    assert made == ["a", "b", "c"]
    get("a")
    assert made == ["a", "b", "c"]
    get("b")
    assert made == ["a", "b", "c", "b"]
    get("large", 20)  # above the limit: kept alone
    get("large", 20)
    assert made == ["a", "b", "c", "b", "large"]
    assert len(cache) == 1


def test_a_picture_of_infinite_width_is_refused(tmp_path):
    tile_map = load_map(write_map(tmp_path, TILESET))
    with pytest.raises(MapError, match="larger than the limit"):
        render(tile_map, (0, 0, 1e308, 1), scale=10)


def test_a_rotated_image_is_the_same_in_bands_of_any_height(tmp_path, monkeypatch):
    objects = "".join(
        f'<object id="{number}" gid="{number % 4 + 1}" x="{7 * number}" y="40" width="{number * 9}"'
        f' height="33" rotation="{37 * number}"/>'
        for number in range(1, 9)
    )
    layers = (f'<objectgroup name="o" mode="{mode}">{objects}</objectgroup>' for mode in MODES)
    tile_map = load_map(write_map(tmp_path, TILESET, *layers))
    whole = np.asarray(render(tile_map, scale=2))
    monkeypatch.setattr(canvas, "_BAND", 300)
    assert np.array_equal(np.asarray(render(tile_map, scale=2)), whole)


def truths(kind: str) -> list[dict[str, str]]:
    """The rows of the corpus that have a picture."""
    return [row for row in rows() if row[f"truth_{kind}"]]


def without_outlines(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The maps whose objects are all tiles: Tiled smooths the lines of shapes, we do not."""
    folder = Path(os.environ.get("TILEQUAD_CORPUS", ""))
    return [row for row in rows if not undrawn(load_map(folder / row["path"]))]


@pytest.mark.corpus
@each(share(truths("tiles"), 12))
def test_tile_layers_look_as_in_tiled(corpus, row):
    tile_map = load_map(corpus / row["path"])
    layers = [layer for layer in tile_map.layers if layer.visible and isinstance(layer, TileLayer)]
    compare(render(tile_map, layers=layers), corpus / row["truth_tiles"], row["path"])


@pytest.mark.corpus
@each(without_outlines(share(truths("full"), 2)))
def test_whole_maps_look_as_in_tiled(corpus, row):
    tile_map = load_map(corpus / row["path"])
    compare(render(tile_map), corpus / row["truth_full"], row["path"])


def compare(ours: Image.Image, truth: Path, path: str) -> None:
    with Image.open(truth) as image:
        different = int(differing(ours, image).sum())
    allowed, reason = EXCEPTIONS.get(path, (0, "Tiled's picture"))
    assert different <= allowed, f"{different} pixels differ, {allowed} may: {reason}"

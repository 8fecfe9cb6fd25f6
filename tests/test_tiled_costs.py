"""Small files that ask for much time or memory: what is large is counted, or done in parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageFile

from tests.calls import noted
from tests.memory import at_most
from tests.test_tiled_culling import GRIDS, SETS
from tests.tmx import TILESET, csv_layer, write_map
from tests.tmx_cells import chunks_of, layer_of
from tilequad._core.cells.blocks import check_cells
from tilequad._core.cells.cell_ids import CellOrder
from tilequad._core.cells.listing import all_cells
from tilequad.draw.pillow import render
from tilequad.draw.tile_pictures import TilePictures
from tilequad.tiled import Limits, MapError, load_map
from tilequad.tiled.cells import CellBlock
from tilequad.tiled.context import LoadContext
from tilequad.tiled.index import lattice_index, tile_store
from tilequad.tiled.index.tile_store import TileStore, distinct
from tilequad.tiled.model.tilesets import Frame, Tile, Tileset
from tilequad.tiled.read import cell_data
from tilequad.tiled.read.externals import _Externals
from tilequad.tiled.write.cells import Area

# -- cells -----------------------------------------------------------------------------------------


def test_cells_are_cut_into_blocks_without_a_second_copy():
    raw = np.ones((1024, 1024), np.uint32)
    blocks = [CellBlock(0, 0, raw)]
    with at_most(2 * raw.nbytes):
        TileStore(blocks, (1024, 1024), False, CellOrder())


@st.composite
def cell_blocks(draw: st.DrawFn) -> list[CellBlock]:
    blocks = []
    for _ in range(draw(st.integers(1, 12))):
        rows, columns = draw(st.integers(1, 20)), draw(st.integers(1, 20))
        rng = np.random.default_rng(draw(st.integers(0, 99)))
        raw = rng.choice([0, 0, 1, 7, 8 << 28, (8 << 28) + 3], (rows, columns))
        blocks.append(
            CellBlock(draw(st.integers(-40, 40)), draw(st.integers(-40, 40)), raw.astype(np.uint32))
        )
    return blocks


def store_of(blocks: list[CellBlock], **sizes: int) -> TileStore:
    """A store of cells, made with other sizes of what is cut at once."""
    with pytest.MonkeyPatch.context() as patch:
        for name, size in sizes.items():
            patch.setattr(tile_store, name, size)
        return TileStore(blocks, (8, 8), True, CellOrder())


@settings(max_examples=200)
@given(
    cell_blocks(),
    st.sampled_from([64, 128, 1 << 20]),
    st.sampled_from([0, 20, 1 << 8, 1000]),
    st.sampled_from([3, 1 << 10]),
)
def test_a_store_holds_the_cells_of_its_blocks(blocks, piece, small, together):
    expected: dict[tuple[int, int], int] = {}
    for left, top, raw in blocks:
        for row, column in np.argwhere(raw & 0x0FFFFFFF).tolist():
            expected[column + left, row + top] = int(raw[row, column])
    store = store_of(blocks, _PIECE=piece, _SMALL=small, _TOGETHER=together)
    ids = all_cells(store.held)
    columns, rows = store.cells(ids)
    found = zip(columns.tolist(), rows.tolist(), store.raw(columns, rows).tolist(), strict=True)
    assert {(column, row): raw for column, row, raw in found} == expected
    check_cells(store.held)
    one_by_one = store_of(blocks, _SMALL=0)
    assert np.array_equal(store.values, one_by_one.values)
    assert np.array_equal(ids, all_cells(one_by_one.held))


def test_a_narrow_layer_counts_the_blocks_that_it_needs(tmp_path):
    path = write_map(tmp_path, TILESET, layer_of([[1]] * 640, "csv"), size=(1, 640))
    assert len(load_map(path, limits=Limits(cells=79 * 32)).layers[0]) == 640
    with pytest.raises(MapError, match="go beyond the limit of 2527 in one map"):
        load_map(path, limits=Limits(cells=79 * 32 - 1))


@given(
    st.lists(st.integers(0, 9) | st.integers(0, (1 << 32) - 1), max_size=40),
    st.sampled_from([1, 5, 1 << 22]),
    st.sampled_from([1, 7, 1 << 18]),
)
def test_distinct_values_are_those_of_numpy(values, table, part):
    raw = np.array(values, np.uint32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tile_store, "_TABLE", table)
        patch.setattr(tile_store, "_PART", part)
        kinds, counts = distinct(raw)
    expected = np.unique(raw, return_counts=True)
    assert (kinds.tolist(), counts.tolist()) == tuple(array.tolist() for array in expected)


# -- views -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("grid", GRIDS)
def test_many_tiles_of_several_sizes_are_found_in_draw_order(tmp_path, grid, monkeypatch):
    rng = np.random.default_rng(3)
    rows = rng.choice([0, 1, 2, 5, 6, 5 | 2 << 28], (30, 40)).tolist()
    path = write_map(tmp_path, *SETS, csv_layer("g", rows), size=(40, 30), attributes=GRIDS[grid])
    tile_map = load_map(path)
    [layer] = tile_map.layers
    left, bottom, right, top = tile_map.bounds
    views = [(left, bottom, right, top)]
    for x, y, width, height in rng.uniform(0, 1, (20, 4)).tolist():
        corner = left + x * (right - left), bottom + y * (top - bottom)
        views.append((*corner, corner[0] + width * 300, corner[1] + height * 300))
    few = [layer.query(view).tolist() for view in views]
    monkeypatch.setattr(lattice_index, "_MANY", 0)
    monkeypatch.setattr(lattice_index, "_WASTE", 1 << 30)
    monkeypatch.setattr(lattice_index, "_PIECE", 100)
    assert [layer.query(view).tolist() for view in views] == few
    assert len(few[0]) == len(layer)


@pytest.mark.parametrize("grid", ["oblique", "isometric", "left up"])
def test_a_view_of_a_whole_map_takes_little_more_memory_than_its_ids(tmp_path, grid, monkeypatch):
    side = 512
    layer = layer_of([[1, 5] * (side // 2)] * side, "base64 zlib")
    path = write_map(tmp_path, *SETS, layer, size=(side, side), attributes=GRIDS[grid])
    tile_map = load_map(path)
    monkeypatch.setattr(lattice_index, "_PIECE", 1 << 12)
    list(tile_map.cull((0, 0, 10, 10)))
    with at_most(8 * side * side):
        list(tile_map.cull(tile_map.bounds))


# -- names, templates, tilesets --------------------------------------------------------------------


def test_a_long_name_is_not_repeated_in_every_warning(tmp_path):
    tiles = "".join(f'<tile id="{n}"><image source="{n}.png"/></tile>' for n in range(100))
    name = "x" * 100_000
    tileset = f'<tileset firstgid="1" name="{name}" tilewidth="1" tileheight="1">{tiles}</tileset>'
    warnings = load_map(write_map(tmp_path, tileset)).warnings
    assert len(warnings) == 100
    assert max(map(len, warnings)) < 1000
    assert "tileset 'xxx" in warnings[0]


def test_the_points_of_a_template_count_for_each_use(tmp_path):
    pattern = f'<object><polygon points="{"1,1 " * 1000}"/></object>'
    (tmp_path / "t.tx").write_text(f"<template>{pattern}</template>")
    objects = '<object template="t.tx"/>' * 20
    path = write_map(tmp_path, f'<objectgroup name="o">{objects}</objectgroup>')
    assert len(load_map(path).layers[0]) == 20
    with pytest.raises(MapError, match="limit of 15000 elements"):
        load_map(path, limits=Limits(elements=15_000))


def test_the_objects_of_a_tileset_named_often_are_filled_in_once(tmp_path, monkeypatch):
    (tmp_path / "t.tx").write_text('<template><object width="5"/></template>')
    shapes = '<objectgroup><object id="1" template="t.tx"/></objectgroup>'
    (tmp_path / "t.tsx").write_text(
        f'<tileset name="t" tilewidth="16" tileheight="16"><tile id="0">{shapes}</tile></tileset>'
    )
    tilesets = "".join(f'<tileset firstgid="{n}" source="t.tsx"/>' for n in range(1, 6))
    filled = noted(monkeypatch, _Externals, "fill_in")
    assert len(load_map(write_map(tmp_path, tilesets)).tilesets) == 5
    assert len(filled) == 1


def test_described_tiles_count_as_objects(tmp_path):
    tiles = "".join(f'<tile id="{number}"/>' for number in range(4))
    path = write_map(tmp_path, TILESET.replace("</tileset>", f"{tiles}</tileset>"))
    load_map(path, limits=Limits(objects=4))
    with pytest.raises(MapError, match="more than the limit of 3 objects"):
        load_map(path, limits=Limits(objects=3))


@given(st.lists(st.integers(-5, 20), max_size=6), st.floats(0, 200))
def test_the_frame_at_a_time_is_found_as_by_counting(lengths, time):
    frames = [Frame(number + 10, length) for number, length in enumerate(lengths)]
    tileset = Tileset(1, "t", None, tiles={3: Tile(frames=frames)})
    assert tileset.frame_at(3, time) == counted_frame(frames, time)


def counted_frame(frames: list[Frame], time: float) -> int:
    """The local id of the frame at a time, frame by frame."""
    total, end = sum(frame.milliseconds for frame in frames), 0
    moment = time % total if total > 0 else 0
    for frame in frames:
        end += frame.milliseconds
        if moment < end:
            return frame.local_id
    return frames[0].local_id if frames else 3


# -- images ----------------------------------------------------------------------------------------


def test_an_image_named_by_many_tiles_is_opened_once_for_its_size_and_kept_once(
    tmp_path, monkeypatch
):
    tiles = "".join(f'<tile id="{n}"><image source="tiles.png"/></tile>' for n in range(50))
    tileset = f'<tileset firstgid="1" name="t" tilewidth="9" tileheight="9">{tiles}</tileset>'
    path = write_map(tmp_path, tileset, csv_layer("g", [list(range(1, 51))]))
    opened = noted(monkeypatch, LoadContext, "open")
    tile_map = load_map(path)
    [tileset], [layer] = tile_map.tilesets, tile_map.layers
    assert layer.boxes(layer.ids())[:, 2].max() == 49 * 16 + 32
    assert [path.name for path in opened] == ["map.tmx", "tiles.png"]
    images = [tileset.image_source(number).picture.pixels for number in range(50)]
    assert len({id(image) for image in images}) == 1


def test_a_tile_that_shows_all_of_its_image_is_not_copied(tmp_path):
    tile = '<tile id="0"><image source="tiles.png"/></tile>'
    tileset = f'<tileset firstgid="1" name="t" tilewidth="9" tileheight="9">{tile}</tileset>'
    tile_map = load_map(write_map(tmp_path, tileset, csv_layer("g", [[1]])))
    picture = tile_map.tilesets[0].tiles[0].picture
    assert TilePictures.of(tile_map).tile(1) is picture.pixels


def test_a_png_with_alpha_is_not_copied(tmp_path, monkeypatch):
    [tileset] = load_map(write_map(tmp_path, TILESET)).tilesets
    monkeypatch.setattr(ImageFile.ImageFile, "convert", None)
    assert tileset.picture.pixels.getpixel((5, 5)) == (255, 0, 0, 255)


def test_a_jpeg_of_very_many_scans_is_refused(tmp_path):
    tileset = TILESET.replace("tiles.png", "tiles.jpg")
    path = write_map(tmp_path, tileset, csv_layer("g", [[1]]))
    image = tmp_path / "tiles.jpg"
    Image.new("RGB", (32, 32), (9, 9, 9)).save(image, progressive=True)
    assert render(load_map(path, strict=True)).getpixel((5, 5)) == (9, 9, 9, 255)
    data = image.read_bytes()
    last = data[data.rindex(b"\xff\xda") : -2]
    image.write_bytes(data[:-2] + last * 200 + data[-2:])
    with pytest.raises(MapError, match="more than 100 scans"):
        render(load_map(path, strict=True))


# -- drawing ---------------------------------------------------------------------------------------

REPEATED = '<imagelayer repeatx="1" repeaty="1"><image source="tiles.png"/></imagelayer>'
OVERDRAWN = {
    "image layers": REPEATED * 30,
    "shapes": "<objectgroup>" + '<object width="64" height="48"/>' * 30 + "</objectgroup>",
    "tile objects": "<objectgroup>"
    + '<object gid="1" y="48" width="64" height="48" rotation="5"/>' * 5
    + "</objectgroup>",
    "smooth lines": f'<objectgroup><object><polyline points="{"0,0 60,40 " * 99}"/></object>'
    "</objectgroup>",
    "thin lines": f'<objectgroup><object><polyline points="{"0,0 60,40 " * 1100}"/></object>'
    "</objectgroup>",
    "texts": "<objectgroup>"
    + f'<object width="64" height="48"><text>{"word " * 20}</text></object>' * 5
    + "</objectgroup>",
    "blended tiles": csv_layer("g", [[1] * 4] * 3, 'mode="multiply"') * 8,
    "tiles": csv_layer("g", [[1] * 4] * 3) * 80,
}


@pytest.mark.parametrize("parts", OVERDRAWN)
def test_what_is_painted_over_and_over_has_a_limit(tmp_path, parts):
    path = write_map(tmp_path, TILESET, OVERDRAWN[parts])
    picture = render(load_map(path))
    assert picture.getbbox() is not None
    with pytest.raises(MapError, match="more than the limit of 100000 painted pixels"):
        render(load_map(path, limits=Limits(painted_pixels=100_000)))


def test_a_turned_text_counts_for_more_than_an_upright_one(tmp_path):
    item = '<object width="64" height="48" rotation="{}"><text>w</text></object>'
    limits = Limits(painted_pixels=(1 << 23) + 110_000)  # a new font counts as 1 << 23
    layer = f"<objectgroup>{item}</objectgroup>"
    render(load_map(write_map(tmp_path, layer.format(0)), limits=limits))
    with pytest.raises(MapError, match="painted pixels"):
        render(load_map(write_map(tmp_path, layer.format(9)), limits=limits))


@pytest.mark.slow
def test_twenty_thousand_shapes_are_drawn(tmp_path):
    items = "".join(
        f'<object id="{number}" x="{number % 64}" y="{number % 48}" width="9" height="7"/>'
        for number in range(1, 20_001)
    )
    tile_map = load_map(write_map(tmp_path, f'<objectgroup name="o">{items}</objectgroup>'))
    assert render(tile_map).getbbox() is not None


def test_a_large_layer_is_refused_before_it_takes_memory(tmp_path):
    layer = layer_of([[1] * 512] * 512, "base64 zlib")
    tile_map = load_map(
        write_map(tmp_path, TILESET, layer, size=(512, 512)), limits=Limits(painted_pixels=1 << 20)
    )
    list(tile_map.cull((0, 0, 10, 10)))
    with at_most(8 * 512 * 512), pytest.raises(MapError, match="painted pixels"):
        render(tile_map, scale=1 / 16)


def test_small_chunks_are_cut_together(tmp_path, monkeypatch):
    layer = chunks_of({(64 * number, -number): [[1 + number % 4]] for number in range(300)})
    path = write_map(tmp_path, TILESET, layer, attributes='infinite="1"')
    cuts = noted(monkeypatch, tile_store, "into_blocks")
    filters = noted(monkeypatch, cell_data.warnings, "simplefilter")
    ground = load_map(path).layer("ground")
    assert len(ground) == 300
    assert ground.cells(ground.ids()).tolist() == [[64 * n, -n] for n in range(299, -1, -1)]
    assert len(cuts) + len(filters) < 10


def test_a_save_looks_at_no_pairs_of_chunks(tmp_path, monkeypatch):
    layer = chunks_of({(64 * number, 0): [[1] * 16] * 16 for number in range(300)})
    tile_map = load_map(write_map(tmp_path, TILESET, layer, attributes='infinite="1"'))
    ground = tile_map.layer("ground")
    ground.set_tiles([(64 * number, row) for number in range(300) for row in (0, 40)], 2)
    parts = noted(monkeypatch, Area, "part")
    tile_map.save(tmp_path / "saved.tmx")
    assert len(load_map(tmp_path / "saved.tmx").layer("ground")) == 300 * 257
    assert len(parts) < 2000

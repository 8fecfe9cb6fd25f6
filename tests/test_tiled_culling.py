"""Queries by view agree with a test of every box, in every orientation."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.share import share
from tests.tmx import csv_layer, write_map
from tests.tmx_cells import chunks_of, layer_of
from tilequad.tiled import TileLayer, load_map

SIZE = (9, 7)

# Tiles of the size of a cell, and a collection of wide, tall and small tiles with an offset.
SETS = (
    '<tileset firstgid="1" name="plain" tilewidth="16" tileheight="16" tilecount="4" columns="2">'
    '<image source="tiles.png" width="32" height="32"/></tileset>',
    '<tileset firstgid="5" name="odd" tilewidth="40" tileheight="50" tilecount="3" columns="0">'
    '<tileoffset x="3" y="-2"/>'
    '<tile id="0"><image source="tiles.png" width="40" height="8"/></tile>'
    '<tile id="1"><image source="tiles.png" width="12" height="50"/></tile>'
    '<tile id="2"><image source="tiles.png" width="3" height="5"/></tile></tileset>',
)
GRIDS = {
    "orthogonal": 'orientation="orthogonal"',
    "left up": 'orientation="orthogonal" renderorder="left-up"',
    "right up": 'orientation="orthogonal" renderorder="right-up"',
    "isometric": 'orientation="isometric"',
    "staggered y odd": 'orientation="staggered" staggeraxis="y" staggerindex="odd"',
    "staggered x even": 'orientation="staggered" staggeraxis="x" staggerindex="even"',
    "hexagonal y": 'orientation="hexagonal" staggeraxis="y" staggerindex="even" hexsidelength="6"',
    "hexagonal x": 'orientation="hexagonal" staggeraxis="x" staggerindex="odd" hexsidelength="5"',
    "oblique": 'orientation="oblique" skewx="5" skewy="-3"',
}
FILLINGS = {
    "plain": [1, 2, 3, 4],
    "plain and flipped": [0, 1, 2 | 8 << 28, 3 | 6 << 28, 4 | 15 << 28],
    "sparse": [0] * 9 + [1],
    "some odd": [0, 1, 2, 3, 4, 1, 2, 5, 6, 7],
    "rarely odd": [1, 2, 3, 4] * 40 + [6],
    "mostly odd": [0, 1, 5, 6, 7, 5 | 2 << 28, 6 | 11 << 28],
}
CASES = share(list(product(GRIDS, FILLINGS, (True, False))))


def layer_of_rows(folder: Path, grid: str, rows: list[list[int]], y_up: bool = True) -> TileLayer:
    """A layer of one kind of grid with the tilesets SETS, from rows of raw cells."""
    layer = csv_layer("g", rows, 'offsetx="0.5" offsety="7.25"')
    path = write_map(folder, *SETS, layer, size=SIZE, attributes=GRIDS[grid])
    return load_map(path, y_up=y_up).layer("g", TileLayer)


def make_layer(folder: Path, grid: str, filling: str, y_up: bool = True) -> TileLayer:
    rng = random.Random(f"{grid} {filling}")
    values = FILLINGS[filling]
    rows = [[rng.choice(values) for _ in range(SIZE[0])] for _ in range(SIZE[1])]
    rows[0][0] = values[-1]  # at least one tile
    return layer_of_rows(folder, grid, rows, y_up)


def by_brute_force(layer: TileLayer, view: tuple[float, float, float, float]) -> list[int]:
    """Compare every box with the view: the oracle."""
    ids = layer.ids()
    boxes = layer.boxes(ids)
    min_x, min_y, max_x, max_y = view
    seen = (boxes[:, 0] <= max_x) & (min_x <= boxes[:, 2])
    seen &= (boxes[:, 1] <= max_y) & (min_y <= boxes[:, 3])
    return ids[seen].tolist()


def views(layer: TileLayer, rng: random.Random) -> list[tuple[float, float, float, float]]:
    """Return random views, and views that end exactly on the edges of boxes."""
    boxes = layer.boxes(layer.ids())
    low, high = boxes[:, :2].min() - 20, boxes[:, 2:].max() + 20
    found = [(low, low, high, high), (high + 1, low, high + 2, high)]
    for _ in range(40):
        x0, x1 = sorted(rng.uniform(low, high) for _ in range(2))
        y0, y1 = sorted(rng.uniform(low, high) for _ in range(2))
        found.append((x0, y0, x1, y1))
        box, other = (boxes[rng.randrange(len(boxes))].tolist() for _ in range(2))
        x0, x1 = sorted((box[0], other[2]))
        y0, y1 = sorted((box[3], other[1]))
        found.append((x0, y0, x1, y1))
        found.append((box[2], box[3], box[2], box[3]))
    return found


@pytest.mark.parametrize(("grid", "filling", "y_up"), CASES)
def test_query_is_exact(tmp_path, grid, filling, y_up):
    layer = make_layer(tmp_path, grid, filling, y_up)
    for view in views(layer, random.Random(7)):
        assert layer.query(view).tolist() == by_brute_force(layer, view)


@pytest.mark.parametrize("grid", GRIDS)
def test_ids_come_in_draw_order(tmp_path, grid):
    """Rows go from top to bottom, unless the render order is another."""
    layer = make_layer(tmp_path, grid, "plain", y_up=False)
    anchors = layer.boxes(layer.ids())[:, [3, 0]].tolist()  # bottom, then left
    if grid == "left up":
        anchors = [[-y, -x] for y, x in anchors]
    elif grid == "right up":
        anchors = [[-y, x] for y, x in anchors]
    elif grid == "oblique":
        anchors = layer.cells(layer.ids())[:, ::-1].tolist()
    assert anchors == sorted(anchors)


@pytest.mark.parametrize("grid", ["orthogonal", "isometric", "hexagonal y", "staggered x even"])
def test_query_is_exact_on_large_maps(tmp_path, grid):
    size = 400
    gids = np.random.default_rng(2).integers(0, 5, (size, size), dtype=np.uint32)
    layer = layer_of(gids, "base64 zlib", "g")
    path = write_map(tmp_path, SETS[0], layer, size=(size, size), attributes=GRIDS[grid])
    ground = load_map(path).layer("g")
    assert len(ground) == np.count_nonzero(gids)
    x, y = ground.boxes(ground.ids())[:, :2].mean(axis=0).tolist()
    for width in (0, 16, 700, 20_000):
        view = (x - width, y - width, x + width, y + width)
        assert ground.query(view).tolist() == by_brute_force(ground, view)


def test_the_space_between_distant_chunks_costs_nothing(tmp_path):
    places = (0, 0), (500_000_000, 0), (-3, 400_000_000)
    layer = chunks_of({place: [[1]] for place in places})
    tile_map = load_map(write_map(tmp_path, SETS[0], layer, attributes='infinite="1"'), y_up=False)
    ground = tile_map.layer("ground")
    assert ground.cells(ground.query((0, 0, 1, 1))).tolist() == [[0, 0]]
    assert ground.cells(ground.query((8e9, 0, 8e9, 16))).tolist() == [[500_000_000, 0]]
    assert ground.cells(ground.query((-1e3, 1e9, 1e3, 1e10))).tolist() == [[-3, 400_000_000]]


def test_query_finds_a_few_tiles_on_a_large_map(tmp_path):
    """Their cells are too far apart to store a bit for each cell between them."""
    places = (0, 0), (3000, 40), (-9, 2800), (2999, 2801)
    layer = chunks_of({place: [[1, 6]] for place in places})
    tile_map = load_map(write_map(tmp_path, *SETS, layer, attributes='infinite="1"'))
    ground = tile_map.layer("ground")
    for view in views(ground, random.Random(8)):
        assert ground.query(view).tolist() == by_brute_force(ground, view)
    ground.clear_tile(3000, 40)
    ground.set_tile(1500, 1500, 2)
    for view in views(ground, random.Random(9)):
        assert ground.query(view).tolist() == by_brute_force(ground, view)


@pytest.mark.parametrize("filling", ["plain", "sparse", "some odd", "rarely odd"])
def test_nodes_count_every_tile_once(tmp_path, filling):
    layer = make_layer(tmp_path, "orthogonal", filling)
    nodes = layer.nodes()
    assert nodes["count"][nodes["leaf"]].sum() == len(layer)
    assert nodes["count"][0] == len(layer)
    assert nodes["depth"][0] == 0


def test_queries_of_an_empty_layer_find_nothing(tmp_path):
    """A map without tiles needs no tileset either."""
    layer = load_map(write_map(tmp_path, csv_layer("g", [[0, 0]]))).layer("g")
    assert len(layer) == 0
    assert layer.query((-1e9, -1e9, 1e9, 1e9)).tolist() == []
    assert layer.boxes(layer.query((0, 0, 1, 1))).shape == (0, 4)
    assert layer.nodes()["count"].sum() == 0


def check_window(layer: TileLayer, view: tuple[float, float, float, float]) -> None:
    """Assert that a window has the tiles of its cells, among them all that `query` finds."""
    column, row, gids, flags = layer.gids_in(view)
    assert (gids.dtype, flags.dtype, gids.shape) == (np.uint32, np.uint8, flags.shape)
    expected, turned = np.zeros(gids.shape, int), np.zeros(gids.shape, int)
    ids = layer.ids()
    across, down = (layer.cells(ids) - (column, row)).T
    inside = (across >= 0) & (across < gids.shape[1]) & (down >= 0) & (down < gids.shape[0])
    expected[down[inside], across[inside]] = layer.gids(ids[inside])
    turned[down[inside], across[inside]] = layer.flags(ids[inside])
    assert np.array_equal(gids, expected)
    assert np.array_equal(flags, turned)
    assert set(layer.query(view).tolist()) <= set(ids[inside].tolist())


@pytest.mark.parametrize(("grid", "filling", "y_up"), CASES)
def test_a_window_holds_the_tiles_of_a_view(tmp_path, grid, filling, y_up):
    layer = make_layer(tmp_path, grid, filling, y_up)
    for view in views(layer, random.Random(7)):
        check_window(layer, view)
    rng = random.Random(8)
    for _ in range(30):
        layer.set_tile(rng.randrange(SIZE[0]), rng.randrange(SIZE[1]), rng.randint(1, 7))
        layer.clear_tile(rng.randrange(SIZE[0]), rng.randrange(SIZE[1]))
        check_window(layer, rng.choice(views(layer, rng)))


@pytest.mark.parametrize("grid", GRIDS)
def test_a_window_of_an_infinite_map_may_lie_anywhere(tmp_path, grid):
    rng = random.Random(grid)
    chunks = {
        place: [rng.choices((0, 1, 6), k=16) for _ in range(16)]
        for place in ((0, 0), (-32, 16), (16, -16), (48, 48))
    }
    attributes = f'{GRIDS[grid]} infinite="1"'
    [layer] = load_map(write_map(tmp_path, *SETS, chunks_of(chunks), attributes=attributes)).layers
    for view in views(layer, rng):
        check_window(layer, view)
    with pytest.raises(ValueError, match="bounds must cover at most 67108864 cells, got"):
        layer.gids_in((-1e6, -1e6, 1e6, 1e6))


def test_a_window_of_equal_tiles_has_exactly_those_that_query_finds(tmp_path):
    layer = make_layer(tmp_path, "orthogonal", "plain")
    for view in views(layer, random.Random(3)):
        column, row, gids, _ = layer.gids_in(view)
        found = layer.cells(layer.query(view))
        if len(found):
            assert [column, row] == found.min(axis=0).tolist()
            assert gids.shape[::-1] == tuple((found.max(axis=0) - (column, row) + 1).tolist())
        else:
            assert not gids.size
    everything = layer.gids_in((-1e9, -1e9, 1e9, 1e9))
    assert (everything.column, everything.row, everything.gids.shape) == (0, 0, SIZE[::-1])
    with pytest.raises(ValueError, match="bounds"):
        layer.gids_in((0, 0, float("nan"), 1))


@pytest.mark.parametrize("grid", GRIDS)
def test_tiles_of_a_full_layer_are_counted_as_listed(tmp_path, grid):
    size = (70, 45)
    rows = [[1 + (column + row) % 4 for column in range(size[0])] for row in range(size[1])]
    path = write_map(tmp_path, SETS[0], csv_layer("g", rows), size=size, attributes=GRIDS[grid])
    layer = load_map(path).layer("g")
    for hole in (None, (40, 30), (0, 0)):
        if hole:
            layer.clear_tile(*hole)
        for view in views(layer, random.Random(5)):
            assert layer.count(view) == len(layer.query(view))

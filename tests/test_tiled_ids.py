"""Ids of cells: a layer and a dictionary agree, in every orientation, finite and infinite."""

from __future__ import annotations

import gc
import tempfile
import tracemalloc
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.test_tiled_culling import GRIDS, SETS, by_brute_force
from tests.tmx import TILESET, csv_layer, write_map
from tilequad._core.cells.blocks import check_cells
from tilequad.tiled import TileLayer, load_map

SIZE = (21, 19)  # more than two blocks of 8 x 8 cells in each direction
ORIENTATIONS = {**GRIDS, "left down": 'orientation="orthogonal" renderorder="left-down"'}
Cell = tuple[int, int]


def make_layer(grid: str, infinite: bool, full: bool) -> TileLayer:
    """Make a full or empty layer of one orientation."""
    rows = [[1 if full else 0] * SIZE[0] for _ in range(SIZE[1])]
    attributes = ORIENTATIONS[grid] + (' infinite="1"' if infinite else "")
    with tempfile.TemporaryDirectory() as folder:
        path = write_map(
            Path(folder), *SETS, csv_layer("g", rows), size=SIZE, attributes=attributes
        )
        layer: TileLayer = load_map(path).layer("g")
        return layer


def place(grid: str, cell: Cell) -> tuple[float, float]:
    """Return the sort key of the draw order, independent of the library's own."""
    column, row = cell
    if grid == "isometric":
        return column + row, column
    if grid == "staggered x even":
        return row + 0.5 * (column % 2 == 0), column
    if grid == "hexagonal x":
        return row + 0.5 * (column % 2 == 1), column
    return -row if "up" in grid else row, -column if "left" in grid else column


class IdMachine(RuleBasedStateMachine):
    """Changes a layer and a dictionary from cells to gids alike, and compares them."""

    near = st.tuples(st.integers(0, SIZE[0] - 1), st.integers(0, SIZE[1] - 1))
    far = st.tuples(st.integers(-40, 60), st.integers(-40, 60))
    farther = st.tuples(st.integers(-3000, 3000), st.integers(-3000, 3000))
    # gids from 5 have other sizes, and 99 is beyond the last tile
    gids = st.integers(1, 7) | st.just(99)

    @initialize(
        grid=st.sampled_from(sorted(ORIENTATIONS)), infinite=st.booleans(), full=st.booleans()
    )
    def start(self, grid: str, infinite: bool, full: bool) -> None:
        self.grid, self.infinite = grid, infinite
        self.layer = make_layer(grid, infinite, full)
        self.model: dict[Cell, int] = {}
        if full:
            self.model = {(x, y): 1 for x in range(SIZE[0]) for y in range(SIZE[1])}
        self.known: dict[Cell, int] = {}
        self.selection = self.layer.select()

    def cell(self, data: st.DataObject) -> Cell:
        anywhere = st.one_of(self.near, self.far, self.farther)
        return data.draw(anywhere if self.infinite else self.near)

    @rule(data=st.data(), gid=gids)
    def set(self, data: st.DataObject, gid: int) -> None:
        cell = self.cell(data)
        number = self.layer.set_tile(*cell, gid)
        self.model[cell] = gid
        assert self.layer.id_of(*cell) == number
        assert self.layer.gid_of(*cell) == gid

    @rule(data=st.data())
    def clear(self, data: st.DataObject) -> None:
        cell = self.cell(data)
        self.layer.clear_tile(*cell)
        self.model.pop(cell, None)
        assert self.layer.gid_of(*cell) == 0

    @rule(corner=near, gid=st.integers(0, 7))
    def set_many(self, corner: Cell, gid: int) -> None:
        cells = [(corner[0] + x, corner[1] + y) for x in range(9) for y in range(5)]
        cells = [c for c in cells if self.infinite or (c[0] < SIZE[0] and c[1] < SIZE[1])]
        self.layer.set_tiles(cells, gid)
        for cell in cells:
            self.model[cell] = gid
            if not gid:
                del self.model[cell]

    @rule(data=st.data(), other=gids)
    def refuse(self, data: st.DataObject, other: int) -> None:
        limit = self.layer.id_limit
        with pytest.raises(KeyError):
            self.layer.set_tiles([self.cell(data), self.cell(data)], [other, 1 << 28])
        assert self.layer.id_limit == limit

    @rule(data=st.data())
    def ask(self, data: st.DataObject) -> None:
        low, high = data.draw(st.integers(-400, 500)), data.draw(st.integers(-400, 500))
        view = (low, high, low + 300, high + 200)
        assert self.layer.query(view).tolist() == by_brute_force(self.layer, view)

    @invariant()
    def every_tile_is_listed_in_draw_order(self) -> None:
        cells = sorted(self.model, key=lambda cell: place(self.grid, cell))
        ids = self.layer.ids()
        assert ids.dtype == np.int32
        assert self.layer.cells(ids).tolist() == [list(cell) for cell in cells]
        assert self.layer.gids(ids).tolist() == [self.model[cell] for cell in cells]
        assert len(self.layer) == len(ids) == len(self.selection)
        assert self.selection.ids.tolist() == ids.tolist()

    @invariant()
    def no_id_ever_changes(self) -> None:
        layer = self.layer
        ids = layer.ids().tolist()
        for cell, number in zip(map(tuple, layer.cells(ids).tolist()), ids, strict=True):
            assert 0 <= number < layer.id_limit <= 2**31
            assert self.known.setdefault(cell, number) == number
            if not self.infinite:
                assert number == cell[1] * SIZE[0] + cell[0]
        assert len(set(self.known.values())) == len(self.known)
        cells = list(self.known)
        numbers = np.array([self.known[cell] for cell in cells], np.int32)
        assert [layer.id_of(*cell) for cell in cells] == numbers.tolist()
        assert layer.gids(numbers).tolist() == [self.model.get(cell, 0) for cell in cells]

    @invariant()
    def sound(self) -> None:
        check_cells(self.layer._tiles.held)
        for size_class in self.layer._index._classes:
            check_cells(size_class.held)


TestIdMachine = IdMachine.TestCase
TestIdMachine.settings = settings(max_examples=60, stateful_step_count=20)


def sparse(folder: Path, side: int, tiles: int) -> TileLayer:
    """Make a layer of side x side cells with a few distant tiles."""
    path = write_map(folder, *SETS, csv_layer("g", [[0]]), size=(side, side))
    layer: TileLayer = load_map(path).layer("g")
    cells = np.random.default_rng(1).integers(0, side, (tiles, 2))
    layer.set_tiles(cells, np.arange(tiles) % 4 + 1)
    return layer


def test_memory_grows_with_tiles_not_with_cells(tmp_path):
    sparse(tmp_path, 100, 10).query((0, 0, 100, 100))  # import lazy modules before measuring
    tracemalloc.start()
    try:
        layer = sparse(tmp_path, 4096, 1000)
        assert len(layer.query((-1e6, -1e6, 1e6, 1e6))) == len(layer) > 990
        gc.collect()  # what loading leaves behind is no memory of the layer
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert layer.nbytes < 1 << 20
    assert taken < 1 << 20
    assert layer.id_limit == 4096 * 4096


def test_new_tiles_reuse_the_blocks_of_cleared_ones(tmp_path):
    layer = sparse(tmp_path, 4096, 1000)
    before = layer.nbytes
    for seed in range(3):
        layer.set_tiles(layer.cells(layer.ids()), 0)
        assert len(layer) == 0
        layer.set_tiles(np.random.default_rng(seed).integers(0, 4096, (1000, 2)), 1)
    assert layer.nbytes < 1.3 * before


def test_a_map_with_too_many_cells_gets_ids_by_chunk(tmp_path):
    path = write_map(tmp_path, *SETS, csv_layer("g", [[1, 0, 2]]), size=(100_000, 100_000))
    layer = load_map(path).layer("g")
    assert layer.ids().tolist() == [0, 2]
    number = layer.set_tile(99_999, 99_999, 3)
    assert number == layer.id_of(99_999, 99_999) < layer.id_limit == 512
    with pytest.raises(ValueError, match="outside"):
        layer.set_tile(100_000, 0, 1)


def test_many_tiles_may_begin_new_chunks(tmp_path):
    layer = '<layer name="a" width="4" height="3"/>'
    ground = load_map(write_map(tmp_path, TILESET, layer, attributes='infinite="1"')).layer("a")
    cells = [(x, y) for y in (-40, 3) for x in range(-40, 40)]
    ground.set_tiles(cells, [1 + number % 4 for number in range(160)])
    assert [ground.gid_of(*cell) for cell in cells] == [1, 2, 3, 4] * 40

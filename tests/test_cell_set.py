"""The set of cells agrees with a boolean array: all densities, odd sizes, changes."""

import copy
import pickle
import random
from itertools import product

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tilequad._core.cells.blocks import check_cells, nodes_of
from tilequad._core.cells.cell_ids import CellOrder, ChunkIds, GridIds, into_blocks
from tilequad._core.cells.cell_set import CellSet
from tilequad._core.cells.listing import all_cells, count_cells, list_cells
from tilequad._core.cells.window import parts_in, values_in

DENSITIES = (0.0, 0.003, 0.1, 0.5, 0.97, 1.0)
SIZES = (0, 1, 2, 7, 8, 9, 32, 33, 63, 64, 65, 127, 128, 129)


class Twin:
    """The oracle: a boolean array."""

    def __init__(self, grid):
        self.grid = np.array(grid, bool)

    def ids(self):
        """Return the id of every cell."""
        return np.arange(self.grid.size).reshape(self.grid.shape)

    def query(self, min_column, min_row, max_column, max_row):
        part = np.s_[max(min_row, 0) : max(max_row + 1, 0), max(min_column, 0) : max_column + 1]
        if max_column < 0:
            return []
        return self.ids()[part][self.grid[part]].tolist()

    def cells(self):
        return np.argwhere(self.grid)[:, ::-1].tolist()


def filled(rng, rows, columns, density):
    return rng.random((rows, columns)) < density


def set_of(grid, ids=None, order=None):
    """The set of the cells that are true in a grid, by default row by row."""
    grid = np.asarray(grid, dtype=bool)
    rows, columns = grid.shape
    cells = CellSet(ids or GridIds(columns, rows), order or CellOrder())
    held = into_blocks(grid)
    some = np.flatnonzero(held.any(axis=1))
    across = -(-max(columns, 1) // 8)
    cells.fill(some % across * 8, some // across * 8, held[some])
    return cells


def cells_of(held):
    """The columns and rows of all held cells, in order."""
    return np.stack(held.ids.cells(all_cells(held)), axis=1)


def ranges(rng, rows, columns, count):
    """Return the whole grid, and ranges inside it and beyond."""
    yield 0, 0, columns, rows
    yield -5, -5, columns + 70, rows + 9
    for _ in range(count):
        x0, x1 = sorted(rng.integers(-3, columns + 3, 2).tolist())
        y0, y1 = sorted(rng.integers(-3, rows + 3, 2).tolist())
        yield x0, y0, x1, y1


def agree(held, twin, asked):
    check_cells(held)
    assert len(held) == np.count_nonzero(twin.grid)
    for part in asked:
        found = list_cells(held, *part)
        assert found.tolist() == twin.query(*part)
        assert count_cells(held, *part) == len(found)
    assert all_cells(held).tolist() == twin.ids()[twin.grid].tolist()
    assert cells_of(held).tolist() == twin.cells()


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("rows", SIZES)
def test_queries_are_exact_at_sizes_around_a_block(rows, density):
    rng = np.random.default_rng([rows, int(1000 * density)])
    for columns in SIZES:
        grid = filled(rng, rows, columns, density)
        agree(set_of(grid), Twin(grid), ranges(rng, rows, columns, 8))


@pytest.mark.slow
@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("shape", [(1, 4000), (4000, 1), (700, 300), (257, 1025)], ids=str)
def test_queries_of_large_grids_are_exact(shape, density):
    rng = np.random.default_rng(shape)
    grid = filled(rng, *shape, density)
    agree(set_of(grid), Twin(grid), ranges(rng, *shape, 20))


def test_queries_of_scattered_blocks_are_exact():
    """Ranges meet rows that hold cells only outside of them, and empty blocks of every size."""
    rng = np.random.default_rng(4)
    grid = np.zeros((600, 900), bool)
    for row, column in ((0, 0), (3, 890), (310, 450), (590, 64), (592, 700)):
        grid[row : row + 8, column : column + 9] = filled(rng, 8, 9, 0.7)
    held, twin = set_of(grid), Twin(grid)
    agree(held, twin, ranges(rng, 600, 900, 200))
    for start in range(0, 900, 7):
        assert list_cells(held, start, 0, start + 30, 599).tolist() == twin.query(
            start, 0, start + 30, 599
        )


@pytest.mark.parametrize("density", DENSITIES)
def test_every_cell_has_an_id_held_or_not(density):
    grid = filled(np.random.default_rng(5), 20, 130, density)
    held = set_of(grid)
    assert held.ids.limit == 20 * 130
    for row, column in product(range(20), range(130)):
        assert count_cells(held, column, row, column, row) == grid[row, column]
        assert held.set(column, row) == row * 130 + column
    assert cells_of(held).tolist() == Twin(np.ones((20, 130))).cells()
    for column, row in ((-1, 0), (0, -1), (130, 0), (0, 20), (10**30, 0)):
        assert count_cells(held, column, row, column, row) == 0


@pytest.mark.parametrize("density", DENSITIES)
def test_slots_are_distinct_and_stable(density):
    rng = np.random.default_rng([6, int(1000 * density)])
    grid = filled(rng, 70, 90, density)
    held = set_of(grid)
    rows, columns = (axis.astype(np.int32) for axis in np.nonzero(grid))
    slots = held.slots(columns, rows)
    assert len(set(slots.tolist())) == len(slots)
    assert (slots >= 64).all()
    for row, column in product(range(70), range(90)):
        if grid[row, column]:
            continue
        held.set(column, row)
        if rng.random() < 0.5:
            held.clear(column, row)
    assert held.slots(columns, rows).tolist() == slots.tolist()
    for i in range(0, len(slots), 7):
        assert held.slot(int(columns[i]), int(rows[i])) == slots[i]
    assert held.slot(-1, 0) == held.slot(90, 3) == held.slot(10**30, 0) == 0


ORDERS = [
    *(CellOrder(leftwards=left, upwards=up) for left in (False, True) for up in (False, True)),
    *(CellOrder(stagger=axis, shift_even=even) for axis in ("rows", "columns") for even in (0, 1)),
    CellOrder(diagonal=True),
]


@pytest.mark.parametrize("reach", [3, 20, 300, 100_000, (1 << 29) - 1])
@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_a_grid_without_edges_is_exact_in_every_order(order, reach):
    """The oracle is a dictionary; chunks get their ids in the order of their first use."""
    rng = random.Random(f"{order} {reach}")
    ids = ChunkIds(16, 16)
    held = CellSet(ids, order)
    model, chunks = {}, {}
    for _ in range(300):
        if rng.random() < 0.7 or not model:
            x, y = cell = rng.randint(-reach, reach), rng.randint(-reach, reach)
            chunk = chunks.setdefault((x // 16, y // 16), len(chunks))
            assert held.set(x, y) == chunk * 256 + y % 16 * 16 + x % 16
            model[cell] = held.set(x, y)
        else:
            held.clear(*(cell := rng.choice(list(model))))
            del model[cell]
    check_cells(held)
    assert (len(held), held.ids.limit) == (len(model), len(chunks) * 256)

    steps, lines = order.steps_and_lines(*np.array(list(model)).T)
    place = dict(zip(model, zip(lines.tolist(), steps.tolist(), strict=True), strict=True))
    cells = sorted(model, key=place.__getitem__)
    assert all_cells(held).tolist() == [model[cell] for cell in cells]
    assert cells_of(held).tolist() == [list(cell) for cell in cells]
    for _ in range(40):
        corners = [place[rng.choice(cells)] for _ in range(2)]
        (top, bottom), (first, last) = (sorted(axis) for axis in zip(*corners, strict=True))
        found = list_cells(held, first, top, last, bottom)
        assert found.tolist() == [
            model[cell]
            for cell in cells
            if top <= place[cell][0] <= bottom and first <= place[cell][1] <= last
        ]
        assert count_cells(held, first, top, last, bottom) == len(found)
    again = pickle.loads(pickle.dumps(held))
    check_cells(again)
    assert all_cells(again).tolist() == all_cells(held).tolist()
    assert nodes_of(held)["count"][0] == len(held)


@pytest.mark.slow
@pytest.mark.parametrize("ids", [GridIds(320, 260), ChunkIds(16, 16)], ids=["edges", "chunks"])
@pytest.mark.parametrize("density", [0.02, 0.6, 1.0])
@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_a_large_grid_is_exact_in_every_order(order, density, ids):
    rng = np.random.default_rng(7)
    grid = filled(rng, 260, 320, density)
    grid[:130, 200:] = False  # empty chunks
    held = set_of(grid, ids, order)
    check_cells(held)
    rows, columns = np.nonzero(grid)
    steps, lines = order.steps_and_lines(columns, rows)
    drawn = np.lexsort((steps, lines))
    columns, rows, steps, lines = (axis[drawn] for axis in (columns, rows, steps, lines))
    numbers = np.array([ids.id_at(*cell) for cell in np.stack((columns, rows), axis=1).tolist()])
    assert np.array_equal(all_cells(held), numbers)
    for _ in range(30):
        first, last = sorted(rng.integers(steps.min() - 9, steps.max() + 9, 2).tolist())
        top, bottom = sorted(rng.integers(lines.min() - 9, lines.max() + 9, 2).tolist())
        seen = (steps >= first) & (steps <= last) & (lines >= top) & (lines <= bottom)
        assert np.array_equal(list_cells(held, first, top, last, bottom), numbers[seen])
        assert count_cells(held, first, top, last, bottom) == seen.sum()


def test_cells_out_of_bounds_are_refused():
    held = CellSet(ChunkIds(16, 16), CellOrder())
    for cell in ((1 << 29, 0), (0, -(1 << 29)), (10**30, 0)):
        with pytest.raises(ValueError, match="outside of all bounds"):
            held.set(*cell)
    assert (len(held), held.ids.limit) == (0, 0)
    with pytest.raises(ValueError, match=r"2\*\*31 cells, got 65536 x 32768"):
        GridIds(1 << 16, 1 << 15)
    ids = ChunkIds(1 << 15, 1 << 14)
    assert [ids.first_of(x << 15, 0) for x in range(3)] == [0, 1 << 29, 1 << 30]
    with pytest.raises(ValueError, match="more cells than an int32"):
        ids.first_of(1 << 20, 0)
    assert (ids.limit, ids.id_at(1 << 20, 0)) == (3 << 29, None)


def test_results_are_int32():
    held = set_of(np.ones((3, 3)))
    for answer in (
        list_cells(held, 0, 0, 1, 1),
        list_cells(held, 5, 5, 6, 6),
        list_cells(set_of([[]]), 0, 0, 1, 1),
    ):
        assert answer.dtype == np.int32
        assert answer.ndim == 1
    assert cells_of(held).dtype == np.int32


@pytest.mark.parametrize(
    "again", [copy.copy, lambda held: pickle.loads(pickle.dumps(held))], ids=["copy", "pickle"]
)
def test_a_set_can_be_copied_and_pickled(again):
    grid = filled(np.random.default_rng(8), 30, 100, 0.4)
    held = set_of(grid)
    other = again(held)
    held.clear(*cells_of(held)[0].tolist())
    agree(other, Twin(grid), [(0, 0, 99, 29)])
    assert len(held) == len(other) - 1


def test_ranges_may_reach_far_beyond_the_grid():
    held = set_of(np.ones((3, 5)))
    assert list_cells(held, -(10**30), -(10**30), 10**30, 10**30).tolist() == list(range(15))
    for part in ((5, 0, 10**30, 2), (-(10**30), 0, -1, 2), (0, 3, 4, 9), (0, -9, 4, -1)):
        assert list_cells(held, *part).tolist() == []
        assert count_cells(held, *part) == 0


@pytest.mark.parametrize(
    ("verb", "args", "message"),
    [
        (list_cells, (3, 0, 2, 1), "min_step.*3, 2"),
        (list_cells, (0, 4, 1, 1), "min_line.*4, 1"),
        (list_cells, (10**30, 0, 2, 1), f"min_step.*{10**30}, 2"),
        (count_cells, (3, 0, 2, 1), "min_step.*3, 2"),
        (CellSet.set, (0, 3), r"cell \(0, 3\)"),
        (CellSet.set, (-1, 0), r"cell \(-1, 0\)"),
        (CellSet.clear, (0, -1), r"cell \(0, -1\)"),
        (CellSet.clear, (10**30, 0), "outside"),
    ],
)
def test_invalid_ranges_are_named(verb, args, message):
    held = set_of(np.ones((3, 5)))
    with pytest.raises(ValueError, match=message):
        verb(held, *args)
    agree(held, Twin(np.ones((3, 5))), [(0, 0, 4, 2)])


@pytest.mark.parametrize("shape", [(9, 70), (64, 64), (1, 300), (130, 3)], ids=str)
def test_every_cell_can_be_set_and_cleared_again(shape):
    rng = np.random.default_rng(shape)
    held, twin = set_of(np.zeros(shape)), Twin(np.zeros(shape))
    cells = [(column, row) for row in range(shape[0]) for column in range(shape[1])]
    for wanted in (True, False):
        for step, number in enumerate(rng.permutation(len(cells)).tolist()):
            column, row = cells[number]
            if wanted:
                held.set(column, row)
            else:
                held.clear(column, row)
            twin.grid[row, column] = wanted
            if step % 97 == 0:
                agree(held, twin, ranges(rng, *shape, 3))
        agree(held, twin, ranges(rng, *shape, 3))


@pytest.mark.parametrize("density", [0.0, 0.1, 0.9])
@pytest.mark.parametrize("shape", [(9, 70), (64, 64), (130, 3)], ids=str)
def test_many_cells_are_set_and_cleared_at_once(shape, density):
    rng = np.random.default_rng(shape)
    grid = filled(rng, *shape, density)
    held, twin = set_of(grid), Twin(grid)
    for step in range(12):
        some = filled(rng, *shape, (0.02, 0.5, 1.0)[step % 3])
        rows, columns = (axis.astype(np.int32) for axis in np.nonzero(some))
        if step % 2:
            assert held.set_many(columns, rows).tolist() == held.slots(columns, rows).tolist()
        else:
            held.clear_many(columns, rows)
        twin.grid[some] = step % 2
        agree(held, twin, ranges(rng, *shape, 3))


def test_a_repeated_change_changes_nothing():
    held = set_of([[1, 0, 1]])
    assert held.set(2, 0) == 2
    assert held.set(0, 0) == 0
    held.clear(1, 0)
    assert list_cells(held, 0, 0, 2, 0).tolist() == [0, 2]
    check_cells(held)


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("shape", [(70, 33), (8, 8), (1, 1), (5, 200)], ids=str)
def test_nodes_are_the_occupied_blocks_of_every_level(shape, density):
    grid = filled(np.random.default_rng(6), *shape, density)
    nodes = nodes_of(set_of(grid))
    found = [
        (box[0], box[1], box[2], box[3], count)
        for *box, depth, count, leaf in nodes.tolist()
        if leaf == (depth == nodes["depth"].max())
    ]
    assert len(found) == len(nodes)
    assert found == list(halved(grid))


def halved(grid):
    """Return the occupied blocks of every level, row by row, by brute force."""
    size = 8
    while size < max(grid.shape):
        size *= 2
    while size >= 8:
        for row, column in product(range(0, grid.shape[0], size), range(0, grid.shape[1], size)):
            block = grid[row : row + size, column : column + size]
            if block.any():
                high, wide = block.shape
                yield column, row, column + wide, row + high, np.count_nonzero(block)
        size //= 2


def test_a_full_set_takes_two_bits_per_cell():
    """One bit for the cell itself, and at most another for nodes and ids."""
    held = set_of(np.ones((512, 1024)))
    assert held.nbytes <= 2 * 512 * 1024 / 8


def test_empty_blocks_take_no_memory():
    held = set_of(np.zeros((4096, 4096), bool))
    assert held.nbytes < 1000
    for column, row in np.random.default_rng(3).integers(0, 4096, (1000, 2)).tolist():
        held.set(column, row)
    assert held.nbytes < 400_000
    for column, row in cells_of(held).tolist():
        held.clear(column, row)
    check_cells(held)
    full = held.nbytes
    for column, row in np.random.default_rng(4).integers(0, 4096, (1000, 2)).tolist():
        held.set(column, row)
    check_cells(held)
    assert held.nbytes <= 1.3 * full


class CellMachine(RuleBasedStateMachine):
    """Changes a set and its twin alike, and compares them."""

    def __init__(self):
        super().__init__()
        self.held, self.twin = set_of(np.zeros((21, 140))), Twin(np.zeros((21, 140)))

    cells = st.tuples(st.integers(0, 139), st.integers(0, 20))
    anywhere = st.tuples(st.integers(-2, 141), st.integers(-2, 22))

    @rule(cell=cells)
    def set(self, cell):
        column, row = cell
        self.twin.grid[row, column] = True
        assert self.held.set(column, row) == self.twin.ids()[row, column]

    @rule(cell=cells)
    def clear(self, cell):
        column, row = cell
        self.twin.grid[row, column] = False
        self.held.clear(column, row)

    @rule(cell=cells, size=st.tuples(st.integers(1, 40), st.integers(1, 9)), held=st.booleans())
    def change_a_block(self, cell, size, held):
        for row in range(cell[1], min(cell[1] + size[1], 21)):
            for column in range(cell[0], min(cell[0] + size[0], 140)):
                if held:
                    self.held.set(column, row)
                else:
                    self.held.clear(column, row)
        self.twin.grid[cell[1] : cell[1] + size[1], cell[0] : cell[0] + size[0]] = held

    @rule(corner=anywhere, other=anywhere)
    def query(self, corner, other):
        (x0, x1), (y0, y1) = map(sorted, zip(corner, other, strict=True))
        assert list_cells(self.held, x0, y0, x1, y1).tolist() == self.twin.query(x0, y0, x1, y1)

    @invariant()
    def sound(self):
        check_cells(self.held)
        assert len(self.held) == np.count_nonzero(self.twin.grid)


TestCellMachine = CellMachine.TestCase
TestCellMachine.settings = settings(max_examples=60, stateful_step_count=30)


def window_of(held, values, left, top, columns, rows):
    """The twin of `parts_in` and `values_in`: each cell by its slot."""
    places = product(range(top, top + rows), range(left, left + columns))
    raw = [int(values[held.slot(column, row)]) for row, column in places]
    shape = rows, columns
    low = np.array([value & (1 << 28) - 1 for value in raw], np.uint32).reshape(shape)
    high = np.array([value >> 28 for value in raw], np.uint8).reshape(shape)
    return low, high, np.array(raw, np.uint32).reshape(shape)


def windows(rng, cells):
    """Sets of cells with values, and rectangles inside their grid and beyond."""
    for density in DENSITIES:
        grid = filled(rng, 70, 90, density)
        held = set_of(grid)
        if not cells:
            held = CellSet(ChunkIds(16, 16), CellOrder())
            for row, column in np.argwhere(grid)[::7].tolist():
                held.set(column - 40, row - 30)
        values = np.zeros(64 * 200, np.uint32)
        slots = held.slots(*held.ids.cells(all_cells(held)))
        values[slots] = rng.integers(0, 1 << 32, len(slots), dtype=np.uint32)
        for left, top, right, bottom in ranges(rng, 70, 90, 20):
            yield held, values, left - 20, top - 9, right - left, bottom - top


@pytest.mark.parametrize("edged", [True, False])
def test_a_window_has_the_value_of_each_cell(edged):
    for asked in windows(np.random.default_rng(4), edged):
        found = *parts_in(*asked[:2], 28, *asked[2:]), values_in(*asked)
        expected = window_of(*asked)
        for ours, theirs in zip(found, expected, strict=True):
            assert ours.dtype == theirs.dtype
            assert np.array_equal(ours, theirs)


def test_a_window_needs_a_value_for_each_slot():
    held = set_of(np.ones((8, 8)))
    with pytest.raises(ValueError, match="values must have 128 entries, got 127"):
        values_in(held, np.zeros(127, np.uint32), 0, 0, 1, 1)
    with pytest.raises(ValueError, match="values must have 128 entries, got 127"):
        parts_in(held, np.zeros(127, np.uint32), 28, 0, 0, 1, 1)


def answers():
    """The windows of some sets, for the comparison of both modes."""
    rng = np.random.default_rng(9)
    for edged in (True, False):
        for held, values, *part in windows(rng, edged):
            low, high = parts_in(held, values, 28, *part)
            raw = values_in(held, values, *part)
            yield [
                low.tolist(),
                high.tolist(),
                raw.tolist(),
                count_cells(held, *part[:2], part[0], part[1]),
            ]

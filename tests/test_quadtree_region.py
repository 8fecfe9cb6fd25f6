"""The tree of a grid's cells against a boolean array: every density, odd sizes, changes."""

from __future__ import annotations

import copy
import pickle
from itertools import product

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tilequad.quadtree import RegionQuadtree

DENSITIES = (0.0, 0.003, 0.1, 0.5, 0.97, 1.0)
SIZES = (0, 1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129)


class Twin:
    """The grid itself, asked by numpy."""

    def __init__(self, grid):
        self.grid = np.array(grid, bool)

    def ids(self):
        """The id of every cell, where it is held."""
        return self.grid.cumsum(dtype=np.int64).reshape(self.grid.shape) - 1

    def query(self, min_column, min_row, max_column, max_row):
        part = np.s_[max(min_row, 0) : max(max_row + 1, 0), max(min_column, 0) : max_column + 1]
        if max_column < 0:
            return []
        return self.ids()[part][self.grid[part]].tolist()

    def cells(self):
        return np.argwhere(self.grid)[:, ::-1].tolist()

    def cells_in(self, min_column, min_row, max_column, max_row):
        return [
            (column, row)
            for column, row in self.cells()
            if min_column <= column <= max_column and min_row <= row <= max_row
        ]


def filled(rng, rows, columns, density):
    return rng.random((rows, columns)) < density


def ranges(rng, rows, columns, count):
    """Ranges within a grid and beyond it, and the whole of it."""
    yield 0, 0, columns, rows
    yield -5, -5, columns + 70, rows + 9
    for _ in range(count):
        x0, x1 = sorted(rng.integers(-3, columns + 3, 2).tolist())
        y0, y1 = sorted(rng.integers(-3, rows + 3, 2).tolist())
        yield x0, y0, x1, y1


def agree(tree, twin, asked):
    tree.check()
    assert len(tree) == np.count_nonzero(twin.grid)
    assert tree.shape == twin.grid.shape
    for part in asked:
        found = tree.query(*part)
        assert found.tolist() == twin.query(*part)
        assert tree.count(*part) == len(found)
    assert tree.cells(np.arange(len(tree))).tolist() == twin.cells()


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("rows", SIZES)
def test_sizes_around_blocks_and_words(rows, density):
    rng = np.random.default_rng([rows, int(1000 * density)])
    for columns in SIZES:
        grid = filled(rng, rows, columns, density)
        agree(RegionQuadtree(grid), Twin(grid), ranges(rng, rows, columns, 8))


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("shape", [(1, 4000), (4000, 1), (700, 300), (257, 1025)], ids=str)
def test_large(shape, density):
    rng = np.random.default_rng(shape)
    grid = filled(rng, *shape, density)
    agree(RegionQuadtree(grid), Twin(grid), ranges(rng, *shape, 20))


def test_islands_in_an_empty_sea():
    """Rows that hold something only beside the range, and leaps over blocks of every size."""
    rng = np.random.default_rng(4)
    grid = np.zeros((600, 900), bool)
    for row, column in ((0, 0), (3, 890), (310, 450), (590, 64), (592, 700)):
        grid[row : row + 8, column : column + 9] = filled(rng, 8, 9, 0.7)
    tree, twin = RegionQuadtree(grid), Twin(grid)
    agree(tree, twin, ranges(rng, 600, 900, 200))
    for start in range(0, 900, 7):
        assert tree.query(start, 0, start + 30, 599).tolist() == twin.query(
            start, 0, start + 30, 599
        )


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("shape", [(30, 200), (9, 64), (300, 5), (0, 7), (90, 129)], ids=str)
def test_only_cells_that_another_tree_holds_as_well(shape, density):
    rng = np.random.default_rng(shape)
    grid, mask = filled(rng, *shape, 0.6), filled(rng, *shape, density)
    tree, other, twin, shared = RegionQuadtree(grid), RegionQuadtree(mask), Twin(grid), Twin(mask)
    ids = twin.ids()
    for part in ranges(rng, *shape, 40):
        both = shared.cells_in(*part)
        wanted = [ids[row, column] for column, row in both if grid[row, column]]
        assert tree.query(*part, among=other).tolist() == wanted
        assert tree.query(*part, among=tree).tolist() == twin.query(*part)


def test_trees_of_other_grids_have_nothing_in_common():
    tree = RegionQuadtree(np.ones((3, 5)))
    with pytest.raises(ValueError, match=r"among.*\(3, 5\).*\(5, 3\)"):
        tree.query(0, 0, 2, 2, among=RegionQuadtree(np.ones((5, 3))))


def test_every_cell_knows_its_rank():
    rng = np.random.default_rng(5)
    grid = filled(rng, 20, 130, 0.3)
    tree, before = RegionQuadtree(grid), 0
    for row, column in product(range(20), range(130)):
        assert tree.rank(column, row) == before
        assert ((column, row) in tree) == grid[row, column]
        before += grid[row, column]
    for cell in ((-1, 0), (0, -1), (130, 0), (0, 20), (10**30, 0)):
        assert cell not in tree


def test_answers_are_int32():
    tree = RegionQuadtree(np.ones((3, 3)))
    for answer in (
        tree.query(0, 0, 1, 1),
        tree.query(5, 5, 6, 6),
        RegionQuadtree([[]]).query(0, 0, 1, 1),
    ):
        assert answer.dtype == np.int32
        assert answer.ndim == 1
    assert tree.cells([]).shape == (0, 2)
    assert tree.cells([4]).dtype == np.int32


@pytest.mark.parametrize(
    "grid",
    [
        [[0, 2, 0], [1, 0, 1]],
        ((False, True, False), (True, False, True)),
        np.array([[0.0, 0.5, 0.0], [1.0, 0.0, -1.0]], np.float32),
        np.asfortranarray([[0, 1, 0], [1, 0, 1]], dtype=bool),
        np.repeat([[0, 1, 0], [1, 0, 1]], 2, axis=1)[:, ::2],
    ],
    ids=["numbers", "tuples", "floats", "fortran", "strided"],
)
def test_any_grid_is_taken(grid):
    tree = RegionQuadtree(grid)
    assert tree.cells([0, 1, 2]).tolist() == [[1, 0], [0, 1], [2, 1]]


def test_the_grid_is_copied():
    grid = np.ones((4, 4), bool)
    tree = RegionQuadtree(grid)
    grid[:] = False
    assert len(tree) == 16
    tree.check()


@pytest.mark.parametrize("again", [copy.copy, lambda tree: pickle.loads(pickle.dumps(tree))])
def test_a_tree_is_copied_and_pickled(again):
    grid = filled(np.random.default_rng(8), 30, 100, 0.4)
    tree = RegionQuadtree(grid)
    other = again(tree)
    tree.clear(*tree.cells([0])[0].tolist())
    agree(other, Twin(grid), [(0, 0, 99, 29)])
    assert len(tree) == len(other) - 1


def test_far_beyond_the_grid():
    tree = RegionQuadtree(np.ones((3, 5)))
    assert tree.query(-(10**30), -(10**30), 10**30, 10**30).tolist() == list(range(15))
    for part in ((5, 0, 10**30, 2), (-(10**30), 0, -1, 2), (0, 3, 4, 9), (0, -9, 4, -1)):
        assert tree.query(*part).tolist() == []
        assert tree.count(*part) == 0


@pytest.mark.parametrize(
    ("verb", "args", "message"),
    [
        ("query", (3, 0, 2, 1), "min_column.*3, 2"),
        ("query", (0, 4, 1, 1), "min_row.*4, 1"),
        ("count", (3, 0, 2, 1), "min_column.*3, 2"),
        ("rank", (5, 0), r"cell \(5, 0\)"),
        ("set", (0, 3), r"cell \(0, 3\)"),
        ("set", (-1, 0), r"cell \(-1, 0\)"),
        ("clear", (0, -1), r"cell \(0, -1\)"),
        ("clear", (10**30, 0), "outside"),
        ("cells", ([0, 15],), "ids.*15"),
        ("cells", ([-1],), "ids.*-1"),
        ("cells", (np.array([2**32]),), "ids.*4294967296"),
    ],
)
def test_bad_questions_are_named(verb, args, message):
    tree = RegionQuadtree(np.ones((3, 5)))
    with pytest.raises(ValueError, match=message):
        getattr(tree, verb)(*args)
    agree(tree, Twin(np.ones((3, 5))), [(0, 0, 4, 2)])


@pytest.mark.parametrize("grid", [[1, 0], 1, np.zeros((2, 2, 2))], ids=["one", "none", "three"])
def test_other_than_two_axes_are_refused(grid):
    with pytest.raises(ValueError, match="occupied must have two axes"):
        RegionQuadtree(grid)


@pytest.mark.parametrize("shape", [(9, 70), (64, 64), (1, 300), (130, 3)], ids=str)
def test_every_cell_set_and_cleared_again(shape):
    rng = np.random.default_rng(shape)
    tree, twin = RegionQuadtree(np.zeros(shape)), Twin(np.zeros(shape))
    cells = [(column, row) for row in range(shape[0]) for column in range(shape[1])]
    for wanted in (True, False):
        for step, number in enumerate(rng.permutation(len(cells)).tolist()):
            column, row = cells[number]
            if wanted:
                tree.set(column, row)
            else:
                tree.clear(column, row)
            twin.grid[row, column] = wanted
            if step % 97 == 0:
                agree(tree, twin, ranges(rng, *shape, 3))
        agree(tree, twin, ranges(rng, *shape, 3))


def test_what_is_so_already_stays():
    tree = RegionQuadtree([[1, 0, 1]])
    assert tree.set(2, 0) == 1
    assert tree.set(0, 0) == 0
    tree.clear(1, 0)
    assert tree.query(0, 0, 2, 0).tolist() == [0, 1]
    tree.check()


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("shape", [(70, 33), (8, 8), (1, 1), (5, 200)], ids=str)
def test_the_nodes_are_the_blocks_that_hold_anything(shape, density):
    grid = filled(np.random.default_rng(6), *shape, density)
    nodes = RegionQuadtree(grid).nodes()
    found = [
        (box[0], box[1], box[2], box[3], count)
        for *box, depth, count, leaf in nodes.tolist()
        if leaf == (depth == nodes["depth"].max())
    ]
    assert len(found) == len(nodes)
    assert found == list(halved(grid))


def halved(grid):
    """The blocks of every level from the root down, row by row, by looking at each."""
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


def test_a_tree_costs_two_bits_a_cell():
    """The arrays that `nbytes` counts hold a bit a cell, a half for the counts, and the blocks."""
    tree = RegionQuadtree(np.ones((512, 1024)))
    assert tree.nbytes <= 2 * 512 * 1024 / 8


class RegionMachine(RuleBasedStateMachine):
    """One tree and its twin, changed and asked alike."""

    def __init__(self):
        super().__init__()
        self.tree, self.twin = RegionQuadtree(np.zeros((21, 140))), Twin(np.zeros((21, 140)))

    cells = st.tuples(st.integers(0, 139), st.integers(0, 20))
    anywhere = st.tuples(st.integers(-2, 141), st.integers(-2, 22))

    @rule(cell=cells)
    def set(self, cell):
        column, row = cell
        self.twin.grid[row, column] = True
        assert self.tree.set(column, row) == self.twin.ids()[row, column]

    @rule(cell=cells)
    def clear(self, cell):
        column, row = cell
        self.twin.grid[row, column] = False
        self.tree.clear(column, row)

    @rule(cell=cells, size=st.tuples(st.integers(1, 40), st.integers(1, 9)), held=st.booleans())
    def change_a_block(self, cell, size, held):
        for row in range(cell[1], min(cell[1] + size[1], 21)):
            for column in range(cell[0], min(cell[0] + size[0], 140)):
                if held:
                    self.tree.set(column, row)
                else:
                    self.tree.clear(column, row)
        self.twin.grid[cell[1] : cell[1] + size[1], cell[0] : cell[0] + size[0]] = held

    @rule(corner=anywhere, other=anywhere)
    def query(self, corner, other):
        (x0, x1), (y0, y1) = map(sorted, zip(corner, other, strict=True))
        assert self.tree.query(x0, y0, x1, y1).tolist() == self.twin.query(x0, y0, x1, y1)

    @invariant()
    def sound(self):
        self.tree.check()
        assert len(self.tree) == np.count_nonzero(self.twin.grid)


TestRegionMachine = RegionMachine.TestCase
TestRegionMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)

# distutils: extra_compile_args = -O1
"""RegionQuadtree: a set of grid cells, one bit per cell; empty blocks take no memory."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from tilequad._core import _cython as cython
from tilequad._core._cython import Object, Raises
from tilequad._core.cells.cell_blocks import CellBlocks, as_booleans, as_words, ones_in, restored
from tilequad._core.cells.cell_ids import CellIds, CellOrder, GridIds, into_blocks
from tilequad._core.cells.cell_walk import Part, RowWalk, diagonal_ids, part_of, slots_of, walk_of
from tilequad._core.tree.inspection import NODE

FARTHEST: cython.Py_ssize_t = 1 << 29  # |column| and |row| are below this in a grid without edges
LONG: cython.Py_ssize_t = 1 << 30  # farther than any step or line
BLOCK = 8  # cells along a side of the smallest blocks
EVERY: cython.Py_ssize_t = 0xFF  # mask of all eight columns or rows
EVEN: cython.Py_ssize_t = 0x55  # mask of every second one


@cython.cclass
class RegionQuadtree:
    """A quadtree over a set of grid cells, queried by range of columns and rows.

    A cell in the set is held. Its id is `row * columns + column` and never changes.

    Cost: a query takes about a nanosecond per id, and a few per occupied block of 8 x 8 cells in
    range. A change takes about 50 ns. Memory is 0.2 bytes per cell in a full grid and at most 280
    bytes for an isolated cell; empty blocks take none.

    Args:
        occupied: (rows, columns) booleans, true for held cells.

    Raises:
        ValueError: `occupied` does not have two axes, or has more cells than an int32 can count.

    Example:
        >>> tree = RegionQuadtree([[1, 0, 1], [0, 0, 0], [0, 1, 1]])
        >>> tree.query(1, 0, 2, 2)
        array([2, 7, 8], dtype=int32)
        >>> tree.set(1, 1)
        4
        >>> tree.query(1, 0, 2, 2)
        array([2, 4, 7, 8], dtype=int32)
    """

    __slots__ = {
        "_ids": "object",
        "_order": "object",
        "_leftwards": "bint",
        "_upwards": "bint",
        "_diagonal": "bint",
        "_stagger": "int",
        "_shift_even": "bint",
        "_blocks": "CellBlocks",
        "_columns": "Py_ssize_t",
        "_rows": "Py_ssize_t",
    }

    __signature__ = inspect.Signature(
        [inspect.Parameter("occupied", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    )

    def __init__(self, occupied: npt.ArrayLike) -> None:
        grid = np.asarray(occupied, dtype=bool)
        if grid.ndim != 2:
            raise ValueError(f"occupied must have two axes, rows and columns, got {grid.shape}")
        rows, columns = grid.shape
        self._start(GridIds(columns, rows), CellOrder())
        cells = as_words(into_blocks(grid)) if grid.size else np.empty(0, np.uint64)
        held = np.flatnonzero(cells)
        across = -(-columns // BLOCK)
        self._blocks.fill(held % across * BLOCK, held // across * BLOCK, cells[held])

    @classmethod
    def of_blocks(
        cls, ids: CellIds, order: CellOrder, columns: np.ndarray, rows: np.ndarray, held: np.ndarray
    ) -> RegionQuadtree:
        """Build a tree over a grid, with or without edges, from its occupied blocks.

        Args:
            ids: The ids of the cells. Several trees may share them.
            order: The order of query results, and the steps and lines that ranges count.
            columns: (n,) first column of each block of 8 x 8 cells, a multiple of 8.
            rows: (n,) first row of each block, a multiple of 8; no two blocks coincide.
            held: (n, 64) booleans, true for held cells, row by row; at least one per block.

        Returns:
            A tree in which block i has the slots from 64 * (i + 1).
        """
        tree: RegionQuadtree = cls.__new__(cls)
        tree._start(ids, order)
        tree._blocks.fill(columns, rows, as_words(held))
        return tree

    @classmethod
    def like(cls, other: RegionQuadtree) -> RegionQuadtree:
        """Make an empty tree with the same grid, ids and order."""
        tree: RegionQuadtree = cls.__new__(cls)
        tree._start(other._ids, other._order)
        return tree

    def __reduce__(self) -> tuple[Any, ...]:
        return revived, (type(self), self._order, self._blocks.state())

    def _start(self, ids: CellIds, order: CellOrder) -> None:
        self._ids = ids
        self._order = order
        self._leftwards, self._upwards, self._diagonal = order[:3]
        self._stagger = {"": 0, "rows": 1, "columns": 2}[order.stagger]
        self._shift_even = order.shift_even
        self._blocks = CellBlocks(ids)
        self._columns, self._rows = -1, -1
        if isinstance(ids, GridIds):
            self._columns, self._rows = ids.columns, ids.rows

    # -- changing ----------------------------------------------------------------------------------

    def set(self, column: int, row: int) -> int:
        """Add a cell to the set. Do nothing if it is held.

        Args:
            column: Column of the cell.
            row: Row of the cell.

        Returns:
            The id of the cell.

        Raises:
            ValueError: The cell lies outside the grid.
        """
        if not self._inside(column, row):
            raise self._outside(column, row)
        x: cython.Py_ssize_t = column + self._blocks.bias
        y: cython.Py_ssize_t = row + self._blocks.bias
        block: cython.Py_ssize_t = self._blocks.hold(x, y)
        return self._blocks.id_in(block, x, y)

    def clear(self, column: int, row: int) -> None:
        """Remove a cell from the set. Do nothing if it is not held.

        Args:
            column: Column of the cell.
            row: Row of the cell.

        Raises:
            ValueError: The cell lies outside the grid.
        """
        if not self._inside(column, row):
            raise self._outside(column, row)
        x: cython.Py_ssize_t = column + self._blocks.bias
        y: cython.Py_ssize_t = row + self._blocks.bias
        if self._blocks.holds(x, y):
            self._blocks.release(x, y)

    # -- asking ------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int] | None:
        """Rows and columns of the grid; None without edges."""
        return None if self._columns < 0 else (self._rows, self._columns)

    @property
    def id_limit(self) -> int:
        """The upper limit of ids (exclusive)."""
        return self._ids.limit

    def __len__(self) -> int:
        return self._blocks.count

    def __contains__(self, cell: tuple[int, int]) -> bool:
        column, row = cell
        if not self._inside(column, row):
            return False
        return bool(self._blocks.holds(column + self._blocks.bias, row + self._blocks.bias))

    def query(self, min_step: int, min_line: int, max_step: int, max_line: int) -> np.ndarray:
        """Find the held cells in a range of steps and lines.

        Steps are columns and lines are rows, unless the tree has another order.

        Args:
            min_step: The first step; may lie outside the grid, like the others.
            min_line: The first line.
            max_step: The last step, inclusive.
            max_line: The last line, inclusive.

        Returns:
            Ids in the order of the tree, line by line, step by step; int32, shape (n,).

        Raises:
            ValueError: A minimum exceeds its maximum.
        """
        first: cython.Py_ssize_t = clamped(min_step)
        last: cython.Py_ssize_t = clamped(max_step)
        top: cython.Py_ssize_t = clamped(min_line)
        bottom: cython.Py_ssize_t = clamped(max_line)
        if first > last or top > bottom:
            refuse_range(min_step, min_line, max_step, max_line)
        if self._diagonal:
            lines: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, 2) << (
                3 * self._blocks.height + 3
            )
            if min(bottom - top, lines) > 64 * self._blocks.used_blocks:
                return self._sorted(first, top, last, bottom)
            top += 2 * self._blocks.bias
            bottom += 2 * self._blocks.bias
            return diagonal_ids(self._blocks, first, top, last, bottom)
        return self._walk(first, top, last, bottom).listed()

    def count(self, min_step: int, min_line: int, max_step: int, max_line: int) -> int:
        """Count the held cells in a range of steps and lines, without listing them.

        Args:
            min_step: The first step; may lie outside the grid, like the others.
            min_line: The first line.
            max_step: The last step, inclusive.
            max_line: The last line, inclusive.

        Returns:
            The number of ids that `query` returns for this range.

        Raises:
            ValueError: A minimum exceeds its maximum.
        """
        if self._diagonal:
            return len(self.query(min_step, min_line, max_step, max_line))
        first: cython.Py_ssize_t = clamped(min_step)
        last: cython.Py_ssize_t = clamped(max_step)
        top: cython.Py_ssize_t = clamped(min_line)
        bottom: cython.Py_ssize_t = clamped(max_line)
        if first > last or top > bottom:
            refuse_range(min_step, min_line, max_step, max_line)
        return self._walk(first, top, last, bottom).counted()

    def ids(self) -> np.ndarray:
        """Return the ids of all held cells in the order of the tree; int32, shape (n,)."""
        return self.query(-LONG, -LONG, LONG, LONG)

    def cells(self, ids: npt.ArrayLike) -> np.ndarray:
        """Return the columns and rows of ids.

        Args:
            ids: (n,) ids of cells, held or not, in any order.

        Returns:
            Column and row of each; int32, shape (n, 2).

        Raises:
            ValueError: An id that no cell has.
        """
        asked = np.asarray(ids, np.int64).reshape(-1)
        for wrong in asked[(asked < 0) | (asked >= self.id_limit)][:1].tolist():
            raise ValueError(f"ids must be from 0 to {self.id_limit - 1}, got {wrong}")
        return np.stack(self._ids.cells(asked.astype(np.int32)), axis=1)

    def slot(self, column: int, row: int) -> int:
        """Return the slot of a cell: its index in an array with 64 values per block.

        A cell keeps its slot while its block holds any cell. All cells outside the blocks share the
        slots below 64, so 64 zeros at the start of the array are their values.

        Args:
            column: Column of a cell, in the grid or outside.
            row: Row of the cell.
        """
        if not self._inside(column, row):
            return 0
        x: cython.Py_ssize_t = column + self._blocks.bias
        y: cython.Py_ssize_t = row + self._blocks.bias
        return (self._blocks.find(x, y) << 6) + ((y & 7) << 3) + (x & 7)

    def slots(self, columns: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the slots of many cells of the grid; all arrays are int32, shape (n,)."""
        return slots_of(self._blocks, columns, rows)

    def blocks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the occupied blocks of 8 x 8 cells, in no order.

        Returns:
            First slots, first columns, first rows, and (n, 64) booleans, true for held cells.
        """
        _, at, columns, rows = self._blocks.listed()
        return 64 * at, columns, rows, as_booleans(np.asarray(self._blocks.bits)[at])

    def _sorted(self, first: int, top: int, last: int, bottom: int) -> np.ndarray:
        """Answer `query` by sorting: faster if there are few cells on many lines."""
        whole = part_of(0, 0, 1 << 31, 1 << 31, EVERY, EVERY)
        ids = walk_of(self._blocks, whole, None, False, False).listed()
        steps, lines = self._order.steps_and_lines(*self._ids.cells(ids))
        seen = (steps >= first) & (steps <= last) & (lines >= top) & (lines <= bottom)
        return ids[seen][np.lexsort((steps[seen], lines[seen]))]

    @cython.final
    def _walk(
        self,
        first: cython.Py_ssize_t,
        top: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        bottom: cython.Py_ssize_t,
    ) -> Object[RowWalk]:
        """Return the walk through a range of steps and lines."""
        bias: cython.Py_ssize_t = self._blocks.bias
        even: cython.Py_ssize_t = 1 if self._shift_even else 0  # the shift of an even row or column
        odd: cython.Py_ssize_t = 1 - even
        one: Part
        other: Part
        if self._stagger == 0:
            if self._leftwards:
                first, last = -last, -first
            if self._upwards:
                top, bottom = -bottom, -top
            one = part_of(first + bias, top + bias, last + bias, bottom + bias, EVERY, EVERY)
            return walk_of(self._blocks, one, None, self._leftwards, self._upwards)
        if self._stagger == 1:  # step = 2 * column + shift, so even and odd rows differ
            top, bottom = top + bias, bottom + bias
            one = part_of(
                ((first - even + 1) >> 1) + bias, top, ((last - even) >> 1) + bias, bottom,
                EVERY, EVEN,
            )  # fmt: skip
            other = part_of(
                ((first - odd + 1) >> 1) + bias, top, ((last - odd) >> 1) + bias, bottom,
                EVERY, EVEN << 1,
            )  # fmt: skip
            return walk_of(self._blocks, one, other, False, False)
        first, last = first + bias, last + bias
        one = part_of(
            first, ((top - even + 1) >> 1) + bias, last, ((bottom - even) >> 1) + bias,
            EVEN, EVERY,
        )  # fmt: skip
        other = part_of(
            first, ((top - odd + 1) >> 1) + bias, last, ((bottom - odd) >> 1) + bias,
            EVEN << 1, EVERY,
        )  # fmt: skip
        if even:  # columns without a shift are drawn first
            one, other = other, one
        return walk_of(self._blocks, one, other, False, False)

    @cython.final
    def _inside(self, column: Any, row: Any) -> Raises[cython.bint]:
        if self._columns < 0:
            return -FARTHEST < column < FARTHEST and -FARTHEST < row < FARTHEST
        return 0 <= column < self._columns and 0 <= row < self._rows

    def _outside(self, column: int, row: int) -> ValueError:
        size = f"{self._columns} columns, {self._rows} rows" if self.shape else "all bounds"
        return ValueError(f"cell ({column}, {row}) lies outside of {size}")

    # -- inspecting --------------------------------------------------------------------------------

    @property
    def nbytes(self) -> int:
        """The memory of the arrays of the tree, in bytes."""
        return self._blocks.nbytes()

    def nodes(self) -> np.ndarray:
        """Return the occupied blocks of every level, for overlays and statistics. O(blocks).

        Returns:
            A structured array, level by level from the root down to blocks of 8 x 8 cells:
            `min_x`, `min_y`, `max_x`, `max_y` (cell c spans c to c + 1), `depth` (0 for the root),
            `count` (held cells) and `leaf`.
        """
        _, at, columns, rows = self._blocks.listed()
        counts = ones_in(np.asarray(self._blocks.bits)[at])
        bias = self._blocks.bias
        x, y = (columns + bias) // BLOCK, (rows + bias) // BLOCK
        parts: list[np.ndarray] = []
        size, root = BLOCK, BLOCK
        while self.shape and root < max(self.shape):
            root *= 2
        while len(at) and (not parts or len(x) > 1 or size <= root):
            keys, which = np.unique((y << 32) + x, return_inverse=True)
            counts = np.bincount(which.reshape(-1), weights=counts)
            x, y = keys & 0xFFFFFFFF, keys >> 32
            part = np.zeros(len(keys), NODE)
            part["min_x"], part["min_y"] = x * size - bias, y * size - bias
            part["max_x"], part["max_y"] = part["min_x"] + size, part["min_y"] + size
            part["count"], part["leaf"] = counts, size == BLOCK
            parts.append(part)
            x, y, size = x >> 1, y >> 1, 2 * size
        parts.reverse()
        for depth, part in enumerate(parts):
            part["depth"] = depth
        found = np.concatenate(parts) if parts else np.zeros(0, NODE)
        if self.shape:
            found["max_x"] = np.minimum(found["max_x"], self._columns)
            found["max_y"] = np.minimum(found["max_y"], self._rows)
        return found

    def check(self) -> None:
        """Verify all invariants of the tree, for tests. O(cells).

        Raises:
            AssertionError: An invariant is broken, which is a bug in tilequad.
        """
        self._blocks.check()
        if self.shape:
            _, columns, rows, held = self.blocks()
            across, down = columns[:, None] + np.arange(64) % 8, rows[:, None] + np.arange(64) // 8
            assert not held[(across >= self._columns) | (down >= self._rows)].any(), "beyond edges"


def clamped(value: Any) -> Annotated[cython.Py_ssize_t, "except? -1"]:
    """Clamp a step or line, which may be any integer, to the range of cells."""
    number: cython.Py_ssize_t
    try:
        number = value
    except OverflowError:
        return LONG if value > 0 else -LONG
    return max(-LONG, min(number, LONG))


def revived(cls: type[RegionQuadtree], order: CellOrder, state: tuple[Any, ...]) -> RegionQuadtree:
    """Restore a pickled tree."""
    tree: RegionQuadtree = cls.__new__(cls)
    tree._start(state[0], order)
    tree._blocks = restored(state)
    return tree


def refuse_range(min_step: int, min_line: int, max_step: int, max_line: int) -> None:
    """Raise the error for an empty range."""
    if min_step > max_step:
        raise ValueError(f"min_step must be <= max_step, got {min_step}, {max_step}")
    raise ValueError(f"min_line must be <= max_line, got {min_line}, {max_line}")

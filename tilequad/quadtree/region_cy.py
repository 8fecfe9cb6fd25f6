# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""RegionQuadtree: which cells of a grid hold something, in two bits a cell.

A tree of boxes spends twenty bytes on every tile of a map, though all that is to be known of a
cell is whether it is empty. Here a cell is a bit, and the id of what it holds, its place in row
order, is the number of bits before its own:

    words[stride * row + i]    the cells 64 * i to 64 * i + 63 of a row, the first one lowest
    before[stride * row + i]   how many cells of the row before those are held
    base[row]                  how many cells of all rows before; base[rows] is their number
    blocks                     the quadtree: for each level from blocks of 8 x 8 cells up to one
                               block around all, a bit for every block that holds anything,
                               row by row as the cells are

So the ids of any stretch of a row are consecutive, and two counts give them, however many they
are; the quadtree leaps over the rows that hold nothing between two columns.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree._core import _cython as cython

from tilequad.quadtree._core.inspection import NODE

COMPILED = bool(cython.compiled)

ALL = 0xFFFFFFFFFFFFFFFF  # a word of 64 held cells
ODD_BITS = ALL // 3  # every second bit, the lowest among them
ODD_PAIRS = ALL // 5  # every second pair of bits
ODD_NIBBLES = ALL // 17  # every second four
EACH_BYTE = ALL // 255  # the lowest bit of every byte
LEAF_BITS = 3  # the smallest blocks are 2**3 cells wide and high: a byte of each row
MOST_CELLS = 0x7FFFFFFF  # ids are C ints

# How many bits each byte has. For counting a whole grid with numpy.
ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)


class RegionQuadtree:
    """The held cells of a grid, by range of columns and rows.

    The id of a held cell is its place in row order, 0 first: what stands before it in its row and
    in the rows above. So a cell that comes into the grid raises the ids behind it by one, and one
    that goes lowers them.

    Cost: a query some 20 ns for each row that holds anything in range, and a nanosecond for every
    three ids; building about 1.5 ns a cell; a change a few passes over the counts of its row and of
    the rows below, under a microsecond for 1024 x 1024 cells; memory 1.6 bits a cell.

    Args:
        occupied: (rows, columns), which cells are held.

    Raises:
        ValueError: Another number of axes.

    Example:
        >>> tree = RegionQuadtree([[1, 0, 1], [0, 0, 0], [0, 1, 1]])
        >>> tree.query(1, 0, 2, 2)
        array([1, 2, 3], dtype=int32)
        >>> tree.set(1, 1)
        2
        >>> tree.query(1, 0, 2, 2)
        array([1, 2, 3, 4], dtype=int32)
    """

    __slots__ = ("base", "before", "blocks", "columns", "root", "rows", "stride", "words")

    def __init__(self, occupied: npt.ArrayLike) -> None:
        grid = np.asarray(occupied, dtype=bool)
        if grid.ndim != 2:
            raise ValueError(f"occupied must have two axes, rows and columns, got {grid.shape}")
        if grid.size > MOST_CELLS:
            raise ValueError(f"occupied must have at most 2**31 - 1 cells, got {grid.size}")
        self.rows, self.columns = grid.shape
        self.stride = self.columns // 64 + 1  # the place behind the last column has a word too
        self.root = max(LEAF_BITS, (max(grid.shape) - 1).bit_length())  # the highest level
        cells = packed(grid, self.stride)
        counts = ONES[cells].reshape(self.rows, self.stride, 8).sum(axis=2, dtype=np.int32)
        through = counts.cumsum(axis=1, dtype=np.int32)
        totals = np.concatenate(([0], through[:, -1].cumsum())).astype(np.int32)
        self.words = as_words(cells)
        self.before = array("i", (through - counts).tobytes())
        self.base = array("i", totals.tobytes())
        blocks = array("Q")
        for level in self._levels(np.bitwise_or, cells):
            blocks.extend(as_words(packed(level != 0, (level.shape[1] + 63) // 64)))
        self.blocks = blocks

    def __reduce__(self) -> tuple[type, tuple[np.ndarray]]:
        return RegionQuadtree, (self._grid()[:, : self.columns],)

    # -- changing ----------------------------------------------------------------------------------

    def set(self, column: int, row: int) -> int:
        """Hold a cell. One that is held stays as it is.

        Args:
            column: The cell.
            row: The cell.

        Returns:
            Its id; the ids behind it are one higher now, if the cell was empty.

        Raises:
            ValueError: A cell outside of the grid.
        """
        check_cell(column, row, self.columns, self.rows)
        if not self.held(column, row):
            self.flip(column, row, 1)
        return self.id_at(column, row)

    def clear(self, column: int, row: int) -> None:
        """Empty a cell; the ids behind it sink by one. An empty one stays as it is.

        Args:
            column: The cell.
            row: The cell.

        Raises:
            ValueError: A cell outside of the grid.
        """
        check_cell(column, row, self.columns, self.rows)
        if self.held(column, row):
            self.flip(column, row, -1)

    # -- asking ------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return self.rows, self.columns

    def __len__(self) -> int:
        return self.base[self.rows]

    def __contains__(self, cell: tuple[int, int]) -> bool:
        column, row = cell
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            return False
        return bool(self.held(column, row))

    def query(
        self,
        min_column: int,
        min_row: int,
        max_column: int,
        max_row: int,
        among: RegionQuadtree | None = None,
    ) -> np.ndarray:
        """The held cells in a range of columns and rows; it may reach beyond the grid.

        Args:
            min_column: The first column.
            min_row: The first row.
            max_column: The last column; it belongs to the range.
            max_row: The last row.
            among: Another tree of a grid as large: only cells that it holds as well. The ids are
                those of this tree.

        Returns:
            Their ids, (n,) int32, ascending.

        Raises:
            ValueError: A first number above its last, or a grid of another size.
        """
        part = self._clipped(min_column, min_row, max_column, max_row)
        left: cython.Py_ssize_t = part[0]
        top: cython.Py_ssize_t = part[1]
        right: cython.Py_ssize_t = part[2]
        bottom: cython.Py_ssize_t = part[3]
        if among is None:
            ids = np.empty(self.count_in(left, top, right, bottom), np.int32)
            self.write_ids(ids, left, top, right, bottom)
            return ids
        other: RegionQuadtree = among
        if other.shape != self.shape:
            raise ValueError(f"among must have the shape {self.shape}, got {other.shape}")
        ids = np.empty(self.count_shared(other, left, top, right, bottom), np.int32)
        self.write_shared(other, ids, left, top, right, bottom)
        return ids

    def count(self, min_column: int, min_row: int, max_column: int, max_row: int) -> int:
        """How many cells `query` finds, without a list of them.

        Args:
            min_column: The first column.
            min_row: The first row.
            max_column: The last column; it belongs to the range.
            max_row: The last row.

        Raises:
            ValueError: A first number above its last.
        """
        left, top, right, bottom = self._clipped(min_column, min_row, max_column, max_row)
        return self.count_in(left, top, right, bottom)

    def rank(self, column: int, row: int) -> int:
        """The id of what a cell holds, or the one that it would have if it were held.

        Args:
            column: The cell.
            row: The cell.

        Raises:
            ValueError: A cell outside of the grid.
        """
        check_cell(column, row, self.columns, self.rows)
        return self.id_at(column, row)

    def cells(self, ids: npt.ArrayLike) -> np.ndarray:
        """The cells of some ids. About 50 ns each, for nowhere is a list of them.

        Args:
            ids: (n,) ids, in any order.

        Returns:
            (n, 2) int32, column and row.

        Raises:
            ValueError: An id that no cell has.
        """
        asked = np.asarray(ids, np.int64).reshape(-1)
        for wrong in asked[(asked < 0) | (asked >= len(self))][:1].tolist():
            raise ValueError(f"ids must be from 0 to {len(self) - 1}, got {wrong}")
        found = np.empty((len(asked), 2), np.int32)
        numbers: cython.int[::1] = asked.astype(np.int32)
        places: cython.int[:, ::1] = found
        i: cython.Py_ssize_t
        for i in range(len(asked)):
            row: cython.Py_ssize_t = self.row_of(numbers[i])
            places[i, 0] = cython.cast(cython.int, self.column_of(row, numbers[i]))
            places[i, 1] = cython.cast(cython.int, row)
        return found

    def _clipped(
        self, min_column: int, min_row: int, max_column: int, max_row: int
    ) -> tuple[int, int, int, int]:
        """The part of a range that lies in the grid; one that ends before it starts for none."""
        if min_column > max_column:
            raise ValueError(f"min_column must be <= max_column, got {min_column}, {max_column}")
        if min_row > max_row:
            raise ValueError(f"min_row must be <= max_row, got {min_row}, {max_row}")
        left, top = max(min_column, 0), max(min_row, 0)
        right, bottom = min(max_column, self.columns - 1), min(max_row, self.rows - 1)
        return (left, top, right, bottom) if left <= right and top <= bottom else (0, 0, -1, -1)

    # -- the ways through --------------------------------------------------------------------------

    def count_in(
        self,
        left: cython.Py_ssize_t,
        top: cython.Py_ssize_t,
        right: cython.Py_ssize_t,
        bottom: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """How many cells are held in a clipped range."""
        count: cython.Py_ssize_t = 0
        row: cython.Py_ssize_t = self.next_row(top, left, right)
        while row <= bottom:
            count += self.id_at(right + 1, row) - self.id_at(left, row)
            row = self.next_row(row + 1, left, right)
        return count

    def write_ids(
        self,
        ids: cython.int[::1],
        left: cython.Py_ssize_t,
        top: cython.Py_ssize_t,
        right: cython.Py_ssize_t,
        bottom: cython.Py_ssize_t,
    ) -> None:
        """Write the ids of a clipped range, of which there are as many as `ids` has room for."""
        at: cython.Py_ssize_t = 0
        i: cython.int
        first: cython.int
        run: cython.int
        row: cython.Py_ssize_t = self.next_row(top, left, right)
        while row <= bottom:
            first = self.id_at(left, row)
            run = self.id_at(right + 1, row) - first
            for i in range(run):
                ids[at + i] = first + i
            at += run
            row = self.next_row(row + 1, left, right)

    def count_shared(
        self,
        other: RegionQuadtree,
        left: cython.Py_ssize_t,
        top: cython.Py_ssize_t,
        right: cython.Py_ssize_t,
        bottom: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """How many cells of a clipped range both trees hold."""
        count: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        row: cython.Py_ssize_t = other.next_row(top, left, right)
        while row <= bottom:
            for i in range(left >> 6, (right >> 6) + 1):
                count += ones(self.part(row, i, left, right) & other.part(row, i, left, right))
            row = other.next_row(row + 1, left, right)
        return count

    def write_shared(
        self,
        other: RegionQuadtree,
        ids: cython.int[::1],
        left: cython.Py_ssize_t,
        top: cython.Py_ssize_t,
        right: cython.Py_ssize_t,
        bottom: cython.Py_ssize_t,
    ) -> None:
        """Write the ids of the cells of a clipped range that both trees hold."""
        at: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        id: cython.int
        here: cython.ulonglong
        both: cython.ulonglong
        lowest: cython.ulonglong
        row: cython.Py_ssize_t = other.next_row(top, left, right)
        while row <= bottom:
            for i in range(left >> 6, (right >> 6) + 1):
                id = self.id_at(max(left, i << 6), row)
                here = self.part(row, i, left, right)
                both = here & other.part(row, i, left, right)
                while both:  # one at least is still to be found, so the place for it is there
                    lowest = here & ~(here - 1)
                    ids[at] = id
                    at += (both & lowest) != 0
                    id += 1
                    here ^= lowest
                    both &= ~lowest
            row = other.next_row(row + 1, left, right)

    def part(
        self,
        row: cython.Py_ssize_t,
        i: cython.Py_ssize_t,
        left: cython.Py_ssize_t,
        right: cython.Py_ssize_t,
    ) -> cython.ulonglong:
        """Word i of a row, without the cells that are not between two columns."""
        word: cython.ulonglong = self.words[row * self.stride + i]
        if i == left >> 6:
            word &= ALL << (left & 63)
        if i == right >> 6:
            word &= ALL >> (63 - (right & 63))
        return word

    def next_row(
        self, row: cython.Py_ssize_t, left: cython.Py_ssize_t, right: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """The first row from `row` on that may hold anything between two columns.

        Where the blocks beside each other around a row are empty, all their rows are; then so may
        the larger blocks around them be.
        """
        level: cython.Py_ssize_t
        start: cython.Py_ssize_t
        behind: cython.Py_ssize_t = row
        while row < self.rows and left <= right:
            level = LEAF_BITS
            start = 0
            while level <= self.root and not self.any_block(
                start + (row >> level) * self.stride_of(level), left >> level, right >> level
            ):
                behind = ((row >> level) + 1) << level
                start += self.size_of(level)
                level += 1
            if level == LEAF_BITS:
                return row
            row = behind
        return self.rows

    def any_block(
        self, at: cython.Py_ssize_t, left: cython.Py_ssize_t, right: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether a block from `left` to `right` holds anything; their row starts at `at`."""
        i: cython.Py_ssize_t = at + (left >> 6)
        end: cython.Py_ssize_t = at + (right >> 6)
        mask: cython.ulonglong = ALL << (left & 63)
        while i < end:
            if self.blocks[i] & mask:
                return True
            mask = ALL
            i += 1
        return (self.blocks[i] & mask & (ALL >> (63 - (right & 63)))) != 0

    def id_at(self, column: cython.Py_ssize_t, row: cython.Py_ssize_t) -> cython.int:
        """How many held cells come before one; the column may be the one behind the last."""
        at: cython.Py_ssize_t = row * self.stride + (column >> 6)
        mask: cython.ulonglong = ALL >> (63 - (column & 63))
        return self.base[row] + self.before[at] + ones(self.words[at] & (mask >> 1))

    def held(self, column: cython.Py_ssize_t, row: cython.Py_ssize_t) -> cython.bint:
        """Whether a cell is held."""
        return ((self.words[row * self.stride + (column >> 6)] >> (column & 63)) & 1) != 0

    def row_of(self, id: cython.int) -> cython.Py_ssize_t:
        """The row of an id: the last one with no more cells before it."""
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = self.rows
        middle: cython.Py_ssize_t
        while high - low > 1:
            middle = (low + high) >> 1
            if self.base[middle] <= id:
                low = middle
            else:
                high = middle
        return low

    def column_of(self, row: cython.Py_ssize_t, id: cython.int) -> cython.Py_ssize_t:
        """The column of an id in its row."""
        low: cython.Py_ssize_t = row * self.stride
        high: cython.Py_ssize_t = low + self.stride
        middle: cython.Py_ssize_t
        rest: cython.int = id - self.base[row]
        while high - low > 1:
            middle = (low + high) >> 1
            if self.before[middle] <= rest:
                low = middle
            else:
                high = middle
        word: cython.ulonglong = self.words[low]
        for _ in range(rest - self.before[low]):
            word &= word - 1  # the lowest bit goes
        return ((low - row * self.stride) << 6) + ones((word ^ (word - 1)) >> 1)

    # -- following changes -------------------------------------------------------------------------

    def flip(self, column: cython.Py_ssize_t, row: cython.Py_ssize_t, by: cython.int) -> None:
        """Turn a cell's bit, by 1 if it is held now or by -1, and tell the counts and the tree."""
        at: cython.Py_ssize_t = row * self.stride + (column >> 6)
        bit: cython.ulonglong = 1
        i: cython.Py_ssize_t
        self.words[at] ^= bit << (column & 63)
        for i in range(at + 1, (row + 1) * self.stride):
            self.before[i] += by
        for i in range(row + 1, self.rows + 1):
            self.base[i] += by
        self.lift(column, row)

    def lift(self, column: cython.Py_ssize_t, row: cython.Py_ssize_t) -> None:
        """Make the blocks around a cell know whether they hold anything, as far as it changes."""
        level: cython.Py_ssize_t = LEAF_BITS
        start: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t
        i: cython.Py_ssize_t
        shift: cython.Py_ssize_t
        bit: cython.ulonglong = 1
        held: cython.bint = self.leaf_held(column, row)
        while True:
            shift = (column >> level) & 63
            at = start + (row >> level) * self.stride_of(level) + (column >> level >> 6)
            if (((self.blocks[at] >> shift) & 1) != 0) == held:
                return
            self.blocks[at] ^= bit << shift
            if level == self.root:
                return
            # what the block above holds: this one, and the three that share it
            shift &= ~1
            i = start + ((row >> level) & ~1) * self.stride_of(level) + (column >> level >> 6)
            start += self.size_of(level)
            held = ((self.blocks[i] >> shift) & 3) != 0
            if i + self.stride_of(level) < start:
                held |= ((self.blocks[i + self.stride_of(level)] >> shift) & 3) != 0
            level += 1

    def leaf_held(self, column: cython.Py_ssize_t, row: cython.Py_ssize_t) -> cython.bint:
        """Whether the smallest block around a cell holds anything."""
        first: cython.Py_ssize_t = row >> LEAF_BITS << LEAF_BITS
        last: cython.Py_ssize_t = min(first + (1 << LEAF_BITS), self.rows)
        shift: cython.Py_ssize_t = (column & 63) >> LEAF_BITS << LEAF_BITS
        i: cython.Py_ssize_t
        for i in range(first, last):
            if (self.words[i * self.stride + (column >> 6)] >> shift) & 0xFF:
                return True
        return False

    def stride_of(self, level: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """How many words a row of blocks takes."""
        return ((self.columns - 1) >> level >> 6) + 1

    def size_of(self, level: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """How many words a level takes."""
        return (((self.rows - 1) >> level) + 1) * self.stride_of(level)

    # -- inspecting --------------------------------------------------------------------------------

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays of the tree."""
        ints = len(self.before) + len(self.base)
        return 8 * (len(self.words) + len(self.blocks)) + 4 * ints

    def nodes(self) -> np.ndarray:
        """The blocks that hold anything, for overlays and statistics. O(cells).

        Returns:
            A structured array, level by level from the root: `min_x`, `min_y`, `max_x`, `max_y`
            (columns and rows, where a cell reaches from its number to the next), `depth` (0 for
            the root), `count` (held cells) and `leaf`.
        """
        levels = list(self._levels(np.add, ONES[self._as_bytes()].astype(np.int32)))
        parts = []
        for depth, counts in enumerate(reversed(levels)):
            rows, columns = np.nonzero(counts)
            size = 1 << (self.root - depth)
            part = np.zeros(len(rows), NODE)
            part["min_x"], part["max_x"] = columns * size, (columns + 1) * size
            part["min_y"], part["max_y"] = rows * size, (rows + 1) * size
            part["depth"], part["leaf"] = depth, size == 1 << LEAF_BITS
            part["count"] = counts[rows, columns]
            parts.append(part)
        found = np.concatenate(parts) if parts else np.zeros(0, NODE)
        found["max_x"] = np.minimum(found["max_x"], self.columns)
        found["max_y"] = np.minimum(found["max_y"], self.rows)
        return found

    def check(self) -> None:
        """Prove every invariant of the tree, for tests. O(cells).

        Raises:
            AssertionError: One does not hold, which is a bug of tilequad.
        """
        grid = self._grid()
        assert not grid[:, self.columns :].any(), "a cell beyond the last column"
        twin = RegionQuadtree(grid[:, : self.columns])
        assert np.array_equal(self.before, twin.before), "a count within a row"
        assert np.array_equal(self.base, twin.base), "a count of a row"
        assert np.array_equal(self.blocks, twin.blocks), "a block that does not know what it holds"

    def _grid(self) -> np.ndarray:
        """The cells as booleans, and those that fill up the last word of each row."""
        return np.unpackbits(self._as_bytes(), axis=1, bitorder="little").astype(bool)

    def _as_bytes(self) -> np.ndarray:
        """The cells as `packed` gives them."""
        words = np.asarray(self.words).astype("<u8").view(np.uint8)
        return words.reshape(self.rows, 8 * self.stride)

    def _levels(self, ufunc: np.ufunc, cells: np.ndarray) -> Iterator[np.ndarray]:
        """What a ufunc makes of the blocks of every level, from the bytes of the cells."""
        if self.rows and self.columns:
            level = grouped(ufunc, cells[:, : (self.columns + 7) // 8], 8, 0)
            yield level
            while level.size > 1:
                level = grouped(ufunc, grouped(ufunc, level, 2, 0), 2, 1)
                yield level


# -- helpers ---------------------------------------------------------------------------------------


def ones(word: cython.ulonglong) -> cython.int:
    """How many bits of a word are set, counted side by side in ever wider fields."""
    word = word - ((word >> 1) & ODD_BITS)
    word = (word & ODD_PAIRS) + ((word >> 2) & ODD_PAIRS)
    word = (word + (word >> 4)) & ODD_NIBBLES
    return cython.cast(cython.int, ((word * EACH_BYTE) >> 56) & 255)


def check_cell(column: int, row: int, columns: int, rows: int) -> None:
    """Refuse a cell outside of the grid."""
    if not (0 <= column < columns and 0 <= row < rows):
        raise ValueError(f"cell ({column}, {row}) lies outside of {columns} columns, {rows} rows")


def packed(grid: np.ndarray, stride: int) -> np.ndarray:
    """The rows of a boolean grid as bytes, the first column lowest, filled up to whole words."""
    held = np.packbits(grid, axis=1, bitorder="little")
    rows = np.zeros((len(grid), 8 * stride), np.uint8)
    rows[:, : held.shape[1]] = held
    return rows


def as_words(rows: np.ndarray) -> array[int]:
    """Packed rows as the machine's own words."""
    return array("Q", rows.view("<u8").astype(np.uint64).tobytes())


def grouped(ufunc: np.ufunc, grid: np.ndarray, size: int, axis: int) -> np.ndarray:
    """What a ufunc makes of so many rows or columns each; the last ones may be fewer."""
    return ufunc.reduceat(grid, np.arange(0, grid.shape[axis], size), axis=axis)

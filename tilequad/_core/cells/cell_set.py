"""CellSet: a set of grid cells, one bit per cell; empty regions take no memory.

Cells lie in chunks of 32 x 32, and those in blocks of 8 x 8. The chunks that hold a cell are sorted
by row and, within a row, by column: the chunks of a row that meet a range of columns are neighbors.

    keys[i]                        row << 32 | column of the i-th chunk, counted in chunks
    chunks[i]                      its number; after the used ones, the free numbers
    words[32 * chunk + row]        the held cells of one row of a chunk, one bit per column
    block_at[16 * chunk + place]   the number of each block of a chunk, row by row; 0 if it is empty
    first[block]                   the id of the first cell; unused with edges, where column and row
                                   give the id

`bias` makes columns and rows nonnegative: x = column + bias, y = row + bias.
"""

from __future__ import annotations

from array import array
from typing import Annotated, Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Gil, NoGil, Object, Raises
from tilequad._core.buffers import resized
from tilequad._core.cells.blocks import Parts, packed
from tilequad._core.cells.cell_ids import CellIds, CellOrder, ChunkIds, GridIds

FARTHEST = 1 << 29  # |column| and |row| are below this in a grid without edges
SPARE = 4  # full arrays grow by a quarter
LOW_HALF: cython.longlong = 0xFFFFFFFF  # the column in a key


@cython.final
@cython.cclass
class CellSet:
    """A set of cells, which `listing` lists by range.

    A block has 64 slots: indices of values that a caller keeps per cell.

    Cost: a change takes about 50 ns. Adding the first cell of a chunk, or removing the last one,
    takes a nanosecond more for each chunk of the set.
    Memory is 0.2 bytes per cell in a full grid and at most 300 bytes for an isolated cell.

    Args:
        ids: The ids of the cells. Several sets may share them.
        order: The order in which they are listed.

    Attributes:
        count: The number of held cells.
        used_blocks: The number of blocks that the slots are for. A cell that is added has a slot
            below 64 * (used_blocks + 1).
    """

    __slots__ = {
        "ids": "readonly object",
        "order": "readonly object",
        "diagonal": "bint",
        "leftwards": "bint",
        "upwards": "bint",
        "stagger": "Py_ssize_t",
        "even": "Py_ssize_t",
        "edged": "bint",
        "columns": "Py_ssize_t",
        "rows": "Py_ssize_t",
        "stride": "Py_ssize_t",
        "bias": "Py_ssize_t",
        "count": "readonly Py_ssize_t",
        "used": "Py_ssize_t",
        "keys": "long long[::1]",
        "chunks": "int[::1]",
        "words": "unsigned int[::1]",
        "block_at": "int[::1]",
        "first": "int[::1]",
        "used_blocks": "readonly Py_ssize_t",
        "free_blocks": "list",
    }

    def __init__(self, ids: CellIds, order: CellOrder) -> None:
        self.ids = ids
        self.order = order
        self.leftwards, self.upwards, self.diagonal = order[:3]
        self.stagger = ("", "rows", "columns").index(order.stagger)
        self.even = order.shift_even  # the shift of even rows or columns
        self.edged = isinstance(ids, GridIds)
        self.columns, self.rows = (ids.columns, ids.rows) if isinstance(ids, GridIds) else (0, 0)
        self.stride = ids.stride
        self.bias = 0 if self.edged else FARTHEST
        self.count = self.used = 0
        self.keys = array("q")
        self.chunks = array("i")
        self.words = array("I")
        self.block_at = array("i")
        self.first = array("i", [0])
        self.used_blocks = 1
        self.free_blocks: list[int] = []

    # -- changing ----------------------------------------------------------------------------------

    def fill(self, columns: np.ndarray, rows: np.ndarray, held: np.ndarray) -> None:
        """Fill an empty set with blocks, see `packed`. Block i gets the slots from 64 * (i + 1)."""
        if not len(held):
            return
        keys, words, blocks = packed(columns, rows, held, self.bias)
        self.keys = array("q", keys.tobytes())
        self.chunks = array("i", range(len(keys)))
        self.words = array("I", words.tobytes())
        self.block_at = array("i", blocks.tobytes())
        if isinstance(self.ids, ChunkIds):
            self.first = array("i", bytes(4) + self.ids.firsts_of(columns, rows).tobytes())
        self.used, self.used_blocks = len(keys), len(held) + 1
        self.count = int(np.count_nonzero(held))

    def set(self, column: int, row: int) -> int:
        """Add a cell, or do nothing if it is held. Return its id.

        Raises:
            ValueError: The cell lies outside the grid.
        """
        self.check_inside(column, row)
        x: cython.Py_ssize_t = column + self.bias
        y: cython.Py_ssize_t = row + self.bias
        chunk = self.chunk_at(x >> 5, y >> 5)
        place: cython.Py_ssize_t = ((y & 24) >> 1) + ((x & 24) >> 3)
        bit: cython.uint = 1
        bit <<= x & 31
        first: cython.Py_ssize_t = 0
        if chunk < 0 or self.block_at[(chunk << 4) + place] == 0:
            if isinstance(self.ids, ChunkIds):  # first, because it may refuse
                first = self.ids.first_of((x & -8) - self.bias, (y & -8) - self.bias)
            if chunk < 0:
                chunk = self.add_chunk(x >> 5, y >> 5)
            self.block_at[(chunk << 4) + place] = self.add_block(first)
        if not self.words[(chunk << 5) + (y & 31)] & bit:
            self.words[(chunk << 5) + (y & 31)] |= bit
            self.count += 1
        if self.edged:
            return y * self.stride + x
        return self.first[self.block_at[(chunk << 4) + place]] + (y & 7) * self.stride + (x & 7)

    def set_many(self, columns: cython.int[::1], rows: cython.int[::1]) -> np.ndarray:
        """Add many cells of the grid; all arrays are int32, shape (n,). Return their slots.

        Cost: a few nanoseconds per cell, if cells of one chunk follow each other.
        """
        return self.each_slot(columns, rows, True)

    def clear(self, column: int, row: int) -> None:
        """Remove a cell, or do nothing if it is not held. Free its block and chunk if empty.

        Raises:
            ValueError: The cell lies outside the grid.
        """
        self.check_inside(column, row)
        self.clear_at(column + self.bias, row + self.bias)

    def clear_many(self, columns: cython.int[::1], rows: cython.int[::1]) -> None:
        """Remove many cells of the grid, as `clear` does; all arrays are int32, shape (n,)."""
        for i in range(len(columns)):
            x = cython.cast(cython.Py_ssize_t, columns[i]) + self.bias
            y = cython.cast(cython.Py_ssize_t, rows[i]) + self.bias
            self.clear_at(x, y)

    def clear_at(self, x: cython.Py_ssize_t, y: cython.Py_ssize_t) -> Raises[cython.int]:
        """Remove a cell of the grid, given with the bias."""
        chunk = self.chunk_at(x >> 5, y >> 5)
        place = ((y & 24) >> 1) + ((x & 24) >> 3)
        left: cython.uint = 0
        bit: cython.uint = 1
        bit <<= x & 31
        if chunk < 0 or not self.words[(chunk << 5) + (y & 31)] & bit:
            return 0
        self.words[(chunk << 5) + (y & 31)] ^= bit
        self.count -= 1
        for i in range(8):
            left |= self.words[(chunk << 5) + (y & 24) + i]
        if (left >> (x & 24)) & 255:
            return 0
        self.free_blocks.append(self.block_at[(chunk << 4) + place])
        self.block_at[(chunk << 4) + place] = 0
        for i in range(16):
            if self.block_at[(chunk << 4) + i]:
                return 0
        self.remove_chunk(self.rank((y >> 5 << 32) + (x >> 5)))
        return 0

    def add_chunk(self, x: cython.Py_ssize_t, y: cython.Py_ssize_t) -> Raises[cython.Py_ssize_t]:
        """Add an empty chunk. Return its number."""
        key: cython.longlong = (y << 32) + x
        chunk: cython.Py_ssize_t
        i = self.used
        if i == len(self.keys):
            room = i + i // SPARE + 2
            self.keys = resized("q", self.keys, room, 0)
            self.chunks = resized("i", self.chunks, room, 0)
            self.words = resized("I", self.words, 32 * room, 0)
            self.block_at = resized("i", self.block_at, 16 * room, 0)
            for chunk in range(i, room):
                self.chunks[chunk] = chunk
        chunk = self.chunks[i]
        while i > 0 and self.keys[i - 1] > key:
            self.keys[i] = self.keys[i - 1]
            self.chunks[i] = self.chunks[i - 1]
            i -= 1
        self.keys[i] = key
        self.chunks[i] = chunk
        self.used += 1
        return chunk

    def remove_chunk(self, i: cython.Py_ssize_t) -> Gil[None]:
        """Remove the i-th chunk, which is empty."""
        chunk = self.chunks[i]
        self.used -= 1
        while i < self.used:
            self.keys[i] = self.keys[i + 1]
            self.chunks[i] = self.chunks[i + 1]
            i += 1
        self.chunks[i] = chunk

    def add_block(self, first: cython.Py_ssize_t) -> Raises[cython.Py_ssize_t]:
        """Return the number of a free block, or of a new one."""
        if self.free_blocks:
            at: cython.Py_ssize_t = self.free_blocks.pop()
        else:
            at = self.used_blocks
            self.used_blocks += 1
        if not self.edged:
            if at >= len(self.first):
                self.first = resized("i", self.first, at + at // SPARE + 16, 0)
            self.first[at] = first
        return at

    # -- asking ------------------------------------------------------------------------------------

    def rank(self, key: cython.longlong) -> NoGil[cython.Py_ssize_t]:
        """Return how many chunks have a lower key."""
        low: cython.Py_ssize_t = 0
        high = self.used
        while low < high:
            middle = (low + high) >> 1
            if self.keys[middle] < key:
                low = middle + 1
            else:
                high = middle
        return low

    def chunk_at(self, x: cython.Py_ssize_t, y: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """Return the number of the chunk in a column and row of chunks; -1 if it is empty."""
        key: cython.longlong = (y << 32) + x
        i = self.rank(key)
        if i < self.used and self.keys[i] == key:
            return self.chunks[i]
        return -1

    def slot(self, column: int, row: int) -> int:
        """Return the slot of a cell: its index in an array with 64 values per block.

        A cell keeps its slot while its block holds any cell. All cells outside the blocks share the
        slots below 64, so 64 zeros at the start of the array are their values.
        """
        if not self.inside(column, row):
            return 0
        x: cython.Py_ssize_t = column + self.bias
        y: cython.Py_ssize_t = row + self.bias
        chunk = self.chunk_at(x >> 5, y >> 5)
        return self.slot_in(chunk, x, y)

    def slots(self, columns: cython.int[::1], rows: cython.int[::1]) -> np.ndarray:
        """Return the slots of many cells of the grid; all arrays are int32, shape (n,)."""
        return self.each_slot(columns, rows, False)

    def each_slot(
        self, columns: cython.int[::1], rows: cython.int[::1], adds: cython.bint
    ) -> Object[np.ndarray]:
        """Return the slots of many cells; with `adds`, add those that are not held."""
        found = np.empty(len(columns), np.int32)
        slots: cython.int[::1] = found
        chunk: cython.Py_ssize_t = -1
        chunk_x: cython.Py_ssize_t = -1
        chunk_y: cython.Py_ssize_t = -1
        one: cython.uint = 1
        for i in range(len(columns)):
            x = cython.cast(cython.Py_ssize_t, columns[i]) + self.bias
            y = cython.cast(cython.Py_ssize_t, rows[i]) + self.bias
            if x >> 5 != chunk_x or y >> 5 != chunk_y:
                chunk_x, chunk_y = x >> 5, y >> 5
                chunk = self.chunk_at(chunk_x, chunk_y)
            slots[i] = self.slot_in(chunk, x, y)
            if not adds:
                continue
            if slots[i] < 64:  # no block yet
                self.set(int(columns[i]), int(rows[i]))  # as plain numbers in Python, too
                chunk = self.chunk_at(chunk_x, chunk_y)
                slots[i] = self.slot_in(chunk, x, y)
            bit: cython.uint = one << (x & 31)
            if not self.words[(chunk << 5) + (y & 31)] & bit:
                self.words[(chunk << 5) + (y & 31)] |= bit
                self.count += 1
        return found

    def slot_in(
        self, chunk: cython.Py_ssize_t, x: cython.Py_ssize_t, y: cython.Py_ssize_t
    ) -> NoGil[cython.Py_ssize_t]:
        """Return the slot of a cell of a chunk; -1 stands for an empty chunk."""
        block: cython.Py_ssize_t = 0
        if chunk >= 0:
            block = self.block_at[(chunk << 4) + ((y & 24) >> 1) + ((x & 24) >> 3)]
        return (block << 6) + ((y & 7) << 3) + (x & 7)

    def inside(self, column: Any, row: Any) -> Annotated[cython.bint, "except -1"]:
        """Return whether a cell lies in the grid."""
        if self.edged:
            return 0 <= column < self.columns and 0 <= row < self.rows
        return -FARTHEST < column < FARTHEST and -FARTHEST < row < FARTHEST

    def check_inside(self, column: Any, row: Any) -> None:
        """Refuse a cell outside the grid.

        Raises:
            ValueError: It lies outside.
        """
        if not self.inside(column, row):
            size = "all bounds"
            if self.edged:
                size = f"{self.columns} columns, {self.rows} rows"
            raise ValueError(f"cell ({column}, {row}) lies outside of {size}")

    # -- inspecting --------------------------------------------------------------------------------

    def parts(self) -> Parts:
        """Return the arrays themselves, for `blocks.py`; a change makes others."""
        return Parts(
            np.asarray(self.keys)[: self.used],
            np.asarray(self.chunks),
            np.asarray(self.words).reshape(-1, 32),
            np.asarray(self.block_at).reshape(-1, 16),
            np.asarray(self.first),
            self.free_blocks,
            self.used_blocks,
            self.bias,
        )

    @property
    def nbytes(self) -> int:
        """The memory of the arrays, in bytes."""
        words = 8 * len(self.keys) + 4 * (len(self.chunks) + len(self.words) + len(self.block_at))
        return words + 4 * len(self.first) + 8 * len(self.free_blocks)

    def __len__(self) -> int:
        return self.count

    def __reduce__(self) -> tuple[Any, ...]:
        state = (
            bytes(self.keys),
            bytes(self.chunks),
            bytes(self.words),
            bytes(self.block_at),
            bytes(self.first),
            (self.count, self.used, self.used_blocks),
            list(self.free_blocks),
        )
        return CellSet, (self.ids, self.order), state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        keys, chunks, words, blocks, first, numbers, self.free_blocks = state
        self.keys, self.chunks = array("q", keys), array("i", chunks)
        self.words, self.block_at = array("I", words), array("i", blocks)
        self.first = array("i", first)
        self.count, self.used, self.used_blocks = numbers

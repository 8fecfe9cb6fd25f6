"""List the held cells of a range in draw order, row by row or along diagonals; or count them.

A range counts steps and lines, which `CellOrder` defines: usually columns and rows. Row by row, two
bisections per row of chunks find the chunks in range, whose words are read from end to end. Along
diagonals, cells are tested one by one; empty chunks and blocks are skipped as a whole.

Cost: about a nanosecond per id, and a few per row of each chunk in range.
"""

from __future__ import annotations

from array import array
from typing import Annotated, Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Gil, NoGil, Object
from tilequad._core.cells.blocks import sorted_ids
from tilequad._core.cells.cell_set import LOW_HALF, CellSet

LONG: cython.Py_ssize_t = 1 << 30  # farther than any step or line
FULL: cython.uint = 0xFFFFFFFF  # all 32 cells in a row of a chunk
EVEN: cython.uint = 0x55555555  # every second one
EVERY: cython.Py_ssize_t = 3  # both even and odd rows
SLACK: cython.Py_ssize_t = 8  # ids are written eight at a time, so results need spare places


def bits_of_bytes(leftwards: bool) -> Object[array[int]]:
    """List for each byte the number of set bits and their places; eight places, the last unused."""
    found = array("i")
    for byte in range(256):
        bits = [bit for bit in range(8) if byte >> bit & 1]
        if leftwards:
            bits.reverse()
        found.extend([len(bits), *bits, *[0] * (8 - len(bits))])
    return found


RIGHTWARDS: cython.int[::1] = bits_of_bytes(False)
LEFTWARDS: cython.int[::1] = bits_of_bytes(True)


def list_cells(
    cells: CellSet, min_step: int, min_line: int, max_step: int, max_line: int
) -> np.ndarray:
    """Find the held cells in a range of steps and lines, inclusive, which may lie outside the grid.

    Returns:
        Ids line by line, step by step; int32, shape (n,).

    Raises:
        ValueError: A minimum exceeds its maximum.
    """
    first = clamped(min_step)
    last = clamped(max_step)
    top = clamped(min_line)
    bottom = clamped(max_line)
    if first > last or top > bottom:
        refuse_range(min_step, min_line, max_step, max_line)
    if cells.diagonal:
        return diagonal_ids(cells, first, top, last, bottom)
    return walk_of(cells, first, top, last, bottom).listed()


def count_cells(cells: CellSet, min_step: int, min_line: int, max_step: int, max_line: int) -> int:
    """Return the number of ids that `list_cells` returns for a range.

    Cost: less than listing; if every cell of the grid is held, the same for a range of any size,
    unless rows or columns are staggered. Along diagonals, the cells are listed.
    """
    if cells.diagonal:
        return len(list_cells(cells, min_step, min_line, max_step, max_line))
    first = clamped(min_step)
    last = clamped(max_step)
    top = clamped(min_line)
    bottom = clamped(max_line)
    if first > last or top > bottom:
        refuse_range(min_step, min_line, max_step, max_line)
    return walk_of(cells, first, top, last, bottom).counted()


def all_cells(cells: CellSet) -> np.ndarray:
    """Return the ids of all held cells in order; int32, shape (n,)."""
    return list_cells(cells, -LONG, -LONG, LONG, LONG)


# -- row by row ------------------------------------------------------------------------------------


@cython.final
@cython.cclass
class Part:
    """A rectangle of cells, or every second row or column of it.

    Attributes:
        left: The first column; all four include the bias of the cells.
        top: The first row.
        right: The last column, inclusive.
        bottom: The last row, inclusive.
        columns: A mask of the columns of each chunk.
        rows: Which rows belong to it: 1 for even, 2 for odd, 3 for all.
    """

    __slots__ = {
        "left": "Py_ssize_t",
        "top": "Py_ssize_t",
        "right": "Py_ssize_t",
        "bottom": "Py_ssize_t",
        "columns": "unsigned int",
        "rows": "Py_ssize_t",
    }

    def place(
        self,
        left: cython.Py_ssize_t,
        top: cython.Py_ssize_t,
        right: cython.Py_ssize_t,
        bottom: cython.Py_ssize_t,
        columns: cython.uint,
        rows: cython.Py_ssize_t,
    ) -> Gil[None]:
        """Set all attributes."""
        self.left, self.top, self.right, self.bottom = max(left, 0), max(top, 0), right, bottom
        self.columns, self.rows = columns, rows

    def size(self) -> Gil[cython.Py_ssize_t]:
        """Return how many cells the rectangle has."""
        return max(self.right - self.left + 1, 0) * max(self.bottom - self.top + 1, 0)


@cython.final
@cython.cclass
class RowWalk:
    """A walk through the rows of one or two parts; in each row, the first part comes first."""

    __slots__ = {
        "cells": "CellSet",
        "first": "Part",
        "second": "Part",
        "leftwards": "bint",
        "upwards": "bint",
        "writing": "bint",
        "runs": "bint",  # whether the ids of a row of a full chunk are consecutive
        "bits": "int*",
        "out": "int*",
        "at": "Py_ssize_t",
    }

    def begin(
        self,
        cells: CellSet,
        first: cython.Py_ssize_t,
        top: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        bottom: cython.Py_ssize_t,
    ) -> Gil[None]:
        """Set the cells, and the parts that a range of steps and lines covers."""
        bias = cells.bias
        even = cells.even
        odd = 1 - even
        self.cells = cells
        self.leftwards, self.upwards = cells.leftwards, cells.upwards
        self.runs = cells.edged and cells.stagger < 2 and not cells.leftwards
        table: cython.int[::1] = LEFTWARDS if self.leftwards else RIGHTWARDS
        self.bits = cython.address(table[0]) if cython.compiled else table
        self.first = Part.__new__(Part)
        second: Part = Part.__new__(Part) if cells.stagger else self.first
        self.second = second if cells.stagger else None
        if cells.stagger == 1:  # step = 2 * column + shift, so even and odd rows differ
            top, bottom = top + bias, bottom + bias
            self.first.place(
                ((first - even + 1) >> 1) + bias, top, ((last - even) >> 1) + bias, bottom, FULL, 1
            )
            second.place(
                ((first - odd + 1) >> 1) + bias, top, ((last - odd) >> 1) + bias, bottom, FULL, 2
            )
        elif cells.stagger == 2:  # columns without a shift are drawn first
            first, last = first + bias, last + bias
            self.first.place(
                first, ((top + 1) >> 1) + bias, last, (bottom >> 1) + bias, EVEN << even, EVERY
            )
            second.place(
                first, (top >> 1) + bias, last, ((bottom - 1) >> 1) + bias, EVEN << odd, EVERY
            )
        else:
            if self.leftwards:
                first, last = -last, -first
            if self.upwards:
                top, bottom = -bottom, -top
            self.first.place(first + bias, top + bias, last + bias, bottom + bias, FULL, EVERY)

    def listed(self) -> Object[np.ndarray]:
        """Return the ids of the cells; int32, shape (n,)."""
        most = self.first.size()
        if self.second is not None:
            most += self.second.size()
        most = min(most, self.cells.count) + SLACK
        ids = np.empty(most, np.int32)
        view: cython.int[::1] = ids
        self.out = cython.address(view[0]) if cython.compiled else ids
        self.writing = True
        self.run()
        return trimmed(ids, self.at)

    def counted(self) -> Object[int]:
        """Return the number of cells."""
        cells: CellSet = self.cells
        if cells.edged and cells.count == cells.columns * cells.rows and not cells.stagger:
            self.first.right = min(self.first.right, cells.columns - 1)
            self.first.bottom = min(self.first.bottom, cells.rows - 1)
            return self.first.size()
        self.writing = self.runs = False
        self.run()
        return self.at

    def run(self) -> Gil[None]:
        """List or count the cells, one row of chunks after the other."""
        cells: CellSet = self.cells
        left = self.first.left
        top = self.first.top
        right = self.first.right
        bottom = self.first.bottom
        if self.second is not None:
            left, right = min(left, self.second.left), max(right, self.second.right)
            top, bottom = min(top, self.second.top), max(bottom, self.second.bottom)
        self.at = 0
        if left > right or top > bottom:
            return
        i = cells.rank(top >> 5 << 32)
        if self.upwards:
            i = cells.rank(((bottom >> 5) + 1) << 32) - 1
        while 0 <= i < cells.used:
            line: cython.Py_ssize_t = cells.keys[i] >> 32
            if line < top >> 5 or line > bottom >> 5:
                break
            start = cells.rank((line << 32) + (left >> 5))
            end = cells.rank((line << 32) + (right >> 5) + 1)
            if start < end:
                self.list_chunks(start, end, max(top, line << 5), min(bottom, (line << 5) + 31))
            i = cells.rank(line << 32) - 1 if self.upwards else cells.rank((line + 1) << 32)

    def list_chunks(
        self,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        top: cython.Py_ssize_t,
        bottom: cython.Py_ssize_t,
    ) -> Gil[None]:
        """List the cells of some chunks in a row of chunks, from one row of cells to another."""
        for i in range(bottom - top + 1):
            y = bottom - i if self.upwards else top + i
            self.list_row(self.first, y, start, end)
            if self.second is not None:
                self.list_row(self.second, y, start, end)

    def list_row(
        self,
        part: Part,
        y: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
    ) -> Gil[None]:
        """List the cells of a part in one row of some chunks."""
        cells: CellSet = self.cells
        at = self.at
        run: cython.int = 0  # length of a run of ids that is not written yet
        past: cython.int = 0  # one past its last id
        if y < part.top or y > part.bottom or not (part.rows >> (y & 1)) & 1:
            return
        for i in range(start, end):
            j = start + end - 1 - i if self.leftwards else i
            chunk: cython.Py_ssize_t = cells.chunks[j]
            x: cython.Py_ssize_t = (cells.keys[j] & LOW_HALF) << 5
            low, high = max(part.left - x, 0), min(part.right - x, 31)
            if low > 31 or high < 0:
                continue
            mask: cython.uint = (FULL << low) & (FULL >> (31 - high)) & part.columns
            word: cython.uint = cells.words[(chunk << 5) + (y & 31)] & mask
            if word == 0:
                continue
            if not self.writing and word == FULL:
                at += 32
                continue
            if self.runs and word == mask:
                id: cython.int = y * cells.stride + x
                if run and past != id + low:
                    at = write_run(self.out, at, past - run, run)
                    run = 0
                run += high - low + 1
                past = id + high + 1
                continue
            if run:
                at = write_run(self.out, at, past - run, run)
                run = 0
            at = self.list_word(at, chunk, x, y, word)
        if run:
            at = write_run(self.out, at, past - run, run)
        self.at = at

    def list_word(
        self,
        at: cython.Py_ssize_t,
        chunk: cython.Py_ssize_t,
        x: cython.Py_ssize_t,
        y: cython.Py_ssize_t,
        word: cython.uint,
    ) -> Gil[cython.Py_ssize_t]:
        """List the cells in a row of a chunk, of which x is the first. Return where they end."""
        cells: CellSet = self.cells
        bits: cython.p_int = self.bits
        for i in range(4):
            j: cython.Py_ssize_t = 3 - i if self.leftwards else i
            held: cython.Py_ssize_t = 9 * ((word >> (8 * j)) & 255)
            if held == 0:
                continue
            if self.writing:
                if cells.edged:
                    id = y * cells.stride + x + 8 * j
                else:
                    id = cells.first[cells.block_at[(chunk << 4) + ((y & 24) >> 1) + j]]
                    id += (y & 7) * cells.stride
                write_bits(self.out, at, id, bits, held)
            at += bits[held]
        return at


def write_run(
    out: cython.p_int, at: cython.Py_ssize_t, id: cython.int, count: cython.int
) -> NoGil[cython.Py_ssize_t]:
    """Write consecutive ids. Return where they end."""
    for i in range(count):
        out[at + i] = id + i
    return at + count


def write_bits(
    out: cython.p_int,
    at: cython.Py_ssize_t,
    id: cython.int,
    bits: cython.p_int,
    held: cython.Py_ssize_t,
) -> NoGil[None]:
    """Write the ids of the held cells among eight, of which `id` is the first."""
    for i in range(8):
        out[at + i] = id + bits[held + 1 + i]


def walk_of(
    cells: CellSet,
    first: cython.Py_ssize_t,
    top: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    bottom: cython.Py_ssize_t,
) -> Object[RowWalk]:
    """Make a walk without calling the class, which would take a fifth of a small query."""
    walk: RowWalk = RowWalk.__new__(RowWalk)
    walk.begin(cells, first, top, last, bottom)
    return walk


# -- along diagonals -------------------------------------------------------------------------------


def diagonal_ids(
    cells: CellSet,
    first_step: cython.Py_ssize_t,
    first_line: cython.Py_ssize_t,
    last_step: cython.Py_ssize_t,
    last_line: cython.Py_ssize_t,
) -> Object[np.ndarray]:
    """Return the ids of held cells by line = x + y and, within a line, by step = x - y."""
    right: cython.Py_ssize_t = 0
    bottom: cython.Py_ssize_t = 0
    if cells.edged:  # clip the range, so that its size tells how long a walk takes
        right, bottom = cells.columns - 1, cells.rows - 1
        first_step, last_step = max(first_step, -bottom), min(last_step, right)
        first_line, last_line = max(first_line, 0), min(last_line, right + bottom)
    if cells.count == 0 or first_step > last_step or first_line > last_line:
        return np.empty(0, np.int32)
    width = (last_step - first_step) // 2 + 1
    if (last_line - first_line + 1) * (width // 32 + 1) > 64 * cells.count:
        return sorted_ids(cells, first_step, first_line, last_step, last_line)
    ids = np.empty(min(width * (last_line - first_line + 1), cells.count) + SLACK, np.int32)
    return trimmed(ids, write_diagonals(cells, ids, first_step, first_line, last_step, last_line))


def write_diagonals(
    cells: CellSet,
    ids: cython.int[::1],
    first_step: cython.Py_ssize_t,
    first_line: cython.Py_ssize_t,
    last_step: cython.Py_ssize_t,
    last_line: cython.Py_ssize_t,
) -> Gil[cython.Py_ssize_t]:
    """Write the ids of `diagonal_ids`. Return their number."""
    at: cython.Py_ssize_t = 0
    # how many cells in a row have ids at equal distances: those of a chunk, or of a block
    mask: cython.Py_ssize_t = 31 if cells.edged else 7
    chunk: cython.Py_ssize_t = -1
    chunk_x: cython.Py_ssize_t = -1
    chunk_y: cython.Py_ssize_t = -1
    # the next line passes mostly through the same chunks, so the last ones are remembered
    known = cython.declare(cython.Py_ssize_t[256])
    keys = cython.declare(cython.Py_ssize_t[256])
    words: cython.uint[::1] = cells.words
    for i in range(256):
        keys[i] = -1
    for line in range(first_line + 2 * cells.bias, last_line + 2 * cells.bias + 1):
        x = max((first_step + line + 1) >> 1, 0)
        last = min((last_step + line) >> 1, line)
        while x <= last:
            y = line - x
            if x >> 5 != chunk_x or y >> 5 != chunk_y:
                chunk_x, chunk_y = x >> 5, y >> 5
                i = (chunk_x + 16 * chunk_y) & 255
                if keys[i] != (chunk_y << 32) + chunk_x:
                    keys[i] = (chunk_y << 32) + chunk_x
                    known[i] = cells.chunk_at(chunk_x, chunk_y)
                chunk = known[i]
            if chunk < 0:
                x += min(32 - (x & 31), (y & 31) + 1)
                continue
            size = min(mask + 1 - (x & mask), (y & mask) + 1, last - x + 1)
            if cells.edged:
                id = y * cells.stride + x
            else:
                id = cells.first[cells.block_at[(chunk << 4) + ((y & 24) >> 1) + ((x & 24) >> 3)]]
                id += (y & 7) * cells.stride + (x & 7)
            for i in range(size):
                ids[at] = id
                at += (words[(chunk << 5) + ((y & 31) - i)] >> ((x & 31) + i)) & 1
                id += 1 - cells.stride
            x += size
    return at


# -- helpers ---------------------------------------------------------------------------------------


def trimmed(ids: np.ndarray, count: cython.Py_ssize_t) -> Object[np.ndarray]:
    """Return the first ids; copy them if that frees much memory."""
    return ids[:count] if 2 * count > len(ids) else ids[:count].copy()


def clamped(value: Any) -> Annotated[cython.Py_ssize_t, "except? -1"]:
    """Clamp a step or line, which may be any integer, to the range of cells."""
    try:
        number: cython.Py_ssize_t = value
    except OverflowError:
        return LONG if value > 0 else -LONG
    return max(-LONG, min(number, LONG))


def refuse_range(min_step: int, min_line: int, max_step: int, max_line: int) -> Object[None]:
    """Raise the error for an empty range."""
    if min_step > max_step:
        raise ValueError(f"min_step must be <= max_step, got {min_step}, {max_step}")
    raise ValueError(f"min_line must be <= max_line, got {min_line}, {max_line}")

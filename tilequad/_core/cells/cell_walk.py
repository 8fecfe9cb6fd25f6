"""Walks that list the held cells of a range in order: row by row, or along diagonals.

Row by row: a front is a row of neighboring nodes, from left to right. Their children form eight
rows; the existing ones in each row are the next front, one level down. A front of blocks
lists its rows of cells one by one. So the walk visits each node in range once, reads it once for
each of its eight rows, and never visits missing nodes.

Along diagonals: the walk tests cells one by one, and skips missing nodes and blocks as a whole.
"""

from __future__ import annotations

from array import array

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Gil, NoGil, Object
from tilequad._core.cells.cell_blocks import CellBlocks

FRONT: cython.Py_ssize_t = 1024  # size of the fronts on the stack, in ints: two per node or block
FULL: cython.int = 0xFF  # all eight cells in a row of a block
EVERY_CELL: cython.ulonglong = 0xFFFFFFFFFFFFFFFF  # of a block
EVERY_ROW: cython.Py_ssize_t = (
    0x01010101  # times a mask of columns: the same columns in each of the four rows of half a block
)
LOW_HALF: cython.ulonglong = 0xFFFFFFFF  # of a word
SLACK: cython.Py_ssize_t = 8  # ids are written eight at a time, so results need spare places


def places(leftwards: bool) -> array[int]:
    """List for each byte the number of set bits and their places, padded to eight places."""
    found = array("i")
    for byte in range(256):
        bits = [bit for bit in range(8) if byte >> bit & 1]
        if leftwards:
            bits.reverse()
        found.extend([len(bits), *bits, *[0] * (8 - len(bits))])
    return found


RIGHTWARDS: cython.int[::1] = places(False)
LEFTWARDS: cython.int[::1] = places(True)


@cython.final
@cython.cclass
class Part:
    """A rectangle of cells, or every second row or column of it.

    Attributes:
        left: The first column; all four include the bias of the blocks.
        top: The first row.
        right: The last column, inclusive.
        bottom: The last row, inclusive.
        columns: A mask of the columns of each block.
        rows: A mask of the rows of each block.
    """

    __slots__ = {
        "left": "Py_ssize_t",
        "top": "Py_ssize_t",
        "right": "Py_ssize_t",
        "bottom": "Py_ssize_t",
        "columns": "Py_ssize_t",
        "rows": "Py_ssize_t",
    }

    def __init__(self) -> None:
        self.left = self.top = self.right = self.bottom = self.columns = self.rows = 0

    def clip(self, blocks: CellBlocks) -> Gil[None]:
        """Clip the rectangle to the root; the result may be empty."""
        shift: cython.Py_ssize_t = 3 * blocks.height + 3
        self.left = max(self.left, blocks.root_x << shift)
        self.top = max(self.top, blocks.root_y << shift)
        self.right = min(self.right, ((blocks.root_x + 1) << shift) - 1)
        self.bottom = min(self.bottom, ((blocks.root_y + 1) << shift) - 1)

    def size(self) -> Gil[cython.Py_ssize_t]:
        """Return an upper limit of the number of cells."""
        return max(self.right - self.left + 1, 0) * max(self.bottom - self.top + 1, 0)

    def has_row(self, y: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Return whether a row of cells belongs to the part."""
        return self.top <= y <= self.bottom and (self.rows >> (y & 7)) & 1 != 0


@cython.final
@cython.cclass
class RowWalk:
    """A walk through one or two parts, row by row."""

    __slots__ = {
        "blocks": "CellBlocks",
        "first": "Part",
        "second": "Part",
        "left": "Py_ssize_t",
        "top": "Py_ssize_t",
        "right": "Py_ssize_t",
        "bottom": "Py_ssize_t",
        "leftwards": "bint",
        "upwards": "bint",
        "out": "int*",
        "bits": "int*",
        "at": "Py_ssize_t",
        "writing": "bint",
    }

    def begin(
        self,
        blocks: CellBlocks,
        first: Part,
        second: Part | None,
        leftwards: cython.bint,
        upwards: cython.bint,
    ) -> Gil[None]:
        """Set the cells and the parts to walk through.

        Args:
            blocks: The cells.
            first: A part.
            second: A part to list after the first in each row, or None.
            leftwards: Whether to list rows from right to left.
            upwards: Whether to list rows from bottom to top.
        """
        first.clip(blocks)
        self.blocks = blocks
        self.first = first
        self.second = second
        self.left, self.right = first.left, first.right
        self.top, self.bottom = first.top, first.bottom
        if second is not None:
            second.clip(blocks)
            self.left, self.right = min(self.left, second.left), max(self.right, second.right)
            self.top, self.bottom = min(self.top, second.top), max(self.bottom, second.bottom)
        self.leftwards = leftwards
        self.upwards = upwards
        if cython.compiled:
            table: cython.int[::1] = LEFTWARDS if leftwards else RIGHTWARDS
            self.bits = cython.address(table[0])
        else:
            self.bits = LEFTWARDS if leftwards else RIGHTWARDS

    def listed(self) -> Object[np.ndarray]:
        """Return the ids of the cells; int32, shape (n,)."""
        most: cython.Py_ssize_t = self.first.size()
        if self.second is not None:
            most += self.second.size()
        most = min(most, self.blocks.count) + SLACK
        ids = np.empty(most, np.int32)
        view: cython.int[::1] = ids
        self.out = cython.address(view[0]) if cython.compiled else ids
        self.writing = True
        self.run()
        return ids[: self.at] if 2 * self.at > most else ids[: self.at].copy()

    def counted(self) -> Object[int]:
        """Return the number of cells."""
        self.writing = False
        if not cython.compiled:  # in compiled code it is a pointer
            self.out = np.empty(0, np.int32)
        self.run()
        return self.at

    def run(self) -> Object[None]:
        """Walk from the root."""
        narrow = cython.declare(cython.int[1024])
        wide: cython.int[::1]
        blocks = self.blocks
        level: cython.Py_ssize_t
        size: cython.Py_ssize_t = 2 + 4 * ((self.right >> 3) - (self.left >> 3) + 1)  # with words
        self.at = 0
        if blocks.root == 0 or self.left > self.right or self.top > self.bottom:
            return
        for level in range(1, blocks.height + 1):
            size += 2 * ((self.right >> (3 * level)) - (self.left >> (3 * level)) + 1)
        if size <= FRONT:
            narrow[0] = cython.cast(cython.int, blocks.root)
            narrow[1] = cython.cast(cython.int, blocks.root_x)
            self.walk(narrow, 0, 1, blocks.height, blocks.root_y)
            return
        # no front is longer than the number of blocks
        size = min(size, 2 * (blocks.height + 3) * (blocks.used_blocks + 1))
        front = np.empty(size, np.int32)
        wide = front
        wide[0] = cython.cast(cython.int, blocks.root)
        wide[1] = cython.cast(cython.int, blocks.root_x)
        if cython.compiled:
            self.walk(cython.address(wide[0]), 0, 1, blocks.height, blocks.root_y)
        else:
            self.walk(wide, 0, 1, blocks.height, blocks.root_y)

    def walk(
        self,
        front: cython.p_int,
        start: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        level: cython.Py_ssize_t,
        y: cython.Py_ssize_t,
    ) -> Gil[None]:
        """List the cells below a front of neighboring nodes.

        Args:
            front: Number and x of each node, from left to right.
            start: Index of the first node in `front`; the space after the last is free.
            n: The number of nodes.
            level: The level of the nodes.
            y: The row of the nodes, counted in nodes.
        """
        blocks = self.blocks
        shift: cython.Py_ssize_t = 3 * level
        first: cython.Py_ssize_t = self.left >> shift
        last: cython.Py_ssize_t = self.right >> shift
        end: cython.Py_ssize_t = start + 2 * n
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        at: cython.Py_ssize_t
        row: cython.Py_ssize_t
        x: cython.Py_ssize_t
        below: cython.Py_ssize_t
        marks: cython.ulonglong
        if level == 0:
            self.write_block_rows(front, start, n, y)
            return
        for i in range(8):
            row = 7 - i if self.upwards else i
            if (y << 3) + row < self.top >> shift or (y << 3) + row > self.bottom >> shift:
                continue
            below = end
            for at in range(start, end, 2):
                marks = (blocks.marks[front[at]] >> (row << 3)) & 0xFF
                x = cython.cast(cython.Py_ssize_t, front[at + 1]) << 3
                for j in range(max(first - x, 0), min(last - x, 7) + 1):
                    if (marks >> j) & 1:
                        front[below] = blocks.children[
                            (cython.cast(cython.Py_ssize_t, front[at]) << 6) + (row << 3) + j
                        ]
                        front[below + 1] = cython.cast(cython.int, x + j)
                        below += 2
            if below > end:
                self.walk(front, end, (below - end) >> 1, level - 1, (y << 3) + row)

    def write_block_rows(
        self,
        front: cython.p_int,
        start: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        y: cython.Py_ssize_t,
    ) -> Gil[None]:
        """List the cells of a front of neighboring blocks."""
        words: cython.Py_ssize_t = start + 2 * n
        i: cython.Py_ssize_t
        row: cython.Py_ssize_t
        if self.is_full(front, start, n):
            self.write_full_rows(front[start + 1], n, y)
            return
        self.copy_words(front, start, n, words, self.first)
        if self.second is not None:
            self.copy_words(front, start, n, words + 2 * n, self.second)
        for i in range(8):
            row = (y << 3) + (7 - i if self.upwards else i)
            if self.first.has_row(row):
                self.write_row(front, start, n, words, row)
            if self.second is not None and self.second.has_row(row):
                self.write_row(front, start, n, words + 2 * n, row)

    def is_full(
        self, front: cython.p_int, start: cython.Py_ssize_t, n: cython.Py_ssize_t
    ) -> Gil[cython.bint]:
        """Return whether each row through the blocks is one run of ids: no cell is missing."""
        i: cython.Py_ssize_t
        missing: cython.ulonglong = 0
        blocks = self.blocks
        if self.leftwards or self.second is not None or not blocks.edged or not self.writing:
            return False
        if front[start + 2 * n - 1] - front[start + 1] != n - 1:
            return False
        for i in range(start, start + 2 * n, 2):
            missing |= blocks.bits[front[i]] ^ EVERY_CELL
        return missing == 0

    def write_full_rows(
        self, block_x: cython.Py_ssize_t, n: cython.Py_ssize_t, y: cython.Py_ssize_t
    ) -> Gil[None]:
        """List the cells of n neighboring full blocks, the first at x = block_x, in blocks."""
        left: cython.Py_ssize_t = max(self.left, block_x << 3)
        right: cython.Py_ssize_t = min(self.right, ((block_x + n) << 3) - 1)
        i: cython.Py_ssize_t
        row: cython.Py_ssize_t
        for i in range(8):
            row = (y << 3) + (7 - i if self.upwards else i)
            if self.top <= row <= self.bottom:
                self.at = write_run(
                    self.out,
                    self.at,
                    cython.cast(cython.int, row * self.blocks.stride + left),
                    cython.cast(cython.int, right - left + 1),
                )

    def copy_words(
        self,
        front: cython.p_int,
        start: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        to: cython.Py_ssize_t,
        part: Part,
    ) -> Gil[None]:
        """Copy the words of blocks into the front, two ints each; drop columns outside the part."""
        i: cython.Py_ssize_t
        x: cython.Py_ssize_t
        columns: cython.ulonglong
        word: cython.ulonglong
        for i in range(n):
            x = cython.cast(cython.Py_ssize_t, front[start + 2 * i + 1]) << 3
            columns = part.columns
            if x < part.left:
                columns &= FULL << min(part.left - x, 8)
            if x + 7 > part.right:
                columns &= FULL >> min(x + 7 - part.right, 8)
            columns *= EVERY_ROW
            word = self.blocks.bits[front[start + 2 * i]]
            front[to + 2 * i] = signed(word & LOW_HALF & columns)
            front[to + 2 * i + 1] = signed((word >> 32) & columns)

    def write_row(
        self,
        front: cython.p_int,
        start: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
        words: cython.Py_ssize_t,
        y: cython.Py_ssize_t,
    ) -> Gil[None]:
        """List the cells of one row, across neighboring blocks."""
        out: cython.p_int = self.out
        at: cython.Py_ssize_t = self.at
        row: cython.Py_ssize_t = y & 7
        shift: cython.int = cython.cast(cython.int, (row & 3) << 3)
        edged: cython.bint = self.blocks.edged
        leftwards: cython.bint = self.leftwards
        line: cython.int = cython.cast(cython.int, (y if edged else row) * self.blocks.stride)
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        id: cython.int
        held: cython.int
        end: cython.int = 0  # one past the last id of a run that is not written yet
        run: cython.int = 0
        bits: cython.p_int = self.bits
        words += row >> 2
        for i in range(0, 2 * n, 2):
            k = 2 * n - 2 - i if leftwards else i
            held = (front[words + k] >> shift) & FULL
            if held == 0:
                continue
            if not self.writing:
                at += bits[9 * held]
                continue
            if edged:  # as CellBlocks.id_in, but with the row worked out before
                id = line + (front[start + k + 1] << 3)
            else:
                id = line + self.blocks.first[front[start + k]]
            if held == FULL and not leftwards:
                if id != end or run == 0:
                    at = write_run(out, at, end - run, run)
                    run = 0
                run += 8
                end = id + 8
                continue
            at = write_run(out, at, end - run, run)
            run = 0
            held *= 9
            for k in range(8):
                out[at + k] = id + bits[held + 1 + k]
            at += bits[held]
        self.at = write_run(out, at, end - run, run)


def write_run(
    out: cython.p_int, at: cython.Py_ssize_t, id: cython.int, count: cython.int
) -> NoGil[cython.Py_ssize_t]:
    """Write consecutive ids; return where they end."""
    i: cython.int
    for i in range(count):
        out[at + i] = id + i
    return at + count


def part_of(
    left: cython.Py_ssize_t,
    top: cython.Py_ssize_t,
    right: cython.Py_ssize_t,
    bottom: cython.Py_ssize_t,
    columns: cython.Py_ssize_t,
    rows: cython.Py_ssize_t,
) -> Object[Part]:
    """Make a part without calling the class, which would take a fifth of a small query."""
    part: Part = Part.__new__(Part)
    part.left, part.top, part.right, part.bottom = left, top, right, bottom
    part.columns, part.rows = columns, rows
    return part


def walk_of(
    blocks: CellBlocks,
    first: Part,
    second: Part | None,
    leftwards: cython.bint,
    upwards: cython.bint,
) -> Object[RowWalk]:
    """Make a walk; see `RowWalk.begin`."""
    walk: RowWalk = RowWalk.__new__(RowWalk)
    walk.begin(blocks, first, second, leftwards, upwards)
    return walk


def diagonal_ids(
    blocks: CellBlocks,
    first_step: cython.Py_ssize_t,
    first_line: cython.Py_ssize_t,
    last_step: cython.Py_ssize_t,
    last_line: cython.Py_ssize_t,
) -> Object[np.ndarray]:
    """Return the ids of held cells by line = x + y and, within a line, by step = x - y.

    Args:
        blocks: The cells.
        first_step: The first step.
        first_line: The first line.
        last_step: The last step, inclusive; not below the first.
        last_line: The last line, inclusive.

    Returns:
        Ids in order; int32, shape (n,).
    """
    shift: cython.Py_ssize_t = 3 * blocks.height + 3
    left: cython.Py_ssize_t = blocks.root_x << shift
    top: cython.Py_ssize_t = blocks.root_y << shift
    size: cython.Py_ssize_t = (cython.cast(cython.Py_ssize_t, 1) << shift) - 1
    first_step = max(first_step, left - top - size)
    last_step = min(last_step, left + size - top)
    first_line = max(first_line, left + top)
    last_line = min(last_line, left + top + 2 * size)
    if blocks.root == 0 or first_step > last_step or first_line > last_line:
        return np.empty(0, np.int32)
    most: cython.Py_ssize_t = ((last_step - first_step) // 2 + 1) * (last_line - first_line + 1)
    most = min(most, blocks.count) + SLACK
    ids = np.empty(most, np.int32)
    count: cython.Py_ssize_t = write_diagonals(
        blocks, ids, first_step, first_line, last_step, last_line
    )
    return ids[:count] if 2 * count > most else ids[:count].copy()


def write_diagonals(
    blocks: CellBlocks,
    ids: cython.int[::1],
    first_step: cython.Py_ssize_t,
    first_line: cython.Py_ssize_t,
    last_step: cython.Py_ssize_t,
    last_line: cython.Py_ssize_t,
) -> Gil[cython.Py_ssize_t]:
    """Write the ids of `diagonal_ids`. Return their number."""
    shift: cython.Py_ssize_t = 3 * blocks.height + 3
    left: cython.Py_ssize_t = blocks.root_x << shift
    right: cython.Py_ssize_t = ((blocks.root_x + 1) << shift) - 1
    top: cython.Py_ssize_t = blocks.root_y << shift
    bottom: cython.Py_ssize_t = ((blocks.root_y + 1) << shift) - 1
    at: cython.Py_ssize_t = 0
    line: cython.Py_ssize_t
    x: cython.Py_ssize_t
    y: cython.Py_ssize_t
    last: cython.Py_ssize_t
    level: cython.Py_ssize_t
    node: cython.Py_ssize_t
    place: cython.Py_ssize_t
    size: cython.Py_ssize_t
    id: cython.Py_ssize_t
    word: cython.ulonglong
    near: cython.Py_ssize_t = 0  # the last node of level 1; usually the next one too
    near_x: cython.Py_ssize_t = -1
    near_y: cython.Py_ssize_t = -1
    for line in range(first_line, last_line + 1):
        x = max((first_step + line + 1) >> 1, left, line - bottom)
        last = min((last_step + line) >> 1, right, line - top)
        while x <= last:
            y = line - x
            if x >> 6 == near_x and y >> 6 == near_y:
                level, node = 1, near
            else:
                level, node = blocks.height, blocks.root
                while level > 1 and node > 0:
                    node = blocks.children[(node << 6) + blocks.place_in(x, y, level)]
                    level -= 1
                if node > 0:
                    near, near_x, near_y = node, x >> 6, y >> 6
            if node > 0:
                node = blocks.children[(node << 6) + blocks.place_in(x, y, level)]
                level -= 1
            if node == 0:  # skip to where the diagonal leaves the empty square
                shift = 3 * level + 3
                size = cython.cast(cython.Py_ssize_t, 1) << shift
                x += min(size - (x & (size - 1)), (y & (size - 1)) + 1)
                continue
            place = ((y & 7) << 3) + (x & 7)
            size = min(8 - (x & 7), (y & 7) + 1, last - x + 1)
            id = blocks.id_in(node, x, y)
            word = blocks.bits[node]
            x += size
            while size > 0:
                ids[at] = cython.cast(cython.int, id)
                at += cython.cast(cython.Py_ssize_t, (word >> place) & 1)
                id += 1 - blocks.stride
                place -= 7
                size -= 1
    return at


def slots_of(
    blocks: CellBlocks, columns: cython.int[::1], rows: cython.int[::1]
) -> Object[np.ndarray]:
    """Return 64 * block + bit of each cell; block 0 if it has none."""
    found = np.empty(len(columns), np.int32)
    slots: cython.int[::1] = found
    i: cython.Py_ssize_t
    x: cython.Py_ssize_t
    y: cython.Py_ssize_t
    block: cython.Py_ssize_t = 0
    block_x: cython.Py_ssize_t = -1
    block_y: cython.Py_ssize_t = -1
    for i in range(len(columns)):
        x = columns[i] + blocks.bias
        y = rows[i] + blocks.bias
        if x >> 3 != block_x or y >> 3 != block_y:
            block, block_x, block_y = blocks.find(x, y), x >> 3, y >> 3
        slots[i] = cython.cast(cython.int, (block << 6) + ((y & 7) << 3) + (x & 7))
    return found


def signed(half: cython.ulonglong) -> NoGil[cython.int]:
    """Return the signed number with the same 32 bits."""
    return cython.cast(cython.int, half - ((half >> 31) << 32))

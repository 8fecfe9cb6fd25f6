# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Positions along a Z curve (Morton order), on which neighbours are neighbours in the plane.

A tree is built from positions in that order, and a batch of questions is asked in it, so that one
finds in the processor's caches what the one before it has read.
"""

from __future__ import annotations

from array import array

import numpy as np

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

COMPILED = bool(cython.compiled)

INF = float("inf")
MOST_BITS = 8  # cells along an axis, as a power of two: what `interleave` takes


def z_order(points: np.ndarray) -> array[int]:
    """The rows of (n, 2) positions along the curve, in cells of a few. O(n)."""
    bits = bits_for(len(points), 4)
    cells = Cells(points, bits)
    cells.sort(0, len(points), bits)
    return cells.rows


class Cells:
    """Sorts rows of positions by cell: the box around them, divided evenly 2^bits x 2^bits times.

    Args:
        points: The positions, (n, 2) float64, C-contiguous and writable.
        bits: How often both axes will be divided, at most.
    """

    __slots__ = ("keys", "lines", "points", "rows", "side", "spare", "starts")

    def __init__(self, points: np.ndarray, bits: int) -> None:
        self.points = points.data
        self.side = 0  # cells along an axis, of the last sort
        self.rows = array("i", np.arange(len(points), dtype=np.int32).tobytes())
        self.spare = array("i", [0]) * len(points)
        self.keys = array("i", [0]) * len(points)  # of a row: its cell's place on the curve
        self.starts = array("i", [0]) * ((1 << 2 * bits) + 2)  # of a cell: where its rows start
        # Where the columns of cells begin, and then the rows; the first and the last line are open.
        self.lines = array("d", [0.0]) * (2 * (1 << bits) + 2)

    def sort(self, low: cython.int, high: cython.int, bits: cython.int) -> cython.bint:
        """Sort a range of rows by cell along the Z curve; False if all of it is one point."""
        side: cython.int = 1 << bits
        i: cython.int
        key: cython.int
        x: cython.double
        y: cython.double
        min_x: cython.double = INF
        min_y: cython.double = INF
        max_x: cython.double = -INF
        max_y: cython.double = -INF
        for i in range(low, high):
            x = self.points[self.rows[i], 0]
            y = self.points[self.rows[i], 1]
            min_x = x if x < min_x else min_x
            min_y = y if y < min_y else min_y
            max_x = x if x > max_x else max_x
            max_y = y if y > max_y else max_y
        self.side = side
        self.rule(0, min_x, max_x)
        self.rule(side + 1, min_y, max_y)
        for key in range(side * side + 2):
            self.starts[key] = 0
        a_unit_x: cython.double = cells_a_unit(max_x - min_x, side)
        a_unit_y: cython.double = cells_a_unit(max_y - min_y, side)
        for i in range(low, high):
            x = self.points[self.rows[i], 0]
            y = self.points[self.rows[i], 1]
            key = interleave(
                between(self, 0, x, cython.cast(cython.int, (x - min_x) * a_unit_x)),
                between(self, side + 1, y, cython.cast(cython.int, (y - min_y) * a_unit_y)),
            )
            self.keys[i] = key
            self.starts[key + 2] += 1
        self.starts[0] = self.starts[1] = low
        for key in range(side * side):
            self.starts[key + 2] += self.starts[key + 1]
        # What starts[key + 1] says moves on from the start of cell `key` to the next one's.
        for i in range(low, high):
            key = self.keys[i] + 1
            self.spare[self.starts[key]] = self.rows[i]
            self.starts[key] += 1
        for i in range(low, high):
            self.rows[i] = self.spare[i]
        return min_x < max_x or min_y < max_y

    def rule(self, at: cython.int, low: cython.double, high: cython.double) -> None:
        """Write the lines between the cells of an axis, from line `at` on; low <= line <= high."""
        i: cython.int
        side: cython.int = self.side
        part: cython.double
        line: cython.double = low
        self.lines[at] = -INF
        for i in range(1, side):
            part = cython.cast(cython.double, i) / side
            line = min(max(low * (1.0 - part) + high * part, line), high)
            self.lines[at + i] = line
        self.lines[at + side] = INF
        # Between neighbours among the floats there is no line: the higher one is the high side.
        if self.lines[at + side - 1] <= low:
            self.lines[at + side - 1] = high


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def between(cells: Cells, at: cython.int, value: cython.double, cell: cython.int) -> cython.int:
    """Between which lines of an axis a value is, given a guess; on a line, the higher cell."""
    while value >= cells.lines[at + cell + 1]:
        cell += 1
    while value < cells.lines[at + cell]:
        cell -= 1
    return cell


def bits_for(count: cython.int, size: cython.int) -> cython.int:
    """How often to divide both axes, so that cells hold no more than `size` on average."""
    bits: cython.int = 1
    while bits < MOST_BITS and (size << (2 * bits)) < count:
        bits += 1
    return bits


def cells_a_unit(extent: cython.double, side: cython.int) -> cython.double:
    """How many cells a world unit is; 0 where all stand on one line."""
    return min((side - 1e-6) / extent, 1e300) if extent > 0.0 else 0.0


def interleave(column: cython.int, row: cython.int) -> cython.int:
    """The place of a cell on the curve: the bits of column and row in turn."""
    both: cython.int = column | row << 16
    both = (both | both << 4) & 0x0F0F0F0F
    both = (both | both << 2) & 0x33333333
    both = (both | both << 1) & 0x55555555
    return (both & 0xFFFF) | (both >> 15 & 0xAAAA)

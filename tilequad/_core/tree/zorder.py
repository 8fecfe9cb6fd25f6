"""Sorting of positions along a Z curve, which keeps neighbors in the plane close together.

The place of a cell on the curve, its Morton code, interleaves the bits of its column and row
(G. M. Morton, 1966). Trees are built from positions in that order, and batches of questions are
asked in it, so each question finds in the processor's caches what the previous one has read.

To build a tree, the box around the positions is divided into about as many cells as there will be
leaves, and one counting sort lists the rows of the positions cell by cell. Each quadrant, down to a
single cell, is then a known range of rows; no entry is inserted one by one. A cell that is too
crowded for a leaf is divided into smaller cells and sorted again.
"""

from __future__ import annotations

from array import array

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, Raises
from tilequad._core.layout import COUNT, FIRST, INF, place_of
from tilequad._core.tree.nodes import Nodes

MAX_BITS: cython.int = 8  # 2**8 cells along an axis, the most that `interleave` can take


def z_order(points: np.ndarray) -> Object[array[int]]:
    """Return the rows of positions in the order of the curve, about four to a cell. O(n).

    Only the first two columns of the positions count.
    """
    if len(points) == 1:
        return array("i", [0])
    bits = bits_for(len(points), 4)
    by_cell = CellSort(np.ascontiguousarray(points[:, :2]), bits)
    by_cell.sort(0, len(points), bits)
    return by_cell.rows


@cython.final
@cython.cclass
class CellSort:
    """Sorts rows of positions by the cells of a grid of 2^bits x 2^bits cells around them.

    The positions are C-contiguous and writable; `bits` is the most that `sort` will be given.
    """

    __slots__ = {
        "points": "double[:, ::1]",
        "side": "int",
        "rows": "int[::1]",
        "spare": "int[::1]",
        "keys": "int[::1]",
        "starts": "int[::1]",
        "lines": "double[::1]",
    }

    def __init__(self, points: np.ndarray, bits: int) -> None:
        self.points = points.data
        self.side = 0  # cells along an axis in the last sort
        self.rows = array("i", np.arange(len(points), dtype=np.int32).tobytes())
        self.spare = array("i", [0]) * len(points)
        self.keys = array("i", [0]) * len(points)  # by row: the place of its cell on the curve
        self.starts = array("i", [0]) * ((1 << 2 * bits) + 2)  # by cell: its first row in `rows`
        # The lines between columns, then the lines between rows; the outermost are infinite.
        self.lines = array("d", [0.0]) * (2 * (1 << bits) + 2)

    def sort(self, low: cython.int, high: cython.int, bits: cython.int) -> NoGil[cython.bint]:
        """Sort a range of rows by cell along the curve; False if all its positions coincide."""
        side: cython.int = 1 << bits
        i: cython.int
        key: cython.int
        min_x = INF
        min_y = INF
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
        self.write_lines(0, min_x, max_x)
        self.write_lines(side + 1, min_y, max_y)
        for key in range(side * side + 2):
            self.starts[key] = 0
        per_unit_x = cells_per_unit(max_x - min_x, side)
        per_unit_y = cells_per_unit(max_y - min_y, side)
        for i in range(low, high):
            x = self.points[self.rows[i], 0]
            y = self.points[self.rows[i], 1]
            key = interleave(
                cell_of(self, 0, x, cython.cast(cython.int, (x - min_x) * per_unit_x)),
                cell_of(self, side + 1, y, cython.cast(cython.int, (y - min_y) * per_unit_y)),
            )
            self.keys[i] = key
            self.starts[key + 2] += 1
        self.starts[0] = self.starts[1] = low
        for key in range(side * side):
            self.starts[key + 2] += self.starts[key + 1]
        # starts[key + 1] moves from the start of cell `key` to the start of the next one.
        for i in range(low, high):
            key = self.keys[i] + 1
            self.spare[self.starts[key]] = self.rows[i]
            self.starts[key] += 1
        for i in range(low, high):
            self.rows[i] = self.spare[i]
        return min_x < max_x or min_y < max_y

    def write_lines(self, at: cython.int, low: cython.double, high: cython.double) -> NoGil[None]:
        """Write the lines between the cells of an axis, from index `at` on; low <= line <= high."""
        i: cython.int
        side = self.side
        line = low
        self.lines[at] = -INF
        for i in range(1, side):
            part = cython.cast(cython.double, i) / side
            line = min(max(low * (1.0 - part) + high * part, line), high)
            self.lines[at + i] = line
        self.lines[at + side] = INF
        # No line fits between neighboring floats; the higher one belongs to the high side.
        if self.lines[at + side - 1] <= low:
            self.lines[at + side - 1] = high


@cython.inline
def cell_of(cells: CellSort, at: cython.int, value: cython.double, cell: cython.int) -> cython.int:
    """Return the cell of a value on an axis, starting from a guess; on a line, the higher cell."""
    while value >= cells.lines[at + cell + 1]:
        cell += 1
    while value < cells.lines[at + cell]:
        cell -= 1
    return cell


def bits_for(count: cython.int, size: cython.int) -> NoGil[cython.int]:
    """Return how often to halve both axes so that cells hold at most `size` on average."""
    bits: cython.int = 1
    while bits < MAX_BITS and (size << (2 * bits)) < count:
        bits += 1
    return bits


def cells_per_unit(extent: cython.double, side: cython.int) -> NoGil[cython.double]:
    """Return the number of cells per world unit; 0 if the extent is 0."""
    return min((side - 1e-6) / extent, 1e300) if extent > 0.0 else 0.0


def interleave(column: cython.int, row: cython.int) -> NoGil[cython.int]:
    """Return the place of a cell on the curve: the interleaved bits of its column and row."""
    both: cython.int = column | row << 16
    both = (both | both << 4) & 0x0F0F0F0F
    both = (both | both << 2) & 0x33333333
    both = (both | both << 1) & 0x55555555
    return (both & 0xFFFF) | (both >> 15 & 0xAAAA)


# -- building a whole tree -------------------------------------------------------------------------


@cython.final
@cython.cclass
class Builder:
    """Splits an empty tree for positions, and lists them in the order of its leaves. O(n).

    The leaves get their ranges of rows; boxes, reaches and groups are left to the caller.
    """

    __slots__ = {
        "nodes": "Nodes",
        "leaf_size": "int",
        "cells": "CellSort",
        "crowded": "list",
    }

    def __init__(self, nodes: Nodes, points: np.ndarray, leaf_size: int) -> None:
        self.nodes = nodes
        self.leaf_size = leaf_size
        self.cells = CellSort(points, bits_for(len(points), leaf_size))
        self.crowded: list[tuple[int, int, int]] = []  # cells to sort again: quadrant, range

    def build(self) -> array[int]:
        """Fill the tree, and return the rows of the positions, leaf by leaf."""
        n = len(self.cells.rows)
        if self.nodes.capacity < n // self.leaf_size:  # few trees have more nodes
            self.nodes.reserve(n // self.leaf_size)
        self.crowded = [(-1, 0, n)] if n > 0 else []
        while self.crowded:
            q, low, high = self.crowded.pop()
            bits = bits_for(high - low, self.leaf_size)
            if self.cells.sort(low, high, bits) or q < 0:
                self.fill(q, 0, 0, bits)
            else:
                self.make_leaf(q, low, high)
        return self.cells.rows

    def fill(
        self,
        q: cython.int,
        column: cython.int,
        row: cython.int,
        bits: cython.int,
    ) -> Raises[cython.int]:
        """Turn a square of cells into quadrant q, a leaf or a node; q < 0 for the root, a node."""
        starts: cython.int[::1] = self.cells.starts
        half: cython.int = (1 << bits) >> 1
        part: cython.int = half * half
        z = interleave(column, row)
        low = starts[z]
        high = starts[z + max(4 * part, 1)]
        if q >= 0:
            if high - low <= self.leaf_size or not self.nodes.may_split(q):
                self.make_leaf(q, low, high)
                return 0
            if bits == 0:
                self.crowded.append((q, low, high))
                return 0
            for k in range(4):  # all rows are in one part, which replaces the whole
                if starts[z + k * part] == low and starts[z + (k + 1) * part] == high:
                    return self.fill(q, column + half * (k & 1), row + half * (k >> 1), bits - 1)
        n = self.add_node(q, column + half, row + half)
        for k in range(4):
            self.fill(4 * n + k, column + half * (k & 1), row + half * (k >> 1), bits - 1)
        return 0

    def add_node(self, q: cython.int, column: cython.int, row: cython.int) -> Raises[cython.int]:
        """Turn quadrant q into a node split where a column and a row begin; q < 0 for the root."""
        x = self.cells.lines[column]
        y = self.cells.lines[self.cells.side + 1 + row]
        if q >= 0:
            if self.nodes.used == self.nodes.capacity:
                self.nodes.reserve(2 * self.nodes.capacity)
            return self.nodes.add_node(q, x, y)
        self.nodes.split[0] = x
        self.nodes.split[1] = y
        return 0

    def make_leaf(self, q: cython.int, low: cython.int, high: cython.int) -> NoGil[None]:
        """Turn quadrant q into a leaf with a range of rows."""
        at = place_of(q)
        self.nodes.links[at + FIRST] = low
        self.nodes.links[at + COUNT] = high - low

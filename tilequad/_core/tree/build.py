"""Builds a whole tree at once, from positions in Z order (Morton order).

The box around the positions is divided into about as many cells as there will be leaves, and one
counting sort lists the rows of the positions cell by cell. Each quadrant, down to a single cell, is
then a known range of rows; no entry is inserted one by one. A cell that is too crowded for a leaf
is divided into smaller cells and sorted again.
"""

from __future__ import annotations

from array import array

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.tree.layout import COUNT, FIRST, place_of
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.zorder import CellSort, bits_for, interleave


@cython.final
@cython.cclass
class Builder:
    """Splits an empty tree for positions, and lists them in the order of its leaves. O(n).

    Args:
        nodes: The empty tree. Its leaves get their ranges of rows; boxes, reaches and groups are
            left to the caller.
        points: The positions, (n, 2) doubles.
        leaf_size: The most entries in a leaf, unless they coincide.
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
        z: cython.int = interleave(column, row)
        low: cython.int = starts[z]
        high: cython.int = starts[z + max(4 * part, 1)]
        n: cython.int
        k: cython.int
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
        x: cython.double = self.cells.lines[column]
        y: cython.double = self.cells.lines[self.cells.side + 1 + row]
        if q >= 0:
            if self.nodes.used == self.nodes.capacity:
                self.nodes.reserve(2 * self.nodes.capacity)
            return self.nodes.add_node(q, x, y)
        self.nodes.split[0] = x
        self.nodes.split[1] = y
        return 0

    def make_leaf(self, q: cython.int, low: cython.int, high: cython.int) -> NoGil[None]:
        """Turn quadrant q into a leaf with a range of rows."""
        at: cython.Py_ssize_t = place_of(q)
        self.nodes.links[at + FIRST] = low
        self.nodes.links[at + COUNT] = high - low

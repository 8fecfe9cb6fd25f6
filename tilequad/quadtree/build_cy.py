# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Building a whole tree at once, from positions in Z order (Morton order).

The box around the positions is divided into so many cells that most will be leaves, and one
counting sort writes the positions' rows down cell by cell. A quadrant is then a range of rows whose
ends are known, down to a single cell; no entry is inserted one by one. A cell that is too crowded
for a leaf is sorted once more, by cells of its own.
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

if not cython.compiled:  # compiled, the .pxd has them
    from tilequad.quadtree.zorder_cy import bits_for, interleave

from tilequad.quadtree.nodes_cy import Nodes
from tilequad.quadtree.zorder_cy import Cells

COMPILED = bool(cython.compiled)


class Builder:
    """Divides an empty tree for positions, and puts them in the order of its leaves. O(n).

    Args:
        nodes: The tree, empty. Its leaves get their spans of rows; box, reach and groups are
            left to the caller.
        points: The positions, (n, 2) doubles.
        leaf_size: A leaf gets no more entries, unless they cannot be told apart.
    """

    __slots__ = ("cells", "crowded", "leaf_size", "nodes")

    def __init__(self, nodes: Nodes, points: np.ndarray, leaf_size: int) -> None:
        self.nodes = nodes
        self.leaf_size = leaf_size
        self.cells = Cells(points, bits_for(len(points), leaf_size))
        self.crowded: list[tuple[int, int, int]] = []  # cells to sort once more: quadrant, range

    def build(self) -> array[int]:
        """Fill the tree; returns the rows of the positions, leaf by leaf."""
        n = len(self.cells.rows)
        if self.nodes.capacity < n // self.leaf_size:  # few trees have more nodes
            self.nodes._reserve(n // self.leaf_size)
        self.crowded = [(-1, 0, n)] if n > 0 else []
        while self.crowded:
            q, low, high = self.crowded.pop()
            bits = bits_for(high - low, self.leaf_size)
            if self.cells.sort(low, high, bits) or q < 0:
                self.fill(q, 0, 0, bits)
            else:
                self.keep(q, low, high)
        return self.cells.rows

    def fill(
        self,
        q: cython.int,
        column: cython.int,
        row: cython.int,
        bits: cython.int,
    ) -> cython.int:
        """Make a square of cells quadrant q: a leaf, or a node. The root, q < 0, always divides."""
        starts: cython.int[::1] = self.cells.starts
        half: cython.int = (1 << bits) >> 1
        part: cython.int = half * half
        z: cython.int = interleave(column, row)
        low: cython.int = starts[z]
        high: cython.int = starts[z + max(4 * part, 1)]
        n: cython.int
        k: cython.int
        if q >= 0:
            if high - low <= self.leaf_size or not self.nodes.may_divide(q):
                self.keep(q, low, high)
                return 0
            if bits == 0:
                self.crowded.append((q, low, high))
                return 0
            for k in range(4):  # all in one part: it takes the place of the whole
                if starts[z + k * part] == low and starts[z + (k + 1) * part] == high:
                    return self.fill(q, column + half * (k & 1), row + half * (k >> 1), bits - 1)
        n = self.take_node(q, column + half, row + half)
        for k in range(4):
            self.fill(4 * n + k, column + half * (k & 1), row + half * (k >> 1), bits - 1)
        return 0

    def take_node(self, q: cython.int, column: cython.int, row: cython.int) -> cython.int:
        """Make quadrant q a node that divides where a column and a row begin; q < 0 is the root."""
        x: cython.double = self.cells.lines[column]
        y: cython.double = self.cells.lines[self.cells.side + 1 + row]
        if q >= 0:
            if self.nodes.used == self.nodes.capacity:
                self.nodes._reserve(2 * self.nodes.capacity)
            return self.nodes.take_node(q, x, y)
        self.nodes.split[0] = x
        self.nodes.split[1] = y
        return 0

    def keep(self, q: cython.int, low: cython.int, high: cython.int) -> None:
        """Make quadrant q a leaf of a range of rows."""
        at: cython.int = (q >> 2) * 16 + (q & 3)
        self.nodes.links[at + 8] = low
        self.nodes.links[at + 12] = high - low

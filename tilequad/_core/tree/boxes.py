"""Boxes that never move, stored in a quadtree by entry, in the order of the leaves.

    ids[i]                      the row of a box in the array that the tree was built from
    rough[4 * i ... 4 * i + 3]  min_x, min_y, max_x, max_y in float32, rounded outward
    exact[row, ...]             the boxes as given; kept only if float32 rounded any of them

A search tests the rough box first. If the boxes differ, it confirms a hit with the exact one.
"""

from __future__ import annotations

from array import array

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.arrays import require_boxes
from tilequad._core.layout import (
    COUNT,
    FIRST,
    GROUPS,
    INF,
    MAX_COORDINATE,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    place_of,
)
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.zorder import Builder

BOXES_PER_LEAF = 32  # the default; smaller leaves make more nodes, larger ones longer scans
MAX_FLOAT32: cython.double = 3.4e38  # close to the largest float32
RELATIVE_MARGIN: cython.double = 2.0**-22  # above the distance between neighboring float32
ABSOLUTE_MARGIN: cython.double = 1e-44  # the same margin near zero


@cython.final
@cython.cclass
class BoxStore:
    """The boxes of a static quadtree; built once, then only read."""

    __slots__ = {
        "nodes": "Nodes",
        "ids": "const int[::1]",
        "rough": "const float[::1]",
        "exact": "const double[:, ::1]",
        "rounded": "bint",
        "leaf_size": "int",
    }

    def __init__(self, boxes: np.ndarray, leaf_size: cython.int, max_depth: cython.int) -> None:
        n = len(boxes)
        self.leaf_size = leaf_size  # the most boxes in a leaf, unless they coincide
        self.nodes = Nodes(max_depth)
        self.exact = boxes.data
        self.rounded = False
        centers = np.empty((n, 2))
        rough = np.empty(4 * n, np.float32)  # by row
        if not self.read_boxes(centers.data, rough.data):
            require_boxes(np.array(boxes))  # which may be read-only
            raise ValueError("boxes must not change while the tree is built")
        self.ids = Builder(self.nodes, centers, leaf_size).build()
        self.rough = rough.reshape(-1, 4).take(self.ids, axis=0).ravel().data
        self.fit_all(array("i", [0]) * self.nodes.live)
        self.nodes.reserve(self.nodes.used)
        self.nodes.drop_cells()
        if not self.rounded:
            self.exact = np.empty((0, 4)).data

    def read_boxes(
        self, centers: cython.double[:, ::1], rough: cython.float[::1]
    ) -> NoGil[cython.bint]:
        """Write the centers and the rough boxes, by row; False if a row is not a box."""
        for row in range(len(centers)):
            min_x = self.exact[row, 0]
            min_y = self.exact[row, 1]
            max_x = self.exact[row, 2]
            max_y = self.exact[row, 3]
            if not (
                -MAX_COORDINATE <= min_x <= max_x <= MAX_COORDINATE
                and -MAX_COORDINATE <= min_y <= max_y <= MAX_COORDINATE
            ):
                return False
            centers[row, 0] = 0.5 * min_x + 0.5 * max_x
            centers[row, 1] = 0.5 * min_y + 0.5 * max_y
            rough[4 * row] = min(min_x, MAX_FLOAT32)
            rough[4 * row + 1] = min(min_y, MAX_FLOAT32)
            rough[4 * row + 2] = max(max_x, -MAX_FLOAT32)
            rough[4 * row + 3] = max(max_y, -MAX_FLOAT32)
            if (
                rough[4 * row] != min_x
                or rough[4 * row + 1] != min_y
                or rough[4 * row + 2] != max_x
                or rough[4 * row + 3] != max_y
            ):
                self.rounded = True
                self.round_outward(rough, row)
        return True

    def round_outward(self, rough: cython.float[::1], row: cython.Py_ssize_t) -> NoGil[None]:
        """Move the edges of a rough box outward where they were rounded inward."""
        for side in range(2):
            edge = self.exact[row, side]
            if rough[4 * row + side] > edge:
                rough[4 * row + side] = edge - ABSOLUTE_MARGIN - abs(edge) * RELATIVE_MARGIN
            edge = self.exact[row, side + 2]
            if rough[4 * row + side + 2] < edge:
                rough[4 * row + side + 2] = edge + ABSOLUTE_MARGIN + abs(edge) * RELATIVE_MARGIN

    def fit_all(self, order: cython.int[::1]) -> NoGil[None]:
        """Compute the boxes of all leaves and nodes; `order` has room for all live nodes."""
        q: cython.int
        for i in range(self.nodes.write_preorder(order)):
            for q in range(4 * order[i], 4 * order[i] + 4):
                if self.nodes.links[place_of(q)] < 0:
                    self.fit_leaf(q)
        self.nodes.update_all(order)

    def fit_leaf(self, q: cython.int) -> NoGil[None]:
        """Make the box of leaf q tight around its rough boxes."""
        at = place_of(q)
        i: cython.Py_ssize_t = self.nodes.links[at + FIRST]
        min_x: cython.float = INF
        min_y: cython.float = INF
        max_x: cython.float = -INF
        max_y: cython.float = -INF
        for i in range(i, i + self.nodes.links[at + COUNT]):
            min_x = min(min_x, self.rough[4 * i])
            min_y = min(min_y, self.rough[4 * i + 1])
            max_x = max(max_x, self.rough[4 * i + 2])
            max_y = max(max_y, self.rough[4 * i + 3])
        # Rough edges beyond float32 are infinite. A walk subtracts the edges of a node, so clip
        # them.
        self.nodes.box[at + MIN_X] = max(min_x, -MAX_COORDINATE)
        self.nodes.box[at + MIN_Y] = max(min_y, -MAX_COORDINATE)
        self.nodes.box[at + MAX_X] = min(max_x, MAX_COORDINATE)
        self.nodes.box[at + MAX_Y] = min(max_y, MAX_COORDINATE)
        self.nodes.links[at + GROUPS] = self.nodes.links[at + COUNT] > 0

    # -- one box -----------------------------------------------------------------------------------

    def overlaps(
        self,
        i: cython.Py_ssize_t,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
    ) -> NoGil[cython.bint]:
        """Whether exact box i overlaps a box."""
        row: cython.Py_ssize_t = self.ids[i]
        return (
            self.exact[row, 0] <= max_x
            and self.exact[row, 1] <= max_y
            and self.exact[row, 2] >= min_x
            and self.exact[row, 3] >= min_y
        )

    def distance2(
        self, i: cython.Py_ssize_t, x: cython.double, y: cython.double, limit2: cython.double
    ) -> NoGil[cython.double]:
        """The squared distance from a point to box i, 0 inside; above limit2, a lower bound."""
        dx = max(max(self.rough[4 * i] - x, x - self.rough[4 * i + 2]), 0.0)
        dy = max(max(self.rough[4 * i + 1] - y, y - self.rough[4 * i + 3]), 0.0)
        if self.rounded and dx * dx + dy * dy <= limit2:
            row: cython.Py_ssize_t = self.ids[i]
            dx = max(max(self.exact[row, 0] - x, x - self.exact[row, 2]), 0.0)
            dy = max(max(self.exact[row, 1] - y, y - self.exact[row, 3]), 0.0)
        return dx * dx + dy * dy

    def write_box(self, i: cython.Py_ssize_t, box: cython.p_double) -> NoGil[None]:
        """Write exact box i: min_x, min_y, max_x, max_y."""
        row: cython.Py_ssize_t = self.ids[i]
        for side in range(4):
            box[side] = self.exact[row, side] if self.rounded else self.rough[4 * i + side]

    # -- all boxes ---------------------------------------------------------------------------------

    def boxes(self) -> np.ndarray:
        """The boxes as they were given, (n, 4) float64."""
        if self.rounded:
            return np.array(self.exact)
        found = np.empty((len(self.ids), 4))
        boxes: cython.double[:, ::1] = found.data
        for i in range(len(self.ids)):
            for k in range(4):
                boxes[self.ids[i], k] = self.rough[4 * i + k]
        return found

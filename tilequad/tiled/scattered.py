"""Boxes with keys of their own in static quadtrees that follow changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.quadtree import StaticQuadtree

__all__ = ["ScatteredBoxes"]

Keys = NDArray[np.int32]
Floats = NDArray[np.float64]

# New boxes wait in a small tree beside the large one, which is built again when they are more.
# Building the small one takes some ten microseconds, the large one a tenth of one for each box.
_MOST_WAITING = 64


class ScatteredBoxes:
    """A static quadtree in which boxes come and go.

    A box that goes is only marked, so the tree stays as it is; boxes that come stand in a second,
    small tree until they are many. Every question goes to both.

    Args:
        keys: What each box is called, all of them different.
        boxes: (n, 4) boxes.
    """

    def __init__(self, keys: Keys, boxes: Floats) -> None:
        if (keys[1:] < keys[:-1]).any():
            order = keys.argsort()
            keys, boxes = keys[order], boxes[order]
        self._keys = keys  # by row: those of the large tree, ascending, then those of the small
        self._boxes = boxes
        self._there = np.ones(len(keys), bool)
        self._count = len(keys)
        self._tree = StaticQuadtree(self._boxes)
        self._waiting = StaticQuadtree(np.empty((0, 4)))

    def __len__(self) -> int:
        return self._count

    def keys(self) -> Keys:
        """The keys of all boxes, in no order."""
        return self._keys[self._there]

    def query(self, view: Bounds) -> Keys:
        """Keys of the closed boxes that share a point with a view, in no order."""
        return self._both(self._tree.query(view), self._waiting.query(view))

    def within(self, x: float, y: float, radius: float) -> Keys:
        """Keys of the boxes at most `radius` away from a point, in no order."""
        return self._both(self._tree.within(x, y, radius), self._waiting.within(x, y, radius))

    def segment(self, x0: float, y0: float, x1: float, y1: float) -> Keys:
        """Keys of the boxes that a segment touches, in no order."""
        return self._both(self._tree.segment(x0, y0, x1, y1), self._waiting.segment(x0, y0, x1, y1))

    def nearest(self, x: float, y: float, max_distance: float) -> Keys:
        """Keys of all boxes that are equally near, and nearer than any other."""
        found = [
            self._nearest(self._tree, 0, x, y, max_distance),
            self._nearest(self._waiting, len(self._tree), x, y, max_distance),
        ]
        rows = np.concatenate(found)
        away = self._away(rows, x, y)
        nearest: Keys = self._keys[rows[away == away.min(initial=np.inf)]]
        return nearest

    def nodes(self) -> NDArray[np.void]:
        """The nodes of the large tree."""
        nodes: NDArray[np.void] = self._tree.nodes()
        return nodes

    def add(self, key: int, box: Floats) -> None:
        """Take in a box."""
        self._keys = np.append(self._keys, np.int32(key))
        self._boxes = np.concatenate((self._boxes, box[None]))
        self._there = np.append(self._there, True)
        self._count += 1
        if len(self._keys) - len(self._tree) > _MOST_WAITING:
            self.__init__(self.keys(), self._boxes[self._there])  # type: ignore[misc]
        else:
            self._waiting = StaticQuadtree(self._boxes[len(self._tree) :])

    def remove(self, key: int) -> None:
        """Forget a box."""
        self._there[self._row(key)] = False
        self._count -= 1

    def _row(self, key: int) -> int:
        """The row of a key."""
        large = len(self._tree)
        row = int(self._keys[:large].searchsorted(key))
        if row < large and self._keys[row] == key and self._there[row]:
            return row
        [waiting] = np.flatnonzero((self._keys[large:] == key) & self._there[large:])
        return large + int(waiting)

    def _both(self, rows: NDArray[np.int32], waiting: NDArray[np.int32]) -> Keys:
        """The keys of what is left of the rows of both trees."""
        if len(waiting):
            rows = np.concatenate((rows, waiting + np.int32(len(self._tree))))
        keys: Keys = self._keys[rows]
        return keys if self._count == len(self._keys) else keys[self._there[rows]]

    def _nearest(
        self, tree: StaticQuadtree, start: int, x: float, y: float, max_distance: float
    ) -> NDArray[np.int32]:
        """Rows, the nearest of a tree's boxes that are there among them with all as near as it."""
        count = 4
        while True:
            rows = tree.k_nearest(x, y, count, max_distance) + np.int32(start)
            left: NDArray[np.int32] = rows[self._there[rows]]
            if len(rows) < count:
                return left
            # behind boxes that are gone, or as near as the last, there may be more
            first, last = (self._away(part, x, y) for part in (left[:1], rows[-1:]))
            if len(left) and first[0] < last[0]:
                return left
            count *= 4

    def _away(self, rows: NDArray[np.int32], x: float, y: float) -> Floats:
        """The squared distances of some boxes from a point."""
        low, high = self._boxes[rows, :2], self._boxes[rows, 2:]
        gap = np.maximum(np.maximum(low - (x, y), (x, y) - high), 0)
        away: Floats = (gap * gap).sum(axis=1)
        return away

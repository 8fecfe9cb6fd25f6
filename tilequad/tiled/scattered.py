"""Boxes with ids of their own in static quadtrees that follow changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.quadtree import StaticQuadtree

__all__ = ["ScatteredBoxes"]

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]

# New boxes wait in a small tree beside the large one, which is built again when they are more.
# Building the small one takes some ten microseconds, the large one a tenth of one for each box.
_MOST_WAITING = 64


class ScatteredBoxes:
    """A static quadtree in which boxes come and go.

    A box that goes is only marked, so the tree stays as it is; boxes that come stand in a second,
    small tree until they are many. Every question goes to both.

    Args:
        ids: The id of each box, ascending or not; the array is the tree's own from now on.
        boxes: (n, 4) boxes.
    """

    def __init__(self, ids: Ids, boxes: Floats) -> None:
        self._ids = ids  # by row: those of the large tree, then those of the small; -1 is gone
        self._boxes = boxes
        self._tree = StaticQuadtree(boxes)
        self._waiting = StaticQuadtree(np.empty((0, 4)))
        self._count = len(ids)
        self._gone = False

    def __len__(self) -> int:
        return self._count

    def query(self, view: Bounds) -> Ids:
        """Ids of the closed boxes that share a point with a view, in no order."""
        return self._both(self._tree.query(view), self._waiting.query(view))

    def within(self, x: float, y: float, radius: float) -> Ids:
        """Ids of the boxes at most `radius` away from a point, in no order."""
        return self._both(self._tree.within(x, y, radius), self._waiting.within(x, y, radius))

    def segment(self, x0: float, y0: float, x1: float, y1: float) -> Ids:
        """Ids of the boxes that a segment touches, in no order."""
        return self._both(self._tree.segment(x0, y0, x1, y1), self._waiting.segment(x0, y0, x1, y1))

    def nearest(self, x: float, y: float, max_distance: float) -> int | None:
        """The id of the nearest box, of equally near ones the lowest; None where there is none."""
        count = 4
        while True:
            rows = self._tree.k_nearest(x, y, count, max_distance)
            if len(rows) < count or self._ids[rows[-1]] >= 0:
                break
            count *= 4  # the last is gone: a nearer one may lie behind others that are gone
        waiting = self._waiting.k_nearest(x, y, len(self._waiting) or 1, max_distance)
        return self._first(x, y, self._both(rows, waiting))

    def box(self, number: int) -> Floats:
        """The box of an id."""
        [place] = np.flatnonzero(self._ids == number)
        box: Floats = self._boxes[place]
        return box

    def nodes(self) -> NDArray[np.void]:
        """The nodes of the large tree."""
        nodes: NDArray[np.void] = self._tree.nodes()
        return nodes

    def shift(self, start: int, by: int) -> None:
        """Count the ids from `start` on anew."""
        self._ids[self._ids >= start] += by

    def add(self, number: int, box: Floats) -> None:
        """Take in a box."""
        self._ids = np.append(self._ids, np.int32(number))
        self._boxes = np.concatenate((self._boxes, box[None]))
        self._count += 1
        if len(self._ids) - len(self._tree) > _MOST_WAITING:
            # by ascending id, so that of equally near boxes the lowest id comes first
            order = np.argsort(self._ids)[np.count_nonzero(self._ids < 0) :]
            self.__init__(self._ids[order], self._boxes[order])  # type: ignore[misc]
        else:
            self._waiting = StaticQuadtree(self._boxes[len(self._tree) :])

    def remove(self, number: int) -> None:
        """Forget a box."""
        self._ids[self._ids == number] = -1
        self._count -= 1
        self._gone = True

    def _both(self, rows: Ids, waiting: Ids) -> Ids:
        """The ids of what is left of the rows of both trees."""
        if len(waiting):
            rows = np.concatenate((rows, waiting + np.int32(len(self._tree))))
        ids: Ids = self._ids[rows]
        return ids[ids >= 0] if self._gone else ids

    def _first(self, x: float, y: float, ids: Ids) -> int | None:
        if not len(ids):
            return None
        places = np.flatnonzero(np.isin(self._ids, ids))
        low, high = self._boxes[places, :2], self._boxes[places, 2:]
        away = np.maximum(np.maximum(low - (x, y), (x, y) - high), 0)
        distances = (away * away).sum(axis=1)
        nearest = self._ids[places[distances == distances.min()]]
        return int(nearest.min())

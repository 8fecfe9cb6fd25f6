"""A set of boxes by key, in static quadtrees, that can change."""

from __future__ import annotations

from math import inf, isqrt, nan

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.quadtree import StaticQuadtree

from ..cells import Floats, Ints

__all__ = ["ScatteredBoxes"]


# New boxes go into a small tree that is rebuilt on each change: about 10 us, plus 0.1 us per box in
# it. Above this size it is merged into the large tree, at 0.1 us per box there. So the limit grows
# with the square root of the large tree.
_MOST_WAITING = 64


class ScatteredBoxes:
    """Boxes by distinct keys in two static trees: a large one, and one for recent additions."""

    def __init__(self, keys: Ints, boxes: Floats) -> None:
        self._large = _Partition(keys, boxes)
        self._small = _Partition(keys[:0], boxes[:0])

    def __len__(self) -> int:
        return self._large.count + self._small.count

    def keys(self) -> Ints:
        """Return the keys of all boxes, in no order."""
        return _joined([part.keys_left() for part in self._partitions()])

    def query(self, view: Bounds) -> Ints:
        """Find the closed boxes that overlap a view; keys in no order."""
        return _joined([part.named(part.tree.query(view)) for part in self._partitions()])

    def within(self, x: float, y: float, radius: float) -> Ints:
        """Find the boxes at most `radius` away from a point; keys in no order."""
        return _joined([part.named(part.tree.within(x, y, radius)) for part in self._partitions()])

    def segment(self, x0: float, y0: float, x1: float, y1: float) -> Ints:
        """Find the boxes that a segment touches; keys in no order."""
        found = [part.named(part.tree.segment(x0, y0, x1, y1)) for part in self._partitions()]
        return _joined(found)

    def boxes(self, keys: Ints) -> Floats:
        """Return the boxes with some keys, (n, 4); KeyError for an unknown one."""
        boxes = np.full((len(keys), 4), nan)
        for part in (self._large, self._small):
            part.write_boxes(keys, boxes)
        unknown = keys[np.isnan(boxes[:, 0])]
        if len(unknown):
            raise KeyError(int(unknown[0]))
        return boxes

    def nearest(self, x: float, y: float, max_distance: float) -> Ints:
        """Find the nearest box, and all others at the same distance; keys in no order."""
        found = [part.nearest(x, y, max_distance) for part in self._partitions()]
        least = min(away for _, away in found)
        return _joined([keys for keys, away in found if away == least])

    def nodes(self) -> NDArray[np.void]:
        """Return the nodes of the large tree."""
        return self._large.tree.nodes()

    @property
    def nbytes(self) -> int:
        """The memory of the trees, in bytes."""
        return sum(part.tree.stats().nbytes for part in self._partitions())

    def add(self, keys: Ints, boxes: Floats) -> None:
        """Add boxes with new keys."""
        keys = np.concatenate((self._small.keys_left(), keys))
        boxes = np.concatenate((self._small.boxes_left(), boxes))
        if len(keys) > max(_MOST_WAITING, 2 * isqrt(self._large.count)):
            keys = np.concatenate((self._large.keys_left(), keys))
            boxes = np.concatenate((self._large.boxes_left(), boxes))
            self._large, self._small = _Partition(keys, boxes), _Partition(keys[:0], boxes[:0])
        else:
            self._small = _Partition(keys, boxes)

    def remove(self, key: int) -> None:
        """Remove a box; ignore an unknown key."""
        if not self._large.remove(key):
            self._small.remove(key)

    def _partitions(self) -> tuple[_Partition, ...]:
        return (self._large, self._small) if self._small.count else (self._large,)


class _Partition:
    """Boxes in one static quadtree, which keeps removed boxes and skips them in results."""

    def __init__(self, keys: Ints, boxes: Floats) -> None:
        if (keys[1:] < keys[:-1]).any():
            order = keys.argsort()
            keys, boxes = keys[order], boxes[order]
        self._keys = keys  # ascending, for searchsorted
        self._boxes = boxes
        self._left = np.ones(len(keys), bool)
        self.count = len(keys)  #: of boxes left
        self.tree = StaticQuadtree(boxes)  #: with removed ones; its ids are row numbers

    def keys_left(self) -> Ints:
        """Return the keys of the boxes left, ascending."""
        return self._keys[self._left]

    def boxes_left(self) -> Floats:
        """Return the boxes left, in the order of `keys_left`."""
        return self._boxes[self._left]

    def named(self, rows: Ints) -> Ints:
        """Return the keys of rows, without removed ones."""
        keys = self._keys[rows]
        return keys if self.count == len(self._keys) else keys[self._left[rows]]

    def nearest(self, x: float, y: float, max_distance: float) -> tuple[Ints, float]:
        """Return the keys of all boxes at the least distance, and that distance squared."""
        count = 4
        while True:
            rows = self.tree.k_nearest(x, y, count, max_distance)
            away = np.where(self._left[rows], self._away(rows, x, y), inf)
            least = float(away.min(initial=inf))
            # ask for more if the farthest row is no farther than the nearest box left
            if len(rows) < count or least < self._away(rows[-1:], x, y)[0]:
                return (self._keys[rows[away == least]] if least < inf else self._keys[:0]), least
            count *= 4

    def remove(self, key: int) -> bool:
        """Mark a box as removed. Return whether the key was known."""
        # with a Python int, numpy would convert all keys
        row = int(self._keys.searchsorted(np.int32(key)))
        if row == len(self._keys) or self._keys[row] != key or not self._left[row]:
            return False
        self._left[row] = False
        self.count -= 1
        return True

    def write_boxes(self, keys: Ints, out: Floats) -> None:
        """Write the box of each key that is left into the key's row of an array."""
        if self.count:
            rows = np.minimum(self._keys.searchsorted(keys), len(self._keys) - 1)
            known = (self._keys[rows] == keys) & self._left[rows]
            out[known] = self._boxes[rows[known]]

    def _away(self, rows: Ints, x: float, y: float) -> Floats:
        """Return the squared distances of boxes from a point."""
        low, high = self._boxes[rows, :2], self._boxes[rows, 2:]
        gap = np.maximum(np.maximum(low - (x, y), (x, y) - high), 0)
        away: Floats = (gap * gap).sum(axis=1)
        return away


def _joined(found: list[Ints]) -> Ints:
    return found[0] if len(found) == 1 else np.concatenate(found)

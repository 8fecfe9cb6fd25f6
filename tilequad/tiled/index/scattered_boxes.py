"""Boxes with keys of their own in static quadtrees that follow changes."""

from __future__ import annotations

from math import inf, isqrt, nan

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.quadtree import StaticQuadtree

__all__ = ["ScatteredBoxes"]

Keys = NDArray[np.int32]
Rows = NDArray[np.int32]
Floats = NDArray[np.float64]

# New boxes wait on a small shelf, which is built anew for each of them: some ten microseconds, and
# a tenth of one for every box on it. When there are more than this they join the large shelf,
# at a tenth of a microsecond for every box of that: so they may be more where that is larger.
_MOST_WAITING = 64


class ScatteredBoxes:
    """Boxes that come and go, most of them in one large tree.

    Args:
        keys: What each box is called, all of them different.
        boxes: (n, 4) boxes.
    """

    def __init__(self, keys: Keys, boxes: Floats) -> None:
        self._large = _Shelf(keys, boxes)
        self._small = _Shelf(keys[:0], boxes[:0])

    def __len__(self) -> int:
        return self._large.count + self._small.count

    def keys(self) -> Keys:
        """The keys of all boxes, in no order."""
        return _joined([shelf.keys_left() for shelf in self._shelves()])

    def query(self, view: Bounds) -> Keys:
        """Keys of the closed boxes that share a point with a view, in no order."""
        return _joined([shelf.named(shelf.tree.query(view)) for shelf in self._shelves()])

    def within(self, x: float, y: float, radius: float) -> Keys:
        """Keys of the boxes at most `radius` away from a point, in no order."""
        return _joined([shelf.named(shelf.tree.within(x, y, radius)) for shelf in self._shelves()])

    def segment(self, x0: float, y0: float, x1: float, y1: float) -> Keys:
        """Keys of the boxes that a segment touches, in no order."""
        found = [shelf.named(shelf.tree.segment(x0, y0, x1, y1)) for shelf in self._shelves()]
        return _joined(found)

    def boxes(self, keys: Keys) -> Floats:
        """The boxes with some keys, (n, 4).

        Raises:
            KeyError: No box has one of the keys.
        """
        boxes = np.full((len(keys), 4), nan)
        for part in (self._large, self._small):
            part.write_boxes(keys, boxes)
        unknown = keys[np.isnan(boxes[:, 0])]
        if len(unknown):
            raise KeyError(int(unknown[0]))
        return boxes

    def nearest(self, x: float, y: float, max_distance: float) -> Keys:
        """Keys of the boxes that no other is nearer than: more than one if they are as near."""
        found = [shelf.nearest(x, y, max_distance) for shelf in self._shelves()]
        least = min(away for _, away in found)
        return _joined([keys for keys, away in found if away == least])

    def nodes(self) -> NDArray[np.void]:
        """The nodes of the large tree."""
        nodes: NDArray[np.void] = self._large.tree.nodes()
        return nodes

    @property
    def nbytes(self) -> int:
        """The bytes of the trees."""
        return sum(shelf.tree.stats().nbytes for shelf in self._shelves())

    def add(self, key: int, box: Floats) -> None:
        """Take in a box."""
        keys = np.append(self._small.keys_left(), np.int32(key))
        boxes = np.concatenate((self._small.boxes_left(), box[None]))
        if len(keys) > max(_MOST_WAITING, 2 * isqrt(self._large.count)):
            keys = np.concatenate((self._large.keys_left(), keys))
            boxes = np.concatenate((self._large.boxes_left(), boxes))
            self.__init__(keys, boxes)  # type: ignore[misc]
        else:
            self._small = _Shelf(keys, boxes)

    def remove(self, key: int) -> None:
        """Forget a box."""
        if not self._large.remove(key):
            self._small.remove(key)

    def _shelves(self) -> tuple[_Shelf, ...]:
        """Those that are to be asked."""
        return (self._large, self._small) if self._small.count else (self._large,)


class _Shelf:
    """Boxes in one static quadtree. One that goes is only marked, and the tree stays as it is.

    Attributes:
        count: How many boxes are left.
        tree: All boxes, those that are gone too; its ids are the rows of this shelf.
    """

    def __init__(self, keys: Keys, boxes: Floats) -> None:
        if (keys[1:] < keys[:-1]).any():
            order = keys.argsort()
            keys, boxes = keys[order], boxes[order]
        self._keys = keys  # ascending, so that a row can be found
        self._boxes = boxes
        self._left = np.ones(len(keys), bool)
        self.count = len(keys)
        self.tree = StaticQuadtree(boxes)

    def keys_left(self) -> Keys:
        """The keys of what is left, ascending."""
        return self._keys[self._left]

    def boxes_left(self) -> Floats:
        """Their boxes."""
        return self._boxes[self._left]

    def named(self, rows: Rows) -> Keys:
        """The keys of those rows that are left."""
        keys = self._keys[rows]
        return keys if self.count == len(self._keys) else keys[self._left[rows]]

    def nearest(self, x: float, y: float, max_distance: float) -> tuple[Keys, float]:
        """The keys of the nearest boxes, all as near as each other, and their squared distance."""
        count = 4
        while True:
            rows = self.tree.k_nearest(x, y, count, max_distance)
            away = np.where(self._left[rows], self._away(rows, x, y), inf)
            least = float(away.min(initial=inf))
            # behind the last there may be more, if it is gone or as near as the nearest
            if len(rows) < count or least < self._away(rows[-1:], x, y)[0]:
                return (self._keys[rows[away == least]] if least < inf else self._keys[:0]), least
            count *= 4

    def remove(self, key: int) -> bool:
        """Mark a box as gone. Returns whether it was there."""
        # for a Python int numpy would copy all keys
        row = int(self._keys.searchsorted(np.int32(key)))
        if row == len(self._keys) or self._keys[row] != key or not self._left[row]:
            return False
        self._left[row] = False
        self.count -= 1
        return True

    def write_boxes(self, keys: Keys, out: Floats) -> None:
        """Write the boxes of those keys that are left into the same rows of an array."""
        if self.count:
            rows = np.minimum(self._keys.searchsorted(keys), len(self._keys) - 1)
            known = (self._keys[rows] == keys) & self._left[rows]
            out[known] = self._boxes[rows[known]]

    def _away(self, rows: Rows, x: float, y: float) -> Floats:
        """The squared distances of some boxes from a point."""
        low, high = self._boxes[rows, :2], self._boxes[rows, 2:]
        gap = np.maximum(np.maximum(low - (x, y), (x, y) - high), 0)
        away: Floats = (gap * gap).sum(axis=1)
        return away


def _joined(found: list[Keys]) -> Keys:
    return found[0] if len(found) == 1 else np.concatenate(found)

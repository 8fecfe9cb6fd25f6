"""Solid boxes, such as tiles, merged into fewer and larger ones; and who merges them anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import Floats, Ints

__all__ = ["TilesFollower", "merged"]


class TilesFollower:
    """Counts the changes of the layers that it observes."""

    _changes = 0

    def _tiles_changed(self, ids: Ints) -> None:
        """Record that tiles have changed; their layer calls this."""
        self._changes += 1


def merged(boxes: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Merge boxes that form rectangles; return the rectangles, and each box's rectangle."""
    found = []
    for first, second in ((0, 1), (1, 0)):
        rows, row_of = _joined(boxes, first)
        blocks, block_of = _joined(rows, second)
        found.append((blocks, block_of[row_of]))
    return min(found, key=lambda merged: len(merged[0]))


def _joined(boxes: Floats, axis: int) -> tuple[Floats, NDArray[np.intp]]:
    """Join boxes that adjoin along an axis and have the same extent across it."""
    if not len(boxes):
        return boxes, np.empty(0, np.intp)
    other = 1 - axis
    order = np.lexsort((boxes[:, axis], boxes[:, other + 2], boxes[:, other]))
    rows = boxes[order]
    apart = (rows[1:, [other, other + 2]] != rows[:-1, [other, other + 2]]).any(axis=1)
    apart |= rows[1:, axis] > rows[:-1, axis + 2]
    begins = np.concatenate(([0], np.flatnonzero(apart) + 1))
    joined = rows[begins]
    joined[:, axis + 2] = np.maximum.reduceat(rows[:, axis + 2], begins)
    number = np.empty(len(boxes), np.intp)
    number[order] = np.concatenate(([0], np.cumsum(apart)))
    return joined, number

"""The seam between layers and the trees that answer which of their boxes are in view.

Boxes that lie anywhere go into a static quadtree. The tiles of a layer lie on a lattice and are
mostly of one size, so for them a view is a range of steps on a range of lines, and no boxes are
kept; only tiles of another size, such as trees taller than a cell, have boxes in a tree.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.quadtree.nodes_cy import NODE

from .scattered import ScatteredBoxes

__all__ = ["BoxIndex", "Edges", "LatticeIndex"]

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]

_LEAF_BITS = 3  # a leaf of the nodes shown holds 8 x 8 cells


class Edges:
    """The spans of equal, equally spaced things along one axis, in rising or falling order."""

    def __init__(self, low: Floats, high: Floats) -> None:
        self._falling = len(low) > 1 and bool(low[0] > low[-1])
        step = -1 if self._falling else 1
        self._low, self._high = low[::step].copy(), high[::step].copy()

    def touched(self, start: float, end: float) -> tuple[int, int]:
        """First and one past the last of the closed spans that share a point with [start, end]."""
        first = int(self._high.searchsorted(start, "left"))
        last = int(self._low.searchsorted(end, "right"))
        if self._falling:
            count = len(self._low)
            first, last = count - last, count - first
        return first, max(first, last)

    def spanned(self, first: NDArray[np.int64], count: int) -> tuple[Floats, Floats]:
        """The low and the high end of `count` spans from each of some on, as far as there are."""
        last = np.minimum(first + count, len(self._low)) - 1
        if self._falling:
            first, last = len(self._low) - 1 - last, len(self._low) - 1 - first
        return self._low[first], self._high[last]


class LatticeIndex:
    """The tiles of one layer by view; a tile's id is its place in draw order.

    A tile is known by its key, line * width + step, which rises in draw order. Which steps and
    lines are in view tells which plain tiles are: those that reach as far around their cell as
    most do. The others, odd ones, have a box in a tree of their own.

    Cost of a query: two binary searches for each line in view, and a copy of the ids.

    Args:
        keys: The key of every tile, ascending.
        width: Steps in a line.
        across: The spans of plain tiles along x, by step.
        along: The spans of plain tiles along y, by line.
        odd: For every tile, whether it is an odd one.
        odd_boxes: The boxes of the odd tiles, in ascending order of their ids.
    """

    def __init__(
        self,
        keys: NDArray[np.int64],
        width: int,
        across: Edges,
        along: Edges,
        odd: NDArray[np.bool_],
        odd_boxes: Floats,
    ) -> None:
        self._keys = keys
        self._width = width
        self._across = across
        self._along = along
        self._odd = odd
        self._odd_tiles = ScatteredBoxes(np.flatnonzero(odd).astype(np.int32), odd_boxes)

    def query(self, view: Bounds) -> Ids:
        """Ascending ids of the tiles whose closed box shares a point with the view."""
        first, last = self._across.touched(view.min_x, view.max_x)
        top, bottom = self._along.touched(view.min_y, view.max_y)
        starts = np.arange(top, bottom) * self._width
        begins = self._keys.searchsorted(starts + first)
        ids = _runs(begins, self._keys.searchsorted(starts + last) - begins)
        if not len(self._odd_tiles):
            return ids
        odd = self._odd_tiles.query(view)
        return np.sort(np.concatenate((ids[~self._odd[ids]], odd)))

    def nodes(self) -> NDArray[np.void]:
        """The blocks of the lattice that hold a tile, halved from the whole down to 8 x 8 cells.

        Their fields are those of StaticQuadtree.nodes(); odd tiles follow in a tree of their own.
        """
        lines, steps = np.divmod(self._keys, self._width)
        longest = max(int(lines.max(initial=0)), int(steps.max(initial=0)), 1)
        levels = []
        for depth, shift in enumerate(range(longest.bit_length(), _LEAF_BITS - 1, -1)):
            across = (self._width >> shift) + 1
            blocks, counts = np.unique(
                (lines >> shift) * across + (steps >> shift), return_counts=True
            )
            level = np.zeros(len(blocks), NODE)
            top, left = np.divmod(blocks, across)
            level["min_x"], level["max_x"] = self._across.spanned(left << shift, 1 << shift)
            level["min_y"], level["max_y"] = self._along.spanned(top << shift, 1 << shift)
            level["depth"], level["count"], level["leaf"] = depth, counts, shift == _LEAF_BITS
            levels.append(level)
        if len(self._odd_tiles):
            levels.append(self._odd_tiles.nodes())
        return np.concatenate(levels) if levels else np.zeros(0, NODE)

    def find(self, key: int) -> tuple[int, bool]:
        """The id of the tile with a key, or the id it would have, and whether there is one."""
        place = int(self._keys.searchsorted(key))
        return place, place < len(self._keys) and int(self._keys[place]) == key

    def insert(self, place: int, key: int, odd_box: Floats | None) -> None:
        """Take in a tile: those from `place` on have ids one higher now."""
        self._keys = np.insert(self._keys, place, key)
        self._odd = np.insert(self._odd, place, odd_box is not None)
        self._odd_tiles.shift(place, 1)
        if odd_box is not None:
            self._odd_tiles.add(place, odd_box)

    def remove(self, place: int) -> None:
        """Forget a tile: those after it have ids one lower now."""
        if self._odd[place]:
            self._odd_tiles.remove(place)
        self._keys = np.delete(self._keys, place)
        self._odd = np.delete(self._odd, place)
        self._odd_tiles.shift(place, -1)


class BoxIndex:
    """Boxes anywhere, by view: objects, and tiles of maps that lean."""

    def __init__(self, boxes: Floats) -> None:
        self._boxes = ScatteredBoxes(np.arange(len(boxes), dtype=np.int32), boxes)

    def query(self, view: Bounds) -> Ids:
        """Ascending ids of the closed boxes that share a point with the view."""
        return np.sort(self._boxes.query(view))

    def nodes(self) -> NDArray[np.void]:
        """The nodes of the tree: bounds, depth, count; see StaticQuadtree."""
        return self._boxes.nodes()

    def insert(self, place: int, box: Floats) -> None:
        """Take in a box: those from `place` on have ids one higher now."""
        self._boxes.shift(place, 1)
        self._boxes.add(place, box)

    def remove(self, place: int) -> None:
        """Forget a box: those after it have ids one lower now."""
        self._boxes.remove(place)
        self._boxes.shift(place, -1)


def _runs(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Ids:
    """The numbers of several ranges in one array: start, start + 1, ... of each."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    steps = np.repeat(starts - ends + lengths, lengths)
    return (steps + np.arange(total)).astype(np.int32)

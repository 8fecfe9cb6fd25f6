"""The seam between layers and the trees that answer which of their boxes are in view.

Boxes that lie anywhere go into a static quadtree. The tiles of a layer lie on a lattice and are
mostly of one size, so for them a view is a range of steps on a range of lines: a region quadtree
knows which places of the lattice hold a tile, and no boxes are kept; only tiles of another size,
such as trees taller than a cell, have boxes in a tree.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.quadtree import RegionQuadtree

from .scattered import ScatteredBoxes

__all__ = ["BoxIndex", "Edges", "LatticeIndex"]

Ids = NDArray[np.int32]
Floats = NDArray[np.float64]


class Edges:
    """The spans of equal, equally spaced things along one axis, in rising or falling order."""

    def __init__(self, low: Floats, high: Floats) -> None:
        self._falling = len(low) > 1 and bool(low[0] > low[-1])
        step = -1 if self._falling else 1
        # a search for one number is faster in these than in arrays of numpy
        self._low, self._high = array("d", low[::step]), array("d", high[::step])

    def touched(self, start: float, end: float) -> tuple[int, int]:
        """First and last of the closed spans that share a point with [start, end].

        Where there is none, the first comes after the last.
        """
        first = bisect_left(self._high, start)
        last = bisect_right(self._low, end) - 1
        if self._falling:
            return len(self._low) - 1 - last, len(self._low) - 1 - first
        return first, last

    def spanned(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """The low and the high end of all spans from a first to a last one, for many."""
        if self._falling:
            first, last = len(self._low) - 1 - last, len(self._low) - 1 - first
        return np.array(self._low)[first], np.array(self._high)[last]


class LatticeIndex:
    """The tiles of one layer by view; a tile's id is its place in draw order.

    Lines are drawn one after the other, and their steps in turn, so the ids that a region quadtree
    counts over (steps, lines) are those of the layer. Which steps and lines are in view tells which
    plain tiles are: those that reach as far around their place as most do. The others, odd ones,
    have a box in a tree of their own.

    Cost of a query: four binary searches, two counts of bits for each line in view, and the ids.

    Args:
        occupied: (lines, steps), which places hold a tile.
        across: The spans of plain tiles along x, by step.
        along: The spans of plain tiles along y, by line.
        odd: For every tile, whether it is an odd one.
        odd_boxes: The boxes of the odd tiles, in ascending order of their ids.
    """

    def __init__(
        self,
        occupied: NDArray[np.bool_],
        across: Edges,
        along: Edges,
        odd: NDArray[np.bool_],
        odd_boxes: Floats,
    ) -> None:
        self._tree = RegionQuadtree(occupied)
        self._across = across
        self._along = along
        self._odd = odd
        self._odd_tiles = ScatteredBoxes(np.flatnonzero(odd).astype(np.int32), odd_boxes)

    def query(self, view: Bounds) -> Ids:
        """Ascending ids of the tiles whose closed box shares a point with the view."""
        first, last = self._across.touched(view.min_x, view.max_x)
        top, bottom = self._along.touched(view.min_y, view.max_y)
        if first <= last and top <= bottom:
            ids: Ids = self._tree.query(first, top, last, bottom)
        else:
            ids = np.empty(0, np.int32)
        if not len(self._odd_tiles):
            return ids
        odd = self._odd_tiles.query(view)
        # stable: a merge sort, which is fast with what is in order already
        return np.sort(np.concatenate((ids[~self._odd[ids]], odd)), kind="stable")

    def nodes(self) -> NDArray[np.void]:
        """The blocks of the lattice that hold a tile, halved from the whole down to 8 x 8 places.

        Their fields are those of StaticQuadtree.nodes(); odd tiles follow in a tree of their own.
        """
        blocks: NDArray[np.void] = self._tree.nodes()
        sides = {
            name: blocks[name].astype(np.int64) for name in ("min_x", "min_y", "max_x", "max_y")
        }
        blocks["min_x"], blocks["max_x"] = self._across.spanned(sides["min_x"], sides["max_x"] - 1)
        blocks["min_y"], blocks["max_y"] = self._along.spanned(sides["min_y"], sides["max_y"] - 1)
        if len(self._odd_tiles):
            return np.concatenate((blocks, self._odd_tiles.nodes()))
        return blocks

    def find(self, step: int, line: int) -> tuple[int, bool]:
        """The id of the tile in a place, or the id it would have, and whether there is one."""
        return self._tree.rank(step, line), (step, line) in self._tree

    def insert(self, step: int, line: int, odd_box: Floats | None) -> None:
        """Take in a tile: those that come after it have ids one higher now."""
        number = self._tree.set(step, line)
        self._odd = np.insert(self._odd, number, odd_box is not None)
        self._odd_tiles.shift(number, 1)
        if odd_box is not None:
            self._odd_tiles.add(number, odd_box)

    def remove(self, number: int) -> None:
        """Forget a tile: those after it have ids one lower now."""
        if self._odd[number]:
            self._odd_tiles.remove(number)
        self._odd = np.delete(self._odd, number)
        self._odd_tiles.shift(number, -1)
        [[step, line]] = self._tree.cells([number]).tolist()
        self._tree.clear(step, line)


class BoxIndex:
    """Boxes anywhere, by view: objects, and tiles of maps that lean."""

    def __init__(self, boxes: Floats) -> None:
        self._boxes = ScatteredBoxes(np.arange(len(boxes), dtype=np.int32), boxes)

    def query(self, view: Bounds) -> Ids:
        """Ascending ids of the closed boxes that share a point with the view."""
        return np.sort(self._boxes.query(view), kind="stable")  # mostly in order already

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

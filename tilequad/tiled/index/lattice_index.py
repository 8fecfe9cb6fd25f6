"""The seam between layers and the trees that answer which of their boxes are in view.

Boxes that lie anywhere go into a static quadtree. The tiles of a layer lie on a lattice and are
of few sizes, so for those of one size a view is a range of steps on a range of lines: a region
quadtree knows which places of the lattice hold a tile, and no boxes are kept; only tiles of rarer
sizes have boxes in a tree.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from copy import copy

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.quadtree import RegionQuadtree

from .numbering import Numbering
from .scattered_boxes import ScatteredBoxes

__all__ = ["BoxIndex", "Edges", "Family", "LatticeIndex"]

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


class Family:
    """The tiles of a layer that reach equally far around their place on the lattice.

    Args:
        held: Which places hold one of them; None if all tiles are of the family.
        across: Their spans along x, by step.
        along: Their spans along y, by line.
    """

    def __init__(self, held: RegionQuadtree | None, across: Edges, along: Edges) -> None:
        self.held = held
        self.across = across
        self.along = along

    def query(self, tiles: RegionQuadtree, view: Bounds) -> Ids:
        """Ascending ids, as `tiles` counts them, of those that share a point with the view."""
        first, last = self.across.touched(view.min_x, view.max_x)
        top, bottom = self.along.touched(view.min_y, view.max_y)
        if first > last or top > bottom:
            return np.empty(0, np.int32)
        ids: Ids = tiles.query(first, top, last, bottom, self.held)
        return ids


class LatticeIndex:
    """The tiles of one layer by view; a tile's id is its place in draw order.

    Lines are drawn one after the other, and their steps in turn, so the ids that a region quadtree
    counts over (steps, lines) are those of the layer. Which steps and lines are in view depends on
    how far a tile reaches around its place: families of many tiles know theirs, and the others, odd
    ones, have a box in a tree of their own.

    Cost of a query: for each family four binary searches, two counts of bits for each line in view,
    and its ids.

    Args:
        occupied: (lines, steps), which places hold a tile.
        families: At least one, the largest first; a place belongs to one at most.
        odd: The ids of the tiles of no family.
        odd_boxes: Their boxes, in the same order.
        numbering: From slots to ids; it follows the changes of the layer, and is told by others.
    """

    def __init__(
        self,
        occupied: NDArray[np.bool_],
        families: list[Family],
        odd: Ids,
        odd_boxes: Floats,
        numbering: Numbering,
    ) -> None:
        self._tiles = RegionQuadtree(occupied)
        self._families = families
        self._odd = ScatteredBoxes(numbering.slots(odd), odd_boxes)
        self._numbering = numbering

    def query(self, view: Bounds) -> Ids:
        """Ascending ids of the tiles whose closed box shares a point with the view."""
        found = [family.query(self._tiles, view) for family in self._families]
        if len(self._odd):
            found.append(self._numbering.ids(self._odd.query(view)))
        if len(found) == 1:
            return found[0]
        # stable: a merge sort, which is fast with what is in order already
        return np.sort(np.concatenate(found), kind="stable")

    def nodes(self) -> NDArray[np.void]:
        """The blocks of the lattice that hold a tile, halved from the whole down to 8 x 8 places.

        Their fields are those of StaticQuadtree.nodes(), their edges those of the largest family;
        odd tiles follow in a tree of their own.
        """
        nodes: NDArray[np.void] = self._tiles.nodes()
        for low, high, edges in (
            ("min_x", "max_x", self._families[0].across),
            ("min_y", "max_y", self._families[0].along),
        ):
            first, last = nodes[low].astype(np.int64), nodes[high].astype(np.int64) - 1
            nodes[low], nodes[high] = edges.spanned(first, last)
        return np.concatenate((nodes, self._odd.nodes())) if len(self._odd) else nodes

    @property
    def nbytes(self) -> int:
        """The bytes of all trees."""
        held = [family.held for family in self._families if family.held is not None]
        return int(sum(tree.nbytes for tree in (self._tiles, *held))) + self._odd.nbytes

    def find(self, step: int, line: int) -> tuple[int, bool]:
        """The id of the tile in a place, or the id it would have, and whether there is one."""
        return self._tiles.rank(step, line), (step, line) in self._tiles

    def insert(self, step: int, line: int, slot: int, family: int, box: Floats) -> None:
        """Take in a tile: those that come after it have ids one higher now.

        Args:
            step: Its place.
            line: Its place.
            slot: Where the layer keeps it.
            family: The number of its family, or -1 for none.
            box: Its box.
        """
        self._join(step, line, slot, family, box)
        self._tiles.set(step, line)

    def remove(self, step: int, line: int, slot: int) -> None:
        """Forget a tile: those after it have ids one lower now."""
        self._leave(step, line, slot)
        self._tiles.clear(step, line)

    def replace(self, step: int, line: int, slot: int, family: int, box: Floats) -> None:
        """The tile in a place is another now."""
        self._leave(step, line, slot)
        self._join(step, line, slot, family, box)

    def _join(self, step: int, line: int, slot: int, family: int, box: Floats) -> None:
        largest = self._families[0]
        if largest.held is None and family != 0:
            largest.held = copy(self._tiles)
            largest.held.clear(step, line)
        if family < 0:
            self._odd.add(slot, box)
        elif (held := self._families[family].held) is not None:
            held.set(step, line)

    def _leave(self, step: int, line: int, slot: int) -> None:
        for family in self._families:
            if family.held is None:  # all tiles are of this family, and will be
                return
            if (step, line) in family.held:
                family.held.clear(step, line)
                return
        self._odd.remove(slot)


class BoxIndex:
    """Boxes anywhere, by view: objects, and tiles of maps that lean.

    Args:
        boxes: By id.
        numbering: The slots of the ids; it follows the changes of the layer, and is told by others.
    """

    def __init__(self, boxes: Floats, numbering: Numbering) -> None:
        ids = np.arange(len(boxes), dtype=np.int32)
        self._boxes = ScatteredBoxes(numbering.slots(ids), boxes)
        self._numbering = numbering

    def query(self, view: Bounds) -> Ids:
        """Ascending ids of the closed boxes that share a point with the view."""
        found = self._numbering.ids(self._boxes.query(view))
        return np.sort(found, kind="stable")  # mostly in order already

    def nodes(self) -> NDArray[np.void]:
        """The nodes of the tree: bounds, depth, count; see StaticQuadtree."""
        return self._boxes.nodes()

    @property
    def nbytes(self) -> int:
        """The bytes of the tree."""
        return self._boxes.nbytes

    def insert(self, slot: int, box: Floats) -> None:
        """Take in a box."""
        self._boxes.add(slot, box)

    def remove(self, slot: int) -> None:
        """Forget a box."""
        self._boxes.remove(slot)

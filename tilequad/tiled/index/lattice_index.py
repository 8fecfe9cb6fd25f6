"""Which tiles of a layer are in view.

The tiles of a layer lie on a lattice and are of few sizes, so for those of one size a view is a
range of steps on a range of lines, and the region quadtree of their cells lists what is in it. No
boxes are kept.
"""

from __future__ import annotations

from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.quadtree import RegionQuadtree, StaticQuadtree

from ..geometry.axes import Axes
from ..geometry.grids import Grid, Lattice
from .tile_places import TilePlaces

__all__ = ["BoxIndex", "LatticeIndex"]

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Range = tuple[int, int, int, int]  # first step, first line, last step, last line

_FAR = 1 << 30  # no step and no line is as far away
_NEAR = 1e-5  # as a part of a step: so near to an edge, it is reckoned as the box is
_FARTHER = 1 - _NEAR


class Spans:
    """The spans of equal, equally spaced tiles along one axis of the world, by step.

    Args:
        start: Where step 0 of the grid lies, in pixels.
        pitch: From one step to the next; it may be negative.
        shift: The step of the grid at which the layer's own step 0 lies.
        low: How far a span reaches from its step to its low end.
        high: The same to its high end.
        mirror: What pixels are taken from to become world units; None where they are the same.
    """

    def __init__(
        self, start: float, pitch: float, shift: int, low: float, high: float, mirror: float | None
    ) -> None:
        self._start = start
        self._pitch = pitch
        self._shift = shift
        self._low, self._high = low, high
        self._mirror = mirror
        # first = factor * one end of the range + a constant, and last with the other end
        factor = 1 / pitch if pitch else 0.0
        at_first, at_last = -(high + start) * factor - shift, -(low + start) * factor - shift
        if pitch < 0:
            at_first, at_last = at_last, at_first
        if mirror is not None:
            at_first, at_last = at_first + mirror * factor, at_last + mirror * factor
            factor = -factor
        self._factor, self._at_first, self._at_last = factor, at_first, at_last

    def touched(self, start: float, end: float) -> tuple[int, int]:
        """First and last step whose closed span shares a point with [start, end].

        Where there is none, the first comes after the last.
        """
        factor = self._factor
        if factor > 0:
            first, last = start * factor + self._at_first, end * factor + self._at_last
        elif factor:
            first, last = end * factor + self._at_first, start * factor + self._at_last
        else:
            return (-_FAR, _FAR) if self._touches(0, start, end) else (1, 0)
        if not (-_FAR < first < _FAR and -_FAR < last < _FAR):
            first, last = max(-_FAR, min(first, _FAR)), max(-_FAR, min(last, _FAR))
        low, high = ceil(first), floor(last)
        if not _NEAR < low - first < _FARTHER:
            near = round(first)
            low = near if self._touches(near, start, end) else near + 1
        if not _NEAR < last - high < _FARTHER:
            near = round(last)
            high = near if self._touches(near, start, end) else near - 1
        return low, high

    def _touches(self, step: int, start: float, end: float) -> bool:
        """Whether a span touches a range, reckoned as boxes are so that both round alike."""
        anchor = self._start + (step + self._shift) * self._pitch
        low, high = anchor + self._low, anchor + self._high
        if self._mirror is not None:
            low, high = self._mirror - high, self._mirror - low
        return high >= start and low <= end


class Family:
    """The tiles of a layer that reach equally far around their anchors, or about so.

    Args:
        tree: Their cells.
        places: Where they are drawn.
        reach: Around each of them.
        exact: Whether they reach exactly as far.
    """

    def __init__(
        self, tree: RegionQuadtree, places: TilePlaces, reach: Floats, exact: bool
    ) -> None:
        self.tree = tree
        self.reach = reach
        self._places = places
        lattice = places.grid.lattice
        self._exact = exact and lattice is not None
        self._spans = lattice and spans(places.grid, lattice, places.origin, places.axes, reach)

    def query(self, view: Bounds) -> Ints:
        """The ids of those that share a point with the view, in draw order."""
        min_x, min_y, max_x, max_y = view
        if self._spans is None:
            first, top, last, bottom = self._leaning(view)
        else:
            across, along = self._spans
            first, last = across.touched(min_x, max_x)
            top, bottom = along.touched(min_y, max_y)
        if first > last or top > bottom:
            return np.empty(0, np.int32)
        ids: Ints = self.tree.query(first, top, last, bottom)
        if self._exact:
            return ids
        boxes = self._places.boxes(ids)
        seen = (boxes[:, 0] <= max_x) & (min_x <= boxes[:, 2])
        return ids[seen & (boxes[:, 1] <= max_y) & (min_y <= boxes[:, 3])]

    def _leaning(self, view: Bounds) -> Range:
        """Columns and rows of a grid without a lattice, among them all that are in view."""
        left, top, right, bottom = self._places.axes.boxes(np.array([view], float))[0].tolist()
        before, above, behind, below = self.reach.tolist()
        box = left - behind, top - below, right - before, bottom - above
        column, row = self._places.origin
        first, first_line, last, last_line = self._places.grid.cells_around(box)
        return first - column, first_line - row, last - column, last_line - row


class LatticeIndex:
    """The tiles of one layer by view.

    Cost of a query: for each family four divisions, and a nanosecond or two for each id; some ten
    microseconds more where more than one family is in view, for then ids are sorted.

    Args:
        places: Where the tiles are drawn; their store changes together with the index.
    """

    def __init__(self, places: TilePlaces) -> None:
        self._places = places
        self._built: list[Family] = []  # at the first question: a hidden layer never needs it

    def query(self, view: Bounds) -> Ints:
        """Ids of the tiles whose closed box shares a point with the view, in draw order."""
        families = self._built or self._build()
        if len(families) == 1:
            return families[0].query(view)
        found = [family.query(view) for family in families if len(family.tree)]
        some = [ids for ids in found if len(ids)]
        if len(some) == 1:
            return some[0]
        return self._places.tiles.in_draw_order(np.concatenate([np.empty(0, np.int32), *some]))

    def nodes(self) -> NDArray[np.void]:
        """The blocks of cells that hold a tile, halved from the whole down to 8 x 8 cells.

        Their fields are those of StaticQuadtree.nodes(); their boxes are those around their cells,
        with the reach of the commonest tiles.
        """
        nodes: NDArray[np.void] = self._places.tiles.tree.nodes()
        left, right = nodes["min_x"].astype(np.int32), nodes["max_x"].astype(np.int32) - 1
        top, bottom = nodes["min_y"].astype(np.int32), nodes["max_y"].astype(np.int32) - 1
        corners = np.stack(
            [self._places.anchors(x, y) for x in (left, right) for y in (top, bottom)]
        )
        reach = self._places.reaches.families[0]
        low, high = corners.min(axis=0) + reach[:2], corners.max(axis=0) + reach[2:]
        lattice = self._places.grid.lattice
        if self._places.tiles.order.stagger and lattice is not None:
            # a row, or column, between the corners may stick out by a step
            margin = (
                np.where(right > left, abs(lattice.dx), 0),
                np.where(bottom > top, abs(lattice.dy), 0),
            )
            low, high = low - np.stack(margin, axis=1), high + np.stack(margin, axis=1)
        boxes = self._places.axes.boxes(np.concatenate((low, high), axis=1))
        for column, name in enumerate(("min_x", "min_y", "max_x", "max_y")):
            nodes[name] = boxes[:, column]
        return nodes

    @property
    def nbytes(self) -> int:
        """The bytes of the trees beside that of the layer's tiles."""
        whole = self._places.tiles.tree
        trees = [family.tree for family in self._built if family.tree is not whole]
        return int(sum(tree.nbytes for tree in trees))

    def change(self, column: int, row: int, before: int, after: int) -> None:
        """A cell holds another tile now, in the store too.

        Args:
            column: The cell.
            row: The cell.
            before: What it held, 0 for nothing.
            after: What it holds.
        """
        if not self._built:
            if after:
                self._places.learn(after)
            return
        reaches = self._places.reaches
        new = reaches.family(after) if after else -1
        old = reaches.family(before) if before else -1
        count = len(self._built)
        if new >= count or (new >= 0 and self._built[new].reach is not reaches.families[new]):
            self._build()
            if count == 1 and len(self._built) > 1:
                return  # the cell was found among those of its family
        if len(self._built) == 1 or new == old:
            return
        if old >= 0:
            self._built[old].tree.clear(column, row)
        if new >= 0:
            self._built[new].tree.set(column, row)

    def _build(self) -> list[Family]:
        """Make the families, or take over those that are new or reach farther now."""
        reaches, whole = self._places.reaches, self._places.tiles.tree
        trees = [family.tree for family in self._built]
        if len(reaches.families) == 1:
            trees = [whole]
        elif len(trees) < 2:
            trees = self._split(len(reaches.families))
        trees += [RegionQuadtree.like(whole) for _ in range(len(trees), len(reaches.families))]
        self._built = [
            Family(tree, self._places, reach, exact)
            for tree, reach, exact in zip(trees, reaches.families, reaches.exact, strict=True)
        ]
        return self._built

    def _split(self, count: int) -> list[RegionQuadtree]:
        """A tree for each family."""
        tiles, reaches = self._places.tiles, self._places.reaches
        slots, columns, rows, held = tiles.tree.blocks()
        values = tiles.values.reshape(-1, 64)[slots // 64]
        numbers = reaches.families_of(values.reshape(-1)).reshape(-1, 64)
        trees = []
        for number in range(count):
            own = held & (numbers == number)
            some = own.any(axis=1)
            trees.append(
                RegionQuadtree.of_blocks(
                    tiles.ids, tiles.order, columns[some], rows[some], own[some]
                )
            )
        return trees


def spans(
    grid: Grid, lattice: Lattice, origin: tuple[int, int], axes: Axes, reach: Floats
) -> tuple[Spans, Spans]:
    """The spans of tiles of one reach in the world: across by step, along by line."""
    left, top, right, bottom = reach.tolist()
    step, line = grid.shift_of(origin)
    across = Spans(lattice.left, lattice.dx, step, left, right, None)
    mirror = axes.height if axes.y_up else None
    return across, Spans(lattice.top, lattice.dy, line, top, bottom, mirror)


class BoxIndex:
    """Boxes anywhere that stay as they are, by view: those of objects.

    Args:
        boxes: By id.
    """

    def __init__(self, boxes: Floats) -> None:
        self._tree = StaticQuadtree(boxes)

    def query(self, view: Bounds) -> Ints:
        """Ascending ids of the closed boxes that share a point with the view."""
        return np.sort(self._tree.query(view), kind="stable")  # mostly in order already

    def nodes(self) -> NDArray[np.void]:
        """The nodes of the tree: bounds, depth, count; see StaticQuadtree."""
        nodes: NDArray[np.void] = self._tree.nodes()
        return nodes

    @property
    def nbytes(self) -> int:
        """The bytes of the tree."""
        return int(self._tree.stats().nbytes)

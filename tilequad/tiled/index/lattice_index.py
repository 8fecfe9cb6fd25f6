"""Find the tiles of a layer that overlap a view.

The tiles of a layer lie on a lattice and have few sizes. For tiles of one size, a view is a range
of steps and lines, and the set of their cells lists the tiles in it. No boxes are stored.
"""

from __future__ import annotations

from collections.abc import Sized
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from tilequad._core.cells.blocks import blocks_of, nodes_of
from tilequad._core.cells.cell_ids import GridIds
from tilequad._core.cells.cell_set import CellSet
from tilequad._core.cells.listing import count_cells, list_cells
from tilequad.bounds import Bounds

from ..cells import Floats, Ints, Raw
from .tile_places import TilePlaces
from .tile_store import distinct

__all__ = ["LatticeIndex"]

Range = tuple[int, int, int, int]  # first step, first line, last step, last line

_FAR = 1 << 30  # farther than any step or line
_NEAR = 1e-5  # in steps; closer to an edge than this, test the box itself
_FARTHER = 1 - _NEAR

# Up to this many tiles are listed by size class and then sorted by draw order. More would take too
# much memory, so they are listed in draw order and then tested.
_MANY = 1 << 16
_WASTE = 4  # ... unless that tests this many times as many tiles as listing by class
_PIECE = 1 << 16  # tiles to test at a time, to spare memory
_FEW = 1 << 10  # values that a set tells apart as fast as numpy


class Spans:
    """The extents of equal, equally spaced tiles along one axis of the world, by step."""

    def __init__(
        self, start: float, pitch: float, shift: int, low: float, high: float, mirror: float | None
    ) -> None:
        self._start = start  # position of step 0 of the grid, in pixels
        self._pitch = pitch  # distance from one step to the next; may be negative
        self._shift = shift  # the grid's step at the layer's own step 0
        self._low, self._high = low, high  # offsets of a span's ends from its step
        self._mirror = mirror  # world coordinate = mirror - pixel; None if they are equal
        # first step = factor * one end of the range + a constant; last step from the other end
        factor = 1 / pitch if pitch else 0.0
        at_first, at_last = -(high + start) * factor - shift, -(low + start) * factor - shift
        if pitch < 0:
            at_first, at_last = at_last, at_first
        if mirror is not None:
            at_first, at_last = at_first + mirror * factor, at_last + mirror * factor
            factor = -factor
        self._factor, self._at_first, self._at_last = factor, at_first, at_last

    def touched(self, start: float, end: float) -> tuple[int, int]:
        """Return the first and last step whose closed span overlaps [start, end].

        If there is none, the first is greater than the last.
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
        """Test one span with the arithmetic of boxes, so that both round alike."""
        anchor = self._start + (step + self._shift) * self._pitch
        low, high = anchor + self._low, anchor + self._high
        if self._mirror is not None:
            low, high = self._mirror - high, self._mirror - low
        return high >= start and low <= end


class SizeClass:
    """The tiles of a layer that reach equally far around their anchors, or nearly so."""

    def __init__(self, held: CellSet, places: TilePlaces, reach: Floats, exact: bool) -> None:
        self.held = held
        self.reach = reach  #: the smallest box, relative to the anchor, around all of them
        self._places = places
        lattice = places.grid.lattice
        #: whether all tiles in the range of a view overlap it: they have exactly this reach
        self.exact = exact and lattice is not None
        self._spans: tuple[Spans, Spans] | None = None  # along x by step, along y by line
        if lattice is not None:
            left, top, right, bottom = reach.tolist()
            step, line = places.grid.shift_of(places.origin)
            mirror = places.axes.height if places.axes.y_up else None
            across = Spans(lattice.left, lattice.dx, step, left, right, None)
            self._spans = across, Spans(lattice.top, lattice.dy, line, top, bottom, mirror)

    def query_range(self, asked: Range, view: Bounds) -> Ints:
        """Find the tiles that overlap the view, in draw order, given its `range`."""
        first, top, last, bottom = asked
        if first > last or top > bottom:
            return np.empty(0, np.int32)
        ids: Ints = list_cells(self.held, first, top, last, bottom)
        return ids if self.exact else ids[seen(self._places.boxes(ids), view)]

    def range(self, view: Bounds) -> Range:
        """Return the range of tiles that may overlap the view; if none, a first exceeds a last."""
        if self._spans is None:
            return self._leaning(view)
        min_x, min_y, max_x, max_y = view
        across, along = self._spans
        first, last = across.touched(min_x, max_x)
        top, bottom = along.touched(min_y, max_y)
        return first, top, last, bottom

    def _leaning(self, view: Bounds) -> Range:
        """Return a range of columns and rows around the view, for a grid without a lattice."""
        left, top, right, bottom = self._places.axes.boxes(np.array([view], float))[0].tolist()
        before, above, behind, below = self.reach.tolist()
        box = left - behind, top - below, right - before, bottom - above
        column, row = self._places.origin
        first, first_line, last, last_line = self._places.grid.cells_around(box)
        return first - column, first_line - row, last - column, last_line - row


class LatticeIndex:
    """Finds the tiles of one layer in a view. The store of the tiles and the index change together.

    Cost of a query: one or two nanoseconds per id, and a few arithmetic operations per size class.
    If tiles of several size classes are in view, sorting them costs about ten microseconds more.
    """

    def __init__(self, places: TilePlaces) -> None:
        self._places = places
        self._ids_ascend = places.tiles.ids_ascend
        self._classes: list[SizeClass] = []  # on the first query: a hidden layer never needs it

    def query(self, view: Bounds) -> Ints:
        """Find the tiles whose closed box overlaps the view, in draw order."""
        classes = self._classes or self._build()
        if len(classes) == 1 and classes[0].exact:
            [only] = classes
            return only.query_range(only.range(view), view)
        ranges = [part.range(view) for part in classes]
        sizes = [size_of(own, part.held) for own, part in zip(ranges, classes, strict=True)]
        if sum(sizes) > _MANY:
            around = range_around([own for own, size in zip(ranges, sizes, strict=True) if size])
            if size_of(around, self._places.tiles) < _WASTE * sum(sizes):
                return self._query_many(around, view)
        found = [
            part.query_range(own, view)
            for own, size, part in zip(ranges, sizes, classes, strict=True)
            if size
        ]
        some = [ids for ids in found if len(ids)]
        if len(some) == 1:
            return some[0]
        joined: Ints = np.concatenate([np.empty(0, np.int32), *some])
        return np.sort(joined) if self._ids_ascend else self._places.tiles.in_draw_order(joined)

    def count(self, view: Bounds) -> int:
        """Count the tiles whose closed box overlaps the view."""
        classes = self._classes or self._build()
        if len(classes) == 1 and classes[0].exact:
            first, top, last, bottom = classes[0].range(view)
            if first > last or top > bottom:
                return 0
            return count_cells(classes[0].held, first, top, last, bottom)
        return len(self.query(view))

    def cells_around(self, view: Bounds) -> tuple[int, int, int, int]:
        """Return a rectangle of cells with all tiles whose closed box overlaps the view.

        It lies inside a map with edges: first column and row, and numbers of columns and rows.
        """
        classes = self._classes or self._build()
        asked = classes[0].range(view)
        if len(classes) > 1:
            ranges = [part.range(view) for part in classes]
            some = [own for own in ranges if own[0] <= own[2] and own[1] <= own[3]]
            asked = range_around(some or [asked])
        tiles = self._places.tiles
        first, top, last, bottom = tiles.order.cells_of(*asked)
        ids = tiles.ids
        if isinstance(ids, GridIds):
            first, top = max(first, 0), max(top, 0)
            last, bottom = min(last, ids.columns - 1), min(bottom, ids.rows - 1)
        return first, top, max(last - first + 1, 0), max(bottom - top + 1, 0)

    def _query_many(self, around: Range, view: Bounds) -> Ints:
        """List all tiles around the view, and test them in pieces, to spare memory."""
        ids: Ints = list_cells(self._places.tiles.held, *around)
        inside = self._places.anchors_inside(view)
        count = 0
        for start in range(0, len(ids), _PIECE):
            piece = ids[start : start + _PIECE]
            found = self._places.anchored_in(piece, inside)
            rest = np.flatnonzero(~found)
            if len(rest):
                found[rest] = seen(self._places.boxes(piece[rest]), view)
            kept = piece[found]
            ids[count : count + len(kept)] = kept
            count += len(kept)
        return ids[:count] if 2 * count > len(ids) else ids[:count].copy()

    def nodes(self) -> NDArray[np.void]:
        """Return the blocks of cells that hold a tile, from the root down to 8 x 8 cells.

        The fields are as in StaticQuadtree.nodes(). A box surrounds the tiles that its cells
        would hold if all had the most common reach.
        """
        nodes: NDArray[np.void] = nodes_of(self._places.tiles.held)
        left, right = nodes["min_x"].astype(np.int32), nodes["max_x"].astype(np.int32) - 1
        top, bottom = nodes["min_y"].astype(np.int32), nodes["max_y"].astype(np.int32) - 1
        corners = np.stack(
            [self._places.anchors(x, y) for x in (left, right) for y in (top, bottom)]
        )
        reach = self._places.reaches.size_classes[0]
        low, high = corners.min(axis=0) + reach[:2], corners.max(axis=0) + reach[2:]
        lattice = self._places.grid.lattice
        if self._places.tiles.order.stagger and lattice is not None:
            # a row or column between the corners may extend one step farther
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
        """The memory of the cells of single size classes, in bytes."""
        whole = self._places.tiles.held
        return sum(part.held.nbytes for part in self._classes if part.held is not whole)

    def change(self, column: int, row: int, before: int, after: int) -> None:
        """Update the index after the raw value of a cell of the store has changed."""
        if not self._classes:
            if after:
                self._places.add_kind(after)
            return
        reaches = self._places.reaches
        if len(self._classes) == 1 and (not after or reaches.knows(after)):
            return
        new = reaches.class_of(after) if after else -1
        old = reaches.class_of(before) if before else -1
        count = len(self._classes)
        if new >= count or (new >= 0 and self._classes[new].reach is not reaches.size_classes[new]):
            self._build()
            if count == 1 and len(self._classes) > 1:
                return  # splitting has put the cell into its class
        if len(self._classes) == 1 or new == old:
            return
        if old >= 0:
            self._classes[old].held.clear(column, row)
        if new >= 0:
            self._classes[new].held.set(column, row)

    def change_many(self, columns: Ints, rows: Ints, before: Raw, after: Raw) -> None:
        """Update the index after many cells of the store have changed, as `change` does."""
        kinds = sorted(set(after.tolist()) if len(after) < _FEW else distinct(after)[0].tolist())
        kinds = [kind for kind in kinds if kind]
        if not self._classes:
            for kind in kinds:
                self._places.add_kind(kind)
            return
        reaches = self._places.reaches
        for kind in kinds:
            reaches.class_of(kind)
        grown = len(reaches.size_classes) > len(self._classes) or any(
            own.reach is not reach
            for own, reach in zip(self._classes, reaches.size_classes, strict=True)
        )
        if grown or (len(self._classes) > 1 and len(columns) > _MANY):
            self.forget()
        elif len(self._classes) > 1:
            changes = (array.tolist() for array in (columns, rows, before, after))
            for change in zip(*changes, strict=True):
                self.change(*change)

    def forget(self) -> None:
        """Build all anew on the next query, after an exception in the middle of a change."""
        self._classes = []
        vars(self._places).pop("reaches", None)

    def _build(self) -> list[SizeClass]:
        """Build all size classes, or only add new ones and update grown reaches."""
        reaches, whole = self._places.reaches, self._places.tiles.held
        sets = [size_class.held for size_class in self._classes]
        if len(reaches.size_classes) == 1:
            sets = [whole]
        elif len(sets) < 2:
            sets = self._split(len(reaches.size_classes))
        for _ in range(len(sets), len(reaches.size_classes)):
            sets.append(CellSet(whole.ids, whole.order))
        self._classes = [
            SizeClass(held, self._places, reach, exact)
            for held, reach, exact in zip(sets, reaches.size_classes, reaches.exact, strict=True)
        ]
        return self._classes

    def _split(self, count: int) -> list[CellSet]:
        tiles, reaches = self._places.tiles, self._places.reaches
        slots, columns, rows, held = blocks_of(tiles.held)
        values, at = tiles.values.reshape(-1, 64), slots // 64
        numbers = np.empty(held.shape, np.uint8)  # fewer than 100 classes
        for start in range(0, len(at), _PIECE // 64):
            part = values[at[start : start + _PIECE // 64]]
            classes = reaches.classes_of(part.reshape(-1))
            numbers[start : start + len(part)] = classes.reshape(-1, 64)
        sets = []
        for number in range(count):
            own = held & (numbers == number)
            some = own.any(axis=1)
            sets.append(CellSet(tiles.ids, tiles.order))
            sets[number].fill(columns[some], rows[some], own[some])
        return sets


def size_of(asked: Range, cells: Sized) -> int:
    """Return an upper limit of the number of cells in a range of a set of cells."""
    first, top, last, bottom = asked
    return min(max(last - first + 1, 0) * max(bottom - top + 1, 0), len(cells))


def range_around(ranges: list[Range]) -> Range:
    """Return the smallest range around some others."""
    firsts, tops, lasts, bottoms = zip(*ranges, strict=True)
    return min(firsts), min(tops), max(lasts), max(bottoms)


def seen(boxes: Floats, view: Bounds) -> NDArray[np.bool_]:
    """Test which closed boxes overlap a view."""
    min_x, min_y, max_x, max_y = view
    across = (boxes[:, 0] <= max_x) & (min_x <= boxes[:, 2])
    return across & (boxes[:, 1] <= max_y) & (min_y <= boxes[:, 3])

"""The places of the tiles of a layer: boxes, anchors and cell outlines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tilequad._core.shown import shown
from tilequad.bounds import Bounds

from ..cells import (
    FARTHEST,
    FLAG_SHIFT,
    FLIPPED_DIAGONALLY,
    GID_MASK,
    Floats,
    Ids,
    Ints,
    Raw,
    turn_of,
)
from ..geometry.grids import Axes, Grid
from .tile_store import TileStore

__all__ = ["TilePlaces"]

DrawBoxes = Callable[[Raw], Floats]  # `TilesetList.draw_boxes`

_INSIDE = (1, 1, -1, -1)  # shrinks a box by a pixel on each side

# If less than this part of the tiles have a reach, it joins a class of similar reaches, because
# each class costs a bit per cell and 3 us per query.
_FEW = 1 / 32


@dataclass(eq=False)
class TilePlaces:
    """The boxes of tiles and the outlines of cells, in world units."""

    tiles: TileStore
    grid: Grid  #: the grid of the map
    origin: tuple[int, int]  #: column and row of the layer's cell (0, 0) in the grid
    offset: tuple[float, float]  #: offset of the layer, in pixels, y down
    draw_boxes: DrawBoxes  #: `TilesetList.draw_boxes`
    axes: Axes

    @cached_property
    def reaches(self) -> Reaches:
        """The reaches of tiles around their anchors, computed on first use."""
        return Reaches(*self.tiles.kinds(), self.draw_boxes, self.offset, self.grid.turns)

    def add_kind(self, raw: int) -> None:
        """Add a kind of tile that may be new to the reaches, if they are computed."""
        if "reaches" in vars(self):
            self.reaches.class_of(raw)

    def cells_at(self, x: float, y: float) -> Ints:
        """Return columns and rows of the cells at a point, (n, 2), as if the grid had no edges.

        Several meet on an edge; they come line by line, and it belongs to the last one.
        """
        if not (abs(x) < FARTHEST and abs(y) < FARTHEST):
            raise ValueError(
                f"x and y must be finite and less than {FARTHEST}, got {shown(x)}, {shown(y)}"
            )
        _, down = self.axes.point(x, y)
        columns, rows = self.grid.near(x - self.offset[0], down - self.offset[1])
        cells = np.stack((columns, rows), axis=1) - np.array(self.origin, np.int32)
        held = _contain_point(self.outlines(*cells.T), x, y)
        return cells[held] if held.any() else cells[len(cells) // 2, None]  # a seam, by rounding

    def boxes(self, ids: Ids) -> Floats:
        """Return the boxes of tiles as drawn, (n, 4), in world units; KeyError for an empty one."""
        return self.axes.boxes(self.pixel_boxes(ids))

    def pixel_boxes(self, ids: Ids) -> Floats:
        """Return the boxes of tiles as drawn, (n, 4), in pixels, y down."""
        columns, rows = self.tiles.cells(ids)
        raw = self.tiles.raw(columns, rows)
        if not raw.all():
            first = int(np.flatnonzero(raw == 0)[0])
            cell = int(columns[first]), int(rows[first])
            raise KeyError(f"id {int(np.asarray(ids)[first])}: the cell {cell} holds no tile")
        return np.tile(self.anchors(columns, rows), 2) + self.reaches.of(raw)

    def anchors(self, columns: Ints, rows: Ints) -> Floats:
        """Return the bottom-left corners of images before offsets, (n, 2), in pixels, y down."""
        return self.grid.anchors(
            columns + np.int32(self.origin[0]), rows + np.int32(self.origin[1])
        )

    def anchors_inside(self, view: Bounds) -> Floats:
        """Return a box such that every tile with its anchor in the box overlaps the view.

        It may be empty, and is a pixel smaller than it could be, because boxes are rounded.
        """
        left, top, right, bottom = self.axes.boxes(np.array([view], float))[0].tolist()
        before, above, behind, below = self.reaches.common().tolist()
        return np.array((left - behind, top - below, right - before, bottom - above)) + _INSIDE

    def anchored_in(self, ids: Ids, box: Floats) -> NDArray[np.bool_]:
        """Return which tiles have their anchor in a box, in pixels, y down."""
        x, y = self.anchors(*self.tiles.cells(ids)).T
        left, top, right, bottom = box.tolist()
        inside: NDArray[np.bool_] = (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
        return inside

    def outlines(self, columns: Ints, rows: Ints) -> Floats:
        """Return the corners of cells, (n, 4 or 6, 2), in world units."""
        anchors = self.anchors(columns, rows) + self.offset
        corners = anchors[:, None, :] + self.grid.outline()
        return self.axes.points(corners.reshape(-1, 2)).reshape(corners.shape)


class Reaches:
    """The reach of each kind of tile in a layer; a kind is a gid with its flip bits.

    A reach is left, top, right and bottom in pixels from the anchor, y down, including tile and
    layer offsets. Kinds with the same reach form a size class. Rare reaches are grouped by
    magnitude, so that one large tile does not widen the search for small ones.
    """

    def __init__(
        self,
        kinds: Raw,
        counts: NDArray[np.int64],
        draw_boxes: DrawBoxes,
        offset: tuple[float, float],
        turns: bool,
    ) -> None:
        self._draw_boxes = draw_boxes
        self._offset = offset  # of the layer, in pixels, y down
        self._turns = turns  # whether flags turn a tile instead of swapping its axes
        self._kinds = kinds  # ascending; `counts` is how many tiles each has
        self._table = self._reach(kinds)
        self._by_size: dict[int, int] = {}
        if len(kinds) and (self._table == self._table[0]).all():  # usually all have one size
            #: the smallest box around the reaches of each class's kinds
            self.size_classes = [self._table[0]]
            self.exact = [True]  #: whether all kinds of a class have exactly this reach
            self._by_kind = dict.fromkeys(kinds.tolist(), 0)
        else:
            self.size_classes = self._commonest(counts)
            self.exact = [True] * len(self.size_classes)
            self._by_kind = {}
            for kind, reach in zip(kinds.tolist(), self._table, strict=True):
                self._by_kind[kind] = self._join_class(reach)
        self._numbers = self._class_numbers()

    def of(self, raw: Raw) -> Floats:
        """Return the reaches of tiles, (n, 4); KeyError for the 0 of an empty cell."""
        if not raw.all():
            raise KeyError("a cell without a tile has no box")
        if len(self.size_classes) == 1 and self.exact[0]:
            return np.broadcast_to(self.size_classes[0], (len(raw), 4))
        return self._table[np.searchsorted(self._kinds, raw)]

    def common(self) -> Floats:
        """Return the box that all reaches cover; left may be beyond right, and top below bottom."""
        low, high = self._table[:, :2].max(axis=0), self._table[:, 2:].min(axis=0)
        return np.concatenate((low, high))

    def knows(self, raw: int) -> bool:
        """Return whether a kind of tile is in a class already."""
        return raw in self._by_kind

    def class_of(self, raw: int) -> int:
        """Return the size class of a kind of tile; add the kind if it is new."""
        number = self._by_kind.get(raw)
        return self._add(raw) if number is None else number

    def classes_of(self, raw: Raw) -> Ints:
        """Return the size classes of known kinds."""
        if not len(self._kinds):
            return np.zeros(len(raw), np.int32)
        places = np.searchsorted(self._kinds, raw)
        return self._numbers[np.minimum(places, len(self._kinds) - 1)]

    def _add(self, raw: int) -> int:
        kind = np.array([raw], np.uint32)
        place = int(np.searchsorted(self._kinds, kind[0]))
        reach = self._reach(kind)
        if not len(self._kinds):  # an empty layer has a class without a size
            self.size_classes[0] = reach[0]
        self._by_kind[raw] = number = self._join_class(reach[0])
        self._kinds = np.insert(self._kinds, place, kind)
        self._table = np.insert(self._table, place, reach, axis=0)
        self._numbers = self._class_numbers()
        return number

    def _class_numbers(self) -> Ints:
        return np.array([self._by_kind[kind] for kind in self._kinds.tolist()], np.int32)

    def _join_class(self, reach: Floats) -> int:
        """Return the size class for a reach: an exact one, or one of similar magnitude."""
        for number, (own, exact) in enumerate(zip(self.size_classes, self.exact, strict=True)):
            if exact and (own == reach).all():
                return number
        size = int(np.abs(reach).max()).bit_length()
        if size not in self._by_size:
            self._by_size[size] = len(self.size_classes)
            self.size_classes.append(reach.copy())
            self.exact.append(False)
        number = self._by_size[size]
        around = self.size_classes[number]
        low, high = np.minimum(around[:2], reach[:2]), np.maximum(around[2:], reach[2:])
        self.size_classes[number] = np.concatenate((low, high))
        return number

    def _commonest(self, counts: NDArray[np.int64]) -> list[Floats]:
        """Return the reaches that many tiles share, most common first; at least one."""
        if not len(self._table):
            return [np.zeros(4)]
        reaches, which = np.unique(self._table, axis=0, return_inverse=True)
        totals = np.bincount(which.ravel(), weights=counts)
        many = np.count_nonzero(totals >= max(_FEW * totals.sum(), 1))
        return list(reaches[np.argsort(-totals, kind="stable")[: max(many, 1)]])

    def _reach(self, kinds: Raw) -> Floats:
        area_x, area_y, width, height, dx, dy = self._draw_boxes(kinds & np.uint32(GID_MASK)).T
        half_x, half_y = width / 2, height / 2
        flags = kinds >> np.uint32(FLAG_SHIFT)
        if self._turns:
            half_x, half_y = _turned(half_x, half_y, flags)
        else:
            swapped = (flags & FLIPPED_DIAGONALLY) != 0
            area_x, area_y = np.where(swapped, (area_y, area_x), (area_x, area_y))
            half_x, half_y = np.where(swapped, (half_y, half_x), (half_x, half_y))
        x = area_x / 2 + dx + self._offset[0]
        y = dy - area_y / 2 + self._offset[1]
        return np.stack((x - half_x, y - half_y, x + half_x, y + half_y), axis=1)


def _turned(half_x: Floats, half_y: Floats, flags: Raw) -> tuple[Floats, Floats]:
    """Return half the size of the boxes around tiles that flags turn by steps of 60 degrees."""
    angle = np.deg2rad(turn_of(flags))
    # round, so that a half turn keeps a box exactly
    cosine, sine = np.abs(np.cos(angle)).round(12), np.abs(np.sin(angle)).round(12)
    return half_x * cosine + half_y * sine, half_x * sine + half_y * cosine


def _contain_point(polygons: Floats, x: float, y: float) -> NDArray[np.bool_]:
    """Return which closed convex polygons contain a point; corners in either sense, (n, k, 2)."""
    sides = np.roll(polygons, -1, axis=1) - polygons
    away = (x, y) - polygons
    turns = sides[:, :, 0] * away[:, :, 1] - sides[:, :, 1] * away[:, :, 0]
    inside: NDArray[np.bool_] = np.all(turns >= 0, axis=1) | np.all(turns <= 0, axis=1)
    return inside

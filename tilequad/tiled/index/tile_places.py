"""The places of the tiles of a layer: boxes, anchors and cell outlines."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds

from ..cells import FARTHEST, Ids
from ..geometry.grids import Axes, Grid
from ..geometry.polygons import contain_point
from .reaches import DrawBoxes, Reaches
from .tile_store import TileStore

__all__ = ["TilePlaces"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

_INSIDE = (1, 1, -1, -1)  # shrinks a box by a pixel on each side


class TilePlaces:
    """The boxes of tiles and the outlines of cells, in world units.

    Args:
        tiles: The tiles.
        grid: The grid of the map.
        origin: Column and row of the layer's cell (0, 0) in the grid.
        offset: Offset of the layer, in pixels, y down.
        draw_boxes: `TilesetList.draw_boxes`.
        axes: Conversion from pixels to world units.
    """

    def __init__(
        self,
        tiles: TileStore,
        grid: Grid,
        origin: tuple[int, int],
        offset: tuple[float, float],
        draw_boxes: DrawBoxes,
        axes: Axes,
    ) -> None:
        self.tiles = tiles
        self.grid = grid
        self.origin = origin
        self.axes = axes
        self._offset = offset
        self._draw_boxes = draw_boxes

    @cached_property
    def reaches(self) -> Reaches:
        """The reaches of tiles around their anchors, computed on first use."""
        return Reaches(*self.tiles.kinds(), self._draw_boxes, self._offset, self.grid.turns)

    def add_kind(self, raw: int) -> None:
        """Add a kind of tile that may be new to the reaches, if they are computed."""
        if "reaches" in vars(self):
            self.reaches.class_of(raw)

    def cell_near(self, x: float, y: float) -> tuple[int, int]:
        """Return column and row of the cell at a point, as if the grid had no edges.

        Raises:
            ValueError: A number is not finite, or farther out than any cell.
        """
        if not (abs(x) < FARTHEST and abs(y) < FARTHEST):
            raise ValueError(f"x and y must be finite and less than {FARTHEST}, got {x!r}, {y!r}")
        _, down = self.axes.point(x, y)
        columns, rows = self.grid.near(x - self._offset[0], down - self._offset[1])
        columns, rows = columns - np.int32(self.origin[0]), rows - np.int32(self.origin[1])
        held = np.flatnonzero(contain_point(self.outlines(columns, rows), x, y))
        first = held[0] if len(held) else len(columns) // 2  # rounding may leave a seam
        return int(columns[first]), int(rows[first])

    def boxes(self, ids: Ids) -> Floats:
        """Return the boxes of tiles as drawn, (n, 4), in world units.

        Raises:
            KeyError: A cell is empty.
        """
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
        """Return a box: each tile with its anchor in it overlaps the view, whatever its kind.

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
        anchors = self.anchors(columns, rows) + self._offset
        corners = anchors[:, None, :] + self.grid.outline()
        return self.axes.points(corners.reshape(-1, 2)).reshape(corners.shape)

"""Where the tiles of a layer are drawn."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..cells import Ids
from ..geometry.axes import Axes
from ..geometry.grids import Grid
from .reaches import DrawBoxes, Reaches
from .tile_store import TileStore

__all__ = ["TilePlaces"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


class TilePlaces:
    """The boxes of tiles and the outlines of cells, in world units.

    Args:
        tiles: The tiles.
        grid: The grid of the map.
        origin: The column and row of the grid at which the layer's own cell (0, 0) lies.
        offset: That of the layer, in pixels, y down.
        draw_boxes: `TilesetList.draw_boxes`.
        axes: Which way the world's y points.
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
        """How far tiles reach around their anchors; known at the first question."""
        return Reaches(self.tiles.values, self._draw_boxes, self._offset, self.grid.turns)

    def learn(self, raw: int) -> None:
        """Get to know a kind of tile, which may be new."""
        if "reaches" in vars(self):
            self.reaches.family(raw)

    def boxes(self, ids: Ids) -> Floats:
        """The boxes of tiles as drawn, (n, 4).

        Raises:
            KeyError: A cell without a tile.
        """
        return self.axes.boxes(self.pixel_boxes(ids))

    def pixel_boxes(self, ids: Ids) -> Floats:
        """The same in pixels, y down."""
        columns, rows = self.tiles.cells(ids)
        raw = self.tiles.raw(columns, rows)
        if not raw.all():
            first = int(np.flatnonzero(raw == 0)[0])
            cell = int(columns[first]), int(rows[first])
            raise KeyError(f"id {int(np.asarray(ids)[first])}: the cell {cell} holds no tile")
        return np.tile(self.anchors(columns, rows), 2) + self.reaches.of(raw)

    def anchors(self, columns: Ints, rows: Ints) -> Floats:
        """The bottom-left corners of the images of tiles before offsets, in pixels, y down."""
        return self.grid.anchors(
            columns + np.int32(self.origin[0]), rows + np.int32(self.origin[1])
        )

    def outlines(self, columns: Ints, rows: Ints) -> Floats:
        """The corners of cells, (n, 4 or 6, 2)."""
        anchors = self.anchors(columns, rows) + self._offset
        corners = anchors[:, None, :] + self.grid.outline()
        return self.axes.points(corners.reshape(-1, 2)).reshape(corners.shape)

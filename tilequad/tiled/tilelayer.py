"""Tile layers: cells in draw order, their boxes, and the tree that answers which are seen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..bounds import Bounds
from .axes import Axes
from .cells import FLAG_SHIFT, GID_MASK, Cells
from .culling import BoxIndex
from .layers import Head, Ids, Layer
from .placing import Grid, Hexagonal
from .tilesets import TilesetList

__all__ = ["TileLayer"]

DIAGONAL = 2  # the flag that swaps the axes of a tile; in hexagonal maps it turns it by 60 degrees
TURN_120 = 1  # the flag that turns a hexagonal tile by 120 degrees more


class TileLayer(Layer):
    """The tiles of one layer, numbered in Tiled's draw order from 0.

    Only cells that hold a tile count: `len` is their number. All questions take and give ids as
    numpy arrays, so that a thousand tiles cost about as much as one.

    Example:
        >>> import tilequad  # doctest: +SKIP
        >>> ground = tilequad.load_map("maps/frontier.tmx").layer("ground")  # doctest: +SKIP
        >>> ids = ground.query((0, 0, 640, 360))  # doctest: +SKIP
        >>> ground.boxes(ids).shape  # doctest: +SKIP
        (240, 4)
    """

    kind = "tile"

    def __init__(
        self, head: Head, cells: Cells, grid: Grid, tilesets: TilesetList, axes: Axes
    ) -> None:
        super().__init__(head)
        order = grid.draw_order(cells.columns, cells.rows)
        self._columns = cells.columns[order]
        self._rows = cells.rows[order]
        self._raw = cells.raw[order]
        self._grid = grid
        self._tilesets = tilesets
        self._axes = axes

    def __len__(self) -> int:
        """Number of cells that hold a tile."""
        return len(self._raw)

    def query(self, view: Sequence[float]) -> NDArray[np.int32]:
        """The tiles seen in a view, in draw order; boxes are closed, so touching counts.

        Args:
            view: Four numbers in world units: min_x, min_y, max_x, max_y.

        Returns:
            Ascending ids, int32, shape (n,).

        Raises:
            ValueError: The view is no box.
        """
        return self._index.query(Bounds.of(view, "view"))

    def boxes(self, ids: Ids) -> NDArray[np.float64]:
        """The boxes of tiles as drawn: the image's own size, tile and layer offsets counted in.

        Args:
            ids: Ids as `query` gives them, or a slice.

        Returns:
            min_x, min_y, max_x, max_y in world units; float64, shape (n, 4).
        """
        anchors = self._grid.anchors(self._columns[ids], self._rows[ids])
        raw = self._raw[ids]
        shapes = self._tilesets.shapes(raw & np.uint32(GID_MASK))
        width, height, boxes = shapes[:, 0], shapes[:, 1], np.empty((len(raw), 4))
        left = anchors[:, 0] + (shapes[:, 2] + self.offset[0])
        bottom = anchors[:, 1] + (shapes[:, 3] + self.offset[1])
        flags = raw >> np.uint32(FLAG_SHIFT)
        if isinstance(self._grid, Hexagonal):
            boxes[:] = _turned(left, bottom, width, height, flags)
        else:
            swapped = (flags & DIAGONAL) != 0
            boxes[:, 0], boxes[:, 3] = left, bottom
            boxes[:, 2] = left + np.where(swapped, height, width)
            boxes[:, 1] = bottom - np.where(swapped, width, height)
        return self._axes.boxes(boxes)

    def cells(self, ids: Ids) -> NDArray[np.int32]:
        """Column and row of tiles as Tiled counts them, from the top; shape (n, 2)."""
        return np.stack((self._columns[ids], self._rows[ids]), axis=-1)

    def gids(self, ids: Ids) -> NDArray[np.uint32]:
        """Tiled's own gids without the flip bits, shape (n,)."""
        return self._raw[ids] & np.uint32(GID_MASK)

    def flags(self, ids: Ids) -> NDArray[np.uint8]:
        """The flip bits: 8 across, 4 down, 2 diagonal (60 degrees in hexagonal maps), 1 for 120.

        Tiled flips diagonally first, then across, then down. Shape (n,).
        """
        return (self._raw[ids] >> np.uint32(FLAG_SHIFT)).astype(np.uint8)

    @cached_property
    def _index(self) -> BoxIndex:
        """What answers `query`, built at the first question: a hidden layer never needs it."""
        return BoxIndex(self.boxes(slice(None)))


def _turned(
    left: NDArray[np.float64],
    bottom: NDArray[np.float64],
    width: NDArray[np.int32],
    height: NDArray[np.int32],
    flags: NDArray[np.uint32],
) -> NDArray[np.float64]:
    """Boxes of tiles that are turned about their centre in steps of 60 degrees, y down."""
    angle = np.deg2rad(60.0 * ((flags & DIAGONAL) != 0) + 120.0 * ((flags & TURN_120) != 0))
    # rounded so that a half turn leaves a box as it is
    cosine, sine = np.abs(np.cos(angle)).round(12), np.abs(np.sin(angle)).round(12)
    half_width = (width * cosine + height * sine) / 2
    half_height = (width * sine + height * cosine) / 2
    x, y = left + width / 2, bottom - height / 2
    return np.stack((x - half_width, y - half_height, x + half_width, y + half_height), axis=1)

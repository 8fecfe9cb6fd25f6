"""Tile layers: cells in draw order, their boxes, and the tree that answers which are seen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds

from .axes import Axes
from .cells import FLAG_SHIFT, GID_MASK, Cells
from .culling import BoxIndex, LatticeIndex
from .layers import Head, Ids, Layer
from .placing import Grid, Hexagonal
from .reach import Reaches
from .tilesets import TilesetList
from .window import Window

__all__ = ["TileLayer"]


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
        self,
        head: Head,
        cells: Cells,
        origin: tuple[int, int],
        infinite: bool,
        grid: Grid,
        tilesets: TilesetList,
        axes: Axes,
    ) -> None:
        super().__init__(head)
        self._origin = np.array(origin, np.int32)
        columns, rows = cells.columns + self._origin[0], cells.rows + self._origin[1]
        order = grid.draw_order(columns, rows)
        self._columns = columns[order]
        self._rows = rows[order]
        self._raw = cells.raw[order]
        self._infinite = infinite
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
        return self._axes.boxes(np.tile(anchors, 2) + self._reaches.of(self._raw[ids]))

    def cells(self, ids: Ids) -> NDArray[np.int32]:
        """Column and row of tiles as Tiled counts them, from the top; shape (n, 2)."""
        return np.stack((self._columns[ids], self._rows[ids]), axis=-1) - self._origin

    def gids(self, ids: Ids) -> NDArray[np.uint32]:
        """Tiled's own gids without the flip bits, shape (n,)."""
        return self._raw[ids] & np.uint32(GID_MASK)

    def flags(self, ids: Ids) -> NDArray[np.uint8]:
        """The flip bits: 8 across, 4 down, 2 diagonal (60 degrees in hexagonal maps), 1 for 120.

        Tiled flips diagonally first, then across, then down. Shape (n,).
        """
        return (self._raw[ids] >> np.uint32(FLAG_SHIFT)).astype(np.uint8)

    def nodes(self) -> NDArray[np.void]:
        """The nodes of the tree that answers `query`: bounds, depth, count; see StaticQuadtree."""
        return self._index.nodes()

    def chunk_box(self) -> tuple[range, range]:
        """The columns and rows of the chunks of 16 x 16 cells in which Tiled keeps the layer."""
        if not len(self):
            return range(0), range(0)
        columns, rows = (
            range(int(axis.min()) & -16, (int(axis.max()) & -16) + 16)
            for axis in (self._columns, self._rows)
        )
        return columns, rows

    @cached_property
    def _reaches(self) -> Reaches:
        turns = isinstance(self._grid, Hexagonal)
        return Reaches(self._raw, self._tilesets, self.offset, turns)

    @cached_property
    def _index(self) -> LatticeIndex | BoxIndex:
        """What answers `query`, built at the first question: a hidden layer never needs it."""
        window = self._window
        if window is None:
            return BoxIndex(self.boxes(slice(None)))
        odd = self._reaches.odd(self._raw)
        return LatticeIndex(
            window.keys(self._columns, self._rows),
            len(window.steps),
            *window.edges(self._reaches.plain, self._axes),
            odd,
            self.boxes(np.flatnonzero(odd)),
        )

    @cached_property
    def _window(self) -> Window | None:
        """The lattice of the whole map, and of what a layer holds beyond it."""
        spans = [(range(self._grid.columns), range(self._grid.rows))]
        if len(self):
            columns, rows = (
                range(int(axis.min()), int(axis.max()) + 1) for axis in (self._columns, self._rows)
            )
            # the size of an infinite map says nothing
            spans = [(columns, rows)] if self._infinite else [*spans, (columns, rows)]
        columns, rows = (
            range(min(part.start for part in axis), max(part.stop for part in axis))
            for axis in zip(*spans, strict=True)
        )
        return Window.around(self._grid, columns, rows)

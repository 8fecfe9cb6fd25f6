"""Tile layers: what each cell holds, where its tile is drawn, which tiles are in view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad.bounds import Bounds

from ..cells import FARTHEST, FLAG_SHIFT, GID_MASK, Ids
from ..geometry.axes import Axes
from ..geometry.grids import Grid
from ..geometry.polygons import holding
from ..index.lattice_index import LatticeIndex
from ..index.selection import TileSelection
from ..index.tile_edits import TileEdits, TileObserver
from ..index.tile_places import TilePlaces
from ..index.tile_store import TileStore
from .collision import CollisionShape, flipped
from .layer import Layer, LayerAttributes
from .tilesets import TilesetList

__all__ = ["TileLayer"]


class TileLayer(Layer):
    """The tiles of one layer.

    The id of a tile is the number of its cell: `row * columns + column` in a map with edges, and
    in an infinite map its place in its chunk plus an offset for that chunk. No change of other
    cells changes it. All ids are below `id_limit`, so an array of that length holds a value for
    each cell. Answers list ids in the order in which Tiled draws the tiles.

    `len` is the number of cells that hold a tile. Questions take and return numpy arrays, so that
    a thousand tiles cost about as much as one. Memory grows with the tiles, not with the cells.

    Attributes:
        tilesets: The tilesets of the map.

    Example:
        >>> from tilequad import load_map
        >>> ground = load_map("maps/frontier.tmx").layer("ground")
        >>> ids = ground.query((1, 1, 639, 351))
        >>> ground.boxes(ids).shape
        (220, 4)
        >>> ground.cells(ids[:2]).tolist(), ids[:2].tolist()
        ([[0, 245], [1, 245]], [62720, 62721])
    """

    _content = "tile"

    def __init__(
        self,
        attributes: LayerAttributes,
        tiles: TileStore,
        origin: tuple[int, int],
        infinite: bool,
        grid: Grid,
        tilesets: TilesetList,
        axes: Axes,
    ) -> None:
        super().__init__(attributes)
        self.tilesets = tilesets
        self._tiles = tiles
        self._infinite = infinite
        self._origin = np.array(origin, np.int32)
        self._grid = grid
        self._axes = axes
        self._places = TilePlaces(tiles, grid, origin, self.offset, tilesets.draw_boxes, axes)
        self._index = LatticeIndex(self._places)
        size = None if infinite else (grid.columns, grid.rows)
        self._edits = TileEdits(tiles, self._index, tilesets.owner, size)

    def __len__(self) -> int:
        """Number of cells that hold a tile."""
        return len(self._tiles)

    @property
    def id_limit(self) -> int:
        """All ids are below this; in an infinite map it rises with each new chunk."""
        return self._tiles.ids.limit

    def ids(self) -> NDArray[np.int32]:
        """The ids of all tiles in draw order, shape (n,)."""
        found: NDArray[np.int32] = self._tiles.tree.ids()
        return found

    def id_at(self, column: int, row: int) -> int:
        """The id of a cell, whether it holds a tile or not.

        Args:
            column: As Tiled counts, and as `cells` gives.
            row: From the top.

        Raises:
            ValueError: The cell lies outside the map, or in a chunk of an infinite map that never
                held a tile.
        """
        number = self._tiles.ids.id_at(column, row)
        if number is None:
            part = "chunks" if self._infinite else "map"
            raise ValueError(f"cell ({column}, {row}) lies outside the {part} of the layer")
        return number

    def query(self, view: Sequence[float]) -> NDArray[np.int32]:
        """The ids of the tiles in a view; boxes are closed, so touching counts.

        Args:
            view: Four numbers in world units: min_x, min_y, max_x, max_y.

        Returns:
            Ids in draw order, int32, shape (n,).

        Raises:
            ValueError: The view is no box.
        """
        return self._index.query(Bounds.of(view, "view"))

    def boxes(self, ids: Ids) -> NDArray[np.float64]:
        """The boxes of tiles as drawn: the image's own size, tile and layer offsets counted in.

        Args:
            ids: Ids of cells that hold a tile.

        Returns:
            min_x, min_y, max_x, max_y in world units; float64, shape (n, 4).

        Raises:
            IndexError: An id that no cell has.
            KeyError: The id of a cell without a tile.
        """
        return self._places.boxes(ids)

    def cells(self, ids: Ids) -> NDArray[np.int32]:
        """Column and row of cells as Tiled counts them, from the top; shape (n, 2)."""
        return np.stack(self._tiles.cells(ids), axis=-1)

    def gids(self, ids: Ids) -> NDArray[np.uint32]:
        """Tiled's own gids without the flip bits, 0 for a cell without a tile; shape (n,)."""
        return self._tiles.raw(*self._tiles.cells(ids)) & np.uint32(GID_MASK)

    def flags(self, ids: Ids) -> NDArray[np.uint8]:
        """The flip bits: 8 across, 4 down, 2 diagonal (60 degrees in hexagonal maps), 1 for 120.

        Tiled flips diagonally first, then across, then down. Shape (n,).
        """
        raw = self._tiles.raw(*self._tiles.cells(ids))
        return (raw >> np.uint32(FLAG_SHIFT)).astype(np.uint8)

    def outlines(self, ids: Ids) -> NDArray[np.float64]:
        """The corners of cells, whatever the images of their tiles cover.

        Args:
            ids: Ids of cells.

        Returns:
            Convex polygons in world units: 4 corners, 6 in hexagonal and staggered maps; float64,
            shape (n, 4 or 6, 2).
        """
        return self._places.outlines(*self._tiles.cells(ids))

    def collision_shapes(self, id: int) -> list[CollisionShape]:
        """The shapes that Tiled's collision editor gave to a tile, where the tile is drawn.

        Args:
            id: The id of the tile.

        Returns:
            Outlines in world units, flipped and turned with the tile; empty for most tiles.

        Raises:
            IndexError: An id that no cell has.
            KeyError: The id of a cell without a tile.
        """
        place = self._places.pixel_boxes([id])[0]
        raw = int(self._tiles.raw(*self._tiles.cells([id]))[0])
        tileset = self.tilesets.owner(raw & GID_MASK)
        local_id = (raw & GID_MASK) - tileset.first_gid
        found = []
        for shape in tileset.collision_shapes(local_id):
            points = flipped(
                shape.points,
                tileset.tile_size(local_id),
                raw >> FLAG_SHIFT,
                place,
                self._grid.turns,
            )
            found.append(shape._replace(points=self._axes.points(points)))
        return found

    def cell_at(self, x: float, y: float) -> tuple[int, int]:
        """The cell at a point, as Tiled counts; on an edge the lower column and row of them.

        Args:
            x: The point, in world units.
            y: The point.

        Raises:
            ValueError: A number is not finite or out of all bounds.
        """
        if not (abs(x) < FARTHEST and abs(y) < FARTHEST):
            raise ValueError(f"x and y must be finite, got {x!r}, {y!r}")
        _, down = self._axes.point(x, y)
        columns, rows = self._grid.near(x - self.offset[0], down - self.offset[1])
        columns, rows = columns - self._origin[0], rows - self._origin[1]
        held = np.flatnonzero(holding(self._places.outlines(columns, rows), x, y))
        first = held[0] if len(held) else len(columns) // 2  # rounding may leave a seam
        return int(columns[first]), int(rows[first])

    def tile_at_point(self, x: float, y: float) -> int | None:
        """The id of the tile in the cell at a point, or None where that is empty.

        Args:
            x: The point, in world units.
            y: The point.

        Raises:
            ValueError: A number is not finite.
        """
        return self.tile_at(*self.cell_at(x, y))

    def select(self, class_name: str | None = None, **properties: Any) -> TileSelection:
        """The tiles of a class, or with properties, to ask for the nearest of them and more.

        Args:
            class_name: The class of the tiles, or None for any.
            properties: Names and values; a tile must have all of them.

        Returns:
            A selection that follows the changes of the layer. Making one costs a look at every
            tile, so keep it.
        """
        order = self._tiles.in_draw_order
        selection = TileSelection(self, class_name, properties, order)
        self.observe(selection)
        return selection

    def observe(self, observer: TileObserver) -> None:
        """Call an observer's `tiles_changed(ids)` after every change, as long as it lives.

        For what keeps data for each tile, such as its place in a texture.

        Args:
            observer: It is held weakly. `ids` are those of the cells that hold other tiles now,
                or none; a change of many cells is one call.
        """
        self._edits.observers.add(observer)

    def tile_at(self, column: int, row: int) -> int | None:
        """The id of the tile in a cell, or None where the cell is empty.

        Args:
            column: As Tiled counts, and as `cells` gives.
            row: From the top.
        """
        return self._tiles.ids.id_at(column, row) if self._tiles.raw_at(column, row) else None

    def set_tile(self, column: int, row: int, gid: int, flags: int = 0) -> int:
        """Put a tile into a cell, in place of the one that is there.

        Queries, selections and pictures follow.

        Cost: some microseconds, however large the layer. A selection that the tile joins or leaves
        adds some ten. The first tile of another size sorts all tiles by size, once: some ten
        milliseconds for a million.

        Args:
            column: As Tiled counts; in a map with edges a column of the map.
            row: From the top.
            gid: Tiled's number of the tile.
            flags: Flip bits, as `flags` gives them.

        Returns:
            The tile's id.

        Raises:
            KeyError: No tileset has the gid.
            ValueError: The cell lies outside the map, or the flags are not from 0 to 15.
        """
        return self._edits.set(column, row, gid, flags)

    def clear_tile(self, column: int, row: int) -> None:
        """Empty a cell. A cell without a tile stays as it is.

        Cost: as that of `set_tile`.

        Args:
            column: As Tiled counts.
            row: From the top.
        """
        self._edits.clear(column, row)

    def set_tiles(self, cells: ArrayLike, gids: ArrayLike, flags: ArrayLike = 0) -> None:
        """Put tiles into many cells at once; a call that fails changes nothing.

        Cost: some two microseconds a cell, and one call of each observer.

        Args:
            cells: (n, 2), column and row of each. Of two for one cell the later counts.
            gids: (n,) Tiled's numbers of the tiles, or one for all; 0 empties a cell.
            flags: (n,) flip bits, or those for all.

        Raises:
            KeyError: No tileset has one of the gids.
            TypeError: Something other than whole numbers.
            ValueError: A cell outside the map, flags that are not from 0 to 15, or arrays of
                different lengths.

        Example:
            >>> from tilequad import load_map
            >>> ground = load_map("maps/frontier.tmx").layer("ground")
            >>> ground.set_tiles([(3, 4), (4, 4), (5, 4)], [1, 1, 0])
            >>> ground.gids([ground.id_at(3, 4), ground.id_at(5, 4)]).tolist()
            [1, 0]
        """
        self._edits.set_many(cells, gids, flags)

    def nodes(self) -> NDArray[np.void]:
        """The nodes of the tree that answers `query`: bounds, depth, count; see StaticQuadtree."""
        return self._index.nodes()

    @property
    def nbytes(self) -> int:
        """The bytes of the tiles and of the trees that find them."""
        return self._tiles.nbytes + self._index.nbytes

    def chunk_box(self) -> tuple[range, range]:
        """The columns and rows of the chunks of 16 x 16 cells in which Tiled keeps the layer."""
        if not len(self):
            return range(0), range(0)
        columns, rows = (
            range(cells.start + origin & -16, (cells.stop + origin - 1 & -16) + 16)
            for cells, origin in zip(self._tiles.extent(), self._origin.tolist(), strict=True)
        )
        return columns, rows

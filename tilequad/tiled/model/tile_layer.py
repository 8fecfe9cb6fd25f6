"""Tile layers: the tile of each cell, its place, and queries for tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.cells.listing import all_cells
from tilequad._core.shown import shown
from tilequad.bounds import Bounds

from ..cells import FARTHEST, FLAG_SHIFT, GID_MASK, CellBlock, Ids
from ..filters import checked_filter
from ..index.lattice_index import LatticeIndex
from ..index.selection import TileSelection
from ..index.tile_edits import TileEdits, TileObserver
from ..index.tile_places import TilePlaces
from ..index.tile_store import TileStore
from .collision import CollisionShape, flipped
from .frame import MapFrame
from .layer import Layer, LayerAttributes
from .tilesets import TilesetList

__all__ = ["TileLayer", "TileWindow", "bounds_of", "places_of"]

_MOST_CELLS = 1 << 26  # of a window


class TileWindow(NamedTuple):
    """A rectangle of cells, as `TileLayer.gids_in` returns it."""

    column: int  #: the first column
    row: int  #: the first row, counted from the top
    gids: NDArray[np.uint32]  #: without flip bits, 0 for an empty cell; shape (rows, columns)
    flags: NDArray[np.uint8]  #: the flip bits, as `TileLayer.flags` returns them; the same shape


class TileLayer(Layer):
    """The tiles of one layer.

    The id of a tile is the number of its cell: `row * columns + column` in a map with edges. In an
    infinite map it is the cell's place in its chunk, plus an offset of the chunk. Ids never change.
    All ids are below `id_limit`, so an array of that length holds a value for each cell. Queries
    return ids in the order in which Tiled draws the tiles.

    `len` is the number of tiles. Methods take and return numpy arrays, so a thousand tiles cost
    about as much as one. Memory grows with the number of tiles, not of cells.

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

    tilesets: TilesetList

    _content = "tile"
    _tiles: TileStore
    _encoding: tuple[str, str] = ("csv", "")  # of its cells in a file, and their compression
    _origin: tuple[int, int]
    _places: TilePlaces
    _index: LatticeIndex
    _edits: TileEdits

    @classmethod
    def _of(
        cls,
        attributes: LayerAttributes,
        blocks: list[CellBlock],
        origin: tuple[int, int],
        frame: MapFrame,
    ) -> TileLayer:
        grid, infinite, tilesets = frame.grid, frame.infinite, frame.tilesets
        order = grid.order_from(origin)
        tiles = TileStore(blocks, (grid.columns, grid.rows), infinite, order)
        places = TilePlaces(tiles, grid, origin, attributes.offset, tilesets.draw_boxes, frame.axes)
        index = LatticeIndex(places)
        size = None if infinite else (grid.columns, grid.rows)
        return cls._make(
            attributes,
            tilesets=tilesets,
            _tiles=tiles,
            _origin=origin,
            _places=places,
            _index=index,
            _edits=TileEdits(tiles, index, tilesets.owner, size),
        )

    def _take_tilesets(self, tilesets: TilesetList) -> None:
        """Become a layer of the map that has these tilesets."""
        self.tilesets = tilesets
        self._places.draw_boxes = tilesets.draw_boxes
        self._edits.owner = tilesets.owner

    def _move(self, dx: float, dy: float) -> None:
        self._places.offset = self.offset
        self._edits.forget()
        self._edits.tell_moved()

    def __len__(self) -> int:
        """Return the number of cells that hold a tile."""
        return len(self._tiles)

    @property
    def id_limit(self) -> int:
        """The upper limit of ids (exclusive). In an infinite map, each new chunk raises it."""
        return self._tiles.ids.limit

    def ids(self) -> NDArray[np.int32]:
        """Return the ids of all tiles in draw order; int32, shape (n,)."""
        return all_cells(self._tiles.held)

    def id_of(self, column: int, row: int) -> int:
        """Return the id of a cell, with or without a tile; the reverse of `cells`.

        Args:
            column: Column of the cell, as in Tiled and in `cells`.
            row: Row of the cell, counted from the top.

        Raises:
            ValueError: The cell lies outside the map or, in an infinite map, in a chunk that has
                never held a tile.
        """
        column, row = _whole(column, row)
        number = self._tiles.ids.id_at(column, row)
        if number is None:
            part = "chunks" if self._frame.infinite else "map"
            raise ValueError(f"cell ({column}, {row}) lies outside the {part} of the layer")
        return number

    def gid_of(self, column: int, row: int) -> int:
        """Return the gid of a cell, without flip bits; 0 if it is empty or outside the map.

        Args:
            column: Column of the cell, as in Tiled and in `cells`.
            row: Row of the cell, counted from the top.

        Example:
            >>> from tilequad import load_map
            >>> trees = load_map("maps/frontier.tmx").layer("trees")
            >>> trees.set_tile(40, 50, 233) == trees.id_of(40, 50), trees.gid_of(40, 50)
            (True, 233)
            >>> trees.clear_tile(40, 50)
            >>> trees.gid_of(40, 50)
            0
        """
        column, row = _whole(column, row)
        return self._tiles.raw_at(column, row) & GID_MASK

    def query(self, bounds: Sequence[float]) -> NDArray[np.int32]:
        """Find the tiles that overlap a box; touching counts.

        Args:
            bounds: Four numbers in world units: min_x, min_y, max_x, max_y.

        Returns:
            Ids in draw order, int32, shape (n,).

        Raises:
            ValueError: `bounds` is not four finite numbers, or a minimum exceeds its maximum.
        """
        return self._index.query(Bounds.of(bounds, "bounds"))

    def count(self, bounds: Sequence[float]) -> int:
        """Count the tiles that overlap a box; touching counts.

        Cost: less than `query`, and usually the same for a box of any size.

        Args:
            bounds: Four numbers in world units: min_x, min_y, max_x, max_y.

        Raises:
            ValueError: `bounds` is not four finite numbers, or a minimum exceeds its maximum.
        """
        return self._index.count(Bounds.of(bounds, "bounds"))

    def gids_in(self, bounds: Sequence[float]) -> TileWindow:
        """Return the gids and flip bits around a box as rows and columns, for a renderer.

        Cost: about a nanosecond per cell; a tenth of `query`, `gids` and `cells` together.

        Args:
            bounds: Four numbers in world units: min_x, min_y, max_x, max_y.

        Returns:
            The cells of all tiles that `query` finds, and those between them. If tiles are larger
            than cells, there are more around them; in isometric maps, the box is as large as the
            diamond around `bounds`. Cells outside a map with edges are left out.

        Raises:
            ValueError: `bounds` is not four finite numbers, a minimum exceeds its maximum, or it
                covers more than 2**26 cells of an infinite map.

        Example:
            >>> from tilequad import load_map
            >>> ground = load_map("maps/frontier.tmx").layer("ground")
            >>> column, row, gids, flags = ground.gids_in((1, 1, 639, 351))
            >>> (column, row), gids.shape, int(gids[0, 1]) == ground.gid_of(column + 1, row)
            ((0, 245), (11, 20), True)
        """
        column, row, columns, rows = self._index.cells_around(Bounds.of(bounds, "bounds"))
        if columns * rows > _MOST_CELLS and self._frame.infinite:
            raise ValueError(
                f"bounds must cover at most {_MOST_CELLS} cells, got {columns} x {rows}"
            )
        return TileWindow(column, row, *self._tiles.window(column, row, columns, rows))

    def boxes(self, ids: Ids) -> NDArray[np.float64]:
        """Return the boxes of tiles as drawn, with the size of the image and all offsets.

        The box of a tile that its tileset lacks, or whose image is missing, is its cell.

        Cost: about 0.1 us per tile.

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
        """Return the columns and rows of cells, as in Tiled.

        Cost: 3 to 6 nanoseconds for each cell.

        Args:
            ids: Ids of cells.

        Returns:
            Column, and row counted from the top; int32, shape (n, 2).

        Raises:
            IndexError: An id that no cell has.
        """
        return np.stack(self._tiles.cells(ids), axis=-1)

    def gids(self, ids: Ids) -> NDArray[np.uint32]:
        """Return the gids of cells, as in Tiled, without flip bits.

        Cost: 7 to 10 nanoseconds for each cell; `gids_in` reads a whole box faster.

        Args:
            ids: Ids of cells.

        Returns:
            Gids, 0 for an empty cell; uint32, shape (n,).

        Raises:
            IndexError: An id that no cell has.
        """
        return self._tiles.raw(*self._tiles.cells(ids)) & np.uint32(GID_MASK)

    def flags(self, ids: Ids) -> NDArray[np.uint8]:
        """Return the flip bits of cells.

        8 flips left to right, 4 top to bottom, 2 diagonally. Tiled flips diagonally first. In
        hexagonal maps 2 turns the tile by 60 degrees, and 1 by 120 degrees.

        Cost: 7 to 10 nanoseconds for each cell.

        Args:
            ids: Ids of cells.

        Returns:
            Sums of flip bits, 0 for an empty cell; uint8, shape (n,).

        Raises:
            IndexError: An id that no cell has.
        """
        raw = self._tiles.raw(*self._tiles.cells(ids))
        return (raw >> np.uint32(FLAG_SHIFT)).astype(np.uint8)

    def outlines(self, ids: Ids) -> NDArray[np.float64]:
        """Return the corners of cells, regardless of the images of their tiles.

        Cost: 0.1 to 0.5 us per cell.

        Args:
            ids: Ids of cells.

        Returns:
            Convex polygons in world units: 4 corners, 6 in hexagonal and staggered maps; float64,
            shape (n, 4 or 6, 2).
        """
        return self._places.outlines(*self._tiles.cells(ids))

    def collision_shapes(self, id: int) -> list[CollisionShape]:
        """Return a tile's shapes from Tiled's collision editor, moved to where the tile is drawn.

        Args:
            id: The id of the tile.

        Returns:
            Outlines in world units, flipped and turned with the tile; usually none.

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
                self._places.grid.turns,
            )
            found.append(shape._replace(points=self._places.axes.points(points)))
        return found

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the column and row of the cell at a point.

        An edge belongs to the cell with the higher row or column, and the outer edges of a map to
        the cells inside, as in `Grid.cell_at` of `nav`. The cells of a layer move with its offset,
        those of a grid do not.

        Args:
            x: The point, in world units.
            y: The point.

        Returns:
            (column, row), with rows counted from the top; None outside a map with edges. An
            infinite map has a cell at every point.

        Raises:
            ValueError: A number is not finite, or farther out than the cells of an infinite map.

        Example:
            >>> from tilequad import load_map
            >>> ground = load_map("maps/frontier.tmx").layer("ground")
            >>> ground.cell_at(40, 8176), ground.cell_at(-1, 0)
            ((1, 0), None)
        """
        try:
            far = max(abs(x), abs(y)) >= FARTHEST and isfinite(x) and isfinite(y)
            if far and not self._frame.infinite:
                return None
            held = self._places.cells_at(x, y)
        except TypeError:
            raise TypeError(f"x and y must be numbers, got {shown(x)} and {shown(y)}") from None
        if not self._frame.infinite:
            grid = self._places.grid
            held = held[((held >= 0) & (held < (grid.columns, grid.rows))).all(axis=1)]
        if not len(held):
            return None
        column, row = held[-1].tolist()
        return column, row

    def tile_at(self, x: float, y: float) -> int | None:
        """Return the id of the tile in the cell at a point; None if there is none.

        Args:
            x: The point, in world units.
            y: The point.

        Raises:
            ValueError: As `cell_at`.
        """
        cell = self.cell_at(x, y)
        return self._tiles.ids.id_at(*cell) if cell and self._tiles.raw_at(*cell) else None

    def select(
        self, properties: Mapping[str, Any] | None = None, *, class_name: str | None = None
    ) -> TileSelection:
        """Select tiles by properties and class, for spatial queries such as `nearest`.

        Cost: tests every tile once, and builds a tree of those that match, so keep the selection:
        20 ms for a million tiles, and 0.3 us for each that matches.

        Args:
            properties: Names and values, such as `{"solid": True}`; a tile must have all of them.
                None for any. A value must equal the property as `Properties` holds it.
            class_name: The class of the tiles; None for any.

        Returns:
            A selection that follows the changes of the layer.

        Raises:
            TypeError: `properties` is not a dict, or `class_name` no text.
        """
        wanted = checked_filter(properties, "select(", class_name=class_name)
        selection = TileSelection._follow(self, wanted, class_name)
        self.observe(selection)
        return selection

    def observe(self, observer: TileObserver) -> None:
        """Call an observer's `_tiles_changed(ids)` after every change.

        Use it to keep data per tile up to date, such as texture coordinates.

        Args:
            observer: The observer, held weakly. `ids` are the changed cells, int32, shape (n,);
                `set_tiles` makes one call for all of them.
        """
        if not hasattr(observer, "_tiles_changed"):
            raise TypeError(f"observer must have a method _tiles_changed, got {shown(observer)}")
        self._edits.observe(observer)

    def set_tile(self, column: int, row: int, gid: int, flags: int = 0) -> int:
        """Set the tile of a cell.

        Queries, selections and pictures follow.

        Cost: a few microseconds in a layer of any size, and about ten more for each selection that
        the tile joins or leaves. The first tile of a new size groups all tiles by size once: about
        ten milliseconds per million tiles.

        Args:
            column: Column of the cell, as in Tiled; inside the map, unless it is infinite.
            row: Row of the cell, counted from the top.
            gid: Gid of the tile, without flip bits. As in Tiled, a gid beyond the last tile of its
                tileset is a tile as well: a marker that fills the cell.
            flags: Flip bits, as `flags` returns them.

        Returns:
            The tile's id.

        Raises:
            KeyError: The gid is below the first tileset, or has more than 28 bits.
            ValueError: The cell lies outside the map, or the flags are not from 0 to 15.
        """
        column, row = _whole(column, row)
        return self._edits.set(column, row, gid, flags)

    def clear_tile(self, column: int, row: int) -> None:
        """Clear a cell. Do nothing if it is empty.

        Cost: like `set_tile`.

        Args:
            column: Column of the cell, as in Tiled.
            row: Row of the cell, counted from the top.
        """
        column, row = _whole(column, row)
        self._edits.clear(column, row)

    def set_tiles(self, cells: ArrayLike, gids: ArrayLike, flags: ArrayLike = 0) -> None:
        """Set or clear many tiles at once. A call that fails changes nothing.

        Cost: 0.1 ms, and 0.1 to 0.2 us per cell; a microsecond per cell for each selection of the
        layer and for layers of several sizes of tiles; one call per observer.

        Args:
            cells: (n, 2) columns and rows. If a cell occurs twice, its last tile wins.
            gids: (n,) gids of the tiles, or one for all; 0 clears a cell.
            flags: (n,) flip bits, or one number for all.

        Raises:
            KeyError: A gid is below the first tileset, or has more than 28 bits.
            TypeError: An argument contains something other than whole numbers.
            ValueError: A cell lies outside the map, flags are not from 0 to 15, or the lengths of
                the arrays differ.

        Example:
            >>> from tilequad import load_map
            >>> ground = load_map("maps/frontier.tmx").layer("ground")
            >>> ground.set_tiles([(3, 4), (4, 4), (5, 4)], [1, 1, 0])
            >>> ground.gid_of(3, 4), ground.gid_of(5, 4)
            (1, 0)
        """
        self._edits.set_many(cells, gids, flags)

    def set_gids(self, bounds: Sequence[float], gids: ArrayLike, flags: ArrayLike = 0) -> None:
        """Set or clear the cells around a box, given as rows and columns; a partner of `gids_in`.

        What `gids_in` returns for a box, `set_gids` takes for it. Once tiles larger than all others
        have come into the layer, there are more cells around a box: to undo changes, give the cells
        to `set_tiles`. A call that fails changes nothing.

        Cost: that of `set_tiles` for all of the cells.

        Args:
            bounds: Four numbers in world units: min_x, min_y, max_x, max_y.
            gids: The gids, of the shape that `gids_in(bounds)` has, or one for all; 0 clears a
                cell.
            flags: The flip bits, of the same shape, or one number for all.

        Raises:
            KeyError: A gid is below the first tileset, or has more than 28 bits.
            TypeError: An array contains something other than whole numbers.
            ValueError: As `gids_in`, or an array has another shape, or flags are not from 0 to 15.

        Example:
            >>> from tilequad import load_map
            >>> ground = load_map("maps/frontier.tmx").layer("ground")
            >>> box = (1, 1, 639, 351)
            >>> column, row, gids, flags = ground.gids_in(box)
            >>> ground.set_gids(box, gids[:, ::-1])  # mirrored
            >>> int(gids[0, 0]) == ground.gid_of(column + 19, row)
            True
        """
        now = self.gids_in(bounds)
        shape = now.gids.shape
        rows, columns = np.indices(shape).reshape(2, -1)
        cells = np.stack((columns + now.column, rows + now.row), axis=-1)
        self.set_tiles(cells, _spread(gids, shape, "gids"), _spread(flags, shape, "flags"))

    def nodes(self) -> NDArray[np.void]:
        """Return the nodes of the tree behind `query`: bounds, depth, count; see StaticQuadtree.

        Cost: 0.5 us for each node, about 10 ms for a million tiles.
        """
        return self._index.nodes()

    @property
    def nbytes(self) -> int:
        """The memory of the tiles and of their trees, in bytes."""
        return self._tiles.nbytes + self._index.nbytes

    def _chunk_box(self) -> tuple[range, range]:
        """Return the columns and rows that Tiled's chunks of 16 x 16 cells cover."""
        if not len(self):
            return range(0), range(0)
        columns, rows = (
            range(cells.start + origin & -16, (cells.stop + origin - 1 & -16) + 16)
            for cells, origin in zip(self._tiles.extent(), self._origin, strict=True)
        )
        return columns, rows


def _whole(column: int, row: int) -> tuple[int, int]:
    """Return a column and row as Python's own numbers."""
    try:
        return index(column), index(row)
    except TypeError:
        given = f"{shown(column)} and {shown(row)}"
        raise TypeError(f"column and row must be whole numbers, got {given}") from None


def _spread(values: ArrayLike, shape: tuple[int, ...], name: str) -> NDArray[Any]:
    """Return a value for each cell of a rectangle, row by row."""
    given = np.asarray(values)
    try:
        return np.broadcast_to(given, shape).ravel()
    except ValueError:
        text = f"{name} must have the shape {shape}, or be one number, got {given.shape}"
        raise ValueError(text) from None


def places_of(layer: TileLayer) -> TilePlaces:
    """Return the lattice of a layer's tiles and the blocks that hold them, for renderers."""
    return layer._places


def bounds_of(frame: MapFrame, layers: Sequence[Layer]) -> Bounds:
    """Return the box around the cells of a map; around all chunks of an infinite map."""
    columns, rows = range(frame.grid.columns), range(frame.grid.rows)
    if frame.infinite:
        chunks = [
            layer._chunk_box() for layer in layers if isinstance(layer, TileLayer) and len(layer)
        ]
        columns, rows = (
            range(min(part.start for part in axis), max(part.stop for part in axis))
            for axis in zip(*chunks or [(range(1), range(1))], strict=True)
        )
    box = np.array([frame.grid.box(columns, rows)], float)
    return Bounds(*frame.axes.boxes(box)[0].tolist())

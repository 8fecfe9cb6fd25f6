"""Tile layers: cells in draw order, their boxes, and the tree that answers which are seen."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.quadtree import RegionQuadtree

from ..cells import FARTHEST, FLAG_SHIFT, GID_MASK, Cells, Ids
from ..geometry.axes import Axes
from ..geometry.grids import Grid
from ..geometry.polygons import holding
from ..index.lattice_index import BoxIndex, Family, LatticeIndex
from ..index.numbering import Follower, Numbering
from ..index.reaches import Reaches
from ..index.selection import TileSelection
from ..index.tile_store import TileStore
from ..index.window import Window
from .collision import CollisionShape, flipped
from .layer import Layer, LayerAttributes
from .tilesets import TilesetList

__all__ = ["TileLayer"]

Floats = NDArray[np.float64]


class TileLayer(Layer):
    """The tiles of one layer, numbered in Tiled's draw order from 0.

    Only cells that hold a tile count: `len` is their number. All questions take and give ids as
    numpy arrays, so that a thousand tiles cost about as much as one.

    Attributes:
        tilesets: The tilesets of the map.
        revision: How often the layer was changed by `set_tile` and `clear_tile`: who keeps ids,
            or a copy of the tiles on the GPU, looks whether it is still the same.

    Example:
        >>> from tilequad import load_map
        >>> ground = load_map("maps/frontier.tmx").layer("ground")
        >>> ids = ground.query((1, 1, 639, 351))
        >>> ground.boxes(ids).shape
        (220, 4)
        >>> ground.cells(ids[:2]).tolist()
        [[0, 245], [1, 245]]
    """

    _content = "tile"

    def __init__(
        self,
        attributes: LayerAttributes,
        cells: Cells,
        origin: tuple[int, int],
        infinite: bool,
        grid: Grid,
        tilesets: TilesetList,
        axes: Axes,
    ) -> None:
        super().__init__(attributes)
        self._origin = np.array(origin, np.int32)
        # The arrays are ours now, and are sorted in place: copies would be the peak of opening.
        cells.columns[:] += self._origin[0]
        cells.rows[:] += self._origin[1]
        order = grid.draw_order(cells.columns, cells.rows)
        for values in cells:
            values[:] = values[order]
        self._tiles = TileStore(cells)
        self._infinite = infinite
        self._grid = grid
        self.tilesets = tilesets
        self._axes = axes
        self.revision = 0
        self._followers: WeakSet[Follower] = WeakSet()

    def __len__(self) -> int:
        """Number of cells that hold a tile."""
        return len(self._tiles)

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
        slots = self._tiles.slots(ids)
        anchors = self._grid.anchors(self._tiles.columns[slots], self._tiles.rows[slots])
        return self._axes.boxes(np.tile(anchors, 2) + self._reaches.of(self._tiles.raw[slots]))

    def cells(self, ids: Ids) -> NDArray[np.int32]:
        """Column and row of tiles as Tiled counts them, from the top; shape (n, 2)."""
        slots = self._tiles.slots(ids)
        return (
            np.stack((self._tiles.columns[slots], self._tiles.rows[slots]), axis=-1) - self._origin
        )

    def gids(self, ids: Ids) -> NDArray[np.uint32]:
        """Tiled's own gids without the flip bits, shape (n,)."""
        return self._tiles.raw[self._tiles.slots(ids)] & np.uint32(GID_MASK)

    def flags(self, ids: Ids) -> NDArray[np.uint8]:
        """The flip bits: 8 across, 4 down, 2 diagonal (60 degrees in hexagonal maps), 1 for 120.

        Tiled flips diagonally first, then across, then down. Shape (n,).
        """
        return (self._tiles.raw[self._tiles.slots(ids)] >> np.uint32(FLAG_SHIFT)).astype(np.uint8)

    def outlines(self, ids: Ids) -> NDArray[np.float64]:
        """The corners of the cells of tiles, whatever their images cover.

        Args:
            ids: Ids as `query` gives them, or a slice.

        Returns:
            Convex polygons in world units: 4 corners, 6 in hexagonal and staggered maps; float64,
            shape (n, 4 or 6, 2).
        """
        slots = self._tiles.slots(ids)
        return self._outlines(self._tiles.columns[slots], self._tiles.rows[slots])

    def collision_shapes(self, number: int) -> list[CollisionShape]:
        """The shapes that Tiled's collision editor gave to a tile, where the tile is drawn.

        Args:
            number: The id of the tile.

        Returns:
            Outlines in world units, flipped and turned with the tile; empty for most tiles.
        """
        slot = self._tiles.slot(number)
        raw = int(self._tiles.raw[slot])
        tileset = self.tilesets.owner(raw & GID_MASK)
        local_id = (raw & GID_MASK) - tileset.first_gid
        anchors = self._grid.anchors(*self._tiles.cell(slot))
        [place] = np.tile(anchors, 2) + self._reaches.of(self._tiles.raw[slot : slot + 1])
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
        held = np.flatnonzero(holding(self._outlines(columns, rows), x, y))
        first = held[0] if len(held) else len(columns) // 2  # rounding may leave a seam
        column, row = (int(axis[first]) for axis in (columns, rows))
        return column - int(self._origin[0]), row - int(self._origin[1])

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
        selection = TileSelection(self, class_name, properties, self._tiles.numbering)
        self.follow(selection)
        return selection

    def follow(self, follower: Follower) -> Numbering:
        """Tell a follower of each tile that comes or goes from now on, as long as it lives.

        For those who keep something for every tile, such as its place in a texture: they keep it
        by slot, which a tile has while it is there, for ids shift.

        Args:
            follower: Has `tile_came(number, slot)`, called after a tile came, and
                `tile_goes(number, slot)`, called before one goes.

        Returns:
            The slots of ids and the ids of slots; it follows the layer by itself.
        """
        self._followers.add(follower)
        return self._tiles.numbering

    def tile_at(self, column: int, row: int) -> int | None:
        """The id of the tile in a cell, or None where the cell is empty.

        Args:
            column: As Tiled counts, and as `cells` gives.
            row: From the top.
        """
        place, found = self._find(column, row)
        return place if found else None

    def set_tile(self, column: int, row: int, gid: int, flags: int = 0) -> int:
        """Put a tile into a cell, in place of the one that is there.

        A tile in an empty cell comes into the draw order, so the ids after it rise by one. The
        tree follows; it is not built anew.

        Cost: some tens of microseconds, however large the layer, and more after tens of thousands
        of changes. The first change of all builds the tree, if nobody has asked it anything, and
        makes room in the layer's arrays: a few milliseconds for a million tiles. Boxes, as tiles of
        rare sizes have, those of oblique maps and those of selections, stand in trees that now and
        then are built anew for those that come: a tenth of a microsecond for each of them.

        Args:
            column: As Tiled counts; in a map that is not infinite a column of the map.
            row: From the top.
            gid: Tiled's number of the tile.
            flags: Flip bits, as `flags` gives them.

        Returns:
            The tile's id.

        Raises:
            KeyError: No tileset has the gid.
            ValueError: The cell lies outside the map, or the flags are not from 0 to 15.
        """
        self._check_cell(column, row)
        self.tilesets.owner(gid)
        if not 0 <= flags <= 15:
            raise ValueError(f"flags must be from 0 to 15, got {flags!r}")
        raw = gid | flags << FLAG_SHIFT
        self._reaches.add(raw)
        number, found = self._find(column, row)
        if found:
            self._replace(number, raw)
        else:
            self._insert(number, column + int(self._origin[0]), row + int(self._origin[1]), raw)
        return number

    def clear_tile(self, column: int, row: int) -> None:
        """Empty a cell; the ids after its tile sink by one. An empty cell stays as it is.

        Cost: as that of `set_tile`.

        Args:
            column: As Tiled counts.
            row: From the top.
        """
        number, found = self._find(column, row)
        if found:
            self._remove(number)

    def nodes(self) -> NDArray[np.void]:
        """The nodes of the tree that answers `query`: bounds, depth, count; see StaticQuadtree."""
        return self._index.nodes()

    def tree_bytes(self) -> int:
        """The bytes of that tree, which is built now if nobody has asked it anything yet."""
        return self._index.nbytes

    def chunk_box(self) -> tuple[range, range]:
        """The columns and rows of the chunks of 16 x 16 cells in which Tiled keeps the layer."""
        if not len(self):
            return range(0), range(0)
        columns, rows = (
            range(int(axis.min()) & -16, (int(axis.max()) & -16) + 16)
            for axis in self._tiles.every()[:2]
        )
        return columns, rows

    def _outlines(self, columns: NDArray[np.int32], rows: NDArray[np.int32]) -> Floats:
        anchors = self._grid.anchors(columns, rows) + self.offset
        corners = anchors[:, None, :] + self._grid.outline()
        return self._axes.points(corners.reshape(-1, 2)).reshape(corners.shape)

    def _find(self, column: int, row: int) -> tuple[int, bool]:
        """The id of a cell's tile, or the one it would have, and whether there is a tile."""
        if max(abs(column), abs(row)) >= FARTHEST:
            return 0, False
        cell = (
            np.array([column], np.int32) + self._origin[:1],
            np.array([row], np.int32) + self._origin[1:],
        )
        if self._window is not None and isinstance(self._index, LatticeIndex):
            place = self._window.place(*cell)
            if place is not None:
                return self._index.find(*place)
        [step], [line] = self._grid.steps_and_lines(*cell)
        number = bisect_left(range(len(self)), (line, step), key=self._line_and_step)
        return number, number < len(self) and self._line_and_step(number) == (line, step)

    def _line_and_step(self, number: int) -> tuple[int, int]:
        """What tiles are drawn in order of."""
        cell = self._tiles.cell(self._tiles.slot(number))
        [step], [line] = self._grid.steps_and_lines(*cell)
        return int(line), int(step)

    def _insert(self, number: int, column: int, row: int, raw: int) -> None:
        index = self._index  # built now if it was not: of the layer as it still is
        slot = self._tiles.insert(number, column, row, raw)
        if isinstance(index, BoxIndex):
            index.insert(slot, self.boxes([number])[0])
        elif (place := self._place(slot)) is None:  # beyond all that the lattice was laid out for
            del self._window, self._index
        else:
            index.insert(*place, slot, self._family(raw), self.boxes([number])[0])
        self._tell_of(number, slot)

    def _replace(self, number: int, raw: int) -> None:
        slot = self._tiles.slot(number)
        before = int(self._tiles.raw[slot])
        if raw == before:
            return
        for follower in self._followers:
            follower.tile_goes(number, slot)
        index, place = self._index, self._place(slot)
        self._tiles.raw[slot] = raw
        if isinstance(index, BoxIndex):
            index.remove(slot)
            index.insert(slot, self.boxes([number])[0])
        elif (family := self._family(raw)) < 0 or family != self._family(before):
            assert place is not None
            index.replace(*place, slot, family, self.boxes([number])[0])
        self._tell_of(number, slot)

    def _remove(self, number: int) -> None:
        slot = self._tiles.slot(number)
        for follower in self._followers:
            follower.tile_goes(number, slot)
        index = self._index
        if isinstance(index, BoxIndex):
            index.remove(slot)
        else:
            place = self._place(slot)
            assert place is not None
            index.remove(*place, slot)
        self._tiles.remove(number)
        self.revision += 1

    def _tell_of(self, number: int, slot: int) -> None:
        """A tile is there that was not."""
        self.revision += 1
        for follower in self._followers:
            follower.tile_came(number, slot)

    def _place(self, slot: int) -> tuple[int, int] | None:
        """Step and line of a tile in the window; None beyond it, or where there is none."""
        if self._window is None:
            return None
        return self._window.place(*self._tiles.cell(slot))

    def _family(self, raw: int) -> int:
        return int(self._reaches.families(np.array([raw], np.uint32))[0])

    def _check_cell(self, column: int, row: int) -> None:
        grid = self._grid
        inside = 0 <= column < grid.columns and 0 <= row < grid.rows
        if self._infinite:
            inside = max(abs(column), abs(row)) < FARTHEST
        if not inside:
            raise ValueError(f"cell ({column}, {row}) lies outside the map")

    @cached_property
    def _reaches(self) -> Reaches:
        raw = self._tiles.every().raw
        return Reaches(raw, self.tilesets.draw_boxes, self.offset, self._grid.turns)

    @cached_property
    def _index(self) -> LatticeIndex | BoxIndex:
        """What answers `query`, built at the first question: a hidden layer never needs it."""
        window = self._window
        if window is None:
            return BoxIndex(self.boxes(slice(None)), self._tiles.numbering)
        columns, rows, raw = self._tiles.every()
        which = self._reaches.families(raw)
        families = []
        for number, reach in enumerate(self._reaches.common):
            held, members = None, which == number
            if not members.all():
                held = RegionQuadtree(window.occupied(columns[members], rows[members]))
            families.append(Family(held, *window.edges(reach, self._axes)))
        odd = np.flatnonzero(which < 0).astype(np.int32)
        occupied = window.occupied(columns, rows)
        return LatticeIndex(occupied, families, odd, self.boxes(odd), self._tiles.numbering)

    @cached_property
    def _window(self) -> Window | None:
        """The lattice of the whole map, and of what a layer holds beyond it."""
        spans = [(range(self._grid.columns), range(self._grid.rows))]
        if len(self):
            columns, rows = (
                range(int(axis.min()), int(axis.max()) + 1) for axis in self._tiles.every()[:2]
            )
            # the size of an infinite map says nothing
            spans = [(columns, rows)] if self._infinite else [*spans, (columns, rows)]
        columns, rows = (
            range(min(part.start for part in axis), max(part.stop for part in axis))
            for axis in zip(*spans, strict=True)
        )
        return Window.around(self._grid, columns, rows, len(self))

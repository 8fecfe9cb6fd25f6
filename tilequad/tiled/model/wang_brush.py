"""WangBrush: paints the tiles of a Wang set by colors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.checks import whole
from tilequad._core.shown import LONGEST_VALUE, shortened, shown

from ..cells import (
    FARTHEST,
    FLIPPED_DIAGONALLY,
    FLIPPED_HORIZONTALLY,
    FLIPPED_VERTICALLY,
    Colors,
    Mask,
)
from ..checks import cells_of, whole_array
from ..geometry.wang_lattice import flip_orders, flips_from
from ..index.wang_tiles import Candidate, WangTiles, packed
from .tile_layer import TileLayer
from .wang_area import Area, CellsAt, Scene
from .wang_mending import Mending
from .wang_sets import WangSet

if TYPE_CHECKING:
    from .tilesets import Tileset

__all__ = ["WangBrush"]

Ints = NDArray[np.integer[Any]]
Int32s = NDArray[np.int32]

_WHERE = {"corner": range(1, 8, 2), "edge": range(0, 8, 2), "mixed": range(8)}
_FREE = 255  # an edge or corner that is not painted; colors are less
_ROTATED = FLIPPED_DIAGONALLY | FLIPPED_HORIZONTALLY  # by 90 degrees


class WangBrush:
    """Paints the tiles of a Wang set on layers; `tile_map.wang_set(name)` returns it.

    Colors are the numbers of the set's colors, from 1; `color("Grass")` finds one by name. 0 is no
    color. A brush takes the tiles whose colors fit, chooses among equal ones by their
    probabilities, and flips and rotates them as the tileset allows. In isometric, staggered and
    hexagonal maps it flips tiles, but does not rotate them.

    The seed chooses among equal tiles, together with the cell: the same seed gives the same
    tiles, in whichever order and parts the cells are painted.

    How a cell's color meets that of its neighbors depends on the set. Of a set of corners, or one
    whose tiles have a color at every place, a color spreads over the corners and edges of its
    cell: the neighbors become transitions, such as a shore. Other sets of edges, and of both, are
    for roads and walls: an edge or corner has a color if all cells around it have that color.

    A brush reads the set, its probabilities and transformations when it is first used.

    Attributes:
        wang_set: The Wang set.
        tileset: Its tileset.
    """

    def __init__(self, wang_set: WangSet, tileset: Tileset) -> None:
        self.wang_set = wang_set
        self.tileset = tileset
        self._where = _WHERE[wang_set.type]
        self._joins = wang_set.type != "corner" and any(
            0 in tile.wang_id[self._where.start :: self._where.step] for tile in wang_set.tiles
        )
        self._tiles: dict[tuple[bool, bool], WangTiles] = {}  # by the symmetries of the map

    def __repr__(self) -> str:
        return f"<WangBrush {self.wang_set.name!r} of {self.tileset.name!r}>"

    def color(self, name: str) -> int:
        """Return the number of the first color with a name.

        Raises:
            KeyError: No color has it; the message lists the names.
        """
        names = [color.name for color in self.wang_set.colors]
        if name in names:
            return names.index(name) + 1
        known = shortened(", ".join(map(repr, names)) or "none", LONGEST_VALUE)
        raise KeyError(f"no color {shown(name)}; the Wang set has {known}")

    def wang_ids(self, layer: TileLayer, cells: ArrayLike) -> Colors:
        """Return the colors around cells as they are now.

        Args:
            layer: A tile layer of the map.
            cells: (n, 2) columns and rows.

        Returns:
            (n, 8) colors clockwise from the top edge, as in `WangTile`; uint8. All 0 for a cell
            that holds no tile of the set, and at the places that the type of the set leaves out.

        Raises:
            TypeError: `layer` is no tile layer, or a number is not whole.
            ValueError: The layer belongs to another map, or a cell lies outside the map.

        Example:
            >>> from tilequad import load_map
            >>> tile_map = load_map("maps/frontier.tmx")
            >>> tile_map.wang_set("dirt").wang_ids(tile_map.layer("roads"), [(117, 130)]).tolist()
            [[0, 1, 0, 1, 0, 1, 0, 1]]
        """
        scene = self._scene(layer)
        columns, rows = cells_of(cells).T
        scene.check_inside(columns, rows)
        ids, _ = scene.tiles.ids_of(scene.raw(columns, rows))
        return ids

    def fill(
        self,
        layer: TileLayer,
        colors: ArrayLike,
        *,
        corners: bool = False,
        column: int = 0,
        row: int = 0,
        seed: int = 0,
    ) -> Int32s:
        """Set the tiles of a rectangle of cells by colors.

        Tiles of the set beyond the rectangle stay: its border has their colors. A cell without
        any color is cleared.

        Cost: about 0.1 us per cell.

        Args:
            layer: A tile layer of the map.
            colors: One color per cell, (rows, columns). Where cells of different colors meet, the
                highest counts; the lowest in a set for roads or walls. Or Wang ids, (rows,
                columns, 8), as `wang_ids` returns them.
            corners: Whether `colors` holds one color per corner, (rows + 1, columns + 1), for
                corner sets in maps that are neither staggered nor hexagonal. Sample a height
                there, and the terrain follows it most closely.
            column: The first column.
            row: The first row, counted from the top.
            seed: Chooses among equal tiles; any whole number.

        Returns:
            The cells that no tile fits, (n, 2) columns and rows; int32. They hold the one with
            the fewest wrong colors. None if the set has a tile for each case.

        Raises:
            TypeError: `layer` is no tile layer, or a number is not whole.
            ValueError: The layer belongs to another map, the array has the wrong shape or a color
                that the set lacks, or a cell lies outside the map. Nothing has changed then.

        Example:
            >>> import numpy as np
            >>> from tilequad import load_map
            >>> tile_map = load_map("maps/frontier.tmx")
            >>> water = tile_map.wang_set("water")
            >>> pond = np.zeros((8, 8), int)
            >>> pond[2:6, 2:6] = 1
            >>> water.fill(tile_map.layer("decor"), pond, column=40, row=30).shape
            (0, 2)
        """
        scene = self._scene(layer)
        given = self._checked_colors(colors, corners, scene)
        size = given.shape[0] - corners, given.shape[1] - corners
        rows, columns = np.indices(size).reshape(2, -1)
        left, top, seed = whole(column, "column"), whole(row, "row"), whole(seed, "seed")
        if max(abs(left), abs(top)) >= FARTHEST:  # beyond what numpy can add
            raise ValueError(f"cell ({shown(left)}, {shown(top)}) lies outside the map")
        columns, rows = columns + left, rows + top
        if not len(columns):
            return np.empty((0, 2), np.int32)
        area = Area(scene, columns, rows)
        cells, lattice = area.cells, area.lattice
        if corners:
            lattice.colors[2:-2:2, 2:-2:2] = given
        elif given.ndim == 3:
            lattice.write(cells.u, cells.v, given.reshape(-1, 8), self._where)
        else:
            plane = area.plane(given.reshape(-1), _FREE if self._joins else 0)
            lattice.spread(plane, self._joins)
        beyond = area.around(with_inside=False)
        ids, known = scene.tiles.ids_of(scene.raw(beyond.columns, beyond.rows))
        lattice.write(beyond.u[known], beyond.v[known], ids[known], self._where)
        wanted = lattice.read(cells.u, cells.v, self._where)
        numbers, fits = scene.tiles.find(wanted)
        if given.ndim == 3:
            fits &= (wanted == given.reshape(-1, 8))[:, self._where].all(axis=1)
        elif not corners:
            self._keep_alone(self._is_alone(wanted, given.reshape(-1)), scene, numbers, fits)
        return self._put(scene, cells, numbers, fits, seed)

    def paint(self, layer: TileLayer, cells: ArrayLike, color: int, *, seed: int = 0) -> Int32s:
        """Paint cells with a color, and mend the cells around them.

        Cells that show the right colors keep their tiles. Where the set has no tile between the
        new color and the old one, cells farther out change, too, as with Tiled's terrain brush.
        As there, a tile that does not belong to the set has no color.

        Cost: about 0.2 ms for a hundred cells; of the box around the cells, 50 ns per cell. Where
        cells farther out change, 0.3 ms for each cell of the rim.

        Args:
            layer: A tile layer of the map.
            cells: (n, 2) columns and rows.
            color: The color; 0 removes it.
            seed: Chooses among equal tiles; any whole number.

        Returns:
            The cells that no tile fits, (n, 2) columns and rows; int32. They hold the one with
            the fewest wrong colors. None if the set has a tile for each case.

        Raises:
            TypeError: `layer` is no tile layer, or a number is not whole.
            ValueError: The layer belongs to another map, the set lacks the color, a cell lies
                outside the map, or the box around the cells has more than 2**26. Nothing has
                changed then.

        Example:
            >>> from tilequad import load_map
            >>> tile_map = load_map("maps/frontier.tmx")
            >>> roads, dirt = tile_map.layer("roads"), tile_map.wang_set("dirt")
            >>> dirt.paint(roads, [(30, 20), (31, 20)], dirt.color("dirt")).tolist()
            []
            >>> dirt.wang_ids(roads, [(32, 20)]).tolist()  # the cell to the right of them
            [[0, 0, 0, 0, 0, 1, 0, 1]]
        """
        scene = self._scene(layer)
        places, color, seed = cells_of(cells), whole(color, "color"), whole(seed, "seed")
        if not 0 <= color <= len(self.wang_set.colors):
            most = len(self.wang_set.colors)
            raise ValueError(f"color must be from 0 to {most}, got {shown(color)}")
        if not len(places):
            return np.empty((0, 2), np.int32)
        return self._repaint(Area(scene, *places.T), color, seed)

    # -- steps -------------------------------------------------------------------------------------

    def _scene(self, layer: TileLayer) -> Scene:
        """Return a layer with the tiles in its orientation, made on first use."""
        if not isinstance(layer, TileLayer):
            raise TypeError(f"layer must be a tile layer, got {shown(layer)}")
        if not any(tileset is self.tileset for tileset in layer.tilesets):
            raise ValueError(f"layer must belong to the map of the brush, got {shown(layer)}")
        order = layer._tiles.order
        symmetry = order.diagonal or bool(order.stagger), layer._places.grid.turns
        if symmetry not in self._tiles:
            self._tiles[symmetry] = self._tiles_for(*symmetry)
        return Scene(layer, self._tiles[symmetry])

    def _tiles_for(self, is_diagonal: bool, turns: bool) -> WangTiles:
        """Return the tiles of the set for maps of an orientation."""
        tileset, may = self.tileset, self.tileset.transformations
        flips = flip_orders(is_diagonal, turns)
        allowed = [
            flags
            for flags, is_allowed in (
                (FLIPPED_HORIZONTALLY, may.flip_horizontally),
                (FLIPPED_VERTICALLY, may.flip_vertically),
                (_ROTATED, may.rotate),
            )
            if is_allowed
        ]
        tiles = [
            Candidate(tile.local_id, tile.wang_id, tileset.tile_probability(tile.local_id))
            for tile in self.wang_set.tiles
            if 0 <= tile.local_id < tileset.end_id
        ]
        return WangTiles(
            tiles,
            tileset.first_gid,
            self._where,
            flips,
            flips_from(allowed, flips),
            may.prefer_untransformed,
        )

    def _checked_colors(self, colors: ArrayLike, corners: bool, scene: Scene) -> Colors:
        """Return the colors of `fill` as small numbers."""
        if not isinstance(corners, bool):
            raise TypeError(f"corners must be True or False, got {shown(corners)}")
        given = whole_array(colors, "colors")
        if corners and (self.wang_set.type != "corner" or scene.order.stagger):
            raise ValueError(
                "corners=True needs a corner set, and a map that is neither staggered nor "
                f"hexagonal, got {self!r} of type {self.wang_set.type!r}"
            )
        is_right = given.ndim == 2 or (given.ndim == 3 and given.shape[2] == 8 and not corners)
        if not is_right or (corners and not given.size):
            shapes = "(rows + 1, columns + 1)" if corners else "(rows, columns) or with 8 more"
            raise ValueError(f"colors must have the shape {shapes}, got {given.shape}")
        most = len(self.wang_set.colors)
        for wrong in given[(given < 0) | (given > most)][:1].tolist():
            raise ValueError(f"colors must be from 0 to {most}, got {wrong}")
        return given.astype(np.uint8)

    def _repaint(self, area: Area, color: int, seed: int) -> Int32s:
        scene = area.scene
        near = area.around(with_inside=True)
        raw = scene.raw(near.columns, near.rows)
        own, known = scene.tiles.ids_of(raw)
        painted = area.inside[near.v, near.u]
        fixed = self._fixed(area, near, own, color)
        wanted = np.where(fixed == _FREE, own, fixed)
        alone = painted & self._is_alone(wanted, color)
        changed = (packed(wanted) != packed(own)) | (painted & ~known & (raw > 0)) | alone
        [some] = changed.nonzero()
        cells = near.take(some)
        numbers, fits = scene.tiles.find(wanted[some])
        self._keep_alone(alone[some], scene, numbers, fits)
        if (fits | alone[some]).all():
            return self._put(scene, cells, numbers, fits, seed)
        unfit = np.zeros(len(painted), bool)
        unfit[some] = ~fits
        settled = alone | (~unfit & (fixed != _FREE).all(axis=1))
        order = np.argsort(~painted, kind="stable")
        order = order[~settled[order]]
        mending = Mending(
            *(area, near.take(order), own[order], fixed[order], _FREE),
            *(set(near.take(settled).places()), self._likelihood(scene.tiles.ids), seed),
        )
        choices = zip(numbers.tolist(), fits.tolist(), strict=True)
        found = dict(zip(cells.places(), choices, strict=True))
        found |= mending.search()
        numbers, fits = (np.array(values) for values in zip(*found.values(), strict=True))
        wrong = self._put(scene, area.cells_at(list(found)), numbers, fits, seed)
        others = area.cells_at([place for place in mending.wrong if place not in found])
        rest = np.stack((others.columns, others.rows), axis=1)
        return np.concatenate((wrong, rest), dtype=np.int32)

    def _fixed(self, area: Area, near: CellsAt, own: Colors, color: int) -> Colors:
        """Return the colors that painting gives to the edges and corners of cells, else _FREE."""
        lattice = area.lattice
        lattice.spread(np.where(area.inside, np.uint8(color), np.uint8(_FREE)), joins=True)
        painted = lattice.read(near.u, near.v, self._where)
        if not (self._joins and color):
            return painted
        has_color = area.inside[near.v, near.u] | (own == color).any(axis=1)
        lattice.spread(area.plane(has_color * color, _FREE, near), joins=True)
        joined = lattice.read(near.u, near.v, self._where)
        return np.where((joined == color) & (painted == color), color, _FREE).astype(np.uint8)

    def _is_alone(self, wanted: Colors, color: NDArray[np.integer[Any]] | int) -> Mask:
        """Return which cells of a road or wall no neighbor joins."""
        if not self._joins:
            return np.zeros(len(wanted), bool)
        alone: Mask = (packed(wanted) == 0) & (color > 0)
        return alone

    def _keep_alone(self, alone: Mask, scene: Scene, numbers: Ints, fits: Mask) -> None:
        """Give the tile with the fewest colors to cells that no neighbor joins."""
        if not alone.any():
            return
        numbers[alone] = scene.tiles.nearest(np.zeros(8, np.uint8), empty=False)
        fits[alone] = False

    def _likelihood(self, ids: Colors) -> NDArray[np.float64]:
        """Return how likely Wang ids are by the probabilities of their colors, above 0."""
        colors = np.array([1.0, *(color.probability for color in self.wang_set.colors)])
        product: NDArray[np.float64] = np.clip(colors, 1e-9, 1e9)[ids].prod(axis=1)
        return product

    def _put(self, scene: Scene, cells: CellsAt, numbers: Ints, fits: Mask, seed: int) -> Int32s:
        """Set the tiles of cells. Return the cells that they do not fit."""
        raw = scene.tiles.choose(numbers, cells.columns, cells.rows, seed)
        columns, rows = cells.columns.astype(np.int32), cells.rows.astype(np.int32)
        scene.layer._edits.put_many(columns, rows, raw)
        if fits.all():
            return np.empty((0, 2), np.int32)
        return np.stack((columns[~fits], rows[~fits]), axis=1)

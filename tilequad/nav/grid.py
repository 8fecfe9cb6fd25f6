"""The grid: where units may walk, at what cost, and what they see."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.array_kinds import Floats, Ints, Traits
from tilequad._core.arrays import checked_cells, finite_points, own_array
from tilequad._core.checks import check_point, checked_at_least, checked_cell
from tilequad._core.layout import MAX_COORDINATE
from tilequad._core.shown import shown
from tilequad._core.ways.closed_cells import ClosedCells
from tilequad._core.ways.costs import Costs
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.perimeters import Perimeters
from tilequad._core.ways.traits import OPAQUE_TRAIT
from tilequad.bounds import Bounds
from tilequad.nav._blocks import Blocks
from tilequad.nav._clearance import Clearance
from tilequad.nav._danger import Danger, checked_scale
from tilequad.nav._kinds import Kinds
from tilequad.nav._map_follower import MapFollower
from tilequad.nav._shape_outlines import shape_outlines
from tilequad.nav._shapes import Shape, map_range, need_of
from tilequad.nav._terrain import Terrain
from tilequad.nav.buildings import BuildingLand
from tilequad.nav.frame import CellFrame
from tilequad.nav.rules import LEAST_COST, MOST_COST, Rule
from tilequad.tiled.model.tile_map import TileMap

if TYPE_CHECKING:
    from tilequad.nav.influence_map import InfluenceMap

__all__ = ["Grid"]


class Grid(BuildingLand):
    """The cells of a map: which may be walked, the cost of each, and which stop looks.

    A cell stops walkers (it is closed), looks (it is opaque), or both. What stops walkers stops
    looks unless one says otherwise, as for water and fences. Fields, paths, walls, fogs and lines
    of sight all follow their grid, so a door that closes here is closed to all of them.

    Where rules take tiles with collision shapes, or objects, the grid keeps the shapes: walls,
    looks and pushes test them, while fields, paths and fogs go by cells. An open cell may hold part
    of a shape. It is closed if that leaves no way through it, and opaque if the shape stops looks.

    A cell's number is `row * columns + column`; of a whole finite map it is the id of the tile.
    A unit walks between cells that share an edge, and across corners as `diagonal` allows. A move
    costs its length in world units times the mean of the costs of both cells.

    `diagonal` is one of the rules that path finders share:

    - "only_if_no_obstacles": both cells beside a diagonal move must be open: no corner is cut;
    - "at_least_one_walkable": one of them must be open;
    - "always": none of them need be open;
    - "never": moves across edges only.

    The second and the third are for pieces and points. Units with footprints that `Walls` or
    `separate` stop may hang at the corners that they cut, and do not fit between two closed cells.

    Cells of hexagonal maps have six neighbors, all across an edge; with a side length of 0 they are
    diamonds.

    Cost: three bytes for each cell, eight more if tiles have shapes. A million cells take 5 to 15
    ms to make, up to 60 from an array of many costs, and 300 if a fifth of their tiles have shapes.
    Each kind of tile with shapes takes 0.2 ms more, and an object 20 microseconds for each cell
    that it touches.

    Args:
        costs: (rows, columns); the cost of each cell, from 0.01 to 1000, where 1 is ordinary
            ground and inf is closed; or booleans, True where a cell is open. At most 254 different
            costs in the life of the grid. Row 0 is the top, as in Tiled and in tile ids.
        cell_size: The size of a cell in world units: one number, or width and height.
        origin: The corner of the grid with the least x and y.
        diagonal: The rule for moves across corners.
        opaque: (rows, columns), booleans: which cells stop looks; None for the closed ones.
        y_up: Whether y points up, as `load_map` has it, so the cells of row `r` lie from
            `origin[1] + (rows - 1 - r) * height` to `origin[1] + (rows - r) * height`. False for
            hosts such as pygame, where y grows downward, and with the row.

    Raises:
        ValueError: A cost is out of its range, there are too many different ones, or another
            argument is invalid.

    Example:
        >>> from tilequad.nav import Grid
        >>> grid = Grid([[True, True, False], [True, False, True]], cell_size=10)
        >>> grid.cell_at(15, 15), grid.cell_at(25, 5), grid.cell_at(99, 99)  # row 0 is the top
        (1, 5, None)
        >>> grid.center(1)
        (15.0, 15.0)
    """

    def __init__(
        self,
        costs: ArrayLike,
        cell_size: float | Sequence[float] = 1.0,
        origin: Sequence[float] = (0.0, 0.0),
        diagonal: str = "only_if_no_obstacles",
        *,
        opaque: ArrayLike | None = None,
        y_up: bool = True,
    ) -> None:
        given = own_array(costs, "costs", None, copy=None)
        if given.ndim != 2 or not given.size:
            raise ValueError(
                f"costs must have the shape (rows, columns), got {given.shape}; "
                "Grid.of(tile_map, ...) makes a grid of a map"
            )
        size, corner = _checked_place(cell_size, origin)
        shape = Shape.of_array(given.shape, size, corner, y_up)
        known = Costs(shape.lengths())
        if given.dtype == bool:
            codes = given * np.uint8(known.code_of(1.0))
        else:
            codes = known.codes_of(_checked_costs(own_array(given, "costs")))
        self._begin(shape, diagonal, (0, 0), known, _traits(codes, opaque))

    @classmethod
    def of(
        cls,
        tile_map: TileMap,
        *rules: Rule,
        bounds: Sequence[float] | None = None,
        diagonal: str = "only_if_no_obstacles",
    ) -> Grid:
        """Make the grid of a map. It follows the changes of the layers that its rules name.

        So it does when objects are added, edited or removed in them. When such a layer is added
        later, moved by its offset or its group's, or removed, and when `edit_tile` changes a tile,
        the rules are applied again to all cells.

        All cells are open at cost 1 unless a rule says otherwise.

        Args:
            tile_map: What `load_map` returns.
            rules: Applied in order; a later rule opens what an earlier one has closed.
            bounds: Use only the cells around this box; required for an infinite map.
            diagonal: The rule for moves across corners.

        Raises:
            KeyError: No layer has the name that a rule gives.
            TypeError: `rules` holds something that is not a rule, such as a list of rules.
            ValueError: The map is infinite and `bounds` is missing, or it misses the map; or its
                cells have no area.

        Example:
            >>> from tilequad import load_map
            >>> from tilequad.nav import BLOCKED, Grid, Rule
            >>> tile_map = load_map("maps/frontier.tmx")
            >>> grid = Grid.of(tile_map, Rule("ground", BLOCKED, {"solid": True}))
            >>> tile_map.layer("ground").set_tile(3, 4, 71)  # water
            1027
            >>> bool(grid.blocked[4, 3])
            True
        """
        if not isinstance(tile_map, TileMap):
            raise TypeError(f"tile_map must be what load_map returns, got {shown(tile_map)}")
        for rule in rules:
            if not isinstance(rule, Rule):
                wrong = f"rules must be Rules, got {shown(rule)}; write Grid.of(tile_map, *rules)"
                raise TypeError(wrong)
        box = None if bounds is None else Bounds.of(bounds)
        columns, rows = map_range(tile_map, box)
        grid = cls.__new__(cls)
        first = columns.start, rows.start
        shape = Shape.of_map(tile_map, columns, rows)
        costs = Costs(shape.lengths())
        terrain = Terrain(tile_map, rules, shape, first, costs.code_of, need_of(diagonal))
        kinds = terrain.kinds if terrain.shaped else None
        grid._begin(shape, diagonal, first, costs, terrain.traits(), kinds)
        grid._map = MapFollower(tile_map, terrain, grid._blocks)
        return grid

    def with_clearance(self, radius: float) -> Grid:
        """Return the grid for wide units: only cells where a disc has room are open.

        A cell is open if a disc of this radius around its center overlaps no closed cell, and does
        not reach beyond the edge of the grid. A cell that holds part of a shape counts as closed.
        So a unit as wide as two cells needs three. The new grid follows this one. What stops looks
        is that of this grid: wide units see as others do.

        Cost: 10 ms for a million cells, and 50 ms for a radius of 60 cells; each later change costs
        a tenth of a millisecond more, or one to two for such a radius.

        Args:
            radius: The radius of the units, in world units.

        Raises:
            ValueError: The radius is negative or not finite.

        Example:
            >>> from tilequad.nav import Grid
            >>> wide = Grid([[1] * 5] * 3, cell_size=10).with_clearance(12)
            >>> wide.blocked.astype(int).tolist()
            [[1, 1, 1, 1, 1], [1, 0, 0, 0, 1], [1, 1, 1, 1, 1]]
        """
        number = checked_at_least(0, radius, "radius")
        self._follow()
        return self._made_by(Clearance(self._ground, number))

    def with_danger(
        self, influence: InfluenceMap, full: float, factor: float, *, steps: int = 8
    ) -> Grid:
        """Return the grid for those who shun danger: cells cost more where influence is high.

        A cell costs its own cost times a number: 1 where the influence is 0 or less, `factor` where
        it is `full` or more, and between them in as many steps. Fields and paths of the new grid
        lead around danger, as far as the way around is worth it. The new grid follows this one, and
        the influence map with its updates: fields repair what has changed.

        Cost: as `with_clearance`; after an update, some nanoseconds for each cell in the blocks of
        16 x 16 cells around those who moved. A step that nobody crosses changes no cost.

        Args:
            influence: The `InfluenceMap` of the danger, on this grid or on one with the same cells.
            full: The influence at which a cell costs most, above 0.
            factor: How many times as much it costs there, from 1 to 1000. No cost gets above 1000.
            steps: The number of steps, at least 1. Different costs of this grid times steps must
                not be more than some 250. If this grid gets more of them later, a cell costs the
                nearest that the new grid has.

        Raises:
            TypeError: `influence` is not an `InfluenceMap`, or `steps` is not a whole number.
            ValueError: A number is out of its range, there are too many costs, or `influence` has
                other cells.

        Example:
            >>> from tilequad import DynamicQuadtree
            >>> from tilequad.nav import Grid, InfluenceMap
            >>> units = DynamicQuadtree((0, 0, 50, 10))
            >>> grid = Grid([[True] * 5], cell_size=10)
            >>> units.add("tower", 5, 5)
            >>> wary = grid.with_danger(InfluenceMap(grid, units, 40), full=1, factor=5, steps=4)
            >>> wary.costs.tolist()
            [[5.0, 4.0, 3.0, 2.0, 1.0]]
        """
        from tilequad.nav.influence_map import InfluenceMap

        if not isinstance(influence, InfluenceMap):
            raise TypeError(f"influence must be an InfluenceMap, got {shown(influence)}")
        scale = checked_scale(full, factor, steps)
        own, other = self._ground.shape, influence._ground.shape
        if own[:5] != other[:5] or own.frame.tolist() != other.frame.tolist():
            raise ValueError("influence must be on this grid, or on one with the same cells")
        self._follow()
        return self._made_by(Danger(self._ground, influence, *scale))

    def _made_by(self, rule: Clearance | Danger) -> Grid:
        """Return a grid that is made from this one, and follows it."""
        grid = Grid.__new__(Grid)
        place = self._ground.shape, self.diagonal, self.first_cell
        grid._begin(*place, rule.costs, rule.traits(self._ground), self._kinds)
        grid._base, grid._rule = self, rule
        grid._ground.danger = rule if isinstance(rule, Danger) else None
        grid._ground.follow(self._ground)
        self._ground.observe(grid)
        return grid

    def _begin(
        self,
        shape: Shape,
        diagonal: str,
        first: tuple[int, int],
        costs: Costs,
        traits: Traits,
        kinds: Kinds | None = None,
    ) -> None:
        """Set all attributes."""
        need = need_of(diagonal)
        self._diagonal = diagonal
        self._first_cell = first
        self._bounds = shape.bounds()
        self._kinds = kinds
        pieces = None if kinds is None else kinds.pieces
        self._ground = Ground(shape, need, costs, traits, pieces)
        self._closed = ClosedCells(self._ground)
        self._opaque = ClosedCells(self._ground, looks=True)
        self._map: MapFollower | None = None
        self._base: Grid | None = None
        self._rule: Clearance | Danger | None = None
        self._blocks = Blocks(self._ground)
        if kinds is not None:
            kinds.users.add(self._blocks)

    def __len__(self) -> int:
        """Return the number of cells."""
        return self.columns * self.rows

    def __repr__(self) -> str:
        free = len(self) - int(self.blocked.sum())
        return f"<Grid of {self.columns:,} x {self.rows:,} cells, {free:,} open>"

    # -- what it is --------------------------------------------------------------------------------

    @property
    def columns(self) -> int:
        """The number of columns."""
        found: int = self._ground.columns
        return found

    @property
    def rows(self) -> int:
        """The number of rows."""
        found: int = self._ground.rows
        return found

    @property
    def orientation(self) -> str:
        """One of "orthogonal", "isometric", "staggered", "hexagonal" and "oblique"."""
        found: str = self._ground.shape.orientation
        return found

    @property
    def diagonal(self) -> str:
        """The rule for moves across corners."""
        return self._diagonal

    @property
    def first_cell(self) -> tuple[int, int]:
        """Column and row of the map's cell that is (0, 0) here."""
        return self._first_cell

    @property
    def bounds(self) -> Bounds:
        """The box around all cells, in world units."""
        return self._bounds

    @property
    def revision(self) -> int:
        """Counts the changes."""
        self._follow()
        return self._ground.revision

    @property
    def cell_size(self) -> tuple[float, float]:
        """Width and height of the box around a cell, in world units."""
        width, height = np.ptp(self._ground.shape.outline, axis=0).tolist()
        return width, height

    @property
    def costs(self) -> NDArray[np.float32]:
        """The cost of each cell, inf where it is closed; a new array, (rows, columns)."""
        self._follow()
        codes = self._ground.cell_codes().copy()  # first: a handler may add a cost, never drop one
        found: NDArray[np.float32] = np.array(self._ground.costs.values, np.float32)[codes]
        return found

    @property
    def blocked(self) -> NDArray[np.bool_]:
        """Which cells are closed; a new array, (rows, columns)."""
        self._follow()
        closed: NDArray[np.bool_] = self._ground.cell_codes() == 0
        return closed

    @property
    def opaque(self) -> NDArray[np.bool_]:
        """Which cells stop looks; a new array, (rows, columns)."""
        self._follow()
        return self._ground.cell_opacity()

    @property
    def frame(self) -> CellFrame:
        """Where the centers of the cells lie, for drawing them."""
        found: CellFrame = self._ground.shape.cell_frame()
        return found

    def cell_at(self, x: float, y: float) -> int | None:
        """Return the number of the cell at a point, None outside the grid.

        An edge belongs to the cell with the higher row or column, and the outer edges of the grid
        to the cells inside.

        Args:
            x: The point, in world units.
            y: The point.

        Raises:
            ValueError: A number is not finite.
        """
        check_point(x, y)
        cell: int = self._ground.cell_at(x, y)
        return cell if cell >= 0 else None

    def cell_at_many(self, xy: ArrayLike) -> Ints:
        """Return the number of the cell at each of many points.

        A point outside the grid gets `len(grid)`, one past the last cell. As an index it raises an
        IndexError, and so does each method that takes cells; -1 would silently mean the last cell.
        `cells < len(grid)` tells which points are inside.

        Args:
            xy: Points in world units, with a last axis of two.

        Returns:
            Array with the shape of `xy` without its last axis, int32.

        Raises:
            ValueError: A point is not two finite numbers.

        Example:
            >>> from tilequad.nav import Grid
            >>> grid = Grid([[True, True, False]], cell_size=10)
            >>> grid.cell_at_many([(25, 5), (99, 5)]).tolist(), len(grid)
            ([2, 3], 3)
        """
        return self._ground.cells_at(finite_points(xy, "xy"), len(self))

    def center(self, cell: int) -> tuple[float, float]:
        """Return the center (x, y) of a cell, in world units.

        Raises:
            IndexError: A number that no cell has.
        """
        return self._ground.center_of(checked_cell(cell, len(self)))

    def center_many(self, cells: ArrayLike) -> Floats:
        """Return the centers of many cells, (n, 2), in world units.

        Cost: 5 nanoseconds for each cell.

        Raises:
            IndexError: A number that no cell has.
        """
        return self._ground.centers_of(checked_cells(cells, len(self)).data)

    def cells_in(self, bounds: Sequence[float]) -> Ints:
        """Return the cells whose center lies in a box, such as below a building, ascending.

        Cost: some nanoseconds for each cell around the box, on a map of any size.
        """
        return np.array(self._closed.cells_in(*Bounds.of(bounds)), np.int32)

    def query(self, bounds: Sequence[float]) -> Ints:
        """Return the closed cells that overlap or touch a box, ascending: walls, for `Walls`.

        In grids that are not orthogonal, the boxes around the cells count.

        Cost: some nanoseconds for each cell around the box.

        Args:
            bounds: The box: min_x, min_y, max_x, max_y.

        Example:
            >>> from tilequad.nav import Walls
            >>> from tilequad.nav import Grid
            >>> grid = Grid([[True, True, False]], cell_size=10)
            >>> grid.query((0, 0, 20, 10)).tolist(), grid.boxes([2]).tolist()
            ([2], [[20.0, 0.0, 30.0, 10.0]])
            >>> Walls(grid).move_and_slide((2, 2, 6, 6), 30, 0).bounds.max_x
            20.0
        """
        box = Bounds.of(bounds)
        self._follow()
        return np.array(self._closed.query(*box), np.int32)

    def boxes(self, cells: ArrayLike) -> Floats:
        """Return the boxes around cells, (n, 4): min_x, min_y, max_x, max_y.

        Cost: 3 to 6 nanoseconds for each cell.

        Raises:
            IndexError: A number that no cell has.
        """
        return self._closed.boxes(checked_cells(cells, len(self)).data)

    def outlines(self, bounds: Sequence[float] | None = None) -> list[tuple[Floats, ...]]:
        """Return the closed cells, and the shapes in cells, as polygons without seams.

        This is what physics engines and geometry libraries take: `shapely.Polygon(outer, holes)`,
        or a segment for each side of each ring. Cells that only touch at a corner do not join, and
        no ring touches itself.

        Cost: 2 to 15 ms for a million cells, 0.4 us for each polygon, and a tenth of a millisecond
        for the cells of a screen. Among shapes some microseconds for each cell, and at first 0.05
        to 0.2 ms for each kind of them.

        Args:
            bounds: Only the closed cells that overlap or touch this box, as `query` finds them, and
                the cells with parts of shapes that do, all of them whole: min_x, min_y, max_x,
                max_y. None for all.

        Returns:
            The polygons, in the order of their first cells. Each is a tuple of rings: the outer
            one, then its holes. A ring is an array of its corners, (n, 2), in world units, without
            a repeated last one; outer rings run counterclockwise and holes clockwise where y points
            up, the other way around on a screen where y points down.

        Raises:
            ValueError: `bounds` is not a box.

        Example:
            >>> from tilequad.nav import Grid
            >>> yard = [[False, False, False], [False, True, False], [False, False, False]]
            >>> [[outer, hole]] = Grid(yard, cell_size=10).outlines()
            >>> outer.tolist()
            [[0.0, 30.0], [0.0, 0.0], [30.0, 0.0], [30.0, 30.0]]
            >>> hole.tolist()
            [[20.0, 20.0], [20.0, 10.0], [10.0, 10.0], [10.0, 20.0]]
        """
        box = None if bounds is None else tuple(Bounds.of(bounds))
        self._follow()
        if self._kinds is None or isinstance(self._rule, Clearance):  # whole cells only
            return Perimeters(self._closed, box).polygons()
        return shape_outlines(self._closed, self._kinds, box)

    # -- changes -----------------------------------------------------------------------------------

    def set_costs(self, cells: ArrayLike, costs: ArrayLike, *, opaque: bool | None = None) -> None:
        """Set the ground costs of cells. A blocked cell stays closed until it is unblocked.

        Cost: 15 microseconds, and less than a tenth of one for each cell.

        Args:
            cells: Numbers of cells, (n,).
            costs: A cost for each, or one for all; inf closes.
            opaque: Whether their ground stops looks; None for yes where it is closed.

        Raises:
            IndexError: A number that no cell has.
            ValueError: A cost is out of its range, or there have been too many different ones: a
                grid keeps those that no cell has any more.
        """
        self._follow()
        numbers = checked_cells(cells, len(self))
        given = _costs_of(costs, len(numbers))
        with self._ground.turns:
            codes = self._ground.costs.codes_of(given)
            changed = self._blocks.set_ground(numbers, _traits(codes, opaque))
        self._ground.notify(changed)

    def block(self, cells: ArrayLike, *, opaque: bool = True) -> None:
        """Close cells: something stands there, such as a building.

        Blocks are counted: a cell opens once it has been unblocked as often as it was blocked. It
        stops looks while its ground or one of its blocks does.

        Args:
            cells: Numbers of cells, (n,); a cell given twice is blocked twice.
            opaque: Whether what stands there stops looks, too; False for a fence.

        Raises:
            IndexError: A number that no cell has.
        """
        self._follow()
        numbers = checked_cells(cells, len(self)).tolist()
        with self._ground.turns:
            changed = self._blocks.block(numbers, 1, bool(opaque))
        self._ground.notify(changed)

    def unblock(self, cells: ArrayLike, *, opaque: bool = True) -> None:
        """Reopen blocked cells; they get back the cost of their ground.

        Args:
            cells: Numbers of cells, (n,); a cell given twice is unblocked twice.
            opaque: As they were blocked.

        Raises:
            IndexError: A number that no cell has.
            ValueError: A cell is not blocked so, or less often than it is given. Nothing changes.
        """
        self._follow()
        numbers = checked_cells(cells, len(self)).tolist()
        with self._ground.turns:
            changed = self._blocks.block(numbers, -1, bool(opaque))
        self._ground.notify(changed)

    def __getstate__(self) -> dict[str, Any]:
        self._follow()  # now, because parts of it are saved one after the other
        return self.__dict__

    def _cells_changed(self, cells: Ints) -> None:
        """Follow a change of the grid that this one was made from, which calls this."""
        if not self._ground.turns.is_mine:  # whoever asks next follows it then
            self._follow()

    def _follow(self) -> None:
        """Follow what has changed: buildings that left, the grid that this one was made from."""
        own = self._ground
        if own.sites is not None and own.sites.are_behind():
            with own.turns:  # several threads may ask
                changed = self._cleared()
            own.notify(changed)
        if self._base is not None and own.is_behind(own.changed):
            self._base._follow()
            with own.turns:  # several threads may ask
                changed = self._follow_base(self._base)
            own.notify(changed)

    def _follow_base(self, base: Grid) -> Ints:
        """Apply the changes of the grid that this one was made from; return the changed cells."""
        assert self._rule is not None
        own, other = self._ground, base._ground
        if not own.is_behind(own.changed):  # another thread was faster
            return np.empty(0, np.int32)
        followed, revision = other.changed, self._rule.revision
        changed = other.changed_since(own.followed, looks=True)
        found = self._blocks.set_ground(*self._rule.changes(other, own, changed))
        own.followed, self._rule.seen = followed, revision
        return found


def ground_of(grid: Grid) -> Ground:
    """Return the store of a grid; raise TypeError for anything but a grid, such as a map."""
    if not isinstance(grid, Grid):
        raise TypeError(
            f"grid must be a Grid, got {shown(grid)}; Grid.of(tile_map, ...) makes one from a map"
        )
    return grid._ground


def closed_cells_of(grid: Grid) -> ClosedCells:
    """Return the closed cells of a grid as they are now; they stay those of the grid."""
    grid._follow()
    return grid._closed


def opaque_cells_of(grid: Grid) -> ClosedCells:
    """Return the opaque cells of a grid as they are now; they stay those of the grid."""
    grid._follow()
    return grid._opaque


def _traits(codes: NDArray[np.uint8], opaque: Any) -> Traits:
    """The traits of cells with some codes; opaque are those given, or the closed ones for None."""
    stops = codes == 0 if opaque is None else own_array(opaque, "opaque", None, copy=None)
    if stops.dtype != bool:
        raise TypeError(f"opaque must be booleans, got {shown(opaque)}")
    if stops.shape not in ((), codes.shape):
        raise ValueError(f"opaque must have the shape {codes.shape}, got {stops.shape}")
    return codes + np.uint64(OPAQUE_TRAIT) * stops


def _checked_place(cell_size: Any, origin: Any) -> tuple[Any, Any]:
    """Return the width and height of a cell, and the corner of a grid."""
    size, corner = own_array(cell_size, "cell_size"), own_array(origin, "origin")
    if size.shape not in ((), (1,), (2,)):
        raise ValueError(f"cell_size must be one number or two, got {shown(cell_size)}")
    if not ((size >= 1.0 / MAX_COORDINATE) & (size <= MAX_COORDINATE)).all():
        wanted = f"above 0, from {1.0 / MAX_COORDINATE:g} to {MAX_COORDINATE:g}"
        raise ValueError(f"cell_size must be {wanted}, got {shown(cell_size)}")
    if corner.shape != (2,) or not np.isfinite(corner).all():
        raise ValueError(f"origin must be two finite numbers, got {shown(origin)}")
    return tuple(np.broadcast_to(size, (2,)).tolist()), tuple(corner.tolist())


def _costs_of(costs: ArrayLike, count: int) -> Floats:
    """Return the costs of so many cells, from one number or one for each."""
    given = _checked_costs(own_array(costs, "costs"))
    if given.shape not in ((), (1,), (count,)):
        raise ValueError(f"costs must be one number or {count}, got shape {given.shape}")
    return np.broadcast_to(given, (count,))


def _checked_costs(costs: Floats) -> Floats:
    """Return costs; raise ValueError unless each is in its range or infinite."""
    wrong = ~(((costs >= LEAST_COST) & (costs <= MOST_COST)) | (costs == inf))
    if wrong.any():
        raise ValueError(
            f"costs must be from {LEAST_COST} to {MOST_COST:g}, or inf, got {costs[wrong][0]}"
        )
    return costs

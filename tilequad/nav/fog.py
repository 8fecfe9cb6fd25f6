"""Fog: what each team sees now and has seen before."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.array_kinds import Bools, Ints
from tilequad._core.arrays import as_rows, checked_cells, finite_points
from tilequad._core.checks import checked_cell, mask_of, whole
from tilequad._core.shown import shown
from tilequad._core.tree.rows import VIEWERS, RowReader
from tilequad._core.tree.units import ask
from tilequad._core.ways.layout import EXPLORED, HIDDEN, STAGGERED_COLUMNS, STATE, VISIBLE
from tilequad._core.ways.view_counts import seen_units
from tilequad.nav._circles import cells_of, picture, spots_of
from tilequad.nav._fog_state import read_state, rows_of_state
from tilequad.nav._fog_store import FogStore
from tilequad.nav._viewers import Viewer, checked_reach
from tilequad.nav.grid import Grid
from tilequad.nav.saved_cells import Cells
from tilequad.quadtree.dynamic import DynamicQuadtree, check_tree, store_of

__all__ = ["Fog", "TeamSight", "Viewer"]


class TeamSight:
    """What a team sees, for `sight=` of `Targeting` and `RangeEvents`. `Fog.sight` makes it."""

    __slots__ = ("_fog", "_team")
    _fog: Fog
    _team: int

    @property
    def team(self) -> int:
        """The team."""
        return self._team

    def __repr__(self) -> str:
        return f"<TeamSight of team {self._team}, {self._fog!r}>"

    def clear(self, x0: float, y0: float, x1: float, y1: float, /) -> bool:
        """Return whether the team sees (x1, y1), wherever (x0, y0) is."""
        return self._fog.state_at(x1, y1, self._team) == VISIBLE

    def clear_many(self, xy0: ArrayLike, xy1: ArrayLike, /) -> Bools:
        """Return whether the team sees each of the points `xy1`, (n, 2), wherever `xy0` are."""
        found: Bools = self._fog.state_at_many(xy1, self._team) == VISIBLE
        return found


class Fog:
    """What each team sees now and what it has seen, cell by cell.

    A viewer sees the cells whose center is within its radius, measured from the center of its own
    cell, so a step within a cell costs nothing. The opaque cells of the grid are walls: they can be
    seen, and hide everything behind them. At equal radii sight is mutual between open cells. A line
    of sight may pass between two walls that touch at a corner. A viewer outside the grid sees
    nothing.

    Each cell counts the viewers of each team that see it. A viewer that sees over walls costs only
    the cells that its circle gains and loses.

    The fog follows the changes of its grid at once, and the units of its tree with `update`. It
    pickles and copies together with them.

    Cost: three bytes for each cell and team, and four for each cell that a viewer sees, unless it
    sees over walls.
    A step of a viewer with a radius of 8 cells takes a fifth of a microsecond in `update`, and one
    to three with walls; a call of `move` takes one more. Making a fog takes 3 ms for a million
    cells and each team, and a tenth of a millisecond if no cell is opaque.

    Args:
        grid: The cells, and what blocks the view: its opaque cells, which may differ from the
            closed ones: water only stops steps.
        teams: The number of teams, which are numbered from 0.
        units: The tree that viewers may follow.

    Raises:
        ValueError: There is no team.
        TypeError: `teams` is not a whole number, or `grid` is not a Grid.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.nav import Fog, Grid
        >>> open_cells = [[True, True, True, False, True]]
        >>> units = DynamicQuadtree((0, 0, 50, 10))
        >>> fog = Fog(Grid(open_cells, cell_size=10), units=units)
        >>> units.add("scout", 5, 5)
        >>> scout = fog.follow("scout", 20)
        >>> fog.states().tolist()  # 2 is seen now, 1 has been seen, 0 never was
        [[2, 2, 2, 0, 0]]
        >>> units.move("scout", 25, 5)
        >>> fog.update()
        >>> fog.states().tolist()  # it sees the wall, and nothing behind
        [[2, 2, 2, 2, 0]]
        >>> units.remove("scout")
        >>> fog.update()
        >>> fog.states().tolist(), len(fog)
        ([[1, 1, 1, 1, 0]], 0)
    """

    #: What a team knows of a cell, in `states`.
    HIDDEN: Final = HIDDEN
    EXPLORED: Final = EXPLORED
    VISIBLE: Final = VISIBLE

    def __init__(
        self, grid: Grid, teams: int = 1, units: DynamicQuadtree[Any] | None = None
    ) -> None:
        count = whole(teams, "teams")
        if count < 1:
            raise ValueError(f"teams must be at least 1, got {shown(teams)}")
        if units is not None:
            check_tree(units)
        self._units = units
        self._store = FogStore(grid, count)

    def __repr__(self) -> str:
        teams = self.teams
        return f"<Fog of {teams} team{'s' * (teams != 1)}, {len(self):,} viewers, {self.grid!r}>"

    def __len__(self) -> int:
        """The number of viewers."""
        return len(self._store.viewers.all)

    def __iter__(self) -> Iterator[Viewer]:
        """The viewers, in the order they were added."""
        return iter(self._store.viewers.all)

    def __contains__(self, viewer: object) -> bool:
        return isinstance(viewer, Viewer) and viewer in self._store.viewers.all

    @property
    def grid(self) -> Grid:
        """The cells."""
        return self._store.grid

    @property
    def units(self) -> DynamicQuadtree[Any] | None:
        """The tree that viewers may follow."""
        return self._units

    @property
    def revision(self) -> int:
        """Counts the changes; a picture of the fog is outdated once this has grown."""
        self._store.ready()
        return self._store.revision

    @property
    def teams(self) -> int:
        """The number of teams."""
        return len(self._store.viewers.members)

    # -- viewers -----------------------------------------------------------------------------------

    def add(
        self,
        x: float,
        y: float,
        radius: float | None = None,
        team: int = 0,
        *,
        radius_in_cells: float | None = None,
        over_walls: bool = False,
    ) -> Viewer:
        """Add a viewer at a place. Its team sees at once.

        Args:
            x: The place, in world units.
            y: The place.
            radius: How far it sees, in world units.
            team: The team that it sees for.
            radius_in_cells: Instead of `radius`, how far it sees in cells: on hexagons a number of
                steps, elsewhere the radius of a circle, as if cells were squares of side 1.
            over_walls: Whether it sees over walls.

        Raises:
            ValueError: A number is not finite; a radius is negative, or covers more than 16,383
                cells to a side; there is no such team, or it has 65,534 viewers.
            TypeError: Not exactly one of `radius` and `radius_in_cells` is given, `team` is not a
                whole number, or a unit is given: `follow` takes one.

        Example:
            >>> from tilequad.nav import Fog, Grid
            >>> fog = Fog(Grid([[True] * 5] * 5, cell_size=10), teams=2)
            >>> tower = fog.add(25, 25, 10, team=1)
            >>> fog.states(1).tolist()[1:4]
            [[0, 0, 2, 0, 0], [0, 2, 2, 2, 0], [0, 0, 2, 0, 0]]
        """
        try:
            spot = self._store.ground.spot_at(x, y)
        except TypeError as error:
            raise TypeError(f"{error}; Fog.follow takes a unit") from None
        anchor = None, (float(x), float(y)), -1, -1
        reach = checked_reach(radius, radius_in_cells)
        return self._store.add(anchor, spot, team, reach, over_walls)

    def follow(
        self,
        item: Hashable,
        radius: float | None = None,
        team: int = 0,
        *,
        radius_in_cells: float | None = None,
        over_walls: bool = False,
    ) -> Viewer:
        """Add a viewer that follows a unit as long as it lives. Otherwise as `add`.

        Args:
            item: A unit of the tree.
            radius: How far it sees, in world units.
            team: The team that it sees for.
            radius_in_cells: How far it sees in cells, instead; see `add`.
            over_walls: Whether it sees over walls.

        Raises:
            KeyError: The unit is not in the tree.
            ValueError: As `add`, or the fog has no units.
            TypeError: As `add`.

        Example:
            >>> from tilequad import DynamicQuadtree
            >>> from tilequad.nav import Fog, Grid
            >>> units = DynamicQuadtree((0, 0, 50, 10))
            >>> units.add("scout", 5, 5)
            >>> fog = Fog(Grid([[True] * 5], cell_size=10), units=units)
            >>> scout = fog.follow("scout", radius_in_cells=1)
            >>> units.move("scout", 35, 5)
            >>> fog.update()
            >>> fog.states().tolist()
            [[1, 1, 2, 2, 2]]
        """
        if self._units is None:
            raise ValueError("units must be given to Fog, to follow one of them")
        slot = self._units.slot(item)
        anchor = item, None, slot, int(self._units.serial_many([slot])[0])
        spot = self._store.ground.spot_at(*self._units.position_many([slot])[0].tolist())
        reach = checked_reach(radius, radius_in_cells)
        return self._store.add(anchor, spot, team, reach, over_walls)

    def remove(self, viewer: Viewer) -> None:
        """Remove a viewer. Cells that only it saw are merely explored from now on.

        Raises:
            KeyError: The viewer is not in this fog or has ended.
        """
        self._store.remove(viewer)

    def move(self, viewer: Viewer, x: float, y: float) -> None:
        """Move a viewer that stands at a place.

        Raises:
            KeyError: The viewer is not in this fog or has ended.
            ValueError: It follows a unit, or a number is not finite.
        """
        self._store.move(viewer, x, y)

    def resize(
        self,
        viewer: Viewer,
        radius: float | None = None,
        *,
        radius_in_cells: float | None = None,
    ) -> None:
        """Change how far a viewer sees, in world units or in cells.

        Raises:
            KeyError: The viewer is not in this fog or has ended.
            ValueError: As `add`.
            TypeError: Not exactly one of `radius` and `radius_in_cells` is given.
        """
        self._store.viewers.number(viewer)  # raises
        self._store.change(viewer, None, checked_reach(radius, radius_in_cells))

    def set_team(self, viewer: Viewer, team: int) -> None:
        """Let a viewer see for another team.

        Raises:
            KeyError: The viewer is not in this fog or has ended.
            ValueError: There is no such team, or it has 65,534 viewers.
            TypeError: `team` is not a whole number.
        """
        self._store.viewers.number(viewer)  # raises
        team = self._store.checked_team(team)
        if team != viewer.team:
            self._store.change(viewer, team, None)

    def update(self) -> None:
        """Let viewers follow their units; those whose units were removed end.

        Cost: 25 nanoseconds for each viewer that follows a unit, plus the step of each viewer that
        has entered another cell.
        """
        if self._units is None:
            self._store.ready()
        else:
            self._store.follow(self._units)

    # -- what a team knows -------------------------------------------------------------------------

    def states(self, team: int = 0) -> NDArray[np.uint8]:
        """What a team knows of each cell: `HIDDEN` (0), `EXPLORED` (1) or `VISIBLE` (2).

        Returns:
            A new array, uint8, (rows, columns), in the order of the grid's rows.

        Raises:
            ValueError: There is no such team.
            TypeError: `team` is not a whole number.
        """
        states = self._store.states_of(team) & np.uint8(STATE)
        return np.ascontiguousarray(picture(self._store.ground, states))

    def visible(self, team: int = 0) -> Bools:
        """Which cells a team sees now; a new array, (rows, columns).

        Raises:
            ValueError: There is no such team.
            TypeError: `team` is not a whole number.
        """
        found: Bools = self.states(team) == VISIBLE
        return found

    def explored(self, team: int = 0) -> Bools:
        """Which cells a team sees now or has seen; a new array, (rows, columns).

        Raises:
            ValueError: There is no such team.
            TypeError: `team` is not a whole number.
        """
        found: Bools = self.states(team) != HIDDEN
        return found

    def counts(self, team: int = 0) -> NDArray[np.uint16]:
        """How many viewers of a team see each cell; a new array, (rows, columns).

        Raises:
            ValueError: There is no such team.
            TypeError: `team` is not a whole number.
        """
        number = self._store.checked_team(team)
        self._store.ready()
        return picture(self._store.ground, self._store.counts[number]).copy()

    def set_explored(self, explored: ArrayLike, team: int = 0) -> None:
        """Set which cells a team has seen, as in a saved game. What it sees now stays visible.

        Args:
            explored: Booleans, (rows, columns), or one for all: True shows the whole map.
            team: The team.

        Raises:
            ValueError: The array has another shape, or there is no such team.
            TypeError: The array is not boolean, or `team` is not a whole number.

        Example:
            >>> from tilequad.nav import Fog, Grid
            >>> fog = Fog(Grid([[True] * 3]))
            >>> fog.set_explored([[True, False, True]])
            >>> fog.states().tolist()
            [[1, 0, 1]]
        """
        states = picture(self._store.ground, self._store.states_of(team))
        known = np.asarray(explored)
        if known.dtype != bool:
            raise TypeError(f"explored must be booleans, got {known.dtype}")
        if known.shape not in ((), states.shape):
            raise ValueError(f"explored must have the shape {states.shape}, got {known.shape}")
        seen = states & STATE == VISIBLE
        self._store.revision += 1
        states[...] = np.where(seen, states, states & np.uint8(~STATE & 0xFF) | known)

    def state_at(self, x: float, y: float, team: int = 0) -> int:
        """What a team knows of the cell at a point: `HIDDEN` outside of the grid.

        Args:
            x: The point, in world units.
            y: The point.
            team: The team.

        Raises:
            ValueError: A number is not finite, or there is no such team.
            TypeError: `team` is not a whole number.
        """
        states = self._store.states_of(team)
        spot = self._store.ground.spot_at(x, y)
        return HIDDEN if spot < 0 else states.item(spot) & STATE

    def state_at_many(self, xy: ArrayLike, team: int = 0) -> NDArray[np.uint8]:
        """What a team knows of the cell at each of many points, as `state_at` tells.

        Args:
            xy: Points in world units, with a last axis of two.
            team: The team.

        Returns:
            Array with the shape of `xy` without its last axis, uint8.

        Raises:
            ValueError: A point is not two finite numbers, or there is no such team.
            TypeError: `team` is not a whole number.
        """
        states = self._store.states_of(team)
        spots = self._store.spots_at(finite_points(xy, "xy"))
        return np.where(spots < 0, np.uint8(HIDDEN), states[spots] & np.uint8(STATE))

    def sees(self, cell: int, team: int = 0) -> bool:
        """Return whether a team sees a cell now.

        Args:
            cell: The number of a cell.
            team: The team.

        Raises:
            IndexError: A number that no cell has.
            ValueError: There is no such team.
            TypeError: A number is not whole.

        Example:
            >>> from tilequad.nav import Fog, Grid
            >>> grid = Grid([[True, True, False, True]])
            >>> fog = Fog(grid)
            >>> hero = fog.add(*grid.center(0), radius_in_cells=9)
            >>> fog.sees(2), fog.sees(3)  # the wall, and what is behind it
            (True, False)
        """
        number, states = checked_cell(cell, len(self.grid)), self._store.states_of(team)
        return states.item(self._store.ground.spot_of(number)) & STATE == VISIBLE

    def sees_many(self, cells: ArrayLike, team: int = 0) -> Bools:
        """Return whether a team sees each of many cells now, (n,).

        Raises:
            IndexError: A number that no cell has.
            ValueError: There is no such team.
            TypeError: A number is not whole.
        """
        numbers, states = checked_cells(cells, len(self.grid)), self._store.states_of(team)
        found: Bools = states[spots_of(self._store.ground, numbers)] & STATE == VISIBLE
        return found

    def seen_units(
        self, team: int = 0, *, groups: int | None = None, without: int | None = None
    ) -> Bools:
        """Return which units of the tree a team sees: all units in visible cells.

        Units are seen where they are now, by cells that are visible since the last `update`.

        Args:
            team: The team.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.

        Returns:
            Array by slot, so `seen[slots]` selects some units; False for free slots.

        Raises:
            ValueError: There is no such team, a mask is out of range, or the fog has no units.
            TypeError: A number is not whole.

        Example:
            >>> from tilequad import DynamicQuadtree
            >>> from tilequad.nav import Fog, Grid
            >>> units = DynamicQuadtree((0, 0, 100, 10))
            >>> slots = units.add_many(["tower", "orc", "troll"], [(5, 5), (25, 5), (95, 5)])
            >>> fog = Fog(Grid([[True] * 10], cell_size=10), units=units)
            >>> tower = fog.follow("tower", 40)
            >>> fog.seen_units()[slots].tolist()
            [True, True, False]
        """
        states = np.ascontiguousarray(picture(self._store.ground, self._store.states_of(team)))
        masks = mask_of(groups, "groups"), mask_of(without, "without")
        units = self._units
        if units is None:
            raise ValueError("units must be given to Fog before asking which units are seen")
        store, cells = store_of(units), states.reshape(-1).data
        found: Bools = ask(store, seen_units, store, self._store.ground, cells, *masks)
        return found

    def sight(self, team: int = 0) -> TeamSight:
        """Return a team's view, for `sight=`: its towers aim at units that any viewer sees.

        Raises:
            ValueError: There is no such team.
            TypeError: `team` is not a whole number.

        Example:
            >>> from tilequad import DynamicQuadtree
            >>> from tilequad.ai import RangeEvents
            >>> from tilequad.nav import Fog, Grid
            >>> units = DynamicQuadtree((0, 0, 100, 10))
            >>> units.add("orc", 55, 5)
            >>> fog = Fog(Grid([[True] * 10], cell_size=10), units=units)
            >>> events = RangeEvents(units, sight=fog.sight())
            >>> gate = events.add(5, 5, 90)
            >>> events.update()  # in range, but in the dark
            []
            >>> scout = fog.add(35, 5, 30)
            >>> [entered for zone, entered, left in events.update()]
            [['orc']]
        """
        found = TeamSight()
        found._fog, found._team = self, self._store.checked_team(team)
        return found

    def field_of_view(
        self,
        x: float,
        y: float,
        radius: float | None = None,
        *,
        radius_in_cells: float | None = None,
        over_walls: bool = False,
    ) -> Ints:
        """Find the cells that a viewer would see from a point. Changes nothing.

        Cost: 10 microseconds for a radius of 20 cells, which grow with the square of the radius: 5
        ms for the first look over 500 cells, which makes room for them.

        Args:
            x: The point, in world units.
            y: The point.
            radius: How far it sees, in world units.
            radius_in_cells: How far it sees in cells, instead; see `add`.
            over_walls: Whether it sees over walls.

        Returns:
            The numbers of the cells, ascending, int32, (n,); none for a point outside of the grid.

        Raises:
            ValueError: As `add`.
            TypeError: Not exactly one of `radius` and `radius_in_cells` is given.

        Example:
            >>> from tilequad.nav import Fog, Grid
            >>> fog = Fog(Grid([[True, True, False, True]]))
            >>> fog.field_of_view(0.5, 0.5, 8).tolist()
            [0, 1, 2]
        """
        shape = self._store.circle(checked_reach(radius, radius_in_cells))
        self._store.ready()
        spot = self._store.ground.spot_at(x, y)
        found = np.empty(shape.size, np.int32)
        if spot < 0:
            return found[:0]
        with self._store.turn():  # views with one radius are cast in the same room
            count = self._store.core.field_of_view(spot, shape, not over_walls, found.data)
        seen = found[:count]
        if self._store.ground.kind == STAGGERED_COLUMNS:
            return np.sort(cells_of(self._store.ground, seen))
        return seen

    def field_of_view_many(
        self,
        xy: ArrayLike,
        radius: float | None = None,
        *,
        radius_in_cells: float | None = None,
        over_walls: bool = False,
    ) -> tuple[NDArray[np.int64], Ints]:
        """Find the cells that viewers would see from each of many points, as `field_of_view` does.

        Args:
            xy: Points in world units, (n, 2).
            radius: How far each sees, in world units.
            radius_in_cells: How far each sees in cells, instead; see `add`.
            over_walls: Whether they see over walls.

        Returns:
            `(offsets, cells)`: `cells[offsets[i]:offsets[i + 1]]` are the cells seen from point i,
            ascending.

        Raises:
            ValueError: As `add`, or a point is not two finite numbers.
            TypeError: Not exactly one of `radius` and `radius_in_cells` is given.

        Example:
            >>> from tilequad.nav import Fog, Grid
            >>> fog = Fog(Grid([[True, True, False, True]]))
            >>> offsets, cells = fog.field_of_view_many([(0.5, 0.5), (3.5, 0.5)], 8)
            >>> offsets.tolist(), cells.tolist()
            ([0, 3, 5], [0, 1, 2, 2, 3])
        """
        shape = self._store.circle(checked_reach(radius, radius_in_cells))
        self._store.ready()
        points = as_rows(finite_points(xy, "xy"))
        spots = self._store.spots_at(points)
        with self._store.turn():
            ends, seen = self._store.core.fields_of_view(spots.data, shape, not over_walls)
        offsets = np.concatenate(([0], ends))
        cells = cells_of(self._store.ground, seen)
        if self._store.ground.kind == STAGGERED_COLUMNS:
            views = np.repeat(np.arange(len(points)), np.diff(offsets))
            cells = cells[np.lexsort((cells, views))]
        return offsets, cells

    # -- for `pack` and `unpack` of tilequad.ai ---

    _kind = VIEWERS

    def _packed(self, slots: int) -> dict[str, memoryview]:
        self._store.ready()
        with self._store.turn():
            rows = rows_of_state(self._store)
        return rows  # noqa: RET504 - after the turn, see `tests/interrupts.py`

    def _read(
        self, reader: RowReader, tree: DynamicQuadtree[Any], cells: Cells | None = None
    ) -> Callable[[], None]:
        opaque = None if cells is None else cells.opaque
        state = read_state(reader, tree, self._store, opaque)
        if cells is not None:
            state["seen"] = cells.changed
        return partial(self._store.__dict__.update, state, revision=self._store.revision + 1)

"""Fog: what each team sees now and has seen before."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army.lookups import store_of
from tilequad._core.checks import one_mask
from tilequad._core.ways.layout import EXPLORED, HIDDEN, OPAQUE, STATE, VISIBLE
from tilequad._core.ways.view_counts import Circle, ViewCounts, seen_units
from tilequad.nav._checks import MAX_DISTANCE, check_point, checked_points, whole
from tilequad.nav._circles import circle, lattice_of
from tilequad.nav.grid import Grid, ground_of
from tilequad.quadtree import DynamicQuadtree

__all__ = ["Fog", "TeamSight", "Viewer"]

Ints: TypeAlias = NDArray[np.int32]
Bools: TypeAlias = NDArray[np.bool_]
_Number = TypeVar("_Number", np.uint8, np.uint16)

MOST_VIEWERS = 65_534  # of one team: a cell counts in 16 bits, and a moving viewer counts twice
MOST_CIRCLES = 256  # the most circles that are cached


class Viewer:
    """Sees for a team, from a unit or a place. Made by `Fog.add` and `Fog.follow`.

    Its attributes are read-only; `Fog` changes them.
    """

    __slots__ = ("_item", "_number", "_over_walls", "_position", "_reach", "_team")

    _item: Any | None
    _position: tuple[float, float] | None
    _team: int
    _reach: tuple[float | None, float | None]  # in world units or in cells
    _over_walls: bool
    _number: int

    def __init__(self) -> None:
        raise TypeError("viewers are made by Fog.add and Fog.follow")

    @property
    def item(self) -> Any | None:
        """The unit that the viewer follows, or None."""
        return self._item

    @property
    def position(self) -> tuple[float, float] | None:
        """The place (x, y), or None if the viewer follows a unit."""
        return self._position

    @property
    def team(self) -> int:
        """The team that it sees for."""
        return self._team

    @property
    def radius(self) -> float | None:
        """How far it sees, in world units; None if that is given in cells."""
        return self._reach[0]

    @property
    def radius_in_cells(self) -> float | None:
        """How far it sees, in cells; None if that is given in world units."""
        return self._reach[1]

    @property
    def over_walls(self) -> bool:
        """Whether it sees over closed cells."""
        return self._over_walls

    def __repr__(self) -> str:
        where = self._position if self._item is None else self._item
        radius, in_cells = self._reach
        far = f"{in_cells:g} cells" if radius is None else f"{radius:g}"
        return f"<Viewer {self._number} at {where!r}: team {self._team}, sees {far}>"


class TeamSight:
    """What a team sees, for `sight=` of `Targeting` and `RangeEvents`. `Fog.sight` makes it.

    Attributes:
        team: The team.
    """

    __slots__ = ("_fog", "team")
    _fog: Fog
    team: int

    def __repr__(self) -> str:
        return f"<TeamSight of team {self.team}, {self._fog!r}>"

    def clear(self, x0: float, y0: float, x1: float, y1: float, /) -> bool:
        """Return whether the team sees (x1, y1), wherever (x0, y0) is."""
        return self._fog.state_at(x1, y1, self.team) == VISIBLE

    def clear_many(self, xy0: ArrayLike, xy1: ArrayLike, /) -> Bools:
        """Return whether the team sees each of the points `xy1`, (n, 2), wherever `xy0` are."""
        found: Bools = self._fog.state_at_many(xy1, self.team) == VISIBLE
        return found


class Fog:
    """What each team sees now and what it has seen, cell by cell.

    A viewer sees the cells whose center is within its radius, measured from the center of its own
    cell, so a step within a cell costs nothing. The closed cells of the grid are walls: they can be
    seen, and hide everything behind them. At equal radii sight is mutual between open cells. A line
    of sight may pass between two walls that touch at a corner. A viewer outside the grid sees
    nothing.

    Each cell counts the viewers of each team that see it. A viewer that sees over walls costs only
    the cells that its circle gains and loses.

    The fog follows the changes of its grid at once, and the units of its tree with `update`. It
    pickles and copies together with them.

    Cost: three bytes for each cell and team, and four for each cell that a viewer sees past walls.
    A viewer with a radius of 8 cells takes half a microsecond for a step, and four with walls.

    Args:
        grid: The cells, and what blocks the view. Use a separate grid if different cells block
            views and steps: water only stops steps.
        teams: The number of teams, which are numbered from 0.
        units: The tree that viewers may follow.

    Attributes:
        grid: The cells.
        units: The tree.
        revision: Counts the changes; a picture of the fog is outdated once this has grown.

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
            raise ValueError(f"teams must be at least 1, got {teams!r}")
        self._ground = ground_of(grid)
        self.grid = grid
        self.units = units
        self.revision = 0
        # Line by line: with staggered columns, the columns are the lines.
        self._states = np.zeros((count, len(grid)), np.uint8)
        self._counts = np.zeros((count, len(grid)), np.uint16)
        for states in self._states:
            self._picture(states)[grid.blocked] = OPAQUE
        self._viewers: dict[Viewer, None] = {}
        self._members = [0] * count  # the number of viewers of each team
        self._free: list[int] = []  # free numbers, left by removed viewers
        self._by_number: list[Viewer | None] = []
        self._slots = np.empty(0, np.int32)  # by number: the slot of the unit, or -1
        self._serials = np.empty(0, np.int64)
        self._begin()
        self._ground.observe(self)

    def _begin(self) -> None:
        """Create the state that is not pickled."""
        states, counts = self._states.reshape(-1).data, self._counts.reshape(-1).data
        self._core = ViewCounts(lattice_of(self._ground.shape), states, counts)
        self._circles: dict[tuple[float, bool], Circle] = {}

    def __repr__(self) -> str:
        teams = self.teams
        return f"<Fog of {teams} team{'s' * (teams != 1)}, {len(self):,} viewers, {self.grid!r}>"

    def __len__(self) -> int:
        """The number of viewers."""
        return len(self._viewers)

    def __iter__(self) -> Iterator[Viewer]:
        """The viewers, in the order they were added."""
        return iter(self._viewers)

    def __contains__(self, viewer: object) -> bool:
        return isinstance(viewer, Viewer) and viewer in self._viewers

    @property
    def teams(self) -> int:
        """The number of teams."""
        return len(self._members)

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
            radius_in_cells: How far it sees in cells, instead of `radius`: steps on hexagons;
                elsewhere the radius of a circle in sides of a cell, even if cells are not square.
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
            spot = self._spot(x, y)
        except TypeError:
            wrong = f"x and y must be numbers, got {x!r}, {y!r}; Fog.follow takes a unit"
            raise TypeError(wrong) from None
        place = float(x), float(y)
        return self._added(None, place, spot, radius, team, radius_in_cells, over_walls)

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
        if self.units is None:
            raise ValueError("units must be given to Fog, to follow one of them")
        slot = self.units.slot(item)
        life = slot, int(self.units.serial_many([slot])[0])
        x, y = self.units.position_many([slot])[0].tolist()
        viewer = self._added(
            item, None, self._spot(x, y), radius, team, radius_in_cells, over_walls
        )
        self._slots[viewer._number], self._serials[viewer._number] = life
        return viewer

    def remove(self, viewer: Viewer) -> None:
        """Remove a viewer. Cells that only it saw are merely explored from now on.

        Raises:
            KeyError: The viewer is not in this fog or has ended.
        """
        del self._viewers[viewer]
        number = viewer._number
        self._core.end_viewer(number)
        self.revision += 1
        self._members[viewer._team] -= 1
        self._by_number[number] = None
        self._slots[number] = self._serials[number] = -1
        self._free.append(number)

    def move(self, viewer: Viewer, x: float, y: float) -> None:
        """Move a viewer that stands at a place.

        Raises:
            KeyError: The viewer is not in this fog or has ended.
            ValueError: It follows a unit, or a number is not finite.
        """
        number = self._number(viewer)
        if viewer._position is None:
            raise ValueError(f"viewer must stand at a place, but it follows {viewer._item!r}")
        spot = self._spot(x, y)
        place = float(x), float(y)
        self._core.move_viewer(number, spot)
        self.revision += 1
        viewer._position = place

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
        number = self._number(viewer)
        reach = _checked_reach(radius, radius_in_cells)
        shape = self._circle(reach)
        spot = self._core.spot_of(number)
        self._core.set_viewer(number, viewer._team, spot, shape, not viewer._over_walls)
        self.revision += 1
        viewer._reach = reach

    def set_team(self, viewer: Viewer, team: int) -> None:
        """Let a viewer see for another team.

        Raises:
            KeyError: The viewer is not in this fog or has ended.
            ValueError: There is no such team, or it has 65,534 viewers.
            TypeError: `team` is not a whole number.
        """
        number = self._number(viewer)
        team = self._checked_team(team)
        if team == viewer._team:
            return
        self._check_room(team)
        shape = self._circle(viewer._reach)
        spot = self._core.spot_of(number)
        self._core.set_viewer(number, team, spot, shape, not viewer._over_walls)
        self.revision += 1
        self._members[viewer._team] -= 1
        self._members[team] += 1
        viewer._team = team

    def update(self) -> None:
        """Let viewers follow their units; those whose units were removed end.

        Cost: a tenth of a microsecond for each viewer that follows a unit, plus the step of each
        viewer that has entered another cell.
        """
        numbers = np.flatnonzero(self._slots >= 0).astype(np.int32)
        if not len(numbers) or self.units is None:
            return
        slots = self._slots[numbers]
        alive = self.units.serial_many(slots) == self._serials[numbers]
        for number in numbers[~alive].tolist():
            viewer = self._by_number[number]
            if viewer is not None:
                self.remove(viewer)
        numbers = np.ascontiguousarray(numbers[alive])
        spots = self._spots(self._ground.cells_at(self.units.position_many(slots[alive]), -1))
        if len(numbers):
            self.revision += int(self._core.move_all(numbers.data, spots.data) > 0)

    # -- what a team knows -------------------------------------------------------------------------

    def states(self, team: int = 0) -> NDArray[np.uint8]:
        """What a team knows of each cell: `HIDDEN` (0), `EXPLORED` (1) or `VISIBLE` (2).

        Returns:
            A new array, uint8, (rows, columns), in the order of the grid's rows.

        Raises:
            ValueError: There is no such team.
            TypeError: `team` is not a whole number.
        """
        states = self._states[self._checked_team(team)] & np.uint8(STATE)
        return np.ascontiguousarray(self._picture(states))

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
        return self._picture(self._counts[self._checked_team(team)]).copy()

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
        states = self._picture(self._states[self._checked_team(team)])
        known = np.asarray(explored)
        if known.dtype != bool:
            raise TypeError(f"explored must be booleans, got {known.dtype}")
        if known.shape not in ((), states.shape):
            raise ValueError(f"explored must have the shape {states.shape}, got {known.shape}")
        unseen = states & STATE != VISIBLE
        states &= np.where(unseen, np.uint8(~STATE & 0xFF), np.uint8(0xFF))
        states |= (unseen & known).view(np.uint8)
        self.revision += 1

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
        states = self._states[self._checked_team(team)]
        spot = self._spot(x, y)
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
        states = self._states[self._checked_team(team)]
        spots = self._spots(self._ground.cells_at(checked_points(xy, "xy"), -1))
        return np.where(spots < 0, np.uint8(HIDDEN), states[spots] & np.uint8(STATE))

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
        states = np.ascontiguousarray(self._picture(self._states[self._checked_team(team)]))
        masks = one_mask(groups, "groups"), one_mask(without, "without")
        units = self.units
        if units is None:
            raise ValueError("units must be given to Fog before asking which units are seen")
        found: Bools = units._ask(
            lambda: seen_units(store_of(units), self._ground, states.reshape(-1).data, *masks)
        )
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
        found._fog, found.team = self, self._checked_team(team)
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
        shape = self._circle(_checked_reach(radius, radius_in_cells))
        spot = self._spot(x, y)
        found = np.empty(shape.size, np.int32)
        if spot < 0:
            return found[:0]
        seen = found[: self._core.field_of_view(spot, shape, not over_walls, found.data)]
        if self._ground.shape.kind == 2:
            lines, places = np.divmod(seen, np.int32(self._ground.shape.rows))
            seen = np.sort(places * np.int32(self._ground.shape.columns) + lines)
        return seen

    # -- following and keeping ---------------------------------------------------------------------

    def _cells_changed(self, cells: Ints) -> None:
        """Follow a change of the grid, which calls this."""
        closed = self._ground.cell_codes().reshape(-1)[cells] == 0
        spots = np.ascontiguousarray(self._spots(cells))
        self._core.set_opaque(spots.data, closed.view(np.uint8).data)
        self.revision += 1

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        core = state.pop("_core")
        del state["_circles"]
        state["_rows"] = [
            (
                viewer._number,
                viewer._team,
                viewer._reach,
                viewer._over_walls,
                core.spot_of(viewer._number),
            )
            for viewer in self._viewers
        ]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        rows = state.pop("_rows")
        self.__dict__.update(state)
        self._begin()
        # Do not ask the grid, the tree or the viewers anything: they may not be restored yet.
        for number, team, reach, over_walls, spot in rows:
            shape = self._circle(reach)
            self._core.place_viewer(number, team, spot, shape, not over_walls)

    # -- helpers -----------------------------------------------------------------------------------

    def _circle(self, reach: tuple[float | None, float | None]) -> Circle:
        """Return the cells within a radius, usually shared by all viewers with that radius."""
        radius, cells = reach
        key = (radius or 0.0, False) if cells is None else (cells, True)
        found = self._circles.get(key)
        if found is None:
            found = circle(self._ground.shape, *key)
            if len(self._circles) == MOST_CIRCLES:
                self._circles.clear()
            self._circles[key] = found
        return found

    def _number(self, viewer: Viewer) -> int:
        if viewer not in self._viewers:
            raise KeyError(viewer)
        return viewer._number

    def _checked_team(self, team: int) -> int:
        number = whole(team, "team")
        if not 0 <= number < self.teams:
            raise ValueError(f"team must be from 0 to {self.teams - 1}, got {team!r}")
        return number

    def _check_room(self, team: int) -> None:
        if self._members[team] >= MOST_VIEWERS:
            raise ValueError(f"team {team} must have at most {MOST_VIEWERS:,} viewers")

    def _spot(self, x: float, y: float) -> int:
        """Return the line-by-line index of the cell at a point; -1 outside."""
        check_point(x, y)
        cell: int = self._ground.cell_at(x, y)
        if self._ground.shape.kind == 2 and cell >= 0:
            row, column = divmod(cell, self._ground.shape.columns)
            return column * self._ground.shape.rows + row
        return cell

    def _spots(self, cells: Ints) -> Ints:
        """Return the line-by-line indices of cells; -1 stays -1."""
        if self._ground.shape.kind == 2:
            rows, columns = np.divmod(cells, np.int32(self._ground.shape.columns))
            return np.where(cells < 0, cells, columns * np.int32(self._ground.shape.rows) + rows)
        return cells

    def _picture(self, values: NDArray[_Number]) -> NDArray[_Number]:
        """Return values by cell as a view of shape (rows, columns)."""
        rows, columns = self._ground.shape.rows, self._ground.shape.columns
        if self._ground.shape.kind == 2:
            return values.reshape(columns, rows).T
        return values.reshape(rows, columns)

    def _added(
        self,
        item: Any | None,
        place: tuple[float, float] | None,
        spot: int,
        radius: float | None,
        team: int,
        in_cells: float | None,
        over_walls: bool,
    ) -> Viewer:
        """Check and add a viewer in a cell, which follows a unit unless `item` is None."""
        viewer = object.__new__(Viewer)
        viewer._item, viewer._position = item, place
        viewer._reach = _checked_reach(radius, in_cells)
        viewer._team = team = self._checked_team(team)
        viewer._over_walls = bool(over_walls)
        self._check_room(team)
        shape = self._circle(viewer._reach)
        viewer._number = number = self._free[-1] if self._free else len(self._by_number)
        if number >= len(self._slots):
            more = number + 8
            self._slots = np.append(self._slots, np.full(more, -1, np.int32))
            self._serials = np.append(self._serials, np.full(more, -1, np.int64))
        self._core.set_viewer(number, team, spot, shape, not viewer._over_walls)
        self.revision += 1
        if self._free:
            self._free.pop()
            self._by_number[number] = viewer
        else:
            self._by_number.append(viewer)
        self._viewers[viewer] = None
        self._members[team] += 1
        return viewer


def _checked_reach(radius: Any, in_cells: Any) -> tuple[float | None, float | None]:
    """How far a viewer sees, in world units or in cells."""
    if (radius is None) == (in_cells is None):
        raise TypeError(
            f"either radius or radius_in_cells must be given, got {radius!r} and {in_cells!r}"
        )
    if in_cells is None:
        return _checked_distance(radius, "radius"), None
    return None, _checked_distance(in_cells, "radius_in_cells")


def _checked_distance(value: float, name: str) -> float:
    number = float(value)
    if not 0.0 <= number <= MAX_DISTANCE:
        raise ValueError(f"{name} must be from 0 to {MAX_DISTANCE:g}, got {value!r}")
    return number

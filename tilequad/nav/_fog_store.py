"""The store of a fog: what each team knows, cell by cell, and the viewers that it comes from."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import Bools, Floats, Ints
from tilequad._core.checks import whole
from tilequad._core.shown import shown
from tilequad._core.turns import Turns
from tilequad._core.ways.layout import EXPLORED, OPAQUE, STATE
from tilequad._core.ways.view_counts import Circle, ViewCounts
from tilequad.nav._circles import circle, picture, spots_of, view_grid_of
from tilequad.nav._viewers import Reach, Viewer, Viewers
from tilequad.nav.grid import Grid, ground_of
from tilequad.quadtree import DynamicQuadtree

__all__ = ["FogStore"]

#: The unit that a viewer follows, or None, and its slot and serial, or -1; or the viewer's place.
Anchor: TypeAlias = tuple[Any, tuple[float, float] | None, int, int]

MOST_CIRCLES = 256  # the most circles that are cached


class FogStore:
    """What each team knows of the cells of a grid. It follows the changes of the grid.

    Cells are numbered line by line here: with staggered columns, the columns are the lines. Such a
    number is a spot, -1 outside.

    Args:
        grid: The cells.
        teams: The number of teams.

    Attributes:
        revision: Counts the changes.
        seen: How many cells of the grid had changed when all was right; -1 in the middle of a
            change. Whoever comes next after an interrupt then counts again.
        states: By team and spot, what the team knows, and whether the cell is opaque.
        counts: By team and spot, how many viewers see it.
    """

    def __init__(self, grid: Grid, teams: int) -> None:
        self.grid, self.ground = grid, ground_of(grid)
        self.revision = 0
        grid._follow()
        self.seen = self.ground.changed
        self.states = np.zeros((teams, len(grid)), np.uint8)
        self.counts = np.zeros((teams, len(grid)), np.uint16)
        for states in self.states:
            picture(self.ground, states)[grid.opaque] = OPAQUE
        self.viewers = Viewers(teams)
        self._begin()
        self.ground.observe(self)

    def _begin(self) -> None:
        """Create the state that is not pickled."""
        self.core = self._new_core()
        self.circles: dict[tuple[float, bool], Circle] = {}
        self.turns = Turns("use a fog while it changes")

    def _new_core(self) -> ViewCounts:
        """A kernel without viewers, on the same arrays."""
        states, counts = self.states.reshape(-1).data, self.counts.reshape(-1).data
        return ViewCounts(view_grid_of(self.ground.shape), states, counts)

    # -- questions ---------------------------------------------------------------------------------

    def circle(self, reach: Reach) -> Circle:
        """Return the cells within a radius, usually shared by all viewers with that radius."""
        radius, cells = reach
        key = (radius or 0.0, False) if cells is None else (cells, True)
        found = self.circles.get(key)
        if found is None:
            found = circle(self.ground.shape, *key)
            if len(self.circles) == MOST_CIRCLES:
                self.circles.clear()
            self.circles[key] = found
        return found

    def states_of(self, team: int) -> NDArray[np.uint8]:
        """The states of a team, spot by spot."""
        number = self.checked_team(team)
        self.ready()
        states: NDArray[np.uint8] = self.states[number]
        return states

    def checked_team(self, team: int) -> int:
        """Return the number of a team; raise an error if there is none."""
        number = whole(team, "team")
        if not 0 <= number < len(self.states):
            raise ValueError(f"team must be from 0 to {len(self.states) - 1}, got {shown(team)}")
        return number

    def spots_at(self, points: Floats) -> Ints:
        """Return the spots of the cells at many points; -1 outside."""
        return spots_of(self.ground, self.ground.cells_at(points, -1))

    # -- changes of viewers ------------------------------------------------------------------------

    def add(self, anchor: Anchor, spot: int, team: int, reach: Reach, over_walls: bool) -> Viewer:
        """Add a viewer in a cell."""
        item, place, slot, serial = anchor
        team = self.checked_team(team)
        shape = self.circle(reach)
        with self.turn():
            viewer, number = self.viewers.made(item, place, team, reach, bool(over_walls))
            seen = self._begin_change()
            self.core.set_viewer(number, team, spot, shape, not over_walls)
            self.viewers.keep(viewer, slot, serial)
            self.seen = seen
        return viewer

    def remove(self, viewer: Viewer) -> None:
        """Remove a viewer."""
        with self.turn():
            self._end([self.viewers.number(viewer)])

    def move(self, viewer: Viewer, x: float, y: float) -> None:
        """Move a viewer that stands at a place."""
        spot = self.ground.spot_at(x, y)
        position = float(x), float(y)
        with self.turn():
            number = self.viewers.standing(viewer)
            seen = self._begin_change()
            self.viewers.move(viewer, position)
            self.core.move_viewer(number, spot)
            self.seen = seen

    def follow(self, units: DynamicQuadtree[Any]) -> None:
        """Move the viewers that follow units; end those whose units are gone."""
        with self.turn():
            numbers, slots, serials = self.viewers.followers()
            if len(numbers):
                self._move(numbers, slots, units.serial_many(slots) == serials, units)

    def change(self, viewer: Viewer, team: int | None, reach: Reach | None) -> None:
        """Change for whom a viewer sees, and how far; None for as it is."""
        with self.turn():
            self._change(viewer, team, reach)

    def turn(self) -> Turns:
        """Return what to enter for a change of viewers; that follows the grid by `_follow`."""
        if self.ground.is_behind(self.seen):
            self.grid._follow()
        return self.turns

    def _move(self, numbers: Ints, slots: Ints, alive: Bools, units: DynamicQuadtree[Any]) -> None:
        """Move viewers to units that are alive, and remove the others, in a turn."""
        spots = self.spots_at(units.position_many(slots[alive]))
        if not alive.all():
            self._end(numbers[~alive].tolist())
        self._follow()
        seen, self.seen = self.seen, -1
        moved = self.core.move_all(numbers[alive].data, spots.data)
        self.revision += moved > 0
        self.seen = seen

    def _change(self, viewer: Viewer, team: int | None, reach: Reach | None) -> None:
        """Change for whom a viewer sees, and how far, in a turn."""
        number = self.viewers.number(viewer)
        if team is not None:
            self.viewers.check_room(team)
        shape = self.circle(reach or self.viewers.reach(viewer))
        seen = self._begin_change()
        spot = self.core.spot_of(number)
        self.viewers.change(viewer, team, reach)
        self.core.set_viewer(number, viewer.team, spot, shape, not viewer.over_walls)
        self.seen = seen

    def _end(self, numbers: list[int]) -> None:
        """Remove viewers, in a turn."""
        seen = self._begin_change()
        self.viewers.drop(numbers)
        for number in numbers:
            self.core.end_viewer(number)
        self.seen = seen

    def _begin_change(self) -> int:
        """Begin a change of viewers, in a turn; return what `seen` is again once it is done."""
        if self.seen != self.ground.changed:
            self._follow()
        seen, self.seen = self.seen, -1
        self.revision += 1
        return seen

    # -- changes of the grid -----------------------------------------------------------------------

    def _cells_changed(self, cells: Ints) -> None:
        """Follow a change of the grid, which calls this."""
        if not self.turns.is_mine:  # whoever asks next follows it then
            self.ready()

    def ready(self) -> None:
        """Follow the grid, and mend what an interrupt has cut."""
        if self.ground.is_behind(self.seen):
            with self.turn():  # several threads may ask
                self._follow()

    def _follow(self) -> None:
        """Apply the changes of the grid."""
        now = self.ground.changed
        if self.seen == now:  # another thread was faster
            return
        cells = self.ground.changed_since(self.seen, looks=True)
        self.revision += 1
        self.seen = -1
        if cells is None:
            self._count_again()
        else:
            opaque = self.ground.opacity_of(cells.data)
            self.core.set_opaque(spots_of(self.ground, cells).data, opaque.data)
        self.seen = now

    def _count_again(self) -> None:
        """Count what all viewers see. What was visible and is not any more has been explored."""
        rows = [(*row, self.core.spot_of(row[1])) for row in self.viewers.restored()]
        core = self._new_core()
        self.counts.fill(0)
        np.minimum(self.states & np.uint8(STATE), np.uint8(EXPLORED), out=self.states)
        opaque = self.ground.cell_opacity()
        for states in self.states:
            picture(self.ground, states)[opaque] |= OPAQUE
        for viewer, number, spot in rows:
            if viewer.position is not None:
                spot = self.ground.spot_at(*viewer.position)
            shape = self.circle(self.viewers.reach(viewer))
            core.set_viewer(number, viewer.team, spot, shape, not viewer.over_walls)
        self.core = core

    # -- keeping -----------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        with self.turn():
            self._follow()
            state = self.__dict__.copy()
            core = state.pop("core")
            del state["circles"], state["turns"]
            state["rows"] = [(*row, core.spot_of(row[0])) for row in self.viewers.rows()]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        rows = state.pop("rows")
        self.__dict__.update(state)
        self._begin()
        # Do not ask the grid, the tree or the viewers anything: they may not be restored yet.
        for number, team, reach, over_walls, spot in rows:
            shape = self.circle(reach)
            self.core.place_viewer(number, team, spot, shape, not over_walls)

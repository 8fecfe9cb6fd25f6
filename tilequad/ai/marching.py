"""Marching: orders for many units at once, "these forty go there"."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tilequad._core.array_kinds import Floats, Ints
from tilequad._core.arrays import checked_points, own_array
from tilequad._core.checks import checked_at_least, checked_point, masks_of, slot_of
from tilequad._core.shown import shown
from tilequad._core.tree.rows import MARCHES, RowReader
from tilequad._core.turns import Turns
from tilequad.ai._checks import unit_slots
from tilequad.ai._march_saving import checksum_of, read_march, rows_of_march
from tilequad.ai._muster import attached, errands, mustered
from tilequad.ai._orders import NO_ROWS, RESTING, WAYFARERS, Leader, Order, Rows, Wish, chases_of
from tilequad.ai._places import are_led, open_near, radii_of
from tilequad.ai._steps import Steps
from tilequad.ai._ways import Progress, Ways
from tilequad.ai.crowds import separate
from tilequad.ai.formations import Formation
from tilequad.nav import Grid
from tilequad.nav.grid import ground_of
from tilequad.nav.saved_cells import Cells
from tilequad.quadtree.dynamic import DynamicQuadtree, check_tree

__all__ = ["March", "Marched"]


class Marched(NamedTuple):
    """Who has come to an end in a step, as slots, ascending, (n,) int32.

    Attributes:
        arrived: Who has arrived at its own place.
        stuck: Who cannot arrive: no way leads there, or there is no room.
    """

    arrived: Ints
    stuck: Ints


class _State(NamedTuple):
    """All that a march remembers."""

    orders: tuple[Order | None, ...]
    guided: tuple[int, ...]  # orders whose units do not just go to a goal, each at its pace
    rows: Rows
    tick: int
    revision: int  # of the grid
    progress: Progress  # how far the fields are made

    def chases(self) -> list[int]:
        """The numbers of the orders to chase a unit."""
        return chases_of(self.orders, self.guided)

    def given(self, orders: Sequence[Order | None], rows: Rows) -> _State:
        """The state with other orders and rows, without orders that nobody has any more."""
        if len(rows.slots) == len(self.rows.slots) and self.orders == tuple(orders):
            return self._replace(rows=rows)
        used = np.bincount(rows.orders, minlength=len(orders)).tolist()
        kept = [order if count else None for order, count in zip(orders, used, strict=True)]
        while kept and kept[-1] is None:
            kept.pop()
        guided = (n for n, order in enumerate(kept) if order is not None and order.is_guided)
        return self._replace(orders=tuple(kept), guided=tuple(guided), rows=rows)


class March:
    """Orders for units: where to go, in which formation, each to a free place of its own.

    Many with one goal share a `Field`, few have a path each. All keep apart, as `separate` has it.
    The last steps lead each unit to its own place around the goal, where nobody else stands, and
    there it rests. Where units have no way they stand, until the grid changes. The ways are as wide
    as the units: those wider than a cell walk where they fit.

    Groups that meet keep to the right and form lanes. Where there is no room to pass, as in a
    corridor of one cell, they slip past each other: the crowd does not push two that have stood
    before one another for some steps. Nor does a unit without orders push whom it holds up, unless
    it stands on that one's place.

    An order ends with the life of its unit. A game may move and push units as before: those on
    their way go on from where they are, and those that have arrived go back to their places.

    The state can be pickled and copied together with the tree and the grid.

    Cost: a step takes 0.3 ms, and 0.6 us for each unit, more than half of it for the crowd; and 20
    us for each order to chase or patrol and 40 for one to follow, however few units have it. An
    order takes half a millisecond, and 5 us for each unit, up to 10 in formation, because all find
    their places at once. A group of more than 500 takes 1 to 3 us for each: it is cut into parts,
    and in each step the units of one of them change places until their ways are short and do not
    cross, which takes a millisecond, and up to three in formation. New fields are made in the steps
    that follow, up to 30,000 cells in each, two or three milliseconds, one field after the other:
    those first for which units wait. So 20 orders to far corners of 1024 x 1024 cells take 600
    steps, and the last group stands for about half of them. When the grid changes, the next step
    repairs all fields in use. A building costs little; a gate that opens shorter ways for all costs
    each field 5 ms on 256 x 256 cells, and 40 on 1024 x 1024.

    Args:
        units: The tree.
        grid: Where to walk. Doors and buildings that change it are heeded from the next step on.
        groups: A mask: units in these groups push those that march. None for all.
        without: A mask: units in any of these groups do not. None for none.

    Raises:
        TypeError: `units` is no tree, `grid` no grid, or a mask is not a whole number.
        ValueError: A mask is out of range.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import March
        >>> from tilequad.nav import Grid
        >>> grid = Grid([[True] * 20] * 10, cell_size=10)
        >>> units = DynamicQuadtree(grid.bounds)
        >>> slots = units.add_many("abcdef", [(10 * i, 50) for i in range(1, 7)], radius=4)
        >>> march = March(units, grid)
        >>> march.send(slots, (150, 50))
        >>> arrived = []
        >>> for tick in range(200):
        ...     arrived += units.items(march.step(2).arrived)
        >>> sorted(arrived), len(march.going)
        (['a', 'b', 'c', 'd', 'e', 'f'], 0)
    """

    def __init__(
        self,
        units: DynamicQuadtree[Any],
        grid: Grid,
        groups: int | None = None,
        *,
        without: int | None = None,
    ) -> None:
        check_tree(units)
        if not isinstance(grid, Grid):
            raise TypeError(f"grid must be a Grid, got {shown(grid)}")
        masks_of(groups, without)
        self._units = units
        self._grid = grid
        self._groups = groups
        self._without = without
        self._turns = Turns("give orders while units march or get others")
        self._state = _State((), (), NO_ROWS, 0, grid.revision, {})
        self._known: Ways | None = None

    def __repr__(self) -> str:
        return f"<March of {len(self):,} of {self._units!r}>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": None}

    @property
    def _ways(self) -> Ways:
        """The ways, made when first asked for: a grid may be restored later than its marches."""
        if self._known is None:
            self._known = Ways(self._grid)
        return self._known

    @property
    def units(self) -> DynamicQuadtree[Any]:
        """The tree."""
        return self._units

    @property
    def grid(self) -> Grid:
        """Where to walk."""
        return self._grid

    # -- orders ------------------------------------------------------------------------------------

    def send(
        self,
        slots: ArrayLike,
        goal: Any,
        *,
        formation: Formation | ArrayLike | None = None,
        spacing: float | None = None,
        group_speed: bool | None = None,
    ) -> None:
        """Send units to a place. An order that one of them has ends.

        Args:
            slots: The slots of the units, (n,); a slot given twice counts once.
            goal: The point (x, y), in world units. In a closed cell, such as a tree, it is reached
                from the cells beside it; in the middle of a wall, the nearest open cell is meant.
            formation: How they stand in the end, and on their way if they go at one pace:
                "block", "line", "wedge", "column", "circle", or points of your own, see
                `formation_places`. None for as near to the goal as there is room.
            spacing: How far apart the places are, in world units. None for a tenth more than the
                width of the widest, and for twice that width in a formation.
            group_speed: Whether all go at the pace of the slowest. Then a formation keeps its ranks
                over open land, files through a gap, and forms again behind it. None for yes with a
                formation and no without.

        Raises:
            ValueError: A number is not the slot of a unit, the goal lies outside the grid or is not
                finite, or `spacing` is not above 0.
        """
        point = self._checked_goal(goal)
        self._give(slots, _wish(point, formation, spacing, group_speed))

    def send_many(self, slots: ArrayLike, goals: ArrayLike) -> None:
        """Send units, each to a goal of its own, as workers walk to their work.

        Each goes to the free place nearest to its goal, those before it in the list first.

        Cost: 30 us for each unit, and in the next steps a path for each, 16 in a step.

        Args:
            slots: The slots of the units, (n,), each once.
            goals: Where each goes, (n, 2), in world units; as for `send`.

        Raises:
            ValueError: A slot is given twice, or an argument is wrong as in `send`.
        """
        chosen = unit_slots(self._units, slots)
        points = checked_points(goals, len(chosen), "goals")
        if len(np.unique(chosen)) < len(chosen):
            raise ValueError(f"slots must be different, got {shown(slots)}")
        for point in points.tolist():
            self._checked_goal(point, "goals")
        with self._turns:
            state = self._without_rows(chosen)
            if len(chosen):
                orders = [*state.orders, *[None] * len(chosen)]  # enough; `given` drops the rest
                numbers = [n for n, order in enumerate(orders) if order is None][: len(chosen)]
                given = np.array(numbers, np.int32)
                new, rows = errands(
                    self._units, self._ways, state.chases(), state.rows, chosen, points, given
                )
                for number, order in zip(numbers, new, strict=True):
                    orders[number] = order
                state = state.given(orders, state.rows.joined(rows))
            self._state = state

    def patrol(
        self,
        slots: ArrayLike,
        points: ArrayLike,
        *,
        formation: Formation | ArrayLike | None = None,
        spacing: float | None = None,
        group_speed: bool | None = None,
    ) -> None:
        """Send units from point to point, and from the last to the first, until the next order.

        They go on when all have arrived that can, and each arrival is told. Who cannot is told to
        be stuck, and goes on with the others. All pass by a point that none can reach; if they can
        reach no other either, they stay until the grid changes.

        Args:
            slots: The slots of the units, (n,).
            points: Two points or more, (m, 2), in world units.
            formation: As for `send`.
            spacing: As for `send`.
            group_speed: As for `send`.

        Raises:
            ValueError: There are fewer than two points, or an argument is wrong as in `send`.
        """
        stops = checked_points(points, name="points").tolist()
        if len(stops) < 2:
            raise ValueError(f"points must be two or more, got {shown(points)}")
        route = tuple(self._checked_goal(point, "points") for point in stops)
        self._give(slots, _wish(route[0], formation, spacing, group_speed), points=route)

    def follow(
        self,
        slots: ArrayLike,
        leader: Hashable,
        *,
        formation: Formation | ArrayLike = "block",
        spacing: float | None = None,
    ) -> None:
        """Let units follow another one in a formation behind it, as long as it lives.

        Whoever does not see its post follows a field to the leader. They are told to have arrived
        whenever they stand at their posts behind a leader that stands; if it leaves the tree, all
        are stuck, and their order ends.

        Args:
            slots: The slots of the units, (n,).
            leader: A unit of the tree, none of these.
            formation: How they stand behind it, see `send`.
            spacing: As for `send`.

        Raises:
            KeyError: The leader is not in the tree.
            ValueError: The leader is one of the units, or an argument is wrong as in `send`.
        """
        place = slot_of(self._units, leader, "leader")
        self._give(slots, _wish((0.0, 0.0), formation, spacing, False), leader=place)

    def chase(self, slots: ArrayLike, target: Hashable) -> None:
        """Let units run after another one until they touch it, and whenever it gets away.

        They are told to have arrived when they touch it; if it leaves the tree, all are stuck, and
        their order ends. The target may belong to nobody's march.

        Cost: a new field is made whenever the target has moved by an eighth of the distance of the
        nearest of them, as for `send`. Those that it has not reached yet go on by the last one.

        Args:
            slots: The slots of the units, (n,).
            target: A unit of the tree, none of these.

        Raises:
            KeyError: The target is not in the tree.
            ValueError: The target is one of the units, or a number is not the slot of a unit.
        """
        place = slot_of(self._units, target, "target")
        self._give(slots, _wish((0.0, 0.0), None, None, False), leader=place)

    def stop(self, slots: ArrayLike) -> None:
        """End the orders of units; they stand where they are. Those without orders do not matter.

        Args:
            slots: The slots of the units, (n,).

        Raises:
            ValueError: A number is not the slot of a unit.
        """
        chosen = unit_slots(self._units, slots)
        with self._turns:
            self._state = self._without_rows(chosen)

    # -- questions ---------------------------------------------------------------------------------

    @property
    def going(self) -> Ints:
        """The slots of the units that are on their way, ascending, (n,) int32."""
        rows = self._living(self._state)
        return np.sort(rows.slots[np.isin(rows.modes, WAYFARERS)])

    def __len__(self) -> int:
        """The number of units with orders, also of those that have arrived."""
        return len(self._living(self._state).slots)

    def place_many(self, slots: ArrayLike) -> Floats:
        """Return the own places of units, where their orders lead them.

        Args:
            slots: The slots of the units, (n,).

        Returns:
            (n, 2), in world units; NaN for units without orders.

        Raises:
            ValueError: A number is not the slot of a unit.
        """
        wanted = unit_slots(self._units, slots)
        rows = self._living(self._state)
        found = np.full((len(wanted), 2), np.nan)
        if len(rows.slots):
            order = np.argsort(rows.slots)
            at = order[np.searchsorted(rows.slots[order], wanted).clip(0, len(order) - 1)]
            known = rows.slots[at] == wanted
            found[known] = rows.places[at[known]]
        return found

    # -- time --------------------------------------------------------------------------------------

    def step(self, speed: ArrayLike) -> Marched:
        """Move all units that have orders in the tree, and push them apart.

        Args:
            speed: How far a unit goes, in world units: one number for all, or an array of one for
                each slot of the tree, (m,).

        Returns:
            Who has arrived in this step, and who cannot arrive. Each is told once for an order, and
            at each point of a patrol; who was stuck and looks again, because a way may have opened
            or the target of a chase has moved, is told again.

        Raises:
            ValueError: A speed is negative or not finite, or there is none for a slot.
            RuntimeError: The tree is being asked or changed.
        """
        with self._turns:
            told = self._stepped(speed)
        return told  # noqa: RET504 - after the turn, see `tests/interrupts.py`

    # -- helpers -----------------------------------------------------------------------------------

    def _stepped(self, speed: ArrayLike) -> Marched:
        """Do what `step` does, in a turn."""
        state = self._state
        rows, left = self._split_leaderless(state)
        speeds = self._speeds(speed, rows.slots)
        units, changed = self._units, self._grid.revision != state.revision
        before = DynamicQuadtree.position_many(units, rows.slots)
        radii = radii_of(self._units, rows.slots)
        steps = Steps(
            self._ways, state.orders, state.guided, rows, before, speeds, state.tick, radii, units
        )
        if changed:
            steps.heed_changes()
        steps.work(state.progress, changed)
        steps.find_steps()
        try:
            DynamicQuadtree.move_many(units, rows.slots, steps.after)
            separate(
                units,
                self._groups,
                without=self._without,
                slots=rows.slots[steps.rows.stalled >= 0],
                walls=self._ways.walls,
                bounds=self._grid.bounds,
            )
            arrived, stuck = steps.settle(DynamicQuadtree.position_many(units, rows.slots))
            told = Marched(np.sort(arrived), np.sort(np.concatenate((left, stuck))))
            new = self._patrolled(state.given(steps.orders, steps.rows))._replace(
                tick=state.tick + 1, revision=self._grid.revision, progress=steps.progress
            )
            self._ways.keep(steps.progress)
            self._state = new
        except BaseException:
            DynamicQuadtree.move_many(units, rows.slots, before)
            raise
        return told

    def _checked_goal(self, goal: Any, name: str = "goal") -> tuple[float, float]:
        point = checked_point(goal, name)
        if self._grid.cell_at(*point) is None:
            raise ValueError(f"{name} must lie in the grid, got {point}")
        return point

    def _give(
        self,
        slots: ArrayLike,
        wish: Wish,
        *,
        leader: int | None = None,
        points: tuple[tuple[float, float], ...] = (),
    ) -> None:
        """Give units an order, in place of those that they have."""
        units, ways = self._units, self._ways
        chosen = np.unique(unit_slots(units, slots))
        if leader is not None and leader in chosen:
            raise ValueError(f"slots must not have the unit that they go after, got {leader}")
        with self._turns:
            state = self._without_rows(chosen)
            if len(chosen):
                number = state.orders.index(None) if None in state.orders else len(state.orders)
                if leader is None:
                    order, rows = mustered(
                        units, ways, state.chases(), state.rows, chosen, wish, number
                    )
                    order = order._replace(points=points)
                else:
                    [[x, y]] = DynamicQuadtree.position_many(units, [leader]).tolist()
                    [serial] = DynamicQuadtree.serial_many(units, [leader]).tolist()
                    [radius] = radii_of(units, np.array([leader], np.int32)).tolist()
                    wish = wish._replace(goal=(x, y))
                    after = Leader(leader, serial, radius)
                    order, rows = attached(units, ways, chosen, wish, after, number)
                orders = (*state.orders[:number], order, *state.orders[number + 1 :])
                state = state.given(orders, state.rows.joined(rows))
            self._state = state

    def _split_leaderless(self, state: _State) -> tuple[Rows, Ints]:
        """The rows of living units but those whose leaders are gone; and the slots of these."""
        rows, units = self._living(state), self._units
        lost = np.zeros(len(rows.slots), np.bool_)
        for number in state.guided:
            order = state.orders[number]
            if order is not None and order.leader is not None:
                leader = order.leader
                if DynamicQuadtree.serial_many(units, [leader.slot])[0] != leader.serial:
                    lost |= rows.orders == number
        return (rows.take(~lost) if lost.any() else rows), rows.slots[lost]

    def _patrolled(self, state: _State) -> _State:
        """The state after those who patrol and have arrived go to their next point."""
        for number in state.guided:
            order, rows = state.orders[number], state.rows
            if order is None or not order.points:
                continue
            own = rows.orders == number
            modes = rows.modes[own]
            if np.isin(modes, WAYFARERS).any():
                continue
            leg = (order.leg + 1) % len(order.points)
            if not (modes == RESTING).any():
                leg = self._leg_ahead(order, rows.take(own))
                if leg == order.leg:
                    continue
            wish = order.wish._replace(goal=order.points[leg])
            slots, rest = np.sort(rows.slots[own]), rows.take(~own)
            chases = state.chases()
            new, others = mustered(self._units, self._ways, chases, rest, slots, wish, number)
            orders = list(state.orders)
            orders[number] = new._replace(points=order.points, leg=leg)
            state = state.given(orders, rest.joined(others))
        return state

    def _leg_ahead(self, order: Order, rows: Rows) -> int:
        """The next point of a patrol to which a way leads some units; that they go to if to none.

        So those who are shut in look for ways no more until the grid changes.
        """
        count, ways = len(order.points), self._ways
        xy = DynamicQuadtree.position_many(self._units, rows.slots)
        for leg in ((order.leg + i) % count for i in range(1, count)):
            goal = open_near(ways, order.points[leg], int(rows.rooms.max()))
            for room in np.unique(rows.rooms).tolist():
                if are_led(ways, xy[rows.rooms == room], goal, room).any():
                    return leg
        return order.leg

    def _living(self, state: _State) -> Rows:
        """The rows of units that have not left the tree."""
        rows = state.rows
        alive = DynamicQuadtree.serial_many(self._units, rows.slots) == rows.serials
        return rows if alive.all() else rows.take(alive)

    def _without_rows(self, slots: Ints) -> _State:
        state = self._state
        rows = self._living(state)
        rows = rows.take(~np.isin(rows.slots, slots))
        return state.given(state.orders, rows)

    def _speeds(self, speed: ArrayLike, slots: Ints) -> Floats:
        given = own_array(speed, "speed")
        if given.ndim > 1:
            raise ValueError(f"speed must be one number or have shape (m,), got {given.shape}")
        if given.size and not (given.min() >= 0.0 and given.max() < inf):
            raise ValueError(f"speed must be finite and at least 0, got {shown(speed)}")
        if given.ndim == 0:
            return np.full(len(slots), float(given))
        if len(slots) and slots.max() >= len(given):
            raise ValueError(f"speed must have a row for each slot, but has none for {slots.max()}")
        return given[slots]

    # -- for `pack` and `unpack` ---

    _kind = MARCHES

    def _packed(self, slots: int) -> dict[str, memoryview]:
        state = self._state
        rows = self._living(state)
        state = state.given(state.orders, rows)
        behind = int(self._grid.revision != state.revision)
        numbers = state.tick, behind, checksum_of(ground_of(self._grid).cell_codes())
        return rows_of_march(state.orders, rows, state.progress, numbers)

    def _read(
        self, reader: RowReader, tree: DynamicQuadtree[Any], cells: Cells | None = None
    ) -> Callable[[], None]:
        grid = self._grid
        revision = grid.revision if cells is None else cells.revision
        codes = ground_of(grid).cell_codes() if cells is None else cells.codes
        checksum = checksum_of(codes)
        orders, rows, progress, tick, behind = read_march(reader, tree, grid, checksum)
        state = _State((), (), NO_ROWS, tick, -1 if behind else revision, progress)
        restored = {"_state": state.given(orders, rows), "_known": None}
        return partial(self.__dict__.update, restored)


def _wish(
    goal: tuple[float, float], formation: Any, spacing: float | None, group_speed: bool | None
) -> Wish:
    """What was asked for, checked; the formation itself is checked where places are made of it."""
    wide = None if spacing is None else checked_at_least(0.0, spacing, "spacing")
    if wide == 0.0:
        raise ValueError(f"spacing must be above 0, got {shown(spacing)}")
    if formation is not None and not isinstance(formation, str):
        formation = tuple(map(tuple, checked_points(formation, name="formation").tolist()))
    paced = formation is not None if group_speed is None else bool(group_speed)
    return Wish(goal, formation, wide, paced)

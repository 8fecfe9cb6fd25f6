"""One step of a march: where each unit goes, and what came of it."""

from __future__ import annotations

from functools import partial
from itertools import compress
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad._core.army.arrivals import Arrivals
from tilequad._core.army.free_places import FreePlaces
from tilequad._core.army.marchers import Marchers
from tilequad._core.array_kinds import Bools, Floats, Ints
from tilequad._core.arrays import lengths, squares
from tilequad.ai._orders import (
    GOING,
    HOMING,
    LOST,
    PATHING,
    RANKED,
    RESTING,
    Band,
    FormationPose,
    Order,
    Rows,
    chases_of,
    pace_share,
)
from tilequad.ai._places import (
    BEYOND,
    are_clear,
    are_led,
    assigned,
    free_of,
    open_near,
    places_around,
    places_taken,
    radii_of,
    reached,
    settle_part,
    taken_near,
)
from tilequad.ai._ways import (
    CELLS,
    NO_END,
    NOT_BEGUN,
    PARTS,
    WHOLE,
    Key,
    Progress,
    Ways,
    begun_anew,
)
from tilequad.nav import Field
from tilequad.nav.fields import walkers_of
from tilequad.quadtree import DynamicQuadtree

NEAR = 4.0  # cells around the places of an order, from where a unit looks for its own
CELLS_EACH = 40  # that are found in the time in which a unit of a large group finds its place
MOST_PATHS = 16  # that are found in a step
MOST_PLACES = 1  # that are looked for in a step
REVIEW = 64  # steps after which it is seen how far a unit has come ...
HELD = 0.1  # ... as a share of what it went: who has come less far hangs somewhere, unless ...
CROWD = 3  # ... more than so many, with itself, are so near, in greatest radii
CLOSE = 4.0
REACH = 1.6  # greatest radii before its middle: where a unit meets those in its way
BESIDE = 1.5  # as far to the edge of one who leaves no gap
SHARE = 0.125  # of the distance of the nearest: how far a goal may move before ways are found anew
TOUCH = 0.25  # of a radius: who is as near to its target has caught it
TURN = 0.1  # how fast ranks turn as their leader does, on the unit circle for each step


class Steps:
    """The rows of a march in one step.

    `guided` are the numbers of the orders that need more than a look at each unit.
    """

    def __init__(
        self,
        ways: Ways,
        orders: tuple[Order | None, ...],
        guided: tuple[int, ...],
        rows: Rows,
        before: Floats,
        speeds: Floats,
        tick: int,
        radii: Floats,
        units: DynamicQuadtree[Any],
    ) -> None:
        self.units = units
        self.ways = ways
        self.orders = list(orders)
        self.guided = guided
        self.chases = chases_of(orders, guided)
        self.rows = rows = rows.copied()
        self.bands = rows.bands()
        self.before = before
        self.speeds = speeds
        self.radii = radii
        self.progress: Progress = {}
        self.tick = tick
        for number in guided:
            order = orders[number]
            if order is not None and order.wish.paced:
                own = self.rows_of(number)
                speeds[own] = speeds[own].min(initial=np.inf)
        columns = rows.columns()
        self.marchers = Marchers(columns, before.data, speeds.data, radii.data, tick)
        self.after = np.asarray(self.marchers.after)
        self.posts = np.asarray(self.marchers.posts)
        self.stops = np.asarray(self.marchers.stops)  # how far from its place each stops
        self.still = np.asarray(self.marchers.still)  # whose leader stands

    def rows_of(self, number: int) -> slice:
        """The rows of an order."""
        first, end = np.searchsorted(self.rows.orders, (number, number + 1)).tolist()
        return slice(first, end)

    def has_any(self, which: Bools) -> list[bool]:
        """Which bands have some of the rows."""
        if not self.bands:
            return []
        firsts = [band.first for band in self.bands]
        found: list[bool] = np.logical_or.reduceat(which, firsts).tolist()
        return found

    def fields(self) -> dict[Key, bool]:
        """The fields that are needed, and whether units wait until they know more ways."""
        modes = self.rows.modes
        needed: dict[Key, bool] = {}
        going = self.has_any((modes == GOING) | (modes == RANKED))
        for band, some in zip(self.bands, going, strict=True):
            order = self.orders[band.number]
            assert order is not None
            if some or order.ranks is not None:
                key, waits = self.ways.key(order.goal, band.room), self.waits(band, order)
                needed[key] = needed.get(key, False) or waits
                if waits and order.former is not None:
                    former = self.ways.key(order.former, band.room)
                    if self.field(former) is not None:
                        needed.setdefault(former, False)
        return needed

    def waits(self, band: Band, order: Order) -> bool:
        """Whether some of a band, or its ranks, are where their field has found no way so far."""
        key, ranks = self.ways.key(order.goal, band.room), order.ranks
        done, _ = self.progress.get(key, NOT_BEGUN)
        if done in (0, NO_END):
            return done == 0
        field = self.ways.field(key)
        field.work(done)  # of a march that was saved and restored
        if ranks is not None and field.distance(ranks.x, ranks.y) == np.inf:
            return True
        return self.marchers.some_wait(band.first, band.end, walkers_of(field))

    def work(self, progress: Progress, changed: bool) -> None:
        """Go on with what takes more than a step: places of a large group, leaders, fields."""
        cells = CELLS - CELLS_EACH * settle_part(self.rows, self.orders, self.before)
        self.progress = begun_anew(progress) if changed else progress
        for number in self.guided:
            order, own = self.orders[number], self.rows_of(number)
            if order is not None and order.leader is not None and own.start < own.stop:
                self.orders[number] = self.go_after(order, np.arange(own.start, own.stop))
        self.progress = self.ways.worked(self.progress, self.fields(), cells)

    def go_after(self, order: Order, at: NDArray[np.intp]) -> Order:
        """Let an order go where its leader, which lives, is now; return the order as it is then.

        `at` are its rows, at least one.
        """
        rows, leader = self.rows, order.leader
        assert leader is not None
        x, y = self.units.position_many([leader.slot])[0].tolist()
        away = self.before[at] - (x, y)
        far = lengths(away)
        order = self.aimed(order, (x, y), at, float(far.min()))
        if order.ranks is None:
            self.stops[at] = self.radii[at] * (1.0 + TOUCH) + leader.radius
            rows.places[at] = x, y
            left = at[(rows.modes[at] == RESTING) & (far > self.stops[at] + self.radii[at])]
            rows.modes[left] = HOMING
            rows.told[left] = False
            return order
        ranks = order.ranks
        dx, dy = x - ranks.x, y - ranks.y
        moved = hypot(dx, dy)
        ranks = ranks._replace(x=x, y=y)
        if moved > 0.0:
            ranks = ranks.turned(dx / moved, dy / moved, TURN)
        posts = ranks.posts(rows.offsets[at])
        self.posts[at] = rows.places[at] = posts
        shift = posts - rows.aims[at]
        rows.aims[at] = posts
        moves = squares(shift) > 0.0
        self.still[at] = ~moves
        left = at[(rows.modes[at] == RESTING) & moves]
        rows.modes[left] = RANKED
        rows.told[left] = False
        return order._replace(ranks=ranks)

    def aimed(
        self, order: Order, place: tuple[float, float], at: NDArray[np.intp], nearest: float
    ) -> Order:
        """Set another goal if the leader has moved far enough, as the nearest that follows sees."""
        ways, rows = self.ways, self.rows
        if ways.grid.cell_at(*place) is None:
            return order
        shift = hypot(place[0] - order.goal[0], place[1] - order.goal[1])
        if shift <= max(ways.cell, SHARE * nearest):
            return order
        bands = [band for band in self.bands if band.number == rows.orders[at[0]]]
        keys = [ways.key(order.goal, band.room) for band in bands]
        has_begun = all(self.field(key) is not None for key in keys)
        if has_begun and any(self.waits(band, order) for band in bands):
            return order  # no field would reach those far away if each were given up for the next
        goal = open_near(ways, place, bands[-1].room)
        for key in keys:
            self.give_turn(key, ways.key(goal, key[1]))
        lost = at[rows.modes[at] == LOST]
        rows.modes[lost] = GOING
        rows.told[lost] = False
        return order._replace(goal=goal, former=order.goal if has_begun else order.former)

    def give_turn(self, key: Key, new: Key) -> None:
        """Let a new field be made when it would be another's turn that has not begun."""
        done, _ = self.progress.get(key, WHOLE)
        if done == 0 and new not in self.progress:
            self.progress = {
                new if one == key else one: how_far for one, how_far in self.progress.items()
            }

    def field(self, key: Key) -> Field | None:
        """A field, as far as it is made; None if it has not begun."""
        done, _ = self.progress.get(key, NOT_BEGUN)
        return self.ways.field(key) if done else None

    def is_whole(self, key: Key) -> bool:
        """Whether a field knows all ways."""
        return self.progress.get(key) == WHOLE

    def whole_field(self, goal: tuple[float, float], room: int) -> Field | None:
        """The field to a goal, if it knows all ways."""
        key = self.ways.key(goal, room)
        return self.ways.field(key) if self.is_whole(key) else None

    def heed_changes(self) -> None:
        """The grid has changed: who has a way now looks again, and closed places are given anew."""
        rows = self.rows
        clear = are_clear(self.ways, rows.places, self.radii)
        for number, room, first, end in self.bands:
            order = self.orders[number]
            assert order is not None
            lost = np.flatnonzero(rows.modes[first:end] == LOST) + first
            if len(lost):  # new costs, or a door elsewhere, make no way
                lost = lost[self.may_go(lost, order, room)]
            rows.modes[lost] = GOING
            if order.leader is None:
                places = rows.places[first:end]
                fits = self.ways.land(room).is_open_many(places) & clear[first:end]
                fits[lost - first] &= (rows.places[lost] != order.goal).any(
                    axis=1
                )  # or they have none
                bad = np.flatnonzero(~fits) + first
                if len(bad):
                    goal = open_near(self.ways, order.wish.goal, room)
                    self.orders[number] = order = order._replace(goal=goal)
                    self.place_anew(bad, order, room)
            rows.told[lost] &= rows.modes[lost] == LOST

    def may_go(self, at: NDArray[np.intp], order: Order, room: int) -> Bools:
        """Which rows of an order may find a way: all but those cut off from goal and place."""
        xy, places = self.before[at], self.rows.places[at]
        land, near = self.ways.land(room), self.ways.paths(room).connected_many(xy, places)
        led = near | are_led(self.ways, xy, order.goal, room)
        return led | ~(land.is_open_many(xy) & land.is_open_many(places))

    def place_anew(self, bad: NDArray[np.intp], order: Order, room: int) -> None:
        """Give units with the same order and room other places."""
        rows = self.rows
        taken = self.taken_around(order, bad)
        wide = float(self.radii[bad].max())
        free = places_taken(self.ways, order.goal, room, len(bad), order.spacing, wide, taken)
        at, parts = assigned(self.before[bad], free)
        given = at >= 0
        rows.places[bad] = order.goal
        rows.places[bad[given]] = free[at[given]]
        rows.parts[bad] = parts
        rows.modes[bad] = np.where(given, GOING, LOST)

    def taken_around(self, order: Order, at: NDArray[np.intp]) -> FreePlaces:
        """Where others than some rows stand or will stand around the goal of an order."""
        reach = 4.0 * order.extent + BEYOND * self.ways.cell
        rows, slots = self.rows, self.rows.slots[at]
        return taken_near(self.ways, self.units, self.chases, rows, slots, order.goal, reach)

    # -- before the crowd --------------------------------------------------------------------------

    def find_steps(self) -> None:
        """Find where each unit steps."""
        rows = self.rows
        for number in self.guided:
            order, own = self.orders[number], self.rows_of(number)
            if order is not None and order.leader is None and order.ranks is not None:
                on = np.flatnonzero(rows.modes[own] != LOST) + own.start
                self.orders[number] = self.advance_formation(on, order, order.ranks)
        rooms = sorted({band.room for band in self.bands})
        walking: dict[int, list[Band]] = {room: [] for room in rooms}
        for band in compress(self.bands, self.has_any(rows.modes == GOING)):
            walking[band.room].append(band)
        paths_left = MOST_PATHS
        for room, bands in walking.items():
            self.marchers.enter(*self.ways.land_of(room))
            for band in bands:
                self.follow(band)
            # All others walk by themselves, whatever their orders: together.
            asking = self.marchers.ask_paths(room, paths_left)
            paths_left -= len(asking)
            self.find_paths(asking, room)
            self.marchers.walk_straight(room)

    def follow(self, band: Band) -> None:
        """Let those who follow a field go on."""
        number, room, first, end = band
        order = self.orders[number]
        assert order is not None
        key = self.ways.key(order.goal, room)
        field, whole = self.field(key), self.is_whole(key)
        walkers = None if field is None else walkers_of(field)
        if order.ranks is None:
            near = 2.0 * order.extent + NEAR * self.ways.cell
            self.marchers.follow(first, end, walkers, whole, near, order.extent)
        else:
            ahead = -np.inf
            if order.leader is None and field is not None:
                ahead = field.distance(order.ranks.x, order.ranks.y) - order.spacing
            self.marchers.fall_in(first, end, walkers, whole, ahead)
        if not whole and order.former is not None:
            former = self.field(self.ways.key(order.former, room))
            if former is not None:
                self.marchers.follow_former(first, end, walkers, walkers_of(former))

    def find_paths(self, asking: Ints, room: int) -> None:
        """Give units paths of their own, or none where no way leads to their places."""
        if not len(asking):
            return
        rows = self.rows
        found = self.ways.paths(room).find_many(self.before[asking], rows.places[asking])
        for row, corners in zip(asking.tolist(), found, strict=True):
            if corners is None:
                rows.modes[row] = LOST
            else:
                first = (corners[0] == self.before[row]).all()
                rows.aims[row] = corners[min(int(first), len(corners) - 1)]

    def advance_formation(self, own: NDArray[np.intp], order: Order, ranks: FormationPose) -> Order:
        """Lead a formation on; at the goal, all go to their own places in it."""
        rows = self.rows
        if not len(own):
            return order
        key = self.ways.key(order.goal, int(rows.rooms[own].max()))
        field = self.field(key)
        if field is None or field.distance(ranks.x, ranks.y) == np.inf:
            if field is None or not self.is_whole(key):
                self.posts[own] = ranks.posts(rows.offsets[own])
                return order
            # It is cut off: those that can go on do.
            able = own[field.distance_many(self.before[own]) < np.inf]
            if not len(able):  # those that need less room may have a way: they try next
                rows.modes[own[rows.rooms[own] == key[1]]] = LOST
                return order
            x, y = self.before[able[0]].tolist()
            ranks = ranks._replace(x=x, y=y)
        lags = self.before[own] - ranks.posts(rows.offsets[own])
        share = pace_share(lengths(lags), order.spacing)
        pace = share * float(self.speeds[own].min())
        new = ranks.advanced(field, pace, max(order.extent, order.spacing))
        if pace > 0.0 and self.is_whole(key) and (new.x, new.y) == (ranks.x, ranks.y):
            order = order._replace(ranks=None)
            self.fall_out(own, order, new._replace(x=order.goal[0], y=order.goal[1]))
            return order
        self.posts[own] = new.posts(rows.offsets[own])
        return order._replace(ranks=new)

    def fall_out(self, own: NDArray[np.intp], order: Order, ranks: FormationPose) -> None:
        """Give each unit of a formation at its goal its own place there."""
        rows = self.rows
        rows.places[own] = places = ranks.posts(rows.offsets[own])
        rows.modes[own] = GOING
        taken = self.taken_around(order, own)
        rooms, whole = rows.rooms[own], partial(self.whole_field, order.goal)
        fits = free_of(self.ways, rooms, places, self.radii[own], taken)
        bad = own[~(fits & reached(self.ways, order.goal, rooms, places, whole))]
        for room in np.unique(rows.rooms[bad]).tolist():
            self.place_anew(bad[rows.rooms[bad] == room], order, room)

    # -- after the crowd ---------------------------------------------------------------------------

    def settle(self, now: Floats) -> tuple[Ints, Ints]:
        """Let those in each other's way make way, and those at their places rest.

        `now` is where the crowd has pushed them. Returns the slots of those who have arrived, and
        of those who are stuck.
        """
        arrivals = Arrivals(self.marchers, now.data)
        blocked, ahead, waiting = arrivals.compare()
        if len(blocked):
            self.make_way(arrivals, self.rows.slots[blocked], ahead)
        for row in waiting[:MOST_PLACES].tolist():
            self.give_up(row, now)
        self.review(now)
        return arrivals.settle()

    def make_way(self, arrivals: Arrivals, slots: Ints, ahead: Floats) -> None:
        """Let units that get nowhere make way for those whom they meet at a point before each."""
        widest = float(self.radii.max())
        ask = partial(DynamicQuadtree.nearest_many, self.units)
        met, _ = ask(ahead, max_distance=REACH * widest, exclude=slots)
        none = met < 0  # one at either side, or a large one, perhaps
        met[none], _ = ask(
            ahead[none], max_distance=BESIDE * widest, exclude=slots[none], to_edge=True
        )
        found = np.flatnonzero(met >= 0)
        there, wide = np.zeros((len(met), 2)), np.zeros(len(met))
        there[found] = DynamicQuadtree.position_many(self.units, met[found])
        wide[found] = radii_of(self.units, met[found])
        arrivals.make_way(met, there.data, wide.data)

    def give_up(self, row: int, now: Floats) -> None:
        """Let a unit that does not get through to its place take the free one nearest to it."""
        rows, order = self.rows, self.orders[self.rows.orders[row]]
        rows.stalled[row] = min(rows.stalled[row], 0)
        if order is None or order.leader is not None:
            return
        away = now[row] - order.goal
        if np.sqrt((away * away).sum()) > 1.5 * order.extent + NEAR * self.ways.cell:
            return  # it waits before a gate
        radius, slots = float(self.radii[row]), rows.slots[row : row + 1]
        reach = 2.0 * order.extent + BEYOND * self.ways.cell
        taken = taken_near(self.ways, self.units, self.chases, rows, slots, now[row], reach)
        at = now[row, 0].item(), now[row, 1].item()
        room, spacing = int(rows.rooms[row]), 2.0 * max(radius, self.ways.cell / PARTS)
        free = places_around(self.ways, at, room, 1, spacing, radius, taken)
        if len(free):
            rows.places[row] = free[0]
            rows.modes[row] = PATHING
            rows.aims[row] = now[row]

    def review(self, now: Floats) -> None:
        """See every so many steps how far each unit has come that follows a field.

        A field leads a point around a corner, but the crowd pushes a wide unit back from there, by
        as much as a short step. It may go to and fro for ever, while each step seems to lead on.
        """
        rows = self.rows
        due = (rows.modes == GOING) & ((rows.slots + self.tick) % REVIEW == 0)
        for row in np.flatnonzero(due).tolist():
            order = self.orders[rows.orders[row]]
            if order is None or order.ranks is not None:
                continue
            far = HELD * REVIEW * self.speeds[row]
            (x, y), (dx, dy) = now[row].tolist(), (now[row] - rows.aims[row]).tolist()
            rows.aims[row] = x, y
            if dx * dx + dy * dy < far * far and not self.is_in_crowd(x, y):
                rows.modes[row] = PATHING

    def is_in_crowd(self, x: float, y: float) -> bool:
        """Whether several others stand around a unit, so that it waits its turn, as at a gate."""
        reach = CLOSE * float(self.radii.max())
        return DynamicQuadtree.count_within(self.units, x, y, reach) > CROWD

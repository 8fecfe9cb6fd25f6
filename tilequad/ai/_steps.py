"""One step of a march: where each unit goes, and what came of it."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad.ai._leaders import go_after
from tilequad.ai._orders import GOING, HOMING, LOST, PATHING, RANKED, RESTING, Order, Rows, dots
from tilequad.ai._places import Taken, assigned, free_of, open_near, places_around, taken_near
from tilequad.ai._ranks import Ranks, pace_share
from tilequad.ai._ways import PARTS, WHOLE, Dues, Key, Ways
from tilequad.nav import Field
from tilequad.quadtree import DynamicQuadtree

__all__ = ["Steps"]

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

NEAR = 4.0  # cells around the places of an order, from where a unit looks for its own
LOOKS = 4  # a unit looks whether its way is clear in one of so many steps
RENEWAL = 16  # steps after which who chases finds its path again
MOST_PATHS = 16  # that are found in a step
MOST_PLACES = 2  # that are looked for in a step
GAIN = 0.3  # of a step: who gets on less is stalled
PATIENCE = 2  # steps for which a unit is stalled before it offers to change places
SURRENDER = 60  # and before it stays where it is, if that is near its place
CALM = 10  # steps for which who was pushed from its place lets others pass
GIVE = 0.05  # of a step: less is no push
BACK = 0.25  # of its speed: how fast a unit that has arrived returns if it was pushed away
ROUNDING = 1e-9
THERE = 0.25  # of a radius: who is as near to its place has arrived


class Steps:
    """The rows of a march in one step.

    Args:
        ways: The ways.
        orders: The orders.
        rows: The units that live.
        before: Where they are.
        speeds: How far each goes.
        tick: The number of the step.
        radii: The radius of each.
        units: The tree.
    """

    def __init__(
        self,
        ways: Ways,
        orders: tuple[Order | None, ...],
        rows: Rows,
        before: Floats,
        speeds: Floats,
        tick: int,
        radii: Floats,
        units: DynamicQuadtree[Any],
    ) -> None:
        self.units = units
        self.ways = ways
        self.orders = orders
        self.rows = rows.copied()
        self.before = before
        self.speeds = speeds
        self.tick = tick
        self.radii = radii
        self.after = before.copy()
        self.posts = before.copy()
        self.stops = np.zeros(len(before))  # how far from its place each stops
        self.still = np.zeros(len(before), np.bool_)  # whose leader stands
        self.dues: Dues = {}
        self.bands = rows.bands()
        self.paths_left = MOST_PATHS
        self.arrived = self.stuck = np.empty(0, np.int32)
        for number, order in enumerate(orders):
            if order is not None and order.wish.paced:
                own = rows.orders == number
                speeds[own] = speeds[own].min()

    def fields(self) -> set[Key]:
        """The fields that are needed."""
        needed = set()
        for number, room, band in self.bands:
            order, modes = self.orders[number], self.rows.modes[band]
            if order is not None and (order.ranks or ((modes == GOING) | (modes == RANKED)).any()):
                needed.add(self.ways.key(order.goal, room))
        return needed

    def work(self, dues: Dues, changed: bool) -> None:
        """Go on with fields that are being made."""
        self.dues = self.ways.worked(dues, self.fields(), changed)

    def is_whole(self, key: Key) -> bool:
        """Whether a field knows all ways."""
        return self.dues.get(key) == WHOLE

    def heed_changes(self) -> None:
        """The grid has changed: who had no way looks again, and closed places are given anew."""
        rows = self.rows
        lost = rows.modes == LOST
        rows.modes[lost] = GOING
        rows.told[lost] = False
        orders = list(self.orders)
        clear = Taken(rows.places, self.radii).clear_of(self.ways.walls)
        for number, room, band in self.bands:
            order = orders[number]
            if order is None or order.leader is not None:
                continue
            open_now = self.ways.land(room).is_open_many(rows.places[band])
            bad = np.flatnonzero(~(open_now & clear[band])) + band.start
            if len(bad):
                goal = open_near(self.ways, order.wish.goal, room)
                orders[number] = order = order._replace(goal=goal)
                self.place_anew(bad, order, room)
        self.orders = tuple(orders)

    def place_anew(self, bad: NDArray[np.intp], order: Order, room: int) -> None:
        """Give units with the same order and room other places."""
        rows = self.rows
        reach = 4.0 * order.extent + 20.0 * self.ways.cell
        taken = taken_near(self.units, rows, rows.slots[bad], order.goal, reach)
        wide = float(self.radii[bad].max())
        free = places_around(self.ways, order.goal, room, len(bad), order.gap, wide, taken)
        at = assigned(self.before[bad], free)
        given = at >= 0
        rows.places[bad[given]] = free[at[given]]
        rows.modes[bad] = np.where(given, GOING, LOST)

    # -- before the crowd --------------------------------------------------------------------------

    def take(self) -> None:
        """Find where each unit steps."""
        rows, orders = self.rows, list(self.orders)
        for number, order in enumerate(self.orders):
            if order is None or (order.leader is None and order.ranks is None):
                continue
            own = np.flatnonzero(rows.orders == number)
            if not len(own):
                continue
            if order.leader is not None:
                orders[number] = go_after(self, order, own)
            elif order.ranks is not None:
                orders[number] = self.led(own[rows.modes[own] != LOST], order, order.ranks)
        self.orders = tuple(orders)
        going = rows.modes == GOING
        for number, room, band in self.bands:
            if going[band].any():
                order = self.orders[number]
                assert order is not None
                self.go(np.flatnonzero(going[band]) + band.start, order, room)
        # All others walk by themselves, whatever their orders: together, those of one width.
        for room in sorted({room for _, room, _ in self.bands}):
            modes = np.where(rows.rooms == room, rows.modes, LOST)
            for at, walk in (
                (modes == PATHING, self.follow_paths),
                (modes == RANKED, self.keep_ranks),
                ((modes == HOMING) | (modes == RESTING), self.come_home),
            ):
                if at.any():
                    walk(np.flatnonzero(at), room)

    def led(self, own: NDArray[np.intp], order: Order, ranks: Ranks) -> Order:
        """Lead a formation on; at the goal, all go to their own places in it."""
        rows = self.rows
        if not len(own):
            return order
        key = self.ways.key(order.goal, int(rows.rooms[own].max()))
        field = self.ways.field(key)
        if field.distance(ranks.x, ranks.y) == np.inf:  # cut off: those that can go on do
            if not self.is_whole(key):
                self.posts[own] = ranks.posts(rows.offsets[own])
                return order
            reached = own[field.distance_many(self.before[own]) < np.inf]
            if not len(reached):
                rows.modes[own] = LOST
                return order
            x, y = self.before[reached[0]].tolist()
            ranks = ranks._replace(x=x, y=y)
        lags = self.before[own] - ranks.posts(rows.offsets[own])
        share = pace_share(np.sqrt(dots(lags, lags)), order.gap)
        pace = share * float(self.speeds[own].min())
        new = ranks.advanced(field, pace, max(order.extent, order.gap))
        if pace > 0.0 and self.is_whole(key) and (new.x, new.y) == (ranks.x, ranks.y):
            order = order._replace(ranks=None)
            self.fall_out(own, order, new._replace(x=order.goal[0], y=order.goal[1]))
            return order
        self.posts[own] = new.posts(rows.offsets[own])
        return order._replace(ranks=new)

    def fall_out(self, own: NDArray[np.intp], order: Order, ranks: Ranks) -> None:
        """Give each unit of a formation at its goal its own place there."""
        rows = self.rows
        rows.places[own] = places = ranks.posts(rows.offsets[own])
        rows.modes[own] = GOING
        reach = 4.0 * order.extent + 20.0 * self.ways.cell
        taken = taken_near(self.units, rows, rows.slots[own], order.goal, reach)
        fits = free_of(self.ways, order.goal, rows.rooms[own], places, self.radii[own], taken)
        bad = own[~fits]
        for room in np.unique(rows.rooms[bad]).tolist():
            self.place_anew(bad[rows.rooms[bad] == room], order, room)

    def keep_ranks(self, at: NDArray[np.intp], room: int) -> None:
        """Walk straight to one's post, while the way there is clear."""
        rows, land = self.rows, self.ways.land(room)
        self.after[at] = self.straight(at, self.posts[at], self.speeds[at])
        look = at[(rows.slots[at] + self.tick) % LOOKS == 0]
        if len(look):
            clear = land.straight_many(self.before[look], self.posts[look])
            rows.modes[look[~clear]] = GOING
        wrong = ~land.is_open_many(self.after[at])
        if wrong.any():
            wrong[wrong] = land.is_open_many(self.before[at[wrong]])
            self.after[at[wrong]] = self.before[at[wrong]]
            rows.modes[at[wrong]] = GOING

    def fall_in(
        self, at: NDArray[np.intp], field: Field, order: Order, ranks: Ranks, room: int
    ) -> Bools:
        """Send those that see their posts there; return which of the others wait: the foremost."""
        rows, land = self.rows, self.ways.land(room)
        look = at[(rows.slots[at] + self.tick) % LOOKS == 0]
        if len(look):
            clear = land.straight_many(self.before[look], self.posts[look])
            rows.modes[look[clear]] = RANKED
        if order.leader is not None:
            return np.zeros(len(at), np.bool_)
        ahead = field.distance(ranks.x, ranks.y) - rows.offsets[at, 0] - order.gap
        found: Bools = field.distance_many(self.before[at]) < ahead
        return found

    def go(self, at: NDArray[np.intp], order: Order, room: int) -> None:
        """Follow the field, until one's own place is seen."""
        rows, land = self.rows, self.ways.land(room)
        key = self.ways.key(order.goal, room)
        field = self.ways.field(key)
        if order.ranks is not None:
            waits = self.fall_in(at, field, order, order.ranks, room)
            self.walk_on(at[~waits & (rows.modes[at] == GOING)], key)
            return
        near = 2.0 * order.extent + NEAR * self.ways.cell
        away = rows.places[at] - self.before[at]
        looks = dots(away, away) <= near * near
        looks &= (rows.slots[at] + self.tick) % LOOKS == 0
        look = at[looks]
        if len(look):
            seen = land.straight_many(self.before[look], rows.places[look])
            rows.modes[look[seen]] = HOMING
            rest = look[~seen]
            close = field.distance_many(self.before[rest]) <= order.extent
            self.find_path(rest[close])
            at = at[rows.modes[at] == GOING]
        self.find_path(self.walk_on(at, key))

    def walk_on(self, at: NDArray[np.intp], key: Key) -> Any:
        """Take a step along the field; return those whom it leads no further, at the goal."""
        rows = self.rows
        if not len(at):
            return at
        field = self.ways.field(key)
        self.after[at] = field.advance_many(self.before[at], self.speeds[at])
        step = self.after[at] - self.before[at]
        stands = (step[:, 0] == 0.0) & (step[:, 1] == 0.0) & (self.speeds[at] > 0.0)
        stays: NDArray[np.intp] = at[stands]
        if not len(stays) or not self.is_whole(key):  # they wait until their ways are found
            return stays[:0]
        reached = field.distance_many(self.before[stays]) < np.inf
        rows.modes[stays[~reached]] = LOST
        return stays[reached]

    def follow_paths(self, at: NDArray[np.intp], room: int) -> None:
        """Walk from corner to corner; at each, and where the way is closed, find the next one."""
        rows, land = self.rows, self.ways.land(room)
        away = rows.aims[at] - self.before[at]
        far2 = dots(away, away)
        ask = far2 == 0.0
        looks = ~ask & ((rows.slots[at] + self.tick) % LOOKS == 0)
        look = at[looks]
        if len(look):
            ask[looks] = ~land.straight_many(self.before[look], rows.aims[look])
            ask[looks] |= (self.stops[look] > 0.0) & (self.tick % RENEWAL < LOOKS)
            ask[looks] |= far2[looks] <= self.radii[look] * self.radii[look]
        asking = at[ask][: self.paths_left]
        self.paths_left -= len(asking)
        if len(asking):
            found = self.ways.paths(room).find_many(self.before[asking], rows.places[asking])
            for row, corners in zip(asking.tolist(), found, strict=True):
                if corners is None:
                    rows.modes[row] = LOST
                else:
                    first = (corners[0] == self.before[row]).all()
                    rows.aims[row] = corners[min(int(first), len(corners) - 1)]
        at = at[rows.modes[at] == PATHING]
        self.after[at] = self.straight(at, rows.aims[at], self.speeds[at])
        self.keep_out(at, room)

    def come_home(self, at: NDArray[np.intp], room: int) -> None:
        """Walk straight to one's own place."""
        rows, land = self.rows, self.ways.land(room)
        resting = rows.modes[at] == RESTING
        speeds = np.where(resting, BACK * (rows.stalled[at] == 0), 1.0) * self.speeds[at]
        self.after[at] = self.straight(at, rows.places[at], speeds)
        self.keep_out(at, room)
        look = at[~resting & ((rows.slots[at] + self.tick) % LOOKS == 0)]
        if len(look):
            clear = land.straight_many(self.before[look], rows.places[look])
            self.find_path(look[~clear])

    def straight(self, at: NDArray[np.intp], to: Floats, speeds: Floats) -> Floats:
        """Where units are after a step toward some points."""
        away = to - self.before[at]
        far = np.sqrt(dots(away, away))
        speeds = self.limited(at, speeds)
        there = (far <= speeds) & (self.stops[at] == 0.0)
        share = speeds / np.where(far > 0.0, far, 1.0)
        found: Floats = np.where(there[:, None], to, self.before[at] + share[:, None] * away)
        return found

    def limited(self, at: NDArray[np.intp], speeds: Floats) -> Floats:
        """Steps that end before one's target: who chases does not walk into it."""
        stops = self.stops[at]
        if not stops.any():
            return speeds
        away = self.rows.places[at] - self.before[at]
        room = np.maximum(np.sqrt(dots(away, away)) - stops, 0.0)
        return np.where(stops > 0.0, np.minimum(speeds, room), speeds)

    def keep_out(self, at: NDArray[np.intp], room: int) -> None:
        """Let nobody step from an open cell into a closed one; who would do so looks for a way."""
        land = self.ways.land(room)
        wrong = ~land.is_open_many(self.after[at])
        if wrong.any():
            wrong[wrong] = land.is_open_many(self.before[at[wrong]])
            bad = at[wrong]
            self.after[bad] = self.before[bad]
            self.find_path(bad)

    def find_path(self, at: NDArray[np.intp]) -> None:
        """Let units look for a path of their own, in their next step."""
        self.rows.modes[at] = PATHING
        self.rows.aims[at] = self.before[at]

    # -- after the crowd ---------------------------------------------------------------------------

    def settle(self, now: Floats) -> None:
        """See who has arrived and who is stalled, and let those in each other's way change places.

        Args:
            now: Where the units are after the crowd has pushed them.
        """
        rows = self.rows
        wanted = self.after - self.before
        step2 = dots(wanted, wanted)
        gain = dots(now - self.before, wanted)
        walking = (rows.modes != RESTING) & (rows.modes != LOST) & (self.speeds > 0.0)
        self.slow = walking & (gain < GAIN * step2)
        lags = self.posts - now
        self.posted = (rows.modes == RANKED) & (dots(lags, lags) <= self.radii**2)
        self.slow[rows.modes == RANKED] = False
        falls = (rows.modes == GOING) | (rows.modes == RESTING)
        calm = np.maximum(rows.stalled - falls, 0)
        rows.stalled[:] = np.where(self.slow, rows.stalled + 1, calm)
        shift = now - self.after
        held = (rows.modes == RESTING) & (dots(shift, shift) > (GIVE * self.speeds) ** 2)
        rows.stalled[held] = CALM
        self.change_places(now, wanted)
        self.give_up(now)
        away = rows.places - now
        far2 = dots(away, away)
        near = np.where(self.stops > 0.0, self.stops, THERE * self.radii) ** 2
        homing = (rows.modes == HOMING) | (rows.modes == PATHING)
        homing |= (self.stops > 0.0) | ((rows.modes == RANKED) & self.still)
        there = walking & homing & (far2 <= near * (1.0 + ROUNDING))
        rows.modes[there] = RESTING
        rows.stalled[there] = 0
        off = (self.stops + self.radii) ** 2
        pushed = (rows.modes == RESTING) & (far2 > off) & (rows.stalled == 0)
        rows.modes[pushed] = HOMING
        self.arrived = rows.slots[there & ~rows.told]
        self.stuck = rows.slots[(rows.modes == LOST) & ~rows.told]
        rows.told[there | (rows.modes == LOST)] = True

    def give_up(self, now: Floats) -> None:
        """Let a unit that does not get through to its place take the free one nearest to it."""
        rows = self.rows
        for row in np.flatnonzero(self.slow & (rows.stalled >= SURRENDER))[:MOST_PLACES].tolist():
            order = self.orders[rows.orders[row]]
            rows.stalled[row] = 0
            if order is None or order.leader is not None:
                continue
            away = now[row] - order.goal
            if np.sqrt((away * away).sum()) > 1.5 * order.extent + NEAR * self.ways.cell:
                continue  # it waits before a gate
            radius, slots = float(self.radii[row]), rows.slots[row : row + 1]
            reach = 2.0 * order.extent + 20.0 * self.ways.cell
            taken = taken_near(self.units, rows, slots, now[row], reach)
            at = now[row, 0].item(), now[row, 1].item()
            room, gap = int(rows.rooms[row]), 2.0 * max(radius, self.ways.cell / PARTS)
            free = places_around(self.ways, at, room, 1, gap, radius, taken)
            if len(free):
                rows.places[row] = free[0]
                rows.modes[row] = PATHING
                rows.aims[row] = now[row]

    def change_places(self, now: Floats, wanted: Floats) -> None:
        """Let a unit that stands in the way of another take over its place, if that is behind it.

        Each exchange shortens the ways, so there is an end to it.
        """
        rows = self.rows
        behind = (rows.modes == RANKED) & ~self.posted
        ask = np.flatnonzero((self.slow & (rows.stalled >= PATIENCE)) | behind)
        length = np.sqrt(dots(wanted[ask], wanted[ask]))
        ask, length = ask[length > 0.0], length[length > 0.0]
        if not len(ask):
            return
        ahead = now[ask] + wanted[ask] * (self.radii[ask] / length)[:, None]
        met, _ = DynamicQuadtree.nearest_many(
            self.units, ahead, max_distance=1.2 * self.radii.max(), exclude=rows.slots[ask]
        )
        by_slot = np.argsort(rows.slots, kind="stable")
        other = by_slot[np.searchsorted(rows.slots[by_slot], met).clip(0, len(by_slot) - 1)]
        right = (rows.slots[other] == met) & (rows.orders[other] == rows.orders[ask])
        right &= (rows.rooms[other] == rows.rooms[ask]) & (rows.modes[other] != LOST)
        right &= self.stops[ask] == 0.0
        right[right] &= self.are_opposed(ask[right], other[right], now, wanted)
        ask, other = ask[right], other[right]
        first = np.full(len(rows.slots), len(ask))
        np.minimum.at(first, ask, np.arange(len(ask)))
        np.minimum.at(first, other, np.arange(len(ask)))
        own = (first[ask] == np.arange(len(ask))) & (first[other] == np.arange(len(ask)))
        ask, other = ask[own], other[own]
        rows.places[ask], rows.places[other] = rows.places[other], rows.places[ask]
        rows.offsets[ask], rows.offsets[other] = rows.offsets[other], rows.offsets[ask]
        rows.modes[other] = np.where(rows.modes[other] == RESTING, HOMING, rows.modes[other])
        for some in (ask, other):
            rows.aims[some] = now[some]

    def are_opposed(
        self, one: NDArray[np.intp], two: NDArray[np.intp], now: Floats, wanted: Floats
    ) -> Bools:
        """Whether units stand in each other's way, so that both are better off with other places.

        Two that face each other walk back and forth no more; one that has arrived and is in the way
        goes on in place of the other.
        """
        between = now[two] - now[one]
        apart = np.sqrt(dots(between, between))
        first = dots(between, wanted[one])
        first_far = np.sqrt(dots(wanted[one], wanted[one]))
        second = -dots(between, wanted[two])
        second_far = np.sqrt(dots(wanted[two], wanted[two]))
        ahead = first > 0.5 * apart * first_far
        facing = second > 0.5 * apart * second_far
        there = (self.rows.modes[two] == RESTING) | self.posted[two]
        found: Bools = ahead & (facing | there)
        return found

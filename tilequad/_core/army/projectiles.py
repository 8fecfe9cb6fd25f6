"""Shots in flight: where each flies in a step, and what it touches on its way.

A way is a straight line, along which a shot is swept like any footprint, so it skips nothing,
however fast it is.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises, RaisesNoGil
from tilequad._core.army.first_hits import FirstHits
from tilequad._core.army.solids import Solids
from tilequad._core.buffers import IntBuffer
from tilequad._core.layout import (
    HITS,
    INF,
    MAX_COORDINATE,
    NONE,
    Walk,
    begin_question,
    end_question,
    start_counts,
)
from tilequad._core.tree.segment import begin_segment, find_units_on_segment
from tilequad._core.tree.units import UnitStore, entry_of, order_of

# The columns of a shot. What a step changes: the place, the direction, which has the length 1, or 0
# for a shot that stands, and how long it still lives, and flies over everything.
X: cython.int = 0
Y: cython.int = 1
UX: cython.int = 2
UY: cython.int = 3
LIFE: cython.int = 4
DELAY: cython.int = 5
MOVING: cython.int = 6
# What stays: reals, and whole numbers. SENT is its number in `Damage`.
SPEED: cython.int = 0
RADIUS: cython.int = 1
SPLASH: cython.int = 2
AMOUNT: cython.int = 3
TRAITS: cython.int = 4
NUMBER: cython.int = 0
PIERCE: cython.int = 1
GROUPS: cython.int = 2
WITHOUT: cython.int = 3
TARGET: cython.int = 4
SERIAL: cython.int = 5
HOMING: cython.int = 6
SENT: cython.int = 7
INTS: cython.int = 8
# What happens to a shot.
PIERCED: cython.int = 0
STOPPED: cython.int = 1
WALL: cython.int = 2
SPENT: cython.int = 3
SPLASHED: cython.int = 4
# The columns of what is told of it: the share of its way, the time, and the place.
TOLD_SHARE: cython.int = 0
TOLD_TIME: cython.int = 1
TOLD_X: cython.int = 2
TOLD_Y: cython.int = 3
TOLD: cython.int = 4
LAST: cython.int = 2147483647  # comes after all orders
FEW: cython.int = 64  # a shot that touches so many more units than count is no sign of a crowd
WORTH: cython.int = 8  # putting units into a crowd takes as long as testing each so often
MOST_CROWDS: cython.int = 8  # more masks that differ are not worth the memory

# The same for Python, which does not see C's numbers.
COLUMNS = (
    (X, Y, UX, UY, LIFE, DELAY, MOVING),
    (SPEED, RADIUS, SPLASH, AMOUNT, TRAITS),
    (NUMBER, PIERCE, GROUPS, WITHOUT, TARGET, SERIAL, HOMING, SENT, INTS),
    (PIERCED, STOPPED, WALL, SPENT, SPLASHED),
)


@cython.final
@cython.cclass
class Shots:
    """Shots in flight, a row each, in the order of firing: what a step changes, and what stays."""

    __slots__ = {
        "moving": "double[:, ::1]",
        "traits": "double[:, ::1]",
        "ints": "long long[:, ::1]",
    }

    def __init__(self, moving: np.ndarray, traits: np.ndarray, ints: np.ndarray) -> None:
        n = len(ints)
        shapes = moving.shape, traits.shape, ints.shape
        if shapes != ((n, MOVING), (n, TRAITS), (n, INTS)):
            raise ValueError(f"shots must have rows of one length, got {shapes}")
        self.moving = moving.data
        self.traits = traits.data
        self.ints = ints.data


@cython.final
@cython.cclass
class Step:
    """One step of all shots, which stay: each moves, is swept along its way, and flies on or ends.

    `past` has the serials of the units that each shot has hit, ascending, and `starts` where those
    of a shot begin, (n + 1,). If there are none, `starts` is not read.
    """

    __slots__ = {
        "shots": "Shots",
        "time": "double",
        "starts": "long long[::1]",
        "past": "long long[::1]",
        # The shot that flies: its row after the step, and the part of its way on which it may touch
        # something, which begins when it has flown over all, and ends with the step or its life.
        "flown": "double[6]",
        "way": "double[4]",
        # What happened: the rows, slots or -1, how, and TOLD numbers each.
        "rows": "IntBuffer",
        "slots": "IntBuffer",
        "kinds": "IntBuffer",
        "told": "double[:, ::1]",
        "landed": "IntBuffer",
        # Units by place, once they have been found to stand in crowds: by masks, and the last used.
        "crowds": "dict",
        "crowd": "FirstHits",
        "in_crowd": "bint",
        "in_vain": "long long",  # how many units were tested that came after those that count
    }

    def __init__(self, shots: Shots, time: float, starts: np.ndarray, past: np.ndarray) -> None:
        if not cython.compiled:  # in C, arrays of zeros
            self.flown = [0.0] * MOVING
            self.way = [0.0] * 4
        self.shots = shots
        self.time = time
        self.starts = starts.data
        self.past = past.data
        self.rows = IntBuffer()
        self.slots = IntBuffer()
        self.kinds = IntBuffer()
        self.landed = IntBuffer()
        self.told = np.empty((256, TOLD)).data
        self.crowds: dict[tuple[int, int], FirstHits] = {}
        self.in_crowd = False
        self.in_vain = 0

    def write_ways(self, units: UnitStore, ways: cython.double[:, ::1]) -> bool:
        """Write the ways of all shots, (x0, y0, x1, y1); False if one leads too far."""
        near = True
        begin_question(cython.address(units.busy))
        try:
            with cython.nogil:
                for i in range(len(ways)):
                    self.move(units, i)
                    near = near and self.is_near()
                    for k in range(4):
                        ways[i, k] = self.way[k]
        finally:
            end_question(cython.address(units.busy))
        return near

    def fly(self, units: UnitStore, solids: Any, shares: np.ndarray, flying_on: Shots) -> int:
        """Let all shots fly; return how many fly on, or -1 if one would fly too far.

        Those are written into `flying_on`. `solids` are walls, `Solids`, or None. `shares` is which
        share of its way each flies before it meets a wall, (n,); empty if that is to be found out.
        """
        n = len(self.shots.moving)
        kept: cython.Py_ssize_t = 0
        blocked: cython.bint = solids is not None
        walls: Solids = solids
        known: cython.double[::1] = shares.data
        if len(flying_on.moving) < n or (len(known) > 0 and len(known) != n):
            raise ValueError(
                f"shots need room for {n}, got {len(flying_on.moving)} and {len(known)}"
            )
        begin_question(cython.address(units.busy))
        try:
            with cython.nogil:
                for i in range(n):
                    free = INF if self.move(units, i) else -1.0
                    if not self.is_near():
                        kept = -1
                        break
                    if free > 0.0 and len(known) > 0:
                        free = known[i]
                    elif free > 0.0 and blocked:
                        free = walls.first_time(self.way[0], self.way[1], self.way[2], self.way[3])
                    kept += self.fly_one(units, i, free, flying_on, kept)
        finally:
            end_question(cython.address(units.busy))
        return kept

    def move(self, units: UnitStore, i: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Move a shot; return whether it may touch something on the rest of its way."""
        k: cython.Py_ssize_t
        speed = self.shots.traits[i, SPEED]
        for k in range(MOVING):
            self.flown[k] = self.shots.moving[i, k]
        if self.shots.ints[i, HOMING] != 0:
            self.turn(units, i)
        until = min(self.time, self.flown[LIFE])
        over = min(self.flown[DELAY], until)
        may_touch: cython.bint = self.flown[DELAY] < until or self.flown[DELAY] == 0.0
        for k in range(2):
            self.way[k] = self.flown[X + k] + self.flown[UX + k] * (speed * over)
            self.flown[X + k] += self.flown[UX + k] * (speed * until)
            self.way[2 + k] = self.flown[X + k]
        self.flown[LIFE] -= self.time
        self.flown[DELAY] = max(self.flown[DELAY] - self.time, 0.0)
        return may_touch

    def turn(self, units: UnitStore, i: cython.Py_ssize_t) -> NoGil[None]:
        """Turn a shot to where its target is; one whose target is gone flies straight on."""
        slot: cython.Py_ssize_t = self.shots.ints[i, TARGET]
        entry: cython.Py_ssize_t = entry_of(units, slot)
        if entry < 0 or units.serial_of(slot) != self.shots.ints[i, SERIAL]:
            return
        dx = units.xs[entry] - self.flown[X]
        dy = units.ys[entry] - self.flown[Y]
        length = sqrt(dx * dx + dy * dy)
        if length > 0.0:
            self.flown[UX] = dx / length
            self.flown[UY] = dy / length

    def is_near(self) -> NoGil[cython.bint]:
        """Whether the way is where units can be; not if a number is none."""
        near: cython.bint = True
        for k in range(4):
            near = near and abs(self.way[k]) <= MAX_COORDINATE
        return near

    def fly_one(
        self,
        units: UnitStore,
        i: cython.Py_ssize_t,
        free: cython.double,
        flying_on: Shots,
        kept: cython.Py_ssize_t,
    ) -> RaisesNoGil[cython.int]:
        """Tell what a shot touches; return 1 if it flies on, as number `kept`, and 0 if it ends.

        `free` is the share of its way that is free of walls; below 0 if it touches nothing.
        """
        first = self.rows.used
        left = self.shots.ints[i, PIERCE]
        landed: cython.bint = False
        if free >= 0.0:
            self.touch(units, i, free)
        for k in range(first, self.rows.used):
            landed = landed or units.serial_of(self.slots.values[k]) == self.shots.ints[i, SERIAL]
        left -= self.rows.used - first
        if left >= 0 and 0.0 <= free <= 1.0:
            self.end(i, free, WALL)
        elif left >= 0 and self.flown[LIFE] <= 0.0:
            self.end(i, 1.0, SPENT)
        elif left >= 0:
            self.keep(i, left, landed, flying_on, kept)
            if landed:
                self.landed.append(cython.cast(cython.int, i))
            return 1
        self.landed.append(cython.cast(cython.int, i))
        return 0

    def keep(
        self,
        i: cython.Py_ssize_t,
        left: cython.longlong,
        landed: cython.bint,
        flying_on: Shots,
        kept: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Write a shot that flies on."""
        k: cython.Py_ssize_t
        for k in range(MOVING):
            flying_on.moving[kept, k] = self.flown[k]
        for k in range(TRAITS):
            flying_on.traits[kept, k] = self.shots.traits[i, k]
        for k in range(INTS):
            flying_on.ints[kept, k] = self.shots.ints[i, k]
        flying_on.ints[kept, PIERCE] = left
        if landed:
            flying_on.ints[kept, SENT] = NONE

    def touch(
        self, units: UnitStore, i: cython.Py_ssize_t, free: cython.double
    ) -> RaisesNoGil[cython.int]:
        """Tell what a shot touches first: as many as it pierces, and one more, where it stops."""
        first = self.rows.used
        most: cython.Py_ssize_t = self.shots.ints[i, PIERCE] + 1
        if self.in_crowd and self.find_crowd(i):
            self.touch_crowd(units, i, free, most)
        else:
            self.touch_ground(units, i, free, most)
        for k in range(first, self.rows.used):
            self.fill(i, k)
        if self.rows.used - first == most:
            self.kinds.values[first] = STOPPED
        return 0

    def touch_ground(
        self,
        units: UnitStore,
        i: cython.Py_ssize_t,
        free: cython.double,
        most: cython.Py_ssize_t,
    ) -> RaisesNoGil[cython.int]:
        """Find what a shot touches by a walk through the tree."""
        walk = cython.declare(Walk)
        hits = cython.declare(cython.int[HITS])
        times = cython.declare(cython.double[HITS])
        n = HITS
        first = self.rows.used
        total: cython.Py_ssize_t = 0
        radius = self.shots.traits[i, RADIUS]
        start_counts(cython.address(walk), False)
        begin_segment(
            cython.address(walk),
            self.way[0],
            self.way[1],
            self.way[2],
            self.way[3],
            radius,
            cython.cast(cython.int, self.shots.ints[i, GROUPS]),
            cython.cast(cython.int, self.shots.ints[i, WITHOUT]),
        )
        while n == HITS:
            n = find_units_on_segment(units, cython.address(walk), radius, -1.0, hits, times)
            total += n
            for k in range(n):
                if times[k] <= free:
                    self.offer(units, i, hits[k], times[k], first, most)
        if total - most > FEW:
            self.in_vain += total - most
            if self.in_vain > WORTH * units.count:
                with cython.gil:
                    self.add_crowd(units, i)
        return 0

    def touch_crowd(
        self,
        units: UnitStore,
        i: cython.Py_ssize_t,
        free: cython.double,
        most: cython.Py_ssize_t,
    ) -> RaisesNoGil[cython.int]:
        """Find what a shot touches where most of it would not count."""
        order = LAST
        time = min(free, 1.0)  # who is never touched is touched at inf
        first = self.rows.used
        self.crowd.begin(
            self.way[0], self.way[1], self.way[2], self.way[3], self.shots.traits[i, RADIUS]
        )
        while self.crowd.next_block(time, order):
            for k in range(self.crowd.at, self.crowd.end):
                if time == 0.0 and self.crowd.orders[k] > order:  # often, and nothing to test
                    continue
                at = self.crowd.time_of(k)
                if at <= time:
                    self.offer(units, i, self.crowd.slots[k], at, first, most)
            if self.rows.used - first == most:
                time = self.told[first, TOLD_SHARE]
                order = order_of(units, self.slots.values[first])
        return 0

    def add_crowd(self, units: UnitStore, i: cython.Py_ssize_t) -> Raises[cython.int]:
        """Put the units that a shot may hit into a crowd, for it and others like it."""
        groups = cython.cast(cython.int, self.shots.ints[i, GROUPS])
        without = cython.cast(cython.int, self.shots.ints[i, WITHOUT])
        self.in_vain = 0
        if len(self.crowds) < MOST_CROWDS:
            self.crowd = FirstHits(units, groups, without)
            self.crowds[groups, without] = self.crowd
            self.in_crowd = True
        return 0

    def find_crowd(self, i: cython.Py_ssize_t) -> RaisesNoGil[cython.bint]:
        """Turn to the units that a shot may hit, if they have been put into a crowd."""
        groups = cython.cast(cython.int, self.shots.ints[i, GROUPS])
        without = cython.cast(cython.int, self.shots.ints[i, WITHOUT])
        if self.crowd.groups != groups or self.crowd.without != without:
            with cython.gil:
                if (groups, without) not in self.crowds:
                    return False
                self.crowd = self.crowds[groups, without]
        return True

    def offer(
        self,
        units: UnitStore,
        i: cython.Py_ssize_t,
        slot: cython.int,
        time: cython.double,
        first: cython.Py_ssize_t,
        most: cython.Py_ssize_t,
    ) -> RaisesNoGil[cython.int]:
        """Add a unit that a shot touches, if it is among the first.

        Once there are as many as count, their rows are a heap: none comes after the first row.
        """
        n = self.rows.used - first
        if n == most and not self.comes_later(units, first, time, slot):
            return 0
        if self.is_past(i, units.serial_of(slot)):
            return 0
        if n == most:
            self.told[first, TOLD_SHARE] = time
            self.slots.values[first] = slot
            self.sink(units, first, 0, most)
            return 0
        self.add(i, slot, time, PIERCED)
        if n + 1 == most:
            for k in range(most // 2 - 1, -1, -1):
                self.sink(units, first, k, most)
        return 0

    def sink(
        self,
        units: UnitStore,
        first: cython.Py_ssize_t,
        k: cython.Py_ssize_t,
        n: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Exchange row k of a heap of n rows with those below it until none of them comes later."""
        low = first + k
        time = self.told[low, TOLD_SHARE]
        slot = self.slots.values[low]
        while 2 * k + 1 < n:
            k = 2 * k + 1
            at = first + k
            if k + 1 < n and self.comes_later(
                units, at + 1, self.told[at, TOLD_SHARE], self.slots.values[at]
            ):
                k += 1
                at += 1
            if not self.comes_later(units, at, time, slot):
                break
            self.told[low, TOLD_SHARE] = self.told[at, TOLD_SHARE]
            self.slots.values[low] = self.slots.values[at]
            low = at
        self.told[low, TOLD_SHARE] = time
        self.slots.values[low] = slot

    def comes_later(
        self,
        units: UnitStore,
        row: cython.Py_ssize_t,
        time: cython.double,
        slot: cython.int,
    ) -> NoGil[cython.bint]:
        """Whether what a row tells comes after a touch of another unit."""
        return self.told[row, TOLD_SHARE] > time or (
            self.told[row, TOLD_SHARE] == time
            and order_of(units, self.slots.values[row]) > order_of(units, slot)
        )

    def is_past(self, i: cython.Py_ssize_t, serial: cython.longlong) -> NoGil[cython.bint]:
        """Whether a shot has hit the unit with a serial before."""
        if len(self.past) == 0:
            return False
        low: cython.Py_ssize_t = self.starts[i]
        high: cython.Py_ssize_t = self.starts[i + 1]
        while low < high:
            middle: cython.Py_ssize_t = (low + high) // 2
            if self.past[middle] < serial:
                low = middle + 1
            else:
                high = middle
        return low < self.starts[i + 1] and self.past[low] == serial

    # -- what happens ---

    def add(
        self, i: cython.Py_ssize_t, slot: cython.int, at: cython.double, kind: cython.int
    ) -> RaisesNoGil[cython.int]:
        """Add what happens to a shot after a share of its way; `fill` says the rest."""
        n = self.rows.used
        if n == len(self.told):
            with cython.gil:
                self.told = np.resize(self.told, (2 * n, TOLD)).data  # new rows are not read
        self.told[n, TOLD_SHARE] = at
        self.rows.append(cython.cast(cython.int, i))
        self.slots.append(slot)
        self.kinds.append(kind)
        return 0

    def fill(self, i: cython.Py_ssize_t, row: cython.Py_ssize_t) -> NoGil[None]:
        """Write when and where it is that a row tells of."""
        at: cython.double = self.told[row, TOLD_SHARE]
        until = min(self.time, self.shots.moving[i, LIFE])
        over = min(self.shots.moving[i, DELAY], until)
        self.told[row, TOLD_TIME] = over + (until - over) * at
        self.told[row, TOLD_X] = self.way[0] + (self.way[2] - self.way[0]) * at
        self.told[row, TOLD_Y] = self.way[1] + (self.way[3] - self.way[1]) * at

    def end(
        self, i: cython.Py_ssize_t, at: cython.double, kind: cython.int
    ) -> RaisesNoGil[cython.int]:
        """Tell that a shot ends after a share of its way, at no unit."""
        self.add(i, NONE, at, kind)
        self.fill(i, self.rows.used - 1)
        return 0

    def events(self) -> tuple[np.ndarray, ...]:
        """Return what happened: rows, slots, kinds, and what is told; and the rows that landed.

        Landed are those that ended or touched their targets.
        """
        told = np.array(self.told)[: self.rows.used]
        parts = self.rows, self.slots, self.kinds, self.landed
        rows, slots, kinds, landed = [np.array(part.taken(), np.intp) for part in parts]
        return rows, slots.astype(np.int32), kinds.astype(np.int8), told, landed

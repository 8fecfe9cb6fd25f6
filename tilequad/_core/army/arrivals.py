"""Units under orders, after the crowd: who has arrived, who gets nowhere, who makes way for whom.

Two with one order that stand in each other's way change places. If the second one walks straight to
its place, they do so only if that shortens their ways: so there is an end to it. Others, and two
with different orders, slip past each other: for some steps the crowd does not push them. So no
corridor is too narrow for two groups that meet in it. Both then keep to the right of their ways,
and so does who is held up behind them: where there is room, the groups form lanes. Who cannot get
around a unit without orders slips past it, too.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.army.marchers import (
    GOING,
    HOMING,
    LOST,
    PATHING,
    RANKED,
    RESTING,
    Marchers,
)
from tilequad._core.buffers import IntBuffer

GAIN: cython.double = 0.3  # of a step: who gets on less is stalled
SHOVE: cython.double = 0.8  # of a step: who gets on less, so near to its place, pushes others
PATIENCE: cython.int = 2  # steps for which a unit is stalled before it makes way
VEERS: cython.int = 20  # steps for which it keeps to the right then
MOST_SLIPS: cython.double = 100.0  # steps for which it does at most
SURRENDER: cython.int = 60  # and before it stays where it is, if that is near its place
CALM: cython.int = 5  # steps for which who was pushed from its place lets others pass
GIVE: cython.double = 0.05  # of a step: less is no push
ROUNDING: cython.double = 1e-9
THERE: cython.double = 0.25  # of a radius: who is as near to its place has arrived


@cython.final
@cython.cclass
class Arrivals:
    """The units of a march after a step; `now` is where the crowd has pushed them, (n, 2)."""

    __slots__ = {
        "marchers": "Marchers",
        "now": "double[:, ::1]",
        # Rows of those who are in another's way or behind the ranks, of those who have got nowhere
        # for long; slots of those who have arrived, and of those who have no way.
        "blocked": "IntBuffer",
        "waiting": "IntBuffer",
        "arrived": "IntBuffer",
        "stuck": "IntBuffer",
    }

    def __init__(self, marchers: Marchers, now: memoryview) -> None:
        self.marchers = marchers
        self.now = now
        self.blocked, self.waiting = IntBuffer(), IntBuffer()
        self.arrived, self.stuck = IntBuffer(), IntBuffer()

    # -- getting on --------------------------------------------------------------------------------

    def compare(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """See who has got on.

        Returns:
            The rows of those who meet another one or lag behind the ranks, (n,) int32; the point
            before each; and the rows of those who have got nowhere for long.
        """
        ahead: cython.double[:, ::1]
        with cython.nogil:
            for i in range(len(self.now)):
                self.count(i)
        found = np.empty((self.blocked.used, 2))
        ahead = found.data
        for j in range(len(ahead)):
            i = self.blocked.values[j]
            far = self.marchers.radii[i] / self.step_of(i)
            ahead[j, 0] = (
                self.now[i, 0] + (self.marchers.after[i, 0] - self.marchers.before[i, 0]) * far
            )
            ahead[j, 1] = (
                self.now[i, 1] + (self.marchers.after[i, 1] - self.marchers.before[i, 1]) * far
            )
        return np.array(self.blocked.taken()), found, np.array(self.waiting.taken())

    def count(self, i: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Count the steps for which a unit has got nowhere, and list it if they are too many."""
        mode: cython.int = self.marchers.modes[i]
        stalled: cython.int = self.marchers.stalled[i]
        x = self.marchers.after[i, 0] - self.marchers.before[i, 0]
        y = self.marchers.after[i, 1] - self.marchers.before[i, 1]
        step2 = x * x + y * y
        slow: cython.bint = mode in (GOING, HOMING, PATHING) and self.marchers.speeds[i] > 0.0
        slow = slow and self.gain(i) < (SHOVE if mode == HOMING else GAIN) * step2
        if stalled < 0:  # who has slipped past one is soon before the next
            self.marchers.stalled[i] = stalled + 1 if stalled < -1 else PATIENCE - 1
            return 0
        if slow:
            stalled += 1
        elif stalled > 0 and mode in (GOING, RESTING):
            stalled -= 1
        if mode == RESTING:
            x = self.now[i, 0] - self.marchers.after[i, 0]
            y = self.now[i, 1] - self.marchers.after[i, 1]
            if x * x + y * y > GIVE * GIVE * self.marchers.speeds[i] * self.marchers.speeds[i]:
                stalled = CALM
        self.marchers.stalled[i] = stalled
        if step2 > 0.0 and ((slow and stalled >= PATIENCE) or (mode == RANKED and self.lags(i))):
            self.blocked.append(cython.cast(cython.int, i))
        if slow and stalled >= SURRENDER:
            self.waiting.append(cython.cast(cython.int, i))
        return 0

    def step_of(self, i: cython.Py_ssize_t) -> NoGil[cython.double]:
        """How far a unit wanted to go."""
        x = self.marchers.after[i, 0] - self.marchers.before[i, 0]
        y = self.marchers.after[i, 1] - self.marchers.before[i, 1]
        return sqrt(x * x + y * y)

    def ahead(
        self, i: cython.Py_ssize_t, x: cython.double, y: cython.double
    ) -> NoGil[cython.double]:
        """How far a vector leads where a unit wanted to go, times how far that is."""
        ahead = x * (self.marchers.after[i, 0] - self.marchers.before[i, 0])
        ahead += y * (self.marchers.after[i, 1] - self.marchers.before[i, 1])
        return ahead

    def gain(self, i: cython.Py_ssize_t) -> NoGil[cython.double]:
        """How far a unit got, times how far it wanted to go."""
        return self.ahead(
            i,
            self.now[i, 0] - self.marchers.before[i, 0],
            self.now[i, 1] - self.marchers.before[i, 1],
        )

    def is_held(self, i: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a unit got nowhere; else it may be on its way around what it meets."""
        step = self.step_of(i)
        return self.gain(i) < GIVE * step * step

    def lags(self, i: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a unit in ranks is away from its post."""
        x = self.marchers.posts[i, 0] - self.now[i, 0]
        y = self.marchers.posts[i, 1] - self.now[i, 1]
        return x * x + y * y > self.marchers.radii[i] * self.marchers.radii[i]

    # -- in each other's way -----------------------------------------------------------------------

    def make_way(
        self, met: cython.int[::1], there: cython.double[:, ::1], wide: cython.double[::1]
    ) -> None:
        """Let those who are in another's way change places with whom they meet, or slip past it.

        `met` has the slot of the unit before each of them, -1 for none; `there` and `wide` say
        where it is, and its radius.
        """
        most: cython.int = 0
        for j in range(len(met)):
            most = max(most, met[j] + 1)
        rows: cython.int[::1] = np.full(most, -1, np.int32).data
        busy: cython.uchar[::1] = np.zeros(len(self.now), np.uint8).data
        with cython.nogil:
            for i in range(len(self.now)):
                if self.marchers.slots[i] < most:
                    rows[self.marchers.slots[i]] = cython.cast(cython.int, i)
            for j in range(len(met)):
                i = self.blocked.values[j]
                other: cython.Py_ssize_t = rows[met[j]] if met[j] >= 0 else -1
                if other < 0 and met[j] >= 0 and not busy[i]:
                    self.pass_idle(i, there[j, 0], there[j, 1], wide[j])
                if other < 0 or busy[i] or busy[other] or self.marchers.stops[i] > 0.0:
                    continue
                self.go_aside(i, other)
                if self.are_opposed(i, other) and self.exchange_or_slip(i, other):
                    busy[i] = busy[other] = 1

    def go_aside(self, i: cython.Py_ssize_t, other: cython.Py_ssize_t) -> NoGil[None]:
        """Let a unit keep to the right for as long as one of its group does who is before it."""
        if (
            self.marchers.orders[i] == self.marchers.orders[other]
            and self.marchers.modes[i] == GOING
            and self.marchers.modes[other] == GOING
        ):
            self.marchers.veers[i] = max(self.marchers.veers[i], self.marchers.veers[other] - 1)

    def are_opposed(self, i: cython.Py_ssize_t, other: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a unit is in another's way, and walks toward it, or stands where it is to be."""
        x = self.now[other, 0] - self.now[i, 0]
        y = self.now[other, 1] - self.now[i, 1]
        mode: cython.int = self.marchers.modes[other]
        half = 0.5 * sqrt(x * x + y * y)
        ahead = self.ahead(i, x, y)
        walks: cython.bint = ahead > half * self.step_of(i)
        if mode in (RESTING, LOST) or (mode == RANKED and not self.lags(other)):
            return walks or (ahead > 0.0 and self.is_held(i))
        return walks and self.ahead(other, -x, -y) > half * self.step_of(other)

    def pass_idle(
        self, i: cython.Py_ssize_t, x: cython.double, y: cython.double, wide: cython.double
    ) -> NoGil[None]:
        """Let a unit that is held by one without orders slip past it; `x` and `y` say where it is.

        Not if that one stands on its place: it gets another.
        """
        own_x = x - self.marchers.places[i, 0]
        own_y = y - self.marchers.places[i, 1]
        x -= self.now[i, 0]
        y -= self.now[i, 1]
        near = self.marchers.radii[i] + wide
        if own_x * own_x + own_y * own_y < near * near:
            return
        if self.ahead(i, x, y) > 0.0 and self.is_held(i):
            self.marchers.stalled[i] = self.slips((sqrt(x * x + y * y) + near) / self.step_of(i))

    def exchange_or_slip(
        self, i: cython.Py_ssize_t, other: cython.Py_ssize_t
    ) -> NoGil[cython.bint]:
        """Let two units change places, or slip past each other; return whether they do."""
        same: cython.bint = (
            self.marchers.orders[i] == self.marchers.orders[other]
            and self.marchers.rooms[i] == self.marchers.rooms[other]
        )
        if same and self.marchers.modes[other] == LOST:
            return False
        walks_to_place: cython.bint = self.marchers.modes[other] in (HOMING, PATHING)
        if same and (not walks_to_place or self.gain_by_it(i, other)):
            for k in range(2):
                place = self.marchers.places[i, k]
                self.marchers.places[i, k] = self.marchers.places[other, k]
                self.marchers.places[other, k] = place
                offset = self.marchers.offsets[i, k]
                self.marchers.offsets[i, k] = self.marchers.offsets[other, k]
                self.marchers.offsets[other, k] = offset
                self.marchers.aims[i, k] = self.now[i, k]
                self.marchers.aims[other, k] = self.now[other, k]
            if self.marchers.modes[other] == RESTING:
                self.marchers.modes[other] = HOMING
            return True
        if self.marchers.modes[i] == GOING and self.marchers.modes[other] == GOING:
            self.marchers.veers[i] = self.marchers.veers[other] = VEERS
        if self.marchers.stalled[other] < 0:
            return False
        self.slip(i, other)
        return True

    def gain_by_it(self, i: cython.Py_ssize_t, other: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether two units, taken together, are nearer to each other's places than to their own.

        Otherwise two on paths that lead to one point would change places in each step.
        """
        own = self.way_to(i, i) + self.way_to(other, other)
        return self.way_to(i, other) + self.way_to(other, i) < own * (1.0 - ROUNDING)

    def way_to(self, i: cython.Py_ssize_t, other: cython.Py_ssize_t) -> NoGil[cython.double]:
        """How far a unit is from another's place."""
        x = self.marchers.places[other, 0] - self.now[i, 0]
        y = self.marchers.places[other, 1] - self.now[i, 1]
        return sqrt(x * x + y * y)

    def slip(self, i: cython.Py_ssize_t, other: cython.Py_ssize_t) -> NoGil[None]:
        """Let the crowd not push two units until they are past each other."""
        x = self.now[other, 0] - self.now[i, 0]
        y = self.now[other, 1] - self.now[i, 1]
        far = sqrt(x * x + y * y) + self.marchers.radii[i] + self.marchers.radii[other]
        speed = self.step_of(i)
        if self.marchers.modes[other] != RESTING:
            speed += self.step_of(other)
        self.marchers.stalled[i] = self.marchers.stalled[other] = self.slips(far / speed)

    def slips(self, steps: cython.double) -> NoGil[cython.int]:
        """What counts the steps for which the crowd does not push a unit."""
        return -cython.cast(cython.int, min(steps + 1.0, MOST_SLIPS))

    # -- arriving ----------------------------------------------------------------------------------

    def settle(self) -> tuple[np.ndarray, np.ndarray]:
        """Let those rest who are at their places; return who has arrived and who is stuck."""
        with cython.nogil:
            for i in range(len(self.now)):
                self.settle_one(i)
        return np.array(self.arrived.taken()), np.array(self.stuck.taken())

    def settle_one(self, i: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Let a unit rest at its place, or return to it; tell of it once."""
        mode: cython.int = self.marchers.modes[i]
        x = self.marchers.places[i, 0] - self.now[i, 0]
        y = self.marchers.places[i, 1] - self.now[i, 1]
        far2 = x * x + y * y
        near = self.marchers.stops[i]
        if mode == LOST:
            if not self.marchers.told[i]:
                self.stuck.append(self.marchers.slots[i])
            self.marchers.told[i] = 1
            return 0
        if mode == RESTING:
            near += self.marchers.radii[i]
            if far2 > near * near and self.marchers.stalled[i] == 0:
                self.marchers.modes[i] = HOMING
            return 0
        if near == 0.0:
            near = THERE * self.marchers.radii[i]
            if mode == GOING or (mode == RANKED and not self.marchers.still[i]):
                return 0
        if self.marchers.speeds[i] > 0.0 and far2 <= near * near * (1.0 + ROUNDING):
            self.marchers.modes[i] = RESTING
            self.marchers.stalled[i] = min(self.marchers.stalled[i], 0)
            if not self.marchers.told[i]:
                self.arrived.append(self.marchers.slots[i])
            self.marchers.told[i] = 1
        return 0

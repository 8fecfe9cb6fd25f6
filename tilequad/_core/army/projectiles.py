"""Shots in flight: where each flies in a step, and what it touches on its way.

A way is a straight line, along which a shot is swept like any footprint, so it skips nothing,
however fast it is.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises, RaisesNoGil
from tilequad._core.army.solids import Solids
from tilequad._core.buffers import IntBuffer
from tilequad._core.tree.layout import (
    HITS,
    INF,
    NO_SLOT,
    ORDER,
    RECORD,
    Walk,
    begin_question,
    end_question,
    start_counts,
)
from tilequad._core.tree.segment import begin_segment, find_on_segment
from tilequad._core.tree.units import UnitStore, entry_of


def turn(
    units: UnitStore,
    moving: cython.double[:, ::1],
    homing: cython.longlong[:],
    slots: cython.longlong[:],
    serials: cython.longlong[:],
) -> None:
    """Turn homing shots to where their targets are; one whose target is gone flies straight on."""
    i: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    dx: cython.double
    dy: cython.double
    length: cython.double
    begin_question(cython.address(units.busy))
    try:
        with cython.nogil:
            for i in range(len(homing)):
                if homing[i] == 0:
                    continue
                entry = entry_of(units, slots[i])
                if entry < 0 or units.serial_of(slots[i]) != serials[i]:
                    continue
                dx = units.xs[entry] - moving[i, 0]
                dy = units.ys[entry] - moving[i, 1]
                length = sqrt(dx * dx + dy * dy)
                if length > 0.0:
                    moving[i, 2] = dx / length
                    moving[i, 3] = dy / length
    finally:
        end_question(cython.address(units.busy))


def fly(
    moving: cython.double[:, ::1],
    speeds: cython.double[:],
    time: cython.double,
    ways: cython.double[:, ::1],
    shares: cython.double[::1],
) -> None:
    """Move shots, and write the part of each way on which it may touch something.

    That begins when it has flown over all, and ends with the step or with its life.

    Args:
        moving: The shots: place, direction, and how long they still live and fly over all. Changed.
        speeds: How fast they are.
        time: How long they fly.
        ways: Gets (x0, y0, x1, y1).
        shares: Gets inf, or -1 for a shot that flies over all that is on its way.
    """
    i: cython.Py_ssize_t
    over: cython.double
    until: cython.double
    with cython.nogil:
        for i in range(len(ways)):
            until = min(time, moving[i, 4])
            over = min(moving[i, 5], until)
            shares[i] = INF if moving[i, 5] < until or moving[i, 5] == 0.0 else -1.0
            ways[i, 0] = moving[i, 0] + moving[i, 2] * (speeds[i] * over)
            ways[i, 1] = moving[i, 1] + moving[i, 3] * (speeds[i] * over)
            moving[i, 0] += moving[i, 2] * (speeds[i] * until)
            moving[i, 1] += moving[i, 3] * (speeds[i] * until)
            ways[i, 2] = moving[i, 0]
            ways[i, 3] = moving[i, 1]
            moving[i, 4] -= time
            moving[i, 5] = max(moving[i, 5] - time, 0.0)


def write_walls(solids: Solids, ways: cython.double[:, ::1], shares: cython.double[::1]) -> None:
    """Write after which share of its way each shot meets a wall, unless it flies over all."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(len(ways)):
            if shares[i] >= 0.0:
                shares[i] = solids.first_time(ways[i, 0], ways[i, 1], ways[i, 2], ways[i, 3])


@cython.final
@cython.cclass
class Touches:
    """What shots touch on their ways: the row of the shot, the slot, and the share of the way.

    Args:
        ways: The ways, (n, 4).
        shares: The share of each way that is free of walls; inf for all, below 0 for none.
        shots: Radii, how many units each pierces, groups, and groups to leave out; (n,) each.
        starts: Where the units that a shot has hit begin in `past`, (n + 1,).
        past: Their serials.
    """

    __slots__ = {
        "ways": "double[:, ::1]",
        "shares": "double[::1]",
        "radii": "double[:]",
        "pierce": "long long[:]",
        "groups": "long long[:]",
        "without": "long long[:]",
        "starts": "long long[::1]",
        "past": "long long[::1]",
        "shots": "IntBuffer",
        "slots": "IntBuffer",
        "times": "double[::1]",
    }

    def __init__(
        self,
        ways: np.ndarray,
        shares: np.ndarray,
        shots: tuple[np.ndarray, ...],
        starts: np.ndarray,
        past: np.ndarray,
    ) -> None:
        self.ways = ways
        self.shares = shares
        self.radii, self.pierce, self.groups, self.without = shots
        self.starts = starts
        self.past = past
        self.shots = IntBuffer()
        self.slots = IntBuffer()
        self.times = np.empty(256)

    def find(self, units: UnitStore) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows, slots and shares of the ways, in order of the rows.

        Of a shot that pierces nothing, only the first touch.
        """
        i: cython.Py_ssize_t
        begin_question(cython.address(units.busy))
        try:
            with cython.nogil:
                for i in range(len(self.ways)):
                    if self.shares[i] >= 0.0:
                        self.find_of(units, i)
        finally:
            end_question(cython.address(units.busy))
        n = self.shots.used
        found = np.array(self.shots.taken(), np.intp), np.array(self.slots.taken(), np.int32)
        return *found, np.array(self.times[:n])

    def find_of(self, units: UnitStore, i: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Add what one shot touches."""
        walk = cython.declare(Walk)
        hits = cython.declare(cython.int[HITS])
        times = cython.declare(cython.double[HITS])
        k: cython.int
        n: cython.int = HITS
        first: cython.double = INF
        best: cython.int = NO_SLOT
        start_counts(cython.address(walk), False)
        begin_segment(
            cython.address(walk),
            self.ways[i, 0],
            self.ways[i, 1],
            self.ways[i, 2],
            self.ways[i, 3],
            self.radii[i],
            cython.cast(cython.int, self.groups[i]),
            cython.cast(cython.int, self.without[i]),
        )
        while n == HITS:
            n = find_on_segment(units, cython.address(walk), self.radii[i], -1.0, hits, times)
            for k in range(n):
                if times[k] > self.shares[i] or self.is_past(i, units.serial_of(hits[k])):
                    continue
                if self.pierce[i] > 0:
                    self.add(i, hits[k], times[k])
                elif times[k] < first or (
                    times[k] == first and order_of(units, hits[k]) < order_of(units, best)
                ):
                    first = times[k]
                    best = hits[k]
        if best != NO_SLOT:
            self.add(i, best, first)
        return 0

    def is_past(self, i: cython.Py_ssize_t, serial: cython.longlong) -> NoGil[cython.bint]:
        """Whether a shot has hit the unit with a serial before."""
        at: cython.Py_ssize_t = self.starts[i]
        while at < self.starts[i + 1] and self.past[at] != serial:
            at += 1
        return at < self.starts[i + 1]

    def add(
        self, i: cython.Py_ssize_t, slot: cython.int, time: cython.double
    ) -> RaisesNoGil[cython.int]:
        """Add a touch."""
        n: cython.Py_ssize_t = self.shots.used
        if n == len(self.times):
            with cython.gil:
                self.grow()
        self.slots.append(slot)
        self.times[n] = time
        self.shots.append(cython.cast(cython.int, i))
        return 0

    def grow(self) -> Raises[cython.int]:
        """Make room for twice as many touches."""
        times = np.empty(2 * len(self.times))
        times[: len(self.times)] = self.times
        self.times = times
        return 0


def order_of(units: UnitStore, slot: cython.Py_ssize_t) -> NoGil[cython.int]:
    """Return when a slot's unit was added, as a number."""
    return units.record[RECORD * slot + ORDER]

"""Sums over the neighbors of many units, in one pass through the tree.

Neighbors are added in ascending order of their slots, so no sum depends on the shape of the tree
or on who else asks.
"""

from __future__ import annotations

from array import array
from math import sqrt
from typing import Annotated

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.buffers import IntBuffer, sort_range
from tilequad._core.tree.batch import answer_one
from tilequad._core.tree.layout import CANDIDATES, ENTRY, RECORD, begin_question, end_question
from tilequad._core.tree.questions import Questions
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.within import MIN_SHARED, copy_candidates, end_of_group

# The sums of a unit: its neighbors, their offsets, their velocities, and where they push it.
COUNT: cython.int = 0
OFFSET_X: cython.int = 1
OFFSET_Y: cython.int = 2
HEADING_X: cython.int = 3
HEADING_Y: cython.int = 4
APART_X: cython.int = 5
APART_Y: cython.int = 6
SUMS: cython.int = 7
# The kinds of falloff.
LINEAR: cython.int = 0
CONSTANT: cython.int = 1
INVERSE: cython.int = 2
INVERSE_SQUARE: cython.int = 3
# The least distance that a falloff divides by, in separation distances.
NEAREST: cython.double = 1e-3


@cython.final
@cython.cclass
class FlockSums:
    """The steering sums of some units over their neighbors.

    Args:
        store: The tree's store.
        slots: The units that ask, (n,).
        max_distance: Units within this distance are neighbors.
        groups: Units in one of these groups count.
        without: Units in one of these groups do not.
        velocity: By slot, (m, 2).
        separation_distance: Neighbors nearer than this push apart.
        falloff: LINEAR, CONSTANT, INVERSE or INVERSE_SQUARE.
        directions: Directions for units on one point, (64, 2).
    """

    __slots__ = {
        "store": "UnitStore",
        "slots": "int[::1]",
        "asked": "Questions",
        "velocity": "double[:, ::1]",
        "close": "double",
        "falloff": "int",
        "directions": "double[:, ::1]",
        "sums": "double[::1]",
    }

    def __init__(
        self,
        store: UnitStore,
        slots: np.ndarray,
        max_distance: float,
        groups: int,
        without: int,
        velocity: np.ndarray,
        separation_distance: float,
        falloff: int,
        directions: np.ndarray,
    ) -> None:
        self.store = store
        self.slots = slots.data
        limits = np.zeros((len(slots), 2))
        limits[:, 1] = max_distance
        self.asked = Questions(self.store.positions(slots.data), limits, groups, without)
        self.velocity = velocity.data
        self.close = separation_distance
        self.falloff = falloff
        self.directions = directions.data
        self.sums = array("d", [0.0]) * SUMS

    def fill(
        self,
        counts: cython.int[::1],
        cohesion: cython.double[:, ::1],
        alignment: cython.double[:, ::1],
        separation: cython.double[:, ::1],
    ) -> int:
        """Write the number of neighbors, cohesion, alignment and separation of each unit.

        Returns the slot of a neighbor that has no velocity, or -1.
        """
        box = cython.declare(cython.double[4])
        xs = cython.declare(cython.double[CANDIDATES])
        ys = cython.declare(cython.double[CANDIDATES])
        near = cython.declare(cython.int[CANDIDATES])
        hits = cython.declare(cython.int[CANDIDATES])
        ranges: cython.int[::1] = array("i", [0]) * len(self.slots)
        found: IntBuffer = IntBuffer()
        n: cython.Py_ssize_t = len(self.slots)
        start: cython.Py_ssize_t
        end: cython.Py_ssize_t = 0
        candidates: cython.Py_ssize_t
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        wrong: cython.int = -1
        begin_question(cython.address(self.store.busy))
        try:
            with cython.nogil:
                while end < n and wrong < 0:
                    start = end
                    end = end_of_group(self.asked, start, n, box)
                    candidates = -1
                    if end - start >= MIN_SHARED:
                        candidates = copy_candidates(
                            self.store, box, self.asked.groups, self.asked.without, xs, ys, near
                        )
                    for k in range(start, end):
                        i = self.asked.order[k]
                        if candidates < 0:
                            found.used = 0
                            answer_one(self.store, self.asked, i, ranges, found)
                            wrong = self.sum_found(i, found, xs, ys, near, hits)
                        else:
                            wrong = self.sum_candidates(i, xs, ys, near, candidates, hits)
                        if wrong >= 0:
                            break
                        self.write(i, counts, cohesion, alignment, separation)
        finally:
            end_question(cython.address(self.store.busy))
        return wrong

    def sum_candidates(
        self,
        i: cython.Py_ssize_t,
        xs: cython.p_double,
        ys: cython.p_double,
        near: cython.p_int,
        candidates: cython.Py_ssize_t,
        hits: cython.p_int,
    ) -> NoGil[cython.int]:
        """Sum the candidates within a unit's distance; return one without a velocity, or -1."""
        x: cython.double = self.asked.places[i, 0]
        y: cython.double = self.asked.places[i, 1]
        radius2: cython.double = self.asked.limits[i, 1] * self.asked.limits[i, 1]
        own: cython.int = self.slots[i]
        dx: cython.double
        dy: cython.double
        j: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        for j in range(candidates):
            dx = xs[j] - x
            dy = ys[j] - y
            hits[n] = cython.cast(cython.int, j)
            n += (dx * dx + dy * dy <= radius2) & (near[j] != own)
        sort_by_slot(hits, n, near)
        self.clear()
        return self.sum_these(i, xs, ys, near, n, hits)

    def sum_found(
        self,
        i: cython.Py_ssize_t,
        found: IntBuffer,
        xs: cython.p_double,
        ys: cython.p_double,
        near: cython.p_int,
        hits: cython.p_int,
    ) -> Annotated[cython.int, "except -2 nogil"]:
        """Sum all slots except the unit's own; return one without a velocity, or -1."""
        own: cython.int = self.slots[i]
        slot: cython.int
        wrong: cython.int
        many: cython.int = 0
        entry: cython.Py_ssize_t
        j: cython.Py_ssize_t
        n: cython.Py_ssize_t = found.used
        found.reserve(n)  # scratch space for the sort
        sort_range(found.values, 0, n, found.values[n:])
        self.clear()
        for j in range(n):
            slot = found.values[j]
            if slot == own:
                continue
            hits[many] = many
            near[many] = slot
            entry = self.store.record[RECORD * slot + ENTRY]
            xs[many] = self.store.xs[entry]
            ys[many] = self.store.ys[entry]
            many += 1
            if many == CANDIDATES:
                wrong = self.sum_these(i, xs, ys, near, many, hits)
                many = 0
                if wrong >= 0:
                    return wrong
        return self.sum_these(i, xs, ys, near, many, hits)

    def sum_these(
        self,
        i: cython.Py_ssize_t,
        xs: cython.p_double,
        ys: cython.p_double,
        near: cython.p_int,
        n: cython.Py_ssize_t,
        hits: cython.p_int,
    ) -> NoGil[cython.int]:
        """Sum n neighbors; return the slot of one without a velocity, or -1."""
        x: cython.double = self.asked.places[i, 0]
        y: cython.double = self.asked.places[i, 1]
        own: cython.int = self.slots[i]
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        slot: cython.int
        dx: cython.double
        dy: cython.double
        distance: cython.double
        push: cython.double
        offset_x: cython.double = self.sums[OFFSET_X]
        offset_y: cython.double = self.sums[OFFSET_Y]
        heading_x: cython.double = self.sums[HEADING_X]
        heading_y: cython.double = self.sums[HEADING_Y]
        apart_x: cython.double = self.sums[APART_X]
        apart_y: cython.double = self.sums[APART_Y]
        for j in range(n):
            k = hits[j]
            slot = near[k]
            if slot >= len(self.velocity):
                return slot
            dx = xs[k] - x
            dy = ys[k] - y
            offset_x += dx
            offset_y += dy
            heading_x += self.velocity[slot, 0]
            heading_y += self.velocity[slot, 1]
            distance = dx * dx + dy * dy
            if distance >= self.close * self.close:
                continue
            distance = sqrt(distance)
            push = push_of(distance, self.close, self.falloff)
            if distance == 0.0:  # at one point, they part in a direction of their own
                dx = self.directions[slot & 63, 0] - self.directions[own & 63, 0]
                dy = self.directions[slot & 63, 1] - self.directions[own & 63, 1]
            apart_x -= dx * push
            apart_y -= dy * push
        self.sums[COUNT] += n
        self.sums[OFFSET_X] = offset_x
        self.sums[OFFSET_Y] = offset_y
        self.sums[HEADING_X] = heading_x
        self.sums[HEADING_Y] = heading_y
        self.sums[APART_X] = apart_x
        self.sums[APART_Y] = apart_y
        return -1

    def clear(self) -> NoGil[None]:
        """Begin with no neighbors."""
        k: cython.Py_ssize_t
        for k in range(SUMS):
            self.sums[k] = 0.0

    def write(
        self,
        i: cython.Py_ssize_t,
        counts: cython.int[::1],
        cohesion: cython.double[:, ::1],
        alignment: cython.double[:, ::1],
        separation: cython.double[:, ::1],
    ) -> NoGil[None]:
        """Write the sums of a unit as row i."""
        count: cython.double = max(self.sums[COUNT], 1.0)
        counts[i] = cython.cast(cython.int, self.sums[COUNT])
        if self.sums[COUNT] > 0.0:  # a unit without neighbors steers nowhere
            cohesion[i, 0] = self.sums[OFFSET_X] / count
            cohesion[i, 1] = self.sums[OFFSET_Y] / count
            alignment[i, 0] = self.sums[HEADING_X] / count - self.velocity[self.slots[i], 0]
            alignment[i, 1] = self.sums[HEADING_Y] / count - self.velocity[self.slots[i], 1]
            separation[i, 0] = self.sums[APART_X]
            separation[i, 1] = self.sums[APART_Y]


def sort_by_slot(hits: cython.p_int, n: cython.Py_ssize_t, slots: cython.p_int) -> NoGil[None]:
    """Shell sort the first n indices of an array by slot."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    gap: cython.Py_ssize_t = 1
    hit: cython.int
    slot: cython.int
    while gap < n // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            hit = hits[i]
            slot = slots[hit]
            j = i
            while j >= gap and slots[hits[j - gap]] > slot:
                hits[j] = hits[j - gap]
                j -= gap
            hits[j] = hit
        gap = gap // 3


def push_of(
    distance: cython.double, close: cython.double, falloff: cython.int
) -> NoGil[cython.double]:
    """Return a neighbor's push, divided by its distance; at distance 0 the push itself."""
    push: cython.double = 1.0 / distance if distance > 0.0 else 1.0
    least: cython.double = max(distance, NEAREST * close)
    if falloff == LINEAR and distance > 0.0:
        return push - 1.0 / close
    if falloff == INVERSE:
        return push * (1.0 / least)
    if falloff == INVERSE_SQUARE:
        return push * (1.0 / (least * least))
    return push

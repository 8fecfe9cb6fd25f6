"""Sums over the neighbors of many units.

Neighbors are added row by row and cell by cell of a grid, then by slot: an order that depends only
on where the neighbors are.
"""

from __future__ import annotations

from array import array
from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises, RaisesNoGil
from tilequad._core.army.cell_grid import CellGrid, list_members
from tilequad._core.buffers import IntBuffer, Scratch
from tilequad._core.layout import ENTRY, RECORD, begin_question, end_question
from tilequad._core.tree.units import UnitStore

# The sums of a unit: its neighbors, their offsets, their velocities, and where they push it.
COUNT: cython.int = 0
OFFSET_X: cython.int = 1
OFFSET_Y: cython.int = 2
HEADING_X: cython.int = 3
HEADING_Y: cython.int = 4
APART_X: cython.int = 5
APART_Y: cython.int = 6
SUMS: cython.int = 7
BLOCK: cython.int = 256  # units whose sums are kept in the cache until they are written
# The kinds of falloff.
LINEAR: cython.int = 0
CONSTANT: cython.int = 1
INVERSE: cython.int = 2
INVERSE_SQUARE: cython.int = 3
# The least distance that a falloff divides by, in separation distances.
NEAREST: cython.double = 1e-3


@cython.final
@cython.cclass
class Boids:
    """Some units in the order of a grid: where they are, their slots and their velocities.

    Velocities are given by slot, (m, 2). Units within `reach` of one another are in neighboring
    cells.
    """

    __slots__ = {
        "grid": "CellGrid",
        "slots": "int[::1]",
        "speeds": "double[::1]",  # x and y in turn
    }

    def __init__(
        self,
        store: UnitStore,
        slots: cython.int[::1],
        velocity: cython.double[:, ::1],
        reach: cython.double,
    ) -> None:
        n = cython.cast(cython.int, len(slots))
        memory = Scratch(n, 4, 3)
        places = memory.floats(2)
        xs: cython.double[::1] = places[0]
        ys: cython.double[::1] = places[1]
        k: cython.Py_ssize_t
        for k in range(n):
            entry: cython.Py_ssize_t = store.record[RECORD * slots[k] + ENTRY]
            xs[k] = store.xs[entry]
            ys[k] = store.ys[entry]
        self.grid = CellGrid(n, xs, ys, reach, memory)
        [self.slots] = memory.ints(1)
        [self.speeds] = Scratch(2 * n, 1, 0).floats(1)
        for k in range(n):
            self.slots[k] = slots[self.grid.numbers[k]]
            self.speeds[2 * k] = velocity[self.slots[k], 0]
            self.speeds[2 * k + 1] = velocity[self.slots[k], 1]


@cython.final
@cython.cclass
class FlockSums:
    """The steering sums of some units over their neighbors.

    `velocity` is by slot, (m, 2), and `directions` are for units on one point, (64, 2). Neighbors
    nearer than `separation_distance` push apart. `falloff` is LINEAR, CONSTANT, INVERSE or
    INVERSE_SQUARE.
    """

    __slots__ = {
        "store": "UnitStore",
        "slots": "int[::1]",
        "max_distance": "double",
        "groups": "int",
        "without": "int",
        "velocity": "double[:, ::1]",
        "close": "double",
        "falloff": "int",
        "directions": "double[:, ::1]",
        "members": "Boids",  # the units that count
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
        self.max_distance = max_distance
        self.groups = groups
        self.without = without
        self.velocity = velocity.data
        self.close = separation_distance
        self.falloff = falloff
        self.directions = directions.data

    def fill(
        self,
        counts: cython.int[::1],
        cohesion: cython.double[:, ::1],
        alignment: cython.double[:, ::1],
        separation: cython.double[:, ::1],
    ) -> int:
        """Write the number of neighbors, cohesion, alignment and separation of each unit.

        Returns the slot of a unit that counts and has no velocity, or -1.
        """
        hits: IntBuffer = IntBuffer()
        sums: cython.double[::1] = array("d", [0.0]) * (SUMS * BLOCK)
        end: cython.int = 0
        begin_question(cython.address(self.store.busy))
        try:
            wrong = self.sort_members()
            if wrong >= 0:
                return wrong
            # Askers that stand together read the same neighbors, so they ask one after the other.
            askers: Boids = self.members
            if not self.all_ask():
                askers = Boids(self.store, self.slots, self.velocity, self.max_distance)
            with cython.nogil:
                while end < askers.grid.n:
                    first = end
                    end = min(first + BLOCK, askers.grid.n)
                    self.ask(askers, first, end, sums, hits)
                    self.write_means(
                        askers, first, end, sums, counts, cohesion, alignment, separation
                    )
        finally:
            end_question(cython.address(self.store.busy))
        return -1

    def sort_members(self) -> Raises[cython.int]:
        """Sort the units that count by cells; return one without a velocity, or -2 if all do."""
        room: cython.int[::1] = array("i", [0]) * self.store.count
        n = list_members(self.store, self.groups, self.without, room)
        if n > 0 and room[n - 1] >= len(self.velocity):
            return room[n - 1]
        self.members = Boids(self.store, room[:n], self.velocity, self.max_distance)
        return -2

    def all_ask(self) -> NoGil[cython.bint]:
        """Whether exactly the units that count ask, by ascending slots."""
        k: cython.Py_ssize_t
        same: cython.Py_ssize_t = 0
        if self.members.grid.n != len(self.slots):
            return False
        for k in range(self.members.grid.n):
            same += self.members.slots[k] == self.slots[self.members.grid.numbers[k]]
        return same == self.members.grid.n

    def ask(
        self,
        askers: Boids,
        first: cython.int,
        end: cython.int,
        sums: cython.double[::1],
        hits: IntBuffer,
    ) -> RaisesNoGil[cython.int]:
        """Write a row of sums for each of some askers."""
        runs = cython.declare(cython.int[12])
        column: cython.Py_ssize_t = 0
        row: cython.Py_ssize_t = 0
        last_column: cython.Py_ssize_t = 0
        last_row: cython.Py_ssize_t = 0
        k: cython.int
        radius2 = self.max_distance * self.max_distance
        for k in range(first, end):
            column = self.members.grid.cell_of(askers.grid.xs[k])
            row = self.members.grid.cell_of(askers.grid.ys[k])
            if k == first or column != last_column or row != last_row:
                for part in range(3):
                    self.members.grid.write_run(column - 1, row - 1 + part, 3, runs, 4 * part)
                last_column = column
                last_row = row
            self.members.grid.find(askers.grid.xs[k], askers.grid.ys[k], radius2, runs, 12, hits)
            self.add_up(
                askers.slots[k], askers.grid.xs[k], askers.grid.ys[k], hits, sums, k - first
            )
        return 0

    def add_up(
        self,
        own: cython.int,
        x: cython.double,
        y: cython.double,
        hits: IntBuffer,
        sums: cython.double[::1],
        k: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Write the sums over the hits, without the unit itself, as row k."""
        close2 = self.close * self.close
        count: cython.Py_ssize_t = hits.used
        close: cython.Py_ssize_t = 0  # of those that push it, which are gathered in front
        offset_x = 0.0
        offset_y = 0.0
        heading_x = 0.0
        heading_y = 0.0
        apart_x = 0.0
        apart_y = 0.0
        for h in range(hits.used):
            j: cython.Py_ssize_t = hits.values[h]
            dx = self.members.grid.xs[j] - x
            dy = self.members.grid.ys[j] - y
            distance = dx * dx + dy * dy
            if distance == 0.0 and self.members.slots[j] == own:
                count -= 1
                continue
            offset_x += dx
            offset_y += dy
            heading_x += self.members.speeds[2 * j]
            heading_y += self.members.speeds[2 * j + 1]
            hits.values[close] = cython.cast(cython.int, j)  # without branches
            close += distance < close2
        for h in range(close):
            j = hits.values[h]
            dx = self.members.grid.xs[j] - x
            dy = self.members.grid.ys[j] - y
            distance = sqrt(dx * dx + dy * dy)
            push = push_of(distance, self.close, self.falloff)
            if distance == 0.0:  # at one point, they part in a direction of their own
                dx = self.directions[self.members.slots[j] & 63, 0] - self.directions[own & 63, 0]
                dy = self.directions[self.members.slots[j] & 63, 1] - self.directions[own & 63, 1]
            apart_x -= dx * push
            apart_y -= dy * push
        sums[SUMS * k + COUNT] = count
        sums[SUMS * k + OFFSET_X] = offset_x
        sums[SUMS * k + OFFSET_Y] = offset_y
        sums[SUMS * k + HEADING_X] = heading_x
        sums[SUMS * k + HEADING_Y] = heading_y
        sums[SUMS * k + APART_X] = apart_x
        sums[SUMS * k + APART_Y] = apart_y

    def write_means(
        self,
        askers: Boids,
        first: cython.int,
        end: cython.int,
        sums: cython.double[::1],
        counts: cython.int[::1],
        cohesion: cython.double[:, ::1],
        alignment: cython.double[:, ::1],
        separation: cython.double[:, ::1],
    ) -> NoGil[None]:
        """Write for some askers what their sums mean.

        Their rows lie far apart, so this is a loop of its own, which waits for many at once.
        """
        a: cython.Py_ssize_t
        for a in range(first, end):
            i: cython.Py_ssize_t = askers.grid.numbers[a]
            k = SUMS * (a - first)
            count = sums[k + COUNT]
            if count == 0.0:  # a unit without neighbors steers nowhere
                continue
            counts[i] = cython.cast(cython.int, count)
            cohesion[i, 0] = sums[k + OFFSET_X] / count
            cohesion[i, 1] = sums[k + OFFSET_Y] / count
            alignment[i, 0] = sums[k + HEADING_X] / count - askers.speeds[2 * a]
            alignment[i, 1] = sums[k + HEADING_Y] / count - askers.speeds[2 * a + 1]
            separation[i, 0] = sums[k + APART_X]
            separation[i, 1] = sums[k + APART_Y]


def push_of(
    distance: cython.double, close: cython.double, falloff: cython.int
) -> NoGil[cython.double]:
    """Return a neighbor's push, divided by its distance; at distance 0 the push itself."""
    push = 1.0 / distance if distance > 0.0 else 1.0
    least = max(distance, NEAREST * close)
    if falloff == LINEAR and distance > 0.0:
        return push - 1.0 / close
    if falloff == INVERSE:
        return push * (1.0 / least)
    if falloff == INVERSE_SQUARE:
        return push * (1.0 / (least * least))
    return push

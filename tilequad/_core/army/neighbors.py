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
from tilequad._core.buffers import IntBuffer, Rows
from tilequad._core.tree.layout import ENTRY, RECORD, begin_question, end_question
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
        "max_distance": "double",
        "groups": "int",
        "without": "int",
        "velocity": "double[:, ::1]",
        "close": "double",
        "falloff": "int",
        "directions": "double[:, ::1]",
        # The units that count, in the order of the grid.
        "grid": "CellGrid",
        "members": "int[::1]",
        "speeds": "double[::1]",  # x and y in turn
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
        first: cython.int
        end: cython.int = 0
        wrong: cython.int
        begin_question(cython.address(self.store.busy))
        try:
            wrong = self.sort_members()
            if wrong >= 0:
                return wrong
            # Askers that stand together read the same neighbors, so they ask one after the other.
            askers: CellGrid = self.grid if self.all_ask() else self.sorted_by_cell(self.slots)
            with cython.nogil:
                while end < askers.n:
                    first = end
                    end = min(first + BLOCK, askers.n)
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
        n: cython.int = list_members(self.store, self.groups, self.without, room)
        slots: cython.int[::1] = room[:n]
        k: cython.Py_ssize_t
        slot: cython.int
        if n > 0 and slots[n - 1] >= len(self.velocity):
            return slots[n - 1]
        self.grid = self.sorted_by_cell(slots)
        self.members = array("i", [0]) * n
        self.speeds = array("d", [0.0]) * (2 * n)
        for k in range(n):
            slot = slots[self.grid.numbers[k]]
            self.members[k] = slot
            self.speeds[2 * k] = self.velocity[slot, 0]
            self.speeds[2 * k + 1] = self.velocity[slot, 1]
        return -2

    def sorted_by_cell(self, slots: cython.int[::1]) -> CellGrid:
        """Return the positions of slots in a grid."""
        n: cython.int = cython.cast(cython.int, len(slots))
        memory = Rows(n, 4, 2)
        places = memory.floats(2)
        xs: cython.double[::1] = places[0]
        ys: cython.double[::1] = places[1]
        k: cython.Py_ssize_t
        entry: cython.Py_ssize_t
        for k in range(n):
            entry = self.store.record[RECORD * slots[k] + ENTRY]
            xs[k] = self.store.xs[entry]
            ys[k] = self.store.ys[entry]
        return CellGrid(n, xs, ys, self.max_distance, memory)

    def all_ask(self) -> NoGil[cython.bint]:
        """Whether exactly the units that count ask, by ascending slots."""
        k: cython.Py_ssize_t
        same: cython.Py_ssize_t = 0
        if self.grid.n != len(self.slots):
            return False
        for k in range(self.grid.n):
            same += self.members[k] == self.slots[self.grid.numbers[k]]
        return same == self.grid.n

    def ask(
        self,
        askers: CellGrid,
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
        part: cython.Py_ssize_t
        room: cython.Py_ssize_t
        radius2: cython.double = self.max_distance * self.max_distance
        for k in range(first, end):
            column = self.grid.cell_of(askers.xs[k])
            row = self.grid.cell_of(askers.ys[k])
            if k == first or column != last_column or row != last_row:
                for part in range(3):
                    self.grid.write_run(column - 1, row - 1 + part, 3, runs, 4 * part)
                last_column = column
                last_row = row
                room = 0
                for part in range(0, 12, 2):
                    room += max(runs[part + 1] - runs[part], 0)
                hits.used = 0
                hits.reserve(room)
            hits.used = 0
            for part in range(0, 12, 2):
                if runs[part] < runs[part + 1]:
                    self.grid.find(
                        askers.xs[k], askers.ys[k], radius2, runs[part], runs[part + 1], hits
                    )
            self.add_up(
                self.slots[askers.numbers[k]], askers.xs[k], askers.ys[k], hits, sums, k - first
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
        close2: cython.double = self.close * self.close
        h: cython.Py_ssize_t
        j: cython.Py_ssize_t
        count: cython.Py_ssize_t = hits.used
        close: cython.Py_ssize_t = 0  # of those that push it, which are gathered in front
        dx: cython.double
        dy: cython.double
        distance: cython.double
        push: cython.double
        offset_x: cython.double = 0.0
        offset_y: cython.double = 0.0
        heading_x: cython.double = 0.0
        heading_y: cython.double = 0.0
        apart_x: cython.double = 0.0
        apart_y: cython.double = 0.0
        for h in range(hits.used):
            j = hits.values[h]
            dx = self.grid.xs[j] - x
            dy = self.grid.ys[j] - y
            distance = dx * dx + dy * dy
            if distance == 0.0 and self.members[j] == own:
                count -= 1
                continue
            offset_x += dx
            offset_y += dy
            heading_x += self.speeds[2 * j]
            heading_y += self.speeds[2 * j + 1]
            hits.values[close] = cython.cast(cython.int, j)  # without branches
            close += distance < close2
        for h in range(close):
            j = hits.values[h]
            dx = self.grid.xs[j] - x
            dy = self.grid.ys[j] - y
            distance = sqrt(dx * dx + dy * dy)
            push = push_of(distance, self.close, self.falloff)
            if distance == 0.0:  # at one point, they part in a direction of their own
                dx = self.directions[self.members[j] & 63, 0] - self.directions[own & 63, 0]
                dy = self.directions[self.members[j] & 63, 1] - self.directions[own & 63, 1]
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
        askers: CellGrid,
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
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        own: cython.int
        count: cython.double
        for a in range(first, end):
            i = askers.numbers[a]
            own = self.slots[i]
            k = SUMS * (a - first)
            count = sums[k + COUNT]
            if count == 0.0:  # a unit without neighbors steers nowhere
                continue
            counts[i] = cython.cast(cython.int, count)
            cohesion[i, 0] = sums[k + OFFSET_X] / count
            cohesion[i, 1] = sums[k + OFFSET_Y] / count
            alignment[i, 0] = sums[k + HEADING_X] / count - self.velocity[own, 0]
            alignment[i, 1] = sums[k + HEADING_Y] / count - self.velocity[own, 1]
            separation[i, 0] = sums[k + APART_X]
            separation[i, 1] = sums[k + APART_Y]


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

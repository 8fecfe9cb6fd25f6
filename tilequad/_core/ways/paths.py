"""Paths between points: the ways from cell to cell, and straight lines in place of their zigzag."""

from __future__ import annotations

from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.areas import Areas
from tilequad._core.ways.astar import AStar
from tilequad._core.ways.ground import Ground  # noqa: F401 -- the type of a field

STRIDE: cython.Py_ssize_t = 8  # the most cells between corners on a straight stretch


@cython.final
@cython.cclass
class PathFinder:
    """Finds paths between points.

    Args:
        areas: The connected areas.
        astar: Finds the way from cell to cell.
    """

    __slots__ = {
        "ground": "Ground",
        "areas": "Areas",
        "astar": "AStar",
        "turns": "IntBuffer",  # the corners between start and goal, as places
        "points": "double[:, ::1]",  # the answer
        "used": "Py_ssize_t",
        "walls": "double[::1]",  # by direction: (nx, ny, far), a cell's edge, normal outwards
        "costs": "double[::1]",  # by code
        "cheapest": "double",
        "pitch": "double",  # the least distance between neighboring lines of cells
        "need": "int",  # how many of the cells beside a corner must be open
    }

    def __init__(self, areas: Areas, astar: AStar) -> None:
        self.ground = areas.ground
        self.areas = areas
        self.astar = astar
        self.turns = IntBuffer(256)
        self.points = np.empty((256, 2)).data
        self.used = 0
        self.walls = self.ground.shape.walls().data
        costs = np.array(self.ground.costs.values)
        self.cheapest = float(costs[1:].min()) if len(costs) > 1 else 1.0
        costs[0] = 0.0
        self.costs = costs.data
        self.pitch = self.ground.shape.pitch()
        self.need = min(self.ground.need, 2)

    def find_all(
        self, starts: cython.double[:, ::1], goals: cython.double[:, ::1], ends: cython.int[::1]
    ) -> np.ndarray:
        """Find the way of each pair; return all corners, one way after the other, (n, 2).

        Writes the end of each way to `ends`.
        """
        i: cython.Py_ssize_t
        spots = cython.declare(cython.double[4])
        with cython.nogil:
            self.used = 0
            for i in range(len(ends)):
                spots[0] = starts[i, 0]
                spots[1] = starts[i, 1]
                spots[2] = goals[i, 0]
                spots[3] = goals[i, 1]
                self.find(spots)
                ends[i] = cython.cast(cython.int, self.used)
        return np.asarray(self.points)[: self.used].copy()

    def find(self, ends: cython.p_double) -> RaisesNoGil[cython.int]:
        """Find the way between two points. A closed end moves to the nearest open cell."""
        area: cython.int
        start: cython.Py_ssize_t = self.ground.place_at(ends[0], ends[1])
        goal: cython.Py_ssize_t = self.ground.place_at(ends[2], ends[3])
        if start < 0 or self.ground.codes[start] == 0:
            start = self.areas.nearest(ends[0], ends[1], 0)
            if start < 0:
                return 0
            ends[0] = self.ground.center_x(start)
            ends[1] = self.ground.center_y(start)
        area = self.areas.root(self.areas.labels[start])
        if goal < 0 or self.ground.codes[goal] == 0:
            goal = self.areas.nearest(ends[2], ends[3], area)
            ends[2] = self.ground.center_x(goal)
            ends[3] = self.ground.center_y(goal)
        if self.areas.root(self.areas.labels[goal]) != area:
            return 0
        if self.is_straight(start, ends):
            self.write(ends[0], ends[1])
            if ends[0] != ends[2] or ends[1] != ends[3]:
                self.write(ends[2], ends[3])
            return 0
        self.astar.search(start, goal)
        self.astar.trace(start, goal)
        return self.straighten(ends)

    def is_straight(self, start: cython.Py_ssize_t, ends: cython.p_double) -> NoGil[cython.bint]:
        """Whether a straight line leads to the goal through the cheapest cells alone."""
        dx: cython.double = ends[2] - ends[0]
        dy: cython.double = ends[3] - ends[1]
        least: cython.double = sqrt(dx * dx + dy * dy) * self.cheapest
        cost: cython.double = self.line_cost(start, ends[0], ends[1], ends[2], ends[3])
        return 0.0 <= cost <= least * (1.0 + 1e-12)

    # -- the lines ---------------------------------------------------------------------------------

    def straighten(self, ends: cython.p_double) -> RaisesNoGil[cython.int]:
        """Write the corners of the way, leaving out those that a straight line makes needless.

        Corners are the ends, the centers of their cells, the turns of the way, and some in between.
        A line replaces a part of the way if it is open all along and costs no more.
        """
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.astar.cells.used
        last: cython.Py_ssize_t
        first: cython.Py_ssize_t = 0
        part: cython.double
        way: cython.double
        line: cython.double
        a = cython.declare(cython.double[2])
        b = cython.declare(cython.double[2])
        c = cython.declare(cython.double[2])
        self.turns.used = 0
        for i in range(n - 1, -1, -1):  # from the start
            if i == n - 1 or i == 0 or i % STRIDE == 0 or self.astar.turns_at(i):
                self.turns.append(self.astar.cells.values[i])
        # Corner 0 is the start, corner t + 1 the turn t, and the last corner the goal.
        last = self.turns.used + 1
        self.corner(0, ends, a)
        self.write(a[0], a[1])
        self.corner(1, ends, b)
        way = self.line_cost(self.turns.values[0], a[0], a[1], b[0], b[1])
        i = 1
        while i < last:
            # From corner `first` at a, the way so far leads to corner i at b and costs `way`.
            self.corner(i + 1, ends, c)
            part = self.line_cost(self.turns.values[i - 1], b[0], b[1], c[0], c[1])
            line = self.line_cost(self.turns.values[max(first - 1, 0)], a[0], a[1], c[0], c[1])
            if line >= 0.0 and line <= (way + part) * (1.0 + 1e-12):
                way = line
            else:
                self.write(b[0], b[1])
                first = i
                a[0] = b[0]
                a[1] = b[1]
                way = part
            b[0] = c[0]
            b[1] = c[1]
            i += 1
        if b[0] != a[0] or b[1] != a[1]:
            self.write(b[0], b[1])
        return 0

    def corner(
        self, i: cython.Py_ssize_t, ends: cython.p_double, spot: cython.p_double
    ) -> NoGil[None]:
        """A corner of the way before it is straightened."""
        if i == 0:
            spot[0] = ends[0]
            spot[1] = ends[1]
        elif i > self.turns.used:
            spot[0] = ends[2]
            spot[1] = ends[3]
        else:
            spot[0] = self.ground.center_x(self.turns.values[i - 1])
            spot[1] = self.ground.center_y(self.turns.values[i - 1])

    def write(self, x: cython.double, y: cython.double) -> RaisesNoGil[cython.int]:
        """Append a corner to the answer."""
        if self.used == len(self.points):
            with cython.gil:
                self.points = np.concatenate((self.points, np.empty((self.used, 2)))).data
        self.points[self.used, 0] = x
        self.points[self.used, 1] = y
        self.used += 1
        return 0

    def line_cost(
        self,
        place: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        end_x: cython.double,
        end_y: cython.double,
    ) -> NoGil[cython.double]:
        """Return the cost of a straight line that starts in a cell, -1 if a closed cell blocks it.

        Goes from cell to cell, each time across the edge that the line meets first. Where it meets
        two at once, it goes through a corner, and the cells beside it must be open as for a move.
        """
        exits = cython.declare(cython.Py_ssize_t[2])
        times = cython.declare(cython.double[2])
        other: cython.Py_ssize_t
        beside: cython.Py_ssize_t
        base: cython.Py_ssize_t
        free: cython.int
        dx: cython.double = end_x - x
        dy: cython.double = end_y - y
        length: cython.double = sqrt(dx * dx + dy * dy)
        at: cython.double = 0.0
        cost: cython.double = 0.0
        left: cython.Py_ssize_t = 4 * (self.ground.columns + self.ground.rows) + 8
        while left > 0:
            left -= 1
            if self.ground.codes[place] == 0:
                return -1.0
            self.find_exits(place, x, y, dx, dy, exits, times)
            if times[0] >= 1.0:
                return cost + (1.0 - at) * length * self.costs[self.ground.codes[place]]
            if times[0] > at:
                cost += (times[0] - at) * length * self.costs[self.ground.codes[place]]
                at = times[0]
            base = self.ground.parity_of(place)
            other = place + self.ground.offsets[base + exits[0]]
            if exits[1] >= 0 and (times[1] - times[0]) * length < 1e-9 * self.pitch:
                beside = place + self.ground.offsets[base + exits[1]]
                free = (self.ground.codes[other] != 0) + (self.ground.codes[beside] != 0)
                if free < (2 if self.ground.directions == 6 else self.need):
                    return -1.0
                if self.ground.directions == 8:
                    base = self.ground.parity_of(other)
                    other = other + self.ground.offsets[base + exits[1]]
            place = other
        return -1.0

    def find_exits(
        self,
        place: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        dx: cython.double,
        dy: cython.double,
        exits: cython.p_Py_ssize_t,
        times: cython.p_double,
    ) -> NoGil[None]:
        """Find the first two edges of a cell that a line crosses outwards, and when."""
        k: cython.Py_ssize_t
        time: cython.double
        speed: cython.double
        away_x: cython.double = x - self.ground.center_x(place)
        away_y: cython.double = y - self.ground.center_y(place)
        times[0] = times[1] = 2.0
        exits[0] = exits[1] = -1
        for k in range(self.ground.directions):
            speed = self.walls[3 * k] * dx + self.walls[3 * k + 1] * dy
            if speed <= 0.0 or not self.ground.edges >> k & 1:
                continue
            time = self.walls[3 * k + 2] - self.walls[3 * k] * away_x
            time = (time - self.walls[3 * k + 1] * away_y) / speed
            if time < times[0]:
                times[1] = times[0]
                exits[1] = exits[0]
                times[0] = time
                exits[0] = k
            elif time < times[1]:
                times[1] = time
                exits[1] = k

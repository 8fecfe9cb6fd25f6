"""Paths between points: the ways from cell to cell, and straight lines in place of their zigzag."""

from __future__ import annotations

from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.areas import Areas
from tilequad._core.ways.astar import AStar
from tilequad._core.ways.cell_lines import CellLines
from tilequad._core.ways.closed_cells import ClosedCells
from tilequad._core.ways.ground import Ground  # noqa: F401 -- the type of a field

STRIDE: cython.Py_ssize_t = 8  # the most cells between corners on a straight stretch
MANY: cython.Py_ssize_t = 8  # starts that share a search, wherever they are
# What is between a start and a goal.
NOTHING: cython.int = 0
LINE: cython.int = 1
WAY: cython.int = 2


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
        "ends": "double[:, ::1]",  # the start and the goal of each pair
        "stops": "int[::1]",  # what is between them; then where their way ends
        "points": "double[:, ::1]",  # the answer
        "used": "Py_ssize_t",
        "lines": "CellLines",
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
        self.lines = CellLines(ClosedCells(self.ground))
        costs = np.array(self.ground.costs.values)
        self.cheapest = float(costs[1:].min()) if len(costs) > 1 else 1.0
        costs[0] = 0.0
        self.costs = costs.data
        self.pitch = self.ground.shape.pitch()
        self.need = min(self.ground.need, 2)

    def find_all(self, ends: np.ndarray, stops: np.ndarray) -> np.ndarray:
        """Find the ways of some pairs; return all corners, one way after the other, (n, 2).

        Pairs that follow each other and have the same goal may share a search.

        Args:
            ends: The start and the goal of each pair, (n, 4), float64. A start that is closed or
                outside becomes the nearest open cell, such a goal the nearest that can be reached.
            stops: Gets the end of each way, (n,), int32.
        """
        first: cython.Py_ssize_t = 0
        self.ends, self.stops = ends.data, stops.data
        self.used = 0
        with cython.nogil:
            for i in range(len(self.stops)):
                self.stops[i] = self.settle(i)
            for i in range(1, len(self.stops) + 1):
                if i == len(self.stops) or self.goal_of(i) != self.goal_of(first):
                    self.find_group(first, i)
                    first = i
        return np.asarray(self.points)[: self.used].copy()

    def settle(self, i: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Move the ends of a pair to open cells; return NOTHING, LINE or WAY between them."""
        ends = self.ends
        start = self.start_of(i)
        goal = self.goal_of(i)
        if start < 0 or goal < 0 or self.ground.codes[start] == 0 or self.ground.codes[goal] == 0:
            self.areas.know()
        if start < 0 or self.ground.codes[start] == 0:
            start = self.areas.nearest(ends[i, 0], ends[i, 1], 0)
            if start < 0:
                return NOTHING
            ends[i, 0] = self.ground.center_x(start)
            ends[i, 1] = self.ground.center_y(start)
        if goal < 0 or self.ground.codes[goal] == 0:
            area = self.areas.root(self.areas.labels[start])
            goal = self.areas.nearest(ends[i, 2], ends[i, 3], area)
            ends[i, 2] = self.ground.center_x(goal)
            ends[i, 3] = self.ground.center_y(goal)
        if self.are_apart(i):
            return NOTHING
        return LINE if self.is_straight(i) else WAY

    def are_apart(self, i: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether the ends of a pair, both open, are known to be in different areas."""
        if not self.areas.known:
            return False
        return self.areas.root(self.areas.labels[self.start_of(i)]) != self.areas.root(
            self.areas.labels[self.goal_of(i)]
        )

    def start_of(self, i: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The place of the start of a pair."""
        return self.ground.place_at(self.ends[i, 0], self.ends[i, 1])

    def goal_of(self, i: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The place of the goal of a pair."""
        return self.ground.place_at(self.ends[i, 2], self.ends[i, 3])

    def find_group(
        self, first: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> RaisesNoGil[cython.int]:
        """Write the ways of some pairs with the same goal.

        They share a search if their starts are many, or close together for their distance. It costs
        no more than a search of all cells; for a few starts on all sides, one search each is less.
        """
        goal = self.goal_of(first)
        self.astar.starts.used = 0
        for i in range(first, end):
            if self.stops[i] == WAY:
                self.astar.starts.append(cython.cast(cython.int, self.start_of(i)))
        shared: cython.bint = self.astar.starts.used >= MANY
        if not shared and self.astar.starts.used > 1:
            shared = self.astar.landmarks.are_together(self.astar.starts, goal)
        if shared:
            self.astar.search(goal)
        for i in range(first, end):
            if self.stops[i] == LINE:
                self.write_line(i)
            elif self.stops[i] == WAY:
                self.find_way(i, not shared)
            self.stops[i] = cython.cast(cython.int, self.used)
        return 0

    def write_line(self, i: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Write the ends of a pair, once if they are equal."""
        ends = self.ends
        self.write(ends[i, 0], ends[i, 1])
        if ends[i, 0] != ends[i, 2] or ends[i, 1] != ends[i, 3]:
            self.write(ends[i, 2], ends[i, 3])
        return 0

    def find_way(self, i: cython.Py_ssize_t, alone: cython.bint) -> RaisesNoGil[cython.int]:
        """Write the way of a pair, by the last search or by one of its own."""
        start = self.start_of(i)
        goal = self.goal_of(i)
        if self.are_apart(i):
            return 0
        if alone:
            self.astar.starts.used = 0
            self.astar.starts.append(cython.cast(cython.int, start))
            self.astar.search(goal)
        self.astar.trace(start, goal)
        if self.astar.cells.used == 0:
            self.areas.know()  # so that such a question costs nothing from now on
            return 0
        return self.straighten(i)

    def is_straight(self, i: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a straight line leads to the goal through the cheapest cells alone."""
        ends = self.ends
        dx = ends[i, 2] - ends[i, 0]
        dy = ends[i, 3] - ends[i, 1]
        least = sqrt(dx * dx + dy * dy) * self.cheapest
        cost = self.line_cost(self.start_of(i), ends[i, 0], ends[i, 1], ends[i, 2], ends[i, 3])
        return 0.0 <= cost <= least * (1.0 + 1e-12)

    # -- the lines ---------------------------------------------------------------------------------

    def straighten(self, pair: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Write the corners of the way, leaving out those that a straight line makes needless.

        Corners are the ends, the centers of their cells, the turns of the way, and some in between.
        A line replaces a part of the way if it is open all along and costs no more.
        """
        n = self.astar.cells.used
        first: cython.Py_ssize_t = 0
        a = cython.declare(cython.double[2])
        b = cython.declare(cython.double[2])
        c = cython.declare(cython.double[2])
        self.turns.used = 0
        for i in range(n):
            if i == n - 1 or i % STRIDE == 0 or self.astar.turns_at(i):
                self.turns.append(self.astar.cells.values[i])
        # Corner 0 is the start, corner t + 1 the turn t, and the last corner the goal.
        last = self.turns.used + 1
        self.corner(0, pair, a)
        self.write(a[0], a[1])
        self.corner(1, pair, b)
        way = self.line_cost(self.turns.values[0], a[0], a[1], b[0], b[1])
        i = 1
        while i < last:
            # From corner `first` at a, the way so far leads to corner i at b and costs `way`.
            self.corner(i + 1, pair, c)
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
        self, i: cython.Py_ssize_t, pair: cython.Py_ssize_t, spot: cython.p_double
    ) -> NoGil[None]:
        """A corner of the way before it is straightened."""
        if i == 0:
            spot[0] = self.ends[pair, 0]
            spot[1] = self.ends[pair, 1]
        elif i > self.turns.used:
            spot[0] = self.ends[pair, 2]
            spot[1] = self.ends[pair, 3]
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
        edges = cython.declare(cython.Py_ssize_t[4])
        rates = cython.declare(cython.double[4])
        exits = cython.declare(cython.Py_ssize_t[2])
        times = cython.declare(cython.double[2])
        length = sqrt((end_x - x) * (end_x - x) + (end_y - y) * (end_y - y))
        near = 1e-9 * self.pitch
        at = 0.0
        cost = 0.0
        left = 4 * (self.ground.columns + self.ground.rows) + 8
        n = self.lines.find_edges(end_x - x, end_y - y, edges, rates)
        x -= self.ground.center_x(place)
        y -= self.ground.center_y(place)
        while left > 0:
            left -= 1
            if self.ground.codes[place] == 0:
                return -1.0
            self.lines.find_exits(x, y, n, edges, rates, exits, times)
            if times[0] >= 1.0:
                return cost + (1.0 - at) * length * self.costs[self.ground.codes[place]]
            if times[0] > at:
                cost += (times[0] - at) * length * self.costs[self.ground.codes[place]]
                at = times[0]
            base = self.ground.parity_of(place)
            beside = place + self.ground.offsets[base + exits[1]]
            place += self.ground.offsets[base + exits[0]]
            x -= self.ground.steps[2 * exits[0]]
            y -= self.ground.steps[2 * exits[0] + 1]
            if (times[1] - times[0]) * length < near:
                if not self.may_cut(place, beside):
                    return -1.0
                if self.ground.directions == 8:
                    place += self.ground.offsets[self.ground.parity_of(place) + exits[1]]
                    x -= self.ground.steps[2 * exits[1]]
                    y -= self.ground.steps[2 * exits[1] + 1]
        return -1.0

    def may_cut(self, place: cython.Py_ssize_t, beside: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a line may go through the corner between two cells."""
        free: cython.int = (self.ground.codes[place] != 0) + (self.ground.codes[beside] != 0)
        return free >= (2 if self.ground.directions == 6 else self.need)

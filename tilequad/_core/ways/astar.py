"""The shortest way from cell to cell, and the straight lines that replace its zigzag.

The search is A* (Hart, Nilsson and Raphael, 1968) with whole numbers. What it knows about a cell is
packed into one word: the number of the search, the distance from the start, the move that led
there, and whether the cell is done. Searches are numbered downward, so words of earlier searches
are larger than all words of this one.

The remaining way is at least as long as a straight one, and at least as long as the landmarks
imply: two cells that are 10 and 70 from a landmark are at least 60 apart (Goldberg and Harrelson,
2005). Landmark distances may be older than the grid as long as nothing has become cheaper since.
"""

from __future__ import annotations

from array import array
from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.areas import Areas
from tilequad._core.ways.buckets import Buckets
from tilequad._core.ways.ground import Ground

FAR: cython.longlong = (1 << 40) - 1  # no distance
MOST: cython.longlong = (1 << 62) - 1  # larger than all words in use
STRIDE: cython.Py_ssize_t = 8  # the most cells between corners on a straight stretch
TURNS: cython.longlong = 1 << 17  # how many searches fit before the words must be cleared


@cython.cclass
class Ways:
    """Finds the shortest ways on a ground.

    Args:
        ground: The cells.
        areas: Their connected areas.
        queue: A queue for the moves.
        words: A word for each place.
        moves: The least cost of a move in each direction.
        walls: (nx, ny, far) of each direction: the edge there, its normal outwards.
        costs: The cost of each code.
        pitch: The least distance between neighboring lines of cells.
        need: How many cells beside a corner must be open.
        even: Whether all open cells cost the same.
    """

    __slots__ = {
        "ground": "Ground",
        "areas": "Areas",
        "queue": "Buckets",
        "cells": "IntBuffer",
        "turns": "IntBuffer",
        "words": "long long[::1]",
        "moves": "long long[::1]",
        "walls": "double[::1]",
        "costs": "double[::1]",
        "points": "double[:, ::1]",
        "used": "Py_ssize_t",
        "turn": "long long",
        "pitch": "double",
        "cheapest": "double",
        "need": "int",
        "even": "bint",
        "low0": "unsigned int[::1]",
        "rest0": "unsigned short[::1]",
        "low1": "unsigned int[::1]",
        "rest1": "unsigned short[::1]",
        "low2": "unsigned int[::1]",
        "rest2": "unsigned short[::1]",
        "low3": "unsigned int[::1]",
        "rest3": "unsigned short[::1]",
        "marks": "int",
        "chosen": "int",
        "picks": "int[::1]",
        "fars": "long long[::1]",
        "alongs": "int[::1]",
        "lines": "int[::1]",
        "expanded": "long long",
        "goal_along": "Py_ssize_t",
        "goal_line": "Py_ssize_t",
    }

    def __init__(
        self,
        ground: Ground,
        areas: Areas,
        queue: Buckets,
        words: memoryview,
        moves: memoryview,
        walls: memoryview,
        costs: memoryview,
        pitch: float,
        need: int,
        even: bool,
    ) -> None:
        self.ground = ground
        self.areas = areas
        self.queue = queue
        self.words = words
        self.moves = moves
        self.walls = walls
        self.costs = costs
        self.cheapest = min(costs[1:]) if len(costs) > 1 else 1.0
        self.pitch = pitch
        self.need = min(need, 2)
        self.even = even
        self.cells = IntBuffer(256)
        self.turns = IntBuffer(256)
        self.points = np.empty((256, 2)).data
        self.used = 0
        self.turn = 0
        self.expanded = 0
        self.marks = 0
        self.chosen = 0
        self.picks = array("i", [0, 0])
        self.fars = array("q", [0, 0])
        # How far a move leads along the lines and across them.
        self.alongs = array("i", [0] * 8)
        self.lines = array("i", [0] * 8)
        self.measure_moves()

    def measure_moves(self) -> None:
        """Find how far each move leads along the lines and across them."""
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t = 4 * self.ground.stride + 4
        other: cython.Py_ssize_t
        for k in range(self.ground.directions):
            other = place + self.ground.offsets[self.ground.parity_of(place) + k]
            self.alongs[k] = self.along_of(other) - self.along_of(place)
            self.lines[k] = self.line_of(other) - self.line_of(place)

    def add_mark(self, low: cython.uint[::1], rest: cython.ushort[::1]) -> None:
        """Use one more landmark: the distances of all places from it, as `Flow` keeps them."""
        if self.marks == 0:
            self.low0 = low
            self.rest0 = rest
        elif self.marks == 1:
            self.low1 = low
            self.rest1 = rest
        elif self.marks == 2:
            self.low2 = low
            self.rest2 = rest
        else:
            self.low3 = low
            self.rest3 = rest
        self.marks += 1

    def cost_between(self, start: int, goal: int) -> int:
        """Return the cost of the shortest way between two places of one area."""
        if start == goal:
            return 0
        self.search(start, goal)
        return (self.words[goal] - (self.turn << 45)) >> 5

    def drop_marks(self) -> None:
        """Drop the landmarks."""
        self.marks = 0

    def work(self) -> int:
        """Return how many cells all searches have visited."""
        return self.expanded

    def nearest_in(self, x: float, y: float, area: int) -> int:
        """The place in an area whose center is nearest to a point; -1 if there is none."""
        return self.nearest(x, y, area)

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
            start = self.nearest(ends[0], ends[1], 0)
            if start < 0:
                return 0
            ends[0] = self.ground.center_x(start)
            ends[1] = self.ground.center_y(start)
        area = self.areas.root(self.areas.labels[start])
        if goal < 0 or self.ground.codes[goal] == 0:
            goal = self.nearest(ends[2], ends[3], area)
            ends[2] = self.ground.center_x(goal)
            ends[3] = self.ground.center_y(goal)
        if self.areas.root(self.areas.labels[goal]) != area:
            return 0
        if self.is_straight(start, ends):
            self.write(ends[0], ends[1])
            if ends[0] != ends[2] or ends[1] != ends[3]:
                self.write(ends[2], ends[3])
            return 0
        self.search(start, goal)
        self.trace(start, goal)
        return self.straighten(ends)

    def is_straight(self, start: cython.Py_ssize_t, ends: cython.p_double) -> NoGil[cython.bint]:
        """Whether a straight line leads to the goal through the cheapest cells alone."""
        dx: cython.double = ends[2] - ends[0]
        dy: cython.double = ends[3] - ends[1]
        least: cython.double = sqrt(dx * dx + dy * dy) * self.cheapest
        cost: cython.double = self.line_cost(start, ends[0], ends[1], ends[2], ends[3])
        return 0.0 <= cost <= least * (1.0 + 1e-12)

    def nearest(
        self, x: cython.double, y: cython.double, area: cython.int
    ) -> NoGil[cython.Py_ssize_t]:
        """Return the open cell of an area (0: any) whose center is nearest to a point; -1 if none.

        Searches square rings around the point until no larger ring can hold a nearer cell. Ties go
        to the first row, then to the first column.
        """
        middle: cython.Py_ssize_t = self.ground.nearest_index(x, y)
        column: cython.Py_ssize_t = middle % self.ground.stride - 2
        row: cython.Py_ssize_t = middle // self.ground.stride - 2
        ring: cython.Py_ssize_t
        c: cython.Py_ssize_t
        r: cython.Py_ssize_t
        step: cython.Py_ssize_t
        place: cython.Py_ssize_t
        found: cython.Py_ssize_t = -1
        label: cython.int
        dx: cython.double
        dy: cython.double
        best: cython.double = 0.0
        reach: cython.double
        for ring in range(self.ground.columns + self.ground.rows):
            reach = (ring - 2) * self.pitch
            if found >= 0 and reach > 0.0 and reach * reach > best:
                break
            for r in range(max(row - ring, 0), min(row + ring, self.ground.rows - 1) + 1):
                step = 1 if r == row - ring or r == row + ring else max(2 * ring, 1)
                c = column - ring
                while c <= column + ring:
                    if 0 <= c < self.ground.columns:
                        place = (r + 2) * self.ground.stride + c + 2
                        label = self.areas.labels[place]
                        if label != 0 and (area == 0 or self.areas.root(label) == area):
                            dx = self.ground.center_x(place) - x
                            dy = self.ground.center_y(place) - y
                            dx = dx * dx + dy * dy
                            if found < 0 or dx < best or (dx == best and place < found):
                                best = dx
                                found = place
                    c += step
        return found

    # -- the search --------------------------------------------------------------------------------

    def search(self, start: cython.Py_ssize_t, goal: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Find the shortest way between two cells of one area; the words hold it."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t
        other: cython.Py_ssize_t
        base: cython.Py_ssize_t
        moves: cython.Py_ssize_t
        code: cython.Py_ssize_t
        beyond: cython.Py_ssize_t
        a: cython.Py_ssize_t
        b: cython.Py_ssize_t
        age: cython.longlong
        word: cython.longlong
        there: cython.longlong
        best: cython.longlong = -1
        if self.turn == 0:
            for place in range(len(self.words)):
                self.words[place] = MOST
            self.turn = TURNS
        self.turn -= 1
        age = self.turn << 45
        self.aim(start, goal)
        self.queue.clear()
        a = self.along_of(start) - self.goal_along
        b = self.line_of(start) - self.goal_line
        there = self.least_cost(start, a, b)
        self.queue.start(there)
        self.words[start] = age
        self.queue.push(cython.cast(cython.int, start), there)
        while self.queue.pop():
            if best >= 0 and self.queue.key >= best:
                if self.queue.key >> self.queue.shift > best >> self.queue.shift:
                    break
                continue
            place = self.queue.place
            word = self.words[place]
            if word & 1:
                continue
            self.words[place] = word | 1
            self.expanded += 1
            word = (word - age) >> 5
            base = self.ground.parity_of(place)
            moves = self.ground.moves[place]
            code = beyond = 8 * self.ground.codes[place]
            a = self.along_of(place) - self.goal_along
            b = self.line_of(place) - self.goal_line
            for i in range(self.ground.counts[moves]):
                k = self.ground.orders[8 * moves + i]
                other = place + self.ground.offsets[base + k]
                if not self.even:
                    beyond = 8 * self.ground.codes[other]
                there = word + self.ground.halves[code + k] + self.ground.halves[beyond + k]
                if age + (there << 5) < (self.words[other] & -32):
                    self.words[other] = age + (there << 5) + (k << 1)
                    if other == goal:
                        best = there
                    else:
                        there += self.least_cost(other, a + self.alongs[k], b + self.lines[k])
                        there = max(there, self.queue.key)
                        if best < 0 or there < best:
                            self.queue.push(cython.cast(cython.int, other), there)
        return 0

    def trace(self, start: cython.Py_ssize_t, goal: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Follow the moves back: the cells from the goal to the start."""
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t = goal
        self.cells.used = 0
        self.cells.append(cython.cast(cython.int, place))
        while place != start:
            k = self.ground.opposites[(self.words[place] >> 1) & 15]
            place = place + self.ground.offsets[self.ground.parity_of(place) + k]
            self.cells.append(cython.cast(cython.int, place))
        return 0

    def along_of(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The column of a cell; among staggered lines, how many half steps along its line."""
        column: cython.Py_ssize_t = place % self.ground.stride
        row: cython.Py_ssize_t = place // self.ground.stride
        if self.ground.kind == 0:
            return column
        if self.ground.kind == 2:
            column, row = row, column
        return 2 * column + (1 if (row & 1) != self.ground.flip else 0)

    def line_of(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The row of a cell, or the staggered line."""
        if self.ground.kind == 2:
            return place % self.ground.stride
        return place // self.ground.stride

    def aim(self, start: cython.Py_ssize_t, goal: cython.Py_ssize_t) -> NoGil[None]:
        """Prepare `least_cost`: choose the two landmarks that tell most about the whole way."""
        mark: cython.int
        here: cython.longlong
        there: cython.longlong
        far: cython.longlong
        best: cython.longlong
        second: cython.longlong
        self.goal_along = self.along_of(goal)
        self.goal_line = self.line_of(goal)
        self.chosen = 0
        best = self.straight_cost(
            self.along_of(start) - self.goal_along, self.line_of(start) - self.goal_line
        )
        second = best
        for mark in range(self.marks):
            here = self.distance_from(mark, start)
            there = self.distance_from(mark, goal)
            far = abs(here - there)
            if here == FAR or there == FAR or far <= second:
                continue
            self.chosen = min(self.chosen + 1, 2)
            if far > best:
                self.picks[1] = self.picks[0]
                self.fars[1] = self.fars[0]
                second = best
                best = far
                self.picks[0] = mark
                self.fars[0] = there
            else:
                second = far
                self.picks[1] = mark
                self.fars[1] = there

    def distance_from(self, mark: cython.int, place: cython.Py_ssize_t) -> NoGil[cython.longlong]:
        """The distance of a place from a landmark."""
        low: cython.longlong
        high: cython.longlong
        if mark == 0:
            low = self.low0[place]
            high = self.rest0[place]
        elif mark == 1:
            low = self.low1[place]
            high = self.rest1[place]
        elif mark == 2:
            low = self.low2[place]
            high = self.rest2[place]
        else:
            low = self.low3[place]
            high = self.rest3[place]
        return (high >> 8 << 32) | low

    def least_cost(
        self, place: cython.Py_ssize_t, a: cython.Py_ssize_t, b: cython.Py_ssize_t
    ) -> NoGil[cython.longlong]:
        """Return a lower bound for the way from a cell to the goal, (a, b) away."""
        i: cython.Py_ssize_t
        least: cython.longlong = self.straight_cost(a, b)
        for i in range(self.chosen):
            least = max(least, abs(self.distance_from(self.picks[i], place) - self.fars[i]))
        return least

    def straight_cost(self, a: cython.Py_ssize_t, b: cython.Py_ssize_t) -> NoGil[cython.longlong]:
        """Return the cost of a way over open, cheapest cells: a along the lines, b across them."""
        u: cython.longlong = a
        v: cython.longlong = b
        k: cython.Py_ssize_t
        if self.ground.directions == 6:
            u = abs(u)
            v = abs(v)
            if self.ground.kind == 1:
                return v * self.moves[1] + max(u - v, 0) // 2 * self.moves[0]
            return v * self.moves[0] + max(u - v, 0) // 2 * self.moves[1]
        if self.ground.kind == 1:  # diamonds: steps and lines are sums of columns and rows
            u = (a + b) // 2
            v = b - u
        elif self.ground.kind == 2:
            u = (a + b) // 2
            v = u - b
        k = 3 if (u < 0) != (v < 0) else 1
        u = abs(u)
        v = abs(v)
        if u > v:
            return v * self.moves[k] + (u - v) * self.moves[0]
        return u * self.moves[k] + (v - u) * self.moves[2]

    # -- the lines ---------------------------------------------------------------------------------

    def straighten(self, ends: cython.p_double) -> RaisesNoGil[cython.int]:
        """Write the corners of the way, leaving out those that a straight line makes needless.

        Corners are the ends, the centers of their cells, the turns of the way, and some in between.
        A line replaces a part of the way if it is open all along and costs no more.
        """
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t = self.cells.used
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
            if i == n - 1 or i == 0 or i % STRIDE == 0 or self.is_turn(i):
                self.turns.append(self.cells.values[i])
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

    def is_turn(self, i: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether the way turns in one of its inner cells."""
        move: cython.longlong = self.words[self.cells.values[i]] >> 1
        following: cython.longlong = self.words[self.cells.values[i - 1]] >> 1
        return (move & 15) != (following & 15)

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
        k: cython.Py_ssize_t
        out: cython.Py_ssize_t
        also: cython.Py_ssize_t
        other: cython.Py_ssize_t
        beside: cython.Py_ssize_t
        base: cython.Py_ssize_t
        free: cython.int
        dx: cython.double = end_x - x
        dy: cython.double = end_y - y
        length: cython.double = sqrt(dx * dx + dy * dy)
        at: cython.double = 0.0
        first: cython.double
        second: cython.double
        time: cython.double
        speed: cython.double
        away_x: cython.double
        away_y: cython.double
        cost: cython.double = 0.0
        left: cython.Py_ssize_t = 4 * (self.ground.columns + self.ground.rows) + 8
        while left > 0:
            left -= 1
            if self.ground.codes[place] == 0:
                return -1.0
            away_x = x - self.ground.center_x(place)
            away_y = y - self.ground.center_y(place)
            first = second = 2.0
            out = also = -1
            for k in range(self.ground.directions):
                speed = self.walls[3 * k] * dx + self.walls[3 * k + 1] * dy
                if speed <= 0.0 or not self.ground.edges >> k & 1:
                    continue
                time = self.walls[3 * k + 2] - self.walls[3 * k] * away_x
                time = (time - self.walls[3 * k + 1] * away_y) / speed
                if time < first:
                    second = first
                    also = out
                    first = time
                    out = k
                elif time < second:
                    second = time
                    also = k
            if first >= 1.0:
                return cost + (1.0 - at) * length * self.costs[self.ground.codes[place]]
            if first > at:
                cost += (first - at) * length * self.costs[self.ground.codes[place]]
                at = first
            base = self.ground.parity_of(place)
            other = place + self.ground.offsets[base + out]
            if also >= 0 and (second - first) * length < 1e-9 * self.pitch:
                beside = place + self.ground.offsets[base + also]
                free = (self.ground.codes[other] != 0) + (self.ground.codes[beside] != 0)
                if self.ground.directions == 6:
                    if free < 2:
                        return -1.0
                else:
                    if free < self.need:
                        return -1.0
                    base = self.ground.parity_of(other)
                    other = other + self.ground.offsets[base + also]
            place = other
        return -1.0

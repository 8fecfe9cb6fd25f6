"""How much the rest of a way costs at least: what guides the search for a path.

It is at least what a way over open, cheapest cells costs, and at least what the landmarks imply:
two cells that are 10 and 70 from a landmark are 60 apart or more (Goldberg and Harrelson, 2005).
Distances from landmarks may be older than the grid as long as nothing has become cheaper since.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.ways.areas import Areas
from tilequad._core.ways.distances import Distances
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import FAR

MOST_LANDMARKS: cython.int = 4


@cython.final
@cython.cclass
class Landmarks:
    """Lower bounds for the rest of a way.

    Args:
        ground: The cells.
    """

    __slots__ = {
        "ground": "Ground",
        "cheapest": "long long[::1]",  # the least cost of a move, by direction
        # How far a move leads along the lines and across them, by direction.
        "alongs": "int[::1]",
        "lines": "int[::1]",
        # By landmark and place: distances, as `Distances` keeps them.
        "words": "long long[:, ::1]",
        "count": "readonly int",
        "visited": "long long",  # cells that searches have visited since the landmarks were dropped
        "codes": "object",  # the grid's codes when the last landmark was measured
        # The goal of the search; the landmarks that tell most about the way to it, and how far the
        # goal is from each.
        "goal_along": "Py_ssize_t",
        "goal_line": "Py_ssize_t",
        "chosen": "int",
        "picks": "int[::1]",
        "fars": "long long[::1]",
    }

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.alongs, self.lines = array("i", [0] * 8), array("i", [0] * 8)
        self.picks, self.fars = array("i", [0, 0]), array("q", [0, 0])
        self.words = np.empty((0, 0), np.int64).data
        self.drop()
        self.measure_moves()

    def __reduce__(self) -> tuple[Any, ...]:
        words = np.asarray(self.words)[: self.count].copy()
        return Landmarks, (self.ground,), (words, self.visited, self.codes)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        words, self.visited, self.codes = state
        self.count = len(words)
        if self.count > 0:
            self.reserve()
            np.asarray(self.words)[: self.count] = words

    def measure_moves(self) -> None:
        """Find the least cost of each move, and how far it leads along the lines and across."""
        ground: Ground = self.ground
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t = 4 * ground.stride + 4
        other: cython.Py_ssize_t
        for k in range(ground.directions):
            other = place + ground.offsets[ground.parity_of(place) + k]
            self.alongs[k] = cython.cast(cython.int, self.along_of(other) - self.along_of(place))
            self.lines[k] = cython.cast(cython.int, self.line_of(other) - self.line_of(place))
        halves = ground.used_halves()
        moves = 2 * halves.min(axis=0) if len(halves) else np.full(ground.directions, 2)
        if ground.directions == 8:
            sides = moves[0] + moves[2]
            moves[1::2] = sides if ground.need == 3 else np.minimum(moves[1::2], sides)
        self.cheapest = moves.astype(np.int64).data

    # -- landmarks ---------------------------------------------------------------------------------

    def drop(self) -> None:
        """Forget the distances from the landmarks."""
        self.count = 0
        self.visited = 0
        self.codes = None

    def reserve(self) -> None:
        """Make room for the distances from all landmarks."""
        if len(self.words) == 0:
            self.words = np.empty((MOST_LANDMARKS, len(self.ground.codes)), np.int64).data

    def update(self, changed: np.ndarray) -> None:
        """Drop all landmarks if a changed cell is cheaper than when they were measured."""
        if self.count > 0:
            costs = np.array(self.ground.costs.values)
            now, before = self.ground.cell_codes().reshape(-1)[changed], self.codes[changed]
            if (costs[now] < costs[before]).any():
                self.drop()

    def measure(self, areas: Areas) -> None:
        """Measure one more landmark if searches have visited as many cells as that takes.

        Landmarks are the cells of the largest area that are nearest to the corners of the grid.
        """
        ground: Ground = self.ground
        due = self.visited > (self.count + 1) * ground.columns * ground.rows
        largest = areas.largest() if due and self.count < MOST_LANDMARKS else 0
        if not largest:
            return
        box = ground.shape.bounds()
        x = (box.min_x, box.max_x)[self.count % 2]
        y = (box.min_y, box.max_y)[self.count in (0, 3)]
        self.reserve()
        words = np.asarray(self.words)[self.count]
        place: cython.Py_ssize_t = areas.nearest(x, y, largest)
        goals = np.array([ground.cell_of(place)], np.int32)
        Distances(ground, words.data, FAR - 1).find(goals.data)
        self.codes = ground.cell_codes().flatten()
        self.count += 1

    def distance_from(
        self, landmark: cython.int, place: cython.Py_ssize_t
    ) -> NoGil[cython.longlong]:
        """The distance of a place from a landmark."""
        return self.words[landmark, place] >> 8

    # -- bounds ------------------------------------------------------------------------------------

    def aim(self, start: cython.Py_ssize_t, goal: cython.Py_ssize_t) -> NoGil[cython.longlong]:
        """Choose the two landmarks that tell most about a way; return what it costs at least."""
        landmark: cython.int
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
        for landmark in range(self.count):
            here = self.distance_from(landmark, start)
            there = self.distance_from(landmark, goal)
            far = abs(here - there)
            if here == FAR or there == FAR or far <= second:
                continue
            self.chosen = min(self.chosen + 1, 2)
            if far > best:
                self.picks[1] = self.picks[0]
                self.fars[1] = self.fars[0]
                second = best
                best = far
                self.picks[0] = landmark
                self.fars[0] = there
            else:
                second = far
                self.picks[1] = landmark
                self.fars[1] = there
        return best

    def after(
        self,
        place: cython.Py_ssize_t,
        a: cython.Py_ssize_t,
        b: cython.Py_ssize_t,
        k: cython.Py_ssize_t,
    ) -> NoGil[cython.longlong]:
        """Return what the way to the goal costs at least after a move in direction k.

        Args:
            place: Where the move leads.
            a: How far the goal is along the lines, before the move.
            b: How many lines away the goal is, before the move.
            k: The direction.
        """
        i: cython.Py_ssize_t
        least: cython.longlong = self.straight_cost(a + self.alongs[k], b + self.lines[k])
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
                return v * self.cheapest[1] + max(u - v, 0) // 2 * self.cheapest[0]
            return v * self.cheapest[0] + max(u - v, 0) // 2 * self.cheapest[1]
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
            return v * self.cheapest[k] + (u - v) * self.cheapest[0]
        return u * self.cheapest[k] + (v - u) * self.cheapest[2]

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

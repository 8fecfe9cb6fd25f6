"""How much the rest of a way costs at least: what guides the search for paths.

It is at least what a way over open, cheapest cells costs, and at least what the landmarks imply:
two cells that are 10 and 70 from a landmark are 60 apart or more (Goldberg and Harrelson, 2005).
Distances from landmarks may be older than the grid as long as nothing has become cheaper since.
A search for several targets is guided to one in the middle of their list, less how far the others
are from it at most.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.areas import Areas
from tilequad._core.ways.distances import Distances
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import FAR, LATTICE, STAGGERED_ROWS, UNREACHED

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
        "kind": "int",
        "directions": "Py_ssize_t",
        "cheapest": "long long[::1]",  # the least cost of a move, by direction
        # How far a move leads along the lines and across them, by direction.
        "alongs": "int[::1]",
        "lines": "int[::1]",
        # By landmark and place: distances, as `Distances` keeps them.
        "words": "long long[:, ::1]",
        "count": "readonly int",
        # How many cells the searches that landmarks may guide have visited since they were dropped.
        "visited": "long long",
        "codes": "object",  # the grid's codes when the last landmark was measured
        # The target in the middle, and the most that a way over open, cheapest cells from there to
        # another one costs; whether nothing is known
        "middle_along": "Py_ssize_t",
        "middle_line": "Py_ssize_t",
        "slack": "long long",
        "blind": "bint",  # or too little to be worth its cost
        # How far the place that the search leaves is from the middle, along the lines and across.
        "along": "Py_ssize_t",
        "line": "Py_ssize_t",
        # The landmarks that tell most about the way, and how far the targets are from each: the
        # least and the most.
        "chosen": "int",
        "picks": "int[::1]",
        "lows": "long long[::1]",
        "highs": "long long[::1]",
    }

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.kind, self.directions = ground.kind, ground.directions
        self.alongs, self.lines = array("i", [0] * 8), array("i", [0] * 8)
        self.picks = array("i", [0, 0])
        self.lows, self.highs = array("q", [0, 0]), array("q", [0, 0])
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
        place = 4 * ground.stride + 4
        for k in range(ground.directions):
            other = place + ground.offsets[ground.parity_of(place) + k]
            self.alongs[k] = cython.cast(cython.int, self.along_of(other) - self.along_of(place))
            self.lines[k] = cython.cast(
                cython.int, self.ground.line_of(other) - self.ground.line_of(place)
            )
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
            now, before = self.ground.codes_at(changed.data), self.codes[changed]
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
        words.fill(UNREACHED)
        place = areas.nearest(x, y, largest)
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

    def aim(self, start: cython.Py_ssize_t, targets: IntBuffer) -> NoGil[cython.longlong]:
        """Prepare a search for some targets; return what the way to the nearest costs at least."""
        self.chosen = 0
        self.blind = not self.are_together(targets, start)
        if self.blind:
            return 0
        least = self.cost_to_middle(start) - self.slack
        return self.choose(start, targets, least)

    def are_together(self, targets: IntBuffer, start: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Aim at one target; return whether the others are near it, as seen from a start.

        Otherwise a search for them goes to all sides.
        """
        middle: cython.Py_ssize_t = targets.values[targets.used // 2]
        self.middle_along = self.along_of(middle)
        self.middle_line = self.ground.line_of(middle)
        self.slack = 0
        for i in range(targets.used):
            self.slack = max(self.slack, self.cost_to_middle(targets.values[i]))
        return 2 * self.slack <= self.cost_to_middle(start)

    def choose(
        self, start: cython.Py_ssize_t, targets: IntBuffer, best: cython.longlong
    ) -> NoGil[cython.longlong]:
        """Choose the two landmarks that tell most about the way; return what it costs at least.

        Args:
            start: Where the search begins.
            targets: What it looks for.
            best: What is known without landmarks.
        """
        second = best
        for landmark in range(self.count):
            here = self.distance_from(landmark, start)
            low = high = self.distance_from(landmark, targets.values[0])
            for i in range(1, targets.used):
                low = min(low, self.distance_from(landmark, targets.values[i]))
                high = max(high, self.distance_from(landmark, targets.values[i]))
            far = max(low - here, here - high)
            if here == FAR or high == FAR or far <= second:
                continue
            i = 0 if far > best else 1
            if i == 0:
                self.picks[1], self.lows[1], self.highs[1] = (
                    self.picks[0],
                    self.lows[0],
                    self.highs[0],
                )
                second, best = best, far
            else:
                second = far
            self.picks[i], self.lows[i], self.highs[i] = landmark, low, high
            self.chosen = min(self.chosen + 1, 2)
        return best

    def cost_to_middle(self, place: cython.Py_ssize_t) -> NoGil[cython.longlong]:
        """Return what a way over open, cheapest cells from a place to the middle target costs."""
        return self.straight_cost(
            self.along_of(place) - self.middle_along, self.ground.line_of(place) - self.middle_line
        )

    def leave(self, place: cython.Py_ssize_t) -> NoGil[None]:
        """Set the place of the moves that follow."""
        if not self.blind:
            self.along = self.along_of(place) - self.middle_along
            self.line = self.ground.line_of(place) - self.middle_line

    def after(self, place: cython.Py_ssize_t, k: cython.Py_ssize_t) -> NoGil[cython.longlong]:
        """Return what the way to the nearest target costs at least after a move to a place.

        Args:
            place: Where the move leads.
            k: Its direction.
        """
        i: cython.Py_ssize_t
        if self.blind:
            return 0
        least = self.straight_cost(self.along + self.alongs[k], self.line + self.lines[k])
        least = max(least - self.slack, 0)
        for i in range(self.chosen):
            far = self.distance_from(self.picks[i], place)
            least = max(least, max(far - self.highs[i], self.lows[i] - far))
        return least

    def count_visits(self, count: cython.longlong) -> NoGil[None]:
        """Count the cells that a search has visited, if landmarks may guide it."""
        if not self.blind:
            self.visited += count

    def straight_cost(self, a: cython.Py_ssize_t, b: cython.Py_ssize_t) -> NoGil[cython.longlong]:
        """Return the cost of a way over open, cheapest cells: a along the lines, b across them."""
        u: cython.longlong = a
        v: cython.longlong = b
        if self.kind != LATTICE:
            if self.directions == 6:
                u = abs(u)
                v = abs(v)
                if self.kind == STAGGERED_ROWS:
                    return v * self.cheapest[1] + max(u - v, 0) // 2 * self.cheapest[0]
                return v * self.cheapest[0] + max(u - v, 0) // 2 * self.cheapest[1]
            u = (a + b) // 2  # diamonds: steps and lines are sums of columns and rows
            v = b - u if self.kind == STAGGERED_ROWS else u - b
        k: cython.Py_ssize_t = 3 if (u < 0) != (v < 0) else 1
        u = abs(u)
        v = abs(v)
        if u > v:
            return v * self.cheapest[k] + (u - v) * self.cheapest[0]
        return u * self.cheapest[k] + (v - u) * self.cheapest[2]

    def along_of(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The column of a cell; among staggered lines, how many half steps along its line."""
        at = self.ground.at_of(place)
        if self.kind == LATTICE:
            return at
        return 2 * at + (1 if (self.ground.line_of(place) & 1) != self.ground.flip else 0)

"""The place where a disc catches the most: branch and bound over squares.

A disc centered in a square can only catch units within the radius of the square, and always catches
units within the radius of all four corners. So a square whose bound does not beat the best place
found is dropped, and the others are cut into four. The first squares are the cells of a grid, a
little wider than the radius.

That bound counts each friend without the foes beside him. Where both stand together, close to the
edges of a square's discs, these edges are nearly straight and parallel, and a second bound goes by
the order in which they meet the units.
"""

from __future__ import annotations

from array import array
from math import sqrt
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, Raises
from tilequad._core.buffers import (
    END_COLUMN,
    END_ROW,
    FIRST_COLUMN,
    FIRST_ROW,
    IntBuffer,
    list_by_cell,
)
from tilequad._core.layout import HITS, INF, Walk, begin_question, end_question, start_counts
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.walk import begin_near_point
from tilequad._core.tree.within import find_within

SMALLEST: cython.double = 1e-7  # the side of the smallest squares to cut, as a part of the radius
SPOT: cython.double = 5e-7  # the side of what is one spot, as a part of the radius
LEAST_SPOT: cython.double = 1e-150  # in world units
HALF_DIAGONAL: cython.double = 0.70710678118654757
MARGIN: cython.double = 1.0 + 1e-9  # exceeds the rounding error of a disc's edge
CELL: cython.double = 1.4  # the side of a cell of the first grid, in radii
MOST_CELLS: cython.double = 64  # of that grid, along an axis
TOGETHER: cython.double = 0.25  # units are together that are no further apart, in distances
ROUNDING: cython.double = 1e-15  # of distances, in parts of the coordinates
# Where each kind of sum begins, for the four quarters of a square.
HERE: cython.int = 0
CAUGHT: cython.int = 4
PROMISED: cython.int = 8


@cython.final
@cython.cclass
class DiscSearch:
    """Finds where in a ring a disc catches the highest sum of values.

    The center of the disc is `least` to `most` away from `place`. `accuracy` is the share of the
    best sum that is good enough.
    """

    __slots__ = {
        # By unit, in the order of `slots`: where it is, and what it is worth.
        "xs": "double[::1]",
        "ys": "double[::1]",
        "values": "double[::1]",
        "x": "double",
        "y": "double",
        "least": "double",
        "most": "double",
        "radius": "double",
        "accuracy": "double",
        "best": "double",
        "best_x": "double",
        "best_y": "double",
        "columns": "int",
        "near": "IntBuffer",
        "away": "double[::1]",  # scratch: the distances of units in `near`
        "signed": "bint",  # whether a value is below 0
    }

    def __init__(
        self,
        place: tuple[float, float],
        least: float,
        most: float,
        radius: float,
        accuracy: float,
    ) -> None:
        self.x, self.y = place
        self.least = least
        self.most = most
        self.radius = radius
        self.accuracy = accuracy
        self.best = self.best_x = self.best_y = 0.0
        self.columns = 1
        self.near = IntBuffer(1024)
        nothing: Any = array("d")
        self.xs = self.ys = self.values = nothing

    def slots(
        self, store: UnitStore, groups: cython.int, without: cython.int, exclude: int
    ) -> np.ndarray:
        """Return the slots of the units that a disc may catch, (n,) int32. Call this first."""
        walk = cython.declare(Walk)
        hits = cython.declare(cython.int[HITS])
        n = HITS
        reach = self.most + self.radius
        found: IntBuffer = IntBuffer(1024)
        begin_question(cython.address(store.busy))
        try:
            start_counts(cython.address(walk), False)
            begin_near_point(cython.address(walk), self.x, self.y, reach * reach, groups, without)
            while n == HITS:
                n = find_within(store, cython.address(walk), 0.0, hits)
                found.extend(hits, n)
            slots = np.array(found.taken(), np.int32)
            if exclude >= 0:
                slots = slots[slots != exclude]
            places = store.positions(slots.data) if len(slots) > 0 else np.empty((0, 2))
        finally:
            end_question(cython.address(store.busy))
        self.xs = np.ascontiguousarray(places[:, 0]).data
        self.ys = np.ascontiguousarray(places[:, 1]).data
        return slots

    def search(self, values: np.ndarray) -> tuple[float, float, float]:
        """Find the best place for values of `slots`; return it and their sum, 0 for nothing."""
        low_x = INF
        low_y = INF
        high_x: cython.double = -INF
        high_y: cython.double = -INF
        self.values = values.data
        if self.radius == 0.0:
            self.search_points(np.lexsort((self.ys, self.xs)))
            return self.best_x, self.best_y, self.best
        xs, ys = self.xs, self.ys
        self.signed = values.min(initial=0.0) < 0.0
        if self.signed:
            self.merge(values)
            self.away = array("d", [0.0]) * len(self.xs)
        for i in range(len(self.xs)):
            low_x = min(low_x, self.xs[i])
            low_y = min(low_y, self.ys[i])
            high_x = max(high_x, self.xs[i])
            high_y = max(high_y, self.ys[i])
        # The box around all places whose disc catches something, clipped to the ring's box.
        low_x = max(low_x - self.radius, self.x - self.most)
        low_y = max(low_y - self.radius, self.y - self.most)
        high_x = min(high_x + self.radius, self.x + self.most)
        high_y = min(high_y + self.radius, self.y + self.most)
        side = max(high_x - low_x, high_y - low_y)
        if side < 0.0:
            return 0.0, 0.0, 0.0
        self.columns = cython.cast(cython.int, min(side / (CELL * self.radius) + 1.0, MOST_CELLS))
        self.search_cells(low_x, low_y, side / self.columns)
        self.xs = xs
        self.ys = ys
        self.values = values.data
        return self.best_x, self.best_y, self.sum_at(self.best_x, self.best_y)

    def merge(self, values: np.ndarray) -> Object[None]:
        """Let those who stand on nearly one spot be one, from here on.

        A disc tells them apart on its edge alone. There each square promises a friend without his
        foe, so that all of them would be cut, down to the smallest.
        """
        side = max(self.radius * SPOT, LEAST_SPOT)
        spots = np.rint((np.asarray(self.xs) - self.x) / side) + 1j * np.rint(
            (np.asarray(self.ys) - self.y) / side
        )
        _, first, at = np.unique(spots, return_index=True, return_inverse=True)
        self.xs = np.asarray(self.xs)[first].data
        self.ys = np.asarray(self.ys)[first].data
        self.values = np.bincount(at, values).data

    def sum_at(self, x: cython.double, y: cython.double) -> NoGil[cython.double]:
        """What a disc at a place catches."""
        caught = 0.0
        for i in range(len(self.xs)):
            dx = self.xs[i] - x
            dy = self.ys[i] - y
            if dx * dx + dy * dy <= self.radius * self.radius:
                caught += self.values[i]
        return caught

    def search_points(self, order: cython.longlong[::1]) -> Object[None]:
        """Try the units' own positions, sorted so that equal ones are neighbors.

        A disc with radius 0 catches nothing anywhere else.
        """
        end: cython.Py_ssize_t = 0
        while end < len(order):
            i: cython.Py_ssize_t = order[end]
            here = 0.0
            for k in range(end, len(order)):
                if self.xs[order[k]] != self.xs[i] or self.ys[order[k]] != self.ys[i]:
                    break
                here += self.values[order[k]]
                end += 1
            self.try_place(self.xs[i], self.ys[i], here)

    def search_cells(
        self, low_x: cython.double, low_y: cython.double, side: cython.double
    ) -> Raises[cython.int]:
        """Search the cells of a grid, the most promising first."""
        n: cython.Py_ssize_t = self.columns * self.columns
        starts: cython.int[::1] = array("i", [0]) * (n + 2)
        promised: cython.double[::1] = array("d", [0.0]) * n
        spans: cython.int[:, ::1] = np.empty((len(self.xs), 4), np.int32)
        reach = self.radius * MARGIN
        k: cython.Py_ssize_t
        for i in range(len(self.xs)):
            spans[i, FIRST_COLUMN] = self.cell_of(self.xs[i] - reach - low_x, side)
            spans[i, FIRST_ROW] = self.cell_of(self.ys[i] - reach - low_y, side)
            spans[i, END_COLUMN] = self.cell_of(self.xs[i] + reach - low_x, side) + 1
            spans[i, END_ROW] = self.cell_of(self.ys[i] + reach - low_y, side) + 1
        list_by_cell(spans, self.columns, starts, self.near)
        for at in range(n):
            for k in range(starts[at], starts[at + 1]):
                promised[at] += max(self.values[self.near.values[k]], 0.0)
        while True:
            top = 0
            for at in range(1, n):
                if promised[at] > promised[top]:
                    top = at
            if promised[top] * self.accuracy <= self.best or promised[top] <= 0.0:
                return 0
            promised[top] = 0.0
            x = low_x + (top % self.columns + 0.5) * side
            y = low_y + (top // self.columns + 0.5) * side
            if self.in_reach(x, y, side * HALF_DIAGONAL * MARGIN):
                self.cut(x, y, side, starts[top], starts[top + 1], 0.0)

    def cell_of(self, offset: cython.double, side: cython.double) -> NoGil[cython.int]:
        """Return the column or row at an offset from the corner of the grid."""
        if not (offset > 0.0 and side > 0.0):
            return 0
        return cython.cast(cython.int, min(offset / side, self.columns - 1.0))

    def cut(
        self,
        x: cython.double,
        y: cython.double,
        side: cython.double,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        sure: cython.double,
    ) -> Raises[cython.int]:
        """Search the quarters of a square, the most promising first.

        near[start:end] are the units that some of its discs catch, but not all; `sure` is the sum
        that all of them catch.
        """
        xs = cython.declare(cython.double[4])
        ys = cython.declare(cython.double[4])
        sums = cython.declare(cython.double[12])
        base = self.near.used
        half = side / 4
        self.weigh(start, end, x, y, half, sums)
        for q in range(4):
            xs[q] = x + (half if q & 1 else -half)
            ys[q] = y + (half if q & 2 else -half)
            sums[PROMISED + q] += sure
            if not self.in_reach(xs[q], ys[q], side * HALF_DIAGONAL / 2):
                sums[PROMISED + q] = 0.0
            else:
                self.try_place(xs[q], ys[q], sums[HERE + q] + sure)
        if side / 2 <= self.radius * SMALLEST:
            return 0
        for _ in range(4):
            top: cython.Py_ssize_t = 0
            for q in range(1, 4):
                if sums[PROMISED + q] > sums[PROMISED + top]:
                    top = q
            if sums[PROMISED + top] * self.accuracy <= self.best or sums[PROMISED + top] <= 0.0:
                break
            sums[PROMISED + top] = 0.0
            self.near.reserve(end - start)
            self.near.used = self.keep_near(start, end, xs[top], ys[top], half, base)
            sure_there = sure + sums[CAUGHT + top]
            if self.signed and not self.may_win(xs[top], ys[top], half, base, sure_there):
                continue
            self.cut(xs[top], ys[top], side / 2, base, self.near.used, sure_there)
        self.near.used = base
        return 0

    def may_win(
        self,
        x: cython.double,
        y: cython.double,
        half: cython.double,
        start: cython.Py_ssize_t,
        sure: cython.double,
    ) -> NoGil[cython.bint]:
        """Whether a disc in a square may beat the best one, where near[start:] stand together.

        Two distances change alike over a square, but for a part of how far the two units are apart.
        So a disc that catches one unit and not another, nearer to the middle of the square, does so
        only if that is hardly nearer. The best disc that does so nowhere is tried.
        """
        k: cython.Py_ssize_t
        n = self.near.used - start
        before: cython.Py_ssize_t = 0
        top: cython.Py_ssize_t = -1
        apart = self.measure(x, y, start)
        reach = 2.0 * HALF_DIAGONAL * half * MARGIN
        least = self.radius - 2.0 * reach  # the least distance from a unit
        if n < 2 or apart >= TOGETHER * least:
            return True
        self.sort_by_distance(start)
        hardly = reach * apart / least + ROUNDING * (abs(x) + abs(y) + self.radius)
        caught = 0.0  # of the units that are nearer than hardly
        hoped = 0.0
        most = 0.0
        here = 0.0
        best = 0.0
        for k in range(n):
            value = self.values[self.near.values[start + k]]
            hoped += max(value, 0.0)
            while self.away[before] < self.away[k] - hardly:
                caught += self.values[self.near.values[start + before]]
                hoped -= max(self.values[self.near.values[start + before]], 0.0)
                before += 1
            most = max(most, caught + hoped)
            here += value
            if here > best and (k + 1 == n or self.away[k] < self.away[k + 1]):
                best = here
                top = k
        if sure + best > self.best and top >= 0:
            self.try_between(x, y, half, start, sure, top)
        return (sure + most) * self.accuracy > self.best

    def measure(
        self, x: cython.double, y: cython.double, start: cython.Py_ssize_t
    ) -> NoGil[cython.double]:
        """Write how far near[start:] are from a place; return how far they may be apart."""
        k: cython.Py_ssize_t
        low_x = INF
        low_y = INF
        high_x: cython.double = -INF
        high_y: cython.double = -INF
        for k in range(self.near.used - start):
            dx = self.xs[self.near.values[start + k]] - x
            dy = self.ys[self.near.values[start + k]] - y
            self.away[k] = sqrt(dx * dx + dy * dy)
            low_x = min(low_x, dx)
            low_y = min(low_y, dy)
            high_x = max(high_x, dx)
            high_y = max(high_y, dy)
        return (high_x - low_x) + (high_y - low_y)

    def sort_by_distance(self, start: cython.Py_ssize_t) -> NoGil[None]:
        """Sort near[start:] by `away`, by Shell's method, with gaps by Gonnet and Baeza-Yates."""
        k: cython.Py_ssize_t
        n = self.near.used - start
        gap: cython.Py_ssize_t = n
        while gap > 1:
            gap = max(1, 5 * gap // 11)
            for k in range(gap, n):
                i = self.near.values[start + k]
                away = self.away[k]
                j: cython.Py_ssize_t = k
                while j >= gap and self.away[j - gap] > away:
                    self.near.values[start + j] = self.near.values[start + j - gap]
                    self.away[j] = self.away[j - gap]
                    j -= gap
                self.near.values[start + j] = i
                self.away[j] = away

    def try_between(
        self,
        x: cython.double,
        y: cython.double,
        half: cython.double,
        start: cython.Py_ssize_t,
        sure: cython.double,
        top: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Try the place in a square whose disc's edge lies behind the unit near[start + top]."""
        n: cython.Py_ssize_t
        behind: cython.Py_ssize_t = min(top + 1, self.near.used - start - 1)
        i = self.near.values[start + top]
        shift = (0.5 * (self.away[top] + self.away[behind]) - self.radius) / self.away[top]
        place_x = x + (self.xs[i] - x) * shift
        place_y = y + (self.ys[i] - y) * shift
        if abs(place_x - x) > half or abs(place_y - y) > half:
            return
        for n in range(start, self.near.used):
            i = self.near.values[n]
            dx = self.xs[i] - place_x
            dy = self.ys[i] - place_y
            if dx * dx + dy * dy <= self.radius * self.radius:
                sure += self.values[i]
        self.try_place(place_x, place_y, sure)

    def try_place(self, x: cython.double, y: cython.double, caught: cython.double) -> NoGil[None]:
        """Keep a place in the ring that catches more than the best one so far."""
        if caught > self.best and self.in_reach(x, y, 0.0):
            self.best = caught
            self.best_x = x
            self.best_y = y

    def in_reach(
        self, x: cython.double, y: cython.double, half: cython.double
    ) -> NoGil[cython.bint]:
        """Whether a place less than `half` from (x, y) may be in the ring."""
        dx = x - self.x
        dy = y - self.y
        far = sqrt(dx * dx + dy * dy)
        return far - half <= self.most and far + half >= self.least

    def weigh(
        self,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        half: cython.double,
        sums: cython.p_double,
    ) -> NoGil[None]:
        """Sum the values that discs in the quarters of a square around (x, y) catch.

        `half` is half the side of a quarter. Writes for each quarter the sum that the disc at its
        middle catches, the sum that all its discs catch, and the most that one of them may catch.
        The four quarters share their distances along the axes.
        """
        # For the lower and the upper half along each axis: the squared distances to the middle, to
        # the near side and to the far side.
        mid_x = cython.declare(cython.double[2])
        mid_y = cython.declare(cython.double[2])
        near_x = cython.declare(cython.double[2])
        near_y = cython.declare(cython.double[2])
        far_x = cython.declare(cython.double[2])
        far_y = cython.declare(cython.double[2])
        here = cython.declare(cython.double[4])
        caught = cython.declare(cython.double[4])
        promised = cython.declare(cython.double[4])
        reach2 = self.radius * self.radius
        outer2 = reach2 * (1.0 + 1e-12)
        inner2 = reach2 * (1.0 - 1e-12)
        counted = cython.declare(cython.double[2])  # the unit's value, or 0 if it is not caught
        hoped = cython.declare(cython.double[2])
        counted[0] = hoped[0] = 0.0
        for q in range(4):
            here[q] = caught[q] = promised[q] = 0.0
        for n in range(start, end):
            i: cython.Py_ssize_t = self.near.values[n]
            counted[1] = self.values[i]
            hoped[1] = max(self.values[i], 0.0)
            for k in range(2):
                d = abs(self.xs[i] - (x + half if k else x - half))
                mid_x[k] = d * d
                far_x[k] = (d + half) * (d + half)
                d = max(d - half, 0.0)
                near_x[k] = d * d
                d = abs(self.ys[i] - (y + half if k else y - half))
                mid_y[k] = d * d
                far_y[k] = (d + half) * (d + half)
                d = max(d - half, 0.0)
                near_y[k] = d * d
            for q in range(4):  # no branches, because they could not be predicted
                here[q] += counted[mid_x[q & 1] + mid_y[q >> 1] <= reach2]
                caught[q] += counted[far_x[q & 1] + far_y[q >> 1] <= inner2]
                promised[q] += hoped[near_x[q & 1] + near_y[q >> 1] <= outer2]
        for q in range(4):
            sums[HERE + q] = here[q]
            sums[CAUGHT + q] = caught[q]
            sums[PROMISED + q] = promised[q]

    def keep_near(
        self,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        half: cython.double,
        to: cython.Py_ssize_t,
    ) -> NoGil[cython.Py_ssize_t]:
        """Copy the units that only some discs of a square catch to `to`; return their end."""
        reach2 = self.radius * self.radius
        outer2 = reach2 * (1.0 + 1e-12)
        inner2 = reach2 * (1.0 - 1e-12)
        n: cython.Py_ssize_t
        for n in range(start, end):
            dx = abs(self.xs[self.near.values[n]] - x)
            dy = abs(self.ys[self.near.values[n]] - y)
            near_x = max(dx - half, 0.0)
            near_y = max(dy - half, 0.0)
            dx += half
            dy += half
            self.near.values[to] = self.near.values[n]
            to += (near_x * near_x + near_y * near_y <= outer2) & (dx * dx + dy * dy > inner2)
        return to

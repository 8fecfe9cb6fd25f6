"""Ways that cross, found by a sweep, and two units that exchange their places instead.

Two ways that cross are the diagonals of a quadrangle, and two of its sides are shorter together. So
each exchange makes the sum of all ways shorter, and that comes to an end.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.army.assignment import Assignment
from tilequad._core.buffers import Rows

GAIN: cython.double = 1e-12  # the least gain of an exchange, as a share of both ways


@cython.final
@cython.cclass
class Crossings:
    """Takes the crossings out of the ways of an assignment.

    The sweep goes across the mean way. There most ways are short, so few are met at once.

    Args:
        ways: The assignment, which is improved.
    """

    __slots__ = {
        "ways": "Assignment",
        "dx": "double",  # the direction of the sweep
        "dy": "double",
        "lows": "double[::1]",  # where each way begins and ends along it
        "highs": "double[::1]",
        "later": "int[::1]",  # the next in the order of the sweep that has changed
        "changed": "int[::1]",  # in this pass, 1, or in the one before, 2
    }

    def __init__(self, ways: Assignment) -> None:
        self.ways = ways
        self.lows, self.highs = Rows(ways.n, 2, 0).floats(2)
        self.later = np.zeros(ways.n + 1, np.int32).data
        self.changed = np.full(ways.n, 2, np.int32).data

    def remove(self) -> None:
        """Let units exchange their places until no two ways cross."""
        ways: Assignment = self.ways
        with cython.nogil:
            self.aim(ways)
            while self.sweep(ways):
                pass

    def aim(self, ways: Assignment) -> NoGil[None]:
        """Choose the direction of the sweep."""
        i: cython.Py_ssize_t
        length: cython.double
        self.dx = self.dy = 0.0
        for i in range(ways.n):
            self.dx -= ways.ys[ways.n + ways.place[i]] - ways.ys[i]
            self.dy += ways.xs[ways.n + ways.place[i]] - ways.xs[i]
        length = sqrt(self.dx * self.dx + self.dy * self.dy)
        if length > 0.0:
            self.dx /= length
            self.dy /= length
        else:
            self.dx = 1.0

    def sweep(self, ways: Assignment) -> NoGil[cython.Py_ssize_t]:
        """Look at all pairs with a way that has changed; return how many exchanged places."""
        a: cython.Py_ssize_t
        b: cython.Py_ssize_t
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        step: cython.bint
        found: cython.Py_ssize_t = 0
        self.order_ways(ways)
        for a in range(ways.n):
            i = ways.order[a]
            step = self.changed[i] == 0  # then only ways that have changed may cross it
            b = self.later[a + 1] if step else a + 1
            while b < ways.n:
                j = ways.order[b]
                if self.lows[j] > self.highs[i]:
                    break
                if self.cross(ways, i, j):
                    self.exchange(ways, i, j)
                    found += 1
                b = self.later[b + 1] if step else b + 1
        for i in range(ways.n):
            self.changed[i] = (self.changed[i] << 1) & 2
        return found

    def order_ways(self, ways: Assignment) -> NoGil[None]:
        """Sort the ways by where they begin; the sweep uses these numbers to its end."""
        i: cython.Py_ssize_t
        x: cython.double = ways.xs[0]
        y: cython.double = ways.ys[0]
        start: cython.double
        end: cython.double
        for i in range(ways.n):
            start = (ways.xs[i] - x) * self.dx + (ways.ys[i] - y) * self.dy
            end = (ways.xs[ways.n + ways.place[i]] - x) * self.dx
            end += (ways.ys[ways.n + ways.place[i]] - y) * self.dy
            self.lows[i] = ways.keys[i] = min(start, end)
            self.highs[i] = max(start, end)
            ways.order[i] = cython.cast(cython.int, i)
        ways.sort(0, ways.n)
        self.later[ways.n] = cython.cast(cython.int, ways.n)
        for i in range(ways.n - 1, -1, -1):
            self.later[i] = self.later[i + 1]
            if self.changed[ways.order[i]]:
                self.later[i] = cython.cast(cython.int, i)

    def cross(
        self, ways: Assignment, i: cython.Py_ssize_t, j: cython.Py_ssize_t
    ) -> NoGil[cython.bint]:
        """Whether two ways cross, and their units gain if they exchange their places."""
        p: cython.Py_ssize_t = ways.n + ways.place[i]
        q: cython.Py_ssize_t = ways.n + ways.place[j]
        # All seen from unit i: its way, the other unit, and that one's place.
        ux: cython.double = ways.xs[p] - ways.xs[i]
        uy: cython.double = ways.ys[p] - ways.ys[i]
        ax: cython.double = ways.xs[j] - ways.xs[i]
        ay: cython.double = ways.ys[j] - ways.ys[i]
        bx: cython.double = ways.xs[q] - ways.xs[i]
        by: cython.double = ways.ys[q] - ways.ys[i]
        vx: cython.double = bx - ax
        vy: cython.double = by - ay
        both: cython.double = ways.lengths[i] + ways.lengths[j]
        if (ux * ay - uy * ax) * (ux * by - uy * bx) >= 0.0:
            return False  # both ends of the other way are on one side
        if (vy * ax - vx * ay) * (vx * (uy - ay) - vy * (ux - ax)) >= 0.0:
            return False
        return both - ways.way(i, ways.place[j]) - ways.way(j, ways.place[i]) > GAIN * both

    def exchange(self, ways: Assignment, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> NoGil[None]:
        """Let two units exchange their places."""
        place: cython.int = ways.place[i]
        ways.take(i, ways.place[j])
        ways.take(j, place)
        self.changed[i] |= 1
        self.changed[j] |= 1

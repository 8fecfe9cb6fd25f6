"""Who goes to which of as many places, so that ways are short and do not cross.

A line that leaves as many units as places on its side parts the ways: none has to cross it. Where
the places lie beside the units, there is such a line along the way from the middle of the units to
the middle of the places: on both sides of it they drift apart equally. So the units and places are
cut along that way, and each piece again along its own. That is the best where they have far to go.
Where units and places overlap, short ways follow from halves: the lower half of the units takes the
lower half of the places, along x and y in turn. The shorter of both matchings is kept.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.buffers import Scratch

SHEAR: cython.double = 1e-6  # parts points that are level with one another, in the order of the way
LEVEL: cython.double = 4e-6  # points within this share of their extent are on one line
DEEPEST: cython.int = 48  # pieces of pieces that are cut further; deeper ones are cut in half
CUTS: cython.double = 1.03  # cuts leave fewer crossings than halves, and may be so much longer
SHORT: cython.Py_ssize_t = 12  # runs that are sorted by insertion


@cython.final
@cython.cclass
class Assignment:
    """Units and as many places; `place[i]` is the one that unit i takes.

    `xs` and `ys` are those of the units, then those of the places, (2 n,). `place` is written.
    """

    __slots__ = {
        "n": "Py_ssize_t",
        "xs": "double[::1]",
        "ys": "double[::1]",
        "place": "int[::1]",
        "lengths": "double[::1]",  # of the units' ways
        "keys": "double[::1]",
        "order": "int[::1]",  # of the units, then of the places
        "spare": "int[::1]",
        "least": "Py_ssize_t",  # pieces of so many are not cut further
    }

    def __init__(self, xs: memoryview, ys: memoryview, place: memoryview) -> None:
        self.xs = xs
        self.ys = ys
        self.place = place
        self.least = 1
        self.n = len(place)
        memory = Scratch(2 * self.n, 2, 2)
        self.lengths, self.keys = memory.floats(2)
        self.order, self.spare = memory.ints(2)

    def match(self) -> None:
        """Match all units with places by cuts or by halves, whichever ways are shorter."""
        kept = Scratch(self.n, 0, 1).ints(1)[0]
        best: cython.int[::1] = kept
        with cython.nogil:
            self.begin()
            self.cut(0, self.n, 0)
            by_cuts = self.measure()
            for i in range(self.n):
                best[i] = self.place[i]
            self.begin()
            self.halve(0, self.n)
            if by_cuts <= CUTS * self.measure():
                for i in range(self.n):
                    self.place[i] = best[i]
                self.measure()

    def split(self, least: cython.Py_ssize_t) -> np.ndarray:
        """Match pieces of up to `least` units with as many places; within them, any with any.

        Return the units piece by piece, (n,) int32.
        """
        self.least = least
        with cython.nogil:
            self.begin()
            self.halve(0, self.n)
        return np.array(self.order[: self.n])

    def begin(self) -> NoGil[None]:
        """Put units and places into their given order."""
        for i in range(2 * self.n):
            self.order[i] = cython.cast(cython.int, i)

    def way(self, unit: cython.Py_ssize_t, place: cython.Py_ssize_t) -> NoGil[cython.double]:
        """Return how far it is from a unit to a place."""
        dx = self.xs[unit] - self.xs[self.n + place]
        dy = self.ys[unit] - self.ys[self.n + place]
        return sqrt(dx * dx + dy * dy)

    def take(self, unit: cython.Py_ssize_t, place: cython.int) -> NoGil[None]:
        """Send a unit to a place."""
        self.place[unit] = place
        self.lengths[unit] = self.way(unit, place)

    def measure(self) -> NoGil[cython.double]:
        """Write the lengths of all ways; return their sum."""
        total = 0.0
        for i in range(self.n):
            self.take(i, self.place[i])
            total += self.lengths[i]
        return total

    def cut(
        self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, depth: cython.int
    ) -> NoGil[None]:
        """Match order[start:end] of the units with those places, cut along the way."""
        box = cython.declare(cython.double[8])
        first = start
        if end - start <= self.least:
            self.pair(start, end)
            return
        self.span(start, end, box)
        length = sqrt(box[6] * box[6] + box[7] * box[7])
        if length > 0.0:
            box[6] /= length
            box[7] /= length
        else:
            box[6] = 1.0
        # Across the way; and a little along it, so that what stands in file stays in file.
        if self.sort_along(start, end, SHEAR * box[6] - box[7], SHEAR * box[7] + box[6]) <= (
            LEVEL * (box[1] - box[0] + box[3] - box[2])
        ):
            self.sort_along(start, end, box[6], box[7])  # all in file: each follows the next
            self.pair(start, end)
            return
        if end - start == 2:
            self.pair(start, end)
            self.pair_shorter(start)
            return
        for k in range(start + 1, end):
            if depth < DEEPEST and self.is_cut(k):
                self.cut(first, k, depth + 1)
                first = k
        if first == start:
            first = (start + end) >> 1
            self.cut(start, first, depth + 1)
        self.cut(first, end, depth + 1)

    def is_cut(self, k: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a line parts the first k of the sorted units and places from the others."""
        before = max(self.keys[self.order[k - 1]], self.keys[self.order[self.n + k - 1]])
        return before <= min(self.keys[self.order[k]], self.keys[self.order[self.n + k]])

    def halve(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> NoGil[None]:
        """Match order[start:end] of the units with those places, in halves while they overlap."""
        box = cython.declare(cython.double[8])
        middle = (start + end) >> 1
        if end - start <= self.least:
            self.pair(start, end)
            return
        self.span(start, end, box)
        # The sums of both widths and of both heights; and twice the way between the middles.
        if 2.0 * sqrt(box[6] * box[6] + box[7] * box[7]) >= max(box[4], box[5]):
            self.cut(start, end, 0)
            return
        if box[4] >= box[5]:
            self.sort_along(start, end, 1.0, SHEAR)
        else:
            self.sort_along(start, end, SHEAR, 1.0)
        self.halve(start, middle)
        self.halve(middle, end)

    def pair(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> NoGil[None]:
        """Send units to places in their present order."""
        for k in range(start, end):
            self.place[self.order[k]] = cython.cast(cython.int, self.order[self.n + k] - self.n)

    def pair_shorter(self, start: cython.Py_ssize_t) -> NoGil[None]:
        """Let two units exchange their places if that is shorter."""
        a = self.order[start]
        b = self.order[start + 1]
        p = self.place[a]
        q = self.place[b]
        if self.way(a, q) + self.way(b, p) < self.way(a, p) + self.way(b, q):
            self.place[a] = q
            self.place[b] = p

    def span(
        self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, box: cython.p_double
    ) -> NoGil[None]:
        """Write where some units and places lie.

        box[0:4] is the least and greatest x and y, box[4:6] the sum of the units' and the places'
        widths and that of their heights, box[6:8] the way from the units' middle to the places'.
        """
        box[4] = box[5] = box[6] = box[7] = 0.0
        for side in range(2):
            i: cython.Py_ssize_t = self.order[start + side * self.n]
            low_x = high_x = self.xs[i]
            low_y = high_y = self.ys[i]
            if side == 0:
                box[0] = box[1] = low_x
                box[2] = box[3] = low_y
            for k in range(start + side * self.n, end + side * self.n):
                i = self.order[k]
                low_x = min(low_x, self.xs[i])
                high_x = max(high_x, self.xs[i])
                low_y = min(low_y, self.ys[i])
                high_y = max(high_y, self.ys[i])
                box[6] += (self.xs[i] - self.xs[self.order[start]]) * (2 * side - 1)
                box[7] += (self.ys[i] - self.ys[self.order[start]]) * (2 * side - 1)
            box[0] = min(box[0], low_x)
            box[1] = max(box[1], high_x)
            box[2] = min(box[2], low_y)
            box[3] = max(box[3], high_y)
            box[4] += high_x - low_x
            box[5] += high_y - low_y
        box[6] /= end - start
        box[7] /= end - start

    def sort_along(
        self,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        dx: cython.double,
        dy: cython.double,
    ) -> NoGil[cython.double]:
        """Sort some units and their places along a direction; return how long all are along it."""
        x = self.xs[self.order[start]]
        y = self.ys[self.order[start]]
        low = 0.0
        high = 0.0
        for side in range(2):
            for k in range(start + side * self.n, end + side * self.n):
                i: cython.Py_ssize_t = self.order[k]
                self.keys[i] = (self.xs[i] - x) * dx + (self.ys[i] - y) * dy
                low = min(low, self.keys[i])
                high = max(high, self.keys[i])
            self.sort(start + side * self.n, end + side * self.n)
        return high - low

    def sort(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> NoGil[None]:
        """Sort order[start:end] by the keys; equal ones keep their order."""
        middle = (start + end) >> 1
        i: cython.Py_ssize_t
        if end - start <= SHORT:
            for i in range(start + 1, end):
                one = self.order[i]
                key = self.keys[one]
                j = i
                while j > start and self.keys[self.order[j - 1]] > key:
                    self.order[j] = self.order[j - 1]
                    j -= 1
                self.order[j] = one
            return
        self.sort(start, middle)
        self.sort(middle, end)
        for i in range(start, middle):
            self.spare[i] = self.order[i]
        i, j, k = start, middle, start
        while i < middle and j < end:
            if self.keys[self.order[j]] < self.keys[self.spare[i]]:
                self.order[k] = self.order[j]
                j += 1
            else:
                self.order[k] = self.spare[i]
                i += 1
            k += 1
        while i < middle:
            self.order[k] = self.spare[i]
            i += 1
            k += 1

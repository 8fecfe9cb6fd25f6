"""Ways that cross, and two units that exchange their places instead.

Two ways that cross are the diagonals of a quadrangle, and two of its sides are shorter together. So
each exchange makes the sum of all ways shorter, and that comes to an end.

The ways are found by a sweep across the mean way. There most ways are short, so few are met at
once. Where many are, because the ways spread like a fan, they are found in a tree of bundles: all
pairs, as long as many ways change, and then those with a way that has.

A bundle has ways that begin near each other and end near each other. It lies in the hull of two
boxes, one around its units and one around their places. What is beyond one of its sides, which run
from box to box, it does not cross. So of ways that do not cross few pairs are ever looked at,
whether the ways are parallel or spread like a fan.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object
from tilequad._core.army.assignment import Assignment
from tilequad._core.buffers import Scratch
from tilequad._core.layout import INF

# -- bundles ---------------------------------------------------------------------------------------

SMALL: cython.Py_ssize_t = 12  # ways of a bundle that is not split


@cython.final
@cython.cclass
class Bundles:
    """A tree of bundles. Bundle 1 has all ways, the two parts of bundle k are 2 k and 2 k + 1."""

    __slots__ = {
        "first": "Py_ssize_t",  # the first bundle that is not split
        "order": "int[::1]",  # the ways, those of a bundle side by side
        # By way: the bundle around it that is not split; x and y of its unit, and of its place.
        "owners": "int[::1]",
        "ends": "double[:, ::1]",
        # By bundle: the least and the greatest of each of these four; and of its left and its right
        # side a normal, x and y, and how far along it the bundle reaches.
        "boxes": "double[:, ::1]",
        "sides": "double[:, ::1]",
    }

    def __init__(self, n: int) -> None:
        self.first = 1
        while SMALL * self.first < n:
            self.first *= 2
        self.order = np.arange(n, dtype=np.int32).data
        self.owners = np.zeros(n, np.int32).data
        self.ends = np.empty((n, 4)).data
        self.boxes = np.empty((2 * self.first, 8)).data
        self.sides = np.empty((2 * self.first, 6)).data

    def hold(self, i: cython.Py_ssize_t) -> NoGil[None]:
        """Let the bundles of a way hold it after it has changed."""
        k: cython.Py_ssize_t = self.owners[i]
        while k > 0 and self.widen(k, i):
            self.draw_sides(k)
            k >>= 1

    def enclose(self, i: cython.Py_ssize_t) -> NoGil[None]:
        """Make bundle 0 of one way."""
        for k in range(8):
            self.boxes[0, k] = self.ends[i, k >> 1]
        self.draw_sides(0)

    def split(
        self, k: cython.Py_ssize_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> NoGil[None]:
        """Make bundle k of order[start:end], and its parts."""
        i: cython.Py_ssize_t
        widest: cython.Py_ssize_t = 0
        middle = (start + end) >> 1
        none: cython.double = INF
        for axis in range(4):
            self.boxes[k, 2 * axis] = none
            self.boxes[k, 2 * axis + 1] = -none
        for i in range(start, end):
            self.widen(k, self.order[i])
        self.draw_sides(k)
        if k >= self.first:
            for i in range(start, end):
                self.owners[self.order[i]] = cython.cast(cython.int, k)
            return
        for axis in range(1, 4):
            if self.width(k, axis) > self.width(k, widest):
                widest = axis
        self.part(start, end - 1, middle, widest)
        self.split(2 * k, start, middle)
        self.split(2 * k + 1, middle, end)

    def widen(self, k: cython.Py_ssize_t, i: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Let a bundle hold a way; return whether it did not."""
        wider = False
        for axis in range(4):
            if self.ends[i, axis] < self.boxes[k, 2 * axis]:
                self.boxes[k, 2 * axis] = self.ends[i, axis]
                wider = True
            if self.ends[i, axis] > self.boxes[k, 2 * axis + 1]:
                self.boxes[k, 2 * axis + 1] = self.ends[i, axis]
                wider = True
        return wider

    def width(self, k: cython.Py_ssize_t, axis: cython.Py_ssize_t) -> NoGil[cython.double]:
        """How wide a bundle is along an axis."""
        return self.boxes[k, 2 * axis + 1] - self.boxes[k, 2 * axis]

    def part(
        self,
        low: cython.Py_ssize_t,
        high: cython.Py_ssize_t,
        middle: cython.Py_ssize_t,
        axis: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Put those of order[low:high + 1] before the middle that are lower along an axis."""
        while low < high:
            pivot = self.ends[self.order[(low + high) >> 1], axis]
            i, j = low, high
            while i <= j:
                while self.ends[self.order[i], axis] < pivot:
                    i += 1
                while self.ends[self.order[j], axis] > pivot:
                    j -= 1
                if i <= j:
                    self.order[i], self.order[j] = self.order[j], self.order[i]
                    i += 1
                    j -= 1
            if middle <= j:
                high = j
            elif middle >= i:
                low = i
            else:
                return

    # -- the hull of two boxes ---------------------------------------------------------------------

    def draw_sides(self, k: cython.Py_ssize_t) -> NoGil[None]:
        """Draw the sides of a bundle, each from a corner of a box to that corner of the other."""
        left: cython.double = 1.0
        for at in range(0, 6, 3):
            x = left * (self.boxes[k, 2] - self.boxes[k, 6])
            y = left * (self.boxes[k, 4] - self.boxes[k, 0])
            column: cython.Py_ssize_t = 0 if x < 0.0 else 1
            row: cython.Py_ssize_t = 2 if y < 0.0 else 3
            x = left * (self.boxes[k, row] - self.boxes[k, row + 4])
            y = left * (self.boxes[k, column + 4] - self.boxes[k, column])
            self.sides[k, at] = x
            self.sides[k, at + 1] = y
            self.sides[k, at + 2] = self.reach(k, x, y)
            left = -1.0

    def reach(
        self, k: cython.Py_ssize_t, x: cython.double, y: cython.double
    ) -> NoGil[cython.double]:
        """How far a bundle reaches in a direction."""
        column: cython.Py_ssize_t = 0 if x < 0.0 else 1
        row: cython.Py_ssize_t = 2 if y < 0.0 else 3
        return max(
            x * self.boxes[k, column] + y * self.boxes[k, row],
            x * self.boxes[k, column + 4] + y * self.boxes[k, row + 4],
        )

    def are_apart(self, a: cython.Py_ssize_t, b: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether no way of one bundle crosses a way of another one."""
        for k in range(0, 4, 2):
            if max(self.boxes[a, k + 1], self.boxes[a, k + 5]) <= min(
                self.boxes[b, k], self.boxes[b, k + 4]
            ) or max(self.boxes[b, k + 1], self.boxes[b, k + 5]) <= min(
                self.boxes[a, k], self.boxes[a, k + 4]
            ):
                return True
        return self.is_beside(a, b) or self.is_beside(b, a)

    def is_beside(self, a: cython.Py_ssize_t, b: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether bundle b is beyond a side of bundle a."""
        for k in range(0, 6, 3):
            x = self.sides[a, k]
            y = self.sides[a, k + 1]
            if (x != 0.0 or y != 0.0) and -self.reach(b, -x, -y) >= self.sides[a, k + 2]:
                return True
        return False


GAIN: cython.double = 1e-12  # the least gain of an exchange, as a share of both ways
MET: cython.Py_ssize_t = 195  # other ways that each meets in a sweep; more are for bundles
MANY: cython.Py_ssize_t = 2  # of so many ways one has changed: then all are looked at


@cython.final
@cython.cclass
class Crossings:
    """Takes the crossings out of the ways of an assignment, and so improves it."""

    __slots__ = {
        "ways": "Assignment",
        "dx": "double",  # the direction of the sweep
        "dy": "double",
        "lows": "double[::1]",  # where each way begins and ends along it
        "highs": "double[::1]",
        "later": "int[::1]",  # the next in the order of the sweep that has changed
        "changed": "int[::1]",  # in this pass, 1, or in the one before, 2
        "waiting": "int[::1]",  # ways that have changed, which are looked at again
        "count": "Py_ssize_t",  # of them
    }

    def __init__(self, ways: Assignment) -> None:
        self.ways = ways
        self.lows, self.highs = Scratch(ways.n, 2, 0).floats(2)
        self.later = np.zeros(ways.n + 1, np.int32).data
        self.changed = np.full(ways.n, 2, np.int32).data

    def remove(self) -> None:
        """Let units exchange their places until no two ways cross."""
        ways: Assignment = self.ways
        with cython.nogil:
            self.aim(ways)
            self.order_ways(ways)
            many: cython.bint = self.count_met(ways) > MET * ways.n
        if many:
            self.bundle(ways)
            return
        with cython.nogil:
            while self.sweep(ways):
                self.order_ways(ways)

    def aim(self, ways: Assignment) -> NoGil[None]:
        """Choose the direction of the sweep."""
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

    # -- two ways ----------------------------------------------------------------------------------

    def cross(
        self, ways: Assignment, i: cython.Py_ssize_t, j: cython.Py_ssize_t
    ) -> NoGil[cython.bint]:
        """Whether two ways cross, and their units gain if they exchange their places."""
        p = ways.n + ways.place[i]
        q = ways.n + ways.place[j]
        # All seen from unit i: its way, the other unit, and that one's place.
        ux = ways.xs[p] - ways.xs[i]
        uy = ways.ys[p] - ways.ys[i]
        ax = ways.xs[j] - ways.xs[i]
        ay = ways.ys[j] - ways.ys[i]
        bx = ways.xs[q] - ways.xs[i]
        by = ways.ys[q] - ways.ys[i]
        vx = bx - ax
        vy = by - ay
        both = ways.lengths[i] + ways.lengths[j]
        if (ux * ay - uy * ax) * (ux * by - uy * bx) >= 0.0:
            return False  # both ends of the other way are on one side
        if (vy * ax - vx * ay) * (vx * (uy - ay) - vy * (ux - ax)) >= 0.0:
            return False
        return both - ways.way(i, ways.place[j]) - ways.way(j, ways.place[i]) > GAIN * both

    def exchange(self, ways: Assignment, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> NoGil[None]:
        """Let two units exchange their places."""
        place = ways.place[i]
        ways.take(i, ways.place[j])
        ways.take(j, place)

    # -- by a sweep --------------------------------------------------------------------------------

    def order_ways(self, ways: Assignment) -> NoGil[None]:
        """Sort the ways by where they begin; the sweep uses these numbers to its end."""
        x = ways.xs[0]
        y = ways.ys[0]
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

    def count_met(self, ways: Assignment) -> NoGil[cython.Py_ssize_t]:
        """Return how many pairs of ways a sweep meets."""
        found: cython.Py_ssize_t = 0
        for a in range(ways.n):
            low, high = a + 1, ways.n
            while low < high:
                middle = (low + high) >> 1
                if self.lows[ways.order[middle]] > self.highs[ways.order[a]]:
                    high = middle
                else:
                    low = middle + 1
            found += low - a - 1
        return found

    def sweep(self, ways: Assignment) -> NoGil[cython.Py_ssize_t]:
        """Look at all pairs with a way that has changed; return how many exchanged places."""
        found: cython.Py_ssize_t = 0
        for a in range(ways.n):
            i = ways.order[a]
            step: cython.bint = self.changed[i] == 0  # then only changed ways may cross it
            b = self.later[a + 1] if step else a + 1
            while b < ways.n:
                j: cython.Py_ssize_t = ways.order[b]
                if self.lows[j] > self.highs[i]:
                    break
                if self.cross(ways, i, j):
                    self.exchange(ways, i, j)
                    self.changed[i] |= 1
                    self.changed[j] |= 1
                    found += 1
                b = self.later[b + 1] if step else b + 1
        for i in range(ways.n):
            self.changed[i] = (self.changed[i] << 1) & 2
        return found

    # -- by bundles --------------------------------------------------------------------------------

    def bundle(self, ways: Assignment) -> Object[None]:
        """Let units exchange their places until no two ways of the bundles cross."""
        bundles: Bundles = Bundles(ways.n)
        stale: cython.Py_ssize_t = 0
        [self.waiting] = Scratch(ways.n, 0, 1).ints(1)
        self.count = 0
        with cython.nogil:
            for i in range(ways.n):
                self.changed[i] = 0
                self.write_ends(ways, bundles, i)
            self.look_at_all(ways, bundles)
            while self.count * MANY > ways.n:
                self.look_at_all(ways, bundles)
            while self.count > 0:
                i = self.next_waiting()
                bundles.enclose(i)
                stale += self.look_along(ways, bundles, i, 1, 0, ways.n)
                if stale == ways.n:  # the bundles have become wide
                    bundles.split(1, 0, ways.n)
                    stale = 0

    def write_ends(self, ways: Assignment, bundles: Bundles, i: cython.Py_ssize_t) -> NoGil[None]:
        """Write where a way begins and ends: across the mean way, and along it."""
        at = i
        for k in range(0, 4, 2):
            x = ways.xs[at] - ways.xs[0]
            y = ways.ys[at] - ways.ys[0]
            bundles.ends[i, k] = x * self.dx + y * self.dy
            bundles.ends[i, k + 1] = y * self.dx - x * self.dy
            at = ways.n + ways.place[i]

    def next_waiting(self) -> NoGil[cython.Py_ssize_t]:
        """Take a way from those that have changed."""
        self.count -= 1
        self.changed[self.waiting[self.count]] = 0
        return self.waiting[self.count]

    def look_at_all(self, ways: Assignment, bundles: Bundles) -> NoGil[None]:
        """Look at all pairs, and list the ways that change."""
        while self.count > 0:
            self.next_waiting()
        bundles.split(1, 0, ways.n)
        self.look_in(ways, bundles, 1, 0, ways.n)

    def look_in(
        self,
        ways: Assignment,
        bundles: Bundles,
        k: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Look at all pairs of ways in bundle k, which is order[start:end]."""
        middle = (start + end) >> 1
        if k >= bundles.first:
            for i in range(start, end):
                self.look_at(ways, bundles, bundles.order[i], i + 1, end)
            return
        self.look_in(ways, bundles, 2 * k, start, middle)
        self.look_in(ways, bundles, 2 * k + 1, middle, end)
        self.look_between(ways, bundles, 2 * k, start, middle, 2 * k + 1, middle, end)

    def look_between(
        self,
        ways: Assignment,
        bundles: Bundles,
        a: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        b: cython.Py_ssize_t,
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Look at all pairs of a way of bundle a and one of bundle b."""
        middle = (start + end) >> 1
        half = (first + last) >> 1
        if bundles.are_apart(a, b):
            return
        if a >= bundles.first:
            for i in range(start, end):
                self.look_at(ways, bundles, bundles.order[i], first, last)
            return
        self.look_between(ways, bundles, 2 * a, start, middle, 2 * b, first, half)
        self.look_between(ways, bundles, 2 * a, start, middle, 2 * b + 1, half, last)
        self.look_between(ways, bundles, 2 * a + 1, middle, end, 2 * b, first, half)
        self.look_between(ways, bundles, 2 * a + 1, middle, end, 2 * b + 1, half, last)

    def look_along(
        self,
        ways: Assignment,
        bundles: Bundles,
        i: cython.Py_ssize_t,
        k: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
    ) -> NoGil[cython.bint]:
        """Look at the pairs of a way, which is bundle 0, with those of bundle k.

        Return whether it has changed. Then bundle 0 is not right any more, and the way waits again.
        """
        middle = (start + end) >> 1
        if bundles.are_apart(0, k):
            return False
        if k >= bundles.first:
            return self.look_at(ways, bundles, i, start, end)
        if self.look_along(ways, bundles, i, 2 * k, start, middle):
            return True
        return self.look_along(ways, bundles, i, 2 * k + 1, middle, end)

    def look_at(
        self,
        ways: Assignment,
        bundles: Bundles,
        i: cython.Py_ssize_t,
        first: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
    ) -> NoGil[cython.bint]:
        """Look at the pairs of a way with order[first:last]; return whether it has changed."""
        found = False
        for at in range(first, last):
            if self.cross(ways, i, bundles.order[at]):
                self.exchange(ways, i, bundles.order[at])
                self.change(ways, bundles, i)
                self.change(ways, bundles, bundles.order[at])
                found = True
        return found

    def change(self, ways: Assignment, bundles: Bundles, i: cython.Py_ssize_t) -> NoGil[None]:
        """Let a way that has changed wait, and its bundles hold it."""
        self.write_ends(ways, bundles, i)
        bundles.hold(i)
        if self.changed[i] == 0:
            self.changed[i] = 1
            self.waiting[self.count] = cython.cast(cython.int, i)
            self.count += 1

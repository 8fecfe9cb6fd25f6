"""A tree of bundles: ways that begin near each other and end near each other.

A bundle lies in the hull of two boxes, one around its units and one around their places. What is
beyond one of its sides, which run from box to box, it does not cross. So of ways that do not cross
few pairs are ever looked at, whether the ways are parallel or spread like a fan.
"""

from __future__ import annotations

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.tree.layout import INF

SMALL: cython.Py_ssize_t = 12  # ways of a bundle that is not split


@cython.final
@cython.cclass
class Bundles:
    """The tree. Bundle 1 has all ways, the two parts of bundle k are 2 k and 2 k + 1.

    Args:
        n: The number of ways.
    """

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
        k: cython.Py_ssize_t
        for k in range(8):
            self.boxes[0, k] = self.ends[i, k >> 1]
        self.draw_sides(0)

    def split(
        self, k: cython.Py_ssize_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> NoGil[None]:
        """Make bundle k of order[start:end], and its parts."""
        i: cython.Py_ssize_t
        axis: cython.Py_ssize_t
        widest: cython.Py_ssize_t = 0
        middle: cython.Py_ssize_t = (start + end) >> 1
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
        axis: cython.Py_ssize_t
        wider: cython.bint = False
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
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        pivot: cython.double
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
        at: cython.Py_ssize_t
        column: cython.Py_ssize_t
        row: cython.Py_ssize_t
        x: cython.double
        y: cython.double
        left: cython.double = 1.0
        for at in range(0, 6, 3):
            x = left * (self.boxes[k, 2] - self.boxes[k, 6])
            y = left * (self.boxes[k, 4] - self.boxes[k, 0])
            column = 0 if x < 0.0 else 1
            row = 2 if y < 0.0 else 3
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
        k: cython.Py_ssize_t
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
        k: cython.Py_ssize_t
        x: cython.double
        y: cython.double
        for k in range(0, 6, 3):
            x = self.sides[a, k]
            y = self.sides[a, k + 1]
            if (x != 0.0 or y != 0.0) and -self.reach(b, -x, -y) >= self.sides[a, k + 2]:
                return True
        return False

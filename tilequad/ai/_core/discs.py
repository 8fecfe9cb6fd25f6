# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Where a disc catches most: branch and bound over squares.

A disc with its centre in a square catches at most what lies within the radius of the square, and
surely what lies within the radius of all its corners. So a square that promises no more than is
found already is dropped, and the others are cut into four.
"""

from __future__ import annotations

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # compiled, discs.pxd imports these
    from math import sqrt

    from tilequad.quadtree._core import _cython as cython

from tilequad.quadtree._core.buffers import IntBuffer

SMALLEST = 1e-7  # of the radius: smaller squares are not cut
HALF_DIAGONAL = 0.70710678118654757


class DiscSearch:
    """Searches the place in a ring whose disc catches the highest sum of values."""

    __slots__ = (
        "accuracy",
        "best",
        "best_x",
        "best_y",
        "least",
        "most",
        "near",
        "radius",
        "values",
        "x",
        "xs",
        "y",
        "ys",
    )

    def __init__(
        self,
        places: tuple[memoryview, memoryview, memoryview],
        ring: tuple[float, float, float, float],
        radius: float,
        accuracy: float,
    ) -> None:
        self.xs, self.ys, self.values = places
        self.x, self.y, self.least, self.most = ring
        self.radius = radius
        self.accuracy = accuracy
        self.best = self.best_x = self.best_y = 0.0
        self.near = IntBuffer(1024)

    def search(
        self, x: cython.double, y: cython.double, side: cython.double
    ) -> tuple[float, float, float]:
        """Search a square; return the best place and what it catches, 0 if nothing."""
        i: cython.int
        for i in range(len(self.xs)):
            self.near.append(i)
        self.cut(x, y, side, 0, len(self.xs), 0.0)
        return self.best_x, self.best_y, self.best

    def cut(
        self,
        x: cython.double,
        y: cython.double,
        side: cython.double,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        sure: cython.double,
    ) -> cython.int:
        """Search the quarters of a square, the most promising first.

        near[start:end] are the units that some of its discs catch, not all; `sure` is what all of
        them catch.
        """
        xs = cython.declare(cython.double[4])
        ys = cython.declare(cython.double[4])
        promised = cython.declare(cython.double[4])
        caught = cython.declare(cython.double[4])
        begins = cython.declare(cython.Py_ssize_t[5])
        base: cython.Py_ssize_t = self.near.used
        q: cython.Py_ssize_t
        top: cython.Py_ssize_t
        side = side / 2
        for q in range(4):
            xs[q] = x + (side / 2 if q & 1 else -side / 2)
            ys[q] = y + (side / 2 if q & 2 else -side / 2)
            begins[q] = self.near.used
            promised[q] = caught[q] = 0.0
            if self.in_reach(xs[q], ys[q], side * HALF_DIAGONAL):
                caught[q] = sure
                promised[q] = self.look(q, xs[q], ys[q], side, start, end, sure, caught)
        begins[4] = self.near.used
        for _ in range(4):
            top = 0
            for q in range(1, 4):
                if promised[q] > promised[top]:
                    top = q
            if promised[top] * self.accuracy <= self.best or promised[top] <= 0.0:
                break
            if side > self.radius * SMALLEST:
                self.cut(xs[top], ys[top], side, begins[top], begins[top + 1], caught[top])
            promised[top] = 0.0
        self.near.used = base
        return 0

    def look(
        self,
        q: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        side: cython.double,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        sure: cython.double,
        caught: cython.p_double,
    ) -> cython.double:
        """Try the centre of a square, and return what the square promises at most."""
        half: cython.double = side / 2
        reach2: cython.double = self.radius * self.radius
        outer2: cython.double = reach2 * (1.0 + 1e-12)
        inner2: cython.double = reach2 * (1.0 - 1e-12)
        value: cython.double
        here: cython.double = sure
        most: cython.double = sure
        n: cython.Py_ssize_t
        i: cython.int
        dx: cython.double
        dy: cython.double
        near_x: cython.double
        near_y: cython.double
        self.near.reserve(end - start)
        for n in range(start, end):
            i = self.near.values[n]
            dx = abs(self.xs[i] - x)
            dy = abs(self.ys[i] - y)
            near_x = max(dx - half, 0.0)
            near_y = max(dy - half, 0.0)
            if near_x * near_x + near_y * near_y > outer2:
                continue
            value = self.values[i]
            if dx * dx + dy * dy <= reach2:
                here += value
            dx += half
            dy += half
            if dx * dx + dy * dy <= inner2:
                caught[q] += value
                most += value
            else:
                self.near.values[self.near.used] = i
                self.near.used += 1
                most += max(value, 0.0)
        if here > self.best and self.in_reach(x, y, 0.0):
            self.best = here
            self.best_x = x
            self.best_y = y
        return most

    def in_reach(self, x: cython.double, y: cython.double, half: cython.double) -> cython.bint:
        """Whether a place less than `half` from (x, y) may be in the ring."""
        dx: cython.double = x - self.x
        dy: cython.double = y - self.y
        far: cython.double = sqrt(dx * dx + dy * dy)
        return far - half <= self.most and far + half >= self.least

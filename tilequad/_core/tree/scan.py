"""Loops over the entries of a leaf that all queries share.

They write a number for each entry, without branches, because whether an entry is a hit cannot be
predicted. Each loop does so little that the compiler does several rounds at once.
"""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.tree.layout import GROUPS, INF, NO_SLOT, place_of
from tilequad._core.tree.units import UnitStore

TIED: cython.int = -2
ONE: cython.Py_ssize_t = 1048576  # more than the sum of the places in an array of candidates


def write_squares(
    units: UnitStore,
    first: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    squares: cython.p_double,
) -> NoGil[None]:
    """Write the squared distances from a point to n entries."""
    i: cython.Py_ssize_t
    dx: cython.double
    dy: cython.double
    for i in range(n):
        dx = units.xs[first + i] - x
        dy = units.ys[first + i] - y
        squares[i] = dx * dx + dy * dy


def write_gaps(
    units: UnitStore,
    first: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    min_x: cython.double,
    min_y: cython.double,
    max_x: cython.double,
    max_y: cython.double,
    gaps: cython.p_double,
) -> NoGil[None]:
    """Write how far n entries are from a box, along x or y, whichever is more; inside it, <= 0."""
    i: cython.Py_ssize_t
    dx: cython.double
    dy: cython.double
    for i in range(n):
        dx = max(min_x - units.xs[first + i], units.xs[first + i] - max_x)
        dy = max(min_y - units.ys[first + i], units.ys[first + i] - max_y)
        gaps[i] = max(dx, dy)


def leave_out(
    units: UnitStore,
    leaf: cython.int,
    first: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    groups: cython.int,
    without: cython.int,
    numbers: cython.p_double,
) -> NoGil[None]:
    """Make the numbers of those of n entries infinite that are not in a wanted group."""
    beyond = cython.declare(cython.double[2])
    i: cython.Py_ssize_t
    mask: cython.int
    if (units.nodes.links[place_of(leaf) + GROUPS] & (~groups | without)) == 0:
        return  # all of them are
    beyond[0] = 0.0
    beyond[1] = INF
    for i in range(n):
        mask = units.masks[first + i]
        numbers[i] += beyond[((mask & groups) == 0) | ((mask & without) != 0)]


def least_of(
    numbers: cython.p_double, n: cython.Py_ssize_t, limit: cython.double
) -> NoGil[cython.Py_ssize_t]:
    """Return which number is the least, and finite; NO_SLOT if none is within the limit.

    TIED, if several are the least, or if it equals the limit.
    """
    lows = cython.declare(cython.double[4])
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    least: cython.double
    for i in range(4):
        lows[i] = limit
    for i in range(0, n - 3, 4):  # four at a time, which need not wait for each other
        lows[0] = min(lows[0], numbers[i])
        lows[1] = min(lows[1], numbers[i + 1])
        lows[2] = min(lows[2], numbers[i + 2])
        lows[3] = min(lows[3], numbers[i + 3])
    for i in range(n - n % 4, n):
        lows[0] = min(lows[0], numbers[i])
    least = min(min(lows[0], lows[1]), min(lows[2], lows[3]))
    if least == INF:
        return NO_SLOT
    for i in range(n):  # one sum of how many they are and, if it is one, which
        at += i + ONE if numbers[i] <= least else 0
    if at < ONE:
        return NO_SLOT
    return TIED if at >= 2 * ONE or least == limit else at - ONE

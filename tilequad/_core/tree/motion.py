"""The time at which something that moves in a straight line first touches something at rest.

Times run from 0 at the start of the way to 1 at its end; inf means never.
"""

from __future__ import annotations

from math import frexp, ldexp, sqrt

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.layout import INF

if cython.compiled:
    from cython.cimports.libc.math import ilogb
else:

    def ilogb(value: float) -> int:
        """Return the exponent of a number in base 2, like C's `ilogb`."""
        return frexp(value)[1] - 1


def footprint_time(
    x: cython.double,
    y: cython.double,
    dx: cython.double,
    dy: cython.double,
    half_w: cython.double,
    half_h: cython.double,
    w: cython.double,
    h: cython.double,
) -> NoGil[cython.double]:
    """Return when a footprint that moves from (x, y) by (dx, dy) touches one at the origin.

    A footprint is the half size of a box, or a radius and -1. Two discs touch when a disc with the
    sum of their radii reaches a point. Two boxes touch when a box with the sum of their sizes
    reaches a point. A box and a disc touch when the disc reaches the box, whichever of them moves.
    """
    radius = 0.0
    if h < 0.0 and half_h < 0.0:
        return disc_time(x, y, dx, dy, half_w + w)
    if h < 0.0:
        radius = w
        w = half_w
        h = half_h
    elif half_h < 0.0:
        radius = half_w
    else:
        w = w + half_w
        h = h + half_h
    return box_time(x + w, y + h, x - w, y - h, dx, dy, radius)


def disc_time(
    x: cython.double,
    y: cython.double,
    dx: cython.double,
    dy: cython.double,
    radius: cython.double,
) -> NoGil[cython.double]:
    """Return when a point that moves from (x, y) by (dx, dy) enters a disc around the origin."""
    # Scaling by a power of two near the path's length keeps its square in range, without rounding.
    scale = power_of_two(max(abs(dx), abs(dy)))
    if x * x + y * y <= radius * radius:
        return 0.0
    dx *= scale
    dy *= scale
    a = dx * dx + dy * dy
    b = x * dx + y * dy
    cross = x * dy - y * dx
    rest = a * radius * radius - cross * cross
    if b >= 0.0 or rest < 0.0:
        return INF
    time = (-b - sqrt(rest)) / a * scale
    return time if time <= 1.0 else INF


def power_of_two(length: cython.double) -> NoGil[cython.double]:
    """Return the power of two that scales an extreme length to near 1; 1 for any other length."""
    if 1e-3 <= length <= 1e3 or length == 0.0:
        return 1.0
    return ldexp(1.0, min(-ilogb(length), 1023))


def box_time(
    low_x: cython.double,
    low_y: cython.double,
    high_x: cython.double,
    high_y: cython.double,
    dx: cython.double,
    dy: cython.double,
    radius: cython.double,
) -> NoGil[cython.double]:
    """Return when a disc that moves by (dx, dy) touches a box.

    The disc starts at (low_x, low_y) relative to the box's low corner and at (high_x, high_y)
    relative to its high corner. So this test finds a touch at the start exactly if the other tests
    do.

    Its center enters a box with rounded corners: the union of the widened box, the heightened box,
    and a disc at each corner.
    """
    time = slab_time(low_x, low_y, high_x, high_y, dx, dy, radius, 0.0)
    if radius > 0.0:
        time = min(time, slab_time(low_x, low_y, high_x, high_y, dx, dy, 0.0, radius))
        time = min(time, disc_time(low_x, low_y, dx, dy, radius))
        time = min(time, disc_time(low_x, high_y, dx, dy, radius))
        time = min(time, disc_time(high_x, low_y, dx, dy, radius))
        time = min(time, disc_time(high_x, high_y, dx, dy, radius))
    return time


def slab_time(
    low_x: cython.double,
    low_y: cython.double,
    high_x: cython.double,
    high_y: cython.double,
    dx: cython.double,
    dy: cython.double,
    extra_x: cython.double,
    extra_y: cython.double,
) -> NoGil[cython.double]:
    """Return when a point that moves by (dx, dy) enters a box that is enlarged on all sides.

    This is the slab method: the box is the intersection of two strips, one along each axis.
    """
    enter = 0.0
    leave = 1.0
    if dx == 0.0:
        if low_x < -extra_x or high_x > extra_x:
            return INF
    else:
        low = (-extra_x - low_x) / dx
        high = (extra_x - high_x) / dx
        enter = max(enter, min(low, high))
        leave = min(leave, max(low, high))
    if dy == 0.0:
        if low_y < -extra_y or high_y > extra_y:
            return INF
    else:
        low = (-extra_y - low_y) / dy
        high = (extra_y - high_y) / dy
        enter = max(enter, min(low, high))
        leave = min(leave, max(low, high))
    return enter if enter <= leave else INF

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""When something that moves in a straight line first touches something that stands.

Times run from 0, where it starts, to 1, where it ends; inf means that it does not.
"""

from __future__ import annotations

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython

if not cython.compiled:  # compiled, the .pxd takes it from libc
    from math import sqrt

COMPILED = bool(cython.compiled)

INF = float("inf")


def disc_time(
    fx: cython.double,
    fy: cython.double,
    dx: cython.double,
    dy: cython.double,
    radius: cython.double,
) -> cython.double:
    """When a point that starts at (fx, fy) and moves by (dx, dy) enters a disc round the origin."""
    a: cython.double = dx * dx + dy * dy
    b: cython.double = fx * dx + fy * dy
    cross: cython.double = fx * dy - fy * dx
    reach2: cython.double = radius * radius
    rest: cython.double = a * radius * radius - cross * cross
    time: cython.double
    if fx * fx + fy * fy <= reach2:
        return 0.0
    if b >= 0.0 or rest < 0.0:
        return INF
    time = (-b - sqrt(rest)) / a
    return time if time <= 1.0 else INF


def box_time(
    x: cython.double,
    y: cython.double,
    dx: cython.double,
    dy: cython.double,
    min_x: cython.double,
    min_y: cython.double,
    max_x: cython.double,
    max_y: cython.double,
    radius: cython.double,
) -> cython.double:
    """When a disc that starts at (x, y) and moves by (dx, dy) touches a box.

    Its centre then enters the box with rounded corners: the box made wider, the box made higher,
    and a disc on each corner.
    """
    time: cython.double = slab_time(x, y, dx, dy, min_x - radius, min_y, max_x + radius, max_y)
    if radius > 0.0:
        time = min(time, slab_time(x, y, dx, dy, min_x, min_y - radius, max_x, max_y + radius))
        time = min(time, disc_time(x - min_x, y - min_y, dx, dy, radius))
        time = min(time, disc_time(x - min_x, y - max_y, dx, dy, radius))
        time = min(time, disc_time(x - max_x, y - min_y, dx, dy, radius))
        time = min(time, disc_time(x - max_x, y - max_y, dx, dy, radius))
    return time


def slab_time(
    x: cython.double,
    y: cython.double,
    dx: cython.double,
    dy: cython.double,
    min_x: cython.double,
    min_y: cython.double,
    max_x: cython.double,
    max_y: cython.double,
) -> cython.double:
    """When a point that starts at (x, y) and moves by (dx, dy) enters a box."""
    enter: cython.double = 0.0
    leave: cython.double = 1.0
    low: cython.double
    high: cython.double
    if dx == 0.0:
        if x < min_x or x > max_x:
            return INF
    else:
        low = (min_x - x) / dx
        high = (max_x - x) / dx
        enter = max(enter, min(low, high))
        leave = min(leave, max(low, high))
    if dy == 0.0:
        if y < min_y or y > max_y:
            return INF
    else:
        low = (min_y - y) / dy
        high = (max_y - y) / dy
        enter = max(enter, min(low, high))
        leave = min(leave, max(low, high))
    return enter if enter <= leave else INF

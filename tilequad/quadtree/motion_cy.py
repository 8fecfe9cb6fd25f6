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
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
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
    low_x: cython.double,
    low_y: cython.double,
    high_x: cython.double,
    high_y: cython.double,
    dx: cython.double,
    dy: cython.double,
    radius: cython.double,
) -> cython.double:
    """When a disc that moves by (dx, dy) touches a box.

    The disc starts at (low_x, low_y) as seen from the box's low corner and at (high_x, high_y) from
    its high one. So it touches at the start just if all other tests say that they overlap there.

    Its centre then enters the box with rounded corners: the box made wider, the box made higher,
    and a disc on each corner.
    """
    time: cython.double = slab_time(low_x, low_y, high_x, high_y, dx, dy, radius, 0.0)
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
    wider: cython.double,
    higher: cython.double,
) -> cython.double:
    """When a point that moves by (dx, dy) enters a box made wider and higher on both sides."""
    enter: cython.double = 0.0
    leave: cython.double = 1.0
    low: cython.double
    high: cython.double
    if dx == 0.0:
        if low_x < -wider or high_x > wider:
            return INF
    else:
        low = (-wider - low_x) / dx
        high = (wider - high_x) / dx
        enter = max(enter, min(low, high))
        leave = min(leave, max(low, high))
    if dy == 0.0:
        if low_y < -higher or high_y > higher:
            return INF
    else:
        low = (-higher - low_y) / dy
        high = (higher - high_y) / dy
        enter = max(enter, min(low, high))
        leave = min(leave, max(low, high))
    return enter if enter <= leave else INF

"""Where two footprints touch, at which angle, and how deep they stand in one another.

Of two footprints, one moves and the other is at rest at the origin. They touch where the position
of the one that moves is on the edge of a box: its size is the sum of both sizes, and its corners
are rounded by the sum of both radii.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object
from tilequad._core.buffers import IntBuffer
from tilequad._core.layout import ALL_GROUPS, ENTRY, RECORD, Walk, start_counts
from tilequad._core.tree.motion import power_of_two
from tilequad._core.tree.pairs import find_pairs, partners_of
from tilequad._core.tree.units import UnitStore, is_later

MANY = 8  # if one unit of so many asks, all pairs are found sooner than those of each


def touch_at(
    x: cython.double,
    y: cython.double,
    dx: cython.double,
    dy: cython.double,
    moves: cython.bint,
    half_w: cython.double,
    half_h: cython.double,
    w: cython.double,
    h: cython.double,
    found: cython.p_double,
) -> NoGil[None]:
    """Write where a footprint at (x, y) touches one at the origin, the normal, and the depth.

    Args:
        x: The position of the one that moves, relative to the other.
        y: The same.
        dx: Its direction, which decides between sides that are equally near.
        dy: The same.
        moves: Whether it has moved until both touched; if not, both may stand in one another.
        half_w: Half of its width, or its radius.
        half_h: Half of its height, or -1 for a circle.
        w: The same of the other.
        h: The same of the other.
        found: Gets five numbers: x and y on the edge of the one at rest; the normal of that edge,
            which points away from it; how far the other must go along it until both only touch.
    """
    radius = (half_w if half_h < 0.0 else 0.0) + (w if h < 0.0 else 0.0)
    mover_w = 0.0 if half_h < 0.0 else half_w
    mover_h = 0.0 if half_h < 0.0 else half_h
    box_w = 0.0 if h < 0.0 else w
    box_h = 0.0 if h < 0.0 else h
    beyond_x = abs(x) - (box_w + mover_w)
    beyond_y = abs(y) - (box_h + mover_h)
    side_x = side_of(0.0 if moves and radius == 0.0 else x, dx)
    side_y = side_of(0.0 if moves and radius == 0.0 else y, dy)
    distance = max(beyond_x, beyond_y)
    if moves and radius == 0.0:
        # The mover is on the side of a box only up to rounding, so the direction decides: of the
        # two sides that it comes to, the nearer one. At a corner, it may be far from the other.
        away_x = abs(x - side_x * (box_w + mover_w))
        away_y = abs(y - side_y * (box_h + mover_h))
        along_x: cython.bint = dy == 0.0 or (dx != 0.0 and away_x <= away_y)
    else:  # the nearest side; of several, the one that it moves against
        along_x = beyond_x > beyond_y or (beyond_x == beyond_y and side_x * dx <= side_y * dy)
    nx = side_x if along_x else 0.0
    ny = 0.0 if along_x else side_y
    if beyond_x > 0.0 and beyond_y > 0.0 and not (moves and radius == 0.0):  # at a corner
        scale = power_of_two(distance)
        beyond_x *= scale
        beyond_y *= scale
        distance = sqrt(beyond_x * beyond_x + beyond_y * beyond_y)
        nx = side_x * (beyond_x / distance)
        ny = side_y * (beyond_y / distance)
        distance /= scale
    if h < 0.0:
        found[0] = w * nx
        found[1] = w * ny
    else:
        found[0] = box_w * nx if ny == 0.0 else middle(box_w, x - mover_w, x + mover_w)
        found[1] = box_h * ny if nx == 0.0 else middle(box_h, y - mover_h, y + mover_h)
    found[2] = nx
    found[3] = ny
    found[4] = 0.0 if moves else max(radius - distance, 0.0)


@cython.inline
def side_of(place: cython.double, step: cython.double) -> cython.double:
    """Return the side of 0 that a place is on, -1.0 or 1.0; at 0, the side that it came from."""
    if place != 0.0:
        return 1.0 if place > 0.0 else -1.0
    return -1.0 if step > 0.0 else 1.0


@cython.inline
def middle(half: cython.double, low: cython.double, high: cython.double) -> cython.double:
    """Return the middle of the intersection of -half .. half and low .. high."""
    return (max(-half, min(low, half)) + max(-half, min(high, half))) / 2.0


def touch_of(
    units: UnitStore, slot: cython.Py_ssize_t, other: cython.Py_ssize_t, found: cython.p_double
) -> NoGil[None]:
    """Write where a unit touches another, see `touch_at`.

    Where nothing else decides, the unit that was added later goes to the right or up, so that two
    units on one point part whichever of them asks.
    """
    i: cython.Py_ssize_t = units.record[RECORD * slot + ENTRY]
    j: cython.Py_ssize_t = units.record[RECORD * other + ENTRY]
    direction = -1.0 if is_later(units, slot, other) else 1.0
    touch_at(
        units.xs[i] - units.xs[j],
        units.ys[i] - units.ys[j],
        direction,
        direction,
        False,
        units.half_w[slot],
        units.half_h[slot],
        units.half_w[other],
        units.half_h[other],
        found,
    )


def overlaps_many(
    units: UnitStore, asking: np.ndarray | None, groups: cython.int, without: cython.int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which units overlap those that ask, all if None: pairs of slots, normals, depths."""
    asks = np.zeros(units.slots_in_use(), np.uint8)
    if asking is None:
        pairs = all_pairs(units)
    else:
        asks.put(asking.astype(np.intp), 1)  # indexing with int32 crashes if memory runs out
        some = np.flatnonzero(asks).astype(np.int32)
        if MANY * len(some) < units.count:
            pairs = partners_of(units, some)
        else:
            pairs = all_pairs(units)
            first, second = asks.take(pairs.T.astype(np.intp)) != 0
            pairs = np.concatenate((pairs[first], pairs[second][:, ::-1]))
    normals = np.empty((len(pairs), 2))
    depths = np.empty(len(pairs))
    rows: cython.int[:, ::1] = pairs
    flags: cython.uchar[::1] = asks
    directions: cython.double[:, ::1] = normals
    lengths: cython.double[::1] = depths
    with cython.nogil:
        kept = write_overlaps(units, rows, flags, groups, without, directions, lengths)
    return pairs[:kept], normals[:kept], depths[:kept]


def all_pairs(units: UnitStore) -> Object[np.ndarray]:
    """Return the slots of all pairs that overlap, (n, 2) int32, of each the one added first."""
    walk = cython.declare(Walk)
    found: IntBuffer = IntBuffer()
    start_counts(cython.address(walk), False)
    find_pairs(units, cython.address(walk), found, ALL_GROUPS, ALL_GROUPS, 0)
    return np.frombuffer(found.taken(), np.int32).reshape(-1, 2)


def write_overlaps(
    units: UnitStore,
    rows: cython.int[:, ::1],
    asks: cython.uchar[::1],
    groups: cython.int,
    without: cython.int,
    normals: cython.double[:, ::1],
    depths: cython.double[::1],
) -> NoGil[cython.Py_ssize_t]:
    """Write the overlaps of pairs that count, and the pairs again; return how many there are.

    A pair counts if the second unit is in the groups. If nobody asks in particular, each pair is
    given once, and may be turned around. If it is given twice, as both ask, it counts once.
    """
    found = cython.declare(cython.double[5])
    n: cython.Py_ssize_t = 0
    for k in range(len(rows)):
        a: cython.int = rows[k, 0]
        b: cython.int = rows[k, 1]
        if not counts(units, b, groups, without):
            if asks[a] or not counts(units, a, groups, without):
                continue
            a, b = b, a
        elif asks[b] and is_later(units, a, b) and counts(units, a, groups, without):
            continue
        touch_of(units, a, b, found)
        rows[n, 0] = a
        rows[n, 1] = b
        normals[n, 0] = found[2]
        normals[n, 1] = found[3]
        depths[n] = found[4]
        n += 1
    return n


@cython.inline
def counts(
    units: UnitStore, slot: cython.Py_ssize_t, groups: cython.int, without: cython.int
) -> cython.bint:
    """Whether a unit is in one of the groups, and not in one of those that are left out."""
    mask = units.masks[units.record[RECORD * slot + ENTRY]]
    return (mask & groups) != 0 and (mask & without) == 0

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Positions of units by slot, and sums over the neighbours of each."""

from __future__ import annotations

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # compiled, neighbours.pxd imports these
    from math import sqrt

    from tilequad.quadtree._core import _cython as cython
    from tilequad.quadtree._core.layout import ENTRY, RECORD

from tilequad.quadtree._core.unit_store import UnitStore
from tilequad.quadtree.dynamic import DynamicQuadtree


def fill_positions(
    units: DynamicQuadtree, slots: cython.int[::1], found: cython.double[:, ::1]
) -> int:
    """Write the positions of units; return a number that is not the slot of one, or -1."""
    store: UnitStore = units._store
    i: cython.Py_ssize_t
    entry: cython.int
    for i in range(len(slots)):
        entry = -1
        if 0 <= slots[i] < store.slots:
            entry = store.record[RECORD * slots[i] + ENTRY]
        if entry < 0:
            return slots[i]
        found[i, 0] = store.xs[entry]
        found[i, 1] = store.ys[entry]
    return -1


def sum_flock(
    units: DynamicQuadtree,
    slots: cython.int[::1],
    points: cython.double[:, ::1],
    offsets: cython.longlong[::1],
    near: cython.int[::1],
    velocity: cython.double[:, ::1],
    close: cython.double,
    ways: cython.double[:, ::1],
    sums: cython.double[:, ::1],
) -> int:
    """Write of each unit: neighbours, offset to their centre, mean velocity, way from close ones.

    `ways` are directions for units on one point. Returns the slot of a neighbour that `velocity`
    has no row for, or -1.
    """
    store: UnitStore = units._store
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    count: cython.int
    x: cython.double
    y: cython.double
    dx: cython.double
    dy: cython.double
    distance: cython.double
    push: cython.double
    center_x: cython.double
    center_y: cython.double
    heading_x: cython.double
    heading_y: cython.double
    apart_x: cython.double
    apart_y: cython.double
    for i in range(len(slots)):
        x = points[i, 0]
        y = points[i, 1]
        count = 0
        center_x = center_y = heading_x = heading_y = apart_x = apart_y = 0.0
        for j in range(offsets[i], offsets[i + 1]):
            slot = near[j]
            if slot == slots[i]:
                continue
            if slot >= len(velocity):
                return slot
            entry = store.record[RECORD * slot + ENTRY]
            dx = store.xs[entry] - x
            dy = store.ys[entry] - y
            count += 1
            center_x += dx
            center_y += dy
            heading_x += velocity[slot, 0]
            heading_y += velocity[slot, 1]
            distance = dx * dx + dy * dy
            if distance >= close * close:
                continue
            distance = sqrt(distance)
            if distance == 0.0:
                apart_x += ways[slots[i] & 63, 0] - ways[slot & 63, 0]
                apart_y += ways[slots[i] & 63, 1] - ways[slot & 63, 1]
            else:
                push = (1.0 - distance / close) / distance
                apart_x -= dx * push
                apart_y -= dy * push
        sums[i, 0] = count
        if count > 0:
            center_x = center_x / count
            center_y = center_y / count
            heading_x = heading_x / count
            heading_y = heading_y / count
        sums[i, 1] = center_x
        sums[i, 2] = center_y
        sums[i, 3] = heading_x
        sums[i, 4] = heading_y
        sums[i, 5] = apart_x
        sums[i, 6] = apart_y
    return -1

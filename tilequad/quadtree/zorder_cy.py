# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""The order in which a batch of questions is asked: along a Z curve (Morton order).

Neighbours on the curve are neighbours in the plane, so one question finds in the processor's caches
what the one before it has read. A counting sort into cells of a few questions is enough for that.
"""

from __future__ import annotations

from array import array

import numpy as np

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

COMPILED = bool(cython.compiled)

MOST = 256  # cells along an axis, a power of two: their numbers have eight bits


def z_order(points: np.ndarray) -> array[int]:
    """The numbers of the points, along the curve. O(n).

    Args:
        points: (n, 2) float64, C-contiguous and writable.
    """
    order = array("i", [0]) * len(points)
    if len(points) == 0:
        return order
    keys = array("i", [0]) * len(points)
    side = MOST
    while side > 1 and side * side > len(points):
        side //= 2
    starts = array("i", [0]) * (side * side + 1)
    sort_by_cell(points.data, keys, starts, order, side)
    return order


def sort_by_cell(
    points: cython.double[:, ::1],
    keys: cython.int[::1],
    starts: cython.int[::1],
    order: cython.int[::1],
    side: cython.int,
) -> None:
    """Sort the numbers of the points by the place of their cell on the curve."""
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = len(points)
    key: cython.Py_ssize_t
    x: cython.double
    y: cython.double
    min_x: cython.double = points[0, 0]
    min_y: cython.double = points[0, 1]
    max_x: cython.double = min_x
    max_y: cython.double = min_y
    for i in range(n):
        x = points[i, 0]
        y = points[i, 1]
        min_x = x if x < min_x else min_x
        min_y = y if y < min_y else min_y
        max_x = x if x > max_x else max_x
        max_y = y if y > max_y else max_y
    x = cells_a_unit(max_x - min_x, side)
    y = cells_a_unit(max_y - min_y, side)
    for i in range(n):
        keys[i] = interleave(
            cython.cast(cython.int, (points[i, 0] - min_x) * x),
            cython.cast(cython.int, (points[i, 1] - min_y) * y),
        )
        starts[keys[i] + 1] += 1
    for key in range(side * side):
        starts[key + 1] += starts[key]
    for i in range(n):
        order[starts[keys[i]]] = cython.cast(cython.int, i)
        starts[keys[i]] += 1


def cells_a_unit(extent: cython.double, side: cython.int) -> cython.double:
    """How many cells a world unit is; 0 where all stand on one line."""
    return min((side - 1e-6) / extent, 1e300) if extent > 0.0 else 0.0


def interleave(column: cython.int, row: cython.int) -> cython.int:
    """The place of a cell on the curve: the bits of column and row in turn."""
    both: cython.int = (column & (MOST - 1)) | (row & (MOST - 1)) << 16
    both = (both | both << 4) & 0x0F0F0F0F
    both = (both | both << 2) & 0x33333333
    both = (both | both << 1) & 0x55555555
    return (both & 0xFFFF) | (both >> 15 & 0xAAAA)

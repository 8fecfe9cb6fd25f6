# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""The order in which a batch of questions is asked: along a Z curve (Morton order).

Neighbours on the curve are neighbours in the plane, so one question finds in the processor's caches
what the one before it has read. A counting sort into 64 x 64 cells is enough for that.
"""

from __future__ import annotations

from array import array

import numpy as np

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython

COMPILED = bool(cython.compiled)

SIDE = 64  # cells along an axis, a power of two


def z_order(points: np.ndarray) -> array[int]:
    """The numbers of the points, along the curve. O(n).

    Args:
        points: (n, 2) float64, C-contiguous and writable.
    """
    order = array("i", [0]) * len(points)
    if len(points) == 0:
        return order
    low, high = points.min(axis=0), points.max(axis=0)
    with np.errstate(divide="ignore"):
        scale = np.minimum(np.where(high > low, (SIDE - 1e-6) / (high - low), 0.0), 1e300)
    keys = array("i", [0]) * len(points)
    starts = array("i", [0]) * (SIDE * SIDE + 1)
    sort_by_cell(points.data, keys, starts, order, low[0], low[1], scale[0], scale[1])
    return order


def sort_by_cell(
    points: cython.double[:, ::1],
    keys: cython.int[::1],
    starts: cython.int[::1],
    order: cython.int[::1],
    x: cython.double,
    y: cython.double,
    scale_x: cython.double,
    scale_y: cython.double,
) -> None:
    """Sort the numbers of the points by the place of their cell on the curve."""
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = len(points)
    key: cython.Py_ssize_t
    for i in range(n):
        keys[i] = interleave(
            cython.cast(cython.int, (points[i, 0] - x) * scale_x),
            cython.cast(cython.int, (points[i, 1] - y) * scale_y),
        )
        starts[keys[i] + 1] += 1
    for key in range(SIDE * SIDE):
        starts[key + 1] += starts[key]
    for i in range(n):
        order[starts[keys[i]]] = cython.cast(cython.int, i)
        starts[keys[i]] += 1


def interleave(column: cython.int, row: cython.int) -> cython.int:
    """The place of a cell on the curve: the bits of column and row in turn."""
    both: cython.int = (column & (SIDE - 1)) | (row & (SIDE - 1)) << 16
    both = (both | both << 4) & 0x0F0F0F0F
    both = (both | both << 2) & 0x33333333
    both = (both | both << 1) & 0x55555555
    return (both & 0xFFFF) | (both >> 15 & 0xAAAA)

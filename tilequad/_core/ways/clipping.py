"""Shapes cut off at the edges of cells, and rings without corners that are none.

A ring has the corners of a polygon as its rows. What lies in a cell is relative to its center.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil


def signed_area(ring: np.ndarray) -> float:
    """The area of a ring, below 0 if it runs clockwise."""
    corners: cython.double[:, ::1] = np.array(ring, np.float64, order="C")
    return area_of(corners, len(corners))


def tidy(points: np.ndarray, thin: cython.double) -> np.ndarray:
    """A ring counterclockwise, without corners that are none: thinner than something."""
    ring = np.array(points, np.float64, order="C")
    corners: cython.double[:, ::1] = ring
    return ring[: tidy_ring(corners, len(corners), thin)]


def clipped_to_cells(
    part: np.ndarray, outline: np.ndarray, centers: np.ndarray, thin: cython.double
) -> list[tuple[int, np.ndarray]]:
    """What of a convex part, or of a segment, lies in some cells: their numbers, and the corners.

    Args:
        part: The corners, counterclockwise; or the two ends.
        outline: The corners of a cell, relative to its center, counterclockwise, each of them once.
        centers: The centers of the cells, (n, 2).
        thin: What is thinner is nothing.
    """
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = len(part)
    corners: cython.const_double[:, :] = part
    edges: cython.const_double[:, :] = outline
    places: cython.const_double[:, :] = centers
    whole = np.empty((n + len(edges), 2))
    ring: cython.double[:, ::1] = whole
    kept: cython.double[:, ::1] = np.empty((n + len(edges), 2))
    gaps: cython.double[::1] = np.empty(n + len(edges))
    low_x, low_y = part.min(axis=0) - np.abs(outline).max(axis=0)
    high_x, high_y = part.max(axis=0) + np.abs(outline).max(axis=0)
    least_x: cython.double = low_x
    least_y: cython.double = low_y
    most_x: cython.double = high_x
    most_y: cython.double = high_y
    found = []
    for i in range(len(places)):
        if not (least_x <= places[i, 0] <= most_x and least_y <= places[i, 1] <= most_y):
            continue
        for k in range(n):
            ring[k, 0] = corners[k, 0] - places[i, 0]
            ring[k, 1] = corners[k, 1] - places[i, 1]
        left = clip(ring, n, edges, kept, gaps, thin)
        if left > 0:
            found.append((i, whole[:left].copy()))
    return found


def clip(
    ring: cython.double[:, ::1],
    n: cython.Py_ssize_t,
    edges: cython.const_double[:, :],
    kept: cython.double[:, ::1],
    gaps: cython.double[::1],
    thin: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """Clip n corners to a convex outline, in place; return how many are left, 0 for nothing.

    `kept` and `gaps` are room for as many corners as `ring` has.
    """
    is_segment: cython.bint = n == 2
    for k in range(len(edges)):
        after: cython.Py_ssize_t = k + 1 if k + 1 < len(edges) else 0
        along_x = edges[after, 0] - edges[k, 0]
        along_y = edges[after, 1] - edges[k, 1]
        n = cut(ring, n, edges[k, 0], edges[k, 1], along_x, along_y, kept, gaps, thin)
        if n < 2:
            return 0
    if is_segment:
        return 2 if length_of(ring[1, 0] - ring[0, 0], ring[1, 1] - ring[0, 1]) > thin else 0
    n = tidy_ring(ring, n, thin)
    return n if n > 2 and area_of(ring, n) > thin * thin else 0


def cut(
    ring: cython.double[:, ::1],
    n: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    along_x: cython.double,
    along_y: cython.double,
    kept: cython.double[:, ::1],
    gaps: cython.double[::1],
    thin: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """Keep what lies to the left of a line through (x, y); return how many corners it has."""
    m: cython.Py_ssize_t = 0
    least = 0.0
    length = length_of(along_x, along_y)
    for k in range(n):
        far = (along_x * (ring[k, 1] - y) - along_y * (ring[k, 0] - x)) / length
        gaps[k] = far if abs(far) > thin / 16.0 else 0.0
        least = min(least, gaps[k])
    if least >= 0.0:
        return n
    for k in range(n):
        after: cython.Py_ssize_t = k + 1 if k + 1 < n else 0
        if gaps[k] >= 0.0:
            kept[m, 0] = ring[k, 0]
            kept[m, 1] = ring[k, 1]
            m += 1
        if gaps[k] * gaps[after] < 0.0 and (n > 2 or k == 0):
            share = gaps[k] / (gaps[k] - gaps[after])
            # Exactly on the line if that runs along an axis.
            kept[m, 0] = x
            kept[m, 1] = y
            if along_x != 0.0:
                kept[m, 0] = ring[k, 0] + share * (ring[after, 0] - ring[k, 0])
            if along_y != 0.0:
                kept[m, 1] = ring[k, 1] + share * (ring[after, 1] - ring[k, 1])
            m += 1
    for k in range(m):
        ring[k, 0] = kept[k, 0]
        ring[k, 1] = kept[k, 1]
    return m


def tidy_ring(
    ring: cython.double[:, ::1], n: cython.Py_ssize_t, thin: cython.double
) -> NoGil[cython.Py_ssize_t]:
    """Turn n corners counterclockwise and drop those that are none; return how many are left."""
    if area_of(ring, n) < 0.0:
        for k in range(n // 2):
            for axis in range(2):
                swapped = ring[k, axis]
                ring[k, axis] = ring[n - 1 - k, axis]
                ring[n - 1 - k, axis] = swapped
    at: cython.Py_ssize_t = 0
    while n > 2 and at < n:
        if is_corner(ring, n, at, thin):
            at += 1
            continue
        n -= 1
        for k in range(at, n):
            ring[k, 0] = ring[k + 1, 0]
            ring[k, 1] = ring[k + 1, 1]
        at = max(at - 1, 0)
    return n


def is_corner(
    ring: cython.double[:, ::1], n: cython.Py_ssize_t, at: cython.Py_ssize_t, thin: cython.double
) -> NoGil[cython.bint]:
    """Whether a ring has a corner in a row: beside the line between those around it."""
    before: cython.Py_ssize_t = at - 1 if at > 0 else n - 1
    after: cython.Py_ssize_t = at + 1 if at + 1 < n else 0
    along_x = ring[after, 0] - ring[before, 0]
    along_y = ring[after, 1] - ring[before, 1]
    away_x = ring[at, 0] - ring[before, 0]
    away_y = ring[at, 1] - ring[before, 1]
    length = length_of(along_x, along_y)
    if length_of(away_x, away_y) <= thin:
        return False
    if length <= thin or abs(along_x * away_y - along_y * away_x) / length > thin:
        return True
    return not 0.0 <= away_x * along_x + away_y * along_y <= length * length


def area_of(ring: cython.double[:, ::1], n: cython.Py_ssize_t) -> NoGil[cython.double]:
    """The area of a ring of n corners, below 0 if it runs clockwise."""
    twice: cython.double = 0.0
    for k in range(1, n - 1):
        x = ring[k, 0] - ring[0, 0]
        y = ring[k, 1] - ring[0, 1]
        twice += x * (ring[k + 1, 1] - ring[0, 1]) - (ring[k + 1, 0] - ring[0, 0]) * y
    return twice / 2.0


def length_of(x: cython.double, y: cython.double) -> NoGil[cython.double]:
    """The length of a vector."""
    return sqrt(x * x + y * y)

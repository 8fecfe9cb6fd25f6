# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Places, directions and progress along a polyline, for arrays of walkers.

`starts` has the distance at which each segment starts, and the length of the whole. `bins` cuts the
length into equal parts and names the segment at the begin of each, so a segment is found in a step
or two instead of by a search.
"""

from __future__ import annotations

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # compiled, polyline.pxd imports these
    from tilequad.quadtree._core import _cython as cython
    from tilequad.quadtree._core.layout import INF


def fill_bins(starts: cython.double[::1], bins: cython.int[::1], scale: cython.double) -> None:
    """Write the segment at the begin of each part of the length."""
    k: cython.Py_ssize_t
    segment: cython.Py_ssize_t = 0
    for k in range(len(bins)):
        while segment < len(starts) - 2 and starts[segment + 1] * scale < k:
            segment += 1
        bins[k] = cython.cast(cython.int, segment)


def segment_at(
    starts: cython.double[::1], bins: cython.int[::1], scale: cython.double, distance: cython.double
) -> cython.Py_ssize_t:
    """The segment at a distance; at a corner the later one."""
    last: cython.Py_ssize_t = len(starts) - 2
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    k: cython.Py_ssize_t
    if not distance > 0.0:
        return 0
    if distance >= starts[last]:
        return last
    k = cython.cast(cython.Py_ssize_t, distance * scale)
    low = bins[max(k - 1, 0)]  # one before: products round
    high = bins[min(k + 1, len(bins) - 1)]
    while high - low > 4:
        middle = (low + high) // 2
        if starts[middle] <= distance:
            low = middle
        else:
            high = middle
    while low < last and starts[low + 1] <= distance:
        low += 1
    return low


def fill_places(
    corners: cython.double[:, ::1],
    headings: cython.double[:, ::1],
    starts: cython.double[::1],
    bins: cython.int[::1],
    scale: cython.double,
    distances: cython.double[::1],
    offsets: cython.double[::1],
    found: cython.double[:, ::1],
) -> None:
    """Write the places at distances along the line, each some way to the left of it."""
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    along: cython.double
    offset: cython.double
    step: cython.Py_ssize_t = 1 if len(offsets) > 1 else 0
    last: cython.Py_ssize_t = len(starts) - 1
    with cython.nogil:
        for i in range(len(distances)):
            at = segment_at(starts, bins, scale, distances[i])
            offset = offsets[i * step]
            if distances[i] >= starts[last]:
                found[i, 0] = corners[last, 0]
                found[i, 1] = corners[last, 1]
            else:
                along = max(distances[i] - starts[at], 0.0)
                found[i, 0] = corners[at, 0] + along * headings[at, 0]
                found[i, 1] = corners[at, 1] + along * headings[at, 1]
            found[i, 0] -= offset * headings[at, 1]
            found[i, 1] += offset * headings[at, 0]


def fill_headings(
    headings: cython.double[:, ::1],
    starts: cython.double[::1],
    bins: cython.int[::1],
    scale: cython.double,
    distances: cython.double[::1],
    found: cython.double[:, ::1],
) -> None:
    """Write the directions at distances along the line."""
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    with cython.nogil:
        for i in range(len(distances)):
            at = segment_at(starts, bins, scale, distances[i])
            found[i, 0] = headings[at, 0]
            found[i, 1] = headings[at, 1]


def fill_progress(
    corners: cython.double[:, ::1],
    headings: cython.double[:, ::1],
    starts: cython.double[::1],
    bins: cython.int[::1],
    scale: cython.double,
    points: cython.double[:, ::1],
    lows: cython.double[::1],
    highs: cython.double[::1],
    found: cython.double[::1],
) -> None:
    """Write the distances along the line, from low to high, that are closest to points."""
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    first: cython.Py_ssize_t
    step: cython.Py_ssize_t = 1 if len(lows) > 1 else 0
    dx: cython.double
    dy: cython.double
    along: cython.double
    low: cython.double
    high: cython.double
    distance2: cython.double
    nearest2: cython.double
    with cython.nogil:
        for i in range(len(points)):
            low = lows[i * step]
            high = highs[i * step]
            nearest2 = INF
            first = segment_at(starts, bins, scale, low)
            if first > 0 and starts[first] == low:
                first -= 1  # a corner belongs to both segments
            for at in range(first, len(starts) - 1):
                if starts[at] > high:
                    break
                dx = points[i, 0] - corners[at, 0]
                dy = points[i, 1] - corners[at, 1]
                along = dx * headings[at, 0] + dy * headings[at, 1]
                along = max(along, max(low - starts[at], 0.0))
                along = min(along, min(high, starts[at + 1]) - starts[at])
                dx = dx - along * headings[at, 0]
                dy = dy - along * headings[at, 1]
                distance2 = dx * dx + dy * dy
                if distance2 < nearest2:
                    nearest2 = distance2
                    found[i] = starts[at] + along

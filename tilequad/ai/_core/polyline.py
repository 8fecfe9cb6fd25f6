# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Places, directions and progress along a polyline, for arrays of walkers.

The length is cut into equal parts, and the segment at the begin of each is known. So the segment at
a distance is found in a step or two instead of by a search.
"""

from __future__ import annotations

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # compiled, polyline.pxd imports these
    from tilequad.quadtree._core import _cython as cython
    from tilequad.quadtree._core.layout import INF


class Polyline:
    """A line of corners, and what finds the segment at a distance.

    Args:
        corners: The corners, (n + 1, 2).
        headings: The direction of each segment, (n, 2).
        starts: The distance at which each segment starts, and the length of the whole, (n + 1,).
        bins: Room for the segment at the begin of each of so many equal parts of the length.
    """

    __slots__ = ("bins", "corners", "headings", "scale", "starts")

    def __init__(
        self, corners: memoryview, headings: memoryview, starts: memoryview, bins: memoryview
    ) -> None:
        self.corners = corners
        self.headings = headings
        self.starts = starts
        self.bins = bins
        self.scale = len(bins) / starts[len(starts) - 1]
        self.fill_bins()

    def fill_bins(self) -> None:
        """Write the segment at the begin of each part of the length."""
        k: cython.Py_ssize_t
        segment: cython.Py_ssize_t = 0
        for k in range(len(self.bins)):
            while segment < len(self.starts) - 2 and self.starts[segment + 1] * self.scale < k:
                segment += 1
            self.bins[k] = cython.cast(cython.int, segment)

    def segment_at(self, distance: cython.double) -> cython.Py_ssize_t:
        """The segment at a distance; at a corner the later one."""
        last: cython.Py_ssize_t = len(self.starts) - 2
        low: cython.Py_ssize_t
        high: cython.Py_ssize_t
        middle: cython.Py_ssize_t
        k: cython.Py_ssize_t
        if not distance > 0.0:
            return 0
        if distance >= self.starts[last]:
            return last
        k = cython.cast(cython.Py_ssize_t, min(distance * self.scale, len(self.bins) - 1.0))
        low = self.bins[max(k - 1, 0)]  # one before: products round
        high = self.bins[min(k + 1, len(self.bins) - 1)]
        while high - low > 4:
            middle = (low + high) // 2
            if self.starts[middle] <= distance:
                low = middle
            else:
                high = middle
        while low < last and self.starts[low + 1] <= distance:
            low += 1
        return low

    def fill_places(
        self,
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
        last: cython.Py_ssize_t = len(self.starts) - 1
        with cython.nogil:
            for i in range(len(distances)):
                at = self.segment_at(distances[i])
                offset = offsets[i * step]
                if distances[i] >= self.starts[last]:
                    found[i, 0] = self.corners[last, 0]
                    found[i, 1] = self.corners[last, 1]
                else:
                    along = max(distances[i] - self.starts[at], 0.0)
                    found[i, 0] = self.corners[at, 0] + along * self.headings[at, 0]
                    found[i, 1] = self.corners[at, 1] + along * self.headings[at, 1]
                found[i, 0] -= offset * self.headings[at, 1]
                found[i, 1] += offset * self.headings[at, 0]

    def fill_headings(
        self,
        distances: cython.double[::1],
        found: cython.double[:, ::1],
    ) -> None:
        """Write the directions at distances along the line."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        with cython.nogil:
            for i in range(len(distances)):
                at = self.segment_at(distances[i])
                found[i, 0] = self.headings[at, 0]
                found[i, 1] = self.headings[at, 1]

    def fill_progress(
        self,
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
                first = self.segment_at(low)
                if first > 0 and self.starts[first] == low:
                    first -= 1  # a corner belongs to both segments
                for at in range(first, len(self.starts) - 1):
                    if self.starts[at] > high:
                        break
                    dx = points[i, 0] - self.corners[at, 0]
                    dy = points[i, 1] - self.corners[at, 1]
                    along = dx * self.headings[at, 0] + dy * self.headings[at, 1]
                    along = max(along, max(low - self.starts[at], 0.0))
                    along = min(along, min(high, self.starts[at + 1]) - self.starts[at])
                    dx = dx - along * self.headings[at, 0]
                    dy = dy - along * self.headings[at, 1]
                    distance2 = dx * dx + dy * dy
                    if distance2 < nearest2:
                        nearest2 = distance2
                        found[i] = self.starts[at] + along

"""Positions, directions and progress along a polyline, for arrays of walkers.

The length is cut into equal parts, and a table holds the segment at the start of each. So a lookup
takes a step or two instead of a search.
"""

from __future__ import annotations

from typing import Annotated

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object
from tilequad._core.layout import INF


@cython.final
@cython.cclass
class Polyline:
    """A polyline, with a table that finds the segment at a distance.

    Args:
        corners: The corners, (n + 1, 2).
        headings: The direction of each segment, (n, 2).
        starts: The distance at which each segment starts, and the length of the whole, (n + 1,).
        bins: Output: the segment at the start of each of n equal parts of the route.
    """

    __slots__ = {
        "corners": "double[:, ::1]",
        "headings": "double[:, ::1]",
        "starts": "double[::1]",
        "bins": "int[::1]",
        "scale": "double",
    }

    def __init__(
        self, corners: memoryview, headings: memoryview, starts: memoryview, bins: memoryview
    ) -> None:
        self.corners = corners
        self.headings = headings
        self.starts = starts
        self.bins = bins
        self.scale = len(bins) / starts[len(starts) - 1]
        self.fill_bins()

    def fill_bins(self) -> Object[None]:
        """Write the segment at the start of each part of the route."""
        segment: cython.Py_ssize_t = 0
        for k in range(len(self.bins)):
            while segment < len(self.starts) - 2 and self.starts[segment + 1] * self.scale < k:
                segment += 1
            self.bins[k] = cython.cast(cython.int, segment)

    def segment_at(self, distance: cython.double) -> NoGil[cython.Py_ssize_t]:
        """The segment at a distance; at a corner the later one."""
        last = len(self.starts) - 2
        if not distance > 0.0:
            return 0
        if distance >= self.starts[last]:
            return last
        k = cython.cast(cython.Py_ssize_t, min(distance * self.scale, len(self.bins) - 1.0))
        # From one bin earlier, because products are rounded.
        low: cython.Py_ssize_t = self.bins[max(k - 1, 0)]
        high: cython.Py_ssize_t = self.bins[min(k + 1, len(self.bins) - 1)]
        while high - low > 4:
            middle: cython.Py_ssize_t = (low + high) // 2
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
        """Write the places at distances along the line, shifted to the left by offsets."""
        step: cython.Py_ssize_t = 1 if len(offsets) > 1 else 0
        last = len(self.starts) - 1
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

    def place_at(self, distance: cython.double, offset: cython.double) -> tuple[float, float]:
        """The place at a distance along the line, shifted to the left by an offset."""
        at = self.segment_at(distance)
        last = len(self.starts) - 1
        if distance >= self.starts[last]:
            x: cython.double = self.corners[last, 0]
            y: cython.double = self.corners[last, 1]
        else:
            along = max(distance - self.starts[at], 0.0)
            x = self.corners[at, 0] + along * self.headings[at, 0]
            y = self.corners[at, 1] + along * self.headings[at, 1]
        x -= offset * self.headings[at, 1]
        y += offset * self.headings[at, 0]
        return x, y

    def heading_at(self, distance: cython.double) -> tuple[float, float]:
        """The direction at a distance along the line."""
        at = self.segment_at(distance)
        return self.headings[at, 0], self.headings[at, 1]

    def fill_headings(
        self,
        distances: cython.double[::1],
        found: cython.double[:, ::1],
    ) -> None:
        """Write the directions at distances along the line."""
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
        """Write for many points what `progress_at` returns for one."""
        step: cython.Py_ssize_t = 1 if len(lows) > 1 else 0
        with cython.nogil:
            for i in range(len(points)):
                found[i] = self.progress_at(
                    points[i, 0], points[i, 1], lows[i * step], highs[i * step]
                )

    def progress_at(
        self, x: cython.double, y: cython.double, low: cython.double, high: cython.double
    ) -> Annotated[cython.double, "cpdef noexcept nogil"]:
        """Return how far along the line, from low to high, it comes closest to a point."""
        at: cython.Py_ssize_t
        first = self.segment_at(low)
        nearest2 = INF
        found = 0.0
        if first > 0 and self.starts[first] == low:
            first -= 1  # a corner belongs to both segments
        for at in range(first, len(self.starts) - 1):
            if self.starts[at] > high:
                break
            dx = x - self.corners[at, 0]
            dy = y - self.corners[at, 1]
            along = dx * self.headings[at, 0] + dy * self.headings[at, 1]
            along = max(along, max(low - self.starts[at], 0.0))
            along = min(along, min(high, self.starts[at + 1]) - self.starts[at])
            dx = dx - along * self.headings[at, 0]
            dy = dy - along * self.headings[at, 1]
            distance2 = dx * dx + dy * dy
            if distance2 < nearest2:
                nearest2 = distance2
                found = self.starts[at] + along
        return found

"""Routes: positions, directions and progress along a polyline."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from tilequad._core.army.polyline import Polyline
from tilequad._core.array_kinds import Floats
from tilequad._core.arrays import as_rows, finite_array, finite_points, lengths, own_array
from tilequad._core.checks import checked_point, finite_number, number_of
from tilequad._core.shown import shown

__all__ = ["Route"]


BINS_A_SEGMENT = 4


class Route:
    """A polyline measured along its length, from its first point to its last.

    Each question has two spellings: `at(distance)` for one walker, `at_many(distances)` for an
    array of walkers. Both give the same numbers.

    Args:
        points: The corners, (n, 2), in world units. Consecutive equal points count once.

    Raises:
        ValueError: The points are not finite pairs, or all of them are equal.

    Example:
        >>> from tilequad.ai import Route
        >>> road = Route([(0, 0), (100, 0), (100, 50)])
        >>> road.length
        150.0
        >>> road.at(120)
        (100.0, 20.0)
        >>> road.heading(120)
        (0.0, 1.0)
        >>> road.progress(40, -8)
        40.0
        >>> road.at_many([30, 120]).tolist()
        [[30.0, 0.0], [100.0, 20.0]]
    """

    def __init__(self, points: Sequence[Sequence[float]] | Floats) -> None:
        try:
            corners = own_array(points, "points")
        except (TypeError, ValueError):
            corners = np.empty(0)
        if corners.ndim != 2 or corners.shape[1] != 2:
            raise ValueError(
                f"points must be positions, shape (n, 2), as `points` of a line drawn in Tiled, "
                f"got {shown(points)}"
            )
        finite_array(corners, "points")
        steps = np.diff(corners, axis=0)
        long = lengths(steps)
        real = long > 0
        if not real.any():
            raise ValueError(f"points must include two different points, got {shown(points)}")
        self._corners = np.ascontiguousarray(np.concatenate((corners[:1], corners[1:][real])))
        self._headings = np.ascontiguousarray(steps[real] / long[real, None])
        # The distance at which each segment starts, then the route's length.
        self._starts = np.append(0.0, long[real].cumsum())
        self._line = self._made()

    def __getstate__(self) -> tuple[Floats, ...]:
        return self._corners, self._headings, self._starts

    def __setstate__(self, state: tuple[Floats, ...]) -> None:
        self._corners, self._headings, self._starts = state
        self._line = self._made()

    def __repr__(self) -> str:
        return f"<Route of {len(self._corners)} points, length {self.length:g}>"

    @property
    def points(self) -> Floats:
        """A copy of the corners, (n, 2)."""
        return self._corners.copy()

    @property
    def length(self) -> float:
        """The length from the first point to the last, in world units."""
        return float(self._starts[-1])

    # -- one walker --------------------------------------------------------------------------------

    def at(self, distance: float, offset: float = 0.0) -> tuple[float, float]:
        """Return the position at a distance along the route, or to one side of it.

        Args:
            distance: World units from the start. Values before the start give the first point,
                values past the end the last.
            offset: World units to the left of the direction of travel in a y-up world, negative to
                the right: a lane for the walker. An offset position jumps at a corner, so walk
                toward it.

        Raises:
            ValueError: A number is not finite.

        Example:
            >>> from tilequad.ai import Route
            >>> Route([(0, 0), (100, 0)]).at(30, offset=8)
            (30.0, 8.0)
        """
        distance = finite_number(distance, "distance")
        return self._line.place_at(distance, finite_number(offset, "offset"))

    def heading(self, distance: float) -> tuple[float, float]:
        """Return the direction of the route at a distance, a unit vector.

        At a corner it is the direction of the next segment.

        Args:
            distance: World units from the start.

        Raises:
            ValueError: The distance is not finite.
        """
        distance = finite_number(distance, "distance")
        return self._line.heading_at(distance)

    def progress(self, x: float, y: float, low: float = 0.0, high: float = inf) -> float:
        """Return how far along the route a walker is, at the point of the route closest to it.

        Of several closest points the first counts. Where a route passes close to itself or crosses
        itself, a walker pushed off it may be closer to another part: limit the search to the part
        that it can be on. Costs time per segment of that part.

        Args:
            x: The walker, in world units.
            y: The walker.
            low: Search from this distance on.
            high: Search up to this distance.

        Raises:
            ValueError: The position is not finite, or `low > high`.

        Example:
            >>> from tilequad.ai import Route
            >>> hairpin = Route([(0, 0), (100, 0), (100, 10), (0, 10)])
            >>> hairpin.progress(30, 6)
            180.0
            >>> hairpin.progress(30, 6, low=20, high=60)
            30.0
        """
        x, y = checked_point((x, y), "x and y")
        low, high = number_of(low, "low"), number_of(high, "high")
        if not low <= high:
            raise ValueError(f"low must be <= high, got {low} and {high}")
        length = self.length
        low, high = min(max(low, 0.0), length), min(max(high, 0.0), length)
        found: float = self._line.progress_at(x, y, low, high)
        return found

    # -- many walkers ------------------------------------------------------------------------------

    def at_many(self, distances: ArrayLike, offset: ArrayLike = 0.0) -> Floats:
        """Return the positions at distances along the route, as `at` does for one.

        Args:
            distances: World units from the start, in an array of any shape.
            offset: World units to the left: one number, or one per walker.

        Returns:
            Array with the shape of `distances` plus a last axis of two: x, y.

        Raises:
            ValueError: A distance or offset is not finite.

        Example:
            >>> from tilequad.ai import Route
            >>> Route([(0, 0), (100, 0)]).at_many([30, 60], offset=[8, -8]).tolist()
            [[30.0, 8.0], [60.0, -8.0]]
        """
        distance, offset = finite_array(distances, "distances"), finite_array(offset, "offset")
        if offset.ndim:
            distance, offset = np.broadcast_arrays(distance, offset)
        found = np.empty((distance.size, 2))
        if distance.size:
            self._line.fill_places(_flat(distance), _flat(offset), found.data)
        return found.reshape(*distance.shape, 2)

    def heading_many(self, distances: ArrayLike) -> Floats:
        """Return the directions of the route at distances, as `heading` does for one.

        Args:
            distances: World units from the start, in an array of any shape.

        Returns:
            Array with the shape of `distances` plus a last axis of two: a unit vector each.

        Raises:
            ValueError: A distance is not finite.
        """
        distance = finite_array(distances, "distances")
        found = np.empty((distance.size, 2))
        if distance.size:
            self._line.fill_headings(_flat(distance), found.data)
        return found.reshape(*distance.shape, 2)

    def progress_many(self, xy: ArrayLike, low: ArrayLike = 0.0, high: ArrayLike = inf) -> Floats:
        """Return how far many walkers are along the route, as `progress` does for one.

        Costs time per walker and per segment of the part that is searched.

        Args:
            xy: Positions of the walkers, in world units, with a last axis of two.
            low: Search from this distance on: one number, or one per walker.
            high: Search up to this distance: one number, or one per walker.

        Returns:
            Array with the shape of `xy` without its last axis, in world units from the start.

        Raises:
            ValueError: `xy` is not finite or does not end in an axis of two, or `low > high`.
        """
        xy = finite_points(xy, "xy")
        least, most = own_array(low, "low"), own_array(high, "high")
        if not np.less_equal(least, most).all():
            raise ValueError(f"low must be <= high, got {shown(low)} and {shown(high)}")
        shape = xy.shape[:-1]
        least, most = np.clip(least, 0.0, self.length), np.clip(most, 0.0, self.length)
        if least.ndim or most.ndim:
            least, most = _spread(least, shape, "low"), _spread(most, shape, "high")
        found = np.zeros(shape)
        if found.size:
            ends = _flat(least), _flat(most)
            self._line.fill_progress(as_rows(xy).data, *ends, found.reshape(-1).data)
        return found

    def _made(self) -> Polyline:
        """The line as compiled code reads it."""
        bins = np.empty(BINS_A_SEGMENT * len(self._headings), np.int32)
        return Polyline(self._corners.data, self._headings.data, self._starts.data, bins.data)


def _spread(ends: Floats, shape: tuple[int, ...], name: str) -> Floats:
    """Return one number for each walker."""
    if ends.ndim and ends.shape != shape:
        raise ValueError(f"{name} must be one number or of shape {shape}, got {ends.shape}")
    return np.broadcast_to(ends, shape)


def _flat(values: Floats) -> memoryview:
    """Flatten an array into one row."""
    return np.require(values.reshape(-1), None, ["C", "W"]).data

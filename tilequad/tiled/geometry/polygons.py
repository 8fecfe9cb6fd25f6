"""Points, segments and convex polygons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["contain_point", "touch_times"]

Floats = NDArray[np.float64]


def contain_point(polygons: Floats, x: float, y: float) -> NDArray[np.bool_]:
    """Return which closed convex polygons contain a point; corners in either sense, (n, k, 2)."""
    sides = np.roll(polygons, -1, axis=1) - polygons
    away = (x, y) - polygons
    turns = sides[:, :, 0] * away[:, :, 1] - sides[:, :, 1] * away[:, :, 0]
    inside: NDArray[np.bool_] = np.all(turns >= 0, axis=1) | np.all(turns <= 0, axis=1)
    return inside


def touch_times(polygons: Floats, start: Floats, end: Floats) -> Floats:
    """Return when a point on its way from `start` to `end` first touches polygons, (n, k, 2).

    Times are from 0 to 1, infinity for polygons that it never touches. These are convex; corners
    are in either sense and may coincide. The half-plane of every side clips the segment (Cyrus and
    Beck, 1978).
    """
    following = np.roll(polygons, -1, axis=1)
    sides = following - polygons
    # twice the signed area: its sign is the sense of rotation
    area = (polygons[:, :, 0] * following[:, :, 1] - polygons[:, :, 1] * following[:, :, 0]).sum(1)
    inward = np.where(area >= 0, 1.0, -1.0)[:, None]
    normal_x, normal_y = -sides[:, :, 1] * inward, sides[:, :, 0] * inward
    away = start - polygons
    ahead = normal_x * away[:, :, 0] + normal_y * away[:, :, 1]  # >= 0 on the inner side
    speed = normal_x * (end[0] - start[0]) + normal_y * (end[1] - start[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        times = -ahead / speed
    enters = np.where(speed > 0, times, 0.0).max(axis=1, initial=0.0)
    leaves = np.where(speed < 0, times, 1.0).min(axis=1, initial=1.0)
    outside = ((speed == 0) & (ahead < 0)).any(axis=1)
    return np.where(outside | (enters > leaves), np.inf, enters)

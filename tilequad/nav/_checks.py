"""Checks of arguments that several files of this package take."""

from __future__ import annotations

from math import inf, isfinite
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["MAX_DISTANCE", "check_point", "checked_points", "rows_of"]

Floats: TypeAlias = NDArray[np.float64]

MAX_DISTANCE = 1e150  # squares of larger distances overflow


def check_point(x: float, y: float) -> None:
    """Raise ValueError unless both numbers are finite."""
    if not (isfinite(x) and isfinite(y)):
        raise ValueError(f"x and y must be finite, got {x!r} and {y!r}")


def checked_points(xy: ArrayLike, name: str) -> Floats:
    """Return points as float64; raise ValueError unless they are finite pairs."""
    points = np.asarray(xy, np.float64)
    if not points.ndim or points.shape[-1] != 2:
        raise ValueError(f"{name} must have a last axis of two, got shape {points.shape}")
    if points.size and not (points.min() > -inf and points.max() < inf):
        raise ValueError(f"{name} must be finite, got {xy!r}")
    return points


def rows_of(points: Floats) -> Floats:
    """Points in rows, (n, 2), as compiled code reads them."""
    return np.require(points.reshape(-1, 2), None, ["C", "W"])

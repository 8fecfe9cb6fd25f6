"""Conversion of Tiled's y axis, which points down, to the y axis of the world."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Axes"]


class Axes(NamedTuple):
    """Converts points and boxes from Tiled's pixels to world units, and back.

    Example:
        >>> Axes(100, True).point(3, 10), Axes(100, False).point(3, 10)
        ((3, 90), (3, 10))
    """

    height: float  #: of the map in pixels: the world's y of Tiled's y = 0
    y_up: bool  #: False keeps Tiled's direction

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Convert one point."""
        return (x, self.height - y) if self.y_up else (x, y)

    def points(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert many points, (n, 2)."""
        if not self.y_up:
            return points
        converted = points.copy()
        converted[:, 1] = self.height - points[:, 1]
        return converted

    def boxes(self, boxes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert many boxes, (n, 4); with y up, top and bottom edges change places."""
        if not self.y_up:
            return boxes
        converted = boxes.copy()
        converted[:, 1] = self.height - boxes[:, 3]
        converted[:, 3] = self.height - boxes[:, 1]
        return converted

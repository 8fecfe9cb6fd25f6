"""The one place where Tiled's y, which points down, becomes the y of the world."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Axes"]


class Axes(NamedTuple):
    """Turns points and boxes from Tiled's pixels to world units, and back.

    Example:
        >>> Axes(100, True).point(3, 10), Axes(100, False).point(3, 10)
        ((3, 90), (3, 10))
    """

    height: float  #: of the map in pixels: the world's y of what is 0 in Tiled
    y_up: bool  #: False keeps Tiled's own direction

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Turn one point."""
        return (x, self.height - y) if self.y_up else (x, y)

    def points(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn many points, (n, 2)."""
        if not self.y_up:
            return points
        turned = points.copy()
        turned[:, 1] = self.height - points[:, 1]
        return turned

    def boxes(self, boxes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn many boxes, (n, 4); a top edge becomes a bottom edge."""
        if not self.y_up:
            return boxes
        turned = boxes.copy()
        turned[:, 1] = self.height - boxes[:, 3]
        turned[:, 3] = self.height - boxes[:, 1]
        return turned

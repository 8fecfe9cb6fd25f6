"""The seam between layers and the trees that answer which of their boxes are in view."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..bounds import Bounds

__all__ = ["BoxIndex"]


class BoxIndex:
    """Boxes that are asked for by view."""

    def __init__(self, boxes: NDArray[np.float64]) -> None:
        self._boxes = boxes

    def query(self, view: Bounds) -> NDArray[np.int32]:
        """Ascending row numbers of the closed boxes that share a point with the view."""
        boxes = self._boxes
        seen = (boxes[:, 0] <= view.max_x) & (view.min_x <= boxes[:, 2])
        seen &= (boxes[:, 1] <= view.max_y) & (view.min_y <= boxes[:, 3])
        return np.flatnonzero(seen).astype(np.int32)

"""Sample a turned image as Tiled's toolkit does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["TurnedImage"]

Matrix = NDArray[np.float64]
Ints = NDArray[np.int64]

_ONE = 1 << 16  # steps of a pixel, as the toolkit counts

# Pixels. The edges of an image are shifted this far right and down where they run along the
# pixels, and left and up where they do not: that decides on pixels whose centre is on an edge.
_EDGE_SHIFT = 1 / 128


class TurnedImage:
    """An image under a linear transform.

    Args:
        pixels: The image, (height, width, 4).
        matrix: (2, 2), from pixels of the image to pixels of the picture.
        center: Where the centre of the image goes, in pixels of the picture.
    """

    def __init__(self, pixels: NDArray[np.uint8], matrix: Matrix, center: Matrix) -> None:
        height, width = pixels.shape[:2]
        self._pixels = pixels
        self._inverse = np.linalg.inv(matrix)
        # the place in the image of the corner of the picture
        self._origin = np.array((width / 2, height / 2)) - self._inverse @ center
        aligned = (matrix == 0).any(axis=1).all()
        self._edge = self._inverse @ np.full(2, _EDGE_SHIFT if aligned else -_EDGE_SHIFT)

    def sample(self, rows: range, columns: range) -> NDArray[np.uint8]:
        """Return a part of the picture; transparent beyond the image."""
        if not rows or not columns:
            return np.zeros((len(rows), len(columns), 4), np.uint8)
        y, x = np.arange(rows.start, rows.stop)[:, None], np.arange(columns.start, columns.stop)
        inside = self._inside(self._places(x, y))
        # The toolkit finds the place of the first pixel of a line, and goes on in steps.
        first = x[inside.argmax(axis=1)][:, None]
        step = np.trunc(self._inverse[:, :1, None] * _ONE)
        places = np.trunc(self._places(first, y) * _ONE - 1) + (x - first) * step
        height, width = self._pixels.shape[:2]
        source_x, source_y = places.astype(np.int64) >> 16
        sampled: NDArray[np.uint8] = self._pixels[
            source_y.clip(0, height - 1), source_x.clip(0, width - 1)
        ]
        sampled[~inside] = 0
        return sampled

    def _places(self, x: Ints, y: Ints) -> Matrix:
        """The places in the image of the centres of pixels, (2, height, width)."""
        centers = np.stack(np.broadcast_arrays(x + 0.5, y + 0.5))
        return np.tensordot(self._inverse, centers, 1) + self._origin[:, None, None]

    def _inside(self, places: Matrix) -> NDArray[np.bool_]:
        """Return which places are in the image."""
        x, y = places - self._edge[:, None, None]
        height, width = self._pixels.shape[:2]
        inside: NDArray[np.bool_] = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        return inside

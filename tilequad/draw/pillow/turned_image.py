"""Sample a turned image as Tiled's toolkit does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilequad.draw.pillow.sampling import Sources

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
        size: Width and height of the image.
        matrix: (2, 2), from pixels of the image to pixels of the picture.
        center: Where the centre of the image goes, in pixels of the picture.
    """

    def __init__(self, size: tuple[int, int], matrix: Matrix, center: Matrix) -> None:
        self._size = size
        self._inverse = np.linalg.inv(matrix)
        # the place in the image of the corner of the picture
        self._origin = np.array(size) / 2 - self._inverse @ center
        self._aligned = bool((matrix == 0).any(axis=1).all())
        self._edge = self._inverse @ np.full(2, _EDGE_SHIFT if self._aligned else -_EDGE_SHIFT)

    def sources(self, rows: range, columns: range) -> Sources:
        """Return the pixels of the image that a part of the picture shows."""
        width, height = self._size
        if not rows or not columns:
            return Sources(np.zeros((len(rows), len(columns)), np.int64))
        y, x = np.arange(rows.start, rows.stop)[:, None], np.arange(columns.start, columns.stop)
        inside = self._inside(self._places(x, y))
        # The toolkit finds the place of the first pixel of a line, and goes on in steps.
        first = x[inside.argmax(axis=1)][:, None]
        steps = np.trunc(self._inverse[:, 0] * _ONE)
        source_x, source_y = (
            (np.trunc(place * _ONE - 1) + (x - first) * step).astype(np.int64) >> 16
            for place, step in zip(self._places(first, y), steps, strict=True)
        )
        place = source_y.clip(0, height - 1) * width + source_x.clip(0, width - 1)
        return Sources(np.where(inside, place, width * height))

    def _places(self, x: Ints, y: Ints) -> tuple[Matrix, Matrix]:
        """The places in the image of the centres of pixels: x and y, each as wide as it varies."""
        if self._aligned:  # each depends on x or on y alone
            return self._along_one(0, x, y), self._along_one(1, x, y)
        centers = np.stack(np.broadcast_arrays(x + 0.5, y + 0.5))
        places = np.tensordot(self._inverse, centers, 1) + self._origin[:, None, None]
        return places[0], places[1]

    def _along_one(self, axis: int, x: Ints, y: Ints) -> Matrix:
        by_x, by_y = self._inverse[axis]
        steps = by_x * (x + 0.5) if by_x else by_y * (y + 0.5)
        place: Matrix = np.atleast_2d(steps) + self._origin[axis]
        return place

    def _inside(self, places: tuple[Matrix, Matrix]) -> NDArray[np.bool_]:
        """Return which places are in the image."""
        (x, y), (width, height) = (places[0] - self._edge[0], places[1] - self._edge[1]), self._size
        inside: NDArray[np.bool_] = ((x >= 0) & (x < width)) & ((y >= 0) & (y < height))
        return inside

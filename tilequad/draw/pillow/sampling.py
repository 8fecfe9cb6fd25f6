"""Make an image by picking pixels of another one, also turned as Tiled's toolkit turns it."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from math import floor
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.tiled import FLIPPED_DIAGONALLY, FLIPPED_HORIZONTALLY, FLIPPED_VERTICALLY

__all__ = [
    "Box",
    "Pixels",
    "Sources",
    "TurnedImage",
    "places_along",
    "stretch_sources",
    "stretched",
]

# Where each pixel of a new image comes from, (height, width): row * width + column in the source
# image, or the number of its pixels if from nowhere. They serve all source images of one size.
Sources: TypeAlias = NDArray[np.int64]
Matrix = NDArray[np.float64]
Ints = NDArray[np.int64]
Box = tuple[float, float, float, float]  # left, top, right, bottom

_MIN_SIDE = 1e-9  # in pixels; an image flattened below this shows nothing

# Steps per pixel in Tiled's toolkit, which has two kinds: small ones for positions in the image and
# along an edge, and large ones for the corners of edges.
_ONE = 1 << 16
_CORNER = 1 << 6

_SURE = 1e-6  # in steps of a corner; a position this little below a step counts as on it
_FARTHEST = 2.0**45  # in steps of a corner; farther corners would overflow the numbers below


class Pixels:
    """The pixels of an RGBA image as an array, to sample them again and again."""

    def __init__(self, image: Image.Image) -> None:
        self.width, self.height = image.size
        #: each as 32 bits, row by row; one more at the end is transparent
        self.values = np.zeros(self.width * self.height + 1, np.uint32)
        self.values[:-1] = np.asarray(image).view(np.uint32).ravel()

    @cached_property
    def crisp(self) -> bool:
        """Whether each pixel is either opaque or transparent."""
        alpha = self.values >> 24
        return bool(((alpha == 0) | (alpha == 255)).all())

    def sample(self, sources: Sources) -> Image.Image:
        """Return the image; it is transparent where there is no source pixel."""
        size = sources.shape[1], sources.shape[0]
        values = self.values.take(sources)
        return Image.frombuffer("RGBA", size, values, "raw", "RGBA", 0, 1)  # not copied


def places_along(
    axis: int, start: Any, end: Any, length: Any, pixels: Any, flags: Any, swapped: Any = False
) -> Any:
    """Return which pixels of stretched images the pixels of a picture show, along an axis.

    Counts in steps of 1 / 65536 of a pixel, as Tiled's toolkit does, to agree on ties. The toolkit
    draws a flipped image differently, line by line: along x in steps from the source of the first
    pixel, and each row on its own.

    Args:
        axis: 0 for columns, 1 for rows. All others broadcast.
        start: Where the image starts, in pixels of the picture, with fractions.
        end: Where it ends.
        length: Its own pixels.
        pixels: Those of the picture.
        flags: The flip flags.
        swapped: Whether it is flipped diagonally, which rounds as `TurnedImage` does.

    Returns:
        Pixels of the image, perhaps some beyond it.
    """
    first = np.floor(start + 0.5)  # the first pixel that the image covers
    # rounded, so that it is the same wherever the picture begins
    extent = np.maximum(np.round(end - start, 9), _MIN_SIDE)
    scale = length / extent
    step = np.trunc(scale * _ONE)
    places = np.ceil(np.round((first + 0.5 - start) * step, 3)) - 1 + (pixels - first) * step
    by_lines = flags & (FLIPPED_HORIZONTALLY | FLIPPED_VERTICALLY | FLIPPED_DIAGONALLY) != 0
    if np.any(by_lines):
        flipped = flags & (FLIPPED_HORIZONTALLY, FLIPPED_VERTICALLY)[axis] != 0
        slope, origin = np.where(flipped, -scale, scale), np.where(flipped, length, 0)
        own = (pixels if axis else first) + 0.5  # it determines the whole line
        turned = origin + slope * (own - start)
        if np.any(swapped):
            slope = np.where(swapped, np.where(flipped, -1, 1) / (extent / length), slope)
            middle = length / 2 - slope * ((start + end) / 2)
            turned = np.where(swapped, slope * own + middle, turned)
        turned = np.trunc(turned * _ONE - 1)
        if not axis:
            turned = turned + (pixels - first) * np.trunc(slope * _ONE)
        places = np.where(by_lines, turned, places)
    return places.astype(np.int64) >> 16


def stretch_sources(
    box: Box,
    length: tuple[int, int],
    limit: tuple[int, int],
    flags: int,
    repeat: tuple[bool, bool] = (False, False),
) -> list[tuple[int, Ints]]:
    """Return the first pixel in a box, and which pixel of an image each from there on shows.

    Both along x, then along y. The picture reaches from 0 to the limits; the image may repeat.
    """
    found = []
    for axis in (0, 1):
        start, end = box[axis], box[axis + 2]
        first, last = max(floor(start + 0.5), 0), min(floor(end + 0.5), limit[axis])
        pixels = np.arange(limit[axis]) if repeat[axis] else np.arange(first, last)
        sources = places_along(axis, start, end, length[axis], pixels, flags)
        if repeat[axis]:
            sources %= length[axis]
        found.append((0 if repeat[axis] else first, sources.clip(0, length[axis] - 1)))
    return found


def stretched(image_size: tuple[int, int], size: tuple[int, int], box: Box, flags: int) -> Sources:
    """Stretch an image over a box of pixels as `Canvas.stretch` does.

    The upper left corner of the result is the origin of the box; its pixels beyond the box are
    taken from nowhere.
    """
    width, height = image_size
    (x, columns), (y, rows) = stretch_sources(box, image_size, size, flags)
    places: Sources = np.full(size[::-1], width * height)
    places[y : y + rows.size, x : x + columns.size] = rows[:, None] * width + columns
    return places


class TurnedImage:
    """An image of a size under a linear transform, from its pixels to those of the picture.

    `center` is where its own center goes, in pixels of the picture.
    """

    def __init__(self, size: tuple[int, int], matrix: Matrix, center: Matrix) -> None:
        self._size = size
        self._inverse = np.linalg.inv(matrix)
        # the position in the image of the picture's corner
        self._origin = np.array(size) / 2 - self._inverse @ center
        across, down = matrix.T * (np.array(size)[:, None] / 2)
        ways = np.array([-across - down, across - down, across + down, down - across])
        steps = ((center + ways) * _CORNER + _SURE).clip(-_FARTHEST, _FARTHEST)
        self._corners: list[list[int]] = np.floor(steps).astype(np.int64).tolist()

    def sources(self, rows: range, columns: range) -> Sources:
        """Return the pixels of the image that a part of the picture shows."""
        width, height = self._size
        if not rows or not columns:
            return np.zeros((len(rows), len(columns)), np.int64)
        y, x = np.arange(rows.start, rows.stop)[:, None], np.arange(columns.start, columns.stop)
        start, end = self._spans(rows)
        inside = (x >= start) & (x < end)
        # The toolkit computes the position of a line's first pixel, and goes on in steps.
        first = start.clip(columns.start, columns.stop - 1)
        steps = np.trunc(self._inverse[:, 0] * _ONE)
        places = np.tensordot(self._inverse, np.stack(np.broadcast_arrays(first + 0.5, y + 0.5)), 1)
        places += self._origin[:, None, None]
        source_x, source_y = (
            (np.trunc(place * _ONE - 1) + (x - first) * step).astype(np.int64) >> 16
            for place, step in zip(places, steps, strict=True)
        )
        place = source_y.clip(0, height - 1) * width + source_x.clip(0, width - 1)
        return np.where(inside, place, width * height)

    def _spans(self, rows: range) -> tuple[Ints, Ints]:
        """Return the first and the end column of the image in each row, (n, 1)."""
        start = np.full(len(rows), np.iinfo(np.int64).max)
        end = np.full(len(rows), np.iinfo(np.int64).min)
        for edge in pairwise([*self._corners, self._corners[0]]):
            (x0, y0), (x1, y1) = sorted(edge, key=lambda corner: corner[1])
            top, bottom = y0 + _CORNER // 2 >> 6, (y1 - _CORNER // 2 >> 6) + 1
            crossed = np.arange(max(top, rows.start), min(bottom, rows.stop))
            if not len(crossed):
                continue
            # The toolkit starts an edge at its first row, and goes on in steps.
            step = int((x1 - x0) / (y1 - y0) * _ONE)
            below = top * _ONE + _ONE // 2 - (y0 << 10)  # from the corner to the middle of the row
            place = _ONE // 2 + (x0 << 10) + (step * below >> 16)
            column = place + (crossed - top) * step >> 16
            own = crossed - rows.start
            start[own] = np.minimum(start[own], column)
            end[own] = np.maximum(end[own], column)
        return start[:, None], end[:, None]

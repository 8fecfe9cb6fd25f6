"""The picture that a map is drawn on, and the ways to lay an image on it."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.bounds import Bounds
from tilequad.draw.blending import MODES, blend
from tilequad.draw.tile_pictures import TilePictures
from tilequad.tiled import ACROSS, DOWN, MapError, TileMap

__all__ = ["Canvas", "Matrix"]

Matrix = NDArray[np.float64]

_EDGE = 1 / 128  # of a pixel: Tiled's toolkit sees the edges of a turned image so far up and left


_FLAT = 1e-9  # pixels squared: an image pressed flatter than this shows nothing

_LARGEST = 1e18  # pixels along a side, to have a number where a side would be infinite

# Pixels that are worked on at a time, at up to 200 bytes each.
_BAND = 1 << 16


class Canvas:
    """The picture being drawn, and where the world lies on it."""

    def __init__(self, world: TileMap, view: Bounds, scale: float, time: float) -> None:
        self.world = world
        self.scale = scale
        self.time = time
        self.mode = "normal"  # of the layer being drawn
        self.tiles = TilePictures.of(world)
        corner = world.axes.boxes(np.array([view], float))[0]
        self.left, self.top = float(corner[0]), float(corner[1])
        size = (
            max(1, round(min(view.width * scale, _LARGEST))),
            max(1, round(min(view.height * scale, _LARGEST))),
        )
        if size[0] * size[1] > world.limits.pixels:
            reason = f"a picture of {size[0]} x {size[1]} pixels is larger than the limit"
            raise MapError(
                world.path, f"{reason} of {world.limits.pixels}; draw a part, or smaller"
            )
        self.picture = Image.new("RGBA", size)

    def boxes(self, boxes: NDArray[np.float64]) -> NDArray[np.int64]:
        """World boxes as whole pixels of the picture, y down; neighbours stay neighbours."""
        turned = self.world.axes.boxes(boxes) - (self.left, self.top, self.left, self.top)
        pixels: NDArray[np.int64] = np.floor(turned * self.scale + 0.5).astype(np.int64)
        return pixels

    def points(self, points: Matrix) -> Matrix:
        """World points as pixels of the picture, y down, fractions kept."""
        return (self.world.axes.points(points) - (self.left, self.top)) * self.scale

    def place(self, image: Image.Image, left: int, top: int) -> None:
        """Lay an image over what is there; what sticks out is cut off."""
        x, y = max(left, 0), max(top, 0)
        right = min(left + image.width, self.picture.width)
        bottom = min(top + image.height, self.picture.height)
        if x < right and y < bottom:
            source = (x - left, y - top, right - left, bottom - top)
            if self.mode in MODES:
                self._blend(image.crop(source), x, y)
            else:  # in place, without a copy
                self.picture.alpha_composite(image, (x, y), source)

    def stretch(
        self,
        image: Image.Image,
        box: Matrix,
        flags: int = 0,
        repeat: tuple[bool, bool] = (False, False),
    ) -> None:
        """Lay an image over a world box, sized to fill it; nearest pixels.

        Between two pixels the lower one is taken, the upper one where the flags have flipped the
        image. Where it repeats along x or y, the whole width or height of the picture is filled.
        """
        left, top, right, bottom = (
            self.world.axes.boxes(box[None])[0] * self.scale
            - (
                self.left * self.scale,
                self.top * self.scale,
            )
            * 2
        )
        size, canvas = image.size, self.picture.size
        x, columns = _sources((left, right), size[0], canvas[0], flags & ACROSS, repeat[0])
        y, rows = _sources((top, bottom), size[1], canvas[1], flags & DOWN, repeat[1])
        if not columns.size:
            return
        for first, last in _bands(columns.size, rows.size):
            lines = rows[first:last]
            column, row = int(columns.min()), int(lines.min())
            # an array of the whole image would be a copy of it
            part = image.crop((column, row, int(columns.max()) + 1, int(lines.max()) + 1))
            pixels = np.asarray(part)[np.ix_(lines - row, columns - column)]
            self.place(Image.fromarray(pixels), x, y + first)

    def lay(self, image: Image.Image, matrix: Matrix, middle: Matrix) -> None:
        """Lay an image under a linear map, its middle at a point of the picture; nearest pixels."""
        half = np.abs(matrix) @ (np.array(image.size) / 2)
        corner = np.floor(np.maximum(middle - half, 0))
        end = np.ceil(np.minimum(middle + half, self.picture.size))
        width, height = (end - corner).astype(int).tolist()
        if width <= 0 or height <= 0 or abs(np.linalg.det(matrix)) < _FLAT:
            return
        left, top = corner.astype(int).tolist()
        pixels, inverse = np.asarray(image), np.linalg.inv(matrix)
        for first, last in _bands(width, height):
            away = np.mgrid[top + first : top + last, left : left + width][::-1] + 0.5
            x, y = np.tensordot(inverse, away - middle[:, None, None], 1)
            turned = _taken(pixels, x, y, inverse @ (-_EDGE, -_EDGE))
            self.place(Image.fromarray(turned), left, top + first)

    def _blend(self, image: Image.Image, left: int, top: int) -> None:
        """Lay an image over what is there in the blend mode of its layer."""
        for first, last in _bands(*image.size):
            box = (left, top + first, left + image.width, top + last)
            above = image.crop((0, first, image.width, last))
            self.picture.paste(blend(self.picture.crop(box), above, self.mode), box)


def _bands(width: int, height: int) -> Iterator[tuple[int, int]]:
    """The rows of an image in bands, so that numbers for each pixel take little memory."""
    step = max(_BAND // width, 1)
    for first in range(0, height, step):
        yield first, min(first + step, height)


def _taken(pixels: NDArray[np.uint8], x: Matrix, y: Matrix, nudge: Matrix) -> NDArray[np.uint8]:
    """The pixels of an image at places counted from its middle; beyond it nothing."""
    height, width = pixels.shape[:2]
    x, y = x + width / 2, y + height / 2
    inside = (x >= nudge[0]) & (x < width + nudge[0])
    inside &= (y >= nudge[1]) & (y < height + nudge[1])
    rows, columns = y.astype(int).clip(0, height - 1), x.astype(int).clip(0, width - 1)
    taken: NDArray[np.uint8] = pixels[rows, columns]
    taken[~inside] = 0
    return taken


def _sources(
    span: tuple[float, float], length: int, limit: int, flipped: int, repeat: bool
) -> tuple[int, NDArray[np.int64]]:
    """Where the part that is seen begins, and for each of its pixels the pixel of the image."""
    start, end = span
    first = floor(start + 0.5)
    begin, stop = (0, limit) if repeat else (max(first, 0), min(floor(end + 0.5), limit))
    # Tiled's toolkit counts in steps of 1 / 65536 of a pixel, and so do we, to agree on ties.
    step = int(length / max(end - start, _FLAT) * 65536)
    place = (first + 0.5 - start) * step
    place = floor(place) if flipped else ceil(place) - 1
    sources = (place + (np.arange(begin, stop) - first) * step) >> 16
    return begin, sources % length if repeat else sources.clip(0, length - 1)

"""The picture being drawn: where the world lies on it, and how to put an image on it."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.bounds import Bounds
from tilequad.draw.pillow.blending import MODES, blend
from tilequad.draw.pillow.tile_pictures import TilePictures
from tilequad.tiled import ACROSS, DOWN, MapError, TileMap

__all__ = ["Canvas"]

Matrix = NDArray[np.float64]

# Pixels. Tiled's toolkit shifts the edges of a turned image this far up and left.
_EDGE_SHIFT = 1 / 128

_MIN_AREA = 1e-9  # square pixels; an image pressed flatter than this shows nothing
_MAX_SIDE = 1e18  # pixels; keeps the size of a picture finite

# Pixels to work on at a time. Each takes up to 200 bytes meanwhile.
_BAND = 1 << 16

# How much longer painting a pixel takes than by plain composition.
_BLEND_COST = 32
_STRETCH_COST = 4
_TRANSFORM_COST = 64
_START = 1 << 10  # pixels that take as long as the first steps of blending or transforming any


class Canvas:
    """The picture being drawn, and where the world lies on it."""

    def __init__(self, tile_map: TileMap, view: Bounds, scale: float, time: float) -> None:
        self.tile_map = tile_map
        self.scale = scale
        self.time = time
        self.mode = "normal"  # the blend mode of the layer being drawn
        self.tiles = TilePictures.of(tile_map)
        corner = tile_map.axes.boxes(np.array([view], float))[0]
        self.left, self.top = float(corner[0]), float(corner[1])
        size = (
            max(1, round(min(view.width * scale, _MAX_SIDE))),
            max(1, round(min(view.height * scale, _MAX_SIDE))),
        )
        limit = tile_map.limits.pixels
        if size[0] * size[1] > limit:
            raise MapError(
                tile_map.path,
                f"a picture of {size[0]} x {size[1]} pixels is larger than the limit of {limit} "
                "pixels; draw a part of the map, or a smaller scale",
            )
        self.picture = Image.new("RGBA", size)
        self._left_to_paint = tile_map.limits.painted_pixels

    def spend(self, pixels: int) -> None:
        """Count what is painted, before it is.

        Raises:
            MapError: The picture asks for more than the limit.
        """
        self._left_to_paint -= pixels
        if self._left_to_paint < 0:
            limit = self.tile_map.limits.painted_pixels
            raise MapError(
                self.tile_map.path,
                f"drawing takes more than the limit of {limit} painted pixels; draw a part of the "
                "map, or fewer layers",
            )

    def tile(self, gid: int) -> Image.Image:
        """Return the image of a tile, to be turned or tinted: this counts as painting all of it."""
        image = self.tiles.tile(gid, self.time)
        self.spend(image.width * image.height)
        return image

    def boxes(self, boxes: NDArray[np.float64]) -> NDArray[np.int64]:
        """Convert world boxes to whole pixels, y down; boxes that touch still touch."""
        turned = self.tile_map.axes.boxes(boxes) - (self.left, self.top, self.left, self.top)
        pixels: NDArray[np.int64] = np.floor(turned * self.scale + 0.5).astype(np.int64)
        return pixels

    def points(self, points: Matrix) -> Matrix:
        """Convert world points to pixels, y down, with fractions."""
        return (self.tile_map.axes.points(points) - (self.left, self.top)) * self.scale

    def paste(self, image: Image.Image, left: int, top: int) -> None:
        """Put an image on the picture, cropped to it."""
        x, y = max(left, 0), max(top, 0)
        right = min(left + image.width, self.picture.width)
        bottom = min(top + image.height, self.picture.height)
        if x < right and y < bottom:
            area = (right - x) * (bottom - y)
            self.spend((area + _START) * _BLEND_COST if self.mode in MODES else area)
            source = (x - left, y - top, right - left, bottom - top)
            if self.mode in MODES:
                self._blend(image.crop(source), x, y)
            else:  # in place, so that no copy is made
                self.picture.alpha_composite(image, (x, y), source)

    def stretch(
        self,
        image: Image.Image,
        box: Matrix,
        flags: int = 0,
        repeat: tuple[bool, bool] = (False, False),
    ) -> None:
        """Stretch an image over a world box, with nearest-neighbour sampling.

        A sample between two pixels takes the first; where the flags have flipped the image, the
        second.

        Args:
            image: The image, already flipped.
            box: min_x, min_y, max_x, max_y in world units.
            flags: The flip flags, for ties.
            repeat: Whether to fill the whole width, and the whole height, with copies.
        """
        left, top, right, bottom = (
            self.tile_map.axes.boxes(box[None])[0] * self.scale
            - (self.left * self.scale, self.top * self.scale) * 2
        )
        size, canvas = image.size, self.picture.size
        x, columns = _source_pixels((left, right), size[0], canvas[0], flags & ACROSS, repeat[0])
        y, rows = _source_pixels((top, bottom), size[1], canvas[1], flags & DOWN, repeat[1])
        if not columns.size:
            return
        self.spend(columns.size * rows.size * _STRETCH_COST)
        for first, last in _bands(columns.size, rows.size):
            lines = rows[first:last]
            column, row = int(columns.min()), int(lines.min())
            # Crop first: an array of the whole image would copy it.
            part = image.crop((column, row, int(columns.max()) + 1, int(lines.max()) + 1))
            pixels = np.asarray(part)[np.ix_(lines - row, columns - column)]
            self.paste(Image.fromarray(pixels), x, y + first)

    def transform(self, image: Image.Image, matrix: Matrix, center: Matrix) -> None:
        """Draw an image under a linear transform, with nearest-neighbour sampling.

        Args:
            image: The image.
            matrix: (2, 2), from pixels of the image to pixels of the picture.
            center: Where the centre of the image goes, in pixels of the picture.
        """
        half = np.abs(matrix) @ (np.array(image.size) / 2)
        corner = np.floor(np.maximum(center - half, 0))
        end = np.ceil(np.minimum(center + half, self.picture.size))
        width, height = (end - corner).astype(int).tolist()
        if width <= 0 or height <= 0 or abs(np.linalg.det(matrix)) < _MIN_AREA:
            return
        self.spend((width * height + _START) * _TRANSFORM_COST)
        left, top = corner.astype(int).tolist()
        pixels, inverse = np.asarray(image), np.linalg.inv(matrix)
        for first, last in _bands(width, height):
            away = np.mgrid[top + first : top + last, left : left + width][::-1] + 0.5
            x, y = np.tensordot(inverse, away - center[:, None, None], 1)
            turned = _sample(pixels, x, y, inverse @ (-_EDGE_SHIFT, -_EDGE_SHIFT))
            self.paste(Image.fromarray(turned), left, top + first)

    def _blend(self, image: Image.Image, left: int, top: int) -> None:
        """Put an image on the picture in the blend mode of its layer."""
        for first, last in _bands(*image.size):
            box = (left, top + first, left + image.width, top + last)
            above = image.crop((0, first, image.width, last))
            self.picture.paste(blend(self.picture.crop(box), above, self.mode), box)


def _bands(width: int, height: int) -> Iterator[tuple[int, int]]:
    """Split an image into bands of rows, to save memory."""
    step = max(_BAND // width, 1)
    for first in range(0, height, step):
        yield first, min(first + step, height)


def _sample(pixels: NDArray[np.uint8], x: Matrix, y: Matrix, nudge: Matrix) -> NDArray[np.uint8]:
    """Sample an image at points measured from its centre; transparent beyond it."""
    height, width = pixels.shape[:2]
    x, y = x + width / 2, y + height / 2
    inside = (x >= nudge[0]) & (x < width + nudge[0])
    inside &= (y >= nudge[1]) & (y < height + nudge[1])
    rows, columns = y.astype(int).clip(0, height - 1), x.astype(int).clip(0, width - 1)
    sampled: NDArray[np.uint8] = pixels[rows, columns]
    sampled[~inside] = 0
    return sampled


def _source_pixels(
    span: tuple[float, float], length: int, limit: int, flipped: int, repeat: bool
) -> tuple[int, NDArray[np.int64]]:
    """Find the first visible pixel along an axis, and the image pixel for each one from there."""
    start, end = span
    first = floor(start + 0.5)
    begin, stop = (0, limit) if repeat else (max(first, 0), min(floor(end + 0.5), limit))
    # Tiled's toolkit counts in steps of 1 / 65536 of a pixel; do so too, to agree on ties.
    step = int(length / max(end - start, _MIN_AREA) * 65536)
    place = (first + 0.5 - start) * step
    place = floor(place) if flipped else ceil(place) - 1
    sources = (place + (np.arange(begin, stop) - first) * step) >> 16
    return begin, sources % length if repeat else sources.clip(0, length - 1)

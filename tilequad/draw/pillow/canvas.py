"""The picture being drawn: where the world lies on it, and how to put an image on it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.bounds import Bounds
from tilequad.draw.blending import MODES, blend
from tilequad.draw.pillow.sampling import Pixels, TurnedImage, stretch_sources
from tilequad.draw.tile_pictures import TilePictures, fade, tint
from tilequad.tiled import Color, Layer, MapError, TileMap

__all__ = ["Canvas"]

Matrix = NDArray[np.float64]
Ints = NDArray[np.int64]
Values = NDArray[np.uint32]

_MIN_AREA = 1e-9  # in square pixels; an image flattened below this shows nothing
_MAX_SIDE = 1e18  # in pixels; keeps the size of a picture finite

# Pixels to work on at a time. Each takes up to 200 bytes meanwhile.
_BAND = 1 << 16
_STAIN = 1 << 20  # the same if each takes at most 20 bytes

_BESIDE = 1 << 10  # how many pixels left of the picture to process, for images that start there

# The cost of painting a pixel, relative to plain composition.
_BLEND_COST = 32
_STRETCH_COST = 4
_TRANSFORM_COST = 64
_STAIN_COST = 2  # besides its composition
_START = 1 << 10  # the setup of a blend or transform costs as much as this many pixels


class Canvas:
    """The picture being drawn, and where the world lies on it.

    Attributes:
        size: Width and height of the picture.
        faces: The faces of letters used so far: family, bold, italic.
    """

    def __init__(self, tile_map: TileMap, view: Bounds, scale: float, time: float) -> None:
        self.tile_map = tile_map
        self.scale = scale
        self.time = time
        self.faces: set[tuple[str, bool, bool]] = set()
        self._mode = "normal"
        self._opacity = 1.0
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
        self.size = size
        self._drawn: Image.Image | Values | None = None
        self._left_to_paint = tile_map.limits.painted_pixels

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been painted yet."""
        return self._drawn is None

    @property
    def picture(self) -> Image.Image:
        """The picture, to paint on."""
        if self._drawn is None:
            self._drawn = Image.new("RGBA", self.size)
        elif not isinstance(self._drawn, Image.Image):
            self._drawn = Image.frombuffer("RGBA", self.size, self._drawn, "raw", "RGBA", 0, 1)
        return self._drawn

    @picture.setter
    def picture(self, picture: Image.Image) -> None:
        self._drawn = picture

    @property
    def pixels(self) -> Values:
        """The picture as an array to paint on, (height, width), 32 bits of RGBA each."""
        width, height = self.size
        if self._drawn is None:
            self._drawn = np.zeros((height, width), np.uint32)
        elif isinstance(self._drawn, Image.Image):
            values = bytearray(self._drawn.tobytes())
            self._drawn = np.frombuffer(values, np.uint32).reshape(height, width)
        return self._drawn

    def spend(self, pixels: int) -> None:
        """Count pixels before they are painted; raise MapError if the picture asks for too many."""
        self._left_to_paint -= pixels
        if self._left_to_paint < 0:
            limit = self.tile_map.limits.painted_pixels
            raise MapError(
                self.tile_map.path,
                f"drawing takes more than the limit of {limit} painted pixels; draw a part of the "
                "map, or fewer layers",
            )

    def tile(self, gid: int, size: tuple[float, float]) -> Image.Image:
        """Return a tile's image, to turn or tint it. This counts as painting the whole image.

        A marker has the size, in pixels of the picture.
        """
        image = self.tiles.tile(gid, self.time, size, self.scale)
        self.spend(image.width * image.height)
        return image

    def boxes(self, boxes: Matrix) -> Matrix:
        """Convert world boxes to pixels, y down, with fractions."""
        turned = self.tile_map.axes.boxes(boxes) * self.scale
        return turned - np.array((self.left, self.top) * 2) * self.scale

    def places(self, boxes: Matrix) -> tuple[Matrix, Ints, Matrix]:
        """Convert world boxes to pixels, and to boxes relative to the pixel of their corner.

        Return the boxes as `boxes` gives them, the pixels, and the boxes relative to these pixels,
        rounded so that equal tiles are made only once.
        """
        found = self.boxes(boxes)
        corners = np.floor(found[:, :2]).astype(np.int64)
        return found, corners, (found - np.tile(corners, 2)).round(6)

    def points(self, points: Matrix) -> Matrix:
        """Convert world points to pixels, y down, with fractions."""
        return (self.tile_map.axes.points(points) - (self.left, self.top)) * self.scale

    def use(self, layer: Layer, opacity: float = 1) -> None:
        """Draw from now on in the blend mode of a layer, and in its opacity times another one."""
        self._mode = layer.mode
        self._opacity = layer.opacity * opacity

    @property
    def is_normal(self) -> bool:
        """Whether the layer being drawn simply covers what is below."""
        return self._mode not in MODES

    def faded(self, image: Image.Image) -> Image.Image:
        """Return an image as `paste` wants it: faded, unless the blending does that."""
        return image if self._mode in MODES else fade(image, self._opacity)

    def shown(self, layer: Layer, image: Image.Image) -> Image.Image:
        """Return a picture of a layer as `paste` wants it: tinted and faded."""
        return self.faded(tint(image, layer.tint))

    def stain(self, mask: Image.Image, color: Color, left: int, top: int) -> None:
        """Paint a color on the picture, weighted by a mask."""
        self.spend(mask.width * mask.height * _STAIN_COST)
        for first, last in _bands(mask.width, mask.height, _STAIN):
            part = mask if last - first == mask.height else mask.crop((0, first, mask.width, last))
            image = Image.new("RGB", part.size, color[:3])
            image.putalpha(part if color[3] == 255 else part.point(_shares(color[3])))
            self.paste(self.faded(image), left, top + first)

    def paste(self, image: Image.Image, left: int, top: int, crisp: bool = False) -> None:
        """Put an image that `faded` returned on the picture; nothing is drawn beyond its edges.

        A crisp one has no half-transparent pixels; that is three times as fast.
        """
        x, y = max(left, 0), max(top, 0)
        right = min(left + image.width, self.size[0])
        bottom = min(top + image.height, self.size[1])
        if x < right and y < bottom:
            area = (right - x) * (bottom - y)
            self.spend((area + _START) * _BLEND_COST if self._mode in MODES else area)
            source = (x - left, y - top, right - left, bottom - top)
            if self._mode in MODES:
                self._blend(image.crop(source), x, y)
            elif crisp:
                part = image if source == (0, 0, *image.size) else image.crop(source)
                self.picture.paste(part, (x, y), part)
            else:  # in place, so that no copy is made
                self.picture.alpha_composite(image, (x, y), source)

    def stretch(
        self,
        image: Image.Image,
        box: Matrix,
        flags: int = 0,
        repeat: tuple[bool, bool] = (False, False),
    ) -> None:
        """Stretch an image over a world box, flipped, with nearest-neighbor sampling.

        There is no diagonal flip. Copies may fill the whole width, and the whole height.
        """
        # rounded, so that a part of a map looks the same as in a picture of the whole map
        place = tuple(self.boxes(box[None])[0].round(6).tolist())
        (x, columns), (y, rows) = stretch_sources(place, image.size, self.size, flags, repeat)
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
        """Draw an image under a linear transform of its pixels, with nearest-neighbor sampling.

        `center` is where the center of the image goes, in pixels of the picture.
        """
        half = np.abs(matrix) @ (np.array(image.size) / 2)
        corner = np.floor(np.clip(center - half, 0, self.size))
        # The first pixel of a line determines the others. It may lie left of the picture, so that
        # a part of a map looks the same as in a picture of the whole map.
        corner[0] = np.floor(np.clip(center - half, -_BESIDE, self.size))[0]
        end = np.ceil(np.clip(center + half + 1, 0, self.size))
        width, height = (end - corner).astype(int).tolist()
        if (
            center[0] + half[0] + 1 <= 0
            or width <= 0
            or height <= 0
            or abs(np.linalg.det(matrix)) < _MIN_AREA
        ):
            return
        self.spend((width * height + _START) * _TRANSFORM_COST)
        left, top = corner.astype(int).tolist()
        # count from a pixel near the image, so that its position causes no rounding
        x, y = np.floor(center).astype(int).tolist()
        near = (center - (x, y)).round(6)
        pixels, turned = Pixels(image), TurnedImage(image.size, matrix, near)
        for first, last in _bands(width, height):
            rows = range(top + first - y, top + last - y)
            columns = range(left - x, left + width - x)
            self.paste(pixels.sample(turned.sources(rows, columns)), left, top + first)

    def _blend(self, image: Image.Image, left: int, top: int) -> None:
        """Put an image on the picture in the blend mode of its layer."""
        for first, last in _bands(*image.size):
            box = (left, top + first, left + image.width, top + last)
            above = image.crop((0, first, image.width, last))
            self.picture.paste(blend(self.picture.crop(box), above, self._mode, self._opacity), box)


@cache
def _shares(alpha: int) -> list[int]:
    """Multiply each alpha by another one."""
    return [round(value * alpha / 255) for value in range(256)]


def _bands(width: int, height: int, most: int = 0) -> Iterator[tuple[int, int]]:
    """Split an image into bands of rows with a limited number of pixels, to save memory."""
    step = max((most or _BAND) // width, 1)
    for first in range(0, height, step):
        yield first, min(first + step, height)

"""The pictures of a map's tiles in one texture, each with its reduced copies.

A picture smaller on the screen than in its file is taken from a copy of half, a quarter ... of its
size, so that it does not shimmer. Mipmaps of the sheet would mix it with its neighbors there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from arcade import ArcadeContext
from numpy.typing import NDArray
from PIL import Image

__all__ = ["LEVELS", "PictureSheet", "SheetFullError", "reduced"]

LEVELS = 11  # full size, a half, ... 1/1024
FIRST_SIDE = 512  # width and height of a new sheet


class SheetFullError(Exception):
    """A picture does not fit into the largest texture of the GPU."""


class Shelf(NamedTuple):
    """A row of pictures of similar height."""

    top: int
    height: int
    used: int


class PictureSheet:
    """A texture that grows with the pictures that are put on it."""

    def __init__(self, context: ArcadeContext) -> None:
        self._context = context
        self._largest = context.info.MAX_TEXTURE_SIZE
        self._side = min(FIRST_SIDE, self._largest)
        self._used_height = 0
        self._shelves: list[Shelf] = []
        self._texture = context.texture((self._side, self._side))
        self._waiting: list[tuple[int, int, NDArray[np.uint8]]] = []

    @property
    def side(self) -> int:
        """Its width and height in texels."""
        return self._side

    @property
    def nbytes(self) -> int:
        """Its size on the GPU, in bytes."""
        return int(self._texture.width * self._texture.height * 4)

    def use(self, unit: int, smooth: bool) -> None:
        """Bind the texture to a unit; smooth mixes neighboring texels."""
        self._upload()
        filter_ = self._context.LINEAR if smooth else self._context.NEAREST
        if self._texture.filter != (filter_, filter_):
            self._texture.filter = filter_, filter_
        self._texture.use(unit)

    def add(self, copies: Sequence[Image.Image]) -> NDArray[np.float32]:
        """Put a picture and its reduced copies on the sheet, each half as large as the one before.

        Return left, top, width and height of each in texels, (LEVELS, 4); raise SheetFullError if
        there is no room.
        """
        first, rest = copies[0], copies[1:]
        width = max(first.width, sum(copy.width for copy in rest))
        left, top = self._room(width, first.height + max([copy.height for copy in rest], default=0))
        fill = np.asarray(copies[-1].resize((1, 1)))[0, 0, :3]
        x, y, places = left, top, []
        for number, copy in enumerate(copies):
            pixels = np.array(copy)
            hidden = pixels[:, :, 3] == 0
            if hidden.any():  # a hidden texel must not darken neighbors when it is mixed with them
                pixels[hidden, :3] = fill
            self._waiting.append((x, y, pixels))
            places.append((x, y, *copy.size))
            x, y = (left, top + first.height) if number == 0 else (x + copy.width, y)
        places += [places[-1]] * (LEVELS - len(places))
        return np.array(places, np.float32)

    def _room(self, width: int, height: int) -> tuple[int, int]:
        """Find room for a picture; the sheet may grow."""
        if max(width, height) > self._largest:
            raise SheetFullError
        while True:
            for number, (top, shelf, used) in enumerate(self._shelves):
                if height <= shelf <= 2 * height and used + width <= self._side:
                    self._shelves[number] = Shelf(top, shelf, used + width)
                    return used, top
            if width <= self._side and self._used_height + height <= self._side:
                self._shelves.append(Shelf(self._used_height, height, 0))
                self._used_height += height
            elif self._side < self._largest:
                self._side = min(2 * self._side, self._largest)
            else:
                raise SheetFullError

    def _upload(self) -> None:
        if not self._waiting:
            return
        old = self._texture
        if old.width < self._side:
            self._texture = self._context.texture((self._side, self._side))
            self._texture.write(old.read(), viewport=(0, 0, *old.size))
        for x, y, pixels in self._waiting:
            height, width = pixels.shape[:2]
            self._texture.write(pixels.data, viewport=(x, y, width, height))
        self._waiting.clear()


def reduced(image: Image.Image) -> list[Image.Image]:
    """Return a picture and its reduced copies; each pixel of one is the mean of four before."""
    copies = [image.convert("RGBA")]
    while len(copies) < LEVELS and max(copies[-1].size) > 1:
        copies.append(copies[-1].convert("RGBa").reduce(2).convert("RGBA"))
    return copies

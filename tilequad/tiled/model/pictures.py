"""Image files that a map names: their size now, their pixels when first drawn."""

from __future__ import annotations

import io
import warnings
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, UnidentifiedImageError

from ..errors import MapError
from ..read.context import LoadContext

__all__ = ["Picture", "TileImage"]

Size = tuple[int, int]

# What Tiled itself reads. Pillow knows more, and starts other programs for some of it.
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TGA", "PPM", "XPM", "XBM", "ICO", "TIFF")


class TileImage(NamedTuple):
    """The part of an image that shows one tile, in pixels of the image, y down.

    Attributes:
        picture: The image file or embedded image, which opens itself when first drawn.
        left: First column of the part.
        top: First row of the part.
        width: Columns of the part.
        height: Rows of the part.
    """

    picture: Picture
    left: int
    top: int
    width: int
    height: int

    @property
    def path(self) -> Path | None:
        """The image file; None for an image embedded in the map."""
        return self.picture.path

    @property
    def transparent(self) -> tuple[int, int, int] | None:
        """The colour to be seen through, if the map names one."""
        return self.picture.transparent


class Picture:
    """One image of a map: a file, or bytes embedded in the map.

    Attributes:
        path: The file, or None where the image is embedded.
        transparent: The colour to be seen through as (red, green, blue), or None.
        declared: Width and height as the map says, or None; files differ from it now and then.
    """

    def __init__(
        self,
        context: LoadContext,
        path: Path | None,
        data: bytes | None = None,
        declared: Size | None = None,
        transparent: tuple[int, int, int] | None = None,
    ) -> None:
        self.path = path
        self.declared = declared
        self.transparent = transparent
        self._data = data
        self._reading = context
        self._real_size: Size | None = None
        self._unreadable = False

    @cached_property
    def missing(self) -> bool:
        """Whether the file is not there; a look at the folder, not into the file."""
        if self.path is None:
            return False
        try:
            return not self.path.is_file()
        except OSError:  # a name too long for the file system
            return True

    @property
    def size(self) -> Size | None:
        """Width and height of the image itself; as declared where it cannot be read."""
        if self._real_size is None and not self._unreadable:
            try:
                self._opened().close()
            except MapError:
                self._unreadable = True
        return self._real_size or self.declared

    @cached_property
    def pixels(self) -> Image.Image:
        """The whole image as RGBA, the transparent colour made transparent; read at first use.

        Raises:
            MapError: The file is missing, is no image, or is larger than the limit.
        """
        with self._opened() as image:
            try:
                pixels: Image.Image = image.convert("RGBA")
            except (OSError, ValueError, SyntaxError, MemoryError) as problem:
                raise self._error(f"the image is damaged: {problem}") from None
        if self.transparent is not None:
            _see_through(pixels, self.transparent)
        return pixels

    def _opened(self) -> Image.Image:
        """The image with its header read; Pillow reads the pixels later."""
        if self.path is not None:
            self._reading.check_inside(self.path)
            if self.missing:
                raise self._error("the image is missing")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Pillow's own size warning; the limit is ours
                file = self.path or io.BytesIO(self._data or b"")
                image: Image.Image = Image.open(file, formats=_FORMATS)
        except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError):
            raise self._error("is no image that can be read") from None
        self._real_size = image.size
        limit = self._reading.limits.pixels
        if image.size[0] * image.size[1] > limit:
            image.close()
            raise self._error(f"the image is larger than the limit of {limit} pixels")
        return image

    def _error(self, reason: str) -> MapError:
        return self._reading.error(reason, self.path)


def _see_through(pixels: Image.Image, color: tuple[int, int, int]) -> None:
    """Give every pixel of one colour an alpha of 0, in place."""
    array = np.array(pixels)
    array[(array[:, :, :3] == color).all(axis=2), 3] = 0
    pixels.paste(Image.fromarray(array))

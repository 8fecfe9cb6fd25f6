"""Images of a map: the size is read on request, the pixels when first drawn."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from tilequad._optional import needs

from ..context import LoadContext, not_relative
from ..errors import MapError
from ..image_headers import size_in_header
from .properties import Color

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["Picture", "TileImage"]

Size = tuple[int, int]

# The formats that Tiled reads. Pillow knows more, and starts other programs for some of them.
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TGA", "PPM", "XPM", "XBM", "ICO", "TIFF")

# A progressive JPEG is refined in scans, each of which visits all pixels and may be only a few
# bytes long. Programs write up to a dozen scans.
_MOST_SCANS = 100
_SCAN = b"\xff\xda"

_BAND = 1 << 20  # pixels or bytes to work on at a time, to spare memory


class TileImage(NamedTuple):
    """The part of an image that shows one tile, in pixels of the image, y down.

    Attributes:
        picture: The image, which is opened when first drawn.
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
        """The color to make transparent, if the map names one."""
        return self.picture.transparent


class Picture:
    """One image of a map: a file, or bytes embedded in the map.

    Attributes:
        path: The file, or None if the image is embedded or the map names it absolutely.
        transparent: The color to make transparent as (red, green, blue), or None.
        declared: Width and height according to the map, or None; they may differ from the file's.
    """

    path: Path | None
    declared: Size | None
    transparent: tuple[int, int, int] | None

    _data: bytes | None
    _absolute: str
    _context: LoadContext

    def __init__(self) -> None:
        raise TypeError("a Picture comes with its map: tileset.picture, layer.picture")

    @classmethod
    def _make(
        cls,
        context: LoadContext,
        path: Path | None,
        data: bytes | None = None,
        declared: Size | None = None,
        transparent: tuple[int, int, int] | None = None,
        absolute: str = "",
    ) -> Picture:
        picture = cls.__new__(cls)
        picture.path = path
        picture.declared = declared
        picture.transparent = transparent
        picture._data = data
        picture._absolute = absolute  # the reference, if it must not be followed
        picture._context = context
        return picture

    @classmethod
    def _open(cls, path: Path, transparent: Color | None = None) -> Picture:
        """Return an image file; MapError if it is missing, or no image that can be read."""
        context = LoadContext(path)
        picture = cls._make(context, path, transparent=transparent and transparent[:3])
        if picture.missing:
            raise context.error("the image is missing")
        if picture.size is None:
            raise context.error("is not an image that can be read")
        picture.declared = picture.size
        return picture

    @cached_property
    def missing(self) -> bool:
        """Whether the file is missing; looked up once, without opening the file."""
        if self.path is None:
            return bool(self._absolute)
        missing = not os.path.isfile(self.path)
        if missing:
            self._context.stamps[os.fspath(self.path)] = None
        return missing

    @property
    def size(self) -> Size | None:
        """Width and height of the image itself; as declared if it cannot be read.

        The file is opened once for all of its pictures. Without Pillow, only the headers of PNG,
        GIF, BMP, WebP and JPEG files are understood.
        """
        sizes, key = self._context.image_sizes, self.path or self
        if key not in sizes:
            sizes[key] = None
            with suppress(MapError):
                try:
                    with self._opened():
                        pass  # it has noted the size
                except ModuleNotFoundError:
                    with self._file() as file:
                        sizes[key] = size_in_header(file)
        return sizes[key] or self.declared

    @property
    def pixels(self) -> Image.Image:
        """The whole image as RGBA, the transparent color made transparent.

        Read on first use and kept; all uses of a file share them.

        Raises:
            MapError: The file is missing, is not an image, or is larger than the limit; or all
                images of the map together are.
            ModuleNotFoundError: Pillow is not installed.
        """
        key = (self.path or self, self.transparent)
        known = self._context.images.get(key)
        if known is None:
            try:
                known = self._read()
            except MapError as problem:  # not read again for each tile
                known = _without_frames(problem)
            self._context.images[key] = known
        if isinstance(known, MapError):
            raise _without_frames(known)
        return known

    def _read(self) -> Image.Image:
        with self._opened() as image:
            if image.format == "JPEG" and self._count(_SCAN) > _MOST_SCANS:
                raise self._error(f"the image has more than {_MOST_SCANS} scans")
            self._context.take("image_pixels", image.width * image.height, self.path)
            try:
                image.load()
                # A copy would double the memory of what may be the largest part of a map. Images of
                # other formats keep their decoders, which take even more.
                whole = image.format == "PNG" and image.mode == "RGBA"
                pixels: Image.Image = image if whole else image.convert("RGBA")
            except Exception as problem:  # Pillow's decoders raise errors of many types
                raise self._error(f"the image is damaged: {problem}") from None
        if self.transparent is not None:
            _make_transparent(pixels, self.transparent)
        return pixels

    @contextmanager
    def _opened(self) -> Iterator[Image.Image]:
        """The image with its header read; Pillow reads the pixels later."""
        with needs("Pillow", "reading images", '"tilequad[pillow]"'):
            from PIL import Image
        with self._file() as file:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # Pillow warns of large images; ours is a limit
                    image: Image.Image = Image.open(file, formats=_FORMATS)
            except Exception:  # Pillow's parsers raise errors of many types
                raise self._error("is not an image that can be read") from None
            self._context.image_sizes[self.path or self] = image.size
            limit = self._context.limits.pixels
            if image.size[0] * image.size[1] > limit:
                raise self._error(f"the image is larger than the limit of {limit} pixels")
            yield image

    def _count(self, mark: bytes) -> int:
        with self._file() as file:
            return sum(part.count(mark) for part in iter(partial(file.read, _BAND), b""))

    def _file(self) -> BinaryIO:
        if self._absolute:
            raise self._error(not_relative(self._absolute))
        if self.path is None:
            return io.BytesIO(self._data or b"")
        if self.missing:
            self._context.check_inside(self.path)
            raise self._error("the image is missing")
        return self._context.open(self.path)

    def _error(self, reason: str) -> MapError:
        return self._context.error(reason, self.path)


def _without_frames(problem: MapError) -> MapError:
    """Return the same error; one that was raised holds the whole map, in its frames."""
    return type(problem)(problem.path, problem.reason)


def _make_transparent(pixels: Image.Image, color: tuple[int, int, int]) -> None:
    """Clear the opaque pixels of one color, in place, some rows at a time."""
    from PIL import Image

    red, green, blue = color
    opaque = np.uint32(red | green << 8 | blue << 16 | 255 << 24)
    rows = max(1, _BAND // max(pixels.width, 1))
    for top in range(0, pixels.height, rows):
        box = (0, top, pixels.width, min(top + rows, pixels.height))
        band = np.array(pixels.crop(box))
        as_numbers = band.view("<u4")
        as_numbers[as_numbers == opaque] = 0
        pixels.paste(Image.fromarray(band), box)

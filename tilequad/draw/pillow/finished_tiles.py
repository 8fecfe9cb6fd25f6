"""The finished tiles of a layer, each made once per fraction of a pixel."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from PIL import Image

from tilequad.draw.image_cache import ImageCache
from tilequad.draw.pillow.canvas import Box, Canvas, stretched
from tilequad.draw.pillow.sampling import Pixels, Sources
from tilequad.draw.pillow.turned_image import TurnedImage
from tilequad.draw.transforms import is_crisp, orient, turn_matrix
from tilequad.tiled import FLIPPED_DIAGONALLY, TileLayer

__all__ = ["FinishedTile", "FinishedTiles"]


class FinishedTile(NamedTuple):
    """A tile flipped, resized, tinted and faded."""

    image: Image.Image
    crisp: bool  #: whether no pixel is half transparent

    @property
    def width(self) -> int:
        """Width of the image."""
        return self.image.width

    @property
    def height(self) -> int:
        """Height of the image."""
        return self.image.height


class _Shown(NamedTuple):
    """A tile tinted and faded."""

    pixels: Pixels
    crisp: bool

    @property
    def width(self) -> int:
        return self.pixels.width

    @property
    def height(self) -> int:
        return self.pixels.height


class FinishedTiles:
    """The tiles of a layer that is drawn on a canvas."""

    def __init__(self, canvas: Canvas, layer: TileLayer) -> None:
        self._canvas = canvas
        self._layer = layer
        limit = canvas.tile_map.limits.pixels // 4
        self._finished: ImageCache[FinishedTile] = ImageCache(limit)
        self._shown: ImageCache[_Shown] = ImageCache(limit)
        # The source pixels are the same for all tiles of a size, and finding them takes longest.
        self._sources: ImageCache[Sources] = ImageCache(limit // 2)

    def get(self, gid: int, flags: int, size: tuple[int, int], box: Box) -> FinishedTile:
        """Return a tile.

        Args:
            gid: Its global id, without flip flags.
            flags: Its flip flags.
            size: Width and height of the image to make.
            box: left, top, right, bottom: where the tile is in the image, with fractions.
        """
        make = partial(self._make, gid, flags, size, box)
        return self._finished.get((gid, flags, box), size, make)

    def pixels(self, gid: int) -> Pixels:
        """Return the pixels of a tile that is neither flipped nor resized."""
        tile = self._canvas.tile(gid)
        return self._tinted(gid, tile).pixels

    def sources(
        self, image_size: tuple[int, int], flags: int, size: tuple[int, int], box: Box
    ) -> Sources:
        """Return which pixels of a tile are shown, for all tiles whose images have a size.

        Args:
            image_size: The size of the images.
            flags: As for `get`.
            size: As for `get`.
            box: As for `get`.
        """
        find = partial(_sources, image_size, flags, size, box)
        return self._sources.get((image_size, flags, box), size, find)

    def _make(self, gid: int, flags: int, size: tuple[int, int], box: Box) -> FinishedTile:
        tile = self._canvas.tile(gid)
        turned_size = tile.size[::-1] if flags & FLIPPED_DIAGONALLY else tile.size
        if box == (0, 0, *size) and turned_size == size:
            image = self._canvas.shown(self._layer, orient(tile, flags))
            return FinishedTile(image, is_crisp(image))
        shown = self._tinted(gid, tile)
        sources = self.sources(tile.size, flags, size, box)
        return FinishedTile(shown.pixels.sample(sources), shown.crisp)

    def _tinted(self, gid: int, tile: Image.Image) -> _Shown:
        return self._shown.get(gid, tile.size, partial(self._show, tile))

    def _show(self, tile: Image.Image) -> _Shown:
        image = self._canvas.shown(self._layer, tile)
        return _Shown(Pixels(image), is_crisp(image))


def _sources(image_size: tuple[int, int], flags: int, size: tuple[int, int], box: Box) -> Sources:
    """Find the pixels of a tile's image that show at its position among the picture's pixels."""
    if not flags & FLIPPED_DIAGONALLY:
        return stretched(image_size, size, box, flags)
    left, top, right, bottom = box
    matrix = turn_matrix(flags, (right - left, bottom - top), image_size, False)
    turned = TurnedImage(image_size, matrix, np.array((left + right, top + bottom)) / 2)
    return turned.sources(range(size[1]), range(size[0]))

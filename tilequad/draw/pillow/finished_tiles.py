"""The finished tiles of a layer, each made once per fraction of a pixel."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from PIL import Image

from tilequad.draw.pillow.canvas import Canvas
from tilequad.draw.pillow.sampling import Box, Pixels, Sources, TurnedImage, stretched
from tilequad.draw.tile_pictures import ImageCache, is_crisp, orient
from tilequad.draw.transforms import turn_matrix
from tilequad.tiled import FLIPPED_DIAGONALLY, TileLayer

__all__ = ["FinishedTile", "FinishedTiles"]


class FinishedTile(NamedTuple):
    """A tile flipped, resized, tinted and faded."""

    image: Image.Image
    crisp: bool  #: whether no pixel is half transparent


class FinishedTiles:
    """The tiles of a layer that is drawn on a canvas, or on one after the other.

    Others with the same tint, opacity and mode may share its tiles. The canvas may be set to the
    next.
    """

    def __init__(self, canvas: Canvas, layer: TileLayer) -> None:
        self.canvas = canvas
        self._layer = layer
        limit = canvas.tile_map.limits.pixels // 4
        self._finished: ImageCache[FinishedTile] = ImageCache(limit)
        self._shown: ImageCache[Pixels] = ImageCache(limit)
        # The source pixels are the same for all tiles of a size, and finding them takes longest.
        self._sources: ImageCache[Sources] = ImageCache(limit // 2)

    def get(self, gid: int, flags: int, size: tuple[int, int], box: Box) -> FinishedTile:
        """Return an image of a size that holds a tile; the tile's box may end within a pixel."""
        make = partial(self._make, gid, flags, size, box)
        return self._finished.get((self._frame(gid), flags, box), size, make)

    def pixels(self, gid: int, size: tuple[float, float]) -> Pixels:
        """Return the pixels of a tile, neither flipped nor resized; a marker has the size."""
        frame = self._frame(gid)
        known = self._shown.known(frame) or self._shown.known((frame, size))
        if known is not None:
            return known
        tile = self.canvas.tile(gid, size)
        key = (frame, size) if self.canvas.tiles.is_marker(frame) else frame
        shown = self.canvas.shown(self._layer, tile)
        return self._shown.get(key, tile.size, partial(Pixels, shown))

    def _frame(self, gid: int) -> int:
        return self.canvas.tiles.frame(gid, self.canvas.time)

    def _make(self, gid: int, flags: int, size: tuple[int, int], box: Box) -> FinishedTile:
        whole = box[2] - box[0], box[3] - box[1]
        tile = self.canvas.tile(gid, whole)
        turned_size = tile.size[::-1] if flags & FLIPPED_DIAGONALLY else tile.size
        if box == (0, 0, *size) and turned_size == size:
            image = self.canvas.shown(self._layer, orient(tile, flags))
            return FinishedTile(image, is_crisp(image))
        pixels = self.pixels(gid, whole)
        image_size = pixels.width, pixels.height
        find = partial(_sources, image_size, flags, size, box)
        sources = self._sources.get((image_size, flags, box), size, find)
        return FinishedTile(pixels.sample(sources), pixels.crisp)


def _sources(image_size: tuple[int, int], flags: int, size: tuple[int, int], box: Box) -> Sources:
    """Find the pixels of a tile's image that show at its offset to the picture's pixels."""
    if not flags & FLIPPED_DIAGONALLY:
        return stretched(image_size, size, box, flags)
    left, top, right, bottom = box
    if right <= left or bottom <= top:  # of a damaged map; no pixel shows
        return np.full(size[::-1], image_size[0] * image_size[1])
    matrix = turn_matrix(flags, (right - left, bottom - top), image_size, False)
    turned = TurnedImage(image_size, matrix, np.array((left + right, top + bottom)) / 2)
    return turned.sources(range(size[1]), range(size[0]))

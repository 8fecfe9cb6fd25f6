"""The tiles of a map as Pillow images."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.tiled import MapError, Picture, TileImage, TileMap

__all__ = ["ImageCache", "TilePictures"]

_MARKER = 1024  # pixels along a side of the marker for a missing image; larger ones are stretched


class ImageCache:
    """Images that are made when first asked for, and kept.

    A map can show thousands of tiles that are each large, cut from a file that is small; so all
    are forgotten, and made again, where they would be more than a number of pixels together.

    Args:
        most_pixels: That number.
    """

    def __init__(self, most_pixels: int) -> None:
        self._most = most_pixels
        self._pixels = 0
        self._images: dict[tuple[int, ...], Image.Image] = {}

    def get(self, key: tuple[int, ...], make: Callable[[], Image.Image]) -> Image.Image:
        """The image of a key; `make` makes one that is not there."""
        if key not in self._images:
            image = make()
            self._pixels += image.width * image.height
            if self._pixels > self._most:
                self._images.clear()
                self._pixels = image.width * image.height
            self._images[key] = image
        return self._images[key]


class TilePictures:
    """The tiles of a map as Pillow images, each cut out once.

    Example:
        >>> from tilequad import load_map
        >>> TilePictures(load_map("maps/frontier.tmx")).tile(1).size
        (32, 32)
    """

    def __init__(self, world: TileMap) -> None:
        # not the map itself: it would be kept alive by the pictures kept for it
        self._tilesets = world.tilesets
        self._cell = world.tile_size
        self._strict = world.strict
        self._most_pixels = world.limits.pixels
        self._warnings = world.warnings
        self._tiles = ImageCache(world.limits.pixels)
        self._warned: set[Picture] = set()

    @classmethod
    def of(cls, world: TileMap) -> TilePictures:
        """The images that are shared by all pictures of a map."""
        return _PICTURES.setdefault(world, cls(world))

    def tile(self, gid: int, time: float = 0) -> Image.Image:
        """The RGBA image of a tile, not flipped, the transparent colour made transparent.

        Args:
            gid: Tiled's number of the tile, without flip bits.
            time: Milliseconds since the start; an animated tile shows the frame of that moment.

        Returns:
            An image that is shared: copy it before you change it. Where the map has no image for
            the tile, Tiled's marker for that: a crossed-out box.

        Raises:
            MapError: The image cannot be read, and the map was opened with `strict=True`.
        """
        tileset = self._tilesets.owner(gid)
        local_id = tileset.frame_at(gid - tileset.first_gid, time)

        def cut() -> Image.Image:
            source = tileset.image_source(local_id)
            return (source and self._cut(source)) or _marker(self._cell)

        return self._tiles.get((tileset.first_gid, local_id), cut)

    def _cut(self, source: TileImage) -> Image.Image | None:
        """The part of an image that shows a tile, transparent where it reaches beyond the image."""
        pixels = self.pixels(source.picture)
        if pixels is None or source.width * source.height > self._most_pixels:
            return None
        right, bottom = source.left + source.width, source.top + source.height
        return pixels.crop((source.left, source.top, right, bottom))

    def pixels(self, picture: Picture) -> Image.Image | None:
        """The whole of an image; None, and a warning in the map, where it cannot be read."""
        try:
            return picture.pixels
        except MapError as problem:
            if self._strict:
                raise
            if picture not in self._warned:
                self._warned.add(picture)
                if str(problem) not in self._warnings:
                    self._warnings.append(str(problem))
            return None


# One set of tile images for each map, for as long as the map lives.
_PICTURES: WeakKeyDictionary[TileMap, TilePictures] = WeakKeyDictionary()


def _marker(size: tuple[int, int]) -> Image.Image:
    """What stands for an image that is missing: a dark box with a red cross, as in Tiled."""
    width, height = (min(max(side, 1), _MARKER) for side in size)
    alpha = np.zeros((height, width))
    alpha[1:, 1:] = 128 / 255
    red = np.zeros((height, width))
    right, bottom = width - 1, height - 1
    for x0, y0, x1, y1 in (
        (0, 0, right, 0),
        (right, 0, right, bottom),
        (0, bottom, right, bottom),
        (0, 0, 0, bottom),
        (0, 0, right, bottom),
        (right, 0, 0, bottom),
    ):
        line = _thin_line(width, height, x0, y0, x1, y1)
        red = line + red * (1 - line)
        alpha = line + alpha * (1 - line)
    pixels = np.zeros((height, width, 4))
    pixels[:, :, 0] = red / np.maximum(alpha, 1e-9)
    pixels[:, :, 3] = alpha
    return Image.fromarray((pixels * 255 + 0.5).astype(np.uint8))


def _thin_line(width: int, height: int, x0: int, y0: int, x1: int, y1: int) -> NDArray[np.float64]:
    """How much of each pixel a smoothed line of one pixel covers; half of its two end pixels.

    Every step along the longer axis is shared between two pixels of the other axis (Xiaolin Wu,
    "An efficient antialiasing technique", 1991), which is how Tiled's toolkit draws thin lines.
    """
    cover = np.zeros((height + 1, width + 1))
    steps = max(abs(x1 - x0), abs(y1 - y0), 1)
    x = x0 + np.arange(steps + 1) * ((x1 - x0) / steps)
    y = y0 + np.arange(steps + 1) * ((y1 - y0) / steps)
    left, top = np.floor(x + 1e-9).astype(int), np.floor(y + 1e-9).astype(int)
    beyond = np.clip((x - left) + (y - top), 0, 1)  # one of the two is whole
    ends = np.ones(steps + 1)
    ends[0] = ends[-1] = 0.5
    cover[top, left] = (1 - beyond) * ends
    down = int(abs(x1 - x0) >= abs(y1 - y0))
    cover[top + down, left + 1 - down] += beyond * ends
    return cover[:height, :width]

"""The tiles of a map as Pillow images, and how a layer shows them: flipped, tinted and faded."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Hashable
from math import ceil
from typing import Generic, TypeGuard, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from PIL import Image

from tilequad.tiled import (
    FLIPPED_DIAGONALLY,
    FLIPPED_HORIZONTALLY,
    FLIPPED_VERTICALLY,
    Color,
    MapError,
    Picture,
    TileImage,
    TileMap,
)

__all__ = [
    "ImageCache",
    "TilePictures",
    "fade",
    "is_crisp",
    "is_tint",
    "missing_marker",
    "orient",
    "tint",
]

_MOST_FRAMES = 64  # how many states of all animations are remembered
_MARKER_SIDE = 1024  # in pixels; larger markers are stretched

Kept = TypeVar("Kept")


class ImageCache(Generic[Kept]):
    """Keeps images; forgets the least recently used ones to stay within a number of pixels.

    A larger image is kept alone.
    """

    def __init__(self, max_pixels: int) -> None:
        self._max_pixels = max_pixels
        self._pixels = 0
        # The least recently used first
        self._images: OrderedDict[Hashable, tuple[Kept, int]] = OrderedDict()

    def __len__(self) -> int:
        """The number of images kept now."""
        return len(self._images)

    def known(self, key: Hashable) -> Kept | None:
        """Return the image of a key if it is kept now."""
        found = self._images.get(key)
        if found is None:
            return None
        self._images.move_to_end(key)
        return found[0]

    def get(self, key: Hashable, size: tuple[int, int], make: Callable[[], Kept]) -> Kept:
        """Return the image of a key; make it if it is not cached, after room for its size."""
        known = self.known(key)
        if known is not None:
            return known
        pixels = size[0] * size[1]
        while self._images and self._pixels + pixels > self._max_pixels:
            self._pixels -= self._images.popitem(last=False)[1][1]
        image = make()
        self._images[key] = image, pixels
        self._pixels += pixels
        return image


class TilePictures:
    """The tiles of one map as images, each cut out once.

    `TilePictures.of(tile_map)` gives every caller the same pictures, so a map is cut only once.

    Example:
        >>> from tilequad import load_map
        >>> from tilequad.draw.tile_pictures import TilePictures
        >>> tile_map = load_map("maps/frontier.tmx")
        >>> TilePictures.of(tile_map).tile(1).size
        (32, 32)
    """

    def __init__(self, tile_map: TileMap) -> None:
        # No reference to the map itself: the shared pictures would keep it alive.
        self._tilesets = tile_map.tilesets
        self._cell_size = tile_map.tile_size
        self._revision = tile_map.revision
        self._strict = tile_map.strict
        self._max_pixels = tile_map.limits.pixels
        self._warnings = tile_map.warnings
        self._tiles: ImageCache[Image.Image] = ImageCache(tile_map.limits.pixels)
        self._unreadable: set[Picture] = set()
        self._markers: set[int] = set()  # gids of tiles whose marker was made
        animated = [
            (tileset.first_gid + local_id, *tile.frame_ends)
            for tileset in tile_map.tilesets
            for local_id, tile in tileset.tiles.items()
            if tile.frames
        ]
        self.animated = frozenset(gid for gid, _, _ in animated)  #: gids
        self._rhythms = {(total, tuple(ends)) for _, total, ends in animated}
        # What animated tiles show, by where each rhythm is
        self._known: dict[tuple[int, ...], dict[int, int]] = {}

    @classmethod
    def of(cls, tile_map: TileMap) -> TilePictures:
        """Return the pictures of a map. They live as long as the map, or until it is reloaded."""
        pictures = _SHARED.get(tile_map)
        if pictures is None or pictures._revision != tile_map.revision:
            pictures = _SHARED[tile_map] = cls(tile_map)
        return pictures

    def tile(
        self, gid: int, time: float = 0, size: tuple[float, float] | None = None, line: float = 1
    ) -> Image.Image:
        """Return the RGBA image of a tile at a time in milliseconds, not flipped.

        It is shared: copy it before you change it. For a tile whose image cannot be read it is
        Tiled's marker, a box crossed out in red, which Tiled draws as large as it shows: of a size,
        by default that of a cell, with lines of a width. With `strict=True` it is a MapError; a
        KeyError if no tileset has the gid.
        """
        return self.still(self.frame(gid, time), size, line)

    def frame(self, gid: int, time: float = 0) -> int:
        """Return the gid of the tile that a tile shows at a time: its own unless it is animated."""
        if gid not in self.animated:
            return gid
        tileset = self._tilesets.owner(gid)
        return tileset.first_gid + tileset.frame_at(gid - tileset.first_gid, time)

    def frames_at(self, time: float) -> dict[int, int]:
        """Return the gids of the tiles that the animated tiles show at a time, by their own gid.

        It is the same dictionary as before if no tile has moved on. Cost: a microsecond for each
        rhythm of frames in the map, unless one of them has moved on.
        """
        steps = [
            bisect_right(ends, time % total if total > 0 else 0) for total, ends in self._rhythms
        ]
        frames = self._known.get(tuple(steps))
        if frames is None:
            frames = {gid: self.frame(gid, time) for gid in sorted(self.animated)}
            if len(self._known) >= _MOST_FRAMES:
                self._known.clear()
            self._known[tuple(steps)] = frames
        return frames

    def still(
        self, gid: int, size: tuple[float, float] | None = None, line: float = 1
    ) -> Image.Image:
        """Return the image of a tile as `tile` does, without its animation."""
        tileset = self._tilesets.owner(gid)
        source = tileset.image_source(gid - tileset.first_gid)
        image = source and (self._tiles.known(gid) or self._cut(source))
        if image:
            return self._tiles.get(gid, image.size, lambda: image)
        width, height = (min(max(round(side), 1), _MARKER_SIDE) for side in size or self._cell_size)
        key = width, height, line
        self._markers.add(gid)
        return self._tiles.get(key, (width, height), lambda: missing_marker(*key))

    def is_marker(self, gid: int) -> bool:
        """Return whether the image of a tile that was asked for is a marker."""
        return gid in self._markers

    def frames(self, gid: int) -> list[int]:
        """Return the gids of the tiles that an animated tile shows; of itself if it is still."""
        first = self._tilesets.owner(gid).first_gid
        frames = self._tilesets.owner(gid).animation(gid - first)
        return sorted({first + frame.local_id for frame in frames}) or [gid]

    def pixels(self, picture: Picture) -> Image.Image | None:
        """Return a whole image; None, and a warning of the map, if it cannot be read."""
        try:
            return picture.pixels
        except MapError as problem:
            if self._strict:
                raise
            if picture not in self._unreadable:
                self._unreadable.add(picture)
                if str(problem) not in self._warnings:
                    self._warnings.append(str(problem))
            return None

    def _cut(self, source: TileImage) -> Image.Image | None:
        """Cut a tile out of its image; parts beyond the image are transparent."""
        pixels = self.pixels(source.picture)
        if pixels is None or source.width * source.height > self._max_pixels:
            return None
        right, bottom = source.left + source.width, source.top + source.height
        if (source.left, source.top, right, bottom) == (0, 0, *pixels.size):
            return pixels  # not copied, because it may be large
        return pixels.crop((source.left, source.top, right, bottom))


_SHARED: WeakKeyDictionary[TileMap, TilePictures] = WeakKeyDictionary()


def missing_marker(width: int, height: int, line: float = 1) -> Image.Image:
    """Draw Tiled's marker for a tile whose image is missing: a dark box, crossed out in red.

    Its sizes and the width of its lines are in pixels.
    """
    finer = ceil(min(1 / line, _MARKER_SIDE // max(width, height)))
    if finer > 1:  # lines thinner than a pixel are drawn at their size, and each pixel is a mean
        large = missing_marker(width * finer, height * finer, line * finer)
        return large.convert("RGBa").reduce(finer).convert("RGBA")
    right, bottom = width - 1, height - 1
    x, y = np.arange(width), np.arange(height)[:, None]
    corners = np.ix_([0, bottom], [0, right])
    inward = np.minimum(np.minimum(x, right - x), np.minimum(y, bottom - y))
    clear = 1.0 - (line - inward).clip(0, 1)  # the share of each pixel that is not red
    clear[corners] = 1 / 4  # two lines end there, at half of the pixel each
    for column in (x, right - x):  # the diagonals, smooth as in Tiled
        away = np.abs(column * bottom - y * right) / max(right, bottom, 1)
        share = ((line + 1) / 2 - away).clip(0, min(line, 1))
        share[corners] /= 2
        clear *= 1 - share
    alpha = 1 - clear
    alpha[1:, 1:] += clear[1:, 1:] * (128 / 255)  # the box
    pixels = np.zeros((height, width, 4))
    pixels[:, :, 0] = (1 - clear) / np.maximum(alpha, 1e-9)
    pixels[:, :, 3] = alpha
    return Image.fromarray((pixels * 255 + 0.5).astype(np.uint8))


def orient(image: Image.Image, flags: int) -> Image.Image:
    """Apply the three flip flags of a tile, as all maps but hexagonal ones have them."""
    if flags & FLIPPED_DIAGONALLY:
        image = image.transpose(Image.Transpose.TRANSPOSE)
    if flags & FLIPPED_HORIZONTALLY:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if flags & FLIPPED_VERTICALLY:
        image = image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    return image


def tint(image: Image.Image, color: Color | None) -> Image.Image:
    """Return an RGBA image tinted as Tiled does, or the same one where nothing changes.

    A half-transparent pixel counts as one on white: alpha a, color c and tint t give t * (1 - a + a
    * c).
    """
    if not is_tint(color):
        return image
    # A lookup table for each channel: arithmetic on the pixels would take 32 bytes for each.
    if not is_crisp(image):
        image = _on_white(image)
    table = np.arange(256) * (np.array(color)[:, None] / 255) + 0.5
    return image.point(table.astype(np.uint8).ravel().tolist())


def is_tint(color: Color | None) -> TypeGuard[Color]:
    """Return whether a tint changes what it is laid on: opaque white does not."""
    return color not in (None, (255, 255, 255, 255))


def is_crisp(image: Image.Image) -> bool:
    """Return whether each pixel of an RGBA image is either opaque or transparent."""
    return not sum(image.getchannel("A").histogram()[1:255])


def fade(image: Image.Image, opacity: float) -> Image.Image:
    """Apply an opacity to an RGBA image; return a new one, or the same one at opacity 1."""
    if opacity == 1:
        return image
    table = (np.arange(256) * opacity + 0.5).astype(np.uint8).tolist()
    faded = image.copy()
    faded.putalpha(image.getchannel("A").point(table))
    return faded


def _on_white(image: Image.Image) -> Image.Image:
    """Lay the colors of an image on white, and keep its alpha."""
    alpha = image.getchannel("A")
    white = Image.new("RGB", image.size, (255, 255, 255))
    white.paste(image.convert("RGB"), mask=alpha)
    white.putalpha(alpha)
    return white

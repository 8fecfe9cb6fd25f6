"""The look of each kind of tile, for the GPU: a kind is a gid with its flip bits.

Their pictures lie in one texture, each with its reduced copies. A picture smaller on the screen
than in its file is taken from a copy of half, a quarter ... of its size, so that it does not
shimmer. Mipmaps of the sheet would mix it with its neighbors there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, log2, radians, sin
from typing import NamedTuple

import numpy as np
from arcade import ArcadeContext
from arcade.gl import Texture2D
from numpy.typing import NDArray
from PIL import Image

from tilequad._core.array_kinds import Floats
from tilequad.draw.arcade.shaders import texture_of
from tilequad.draw.tile_pictures import TilePictures, missing_marker
from tilequad.draw.transforms import hexagon_turn
from tilequad.tiled import FLIPPED_DIAGONALLY, MapError, TileMap
from tilequad.tiled.cells import FLAG_SHIFT, GID_MASK

__all__ = [
    "LEVELS",
    "SHARPNESS",
    "TEXELS",
    "UNITS",
    "TileKinds",
    "flips_and_turn",
    "too_large",
]


LEVELS = 11  # full size, a half, ... 1/1024
FIRST_SIDE = 512  # width and height of a new sheet
TEXELS = 2 + LEVELS  # texels of a kind: its place, its rotation, then its picture in each size
PER_ROW = 128  # kinds in a row of the texture
# How much finer than the pixels of the screen the reduced pictures are, in halvings. With less,
# tiles would blur and look unlike the map from near; with more, they would shimmer.
SHARPNESS = 1.2
# Markers of missing images have the same lines at any zoom, so each has a picture for each: up to
# this much larger, and this many pixels. There are so many sizes of objects at most.
LARGEST, LARGEST_SIDE, MOST_SIZES = 8, 256, 64
# The texture units of the tables of a map and its layers, by their names in the shaders. Other
# pictures are bound to 0 and 1 between layers.
UNITS = {"kinds": 2, "cells": 3, "directory": 4, "blocks": 5, "sheet": 6, "table": 7}
CODES_PER_ROW = 1024  # kinds in a row of the short form; the shaders use it too


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

    def use(self, smooth: bool) -> None:
        """Bind the texture; smooth mixes neighboring texels."""
        self._upload()
        filter_ = self._context.LINEAR if smooth else self._context.NEAREST
        if self._texture.filter != (filter_, filter_):
            self._texture.filter = filter_, filter_
        self._texture.use(UNITS["sheet"])

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
    """Return an RGBA picture and its reduced copies; each pixel is the mean of four before."""
    copies = [image]
    while len(copies) < LEVELS and max(copies[-1].size) > 1:
        copies.append(copies[-1].convert("RGBa").reduce(2).convert("RGBA"))
    return copies


class TileKinds:
    """The table of the kinds of tiles on a map; grows when a kind is first needed.

    Kind 0 stands for empty cells.

    Attributes:
        boxes: left, top, right, bottom of each kind around its cell's anchor, y down; (n, 4).
        revision: Counts changes of what is uploaded.
    """

    def __init__(self, context: ArcadeContext, tile_map: TileMap) -> None:
        self.pictures = TilePictures.of(tile_map)
        self.boxes: Floats = np.zeros((1, 4))
        self._context = context
        self._tile_map = tile_map
        self.sheet = PictureSheet(context)
        self._numbers: dict[int, int] = {0: 0}
        self._frames: dict[int, NDArray[np.float32]] = {}  # places of pictures on the sheet, by gid
        self._shown: dict[int, int] = {}  # the frame that each animated kind shows, by kind
        self._gids: dict[int, int] = {}  # and its gid
        self._shrunk: dict[int, float] = {}  # the logarithm of how much markers are, by gid
        self._marked: dict[tuple[int, int], int] = {}  # kinds of markers of objects, by their size
        self._time = 0.0
        self._rows = np.zeros((PER_ROW, TEXELS, 4), np.float32)
        self._texture: Texture2D | None = None
        self._codes: Texture2D | None = None
        self._stale = True
        self.revision = 0

    def numbers(self, raw: Iterable[int]) -> NDArray[np.uint32]:
        """Return the kinds of raw values (gid and flip bits); new ones join the table.

        A MapError says that an image cannot be read, or that the pictures do not fit into a
        texture.
        """
        values = list(raw)
        fresh = sorted({value for value in values if value not in self._numbers})
        if fresh:
            self._add(np.array(fresh, np.uint32))
        return np.array([self._numbers[value] for value in values], np.uint32)

    def set_time(self, time: float) -> None:
        """Show the animation frames of a time in milliseconds."""
        self._time = time  # for kinds that join later
        for kind, gid in self._gids.items():
            frame = self.pictures.frame(gid, time)
            if frame != self._shown[kind]:
                self._shown[kind] = frame
                self._rows[kind, 2:] = self._frames[frame]
                self._stale = True

    def use(self, smooth: bool) -> None:
        """Upload what has changed, and bind the pictures, the table, and its short form.

        The short form has one number for each kind and size of its picture: left, top and flips.
        """
        rows = len(self._rows) // PER_ROW
        if self._texture is None or self._texture.height != rows:
            self._texture = texture_of(self._context, (PER_ROW * TEXELS, rows), dtype="f4")
            self._stale = True
            size = CODES_PER_ROW, -(-len(self._rows) // CODES_PER_ROW) * LEVELS
            self._codes = texture_of(self._context, size, components=1, dtype="u4")
        assert self._codes is not None
        if self._stale:
            self._texture.write(self._rows.data)
            left, top = (self._rows[:, 2:, side].astype(np.uint32) for side in (0, 1))
            flips = self._rows[:, 1, 2].astype(np.uint32)
            codes = np.zeros((-(-len(left) // CODES_PER_ROW) * CODES_PER_ROW, LEVELS), np.uint32)
            codes[: len(left)] = left | top << 14 | flips[:, None] << 28
            by_level = codes.reshape(-1, CODES_PER_ROW, LEVELS).swapaxes(1, 2)
            self._codes.write(np.ascontiguousarray(by_level).data)
            self._stale = False
            self.revision += 1
        self.sheet.use(smooth)
        self._texture.use(UNITS["kinds"])
        self._codes.use(UNITS["table"])

    def copies(self, kinds: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Return how much the pictures of kinds are shrunk, and the sizes of their copies.

        (n, 1 + 2 * LEVELS): a binary logarithm, then widths and heights.
        """
        rows = self._rows[kinds]
        sizes = rows[:, 2:, 2:].reshape(len(rows), 2 * LEVELS)
        return np.concatenate((rows[:, 1, 3:], sizes), axis=1)

    @property
    def nbytes(self) -> int:
        """Its size on the GPU and that of the pictures, in bytes."""
        return self._rows.nbytes + self.sheet.nbytes

    def of_object(self, gid: int, width: float, height: float) -> tuple[int, float]:
        """Return the kind of a tile object of a size, not flipped, and how much it is shrunk."""
        kind = int(self.numbers([gid])[0])
        size = max(round(width), 1), max(round(height), 1)
        if self._is_marker(gid):
            if size not in self._marked and len(self._marked) < MOST_SIZES:
                self._marked[size] = self._add_marker(kind, size)
            kind = self._marked.get(size, kind)
            if size in self._marked:
                return kind, float(self._rows[kind, 1, 3])
        pixels = float(self._rows[kind, 2, 2:].max())
        return kind, log2(max(pixels / max(width, height, 1e-9), 1e-9))

    def _add_marker(self, like: int, size: tuple[int, int]) -> int:
        """Add the kind of a marker of a size in pixels."""
        kind = len(self.boxes)
        self._make_room(kind + 1)
        places, shrunk = self._marker(size)
        self._rows[kind, :2] = self._rows[like, :2]
        self._rows[kind, 1, 3] = shrunk
        self._rows[kind, 2:] = places
        self.boxes = np.concatenate((self.boxes, self.boxes[like : like + 1]))
        self._stale = True
        return kind

    def _is_marker(self, gid: int) -> bool:
        return gid not in self.pictures.animated and self.pictures.is_marker(gid)

    def _marker(self, size: tuple[int, int]) -> tuple[NDArray[np.float32], float]:
        """Put the marker of a size on the sheet, and return its copies, and how much it is shrunk.

        At each zoom the copy is shown that is as large as the marker on the screen.
        """
        larger = LARGEST
        while larger > 1 and larger * max(size) > LARGEST_SIDE:
            larger //= 2
        copies: list[Image.Image] = []
        scale = float(larger)
        while not copies or (len(copies) < LEVELS and max(copies[-1].size) > 1):
            wide, high = (max(round(side * scale), 1) for side in size)
            copies.append(missing_marker(wide, high, scale))
            scale /= 2
        return self._put(copies), log2(larger) + SHARPNESS

    def _put(self, copies: Sequence[Image.Image]) -> NDArray[np.float32]:
        """Put the copies of a picture on the sheet, and return their places."""
        try:
            return self.sheet.add(copies)
        except SheetFullError:
            raise too_large(self._tile_map, self._context) from None

    def _make_room(self, end: int) -> None:
        """Make room for kinds up to a number."""
        if end > len(self._rows):
            more = -(-max(end, 2 * len(self._rows)) // PER_ROW) * PER_ROW
            rows = np.zeros((more, TEXELS, 4), np.float32)
            rows[: len(self._rows)] = self._rows
            self._rows = rows

    def _add(self, raw: NDArray[np.uint32]) -> None:
        first, end = len(self.boxes), len(self.boxes) + len(raw)
        self._make_room(end)
        hexagonal = self._tile_map.orientation == "hexagonal"
        draw_boxes = self._tile_map.tilesets.draw_boxes(raw & np.uint32(GID_MASK)).tolist()
        boxes = []
        for kind, (value, box) in enumerate(zip(raw.tolist(), draw_boxes, strict=True), first):
            area_x, area_y, width, height, dx, dy = box
            flips, turn = flips_and_turn(value >> FLAG_SHIFT, hexagonal)
            if flips & 1:
                area_x, area_y, width, height = area_y, area_x, height, width
            x, y = area_x / 2 + dx, dy - area_y / 2
            row = self._rows[kind]
            row[0] = x, y, width, height
            gid = value & GID_MASK
            frame = self.pictures.frame(gid, self._time)
            self._read_frames(gid)
            row[2:] = self._frames[frame]
            cosine, sine = cos(radians(turn)), sin(radians(turn))
            shrunk = max(*row[2, 2:].tolist()) / max(width, height, 1e-9)
            row[1] = cosine, sine, flips, self._shrunk.get(gid, log2(max(shrunk, 1e-9)))
            cosine, sine = abs(cosine), abs(sine)
            half_x = (width * cosine + height * sine) / 2
            half_y = (width * sine + height * cosine) / 2
            boxes.append((x - half_x, y - half_y, x + half_x, y + half_y))
            if gid in self.pictures.animated:
                self._gids[kind], self._shown[kind] = gid, frame
        self.boxes = np.concatenate((self.boxes, boxes))
        for kind, value in enumerate(raw.tolist(), first):  # from here on nothing can fail
            self._numbers[value] = kind
        self._stale = True

    def _read_frames(self, gid: int) -> None:
        """Put the picture of each animation frame of a tile on the sheet."""
        for frame in self.pictures.frames(gid):
            if frame not in self._frames:
                image = self.pictures.still(frame)
                if self._is_marker(gid):
                    self._frames[frame], self._shrunk[gid] = self._marker(image.size)
                else:
                    self._frames[frame] = self._put(reduced(image))


def too_large(tile_map: TileMap, context: ArcadeContext) -> MapError:
    """Return the error for tiles whose pictures are too large for the GPU."""
    side = context.info.MAX_TEXTURE_SIZE
    reason = "the pictures of its tiles do not fit into the texture atlas"
    return MapError(tile_map.path, f"{reason} ({side} x {side} pixels at most)")


def flips_and_turn(flags: int, hexagonal: bool) -> tuple[int, float]:
    """Convert Tiled's flip bits to the shader's flips and to degrees clockwise."""
    if not hexagonal:
        return flags >> 1, 0
    return (flags & ~FLIPPED_DIAGONALLY) >> 1, hexagon_turn(flags)

"""Draw tile layers from far away: picked pixels of their tiles, or a color for each cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pygame
from numpy.typing import NDArray
from PIL import Image

from tilequad.draw.pygame.surfaces import Ints, picked
from tilequad.draw.tile_pictures import TilePictures
from tilequad.tiled import TileLayer, TileMap
from tilequad.tiled.cells import GID_MASK
from tilequad.tiled.geometry.grids import Grid
from tilequad.tiled.model.tile_layer import places_of

__all__ = ["Overview", "TileSheet", "distinct_in"]

_FARTHEST = (1 << 31) - 1  # columns and rows; none is farther out

_TABLE = 1 << 16  # distinct values up to this are found by a table
_MOST_PIXELS = 1 << 24  # of a sheet; 64 MiB
_BAND = 1 << 15  # pixels to pick at a time, which fit into a cache

Floats = NDArray[np.floating[Any]]
Numbers = NDArray[np.intp]
Raw = NDArray[np.uint32]


class Overview:
    """Draws the cell in the middle of each pixel, so the cost depends on the picture alone.

    That is the cell at the pixel of the map that `render` picks: the same one, whatever is painted
    together.
    """

    def __init__(self, tile_map: TileMap) -> None:
        self._tile_map = tile_map
        self._pictures = TilePictures.of(tile_map)
        self._colors: dict[int, int] = {0: 0}

    def draw(self, layer: TileLayer, area: pygame.Rect, scale: float) -> Image.Image | None:
        """Return a part of a layer, neither tinted nor faded, as RGBA; None if there is no tile.

        The area is in pixels from the origin of the world.
        """
        x = picked(range(area.left, area.right), scale) + 0.5 - layer.offset[0]
        y = picked(range(area.top, area.bottom), scale) + 0.5 - layer.offset[1]
        places = places_of(layer)
        cells = self._cells(places.grid, x, y[:, None])
        columns, rows = (
            (part - first).clip(-_FARTHEST, _FARTHEST).astype(np.int32)
            for part, first in zip(cells, places.origin, strict=True)
        )
        # copied: a single column or row would not be contiguous
        raw = places.tiles.raw(*(part.flatten() for part in np.broadcast_arrays(columns, rows)))
        gids = raw & np.uint32(GID_MASK)
        if not gids.any():
            return None
        kinds, which = distinct_in(gids)
        values = np.array([self._color(gid) for gid in kinds], np.uint32)[which]
        return Image.frombuffer("RGBA", area.size, values, "raw", "RGBA", 0, 1)

    def _cells(self, grid: Grid, x: Floats, y: Floats) -> tuple[Ints, Ints]:
        """Return the columns and rows of the cells at points; both arrays fit the picture."""
        tile_map = self._tile_map
        (width, height), kind = tile_map.tile_size, tile_map.orientation
        if kind == "isometric":
            across, down = (x - tile_map.size[1] * width // 2) / width, y / height
            columns, rows = down + across, down - across
        elif kind == "oblique":
            skew_x, skew_y = tile_map.skew
            area = width * height - skew_x * skew_y or 1
            columns, rows = (x * height - y * skew_x) / area, (y * width - x * skew_y) / area
        elif kind == "orthogonal":
            columns, rows = x / width, y / height
        else:
            return bricks(grid, x, y)
        return np.floor(columns).astype(np.int64), np.floor(rows).astype(np.int64)

    def _color(self, gid: int) -> int:
        """Return the mean color of a tile, as the 32 bits of an RGBA pixel."""
        color = self._colors.get(gid)
        if color is None:
            pixels = np.asarray(self._pictures.tile(gid), float).reshape(-1, 4)
            weights = pixels[:, 3:]
            mean = np.zeros(4)
            mean[:3] = (pixels[:, :3] * weights).sum(axis=0) / max(weights.sum(), 1)
            mean[3] = weights.mean()
            color = int((mean + 0.5).astype(np.uint8).view(np.uint32)[0])
            self._colors[gid] = color
        return color


class TileSheet:
    """The pixels of tiles of one size, each made once."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._numbers: dict[int, int] = {}
        self._pixels = np.zeros((1, size[0] * size[1]), np.uint32)  # the first tile is empty
        self._count = 1

    def number(self, key: int, make: Callable[[], pygame.Surface | None]) -> int | None:
        """Return the number of a tile; None if it cannot be made, or the sheet is full."""
        found = self._numbers.get(key)
        if found is not None:
            return found
        picture = make()
        if picture is None or picture.get_size() != self._size:
            return None
        if self._count == len(self._pixels):
            if 2 * self._pixels.size > _MOST_PIXELS:
                return None
            self._pixels = np.concatenate((self._pixels, np.zeros_like(self._pixels)))
        pixels = pygame.surfarray.pixels2d(picture).T.ravel()
        self._pixels[self._count] = np.where(pixels >> 24, pixels, 0)  # clear ones have no color
        self._numbers[key] = self._count
        self._count += 1
        return self._numbers[key]

    def picked(self, tiles: Numbers, columns: Ints, rows: Ints) -> pygame.Surface:
        """Return a picture of some columns and rows of the pixels of cells.

        The numbers of the tiles in the cells are (rows, columns). Pixels are counted from the upper
        left corner of the cells; those beside them are empty.
        """
        wide, high = self._size
        framed = np.zeros((tiles.shape[0] + 2, tiles.shape[1] + 2), np.intp)
        framed[1:-1, 1:-1] = tiles * (wide * high)
        across = (columns // wide + 1).clip(0, framed.shape[1] - 1)
        down = (rows // high + 1).clip(0, framed.shape[0] - 1)
        values = np.empty((len(rows), len(columns)), np.uint32)
        band = max(_BAND // len(columns), 1)
        for start in range(0, len(rows), band):
            part = slice(start, start + band)
            places = framed.take(down[part], axis=0).take(across, axis=1)
            places += (rows[part] % high * wide)[:, None]
            places += columns % wide
            self._pixels.ravel().take(places, out=values[part], mode="clip")
        return pygame.image.frombuffer(values.data, (len(columns), len(rows)), "BGRA")


def bricks(grid: Grid, x: Floats, y: Floats) -> tuple[Ints, Ints]:
    """Return cells of staggered and hexagonal maps, as if they were bricks."""
    lattice, order = grid.lattice, grid.order
    assert lattice is not None
    across, down = x / max(lattice.dx, 1), y / max(lattice.dy, 1)
    if order.stagger == "columns":
        columns = np.floor(across).astype(np.int64)
        return columns, np.floor((down - order.shift_of(columns)) / 2).astype(np.int64)
    rows = np.floor(down).astype(np.int64)
    return np.floor((across - order.shift_of(rows)) / 2).astype(np.int64), rows


def distinct_in(values: Raw) -> tuple[list[int], Numbers]:
    """Return the distinct numbers of an array, and the place of each element among them."""
    highest = int(values.max(initial=0))
    if highest >= _TABLE:
        kinds, which = np.unique(values, return_inverse=True)
        return kinds.tolist(), which.reshape(values.shape)
    table = np.zeros(highest + 1, np.intp)
    table[values] = 1
    found = np.flatnonzero(table)
    table[found] = np.arange(len(found))
    return found.tolist(), table[values]

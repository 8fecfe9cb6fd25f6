"""The pixels of tiles beside each other, to pick a picture at any scale out of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pygame
from numpy.typing import NDArray

from tilequad.draw.pygame.surfaces import Ints

__all__ = ["TileSheet", "distinct_in"]

Numbers = NDArray[np.intp]
Raw = NDArray[np.uint32]

_MOST_PIXELS = 1 << 24  # of a sheet; 64 MiB
_BAND = 1 << 15  # pixels to pick at a time, which fit into a cache
_TABLE = 1 << 16  # distinct values up to this are found by a table


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

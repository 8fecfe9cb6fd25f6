"""The blocks that a camera's picture is put together from, at one zoom."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, log2

import pygame

from tilequad.draw.pygame.layer_group import CHUNK, Chunk, Key, LayerGroup, Place
from tilequad.draw.pygame.surfaces import Ints, picked, repeated

__all__ = ["Blocks"]

_OWN_SCALE = 0.5  # the largest zoom at which chunks are painted for that zoom alone


class Blocks:
    """The blocks of chunks at one zoom; each is drawn as a whole.

    Down to half the size, chunks of scale 1 serve all zooms, so that a camera may zoom
    continuously. Below that they would take too much memory, and each zoom paints its own. Lines
    have the same width at any zoom, and letters are sharp, so they are painted for each zoom. A
    chunk is enlarged in parts, because as a whole it could be larger than the memory.

    Args:
        zoom: Pixels of the screen for each world unit.
        has_lines: Whether the group has lines, which do not scale with the zoom.

    Attributes:
        scale: The scale of the chunks.
        side: Pixels of the chunk, along each side of a block.
    """

    def __init__(self, zoom: float, has_lines: bool) -> None:
        self.scale = zoom if has_lines or zoom <= _OWN_SCALE else 1.0
        self._ratio = zoom / self.scale  # pixels of the screen for each pixel of a chunk
        self.side = max(1, CHUNK >> max(0, ceil(log2(self._ratio))))
        self._picks: dict[int, Ints] = {}

    def start(self, number: int) -> int:
        """Return the first pixel of a column or row of blocks, from the origin of the world."""
        return floor(number * self.side * self._ratio + 0.5)

    def number(self, pixel: int) -> int:
        """Return the column or row of blocks that covers a pixel."""
        found = floor((pixel + 0.5) / (self.side * self._ratio))
        while self.start(found) > pixel:
            found -= 1
        while self.start(found + 1) <= pixel:
            found += 1
        return found

    def chunk_at(self, pixel: int) -> int:
        """Return the column or row of chunks that covers a pixel."""
        return self.number(pixel) // (CHUNK // self.side)

    def chunk_start(self, number: int) -> int:
        """Return the first pixel of a column or row of chunks."""
        return self.start(number * (CHUNK // self.side))

    def area(self, place: Place) -> pygame.Rect:
        """Return the pixels that a block covers, from the origin of the world."""
        left, top = map(self.start, place)
        right, bottom = self.start(place[0] + 1), self.start(place[1] + 1)
        return pygame.Rect(left, top, right - left, bottom - top)

    def around(self, area: pygame.Rect) -> list[Place]:
        """Return all blocks that overlap some pixels."""
        columns = range(self.number(area.left), self.number(area.right - 1) + 1)
        rows = range(self.number(area.top), self.number(area.bottom - 1) + 1)
        return [(column, row) for row in rows for column in columns]

    def keys_ahead(self, area: pygame.Rect, step: tuple[int, int]) -> set[Key]:
        """Return the chunks that overlap some pixels, and those next to them on the way.

        Args:
            area: The pixels, from the origin of the world.
            step: Where they are going, across and down.
        """
        dx, dy = step
        columns = range(
            self.chunk_at(area.left) - (dx < 0), self.chunk_at(area.right - 1) + 1 + (dx > 0)
        )
        rows = range(
            self.chunk_at(area.top) - (dy < 0), self.chunk_at(area.bottom - 1) + 1 + (dy > 0)
        )
        return {(self.scale, column, row) for column in columns for row in rows}

    def chunks(self, places: Iterable[Place]) -> set[Place]:
        """Return the columns and rows of the chunks that hold blocks."""
        per_chunk = CHUNK // self.side
        return {(column // per_chunk, row // per_chunk) for column, row in places}

    def chunk(self, group: LayerGroup, place: Place) -> Chunk:
        """Return the chunk that holds a block."""
        per_chunk = CHUNK // self.side
        return group.chunk(self.scale, place[0] // per_chunk, place[1] // per_chunk)

    def cut(self, chunk: pygame.Surface, place: Place) -> pygame.Surface:
        """Return a block of a chunk, in the size at which it is drawn."""
        if self._ratio == 1:
            return chunk
        scaled = repeated(chunk, *map(self._picked, place))
        scaled.set_alpha(None)
        return scaled

    def _picked(self, number: int) -> Ints:
        """Return the columns or rows of the chunk that a block shows, picked as in `render`."""
        if number not in self._picks:
            pixels = picked(range(self.start(number), self.start(number + 1)), self._ratio)
            first = number * self.side
            self._picks[number] = pixels.clip(first, first + self.side - 1) % CHUNK
        return self._picks[number]

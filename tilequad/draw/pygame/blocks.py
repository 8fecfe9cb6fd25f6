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
        grain: Pixels of the screen along each side of one of the chunk, if that is a whole number;
            else 1. Parts whose sides are multiples of it are drawn faster.
    """

    def __init__(self, zoom: float, has_lines: bool) -> None:
        self.scale = zoom if has_lines or zoom <= _OWN_SCALE else 1.0
        self._ratio = zoom / self.scale  # pixels of the screen for each pixel of a chunk
        self.side = max(1, CHUNK >> max(0, ceil(log2(self._ratio))))
        self.grain = int(self._ratio) if self._ratio.is_integer() else 1
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

    def solid(self, place: Place, chunk: Chunk) -> pygame.Rect | None:
        """Return the opaque pixels of a block, from the origin of the world, as `Chunk.solid`."""
        if chunk.solid is None:
            return None
        x, y = (number * self.side % CHUNK for number in place)
        part = chunk.solid.clip((x, y, self.side, self.side))
        if part.size == (0, 0):
            return part
        area = self.area(place)
        if part.size == (self.side, self.side):
            return area
        columns, rows = map(self._picked, place)
        left, right = columns.searchsorted((part.left, part.right)).tolist()
        top, bottom = rows.searchsorted((part.top, part.bottom)).tolist()
        return pygame.Rect(area.x + left, area.y + top, right - left, bottom - top)

    def draw(
        self,
        target: pygame.Surface,
        corner: tuple[int, int],
        chunk: pygame.Surface,
        place: Place,
        part: pygame.Rect,
    ) -> None:
        """Copy a part of a block onto a surface, in the size at which it is drawn.

        Args:
            target: The surface.
            corner: Where the part goes on it.
            chunk: The picture of the chunk.
            place: Which block of it.
            part: Pixels of the block, from the origin of the world.
        """
        block = self.area(place)
        inner = part.move(-block.x, -block.y)
        if self._ratio == 1:
            target.blit(chunk, corner, inner)
        elif not any(number % self.grain for number in inner) and self.grain > 1:
            # a third of the time of what follows
            x, y = (number * self.side % CHUNK for number in place)
            left, top, width, height = (number // self.grain for number in inner)
            source = chunk.subsurface((x + left, y + top, width, height))
            pygame.transform.scale(source, part.size, target.subsurface((corner, part.size)))
        else:
            columns, rows = map(self._picked, place)
            piece = repeated(
                chunk, columns[inner.left : inner.right], rows[inner.top : inner.bottom]
            )
            piece.set_alpha(None)
            target.blit(piece, corner)

    def _picked(self, number: int) -> Ints:
        """Return the columns or rows of the chunk that a block shows, picked as in `render`."""
        if number not in self._picks:
            pixels = picked(range(self.start(number), self.start(number + 1)), self._ratio)
            first = number * self.side
            self._picks[number] = pixels.clip(first, first + self.side - 1) % CHUNK
        return self._picks[number]

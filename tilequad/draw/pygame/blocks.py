"""The blocks that a camera's picture is put together from, at one zoom."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor, log2

import pygame

from tilequad.draw.pygame.layer_group import CHUNK, Chunk, Key, Place
from tilequad.draw.pygame.surfaces import Ints, picked, repeated

__all__ = ["Blocks", "Span"]

_OWN_SCALE = 0.5  # the largest zoom at which chunks are painted for that zoom alone

Span = tuple[range, range]  # columns and rows


class Blocks:
    """The blocks of chunks at one zoom; each is drawn as a whole, and is no larger than a chunk.

    Down to half the size, chunks of scale 1 serve all zooms, so that a camera may zoom
    continuously. Below that they would take too much memory, and each zoom paints its own. Lines
    have the same width at any zoom, and letters are sharp, so they are painted for each zoom. A
    chunk is enlarged in parts, because as a whole it could be larger than the memory.

    Args:
        zoom: Pixels of the screen for each world unit.
        has_lines: Whether the group has lines, which do not scale with the zoom.

    Attributes:
        scale: The scale of the chunks.
        ratio: Pixels of the screen for each pixel of a chunk.
    """

    def __init__(self, zoom: float, has_lines: bool) -> None:
        self.scale = zoom if has_lines or zoom <= _OWN_SCALE else 1.0
        self.ratio = zoom / self.scale
        self._per_chunk = 1 << max(0, ceil(log2(self.ratio)))  # blocks along a side of a chunk
        self._side = CHUNK / self._per_chunk  # pixels of the chunk; below 1 where they are large
        self._shown_side = self._side * self.ratio  # pixels of the screen
        # Pixels of the screen for one of the chunk, if a whole number: such parts are drawn faster
        self._grain = int(self.ratio) if self.ratio.is_integer() else 0
        self._picks: dict[int, Ints] = {}

    def start(self, number: int) -> int:
        """Return the first pixel of a column or row of blocks, from the origin of the world."""
        return floor(number * self._shown_side + 0.5)

    def _number(self, pixel: int) -> int:
        """Return the column or row of blocks that covers a pixel."""
        side, end = self._shown_side, pixel + 0.5
        found = floor(end / side)
        while found * side >= end:  # `start` rounds it to a pixel farther on
            found -= 1
        while (found + 1) * side < end:
            found += 1
        return found

    def span(self, area: pygame.Rect) -> Span:
        """Return the columns and rows of all blocks that overlap some pixels."""
        return (
            range(self._number(area.left), self._number(area.right - 1) + 1),
            range(self._number(area.top), self._number(area.bottom - 1) + 1),
        )

    def around(self, area: pygame.Rect) -> list[Place]:
        """Return all blocks that overlap some pixels, row by row."""
        columns, rows = self.span(area)
        return [(column, row) for row in rows for column in columns]

    def area(self, place: Place) -> pygame.Rect:
        """Return the pixels that a block covers, from the origin of the world."""
        left, top = map(self.start, place)
        right, bottom = self.start(place[0] + 1), self.start(place[1] + 1)
        return pygame.Rect(left, top, right - left, bottom - top)

    def source(self, place: Place) -> pygame.Rect:
        """Return the pixels of its chunk that a block shows."""
        x, y = (floor(number % self._per_chunk * self._side) for number in place)
        side = max(int(self._side), 1)
        return pygame.Rect(x, y, side, side)

    def key(self, place: Place) -> Key:
        """Return the key of the chunk that holds a block."""
        return self.scale, place[0] // self._per_chunk, place[1] // self._per_chunk

    def keys(self, places: Iterable[Place]) -> set[Key]:
        """Return the keys of the chunks that hold blocks."""
        return set(map(self.key, places))

    def solid(self, place: Place, chunk: Chunk) -> pygame.Rect | None:
        """Return the opaque pixels of a block, from the origin of the world, as `Chunk.solid`."""
        if chunk.solid is None:
            return None
        part = chunk.solid.clip(self.source(place))
        if part.size == (0, 0):
            return part
        return self.shown(place, part)

    def shown(self, place: Place, part: pygame.Rect) -> pygame.Rect:
        """Return the pixels, from the origin of the world, that show a part of a block's chunk."""
        area = self.area(place)
        if part == self.source(place):
            return area
        columns, rows = map(self._picked, place)
        left, right = columns.searchsorted((part.left, part.right)).tolist()
        top, bottom = rows.searchsorted((part.top, part.bottom)).tolist()
        return pygame.Rect(area.x + left, area.y + top, right - left, bottom - top)

    def draw(
        self, target: pygame.Surface, chunk: pygame.Surface, place: Place, part: pygame.Rect
    ) -> None:
        """Copy a part of a block, in pixels from the world's origin, onto a surface as large."""
        block, source = self.area(place), self.source(place)
        inner = part.move(-block.x, -block.y)
        if self.ratio == 1:
            target.blit(chunk, (0, 0), inner)
        elif self._grain and not any(number % self._grain for number in inner):
            # a third of the time of what follows
            left, top, width, height = (number // self._grain for number in inner)
            shown = chunk.subsurface((source.x + left, source.y + top, width, height))
            pygame.transform.scale(shown, part.size, target)
        else:
            piece = self.piece(chunk, place, part)
            piece.set_alpha(None)
            target.blit(piece, (0, 0))

    def piece(self, chunk: pygame.Surface, place: Place, part: pygame.Rect) -> pygame.Surface:
        """Return a part of a block as a surface with alpha, see `draw`."""
        inner = part.move(-self.start(place[0]), -self.start(place[1]))
        columns, rows = map(self._picked, place)
        return repeated(chunk, columns[inner.left : inner.right], rows[inner.top : inner.bottom])

    def _picked(self, number: int) -> Ints:
        """Return the columns or rows of the chunk that a block shows, picked as in `render`."""
        if number not in self._picks:
            pixels = picked(range(self.start(number), self.start(number + 1)), self.ratio)
            first = floor(number * self._side)
            last = first + max(int(self._side), 1) - 1
            self._picks[number] = pixels.clip(first, last) % CHUNK
        return self._picks[number]

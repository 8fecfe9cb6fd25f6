"""Paint chunks before a moving camera needs them, so that no frame has to paint much."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import pygame

from tilequad.draw.pygame.blocks import Blocks
from tilequad.draw.pygame.layer_group import CHUNK, LayerGroup, Place

__all__ = ["Held", "Lookahead", "pace"]


class Held(NamedTuple):
    """What a camera's picture holds, in pixels from the origin of the world."""

    area: pygame.Rect  #: moves when the view leaves it
    margin: int  #: how far beyond the view it then reaches


class Lookahead:
    """Finds the chunks that come next if the camera goes on as in the last frame.

    A chunk is due when the picture moves on to it. A frame takes as many steps of painting as each
    needs to be there in time: mostly one, unless the camera crosses a chunk in a few frames. After
    a jump nothing is known, so nothing is painted ahead.

    Args:
        group: The group that the camera sees.

    Attributes:
        step: Pixels a frame across and down, in the last frame in which the camera moved.
    """

    def __init__(self, group: LayerGroup) -> None:
        self._group = group
        self._zoom = 0.0
        self._view = pygame.Rect(0, 0, 0, 0)
        self.step = 0, 0
        self._region: object = None
        self._places: list[Place] = []  # which of its chunks were missing

    def follow(self, view: pygame.Rect, zoom: float) -> None:
        """Remember how the camera moves."""
        step = view.x - self._view.x, view.y - self._view.y
        if zoom != self._zoom or view.size != self._view.size or max(map(abs, step)) > CHUNK:
            self.step = 0, 0
        elif step != (0, 0):
            self.step = step
        self._view, self._zoom = view, zoom

    def missing(self, blocks: Blocks, held: Held) -> list[tuple[float, Place, int]]:
        """Return the chunks that are not painted yet.

        Args:
            blocks: The blocks of the group at this zoom.
            held: What the picture holds.

        Returns:
            Of each, in how many frames it is due, its place, and about how many steps it takes.
        """
        if self.step == (0, 0):
            return []
        area, view, (dx, dy) = held.area, self._view, self.step
        region = blocks.scale, *area, dx > 0, dx < 0, dy > 0, dy < 0, self._group.version
        scale, group = blocks.scale, self._group
        if region == self._region:
            self._places = [place for place in self._places if not group.has(scale, *place)]
            if not self._places:
                return []
        columns = _due(blocks, area.left, area.right, view.left, view.right, held.margin, dx)
        rows = _due(blocks, area.top, area.bottom, view.top, view.bottom, held.margin, dy)
        if region != self._region:
            self._region = region
            self._places = [
                (column, row)
                for column, row in product(columns, rows)
                if (columns[column] or rows[row]) and not group.has(scale, column, row)
            ]
        return [
            (max(columns[place[0]], rows[place[1]]), place, group.steps_left(scale, place))
            for place in self._places
        ]


def pace(due: Sequence[float]) -> float:
    """Return how many steps a frame must take, so that none is late.

    Args:
        due: In how many frames each is due, ascending.
    """
    return max(number / max(frames, 1.0) for number, frames in enumerate(due, 1))


def _due(
    blocks: Blocks, start: int, end: int, first: int, last: int, margin: int, step: int
) -> dict[int, float]:
    """Return the columns or rows of chunks that are held or come next, and when they are due.

    Args:
        blocks: The blocks.
        start: Where the picture starts.
        end: Where it ends.
        first: Where the view starts.
        last: Where it ends.
        margin: How far beyond the view the picture reaches when it has moved.
        step: How far the view moves in a frame.

    Returns:
        By column or row the number of frames; 0 for what is held. Of those that come, the next one.
    """
    low, high = blocks.chunk_at(start), blocks.chunk_at(end - 1)
    due = dict.fromkeys(range(low, high + 1), 0.0)
    if step > 0:
        away = blocks.chunk_start(high + 1) - last - margin
        due[high + 1] = max(end - last, away, 1) / step
    elif step < 0:
        away = first - margin - blocks.chunk_start(low)
        due[low - 1] = max(first - start, away, 1) / -step
    return due

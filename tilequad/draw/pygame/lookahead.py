"""Find what a moving camera needs next, so that no frame has to paint much."""

from __future__ import annotations

from collections.abc import Callable

import pygame

from tilequad.draw.pygame.blocks import Blocks
from tilequad.draw.pygame.layer_group import CHUNK, Place

__all__ = ["MARGIN", "Lookahead", "pace"]

MARGIN = 40  # pixels around a view whose blocks should be there, for a camera that turns


class Lookahead:
    """Finds the blocks that come next if the camera goes on as in the last frame, or turns.

    After a jump nothing is known, so nothing is made ahead.
    """

    def __init__(self) -> None:
        self._zoom = 0.0
        self._view = pygame.Rect(0, 0, 0, 0)
        self._step = 0, 0  # pixels across and down, in the last frame in which the camera moved
        self._region: object = None
        self._near = pygame.Rect(0, 0, 0, 0)  # where the view comes near to no other blocks
        self._places: set[Place] = set()  # the blocks that are missing

    def follow(self, view: pygame.Rect, zoom: float) -> None:
        """Remember how the camera moves."""
        step = view.x - self._view.x, view.y - self._view.y
        if zoom != self._zoom or view.size != self._view.size or max(map(abs, step)) > CHUNK:
            self._step = 0, 0
        elif step != (0, 0):
            self._step = step
        self._view, self._zoom = view, zoom

    @property
    def area(self) -> pygame.Rect:
        """The pixels whose blocks should be there: around the view, and on its way."""
        (dx, dy), view = self._step, self._view
        left, right = view.left - reach(-dx), view.right + reach(dx)
        top, bottom = view.top - reach(-dy), view.bottom + reach(dy)
        return pygame.Rect(left, top, right - left, bottom - top)

    def missing(
        self, blocks: Blocks, version: tuple[int, int], has: Callable[[Place], bool]
    ) -> list[tuple[float, Place]]:
        """Return the blocks that should be there and are not: in how many frames each is due.

        The version changes whenever blocks may look different. `has` is asked when the camera comes
        near to others; for blocks that are made meanwhile, call `drop`.
        """
        (dx, dy), view = self._step, self._view
        if not dx and not dy:
            return []
        region = blocks, version, view.size, dx > 0, dx < 0, dy > 0, dy < 0
        if region != self._region or not self._near.collidepoint(view.topleft):
            area = self.area
            self._region, self._near = region, blocks.leeway(area)
            self._near.move_ip(view.x - area.x, view.y - area.y)
            self._places = {place for place in blocks.around(area) if not has(place)}
        if not self._places:
            return []
        fastest, start = max(abs(dx), abs(dy)), blocks.start
        across = {
            column: due(start(column), start(column + 1), view.left, view.right, dx, fastest)
            for column in {column for column, _ in self._places}
        }
        down = {
            row: due(start(row), start(row + 1), view.top, view.bottom, dy, fastest)
            for row in {row for _, row in self._places}
        }
        return [(max(across[column], down[row]), (column, row)) for column, row in self._places]

    def drop(self, place: Place) -> None:
        """Take note that a block is there."""
        self._places.discard(place)


def due(start: int, end: int, first: int, last: int, step: int, fastest: int) -> float:
    """Return in how many frames a view reaches a block along an axis; at the earliest if it turns.

    The block is from `start` to `end`, the view from `first` to `last`. It moves by a step in a
    frame, after a turn by the fastest.
    """
    ahead = (start - last + 1) / (step if step > 0 else fastest)
    behind = (first - end + 1) / (-step if step < 0 else fastest)
    return max(ahead, behind, 0.0)


def reach(step: int) -> int:
    """Return how far ahead to look on a side where a camera goes some pixels in a frame."""
    return CHUNK if step > 0 else MARGIN


def pace(work: list[tuple[float, int]]) -> float:
    """Return how many steps a frame must take, so that nothing is late.

    Given are in how many frames each thing is due, ascending, and how many steps it takes.
    """
    most, total = 0.0, 0
    for frames, steps in work:
        total += steps
        most = max(most, total / max(frames, 1.0))
    return most

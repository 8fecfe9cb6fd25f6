"""The blocks of a picture with holes, put on the target one by one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pygame

from tilequad.draw.pygame.layer_group import Place
from tilequad.draw.pygame.surfaces import nbytes_of

__all__ = ["LooseBlocks"]

_PACKED = 1  # the most blocks packed in a frame; it takes a tenth of a millisecond
_SHORTEST = 8  # pixels; with shorter runs, SDL draws a packed block slower than the plain one


class _Block(NamedTuple):
    """The picture of a block."""

    surface: pygame.Surface
    area: pygame.Rect  #: in pixels from the origin of the world
    is_done: bool  #: packed, or better not packed


class LooseBlocks:
    """The blocks of a layer above the units: some tiles, and much that is empty.

    To blend a picture as large as the screen takes longer than all else in a frame, although most
    of it changes nothing. So blocks without a tile are left out, and the others are packed: SDL
    then jumps over what is empty, and copies the rest in runs.
    """

    def __init__(self) -> None:
        self._blocks: dict[Place, _Block] = {}

    @property
    def nbytes(self) -> int:
        """The memory of the blocks before they are packed, in bytes."""
        return sum(nbytes_of(block.surface) for block in self._blocks.values())

    def put(self, place: Place, area: pygame.Rect, surface: pygame.Surface | None) -> None:
        """Show a block from now on.

        Args:
            place: Which block it is.
            area: Its pixels, from the origin of the world.
            surface: Its picture, kept; None if nothing is there.
        """
        if surface is None:
            self._blocks.pop(place, None)
        else:
            self._blocks[place] = _Block(surface, area, False)

    def keep(self, places: set[Place]) -> None:
        """Forget all other blocks."""
        self._blocks = {place: at for place, at in self._blocks.items() if place in places}

    def draw(self, target: pygame.Surface, view: pygame.Rect) -> None:
        """Draw the blocks that a camera sees.

        Args:
            target: The surface.
            view: Its pixels, from the origin of the world.
        """
        seen = [place for place, block in self._blocks.items() if view.colliderect(block.area)]
        if target.get_masks()[3] == 0 and target.get_bytesize() == 4:  # only to such SDL unpacks
            plain = [place for place in seen if not self._blocks[place].is_done]
            for place in plain[:_PACKED]:
                self._blocks[place] = packed(self._blocks[place])
        for place in seen:
            surface, area, _ = self._blocks[place]
            target.blit(surface, (area.x - view.x, area.y - view.y))


def packed(block: _Block) -> _Block:
    """Pack a block as runs of pixels, if that looks the same and is faster to draw."""
    alpha = pygame.surfarray.pixels2d(block.surface).T >> 24  # in the upper 8 bits
    ends = np.count_nonzero(alpha[:, 1:] != alpha[:, :-1]) + len(alpha)
    half = np.count_nonzero((alpha > 0) & (alpha < 255))  # which SDL rounds differently
    if not half and alpha.size >= _SHORTEST * ends:
        block.surface.set_alpha(255, pygame.RLEACCEL)
    return block._replace(is_done=True)

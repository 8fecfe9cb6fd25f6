"""A camera's view of a group of layers, as surfaces kept from frame to frame."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import pygame

from tilequad.draw.pygame.blocks import Blocks
from tilequad.draw.pygame.layer_group import LayerGroup, Place
from tilequad.draw.pygame.lookahead import MARGIN, Lookahead
from tilequad.draw.pygame.surfaces import (
    Blit,
    blank,
    blend_on,
    draw_all,
    is_packed,
    nbytes_of,
    pack,
    prepared,
    run_length,
    to_copy,
)

__all__ = ["SurfaceBuffer"]

_KEPT = 24  # chunks out of view, for a camera that comes back; 256 KiB each
_KEPT_PICTURES = 24  # blocks out of view
_SHORTEST = 8  # pixels; with shorter runs, SDL draws a packed block slower than the plain one


class _Look(NamedTuple):
    """What pictures depend on, besides the group."""

    zoom: float
    alpha: bool  # whether the target has an alpha channel
    packs: bool  # whether SDL draws packed surfaces on it


class _Picture(NamedTuple):
    """The picture of a block, or of the part of it that is opaque."""

    surface: pygame.Surface | None  # None if nothing is there
    corner: tuple[int, int]  # its place, in pixels from the origin of the world
    stamp: int  # of the chunk
    nbytes: int = 0  # its memory; 0 if it is that of the chunk
    packs: bool = False  # whether it is faster to draw as runs of pixels


class SurfaceBuffer:
    """Draws the blocks of a group, each from a picture of its own.

    A block that is opaque is copied; SDL does so at the speed of memory. Where something below
    shows through, SDL jumps over what is empty, and copies the rest in runs, if that looks the same
    and is faster. So a frame costs the pixels that change, and what a camera has seen need not be
    moved when it goes on.

    Args:
        group: The group.

    Attributes:
        busy: Whether the last frame did more than draw pictures.
    """

    def __init__(self, group: LayerGroup) -> None:
        self._group = group
        self._lookahead = Lookahead()
        self._look: _Look | None = None
        self._region: object = None  # what the shown pictures were gathered for
        self._version = -1
        self._pictures: dict[Place, _Picture] = {}  # up to date; least recently shown first
        self._shown: list[Blit] = []  # pictures and their corners, as in `_Picture`
        self._plain: list[Blit] = []  # those to be packed
        self.busy = False

    @property
    def nbytes(self) -> int:
        """The memory of the pictures besides the chunks, before they are packed, in bytes."""
        return sum(picture.nbytes for picture in self._pictures.values())

    def draw(self, target: pygame.Surface, zoom: float, left: int, top: int) -> None:
        """Draw the group.

        Args:
            target: The surface to draw on.
            zoom: Pixels for each world unit.
            left: The world pixel at the left edge of the target.
            top: The world pixel at the top edge of the target.
        """
        view = pygame.Rect(left, top, *target.get_size())
        self._lookahead.follow(view, zoom)
        alpha = target.get_masks()[3] != 0
        look = _Look(zoom, alpha, not alpha and target.get_bytesize() == 4)
        if look != self._look:
            self._look, self._pictures = look, {}
            self._blocks = Blocks(zoom, self._group.has_lines)
        region = look, self._group.version, self._blocks.span(view)
        self.busy = region != self._region
        if self.busy:
            self._region = region
            self._gather(view)
        if self._plain:
            self._pack_one(view)
        blits = [(surface, (x - left, y - top)) for surface, (x, y) in self._shown]
        if self._group.mode == "normal":
            draw_all(target, blits)
        else:
            for surface, corner in blits:
                blend_on(target, surface, corner, self._group.mode)

    def missing(self) -> list[tuple[float, Place, int]]:
        """Return the blocks that a moving camera needs next.

        Of each, in how many frames it is due, its place, and about how many steps it takes.
        """
        blocks, group = self._blocks, self._group
        found, begun = [], set()
        for frames, place in self._lookahead.missing(
            blocks, group.version, self._pictures.__contains__
        ):
            chunk, steps = blocks.chunk_of(place), 1
            if chunk not in begun and not group.has(blocks.scale, *chunk):
                begun.add(chunk)
                steps = group.steps_left(blocks.scale, chunk)
            found.append((frames, place, steps))
        return found

    def paint_ahead(self, place: Place, steps: int) -> None:
        """Take some steps toward the picture of a block that later frames need."""
        scale, chunk = self._blocks.scale, self._blocks.chunk_of(place)
        for _ in range(steps):
            if not self._group.has(scale, *chunk):
                self._group.prepare_step(scale, chunk)
            if self._group.has(scale, *chunk):
                self._pictures[place] = self._made(place)
                self._lookahead.drop(place)
                return

    def _gather(self, view: pygame.Rect) -> None:
        """Find the pictures of all blocks in view, and drop those that are far from it."""
        blocks, group = self._blocks, self._group
        if self._version != group.version:
            self._version = group.version
            self._pictures = {
                place: picture
                for place, picture in self._pictures.items()
                if self._is_current(place, picture.stamp)
            }
        places = blocks.around(view)
        if self._pictures.keys().isdisjoint(places):
            # dear in any case; then the frames that follow need not hurry
            places = blocks.around(view.inflate(2 * MARGIN, 2 * MARGIN))
        wanted = {*places, *blocks.around(self._lookahead.area)}
        group.forget({(blocks.scale, *chunk) for chunk in blocks.chunks(wanted)}, _KEPT)
        group.prepare(blocks.scale, blocks.chunks(set(places) - self._pictures.keys()))
        known = self._pictures
        for place in places:
            self._pictures[place] = known.pop(place) if place in known else self._made(place)
        far = [place for place in self._pictures if place not in wanted]
        for place in far[: max(len(far) - _KEPT_PICTURES, 0)]:
            del self._pictures[place]
        pictures = [self._pictures[place] for place in places]
        self._shown = [(one.surface, one.corner) for one in pictures if one.surface is not None]
        self._plain = [
            (one.surface, one.corner)
            for one in pictures
            if one.packs and one.surface is not None and not is_packed(one.surface)
        ]

    def _is_current(self, place: Place, stamp: int) -> bool:
        """Return whether a chunk looks as in a picture of one of its blocks."""
        blocks, group = self._blocks, self._group
        known = group.has(blocks.scale, *blocks.chunk_of(place))
        return known and blocks.chunk(group, place).stamp == stamp

    def _made(self, place: Place) -> _Picture:
        """Return a new picture of a block."""
        assert self._look is not None
        blocks, mode, alpha = self._blocks, self._group.mode, self._look.alpha
        chunk = blocks.chunk(self._group, place)
        solid = blocks.solid(place, chunk) if mode == "normal" else None
        part = blocks.area(place) if solid is None else solid
        if chunk.surface is None or not (part.width and part.height):
            return _Picture(None, part.topleft, chunk.stamp)
        if chunk.opaque and blocks.ratio == 1 and not alpha and solid is not None:
            return _Picture(chunk.surface, part.topleft, chunk.stamp)
        if solid is not None:
            surface = to_copy(part.size, alpha)
            blocks.draw(surface, chunk.surface, place, part)
            if alpha:
                pygame.surfarray.pixels_alpha(surface)[:] = 255
            return _Picture(surface, part.topleft, chunk.stamp, nbytes_of(surface))
        length = run_length(chunk.surface.subsurface(blocks.source(place)))
        if length == inf:
            return _Picture(None, part.topleft, chunk.stamp)
        surface = blank(part.size)
        blocks.draw(surface, chunk.surface, place, part)
        packs = self._look.packs and mode == "normal" and length * blocks.ratio >= _SHORTEST
        surface = prepared(surface, mode)
        return _Picture(surface, part.topleft, chunk.stamp, nbytes_of(surface), packs)

    def _pack_one(self, view: pygame.Rect) -> None:
        """Pack a picture in view as runs of pixels; SDL does so when it draws it next."""
        for number, (surface, corner) in enumerate(self._plain):
            if view.colliderect(surface.get_rect(topleft=corner)):
                pack(surface)
                del self._plain[number]
                return

"""A camera's view of a group of layers, as surfaces kept from frame to frame, and made ahead."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import partial
from math import ceil
from typing import NamedTuple

import pygame

from tilequad.draw.pygame.blocks import Blocks, Span
from tilequad.draw.pygame.layer_group import CHUNK, Chunk, LayerGroup, Place
from tilequad.draw.pygame.surfaces import (
    Blit,
    SpareSurfaces,
    blank,
    blend_on,
    draw_all,
    filled,
    is_packed,
    nbytes_of,
    prepared,
    to_copy,
)

__all__ = ["Lookahead", "SurfaceBuffer", "paint_ahead"]

MARGIN = 40  # pixels around a view whose blocks should be there, for a camera that turns
_KEPT = 24  # chunks out of view, for a camera that comes back; 256 KiB each
_KEPT_BYTES = 24 << 18  # of pictures out of view
_LEAST_BYTES = 1 << 16  # that each counts
_SPARE = 8  # how many more there may be before some are dropped
_SHORTEST = 8  # pixels; with shorter runs, SDL draws a packed block slower than the plain one


class Lookahead:
    """Finds the blocks that come next if the camera goes on as in the last frame, or turns.

    After a jump nothing is known, so nothing is made ahead.

    Attributes:
        complete: Columns and rows of which no block was missing, so that most frames need not ask;
            to be None again when one is dropped.
    """

    def __init__(self) -> None:
        self._zoom = 0.0
        self._view = pygame.Rect(0, 0, 0, 0)
        self._step = 0, 0  # pixels across and down, in the last frame in which the camera moved
        self.complete: Span | None = None

    def follow(self, view: pygame.Rect, zoom: float) -> None:
        """Remember how the camera moves."""
        if view == self._view and zoom == self._zoom:
            return
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
        left = view.left - (CHUNK if dx < 0 else MARGIN)
        right = view.right + (CHUNK if dx > 0 else MARGIN)
        top = view.top - (CHUNK if dy < 0 else MARGIN)
        bottom = view.bottom + (CHUNK if dy > 0 else MARGIN)
        return pygame.Rect(left, top, right - left, bottom - top)

    def missing(self, blocks: Blocks, has: Container[Place]) -> list[tuple[float, Place]]:
        """Return the blocks that should be there and are not: in how many frames each is due."""
        (dx, dy), view = self._step, self._view
        if not dx and not dy:
            return []
        area = self.area
        span = blocks.span(area)
        if span == self.complete:
            return []
        places = [place for place in blocks.around(area) if place not in has]
        if not places:
            self.complete = span
            return []
        fastest, start = max(abs(dx), abs(dy)), blocks.start
        across = {
            column: due(start(column), start(column + 1), view.left, view.right, dx, fastest)
            for column in {column for column, _ in places}
        }
        down = {
            row: due(start(row), start(row + 1), view.top, view.bottom, dy, fastest)
            for row in {row for _, row in places}
        }
        return [(max(across[column], down[row]), (column, row)) for column, row in places]


def due(start: int, end: int, first: int, last: int, step: int, fastest: int) -> float:
    """Return in how many frames a view reaches a block along an axis; at the earliest if it turns.

    The block is from `start` to `end`, the view from `first` to `last`. It moves by a step in a
    frame, after a turn by the fastest.
    """
    ahead = (start - last + 1) / (step if step > 0 else fastest)
    behind = (first - end + 1) / (-step if step < 0 else fastest)
    return max(ahead, behind, 0.0)


class _Look(NamedTuple):
    """What pictures depend on, besides the group."""

    zoom: float
    has_lines: bool  # see `LayerGroup`
    alpha: bool  # whether the target has an alpha channel
    packs: bool  # whether SDL draws packed surfaces on it


class _Picture(NamedTuple):
    """The picture of a block, or of the part of it that is opaque."""

    surface: pygame.Surface | None  # None if nothing is there
    corner: tuple[int, int]  # its place, in pixels from the origin of the world
    stamp: int  # of the chunk
    still_stamp: int  # of the chunk
    moving: pygame.Rect  # what surrounds its animated tiles, from the origin of the world
    nbytes: int = 0  # its memory; 0 if it is that of the chunk
    packs: bool = False  # whether it is faster to draw as runs of pixels

    @property
    def is_copy(self) -> bool:
        """Whether it is a copy of what is opaque."""
        return self.nbytes > 0 and self.surface is not None and not self.surface.get_masks()[3]


class SurfaceBuffer:
    """Draws the blocks of a group, each from a picture of its own.

    A block that is opaque is copied; SDL does so at the speed of memory. Where something below
    shows through, SDL jumps over what is empty, and copies the rest in runs, if that looks the same
    and is faster. So a frame costs the pixels that change, and what a camera has seen need not be
    moved when it goes on.

    Attributes:
        busy: Whether the last frame did more than draw pictures.
    """

    def __init__(self, group: LayerGroup) -> None:
        self._group = group
        self._lookahead = Lookahead()
        self._look = _Look(0.0, False, False, False)  # none yet
        self._region: object = None  # what the shown pictures were gathered for
        self._version = -1, -1  # what of the group they show
        self._pictures: dict[Place, _Picture] = {}  # up to date; least recently shown first
        self._most = 0  # how many of them there may be until some are dropped
        self._shown: list[Blit] = []  # pictures and their corners, as in `_Picture`
        self._plain: list[Blit] = []  # those to be packed
        self.busy = False

    @property
    def nbytes(self) -> int:
        """The memory of the pictures besides the chunks, before they are packed, in bytes."""
        return sum(picture.nbytes for picture in self._pictures.values())

    def draw(self, target: pygame.Surface, zoom: float, left: int, top: int) -> None:
        """Draw the group on a surface whose corner is a pixel of the world at this zoom."""
        view = pygame.Rect(left, top, *target.get_size())
        self._lookahead.follow(view, zoom)
        alpha = target.get_masks()[3] != 0
        has_lines = self._group.has_lines
        look = _Look(zoom, has_lines, alpha, not alpha and target.get_bytesize() == 4)
        if look != self._look:
            zooms = self._look.zoom != 0 and look.packs and self._group.mode == "normal"
            self._look, self._pictures, self._region, self._most = look, {}, None, 0
            self._lookahead.complete = None
            self._spare = SpareSurfaces(partial(to_copy, alpha=alpha))
            self._blocks = Blocks(zoom, has_lines)
            if zooms:
                self._draw_once(target, view)
                return
        region = self._group.version, self._group.frame, self._blocks.span(view)
        self.busy = region != self._region
        if self.busy:
            self._gather(view)
            self._region = region
        if self._plain:
            self._pack_one(view)
        blits = [(surface, (x - left, y - top)) for surface, (x, y) in self._shown]
        if self._group.mode == "normal":
            draw_all(target, blits)
        else:
            for surface, corner in blits:
                blend_on(target, surface, corner, self._group.mode)

    def _draw_once(self, target: pygame.Surface, view: pygame.Rect) -> None:
        """Draw the blocks in view without pictures of them, for a zoom that may not last."""
        blocks, group = self._blocks, self._group
        self.busy = True
        places = blocks.around(view)
        keys = blocks.keys(places)
        group.prepare(keys)
        group.forget(keys, _KEPT)
        for place in places:
            chunk = group.chunk(blocks.key(place))
            if chunk.surface is None:
                continue
            solid = blocks.solid(place, chunk)
            part = (blocks.area(place) if solid is None else solid).clip(view)
            if part:
                piece = blocks.piece(chunk.surface, place, part)
                if solid is not None:
                    piece.set_alpha(None)
                target.blit(piece, (part.x - view.x, part.y - view.y))

    def missing(self) -> list[tuple[float, Place, int]]:
        """Return the blocks that a moving camera needs next.

        Of each, in how many frames it is due, its place, and about how many steps it takes.
        """
        blocks, group = self._blocks, self._group
        found, begun = [], set()
        for frames, place in self._lookahead.missing(blocks, self._pictures):
            key, steps = blocks.key(place), 1
            if group.has(key):
                if self._is_free(group.chunk(key)):
                    self._pictures[place] = self._made(place)
                    continue
            elif key not in begun:
                begun.add(key)
                steps += group.steps_left(key)
            found.append((frames, place, steps))
        return found

    def paint_ahead(self, place: Place, steps: int) -> None:
        """Take some steps toward the picture of a block that later frames need."""
        key = self._blocks.key(place)
        for _ in range(steps):
            if self._group.has(key):
                self._pictures[place] = self._made(place)
                return
            self._group.prepare_step(key)

    def _gather(self, view: pygame.Rect) -> None:
        """Find the pictures of all blocks in view, and drop those that are far from it."""
        blocks, group = self._blocks, self._group
        if self._version != (group.version, group.frame):
            self._renew(view)
        places = blocks.around(view)
        if self._pictures.keys().isdisjoint(places):
            # dear in any case; then the frames that follow need not hurry
            places = blocks.around(view.inflate(2 * MARGIN, 2 * MARGIN))
        missing = set(places) - self._pictures.keys()
        if missing:
            group.prepare(blocks.keys(missing))
        for place in places:
            known = self._pictures.pop(place, None)
            self._pictures[place] = self._made(place) if known is None else known
        if len(self._pictures) > self._most:
            self._forget(places)
        pictures = [self._pictures[place] for place in places]
        self._shown = [(one.surface, one.corner) for one in pictures if one.surface is not None]
        self._plain = [
            (one.surface, one.corner)
            for one in pictures
            if one.packs and one.surface is not None and not is_packed(one.surface)
        ]

    def _forget(self, places: list[Place]) -> None:
        """Drop what is far from the blocks in view, but some of it that was in view."""
        blocks = self._blocks
        wanted = {*places, *blocks.around(self._lookahead.area)}
        self._group.forget(blocks.keys(wanted), _KEPT)
        room = _KEPT_BYTES
        for place in [place for place in reversed(self._pictures) if place not in wanted]:
            room -= max(nbytes_of(self._pictures[place].surface), _LEAST_BYTES)
            if room < 0:
                self._drop(place)
        self._most = len(self._pictures) + _SPARE

    def _drop(self, place: Place) -> None:
        """Forget a picture, and keep its surface for another one."""
        picture = self._pictures.pop(place)
        self._lookahead.complete = None
        if picture.is_copy and picture.surface is not None:
            self._spare.give(picture.surface)

    def _renew(self, view: pygame.Rect) -> None:
        """Bring the pictures up to date; drop those that must be made anew, or move out of view."""
        blocks, group, (version, frame) = self._blocks, self._group, self._version
        in_view = set(blocks.around(view))
        for place, picture in list(self._pictures.items()):
            key = blocks.key(place)
            if frame != group.frame and picture.moving:
                known = place in in_view and group.can_show(key)
            elif version != group.version:
                known = group.has(key)
            else:
                continue
            if known and self._follows(place, picture, group.chunk(key)):
                self._pictures[place] = picture._replace(stamp=group.chunk(key).stamp)
            else:
                self._drop(place)
        self._version = group.version, group.frame

    def _follows(self, place: Place, picture: _Picture, chunk: Chunk) -> bool:
        """Draw animated tiles on a picture anew; return whether it looks as its chunk now."""
        if picture.stamp == chunk.stamp:
            return True
        if picture.still_stamp != chunk.still_stamp:
            return False
        if not picture.moving:
            return True
        target, source = picture.surface, chunk.surface
        if not (chunk.opaque and picture.is_copy and target and source) or self._look.alpha:
            return False
        left, top = picture.corner
        target = target.subsurface(picture.moving.move(-left, -top))
        self._blocks.draw(target, source, place, picture.moving)
        return True

    def _made(self, place: Place) -> _Picture:
        """Return a new picture of a block."""
        blocks, mode, alpha = self._blocks, self._group.mode, self._look.alpha
        chunk = self._group.chunk(blocks.key(place))
        source = blocks.source(place)
        moving = chunk.moving.clip(source)
        if moving:
            moving = blocks.shown(place, moving)
        seal = chunk.stamp, chunk.still_stamp, moving
        solid = blocks.solid(place, chunk) if mode == "normal" else None
        part = blocks.area(place) if solid is None else solid
        if self._is_free(chunk) or chunk.surface is None or not part:
            return _Picture(chunk.surface if part else None, part.topleft, *seal)
        if solid is not None:
            surface = self._spare.take(part.size)
            blocks.draw(surface, chunk.surface, place, part)
            if alpha:
                pygame.surfarray.pixels_alpha(surface)[:] = 255
            return _Picture(surface, part.topleft, *seal, nbytes_of(surface))
        found, length = filled(chunk.surface.subsurface(source))
        part = blocks.shown(place, found.move(source.topleft))
        if not part:
            return _Picture(None, part.topleft, *seal)
        surface = blank(part.size)
        blocks.draw(surface, chunk.surface, place, part)
        packs = self._look.packs and mode == "normal" and length * blocks.ratio >= _SHORTEST
        surface = prepared(surface, mode)
        return _Picture(surface, part.topleft, *seal, nbytes_of(surface), packs)

    def _is_free(self, chunk: Chunk) -> bool:
        """Return whether the pictures of a chunk's blocks are its own, or empty."""
        is_copied = self._group.mode == "normal" and not self._look.alpha
        return chunk.surface is None or (chunk.opaque and is_copied and self._blocks.ratio == 1)

    def _pack_one(self, view: pygame.Rect) -> None:
        """Let SDL draw a picture in view as runs of pixels; it packs them when it draws it next."""
        for number, (surface, corner) in enumerate(self._plain):
            if view.colliderect(surface.get_rect(topleft=corner)):
                surface.set_alpha(255, pygame.RLEACCEL)
                del self._plain[number]
                return


def paint_ahead(buffers: Sequence[SurfaceBuffer], draw: int, period: int) -> None:
    """Paint some of what a moving camera needs next, most urgent first, for a choice of layers.

    These are drawn again after a period of draws. So many choices of layers are drawn in a frame,
    and they take turns.
    """
    missing = [
        (frames, number, place, steps)
        for number, buffer in enumerate(buffers)
        for frames, place, steps in buffer.missing()
    ]
    if not missing:
        return
    missing.sort()
    needed, total = 0.0, 0  # how many steps a frame must take, so that nothing is late
    for frames, _, _, steps in missing:
        total += steps
        needed = max(needed, total / max(frames, 1.0))
    if any(buffer.busy for buffer in buffers):
        left = int(needed)
    elif (draw + draw // period) % period:  # it is another's turn: wait until more is due
        left = int(needed + 1 - 1 / period)
    else:
        left = ceil(needed)
    for _, number, place, steps in missing:
        buffers[number].paint_ahead(place, min(steps, left))
        left -= min(steps, left)

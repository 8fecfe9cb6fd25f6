"""A camera's view of a group of layers, kept from frame to frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pygame

from tilequad.draw.pygame.blocks import Blocks
from tilequad.draw.pygame.layer_group import CHUNK, LayerGroup, Place
from tilequad.draw.pygame.lookahead import Held, Lookahead
from tilequad.draw.pygame.loose_blocks import LooseBlocks
from tilequad.draw.pygame.surfaces import blank, blend_on, joined, nbytes_of, prepared

__all__ = ["ScrollBuffer"]

_MARGIN = 40  # pixels drawn around the view, ahead of a moving camera
_BEHIND = 16  # pixels kept behind a moving camera
_KEPT = 24  # chunks out of view, for a camera that comes back; 256 KiB each
_SPARE = 4  # surfaces for the next chunks


class _Look(NamedTuple):
    """The state that a buffer depends on, besides the camera's position."""

    zoom: float
    size: tuple[int, int]
    alpha: bool  # whether the target has an alpha channel


class ScrollBuffer:
    """The picture of a group that a camera sees, with a margin around it.

    While the camera stays, it is copied as a whole. When the camera leaves the margin, the picture
    is scrolled, and what comes in at the edges is drawn from the chunks of the group. Where
    something below shows through, its blocks are drawn instead, see `LooseBlocks`.

    Args:
        group: The group.

    Attributes:
        busy: Whether the last frame did more than copy the picture.
    """

    def __init__(self, group: LayerGroup) -> None:
        self._group = group
        self._look: _Look | None = None
        self._version = -1
        self._area = pygame.Rect(0, 0, 0, 0)  # pixels from the origin of the world
        self._surface = blank((0, 0))
        self._solid: pygame.Rect | None = None  # what is opaque, if nothing is around that
        self._stamps: dict[Place, int] = {}
        self._loose: LooseBlocks | None = None  # instead of one picture
        self._prepared: pygame.Surface | None = None  # the picture, prepared for its blend mode
        self._lookahead = Lookahead(group)
        self.busy = False

    @property
    def nbytes(self) -> int:
        """The memory of the picture, in bytes."""
        if self._look is None:
            return 0
        if self._loose is not None:
            return self._loose.nbytes
        own = nbytes_of(self._surface)
        return own if self._prepared is self._surface else own + nbytes_of(self._prepared)

    def draw(self, target: pygame.Surface, zoom: float, left: int, top: int) -> None:
        """Draw the group.

        Args:
            target: The surface to draw on.
            zoom: Pixels for each world unit.
            left: The world pixel at the left edge of the target.
            top: The world pixel at the top edge of the target.
        """
        size = target.get_size()
        view = pygame.Rect(left, top, *size)
        look = _Look(zoom, size, bool(target.get_flags() & pygame.SRCALPHA))
        self._lookahead.follow(view, zoom)
        self.busy = True
        if look != self._look or not self._area.contains(view):
            self._move(view, look)
        elif self._version != self._group.version:
            self._update()
        else:
            self.busy = False
        if self._loose is not None:
            self._loose.draw(target, view)
            return
        if self._solid is not None:
            shown = view.clip(self._solid)
            place = shown.move(-self._area.x, -self._area.y)
            target.blit(self._surface, (shown.x - left, shown.y - top), place)
            return
        if self._prepared is None:
            self._prepared = prepared(self._surface, self._group.mode)
        blend_on(target, self._prepared, view.move(-self._area.x, -self._area.y), self._group.mode)

    def missing(self) -> list[tuple[float, Place, int]]:
        """Return the chunks that a moving camera needs next, see `Lookahead.missing`."""
        return self._lookahead.missing(self._blocks, Held(self._area, 2 * _MARGIN - _BEHIND))

    def paint_ahead(self, chunks: list[Place]) -> None:
        """Paint chunks for later frames, a step for each time that a chunk is named."""
        for place in chunks:
            if not self._group.has(self._blocks.scale, *place):
                self._group.prepare_step(self._blocks.scale, place)

    def _move(self, view: pygame.Rect, look: _Look) -> None:
        """Move the buffer so that it surrounds the view, with most of it ahead of the camera."""
        if look != self._look:
            self._look = look
            self._blocks = Blocks(look.zoom, self._group.has_lines)
            self._area = pygame.Rect(0, 0, 0, 0)
        area = self._around(view)
        if not self._area.colliderect(area):
            self._area = area
            self._redraw()
            return
        ahead = _MARGIN - _BEHIND
        right = _side_left(self._area.left, self._area.right, view.left, view.right) * ahead
        down = _side_left(self._area.top, self._area.bottom, view.top, view.bottom) * ahead
        area = self._around(view.move(right, down))
        kept = self._area.clip(area)
        strips = beside(kept, area)
        coming = [(place, strip) for strip in strips for place in self._blocks.around(strip)]
        self._prepare([place for place, _ in coming], area)
        if self._solid is None:
            solid = self._solid_in((place, area) for place in self._blocks.around(area))
        else:
            solid = self._solid_in(coming, self._solid.clip(kept))
        if (solid is None) != (self._solid is None):
            self._area = area
            self._redraw()
            return
        self._solid = solid
        if self._loose is None:
            self._surface.scroll(self._area.x - area.x, self._area.y - area.y)
        self._area = area
        for place, strip in coming:
            block = self._blocks.area(place).clip(area)
            fresh = place not in self._stamps or not self._is_stale(place)
            self._draw_block(place, block.clip(strip) if fresh else block)
        self._stamps = {place: self._stamps[place] for place in self._blocks.around(area)}
        if self._loose is not None:
            self._loose.keep(set(self._stamps))
        self._prepared = None
        self._update()

    def _around(self, view: pygame.Rect) -> pygame.Rect:
        """Return what the buffer around a view holds: whole pixels of the chunks."""
        grain = self._blocks.grain
        area = view.inflate(2 * _MARGIN, 2 * _MARGIN)
        left, top = area.left - area.left % grain, area.top - area.top % grain
        width, height = area.width + grain - 1, area.height + grain - 1
        # With rows of a multiple of 16 bytes, SDL is a third faster if the caches hold other data
        return pygame.Rect(left, top, width + -width % (4 * grain), height + -height % grain)

    def _is_stale(self, place: Place) -> bool:
        return self._blocks.chunk(self._group, place).stamp != self._stamps[place]

    def _update(self) -> None:
        """Redraw the changed parts of the group."""
        if self._version == self._group.version:
            return
        self._version = self._group.version
        self._prepared = None
        needed = self._needed()
        solid = self._solid_in((place, self._area) for place in needed)
        if (solid is None) != (self._solid is None):
            self._redraw()
            return
        self._solid = solid
        for place in needed:
            if self._is_stale(place):
                self._draw_block(place, self._blocks.area(place).clip(self._area))

    def _redraw(self) -> None:
        """Draw everything."""
        needed = self._needed()
        self._version = self._group.version
        self._solid = self._solid_in((place, self._area) for place in needed)
        assert self._look is not None
        self._loose = LooseBlocks() if self._has_many_holes(needed) else None
        size = (0, 0) if self._loose is not None else self._area.size
        if self._solid is not None and not self._look.alpha:
            self._surface = pygame.Surface(size, 0, 32)
        else:
            self._surface = blank(size)
        if self._solid is not None:
            self._surface.set_alpha(None)
        self._stamps = {}
        self._prepared = None
        for place in needed:
            self._draw_block(place, self._blocks.area(place).clip(self._area))
        self._group.stock(self._spare_chunks(needed))

    def _spare_chunks(self, places: list[Place]) -> int:
        """Return how many chunks to keep for those that come into view: a row and a column.

        None for a view smaller than a chunk, as that of a minimap, which does not move.
        """
        assert self._look is not None
        if max(self._look.size) < CHUNK:
            return 0
        columns, rows = map(set, zip(*self._blocks.chunks(places), strict=True))
        return len(columns) + len(rows) + 1 + _SPARE

    def _needed(self) -> list[Place]:
        """Return the blocks of the buffer, after preparing their chunks."""
        needed = self._blocks.around(self._area)
        self._prepare(needed, self._area)
        return needed

    def _prepare(self, places: list[Place], area: pygame.Rect) -> None:
        """Prepare the chunks that hold some blocks, and drop chunks that are far from an area."""
        self._group.forget(self._blocks.keys_ahead(area, self._lookahead.step), _KEPT)
        self._group.prepare(self._blocks.scale, self._blocks.chunks(places))

    def _solid_in(
        self, parts: Iterable[tuple[Place, pygame.Rect]], *known: pygame.Rect
    ) -> pygame.Rect | None:
        """Return the rectangle of pixels that are opaque.

        Args:
            parts: Blocks, and which pixels of them to look at.
            known: Opaque pixels besides them.

        Returns:
            None if there is none, or if there is anything around it; or the group is blended in a
            mode.
        """
        if self._group.mode != "normal":
            return None
        blocks, group = self._blocks, self._group
        solids = ((blocks.solid(place, blocks.chunk(group, place)), part) for place, part in parts)
        own = (solid and solid.clip(part) for solid, part in solids)
        return joined((*known, *own)) or None

    def _has_many_holes(self, places: list[Place]) -> bool:
        """Return whether most blocks show something below, so that they are faster one by one."""
        if self._solid is not None or self._group.mode != "normal":
            return False
        solid = [self._blocks.chunk(self._group, place).solid for place in places]
        return 2 * sum(map(bool, solid)) < len(places)

    def _draw_block(self, place: Place, part: pygame.Rect) -> None:
        """Draw a part of a block, given in pixels from the origin of the world."""
        chunk = self._blocks.chunk(self._group, place)
        known, self._stamps[place] = self._stamps.get(place), chunk.stamp
        if self._loose is not None:
            if known != chunk.stamp:
                block = self._blocks.area(place)
                picture = None
                if chunk.surface is not None:
                    picture = blank(block.size)
                    self._blocks.draw(picture, (0, 0), chunk.surface, place, block)
                self._loose.put(place, block, picture)
            return
        spot = part.move(-self._area.x, -self._area.y)
        if chunk.surface is None:
            self._surface.fill((0, 0, 0, 0), spot)
        else:
            self._blocks.draw(self._surface, spot.topleft, chunk.surface, place, part)


def _side_left(start: int, end: int, first: int, last: int) -> int:
    """Return on which side a view leaves a buffer from `start` to `end`: -1, 1; 0 for none."""
    if first < start:
        return -1
    return 1 if last > end else 0


def beside(kept: pygame.Rect, area: pygame.Rect) -> list[pygame.Rect]:
    """Return the parts of an area around a smaller one within it."""
    strips = [
        pygame.Rect(area.left, area.top, area.width, kept.top - area.top),
        pygame.Rect(area.left, kept.bottom, area.width, area.bottom - kept.bottom),
        pygame.Rect(area.left, kept.top, kept.left - area.left, kept.height),
        pygame.Rect(kept.right, kept.top, area.right - kept.right, kept.height),
    ]
    return [strip for strip in strips if strip.width and strip.height]

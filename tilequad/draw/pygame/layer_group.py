"""Layers that move together, painted chunk by chunk."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import ceil, floor
from typing import NamedTuple

import numpy as np
import pygame
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.draw.arguments import Objects, is_drawn
from tilequad.draw.pygame.painter import Frames, Painted, Painter
from tilequad.draw.pygame.surfaces import nbytes_of, to_copy
from tilequad.tiled import Layer, ObjectLayer, TileLayer, TileMap

__all__ = ["CHUNK", "Chunk", "Key", "LayerGroup", "Place"]

CHUNK = 256  # the side of a chunk, in pixels
_TOGETHER = 8  # the most chunks painted together, beside each other
_FEW = 64  # the most changed cells painted one by one; more are painted as one box
_VERSIONS = 8  # the most pictures of a chunk, for the frames of its animated tiles

Place = tuple[int, int]  # column and row
Key = tuple[float, int, int]  # scale, column, row


class Chunk(NamedTuple):
    """The picture of a chunk."""

    surface: pygame.Surface | None  #: copied; no alpha channel if opaque; None if nothing is there
    solid: pygame.Rect | None  #: what is opaque of it; None if there is anything around that
    stamp: int  #: different for each picture
    still: int  #: different where more is than the frames of animated tiles
    moving: pygame.Rect  #: what surrounds the animated tiles, from the corner of the chunk

    @property
    def opaque(self) -> bool:
        """Whether all of it is opaque."""
        return self.solid is not None and self.solid.size == (CHUNK, CHUNK)


@dataclass
class _Kept:
    """The pictures of a chunk, by the frames of its animated tiles."""

    animated: tuple[int, ...]
    moving: pygame.Rect  #: what surrounds the animated tiles, from the corner of the chunk
    still: int
    versions: dict[tuple[int, ...], Chunk] = field(default_factory=dict)


@dataclass
class _Begun:
    """A chunk that is painted step by step."""

    area: pygame.Rect
    steps: Iterator[Painted | None]
    taken: int = 0


class LayerGroup:
    """Layers that move together: their chunks, kept up to date with the map.

    They have the same parallax, and the lowest comes first.

    Attributes:
        mode: How the whole group is blended with the picture below.
        has_lines: Whether there are shapes, texts, or markers of missing images, whose lines have
            the same width at any scale.
        version: Changes whenever the layers change.
        frame: Changes whenever animated tiles show other frames.
    """

    def __init__(
        self, tile_map: TileMap, layers: Sequence[Layer], mode: str, objects: Objects
    ) -> None:
        self.layers = tuple(layers)
        self.mode = mode
        self.has_lines = any(
            item.shape != "tile" and is_drawn(item, objects)
            for layer in layers
            if isinstance(layer, ObjectLayer)
            for item in layer.objects
        ) or (bool(tile_map.warnings) and any(has_markers(tile_map, layer) for layer in layers))
        self.version = self.frame = 0
        self._painter = Painter(tile_map, layers, objects)
        self._followers = [
            _Changes(layer, reach(tile_map)) for layer in layers if isinstance(layer, TileLayer)
        ]
        self._chunks: OrderedDict[Key, _Kept] = OrderedDict()  # least recently used first
        self._begun: dict[Key, _Begun] = {}
        self._usual_steps = 4 * len(layers)
        self._stamps = count(1)
        self._time = 0.0
        self._frames: Frames = {}
        self._states: dict[tuple[int, ...], tuple[int, ...]] = {}  # see `_shown`

    @property
    def nbytes(self) -> int:
        """The memory of the cached chunks and of spare ones, in bytes."""
        surfaces = (
            chunk.surface for kept in self._chunks.values() for chunk in kept.versions.values()
        )
        return sum(map(nbytes_of, surfaces)) + self._painter.spare.nbytes

    def refresh(self, time: float, frames: Frames) -> None:
        """Follow the map and the clock, in milliseconds.

        The frames that animated tiles show are a different object if and only if they have changed.
        """
        self._time = time
        before = self.version, self.frame
        if frames is not self._frames:
            self._frames, self._states = frames, {}
            self.frame += 1
        for follower in self._followers:
            if follower.pending:
                self.version += 1
                for box in follower.take():
                    self._repaint(box)
        if (self.version, self.frame) != before:
            self._begun.clear()

    def chunk(self, scale: float, column: int, row: int) -> Chunk:
        """Return the picture of a chunk.

        Its column and row are counted in chunks of that scale from the origin of the world.
        """
        key = scale, column, row
        kept = self._chunks.get(key)
        if kept is not None:
            self._chunks.move_to_end(key)
            found = kept.versions.get(self._shown(kept.animated))
            if found is not None:
                return found
            if kept.versions:
                return self._advance(key, kept)
        area = pygame.Rect(column * CHUNK, row * CHUNK, CHUNK, CHUNK)
        return self._keep(key, area, self._paint(area, scale))

    def can_show(self, scale: float, column: int, row: int) -> bool:
        """Return whether a chunk has been painted, perhaps with other frames of animated tiles."""
        kept = self._chunks.get((scale, column, row))
        return kept is not None and bool(kept.versions)

    def has(self, scale: float, column: int, row: int) -> bool:
        """Return whether a chunk has been painted, with the frames that animated tiles show now."""
        kept = self._chunks.get((scale, column, row))
        return kept is not None and self._shown(kept.animated) in kept.versions

    def prepare(self, scale: float, places: Iterable[Place]) -> None:
        """Paint missing chunks, neighbors in a row together, which halves the time."""
        missing = [place for place in places if not self.has(scale, *place)]
        for place in missing:
            if self.can_show(scale, *place):
                self.chunk(scale, *place)
            while (scale, *place) in self._begun:
                self.prepare_step(scale, place)
        missing = [place for place in missing if not self.has(scale, *place)]
        for columns, row in runs_of(missing):
            self._paint_together(scale, columns, row)

    def prepare_step(self, scale: float, place: Place) -> None:
        """Paint a little of a missing chunk; the last such step makes it whole."""
        key = scale, *place
        if self.can_show(scale, *place):
            self.chunk(scale, *place)
            return
        begun = self._begun.pop(key, None)
        if begun is None:
            area = pygame.Rect(place[0] * CHUNK, place[1] * CHUNK, CHUNK, CHUNK)
            begun = _Begun(area, self._painter.steps(area, scale, self._time, self._frames))
        painted = next(begun.steps)
        begun.taken += 1
        if painted is not None:
            self._usual_steps = begun.taken
            self._keep(key, begun.area, painted)
        else:
            self._begun[key] = begun

    def steps_left(self, scale: float, place: Place) -> int:
        """Return about how many calls of `prepare_step` a missing chunk needs: as the last one."""
        begun = self._begun.get((scale, *place))
        return max(self._usual_steps - begun.taken, 1) if begun else self._usual_steps

    def _paint(self, area: pygame.Rect, scale: float) -> Painted:
        return self._painter.paint(area, scale, self._time, self._frames)

    def _paint_together(self, scale: float, columns: range, row: int) -> None:
        area = pygame.Rect(columns.start * CHUNK, row * CHUNK, len(columns) * CHUNK, CHUNK)
        painted = self._paint(area, scale)
        if len(columns) == 1 or painted.surface is None:
            for column in columns:
                self._keep((scale, column, row), area, painted)
            return
        whole = painted.solid is not None and painted.solid.size == area.size
        for column in columns:
            place = pygame.Rect(column * CHUNK, row * CHUNK, CHUNK, CHUNK)
            surface = self._copied(painted.surface, place.move(-area.x, -area.y), whole)
            solid = Painted(surface, surface.get_rect())
            own = solid if whole else self._painter.judged(surface, place, scale)
            self._keep((scale, column, row), place, own)

    def _copied(self, surface: pygame.Surface, part: pygame.Rect, solid: bool) -> pygame.Surface:
        """Return a part of a picture as the picture of a chunk."""
        spare = self._painter.spare
        copy = to_copy(part.size, alpha=False) if solid else spare.take(part.size)
        copy.set_alpha(None)
        copy.blit(surface, (0, 0), part)
        return copy

    def _keep(self, key: Key, area: pygame.Rect, painted: Painted) -> Chunk:
        """Keep the picture of a chunk for the current frames of animated tiles."""
        kept = self._chunks.get(key)
        if kept is None:
            animated, moving = self._painter.animated_in(area, key[0])
            kept = self._chunks[key] = _Kept(animated, moving, next(self._stamps))
        if len(kept.versions) >= _VERSIONS:
            del kept.versions[next(iter(kept.versions))]
        chunk = Chunk(*painted, next(self._stamps), kept.still, kept.moving)
        if chunk.opaque and chunk.surface is not None and chunk.surface.get_masks()[3]:
            surface = self._copied(chunk.surface, chunk.surface.get_rect(), True)
            self._painter.spare.give(chunk.surface)
            chunk = chunk._replace(surface=surface)
        kept.versions[self._shown(kept.animated)] = chunk
        return chunk

    def forget(self, wanted: set[Key], spare: int) -> None:
        """Drop the least recently wanted chunks, all but a few to spare."""
        self._begun = {key: begun for key, begun in self._begun.items() if key in wanted}
        for key in wanted & self._chunks.keys():
            self._chunks.move_to_end(key)
        others = [key for key in self._chunks if key not in wanted]
        for key in others[: max(len(others) - spare, 0)]:
            for chunk in self._chunks.pop(key).versions.values():
                if chunk.surface is not None and not chunk.opaque:
                    self._painter.spare.give(chunk.surface)

    def _shown(self, animated: tuple[int, ...]) -> tuple[int, ...]:
        """Return the frames that some animated tiles show now."""
        if animated not in self._states:
            self._states[animated] = tuple(self._frames[gid] for gid in animated)
        return self._states[animated]

    def _repaint(self, box: Bounds) -> None:
        """Repaint a part of the world in all cached chunks."""
        for key in list(self._chunks):
            scale, column, row = key
            left, top = floor(box.min_x * scale), floor(box.min_y * scale)
            right, bottom = ceil(box.max_x * scale), ceil(box.max_y * scale)
            area = pygame.Rect(column * CHUNK, row * CHUNK, CHUNK, CHUNK)
            part = area.clip(pygame.Rect(left, top, right - left, bottom - top))
            if part.width and part.height:
                self._patch(key, area, part)

    def _patch(self, key: Key, area: pygame.Rect, part: pygame.Rect) -> None:
        """Repaint a part of a chunk; drop the chunk if more has changed."""
        kept = self._chunks[key]
        before = kept.versions.get(self._shown(kept.animated))
        kept.versions.clear()
        animated, moving = self._painter.animated_in(part, key[0])
        known = set(animated) <= set(kept.animated)
        surface = None if before is None else before.surface
        painted = None
        if known and before is not None and surface is not None and part != area:
            painted = self._painted_over(before, surface, key, area, part)
        if painted is None:
            del self._chunks[key]
            return
        if animated:
            moving.move_ip(part.x - area.x, part.y - area.y)
            kept.moving = kept.moving.union(moving)
        kept.still = next(self._stamps)
        self._keep(key, area, painted)

    def _advance(self, key: Key, kept: _Kept) -> Chunk:
        """Paint a chunk for the current frames of its animated tiles, from one with others."""
        area = pygame.Rect(key[1] * CHUNK, key[2] * CHUNK, CHUNK, CHUNK)
        before = next(reversed(kept.versions.values()))
        painted = None
        if before.surface is not None and kept.moving.width and kept.moving.size != area.size:
            surface = self._copied(before.surface, before.surface.get_rect(), before.opaque)
            part = kept.moving.move(area.topleft)
            painted = self._painted_over(before, surface, key, area, part)
        return self._keep(key, area, painted or self._paint(area, key[0]))

    def _painted_over(
        self, before: Chunk, surface: pygame.Surface, key: Key, area: pygame.Rect, part: pygame.Rect
    ) -> Painted | None:
        """Repaint a part of a chunk on its surface, or a copy; None if it is no longer opaque."""
        painted = self._paint(part, key[0])
        place = part.move(-area.x, -area.y)
        was, now = before.solid, painted.solid
        if was is None or now is None or was.clip(place) != now.move(place.topleft):
            was = None
        if was is None and before.opaque:  # its picture has no alpha channel
            return None
        if painted.surface is None:
            surface.fill((0, 0, 0, 0), place)
        else:
            surface.blit(painted.surface, place)
        return Painted(surface, was)


def runs_of(places: Iterable[Place]) -> list[tuple[range, int]]:
    """Split places into runs of columns in a row, no longer than a few chunks."""
    found: list[tuple[range, int]] = []
    for row, column in sorted((row, column) for column, row in places):
        if found:
            columns, last = found[-1]
            if (row, column) == (last, columns.stop) and len(columns) < _TOGETHER:
                found[-1] = range(columns.start, column + 1), row
                continue
        found.append((range(column, column + 1), row))
    return found


class _Changes:
    """Collects the boxes around the cells of a layer that have changed.

    The picture of a tile may extend beyond its cell as far as the reach.
    """

    def __init__(self, layer: TileLayer, reach: float) -> None:
        self.pending: list[NDArray[np.int32]] = []
        self._layer = layer
        self._reach = reach
        layer.observe(self)

    def _tiles_changed(self, ids: NDArray[np.int32]) -> None:
        """Remember which cells have changed."""
        self.pending.append(ids)

    def take(self) -> Iterator[Bounds]:
        """Yield boxes around all changes since the last call."""
        ids = np.unique(np.concatenate(self.pending))
        self.pending.clear()
        corners = self._layer.outlines(ids)
        low = corners.min(axis=1) - self._reach
        high = corners.max(axis=1) + self._reach
        if len(ids) > _FEW:
            low, high = low.min(axis=0)[None], high.max(axis=0)[None]
        for box in np.hstack((low, high)).tolist():
            yield Bounds(*box)


def reach(tile_map: TileMap) -> float:
    """Return how far any tile of a map may extend beyond its cell, in pixels."""
    sizes = [max(tile_map.tile_size)]
    for tileset in tile_map.tilesets:
        side = max(tileset.tile_width, tileset.tile_height, *tile_map.tile_size)
        for local_id, tile in tileset.tiles.items():
            if tile.picture is not None:
                side = max(side, *tileset.tile_size(local_id))
        turned = side * 2 if tile_map.orientation == "hexagonal" else side
        stretched = max(tile_map.tile_size) if tileset.render_size == "grid" else 1
        sizes.append(turned + stretched * max(map(abs, tileset.tile_offset)))
    return max(sizes) + 2.0


def has_markers(tile_map: TileMap, layer: Layer) -> bool:
    """Return whether a layer has tiles whose images are missing."""
    if not isinstance(layer, TileLayer):
        return False
    for gid in np.unique(layer.gids(layer.ids())).tolist():
        tileset = tile_map.tilesets.owner(gid)
        if not tileset.has_image(gid - tileset.first_gid):
            return True
    return False

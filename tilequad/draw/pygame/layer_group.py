"""Layers that move together, painted chunk by chunk."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import count
from math import ceil, floor
from typing import NamedTuple

import numpy as np
import pygame
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.draw.arguments import Objects
from tilequad.draw.pillow.renderer import with_reach
from tilequad.draw.pygame.painter import Frames, Painted, Painter
from tilequad.draw.pygame.surfaces import nbytes_of, to_copy
from tilequad.tiled import Layer, TileLayer, TileMap, Tileset
from tilequad.tiled.cells import GID_MASK
from tilequad.tiled.model.tile_layer import places_of

__all__ = ["CHUNK", "Chunk", "Key", "LayerGroup", "Place"]

CHUNK = 256  # the side of a chunk, in pixels
_TOGETHER = 8  # the most chunks painted together, beside each other
_FEW = 64  # the most changed cells of which only those near each other share a box
_START = 1 << 14  # as long as so many pixels take, painting a box takes in any case
_VERSIONS = 16  # the most pictures of a chunk: of two kinds of animated tiles, four frames each

Place = tuple[int, int]  # column and row
Key = tuple[float, int, int]  # scale; column and row in chunks of it from the world's origin


class Chunk(NamedTuple):
    """The picture of a chunk."""

    surface: pygame.Surface | None  #: copied; no alpha channel if opaque; None if nothing is there
    solid: pygame.Rect | None  #: the opaque part, if all around it is empty; otherwise None
    stamp: int  #: different for each picture
    still_stamp: int  #: changes with everything but the frames of animated tiles
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
    still_stamp: int
    versions: dict[tuple[int, ...], Chunk] = field(default_factory=dict)


class LayerGroup:
    """Layers that move together: their chunks, kept up to date with the map.

    They have the same parallax, and the lowest comes first.

    Attributes:
        mode: How the whole group is blended with the picture below.
        version: Changes whenever the layers change.
        frame: Changes whenever animated tiles show other frames.
    """

    def __init__(
        self, tile_map: TileMap, layers: Sequence[Layer], mode: str, objects: Objects
    ) -> None:
        self.layers = tuple(layers)
        self.mode = mode
        self._painter = Painter(tile_map, layers, objects)
        self._has_markers = bool(tile_map.warnings) and any(
            has_markers(tile_map, layer) for layer in layers
        )
        self.version = self.frame = 0
        self._followers = [
            _Changes(tile_map, layer) for layer in layers if isinstance(layer, TileLayer)
        ]
        self._moved: list[Bounds] = []  # the boxes of changed objects, until they are painted
        self._chunks: OrderedDict[Key, _Kept] = OrderedDict()  # least recently used first
        # The steps of chunks that are painted step by step, and how many were taken
        self._begun: dict[Key, tuple[Iterator[Painted | None], int]] = {}
        self._usual_steps = 4 * len(layers)
        self._stamps = count(1)
        self._states: dict[tuple[int, ...], tuple[int, ...]] = {}  # see `_shown`

    @property
    def has_lines(self) -> bool:
        """Whether there are shapes, texts, or markers, whose lines are as wide at any scale."""
        return self._has_markers or self._painter.has_shapes

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
        self._painter.time = time
        before = self.version, self.frame
        if frames is not self._painter.frames:
            self._painter.frames, self._states = frames, {}
            self.frame += 1
        self._moved += self._painter.follow_objects()
        if self._moved:
            self.version += 1
            for box in few_of(self._moved):
                self._repaint(box, as_object=True)
            self._moved.clear()
        for follower in self._followers:
            if follower.pending:
                self.version += 1
                for box in follower.boxes():
                    self._repaint(box)
                follower.pending.clear()  # not before: what fails is painted in the next frame
        if (self.version, self.frame) != before:
            self._begun.clear()

    def chunk(self, key: Key) -> Chunk:
        """Return the picture of a chunk."""
        kept = self._chunks.get(key)
        if kept is not None:
            self._chunks.move_to_end(key)
            found = kept.versions.get(self._shown(kept.animated))
            if found is not None:
                return found
            if kept.versions:
                return self._advance(key, kept)
        return self._keep(key, self._painter.paint(area_of(key), key[0]))

    def can_show(self, key: Key) -> bool:
        """Return whether a chunk has been painted, perhaps with other frames of animated tiles."""
        kept = self._chunks.get(key)
        return kept is not None and bool(kept.versions)

    def has(self, key: Key) -> bool:
        """Return whether a chunk has been painted, with the frames that animated tiles show now."""
        kept = self._chunks.get(key)
        return kept is not None and self._shown(kept.animated) in kept.versions

    def prepare(self, keys: Iterable[Key]) -> None:
        """Paint missing chunks of a scale, neighbors in a row together, which halves the time."""
        missing = [key for key in keys if not self.has(key)]
        for key in missing:
            if self.can_show(key):
                self.chunk(key)
            while key in self._begun:
                self.prepare_step(key)
        for run in runs_of(key for key in missing if not self.has(key)):
            self._paint_together(run)

    def prepare_step(self, key: Key) -> None:
        """Paint a little of a missing chunk; the last such step makes it whole."""
        if self.can_show(key):
            self.chunk(key)
            return
        new = self._painter.steps(area_of(key), key[0]), 0
        steps, taken = self._begun.pop(key, new)
        painted = next(steps)
        if painted is not None:
            self._usual_steps = taken + 1
            self._keep(key, painted)
        else:
            self._begun[key] = steps, taken + 1

    def steps_left(self, key: Key) -> int:
        """Return about how many calls of `prepare_step` a missing chunk needs: as the last one."""
        taken = self._begun[key][1] if key in self._begun else 0
        return max(self._usual_steps - taken, 1)

    def _paint_together(self, keys: list[Key]) -> None:
        """Paint chunks beside each other."""
        area = area_of(keys[0]).union(area_of(keys[-1]))
        painted = self._painter.paint(area, keys[0][0])
        if len(keys) == 1 or painted.surface is None:
            for key in keys:
                self._keep(key, painted)
            return
        whole = painted.solid is not None and painted.solid.size == area.size
        for key in keys:
            place = area_of(key)
            surface = self._copied(painted.surface, place.move(-area.x, -area.y), whole)
            solid = Painted(surface, surface.get_rect())
            self._keep(key, solid if whole else self._painter.judged(surface, place, key[0]))

    def _copied(self, surface: pygame.Surface, part: pygame.Rect, solid: bool) -> pygame.Surface:
        """Return a part of a picture as the picture of a chunk."""
        spare = self._painter.spare
        copy = to_copy(part.size, alpha=False) if solid else spare.take(part.size)
        copy.set_alpha(None)
        copy.blit(surface, (0, 0), part)
        return copy

    def _keep(self, key: Key, painted: Painted) -> Chunk:
        """Keep the picture of a chunk for the current frames of animated tiles."""
        kept = self._chunks.get(key)
        if kept is None:
            animated, moving = self._painter.animated_in(area_of(key), key[0])
            kept = self._chunks[key] = _Kept(animated, moving, next(self._stamps))
        if len(kept.versions) >= _VERSIONS:
            del kept.versions[next(iter(kept.versions))]
        chunk = Chunk(*painted, next(self._stamps), kept.still_stamp, kept.moving)
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
            self._states[animated] = tuple(self._painter.frames[gid] for gid in animated)
        return self._states[animated]

    def _repaint(self, box: Bounds, as_object: bool = False) -> None:
        """Repaint a part of the world in all cached chunks, or what an object there may show."""
        for key in list(self._chunks):
            scale, area = key[0], area_of(key)
            part = with_reach(box, scale) if as_object else box
            left, top = floor(part.min_x * scale), floor(part.min_y * scale)
            right, bottom = ceil(part.max_x * scale), ceil(part.max_y * scale)
            changed = area.clip(pygame.Rect(left, top, right - left, bottom - top))
            if changed.width and changed.height:
                self._patch(key, changed)

    def _patch(self, key: Key, part: pygame.Rect) -> None:
        """Repaint a part of a chunk; drop the chunk if more has changed."""
        kept, area = self._chunks[key], area_of(key)
        before = kept.versions.get(self._shown(kept.animated))
        kept.versions.clear()
        animated, moving = self._painter.animated_in(part, key[0])
        known = set(animated) <= set(kept.animated)
        surface = None if before is None else before.surface
        painted = None
        if known and before is not None and surface is not None and part != area:
            painted = self._painted_over(before, surface, key, part)
        if painted is None:
            del self._chunks[key]
            return
        if animated:
            moving.move_ip(part.x - area.x, part.y - area.y)
            kept.moving = kept.moving.union(moving)
        kept.still_stamp = next(self._stamps)
        self._keep(key, painted)

    def _advance(self, key: Key, kept: _Kept) -> Chunk:
        """Paint a chunk for the current frames of its animated tiles, from one with others."""
        area, before = area_of(key), next(reversed(kept.versions.values()))
        painted = None
        if before.surface is not None and kept.moving.width and kept.moving.size != area.size:
            surface = self._copied(before.surface, before.surface.get_rect(), before.opaque)
            part = kept.moving.move(area.topleft)
            painted = self._painted_over(before, surface, key, part)
        return self._keep(key, painted or self._painter.paint(area, key[0]))

    def _painted_over(
        self, before: Chunk, surface: pygame.Surface, key: Key, part: pygame.Rect
    ) -> Painted | None:
        """Repaint a part of a chunk on its surface, or a copy; None if it is no longer opaque."""
        painted, (left, top) = self._painter.paint(part, key[0]), area_of(key).topleft
        place = part.move(-left, -top)
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


def area_of(key: Key) -> pygame.Rect:
    """Return the pixels of a chunk, from the origin of the world."""
    return pygame.Rect(key[1] * CHUNK, key[2] * CHUNK, CHUNK, CHUNK)


def runs_of(keys: Iterable[Key]) -> list[list[Key]]:
    """Split chunks of a scale into runs in a row, no longer than a few chunks."""
    found: list[list[Key]] = []
    for scale, column, row in sorted(keys, key=lambda key: (key[2], key[1])):
        if found and found[-1][-1] == (scale, column - 1, row) and len(found[-1]) < _TOGETHER:
            found[-1].append((scale, column, row))
        else:
            found.append([(scale, column, row)])
    return found


class _Changes:
    """Collects the cells of a layer that have changed.

    Attributes:
        pending: Their ids, to be cleared once they are painted.
    """

    def __init__(self, tile_map: TileMap, layer: TileLayer) -> None:
        self.pending: list[NDArray[np.int32]] = []
        self._tile_map = tile_map
        self._layer = layer
        # How far a tile may extend beyond its cell: one that is there, or was since the beginning
        self._reach = 0.0
        self._measured: set[int] = set()  # the first gids of tilesets with such tiles
        self._measure(places_of(layer).tiles.kinds()[0] & np.uint32(GID_MASK))
        layer.observe(self)

    def _measure(self, gids: NDArray[np.uint32]) -> None:
        """Let the reach be that of some tiles, if it is less."""
        for gid in np.unique(gids[gids > 0]).tolist():
            tileset = self._tile_map.tilesets.owner(gid)
            if tileset.first_gid not in self._measured:
                self._measured.add(tileset.first_gid)
                self._reach = max(self._reach, reach(self._tile_map, tileset))

    def _tiles_changed(self, ids: NDArray[np.int32]) -> None:
        """Remember which cells have changed."""
        self.pending.append(ids)

    def boxes(self) -> list[Bounds]:
        """Return boxes around all pending changes."""
        ids = np.unique(np.concatenate(self.pending))
        self._measure(self._layer.gids(ids))
        corners = self._layer.outlines(ids)
        low = corners.min(axis=1) - self._reach
        high = corners.max(axis=1) + self._reach
        if len(ids) > _FEW:
            low, high = low.min(axis=0)[None], high.max(axis=0)[None]
        return joined(Bounds(*box) for box in np.hstack((low, high)).tolist())


def few_of(boxes: list[Bounds]) -> list[Bounds]:
    """Return boxes around some others: of many, the one around all."""
    return joined(boxes if len(boxes) <= _FEW else [reduce(around, boxes)])


def joined(boxes: Iterable[Bounds]) -> list[Bounds]:
    """Join boxes that overlap where one around both takes no longer to paint than the two."""
    found: list[Bounds] = []
    for box in boxes:
        number = 0
        while number < len(found):
            other = found[number]
            both = around(box, other) if box.overlaps(other) else None
            if both is None or area(both) > area(box) + area(other) + _START:
                number += 1
                continue
            del found[number]
            box, number = both, 0  # the larger one may join those before
        found.append(box)
    return found


def around(one: Bounds, other: Bounds) -> Bounds:
    """Return the box around two boxes."""
    low = min(one.min_x, other.min_x), min(one.min_y, other.min_y)
    return Bounds(*low, max(one.max_x, other.max_x), max(one.max_y, other.max_y))


def area(box: Bounds) -> float:
    """Return the area of a box."""
    return box.width * box.height


def reach(tile_map: TileMap, tileset: Tileset) -> float:
    """Return how far any tile of a tileset may extend beyond its cell, in pixels."""
    side = max(tileset.tile_width, tileset.tile_height, *tile_map.tile_size)
    for local_id, tile in tileset.tiles.items():
        if tile.picture is not None:
            side = max(side, *tileset.tile_size(local_id))
    turned = side * 2 if tile_map.orientation == "hexagonal" else side
    stretched = max(tile_map.tile_size) if tileset.render_size == "grid" else 1
    return turned + stretched * max(map(abs, tileset.tile_offset)) + 2.0


def has_markers(tile_map: TileMap, layer: Layer) -> bool:
    """Return whether a layer has tiles whose images are missing."""
    if not isinstance(layer, TileLayer):
        return False
    for gid in (places_of(layer).tiles.kinds()[0] & np.uint32(GID_MASK)).tolist():
        tileset = tile_map.tilesets.owner(gid)
        if not tileset.has_image(gid - tileset.first_gid):
            return True
    return False

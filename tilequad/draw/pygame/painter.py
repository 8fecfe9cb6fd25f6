"""Paint parts of layers, pixel for pixel as `tilequad.draw.pillow.render` draws them.

Which painter paints what is decided in `Painter.paint`:

| painter | paints | why |
|---|---|---|
| `overview.Overview` | tiles of two pixels or less | one color for each cell, however many |
| pygame's blits | tiles of whole pixels; above scale 1 all, enlarged | three times as fast |
| `pillow.renderer.draw_layer` | all else: other scales, shapes, texts, images | `render` itself |

pygame rounds half-transparent colors differently from Pillow. So a layer with such tiles, or in a
blend mode, is blitted to a picture of its own, which Pillow then blends with the layers below. That
is right only if its tiles cannot overlap; otherwise Pillow draws the layer.

Pillow scales, turns and tints each tile once before pygame blits it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import pygame
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.draw.pillow.canvas import Canvas
from tilequad.draw.pillow.finished_tiles import FinishedTiles
from tilequad.draw.pillow.renderer import LARGE_TILE, are_apart, draw_layer
from tilequad.draw.pillow.shapes import REACH
from tilequad.draw.pygame.overview import Overview
from tilequad.draw.pygame.surfaces import (
    Blit,
    alpha_range,
    blank,
    draw_all,
    picked,
    repeated,
    to_image,
    to_surface,
)
from tilequad.draw.shown_objects import Objects
from tilequad.draw.tile_pictures import TilePictures
from tilequad.draw.transforms import HEXAGON_TURNS
from tilequad.tiled import Layer, ObjectLayer, TileLayer, TileMap
from tilequad.tiled.cells import FLAG_SHIFT, GID_MASK
from tilequad.tiled.model.tile_layer import places_of

__all__ = ["Frames", "Painted", "Painter"]

Frames = Mapping[int, int]  # gid of an animated tile -> gid of the frame it shows

_TINY = 2  # pixels; tiles of this size and smaller are drawn in one color each
_PICKED_FROM = 0.5  # the scale from which on painting at scale 1 and picking pixels is faster
_PICKED_SIDE = 1024  # pixels at scale 1 to paint at a time, to spare memory
_MOST_TILES = 1 << 14  # the most finished tiles to keep


class Painted(NamedTuple):
    """A part of some layers."""

    surface: pygame.Surface | None  #: None if nothing is there
    opaque: bool


class _Blits(NamedTuple):
    """The tiles of a layer for pygame to draw."""

    tiles: list[Blit]
    cover: bool  #: whether they only cover what is below; else they are blended as a whole


class Painter:
    """Paints parts of some layers of a map, at any scale.

    Args:
        tile_map: The map.
        layers: The layers, the lowest first.
        objects: Which objects to draw.
    """

    def __init__(self, tile_map: TileMap, layers: Sequence[Layer], objects: Objects) -> None:
        self._tile_map = tile_map
        self._layers = layers
        self._objects = objects
        self._animated = TilePictures.of(tile_map).animated
        # By what a layer does to its tiles: its tint, opacity and mode
        self._tiles: dict[tuple[object, ...], FinishedTiles] = {}
        # By what makes it, gid, flags and offset to the pixel grid; None if Pillow must draw
        self._finished: dict[tuple[Any, ...], tuple[pygame.Surface, bool] | None] = {}
        # Those that are crisp and still, by what makes them and their size, then by gid with flags
        self._even: dict[tuple[Any, ...], dict[int, pygame.Surface]] = {}

    @cached_property
    def _overview(self) -> Overview:
        return Overview(self._tile_map)

    def paint(self, area: pygame.Rect, scale: float, time: float, frames: Frames) -> Painted:
        """Paint a part of the layers.

        Args:
            area: The part to paint, in pixels from the origin of the world.
            scale: Pixels for each world unit.
            time: Milliseconds since the start, for animated tiles.
            frames: The frames that animated tiles show at that time.
        """
        view = seen_in(area, scale)
        canvas = Canvas(self._tile_map, view, scale, time)
        surface: pygame.Surface | None = None  # the picture, while pygame paints it
        for layer in self._layers:
            canvas.use(layer)
            if isinstance(layer, TileLayer) and self._is_tiny(scale):
                image = self._overview.draw(layer, view, area.size)
                if image is not None:
                    canvas.paste(canvas.shown(layer, image), 0, 0)
                continue
            blits = None
            if isinstance(layer, TileLayer):
                blits = self._tiles_of(canvas, layer, area, frames)
            elif not len(layer.query(grown(view, REACH / scale))):
                continue
            if blits is not None and not blits.tiles:
                continue
            if blits is not None and blits.cover:
                if surface is None:
                    surface = blank(area.size) if canvas.is_empty else to_surface(canvas.picture)
                draw_all(surface, blits.tiles)
                continue
            if surface is not None:
                canvas.picture, surface = to_image(surface), None
            if blits is not None:
                whole = blank(area.size)
                draw_all(whole, blits.tiles)
                canvas.paste(to_image(whole), 0, 0)
            else:
                finished = None
                if isinstance(layer, TileLayer):
                    finished = self._finished_tiles(canvas, layer)
                draw_layer(canvas, layer, view, self._objects, finished)
        if surface is None:
            if canvas.is_empty:
                return Painted(None, False)
            surface = to_surface(canvas.picture)
        low, high = alpha_range(surface)
        surface.set_alpha(None)  # it is copied, not blended
        return Painted(surface if high else None, low == 255)

    def _tiles_of(
        self, canvas: Canvas, layer: TileLayer, area: pygame.Rect, frames: Frames
    ) -> _Blits | None:
        """Return the tiles of a layer for pygame to draw, or None if Pillow must draw them."""
        scale = canvas.scale
        if self._is_whole(scale):
            return self._blits(canvas, layer, layer.query(seen_in(area, scale)), frames)
        if scale < _PICKED_FROM:
            return None
        # Between two whole scales: the pixels of tiles at scale 1, repeated or left out
        found = _Blits([], True)
        side = max(int(_PICKED_SIDE * scale), 1)
        for x, y in product(range(0, area.width, side), range(0, area.height, side)):
            part = pygame.Rect(area.left + x, area.top + y, side, side).clip(area)
            blits = self._picked_tiles(canvas, layer, part, frames)
            if blits is None:
                return None
            found.tiles.extend((surface, (x, y)) for surface, _ in blits.tiles)
            found = found._replace(cover=found.cover and blits.cover)
        return found

    def _picked_tiles(
        self, canvas: Canvas, layer: TileLayer, area: pygame.Rect, frames: Frames
    ) -> _Blits | None:
        """Return the tiles in a part as one surface, of pixels picked at scale 1."""
        columns = picked(range(area.left, area.right), canvas.scale)
        rows = picked(range(area.top, area.bottom), canvas.scale)
        left, top = int(columns[0]), int(rows[0])
        source = pygame.Rect(left, top, int(columns[-1]) + 1 - left, int(rows[-1]) + 1 - top)
        view = seen_in(source, 1)
        one = Canvas(self._tile_map, view, 1, canvas.time)
        one.use(layer)
        blits = self._blits(one, layer, layer.query(view), frames)
        if blits is None or not blits.tiles:
            return blits
        whole = blank(source.size)
        draw_all(whole, blits.tiles)
        return _Blits([(repeated(whole, columns - left, rows - top), (0, 0))], blits.cover)

    def animated_in(self, area: pygame.Rect, scale: float) -> tuple[int, ...]:
        """Return the gids of the animated tiles in a part, ascending; see `paint`."""
        if not self._animated:
            return ()
        view = seen_in(area, scale)
        found: set[int] = set()
        for layer in self._layers:
            if isinstance(layer, ObjectLayer):
                around = layer.query(grown(view, REACH / scale))
                found.update(layer.objects[at].gid for at in around.tolist())
            elif isinstance(layer, TileLayer) and not self._is_tiny(scale):
                found.update(np.unique(layer.gids(layer.query(view))).tolist())
        return tuple(sorted(self._animated & found))

    def _is_tiny(self, scale: float) -> bool:
        """Return whether tiles are so small that the eye sees no more than their color."""
        return max(self._tile_map.tile_size) * scale <= _TINY

    def _is_whole(self, scale: float) -> bool:
        """Return whether a cell is a whole number of pixels wide and high."""
        return all(float(side * scale).is_integer() for side in self._tile_map.tile_size)

    def _finished_tiles(self, canvas: Canvas, layer: TileLayer) -> FinishedTiles:
        """Return what makes the tiles of a layer, with those that it has made before."""
        look = layer.tint, layer.opacity, layer.mode
        if look not in self._tiles:
            self._tiles[look] = FinishedTiles(canvas, layer)
        self._tiles[look].canvas = canvas
        return self._tiles[look]

    def _blits(
        self, canvas: Canvas, layer: TileLayer, ids: NDArray[np.int32], frames: Frames
    ) -> _Blits | None:
        """Return tiles as surfaces and where they go, or None if Pillow must draw one of them."""
        if not len(ids):
            return _Blits([], True)
        even = self._even_blits(canvas, layer, ids, frames)
        if even is not None:
            return _Blits(even, True)
        boxes = layer.boxes(ids)
        _, corners, parts = canvas.places(boxes)
        looks = layer.gids(ids).astype(np.int64) << 4 | layer.flags(ids)
        looks, first, which = np.unique(looks, return_index=True, return_inverse=True)
        if (parts != parts[first][which]).any():  # equal tiles, other offsets
            return None
        finished = self._finished_tiles(canvas, layer)
        surfaces, crisp = [], True
        for look, part in zip(looks.tolist(), parts[first].tolist(), strict=True):
            gid, flags = look >> 4, look & 15
            tile = self._finish(finished, gid, flags, tuple(part), frames)
            if tile is None:
                return None
            surfaces.append(tile[0])
            crisp = crisp and tile[1]
        cover = crisp and canvas.is_normal
        if not cover and not are_apart(self._tile_map, layer, ids, boxes):
            return None
        tiles = zip(which.tolist(), corners.tolist(), strict=True)
        return _Blits([(surfaces[at], corner) for at, corner in tiles], cover)

    def _even_blits(
        self, canvas: Canvas, layer: TileLayer, ids: NDArray[np.int32], frames: Frames
    ) -> list[Blit] | None:
        """Return the crisp tiles of one size of an orthogonal map; None if they are others.

        Nearly all layers are like that, and it takes a third of the time.
        """
        places, scale = places_of(layer), canvas.scale
        sizes, exact = places.reaches.size_classes, places.reaches.exact
        if self._tile_map.orientation != "orthogonal" or not canvas.is_normal or exact != [True]:
            return None
        left, top, right, bottom = sizes[0].tolist()
        columns, rows = places.tiles.cells(ids)
        start = np.array((left - canvas.left, top - canvas.top))
        corners = ((places.anchors(columns, rows) + start) * scale).round(6)
        if not (corners[0] % 1 == 0).all():  # then none is, because cells are whole pixels
            return None
        part = 0.0, 0.0, (right - left) * scale, (bottom - top) * scale
        finished = self._finished_tiles(canvas, layer)
        known = self._even.setdefault((finished, *part), {})
        kinds = places.tiles.raw(columns, rows).tolist()
        blits: list[Blit] = []
        for raw, corner in zip(kinds, corners.astype(np.int64).tolist(), strict=True):
            surface = known.get(raw)
            if surface is None:
                gid = raw & GID_MASK
                tile = self._finish(finished, gid, raw >> FLAG_SHIFT, part, frames)
                if tile is None or not tile[1]:
                    return None
                surface = tile[0]
                if gid not in self._animated:
                    known[raw] = surface
            blits.append((surface, corner))
        return blits

    def _finish(
        self,
        finished: FinishedTiles,
        gid: int,
        flags: int,
        part: tuple[float, float, float, float],
        frames: Frames,
    ) -> tuple[pygame.Surface, bool] | None:
        """Return a finished tile, and whether it is crisp; None if Pillow must draw it."""
        key = finished, frames.get(gid, gid), flags, *part
        if key not in self._finished:
            if len(self._finished) > _MOST_TILES:
                self._finished.clear()
                self._even.clear()
            size = ceil(part[2]), ceil(part[3])
            turns = HEXAGON_TURNS if self._tile_map.orientation == "hexagonal" else 0
            if flags & turns or max(size[0], 1) * max(size[1], 1) > LARGE_TILE:
                self._finished[key] = None
                return None
            image, crisp = finished.get(gid, flags, size, part)
            surface = to_surface(image)
            if alpha_range(surface)[0] == 255:
                surface.set_alpha(None)  # copied, not blended
            self._finished[key] = surface, crisp
        return self._finished[key]


def seen_in(area: pygame.Rect, scale: float) -> Bounds:
    """Return the part of the world that some pixels show."""
    return Bounds(*(side / scale for side in (*area.topleft, *area.bottomright)))


def grown(view: Bounds, margin: float) -> Bounds:
    """Return a view with a margin around it."""
    return Bounds(
        view.min_x - margin, view.min_y - margin, view.max_x + margin, view.max_y + margin
    )

"""Paint parts of layers, pixel for pixel as `tilequad.draw.pillow.render` draws them.

Tiles that Pillow has finished once are put together by pygame, which is several times as fast.
Whatever pygame would round in another way, Pillow draws itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
import pygame
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.draw.pillow.canvas import Canvas
from tilequad.draw.pillow.finished_tiles import FinishedTiles
from tilequad.draw.pillow.renderer import LARGE_TILE, draw_layer
from tilequad.draw.pillow.transforms import HEXAGON_TURNS
from tilequad.draw.pygame.overview import Overview
from tilequad.draw.pygame.surfaces import (
    Blit,
    Sheet,
    alpha_range,
    blank,
    draw_all,
    to_image,
    to_surface,
)
from tilequad.tiled import Layer, ObjectLayer, TileLayer, TileMap

__all__ = ["Frames", "Painted", "Painter"]

Frames = Mapping[int, int]  # by the gid of an animated tile, the gid of the frame it shows

_TINY = 2  # pixels; tiles of this size and smaller are drawn in one color each
_MOST_TILES = 1 << 14  # finished tiles to keep


class Painted(NamedTuple):
    """A part of some layers."""

    surface: pygame.Surface | None  #: None if nothing is there
    opaque: bool
    animated: tuple[int, ...]  #: the gids of animated tiles in it


class _Ready(NamedTuple):
    """A finished tile as a surface."""

    surface: pygame.Surface
    crisp: bool  #: whether no pixel is half transparent


class Painter:
    """Paints parts of some layers of a map, at scales of 1, 1/2, 1/4 and so on.

    Args:
        tile_map: The map.
        layers: The layers, the lowest first.
    """

    def __init__(self, tile_map: TileMap, layers: Sequence[Layer]) -> None:
        self._tile_map = tile_map
        self._layers = layers
        self._overview = Overview(tile_map)
        self._animated = animated_gids(tile_map)
        self._ready: dict[tuple[object, ...], _Ready] = {}

    def paint(self, area: pygame.Rect, level: int, time: float, frames: Frames) -> Painted:
        """Paint a part of the layers.

        Args:
            area: What to paint, in pixels from the origin of the world.
            level: How often the scale is halved.
            time: Milliseconds since the start, for animated tiles.
            frames: What animated tiles show at that time.
        """
        scale = 0.5**level
        view = Bounds(*(side / scale for side in (*area.topleft, *area.bottomright)))
        canvas = Canvas(self._tile_map, view, scale, time)
        sheet = Sheet(area.size)
        animated: set[int] = set()
        for layer in self._layers:
            ids = layer.query(view)
            if not len(ids):
                continue
            if isinstance(layer, TileLayer):
                if max(self._tile_map.tile_size) * scale <= _TINY:
                    self._draw_overview(sheet, canvas, layer, view)
                    continue
                if self._animated:
                    animated |= self._animated & set(np.unique(layer.gids(ids)).tolist())
                if self._draw_tiles(sheet, canvas, layer, ids, frames):
                    continue
            elif isinstance(layer, ObjectLayer) and self._animated:
                animated |= self._animated & {layer.objects[at].gid for at in ids.tolist()}
            canvas.picture = sheet.image()
            draw_layer(canvas, layer, view)
        if sheet.is_empty:
            return Painted(None, False, tuple(sorted(animated)))
        surface = sheet.surface()
        low, high = alpha_range(surface)
        surface.set_alpha(None)  # it is copied, not blended
        return Painted(surface if high else None, low == 255, tuple(sorted(animated)))

    def _draw_overview(self, sheet: Sheet, canvas: Canvas, layer: TileLayer, view: Bounds) -> None:
        canvas.use(layer)
        image = self._overview.draw(layer, view, sheet.image().size)
        canvas.picture = sheet.image()
        canvas.paste(canvas.shown(layer, image), 0, 0)

    def _draw_tiles(
        self,
        sheet: Sheet,
        canvas: Canvas,
        layer: TileLayer,
        ids: NDArray[np.int32],
        frames: Frames,
    ) -> bool:
        """Draw tiles with pygame; return False, and draw nothing, if Pillow has to."""
        canvas.use(layer)
        world_boxes = layer.boxes(ids)
        _, corners, parts = canvas.places(world_boxes)
        tiles = self._finished(canvas, layer, ids, parts, frames)
        if tiles is None:
            return False
        blits: list[Blit] = [
            (tile.surface, (left, top))
            for tile, (left, top) in zip(tiles, corners.tolist(), strict=True)
        ]
        if canvas.is_normal and all(tile.crisp for tile in tiles):
            draw_all(sheet.surface(), blits)
        elif self._apart(layer, ids, world_boxes):  # then the layer can be blended as a whole
            whole = blank(canvas.picture.size)
            draw_all(whole, blits)
            canvas.picture = sheet.image()
            canvas.paste(to_image(whole), 0, 0)
        else:
            return False
        return True

    def _finished(
        self,
        canvas: Canvas,
        layer: TileLayer,
        ids: NDArray[np.int32],
        parts: NDArray[np.float64],
        frames: Frames,
    ) -> list[_Ready] | None:
        """Return the finished tiles, or None if one of them is turned or too large for that."""
        if len(self._ready) > _MOST_TILES:
            self._ready.clear()
        tile_map = self._tile_map
        turns = HEXAGON_TURNS if tile_map.orientation == "hexagonal" else 0
        finished = FinishedTiles(canvas, layer)
        known, style = self._ready, (layer.id, canvas.scale)
        found = []
        gids, flags = layer.gids(ids).tolist(), layer.flags(ids).tolist()
        for gid, turn, part in zip(gids, flags, map(tuple, parts.tolist()), strict=True):
            key = (frames.get(gid, gid), turn, part, style)
            tile = known.get(key)
            if tile is None:
                width, height = ceil(part[2]), ceil(part[3])
                if turn & turns or max(width, 1) * max(height, 1) > LARGE_TILE:
                    return None
                image, crisp = finished.get(gid, turn, (width, height), part)
                tile = known[key] = _Ready(to_surface(image), crisp)
                if alpha_range(tile.surface)[0] == 255:
                    tile.surface.set_alpha(None)
            found.append(tile)
        return found

    def _apart(
        self, layer: TileLayer, ids: NDArray[np.int32], boxes: NDArray[np.float64]
    ) -> bool:
        """Return whether tiles cannot overlap, because each one fills its cell."""
        if self._tile_map.orientation != "orthogonal":
            return False
        size = self._tile_map.tile_size
        places = boxes - np.tile(layer.cells(ids) * size, 2)
        return bool((places == places[0]).all() and (places[0, 2:] - places[0, :2] == size).all())


def animated_gids(tile_map: TileMap) -> frozenset[int]:
    """Return the gids of all animated tiles of a map."""
    return frozenset(
        tileset.first_gid + local_id
        for tileset in tile_map.tilesets
        for local_id, tile in tileset.tiles.items()
        if tile.frames
    )

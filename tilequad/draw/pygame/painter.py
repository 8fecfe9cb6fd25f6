"""Paint parts of layers, pixel for pixel as `tilequad.draw.pillow.render` draws them.

Pillow finishes each tile once, and pygame puts the tiles together, which is several times as fast.
Pillow itself draws everything that pygame would round differently.
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
from tilequad.draw.pillow.shapes import REACH
from tilequad.draw.pillow.transforms import HEXAGON_TURNS
from tilequad.draw.pygame.overview import Overview
from tilequad.draw.pygame.picked_tiles import Cells, PickedTiles
from tilequad.draw.pygame.surfaces import (
    Blit,
    Sheet,
    alpha_range,
    blank,
    draw_all,
    to_image,
    to_surface,
)
from tilequad.draw.shown_objects import Objects
from tilequad.tiled import Layer, ObjectLayer, TileLayer, TileMap

__all__ = ["Frames", "Painted", "Painter"]

Frames = Mapping[int, int]  # gid of an animated tile -> gid of the frame it shows

_TINY = 2  # pixels; tiles of this size and smaller are drawn in one color each
_MOST_KINDS = 1 << 10  # the most fractions of a pixel to keep finished tiles for

Part = tuple[float, ...]  # left, top, right, bottom of a tile, relative to a whole pixel


class Painted(NamedTuple):
    """A part of some layers."""

    surface: pygame.Surface | None  #: None if nothing is there
    opaque: bool


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
        self._overview = Overview(tile_map)
        self._animated = animated_gids(tile_map)
        self._ready: dict[tuple[int, Part], _Tiles] = {}
        self._picked: dict[int, PickedTiles] = {}

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
        sheet = Sheet(area.size)
        for layer in self._layers:
            if isinstance(layer, TileLayer) and self._is_tiny(scale):
                self._draw_overview(sheet, canvas, layer, view)
                continue
            reach = REACH / scale if isinstance(layer, ObjectLayer) else 0.0
            ids = layer.query(grown(view, reach))
            if not len(ids):
                continue
            if isinstance(layer, TileLayer) and self._draw_tiles(sheet, canvas, layer, ids, frames):
                continue
            canvas.picture = sheet.image()
            draw_layer(canvas, layer, view, self._objects)
        if sheet.is_empty:
            return Painted(None, False)
        surface = sheet.surface()
        low, high = alpha_range(surface)
        surface.set_alpha(None)  # it is copied, not blended
        return Painted(surface if high else None, low == 255)

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

    def _draw_overview(self, sheet: Sheet, canvas: Canvas, layer: TileLayer, view: Bounds) -> None:
        canvas.use(layer)
        image = self._overview.draw(layer, view, canvas.picture.size)
        if image is None:
            return
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
        """Draw tiles with pygame; return False, and draw nothing, if Pillow must draw them."""
        canvas.use(layer)
        world_boxes = layer.boxes(ids)
        _, corners, parts = canvas.places(world_boxes)
        gids, flags = layer.gids(ids), layer.flags(ids)
        if canvas.scale < 1:
            if frames:
                gids = np.array([frames.get(gid, gid) for gid in gids.tolist()], np.uint32)
            if not (canvas.is_normal or self._apart(layer, ids, world_boxes)):
                return False
            return self._draw_picked(sheet, canvas, layer, Cells(gids, flags, corners, parts))
        finished = _Finished(self._tile_map, canvas, layer, self._ready)
        tiles = finished.of(gids, flags, parts, frames)
        if tiles is None:
            return False
        blits: list[Blit] = list(zip(tiles, corners.tolist(), strict=True))
        if canvas.is_normal and finished.crisp:
            draw_all(sheet.surface(), blits)
        elif self._apart(layer, ids, world_boxes):  # so the layer can be blended as a whole
            whole = blank(canvas.picture.size)
            draw_all(whole, blits)
            canvas.picture = sheet.image()
            canvas.paste(to_image(whole), 0, 0)
        else:
            return False
        return True

    def _draw_picked(self, sheet: Sheet, canvas: Canvas, layer: TileLayer, cells: Cells) -> bool:
        """Draw tiles at a scale below 1; return False, and draw nothing, if Pillow must."""
        turns = HEXAGON_TURNS if self._tile_map.orientation == "hexagonal" else 0
        if (cells.flags & turns).any():
            return False
        if np.prod(np.ceil(cells.parts[:, 2:]).max(axis=0)) > LARGE_TILE:
            return False
        picked = self._picked.setdefault(layer.id, PickedTiles())
        if canvas.is_normal:
            picked.draw(sheet.pixels(), canvas, layer, cells)
        else:  # tiles that do not overlap can be blended as a whole
            whole = Sheet(canvas.picture.size)
            picked.draw(whole.pixels(), canvas, layer, cells)
            canvas.picture = sheet.image()
            canvas.paste(whole.image(), 0, 0)
        return True

    def _apart(self, layer: TileLayer, ids: NDArray[np.int32], boxes: NDArray[np.float64]) -> bool:
        """Return whether tiles cannot overlap, because each one fills its cell."""
        if self._tile_map.orientation != "orthogonal":
            return False
        size = self._tile_map.tile_size
        places = boxes - np.tile(layer.cells(ids) * size, 2)
        return bool((places == places[0]).all() and (places[0, 2:] - places[0, :2] == size).all())


class _Tiles:
    """The finished tiles of a layer at one place among the pixels, by gid and flags."""

    def __init__(self) -> None:
        self.surfaces: dict[int, pygame.Surface] = {}
        self.soft: set[int] = set()  #: tiles with half transparent pixels


class _Finished:
    """Finishes the tiles of a layer, each once.

    Args:
        tile_map: The map.
        canvas: A canvas that is drawing the layer.
        layer: The layer.
        ready: Finished tiles by layer and place.

    Attributes:
        crisp: Whether no pixel of the requested tiles is half transparent.
    """

    def __init__(
        self,
        tile_map: TileMap,
        canvas: Canvas,
        layer: TileLayer,
        ready: dict[tuple[int, Part], _Tiles],
    ) -> None:
        self.crisp = True
        self._turns = HEXAGON_TURNS if tile_map.orientation == "hexagonal" else 0
        self._finished = FinishedTiles(canvas, layer)
        self._layer_id = layer.id
        self._ready = ready

    def of(
        self,
        gids: NDArray[np.uint32],
        flags: NDArray[np.uint8],
        parts: NDArray[np.float64],
        frames: Frames,
    ) -> list[pygame.Surface] | None:
        """Return the finished tiles, or None if one is rotated or too large."""
        shown = gids.tolist()
        if frames:
            shown = [frames.get(gid, gid) for gid in shown]
        keys = [gid << 4 | turn for gid, turn in zip(shown, flags.tolist(), strict=True)]
        if (parts == parts[0]).all():
            return self._of_one_kind(keys, tuple(parts[0].tolist()))
        found = []
        for key, part in zip(keys, map(tuple, parts.tolist()), strict=True):
            tile = self._of_one_kind([key], part)
            if tile is None:
                return None
            found += tile
        return found

    def _of_one_kind(self, keys: list[int], part: Part) -> list[pygame.Surface] | None:
        tiles = self._ready.get((self._layer_id, part))
        if tiles is None:
            if len(self._ready) >= _MOST_KINDS:
                self._ready.clear()
            tiles = self._ready[self._layer_id, part] = _Tiles()
        known = tiles.surfaces
        try:
            found = [known[key] for key in keys]
        except KeyError:
            for key in dict.fromkeys(keys):
                if key not in known and not self._finish(key, part, tiles):
                    return None
            found = [known[key] for key in keys]
        self.crisp = self.crisp and (not tiles.soft or tiles.soft.isdisjoint(keys))
        return found

    def _finish(self, key: int, part: Part, tiles: _Tiles) -> bool:
        left, top, right, bottom = part
        size = ceil(right), ceil(bottom)
        if key & self._turns or max(size[0], 1) * max(size[1], 1) > LARGE_TILE:
            return False
        image, crisp = self._finished.get(key >> 4, key & 15, size, (left, top, right, bottom))
        surface = to_surface(image)
        if alpha_range(surface)[0] == 255:
            surface.set_alpha(None)  # copied, not blended
        tiles.surfaces[key] = surface
        if not crisp:
            tiles.soft.add(key)
        return True


def seen_in(area: pygame.Rect, scale: float) -> Bounds:
    """Return the part of the world that some pixels show."""
    return Bounds(*(side / scale for side in (*area.topleft, *area.bottomright)))


def grown(view: Bounds, margin: float) -> Bounds:
    """Return a view with a margin around it."""
    return Bounds(
        view.min_x - margin, view.min_y - margin, view.max_x + margin, view.max_y + margin
    )


def animated_gids(tile_map: TileMap) -> frozenset[int]:
    """Return the gids of all animated tiles of a map."""
    return frozenset(
        tileset.first_gid + local_id
        for tileset in tile_map.tilesets
        for local_id, tile in tileset.tiles.items()
        if tile.frames
    )

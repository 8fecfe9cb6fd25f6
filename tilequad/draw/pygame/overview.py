"""Draw tile layers from far away, when tiles are tiny: one color for each cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pygame
from numpy.typing import NDArray
from PIL import Image

from tilequad.draw.pygame.surfaces import Ints, picked
from tilequad.draw.tile_pictures import TilePictures
from tilequad.tiled import TileLayer, TileMap
from tilequad.tiled.cells import GID_MASK
from tilequad.tiled.model.tile_layer import places_of

__all__ = ["Overview"]

_FARTHEST = (1 << 31) - 1  # columns and rows; none is farther out
_TABLE = 1 << 20  # the most gids to look up in a table

Floats = NDArray[np.floating[Any]]


class Overview:
    """Draws the cell in the middle of each pixel, so the cost depends on the picture alone.

    That is the cell at the pixel of the map that `render` picks: the same one, whatever is painted
    together.
    """

    def __init__(self, tile_map: TileMap) -> None:
        self._tile_map = tile_map
        self._pictures = TilePictures.of(tile_map)
        self._colors: dict[int, int] = {0: 0}

    def draw(self, layer: TileLayer, area: pygame.Rect, scale: float) -> Image.Image | None:
        """Return a part of a layer, neither tinted nor faded, as RGBA; None if there is no tile.

        The area is in pixels from the origin of the world.
        """
        width, height = area.size
        x = picked(range(area.left, area.right), scale) + 0.5 - layer.offset[0]
        y = picked(range(area.top, area.bottom), scale) + 0.5 - layer.offset[1]
        columns, rows = (
            np.broadcast_to(part.clip(-_FARTHEST, _FARTHEST), (height, width)).astype(np.int32)
            for part in self._cells(x, y[:, None])
        )
        raw = places_of(layer).tiles.raw(columns.reshape(-1), rows.reshape(-1))
        gids = raw & np.uint32(GID_MASK)
        if not gids.any():
            return None
        values = self._colors_of(gids)
        return Image.frombuffer("RGBA", area.size, values, "raw", "RGBA", 0, 1)

    def _cells(self, x: Floats, y: Floats) -> tuple[Ints, Ints]:
        """Return the columns and rows of the cells at points; both arrays fit the picture."""
        tile_map = self._tile_map
        (width, height), kind = tile_map.tile_size, tile_map.orientation
        if kind == "isometric":
            across, down = (x - tile_map.size[1] * width // 2) / width, y / height
            columns, rows = down + across, down - across
        elif kind == "oblique":
            skew_x, skew_y = tile_map.skew
            area = width * height - skew_x * skew_y or 1
            columns, rows = (x * height - y * skew_x) / area, (y * width - x * skew_y) / area
        elif kind == "orthogonal":
            columns, rows = x / width, y / height
        else:
            return self._staggered(x, y)
        return np.floor(columns).astype(np.int64), np.floor(rows).astype(np.int64)

    def _staggered(self, x: Floats, y: Floats) -> tuple[Ints, Ints]:
        """Return cells of staggered and hexagonal maps, as if they were bricks."""
        tile_map = self._tile_map
        (width, height), side = tile_map.tile_size, tile_map.hex_side_length
        along_x = tile_map.stagger_axis == "x"
        if tile_map.orientation == "staggered":
            side = 0
        odd = tile_map.stagger_index == "odd"
        if along_x:
            columns = np.floor(x / ((width + side) // 2))
            rows = np.floor((y - height // 2 * (columns % 2 == odd)) / height)
        else:
            rows = np.floor(y / ((height + side) // 2))
            columns = np.floor((x - width // 2 * (rows % 2 == odd)) / width)
        return columns.astype(np.int64), rows.astype(np.int64)

    def _colors_of(self, gids: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the mean colors of tiles, each as the 32 bits of an RGBA pixel."""
        if int(gids.max()) >= _TABLE:
            kinds, which = np.unique(gids, return_inverse=True)
            return np.array([self._color(gid) for gid in kinds.tolist()], np.uint32)[which]
        table = np.zeros(int(gids.max()) + 1, np.uint32)
        table[gids] = 1
        for gid in np.flatnonzero(table).tolist():
            table[gid] = self._color(gid)
        found: NDArray[np.uint32] = table[gids]
        return found

    def _color(self, gid: int) -> int:
        """Return the mean color of a tile, as the 32 bits of an RGBA pixel."""
        color = self._colors.get(gid)
        if color is None:
            pixels = np.asarray(self._pictures.tile(gid), float).reshape(-1, 4)
            weights = pixels[:, 3:]
            mean = np.zeros(4)
            mean[:3] = (pixels[:, :3] * weights).sum(axis=0) / max(weights.sum(), 1)
            mean[3] = weights.mean()
            color = int((mean + 0.5).astype(np.uint8).view(np.uint32)[0])
            self._colors[gid] = color
        return color

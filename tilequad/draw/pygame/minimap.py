"""The whole map in a corner of the screen."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

import numpy as np
import pygame
from numpy.typing import ArrayLike

from tilequad.bounds import Bounds
from tilequad.draw.pygame.map_view import MapView
from tilequad.draw.pygame.surfaces import draw_all
from tilequad.draw.pygame.targets import seen_by
from tilequad.tiled import TileMap

__all__ = ["Minimap"]

Color = tuple[int, int, int]

_BACKGROUND = (0, 0, 0)
_FRAME = (255, 255, 255)


class Minimap:
    """Draws the whole map small, what the camera sees of it, and where units are.

    It follows the map as a `MapView` does, and costs next to nothing while the map stays the same.

    Args:
        tile_map: The map, with y down.
        size: The largest width and height of the minimap, in pixels.

    Attributes:
        size: Its width and height, in the proportions of the map.

    Raises:
        ValueError: The map was loaded with `y_up=True`, has no cells, or the size is not above 0.

    Example:
        >>> import pygame
        >>> from tilequad import load_map
        >>> from tilequad.draw.pygame import Minimap
        >>> minimap = Minimap(load_map("maps/frontier.tmx", y_up=False), (160, 160))
        >>> screen = pygame.Surface((640, 360))
        >>> minimap.draw(screen, (470, 10), view=(3000, 3900, 3640, 4260))
        >>> minimap.to_world(470 + 80, 10 + 80, (470, 10))  # where a click points
        (4096.0, 4096.0)
    """

    def __init__(self, tile_map: TileMap, size: tuple[int, int]) -> None:
        world = tile_map.bounds
        if not (size[0] > 0 and size[1] > 0):
            raise ValueError(f"size must be above 0, got {size!r}")
        if not (world.width > 0 and world.height > 0):
            raise ValueError("tile_map must have cells")
        self._map_view = MapView(tile_map)
        self._world = world
        scale = min(size[0] / world.width, size[1] / world.height)
        self.size = max(1, floor(world.width * scale)), max(1, floor(world.height * scale))
        self._scale = self.size[0] / world.width

    def draw(
        self,
        surface: pygame.Surface,
        corner: tuple[int, int],
        view: Sequence[float] | None = None,
        units: ArrayLike = (),
        color: Color = (255, 60, 60),
    ) -> None:
        """Draw the minimap.

        Args:
            surface: The surface; the minimap has to fit on it.
            corner: The upper left corner of the minimap, in pixels.
            view: What the camera sees, in world units, to be framed.
            units: (n, 2) positions of units, in world units, each drawn as a dot.
            color: Red, green, blue of the dots, from 0 to 255.

        Raises:
            TypeError: The view is a Rect of pygame, whose last numbers are a size.
            ValueError: The minimap does not fit on the surface there, the view is not a box, or
                `units` is not (n, 2).
        """
        seen = None if view is None else seen_by(view)
        points = np.asarray(units, float)
        if points.size and (points.ndim != 2 or points.shape[1] != 2):
            raise ValueError(f"units must have the shape (n, 2), got {points.shape}")
        place = pygame.Rect(corner, self.size)
        if not surface.get_rect().contains(place):
            raise ValueError(f"the minimap {place!r} does not fit on {surface!r}")
        part = surface.subsurface(place)
        part.fill(_BACKGROUND)
        self._map_view.draw(part, self._world)
        if points.size:
            self._draw_units(part, points, color)
        if seen is not None:
            self._draw_frame(part, seen)

    def to_world(self, x: float, y: float, corner: tuple[int, int]) -> tuple[float, float]:
        """Return the point of the world at a pixel of the screen, such as that of a click.

        Args:
            x: The pixel.
            y: The pixel.
            corner: As for `draw`.
        """
        across, down = (x - corner[0]) / self._scale, (y - corner[1]) / self._scale
        return self._world.min_x + across, self._world.min_y + down

    def _draw_units(self, part: pygame.Surface, points: np.ndarray, color: Color) -> None:
        dot = pygame.Surface((2, 2), 0, 32)
        dot.fill(color)
        spots = np.unique(self._pixels(points), axis=0)
        draw_all(part, [(dot, spot) for spot in spots.tolist()])

    def _draw_frame(self, part: pygame.Surface, seen: Bounds) -> None:
        corners = np.array([(seen.min_x, seen.min_y), (seen.max_x, seen.max_y)])
        (left, top), (right, bottom) = self._pixels(corners).tolist()
        frame = pygame.Rect(left, top, max(right - left, 2), max(bottom - top, 2))
        pygame.draw.rect(part, _FRAME, frame, 1)

    def _pixels(self, points: np.ndarray) -> np.ndarray:
        corner = self._world.min_x, self._world.min_y
        most = 2 * max(self.size)  # not beyond what pygame can count
        return ((points - corner) * self._scale).clip(-most, most).astype(int)

"""The whole map in a corner of the screen, with dots for units and a frame for the view."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pygame
from numpy.typing import ArrayLike, NDArray

from tilequad.bounds import Bounds
from tilequad.draw.pygame.map_view import MapView
from tilequad.draw.pygame.surfaces import Blit, draw_all
from tilequad.draw.pygame.targets import seen_by

__all__ = ["Minimap"]

Color = tuple[int, int, int]
Floats = NDArray[np.float64]


class Minimap:
    """A small picture of a map, which follows its changes as a `MapView` does.

    While the map stays the same, drawing it is one small copy.

    Args:
        map_view: Draws the map.
        size: The longer side, in pixels.
        background: Red, green, blue where the map is empty, 0 to 255.

    Attributes:
        width: Of the picture, in pixels.
        height: Of the picture, in pixels.

    Raises:
        ValueError: `size` is below 1.

    Example:
        >>> import pygame
        >>> from tilequad import load_map
        >>> from tilequad.draw.pygame import MapView, Minimap
        >>> map_view = MapView(load_map("maps/frontier.tmx", y_up=False))
        >>> minimap = Minimap(map_view, 160)
        >>> screen = pygame.Surface((640, 360))
        >>> minimap.draw(screen, 470, 10, view=(3000, 3900, 3640, 4260))
        >>> minimap.world_at(80, 80)  # where a click in the middle of it points
        (4096.0, 4096.0)
    """

    def __init__(
        self, map_view: MapView, size: int = 192, background: Color = (24, 26, 30)
    ) -> None:
        if size < 1:
            raise ValueError(f"size must be 1 or more, got {size!r}")
        self._map_view = MapView(map_view.tile_map)  # which keeps this picture, not the game's
        self._background = background
        self._bounds = map_view.tile_map.bounds
        longest = max(self._bounds.width, self._bounds.height, 1.0)
        self.width = max(round(self._bounds.width * size / longest), 1)
        self.height = max(round(self._bounds.height * size / longest), 1)

    def draw(
        self,
        surface: pygame.Surface,
        left: int,
        top: int,
        view: Sequence[float] | None = None,
        positions: ArrayLike = (),
        *,
        colors: ArrayLike = (255, 255, 255),
        dot: int = 3,
        frame: Color = (255, 246, 214),
    ) -> None:
        """Draw the picture.

        Args:
            surface: The surface.
            left: The picture's left edge, in pixels.
            top: Its upper edge.
            view: What the game's camera sees, in world units; None draws no frame.
            positions: (n, 2) of units in the world; a dot for each.
            colors: (n, 3) of the dots, or one for all; 0 to 255.
            dot: The side of a dot, in pixels.
            frame: The color of the frame around the view.

        Raises:
            TypeError: The view is a Rect of pygame, whose last numbers are a size.
            ValueError: The view is not a box, shapes do not fit, or the picture does not fit on
                the surface there.
        """
        seen = None if view is None else seen_by(view)
        points = np.asarray(positions, float)
        if points.size and (points.ndim != 2 or points.shape[1] != 2):
            raise ValueError(f"positions must have the shape (n, 2), got {points.shape}")
        place = pygame.Rect(left, top, self.width, self.height)
        if not surface.get_rect().contains(place):
            raise ValueError(f"the minimap does not fit on the surface at {place!r}")
        part = surface.subsurface(place)
        part.fill(self._background)
        if self._bounds.width and self._bounds.height:
            self._map_view.draw(part, self._bounds)
        if points.size:
            self._draw_dots(part, points, colors, dot)
        if seen is not None:
            self._draw_frame(part, seen, frame)

    def world_at(self, x: float, y: float) -> tuple[float, float] | None:
        """Return the world point under a point of the picture; None beside it.

        Args:
            x: Pixels from the picture's left edge, such as a mouse click's.
            y: Pixels from its upper edge.
        """
        if not (0 <= x <= self.width and 0 <= y <= self.height):
            return None
        bounds = self._bounds
        return (
            bounds.min_x + x / self.width * bounds.width,
            bounds.min_y + y / self.height * bounds.height,
        )

    def _draw_dots(
        self, part: pygame.Surface, points: Floats, colors: ArrayLike, side: int
    ) -> None:
        shades = np.broadcast_to(np.asarray(colors, np.uint8), (len(points), 3))
        corners = np.floor(self._project(points) - side / 2 + 0.5).astype(np.int64)
        dots: dict[Color, pygame.Surface] = {}
        blits: list[Blit] = []
        # of dots at the same pixels only one is drawn
        for x, y, *shade in np.unique(np.hstack((corners, shades)), axis=0).tolist():
            color = shade[0], shade[1], shade[2]
            if color not in dots:
                dots[color] = pygame.Surface((side, side), 0, 32)
                dots[color].fill(color)
            blits.append((dots[color], (x, y)))
        draw_all(part, blits)

    def _draw_frame(self, part: pygame.Surface, seen: Bounds, color: Color) -> None:
        corners = np.array([(seen.min_x, seen.min_y), (seen.max_x, seen.max_y)])
        (left, top), (right, bottom) = self._project(corners).astype(int).tolist()
        frame = pygame.Rect(left, top, max(right - left, 2), max(bottom - top, 2))
        pygame.draw.rect(part, color, frame, 1)

    def _project(self, points: Floats) -> Floats:
        """Return pixels from the upper left corner of the picture, none of them far outside."""
        bounds, size = self._bounds, (self.width, self.height)
        extent = max(bounds.width, 1e-9), max(bounds.height, 1e-9)
        found: Floats = (points - (bounds.min_x, bounds.min_y)) / extent * size
        return found.clip(-max(size), 2 * max(size))

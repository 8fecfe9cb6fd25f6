"""The whole map in a corner of the screen, with dots for units and a frame for the view."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import TYPE_CHECKING

import numpy as np
import pygame
from numpy.typing import ArrayLike, NDArray

from tilequad._core.array_kinds import Floats
from tilequad._core.checks import finite_number
from tilequad.bounds import Bounds
from tilequad.draw.arguments import points_of, rgba
from tilequad.draw.minimaps import MinimapBase
from tilequad.draw.pygame.map_view import MapView
from tilequad.draw.pygame.surfaces import Blit, blank, draw_all, nbytes_of, seen_by, surface_size

if TYPE_CHECKING:
    from tilequad.nav import Fog

__all__ = ["Minimap"]

Color = tuple[int, ...]  # red, green, blue, optionally alpha


class Minimap(MinimapBase[MapView]):
    """A small picture of a map, which follows the changes of the map and of a fog.

    While the map stays the same, drawing it is one small copy; with a fog, two. The first time
    takes 10 to 25 ms for each layer, and each dot 0.2 microseconds.

    Args:
        map_view: Draws the map; the picture shows the same objects as it does.
        size: The longer side, in pixels.
        background: Red, green, blue where the map is empty, 0 to 255.
        fog: A `tilequad.nav.Fog`: the picture is black where the team has never
            seen the land, and dark where it does not see it now. Dots are drawn over it, so pass
            only units that the team sees.
        team: The team whose view it is.

    Attributes:
        width: The width of the picture, in pixels: `size` at most. `draw` changes it after an
            infinite map has grown.
        height: The height of the picture, in pixels, likewise.
        fog: The fog, or None; it may be set at any time.
        team: The team; it may be set at any time.

    Raises:
        TypeError: `map_view` is not a `MapView` of this package.
        ValueError: `size` is below 1.

    Example:
        >>> import pygame
        >>> from tilequad import load_map
        >>> from tilequad.draw.pygame import MapView, Minimap
        >>> map_view = MapView(load_map("maps/frontier.tmx", y_up=False))
        >>> minimap = Minimap(map_view, 160)
        >>> screen = pygame.Surface((640, 360))
        >>> minimap.draw(screen, 470, 10, bounds=(3000, 3900, 3640, 4260))
        >>> minimap.world_at(80, 80)  # where a click in the middle of it points
        (4096.0, 4096.0)
    """

    _view_type = MapView

    def _prepare(self) -> None:
        # A view of its own, so the game's view keeps its picture
        self._own_view = MapView(self._map_view.tile_map)
        self._own_view._still = True
        self._sheet: pygame.Surface | None = None  # its darkness

    @property
    def nbytes(self) -> int:
        """The memory of the picture and of the fog over it, in bytes."""
        return self._own_view.nbytes + nbytes_of(self._sheet) + self._cells.nbytes

    def draw(
        self,
        target: pygame.Surface,
        left: int,
        top: int,
        bounds: Sequence[float] | None = None,
        positions: ArrayLike = (),
        *,
        colors: ArrayLike = (255, 255, 255),
        dot: float = 3,
        frame: Color = (255, 246, 214),
    ) -> None:
        """Draw the picture.

        Args:
            target: The surface.
            left: The picture's left edge, in pixels.
            top: Its upper edge: y points down in pygame.
            bounds: What the game's camera sees, in world units; None draws no frame.
            positions: (n, 2) of units in the world; a dot for each.
            colors: The colors of the dots, (n, 3) or (n, 4) with alpha, or one for all; 0 to 255.
            dot: The side of a dot, rounded to whole pixels.
            frame: The color of the frame around `bounds`.

        Raises:
            TypeError: `target` is not a surface, `bounds` is a Rect of pygame, whose last numbers
                are a size, or `dot` is not a number.
            ValueError: `bounds` is not a box, shapes do not fit, a color is not from 0 to 255, the
                fog has no such team, or the picture does not fit on the surface there.
        """
        surface_size(target)
        self._follow_bounds()
        seen = None if bounds is None else seen_by(bounds)
        points = points_of(positions, np.float64)
        side = max(floor(finite_number(dot, "dot") + 0.5), 0)
        place = pygame.Rect(left, top, self.width, self.height)
        if not target.get_rect().contains(place):
            raise ValueError(f"the minimap does not fit on the surface at {place!r}")
        part = target.subsurface(place)
        part.fill(self._background)
        whole = self._bounds
        if whole.width and whole.height:
            self._own_view.objects = self._map_view.objects
            self._own_view.draw(part, whole)
        if self.fog is not None:
            part.blit(self._followed(self.fog), (0, 0))
        if points.size:
            self._draw_dots(part, points, colors, side)
        if seen is not None:
            self._draw_frame(part, seen, frame)

    def _followed(self, fog: Fog) -> pygame.Surface:
        """Return how dark the picture is, as a surface."""
        shades = self._shades(fog)
        if self._sheet is None:
            self._sheet = blank((self.width, self.height))
        if shades is not None:
            alpha = pygame.surfarray.pixels_alpha(self._sheet)
            alpha[:] = shades.T
            del alpha  # it would keep the surface locked
        return self._sheet

    def _draw_dots(
        self, part: pygame.Surface, points: Floats, colors: ArrayLike, side: int
    ) -> None:
        shades = rgba(colors, len(points))
        places = self._near(self._project(points)) - side / 2
        corners = np.floor(places + 0.5).astype(np.int64)
        if part.get_bytesize() == 4 and (shades[:, 3] == 255).all():
            scatter(part, corners, shades, side)
            return
        dots: dict[tuple[int, ...], pygame.Surface] = {}
        blits: list[Blit] = []
        # of several dots at the same pixel only one is drawn
        for x, y, *shade in np.unique(np.hstack((corners, shades)), axis=0).tolist():
            color = tuple(shade)
            if color not in dots:
                solid = color[3] == 255
                dots[color] = pygame.Surface((side, side), 0 if solid else pygame.SRCALPHA, 32)
                dots[color].fill(color[:3] if solid else color)
            blits.append((dots[color], (x, y)))
        draw_all(part, blits)

    def _draw_frame(self, part: pygame.Surface, seen: Bounds, color: Color) -> None:
        corners = self._near(self._corners(seen)).astype(int)
        (left, top), (right, bottom) = corners.tolist()
        frame = pygame.Rect(left, top, max(right - left, 2), max(bottom - top, 2))
        shade = self._frame_color(color).tolist()
        if shade[3] == 255:
            pygame.draw.rect(part, shade[:3], frame, 1)
        else:  # pygame's lines do not blend by themselves
            sheet = blank(part.get_size())
            pygame.draw.rect(sheet, shade, frame, 1)
            part.blit(sheet, (0, 0))

    def _near(self, pixels: Floats) -> Floats:
        """Move points far off the picture nearer: pygame uses 32-bit coordinates."""
        longest = max(self.width, self.height)
        return pixels.clip(-longest, 2 * longest)


def scatter(
    target: pygame.Surface, corners: NDArray[np.int64], colors: NDArray[np.uint8], side: int
) -> None:
    """Draw squares of opaque colors, later ones on top, on a surface of 32 bits a pixel.

    Given are the upper left pixel of each, (n, 2), and its color, (n, 4).
    """
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    places = (corners[:, None] + np.stack((x.ravel(), y.ravel()), axis=1)).reshape(-1, 2)
    red, green, blue, _ = target.get_shifts()
    shades = colors.astype(np.uint32)
    values = shades[:, 0] << red | shades[:, 1] << green | shades[:, 2] << blue
    values = (values | np.uint32(target.get_masks()[3])).repeat(side * side)
    shown = ((places >= 0) & (places < target.get_size())).all(axis=1)
    pixels = pygame.surfarray.pixels2d(target)
    pixels[places[shown, 0], places[shown, 1]] = values[shown]

"""Fogs, fields and influence maps over a surface: sheets sampled at some points, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, inf

import numpy as np
import pygame
from numpy.typing import NDArray

from tilequad._core.array_kinds import Floats
from tilequad.bounds import Bounds
from tilequad.draw.overlays import (
    CellOverlay,
    CellsOfField,
    CellsOfFog,
    CellsOfInfluence,
    field_pixels,
    influence_pixels,
    pixel_places,
)
from tilequad.draw.pygame.surfaces import bgra, blank, nbytes_of, seen_by, surface_size

__all__ = ["FieldOverlay", "FogOverlay", "InfluenceOverlay", "SampledOverlay"]

MOST_PIXELS = 16  # the greatest distance between samples, in pixels


class SampledOverlay(CellOverlay):
    """Draws a sheet over a surface, painted again only when the view or its content changes.

    It is sampled at points some pixels apart; the rest is interpolated.
    """

    _each: int  # how many samples fit into the width of the narrowest feature
    _soft = 1.0  # how wide the edges between cells are, in cells
    _band = inf  # the width of a pattern, in world units
    _sheet: pygame.Surface | None = None
    _known: tuple[object, ...] = ()

    @property
    def nbytes(self) -> int:
        """The memory of the layer as it was drawn last, in bytes."""
        return nbytes_of(self._sheet)

    def draw(self, target: pygame.Surface, bounds: Sequence[float]) -> None:
        """Draw over a surface.

        Args:
            target: The surface.
            bounds: What the camera sees, in world units: min_x, min_y, max_x, max_y.

        Raises:
            TypeError: `target` is not a surface, or `bounds` is a Rect of pygame, whose last
                numbers are a size.
            ValueError: `bounds` is not a box, or it is empty; or a fog has no such team.
        """
        size, seen = surface_size(target), seen_by(bounds)
        known = seen, size, *self._content()
        if not all(size):
            return
        if known != self._known:
            self._sheet = self._painted(seen, size)
            self._known = known
        assert self._sheet is not None
        target.blit(self._sheet, (0, 0))

    def _painted(self, seen: Bounds, size: tuple[int, int]) -> pygame.Surface:
        """Return the sheet, of the size of the screen."""
        frame = self._space.frame
        cell = min(hypot(*frame.across), hypot(*frame.down)) * max(self._soft, 0.1)
        narrowest = min(cell, self._band) * size[0] / seen.width
        step = int(min(max(narrowest / self._each, 1), MOST_PIXELS))
        # pygame puts the first sample on the first pixel, and the last one beyond the last pixel.
        wide, high = (-(-side // step) + 1 for side in size)
        across, down = step * seen.width / size[0], step * seen.height / size[1]
        before = (step - 1) / (2 * step)
        left, top = seen.min_x - before * across, seen.min_y - before * down
        box = Bounds(left, top, left + wide * across, top + high * down)
        sheet = self._sampled(*pixel_places((wide, high), box, y_up=False))
        if step == 1:
            return sheet
        return pygame.transform.smoothscale(sheet, ((wide - 1) * step, (high - 1) * step))

    def _sampled(self, x: Floats, y: Floats) -> pygame.Surface:
        """Return a pixel for each point of the world, x (1, width) and y (height, 1)."""
        raise NotImplementedError


def surface_of(pixels: NDArray[np.uint8]) -> pygame.Surface:
    """Return blue, green, red and alpha of pixels, (height, width, 4), as a surface."""
    return pygame.image.frombuffer(pixels.tobytes(), pixels.shape[1::-1], "BGRA")


class FogOverlay(SampledOverlay, CellsOfFog):
    """Darkens what a team does not see now, and blacks out what it has never seen.

    While neither the view nor the fog changes, drawing is one copy. Otherwise the fog is found at
    some places of each cell, and smoothed between them: 2 to 5 ms on a surface of 1280 x 720, up to
    20 ms where a whole map is seen, and ten times as long for cells that are not upright squares.

    Args:
        fog: The `tilequad.nav.Fog`; it may be set at any time to another one of the same grid.
        team: The team whose view it is; it may be set at any time.
        soft: How wide the edges between cells are, in cells; 0 leaves them sharp.
        darkness: The darkness of cells never seen, and of cells seen before; 0 to 255.

    Attributes:
        fog: The fog.
        team: The team.

    Raises:
        TypeError: `fog` is not a `Fog`.
        ValueError: `soft` is not from 0 to 1, or `darkness` not from 0 to 255.

    Example:
        >>> import pygame
        >>> from tilequad.draw.pygame import FogOverlay
        >>> from tilequad.nav import Fog, Grid
        >>> fog = Fog(Grid([[True] * 20] * 10, cell_size=32))
        >>> scout = fog.add(100, 100, 80)
        >>> screen = pygame.Surface((640, 320))
        >>> screen.fill("white")
        Rect(0, 0, 640, 320)
        >>> FogOverlay(fog).draw(screen, (0, 0, 640, 320))
        >>> screen.get_at((110, 110))[:3], screen.get_at((600, 10))[:3]
        ((255, 255, 255), (0, 0, 0))
    """

    _each = 8  # per width of an edge

    def _sampled(self, x: Floats, y: Floats) -> pygame.Surface:
        dark = self._dark_at(x, y)
        sheet = blank(dark.shape[::-1])
        alpha = pygame.surfarray.pixels_alpha(sheet)
        alpha[:] = dark.T
        del alpha  # it would keep the surface locked
        return sheet


class FieldOverlay(SampledOverlay, CellsOfField):
    """Colors the ground by how far it is to the goals of a field, in bands of equal distance.

    Where no way leads, nothing is drawn. While neither the view nor the field changes, drawing is
    one copy. Otherwise the colors are found at some places of each cell, and smoothed between them:
    5 to 25 ms on a surface of 1280 x 720, and 10 ns more for each cell after a change of the field.

    Args:
        field: The `tilequad.nav.Field`; it may be set at any time to another one
            of the same grid.
        max_distance: The distance that has the last color; None for the largest of the field.
        band: How wide a band is, in world units; None for a 24th of `max_distance`.
        near: Red, green, blue, alpha at the goals, 0 to 255.
        far: The same at `max_distance`.

    Attributes:
        field: The field.

    Raises:
        TypeError: `field` is not a `Field`.
        ValueError: `max_distance` or `band` is not above 0.

    Example:
        >>> import pygame
        >>> from tilequad.draw.pygame import FieldOverlay
        >>> from tilequad.nav import Field, Grid
        >>> field = Field(Grid([[True] * 20] * 10, cell_size=32), [(100, 100)])
        >>> screen = pygame.Surface((640, 320))
        >>> FieldOverlay(field).draw(screen, (0, 0, 640, 320))
        >>> bool(screen.get_at((100, 100))[0] > screen.get_at((600, 300))[0])  # red is near
        True
    """

    _each = 12  # per width of a cell or of a band
    _shown: tuple[object, ...] = ()  # what the colors and values are of

    @property
    def nbytes(self) -> int:
        """The memory of the layer as it was drawn last, and of its distances, in bytes."""
        return super().nbytes + (sum(part.nbytes for part in self._values) if self._shown else 0)

    def _painted(self, seen: Bounds, size: tuple[int, int]) -> pygame.Surface:
        if self._shown != self._content():
            self._values, colors = self._measured()
            self._colors = colors._replace(near=bgra(colors.near), far=bgra(colors.far))
            self._band, self._shown = colors.band, self._content()
        return super()._painted(seen, size)

    def _sampled(self, x: Floats, y: Floats) -> pygame.Surface:
        return surface_of(field_pixels(self._values, self._colors, self._space, x, y))


class InfluenceOverlay(SampledOverlay, CellsOfInfluence):
    """Colors the ground by an influence map, the more strongly the greater the influence is.

    While neither the view nor the map changes, drawing is one copy. Otherwise the colors are found
    at some places of each cell, and smoothed between them: 5 ms on a surface of 1280 x 720, and up
    to 45 where cells are smaller than 8 pixels.

    Args:
        influence: The `tilequad.nav.InfluenceMap`; it may be set at any time to another one of the
            same grid.
        full: The influence that has the whole color; None for the greatest on the map.
        high: Red, green, blue, alpha of an influence above 0, 0 to 255.
        low: The same below 0.

    Attributes:
        influence: The influence map.

    Raises:
        TypeError: `influence` is not an `InfluenceMap`.
        ValueError: `full` is not above 0, or a color is not four numbers.

    Example:
        >>> import pygame
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.draw.pygame import InfluenceOverlay
        >>> from tilequad.nav import Grid, InfluenceMap
        >>> units = DynamicQuadtree((0, 0, 640, 320))
        >>> units.add("orc", 100, 100)
        >>> threat = InfluenceMap(Grid([[True] * 20] * 10, cell_size=32, y_up=False), units, 150)
        >>> screen = pygame.Surface((640, 320))
        >>> InfluenceOverlay(threat).draw(screen, (0, 0, 640, 320))
        >>> screen.get_at((112, 112))[0] > 60, screen.get_at((600, 300))[0]  # red is near
        (True, 0)
    """

    _each = 4  # per width of a cell: colors are blended from one center to the next

    def _sampled(self, x: Floats, y: Floats) -> pygame.Surface:
        totals, tints = self._measured()
        tints = tints._replace(high=bgra(tints.high), low=bgra(tints.low))
        return surface_of(influence_pixels(totals, tints, self._space, x, y))

"""The influence of units as colors over the world."""

from __future__ import annotations

import pygame

from tilequad.bounds import Bounds
from tilequad.draw.cell_overlays import CellsOfInfluence
from tilequad.draw.overlays import influence_pixels
from tilequad.draw.pygame.samples import SampledOverlay, Samples
from tilequad.draw.pygame.surfaces import bgra

__all__ = ["InfluenceOverlay"]

SAMPLES = 4  # samples per width of a cell: colors are blended from one center to the next


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

    def _painted(self, seen: Bounds, size: tuple[int, int]) -> pygame.Surface:
        totals, tints = self._measured()
        tints = tints._replace(high=bgra(tints.high), low=bgra(tints.low))
        samples = Samples(seen, size, self._space.frame, 1.0, SAMPLES)
        pixels = influence_pixels(totals, tints, self._space, samples.x, samples.y)
        sheet = pygame.image.frombuffer(pixels.tobytes(), samples.size, "BGRA")
        return samples.smoothed(sheet)

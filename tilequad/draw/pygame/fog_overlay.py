"""A soft dark layer over everything that a team does not see."""

from __future__ import annotations

import numpy as np
import pygame

from tilequad.bounds import Bounds
from tilequad.draw.cell_overlays import CellsOfFog
from tilequad.draw.pygame.samples import SampledOverlay, Samples
from tilequad.draw.pygame.surfaces import blank

__all__ = ["FogOverlay"]

SAMPLES = 8  # samples per width of an edge between cells


class FogOverlay(SampledOverlay, CellsOfFog):
    """Darkens what a team does not see now, and blacks out what it has never seen.

    While neither the view nor the fog changes, drawing is one copy. Otherwise the fog is found at
    some places of each cell, and smoothed between them: 2 to 5 ms on a surface of 1280 x 720, up to
    20 ms where a whole map is seen, and ten times as long for cells that are not upright squares.

    Args:
        fog: The `tilequad.nav.Fog`.
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

    def _painted(self, seen: Bounds, size: tuple[int, int]) -> pygame.Surface:
        samples = Samples(seen, size, self._space.frame, self._soft, SAMPLES)
        dark = self._space.blend(
            self._dark(), float(self._shades[0]), samples.x, samples.y, self._soft
        )
        sheet = blank(samples.size)
        alpha = pygame.surfarray.pixels_alpha(sheet)
        alpha[:] = (dark + 0.5).astype(np.uint8).T
        del alpha  # it would keep the surface locked
        return samples.smoothed(sheet)

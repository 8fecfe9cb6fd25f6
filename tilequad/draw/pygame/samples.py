"""The sample points of an overlay, and the interpolated picture between them."""

from __future__ import annotations

from math import hypot, inf

import pygame

from tilequad.bounds import Bounds
from tilequad.draw.cell_blend import Frame
from tilequad.draw.overlays import pixel_places

__all__ = ["Samples"]

MOST_PIXELS = 16  # the greatest distance between samples, in pixels


class Samples:
    """Sample points on the screen, some pixels apart; the rest is interpolated.

    Args:
        seen: What the camera sees.
        size: Of the screen, in pixels.
        frame: Where the cells lie.
        soft: How wide the edges between cells are, in cells.
        each: How many samples fit into the width of the narrowest feature.
        band: The width of a pattern, in world units.

    Attributes:
        size: The number of samples, across and down.
        x: x of the samples in world units, (down, across).
        y: y of the samples, likewise.
    """

    def __init__(
        self,
        seen: Bounds,
        size: tuple[int, int],
        frame: Frame,
        soft: float,
        each: int,
        band: float = inf,
    ) -> None:
        cell = min(hypot(*frame.across), hypot(*frame.down)) * max(soft, 0.1)
        narrowest = min(cell, band) * size[0] / seen.width
        self._step = step = int(min(max(narrowest / each, 1), MOST_PIXELS))
        # pygame puts the first sample on the first pixel, and the last one beyond the last pixel.
        wide, high = (-(-side // step) + 1 for side in size)
        across, down = step * seen.width / size[0], step * seen.height / size[1]
        before = (step - 1) / (2 * step)
        left, top = seen.min_x - before * across, seen.min_y - before * down
        box = Bounds(left, top, left + wide * across, top + high * down)
        self.size = wide, high
        self.x, self.y = pixel_places(self.size, box, y_up=False)

    def smoothed(self, sheet: pygame.Surface) -> pygame.Surface:
        """Return the picture of the screen, interpolated from one pixel per sample."""
        if self._step == 1:
            return sheet
        size = (self.size[0] - 1) * self._step, (self.size[1] - 1) * self._step
        return pygame.transform.smoothscale(sheet, size)

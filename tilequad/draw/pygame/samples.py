"""The base of fog and fields: a sheet over the screen, sampled at some points and kept."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, inf
from typing import TYPE_CHECKING

import pygame

from tilequad.bounds import Bounds
from tilequad.draw.cell_overlays import CellOverlay
from tilequad.draw.cells import CellSpace
from tilequad.draw.overlays import pixel_places
from tilequad.draw.pygame.surfaces import nbytes_of
from tilequad.draw.pygame.targets import seen_by, surface_size

if TYPE_CHECKING:
    from tilequad.nav import CellFrame

__all__ = ["SampledOverlay", "Samples"]

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
        x: Of the samples in world units, as y, (down, across).
    """

    def __init__(
        self,
        seen: Bounds,
        size: tuple[int, int],
        frame: CellFrame,
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


class SampledOverlay(CellOverlay):
    """Draws a sheet over a surface, painted again only when the view or its content changes."""

    _sheet: pygame.Surface | None = None
    _known: tuple[object, ...] = ()

    def _begin(self, frame: CellFrame) -> None:
        self._space = CellSpace(frame)

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
        if known != self._known:
            self._sheet = self._painted(seen, size)
            self._known = known
        assert self._sheet is not None
        target.blit(self._sheet, (0, 0))

    def _painted(self, seen: Bounds, size: tuple[int, int]) -> pygame.Surface:
        """Return the sheet, of the size of the screen."""
        raise NotImplementedError

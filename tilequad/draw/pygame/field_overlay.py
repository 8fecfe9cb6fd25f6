"""Walking distances as colors over the world."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pygame

from tilequad.bounds import Bounds
from tilequad.draw.cell_blend import CellSpace
from tilequad.draw.overlays import (
    FAR,
    NEAR,
    Color,
    FieldLayer,
    checked_colors,
    field_pixels,
)
from tilequad.draw.pygame.samples import Samples
from tilequad.draw.pygame.surfaces import blank, nbytes_of
from tilequad.draw.pygame.targets import seen_by

__all__ = ["FieldOverlay"]

SAMPLES = 12  # samples per width of a cell or of a band


class FieldOverlay:
    """Colors the ground by how far it is to the goals of a field, in bands of equal distance.

    Where no way leads, nothing is drawn. While neither the view nor the field changes, drawing is
    one copy. Otherwise the colors are found at some places of each cell, and smoothed between them.

    Args:
        field: The field, such as a `tilequad.nav.Field`; it may be set at any time to another one
            of the same grid.
        max_distance: The distance that has the last color; None for the largest of the field.
        band: How wide a band is, in world units; None for a 24th of `max_distance`.
        near: Red, green, blue, alpha at the goals, 0 to 255.
        far: The same at `max_distance`.

    Attributes:
        field: The field.

    Raises:
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

    def __init__(
        self,
        field: FieldLayer,
        *,
        max_distance: float | None = None,
        band: float | None = None,
        near: Color = NEAR,
        far: Color = FAR,
    ) -> None:
        checked_colors(np.zeros((1, 1)), max_distance, band, near, far)
        self.field = field
        self._given = max_distance, band, near, far
        self._space = CellSpace(field.grid.frame)
        self._known: tuple[Bounds, tuple[int, int], FieldLayer, int] | None = None
        self._sheet = blank((1, 1))

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
            TypeError: `bounds` is a Rect of pygame, whose last numbers are a size.
            ValueError: `bounds` is not a box, or it is empty.
        """
        known = seen_by(bounds), target.get_size(), self.field, self.field.revision
        if known != self._known:
            self._sheet = self._painted(known[0], known[1])
            self._known = known
        target.blit(self._sheet, (0, 0))

    def _painted(self, seen: Bounds, size: tuple[int, int]) -> pygame.Surface:
        """Return the layer as a surface of the size of the screen."""
        distances = self.field.distances
        colors = checked_colors(distances, *self._given)
        samples = Samples(seen, size, self._space.frame, 1.0, SAMPLES, colors.band)
        pixels = field_pixels(distances, colors, self._space, samples.x, samples.y)
        sheet = pygame.image.frombuffer(pixels.tobytes(), samples.size, "RGBA")
        return samples.smoothed(sheet)

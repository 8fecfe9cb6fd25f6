"""Draw the nodes of a quadtree as lines over the game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pygame
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.draw.pygame.surfaces import blank
from tilequad.draw.pygame.targets import seen_by

__all__ = ["TreeOverlay"]

Color = tuple[int, int, int, int]

_INVISIBLE, _FULL = 8.0, 80.0  # pixels, the longer side of a box


class TreeOverlay:
    """Draws the nodes of any tree as boxes, in lines one pixel wide at every zoom.

    Boxes smaller than 80 pixels on the screen fade; those smaller than 8 are invisible.

    Example:
        >>> import pygame
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.draw.pygame import TreeOverlay
        >>> units = DynamicQuadtree((0, 0, 640, 360))
        >>> slots = units.add_many(range(100), [(6 * i, 3 * i) for i in range(100)])
        >>> screen, view = pygame.Surface((640, 360)), (0, 0, 640, 360)
        >>> TreeOverlay().draw(screen, units.nodes(), view, lit=(100, 50, 200, 100))
    """

    def __init__(self) -> None:
        self._sheet: pygame.Surface | None = None

    def draw(
        self,
        surface: pygame.Surface,
        nodes: NDArray[np.void],
        view: Sequence[float],
        color: Color = (255, 255, 0, 160),
        lit: Sequence[float] | None = None,
    ) -> None:
        """Draw the boxes of the nodes.

        Args:
            surface: The surface. Its width and that of the view are the zoom.
            nodes: The result of a tree's `nodes()`. Those of a static tree never change: ask once.
            view: What the camera sees, in world units: min_x, min_y, max_x, max_y.
            color: Red, green, blue, alpha from 0 to 255.
            lit: The box of the last question, in world units: the leaves that it touches, which
                the question has read, are filled.

        Raises:
            TypeError: The view is a Rect of pygame, whose last numbers are a size.
            ValueError: The view is not a box, or it is empty; or `lit` is not a box.
        """
        seen = seen_by(view)
        asked = None if lit is None else Bounds.of(lit, "lit")
        zoom = surface.get_width() / seen.width
        boxes = np.stack([nodes[side] for side in ("min_x", "min_y", "max_x", "max_y")], axis=1)
        size = (boxes[:, 2:] - boxes[:, :2]).max(axis=1) * zoom
        share = ((size - _INVISIBLE) / (_FULL - _INVISIBLE)).clip(0, 1)
        alpha = (color[3] * share * share * (3 - 2 * share) + 0.5).astype(int)
        shown = np.flatnonzero(touching(boxes, seen) & (alpha > 0))
        filled = np.zeros(len(boxes), bool)
        if asked is not None:
            filled = touching(boxes, asked) & nodes["leaf"]
        corner = np.array((seen.min_x, seen.min_y) * 2)
        # not beyond what pygame can count
        places = ((boxes[shown] - corner) * zoom).clip(-4, max(surface.get_size()) + 4)
        sheet = self._cleared(surface.get_size())
        for place, depth, fill in zip(
            np.floor(places + 0.5).astype(int).tolist(),
            alpha[shown].tolist(),
            filled[shown].tolist(),
            strict=True,
        ):
            left, top, right, bottom = place
            rect = pygame.Rect(left, top, right - left + 1, bottom - top + 1)
            if fill:
                sheet.fill((*color[:3], color[3] // 3), rect)
            pygame.draw.rect(sheet, (*color[:3], depth), rect, 1)
        surface.blit(sheet, (0, 0))

    def _cleared(self, size: tuple[int, int]) -> pygame.Surface:
        """Return a transparent surface: pygame's lines do not blend by themselves."""
        if self._sheet is None or self._sheet.get_size() != size:
            self._sheet = blank(size)
        else:
            self._sheet.fill((0, 0, 0, 0))
        return self._sheet


def touching(boxes: NDArray[np.float64], area: Bounds) -> NDArray[np.bool_]:
    """Test which closed boxes overlap an area."""
    across = (boxes[:, 0] <= area.max_x) & (area.min_x <= boxes[:, 2])
    found: NDArray[np.bool_] = across & (boxes[:, 1] <= area.max_y) & (area.min_y <= boxes[:, 3])
    return found

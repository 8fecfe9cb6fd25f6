"""Where the world lies on the render target, in full precision.

A GPU computes with 32 bits, too few for a point of a large map plus a fraction of a pixel. So
the way from the screen to the cell under a pixel is worked out here, relative to a cell in view.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from arcade import ArcadeContext

from tilequad.bounds import Bounds

__all__ = ["Screen", "pixel_viewport"]


class Screen(NamedTuple):
    """The affine map from world to clip coordinates, -1 to 1, and the size of the target.

    clip x = a * x + c * y + e, clip y = b * x + d * y + f.
    """

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float
    width: int  #: of the viewport, in pixels
    height: int

    @classmethod
    def of(cls, context: ArcadeContext) -> Screen:
        """Return the transform of the camera in use."""
        m = context.projection_matrix @ context.view_matrix  # stored by columns
        _, _, width, height = pixel_viewport(context)
        return cls(m[0], m[1], m[4], m[5], m[12], m[13], max(width, 1), max(height, 1))

    @classmethod
    def around(cls, box: Bounds, width: int, height: int) -> Screen:
        """Return the transform of a target that shows a box, y up."""
        a, d = 2 / box.width, 2 / box.height
        x, y = box.center
        return cls(a, 0.0, 0.0, d, -a * x, -d * y, width, height)

    @property
    def zoom(self) -> float:
        """Pixels for each world unit."""
        area = abs(self.a * self.d - self.b * self.c) * self.width * self.height / 4
        return sqrt(area)

    @property
    def upright(self) -> bool:
        """Whether the world is not turned on the screen."""
        return self.b == self.c == 0.0

    def world(self, clip_x: float, clip_y: float) -> tuple[float, float]:
        """Return the world point at a clip coordinate."""
        a, b, c, d, e, f, _, _ = self
        determinant = a * d - b * c
        x, y = clip_x - e, clip_y - f
        return (d * x - c * y) / determinant, (a * y - b * x) / determinant

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Return where a world point is, in pixels from the middle."""
        a, b, c, d, e, f, width, height = self
        return (a * x + c * y + e) * width / 2, (b * x + d * y + f) * height / 2

    def moved(self, right: float, up: float) -> Screen:
        """Return the transform that shows everything so many pixels farther to the right and up."""
        return self._replace(e=self.e + 2 * right / self.width, f=self.f + 2 * up / self.height)

    def box(self, clip: tuple[float, float, float, float] = (-1.0, -1.0, 1.0, 1.0)) -> Bounds:
        """Return the box around the part of the world that a part of the screen shows."""
        left, bottom, right, top = clip
        corners = [self.world(x, y) for x in (left, right) for y in (bottom, top)]
        xs, ys = np.array(corners).round(9).T.tolist()
        return Bounds(min(xs), min(ys), max(xs), max(ys))

    def clip(self, box: Bounds) -> tuple[float, float, float, float]:
        """Return the clip rectangle around a box, cut to the screen: min_x, min_y, max_x, max_y.

        If the box is off the screen, a minimum exceeds its maximum.
        """
        a, b, c, d, e, f, _, _ = self
        min_x, min_y, max_x, max_y = box
        corners = [(min_x, min_y), (max_x, max_y)]
        if not self.upright:
            corners += [(min_x, max_y), (max_x, min_y)]
        xs = [a * x + c * y + e for x, y in corners]
        ys = [b * x + d * y + f for x, y in corners]
        return max(min(xs), -1.0), max(min(ys), -1.0), min(max(xs), 1.0), min(max(ys), 1.0)


def pixel_viewport(context: ArcadeContext) -> tuple[int, int, int, int]:
    """Return left, bottom, width and height of the viewport in pixels.

    On a high-density screen, arcade measures the window in units larger than a pixel.
    """
    target = context.active_framebuffer
    ratio = context.window.get_pixel_ratio() if target.is_default else 1.0
    left, bottom, width, height = (round(value * ratio) for value in target.viewport)
    return left, bottom, width, height

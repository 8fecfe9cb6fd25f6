"""Ranks: a formation on its way, which walks as its slowest, and turns where its way turns."""

from __future__ import annotations

from math import hypot, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad.nav import Field

__all__ = ["Ranks", "pace_share"]

Floats: TypeAlias = NDArray[np.float64]

EASE = 0.05  # of the spacing: how far they may lag behind in the mean square at full pace
HASTE = 0.6  # how much slower the anchor goes for each spacing that they lag behind further
LEAST = 0.25  # of the pace: the anchor always goes on, so nobody is waited for in vain
TURN = 0.5  # of the pace: how fast the outermost are led around


class Ranks(NamedTuple):
    """Where a formation is.

    Attributes:
        x: Its middle, which follows the field.
        y: The same.
        dx: Where it faces, a unit vector.
        dy: The same.
    """

    x: float
    y: float
    dx: float
    dy: float

    def posts(self, offsets: Floats) -> Floats:
        """Where those with some offsets, x to the front and y to the left, are to be."""
        found = np.empty_like(offsets)
        found[:, 0] = self.x + (offsets[:, 0] * self.dx - offsets[:, 1] * self.dy)
        found[:, 1] = self.y + (offsets[:, 0] * self.dy + offsets[:, 1] * self.dx)
        return found

    def offsets(self, away: Floats) -> Floats:
        """Whose posts are so far from the middle: x to the front and y to the left."""
        found = np.empty_like(away)
        found[:, 0] = away[:, 0] * self.dx + away[:, 1] * self.dy
        found[:, 1] = away[:, 1] * self.dx - away[:, 0] * self.dy
        return found

    def advanced(self, field: Field, pace: float, extent: float) -> Ranks:
        """The ranks after a step along a field, turned toward where they walk."""
        x, y = field.advance(self.x, self.y, pace)
        across, along = x - self.x, y - self.y
        far = hypot(across, along)
        if far == 0.0:
            return self
        return self.turned(across / far, along / far, TURN * pace / extent)._replace(x=x, y=y)

    def turned(self, dx: float, dy: float, most: float) -> Ranks:
        """The ranks, turned toward a direction by a step on the unit circle."""
        away_x, away_y = dx - self.dx, dy - self.dy
        away = hypot(away_x, away_y)
        if away <= most:
            return self._replace(dx=dx, dy=dy)
        if dx * self.dx + dy * self.dy < -0.99:  # about turn: to the left
            away_x, away_y, away = -self.dy, self.dx, 1.0
        to_x, to_y = self.dx + away_x * (most / away), self.dy + away_y * (most / away)
        length = hypot(to_x, to_y)
        if length == 0.0:
            return self._replace(dx=dx, dy=dy)
        return self._replace(dx=to_x / length, dy=to_y / length)


def pace_share(lags: Floats, gap: float) -> float:
    """How much of their pace ranks go whose members lag behind."""
    if not len(lags):
        return 1.0
    near = np.minimum(lags, 8.0 * gap)
    behind = sqrt(float((near * near).mean())) / gap
    return min(max(1.0 - HASTE * (behind - EASE), LEAST), 1.0)

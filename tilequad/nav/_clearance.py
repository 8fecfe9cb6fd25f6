"""Room for wide units: in which cells a disc around the center fits."""

from __future__ import annotations

from math import ceil
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad.nav._shapes import Shape

__all__ = ["Clearance"]

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.uint8]

ROUNDING = 1e-9  # shrinks a radius, because a disc may touch closed cells


class Clearance:
    """Which cells have room for a disc.

    Args:
        shape: The cells.
        radius: The radius of the disc, in world units.
    """

    def __init__(self, shape: Shape, radius: float) -> None:
        self.shape = shape
        self.radius = radius
        self.reach = ceil(radius / shape.pitch()) + 1
        # (column, row) of the cells that a disc overlaps, for unshifted and for shifted lines.
        self.offsets = [self._overlapped(shifted) for shifted in (0, 1)]

    def codes(self, codes: Codes) -> Codes:
        """The codes of all cells, (rows, columns), with 0 where there is no room."""
        rows, columns = codes.shape
        reach = self.reach
        closed = np.pad(codes == 0, reach, constant_values=True)
        found = codes.copy()
        kind, flip = self.shape.kind, self.shape.flip
        for shifted in (0, 1) if kind else (0,):
            lines = slice(None) if kind == 0 else slice(shifted ^ flip, None, 2)
            part = (slice(None), lines) if kind == 2 else (lines, slice(None))
            own = found[part]
            for column, row in self.offsets[shifted].tolist():
                beside = closed[reach + row :, reach + column :][:rows, :columns]
                own[beside[part]] = 0
        return found

    def around(
        self, codes: Codes, columns: NDArray[np.int32], rows: NDArray[np.int32]
    ) -> NDArray[np.intp]:
        """The codes of all cells near some cells, (n, 3): column, row and code."""
        steps = np.arange(-self.reach, self.reach + 1)
        near = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
        around = (np.stack((columns, rows), -1)[:, None] + near).reshape(-1, 2)
        inside = (around >= 0).all(axis=1) & (around < codes.shape[::-1]).all(axis=1)
        numbers = np.unique(around[inside] @ (1, codes.shape[1]))
        cells = np.stack((numbers % codes.shape[1], numbers // codes.shape[1]), axis=-1)
        found = np.empty((len(cells), 3), np.intp)
        found[:, :2] = cells
        found[:, 2] = codes[cells[:, 1], cells[:, 0]]
        kind = self.shape.kind
        shifts = (cells[:, 1 if kind == 1 else 0] & 1) ^ self.shape.flip
        for shifted in (0, 1) if kind else (0,):
            own = np.flatnonzero(shifts == shifted) if kind else np.arange(len(cells))
            beside = cells[own][:, None] + self.offsets[shifted]
            x, y = beside[..., 0], beside[..., 1]
            outside = (x < 0) | (y < 0) | (x >= codes.shape[1]) | (y >= codes.shape[0])
            seen = codes[np.where(outside, 0, y), np.where(outside, 0, x)]
            found[own[(outside | (seen == 0)).any(axis=1)], 2] = 0
        return found

    def _overlapped(self, shifted: int) -> NDArray[np.intp]:
        """The cells that a disc around the center of a cell overlaps, relative to that cell."""
        reach = self.reach + self.reach % 2
        line = 2 * reach + (shifted ^ self.shape.flip)
        steps = np.arange(-reach, reach + 1)
        near = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
        cells = near + line
        centers = self.shape.centers(cells[:, 0], cells[:, 1])
        middle = self.shape.centers(np.array([line]), np.array([line]))[0]
        away = _distances(self.shape.outline, middle - centers)
        return near[away < self.radius * (1.0 - ROUNDING)]


def _distances(polygon: Floats, points: Floats) -> Floats:
    """How far points are from a convex polygon, 0 inside."""
    least = np.full(len(points), np.inf)
    inside = np.ones((2, len(points)), bool)
    for start, end in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        side = end - start
        away = points - start
        length2 = float(side @ side)
        if length2 == 0.0:
            continue
        part = (away @ side / length2).clip(0.0, 1.0)
        least = np.minimum(least, np.hypot(*(away - part[:, None] * side).T))
        turn = side[0] * away[:, 1] - side[1] * away[:, 0]
        inside &= np.stack((turn >= 0, turn <= 0))
    return np.where(inside.any(axis=0), 0.0, least)

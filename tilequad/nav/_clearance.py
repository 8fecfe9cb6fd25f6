"""Room for wide units: in which cells a disc around the center fits."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import Codes, Floats, Ints, Traits
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import LATTICE, STAGGERED_COLUMNS
from tilequad._core.ways.traits import look_traits
from tilequad.nav._shapes import Shape

__all__ = ["Clearance"]


ROUNDING = 1e-9  # shrinks a radius, because a disc may touch closed cells


class Clearance:
    """Which cells have room for a disc.

    Args:
        base: The cells, without regard to room.
        radius: The radius of the disc, in world units.
    """

    revision = seen = 0  # it follows nothing but the cells

    def __init__(self, base: Ground, radius: float) -> None:
        self.costs = base.costs  # both grids share their codes
        self.shape: Shape = base.shape
        low_x, low_y, high_x, high_y = self.shape.bounds()
        # A disc larger than the grid has no room; so no table need be larger, either.
        radius = min(radius, 0.51 * min(high_x - low_x, high_y - low_y))
        self.radius = radius
        self.reach = ceil(radius / self.shape.pitch()) + 1
        # By line, the first and the last cell that a disc overlaps, relative to its own; for
        # unshifted and for shifted lines. These are the rows, or the columns if they are staggered.
        turn = -1 if self.shape.kind == STAGGERED_COLUMNS else 1
        self.spans = [_spans(self._overlapped(shifted)[:, ::turn]) for shifted in (0, 1)]

    def traits(self, base: Ground) -> Traits:
        """The traits of all cells, (rows, columns): closed where there is no room."""
        codes: Codes = base.roomy_codes()
        found: Traits = look_traits(base.cell_traits())
        return found + self._part(codes, 0, 0, base.columns, base.rows)

    def changes(self, base: Ground, own: Ground, changed: Ints | None) -> tuple[Ints, Traits]:
        """The cells that may change with some of the base, all if None, and their traits."""
        if changed is None:
            cells = np.arange(base.columns * base.rows, dtype=np.int32)
            return cells, self.traits(base).reshape(-1)
        rows, columns = np.divmod(changed, np.int32(base.columns))
        near = self.around(base.roomy_codes(), columns, rows)
        cells = (near[:, 1] * base.columns + near[:, 0]).astype(np.int32)
        looks: Traits = look_traits(base.traits_of(cells.data))
        return cells, looks + near[:, 2].astype(np.uint8)

    def around(
        self, codes: Codes, columns: NDArray[np.int32], rows: NDArray[np.int32]
    ) -> NDArray[np.intp]:
        """The codes of all cells near some cells, (n, 3): column, row and code."""
        reach, most = self.reach, codes.shape[::-1]
        low = np.maximum(np.stack((columns, rows), -1) - reach, 0)
        high = np.minimum(np.stack((columns, rows), -1) + reach + 1, most)
        together = np.prod(high.max(axis=0) - low.min(axis=0))
        if together <= 4 * np.prod(high - low, axis=1).sum():  # rather than one by one
            low, high = low.min(axis=0)[None], high.max(axis=0)[None]
        found = []
        for (left, top), (right, bottom) in zip(low.tolist(), high.tolist(), strict=True):
            near = np.stack(np.meshgrid(np.arange(left, right), np.arange(top, bottom)), axis=-1)
            own = self._part(codes, left, top, right, bottom)
            found.append(np.concatenate((near, own[..., None]), axis=-1).reshape(-1, 3))
        return np.concatenate(found).astype(np.intp)

    def _part(self, codes: Codes, left: int, top: int, right: int, bottom: int) -> Codes:
        """The codes of a part of the cells, with 0 where there is no room."""
        if self.shape.kind == STAGGERED_COLUMNS:
            return self._lines(codes.T, top, left, bottom, right).T
        return self._lines(codes, left, top, right, bottom)

    def _lines(self, codes: Codes, left: int, top: int, right: int, bottom: int) -> Codes:
        """The codes of a part of the cells, whose lines are the rows here."""
        reach, lines, places = self.reach, bottom - top, right - left
        closed = np.ones((lines + 2 * reach, places + 2 * reach), bool)  # also beyond the edge
        inside = codes[max(top - reach, 0) : bottom + reach, max(left - reach, 0) : right + reach]
        y, x = max(reach - top, 0), max(reach - left, 0)
        closed[y : y + inside.shape[0], x : x + inside.shape[1]] = inside == 0
        sums = np.zeros((closed.shape[0], closed.shape[1] + 1), np.int32)
        np.cumsum(closed, axis=1, out=sums[:, 1:])
        found = codes[top:bottom, left:right].copy()
        for shifted in (0, 1) if self.shape.kind != LATTICE else (0,):
            first = shifted ^ self.shape.flip ^ (top & 1)
            own = slice(first, None, 2) if self.shape.kind != LATTICE else slice(None)
            for line, low, high in self.spans[shifted]:
                beside = sums[reach + line : reach + line + lines][own]
                low, high = reach + low, reach + high + 1
                found[own][beside[:, low : low + places] != beside[:, high : high + places]] = 0
        return found

    def _overlapped(self, shifted: int) -> NDArray[np.intp]:
        """The cells that a disc around the center of a cell overlaps, relative to that cell."""
        near, centers = self.shape.around(self.reach, shifted)
        away = _distances(self.shape.outline, -centers)
        return near[away < self.radius * (1.0 - ROUNDING)]


def _spans(offsets: NDArray[np.intp]) -> list[tuple[int, int, int]]:
    """Return each line of cells (place, line), with its first and its last place."""
    offsets = offsets[np.lexsort(offsets.T)]
    lines, first, counts = np.unique(offsets[:, 1], return_index=True, return_counts=True)
    places = offsets[first, 0].tolist(), offsets[first + counts - 1, 0].tolist()
    return list(zip(lines.tolist(), *places, strict=True))


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

"""Weights of the cells around a point, for soft edges between cells.

A point lies among the centers of four cells, or of three hexagons. At a center only that cell
counts; on the edge between two cells each counts half. The shaders of `draw.arcade` do the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.checks import number_of
from tilequad._core.shown import shown

if TYPE_CHECKING:
    from tilequad.nav import CellFrame

__all__ = ["CellSpace", "checked_soft"]

Floats: TypeAlias = NDArray[np.float64]
Singles: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int64]

SHARPEST = 1e-3  # in cells; the narrowest edge


class CellSpace:
    """A space in which the centers of cells have whole coordinates (p, q).

    In a lattice these are column and row. Staggered diamonds have them along their edges; for
    hexagons, q is the line, and p shifts by half a cell with each line.

    Attributes:
        form: 0 for a lattice, 1 for diamonds in lines, 2 for hexagons.
        corner: For hexagons, the corner where three cells meet, measured from the line of two of
            them toward the third.
        to_cells: a, b, c, d, e, f: p = a * x + c * y + e, q = b * x + d * y + f.
    """

    def __init__(self, frame: CellFrame) -> None:
        self.frame = frame
        self.form = 0 if not frame.staggered else 1 if frame.slant >= 1.0 else 2
        self.corner = (1.0 - frame.slant) / 2
        (c, d), (e, f) = frame.across, frame.down
        area = c * f - d * e
        x, y = frame.origin
        u = f / area, -e / area
        v = -d / area, c / area
        start = -(u[0] * x + u[1] * y), -(v[0] * x + v[1] * y)
        if self.form:  # u counts half cells along a line, v lines
            signs = (1, 1) if self.form == 1 else (1, -1)
            flip = int(frame.even)
            p = [(u[k] + signs[1] * v[k]) / 2 for k in (0, 1)]
            first = (start[0] + signs[1] * start[1] - flip) / 2
            if self.form == 1:
                q = [(v[k] - u[k]) / 2 for k in (0, 1)]
                then = (start[1] - start[0] + flip) / 2
            else:
                q, then = list(v), start[1]
        else:
            p, q, (first, then) = list(u), list(v), start
        self.to_cells = p[0], q[0], p[1], q[1], first, then

    def cells(self, p: Ints, q: Ints) -> tuple[Ints, Ints]:
        """Return columns and rows of the cells at some coordinates."""
        if self.form == 0:
            return p, q
        flip = int(self.frame.even)
        line = p + q if self.form == 1 else q
        halves = (p - q if self.form == 1 else 2 * p + q) + flip
        place = (halves - (line & 1 ^ flip)) >> 1
        return (line, place) if self.frame.by_columns else (place, line)

    def around(self, x: Floats, y: Floats, soft: float) -> list[tuple[Ints, Ints, Floats]]:
        """The cells around points of the world: columns, rows and weights of each, whose sum is 1.

        `soft` is how wide the edge between two cells is, in cells.
        """
        a, b, c, d, e, f = self.to_cells
        p, q = a * x + c * y + e, b * x + d * y + f
        column, row = np.floor(p), np.floor(q)
        p, q = p - column, q - row
        i, j = column.astype(np.int64), row.astype(np.int64)
        if self.form == 2:
            weights = self._of_hexagons(p, q, soft)
        else:
            p, q = ((0.5 + (part - 0.5) / soft).clip(0.0, 1.0) for part in (p, q))
            weights = [(1 - p) * (1 - q), p * (1 - q), (1 - p) * q, p * q]
        return [
            (*self.cells(i + (k & 1), j + (k >> 1)), weight) for k, weight in enumerate(weights)
        ]

    def _of_hexagons(self, p: Floats, q: Floats, soft: float) -> list[Floats]:
        """Find the three nearest of four centers: two in a line, and the tip in the next line.

        Their triangle splits into three smaller ones at the corner where the hexagons meet; there
        each counts a third.
        """
        low = p + q < 1.0
        tip = np.where(low, q, 1 - q)
        left = np.where(low, 1 - p - q, p + q - 1)
        right = np.where(low, p, 1 - p)
        side = (1.0 - self.corner) / 2
        share = np.minimum(tip / self.corner, np.minimum(left, right) / side)
        tip = tip - share * self.corner + share / 3
        left, right = left - share * side + share / 3, right - share * side + share / 3
        parts = [
            (0.5 + (own / (own + np.maximum(one, other)) - 0.5) / soft).clip(0.0, 1.0)
            for own, one, other in ((tip, left, right), (left, right, tip), (right, tip, left))
        ]
        total = parts[0] + parts[1] + parts[2]
        tip, left, right = (part / total for part in parts)
        none = np.zeros_like(tip)
        return [
            np.where(low, left, none),
            np.where(low, right, tip),
            np.where(low, tip, right),
            np.where(low, none, left),
        ]

    def nearest(self, x: Floats, y: Floats) -> Ints:
        """Return the numbers of the cells at points, row * columns + column; -1 beyond them."""
        if self.form == 2:
            around = self.around(x, y, 1.0)
            best = np.argmax([weights for _, _, weights in around], axis=0)
            columns = np.choose(best, [columns for columns, _, _ in around])
            rows = np.choose(best, [rows for _, rows, _ in around])
        else:
            a, b, c, d, e, f = self.to_cells
            p, q = (np.floor(part + 0.5) for part in (a * x + c * y + e, b * x + d * y + f))
            columns, rows = self.cells(p.astype(np.int64), q.astype(np.int64))
        held = (columns >= 0) & (columns < self.frame.columns)
        held = held & (rows >= 0) & (rows < self.frame.rows)
        return np.where(held, rows * self.frame.columns + columns, -1)

    def blend(
        self, values: NDArray[np.float32], outside: float, x: Floats, y: Floats, soft: float
    ) -> Singles:
        """Blend values of cells, (rows, columns), at points of the world; see `around`.

        The points may be a raster, (1, width) and (height, 1), which in an upright lattice takes a
        tenth of the time. `outside` is the value of all cells beyond the grid.
        """
        _, b, c, _, _, _ = self.to_cells
        if self.form == 0 and b == c == 0 and len(x) == 1 and y.shape[-1] == 1:
            return self._blend_raster(values, outside, x[0], y[:, 0], soft)
        found = np.zeros(np.broadcast_shapes(x.shape, y.shape), np.float32)
        for columns, rows, weights in self.around(x, y, soft):
            found += weights * self.taken(values, outside, columns, rows)
        return found

    def _blend_raster(
        self, values: NDArray[np.float32], outside: float, x: Floats, y: Floats, soft: float
    ) -> Singles:
        """Blend along the columns of cells first, and then along the rows of the raster."""
        a, _, _, d, e, f = self.to_cells
        column, right = _edges(a * x + e, self.frame.columns, soft)
        row, low = _edges(d * y + f, self.frame.rows, soft)
        left, top = int(column.min()), int(row.min())
        columns = np.arange(left, int(column.max()) + 2)
        rows = np.arange(top, int(row.max()) + 2)[:, None]
        part = self.taken(values, outside, columns, rows).astype(np.float32)
        column, row, low = column - left, row - top, low[:, None]
        lines = part[row] * (1 - low) + part[row + 1] * low
        found: Singles = lines.take(column, axis=1)
        found *= 1 - right
        found += lines.take(column + 1, axis=1) * right
        return found

    def taken(
        self, values: NDArray[np.float32], outside: float, columns: Ints, rows: Ints
    ) -> NDArray[np.float32]:
        """Return the values of cells; `outside` for cells beyond the grid."""
        held = (columns >= 0) & (columns < self.frame.columns)
        held = held & (rows >= 0) & (rows < self.frame.rows)
        numbers = np.where(held, rows * self.frame.columns + columns, 0)
        return np.where(held, values.reshape(-1)[numbers], outside)


def _edges(places: Floats, count: int, soft: float) -> tuple[Ints, Singles]:
    """Return the cell before each place along an axis, and how much the next one counts."""
    first = np.floor(places)
    share = (0.5 + (places - first - 0.5) / soft).clip(0.0, 1.0)
    return first.clip(-2, count + 1).astype(np.int64), share.astype(np.float32)


def checked_soft(soft: float) -> float:
    """Return the width of edges in cells; raise ValueError unless it is from 0 to 1."""
    width = number_of(soft, "soft")
    if not 0.0 <= width <= 1.0:
        raise ValueError(f"soft must be from 0 to 1, got {shown(soft)}")
    return max(width, SHARPEST)

"""A grid of circles, to find those that may hold a point."""

from __future__ import annotations

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil


@cython.final
@cython.cclass
class ZoneGrid:
    """Cells, each with a list of the circles that reach into it; `made_grid` makes it.

    The circles of cell i are zones[starts[i]:starts[i + 1]]; circles that cover too many cells are
    in `wide` instead.
    """

    __slots__ = {
        "left_edge": "double",
        "lower_edge": "double",
        "right_edge": "double",
        "upper_edge": "double",
        "per_unit": "double",
        "columns": "int",
        "rows": "int",
        "starts": "int[::1]",
        "zones": "int[::1]",
        "wide": "int[::1]",
    }

    def __init__(
        self,
        edges: tuple[float, float, float, float],
        per_unit: float,
        shape: tuple[int, int],
        starts: np.ndarray,
        zones: np.ndarray,
        wide: np.ndarray,
    ) -> None:
        self.left_edge, self.lower_edge, self.right_edge, self.upper_edge = edges
        self.per_unit = per_unit  # cells
        self.columns, self.rows = shape
        self.starts, self.zones, self.wide = starts.data, zones.data, wide.data

    def cell_at(self, x: cython.double, y: cython.double) -> NoGil[cython.Py_ssize_t]:
        """Return the cell of a point; -1 outside all circles of the grid."""
        if self.left_edge <= x <= self.right_edge and self.lower_edge <= y <= self.upper_edge:
            column = cython.cast(cython.int, (x - self.left_edge) * self.per_unit)
            row = cython.cast(cython.int, (y - self.lower_edge) * self.per_unit)
            return min(row, self.rows - 1) * self.columns + min(column, self.columns - 1)
        return -1

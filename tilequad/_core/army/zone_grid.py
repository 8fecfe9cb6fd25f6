"""A grid of circles: which ones may hold a point."""

from __future__ import annotations

from array import array

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil

# The columns and rows that a circle covers, without the last two.
LEFT: cython.int = 0
LOWER: cython.int = 1
RIGHT: cython.int = 2
UPPER: cython.int = 3


@cython.final
@cython.cclass
class ZoneGrid:
    """Cells, each with a list of the circles that reach into it; `made_grid` makes it.

    Those of cell i are zones[starts[i]:starts[i + 1]]; those that cover too many cells are in
    `wide`.
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
        wide: np.ndarray,
    ) -> None:
        self.left_edge, self.lower_edge, self.right_edge, self.upper_edge = edges
        self.per_unit = per_unit  # cells
        self.columns, self.rows = shape
        self.wide = wide.data

    def fill(self, rows: cython.int[::1], spans: cython.int[:, ::1]) -> None:
        """Write the list of each cell, for circles and the cells that each covers."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        row: cython.Py_ssize_t
        start: cython.Py_ssize_t
        cells: cython.Py_ssize_t = self.columns * self.rows
        self.starts = array("i", [0]) * (cells + 1)
        for i in range(len(rows)):
            for row in range(spans[i, LOWER], spans[i, UPPER]):
                start = row * self.columns
                for at in range(start + spans[i, LEFT], start + spans[i, RIGHT]):
                    self.starts[at] += 1
        for at in range(1, cells + 1):
            self.starts[at] += self.starts[at - 1]
        self.zones = array("i", [0]) * self.starts[cells]
        # Each list is filled from its end backward; so `starts` then holds where it begins.
        for i in range(len(rows)):
            for row in range(spans[i, LOWER], spans[i, UPPER]):
                start = row * self.columns
                for at in range(start + spans[i, LEFT], start + spans[i, RIGHT]):
                    self.starts[at] -= 1
                    self.zones[self.starts[at]] = rows[i]

    def cell_at(self, x: cython.double, y: cython.double) -> NoGil[cython.Py_ssize_t]:
        """Return the cell of a point; -1 outside all circles of the grid."""
        column: cython.int
        row: cython.int
        if self.left_edge <= x <= self.right_edge and self.lower_edge <= y <= self.upper_edge:
            column = cython.cast(cython.int, (x - self.left_edge) * self.per_unit)
            row = cython.cast(cython.int, (y - self.lower_edge) * self.per_unit)
            return min(row, self.rows - 1) * self.columns + min(column, self.columns - 1)
        return -1

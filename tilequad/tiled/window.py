"""The part of a map's lattice that a layer uses, and the keys and edges of its cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .axes import Axes
from .culling import Edges
from .placing import Grid, Lattice

__all__ = ["Window"]

# Chunks of an infinite map may lie so far apart that the edges of all lines between them take
# more memory than a tree of the tiles; real maps have a few thousand lines.
_MOST_LINES = 1 << 20


@dataclass(frozen=True)
class Window:
    """Some steps of some lines of a lattice."""

    grid: Grid
    lattice: Lattice
    steps: range
    lines: range

    @classmethod
    def around(cls, grid: Grid, columns: range, rows: range) -> Window | None:
        """The window that holds a rectangle of cells; None where there is no lattice for it."""
        lattice = grid.lattice
        if lattice is None or len(columns) + len(rows) > _MOST_LINES:
            return None
        return cls(grid, lattice, *grid.window(columns, rows))

    def keys(self, columns: NDArray[np.int32], rows: NDArray[np.int32]) -> NDArray[np.int64]:
        """Line * width + step of each cell: rises in draw order."""
        steps, lines = self.grid.steps_and_lines(columns, rows)
        width = len(self.steps)
        keys: NDArray[np.int64] = (lines - self.lines.start).astype(np.int64)
        keys *= width
        keys += steps
        keys -= self.steps.start
        return keys

    def key(self, column: NDArray[np.int32], row: NDArray[np.int32]) -> int | None:
        """The key of one cell, given in arrays of one; None for a cell outside the window."""
        [step], [line] = self.grid.steps_and_lines(column, row)
        if int(step) not in self.steps or int(line) not in self.lines:
            return None
        return int(self.keys(column, row)[0])

    def edges(self, reach: NDArray[np.float64], axes: Axes) -> tuple[Edges, Edges]:
        """The spans of tiles of one reach in the world: along x by step, along y by line.

        The sums are those of `Grid.anchors`, in the same order, so that they round alike.
        """
        left, top, right, bottom = reach
        x = self.lattice.left + np.arange(self.steps.start, self.steps.stop) * self.lattice.dx
        y = self.lattice.top + np.arange(self.lines.start, self.lines.stop) * self.lattice.dy
        nothing = np.zeros(len(y))
        boxes = axes.boxes(np.stack((nothing, y + top, nothing, y + bottom), axis=1))
        return Edges(x + left, x + right), Edges(boxes[:, 1], boxes[:, 3])

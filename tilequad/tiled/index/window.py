"""The part of a map's lattice that a layer uses: which places hold a tile, and their edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry.axes import Axes
from ..geometry.grids import Grid, Lattice
from .lattice_index import Edges

__all__ = ["Window"]

# Chunks of an infinite map may lie so far apart that the edges of all lines between them take
# more memory than a tree of the tiles; real maps have a few thousand lines.
_MOST_LINES = 1 << 20

# A place costs a byte while the tree is built and a fifth of one in it, a tile in a tree of boxes
# some 60 bytes: where there are more places for each tile, few tiles lie on a large map.
_PLACES_A_TILE = 16
_FEW_PLACES = 1 << 22  # 2048 x 2048, or an isometric map of 1024 x 1024, whatever it holds


@dataclass(frozen=True)
class Window:
    """Some steps of some lines of a lattice."""

    grid: Grid
    lattice: Lattice
    steps: range
    lines: range

    @classmethod
    def around(cls, grid: Grid, columns: range, rows: range, tiles: int) -> Window | None:
        """The window that holds a rectangle of cells.

        None where there is no lattice for it, or so few tiles that they are better kept as boxes.
        """
        lattice = grid.lattice
        if lattice is None or len(columns) + len(rows) > _MOST_LINES:
            return None
        steps, lines = grid.window(columns, rows)
        if len(steps) * len(lines) > max(_FEW_PLACES, _PLACES_A_TILE * tiles):
            return None
        return cls(grid, lattice, steps, lines)

    def occupied(self, columns: NDArray[np.int32], rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which places the cells take, (lines, steps)."""
        steps, lines = self.grid.steps_and_lines(columns, rows)
        taken = np.zeros((len(self.lines), len(self.steps)), bool)
        taken[lines - self.lines.start, steps - self.steps.start] = True
        return taken

    def place(self, column: NDArray[np.int32], row: NDArray[np.int32]) -> tuple[int, int] | None:
        """Step and line of one cell, given in arrays of one; None for a cell outside the window."""
        [step], [line] = (axis.tolist() for axis in self.grid.steps_and_lines(column, row))
        if step not in self.steps or line not in self.lines:
            return None
        return step - self.steps.start, line - self.lines.start

    def edges(self, reach: NDArray[np.float64], axes: Axes) -> tuple[Edges, Edges]:
        """The spans of tiles of one reach in the world: across by step, along by line.

        The sums are those of `Grid.anchors`, in the same order, so that they round alike.
        """
        left, top, right, bottom = reach
        x = self.lattice.left + np.arange(self.steps.start, self.steps.stop) * self.lattice.dx
        y = self.lattice.top + np.arange(self.lines.start, self.lines.stop) * self.lattice.dy
        nothing = np.zeros(len(y))
        boxes = axes.boxes(np.stack((nothing, y + top, nothing, y + bottom), axis=1))
        return Edges(x + left, x + right), Edges(boxes[:, 1], boxes[:, 3])

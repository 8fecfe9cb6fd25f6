"""Where one can walk: the grid of the land, and the way of the horde."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilequad.ai import Route
from tilequad.nav import Field, Walls

from .land import Land

CELL = 32.0  # side of a cell, in pixels
LANE = 26.0  # greatest distance of a lane from the middle of a road, in pixels


class Ways:
    """The cells that are open to walkers, and what follows from them.

    Args:
        land: The map.

    Attributes:
        grid: What may be walked, and at which cost. Buildings change it; everything here follows.
        field: The way to the gate from everywhere.
        walls: The closed cells, for crowds.
    """

    def __init__(self, land: Land) -> None:
        self.grid = land.grid
        self.field = Field(self.grid, [land.gate])
        self.walls = Walls(self.grid)
        starts = [road.points[0] for road in land.roads]
        self._starts = np.clip(starts, 1, self.grid.rows * CELL - 1)
        self._strips = [self._strip(road) for road in land.roads]
        self._cut, self._revision = [False], -1

    @property
    def cut(self) -> list[bool]:
        """For each road, whether something stands on it."""
        if self._revision != self.grid.revision:
            closed, self._revision = self.grid.blocked.ravel(), self.grid.revision
            self._cut = [bool(closed[strip].any()) for strip in self._strips]
        return self._cut

    @property
    def lead_to_gate(self) -> bool:
        """Whether there is a way to the gate from where each road begins."""
        return bool(np.isfinite(self.field.distance_many(self._starts)).all())

    def shuts_last_way(self, cells: NDArray[np.int32]) -> bool:
        """Return whether a building on cells would leave a road without a way to the gate."""
        if not self._may_part(cells):
            return False
        self.grid.block(cells)
        shut = not self.lead_to_gate
        self.grid.unblock(cells)  # the field repairs itself, to the same numbers as before
        return shut

    def _may_part(self, cells: NDArray[np.int32]) -> bool:
        """Return whether closed cells around a building could join and part the land.

        If the ring of cells around it has one open stretch at most, every way around stays open.
        """
        rows, columns = np.divmod(cells, self.grid.columns)
        low, high = rows.min() - 1, rows.max() + 1
        left, right = columns.min() - 1, columns.max() + 1
        if low < 0 or left < 0 or high >= self.grid.rows or right >= self.grid.columns:
            return True
        part = self.grid.blocked[low : high + 1, left : right + 1]
        ring = np.concatenate((part[0], part[1:-1, -1], part[-1, ::-1], part[-2:0:-1, 0]))
        return int((ring != np.roll(ring, 1)).sum()) > 2

    def _strip(self, road: Route) -> NDArray[np.int32]:
        """Return the open cells below the lanes of a road."""
        along = np.arange(0, road.length, CELL / 2)
        xy = np.concatenate([road.at_many(along, np.full(len(along), lane))
                             for lane in (-LANE, 0.0, LANE)])  # fmt: skip
        cells = self.grid.cell_at_many(xy)
        cells = np.unique(cells[cells < len(self.grid)])
        return cells[~self.grid.blocked.ravel()[cells]]

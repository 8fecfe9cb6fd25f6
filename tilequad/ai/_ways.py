"""The ways of a march: a grid for each width, fields shared by an equal goal, and paths.

All of them are functions of the grid, so nothing here is saved: it is made again when it is needed.
"""

from __future__ import annotations

from math import ceil
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad.nav import Field, Grid, Paths, Walls

__all__ = ["PARTS", "Ways"]

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

PARTS = 8  # of a cell: rooms grow in such steps


class Ways:
    """The ways on a grid, for units of any width.

    Units whose footprints fit into a cell need room 0, and walk on the grid itself; those in room n
    have a radius of up to n eighths of a cell, and walk where a disc as large fits.

    Args:
        grid: The grid.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.cell = min(grid.cell_size)
        self.walls = Walls(grid)
        self._grids: dict[int, Grid] = {0: grid}
        self._fields: dict[tuple[int | None, int], Field] = {}
        self._paths: dict[int, Paths] = {}

    def rooms(self, radii: Floats) -> Ints:
        """How much room units of some radii need."""
        parts = np.ceil(radii * (PARTS / self.cell))
        return np.where(2.0 * radii <= self.cell, 0, parts).astype(np.int32)

    def land(self, room: int) -> Grid:
        """The grid for units that need some room."""
        if room not in self._grids:
            self._grids[room] = self.grid.with_clearance(room * self.cell / PARTS)
        return self._grids[room]

    def field(self, goal: tuple[float, float], room: int) -> Field:
        """The field to the cell at a point."""
        cell = self.grid.cell_at(*goal)
        assert cell is not None
        key = cell, room
        if key not in self._fields:
            self._fields[key] = Field(self.land(room), [goal])
        return self._fields[key]

    def move(self, goal: tuple[float, float], to: tuple[float, float], room: int) -> None:
        """Let a field lead to another goal; who still needs it for the old one makes it again."""
        key, new = (self.grid.cell_at(*goal), room), (self.grid.cell_at(*to), room)
        field = self._fields.pop(key, None)
        if field is not None and new not in self._fields:
            field.move_goals([to])
            self._fields[new] = field

    def paths(self, room: int) -> Paths:
        """The paths for units that need some room."""
        if room not in self._paths:
            self._paths[room] = Paths(self.land(room), landmarks=False)
        return self._paths[room]

    def near(self, goal: tuple[float, float], room: int, distance: float) -> Field:
        """A field of what is near a point."""
        return Field(self.land(room), [goal], ceil(distance))

    def keep(self, wanted: set[tuple[tuple[float, float], int]]) -> None:
        """Forget the fields that nobody uses."""
        if len(self._fields) > len(wanted):
            keys = {(self.grid.cell_at(*goal), room) for goal, room in wanted}
            self._fields = {key: one for key, one in self._fields.items() if key in keys}

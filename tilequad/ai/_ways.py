"""The ways of a march: a grid for each width, fields shared by an equal goal, and paths.

All of them are functions of the grid, so nothing here is saved: it is made again when it is needed.
"""

from __future__ import annotations

from collections.abc import Container
from math import ceil
from typing import TypeAlias

import numpy as np

from tilequad._core.array_kinds import Floats, Ints
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.lines_of_sight import CellFaces
from tilequad.nav import Field, Grid, Paths, Walls
from tilequad.nav.grid import closed_cells_of, ground_of

Key: TypeAlias = tuple[int, int]
# How far each field is made: how many cells it had to find so far, and its pace, which is how many
# times as fast as usual it is made.
Progress: TypeAlias = dict[Key, tuple[int, int]]

NO_END = 1 << 40
NOT_BEGUN = 0, 1
WHOLE = NO_END, 0

CELLS = 30_000  # that are found of new fields in a step: some milliseconds
PARTS = 8  # of a cell: rooms grow in such steps


class Ways:
    """The ways on a grid, for units of any width.

    Units whose footprints fit into a cell need room 0, and walk on the grid itself; those in room n
    have a radius of up to n eighths of a cell, and walk where a disc as large fits.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._ground = ground_of(grid)
        self.cell = min(grid.cell_size)
        self.walls = Walls(grid)
        self._grids: dict[int, Grid] = {0: grid}
        self._fields: dict[Key, Field] = {}
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

    def land_of(self, room: int) -> tuple[Ground, CellFaces]:
        """The same, as compiled code reads it."""
        land = self.land(room)
        return ground_of(land), CellFaces(closed_cells_of(land))

    def key(self, goal: tuple[float, float], room: int) -> Key:
        """What names a field: the cell of its goal, and the room."""
        return self._ground.cell_at(*goal), room

    def field(self, key: Key) -> Field:
        """The field to a cell, as far as it is made."""
        if key not in self._fields:
            cell, room = key
            self._fields[key] = Field(self.land(room), [self.grid.center(cell)], made=False)
        return self._fields[key]

    def worked(self, before: Progress, wanted: dict[Key, bool], cells: int = CELLS) -> Progress:
        """Go on with the fields that are not whole; return how far each has come.

        They are made one after the other, as they came to be wanted, but those first for which
        units wait. So many orders at once cost a step no more than one.

        Args:
            before: How far each has come so far.
            wanted: The fields that are needed, and whether units wait for them.
            cells: How many cells to find, above 0.
        """
        progress = {key: one for key, one in before.items() if key in wanted}
        progress.update((key, NOT_BEGUN) for key in wanted if key not in progress)
        left, size = cells, len(self.grid)
        for key in sorted(progress, key=lambda key: not wanted[key]):
            done, pace = progress[key]
            if pace and left > 0:
                done += pace * left
                left -= min(pace * left, size)
            whole = done > 0 and self.field(key).work(done)
            progress[key] = WHOLE if whole else (done, pace)
        return progress

    def paths(self, room: int) -> Paths:
        """The paths for units that need some room."""
        if room not in self._paths:
            self._paths[room] = Paths(self.land(room), landmarks=False)
        return self._paths[room]

    def near(
        self, goal: tuple[float, float], room: int, distance: float, cells: int = NO_END
    ) -> Field:
        """A field of what is near a point: of so many cells at most."""
        field = Field(self.land(room), [goal], ceil(distance), made=False)
        field.work(cells)
        return field

    def keep(self, wanted: Container[Key]) -> None:
        """Forget the fields that nobody uses."""
        self._fields = {key: one for key, one in self._fields.items() if key in wanted}


def begun_anew(progress: Progress) -> Progress:
    """Return the progress after a change of the grid, for which half a field begins anew.

    Each time it is made at twice the pace, so that it comes to an end however often that happens.
    """
    return {
        key: (0, 2 * pace) if pace and done else (done, pace)
        for key, (done, pace) in progress.items()
    }

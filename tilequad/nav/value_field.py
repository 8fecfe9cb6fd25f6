"""Fields of plain numbers: which way is down, for fleeing and for mixed wishes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tilequad._core.array_kinds import Floats, Ints
from tilequad._core.arrays import checked_cells, own_array
from tilequad._core.checks import checked_cell
from tilequad._core.ways.cell_steps import fill_steps_down
from tilequad.nav._turns import standing_of
from tilequad.nav.grid import Grid, ground_of

__all__ = ["ValueField"]


class ValueField:
    """The way down on numbers of your own: one for each cell, the lower the better.

    A `Field` leads to the nearest goal. This leads wherever the numbers fall, and they may be
    anything: the `distances` of a field with a minus, which lead away from its goals, or a sum of
    what a monster wishes and fears.

    The numbers stay; the moves are those of the grid as it is when it is asked.

    Cost: a copy of the numbers; then what `Field.next_cell_many` costs.

    Args:
        grid: Where to walk.
        values: A number for each cell, (rows, columns). Nobody goes to a cell with inf or NaN, and
            those of closed cells do not matter.

    Raises:
        TypeError: `grid` is not a Grid.
        ValueError: `values` has another shape.

    Example:
        >>> from tilequad.nav import Field, Grid, ValueField
        >>> grid = Grid([[True] * 5], cell_size=10)
        >>> hero = Field(grid, [grid.center(2)])
        >>> flight = ValueField(grid, -hero.distances)
        >>> hero.next_cell(1), flight.next_cell(1)
        (2, 0)
    """

    def __init__(self, grid: Grid, values: ArrayLike) -> None:
        self._ground = ground_of(grid)
        self._grid = grid
        given = own_array(values, "values")
        wanted = grid.rows, grid.columns
        if given.shape != wanted:
            raise ValueError(f"values must have the shape {wanted}, got {given.shape}")
        self._values: Floats = given

    def __repr__(self) -> str:
        return f"<ValueField on {self._grid!r}>"

    @property
    def grid(self) -> Grid:
        """Where to walk."""
        return self._grid

    @property
    def values(self) -> Floats:
        """The number of each cell; a new array, (rows, columns)."""
        return self._values.copy()

    def next_cell(self, cell: int, avoid: ArrayLike | None = None) -> int:
        """Return where to step from a cell: to the neighbor with the lowest number.

        That is the cell itself if no neighbor has a lower one. From a closed cell, the lowest open
        cell that shares an edge with it. Of equal ones, the one with the lowest number of a cell.

        Args:
            cell: The number of a cell.
            avoid: Numbers of cells that are taken.

        Raises:
            IndexError: A number that no cell has.
        """
        number = np.array([checked_cell(cell, len(self._grid))], np.int32)
        return int(self._steps(number, avoid)[0])

    def next_cell_many(self, cells: ArrayLike, avoid: ArrayLike | None = None) -> Ints:
        """Return where to step from each of many cells, as `next_cell` does.

        Args:
            cells: Numbers of cells, (n,).
            avoid: Numbers of cells that are taken, by these or by others, (k,). If given, all go in
                turn, as in `Field.next_cell_many`.

        Returns:
            (n,) int32.

        Raises:
            IndexError: A number that no cell has.

        Example:
            >>> from tilequad.nav import Grid, ValueField
            >>> smell = ValueField(Grid([[True] * 4]), [[3, 2, 1, 0]])
            >>> smell.next_cell_many([0, 1]).tolist(), smell.next_cell_many([2], avoid=[3]).tolist()
            ([1, 2], [2])
        """
        return self._steps(checked_cells(cells, len(self._grid)), avoid)

    def _steps(self, numbers: Ints, avoid: ArrayLike | None) -> Ints:
        """Where those in some cells go next."""
        standing = standing_of(numbers, avoid, len(self._grid))
        self._grid._follow()
        found = np.empty(len(numbers), np.int32)
        values = self._values.reshape(-1).data
        fill_steps_down(self._ground, values, numbers.data, standing, found.data)
        return found

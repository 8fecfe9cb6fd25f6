"""Cells as places of pieces, for games that are played in turns: what several classes ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.array_kinds import Ints
from tilequad._core.arrays import checked_cells, finite_pairs, finite_points
from tilequad._core.checks import check_point, checked_cell, whole
from tilequad._core.ways.cell_lines import CellLines
from tilequad._core.ways.cell_steps import Standing, neighbors_of
from tilequad._core.ways.closed_cells import ClosedCells
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import LATTICE, STAGGERED_ROWS
from tilequad._core.ways.lines_of_sight import CellFaces, Sight
from tilequad.nav._shapes import Shape

__all__ = ["Board", "standing_of", "steps_between"]


class Board:
    """The verbs of a `Grid` that see its cells as places of pieces."""

    _ground: Ground
    _closed: ClosedCells

    if TYPE_CHECKING:  # what a grid has

        def __len__(self) -> int:
            """The number of cells."""

        def _follow(self) -> None:
            """Follow what has changed."""

    def cell(self, column: int, row: int) -> int:
        """Return the number of the cell in a column and a row: `row * columns + column`.

        Raises:
            IndexError: There is no such column or row.

        Example:
            >>> from tilequad.nav import Grid
            >>> grid = Grid([[True, True, False], [True, True, True]])
            >>> grid.cell(2, 1), grid.neighbors(grid.cell(2, 1)).tolist()  # cuts no corner
            (5, [4])
            >>> grid.steps_between(0, 5), grid.is_open(2.5, 1.5)
            (2, False)
        """
        place, size = (column, row), (self._ground.columns, self._ground.rows)
        x, y = map(whole, place, ("column", "row"))
        for name, number, end in zip(("column", "row"), (x, y), size, strict=True):
            if not 0 <= number < end:
                raise IndexError(f"{name} must be from 0 to {end - 1}, got {number}")
        cell: int = y * size[0] + x
        return cell

    def is_open(self, x: float, y: float) -> bool:
        """Return whether the cell at a point is open; False outside the grid.

        Raises:
            ValueError: A number is not finite.
        """
        check_point(x, y)
        self._follow()
        cell = self._ground.cell_at(x, y)
        return bool(cell >= 0 and self._ground.code_at(cell) != 0)

    def is_open_many(self, xy: ArrayLike) -> NDArray[np.bool_]:
        """Return whether the cell at each of many points is open, as `is_open` does.

        Args:
            xy: Points in world units, with a last axis of two.

        Raises:
            ValueError: A point is not two finite numbers.
        """
        cells = self._ground.cells_at(finite_points(xy, "xy"), -1)
        self._follow()
        codes = self._ground.codes_at(np.maximum(cells, 0).ravel().data).reshape(cells.shape)
        found: NDArray[np.bool_] = (cells >= 0) & (codes != 0)
        return found

    def straight(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Return whether one may walk straight from (x0, y0) to (x1, y1).

        It must end in an open cell, pass open cells only, and touch no corner of a closed one. A
        closed cell that holds an end, within or on its edge, does not count. The line may come from
        outside of an orthogonal grid, of no other one. A `LineOfSight` asks what stops looks, this
        what stops walkers.

        Raises:
            ValueError: A number is not finite.

        Example:
            >>> from tilequad.nav import Grid
            >>> grid = Grid([[True, True, True], [True, False, True]], cell_size=10)
            >>> grid.straight(5, 5, 5, 15), grid.straight(5, 5, 25, 5), grid.straight(5, 5, 99, 99)
            (True, False, False)
        """
        check_point(x0, y0, "x0 and y0")
        check_point(x1, y1, "x1 and y1")
        return bool(self.straight_many((x0, y0), (x1, y1))[0])

    def straight_many(self, xy0: ArrayLike, xy1: ArrayLike) -> NDArray[np.bool_]:
        """Return whether one may walk straight along each of many lines, as `straight` does.

        Cost: 3 ns for each cell on the way, and 10 in a grid that is not orthogonal, on a map of
        any size.

        Args:
            xy0: The starts in world units, (n, 2), or one for all, (2,).
            xy1: The ends, (n, 2), or one for all, (2,).

        Returns:
            (n,) bool.

        Raises:
            ValueError: A point is not two finite numbers, or the lengths differ.
        """
        starts, ends = finite_pairs(xy0, xy1)
        found = self.is_open_many(ends).astype(np.uint8)
        if self._closed.flush:
            Sight(None, CellFaces(self._closed)).fill_clear(starts.data, ends.data, found.data)
        else:
            CellLines(self._closed).fill_open(starts.data, ends.data, found.data)
        return found.view(np.bool_)

    def neighbors(self, cell: int) -> Ints:
        """Return where a unit may step from a cell, ascending: a legal move into an open cell.

        `diagonal` decides on corners. From a closed cell, such as a tree or a door, the open cells
        that share an edge with it: there stands who works on it.

        Cost: 3 microseconds, and 40 ns for each of many.

        Raises:
            IndexError: A number that no cell has.
        """
        number = np.array([checked_cell(cell, len(self))], np.int32)
        self._follow()
        return neighbors_of(self._ground, number.data)[1]

    def neighbors_many(self, cells: ArrayLike) -> tuple[NDArray[np.int64], Ints]:
        """Return where units may step from each of many cells, as `neighbors` does.

        Args:
            cells: Numbers of cells, (n,).

        Returns:
            `(offsets, found)`: `found[offsets[i]:offsets[i + 1]]` are the neighbors of cell i.

        Raises:
            IndexError: A number that no cell has.
        """
        numbers = checked_cells(cells, len(self))
        self._follow()
        ends, found = neighbors_of(self._ground, numbers.data)
        return np.concatenate(([0], ends)), found

    def steps_between(self, cell: int, other: int) -> int:
        """Return how many moves lead from a cell to another one, if no cell were closed.

        Moves go across edges, and across corners unless `diagonal` is "never". How far it is around
        walls, a `Field` knows.

        Raises:
            IndexError: A number that no cell has.
        """
        ends = checked_cell(cell, len(self)), checked_cell(other, len(self), "other")
        return int(steps_between(self._ground.shape, self._ground.need < 3, *ends))

    def steps_between_many(self, cells: ArrayLike, others: ArrayLike) -> Ints:
        """Return how many moves lead from each of many cells to another one.

        Args:
            cells: Numbers of cells, (n,), or one, (1,), for all.
            others: As many, or one for all.

        Returns:
            (n,) int32.

        Raises:
            IndexError: A number that no cell has.
            ValueError: The lengths differ.
        """
        ends = checked_cells(cells, len(self)), checked_cells(others, len(self), "others")
        if len(ends[0]) != len(ends[1]) and 1 not in map(len, ends):
            raise ValueError(f"others must have the length {len(ends[0])}, got {len(ends[1])}")
        found: Ints = steps_between(self._ground.shape, self._ground.need < 3, *ends)
        return found


def standing_of(cells: Ints, avoid: ArrayLike | None, count: int) -> Standing:
    """Return who stands where before a turn.

    Args:
        cells: Where those who go stand.
        avoid: Cells that are taken; None for those who need not go in turn.
        count: How many cells there are.
    """
    taken = None if avoid is None else checked_cells(avoid, count, "avoid").data
    return Standing(cells.data, taken)


def steps_between(shape: Shape, corners: bool, cell: Any, other: Any) -> Any:
    """Return the number of moves between two cells of an endless grid in which all are open.

    Args:
        shape: Where the cells lie.
        corners: Whether a move may lead across a corner.
        cell: A cell, or an array of them.
        other: The same.
    """
    (row0, column0), (row1, column1) = divmod(cell, shape.columns), divmod(other, shape.columns)
    down, right = row1 - row0, column1 - column0
    if shape.kind == LATTICE:
        return _steps(abs(right), abs(down), corners)
    line0, line1 = (row0, row1) if shape.kind == STAGGERED_ROWS else (column0, column1)
    lines, along = (down, right) if shape.kind == STAGGERED_ROWS else (right, down)
    # Half cells along a line; every second line is shifted by one.
    halves = 2 * along + ((line1 & 1) ^ shape.flip) - ((line0 & 1) ^ shape.flip)
    if shape.hexagons:
        return _steps(abs(lines), (abs(lines) + abs(halves)) // 2, True)
    return _steps(abs(lines + halves) // 2, abs(lines - halves) // 2, corners)


def _steps(right: Any, down: Any, corners: bool) -> Any:
    """The number of moves that lead so far across edges of two kinds; a corner counts for both."""
    return (right + down + abs(right - down)) // 2 if corners else right + down

"""Where the cells of a grid lie, for drawing them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CellFrame"]


class CellFrame(NamedTuple):
    """Where the centers of cells lie in the world.

    In a lattice, the center of a cell is at `origin + column * across + row * down`. In staggered
    and hexagonal grids the cells stand in lines, which are the rows, or the columns with
    `by_columns`. There the center of cell `k` of line `n` is at `origin + (2 * k + shift) * across
    + n * down`, where `shift` is 1 for every second line: the odd ones, or the even ones with
    `even`.

    Attributes:
        columns: The number of columns.
        rows: The number of rows.
        origin: (x, y).
        across: The step to the next column, (x, y); in staggered lines, half the step to the next
            cell.
        down: The step to the next row or line, (x, y).
        staggered: Whether the cells stand in lines.
        by_columns: Whether the lines are the columns.
        even: Whether the even lines are shifted.
        slant: For hexagons, the share of the step to the next line that the slanted edges take; 1
            for cells with four edges.
    """

    columns: int
    rows: int
    origin: tuple[float, float]
    across: tuple[float, float]
    down: tuple[float, float]
    staggered: bool
    by_columns: bool
    even: bool
    slant: float

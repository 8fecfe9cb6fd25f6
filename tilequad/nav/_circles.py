"""The cells within a radius, in every orientation, and how neighboring cells lie."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import Floats, Ints
from tilequad._core.ways.field_of_view import DIAMONDS, HEXAGONS, SQUARES, ViewGrid
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import LATTICE, STAGGERED_COLUMNS
from tilequad._core.ways.view_counts import Circle
from tilequad.nav._shapes import Shape

__all__ = ["MOST_ROWS", "cells_of", "circle", "picture", "spots_of", "view_grid_of"]

_Number = TypeVar("_Number", np.uint8, np.uint16)

MOST_ROWS = 16_383  # the most rows of a wedge; with more, a window takes over a gigabyte


def view_grid_of(shape: Shape) -> ViewGrid:
    """Return how the cells of a grid lie. Its lines are rows, or columns if these are staggered."""
    wedges = SQUARES
    if shape.kind != LATTICE:
        wedges = HEXAGONS if shape.hexagons else DIAMONDS
    return ViewGrid(*_size(shape), shape.flip if shape.kind != LATTICE else None, wedges)


# -- cells line by line ---
#
# The views of a fog are kept line by line. With staggered columns the columns are the lines, so the
# index of a cell, its spot, is not its number. `Ground.spot_of` tells that of one cell.


def spots_of(ground: Ground, cells: Ints) -> Ints:
    """Return the line-by-line indices of cells; -1 stays -1."""
    if ground.kind != STAGGERED_COLUMNS:
        return cells
    rows, columns = np.divmod(cells, np.int32(ground.columns))
    return np.where(cells < 0, cells, columns * np.int32(ground.rows) + rows)


def cells_of(ground: Ground, spots: Ints) -> Ints:
    """Return the cells of line-by-line indices."""
    if ground.kind != STAGGERED_COLUMNS:
        return spots
    columns, rows = np.divmod(spots, np.int32(ground.rows))
    return rows * np.int32(ground.columns) + columns


def picture(ground: Ground, values: NDArray[_Number]) -> NDArray[_Number]:
    """Return values by spot as a view of shape (rows, columns)."""
    size = ground.rows, ground.columns
    return (
        values.reshape(size[::-1]).T if ground.kind == STAGGERED_COLUMNS else values.reshape(size)
    )


# -- circles ---


def circle(shape: Shape, radius: float, in_cells: bool) -> Circle:
    """The cells whose center is within a radius of the center of a viewer's cell.

    Args:
        shape: The shape of the grid.
        radius: In world units, or in cells.
        in_cells: Whether the radius is in cells: steps from hexagon to hexagon; on other grids the
            side of a cell counts 1, even if cells are not square.

    Raises:
        ValueError: The circle has too many rows.
    """
    steps = _steps(shape, in_cells)
    lines, spans = _spans(shape, steps, radius)
    # Lines of sight to these cells pass other cells. If the steps are perpendicular, those are no
    # farther away; otherwise they may be one cell farther.
    needed_lines, needed = lines, spans
    if steps is not None and not _is_square(shape, steps):
        longest = float(np.sqrt((steps * steps).sum(axis=1).max()))
        needed_lines, needed = _spans(shape, steps, radius + 2 * longest)
    reach = max(int(_rows(shape, needed_lines, needed[:, end]).max()) for end in (0, 1)) + 1
    if reach > MOST_ROWS:
        raise ValueError(f"a radius must be less than {MOST_ROWS} cells, got {reach}")
    size = int((spans[:, 1] - spans[:, 0] + 1).sum())
    return Circle(spans.data, size, (needed.data, int(abs(needed).max()), reach))


def _spans(shape: Shape, steps: Floats | None, radius: float) -> tuple[NDArray[np.int64], Ints]:
    """Return the lines within a radius, (n,), and the first and last place in each, (n, 2)."""
    lines, places = _size(shape)
    # No two cells of the grid are farther apart than this, in lines and in places on the slanted
    # axis.
    most = np.array([lines - 1, places - 1 + (lines // 2 + 1 if shape.kind != LATTICE else 0)])
    bound = np.array([radius, radius])
    if steps is not None:
        unit = np.ldexp(1.0, np.frexp(abs(steps).max())[1])  # cells of any size, and no rounding
        steps, radius = steps / unit, float(radius / unit)
        (other, mixed), (_, side) = (steps @ steps.T).tolist()
        area = other * side - mixed * mixed
        bound = radius * np.sqrt(np.array([side, other]) / area) + 1.0
    high, wide = (int(number) for number in np.minimum(np.floor(bound), most).tolist())
    line = np.arange(-high, high + 1)
    if steps is None:
        middle, half = line * -0.5, radius - 0.5 * abs(line)
    else:
        half = np.sqrt(np.maximum(line * line * -area + radius * radius * side, 0.0))
        middle, half = line * (-mixed / side), half / side
    # The circle may be larger than the grid. Rounding decides about the places next to its ends.
    spans = np.empty((len(line), 2), np.int32)
    for end, way in enumerate((-1, 1)):
        outer = np.rint(np.clip(middle + way * half, -wide, wide)).astype(np.int64)
        place = np.clip(outer[:, None] + way * np.array([2, 1, 0, -1, -2]), -wide, wide)
        if steps is None:
            inside = _hex_distance(line[:, None], place) <= radius
        else:
            x = line[:, None] * steps[0, 0] + place * steps[1, 0]
            y = line[:, None] * steps[0, 1] + place * steps[1, 1]
            inside = x * x + y * y <= radius * radius
        spans[:, end] = np.take_along_axis(place, inside.argmax(axis=1)[:, None], 1)[:, 0]
    is_used = inside.any(axis=1)
    spans[~is_used] = 0, -1
    used = np.flatnonzero(is_used)
    part = slice(used[0], used[-1] + 1)
    return line[part], spans[part]


def _size(shape: Shape) -> tuple[int, int]:
    """The number of lines and of places in each."""
    size = shape.rows, shape.columns
    return size[::-1] if shape.kind == STAGGERED_COLUMNS else size


def _steps(shape: Shape, in_cells: bool) -> Floats | None:
    """Return the steps to the next line and to the next place, (2, 2); None for hexagons."""
    if in_cells:
        if shape.hexagons:
            return None
        # The next line of diamonds is one step in both directions; the next place is one forward,
        # one back.
        return np.array([(1.0, 0.0), (1.0, -1.0)]) if shape.kind != LATTICE else np.eye(2)
    frame = shape.frame
    if shape.kind == LATTICE:
        return np.array([frame[4:6], frame[2:4]])
    slanted = (frame[1], frame[3]), (2 * frame[1], 0.0)
    return np.array(slanted)


def _is_square(shape: Shape, steps: Floats) -> bool:
    """Whether the steps of the wedges are perpendicular to each other."""
    diamonds = shape.kind != LATTICE and not shape.hexagons
    return bool(steps[0] @ (steps[0] - steps[1] if diamonds else steps[1]) == 0.0)


def _rows(shape: Shape, line: NDArray[np.int64], place: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the row of the wedges that holds a cell."""
    if shape.hexagons:
        return _hex_distance(line, place)
    across = line + place if shape.kind != LATTICE else line
    found: NDArray[np.int64] = np.maximum(abs(across), abs(place))
    return found


def _hex_distance(
    line: NDArray[np.int64], place: NDArray[np.signedinteger[Any]]
) -> NDArray[np.int64]:
    """Return the number of steps to a hexagon."""
    found: NDArray[np.int64] = np.maximum(np.maximum(abs(line), abs(place)), abs(line + place))
    return found

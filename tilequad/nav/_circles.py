"""The cells within a radius, in every orientation, and how cells lie beside each other."""

from __future__ import annotations

from math import inf, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad.nav import _shapes as shapes
from tilequad.nav._core.field_of_view import DIAMONDS, HEXAGONS, SQUARES, Lattice
from tilequad.nav._core.view_counts import Shape

__all__ = ["MOST_ROWS", "circle", "lattice_of"]

Floats: TypeAlias = NDArray[np.float64]

MOST_ROWS = 16_383  # of a wedge: beyond them, the slopes of a field of view overflow


def lattice_of(shape: shapes.Shape) -> Lattice:
    """How the cells of a grid lie."""
    by_columns = shape.kind == 2
    lines, places = shape.rows, shape.columns
    strides = shape.columns, 1
    if by_columns:
        lines, places, strides = places, lines, strides[::-1]
    wedges = SQUARES
    if shape.kind:
        wedges = HEXAGONS if shape.orientation == "hexagonal" else DIAMONDS
    return Lattice(lines, places, strides, shape.flip if shape.kind else None, wedges)


def circle(shape: shapes.Shape, radius: float, in_cells: bool) -> Shape:
    """The cells whose center is within a radius of the center of a viewer's cell.

    Args:
        shape: The shape of the grid.
        radius: In world units, or in cells.
        in_cells: Whether it is in cells: in steps from hexagon to hexagon, otherwise with the side
            of a cell as 1, also where cells are no squares.

    Raises:
        ValueError: The circle has too many rows.
    """
    hexagonal = shape.kind != 0 and shape.orientation == "hexagonal"
    lines, places = (shape.columns, shape.rows) if shape.kind == 2 else (shape.rows, shape.columns)
    # No two cells of the grid are farther apart, in lines and in places on the slanted axis.
    most = np.array([lines - 1, places - 1 + (lines // 2 + 1 if shape.kind else 0)])
    steps = _steps(shape, in_cells)
    if in_cells and hexagonal:
        bound = np.array([radius, radius])
    else:
        gram = steps @ steps.T
        area = gram[0, 0] * gram[1, 1] - gram[0, 1] * gram[0, 1]
        side = np.array([gram[1, 1], gram[0, 0]])
        bound = radius * np.sqrt(side / area) + 1.0 if area > 0.0 else np.array([inf, inf])
    high, wide = (int(number) for number in np.minimum(np.floor(bound), most).tolist())
    line, place = np.ogrid[-high : high + 1, -wide : wide + 1]
    if in_cells and hexagonal:
        inside = _hex_distance(line, place) <= radius
    else:
        x = line * steps[0, 0] + place * steps[1, 0]
        y = line * steps[0, 1] + place * steps[1, 1]
        inside = x * x + y * y <= radius * radius
    used = np.flatnonzero(inside.any(axis=1))
    high -= int(used[0])
    inside = inside[used[0] : used[-1] + 1]
    spans = np.empty((2 * high + 1, 2), np.int32)
    spans[:, 0] = inside.argmax(axis=1) - wide
    spans[:, 1] = wide - inside[:, ::-1].argmax(axis=1)
    spans[~inside.any(axis=1)] = 0, -1
    line = np.arange(-high, high + 1)
    reach = max(int(_rows(shape, line, spans[:, end]).max()) for end in (0, 1))
    if reach > MOST_ROWS:
        raise ValueError(f"a radius must be at most {MOST_ROWS} cells, got {reach}")
    window = np.minimum([2 * reach if shape.kind and not hexagonal else reach, reach], most)
    return Shape(spans.data, tuple(window.tolist()), reach)


def _steps(shape: shapes.Shape, in_cells: bool) -> Floats:
    """The way to the next line, and that to the next place; (2, 2)."""
    if in_cells:
        # A line of diamonds is one step in both directions, a place is one forth and one back.
        return np.array([(1.0, 0.0), (1.0, -1.0)]) if shape.kind else np.eye(2)
    frame = shape.frame
    if shape.kind == 0:
        return np.array([frame[4:6], frame[2:4]])
    slanted = (frame[1], frame[3]), (2 * frame[1], 0.0)
    return np.array(slanted)


def _rows(shape: shapes.Shape, line: NDArray[np.int64], place: NDArray[np.int32]) -> NDArray[np.int64]:
    """The row of the wedges that holds a cell."""
    if shape.kind == 0:
        return np.maximum(abs(line), abs(place))
    if shape.orientation == "hexagonal":
        return _hex_distance(line, place)
    return np.maximum(abs(line + place), abs(place))


def _hex_distance(line: NDArray[np.int64], place: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many steps away a hexagon is."""
    found: NDArray[np.int64] = np.maximum(np.maximum(abs(line), abs(place)), abs(line + place))
    return found

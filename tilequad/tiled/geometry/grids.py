"""The position and draw order of cells in every orientation; the direction of the y axis.

See https://doc.mapeditor.org/en/stable/reference/tmx-map-format/#map. All numbers are pixels, y
down as in Tiled. The anchor of a cell is the bottom-left corner of its tile's image before tile and
layer offsets. In all orientations but the oblique one, anchors lie on an axis-parallel lattice with
equal distances. Tiled draws line by line and, within a line, step by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, trunc
from typing import ClassVar, NamedTuple

import numpy as np

from tilequad._core.cells.cell_ids import CellOrder

from ..cells import FARTHEST, Floats, Ints

__all__ = [
    "Axes",
    "Grid",
    "Hexagonal",
    "Isometric",
    "Lattice",
    "Oblique",
    "Orthogonal",
    "Staggered",
]

Box = tuple[float, float, float, float]  # left, top, right, bottom


class Lattice(NamedTuple):
    """A lattice of anchors: (step, line) has its anchor at (left + step * dx, top + line * dy).

    All are floats, because integers would overflow for distant cells.
    """

    left: float
    top: float
    dx: float
    dy: float


@dataclass(frozen=True)
class Grid:
    """A grid of cells; one subclass for each orientation."""

    columns: int
    rows: int
    tile_width: int
    tile_height: int

    #: whether flip bits rotate a tile by 60 and 120 degrees instead of swapping its axes
    turns: ClassVar[bool] = False

    @property
    def lattice(self) -> Lattice | None:
        """The lattice of anchors; None if it is not axis-parallel."""
        raise NotImplementedError

    @property
    def order(self) -> CellOrder:
        """The draw order; it also gives the step and line of each cell on the lattice."""
        return CellOrder()

    def order_from(self, origin: tuple[int, int]) -> CellOrder:
        """Return the order for cells that are counted from the cell `origin` of this grid."""
        order = self.order
        odd = origin[order.stagger == "rows"] % 2 == 1
        return order._replace(shift_even=order.shift_even != odd) if order.stagger else order

    def shift_of(self, origin: tuple[int, int]) -> tuple[int, int]:
        """Return the step and line of the cell that is (0, 0) in another numbering of the cells."""
        if origin == (0, 0):
            return 0, 0
        there = self.order.steps_and_lines(*np.array(origin).reshape(2, 1))
        here = self.order_from(origin).steps_and_lines(*np.zeros((2, 1), int))
        return int(there[0][0] - here[0][0]), int(there[1][0] - here[1][0])

    def box(self, columns: range, rows: range) -> Box:
        """Return the box around some columns and rows, as Tiled computes the size of a map."""
        raise NotImplementedError

    def anchors(self, columns: Ints, rows: Ints) -> Floats:
        """Return the anchors of many cells, (n, 2)."""
        lattice = self.lattice
        assert lattice is not None
        steps, lines = self.order.steps_and_lines(columns, rows)
        anchors = np.empty((len(columns), 2))
        anchors[:, 0] = lattice.left + steps * lattice.dx
        anchors[:, 1] = lattice.top + lines * lattice.dy
        return anchors

    @property
    def bottom(self) -> float:
        """The y of the map's lower edge."""
        return self.box(range(self.columns), range(self.rows))[3]

    def outline(self) -> Floats:
        """Return the corners of a cell relative to its anchor, (k, 2); cells fill the plane."""
        width, height = self.tile_width, self.tile_height
        return np.array([(0, 0), (0, -height), (width, -height), (width, 0)], float)

    def near(self, x: float, y: float) -> tuple[Ints, Ints]:
        """Return columns and rows of cells near a point, including all that contain it."""
        raise NotImplementedError

    def cells_around(self, box: Box) -> tuple[int, int, int, int]:
        """Return the first column and row and the last ones of cells with an anchor in a box.

        The result may be larger. Only grids without a lattice need it.
        """
        raise NotImplementedError

    def projection(self) -> Floats:
        """Return the 2 x 2 matrix from coordinates of objects to pixels of the map."""
        return np.eye(2)

    def unprojection(self) -> Floats:
        """Return the matrix back from pixels of the map to coordinates of objects."""
        inverse: Floats = np.linalg.inv(self.projection()).astype(np.float64)
        return inverse

    def object_origin(self) -> tuple[float, float]:
        """Return the pixel at which Tiled draws the point (0, 0) of an object layer."""
        return 0.0, 0.0


@dataclass(frozen=True)
class Orthogonal(Grid):
    """Rows and columns of rectangles, in one of four render orders."""

    leftwards: bool = False
    upwards: bool = False

    @property
    def lattice(self) -> Lattice:
        """Steps are columns and lines are rows, in the direction of drawing."""
        dx = -self.tile_width if self.leftwards else self.tile_width
        dy = -self.tile_height if self.upwards else self.tile_height
        return Lattice(0.0, float(self.tile_height), float(dx), float(dy))

    @property
    def order(self) -> CellOrder:
        """Row by row, in the render order of the map."""
        return CellOrder(leftwards=self.leftwards, upwards=self.upwards)

    def near(self, x: float, y: float) -> tuple[Ints, Ints]:
        """Return the cell and the eight around it, because a point may lie on an edge."""
        return _around(floor(x / self.tile_width), floor(y / self.tile_height))

    def box(self, columns: range, rows: range) -> Box:
        """Return the box of the cells."""
        width, height = self.tile_width, self.tile_height
        left, top = columns.start * width, rows.start * height
        return left, top, columns.stop * width, rows.stop * height


@dataclass(frozen=True)
class Isometric(Grid):
    """Diamonds: columns run down to the right, rows down to the left.

    Where the size of a cell is odd, Tiled halves it to whole pixels in some places.
    """

    @property
    def lattice(self) -> Lattice:
        """Steps are column - row, lines are column + row; every second lattice point is free."""
        width, height = self.tile_width, self.tile_height
        left, top = self.object_origin()[0] - width // 2, height + height % 2 / 2
        return Lattice(left, top, width / 2, height / 2)

    @property
    def order(self) -> CellOrder:
        """From top to bottom and from left to right, in half cells."""
        return CellOrder(diagonal=True)

    def outline(self) -> Floats:
        """Return the corners of a diamond."""
        width, height = self.tile_width, self.tile_height
        corners = [(0, -height / 2), (width / 2, -height), (width, -height / 2), (width / 2, 0)]
        return np.array(corners) - (width % 2 / 2, height % 2 / 2)

    def near(self, x: float, y: float) -> tuple[Ints, Ints]:
        """Return the cell and the eight around it, because a point may lie on an edge."""
        across = (x - self.object_origin()[0]) / self.tile_width
        down = y / self.tile_height
        return _around(floor(down + across), floor(down - across))

    def box(self, columns: range, rows: range) -> Box:
        """Return the box around the large diamond of the cells."""
        left = self.object_origin()[0] + trunc((columns.start - rows.stop) * self.tile_width / 2)
        top = trunc((columns.start + rows.start) * self.tile_height / 2)
        halves = len(columns) + len(rows)
        return left, top, left + halves * self.tile_width // 2, top + halves * self.tile_height // 2

    def projection(self) -> Floats:
        """Return the matrix; for objects, a cell is as long as its height on both axes."""
        across = self.tile_width / 2 / self.tile_height
        return np.array([[across, -across], [0.5, 0.5]])

    def object_origin(self) -> tuple[float, float]:
        """Return the top corner of the map."""
        return float(self.rows * self.tile_width // 2), 0.0


@dataclass(frozen=True)
class Staggered(Grid):
    """Diamonds, every second row or column shifted by half a cell; hexagons with a side."""

    side: int = 0
    stagger_x: bool = False  #: columns are staggered, not rows
    stagger_even: bool = False

    @property
    def lattice(self) -> Lattice:
        """Anchors are half a cell apart along shifted rows or columns, and a pitch across them."""
        column, row, _, height = self._sizes()
        return Lattice(0.0, float(height), float(column), float(row))

    @property
    def order(self) -> CellOrder:
        """Along the axis that is not staggered, each cell takes two steps, or two lines."""
        axis = "columns" if self.stagger_x else "rows"
        return CellOrder(stagger=axis, shift_even=self.stagger_even)

    def outline(self) -> Floats:
        """Return the corners of a hexagon; without a side, a diamond with two corners twice."""
        _, _, width, height = self._sizes()
        side = self.side / 2
        x, y = width / 2, -height / 2
        if self.stagger_x:
            corners = [(0, y), (x - side, -height), (x + side, -height)]
            corners += [(width, y), (x + side, 0), (x - side, 0)]
        else:
            corners = [(0, y + side), (0, y - side), (x, -height)]
            corners += [(width, y - side), (width, y + side), (x, 0)]
        return np.array(corners, float)

    def near(self, x: float, y: float) -> tuple[Ints, Ints]:
        """Return the cells around a point, line by line; their boxes overlap."""
        column, row, _, _ = self._sizes()
        if self.stagger_x:
            rows, columns = _around(floor(y / max(2 * row, 1)), floor(x / max(column, 1)) - 1)
            return columns, rows
        return _around(floor(x / max(2 * column, 1)), floor(y / max(row, 1)) - 1)

    def box(self, columns: range, rows: range) -> Box:
        """Return the box around the cells; staggered ones extend half a cell farther."""
        column, row, cell_width, cell_height = self._sizes()
        wide, high = len(columns), len(rows)
        if self.stagger_x:
            left, top = columns.start * column, rows.start * 2 * row
            width = wide * column + cell_width - column
            height = high * 2 * row
            if wide > 1:
                height += row
            elif wide and self.order.shift_of(np.array([columns.start]))[0]:
                top += row
        else:
            left, top = columns.start * 2 * column, rows.start * row
            width = wide * 2 * column
            height = high * row + cell_height - row
            if high > 1:
                width += column
            elif high and self.order.shift_of(np.array([rows.start]))[0]:
                left += column
        return left, top, left + width, top + height

    def _sizes(self) -> tuple[int, int, int, int]:
        """Return the distances of neighboring columns and rows, and the size of a cell.

        The size is the one that Tiled draws: odd sizes lose a pixel.
        """
        side_x, side_y = (self.side, 0) if self.stagger_x else (0, self.side)
        column = (self.tile_width - side_x) // 2 + side_x
        row = (self.tile_height - side_y) // 2 + side_y
        return column, row, 2 * column - side_x, 2 * row - side_y


@dataclass(frozen=True)
class Hexagonal(Staggered):
    """Hexagons: placed like staggered cells, but tiles rotate in steps of 60 degrees."""

    turns = True


@dataclass(frozen=True)
class Oblique(Grid):
    """Rows and columns that lean: each row is shifted sideways, each column down."""

    skew_x: int = 0
    skew_y: int = 0

    @property
    def lattice(self) -> None:
        """None: the lattice leans."""
        return None

    def anchors(self, columns: Ints, rows: Ints) -> Floats:
        """Return the anchors of an orthogonal map, skewed."""
        anchors = np.empty((len(columns), 2))
        anchors[:, 0] = columns * float(self.tile_width) + (rows + 1) * float(self.skew_x)
        anchors[:, 1] = (rows + 1) * float(self.tile_height) + columns * float(self.skew_y)
        return anchors

    def outline(self) -> Floats:
        """Return the corners of a parallelogram."""
        width, height = self.tile_width, self.tile_height
        up = np.array((-self.skew_x, -height), float)
        across = np.array((width, self.skew_y), float)
        return np.array([(0, 0), up, up + across, across], float)

    def near(self, x: float, y: float) -> tuple[Ints, Ints]:
        """Return the cell and the eight around it, because a point may lie on an edge."""
        width, height = self.tile_width, self.tile_height
        area = width * height - self.skew_x * self.skew_y
        if area == 0:  # the skew maps the plane to a line
            return _around(0, 0)
        column = (x * height - y * self.skew_x) / area
        return _around(floor(column), floor((y * width - x * self.skew_y) / area))

    def cells_around(self, box: Box) -> tuple[int, int, int, int]:
        """Return the first column and row and the last ones of cells with an anchor in a box."""
        width, height = self.tile_width, self.tile_height
        area = width * height - self.skew_x * self.skew_y
        if area == 0:
            return -FARTHEST, -FARTHEST, FARTHEST, FARTHEST
        left, top, right, bottom = box
        corners = [(x, y) for x in (left, right) for y in (top, bottom)]
        columns = [(x * height - y * self.skew_x) / area for x, y in corners]
        rows = [(y * width - x * self.skew_y) / area - 1 for x, y in corners]
        first, top_row = (max(min(axis) - 1, -FARTHEST) for axis in (columns, rows))
        last, bottom_row = (min(max(axis) + 1, FARTHEST) for axis in (columns, rows))
        return floor(first), floor(top_row), ceil(last), ceil(bottom_row)

    def box(self, columns: range, rows: range) -> Box:
        """Return the box around the parallelogram of the cells."""
        corners = [(x, y) for x in (columns.start, columns.stop) for y in (rows.start, rows.stop)]
        across = [float(x * self.tile_width + y * self.skew_x) for x, y in corners]
        down = [float(y * self.tile_height + x * self.skew_y) for x, y in corners]
        return min(across), min(down), max(across), max(down)

    def projection(self) -> Floats:
        """Return the matrix that skews objects like the cells."""
        return np.array(
            [[1, self.skew_x / self.tile_height], [self.skew_y / self.tile_width, 1]], float
        )

    def unprojection(self) -> Floats:
        """Do as that of any grid; if the skew maps the plane to a line, go to the nearest point."""
        if self.tile_width * self.tile_height != self.skew_x * self.skew_y:
            return super().unprojection()
        nearest: Floats = np.linalg.pinv(self.projection()).astype(np.float64)
        return nearest


def _around(column: int, row: int) -> tuple[Ints, Ints]:
    """Return a cell and the eight around it, row by row."""
    rows, columns = np.mgrid[row - 1 : row + 2, column - 1 : column + 2].astype(np.int32)
    return columns.ravel(), rows.ravel()


class Axes(NamedTuple):
    """Converts points and boxes from Tiled's pixels to world units, and back.

    Example:
        >>> Axes(100, True).point(3, 10), Axes(100, False).point(3, 10)
        ((3, 90), (3, 10))
    """

    height: float  #: of the map in pixels: the world's y of Tiled's y = 0
    y_up: bool  #: False keeps Tiled's direction

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Convert one point."""
        return (x, self.height - y) if self.y_up else (x, y)

    def points(self, points: Floats) -> Floats:
        """Convert many points, (n, 2)."""
        if not self.y_up:
            return points
        converted = points.copy()
        converted[:, 1] = self.height - points[:, 1]
        return converted

    def boxes(self, boxes: Floats) -> Floats:
        """Convert many boxes, (n, 4); with y up, top and bottom edges change places."""
        if not self.y_up:
            return boxes
        converted = boxes.copy()
        converted[:, 1] = self.height - boxes[:, 3]
        converted[:, 3] = self.height - boxes[:, 1]
        return converted

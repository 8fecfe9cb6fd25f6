"""Where Tiled draws a cell and in which order: the formulas of every orientation.

All numbers are pixels in Tiled's own direction, y down. An anchor is the bottom-left corner of
the tile image as it stands before tile and layer offsets. Every orientation but the oblique one
puts its cells on an axis-parallel lattice of lines and steps: Tiled draws line by line, and step
by step within a line, and the anchor of a cell is a fixed distance apart from its neighbours'.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Grid", "Hexagonal", "Isometric", "Lattice", "Oblique", "Orthogonal", "Staggered"]

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Box = tuple[float, float, float, float]  # left, top, right, bottom


class Lattice(NamedTuple):
    """Distances that turn (step, line) into the anchor (left + step * dx, top + line * dy).

    They are floats, so that whole numbers of cells far out do not overflow.
    """

    left: float
    top: float
    dx: float
    dy: float


@dataclass(frozen=True)
class Grid:
    """What every orientation knows: the size of the map and of its cells."""

    columns: int
    rows: int
    tile_width: int
    tile_height: int

    @property
    def turns(self) -> bool:
        """Whether flags turn a tile by 60 and 120 degrees, instead of swapping its axes."""
        return False

    @property
    def lattice(self) -> Lattice | None:
        """The lattice of anchors; None where they do not lie on an axis-parallel one."""
        raise NotImplementedError

    def steps_and_lines(self, columns: Ints, rows: Ints) -> tuple[Ints, Ints]:
        """The place of each cell on the lattice; drawn line by line, step by step."""
        raise NotImplementedError

    def box(self, columns: range, rows: range) -> Box:
        """The box around the cells of a rectangle, as Tiled reckons its canvas."""
        raise NotImplementedError

    def anchors(self, columns: Ints, rows: Ints) -> Floats:
        """Bottom-left corners of the tile images of many cells, (n, 2)."""
        lattice = self.lattice
        assert lattice is not None
        steps, lines = self.steps_and_lines(columns, rows)
        anchors = np.empty((len(columns), 2))
        anchors[:, 0] = lattice.left + steps * lattice.dx
        anchors[:, 1] = lattice.top + lines * lattice.dy
        return anchors

    def draw_order(self, columns: Ints, rows: Ints) -> NDArray[np.intp] | slice:
        """What sorts cells given row by row into Tiled's draw order."""
        if not len(columns):
            return slice(None)
        steps, lines = self.steps_and_lines(columns, rows)
        # one number for each cell is sorted in half the time that a pair of them takes
        numbers: NDArray[np.int64] = lines.astype(np.int64)
        numbers *= int(steps.max()) - int(steps.min()) + 1
        numbers += steps
        del steps, lines  # the sort needs as much again
        return numbers.argsort(kind="stable")

    def window(self, columns: range, rows: range) -> tuple[range, range]:
        """The steps and the lines that hold the cells of a rectangle."""
        across = np.arange(columns.start, columns.stop, dtype=np.int32)
        down = np.arange(rows.start, rows.stop, dtype=np.int32)
        if not len(across) or not len(down):
            return range(0), range(0)
        border = [
            self.steps_and_lines(across, np.full_like(across, down[0])),
            self.steps_and_lines(across, np.full_like(across, down[-1])),
            self.steps_and_lines(np.full_like(down, across[0]), down),
            self.steps_and_lines(np.full_like(down, across[-1]), down),
        ]
        steps, lines = (np.concatenate(axis) for axis in zip(*border, strict=True))
        return (
            range(int(steps.min()), int(steps.max()) + 1),
            range(int(lines.min()), int(lines.max()) + 1),
        )

    @property
    def bottom(self) -> float:
        """The y of the map's lower edge."""
        return self.box(range(self.columns), range(self.rows))[3]

    def outline(self) -> Floats:
        """The corners of a cell around its anchor, (k, 2); together the cells fill the plane."""
        width, height = self.tile_width, self.tile_height
        return np.array([(0, 0), (0, -height), (width, -height), (width, 0)], float)

    def near(self, x: float, y: float) -> tuple[Ints, Ints]:
        """Columns and rows of some cells, among them every one that a point lies in."""
        raise NotImplementedError

    def projection(self) -> Floats:
        """The 2 x 2 matrix from object coordinates to pixels of the picture."""
        return np.eye(2)

    def object_origin(self) -> tuple[float, float]:
        """Where the point (0, 0) of an object layer is drawn."""
        return 0.0, 0.0


@dataclass(frozen=True)
class Orthogonal(Grid):
    """Rows and columns of rectangles, in one of four render orders."""

    leftwards: bool = False
    upwards: bool = False

    @property
    def lattice(self) -> Lattice:
        """Steps are columns and lines are rows, counted in the direction of drawing."""
        dx = -self.tile_width if self.leftwards else self.tile_width
        dy = -self.tile_height if self.upwards else self.tile_height
        return Lattice(0.0, float(self.tile_height), float(dx), float(dy))

    def steps_and_lines(self, columns: Ints, rows: Ints) -> tuple[Ints, Ints]:
        """Column and row, negative where Tiled draws against their direction."""
        return -columns if self.leftwards else columns, -rows if self.upwards else rows

    def draw_order(self, columns: Ints, rows: Ints) -> NDArray[np.intp] | slice:
        """Cells come row by row, which is the usual order already."""
        if self.leftwards or self.upwards:
            return super().draw_order(columns, rows)
        return slice(None)

    def near(self, x: float, y: float) -> tuple[Ints, Ints]:
        """The cell itself, and its neighbours for a point on an edge."""
        return _around(floor(x / self.tile_width), floor(y / self.tile_height))

    def box(self, columns: range, rows: range) -> Box:
        """Exactly the cells."""
        width, height = self.tile_width, self.tile_height
        return (
            columns.start * width,
            rows.start * height,
            columns.stop * width,
            rows.stop * height,
        )


@dataclass(frozen=True)
class Isometric(Grid):
    """Diamonds: columns run down to the right, rows down to the left."""

    @property
    def lattice(self) -> Lattice:
        """Steps are column - row, lines are column + row; every second place is no cell."""
        width, height = self.tile_width, self.tile_height
        return Lattice((self.rows - 1) * width / 2, float(height), width / 2, height / 2)

    def steps_and_lines(self, columns: Ints, rows: Ints) -> tuple[Ints, Ints]:
        """Across and down the picture in half cells."""
        return columns - rows, columns + rows

    def outline(self) -> Floats:
        """A diamond."""
        width, height = self.tile_width, self.tile_height
        return np.array(
            [(0, -height / 2), (width / 2, -height), (width, -height / 2), (width / 2, 0)]
        )

    def near(self, x: float, y: float) -> tuple[Ints, Ints]:
        """The cell itself, and its neighbours for a point on an edge."""
        across = (x - self.object_origin()[0]) / self.tile_width
        down = y / self.tile_height
        return _around(floor(down + across), floor(down - across))

    def box(self, columns: range, rows: range) -> Box:
        """The box around the big diamond."""
        left = self.object_origin()[0] + (columns.start - rows.stop) * self.tile_width / 2
        top = (columns.start + rows.start) * self.tile_height / 2
        halves = len(columns) + len(rows)
        return left, top, left + halves * self.tile_width / 2, top + halves * self.tile_height / 2

    def projection(self) -> Floats:
        """Objects are kept in a flat plane whose unit is the height of a cell on both axes."""
        across = self.tile_width / 2 / self.tile_height
        return np.array([[across, -across], [0.5, 0.5]])

    def object_origin(self) -> tuple[float, float]:
        """The top corner of the big diamond."""
        return self.rows * self.tile_width / 2, 0.0


@dataclass(frozen=True)
class Staggered(Grid):
    """Diamonds in rows or columns that are shifted by half a cell; hexagons have a side too."""

    side: int = 0
    stagger_x: bool = False  #: columns are staggered, not rows
    stagger_even: bool = False

    @property
    def lattice(self) -> Lattice:
        """Steps of half a cell along the staggered axis's rows, whole ones across them."""
        column, row = self._pitch()
        _, height = self._cell()
        return Lattice(0.0, float(height), float(column), float(row))

    def steps_and_lines(self, columns: Ints, rows: Ints) -> tuple[Ints, Ints]:
        """Along the axis that is not staggered every cell counts two places."""
        if self.stagger_x:
            return columns, 2 * rows + self._staggered(columns)
        return 2 * columns + self._staggered(rows), rows

    def draw_order(self, columns: Ints, rows: Ints) -> NDArray[np.intp] | slice:
        """Where rows are staggered, the order in which cells come."""
        return super().draw_order(columns, rows) if self.stagger_x else slice(None)

    def outline(self) -> Floats:
        """A hexagon; without a side of its own, a diamond with two corners twice."""
        width, height = self._cell()
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
        """Cells around: their boxes overlap, so more than one may hold a point."""
        column, row = self._pitch()
        if self.stagger_x:
            return _around(floor(x / max(column, 1)), floor(y / max(2 * row, 1)))
        return _around(floor(x / max(2 * column, 1)), floor(y / max(row, 1)))

    def box(self, columns: range, rows: range) -> Box:
        """The box around the cells; a staggered neighbour sticks out by half a cell."""
        column, row = self._pitch()
        cell_width, cell_height = self._cell()
        wide, high = len(columns), len(rows)
        if self.stagger_x:
            left, top = columns.start * column, rows.start * 2 * row
            width = wide * column + cell_width - column
            height = high * 2 * row
            if wide > 1:
                height += row
            elif wide and self._staggered(np.array([columns.start]))[0]:
                top += row
        else:
            left, top = columns.start * 2 * column, rows.start * row
            width = wide * 2 * column
            height = high * row + cell_height - row
            if high > 1:
                width += column
            elif high and self._staggered(np.array([rows.start]))[0]:
                left += column
        return left, top, left + width, top + height

    def _staggered(self, index: Ints) -> Ints:
        return (index & 1) ^ 1 if self.stagger_even else index & 1

    def _pitch(self) -> tuple[int, int]:
        """Distance from one column, and from one row, to the next."""
        side_x = self.side if self.stagger_x else 0
        side_y = 0 if self.stagger_x else self.side
        return (self.tile_width - side_x) // 2 + side_x, (self.tile_height - side_y) // 2 + side_y

    def _cell(self) -> tuple[int, int]:
        """Size of a cell as Tiled draws it: odd sizes lose a pixel."""
        column, row = self._pitch()
        side_x = self.side if self.stagger_x else 0
        side_y = 0 if self.stagger_x else self.side
        return 2 * column - side_x, 2 * row - side_y


@dataclass(frozen=True)
class Hexagonal(Staggered):
    """Hexagons: cells lie as staggered ones do, but tiles can be turned in steps of 60 degrees."""

    @property
    def turns(self) -> bool:
        """They do."""
        return True


@dataclass(frozen=True)
class Oblique(Grid):
    """Rows and columns that lean: each row is shifted aside, each column down."""

    skew_x: int = 0
    skew_y: int = 0

    @property
    def lattice(self) -> None:
        """None: the anchors lie on a leaning lattice."""
        return None

    def steps_and_lines(self, columns: Ints, rows: Ints) -> tuple[Ints, Ints]:
        """Column and row."""
        return columns, rows

    def anchors(self, columns: Ints, rows: Ints) -> Floats:
        """The anchors of an orthogonal map, leaning."""
        anchors = np.empty((len(columns), 2))
        anchors[:, 0] = columns * float(self.tile_width) + (rows + 1) * float(self.skew_x)
        anchors[:, 1] = (rows + 1) * float(self.tile_height) + columns * float(self.skew_y)
        return anchors

    def outline(self) -> Floats:
        """A leaning rectangle."""
        width, height = self.tile_width, self.tile_height
        up = np.array((-self.skew_x, -height), float)
        across = np.array((width, self.skew_y), float)
        return np.array([(0, 0), up, up + across, across], float)

    def near(self, x: float, y: float) -> tuple[Ints, Ints]:
        """The cell itself, and its neighbours for a point on an edge."""
        width, height = self.tile_width, self.tile_height
        area = width * height - self.skew_x * self.skew_y
        if area == 0:  # the plane has fallen into a line
            return _around(0, 0)
        column = (x * height - y * self.skew_x) / area
        return _around(floor(column), floor((y * width - x * self.skew_y) / area))

    def draw_order(self, columns: Ints, rows: Ints) -> slice:
        """Row by row, as the cells come."""
        return slice(None)

    def box(self, columns: range, rows: range) -> Box:
        """The box around the leaning rectangle."""
        corners = np.array(
            [
                (x * self.tile_width + y * self.skew_x, y * self.tile_height + x * self.skew_y)
                for x in (columns.start, columns.stop)
                for y in (rows.start, rows.stop)
            ],
            float,
        )
        (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
        return float(left), float(top), float(right), float(bottom)

    def projection(self) -> Floats:
        """Objects lean with the cells."""
        return np.array(
            [[1, self.skew_x / self.tile_height], [self.skew_y / self.tile_width, 1]], float
        )


def _around(column: int, row: int) -> tuple[Ints, Ints]:
    """A cell and the eight around it, row by row."""
    rows, columns = np.mgrid[row - 1 : row + 2, column - 1 : column + 2].astype(np.int32)
    return columns.ravel(), rows.ravel()

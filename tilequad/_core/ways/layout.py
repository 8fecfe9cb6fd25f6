"""Constants and structs of the kernels for grids.

Never compiled: the build writes them for C.
"""

from __future__ import annotations

# The bits STATE hold what a team knows of a cell. OPAQUE cells hide what is behind them; CHANGED
# marks a cell while its opacity changes, and SEEN marks a cell in a viewer's window.
HIDDEN, EXPLORED, VISIBLE = 0, 1, 2
STATE, OPAQUE, CHANGED, SEEN = 3, 4, 8, 16

MARGIN = 2  # opaque cells around a window: as far as one step of a line may lead beyond it
WEDGE = 4  # ints per wedge: u and v, each in lines and places
NOWHERE = -1  # the line of a viewer outside the map

FALLOFF = 4096.0  # of a unit's influence on its own cell
LANES = 4  # cells whose influence is added at a time

ZERO = -(1 << 40)  # the distance of a goal; they grow from there
FAR = 0  # no distance
SOURCE = ZERO * 256  # the word of a goal
UNREACHED = 0  # the word of a cell without a distance, and without ways
BLOCK = 256  # points per block
LEVELS = 31  # of headings, from a direction to the next one

# The columns of a frame, in `headings`, of the line between the ends of a move and of the next one:
# 1 / its length; where its point nearest to the cell, the foot, lies, from 0 to 1; how far the foot
# is from the cell, by the length of the line; and how far it is.
INVERSE_LENGTH, FOOT, LEAN_SCALE, REACH, FRAME = range(5)

# The columns of an edge that hides what is behind it, in `lines_of_sight`: the axis that it crosses
# (0 or 1), its place on that axis, its lower and higher end on the other, the pseudo-angles where
# it begins and ends, and 1 / place. An edge across neither axis, with 2 for it, lies on the line
# a * x + b * y = 1: PLACE is a and INVERSE is b, it begins at (LOW, HIGH) and ends at (TO_X, TO_Y).
# Then the columns of a turn, which is a direction.
AXIS, PLACE, LOW, HIGH, BEGIN, END, INVERSE, TO_X, TO_Y, EDGE = range(10)
ANGLE, X, Y, TURN = range(4)

# The columns of a face, in `convex`: its outward normal, where it begins and where it ends.
NX, NY, X0, Y0, X1, Y1, FACE = range(7)
FACES_ROOM = FACE * (60 + 4)  # a part of up to 60 corners, and the sides of the box around it

# Which solids a line meets: all, as at walls; those that hold none of its ends, as looks do; or
# those that do not hold its start, as shots do at what stops looks.
ALL_SOLIDS, SKIP_ENDS, SKIP_START = range(3)

BORDER = 2  # closed cells around a grid, so that no search checks for edges

# The kinds of grids: a lattice, or lines of which every second one is shifted by half a cell.
LATTICE, STAGGERED_ROWS, STAGGERED_COLUMNS = range(3)


class Axes:
    """Where the cells of a lattice lie: cell (c, r) begins at (x, y) + c * across + r * down."""

    __slots__ = {
        "x": "double",  # a corner of cell (0, 0)
        "y": "double",
        "across_x": "double",  # the step to the next column
        "across_y": "double",
        "down_x": "double",  # the step to the next row
        "down_y": "double",
        "area": "double",  # of a cell, negative where y points up
        "columns": "Py_ssize_t",
        "rows": "Py_ssize_t",
    }

    def __init__(self) -> None:
        self.x = self.y = self.across_x = self.across_y = self.down_x = self.down_y = 0.0
        self.area = 0.0
        self.columns = self.rows = 0


class Spot:
    """A point of a lattice, in columns and rows.

    `find_spot` counts from the corner of the lattice, `lattice_at` from the center of a cell.
    """

    __slots__ = {"u": "double", "v": "double"}

    def __init__(self) -> None:
        self.u = self.v = 0.0


class Sector:
    """A part of a view, between two slopes: the first and the last cell that it meets in a row.

    The slopes are low_num / low_den and high_num / high_den. In row `depth` it meets the cells from
    (2 * depth * low_num + low_den) // (2 * low_den) to
    (2 * depth * high_num + high_den - 1) // (2 * high_den); the remainders of both divisions are
    kept, so the next row needs no division.
    """

    __slots__ = {
        "low_num": "int",
        "low_den": "int",
        "first": "int",
        "first_rest": "int",
        "high_num": "int",
        "high_den": "int",
        "last": "int",
        "last_rest": "int",
    }

    def __init__(self, number: int = 0) -> None:
        self.low_num, self.low_den, self.first, self.first_rest = 0, 1, 0, 1
        self.high_num, self.high_den, self.last, self.last_rest = 1, 1, 0, 0


class LineWay:
    """The way of a line along strips of cells: its longer side is p, and q is across it, in cells.

    In a strip it is from low_by to high_by beside where it enters, and never beyond low and high.
    It goes from strip `first` to `last` by steps of 1 or -1. If it is steep, the strips are rows.
    """

    __slots__ = {
        "x0": "double",
        "y0": "double",
        "x1": "double",
        "y1": "double",
        "p0": "double",
        "p1": "double",
        "q0": "double",
        "slope": "double",
        "low": "double",
        "high": "double",
        "low_by": "double",
        "high_by": "double",
        "first": "Py_ssize_t",
        "last": "Py_ssize_t",
        "step": "int",
        "steep": "bint",
    }

"""The cells of a grid that stop walkers, or those that stop looks, and the shapes in them.

A solid is a cell that is closed as a whole, or one convex part of the shapes that a cell holds. In
an orthogonal grid such a cell is a box, in others a part with the outline of the cell. A solid has
a number: that of its cell, and for each further part of it the number of cells more. They are read
from the grid itself, so nothing is kept that a change could make stale, and a change costs nothing
here.

In an orthogonal grid the boxes of neighbors share their edges exactly: they are flush, and a side
on which the neighbor is closed, too, is shut.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.layout import INF
from tilequad._core.tree.motion import slab_time
from tilequad._core.ways.convex import box_faces
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import (
    ALL_SOLIDS,
    BORDER,
    FACE,
    LATTICE,
    NX,
    NY,
    SKIP_ENDS,
    STAGGERED_ROWS,
    X0,
    X1,
    Y0,
    Y1,
    LineWay,
)
from tilequad._core.ways.pieces import Pieces

EDGE_MARGIN: cython.double = 1e-6  # in cells: more than the rounding error of an edge
LOSS: cython.double = 1e-14  # relative to the coordinates: more than the rounding error of a line
# The sides of a cell, as bits.
LEFT: cython.int = 1
RIGHT: cython.int = 2
BELOW: cython.int = 4
ABOVE: cython.int = 8


@cython.final
@cython.cclass
class ClosedCells:
    """The boxes of the closed cells of a grid, or of its opaque ones.

    Args:
        ground: The cells.
        looks: Whether opaque cells count, which stop looks, instead of closed ones.
    """

    __slots__ = {
        "ground": "readonly Ground",
        "looks": "bint",
        "free": "unsigned char[::1]",  # by place; 0 is closed
        "shaped": "readonly bint",
        "kinds": "int[::1]",  # by place, if it is shaped: as in the ground
        "pieces": "Pieces",
        "size": "Py_ssize_t",  # the number of cells
        "flush": "readonly bint",
        # The corners of a box, from the center of the cell.
        "low_x": "double",
        "low_y": "double",
        "high_x": "double",
        "high_y": "double",
        # The center of cell (c, r) has u = c and v = r, apart from staggered lines, where u (of
        # rows) or v (of columns) is up to `slant_u` or `slant_v` more. (x, y) is that of cell 0.
        "x": "double",
        "y": "double",
        "u_by_x": "double",
        "u_by_y": "double",
        "v_by_x": "double",
        "v_by_y": "double",
        "slant_u": "double",
        "slant_v": "double",
        # The box around all cells, and the size of a cell's.
        "min_x": "double",
        "min_y": "double",
        "width": "double",
        "height": "double",
        "columns": "Py_ssize_t",
        "rows": "Py_ssize_t",
        "walls": "object",  # once they are asked for: see `edges`
    }

    def __init__(self, ground: Ground, looks: bool = False) -> None:
        shape = ground.shape
        self.ground = ground
        self.looks = looks
        self.free = ground.clear if looks else ground.codes
        self.shaped = ground.shaped
        self.size = ground.columns * ground.rows
        if self.shaped:
            self.kinds = ground.look_kinds if looks else ground.walk_kinds
        self.pieces: Any = ground.pieces
        self.walls: Any = None
        self.flush = shape.has_boxes
        if self.pieces is None and not self.flush:
            self.pieces = Pieces([[]], shape.ring, np.zeros(4), 0, np.zeros(0, np.int8))
        self.low_x, self.low_y = shape.outline.min(axis=0).tolist()
        self.high_x, self.high_y = shape.outline.max(axis=0).tolist()
        self.u_by_y = self.v_by_x = self.slant_u = self.slant_v = 0.0
        frame = shape.frame.tolist()
        if ground.kind == LATTICE:
            a, b, c, d = frame[2:]
            area = a * d - b * c
            self.u_by_x, self.u_by_y, self.v_by_x, self.v_by_y = (
                d / area, -c / area, -b / area, a / area
            )  # fmt: skip
            self.x, self.y = frame[0] + 0.5 * a + 0.5 * c, frame[1] + 0.5 * b + 0.5 * d
        elif ground.kind == STAGGERED_ROWS:
            self.x, self.y = frame[0], frame[2]
            self.u_by_x, self.v_by_y, self.slant_u = 0.5 / frame[1], 1.0 / frame[3], 0.5
        else:
            self.x, self.y = frame[2], frame[0]
            self.u_by_x, self.v_by_y, self.slant_v = 1.0 / frame[3], 0.5 / frame[1], 0.5
        self.width, self.height = self.high_x - self.low_x, self.high_y - self.low_y
        self.min_x, self.min_y, high_x, high_y = shape.bounds()
        # How many strips as wide as a cell, and as high, cover the grid.
        self.columns = ground.columns if self.flush else ceil((high_x - self.min_x) / self.width)
        self.rows = ground.rows if self.flush else ceil((high_y - self.min_y) / self.height)

    def __reduce__(self) -> tuple[Any, ...]:
        return ClosedCells, (self.ground, self.looks)

    def edges(self) -> Object[memoryview]:
        """The edges of a cell, as `Shape.walls` of `tilequad.nav` has them."""
        if self.walls is None:
            self.walls = self.ground.shape.walls().data
        return self.walls

    # -- cells -------------------------------------------------------------------------------------

    def kind_at(self, place: cython.Py_ssize_t) -> NoGil[cython.int]:
        """What is solid at a place: 0 for the whole cell, the kind of its shapes, or -1."""
        if self.shaped:
            return self.kinds[place]
        return 0 if self.free[place] == 0 else -1

    def is_closed(self, column: cython.Py_ssize_t, row: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether there is a cell that is closed as a whole."""
        if column < 0 or row < 0 or column >= self.ground.columns or row >= self.ground.rows:
            return False
        return self.kind_at(self.ground.place_of(row * self.ground.columns + column)) == 0

    def cell_of(self, number: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The cell of a solid."""
        return number if number < self.size else number % self.size

    def is_part(self, number: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a solid is a part, not a box."""
        return self.part_of(number) >= 0

    def part_of(self, number: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The part that a solid is; -1 for the box of a cell, or if its cell has changed."""
        if not self.shaped and self.flush:
            return -1
        cell = self.cell_of(number)
        kind = self.kind_at(self.ground.place_of(cell))
        if kind < 0:
            return -1
        part = self.pieces.starts[kind] + (number - cell) // self.size
        return part if part < self.pieces.ends[kind] else -1

    def count_faces(self, number: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The most faces of a solid that a place sees."""
        part = self.part_of(number)
        return 2 if part < 0 else self.pieces.firsts[part + 1] - self.pieces.firsts[part]

    def solids_at(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """How many solids a cell holds."""
        kind = self.kind_at(place)
        if kind <= 0:
            return 1 + kind
        return self.pieces.ends[kind] - self.pieces.starts[kind]

    def shut_sides(self, cell: cython.Py_ssize_t) -> NoGil[cython.int]:
        """The sides of a cell that no way leads out of, because the neighbor is closed, too."""
        row = cell // self.ground.columns
        column = cell - row * self.ground.columns
        up: cython.Py_ssize_t = 1 if self.v_by_y > 0.0 else -1
        if not self.flush:
            return 0
        return (
            LEFT * self.is_closed(column - 1, row)
            + RIGHT * self.is_closed(column + 1, row)
            + BELOW * self.is_closed(column, row - up)
            + ABOVE * self.is_closed(column, row + up)
        )

    def write_box(self, number: cython.Py_ssize_t, box: cython.p_double) -> NoGil[None]:
        """Write the box around a solid."""
        part = self.part_of(number)
        if part < 0:
            self.write_cell(self.cell_of(number), box)
            return
        place = self.ground.place_of(self.cell_of(number))
        self.pieces.write_box(part, self.ground.center_x(place), self.ground.center_y(place), box)

    def write_faces(
        self, number: cython.Py_ssize_t, box: cython.p_double, faces: cython.p_double
    ) -> NoGil[cython.int]:
        """Write the box around a solid, and its faces; return how many: see `convex`."""
        part = self.part_of(number)
        if part < 0:
            self.write_cell(self.cell_of(number), box)
            return box_faces(box, faces, 0)
        place = self.ground.place_of(self.cell_of(number))
        return self.pieces.write_faces(
            part, self.ground.center_x(place), self.ground.center_y(place), box, faces
        )

    def write_cell(self, cell: cython.Py_ssize_t, box: cython.p_double) -> NoGil[None]:
        """Write the box of a cell."""
        row = cell // self.ground.columns
        self.write_cell_in(cell - row * self.ground.columns, row, box)

    def write_cell_in(
        self, column: cython.Py_ssize_t, row: cython.Py_ssize_t, box: cython.p_double
    ) -> NoGil[None]:
        """Write the box of the cell in a column and a row."""
        if self.flush:
            box[0] = self.ground.axes.x + column * self.ground.axes.across_x
            box[2] = self.ground.axes.x + (column + 1) * self.ground.axes.across_x
            near = self.ground.axes.y + row * self.ground.axes.down_y
            far = self.ground.axes.y + (row + 1) * self.ground.axes.down_y
            box[1] = min(near, far)
            box[3] = max(near, far)
        else:
            near = self.ground.x_in(column, row)
            far = self.ground.y_in(column, row)
            box[0] = near + self.low_x
            box[1] = far + self.low_y
            box[2] = near + self.high_x
            box[3] = far + self.high_y

    def boxes(self, cells: cython.int[::1]) -> np.ndarray:
        """The boxes of cells, (n, 4)."""
        found = np.empty((len(cells), 4))
        rows: cython.double[:, ::1] = found
        box = cython.declare(cython.double[4])
        for i in range(len(cells)):
            self.write_cell(cells[i], box)
            for k in range(4):
                rows[i, k] = box[k]
        return found

    def find_range(
        self,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
        ends: cython.p_Py_ssize_t,
    ) -> NoGil[None]:
        """Write the first column and row, and those past the last, of the centers in a box.

        There may be more of them than needed, but none is missing, whatever is rounded.
        """
        u0: cython.double = min((min_x - self.x) * self.u_by_x, (max_x - self.x) * self.u_by_x)
        u1: cython.double = max((min_x - self.x) * self.u_by_x, (max_x - self.x) * self.u_by_x)
        v0: cython.double = min((min_y - self.y) * self.v_by_y, (max_y - self.y) * self.v_by_y)
        v1: cython.double = max((min_y - self.y) * self.v_by_y, (max_y - self.y) * self.v_by_y)
        du: cython.double = (max_y - self.y) * self.u_by_y
        dv: cython.double = (max_x - self.x) * self.v_by_x
        u0 += min((min_y - self.y) * self.u_by_y, du)
        u1 += max((min_y - self.y) * self.u_by_y, du)
        v0 += min((min_x - self.x) * self.v_by_x, dv)
        v1 += max((min_x - self.x) * self.v_by_x, dv)
        margin: cython.double = EDGE_MARGIN + LOSS * (abs(u0) + abs(u1) + abs(v0) + abs(v1))
        margin += LOSS * (abs(self.x * self.u_by_x) + abs(self.y * self.v_by_y))
        if not margin < INF:  # too far to be told: any cell
            u0 = v0 = -1.0
            u1 = v1 = margin = 0x7FFFFFFF
        ends[0] = bounded(u0 - self.slant_u - margin + 1.0, self.ground.columns)
        ends[1] = bounded(v0 - self.slant_v - margin + 1.0, self.ground.rows)
        ends[2] = bounded(u1 + margin + 1.0, self.ground.columns)
        ends[3] = bounded(v1 + margin + 1.0, self.ground.rows)

    def cells_in(
        self, min_x: cython.double, min_y: cython.double, max_x: cython.double, max_y: cython.double
    ) -> memoryview:
        """The cells with their center in a box, ascending."""
        ends = cython.declare(cython.Py_ssize_t[4])
        ground: Ground = self.ground
        found: IntBuffer = IntBuffer()
        self.find_range(min_x, min_y, max_x, max_y, ends)
        for row in range(ends[1], ends[3]):
            for cell in range(row * ground.columns + ends[0], row * ground.columns + ends[2]):
                place = ground.place_of(cell)
                if (
                    min_x <= ground.center_x(place) <= max_x
                    and min_y <= ground.center_y(place) <= max_y
                ):
                    found.append(cython.cast(cython.int, cell))
        return found.taken()

    def query(
        self, min_x: cython.double, min_y: cython.double, max_x: cython.double, max_y: cython.double
    ) -> memoryview:
        """The closed cells whose boxes overlap or touch a box, ascending."""
        ends = cython.declare(cython.Py_ssize_t[4])
        box = cython.declare(cython.double[4])
        found: IntBuffer = IntBuffer()
        self.find_near(min_x, min_y, max_x, max_y, ends)
        for row in range(ends[1], ends[3]):
            for cell in range(
                row * self.ground.columns + ends[0], row * self.ground.columns + ends[2]
            ):
                if self.free[self.ground.place_of(cell)] != 0:
                    continue
                self.write_cell(cell, box)
                if box[0] <= max_x and box[1] <= max_y and box[2] >= min_x and box[3] >= min_y:
                    found.append(cython.cast(cython.int, cell))
        return found.taken()

    def holding(
        self, min_x: cython.double, min_y: cython.double, max_x: cython.double, max_y: cython.double
    ) -> memoryview:
        """The cells, ascending, with a solid whose box overlaps or touches a box."""
        found: IntBuffer = IntBuffer()
        cells: IntBuffer = IntBuffer()
        self.gather(min_x, min_y, max_x, max_y, 0x7FFFFFFF, found)
        for i in range(found.used):
            cell = self.cell_of(found.values[i])
            if cells.used == 0 or cells.values[cells.used - 1] != cell:
                cells.append(cython.cast(cython.int, cell))
        return cells.taken()

    def find_near(
        self,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
        ends: cython.p_Py_ssize_t,
    ) -> NoGil[None]:
        """Write the range of the cells whose boxes may touch a box."""
        self.find_range(
            min_x - self.high_x, min_y - self.high_y, max_x - self.low_x, max_y - self.low_y, ends
        )

    def gather(
        self,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
        most: cython.Py_ssize_t,
        found: IntBuffer,
    ) -> RaisesNoGil[cython.bint]:
        """Append the solids whose boxes touch a box, by cells; False if more than `most`."""
        ends = cython.declare(cython.Py_ssize_t[4])
        box = cython.declare(cython.double[4])
        start = found.used
        self.find_near(min_x, min_y, max_x, max_y, ends)
        for row in range(ends[1], ends[3]):
            place = (row + BORDER) * self.ground.stride + BORDER
            for column in range(ends[0], ends[2]):
                kind = self.kind_at(place + column)
                if kind < 0:
                    continue
                number = row * self.ground.columns + column
                x = self.ground.x_in(column, row)
                y = self.ground.y_in(column, row)
                count = self.solids_at(place + column)
                for k in range(count):
                    if kind == 0:
                        self.write_cell_in(column, row, box)
                    else:
                        self.pieces.write_box(self.pieces.starts[kind] + k, x, y, box)
                    if box[0] <= max_x and box[1] <= max_y and box[2] >= min_x and box[3] >= min_y:
                        if found.used - start == most:
                            return False
                        found.append(cython.cast(cython.int, number + k * self.size))
        return True

    def holder_of(self, x: cython.double, y: cython.double) -> NoGil[cython.Py_ssize_t]:
        """A solid that holds a point; -1 for none."""
        ends = cython.declare(cython.Py_ssize_t[4])
        self.find_near(x, y, x, y, ends)
        for row in range(ends[1], ends[3]):
            for column in range(ends[0], ends[2]):
                number = row * self.ground.columns + column
                for k in range(self.solids_at(self.ground.place_of(number))):
                    if self.holds(number + k * self.size, x, y):
                        return number + k * self.size
        return -1

    def holds(
        self, number: cython.Py_ssize_t, x: cython.double, y: cython.double
    ) -> NoGil[cython.bint]:
        """Whether a solid, which is closed on all sides, holds a point."""
        box = cython.declare(cython.double[4])
        part = self.part_of(number)
        if part < 0:
            self.write_cell(self.cell_of(number), box)
            return box[0] <= x <= box[2] and box[1] <= y <= box[3]
        place = self.ground.place_of(self.cell_of(number))
        x -= self.ground.center_x(place)
        y -= self.ground.center_y(place)
        return self.pieces.holds(part, x, y, 0.0)

    def holds_end(
        self, number: cython.Py_ssize_t, x: cython.double, y: cython.double
    ) -> NoGil[cython.bint]:
        """Whether a cell, or any part of the shape in it that a solid belongs to, holds a point."""
        part = self.part_of(number)
        loss = self.loss_at(x, y)
        if part < 0:
            return self.holds(number, x, y)
        place = self.ground.place_of(self.cell_of(number))
        x -= self.ground.center_x(place)
        y -= self.ground.center_y(place)
        return self.shape_holds(self.kind_at(place), part, x, y, loss)

    def shape_holds(
        self,
        kind: cython.int,
        part: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        loss: cython.double,
    ) -> NoGil[cython.bint]:
        """Whether the shape of a part holds a point, relative to the center of its cell."""
        k: cython.Py_ssize_t
        if not (
            self.low_x - loss <= x <= self.high_x + loss
            and self.low_y - loss <= y <= self.high_y + loss
        ):
            return False
        for k in range(self.pieces.starts[kind], self.pieces.ends[kind]):
            if self.pieces.owners[k] == self.pieces.owners[part] and self.pieces.holds(
                k, x, y, loss
            ):  # on an edge, but for rounding
                return True
        return False

    def loss_at(self, x: cython.double, y: cython.double) -> NoGil[cython.double]:
        """How much rounding may move a point relative to a cell."""
        return 4.0 * LOSS * (abs(x) + abs(y) + self.width + self.height)

    def is_covered(
        self, faces: cython.p_double, k: cython.int, x: cython.double, y: cython.double
    ) -> NoGil[cython.bint]:
        """Whether something solid lies before a face, where the face is nearest to a point."""
        i = FACE * k
        dx = faces[i + X1] - faces[i + X0]
        dy = faces[i + Y1] - faces[i + Y0]
        part = dx * dx + dy * dy
        far = self.tiny_at(x, y)
        if part > 0.0:
            part = ((x - faces[i + X0]) * dx + (y - faces[i + Y0]) * dy) / part
            part = min(max(part, 0.0), 1.0)
        x = faces[i + X0] + part * dx + far * faces[i + NX]
        y = faces[i + Y0] + part * dy + far * faces[i + NY]
        return self.holder_of(x, y) >= 0

    def tiny_at(self, x: cython.double, y: cython.double) -> NoGil[cython.double]:
        """A distance that is hardly more than rounding."""
        return EDGE_MARGIN * min(self.width, self.height) + 4.0 * LOSS * (abs(x) + abs(y))

    # -- lines -------------------------------------------------------------------------------------

    def line_time(
        self,
        number: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
    ) -> NoGil[cython.double]:
        """Return when a line, from 0 to 1, meets a solid; inf if never."""
        face = cython.declare(cython.int[1])
        part = self.part_of(number)
        cell = self.cell_of(number)
        row = cell // self.ground.columns
        column = cell - row * self.ground.columns
        x = self.ground.x_in(column, row)
        y = self.ground.y_in(column, row)
        if part < 0:
            return self.cell_time(column, row, x0, y0, x1, y1)
        return self.pieces.line_time(part, x0 - x, y0 - y, x1 - x0, y1 - y0, face)

    def cell_time(
        self,
        column: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
    ) -> NoGil[cython.double]:
        """Return when a line, from 0 to 1, meets a cell; inf if never."""
        box = cython.declare(cython.double[4])
        self.write_cell_in(column, row, box)
        if (
            (x0 < box[0] and x1 < box[0])
            or (x0 > box[2] and x1 > box[2])
            or (y0 < box[1] and y1 < box[1])
            or (y0 > box[3] and y1 > box[3])
        ):
            return INF
        return slab_time(
            x0 - box[0], y0 - box[1], x0 - box[2], y0 - box[3], x1 - x0, y1 - y0, 0.0, 0.0
        )


# -- the way of a line through the cells -----------------------------------------------------------


def first_met(
    cells: ClosedCells,
    x0: cython.double,
    y0: cython.double,
    x1: cython.double,
    y1: cython.double,
    skip: cython.int,
    fraction: cython.p_double,
    face: cython.p_int,
) -> NoGil[cython.Py_ssize_t]:
    """Return the solid that a line meets first, -1 if none; write when, from 0 to 1.

    For a part of a shape, write through which of its faces, as `Pieces.line_time` does.

    The line is followed along its longer side, one strip of cells after the other. It is taken
    slightly thicker than it is, so rounding misses no cell. `skip` says which ends of the line
    leave out the cells and the shapes that hold them: ALL_SOLIDS, SKIP_ENDS or SKIP_START.
    """
    way = cython.declare(LineWay)
    ends = cython.declare(cython.Py_ssize_t[4])
    best: cython.Py_ssize_t = -1
    fraction[0] = INF
    if not begin_way(cells, cython.address(way), x0, y0, x1, y1):
        return -1
    strip = way.first
    while True:
        strip_range(cells, cython.address(way), strip, ends)
        for row in range(ends[1], ends[1] if is_passed(cells, ends) else ends[3]):
            place = (row + BORDER) * cells.ground.stride + BORDER
            for column in range(ends[0], ends[2]):
                if cells.kind_at(place + column) >= 0:
                    best = first_in_cell(
                        cells, cython.address(way), column, row, cells.kind_at(place + column),
                        skip, fraction, face, best,
                    )  # fmt: skip
        if strip == way.last:
            return best
        if best >= 0 and is_before(cython.address(way), strip, fraction[0]):
            return best
        strip += way.step


def begin_way(
    cells: ClosedCells,
    way: cython.pointer[LineWay],
    x0: cython.double,
    y0: cython.double,
    x1: cython.double,
    y1: cython.double,
) -> NoGil[cython.bint]:
    """Write the way of a line; return whether it comes near to the cells at all."""
    scale_x: cython.double = cells.u_by_x if cells.flush else 1.0 / cells.width
    scale_y: cython.double = cells.v_by_y if cells.flush else 1.0 / cells.height
    corner_x: cython.double = cells.ground.axes.x if cells.flush else cells.min_x
    corner_y: cython.double = cells.ground.axes.y if cells.flush else cells.min_y
    u0: cython.double = (x0 - corner_x) * scale_x
    v0: cython.double = (y0 - corner_y) * scale_y
    u1: cython.double = (x1 - corner_x) * scale_x
    v1: cython.double = (y1 - corner_y) * scale_y
    steep: cython.bint = abs(v1 - v0) > abs(u1 - u0)
    p0: cython.double = v0 if steep else u0
    p1: cython.double = v1 if steep else u1
    q0: cython.double = u0 if steep else v0
    q1: cython.double = u1 if steep else v1
    slope: cython.double = (q1 - q0) / (p1 - p0) if p0 != p1 else 0.0
    count = cells.rows if steep else cells.columns
    across = cells.columns if steep else cells.rows
    loss: cython.double = EDGE_MARGIN + LOSS * (abs(u0) + abs(v0) + abs(u1) + abs(v1))
    loss += LOSS * (abs(corner_x * scale_x) + abs(corner_y * scale_y))
    way.x0, way.y0, way.x1, way.y1 = x0, y0, x1, y1
    way.steep, way.slope = steep, slope
    way.p0, way.p1, way.q0 = p0, p1, q0
    way.low, way.high = min(q0, q1) - loss, max(q0, q1) + loss
    # From where the line enters a strip to where it leaves it, and slightly more.
    way.low_by, way.high_by = min(slope, 0.0) - 2.0 * loss, max(slope, 0.0) + 2.0 * loss
    way.step = 1 if p1 >= p0 else -1
    way.first = bounded(p0 - way.step * loss, count - 1)
    way.last = bounded(p1 + way.step * loss, count - 1)
    return (
        max(p0, p1) + loss >= 0.0
        and min(p0, p1) - loss <= count
        and way.high >= 0.0
        and way.low <= across
    )


def strip_range(
    cells: ClosedCells,
    way: cython.pointer[LineWay],
    strip: cython.Py_ssize_t,
    ends: cython.p_Py_ssize_t,
) -> NoGil[None]:
    """Write the range of the cells of a strip that a line may meet."""
    across = cells.columns if way.steep else cells.rows
    q = way.q0 + (strip - way.p0) * way.slope
    low = max(q + way.low_by, way.low)
    high = min(q + way.high_by, way.high)
    if cells.flush:
        first = bounded(low, across)
        past = bounded(high + 1.0, across)
        ends[0] = first if way.steep else strip
        ends[1] = strip if way.steep else first
        ends[2] = past if way.steep else strip + 1
        ends[3] = strip + 1 if way.steep else past
    elif way.steep:
        x = cells.min_x + low * cells.width
        y = cells.min_y + strip * cells.height
        cells.find_near(x, y, x + (high - low) * cells.width, y + cells.height, ends)
    else:
        x = cells.min_x + strip * cells.width
        y = cells.min_y + low * cells.height
        cells.find_near(x, y, x + cells.width, y + (high - low) * cells.height, ends)


def is_passed(cells: ClosedCells, ends: cython.p_Py_ssize_t) -> NoGil[cython.bint]:
    """Whether a range is of one or two cells, and they are open: the usual case of a strip."""
    stride = cells.ground.stride
    first = (ends[1] + BORDER) * stride + BORDER + ends[0]
    last = (ends[3] + BORDER - 1) * stride + ends[2] + BORDER - 1
    return (
        (ends[2] - ends[0]) * (ends[3] - ends[1]) <= 2
        and cells.kind_at(first) < 0
        and cells.kind_at(last) < 0
    )


def is_before(
    way: cython.pointer[LineWay], strip: cython.Py_ssize_t, fraction: cython.double
) -> NoGil[cython.bint]:
    """Whether a line meets something before it leaves a strip."""
    end = strip + 1.0 if way.step > 0 else strip
    return way.p1 == way.p0 or fraction < (end - way.p0) / (way.p1 - way.p0)


def first_in_cell(
    cells: ClosedCells,
    way: cython.pointer[LineWay],
    column: cython.Py_ssize_t,
    row: cython.Py_ssize_t,
    kind: cython.int,
    skip: cython.int,
    fraction: cython.p_double,
    face: cython.p_int,
    best: cython.Py_ssize_t,
) -> NoGil[cython.Py_ssize_t]:
    """Return the solid that a line meets first: one in a cell of a kind, or the best yet."""
    entered = cython.declare(cython.int[1])
    number = row * cells.ground.columns + column
    k: cython.Py_ssize_t
    x0 = way.x0
    y0 = way.y0
    x1 = way.x1
    y1 = way.y1
    entered[0] = -1
    if kind == 0 and cells.flush:
        time = cells.cell_time(column, row, x0, y0, x1, y1)
        if is_sooner(time, number, fraction[0], best) and not (
            (skip != ALL_SOLIDS and cells.holds(number, x0, y0))
            or (skip == SKIP_ENDS and cells.holds(number, x1, y1))
        ):
            fraction[0] = time
            best = number
        return best
    x = cells.ground.x_in(column, row)
    y = cells.ground.y_in(column, row)
    for k in range(cells.pieces.starts[kind], cells.pieces.ends[kind]):
        time = cells.pieces.line_time(k, x0 - x, y0 - y, x1 - x0, y1 - y0, entered)
        if is_sooner(time, number, fraction[0], best) and not (
            (
                skip != ALL_SOLIDS
                and cells.shape_holds(kind, k, x0 - x, y0 - y, cells.loss_at(x0, y0))
            )
            or (
                skip == SKIP_ENDS
                and cells.shape_holds(kind, k, x1 - x, y1 - y, cells.loss_at(x1, y1))
            )
        ):
            fraction[0] = time
            face[0] = entered[0]
            best = number
        number += cells.size
    return best


def is_sooner(
    time: cython.double,
    number: cython.Py_ssize_t,
    fraction: cython.double,
    best: cython.Py_ssize_t,
) -> NoGil[cython.bint]:
    """Whether a line meets a solid before the best yet; of equals, the first counts."""
    return time <= 1.0 and (time < fraction or (time == fraction and number < best))


def bounded(number: cython.double, most: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
    """Round down a number, to between 0 and a limit; NaN becomes 0."""
    if not number > 0.0:
        return 0
    return cython.cast(cython.Py_ssize_t, number) if number < most else most

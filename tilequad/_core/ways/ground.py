"""Cells as the searches see them: where they lie, which moves are legal, and what a move costs.

Cells lie in rows with a border of two closed cells all around, so no search checks for edges. A
*place* is an index into these rows: (row + 2) * stride + column + 2.

A cell has up to eight neighbors, or six if it is a hexagon. Directions are numbered around the
cell; of eight, even ones lead across an edge and odd ones across a corner. In staggered and
hexagonal grids the neighbors of odd and even lines lie at other offsets.
"""

from __future__ import annotations

from math import fabs, floor

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil


@cython.cclass
class Ground:
    """The cells of a grid.

    Args:
        shape: Columns and rows.
        kind: 0 for a lattice, 1 for staggered rows, 2 for staggered columns.
        flip: Whether even lines are shifted instead of odd ones.
        directions: The number of directions: 8 or 6.
        frame: The geometry of the cells. Lattice: the corner of cell (0, 0), the step to the next
            column, the step to the next row. Staggered: the first center along a line, half the
            distance between centers on a line, the center of the first line, the distance between
            lines, and the length of the part of it that slanted edges take.
        codes: A code for each place: 0 is closed, others are rows of `halves`.
        moves: A bit for each legal move from each place.
        tables: `legal`: the legal moves for each set of open neighbors; `counts` and `orders`:
            the directions in each set; `opposites`; `offsets` of neighbors for even and for odd
            lines; `steps`: (dx, dy) of each direction.
        halves: The cost of half a move for each code and direction, in units of distance.
    """

    __slots__ = {
        "codes": "unsigned char[::1]",
        "moves": "unsigned char[::1]",
        "legal": "unsigned char[::1]",
        "counts": "unsigned char[::1]",
        "orders": "unsigned char[::1]",
        "opposites": "unsigned char[::1]",
        "offsets": "int[::1]",
        "halves": "long long[::1]",
        "frame": "double[::1]",
        "steps": "double[::1]",
        "columns": "Py_ssize_t",
        "rows": "Py_ssize_t",
        "stride": "Py_ssize_t",
        "directions": "Py_ssize_t",
        "edges": "int",
        "kind": "int",
        "flip": "int",
    }

    def __init__(
        self,
        shape: tuple[int, int],
        kind: int,
        flip: int,
        directions: int,
        frame: memoryview,
        codes: memoryview,
        moves: memoryview,
        tables: tuple[memoryview, memoryview, memoryview, memoryview, memoryview, memoryview],
        halves: memoryview,
    ) -> None:
        self.columns, self.rows = shape
        self.stride = self.columns + 4
        self.kind = kind
        self.flip = flip
        self.directions = directions
        self.edges = 0x55 if directions == 8 else 0x3F
        self.frame = frame
        self.codes = codes
        self.moves = moves
        self.legal, self.counts, self.orders, self.opposites, self.offsets, self.steps = tables
        self.halves = halves

    # -- moves -------------------------------------------------------------------------------------

    def parity_of(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """Return where the neighbor offsets of a place start in `offsets`: 0 or 8."""
        line: cython.Py_ssize_t
        if self.kind == 0:
            return 0
        line = place // self.stride if self.kind == 1 else place % self.stride
        return 8 if (line & 1) != self.flip else 0

    def move_mask(self, place: cython.Py_ssize_t) -> NoGil[cython.int]:
        """The legal moves from a place."""
        k: cython.Py_ssize_t
        free: cython.int = 0
        base: cython.Py_ssize_t
        if self.codes[place] == 0:
            return 0
        base = self.parity_of(place)
        for k in range(self.directions):
            if self.codes[place + self.offsets[base + k]] != 0:
                free |= 1 << k
        return self.legal[free]

    def refresh(self, places: cython.int[::1]) -> None:
        """Recompute the moves from and to places whose codes have changed."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t
        base: cython.Py_ssize_t
        other: cython.Py_ssize_t
        with cython.nogil:
            for i in range(len(places)):
                place = places[i]
                base = self.parity_of(place)
                self.moves[place] = self.move_mask(place)
                for k in range(self.directions):
                    other = place + self.offsets[base + k]
                    self.moves[other] = self.move_mask(other)

    def weight(
        self, place: cython.Py_ssize_t, other: cython.Py_ssize_t, k: cython.Py_ssize_t
    ) -> NoGil[cython.longlong]:
        """Return the cost of a move in direction k, half in each of the two cells."""
        return self.halves[8 * self.codes[place] + k] + self.halves[8 * self.codes[other] + k]

    # -- places ------------------------------------------------------------------------------------

    def place_at(self, x: cython.double, y: cython.double) -> NoGil[cython.Py_ssize_t]:
        """The place of the cell at a point, -1 outside. An edge belongs to the higher cell."""
        u: cython.double
        v: cython.double
        area: cython.double
        column: cython.Py_ssize_t
        row: cython.Py_ssize_t
        if self.kind != 0:
            return self.staggered_at(x, y)
        x -= self.frame[0]
        y -= self.frame[1]
        area = self.frame[2] * self.frame[5] - self.frame[3] * self.frame[4]
        u = (x * self.frame[5] - y * self.frame[4]) / area
        v = (y * self.frame[2] - x * self.frame[3]) / area
        if not (0.0 <= u <= self.columns and 0.0 <= v <= self.rows):
            return -1
        column = cython.cast(cython.Py_ssize_t, u)
        row = cython.cast(cython.Py_ssize_t, v)
        column = min(column, self.columns - 1)  # the last edges belong to the last cells
        row = min(row, self.rows - 1)
        return (row + 2) * self.stride + column + 2

    def staggered_at(self, x: cython.double, y: cython.double) -> NoGil[cython.Py_ssize_t]:
        """Return the place at a point among staggered lines: the nearer cell of two lines.

        Lines meet only at slanted edges, so nearness is measured across these.
        """
        i: cython.Py_ssize_t
        along: cython.double
        across: cython.double
        middle: cython.double
        far: cython.double
        best: cython.double = 0.0
        step: cython.double
        line: cython.double
        shift: cython.Py_ssize_t
        column: cython.Py_ssize_t = -1
        row: cython.Py_ssize_t = -1
        found: cython.Py_ssize_t
        if self.kind == 2:
            x, y = y, x
        along = (x - self.frame[0]) / self.frame[1]
        across = (y - self.frame[2]) / self.frame[3]
        if not (-4.0 < along < 2.0 * (self.columns + self.rows) + 4.0):
            return -1
        if not (-4.0 < across < self.columns + self.rows + 4.0):
            return -1
        for i in range(2):
            line = floor(across) + i
            shift = 1 if (cython.cast(cython.Py_ssize_t, line + 4.0) & 1) != self.flip else 0
            step = floor((along - shift + 1.0) / 2.0)
            middle = 2.0 * step + shift
            far = fabs(across - line) * fabs(self.frame[3]) + fabs(along - middle) * self.frame[4]
            if i == 0 or far < best:
                best = far
                found = cython.cast(cython.Py_ssize_t, line + 4.0) - 4
                row = found
                column = cython.cast(cython.Py_ssize_t, step + 4.0) - 4
        if self.kind == 2:
            column, row = row, column
        if column < 0 or row < 0 or column >= self.columns or row >= self.rows:
            return -1
        return (row + 2) * self.stride + column + 2

    def nearest_index(self, x: cython.double, y: cython.double) -> NoGil[cython.Py_ssize_t]:
        """Return the place of a point, with its column and row clamped to the grid."""
        u: cython.double
        v: cython.double
        area: cython.double
        column: cython.Py_ssize_t
        row: cython.Py_ssize_t
        if self.kind == 0:
            x -= self.frame[0]
            y -= self.frame[1]
            area = self.frame[2] * self.frame[5] - self.frame[3] * self.frame[4]
            u = (x * self.frame[5] - y * self.frame[4]) / area
            v = (y * self.frame[2] - x * self.frame[3]) / area
        elif self.kind == 1:
            u = (x - self.frame[0]) / self.frame[1] / 2.0
            v = (y - self.frame[2]) / self.frame[3]
        else:
            u = (x - self.frame[2]) / self.frame[3]
            v = (y - self.frame[0]) / self.frame[1] / 2.0
        column = cython.cast(cython.Py_ssize_t, min(max(u, 0.0), self.columns - 1.0))
        row = cython.cast(cython.Py_ssize_t, min(max(v, 0.0), self.rows - 1.0))
        return (row + 2) * self.stride + column + 2

    def center_x(self, place: cython.Py_ssize_t) -> NoGil[cython.double]:
        """The x of the center of a cell."""
        column: cython.double
        row: cython.double
        if self.kind != 0:
            return self.staggered_center(place, self.kind == 1)
        column = place % self.stride - 2 + 0.5
        row = place // self.stride - 2 + 0.5
        return self.frame[0] + column * self.frame[2] + row * self.frame[4]

    def center_y(self, place: cython.Py_ssize_t) -> NoGil[cython.double]:
        """The y of the center of a cell."""
        column: cython.double
        row: cython.double
        if self.kind != 0:
            return self.staggered_center(place, self.kind == 2)
        column = place % self.stride - 2 + 0.5
        row = place // self.stride - 2 + 0.5
        return self.frame[1] + column * self.frame[3] + row * self.frame[5]

    def staggered_center(
        self, place: cython.Py_ssize_t, along: cython.bint
    ) -> NoGil[cython.double]:
        """Return one coordinate of a cell's center: along its line, or across the lines."""
        column: cython.Py_ssize_t = place % self.stride - 2
        row: cython.Py_ssize_t = place // self.stride - 2
        line: cython.Py_ssize_t = row if self.kind == 1 else column
        step: cython.Py_ssize_t = column if self.kind == 1 else row
        shift: cython.Py_ssize_t = 1 if (line & 1) != self.flip else 0
        if along:
            return self.frame[0] + (2 * step + shift) * self.frame[1]
        return self.frame[2] + line * self.frame[3]

    def fill_cells(
        self, xy: cython.double[:, ::1], outside: cython.int, found: cython.int[::1]
    ) -> None:
        """Write the numbers of the cells at points, `outside` for points outside the grid."""
        i: cython.Py_ssize_t
        place: cython.Py_ssize_t
        row: cython.Py_ssize_t
        with cython.nogil:
            for i in range(len(found)):
                place = self.place_at(xy[i, 0], xy[i, 1])
                if place >= 0:
                    row = place // self.stride - 2
                    place = row * self.columns + place % self.stride - 2
                    found[i] = cython.cast(cython.int, place)
                else:
                    found[i] = outside

    def fill_places(self, xy: cython.double[:, ::1], found: cython.int[::1]) -> None:
        """Write the places at points, -1 outside."""
        i: cython.Py_ssize_t
        with cython.nogil:
            for i in range(len(found)):
                found[i] = cython.cast(cython.int, self.place_at(xy[i, 0], xy[i, 1]))

    def center_at(self, place: cython.Py_ssize_t) -> tuple:  # type: ignore[type-arg]
        """The center (x, y) of a cell."""
        return self.center_x(place), self.center_y(place)

    def fill_centers(self, places: cython.int[::1], found: cython.double[:, ::1]) -> None:
        """Write the centers of cells."""
        i: cython.Py_ssize_t
        with cython.nogil:
            for i in range(len(places)):
                found[i, 0] = self.center_x(places[i])
                found[i, 1] = self.center_y(places[i])

"""Free places: discs that overlap no wall, and no disc in which somebody else stands or will stand.

The discs that are taken are in lists, by the cells of a square grid. A table holds the first disc
of each cell; cells that share a row of it share a list.
"""

from __future__ import annotations

from math import floor, sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises, RaisesNoGil
from tilequad._core.army.solids import Solids
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.lines_of_sight import CellFaces

SLACK: cython.double = (
    0.999  # of a radius: who only touches does not overlap, whatever the rounding
)
FAR: cython.double = 1e9  # the greatest number of a cell
ROW: cython.double = 0.8660254037844386  # between the lines of a lattice of triangles


def lattice(reach: cython.Py_ssize_t) -> np.ndarray:
    """Return a lattice of triangles around one of its points, up to a distance, (n, 2).

    The nearest come first, and of those as far the lowest. Lengths are in spacings; the square of
    each distance is a whole number, so the points are sorted by counting.
    """
    most = reach * reach
    high = cython.cast(cython.Py_ssize_t, reach / ROW)
    starts: cython.Py_ssize_t[::1] = np.zeros(most + 2, np.intp).data
    points = np.empty((0, 2))
    found: cython.double[:, ::1] = points.data
    for turn in range(2):  # they are counted, and then written
        for line in range(-high, high + 1):
            wide = cython.cast(cython.Py_ssize_t, sqrt(4.0 * most - 3.0 * line * line))
            wide -= (wide ^ line) & 1
            for twice in range(-wide, wide + 1, 2):  # the x of a point; odd in odd lines
                at = (twice * twice + 3 * line * line) >> 2
                if turn == 0:
                    starts[at + 1] += 1
                else:
                    found[starts[at], 0] = 0.5 * twice
                    found[starts[at], 1] = ROW * line
                    starts[at] += 1
        if turn == 0:
            for at in range(most + 1):
                starts[at + 1] += starts[at]
            points = np.empty((starts[most + 1], 2))
            found = points.data
    return points


@cython.final
@cython.cclass
class FreePlaces:
    """Walls and taken discs; `side` is that of a cell: about the width of the discs."""

    __slots__ = {
        "solids": "Solids",
        "near": "IntBuffer",
        "side": "double",
        "count": "Py_ssize_t",
        "widest": "double",
        "discs": "double[:, ::1]",  # x, y, radius
        "heads": "int[::1]",
        "nexts": "int[::1]",
        "mask": "Py_ssize_t",
    }

    def __init__(self, solids: Solids, side: float) -> None:
        self.solids, self.near = solids, IntBuffer()
        self.side, self.widest, self.count = side, 0.0, 0
        self.discs = np.zeros((0, 3)).data
        self.reserve(64)

    def reserve(self, room: cython.Py_ssize_t) -> Raises[cython.int]:
        """Make room for so many discs: a power of two."""
        self.discs = np.resize(self.discs, (room, 3)).data  # new rows are not read
        self.heads = np.full(2 * room, -1, np.int32).data
        self.nexts = np.zeros(room, np.int32).data
        self.mask = 2 * room - 1
        for i in range(self.count):
            self.link(i)
        return 0

    def link(self, i: cython.Py_ssize_t) -> NoGil[None]:
        """Put a disc into the list of its cell."""
        at = self.row_of(self.cell_of(self.discs[i, 0]), self.cell_of(self.discs[i, 1]))
        self.nexts[i] = self.heads[at]
        self.heads[at] = cython.cast(cython.int, i)

    def cell_of(self, at: cython.double) -> NoGil[cython.Py_ssize_t]:
        """The column or row of cells at a coordinate."""
        return cython.cast(cython.Py_ssize_t, floor(max(-FAR, min(at / self.side, FAR))))

    def row_of(self, column: cython.Py_ssize_t, row: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The row of the table for a cell."""
        return (column * 73_856_093 ^ row * 19_349_663) & self.mask

    # -- taking ------------------------------------------------------------------------------------

    def take(self, xy: cython.double[:, ::1], radii: cython.double[::1]) -> None:
        """Take discs."""
        for i in range(len(radii)):
            self.take_one(xy[i, 0], xy[i, 1], radii[i])

    def take_one(
        self, x: cython.double, y: cython.double, radius: cython.double
    ) -> Raises[cython.int]:
        """Take a disc."""
        if self.count == len(self.discs):
            self.reserve(2 * self.count)
        self.discs[self.count, 0] = x
        self.discs[self.count, 1] = y
        self.discs[self.count, 2] = radius
        self.link(self.count)
        self.widest = max(self.widest, radius)
        self.count += 1
        return 0

    def take_if_free(
        self, xy: cython.double[:, ::1], radius: cython.double, found: cython.uchar[::1]
    ) -> None:
        """Take each disc that overlaps no earlier one; write whether it does not."""
        for i in range(len(found)):
            found[i] = self.is_free(xy[i, 0], xy[i, 1], radius)
            if found[i]:
                self.take_one(xy[i, 0], xy[i, 1], radius)

    # -- asking ------------------------------------------------------------------------------------

    def fill_free(
        self, xy: cython.double[:, ::1], radius: cython.double, found: cython.uchar[::1]
    ) -> None:
        """Write whether discs overlap none that is taken."""
        with cython.nogil:
            for i in range(len(found)):
                found[i] = self.is_free(xy[i, 0], xy[i, 1], radius)

    def fill_clear(
        self, xy: cython.double[:, ::1], radii: cython.double[::1], found: cython.uchar[::1]
    ) -> None:
        """Write whether discs overlap no wall."""
        with cython.nogil:
            for i in range(len(found)):
                found[i] = self.is_clear(xy[i, 0], xy[i, 1], radii[i])

    def is_free(
        self, x: cython.double, y: cython.double, radius: cython.double
    ) -> NoGil[cython.bint]:
        """Whether a disc overlaps none that is taken."""
        reach = radius + self.widest
        right = self.cell_of(x + reach)
        low = self.cell_of(y - reach)
        high = self.cell_of(y + reach)
        for column in range(self.cell_of(x - reach), right + 1):
            for row in range(low, high + 1):
                i = self.heads[self.row_of(column, row)]
                while i >= 0:
                    dx = self.discs[i, 0] - x
                    dy = self.discs[i, 1] - y
                    apart = SLACK * radius + self.discs[i, 2]
                    if dx * dx + dy * dy < apart * apart:
                        return False
                    i = self.nexts[i]
        return True

    def is_clear(
        self, x: cython.double, y: cython.double, radius: cython.double
    ) -> RaisesNoGil[cython.bint]:
        """Whether a disc overlaps no wall."""
        push = cython.declare(cython.double[2])
        self.near.used = 0
        self.solids.gather(x - radius, y - radius, x + radius, y + radius, 1 << 30, self.near)
        for i in range(self.near.used):
            if (
                self.solids.penetration(self.near.values[i], x, y, radius, -1.0, push)
                > (1.0 - SLACK) * radius
            ):
                return False
        return True

    # -- searching ---------------------------------------------------------------------------------

    def around(
        self,
        ground: Ground,
        closed: CellFaces,
        x0: cython.double,
        y0: cython.double,
        offsets: cython.double[:, ::1],
        spacing: cython.double,
        radius: cython.double,
        most: cython.Py_ssize_t,
    ) -> np.ndarray:
        """Return up to `most` free places in open cells that are seen from a point, (n, 2).

        `offsets` says where to look from there, in this order, in units of the spacing.
        """
        i: cython.Py_ssize_t
        count: cython.Py_ssize_t = 0
        places = np.empty((most, 2))
        found: cython.double[:, ::1] = places.data
        with cython.nogil:
            for i in range(len(offsets)):
                if count == most:
                    break
                x = x0 + offsets[i, 0] * spacing
                y = y0 + offsets[i, 1] * spacing
                place = ground.place_at(x, y)
                if place < 0 or ground.codes[place] == 0 or not self.is_free(x, y, radius):
                    continue
                if self.is_clear(x, y, radius) and closed.is_clear(x0, y0, x, y):
                    found[count, 0] = x
                    found[count, 1] = y
                    count += 1
        return places[:count]

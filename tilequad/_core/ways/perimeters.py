"""Closed cells merged into polygons: rings around what shares edges, without inner seams.

A side of a cell is a number `k`: the neighbor that it leads to has direction `ways[k]`, and the
sides of a cell are numbered counterclockwise. A side is an outer one if that neighbor is not among
the cells. An outer side goes on with the next outer side around its far corner, past all cells that
share edges there, so cells that only touch at a corner do not join.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, Raises, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.closed_cells import ClosedCells
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import BORDER, LATTICE, STAGGERED_ROWS
from tilequad._core.ways.tables import side_tables


@cython.final
@cython.cclass
class Perimeters:
    """The rings around the closed cells in a part of a grid.

    Args:
        closed: The closed cells.
        box: Only those that overlap or touch this box; None for all.
    """

    __slots__ = {
        "ground": "Ground",
        # The part: its first cell, its size, and the length of a row with its border.
        "column": "Py_ssize_t",
        "row": "Py_ssize_t",
        "columns": "Py_ssize_t",
        "rows": "Py_ssize_t",
        "stride": "Py_ssize_t",
        # By place in the part: 1 for a closed cell; the outer sides that no ring has yet, a bit
        # each; the number of its polygon, from 1.
        "solid": "unsigned char[::1]",
        "left": "unsigned char[::1]",
        "polygon_of": "int[::1]",
        # By parity and side: the offset of the neighbor across the side, and of the one across the
        # corner at the end of the side. By side: the three parts of that corner, `write_corner`.
        "sides": "Py_ssize_t",
        "across": "int[::1]",
        "beyond": "int[::1]",
        "corners": "int[::1]",
        "tip": "double",
        # The ring under way: its corners, as sides that end there; and by side, where in it.
        "turns": "IntBuffer",
        "turn_at": "int[::1]",
        # What is found: the corners; by ring, where it begins there, and its polygon, below 0 for a
        # hole.
        "points": "double[:, ::1]",
        "used": "Py_ssize_t",
        "starts": "IntBuffer",
        "owners": "IntBuffer",
    }

    def __init__(self, closed: ClosedCells, box: tuple[float, ...] | None) -> None:
        ends = cython.declare(cython.Py_ssize_t[4])
        ground: Ground = closed.ground
        self.ground = ground
        ends[0] = ends[1] = 0
        ends[2], ends[3] = self.ground.columns, self.ground.rows
        if box is not None:
            closed.find_near(box[0], box[1], box[2], box[3], ends)
        self.column, self.row = ends[0], ends[1]
        self.columns, self.rows = max(ends[2] - ends[0], 0), max(ends[3] - ends[1], 0)
        self.stride = self.columns + 2 * BORDER
        size = (self.rows + 2 * BORDER) * self.stride
        self.solid = np.zeros(size, np.uint8).data
        self.left = np.zeros(size, np.uint8).data
        self.polygon_of = np.zeros(size, np.int32).data
        tables = side_tables(ground.shape, self.stride)
        self.sides, self.tip, self.across, self.beyond, self.corners = tables
        self.turns = IntBuffer()
        self.turn_at = np.zeros(size * self.sides if self.sides == 4 else 1, np.int32).data
        self.starts, self.owners = IntBuffer(), IntBuffer()
        self.starts.append(0)
        self.used = 0
        self.take_cells(closed, box)
        self.points = np.empty((self.find_sides(), 2))

    def take_cells(self, closed: ClosedCells, box: tuple[float, ...] | None) -> None:
        """Mark the closed cells of the part."""
        near = cython.declare(cython.double[4])
        limits = cython.declare(cython.double[4])
        some: cython.bint = box is not None
        for k in range(4):
            limits[k] = 0.0 if box is None else box[k]
        with cython.nogil:
            for row in range(self.rows):
                cell = (self.row + row) * self.ground.columns + self.column
                first = self.ground.place_of(cell)
                for column in range(self.columns):
                    if self.ground.codes[first + column] != 0:
                        continue
                    if some:
                        closed.write_box(cell + column, near)
                        if not (
                            near[0] <= limits[2]
                            and near[1] <= limits[3]
                            and near[2] >= limits[0]
                            and near[3] >= limits[1]
                        ):
                            continue
                    self.solid[(row + BORDER) * self.stride + column + BORDER] = 1

    def parity_of(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """Return where the offsets of a place start in the tables: 0 or 8."""
        if self.ground.kind == LATTICE:
            return 0
        if self.ground.kind == STAGGERED_ROWS:
            line = self.row + place // self.stride
        else:
            line = self.column + place % self.stride
        return 8 if (line & 1) != self.ground.flip else 0

    def find_sides(self) -> Raises[cython.Py_ssize_t]:
        """Find the outer sides; return their number, which no ring exceeds."""
        count: cython.Py_ssize_t = 0
        with cython.nogil:
            for row in range(self.rows):
                first = (row + BORDER) * self.stride + BORDER
                for place in range(first, first + self.columns):
                    if self.solid[place] == 0:
                        continue
                    base = self.parity_of(place)
                    for k in range(self.sides):
                        if self.solid[place + self.across[base + k]] == 0:
                            self.left[place] |= 1 << k
                            count += 1
        return count

    # -- rings -------------------------------------------------------------------------------------

    def polygons(self) -> list[tuple[np.ndarray, ...]]:
        """Return the polygons, by their first cells: the outer ring of each, and then its holes."""
        count = self.find_rings()
        return polygons_of(np.asarray(self.points), self.starts.taken(), self.owners.taken(), count)

    def find_rings(self) -> Raises[cython.Py_ssize_t]:
        """Find all rings; return how many polygons there are, numbered from 1."""
        polygons: cython.int = 0
        pending: IntBuffer = IntBuffer()
        with cython.nogil:
            for row in range(self.rows):
                first = (row + BORDER) * self.stride + BORDER
                for place in range(first, first + self.columns):
                    if self.left[place] == 0:
                        continue
                    if self.polygon_of[place] == 0:
                        polygons += 1
                        self.fill(place, polygons, pending)
                    for k in range(self.sides):
                        if self.left[place] >> k & 1:
                            self.trace(place, k)
        return polygons

    def fill(
        self, place: cython.Py_ssize_t, number: cython.int, pending: IntBuffer
    ) -> RaisesNoGil[cython.int]:
        """Give a number to all cells that are connected with one by edges."""
        self.polygon_of[place] = number
        pending.used = 0
        pending.append(cython.cast(cython.int, place))
        while pending.used > 0:
            pending.used -= 1
            place = pending.values[pending.used]
            pending.reserve(self.sides)
            base = self.parity_of(place)
            for k in range(self.sides):
                other = place + self.across[base + k]
                if self.solid[other] != 0 and self.polygon_of[other] == 0:
                    self.polygon_of[other] = number
                    pending.values[pending.used] = cython.cast(cython.int, other)
                    pending.used += 1
        return 0

    def trace(self, place: cython.Py_ssize_t, k: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Follow a ring from an outer side until it closes.

        Where it comes back to a corner, at which two cells touch, the part in between is a ring of
        its own. So no ring touches itself.
        """
        number = self.polygon_of[place]
        self.turns.used = 0
        while self.left[place] >> k & 1:
            self.left[place] -= 1 << k
            side = place * self.sides + k
            base = self.parity_of(place)
            before = k
            k = (k + 1) % self.sides
            other = place + self.across[base + k]
            if self.solid[other] != 0:
                while self.solid[other] != 0:
                    place = other
                    k = (k + self.sides // 2 + 1) % self.sides
                    other = place + self.across[self.parity_of(place) + k]
                if k != before:
                    self.turns.append(cython.cast(cython.int, side))
                continue
            self.turns.append(cython.cast(cython.int, side))
            other = place + self.beyond[base + before]
            if self.sides == 4 and self.solid[other] != 0:
                self.turn_at[side] = cython.cast(cython.int, self.turns.used - 1)
                side = other * 4 + (before + 2) % 4  # how the ring would have passed that cell
                at: cython.Py_ssize_t = self.turn_at[side]
                if at < self.turns.used and self.turns.values[at] == side:
                    self.add_ring(at + 1, number)
        self.add_ring(0, number)
        return 0

    def add_ring(self, first: cython.Py_ssize_t, number: cython.int) -> RaisesNoGil[cython.int]:
        """Take the corners from one on out of the ring under way, and keep them as a ring."""
        start: cython.Py_ssize_t = self.used
        area: cython.double = 0.0
        for i in range(first, self.turns.used):
            self.write_corner(self.turns.values[i])
        self.turns.used = first
        x: cython.double = self.points[start, 0]
        y: cython.double = self.points[start, 1]
        for i in range(start + 2, self.used):
            area += (self.points[i - 1, 0] - x) * (self.points[i, 1] - y)
            area -= (self.points[i, 0] - x) * (self.points[i - 1, 1] - y)
        self.starts.append(cython.cast(cython.int, self.used))
        self.owners.append(number if area > 0.0 else -number)
        return 0

    def write_corner(self, side: cython.Py_ssize_t) -> NoGil[None]:
        """Add the corner where a side ends. All cells that meet there compute the same numbers.

        Its parts are, in a lattice, how many columns and rows it is from the cell's first corner.
        Among staggered lines, how many half steps along them and how many lines it is from the
        center, and then how many times the height of a tip across them.
        """
        place = side // self.sides
        k = 3 * (side - place * self.sides)
        row = place // self.stride - BORDER + self.row
        column = place % self.stride - BORDER + self.column
        if self.ground.kind == LATTICE:
            column += self.corners[k]
            row += self.corners[k + 1]
            x: cython.double = self.ground.axes.x + column * self.ground.axes.across_x
            y: cython.double = self.ground.axes.y + column * self.ground.axes.across_y
            self.points[self.used, 0] = x + row * self.ground.axes.down_x
            self.points[self.used, 1] = y + row * self.ground.axes.down_y
        else:
            line = row if self.ground.kind == STAGGERED_ROWS else column
            along: cython.double = 2 * (column if self.ground.kind == STAGGERED_ROWS else row) + (
                (line & 1) != self.ground.flip
            )
            along = self.ground.start + (along + self.corners[k]) * self.ground.half
            across = self.ground.first + (line + self.corners[k + 1]) * self.ground.apart
            across += self.corners[k + 2] * self.tip
            self.points[self.used, 0] = along if self.ground.kind == STAGGERED_ROWS else across
            self.points[self.used, 1] = across if self.ground.kind == STAGGERED_ROWS else along
        self.used += 1


def polygons_of(
    points: np.ndarray, starts: cython.int[::1], owners: cython.int[::1], count: cython.Py_ssize_t
) -> Object[list[tuple[np.ndarray, ...]]]:
    """Return polygons as tuples: the outer ring of each, and then its holes.

    Tuples of arrays are no concern of the garbage collector; lists would slow it down.

    Args:
        points: The corners of all rings.
        starts: By ring, where it begins there; and one past the last.
        owners: By ring, its polygon, from 1, below 0 for a hole; 0 for none.
        count: How many polygons there are.
    """
    rings = len(owners)
    outer: cython.int[::1] = np.zeros(count, np.int32)
    hole: cython.int[::1] = np.full(count, -1, np.int32)
    after: cython.int[::1] = np.full(rings, -1, np.int32)  # the next hole of the same polygon
    found: list[Any] = []
    for k in range(rings):
        i = rings - 1 - k  # from the last, so that chains begin with the first
        if owners[i] > 0:
            outer[owners[i] - 1] = cython.cast(cython.int, i)
        elif owners[i] < 0:
            after[i] = hole[-owners[i] - 1]
            hole[-owners[i] - 1] = cython.cast(cython.int, i)
    for k in range(count):
        i = outer[k]
        first = points[starts[i] : starts[i + 1]]
        if hole[k] < 0:
            found.append((first,))
            continue
        several = [first]
        i = hole[k]
        while i >= 0:
            several.append(points[starts[i] : starts[i + 1]])
            i = after[i]
        found.append(tuple(several))
    return found

"""The way of a straight line from cell to cell, whatever the outlines of the cells."""

from __future__ import annotations

from math import sqrt

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.ways.closed_cells import ClosedCells, first_in_cell
from tilequad._core.ways.ground import Ground  # noqa: F401 -- the type of a field
from tilequad._core.ways.layout import BORDER, SKIP_ENDS, LineWay

NEAR_EDGE: cython.double = 1e-9  # relative to the pitch: how near a line is to what it touches


@cython.final
@cython.cclass
class CellLines:
    """Follows straight lines from cell to cell.

    Args:
        cells: The closed cells.
    """

    __slots__ = {
        "cells": "ClosedCells",
        "ground": "Ground",
        "walls": "double[::1]",  # by direction: (nx, ny, far), a cell's edge, normal outwards
        "near": "double",
    }

    def __init__(self, cells: ClosedCells) -> None:
        self.cells = cells
        self.ground = cells.ground
        self.walls = cells.edges()
        self.near = NEAR_EDGE * self.ground.shape.pitch()

    def fill_open(
        self, a: cython.double[:, ::1], b: cython.double[:, ::1], found: cython.uchar[::1]
    ) -> None:
        """Write 0 for each line that passes or touches what is closed; its end is open."""
        with cython.nogil:
            for i in range(len(found)):
                if found[i]:
                    found[i] = self.is_open(a[i, 0], a[i, 1], b[i, 0], b[i, 1])

    def is_open(
        self, x0: cython.double, y0: cython.double, x1: cython.double, y1: cython.double
    ) -> NoGil[cython.bint]:
        """Whether a line to an open cell passes and touches nothing closed, but around its ends.

        It goes from cell to cell, each time across the edge that it meets first, or through the
        corner, if it meets two at once.
        """
        edges = cython.declare(cython.Py_ssize_t[4])
        rates = cython.declare(cython.double[4])
        exits = cython.declare(cython.Py_ssize_t[2])
        times = cython.declare(cython.double[2])
        start = place = self.ground.place_at(x0, y0)
        dx = x1 - x0
        dy = y1 - y0
        length = sqrt(dx * dx + dy * dy)
        at = 0.0
        left = 4 * (self.ground.columns + self.ground.rows) + 8
        n = self.find_edges(dx, dy, edges, rates)
        if place < 0:
            return False
        x = x0 - self.ground.center_x(place)
        y = y0 - self.ground.center_y(place)
        while left > 0:
            left -= 1
            self.find_exits(x, y, n, edges, rates, exits, times)
            if self.meets_shape(place, x0, y0, x1, y1):
                return False
            if (1.0 - times[0]) * length <= self.near:
                return True
            if at * length > self.near and (
                self.is_shut(place) or self.touches(place, start, x, y, dx, dy, at, times[0])
            ):
                return False
            at = max(at, times[0])
            base = self.ground.parity_of(place)
            beside = place + self.ground.offsets[base + exits[1]]
            place += self.ground.offsets[base + exits[0]]
            x -= self.ground.steps[2 * exits[0]]
            y -= self.ground.steps[2 * exits[0] + 1]
            if (times[1] - times[0]) * length < self.near:
                if at * length > self.near and (self.is_shut(place) or self.is_shut(beside)):
                    return False
                if self.ground.directions == 8:
                    place += self.ground.offsets[self.ground.parity_of(place) + exits[1]]
                    x -= self.ground.steps[2 * exits[1]]
                    y -= self.ground.steps[2 * exits[1] + 1]
        return False

    def is_shut(self, place: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a place is closed as a whole, or outside the grid."""
        kind = self.cells.kind_at(place)
        return kind == 0 or (kind < 0 and self.ground.codes[place] == 0)

    def touches(
        self,
        place: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        dx: cython.double,
        dy: cython.double,
        enter: cython.double,
        leave: cython.double,
    ) -> NoGil[cython.bint]:
        """Whether a line goes along an edge of a cell beyond which it is shut, not at the start."""
        base = self.ground.parity_of(place)
        for k in range(self.ground.directions):
            if not self.ground.edges >> k & 1:
                continue
            gap = self.walls[3 * k + 2] - self.walls[3 * k] * x - self.walls[3 * k + 1] * y
            speed = self.walls[3 * k] * dx + self.walls[3 * k + 1] * dy
            other = place + self.ground.offsets[base + k]
            if (
                gap - enter * speed < self.near
                and gap - leave * speed < self.near
                and other != start
                and self.is_shut(other)
            ):
                return True
        return False

    def meets_shape(
        self,
        place: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
    ) -> NoGil[cython.bint]:
        """Whether a line meets a shape that a cell holds, and that holds none of its ends."""
        way = cython.declare(LineWay)
        fraction = cython.declare(cython.double[1])
        face = cython.declare(cython.int[1])
        kind = self.cells.kind_at(place)
        if kind <= 0:
            return False
        way.x0, way.y0, way.x1, way.y1 = x0, y0, x1, y1
        fraction[0] = 2.0
        row = place // self.ground.stride - BORDER
        column = place % self.ground.stride - BORDER
        met = first_in_cell(
            self.cells, cython.address(way), column, row, kind, SKIP_ENDS, fraction, face, -1
        )
        return met >= 0

    def find_edges(
        self,
        dx: cython.double,
        dy: cython.double,
        edges: cython.p_Py_ssize_t,
        rates: cython.p_double,
    ) -> NoGil[cython.Py_ssize_t]:
        """Find the edges of a cell that a line crosses outwards, and how fast; return how many."""
        n: cython.Py_ssize_t = 0
        for k in range(self.ground.directions):
            speed = self.walls[3 * k] * dx + self.walls[3 * k + 1] * dy
            if speed > 0.0 and n < 4 and self.ground.edges >> k & 1:
                edges[n] = k
                rates[n] = 1.0 / speed
                n += 1
        return n

    def find_exits(
        self,
        x: cython.double,
        y: cython.double,
        n: cython.Py_ssize_t,
        edges: cython.p_Py_ssize_t,
        rates: cython.p_double,
        exits: cython.p_Py_ssize_t,
        times: cython.p_double,
    ) -> NoGil[None]:
        """Find the first two edges that a line crosses, and when; it starts at (x, y) of a cell."""
        times[0] = times[1] = 2.0
        exits[0] = exits[1] = 0
        for i in range(n):
            k = 3 * edges[i]
            time = (self.walls[k + 2] - self.walls[k] * x - self.walls[k + 1] * y) * rates[i]
            if time < times[0]:
                times[1] = times[0]
                exits[1] = exits[0]
                times[0] = time
                exits[0] = edges[i]
            elif time < times[1]:
                times[1] = time
                exits[1] = edges[i]

"""Which cells are seen from a cell, past opaque ones: symmetric shadow casting.

The neighbors of a cell cut its surroundings into wedges, 8 of them on squares and 6 on hexagons.
Row `depth` of a wedge has the cells depth * u + aside * v, aside from 0 to depth, so a line from
the viewer is a slope, aside / depth, from 0 to 1. An opaque cell takes the slopes from
(2 * aside - 1) / (2 * depth) to (2 * aside + 1) / (2 * depth). The remaining slopes form sectors,
which are followed row by row.

A transparent cell is seen if the line to its center lies in a sector or on its border. In each row
such a line passes through one cell or between two; then it takes the cell on one side, always the
same side. So the line is free in both directions, and sight is symmetric. An opaque cell is seen if
a sector meets it. Slopes are fractions of small ints; nothing rounds. Ford describes the method:
https://www.albertford.com/shadowcasting/
"""

from __future__ import annotations

from array import array
from typing import Any

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object
from tilequad._core.ways.layout import MARGIN, OPAQUE, SEEN, WEDGE, Sector

SQUARES = [(1, 0, 0, 1), (1, 0, 0, -1), (-1, 0, 0, 1), (-1, 0, 0, -1)]
SQUARES += [(0, 1, 1, 0), (0, 1, -1, 0), (0, -1, 1, 0), (0, -1, -1, 0)]
# The sides of a diamond lead to (1, 0), (1, -1) and their opposites.
DIAMONDS = [(1, 0, 1, -1), (1, 0, -1, 1), (-1, 0, 1, -1), (-1, 0, -1, 1)]
DIAMONDS += [(1, -1, 1, 0), (1, -1, -1, 0), (-1, 1, 1, 0), (-1, 1, -1, 0)]
HEXAGONS = [(0, 1, 1, -1), (1, 0, 0, -1), (1, -1, -1, 0)]
HEXAGONS += [(0, -1, -1, 1), (-1, 0, 0, 1), (-1, 1, 1, 0)]


@cython.final
@cython.cclass
class ViewGrid:
    """How the cells of a map lie relative to each other, and in its arrays, line by line.

    If every second line is shifted by half a cell, places are counted along a slanted axis, so that
    the steps to the neighbors are the same for all cells. Adding `shift` gives the place in the
    line.

    Args:
        lines: The number of rows, or of columns if these are staggered.
        places: The number of cells in a line.
        parity: Whether even lines (1) or odd ones (0) are shifted; None for none.
        wedges: `SQUARES`, `DIAMONDS` or `HEXAGONS`.
    """

    __slots__ = {
        "lines": "Py_ssize_t",
        "places": "Py_ssize_t",
        "sheared": "bint",
        "parity": "Py_ssize_t",
        "wedges": "int[::1]",
    }

    def __init__(
        self,
        lines: int,
        places: int,
        parity: int | None,
        wedges: list[tuple[int, int, int, int]],
    ) -> None:
        self.lines = lines
        self.places = places
        self.sheared = parity is not None
        self.parity = parity or 0
        self.wedges = array("i", [number for wedge in wedges for number in wedge])

    def shift(self, line: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """Return the offset from a place on the slanted axis to the place in the line."""
        return (line + self.parity) >> 1 if self.sheared else 0


@cython.final
@cython.cclass
class Window:
    """The cells around a viewer, with room to cast its view. All others are opaque.

    The cell `line` lines and `place` places away is at
    (line + high + MARGIN) * pitch + place + wide + MARGIN of `cells`.

    Args:
        spans: The first and the last place in each line, (2 * high + 1, 2), relative to the viewer;
            first > last in an empty line.
        wide: The most places to either side of the viewer.
        reach: The rows of a wedge.
    """

    __slots__ = {
        "spans": "const int[:, ::1]",
        "high": "Py_ssize_t",
        "wide": "Py_ssize_t",
        "reach": "Py_ssize_t",
        "pitch": "Py_ssize_t",
        "cells": "unsigned char[::1]",
        # The sectors of a row and of the next row; opaque cells separate them.
        "sectors": "unsigned char[::1]",
        "next_sectors": "unsigned char[::1]",
    }

    def __init__(self, spans: memoryview, wide: int, reach: int) -> None:
        self.spans = spans
        self.high = len(spans) // 2
        self.wide = wide
        self.reach = reach
        self.pitch = 2 * (wide + MARGIN) + 1
        self.cells = array("B", [OPAQUE]) * (self.pitch * (2 * (self.high + MARGIN) + 1))
        self.sectors = new_sectors(reach + 3)
        self.next_sectors = new_sectors(reach + 3)

    def load(
        self,
        grid: ViewGrid,
        states: cython.const_uchar[::1],
        line: cython.Py_ssize_t,
        place: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Read the cells around a viewer. Cells outside the map are opaque."""
        for row in range(2 * self.high + 1):
            at = (row + MARGIN) * self.pitch + self.wide + MARGIN
            # The cells of a line, and the part on the map, from low to high - 1.
            first: cython.Py_ssize_t = self.spans[row, 0]
            last: cython.Py_ssize_t = self.spans[row, 1]
            there = line + row - self.high
            low = high = last + 1
            source: cython.Py_ssize_t = 0
            if 0 <= there < grid.lines:
                source = place + grid.shift(there)
                low = min(max(first, -source), last + 1)
                high = max(min(last + 1, grid.places - source), low)
                source += there * grid.places
            for i in range(first, low):
                self.cells[at + i] = OPAQUE
            for i in range(low, high):
                self.cells[at + i] = states[source + i] & OPAQUE
            for i in range(high, last + 1):
                self.cells[at + i] = OPAQUE

    def cast(self, wedges: cython.int[::1]) -> NoGil[None]:
        """Mark the cells that are seen from the middle one."""
        i: cython.Py_ssize_t = 0
        self.cells[(self.high + MARGIN) * self.pitch + self.wide + MARGIN] |= SEEN
        while i < len(wedges):
            self.cast_wedge(
                wedges[i] * self.pitch + wedges[i + 1], wedges[i + 2] * self.pitch + wedges[i + 3]
            )
            i += WEDGE

    def cast_wedge(self, step_u: cython.Py_ssize_t, step_v: cython.Py_ssize_t) -> NoGil[None]:
        """Mark the cells that are seen in a wedge; u and v as steps in `cells`."""
        n: cython.Py_ssize_t = 1
        row = (self.high + MARGIN) * self.pitch + self.wide + MARGIN
        cells: cython.p_uchar = cython.address(self.cells[0]) if cython.compiled else self.cells
        sectors: cython.pointer[Sector] = (
            cython.cast(cython.pointer[Sector], cython.address(self.sectors[0]))
            if cython.compiled
            else self.sectors
        )
        next_sectors: cython.pointer[Sector] = (
            cython.cast(cython.pointer[Sector], cython.address(self.next_sectors[0]))
            if cython.compiled
            else self.next_sectors
        )
        set_low(cython.address(sectors[0]), 0, 1, 0, 1)
        set_high(cython.address(sectors[0]), 1, 1, 0, 0)
        for depth in range(1, self.reach + 1):
            row += step_u
            found: cython.Py_ssize_t = 0
            for i in range(n):
                next_row(cython.address(sectors[i]))
                found = self.scan(
                    cells, row, step_v, depth, cython.address(sectors[i]), next_sectors, found
                )
            if found == 0:
                return
            n = found
            sectors, next_sectors = next_sectors, sectors

    def scan(
        self,
        cells: cython.p_uchar,
        row: cython.Py_ssize_t,
        step_v: cython.Py_ssize_t,
        depth: cython.int,
        sector: cython.pointer[Sector],
        next_sectors: cython.pointer[Sector],
        n: cython.Py_ssize_t,
    ) -> NoGil[cython.Py_ssize_t]:
        """Mark the cells of a row that a sector meets, from the viewer's line to the side.

        Opaque cells split the sector; the open parts are appended to n others. Returns the new n.
        """
        # The first and the last cell, if open, are seen only if their centers lie in the sector or
        # on its border: the line to the center has to be free, so that sight is symmetric.
        last_seen: cython.int = sector.last - (sector.last_rest + 1 < sector.high_den)
        aside: cython.int = sector.first
        last: cython.int = sector.last
        at = row + aside * step_v
        is_open = True  # whether a part has begun
        set_low(
            cython.address(next_sectors[n]),
            sector.low_num,
            sector.low_den,
            sector.first,
            sector.first_rest,
        )
        if sector.first_rest > sector.low_den and not cells[at] & OPAQUE:
            aside += 1  # its center is outside the sector, which goes on
            at += step_v
        while aside <= last:
            if cells[at] & OPAQUE:
                cells[at] = OPAQUE | SEEN
                if is_open and aside > sector.first:  # the last remainder is that of `Sector`
                    set_high(
                        cython.address(next_sectors[n]),
                        2 * aside - 1,
                        2 * depth,
                        aside - 1,
                        4 * depth - 1,
                    )
                    n += 1
                is_open = False
            else:
                if not is_open:
                    is_open = True
                    set_low(cython.address(next_sectors[n]), 2 * aside - 1, 2 * depth, aside, 0)
                if aside <= last_seen:
                    cells[at] = SEEN
            aside += 1
            at += step_v
        if is_open:
            set_high(
                cython.address(next_sectors[n]),
                sector.high_num,
                sector.high_den,
                sector.last,
                sector.last_rest,
            )
            n += 1
        return n


def new_sectors(count: int) -> Object[Any]:
    """Return room for sectors: bytes, as C sees them."""
    if not cython.compiled:
        return list(map(Sector, range(count)))
    return bytearray(cython.sizeof(Sector) * count)


@cython.inline
def set_low(
    sector: cython.pointer[Sector],
    low_num: cython.int,
    low_den: cython.int,
    first: cython.int,
    first_rest: cython.int,
) -> None:
    """Set the lower slope of a sector, and the first cell that it meets."""
    sector.low_num = low_num
    sector.low_den = low_den
    sector.first = first
    sector.first_rest = first_rest


@cython.inline
def set_high(
    sector: cython.pointer[Sector],
    high_num: cython.int,
    high_den: cython.int,
    last: cython.int,
    last_rest: cython.int,
) -> None:
    """Set the upper slope of a sector, and the last cell that it meets."""
    sector.high_num = high_num
    sector.high_den = high_den
    sector.last = last
    sector.last_rest = last_rest


@cython.inline
def next_row(sector: cython.pointer[Sector]) -> None:
    """Let a sector meet the cells of the next row."""
    sector.first_rest += 2 * sector.low_num
    if sector.first_rest >= 2 * sector.low_den:
        sector.first_rest -= 2 * sector.low_den
        sector.first += 1
    sector.last_rest += 2 * sector.high_num
    if sector.last_rest >= 2 * sector.high_den:
        sector.last_rest -= 2 * sector.high_den
        sector.last += 1

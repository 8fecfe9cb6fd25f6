"""How many viewers of each team see each cell.

A viewer is a row: a team, a cell, a circle, and whether walls block its view. Before any of these
or a nearby wall changes, the viewer's cells are counted down, and afterwards up again; a step
counts only the cells gained and lost. A view that walls may block is kept as a list, so each view
is cast once.
"""

from __future__ import annotations

from array import array
from typing import Annotated, Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Gil, NoGil, Raises
from tilequad._core.buffers import IntBuffer, longer, resized
from tilequad._core.tree.units import UnitStore, entry_of
from tilequad._core.ways.field_of_view import ViewGrid, Window
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import (
    CHANGED,
    EXPLORED,
    MARGIN,
    NOWHERE,
    OPAQUE,
    SEEN,
    STATE,
    VISIBLE,
)


@cython.final
@cython.cclass
class Circle:
    """The cells within the radius of a viewer.

    Args:
        spans: The first and the last place in each line, (2 * high + 1, 2), from the viewer's; in
            an empty line, the first is more than the last.
        size: The number of the cells.
        window: The arguments of `Window`, which casts the views that walls may block.
    """

    __slots__ = {
        "spans": "const int[:, ::1]",
        "high": "Py_ssize_t",
        "size": "readonly Py_ssize_t",
        "window_options": "tuple",
        "window": "Window",
        "spare": "IntBuffer",
    }

    def __init__(self, spans: memoryview, size: int, window: tuple[memoryview, int, int]) -> None:
        self.spans = spans
        self.high = len(spans) // 2
        self.size = size
        self.window_options = window
        self.window: Any = None  # made by `open_window`, with the room for one view
        self.spare: Any = None

    def open_window(self) -> None:
        """Prepare to cast a view."""
        if self.window is None:
            self.spare = IntBuffer(self.size)
            self.window = Window(*self.window_options)


@cython.final
@cython.cclass
class ViewCounts:
    """The counts and the states of all cells, one team after the other.

    Args:
        grid: How the cells lie.
        states: For each team and cell: HIDDEN, EXPLORED or VISIBLE, and whether it is OPAQUE.
        counts: For each team and cell: how many viewers see it. At most 65,534 viewers a team.
    """

    __slots__ = {
        "grid": "ViewGrid",
        "cells": "Py_ssize_t",
        "states": "unsigned char[::1]",
        "counts": "unsigned short[::1]",
        "circles": "list",
        "views": "list",
        "team": "int[::1]",
        "line": "int[::1]",
        "place": "int[::1]",
        "blocked": "int[::1]",
    }

    def __init__(self, grid: ViewGrid, states: memoryview, counts: memoryview) -> None:
        self.grid = grid
        self.cells = grid.lines * grid.places
        self.states = states
        self.counts = counts
        # By row; the circle of an unused row is None.
        self.circles: list[Any] = []
        self.views: list[Any] = []  # the cells seen if walls may block, as ascending indices
        self.team = array("i")
        self.line = array("i")
        self.place = array("i")  # on the slanted axis, see ViewGrid
        self.blocked = array("i")

    # -- viewers -----------------------------------------------------------------------------------

    def set_viewer(self, row: int, team: int, spot: int, circle: Circle, blocked: bool) -> None:
        """Add or change a viewer, and count the cells it sees. Cell -1 is outside the map."""
        if blocked:
            circle.open_window()
        if row < len(self.circles):
            self.end_viewer(row)
        self.place_viewer(row, team, spot, circle, blocked)
        self.count(row, 1)

    def place_viewer(self, row: int, team: int, spot: int, circle: Circle, blocked: bool) -> None:
        """Add a viewer whose cells are counted already."""
        if blocked:
            circle.open_window()
        if row >= len(self.circles):
            self._reserve(row + 1)
        self.circles[row] = circle
        self.views[row] = IntBuffer(circle.size) if blocked else None
        self.team[row] = team
        self.blocked[row] = blocked
        self.line[row], self.place[row] = self.line_of(spot), self.place_of(spot)
        self.look(row)

    def end_viewer(self, row: int) -> None:
        """Remove a viewer; do nothing if there is none."""
        if row < len(self.circles) and self.circles[row] is not None:
            self.count(row, -1)
            self.circles[row] = self.views[row] = None

    def spot_of(self, row: int) -> int:
        """The index of the cell of a viewer; -1 outside of the map."""
        self.need(row)
        grid: ViewGrid = self.grid
        line: cython.Py_ssize_t = self.line[row]
        if line < 0:
            return NOWHERE
        return line * grid.places + self.place[row] + grid.shift(line)

    def line_of(self, spot: cython.Py_ssize_t) -> Gil[cython.Py_ssize_t]:
        """The line of a cell; NOWHERE outside of the map."""
        return spot // self.grid.places if spot >= 0 else NOWHERE

    def place_of(self, spot: cython.Py_ssize_t) -> Gil[cython.Py_ssize_t]:
        """The place of a cell on the slanted axis."""
        grid: ViewGrid = self.grid
        if spot < 0:
            return 0
        return spot % grid.places - grid.shift(spot // grid.places)

    def move_all(self, rows: cython.int[::1], spots: cython.int[::1]) -> int:
        """Move viewers to cells; return how many changed cells."""
        moved: cython.Py_ssize_t = 0
        for i in range(len(rows)):
            moved += self.move_viewer(rows[i], spots[i])
        return moved

    def move_viewer(
        self, row: cython.Py_ssize_t, spot: cython.Py_ssize_t
    ) -> Annotated[cython.int, "cpdef except -1"]:
        """Move a viewer to a cell; return 1 if it was in another cell."""
        self.need(row)
        old_line: cython.Py_ssize_t = self.line[row]
        old_place: cython.Py_ssize_t = self.place[row]
        line = self.line_of(spot)
        place = self.place_of(spot)
        if line == old_line and place == old_place:
            return 0
        outside: cython.bint = line < 0 or old_line < 0
        if outside:
            self.count(row, -1)
        self.line[row] = cython.cast(cython.int, line)
        self.place[row] = cython.cast(cython.int, place)
        if outside:
            self.look(row)
            self.count(row, 1)
        elif self.blocked[row]:
            self.shift_view(row)
        else:
            self.shift_circle(row, old_line, old_place, line, place)
        return 1

    def need(self, row: cython.Py_ssize_t) -> Raises[cython.int]:
        """Raise RuntimeError if there is no viewer: another thread has changed what has them."""
        if row >= len(self.circles) or self.circles[row] is None:
            raise RuntimeError("the fog was changed meanwhile")
        return 0

    def _reserve(self, rows: int) -> None:
        rows = longer(rows)
        self.team = resized("i", self.team, rows, 0)
        self.line = resized("i", self.line, rows, NOWHERE)
        self.place = resized("i", self.place, rows, 0)
        self.blocked = resized("i", self.blocked, rows, 0)
        self.views += [None] * (rows - len(self.views))
        self.circles += [None] * (rows - len(self.circles))

    # -- counting ----------------------------------------------------------------------------------

    def look(self, row: cython.Py_ssize_t) -> Raises[cython.int]:
        """Cast the view of a viewer, if walls block it."""
        circle: Circle = self.circles[row]
        view: IntBuffer
        if self.blocked[row]:
            view = self.views[row]
            view.used = 0
            if self.line[row] >= 0:
                view.used = self.list_seen(
                    circle, self.line[row], self.place[row], True, view.values
                )
        return 0

    def count(self, row: cython.Py_ssize_t, step: cython.int) -> Raises[cython.int]:
        """Add 1 or -1 to the counts of the cells that a viewer sees."""
        view: IntBuffer
        if self.blocked[row]:
            view = self.views[row]
            self.count_list(self.team[row] * self.cells, view, step)
        elif step > 0:
            self.shift_circle(row, NOWHERE, 0, self.line[row], self.place[row])
        else:
            self.shift_circle(row, self.line[row], self.place[row], NOWHERE, 0)
        return 0

    def count_list(self, base: cython.Py_ssize_t, view: IntBuffer, step: cython.int) -> Gil[None]:
        """Count the cells of a list."""
        counts: cython.p_ushort = cython.address(self.counts[0]) if cython.compiled else self.counts
        states: cython.p_uchar = cython.address(self.states[0]) if cython.compiled else self.states
        for i in range(view.used):
            at = base + view.values[i]
            if step > 0:
                gain(counts, states, at, at + 1)
            else:
                lose(counts, states, at, at + 1)

    def shift_circle(
        self,
        row: cython.Py_ssize_t,
        line: cython.Py_ssize_t,
        place: cython.Py_ssize_t,
        to_line: cython.Py_ssize_t,
        to_place: cython.Py_ssize_t,
    ) -> Raises[cython.int]:
        """Count the cells that a viewer's circle gains and loses by a step; NOWHERE has none."""
        grid: ViewGrid = self.grid
        circle: Circle = self.circles[row]
        spans: cython.const_int[:, ::1] = circle.spans
        counts: cython.p_ushort = cython.address(self.counts[0]) if cython.compiled else self.counts
        states: cython.p_uchar = cython.address(self.states[0]) if cython.compiled else self.states
        there: cython.Py_ssize_t
        old: cython.Py_ssize_t  # the cells of a line before the step
        old_end: cython.Py_ssize_t
        new: cython.Py_ssize_t  # the cells of the line after the step
        new_end: cython.Py_ssize_t
        reach = circle.high
        low = min(line, to_line) if min(line, to_line) >= 0 else max(line, to_line)
        for there in range(max(low - reach, 0), min(max(line, to_line) + reach + 1, grid.lines)):
            begin = self.team[row] * self.cells + there * grid.places
            old = old_end = new = new_end = begin
            i = there - line + reach
            if line >= 0 and 0 <= i <= 2 * reach:
                old_end = place + grid.shift(there)
                old = begin + max(old_end + spans[i, 0], 0)
                old_end = begin + min(old_end + spans[i, 1] + 1, grid.places)
                old_end = max(old_end, old)
            i = there - to_line + reach
            if to_line >= 0 and 0 <= i <= 2 * reach:
                new_end = to_place + grid.shift(there)
                new = begin + max(new_end + spans[i, 0], 0)
                new_end = begin + min(new_end + spans[i, 1] + 1, grid.places)
                new_end = max(new_end, new)
            gain(counts, states, new, min(new_end, old))
            gain(counts, states, max(new, old_end), new_end)
            lose(counts, states, old, min(old_end, new))
            lose(counts, states, max(old, new_end), old_end)
        return 0

    def shift_view(self, row: cython.Py_ssize_t) -> Raises[cython.int]:
        """Count the cells that a view among walls gains and loses, by comparing sorted lists."""
        circle: Circle = self.circles[row]
        base = self.team[row] * self.cells
        counts: cython.p_ushort = cython.address(self.counts[0]) if cython.compiled else self.counts
        states: cython.p_uchar = cython.address(self.states[0]) if cython.compiled else self.states
        i: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t = 0
        view: IntBuffer = self.views[row]
        spare: IntBuffer = circle.spare
        before: cython.int[::1] = view.values
        found: cython.int[::1] = spare.values
        old = view.used
        new = self.list_seen(circle, self.line[row], self.place[row], True, found)
        spare.used = new
        self.views[row] = spare
        circle.spare = view
        while i < old or j < new:
            if j == new or (i < old and before[i] < found[j]):
                lose(counts, states, base + before[i], base + before[i] + 1)
                i += 1
            elif i == old or found[j] < before[i]:
                gain(counts, states, base + found[j], base + found[j] + 1)
                j += 1
            else:
                i += 1
                j += 1
        return 0

    # -- walls -------------------------------------------------------------------------------------

    def set_opaque(self, spots: cython.int[::1], opaque: cython.uchar[::1]) -> None:
        """Make cells opaque (1) or transparent (0), and recount the views around them."""
        box = cython.declare(cython.Py_ssize_t[4])  # the lines and places of the changed cells
        grid: ViewGrid = self.grid
        near: IntBuffer = IntBuffer()
        box[0], box[1], box[2], box[3] = grid.lines, grid.places, -1, -1
        for i in range(len(spots)):
            cell: cython.Py_ssize_t = spots[i]
            if (self.states[cell] & OPAQUE != 0) == (opaque[i] != 0):
                continue
            self.states[cell] |= CHANGED
            line = cell // grid.places
            place = cell % grid.places
            box[0] = min(box[0], line)
            box[1] = min(box[1], place)
            box[2] = max(box[2], line)
            box[3] = max(box[3], place)
        for row in range(len(self.circles)):
            if self.circles[row] is not None and self.is_near_change(row, box):
                near.append(row)
        for i in range(near.used):
            row = near.values[i]
            self.count(row, -1)
        for i in range(len(spots)):
            cell = spots[i]
            if self.states[cell] & CHANGED:
                self.states[cell] ^= CHANGED
                for team in range(len(self.states) // self.cells):
                    self.states[team * self.cells + cell] ^= OPAQUE
        for i in range(near.used):
            row = near.values[i]
            self.look(row)
            self.count(row, 1)

    def is_near_change(
        self, row: cython.Py_ssize_t, box: cython.p_Py_ssize_t
    ) -> Raises[cython.bint]:
        """Whether one of the changing cells may affect what a viewer sees."""
        grid: ViewGrid = self.grid
        circle: Circle
        window: Window
        if self.line[row] < 0 or not self.blocked[row]:
            return False
        circle = self.circles[row]
        window = circle.window
        low = max(self.line[row] - window.high, box[0])
        high = min(self.line[row] + window.high, box[2])
        for there in range(low, high + 1):
            middle = self.place[row] + grid.shift(there)
            begin = max(middle - window.wide, box[1])
            end = min(middle + window.wide, box[3])
            for i in range(there * grid.places + begin, there * grid.places + end + 1):
                if self.states[i] & CHANGED:
                    return True
        return False

    # -- views -------------------------------------------------------------------------------------

    def field_of_view(self, spot: int, circle: Circle, blocked: bool, found: memoryview) -> int:
        """Write the indices of the cells that a viewer sees from a cell, and return how many."""
        circle.open_window()
        return self.list_seen(circle, self.line_of(spot), self.place_of(spot), blocked, found)

    def fields_of_view(
        self, spots: cython.int[::1], circle: Circle, blocked: cython.bint
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the cells seen from each of many; return where each view ends, and all cells."""
        ends = np.empty(len(spots), np.int64)
        view: IntBuffer = IntBuffer(circle.size + 1)
        found: IntBuffer = IntBuffer()
        circle.open_window()
        for i in range(len(spots)):
            if spots[i] >= 0:
                view.used = self.list_seen(
                    circle, self.line_of(spots[i]), self.place_of(spots[i]), blocked, view.values
                )
                found.extend(
                    cython.address(view.values[0]) if cython.compiled else view.values, view.used
                )
            ends[i] = found.used
        return ends, np.array(found.taken())

    def list_seen(
        self,
        circle: Circle,
        line: cython.Py_ssize_t,
        place: cython.Py_ssize_t,
        blocked: cython.bint,
        found: cython.int[::1],
    ) -> Gil[cython.Py_ssize_t]:
        """Write the indices of the cells that are seen from a place, ascending."""
        grid: ViewGrid = self.grid
        window: Window = circle.window
        cells: cython.uchar[::1] = window.cells
        n: cython.Py_ssize_t = 0
        if blocked:
            window.load(grid, self.states, line, place)
            window.cast(grid.wedges)
        for row in range(2 * circle.high + 1):
            there = line + row - circle.high
            if there < 0 or there >= grid.lines:
                continue
            begin = place + grid.shift(there)
            first = max(circle.spans[row, 0], -begin)
            last = min(circle.spans[row, 1], grid.places - 1 - begin)
            at = (there - line + window.high + MARGIN) * window.pitch + window.wide + MARGIN
            begin += there * grid.places
            for i in range(first, last + 1):  # without a branch, which nobody could predict
                found[n] = cython.cast(cython.int, begin + i)
                n += not blocked or cells[at + i] & SEEN != 0
        return n


def gain(
    counts: cython.p_ushort,
    states: cython.p_uchar,
    first: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> NoGil[None]:
    """Count one viewer more in cells."""
    for i in range(first, end):
        counts[i] += 1
        states[i] = states[i] & ~STATE | VISIBLE


def lose(
    counts: cython.p_ushort,
    states: cython.p_uchar,
    first: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> NoGil[None]:
    """Count one viewer less in cells, which are visible; without any, they are explored."""
    for i in range(first, end):
        counts[i] -= 1
        states[i] ^= (VISIBLE ^ EXPLORED) * (counts[i] == 0)


def seen_units(
    store: UnitStore,
    ground: Ground,
    states: cython.const_uchar[::1],
    groups: cython.int,
    without: cython.int,
) -> np.ndarray:
    """Whether each unit is seen, by slot; False for units that are not asked for.

    Args:
        store: The units.
        ground: Finds the cell of a position.
        states: What the team knows of each cell, in the order of the cells.
        groups: A signed 32-bit mask: units in any of these groups, -1 for all.
        without: A signed 32-bit mask: no units in any of these groups.
    """
    slot: cython.Py_ssize_t
    found = np.zeros(store.slots, np.bool_)
    seen: cython.uchar[::1] = found.view(np.uint8).data
    with cython.nogil:
        for slot in range(len(seen)):
            entry = entry_of(store, slot)
            if entry < 0 or not store.masks[entry] & groups or store.masks[entry] & without:
                continue
            place = ground.place_at(store.xs[entry], store.ys[entry])
            if place >= 0:
                seen[slot] = states[ground.cell_of(place)] & STATE == VISIBLE
    return found

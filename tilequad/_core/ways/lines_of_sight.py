"""Lines of sight among boxes, and the outline of what a place sees.

Boxes that touch are merged into runs. A box that holds an end of a line does not block it. A grid
tells whether a line is clear, cell by cell from its start; the tree tells which box a line meets
first, and which boxes are around a place.
"""

from __future__ import annotations

from array import array
from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.buffers import IntBuffer
from tilequad._core.tree.boxes import BoxStore
from tilequad._core.tree.layout import INF, OVERLAPPING_BOX, Walk, start_counts
from tilequad._core.tree.motion import slab_time
from tilequad._core.tree.segment import begin_segment
from tilequad._core.tree.walk import begin, next_span
from tilequad._core.ways.layout import (
    ANGLE,
    AXIS,
    BEGIN,
    EDGE,
    END,
    HIGH,
    INVERSE,
    LOW,
    PLACE,
    TURN,
    X,
    Y,
)

CELLS_A_RUN: cython.int = 2  # about how many cells the grid has for each run
LISTED_A_RUN: cython.int = 8  # the most cells that list a run, on average
MOST_CELLS: cython.int = 4096  # the most cells along an axis
MARGIN: cython.double = 1e-6  # in cells: more than the rounding error of an edge
LOSS: cython.double = 1e-14  # relative to the coordinates: more than the rounding error of a line
# The numbers per edge and per turn.


@cython.final
@cython.cclass
class Sight:
    """Lines of sight among boxes.

    Args:
        store: A tree of the runs.
        boxes: The runs, by id, then the merged boxes, run by run.
        starts: The row of the first box of each run, and one past the last row.
    """

    __slots__ = {
        "store": "BoxStore",
        "boxes": "double[:, ::1]",
        "starts": "int[::1]",
        "columns": "int",
        "rows": "int",
        "side": "double",
        "low_x": "double",
        "low_y": "double",
        "high_x": "double",
        "high_y": "double",
        "cells": "int[::1]",
        "cell_runs": "int[::1]",
    }

    def __init__(self, store: BoxStore, boxes: memoryview, starts: memoryview) -> None:
        self.store = store
        self.boxes = boxes
        self.starts = starts
        # The runs of cell i are cell_runs[cells[i]:cells[i + 1]].
        self.columns = self.rows = 0
        self.side = 1.0
        self.low_x = self.low_y = self.high_x = self.high_y = 0.0
        self.cells = self.cell_runs = array("i")
        if len(starts) > 1:
            self.build_grid(len(starts) - 1)

    # -- the grid ----------------------------------------------------------------------------------

    def build_grid(self, n: cython.Py_ssize_t) -> Raises[cython.int]:
        """Bin the n merged boxes into a grid of about 2n cells; fewer if the boxes are large."""
        spans: cython.int[:, ::1] = np.empty((n, 4), np.int32)
        width: cython.double
        height: cython.double
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        row: cython.Py_ssize_t
        listed: cython.Py_ssize_t = LISTED_A_RUN * n + 1
        self.low_x = self.boxes[0, 0]
        self.low_y = self.boxes[0, 1]
        self.high_x = self.boxes[0, 2]
        self.high_y = self.boxes[0, 3]
        for i in range(1, n):
            self.low_x = min(self.low_x, self.boxes[i, 0])
            self.low_y = min(self.low_y, self.boxes[i, 1])
            self.high_x = max(self.high_x, self.boxes[i, 2])
            self.high_y = max(self.high_y, self.boxes[i, 3])
        width = self.high_x - self.low_x
        height = self.high_y - self.low_y
        self.side = max(width, height) / min(CELLS_A_RUN * n, MOST_CELLS)
        self.side = max(self.side, sqrt(width) * sqrt(height) / sqrt(CELLS_A_RUN * n))
        if not self.side > 0.0:
            self.side = 1.0
        while listed > LISTED_A_RUN * n:
            self.columns = cython.cast(cython.int, width / self.side) + 1
            self.rows = cython.cast(cython.int, height / self.side) + 1
            listed = 0
            for i in range(n):
                spans[i, 0] = self.cell_at(self.boxes[i, 0] - self.low_x, -MARGIN, self.columns)
                spans[i, 1] = self.cell_at(self.boxes[i, 1] - self.low_y, -MARGIN, self.rows)
                spans[i, 2] = self.cell_at(self.boxes[i, 2] - self.low_x, MARGIN, self.columns) + 1
                spans[i, 3] = self.cell_at(self.boxes[i, 3] - self.low_y, MARGIN, self.rows) + 1
                at = spans[i, 2] - spans[i, 0]
                listed += at * (spans[i, 3] - spans[i, 1])
            self.side = 2.0 * self.side
        self.side = self.side / 2.0
        self.cells = array("i", [0]) * (self.columns * self.rows + 2)
        self.cell_runs = array("i", [0]) * listed
        for i in range(n):
            for row in range(spans[i, 1], spans[i, 3]):
                for at in range(row * self.columns + spans[i, 0], row * self.columns + spans[i, 2]):
                    self.cells[at + 2] += 1
        for at in range(2, self.columns * self.rows + 2):
            self.cells[at] += self.cells[at - 1]
        # cells[at + 1] moves from the start of cell `at` to the start of the next one.
        for i in range(n):
            for row in range(spans[i, 1], spans[i, 3]):
                for at in range(row * self.columns + spans[i, 0], row * self.columns + spans[i, 2]):
                    self.cell_runs[self.cells[at + 1]] = cython.cast(cython.int, i)
                    self.cells[at + 1] += 1
        return 0

    def cell_at(
        self, offset: cython.double, margin: cython.double, count: cython.Py_ssize_t
    ) -> NoGil[cython.int]:
        """Return the column or row at an offset from the grid's corner; the nearest if outside."""
        return cython.cast(cython.int, min(max(offset / self.side + margin, 0.0), count - 1.0))

    # -- lines -------------------------------------------------------------------------------------

    def fill_clear(
        self, a: cython.double[:, ::1], b: cython.double[:, ::1], found: cython.uchar[::1]
    ) -> None:
        """Write which lines nothing blocks."""
        i: cython.Py_ssize_t
        with cython.nogil:
            for i in range(len(found)):
                found[i] = self.is_clear(a[i, 0], a[i, 1], b[i, 0], b[i, 1])

    def clear(
        self, x0: cython.double, y0: cython.double, x1: cython.double, y1: cython.double
    ) -> bool:
        """Whether nothing blocks a line."""
        return bool(self.is_clear(x0, y0, x1, y1))

    def is_clear(
        self, x0: cython.double, y0: cython.double, x1: cython.double, y1: cython.double
    ) -> NoGil[cython.bint]:
        """Whether nothing blocks a line. The search ends at the first run that blocks it.

        Goes along the axis on which the line is longer. The line is tested slightly thickened, and
        each run is listed in all cells close to it, so rounding misses no run.
        """
        steep: cython.bint = abs(y1 - y0) > abs(x1 - x0)
        loss: cython.double = LOSS * (abs(x0) + abs(y0) + abs(x1) + abs(y1))
        # Along the axis: p, and across it: q.
        p0: cython.double = y0 - self.low_y if steep else x0 - self.low_x
        p1: cython.double = y1 - self.low_y if steep else x1 - self.low_x
        q0: cython.double = x0 - self.low_x if steep else y0 - self.low_y
        q1: cython.double = x1 - self.low_x if steep else y1 - self.low_y
        slope: cython.double = (q1 - q0) / (p1 - p0) if p0 != p1 else 0.0
        low: cython.double = min(p0, p1)
        high: cython.double = max(p0, p1)
        count: cython.int = self.rows if steep else self.columns
        across: cython.int = self.columns if steep else self.rows
        stride: cython.Py_ssize_t = self.columns if steep else 1
        stride_across: cython.Py_ssize_t = 1 if steep else self.columns
        cell: cython.int
        last: cython.int
        step: cython.int
        first_across: cython.int
        last_across: cython.int
        at: cython.Py_ssize_t
        k: cython.Py_ssize_t
        a: cython.double
        b: cython.double
        if (
            self.columns == 0
            or max(x0, x1) + loss < self.low_x
            or min(x0, x1) - loss > self.high_x
            or max(y0, y1) + loss < self.low_y
            or min(y0, y1) - loss > self.high_y
        ):
            return True
        step = 1 if p1 >= p0 else -1
        cell = self.cell_at(p0 - step * loss, 0.0, count)
        last = self.cell_at(p1 + step * loss, 0.0, count)
        while True:
            a = min(max(cell * self.side - loss, low), high)
            b = min(max((cell + 1) * self.side + loss, low), high)
            a = q0 + (a - p0) * slope
            b = q0 + (b - p0) * slope
            first_across = self.cell_at(min(a, b) - loss, 0.0, across)
            last_across = self.cell_at(max(a, b) + loss, 0.0, across)
            at = cell * stride + first_across * stride_across
            while first_across <= last_across:
                for k in range(self.cells[at], self.cells[at + 1]):
                    if self.run_time(self.cell_runs[k], x0, y0, x1, y1) <= 1.0:
                        return False
                at += stride_across
                first_across += 1
            if cell == last:
                return True
            cell += step

    def fill_hits(
        self,
        a: cython.double[:, ::1],
        b: cython.double[:, ::1],
        fractions: cython.double[::1],
        axes: cython.schar[::1],
    ) -> None:
        """Write when each line first meets a box, inf if never, and the axis of the face."""
        i: cython.Py_ssize_t
        fraction = cython.declare(cython.double[1])
        with cython.nogil:
            for i in range(len(fractions)):
                axes[i] = self.first_hit(a[i, 0], a[i, 1], b[i, 0], b[i, 1], fraction)
                fractions[i] = fraction[0]

    def hit(
        self, x0: cython.double, y0: cython.double, x1: cython.double, y1: cython.double
    ) -> tuple[float, int]:
        """Return when a line first meets a box, inf if never, and the axis of the face."""
        fraction = cython.declare(cython.double[1])
        axis: cython.int = self.first_hit(x0, y0, x1, y1, fraction)
        return fraction[0], axis

    def first_hit(
        self,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        fraction: cython.p_double,
    ) -> NoGil[cython.int]:
        """Write when a line first meets a box, 0 to 1 or inf; return the axis of the face or -1."""
        walk = cython.declare(Walk)
        i: cython.Py_ssize_t
        run: cython.int = -1
        time: cython.double
        fraction[0] = INF
        start_counts(cython.address(walk), False)
        begin_segment(cython.address(walk), x0, y0, x1, y1, 0.0, 1, 0)
        while next_span(self.store.nodes, cython.address(walk)):
            for i in range(walk.entry, walk.end):
                time = self.run_time(self.store.ids[i], x0, y0, x1, y1)
                if time < fraction[0] or (time == fraction[0] <= 1.0 and self.store.ids[i] < run):
                    fraction[0] = time
                    run = self.store.ids[i]
            walk.entry = walk.end
        return -1 if run < 0 else self.face_of(run, x0, y0, x1, y1, fraction[0])

    def face_of(
        self,
        run: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        fraction: cython.double,
    ) -> NoGil[cython.int]:
        """Return the axis of the face at which a line enters a run, or one of its boxes.

        A line enters a box when it has crossed two of its edges; it hits the second.
        """
        i: cython.Py_ssize_t = run
        end: cython.Py_ssize_t = run + 1
        axis: cython.int = 0
        enter_x: cython.double
        enter_y: cython.double
        best: cython.double = INF
        if self.holds(run, x0, y0) or self.holds(run, x1, y1):
            i = self.starts[run]
            end = self.starts[run + 1]
        while i < end:
            if not (self.holds(i, x0, y0) or self.holds(i, x1, y1)):
                enter_x = self.enters(i, 0, x0, x1 - x0)
                enter_y = self.enters(i, 1, y0, y1 - y0)
                if abs(max(enter_x, enter_y) - fraction) < best:
                    best = abs(max(enter_x, enter_y) - fraction)
                    axis = enter_x < enter_y
            i += 1
        return axis

    def enters(
        self, i: cython.Py_ssize_t, axis: cython.int, start: cython.double, step: cython.double
    ) -> NoGil[cython.double]:
        """Return when a line crosses the nearer edge of a box along an axis; -1 if never."""
        if step == 0.0:
            return -1.0
        return (self.boxes[i, axis if step > 0.0 else axis + 2] - start) / step

    def run_time(
        self,
        run: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
    ) -> NoGil[cython.double]:
        """Return when a line meets a run, ignoring boxes that hold its ends; inf if never."""
        i: cython.Py_ssize_t
        first: cython.double = self.box_time(run, x0, y0, x1, y1)
        if first > 1.0 or not (self.holds(run, x0, y0) or self.holds(run, x1, y1)):
            return first
        first = INF
        for i in range(self.starts[run], self.starts[run + 1]):
            if not (self.holds(i, x0, y0) or self.holds(i, x1, y1)):
                first = min(first, self.box_time(i, x0, y0, x1, y1))
        return first

    def box_time(
        self,
        i: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
    ) -> NoGil[cython.double]:
        """Return when a line meets a box; inf if never."""
        low_x: cython.double = self.boxes[i, 0]
        low_y: cython.double = self.boxes[i, 1]
        high_x: cython.double = self.boxes[i, 2]
        high_y: cython.double = self.boxes[i, 3]
        if (
            (x0 < low_x and x1 < low_x)
            or (x0 > high_x and x1 > high_x)
            or (y0 < low_y and y1 < low_y)
            or (y0 > high_y and y1 > high_y)
        ):
            return INF
        return slab_time(
            x0 - low_x, y0 - low_y, x0 - high_x, y0 - high_y, x1 - x0, y1 - y0, 0.0, 0.0
        )

    def holds(self, i: cython.Py_ssize_t, x: cython.double, y: cython.double) -> NoGil[cython.bint]:
        """Whether a closed box holds a point."""
        return (
            self.boxes[i, 0] <= x <= self.boxes[i, 2] and self.boxes[i, 1] <= y <= self.boxes[i, 3]
        )

    # -- the outline -------------------------------------------------------------------------------

    def outline(
        self, x: cython.double, y: cython.double, radius: cython.double, free: cython.double[:, ::1]
    ) -> np.ndarray:
        """Return the outline of the area seen from a place, (n, 2), counterclockwise.

        `free` are the directions in which a free view has corners, sorted; the last one repeats the
        first, a full turn later.
        """
        near: IntBuffer = IntBuffer(256)
        self.find_around(x, y, radius, near)
        # A box has two edges that face the place. One that spans direction 0 becomes two.
        edges: cython.double[:, ::1] = np.empty((4 * near.used + 1, EDGE))
        n: cython.Py_ssize_t = self.find_edges(x, y, radius, near, edges)
        level: cython.int[::1] = array("i", [0]) * (n + 1)
        m: cython.Py_ssize_t = sort_level(edges, n, level)
        crossings: cython.Py_ssize_t = find_crossings(edges, n, level, m, None, 0)
        total: cython.Py_ssize_t = 2 * n + crossings + len(free)
        turns: cython.double[:, ::1] = np.empty((total, TURN))
        find_turns(edges, n, turns)
        find_crossings(edges, n, level, m, turns, 2 * n)
        turns[2 * n + crossings :] = free
        n = unwrap(edges, n)
        order: cython.int[::1] = array("i", [0]) * total
        by_start: cython.int[::1] = array("i", [0]) * (n + 1)
        buckets: cython.int[::1] = array("i", [0]) * (max(total, n) + 2)
        sort_by_angle(turns, ANGLE, total, order, buckets)
        sort_by_angle(edges, BEGIN, n, by_start, buckets)
        found = np.empty((2 * total + 2, 2))
        corners: cython.double[:, ::1] = found
        k: cython.Py_ssize_t = trace(edges, n, turns, order, by_start, buckets, radius, corners)
        if k > 1 and corners[0, 0] == corners[k - 1, 0] and corners[0, 1] == corners[k - 1, 1]:
            k -= 1
        for i in range(k):
            corners[i, 0] += x
            corners[i, 1] += y
        return found[:k]

    def find_around(
        self, x: cython.double, y: cython.double, radius: cython.double, near: IntBuffer
    ) -> Raises[cython.int]:
        """Append the runs near a place; for a run that holds the place, its boxes that do not."""
        walk = cython.declare(Walk)
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        run: cython.int
        box: cython.int
        start_counts(cython.address(walk), False)
        begin(
            cython.address(walk),
            OVERLAPPING_BOX,
            x - radius,
            y - radius,
            x + radius,
            y + radius,
            0.0,
            1,
            0,
        )
        while next_span(self.store.nodes, cython.address(walk)):
            for i in range(walk.entry, walk.end):
                run = self.store.ids[i]
                if not self.holds(run, x, y):
                    near.append(run)
                    continue
                for k in range(self.starts[run], self.starts[run + 1]):
                    if not self.holds(k, x, y):
                        box = cython.cast(cython.int, k)
                        near.append(box)
            walk.entry = walk.end
        return 0

    def find_edges(
        self,
        x: cython.double,
        y: cython.double,
        radius: cython.double,
        near: IntBuffer,
        edges: cython.double[:, ::1],
    ) -> NoGil[cython.Py_ssize_t]:
        """Write the edges of boxes that face a place; return their number."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        low_x: cython.double
        low_y: cython.double
        high_x: cython.double
        high_y: cython.double
        for k in range(near.used):
            i = near.values[k]
            low_x = self.boxes[i, 0] - x
            low_y = self.boxes[i, 1] - y
            high_x = self.boxes[i, 2] - x
            high_y = self.boxes[i, 3] - y
            if low_x > 0.0 or high_x < 0.0:
                n = add_edge(edges, n, 0, low_x if low_x > 0.0 else high_x, low_y, high_y, radius)
            if low_y > 0.0 or high_y < 0.0:
                n = add_edge(edges, n, 1, low_y if low_y > 0.0 else high_y, low_x, high_x, radius)
        return n


# -- the outline -----------------------------------------------------------------------------------
#
# All is relative to the viewer. A direction has a pseudo-angle from 0 to 4, which grows with the
# angle and needs no trigonometry. A turn is a direction and an edge a side of a box; both are rows,
# whose columns layout.py names.


def angle_of(x: cython.double, y: cython.double) -> NoGil[cython.double]:
    """The pseudo-angle of a direction."""
    part: cython.double = y / (abs(x) + abs(y))
    if x < 0.0:
        return 2.0 - part
    return part if y >= 0.0 else 4.0 + part


def add_edge(
    edges: cython.double[:, ::1],
    n: cython.Py_ssize_t,
    axis: cython.int,
    place: cython.double,
    low: cython.double,
    high: cython.double,
    radius: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """Add an edge, cut off at the radius, and return the number of edges."""
    rest: cython.double = radius * radius - place * place
    first: cython.double
    last: cython.double
    if rest <= 0.0:
        return n
    rest = sqrt(rest)
    low = max(low, -rest)
    high = min(high, rest)
    if low >= high:
        return n
    # Counterclockwise, an edge to the right and one below the viewer begin at their lower ends.
    first = low if (place > 0.0) == (axis == 0) else high
    last = high if first == low else low
    edges[n, AXIS] = axis
    edges[n, PLACE] = place
    edges[n, LOW] = low
    edges[n, HIGH] = high
    edges[n, BEGIN] = angle_of(place, first) if axis == 0 else angle_of(first, place)
    edges[n, END] = angle_of(place, last) if axis == 0 else angle_of(last, place)
    edges[n, INVERSE] = 1.0 / place
    return n + 1


def add_turn(
    turns: cython.double[:, ::1], m: cython.Py_ssize_t, x: cython.double, y: cython.double
) -> NoGil[None]:
    """Write a direction."""
    turns[m, ANGLE] = angle_of(x, y)
    turns[m, X] = x
    turns[m, Y] = y


def find_turns(
    edges: cython.double[:, ::1], n: cython.Py_ssize_t, turns: cython.double[:, ::1]
) -> NoGil[None]:
    """Write the directions of both ends of each edge."""
    i: cython.Py_ssize_t
    for i in range(n):
        if edges[i, AXIS] == 0.0:
            add_turn(turns, 2 * i, edges[i, PLACE], edges[i, LOW])
            add_turn(turns, 2 * i + 1, edges[i, PLACE], edges[i, HIGH])
        else:
            add_turn(turns, 2 * i, edges[i, LOW], edges[i, PLACE])
            add_turn(turns, 2 * i + 1, edges[i, HIGH], edges[i, PLACE])


def sort_level(
    edges: cython.double[:, ::1], n: cython.Py_ssize_t, level: cython.int[::1]
) -> NoGil[cython.Py_ssize_t]:
    """Shell sort the level edges by their places; return their number."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    m: cython.Py_ssize_t = 0
    gap: cython.Py_ssize_t = 1
    edge: cython.int
    for i in range(n):
        if edges[i, AXIS] != 0.0:
            level[m] = cython.cast(cython.int, i)
            m += 1
    while gap < m // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, m):
            edge = level[i]
            j = i
            while j >= gap and edges[level[j - gap], PLACE] > edges[edge, PLACE]:
                level[j] = level[j - gap]
                j -= gap
            level[j] = edge
        gap = gap // 3
    return m


def find_crossings(
    edges: cython.double[:, ::1],
    n: cython.Py_ssize_t,
    level: cython.int[::1],
    m: cython.Py_ssize_t,
    turns: cython.double[:, ::1],
    at: cython.Py_ssize_t,
) -> NoGil[cython.Py_ssize_t]:
    """Count the directions in which edges cross, and write them if `turns` is given.

    `level` holds the m level edges, sorted by place, so an upright edge meets a range of them.
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    found: cython.Py_ssize_t = 0
    for i in range(n):
        if edges[i, AXIS] != 0.0:
            continue
        low = 0
        high = m
        while low < high:
            k = (low + high) // 2
            if edges[level[k], PLACE] <= edges[i, LOW]:
                low = k + 1
            else:
                high = k
        for k in range(low, m):
            j = level[k]
            if edges[j, PLACE] >= edges[i, HIGH]:
                break
            if edges[j, LOW] < edges[i, PLACE] < edges[j, HIGH]:
                if turns is not None:
                    add_turn(turns, at + found, edges[i, PLACE], edges[j, PLACE])
                found += 1
    return found


def unwrap(edges: cython.double[:, ::1], n: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
    """Split each edge that spans direction 0 into two; return the number of edges."""
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    for i in range(n):
        if edges[i, END] > edges[i, BEGIN]:
            continue
        if edges[i, END] > 0.0:
            for k in range(EDGE):
                edges[n, k] = edges[i, k]
            edges[n, BEGIN] = 0.0
            n += 1
        edges[i, END] = 4.0
    return n


def sort_by_angle(
    rows: cython.double[:, ::1],
    column: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    order: cython.int[::1],
    buckets: cython.int[::1],
) -> NoGil[None]:
    """Sort n rows by their pseudo-angles, into buckets and then by insertion; write the order."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    row: cython.int
    angle: cython.double
    share: cython.double = n / 4.0
    for i in range(n + 2):
        buckets[i] = 0
    for i in range(n):
        k = cython.cast(cython.Py_ssize_t, min(rows[i, column] * share, n - 1.0))
        buckets[k + 2] += 1
    for k in range(n):
        buckets[k + 2] += buckets[k + 1]
    for i in range(n):
        k = cython.cast(cython.Py_ssize_t, min(rows[i, column] * share, n - 1.0))
        order[buckets[k + 1]] = cython.cast(cython.int, i)
        buckets[k + 1] += 1
    for i in range(1, n):
        row = order[i]
        angle = rows[row, column]
        j = i
        while j > 0 and rows[order[j - 1], column] > angle:
            order[j] = order[j - 1]
            j -= 1
        order[j] = row


def drop_ended(
    edges: cython.double[:, ::1],
    active: cython.int[::1],
    n: cython.Py_ssize_t,
    angle: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """Keep the active edges that end after an angle; return how many they are."""
    i: cython.Py_ssize_t
    kept: cython.Py_ssize_t = 0
    for i in range(n):
        if edges[active[i], END] > angle:
            active[kept] = active[i]
            kept += 1
    return kept


def nearest_edge(
    edges: cython.double[:, ::1],
    active: cython.int[::1],
    n: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """Return the edge that a direction meets first, -1 if none."""
    i: cython.Py_ssize_t
    nearest: cython.Py_ssize_t = -1
    nearness: cython.double  # 1 / the time to an edge
    most: cython.double = 0.0
    for i in range(n):
        nearness = (x if edges[active[i], AXIS] == 0.0 else y) * edges[active[i], INVERSE]
        if nearness > most:
            most = nearness
            nearest = active[i]
    return nearest


def trace(
    edges: cython.double[:, ::1],
    edge_count: cython.Py_ssize_t,
    turns: cython.double[:, ::1],
    order: cython.int[::1],
    by_start: cython.int[::1],
    active: cython.int[::1],
    radius: cython.double,
    outline: cython.double[:, ::1],
) -> NoGil[cython.Py_ssize_t]:
    """Write the outline counterclockwise, from direction to direction; return its length.

    Between two directions in which something begins, ends or crosses, one edge is the nearest, or
    none. `by_start` orders the edges by where they begin; `active` has the same length.
    """
    k: cython.Py_ssize_t
    nearest: cython.Py_ssize_t
    before: cython.Py_ssize_t = -2
    living: cython.Py_ssize_t = 0
    started: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = 0
    mid_x: cython.double
    mid_y: cython.double
    scale: cython.double
    along: cython.double
    here: cython.Py_ssize_t
    there: cython.Py_ssize_t
    for k in range(len(order) - 1):
        here = order[k]
        there = order[k + 1]
        if turns[there, ANGLE] <= turns[here, ANGLE]:
            continue
        while started < edge_count and edges[by_start[started], BEGIN] <= turns[here, ANGLE]:
            active[living] = by_start[started]
            living += 1
            started += 1
        scale = 1.0 / (abs(turns[here, X]) + abs(turns[here, Y]))
        along = 1.0 / (abs(turns[there, X]) + abs(turns[there, Y]))
        mid_x = turns[here, X] * scale + turns[there, X] * along
        mid_y = turns[here, Y] * scale + turns[there, Y] * along
        living = drop_ended(edges, active, living, turns[here, ANGLE])
        nearest = nearest_edge(edges, active, living, mid_x, mid_y)
        if nearest != before or nearest < 0:
            n = add_point(edges, nearest, turns, here, radius, outline, n)
        elif n > 0:
            n -= 1  # the same edge goes on
        n = add_point(edges, nearest, turns, there, radius, outline, n)
        before = nearest
    return n


def add_point(
    edges: cython.double[:, ::1],
    edge: cython.Py_ssize_t,
    turns: cython.double[:, ::1],
    turn: cython.Py_ssize_t,
    radius: cython.double,
    outline: cython.double[:, ::1],
    n: cython.Py_ssize_t,
) -> NoGil[cython.Py_ssize_t]:
    """Add the point of an edge, or of the circle, in a direction, unless it is the last one."""
    x: cython.double = turns[turn, X]
    y: cython.double = turns[turn, Y]
    scale: cython.double
    if edge < 0:
        scale = radius / sqrt(x * x + y * y)
        x = x * scale
        y = y * scale
    elif edges[edge, AXIS] == 0.0:
        if x != edges[edge, PLACE]:  # otherwise it is an end of the edge, exactly
            y = edges[edge, PLACE] * y / x if x != 0.0 else y
        x = edges[edge, PLACE]
        y = min(max(y, edges[edge, LOW]), edges[edge, HIGH])
    else:
        if y != edges[edge, PLACE]:
            x = edges[edge, PLACE] * x / y if y != 0.0 else x
        y = edges[edge, PLACE]
        x = min(max(x, edges[edge, LOW]), edges[edge, HIGH])
    if n == 0 or outline[n - 1, 0] != x or outline[n - 1, 1] != y:
        outline[n, 0] = x
        outline[n, 1] = y
        n += 1
    return n

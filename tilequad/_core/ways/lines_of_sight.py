"""Lines of sight: what blocks a line, when it is met, and which edges hide what is behind them.

A box that holds an end of a line does not block it. For shots, only one that holds their start does
not: see SKIP_ENDS and SKIP_START.
"""

from __future__ import annotations

from array import array
from math import sqrt
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, Raises
from tilequad._core.buffers import IntBuffer, list_by_cell
from tilequad._core.layout import INF, OVERLAPPING_BOX, Walk, start_counts
from tilequad._core.tree.boxes import BoxStore
from tilequad._core.tree.motion import slab_time
from tilequad._core.tree.segment import begin_segment
from tilequad._core.tree.walk import begin, next_span
from tilequad._core.ways.closed_cells import (
    ABOVE,
    BELOW,
    EDGE_MARGIN,
    LEFT,
    LOSS,
    RIGHT,
    ClosedCells,
    first_met,
)
from tilequad._core.ways.convex import distance, gap_of, own_faces
from tilequad._core.ways.layout import EDGE, FACE, FACES_ROOM, NX, NY, SKIP_ENDS, X0, X1, Y0, Y1
from tilequad._core.ways.outlines import add_edge, add_slanted

CELLS_A_RUN: cython.int = 2  # about how many cells the grid has for each run
LISTED_A_RUN: cython.int = 8  # the most cells that list a run, on average
MOST_CELLS: cython.int = 4096  # the most cells along an axis
NEAR: cython.double = 1e-9  # relative to a cell: how near a line enters to the faces that it hits
SLANTED: cython.int = 2  # the axis of a face of a shape


@cython.final
@cython.cclass
class BoxRuns:
    """Boxes. Those that touch are merged into runs.

    A grid tells whether a line is clear, cell by cell from its start; the tree tells which box a
    line meets first, and which boxes are around a place.

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
        boxes = np.asarray(self.boxes)[:n]
        low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
        self.low_x, self.low_y = low.tolist()
        self.high_x, self.high_y = high.tolist()
        width = self.high_x - self.low_x
        height = self.high_y - self.low_y
        self.side = max(width, height) / min(CELLS_A_RUN * n, MOST_CELLS)
        self.side = max(self.side, sqrt(width) * sqrt(height) / sqrt(CELLS_A_RUN * n))
        if not self.side > 0.0:
            self.side = 1.0
        spans = np.empty((n, 4), np.int32)
        listed: cython.Py_ssize_t = LISTED_A_RUN * n + 1
        while listed > LISTED_A_RUN * n:
            self.columns = cython.cast(cython.int, width / self.side) + 1
            self.rows = cython.cast(cython.int, height / self.side) + 1
            last = np.array((self.columns - 1.0, self.rows - 1.0))
            spans[:, :2] = ((boxes[:, :2] - low) / self.side - EDGE_MARGIN).clip(0.0, last)
            spans[:, 2:] = ((boxes[:, 2:] - low) / self.side + EDGE_MARGIN).clip(0.0, last)
            spans[:, 2:] += 1
            listed = (spans[:, 2:] - spans[:, :2]).prod(axis=1).sum(dtype=np.int64)
            self.side = 2.0 * self.side
        self.side = self.side / 2.0
        runs = IntBuffer(1)
        self.cells = array("i", [0]) * (self.columns * self.rows + 2)
        list_by_cell(spans.data, self.columns, self.cells, runs)
        self.cell_runs = runs.values
        return 0

    def cell_at(
        self, offset: cython.double, margin: cython.double, count: cython.Py_ssize_t
    ) -> NoGil[cython.int]:
        """Return the column or row at an offset from the grid's corner; the nearest if outside."""
        return cython.cast(cython.int, min(max(offset / self.side + margin, 0.0), count - 1.0))

    # -- lines -------------------------------------------------------------------------------------

    def is_clear(
        self, x0: cython.double, y0: cython.double, x1: cython.double, y1: cython.double
    ) -> NoGil[cython.bint]:
        """Whether nothing blocks a line. The search ends at the first run that blocks it.

        Goes along the axis on which the line is longer. The line is tested slightly thickened, and
        each run is listed in all cells close to it, so rounding misses no run.
        """
        steep: cython.bint = abs(y1 - y0) > abs(x1 - x0)
        loss = LOSS * (abs(x0) + abs(y0) + abs(x1) + abs(y1))
        # Along the axis: p, and across it: q.
        p0 = y0 - self.low_y if steep else x0 - self.low_x
        p1 = y1 - self.low_y if steep else x1 - self.low_x
        q0 = x0 - self.low_x if steep else y0 - self.low_y
        q1 = x1 - self.low_x if steep else y1 - self.low_y
        slope = (q1 - q0) / (p1 - p0) if p0 != p1 else 0.0
        low = min(p0, p1)
        high = max(p0, p1)
        count = self.rows if steep else self.columns
        across = self.columns if steep else self.rows
        stride: cython.Py_ssize_t = self.columns if steep else 1
        stride_across: cython.Py_ssize_t = 1 if steep else self.columns
        k: cython.Py_ssize_t
        if (
            self.columns == 0
            or max(x0, x1) + loss < self.low_x
            or min(x0, x1) - loss > self.high_x
            or max(y0, y1) + loss < self.low_y
            or min(y0, y1) - loss > self.high_y
        ):
            return True
        step: cython.int = 1 if p1 >= p0 else -1
        cell: cython.int = self.cell_at(p0 - step * loss, 0.0, count)
        last = self.cell_at(p1 + step * loss, 0.0, count)
        while True:
            a = min(max(cell * self.side - loss, low), high)
            b = min(max((cell + 1) * self.side + loss, low), high)
            a = q0 + (a - p0) * slope
            b = q0 + (b - p0) * slope
            first_across: cython.int = self.cell_at(min(a, b) - loss, 0.0, across)
            last_across = self.cell_at(max(a, b) + loss, 0.0, across)
            at: cython.Py_ssize_t = cell * stride + first_across * stride_across
            while first_across <= last_across:
                for k in range(self.cells[at], self.cells[at + 1]):
                    if self.run_time(self.cell_runs[k], x0, y0, x1, y1, SKIP_ENDS) <= 1.0:
                        return False
                at += stride_across
                first_across += 1
            if cell == last:
                return True
            cell += step

    def first_hit(
        self,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        skip: cython.int,
        fraction: cython.p_double,
    ) -> NoGil[cython.int]:
        """Write when a line first meets a box, 0 to 1 or inf; return the axis of the face or -1."""
        walk = cython.declare(Walk)
        i: cython.Py_ssize_t
        run: cython.int = -1
        fraction[0] = INF
        start_counts(cython.address(walk), False)
        begin_segment(cython.address(walk), x0, y0, x1, y1, 0.0, 1, 0)
        while next_span(self.store.nodes, cython.address(walk)):
            for i in range(walk.entry, walk.end):
                time = self.run_time(self.store.ids[i], x0, y0, x1, y1, skip)
                if time < fraction[0] or (time == fraction[0] <= 1.0 and self.store.ids[i] < run):
                    fraction[0] = time
                    run = self.store.ids[i]
            walk.entry = walk.end
        return -1 if run < 0 else self.face_of(run, x0, y0, x1, y1, skip, fraction[0])

    def face_of(
        self,
        run: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        skip: cython.int,
        fraction: cython.double,
    ) -> NoGil[cython.int]:
        """Return the axis of the face at which a line enters a run, or one of its boxes.

        A line enters a box when it has crossed two of its edges; it hits the second.
        """
        i = run
        end = run + 1
        axis: cython.int = 0
        best = INF
        if self.is_skipped(run, x0, y0, x1, y1, skip):
            i = self.starts[run]
            end = self.starts[run + 1]
        while i < end:
            if not self.is_skipped(i, x0, y0, x1, y1, skip):
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
        skip: cython.int,
    ) -> NoGil[cython.double]:
        """Return when a line meets a run, but for boxes that are skipped; inf if never."""
        i: cython.Py_ssize_t
        first = self.box_time(run, x0, y0, x1, y1)
        if first > 1.0 or not self.is_skipped(run, x0, y0, x1, y1, skip):
            return first
        first = INF
        for i in range(self.starts[run], self.starts[run + 1]):
            if not self.is_skipped(i, x0, y0, x1, y1, skip):
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
        low_x = self.boxes[i, 0]
        low_y = self.boxes[i, 1]
        high_x = self.boxes[i, 2]
        high_y = self.boxes[i, 3]
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

    def is_skipped(
        self,
        i: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        skip: cython.int,
    ) -> NoGil[cython.bint]:
        """Whether a line passes a box, because it holds an end that counts."""
        return self.holds(i, x0, y0) or (skip == SKIP_ENDS and self.holds(i, x1, y1))

    def holds(self, i: cython.Py_ssize_t, x: cython.double, y: cython.double) -> NoGil[cython.bint]:
        """Whether a closed box holds a point."""
        return (
            self.boxes[i, 0] <= x <= self.boxes[i, 2] and self.boxes[i, 1] <= y <= self.boxes[i, 3]
        )

    # -- the outline -------------------------------------------------------------------------------

    def edges_around(
        self, x: cython.double, y: cython.double, radius: cython.double
    ) -> Object[np.ndarray]:
        """Return the edges that hide what is behind them from a place."""
        near: IntBuffer = IntBuffer(256)
        n: cython.Py_ssize_t = 0
        self.find_around(x, y, radius, near)
        found = np.empty((2 * near.used, EDGE))
        edges: cython.double[:, ::1] = found
        for k in range(near.used):
            i: cython.Py_ssize_t = near.values[k]
            n = add_edges(
                edges, n, x, y, radius,
                self.boxes[i, 0], self.boxes[i, 1], self.boxes[i, 2], self.boxes[i, 3],
            )  # fmt: skip
        return found[:n]

    def find_around(
        self, x: cython.double, y: cython.double, radius: cython.double, near: IntBuffer
    ) -> Raises[cython.int]:
        """Append the runs near a place; for a run that holds the place, its boxes that do not."""
        walk = cython.declare(Walk)
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
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


@cython.final
@cython.cclass
class CellFaces:
    """The closed cells of a grid.

    Args:
        cells: The closed cells.
    """

    __slots__ = {"cells": "ClosedCells"}

    def __init__(self, cells: ClosedCells) -> None:
        self.cells = cells

    def is_clear(
        self, x0: cython.double, y0: cython.double, x1: cython.double, y1: cython.double
    ) -> NoGil[cython.bint]:
        """Whether nothing blocks a line."""
        fraction = cython.declare(cython.double[1])
        face = cython.declare(cython.int[1])
        return first_met(self.cells, x0, y0, x1, y1, SKIP_ENDS, fraction, face) < 0

    def first_hit(
        self,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        skip: cython.int,
        fraction: cython.p_double,
        normal: cython.p_double,
    ) -> NoGil[cython.int]:
        """Write when a line first meets a cell, 0 to 1 or inf; return the axis of the face or -1.

        A line enters a cell when it has crossed two of its edges; it hits the second. Where a
        neighbor is closed, too, there is no face. For the part of a shape it returns SLANTED, and
        writes the normal.
        """
        box = cython.declare(cython.double[4])
        enter_x: cython.double = -1.0
        enter_y: cython.double = -1.0
        face = cython.declare(cython.int[1])
        cell = first_met(self.cells, x0, y0, x1, y1, skip, fraction, face)
        if cell < 0:
            return -1
        if self.cells.is_part(cell):
            self.write_normal(cell, face[0], x0, y0, x1, y1, fraction[0], normal)
            return SLANTED
        self.cells.write_box(cell, box)
        shut = self.cells.shut_sides(cell)
        if x1 != x0 and not shut & (LEFT if x1 > x0 else RIGHT):
            enter_x = (box[0 if x1 > x0 else 2] - x0) / (x1 - x0)
        if y1 != y0 and not shut & (BELOW if y1 > y0 else ABOVE):
            enter_y = (box[1 if y1 > y0 else 3] - y0) / (y1 - y0)
        return enter_x < enter_y

    def write_normal(
        self,
        number: cython.Py_ssize_t,
        face: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        fraction: cython.double,
        normal: cython.p_double,
    ) -> NoGil[None]:
        """Write the normal of the face at which a line enters a part of a shape.

        At a corner it crosses another face, too. Of the two, one counts that no solid covers.
        """
        place = self.cells.ground.place_of(self.cells.cell_of(number))
        first: cython.Py_ssize_t = self.cells.pieces.firsts[self.cells.part_of(number)]
        count: cython.Py_ssize_t = self.cells.pieces.firsts[self.cells.part_of(number) + 1] - first
        before = face - first + count - 1
        dx = x1 - x0
        dy = y1 - y0
        x = x0 + fraction * dx
        y = y0 + fraction * dy
        away_x = x - self.cells.ground.center_x(place)
        away_y = y - self.cells.ground.center_y(place)
        tiny = NEAR * (self.cells.width + self.cells.height)
        tiny += LOSS * (abs(x) + abs(y))
        if face < 0:  # it begins inside
            speed = distance(dx, dy)
            normal[0] = -dx / speed if speed > 0.0 else 0.0
            normal[1] = -dy / speed if speed > 0.0 else 0.0
            return
        best = self.cells.pieces.speed_to(face, dx, dy)
        for i in range(2):
            k = first + (before + 2 * i) % count
            speed = self.cells.pieces.speed_to(k, dx, dy)
            if speed >= 0.0 or abs(self.cells.pieces.gap_to(k, away_x, away_y)) > tiny:
                continue
            if self.is_covered(face, x, y, 4.0 * tiny):
                best = 0.0
            if speed < best and not self.is_covered(k, x, y, 4.0 * tiny):
                best = speed
                face = k
        normal[0] = self.cells.pieces.faces[face, NX]
        normal[1] = self.cells.pieces.faces[face, NY]

    def is_covered(
        self, face: cython.Py_ssize_t, x: cython.double, y: cython.double, far: cython.double
    ) -> NoGil[cython.bint]:
        """Whether something solid is as far before a face, from a point of it."""
        x += far * self.cells.pieces.faces[face, NX]
        y += far * self.cells.pieces.faces[face, NY]
        return self.cells.holder_of(x, y) >= 0

    def edges_around(
        self, x: cython.double, y: cython.double, radius: cython.double
    ) -> Object[np.ndarray]:
        """Return the edges that hide what is behind them from a place.

        In an orthogonal grid, those of a whole wall are one.
        """
        cells: ClosedCells = self.cells
        box = cython.declare(cython.double[4])
        near: IntBuffer = IntBuffer(256)
        n: cython.Py_ssize_t = 0
        total: cython.Py_ssize_t = 0
        cells.gather(x - radius, y - radius, x + radius, y + radius, 0x7FFFFFFF, near)
        for k in range(near.used):
            total += cells.count_faces(near.values[k])
        found = np.empty((total, EDGE))
        edges: cython.double[:, ::1] = found
        for k in range(near.used):
            if cells.holds_end(near.values[k], x, y):
                continue
            if cells.is_part(near.values[k]):
                n = self.add_part(edges, n, near.values[k], x, y, radius)
                continue
            cells.write_box(near.values[k], box)
            n = self.add_faces(edges, n, near.values[k], box, x, y, radius)
        return found[:n]

    def add_part(
        self,
        edges: cython.double[:, ::1],
        n: cython.Py_ssize_t,
        number: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        radius: cython.double,
    ) -> NoGil[cython.Py_ssize_t]:
        """Add the faces of a part of a shape that a place sees, and return the number of edges."""
        box = cython.declare(cython.double[4])
        faces = cython.declare(cython.double[FACES_ROOM])
        count = own_faces(self.cells.write_faces(number, box, faces))
        for k in range(count):
            i = FACE * k
            if gap_of(faces, k, x, y, 0.0, 0.0) > 0.0:
                n = add_slanted(
                    edges, n, faces[i + X0] - x, faces[i + Y0] - y, faces[i + X1] - x,
                    faces[i + Y1] - y, radius,
                )  # fmt: skip
        return n

    def add_faces(
        self,
        edges: cython.double[:, ::1],
        n: cython.Py_ssize_t,
        cell: cython.Py_ssize_t,
        box: cython.p_double,
        x: cython.double,
        y: cython.double,
        radius: cython.double,
    ) -> NoGil[cython.Py_ssize_t]:
        """Add the faces of a wall that begin at a cell, and return the number of edges."""
        far = cython.declare(cython.double[4])
        row = cell // self.cells.ground.columns
        column = cell - row * self.cells.ground.columns
        up: cython.Py_ssize_t = 1 if self.cells.v_by_y > 0.0 else -1
        side: cython.Py_ssize_t = 0
        if x < box[0] or x > box[2]:  # a face to the left or to the right
            side = -1 if x < box[0] else 1
            if self.has_face(column, row, side, 0, x, y) and not (
                box[1] >= y - radius and self.has_face(column, row - up, side, 0, x, y)
            ):
                end = row
                self.cells.write_box(cell, far)
                while far[3] <= y + radius and self.has_face(column, end + up, side, 0, x, y):
                    end += up
                    self.cells.write_box(end * self.cells.ground.columns + column, far)
                n = add_edge(
                    edges, n, 0, (box[0] if side < 0 else box[2]) - x, box[1] - y, far[3] - y,
                    radius,
                )  # fmt: skip
        if y < box[1] or y > box[3]:  # a face below or above
            side = -up if y < box[1] else up
            if self.has_face(column, row, 0, side, x, y) and not (
                box[0] >= x - radius and self.has_face(column - 1, row, 0, side, x, y)
            ):
                end = column
                self.cells.write_box(cell, far)
                while far[2] <= x + radius and self.has_face(end + 1, row, 0, side, x, y):
                    end += 1
                    self.cells.write_box(row * self.cells.ground.columns + end, far)
                n = add_edge(
                    edges, n, 1, (box[1] if side == -up else box[3]) - y, box[0] - x, far[2] - x,
                    radius,
                )  # fmt: skip
        return n

    def has_face(
        self,
        column: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        across: cython.Py_ssize_t,
        down: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
    ) -> NoGil[cython.bint]:
        """Whether a cell hides what is behind it, and its neighbor toward the place does not."""
        return self.hides(column, row, x, y) and not self.hides(column + across, row + down, x, y)

    def hides(
        self,
        column: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
    ) -> NoGil[cython.bint]:
        """Whether there is a closed cell that does not hold the place."""
        return self.cells.is_closed(column, row) and not self.cells.holds(
            row * self.cells.ground.columns + column, x, y
        )


@cython.final
@cython.cclass
class Sight:
    """What blocks lines: boxes, or the closed cells of a grid.

    Args:
        runs: The boxes, or None.
        faces: The cells, or None.
    """

    __slots__ = {"runs": "BoxRuns", "faces": "CellFaces"}

    def __init__(self, runs: BoxRuns | None, faces: CellFaces | None) -> None:
        self.runs: Any = runs
        self.faces: Any = faces

    def is_clear(
        self, x0: cython.double, y0: cython.double, x1: cython.double, y1: cython.double
    ) -> NoGil[cython.bint]:
        """Whether nothing blocks a line."""
        if self.faces is None:
            return self.runs.is_clear(x0, y0, x1, y1)
        return self.faces.is_clear(x0, y0, x1, y1)

    def first_hit(
        self,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        skip: cython.int,
        fraction: cython.p_double,
        normal: cython.p_double,
    ) -> NoGil[None]:
        """Write when a line is first blocked, 0 to 1 or inf, and the normal of the face."""
        if self.faces is None:
            axis = self.runs.first_hit(x0, y0, x1, y1, skip, fraction)
        else:
            axis = self.faces.first_hit(x0, y0, x1, y1, skip, fraction, normal)
        if axis != SLANTED:
            normal[0] = 0.0 if axis != 0 else -1.0 if x1 > x0 else 1.0
            normal[1] = 0.0 if axis != 1 else -1.0 if y1 > y0 else 1.0

    def clear(
        self, x0: cython.double, y0: cython.double, x1: cython.double, y1: cython.double
    ) -> bool:
        """Whether nothing blocks a line."""
        return bool(self.is_clear(x0, y0, x1, y1))

    def fill_clear(
        self, a: cython.double[:, ::1], b: cython.double[:, ::1], found: cython.uchar[::1]
    ) -> None:
        """Write 0 for each line that something blocks."""
        with cython.nogil:
            for i in range(len(found)):
                if found[i]:
                    found[i] = self.is_clear(a[i, 0], a[i, 1], b[i, 0], b[i, 1])

    def hit(
        self, x0: cython.double, y0: cython.double, x1: cython.double, y1: cython.double
    ) -> tuple[float, float, float]:
        """Return when a line is first blocked, 0 to 1 or inf, and the normal of the face."""
        fraction = cython.declare(cython.double[1])
        normal = cython.declare(cython.double[2])
        self.first_hit(x0, y0, x1, y1, SKIP_ENDS, fraction, normal)
        return fraction[0], normal[0], normal[1]

    def fill_hits(
        self,
        a: cython.double[:, ::1],
        b: cython.double[:, ::1],
        fractions: cython.double[::1],
        normals: cython.double[:, ::1],
        skip: cython.int,
    ) -> None:
        """Write when each line is first blocked, and the normal of the face, if it is earlier."""
        fraction = cython.declare(cython.double[1])
        normal = cython.declare(cython.double[2])
        with cython.nogil:
            for i in range(len(fractions)):
                self.first_hit(a[i, 0], a[i, 1], b[i, 0], b[i, 1], skip, fraction, normal)
                if fraction[0] < fractions[i]:
                    fractions[i] = fraction[0]
                    normals[i, 0] = normal[0]
                    normals[i, 1] = normal[1]

    def edges(self, x: float, y: float, radius: float) -> np.ndarray:
        """The edges that hide what is behind them from a place, as rows of `add_edge`."""
        if self.faces is None:
            return self.runs.edges_around(x, y, radius)
        return self.faces.edges_around(x, y, radius)


def add_edges(
    edges: cython.double[:, ::1],
    n: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    radius: cython.double,
    low_x: cython.double,
    low_y: cython.double,
    high_x: cython.double,
    high_y: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """Add the edges of a box that face a place, and return the number of edges."""
    low_x -= x
    low_y -= y
    high_x -= x
    high_y -= y
    if low_x > 0.0 or high_x < 0.0:
        n = add_edge(edges, n, 0, low_x if low_x > 0.0 else high_x, low_y, high_y, radius)
    if low_y > 0.0 or high_y < 0.0:
        n = add_edge(edges, n, 1, low_y if low_y > 0.0 else high_y, low_x, high_x, radius)
    return n

"""Solids that footprints keep out of: which are near, how to get out, and what blocks a way.

They are the boxes of a tree, or the closed cells of a grid and the parts of the shapes in others.
They have numbers: the entries of the tree, or those of `ClosedCells`. All are closed: a center on
the edge of one is inside.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.layout import INF, OVERLAPPING_BOX, Walk, start_counts
from tilequad._core.tree.boxes import BoxStore
from tilequad._core.tree.motion import slab_time
from tilequad._core.tree.segment import begin_segment
from tilequad._core.tree.walk import begin, next_span
from tilequad._core.ways.closed_cells import ABOVE, BELOW, LEFT, RIGHT, ClosedCells, first_met
from tilequad._core.ways.convex import (
    box_faces,
    distance,
    gap_of,
    gap_to,
    leave_distance,
    nearest_point,
    own_faces,
)
from tilequad._core.ways.layout import ALL_SOLIDS, FACE, FACES_ROOM, NX, NY

# How far outside a wall a center stays: the sum of a distance and of a share of its coordinate.
CLEARANCE: cython.double = 1e-9
RELATIVE_CLEARANCE: cython.double = 1e-14
# The ways straight out of a wall: along x or y, to lower or higher.
TO_LEFT: cython.int = 0
TO_RIGHT: cython.int = 1
DOWN: cython.int = 2
UP: cython.int = 3
MOST_SOLIDS: cython.int = 64  # that a way out by two of these leads through


def clearance(at: cython.double) -> NoGil[cython.double]:
    """Return the distance from a wall's edge at which a center is surely outside."""
    return CLEARANCE + RELATIVE_CLEARANCE * abs(at)


@cython.final
@cython.cclass
class Solids:
    """Walls: the boxes of a tree or, with cells, closed cells and parts of shapes."""

    __slots__ = {"tree": "BoxStore", "cells": "ClosedCells"}

    def __init__(self, tree: BoxStore, cells: ClosedCells | None = None) -> None:
        self.tree = tree
        self.cells: Any = cells

    def is_empty(self) -> bool:
        """Whether there are surely no boxes."""
        return self.cells is None and len(self.tree.ids) == 0

    def write_box(self, number: cython.Py_ssize_t, box: cython.p_double) -> NoGil[None]:
        """Write a box."""
        if self.cells is None:
            self.tree.write_box(number, box)
        else:
            self.cells.write_box(number, box)

    def is_part(self, number: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether it is no box, but a part of a shape."""
        return self.cells is not None and self.cells.is_part(number)

    def write_faces(
        self, number: cython.Py_ssize_t, box: cython.p_double, faces: cython.p_double
    ) -> NoGil[cython.int]:
        """Write the box around a solid, and its faces; return how many: see `convex`."""
        if self.cells is not None:
            return self.cells.write_faces(number, box, faces)
        self.write_box(number, box)
        return box_faces(box, faces, 0)

    def rank_of(self, number: cython.Py_ssize_t) -> NoGil[cython.int]:
        """The place of a box among those given."""
        return self.tree.ids[number] if self.cells is None else number

    def gather(
        self,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
        most: cython.Py_ssize_t,
        found: IntBuffer,
    ) -> RaisesNoGil[cython.bint]:
        """Append the boxes that overlap or touch a box; False if there are more than `most`."""
        walk = cython.declare(Walk)
        box = cython.declare(cython.double[4])
        i: cython.Py_ssize_t
        start = found.used
        if self.cells is not None:
            return self.cells.gather(min_x, min_y, max_x, max_y, most, found)
        start_counts(cython.address(walk), False)
        begin(cython.address(walk), OVERLAPPING_BOX, min_x, min_y, max_x, max_y, 0.0, 1, 0)
        while next_span(self.tree.nodes, cython.address(walk)):
            for i in range(walk.entry, walk.end):
                self.write_box(i, box)
                if box[0] <= max_x and box[1] <= max_y and box[2] >= min_x and box[3] >= min_y:
                    if found.used - start == most:
                        return False
                    found.append(cython.cast(cython.int, i))
            walk.entry = walk.end
        return True

    def holder_of(self, x: cython.double, y: cython.double) -> NoGil[cython.Py_ssize_t]:
        """A box that holds a point; -1 for none."""
        walk = cython.declare(Walk)
        i: cython.Py_ssize_t
        if self.cells is not None:
            return self.cells.holder_of(x, y)
        start_counts(cython.address(walk), False)
        begin(cython.address(walk), OVERLAPPING_BOX, x, y, x, y, 0.0, 1, 0)
        while next_span(self.tree.nodes, cython.address(walk)):
            for i in range(walk.entry, walk.end):
                if self.holds(i, x, y):
                    return i
            walk.entry = walk.end
        return -1

    def holds(
        self, number: cython.Py_ssize_t, x: cython.double, y: cython.double
    ) -> NoGil[cython.bint]:
        """Whether a wall holds a point."""
        box = cython.declare(cython.double[4])
        if self.cells is not None:
            return self.cells.holds(number, x, y)
        self.write_box(number, box)
        return box[0] <= x <= box[2] and box[1] <= y <= box[3]

    def way_time(
        self,
        number: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
    ) -> NoGil[cython.double]:
        """Return the part of its way, 0 to 1, after which a point meets this wall; inf if never."""
        box = cython.declare(cython.double[4])
        if self.is_part(number):
            return self.cells.line_time(number, x0, y0, x1, y1)
        self.write_box(number, box)
        return slab_time(
            x0 - box[0], y0 - box[1], x0 - box[2], y0 - box[3], x1 - x0, y1 - y0, 0.0, 0.0
        )

    def first_time(
        self,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
    ) -> NoGil[cython.double]:
        """Return the part of its way, 0 to 1, after which a point meets a wall; inf if never."""
        walk = cython.declare(Walk)
        found = cython.declare(cython.double[1])
        face = cython.declare(cython.int[1])
        i: cython.Py_ssize_t
        first = INF
        if self.cells is not None:
            first_met(self.cells, x0, y0, x1, y1, ALL_SOLIDS, found, face)
            return found[0]
        start_counts(cython.address(walk), False)
        begin_segment(cython.address(walk), x0, y0, x1, y1, 0.0, 1, 0)
        while next_span(self.tree.nodes, cython.address(walk)):
            for i in range(walk.entry, walk.end):
                first = min(first, self.way_time(i, x0, y0, x1, y1))
            walk.entry = walk.end
        return first

    def penetration(
        self,
        number: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        half_w: cython.double,
        half_h: cython.double,
        push: cython.p_double,
    ) -> NoGil[cython.double]:
        """Return how deep a footprint is in a wall, 0 if outside; write the way out, a unit vector.

        There is no way out between two closed cells.
        """
        box = cython.declare(cython.double[4])
        radius = 0.0
        if self.is_part(number):
            return self.part_penetration(number, x, y, half_w, half_h, push)
        self.write_box(number, box)
        if half_h < 0.0:  # a circle
            radius = half_w
            dx = max(box[0] - x, x - box[2])
            dy = max(box[1] - y, y - box[3])
            if max(dx, dy) > 0.0:
                dx = max(dx, 0.0)
                dy = max(dy, 0.0)
                if dx * dx + dy * dy >= radius * radius:
                    return 0.0
                depth = sqrt(dx * dx + dy * dy)
                push[0] = (dx if x > box[2] else -dx) / depth
                push[1] = (dy if y > box[3] else -dy) / depth
                return radius - depth
            half_w = half_h = 0.0
        shut: cython.int = 0 if self.cells is None else self.cells.shut_sides(number)
        depth = INF
        push[0] = push[1] = 0.0
        if not shut & RIGHT:
            depth = box[2] + half_w - x
            push[0] = 1.0
        if not shut & LEFT and x - (box[0] - half_w) < depth:
            depth = x - (box[0] - half_w)
            push[0] = -1.0
        if not shut & ABOVE and box[3] + half_h - y < depth:
            depth = box[3] + half_h - y
            push[0] = 0.0
            push[1] = 1.0
        if not shut & BELOW and y - (box[1] - half_h) < depth:
            depth = y - (box[1] - half_h)
            push[0] = 0.0
            push[1] = -1.0
        return max(depth + radius, 0.0) if depth < INF else 0.0

    def part_penetration(
        self,
        number: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        half_w: cython.double,
        half_h: cython.double,
        push: cython.p_double,
    ) -> NoGil[cython.double]:
        """The same for a part of a shape. No way leads out where other solids lie."""
        box = cython.declare(cython.double[4])
        faces = cython.declare(cython.double[FACES_ROOM])
        point = cython.declare(cython.double[2])
        count = self.write_faces(number, box, faces)
        radius = 0.0
        if half_h < 0.0:
            radius = half_w
            half_w = half_h = 0.0
            k = nearest_point(faces, count, x, y, point)
            if k >= 0:
                away = distance(x - point[0], y - point[1])
                if away >= radius or away == 0.0:
                    return 0.0
                push[0] = (x - point[0]) / away
                push[1] = (y - point[1]) / away
                return radius - away
            count = own_faces(count)
        elif gap_to(faces, count, x, y, half_w, half_h) >= 0.0:
            return 0.0
        k = self.way_out_of(faces, count, x, y, half_w, half_h)
        if k < 0:
            push[0] = push[1] = 0.0
            return 0.0
        depth = radius - gap_of(faces, k, x, y, half_w, half_h)
        push[0] = faces[FACE * k + NX]
        push[1] = faces[FACE * k + NY]
        return max(depth, 0.0)

    def way_out_of(
        self,
        faces: cython.p_double,
        count: cython.int,
        x: cython.double,
        y: cython.double,
        half_w: cython.double,
        half_h: cython.double,
    ) -> NoGil[cython.int]:
        """The face through which a box leaves a solid the shortest way, -1 if all are covered."""
        found: cython.int = -1
        least = INF
        for k in range(count):
            depth = -gap_of(faces, k, x, y, half_w, half_h)
            if depth < least and not (
                self.cells is not None and self.cells.is_covered(faces, k, x, y)
            ):
                least = depth
                found = k
        return found

    def edge_out(
        self,
        number: cython.Py_ssize_t,
        k: cython.int,
        x: cython.double,
        y: cython.double,
    ) -> NoGil[cython.double]:
        """The x or the y at which a point that goes left, right, down or up is out of a solid."""
        box = cython.declare(cython.double[4])
        faces = cython.declare(cython.double[FACES_ROOM])
        count = self.write_faces(number, box, faces)
        sign = 1.0 if k & 1 else -1.0
        edge = box[(k >> 1) + 2 * (k & 1)]
        if self.is_part(number):
            way_x = sign if k <= TO_RIGHT else 0.0
            far = leave_distance(faces, count, x, y, 0.0, 0.0, way_x, sign - way_x)
            edge = (x if k <= TO_RIGHT else y) + sign * far
        return edge + sign * clearance(edge)

    def find_way_out(
        self,
        x: cython.double,
        y: cython.double,
        limits: cython.double[::1],
        place: cython.p_double,
    ) -> NoGil[None]:
        """Write the nearest point that is in no wall: straight left, right, below or above.

        Or by two of these, of which the shorter is gone first: in a corner of two walls, each
        straight way leads through one of them. A point inside of the limits comes first; only if
        there is none, one outside.
        """
        k: cython.int
        best = INF
        is_inside: cython.bint = False
        for k in range(8):
            across: cython.int = k if k <= UP else k & 1
            along: cython.int = k if k <= UP else DOWN + (k >> 1 & 1)
            to_x = x
            to_y = y
            away = 0.0
            left: cython.int = MOST_SOLIDS  # along a slanted seam, two ways would lead to and fro
            number = self.holder_of(x, y)
            while number >= 0 and (away < best or not is_inside) and (k <= UP or left > 0):
                left -= 1
                out_x = self.edge_out(number, across, to_x, to_y)
                out_y = self.edge_out(number, along, to_x, to_y)
                if k <= TO_RIGHT or (k > UP and abs(out_x - to_x) <= abs(out_y - to_y)):
                    to_x = out_x
                else:
                    to_y = out_y
                away = abs(to_x - x) + abs(to_y - y)
                number = self.holder_of(to_x, to_y)
            inside: cython.bint = limits[0] <= to_x <= limits[2] and limits[1] <= to_y <= limits[3]
            if number < 0 and ((away < best and inside == is_inside) or (inside and not is_inside)):
                best = away
                is_inside = inside
                place[0] = to_x
                place[1] = to_y

"""Boxes that move until something solid stops them, and slide along it.

Among boxes all is mirrored so that a motion is toward higher x and y: changing a sign does not
round. Moving along one axis only compares edges, which is exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises, RaisesNoGil
from tilequad._core.army.solids import Solids, clearance
from tilequad._core.buffers import IntBuffer
from tilequad._core.layout import INF
from tilequad._core.ways.convex import gap_of, gap_to, meet_time
from tilequad._core.ways.layout import FACE, FACES_ROOM, NX, NY, X0

TURNS: cython.int = 8  # the most faces that a box meets in one motion
ROUNDING: cython.double = 2.0**-50  # relative error of an edge computed from a stored center


@cython.final
@cython.cclass
class Slider:
    """Moves boxes among solid ones, which `slide_among` does not use."""

    __slots__ = {
        "solids": "Solids",
        "found": "IntBuffer",
        "walls": "double[:, ::1]",  # those around a motion, mirrored
        "count": "Py_ssize_t",
        "slanted": "bint",  # whether parts of shapes are among them
    }

    def __init__(self, solids: Solids) -> None:
        self.solids = solids
        self.found = IntBuffer(64)
        self.walls = np.empty((64, 4))
        self.count = 0
        self.slanted = False

    def slide_all(
        self,
        boxes: cython.double[:, ::1],
        motions: cython.double[:, ::1],
        blocked: cython.schar[:, ::1],
    ) -> np.ndarray:
        """Move boxes, (n, 4); return the rows of those that begin inside of walls, which stay.

        `blocked`, (n, 2), gets 1 or -1 for each axis along which a box was stopped, or 0.
        """
        inside: IntBuffer = IntBuffer()
        with cython.nogil:
            for i in range(len(boxes)):
                self.gather_way(boxes, motions, i)
                if not self.slide_row(boxes, motions, blocked, i):
                    inside.append(cython.cast(cython.int, i))
        return np.array(inside.taken(), np.intp)

    def slide_one(
        self,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
        dx: cython.double,
        dy: cython.double,
    ) -> tuple[Any, ...] | None:
        """Return where a box ends, and what stops it; None if it begins inside of a wall."""
        box = cython.declare(cython.double[4])
        stops = cython.declare(cython.int[2])
        box[0], box[1], box[2], box[3] = min_x, min_y, max_x, max_y
        self.gather_on_way(box, dx, dy)
        if not self.slide(box, dx, dy, stops):
            return None
        # In plain Python, some are numbers of numpy.
        end = float(box[0]), float(box[1]), float(box[2]), float(box[3])
        return end, stops[0], stops[1]

    def slide_among(
        self,
        walls: cython.double[:, ::1],
        boxes: cython.double[:, ::1],
        motions: cython.double[:, ::1],
        blocked: cython.schar[:, ::1],
        row: cython.Py_ssize_t,
    ) -> bool:
        """Move one of the boxes among the walls around its way; False if it begins inside."""
        self.reserve(len(walls))
        self.walls[: len(walls)] = walls
        self.count = len(walls)
        self.slanted = False
        return bool(self.slide_row(boxes, motions, blocked, row))

    def slide_again(
        self,
        boxes: cython.double[:, ::1],
        motions: cython.double[:, ::1],
        blocked: cython.schar[:, ::1],
        row: cython.Py_ssize_t,
    ) -> bool:
        """Move one of the boxes among the solids; False if it begins inside."""
        self.gather_way(boxes, motions, row)
        return bool(self.slide_row(boxes, motions, blocked, row))

    def gather_way(
        self,
        boxes: cython.double[:, ::1],
        motions: cython.double[:, ::1],
        row: cython.Py_ssize_t,
    ) -> RaisesNoGil[cython.int]:
        """Find the walls around the way of one of the boxes."""
        box = cython.declare(cython.double[4])
        for k in range(4):
            box[k] = boxes[row, k]
        return self.gather_on_way(box, motions[row, 0], motions[row, 1])

    def gather_on_way(
        self, box: cython.p_double, dx: cython.double, dy: cython.double
    ) -> RaisesNoGil[cython.int]:
        """Find the walls around the way of a box."""
        return self.gather(
            box[0] + min(dx, 0.0),
            box[1] + min(dy, 0.0),
            box[2] + max(dx, 0.0),
            box[3] + max(dy, 0.0),
        )

    def slide_row(
        self,
        boxes: cython.double[:, ::1],
        motions: cython.double[:, ::1],
        blocked: cython.schar[:, ::1],
        row: cython.Py_ssize_t,
    ) -> RaisesNoGil[cython.bint]:
        """Move one of the boxes among the walls found; return False if it begins inside of one."""
        box = cython.declare(cython.double[4])
        stops = cython.declare(cython.int[2])
        stops[0] = stops[1] = 0
        for k in range(4):
            box[k] = boxes[row, k]
        is_outside = self.slide(box, motions[row, 0], motions[row, 1], stops)
        for k in range(4):
            boxes[row, k] = box[k]
        blocked[row, 0] = stops[0]
        blocked[row, 1] = stops[1]
        return is_outside

    def walls_near(
        self, min_x: cython.double, min_y: cython.double, max_x: cython.double, max_y: cython.double
    ) -> np.ndarray:
        """Return the walls that overlap or touch a box, (n, 4)."""
        self.gather(min_x, min_y, max_x, max_y)
        return np.array(self.walls[: self.count])

    def gather(
        self, min_x: cython.double, min_y: cython.double, max_x: cython.double, max_y: cython.double
    ) -> RaisesNoGil[cython.int]:
        """Find the walls that overlap or touch a box."""
        box = cython.declare(cython.double[4])
        i: cython.Py_ssize_t
        self.found.used = 0
        self.solids.gather(min_x, min_y, max_x, max_y, 0x7FFFFFFF, self.found)
        self.count = self.found.used
        if self.count > len(self.walls):
            with cython.gil:
                self.reserve(self.count)
        self.slanted = False
        for i in range(self.count):
            self.solids.write_box(self.found.values[i], box)
            self.slanted |= self.solids.is_part(self.found.values[i])
            for k in range(4):
                self.walls[i, k] = box[k]
        return 0

    def reserve(self, count: cython.Py_ssize_t) -> Raises[cython.int]:
        """Make room for so many walls."""
        if count > len(self.walls):
            self.walls = np.empty((2 * count, 4))
        return 0

    def slide(
        self, box: cython.p_double, dx: cython.double, dy: cython.double, stops: cython.p_int
    ) -> RaisesNoGil[cython.bint]:
        """Move a box among the walls found; return False if it begins inside of one."""
        end = cython.declare(cython.double[4])
        freed = cython.declare(cython.double[4])
        freed_stops = cython.declare(cython.int[2])
        flip_x: cython.bint = dx < 0.0
        flip_y: cython.bint = dy < 0.0
        if self.slanted:
            return self.slide_around(box, dx, dy, stops)
        for i in range(self.count):
            mirror(
                cython.address(self.walls[i, 0]) if cython.compiled else self.walls[i],
                flip_x,
                flip_y,
            )
        mirror(box, flip_x, flip_y)
        if self.overlaps(box):
            self.ease(box)
            if self.overlaps(box):
                mirror(box, flip_x, flip_y)
                return False
        copy(box, end)
        self.move(end, abs(dx), abs(dy), stops)
        if (stops[0] or stops[1]) and self.ease(box):  # perhaps only rounding stopped it
            copy(box, freed)
            self.move(freed, abs(dx), abs(dy), freed_stops)
            if not are_same(end, stops, freed, freed_stops):
                copy(freed, end)
                stops[0] = freed_stops[0]
                stops[1] = freed_stops[1]
        copy(end, box)
        mirror(box, flip_x, flip_y)
        if flip_x:
            stops[0] = -stops[0]
        if flip_y:
            stops[1] = -stops[1]
        return True

    def overlaps(self, box: cython.p_double) -> NoGil[cython.bint]:
        """Whether a box overlaps a wall in more than edges."""
        for i in range(self.count):
            if (
                self.walls[i, 0] < box[2]
                and box[0] < self.walls[i, 2]
                and self.walls[i, 1] < box[3]
                and box[1] < self.walls[i, 3]
            ):
                return True
        return False

    def gap(
        self, i: cython.Py_ssize_t, axis: cython.Py_ssize_t, at: cython.double
    ) -> NoGil[cython.double]:
        """How far a coordinate is beyond the sides of a wall along an axis; 0 between them."""
        return at - min(max(at, self.walls[i, axis]), self.walls[i, axis + 2])

    def ease(self, box: cython.p_double) -> NoGil[cython.bint]:
        """Take off a box the overlaps, here or on its way, that only come from rounding.

        If a game keeps the center of a box, the edges computed from it are no longer flush. Returns
        whether the box has changed.
        """
        edges = cython.declare(cython.double[4])
        copy(box, edges)
        for axis in range(2):
            low = box[axis]
            high = box[axis + 2]
            most = ROUNDING * max(abs(low), abs(high))
            for i in range(self.count):
                if low < self.walls[i, axis + 2] <= low + most:
                    edges[axis] = max(edges[axis], self.walls[i, axis + 2])
                if high - most <= self.walls[i, axis] < high:
                    edges[axis + 2] = min(edges[axis + 2], self.walls[i, axis])
        if edges[0] > edges[2] or edges[1] > edges[3]:
            return False
        changed = not are_equal(box, edges)
        copy(edges, box)
        return changed

    # -- around shapes -----------------------------------------------------------------------------

    def slide_around(
        self, box: cython.p_double, dx: cython.double, dy: cython.double, stops: cython.p_int
    ) -> RaisesNoGil[cython.bint]:
        """Move a box among solids, some of them no boxes; return False if it begins inside.

        It goes on until it meets a face, and then along that face. It ends flush with the sides of
        boxes, and slightly before slanted faces, so that no rounding lets it in.
        """
        face = cython.declare(cython.double[6])
        skin = 2.0 * clearance(far_of(box))
        last_x = 0.0
        last_y = 0.0
        stops[0] = stops[1] = 0
        if not self.leave(box, dx, dy, skin):
            return False
        for _ in range(TURNS):
            if dx == 0.0 and dy == 0.0:
                break
            time = self.first_face(box, dx, dy, skin, face)
            shift(box, dx * min(time, 1.0), dy * min(time, 1.0))
            if time > 1.0:
                break
            put_before(box, face)
            axis: cython.int = 0 if abs(face[NX]) > abs(face[NY]) else 1
            stops[axis] = -1 if face[axis] > 0.0 else 1
            into = face[NX] * dx + face[NY] * dy
            dx = (1.0 - time) * (dx - into * face[NX])
            dy = (1.0 - time) * (dy - into * face[NY])
            if last_x * dx + last_y * dy < 0.0:  # into the wall that it came along
                break
            if face[NX] != 0.0 and face[NY] != 0.0:  # it leads aside, perhaps to other walls
                self.gather_on_way(box, dx, dy)
            last_x = face[NX]
            last_y = face[NY]
        return True

    def first_face(
        self,
        box: cython.p_double,
        dx: cython.double,
        dy: cython.double,
        skin: cython.double,
        face: cython.p_double,
    ) -> NoGil[cython.double]:
        """Return when a box meets one of the solids, and write the face."""
        wall = cython.declare(cython.double[4])
        faces = cython.declare(cython.double[FACES_ROOM])
        met = cython.declare(cython.int[1])
        x = box[0] + (box[2] - box[0]) / 2.0
        y = box[1] + (box[3] - box[1]) / 2.0
        first = INF
        for i in range(self.count):
            if (
                self.walls[i, 0] > box[2] + max(dx, 0.0) + skin
                or self.walls[i, 1] > box[3] + max(dy, 0.0) + skin
                or self.walls[i, 2] < box[0] + min(dx, 0.0) - skin
                or self.walls[i, 3] < box[1] + min(dy, 0.0) - skin
            ):
                continue
            k = self.solids.write_faces(self.found.values[i], wall, faces)
            time = meet_time(
                faces, k, x, y, dx, dy, (box[2] - box[0]) / 2.0, (box[3] - box[1]) / 2.0, skin, met
            )
            if time < first and met[0] >= 0:
                first = time
                for k in range(FACE):
                    face[k] = faces[FACE * met[0] + k]
        return first

    def leave(
        self,
        box: cython.p_double,
        dx: cython.double,
        dy: cython.double,
        skin: cython.double,
    ) -> RaisesNoGil[cython.bint]:
        """Push a box out of the solids that it begins in; return whether that was possible.

        The walls found are then those on its way from there.
        """
        wall = cython.declare(cython.double[4])
        faces = cython.declare(cython.double[FACES_ROOM])
        out = cython.declare(cython.double[6])
        w = (box[2] - box[0]) / 2.0
        h = (box[3] - box[1]) / 2.0
        for _ in range(TURNS):
            deepest = 0.0
            x = box[0] + w
            y = box[1] + h
            for i in range(self.count):
                if (
                    (
                        self.walls[i, 0] >= box[2]
                        or self.walls[i, 1] >= box[3]
                        or self.walls[i, 2] <= box[0]
                        or self.walls[i, 3] <= box[1]
                    )
                    and self.walls[i, 0] < self.walls[i, 2]
                    and self.walls[i, 1] < self.walls[i, 3]
                ):
                    continue
                count = self.solids.write_faces(self.found.values[i], wall, faces)
                if gap_to(faces, count, x, y, w, h) >= -skin:
                    continue
                count = self.solids.way_out_of(faces, count, x, y, w, h)
                if count < 0:
                    return False
                if -gap_of(faces, count, x, y, w, h) > deepest:
                    deepest = -gap_of(faces, count, x, y, w, h)
                    for k in range(FACE):
                        out[k] = faces[FACE * count + k]
            if deepest == 0.0:
                return True
            shift(box, deepest * out[NX], deepest * out[NY])
            put_before(box, out)
            self.gather_on_way(box, dx, dy)
        return False

    # -- motions toward higher x and y, of a box that overlaps no wall ---

    def move(
        self, box: cython.p_double, dx: cython.double, dy: cython.double, stops: cython.p_int
    ) -> NoGil[None]:
        """Move a box, and write whether it is stopped along x and y."""
        start = cython.declare(cython.double[4])
        stop = cython.declare(cython.double[1])
        copy(box, start)
        if dx != 0.0 and dy != 0.0:
            stops[0] = stops[1] = 0
            axis = self.first_hit(box, dx, dy, stop)
            if axis < 0:
                shift(box, dx, dy)
            else:
                stop_at(box, axis, stop[0])
                stops[axis] = 1
                stops[1 - axis] = self.advance(box, 1 - axis, dx if axis == 1 else dy)
            if not self.overlaps(box):
                return
            # Hits too close in time to be told apart: along one axis after the other, then.
            copy(start, box)
        stops[0] = self.advance(box, 0, dx)
        stops[1] = self.advance(box, 1, dy)

    def first_hit(
        self, box: cython.p_double, dx: cython.double, dy: cython.double, stop: cython.p_double
    ) -> NoGil[cython.int]:
        """Return the axis of the first wall on a straight diagonal way, -1 if none; write its edge.

        Of walls hit at the same time, one hit at its corner comes last: usually another wall covers
        that corner. Otherwise the box slides along the axis of its longer motion there.
        """
        i: cython.Py_ssize_t
        first = INF
        first_corner: cython.bint = False
        found: cython.int = -1
        for i in range(self.count):
            enter_x = (self.walls[i, 0] - box[2]) / dx
            enter_y = (self.walls[i, 1] - box[3]) / dy
            leave = min((self.walls[i, 2] - box[0]) / dx, (self.walls[i, 3] - box[1]) / dy)
            enter = max(enter_x, enter_y)
            if not 0.0 <= enter < min(leave, 1.0):
                continue
            corner: cython.bint = enter_x == enter_y
            axis: cython.int = 1 if (dx >= dy if corner else enter_y > enter_x) else 0
            edge = self.walls[i, axis]
            if found >= 0 and (enter > first or (enter == first and corner > first_corner)):
                continue
            if (
                found < 0
                or enter < first
                or corner < first_corner
                or edge < stop[0]
                or (edge == stop[0] and axis < found)
            ):
                first = enter
                first_corner = corner
                stop[0] = edge
                found = axis
        return found

    def advance(
        self, box: cython.p_double, axis: cython.Py_ssize_t, distance: cython.double
    ) -> NoGil[cython.int]:
        """Move a box along one axis, up to the first wall; return 1 if there is one, or 0."""
        other = 1 - axis
        high = box[axis + 2]
        stop = INF
        for i in range(self.count):
            if (
                high <= self.walls[i, axis] < stop
                and self.walls[i, other] < box[other + 2]
                and box[other] < self.walls[i, other + 2]
            ):
                stop = self.walls[i, axis]
        # A push too small to move the box is stopped, too.
        if stop < high + distance or (stop == high and distance != 0.0):
            stop_at(box, axis, stop)
            return 1
        box[axis] += distance
        box[axis + 2] += distance
        return 0


def far_of(box: cython.p_double) -> NoGil[cython.double]:
    """The greatest coordinate of a box."""
    return max(max(abs(box[0]), abs(box[1])), max(abs(box[2]), abs(box[3])))


def shift(box: cython.p_double, dx: cython.double, dy: cython.double) -> NoGil[None]:
    """Move a box."""
    box[0] += dx
    box[1] += dy
    box[2] += dx
    box[3] += dy


def put_before(box: cython.p_double, face: cython.p_double) -> NoGil[None]:
    """Put a box, which is at a face, exactly there if it is upright or level, else before it."""
    w = (box[2] - box[0]) / 2.0
    h = (box[3] - box[1]) / 2.0
    axis: cython.int = 0 if face[NY] == 0.0 else 1
    if face[NX] != 0.0 and face[NY] != 0.0:
        gap = clearance(far_of(box)) - gap_of(face, 0, box[0] + w, box[1] + h, w, h)
        shift(box, gap * face[NX], gap * face[NY])
    elif face[axis] > 0.0:
        box[axis + 2] += face[X0 + axis] - box[axis]
        box[axis] = face[X0 + axis]
    else:
        stop_at(box, axis, face[X0 + axis])


def stop_at(box: cython.p_double, axis: cython.Py_ssize_t, stop: cython.double) -> NoGil[None]:
    """Put the far side of a box at a wall. Rounding must not move its near side backward."""
    box[axis] = max(box[axis], stop - (box[axis + 2] - box[axis]))
    box[axis + 2] = stop


def mirror(box: cython.p_double, flip_x: cython.bint, flip_y: cython.bint) -> NoGil[None]:
    """Mirror a box."""
    if flip_x:
        low = box[0]
        box[0] = -box[2]
        box[2] = -low
    if flip_y:
        low = box[1]
        box[1] = -box[3]
        box[3] = -low


def copy(box: cython.p_double, to: cython.p_double) -> NoGil[None]:
    """Copy a box."""
    for k in range(4):
        to[k] = box[k]


def are_equal(box: cython.p_double, other: cython.p_double) -> NoGil[cython.bint]:
    """Whether two boxes are the same."""
    return box[0] == other[0] and box[1] == other[1] and box[2] == other[2] and box[3] == other[3]


def are_same(
    end: cython.p_double, stops: cython.p_int, freed: cython.p_double, freed_stops: cython.p_int
) -> NoGil[cython.bint]:
    """Whether a box and the eased box slide the same way, apart from the easing itself."""
    apart: cython.double = 0.0
    most: cython.double = 0.0
    if stops[0] != freed_stops[0] or stops[1] != freed_stops[1]:
        return False
    for k in range(4):
        apart = max(apart, abs(end[k] - freed[k]))
        most = max(most, abs(end[k]))
    return apart <= 4.0 * ROUNDING * most  # the easing plus the rounding of sums

"""Which walls footprints stand in or touch, and how to part them.

A disc touches a wall where the wall is nearest to its center, and nearer than all of the wall
around that place: so on a floor of many boxes it has one contact, below its center. A disc whose
center is in a wall leaves the shortest way along an axis.

A box leaves each wall by a side that no other wall covers. It is cut, from its shallowest overlap
on, until what is left of it is in no wall: so a corner that two flush walls share adds nothing.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.army.slides import Slider, shift
from tilequad._core.army.solids import Solids
from tilequad._core.buffers import IntBuffer
from tilequad._core.layout import ENTRY, INF, RECORD, begin_question, end_question
from tilequad._core.tree.units import UnitStore
from tilequad._core.ways.convex import distance, gap_of, gap_to, leave_distance, nearest_point
from tilequad._core.ways.layout import FACE, FACES_ROOM, NX, NY

SAME: cython.double = 1.0 - 1e-12  # the cosine of the angle between two normals that are one

# The ways out, in the order in which equally short ones are preferred.
RIGHT: cython.int = 0
ABOVE: cython.int = 1
LEFT: cython.int = 2
BELOW: cython.int = 3


@cython.final
@cython.cclass
class WallContacts:
    """Finds the contacts of footprints with walls."""

    __slots__ = {
        "near": "Slider",  # gathers the walls around a footprint
        "beside": "Slider",  # gathers the walls at a point of one of them
        "slots": "IntBuffer",
        "rows": "double[:, ::1]",  # by contact: the normal, and the depth
    }

    def __init__(self, solids: Solids) -> None:
        self.near = Slider(solids)
        self.beside = Slider(solids)
        self.slots = IntBuffer()
        self.rows = np.empty((256, 3))

    def find(
        self, units: UnitStore, asking: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the contacts of some units, all if None: their slots, normals and depths."""
        if asking is None:
            asking = np.arange(units.slots_in_use(), dtype=np.int32)
        asks: cython.int[::1] = asking.data
        begin_question(cython.address(units.busy))
        try:
            with cython.nogil:
                for k in range(len(asks)):
                    if units.record[RECORD * asks[k] + ENTRY] >= 0:
                        self.find_of(units, asks[k])
        finally:
            end_question(cython.address(units.busy))
        rows = np.array(self.rows[: self.slots.used])
        return np.array(self.slots.taken(), np.int32), rows[:, :2].copy(), rows[:, 2].copy()

    def find_of(self, units: UnitStore, slot: cython.int) -> RaisesNoGil[cython.int]:
        """Find the contacts of a unit."""
        entry: cython.Py_ssize_t = units.record[RECORD * slot + ENTRY]
        x = units.xs[entry]
        y = units.ys[entry]
        w = units.half_w[slot]
        h = units.half_h[slot]
        reach = w if h < 0.0 else h
        self.near.gather(x - w, y - reach, x + w, y + reach)
        if self.near.count == 0:
            return 0
        if self.near.slanted:
            if h < 0.0:
                self.touch_shapes(slot, x, y, w)
            else:
                self.leave_shapes(slot, x, y, w, h)
            return 0
        if h < 0.0:
            self.find_of_disc(slot, x, y, w)
        else:
            self.find_of_box(slot, x, y, w, h)
        return 0

    def add(
        self, slot: cython.int, nx: cython.double, ny: cython.double, depth: cython.double
    ) -> RaisesNoGil[cython.int]:
        """Add a contact."""
        n = self.slots.used
        if n == len(self.rows):
            with cython.gil:
                self.rows = np.resize(self.rows, (2 * n, 3))  # the new rows are not read
        self.slots.append(slot)
        self.rows[n, 0] = nx
        self.rows[n, 1] = ny
        self.rows[n, 2] = depth
        return 0

    def add_way(
        self, slot: cython.int, way: cython.int, depth: cython.double
    ) -> RaisesNoGil[cython.int]:
        """Add a contact that is left along an axis."""
        return self.add(slot, way_x(way), way_y(way), depth)

    # -- discs -------------------------------------------------------------------------------------

    def find_of_disc(
        self, slot: cython.int, x: cython.double, y: cython.double, radius: cython.double
    ) -> RaisesNoGil[cython.int]:
        """Find the contacts of a disc among the walls around it."""
        for i in range(self.near.count):
            if self.near.gap(i, 0, x) == 0.0 and self.near.gap(i, 1, y) == 0.0:
                return self.leave_from(slot, x, y, 0.0, 0.0, radius)
        for i in range(self.near.count):
            dx: cython.double = self.near.gap(i, 0, x)
            dy: cython.double = self.near.gap(i, 1, y)
            # Both are divided by the larger, so that no square underflows.
            unit: cython.double = max(abs(dx), abs(dy))
            dx /= unit
            dy /= unit
            away: cython.double = sqrt(dx * dx + dy * dy)
            if away * unit <= radius and self.is_nearest(i, x, y, unit):
                self.add(slot, dx / away, dy / away, radius - away * unit)
        return 0

    def is_nearest(
        self, i: cython.Py_ssize_t, x: cython.double, y: cython.double, unit: cython.double
    ) -> RaisesNoGil[cython.bint]:
        """Whether no other wall goes on nearer to a point from where this one is nearest.

        Of walls that are nearest at the same place, the first counts.
        """
        dx: cython.double = self.near.gap(i, 0, x) / unit
        dy: cython.double = self.near.gap(i, 1, y) / unit
        own: cython.double = dx * dx + dy * dy
        to_x: cython.double = min(max(x, self.near.walls[i, 0]), self.near.walls[i, 2])
        to_y: cython.double = min(max(y, self.near.walls[i, 1]), self.near.walls[i, 3])
        self.beside.gather(to_x, to_y, to_x, to_y)
        for j in range(self.beside.count):
            dx = self.beside.gap(j, 0, x) / unit
            dy = self.beside.gap(j, 1, y) / unit
            other = dx * dx + dy * dy
            if other < own or (
                other == own and self.beside.found.values[j] < self.near.found.values[i]
            ):
                return False
        return True

    # -- boxes -------------------------------------------------------------------------------------

    def find_of_box(
        self,
        slot: cython.int,
        x: cython.double,
        y: cython.double,
        w: cython.double,
        h: cython.double,
    ) -> RaisesNoGil[cython.int]:
        """Find the contacts of a box among the walls around it, one for each way at most."""
        box = cython.declare(cython.double[4])
        left = cython.declare(cython.double[4])  # what is left of it
        depths = cython.declare(cython.double[4])
        overlaps = True
        best = 0.0
        edge = 0.0
        box[0], box[1], box[2], box[3] = x - w, y - h, x + w, y + h
        for k in range(4):
            left[k] = box[k]
            depths[k] = -1.0
        while overlaps and best < INF:
            overlaps = False
            best = INF
            way: cython.int = 0
            for i in range(self.near.count):
                if not self.is_in(i, left):
                    continue
                overlaps = True
                for k in range(4):
                    if self.depth_of(i, k, box) < best and not self.is_shut(i, k, left):
                        best = self.depth_of(i, k, box)
                        edge = self.edge_of(i, k)
                        way = k
            if best < INF:
                depths[way] = max(depths[way], best)
                left[way] = edge  # the side that it has to draw in
        if overlaps and max(max(depths[0], depths[1]), max(depths[2], depths[3])) < 0.0:
            return self.leave_from(slot, x, y, w, h, 0.0)
        for i in range(self.near.count):
            self.touch(i, box, depths)
        if max(max(depths[0], depths[1]), max(depths[2], depths[3])) < 0.0:  # flat, along a seam
            return self.leave_from(slot, x, y, w, h, 0.0)
        for k in range(4):
            if depths[k] >= 0.0:
                self.add_way(slot, k, depths[k])
        return 0

    def is_in(self, i: cython.Py_ssize_t, box: cython.p_double) -> NoGil[cython.bint]:
        """Whether a box overlaps a wall in more than edges; a box without size, if it is inside."""
        return (
            self.near.walls[i, 0] < box[2]
            and box[0] < self.near.walls[i, 2]
            and self.near.walls[i, 1] < box[3]
            and box[1] < self.near.walls[i, 3]
        )

    def edge_of(self, i: cython.Py_ssize_t, way: cython.int) -> NoGil[cython.double]:
        """Where a wall ends in the direction of a way."""
        return self.near.walls[i, (way & 1) + (2 if way < LEFT else 0)]

    def depth_of(
        self, i: cython.Py_ssize_t, way: cython.int, box: cython.p_double
    ) -> NoGil[cython.double]:
        """How far a box must go along a way until it only touches a wall."""
        if way < LEFT:
            return self.edge_of(i, way) - box[way & 1]
        return box[(way & 1) + 2] - self.edge_of(i, way)

    def is_shut(
        self, i: cython.Py_ssize_t, way: cython.int, box: cython.p_double
    ) -> RaisesNoGil[cython.bint]:
        """Whether another wall covers the side of a wall that a way leads through, beside a box."""
        along: cython.int = way & 1  # the axis of the way
        across: cython.int = 1 - along
        low = max(box[across], self.near.walls[i, across])
        high = min(box[across + 2], self.near.walls[i, across + 2])
        side = self.edge_of(i, way)
        middle = low + (high - low) / 2.0
        x = side if along == 0 else middle
        y = middle if along == 0 else side
        self.beside.gather(x, y, x, y)
        for j in range(self.beside.count):
            if self.beside.walls[j, across] > low or self.beside.walls[j, across + 2] < high:
                continue
            if (
                side < self.beside.walls[j, along + 2]
                if way < LEFT
                else (self.beside.walls[j, along] < side)
            ):
                return True
        return False

    def touch(
        self, i: cython.Py_ssize_t, box: cython.p_double, depths: cython.p_double
    ) -> RaisesNoGil[cython.int]:
        """Note by which way a box is beside a wall that it only touches, unless that is known."""
        for k in range(4):
            if self.depth_of(i, k, box) < 0.0:  # apart
                return 0
        for k in range(4):
            if self.depth_of(i, k, box) == 0.0 and not self.is_shut(i, k, box):
                depths[k] = max(depths[k], 0.0)
                return 0
        return 0

    # -- among shapes ------------------------------------------------------------------------------

    def touch_shapes(
        self, slot: cython.int, x: cython.double, y: cython.double, radius: cython.double
    ) -> RaisesNoGil[cython.int]:
        """Find the contacts of a disc among solids that are not all boxes."""
        box = cython.declare(cython.double[4])
        faces = cython.declare(cython.double[FACES_ROOM])
        point = cython.declare(cython.double[2])
        start = self.slots.used
        for i in range(self.near.count):
            count = self.near.solids.write_faces(self.near.found.values[i], box, faces)
            if nearest_point(faces, count, x, y, point) < 0:
                self.slots.used = start  # the way out of all takes the place of the others
                return self.leave_from(slot, x, y, 0.0, 0.0, radius)
            away = distance(x - point[0], y - point[1])
            if 0.0 < away <= radius and self.is_nearest_shape(
                self.near.found.values[i], x, y, point[0], point[1], away
            ):
                self.add(slot, (x - point[0]) / away, (y - point[1]) / away, radius - away)
        return 0

    def is_nearest_shape(
        self,
        number: cython.int,
        x: cython.double,
        y: cython.double,
        to_x: cython.double,
        to_y: cython.double,
        away: cython.double,
    ) -> RaisesNoGil[cython.bint]:
        """As `is_nearest`, for a solid whose nearest point is given."""
        box = cython.declare(cython.double[4])
        faces = cython.declare(cython.double[FACES_ROOM])
        point = cython.declare(cython.double[2])
        tiny = self.beside.solids.cells.tiny_at(to_x, to_y)
        self.beside.gather(to_x - tiny, to_y - tiny, to_x + tiny, to_y + tiny)
        for j in range(self.beside.count):
            if self.beside.found.values[j] == number:
                continue
            count = self.beside.solids.write_faces(self.beside.found.values[j], box, faces)
            nearest_point(faces, count, to_x, to_y, point)
            if distance(to_x - point[0], to_y - point[1]) > tiny:
                continue
            nearest_point(faces, count, x, y, point)
            other = distance(x - point[0], y - point[1])
            if other < away - tiny or (
                other <= away + tiny
                and distance(to_x - point[0], to_y - point[1]) <= tiny
                and self.beside.found.values[j] < number
            ):
                return False
        return True

    def leave_shapes(
        self,
        slot: cython.int,
        x: cython.double,
        y: cython.double,
        w: cython.double,
        h: cython.double,
    ) -> RaisesNoGil[cython.int]:
        """Find the contacts of a box among solids that are not all boxes: one for each normal."""
        box = cython.declare(cython.double[4])
        faces = cython.declare(cython.double[FACES_ROOM])
        start = self.slots.used
        inside = False
        for i in range(self.near.count):
            count = self.near.solids.write_faces(self.near.found.values[i], box, faces)
            if gap_to(faces, count, x, y, w, h) > 0.0:
                continue
            inside = True
            k = self.near.solids.way_out_of(faces, count, x, y, w, h)
            if k >= 0:
                self.add_deepest(
                    slot,
                    start,
                    faces[FACE * k + NX],
                    faces[FACE * k + NY],
                    -gap_of(faces, k, x, y, w, h),
                )
        if inside and self.slots.used == start:
            return self.leave_from(slot, x, y, w, h, 0.0)
        return 0

    def add_deepest(
        self,
        slot: cython.int,
        start: cython.Py_ssize_t,
        nx: cython.double,
        ny: cython.double,
        depth: cython.double,
    ) -> RaisesNoGil[cython.int]:
        """Add a contact; of those from a row on with the same normal, only the deepest."""
        for i in range(start, self.slots.used):
            if nx * self.rows[i, 0] + ny * self.rows[i, 1] > SAME:
                self.rows[i, 2] = max(self.rows[i, 2], depth)
                return 0
        return self.add(slot, nx, ny, max(depth, 0.0))

    # -- out of walls without a side ---------------------------------------------------------------

    def leave_from(
        self,
        slot: cython.int,
        x: cython.double,
        y: cython.double,
        w: cython.double,
        h: cython.double,
        radius: cython.double,
    ) -> RaisesNoGil[cython.int]:
        """Add the shortest way along an axis on which a box leaves all walls around it.

        A flat box leaves a wall when it is on its edge, which it may begin on.
        """
        box = cython.declare(cython.double[4])
        way: cython.int = 0
        best = INF
        slanted = self.near.slanted
        for k in range(4):
            away = 0.0
            further = 1.0
            while further > 0.0 and away < best:
                box[0], box[1], box[2], box[3] = x - w, y - h, x + w, y + h
                shift(box, away * way_x(k), away * way_y(k))
                self.near.gather(box[0], box[1], box[2], box[3])
                further = 0.0
                for i in range(self.near.count):
                    if slanted:
                        further = max(further, self.depth_in_shape(i, k, x, y, w, h, away))
                    elif w == 0.0 or h == 0.0 or self.is_in(i, box):
                        further = max(further, self.depth_of(i, k, box))
                if away + further == away:  # too little to tell
                    further = 0.0
                away += further
            if away < best:
                best = away
                way = k
        return self.add_way(slot, way, best + radius)

    def depth_in_shape(
        self,
        i: cython.Py_ssize_t,
        way: cython.int,
        x: cython.double,
        y: cython.double,
        w: cython.double,
        h: cython.double,
        away: cython.double,
    ) -> NoGil[cython.double]:
        """How far a box that has gone along a way must go on to leave a solid; 0 outside of it."""
        box = cython.declare(cython.double[4])
        faces = cython.declare(cython.double[FACES_ROOM])
        count = self.near.solids.write_faces(self.near.found.values[i], box, faces)
        x += away * way_x(way)
        y += away * way_y(way)
        if gap_to(faces, count, x, y, w, h) > 0.0:
            return 0.0
        return leave_distance(faces, count, x, y, w, h, way_x(way), way_y(way))


def way_x(way: cython.int) -> NoGil[cython.double]:
    """The x of a way, a unit vector."""
    return 1.0 if way == RIGHT else -1.0 if way == LEFT else 0.0


def way_y(way: cython.int) -> NoGil[cython.double]:
    """The y of a way."""
    return 1.0 if way == ABOVE else -1.0 if way == BELOW else 0.0

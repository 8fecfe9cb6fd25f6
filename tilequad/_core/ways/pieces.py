"""The parts of shapes that cells hold: convex polygons, by kind, as their cells see them.

A kind is what one cell holds. Kind 0 is a cell that is solid as a whole, or not at all: its part is
the outline of a cell, or none if that is a box. The places of corners are relative to the center of
the cell.

Walkers find their way through an open cell of a kind on a raster of 8 x 8 spots. The room of a kind
has a bit for each spot that no shape is near, as far as these are connected.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object
from tilequad._core.layout import INF
from tilequad._core.ways.convex import box_faces
from tilequad._core.ways.layout import FACE, NX, NY, X0, X1, Y0, Y1

MANY: cython.int = 8  # faces: so many are looked at in two steps
LOSS: cython.double = 1e-12  # relative: more than the rounding error of a line
SPOTS: cython.int = 64  # on the raster of a cell
AROUND: cython.double = 0.75  # in spots: how far from a shape the middle of a spot has room


@cython.final
@cython.cclass
class Pieces:
    """The parts of all kinds.

    A number may be given to another kind later. What its old one had is left in the arrays until
    they are full; then all kinds are written anew, into arrays twice as long as they need.

    Args:
        kinds: The parts of each kind but the first: arrays of rows of corners, counterclockwise,
            (n, 2), with the number of the shape, within the kind, that each is a part of. The first
            is kind 0.
        outline: The corners of a cell, or none if it is a box.
        raster: The least corner of the raster, from the center of the cell, and the size of a spot.
        inside: The spots that lie in the cell, as bits.
        partners: For even and for shifted lines, for each direction, for each spot: the spot beside
            it in the neighbor there; -1 for none. (1024,) int8.
    """

    __slots__ = {
        "kinds": "readonly list",
        "outline": "object",
        "raster": "double[::1]",
        "inside": "unsigned long long",
        "partners": "signed char[::1]",
        "rooms": "unsigned long long[::1]",  # by kind
        "starts": "int[::1]",  # by kind: its first part,
        "ends": "int[::1]",  # and one past its last
        "used": "int",  # how many parts are written
        "firsts": "int[::1]",  # by part: its first face; and one past the last
        "owners": "int[::1]",  # by part: the number of its shape
        "boxes": "double[:, ::1]",  # by part
        "faces": "double[:, ::1]",
    }

    def __init__(
        self,
        kinds: list[Any],
        outline: np.ndarray,
        raster: np.ndarray,
        inside: int,
        partners: np.ndarray,
    ) -> None:
        self.kinds: list[Any] = kinds
        self.outline: Any = outline
        self.raster, self.inside, self.partners = raster.data, inside, partners.data
        self.write_all()

    def __reduce__(self) -> tuple[Any, ...]:
        raster, partners = np.array(self.raster), np.array(self.partners)
        return Pieces, (self.kinds, self.outline, raster, self.inside, partners)

    # -- writing -----------------------------------------------------------------------------------

    def set(self, numbers: list[int], kinds: list[Any]) -> None:
        """Give numbers to kinds, in place of those that had them."""
        for number, kind in zip(numbers, kinds, strict=True):
            while number >= len(self.kinds):
                self.kinds.append([])
            self.kinds[number] = kind
        parts, faces = size_of(kinds)
        if (
            len(self.kinds) > len(self.rooms)
            or self.used + parts >= len(self.firsts)
            or self.firsts[self.used] + faces > len(self.faces)
        ):
            self.write_all()
            return
        for number in numbers:
            self.write(number)

    def write_all(self) -> Object[None]:
        """Write all kinds into new arrays."""
        parts, faces = size_of([*self.kinds, [(0, self.outline)]])
        kinds, parts, faces = 2 * len(self.kinds), 2 * parts + 1, 2 * faces
        rooms = np.zeros(kinds, np.uint64)
        starts, ends = np.zeros(kinds, np.int32), np.zeros(kinds, np.int32)
        firsts, owners = np.zeros(parts, np.int32), np.zeros(parts, np.int32)
        boxes: Any = np.empty((parts, 4)).data
        rows: Any = np.empty((faces, FACE)).data
        self.used = 0
        self.rooms, self.starts, self.ends = rooms.data, starts.data, ends.data
        self.firsts, self.owners = firsts.data, owners.data
        self.boxes, self.faces = boxes, rows
        for number in range(len(self.kinds)):
            self.write(number)
            if number == 0 and len(self.outline) > 0:  # its room is that of an open cell
                self.write_polygon(self.outline)
                self.used = self.ends[0] = 1

    def write(self, number: cython.Py_ssize_t) -> Object[None]:
        """Write a kind behind all others."""
        self.starts[number] = self.used
        for owner, corners in self.kinds[number]:
            self.owners[self.used] = owner
            if len(corners) == 2:
                self.write_segment(corners)
            else:
                self.write_polygon(corners)
            self.used += 1
        self.ends[number] = self.used
        self.rooms[number] = self.room_of(number)

    def write_polygon(self, corners: cython.const_double[:, :]) -> NoGil[None]:
        """Write a part, with a face for each of its sides."""
        first: cython.Py_ssize_t = self.firsts[self.used]
        n: cython.Py_ssize_t = len(corners)
        self.firsts[self.used + 1] = cython.cast(cython.int, first + n)
        for side in range(2):
            self.boxes[self.used, side] = INF
            self.boxes[self.used, side + 2] = -INF
        for k in range(n):
            after: cython.Py_ssize_t = k + 1 if k + 1 < n else 0
            dx = corners[after, 0] - corners[k, 0]
            dy = corners[after, 1] - corners[k, 1]
            length = sqrt(dx * dx + dy * dy)
            self.write_face(first + k, dy / length, -dx / length, corners, k, after)
            for side in range(2):
                box = self.boxes[self.used, side]
                self.boxes[self.used, side] = min(box, corners[k, side])
                box = self.boxes[self.used, side + 2]
                self.boxes[self.used, side + 2] = max(box, corners[k, side])

    def write_segment(self, corners: cython.const_double[:, :]) -> NoGil[None]:
        """Write a part without area: its two sides are one line exactly, so none slips through."""
        first: cython.Py_ssize_t = self.firsts[self.used]
        self.firsts[self.used + 1] = cython.cast(cython.int, first + 4)
        dx = corners[1, 0] - corners[0, 0]
        dy = corners[1, 1] - corners[0, 1]
        length = sqrt(dx * dx + dy * dy)
        dx /= length
        dy /= length
        self.write_face(first, dy, -dx, corners, 0, 1)
        self.write_face(first + 1, dx, dy, corners, 1, 1)
        self.write_face(first + 2, -dy, dx, corners, 0, 1)
        self.write_face(first + 3, -dx, -dy, corners, 0, 0)
        for side in range(2):
            self.boxes[self.used, side] = min(corners[0, side], corners[1, side])
            self.boxes[self.used, side + 2] = max(corners[0, side], corners[1, side])

    def write_face(
        self,
        face: cython.Py_ssize_t,
        nx: cython.double,
        ny: cython.double,
        corners: cython.const_double[:, :],
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Write a face from a corner to another."""
        self.faces[face, NX] = nx
        self.faces[face, NY] = ny
        self.faces[face, X0] = corners[start, 0]
        self.faces[face, Y0] = corners[start, 1]
        self.faces[face, X1] = corners[end, 0]
        self.faces[face, Y1] = corners[end, 1]

    def room_of(self, kind: cython.Py_ssize_t) -> NoGil[cython.ulonglong]:
        """The spots away from all parts of a kind, as far as they are connected."""
        one: cython.ulonglong = 1
        best: cython.ulonglong = 0
        left: cython.ulonglong = self.inside
        most: cython.int = 0
        for spot in range(SPOTS):
            if left >> spot & 1 and not self.is_free(kind, spot):
                left &= ~(one << spot)
        while left != 0:
            room: cython.ulonglong = left & ~(left - 1)
            grown: cython.ulonglong = grow(room) & left
            while grown != room:
                room = grown
                grown = grow(room) & left
            left &= ~room
            size: cython.int = 0
            for spot in range(SPOTS):
                size += cython.cast(cython.int, room >> spot & 1)
            if size > most:
                most = size
                best = room
        return best

    def is_free(self, kind: cython.Py_ssize_t, spot: cython.int) -> NoGil[cython.bint]:
        """Whether no part of a kind is near a spot."""
        x = self.spot_x(spot)
        y = self.spot_y(spot)
        half_x = AROUND * self.raster[2]
        half_y = AROUND * self.raster[3]
        for part in range(self.starts[kind], self.ends[kind]):
            apart: cython.bint = (
                x <= self.boxes[part, 0] - half_x
                or y <= self.boxes[part, 1] - half_y
                or x >= self.boxes[part, 2] + half_x
                or y >= self.boxes[part, 3] + half_y
            )
            for k in range(self.firsts[part], self.firsts[part + 1]):
                reach = abs(self.faces[k, NX]) * half_x + abs(self.faces[k, NY]) * half_y
                apart = apart or self.gap_to(k, x, y) >= reach
            if not apart:
                return False
        return True

    # -- the way through a cell --------------------------------------------------------------------

    def spot_at(self, x: cython.double, y: cython.double) -> NoGil[cython.int]:
        """The spot at a point, relative to the center of the cell; the nearest if it is outside."""
        u = (x - self.raster[0]) / self.raster[2]
        v = (y - self.raster[1]) / self.raster[3]
        column = cython.cast(cython.int, min(max(u, 0.0), 7.0))
        row = cython.cast(cython.int, min(max(v, 0.0), 7.0))
        return 8 * row + column

    def spot_x(self, spot: cython.int) -> NoGil[cython.double]:
        """The x of the middle of a spot, relative to the center of the cell."""
        return self.raster[0] + (spot % 8 + 0.5) * self.raster[2]

    def spot_y(self, spot: cython.int) -> NoGil[cython.double]:
        """The y of the middle of a spot."""
        return self.raster[1] + (spot // 8 + 0.5) * self.raster[3]

    def find_exits(
        self, kind: cython.int, other: cython.int, way: cython.Py_ssize_t
    ) -> NoGil[cython.ulonglong]:
        """The spots, as bits, from which walkers leave a cell of a kind for one of another kind.

        Args:
            kind: The kind.
            other: That of the neighbor.
            way: The direction, and 8 more in shifted lines.
        """
        one: cython.ulonglong = 1
        found: cython.ulonglong = 0
        for i in range(64):
            there: cython.int = self.partners[64 * way + i]
            if there >= 0 and self.rooms[kind] >> i & 1 and self.rooms[other] >> there & 1:
                found |= one << i
        return found

    def next_spot(
        self, kind: cython.int, exits: cython.ulonglong, spot: cython.int
    ) -> NoGil[cython.int]:
        """The next spot on the shortest way to one of some exits, -1 if there is no way."""
        one: cython.ulonglong = 1
        here: cython.ulonglong = one << spot
        room: cython.ulonglong = self.rooms[kind] | here
        reached: cython.ulonglong = exits
        grown: cython.ulonglong = grow(reached) & room
        found: cython.int = 0
        while not grown & here:
            if grown == reached:
                return -1
            reached = grown
            grown = grow(reached) & room
        reached &= grow(here)
        while not reached >> found & 1:
            found += 1
        return found

    def beside(self, exits: cython.ulonglong, spot: cython.int) -> NoGil[cython.int]:
        """One of some exits that is beside a spot; the spot itself if there is none."""
        one: cython.ulonglong = 1
        near: cython.ulonglong = exits & grow(one << spot)
        found: cython.int = 0
        if near == 0:
            return spot
        while not near >> found & 1:
            found += 1
        return found

    def can_pass(self, kind: int, ways: list[tuple[int, int]]) -> bool:
        """Whether a cell of a kind has an exit for each of some ways.

        Args:
            kind: The kind.
            ways: Directions, and 8 more in shifted lines; and the kinds of the neighbors there.
        """
        for way, other in ways:
            if self.find_exits(kind, other, way) == 0:
                return False
        return self.rooms[kind] != 0

    # -- parts -------------------------------------------------------------------------------------

    def write_box(
        self,
        part: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        box: cython.p_double,
    ) -> NoGil[None]:
        """Write the box around a part of a cell with its center at a place."""
        box[0] = x + self.boxes[part, 0]
        box[1] = y + self.boxes[part, 1]
        box[2] = x + self.boxes[part, 2]
        box[3] = y + self.boxes[part, 3]

    def line_time(
        self,
        part: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        dx: cython.double,
        dy: cython.double,
        face: cython.p_int,
    ) -> NoGil[cython.double]:
        """Return when a point, relative to the center of the cell, meets a part; inf if never.

        Writes through which of its faces it enters, -1 if it begins inside. Times are fractions,
        and only the first one is divided.
        """
        two = cython.declare(cython.int[2])
        first = self.firsts[part]
        i: cython.int
        met: cython.int = -1
        enter = 0.0
        enter_speed = 1.0
        leave = 1.0
        leave_speed = 1.0
        if self.is_beside(part, x, y, dx, dy):
            return INF
        few = self.find_crossed(part, x, y, dx, dy, two)
        for i in range(2 if few else self.firsts[part + 1] - first):
            k = two[i] if few else first + i
            gap = self.gap_to(k, x, y)
            speed = self.speed_to(k, dx, dy)
            if speed < 0.0:
                if gap * enter_speed > -speed * enter:
                    enter = gap
                    enter_speed = -speed
                    met = k
            elif gap > 0.0:
                return INF
            elif -gap * leave_speed < speed * leave:
                leave = -gap
                leave_speed = speed
        if enter * leave_speed > leave * enter_speed:
            return INF
        face[0] = met
        return enter / enter_speed

    def find_crossed(
        self,
        part: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        dx: cython.double,
        dy: cython.double,
        two: cython.p_int,
    ) -> NoGil[cython.bint]:
        """Write the two faces of a part with many that a line crosses; False if that is not sure.

        Around the part, its corners change from one side of the line to the other, and back.
        """
        first = self.firsts[part]
        past = self.firsts[part + 1]
        if past - first < MANY:
            return False
        two[0] = two[1] = -1
        before = dx * (self.faces[first, Y0] - y) - dy * (self.faces[first, X0] - x)
        for k in range(first, past):
            side = dx * (self.faces[k, Y1] - y) - dy * (self.faces[k, X1] - x)
            if (side >= 0.0) != (before >= 0.0):
                two[side >= 0.0] = k
            before = side
        return (
            two[0] >= 0
            and two[1] >= 0
            and self.speed_to(two[0], dx, dy) < 0.0
            and self.speed_to(two[1], dx, dy) > 0.0
        )

    def holds(
        self,
        part: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        loss: cython.double,
    ) -> NoGil[cython.bint]:
        """Whether a part holds a point, relative to the center of the cell, but for some loss."""
        k: cython.Py_ssize_t
        if not (
            self.boxes[part, 0] - loss <= x <= self.boxes[part, 2] + loss
            and self.boxes[part, 1] - loss <= y <= self.boxes[part, 3] + loss
        ):
            return False
        for k in range(self.firsts[part], self.firsts[part + 1]):
            if self.gap_to(k, x, y) > loss:
                return False
        return True

    def gap_to(
        self, face: cython.Py_ssize_t, x: cython.double, y: cython.double
    ) -> NoGil[cython.double]:
        """How far a point is beyond a face; below 0 behind it."""
        away = self.faces[face, NX] * (x - self.faces[face, X0])
        return away + self.faces[face, NY] * (y - self.faces[face, Y0])

    def speed_to(
        self, face: cython.Py_ssize_t, dx: cython.double, dy: cython.double
    ) -> NoGil[cython.double]:
        """How fast a point that moves by (dx, dy) leaves a face."""
        return self.faces[face, NX] * dx + self.faces[face, NY] * dy

    def is_beside(
        self,
        part: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        dx: cython.double,
        dy: cython.double,
    ) -> NoGil[cython.bint]:
        """Whether a line surely misses the box around a part."""
        low_x = self.boxes[part, 0] - x
        low_y = self.boxes[part, 1] - y
        high_x = self.boxes[part, 2] - x
        high_y = self.boxes[part, 3] - y
        if (
            max(0.0, dx) < low_x
            or max(0.0, dy) < low_y
            or min(0.0, dx) > high_x
            or min(0.0, dy) > high_y
        ):
            return True
        away = abs((low_x + high_x) * dy - (low_y + high_y) * dx)
        return away * (1.0 - LOSS) > (high_x - low_x) * abs(dy) + (high_y - low_y) * abs(dx)

    def write_faces(
        self,
        part: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        box: cython.p_double,
        faces: cython.p_double,
    ) -> NoGil[cython.int]:
        """Write the box around a part, its faces and then the sides of the box; return how many."""
        first: cython.Py_ssize_t = self.firsts[part]
        count = cython.cast(cython.int, self.firsts[part + 1] - first)
        self.write_box(part, x, y, box)
        for k in range(count):
            i = FACE * k
            faces[i + NX] = self.faces[first + k, NX]
            faces[i + NY] = self.faces[first + k, NY]
            faces[i + X0] = x + self.faces[first + k, X0]
            faces[i + Y0] = y + self.faces[first + k, Y0]
            faces[i + X1] = x + self.faces[first + k, X1]
            faces[i + Y1] = y + self.faces[first + k, Y1]
        return box_faces(box, faces, count)


def grow(spots: cython.ulonglong) -> NoGil[cython.ulonglong]:
    """Some spots, as bits, and those beside them; in plain Python perhaps more bits."""
    left: cython.ulonglong = 0x0101010101010101
    right: cython.ulonglong = 0x8080808080808080
    return spots | (spots & ~right) << 1 | (spots & ~left) >> 1 | spots << 8 | spots >> 8


def size_of(kinds: list[Any]) -> Object[tuple[int, int]]:
    """How many parts some kinds have, and how many faces these; a segment has four."""
    sizes = [len(corners) for kind in kinds for _, corners in kind]
    return len(sizes), sum(sizes) + 2 * sizes.count(2)

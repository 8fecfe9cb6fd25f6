"""The parts of shapes that cells hold: convex polygons, by kind, as their cells see them.

A kind is what one cell holds. Kind 0 has no parts: such a cell is solid as a whole, or not at all.
The places of corners are relative to the center of the cell.

Walkers find their way through an open cell of a kind on a raster of 8 x 8 spots. The room of a kind
has a bit for each spot that no shape is near, as far as these are connected.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.layout import INF
from tilequad._core.ways.convex import box_faces
from tilequad._core.ways.layout import FACE, NX, NY, X0, X1, Y0, Y1
from tilequad._core.ways.tables import no_kinds, with_kinds

MANY: cython.int = 8  # faces: so many are looked at in two steps
LOSS: cython.double = 1e-12  # relative: more than the rounding error of a line


@cython.final
@cython.cclass
class Pieces:
    """The parts of all kinds, which are added one after the other and stay.

    Args:
        kinds: The parts of each kind: arrays of rows of corners, counterclockwise, (n, 2), with the
            number of the shape that each is a part of.
        rooms: The room of each kind.
        raster: The least corner of the raster, from the center of the cell, and the size of a spot.
        partners: For even and for shifted lines, for each direction, for each spot: the spot beside
            it in the neighbor there; -1 for none. (1024,) int8.
    """

    __slots__ = {
        "kinds": "readonly list",
        "rooms": "unsigned long long[::1]",  # by kind
        "raster": "double[::1]",
        "partners": "signed char[::1]",
        "starts": "int[::1]",  # by kind: its first part; and one past the last
        "firsts": "int[::1]",  # by part: its first face; and one past the last
        "owners": "int[::1]",  # by part: the number of its shape
        "boxes": "double[:, ::1]",  # by part
        "faces": "double[:, ::1]",
    }

    def __init__(
        self, kinds: list[Any], rooms: list[int], raster: np.ndarray, partners: np.ndarray
    ) -> None:
        self.kinds: list[Any] = []
        self.raster, self.partners = raster.data, partners.data
        self.rooms, self.starts, self.firsts, self.owners, self.boxes, self.faces = no_kinds()
        self.add(kinds, rooms)

    def __reduce__(self) -> tuple[Any, ...]:
        rooms, raster = np.asarray(self.rooms).tolist(), np.array(self.raster)
        return Pieces, (self.kinds, rooms, raster, np.array(self.partners))

    def add(self, kinds: list[Any], rooms: list[int]) -> None:
        """Add kinds. The arrays are replaced at the end, and what they held stays the same."""
        held = [self.rooms, self.starts, self.firsts, self.owners, self.boxes, self.faces]
        tables: Any = with_kinds(held, kinds, rooms)
        self.rooms, self.starts, self.firsts, self.owners, self.boxes, self.faces = tables
        self.kinds += kinds

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

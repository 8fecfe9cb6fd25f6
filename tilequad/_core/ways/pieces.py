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
from tilequad._core.tree.layout import INF
from tilequad._core.ways.convex import FACE, NX, NY, X0, X1, Y0, Y1, box_faces


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
        self.rooms = np.zeros(0, np.uint64).data
        self.raster, self.partners = raster.data, partners.data
        self.starts, self.firsts, self.owners = (np.zeros(n, np.int32).data for n in (1, 1, 0))
        self.boxes, self.faces = np.zeros((0, 4)).data, np.zeros((0, 6)).data
        self.add(kinds, rooms)

    def __reduce__(self) -> tuple[Any, ...]:
        rooms, raster = np.asarray(self.rooms).tolist(), np.array(self.raster)
        return Pieces, (self.kinds, rooms, raster, np.array(self.partners))

    def add(self, kinds: list[Any], rooms: list[int]) -> None:
        """Add kinds. The arrays are replaced at the end, and what they held stays the same."""
        starts, firsts = np.asarray(self.starts).tolist(), np.asarray(self.firsts).tolist()
        owners, boxes, faces = [], [np.asarray(self.boxes)], [np.asarray(self.faces)]
        parts, count = len(self.boxes), len(self.faces)
        for kind in kinds:
            for owner, corners in kind:
                rows = faces_of(corners)
                owners.append(owner)
                boxes.append(np.concatenate((corners.min(axis=0), corners.max(axis=0)))[None])
                faces.append(rows)
                count += len(rows)
                firsts.append(count)
            parts += len(kind)
            starts.append(parts)
        all_owners = np.concatenate((np.asarray(self.owners), np.array(owners, np.int32)))
        all_rooms = np.concatenate((np.asarray(self.rooms), np.array(rooms, np.uint64)))
        self.rooms = all_rooms.data
        self.faces, self.boxes = np.concatenate(faces).data, np.concatenate(boxes).data
        self.owners = all_owners.data
        self.firsts, self.starts = np.array(firsts, np.int32).data, np.array(starts, np.int32).data
        self.kinds += kinds

    # -- the way through a cell --------------------------------------------------------------------

    def spot_at(self, x: cython.double, y: cython.double) -> NoGil[cython.int]:
        """The spot at a point, relative to the center of the cell; the nearest if it is outside."""
        u: cython.double = (x - self.raster[0]) / self.raster[2]
        v: cython.double = (y - self.raster[1]) / self.raster[3]
        column: cython.int = cython.cast(cython.int, min(max(u, 0.0), 7.0))
        row: cython.int = cython.cast(cython.int, min(max(v, 0.0), 7.0))
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
        i: cython.int
        there: cython.int
        one: cython.ulonglong = 1
        found: cython.ulonglong = 0
        for i in range(64):
            there = self.partners[64 * way + i]
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
    ) -> NoGil[cython.double]:
        """Return when a point, relative to the center of the cell, meets a part; inf if never."""
        k: cython.Py_ssize_t
        gap: cython.double
        speed: cython.double
        enter: cython.double = 0.0
        leave: cython.double = 1.0
        if (
            max(x, x + dx) < self.boxes[part, 0]
            or max(y, y + dy) < self.boxes[part, 1]
            or min(x, x + dx) > self.boxes[part, 2]
            or min(y, y + dy) > self.boxes[part, 3]
        ):
            return INF
        for k in range(self.firsts[part], self.firsts[part + 1]):
            gap = self.faces[k, NX] * (x - self.faces[k, X0])
            gap += self.faces[k, NY] * (y - self.faces[k, Y0])
            speed = self.faces[k, NX] * dx + self.faces[k, NY] * dy
            if speed < 0.0:
                if gap > -speed * enter:
                    enter = gap / -speed
                    if enter > leave:
                        return INF
            elif gap > 0.0:
                return INF
            elif speed > 0.0:
                leave = min(leave, gap / -speed)
        return enter if enter <= leave else INF

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
        count: cython.int = cython.cast(cython.int, self.firsts[part + 1] - first)
        k: cython.int
        i: cython.int
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


def faces_of(corners: np.ndarray) -> np.ndarray:
    """The faces of a convex polygon with its corners counterclockwise, or of a segment."""
    ends = np.roll(corners, -1, axis=0)
    along = ends - corners
    if len(corners) == 2:  # its two sides are one line exactly, so that none slips through it
        corners, ends = corners[[0, 1, 0, 0]], corners[[1, 1, 1, 0]]
        along = along[[0, 0, 1, 1]]
        along[[1, 3]] = np.stack((-along[[1, 3], 1], along[[1, 3], 0]), axis=-1)
    normals = np.stack((along[:, 1], -along[:, 0]), axis=-1)
    normals /= np.hypot(*normals.T)[:, None]
    return np.hstack((normals, corners, ends))


def grow(spots: cython.ulonglong) -> NoGil[cython.ulonglong]:
    """Some spots, as bits, and those beside them; in plain Python perhaps more bits."""
    left: cython.ulonglong = 0x0101010101010101
    right: cython.ulonglong = 0x8080808080808080
    return spots | (spots & ~right) << 1 | (spots & ~left) >> 1 | spots << 8 | spots >> 8

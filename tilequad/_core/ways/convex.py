"""Convex polygons: when a line or a box meets one, how deep a box is in it, and what is nearest.

A polygon has a row for each face: the outward normal, a unit vector, and where the face begins and
ends. The faces run counterclockwise around it; those of a segment are its two sides and its ends.

A box meets a polygon when its center meets the polygon enlarged by the box. Of that one, the faces
are those of the polygon, moved out, and the sides of the box around the polygon. So these sides
follow the faces of each polygon, unless it is a box.
"""

from __future__ import annotations

from math import sqrt

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.layout import INF
from tilequad._core.ways.layout import FACE, NX, NY, X0, X1, Y0, Y1


def box_faces(box: cython.p_double, faces: cython.p_double, first: cython.int) -> NoGil[cython.int]:
    """Write the sides of a box behind the first faces; return how many faces there are now."""
    for k in range(4):  # below, right, above, left
        i: cython.int = FACE * (first + k)
        faces[i + NX] = 1.0 if k == 1 else -1.0 if k == 3 else 0.0
        faces[i + NY] = -1.0 if k == 0 else 1.0 if k == 2 else 0.0
        faces[i + X0] = box[0] if k == 0 or k == 3 else box[2]
        faces[i + Y0] = box[1] if k < 2 else box[3]
        faces[i + X1] = box[2] if k < 2 else box[0]
        faces[i + Y1] = box[1] if k == 0 or k == 3 else box[3]
    return first + 4


def own_faces(count: cython.int) -> NoGil[cython.int]:
    """How many of the faces are those of the polygon itself."""
    return count if count == 4 else count - 4


def gap_of(
    faces: cython.p_double,
    k: cython.int,
    x: cython.double,
    y: cython.double,
    half_w: cython.double,
    half_h: cython.double,
) -> NoGil[cython.double]:
    """How far a box around a point is beyond a face; below 0 if it reaches behind it."""
    i = FACE * k
    away = faces[i + NX] * (x - faces[i + X0]) + faces[i + NY] * (y - faces[i + Y0])
    return away - abs(faces[i + NX]) * half_w - abs(faces[i + NY]) * half_h


def gap_to(
    faces: cython.p_double,
    count: cython.int,
    x: cython.double,
    y: cython.double,
    half_w: cython.double,
    half_h: cython.double,
) -> NoGil[cython.double]:
    """How far a box is beyond that face of a polygon which it is farthest from; below 0: depth."""
    most: cython.double = -INF
    for k in range(count):
        most = max(most, gap_of(faces, k, x, y, half_w, half_h))
    return most


def meet_time(
    faces: cython.p_double,
    count: cython.int,
    x: cython.double,
    y: cython.double,
    dx: cython.double,
    dy: cython.double,
    half_w: cython.double,
    half_h: cython.double,
    skin: cython.double,
    face: cython.p_int,
) -> NoGil[cython.double]:
    """Return when a box that moves by (dx, dy) meets a polygon, inf if never; write the face.

    With a skin, a box that is less deep than that behind a face is outside of it, and touching is
    no meeting; without one it is. What begins inside meets it at once, with -1 for the face.
    """
    enter = 0.0
    leave = 1.0
    face[0] = -1
    for k in range(count):
        gap = gap_of(faces, k, x, y, half_w, half_h)
        speed = faces[FACE * k + NX] * dx + faces[FACE * k + NY] * dy
        if speed < 0.0:
            if gap >= -skin and (face[0] < 0 or gap > -speed * enter):
                enter = max(gap / -speed, 0.0)
                face[0] = k
            continue
        if gap > 0.0 or (skin > 0.0 and gap >= -skin):
            return INF
        if speed > 0.0:
            leave = min(leave, (gap + skin) / -speed)
    if skin > 0.0:
        return enter if enter < leave else INF
    return enter if enter <= leave else INF


def leave_distance(
    faces: cython.p_double,
    count: cython.int,
    x: cython.double,
    y: cython.double,
    half_w: cython.double,
    half_h: cython.double,
    way_x: cython.double,
    way_y: cython.double,
) -> NoGil[cython.double]:
    """How far a box in a polygon must go along a way until it only touches it."""
    least = INF
    for k in range(count):
        speed = faces[FACE * k + NX] * way_x + faces[FACE * k + NY] * way_y
        if speed > 0.0:
            least = min(least, -gap_of(faces, k, x, y, half_w, half_h) / speed)
    return least


def nearest_point(
    faces: cython.p_double,
    count: cython.int,
    x: cython.double,
    y: cython.double,
    point: cython.p_double,
) -> NoGil[cython.int]:
    """Write the point of a polygon that is nearest to one; return its face, -1 for one inside."""
    found: cython.int = -1
    best = INF
    point[0] = x
    point[1] = y
    for k in range(own_faces(count)):
        if gap_of(faces, k, x, y, 0.0, 0.0) <= 0.0:
            continue
        i = FACE * k
        dx = faces[i + X1] - faces[i + X0]
        dy = faces[i + Y1] - faces[i + Y0]
        length2 = dx * dx + dy * dy
        part = 0.0
        if length2 > 0.0:
            part = ((x - faces[i + X0]) * dx + (y - faces[i + Y0]) * dy) / length2
        if part >= 1.0:
            dx = faces[i + X1]
            dy = faces[i + Y1]
        else:
            part = max(part, 0.0)
            dx = faces[i + X0] + part * dx
            dy = faces[i + Y0] + part * dy
        away = (x - dx) * (x - dx) + (y - dy) * (y - dy)
        if away < best:
            best = away
            found = k
            point[0] = dx
            point[1] = dy
    return found


def distance(x: cython.double, y: cython.double) -> NoGil[cython.double]:
    """The length of a vector, whose square may underflow."""
    unit = max(abs(x), abs(y))
    if unit == 0.0:
        return 0.0
    x /= unit
    y /= unit
    return unit * sqrt(x * x + y * y)

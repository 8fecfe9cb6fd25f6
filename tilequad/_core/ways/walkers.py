"""What walkers read from distances: how far it is, which way to go, where they are after a step.

A processor cannot predict a branch that depends on a cell, and a wrong guess delays the points that
follow. Therefore arrays of points are read in blocks without such branches, and the special cases
are redone afterwards.
"""

from __future__ import annotations

from array import array
from math import fabs, inf, sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.ways.distances import Distances
from tilequad._core.ways.ground import Ground, lattice_at  # noqa: F401 -- the type of a field
from tilequad._core.ways.headings import GOAL, NONE, move_of
from tilequad._core.ways.layout import (
    BLOCK,
    BORDER,
    FAR,
    LATTICE,
    UNREACHED,
    ZERO,
    Axes,
    Spot,
)

NEAR: cython.double = 1e-6  # of a cell: more than rounding, less than anybody sees
LEAST_GAIN: cython.double = 0.1  # of a step: how much nearer to the next cell it must lead


@cython.final
@cython.cclass
class Walkers:
    """Reads the distances of a field.

    Args:
        distances: The distances.
    """

    __slots__ = {
        "ground": "Ground",
        "words": "long long[::1]",
        "limit": "long long",
        "unit": "double",
        "bytes": "unsigned char[::1]",  # the heading of each place
        "headings": "double[::1]",  # by heading: a unit vector (x, y)
        "longest_step": "double",  # half of the shortest move; longer ones are split
        "turn": "Py_ssize_t",
        # How much the cell across a corner counts, by how many cells beside it have a distance.
        "corners": "double[::1]",
    }

    def __init__(self, distances: Distances) -> None:
        self.ground = distances.ground
        self.words = distances.words
        self.limit = distances.limit
        self.unit = self.ground.costs.unit
        self.turn = distances.headings.turn
        moves = np.asarray(self.ground.steps).reshape(8, 2)[: self.ground.directions]
        self.bytes, self.headings = distances.headings.bytes, distances.headings.table
        self.corners = array("d", [float(i >= self.ground.need) for i in range(3)])
        self.longest_step = float(np.hypot(moves[:, 0], moves[:, 1]).min()) / 2

    # -- distances ---------------------------------------------------------------------------------

    def distance_at(self, x: cython.double, y: cython.double) -> float:
        """The distance of the cell at a point, inf where there is none."""
        place = self.ground.place_at(x, y)
        if place < 0:
            return inf
        return self.distance_from(place)

    def distance_from(self, place: cython.Py_ssize_t) -> NoGil[cython.double]:
        """The distance of a cell; of a closed one, by way of its best open neighbor at an edge."""
        best: cython.longlong = self.words[place] >> 8
        if best == FAR and self.ground.codes[place] == 0:
            base = self.ground.parity_of(place)
            for k in range(self.ground.directions):
                if self.ground.edges >> k & 1:  # no branch on the state of the neighbor
                    other = place + self.ground.offsets[base + k]
                    code: cython.Py_ssize_t = self.ground.codes[other]
                    distance: cython.longlong = (self.words[other] >> 8) + 2 * self.ground.halves[
                        8 * code + k
                    ]
                    distance -= ZERO * (code == 0)  # a closed goal has a distance as well
                    best = min(best, distance)
        return (best - ZERO) * self.unit if best <= self.limit else inf

    def fill_distances(self, xy: cython.double[::1], found: cython.double[::1]) -> None:
        """Write the distances of the cells at points.

        Args:
            xy: x and y of each point.
            found: Gets the distance of each point; filled with inf before the call.
        """
        start: cython.Py_ssize_t = 0
        n = len(found)
        words: cython.p_longlong = cython.address(self.words[0]) if cython.compiled else self.words
        points: cython.p_double = cython.address(xy[0]) if cython.compiled else xy
        far: cython.p_double = cython.address(found[0]) if cython.compiled else found
        lattice: cython.bint = self.ground.kind == LATTICE
        unit = self.unit
        axes: Axes = self.ground.axes
        spot = cython.declare(Spot)
        numbers = cython.declare(cython.int[BLOCK])
        places = cython.declare(cython.int[BLOCK])
        with cython.nogil:
            while start < n:
                end = min(start + BLOCK, n)
                odd: cython.Py_ssize_t = 0
                for i in range(start, end):
                    if lattice:
                        place = lattice_at(
                            cython.address(axes),
                            points[2 * i],
                            points[2 * i + 1],
                            cython.address(spot),
                        )
                    else:
                        place = self.ground.place_at(points[2 * i], points[2 * i + 1])
                    if place < 0:
                        continue
                    far[i] = ((words[place] >> 8) - ZERO) * unit
                    numbers[odd] = cython.cast(cython.int, i)
                    places[odd] = cython.cast(cython.int, place)
                    odd += words[place] == UNREACHED
                for j in range(odd):
                    far[numbers[j]] = self.distance_from(places[j])
                start = end

    # -- directions --------------------------------------------------------------------------------

    def direction_at(self, x: cython.double, y: cython.double) -> tuple[float, float]:
        """The direction at a point, a unit vector; (0, 0) where there is none."""
        heading = cython.declare(cython.double[2])
        self.blend(x, y, heading)
        return heading[0], heading[1]

    def fill_directions(self, xy: cython.double[::1], found: cython.double[::1]) -> None:
        """Write the directions at points, unit vectors; (0, 0) where there is none.

        Args:
            xy: x and y of each point.
            found: x and y of each direction.
        """
        points: cython.p_double = cython.address(xy[0]) if cython.compiled else xy
        headings: cython.p_double = cython.address(found[0]) if cython.compiled else found
        heading = cython.declare(cython.double[2])
        with cython.nogil:
            if self.ground.kind == LATTICE:
                self.blend_lattice(points, headings, len(found) // 2)
            else:
                for i in range(len(found) // 2):
                    self.blend_staggered(xy[2 * i], xy[2 * i + 1], heading)
                    found[2 * i] = heading[0]
                    found[2 * i + 1] = heading[1]

    def blend(self, x: cython.double, y: cython.double, heading: cython.p_double) -> NoGil[None]:
        """Write the direction at a point."""
        at = cython.declare(cython.double[2])
        if self.ground.kind != LATTICE:
            self.blend_staggered(x, y, heading)
            return
        at[0] = x
        at[1] = y
        self.blend_lattice(at, heading, 1)

    def blend_lattice(
        self, xy: cython.p_double, found: cython.p_double, n: cython.Py_ssize_t
    ) -> NoGil[None]:
        """Write the directions at n points of a lattice."""
        start: cython.Py_ssize_t = 0
        own: cython.p_uchar = cython.address(self.bytes[0]) if cython.compiled else self.bytes
        headings: cython.p_double = (
            cython.address(self.headings[0]) if cython.compiled else self.headings
        )
        axes: Axes = self.ground.axes
        spot = cython.declare(Spot)
        # The points where headings cannot be blended.
        numbers = cython.declare(cython.int[BLOCK])
        places = cython.declare(cython.int[BLOCK])
        us = cython.declare(cython.double[BLOCK])
        vs = cython.declare(cython.double[BLOCK])
        corners = cython.declare(cython.double[3])
        for i in range(3):
            corners[i] = self.corners[i]
        while start < n:
            end = min(start + BLOCK, n)
            odd: cython.Py_ssize_t = 0
            for i in range(start, end):
                place = blend_four(
                    cython.address(axes),
                    own,
                    headings,
                    corners,
                    xy,
                    found,
                    i,
                    cython.address(spot),
                )
                numbers[odd] = cython.cast(cython.int, i)
                places[odd] = cython.cast(cython.int, place)
                us[odd] = spot.u
                vs[odd] = spot.v
                odd += place >= 0
            for j in range(odd):
                self.blend_odd(places[j], us[j], vs[j], found, numbers[j])
            start = end

    def blend_odd(
        self,
        place: cython.Py_ssize_t,
        u: cython.double,
        v: cython.double,
        found: cython.p_double,
        i: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Write the direction at a point of a lattice where headings cannot be blended.

        Args:
            place: The place of its cell.
            u: How far it is from the center of its cell, in columns.
            v: And in rows.
            found: Gets the direction.
            i: The number of the point.
        """
        own: cython.Py_ssize_t = self.bytes[place]
        if own not in (NONE, GOAL):  # the headings around cancel out: use the cell's own
            found[2 * i] = self.headings[2 * own]
            found[2 * i + 1] = self.headings[2 * own + 1]
            return
        k = self.way_out(place)
        if k < 0:
            found[2 * i] = found[2 * i + 1] = 0.0
            return
        x = self.ground.steps[2 * k]
        y = self.ground.steps[2 * k + 1]
        x -= u * self.ground.axes.across_x + v * self.ground.axes.down_x
        y -= u * self.ground.axes.across_y + v * self.ground.axes.down_y
        length = 1.0 / sqrt(x * x + y * y)
        found[2 * i] = x * length
        found[2 * i + 1] = y * length

    def way_out(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """Return the direction from a closed cell to its best open neighbor.

        -1 if there is none, if the cell is open, or if it is a goal.
        """
        best = 8 * FAR
        if self.ground.codes[place] != 0 or self.words[place] >> 8 == ZERO:
            return -1
        base = self.ground.parity_of(place)
        for k in range(self.ground.directions):
            other = place + self.ground.offsets[base + k]
            found = self.words[other] >> 8
            if found == ZERO and self.ground.codes[other] == 0:  # a closed goal
                continue
            best = min(best, 8 * found | k)
        return best & 7 if best >> 3 < FAR else -1

    def blend_staggered(
        self, x: cython.double, y: cython.double, heading: cython.p_double
    ) -> NoGil[None]:
        """Write the direction at a point of a grid in lines, (0, 0) if there is none.

        Blends the headings of the point's cell and its neighbors, with weights falling with
        distance.
        """
        i: cython.Py_ssize_t
        place = self.ground.place_at(x, y)
        other = place
        reach2 = 4.0 * self.longest_step * self.longest_step
        heading[0] = heading[1] = 0.0
        if place < 0:
            return
        base = self.ground.parity_of(place)
        own: cython.Py_ssize_t = self.bytes[place]
        if own in (NONE, GOAL):
            k = self.way_out(place)
            if k < 0:
                return
            place += self.ground.offsets[base + k]
            heading[0] = self.ground.center_x(place) - x
            heading[1] = self.ground.center_y(place) - y
        else:
            moves: cython.Py_ssize_t = self.ground.moves[place]
            for i in range(-1, self.ground.counts[moves]):
                if i >= 0:
                    k = self.ground.orders[8 * moves + i]
                    other = place + self.ground.offsets[base + k]
                dx = x - self.ground.center_x(other)
                dy = y - self.ground.center_y(other)
                weight = 1.0 - (dx * dx + dy * dy) / reach2
                if i < 0:
                    weight = max(weight, 0.25)
                if weight > 0.0:
                    own = self.bytes[other]
                    heading[0] += weight * weight * self.headings[2 * own]
                    heading[1] += weight * weight * self.headings[2 * own + 1]
        length = sqrt(heading[0] * heading[0] + heading[1] * heading[1])
        own = self.bytes[place]
        if (
            own not in (NONE, GOAL) and length < 0.25
        ):  # the headings around cancel out: use the cell's own
            heading[0] = self.headings[2 * own]
            heading[1] = self.headings[2 * own + 1]
        else:
            heading[0] = heading[0] / length
            heading[1] = heading[1] / length

    # -- steps -------------------------------------------------------------------------------------

    def advance_from(
        self, x: cython.double, y: cython.double, step: cython.double
    ) -> tuple[float, float]:
        """Where a walker is after a step."""
        at = cython.declare(cython.double[2])
        at[0] = x
        at[1] = y
        self.walk(at, step)
        return at[0], at[1]

    def advance(
        self, xy: cython.double[:, ::1], steps: cython.double[::1], found: cython.double[:, ::1]
    ) -> None:
        """Write where walkers are after a step toward the nearest goal."""
        each: cython.Py_ssize_t = 1 if len(steps) > 1 else 0
        at = cython.declare(cython.double[2])
        with cython.nogil:
            for i in range(len(found)):
                at[0] = xy[i, 0]
                at[1] = xy[i, 1]
                self.walk(at, steps[i * each])
                found[i, 0] = at[0]
                found[i, 1] = at[1]

    def walk(self, at: cython.p_double, left: cython.double) -> NoGil[None]:
        """Go on from a point, in short steps, until the way is done or a step leads nowhere."""
        left = min(left, -ZERO * self.unit)  # no way is longer
        while left > 0.0:
            part = min(left, self.longest_step)
            x = at[0]
            y = at[1]
            self.step_on(at, part)
            if at[0] == x and at[1] == y:
                return
            left -= part

    def step_on(self, at: cython.p_double, far: cython.double) -> NoGil[None]:
        """Take one short step: along the blended direction, or straight to the next cell.

        Each step leads into a nearer cell, or nearer to the center of the next cell on the way. So
        no walker goes in circles, whatever the directions around it are.
        """
        heading = cython.declare(cython.double[2])
        place = self.ground.place_at(at[0], at[1])
        if place < 0:
            self.come_in(at, far)
            return
        k = self.next_move(place)
        if k < 0:
            return
        there = place + self.ground.offsets[self.ground.parity_of(place) + k]
        if self.ground.shaped and holds_shapes(self, place, k):
            step_past(self, at, far, place, k)
            return
        x = self.ground.center_x(there) - at[0]
        y = self.ground.center_y(there) - at[1]
        length = sqrt(x * x + y * y)
        self.blend(at[0], at[1], heading)
        x1 = x - heading[0] * far
        y1 = y - heading[1] * far
        gains: cython.bint = sqrt(x1 * x1 + y1 * y1) <= length - LEAST_GAIN * far
        if self.try_step(at, place, heading, far, gains):
            return
        heading[0] = x / length
        heading[1] = y / length
        if not self.try_step(at, place, heading, min(far, length), True):
            self.cross(at, far, place, there)

    def try_step(
        self,
        at: cython.p_double,
        place: cython.Py_ssize_t,
        heading: cython.p_double,
        far: cython.double,
        gains: cython.bint,
    ) -> NoGil[cython.bint]:
        """Take a step if it ends in a nearer cell, or gains and ends in the same one."""
        x = at[0] + heading[0] * far
        y = at[1] + heading[1] * far
        other = self.ground.place_at(x, y)
        if other != place:
            gains = other >= 0 and self.words[other] >> 8 < self.words[place] >> 8
            gains = gains and self.may_pass(place, other)
            if self.ground.shaped and other >= 0 and self.ground.walk_kinds[other] > 0:
                gains = False  # shapes are entered where they leave room
        if gains:
            at[0] = x
            at[1] = y
        return gains

    def next_move(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """Return the move closest to a cell's heading, or the way out; -1 if there is none."""
        heading: cython.Py_ssize_t = self.bytes[place]
        if heading in (NONE, GOAL):
            return self.way_out(place)
        return move_of(heading, self.ground.directions, self.turn)

    def come_in(self, at: cython.p_double, far: cython.double) -> NoGil[None]:
        """Take one short step from outside of the grid toward the nearest cell."""
        place = self.ground.nearest_place(at[0], at[1])
        if self.distance_from(place) == inf and self.way_out(place) < 0:
            return
        x = self.ground.center_x(place) - at[0]
        y = self.ground.center_y(place) - at[1]
        length = sqrt(x * x + y * y)
        far = min(far, length) / length
        at[0] += x * far
        at[1] += y * far

    def cross(
        self,
        at: cython.p_double,
        far: cython.double,
        place: cython.Py_ssize_t,
        other: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Take one short step to the edge or corner between two cells, or beyond it.

        Beside a closed or a farther cell no other step leads on.
        """
        there_x = self.ground.center_x(other)
        there_y = self.ground.center_y(other)
        edge_x = (self.ground.center_x(place) + there_x) / 2.0
        edge_y = (self.ground.center_y(place) + there_y) / 2.0
        x = edge_x - at[0]
        y = edge_y - at[1]
        least = NEAR * self.longest_step  # a shorter way may be rounding
        length = sqrt(x * x + y * y)
        if self.ground.codes[other] == 0:  # a closed goal
            return
        if length > far and length > least:
            # A little inside the edge: along it, rounding might lead out of the cell.
            x = at[0] + x * (far / length) + (self.ground.center_x(place) - at[0]) * NEAR
            y = at[1] + y * (far / length) + (self.ground.center_y(place) - at[1]) * NEAR
            other = place
        else:
            far = max(far - length, least)
            x = there_x - edge_x
            y = there_y - edge_y
            length = sqrt(x * x + y * y)
            x = edge_x + x * (far / length)
            y = edge_y + y * (far / length)
        if self.ground.place_at(x, y) == other:
            at[0] = x
            at[1] = y

    def may_pass(self, place: cython.Py_ssize_t, other: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a short step may lead from a cell to another one."""
        if self.ground.codes[place] == 0:
            return self.ground.codes[other] != 0  # leaving a wall
        base = self.ground.parity_of(place)
        for k in range(self.ground.directions):
            if place + self.ground.offsets[base + k] == other:
                return self.ground.moves[place] >> k & 1 != 0
        return False


@cython.inline
def blend_four(
    axes: cython.pointer[Axes],
    bytes_: cython.p_uchar,
    headings: cython.p_double,
    corners: cython.p_double,
    xy: cython.p_double,
    found: cython.p_double,
    i: cython.Py_ssize_t,
    spot: cython.pointer[Spot],
) -> cython.Py_ssize_t:
    """Blend the headings of the four cells around a point, weighted by nearness.

    The cell across a corner is left out if too few of the two cells beside it have a distance.
    Returns -1, or where there is no blend the place and its spot: the headings cancel out, or the
    point's own cell has none.
    """
    place: cython.Py_ssize_t = lattice_at(axes, xy[2 * i], xy[2 * i + 1], spot)
    if place < 0:
        found[2 * i] = found[2 * i + 1] = 0.0
        return -1
    across: cython.Py_ssize_t = 1 - 2 * (spot.u < 0.0)
    down: cython.Py_ssize_t = (axes.columns + 2 * BORDER) * (1 - 2 * (spot.v < 0.0))
    u: cython.double = fabs(spot.u)
    v: cython.double = fabs(spot.v)
    own: cython.Py_ssize_t = bytes_[place]
    beside: cython.Py_ssize_t = bytes_[place + across]
    below: cython.Py_ssize_t = bytes_[place + down]
    corner: cython.Py_ssize_t = 2 * bytes_[place + across + down]
    odd: cython.bint = (own == NONE) | (own == GOAL)
    far: cython.double = u * v * corners[(beside != NONE) + (below != NONE)]
    own = 2 * own
    beside = 2 * beside
    below = 2 * below
    x: cython.double = far * headings[corner]
    y: cython.double = far * headings[corner + 1]
    far = (1.0 - u) * v
    x += far * headings[below]
    y += far * headings[below + 1]
    far = u * (1.0 - v)
    x += far * headings[beside]
    y += far * headings[beside + 1]
    far = (1.0 - u) * (1.0 - v)
    x += far * headings[own]
    y += far * headings[own + 1]
    length: cython.double = sqrt(x * x + y * y)
    far = 1.0 / max(length, 0.25)
    found[2 * i] = x * far
    found[2 * i + 1] = y * far
    return place if odd | (length < 0.25) else -1


# -- through cells that hold shapes ----------------------------------------------------------------


def holds_shapes(
    walkers: Walkers, place: cython.Py_ssize_t, k: cython.Py_ssize_t
) -> NoGil[cython.bint]:
    """Whether a move to an open cell leads past the parts of shapes."""
    base = walkers.ground.parity_of(place)
    there = place + walkers.ground.offsets[base + k]
    if walkers.ground.codes[there] == 0:
        return False
    return (
        walkers.ground.walk_kinds[place] > 0
        or (walkers.ground.codes[place] != 0 and walkers.ground.walk_kinds[there] > 0)
        or (walkers.ground.need < 2 and way_around(walkers, place, k) != k)
    )


def way_around(
    walkers: Walkers, place: cython.Py_ssize_t, k: cython.Py_ssize_t
) -> NoGil[cython.Py_ssize_t]:
    """Return the move across an edge that goes around a corner; the move itself if it need not.

    Corners are walked around where both cells beside them must be open, by way of the nearer
    one, and where one of them is closed and holds shapes, by way of the other if that is nearer
    to the goal.
    """
    base = walkers.ground.parity_of(place)
    before = place + walkers.ground.offsets[base + (k - 1 & 7)]
    after = place + walkers.ground.offsets[base + (k + 1 & 7)]
    if walkers.ground.directions != 8 or not k & 1:
        return k
    if walkers.ground.need >= 2:
        return k - 1 if walkers.words[before] >> 8 <= walkers.words[after] >> 8 else k + 1 & 7
    if walkers.ground.codes[place] == 0:
        return k
    if is_closed_shape(walkers, after) and walkers.words[before] >> 8 < walkers.words[place] >> 8:
        return k - 1
    if is_closed_shape(walkers, before) and walkers.words[after] >> 8 < walkers.words[place] >> 8:
        return k + 1 & 7
    return k


def is_closed_shape(walkers: Walkers, place: cython.Py_ssize_t) -> NoGil[cython.bint]:
    """Whether a cell is closed because of the shapes that it holds."""
    return walkers.ground.codes[place] == 0 and walkers.ground.walk_kinds[place] > 0


def way_clear(
    walkers: Walkers, place: cython.Py_ssize_t, here: cython.int, k: cython.Py_ssize_t
) -> NoGil[cython.Py_ssize_t]:
    """Return the move out of a closed cell that shapes leave a way for; `k` if there is none.

    Of several, that to the nearest cell.
    """
    base = walkers.ground.parity_of(place)
    kind = walkers.ground.walk_kinds[place]
    best = FAR
    for i in range(walkers.ground.directions):
        other = place + walkers.ground.offsets[base + i]
        if walkers.ground.codes[other] == 0 or walkers.words[other] >> 8 >= best:
            continue
        exits: cython.ulonglong = walkers.ground.pieces.find_exits(
            kind, max(walkers.ground.walk_kinds[other], 0), base + i
        )
        if exits >> here & 1 or (
            exits != 0 and walkers.ground.pieces.next_spot(kind, exits, here) >= 0
        ):
            best = walkers.words[other] >> 8
            k = i
    return k


def step_past(
    walkers: Walkers,
    at: cython.p_double,
    far: cython.double,
    place: cython.Py_ssize_t,
    k: cython.Py_ssize_t,
) -> NoGil[None]:
    """Take one short step through a cell that holds shapes, or into one.

    The way leads over the spots of the cell's room, and across an edge: corners are walked
    around, by way of the nearer cell beside them.
    """
    base = walkers.ground.parity_of(place)
    other = place + walkers.ground.offsets[base + k]
    kind: cython.int = max(walkers.ground.walk_kinds[place], 0)
    x = walkers.ground.center_x(place)
    y = walkers.ground.center_y(place)
    here: cython.int = walkers.ground.pieces.spot_at(at[0] - x, at[1] - y)
    k = way_around(walkers, place, k)
    if is_closed_shape(walkers, place):
        k = way_clear(walkers, place, here, k)
    there = place + walkers.ground.offsets[base + k]
    if walkers.ground.codes[there] == 0:  # out of a closed cell, across a corner
        walkers.cross(at, far, place, other)
        return
    exits: cython.ulonglong = walkers.ground.pieces.find_exits(
        kind, max(walkers.ground.walk_kinds[there], 0), base + k
    )
    if not walkers.ground.pieces.rooms[0] >> here & 1:  # on the edge of a slanted cell
        here = walkers.ground.pieces.beside(exits, here)
    if exits >> here & 1:  # into the next cell
        x = walkers.ground.center_x(there)
        y = walkers.ground.center_y(there)
        here = walkers.ground.pieces.partners[64 * (base + k) + here]
    else:
        here = walkers.ground.pieces.next_spot(kind, exits, here) if exits != 0 else -1
    if here < 0:
        walkers.cross(at, far, place, there)
        return
    x += walkers.ground.pieces.spot_x(here) - at[0]
    y += walkers.ground.pieces.spot_y(here) - at[1]
    length = sqrt(x * x + y * y)
    if length > 0.0:
        far = min(far, length) / length
        at[0] += x * far
        at[1] += y * far

"""Units under orders: where each of them walks in a step, before the crowd.

A unit follows the field of its order until it sees its own place, or goes straight: to its place,
to the next corner of its path, to its post in the ranks. Nobody steps from an open cell into a
closed one.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.lines_of_sight import CellFaces
from tilequad._core.ways.walkers import Walkers

# What a unit does.
GOING: cython.int = 0  # it goes by the field of its order
HOMING: cython.int = 1  # straight to its place
PATHING: cython.int = 2  # by a path of its own
RESTING: cython.int = 3  # it has arrived
LOST: cython.int = 4  # no way leads to its place
RANKED: cython.int = 5  # it goes straight to its post in the ranks

LOOKS: cython.Py_ssize_t = 4  # a unit looks whether its way is clear in one of so many steps
RENEWAL: cython.Py_ssize_t = 16  # steps after which who chases finds its path again
AHEAD: cython.double = 0.9  # of a step of who keeps to the right; a little is lost
ASIDE: cython.double = 0.43
BACK: cython.double = 0.25  # of its speed: how fast a unit that was pushed from its place returns


@cython.final
@cython.cclass
class Marchers:
    """The units of a march in a step, a row each. It writes to the arrays that it is given.

    `rows` are columns of `Rows` of `ai/_orders.py`: slots, orders, rooms, modes, told, stalled,
    veers, places, aims and offsets.
    """

    __slots__ = {
        "slots": "int[::1]",
        "orders": "int[::1]",
        "rooms": "int[::1]",
        "modes": "unsigned char[::1]",
        "told": "unsigned char[::1]",
        # For about how many steps a unit has got nowhere; below 0, for how many more it slips.
        "stalled": "int[::1]",
        "veers": "int[::1]",  # for how many more steps it keeps to the right
        "places": "double[:, ::1]",
        "aims": "double[:, ::1]",
        "offsets": "double[:, ::1]",
        "before": "double[:, ::1]",
        "speeds": "double[::1]",
        "radii": "double[::1]",
        "tick": "Py_ssize_t",
        # Where each is after the step, its post in the ranks, how far from its place it stops, and
        # whether its leader stands.
        "after": "readonly double[:, ::1]",
        "posts": "readonly double[:, ::1]",
        "stops": "readonly double[::1]",
        "still": "readonly unsigned char[::1]",
        # Where those walk that are looked at.
        "ground": "Ground",
        "closed": "CellFaces",
    }

    def __init__(
        self, rows: Any, before: memoryview, speeds: memoryview, radii: memoryview, tick: int
    ) -> None:
        self.slots, self.orders, self.rooms, self.modes = rows[:4]
        self.told, self.stalled, self.veers = rows[4:7]
        self.places, self.aims, self.offsets = rows[7:]
        self.before, self.speeds, self.radii, self.tick = before, speeds, radii, tick
        self.after, self.posts = np.array(before).data, np.array(before).data
        self.stops = np.zeros(len(speeds)).data
        self.still = np.zeros(len(speeds), np.uint8).data
        self.ground: Any = None
        self.closed: Any = None

    def enter(self, ground: Ground, closed: CellFaces) -> None:
        """Let the next walkers walk on some ground."""
        self.ground = ground
        self.closed = closed

    # -- by field ----------------------------------------------------------------------------------

    def follow(
        self,
        first: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        field: Walkers | None,
        whole: cython.bint,
        near: cython.double,
        extent: cython.double,
    ) -> None:
        """Let the rows first .. end of one order go on by its field, until each sees its own place.

        Without a field, which has not begun, they wait. From `near` on units look for their places,
        and from `extent` on those find a path that do not see theirs.
        """
        with cython.nogil:
            for i in range(first, end):
                if self.modes[i] != GOING:
                    continue
                x = self.places[i, 0] - self.before[i, 0]
                y = self.places[i, 1] - self.before[i, 1]
                if self.looks(i) and x * x + y * y <= near * near:
                    if self.sees(i, self.places):
                        self.modes[i] = HOMING
                        continue
                    if field is not None and self.distance(i, field) <= extent:
                        self.want_path(i)
                        continue
                if field is not None and self.walk(i, field, whole):
                    self.want_path(i)

    def fall_in(
        self,
        first: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        field: Walkers | None,
        whole: cython.bint,
        ahead: cython.double,
    ) -> None:
        """Let the rows first .. end of one order find their posts in its ranks; the foremost wait.

        Without a field, which has not begun, all wait. `ahead` is the distance of the middle of the
        ranks from the goal, less a spacing: who is nearer to the goal than its post by more than
        that spacing waits.
        """
        with cython.nogil:
            for i in range(first, end):
                if self.modes[i] != GOING:
                    continue
                if self.looks(i) and self.sees(i, self.posts):
                    self.modes[i] = RANKED
                elif field is not None and not self.distance(i, field) < ahead - self.offsets[i, 0]:
                    self.walk(i, field, whole)

    def follow_former(
        self,
        first: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        field: Walkers | None,
        former: Walkers,
    ) -> None:
        """Let those of the rows first .. end that the field does not reach go by a former field."""
        with cython.nogil:
            for i in range(first, end):
                if self.modes[i] == GOING and (field is None or self.distance(i, field) == inf):
                    self.walk(i, former, False)

    def some_wait(self, first: cython.Py_ssize_t, end: cython.Py_ssize_t, field: Walkers) -> bool:
        """Return whether one of the rows from first to end is where a field has found no way."""
        waits = False
        with cython.nogil:
            for i in range(first, end):
                if self.modes[i] == GOING and self.distance(i, field) == inf:
                    waits = True
                    break
        return waits

    def walk(self, i: cython.Py_ssize_t, field: Walkers, whole: cython.bint) -> NoGil[cython.bint]:
        """Take a step along a field; return whether it leads no further, at the goal."""
        spot = cython.declare(cython.double[2])
        spot[0] = self.before[i, 0]
        spot[1] = self.before[i, 1]
        field.walk(spot, self.speeds[i])
        if self.veers[i] > 0:
            self.veers[i] -= 1
            self.veer(i, spot)
        self.after[i, 0] = spot[0]
        self.after[i, 1] = spot[1]
        if spot[0] != self.before[i, 0] or spot[1] != self.before[i, 1]:
            return False
        if self.speeds[i] == 0.0 or not whole:  # it waits until its way is found
            return False
        if self.distance(i, field) == inf:
            self.modes[i] = LOST
            return False
        return True

    def veer(self, i: cython.Py_ssize_t, spot: cython.p_double) -> NoGil[None]:
        """Turn a step to the right, if nothing is in the way there."""
        dx = spot[0] - self.before[i, 0]
        dy = spot[1] - self.before[i, 1]
        x = self.before[i, 0] + (dx * AHEAD + dy * ASIDE)
        y = self.before[i, 1] + (dy * AHEAD - dx * ASIDE)
        if self.is_open(x, y) and self.closed.is_clear(self.before[i, 0], self.before[i, 1], x, y):
            spot[0] = x
            spot[1] = y

    def distance(self, i: cython.Py_ssize_t, field: Walkers) -> NoGil[cython.double]:
        """How far a unit is from the goal of a field."""
        place = field.ground.place_at(self.before[i, 0], self.before[i, 1])
        return field.distance_from(place) if place >= 0 else inf

    # -- straight ----------------------------------------------------------------------------------

    def ask_paths(self, room: cython.int, most: cython.Py_ssize_t) -> np.ndarray:
        """Return up to `most` rows that need another path, (m,) int32.

        They are at a corner of their path, or it is no longer clear, or their target moves.
        """
        found: IntBuffer = IntBuffer()
        with cython.nogil:
            for i in range(len(self.modes)):
                if self.modes[i] != PATHING or self.rooms[i] != room or found.used >= most:
                    continue
                x = self.aims[i, 0] - self.before[i, 0]
                y = self.aims[i, 1] - self.before[i, 1]
                far2 = x * x + y * y
                if far2 == 0.0 or (
                    self.looks(i)
                    and (
                        far2 <= self.radii[i] * self.radii[i]
                        or (self.stops[i] > 0.0 and self.tick % RENEWAL < LOOKS)
                        or not self.sees(i, self.aims)
                    )
                ):
                    found.append(cython.cast(cython.int, i))
        return np.array(found.taken())

    def walk_straight(self, room: cython.int) -> None:
        """Let those go on that follow no field, on ground with some room."""
        with cython.nogil:
            for i in range(len(self.modes)):
                if self.rooms[i] == room:
                    self.go_straight(i)

    def go_straight(self, i: cython.Py_ssize_t) -> NoGil[None]:
        """Take a step to one's post, to the next corner of one's path, or to one's place."""
        mode: cython.int = self.modes[i]
        speed = self.speeds[i]
        goes_on = True
        if mode == RANKED:
            if self.looks(i) and not self.sees(i, self.posts):
                self.modes[i] = GOING
            if not self.step_to(i, self.posts, speed):
                self.modes[i] = GOING
            return
        if mode == PATHING:
            goes_on = self.step_to(i, self.aims, speed)
        elif mode == HOMING:
            goes_on = self.step_to(i, self.places, speed)
            goes_on = goes_on and (not self.looks(i) or self.sees(i, self.places))
        elif mode == RESTING and self.stalled[i] == 0:
            goes_on = self.step_to(i, self.places, BACK * speed)
        if not goes_on:
            self.want_path(i)

    def step_to(
        self, i: cython.Py_ssize_t, to: cython.double[:, ::1], speed: cython.double
    ) -> NoGil[cython.bint]:
        """Take a step toward a point; return False if it would leave the open cells.

        Who chases does not walk into its target.
        """
        x = to[i, 0] - self.before[i, 0]
        y = to[i, 1] - self.before[i, 1]
        far = sqrt(x * x + y * y)
        if self.stops[i] > 0.0:
            away_x = self.places[i, 0] - self.before[i, 0]
            away_y = self.places[i, 1] - self.before[i, 1]
            speed = min(speed, max(sqrt(away_x * away_x + away_y * away_y) - self.stops[i], 0.0))
        if far <= speed:
            x = to[i, 0]
            y = to[i, 1]
        else:
            x = self.before[i, 0] + x * (speed / far)
            y = self.before[i, 1] + y * (speed / far)
        if not self.is_open(x, y) and self.is_open(self.before[i, 0], self.before[i, 1]):
            return False
        self.after[i, 0] = x
        self.after[i, 1] = y
        return True

    # -- one unit ----------------------------------------------------------------------------------

    def looks(self, i: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether it is a unit's turn to look."""
        return (self.slots[i] + self.tick) % LOOKS == 0

    def sees(self, i: cython.Py_ssize_t, to: cython.double[:, ::1]) -> NoGil[cython.bint]:
        """Whether the straight way to a point is clear."""
        if not self.is_open(to[i, 0], to[i, 1]):
            return False
        return self.closed.is_clear(self.before[i, 0], self.before[i, 1], to[i, 0], to[i, 1])

    def is_open(self, x: cython.double, y: cython.double) -> NoGil[cython.bint]:
        """Whether a point is in an open cell."""
        place = self.ground.place_at(x, y)
        return place >= 0 and self.ground.codes[place] != 0

    def want_path(self, i: cython.Py_ssize_t) -> NoGil[None]:
        """Let a unit ask for a path of its own at the next `ask_paths`."""
        self.modes[i] = PATHING
        self.aims[i, 0] = self.before[i, 0]
        self.aims[i, 1] = self.before[i, 1]

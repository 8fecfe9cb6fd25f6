"""What holds a push back: the farthest that it may go, the bounds, and walls."""

from __future__ import annotations

from array import array
from math import sqrt

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.army.bodies import LEFT_WALL, Bodies, sort_ints_by
from tilequad._core.army.solids import Solids, clearance
from tilequad._core.buffers import IntBuffer
from tilequad._core.layout import INF, MAX_COORDINATE

REACH: cython.double = 2.0  # extents around a unit in which its walls are listed
FAR2: cython.double = 3.6  # of the squared extent: a longer push may meet walls not listed
MOST_WALLS: cython.int = 4  # that push a unit, one after the other
NEAR_WALLS: cython.Py_ssize_t = 64  # with more walls near some units, each looks for its own
TOGETHER: cython.int = 64  # units that look for walls together
WIDE: cython.double = 8.0  # how far apart they are at most, in cells


@cython.final
@cython.cclass
class Limits:
    """How far units may be pushed: out of walls, within a box, and `max_push` from their start."""

    __slots__ = {
        "bodies": "Bodies",
        "walls": "Solids",
        "walled": "bint",
        "held": "bint",  # whether there are walls or bounds
        "box": "double[::1]",
        "max_push": "double",
        "capped": "bint",  # whether `max_push` is a limit
        "near": "IntBuffer",  # the walls near unit u are near[first[u]:first[u] + count[u]]
        "first": "int[::1]",
        "count": "int[::1]",
    }

    def __init__(self, bodies: Bodies, walls: Solids, box: memoryview, max_push: float) -> None:
        self.bodies = bodies
        self.walls = walls
        self.walled = not self.walls.is_empty()
        self.box = box
        self.max_push = max_push
        self.capped = max_push < MAX_COORDINATE
        self.held = self.walled or list(box) != [-INF, -INF, INF, INF]
        self.near = IntBuffer(256)
        if self.walled:
            self.first = array("i", [0]) * bodies.n
            self.count = array("i", [0]) * bodies.n

    # -- walls near units --------------------------------------------------------------------------

    def meet_walls(self, around: IntBuffer) -> RaisesNoGil[cython.bint]:
        """List the walls near each unit, and take units out of walls; return whether there are any.

        Units that follow one another in the grid are close together, and look for walls together.
        """
        left = False
        end: cython.int = 0
        box = cython.declare(cython.double[4])
        while end < self.bodies.n:
            first = end
            end = self.end_of_group(first, box)
            around.used = 0
            few = self.walls.gather(box[0], box[1], box[2], box[3], NEAR_WALLS, around)
            if around.used == 0:
                continue
            for u in range(first, end):
                if self.bodies.weight[u] == 0.0:
                    continue
                if few:
                    self.pick_walls(u, around)
                else:
                    self.list_walls(u)
                if self.is_in_wall(u):
                    self.take_out(u)
                    left = True
        return left

    def end_of_group(self, first: cython.int, box: cython.p_double) -> NoGil[cython.int]:
        """Return the end of the units that look together; write the box that they look at."""
        most = WIDE * self.bodies.grid.side
        reach = 0.0
        u: cython.int = first
        box[0] = box[2] = self.bodies.x[u]
        box[1] = box[3] = self.bodies.y[u]
        while (
            u < min(first + TOGETHER, self.bodies.n)
            and abs(self.bodies.x[u] - self.bodies.x[first]) <= most
            and abs(self.bodies.y[u] - self.bodies.y[first]) <= most
        ):
            box[0] = min(box[0], self.bodies.x[u])
            box[1] = min(box[1], self.bodies.y[u])
            box[2] = max(box[2], self.bodies.x[u])
            box[3] = max(box[3], self.bodies.y[u])
            reach = max(reach, REACH * self.bodies.extent[u])
            u += 1
        box[0] -= reach
        box[1] -= reach
        box[2] += reach
        box[3] += reach
        return u

    def pick_walls(self, u: cython.int, around: IntBuffer) -> RaisesNoGil[cython.int]:
        """List the walls near a unit, chosen from the walls around it and others."""
        box = cython.declare(cython.double[4])
        reach = REACH * self.bodies.extent[u]
        self.first[u] = cython.cast(cython.int, self.near.used)
        for j in range(around.used):
            self.walls.write_box(around.values[j], box)
            if (
                box[0] - self.bodies.x[u] <= reach
                and box[1] - self.bodies.y[u] <= reach
                and self.bodies.x[u] - box[2] <= reach
                and self.bodies.y[u] - box[3] <= reach
            ):
                self.near.append(around.values[j])
        self.count[u] = cython.cast(cython.int, self.near.used - self.first[u])
        return 0

    def list_walls(self, u: cython.int) -> RaisesNoGil[cython.int]:
        """List the walls near a unit."""
        x = self.bodies.x[u]
        y = self.bodies.y[u]
        reach = REACH * self.bodies.extent[u]
        self.first[u] = cython.cast(cython.int, self.near.used)
        self.walls.gather(x - reach, y - reach, x + reach, y + reach, 0x7FFFFFFF, self.near)
        self.count[u] = cython.cast(cython.int, self.near.used - self.first[u])
        return 0

    def is_in_wall(self, u: cython.int) -> NoGil[cython.bint]:
        """Whether a unit's center is in a wall."""
        k: cython.Py_ssize_t
        for k in range(self.first[u], self.first[u] + self.count[u]):
            if self.walls.holds(self.near.values[k], self.bodies.x[u], self.bodies.y[u]):
                return True
        return False

    def take_out(self, u: cython.int) -> RaisesNoGil[cython.int]:
        """Take a unit out of its wall. It then starts there."""
        place = cython.declare(cython.double[2])
        self.walls.find_way_out(self.bodies.x[u], self.bodies.y[u], self.box, place)
        self.bodies.flags[u] |= LEFT_WALL
        self.bodies.start_x[u] = self.bodies.x[u] = place[0]
        self.bodies.start_y[u] = self.bodies.y[u] = place[1]
        return self.list_walls(u)

    def renumber(self, order: cython.int[::1], spare: cython.int[::1]) -> NoGil[None]:
        """Give unit order[k] the number k; `spare` is scratch."""
        if self.walled:
            sort_ints_by(self.first, order, self.bodies.n, spare)
            sort_ints_by(self.count, order, self.bodies.n, spare)

    # -- one unit ----------------------------------------------------------------------------------

    def cap(self, u: cython.int) -> NoGil[None]:
        """Shorten a unit's push to `max_push`."""
        dx = self.bodies.x[u] - self.bodies.start_x[u]
        dy = self.bodies.y[u] - self.bodies.start_y[u]
        away = dx * dx + dy * dy
        if away > self.max_push * self.max_push:
            away = self.max_push / sqrt(away)
            self.bodies.x[u] = self.bodies.start_x[u] + dx * away
            self.bodies.y[u] = self.bodies.start_y[u] + dy * away

    def hold_each(self, first: cython.int, end: cython.int) -> NoGil[None]:
        """Keep those of some units that may be pushed out of walls and in the bounds."""
        for u in range(first, end):
            if self.bodies.weight[u] > 0.0:
                self.hold(u)

    def hold(self, u: cython.int) -> NoGil[cython.bint]:
        """Keep a unit out of walls and in the bounds; return whether that has moved it."""
        x = self.bodies.x[u]
        y = self.bodies.y[u]
        if self.walled and self.count[u] > 0:
            self.leave_walls(u)
        if self.bodies.x[u] != self.bodies.start_x[u] or self.bodies.y[u] != self.bodies.start_y[u]:
            self.bodies.x[u] = min(max(self.bodies.x[u], self.box[0]), self.box[2])
            self.bodies.y[u] = min(max(self.bodies.y[u], self.box[1]), self.box[3])
            if self.walled and (self.count[u] > 0 or self.is_far(u)):
                self.stop_at_walls(u)
        return self.bodies.x[u] != x or self.bodies.y[u] != y

    def leave_walls(self, u: cython.int) -> NoGil[None]:
        """Push a unit out of the walls, or into the middle of a gap that is too narrow for it."""
        push = cython.declare(cython.double[2])
        best = cython.declare(cython.double[2])
        k: cython.Py_ssize_t
        last_x = 0.0
        last_y = 0.0
        for _ in range(MOST_WALLS):
            deepest = self.bodies.slack_of(u)
            best[0] = best[1] = 0.0
            first: cython.int = -1  # of walls equally deep, the one given first
            for k in range(self.first[u], self.first[u] + self.count[u]):
                number: cython.Py_ssize_t = self.near.values[k]
                depth = self.walls.penetration(
                    number,
                    self.bodies.x[u],
                    self.bodies.y[u],
                    self.bodies.half_w[u],
                    self.bodies.half_h[u],
                    push,
                )
                if depth > deepest or (
                    depth == deepest and first >= 0 and self.walls.rank_of(number) < first
                ):
                    deepest = depth
                    first = self.walls.rank_of(number)
                    best[0] = push[0]
                    best[1] = push[1]
            if best[0] == 0.0 and best[1] == 0.0:
                return
            if best[0] * last_x + best[1] * last_y < 0.0:
                self.bodies.x[u] += 0.5 * deepest * best[0]
                self.bodies.y[u] += 0.5 * deepest * best[1]
                return
            self.bodies.x[u] += deepest * best[0]
            self.bodies.y[u] += deepest * best[1]
            last_x = best[0]
            last_y = best[1]

    def is_far(self, u: cython.int) -> NoGil[cython.bint]:
        """Whether a push is so long, nearly two extents, that it may meet walls not listed."""
        dx = self.bodies.x[u] - self.bodies.start_x[u]
        dy = self.bodies.y[u] - self.bodies.start_y[u]
        return dx * dx + dy * dy > FAR2 * self.bodies.extent[u] * self.bodies.extent[u]

    def stop_at_walls(self, u: cython.int) -> NoGil[None]:
        """Stop a unit where its way meets a wall. It starts outside and ends outside."""
        x0 = self.bodies.start_x[u]
        y0 = self.bodies.start_y[u]
        dx = self.bodies.x[u] - x0
        dy = self.bodies.y[u] - y0
        k: cython.Py_ssize_t
        time = INF
        if self.is_far(u):
            time = self.walls.first_time(x0, y0, self.bodies.x[u], self.bodies.y[u])
        else:
            for k in range(self.first[u], self.first[u] + self.count[u]):
                time = min(
                    time,
                    self.walls.way_time(
                        self.near.values[k], x0, y0, self.bodies.x[u], self.bodies.y[u]
                    ),
                )
        if time > 1.0:
            return
        time = max(0.0, time - 2.0 * (clearance(x0) + clearance(y0)) / sqrt(dx * dx + dy * dy))
        self.bodies.x[u] = x0 + time * dx
        self.bodies.y[u] = y0 + time * dy
        if self.walls.holder_of(self.bodies.x[u], self.bodies.y[u]) >= 0:
            self.bodies.x[u] = x0
            self.bodies.y[u] = y0

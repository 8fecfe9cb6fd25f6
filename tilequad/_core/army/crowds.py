"""Separation: the units of a crowd are pushed apart, from its inside outwards, and out of walls.

Pushing pairs apart one after the other settles a crowd slowly: each push makes another overlap, and
in a dead end the pressure adds up until units stand inside one another. So each sweep of pushes
runs from the inside of the crowd to its rim, and settles all of it. The first sweep is soft, which
lets the inside settle, too; the later ones are firmer, so that the rim gives way.

Where `max_push` holds units back, the rim cannot give way as far as it should. Then all pushes are
shortened, and further sweeps run from the rim to the inside, which makes way for the rim.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.army.bodies import LEFT_WALL, PUSHES, Bodies
from tilequad._core.army.crowd_limits import Limits
from tilequad._core.army.crowd_ranks import Ranks
from tilequad._core.army.heaps import DENSE, HEAP, spread_heaps
from tilequad._core.army.solids import Solids
from tilequad._core.buffers import IntBuffer, Scratch
from tilequad._core.layout import begin_change, end_change
from tilequad._core.tree.changes import move_units
from tilequad._core.tree.units import UnitStore

# How easily an inner unit is pushed, relative to an outer one: half as easily in the first sweep,
# and half of that in each later one, but not less than the least.
YIELD: cython.double = 0.5
LEAST_YIELD: cython.double = 0.125
ONE_POINT: cython.double = 1e-150  # so near, as a share of the footprints, units are on one point
REST: cython.double = 0.01  # smaller overlaps, as a share of the footprints, need no further sweep
VISIBLE: cython.int = 1  # what is said of pushes: there are some
FAR: cython.int = 2  # and some so far that another sweep is needed
MOST_SETTLING_SWEEPS: cython.int = 16  # among units that `max_push` holds back


@cython.final
@cython.cclass
class Crowd:
    """Units while they are pushed apart.

    `directions` are for units on one point, (64, 2). Arrays are taken from `memory`.
    """

    __slots__ = {
        "bodies": "Bodies",
        "limits": "Limits",
        "ranks": "Ranks",
        "directions": "double[:, ::1]",
        "memory": "object",
        "swept": "int[::1]",  # by unit: the last sweep inward that moved it
        "slack": "double[::1]",  # by unit: overlaps below the sum of two count as rounding
    }

    def __init__(
        self, bodies: Bodies, limits: Limits, directions: memoryview, memory: Scratch
    ) -> None:
        self.bodies = bodies
        self.limits = limits
        self.directions = directions
        self.memory = memory

    def separate(self, iterations: cython.int) -> Raises[cython.int]:
        """Run up to `iterations` sweeps of pushes."""
        pairs: IntBuffer = IntBuffer(4 * self.bodies.n + 64)
        around: IntBuffer = IntBuffer()
        left_wall = False
        if self.limits.walled:
            with cython.nogil:
                left_wall = self.limits.meet_walls(around)
        if left_wall:
            self.bodies.sort_again()
        self.spread()
        with cython.nogil:
            self.bodies.find_near(pairs, around)
        if pairs.used > 0:
            self.ranks = Ranks(self.bodies, self.limits, pairs, self.memory)
            [self.swept], [self.slack] = self.memory.ints(1), self.memory.floats(1)
            with cython.nogil:
                self.push_apart(iterations)
        with cython.nogil:
            self.hold_all()
        return 0

    def spread(self) -> Raises[cython.int]:
        """Spread the heaps."""
        found: IntBuffer = IntBuffer()
        self.bodies.find_crowded(HEAP, found)
        if found.used == 0:
            return 0
        found.used = 0
        self.bodies.find_crowded(DENSE, found)
        rows = np.frombuffer(found.taken(), np.int32)
        xs, ys = np.asarray(self.bodies.x), np.asarray(self.bodies.y)
        extent = np.asarray(self.bodies.extent)[rows]
        old = np.column_stack((xs[rows], ys[rows]))
        new = spread_heaps(old, extent, self.bodies.small, self.bodies.grid.side)
        if not np.array_equal(old, new):
            xs[rows], ys[rows] = new.T
            self.bodies.sort_again()
        return 0

    def push_apart(self, iterations: cython.int) -> NoGil[None]:
        """Sweep until nothing overlaps visibly."""
        i: cython.int
        inner = YIELD
        self.measure_slack()
        for _ in range(iterations):
            if not self.sweep(inner):
                break
            inner = max(0.5 * inner, LEAST_YIELD)
        if self.limits.capped and self.shorten():
            for i in range(self.bodies.n):
                self.swept[i] = 0
            for i in range(1, 1 + MOST_SETTLING_SWEEPS):
                if not self.sweep_inward(i):
                    return

    def measure_slack(self) -> NoGil[None]:
        """Measure how deep units overlap that only touch, by the rounding of their places."""
        u: cython.Py_ssize_t
        for u in range(self.bodies.n):
            self.slack[u] = self.bodies.slack_of(u)

    def shorten(self) -> NoGil[cython.bint]:
        """Shorten the pushes beyond `max_push`; return whether there are any.

        What a unit has in common with those placed before it is kept, and what is its own is
        shortened. Were the whole push shortened, a unit that also dodges sideways would not come
        out as far as the crowd walks in, and the crowd would sink into itself.
        """
        j: cython.Py_ssize_t
        most = self.limits.max_push * self.limits.max_push
        found = False
        for u in range(self.bodies.n):
            dx = self.bodies.x[u] - self.bodies.start_x[u]
            dy = self.bodies.y[u] - self.bodies.start_y[u]
            if dx * dx + dy * dy <= most:
                continue
            found = True
            mean_x = dx
            mean_y = dy
            for j in range(self.ranks.first[u], self.ranks.first[u + 1]):
                v = self.ranks.before[j]
                if v < 0:
                    v = ~v
                mean_x += self.bodies.x[v] - self.bodies.start_x[v]
                mean_y += self.bodies.y[v] - self.bodies.start_y[v]
            share = 1.0 / (1.0 + (self.ranks.first[u + 1] - self.ranks.first[u]))
            mean_x *= share
            mean_y *= share
            share = share_within(mean_x, mean_y, dx - mean_x, dy - mean_y, most)
            self.bodies.x[u] = self.bodies.start_x[u] + (mean_x + share * (dx - mean_x))
            self.bodies.y[u] = self.bodies.start_y[u] + (mean_y + share * (dy - mean_y))
            self.limits.cap(u)
        return found

    def sweep_inward(self, number: cython.int) -> NoGil[cython.bint]:
        """Push units apart from the rim of the crowd inwards, none further than `max_push`.

        Who can go no further stays, and those further inside make way for it. After the first such
        sweep, whoever has not moved since the last one is passed over. Returns whether some overlap
        is large enough for another sweep.
        """
        j: cython.Py_ssize_t
        since: cython.int = number - 1  # 0 in the first one: all count as moved
        unsettled = False
        for k in range(self.ranks.ends.used - 2, -1, -2):
            for j in range(self.ranks.ends.values[k] - 1, self.ranks.first_of(k) - 1, -1):
                u = self.ranks.later[j]
                v = self.ranks.earlier[j]
                v = v if v >= 0 else ~v
                if self.swept[u] < since and self.swept[v] < since:
                    continue
                pushed = self.push_pairs(j, j + 1, 1.0)
                if pushed:
                    self.swept[u] = self.swept[v] = number
                if pushed & FAR:
                    unsettled = True
                    self.limits.cap(u)
                    self.limits.cap(v)
            if self.limits.held:
                for j in range(self.ranks.first_of(k + 1), self.ranks.ends.values[k + 1]):
                    if self.bodies.weight[j] > 0.0 and self.limits.hold(j):
                        self.swept[j] = number
        return unsettled

    def hold_all(self) -> NoGil[None]:
        """Shorten all pushes, and hold all units once more: the last pushes were not held."""
        if self.limits.held or self.limits.capped:
            for u in range(self.bodies.n):
                if self.bodies.weight[u] > 0.0:
                    self.limits.cap(u)
        if self.limits.held:
            self.limits.hold_each(0, self.bodies.n)

    def sweep(self, inner: cython.double) -> NoGil[cython.bint]:
        """Push units away from those that were placed before them, rank by rank, and hold them.

        What lies further inside gives way by `inner` of what it else would. Returns whether some
        overlap is large enough for another sweep.
        """
        pushed: cython.int = 0
        for k in range(0, self.ranks.ends.used, 2):
            pushed |= self.push_pairs(self.ranks.first_of(k), self.ranks.ends.values[k], inner)
            if self.limits.held:
                self.limits.hold_each(self.ranks.first_of(k + 1), self.ranks.ends.values[k + 1])
        return pushed & FAR

    def push_pairs(
        self, first: cython.Py_ssize_t, end: cython.Py_ssize_t, inner: cython.double
    ) -> NoGil[cython.int]:
        """Push some pairs of the ranks apart; return whether any, and whether any far, as bits.

        Nobody can foresee who overlaps, so there is no branch on it: the others are pushed by 0.
        """
        way = cython.declare(cython.double[2])
        gives = cython.declare(cython.double[2])
        pushed: cython.int = 0
        gives[0] = 1.0
        gives[1] = inner
        for j in range(first, end):
            u: cython.int = self.ranks.later[j]
            v: cython.int = self.ranks.earlier[j]
            inside: cython.int = v < 0
            v ^= -inside  # ~v if it lies further inside
            give_u = self.share_of(u, v, gives[inside])
            give_v = 1.0 - give_u
            if give_u < 0.0:
                continue
            dx = self.bodies.x[u] - self.bodies.x[v]
            dy = self.bodies.y[u] - self.bodies.y[v]
            reach = self.bodies.extent[u] + self.bodies.extent[v]
            if self.bodies.boxed and (self.bodies.half_h[u] >= 0.0 or self.bodies.half_h[v] >= 0.0):
                way[0] = way[1] = 0.0
                depth = self.box_overlap(u, v, dx, dy, way)
                dx = way[0]
                dy = way[1]
                distance = 1.0
            else:
                distance = sqrt(dx * dx + dy * dy)
                depth = reach - distance
                if distance <= ONE_POINT * reach:  # they part in a direction of their own
                    dx = self.directions[self.own_direction(u, v), 0]
                    dy = self.directions[self.own_direction(u, v), 1]
                    distance = 1.0
            visible: cython.int = depth > self.slack[u] + self.slack[v]
            pushed |= visible * (VISIBLE | FAR * (depth > REST * reach))
            share = visible * (depth / distance)
            dx *= share
            dy *= share
            self.bodies.x[u] += dx * give_u
            self.bodies.y[u] += dy * give_u
            self.bodies.x[v] -= dx * give_v
            self.bodies.y[v] -= dy * give_v
        return pushed

    def share_of(self, u: cython.int, v: cython.int, ease: cython.double) -> NoGil[cython.double]:
        """Return the share of a push that u takes, where v takes the rest; -1 if neither gives way.

        `ease` is how easily v is pushed, relative to its weight.
        """
        give_u = self.bodies.weight[u]
        give_v = self.bodies.weight[v] * ease
        if not self.bodies.mutual:
            if (self.bodies.flags[v] & PUSHES) == 0:
                give_u = 0.0
            if (self.bodies.flags[u] & PUSHES) == 0:
                give_v = 0.0
        return give_u / (give_u + give_v) if give_u + give_v > 0.0 else -1.0

    def own_direction(self, u: cython.int, v: cython.int) -> NoGil[cython.int]:
        """Return the number of the direction in which u leaves v when both are on one point."""
        return (7 * self.bodies.slots[u] + self.bodies.slots[v]) & 63

    def box_overlap(
        self,
        u: cython.int,
        v: cython.int,
        dx: cython.double,
        dy: cython.double,
        away: cython.p_double,
    ) -> NoGil[cython.double]:
        """Return how deep two footprints overlap, one of them a box; if so, write u's way out.

        That is how deep the offset (dx, dy) is in a box with round corners, around both.
        """
        half_w = 0.0
        half_h = 0.0
        radius = 0.0
        if self.bodies.half_h[u] >= 0.0:
            half_w = self.bodies.half_w[u]
            half_h = self.bodies.half_h[u]
        else:
            radius = self.bodies.half_w[u]
        if self.bodies.half_h[v] >= 0.0:
            half_w += self.bodies.half_w[v]
            half_h += self.bodies.half_h[v]
        else:
            radius += self.bodies.half_w[v]
        gap_x = abs(dx) - half_w
        gap_y = abs(dy) - half_h
        if gap_x >= radius or gap_y >= radius:
            return 0.0
        if gap_x > 0.0 and gap_y > 0.0:  # beyond a corner
            distance = sqrt(gap_x * gap_x + gap_y * gap_y)
            away[0] = gap_x / distance if dx >= 0.0 else -gap_x / distance
            away[1] = gap_y / distance if dy >= 0.0 else -gap_y / distance
            return max(radius - distance, 0.0)
        if gap_x >= gap_y:
            away[0] = 1.0 if dx >= 0.0 else -1.0
            away[1] = 0.0
            return radius - gap_x
        away[0] = 0.0
        away[1] = 1.0 if dy >= 0.0 else -1.0
        return radius - gap_y

    # -- the tree ----------------------------------------------------------------------------------

    def has_moved(self, u: cython.int) -> NoGil[cython.bint]:
        """Whether a unit has left the position that the tree holds."""
        return (
            self.bodies.x[u] != self.bodies.start_x[u]
            or self.bodies.y[u] != self.bodies.start_y[u]
            or (self.bodies.flags[u] & LEFT_WALL) != 0
        )

    def write_moved(
        self, numbers: cython.int[::1], slots: cython.int[::1], places: cython.double[:, ::1]
    ) -> NoGil[cython.int]:
        """Write the slots and the places of the units that have moved; return how many.

        `numbers` is scratch: a 0 for each slot.
        """
        u: cython.int
        n: cython.int = 0
        for u in range(self.bodies.n):
            numbers[self.bodies.slots[u]] = (u + 1) * self.has_moved(u)
        for slot in range(len(numbers)):
            if numbers[slot] > 0:
                u = numbers[slot] - 1
                slots[n] = slot
                places[n, 0] = self.bodies.x[u]
                places[n, 1] = self.bodies.y[u]
                n += 1
        return n


def share_within(
    x: cython.double,
    y: cython.double,
    dx: cython.double,
    dy: cython.double,
    most: cython.double,
) -> NoGil[cython.double]:
    """Return how much of (dx, dy) fits behind (x, y) within a length, whose square is given."""
    a = dx * dx + dy * dy
    b = dx * x + dy * y
    c = x * x + y * y - most
    if c >= 0.0 or a == 0.0:
        return 0.0
    return (sqrt(b * b - a * c) - b) / a


def separate(
    store: UnitStore,
    masks: tuple[int, int, int],
    chosen: np.ndarray | None,
    mass: np.ndarray | None,
    walls: Solids,
    box: memoryview,
    max_push: float,
    iterations: int,
    directions: memoryview,
) -> np.ndarray:
    """Push units apart and move them in the tree; return the slots of those that moved.

    Raises:
        ValueError: `mass` has no row for a slot; nothing is moved.
    """
    if mass is not None and mass.ndim == 0:
        mass = np.full(store.slots, mass)
    begin_change(cython.address(store.busy))
    try:
        memory = Scratch(store.count + 2, 12, 13)  # for all arrays by number of bodies, grid, ranks
        bodies: Bodies = Bodies(store, memory, *masks, None if chosen is None else chosen.data)
        wrong = bodies.weigh(None if mass is None else mass.data)
        if wrong >= 0:
            raise ValueError(f"mass must have a row for each slot, but has none for {wrong}")
        crowd: Crowd = Crowd(bodies, Limits(bodies, walls, box, max_push), directions, memory)
        crowd.separate(iterations)
        slots, places = np.empty(bodies.n, np.int32), np.empty((bodies.n, 2))
        n = crowd.write_moved(np.zeros(store.slots, np.int32).data, slots, places)
        slots, places = slots[:n].copy(), places[:n]
        if n > 0:
            move_units(store, slots, places)
        return slots
    finally:
        end_change(cython.address(store.busy))

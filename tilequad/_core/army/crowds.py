"""Separation: the units of a crowd are pushed apart, from its inside outwards, and out of walls.

Pushing pairs apart one after the other settles a crowd slowly: each push makes another overlap, and
in a dead end the pressure adds up until units stand inside one another. So units are ranked by how
many others separate them from free space. Those deep inside are placed first, and those further out
make way for them: each round of pushes runs from the inside of the crowd to its rim, and settles
all of it.
"""

from __future__ import annotations

from array import array
from math import sqrt

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises, RaisesNoGil
from tilequad._core.army.bodies import LEFT_WALL, PUSHES, Bodies
from tilequad._core.army.solids import Solids, clearance
from tilequad._core.buffers import IntBuffer
from tilequad._core.tree.changes import move_units
from tilequad._core.tree.layout import (
    GROUPS,
    INF,
    MAX_COORDINATE,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    Walk,
    begin_change,
    end_change,
    place_of,
    start_counts,
)
from tilequad._core.tree.pairs import begin_pairs, find_pairs
from tilequad._core.tree.units import UnitStore

# Overlaps below these parts of the footprints and of the coordinates count as rounding, so that
# units which only touch after a push stay where they are.
SLOP: cython.double = 1e-9
RELATIVE_SLOP: cython.double = 1e-14

YIELD: cython.double = 0.125  # how easily an inner unit is pushed, relative to an outer one
REST: cython.double = 0.01  # smaller overlaps, as a share of the footprints, need no further sweep
LARGER: cython.double = 1.5  # a neighbor this many times as large blocks a whole side
SPREAD: cython.double = 0.5  # units at one point begin this many radii apart
NEAR_WALLS: cython.Py_ssize_t = 64  # with more walls near a leaf, each unit looks for its own
NO_RANK: cython.int = -1
# Units are neighbors if their gap is at most this share of the smaller one's width. Only if small
# gaps are ignored do the inside and the rim of a crowd show.
GAP: cython.double = 0.2


@cython.final
@cython.cclass
class Crowd(Bodies):
    """The units of some groups while they are pushed apart."""

    __slots__ = {
        "walls": "Solids",
        "walled": "bint",
        "box": "double[::1]",
        "max_push": "double",
        "directions": "double[:, ::1]",
        "first": "int[::1]",
        "near": "int[::1]",
        "rank": "int[::1]",
        "order": "int[::1]",
        "swept": "int[::1]",
        "wall_near": "IntBuffer",
        "wall_first": "int[::1]",
        "wall_count": "int[::1]",
    }

    def __init__(
        self,
        store: UnitStore,
        pushed: cython.int,
        others: cython.int,
        without: cython.int,
        walls: Solids,
        box: memoryview,
        max_push: float,
        directions: memoryview,
    ) -> None:
        Bodies.__init__(self, store, pushed, others, without)
        self.walls = walls
        self.walled = not self.walls.is_empty()
        self.box = box
        self.max_push = max_push
        self.directions = directions

    # -- one call ----------------------------------------------------------------------------------

    def separate(self, iterations: cython.int) -> Raises[cython.int]:
        """Run up to `iterations` sweeps of pushes."""
        pairs: IntBuffer = IntBuffer(1024)
        i: cython.int
        self.find_near(pairs)
        self.meet_walls()
        if pairs.used == 0 and not self.walled:
            return 0
        self.rank_units(pairs)
        with cython.nogil:
            for i in range(1, iterations + 1):
                if not self.sweep(i):
                    break
            for i in range(self.n):
                if self.weight[i] > 0.0:
                    self.resolve_walls(i)
        return 0

    def find_near(self, pairs: IntBuffer) -> Raises[cython.int]:
        """Append the numbers of all near pairs where one unit pushes the other, two a pair."""
        walk = cython.declare(Walk)
        i: cython.Py_ssize_t
        start_counts(cython.address(walk), False)
        begin_pairs(cython.address(walk), self.pushed | self.others, self.without, GAP)
        find_pairs(self.store, cython.address(walk), pairs, self.pushed, self.others)
        for i in range(pairs.used):
            pairs.values[i] = self.number[pairs.values[i]]
        return 0

    def sweep(self, number: cython.int) -> NoGil[cython.bint]:
        """Push each unit away from those that were placed before it, then out of the walls.

        From the second sweep on, pairs that have not moved since the last sweep are skipped.
        Returns whether some overlap is large enough for another sweep.
        """
        k: cython.Py_ssize_t
        j: cython.Py_ssize_t
        u: cython.int
        v: cython.int
        unsettled: cython.bint = False
        for k in range(self.n):
            u = self.order[k]
            for j in range(self.first[u], self.first[u + 1]):
                v = self.near[j]
                if number == 1 or self.swept[u] >= number - 1 or self.swept[v] >= number - 1:
                    unsettled |= self.resolve_overlap(u, v, number)
            if self.weight[u] > 0.0 and self.resolve_walls(u):
                self.swept[u] = number
        return unsettled

    def resolve_overlap(
        self, u: cython.int, v: cython.int, sweep: cython.int
    ) -> NoGil[cython.bint]:
        """Push two units apart along the shortest way; return whether they overlap visibly."""
        away = cython.declare(cython.double[2])
        depth: cython.double = self.overlap_of(u, v, away)
        reach: cython.double
        give_u: cython.double = 0.0
        give_v: cython.double = 0.0
        total: cython.double
        if depth <= 0.0:
            return False
        reach = self.extent(u) + self.extent(v)
        if depth <= SLOP * reach + RELATIVE_SLOP * (
            abs(self.x[u]) + abs(self.y[u]) + abs(self.x[v]) + abs(self.y[v])
        ):
            return False
        if (self.flags[v] & PUSHES) != 0:
            give_u = self.weight[u]
        if (self.flags[u] & PUSHES) != 0:
            give_v = self.weight[v]
        if self.rank[v] > self.rank[u]:
            give_v *= YIELD
        total = give_u + give_v
        if total <= 0.0:
            return False
        give_u = depth * (give_u / total)
        give_v = depth * (give_v / total)
        self.swept[u] = self.swept[v] = sweep
        self.x[u] += away[0] * give_u
        self.y[u] += away[1] * give_u
        self.x[v] -= away[0] * give_v
        self.y[v] -= away[1] * give_v
        return depth > REST * reach

    def overlap_of(
        self, u: cython.int, v: cython.int, away: cython.p_double
    ) -> NoGil[cython.double]:
        """Return how deep two footprints overlap, 0 if apart; write the direction from v to u."""
        dx: cython.double = self.x[u] - self.x[v]
        dy: cython.double = self.y[u] - self.y[v]
        radius: cython.double = self.half_w[u] + self.half_w[v]
        distance: cython.double
        if self.half_h[u] >= 0.0 or self.half_h[v] >= 0.0:
            return rounded_box_overlap(
                dx,
                dy,
                (self.half_w[u] if self.half_h[u] >= 0.0 else 0.0)
                + (self.half_w[v] if self.half_h[v] >= 0.0 else 0.0),
                max(self.half_h[u], 0.0) + max(self.half_h[v], 0.0),
                (self.half_w[u] if self.half_h[u] < 0.0 else 0.0)
                + (self.half_w[v] if self.half_h[v] < 0.0 else 0.0),
                away,
            )
        distance = dx * dx + dy * dy
        if distance >= radius * radius:
            return 0.0
        distance = sqrt(distance)
        if distance > 0.0:
            away[0] = dx / distance
            away[1] = dy / distance
        else:  # at one point, they part in a direction of their own
            away[0] = self.directions[(7 * self.slots[u] + self.slots[v]) & 63, 0]
            away[1] = self.directions[(7 * self.slots[u] + self.slots[v]) & 63, 1]
        return radius - distance

    # -- who makes way for whom --------------------------------------------------------------------

    def rank_units(self, pairs: IntBuffer) -> Raises[cython.int]:
        """Rank the units, order them by rank, and list each one's earlier neighbors."""
        n: cython.int = self.n
        m: cython.Py_ssize_t = pairs.used
        first: cython.int[::1] = array("i", [0]) * (n + 2)
        near: cython.int[::1] = array("i", [0]) * max(m, 1)
        seen: cython.int[::1] = array("i", [0]) * n
        self.first = array("i", [0]) * (n + 2)
        self.near = array("i", [0]) * max(m // 2, 1)
        self.rank = array("i", [NO_RANK]) * n
        self.order = array("i", [0]) * n
        self.swept = array("i", [0]) * n
        with cython.nogil:
            self.list_near(pairs, first, near)
            self.look_around(first, near, seen)
            self.find_ranks(first, near, seen)
            self.order_units(seen)
            self.list_before(first, near, seen)
        return 0

    def list_near(
        self, pairs: IntBuffer, first: cython.int[::1], near: cython.int[::1]
    ) -> NoGil[None]:
        """List the neighbors of each unit u: near[first[u]:first[u + 1]]."""
        k: cython.Py_ssize_t
        for k in range(pairs.used):
            first[pairs.values[k] + 2] += 1
        for k in range(2, self.n + 2):
            first[k] += first[k - 1]
        for k in range(0, pairs.used, 2):
            near[first[pairs.values[k] + 1]] = pairs.values[k + 1]
            near[first[pairs.values[k + 1] + 1]] = pairs.values[k]
            first[pairs.values[k] + 1] += 1
            first[pairs.values[k + 1] + 1] += 1

    def look_around(
        self, first: cython.int[::1], near: cython.int[::1], seen: cython.int[::1]
    ) -> NoGil[None]:
        """Mark in which of eight directions each unit is blocked."""
        u: cython.int
        j: cython.Py_ssize_t
        v: cython.Py_ssize_t
        dx: cython.double
        dy: cython.double
        for u in range(self.n):
            for j in range(first[u], first[u + 1]):
                v = near[j]
                dx = self.x[v] - self.x[u]
                dy = self.y[v] - self.y[u]
                if self.half_h[v] >= 0.0:  # for a box, use its nearest point
                    dx = max(dx - self.half_w[v], min(0.0, dx + self.half_w[v]))
                    dy = max(dy - self.half_h[v], min(0.0, dy + self.half_h[v]))
                    seen[u] |= wide(octant(dx, dy))
                elif self.half_w[v] > LARGER * self.extent(u):
                    seen[u] |= wide(octant(dx, dy))
                else:
                    seen[u] |= 1 << octant(dx, dy)
            if self.weight[u] > 0.0:
                seen[u] |= self.walls_around(u)

    def walls_around(self, u: cython.Py_ssize_t) -> NoGil[cython.int]:
        """Return the directions in which a wall or the bounds block a unit."""
        box = cython.declare(cython.double[4])
        k: cython.Py_ssize_t
        dx: cython.double
        dy: cython.double
        found: cython.int = 0
        near: cython.double = 1.5 * self.extent(u)
        if self.x[u] - near <= self.box[0]:
            found |= wide(4)
        if self.y[u] - near <= self.box[1]:
            found |= wide(6)
        if self.x[u] + near >= self.box[2]:
            found |= wide(0)
        if self.y[u] + near >= self.box[3]:
            found |= wide(2)
        if not self.walled:
            return found
        for k in range(self.wall_first[u], self.wall_first[u] + self.wall_count[u]):
            self.walls.write_box(self.wall_near.values[k], box)
            dx = max(box[0] - self.x[u], min(0.0, box[2] - self.x[u]))
            dy = max(box[1] - self.y[u], min(0.0, box[3] - self.y[u]))
            if dx * dx + dy * dy <= near * near:
                found |= wide(octant(dx, dy))
        return found

    def find_ranks(
        self, first: cython.int[::1], near: cython.int[::1], seen: cython.int[::1]
    ) -> NoGil[None]:
        """Rank each unit by how many steps, from neighbor to neighbor, lead to the crowd's rim."""
        head: cython.Py_ssize_t = 0
        tail: cython.Py_ssize_t = 0
        u: cython.int
        v: cython.int
        j: cython.Py_ssize_t
        for u in range(self.n):
            if self.weight[u] > 0.0 and self.is_at_rim(u, first, near, seen[u]):
                self.rank[u] = 0
                self.order[tail] = u
                tail += 1
        while head < tail:
            u = self.order[head]
            head += 1
            for j in range(first[u], first[u + 1]):
                v = near[j]
                if self.rank[v] == NO_RANK and self.weight[v] > 0.0:
                    self.rank[v] = self.rank[u] + 1
                    self.order[tail] = v
                    tail += 1
        for u in range(self.n):
            if self.rank[u] == NO_RANK:  # what never moves is placed first
                self.rank[u] = 0 if self.weight[u] > 0.0 else self.n

    def is_at_rim(
        self,
        u: cython.Py_ssize_t,
        first: cython.int[::1],
        near: cython.int[::1],
        seen: cython.int,
    ) -> NoGil[cython.bint]:
        """Whether a unit has free space on one side, beyond its neighbors and their neighbors.

        The second look rejects a gap in the middle of a crowd.
        """
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        v: cython.Py_ssize_t
        if not is_open(seen):
            return False
        for j in range(first[u], first[u + 1]):
            for k in range(first[near[j]], first[near[j] + 1]):
                v = near[k]
                if v != u:
                    seen |= 1 << octant(self.x[v] - self.x[u], self.y[v] - self.y[u])
        return is_open(seen)

    def order_units(self, place: cython.int[::1]) -> NoGil[None]:
        """Order the units by rank, the highest first, then by slot."""
        u: cython.int
        slot: cython.Py_ssize_t
        starts: cython.int[::1] = self.first
        for u in range(self.n + 2):
            starts[u] = 0
        for u in range(self.n):
            starts[self.n - self.rank[u] + 1] += 1
        for u in range(self.n + 1):
            starts[u + 1] += starts[u]
        for slot in range(len(self.number)):
            u = self.number[slot]
            if u >= 0:
                place[u] = starts[self.n - self.rank[u]]
                self.order[place[u]] = u
                starts[self.n - self.rank[u]] += 1

    def list_before(
        self, first: cython.int[::1], near: cython.int[::1], place: cython.int[::1]
    ) -> NoGil[None]:
        """List for each unit its neighbors that come before it, in order.

        The order depends only on the units, not on how the tree found the pairs.
        """
        k: cython.Py_ssize_t
        j: cython.Py_ssize_t
        u: cython.int
        v: cython.int
        for u in range(self.n + 2):
            self.first[u] = 0
        for u in range(self.n):
            for j in range(first[u], first[u + 1]):
                self.first[u + 2] += place[near[j]] < place[u]
        for k in range(2, self.n + 2):
            self.first[k] += self.first[k - 1]
        for k in range(self.n):
            v = self.order[k]
            for j in range(first[v], first[v + 1]):
                u = near[j]
                if place[u] > k:
                    self.near[self.first[u + 1]] = v
                    self.first[u + 1] += 1
        for u in range(self.n):
            self.spread(u)

    def spread(self, u: cython.int) -> NoGil[None]:
        """Move a unit that stands exactly on others onto a spiral around them.

        The layout is Vogel's (A better way to construct the sunflower head, 1979). Otherwise all
        units would leave the point along the line of the first pair.
        """
        count: cython.int = 0
        j: cython.Py_ssize_t
        v: cython.Py_ssize_t
        out: cython.double
        for j in range(self.first[u], self.first[u + 1]):
            v = self.near[j]
            count += self.start_x[v] == self.start_x[u] and self.start_y[v] == self.start_y[u]
        if count > 0 and self.weight[u] > 0.0:
            out = SPREAD * self.extent(u) * sqrt(count)
            self.x[u] += self.directions[count & 63, 0] * out
            self.y[u] += self.directions[count & 63, 1] * out

    # -- walls -------------------------------------------------------------------------------------

    def meet_walls(self) -> Raises[cython.int]:
        """List the walls near each unit; move a unit that starts inside a wall out of it."""
        order: cython.int[::1] = array("i", [0]) * self.store.nodes.live
        around: IntBuffer = IntBuffer(NEAR_WALLS)
        self.wall_near = IntBuffer(256)
        if not self.walled:
            return 0
        self.wall_first = array("i", [0]) * self.n
        self.wall_count = array("i", [0]) * self.n
        with cython.nogil:
            self.find_walls(self.store, order, around)
        return 0

    def find_walls(
        self, store: UnitStore, order: cython.int[::1], around: IntBuffer
    ) -> RaisesNoGil[cython.int]:
        """List the walls near each leaf, then near each unit in it."""
        place = cython.declare(cython.double[2])
        k: cython.Py_ssize_t
        q: cython.int
        at: cython.Py_ssize_t
        u: cython.int
        reach: cython.double
        few: cython.bint
        for k in range(store.nodes.write_preorder(order)):
            for q in range(4 * order[k], 4 * order[k] + 4):
                at = place_of(q)
                if (
                    store.nodes.links[at] >= 0
                    or (store.nodes.links[at + GROUPS] & self.pushed) == 0
                ):
                    continue
                reach = min(2.0 * store.nodes.reach[q], MAX_COORDINATE)  # a float32, possibly inf
                around.used = 0
                few = self.walls.gather(
                    store.nodes.box[at + MIN_X] - reach,
                    store.nodes.box[at + MIN_Y] - reach,
                    store.nodes.box[at + MAX_X] + reach,
                    store.nodes.box[at + MAX_Y] + reach,
                    NEAR_WALLS,
                    around,
                )
                if around.used == 0:
                    continue
                for u in range(self.begin[q], self.end[q]):
                    if self.weight[u] == 0.0:
                        continue
                    if few:
                        self.pick_walls(u, around)
                    else:
                        self.list_walls(u)
                    if self.in_wall(u, self.x[u], self.y[u]):
                        self.walls.find_way_out(self.x[u], self.y[u], self.box, place)
                        self.flags[u] |= LEFT_WALL
                        self.start_x[u] = self.x[u] = place[0]
                        self.start_y[u] = self.y[u] = place[1]
                        self.list_walls(u)
        return 0

    def pick_walls(self, u: cython.int, around: IntBuffer) -> RaisesNoGil[cython.int]:
        """List the walls near a unit, chosen from the walls near its leaf."""
        box = cython.declare(cython.double[4])
        j: cython.Py_ssize_t
        reach: cython.double = 2.0 * self.extent(u)
        self.wall_first[u] = cython.cast(cython.int, self.wall_near.used)
        for j in range(around.used):
            self.walls.write_box(around.values[j], box)
            if (
                box[0] - self.x[u] <= reach
                and box[1] - self.y[u] <= reach
                and self.x[u] - box[2] <= reach
                and self.y[u] - box[3] <= reach
            ):
                self.wall_near.append(around.values[j])
        self.wall_count[u] = cython.cast(cython.int, self.wall_near.used - self.wall_first[u])
        return 0

    def list_walls(self, u: cython.int) -> RaisesNoGil[cython.int]:
        """List the walls near a unit."""
        reach: cython.double = 2.0 * self.extent(u)
        self.wall_first[u] = cython.cast(cython.int, self.wall_near.used)
        self.walls.gather(
            self.x[u] - reach,
            self.y[u] - reach,
            self.x[u] + reach,
            self.y[u] + reach,
            0x7FFFFFFF,
            self.wall_near,
        )
        self.wall_count[u] = cython.cast(cython.int, self.wall_near.used - self.wall_first[u])
        return 0

    def in_wall(self, u: cython.int, x: cython.double, y: cython.double) -> NoGil[cython.bint]:
        """Whether a place is in one of the walls near a unit."""
        k: cython.Py_ssize_t
        for k in range(self.wall_first[u], self.wall_first[u] + self.wall_count[u]):
            if self.walls.holds(self.wall_near.values[k], x, y):
                return True
        return False

    def resolve_walls(self, u: cython.int) -> NoGil[cython.bint]:
        """Limit a unit's push to `max_push`, the bounds and the walls.

        Returns whether that has moved the unit.
        """
        x: cython.double = self.x[u]
        y: cython.double = self.y[u]
        dx: cython.double = x - self.start_x[u]
        dy: cython.double = y - self.start_y[u]
        away: cython.double = dx * dx + dy * dy
        if away > self.max_push * self.max_push:
            away = self.max_push / sqrt(away)
            self.x[u] = self.start_x[u] + dx * away
            self.y[u] = self.start_y[u] + dy * away
        if self.walled and self.wall_count[u] > 0:
            self.leave_walls(u)
        if self.x[u] != self.start_x[u] or self.y[u] != self.start_y[u]:
            self.x[u] = min(max(self.x[u], self.box[0]), self.box[2])
            self.y[u] = min(max(self.y[u], self.box[1]), self.box[3])
            if self.walled:
                self.stop_at_walls(u)
        return self.x[u] != x or self.y[u] != y

    def leave_walls(self, u: cython.int) -> NoGil[None]:
        """Push a unit out of the walls, or into the middle of a gap that is too narrow for it."""
        push = cython.declare(cython.double[2])
        best = cython.declare(cython.double[2])
        k: cython.Py_ssize_t
        entry: cython.Py_ssize_t
        first: cython.int
        depth: cython.double
        deepest: cython.double
        last_x: cython.double = 0.0
        last_y: cython.double = 0.0
        for _ in range(4):
            deepest = SLOP * self.extent(u) + RELATIVE_SLOP * (abs(self.x[u]) + abs(self.y[u]))
            best[0] = best[1] = 0.0
            first = -1  # of walls equally deep, the one given first
            for k in range(self.wall_first[u], self.wall_first[u] + self.wall_count[u]):
                entry = self.wall_near.values[k]
                depth = self.walls.press_of(
                    entry,
                    self.x[u],
                    self.y[u],
                    self.half_w[u],
                    self.half_h[u],
                    push,
                )
                if depth > deepest or (
                    depth == deepest and first >= 0 and self.walls.rank_of(entry) < first
                ):
                    deepest = depth
                    first = self.walls.rank_of(entry)
                    best[0] = push[0]
                    best[1] = push[1]
            if best[0] == 0.0 and best[1] == 0.0:
                return
            if best[0] * last_x + best[1] * last_y < 0.0:
                self.x[u] += 0.5 * deepest * best[0]
                self.y[u] += 0.5 * deepest * best[1]
                return
            self.x[u] += deepest * best[0]
            self.y[u] += deepest * best[1]
            last_x = best[0]
            last_y = best[1]

    def stop_at_walls(self, u: cython.int) -> NoGil[None]:
        """Stop a unit where its way meets a wall. It starts outside and ends outside."""
        x0: cython.double = self.start_x[u]
        y0: cython.double = self.start_y[u]
        dx: cython.double = self.x[u] - x0
        dy: cython.double = self.y[u] - y0
        length: cython.double = dx * dx + dy * dy
        far: cython.bint = length > self.extent(u) * self.extent(u)
        k: cython.Py_ssize_t
        time: cython.double = INF
        if far:  # far enough to meet walls that are not listed
            time = self.walls.first_time(x0, y0, self.x[u], self.y[u])
        else:
            for k in range(self.wall_first[u], self.wall_first[u] + self.wall_count[u]):
                time = min(
                    time,
                    self.walls.way_time(self.wall_near.values[k], x0, y0, self.x[u], self.y[u]),
                )
        if time > 1.0:
            return
        time = max(0.0, time - 2.0 * (clearance(x0) + clearance(y0)) / sqrt(length))
        self.x[u] = x0 + time * dx
        self.y[u] = y0 + time * dy
        if self.walls.holder_of(self.x[u], self.y[u]) >= 0:
            self.x[u] = x0
            self.y[u] = y0

    # -- the tree ----------------------------------------------------------------------------------

    def count_moved(self) -> int:
        """Count the units that have moved."""
        u: cython.int
        n: cython.int = 0
        for u in range(self.n):
            n += self.has_moved(u)
        return n

    def has_moved(self, u: cython.int) -> NoGil[cython.bint]:
        """Whether a unit has left the position that the tree holds."""
        return (
            self.x[u] != self.start_x[u]
            or self.y[u] != self.start_y[u]
            or (self.flags[u] & LEFT_WALL) != 0
        )

    def write_moved(
        self, slots: cython.int[::1], places: cython.double[:, ::1]
    ) -> Raises[cython.int]:
        """Write the slots and the places of the units that have moved."""
        slot: cython.int
        u: cython.int
        n: cython.int = 0
        for slot in range(len(self.number)):
            u = self.number[slot]
            if u >= 0 and self.has_moved(u):
                slots[n] = slot
                places[n, 0] = self.x[u]
                places[n, 1] = self.y[u]
                n += 1
        return 0


def rounded_box_overlap(
    dx: cython.double,
    dy: cython.double,
    half_w: cython.double,
    half_h: cython.double,
    radius: cython.double,
    away: cython.p_double,
) -> NoGil[cython.double]:
    """Return how deep an offset is inside a box with round corners; write the shortest way out.

    The radius is added to the half sizes of the box.
    """
    gap_x: cython.double = abs(dx) - half_w
    gap_y: cython.double = abs(dy) - half_h
    distance: cython.double
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


def octant(dx: cython.double, dy: cython.double) -> NoGil[cython.int]:
    """Return the eighth of the circle that a direction lies in, counterclockwise from 0."""
    # A table of eight digits avoids branches that cannot be predicted.
    return (0x56214730 >> (4 * ((dx < 0.0) + 2 * (dy < 0.0) + 4 * (abs(dy) > abs(dx))))) & 7


def wide(k: cython.int) -> NoGil[cython.int]:
    """Return an eighth of the circle and its two neighbors, as bits."""
    return (1 << k) | (1 << ((k + 1) & 7)) | (1 << ((k + 7) & 7))


def is_open(seen: cython.int) -> NoGil[cython.bint]:
    """Whether three neighboring eighths are free, as at the rim, where half a circle is free."""
    free: cython.int = ~seen & 255
    free |= free << 8
    return (free & (free >> 1) & (free >> 2)) != 0


def separate(
    store: UnitStore,
    masks: tuple[int, int, int],
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
        crowd: Crowd = Crowd(store, *masks, walls, box, max_push, directions)
        wrong = crowd.collect(None if mass is None else mass.data)
        if wrong >= 0:
            raise ValueError(f"mass must have a row for each slot, but has none for {wrong}")
        crowd.separate(iterations)
        n = crowd.count_moved()
        slots = np.empty(n, np.int32)
        if n > 0:
            places = np.empty((n, 2))
            crowd.write_moved(slots, places)
            move_units(store, slots, places)
        return slots
    finally:
        end_change(cython.address(store.busy))

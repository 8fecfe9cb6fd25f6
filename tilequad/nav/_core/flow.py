# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Distances to the nearest goal and the ways there, for every cell; and their repair.

A distance is a whole number of 40 bits, so sums have no order and do not round. Beside it a cell
keeps its *ways*: a bit for each move that leads along a shortest path. A cell without ways is a
goal, or has no distance.

The repair follows Ramalingam and Reps (1996). Ways that no longer hold are struck out. A cell that
has lost its last way has lost its distance, and so on behind it. Then each lost cell looks at its
neighbours, and the search goes on from there. What has a way left is not touched, so the cost is
that of the cells that really change; and as the shortest distances are unique, they are the same
as if found anew.
"""

from __future__ import annotations

from array import array

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # compiled, flow.pxd imports these
    from math import fabs, sqrt

    from tilequad.quadtree._core import _cython as cython

from tilequad.nav._core.buckets import Buckets
from tilequad.nav._core.ground import Ground
from tilequad.quadtree._core.buffers import IntBuffer

FAR = (1 << 40) - 1  # no distance
LOWER = (1 << 32) - 1  # the lower 32 bits


class Flow:
    """The distances and ways of all cells.

    Args:
        ground: The cells.
        queue: A queue for their moves.
        low: The lower 32 bits of each distance.
        rest: The upper 8 bits of each distance, and below them the ways.
        headings: (x, y) of each set of ways: where they lead together.
        limit: The largest distance.
        unit: How long a unit of distance is.
        stride: The longest step that walkers take at once.
        even: Whether all open cells cost the same.
    """

    __slots__ = (
        "across",
        "across_x",
        "across_y",
        "area",
        "codes",
        "columns",
        "corner_x",
        "corner_y",
        "counts",
        "directions",
        "down",
        "down_x",
        "down_y",
        "edges",
        "even",
        "ground",
        "halves",
        "headings",
        "kind",
        "limit",
        "lost",
        "low",
        "moves",
        "offsets",
        "opposites",
        "orders",
        "queue",
        "rest",
        "rows",
        "sides",
        "stride",
        "unit",
    )

    def __init__(
        self,
        ground: Ground,
        queue: Buckets,
        low: memoryview,
        rest: memoryview,
        headings: memoryview,
        limit: int,
        unit: float,
        stride: float,
        even: bool,
    ) -> None:
        self.ground = ground
        self.codes = ground.codes  # here as well: each step to them counts
        self.moves = ground.moves
        self.counts = ground.counts
        self.orders = ground.orders
        self.offsets = ground.offsets
        self.opposites = ground.opposites
        self.halves = ground.halves
        self.kind = ground.kind
        self.edges = ground.edges
        self.directions = ground.directions
        self.queue = queue
        self.lost = IntBuffer(256)
        self.low = low
        self.rest = rest
        self.headings = headings
        self.limit = limit
        self.unit = unit
        self.even = even
        self.stride = stride
        # The directions to the next column, to the next row, and to the corner between them, in
        # each quarter of a cell: higher columns and rows, lower columns, lower rows, both lower.
        self.sides = array("i", [0, 4, 0, 4, 2, 2, 6, 6, 1, 3, 7, 5])
        self.across = array("i", [1, -1, 1, -1])
        self.down = array("i", [ground.stride, ground.stride, -ground.stride, -ground.stride])
        self.columns = ground.columns
        self.rows = ground.rows
        self.corner_x, self.corner_y = ground.frame[0], ground.frame[1]
        self.across_x, self.across_y = ground.frame[2], ground.frame[3]
        self.down_x, self.down_y = ground.frame[4], ground.frame[5]
        self.area = self.across_x * self.down_y - self.across_y * self.down_x

    # -- the parts of a cell -----------------------------------------------------------------------

    def distance_of(self, place: cython.Py_ssize_t) -> cython.longlong:
        """The distance of a cell, FAR if it has none."""
        high: cython.longlong = self.rest[place] >> 8
        return (high << 32) | self.low[place]

    def set_distance(
        self, place: cython.Py_ssize_t, distance: cython.longlong, ways: cython.int
    ) -> None:
        """Set the distance and the ways of a cell."""
        self.low[place] = distance & LOWER
        self.rest[place] = ((distance >> 32) << 8) | ways

    def lose(self, place: cython.Py_ssize_t) -> None:
        """Take its distance from a cell."""
        self.low[place] = 0xFFFFFFFF
        self.rest[place] = 0xFF00

    # -- anew --------------------------------------------------------------------------------------

    def find(self, goals: cython.int[::1]) -> None:
        """Find all distances anew; every cell has none before."""
        i: cython.Py_ssize_t
        with cython.nogil:
            self.queue.start(0)
            for i in range(len(goals)):
                self.set_distance(goals[i], 0, 0)
                self.queue.append(goals[i], 0)
            self.spread()

    def spread(self) -> cython.int:
        """Go on from all places in the queue until it is empty."""
        place: cython.Py_ssize_t
        while self.queue.pop():
            place = self.queue.place
            if self.queue.key == self.distance_of(place):
                self.visit(place, self.queue.key)
        return 0

    def visit(self, place: cython.Py_ssize_t, distance: cython.longlong) -> cython.int:
        """Tell the neighbours of a cell how far they are through it."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        other: cython.Py_ssize_t
        code: cython.Py_ssize_t = 8 * self.codes[place]
        # Not back along its ways: the cells there are nearer.
        moves: cython.Py_ssize_t = self.moves[place] & ~self.rest[place]
        base: cython.Py_ssize_t
        beyond: cython.Py_ssize_t = code
        there: cython.longlong
        before: cython.longlong
        if code == 0:
            return self.leave_goal(place)
        base = self.ground.parity_of(place)
        for i in range(self.counts[moves]):
            k = self.orders[8 * moves + i]
            other = place + self.offsets[base + k]
            if not self.even:
                beyond = 8 * self.codes[other]
            there = distance + self.halves[code + k] + self.halves[beyond + k]
            before = self.rest[other] >> 8
            before = (before << 32) | self.low[other]
            if there < before and there <= self.limit:
                self.low[other] = there & LOWER
                self.rest[other] = ((there >> 32) << 8) | (1 << self.opposites[k])
                self.queue.append(cython.cast(cython.int, other), there)
            elif there == before:
                self.rest[other] |= 1 << self.opposites[k]
        return 0

    def leave_goal(self, place: cython.Py_ssize_t) -> cython.int:
        """A goal in a closed cell is reached across its edges."""
        k: cython.Py_ssize_t
        other: cython.Py_ssize_t
        base: cython.Py_ssize_t = self.ground.parity_of(place)
        there: cython.longlong
        before: cython.longlong
        for k in range(self.directions):
            other = place + self.offsets[base + k]
            if not self.edges >> k & 1 or self.codes[other] == 0:
                continue
            there = 2 * self.halves[8 * self.codes[other] + k]
            before = self.distance_of(other)
            if there < before and there <= self.limit:
                self.set_distance(other, there, 1 << self.opposites[k])
                self.queue.append(cython.cast(cython.int, other), there)
            elif there == before:
                self.rest[other] |= 1 << self.opposites[k]
        return 0

    # -- repair ------------------------------------------------------------------------------------

    def repair(
        self,
        changed: cython.int[::1],
        gone: cython.int[::1],
        goals: cython.int[::1],
    ) -> None:
        """Repair the distances after cells have changed, and goals have gone or come.

        Args:
            changed: The cells whose cost has changed.
            gone: The cells that are no longer goals.
            goals: The cells that have become goals.
        """
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t
        base: cython.Py_ssize_t
        with cython.nogil:
            self.lost.used = 0
            for i in range(len(gone)):
                self.lose(gone[i])
                self.lost.append(gone[i])
            for i in range(len(changed)):
                place = changed[i]
                base = self.ground.parity_of(place)
                self.verify(place)
                for k in range(self.directions):
                    self.verify(place + self.offsets[base + k])
            self.cascade()
            for i in range(len(goals)):
                self.set_distance(goals[i], 0, 0)
        self.renew(changed, goals)

    def verify(self, place: cython.Py_ssize_t) -> cython.int:
        """Strike out the ways of a cell that no longer hold."""
        k: cython.Py_ssize_t
        base: cython.Py_ssize_t
        cost: cython.longlong
        ways: cython.int = self.rest[place] & 0xFF
        distance: cython.longlong = self.distance_of(place)
        if ways == 0:
            return 0  # a goal, or without a distance
        base = self.ground.parity_of(place)
        for k in range(self.directions):
            if ways >> k & 1:
                cost = self.move_cost(place, k)
                if cost < 0 or self.distance_of(place + self.offsets[base + k]) + cost != distance:
                    ways &= ~(1 << k)
        self.rest[place] = (self.rest[place] & 0xFF00) | ways
        if ways == 0:
            self.lose(place)
            self.lost.append(cython.cast(cython.int, place))
        return 0

    def move_cost(self, place: cython.Py_ssize_t, k: cython.Py_ssize_t) -> cython.longlong:
        """What a move costs, -1 if it is not legal. A closed goal is entered across its edges."""
        other: cython.Py_ssize_t = place + self.offsets[self.ground.parity_of(place) + k]
        if self.moves[place] >> k & 1:
            return self.ground.weight(place, other, k)
        if (
            self.edges >> k & 1
            and self.codes[place] != 0
            and self.codes[other] == 0
            and self.distance_of(other) == 0
        ):
            return 2 * self.halves[8 * self.codes[place] + k]
        return -1

    def cascade(self) -> cython.int:
        """Strike out the ways through lost cells, and lose the cells that have none left."""
        i: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t
        other: cython.Py_ssize_t
        base: cython.Py_ssize_t
        way: cython.int
        while i < self.lost.used:
            place = self.lost.values[i]
            i += 1
            base = self.ground.parity_of(place)
            for k in range(self.directions):
                other = place + self.offsets[base + k]
                way = 1 << self.opposites[k]
                if self.rest[other] & way:
                    self.rest[other] ^= way
                    if self.rest[other] & 0xFF == 0:
                        self.lose(other)
                        self.lost.append(cython.cast(cython.int, other))
        return 0

    def renew(self, changed: cython.int[::1], goals: cython.int[::1]) -> None:
        """Find the distances of lost cells again, and what is nearer than before."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t
        base: cython.Py_ssize_t
        seeds: IntBuffer = IntBuffer(256)
        with cython.nogil:
            for i in range(self.lost.used):
                self.look(self.lost.values[i], seeds)
            for i in range(len(changed)):
                place = changed[i]
                base = self.ground.parity_of(place)
                self.look(place, seeds)
                for k in range(self.directions):
                    self.look(place + self.offsets[base + k], seeds)
            for i in range(len(goals)):
                seeds.append(goals[i])
                seeds.append(0)
                seeds.append(0)
                seeds.append(0)
        if seeds.used:
            self.sow(seeds)

    def look(self, place: cython.Py_ssize_t, seeds: IntBuffer) -> cython.int:
        """Find the best ways of a cell through its neighbours; a seed if it is nearer than before.

        A seed is written later: a lost neighbour must not take it for a distance that is known.
        """
        k: cython.Py_ssize_t
        base: cython.Py_ssize_t = self.ground.parity_of(place)
        cost: cython.longlong
        there: cython.longlong
        before: cython.longlong = self.distance_of(place)
        best: cython.longlong = before
        ways: cython.int = 0
        if self.codes[place] == 0 or before == 0:
            return 0
        for k in range(self.directions):
            cost = self.move_cost(place, k)
            if cost < 0:
                continue
            there = self.distance_of(place + self.offsets[base + k])
            if there == FAR:
                continue
            there += cost
            if there > self.limit:
                continue
            if there < best:
                best = there
                ways = 0
            if there == best:
                ways |= 1 << k
        if best < before:
            seeds.append(cython.cast(cython.int, place))
            seeds.append(cython.cast(cython.int, best >> 20))
            seeds.append(cython.cast(cython.int, best & 0xFFFFF))
            seeds.append(ways)
        elif ways != 0:
            self.rest[place] |= ways
        return 0

    def sow(self, seeds: IntBuffer) -> None:
        """Spread from cells by distance: each joins the queue when the search has come so far."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        n: cython.Py_ssize_t = seeds.used // 4
        place: cython.Py_ssize_t
        high: cython.longlong
        key: cython.longlong
        queue: Buckets = self.queue
        pairs = []
        for i in range(0, seeds.used, 4):
            place = seeds.values[i]
            high = seeds.values[i + 1]
            key = (high << 20) | seeds.values[i + 2]
            self.set_distance(place, key, seeds.values[i + 3])
            pairs.append((key, place))
        pairs.sort()
        while at < n or queue.size:
            if not queue.size:
                queue.start(pairs[at][0])
            key = (queue.now + 1) << queue.shift
            while at < n and pairs[at][0] < key:
                queue.append(pairs[at][1], pairs[at][0])
                at += 1
            self.spread_until(pairs[at][0] if at < n else FAR)

    def spread_until(self, key: cython.longlong) -> None:
        """Go on until the bucket of a key."""
        place: cython.Py_ssize_t
        queue: Buckets = self.queue
        with cython.nogil:
            while queue.size and queue.now < key >> queue.shift:
                if queue.heads[queue.now & queue.mask] < 0:
                    queue.now += 1
                    continue
                queue.pop()
                place = queue.place
                if queue.key == self.distance_of(place):
                    self.visit(place, queue.key)

    # -- walkers -----------------------------------------------------------------------------------

    def fill_distances(self, xy: cython.double[:, ::1], found: cython.double[::1]) -> None:
        """Write the distances of the cells at points, inf where there is none."""
        i: cython.Py_ssize_t
        place: cython.Py_ssize_t
        distance: cython.longlong
        with cython.nogil:
            for i in range(len(found)):
                place = self.ground.place_at(xy[i, 0], xy[i, 1])
                if place >= 0:
                    distance = self.distance_of(place)
                    if distance != FAR:
                        found[i] = distance * self.unit

    def fill_directions(self, xy: cython.double[:, ::1], found: cython.double[:, ::1]) -> None:
        """Write the directions at points, unit vectors; (0, 0) where there is none."""
        i: cython.Py_ssize_t
        heading = cython.declare(cython.double[2])
        with cython.nogil:
            for i in range(len(found)):
                if self.blend(xy[i, 0], xy[i, 1], heading):
                    found[i, 0] = heading[0]
                    found[i, 1] = heading[1]

    def blend(self, x: cython.double, y: cython.double, heading: cython.p_double) -> cython.bint:
        """The direction at a point, from the ways of the cells around it. Whether there is one."""
        length: cython.double
        ways: cython.Py_ssize_t
        place: cython.Py_ssize_t
        if self.kind == 0:
            place = self.blend_lattice(x, y, heading)
        else:
            place = self.ground.place_at(x, y)
            if place >= 0:
                self.blend_staggered(place, x, y, heading)
        if place < 0:
            return False
        ways = self.rest[place] & 0xFF
        if ways == 0:
            place = self.way_out(place)
            if place < 0:
                return False
            heading[0] = self.ground.center_x(place) - x
            heading[1] = self.ground.center_y(place) - y
        length = sqrt(heading[0] * heading[0] + heading[1] * heading[1])
        if ways != 0 and length < 0.25:  # the ways around lead apart: the own ones decide
            heading[0] = self.headings[2 * ways]
            heading[1] = self.headings[2 * ways + 1]
        else:
            heading[0] = heading[0] / length
            heading[1] = heading[1] / length
        return True

    def way_out(self, place: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The best cell beside a closed one, for who was pushed in; -1 if there is none."""
        k: cython.Py_ssize_t
        other: cython.Py_ssize_t
        base: cython.Py_ssize_t
        best: cython.longlong = FAR
        found: cython.Py_ssize_t = -1
        if self.codes[place] != 0 or self.distance_of(place) == 0:
            return -1
        base = self.ground.parity_of(place)
        for k in range(self.directions):
            other = place + self.offsets[base + k]
            if self.codes[other] != 0 and self.distance_of(other) < best:
                best = self.distance_of(other)
                found = other
        return found

    def blend_lattice(
        self, x: cython.double, y: cython.double, heading: cython.p_double
    ) -> cython.Py_ssize_t:
        """Blend the four cells whose centers are around a point, each by its nearness.

        Left out are cells to which no legal move leads from the cell of the point. Returns the
        place of that cell, -1 outside.
        """
        u: cython.double
        v: cython.double
        far: cython.double
        down: cython.Py_ssize_t = self.ground.stride
        across: cython.Py_ssize_t
        column: cython.Py_ssize_t
        row: cython.Py_ssize_t
        place: cython.Py_ssize_t
        ways: cython.Py_ssize_t
        side: cython.int
        moves: cython.int
        x -= self.corner_x
        y -= self.corner_y
        u = (x * self.down_y - y * self.down_x) / self.area
        v = (y * self.across_x - x * self.across_y) / self.area
        if not (0.0 <= u <= self.columns and 0.0 <= v <= self.rows):
            return -1
        column = min(cython.cast(cython.Py_ssize_t, u), self.columns - 1)
        row = min(cython.cast(cython.Py_ssize_t, v), self.rows - 1)
        place = (row + 2) * down + column + 2
        u -= column + 0.5
        v -= row + 0.5
        # No branches from here on: nothing could predict them.
        side = (u < 0.0) + 2 * (v < 0.0)
        across = self.across[side]
        down = self.down[side]
        u = fabs(u)
        v = fabs(v)
        moves = self.moves[place]
        ways = 2 * (self.rest[place] & 0xFF)
        far = (1.0 - u) * (1.0 - v)
        heading[0] = far * self.headings[ways]
        heading[1] = far * self.headings[ways + 1]
        ways = 2 * (self.rest[place + across] & 0xFF)
        far = u * (1.0 - v) * (moves >> self.sides[side] & 1)
        heading[0] += far * self.headings[ways]
        heading[1] += far * self.headings[ways + 1]
        ways = 2 * (self.rest[place + down] & 0xFF)
        far = (1.0 - u) * v * (moves >> self.sides[4 + side] & 1)
        heading[0] += far * self.headings[ways]
        heading[1] += far * self.headings[ways + 1]
        ways = 2 * (self.rest[place + across + down] & 0xFF)
        far = u * v * (moves >> self.sides[8 + side] & 1)
        heading[0] += far * self.headings[ways]
        heading[1] += far * self.headings[ways + 1]
        return place

    def blend_staggered(
        self,
        place: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        heading: cython.p_double,
    ) -> None:
        """Blend the cell of a point and its neighbours, less and less with the distance."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        other: cython.Py_ssize_t = place
        base: cython.Py_ssize_t = self.ground.parity_of(place)
        moves: cython.Py_ssize_t = self.moves[place]
        ways: cython.Py_ssize_t
        dx: cython.double
        dy: cython.double
        weight: cython.double
        reach2: cython.double = 4.0 * self.stride * self.stride
        heading[0] = heading[1] = 0.0
        for i in range(-1, self.counts[moves]):
            if i >= 0:
                k = self.orders[8 * moves + i]
                other = place + self.offsets[base + k]
            dx = x - self.ground.center_x(other)
            dy = y - self.ground.center_y(other)
            weight = 1.0 - (dx * dx + dy * dy) / reach2
            if i < 0:
                weight = max(weight, 0.25)
            if weight > 0.0:
                ways = self.rest[other] & 0xFF
                heading[0] += weight * weight * self.headings[2 * ways]
                heading[1] += weight * weight * self.headings[2 * ways + 1]

    def advance(
        self, xy: cython.double[:, ::1], steps: cython.double[::1], found: cython.double[:, ::1]
    ) -> None:
        """Write where walkers are after a step towards the nearest goal."""
        i: cython.Py_ssize_t
        each: cython.Py_ssize_t = 1 if len(steps) > 1 else 0
        left: cython.double
        part: cython.double
        spot = cython.declare(cython.double[2])
        with cython.nogil:
            for i in range(len(found)):
                spot[0] = xy[i, 0]
                spot[1] = xy[i, 1]
                left = steps[i * each]
                while left > 0.0:
                    part = min(left, self.stride)
                    self.step_on(spot, part)
                    left -= part
                found[i, 0] = spot[0]
                found[i, 1] = spot[1]

    def step_on(self, spot: cython.p_double, far: cython.double) -> None:
        """Take one short step; where a wall is in the way, towards the next cell instead."""
        heading = cython.declare(cython.double[2])
        turn: cython.Py_ssize_t
        k: cython.Py_ssize_t
        ways: cython.int
        place: cython.Py_ssize_t = self.ground.place_at(spot[0], spot[1])
        other: cython.Py_ssize_t
        x: cython.double
        y: cython.double
        length: cython.double
        if place < 0:
            return
        ways = self.rest[place] & 0xFF
        if not self.blend(spot[0], spot[1], heading):
            return
        for turn in range(3):
            if turn > 0:
                other = place
                if turn == 1:  # to the center of the next cell, then to that of the own one
                    for k in range(self.directions):
                        if ways >> k & 1:
                            other = place + self.offsets[self.ground.parity_of(place) + k]
                            break
                heading[0] = self.ground.center_x(other) - spot[0]
                heading[1] = self.ground.center_y(other) - spot[1]
                length = sqrt(heading[0] * heading[0] + heading[1] * heading[1])
                if length == 0.0:
                    continue
                far = min(far, length)
                heading[0] = heading[0] / length
                heading[1] = heading[1] / length
            x = spot[0] + heading[0] * far
            y = spot[1] + heading[1] * far
            other = self.ground.place_at(x, y)
            if other >= 0 and self.may_pass(place, other):
                spot[0] = x
                spot[1] = y
                return

    def may_pass(self, place: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.bint:
        """Whether a short step may lead from one cell to another."""
        k: cython.Py_ssize_t
        base: cython.Py_ssize_t
        if other == place:
            return True
        if self.codes[place] == 0:
            return self.codes[other] != 0  # out of a wall
        base = self.ground.parity_of(place)
        for k in range(self.directions):
            if place + self.offsets[base + k] == other:
                return self.moves[place] >> k & 1 != 0
        return False

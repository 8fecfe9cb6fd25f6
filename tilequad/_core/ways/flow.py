"""Distances to the nearest goal and the ways there, for every cell, with repair after changes.

A distance is a whole number of 40 bits, so sums do not round and do not depend on order. Each cell
also keeps its *ways*: a bit for each move along a shortest path. A cell without ways is a goal or
has no distance.

The repair follows Ramalingam and Reps (1996). Ways that no longer hold are struck out. A cell that
loses its last way loses its distance, and so may the cells whose ways lead through it. Then each
lost cell looks at its neighbors, and the search goes on from there. Cells with a way left are not
touched, so only cells that really change cost time; and because shortest distances are unique, the
result equals a fresh search.
"""

from __future__ import annotations

from math import fabs, inf, sqrt

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.buckets import Buckets
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import BLOCK, NOTHING, SPOTS

FAR: cython.longlong = (1 << 40) - 1  # no distance
LOWER: cython.longlong = (1 << 32) - 1  # mask of the lower 32 bits


@cython.final
@cython.cclass
class Flow:
    """The distances and ways of all cells.

    Args:
        ground: The cells.
        queue: A queue for their moves.
        low: The lower 32 bits of each distance.
        rest: The upper 8 bits of each distance, and below them the ways.
        headings: The joint direction (x, y) of each set of ways.
        limit: The largest distance.
        unit: The length of a unit of distance in world units.
        stride: The longest step of a walker; longer ones are split.
        even: Whether all open cells cost the same.
        beside: How many of the two cells beside a move across a corner must be open.
    """

    __slots__ = {
        "ground": "Ground",
        "queue": "Buckets",
        "lost": "IntBuffer",
        "codes": "unsigned char[::1]",
        "moves": "unsigned char[::1]",
        "counts": "unsigned char[::1]",
        "orders": "unsigned char[::1]",
        "opposites": "unsigned char[::1]",
        "offsets": "int[::1]",
        "halves": "long long[::1]",
        "directions": "Py_ssize_t",
        "edges": "int",
        "even": "bint",
        "kind": "int",
        "low": "unsigned int[::1]",
        "rest": "unsigned short[::1]",
        "headings": "double[::1]",
        "beside": "int",
        "steps": "double[::1]",
        "columns": "Py_ssize_t",
        "rows": "Py_ssize_t",
        "corner_x": "double",
        "corner_y": "double",
        "across_x": "double",
        "across_y": "double",
        "down_x": "double",
        "down_y": "double",
        "area": "double",
        "limit": "long long",
        "unit": "double",
        "stride": "double",
    }

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
        beside: int,
    ) -> None:
        self.ground = ground
        self.codes = ground.codes  # kept here as well, because each indirection costs time
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
        self.beside = beside
        self.stride = stride
        self.steps = ground.steps
        self.columns = ground.columns
        self.rows = ground.rows
        self.corner_x, self.corner_y = ground.frame[0], ground.frame[1]
        self.across_x, self.across_y = ground.frame[2], ground.frame[3]
        self.down_x, self.down_y = ground.frame[4], ground.frame[5]
        self.area = self.across_x * self.down_y - self.across_y * self.down_x

    # -- the parts of a cell -----------------------------------------------------------------------

    def distance_of(self, place: cython.Py_ssize_t) -> NoGil[cython.longlong]:
        """The distance of a cell, FAR if it has none."""
        high: cython.longlong = self.rest[place] >> 8
        return (high << 32) | self.low[place]

    def set_distance(
        self, place: cython.Py_ssize_t, distance: cython.longlong, ways: cython.int
    ) -> NoGil[None]:
        """Set the distance and the ways of a cell."""
        self.low[place] = distance & LOWER
        self.rest[place] = ((distance >> 32) << 8) | ways

    def lose(self, place: cython.Py_ssize_t) -> NoGil[None]:
        """Remove the distance of a cell."""
        self.low[place] = 0xFFFFFFFF
        self.rest[place] = 0xFF00

    # -- from scratch ------------------------------------------------------------------------------

    def find(self, goals: cython.int[::1]) -> None:
        """Find all distances from scratch; no cell may have one before."""
        i: cython.Py_ssize_t
        with cython.nogil:
            self.queue.start(0)
            for i in range(len(goals)):
                self.set_distance(goals[i], 0, 0)
                self.queue.append(goals[i], 0)
            self.spread(FAR, True)

    def spread(self, stop: cython.longlong, anew: cython.bint) -> RaisesNoGil[cython.int]:
        """Go on from all places in the queue until it is empty or has reached the bucket of a key.

        In a search from scratch, every place with a distance has been queued. If its distance
        shrinks within its bucket it is still there, and is not added again. If it has moved to an
        earlier bucket, the old entry is skipped. This loop dominates the cost of a new field, so
        the queue is inlined here and all arrays are pointers.
        """
        codes: cython.p_uchar = cython.address(self.codes[0]) if cython.compiled else self.codes
        legal: cython.p_uchar = cython.address(self.moves[0]) if cython.compiled else self.moves
        counts: cython.p_uchar = cython.address(self.counts[0]) if cython.compiled else self.counts
        orders: cython.p_uchar = cython.address(self.orders[0]) if cython.compiled else self.orders
        offsets: cython.p_int = cython.address(self.offsets[0]) if cython.compiled else self.offsets
        halves: cython.p_longlong = (
            cython.address(self.halves[0]) if cython.compiled else self.halves
        )
        low: cython.p_uint = cython.address(self.low[0]) if cython.compiled else self.low
        rest: cython.p_ushort = cython.address(self.rest[0]) if cython.compiled else self.rest
        heads: cython.p_int = (
            cython.address(self.queue.heads[0]) if cython.compiled else self.queue.heads
        )
        tails: cython.p_int = (
            cython.address(self.queue.tails[0]) if cython.compiled else self.queue.tails
        )
        places: cython.p_int = (
            cython.address(self.queue.places[0]) if cython.compiled else self.queue.places
        )
        nexts: cython.p_int = (
            cython.address(self.queue.nexts[0]) if cython.compiled else self.queue.nexts
        )
        even: cython.bint = self.even
        limit: cython.longlong = self.limit
        shift: cython.int = self.queue.shift
        mask: cython.Py_ssize_t = self.queue.mask
        now: cython.longlong = self.queue.now
        size: cython.Py_ssize_t = self.queue.size
        free: cython.int = self.queue.free
        ways = cython.declare(cython.int[8])  # a bit for the way back, by direction
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t
        end: cython.Py_ssize_t
        base: cython.Py_ssize_t = 0
        bucket: cython.Py_ssize_t
        entry: cython.int
        part: cython.longlong
        place: cython.Py_ssize_t
        other: cython.Py_ssize_t
        code: cython.Py_ssize_t
        moves: cython.Py_ssize_t
        distance: cython.longlong
        there: cython.longlong
        before: cython.longlong
        then: cython.longlong
        for k in range(8):
            ways[k] = 1 << self.opposites[k]
        stop >>= shift
        while size and now < stop:
            bucket = cython.cast(cython.Py_ssize_t, now & mask)
            entry = heads[bucket]
            if entry < 0:
                now += 1
                continue
            heads[bucket] = nexts[entry]
            nexts[entry] = free
            free = entry
            size -= 1
            place = places[entry]
            part = rest[place]
            distance = ((part >> 8) << 32) | low[place]
            if distance >> shift != now:
                continue
            code = 8 * codes[place]
            if code == 0 or self.queue.used + 8 > self.queue.room:
                self.queue.now, self.queue.size, self.queue.free = now, size, free
                if code == 0:
                    self.leave_goal(place)
                else:
                    with cython.gil:
                        self.queue.grow()
                size, free = self.queue.size, self.queue.free
                places = (
                    cython.address(self.queue.places[0]) if cython.compiled else self.queue.places
                )
                nexts = cython.address(self.queue.nexts[0]) if cython.compiled else self.queue.nexts
            # Not back along its own ways, because those cells are nearer
            moves = legal[place] & ~part
            if self.kind != 0:
                base = self.ground.parity_of(place)
            at = 8 * moves
            end = at + counts[moves]
            while at < end:
                k = orders[at]
                at += 1
                other = place + offsets[base + k]
                there = distance + halves[code + k]
                there += halves[code + k] if even else halves[8 * codes[other] + k]
                before = rest[other] >> 8
                before = (before << 32) | low[other]
                if there > before or there > limit:
                    continue
                if there == before:
                    rest[other] |= ways[k]
                    continue
                low[other] = there & LOWER
                rest[other] = ((there >> 32) << 8) | ways[k]
                then = there >> shift
                if anew and then == before >> shift and then != now:
                    continue
                if free >= 0:
                    entry = free
                    free = nexts[entry]
                else:
                    entry = self.queue.used
                    self.queue.used += 1
                bucket = cython.cast(cython.Py_ssize_t, then & mask)
                places[entry] = cython.cast(cython.int, other)
                nexts[entry] = -1
                if heads[bucket] < 0:
                    heads[bucket] = entry
                else:
                    nexts[tails[bucket]] = entry
                tails[bucket] = entry
                size += 1
        self.queue.now, self.queue.size, self.queue.free = now, size, free
        return 0

    def leave_goal(self, place: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Seed the neighbors across the edges of a goal in a closed cell."""
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
        """Repair the distances after cells have changed, or goals were removed or added.

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

    def verify(self, place: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
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

    def move_cost(self, place: cython.Py_ssize_t, k: cython.Py_ssize_t) -> NoGil[cython.longlong]:
        """Return the cost of a move, -1 if it is illegal.

        A closed goal is entered across its edges.
        """
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

    def cascade(self) -> RaisesNoGil[cython.int]:
        """Strike out the ways through lost cells; cells that have no way left are lost as well."""
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
        """Find new distances for lost cells, and for cells that are nearer than before."""
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

    def look(self, place: cython.Py_ssize_t, seeds: IntBuffer) -> RaisesNoGil[cython.int]:
        """Find a cell's best ways through its neighbors; record a seed if it is now nearer.

        A seed is written later, so that no lost neighbor mistakes it for a known distance.
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
        """Spread from seeds: each joins the queue when the search reaches its distance."""
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
            key = pairs[at][0] if at < n else FAR
            with cython.nogil:
                self.spread(key, False)

    # -- walkers -----------------------------------------------------------------------------------

    def fill_distances(self, xy: cython.double[::1], found: cython.double[::1]) -> None:
        """Write the distances of the cells at points, inf where there is none.

        A branch on the distance could not be predicted, so points are read in blocks without one.
        Points in cells without a distance follow afterwards: their cells may be closed.

        Args:
            xy: x and y of each point.
            found: A distance for each, inf before.
        """
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        n: cython.Py_ssize_t = len(found)
        start: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t
        odd: cython.Py_ssize_t
        place: cython.Py_ssize_t
        column: cython.Py_ssize_t
        row: cython.Py_ssize_t
        x: cython.double
        y: cython.double
        u: cython.double
        v: cython.double
        distance: cython.longlong
        low: cython.p_uint = cython.address(self.low[0]) if cython.compiled else self.low
        rest: cython.p_ushort = cython.address(self.rest[0]) if cython.compiled else self.rest
        points: cython.p_double = cython.address(xy[0]) if cython.compiled else xy
        far: cython.p_double = cython.address(found[0]) if cython.compiled else found
        lattice: cython.bint = self.kind == 0
        columns: cython.Py_ssize_t = self.columns
        rows: cython.Py_ssize_t = self.rows
        unit: cython.double = self.unit
        corner_x: cython.double = self.corner_x
        corner_y: cython.double = self.corner_y
        across_x: cython.double = self.across_x
        across_y: cython.double = self.across_y
        down_x: cython.double = self.down_x
        down_y: cython.double = self.down_y
        area: cython.double = self.area
        numbers = cython.declare(cython.int[BLOCK])
        with cython.nogil:
            while start < n:
                end = min(start + BLOCK, n)
                odd = 0
                for i in range(start, end):
                    if lattice:
                        x = points[2 * i] - corner_x
                        y = points[2 * i + 1] - corner_y
                        u = (x * down_y - y * down_x) / area
                        v = (y * across_x - x * across_y) / area
                        if not (0.0 <= u <= columns and 0.0 <= v <= rows):
                            continue
                        column = min(cython.cast(cython.Py_ssize_t, u), columns - 1)
                        row = min(cython.cast(cython.Py_ssize_t, v), rows - 1)
                        place = (row + 2) * (columns + 4) + column + 2
                    else:
                        place = self.ground.place_at(points[2 * i], points[2 * i + 1])
                        if place < 0:
                            continue
                    distance = rest[place] >> 8
                    distance = (distance << 32) | low[place]
                    far[i] = distance * unit
                    numbers[odd] = cython.cast(cython.int, i)
                    odd += distance == FAR
                for j in range(odd):
                    i = numbers[j]
                    place = self.ground.place_at(points[2 * i], points[2 * i + 1])
                    far[i] = self.approach(place)
                start = end

    def approach(self, place: cython.Py_ssize_t) -> NoGil[cython.double]:
        """Return the distance of a closed cell by way of its best open edge neighbor.

        inf for an open cell, or if no such neighbor has a distance.
        """
        k: cython.Py_ssize_t = 0
        step: cython.Py_ssize_t = 2 if self.directions == 8 else 1
        other: cython.Py_ssize_t
        base: cython.Py_ssize_t
        code: cython.Py_ssize_t
        distance: cython.longlong
        best: cython.longlong = FAR
        if self.codes[place] != 0:
            return inf
        base = self.ground.parity_of(place)
        while k < self.directions:  # without a branch on the state of the neighbor
            other = place + self.offsets[base + k]
            code = self.codes[other]
            distance = self.distance_of(other) + 2 * self.halves[8 * code + k]
            distance += FAR * (code == 0)  # a closed goal has a distance as well
            best = min(best, distance)
            k += step
        return best * self.unit if best <= self.limit else inf

    def distance_at(self, x: cython.double, y: cython.double) -> float:
        """The distance of the cell at a point, inf where there is none."""
        place: cython.Py_ssize_t = self.ground.place_at(x, y)
        distance: cython.longlong
        if place < 0:
            return inf
        distance = self.distance_of(place)
        return distance * self.unit if distance != FAR else self.approach(place)

    def direction_at(self, x: cython.double, y: cython.double) -> tuple:  # type: ignore[type-arg]
        """The direction at a point, a unit vector; (0, 0) where there is none."""
        heading = cython.declare(cython.double[2])
        self.blend(x, y, heading)
        return heading[0], heading[1]

    def advance_from(self, x: cython.double, y: cython.double, step: cython.double) -> tuple:  # type: ignore[type-arg]
        """Where a walker is after a step."""
        spot = cython.declare(cython.double[2])
        spot[0] = x
        spot[1] = y
        self.walk(spot, step)
        return spot[0], spot[1]

    def fill_directions(self, xy: cython.double[::1], found: cython.double[::1]) -> None:
        """Write the directions at points, unit vectors; (0, 0) where there is none.

        Args:
            xy: x and y of each point.
            found: x and y of each direction.
        """
        i: cython.Py_ssize_t
        points: cython.p_double = cython.address(xy[0]) if cython.compiled else xy
        heading: cython.p_double = cython.address(found[0]) if cython.compiled else found
        spot = cython.declare(cython.double[2])
        with cython.nogil:
            if self.kind == 0:
                self.blend_lattice(points, heading, len(found) // 2)
            else:
                for i in range(len(found) // 2):
                    self.blend_staggered(xy[2 * i], xy[2 * i + 1], spot)
                    found[2 * i] = spot[0]
                    found[2 * i + 1] = spot[1]

    def blend_lattice(
        self, xy: cython.p_double, found: cython.p_double, n: cython.Py_ssize_t
    ) -> NoGil[None]:
        """Write the directions at n points of a lattice.

        The headings of the four cells around a point are blended, weighted by nearness. The cell
        across a corner is left out if too few of the two cells beside have a distance. Cells
        without a distance have no heading.

        Branches that depend on a cell cannot be predicted and would stall the points behind. So
        points are read in blocks without such branches, and the special cases are redone
        afterwards.
        """
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        start: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t
        odd: cython.Py_ssize_t
        column: cython.Py_ssize_t
        row: cython.Py_ssize_t
        place: cython.Py_ssize_t
        across: cython.Py_ssize_t
        down: cython.Py_ssize_t
        own: cython.Py_ssize_t
        beside: cython.Py_ssize_t
        below: cython.Py_ssize_t
        corner: cython.Py_ssize_t
        x: cython.double
        y: cython.double
        u: cython.double
        v: cython.double
        far: cython.double
        length: cython.double
        rest: cython.p_ushort = cython.address(self.rest[0]) if cython.compiled else self.rest
        heading: cython.p_double = (
            cython.address(self.headings[0]) if cython.compiled else self.headings
        )
        columns: cython.Py_ssize_t = self.columns
        rows: cython.Py_ssize_t = self.rows
        stride: cython.Py_ssize_t = columns + 4
        corner_x: cython.double = self.corner_x
        corner_y: cython.double = self.corner_y
        across_x: cython.double = self.across_x
        across_y: cython.double = self.across_y
        down_x: cython.double = self.down_x
        down_y: cython.double = self.down_y
        area: cython.double = self.area
        numbers = cython.declare(cython.int[BLOCK])
        places = cython.declare(cython.int[BLOCK])
        spots = cython.declare(cython.double[SPOTS])
        gates = cython.declare(cython.double[3])  # by how many cells beside have a distance
        for i in range(3):
            gates[i] = 1.0 if i >= self.beside else 0.0
        while start < n:
            end = min(start + BLOCK, n)
            odd = 0
            for i in range(start, end):
                x = xy[2 * i] - corner_x
                y = xy[2 * i + 1] - corner_y
                u = (x * down_y - y * down_x) / area
                v = (y * across_x - x * across_y) / area
                if not (0.0 <= u <= columns and 0.0 <= v <= rows):
                    found[2 * i] = found[2 * i + 1] = 0.0
                    continue
                column = min(cython.cast(cython.Py_ssize_t, u), columns - 1)
                row = min(cython.cast(cython.Py_ssize_t, v), rows - 1)
                place = (row + 2) * stride + column + 2
                u -= column + 0.5
                v -= row + 0.5
                numbers[odd] = cython.cast(cython.int, i)
                places[odd] = cython.cast(cython.int, place)
                spots[2 * odd] = u
                spots[2 * odd + 1] = v
                across = 1 - 2 * (u < 0.0)
                down = stride * (1 - 2 * (v < 0.0))
                u = fabs(u)
                v = fabs(v)
                own = rest[place]
                beside = rest[place + across]
                below = rest[place + down]
                corner = rest[place + across + down]
                far = u * v * gates[(beside != NOTHING) + (below != NOTHING)]
                own = 2 * (own & 0xFF)
                beside = 2 * (beside & 0xFF)
                below = 2 * (below & 0xFF)
                corner = 2 * (corner & 0xFF)
                x = far * heading[corner]
                y = far * heading[corner + 1]
                far = (1.0 - u) * v
                x += far * heading[below]
                y += far * heading[below + 1]
                far = u * (1.0 - v)
                x += far * heading[beside]
                y += far * heading[beside + 1]
                far = (1.0 - u) * (1.0 - v)
                x += far * heading[own]
                y += far * heading[own + 1]
                length = sqrt(x * x + y * y)
                odd += (own == 0) | (length < 0.25)
                length = 1.0 / max(length, 0.25)
                found[2 * i] = x * length
                found[2 * i + 1] = y * length
            for j in range(odd):
                i = numbers[j]
                place = places[j]
                own = rest[place] & 0xFF
                if own:  # the headings around cancel out: use the cell's own
                    found[2 * i] = heading[2 * own]
                    found[2 * i + 1] = heading[2 * own + 1]
                    continue
                own = self.way_out(place)
                if own < 0:
                    found[2 * i] = found[2 * i + 1] = 0.0
                    continue
                u = spots[2 * j]
                v = spots[2 * j + 1]
                x = self.steps[2 * own] - (u * across_x + v * down_x)
                y = self.steps[2 * own + 1] - (u * across_y + v * down_y)
                length = 1.0 / sqrt(x * x + y * y)
                found[2 * i] = x * length
                found[2 * i + 1] = y * length
            start = end

    def blend(
        self, x: cython.double, y: cython.double, heading: cython.p_double
    ) -> NoGil[cython.bint]:
        """Write the direction at a point; return whether there is one."""
        spot = cython.declare(cython.double[2])
        if self.kind == 0:
            spot[0] = x
            spot[1] = y
            self.blend_lattice(spot, heading, 1)
        else:
            self.blend_staggered(x, y, heading)
        return heading[0] != 0.0 or heading[1] != 0.0

    def way_out(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """Return the direction from a closed cell to its best open neighbor.

        -1 if there is none, if the cell is open, or if it is a goal.
        """
        k: cython.Py_ssize_t
        other: cython.Py_ssize_t
        base: cython.Py_ssize_t
        found: cython.longlong
        best: cython.longlong = FAR << 3
        if self.codes[place] != 0 or self.distance_of(place) == 0:
            return -1
        base = self.ground.parity_of(place)
        for k in range(self.directions):
            other = place + self.offsets[base + k]
            found = self.distance_of(other)
            if found == 0 and self.codes[other] == 0:  # a closed goal
                continue
            best = min(best, (found << 3) | k)
        return best & 7 if best >> 3 < FAR else -1

    def blend_staggered(
        self, x: cython.double, y: cython.double, heading: cython.p_double
    ) -> NoGil[None]:
        """Write the direction at a point of a grid in lines, (0, 0) if there is none.

        Blends the headings of the point's cell and its neighbors, with weights falling with
        distance.
        """
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t = self.ground.place_at(x, y)
        other: cython.Py_ssize_t = place
        base: cython.Py_ssize_t
        moves: cython.Py_ssize_t
        own: cython.Py_ssize_t
        ways: cython.Py_ssize_t
        dx: cython.double
        dy: cython.double
        weight: cython.double
        length: cython.double
        reach2: cython.double = 4.0 * self.stride * self.stride
        heading[0] = heading[1] = 0.0
        if place < 0:
            return
        base = self.ground.parity_of(place)
        own = self.rest[place] & 0xFF
        if own == 0:
            k = self.way_out(place)
            if k < 0:
                return
            place += self.offsets[base + k]
            heading[0] = self.ground.center_x(place) - x
            heading[1] = self.ground.center_y(place) - y
        else:
            moves = self.moves[place]
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
        length = sqrt(heading[0] * heading[0] + heading[1] * heading[1])
        if own != 0 and length < 0.25:  # the headings around cancel out: use the cell's own
            heading[0] = self.headings[2 * own]
            heading[1] = self.headings[2 * own + 1]
        else:
            heading[0] = heading[0] / length
            heading[1] = heading[1] / length

    def advance(
        self, xy: cython.double[:, ::1], steps: cython.double[::1], found: cython.double[:, ::1]
    ) -> None:
        """Write where walkers are after a step toward the nearest goal."""
        i: cython.Py_ssize_t
        each: cython.Py_ssize_t = 1 if len(steps) > 1 else 0
        spot = cython.declare(cython.double[2])
        with cython.nogil:
            for i in range(len(found)):
                spot[0] = xy[i, 0]
                spot[1] = xy[i, 1]
                self.walk(spot, steps[i * each])
                found[i, 0] = spot[0]
                found[i, 1] = spot[1]

    def walk(self, spot: cython.p_double, left: cython.double) -> NoGil[None]:
        """Go on from a spot, in short steps."""
        part: cython.double
        while left > 0.0:
            part = min(left, self.stride)
            self.step_on(spot, part)
            left -= part

    def step_on(self, spot: cython.p_double, far: cython.double) -> NoGil[None]:
        """Take one short step; if a wall is in the way, step toward the next cell instead."""
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
                if turn == 1:  # try the center of the next cell, then the center of this one
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

    def may_pass(self, place: cython.Py_ssize_t, other: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a short step may lead from one cell to another."""
        k: cython.Py_ssize_t
        base: cython.Py_ssize_t
        if other == place:
            return True
        if self.codes[place] == 0:
            return self.codes[other] != 0  # leaving a wall
        base = self.ground.parity_of(place)
        for k in range(self.directions):
            if place + self.offsets[base + k] == other:
                return self.moves[place] >> k & 1 != 0
        return False

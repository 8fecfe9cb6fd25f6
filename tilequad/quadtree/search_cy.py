# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Searching among units: the loops between the traversal and the public verbs.

Every `find_` fills a buffer of the caller's with slots and returns how many; a full buffer means
that there may be more, and the next call goes on where it stopped. The state of a search is the
traversal's `stack` and `leaves`: how many leaves are left to read, the entry to go on with or -1,
and the leaves. Both live in the caller's local arrays, so no search writes to the tree. No Python
object is touched in this file.

A point and a radius meet as `dx * dx + dy * dy <= radius * radius`, in doubles, in this order;
the tests against footprints are written so that they are exact where the numbers are.
"""

from __future__ import annotations

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

if not cython.compiled:  # compiled, the .pxd has them
    from tilequad.quadtree.motion_cy import box_time, disc_time

from tilequad.quadtree.units_cy import Units

COMPILED = bool(cython.compiled)

INF = float("inf")
PI = 3.141592653589793
HITS = 256  # the room of a buffer of slots
NEAR = 64  # the room of a buffer of nearest slots
FEW = 4  # so many nearest slots and more are first looked for ...
MANY = 16  # ... and so many and fewer, in a circle


class Search(Units):
    """The searches of a dynamic quadtree, without the GIL."""

    __slots__ = ()

    def find_in_box(
        self,
        stack: cython.p_int,
        leaves: cython.p_int,
        hits: cython.p_int,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
        groups: cython.int,
    ) -> cython.int:
        """Slots whose footprint overlaps the box."""
        n: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t = leaves[1]
        at: cython.Py_ssize_t
        m: cython.Py_ssize_t
        end: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        reach: cython.double
        while True:
            if leaves[0] == 0:
                self.leaves_in_box(stack, leaves, min_x, min_y, max_x, max_y, groups)
                if leaves[0] == 0:
                    break
            at = self.place_of(leaves[leaves[0] + 1])
            if i < 0:
                i = self.links[at + 8]
            end = self.links[at + 8] + self.links[at + 12]
            reach = self.reach[leaves[leaves[0] + 1]]
            while i < end and n < HITS:
                # No branch: an entry is written down in any case, and kept by moving on.
                m = n
                stop = min(end, i + HITS - n)
                while i < stop:
                    hits[n] = cython.cast(cython.int, i)
                    n += (
                        (self.px[i] - max_x <= reach)
                        & (min_x - self.px[i] <= reach)
                        & (self.py[i] - max_y <= reach)
                        & (min_y - self.py[i] <= reach)
                    )
                    i += 1
                n = self.keep_in_box(hits, m, n, min_x, min_y, max_x, max_y, groups)
            if i < end:
                break
            leaves[0] -= 1
            i = -1
        leaves[1] = cython.cast(cython.int, i)
        return cython.cast(cython.int, n)

    def keep_in_box(
        self,
        hits: cython.p_int,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
        groups: cython.int,
    ) -> cython.Py_ssize_t:
        """Make the slots of those entries hits that are in some groups and overlap the box."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        for j in range(start, end):
            i = hits[j]
            hits[start] = self.who[i]
            start += (self.masks[i] & groups) != 0 and self.in_box(i, min_x, min_y, max_x, max_y)
        return start

    def in_box(
        self,
        i: cython.Py_ssize_t,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
    ) -> cython.bint:
        """Whether the footprint of entry i overlaps the box."""
        dx: cython.double = max(max(self.px[i] - max_x, min_x - self.px[i]), 0.0)
        dy: cython.double = max(max(self.py[i] - max_y, min_y - self.py[i]), 0.0)
        width: cython.double = self.half_w[self.who[i]]
        height: cython.double = self.half_h[self.who[i]]
        if height < 0.0 < width:
            return dx * dx + dy * dy <= width * width
        return dx <= width and dy <= max(height, 0.0)

    def find_within(
        self,
        stack: cython.p_int,
        leaves: cython.p_int,
        hits: cython.p_int,
        x: cython.double,
        y: cython.double,
        radius2: cython.double,
        least2: cython.double,
        groups: cython.int,
    ) -> cython.int:
        """Slots whose position is within a squared distance of (x, y), and not below another."""
        n: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t = leaves[1]
        at: cython.Py_ssize_t
        m: cython.Py_ssize_t
        end: cython.Py_ssize_t
        stop: cython.Py_ssize_t
        dx: cython.double
        dy: cython.double
        while True:
            if leaves[0] == 0:
                self.leaves_near(stack, leaves, x, y, radius2, groups)
                if leaves[0] == 0:
                    break
            at = self.place_of(leaves[leaves[0] + 1])
            if i < 0:
                i = self.links[at + 8]
            end = self.links[at + 8] + self.links[at + 12]
            while i < end and n < HITS:
                # No branch: an entry is written down in any case, and kept by moving on.
                m = n
                stop = min(end, i + HITS - n)
                while i < stop:
                    dx = self.px[i] - x
                    dy = self.py[i] - y
                    hits[n] = self.who[i]
                    n += dx * dx + dy * dy <= radius2
                    i += 1
                if least2 > 0.0 or (self.links[at + 4] & ~groups) != 0:
                    n = self.keep_hits(hits, m, n, x, y, least2, groups)
            if i < end:
                break
            leaves[0] -= 1
            i = -1
        leaves[1] = cython.cast(cython.int, i)
        return cython.cast(cython.int, n)

    def keep_hits(
        self,
        hits: cython.p_int,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        least2: cython.double,
        groups: cython.int,
    ) -> cython.Py_ssize_t:
        """Keep the hits in some groups that are not too near; returns where they end."""
        at: cython.Py_ssize_t
        j: cython.Py_ssize_t
        dx: cython.double
        dy: cython.double
        for j in range(start, end):
            at = self.record[3 * cython.cast(cython.Py_ssize_t, hits[j]) + 1]
            dx = self.px[at] - x
            dy = self.py[at] - y
            if (self.masks[at] & groups) != 0 and dx * dx + dy * dy >= least2:
                hits[start] = hits[j]
                start += 1
        return start

    def find_in_reach(
        self,
        stack: cython.p_int,
        leaves: cython.p_int,
        hits: cython.p_int,
        x: cython.double,
        y: cython.double,
        radius: cython.double,
        least: cython.double,
        groups: cython.int,
    ) -> cython.int:
        """Slots whose footprint is within a distance of (x, y), and not nearer than another."""
        n: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t = leaves[1]
        at: cython.Py_ssize_t
        end: cython.Py_ssize_t
        dx: cython.double
        dy: cython.double
        far: cython.double
        distance2: cython.double
        while True:
            if leaves[0] == 0:
                self.leaves_in_reach(stack, leaves, x, y, radius, groups)
                if leaves[0] == 0:
                    break
            at = self.place_of(leaves[leaves[0] + 1])
            if i < 0:
                i = self.links[at + 8]
            end = self.links[at + 8] + self.links[at + 12]
            while i < end and n < HITS:
                if (self.masks[i] & groups) != 0:
                    dx = self.px[i] - x
                    dy = self.py[i] - y
                    distance2 = dx * dx + dy * dy
                    far = self.half_w[self.who[i]]
                    if self.half_h[self.who[i]] < 0.0:
                        if distance2 <= (radius + far) * (radius + far) and (
                            least <= 0.0 or distance2 >= (least + far) * (least + far)
                        ):
                            hits[n] = self.who[i]
                            n += 1
                    else:
                        distance2 = self.edge_distance2(i, x, y)
                        if distance2 <= radius * radius and distance2 >= least * least:
                            hits[n] = self.who[i]
                            n += 1
                i += 1
            if i < end:
                break
            leaves[0] -= 1
            i = -1
        leaves[1] = cython.cast(cython.int, i)
        return cython.cast(cython.int, n)

    def edge_distance2(
        self, i: cython.Py_ssize_t, x: cython.double, y: cython.double
    ) -> cython.double:
        """The squared distance from (x, y) to the box of entry i; 0 inside."""
        dx: cython.double = max(abs(self.px[i] - x) - self.half_w[self.who[i]], 0.0)
        dy: cython.double = max(abs(self.py[i] - y) - self.half_h[self.who[i]], 0.0)
        return dx * dx + dy * dy

    def find_nearest(
        self,
        stack: cython.p_int,
        bounds: cython.p_double,
        hits: cython.p_int,
        distances: cython.p_double,
        serials: cython.p_int,
        k: cython.int,
        x: cython.double,
        y: cython.double,
        least2: cython.double,
        limit2: cython.double,
        after: cython.int,
        skip: cython.int,
        groups: cython.int,
    ) -> cython.int:
        """The k <= NEAR nearest slots, sorted by squared distance and then the order of adding.

        Those below `least2` do not count; of those at `least2` only the ones added later than
        number `after` do, so that a search can go on behind the last one it found. Slot `skip`
        never counts. `distances` gets the squared distances, `serials` the numbers in that order.

        The leaf at (x, y) comes first. If the circle of what is found there leaves its cell, what
        is beside the way down is searched too, from the first node whose cell holds the circle.
        """
        path = cython.declare(cython.int[64])
        edges = cython.declare(cython.double[64])
        limit = cython.declare(cython.double[1])
        depth: cython.Py_ssize_t = self.descend(path, edges, x, y)
        top: cython.Py_ssize_t = depth
        leaf: cython.int = ~path[depth]
        n: cython.int
        i: cython.Py_ssize_t
        end: cython.Py_ssize_t
        at: cython.Py_ssize_t
        slot: cython.int
        dx: cython.double
        dy: cython.double
        distance2: cython.double
        wanted: cython.double = 1.25 * k + 2.0
        plain: cython.bint = k == 1 and least2 <= 0.0 and after < 0 and skip < 0
        if FEW <= k <= MANY:
            for i in range(2):  # the second circle is twice as large
                n = self.find_ranked(
                    leaf,
                    wanted * (i + 1),
                    hits,
                    distances,
                    serials,
                    k,
                    x,
                    y,
                    least2,
                    limit2,
                    after,
                    skip,
                    groups,
                )
                if n >= 0:
                    return n
        n = 0
        stack[0] = 0
        while leaf >= 0:
            at = self.place_of(leaf)
            i = self.links[at + 8]
            end = i + self.links[at + 12]
            if plain and (self.links[at + 4] & ~groups) == 0:
                limit[0] = limit2
                at = closest(self, i, end, x, y, limit)
                limit2 = limit[0]
                if at >= 0:
                    n = 1
                    hits[0] = self.who[at]
                    distances[0] = limit2
                    serials[0] = self.record[3 * hits[0] + 2]
                if at >= -1:
                    i = end
            for i in range(i, end):
                if (self.masks[i] & groups) == 0:
                    continue
                dx = self.px[i] - x
                dy = self.py[i] - y
                distance2 = dx * dx + dy * dy
                if distance2 > limit2 or distance2 < least2:
                    continue
                slot = self.who[i]
                at = 3 * slot
                if slot == skip or (distance2 == least2 and self.record[at + 2] <= after):
                    continue
                n = self.sort_in(
                    hits, distances, serials, n, k, slot, distance2, self.record[at + 2]
                )
                if n == k:
                    limit2 = distances[k - 1]
            while top > 0 and edges[top] <= limit2:
                top -= 1
            while top < depth:
                self.push_near(stack, bounds, path[top], True, x, y, limit2, groups)
                top += 1
            depth = top = 0  # that was the way down; from here on there is the stack alone
            leaf = self.next_nearest(stack, bounds, x, y, limit2, groups)
        return n

    def find_ranked(
        self,
        q: cython.int,
        wanted: cython.double,
        hits: cython.p_int,
        distances: cython.p_double,
        serials: cython.p_int,
        k: cython.int,
        x: cython.double,
        y: cython.double,
        least2: cython.double,
        limit2: cython.double,
        after: cython.int,
        skip: cython.int,
        groups: cython.int,
    ) -> cython.int:
        """As `find_nearest`, in a circle that should hold the wanted, by how crowded leaf q is.

        Returns -1 if it holds fewer than k. Each hit's place is how many are before it, which takes
        no branch; sorting one by one takes many that cannot be foreseen.
        """
        stack = cython.declare(cython.int[128])
        leaves = cython.declare(cython.int[66])
        found = cython.declare(cython.int[256])
        squares = cython.declare(cython.double[256])
        ranks = cython.declare(cython.int[256])
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        end: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        m: cython.Py_ssize_t = 0
        dx: cython.double
        dy: cython.double
        circle2: cython.double = self.circle_of(q, wanted, groups)
        radius2: cython.double = min(circle2, limit2)
        if circle2 <= 0.0:
            return -1
        stack[0], stack[1], leaves[0] = 1, 0, 0
        while True:
            if leaves[0] == 0:
                self.leaves_near(stack, leaves, x, y, radius2, groups)
                if leaves[0] == 0:
                    break
            j = self.place_of(leaves[leaves[0] + 1])
            leaves[0] -= 1
            i = self.links[j + 8]
            end = i + self.links[j + 12]
            if n + end - i > HITS:
                return -1
            while i < end:
                dx = self.px[i] - x
                dy = self.py[i] - y
                found[n] = self.who[i]
                squares[n] = dx * dx + dy * dy
                n += squares[n] <= radius2
                i += 1
        for i in range(n):
            j = 3 * cython.cast(cython.Py_ssize_t, found[i])
            found[m] = found[i]
            squares[m] = squares[i]
            ranks[m] = self.record[j + 2]
            m += (
                (found[m] != skip)
                & ((self.masks[self.record[j + 1]] & groups) != 0)
                & (squares[m] >= least2)
                & ((squares[m] > least2) | (ranks[m] > after))
            )
        if m > NEAR or (m < k and circle2 < limit2):
            return -1
        rank(found, squares, ranks, m, k, hits, distances, serials)
        return cython.cast(cython.int, min(m, k))

    def circle_of(self, q: cython.int, count: cython.double, groups: cython.int) -> cython.double:
        """The squared radius of a circle of so many entries, as crowded as leaf q; 0 if unknown."""
        at: cython.Py_ssize_t = self.place_of(q)
        n: cython.double = self.links[at + 12]
        width: cython.double = self.box[at + 8] - self.box[at]
        height: cython.double = self.box[at + 12] - self.box[at + 4]
        if n < 4.0 or (self.links[at + 4] & ~groups) != 0:
            return 0.0
        # The box around n points is narrower than the room they have to themselves.
        width *= n + 1.0
        height *= n + 1.0
        return count * width * height / (PI * n * (n - 1.0) * (n - 1.0))

    def find_on_segment(
        self,
        stack: cython.p_int,
        leaves: cython.p_int,
        hits: cython.p_int,
        times: cython.p_double,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        half_w: cython.double,
        half_h: cython.double,
        groups: cython.int,
    ) -> cython.int:
        """Slots whose footprint another one touches on its way to (x1, y1), and when.

        The other is a box, or a circle with its radius and half_h -1, as in the slots.
        """
        n: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t = leaves[1]
        at: cython.Py_ssize_t
        end: cython.Py_ssize_t
        time: cython.double
        reach: cython.double = max(half_w, half_h)
        while True:
            if leaves[0] == 0:
                self.leaves_on_segment(stack, leaves, x0, y0, x1, y1, reach, groups)
                if leaves[0] == 0:
                    break
            at = self.place_of(leaves[leaves[0] + 1])
            if i < 0:
                i = self.links[at + 8]
            end = self.links[at + 8] + self.links[at + 12]
            while i < end and n < HITS:
                if (self.masks[i] & groups) != 0:
                    time = self.touch_time(i, x0, y0, x1, y1, half_w, half_h)
                    if time <= 1.0:
                        hits[n] = self.who[i]
                        times[n] = time
                        n += 1
                i += 1
            if i < end:
                break
            leaves[0] -= 1
            i = -1
        leaves[1] = cython.cast(cython.int, i)
        return cython.cast(cython.int, n)

    def touch_time(
        self,
        i: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        half_w: cython.double,
        half_h: cython.double,
    ) -> cython.double:
        """When a moving footprint first touches entry i: 0 at the start, 1 at the end, else inf.

        Two discs touch where one as large as both reaches a point; a box and a disc where a disc
        reaches a box, whichever of them moves; two boxes where one as large as both has a point.
        """
        x: cython.double = self.px[i]
        y: cython.double = self.py[i]
        w: cython.double = self.half_w[self.who[i]]
        h: cython.double = self.half_h[self.who[i]]
        radius: cython.double = 0.0
        if h < 0.0 and half_h < 0.0:
            return disc_time(x0 - x, y0 - y, x1 - x0, y1 - y0, half_w + w)
        if h < 0.0:
            radius = w
            w = half_w
            h = half_h
        elif half_h < 0.0:
            radius = half_w
        else:
            w = w + half_w
            h = h + half_h
        x = x0 - x
        y = y0 - y
        return box_time(x + w, y + h, x - w, y - h, x1 - x0, y1 - y0, radius)


def rank(
    found: cython.p_int,
    squares: cython.p_double,
    ranks: cython.p_int,
    m: cython.Py_ssize_t,
    k: cython.Py_ssize_t,
    hits: cython.p_int,
    distances: cython.p_double,
    serials: cython.p_int,
) -> None:
    """Put m <= NEAR hits in order, by distance and then rank; the first k places are right.

    A hit's place is the number of those before it. First by distances in float32, four at a time;
    hits that are alike in it are given one place, and are told apart in a second round.
    """
    rough = cython.declare(cython.float[64])
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    kept: cython.Py_ssize_t = min(m, k)
    end: cython.Py_ssize_t = (m + 3) & ~3
    placed: cython.Py_ssize_t = 0
    total: cython.Py_ssize_t = 0
    place: cython.int
    for i in range(m):
        rough[i] = squares[i]
    for i in range(m, end):
        rough[i] = INF
    for i in range(m):
        place = 0
        for j in range(end):
            place += rough[j] < rough[i]
        hits[place] = found[i]
        distances[place] = squares[i]
        serials[place] = ranks[i]
        placed += place < k
        total += place * (place < k)
    if placed == kept and total == kept * (kept - 1) // 2:  # 0 .. kept - 1, each place once
        return
    for i in range(m):
        place = 0
        for j in range(m):
            place += (squares[j] < squares[i]) | (
                (squares[j] == squares[i]) & (ranks[j] < ranks[i])
            )
        hits[place] = found[i]
        distances[place] = squares[i]
        serials[place] = ranks[i]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def closest(
    tree: Units,
    i: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    limit2: cython.p_double,
) -> cython.Py_ssize_t:
    """The entry of a span nearest to (x, y), -1 if none is within limit2, -2 for a closer look.

    Its squared distance becomes the limit. No branch: who is nearer cannot be foreseen. If the
    first and the last of the nearest are one, there is just one. It takes a closer look where
    several are nearest, or are at the limit itself.
    """
    first: cython.Py_ssize_t = -1
    last: cython.Py_ssize_t = -1
    best: cython.double = limit2[0]
    dx: cython.double
    dy: cython.double
    distance2: cython.double
    while i < end:
        dx = tree.px[i] - x
        dy = tree.py[i] - y
        distance2 = dx * dx + dy * dy
        first += (i - first) * (distance2 < best)
        last += (i - last) * (distance2 <= best)
        best = min(best, distance2)
        i += 1
    limit2[0] = best
    return last if last == first else -2

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

if not cython.compiled:  # compiled, the .pxd has them
    from tilequad.quadtree.motion_cy import box_time, disc_time

from tilequad.quadtree.units_cy import Units

COMPILED = bool(cython.compiled)

HITS = 256  # the room of a buffer of slots
NEAR = 64  # the room of a buffer of nearest slots


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
        end: cython.Py_ssize_t
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
                if (
                    self.px[i] - max_x <= reach
                    and min_x - self.px[i] <= reach
                    and self.py[i] - max_y <= reach
                    and min_y - self.py[i] <= reach
                    and (self.record[4 * self.who[i] + 3] & groups) != 0
                    and self.in_box(i, min_x, min_y, max_x, max_y)
                ):
                    hits[n] = self.who[i]
                    n += 1
                i += 1
            if i < end:
                break
            leaves[0] -= 1
            i = -1
        leaves[1] = cython.cast(cython.int, i)
        return cython.cast(cython.int, n)

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
            at = 4 * cython.cast(cython.Py_ssize_t, hits[j])
            dx = self.px[self.record[at + 1]] - x
            dy = self.py[self.record[at + 1]] - y
            if (self.record[at + 3] & groups) != 0 and dx * dx + dy * dy >= least2:
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
                if (self.record[4 * self.who[i] + 3] & groups) != 0:
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

        From the leaf at (x, y) upward: what is beside the quadrant done so far is searched, until
        the circle of what is found lies within it. Most searches end in the first leaf or two.
        """
        q: cython.int = self.leaf_at(x, y)
        leaf: cython.int = q
        n: cython.int = 0
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        slot: cython.int
        dx: cython.double
        dy: cython.double
        distance2: cython.double
        stack[0] = 0
        while True:
            at = self.place_of(leaf)
            i = self.links[at + 8]
            for i in range(i, i + self.links[at + 12]):
                dx = self.px[i] - x
                dy = self.py[i] - y
                distance2 = dx * dx + dy * dy
                if distance2 > limit2 or distance2 < least2:
                    continue
                slot = self.who[i]
                at = 4 * slot
                if (
                    (self.record[at + 3] & groups) == 0
                    or slot == skip
                    or (distance2 == least2 and self.record[at + 2] <= after)
                ):
                    continue
                n = self.sort_in(
                    hits, distances, serials, n, k, slot, distance2, self.record[at + 2]
                )
                if n == k:
                    limit2 = distances[k - 1]
            leaf = self.next_nearest(stack, bounds, x, y, limit2, groups)
            while leaf < 0:
                if q < 0 or self.encloses(q, x, y, limit2):
                    return n
                self.push_near(stack, bounds, q >> 2, q & 3, x, y, limit2, groups)
                q = self.parent[q >> 2]
                leaf = self.next_nearest(stack, bounds, x, y, limit2, groups)

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
                if (self.record[4 * self.who[i] + 3] & groups) != 0:
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

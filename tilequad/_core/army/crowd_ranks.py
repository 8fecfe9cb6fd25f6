"""Who makes way for whom: units are ranked by how many others separate them from free space.

Those deep inside of a crowd are placed first, and those further out make way for them.
"""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.army.bodies import Bodies
from tilequad._core.army.crowd_limits import Limits
from tilequad._core.buffers import IntBuffer, Scratch

LARGER: cython.double = 1.5  # a neighbor this many times as large blocks a whole side
BESIDE: cython.double = 1.5  # extents: a wall as near to a unit's center blocks its side
NO_RANK: cython.int = -1


@cython.final
@cython.cclass
class Ranks:
    """The ranks of units, the order in which they are placed, and who is placed before them.

    The units are numbered anew, in the order in which they are placed, so that those of a rank lie
    side by side in memory. The neighbors of unit u that are placed before it are
    before[first[u]:first[u + 1]], in order; those of a higher rank are ~v. The ranks of units that
    never move are the highest.

    The pairs of `later` and `earlier` are the same lists in the order of the pushes: of each rank,
    all units with their first neighbors, then with their second ones, and so on. So the next push
    hardly ever waits for the last one. The pairs of a rank end where `ends` says, and its units in
    the order, two numbers a rank.
    """

    __slots__ = {
        "bodies": "Bodies",
        "limits": "Limits",
        # By old number: its rank, and its new number. By new number: its old one.
        "rank": "int[::1]",
        "place": "int[::1]",
        "order": "int[::1]",
        "first": "int[::1]",
        "before": "int[::1]",
        "later": "int[::1]",
        "earlier": "int[::1]",
        "ends": "IntBuffer",
        # All neighbors of unit u, by its old number: near[starts[u]:starts[u + 1]].
        "starts": "int[::1]",
        "near": "int[::1]",
        "seen": "int[::1]",  # by old number: the eighths of the circle that are blocked, as bits
    }

    def __init__(self, bodies: Bodies, limits: Limits, pairs: IntBuffer, memory: Scratch) -> None:
        self.bodies = bodies
        self.limits = limits
        self.rank, self.order, self.place, self.seen, self.first, self.starts = memory.ints(6)
        [self.near] = Scratch(pairs.used, 0, 1).ints(1)
        self.before, self.later, self.earlier = Scratch(pairs.used // 2, 0, 3).ints(3)
        self.ends = IntBuffer()
        spare: cython.double[::1]
        [spare] = memory.floats(1)
        with cython.nogil:
            self.list_near(pairs)
            self.look_around(pairs)
            self.find_ranks()
            self.sort_by_rank()
            self.list_before(pairs)
            self.bodies.renumber(self.order, spare, self.seen)
            self.limits.renumber(self.order, self.seen)
            self.list_pushes()

    def list_near(self, pairs: IntBuffer) -> NoGil[None]:
        """List the neighbors of each unit."""
        for k in range(self.bodies.n + 2):
            self.starts[k] = 0
        for k in range(pairs.used):
            self.starts[pairs.values[k] + 2] += 1
        for k in range(2, self.bodies.n + 2):
            self.starts[k] += self.starts[k - 1]
        # starts[u + 1] moves from the start of u's list to its end.
        for k in range(0, pairs.used, 2):
            u = pairs.values[k]
            v = pairs.values[k + 1]
            self.near[self.starts[u + 1]] = v
            self.near[self.starts[v + 1]] = u
            self.starts[u + 1] += 1
            self.starts[v + 1] += 1

    def look_around(self, pairs: IntBuffer) -> NoGil[None]:
        """Mark in which eighths of the circle each unit is blocked by a neighbor."""
        for k in range(self.bodies.n):
            self.seen[k] = 0
        for k in range(0, pairs.used, 2):
            self.seen[pairs.values[k]] |= self.side_of(pairs.values[k], pairs.values[k + 1])
            self.seen[pairs.values[k + 1]] |= self.side_of(pairs.values[k + 1], pairs.values[k])

    def side_of(self, u: cython.int, v: cython.int) -> NoGil[cython.int]:
        """Return the eighths of the circle in which v blocks u, as bits."""
        dx = self.bodies.x[v] - self.bodies.x[u]
        dy = self.bodies.y[v] - self.bodies.y[u]
        if self.bodies.half_h[v] >= 0.0:  # for a box, use its nearest point
            dx = max(dx - self.bodies.half_w[v], min(0.0, dx + self.bodies.half_w[v]))
            dy = max(dy - self.bodies.half_h[v], min(0.0, dy + self.bodies.half_h[v]))
        elif self.bodies.half_w[v] <= LARGER * self.bodies.extent[u]:
            return 1 << octant(dx, dy)
        return wide(octant(dx, dy))

    def find_ranks(self) -> NoGil[None]:
        """Rank each unit by how many steps, from neighbor to neighbor, lead to the crowd's rim."""
        head: cython.Py_ssize_t = 0
        tail: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t
        queue: cython.int[::1] = self.order
        for u in range(self.bodies.n):
            self.rank[u] = NO_RANK
            if self.bodies.weight[u] == 0.0:  # what never moves is placed first
                self.rank[u] = self.bodies.n
            elif self.is_at_rim(u):
                self.rank[u] = 0
                queue[tail] = u
                tail += 1
        while head < tail:
            u = queue[head]
            head += 1
            for j in range(self.starts[u], self.starts[u + 1]):  # without branches
                v: cython.int = self.near[j]
                new: cython.int = self.rank[v] == NO_RANK
                queue[tail] = v
                tail += new
                self.rank[v] += new * (self.rank[u] + 1 - NO_RANK)
        for u in range(self.bodies.n):
            if self.rank[u] == NO_RANK:  # nobody of its crowd is at the rim
                self.rank[u] = 0

    def is_at_rim(self, u: cython.int) -> NoGil[cython.bint]:
        """Whether a unit has free space on one side, beyond its neighbors and their neighbors.

        The second look rejects a gap in the middle of a crowd. It does not go beyond neighbors that
        block a whole side by themselves, which may have a thousand neighbors.
        """
        seen: cython.int = self.seen[u]
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        if not is_open(seen):
            return False
        seen |= self.blocked_sides(u)
        for j in range(self.starts[u], self.starts[u + 1]):
            v = self.near[j]
            if self.bodies.extent[v] > LARGER * self.bodies.extent[u]:
                continue
            for k in range(self.starts[v], self.starts[v + 1]):
                if not is_open(seen):
                    return False
                if self.near[k] != u:
                    seen |= 1 << octant(
                        self.bodies.x[self.near[k]] - self.bodies.x[u],
                        self.bodies.y[self.near[k]] - self.bodies.y[u],
                    )
        return is_open(seen)

    def blocked_sides(self, u: cython.int) -> NoGil[cython.int]:
        """Return the eighths of the circle in which a wall or the bounds block a unit, as bits."""
        box = cython.declare(cython.double[4])
        k: cython.Py_ssize_t
        x = self.bodies.x[u]
        y = self.bodies.y[u]
        near = BESIDE * self.bodies.extent[u]
        found: cython.int = 0
        if not self.limits.held:
            return 0
        if x - near <= self.limits.box[0]:
            found |= wide(4)
        if y - near <= self.limits.box[1]:
            found |= wide(6)
        if x + near >= self.limits.box[2]:
            found |= wide(0)
        if y + near >= self.limits.box[3]:
            found |= wide(2)
        if not self.limits.walled:
            return found
        for k in range(self.limits.first[u], self.limits.first[u] + self.limits.count[u]):
            self.limits.walls.write_box(self.limits.near.values[k], box)
            dx = max(box[0] - x, min(0.0, box[2] - x))
            dy = max(box[1] - y, min(0.0, box[3] - y))
            if dx * dx + dy * dy <= near * near:
                found |= wide(octant(dx, dy))
        return found

    def sort_by_rank(self) -> NoGil[None]:
        """Order the units by rank, the highest first, then by number."""
        n = self.bodies.n
        u: cython.int
        starts: cython.int[::1] = self.first
        for u in range(n + 2):
            starts[u] = 0
        for u in range(n):
            starts[n - self.rank[u] + 1] += 1
        for u in range(n + 1):
            starts[u + 1] += starts[u]
        for u in range(n):
            self.place[u] = starts[n - self.rank[u]]
            self.order[self.place[u]] = u
            starts[n - self.rank[u]] += 1

    def list_before(self, pairs: IntBuffer) -> NoGil[None]:
        """List for each unit its neighbors that are placed before it, in that order.

        The pairs are sorted by counting: by who is placed first of the two, then by the other.
        """
        k: cython.int
        by_earlier: cython.int[::1] = self.seen
        later: cython.int[::1] = self.later  # twice a place, and 1 more if the ranks differ
        for k in range(self.bodies.n + 2):
            self.first[k] = by_earlier[k] = 0
        for j in range(0, pairs.used, 2):
            u = self.place[pairs.values[j]]
            v = self.place[pairs.values[j + 1]]
            by_earlier[min(u, v) + 2] += 1
            self.first[max(u, v) + 2] += 1
        for k in range(2, self.bodies.n + 2):
            by_earlier[k] += by_earlier[k - 1]
            self.first[k] += self.first[k - 1]
        # by_earlier[k + 1] moves from the start of the pairs of unit k to their end.
        for j in range(0, pairs.used, 2):
            u = pairs.values[j]
            v = pairs.values[j + 1]
            place: cython.int = min(self.place[u], self.place[v]) + 1
            later[by_earlier[place]] = 2 * max(self.place[u], self.place[v]) + (
                self.rank[u] != self.rank[v]
            )
            by_earlier[place] += 1
        # And first[k + 1] from the start of the list of unit k to its end.
        for k in range(self.bodies.n):
            for j in range(by_earlier[k], by_earlier[k + 1]):
                place = (later[j] >> 1) + 1
                self.before[self.first[place]] = k ^ -(later[j] & 1)  # ~k if the ranks differ
                self.first[place] += 1

    def list_pushes(self) -> RaisesNoGil[cython.int]:
        """List the pairs in the order of the pushes."""
        end: cython.int = 0
        used: cython.int = 0
        while end < self.bodies.n:
            n: cython.int = 0
            k = end
            end = self.end_of_rank(k)
            for k in range(k, end):
                self.place[n] = k  # the places of who has neighbors left
                n += self.first[k] < self.first[k + 1]
            used = self.list_rank(used, n)
            self.ends.append(used)
            self.ends.append(end)
        return 0

    def end_of_rank(self, k: cython.int) -> NoGil[cython.int]:
        """Return the end of the units of one rank that begin at a place of the order."""
        rank = self.rank[self.order[k]]
        while k < self.bodies.n and self.rank[self.order[k]] == rank:
            k += 1
        return k

    def list_rank(self, used: cython.int, n: cython.int) -> NoGil[cython.int]:
        """List the pairs of the first n units of `place` behind those used; return the new end."""
        i: cython.Py_ssize_t
        turn: cython.int = 0
        while n > 0:
            left: cython.int = 0
            for i in range(n):
                k = self.place[i]
                j = self.first[k] + turn
                self.later[used] = k
                self.earlier[used] = self.before[j]
                used += 1
                self.place[left] = k
                left += j + 1 < self.first[k + 1]
            n = left
            turn += 1
        return used

    def first_of(self, k: cython.Py_ssize_t) -> NoGil[cython.int]:
        """Return where the pairs or the units begin that end at ends[k]."""
        return self.ends.values[k - 2] if k > 1 else 0


# -- eighths of the circle ------------------------------------------------------------------------


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

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""All pairs of units that touch: the tree walked against itself.

Two quadrants whose footprints cannot meet are left together with all that is below them; two that
can are opened, until two leaves are compared entry by entry. Each pair of quadrants is looked at
once, so each pair of units is found once.
"""

from __future__ import annotations

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

from tilequad.quadtree.buffer_cy import IntBuffer
from tilequad.quadtree.search_cy import Search

COMPILED = bool(cython.compiled)


class Pairs(Search):
    """The pair search of a dynamic quadtree, without the GIL."""

    __slots__ = ()

    def find_pairs(self, found: IntBuffer, groups: cython.int, others: cython.int) -> cython.int:
        """Append the slots of all pairs, one of `groups` and one of `others`, two a pair.

        The stack holds pairs of links: nodes, or ~q for leaves; a link paired with itself stands
        for all pairs below it.
        """
        stack = cython.declare(cython.int[1280])
        top: cython.int = 2
        p: cython.int
        q: cython.int
        j: cython.int
        k: cython.int
        n: cython.int
        stack[0] = stack[1] = 0
        while top > 0:
            top -= 2
            p = stack[top]
            q = stack[top + 1]
            if p < 0 and q < 0:
                if p == q:
                    self.pairs_in_leaf(~p, found, groups, others)
                else:
                    self.pairs_of_leaves(~p, ~q, found, groups, others)
            elif p == q:
                for j in range(4):
                    if self.links[16 * p + j + 4] == 0:
                        continue
                    for k in range(j, 4):
                        if j == k or self.near(4 * p + j, 4 * p + k):
                            stack[top] = self.links[16 * p + j]
                            stack[top + 1] = self.links[16 * p + k]
                            top += 2
            else:
                if p < 0:  # open a node; of two nodes the first
                    p, q = q, p
                n = ~q if q < 0 else self.parent[q]
                for k in range(4):
                    if self.near(4 * p + k, n):
                        stack[top] = q  # first, so that the two take turns
                        stack[top + 1] = self.links[16 * p + k]
                        top += 2
        return 0

    def near(self, p: cython.int, q: cython.int) -> cython.bint:
        """Whether a footprint below quadrant p can meet one below quadrant q."""
        a: cython.int = (p >> 2) * 16 + (p & 3)
        b: cython.int = (q >> 2) * 16 + (q & 3)
        reach: cython.double = self.reach[p] + self.reach[q]
        return (
            (self.box[a] - self.box[b + 8] <= reach)
            & (self.box[b] - self.box[a + 8] <= reach)
            & (self.box[a + 4] - self.box[b + 12] <= reach)
            & (self.box[b + 4] - self.box[a + 12] <= reach)
        )

    def pairs_in_leaf(
        self, q: cython.int, found: IntBuffer, groups: cython.int, others: cython.int
    ) -> cython.int:
        """Append the pairs of one leaf."""
        at: cython.int = (q >> 2) * 16 + (q & 3)
        start: cython.int = self.links[at + 8]
        end: cython.int = start + self.links[at + 12]
        reach: cython.double = 2.0 * self.reach[q]
        i: cython.int
        j: cython.int
        for i in range(start, end):
            found.reserve(2 * (end - i))
            for j in range(i + 1, end):
                if abs(self.px[i] - self.px[j]) <= reach and abs(self.py[i] - self.py[j]) <= reach:
                    self.append_pair(i, j, found, groups, others)
        return 0

    def pairs_of_leaves(
        self,
        p: cython.int,
        q: cython.int,
        found: IntBuffer,
        groups: cython.int,
        others: cython.int,
    ) -> cython.int:
        """Append the pairs with one unit in each of two leaves."""
        a: cython.int = (p >> 2) * 16 + (p & 3)
        b: cython.int = (q >> 2) * 16 + (q & 3)
        start: cython.int = self.links[b + 8]
        end: cython.int = start + self.links[b + 12]
        reach: cython.double = self.reach[p] + self.reach[q]
        i: cython.int
        j: cython.int
        x: cython.double
        y: cython.double
        i = self.links[a + 8]
        for i in range(i, i + self.links[a + 12]):
            x = self.px[i]
            y = self.py[i]
            if (
                self.box[b] - x > reach
                or x - self.box[b + 8] > reach
                or self.box[b + 4] - y > reach
                or y - self.box[b + 12] > reach
            ):
                continue
            found.reserve(2 * (end - start))
            for j in range(start, end):
                if abs(x - self.px[j]) <= reach and abs(y - self.py[j]) <= reach:
                    self.append_pair(i, j, found, groups, others)
        return 0

    def find_touching(
        self, slots: cython.int[::1], counts: cython.int[::1], found: IntBuffer
    ) -> cython.int:
        """Append the slots whose footprints overlap that of each slot, and count them."""
        stack = cython.declare(cython.int[128])
        leaves = cython.declare(cython.int[66])
        place: cython.Py_ssize_t
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        at: cython.Py_ssize_t
        x: cython.double
        y: cython.double
        reach: cython.double
        for j in range(len(slots)):
            place = self.record[3 * slots[j] + 1]
            x, y, reach = self.px[place], self.py[place], 1.5 * self.reach_of(slots[j])
            counts[j] = 0
            stack[0], stack[1], leaves[0] = 1, 0, 0
            while True:
                if leaves[0] == 0:
                    self.leaves_in_reach(stack, leaves, x, y, reach, -1)  # to its corners
                    if leaves[0] == 0:
                        break
                at = self.place_of(leaves[leaves[0] + 1])
                leaves[0] -= 1
                found.reserve(self.links[at + 12])
                i = self.links[at + 8]
                for i in range(i, i + self.links[at + 12]):
                    if i != place and self.touch(
                        cython.cast(cython.int, place), cython.cast(cython.int, i)
                    ):
                        found.values[found.used] = self.who[i]
                        found.used += 1
                        counts[j] += 1
        return 0

    def append_pair(
        self,
        i: cython.int,
        j: cython.int,
        found: IntBuffer,
        groups: cython.int,
        others: cython.int,
    ) -> None:
        """Append entries i and j, the earlier added first, if their groups and footprints meet."""
        a: cython.int = self.who[i]
        b: cython.int = self.who[j]
        ga: cython.int
        gb: cython.int
        if not self.touch(i, j):
            return
        if groups != -1 or others != -1:
            ga = self.masks[i]
            gb = self.masks[j]
            if not ((ga & groups and gb & others) or (ga & others and gb & groups)):
                return
        if self.record[3 * a + 2] > self.record[3 * b + 2]:
            a, b = b, a
        found.values[found.used] = a
        found.values[found.used + 1] = b
        found.used += 2

    def touch(self, i: cython.int, j: cython.int) -> cython.bint:
        """Whether the footprints of entries i and j share a point."""
        dx: cython.double = abs(self.px[i] - self.px[j])
        dy: cython.double = abs(self.py[i] - self.py[j])
        wa: cython.double = self.half_w[self.who[i]]
        ha: cython.double = self.half_h[self.who[i]]
        wb: cython.double = self.half_w[self.who[j]]
        hb: cython.double = self.half_h[self.who[j]]
        if ha < 0.0 and hb < 0.0:
            return dx * dx + dy * dy <= (wa + wb) * (wa + wb)
        if ha >= 0.0 and hb >= 0.0:
            return dx <= wa + wb and dy <= ha + hb
        if ha < 0.0:
            wa, wb = wb, wa
            ha, hb = hb, ha
        dx = max(dx - wa, 0.0)
        dy = max(dy - ha, 0.0)
        return dx * dx + dy * dy <= wb * wb

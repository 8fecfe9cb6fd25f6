# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Building a whole tree at once: a quicksort with four parts.

Each level reads a range of positions, finds the middle of what is there and deals the range out to
the four quadrants in the other of two sets of arrays. In the end the positions stand in Z order
(Morton order), each leaf is a span of them, and no entry was inserted one by one.
"""

from __future__ import annotations

from array import array

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

from tilequad.quadtree.nodes_cy import Nodes

COMPILED = bool(cython.compiled)

INF = float("inf")  # no wish where to divide: halfway through what is there


class Builder:
    """Sorts positions into the leaves of an empty tree. O(n) a level, about log4(n / leaf size).

    Args:
        nodes: The tree, empty.
        xs: The positions' x, (n,) doubles; sorted in place.
        ys: The positions' y, (n,) doubles; sorted in place.
        order: Their ids, (n,) ints; sorted with them.
        leaf_size: A leaf gets no more entries, unless they cannot be told apart.
    """

    __slots__ = (
        "leaf_size",
        "nodes",
        "order",
        "spare_order",
        "spare_xs",
        "spare_ys",
        "xs",
        "ys",
    )

    def __init__(
        self, nodes: Nodes, xs: array[float], ys: array[float], order: array[int], leaf_size: int
    ) -> None:
        self.nodes = nodes
        self.xs = xs
        self.ys = ys
        self.order = order
        self.spare_xs = array("d", [0.0]) * len(order)
        self.spare_ys = array("d", [0.0]) * len(order)
        self.spare_order = array("i", [0]) * len(order)
        self.leaf_size = leaf_size

    def build(self) -> None:
        """Fill the tree. Leaves get span and box; reach and groups are left to the caller."""
        middle = cython.declare(cython.double[2])
        n: cython.int = len(self.order)
        if n > 0:
            middle[0] = middle[1] = INF
            self.nodes.middle_of(self.xs, self.ys, 0, n, middle)
            self.nodes.split[0] = middle[0]
            self.nodes.split[1] = middle[1]
            self.part(0, 0, n, False)

    def fill(
        self,
        q: cython.int,
        low: cython.int,
        high: cython.int,
        spare: cython.bint,
    ) -> cython.int:
        """Put a range of positions into quadrant q: as a leaf, or divided once more."""
        middle = cython.declare(cython.double[2])
        apart: cython.bint = False
        n: cython.int
        if high - low > self.leaf_size and self.nodes.may_divide(q):
            middle[0] = middle[1] = INF
            if spare:
                apart = self.nodes.middle_of(self.spare_xs, self.spare_ys, low, high, middle)
            else:
                apart = self.nodes.middle_of(self.xs, self.ys, low, high, middle)
        if apart:
            n = self.nodes.take_node(q, middle[0], middle[1])
            self.part(n, low, high, spare)
        elif high > low:
            self.keep(q, low, high, spare)
        return 0

    def part(
        self,
        n: cython.int,
        low: cython.int,
        high: cython.int,
        spare: cython.bint,
    ) -> cython.int:
        """Deal a range of positions out to the quadrants of node n."""
        parts = cython.declare(cython.int[5])
        x: cython.double = self.nodes.split[2 * n]
        y: cython.double = self.nodes.split[2 * n + 1]
        k: cython.int
        xs, ys, order = self.xs, self.ys, self.order
        spare_xs, spare_ys, spare_order = self.spare_xs, self.spare_ys, self.spare_order
        if spare:
            divide(spare_xs, spare_ys, spare_order, xs, ys, order, low, high, x, y, parts)
        else:
            divide(xs, ys, order, spare_xs, spare_ys, spare_order, low, high, x, y, parts)
        for k in range(4):
            self.fill(4 * n + k, parts[k], parts[k + 1], not spare)
        return 0

    def keep(self, q: cython.int, low: cython.int, high: cython.int, spare: cython.bint) -> None:
        """Make quadrant q a leaf of the range, which ends up in the caller's arrays."""
        at: cython.int = (q >> 2) * 16 + (q & 3)
        i: cython.int
        if spare:
            for i in range(low, high):
                self.xs[i] = self.spare_xs[i]
                self.ys[i] = self.spare_ys[i]
                self.order[i] = self.spare_order[i]
        self.nodes.links[at + 8] = low
        self.nodes.links[at + 12] = high - low
        self.nodes.fit_box(q, self.xs, self.ys)


def divide(
    xs: cython.double[::1],
    ys: cython.double[::1],
    order: cython.int[::1],
    to_xs: cython.double[::1],
    to_ys: cython.double[::1],
    to_order: cython.int[::1],
    low: cython.int,
    high: cython.int,
    x: cython.double,
    y: cython.double,
    parts: cython.p_int,
) -> None:
    """Deal a range out by quadrant, in order; quadrant k ends up at parts[k]:parts[k + 1]."""
    ends = cython.declare(cython.int[4])
    i: cython.int
    k: cython.int
    right: cython.int = 0
    upper: cython.int = 0
    both: cython.int = 0
    for i in range(low, high):
        right += xs[i] >= x
        upper += ys[i] >= y
        both += (xs[i] >= x) & (ys[i] >= y)
    parts[0] = low
    parts[1] = low + (high - low - right - upper + both)
    parts[2] = parts[1] + right - both
    parts[3] = parts[2] + upper - both
    parts[4] = high
    for k in range(4):
        ends[k] = parts[k]
    for i in range(low, high):
        k = (xs[i] >= x) + 2 * (ys[i] >= y)
        to_xs[ends[k]] = xs[i]
        to_ys[ends[k]] = ys[i]
        to_order[ends[k]] = order[i]
        ends[k] += 1

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""The four-wide quadtree under both trees: its nodes, their upkeep, and the ways through them.

A node has four quadrants, k = (y >= split_y) << 1 | (x >= split_x). What is known of a quadrant
stands in its parent, beside its three siblings, so that one visit tests all four from two cache
lines and the compiler can do it four at a time. Quadrant `q = 4 * node + k` is either a node below
or a leaf: a span of entries in arrays that the tree on top owns. Node 0 is the root.

    box[16 * node + k]     min_x, then min_y (+4), max_x (+8), max_y (+12) of the positions below;
                           inverted infinities where there is none
    links[16 * node + k]   the node below, or ~q for a leaf; then the groups below (+4), the start
                           of the leaf's span (+8), its number of entries (+12)
    reach[q]               how far the widest footprint below reaches from its position along
                           x or y, in float32 and never too little
    cell[4 * node ...]     the part of the plane the node divides; the root's is all of it. A tree
                           that nobody changes drops it
    split[2 * node ...]    where it divides it; a position on the line belongs to the high side
    parent[node]           the quadrant above it; in a freed node the next free one

A split falls in the middle of the cell where that tells positions apart, and else in the middle of
what is there, so clusters, outliers and worlds of any scale get trees of the same depth. The
traversals keep their state in the caller's local arrays: nothing is written to the tree, and any
number of threads may ask at once.
"""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

import numpy as np

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

COMPILED = bool(cython.compiled)

INF = float("inf")

# A level divides an extent by two, so 40 levels tell positions apart that are a 10^12th of the
# world from each other. Traversals push at most three quadrants a level: 3 * 40 + 5 < 128.
MAX_DEPTH = 40

LEAVES = 64  # the room of a buffer of leaves, besides its two first places

# Widens a limit where pruning and the exact test do not share their arithmetic: far more than
# their rounding differs by, far less than would cost a visit.
ROUNDING = 1.0 + 1e-9


# A row of `nodes()`.
NODE = np.dtype(
    [
        ("min_x", np.float64),
        ("min_y", np.float64),
        ("max_x", np.float64),
        ("max_y", np.float64),
        ("depth", np.int32),
        ("count", np.int32),
        ("leaf", np.bool_),
    ]
)


class TreeStats(NamedTuple):
    """How a tree is built, for `stats()`."""

    nodes: int
    """Nodes that have quadrants, the root among them."""
    leaves: int
    """Leaves that hold something."""
    depth: int
    """The deepest quadrant's depth; 1 where only the root divides."""
    bytes: int
    """What the tree takes, its room to grow included, without Python's objects for the items."""
    items: int
    """Units or boxes in the tree."""
    items_a_leaf: float
    """Their mean number in leaves that hold something."""
    fullest_leaf: int
    """Their greatest number in a leaf."""


def longer(length: int) -> int:
    """The next length of an array that is full: a sixteenth more wastes little and costs little."""
    return length + (length >> 4) + 8


def resized(kind: str, values: array[Any], length: int, fill: Any) -> array[Any]:
    """A copy of an array in another length; the old one may still be in use as a buffer."""
    copy = array(kind, [fill]) * length
    view = memoryview(values)[:length].cast("B")
    memoryview(copy).cast("B")[: len(view)] = view
    return copy


class Nodes:
    """The nodes of a quadtree, without the entries of its leaves."""

    __slots__ = (
        "box",
        "capacity",
        "cell",
        "free",
        "links",
        "live",
        "parent",
        "reach",
        "split",
        "used",
    )

    def __init__(self) -> None:
        self.box = array("d")
        self.links = array("i")
        self.reach = array("f")
        self.cell = array("d")
        self.split = array("d")
        self.parent = array("i")
        self.capacity = 0  # nodes that fit into the arrays
        self.used = 0  # nodes ever taken
        self.free = -1  # the first of the freed ones
        self.live = 0  # nodes in the tree
        self.take_node(-1, 0.0, 0.0)

    # -- nodes ---------------------------------------------------------------------------------

    def take_node(self, q: cython.int, x: cython.double, y: cython.double) -> cython.int:
        """Make quadrant q a node that divides at (x, y), its leaves empty; q < 0 for the root."""
        cell = cython.declare(cython.double[4])
        n: cython.int
        k: cython.int
        if self.free >= 0:
            n = self.free
            self.free = self.parent[n]
        else:
            if self.used == self.capacity:
                self._reserve(longer(self.capacity))
            n = self.used
            self.used += 1
        self.live += 1
        self.parent[n] = q
        self.split[2 * n] = x
        self.split[2 * n + 1] = y
        if q < 0:
            self.cell[4 * n] = self.cell[4 * n + 1] = -INF
            self.cell[4 * n + 2] = self.cell[4 * n + 3] = INF
        else:
            self.cell_of(q, cell)
            for k in range(4):
                self.cell[4 * n + k] = cell[k]
            self.links[(q >> 2) * 16 + (q & 3)] = n
        for k in range(4):
            self.clear_leaf(4 * n + k)
        return n

    def _reserve(self, capacity: int) -> None:
        """Make room for that many nodes, or take room away."""
        self.box = resized("d", self.box, 16 * capacity, 0.0)
        self.links = resized("i", self.links, 16 * capacity, 0)
        self.reach = resized("f", self.reach, 4 * capacity, 0.0)
        self.cell = resized("d", self.cell, 4 * capacity, 0.0)
        self.split = resized("d", self.split, 2 * capacity, 0.0)
        self.parent = resized("i", self.parent, capacity, -1)
        self.capacity = capacity

    def drop_node(self, n: cython.int) -> None:
        """Give a node back, once its quadrant is a leaf again."""
        self.parent[n] = self.free
        self.free = n
        self.live -= 1

    def is_live(self, n: cython.int) -> cython.bint:
        """Whether a node that was in the tree has not been given back since.

        No quadrant has a link to one that was; what stands for its parent is the next free one.
        """
        q: cython.int = self.parent[n]
        return n == 0 or (q >= 0 and self.links[(q >> 2) * 16 + (q & 3)] == n)

    def clear_leaf(self, q: cython.int) -> None:
        """Make quadrant q a leaf without entries."""
        at: cython.int = (q >> 2) * 16 + (q & 3)
        self.links[at] = ~q
        self.links[at + 4] = 0
        self.links[at + 8] = 0
        self.links[at + 12] = 0
        self.box[at] = self.box[at + 4] = INF
        self.box[at + 8] = self.box[at + 12] = -INF
        self.reach[q] = 0.0

    def leaf_at(self, x: cython.double, y: cython.double) -> cython.int:
        """The leaf whose cell holds the position."""
        return self.leaf_below(0, x, y)

    def leaf_near(self, q: cython.int, x: cython.double, y: cython.double) -> cython.int:
        """The same for a position that is outside quadrant q, but not far: up, and down again."""
        while True:
            q = self.parent[q >> 2]
            if q < 0:
                return self.leaf_below(0, x, y)
            if self.in_cell(q, x, y):
                return self.leaf_below(self.links[(q >> 2) * 16 + (q & 3)], x, y)

    def leaf_below(self, n: cython.int, x: cython.double, y: cython.double) -> cython.int:
        """The leaf below node n whose cell holds the position."""
        at: cython.Py_ssize_t = n
        k: cython.Py_ssize_t
        link: cython.int
        while True:
            # Which quadrant is a toss-up each time, so no branch.
            k = (x >= self.split[2 * at]) + 2 * (y >= self.split[2 * at + 1])
            link = self.links[16 * at + k]
            if link < 0:
                return ~link
            at = link

    def descend(
        self, path: cython.p_int, edges: cython.p_double, x: cython.double, y: cython.double
    ) -> cython.Py_ssize_t:
        """Write the way from the root to the leaf at (x, y): the nodes, then the leaf's link.

        `edges` gets the squared distances from (x, y) to the nearest edge of each one's cell.
        Returns how many nodes there are, which is where the leaf is.
        """
        n: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        link: cython.int = 0
        depth: cython.Py_ssize_t = 0
        dx: cython.double
        dy: cython.double
        edge: cython.double = INF
        while link >= 0:
            path[depth] = link
            edges[depth] = edge
            depth += 1
            n = link
            dx = x - self.split[2 * n]
            dy = y - self.split[2 * n + 1]
            k = (dx >= 0.0) + 2 * (dy >= 0.0)
            edge = min(edge, min(dx * dx, dy * dy))
            link = self.links[16 * n + k]
        path[depth] = link
        edges[depth] = edge
        return depth

    def place_of(self, q: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where quadrant q stands in box and links."""
        return (q >> 2) * 16 + (q & 3)

    def in_cell(self, q: cython.int, x: cython.double, y: cython.double) -> cython.bint:
        """Whether a position belongs to quadrant q. Cells are open at their high edges."""
        cell = cython.declare(cython.double[4])
        self.cell_of(q, cell)
        return cell[0] <= x < cell[2] and cell[1] <= y < cell[3]

    def cell_of(self, q: cython.int, cell: cython.p_double) -> None:
        """Write the edges of quadrant q's cell: the least x and y, then the greatest."""
        n: cython.Py_ssize_t = q >> 2
        x: cython.double = self.split[2 * n]
        y: cython.double = self.split[2 * n + 1]
        cell[0] = x if q & 1 else self.cell[4 * n]
        cell[1] = y if q & 2 else self.cell[4 * n + 1]
        cell[2] = self.cell[4 * n + 2] if q & 1 else x
        cell[3] = self.cell[4 * n + 3] if q & 2 else y

    def may_divide(self, q: cython.int) -> cython.bint:
        """Whether quadrant q is not too deep to become a node."""
        depth: cython.int = 1
        while q >= 4:
            q = self.parent[q >> 2]
            depth += 1
        return depth < MAX_DEPTH

    # -- what the quadrants know of what is below --------------------------------------------------

    def grow(
        self,
        q: cython.int,
        x: cython.double,
        y: cython.double,
        reach: cython.float,
        groups: cython.int,
    ) -> None:
        """Widen quadrant q and those above it to hold one more entry."""
        at: cython.int
        same: cython.bint
        while q >= 0:
            at = (q >> 2) * 16 + (q & 3)
            same = True
            if x < self.box[at]:
                self.box[at] = x
                same = False
            if y < self.box[at + 4]:
                self.box[at + 4] = y
                same = False
            if x > self.box[at + 8]:
                self.box[at + 8] = x
                same = False
            if y > self.box[at + 12]:
                self.box[at + 12] = y
                same = False
            if reach > self.reach[q]:
                self.reach[q] = reach
                same = False
            if groups & ~self.links[at + 4]:
                self.links[at + 4] |= groups
                same = False
            if same:
                return
            q = self.parent[q >> 2]

    def lift_once(self, n: cython.int) -> cython.bint:
        """Make the quadrant above node n know what n's own four know; False if it did already."""
        q: cython.int = self.parent[n]
        at: cython.int = (q >> 2) * 16 + (q & 3)
        base: cython.int = 16 * n
        k: cython.int
        groups: cython.int = 0
        reach: cython.float = 0.0
        min_x: cython.double = INF
        min_y: cython.double = INF
        max_x: cython.double = -INF
        max_y: cython.double = -INF
        for k in range(4):
            min_x = min(min_x, self.box[base + k])
            min_y = min(min_y, self.box[base + k + 4])
            max_x = max(max_x, self.box[base + k + 8])
            max_y = max(max_y, self.box[base + k + 12])
            reach = max(reach, self.reach[4 * n + k])
            groups |= self.links[base + k + 4]
        if (
            min_x == self.box[at]
            and min_y == self.box[at + 4]
            and max_x == self.box[at + 8]
            and max_y == self.box[at + 12]
            and reach == self.reach[q]
            and groups == self.links[at + 4]
        ):
            return False
        self.box[at] = min_x
        self.box[at + 4] = min_y
        self.box[at + 8] = max_x
        self.box[at + 12] = max_y
        self.reach[q] = reach
        self.links[at + 4] = groups
        return True

    def lift(self, n: cython.int) -> None:
        """Carry what node n's quadrants know upward, as far as it changes anything."""
        while n > 0 and self.lift_once(n):
            n = self.parent[n] >> 2

    def preorder(self, order: cython.int[::1]) -> cython.int:
        """Write the live nodes into order, parents first; returns how many."""
        count: cython.int = 1
        i: cython.int = 0
        k: cython.int
        order[0] = 0
        while i < count:
            for k in range(4):
                if self.links[16 * order[i] + k] >= 0:
                    order[count] = self.links[16 * order[i] + k]
                    count += 1
            i += 1
        return count

    def fit_all(self) -> cython.int:
        """Make what all leaves and nodes know exact."""
        order: cython.int[::1] = array("i", [0]) * self.live
        i: cython.int
        q: cython.int
        for i in range(self.preorder(order)):
            for q in range(4 * order[i], 4 * order[i] + 4):
                if self.links[self.place_of(q)] < 0:
                    self.fit_leaf(q)
        self.refit(order)
        return 0

    def fit_leaf(self, q: cython.int) -> None:
        """Make what leaf q knows of its entries exact; the tree on top knows them."""

    def refit(self, order: cython.int[::1]) -> None:
        """Carry what every leaf knows upward; order has room for all live nodes."""
        i: cython.int = self.preorder(order) - 1
        while i > 0:
            self.lift_once(order[i])
            i -= 1

    def fit_box(self, q: cython.int, xs: cython.double[::1], ys: cython.double[::1]) -> None:
        """Make the box of leaf q the tight one of its span's positions."""
        at: cython.int = (q >> 2) * 16 + (q & 3)
        i: cython.int
        start: cython.int = self.links[at + 8]
        min_x: cython.double = INF
        min_y: cython.double = INF
        max_x: cython.double = -INF
        max_y: cython.double = -INF
        for i in range(start, start + self.links[at + 12]):
            min_x = xs[i] if xs[i] < min_x else min_x
            min_y = ys[i] if ys[i] < min_y else min_y
            max_x = xs[i] if xs[i] > max_x else max_x
            max_y = ys[i] if ys[i] > max_y else max_y
        self.box[at] = min_x
        self.box[at + 4] = min_y
        self.box[at + 8] = max_x
        self.box[at + 12] = max_y

    def middle_of(
        self,
        xs: cython.double[::1],
        ys: cython.double[::1],
        low: cython.int,
        high: cython.int,
        middle: cython.p_double,
    ) -> cython.bint:
        """Write where a range of positions should divide; False if all of it is one point.

        On each axis that is where `middle` wishes, if that tells some apart, or else halfway.
        """
        i: cython.int
        min_x: cython.double = INF
        min_y: cython.double = INF
        max_x: cython.double = -INF
        max_y: cython.double = -INF
        for i in range(low, high):
            min_x = xs[i] if xs[i] < min_x else min_x
            min_y = ys[i] if ys[i] < min_y else min_y
            max_x = xs[i] if xs[i] > max_x else max_x
            max_y = ys[i] if ys[i] > max_y else max_y
        if not (min_x < middle[0] <= max_x):
            middle[0] = 0.5 * min_x + 0.5 * max_x
        if not (min_y < middle[1] <= max_y):
            middle[1] = 0.5 * min_y + 0.5 * max_y
        # Between neighbours among the floats there is no middle: the higher one is the high side.
        if middle[0] <= min_x:
            middle[0] = max_x
        if middle[1] <= min_y:
            middle[1] = max_y
        return min_x < max_x or min_y < max_y

    # -- ways through ------------------------------------------------------------------------------
    #
    # Quadrants are pruned by what they know of what is below; whatever passes is for the caller to
    # test exactly. The tests are the exact ones on wider boxes, and as rounding is monotonic, no
    # entry that passes the exact test is lost.
    #
    # A traversal goes on from the caller's stack, which starts as [1, 0]: one entry, the root. The
    # ones without an order write leaves into the caller's buffer, leaves[2] and on, and their
    # number into leaves[0], and return when it is full or nothing is left. Nodes and leaves are
    # pushed without a branch: written in any case, and kept by moving on.

    def leaves_in_box(
        self,
        stack: cython.p_int,
        leaves: cython.p_int,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
        groups: cython.int,
    ) -> None:
        """Leaves that may have a footprint in the box."""
        dx = cython.declare(cython.double[4])
        dy = cython.declare(cython.double[4])
        near = cython.declare(cython.int[4])
        ends = cython.declare(cython.Py_ssize_t[2])
        at: cython.Py_ssize_t
        k: cython.Py_ssize_t
        q: cython.Py_ssize_t
        ends[0], ends[1] = stack[0], 0
        while ends[0] > 0 and ends[1] <= LEAVES - 4:
            q = 4 * stack[ends[0]]
            at = 4 * q
            ends[0] -= 1
            gaps(self, at, min_x, min_y, max_x, max_y, dx, dy)
            for k in range(4):
                near[k] = (dx[k] <= self.reach[q + k]) & (dy[k] <= self.reach[q + k])
            push(self, at, near, groups, stack, leaves, ends)
        stack[0] = cython.cast(cython.int, ends[0])
        leaves[0] = cython.cast(cython.int, ends[1])

    def leaves_in_circle(
        self,
        stack: cython.p_int,
        leaves: cython.p_int,
        x: cython.double,
        y: cython.double,
        radius2: cython.double,
        groups: cython.int,
    ) -> None:
        """Leaves that may have a position within a squared distance of (x, y)."""
        dx = cython.declare(cython.double[4])
        dy = cython.declare(cython.double[4])
        near = cython.declare(cython.int[4])
        ends = cython.declare(cython.Py_ssize_t[2])
        at: cython.Py_ssize_t
        k: cython.Py_ssize_t
        ends[0], ends[1] = stack[0], 0
        while ends[0] > 0 and ends[1] <= LEAVES - 4:
            at = 16 * cython.cast(cython.Py_ssize_t, stack[ends[0]])
            ends[0] -= 1
            gaps(self, at, x, y, x, y, dx, dy)
            for k in range(4):
                near[k] = dx[k] * dx[k] + dy[k] * dy[k] <= radius2
            push(self, at, near, groups, stack, leaves, ends)
        stack[0] = cython.cast(cython.int, ends[0])
        leaves[0] = cython.cast(cython.int, ends[1])

    def leaves_near(
        self,
        stack: cython.p_int,
        leaves: cython.p_int,
        x: cython.double,
        y: cython.double,
        radius2: cython.double,
        groups: cython.int,
    ) -> None:
        """The same for positions in the cells of their leaves, by the split lines alone.

        Of the four quadrants the one with (x, y) is always near, the ones beside and above (or
        below) it if the line between is, the one across if the crossing of the lines is. Far fewer
        instructions than four boxes. The walk goes straight on to the first of them.
        """
        ends = cython.declare(cython.Py_ssize_t[2])
        at: cython.Py_ssize_t
        n: cython.Py_ssize_t
        home: cython.Py_ssize_t
        link: cython.int = -1
        dx: cython.double
        dy: cython.double
        ends[0], ends[1] = stack[0], 0
        while (link >= 0 or ends[0] > 0) and ends[1] <= LEAVES - 4:
            if link < 0:
                link = stack[ends[0]]
                ends[0] -= 1
            n = link
            at = 16 * n
            dx = x - self.split[2 * n]
            dy = y - self.split[2 * n + 1]
            home = (dx >= 0.0) + 2 * (dy >= 0.0)
            dx = dx * dx
            dy = dy * dy
            push_one(self, at + (home ^ 3), dx + dy <= radius2, groups, stack, leaves, ends)
            push_one(self, at + (home ^ 2), dy <= radius2, groups, stack, leaves, ends)
            push_one(self, at + (home ^ 1), dx <= radius2, groups, stack, leaves, ends)
            link = self.links[at + home]
            if (self.links[at + home + 4] & groups) == 0:
                link = -1
            elif link < 0:
                leaves[ends[1] + 2] = ~link
                ends[1] += 1
        if link >= 0:  # no room for more leaves: the next call goes on there
            ends[0] += 1
            stack[ends[0]] = link
        stack[0] = cython.cast(cython.int, ends[0])
        leaves[0] = cython.cast(cython.int, ends[1])

    def leaves_around(
        self,
        stack: cython.p_int,
        leaves: cython.p_int,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
        groups: cython.int,
    ) -> None:
        """Leaves that may have a position in the box, by the split lines alone."""
        near = cython.declare(cython.int[4])
        ends = cython.declare(cython.Py_ssize_t[2])
        at: cython.Py_ssize_t
        k: cython.Py_ssize_t
        n: cython.Py_ssize_t
        across = cython.declare(cython.int[2])
        along = cython.declare(cython.int[2])
        ends[0], ends[1] = stack[0], 0
        while ends[0] > 0 and ends[1] <= LEAVES - 4:
            n = stack[ends[0]]
            ends[0] -= 1
            at = 16 * n
            across[0] = min_x < self.split[2 * n]
            across[1] = max_x >= self.split[2 * n]
            along[0] = min_y < self.split[2 * n + 1]
            along[1] = max_y >= self.split[2 * n + 1]
            for k in range(4):
                near[k] = across[k & 1] & along[k >> 1]
            push(self, at, near, groups, stack, leaves, ends)
        stack[0] = cython.cast(cython.int, ends[0])
        leaves[0] = cython.cast(cython.int, ends[1])

    def leaves_in_reach(
        self,
        stack: cython.p_int,
        leaves: cython.p_int,
        x: cython.double,
        y: cython.double,
        radius: cython.double,
        groups: cython.int,
    ) -> None:
        """Leaves that may have a footprint within a distance of (x, y)."""
        dx = cython.declare(cython.double[4])
        dy = cython.declare(cython.double[4])
        near = cython.declare(cython.int[4])
        ends = cython.declare(cython.Py_ssize_t[2])
        at: cython.Py_ssize_t
        k: cython.Py_ssize_t
        q: cython.Py_ssize_t
        far: cython.double
        limit2: cython.double = (radius * ROUNDING) * (radius * ROUNDING)
        ends[0], ends[1] = stack[0], 0
        while ends[0] > 0 and ends[1] <= LEAVES - 4:
            q = 4 * stack[ends[0]]
            at = 4 * q
            ends[0] -= 1
            gaps(self, at, x, y, x, y, dx, dy)
            for k in range(4):
                far = self.reach[q + k] * ROUNDING
                dx[k] = max(dx[k] - far, 0.0)
                dy[k] = max(dy[k] - far, 0.0)
                near[k] = dx[k] * dx[k] + dy[k] * dy[k] <= limit2
            push(self, at, near, groups, stack, leaves, ends)
        stack[0] = cython.cast(cython.int, ends[0])
        leaves[0] = cython.cast(cython.int, ends[1])

    def leaves_on_segment(
        self,
        stack: cython.p_int,
        leaves: cython.p_int,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        reach: cython.double,
        groups: cython.int,
    ) -> None:
        """Leaves that may have a footprint that meets another one on its way along the segment.

        The other one reaches so far along x and y. A box is missed if one of three lines separates
        it from the segment: upright, level, or along the segment itself.
        """
        gap_x = cython.declare(cython.double[4])
        gap_y = cython.declare(cython.double[4])
        near = cython.declare(cython.int[4])
        ends = cython.declare(cython.Py_ssize_t[2])
        at: cython.Py_ssize_t
        k: cython.Py_ssize_t
        q: cython.Py_ssize_t
        limit: cython.double
        dx: cython.double = x1 - x0
        dy: cython.double = y1 - y0
        spread: cython.double = abs(dx) + abs(dy)
        # What the edges of a footprint lose to rounding, far from the origin.
        loss: cython.double = 1e-15 * (max(abs(x0), abs(x1)) + max(abs(y0), abs(y1)))
        ends[0], ends[1] = stack[0], 0
        while ends[0] > 0 and ends[1] <= LEAVES - 4:
            q = 4 * stack[ends[0]]
            at = 4 * q
            ends[0] -= 1
            gaps(self, at, min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1), gap_x, gap_y)
            for k in range(4):
                limit = (reach + self.reach[q + k]) * ROUNDING + loss
                near[k] = (
                    gap_x[k] <= limit
                    and gap_y[k] <= limit
                    and self.beside(at + k, x0, y0, dx, dy) <= limit * spread
                )
            push(self, at, near, groups, stack, leaves, ends)
        stack[0] = cython.cast(cython.int, ends[0])
        leaves[0] = cython.cast(cython.int, ends[1])

    def beside(
        self,
        at: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
        dx: cython.double,
        dy: cython.double,
    ) -> cython.double:
        """How far a box is beside the line through (x, y) along (dx, dy), times its length."""
        low_x: cython.double = self.box[at] - x
        low_y: cython.double = self.box[at + 4] - y
        high_x: cython.double = self.box[at + 8] - x
        high_y: cython.double = self.box[at + 12] - y
        across: cython.double = 0.5 * (dx * (low_y + high_y) - dy * (low_x + high_x))
        half: cython.double = 0.5 * (abs(dx) * (high_y - low_y) + abs(dy) * (high_x - low_x))
        slack: cython.double = 1e-9 * (
            abs(dx) * max(abs(low_y), abs(high_y)) + abs(dy) * max(abs(low_x), abs(high_x))
        )
        return abs(across) - half - slack

    def next_nearest(
        self,
        stack: cython.p_int,
        bounds: cython.p_double,
        x: cython.double,
        y: cython.double,
        limit2: cython.double,
        groups: cython.int,
    ) -> cython.int:
        """The next leaf, near ones first, that may have a position within limit2; -1 at the end.

        `bounds[i]` is the least squared distance of what `stack[i]` holds; the limit may shrink
        from call to call, and what has fallen behind it is dropped unvisited.
        """
        n: cython.int
        while stack[0] > 0:
            n = stack[stack[0]]
            stack[0] -= 1
            if bounds[stack[0] + 1] > limit2:
                continue
            if n < 0:
                return ~n
            self.push_near(stack, bounds, n, False, x, y, limit2, groups)
        return -1

    def push_near(
        self,
        stack: cython.p_int,
        bounds: cython.p_double,
        n: cython.int,
        done: cython.bint,
        x: cython.double,
        y: cython.double,
        limit2: cython.double,
        groups: cython.int,
    ) -> None:
        """Push the quadrants of node n that are within limit2, the near ones on top.

        That of (x, y) comes last, unless it is done; the one across both lines comes first. Written
        in any case and kept by moving on, as in `push_one`.
        """
        dx = cython.declare(cython.double[4])
        dy = cython.declare(cython.double[4])
        top: cython.Py_ssize_t = stack[0]
        at: cython.Py_ssize_t = 16 * cython.cast(cython.Py_ssize_t, n)
        home: cython.Py_ssize_t
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        home = (x >= self.split[2 * n]) + 2 * (y >= self.split[2 * n + 1])
        gaps(self, at, x, y, x, y, dx, dy)
        for k in range(4):
            dx[k] = dx[k] * dx[k] + dy[k] * dy[k]
        for j in range(3, done - 1, -1):
            k = home ^ j
            stack[top + 1] = self.links[at + k]
            bounds[top + 1] = dx[k]
            top += (dx[k] <= limit2) & ((self.links[at + k + 4] & groups) != 0)
        stack[0] = cython.cast(cython.int, top)

    def sort_in(
        self,
        hits: cython.p_int,
        distances: cython.p_double,
        ranks: cython.p_int,
        n: cython.int,
        k: cython.int,
        hit: cython.int,
        distance2: cython.double,
        rank: cython.int,
    ) -> cython.int:
        """Sort a hit into the k best so far, by distance and then rank; returns their number."""
        i: cython.int = n
        if n == k:
            i = k - 1
            if distances[i] < distance2 or (distances[i] == distance2 and ranks[i] < rank):
                return n
        while i > 0 and (
            distances[i - 1] > distance2 or (distances[i - 1] == distance2 and ranks[i - 1] > rank)
        ):
            hits[i] = hits[i - 1]
            distances[i] = distances[i - 1]
            ranks[i] = ranks[i - 1]
            i -= 1
        hits[i] = hit
        distances[i] = distance2
        ranks[i] = rank
        return n if n == k else n + 1

    # -- inspecting --------------------------------------------------------------------------------

    def nodes(self) -> np.ndarray:
        """The nodes and leaves, for overlays and statistics.

        Returns:
            A structured array, parents before children, the root first: `min_x`, `min_y`, `max_x`,
            `max_y` (the part of the plane the node stands for, as far as the content of the tree
            reaches), `depth` (0 for the root), `count` (entries below it) and `leaf`.
        """
        order = array("i", [0]) * self.live
        self.preorder(order)
        rows = [(*self._extent(), 0, 0, False)]
        row_of = {0: 0}
        above = [-1]
        for n in order:
            min_x, min_y, max_x, max_y, depth = rows[row_of[n]][:5]
            x = min(max(self.split[2 * n], min_x), max_x)
            y = min(max(self.split[2 * n + 1], min_y), max_y)
            for k in range(4):
                link = self.links[16 * n + k]
                if link >= 0:
                    row_of[link] = len(rows)
                above.append(row_of[n])
                rows.append(
                    (
                        x if k & 1 else min_x,
                        y if k & 2 else min_y,
                        max_x if k & 1 else x,
                        max_y if k & 2 else y,
                        depth + 1,
                        self.links[16 * n + k + 12] if link < 0 else 0,
                        link < 0,
                    )
                )
        result = np.array(rows, NODE)
        for row in range(len(rows) - 1, 0, -1):
            result["count"][above[row]] += result["count"][row]
        return result

    def stats(self) -> TreeStats:
        """How the tree is built: its size, depth and fill."""
        rows = self.nodes()
        leaves = rows[rows["leaf"] & (rows["count"] > 0)]
        return TreeStats(
            nodes=int((~rows["leaf"]).sum()),
            leaves=len(leaves),
            depth=int(rows["depth"].max()),
            bytes=self._bytes(),
            items=int(rows["count"][0]),
            items_a_leaf=float(leaves["count"].mean()) if len(leaves) else 0.0,
            fullest_leaf=int(leaves["count"].max()) if len(leaves) else 0,
        )

    def _bytes(self) -> int:
        """What the arrays of the tree take."""
        return sum([view.nbytes for view in self._arrays().values()])

    def _arrays(self) -> dict[str, memoryview]:
        """The arrays of the tree by their names, to be read."""
        return {
            "box": memoryview(self.box),
            "links": memoryview(self.links),
            "reach": memoryview(self.reach),
            "cell": memoryview(self.cell),
            "split": memoryview(self.split),
            "parent": memoryview(self.parent),
        }

    def _extent(self) -> tuple[float, float, float, float]:
        """The box around all positions; zeros where there is none."""
        box = np.frombuffer(self.box, np.float64)[:16].reshape(4, 4)
        if box[0].min() > box[2].max():
            return 0.0, 0.0, 0.0, 0.0
        low, high = box[:2].min(axis=1), box[2:].max(axis=1)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    def _check_nodes(self) -> list[int]:
        """Prove the invariants of the nodes, or raise AssertionError; returns the leaves."""
        order = array("i", [0]) * self.live
        assert self.preorder(order) == self.live, "live nodes are miscounted"
        leaves = []
        for n in order:
            if len(self.cell):
                x, y, cell = self.split[2 * n], self.split[2 * n + 1], self.cell[4 * n : 4 * n + 4]
                assert cell[0] <= x <= cell[2], f"split of node {n} along x"
                assert cell[1] <= y <= cell[3], f"split of node {n} along y"
            for k in range(4):
                at, q, link = 16 * n + k, 4 * n + k, self.links[16 * n + k]
                if link < 0:
                    assert link == ~q, f"leaf {q} has lost itself"
                    leaves.append(q)
                    continue
                assert self.parent[link] == q, f"node {link} has lost its parent {q}"
                for j in range(4):
                    below = 16 * link + j
                    if self.links[below + 4] == 0:
                        continue
                    assert self.box[at] <= self.box[below], f"min_x of quadrant {q}"
                    assert self.box[at + 4] <= self.box[below + 4], f"min_y of quadrant {q}"
                    assert self.box[at + 8] >= self.box[below + 8], f"max_x of quadrant {q}"
                    assert self.box[at + 12] >= self.box[below + 12], f"max_y of quadrant {q}"
                    assert self.reach[q] >= self.reach[4 * link + j], f"reach of quadrant {q}"
                    assert not self.links[below + 4] & ~self.links[at + 4], f"groups of {q}"
        return leaves


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def gaps(
    tree: Nodes,
    at: cython.Py_ssize_t,
    min_x: cython.double,
    min_y: cython.double,
    max_x: cython.double,
    max_y: cython.double,
    dx: cython.p_double,
    dy: cython.p_double,
) -> cython.void:
    """Write how far a box is from those of a node's four quadrants, along x and along y.

    Of the two signed gaps on an axis at most one is positive; v + |v| is 2v or 0. No branch, so
    that the compiler can take the quadrants together; exact but for the subtraction.
    """
    k: cython.Py_ssize_t
    low: cython.double
    high: cython.double
    for k in range(4):
        low = tree.box[at + k] - max_x
        high = min_x - tree.box[at + k + 8]
        dx[k] = 0.5 * ((low + abs(low)) + (high + abs(high)))
    for k in range(4):
        low = tree.box[at + k + 4] - max_y
        high = min_y - tree.box[at + k + 12]
        dy[k] = 0.5 * ((low + abs(low)) + (high + abs(high)))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def push(
    tree: Nodes,
    at: cython.Py_ssize_t,
    near: cython.p_int,
    groups: cython.int,
    stack: cython.p_int,
    leaves: cython.p_int,
    ends: cython.p_Py_ssize_t,
) -> cython.void:
    """Push those of a node's quadrants that are near and have a group: nodes here, leaves there."""
    k: cython.Py_ssize_t
    for k in range(4):
        push_one(tree, at + k, near[k], groups, stack, leaves, ends)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def push_one(
    tree: Nodes,
    at: cython.Py_ssize_t,
    near: cython.int,
    groups: cython.int,
    stack: cython.p_int,
    leaves: cython.p_int,
    ends: cython.p_Py_ssize_t,
) -> cython.void:
    """Push a quadrant if it is near and has a group: a node here, a leaf there.

    `ends` has the tops of both. No branch: what is pushed is written in any case, and kept by
    moving on.
    """
    link: cython.int = tree.links[at]
    hit: cython.int = near & ((tree.links[at + 4] & groups) != 0)
    stack[ends[0] + 1] = link
    ends[0] += hit & (link >= 0)
    leaves[ends[1] + 2] = ~link
    ends[1] += hit & (link < 0)

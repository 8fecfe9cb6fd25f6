"""The nodes of both quadtrees: a pool of flat arrays, and the methods that keep them up to date.

A node has four quadrants, k = (y >= split_y) << 1 | (x >= split_x). A quadrant's data is stored in
its parent, next to its three siblings. So one visit tests all four from three cache lines, and the
compiler can test them in parallel. Quadrant `q = 4 * node + k` is either a child
node or a leaf: a run of entries in arrays that the store above owns. Node 0 is the root.

    box[place_of(q) + MIN_X, MIN_Y, MAX_X, MAX_Y]
                        the tight box of the positions below; inverted infinities if there are none
    links[place_of(q) + CHILD]
                        the child node, or ~q for a leaf
    links[place_of(q) + GROUPS]
                        the groups of the entries below, one mask
    common[q]           the groups that all entries below have; all 32 if there are none. A tree
                        that never changes drops this array
    links[place_of(q) + FIRST, COUNT]
                        the entries of a leaf
    reach[q]            how far the widest footprint below extends from its position along x or y,
                        in float32, rounded up (the "looseness" of a loose quadtree)
    cell[4 * n ...]     the part of the plane that node n divides: min_x, min_y, max_x, max_y; all
                        of it for the root. A tree that never changes drops this array
    split[2 * n ...]    where node n divides it, x and y; a position on the line is on the high side
    parent[n]           the quadrant that holds node n; for a freed node, the next free node

A cell is split in its middle if that separates positions, otherwise in the middle of the positions.
So clusters, outliers and worlds of any scale get trees of the same depth.
"""

from __future__ import annotations

from array import array

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, Raises
from tilequad._core.buffers import longer, resized
from tilequad._core.layout import (
    ALL_GROUPS,
    CHILD,
    COUNT,
    FIRST,
    GROUPS,
    INF,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    place_of,
)


@cython.final
@cython.cclass
class Nodes:
    """The nodes of a quadtree, without the entries of its leaves."""

    __slots__ = {
        "box": "double[::1]",
        "links": "int[::1]",
        "reach": "float[::1]",
        "common": "int[::1]",
        "cell": "double[::1]",
        "split": "double[::1]",
        "parent": "int[::1]",
        "capacity": "int",
        "used": "int",
        "free": "int",
        "live": "int",
        "max_depth": "int",
    }

    def __init__(self, max_depth: cython.int) -> None:
        self.max_depth = max_depth  # no leaf is deeper; the quadrants of the root have depth 1
        self.box = array("d")
        self.links = array("i")
        self.reach = array("f")
        self.common = array("i")
        self.cell = array("d")
        self.split = array("d")
        self.parent = array("i")
        self.capacity = 0  # nodes that fit into the arrays
        self.clear()

    def clear(self) -> Raises[cython.int]:
        """Remove all nodes but the root, and give it four empty leaves."""
        self.used = 0  # nodes taken from the arrays, freed ones included
        self.free = -1  # the first freed node
        self.live = 0  # nodes in the tree
        self.add_node(-1, 0.0, 0.0)
        return 0

    # -- the pool ----------------------------------------------------------------------------------

    def add_node(self, q: cython.int, x: cython.double, y: cython.double) -> Raises[cython.int]:
        """Turn quadrant q into a node split at (x, y) with empty leaves; q < 0 for the root."""
        cell = cython.declare(cython.double[4])
        self.reserve_one()
        if self.free >= 0:
            n = self.free
            self.free = self.parent[n]
        else:
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
            self.write_cell(q, cell)
            for k in range(4):
                self.cell[4 * n + k] = cell[k]
            self.links[place_of(q) + CHILD] = n
        for k in range(4):
            self.clear_leaf(4 * n + k)
        return n

    def reserve_one(self) -> Raises[cython.int]:
        """Reserve the memory that the next `add_node` needs, so that it cannot fail."""
        if self.free < 0 and self.used == self.capacity:
            self.reserve(longer(self.capacity))
        return 0

    def reserve(self, capacity: int) -> None:
        """Resize the arrays to hold that many nodes."""
        self.box = resized("d", self.box, 16 * capacity, 0.0)
        self.links = resized("i", self.links, 16 * capacity, 0)
        self.reach = resized("f", self.reach, 4 * capacity, 0.0)
        self.common = resized("i", self.common, 4 * capacity, ALL_GROUPS)
        self.cell = resized("d", self.cell, 4 * capacity, 0.0)
        self.split = resized("d", self.split, 2 * capacity, 0.0)
        self.parent = resized("i", self.parent, capacity, -1)
        self.capacity = capacity

    def drop_cells(self) -> Object[None]:
        """Free the arrays that only changes need."""
        self.cell = array("d")
        self.common = array("i")

    def free_node(self, n: cython.int) -> NoGil[None]:
        """Return a node to the pool, once its quadrant is a leaf again."""
        self.parent[n] = self.free
        self.free = n
        self.live -= 1

    def is_live(self, n: cython.int) -> NoGil[cython.bint]:
        """Whether a node that was in the tree is still in it.

        No quadrant links to a freed node; its parent field holds the next free one.
        """
        q = self.parent[n]
        return n == 0 or (q >= 0 and self.links[place_of(q) + CHILD] == n)

    def clear_leaf(self, q: cython.int) -> NoGil[None]:
        """Turn quadrant q into a leaf without entries."""
        at = place_of(q)
        self.links[at + CHILD] = ~q
        self.links[at + GROUPS] = 0
        self.links[at + FIRST] = 0
        self.links[at + COUNT] = 0
        self.box[at + MIN_X] = self.box[at + MIN_Y] = INF
        self.box[at + MAX_X] = self.box[at + MAX_Y] = -INF
        self.reach[q] = 0.0
        self.common[q] = ALL_GROUPS

    # -- cells -------------------------------------------------------------------------------------

    def leaf_from(self, q: cython.int, x: cython.double, y: cython.double) -> NoGil[cython.int]:
        """Return the leaf at a position near quadrant q but outside it: climb, then descend."""
        while True:
            q = self.parent[q >> 2]
            if q < 0:
                return self.leaf_below(0, x, y)
            if self.in_cell(q, x, y):
                return self.leaf_below(self.links[place_of(q) + CHILD], x, y)

    def leaf_below(self, n: cython.int, x: cython.double, y: cython.double) -> NoGil[cython.int]:
        """Return the leaf below node n whose cell holds a position."""
        at: cython.Py_ssize_t = n
        while True:
            # Arithmetic instead of branches, because the quadrant cannot be predicted.
            k: cython.Py_ssize_t = (x >= self.split[2 * at]) + 2 * (y >= self.split[2 * at + 1])
            link = self.links[16 * at + k]
            if link < 0:
                return ~link
            at = link

    def in_cell(self, q: cython.int, x: cython.double, y: cython.double) -> NoGil[cython.bint]:
        """Whether a position belongs to quadrant q. Cells are open at their high edges."""
        cell = cython.declare(cython.double[4])
        self.write_cell(q, cell)
        return cell[0] <= x < cell[2] and cell[1] <= y < cell[3]

    def write_cell(self, q: cython.int, cell: cython.p_double) -> NoGil[None]:
        """Write the edges of quadrant q's cell: min_x, min_y, max_x, max_y."""
        n: cython.Py_ssize_t = q >> 2
        x = self.split[2 * n]
        y = self.split[2 * n + 1]
        cell[0] = x if q & 1 else self.cell[4 * n]
        cell[1] = y if q & 2 else self.cell[4 * n + 1]
        cell[2] = self.cell[4 * n + 2] if q & 1 else x
        cell[3] = self.cell[4 * n + 3] if q & 2 else y

    def may_split(self, q: cython.int) -> NoGil[cython.bint]:
        """Whether quadrant q is not too deep to become a node."""
        depth: cython.int = 1
        while q >= 4:
            q = self.parent[q >> 2]
            depth += 1
        return depth < self.max_depth

    # -- boxes, reaches and groups, from the leaves upward -----------------------------------------

    def extend(
        self,
        q: cython.int,
        x: cython.double,
        y: cython.double,
        reach: cython.float,
        groups: cython.int,
    ) -> NoGil[None]:
        """Extend quadrant q and its ancestors to cover one more entry."""
        while q >= 0:
            at = place_of(q)
            same = True
            if x < self.box[at + MIN_X]:
                self.box[at + MIN_X] = x
                same = False
            if y < self.box[at + MIN_Y]:
                self.box[at + MIN_Y] = y
                same = False
            if x > self.box[at + MAX_X]:
                self.box[at + MAX_X] = x
                same = False
            if y > self.box[at + MAX_Y]:
                self.box[at + MAX_Y] = y
                same = False
            if reach > self.reach[q]:
                self.reach[q] = reach
                same = False
            if groups & ~self.links[at + GROUPS]:
                self.links[at + GROUPS] |= groups
                same = False
            if self.common[q] & ~groups:
                self.common[q] &= groups
                same = False
            if same:
                return
            q = self.parent[q >> 2]

    def update_parent(self, n: cython.int) -> NoGil[cython.bint]:
        """Recompute the box, reach and groups of the quadrant that holds node n.

        Return whether anything changed.
        """
        q = self.parent[n]
        at = place_of(q)
        below = place_of(4 * n)
        groups: cython.int = 0
        common = ALL_GROUPS
        reach: cython.float = 0.0
        min_x = INF
        min_y = INF
        max_x: cython.double = -INF
        max_y: cython.double = -INF
        for k in range(4):
            min_x = min(min_x, self.box[below + k + MIN_X])
            min_y = min(min_y, self.box[below + k + MIN_Y])
            max_x = max(max_x, self.box[below + k + MAX_X])
            max_y = max(max_y, self.box[below + k + MAX_Y])
            reach = max(reach, self.reach[4 * n + k])
            groups |= self.links[below + k + GROUPS]
            common &= self.common[4 * n + k]
        if (
            min_x == self.box[at + MIN_X]
            and min_y == self.box[at + MIN_Y]
            and max_x == self.box[at + MAX_X]
            and max_y == self.box[at + MAX_Y]
            and reach == self.reach[q]
            and groups == self.links[at + GROUPS]
            and common == self.common[q]
        ):
            return False
        self.box[at + MIN_X] = min_x
        self.box[at + MIN_Y] = min_y
        self.box[at + MAX_X] = max_x
        self.box[at + MAX_Y] = max_y
        self.reach[q] = reach
        self.links[at + GROUPS] = groups
        self.common[q] = common
        return True

    def update_parents(self, n: cython.int) -> NoGil[None]:
        """Update the quadrants above node n, up to the first that stays the same."""
        while n > 0 and self.update_parent(n):
            n = self.parent[n] >> 2

    def write_preorder(self, order: cython.int[::1]) -> NoGil[cython.int]:
        """Write the live nodes into `order`, parents before children; return their number."""
        count: cython.int = 1
        i: cython.int = 0
        order[0] = 0
        while i < count:
            for k in range(4):
                link = self.links[place_of(4 * order[i]) + k + CHILD]
                if link >= 0:
                    order[count] = link
                    count += 1
            i += 1
        return count

    def update_all(self, order: cython.int[::1]) -> NoGil[None]:
        """Update every node from its leaves upward; `order` has room for all live nodes."""
        i: cython.int = self.write_preorder(order) - 1
        while i > 0:
            self.update_parent(order[i])
            i -= 1

    def fit_box(self, q: cython.int, xs: cython.double[::1], ys: cython.double[::1]) -> NoGil[None]:
        """Make the box of leaf q tight around the positions of its entries."""
        extent = cython.declare(cython.double[4])
        at = place_of(q)
        first = self.links[at + FIRST]
        write_extent(xs, ys, first, first + self.links[at + COUNT], extent)
        self.box[at + MIN_X] = extent[0]
        self.box[at + MIN_Y] = extent[1]
        self.box[at + MAX_X] = extent[2]
        self.box[at + MAX_Y] = extent[3]


def write_extent(
    xs: cython.double[::1],
    ys: cython.double[::1],
    first: cython.int,
    end: cython.int,
    extent: cython.p_double,
) -> NoGil[None]:
    """Write the box around a range of positions: min_x, min_y, max_x, max_y."""
    min_x = INF
    min_y = INF
    max_x: cython.double = -INF
    max_y: cython.double = -INF
    for i in range(first, end):
        min_x = xs[i] if xs[i] < min_x else min_x
        min_y = ys[i] if ys[i] < min_y else min_y
        max_x = xs[i] if xs[i] > max_x else max_x
        max_y = ys[i] if ys[i] > max_y else max_y
    extent[0] = min_x
    extent[1] = min_y
    extent[2] = max_x
    extent[3] = max_y


def choose_split(
    xs: cython.double[::1],
    ys: cython.double[::1],
    first: cython.int,
    end: cython.int,
    x: cython.double,
    y: cython.double,
    split: cython.p_double,
) -> NoGil[cython.bint]:
    """Choose where a range of positions splits; False if all of them and (x, y) coincide.

    `split` contains the preferred split. On each axis it is used if it separates any positions;
    otherwise the middle of their extent is used. The new position (x, y) counts only if the others
    coincide.
    """
    extent = cython.declare(cython.double[4])
    write_extent(xs, ys, first, end, extent)
    if extent[0] == extent[2] and extent[1] == extent[3]:
        extent[0] = min(extent[0], x)
        extent[1] = min(extent[1], y)
        extent[2] = max(extent[2], x)
        extent[3] = max(extent[3], y)
    for axis in range(2):
        low = extent[axis]
        high = extent[axis + 2]
        if not (low < split[axis] <= high):
            split[axis] = 0.5 * low + 0.5 * high
        # Neighboring floats have no middle; the higher one belongs to the high side.
        if split[axis] <= low:
            split[axis] = high
    return extent[0] < extent[2] or extent[1] < extent[3]

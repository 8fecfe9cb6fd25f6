"""The walk of a query through the nodes, from the root to the leaves that may hold an answer.

`begin` says what to look for, and `next_span` leads from leaf to leaf:

    begin(walk, NEAR_POINT, x, y, x, y, radius2, groups, without)
    while next_span(nodes, walk):
        ...  # test the entries walk.entry .. walk.end, and move walk.entry on

A quadrant is pruned if none of its groups is wanted, if all its entries share a group that is left
out, or if it is too far away by the test of the walk. The caller must put the remaining entries to
the exact test. Quadrants are pruned by the same test with a wider box, and rounding is monotonic,
so no entry that passes the exact test is pruned.

All state is in the caller's `Walk`; a walk writes nothing to the tree, so any number of threads may
walk at once. Links and leaves are pushed without branches: each is written in any case, and moving
the top keeps it.
"""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import Gil, NoGil
from tilequad._core.layout import (
    CHILD,
    COUNT,
    FIRST,
    GROUPS,
    INF,
    LEAVES,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    NEAR_POINT,
    NEAR_POINT_BOXED,
    OVERLAPPING_BOX,
    POSITION_IN_BOX,
    PRUNE_MARGIN,
    REACHING_POINT,
    Walk,
    place_of,
)
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.units import UnitStore

MAX_REACH: cython.double = 1e155  # farther than any two positions are apart


@cython.final
@cython.cclass
class Tally:
    """The cost of the walks of a question, for `explain()`."""

    __slots__ = {
        "nodes": "readonly long long",
        "leaves": "readonly long long",
        "items_tested": "readonly long long",
        "pruned_by_place": "readonly long long",
        "pruned_by_group": "readonly long long",
    }

    def __init__(self) -> None:
        self.nodes = self.leaves = self.items_tested = 0
        self.pruned_by_place = self.pruned_by_group = 0

    def add(self, walk: cython.pointer[Walk]) -> Gil[None]:
        """Add the counts of a walk."""
        self.nodes += walk.nodes
        self.leaves += walk.leaves_read
        self.items_tested += walk.entries_tested
        self.pruned_by_place += walk.pruned_by_place
        self.pruned_by_group += walk.pruned_by_group


def begin(
    walk: cython.pointer[Walk],
    test: cython.int,
    x0: cython.double,
    y0: cython.double,
    x1: cython.double,
    y1: cython.double,
    limit: cython.double,
    groups: cython.int,
    without: cython.int,
) -> NoGil[None]:
    """Begin a walk at the root.

    The test determines the meaning of (x0, y0, x1, y1) and of the limit:

    OVERLAPPING_BOX    a box; finds leaves whose footprints may overlap it. No limit
    NEAR_POINT         a point, given twice; leaves with positions within the limit, a squared
                       radius.
                       It leaves out no groups
    NEAR_POINT_BOXED   the same by the boxes of the quadrants, for boxes that extend over cells
                       and for groups to leave out
    REACHING_POINT     a point, given twice; leaves with footprints within the limit, a radius
    POSITION_IN_BOX    a box; leaves with positions in it. No limit
    ON_SEGMENT         a segment; leaves with footprints that a thing may touch as it moves along
                       the segment, where the limit is how far its own footprint extends
    """
    walk.test = test
    walk.groups = groups
    walk.without = without
    walk.x0 = x0
    walk.y0 = y0
    walk.x1 = x1
    walk.y1 = y1
    walk.limit = limit
    walk.stack[0] = 0
    walk.top = 1
    walk.leaf_count = 0
    walk.entry = walk.end = 0


def begin_near_point(
    walk: cython.pointer[Walk],
    x: cython.double,
    y: cython.double,
    radius2: cython.double,
    groups: cython.int,
    without: cython.int,
) -> NoGil[None]:
    """Begin a walk for positions within a squared radius, with the cheaper of two tests."""
    test = NEAR_POINT if without == 0 else NEAR_POINT_BOXED
    begin(walk, test, x, y, x, y, radius2, groups, without)


def next_span(nodes: Nodes, walk: cython.pointer[Walk]) -> NoGil[cython.bint]:
    """Find the next entries to test, walk.entry .. walk.end; False at the end of the walk.

    If the caller has not finished a span, it comes again.
    """
    if walk.entry < walk.end:
        return True
    if walk.leaf_count == 0:
        if walk.top > 0:
            find_leaves(nodes, walk)
        if walk.leaf_count == 0:
            return False
    walk.leaf_count -= 1
    walk.leaf = walk.leaves[walk.leaf_count]
    at = place_of(walk.leaf)
    walk.entry = nodes.links[at + FIRST]
    walk.end = walk.entry + nodes.links[at + COUNT]
    if walk.counting:
        count_leaf(nodes, walk, walk.leaf)
    return True


def find_leaves(nodes: Nodes, walk: cython.pointer[Walk]) -> NoGil[None]:
    """Continue until the buffer of leaves is full or no quadrant is left."""
    if walk.test == NEAR_POINT:
        find_near_point(nodes, walk)
    elif walk.test == OVERLAPPING_BOX:
        find_overlapping_box(nodes, walk)
    elif walk.test == NEAR_POINT_BOXED:
        find_near_point_boxed(nodes, walk)
    elif walk.test == REACHING_POINT:
        find_reaching_point(nodes, walk)
    elif walk.test == POSITION_IN_BOX:
        find_position_in_box(nodes, walk)
    else:
        find_on_segment(nodes, walk)


# -- the six tests ---------------------------------------------------------------------------------


def find_near_point(nodes: Nodes, walk: cython.pointer[Walk]) -> NoGil[None]:
    """Find leaves with positions within a squared radius, by the split lines alone.

    Positions lie in the cells of their leaves. Of four quadrants, the one with (x, y) is always
    near, each of its two neighbors if the line between them is, and the opposite one if the
    crossing of the lines is. This takes far fewer instructions than testing four boxes. The walk
    continues directly with the first.
    """
    near = cython.declare(cython.int[4])
    x = walk.x0
    y = walk.y0
    radius2 = walk.limit
    link: cython.int = -1
    while (link >= 0 or walk.top > 0) and walk.leaf_count <= LEAVES - 4:
        if link < 0:
            walk.top -= 1
            link = walk.stack[walk.top]
        n: cython.Py_ssize_t = link
        at: cython.Py_ssize_t = place_of(4 * n)
        dx = x - nodes.split[2 * n]
        dy = y - nodes.split[2 * n + 1]
        home: cython.Py_ssize_t = (dx >= 0.0) + 2 * (dy >= 0.0)
        dx = dx * dx
        dy = dy * dy
        push(nodes, walk, at + (home ^ 3), dx + dy <= radius2)
        push(nodes, walk, at + (home ^ 2), dy <= radius2)
        push(nodes, walk, at + (home ^ 1), dx <= radius2)
        if walk.counting:
            near[home ^ 3] = dx + dy <= radius2
            near[home ^ 2] = dy <= radius2
            near[home ^ 1] = dx <= radius2
            near[home] = True
            count_quadrants(nodes, walk, at, near)
        link = nodes.links[at + home + CHILD]
        if (nodes.links[at + home + GROUPS] & walk.groups) == 0:
            link = -1
        elif link < 0:
            walk.leaves[walk.leaf_count] = ~link
            walk.leaf_count += 1
    if link >= 0:  # the buffer is full; the next call continues here
        walk.stack[walk.top] = link
        walk.top += 1


def find_near_point_boxed(nodes: Nodes, walk: cython.pointer[Walk]) -> NoGil[None]:
    """Find leaves with boxes within a squared radius."""
    distances2 = cython.declare(cython.double[4])
    near = cython.declare(cython.int[4])
    while walk.top > 0 and walk.leaf_count <= LEAVES - 4:
        walk.top -= 1
        at = place_of(4 * cython.cast(cython.Py_ssize_t, walk.stack[walk.top]))
        write_distances2(nodes, at, walk.x0, walk.y0, distances2)
        for k in range(4):
            near[k] = distances2[k] <= walk.limit
        push_near(nodes, walk, at, near)


def find_overlapping_box(nodes: Nodes, walk: cython.pointer[Walk]) -> NoGil[None]:
    """Find leaves with footprints that may overlap a box."""
    dx = cython.declare(cython.double[4])
    dy = cython.declare(cython.double[4])
    near = cython.declare(cython.int[4])
    while walk.top > 0 and walk.leaf_count <= LEAVES - 4:
        walk.top -= 1
        q = 4 * cython.cast(cython.Py_ssize_t, walk.stack[walk.top])
        at = place_of(q)
        axis_distances(nodes, at, walk.x0, walk.y0, walk.x1, walk.y1, dx, dy)
        for k in range(4):
            near[k] = (dx[k] <= nodes.reach[q + k]) & (dy[k] <= nodes.reach[q + k])
        push_near(nodes, walk, at, near)


def find_reaching_point(nodes: Nodes, walk: cython.pointer[Walk]) -> NoGil[None]:
    """Find leaves with footprints that may be within a radius of a point."""
    dx = cython.declare(cython.double[4])
    dy = cython.declare(cython.double[4])
    near = cython.declare(cython.int[4])
    limit2 = (walk.limit * PRUNE_MARGIN) * (walk.limit * PRUNE_MARGIN)
    while walk.top > 0 and walk.leaf_count <= LEAVES - 4:
        walk.top -= 1
        q = 4 * cython.cast(cython.Py_ssize_t, walk.stack[walk.top])
        at = place_of(q)
        axis_distances(nodes, at, walk.x0, walk.y0, walk.x0, walk.y0, dx, dy)
        for k in range(4):
            reach = nodes.reach[q + k] * PRUNE_MARGIN
            dx[k] = max(dx[k] - reach, 0.0)
            dy[k] = max(dy[k] - reach, 0.0)
            near[k] = dx[k] * dx[k] + dy[k] * dy[k] <= limit2
        push_near(nodes, walk, at, near)


def find_position_in_box(nodes: Nodes, walk: cython.pointer[Walk]) -> NoGil[None]:
    """Find leaves with positions in a box, by the split lines alone."""
    on_side_x = cython.declare(cython.int[2])
    on_side_y = cython.declare(cython.int[2])
    near = cython.declare(cython.int[4])
    while walk.top > 0 and walk.leaf_count <= LEAVES - 4:
        walk.top -= 1
        n: cython.Py_ssize_t = walk.stack[walk.top]
        on_side_x[0] = walk.x0 < nodes.split[2 * n]
        on_side_x[1] = walk.x1 >= nodes.split[2 * n]
        on_side_y[0] = walk.y0 < nodes.split[2 * n + 1]
        on_side_y[1] = walk.y1 >= nodes.split[2 * n + 1]
        for k in range(4):
            near[k] = on_side_x[k & 1] & on_side_y[k >> 1]
        push_near(nodes, walk, place_of(4 * n), near)


def find_on_segment(nodes: Nodes, walk: cython.pointer[Walk]) -> NoGil[None]:
    """Find leaves with footprints that something may touch on its way along a segment.

    The separating axis test: a box is missed if one of three lines separates it from the segment,
    an upright one, a level one, or one along the segment itself. Where the split lines leave one
    quadrant, as they mostly do for a short way, there is nothing to test.
    """
    gap_x = cython.declare(cython.double[4])
    gap_y = cython.declare(cython.double[4])
    near = cython.declare(cython.int[4])
    link: cython.int = -1
    dx = walk.x1 - walk.x0
    dy = walk.y1 - walk.y0
    length = abs(dx) + abs(dy)
    min_x = min(walk.x0, walk.x1)
    min_y = min(walk.y0, walk.y1)
    max_x = max(walk.x0, walk.x1)
    max_y = max(walk.y0, walk.y1)
    # The rounding error of a footprint's edges far from the origin.
    loss = 1e-15 * (max(abs(min_x), abs(max_x)) + max(abs(min_y), abs(max_y)))
    widest = max(max(nodes.reach[0], nodes.reach[1]), max(nodes.reach[2], nodes.reach[3]))
    widest = (walk.limit + widest) * PRUNE_MARGIN + loss
    if len(nodes.cell) == 0:  # the boxes of a tree that never changes may reach anywhere
        widest = INF
    while (link >= 0 or walk.top > 0) and walk.leaf_count <= LEAVES - 4:
        if link < 0:
            walk.top -= 1
            link = walk.stack[walk.top]
        q = 4 * cython.cast(cython.Py_ssize_t, link)
        at = place_of(q)
        home = quadrant_of(nodes, q, min_x - widest, min_y - widest)
        if home == quadrant_of(nodes, q, max_x + widest, max_y + widest):
            link = pursue(nodes, walk, at, home)
            continue
        link = -1
        axis_distances(nodes, at, min_x, min_y, max_x, max_y, gap_x, gap_y)
        for k in range(4):
            # A reach beyond float32 is infinite, and infinity times a length of 0 is NaN.
            reach = min((walk.limit + nodes.reach[q + k]) * PRUNE_MARGIN + loss, MAX_REACH)
            near[k] = (
                gap_x[k] <= reach
                and gap_y[k] <= reach
                and separation(nodes, at + k, walk.x0, walk.y0, dx, dy) <= reach * length
            )
        push_near(nodes, walk, at, near)
    if link >= 0:  # the buffer is full; the next call continues here
        walk.stack[walk.top] = link
        walk.top += 1


# -- helpers ---------------------------------------------------------------------------------------


@cython.inline
def quadrant_of(
    nodes: Nodes, q: cython.Py_ssize_t, x: cython.double, y: cython.double
) -> cython.Py_ssize_t:
    """Return in which quadrant of the node with the first quadrant q a position is, 0 to 3."""
    at = q >> 1
    return (x >= nodes.split[at]) + 2 * (y >= nodes.split[at + 1])


@cython.inline
def axis_distances(
    nodes: Nodes,
    at: cython.Py_ssize_t,
    min_x: cython.double,
    min_y: cython.double,
    max_x: cython.double,
    max_y: cython.double,
    dx: cython.p_double,
    dy: cython.p_double,
) -> cython.void:
    """Write the distances along x and y from a box to the boxes of a node's four quadrants.

    At most one of the two signed gaps on an axis is positive, and v + |v| is 2v or 0. Without
    branches, the compiler can compute all four at once. Only the subtraction rounds.
    """
    for k in range(4):
        low = nodes.box[at + k + MIN_X] - max_x
        high = min_x - nodes.box[at + k + MAX_X]
        dx[k] = 0.5 * ((low + abs(low)) + (high + abs(high)))
    for k in range(4):
        low = nodes.box[at + k + MIN_Y] - max_y
        high = min_y - nodes.box[at + k + MAX_Y]
        dy[k] = 0.5 * ((low + abs(low)) + (high + abs(high)))


def write_distances2(
    nodes: Nodes,
    at: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    distances2: cython.p_double,
) -> NoGil[None]:
    """Write the squared distances from a point to the boxes of a node's four quadrants."""
    dx = cython.declare(cython.double[4])
    dy = cython.declare(cython.double[4])
    axis_distances(nodes, at, x, y, x, y, dx, dy)
    for k in range(4):
        distances2[k] = dx[k] * dx[k] + dy[k] * dy[k]


def write_gaps2(
    nodes: Nodes,
    at: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    gaps2: cython.p_double,
) -> NoGil[None]:
    """Write squared distances from a point to what the footprints of four quadrants may cover.

    None is greater than that of a footprint, however both are rounded.
    """
    dx = cython.declare(cython.double[4])
    dy = cython.declare(cython.double[4])
    axis_distances(nodes, at, x, y, x, y, dx, dy)
    for k in range(4):
        reach = nodes.reach[(at >> 2) + k] * PRUNE_MARGIN
        dx[k] = max(dx[k] - reach, 0.0)
        dy[k] = max(dy[k] - reach, 0.0)
        gaps2[k] = (dx[k] * dx[k] + dy[k] * dy[k]) / PRUNE_MARGIN


def separation(
    nodes: Nodes,
    at: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    dx: cython.double,
    dy: cython.double,
) -> NoGil[cython.double]:
    """Return how far a box is from the line through (x, y) along (dx, dy), times its length."""
    min_x = nodes.box[at + MIN_X] - x
    min_y = nodes.box[at + MIN_Y] - y
    max_x = nodes.box[at + MAX_X] - x
    max_y = nodes.box[at + MAX_Y] - y
    across = 0.5 * (dx * (min_y + max_y) - dy * (min_x + max_x))
    half = 0.5 * (abs(dx) * (max_y - min_y) + abs(dy) * (max_x - min_x))
    slack = 1e-9 * (abs(dx) * max(abs(min_y), abs(max_y)) + abs(dy) * max(abs(min_x), abs(max_x)))
    return abs(across) - half - slack


@cython.inline
def pursue(
    nodes: Nodes, walk: cython.pointer[Walk], at: cython.Py_ssize_t, home: cython.Py_ssize_t
) -> cython.int:
    """Return the link of the only quadrant of a node that is near; a leaf is found, not returned.

    It is negative if the walk does not continue there.
    """
    near = cython.declare(cython.int[4])
    link = nodes.links[at + home + CHILD]
    if walk.counting:
        for k in range(4):
            near[k] = k == home
        count_quadrants(nodes, walk, at, near)
    if (nodes.links[at + home + GROUPS] & walk.groups) == 0 or left_out(
        nodes, walk, (at >> 2) + home
    ):
        return -1
    if link < 0:
        walk.leaves[walk.leaf_count] = ~link
        walk.leaf_count += 1
    return link


@cython.inline
def push_near(
    nodes: Nodes, walk: cython.pointer[Walk], at: cython.Py_ssize_t, near: cython.p_int
) -> cython.void:
    """Push the quadrants of a node that are near and may hold a wanted entry."""
    if walk.counting:
        count_quadrants(nodes, walk, at, near)
    if walk.without != 0:
        for k in range(4):
            near[k] &= not left_out(nodes, walk, (at >> 2) + k)
    for k in range(4):
        push(nodes, walk, at + k, near[k])


@cython.inline
def push(
    nodes: Nodes, walk: cython.pointer[Walk], at: cython.Py_ssize_t, near: cython.int
) -> cython.void:
    """Push a quadrant if it is near and holds a wanted group: a node, or a leaf."""
    link: cython.int = nodes.links[at + CHILD]
    kept: cython.int = near & ((nodes.links[at + GROUPS] & walk.groups) != 0)
    walk.stack[walk.top] = link
    walk.top += kept & (link >= 0)
    walk.leaves[walk.leaf_count] = ~link
    walk.leaf_count += kept & (link < 0)


@cython.inline
def left_out(nodes: Nodes, walk: cython.pointer[Walk], q: cython.Py_ssize_t) -> cython.bint:
    """Whether all entries below quadrant q share a group that is left out."""
    return walk.without != 0 and (nodes.common[q] & walk.without) != 0


def count_quadrants(
    nodes: Nodes, walk: cython.pointer[Walk], at: cython.Py_ssize_t, near: cython.p_int
) -> NoGil[None]:
    """Count a visited node, and which of its quadrants are pruned. Empty ones are not counted."""
    walk.nodes += 1
    for k in range(4):
        groups = nodes.links[at + k + GROUPS]
        if groups == 0:
            continue
        if not near[k]:
            walk.pruned_by_place += 1
        elif (groups & walk.groups) == 0 or left_out(nodes, walk, (at >> 2) + k):
            walk.pruned_by_group += 1


def count_leaf(nodes: Nodes, walk: cython.pointer[Walk], leaf: cython.int) -> NoGil[None]:
    """Count a leaf that is read, with its entries."""
    walk.leaves_read += 1
    walk.entries_tested += nodes.links[place_of(leaf) + COUNT]


# -- the entries of a leaf -------------------------------------------------------------------------

# What exact tests need. They write a number for each entry, without branches, because whether an
# entry is a hit cannot be predicted. Each does so little that the compiler does several rounds at
# once.


def write_squares(
    units: UnitStore,
    first: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    squares: cython.p_double,
) -> NoGil[None]:
    """Write the squared distances from a point to n entries."""
    for i in range(n):
        dx = units.xs[first + i] - x
        dy = units.ys[first + i] - y
        squares[i] = dx * dx + dy * dy


def write_gaps(
    units: UnitStore,
    first: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    min_x: cython.double,
    min_y: cython.double,
    max_x: cython.double,
    max_y: cython.double,
    gaps: cython.p_double,
) -> NoGil[None]:
    """Write how far n entries are from a box, along x or y, whichever is more; inside it, <= 0."""
    for i in range(n):
        dx = max(min_x - units.xs[first + i], units.xs[first + i] - max_x)
        dy = max(min_y - units.ys[first + i], units.ys[first + i] - max_y)
        gaps[i] = max(dx, dy)


def leave_out(
    units: UnitStore,
    leaf: cython.int,
    first: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    groups: cython.int,
    without: cython.int,
    numbers: cython.p_double,
) -> NoGil[None]:
    """Make the numbers of those of n entries infinite that are not in a wanted group."""
    beyond = cython.declare(cython.double[2])
    if (units.nodes.links[place_of(leaf) + GROUPS] & (~groups | without)) == 0:
        return  # all of them are
    beyond[0] = 0.0
    beyond[1] = INF
    for i in range(n):
        mask = units.masks[first + i]
        numbers[i] += beyond[((mask & groups) == 0) | ((mask & without) != 0)]

"""The radius query: which units, or boxes, lie within a distance of a point.

A `find_` function fills the caller's buffer with up to HITS hits and returns their number. If the
buffer is full there may be more hits, and the next call continues where the walk stopped.

A point is within a radius if `dx * dx + dy * dy <= radius * radius`, in doubles, in this order.
"""

from __future__ import annotations

from math import sqrt

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.layout import (
    CANDIDATES,
    ENTRY,
    GROUPS,
    HITS,
    NEAR_POINT_BOXED,
    POSITION_IN_BOX,
    PRUNE_MARGIN,
    REACHING_POINT,
    RECORD,
    Walk,
    drop_slot,
    place_of,
    start_counts,
)
from tilequad._core.tree.boxes import BoxStore
from tilequad._core.tree.questions import Questions
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.walk import (
    begin,
    begin_near_point,
    leave_out,
    next_span,
    write_gaps,
    write_squares,
)

BLOCK: cython.int = 64  # Only questions of one block, in Z order, share a walk.
MIN_SHARED: cython.int = 3  # a walk is shared by at least this many questions
TINY_RADIUS: cython.double = 1e-150  # its square is 0

# -- units, by position ----------------------------------------------------------------------------


def find_within(
    units: UnitStore,
    walk: cython.pointer[Walk],
    min_radius2: cython.double,
    hits: cython.p_int,
) -> NoGil[cython.int]:
    """Find slots positioned within the radius and no nearer than a squared distance."""
    squares = cython.declare(cython.double[HITS])
    radius2 = walk.limit
    n: cython.Py_ssize_t = 0
    while n < HITS and next_span(units.nodes, walk):
        found = n
        first: cython.Py_ssize_t = walk.entry
        many = min(walk.end - first, HITS - n)
        walk.entry += cython.cast(cython.int, many)
        write_squares(units, first, many, walk.x0, walk.y0, squares)
        # Without branches: each entry is written, and the index advances only if it is a hit.
        for i in range(many):
            hits[n] = units.slot_of[first + i]
            n += squares[i] <= radius2
        if min_radius2 > 0.0 or units.nodes.links[place_of(walk.leaf) + GROUPS] & (
            ~walk.groups | walk.without
        ):
            n = keep_wanted(units, walk, min_radius2, hits, found, n)
    return cython.cast(cython.int, n)


def keep_wanted(
    units: UnitStore,
    walk: cython.pointer[Walk],
    min_radius2: cython.double,
    hits: cython.p_int,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> NoGil[cython.Py_ssize_t]:
    """Keep the hits in a wanted group that are not too near; return where they end."""
    for j in range(start, end):
        i: cython.Py_ssize_t = units.record[
            RECORD * cython.cast(cython.Py_ssize_t, hits[j]) + ENTRY
        ]
        dx = units.xs[i] - walk.x0
        dy = units.ys[i] - walk.y0
        if (
            (units.masks[i] & walk.groups) != 0
            and (units.masks[i] & walk.without) == 0
            and dx * dx + dy * dy >= min_radius2
        ):
            hits[start] = hits[j]
            start += 1
    return start


# -- units, by footprint ---------------------------------------------------------------------------


def find_to_edge(
    units: UnitStore,
    walk: cython.pointer[Walk],
    min_radius: cython.double,
    hits: cython.p_int,
) -> NoGil[cython.int]:
    """Find slots whose footprint is within the radius and no nearer than a distance."""
    n: cython.Py_ssize_t = 0
    while n < HITS and next_span(units.nodes, walk):
        i = walk.entry
        end = min(walk.end, i + HITS - n)
        walk.entry = cython.cast(cython.int, end)
        for i in range(i, end):
            if (
                (units.masks[i] & walk.groups) != 0
                and (units.masks[i] & walk.without) == 0
                and edge_in_ring(units, i, walk.x0, walk.y0, min_radius, walk.limit)
            ):
                hits[n] = units.slot_of[i]
                n += 1
    return cython.cast(cython.int, n)


def edge_in_ring(
    units: UnitStore,
    i: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    min_radius: cython.double,
    radius: cython.double,
) -> NoGil[cython.bint]:
    """Whether the footprint of entry i is min_radius .. radius away from a point."""
    slot: cython.Py_ssize_t = units.slot_of[i]
    dx: cython.double = units.xs[i] - x
    dy: cython.double = units.ys[i] - y
    size: cython.double = units.half_w[slot]
    if units.half_h[slot] < 0.0:  # a circle
        distance2 = dx * dx + dy * dy
        return distance2 <= (radius + size) * (radius + size) and (
            min_radius <= 0.0 or distance2 >= (min_radius + size) * (min_radius + size)
        )
    dx = max(abs(dx) - size, 0.0)
    dy = max(abs(dy) - units.half_h[slot], 0.0)
    distance2 = dx * dx + dy * dy
    return distance2 <= radius * radius and distance2 >= min_radius * min_radius


def unit_gap(
    units: UnitStore, i: cython.Py_ssize_t, x: cython.double, y: cython.double
) -> NoGil[cython.double]:
    """Return the distance from a point to the footprint of entry i; 0 inside."""
    slot: cython.Py_ssize_t = units.slot_of[i]
    dx: cython.double = units.xs[i] - x
    dy: cython.double = units.ys[i] - y
    size: cython.double = units.half_w[slot]
    if units.half_h[slot] < 0.0:  # a circle
        return max(sqrt(dx * dx + dy * dy) - size, 0.0)
    dx = max(abs(dx) - size, 0.0)
    dy = max(abs(dy) - units.half_h[slot], 0.0)
    return sqrt(dx * dx + dy * dy)


# -- units, by either ------------------------------------------------------------------------------


def begin_ring(
    walk: cython.pointer[Walk],
    x: cython.double,
    y: cython.double,
    radius: cython.double,
    groups: cython.int,
    without: cython.int,
    to_edge: cython.bint,
) -> NoGil[None]:
    """Begin a walk for `find_in_ring`, `count_in_ring` or `any_in_ring`."""
    if to_edge:
        begin(walk, REACHING_POINT, x, y, x, y, radius, groups, without)
    else:
        begin_near_point(walk, x, y, radius * radius, groups, without)


def find_in_ring(
    units: UnitStore,
    walk: cython.pointer[Walk],
    min_radius: cython.double,
    hits: cython.p_int,
) -> NoGil[cython.int]:
    """Find slots whose position, or footprint, is within the radius and not too near."""
    if walk.test == REACHING_POINT:
        return find_to_edge(units, walk, min_radius, hits)
    return find_within(units, walk, min_radius * min_radius, hits)


def count_in_ring(
    units: UnitStore,
    walk: cython.pointer[Walk],
    min_radius: cython.double,
    exclude: cython.int,
) -> NoGil[cython.Py_ssize_t]:
    """Count the slots that `find_in_ring` finds in the rest of the walk, except one."""
    hits = cython.declare(cython.int[HITS])
    squares = cython.declare(cython.double[HITS])
    n = HITS
    count: cython.Py_ssize_t = 0
    if walk.test == REACHING_POINT or min_radius > 0.0 or exclude >= 0:
        while n == HITS:
            n = find_in_ring(units, walk, min_radius, hits)
            count += drop_slot(hits, n, exclude)
        return count
    while next_span(units.nodes, walk):
        first: cython.Py_ssize_t = walk.entry
        many: cython.Py_ssize_t = min(walk.end - first, HITS)
        walk.entry += cython.cast(cython.int, many)
        write_squares(units, first, many, walk.x0, walk.y0, squares)
        leave_out(units, walk.leaf, first, many, walk.groups, walk.without, squares)
        for i in range(many):
            count += cython.cast(cython.int, squares[i] <= walk.limit)
    return count


def any_in_ring(
    units: UnitStore,
    walk: cython.pointer[Walk],
    min_radius: cython.double,
    exclude: cython.int,
) -> NoGil[cython.bint]:
    """Whether `find_in_ring` would find a slot, except one; it stops at the first."""
    i: cython.Py_ssize_t
    while next_span(units.nodes, walk):
        for i in range(walk.entry, walk.end):
            if (
                (units.masks[i] & walk.groups) == 0
                or (units.masks[i] & walk.without) != 0
                or units.slot_of[i] == exclude
            ):
                continue
            if walk.test == REACHING_POINT:
                if edge_in_ring(units, i, walk.x0, walk.y0, min_radius, walk.limit):
                    return True
                continue
            dx = units.xs[i] - walk.x0
            dy = units.ys[i] - walk.y0
            distance2 = dx * dx + dy * dy
            if distance2 <= walk.limit and distance2 >= min_radius * min_radius:
                return True
        walk.entry = walk.end
    return False


# -- boxes -----------------------------------------------------------------------------------------


def begin_boxes_within(
    walk: cython.pointer[Walk], x: cython.double, y: cython.double, radius: cython.double
) -> NoGil[None]:
    """Begin a walk for `find_boxes_within`."""
    begin(walk, NEAR_POINT_BOXED, x, y, x, y, radius * radius, 1, 0)


def find_boxes_within(
    boxes: BoxStore, walk: cython.pointer[Walk], hits: cython.p_int
) -> NoGil[cython.int]:
    """Find the ids of boxes within the radius."""
    n: cython.Py_ssize_t = 0
    while n < HITS and next_span(boxes.nodes, walk):
        i = walk.entry
        end = min(walk.end, i + HITS - n)
        walk.entry = cython.cast(cython.int, end)
        for i in range(i, end):
            hits[n] = boxes.ids[i]
            n += boxes.distance2(i, walk.x0, walk.y0, walk.limit) <= walk.limit
    return cython.cast(cython.int, n)


# -- many radius queries ---------------------------------------------------------------------------


def end_of_group(
    asked: Questions,
    start: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    box: cython.p_double,
) -> NoGil[cython.Py_ssize_t]:
    """Return the end of the group of neighboring questions that begins at a place in the order.

    A group grows while the box around its circles is at most twice as wide and high as the first
    circle. Write that box, which contains every position in the circles.
    """
    i: cython.Py_ssize_t = asked.order[start]
    end: cython.Py_ssize_t = start + 1
    last: cython.Py_ssize_t = min(start - start % BLOCK + BLOCK, high)
    reach = asked.limits[i, 1] * PRUNE_MARGIN + TINY_RADIUS
    widest = 4.0 * reach
    min_x = asked.places[i, 0] - reach
    min_y = asked.places[i, 1] - reach
    max_x = asked.places[i, 0] + reach
    max_y = asked.places[i, 1] + reach
    while True:
        box[0] = min_x
        box[1] = min_y
        box[2] = max_x
        box[3] = max_y
        if end == last:
            return end
        i = asked.order[end]
        reach = asked.limits[i, 1] * PRUNE_MARGIN + TINY_RADIUS
        min_x = min(min_x, asked.places[i, 0] - reach)
        min_y = min(min_y, asked.places[i, 1] - reach)
        max_x = max(max_x, asked.places[i, 0] + reach)
        max_y = max(max_y, asked.places[i, 1] + reach)
        if max_x - min_x > widest or max_y - min_y > widest:
            return end
        end += 1


def copy_candidates(
    units: UnitStore,
    box: cython.p_double,
    groups: cython.int,
    without: cython.int,
    xs: cython.p_double,
    ys: cython.p_double,
    slots: cython.p_int,
) -> NoGil[cython.Py_ssize_t]:
    """Copy the positions and slots of the units in a box; -1 if there are too many."""
    walk = cython.declare(Walk)
    gaps = cython.declare(cython.double[CANDIDATES])
    n: cython.Py_ssize_t = 0
    start_counts(cython.address(walk), False)
    begin(
        cython.address(walk), POSITION_IN_BOX, box[0], box[1], box[2], box[3], 0.0, groups, without
    )
    while next_span(units.nodes, cython.address(walk)):
        first: cython.Py_ssize_t = walk.entry
        many: cython.Py_ssize_t = walk.end - walk.entry
        walk.entry = walk.end
        if n + many > CANDIDATES:
            return -1
        write_gaps(units, first, many, box[0], box[1], box[2], box[3], gaps)
        leave_out(units, walk.leaf, first, many, groups, without, gaps)
        for i in range(many):
            xs[n] = units.xs[first + i]
            ys[n] = units.ys[first + i]
            slots[n] = units.slot_of[first + i]
            n += gaps[i] <= 0.0
    return n

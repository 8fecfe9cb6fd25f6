# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""The radius query: which units, or boxes, lie within a distance of a point.

A `find_` function fills the caller's buffer with up to HITS hits and returns their number. A full
buffer means that there may be more, and the next call goes on where the walk stopped.

A point and a radius meet if `dx * dx + dy * dy <= radius * radius`, in doubles, in this order.
"""

from __future__ import annotations

from array import array

import numpy as np

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # compiled, within.pxd imports these
    from tilequad.quadtree._core import _cython as cython
    from tilequad.quadtree._core.layout import (
        CANDIDATES,
        ENTRY,
        GROUPS,
        HITS,
        NEAR_POINT,
        NEAR_POINT_BOXED,
        POSITION_IN_BOX,
        PRUNE_MARGIN,
        REACHING_POINT,
        RECORD,
        Walk,
        place_of,
    )
    from tilequad.quadtree._core.walk import begin, next_span, start_counts

from tilequad.quadtree._core.batch import QUESTIONS_A_BLOCK, gather
from tilequad.quadtree._core.box_store import BoxStore
from tilequad.quadtree._core.buffers import IntBuffer
from tilequad.quadtree._core.unit_store import UnitStore
from tilequad.quadtree._core.zorder import z_order

BLOCK = QUESTIONS_A_BLOCK
MIN_SHARED = 3  # fewer questions do not share a walk
TINY_RADIUS = 1e-150  # its square is 0

# -- units, by position ----------------------------------------------------------------------------


def begin_within(
    walk: cython.pointer[Walk],
    x: cython.double,
    y: cython.double,
    radius: cython.double,
    groups: cython.int,
) -> None:
    """Begin a walk for `find_within`."""
    begin(walk, NEAR_POINT, x, y, x, y, radius * radius, groups)


def find_within(
    units: UnitStore,
    walk: cython.pointer[Walk],
    min_radius2: cython.double,
    hits: cython.p_int,
) -> cython.int:
    """Find slots positioned within the radius and no nearer than a squared distance."""
    x: cython.double = walk.x0
    y: cython.double = walk.y0
    radius2: cython.double = walk.limit
    n: cython.Py_ssize_t = 0
    found: cython.Py_ssize_t
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t
    dx: cython.double
    dy: cython.double
    while n < HITS and next_span(units.nodes, walk):
        found = n
        i = walk.entry
        end = min(walk.end, i + HITS - n)
        walk.entry = cython.cast(cython.int, end)
        # No branch: every entry is written, and kept by moving on.
        while i < end:
            dx = units.xs[i] - x
            dy = units.ys[i] - y
            hits[n] = units.slot_of[i]
            n += dx * dx + dy * dy <= radius2
            i += 1
        if min_radius2 > 0.0 or units.nodes.links[place_of(walk.leaf) + GROUPS] & ~walk.groups:
            n = keep_wanted(units, walk, min_radius2, hits, found, n)
    return cython.cast(cython.int, n)


def keep_wanted(
    units: UnitStore,
    walk: cython.pointer[Walk],
    min_radius2: cython.double,
    hits: cython.p_int,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Keep those hits that are in a wanted group and not too near; return where they end."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    dx: cython.double
    dy: cython.double
    for j in range(start, end):
        i = units.record[RECORD * cython.cast(cython.Py_ssize_t, hits[j]) + ENTRY]
        dx = units.xs[i] - walk.x0
        dy = units.ys[i] - walk.y0
        if (units.masks[i] & walk.groups) != 0 and dx * dx + dy * dy >= min_radius2:
            hits[start] = hits[j]
            start += 1
    return start


def count_hits(units: UnitStore, walk: cython.pointer[Walk]) -> cython.Py_ssize_t:
    """Count the slots that `find_within` finds in the rest of the walk."""
    hits = cython.declare(cython.int[HITS])
    n: cython.int = HITS
    count: cython.Py_ssize_t = 0
    while n == HITS:
        n = find_within(units, walk, 0.0, hits)
        count += n
    return count


# -- units, by footprint ---------------------------------------------------------------------------


def begin_to_edge(
    walk: cython.pointer[Walk],
    x: cython.double,
    y: cython.double,
    radius: cython.double,
    groups: cython.int,
) -> None:
    """Begin a walk for `find_to_edge`."""
    begin(walk, REACHING_POINT, x, y, x, y, radius, groups)


def find_to_edge(
    units: UnitStore,
    walk: cython.pointer[Walk],
    min_radius: cython.double,
    hits: cython.p_int,
) -> cython.int:
    """Find slots whose footprint is within the radius and no nearer than a distance."""
    radius: cython.double = walk.limit
    n: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    dx: cython.double
    dy: cython.double
    size: cython.double
    distance2: cython.double
    near: cython.bint
    while n < HITS and next_span(units.nodes, walk):
        i = walk.entry
        end = min(walk.end, i + HITS - n)
        walk.entry = cython.cast(cython.int, end)
        for i in range(i, end):
            if (units.masks[i] & walk.groups) == 0:
                continue
            slot = units.slot_of[i]
            dx = units.xs[i] - walk.x0
            dy = units.ys[i] - walk.y0
            size = units.half_w[slot]
            if units.half_h[slot] < 0.0:  # a circle
                distance2 = dx * dx + dy * dy
                near = distance2 <= (radius + size) * (radius + size) and (
                    min_radius <= 0.0 or distance2 >= (min_radius + size) * (min_radius + size)
                )
            else:
                dx = max(abs(dx) - size, 0.0)
                dy = max(abs(dy) - units.half_h[slot], 0.0)
                distance2 = dx * dx + dy * dy
                near = distance2 <= radius * radius and distance2 >= min_radius * min_radius
            if near:
                hits[n] = units.slot_of[i]
                n += 1
    return cython.cast(cython.int, n)


# -- boxes -----------------------------------------------------------------------------------------


def begin_boxes_within(
    walk: cython.pointer[Walk], x: cython.double, y: cython.double, radius: cython.double
) -> None:
    """Begin a walk for `find_boxes_within`."""
    begin(walk, NEAR_POINT_BOXED, x, y, x, y, radius * radius, 1)


def find_boxes_within(
    boxes: BoxStore, walk: cython.pointer[Walk], hits: cython.p_int
) -> cython.int:
    """Find the ids of boxes within the radius."""
    n: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t
    while n < HITS and next_span(boxes.nodes, walk):
        i = walk.entry
        end = min(walk.end, i + HITS - n)
        walk.entry = cython.cast(cython.int, end)
        for i in range(i, end):
            hits[n] = boxes.ids[i]
            n += boxes.distance2(i, walk.x0, walk.y0, walk.limit) <= walk.limit
    return cython.cast(cython.int, n)


# -- many radius queries ---------------------------------------------------------------------------


def within_many(
    units: UnitStore,
    points: np.ndarray,
    radii: np.ndarray,
    groups: cython.int,
    workers: int,
    out: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Find the slots within a radius of each point: offsets (n + 1,) and slots."""
    xy: cython.double[:, ::1] = points.data
    lengths: cython.double[::1] = radii.data
    order: cython.int[::1] = z_order(points)
    counts: cython.int[::1] = array("i", [0]) * len(points)

    def answer(low: cython.int, high: cython.int, found: IntBuffer) -> None:
        with cython.nogil:
            answer_batch(units, xy, lengths, order[low:high], groups, counts, found)

    return gather(units, order, counts, workers, answer, out)


def answer_batch(
    units: UnitStore,
    points: cython.double[:, ::1],
    radii: cython.double[::1],
    order: cython.int[::1],
    groups: cython.int,
    counts: cython.int[::1],
    found: IntBuffer,
) -> cython.int:
    """Append the slots around each point, in the given order, and count them.

    Neighbouring questions share one walk for the box around all their circles: the entries in it
    are copied into a small array, and each question searches that.
    """
    box = cython.declare(cython.double[4])
    xs = cython.declare(cython.double[CANDIDATES])
    ys = cython.declare(cython.double[CANDIDATES])
    slots = cython.declare(cython.int[CANDIDATES])
    hits = cython.declare(cython.int[CANDIDATES])
    dx: cython.double
    dy: cython.double
    x: cython.double
    y: cython.double
    radius2: cython.double
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t
    start: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    candidates: cython.Py_ssize_t
    while end < len(order):
        start = end
        end = end_of_group(points, radii, order, start, box)
        candidates = -1
        if end - start >= MIN_SHARED:
            candidates = copy_candidates(units, box, groups, xs, ys, slots)
        for k in range(start, end):
            i = order[k]
            x = points[i, 0]
            y = points[i, 1]
            if candidates < 0:
                answer_one(units, x, y, radii[i], groups, i, counts, found)
                continue
            radius2 = radii[i] * radii[i]
            n = 0
            for j in range(candidates):
                dx = xs[j] - x
                dy = ys[j] - y
                hits[n] = slots[j]
                n += dx * dx + dy * dy <= radius2
            found.extend(hits, n)
            counts[i] = cython.cast(cython.int, n)
    return 0


def answer_one(
    units: UnitStore,
    x: cython.double,
    y: cython.double,
    radius: cython.double,
    groups: cython.int,
    i: cython.Py_ssize_t,
    counts: cython.int[::1],
    found: IntBuffer,
) -> cython.int:
    """Append the slots around question i's point, and count them."""
    walk = cython.declare(Walk)
    hits = cython.declare(cython.int[HITS])
    n: cython.int = HITS
    counts[i] = 0
    start_counts(cython.address(walk), False)
    begin_within(cython.address(walk), x, y, radius, groups)
    while n == HITS:
        n = find_within(units, cython.address(walk), 0.0, hits)
        found.extend(hits, n)
        counts[i] += n
    return 0


def end_of_group(
    points: cython.double[:, ::1],
    radii: cython.double[::1],
    order: cython.int[::1],
    start: cython.Py_ssize_t,
    box: cython.p_double,
) -> cython.Py_ssize_t:
    """Where the group of neighbouring questions ends that begins at a place of the order.

    A group grows while the box around its circles is at most twice as wide and high as the first
    circle. Writes that box: every position within a circle is in it.
    """
    i: cython.Py_ssize_t = order[start]
    end: cython.Py_ssize_t = start + 1
    last: cython.Py_ssize_t = min(start - start % BLOCK + BLOCK, len(order))
    reach: cython.double = radii[i] * PRUNE_MARGIN + TINY_RADIUS
    widest: cython.double = 4.0 * reach
    min_x: cython.double = points[i, 0] - reach
    min_y: cython.double = points[i, 1] - reach
    max_x: cython.double = points[i, 0] + reach
    max_y: cython.double = points[i, 1] + reach
    while True:
        box[0] = min_x
        box[1] = min_y
        box[2] = max_x
        box[3] = max_y
        if end == last:
            return end
        i = order[end]
        reach = radii[i] * PRUNE_MARGIN + TINY_RADIUS
        min_x = min(min_x, points[i, 0] - reach)
        min_y = min(min_y, points[i, 1] - reach)
        max_x = max(max_x, points[i, 0] + reach)
        max_y = max(max_y, points[i, 1] + reach)
        if max_x - min_x > widest or max_y - min_y > widest:
            return end
        end += 1


def copy_candidates(
    units: UnitStore,
    box: cython.p_double,
    groups: cython.int,
    xs: cython.p_double,
    ys: cython.p_double,
    slots: cython.p_int,
) -> cython.Py_ssize_t:
    """Copy the positions and slots of the units in a box; -1 if there are too many."""
    walk = cython.declare(Walk)
    min_x: cython.double = box[0]
    min_y: cython.double = box[1]
    max_x: cython.double = box[2]
    max_y: cython.double = box[3]
    n: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    x: cython.double
    y: cython.double
    start_counts(cython.address(walk), False)
    begin(cython.address(walk), POSITION_IN_BOX, min_x, min_y, max_x, max_y, 0.0, groups)
    while next_span(units.nodes, cython.address(walk)):
        if n + walk.end - walk.entry > CANDIDATES:
            return -1
        for i in range(walk.entry, walk.end):
            x = units.xs[i]
            y = units.ys[i]
            xs[n] = x
            ys[n] = y
            slots[n] = units.slot_of[i]
            n += (
                (x >= min_x)
                & (x <= max_x)
                & (y >= min_y)
                & (y <= max_y)
                & ((units.masks[i] & groups) != 0)
            )
        walk.entry = walk.end
    return n

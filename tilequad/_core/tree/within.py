"""The radius query: which units, or boxes, lie within a distance of a point.

A `find_` function fills the caller's buffer with up to HITS hits and returns their number. If the
buffer is full there may be more hits, and the next call continues where the walk stopped.

A point is within a radius if `dx * dx + dy * dy <= radius * radius`, in doubles, in this order.
"""

from __future__ import annotations

from array import array

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer, sort_range
from tilequad._core.tree.batch import QUESTIONS_A_BLOCK, gather, share
from tilequad._core.tree.boxes import BoxStore
from tilequad._core.tree.layout import (
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
from tilequad._core.tree.questions import Questions
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.walk import begin, begin_near_point, next_span

BLOCK: cython.int = QUESTIONS_A_BLOCK
MIN_SHARED: cython.int = 3  # a walk is shared by at least this many questions
TINY_RADIUS: cython.double = 1e-150  # its square is 0

# -- units, by position ----------------------------------------------------------------------------


def begin_within(
    walk: cython.pointer[Walk],
    x: cython.double,
    y: cython.double,
    radius: cython.double,
    groups: cython.int,
    without: cython.int,
) -> NoGil[None]:
    """Begin a walk for `find_within`."""
    begin_near_point(walk, x, y, radius * radius, groups, without)


def find_within(
    units: UnitStore,
    walk: cython.pointer[Walk],
    min_radius2: cython.double,
    hits: cython.p_int,
) -> NoGil[cython.int]:
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
        # Without branches: each entry is written, and the index advances only if it is a hit.
        while i < end:
            dx = units.xs[i] - x
            dy = units.ys[i] - y
            hits[n] = units.slot_of[i]
            n += dx * dx + dy * dy <= radius2
            i += 1
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
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    dx: cython.double
    dy: cython.double
    for j in range(start, end):
        i = units.record[RECORD * cython.cast(cython.Py_ssize_t, hits[j]) + ENTRY]
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


def begin_to_edge(
    walk: cython.pointer[Walk],
    x: cython.double,
    y: cython.double,
    radius: cython.double,
    groups: cython.int,
    without: cython.int,
) -> NoGil[None]:
    """Begin a walk for `find_to_edge`."""
    begin(walk, REACHING_POINT, x, y, x, y, radius, groups, without)


def find_to_edge(
    units: UnitStore,
    walk: cython.pointer[Walk],
    min_radius: cython.double,
    hits: cython.p_int,
) -> NoGil[cython.int]:
    """Find slots whose footprint is within the radius and no nearer than a distance."""
    n: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t
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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def edge_in_ring(
    units: UnitStore,
    i: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    min_radius: cython.double,
    radius: cython.double,
) -> cython.bint:
    """Whether the footprint of entry i is min_radius .. radius away from a point."""
    slot: cython.Py_ssize_t = units.slot_of[i]
    dx: cython.double = units.xs[i] - x
    dy: cython.double = units.ys[i] - y
    size: cython.double = units.half_w[slot]
    distance2: cython.double
    if units.half_h[slot] < 0.0:  # a circle
        distance2 = dx * dx + dy * dy
        return distance2 <= (radius + size) * (radius + size) and (
            min_radius <= 0.0 or distance2 >= (min_radius + size) * (min_radius + size)
        )
    dx = max(abs(dx) - size, 0.0)
    dy = max(abs(dy) - units.half_h[slot], 0.0)
    distance2 = dx * dx + dy * dy
    return distance2 <= radius * radius and distance2 >= min_radius * min_radius


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
        begin_to_edge(walk, x, y, radius, groups, without)
    else:
        begin_within(walk, x, y, radius, groups, without)


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
    n: cython.int = HITS
    count: cython.Py_ssize_t = 0
    while n == HITS:
        n = find_in_ring(units, walk, min_radius, hits)
        count += drop_slot(hits, n, exclude)
    return count


def any_in_ring(
    units: UnitStore,
    walk: cython.pointer[Walk],
    min_radius: cython.double,
    exclude: cython.int,
) -> NoGil[cython.bint]:
    """Whether `find_in_ring` would find a slot, except one; it stops at the first."""
    i: cython.Py_ssize_t
    dx: cython.double
    dy: cython.double
    distance2: cython.double
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
    units: UnitStore, asked: Questions, workers: int, out: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Find the slots within a radius of each point: offsets (n + 1,) and slots."""
    counts: cython.int[::1] = array("i", [0]) * len(asked.order)

    def answer(low: cython.int, high: cython.int, found: IntBuffer) -> None:
        with cython.nogil:
            answer_batch(units, asked, low, high, counts, found)

    return gather(units, asked.order, counts, workers, answer, out)


def count_within_many(units: UnitStore, asked: Questions, workers: int) -> np.ndarray:
    """Count the slots within a radius of each point, (n,) int64."""
    counts = np.empty(len(asked.order), np.int64)
    view: cython.longlong[::1] = counts

    def answer(low: cython.int, high: cython.int) -> None:
        with cython.nogil:
            count_batch(units, asked, low, high, view)

    share(units, len(asked.order), workers, answer)
    return counts


def sum_within_many(
    units: UnitStore, asked: Questions, values: np.ndarray, workers: int
) -> np.ndarray:
    """Sum the values of the slots within a radius of each point; `values` has a row for each slot.

    Slots are added in ascending order, so no sum depends on the shape of the tree.
    """
    sums = np.zeros((len(asked.order), values.shape[1]))
    counts: cython.int[::1] = array("i", [0]) * len(asked.order)
    addends: cython.double[:, ::1] = values
    totals: cython.double[:, ::1] = sums

    def answer(low: cython.int, high: cython.int) -> None:
        found: IntBuffer = IntBuffer(8 * (high - low) + 256)
        with cython.nogil:
            answer_batch(units, asked, low, high, counts, found)
        spare: cython.int[::1] = array("i", [0]) * (found.used + 1)
        with cython.nogil:
            add_rows(asked, low, high, counts, found, spare, addends, totals)

    share(units, len(asked.order), workers, answer)
    return sums


def add_rows(
    asked: Questions,
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    counts: cython.int[::1],
    found: IntBuffer,
    spare: cython.int[::1],
    values: cython.double[:, ::1],
    sums: cython.double[:, ::1],
) -> NoGil[None]:
    """Add the values of the slots around the points low .. high, after sorting the slots."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    m: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t = 0
    for k in range(low, high):
        i = asked.order[k]
        start = end
        end = start + counts[i]
        sort_range(found.values, start, end, spare)
        for j in range(start, end):
            for m in range(values.shape[1]):
                sums[i, m] += values[found.values[j], m]


def answer_batch(
    units: UnitStore,
    asked: Questions,
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    counts: cython.int[::1],
    found: IntBuffer,
) -> RaisesNoGil[cython.int]:
    """Append the slots around the points low .. high of the order, and count them.

    Neighboring questions share one walk for the box around all their circles: the entries in it are
    copied into a small array, which each question then searches.
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
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t = low
    candidates: cython.Py_ssize_t
    order: cython.int[::1] = asked.order
    places: cython.double[:, ::1] = asked.places
    picked: cython.bint = len(asked.picks) > 0
    while end < high:
        start = end
        end = start + 1 if asked.to_edge else end_of_group(asked, start, high, box)
        candidates = -1
        if end - start >= MIN_SHARED:
            candidates = copy_candidates(units, box, asked.groups, asked.without, xs, ys, slots)
        for k in range(start, end):
            i = order[k]
            if candidates < 0:
                answer_one(units, asked, i, counts, found)
                continue
            x = places[i, 0]
            y = places[i, 1]
            radius2 = asked.limits[i, 1] * asked.limits[i, 1]
            n = 0
            for j in range(candidates):
                dx = xs[j] - x
                dy = ys[j] - y
                hits[n] = slots[j]
                n += dx * dx + dy * dy <= radius2
            if picked or asked.limits[i, 0] > 0.0:
                n = keep_asked(units, asked, i, hits, n)
            found.extend(hits, n)
            counts[i] = cython.cast(cython.int, n)
    return 0


def keep_asked(
    units: UnitStore,
    asked: Questions,
    i: cython.Py_ssize_t,
    hits: cython.p_int,
    n: cython.Py_ssize_t,
) -> NoGil[cython.Py_ssize_t]:
    """Of n hits, keep those that question i accepts; return their number."""
    walk = cython.declare(Walk)
    low: cython.double = asked.limits[i, 0]
    if asked.mixed or low > 0.0:
        walk.x0 = asked.places[i, 0]
        walk.y0 = asked.places[i, 1]
        walk.groups = asked.groups_of(i)
        walk.without = asked.without_of(i)
        n = keep_wanted(units, cython.address(walk), low * low, hits, 0, n)
    return drop_slot(hits, cython.cast(cython.int, n), asked.exclude_of(i))


def begin_asked(walk: cython.pointer[Walk], asked: Questions, i: cython.Py_ssize_t) -> NoGil[None]:
    """Begin the walk of question i alone."""
    start_counts(walk, False)
    begin_ring(
        walk,
        asked.places[i, 0],
        asked.places[i, 1],
        asked.limits[i, 1],
        asked.groups_of(i),
        asked.without_of(i),
        asked.to_edge,
    )


def answer_one(
    units: UnitStore,
    asked: Questions,
    i: cython.Py_ssize_t,
    counts: cython.int[::1],
    found: IntBuffer,
) -> RaisesNoGil[cython.int]:
    """Append the slots around question i's point, and count them."""
    walk = cython.declare(Walk)
    hits = cython.declare(cython.int[HITS])
    n: cython.int = HITS
    kept: cython.int
    counts[i] = 0
    begin_asked(cython.address(walk), asked, i)
    while n == HITS:
        n = find_in_ring(units, cython.address(walk), asked.limits[i, 0], hits)
        kept = drop_slot(hits, n, asked.exclude_of(i))
        found.extend(hits, kept)
        counts[i] += kept
    return 0


def count_batch(
    units: UnitStore,
    asked: Questions,
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    counts: cython.longlong[::1],
) -> NoGil[None]:
    """Count the slots around the points low .. high of the order."""
    walk = cython.declare(Walk)
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    for k in range(low, high):
        i = asked.order[k]
        begin_asked(cython.address(walk), asked, i)
        counts[i] = count_in_ring(
            units, cython.address(walk), asked.limits[i, 0], asked.exclude_of(i)
        )


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
    reach: cython.double = asked.limits[i, 1] * PRUNE_MARGIN + TINY_RADIUS
    widest: cython.double = 4.0 * reach
    min_x: cython.double = asked.places[i, 0] - reach
    min_y: cython.double = asked.places[i, 1] - reach
    max_x: cython.double = asked.places[i, 0] + reach
    max_y: cython.double = asked.places[i, 1] + reach
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
    min_x: cython.double = box[0]
    min_y: cython.double = box[1]
    max_x: cython.double = box[2]
    max_y: cython.double = box[3]
    n: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    x: cython.double
    y: cython.double
    start_counts(cython.address(walk), False)
    begin(cython.address(walk), POSITION_IN_BOX, min_x, min_y, max_x, max_y, 0.0, groups, without)
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
                & ((units.masks[i] & without) == 0)
            )
        walk.entry = walk.end
    return n

"""The segment and sweep queries: what something touches on a straight path, and when.

As in within.py, a `find_` function fills the caller's buffers with up to HITS hits. Called again,
it continues where it stopped. Times run from 0 to 1 along the path.
"""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.layout import (
    HITS,
    ON_SEGMENT,
    PRUNE_MARGIN,
    Walk,
)
from tilequad._core.tree.boxes import BoxStore
from tilequad._core.tree.motion import box_time, footprint_time
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.walk import begin, leave_out, next_span, write_gaps


def begin_segment(
    walk: cython.pointer[Walk],
    x0: cython.double,
    y0: cython.double,
    x1: cython.double,
    y1: cython.double,
    reach: cython.double,
    groups: cython.int,
    without: cython.int,
) -> NoGil[None]:
    """Begin a walk for something that moves and extends by up to `reach` along x and y."""
    begin(walk, ON_SEGMENT, x0, y0, x1, y1, reach, groups, without)


def find_units_on_segment(
    units: UnitStore,
    walk: cython.pointer[Walk],
    half_w: cython.double,
    half_h: cython.double,
    hits: cython.p_int,
    times: cython.p_double,
) -> NoGil[cython.int]:
    """Find the slots whose footprint a moving footprint touches, and when.

    The moving footprint is a box, or a circle with half_w as radius and half_h -1, as slots store
    it. Most entries of a leaf are too far away, which their positions tell sooner than the test.
    """
    gaps = cython.declare(cython.double[HITS])
    n: cython.Py_ssize_t = 0
    min_x = min(walk.x0, walk.x1)
    min_y = min(walk.y0, walk.y1)
    max_x = max(walk.x0, walk.x1)
    max_y = max(walk.y0, walk.y1)
    loss = 1e-15 * (max(abs(min_x), abs(max_x)) + max(abs(min_y), abs(max_y)))
    while n < HITS and next_span(units.nodes, walk):
        first: cython.Py_ssize_t = walk.entry
        many = min(walk.end - first, HITS - n)
        walk.entry += cython.cast(cython.int, many)
        reach = (walk.limit + units.nodes.reach[walk.leaf]) * PRUNE_MARGIN + loss
        write_gaps(
            units, first, many, min_x - reach, min_y - reach, max_x + reach, max_y + reach, gaps
        )
        leave_out(units, walk.leaf, first, many, walk.groups, walk.without, gaps)
        for i in range(many):
            if gaps[i] <= 0.0:
                hits[n] = units.slot_of[first + i]
                times[n] = touch_time(units, first + i, walk, half_w, half_h)
                n += times[n] <= 1.0
    return cython.cast(cython.int, n)


def touch_time(
    units: UnitStore,
    i: cython.Py_ssize_t,
    walk: cython.pointer[Walk],
    half_w: cython.double,
    half_h: cython.double,
) -> NoGil[cython.double]:
    """Return when a moving footprint first touches entry i, 0 to 1; inf if never."""
    slot: cython.Py_ssize_t = units.slot_of[i]
    return footprint_time(
        walk.x0 - units.xs[i],
        walk.y0 - units.ys[i],
        walk.x1 - walk.x0,
        walk.y1 - walk.y0,
        half_w,
        half_h,
        units.half_w[slot],
        units.half_h[slot],
    )


def find_boxes_on_segment(
    boxes: BoxStore, walk: cython.pointer[Walk], hits: cython.p_int, times: cython.p_double
) -> NoGil[cython.int]:
    """Find the boxes that a disc touches, and when; the walk's reach is the disc's radius."""
    box = cython.declare(cython.double[4])
    n: cython.Py_ssize_t = 0
    while n < HITS and next_span(boxes.nodes, walk):
        i = walk.entry
        end = min(walk.end, i + HITS - n)
        walk.entry = cython.cast(cython.int, end)
        for i in range(i, end):
            boxes.write_box(i, box)
            hits[n] = boxes.ids[i]
            times[n] = box_time(
                walk.x0 - box[0],
                walk.y0 - box[1],
                walk.x0 - box[2],
                walk.y0 - box[3],
                walk.x1 - walk.x0,
                walk.y1 - walk.y0,
                walk.limit,
            )
            n += times[n] <= 1.0
    return cython.cast(cython.int, n)

"""The segment and sweep queries: what something touches on a straight path, and when.

As in within.py, a `find_` function fills the caller's buffers with up to HITS hits. Called again,
it continues where it stopped. Times run from 0 to 1 along the path.
"""

from __future__ import annotations

from array import array

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.tree.batch import gather
from tilequad._core.tree.boxes import BoxStore
from tilequad._core.tree.layout import (
    ENTRY,
    HITS,
    ON_SEGMENT,
    RECORD,
    Walk,
    drop_slot,
    start_counts,
)
from tilequad._core.tree.motion import box_time, footprint_time
from tilequad._core.tree.questions import Questions
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.walk import begin, next_span


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


def find_on_segment(
    units: UnitStore,
    walk: cython.pointer[Walk],
    half_w: cython.double,
    half_h: cython.double,
    hits: cython.p_int,
    times: cython.p_double,
) -> NoGil[cython.int]:
    """Find the slots whose footprint a moving footprint touches, and when.

    The moving footprint is a box, or a circle with half_w as radius and half_h -1, as slots store
    it.
    """
    n: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t
    while n < HITS and next_span(units.nodes, walk):
        i = walk.entry
        end = min(walk.end, i + HITS - n)
        walk.entry = cython.cast(cython.int, end)
        for i in range(i, end):
            if (units.masks[i] & walk.groups) != 0 and (units.masks[i] & walk.without) == 0:
                hits[n] = units.slot_of[i]
                times[n] = touch_time(units, i, walk, half_w, half_h)
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
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t
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


# -- many segments ---------------------------------------------------------------------------------


def segment_many(
    units: UnitStore, asked: Questions, workers: int, out: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Find the slots that a footprint touches on each path, in the order of touch.

    The limits of a question hold its footprint, in the form in which slots store one. Return
    offsets and slots.
    """
    counts: cython.int[::1] = array("i", [0]) * len(asked.order)

    def answer(low: cython.int, high: cython.int, found: IntBuffer) -> None:
        with cython.nogil:
            answer_batch(units, asked, low, high, counts, found)

    offsets, slots = gather(units, asked.order, counts, workers, answer, out)
    times = np.empty(len(slots))
    ends: cython.longlong[::1] = offsets
    hits: cython.int[::1] = slots
    moments: cython.double[::1] = times
    with cython.nogil:
        write_times(units, asked, ends, hits, moments)
    rows = np.repeat(np.arange(len(counts)), np.diff(offsets))
    slots[:] = slots.take(np.lexsort((units.orders(slots), times, rows)))
    return offsets, slots


def answer_batch(
    units: UnitStore,
    asked: Questions,
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    counts: cython.int[::1],
    found: IntBuffer,
) -> RaisesNoGil[cython.int]:
    """Append the slots on the paths low .. high of the order, and count them."""
    walk = cython.declare(Walk)
    hits = cython.declare(cython.int[HITS])
    times = cython.declare(cython.double[HITS])
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: cython.int
    kept: cython.int
    half_w: cython.double
    half_h: cython.double
    start_counts(cython.address(walk), False)
    for k in range(low, high):
        i = asked.order[k]
        begin_way(cython.address(walk), asked, i)
        half_w = asked.limits[i, 0]
        half_h = asked.limits[i, 1]
        counts[i] = 0
        n = HITS
        while n == HITS:
            n = find_on_segment(units, cython.address(walk), half_w, half_h, hits, times)
            kept = drop_slot(hits, n, asked.exclude_of(i))
            found.extend(hits, kept)
            counts[i] += kept
    return 0


def begin_way(walk: cython.pointer[Walk], asked: Questions, i: cython.Py_ssize_t) -> NoGil[None]:
    """Begin the walk of path i."""
    begin_segment(
        walk,
        asked.places[i, 0],
        asked.places[i, 1],
        asked.places[i, 2],
        asked.places[i, 3],
        max(asked.limits[i, 0], asked.limits[i, 1]),
        asked.groups_of(i),
        asked.without_of(i),
    )


def write_times(
    units: UnitStore,
    asked: Questions,
    offsets: cython.longlong[::1],
    slots: cython.int[::1],
    times: cython.double[::1],
) -> NoGil[None]:
    """Write when the footprint on each path first touches each of its slots."""
    walk = cython.declare(Walk)
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    for i in range(len(offsets) - 1):
        begin_way(cython.address(walk), asked, i)
        for j in range(offsets[i], offsets[i + 1]):
            entry = units.record[RECORD * cython.cast(cython.Py_ssize_t, slots[j]) + ENTRY]
            times[j] = touch_time(
                units, entry, cython.address(walk), asked.limits[i, 0], asked.limits[i, 1]
            )

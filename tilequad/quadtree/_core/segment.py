# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""The segment and sweep queries: what something touches on a straight way, and when.

As in within.py, a `find_` function fills the caller's buffers with up to HITS hits, and goes on
where it stopped when it is called again. Times run from 0 to 1 along the way.
"""

from __future__ import annotations

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # compiled, segment.pxd imports these
    from tilequad.quadtree._core import _cython as cython
    from tilequad.quadtree._core.layout import HITS, ON_SEGMENT, Walk
    from tilequad.quadtree._core.motion import box_time, disc_time
    from tilequad.quadtree._core.walk import begin, next_span

from tilequad.quadtree._core.box_store import BoxStore
from tilequad.quadtree._core.unit_store import UnitStore


def begin_segment(
    walk: cython.pointer[Walk],
    x0: cython.double,
    y0: cython.double,
    x1: cython.double,
    y1: cython.double,
    reach: cython.double,
    groups: cython.int,
) -> None:
    """Begin a walk for something that extends as far as `reach` along x and y, on its way."""
    begin(walk, ON_SEGMENT, x0, y0, x1, y1, reach, groups)


def find_on_segment(
    units: UnitStore,
    walk: cython.pointer[Walk],
    half_w: cython.double,
    half_h: cython.double,
    hits: cython.p_int,
    times: cython.p_double,
) -> cython.int:
    """Find slots whose footprint a moving one touches, and when.

    The moving footprint is a box, or a circle with its radius and half_h -1, as in the slots.
    """
    n: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t
    while n < HITS and next_span(units.nodes, walk):
        i = walk.entry
        end = min(walk.end, i + HITS - n)
        walk.entry = cython.cast(cython.int, end)
        for i in range(i, end):
            if (units.masks[i] & walk.groups) != 0:
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
) -> cython.double:
    """When a moving footprint first touches that of entry i, 0 to 1; inf if never.

    Two discs touch when one as large as both reaches a point; a box and a disc when a disc reaches
    a box, whichever of them moves; two boxes when one as large as both reaches a point.
    """
    slot: cython.Py_ssize_t = units.slot_of[i]
    w: cython.double = units.half_w[slot]
    h: cython.double = units.half_h[slot]
    x: cython.double = walk.x0 - units.xs[i]
    y: cython.double = walk.y0 - units.ys[i]
    dx: cython.double = walk.x1 - walk.x0
    dy: cython.double = walk.y1 - walk.y0
    radius: cython.double = 0.0
    if h < 0.0 and half_h < 0.0:
        return disc_time(x, y, dx, dy, half_w + w)
    if h < 0.0:
        radius = w
        w = half_w
        h = half_h
    elif half_h < 0.0:
        radius = half_w
    else:
        w = w + half_w
        h = h + half_h
    return box_time(x + w, y + h, x - w, y - h, dx, dy, radius)


def find_boxes_on_segment(
    boxes: BoxStore, walk: cython.pointer[Walk], hits: cython.p_int, times: cython.p_double
) -> cython.int:
    """Find the ids of boxes that a disc, as wide as the walk's reach, touches, and when."""
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

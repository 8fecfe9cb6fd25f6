"""The box query: which footprints of units, or boxes, overlap a box.

As in within.py, a `find_` function fills the caller's buffer with up to HITS hits. Called again, it
continues where it stopped.
"""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.layout import (
    GROUPS,
    HITS,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    OVERLAPPING_BOX,
    Walk,
    place_of,
)
from tilequad._core.tree.boxes import BoxStore
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.walk import begin, next_span, write_gaps


def begin_box(
    walk: cython.pointer[Walk], box: cython.p_double, groups: cython.int, without: cython.int
) -> NoGil[None]:
    """Begin a walk for `find_in_box` or `find_boxes_in_box`."""
    begin(walk, OVERLAPPING_BOX, box[0], box[1], box[2], box[3], 0.0, groups, without)


# -- units -----------------------------------------------------------------------------------------


def find_in_box(
    units: UnitStore, walk: cython.pointer[Walk], hits: cython.p_int
) -> NoGil[cython.int]:
    """Find slots whose footprint overlaps the box."""
    gaps = cython.declare(cython.double[HITS])
    n: cython.Py_ssize_t = 0
    while n < HITS and next_span(units.nodes, walk):
        found = n
        first: cython.Py_ssize_t = walk.entry
        many = min(walk.end - first, HITS - n)
        walk.entry += cython.cast(cython.int, many)
        if holds_leaf(units.nodes, walk):
            for i in range(many):
                hits[n + i] = units.slot_of[first + i]
            n += many
            continue
        reach: cython.double = units.nodes.reach[walk.leaf]
        write_gaps(units, first, many, walk.x0, walk.y0, walk.x1, walk.y1, gaps)
        # Without branches: each entry is written, and the index advances only if it is a hit.
        for i in range(many):
            hits[n] = cython.cast(cython.int, first + i)
            n += gaps[i] <= reach
        n = keep_overlapping(units, walk, hits, found, n)
    return cython.cast(cython.int, n)


def keep_overlapping(
    units: UnitStore,
    walk: cython.pointer[Walk],
    hits: cython.p_int,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> NoGil[cython.Py_ssize_t]:
    """Replace entries by slots; keep those in a wanted group whose footprint overlaps the box."""
    for j in range(start, end):
        i: cython.Py_ssize_t = hits[j]
        hits[start] = units.slot_of[i]
        start += (
            (units.masks[i] & walk.groups) != 0
            and (units.masks[i] & walk.without) == 0
            and overlaps(units, i, walk.x0, walk.y0, walk.x1, walk.y1)
        )
    return start


@cython.inline
def overlaps(
    units: UnitStore,
    i: cython.Py_ssize_t,
    min_x: cython.double,
    min_y: cython.double,
    max_x: cython.double,
    max_y: cython.double,
) -> cython.bint:
    """Whether the footprint of entry i overlaps a box."""
    dx = max(max(units.xs[i] - max_x, min_x - units.xs[i]), 0.0)
    dy = max(max(units.ys[i] - max_y, min_y - units.ys[i]), 0.0)
    half_w = units.half_w[units.slot_of[i]]
    half_h = units.half_h[units.slot_of[i]]
    if half_h < 0.0 < half_w:  # a circle
        return dx * dx + dy * dy <= half_w * half_w
    return dx <= half_w and dy <= max(half_h, 0.0)


# -- boxes -----------------------------------------------------------------------------------------


def find_boxes_in_box(
    boxes: BoxStore, walk: cython.pointer[Walk], hits: cython.p_int
) -> NoGil[cython.int]:
    """Find the ids of boxes that overlap the box."""
    min_x = walk.x0
    min_y = walk.y0
    max_x = walk.x1
    max_y = walk.y1
    n: cython.Py_ssize_t = 0
    while n < HITS and next_span(boxes.nodes, walk):
        i: cython.Py_ssize_t = walk.entry
        end = min(walk.end, i + HITS - n)
        walk.entry = cython.cast(cython.int, end)
        if holds_leaf(boxes.nodes, walk):
            for j in range(end - i):
                hits[n + j] = boxes.ids[i + j]
            n += end - i
            continue
        while i < end:
            hits[n] = boxes.ids[i]
            hit: cython.bint = (
                (boxes.rough[4 * i] <= max_x)
                & (boxes.rough[4 * i + 1] <= max_y)
                & (boxes.rough[4 * i + 2] >= min_x)
                & (boxes.rough[4 * i + 3] >= min_y)
            )
            if hit and boxes.rounded:
                hit = boxes.overlaps(i, min_x, min_y, max_x, max_y)
            n += hit
            i += 1
    return cython.cast(cython.int, n)


@cython.inline
def holds_leaf(nodes: Nodes, walk: cython.pointer[Walk]) -> cython.bint:
    """Whether the query's box contains the walk's whole leaf, so that every entry is a hit."""
    at = place_of(walk.leaf)
    return (
        walk.x0 <= nodes.box[at + MIN_X]
        and walk.y0 <= nodes.box[at + MIN_Y]
        and nodes.box[at + MAX_X] <= walk.x1
        and nodes.box[at + MAX_Y] <= walk.y1
        and (nodes.links[at + GROUPS] & (~walk.groups | walk.without)) == 0
    )


def sort_ints(values: cython.p_int, n: cython.Py_ssize_t) -> NoGil[None]:
    """Sort the first n of a C array, a few hundred at most, which all differ.

    The place of a value is the number of smaller ones, so a few are sorted without branches. More
    are sorted by Shell's method, with gaps by Ciura (2001).
    """
    few = cython.declare(cython.int[32])
    gaps = cython.declare(cython.int[6])
    if n <= 32:
        for i in range(n):
            few[i] = values[i]
        for i in range(n):
            place: cython.int = 0
            for j in range(n):
                place += few[j] < few[i]
            values[place] = few[i]
        return
    gaps[0], gaps[1], gaps[2], gaps[3], gaps[4], gaps[5] = 132, 57, 23, 10, 4, 1
    for g in range(6):
        gap: cython.Py_ssize_t = gaps[g]
        for i in range(gap, n):
            value = values[i]
            j = i
            while j >= gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value

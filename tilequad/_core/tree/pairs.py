"""The pair query: all pairs of units whose footprints overlap. The tree is joined with itself.

Two quadrants whose footprints cannot meet are pruned with everything below them, and so is a
quadrant whose units share a group that is left out. Two quadrants that may meet are opened, down to
leaves, which are compared entry by entry. Each pair of quadrants is visited once, so each pair of
units is found once.
"""

from __future__ import annotations

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.tree.layout import (
    ALL_GROUPS,
    CHILD,
    COUNT,
    ENTRY,
    FIRST,
    GROUPS,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    ORDER,
    PAIR_STACK,
    REACHING_POINT,
    RECORD,
    Walk,
    place_of,
    start_counts,
)
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.walk import begin, next_span


def find_pairs(
    units: UnitStore,
    walk: cython.pointer[Walk],
    found: IntBuffer,
    groups: cython.int,
    others: cython.int,
    without: cython.int,
) -> Raises[cython.int]:
    """Append the slots of all pairs, two each, with one unit in `groups` and one in `others`.

    Pairs with a unit in one of the groups `without` are left out. The stack holds pairs of links,
    nodes or ~q for leaves. A link paired with itself stands for all pairs below it.
    """
    stack = cython.declare(cython.int[PAIR_STACK])
    nodes: Nodes = units.nodes
    top: cython.int = 2
    p: cython.int
    q: cython.int
    j: cython.int
    k: cython.int
    stack[0] = stack[1] = 0
    with cython.nogil:
        while top > 0:
            top -= 2
            p = stack[top]
            q = stack[top + 1]
            if p < 0 and q < 0:
                if p == q:
                    pairs_in_leaf(units, walk, ~p, found, groups, others, without)
                else:
                    pairs_of_leaves(units, walk, ~p, ~q, found, groups, others, without)
                continue
            walk.nodes += walk.counting
            if p == q:
                for j in range(4):
                    if nodes.links[place_of(4 * p + j) + GROUPS] == 0:
                        continue
                    if (nodes.common[4 * p + j] & without) != 0:
                        walk.pruned_by_group += walk.counting
                        continue
                    for k in range(j, 4):
                        if j == k or may_meet(nodes, walk, 4 * p + j, 4 * p + k, without):
                            stack[top] = nodes.links[place_of(4 * p + j) + CHILD]
                            stack[top + 1] = nodes.links[place_of(4 * p + k) + CHILD]
                            top += 2
                continue
            if p < 0:  # open a node, the first one if both are nodes
                p, q = q, p
            j = ~q if q < 0 else nodes.parent[q]
            for k in range(4):
                if may_meet(nodes, walk, 4 * p + k, j, without):
                    stack[top] = q  # q goes first, so that p and q take turns to be opened
                    stack[top + 1] = nodes.links[place_of(4 * p + k) + CHILD]
                    top += 2
    return 0


def may_meet(
    nodes: Nodes,
    walk: cython.pointer[Walk],
    p: cython.int,
    q: cython.int,
    without: cython.int,
) -> NoGil[cython.bint]:
    """Whether a footprint below quadrant p may meet one below q, given that q is not left out."""
    a: cython.Py_ssize_t = place_of(p)
    b: cython.Py_ssize_t = place_of(q)
    reach: cython.double = nodes.reach[p] + nodes.reach[q]
    meets: cython.bint = (
        (nodes.box[a + MIN_X] - nodes.box[b + MAX_X] <= reach)
        & (nodes.box[b + MIN_X] - nodes.box[a + MAX_X] <= reach)
        & (nodes.box[a + MIN_Y] - nodes.box[b + MAX_Y] <= reach)
        & (nodes.box[b + MIN_Y] - nodes.box[a + MAX_Y] <= reach)
    )
    if walk.counting and not meets:
        walk.pruned_by_place += nodes.links[a + GROUPS] != 0 and nodes.links[b + GROUPS] != 0
    if without != 0 and meets and ((nodes.common[p] | nodes.common[q]) & without) != 0:
        walk.pruned_by_group += walk.counting
        return False
    return meets


def pairs_in_leaf(
    units: UnitStore,
    walk: cython.pointer[Walk],
    q: cython.int,
    found: IntBuffer,
    groups: cython.int,
    others: cython.int,
    without: cython.int,
) -> RaisesNoGil[cython.int]:
    """Append the pairs of one leaf."""
    at: cython.Py_ssize_t = place_of(q)
    first: cython.Py_ssize_t = units.nodes.links[at + FIRST]
    end: cython.Py_ssize_t = first + units.nodes.links[at + COUNT]
    reach: cython.double = 2.0 * units.nodes.reach[q]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    x: cython.double
    y: cython.double
    if walk.counting:
        walk.leaves_read += 1
        walk.entries_tested += (end - first) * (end - first - 1) // 2
    for i in range(first, end):
        x = units.xs[i]
        y = units.ys[i]
        found.reserve(2 * (end - i))
        for j in range(i + 1, end):
            if abs(x - units.xs[j]) <= reach and abs(y - units.ys[j]) <= reach:
                append_pair(units, i, j, found, groups, others, without)
    return 0


def pairs_of_leaves(
    units: UnitStore,
    walk: cython.pointer[Walk],
    p: cython.int,
    q: cython.int,
    found: IntBuffer,
    groups: cython.int,
    others: cython.int,
    without: cython.int,
) -> RaisesNoGil[cython.int]:
    """Append the pairs with one unit in each of two leaves."""
    a: cython.Py_ssize_t = place_of(p)
    b: cython.Py_ssize_t = place_of(q)
    first: cython.Py_ssize_t = units.nodes.links[b + FIRST]
    end: cython.Py_ssize_t = first + units.nodes.links[b + COUNT]
    reach: cython.double = units.nodes.reach[p] + units.nodes.reach[q]
    i: cython.Py_ssize_t = units.nodes.links[a + FIRST]
    j: cython.Py_ssize_t
    x: cython.double
    y: cython.double
    if walk.counting:
        walk.leaves_read += 1
    for i in range(i, i + units.nodes.links[a + COUNT]):
        x = units.xs[i]
        y = units.ys[i]
        if (
            units.nodes.box[b + MIN_X] - x > reach
            or x - units.nodes.box[b + MAX_X] > reach
            or units.nodes.box[b + MIN_Y] - y > reach
            or y - units.nodes.box[b + MAX_Y] > reach
        ):
            continue
        if walk.counting:
            walk.entries_tested += end - first
        found.reserve(2 * (end - first))
        for j in range(first, end):
            if abs(x - units.xs[j]) <= reach and abs(y - units.ys[j]) <= reach:
                append_pair(units, i, j, found, groups, others, without)
    return 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def append_pair(
    units: UnitStore,
    i: cython.Py_ssize_t,
    j: cython.Py_ssize_t,
    found: IntBuffer,
    groups: cython.int,
    others: cython.int,
    without: cython.int,
) -> cython.void:
    """Append entries i and j in the order of adding, if their footprints and groups meet."""
    a: cython.Py_ssize_t = units.slot_of[i]
    b: cython.Py_ssize_t = units.slot_of[j]
    if not touch(units, i, j):
        return
    if (groups != ALL_GROUPS or others != ALL_GROUPS) and not (
        (units.masks[i] & groups and units.masks[j] & others)
        or (units.masks[i] & others and units.masks[j] & groups)
    ):
        return
    if ((units.masks[i] | units.masks[j]) & without) != 0:
        return
    if units.record[RECORD * a + ORDER] > units.record[RECORD * b + ORDER]:
        a, b = b, a
    found.values[found.used] = cython.cast(cython.int, a)
    found.values[found.used + 1] = cython.cast(cython.int, b)
    found.used += 2


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def touch(units: UnitStore, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.bint:
    """Whether the footprints of entries i and j share a point."""
    dx: cython.double = abs(units.xs[i] - units.xs[j])
    dy: cython.double = abs(units.ys[i] - units.ys[j])
    w0: cython.double = units.half_w[units.slot_of[i]]
    h0: cython.double = units.half_h[units.slot_of[i]]
    w1: cython.double = units.half_w[units.slot_of[j]]
    h1: cython.double = units.half_h[units.slot_of[j]]
    if h0 < 0.0 and h1 < 0.0:  # two circles
        return dx * dx + dy * dy <= (w0 + w1) * (w0 + w1)
    if h0 >= 0.0 and h1 >= 0.0:  # two boxes
        return dx <= w0 + w1 and dy <= h0 + h1
    if h0 < 0.0:
        w0, w1 = w1, w0
        h0, h1 = h1, h0
    dx = max(dx - w0, 0.0)
    dy = max(dy - h0, 0.0)
    return dx * dx + dy * dy <= w1 * w1


# -- the partners of some units --------------------------------------------------------------------


def partners_of(units: UnitStore, slots: np.ndarray) -> np.ndarray:
    """Return all pairs of one of these slots and an overlapping slot, (n, 2) int32."""
    counts = np.zeros(len(slots), np.int32)
    view: cython.int[::1] = slots.data
    numbers: cython.int[::1] = counts.data
    found: IntBuffer = IntBuffer()
    with cython.nogil:
        find_partners(units, view, numbers, found)
    partners = np.frombuffer(found.taken(), np.int32)
    return np.column_stack([np.repeat(slots, counts), partners])


def find_partners(
    units: UnitStore, slots: cython.int[::1], counts: cython.int[::1], found: IntBuffer
) -> RaisesNoGil[cython.int]:
    """Append the slots that overlap each slot, and count them."""
    walk = cython.declare(Walk)
    entry: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    x: cython.double
    y: cython.double
    reach: cython.double
    start_counts(cython.address(walk), False)
    for k in range(len(slots)):
        entry = units.record[RECORD * slots[k] + ENTRY]
        x = units.xs[entry]
        y = units.ys[entry]
        reach = 1.5 * units.reach_of(slots[k])  # the distance to the corners of a box
        counts[k] = 0
        begin(cython.address(walk), REACHING_POINT, x, y, x, y, reach, ALL_GROUPS, 0)
        while next_span(units.nodes, cython.address(walk)):
            found.reserve(walk.end - walk.entry)
            for i in range(walk.entry, walk.end):
                if i != entry and touch(units, entry, i):
                    found.values[found.used] = units.slot_of[i]
                    found.used += 1
                    counts[k] += 1
            walk.entry = walk.end
    return 0

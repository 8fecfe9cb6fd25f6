"""The pair query: all pairs of units whose footprints overlap. The tree is joined with itself.

Two quadrants whose footprints cannot meet are pruned with everything below them, and so is an empty
quadrant, or one whose units share a group that is left out. Two quadrants that may meet are opened,
down to leaves, which are compared entry by entry. Each pair of quadrants is visited once, so each
pair of units is found once.
"""

from __future__ import annotations

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.layout import (
    ALL_GROUPS,
    CANDIDATES,
    CHILD,
    COUNT,
    ENTRY,
    FIRST,
    GROUPS,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    PAIR_STACK,
    REACHING_POINT,
    RECORD,
    Walk,
    place_of,
    reach_of,
    start_counts,
)
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.units import UnitStore, is_later
from tilequad._core.tree.walk import begin, next_span, write_gaps


def find_pairs(
    units: UnitStore,
    walk: cython.pointer[Walk],
    found: IntBuffer,
    groups: cython.int,
    others: cython.int,
    without: cython.int,
) -> Raises[cython.int]:
    """Append the slots of all pairs, two each, with one unit in `groups` and one in `others`.

    Pairs with a unit in a group of `without` are left out. The caller starts the counts of `walk`,
    of which nothing else is read. The stack holds pairs of links, nodes or ~q for leaves. A link
    paired with itself stands for all pairs below it.
    """
    stack = cython.declare(cython.int[PAIR_STACK])
    nodes: Nodes = units.nodes
    top: cython.int = 2
    j: cython.int
    k: cython.int
    stack[0] = stack[1] = 0
    with cython.nogil:
        while top > 0:
            top -= 2
            p = stack[top]
            q = stack[top + 1]
            if p < 0 and q < 0:
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
                    stack[top] = q  # q goes first, so that p and q take turns being opened
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
    a = place_of(p)
    b = place_of(q)
    reach: cython.double = nodes.reach[p] + nodes.reach[q]
    meets: cython.bint = (
        (nodes.box[a + MIN_X] - nodes.box[b + MAX_X] <= reach)
        & (nodes.box[b + MIN_X] - nodes.box[a + MAX_X] <= reach)
        & (nodes.box[a + MIN_Y] - nodes.box[b + MAX_Y] <= reach)
        & (nodes.box[b + MIN_Y] - nodes.box[a + MAX_Y] <= reach)
        & (nodes.links[a + GROUPS] != 0)
        & (nodes.links[b + GROUPS] != 0)
    )
    if walk.counting and not meets:
        walk.pruned_by_place += nodes.links[a + GROUPS] != 0 and nodes.links[b + GROUPS] != 0
    if meets and ((nodes.common[p] | nodes.common[q]) & without) != 0:
        walk.pruned_by_group += walk.counting
        return False
    return meets


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
    """Append the pairs with one unit in each of two leaves, or those within one leaf, if p == q.

    Of each leaf, only the entries near the box of the other are compared.
    """
    near = cython.declare(cython.int[CANDIDATES])
    entries = cython.declare(cython.int[CANDIDATES])
    xs = cython.declare(cython.double[CANDIDATES])
    ys = cython.declare(cython.double[CANDIDATES])
    reach: cython.double = units.nodes.reach[p] + units.nodes.reach[q]
    used = found.used
    i: cython.Py_ssize_t = units.nodes.links[place_of(p) + FIRST]
    i_end: cython.Py_ssize_t = i + units.nodes.links[place_of(p) + COUNT]
    walk.leaves_read += walk.counting
    while i < i_end:  # up to CANDIDATES entries of either leaf at a time
        m = copy_near(units, i, i_end, q, reach, near, xs, ys)
        j = i if p == q else units.nodes.links[place_of(q) + FIRST]
        j_end: cython.Py_ssize_t = (
            units.nodes.links[place_of(q) + FIRST] + units.nodes.links[place_of(q) + COUNT]
        )
        while m > 0 and j < j_end:
            n = copy_near(units, j, j_end, p, reach, entries, xs, ys)
            found.reserve(2 * m * n)
            for k in range(m):
                append_near(
                    units, near[k], k + 1 if i == j else 0, n, reach, entries, xs, ys, found
                )
            if walk.counting:
                walk.entries_tested += m * (m - 1) // 2 if i == j else m * n
            j += CANDIDATES
        i += CANDIDATES
    return keep_touching(units, used, found, groups, others, without)


def copy_near(
    units: UnitStore,
    first: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    q: cython.int,
    reach: cython.double,
    entries: cython.p_int,
    xs: cython.p_double,
    ys: cython.p_double,
) -> NoGil[cython.Py_ssize_t]:
    """Copy the entries first .. end that are near leaf q; of CANDIDATES at most."""
    gaps = cython.declare(cython.double[CANDIDATES])
    at = place_of(q)
    n: cython.Py_ssize_t = 0
    many = min(end - first, CANDIDATES)
    write_gaps(
        units,
        first,
        many,
        units.nodes.box[at + MIN_X],
        units.nodes.box[at + MIN_Y],
        units.nodes.box[at + MAX_X],
        units.nodes.box[at + MAX_Y],
        gaps,
    )
    # Without branches: each entry is written, and the index advances only if it is near.
    for i in range(many):
        entries[n] = cython.cast(cython.int, first + i)
        xs[n] = units.xs[first + i]
        ys[n] = units.ys[first + i]
        n += gaps[i] <= reach
    return n


@cython.inline
def append_near(
    units: UnitStore,
    i: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    reach: cython.double,
    entries: cython.p_int,
    xs: cython.p_double,
    ys: cython.p_double,
    found: IntBuffer,
) -> cython.void:
    """Append entry i beside each of the copied entries first .. n that its footprint may meet."""
    gaps = cython.declare(cython.double[CANDIDATES])
    x = units.xs[i]
    y = units.ys[i]
    j: cython.Py_ssize_t
    used: cython.Py_ssize_t = found.used
    for j in range(first, n):  # apart, because the compiler does several of these at once
        gaps[j] = max(abs(x - xs[j]), abs(y - ys[j]))
    # Without branches: each pair is written, and the index advances only if the two are near.
    for j in range(first, n):
        found.values[used] = cython.cast(cython.int, i)
        found.values[used + 1] = entries[j]
        used += 2 * (gaps[j] <= reach)
    found.used = used


def keep_touching(
    units: UnitStore,
    start: cython.Py_ssize_t,
    found: IntBuffer,
    groups: cython.int,
    others: cython.int,
    without: cython.int,
) -> NoGil[cython.int]:
    """Keep the pairs of entries from `start` on that touch; replace them by slots."""
    used = start
    for k in range(start, found.used, 2):
        i: cython.Py_ssize_t = found.values[k]
        j: cython.Py_ssize_t = found.values[k + 1]
        a: cython.Py_ssize_t = units.slot_of[i]
        b: cython.Py_ssize_t = units.slot_of[j]
        swapped: cython.bint = is_later(units, a, b)
        found.values[used + swapped] = cython.cast(cython.int, a)
        found.values[used + 1 - swapped] = cython.cast(cython.int, b)
        used += 2 * (
            touch(units, i, j) & fit(units.masks[i], units.masks[j], groups, others, without)
        )
    found.used = used
    return 0


@cython.inline
def fit(
    one: cython.int,
    other: cython.int,
    groups: cython.int,
    others: cython.int,
    without: cython.int,
) -> cython.bint:
    """Whether the groups of two units make them a pair."""
    if (groups != ALL_GROUPS or others != ALL_GROUPS) and not (
        (one & groups and other & others) or (one & others and other & groups)
    ):
        return False
    return ((one | other) & without) == 0


@cython.inline
def touch(units: UnitStore, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.bint:
    """Whether the footprints of entries i and j share a point."""
    dx = abs(units.xs[i] - units.xs[j])
    dy = abs(units.ys[i] - units.ys[j])
    w0 = units.half_w[units.slot_of[i]]
    h0 = units.half_h[units.slot_of[i]]
    w1 = units.half_w[units.slot_of[j]]
    h1 = units.half_h[units.slot_of[j]]
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
    i: cython.Py_ssize_t
    start_counts(cython.address(walk), False)
    for k in range(len(slots)):
        entry: cython.Py_ssize_t = units.record[RECORD * slots[k] + ENTRY]
        x = units.xs[entry]
        y = units.ys[entry]
        reach: cython.double = reach_of(units.half_w[slots[k]], units.half_h[slots[k]])
        counts[k] = 0
        # The corners of a box are farther away than its reach.
        begin(cython.address(walk), REACHING_POINT, x, y, x, y, 1.5 * reach, ALL_GROUPS, 0)
        while next_span(units.nodes, cython.address(walk)):
            found.reserve(walk.end - walk.entry)
            for i in range(walk.entry, walk.end):
                if i != entry and touch(units, entry, i):
                    found.values[found.used] = units.slot_of[i]
                    found.used += 1
                    counts[k] += 1
            walk.entry = walk.end
    return 0

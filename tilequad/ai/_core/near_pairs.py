# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Pairs of units that touch or nearly do, of which one pushes the other.

As in the pair query of the tree, the tree is joined with itself; footprints count a little larger.
"""

from __future__ import annotations

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # compiled, near_pairs.pxd imports these
    from tilequad.quadtree._core import _cython as cython
    from tilequad.quadtree._core.layout import (
        CHILD,
        COUNT,
        FIRST,
        GROUPS,
        MAX_X,
        MAX_Y,
        MIN_X,
        MIN_Y,
        PAIR_STACK,
        place_of,
    )

from tilequad.quadtree._core.buffers import IntBuffer
from tilequad.quadtree._core.nodes import Nodes
from tilequad.quadtree._core.unit_store import UnitStore

# Units whose gap is at most this part of the smaller one's width are neighbours: who stands in a
# crowd and who at its rim is seen only where small gaps do not count.
GAP = 0.2


def find_near(
    units: UnitStore, found: IntBuffer, groups: cython.int, others: cython.int
) -> cython.int:
    """Append the slots of all near pairs, two each, with one unit in `groups`, one in `others`.

    The stack holds pairs of links, nodes or ~q for leaves. A link paired with itself stands for all
    pairs below it.
    """
    stack = cython.declare(cython.int[PAIR_STACK])
    nodes: Nodes = units.nodes
    wanted: cython.int = groups | others
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
                    near_in_leaf(units, ~p, found, groups, others)
                else:
                    near_of_leaves(units, ~p, ~q, found, groups, others)
                continue
            if p == q:
                for j in range(4):
                    if (nodes.links[place_of(4 * p + j) + GROUPS] & wanted) == 0:
                        continue
                    for k in range(j, 4):
                        if j == k or may_be_near(nodes, 4 * p + j, 4 * p + k, wanted):
                            stack[top] = nodes.links[place_of(4 * p + j) + CHILD]
                            stack[top + 1] = nodes.links[place_of(4 * p + k) + CHILD]
                            top += 2
                continue
            if p < 0:  # open a node; of two nodes the first
                p, q = q, p
            j = ~q if q < 0 else nodes.parent[q]
            for k in range(4):
                if may_be_near(nodes, 4 * p + k, j, wanted):
                    stack[top] = q  # first, so that the two take turns
                    stack[top + 1] = nodes.links[place_of(4 * p + k) + CHILD]
                    top += 2
    return 0


def may_be_near(nodes: Nodes, p: cython.int, q: cython.int, wanted: cython.int) -> cython.bint:
    """Whether a footprint below quadrant p may be near one below quadrant q."""
    a: cython.Py_ssize_t = place_of(p)
    b: cython.Py_ssize_t = place_of(q)
    reach: cython.double = (1.0 + GAP) * (nodes.reach[p] + nodes.reach[q])
    return (
        (nodes.box[a + MIN_X] - nodes.box[b + MAX_X] <= reach)
        & (nodes.box[b + MIN_X] - nodes.box[a + MAX_X] <= reach)
        & (nodes.box[a + MIN_Y] - nodes.box[b + MAX_Y] <= reach)
        & (nodes.box[b + MIN_Y] - nodes.box[a + MAX_Y] <= reach)
        & ((nodes.links[a + GROUPS] & wanted) != 0)
        & ((nodes.links[b + GROUPS] & wanted) != 0)
    )


def near_in_leaf(
    units: UnitStore, q: cython.int, found: IntBuffer, groups: cython.int, others: cython.int
) -> cython.int:
    """Append the near pairs of one leaf."""
    at: cython.Py_ssize_t = place_of(q)
    first: cython.Py_ssize_t = units.nodes.links[at + FIRST]
    end: cython.Py_ssize_t = first + units.nodes.links[at + COUNT]
    reach: cython.double = (1.0 + GAP) * 2.0 * units.nodes.reach[q]
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    x: cython.double
    y: cython.double
    for i in range(first, end):
        x = units.xs[i]
        y = units.ys[i]
        found.reserve(2 * (end - i))
        for j in range(i + 1, end):
            if abs(x - units.xs[j]) <= reach and abs(y - units.ys[j]) <= reach:
                append_near(units, i, j, found, groups, others)
    return 0


def near_of_leaves(
    units: UnitStore,
    p: cython.int,
    q: cython.int,
    found: IntBuffer,
    groups: cython.int,
    others: cython.int,
) -> cython.int:
    """Append the near pairs with one unit in each of two leaves."""
    a: cython.Py_ssize_t = place_of(p)
    b: cython.Py_ssize_t = place_of(q)
    first: cython.Py_ssize_t = units.nodes.links[b + FIRST]
    end: cython.Py_ssize_t = first + units.nodes.links[b + COUNT]
    reach: cython.double = (1.0 + GAP) * (units.nodes.reach[p] + units.nodes.reach[q])
    i: cython.Py_ssize_t = units.nodes.links[a + FIRST]
    j: cython.Py_ssize_t
    x: cython.double
    y: cython.double
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
        found.reserve(2 * (end - first))
        for j in range(first, end):
            if abs(x - units.xs[j]) <= reach and abs(y - units.ys[j]) <= reach:
                append_near(units, i, j, found, groups, others)
    return 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def append_near(
    units: UnitStore,
    i: cython.Py_ssize_t,
    j: cython.Py_ssize_t,
    found: IntBuffer,
    groups: cython.int,
    others: cython.int,
) -> cython.void:
    """Append the slots of entries i and j, if they are near and their groups meet."""
    a: cython.Py_ssize_t = units.slot_of[i]
    b: cython.Py_ssize_t = units.slot_of[j]
    if not are_near(units, i, j):
        return
    if not (
        ((units.masks[i] & groups) != 0 and (units.masks[j] & others) != 0)
        or ((units.masks[i] & others) != 0 and (units.masks[j] & groups) != 0)
    ):
        return
    found.values[found.used] = cython.cast(cython.int, a)
    found.values[found.used + 1] = cython.cast(cython.int, b)
    found.used += 2


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def are_near(units: UnitStore, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.bint:
    """Whether the gap between two footprints is small."""
    dx: cython.double = abs(units.xs[i] - units.xs[j])
    dy: cython.double = abs(units.ys[i] - units.ys[j])
    w0: cython.double = units.half_w[units.slot_of[i]]
    h0: cython.double = units.half_h[units.slot_of[i]]
    w1: cython.double = units.half_w[units.slot_of[j]]
    h1: cython.double = units.half_h[units.slot_of[j]]
    gap: cython.double = 2.0 * GAP * min(max(w0, h0), max(w1, h1))
    if h0 < 0.0 and h1 < 0.0:  # two circles
        gap += w0 + w1
        return dx * dx + dy * dy <= gap * gap
    if h0 >= 0.0 and h1 >= 0.0:  # two boxes
        return dx <= w0 + w1 + gap and dy <= h0 + h1 + gap
    if h0 < 0.0:
        w0, w1 = w1, w0
        h0, h1 = h1, h0
    dx = max(dx - w0, 0.0)
    dy = max(dy - h0, 0.0)
    gap += w1
    return dx * dx + dy * dy <= gap * gap

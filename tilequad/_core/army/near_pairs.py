"""Pairs of units that touch or nearly touch, where at least one pushes the other.

As in the tree's pair query, the tree is joined with itself, with slightly larger footprints.
"""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises, RaisesNoGil
from tilequad._core.army.bodies import PUSHED, PUSHES, Bodies
from tilequad._core.buffers import IntBuffer
from tilequad._core.tree.layout import (
    CHILD,
    GROUPS,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    PAIR_STACK,
    place_of,
)
from tilequad._core.tree.nodes import Nodes

# Units are neighbors if their gap is at most this share of the smaller one's width. Only if small
# gaps are ignored do the inside and the rim of a crowd show.
GAP: cython.double = 0.2


def find_near(bodies: Bodies, nodes: Nodes, found: IntBuffer) -> Raises[cython.int]:
    """Append the numbers of all near pairs where one unit pushes the other, two numbers a pair.

    The stack holds pairs of links, nodes or ~q for leaves. A link paired with itself stands for all
    pairs below it.
    """
    stack = cython.declare(cython.int[PAIR_STACK])
    top: cython.int = 2
    wanted: cython.int = bodies.pushed | bodies.others
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
                    near_in_leaf(bodies, nodes, ~p, found)
                else:
                    near_of_leaves(bodies, nodes, ~p, ~q, found)
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
            if p < 0:  # open a node, the first if both are nodes
                p, q = q, p
            j = ~q if q < 0 else nodes.parent[q]
            for k in range(4):
                if may_be_near(nodes, 4 * p + k, j, wanted):
                    stack[top] = q  # q goes first, so that p and q take turns to be opened
                    stack[top + 1] = nodes.links[place_of(4 * p + k) + CHILD]
                    top += 2
    return 0


def may_be_near(
    nodes: Nodes, p: cython.int, q: cython.int, wanted: cython.int
) -> NoGil[cython.bint]:
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
    bodies: Bodies, nodes: Nodes, q: cython.int, found: IntBuffer
) -> RaisesNoGil[cython.int]:
    """Append the near pairs of one leaf."""
    reach: cython.double = (1.0 + GAP) * 2.0 * nodes.reach[q]
    end: cython.int = bodies.end[q]
    i: cython.int
    for i in range(bodies.begin[q], end):
        append_near(bodies, i, i + 1, end, reach, found)
    return 0


def near_of_leaves(
    bodies: Bodies, nodes: Nodes, p: cython.int, q: cython.int, found: IntBuffer
) -> RaisesNoGil[cython.int]:
    """Append the near pairs with one unit in each of two leaves."""
    b: cython.Py_ssize_t = place_of(q)
    reach: cython.double = (1.0 + GAP) * (nodes.reach[p] + nodes.reach[q])
    i: cython.int
    for i in range(bodies.begin[p], bodies.end[p]):
        if (
            nodes.box[b + MIN_X] - bodies.x[i] <= reach
            and bodies.x[i] - nodes.box[b + MAX_X] <= reach
            and nodes.box[b + MIN_Y] - bodies.y[i] <= reach
            and bodies.y[i] - nodes.box[b + MAX_Y] <= reach
        ):
            append_near(bodies, i, bodies.begin[q], bodies.end[q], reach, found)
    return 0


def append_near(
    bodies: Bodies,
    i: cython.int,
    begin: cython.int,
    end: cython.int,
    reach: cython.double,
    found: IntBuffer,
) -> RaisesNoGil[cython.int]:
    """Append the pairs of a unit with near units of a range; none is as far away as `reach`."""
    x: cython.double = bodies.x[i]
    y: cython.double = bodies.y[i]
    start: cython.Py_ssize_t = found.used
    n: cython.Py_ssize_t = start
    k: cython.Py_ssize_t
    j: cython.int
    found.reserve(2 * (end - begin))
    # No branch: every pair is written, and advancing the end keeps it.
    for j in range(begin, end):
        found.values[n] = i
        found.values[n + 1] = j
        n += 2 * ((abs(x - bodies.x[j]) <= reach) & (abs(y - bodies.y[j]) <= reach))
    for k in range(start, n, 2):
        j = found.values[k + 1]
        found.values[start + 1] = j
        start += 2 * (may_push(bodies, i, j) and are_near(bodies, i, j))
    found.used = start
    return 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def may_push(bodies: Bodies, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.bint:
    """Whether one of two units pushes the other."""
    one: cython.int = bodies.flags[i]
    other: cython.int = bodies.flags[j]
    return ((one & PUSHED) != 0 and (other & PUSHES) != 0) or (
        (one & PUSHES) != 0 and (other & PUSHED) != 0
    )


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def are_near(bodies: Bodies, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.bint:
    """Whether the gap between two footprints is small."""
    dx: cython.double = abs(bodies.x[i] - bodies.x[j])
    dy: cython.double = abs(bodies.y[i] - bodies.y[j])
    w0: cython.double = bodies.half_w[i]
    h0: cython.double = bodies.half_h[i]
    w1: cython.double = bodies.half_w[j]
    h1: cython.double = bodies.half_h[j]
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

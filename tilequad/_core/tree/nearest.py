"""The nearest query: the k units, or boxes, nearest to a point.

There are three strategies:

- For one neighbor the leaf of the point is scanned without branches.
- For a few, a circle is searched that should contain them all, judging by how crowded the leaf of
  the point is. Ranking its hits takes no branches either.
- Otherwise, if the circle fails, and if distances are to footprints, the search is best-first:
  quadrants wait on the walk's stack, the nearest on top, and the distance to the k-th hit so far
  prunes them.
"""

from __future__ import annotations

from math import pi

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.layout import (
    ALL_GROUPS,
    CANDIDATES,
    CHILD,
    COUNT,
    ENTRY,
    FIRST,
    GROUPS,
    HITS,
    INF,
    MAX_K,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    NEAR_POINT_BOXED,
    NONE,
    ORDER,
    PATH,
    PRUNE_MARGIN,
    REACHING_POINT,
    RECORD,
    Ranking,
    Walk,
    place_of,
    start_counts,
)
from tilequad._core.tree.batch import share
from tilequad._core.tree.boxes import BoxStore
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.questions import Questions
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.walk import (
    begin,
    begin_near_point,
    count_leaf,
    count_quadrants,
    leave_out,
    next_span,
    quadrant_of,
    write_distances2,
    write_gaps2,
    write_squares,
)
from tilequad._core.tree.within import edge_in_ring, unit_gap

PI: cython.double = pi
MIN_CIRCLE_K: cython.int = 4  # For MIN_CIRCLE_K <= k <= MAX_CIRCLE_K, try a circle first.
MAX_CIRCLE_K: cython.int = 16
TIED: cython.int = -2
ONE: cython.Py_ssize_t = 1048576  # more than the sum of the places in an array of candidates
FETCHED: cython.Py_ssize_t = 64  # points of a batch that are read at once


def start_ranking(
    ranking: cython.pointer[Ranking],
    k: cython.int,
    min_distance: cython.double,
    max_distance: cython.double,
    exclude: cython.int,
    to_edge: cython.bint = False,
) -> NoGil[None]:
    """Prepare an empty ranking of k hits within some distances, which leaves out one slot.

    To the edge, a ranking begins at 0: the search knows the least distance, as radii round it.
    """
    ranking.k = k
    ranking.to_edge = to_edge
    ranking.min_distance = min_distance
    ranking.max_distance = max_distance
    ranking.min_distance2 = 0.0 if to_edge else min_distance * min_distance
    ranking.after = -1
    ranking.exclude = exclude
    ranking.count = 0


def continue_ranking(ranking: cython.pointer[Ranking]) -> NoGil[None]:
    """Let the next search continue behind the last hit of a full ranking."""
    ranking.min_distance2 = ranking.distances2[ranking.k - 1]
    ranking.after = ranking.orders[ranking.k - 1]


def look_from(
    walk: cython.pointer[Walk],
    x: cython.double,
    y: cython.double,
    groups: cython.int,
    without: cython.int,
) -> NoGil[None]:
    """Say for a nearest search where it begins, and which units count."""
    walk.x0 = x
    walk.y0 = y
    walk.groups = groups
    walk.without = without


@cython.inline
def begin_at_root(walk: cython.pointer[Walk], ranking: cython.pointer[Ranking]) -> cython.void:
    """Begin a best-first search, with an empty ranking."""
    walk.stack[0] = 0
    walk.distances[0] = 0.0
    walk.top = 1
    ranking.count = 0
    ranking.max_distance2 = ranking.max_distance * ranking.max_distance


def find_nearest(
    units: UnitStore, walk: cython.pointer[Walk], ranking: cython.pointer[Ranking]
) -> NoGil[cython.int]:
    """Rank the nearest slots; return their number, at most k. `look_from` says from where.

    The leaf of the point comes first. If the circle around its hits extends beyond its cell, the
    search continues around it.
    """
    path = cython.declare(cython.int[PATH])
    if ranking.to_edge:
        return find_nearest_to_edge(units, walk, ranking)
    depth = descend(units.nodes, path, walk.x0, walk.y0)
    leaf = ~path[depth]
    if walk.counting:
        walk.nodes += depth
    if MIN_CIRCLE_K <= ranking.k <= MAX_CIRCLE_K:
        circle2 = circle_of(units.nodes, leaf, 1.25 * ranking.k + 2.0, ~walk.groups | walk.without)
        for i in range(2):  # the second circle has twice the area
            if circle2 > 0.0 and rank_circle(units, walk, ranking, circle2 * (i + 1)):
                return ranking.count
    if walk.counting:
        count_leaf(units.nodes, walk, leaf)
    begin_at_root(walk, ranking)
    scan_leaf(units, walk, ranking, leaf)
    search_around(units, walk, ranking, path, depth)
    return ranking.count


@cython.inline
def search_around(
    units: UnitStore,
    walk: cython.pointer[Walk],
    ranking: cython.pointer[Ranking],
    path: cython.p_int,
    depth: cython.Py_ssize_t,
) -> cython.void:
    """Go on from a leaf that is ranked, at the end of a path from `descend`.

    The last node on the path whose cell contains the circle around the hits so far is the first
    whose quadrants may hold nearer ones.
    """
    top: cython.Py_ssize_t = 0
    walk.top = 0
    while top < depth and edge2(units.nodes, path[top], walk.x0, walk.y0) > ranking.max_distance2:
        top += 1
    while top < depth:
        push_quadrants(units.nodes, walk, path[top], True, False, ranking.max_distance2)
        top += 1
    leaf = next_nearest(units.nodes, walk, False, ranking.max_distance2)
    while leaf >= 0:
        if walk.counting:
            count_leaf(units.nodes, walk, leaf)
        scan_leaf(units, walk, ranking, leaf)
        leaf = next_nearest(units.nodes, walk, False, ranking.max_distance2)


# -- a few neighbors: a circle --------------------------------------------------------------------


@cython.inline
def rank_circle(
    units: UnitStore,
    walk: cython.pointer[Walk],
    ranking: cython.pointer[Ranking],
    circle2: cython.double,
) -> cython.bint:
    """Rank the slots in a circle; False if it holds too few or too many."""
    found = cython.declare(cython.int[HITS])
    squares = cython.declare(cython.double[HITS])
    orders = cython.declare(cython.int[HITS])
    x = walk.x0
    y = walk.y0
    max_distance2 = ranking.max_distance * ranking.max_distance
    radius2 = min(circle2, max_distance2)
    n: cython.Py_ssize_t = 0
    m: cython.Py_ssize_t = 0
    begin_near_point(walk, x, y, radius2, walk.groups, walk.without)
    while next_span(units.nodes, walk):
        i = walk.entry
        end = walk.end
        walk.entry = walk.end
        if n + end - i > HITS:
            return False
        while i < end:
            dx = units.xs[i] - x
            dy = units.ys[i] - y
            found[n] = units.slot_of[i]
            squares[n] = dx * dx + dy * dy
            n += squares[n] <= radius2
            i += 1
    if (
        walk.groups == ALL_GROUPS
        and walk.without == 0
        and ranking.exclude < 0
        and ranking.min_distance2 <= 0.0
        and ranking.after < 0
    ):  # the common case: every hit counts
        for i in range(n):
            end = RECORD * cython.cast(cython.Py_ssize_t, found[i])
            orders[i] = units.record[end + ORDER]
        m = n
    else:
        m = keep_ranked(units, walk, ranking, found, squares, orders, n)
    if m > MAX_K or (m < ranking.k and circle2 < max_distance2):
        return False
    rank(found, squares, orders, m, ranking)
    return True


@cython.inline
def keep_ranked(
    units: UnitStore,
    walk: cython.pointer[Walk],
    ranking: cython.pointer[Ranking],
    found: cython.p_int,
    squares: cython.p_double,
    orders: cython.p_int,
    n: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Of n slots, keep those that may be ranked, and write their orders; return their number."""
    m: cython.Py_ssize_t = 0
    for i in range(n):
        at = RECORD * cython.cast(cython.Py_ssize_t, found[i])
        found[m] = found[i]
        squares[m] = squares[i]
        orders[m] = units.record[at + ORDER]
        m += (
            (found[m] != ranking.exclude)
            & ((units.masks[units.record[at + ENTRY]] & walk.groups) != 0)
            & ((units.masks[units.record[at + ENTRY]] & walk.without) == 0)
            & (squares[m] >= ranking.min_distance2)
            & ((squares[m] > ranking.min_distance2) | (orders[m] > ranking.after))
        )
    return m


@cython.inline
def circle_of(
    nodes: Nodes, q: cython.int, count: cython.double, unwanted: cython.int
) -> cython.double:
    """Estimate from leaf q the squared radius of a circle with `count` entries; 0 if unknown."""
    at = place_of(q)
    n: cython.double = nodes.links[at + COUNT]
    width = nodes.box[at + MAX_X] - nodes.box[at + MIN_X]
    height = nodes.box[at + MAX_Y] - nodes.box[at + MIN_Y]
    if n < 4.0 or (nodes.links[at + GROUPS] & unwanted) != 0:
        return 0.0
    # The box around n random points has on average (n - 1) / (n + 1) of the width of their area.
    width *= n + 1.0
    height *= n + 1.0
    return count * width * height / (PI * n * (n - 1.0) * (n - 1.0))


@cython.inline
def rank(
    found: cython.p_int,
    squares: cython.p_double,
    orders: cython.p_int,
    n: cython.Py_ssize_t,
    ranking: cython.pointer[Ranking],
) -> cython.void:
    """Sort n <= MAX_K hits by squared distance and then by order; the first k places are right.

    The place of a hit is the number of hits before it. The first round counts by distances in
    float32, four at a time; hits that are equal in float32 get the same place, and then a second
    round counts exactly.
    """
    rough = cython.declare(cython.float[MAX_K])
    k: cython.Py_ssize_t = ranking.k
    i: cython.Py_ssize_t
    kept = min(n, k)
    end = (n + 3) & ~3
    placed: cython.Py_ssize_t = 0
    total: cython.Py_ssize_t = 0
    ranking.count = cython.cast(cython.int, kept)
    for i in range(n):
        rough[i] = squares[i]
    for i in range(n, end):
        rough[i] = INF
    for i in range(n):
        place: cython.int = 0
        for j in range(end):
            place += rough[j] < rough[i]
        ranking.hits[place] = found[i]
        ranking.distances2[place] = squares[i]
        ranking.orders[place] = orders[i]
        placed += place < k
        total += place * (place < k)
    if placed == kept and total == kept * (kept - 1) // 2:  # each place is filled once
        return
    for i in range(n):
        place = 0
        for j in range(n):
            place += (squares[j] < squares[i]) | (
                (squares[j] == squares[i]) & (orders[j] < orders[i])
            )
        ranking.hits[place] = found[i]
        ranking.distances2[place] = squares[i]
        ranking.orders[place] = orders[i]


# -- in general: best first ------------------------------------------------------------------------


@cython.inline
def scan_leaf(
    units: UnitStore,
    walk: cython.pointer[Walk],
    ranking: cython.pointer[Ranking],
    leaf: cython.int,
) -> cython.void:
    """Rank the entries of a leaf."""
    x = walk.x0
    y = walk.y0
    at = place_of(leaf)
    i: cython.Py_ssize_t = units.nodes.links[at + FIRST]
    end: cython.Py_ssize_t = i + units.nodes.links[at + COUNT]
    if ranking.k == 1 and ranking.min_distance2 <= 0.0 and ranking.after < 0:
        if scan_for_one(units, walk, ranking, leaf):
            return
        if ranking.count == 1:  # only a tie asks for the order
            slot = ranking.hits[0]
            ranking.orders[0] = units.record[RECORD * cython.cast(cython.Py_ssize_t, slot) + ORDER]
    for i in range(i, end):
        if (units.masks[i] & walk.groups) == 0 or (units.masks[i] & walk.without) != 0:
            continue
        dx = units.xs[i] - x
        dy = units.ys[i] - y
        distance2 = dx * dx + dy * dy
        if distance2 > ranking.max_distance2 or distance2 < ranking.min_distance2:
            continue
        slot = units.slot_of[i]
        order = units.record[RECORD * cython.cast(cython.Py_ssize_t, slot) + ORDER]
        if slot == ranking.exclude or (
            distance2 == ranking.min_distance2 and order <= ranking.after
        ):
            continue
        add_hit(ranking, slot, distance2, order)


@cython.inline
def scan_for_one(
    units: UnitStore,
    walk: cython.pointer[Walk],
    ranking: cython.pointer[Ranking],
    leaf: cython.int,
) -> cython.bint:
    """Rank the one nearest entry of a leaf; False if several may be nearest.

    It has no branches, because which entry is nearer cannot be predicted, and short loops, of
    which the compiler does several rounds at once.
    """
    squares = cython.declare(cython.double[CANDIDATES])
    at = place_of(leaf)
    first: cython.Py_ssize_t = units.nodes.links[at + FIRST]
    n: cython.Py_ssize_t = units.nodes.links[at + COUNT]
    if n > CANDIDATES:
        return False
    write_squares(units, first, n, walk.x0, walk.y0, squares)
    leave_out(units, leaf, first, n, walk.groups, walk.without, squares)
    if 0 <= ranking.exclude < units.slots:
        i = units.record[RECORD * cython.cast(cython.Py_ssize_t, ranking.exclude) + ENTRY] - first
        if 0 <= i < n:
            squares[i] = INF
    i = least_of(squares, n, ranking.max_distance2)
    if i >= 0:  # it is the only hit, and its order is not read: in a batch it is far away in memory
        ranking.count = 1
        ranking.hits[0] = units.slot_of[first + i]
        ranking.distances2[0] = ranking.max_distance2 = squares[i]
    return i != TIED


def least_of(
    numbers: cython.p_double, n: cython.Py_ssize_t, limit: cython.double
) -> NoGil[cython.Py_ssize_t]:
    """Return which number is the least, and finite; NONE if none is within the limit.

    TIED, if several are the least, or if it equals the limit.
    """
    lows = cython.declare(cython.double[4])
    at: cython.Py_ssize_t = 0
    for i in range(4):
        lows[i] = limit
    for i in range(0, n - 3, 4):  # four at a time, which need not wait for each other
        lows[0] = min(lows[0], numbers[i])
        lows[1] = min(lows[1], numbers[i + 1])
        lows[2] = min(lows[2], numbers[i + 2])
        lows[3] = min(lows[3], numbers[i + 3])
    for i in range(n - n % 4, n):
        lows[0] = min(lows[0], numbers[i])
    least = min(min(lows[0], lows[1]), min(lows[2], lows[3]))
    if least == INF:
        return NONE
    for i in range(n):  # one sum of how many they are and, if it is one, which
        at += i + ONE if numbers[i] <= least else 0
    if at < ONE:
        return NONE
    return TIED if at >= 2 * ONE or least == limit else at - ONE


@cython.inline
def add_hit(
    ranking: cython.pointer[Ranking],
    hit: cython.int,
    distance2: cython.double,
    order: cython.int,
) -> cython.void:
    """Insert a hit into the ranking, if it is among the best k."""
    i: cython.int = ranking.count
    if i == ranking.k:
        i -= 1
        if ranking.distances2[i] < distance2 or (
            ranking.distances2[i] == distance2 and ranking.orders[i] < order
        ):
            return
    else:
        ranking.count += 1
    while i > 0 and (
        ranking.distances2[i - 1] > distance2
        or (ranking.distances2[i - 1] == distance2 and ranking.orders[i - 1] > order)
    ):
        ranking.hits[i] = ranking.hits[i - 1]
        ranking.distances2[i] = ranking.distances2[i - 1]
        ranking.orders[i] = ranking.orders[i - 1]
        i -= 1
    ranking.hits[i] = hit
    ranking.distances2[i] = distance2
    ranking.orders[i] = order
    if ranking.count == ranking.k:
        ranking.max_distance2 = ranking.distances2[ranking.k - 1]


@cython.inline
def descend(
    nodes: Nodes, path: cython.p_int, x: cython.double, y: cython.double
) -> cython.Py_ssize_t:
    """Write the path from the root to the leaf at (x, y): the nodes, then the leaf's link.

    Returns the number of nodes, which is the index of the leaf.
    """
    link: cython.int = 0
    depth: cython.Py_ssize_t = 0
    while link >= 0:
        path[depth] = link
        depth += 1
        q = 4 * cython.cast(cython.Py_ssize_t, link)
        link = nodes.links[place_of(q) + quadrant_of(nodes, q, x, y) + CHILD]
    path[depth] = link
    return depth


@cython.inline
def edge2(nodes: Nodes, n: cython.Py_ssize_t, x: cython.double, y: cython.double) -> cython.double:
    """Return the squared distance from a point to the nearer split line of a node."""
    dx = x - nodes.split[2 * n]
    dy = y - nodes.split[2 * n + 1]
    return min(dx * dx, dy * dy)


@cython.inline
def next_nearest(
    nodes: Nodes, walk: cython.pointer[Walk], to_edge: cython.bint, max_distance2: cython.double
) -> cython.int:
    """Return the next leaf that may hold a hit, nearest first; -1 at the end.

    The distance, to positions or to what footprints may cover, may shrink from call
    to call; quadrants that are then too far away are dropped unvisited.
    """
    while walk.top > 0:
        walk.top -= 1
        link = walk.stack[walk.top]
        if walk.distances[walk.top] > max_distance2:
            walk.pruned_by_place += walk.counting
            continue
        if link < 0:
            return ~link
        push_quadrants(nodes, walk, link, False, to_edge, max_distance2)
    return -1


@cython.inline
def push_quadrants(
    nodes: Nodes,
    walk: cython.pointer[Walk],
    n: cython.int,
    without_home: cython.bint,
    to_edge: cython.bint,
    max_distance2: cython.double,
) -> cython.void:
    """Push the quadrants of node n within a squared distance, the nearest on top.

    The quadrant of the point comes last, the opposite one first. With `to_edge`, distances are to
    what footprints may cover.
    """
    distances2 = cython.declare(cython.double[4])
    near = cython.declare(cython.int[4])
    at: cython.Py_ssize_t = place_of(4 * cython.cast(cython.Py_ssize_t, n))
    j: cython.Py_ssize_t
    home: cython.Py_ssize_t = (walk.x0 >= nodes.split[2 * n]) + 2 * (
        walk.y0 >= nodes.split[2 * n + 1]
    )
    if to_edge:
        write_gaps2(nodes, at, walk.x0, walk.y0, distances2)
    else:
        write_distances2(nodes, at, walk.x0, walk.y0, distances2)
    if walk.counting:
        for k in range(4):  # a quadrant that was visited already counts as kept
            near[k] = distances2[k] <= max_distance2 or (k == home and without_home)
        count_quadrants(nodes, walk, at, near)
    for j in range(3, without_home - 1, -1):
        k = home ^ j
        if walk.without != 0 and (nodes.common[4 * n + k] & walk.without) != 0:
            continue
        walk.stack[walk.top] = nodes.links[at + k + CHILD]
        walk.distances[walk.top] = distances2[k]
        walk.top += (distances2[k] <= max_distance2) & (
            (nodes.links[at + k + GROUPS] & walk.groups) != 0
        )


# -- to the edge -----------------------------------------------------------------------------------


def find_nearest_to_edge(
    units: UnitStore, walk: cython.pointer[Walk], ranking: cython.pointer[Ranking]
) -> NoGil[cython.int]:
    """Rank the slots whose footprints are nearest, of those that `find_to_edge` finds."""
    begin_at_root(walk, ranking)
    while True:
        leaf = next_nearest(units.nodes, walk, True, ranking.max_distance2)
        if leaf < 0:
            return ranking.count
        if walk.counting:
            count_leaf(units.nodes, walk, leaf)
        scan_edges(units, walk, ranking, leaf)


@cython.inline
def scan_edges(
    units: UnitStore,
    walk: cython.pointer[Walk],
    ranking: cython.pointer[Ranking],
    leaf: cython.int,
) -> cython.void:
    """Rank the entries of a leaf by their footprints."""
    x = walk.x0
    y = walk.y0
    at = place_of(leaf)
    i: cython.Py_ssize_t = units.nodes.links[at + FIRST]
    for i in range(i, i + units.nodes.links[at + COUNT]):
        if (units.masks[i] & walk.groups) == 0 or (units.masks[i] & walk.without) != 0:
            continue
        gap = unit_gap(units, i, x, y)
        if ranking.count == ranking.k and gap * gap > ranking.max_distance2:
            continue
        slot: cython.Py_ssize_t = units.slot_of[i]
        order = units.record[RECORD * slot + ORDER]
        if (
            slot == ranking.exclude
            or gap * gap < ranking.min_distance2
            or (gap * gap == ranking.min_distance2 and order <= ranking.after)
        ):
            continue
        if edge_in_ring(units, i, x, y, ranking.min_distance, ranking.max_distance):
            add_hit(ranking, cython.cast(cython.int, slot), gap * gap, order)


# -- only free units -------------------------------------------------------------------------------


def find_free(
    units: UnitStore,
    walk: cython.pointer[Walk],
    ranking: cython.pointer[Ranking],
    full: cython.uchar[::1],
    exhausted: cython.uchar[::1],
) -> NoGil[cython.int]:
    """Rank as `find_nearest` does, but pass over slots that are full, and note what is exhausted.

    A quadrant is exhausted if it holds no free unit of the groups. When many search in a row, a
    crowd then does not look at the same full units again and again. Either array may be empty:
    nothing is full, or nothing is noted. A ranking to the edge may be a rounding error beyond the
    distance.
    """
    notes: cython.bint = len(exhausted) > 0
    start_counts(walk, False)
    begin_at_root(walk, ranking)
    if ranking.to_edge:
        ranking.max_distance2 *= PRUNE_MARGIN
    while walk.top > 0:
        walk.top -= 1
        link = walk.stack[walk.top]
        q = ~link if link < 0 else units.nodes.parent[link]
        if walk.distances[walk.top] > ranking.max_distance2 or (notes and q >= 0 and exhausted[q]):
            continue
        if link >= 0:
            push_quadrants(units.nodes, walk, link, False, ranking.to_edge, ranking.max_distance2)
        elif not scan_free(units, walk, ranking, q, full) and notes:
            mark_exhausted(units.nodes, q, walk.groups, walk.without, exhausted)
    return ranking.count


def scan_free(
    units: UnitStore,
    walk: cython.pointer[Walk],
    ranking: cython.pointer[Ranking],
    leaf: cython.int,
    full: cython.uchar[::1],
) -> NoGil[cython.bint]:
    """Rank the free entries of a leaf; return whether any is free, near or far."""
    x = walk.x0
    y = walk.y0
    at = place_of(leaf)
    i: cython.Py_ssize_t = units.nodes.links[at + FIRST]
    some_full: cython.bint = len(full) > 0
    any_free: cython.bint = False
    for i in range(i, i + units.nodes.links[at + COUNT]):
        if (units.masks[i] & walk.groups) == 0 or (units.masks[i] & walk.without) != 0:
            continue
        if ranking.to_edge:
            dx = unit_gap(units, i, x, y)
            distance2 = dx * dx
        else:
            dx = units.xs[i] - x
            dy = units.ys[i] - y
            distance2 = dx * dx + dy * dy
        if any_free and distance2 > ranking.max_distance2:
            continue  # most entries stop here; whether they are full does not matter
        slot: cython.Py_ssize_t = units.slot_of[i]
        if some_full and full[slot]:
            continue
        any_free = True
        if distance2 > ranking.max_distance2 or distance2 < ranking.min_distance2:
            continue
        order = units.record[RECORD * slot + ORDER]
        if slot == ranking.exclude or (
            distance2 == ranking.min_distance2 and order <= ranking.after
        ):
            continue
        add_hit(ranking, cython.cast(cython.int, slot), distance2, order)
    return any_free


def mark_exhausted(
    nodes: Nodes,
    q: cython.int,
    groups: cython.int,
    without: cython.int,
    exhausted: cython.uchar[::1],
) -> NoGil[None]:
    """Mark a leaf as exhausted, and each quadrant above it that holds nothing else."""
    while q >= 0:
        exhausted[q] = 1
        n: cython.Py_ssize_t = q >> 2
        for k in range(4 * n, 4 * n + 4):
            if (
                not exhausted[k]
                and (nodes.links[place_of(k) + GROUPS] & groups) != 0
                and (nodes.common[k] & without) == 0
            ):
                return
        q = nodes.parent[n]


def clear_exhausted(nodes: Nodes, q: cython.int, exhausted: cython.uchar[::1]) -> NoGil[None]:
    """Unmark a leaf that holds a free unit again, and the quadrants above it."""
    while q >= 0:
        exhausted[q] = 0
        q = nodes.parent[q >> 2]


# -- boxes -----------------------------------------------------------------------------------------


def find_nearest_boxes(
    boxes: BoxStore, walk: cython.pointer[Walk], ranking: cython.pointer[Ranking]
) -> NoGil[cython.int]:
    """Rank the ids of the nearest boxes; ties by id. `look_from` says from where."""
    if MIN_CIRCLE_K <= ranking.k <= MAX_CIRCLE_K:
        leaf = boxes.nodes.leaf_below(0, walk.x0, walk.y0)
        circle2 = circle_of(boxes.nodes, leaf, 1.25 * ranking.k + 2.0, 0)
        for i in range(2):
            if circle2 > 0.0 and rank_boxes_in_circle(boxes, walk, ranking, circle2 * (i + 1)):
                return ranking.count
    begin_at_root(walk, ranking)
    while True:
        leaf = next_nearest(boxes.nodes, walk, False, ranking.max_distance2)
        if leaf < 0:
            return ranking.count
        if walk.counting:
            count_leaf(boxes.nodes, walk, leaf)
        scan_boxes(boxes, walk, ranking, leaf)


@cython.inline
def rank_boxes_in_circle(
    boxes: BoxStore,
    walk: cython.pointer[Walk],
    ranking: cython.pointer[Ranking],
    circle2: cython.double,
) -> cython.bint:
    """Rank the ids of the boxes in a circle; False if it holds too few or too many."""
    found = cython.declare(cython.int[HITS])
    squares = cython.declare(cython.double[HITS])
    x = walk.x0
    y = walk.y0
    max_distance2 = ranking.max_distance * ranking.max_distance
    radius2 = min(circle2, max_distance2)
    n: cython.Py_ssize_t = 0
    m: cython.Py_ssize_t = 0
    begin(walk, NEAR_POINT_BOXED, x, y, x, y, radius2, 1, 0)
    while next_span(boxes.nodes, walk):
        i = walk.entry
        end: cython.Py_ssize_t = walk.end
        walk.entry = walk.end
        if n + end - i > HITS:
            return False
        while i < end:
            found[n] = boxes.ids[i]
            squares[n] = boxes.distance2(i, x, y, radius2)
            n += squares[n] <= radius2
            i += 1
    for i in range(n):
        found[m] = found[i]
        squares[m] = squares[i]
        m += (squares[m] >= ranking.min_distance2) & (
            (squares[m] > ranking.min_distance2) | (found[m] > ranking.after)
        )
    if m > MAX_K or (m < ranking.k and circle2 < max_distance2):
        return False
    rank(found, squares, found, m, ranking)
    return True


@cython.inline
def scan_boxes(
    boxes: BoxStore,
    walk: cython.pointer[Walk],
    ranking: cython.pointer[Ranking],
    leaf: cython.int,
) -> cython.void:
    """Rank the boxes of a leaf."""
    at = place_of(leaf)
    i: cython.Py_ssize_t = boxes.nodes.links[at + FIRST]
    for i in range(i, i + boxes.nodes.links[at + COUNT]):
        distance2 = boxes.distance2(i, walk.x0, walk.y0, ranking.max_distance2)
        if distance2 > ranking.max_distance2 or distance2 < ranking.min_distance2:
            continue
        if distance2 > ranking.min_distance2 or boxes.ids[i] > ranking.after:
            add_hit(ranking, boxes.ids[i], distance2, boxes.ids[i])


# -- many nearest queries --------------------------------------------------------------------------


def nearest_many(
    units: UnitStore,
    asked: Questions,
    workers: int,
    slots: np.ndarray,
    distances: np.ndarray,
) -> None:
    """Write a row for each point: the nearest slots and their distances, padded with -1 and inf."""
    nearest: cython.int[:, ::1] = slots.data
    distances2: cython.double[:, ::1] = distances.data

    def answer(low: cython.int, high: cython.int) -> None:
        with cython.nogil:
            rank_batch(units, asked, low, high, nearest, distances2)

    share(units, asked, workers, answer)
    np.sqrt(distances, out=distances)


def rank_batch(
    units: UnitStore,
    asked: Questions,
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    slots: cython.int[:, ::1],
    distances2: cython.double[:, ::1],
) -> NoGil[None]:
    """Write the rows of the points low .. high of the order, with squared distances.

    One search finds up to MAX_K; for more, each further one continues after the last hit. For few,
    it begins in the leaf of the point before. Points are far apart in memory, so some are fetched
    at once.
    """
    walk = cython.declare(Walk)
    ranking = cython.declare(Ranking)
    cell = cython.declare(cython.double[4])
    path = cython.declare(cython.int[PATH])
    places = cython.declare(cython.double[128])  # FETCHED points
    k = slots.shape[1]
    to_edge: cython.bint = asked.test == REACHING_POINT
    depth: cython.Py_ssize_t = 0
    for j in range(4):
        cell[j] = 0.0  # no point is inside
    start_counts(cython.address(walk), False)
    for at in range(low, high):
        if (at - low) % FETCHED == 0:
            fetch(asked, at, min(FETCHED, high - at), places)
        j = 2 * ((at - low) % FETCHED)
        i: cython.Py_ssize_t = asked.order[at]
        look_from(
            cython.address(walk), places[j], places[j + 1], asked.groups_of(i), asked.without_of(i)
        )
        start_ranking(
            cython.address(ranking),
            0,
            asked.limits[i, 0],
            asked.limits[i, 1],
            asked.exclude_of(i),
            to_edge,
        )
        found: cython.Py_ssize_t = 0
        while found < k:
            ranking.k = cython.cast(cython.int, min(k - found, MAX_K))
            if k < MIN_CIRCLE_K and not to_edge:
                depth = rank_from(
                    units, cython.address(walk), cython.address(ranking), path, depth, cell
                )
            else:
                find_nearest(units, cython.address(walk), cython.address(ranking))
            for j in range(ranking.count):
                slots[i, found + j] = ranking.hits[j]
                distances2[i, found + j] = ranking.distances2[j]
            found += ranking.count
            if ranking.count < ranking.k:
                break
            continue_ranking(cython.address(ranking))
        for j in range(found, k):
            slots[i, j] = NONE
            distances2[i, j] = INF


@cython.inline
def fetch(
    asked: Questions, at: cython.Py_ssize_t, count: cython.Py_ssize_t, places: cython.p_double
) -> cython.void:
    """Write the next points of the order beside one another."""
    for j in range(count):
        places[2 * j] = asked.places[asked.order[at + j], 0]
        places[2 * j + 1] = asked.places[asked.order[at + j], 1]


@cython.inline
def rank_from(
    units: UnitStore,
    walk: cython.pointer[Walk],
    ranking: cython.pointer[Ranking],
    path: cython.p_int,
    depth: cython.Py_ssize_t,
    cell: cython.p_double,
) -> cython.Py_ssize_t:
    """Rank the nearest slots from the leaf of a neighboring point on.

    `path` leads to that leaf, as `descend` has it, and `cell` is its cell. They become those of
    the leaf of this point, whose depth is returned.
    """
    edge = edge_of(cell, walk.x0, walk.y0)
    if edge <= 0.0:
        depth = descend(units.nodes, path, walk.x0, walk.y0)
        units.nodes.write_cell(~path[depth], cell)
        edge = edge_of(cell, walk.x0, walk.y0)
    begin_at_root(walk, ranking)
    scan_leaf(units, walk, ranking, ~path[depth])
    if edge * edge <= ranking.max_distance2:
        search_around(units, walk, ranking, path, depth)
    return depth


@cython.inline
def edge_of(cell: cython.p_double, x: cython.double, y: cython.double) -> cython.double:
    """Return how far a point is inside a cell from its nearest edge; 0 or less outside."""
    return min(min(x - cell[0], cell[2] - x), min(y - cell[1], cell[3] - y))

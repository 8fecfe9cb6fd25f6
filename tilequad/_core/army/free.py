"""The nearest free units: the walk of a nearest query with one more test.

Units that the tree marks as taken are pruned by their group. Units taken since are marked in
`full`, by slot. When many search in a row, exhausted quadrants are marked in `spent`, so a crowd
does not look at the same taken units again and again.
"""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.tree.layout import (
    CHILD,
    COUNT,
    FIRST,
    GROUPS,
    ORDER,
    RECORD,
    Ranking,
    Walk,
    place_of,
)
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.walk import write_distances2


def find_free(
    units: UnitStore,
    walk: cython.pointer[Walk],
    ranking: cython.pointer[Ranking],
    x: cython.double,
    y: cython.double,
    max_distance2: cython.double,
    groups: cython.int,
    without: cython.int,
    full: cython.uchar[::1],
    spent: cython.uchar[::1],
) -> NoGil[cython.int]:
    """Rank the nearest slots that are not full within a squared distance; return their number.

    The walk is best-first, as in `find_nearest`, and passes over the quadrants that are
    `spent`: they hold no free unit of the groups. Either array may be empty: nothing is full, or
    nothing is marked.
    """
    link: cython.int
    notes: cython.bint = len(spent) > 0
    walk.x0 = x
    walk.y0 = y
    walk.groups = groups
    walk.without = without
    walk.stack[0] = 0
    walk.distances[0] = 0.0
    walk.top = 1
    ranking.count = 0
    ranking.max_distance2 = max_distance2
    while walk.top > 0:
        walk.top -= 1
        if walk.distances[walk.top] > ranking.max_distance2:
            continue
        link = walk.stack[walk.top]
        if link >= 0:
            push_free(units.nodes, walk, link, ranking.max_distance2, spent)
        elif not scan_free(units, ranking, place_of(~link), x, y, groups, without, full) and notes:
            spend(units.nodes, ~link, groups, without, spent)
    return ranking.count


def push_free(
    nodes: Nodes,
    walk: cython.pointer[Walk],
    n: cython.int,
    max_distance2: cython.double,
    spent: cython.uchar[::1],
) -> NoGil[None]:
    """Push the quadrants of node n that may hold a free unit, the nearest on top.

    The opposite quadrant is pushed first, and home, the quadrant of the point, last.
    """
    distances2 = cython.declare(cython.double[4])
    at: cython.Py_ssize_t = place_of(4 * cython.cast(cython.Py_ssize_t, n))
    home: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    notes: cython.bint = len(spent) > 0
    home = (walk.x0 >= nodes.split[2 * n]) + 2 * (walk.y0 >= nodes.split[2 * n + 1])
    write_distances2(nodes, at, walk.x0, walk.y0, distances2)
    for j in range(3, -1, -1):
        k = home ^ j
        if (
            distances2[k] <= max_distance2
            and (nodes.links[at + k + GROUPS] & walk.groups) != 0
            and (nodes.common[4 * n + k] & walk.without) == 0
            and not (notes and spent[4 * n + k])
        ):
            walk.stack[walk.top] = nodes.links[at + k + CHILD]
            walk.distances[walk.top] = distances2[k]
            walk.top += 1


def spend(
    nodes: Nodes,
    q: cython.int,
    groups: cython.int,
    without: cython.int,
    spent: cython.uchar[::1],
) -> NoGil[None]:
    """Mark a leaf as exhausted, and each quadrant above it that holds nothing else."""
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t
    while q >= 0:
        spent[q] = 1
        n = q >> 2
        for k in range(4 * n, 4 * n + 4):
            if (
                not spent[k]
                and (nodes.links[place_of(k) + GROUPS] & groups) != 0
                and (nodes.common[k] & without) == 0
            ):
                return
        q = nodes.parent[n]


def unspend(nodes: Nodes, q: cython.int, spent: cython.uchar[::1]) -> NoGil[None]:
    """Unmark a leaf that holds a free unit again, and the quadrants above it."""
    while q >= 0:
        spent[q] = 0
        q = nodes.parent[q >> 2]


def scan_free(
    units: UnitStore,
    ranking: cython.pointer[Ranking],
    at: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    groups: cython.int,
    without: cython.int,
    full: cython.uchar[::1],
) -> NoGil[cython.bint]:
    """Rank the free entries of the leaf at `at`; return whether any is free, near or far."""
    i: cython.Py_ssize_t
    first: cython.Py_ssize_t = units.nodes.links[at + FIRST]
    slot: cython.Py_ssize_t
    order: cython.int
    dx: cython.double
    dy: cython.double
    distance2: cython.double
    claims: cython.bint = len(full) > 0
    any_free: cython.bint = False
    for i in range(first, first + units.nodes.links[at + COUNT]):
        if (units.masks[i] & groups) == 0 or (units.masks[i] & without) != 0:
            continue
        dx = units.xs[i] - x
        dy = units.ys[i] - y
        distance2 = dx * dx + dy * dy
        if any_free and distance2 > ranking.max_distance2:
            continue  # most entries stop here; whether they are full does not matter
        slot = units.slot_of[i]
        if claims and full[slot]:
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


def add_hit(
    ranking: cython.pointer[Ranking],
    hit: cython.int,
    distance2: cython.double,
    order: cython.int,
) -> NoGil[None]:
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

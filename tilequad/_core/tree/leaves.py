"""The leaves of a tree of units: they split when they are full, and merge when few units are left.

After a unit has left, its leaf is fitted: its box, reach and groups are made tight again.
"""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.tree.layout import ALL_GROUPS, COUNT, FIRST, GROUPS, place_of, reach_of
from tilequad._core.tree.nodes import choose_split
from tilequad._core.tree.spans import (
    append_entry,
    free_span,
    move_span,
    reserve_for_spans,
    round_up_span,
)
from tilequad._core.tree.units import UnitStore


def room_at(units: UnitStore, x: cython.double, y: cython.double) -> Raises[cython.int]:
    """Return the leaf whose cell holds a position, with room for one more entry."""
    q: cython.int = units.nodes.leaf_at(x, y)
    count: cython.int = units.nodes.links[place_of(q) + COUNT]
    while count == units.span_size[q] or count == units.leaf_size:
        if not make_room(units, q, x, y):
            break
        q = units.nodes.leaf_at(x, y)
        count = units.nodes.links[place_of(q) + COUNT]
    return q


def make_room(
    units: UnitStore, q: cython.int, x: cython.double, y: cython.double
) -> Raises[cython.int]:
    """Split the full leaf q, where (x, y) goes, and return 1; or give it room and return 0.

    A leaf is full if its span is full, or if it holds leaf_size entries.
    """
    size: cython.int
    count: cython.int = units.nodes.links[place_of(q) + COUNT]
    # Enough for both ways: spans for four new leaves, or one span twice as long.
    reserve_for_spans(units, 4 * units.span_size[q] + 64)
    size = units.span_size[q]  # reserving may pack the spans, which takes a leaf's spare room
    if count >= units.leaf_size and units.nodes.may_split(q) and split_leaf(units, q, x, y):
        return 1
    # A leaf that cannot split doubles its span, so that it tries again less and less often.
    if count == size:
        move_span(units, q, size + 4 if size < units.leaf_size else 2 * size)
    return 0


def split_leaf(
    units: UnitStore, q: cython.int, x: cython.double, y: cython.double
) -> Raises[cython.bint]:
    """Turn leaf q into a node with four leaves; False if its entries and (x, y) coincide."""
    split = cython.declare(cython.double[2])
    counts = cython.declare(cython.int[4])
    at: cython.Py_ssize_t = place_of(q)
    first: cython.int = units.nodes.links[at + FIRST]
    end: cython.int = first + units.nodes.links[at + COUNT]
    size: cython.int = units.span_size[q]
    i: cython.int
    k: cython.int
    n: cython.int
    prefer_split(units, q, split)
    if not choose_split(units.xs, units.ys, first, end, x, y, split):
        return False
    units.nodes.reserve_one()
    if 4 * units.nodes.capacity > len(units.span_size):
        units.reserve_quadrants()
    n = units.nodes.add_node(q, split[0], split[1])
    for k in range(4):
        counts[k] = 0
    for i in range(first, end):
        counts[(units.xs[i] >= split[0]) + 2 * (units.ys[i] >= split[1])] += 1
    for k in range(4):
        units.span_size[4 * n + k] = 0
        if counts[k] > 0:
            move_span(units, 4 * n + k, counts[k])
    for i in range(first, end):
        k = (units.xs[i] >= split[0]) + 2 * (units.ys[i] >= split[1])
        append_entry(units, 4 * n + k, units.slot_of[i], units.xs[i], units.ys[i], units.masks[i])
    for k in range(4):
        if counts[k] > 0:
            units.nodes.reach[4 * n + k] = units.nodes.reach[q]
            fit_leaf(units, 4 * n + k)
    units.nodes.links[at + FIRST] = 0
    units.nodes.links[at + COUNT] = 0
    units.span_size[q] = 0
    free_span(units, first, size)
    return True


def prefer_split(units: UnitStore, q: cython.int, split: cython.p_double) -> NoGil[None]:
    """Write the preferred split: the center of the cell clipped to the expected bounds.

    If the first units determined the split, units added row by row would make thin strips.
    """
    cell = cython.declare(cython.double[4])
    axis: cython.int
    units.nodes.write_cell(q, cell)
    for axis in range(2):
        split[axis] = 0.5 * max(cell[axis], units.expected[axis]) + 0.5 * min(
            cell[axis + 2], units.expected[axis + 2]
        )


def merge(units: UnitStore, n: cython.int) -> Raises[cython.int]:
    """Merge node n into a leaf if few entries are below it, and then its ancestors likewise."""
    q: cython.int
    k: cython.int
    i: cython.int
    at: cython.Py_ssize_t
    first: cython.int
    total: cython.int
    reach: cython.float
    while n > 0:
        total = 0
        for k in range(4):
            at = place_of(4 * n + k)
            if units.nodes.links[at] >= 0:
                return 0
            total += units.nodes.links[at + COUNT]
        if 2 * total > units.leaf_size:
            return 0
        reserve_for_spans(units, round_up_span(total))
        q = units.nodes.parent[n]
        reach = units.nodes.reach[q]
        units.nodes.clear_leaf(q)
        units.span_size[q] = 0
        if total > 0:
            move_span(units, q, total)
        for k in range(4):
            at = place_of(4 * n + k)
            first = units.nodes.links[at + FIRST]
            for i in range(first, first + units.nodes.links[at + COUNT]):
                append_entry(units, q, units.slot_of[i], units.xs[i], units.ys[i], units.masks[i])
            if units.span_size[4 * n + k] > 0:
                free_span(units, first, units.span_size[4 * n + k])
                units.span_size[4 * n + k] = 0
        units.nodes.free_node(n)
        if total > 0:
            units.nodes.reach[q] = reach
            fit_leaf(units, q)
        n = q >> 2
        units.nodes.update_parents(n)
    return 0


def tidy(units: UnitStore, q: cython.int) -> Raises[cython.int]:
    """Fit leaf q after an entry has left it; merge leaves that have become small.

    Only coincident units share a leaf with more than `leaf_size`. It is fitted when half of them
    are gone: its box, reach and groups may be too large until then.
    """
    count: cython.int = units.nodes.links[place_of(q) + COUNT]
    units.moves_since_fit[q] += 1
    if count <= units.leaf_size or units.moves_since_fit[q] > count:
        fit_leaf(units, q)
        units.nodes.update_parents(q >> 2)
    return merge(units, q >> 2)


def fit_leaf(units: UnitStore, q: cython.int) -> NoGil[None]:
    """Recompute the box, reach and groups of leaf q; an empty leaf frees its span.

    The old reach must not be too small. The search ends at the first entry that reaches as far,
    and is skipped if the old reach equals the least reach of all footprints.
    """
    at: cython.Py_ssize_t = place_of(q)
    i: cython.int
    slot: cython.Py_ssize_t
    first: cython.int = units.nodes.links[at + FIRST]
    groups: cython.int = 0
    common: cython.int = ALL_GROUPS
    reach: cython.float = 0.0
    if units.nodes.links[at + COUNT] == 0:
        free_span(units, first, units.span_size[q])
        units.span_size[q] = 0
        units.nodes.clear_leaf(q)
        return
    units.nodes.fit_box(q, units.xs, units.ys)
    for i in range(first, first + units.nodes.links[at + COUNT]):
        groups |= units.masks[i]
        common &= units.masks[i]
    if units.nodes.reach[q] > units.min_reach:
        for i in range(first, first + units.nodes.links[at + COUNT]):
            slot = units.slot_of[i]
            reach = max(reach, reach_of(units.half_w[slot], units.half_h[slot]))
            if reach >= units.nodes.reach[q]:
                break
        units.nodes.reach[q] = reach
    units.nodes.links[at + GROUPS] = groups
    units.nodes.common[q] = common
    units.moves_since_fit[q] = 0


def fit_all(units: UnitStore, order: cython.int[::1]) -> NoGil[None]:
    """Recompute all leaves and nodes; `order` has room for all live nodes."""
    i: cython.int
    q: cython.int
    for i in range(units.nodes.write_preorder(order)):
        for q in range(4 * order[i], 4 * order[i] + 4):
            if units.nodes.links[place_of(q)] < 0:
                fit_leaf(units, q)
    units.nodes.update_all(order)

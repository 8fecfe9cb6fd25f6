"""The leaves of a tree of units: they split when they are full, and merge when few units are left.

After a unit has left, its leaf is fitted: its box, reach and groups are made tight again.

Each leaf owns a span of entries, with room to grow. Spans have a few fixed lengths, the size
classes. A span that is given up goes into the list of its class, chained through `slot_of`, and the
next leaf that needs a span of that length takes it.
"""

from __future__ import annotations

from array import array

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.buffers import longer
from tilequad._core.layout import (
    ALL_GROUPS,
    COUNT,
    ENTRY,
    FIRST,
    GROUPS,
    LEAF,
    RECORD,
    place_of,
    reach_of,
)
from tilequad._core.tree.nodes import choose_split
from tilequad._core.tree.units import UnitStore


def room_at(units: UnitStore, x: cython.double, y: cython.double) -> Raises[cython.int]:
    """Return the leaf whose cell holds a position, with room for one more entry."""
    q = units.nodes.leaf_below(0, x, y)
    count = units.nodes.links[place_of(q) + COUNT]
    while count == units.span_size[q] or count == units.leaf_size:
        if not make_room(units, q, x, y):
            break
        q = units.nodes.leaf_below(0, x, y)
        count = units.nodes.links[place_of(q) + COUNT]
    return q


def make_room(
    units: UnitStore, q: cython.int, x: cython.double, y: cython.double
) -> Raises[cython.int]:
    """Split the full leaf q, where (x, y) goes, and return 1; or give it room and return 0.

    A leaf is full if its span is full, or if it holds leaf_size entries.
    """
    count = units.nodes.links[place_of(q) + COUNT]
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
    at = place_of(q)
    first = units.nodes.links[at + FIRST]
    end = first + units.nodes.links[at + COUNT]
    size = units.span_size[q]
    k: cython.int
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
    units.nodes.write_cell(q, cell)
    for axis in range(2):
        split[axis] = 0.5 * max(cell[axis], units.expected[axis]) + 0.5 * min(
            cell[axis + 2], units.expected[axis + 2]
        )


def merge(units: UnitStore, n: cython.int) -> Raises[cython.int]:
    """Merge node n into a leaf if few entries are below it, and then its ancestors likewise."""
    while n > 0:
        total: cython.int = 0
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
    count = units.nodes.links[place_of(q) + COUNT]
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
    at = place_of(q)
    first = units.nodes.links[at + FIRST]
    groups: cython.int = 0
    common = ALL_GROUPS
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
            slot: cython.Py_ssize_t = units.slot_of[i]
            reach = max(reach, reach_of(units.half_w[slot], units.half_h[slot]))
            if reach >= units.nodes.reach[q]:
                break
        units.nodes.reach[q] = reach
    units.nodes.links[at + GROUPS] = groups
    units.nodes.common[q] = common
    units.moves_since_fit[q] = 0


def fit_all(units: UnitStore, order: cython.int[::1]) -> NoGil[None]:
    """Recompute all leaves and nodes; `order` has room for all live nodes."""
    q: cython.int
    for i in range(units.nodes.write_preorder(order)):
        for q in range(4 * order[i], 4 * order[i] + 4):
            if units.nodes.links[place_of(q)] < 0:
                fit_leaf(units, q)
    units.nodes.update_all(order)


# -- the spans of entries --------------------------------------------------------------------------


def append_entry(
    units: UnitStore,
    q: cython.int,
    slot: cython.int,
    x: cython.double,
    y: cython.double,
    groups: cython.int,
) -> NoGil[None]:
    """Append an entry to leaf q, whose span has room."""
    at = place_of(q)
    entry = units.nodes.links[at + FIRST] + units.nodes.links[at + COUNT]
    units.nodes.links[at + COUNT] += 1
    units.record[RECORD * slot + LEAF] = q
    units.record[RECORD * slot + ENTRY] = entry
    units.xs[entry] = x
    units.ys[entry] = y
    units.slot_of[entry] = slot
    units.masks[entry] = groups


def copy_entry(units: UnitStore, entry: cython.Py_ssize_t, to: cython.int) -> NoGil[None]:
    """Copy an entry to another place in its leaf's span, and record that by slot."""
    units.xs[to] = units.xs[entry]
    units.ys[to] = units.ys[entry]
    units.slot_of[to] = units.slot_of[entry]
    units.masks[to] = units.masks[entry]
    units.record[RECORD * cython.cast(cython.Py_ssize_t, units.slot_of[to]) + ENTRY] = to


def remove_entry(units: UnitStore, q: cython.int, entry: cython.int) -> NoGil[None]:
    """Remove an entry from leaf q; its box, reach and groups stay as they are."""
    at = place_of(q)
    units.nodes.links[at + COUNT] -= 1
    units.count -= 1
    last = units.nodes.links[at + FIRST] + units.nodes.links[at + COUNT]
    if entry != last:
        copy_entry(units, last, entry)
    units.slot_of[last] = -1


def move_span(units: UnitStore, q: cython.int, size: cython.int) -> NoGil[None]:
    """Give leaf q a span of at least that size, and move its entries there."""
    at = place_of(q)
    rounded = round_up_span(size)
    to = take_span(units, rounded)
    first = units.nodes.links[at + FIRST]
    for i in range(units.nodes.links[at + COUNT]):
        copy_entry(units, first + i, to + i)
    free_span(units, first, units.span_size[q])
    units.nodes.links[at + FIRST] = to
    units.span_size[q] = rounded


def reserve_for_spans(units: UnitStore, count: cython.int) -> Raises[cython.int]:
    """Reserve room for `count` more entries; may relocate every span."""
    if units.length + count > len(units.slot_of):
        # Units that only move reuse spans that others have left, so packing again is useless
        # until the number of units has changed.
        if 7 * (units.length - units.count) > units.length and (
            16 * units.count > 17 * units.count_when_packed
            or 2 * units.count < units.count_when_packed
        ):
            pack(units, count)
        else:
            units.reserve_entries(longer(units.length) + count)
    return 0


def pack(units: UnitStore, count: cython.int) -> None:
    """Rewrite the spans without gaps in the order of the nodes, with room for `count` more.

    This reclaims the gaps that moves and splits have left.
    """
    order: cython.int[::1] = array("i", [0]) * units.nodes.live
    live = units.nodes.write_preorder(order)
    q: cython.int
    length: cython.int = 0
    for i in range(live):
        for q in range(4 * order[i], 4 * order[i] + 4):
            length += round_up_span(units.nodes.links[place_of(q) + COUNT])
    xs: cython.double[::1] = array("d", [0.0]) * (longer(length) + count)
    ys: cython.double[::1] = array("d", [0.0]) * len(xs)
    slot_of: cython.int[::1] = array("i", [-1]) * len(xs)
    masks: cython.int[::1] = array("i", [0]) * len(xs)
    length = 0
    for i in range(live):
        for q in range(4 * order[i], 4 * order[i] + 4):
            at = place_of(q)
            first = units.nodes.links[at + FIRST]
            for n in range(units.nodes.links[at + COUNT]):
                xs[length + n] = units.xs[first + n]
                ys[length + n] = units.ys[first + n]
                slot_of[length + n] = units.slot_of[first + n]
                masks[length + n] = units.masks[first + n]
                units.record[RECORD * slot_of[length + n] + ENTRY] = length + n
            units.nodes.links[at + FIRST] = length
            units.span_size[q] = round_up_span(units.nodes.links[at + COUNT])
            length += units.span_size[q]
    units.xs, units.ys, units.slot_of, units.masks = xs, ys, slot_of, masks
    units.length = length
    units.count_when_packed = units.count
    forget_free_spans(units)


def forget_free_spans(units: UnitStore) -> NoGil[None]:
    """Empty the lists of free spans."""
    for i in range(len(units.free_spans)):
        units.free_spans[i] = -1


def take_span(units: UnitStore, size: cython.int) -> NoGil[cython.int]:
    """Take a span of a size from `round_up_span`; call `reserve_for_spans` before."""
    kind = span_class(size)
    start = units.free_spans[kind]
    if start >= 0:
        units.free_spans[kind] = -2 - units.slot_of[start + 1]
        units.slot_of[start + 1] = -1
        return start
    start = units.length
    units.length = start + size
    return start


def free_span(units: UnitStore, start: cython.int, size: cython.int) -> NoGil[None]:
    """Free a span. Free entries have a negative slot; the second one chains the spans."""
    kind = span_class(size)
    for i in range(start, start + size):
        units.slot_of[i] = -1
    if kind > 0:
        units.slot_of[start + 1] = -2 - units.free_spans[kind]
        units.free_spans[kind] = start


def round_up_span(size: cython.int) -> NoGil[cython.int]:
    """Return the length of a span for `size` entries: a multiple of four, or a power of two."""
    length: cython.int = 64
    if size <= length:
        return (size + 3) & ~3
    while length < size:
        length *= 2
    return length


def span_class(size: cython.int) -> NoGil[cython.int]:
    """Return the index of a span's size in `free_spans`; 0 if it is too short to be used again."""
    kind: cython.int = 16
    if size <= 64:
        return size >> 2
    while size >= 128:
        size >>= 1
        kind += 1
    return kind

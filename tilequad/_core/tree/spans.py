"""The entries of the leaves, and which part of the arrays each leaf gets.

Each leaf owns a span of entries, with room to grow. Spans have a few fixed lengths, the size
classes. A span that is given up goes into the list of its class, chained through `slot_of`, and the
next leaf that needs a span of that length takes it.
"""

from __future__ import annotations

from array import array

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.buffers import longer
from tilequad._core.tree.layout import COUNT, ENTRY, FIRST, LEAF, RECORD, place_of
from tilequad._core.tree.units import UnitStore


def append_entry(
    units: UnitStore,
    q: cython.int,
    slot: cython.int,
    x: cython.double,
    y: cython.double,
    groups: cython.int,
) -> NoGil[None]:
    """Append an entry to leaf q, whose span has room."""
    at: cython.Py_ssize_t = place_of(q)
    entry: cython.int = units.nodes.links[at + FIRST] + units.nodes.links[at + COUNT]
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
    at: cython.Py_ssize_t = place_of(q)
    last: cython.int
    units.nodes.links[at + COUNT] -= 1
    units.count -= 1
    last = units.nodes.links[at + FIRST] + units.nodes.links[at + COUNT]
    if entry != last:
        copy_entry(units, last, entry)
    units.slot_of[last] = -1


def move_span(units: UnitStore, q: cython.int, size: cython.int) -> NoGil[None]:
    """Give leaf q a span of at least that size, and move its entries there."""
    at: cython.Py_ssize_t = place_of(q)
    rounded: cython.int = round_up_span(size)
    to: cython.int = take_span(units, rounded)
    first: cython.int = units.nodes.links[at + FIRST]
    i: cython.int
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
    live: cython.int = units.nodes.write_preorder(order)
    i: cython.int
    n: cython.int
    q: cython.int
    at: cython.Py_ssize_t
    first: cython.int
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
    i: cython.int
    for i in range(len(units.free_spans)):
        units.free_spans[i] = -1


def take_span(units: UnitStore, size: cython.int) -> NoGil[cython.int]:
    """Take a span of a size from `round_up_span`; call `reserve_for_spans` before."""
    kind: cython.int = span_class(size)
    start: cython.int = units.free_spans[kind]
    if start >= 0:
        units.free_spans[kind] = -2 - units.slot_of[start + 1]
        units.slot_of[start + 1] = -1
        return start
    start = units.length
    units.length = start + size
    return start


def free_span(units: UnitStore, start: cython.int, size: cython.int) -> NoGil[None]:
    """Free a span. Free entries have a negative slot; the second one chains the spans."""
    i: cython.int
    kind: cython.int = span_class(size)
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

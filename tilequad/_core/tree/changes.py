"""Changes of units: one is added, removed, moved, resized or regrouped, or many at once.

Memory is reserved before the first write, so a change of one unit that fails has changed nothing.
Its last step may merge leaves; if memory runs out there, the change itself is done.

Many units are changed one by one, or all are written first, and every leaf is looked at once. The
second is cheaper if a large part of the tree changes; many new units even make it cheaper to build
the tree again.
"""

from __future__ import annotations

from array import array

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, Raises
from tilequad._core.arrays import check_used
from tilequad._core.buffers import IntBuffer, longer
from tilequad._core.layout import (
    COUNT,
    ENTRY,
    FIRST,
    INF,
    LEAF,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    RECORD,
    place_of,
    reach_of,
)
from tilequad._core.tree.leaves import (
    append_entry,
    fit_all,
    fit_leaf,
    forget_free_spans,
    merge,
    remove_entry,
    room_at,
    tidy,
)
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.zorder import Builder

MUST_FIT: cython.int = 0x40000000  # in `moves_since_fit`: units were removed from a leaf

# -- one unit --------------------------------------------------------------------------------------


def insert_unit(
    units: UnitStore,
    q: cython.int,
    slot: cython.int,
    x: cython.double,
    y: cython.double,
    groups: cython.int,
) -> NoGil[None]:
    """Insert a new slot, whose size is set, into leaf q, which comes from `room_at`."""
    reach = reach_of(units.half_w[slot], units.half_h[slot])
    units.max_reach = max(units.max_reach, reach)
    units.min_reach = min(units.min_reach, reach)
    put_unit(units, q, slot, x, y, groups)


def put_unit(
    units: UnitStore,
    q: cython.int,
    slot: cython.int,
    x: cython.double,
    y: cython.double,
    groups: cython.int,
) -> NoGil[None]:
    """Put a slot that is in no leaf into leaf q, which comes from `room_at`."""
    reach: cython.float = 0.0
    if units.nodes.reach[q] < units.max_reach:  # otherwise there is no need to read it
        reach = reach_of(units.half_w[slot], units.half_h[slot])
    append_entry(units, q, slot, x, y, groups)
    units.nodes.extend(q, x, y, reach, groups)
    units.count += 1
    note_change(units, slot)


def remove_unit(units: UnitStore, slot: cython.int) -> Raises[cython.int]:
    """Remove a slot from the tree and free it."""
    return tidy(units, free_unit(units, slot))


def free_unit(units: UnitStore, slot: cython.int) -> NoGil[cython.int]:
    """Free a slot; return the leaf that its entry has left, which is not fitted yet."""
    q = units.record[RECORD * slot + LEAF]
    remove_entry(units, q, units.record[RECORD * slot + ENTRY])
    note_change(units, slot)
    units.record[RECORD * slot + LEAF] = units.free_slot
    units.record[RECORD * slot + ENTRY] = -1
    units.lives[slot] += 1
    units.turnover.note(slot)
    units.departures.note(slot)
    units.free_slot = slot
    return q


def move_unit(
    units: UnitStore, slot: cython.int, x: cython.double, y: cython.double
) -> Raises[cython.int]:
    """Move a slot to a new position; almost free while it stays in its leaf."""
    q = units.record[RECORD * slot + LEAF]
    entry = units.record[RECORD * slot + ENTRY]
    at = place_of(q)
    if (
        x < units.nodes.box[at + MIN_X]
        or y < units.nodes.box[at + MIN_Y]
        or x > units.nodes.box[at + MAX_X]
        or y > units.nodes.box[at + MAX_Y]
    ):
        if not units.nodes.in_cell(q, x, y):
            return relocate(units, slot, q, x, y)
        units.nodes.extend(q, x, y, 0.0, units.masks[entry])
    units.xs[entry] = x
    units.ys[entry] = y
    note_change(units, slot)
    # A box only grows while units move about in it, so shrink it now and then.
    units.moves_since_fit[q] += 1
    if units.moves_since_fit[q] > 2 * units.span_size[q]:
        fit_leaf(units, q)
        units.nodes.update_parents(q >> 2)
    return 0


def relocate(
    units: UnitStore, slot: cython.int, q: cython.int, x: cython.double, y: cython.double
) -> Raises[cython.int]:
    """Move a slot from leaf q to another; make room in the other leaf first."""
    to = room_at(units, x, y)
    entry = units.record[RECORD * slot + ENTRY]
    groups = units.masks[entry]
    remove_entry(units, q, entry)
    put_unit(units, to, slot, x, y, groups)
    return tidy(units, q)


def regroup_unit(units: UnitStore, slot: cython.int, groups: cython.int) -> NoGil[None]:
    """Replace the groups of a slot."""
    q = units.record[RECORD * slot + LEAF]
    units.masks[units.record[RECORD * slot + ENTRY]] = groups
    units.turnover.note(slot)
    note_change(units, slot)
    fit_leaf(units, q)
    units.nodes.update_parents(q >> 2)


def fit_regrouped(units: UnitStore, slots: cython.int[::1], n: cython.Py_ssize_t) -> NoGil[None]:
    """Fit the leaves of the first n slots, whose groups have been written; neighbors share one."""
    q: cython.int = -1
    for i in range(n):
        units.turnover.note(slots[i])
        note_change(units, slots[i])
        if units.record[RECORD * slots[i] + LEAF] != q:
            q = units.record[RECORD * slots[i] + LEAF]
            fit_leaf(units, q)
            units.nodes.update_parents(q >> 2)


def resize_unit(
    units: UnitStore, slot: cython.int, half_w: cython.double, half_h: cython.double
) -> NoGil[None]:
    """Replace the footprint of a slot."""
    q = units.record[RECORD * slot + LEAF]
    entry = units.record[RECORD * slot + ENTRY]
    units.half_w[slot] = half_w
    units.half_h[slot] = half_h
    reach = reach_of(units.half_w[slot], units.half_h[slot])
    units.max_reach = max(units.max_reach, reach)
    units.min_reach = min(units.min_reach, reach)
    note_change(units, slot)
    units.nodes.extend(q, units.xs[entry], units.ys[entry], reach, units.masks[entry])
    fit_leaf(units, q)
    units.nodes.update_parents(q >> 2)


@cython.inline
def note_change(units: UnitStore, slot: cython.Py_ssize_t) -> cython.void:
    """Note that a slot was added or removed, or that its unit changed."""
    if len(units.revisions) > 0:
        units.revisions[slot] = units.revision


# -- many units ------------------------------------------------------------------------------------


def insert_units(
    units: UnitStore, slots: np.ndarray, points: np.ndarray, masks: np.ndarray
) -> Object[None]:
    """Insert the next slots, whose sizes are set, at positions; rebuild if that is cheaper."""
    if 4 * len(slots) >= units.count:
        rebuild(units, slots, points, masks)
    else:
        insert_each(units, slots, points, masks)


def insert_each(
    units: UnitStore,
    slots: cython.int[::1],
    points: cython.double[:, ::1],
    masks: cython.int[:],
) -> Raises[cython.int]:
    """Insert the next slots one by one."""
    for i in range(len(slots)):
        q = room_at(units, points[i, 0], points[i, 1])
        units.take_slot(slots[i])
        insert_unit(units, q, slots[i], points[i, 0], points[i, 1], masks[i])
    return 0


def rebuild(units: UnitStore, slots: np.ndarray, points: np.ndarray, masks: np.ndarray) -> None:
    """Rebuild the tree from its units and new ones."""
    added: cython.int[::1] = slots
    if units.count > 0:
        old_slots, old_points, old_masks = all_entries(units)
        slots = np.concatenate([slots, old_slots])
        points = np.concatenate([points, old_points])
        masks = np.concatenate([masks, old_masks])
    n: cython.int = len(slots)
    all_slots: cython.int[::1] = slots
    all_points: cython.double[:, ::1] = points
    all_masks: cython.int[:] = masks
    nodes: Nodes = Nodes(units.nodes.max_depth)
    rows: cython.int[::1] = Builder(nodes, points, units.leaf_size).build()
    nodes.reserve(longer(nodes.used))
    span_size: cython.int[::1] = array("i", [0]) * (4 * nodes.capacity)
    moves_since_fit: cython.int[::1] = array("i", [0]) * (4 * nodes.capacity)
    order: cython.int[::1] = array("i", [0]) * nodes.live
    xs: cython.double[::1] = array("d", [0.0]) * n
    ys: cython.double[::1] = array("d", [0.0]) * n
    entry_masks: cython.int[::1] = array("i", [0]) * n
    max_reach: cython.float = units.max_reach if units.count > 0 else 0.0
    min_reach: cython.float = units.min_reach if units.count > 0 else INF
    # All memory is reserved: nothing below can fail.
    for i in range(len(added)):
        units.take_slot(added[i])
        note_change(units, added[i])
        reach = reach_of(units.half_w[added[i]], units.half_h[added[i]])
        max_reach = max(max_reach, reach)
        min_reach = min(min_reach, reach)
    for i in range(4 * nodes.capacity):
        nodes.reach[i] = max_reach  # `fit_leaf` corrects it
    units.nodes = nodes
    units.xs, units.ys, units.slot_of, units.masks = xs, ys, rows, entry_masks
    units.span_size, units.moves_since_fit = span_size, moves_since_fit
    forget_free_spans(units)
    units.length = units.count = units.count_when_packed = n
    units.max_reach, units.min_reach = max_reach, min_reach
    place_entries(units, all_slots, all_points, all_masks, order)
    fit_all(units, order)


def all_entries(units: UnitStore) -> Object[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return the slots in the tree, their positions and groups, leaf by leaf."""
    slots = np.frombuffer(units.slot_of, np.int32)[: units.length]
    xs = np.frombuffer(units.xs, np.float64)[: units.length]
    ys = np.frombuffer(units.ys, np.float64)[: units.length]
    masks = np.frombuffer(units.masks, np.int32)[: units.length]
    used = slots >= 0
    return slots[used], np.column_stack([xs[used], ys[used]]), masks[used]


def place_entries(
    units: UnitStore,
    slots: cython.int[::1],
    points: cython.double[:, ::1],
    masks: cython.int[:],
    order: cython.int[::1],
) -> NoGil[None]:
    """Write the entries of a tree just built, whose `slot_of` holds rows of the arguments."""
    q: cython.int
    for j in range(units.nodes.write_preorder(order)):
        for q in range(4 * order[j], 4 * order[j] + 4):
            first = units.nodes.links[place_of(q) + FIRST]
            units.span_size[q] = units.nodes.links[place_of(q) + COUNT]
            units.moves_since_fit[q] = 0
            for i in range(first, first + units.span_size[q]):
                row = units.slot_of[i]
                units.xs[i] = points[row, 0]
                units.ys[i] = points[row, 1]
                units.slot_of[i] = slots[row]
                units.masks[i] = masks[row]
                units.record[RECORD * slots[row] + LEAF] = q
                units.record[RECORD * slots[row] + ENTRY] = i


def move_units(units: UnitStore, moved: np.ndarray, places: np.ndarray) -> None:
    """Move many slots to new positions: one by one, or all at once if that is cheaper."""
    check_used(units, moved)
    slots: cython.int[::1] = moved
    points: cython.double[:, ::1] = places
    if 8 * len(slots) < units.count:
        for i in range(len(slots)):
            move_unit(units, slots[i], points[i, 0], points[i, 1])
    else:
        units.busy.torn = True
        move_most(units, slots, points)
        units.busy.torn = False


def write_positions(
    units: UnitStore, slots: cython.int[::1], points: cython.double[:, ::1]
) -> NoGil[None]:
    """Write the positions of slots, even if they then belong to other leaves."""
    for i in range(len(slots)):
        entry = units.record[RECORD * slots[i] + ENTRY]
        units.xs[entry] = points[i, 0]
        units.ys[entry] = points[i, 1]
        note_change(units, slots[i])


def move_most(
    units: UnitStore, slots: cython.int[::1], points: cython.double[:, ::1]
) -> Raises[cython.int]:
    """Move a large part of all slots.

    It is cheaper to write the positions first, then look at every leaf once and reinsert the
    entries that have left their leaf.
    """
    q: cython.int
    leavers: cython.int = 0
    write_positions(units, slots, points)
    order: cython.int[::1] = array("i", [0]) * units.nodes.live
    left: IntBuffer = IntBuffer()
    for i in range(units.nodes.write_preorder(order)):
        for q in range(4 * order[i], 4 * order[i] + 4):
            n = count_leavers(units, q)
            if n > 0:
                left.append(q)
                leavers += n
    reinsert_leavers(units, left, leavers, order)
    return 0


def count_leavers(units: UnitStore, q: cython.int) -> NoGil[cython.int]:
    """Count the entries of leaf q outside its cell, and make its box tight.

    If no entry has left, everything that the node stores about the leaf is then exact: moves
    change neither groups nor reach.
    """
    cell = cython.declare(cython.double[4])
    at = place_of(q)
    first: cython.Py_ssize_t = units.nodes.links[at + FIRST]
    n: cython.int = 0
    if units.nodes.links[at + COUNT] == 0:
        return 0
    units.nodes.fit_box(q, units.xs, units.ys)
    units.moves_since_fit[q] = 0
    units.nodes.write_cell(q, cell)
    if (
        units.nodes.box[at + MIN_X] >= cell[0]
        and units.nodes.box[at + MIN_Y] >= cell[1]
        and units.nodes.box[at + MAX_X] < cell[2]
        and units.nodes.box[at + MAX_Y] < cell[3]
    ):
        return 0
    for i in range(first, first + units.nodes.links[at + COUNT]):
        n += (
            (units.xs[i] < cell[0])
            | (units.ys[i] < cell[1])
            | (units.xs[i] >= cell[2])
            | (units.ys[i] >= cell[3])
        )
    return n


def reinsert_leavers(
    units: UnitStore, left: IntBuffer, n: cython.int, order: cython.int[::1]
) -> Raises[cython.int]:
    """Reinsert the n entries that are outside their leaf's cell; `left` lists those leaves.

    Remove all of them first, because a leaf may only split if every entry lies in its cell.
    """
    xs: cython.double[::1] = array("d", [0.0]) * n
    ys: cython.double[::1] = array("d", [0.0]) * n
    slots: cython.int[::1] = array("i", [0]) * n
    masks: cython.int[::1] = array("i", [0]) * n
    origin: cython.int[::1] = array("i", [0]) * n
    remove_leavers(units, left, xs, ys, slots, masks, origin)
    units.nodes.update_all(order)
    for i in range(n):
        q = units.nodes.leaf_from(origin[i], xs[i], ys[i])
        count = units.nodes.links[place_of(q) + COUNT]
        if count == units.span_size[q] or count == units.leaf_size:
            q = room_at(units, xs[i], ys[i])
        put_unit(units, q, slots[i], xs[i], ys[i], masks[i])
    # Only merges free nodes here, so a node that is still linked from its parent is the same
    # node.
    for j in range(left.used):
        if units.nodes.is_live(left.values[j] >> 2):
            merge(units, left.values[j] >> 2)
    return 0


def remove_leavers(
    units: UnitStore,
    left: IntBuffer,
    xs: cython.double[::1],
    ys: cython.double[::1],
    slots: cython.int[::1],
    masks: cython.int[::1],
    origin: cython.int[::1],
) -> NoGil[None]:
    """Move the entries that are outside their leaf's cell into these arrays."""
    cell = cython.declare(cython.double[4])
    n: cython.Py_ssize_t = 0
    for j in range(left.used):
        q = left.values[j]
        at = place_of(q)
        i: cython.int = units.nodes.links[at + FIRST]
        units.nodes.write_cell(q, cell)
        while i < units.nodes.links[at + FIRST] + units.nodes.links[at + COUNT]:
            if cell[0] <= units.xs[i] < cell[2] and cell[1] <= units.ys[i] < cell[3]:
                i += 1
                continue
            xs[n] = units.xs[i]
            ys[n] = units.ys[i]
            slots[n] = units.slot_of[i]
            masks[n] = units.masks[i]
            origin[n] = q
            n += 1
            remove_entry(units, q, i)
        fit_leaf(units, q)


def remove_units(units: UnitStore, slots: cython.int[::1], left: IntBuffer) -> Raises[cython.int]:
    """Remove many slots, except -1: first all entries, then fit and merge each leaf that had one.

    `left` has room for a leaf for each slot.
    """
    for i in range(len(slots)):
        if slots[i] < 0:
            continue
        q = free_unit(units, slots[i])
        if units.moves_since_fit[q] < MUST_FIT:
            units.moves_since_fit[q] = MUST_FIT
            left.append(q)
    for i in range(left.used):
        fit_leaf(units, left.values[i])
        units.moves_since_fit[left.values[i]] = 0
        units.nodes.update_parents(left.values[i] >> 2)
    for i in range(left.used):
        # Only merges free nodes here, so a node that its parent still links to is the same node.
        if units.nodes.is_live(left.values[i] >> 2):
            merge(units, left.values[i] >> 2)
    return 0


def regroup_units(units: UnitStore, changed: np.ndarray, masks: cython.int[:]) -> None:
    """Replace the groups of many slots: one by one, or all at once if that is cheaper."""
    check_used(units, changed)
    slots: cython.int[::1] = changed
    if 8 * len(slots) < units.count:
        for i in range(len(slots)):
            regroup_unit(units, slots[i], masks[i])
        return
    order: cython.int[::1] = array("i", [0]) * units.nodes.live
    units.turnover.note_all()
    for i in range(len(slots)):
        units.masks[units.record[RECORD * slots[i] + ENTRY]] = masks[i]
        note_change(units, slots[i])
    fit_all(units, order)


def resize_units(
    units: UnitStore,
    changed: np.ndarray,
    half_w: cython.double[:],
    half_h: cython.double[:],
) -> None:
    """Replace the footprints of many slots: one by one, or all at once if that is cheaper."""
    check_used(units, changed)
    slots: cython.int[::1] = changed
    if 8 * len(slots) < units.count:
        for i in range(len(slots)):
            resize_unit(units, slots[i], half_w[i], half_h[i])
        return
    order: cython.int[::1] = array("i", [0]) * units.nodes.live
    for i in range(len(slots)):
        slot: cython.Py_ssize_t = slots[i]
        units.half_w[slot] = half_w[i]
        units.half_h[slot] = half_h[i]
        reach = reach_of(units.half_w[slot], units.half_h[slot])
        units.max_reach = max(units.max_reach, reach)
        units.min_reach = min(units.min_reach, reach)
        note_change(units, slot)
        q: cython.Py_ssize_t = units.record[RECORD * slot + LEAF]
        units.nodes.reach[q] = max(units.nodes.reach[q], reach)  # fit_all only lowers it
    fit_all(units, order)

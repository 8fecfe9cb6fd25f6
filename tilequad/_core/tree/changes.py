"""Changes of one unit: it is added, removed, moved, resized, or gets other groups.

Memory is reserved before the first write, so a change that fails has changed nothing. The last step
of a change may merge leaves; if memory runs out there, the change itself is done.
"""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.tree.layout import ENTRY, LEAF, MAX_X, MAX_Y, MIN_X, MIN_Y, RECORD, place_of
from tilequad._core.tree.leaves import fit_leaf, room_at, tidy
from tilequad._core.tree.spans import append_entry, remove_entry
from tilequad._core.tree.units import UnitStore


def insert_unit(
    units: UnitStore,
    q: cython.int,
    slot: cython.int,
    x: cython.double,
    y: cython.double,
    groups: cython.int,
) -> NoGil[None]:
    """Insert a new slot, whose size is set, into leaf q, which comes from `room_at`."""
    reach: cython.float = units.reach_of(slot)
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
        reach = units.reach_of(slot)
    append_entry(units, q, slot, x, y, groups)
    units.nodes.extend(q, x, y, reach, groups)
    units.count += 1
    units.note_change(slot)


def remove_unit(units: UnitStore, slot: cython.int) -> Raises[cython.int]:
    """Remove a slot from the tree and free it."""
    q: cython.int = units.record[RECORD * slot + LEAF]
    remove_entry(units, q, units.record[RECORD * slot + ENTRY])
    units.note_change(slot)
    units.record[RECORD * slot + LEAF] = units.free_slot
    units.record[RECORD * slot + ENTRY] = -1
    units.lives[slot] += 1
    units.turnover += 1
    units.free_slot = slot
    return tidy(units, q)


def move_unit(
    units: UnitStore, slot: cython.int, x: cython.double, y: cython.double
) -> Raises[cython.int]:
    """Move a slot to a new position; almost free while it stays in its leaf."""
    q: cython.int = units.record[RECORD * slot + LEAF]
    entry: cython.int = units.record[RECORD * slot + ENTRY]
    at: cython.Py_ssize_t = place_of(q)
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
    units.note_change(slot)
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
    to: cython.int = room_at(units, x, y)
    entry: cython.int = units.record[RECORD * slot + ENTRY]
    groups: cython.int = units.masks[entry]
    remove_entry(units, q, entry)
    put_unit(units, to, slot, x, y, groups)
    return tidy(units, q)


def regroup_unit(units: UnitStore, slot: cython.int, groups: cython.int) -> NoGil[None]:
    """Replace the groups of a slot."""
    q: cython.int = units.record[RECORD * slot + LEAF]
    units.masks[units.record[RECORD * slot + ENTRY]] = groups
    units.turnover += 1
    units.note_change(slot)
    fit_leaf(units, q)
    units.nodes.update_parents(q >> 2)


def resize_unit(
    units: UnitStore, slot: cython.int, half_w: cython.double, half_h: cython.double
) -> NoGil[None]:
    """Replace the footprint of a slot."""
    q: cython.int = units.record[RECORD * slot + LEAF]
    entry: cython.int = units.record[RECORD * slot + ENTRY]
    reach: cython.float
    units.half_w[slot] = half_w
    units.half_h[slot] = half_h
    reach = units.reach_of(slot)
    units.max_reach = max(units.max_reach, reach)
    units.min_reach = min(units.min_reach, reach)
    units.note_change(slot)
    units.nodes.extend(q, units.xs[entry], units.ys[entry], reach, units.masks[entry])
    fit_leaf(units, q)
    units.nodes.update_parents(q >> 2)

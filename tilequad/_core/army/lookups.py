"""Look up one or many units by slot, without one tree call per unit.

Each time a unit is added to the tree it gets a new serial, even if it was in the tree before.
`units` is a `DynamicQuadtree`, or an object that keeps one in its attribute `tree`, such as a
wrapper that measures time, or any object that has `serial_many(slots)`, `position_many(slots)` and
`groups(item)` itself.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, Raises
from tilequad._core.arrays import refuse_slot
from tilequad._core.tree.layout import ENTRY, RECORD, begin_question, end_question
from tilequad._core.tree.units import UnitStore
from tilequad.quadtree.dynamic import DynamicQuadtree

NAN: cython.double = float("nan")


def tree_of(units: Any) -> Object[DynamicQuadtree]:
    """Return the tree behind an object; None if the object answers itself."""
    found = units if isinstance(units, DynamicQuadtree) else getattr(units, "tree", None)
    if not isinstance(found, DynamicQuadtree):
        return None
    tree: DynamicQuadtree = found
    if tree._store is None:
        len(found)  # raises if the tree was never initialized
    return tree


def store_of(units: Any) -> UnitStore | None:
    """Return the store of a tree, or of the tree behind an object; None if it has none of ours."""
    tree: DynamicQuadtree = tree_of(units)
    return None if tree is None else tree._store


def entry_of(store: UnitStore, slot: cython.Py_ssize_t) -> NoGil[cython.int]:
    """Return the entry of the unit in a slot; -1 if there is none."""
    if slot < 0 or slot >= store.slots:
        return -1
    return store.record[RECORD * slot + ENTRY]


def tree_behind(units: Any) -> Any:
    """Return the tree behind an object; None if the object answers itself."""
    return tree_of(units)


def slot_count(units: Any) -> int:
    """How many slots the tree behind an object has, free ones included."""
    tree: DynamicQuadtree = tree_of(units)
    return tree._store.slots


# -- one unit ---


def seeker_of(units: Any, item: Any) -> tuple[int, int, float, float]:
    """Return a unit's slot, serial and position; raise KeyError if it is not in the tree."""
    slot: cython.Py_ssize_t
    entry: cython.int
    tree: DynamicQuadtree = tree_of(units)
    if tree is None:
        x, y = units.position(item)
        return units.slot(item), serial_at(units, units.slot(item)), x, y
    slot = tree._slots[item]
    entry = entry_of(tree._store, slot)
    if entry < 0:
        raise KeyError(item)
    return slot, tree._store.serial_of(slot), tree._store.xs[entry], tree._store.ys[entry]


def kept_at(
    units: Any,
    slot: cython.Py_ssize_t,
    serial: cython.longlong,
    groups: Any,
    without: cython.longlong,
    x: cython.double,
    y: cython.double,
    least: cython.double,
    most: cython.double,
) -> Annotated[Any, "cpdef"]:
    """Return the unit in a slot; None if it is another unit, in wrong groups or out of range.

    `groups` is a mask, or None for all; `without` is a mask, 0 for none.
    """
    mask: cython.longlong
    entry: cython.int
    dx: cython.double
    dy: cython.double
    distance2: cython.double
    wanted: cython.longlong = 0xFFFFFFFF if groups is None else groups
    tree: DynamicQuadtree = tree_of(units)
    if slot < 0 or serial_at(units, slot) != serial:
        return None
    mask = groups_at(units, slot)
    if (mask & wanted) == 0 or (mask & without) != 0:
        return None
    if tree is None:
        item = item_at(units, slot)
        other_x, other_y = units.position(item)
        dx = other_x - x
        dy = other_y - y
    else:
        entry = entry_of(tree._store, slot)
        dx = tree._store.xs[entry] - x
        dy = tree._store.ys[entry] - y
    distance2 = dx * dx + dy * dy
    if least * least <= distance2 and distance2 <= most * most:
        return item_at(units, slot)
    return None


# -- one slot ---


def serial_at(units: Any, slot: cython.Py_ssize_t) -> Annotated[cython.longlong, "cpdef except -2"]:
    """The serial of the unit in a slot; -1 where there is none."""
    tree: DynamicQuadtree = tree_of(units)
    if tree is None:
        return int(units.serial_many([slot])[0])
    return tree._store.serial_of(slot)


def item_at(units: Any, slot: cython.Py_ssize_t) -> Annotated[Any, "cpdef"]:
    """The unit in a slot that is in use."""
    tree: DynamicQuadtree = tree_of(units)
    if tree is None or entry_of(tree._store, slot) < 0:
        return units.items([slot])[0]
    return tree._items[slot]


def groups_at(units: Any, slot: cython.Py_ssize_t) -> Annotated[cython.longlong, "cpdef except -1"]:
    """The groups of the unit in a slot that is in use, a mask; 0 where there is none."""
    entry: cython.int
    tree: DynamicQuadtree = tree_of(units)
    if tree is None:
        return units.groups(units.items([slot])[0])
    entry = entry_of(tree._store, slot)
    if entry < 0:
        return 0
    return tree._store.masks[entry] & 0xFFFFFFFF


# -- many slots ---


def serials(units: Any, slots: np.ndarray) -> np.ndarray:
    """The serials of the units in slots, (n,) int64; -1 where there is none."""
    tree: DynamicQuadtree = tree_of(units)
    if tree is None:
        return np.asarray(units.serial_many(slots), np.int64)
    if len(slots) == 0:
        return np.empty(0, np.int64)
    return tree._store.serials(slots.data)


def items(units: Any, slots: np.ndarray) -> list[Any]:
    """The units in slots that are in use."""
    tree: DynamicQuadtree = tree_of(units)
    if tree is None or len(slots) == 0:
        return list(units.items(slots))
    return items_of(tree, slots.data)


def positions(units: Any, slots: np.ndarray) -> np.ndarray:
    """The positions of the units in slots, (n, 2) float64; NaN where there is none."""
    tree: DynamicQuadtree = tree_of(units)
    if tree is None:
        return np.asarray(units.position_many(slots), np.float64).reshape(-1, 2)
    found = np.empty((len(slots), 2))
    if len(slots):
        fill_positions(tree._store, slots.data, found.data)
    return found


def items_of(tree: DynamicQuadtree, slots: cython.int[::1]) -> Object[list[Any]]:
    """The units in slots; ValueError where one is not in use."""
    i: cython.Py_ssize_t
    found: list[Any] = []
    begin_question(cython.address(tree._store.busy))
    try:
        named: list[Any] = tree._items
        for i in range(len(slots)):
            if entry_of(tree._store, slots[i]) < 0:
                refuse_slot(np.asarray(slots), i)
            found.append(named[slots[i]])
    finally:
        end_question(cython.address(tree._store.busy))
    return found


def fill_positions(
    store: UnitStore, slots: cython.int[::1], found: cython.double[:, ::1]
) -> Raises[cython.int]:
    """Write the positions of slots."""
    i: cython.Py_ssize_t
    entry: cython.int
    for i in range(len(slots)):
        entry = entry_of(store, slots[i])
        found[i, 0] = store.xs[entry] if entry >= 0 else NAN
        found[i, 1] = store.ys[entry] if entry >= 0 else NAN
    return 0

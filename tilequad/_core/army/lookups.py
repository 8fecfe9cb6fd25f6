"""Look up units by slot, in the store of a tree."""

from __future__ import annotations

from typing import Any

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object
from tilequad._core.tree.layout import ENTRY, RECORD
from tilequad._core.tree.units import UnitStore
from tilequad.quadtree.dynamic import DynamicQuadtree


def entry_of(store: UnitStore, slot: cython.Py_ssize_t) -> NoGil[cython.int]:
    """Return the entry of the unit in a slot; -1 if there is none."""
    if slot < 0 or slot >= store.slots:
        return -1
    return store.record[RECORD * slot + ENTRY]


def tree_of(units: Any) -> Object[DynamicQuadtree]:
    """Return the tree behind an object; None if the object answers itself."""
    found = units if isinstance(units, DynamicQuadtree) else getattr(units, "tree", None)
    if not isinstance(found, DynamicQuadtree):
        return None
    tree: DynamicQuadtree = found
    if tree._store is None:
        len(found)  # raises if the tree was never initialized
    return tree


def slot_count(units: Any) -> int:
    """How many slots the tree behind an object has, free ones included."""
    tree: DynamicQuadtree = tree_of(units)
    return tree._store.slots

"""Look up units by slot, in the store of a tree."""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.tree.layout import ENTRY, RECORD
from tilequad._core.tree.units import UnitStore


def entry_of(store: UnitStore, slot: cython.Py_ssize_t) -> NoGil[cython.int]:
    """Return the entry of the unit in a slot; -1 if there is none."""
    if slot < 0 or slot >= store.slots:
        return -1
    return store.record[RECORD * slot + ENTRY]


def slots_of(store: UnitStore) -> int:
    """Return how many slots a tree has had; units have lower numbers."""
    return store.slots

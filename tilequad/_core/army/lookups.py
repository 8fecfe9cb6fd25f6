"""What all of `ai` uses: units by slot, in the store of a tree, and calls in one go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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


def call_all(functions: list[Callable[[], Any]]) -> None:
    """Call functions one after the other; no signal comes in between, if they run no Python."""
    for function in functions:
        function()

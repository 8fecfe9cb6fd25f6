"""The cells in which points and units are."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Raises
from tilequad._core.tree.layout import ENTRY, RECORD
from tilequad._core.tree.units import UnitStore
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import STATE, VISIBLE
from tilequad.quadtree.dynamic import DynamicQuadtree


def cell_at(
    ground: Ground, x: cython.double, y: cython.double
) -> Annotated[cython.Py_ssize_t, "cpdef noexcept nogil"]:
    """The number of the cell at a point; -1 outside."""
    place: cython.Py_ssize_t = ground.place_at(x, y)
    if place < 0:
        return -1
    return (place // ground.stride - 2) * ground.columns + place % ground.stride - 2


def seen_units(
    units: DynamicQuadtree, ground: Ground, states: memoryview, groups: int, without: int
) -> np.ndarray:
    """Whether each unit is seen, by slot; False for units that are not asked for.

    Args:
        units: The tree.
        ground: Finds the cell of a position.
        states: What the team knows of each cell.
        groups: A signed 32-bit mask: units in any of these groups, -1 for all.
        without: A signed 32-bit mask: no units in any of these groups.
    """
    store: UnitStore = units._store
    found = np.zeros(store.slots, np.bool_)
    if store.slots:
        fill_seen(store, ground, states, groups, without, found.view(np.uint8).data)
    return found


def fill_seen(
    store: UnitStore,
    ground: Ground,
    states: cython.const_uchar[::1],
    groups: cython.int,
    without: cython.int,
    found: cython.uchar[::1],
) -> Raises[cython.int]:
    """Write 1 for each slot whose unit is seen."""
    slot: cython.Py_ssize_t
    entry: cython.int
    cell: cython.Py_ssize_t
    with cython.nogil:
        for slot in range(store.slots):
            entry = store.record[RECORD * slot + ENTRY]
            if entry < 0 or store.masks[entry] & groups == 0:
                continue
            if without != 0 and store.masks[entry] & without != 0:
                continue
            cell = cell_at(ground, store.xs[entry], store.ys[entry])
            if cell >= 0:
                found[slot] = states[cell] & STATE == VISIBLE
    return 0

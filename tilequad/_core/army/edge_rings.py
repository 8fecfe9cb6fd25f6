"""Who is in range by footprint: for one seeker, and the best for many.

`EdgeRings` answers what `Rings` does, with distances to the footprints of units. Few seekers ask
for them, of large units: each takes a walk of its own.
"""

from __future__ import annotations

from math import sqrt
from typing import Annotated

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.arrays import at_slots
from tilequad._core.layout import (
    INF,
    NONE,
    ORDER,
    REACHING_POINT,
    RECORD,
    begin_question,
    end_question,
)
from tilequad._core.tree.batch import answer_many
from tilequad._core.tree.questions import Questions
from tilequad._core.tree.units import UnitStore, ask, entry_of
from tilequad._core.tree.within import edge_in_ring, unit_gap

BY_KEY: cython.int = 0
BY_GAP: cython.int = 1


@cython.final
@cython.cclass
class EdgeRings:
    """The rings around some seekers, and the units whose footprints are in them; as `Rings`."""

    __slots__ = {
        "store": "UnitStore",
        "asked": "Questions",
        "offsets": "long long[::1]",
        "hits": "int[::1]",
        "rank_by": "int",
        "sign": "double",
        "keys": "const double[::1]",
    }

    def __init__(
        self,
        store: UnitStore,
        seekers: np.ndarray,
        centers: np.ndarray,
        limits: np.ndarray,
        groups: int,
        without: int,
        barred: np.ndarray | None = None,
    ) -> None:
        self.store = store
        self.asked = Questions(centers, limits, groups, without, seekers, REACHING_POINT)
        offsets, hits = ask(store, answer_many, store, self.asked, 1, None)
        if barred is not None and len(barred) > 0:
            marks = np.zeros(store.slots, np.bool_)
            marks.put(barred.astype(np.intp), True)
            free = ~at_slots(marks, hits)
            offsets = np.concatenate(([0], np.cumsum(free))).take(offsets)
            hits = hits[free]
        self.offsets = offsets.astype(np.int64).data
        self.hits = hits.data
        self.rank_by = BY_GAP
        self.sign = 1.0  # 1 if the greatest is the best, -1 if the least
        self.keys = np.empty(0).data

    def slots(self) -> np.ndarray:
        """Return the unique slots inside any of the rings, ascending; int32."""
        return np.unique(np.asarray(self.hits))

    def masks(self) -> tuple[int, int]:
        """The masks of the groups that count, and of those that do not."""
        return self.asked.groups & 0xFFFFFFFF, self.asked.without & 0xFFFFFFFF

    def best_by_key(self, keys: np.ndarray, highest: bool) -> tuple[np.ndarray, int]:
        """Choose the slot with the highest key in each ring, or the lowest; see `Rings`."""
        self.rank_by, self.keys = BY_KEY, keys.data
        return self.best(1.0 if highest else -1.0)

    def farthest(self) -> np.ndarray:
        """Choose the farthest slot in each ring: (n,) int32, -1 for an empty ring."""
        self.rank_by = BY_GAP
        return self.best(1.0)[0]

    def closest(self) -> np.ndarray:
        """Choose the closest slot in each ring: (n,) int32, -1 for an empty ring."""
        self.rank_by = BY_GAP
        return self.best(-1.0)[0]

    def best(self, sign: float) -> tuple[np.ndarray, int]:
        """The best slots, and a slot that is in a ring but has no key, or -1."""
        self.sign = sign
        best = np.full(len(self.asked.places), NONE, np.int32)
        begin_question(cython.address(self.store.busy))
        try:
            return best, self.fill_best(best.data)
        finally:
            end_question(cython.address(self.store.busy))

    def fill_best(self, best: cython.int[::1]) -> Annotated[cython.int, "noexcept nogil"]:
        """Write the best slots; return a slot that has no key, or -1."""
        j: cython.Py_ssize_t
        for i in range(len(best)):
            best_rank = -INF
            nearest = INF
            first: cython.int = 0
            for j in range(self.offsets[i], self.offsets[i + 1]):
                slot: cython.Py_ssize_t = self.hits[j]
                entry: cython.Py_ssize_t = entry_of(self.store, slot)
                if entry < 0:
                    continue
                gap = unit_gap(self.store, entry, self.asked.places[i, 0], self.asked.places[i, 1])
                rank = self.sign * gap
                if self.rank_by == BY_KEY:
                    if slot >= len(self.keys) or self.keys[slot] != self.keys[slot]:
                        return cython.cast(cython.int, slot)
                    rank = self.sign * self.keys[slot]
                order = self.store.record[RECORD * slot + ORDER]
                if (
                    best[i] < 0
                    or rank > best_rank
                    or (rank == best_rank and (gap < nearest or (gap == nearest and order < first)))
                ):
                    best[i] = cython.cast(cython.int, slot)
                    best_rank = rank
                    nearest = gap
                    first = order
        return NONE


def gaps_to(store: UnitStore, slots: np.ndarray, x: float, y: float) -> np.ndarray:
    """Return the distances from a point to the footprints of slots, (n,); inf for free slots."""
    gaps = np.full(len(slots), INF)
    view: cython.double[::1] = gaps
    each: cython.int[::1] = slots
    for i in range(len(each)):
        entry: cython.Py_ssize_t = entry_of(store, each[i])
        if entry >= 0:
            view[i] = unit_gap(store, entry, x, y)
    return gaps


def edge_between(store: UnitStore, slot: int, x: float, y: float, low: float, high: float) -> bool:
    """Whether the footprint of a slot is low .. high away from a point."""
    entry: cython.Py_ssize_t = entry_of(store, slot)
    return entry >= 0 and edge_in_ring(store, entry, x, y, low, high)


def nearest_place(
    store: UnitStore, slot: cython.Py_ssize_t, x: cython.double, y: cython.double
) -> tuple[float, float]:
    """Return the place of a slot's footprint that is nearest to a point."""
    entry: cython.Py_ssize_t = entry_of(store, slot)
    if entry < 0:
        raise KeyError(f"no unit has slot {slot} any more")
    dx = x - store.xs[entry]
    dy = y - store.ys[entry]
    half_w = store.half_w[slot]
    half_h = store.half_h[slot]
    if half_h < 0.0:  # a circle
        length = sqrt(dx * dx + dy * dy)
        if length <= half_w:
            return x, y
        return store.xs[entry] + dx * (half_w / length), store.ys[entry] + dy * (half_w / length)
    return clamp(x, store.xs[entry], half_w), clamp(y, store.ys[entry], half_h)


def clamp(v: cython.double, middle: cython.double, half: cython.double) -> NoGil[cython.double]:
    """Return the number nearest to v that is at most `half` from the middle."""
    return min(max(v, middle - half), middle + half)

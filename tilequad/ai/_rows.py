"""The units in range of many seekers at once, a row of slots for each."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad.ai._core import lookups
from tilequad.ai._core.rows import break_ties, mark_hits, mark_tied, measure, pick_best, thin
from tilequad.ai.protocols import SpatialIndex

__all__ = ["Floats", "Ints", "Rows"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]


class Rows:
    """Who is in range of each of some seekers, and which of them is the best by a key.

    Args:
        units: The tree to search.
        seekers: Their slots, (n,). They are never in their own rows.
        centres: Their positions, (n, 2).
        ranges: The least and the greatest distance for each, (n,).
        groups: Mask of the groups to search; None means all.
        barred: Slots to leave out.
    """

    def __init__(
        self,
        units: SpatialIndex,
        seekers: Ints,
        centres: Floats,
        ranges: tuple[Floats, Floats],
        groups: int | None,
        barred: Ints,
    ) -> None:
        self.units = units
        self.groups = groups
        self._centres = centres
        least, most = ranges
        self.offsets, self.hits = units.within_many(centres, most, groups=groups)
        self._distances2: Floats | None = None
        own = lookups.groups(units, seekers)
        if least.any() or len(barred) or groups is None or (own & groups).any():
            self._thin(seekers, least, barred)

    def slots(self) -> Ints:
        """The slots that are in any row, each once, ascending."""
        marks = np.zeros(self.hits.max(initial=-1) + 1, np.uint8)
        if len(self.hits):
            mark_hits(self.hits.data, marks.data)
        return np.flatnonzero(marks).astype(np.int32)

    def positions(self, slots: Ints) -> Floats:
        """The positions of slots, (n, 2)."""
        return lookups.positions(self.units, slots)

    def by_slot(self, slots: Ints, values: NDArray[Any]) -> NDArray[Any]:
        """Values of slots as a table with a row for each slot, up to the highest."""
        table = np.zeros((slots.max(initial=-1) + 1, *values.shape[1:]), values.dtype)
        table[slots] = values
        return table

    def distances2(self) -> Floats:
        """The squared distance of each hit from its seeker."""
        if self._distances2 is None:
            self._distances2 = np.empty(len(self.hits))
            if len(self.hits):
                slots = self.slots()
                xy = self.by_slot(slots, self.positions(slots))
                measure(
                    self.offsets.data,
                    self.hits.data,
                    self._centres.data,
                    xy.data,
                    self._distances2.data,
                )
        return self._distances2

    def best(self, keys: Floats, by_hit: bool) -> tuple[Ints, int]:
        """Choose the hit with the highest key in each row; ties as `rows` breaks them.

        Returns:
            Slots, (n,), -1 in an empty row; and a slot whose key is NaN, or -1.
        """
        best = np.full(len(self._centres), -1, np.int64)
        if not len(self.hits):
            return best.astype(np.int32), -1
        ties = np.zeros(len(best), np.uint8)
        row = self.offsets.data, self.hits.data, keys.data, by_hit
        wrong = pick_best(*row, best.data, ties.data)
        if wrong >= 0:
            return best.astype(np.int32), int(self.hits[wrong])
        if ties.any():
            marks = np.zeros(self.hits.max() + 1, np.uint8)
            mark_tied(*row, best.data, ties.data, marks.data)
            slots = np.flatnonzero(marks).astype(np.int32)
            xy = self.by_slot(slots, self.positions(slots))
            serials = self.by_slot(slots, lookups.serials(self.units, slots))
            break_ties(*row, self._centres.data, xy.data, serials.data, best.data, ties.data)
        return np.where(best < 0, -1, self.hits[best]).astype(np.int32), -1

    def _thin(self, seekers: Ints, least: Floats, barred: Ints) -> None:
        """Leave out the seekers themselves, those too close, and what is barred."""
        if not len(self.hits):
            return
        bars = np.zeros(self.hits.max() + 1, np.uint8)
        bars[barred[barred < len(bars)]] = True
        distances2 = self.distances2() if least.any() else np.empty(1)[:0]
        kept = thin(
            self.offsets.data,
            self.hits.data,
            seekers.data,
            bars.data,
            distances2.data,
            (least * least).data,
        )
        self.hits = self.hits[:kept]
        self._distances2 = distances2[:kept] if least.any() else None

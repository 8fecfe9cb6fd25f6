"""The rings around many seekers at once, and the best unit in each."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.army import lookups, search
from tilequad.quadtree import DynamicQuadtree

__all__ = ["Floats", "Ints", "Rings", "mask_in_c"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]


class Rings:
    """Find the units in range of many seekers, and the best one for each.

    Args:
        units: The tree to search.
        seekers: Their slots, (n,). They are never in their own rings.
        centers: Their positions, (n, 2).
        least: The least distance for each, (n,).
        most: The greatest distance for each, (n,).
        groups: Mask of the groups to search; None means all.
        without: Mask of the groups to leave out; 0 means none.
        barred: Slots to leave out.
    """

    def __init__(
        self,
        units: DynamicQuadtree[Any],
        seekers: Ints,
        centers: Floats,
        least: Floats,
        most: Floats,
        groups: int | None,
        without: int,
        barred: Ints,
    ) -> None:
        self.units = units
        self.groups = groups
        self.without = without
        bars = np.zeros(lookups.slot_count(units) if len(barred) else 0, np.uint8)
        bars[barred] = True
        self._rings = search.Rings(
            *(units, seekers, centers, np.stack((least, most), axis=1)),
            *(mask_in_c(groups), mask_in_c(without), bars),
        )
        self._n = len(seekers)

    def slots(self) -> Ints:
        """Return the unique slots inside any of the rings, ascending."""
        found: Ints = self._rings.slots()
        return found

    def by_slot(self, slots: Ints, values: Floats) -> Floats:
        """Return a table indexed by slot, up to the highest slot; NaN where no value is given."""
        table = np.full(slots.max(initial=-1) + 1, np.nan)
        table[slots] = values
        return table

    def best_by_key(self, keys: Floats, highest: bool) -> tuple[Ints, int]:
        """Choose the unit with the highest or the lowest key in each ring.

        Args:
            keys: A number for each slot.
            highest: Whether the highest is the best.

        Returns:
            The best slots, (n,), -1 for an empty ring; and a slot whose key is missing or NaN, or
            -1.
        """
        best = np.full(self._n, -1, np.int32)
        sign = 1.0 if highest else -1.0
        wrong = self._rings.best_by_key(np.ascontiguousarray(keys, np.float64), sign, best)
        return best, wrong

    def best_by_distance(self, farthest: bool) -> Ints:
        """Choose the closest or farthest unit in each ring: slots, (n,), -1 for an empty ring."""
        best = np.full(self._n, -1, np.int32)
        self._rings.best_by_distance(1.0 if farthest else -1.0, best)
        return best


def mask_in_c(groups: int | None) -> int:
    """Convert a 32-bit mask to a C int with the same bits; None means all groups."""
    if groups is None:
        return -1
    return groups if groups <= 0x7FFFFFFF else groups - 0x100000000

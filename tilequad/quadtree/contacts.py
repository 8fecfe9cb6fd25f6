"""Contacts: which pairs of units began to touch since the last update, and which stopped."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

import numpy as np

from tilequad.quadtree.dynamic import DynamicQuadtree

Item = TypeVar("Item", bound=Hashable)
Pairs = list[tuple[Item, Item]]

# Where more than an 8th of the units changed, finding all pairs at once costs less.
MIN_UNITS_PER_CHANGE = 8


class Contacts(Generic[Item]):
    """Tracks the pairs of units whose footprints overlap, from update to update.

    Only units that were added, moved or removed since the last update are asked about, so a battle
    in which few move costs little. Several may track one tree, each at its own pace.

    Cost: an update takes O(log n + contacts) for each unit that changed, or one search for all
    pairs where that is less, and O(contacts) to compare. From the first `Contacts` on, the tree
    notes changes in 4 bytes a unit.

    Args:
        units: The tree. Pairs that already touch begin in the first update.

    Example:
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> units.add("orc", 10, 10, radius=5)
        >>> units.add("elf", 30, 10, radius=5)
        >>> contacts = Contacts(units)
        >>> units.move("elf", 20, 10)
        >>> contacts.update()
        ([('orc', 'elf')], [])
        >>> units.remove("orc")
        >>> contacts.update()
        ([], [('orc', 'elf')])
    """

    def __init__(self, units: DynamicQuadtree[Item]) -> None:
        self._units = units
        self._since = units._next_revision()
        self._changed: np.ndarray | None = units._all_slots()  # the first update takes them all
        self._keys = np.empty(0, np.int64)  # of the pairs, ascending
        self._slots = np.empty((0, 2), np.int32)
        self._pairs: dict[int, tuple[Item, Item]] = {}

    def __repr__(self) -> str:
        return f"<Contacts of {self._units!r}: {len(self):,} touching>"

    def __len__(self) -> int:
        """The number of pairs that touched at the last update."""
        return len(self._keys)

    def update(self) -> tuple[Pairs[Item], Pairs[Item]]:
        """Compare the pairs that touch now with those of the last update.

        Returns:
            Two lists of (a, b), a added before b: the pairs that began to touch since the last
            update, and those that stopped, each in the order of adding. A pair that parted and met
            again in between is in neither; a pair whose unit was removed has stopped.
        """
        changed = self._take_changed()
        if MIN_UNITS_PER_CHANGE * len(changed) > len(self._units):
            stale = np.ones(len(self._keys), np.bool_)
            keys, slots = self._keyed(self._units.pairs_many())
        else:
            stale = self._pairs_of(changed)
            live = changed[self._units._orders(changed) >= 0]
            keys, slots = self._keyed(self._units._partners(live.astype(np.int32)))
        began = ~np.isin(keys, self._keys[stale], assume_unique=True)
        ended = self._keys[stale][~np.isin(self._keys[stale], keys, assume_unique=True)].tolist()
        gone = [self._pairs.pop(key) for key in ended]
        come = self._name(keys[began], slots[began])
        order = np.argsort(all_keys := np.concatenate([self._keys[~stale], keys]))
        self._keys = all_keys[order]
        self._slots = np.concatenate([self._slots[~stale], slots])[order]
        return come, gone

    def _take_changed(self) -> np.ndarray:
        """The slots that changed since the last update; at first all of them."""
        changed = self._units._changed_since(self._since)
        if self._changed is not None:
            changed = np.union1d(changed, self._changed)
            self._changed = None
        self._since = self._units._next_revision()
        return changed

    def _pairs_of(self, changed: np.ndarray) -> np.ndarray:
        """Which pairs of the last update have one of these slots, as booleans."""
        flags = np.zeros(max(changed.max(initial=-1), self._slots.max(initial=-1)) + 1, np.bool_)
        flags[changed] = True
        return flags[self._slots[:, 0]] | flags[self._slots[:, 1]]

    def _keyed(self, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of slots, each once, by the order of adding: their keys, and the slots."""
        orders = self._units._orders(slots).astype(np.int64)
        later = orders[:, 0] > orders[:, 1]
        slots[later] = slots[later, ::-1]
        orders[later] = orders[later, ::-1]
        keys, first = np.unique(orders[:, 0] << 32 | orders[:, 1], return_index=True)
        return keys, slots[first]

    def _name(self, keys: np.ndarray, slots: np.ndarray) -> Pairs[Item]:
        """The items of new pairs, kept until the pair ends."""
        items = self._units.items(slots.ravel())
        come = list(zip(items[::2], items[1::2], strict=True))
        self._pairs.update(zip(keys.tolist(), come, strict=True))
        return come

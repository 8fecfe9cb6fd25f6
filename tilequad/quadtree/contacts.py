"""Contacts: which pairs of units began to touch since the last update, and which stopped."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from tilequad.quadtree.dynamic import DynamicQuadtree

Item = TypeVar("Item", bound=Hashable)
Pairs = list[tuple[Item, Item]]

# Where more than an 8th of the units changed, finding all pairs at once costs less.
MIN_UNITS_PER_CHANGE = 8

NO_SLOTS = np.empty(0, np.int32)
NO_PAIRS = np.empty(0, np.int64), np.empty((0, 2), np.int32), np.empty(0, object)


class Touching(NamedTuple):
    """What touched at an update. It is never written to: an update makes another one."""

    since: int
    """The revision of the tree; later changes have this number or a higher one."""
    renumbered: int
    """How often the tree had renumbered its units."""
    unseen: np.ndarray
    """Slots to take for changed in the next update."""
    keys: np.ndarray
    """A number for each pair, ascending: the order of adding of both units."""
    slots: np.ndarray
    """The slots of the pairs."""
    pairs: np.ndarray
    """Their items, tuples."""


class Contacts(Generic[Item]):
    """Tracks the pairs of units whose footprints overlap, from update to update.

    Only units that were added, removed or changed since the last update are asked about, so a
    battle in which few move costs little. Several may track one tree, each at its own pace.

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
        since = units._next_revision()
        # The first update takes all units for changed.
        self._last = Touching(since, units._renumbered(), units._all_slots(), *NO_PAIRS)

    def __repr__(self) -> str:
        return f"<Contacts of {self._units!r}: {len(self):,} touching>"

    def __len__(self) -> int:
        """The number of pairs that touched at the last update."""
        return len(self._last.keys)

    def update(self) -> tuple[Pairs[Item], Pairs[Item]]:
        """Compare the pairs that touch now with those of the last update.

        An update that fails, or that Ctrl-C ends, has not been made: the next one tells all.

        Returns:
            Two lists of (a, b), a added before b: the pairs that began to touch since the last
            update, and those that stopped, each in the order of adding. A pair that parted and met
            again in between is in neither; a pair whose unit was removed has stopped.

        Raises:
            RuntimeError: The tree is being changed.
        """
        now, come, gone = self._units._ask(self._compare)
        self._last = now  # the only write
        return come, gone

    def _compare(self) -> tuple[Touching, Pairs[Item], Pairs[Item]]:
        """What touches now, and the pairs that began and stopped since the last update."""
        last = self._last
        since = self._units._next_revision()
        changed = np.union1d(self._units._changed_since(last.since), last.unseen)
        keys_before = self._renumbered_keys(last)
        if MIN_UNITS_PER_CHANGE * len(changed) > len(self._units):
            stale = np.ones(len(keys_before), np.bool_)
            keys, slots = self._keyed(self._units.pairs_many())
        else:
            stale = pairs_with(last.slots, changed)
            live = changed[self._units._orders(changed) >= 0]
            keys, slots = self._keyed(self._units._partners(live.astype(np.int32)))
        stopped = np.flatnonzero(stale)[~np.isin(keys_before[stale], keys, assume_unique=True)]
        began = ~np.isin(keys, keys_before[stale], assume_unique=True)
        come = self._named(slots[began])
        gone = last.pairs[stopped]
        kept = np.ones(len(keys_before), np.bool_)
        kept[stopped] = False
        all_keys = np.concatenate([keys_before[kept], keys[began]])
        order = np.argsort(all_keys)
        now = Touching(
            since,
            self._units._renumbered(),
            NO_SLOTS,
            all_keys[order],
            np.concatenate([last.slots[kept], slots[began]])[order],
            np.concatenate([last.pairs[kept], come])[order],
        )
        return now, come.tolist(), gone.tolist()

    def _renumbered_keys(self, last: Touching) -> np.ndarray:
        """The keys of the last update by the numbers that units have now.

        A unit that was removed before its tree was renumbered has none; its pairs have stopped, and
        get negative keys, which no pair has that touches now.
        """
        keys = last.keys
        for old in self._units._renumberings()[last.renumbered :]:
            orders = np.stack([keys >> 32, keys & 0xFFFFFFFF])
            new = np.searchsorted(old, orders)
            known = np.append(old, -1)[new] == orders
            keys = np.where(known.all(axis=0), new[0] << 32 | new[1], -1 - np.arange(len(keys)))
        return keys

    def _keyed(self, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of slots, each once, by the order of adding: their keys, and the slots."""
        orders = self._units._orders(slots).astype(np.int64)
        later = orders[:, 0] > orders[:, 1]
        slots[later] = slots[later, ::-1]
        orders[later] = orders[later, ::-1]
        keys, first = np.unique(orders[:, 0] << 32 | orders[:, 1], return_index=True)
        return keys, slots[first]

    def _named(self, slots: np.ndarray) -> np.ndarray:
        """The items of pairs of slots, an array of tuples."""
        items = self._units.items(slots.ravel())
        pairs = np.empty(len(slots), object)
        for i, pair in enumerate(zip(items[::2], items[1::2], strict=True)):
            pairs[i] = pair
        return pairs


def pairs_with(pairs: np.ndarray, slots: np.ndarray) -> np.ndarray:
    """Which pairs of slots have one of these slots, as booleans."""
    flags = np.zeros(max(slots.max(initial=-1), pairs.max(initial=-1)) + 1, np.bool_)
    flags[slots] = True
    return flags[pairs[:, 0]] | flags[pairs[:, 1]]

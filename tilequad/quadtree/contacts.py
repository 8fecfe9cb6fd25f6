"""Contacts: which pairs of units began to touch since the last update, and which stopped."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from tilequad._core.arrays import at_slots
from tilequad._core.checks import mask_of
from tilequad._core.shown import shown
from tilequad._core.tree.pairs import partners_of
from tilequad._core.tree.units import UnitStore, ask
from tilequad.quadtree.dynamic import DynamicQuadtree, check_tree, store_of

Item = TypeVar("Item", bound=Hashable)
Pairs = list[tuple[Item, Item]]

# If more than an eighth of the units changed, finding all pairs at once costs less.
MIN_UNITS_PER_CHANGE = 8

EVERY_GROUP = 0xFFFFFFFF
NO_SLOTS = np.empty(0, np.int32)
NO_PAIRS = (
    np.empty(0, np.int64),
    np.empty((0, 2), np.int32),
    np.empty(0, object),
    np.empty(0, np.bool_),
)


class Touching(NamedTuple):
    """The pairs that touched at an update. It never changes: an update makes a new one."""

    since: int
    """The revision of the tree; later changes have this number or a higher one."""
    renumbered: int
    """How many times the tree had renumbered its units."""
    unseen: np.ndarray
    """Slots to treat as changed at the next update."""
    keys: np.ndarray
    """A number for each pair, ascending, made of both units' orders of adding."""
    slots: np.ndarray
    """The slots of the pairs."""
    pairs: np.ndarray
    """Their items, tuples."""
    stayed: np.ndarray
    """Which pairs already touched at the update before."""


class Contacts(Generic[Item]):
    """Tracks the pairs of units whose footprints overlap, from update to update.

    An update searches only around units that were added, removed or changed since the last one, so
    a battle in which few units move costs little. Several `Contacts` may track one tree, each
    updated at its own rate.

    Cost: an update takes O(log n + contacts) for each unit that changed, or one search for all
    pairs if that costs less, and O(contacts) to compare. From the first `Contacts` on, the tree
    notes changes in 4 bytes per unit.

    Args:
        units: The tree. Pairs that already touch are reported by the first update.
        matrix: Which groups touch which: maps a mask of groups to the mask of the groups that they
            touch. A pair counts if any row allows it, and the unit of the row's key comes first:
            `{BULLET: WALL}` gives (bullet, wall). A pair also ends when the groups of its units no
            longer match. None means all units; the unit added first comes first.

    Raises:
        ValueError: A mask is out of range, or the matrix is empty.
        TypeError: The matrix is not a mapping, or a mask is not a whole number.

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

        A matrix of collisions:

        >>> BULLET, ENEMY, WALL = 1, 2, 4
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> units.add("wall", 50, 50, size=(10, 60), groups=WALL)
        >>> units.add("orc", 56, 50, radius=5, groups=ENEMY)
        >>> units.add("arrow", 53, 50, radius=1, groups=BULLET)
        >>> hits = Contacts(units, {BULLET: ENEMY | WALL})
        >>> hits.update()
        ([('arrow', 'wall'), ('arrow', 'orc')], [])
        >>> hits.update(), hits.stayed()
        (([], []), [('arrow', 'wall'), ('arrow', 'orc')])
    """

    def __init__(
        self, units: DynamicQuadtree[Item], matrix: Mapping[int, int] | None = None
    ) -> None:
        check_tree(units)
        self._units = units
        self._rows = None if matrix is None else checked_rows(matrix)
        store = store_of(units)
        since = units.mark()
        # The first update treats all units as changed.
        self._last = Touching(since, len(store.renumberings), units.slots(units), *NO_PAIRS)

    def __repr__(self) -> str:
        return f"<Contacts of {self._units!r}: {len(self):,} touching>"

    def __len__(self) -> int:
        """The number of pairs that touched at the last update."""
        return len(self._last.keys)

    def stayed(self) -> Pairs[Item]:
        """Return the pairs that touched at the last update and at the one before.

        The pairs are in the order of adding. Their units may have been removed since.
        """
        pairs: Pairs[Item] = self._last.pairs[self._last.stayed].tolist()
        return pairs

    def update(self) -> tuple[Pairs[Item], Pairs[Item]]:
        """Compare the pairs that touch now with those of the last update.

        An update that fails, or that Ctrl-C interrupts, changes nothing: the next one reports all.

        Returns:
            Two lists of pairs (a, b): those that began to touch since the last update, and those
            that stopped, each in the order of adding. In a pair, a was added before b, or is in the
            group that is a key of the matrix. A pair that parted and met again in between is in
            neither list; a pair whose unit was removed has stopped.

        Raises:
            RuntimeError: The tree is being changed.
        """
        store = store_of(self._units)
        now, come, gone = ask(store, self._compare, store)
        self._last = now  # the only write
        return come, gone

    def _compare(self, store: UnitStore) -> tuple[Touching, Pairs[Item], Pairs[Item]]:
        """Return what touches now, and the pairs that began and stopped since the last update."""
        last = self._last
        since = store.next_revision()
        changed = np.union1d(self._units.changed_since(last.since), last.unseen)
        keys_before = renumbered_keys(last, store.renumberings)
        if MIN_UNITS_PER_CHANGE * len(changed) > len(self._units):
            stale = np.ones(len(keys_before), np.bool_)
            keys, slots = self._keyed(self._meeting(), store)
        else:
            stale = pairs_with(last.slots, changed)
            live = changed[store.orders(changed) >= 0]
            partners = partners_of(store, live.astype(np.int32))
            keys, slots = self._keyed(self._fitting(partners), store)
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
            len(store.renumberings),
            NO_SLOTS,
            all_keys[order],
            np.concatenate([last.slots[kept], slots[began]])[order],
            np.concatenate([last.pairs[kept], come])[order],
            order < kept.sum(),
        )
        return now, come.tolist(), gone.tolist()

    def _meeting(self) -> np.ndarray:
        """Return the slots of all touching pairs that count."""
        if self._rows is None:
            return self._units.pairs_many()
        some, others = (np.bitwise_or.reduce(masks) for masks in zip(*self._rows, strict=True))
        wide = self._units.pairs_many(int(some) & EVERY_GROUP, against=int(others) & EVERY_GROUP)
        return self._fitting(wide)

    def _fitting(self, slots: np.ndarray) -> np.ndarray:
        """Return the pairs of slots whose groups touch each other in the matrix."""
        if self._rows is None:
            return slots
        forward, backward = self._directions(slots)
        return slots[forward | backward]

    def _directions(self, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return whether the matrix allows each pair as it is, and whether swapped."""
        masks = self._units.groups_many(slots.ravel()).view(np.int32).reshape(-1, 2)
        forward, backward = np.zeros((2, len(slots)), np.bool_)
        for one, other in self._rows or ():
            forward |= ((masks[:, 0] & one) != 0) & ((masks[:, 1] & other) != 0)
            backward |= ((masks[:, 1] & one) != 0) & ((masks[:, 0] & other) != 0)
        return forward, backward

    def _keyed(self, slots: np.ndarray, store: UnitStore) -> tuple[np.ndarray, np.ndarray]:
        """Return distinct pairs of slots in the order of adding: their keys, and the slots."""
        orders = store.orders(slots).astype(np.int64)
        later = orders[:, 0] > orders[:, 1]
        slots[later] = slots[later, ::-1]
        orders[later] = orders[later, ::-1]
        keys, first = np.unique(orders[:, 0] << 32 | orders[:, 1], return_index=True)
        slots = slots[first]
        if self._rows is not None:
            forward, _ = self._directions(slots)
            slots[~forward] = slots[~forward, ::-1]
        return keys, slots

    def _named(self, slots: np.ndarray) -> np.ndarray:
        """Return the items of pairs of slots, an array of tuples."""
        items = self._units.items(slots.ravel())
        pairs = np.empty(len(slots), object)
        for i, pair in enumerate(zip(items[::2], items[1::2], strict=True)):
            pairs[i] = pair
        return pairs


def renumbered_keys(last: Touching, renumberings: list[np.ndarray]) -> np.ndarray:
    """Return the keys of the last update, made of the orders that units have now.

    A unit that was removed before its tree was renumbered has no order; its pairs have stopped and
    get negative keys, which no touching pair has.
    """
    keys = last.keys
    for old in renumberings[last.renumbered :]:
        orders = np.stack([keys >> 32, keys & 0xFFFFFFFF])
        new = np.searchsorted(old, orders)
        known = np.append(old, -1)[new] == orders
        keys = np.where(known.all(axis=0), new[0] << 32 | new[1], -1 - np.arange(len(keys)))
    return keys


def pairs_with(pairs: np.ndarray, slots: np.ndarray) -> np.ndarray:
    """Return which pairs of slots have one of these slots, as booleans."""
    flags = np.zeros(max(slots.max(initial=-1), pairs.max(initial=-1)) + 1, np.bool_)
    flags.put(slots.astype(np.intp), True)  # for the same reason as `at_slots`
    return at_slots(flags, pairs[:, 0]) | at_slots(flags, pairs[:, 1])


def checked_rows(matrix: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return the rows of a matrix as signed 32-bit masks, as the tree stores them."""
    if not isinstance(matrix, Mapping):
        raise TypeError(f"matrix must be a mapping of masks, got {shown(matrix)}")
    if not matrix:
        raise ValueError("matrix must have a row, got {}")
    if None in matrix or None in matrix.values():
        raise TypeError(f"matrix must have masks, got {shown(dict(matrix))}")
    return [(mask_of(one, "matrix"), mask_of(other, "matrix")) for one, other in matrix.items()]

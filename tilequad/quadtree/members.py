"""Some items of a tree, with their slots: what every kind of `Followed` keeps."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.array_kinds import Floats, Ints
from tilequad._core.layout import MAX_COORDINATE
from tilequad._core.shown import shown
from tilequad.quadtree.dynamic import DynamicQuadtree

__all__ = ["FEW", "Members", "as_rows"]

FEW = 32  # units, up to which asking one by one is faster than arrays


class Members:
    """Some items, as units of a tree, where they were put at the last `sync`.

    Args:
        tree: The tree; it may also hold other units.

    Attributes:
        tree: The tree.
        groups: The groups of the tree that the items are in.
        items: The items, in their order.
        slots: The slot of each item in the tree.
        places: Where each item has put its unit, (n, 2).
        reaches: What was measured of all items since the last `sync`, by whoever measured it.
    """

    def __init__(self, tree: DynamicQuadtree[Any]) -> None:
        self.tree = tree
        self.groups = 1
        self.items: list[Any] = []
        self.slots: Ints = np.empty(0, np.int32)
        self.places: Floats = np.empty((0, 2))
        self._serials: NDArray[np.int64] = np.empty(0, np.int64)
        self._ranks: Ints = np.empty(0, np.int32)  # by slot: the item's index in the order
        self._order: dict[Any, int] = {}  # the same by item, once it was asked for
        self.reaches: dict[Any, float] = {}

    @property
    def nbytes(self) -> int:
        """The memory of the arrays, in bytes."""
        arrays = self.slots, self.places, self._serials, self._ranks
        return sum(array.nbytes for array in arrays)

    def there(self) -> NDArray[np.bool_]:
        """Return which items are still the units that were added for them."""
        found: NDArray[np.bool_] = self.tree.serial_many(self.slots) == self._serials
        return found

    def ranks(self, slots: Ints) -> Ints:
        """Return the indices into `items` of the items in some slots, ascending."""
        slots = slots[slots < len(self._ranks)]
        ranks = self._ranks[slots]
        own = (ranks >= 0) & (self.tree.serial_many(slots) == self._serials[ranks])
        return np.sort(ranks[own])

    def in_order(self, units: list[Any]) -> list[Any]:
        """Return those of some units of the tree that are items of this list, in its order."""
        if not self._order:
            self._order = {item: rank for rank, item in enumerate(self.items)}
        order = self._order
        ranks = sorted([order[unit] for unit in units if unit in order])
        return [self.items[rank] for rank in ranks]

    def reach(self, measure: Callable[[Any], float]) -> float:
        """Return the greatest measure of an item, measured once after each `sync`."""
        found = self.reaches.get(measure)
        if found is None:
            found = self.reaches[measure] = max(map(measure, self.items), default=0.0)
        return found

    def move(self, places: Floats) -> None:
        """Move all units to the places of their items, if they fit the tree."""
        self._check(self.items, places)
        if len(places) <= FEW:
            for item, (x, y) in zip(self.items, places.tolist(), strict=True):
                self.tree.move(item, x, y)
        else:
            self.tree.move_many(self.slots, places)
        self.places = places

    def are_pushed(self) -> bool:
        """Whether a unit has left the place of its item; all must be there."""
        return not np.array_equal(self.tree.position_many(self.slots), self.places)

    def pushed(self) -> tuple[NDArray[np.int64], Floats]:
        """Return the indices of the items whose units have left their places, and to where."""
        own = np.flatnonzero(self.there())
        now = self.tree.position_many(self.slots[own])
        away = (now != self.places[own]).any(axis=1)
        return own[away], now[away]

    def change(
        self,
        items: list[Any],
        places: Floats,
        footprints: Callable[[list[int]], dict[str, ArrayLike]],
        groups: int,
        there: NDArray[np.bool_],
    ) -> None:
        """Add and remove items, and move the others. A call that fails changes nothing.

        Args:
            items: The items, in their order.
            places: The centers of all of them, (n, 2).
            footprints: Returns the footprints of the items at some indices, as arguments of
                `add_many`.
            groups: The groups that new items join.
            there: What `there()` returned.
        """
        tree, wanted = self.tree, set(items)
        slots, gone = {}, []
        for item, slot, stays in zip(self.items, self.slots.tolist(), there.tolist(), strict=True):
            if not stays:
                continue  # the game has removed it from the tree itself
            if item in wanted:
                slots[item] = slot
            else:
                gone.append(slot)
        if len(wanted) < len(items):
            [(twice, _)] = Counter(items).most_common(1)
            raise ValueError(f"each item must be there once, but {shown(twice)} occurs twice")
        self._check(items, places)
        fresh = [at for at, item in enumerate(items) if item not in slots]
        new = [items[at] for at in fresh]
        added = tree.add_many(new, places[fresh], groups=groups, **footprints(fresh))
        try:
            tree.remove_many(gone)
        except BaseException:  # an item whose hash has changed, or Ctrl-C
            tree.remove_many(added)
            raise
        slots.update(zip(new, added.tolist(), strict=True))
        self.slots = np.array([slots[item] for item in items], np.int32)
        self._serials = tree.serial_many(self.slots)
        self.items, self._order = items, {}
        self.move(places)
        self._ranks = np.full(int(self.slots.max(initial=-1)) + 1, -1, np.int32)
        self._ranks[self.slots] = np.arange(len(items), dtype=np.int32)

    def _check(self, items: list[Any], places: Floats) -> None:
        """Refuse places that are beyond what a tree holds, or NaN."""
        fits = np.abs(places) <= MAX_COORDINATE
        if not fits.all():
            row = int(fits.all(axis=1).argmin())
            raise ValueError(
                f"position(item) must be finite and within 1e150 of 0, "
                f"got {tuple(places[row].tolist())} of {shown(items[row])}"
            )

    def join(self, groups: int) -> None:
        """Put the items into other groups of the tree."""
        if groups != self.groups:
            self.tree.set_groups_many(self.slots, groups)
            self.groups = groups


def as_rows(pairs: Sequence[Any]) -> Floats:
    """Return pairs of numbers as an array, (n, 2); raise an error if one is no pair of numbers."""
    return np.array(array("d", [number for x, y in pairs for number in (x, y)])).reshape(-1, 2)

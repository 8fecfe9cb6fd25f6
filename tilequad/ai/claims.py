"""Claims: who works where. Each item has some seats; the tree marks the full items."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army.reservations import Reservations, checked_seats
from tilequad._core.checks import mask_of, masks_of, slot_of, whole
from tilequad._core.shown import shown
from tilequad._core.tree.rows import CLAIMS, RowReader
from tilequad._core.tree.units import slots_of
from tilequad.ai._checks import tree_behind, unit_slots
from tilequad.ai.protocols import SpatialIndex
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.dynamic import items_of, store_of, tell_of_removals

__all__ = ["Claims"]

NumberOfSeats: TypeAlias = "int | Callable[[Any], int] | NDArray[Any]"


class Claims:
    """Reserve items for units: each unit holds at most one item, each item has a number of seats.

    A claim ends when its holder releases it or claims something else, and by itself when the holder
    or the item leaves the tree: nobody has to release the tree of a dead villager. It does not come
    back when either is added again. A claim may name groups; then it also ends when the item leaves
    them, so that nobody holds a tree that has become a stump.

    Items without a free seat are in the group `taken`, which only the claims may set. Queries leave
    them out with `without=taken`, and a `GoalSearch` prunes them like any other group. When a
    holder leaves the tree, its item is free at once, also for such queries. When an item changes
    its groups and so ends a claim, `taken` is updated at the next claim, release or search.

    The state can be pickled and copied together with the tree, if `seats` can.

    Args:
        units: The tree that holds both the claiming units and the items: a `DynamicQuadtree`, or an
            object with one in its attribute `tree`.
        taken: The group of the items without a free seat: a mask of one bit. Each `Claims` of a
            tree needs its own.
        seats: How many units may hold an item: a number, a function of the item, or an array by
            slot. It is read when a unit looks for a seat; units that have a seat keep it.

    Raises:
        TypeError: `units` has no tree, or `taken` or `seats` is not a whole number.
        ValueError: `taken` is not one bit, or `seats` is negative.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Claims
        >>> VILLAGER, TREE, TAKEN = 1, 2, 4
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> for name in ("anna", "bert"):
        ...     units.add(name, 50, 50, groups=VILLAGER)
        >>> units.add("oak", 60, 50, groups=TREE)
        >>> claims = Claims(units, TAKEN)
        >>> claims.claim("anna", "oak")
        >>> claims.is_free("oak", "bert"), claims.is_free("oak", "anna"), claims.held("anna")
        (False, True, 'oak')
        >>> units.nearest(50, 50, groups=TREE, without=TAKEN) is None
        True
        >>> units.remove("anna")
        >>> claims.is_free("oak", "bert")
        True
    """

    def __init__(self, units: SpatialIndex, taken: int, seats: NumberOfSeats = 1) -> None:
        self._tree = tree_behind(units)
        bit = whole(taken, "taken")
        if not 1 <= bit <= 0xFFFFFFFF or bit & (bit - 1):
            raise ValueError(f"taken must be one bit of 32, got {shown(taken)}")
        if isinstance(seats, np.ndarray):
            if seats.ndim != 1 or seats.dtype.kind not in "iu":
                raise TypeError(f"seats must be whole numbers, (slots,), got {shown(seats)}")
        elif not callable(seats):
            seats = checked_seats(seats)
        self._units = units
        self._taken = bit
        self._seats = Reservations(mask_of(bit, "taken"), seats)
        tell_of_removals(self._tree, bit, self._seats)

    def __repr__(self) -> str:
        return f"<Claims: {self._seats.total(store_of(self._tree))}>"

    @property
    def units(self) -> SpatialIndex:
        """The tree."""
        return self._units

    @property
    def taken(self) -> int:
        """The bit that items without a free seat carry."""
        return self._taken

    def claim(
        self,
        claimant: Hashable,
        item: Hashable,
        groups: int | None = None,
        without: int | None = None,
    ) -> None:
        """Claim an item and release the one held before.

        Args:
            claimant: The unit that claims.
            item: The unit that it claims.
            groups: Mask; the claim holds while the item is in one of these groups. None means all.
            without: Mask; the claim ends when the item joins one of these groups, but not when it
                is `taken`. None means none.

        Raises:
            KeyError: The claimant or the item is not in the tree.
            RuntimeError: The tree is being asked, as in a filter.
            TypeError: A mask is not a whole number.
            ValueError: The item has no free seat, or its groups do not fit, or a mask is out of
                range.
        """
        masks = masks_of(groups, without)
        tree = self._tree
        slots = slot_of(tree, claimant, "claimant"), slot_of(tree, item, "item")
        mask = tree.groups(item)
        if not mask & masks[0]:
            raise ValueError(f"{shown(item)} is in none of the groups {groups}")
        if mask & masks[1] & ~self._taken:
            raise ValueError(f"{shown(item)} is in one of the groups without={without}")
        if not self._seats.claim(store_of(tree), items_of(tree), *slots, *masks):
            raise ValueError(f"{shown(item)} has no free seat for {shown(claimant)}")

    def release(self, claimant: Hashable) -> None:
        """Release the item that the claimant holds, if any.

        Raises:
            KeyError: The claimant is not in the tree.
            RuntimeError: The tree is being asked, as in a filter.
        """
        self.release_many([slot_of(self._tree, claimant, "claimant")])

    def release_many(self, slots: ArrayLike) -> None:
        """Release the items that the units in some slots hold.

        Args:
            slots: The slots of the claimants, (n,).

        Raises:
            RuntimeError: The tree is being asked, as in a filter.
            ValueError: A number is not the slot of a unit.
        """
        self._seats.release_many(store_of(self._tree), unit_slots(self._tree, slots))

    def held(self, claimant: Hashable) -> Any | None:
        """Return the item that the claimant holds, or None.

        Raises:
            KeyError: The claimant is not in the tree.
        """
        holder = slot_of(self._tree, claimant, "claimant")
        slot = self._seats.held(store_of(self._tree), holder)
        return None if slot < 0 else self._tree.item(slot)

    def held_many(self, slots: ArrayLike) -> NDArray[np.int32]:
        """Return the slots of the items that the units in some slots hold.

        Args:
            slots: The slots of the claimants, (n,).

        Returns:
            The slots of the items, (n,) int32; -1 where a unit holds none.

        Raises:
            ValueError: A number is not the slot of a unit.
        """
        return self._seats.held_many(store_of(self._tree), unit_slots(self._tree, slots))

    def count(self, item: Hashable) -> int:
        """Return how many units hold the item.

        Raises:
            KeyError: The item is not in the tree.
        """
        return self._seats.count(store_of(self._tree), slot_of(self._tree, item, "item"))

    def count_many(self, slots: ArrayLike) -> NDArray[np.int32]:
        """Return how many units hold each of many items.

        Args:
            slots: The slots of the items, (n,).

        Returns:
            Numbers of units, (n,) int32.

        Raises:
            ValueError: A number is not the slot of a unit.
        """
        return self._seats.count_many(store_of(self._tree), unit_slots(self._tree, slots))

    def is_free(self, item: Hashable, claimant: Hashable) -> bool:
        """Return whether the claimant may claim the item: a seat is left, or it holds one already.

        Raises:
            KeyError: The claimant or the item is not in the tree.
        """
        tree = self._tree
        slots = slot_of(tree, item, "item"), slot_of(tree, claimant, "claimant")
        return self._seats.room_for(store_of(tree), items_of(tree), *slots)

    def is_free_many(self, slots: ArrayLike, claimants: ArrayLike) -> NDArray[np.bool_]:
        """Return whether each of many claimants may claim an item, as `is_free` does.

        Args:
            slots: The slots of the items, (n,).
            claimants: The slots of the claimants, one for each item, (n,).

        Returns:
            Whether the item has a seat for the claimant, (n,) bool.

        Raises:
            ValueError: A number is not the slot of a unit, or there are not as many claimants as
                items.
        """
        items = unit_slots(self._tree, slots)
        units = unit_slots(self._tree, claimants, "claimants")
        if len(items) != len(units):
            raise ValueError(f"claimants must be {len(items)} slots, got {len(units)}")
        tree = self._tree
        return self._seats.room_for_many(store_of(tree), items_of(tree), items, units)

    # -- for `pack` and `unpack` ---

    _kind = CLAIMS

    def _packed(self, slots: int) -> dict[str, memoryview]:
        return self._seats.rows(slots)

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        return partial(self._seats.__setstate__, self._seats.read(reader, slots_of(store_of(tree))))

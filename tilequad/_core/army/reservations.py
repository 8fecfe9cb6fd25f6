"""Who holds a seat of which item, and which items are full.

The book is in arrays by slot. The tree marks full items with a group bit of their own, so that
queries can prune them. The book is right at every call; the bits are updated when the tree may
change.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Gil, NoGil, Raises
from tilequad._core.buffers import IntBuffer, longer, resized
from tilequad._core.checks import whole
from tilequad._core.layout import (
    ENTRY,
    NONE,
    RECORD,
    begin_change,
    begin_question,
    end_change,
    end_question,
)
from tilequad._core.shown import shown
from tilequad._core.tree.changes import fit_regrouped, regroup_unit
from tilequad._core.tree.rows import RowReader, need, need_all, row_from, row_of
from tilequad._core.tree.units import UnitStore, entry_of

# The columns of the book. By the claimant's slot: its life, the item's slot (-1: none), the item's
# life, and the groups that the item must be in, and must not. By the item's slot: how many units
# hold it.
LIFE: cython.int
ITEM: cython.int
ITEM_LIFE: cython.int
GROUPS: cython.int
WITHOUT: cython.int
USED: cython.int
FIELDS: cython.int  # how many columns
LIFE, ITEM, ITEM_LIFE, GROUPS, WITHOUT, USED, FIELDS = range(7)
NOTHING = array("i", [NONE, NONE, NONE, 0, 0, 0])  # the book of a new slot


@cython.final
@cython.cclass
class Reservations:
    """The book of claims on the units of one tree.

    `bit` is the group of full items, as a C int. `seats` says how many may hold an item: a number,
    a function of the item, or an array by slot.
    """

    __slots__ = {
        "bit": "int",
        "seats": "object",
        "store": "UnitStore",
        "turnover": "long long",
        "frees": "long long",
        "book": "int[::1]",
        "full": "unsigned char[::1]",
        "unsettled": "IntBuffer",
        "journal": "IntBuffer",
    }

    def __init__(self, bit: int = 0, seats: Any = 1) -> None:
        self.bit = bit
        self.seats = seats
        # When the book was last compared with the tree.
        self.store: Any = None
        self.turnover = NONE
        self.frees = 0  # how often a seat became free
        self.book = array("i")
        self.full = array("B")  # by the item's slot: whether it is full
        self.unsettled = IntBuffer()  # slots whose bit may be out of date
        # For `undo`: where each write went, ~slot for `full`, and what was there.
        self.journal = IntBuffer()

    # -- keeping -----------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        parts = bytes(self.book), bytes(self.full), bytes(self.unsettled.taken())
        return type(self), (), (self.bit, self.seats, self.frees, *parts)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.bit, self.seats, self.frees, book, full, unsettled = state
        self.book = array("i", book)
        self.full = array("B", full)
        self.unsettled.used = 0
        for slot in array("i", unsettled):
            self.unsettled.append(slot)
        self.store = None

    def rows(self, slots: int) -> dict[str, Any]:
        """The book about a tree with this many slots, for `write_rows`."""
        n = min(len(self.full), slots)
        return {
            "counts": row_from("q", [n, self.bit, self.frees]),
            "book": row_of(self.book, FIELDS * n),
            "full": row_from("i", np.asarray(self.full)[:n]),
            "unsettled": row_from("i", np.unique(self.unsettled.taken())),
        }

    def read(self, reader: RowReader, slots: int) -> tuple[Any, ...]:
        """Read what `rows` of a book with the same bit has returned, for `__setstate__`."""
        n, bit, frees = reader.take("counts", "q", 3)
        need(0 <= n <= slots and 0 <= frees < 2**62, "the number of claims")
        book = np.reshape(reader.take("book", "i", FIELDS * n), (n, FIELDS))
        full = np.asarray(reader.take("full", "i", n))
        unsettled = np.asarray(reader.take("unsettled", "i"))
        reader.end()
        items = book[:, ITEM]
        need_all((items >= NONE) & (items < n), "an item")
        used = np.bincount(items[items >= 0], minlength=n)
        need_all(book[:, USED] == used, "the number of seats taken")
        need_all((full == 0) | (full == 1), "a full item")
        need_all((unsettled >= 0) & (unsettled < n), "an unsettled item")
        if bit != self.bit:
            were, are = bit & 0xFFFFFFFF, self.bit & 0xFFFFFFFF
            raise ValueError(f"taken must be {were}, as it was, got {are}")
        parts = book.tobytes(), full.astype(np.uint8).tobytes(), unsettled.tobytes()
        return bit, self.seats, frees, *parts

    # -- the book and the tree ---------------------------------------------------------------------

    def end_lapsed(self, store: UnitStore) -> Raises[cython.int]:
        """End the claims that a death or a change of groups has ended."""
        is_new: cython.bint = store is not self.store and self.store is not None
        if store is self.store and store.turnover.count == self.turnover:
            return 0
        if store is not self.store or not self.end_few(store):
            for claimant in range(len(self.full)):
                self.end_if_lapsed(store, claimant, is_new)
        self.store = store
        self.turnover = store.turnover.count
        self.journal.used = 0
        return 0

    def end_few(self, store: UnitStore) -> Raises[cython.bint]:
        """End the claims of units that have changed; False if there may be claims to these."""
        if not store.turnover.knows(self.turnover):
            return False
        for k in range(self.turnover, store.turnover.count):
            if self.used(store.turnover.slot_at(k)) > 0:
                return False
        for k in range(self.turnover, store.turnover.count):
            self.end_if_lapsed(store, store.turnover.slot_at(k), False)
        return True

    def end_if_lapsed(
        self, store: UnitStore, claimant: cython.Py_ssize_t, is_new: cython.bint
    ) -> Raises[cython.int]:
        """End a claim if it has lapsed, as all do in a rebuilt tree, which has other units."""
        item = self.item_of(claimant)
        if item < 0:
            return 0
        if is_new or not self.is_valid(store, claimant):
            self.release(claimant)
        elif self.full[item]:  # the game may have set other groups, without the bit
            entry: cython.Py_ssize_t = store.record[RECORD * item + ENTRY]
            if not store.masks[entry] & self.bit:
                self.unsettled.append(item)
        return 0

    def is_valid(self, store: UnitStore, claimant: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether both sides of a claim live, and the item is in the groups claimed."""
        at = FIELDS * claimant
        item: cython.Py_ssize_t = self.book[at + ITEM]
        # What the claim itself has filled does not end it.
        without = self.book[at + WITHOUT] & ~self.bit
        return (
            entry_of(store, claimant) >= 0
            and store.lives[claimant] == self.book[at + LIFE]
            and entry_of(store, item) >= 0
            and store.lives[item] == self.book[at + ITEM_LIFE]
            and (store.masks[store.record[RECORD * item + ENTRY]] & self.book[at + GROUPS]) != 0
            and (store.masks[store.record[RECORD * item + ENTRY]] & without) == 0
        )

    def reserve(self, slots: int) -> None:
        """Make room for this many slots."""
        if slots <= len(self.full):
            return
        slots = longer(slots)
        self.book = array("i", bytes(self.book)) + NOTHING * (slots - len(self.full))
        self.full = resized("B", self.full, slots, 0)  # last, because its length tells how many fit

    def item_of(self, claimant: cython.Py_ssize_t) -> NoGil[cython.int]:
        """The slot of the item that a claimant holds; -1 for none."""
        return self.book[FIELDS * claimant + ITEM] if claimant < len(self.full) else NONE

    def used(self, item: cython.Py_ssize_t) -> NoGil[cython.int]:
        """How many units hold an item."""
        return self.book[FIELDS * item + USED] if item < len(self.full) else 0

    def show_own_item(self, store: UnitStore, claimant: cython.Py_ssize_t) -> Raises[cython.int]:
        """Let a seeker find the item it holds: clear the item's bit until `settle`."""
        item = self.item_of(claimant)
        if item >= 0 and self.full[item]:
            entry: cython.Py_ssize_t = store.record[RECORD * item + ENTRY]
            if store.masks[entry] & self.bit and store.masks[entry] != self.bit:
                self.unsettled.append(item)
                regroup_unit(store, item, store.masks[entry] & ~self.bit)
                self.turnover = store.turnover.count
        return 0

    def settle(self, store: UnitStore) -> Raises[cython.int]:
        """Write the bits that may be out of date.

        The tree must be open to changes, and `end_lapsed` must have been called.
        """
        written: cython.Py_ssize_t = 0
        for i in range(self.unsettled.used):
            slot = self.unsettled.values[i]
            entry: cython.Py_ssize_t = entry_of(store, slot)
            if entry < 0:
                continue
            mask = store.masks[entry] & ~self.bit
            if self.full[slot]:
                mask |= self.bit
            if mask != 0 and mask != store.masks[entry]:  # a unit is always in some group
                store.masks[entry] = mask
                self.unsettled.values[written] = slot
                written += 1
        fit_regrouped(store, self.unsettled.values, written)
        self.unsettled.used = 0
        self.turnover = store.turnover.count
        return 0

    # -- seats -------------------------------------------------------------------------------------

    def seats_of(self, items: list[Any], item: cython.Py_ssize_t) -> Raises[cython.int]:
        """Return how many units may hold an item; this may run a callback."""
        seats: Any = self.seats
        if isinstance(seats, int):
            return seats
        if isinstance(seats, np.ndarray):
            if item >= len(seats):
                raise ValueError(f"seats has no number for slot {item}")
            return checked_seats(seats[item])
        return checked_seats(seats(items[item]))

    def has_room(self, items: list[Any], item: cython.Py_ssize_t) -> Raises[cython.bint]:
        """Whether an item has a free seat."""
        return not self.full[item] and self.used(item) < self.seats_of(items, item)

    def assign(
        self,
        store: UnitStore,
        claimant: cython.Py_ssize_t,
        item: cython.Py_ssize_t,
        groups: cython.int,
        without: cython.int,
        seats: cython.int,
    ) -> Raises[cython.int]:
        """Give a seat of an item, of which it has `seats`, to a claimant that holds nothing."""
        at = FIELDS * claimant
        self.write(at + LIFE, store.lives[claimant])
        self.write(at + ITEM, cython.cast(cython.int, item))
        self.write(at + ITEM_LIFE, store.lives[item])
        self.write(at + GROUPS, groups)
        self.write(at + WITHOUT, without)
        self.write(FIELDS * item + USED, self.used(item) + 1)
        if self.used(item) >= seats:
            self.set_full(cython.cast(cython.int, item), True)
        return 0

    def release(self, claimant: cython.Py_ssize_t) -> Raises[cython.int]:
        """Release the item that a claimant holds, if any."""
        item = self.item_of(claimant)
        if item < 0:
            return 0
        self.write(FIELDS * claimant + ITEM, NONE)
        self.write(FIELDS * item + USED, self.used(item) - 1)
        if self.full[item]:
            self.set_full(item, False)
        self.frees += 1
        return 0

    # -- one write at a time, and back -------------------------------------------------------------

    def write(self, at: cython.Py_ssize_t, value: cython.int) -> Raises[cython.int]:
        """Write into the book, and the old value into the journal."""
        self.journal.reserve(2)
        self.journal.append(cython.cast(cython.int, at))
        self.journal.append(self.book[at])
        self.book[at] = value
        return 0

    def set_full(self, item: cython.int, full: cython.bint) -> Raises[cython.int]:
        """Note that an item is full or not any more; its bit is out of date then."""
        self.unsettled.append(item)
        self.journal.reserve(2)
        self.journal.append(~item)
        self.journal.append(self.full[item])
        self.full[item] = full
        return 0

    def undo(self) -> Gil[cython.int]:
        """Undo all writes in the journal. `settle` updates the bits later."""
        while self.journal.used > 0:
            self.journal.used -= 2
            at = self.journal.values[self.journal.used]
            if at >= 0:
                self.book[at] = self.journal.values[self.journal.used + 1]
            else:
                self.full[~at] = self.journal.values[self.journal.used + 1]
        return 0

    # -- for Claims: `store` and `items` belong to one tree ----------------------------------------

    def claim(
        self,
        store: UnitStore,
        items: list[Any],
        claiming: cython.Py_ssize_t,
        claimed: cython.Py_ssize_t,
        groups: cython.int,
        without: cython.int,
    ) -> bool:
        """Give a seat in exchange for the one held before; False if no seat is free."""
        begin_question(cython.address(store.busy))
        try:
            seats = self.seats_of(items, claimed)
        finally:
            end_question(cython.address(store.busy))
        begin_change(cython.address(store.busy))
        try:
            self.end_lapsed(store)
            self.reserve(store.slots)
            if entry_of(store, claiming) < 0 or entry_of(store, claimed) < 0:
                raise KeyError(f"no unit has slot {claiming} or {claimed} any more")
            if self.used(claimed) - (self.item_of(claiming) == claimed) >= seats:
                return False
            self.journal.used = 0
            self.release(claiming)
            self.assign(store, claiming, claimed, groups, without, seats)
            self.settle(store)
        finally:
            end_change(cython.address(store.busy))
        return True

    def end_claim(self, store: UnitStore, slot: cython.Py_ssize_t) -> None:
        """Release what the unit held that has just been removed from a slot."""
        if self.store is not None and self.store is not store:
            return
        item: cython.Py_ssize_t = self.item_of(slot)
        if item < 0 or entry_of(store, slot) >= 0:
            return
        self.release(slot)
        self.journal.used = 0
        if entry_of(store, item) >= 0 and store.lives[item] == self.book[FIELDS * slot + ITEM_LIFE]:
            mask = store.masks[store.record[RECORD * item + ENTRY]]
            if mask & self.bit and mask != self.bit:
                begin_change(cython.address(store.busy))
                try:
                    regroup_unit(store, cython.cast(cython.int, item), mask & ~self.bit)
                finally:
                    end_change(cython.address(store.busy))

    def release_many(self, store: UnitStore, claimants: cython.int[::1]) -> None:
        """Release the items that the units in some slots hold."""
        begin_change(cython.address(store.busy))
        try:
            self.end_lapsed(store)
            self.reserve(store.slots)
            self.journal.used = 0
            for i in range(len(claimants)):
                self.release(claimants[i])
            self.settle(store)
        finally:
            end_change(cython.address(store.busy))

    def held(self, store: UnitStore, claimant: int) -> int:
        """The slot of the item that a unit holds; -1 for none."""
        self.end_lapsed(store)
        return self.item_of(claimant)

    def held_many(self, store: UnitStore, slots: np.ndarray) -> np.ndarray:
        """The slots of the items that units hold; -1 for none."""
        self.end_lapsed(store)
        found = np.full(len(slots), NONE, np.int32)
        view: cython.int[::1] = found
        claimants: cython.int[::1] = slots
        for i in range(len(claimants)):
            view[i] = self.item_of(claimants[i])
        return found

    def count(self, store: UnitStore, item: int) -> int:
        """How many units hold the item in a slot."""
        self.end_lapsed(store)
        return self.used(item)

    def count_many(self, store: UnitStore, slots: np.ndarray) -> np.ndarray:
        """How many units hold each of the items in slots."""
        self.end_lapsed(store)
        counts = np.zeros(len(slots), np.int32)
        view: cython.int[::1] = counts
        items: cython.int[::1] = slots
        for i in range(len(items)):
            view[i] = self.used(items[i])
        return counts

    def room_for_many(
        self, store: UnitStore, items: list[Any], slots: np.ndarray, claimants: np.ndarray
    ) -> np.ndarray:
        """Whether each unit could claim its item."""
        used = self.count_many(store, slots) - (self.held_many(store, claimants) == slots)
        begin_question(cython.address(store.busy))
        try:
            return used < [self.seats_of(items, item) for item in slots.tolist()]
        finally:
            end_question(cython.address(store.busy))

    def room_for(self, store: UnitStore, items: list[Any], item: int, claimant: int) -> bool:
        """Whether a unit could claim an item."""
        held: cython.bint = self.held(store, claimant) == item
        used: cython.int = self.count(store, item)
        begin_question(cython.address(store.busy))
        try:
            return used - held < self.seats_of(items, item)
        finally:
            end_question(cython.address(store.busy))

    def total(self, store: UnitStore) -> int:
        """How many claims there are."""
        self.end_lapsed(store)
        return sum([self.item_of(slot) >= 0 for slot in range(len(self.full))])


def checked_seats(value: Any) -> int:
    """A number of seats, checked."""
    seats = whole(value, "seats")
    if not 0 <= seats <= 0x7FFFFFFF:
        raise ValueError(f"seats must be at least 0, got {shown(value)}")
    return seats

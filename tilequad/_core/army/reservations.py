# distutils: extra_compile_args = -O1
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
from tilequad._core.shown import shown
from tilequad._core.tree.changes import fit_regrouped, regroup_unit
from tilequad._core.tree.layout import (
    ENTRY,
    RECORD,
    begin_change,
    begin_question,
    end_change,
    end_question,
)
from tilequad._core.tree.rows import RowReader, need, row_from, row_of
from tilequad._core.tree.units import UnitStore, entry_of

NONE: cython.int = -1
# Numbers of the fields, for the journal.
LIFE: cython.int = 0
ITEM: cython.int = 1
ITEM_LIFE: cython.int = 2
GROUPS: cython.int = 3
USED: cython.int = 4
FULL: cython.int = 5


@cython.final
@cython.cclass
class Reservations:
    """The book of claims on the units of one tree.

    Args:
        bit: The group of full items, as a C int.
        seats: How many may hold an item: a number, a function of the item, or an array by slot.
    """

    __slots__ = {
        "bit": "int",
        "seats": "object",
        "store": "UnitStore",
        "turnover": "long long",
        "frees": "long long",
        "life": "int[::1]",
        "item": "int[::1]",
        "item_life": "int[::1]",
        "groups": "int[::1]",
        "used": "int[::1]",
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
        # By the claimant's slot: its serial, the item's slot (-1: none), the item's serial, and the
        # groups that the item must be in.
        self.life = array("i")
        self.item = array("i")
        self.item_life = array("i")
        self.groups = array("i")
        # By the item's slot: how many units hold it, and whether it is full.
        self.used = array("i")
        self.full = array("B")
        self.unsettled = IntBuffer()  # slots whose bit may be out of date
        self.journal = IntBuffer()  # for `undo`: field, slot and old value of each write

    # -- keeping -----------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        fields: list[Any] = [self.life, self.item, self.item_life, self.groups, self.used]
        parts = [bytes(field) for field in fields]
        unsettled = bytes(self.unsettled.taken())
        state = self.bit, self.seats, self.frees, parts, bytes(self.full), unsettled
        return type(self), (), state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.bit, self.seats, self.frees, parts, full, unsettled = state
        read: list[Any] = [array("i", part) for part in parts]
        self.life, self.item, self.item_life, self.groups, self.used = read
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
            "life": row_of(self.life, n),
            "item": row_of(self.item, n),
            "item_life": row_of(self.item_life, n),
            "groups": row_of(self.groups, n),
            "full": row_from("i", np.asarray(self.full)[:n]),
            "unsettled": row_from("i", self.unsettled.taken()),
        }

    def read(self, reader: RowReader, slots: int) -> tuple[Any, ...]:
        """Read what `rows` of a book with the same bit has returned, for `__setstate__`."""
        n, bit, frees = reader.take("counts", "q", 3)
        need(0 <= n <= slots and 0 <= frees < 2**62, "the number of claims")
        parts = [reader.take(name, "i", n) for name in ("life", "item", "item_life", "groups")]
        full = np.asarray(reader.take("full", "i", n))
        unsettled = np.asarray(reader.take("unsettled", "i"))
        reader.end()
        items = np.asarray(parts[1])
        need(bool(((items >= NONE) & (items < n)).all()), "an item")
        need(bool(((full == 0) | (full == 1)).all()), "a full item")
        need(bool(((unsettled >= 0) & (unsettled < n)).all()), "an unsettled item")
        if bit != self.bit:
            were, are = bit & 0xFFFFFFFF, self.bit & 0xFFFFFFFF
            raise ValueError(f"taken must be {were}, as it was, got {are}")
        used = np.bincount(items[items >= 0], minlength=n).astype(np.int32)
        books = [part.tobytes() for part in (*parts, used)]
        return bit, self.seats, frees, books, full.astype(np.uint8).tobytes(), unsettled.tobytes()

    # -- the book and the tree ---------------------------------------------------------------------

    def look(self, store: UnitStore) -> Raises[cython.int]:
        """End the claims that a death or a change of groups has ended."""
        claimant: cython.Py_ssize_t
        entry: cython.Py_ssize_t
        item: cython.int
        is_new: cython.bint = store is not self.store and self.store is not None
        if store is self.store and store.turnover == self.turnover:
            return 0
        for claimant in range(len(self.item)):
            item = self.item[claimant]
            if item < 0:
                continue
            if is_new or not self.is_valid(store, claimant):  # a rebuilt tree has other units
                self.leave(claimant)
            elif self.full[item]:  # the game may have set other groups, without the bit
                entry = store.record[RECORD * item + ENTRY]
                if not store.masks[entry] & self.bit:
                    self.unsettled.append(item)
        self.store = store
        self.turnover = store.turnover
        self.journal.used = 0
        return 0

    def is_valid(self, store: UnitStore, claimant: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether both sides of a claim live, and the item is in the groups claimed."""
        item: cython.Py_ssize_t = self.item[claimant]
        return (
            entry_of(store, claimant) >= 0
            and store.lives[claimant] == self.life[claimant]
            and entry_of(store, item) >= 0
            and store.lives[item] == self.item_life[claimant]
            and (store.masks[store.record[RECORD * item + ENTRY]] & self.groups[claimant]) != 0
        )

    def reserve(self, slots: int) -> None:
        """Make room for this many slots."""
        if slots <= len(self.full):
            return
        slots = longer(slots)
        self.life = resized("i", self.life, slots, NONE)
        self.item = resized("i", self.item, slots, NONE)
        self.item_life = resized("i", self.item_life, slots, NONE)
        self.groups = resized("i", self.groups, slots, 0)
        self.used = resized("i", self.used, slots, 0)
        self.full = resized("B", self.full, slots, 0)  # last, because its length tells how many fit

    def open(self, store: UnitStore, claimant: cython.Py_ssize_t) -> Raises[cython.int]:
        """Let a seeker find the item it holds: clear the item's bit until `settle`."""
        item: cython.int = self.item[claimant]
        entry: cython.Py_ssize_t
        if item >= 0 and self.full[item]:
            entry = store.record[RECORD * item + ENTRY]
            if store.masks[entry] & self.bit and store.masks[entry] != self.bit:
                self.unsettled.append(item)
                regroup_unit(store, item, store.masks[entry] & ~self.bit)
                self.turnover = store.turnover
        return 0

    def settle(self, store: UnitStore) -> Raises[cython.int]:
        """Write the bits that may be out of date.

        The tree must be open to changes, and `look` must have been called.
        """
        i: cython.Py_ssize_t
        slot: cython.int
        entry: cython.Py_ssize_t
        mask: cython.int
        written: cython.Py_ssize_t = 0
        for i in range(self.unsettled.used):
            slot = self.unsettled.values[i]
            entry = entry_of(store, slot)
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
        self.turnover = store.turnover
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
        return not self.full[item] and self.used[item] < self.seats_of(items, item)

    def take(
        self,
        store: UnitStore,
        claimant: cython.Py_ssize_t,
        item: cython.Py_ssize_t,
        groups: cython.int,
        seats: cython.int,
    ) -> Raises[cython.int]:
        """Give a seat of an item, of which it has `seats`, to a claimant that holds nothing."""
        self.write(LIFE, claimant, store.lives[claimant])
        self.write(ITEM, claimant, cython.cast(cython.int, item))
        self.write(ITEM_LIFE, claimant, store.lives[item])
        self.write(GROUPS, claimant, groups)
        self.write(USED, item, self.used[item] + 1)
        if self.used[item] >= seats:
            self.write(FULL, item, 1)
            self.unsettled.append(cython.cast(cython.int, item))
        return 0

    def leave(self, claimant: cython.Py_ssize_t) -> Raises[cython.int]:
        """Release the item that a claimant holds, if any."""
        item: cython.int = self.item[claimant]
        if item < 0:
            return 0
        self.write(ITEM, claimant, NONE)
        self.write(USED, item, self.used[item] - 1)
        if self.full[item]:
            self.write(FULL, item, 0)
            self.unsettled.append(item)
        self.frees += 1
        return 0

    # -- one write at a time, and back -------------------------------------------------------------

    def write(
        self, field: cython.int, slot: cython.Py_ssize_t, value: cython.int
    ) -> Raises[cython.int]:
        """Write a field, and its old value into the journal."""
        self.journal.reserve(3)
        self.journal.append(field)
        self.journal.append(cython.cast(cython.int, slot))
        self.journal.append(self.field_at(field, slot))
        self.set_field(field, slot, value)
        return 0

    def field_at(self, field: cython.int, slot: cython.Py_ssize_t) -> Gil[cython.int]:
        """Read a field by its number."""
        if field == LIFE:
            return self.life[slot]
        if field == ITEM:
            return self.item[slot]
        if field == ITEM_LIFE:
            return self.item_life[slot]
        if field == GROUPS:
            return self.groups[slot]
        if field == USED:
            return self.used[slot]
        return self.full[slot]

    def set_field(
        self, field: cython.int, slot: cython.Py_ssize_t, value: cython.int
    ) -> Gil[cython.int]:
        """Write a field by its number."""
        if field == LIFE:
            self.life[slot] = value
        elif field == ITEM:
            self.item[slot] = value
        elif field == ITEM_LIFE:
            self.item_life[slot] = value
        elif field == GROUPS:
            self.groups[slot] = value
        elif field == USED:
            self.used[slot] = value
        else:
            self.full[slot] = value
        return 0

    def undo(self) -> Gil[cython.int]:
        """Undo all writes in the journal. `settle` updates the bits later."""
        while self.journal.used > 0:
            self.journal.used -= 3
            self.set_field(
                self.journal.values[self.journal.used],
                self.journal.values[self.journal.used + 1],
                self.journal.values[self.journal.used + 2],
            )
        return 0

    # -- for Claims: `store` and `items` belong to one tree ----------------------------------------

    def give(
        self, store: UnitStore, items: list[Any], claimant: int, item: int, groups: int
    ) -> bool:
        """Give a seat in exchange for the one held before; False if no seat is free."""
        seats: cython.int
        claiming: cython.Py_ssize_t = claimant
        claimed: cython.Py_ssize_t = item
        begin_question(cython.address(store.busy))
        try:
            seats = self.seats_of(items, claimed)
        finally:
            end_question(cython.address(store.busy))
        begin_change(cython.address(store.busy))
        try:
            self.look(store)
            self.reserve(store.slots)
            if entry_of(store, claiming) < 0 or entry_of(store, claimed) < 0:
                raise KeyError(f"no unit has slot {claiming} or {claimed} any more")
            if self.used[claimed] - (self.item[claiming] == claimed) >= seats:
                return False
            self.journal.used = 0
            self.leave(claiming)
            self.take(store, claiming, claimed, groups, seats)
            self.settle(store)
        finally:
            end_change(cython.address(store.busy))
        return True

    def end_claim(self, store: UnitStore, claimant: int) -> None:
        """Release what the unit held that has just been removed from a slot."""
        slot: cython.Py_ssize_t = claimant
        item: cython.Py_ssize_t
        mask: cython.int
        if slot >= len(self.item) or (self.store is not None and self.store is not store):
            return
        item = self.item[slot]
        if item < 0 or entry_of(store, slot) >= 0:
            return
        self.leave(slot)
        self.journal.used = 0
        if entry_of(store, item) >= 0 and store.lives[item] == self.item_life[slot]:
            mask = store.masks[store.record[RECORD * item + ENTRY]]
            if mask & self.bit and mask != self.bit:
                begin_change(cython.address(store.busy))
                try:
                    regroup_unit(store, cython.cast(cython.int, item), mask & ~self.bit)
                finally:
                    end_change(cython.address(store.busy))

    def take_back(self, store: UnitStore, slots: Any) -> None:
        """Release the items that the units in some slots hold."""
        claimants: cython.int[::1] = slots
        i: cython.Py_ssize_t
        begin_change(cython.address(store.busy))
        try:
            self.look(store)
            self.reserve(store.slots)
            self.journal.used = 0
            for i in range(len(claimants)):
                self.leave(claimants[i])
            self.settle(store)
        finally:
            end_change(cython.address(store.busy))

    def held(self, store: UnitStore, claimant: int) -> int:
        """The slot of the item that a unit holds; -1 for none."""
        slot: cython.Py_ssize_t = claimant
        self.look(store)
        return self.item[slot] if slot < len(self.item) else NONE

    def held_many(self, store: UnitStore, slots: np.ndarray) -> np.ndarray:
        """The slots of the items that units hold; -1 for none."""
        self.look(store)
        found = np.full(len(slots), NONE, np.int32)
        view: cython.int[::1] = found
        claimants: cython.int[::1] = slots
        i: cython.Py_ssize_t
        for i in range(len(claimants)):
            if claimants[i] < len(self.item):
                view[i] = self.item[claimants[i]]
        return found

    def count(self, store: UnitStore, item: int) -> int:
        """How many units hold the item in a slot."""
        self.look(store)
        return self.used[item] if item < len(self.used) else 0

    def count_many(self, store: UnitStore, slots: np.ndarray) -> np.ndarray:
        """How many units hold each of the items in slots."""
        self.look(store)
        counts = np.zeros(len(slots), np.int32)
        view: cython.int[::1] = counts
        items: cython.int[::1] = slots
        i: cython.Py_ssize_t
        for i in range(len(items)):
            if items[i] < len(self.used):
                view[i] = self.used[items[i]]
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
        self.look(store)
        return sum(item >= 0 for item in self.item)


def checked_seats(value: Any) -> int:
    """A number of seats, checked."""
    seats = whole(value, "seats")
    if not 0 <= seats <= 0x7FFFFFFF:
        raise ValueError(f"seats must be at least 0, got {shown(value)}")
    return seats

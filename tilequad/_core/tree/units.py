"""The units of a quadtree: who has which slot, and where each one is.

A unit is a slot, a small int that it keeps until it is removed:

    record[RECORD * slot + LEAF, ENTRY, ORDER]
                            its leaf, its entry there (-1 in a free slot), and its order: units
                            added later have a higher one
    half_w, half_h[slot]    half the size of its box; a circle has its radius and -1
    lives[slot]             how many units have had the slot and are gone

An entry of a leaf holds what a search reads of every unit, in 24 bytes: xs and ys (the position),
slot_of and masks (the groups, 32 bits). leaves.py says which leaf owns which entries. Data that a
search reads only for hits is stored by slot.

A change reserves its memory before it writes. Where it cannot, it sets `busy.torn` meanwhile: a
change that stops there loses the tree, which then refuses all calls.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, Raises
from tilequad._core.arrays import at_slots
from tilequad._core.buffers import longer, resized
from tilequad._core.layout import (
    ENTRY,
    INF,
    LEAF,
    ORDER,
    RECORD,
    Busy,
    begin_change,
    begin_question,
    end_change,
    end_question,
)
from tilequad._core.tree.nodes import Nodes

# The default of leaf_size. Smaller leaves make deeper trees and are cheaper to scan; from 24 to 64
# the cost of queries changes little. Fewer units leave a large leaf when they move.
UNITS_PER_LEAF = 48

LAST_ORDER = 0x7FFFFFFF
SPAN_CLASSES = 48  # lengths of spans
LOGGED: cython.int = 256  # slots in a log


@cython.final
@cython.cclass
class SlotLog:
    """To which slots something has happened: how often so far, and the last slots, in a ring."""

    __slots__ = {
        "count": "readonly long long",
        "ring": "int[::1]",
    }

    def __init__(self) -> None:
        self.count = 0
        self.ring = array("i", [0]) * LOGGED

    def note(self, slot: cython.int) -> NoGil[None]:
        """Note a slot."""
        self.ring[self.count & (LOGGED - 1)] = slot
        self.count += 1

    def note_all(self) -> NoGil[None]:
        """Note that it may have happened to any slot."""
        self.count += LOGGED + 1

    def knows(self, count: cython.longlong) -> NoGil[cython.bint]:
        """Whether all slots since the count was this one are known."""
        return 0 <= self.count - count <= LOGGED

    def slot_at(self, count: cython.longlong) -> NoGil[cython.int]:
        """Return the slot that was noted when the count was this one."""
        return self.ring[count & (LOGGED - 1)]

    def since(self, count: int) -> np.ndarray | None:
        """Return the slots since the count was this one, (n,) int32; None if they are too many."""
        if not self.knows(count):
            return None
        return np.array(self.ring)[np.arange(count, self.count) & (LOGGED - 1)]


@cython.final
@cython.cclass
class UnitStore:
    """The units of a dynamic quadtree, in flat arrays; the files beside this one change them."""

    __slots__ = {
        "busy": "Busy",
        "nodes": "Nodes",
        "leaf_size": "int",  # a leaf with more entries splits if possible
        "expected": "double[::1]",  # the bounds within which most units are expected
        # By entry.
        "xs": "double[::1]",
        "ys": "double[::1]",
        "slot_of": "int[::1]",
        "masks": "int[::1]",
        "length": "int",  # entries that belong to spans, including free spans
        "count_when_packed": "int",  # the number of units when the spans were last packed
        "free_spans": "int[::1]",  # the first free span of each length
        # By quadrant.
        "span_size": "int[::1]",  # the length of a leaf's span
        "moves_since_fit": "int[::1]",  # the number of moves since its box was tight
        # By slot.
        "record": "int[::1]",
        "half_w": "double[::1]",
        "half_h": "double[::1]",
        "lives": "int[::1]",
        "revisions": "int[::1]",  # the revision of its last change; empty if unused
        "slots": "int",  # slots ever taken
        "free_slot": "int",  # the first freed slot, chained through record[... + LEAF]
        "count": "int",  # units in the tree
        "next_order": "int",
        "revision": "int",
        "min_reach": "float",  # a lower bound of the reaches of all footprints
        "max_reach": "float",  # an upper bound
        "turnover": "SlotLog",  # removals and changes of groups, which may end a claim
        "departures": "readonly SlotLog",  # removals
        "renumberings": "readonly list",  # for Contacts: old orders, indexed by new ones
    }

    def __init__(
        self,
        bounds: tuple[float, ...],
        center: tuple[float, float],
        leaf_size: cython.int,
        max_depth: cython.int,
    ) -> None:
        if not cython.compiled:  # in C, a struct of zeros
            self.busy = Busy()
        self.expected = array("d", bounds)
        self.leaf_size = leaf_size
        self.xs = array("d")
        self.ys = array("d")
        self.slot_of = array("i")
        self.masks = array("i")
        self.length = 0
        self.count_when_packed = 0
        self.free_spans = array("i", [-1]) * SPAN_CLASSES
        self.record = array("i")
        self.half_w = array("d")
        self.half_h = array("d")
        self.lives = array("i")
        self.revisions = array("i")
        self.slots = self.count = self.next_order = self.revision = 0
        self.free_slot = -1
        self.min_reach = INF
        self.max_reach = 0.0
        self.turnover = SlotLog()
        self.departures = SlotLog()
        self.renumberings: list[np.ndarray] = []
        self.nodes = Nodes(max_depth)
        self.nodes.split[0], self.nodes.split[1] = center
        self.span_size = array("i", [0]) * (4 * self.nodes.capacity)
        self.moves_since_fit = array("i", [0]) * (4 * self.nodes.capacity)

    def follow_on(self, before: UnitStore) -> Object[None]:
        """Count the lives of slots on from another store, none of whose units is in this one.

        Its slots are free here and taken first, in the order in which a new store takes them.
        """
        slot: cython.Py_ssize_t
        self._reserve_slots(before.slots)
        for slot in range(before.slots - 1, -1, -1):
            self.lives[slot] = before.lives[slot] + before.is_used(slot)
            self.record[RECORD * slot + LEAF] = self.free_slot
            self.free_slot = cython.cast(cython.int, slot)
        self.slots = before.slots
        self.turnover, self.departures = before.turnover, before.departures
        self.turnover.note_all()
        self.departures.note_all()

    def reserve_quadrants(self) -> Object[None]:
        """Give every node that fits into the pool a place in the arrays by quadrant."""
        self.moves_since_fit = resized("i", self.moves_since_fit, 4 * self.nodes.capacity, 0)
        # Last, because its length counts.
        self.span_size = resized("i", self.span_size, 4 * self.nodes.capacity, 0)

    def _reserve_slots(self, slots: int) -> Object[None]:
        """Reserve room for that many slots."""
        if len(self.revisions) > 0:
            self.revisions = resized("i", self.revisions, slots, self.revision)
        self.record = resized("i", self.record, RECORD * slots, -1)
        self.lives = resized("i", self.lives, slots, 0)
        self.half_h = resized("d", self.half_h, slots, 0.0)
        self.half_w = resized("d", self.half_w, slots, 0.0)  # last, because its length counts

    def reserve_entries(self, length: int) -> Object[None]:
        """Reserve room for that many entries."""
        self.xs = resized("d", self.xs, length, 0.0)
        self.ys = resized("d", self.ys, length, 0.0)
        self.masks = resized("i", self.masks, length, 0)
        self.slot_of = resized("i", self.slot_of, length, -1)  # last, because its length counts

    # -- one unit ----------------------------------------------------------------------------------

    def next_slot(self) -> Raises[cython.int]:
        """Return the slot that the next unit will take, and reserve memory for it."""
        if self.next_order == LAST_ORDER:
            self._renumber()
        if self.free_slot >= 0:
            return self.free_slot
        if self.slots == len(self.half_w):
            self._reserve_slots(longer(self.slots))
        return self.slots

    def take_slot(self, slot: cython.int) -> NoGil[None]:
        """Take the next slot, and give it the next order."""
        if slot == self.free_slot:
            self.free_slot = self.record[RECORD * slot + LEAF]
        else:
            self.slots += 1
        self.record[RECORD * slot + ORDER] = self.next_order
        self.next_order += 1

    def _renumber(self) -> Object[None]:
        """Number the orders from 0 on again when the numbers run out."""
        records = np.frombuffer(self.record, np.int32).reshape(-1, RECORD)[: self.slots]
        used = np.flatnonzero(records[:, ENTRY] >= 0).astype(np.int32)
        old = records[used, ORDER]
        by_order = np.argsort(old)
        slots: cython.int[::1] = used[by_order]
        self.renumberings.append(old[by_order])
        for i in range(len(slots)):
            self.record[RECORD * slots[i] + ORDER] = i
        self.next_order = len(slots)

    def is_used(self, slot: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a number is the slot of a unit."""
        return 0 <= slot < self.slots and self.record[RECORD * slot + ENTRY] >= 0

    # -- what has changed --------------------------------------------------------------------------

    def changed_since(self, revision: int) -> np.ndarray:
        """Return the slots that changed at or after a revision, ascending; (n,) int32."""
        revisions = np.frombuffer(self.revisions, np.int32)[: self.slots]
        return np.flatnonzero(revisions >= revision).astype(np.int32)

    def next_revision(self) -> int:
        """Begin a revision and return its number. Changes are noted from the first revision on."""
        if len(self.revisions) == 0:
            self.revisions = array("i", [-1]) * max(len(self.half_w), 1)
        self.revision += 1
        return self.revision

    # -- many units --------------------------------------------------------------------------------

    def next_slots(self, n: cython.int) -> np.ndarray:
        """Return the slots of the next n units, and reserve memory for them; (n,) int32."""
        slots = np.empty(n, np.int32)
        view: cython.int[::1] = slots
        slot = self.free_slot
        end: cython.int = self.slots
        if self.next_order > LAST_ORDER - n:
            self._renumber()
        for i in range(n):
            if slot >= 0:
                view[i] = slot
                slot = self.record[RECORD * slot + LEAF]
            else:
                view[i] = end
                end += 1
        if end > len(self.half_w):
            self._reserve_slots(max(end, longer(len(self.half_w))))
        return slots

    def set_sizes(
        self,
        slots: cython.int[::1],
        half_w: cython.double[:],
        half_h: cython.double[:],
    ) -> Object[None]:
        """Set the footprints of new slots."""
        for i in range(len(slots)):
            self.half_w[slots[i]] = half_w[i]
            self.half_h[slots[i]] = half_h[i]

    # -- by slots, in arrays -----------------------------------------------------------------------

    def first_unknown(
        self, slots: cython.int[::1], or_none: cython.bint = False
    ) -> cython.Py_ssize_t:
        """Return the index of the first number that is not the slot of a unit; -1 if all are.

        With `or_none`, the number -1 is allowed.
        """
        for i in range(len(slots)):
            if not self.is_used(slots[i]) and not (or_none and slots[i] == -1):
                return i
        return -1

    def first_repeated(self, slots: cython.int[::1]) -> NoGil[cython.Py_ssize_t]:
        """Return the index of the first slot that has come before; -1 if there is none.

        All must be slots of units. Their entries are marked meanwhile, in a change of the tree.
        """
        i: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t = 0
        while end < len(slots) and self.record[RECORD * slots[end] + ENTRY] >= 0:
            at: cython.Py_ssize_t = RECORD * slots[end] + ENTRY
            self.record[at] = -1 - self.record[at]
            end += 1
        for i in range(end):
            at = RECORD * slots[i] + ENTRY
            self.record[at] = -1 - self.record[at]
        return end if end < len(slots) else -1

    def positions(self, slots: cython.int[::1]) -> np.ndarray:
        """Return the positions of slots, (n, 2) float64."""
        points = np.empty((len(slots), 2))
        view: cython.double[:, ::1] = points
        for i in range(len(slots)):
            entry: cython.Py_ssize_t = self.record[RECORD * slots[i] + ENTRY]
            view[i, 0] = self.xs[entry]
            view[i, 1] = self.ys[entry]
        return points

    def sizes(self, slots: cython.int[::1]) -> np.ndarray:
        """Return half the sizes of slots, (n, 2) float64; a circle has its radius and -1."""
        sizes = np.empty((len(slots), 2))
        view: cython.double[:, ::1] = sizes
        for i in range(len(slots)):
            view[i, 0] = self.half_w[slots[i]]
            view[i, 1] = self.half_h[slots[i]]
        return sizes

    def groups(self, slots: cython.int[::1]) -> np.ndarray:
        """Return the groups of slots, (n,) int32."""
        groups = np.empty(len(slots), np.int32)
        view: cython.int[::1] = groups
        for i in range(len(slots)):
            view[i] = self.masks[self.record[RECORD * slots[i] + ENTRY]]
        return groups

    def slots_in_use(self) -> Object[int]:
        """Return one more than the highest slot of a unit; 0 if there are no units."""
        end: cython.int = self.slots
        while end > 0 and self.record[RECORD * (end - 1) + ENTRY] < 0:
            end -= 1
        return end

    def serial_of(self, slot: cython.Py_ssize_t) -> NoGil[cython.longlong]:
        """Return the serial of the unit in a slot, made of its lives and the slot; -1 if free."""
        bits: cython.longlong = 0xFFFFFFFF  # a larger count wraps around
        if not self.is_used(slot):
            return -1
        life = self.lives[slot]
        life = (life & bits) << 31
        return life | slot

    def serials(self, slots: cython.int[::1]) -> np.ndarray:
        """Return the serials of slots, (n,) int64; -1 where no unit has the slot."""
        serials = np.empty(len(slots), np.int64)
        view: cython.longlong[::1] = serials
        for i in range(len(slots)):
            view[i] = self.serial_of(slots[i])
        return serials

    def orders(self, slots: np.ndarray) -> np.ndarray:
        """Return the order of each slot, all distinct; -1 for free slots and for -1."""
        orders, some = np.full(slots.shape, -1, np.int32), slots >= 0
        records = np.frombuffer(self.record, np.int32).reshape(-1, RECORD)
        records = at_slots(records, slots[some])
        orders[some] = np.where(records[..., ENTRY] >= 0, records[..., ORDER], -1)
        return orders


def entry_of(units: UnitStore, slot: cython.Py_ssize_t) -> NoGil[cython.int]:
    """Return the entry of the unit in a slot; -1 if there is none."""
    if slot < 0 or slot >= units.slots:
        return -1
    return units.record[RECORD * slot + ENTRY]


def order_of(units: UnitStore, slot: cython.Py_ssize_t) -> NoGil[cython.int]:
    """Return when a slot's unit was added, as a number."""
    return units.record[RECORD * slot + ORDER]


@cython.inline
def is_later(units: UnitStore, slot: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.bint:
    """Whether a unit was added after another."""
    return units.record[RECORD * slot + ORDER] > units.record[RECORD * other + ORDER]


def slots_of(units: UnitStore) -> int:
    """Return how many slots a tree has had; units have lower numbers."""
    return units.slots


def ask(units: UnitStore, question: Callable[..., Any], *args: Any) -> Any:
    """Call a function that reads a store, and keep the store from changing meanwhile."""
    begin_question(cython.address(units.busy))
    try:
        return question(*args)
    finally:
        end_question(cython.address(units.busy))


def change(units: UnitStore, work: Callable[..., Any], *args: Any) -> Any:
    """Call a function that changes a store, and keep others from reading it meanwhile."""
    begin_change(cython.address(units.busy))
    try:
        return work(*args)
    finally:
        end_change(cython.address(units.busy))


def call_all(functions: list[Callable[[], Any]]) -> None:
    """Call functions one after the other; no signal comes in between, if they run no Python."""
    for function in functions:
        function()

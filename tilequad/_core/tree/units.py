"""Units in a quadtree: where each one is, and how the tree is updated when they move.

A unit is a slot, a small int that it keeps until it is removed:

    record[RECORD * slot + LEAF, ENTRY, ORDER]
                            its leaf, its entry there (-1 in a free slot), and its number in the
                            order of adding
    half_w, half_h[slot]    half the size of its box; a circle has its radius and -1
    lives[slot]             how many units have had the slot and are gone

An entry of a leaf holds what a search reads of every unit, in 24 bytes: xs and ys (the position),
slot_of and masks (the groups, 32 bits). Each leaf owns a span of entries with room to
grow. Data that a search reads only for hits is stored by slot.

A change reserves its memory before it writes. Where it cannot, it sets `busy.torn` meanwhile: a
change that stops there loses the tree, which then refuses all calls.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.buffers import IntBuffer, chain_of, longer, resized
from tilequad._core.corruption import SPAN_CLASSES, claim
from tilequad._core.tree.build import Builder
from tilequad._core.tree.layout import (
    ALL_GROUPS,
    COUNT,
    ENTRY,
    FIRST,
    GROUPS,
    INF,
    LEAF,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    ORDER,
    RECORD,
    Busy,
    place_of,
)
from tilequad._core.tree.nodes import Nodes, choose_split
from tilequad._core.tree.rows import need, row_of

# The default of leaf_size. Smaller leaves make deeper trees and are cheaper to scan; from 24 to 64
# the cost of queries changes little. Fewer units leave a large leaf when they move.
LEAF_SIZE = 48

LAST_ORDER = 0x7FFFFFFF  # the last number in the order of adding
REACH_MARGIN: cython.double = 1.0 + 2.0**-22  # covers the rounding errors of float32 and of edges
TINY_REACH: cython.double = 1e-37  # the margin near zero, where a relative margin vanishes


@cython.final
@cython.cclass
class UnitStore:
    """The units of a dynamic quadtree: slots, the entries of the leaves, splits and merges."""

    __slots__ = {
        "busy": "Busy",
        "nodes": "Nodes",
        "expected": "double[::1]",
        "xs": "double[::1]",
        "ys": "double[::1]",
        "slot_of": "int[::1]",
        "masks": "int[::1]",
        "leaf_size": "int",
        "length": "int",
        "count_when_packed": "int",
        "free_spans": "int[::1]",
        "span_size": "int[::1]",
        "moves_since_fit": "int[::1]",
        "record": "int[::1]",
        "half_w": "double[::1]",
        "half_h": "double[::1]",
        "lives": "int[::1]",
        "min_reach": "float",
        "max_reach": "float",
        "slots": "int",
        "free_slot": "int",
        "count": "int",
        "next_order": "int",
        "turnover": "long long",
        "renumberings": "list",
        "revisions": "int[::1]",
        "revision": "int",
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
        self.expected = array("d", bounds)  # the bounds within which most units are expected
        self.leaf_size = leaf_size  # a leaf with more entries splits if possible
        self.xs = array("d")
        self.ys = array("d")
        self.slot_of = array("i")
        self.masks = array("i")
        self.length = 0  # entries that belong to spans, including free spans
        self.count_when_packed = 0  # the number of units when the spans were last packed
        self.free_spans = array("i", [-1]) * 48  # the first free span of each size class
        self.record = array("i")
        self.half_w = array("d")
        self.half_h = array("d")
        self.lives = array("i")
        self.min_reach = INF  # a lower bound of the reaches of all footprints
        self.max_reach = 0.0  # an upper bound
        self.slots = 0  # slots ever taken
        self.free_slot = -1  # the first freed slot, chained through record[... + LEAF]
        self.count = 0  # units in the tree
        self.next_order = 0  # the next number in the order of adding
        self.turnover = 0  # counts removals and changes of groups, which may end a claim
        self.renumberings: list[np.ndarray] = []  # for Contacts: old orders, indexed by new ones
        self.revisions = array("i")  # by slot: the revision of its last change; empty if unused
        self.revision = 0
        self.nodes = Nodes(max_depth)
        self.nodes.split[0], self.nodes.split[1] = center
        # By quadrant: the length of a leaf's span, and the number of moves since its box was tight.
        self.span_size = array("i", [0]) * (4 * self.nodes.capacity)
        self.moves_since_fit = array("i", [0]) * (4 * self.nodes.capacity)

    def _reserve_quadrants(self) -> None:
        """Give every node that fits into the pool a place in the arrays by quadrant."""
        self.moves_since_fit = resized("i", self.moves_since_fit, 4 * self.nodes.capacity, 0)
        self.span_size = resized(
            "i", self.span_size, 4 * self.nodes.capacity, 0
        )  # last, because its length counts

    def _reserve_slots(self, slots: int) -> None:
        """Reserve room for that many slots."""
        if len(self.revisions) > 0:
            self.revisions = resized("i", self.revisions, slots, self.revision)
        self.record = resized("i", self.record, RECORD * slots, -1)
        self.lives = resized("i", self.lives, slots, 0)
        self.half_h = resized("d", self.half_h, slots, 0.0)
        self.half_w = resized("d", self.half_w, slots, 0.0)  # last, because its length counts

    def _reserve_entries(self, length: int) -> None:
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
        """Take the next slot, and give it the next number in the order of adding."""
        if slot == self.free_slot:
            self.free_slot = self.record[RECORD * slot + LEAF]
        else:
            self.slots += 1
        self.record[RECORD * slot + ORDER] = self.next_order
        self.next_order += 1

    def _renumber(self) -> None:
        """Renumber the units from 0 on, in the same order, when the numbers run out."""
        records = np.frombuffer(self.record, np.int32).reshape(-1, RECORD)[: self.slots]
        used = np.flatnonzero(records[:, ENTRY] >= 0).astype(np.int32)
        old = records[used, ORDER]
        by_order = np.argsort(old)
        slots: cython.int[::1] = used[by_order]
        i: cython.int
        self.renumberings.append(old[by_order])
        for i in range(len(slots)):
            self.record[RECORD * slots[i] + ORDER] = i
        self.next_order = len(slots)

    def is_used(self, slot: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a number is the slot of a unit."""
        return 0 <= slot < self.slots and self.record[RECORD * slot + ENTRY] >= 0

    def room_at(self, x: cython.double, y: cython.double) -> Raises[cython.int]:
        """Return the leaf whose cell holds a position, with room for one more entry."""
        q: cython.int = self.nodes.leaf_at(x, y)
        count: cython.int = self.nodes.links[place_of(q) + COUNT]
        while count == self.span_size[q] or count == self.leaf_size:
            if not self.make_room(q, x, y):
                break
            q = self.nodes.leaf_at(x, y)
            count = self.nodes.links[place_of(q) + COUNT]
        return q

    def insert(
        self,
        q: cython.int,
        slot: cython.int,
        x: cython.double,
        y: cython.double,
        groups: cython.int,
    ) -> NoGil[None]:
        """Insert a new slot, whose size is set, into leaf q, which comes from `room_at`."""
        reach: cython.float = self.reach_of(slot)
        self.max_reach = max(self.max_reach, reach)
        self.min_reach = min(self.min_reach, reach)
        self.put(q, slot, x, y, groups)

    def put(
        self,
        q: cython.int,
        slot: cython.int,
        x: cython.double,
        y: cython.double,
        groups: cython.int,
    ) -> NoGil[None]:
        """Put a slot that is in no leaf into leaf q, which comes from `room_at`."""
        reach: cython.float = 0.0
        if self.nodes.reach[q] < self.max_reach:  # otherwise there is no need to read it
            reach = self.reach_of(slot)
        self.append_entry(q, slot, x, y, groups)
        self.nodes.extend(q, x, y, reach, groups)
        self.count += 1
        self.note_change(slot)

    def delete(self, slot: cython.int) -> Raises[cython.int]:
        """Remove a slot from the tree and free it."""
        q: cython.int = self.record[RECORD * slot + LEAF]
        self.remove_entry(q, self.record[RECORD * slot + ENTRY])
        self.note_change(slot)
        self.record[RECORD * slot + LEAF] = self.free_slot
        self.record[RECORD * slot + ENTRY] = -1
        self.lives[slot] += 1
        self.turnover += 1
        self.free_slot = slot
        return self.tidy(q)

    def move(self, slot: cython.int, x: cython.double, y: cython.double) -> Raises[cython.int]:
        """Move a slot to a new position; almost free while it stays in its leaf."""
        q: cython.int = self.record[RECORD * slot + LEAF]
        entry: cython.int = self.record[RECORD * slot + ENTRY]
        at: cython.Py_ssize_t = place_of(q)
        if (
            x < self.nodes.box[at + MIN_X]
            or y < self.nodes.box[at + MIN_Y]
            or x > self.nodes.box[at + MAX_X]
            or y > self.nodes.box[at + MAX_Y]
        ):
            if not self.nodes.in_cell(q, x, y):
                return self.relocate(slot, q, x, y)
            self.nodes.extend(q, x, y, 0.0, self.masks[entry])
        self.xs[entry] = x
        self.ys[entry] = y
        self.note_change(slot)
        # A box only grows while units move about in it, so shrink it now and then.
        self.moves_since_fit[q] += 1
        if self.moves_since_fit[q] > 2 * self.span_size[q]:
            self.fit_leaf(q)
            self.nodes.update_parents(q >> 2)
        return 0

    def relocate(
        self, slot: cython.int, q: cython.int, x: cython.double, y: cython.double
    ) -> Raises[cython.int]:
        """Move a slot from leaf q to another; make room in the other leaf first."""
        to: cython.int = self.room_at(x, y)
        entry: cython.int = self.record[RECORD * slot + ENTRY]
        groups: cython.int = self.masks[entry]
        self.remove_entry(q, entry)
        self.put(to, slot, x, y, groups)
        return self.tidy(q)

    def set_groups(self, slot: cython.int, groups: cython.int) -> NoGil[None]:
        """Replace the groups of a slot."""
        q: cython.int = self.record[RECORD * slot + LEAF]
        self.masks[self.record[RECORD * slot + ENTRY]] = groups
        self.turnover += 1
        self.note_change(slot)
        self.fit_leaf(q)
        self.nodes.update_parents(q >> 2)

    def resize(self, slot: cython.int, half_w: cython.double, half_h: cython.double) -> NoGil[None]:
        """Replace the footprint of a slot."""
        q: cython.int = self.record[RECORD * slot + LEAF]
        entry: cython.int = self.record[RECORD * slot + ENTRY]
        reach: cython.float
        self.half_w[slot] = half_w
        self.half_h[slot] = half_h
        reach = self.reach_of(slot)
        self.max_reach = max(self.max_reach, reach)
        self.min_reach = min(self.min_reach, reach)
        self.note_change(slot)
        self.nodes.extend(q, self.xs[entry], self.ys[entry], reach, self.masks[entry])
        self.fit_leaf(q)
        self.nodes.update_parents(q >> 2)

    def tidy(self, q: cython.int) -> Raises[cython.int]:
        """Fit leaf q after an entry has left it; merge leaves that have become small."""
        self.fit_leaf(q)
        self.nodes.update_parents(q >> 2)
        return self.merge(q >> 2)

    def remove_entry(self, q: cython.int, entry: cython.int) -> NoGil[None]:
        """Remove an entry from leaf q; its box, reach and groups stay as they are."""
        at: cython.Py_ssize_t = place_of(q)
        last: cython.int
        self.nodes.links[at + COUNT] -= 1
        self.count -= 1
        last = self.nodes.links[at + FIRST] + self.nodes.links[at + COUNT]
        if entry != last:
            self.copy_entry(last, entry)
        self.slot_of[last] = -1

    # -- what has changed --------------------------------------------------------------------------

    def note_change(self, slot: cython.Py_ssize_t) -> NoGil[None]:
        """Note that a slot was added or removed, or that its unit changed."""
        if len(self.revisions) > 0:
            self.revisions[slot] = self.revision

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
        i: cython.int
        slot: cython.int = self.free_slot
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
    ) -> None:
        """Set the footprints of new slots."""
        i: cython.Py_ssize_t
        for i in range(len(slots)):
            self.half_w[slots[i]] = half_w[i]
            self.half_h[slots[i]] = half_h[i]

    def insert_many(self, slots: np.ndarray, points: np.ndarray, masks: np.ndarray) -> None:
        """Insert the next slots, whose sizes are set, at positions; rebuild if that is cheaper."""
        if 4 * len(slots) >= self.count:
            self._rebuild(slots, points, masks)
        else:
            self.insert_each(slots, points, masks)

    def insert_each(
        self,
        slots: cython.int[::1],
        points: cython.double[:, ::1],
        masks: cython.int[:],
    ) -> Raises[cython.int]:
        """Insert the next slots one by one."""
        i: cython.Py_ssize_t
        q: cython.int
        for i in range(len(slots)):
            q = self.room_at(points[i, 0], points[i, 1])
            self.take_slot(slots[i])
            self.insert(q, slots[i], points[i, 0], points[i, 1], masks[i])
        return 0

    def _rebuild(self, slots: np.ndarray, points: np.ndarray, masks: np.ndarray) -> None:
        """Rebuild the tree from its units and new ones."""
        added: cython.int[::1] = slots
        if self.count > 0:
            old_slots, old_points, old_masks = self._all_entries()
            slots = np.concatenate([slots, old_slots])
            points = np.concatenate([points, old_points])
            masks = np.concatenate([masks, old_masks])
        n: cython.int = len(slots)
        i: cython.int
        all_slots: cython.int[::1] = slots
        all_points: cython.double[:, ::1] = points
        all_masks: cython.int[:] = masks
        nodes: Nodes = Nodes(self.nodes.max_depth)
        rows: cython.int[::1] = Builder(nodes, points, self.leaf_size).build()
        nodes.reserve(longer(nodes.used))
        span_size: cython.int[::1] = array("i", [0]) * (4 * nodes.capacity)
        moves_since_fit: cython.int[::1] = array("i", [0]) * (4 * nodes.capacity)
        order: cython.int[::1] = array("i", [0]) * nodes.live
        xs: cython.double[::1] = array("d", [0.0]) * n
        ys: cython.double[::1] = array("d", [0.0]) * n
        entry_masks: cython.int[::1] = array("i", [0]) * n
        reach: cython.float
        max_reach: cython.float = self.max_reach if self.count > 0 else 0.0
        min_reach: cython.float = self.min_reach if self.count > 0 else INF
        # All memory is reserved: nothing below can fail.
        for i in range(len(added)):
            self.take_slot(added[i])
            self.note_change(added[i])
            reach = self.reach_of(added[i])
            max_reach = max(max_reach, reach)
            min_reach = min(min_reach, reach)
        for i in range(4 * nodes.capacity):
            nodes.reach[i] = max_reach  # `fit_leaf` corrects it
        self.nodes = nodes
        self.xs, self.ys, self.slot_of, self.masks = xs, ys, rows, entry_masks
        self.span_size, self.moves_since_fit = span_size, moves_since_fit
        self.forget_free_spans()
        self.length = self.count = self.count_when_packed = n
        self.max_reach, self.min_reach = max_reach, min_reach
        self.place_entries(all_slots, all_points, all_masks, order)
        self.fit_all(order)

    def _all_entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the slots in the tree, their positions and groups, leaf by leaf."""
        slots = np.frombuffer(self.slot_of, np.int32)[: self.length]
        xs = np.frombuffer(self.xs, np.float64)[: self.length]
        ys = np.frombuffer(self.ys, np.float64)[: self.length]
        masks = np.frombuffer(self.masks, np.int32)[: self.length]
        used = slots >= 0
        return slots[used], np.column_stack([xs[used], ys[used]]), masks[used]

    def place_entries(
        self,
        slots: cython.int[::1],
        points: cython.double[:, ::1],
        masks: cython.int[:],
        order: cython.int[::1],
    ) -> NoGil[None]:
        """Write the entries of a tree just built, whose `slot_of` holds rows of the arguments."""
        i: cython.int
        j: cython.int
        q: cython.int
        row: cython.int
        first: cython.int
        for j in range(self.nodes.write_preorder(order)):
            for q in range(4 * order[j], 4 * order[j] + 4):
                first = self.nodes.links[place_of(q) + FIRST]
                self.span_size[q] = self.nodes.links[place_of(q) + COUNT]
                self.moves_since_fit[q] = 0
                for i in range(first, first + self.span_size[q]):
                    row = self.slot_of[i]
                    self.xs[i] = points[row, 0]
                    self.ys[i] = points[row, 1]
                    self.slot_of[i] = slots[row]
                    self.masks[i] = masks[row]
                    self.record[RECORD * slots[row] + LEAF] = q
                    self.record[RECORD * slots[row] + ENTRY] = i

    def move_all(self, slots: cython.int[::1], points: cython.double[:, ::1]) -> Raises[cython.int]:
        """Move many slots to new positions: one by one, or all at once if that is cheaper."""
        i: cython.Py_ssize_t
        if 8 * len(slots) < self.count:
            for i in range(len(slots)):
                self.move(slots[i], points[i, 0], points[i, 1])
        else:
            self.busy.torn = True
            self.move_most(slots, points)
            self.busy.torn = False
        return 0

    def write_positions(self, slots: cython.int[::1], points: cython.double[:, ::1]) -> NoGil[None]:
        """Write the positions of slots, even if they then belong to other leaves."""
        i: cython.Py_ssize_t
        entry: cython.int
        for i in range(len(slots)):
            entry = self.record[RECORD * slots[i] + ENTRY]
            self.xs[entry] = points[i, 0]
            self.ys[entry] = points[i, 1]
            self.note_change(slots[i])

    def move_most(
        self, slots: cython.int[::1], points: cython.double[:, ::1]
    ) -> Raises[cython.int]:
        """Move a large part of all slots.

        It is cheaper to write the positions first, then look at every leaf once and reinsert the
        entries that have left their leaf.
        """
        i: cython.int
        q: cython.int
        n: cython.int
        leavers: cython.int = 0
        self.write_positions(slots, points)
        order: cython.int[::1] = array("i", [0]) * self.nodes.live
        left: IntBuffer = IntBuffer()
        for i in range(self.nodes.write_preorder(order)):
            for q in range(4 * order[i], 4 * order[i] + 4):
                n = self.count_leavers(q)
                if n > 0:
                    left.append(q)
                    leavers += n
        self.reinsert_leavers(left, leavers, order)
        return 0

    def set_groups_all(self, slots: cython.int[::1], masks: cython.int[:]) -> Raises[cython.int]:
        """Replace the groups of many slots: one by one, or all at once if that is cheaper."""
        i: cython.Py_ssize_t
        if 8 * len(slots) < self.count:
            for i in range(len(slots)):
                self.set_groups(slots[i], masks[i])
            return 0
        order: cython.int[::1] = array("i", [0]) * self.nodes.live
        self.turnover += 1
        for i in range(len(slots)):
            self.masks[self.record[RECORD * slots[i] + ENTRY]] = masks[i]
            self.note_change(slots[i])
        self.fit_all(order)
        return 0

    def resize_all(
        self, slots: cython.int[::1], half_w: cython.double[:], half_h: cython.double[:]
    ) -> Raises[cython.int]:
        """Replace the footprints of many slots: one by one, or all at once if that is cheaper."""
        i: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        q: cython.Py_ssize_t
        reach: cython.float
        if 8 * len(slots) < self.count:
            for i in range(len(slots)):
                self.resize(slots[i], half_w[i], half_h[i])
            return 0
        order: cython.int[::1] = array("i", [0]) * self.nodes.live
        for i in range(len(slots)):
            slot = slots[i]
            self.half_w[slot] = half_w[i]
            self.half_h[slot] = half_h[i]
            reach = self.reach_of(slot)
            self.max_reach = max(self.max_reach, reach)
            self.min_reach = min(self.min_reach, reach)
            self.note_change(slot)
            q = self.record[RECORD * slot + LEAF]
            self.nodes.reach[q] = max(self.nodes.reach[q], reach)  # fit_all only lowers it
        self.fit_all(order)
        return 0

    def count_leavers(self, q: cython.int) -> NoGil[cython.int]:
        """Count the entries of leaf q outside its cell, and make its box tight.

        If no entry has left, everything that the node stores about the leaf is then exact: moves
        change neither groups nor reach.
        """
        cell = cython.declare(cython.double[4])
        at: cython.Py_ssize_t = place_of(q)
        i: cython.Py_ssize_t
        first: cython.Py_ssize_t = self.nodes.links[at + FIRST]
        n: cython.int = 0
        if self.nodes.links[at + COUNT] == 0:
            return 0
        self.nodes.fit_box(q, self.xs, self.ys)
        self.moves_since_fit[q] = 0
        self.nodes.write_cell(q, cell)
        if (
            self.nodes.box[at + MIN_X] >= cell[0]
            and self.nodes.box[at + MIN_Y] >= cell[1]
            and self.nodes.box[at + MAX_X] < cell[2]
            and self.nodes.box[at + MAX_Y] < cell[3]
        ):
            return 0
        for i in range(first, first + self.nodes.links[at + COUNT]):
            n += (
                (self.xs[i] < cell[0])
                | (self.ys[i] < cell[1])
                | (self.xs[i] >= cell[2])
                | (self.ys[i] >= cell[3])
            )
        return n

    def reinsert_leavers(
        self, left: IntBuffer, n: cython.int, order: cython.int[::1]
    ) -> Raises[cython.int]:
        """Reinsert the n entries that are outside their leaf's cell; `left` lists those leaves.

        Remove all of them first, because a leaf may only split if every entry lies in its cell.
        """
        i: cython.int
        j: cython.int
        q: cython.int
        count: cython.int
        xs: cython.double[::1] = array("d", [0.0]) * n
        ys: cython.double[::1] = array("d", [0.0]) * n
        slots: cython.int[::1] = array("i", [0]) * n
        masks: cython.int[::1] = array("i", [0]) * n
        origin: cython.int[::1] = array("i", [0]) * n
        self.remove_leavers(left, xs, ys, slots, masks, origin)
        self.nodes.update_all(order)
        for i in range(n):
            q = self.nodes.leaf_from(origin[i], xs[i], ys[i])
            count = self.nodes.links[place_of(q) + COUNT]
            if count == self.span_size[q] or count == self.leaf_size:
                q = self.room_at(xs[i], ys[i])
            self.put(q, slots[i], xs[i], ys[i], masks[i])
        # Only merges free nodes here, so a node that is still linked from its parent is the same
        # node.
        for j in range(left.used):
            if self.nodes.is_live(left.values[j] >> 2):
                self.merge(left.values[j] >> 2)
        return 0

    def remove_leavers(
        self,
        left: IntBuffer,
        xs: cython.double[::1],
        ys: cython.double[::1],
        slots: cython.int[::1],
        masks: cython.int[::1],
        origin: cython.int[::1],
    ) -> NoGil[None]:
        """Move the entries that are outside their leaf's cell into these arrays."""
        cell = cython.declare(cython.double[4])
        at: cython.Py_ssize_t
        i: cython.int
        j: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        q: cython.int
        for j in range(left.used):
            q = left.values[j]
            at = place_of(q)
            i = self.nodes.links[at + FIRST]
            self.nodes.write_cell(q, cell)
            while i < self.nodes.links[at + FIRST] + self.nodes.links[at + COUNT]:
                if cell[0] <= self.xs[i] < cell[2] and cell[1] <= self.ys[i] < cell[3]:
                    i += 1
                    continue
                xs[n] = self.xs[i]
                ys[n] = self.ys[i]
                slots[n] = self.slot_of[i]
                masks[n] = self.masks[i]
                origin[n] = q
                n += 1
                self.remove_entry(q, i)
            self.fit_leaf(q)

    # -- leaves ------------------------------------------------------------------------------------

    def fit_leaf(self, q: cython.int) -> NoGil[None]:
        """Recompute the box, reach and groups of leaf q; an empty leaf frees its span.

        The old reach must not be too small. The search ends at the first entry that reaches as far,
        and is skipped if the old reach equals the least reach of all footprints.
        """
        at: cython.Py_ssize_t = place_of(q)
        i: cython.int
        first: cython.int = self.nodes.links[at + FIRST]
        groups: cython.int = 0
        common: cython.int = ALL_GROUPS
        reach: cython.float = 0.0
        if self.nodes.links[at + COUNT] == 0:
            self.free_span(first, self.span_size[q])
            self.span_size[q] = 0
            self.nodes.clear_leaf(q)
            return
        self.nodes.fit_box(q, self.xs, self.ys)
        for i in range(first, first + self.nodes.links[at + COUNT]):
            groups |= self.masks[i]
            common &= self.masks[i]
        if self.nodes.reach[q] > self.min_reach:
            for i in range(first, first + self.nodes.links[at + COUNT]):
                reach = max(reach, self.reach_of(self.slot_of[i]))
                if reach >= self.nodes.reach[q]:
                    break
            self.nodes.reach[q] = reach
        self.nodes.links[at + GROUPS] = groups
        self.nodes.common[q] = common
        self.moves_since_fit[q] = 0

    def fit_all(self, order: cython.int[::1]) -> NoGil[None]:
        """Recompute all leaves and nodes; `order` has room for all live nodes."""
        i: cython.int
        q: cython.int
        for i in range(self.nodes.write_preorder(order)):
            for q in range(4 * order[i], 4 * order[i] + 4):
                if self.nodes.links[place_of(q)] < 0:
                    self.fit_leaf(q)
        self.nodes.update_all(order)

    def reach_of(self, slot: cython.Py_ssize_t) -> NoGil[cython.float]:
        """Return how far a slot's footprint extends from its position along x or y, rounded up."""
        return REACH_MARGIN * max(self.half_w[slot], self.half_h[slot]) + TINY_REACH

    def make_room(self, q: cython.int, x: cython.double, y: cython.double) -> Raises[cython.int]:
        """Split the full leaf q, where (x, y) goes, and return 1; or give it room and return 0.

        A leaf is full if its span is full, or if it holds leaf_size entries.
        """
        size: cython.int
        count: cython.int = self.nodes.links[place_of(q) + COUNT]
        # The most that is taken at once: spans for its entries in four leaves, or a span twice as
        # long.
        self.reserve_for_spans(4 * self.span_size[q] + 64)
        size = self.span_size[q]  # reserving may pack the spans, which takes a leaf's spare room
        if count >= self.leaf_size and self.nodes.may_split(q) and self.split_leaf(q, x, y):
            return 1
        # A leaf that cannot split doubles its span, so that it tries again less and less often.
        if count == size:
            self.move_span(q, size + 4 if size < self.leaf_size else 2 * size)
        return 0

    def split_leaf(self, q: cython.int, x: cython.double, y: cython.double) -> Raises[cython.bint]:
        """Turn leaf q into a node with four leaves; False if its entries and (x, y) coincide."""
        split = cython.declare(cython.double[2])
        counts = cython.declare(cython.int[4])
        at: cython.Py_ssize_t = place_of(q)
        first: cython.int = self.nodes.links[at + FIRST]
        end: cython.int = first + self.nodes.links[at + COUNT]
        size: cython.int = self.span_size[q]
        i: cython.int
        k: cython.int
        n: cython.int
        self.prefer_split(q, split)
        if not choose_split(self.xs, self.ys, first, end, x, y, split):
            return False
        self.nodes.reserve_one()
        if 4 * self.nodes.capacity > len(self.span_size):
            self._reserve_quadrants()
        n = self.nodes.add_node(q, split[0], split[1])
        for k in range(4):
            counts[k] = 0
        for i in range(first, end):
            counts[(self.xs[i] >= split[0]) + 2 * (self.ys[i] >= split[1])] += 1
        for k in range(4):
            self.span_size[4 * n + k] = 0
            if counts[k] > 0:
                self.move_span(4 * n + k, counts[k])
        for i in range(first, end):
            k = (self.xs[i] >= split[0]) + 2 * (self.ys[i] >= split[1])
            self.append_entry(4 * n + k, self.slot_of[i], self.xs[i], self.ys[i], self.masks[i])
        for k in range(4):
            if counts[k] > 0:
                self.nodes.reach[4 * n + k] = self.nodes.reach[q]
                self.fit_leaf(4 * n + k)
        self.nodes.links[at + FIRST] = 0
        self.nodes.links[at + COUNT] = 0
        self.span_size[q] = 0
        self.free_span(first, size)
        return True

    def prefer_split(self, q: cython.int, split: cython.p_double) -> NoGil[None]:
        """Write the preferred split: the center of the cell clipped to the expected bounds.

        If the first units determined the split, units added row by row would make thin strips.
        """
        cell = cython.declare(cython.double[4])
        axis: cython.int
        self.nodes.write_cell(q, cell)
        for axis in range(2):
            split[axis] = 0.5 * max(cell[axis], self.expected[axis]) + 0.5 * min(
                cell[axis + 2], self.expected[axis + 2]
            )

    def merge(self, n: cython.int) -> Raises[cython.int]:
        """Merge node n into a leaf if few entries are below it, and then its ancestors likewise."""
        q: cython.int
        k: cython.int
        i: cython.int
        at: cython.Py_ssize_t
        first: cython.int
        total: cython.int
        reach: cython.float
        while n > 0:
            total = 0
            for k in range(4):
                at = place_of(4 * n + k)
                if self.nodes.links[at] >= 0:
                    return 0
                total += self.nodes.links[at + COUNT]
            if 2 * total > self.leaf_size:
                return 0
            self.reserve_for_spans(round_up_span(total))
            q = self.nodes.parent[n]
            reach = self.nodes.reach[q]
            self.nodes.clear_leaf(q)
            self.span_size[q] = 0
            if total > 0:
                self.move_span(q, total)
            for k in range(4):
                at = place_of(4 * n + k)
                first = self.nodes.links[at + FIRST]
                for i in range(first, first + self.nodes.links[at + COUNT]):
                    self.append_entry(q, self.slot_of[i], self.xs[i], self.ys[i], self.masks[i])
                if self.span_size[4 * n + k] > 0:
                    self.free_span(first, self.span_size[4 * n + k])
                    self.span_size[4 * n + k] = 0
            self.nodes.free_node(n)
            if total > 0:
                self.nodes.reach[q] = reach
                self.fit_leaf(q)
            n = q >> 2
            self.nodes.update_parents(n)
        return 0

    def append_entry(
        self,
        q: cython.int,
        slot: cython.int,
        x: cython.double,
        y: cython.double,
        groups: cython.int,
    ) -> NoGil[None]:
        """Append an entry to leaf q, whose span has room."""
        at: cython.Py_ssize_t = place_of(q)
        entry: cython.int = self.nodes.links[at + FIRST] + self.nodes.links[at + COUNT]
        self.nodes.links[at + COUNT] += 1
        self.record[RECORD * slot + LEAF] = q
        self.copy_in(entry, slot, x, y, groups)

    def copy_in(
        self,
        entry: cython.int,
        slot: cython.int,
        x: cython.double,
        y: cython.double,
        groups: cython.int,
    ) -> NoGil[None]:
        """Write an entry, and record its place by slot."""
        self.xs[entry] = x
        self.ys[entry] = y
        self.slot_of[entry] = slot
        self.masks[entry] = groups
        self.record[RECORD * slot + ENTRY] = entry

    def copy_entry(self, entry: cython.Py_ssize_t, to: cython.int) -> NoGil[None]:
        """Copy an entry to another place in its leaf's span, and record that by slot."""
        self.xs[to] = self.xs[entry]
        self.ys[to] = self.ys[entry]
        self.slot_of[to] = self.slot_of[entry]
        self.masks[to] = self.masks[entry]
        self.record[RECORD * cython.cast(cython.Py_ssize_t, self.slot_of[to]) + ENTRY] = to

    # -- spans -------------------------------------------------------------------------------------

    def move_span(self, q: cython.int, size: cython.int) -> Raises[cython.int]:
        """Give leaf q a span of at least that size, and move its entries there."""
        at: cython.Py_ssize_t = place_of(q)
        rounded: cython.int = round_up_span(size)
        to: cython.int = self.take_span(rounded)
        first: cython.int = self.nodes.links[at + FIRST]
        i: cython.int
        for i in range(self.nodes.links[at + COUNT]):
            self.copy_entry(first + i, to + i)
        self.free_span(first, self.span_size[q])
        self.nodes.links[at + FIRST] = to
        self.span_size[q] = rounded
        return 0

    def reserve_for_spans(self, count: cython.int) -> Raises[cython.int]:
        """Reserve room for `count` more entries; may relocate every span."""
        if self.length + count > len(self.slot_of):
            # Units that only move reuse spans that others have left, so packing again is useless
            # until the number of units has changed.
            if 7 * (self.length - self.count) > self.length and (
                16 * self.count > 17 * self.count_when_packed
                or 2 * self.count < self.count_when_packed
            ):
                self._pack(count)
            else:
                self._reserve_entries(longer(self.length) + count)
        return 0

    def _pack(self, count: cython.int) -> None:
        """Rewrite the spans without gaps in the order of the nodes, with room for `count` more.

        This reclaims the gaps that moves and splits have left.
        """
        order: cython.int[::1] = array("i", [0]) * self.nodes.live
        live: cython.int = self.nodes.write_preorder(order)
        i: cython.int
        n: cython.int
        q: cython.int
        at: cython.Py_ssize_t
        first: cython.int
        length: cython.int = 0
        for i in range(live):
            for q in range(4 * order[i], 4 * order[i] + 4):
                length += round_up_span(self.nodes.links[place_of(q) + COUNT])
        xs: cython.double[::1] = array("d", [0.0]) * (longer(length) + count)
        ys: cython.double[::1] = array("d", [0.0]) * len(xs)
        slot_of: cython.int[::1] = array("i", [-1]) * len(xs)
        masks: cython.int[::1] = array("i", [0]) * len(xs)
        length = 0
        for i in range(live):
            for q in range(4 * order[i], 4 * order[i] + 4):
                at = place_of(q)
                first = self.nodes.links[at + FIRST]
                for n in range(self.nodes.links[at + COUNT]):
                    xs[length + n] = self.xs[first + n]
                    ys[length + n] = self.ys[first + n]
                    slot_of[length + n] = self.slot_of[first + n]
                    masks[length + n] = self.masks[first + n]
                    self.record[RECORD * slot_of[length + n] + ENTRY] = length + n
                self.nodes.links[at + FIRST] = length
                self.span_size[q] = round_up_span(self.nodes.links[at + COUNT])
                length += self.span_size[q]
        self.xs, self.ys, self.slot_of, self.masks = xs, ys, slot_of, masks
        self.length = length
        self.count_when_packed = self.count
        self.forget_free_spans()

    def forget_free_spans(self) -> NoGil[None]:
        """Empty the lists of free spans."""
        i: cython.int
        for i in range(len(self.free_spans)):
            self.free_spans[i] = -1

    def take_span(self, size: cython.int) -> NoGil[cython.int]:
        """Take a span of a size from `round_up_span`; call `reserve_for_spans` before."""
        kind: cython.int = span_class(size)
        start: cython.int = self.free_spans[kind]
        if start >= 0:
            self.free_spans[kind] = -2 - self.slot_of[start + 1]
            self.slot_of[start + 1] = -1
            return start
        start = self.length
        self.length = start + size
        return start

    def free_span(self, start: cython.int, size: cython.int) -> NoGil[None]:
        """Free a span. Free entries have a negative slot; the second one chains the spans."""
        i: cython.int
        kind: cython.int = span_class(size)
        for i in range(start, start + size):
            self.slot_of[i] = -1
        if kind > 0:
            self.slot_of[start + 1] = -2 - self.free_spans[kind]
            self.free_spans[kind] = start

    # -- by slots, in arrays -----------------------------------------------------------------------

    def first_unknown(
        self, slots: cython.int[::1], or_none: cython.bint = False
    ) -> cython.Py_ssize_t:
        """Return the index of the first number that is not the slot of a unit; -1 if all are.

        With `or_none`, the number -1 is allowed.
        """
        i: cython.Py_ssize_t
        for i in range(len(slots)):
            if not self.is_used(slots[i]) and not (or_none and slots[i] == -1):
                return i
        return -1

    def positions(self, slots: cython.int[::1]) -> np.ndarray:
        """Return the positions of slots, (n, 2) float64."""
        points = np.empty((len(slots), 2))
        view: cython.double[:, ::1] = points
        i: cython.Py_ssize_t
        entry: cython.Py_ssize_t
        for i in range(len(slots)):
            entry = self.record[RECORD * slots[i] + ENTRY]
            view[i, 0] = self.xs[entry]
            view[i, 1] = self.ys[entry]
        return points

    def sizes(self, slots: cython.int[::1]) -> np.ndarray:
        """Return half the sizes of slots, (n, 2) float64; a circle has its radius and -1."""
        sizes = np.empty((len(slots), 2))
        view: cython.double[:, ::1] = sizes
        i: cython.Py_ssize_t
        for i in range(len(slots)):
            view[i, 0] = self.half_w[slots[i]]
            view[i, 1] = self.half_h[slots[i]]
        return sizes

    def groups(self, slots: cython.int[::1]) -> np.ndarray:
        """Return the groups of slots, (n,) int32."""
        groups = np.empty(len(slots), np.int32)
        view: cython.int[::1] = groups
        i: cython.Py_ssize_t
        for i in range(len(slots)):
            view[i] = self.masks[self.record[RECORD * slots[i] + ENTRY]]
        return groups

    def slots_in_use(self) -> int:
        """Return one more than the highest slot of a unit; 0 if there are no units."""
        end: cython.int = self.slots
        while end > 0 and self.record[RECORD * (end - 1) + ENTRY] < 0:
            end -= 1
        return end

    def serial_of(self, slot: cython.Py_ssize_t) -> NoGil[cython.longlong]:
        """Return the serial of the unit in a slot, made of its lives and the slot; -1 if free."""
        life: cython.longlong
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
        i: cython.Py_ssize_t
        for i in range(len(slots)):
            view[i] = self.serial_of(slots[i])
        return serials

    def orders(self, slots: np.ndarray) -> np.ndarray:
        """Return the place of each slot in the order of adding, all distinct; -1 for free slots."""
        records = np.frombuffer(self.record, np.int32).reshape(-1, RECORD)[slots]
        return np.where(records[..., ENTRY] >= 0, records[..., ORDER], -1)

    # -- saving ------------------------------------------------------------------------------------

    def state(self) -> dict[str, memoryview]:
        """Return the rows for `write_rows` from which `restore` makes an identical store."""
        n, quadrants, slots = self.length, 4 * self.nodes.used, self.slots
        numbers = array("i", [self.count, self.count_when_packed, self.next_order, self.revision])
        numbers.append(len(self.slot_of) - n)  # room for spans, or they would be packed again
        numbers.extend([self.leaf_size, self.nodes.max_depth])
        return {
            **self.nodes.state(),
            "common": row_of(self.nodes.common, quadrants),
            "bounds": row_of(self.expected, 4),
            "reaches": row_of(array("f", [self.min_reach, self.max_reach]), 2),
            "numbers": row_of(numbers, 7),
            "span_size": row_of(self.span_size, quadrants),
            "moves_since_fit": row_of(self.moves_since_fit, quadrants),
            "free_spans": row_of(self.free_spans, SPAN_CLASSES),
            "slot_of": row_of(self.slot_of, n),
            "xs": row_of(self.xs, n),
            "ys": row_of(self.ys, n),
            "masks": row_of(self.masks, n),
            "free_slots": chain_of(self.free_slot, self.record, RECORD),
            "orders": row_of(self.all_orders(), slots),
            "half_w": row_of(self.half_w, slots),
            "half_h": row_of(self.half_h, slots),
            "lives": row_of(self.lives, slots),
            "revisions": row_of(self.revisions, slots if self.revision > 0 else 0),
        }

    def all_orders(self) -> array[Any]:
        """Return the place of every slot in the order of adding; its last one if it is free."""
        orders = array("i", [0]) * self.slots
        view: cython.int[::1] = orders
        i: cython.Py_ssize_t
        for i in range(self.slots):
            view[i] = self.record[RECORD * i + ORDER]
        return orders

    def restore(self, rows: dict[str, Any]) -> np.ndarray:
        """Become the store that these rows describe, which come from `read_units`.

        Returns:
            The slots in use in the order of adding.

        Raises:
            ValueError: A link is wrong; do not use the store.
        """
        self.leaf_size, max_depth = rows["numbers"][5:]
        leaves: IntBuffer = self.nodes.restore(rows, max_depth)
        self.nodes.common = rows["common"]
        self.expected = rows["bounds"]
        self.min_reach, self.max_reach = rows["reaches"]
        self.count, self.count_when_packed, self.next_order = rows["numbers"][:3]
        self.revision, room = rows["numbers"][3:5]
        self.span_size = rows["span_size"]
        self.moves_since_fit = rows["moves_since_fit"]
        self.free_spans = rows["free_spans"]
        self.length = len(rows["slot_of"])
        rows["slot_of"].extend(array("i", [-1]) * room)
        for name in ("xs", "ys", "masks"):
            rows[name].frombytes(bytes(rows[name].itemsize * room))
        self.slot_of = rows["slot_of"]
        self.xs = rows["xs"]
        self.ys = rows["ys"]
        self.masks = rows["masks"]
        self.slots = len(rows["orders"])
        self.half_w = rows["half_w"]
        self.half_h = rows["half_h"]
        self.lives = rows["lives"]
        self.revisions = rows["revisions"]
        if self.revision > 0 and self.slots == 0:
            self.revisions = array("i", [-1])
        self.check_spans(leaves)
        self.record = array("i", [-2]) * (RECORD * self.slots)
        need(self.link_slots(leaves), "a slot")
        need(self.link_free(rows["free_slots"]), "the free slots")
        return self.restore_orders(rows["orders"])

    def check_spans(self, leaves: IntBuffer) -> Raises[cython.int]:
        """Refuse spans, of leaves or free, that overlap or lie outside the entries."""
        taken: cython.uchar[::1] = bytearray(self.length)
        i: cython.Py_ssize_t
        kind: cython.int
        size: cython.Py_ssize_t
        start: cython.Py_ssize_t
        used: cython.int = 0
        for i in range(0, leaves.used, 3):
            size = self.span_size[leaves.values[i]]
            need(leaves.values[i + 2] <= size, "the span of a leaf")
            # An empty leaf without a span may begin anywhere.
            need(size == 0 or claim(taken, leaves.values[i + 1], size), "spans")
        for kind in range(SPAN_CLASSES):
            start = self.free_spans[kind]
            size = 4 * kind
            if kind > 16:
                size = 64
                size <<= kind - 16
            while start != -1:
                need(size > 0 and claim(taken, start, size), "free spans")
                start = self.slot_of[start + 1]
                start = -2 - start
        for i in range(self.length):
            used += self.slot_of[i] >= 0
        need(used == self.count, "the number of units")
        return 0

    def link_slots(self, leaves: IntBuffer) -> NoGil[cython.bint]:
        """Note where the leaves hold each slot; False if a slot is wrong or occurs twice."""
        i: cython.Py_ssize_t
        first: cython.int
        entry: cython.int
        slot: cython.Py_ssize_t
        count: cython.int = 0
        for i in range(0, leaves.used, 3):
            first = leaves.values[i + 1]
            for entry in range(first, first + leaves.values[i + 2]):
                slot = self.slot_of[entry]
                if slot < 0 or slot >= self.slots or self.record[RECORD * slot + ENTRY] != -2:
                    return False
                self.record[RECORD * slot + LEAF] = leaves.values[i]
                self.record[RECORD * slot + ENTRY] = entry
                count += 1
        return count == self.count

    def restore_orders(self, orders: cython.int[::1]) -> np.ndarray:
        """Note each slot's place in the order of adding, all different; sort the slots by it."""
        slots = np.empty(self.count, np.int32)
        view: cython.int[::1] = slots
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        last: cython.int = -1
        ascending: cython.bint = True
        known: cython.bint = True
        for i in range(self.slots):
            self.record[RECORD * i + ORDER] = orders[i]
            if self.record[RECORD * i + ENTRY] >= 0:
                known &= 0 <= orders[i] < self.next_order
                ascending &= orders[i] > last
                last = orders[i]
                view[n] = i
                n += 1
        need(known, "the order of adding")
        if not ascending:
            wanted = np.asarray(orders).take(slots)
            places = np.argsort(wanted)
            slots, wanted = slots.take(places), wanted.take(places)
            need((np.diff(wanted) > 0).all(), "the order of adding")
        return slots

    def link_free(self, free: cython.int[::1]) -> NoGil[cython.bint]:
        """Chain the free slots; False if one of them is in the tree or occurs twice."""
        i: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        self.free_slot = -1
        for i in range(len(free) - 1, -1, -1):
            slot = free[i]
            if slot < 0 or slot >= self.slots or self.record[RECORD * slot + ENTRY] != -2:
                return False
            self.record[RECORD * slot + LEAF] = self.free_slot
            self.record[RECORD * slot + ENTRY] = -1
            self.free_slot = free[i]
        return True


def round_up_span(size: cython.int) -> NoGil[cython.int]:
    """Return the length of a span for `size` entries: a multiple of four, or a power of two."""
    length: cython.int = 64
    if size <= length:
        return (size + 3) & ~3
    while length < size:
        length *= 2
    return length


def span_class(size: cython.int) -> NoGil[cython.int]:
    """Return the index of a span's size in `free_spans`; 0 if it is too short to be used again."""
    kind: cython.int = 16
    if size <= 64:
        return size >> 2
    while size >= 128:
        size >>= 1
        kind += 1
    return kind

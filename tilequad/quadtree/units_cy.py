# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Units in a quadtree: where each one stands, and how the tree follows when they move.

A unit is a slot, a small int that is its own until it is removed:

    record[3 * slot]       the leaf it stands in, then its place in that leaf's span (+1) and its
                           number in the order of adding (+2)
    half_w, half_h[slot]   half the size of its box; a circle has its radius and -1

The leaves' entries stand in px, py (the position), who (the slot) and masks (the groups, 32 bits),
each leaf a span with some room to grow. What a search reads for every entry is packed there, 24
bytes; what it reads only of those it finds is in the slot.
"""

from __future__ import annotations

from array import array

import numpy as np

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

from tilequad.quadtree.buffer_cy import IntBuffer
from tilequad.quadtree.build_cy import Builder
from tilequad.quadtree.nodes_cy import Nodes, longer, resized

COMPILED = bool(cython.compiled)

# A leaf with more entries divides. Fewer make deeper trees and cheaper leaves; from 24 to 64 the
# queries change little, and the more there are, the fewer units leave theirs when they move.
LEAF_SIZE = 48

INF = float("inf")
WIDER = 1.0 + 2.0**-22  # more than float32 and the edges of a footprint lose to rounding
TINY = 1e-37  # and where that is nothing


class Units(Nodes):
    """The storage of a dynamic quadtree: slots, leaf spans, splitting and merging."""

    __slots__ = (
        "clock",
        "count",
        "frame",
        "free_slot",
        "half_h",
        "half_w",
        "least",
        "length",
        "masks",
        "most",
        "packed",
        "px",
        "py",
        "record",
        "room",
        "serial",
        "slots",
        "spans",
        "stamps",
        "wear",
        "who",
    )

    def __init__(self) -> None:
        self.frame = array("d", [0.0]) * 4  # where most units are expected
        self.px = array("d")
        self.py = array("d")
        self.who = array("i")
        self.masks = array("i")
        self.length = 0  # entries ever handed out in spans
        self.packed = 0  # units there were when the spans were last written side by side
        self.spans = array("i", [-1]) * 48  # the first free span of each size class
        self.room = array("i")  # by quadrant: entries its span can hold
        self.wear = array("i")  # by quadrant: moves since its box was last made tight
        self.record = array("i")
        self.half_w = array("d")
        self.half_h = array("d")
        self.least = INF  # a bound of all reaches of footprints, from below
        self.most = 0.0  # and from above
        self.slots = 0  # slots ever taken
        self.free_slot = -1  # the first of the freed ones, chained through record[3 * slot]
        self.count = 0  # units in the tree
        self.serial = 0  # the next number in the order of adding
        self.stamps = array("i")  # by slot: the clock when it last changed; empty if nobody asks
        self.clock = 0
        Nodes.__init__(self)

    def _reserve(self, capacity: int) -> None:
        """Make room for that many nodes."""
        Nodes._reserve(self, capacity)
        self.room = resized("i", self.room, 4 * capacity, 0)
        self.wear = resized("i", self.wear, 4 * capacity, 0)

    def _reserve_slots(self, slots: int) -> None:
        """Make room for that many slots."""
        self.record = resized("i", self.record, 3 * slots, -1)
        self.half_w = resized("d", self.half_w, slots, 0.0)
        self.half_h = resized("d", self.half_h, slots, 0.0)
        if len(self.stamps) > 0:
            self.stamps = resized("i", self.stamps, slots, self.clock)

    def _reserve_entries(self, length: int) -> None:
        """Make room for that many entries in spans."""
        self.px = resized("d", self.px, length, 0.0)
        self.py = resized("d", self.py, length, 0.0)
        self.who = resized("i", self.who, length, -1)
        self.masks = resized("i", self.masks, length, 0)

    # -- slots -------------------------------------------------------------------------------------

    def take_slot(self) -> cython.int:
        """A free slot, with the next number in the order of adding."""
        slot: cython.int = self.free_slot
        if slot >= 0:
            self.free_slot = self.record[3 * slot]
        else:
            if self.slots == len(self.half_w):
                self._reserve_slots(longer(self.slots))
            slot = self.slots
            self.slots += 1
        if self.serial == 0x7FFFFFFF:
            self._renumber()
        self.record[3 * slot + 2] = self.serial
        self.serial += 1
        return slot

    def _renumber(self) -> None:
        """Number the units afresh, in the same order, after two thousand million of them."""
        record = self.record
        order = sorted(
            (record[3 * slot + 2], slot) for slot in map(int, self.who[: self.length]) if slot >= 0
        )
        for serial, (_, slot) in enumerate(order):
            record[3 * slot + 2] = serial
        self.serial = len(order)

    def insert(
        self, slot: cython.int, x: cython.double, y: cython.double, groups: cython.int
    ) -> cython.int:
        """Stand a slot, its size set, at a position."""
        reach: cython.float = self.reach_of(slot)
        self.most = max(self.most, reach)
        self.least = min(self.least, reach)
        return self.insert_in(self.leaf_at(x, y), slot, x, y, groups)

    def insert_in(
        self,
        q: cython.int,
        slot: cython.int,
        x: cython.double,
        y: cython.double,
        groups: cython.int,
    ) -> cython.int:
        """The same in leaf q, whose cell holds the position, for a slot that was in the tree."""
        reach: cython.float = 0.0
        while self.links[self.place_of(q) + 12] == self.room[q]:
            self.make_room(q)
            q = self.leaf_at(x, y)
        if self.reach[q] < self.most:  # else there is no need to read it
            reach = self.reach_of(slot)
        self.put(q, slot, x, y, groups)
        self.grow(q, x, y, reach, groups)
        self.count += 1
        self.stamp(slot)
        return 0

    def delete(self, slot: cython.int) -> cython.int:
        """Take a slot out of the tree and free it."""
        self.detach(slot)
        self.stamp(slot)
        self.record[3 * slot] = self.free_slot
        self.record[3 * slot + 1] = -1
        self.free_slot = slot
        return 0

    def shift(self, slot: cython.int, x: cython.double, y: cython.double) -> cython.int:
        """Stand a slot somewhere else; almost nothing to do while it stays in its leaf."""
        q: cython.int = self.record[3 * slot]
        place: cython.int = self.record[3 * slot + 1]
        at: cython.int = (q >> 2) * 16 + (q & 3)
        groups: cython.int
        if (
            x < self.box[at]
            or y < self.box[at + 4]
            or x > self.box[at + 8]
            or y > self.box[at + 12]
        ):
            if not self.in_cell(q, x, y):
                groups = self.masks[place]
                self.detach(slot)
                return self.insert_in(self.leaf_at(x, y), slot, x, y, groups)
            self.grow(q, x, y, 0.0, 0)
        self.px[place] = x
        self.py[place] = y
        self.stamp(slot)
        # Boxes only grow while units move about in them: make them tight again now and then.
        self.wear[q] += 1
        if self.wear[q] > 2 * self.room[q]:
            self.fit_leaf(q)
            self.lift(q >> 2)
        return 0

    def detach(self, slot: cython.int) -> cython.int:
        """Take a slot out of its leaf, without freeing it; merge what has become too small."""
        q: cython.int = self.record[3 * slot]
        self.take_out(q, self.record[3 * slot + 1])
        self.fit_leaf(q)
        self.lift(q >> 2)
        return self.merge(q >> 2)

    def take_out(self, q: cython.int, place: cython.int) -> None:
        """Take an entry out of leaf q's span; what the leaf knows is left as it was."""
        at: cython.int = (q >> 2) * 16 + (q & 3)
        last: cython.int
        self.links[at + 12] -= 1
        self.count -= 1
        last = self.links[at + 8] + self.links[at + 12]
        if place != last:
            self.copy_entry(last, place)
        self.who[last] = -1

    # -- what has changed --------------------------------------------------------------------------

    def stamp(self, slot: cython.Py_ssize_t) -> None:
        """Note that a slot has been added, moved or removed."""
        if len(self.stamps) > 0:
            self.stamps[slot] = self.clock

    def _changed_since(self, clock: int) -> np.ndarray:
        """The slots that changed at or after a time of `_tick`, ascending; (n,) int32."""
        stamps = np.frombuffer(self.stamps, np.int32)[: self.slots]
        return np.flatnonzero(stamps >= clock).astype(np.int32)

    def _tick(self) -> int:
        """Begin a new time, and return it; from the first one on changes are noted."""
        if len(self.stamps) == 0:
            self.stamps = array("i", [-1]) * max(len(self.half_w), 1)
        self.clock += 1
        return self.clock

    # -- many at once ------------------------------------------------------------------------------

    def _load(self, slots: np.ndarray, points: np.ndarray, masks: np.ndarray) -> None:
        """Stand many slots, their sizes set, and build the tree afresh with them all."""
        if len(self.stamps) > 0:
            np.frombuffer(self.stamps, np.int32)[slots] = self.clock
        if self.count > 0:
            old_slots, old_points, old_masks = self._standing()
            slots = np.concatenate([slots, old_slots])
            points = np.concatenate([points, old_points])
            masks = np.concatenate([masks, old_masks])
        n = len(slots)
        self.used, self.free, self.live = 0, -1, 0
        self.take_node(-1, 0.0, 0.0)
        self.who = Builder(self, points, LEAF_SIZE).build()  # rows, until `settle` knows better
        self._reserve(longer(self.used))
        self.px = array("d", [0.0]) * n
        self.py = array("d", [0.0]) * n
        self.masks = array("i", [0]) * n
        self.spans = array("i", [-1]) * 48
        self.length = self.count = self.packed = n
        self.settle(slots.data, points.data, masks.data)
        self._widen()
        self.fit_all()

    def settle(
        self,
        slots: cython.int[::1],
        points: cython.double[:, ::1],
        masks: cython.int[::1],
    ) -> cython.int:
        """Write entries where `who` has their rows, and tell the slots where they are."""
        order: cython.int[::1] = array("i", [0]) * self.live
        i: cython.int
        j: cython.int
        q: cython.int
        row: cython.int
        start: cython.int
        for j in range(self.preorder(order)):
            for q in range(4 * order[j], 4 * order[j] + 4):
                start = self.links[self.place_of(q) + 8]
                self.room[q] = self.links[self.place_of(q) + 12]
                for i in range(start, start + self.room[q]):
                    row = self.who[i]
                    self.px[i] = points[row, 0]
                    self.py[i] = points[row, 1]
                    self.who[i] = slots[row]
                    self.masks[i] = masks[row]
                    self.record[3 * slots[row]] = q
                    self.record[3 * slots[row] + 1] = i
        return 0

    def _widen(self) -> None:
        """Let all quadrants reach as far as the widest footprint, until `fit_leaf` knows better."""
        halves = np.maximum(np.frombuffer(self.half_w), np.frombuffer(self.half_h))[: self.slots]
        self.most = WIDER * halves.max(initial=0.0) + TINY
        self.least = WIDER * halves.min(initial=INF) + TINY
        np.frombuffer(self.reach, np.float32)[:] = self.most

    def _standing(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The slots in the tree, their positions and groups, in the order of the leaves."""
        who = np.frombuffer(self.who, np.int32)[: self.length]
        xs = np.frombuffer(self.px, np.float64)[: self.length]
        ys = np.frombuffer(self.py, np.float64)[: self.length]
        masks = np.frombuffer(self.masks, np.int32)[: self.length]
        taken = who >= 0
        return who[taken], np.column_stack([xs[taken], ys[taken]]), masks[taken]

    def shift_all(self, slots: cython.int[::1], points: cython.double[:, ::1]) -> cython.int:
        """Stand many slots somewhere else.

        If they are a good part of all, it is cheaper to write the positions first, look at every
        leaf once, and send those on their way that have left theirs.
        """
        i: cython.int
        q: cython.int
        n: cython.int
        place: cython.int
        count: cython.int = len(slots)
        leavers: cython.int = 0
        if 8 * count < self.count:
            for i in range(count):
                self.shift(slots[i], points[i, 0], points[i, 1])
            return 0
        for i in range(count):
            place = self.record[3 * slots[i] + 1]
            self.px[place] = points[i, 0]
            self.py[place] = points[i, 1]
            self.stamp(slots[i])
        order: cython.int[::1] = array("i", [0]) * self.live
        left: IntBuffer = IntBuffer()
        for i in range(self.preorder(order)):
            for q in range(4 * order[i], 4 * order[i] + 4):
                n = self.count_leavers(q)
                if n > 0:
                    left.append(q)
                    leavers += n
        self.send_on(left, leavers, order)
        return 0

    def count_leavers(self, q: cython.int) -> cython.int:
        """How many are in leaf q but not in its cell; where there are none, the box is made tight.

        What the leaf knows is exact then, but for groups and reach, which moving does not change.
        """
        cell = cython.declare(cython.double[4])
        at: cython.Py_ssize_t = self.place_of(q)
        i: cython.Py_ssize_t
        start: cython.Py_ssize_t = self.links[at + 8]
        n: cython.int = 0
        if self.links[at + 12] == 0:
            return 0
        self.fit_box(q, self.px, self.py)
        self.wear[q] = 0
        self.cell_of(q, cell)
        if (
            self.box[at] >= cell[0]
            and self.box[at + 4] >= cell[1]
            and self.box[at + 8] < cell[2]
            and self.box[at + 12] < cell[3]
        ):
            return 0
        for i in range(start, start + self.links[at + 12]):
            n += (
                (self.px[i] < cell[0])
                | (self.py[i] < cell[1])
                | (self.px[i] >= cell[2])
                | (self.py[i] >= cell[3])
            )
        return n

    def send_on(self, left: IntBuffer, n: cython.int, order: cython.int[::1]) -> cython.int:
        """Move all who are outside the cells of the leaves `left`, n of them, to where they belong.

        All are out before one goes in: a leaf that divides must hold none that is not its own.
        """
        i: cython.int
        j: cython.int
        q: cython.int
        xs: cython.double[::1] = array("d", [0.0]) * n
        ys: cython.double[::1] = array("d", [0.0]) * n
        who: cython.int[::1] = array("i", [0]) * n
        masks: cython.int[::1] = array("i", [0]) * n
        origin: cython.int[::1] = array("i", [0]) * n
        self.take_leavers(left, xs, ys, who, masks, origin)
        self.refit(order)
        for i in range(n):
            q = self.leaf_near(origin[i], xs[i], ys[i])
            self.insert_in(q, who[i], xs[i], ys[i], masks[i])
        # Nodes are only given back here, so one that still hangs from its parent is the one it was.
        for j in range(left.used):
            if self.is_live(left.values[j] >> 2):
                self.merge(left.values[j] >> 2)
        return 0

    def take_leavers(
        self,
        left: IntBuffer,
        xs: cython.double[::1],
        ys: cython.double[::1],
        who: cython.int[::1],
        masks: cython.int[::1],
        origin: cython.int[::1],
    ) -> None:
        """Move all entries that are outside the cells of their leaves to these arrays."""
        cell = cython.declare(cython.double[4])
        at: cython.Py_ssize_t
        i: cython.int
        j: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        q: cython.int
        for j in range(left.used):
            q = left.values[j]
            at = self.place_of(q)
            i = self.links[at + 8]
            self.cell_of(q, cell)
            while i < self.links[at + 8] + self.links[at + 12]:
                if cell[0] <= self.px[i] < cell[2] and cell[1] <= self.py[i] < cell[3]:
                    i += 1
                    continue
                xs[n] = self.px[i]
                ys[n] = self.py[i]
                who[n] = self.who[i]
                masks[n] = self.masks[i]
                origin[n] = q
                n += 1
                self.take_out(q, i)
            self.fit_leaf(q)

    # -- leaves ------------------------------------------------------------------------------------

    def fit_leaf(self, q: cython.int) -> None:
        """Make what leaf q knows of its entries exact; an empty one gives its span back.

        Its reach must not be too little before: the first entry that has all of it ends the search,
        and where it is the least of all there is nothing to search for.
        """
        at: cython.int = (q >> 2) * 16 + (q & 3)
        i: cython.int
        start: cython.int = self.links[at + 8]
        groups: cython.int = 0
        reach: cython.float = 0.0
        if self.links[at + 12] == 0:
            self.drop_span(start, self.room[q])
            self.room[q] = 0
            self.clear_leaf(q)
            return
        self.fit_box(q, self.px, self.py)
        for i in range(start, start + self.links[at + 12]):
            groups |= self.masks[i]
        if self.reach[q] > self.least:
            for i in range(start, start + self.links[at + 12]):
                reach = max(reach, self.reach_of(self.who[i]))
                if reach >= self.reach[q]:
                    break
            self.reach[q] = reach
        self.links[at + 4] = groups
        self.wear[q] = 0

    def reach_of(self, slot: cython.Py_ssize_t) -> cython.float:
        """How far a slot's footprint reaches from its position, along x or y, at most."""
        return WIDER * max(self.half_w[slot], self.half_h[slot]) + TINY

    def make_room(self, q: cython.int) -> cython.int:
        """Divide the full leaf q, or give it a longer span."""
        room: cython.int = self.room[q]
        # The most that is taken at once: four spans for those in this one, or one twice as long.
        self.make_entries(4 * room + 64)
        if room >= LEAF_SIZE and self.may_divide(q) and self.split_leaf(q):
            return 0
        # A leaf that cannot be divided doubles, so that it is tried again ever more rarely.
        return self.move_span(q, room + 4 if room < LEAF_SIZE else 2 * room)

    def split_leaf(self, q: cython.int) -> cython.bint:
        """Make leaf q a node with four leaves; False if all its entries stand on one point."""
        middle = cython.declare(cython.double[2])
        sizes = cython.declare(cython.int[4])
        at: cython.int = (q >> 2) * 16 + (q & 3)
        start: cython.int = self.links[at + 8]
        end: cython.int = start + self.links[at + 12]
        room: cython.int = self.room[q]
        i: cython.int
        k: cython.int
        n: cython.int
        self.wish(q, middle)
        if not self.middle_of(self.px, self.py, start, end, middle):
            return False
        n = self.take_node(q, middle[0], middle[1])
        for k in range(4):
            sizes[k] = 0
        for i in range(start, end):
            sizes[(self.px[i] >= middle[0]) + 2 * (self.py[i] >= middle[1])] += 1
        for k in range(4):
            self.room[4 * n + k] = 0
            if sizes[k] > 0:
                self.move_span(4 * n + k, sizes[k])
        for i in range(start, end):
            k = (self.px[i] >= middle[0]) + 2 * (self.py[i] >= middle[1])
            self.put(4 * n + k, self.who[i], self.px[i], self.py[i], self.masks[i])
        for k in range(4):
            if sizes[k] > 0:
                self.reach[4 * n + k] = self.reach[q]
                self.fit_leaf(4 * n + k)
        self.links[at + 8] = 0
        self.links[at + 12] = 0
        self.room[q] = 0
        self.drop_span(start, room)
        return True

    def wish(self, q: cython.int, middle: cython.p_double) -> None:
        """Write the middle of quadrant q's cell, as far as it is within the frame.

        Units that come in rows would make thin strips if the middle of the first ones counted.
        """
        cell = cython.declare(cython.double[4])
        axis: cython.int
        self.cell_of(q, cell)
        for axis in range(2):
            middle[axis] = 0.5 * max(cell[axis], self.frame[axis]) + 0.5 * min(
                cell[axis + 2], self.frame[axis + 2]
            )

    def merge(self, n: cython.int) -> cython.int:
        """Make node n a leaf again, and those above it, while little is left below."""
        q: cython.int
        k: cython.int
        i: cython.int
        at: cython.int
        start: cython.int
        total: cython.int
        reach: cython.float
        while n > 0:
            total = 0
            for k in range(4):
                if self.links[16 * n + k] >= 0:
                    return 0
                total += self.links[16 * n + k + 12]
            if 2 * total > LEAF_SIZE:
                return 0
            self.make_entries(LEAF_SIZE)
            q = self.parent[n]
            reach = self.reach[q]
            self.clear_leaf(q)
            self.room[q] = 0
            if total > 0:
                self.move_span(q, total)
            for k in range(4):
                at = 16 * n + k
                start = self.links[at + 8]
                for i in range(start, start + self.links[at + 12]):
                    self.put(q, self.who[i], self.px[i], self.py[i], self.masks[i])
                if self.room[4 * n + k] > 0:
                    self.drop_span(start, self.room[4 * n + k])
                    self.room[4 * n + k] = 0
            self.drop_node(n)
            if total > 0:
                self.reach[q] = reach
                self.fit_leaf(q)
            n = q >> 2
            self.lift(n)
        return 0

    def put(
        self,
        q: cython.int,
        slot: cython.int,
        x: cython.double,
        y: cython.double,
        groups: cython.int,
    ) -> None:
        """Write an entry at the end of leaf q's span, which has room."""
        at: cython.int = (q >> 2) * 16 + (q & 3)
        place: cython.int = self.links[at + 8] + self.links[at + 12]
        self.links[at + 12] += 1
        self.px[place] = x
        self.py[place] = y
        self.who[place] = slot
        self.masks[place] = groups
        self.record[3 * slot] = q
        self.record[3 * slot + 1] = place

    def copy_entry(self, place: cython.Py_ssize_t, to: cython.int) -> None:
        """Copy an entry to another place of a leaf's span, and tell the slot."""
        self.px[to] = self.px[place]
        self.py[to] = self.py[place]
        self.who[to] = self.who[place]
        self.masks[to] = self.masks[place]
        self.record[3 * cython.cast(cython.Py_ssize_t, self.who[to]) + 1] = to

    # -- spans -------------------------------------------------------------------------------------

    def move_span(self, q: cython.int, room: cython.int) -> cython.int:
        """Give leaf q a span for at least that many entries, and its entries with it."""
        at: cython.int = (q >> 2) * 16 + (q & 3)
        size: cython.int = span_size(room)
        to: cython.int = self.take_span(size)
        start: cython.int = self.links[at + 8]
        i: cython.int
        for i in range(self.links[at + 12]):
            self.copy_entry(start + i, to + i)
        self.drop_span(start, self.room[q])
        self.links[at + 8] = to
        self.room[q] = size
        return 0

    def make_entries(self, count: cython.int) -> cython.int:
        """See to it that spans for so many entries more can be taken; may move all spans."""
        if self.length + count > len(self.who):
            # Units that only move find their spans among those left by others, so that packing
            # once more would be in vain.
            if 7 * (self.length - self.count) > self.length and (
                16 * self.count > 17 * self.packed or 2 * self.count < self.packed
            ):
                self._pack(count)
            else:
                self._reserve_entries(longer(self.length) + count)
        return 0

    def _pack(self, count: cython.int) -> None:
        """Write the spans afresh, side by side in the order of the nodes, and leave room for more.

        What moves and divisions left free in between is taken back.
        """
        order: cython.int[::1] = array("i", [0]) * self.live
        live: cython.int = self.preorder(order)
        i: cython.int
        k: cython.int
        n: cython.int
        at: cython.int
        start: cython.int
        length: cython.int = 0
        for i in range(live):
            for k in range(4):
                length += span_size(self.links[16 * order[i] + k + 12])
        px: cython.double[::1] = array("d", [0.0]) * (longer(length) + count)
        py: cython.double[::1] = array("d", [0.0]) * len(px)
        who: cython.int[::1] = array("i", [-1]) * len(px)
        masks: cython.int[::1] = array("i", [0]) * len(px)
        length = 0
        for i in range(live):
            for k in range(4):
                at = 16 * order[i] + k
                start = self.links[at + 8]
                for n in range(self.links[at + 12]):
                    px[length + n] = self.px[start + n]
                    py[length + n] = self.py[start + n]
                    who[length + n] = self.who[start + n]
                    masks[length + n] = self.masks[start + n]
                    self.record[3 * who[length + n] + 1] = length + n
                self.links[at + 8] = length
                self.room[4 * order[i] + k] = span_size(self.links[at + 12])
                length += self.room[4 * order[i] + k]
        self.px, self.py, self.who, self.masks = px, py, who, masks
        self.length = length
        self.packed = self.count
        self.spans = array("i", [-1]) * 48

    def take_span(self, size: cython.int) -> cython.int:
        """The start of a free span of a size that `span_size` gave; `make_entries` comes before."""
        kind: cython.int = span_class(size)
        start: cython.int = self.spans[kind]
        if start >= 0:
            self.spans[kind] = -2 - self.who[start + 1]
            self.who[start + 1] = -1
            return start
        start = self.length
        self.length = start + size
        return start

    def drop_span(self, start: cython.int, room: cython.int) -> None:
        """Give a span back. Free entries have a negative who; the second one chains the spans."""
        i: cython.int
        kind: cython.int = span_class(room)
        for i in range(start, start + room):
            self.who[i] = -1
        if kind > 0:
            self.who[start + 1] = -2 - self.spans[kind]
            self.spans[kind] = start

    # -- inspecting --------------------------------------------------------------------------------

    def _arrays(self) -> dict[str, memoryview]:
        """The arrays of nodes, leaves and slots by their names, to be read."""
        return {
            **Nodes._arrays(self),
            "px": memoryview(self.px),
            "py": memoryview(self.py),
            "who": memoryview(self.who),
            "masks": memoryview(self.masks),
            "spans": memoryview(self.spans),
            "room": memoryview(self.room),
            "wear": memoryview(self.wear),
            "record": memoryview(self.record),
            "half_w": memoryview(self.half_w),
            "half_h": memoryview(self.half_h),
            "stamps": memoryview(self.stamps),
        }

    def _check_units(self) -> None:
        """Prove the invariants of nodes, leaves and spans, or raise AssertionError."""
        seen = bytearray(self.length)
        count = 0
        for q in self._check_nodes():
            at = (q >> 2) * 16 + (q & 3)
            start, entries = self.links[at + 8], self.links[at + 12]
            assert entries <= self.room[q], f"leaf {q} is over-full"
            assert (entries == 0) == (self.links[at + 4] == 0), f"leaf {q} and its groups"
            for i in range(start, start + self.room[q]):
                assert not seen[i], f"entry {i} is in two leaves"
                seen[i] = 1
                assert (self.who[i] >= 0) == (i < start + entries), f"entry {i} of leaf {q}"
            for i in range(start, start + entries):
                self._check_entry(q, i)
            count += entries
        assert count == self.count, "units are miscounted"
        assert all(used or self.who[i] < 0 for i, used in enumerate(seen)), "a lost entry"

    def _check_entry(self, q: int, i: int) -> None:
        """Prove that entry i belongs to leaf q and that the leaf knows it."""
        at = (q >> 2) * 16 + (q & 3)
        x, y, slot = self.px[i], self.py[i], self.who[i]
        assert self.record[3 * slot] == q, f"slot {slot} is not in leaf {q}"
        assert self.record[3 * slot + 1] == i, f"slot {slot} is not at entry {i}"
        assert self.in_cell(q, x, y), f"({x}, {y}) is outside the cell of leaf {q}"
        assert self.box[at] <= x <= self.box[at + 8], f"x of slot {slot}"
        assert self.box[at + 4] <= y <= self.box[at + 12], f"y of slot {slot}"
        reach = max(self.half_w[slot], self.half_h[slot])
        assert reach * (1.0 + 1e-15) <= self.reach[q], f"reach of slot {slot}"
        assert not self.masks[i] & ~self.links[at + 4], f"groups of slot {slot}"


def span_size(room: cython.int) -> cython.int:
    """The least size of a span with that room: steps of four up to 64, then powers of two."""
    size: cython.int = 64
    if room <= size:
        return (room + 3) & ~3
    while size < room:
        size *= 2
    return size


def span_class(room: cython.int) -> cython.int:
    """Which free spans a span of that room belongs to; 0 for one too short to be used again."""
    kind: cython.int = 16
    if room <= 64:
        return room >> 2
    while room >= 128:
        room >>= 1
        kind += 1
    return kind

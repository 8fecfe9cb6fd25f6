"""Which units are inside which zones, which entered and which left.

A zone is a row, a unit is a slot of its tree. A link says that a unit is inside a zone; it is in
two lists, one of the zone and one of the unit. The state of each unit at the last look is kept by
slot, so an unchanged unit costs one comparison.
"""

from __future__ import annotations

from array import array
from math import nan, sqrt
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.buffers import IntBuffer, longer, resized
from tilequad._core.tree.layout import ENTRY, ORDER, RECORD
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.zorder import z_order
from tilequad.quadtree.dynamic import DynamicQuadtree

NOTHING: cython.int = -1
MARGIN, TINY = 1.0 + 1e-9, 1e-140  # together they exceed the rounding error of a zone's edge
CELLS_A_WATCH = 8  # the most cells of the grid for each zone, about
MAX_SIDE = 4096  # the most columns and rows
WIDE: cython.int = 64  # a zone that covers more cells is not in the grid
DIGIT: cython.int = 11  # bits per pass of the radix sort
EVENT: cython.int = 4  # ints of an event: zone, slot, kind, number in the order of adding
# Kinds of events; DIED + i means the i-th unit in `gone`.
LEFT: cython.int = 0
CAME: cython.int = 1
DIED: cython.int = 2


@cython.final
@cython.cclass
class Memberships:
    """The links between zones and units, and the unreported events."""

    __slots__ = {
        "serials": "long long[::1]",
        "orders": "int[::1]",
        "xs": "double[::1]",
        "ys": "double[::1]",
        "masks": "int[::1]",
        "changed": "int[::1]",
        "slot_head": "int[::1]",
        "slot_stamp": "long long[::1]",
        "names": "list",
        "zone_x": "double[::1]",
        "zone_y": "double[::1]",
        "radius2": "double[::1]",
        "leave": "double[::1]",
        "leave2": "double[::1]",
        "groups": "int[::1]",
        "anchor": "int[::1]",
        "anchor_serial": "long long[::1]",
        "enabled": "int[::1]",
        "stale": "int[::1]",
        "tested": "int[::1]",
        "in_zone": "int[::1]",
        "zone_head": "int[::1]",
        "link_zone": "int[::1]",
        "link_slot": "int[::1]",
        "next_in_slot": "int[::1]",
        "prev_in_slot": "int[::1]",
        "next_in_zone": "int[::1]",
        "prev_in_zone": "int[::1]",
        "free_link": "int",
        "generation": "long long",
        "events": "IntBuffer",
        "gone": "list",
        "columns": "int",
        "rows": "int",
        "cell": "double",
        "left_edge": "double",
        "lower_edge": "double",
        "right_edge": "double",
        "upper_edge": "double",
        "starts": "int[::1]",
        "cell_zones": "int[::1]",
        "wide": "int[::1]",
        "without": "int[::1]",
    }

    def __init__(self) -> None:
        # By slot: the unit at the last look (serial -1: none), and its links.
        self.serials = array("q")
        self.orders = array("i")  # when each unit was added
        self.xs = array("d")
        self.ys = array("d")
        self.masks = array("i")
        self.changed = array("i")  # 1 if the unit is still to be tested
        self.slot_head = array("i")
        self.slot_stamp = array("q")
        self.names: list[Any] = []  # the items
        # By row.
        self.zone_x = array("d")
        self.zone_y = array("d")
        self.radius2 = array("d")
        self.leave = array("d")
        self.leave2 = array("d")
        self.groups = array("i")
        self.without = array("i")
        self.anchor = array("i")  # the slot of the unit that carries the zone, or -1
        self.anchor_serial = array("q")
        self.enabled = array("i")
        self.stale = array("i")  # 1 if all units around it are still to be tested
        self.tested = array("i")  # 1 if that was done in this update
        self.in_zone = array("i")  # the number of links
        self.zone_head = array("i")
        # By link.
        self.link_zone = array("i")
        self.link_slot = array("i")
        self.next_in_slot = array("i")
        self.prev_in_slot = array("i")
        self.next_in_zone = array("i")  # the next free link, if this one is free
        self.prev_in_zone = array("i")
        self.free_link = NOTHING
        self.generation = 0
        self.events = IntBuffer()
        self.gone: list[Any] = []
        # A grid of the zones: those of cell i are cell_zones[starts[i]:starts[i + 1]], and zones
        # that cover too many cells are in `wide`. With 0 columns it must be built.
        self.columns = self.rows = 0
        self.cell = self.left_edge = self.lower_edge = self.right_edge = self.upper_edge = 0.0
        self.starts = array("i")
        self.cell_zones = array("i")
        self.wide = array("i")

    # -- keeping -----------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        by_slot: list[Any] = [
            self.serials,
            self.orders,
            self.xs,
            self.ys,
            self.masks,
            self.changed,
            self.slot_head,
        ]
        by_row: list[Any] = [self.zone_x, self.zone_y, self.radius2, self.leave, self.groups]
        by_row += [
            self.without,
            self.anchor,
            self.anchor_serial,
            self.enabled,
            self.stale,
            self.in_zone,
        ]
        links: list[Any] = [self.link_zone, self.link_slot, self.next_in_slot, self.prev_in_slot]
        links += [self.next_in_zone, self.prev_in_zone]
        parts = [bytes(part) for part in [*by_slot, *by_row, self.zone_head, *links]]
        events = bytes(self.events.taken())
        state = parts, self.free_link, events, list(self.names), list(self.gone)
        return type(self), (), state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        parts, self.free_link, events, self.names, self.gone = state
        kinds = "qiddiii" + "ddddi" + "iiqiii" + "i" + "iiiiii"
        read: list[Any] = []
        for kind, part in zip(kinds, parts, strict=True):
            values: Any = array(kind)
            values.frombytes(part)
            read.append(values)
        self.serials, self.orders, self.xs, self.ys, self.masks = read[:5]
        self.changed, self.slot_head = read[5:7]
        self.zone_x, self.zone_y, self.radius2, self.leave, self.groups = read[7:12]
        self.leave2 = array("d", [leave * leave for leave in read[10]])
        self.without, self.anchor, self.anchor_serial = read[12:15]
        self.enabled, self.stale, self.in_zone, self.zone_head = read[15:19]
        self.link_zone, self.link_slot, self.next_in_slot, self.prev_in_slot = read[19:23]
        self.next_in_zone, self.prev_in_zone = read[23:]
        self.slot_stamp = array("q", [0]) * len(self.serials)
        self.tested = array("i", [0]) * len(self.anchor)
        self.events = IntBuffer(max(len(events) // 4, 1))
        values = array("i")
        values.frombytes(events)
        for value in values:
            self.events.append(value)

    # -- zones -----------------------------------------------------------------------------------

    def reserve_rows(self, rows: int) -> None:
        """Reserve room for this many zones."""
        if rows <= len(self.zone_head):
            return
        rows = longer(rows)
        self.zone_x = resized("d", self.zone_x, rows, 0.0)
        self.zone_y = resized("d", self.zone_y, rows, 0.0)
        self.radius2 = resized("d", self.radius2, rows, 0.0)
        self.leave = resized("d", self.leave, rows, 0.0)
        self.leave2 = resized("d", self.leave2, rows, 0.0)
        self.groups = resized("i", self.groups, rows, 0)
        self.without = resized("i", self.without, rows, 0)
        self.anchor = resized("i", self.anchor, rows, NOTHING)
        self.anchor_serial = resized("q", self.anchor_serial, rows, NOTHING)
        self.enabled = resized("i", self.enabled, rows, 0)
        self.stale = resized("i", self.stale, rows, 0)
        self.tested = resized("i", self.tested, rows, 0)
        self.in_zone = resized("i", self.in_zone, rows, 0)
        self.zone_head = resized("i", self.zone_head, rows, NOTHING)

    def set_zone(
        self,
        row: int,
        place: tuple[float, float],
        radius: float,
        leave: float,
        groups: int,
        without: int,
    ) -> None:
        """Begin a zone at a place; `set_anchor` lets a unit carry it."""
        self.columns = 0
        self.reserve_rows(row + 1)
        self.zone_x[row], self.zone_y[row] = place
        self.radius2[row], self.leave2[row] = radius * radius, leave * leave
        self.leave[row] = leave
        self.groups[row] = groups
        self.without[row] = without
        self.anchor[row] = NOTHING
        self.enabled[row] = self.stale[row] = 1

    def set_anchor(self, units: DynamicQuadtree, row: cython.Py_ssize_t, slot: int) -> None:
        """Let a unit carry a zone, as long as it lives."""
        store: UnitStore = units._store
        self.anchor[row] = slot
        self.anchor_serial[row] = store.serial_of(slot)

    def set_enabled(self, row: int, enabled: bool) -> None:
        """Switch a zone on or off."""
        self.columns = 0
        if self.enabled[row] != enabled:
            self.enabled[row] = enabled
            self.stale[row] = 1

    def end_zone(self, row: cython.int) -> None:
        """Forget a zone and its links, without events."""
        self.columns = 0
        while self.zone_head[row] >= 0:
            self.unlink(self.zone_head[row])
        self.anchor[row] = NOTHING
        self.enabled[row] = self.stale[row] = 0
        self._forget_events(row)

    def _forget_events(self, row: int) -> None:
        """Drop the unreported events of a zone."""
        values = np.frombuffer(self.events.taken(), np.int32).reshape(-1, EVENT)
        kept = values[values[:, 0] != row].ravel().tolist()
        self.events.used = 0
        for value in kept:
            self.events.append(value)

    # -- a look at the tree ------------------------------------------------------------------------

    def look(self, units: DynamicQuadtree) -> None:
        """Find changed units, end the links of removed ones, and let zones follow their units."""
        store: UnitStore = units._store
        if len(self.serials) <= store.slots:
            self._reserve_slots(longer(store.slots))
        self.scan(store, units._items)
        self.follow_anchors()

    def has_stale(self) -> bool:
        """Whether some zone has lost its unit or must test all units around it."""
        row: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        for row in range(len(self.stale)):
            slot = self.anchor[row]
            if self.stale[row] or (slot >= 0 and self.anchor_serial[row] != self.serials[slot]):
                return True
        return False

    def count_changed(self) -> int:
        """Return how many units must be tested."""
        slot: cython.Py_ssize_t
        count: cython.Py_ssize_t = 0
        for slot in range(len(self.changed)):
            count += self.changed[slot]
        return count

    def _reserve_slots(self, slots: int) -> None:
        self.serials = resized("q", self.serials, slots, NOTHING)
        self.orders = resized("i", self.orders, slots, NOTHING)
        self.xs = resized("d", self.xs, slots, 0.0)
        self.ys = resized("d", self.ys, slots, 0.0)
        self.masks = resized("i", self.masks, slots, 0)
        self.changed = resized("i", self.changed, slots, 0)
        self.slot_stamp = resized("q", self.slot_stamp, slots, 0)
        self.slot_head = resized("i", self.slot_head, slots, NOTHING)
        self.names += [None] * (slots - len(self.names))

    def scan(self, store: UnitStore, items: list[Any]) -> Raises[cython.int]:
        """Compare each unit with what it was at the last look."""
        slot: cython.int
        entry: cython.int
        serial: cython.longlong
        for slot in range(store.slots):
            entry = store.record[RECORD * slot + ENTRY]
            serial = store.serial_of(slot)
            if serial != self.serials[slot]:
                if self.slot_head[slot] >= 0:
                    self.bury(slot)
                self.names[slot] = None if entry < 0 else items[slot]
                self.serials[slot] = serial
                self.orders[slot] = store.record[RECORD * slot + ORDER]
                self.changed[slot] = 0
                if entry < 0:
                    continue
            elif entry < 0 or (
                self.xs[slot] == store.xs[entry]
                and self.ys[slot] == store.ys[entry]
                and self.masks[slot] == store.masks[entry]
            ):
                continue
            self.xs[slot] = store.xs[entry]
            self.ys[slot] = store.ys[entry]
            self.masks[slot] = store.masks[entry]
            self.changed[slot] = 1
        return 0

    def bury(self, slot: cython.int) -> Raises[cython.int]:
        """End the links of a unit that has been removed, and keep its item for the events."""
        link: cython.int
        kind: cython.Py_ssize_t = DIED + len(self.gone)
        self.gone.append(self.names[slot])
        while self.slot_head[slot] >= 0:
            link = self.slot_head[slot]
            self.tell(self.link_zone[link], slot, cython.cast(cython.int, kind))
            self.unlink(link)
        return 0

    def follow_anchors(self) -> Raises[cython.int]:
        """Move the zones whose units moved; a zone whose unit is gone stays in place."""
        row: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        for row in range(len(self.anchor)):
            slot = self.anchor[row]
            if (
                slot >= 0
                and self.anchor_serial[row] == self.serials[slot]
                and (self.zone_x[row] != self.xs[slot] or self.zone_y[row] != self.ys[slot])
            ):
                self.zone_x[row] = self.xs[slot]
                self.zone_y[row] = self.ys[slot]
                self.stale[row] = 1
                self.columns = 0
        return 0

    def orphans(self) -> np.ndarray:
        """The zones whose units are gone."""
        anchors = np.frombuffer(self.anchor, np.int32)
        serials = np.append(np.frombuffer(self.serials, np.int64), NOTHING)
        carried = np.flatnonzero(anchors >= 0)
        lives = serials[anchors[carried]] == np.frombuffer(self.anchor_serial, np.int64)[carried]
        return carried[~lives].astype(np.int32)

    def stale_rows(self) -> np.ndarray:
        """Return the zones around which all units must be tested."""
        return np.flatnonzero(np.frombuffer(self.stale, np.int32)).astype(np.int32)

    def neighbors_first(self, rows: np.ndarray) -> np.ndarray:
        """Return zones in Z order, so that each finds its neighbors' data in the caches."""
        return rows[np.frombuffer(z_order(self.places(rows)), np.int32)]

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Return the centers of zones, (n, 2)."""
        xs, ys = np.frombuffer(self.zone_x), np.frombuffer(self.zone_y)
        return np.stack((xs[rows], ys[rows]), axis=1)

    def positions(self, slots: np.ndarray) -> np.ndarray:
        """Return the positions of units at the last look, (n, 2)."""
        xs, ys = np.frombuffer(self.xs), np.frombuffer(self.ys)
        return np.stack((xs[slots], ys[slots]), axis=1)

    # -- tests -------------------------------------------------------------------------------------

    def test_zones(
        self,
        rows: cython.int[::1],
        offsets: cython.longlong[::1],
        slots: cython.int[::1],
    ) -> None:
        """Test the units near zones, and let all others leave."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        row: cython.int
        slot: cython.int
        link: cython.int
        following: cython.int
        fresh: cython.Py_ssize_t = len(slots)
        for i in range(len(rows)):
            fresh -= self.in_zone[rows[i]]
        self._reserve_links(len(slots))
        self.events.reserve(EVENT * max(fresh, 0))
        for i in range(len(rows)):
            row = rows[i]
            # The stamp of a slot is twice the generation if its unit was inside, and one more if it
            # stays inside.
            self.generation += 1
            link = self.zone_head[row]
            while link >= 0:
                self.slot_stamp[self.link_slot[link]] = 2 * self.generation
                link = self.next_in_zone[link]
            if self.enabled[row]:
                for j in range(offsets[i], offsets[i + 1]):
                    slot = slots[j]
                    if self.slot_stamp[slot] == 2 * self.generation:
                        if self.reaches(row, slot, True):
                            self.slot_stamp[slot] = 2 * self.generation + 1
                    elif self.reaches(row, slot, False):
                        self.enter(row, slot)
                        self.slot_stamp[slot] = 2 * self.generation + 1
            link = self.zone_head[row]
            while link >= 0:
                following = self.next_in_zone[link]
                if self.slot_stamp[self.link_slot[link]] == 2 * self.generation:
                    self.depart(link)
                link = following
            self.stale[row] = 0
            self.tested[row] = 1

    def test_units(self) -> None:
        """Test the changed units against the zones around them, and those they are in."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        slot: cython.int
        x: cython.double
        y: cython.double
        if self.columns == 0:
            self.build_grid()
        for slot in range(len(self.changed)):
            if not self.changed[slot]:
                continue
            if self.slot_head[slot] >= 0:
                self.leave_far(slot)
            for i in range(len(self.wide)):
                self.test(self.wide[i], slot)
            x = self.xs[slot]
            y = self.ys[slot]
            if self.left_edge <= x <= self.right_edge and self.lower_edge <= y <= self.upper_edge:
                at = self.row_at(y) * self.columns + self.column_at(x)
                for i in range(self.starts[at], self.starts[at + 1]):
                    self.test(self.cell_zones[i], slot)

    def test(self, row: cython.int, slot: cython.int) -> Raises[cython.int]:
        """Let a unit enter a zone if it is inside and was not before."""
        if (
            not self.tested[row]
            and self.reaches(row, slot, False)
            and not self.is_inside(row, slot)
        ):
            self.enter(row, slot)
        return 0

    def leave_far(self, slot: cython.int) -> Raises[cython.int]:
        """Let a unit leave the zones that it is too far from."""
        link: cython.int = self.slot_head[slot]
        following: cython.int
        row: cython.int
        while link >= 0:
            following = self.next_in_slot[link]
            row = self.link_zone[link]
            if not (self.tested[row] or self.reaches(row, slot, True)):
                self.depart(link)
            link = following
        return 0

    def is_inside(self, row: cython.int, slot: cython.int) -> NoGil[cython.bint]:
        """Whether a unit is linked to a zone."""
        link: cython.int = self.slot_head[slot]
        while link >= 0:
            if self.link_zone[link] == row:
                return True
            link = self.next_in_slot[link]
        return False

    def finish(self) -> None:
        """End an update: all units are tested."""
        i: cython.Py_ssize_t
        for i in range(len(self.changed)):
            self.changed[i] = 0
        for i in range(len(self.tested)):
            self.tested[i] = 0

    def reaches(
        self, row: cython.Py_ssize_t, slot: cython.Py_ssize_t, inside: cython.bint
    ) -> NoGil[cython.bint]:
        """Whether a unit is inside a zone; one that was inside has the leave radius."""
        dx: cython.double = self.xs[slot] - self.zone_x[row]
        dy: cython.double = self.ys[slot] - self.zone_y[row]
        limit2: cython.double = self.leave2[row] if inside else self.radius2[row]
        return (
            dx * dx + dy * dy <= limit2
            and (self.masks[slot] & self.groups[row]) != 0
            and (self.masks[slot] & self.without[row]) == 0
            and self.anchor[row] != slot
        )

    # -- the grid ----------------------------------------------------------------------------------

    def build_grid(self) -> None:
        """Sort the zones into cells, about as large as a zone."""
        rows = np.flatnonzero(np.frombuffer(self.enabled, np.int32)).astype(np.int32)
        xs, ys = np.frombuffer(self.zone_x)[rows], np.frombuffer(self.zone_y)[rows]
        reach = np.frombuffer(self.leave)[rows] * MARGIN + TINY
        self.columns = self.rows = 1
        self.wide = array("i")
        self.left_edge = self.right_edge = nan  # NaN: no unit lies between the edges
        if len(rows) == 0:
            return
        self.left_edge, self.right_edge = float((xs - reach).min()), float((xs + reach).max())
        self.lower_edge, self.upper_edge = float((ys - reach).min()), float((ys + reach).max())
        width, height = self.right_edge - self.left_edge, self.upper_edge - self.lower_edge
        least = sqrt(width) * sqrt(height) / sqrt(CELLS_A_WATCH * len(rows))
        side = max(float(np.median(reach)), least, width / MAX_SIDE, height / MAX_SIDE)
        self.cell = 1.0 / side
        self.columns, self.rows = int(width / side) + 1, int(height / side) + 1
        cells = self.columns * self.rows
        spans = np.empty((len(rows), 4), np.int32)
        self.starts = array("i", [0]) * (cells + 1)
        wide = array("i", [0]) * len(rows)
        n = self.count_cells(rows.data, reach.data, spans.data, self.starts, wide)
        self.wide = wide[:n]
        self.cell_zones = array("i", [0]) * (self.starts[cells] + 1)
        self.fill_cells(rows.data, spans.data)

    def count_cells(
        self,
        rows: cython.int[::1],
        reach: cython.double[::1],
        spans: cython.int[:, ::1],
        counts: cython.int[::1],
        wide: cython.int[::1],
    ) -> int:
        """Write the cells that each zone covers, and the end of each cell's list."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        row: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        for i in range(len(rows)):
            spans[i, 0] = self.column_at(self.zone_x[rows[i]] - reach[i])
            spans[i, 1] = self.row_at(self.zone_y[rows[i]] - reach[i])
            spans[i, 2] = self.column_at(self.zone_x[rows[i]] + reach[i]) + 1
            spans[i, 3] = self.row_at(self.zone_y[rows[i]] + reach[i]) + 1
            if (spans[i, 2] - spans[i, 0]) * (spans[i, 3] - spans[i, 1]) > WIDE:
                wide[n] = rows[i]
                n += 1
                spans[i, 3] = spans[i, 1]
            for row in range(spans[i, 1], spans[i, 3]):
                for at in range(row * self.columns + spans[i, 0], row * self.columns + spans[i, 2]):
                    counts[at] += 1
        for at in range(1, len(counts)):
            counts[at] += counts[at - 1]
        return n

    def fill_cells(self, rows: cython.int[::1], spans: cython.int[:, ::1]) -> None:
        """Fill each cell's list from its end backward; so `starts` then holds where it begins."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        row: cython.Py_ssize_t
        for i in range(len(rows)):
            for row in range(spans[i, 1], spans[i, 3]):
                for at in range(row * self.columns + spans[i, 0], row * self.columns + spans[i, 2]):
                    self.starts[at] -= 1
                    self.cell_zones[self.starts[at]] = rows[i]

    def column_at(self, x: cython.double) -> NoGil[cython.int]:
        """Return the column of an x coordinate between the edges."""
        return min(cython.cast(cython.int, (x - self.left_edge) * self.cell), self.columns - 1)

    def row_at(self, y: cython.double) -> NoGil[cython.int]:
        """Return the row of a y coordinate between the edges."""
        return min(cython.cast(cython.int, (y - self.lower_edge) * self.cell), self.rows - 1)

    # -- links -------------------------------------------------------------------------------------

    def enter(self, row: cython.int, slot: cython.int) -> Raises[cython.int]:
        """Link a unit to a zone that it has entered."""
        if self.free_link < 0:
            self._reserve_links(2 * len(self.link_zone) + 64)
        link: cython.int = self.free_link
        self.tell(row, slot, CAME)
        self.free_link = self.next_in_zone[link]
        self.link_zone[link] = row
        self.link_slot[link] = slot
        self.prev_in_zone[link] = self.prev_in_slot[link] = NOTHING
        self.next_in_zone[link] = self.zone_head[row]
        self.next_in_slot[link] = self.slot_head[slot]
        if self.zone_head[row] >= 0:
            self.prev_in_zone[self.zone_head[row]] = link
        if self.slot_head[slot] >= 0:
            self.prev_in_slot[self.slot_head[slot]] = link
        self.zone_head[row] = self.slot_head[slot] = link
        self.in_zone[row] += 1
        return 0

    def depart(self, link: cython.int) -> Raises[cython.int]:
        """End the link of a unit that has left a zone."""
        self.tell(self.link_zone[link], self.link_slot[link], LEFT)
        self.unlink(link)
        return 0

    def unlink(self, link: cython.int) -> NoGil[None]:
        """Take a link out of both of its lists."""
        row: cython.int = self.link_zone[link]
        slot: cython.int = self.link_slot[link]
        before: cython.int = self.prev_in_zone[link]
        after: cython.int = self.next_in_zone[link]
        if before >= 0:
            self.next_in_zone[before] = after
        else:
            self.zone_head[row] = after
        if after >= 0:
            self.prev_in_zone[after] = before
        before = self.prev_in_slot[link]
        after = self.next_in_slot[link]
        if before >= 0:
            self.next_in_slot[before] = after
        else:
            self.slot_head[slot] = after
        if after >= 0:
            self.prev_in_slot[after] = before
        self.in_zone[row] -= 1
        self.next_in_zone[link] = self.free_link
        self.link_zone[link] = self.link_slot[link] = NOTHING
        self.free_link = link

    def _reserve_links(self, links: cython.int) -> None:
        """Reserve room for this many links; the new ones are free."""
        i: cython.int
        count: cython.int = len(self.link_zone)
        if links <= count:
            return
        self.link_zone = resized("i", self.link_zone, links, NOTHING)
        self.link_slot = resized("i", self.link_slot, links, NOTHING)
        self.next_in_slot = resized("i", self.next_in_slot, links, NOTHING)
        self.prev_in_slot = resized("i", self.prev_in_slot, links, NOTHING)
        self.prev_in_zone = resized("i", self.prev_in_zone, links, NOTHING)
        self.next_in_zone = resized("i", self.next_in_zone, links, NOTHING)
        for i in range(links - 1, count - 1, -1):
            self.next_in_zone[i] = self.free_link
            self.free_link = i

    def inside(self, units: DynamicQuadtree, row: cython.Py_ssize_t) -> list[Any]:
        """Return the living units inside a zone, in the order they were added."""
        store: UnitStore = units._store
        slot: cython.int
        link: cython.int = self.zone_head[row]
        found: list[tuple[int, int]] = []
        while link >= 0:
            slot = self.link_slot[link]
            if store.serial_of(slot) == self.serials[slot]:
                found.append((store.record[RECORD * slot + ORDER], slot))
            link = self.next_in_zone[link]
        found.sort()
        items: list[Any] = units._items
        return [items[slot] for _, slot in found]

    # -- events ------------------------------------------------------------------------------------

    def tell(self, row: cython.int, slot: cython.int, kind: cython.int) -> Raises[cython.int]:
        """Note an event."""
        self.events.reserve(EVENT)
        self.events.values[self.events.used] = row
        self.events.values[self.events.used + 1] = slot
        self.events.values[self.events.used + 2] = kind
        self.events.values[self.events.used + 3] = self.orders[slot]
        self.events.used += EVENT
        return 0

    def taken(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Any]]:
        """Return all events, sorted by zone, then by the order in which units were added.

        Returns:
            The zone and the slot of each event, (n, 2) int32; its kind, (n,) int32; and the items
            of units that died.
        """
        n = self.events.used // EVENT
        order, spare = np.arange(n, dtype=np.int32), np.empty(n, np.int32)
        pairs, kinds = np.empty((n, 2), np.int32), np.empty(n, np.int32)
        if n > 0:
            self.sort_events(numbers.data, order.data, spare.data, pairs.data, kinds.data)
        gone = self.gone
        self.events = IntBuffer()
        self.gone = []
        return pairs, kinds, gone

    def sort_events(
        self,
        numbers: cython.int[::1],
        order: cython.int[::1],
        spare: cython.int[::1],
        pairs: cython.int[:, ::1],
        kinds: cython.int[::1],
    ) -> None:
        """Write the events in order: their zones and slots, and their kinds."""
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        counts: cython.int[::1] = array("i", [0]) * (1 << DIGIT)
        keys: cython.int[::1] = kinds  # until these are written
        for i in range(len(keys)):
            keys[i] = self.events.values[EVENT * i + 3]
        sort_by(keys, order, spare, counts)
        for i in range(len(keys)):
            keys[i] = numbers[self.events.values[EVENT * i]]
        sort_by(keys, order, spare, counts)
        for i in range(len(keys)):
            at = EVENT * order[i]
            pairs[i, 0] = self.events.values[at]
            pairs[i, 1] = self.events.values[at + 1]
            kinds[i] = self.events.values[at + 2]


def listed(
    units: DynamicQuadtree,
    zones: list[Any],
    pairs: cython.int[:, ::1],
    kinds: cython.int[::1],
    gone: list[Any],
) -> list[tuple[Any, list[Any], list[Any]]]:
    """Events as (zone, entered, left), one for each zone, with items instead of slots."""
    i: cython.Py_ssize_t
    row: cython.int = NOTHING
    kind: cython.int
    items: list[Any] = units._items
    found: list[Any] = []
    entered: list[Any] = []
    left: list[Any] = []
    for i in range(len(kinds)):
        if pairs[i, 0] != row:
            row = pairs[i, 0]
            entered = []
            left = []
            found.append((zones[row], entered, left))
        kind = kinds[i]
        if kind == CAME:
            entered.append(items[pairs[i, 1]])
        elif kind == LEFT:
            left.append(items[pairs[i, 1]])
        else:
            left.append(gone[kind - DIED])
    return found


def sort_by(
    keys: cython.int[::1],
    order: cython.int[::1],
    spare: cython.int[::1],
    counts: cython.int[::1],
) -> NoGil[None]:
    """Radix sort an order by keys from 0 to 2**31 - 1; stable.

    `spare` is as long as the order, and `counts` has an element for each value of a digit.
    """
    i: cython.Py_ssize_t
    digit: cython.int
    before: cython.int
    total: cython.int
    shift: cython.int = 0
    most: cython.int = 0
    for i in range(len(keys)):
        most = max(most, keys[i])
    while shift < 31 and most >> shift > 0:
        for i in range(len(counts)):
            counts[i] = 0
        for i in range(len(keys)):
            counts[(keys[i] >> shift) & (len(counts) - 1)] += 1
        total = 0
        for i in range(len(counts)):
            before = counts[i]
            counts[i] = total
            total += before
        for i in range(len(order)):
            digit = (keys[order[i]] >> shift) & cython.cast(cython.int, len(counts) - 1)
            spare[counts[digit]] = order[i]
            counts[digit] += 1
        for i in range(len(order)):
            order[i] = spare[i]
        shift += DIGIT

"""Which units are inside which zones, which entered and which left.

A zone is a row, a unit is a slot of its tree, and a link says that a unit is inside a zone. The
state of each unit at the last look is kept by slot, so an unchanged unit costs one comparison.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.army.links import Links
from tilequad._core.army.zone_grid import ZoneGrid
from tilequad._core.army.zones import Zones
from tilequad._core.arrays import at_slots
from tilequad._core.buffers import IntBuffer, grown, longer
from tilequad._core.tree.layout import ENTRY, ORDER, RECORD
from tilequad._core.tree.rows import RowReader, need, row_from
from tilequad._core.tree.units import UnitStore

NOBODY: cython.int = -1
# What a new slot holds, in the order of `bind`.
NEW_SLOT = [array("q", [NOBODY]), array("i", [NOBODY]), array("d", [0.0]), array("d", [0.0])]
NEW_SLOT += [array("i", [0]), array("i", [0]), array("q", [0])]
# The ints of an event: its zone, its slot, what happened, and when the unit was added.
ZONE: cython.int = 0
SLOT: cython.int = 1
KIND: cython.int = 2
ADDED: cython.int = 3
EVENT: cython.int = 4
# What happened. DIED + i means that the i-th unit in `gone` died.
LEFT: cython.int = 0
CAME: cython.int = 1
DIED: cython.int = 2


def tracker_state(
    reader: RowReader, store: UnitStore, items: list[Any], zones: int
) -> tuple[Any, ...]:
    """Read what `RangeTracker.rows` has returned, for `__setstate__`; units gone are None."""
    n = reader.take("count", "q", 1)[0]
    need(0 <= n <= store.slots, "the number of units")
    read = [reader.take(f"unit {i}", kind, n) for i, kind in enumerate("qiddii")]
    inside = np.array(reader.take("inside", "i"))
    events = np.array(reader.take("events", "i"))
    reader.end()
    need(len(inside) % 2 == 0 and len(events) % EVENT == 0, "the length of inside")
    pairs, told = inside.reshape(-1, 2), events.reshape(-1, EVENT)
    for rows in (pairs, told):
        places = rows[:, :2]
        need(bool(((places >= 0) & (places < (zones, n))).all()), "who is inside")
    keys = pairs[:, 0].astype(np.int64) << 32 | pairs[:, 1]
    need(bool((np.diff(keys) > 0).all() and (told[:, KIND] >= LEFT).all()), "who is inside")
    need(bool(np.isfinite(read[2]).all() and np.isfinite(read[3]).all()), "the place of a unit")
    told[:, KIND] = np.minimum(told[:, KIND], DIED)  # whoever died is unknown here
    links = Links()
    links.reserve(zones, n, len(pairs))
    for row, slot in pairs.tolist():
        links.link(row, slot)
    by_slot = grown([], NEW_SLOT, n)
    for values, new in zip(read, by_slot, strict=False):
        new[:n] = values
    names = [items[i] if store.serial_of(i) == serial else None for i, serial in enumerate(read[0])]
    return links, by_slot, 0, names, array("i", told.tobytes()), [None]


@cython.final
@cython.cclass
class RangeTracker:
    """The units at the last look, the zones they are in, and the unreported events."""

    __slots__ = {
        "by_row": "list",
        "zone_x": "double[::1]",
        "zone_y": "double[::1]",
        "radius": "double[::1]",
        "leave_radius": "double[::1]",
        "groups": "int[::1]",
        "without": "int[::1]",
        "anchor": "int[::1]",
        "anchor_serial": "long long[::1]",
        "enabled": "int[::1]",
        "stale": "int[::1]",
        "tested": "int[::1]",
        "links": "Links",
        "by_slot": "list",
        "serials": "long long[::1]",
        "orders": "int[::1]",
        "xs": "double[::1]",
        "ys": "double[::1]",
        "masks": "int[::1]",
        "changed": "int[::1]",
        "stamps": "long long[::1]",
        "stamp": "long long",
        "names": "list",
        "events": "IntBuffer",
        "gone": "list",
    }

    def __init__(self) -> None:
        self.by_row: list[Any] = []
        self.links = Links()
        self.by_slot = grown([], NEW_SLOT, 0)
        self.bind()
        self.stamp = 0
        self.names: list[Any] = []  # the items, by slot
        self.events = IntBuffer()
        self.gone: list[Any] = []

    def bind(self) -> None:
        """Let the fields be views of the arrays."""
        # Each slot at the last look: its unit, or -1, when that was added, where it was, and its
        # groups. `changed` is 1 if it is still to be tested.
        self.serials, self.orders, self.xs, self.ys, self.masks = self.by_slot[:5]
        self.changed, self.stamps = self.by_slot[5:]

    def __reduce__(self) -> tuple[Any, ...]:
        events = array("i", self.events.taken())
        state = self.links, self.by_slot, self.stamp, self.names, events, self.gone
        return type(self), (), state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.links, self.by_slot, self.stamp, self.names, events, self.gone = state
        self.bind()
        for value in events:
            self.events.append(value)

    def rows(self, slots: int) -> dict[str, Any]:
        """The state about a tree with this many slots, for `write_rows`."""
        row: cython.Py_ssize_t
        link: cython.int
        n = min(len(self.serials), slots)
        inside: list[tuple[int, int]] = []
        for row in range(len(self.links.first_of_row)):
            link = self.links.first_of_row[row]
            while link >= 0:
                inside.append((row, self.links.slot[link]))
                link = self.links.next_of_row[link]
        kinds = "qiddii"
        return {
            "count": row_from("q", [n]),
            **{f"unit {i}": row_from(kind, self.by_slot[i][:n]) for i, kind in enumerate(kinds)},
            "inside": row_from("i", np.reshape(sorted(inside), -1)),
            "events": row_from("i", self.events.taken()),
        }

    def reserve_zones(self, rows: int) -> None:
        """Reserve room for this many zones."""
        self.links.reserve(rows, 0, 0)

    def end_zone(self, row: cython.int) -> None:
        """Forget the links and the events of a zone."""
        while self.links.first_of_row[row] >= 0:
            self.links.unlink(self.links.first_of_row[row])
        events = np.array(self.events.taken(), np.int32).reshape(-1, EVENT)
        self.events.used = 0
        for value in events[events[:, ZONE] != row].ravel().tolist():
            self.events.append(value)

    # -- a look at the tree ------------------------------------------------------------------------

    def look(self, store: UnitStore, items: list[Any], zones: Zones) -> bool:
        """Find changed units, end the links of removed ones, and let zones follow their units.

        Returns whether a zone has moved.
        """
        if len(self.serials) <= store.slots:
            slots = longer(store.slots)
            self.by_slot = grown(self.by_slot, NEW_SLOT, slots)
            self.bind()
            self.names += [None] * (slots - len(self.names))
            self.links.reserve(0, slots, 0)
        if self.by_row is not zones.by_row:
            self.by_row = zones.by_row
            self.zone_x, self.zone_y, self.radius, self.leave_radius = self.by_row[:4]
            self.groups, self.without, self.anchor, self.anchor_serial = self.by_row[4:8]
            self.enabled, self.stale, self.tested = self.by_row[8:]
        self.compare(store, items)
        return self.follow_anchors() > 0

    def compare(self, store: UnitStore, items: list[Any]) -> Raises[cython.int]:
        """Compare each unit with what it was at the last look."""
        slot: cython.int
        entry: cython.int
        serial: cython.longlong
        for slot in range(store.slots):
            entry = store.record[RECORD * slot + ENTRY]
            serial = store.serial_of(slot)
            if serial != self.serials[slot]:
                if self.links.first_of_slot[slot] >= 0:
                    self.on_removed(slot)
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

    def on_removed(self, slot: cython.int) -> Raises[cython.int]:
        """End the links of a unit that has been removed, and keep its item for the events."""
        link: cython.int
        kind: cython.Py_ssize_t = DIED + len(self.gone)
        self.gone.append(self.names[slot])
        while self.links.first_of_slot[slot] >= 0:
            link = self.links.first_of_slot[slot]
            self.tell(self.links.row[link], slot, cython.cast(cython.int, kind))
            self.links.unlink(link)
        return 0

    def follow_anchors(self) -> Raises[cython.int]:
        """Move the zones whose units moved; return how many. A zone whose unit is gone stays."""
        row: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        moved: cython.int = 0
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
                moved += 1
        return moved

    def stale_zones(self) -> np.ndarray:
        """Return the zones around which all units must be tested, (n,) int32."""
        row: cython.int
        found: IntBuffer = IntBuffer()
        for row in range(len(self.stale)):
            if self.stale[row] or self.has_lost(row):
                found.append(row)
        return np.array(found.taken(), np.int32)

    def has_lost(self, row: cython.int) -> NoGil[cython.bint]:
        """Whether the unit that carried a zone is gone."""
        slot: cython.Py_ssize_t = self.anchor[row]
        return slot >= 0 and self.anchor_serial[row] != self.serials[slot]

    def zones_without_unit(self, rows: cython.int[::1]) -> list[int]:
        """Return which of some zones have lost the unit that carried them."""
        i: cython.Py_ssize_t
        found: list[int] = []
        for i in range(len(rows)):
            if self.has_lost(rows[i]):
                found.append(rows[i])
        return found

    def count_changed(self) -> int:
        """Return how many units must be tested."""
        slot: cython.Py_ssize_t
        count: cython.Py_ssize_t = 0
        for slot in range(len(self.changed)):
            count += self.changed[slot]
        return count

    def positions(self, slots: np.ndarray) -> np.ndarray:
        """Return the positions of units at the last look, (n, 2)."""
        xs, ys = np.frombuffer(self.xs), np.frombuffer(self.ys)
        return np.stack((at_slots(xs, slots), at_slots(ys, slots)), axis=1)

    # -- tests -------------------------------------------------------------------------------------

    def test_zones(
        self,
        rows: cython.int[::1],
        offsets: cython.longlong[::1],
        slots: cython.int[::1],
    ) -> None:
        """Test the units near zones, and let all others leave."""
        i: cython.Py_ssize_t
        row: cython.int
        fresh: cython.Py_ssize_t = len(slots)
        for i in range(len(rows)):
            fresh -= self.links.count_of_row[rows[i]]
        self.links.reserve(0, 0, len(slots))
        self.events.reserve(EVENT * max(fresh, 0))
        for i in range(len(rows)):
            row = rows[i]
            if not self.enabled[row]:
                self.test_zone(row, slots[:0])
            else:
                self.test_zone(row, slots[offsets[i] : offsets[i + 1]])
            self.stale[row] = 0
            self.tested[row] = 1

    def test_zone(self, row: cython.int, slots: cython.int[::1]) -> Raises[cython.int]:
        """Test the units near a zone, and let all others leave."""
        j: cython.Py_ssize_t
        slot: cython.int
        link: cython.int
        following: cython.int
        # A slot has the first stamp if its unit was inside, and the second if it is.
        was: cython.longlong = self.stamp + 1
        is_in: cython.longlong = self.stamp + 2
        self.stamp += 2
        link = self.links.first_of_row[row]
        while link >= 0:
            self.stamps[self.links.slot[link]] = was
            link = self.links.next_of_row[link]
        for j in range(len(slots)):
            slot = slots[j]
            if self.stamps[slot] == was:
                if self.reaches(row, slot, True):
                    self.stamps[slot] = is_in
            elif self.reaches(row, slot, False):
                self.enter(row, slot)
                self.stamps[slot] = is_in
        link = self.links.first_of_row[row]
        while link >= 0:
            following = self.links.next_of_row[link]
            if self.stamps[self.links.slot[link]] == was:
                self.leave(link)
            link = following
        return 0

    def test_units(self, grid: ZoneGrid) -> None:
        """Test the changed units against the zones around them, and those they are in."""
        slot: cython.int
        for slot in range(len(self.changed)):
            if self.changed[slot]:
                self.test_unit(slot, grid)

    def test_unit(self, slot: cython.int, grid: ZoneGrid) -> Raises[cython.int]:
        """Test a unit against the zones around it, and those it is in."""
        i: cython.Py_ssize_t
        cell: cython.Py_ssize_t = grid.cell_at(self.xs[slot], self.ys[slot])
        if self.links.first_of_slot[slot] >= 0:
            self.leave_far(slot)
        for i in range(len(grid.wide)):
            self.test(grid.wide[i], slot)
        if cell >= 0:
            for i in range(grid.starts[cell], grid.starts[cell + 1]):
                self.test(grid.zones[i], slot)
        return 0

    def test(self, row: cython.int, slot: cython.int) -> Raises[cython.int]:
        """Let a unit enter a zone if it is inside and was not before."""
        if (
            not self.tested[row]
            and self.reaches(row, slot, False)
            and not self.links.are_linked(row, slot)
        ):
            self.enter(row, slot)
        return 0

    def leave_far(self, slot: cython.int) -> Raises[cython.int]:
        """Let a unit leave the zones that it is too far from."""
        link: cython.int = self.links.first_of_slot[slot]
        following: cython.int
        row: cython.int
        while link >= 0:
            following = self.links.next_of_slot[link]
            row = self.links.row[link]
            if not (self.tested[row] or self.reaches(row, slot, True)):
                self.leave(link)
            link = following
        return 0

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
        """Whether a unit is inside a zone; if it was inside, the leave radius counts."""
        dx: cython.double = self.xs[slot] - self.zone_x[row]
        dy: cython.double = self.ys[slot] - self.zone_y[row]
        limit: cython.double = self.leave_radius[row] if inside else self.radius[row]
        return (
            dx * dx + dy * dy <= limit * limit
            and (self.masks[slot] & self.groups[row]) != 0
            and (self.masks[slot] & self.without[row]) == 0
            and self.anchor[row] != slot
        )

    def inside(self, store: UnitStore, row: cython.Py_ssize_t) -> list[Any]:
        """Return the living units inside a zone, in the order they were added."""
        slot: cython.int
        link: cython.int = self.links.first_of_row[row]
        found: list[tuple[int, int]] = []
        while link >= 0:
            slot = self.links.slot[link]
            if store.serial_of(slot) == self.serials[slot]:
                found.append((store.record[RECORD * slot + ORDER], slot))
            link = self.links.next_of_row[link]
        found.sort()
        return [self.names[slot] for _, slot in found]

    # -- events ------------------------------------------------------------------------------------

    def enter(self, row: cython.int, slot: cython.int) -> Raises[cython.int]:
        """Note that a unit has entered a zone."""
        self.tell(row, slot, CAME)
        self.links.link(row, slot)
        return 0

    def leave(self, link: cython.int) -> Raises[cython.int]:
        """Note that a unit has left a zone."""
        self.tell(self.links.row[link], self.links.slot[link], LEFT)
        self.links.unlink(link)
        return 0

    def tell(self, row: cython.int, slot: cython.int, kind: cython.int) -> Raises[cython.int]:
        """Note an event."""
        self.events.reserve(EVENT)
        self.events.values[self.events.used + ZONE] = row
        self.events.values[self.events.used + SLOT] = slot
        self.events.values[self.events.used + KIND] = kind
        self.events.values[self.events.used + ADDED] = self.orders[slot]
        self.events.used += EVENT
        return 0

    def taken(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Any]]:
        """Return all events, sorted by the number of the zone, then by when the unit was added.

        Returns:
            The zone and the slot of each event, (n, 2) int32; what happened, (n,) int32; and the
            items of units that died.
        """
        gone = self.gone
        self.gone = []
        if self.events.used == 0:
            return np.empty((0, 2), np.int32), np.empty(0, np.int32), gone
        events = np.array(self.events.taken(), np.int32).reshape(-1, EVENT)
        self.events = IntBuffer()
        keys = (at_slots(numbers, events[:, ZONE]).astype(np.int64) << 32) | events[:, ADDED]
        events = events.take(np.argsort(keys), 0)  # no two keys are equal
        return events[:, :2].copy(), events[:, KIND].copy(), gone

    def listed(
        self,
        zones: list[Any],
        pairs: cython.int[:, ::1],
        kinds: cython.int[::1],
        gone: list[Any],
    ) -> list[tuple[Any, list[Any], list[Any]]]:
        """Return events as (zone, entered, left), one for each zone, with items for slots."""
        i: cython.Py_ssize_t
        row: cython.int = NOBODY
        kind: cython.int
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
                entered.append(self.names[pairs[i, 1]])
            elif kind == LEFT:
                left.append(self.names[pairs[i, 1]])
            else:
                left.append(gone[kind - DIED])
        return found

"""Which units are inside which zones, which entered and which left.

A zone is a row, a unit is a slot of its tree, and a link says that a unit is inside a zone. The
state of each unit at the last look is kept by slot, so an unchanged unit costs one comparison.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, Raises
from tilequad._core.army.links import Links
from tilequad._core.army.zone_grid import ZoneGrid
from tilequad._core.army.zones import Zones, read_zones
from tilequad._core.arrays import at_slots
from tilequad._core.buffers import IntBuffer, grown, longer
from tilequad._core.layout import ENTRY, NONE, ORDER, RECORD, begin_question, end_question
from tilequad._core.tree.rows import RowReader, need, need_all, row_from
from tilequad._core.tree.units import UnitStore
from tilequad._core.tree.zorder import z_order

# What a new slot holds, in the order of `bind`.
NEW_SLOT: list[array[Any]] = [
    array("q", [NONE]),
    array("i", [NONE]),
    array("d", [0.0]),
    array("d", [0.0]),
]
NEW_SLOT += [array("i", [0]), array("i", [0]), array("i", [NONE]), array("q", [0])]
UNIT_KINDS = "qiddii"  # the types of those that are packed
LIVES = 6  # the number of that column
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


def read_tracker(
    reader: RowReader, store: UnitStore, items: list[Any], made: Callable[..., Any]
) -> RangeTracker:
    """Read what `RangeTracker.rows` has returned; units that are gone are None.

    `made` makes a zone: of its item or None, place, two radii, and masks.
    """
    tracker = RangeTracker()
    zones = read_zones(tracker.zones, reader, store, items, made)
    n = reader.take("count", "q", 1)[0]
    need(0 <= n <= store.slots, "the number of units")
    read = [reader.take(f"unit {i}", kind, n) for i, kind in enumerate(UNIT_KINDS)]
    serials, _, xs, ys, _, changed = read
    inside = np.array(reader.take("inside", "i"))
    events = np.array(reader.take("events", "i"))
    reader.end()
    need(len(inside) % 2 == 0 and len(events) % EVENT == 0, "the length of inside")
    pairs, told = inside.reshape(-1, 2), events.reshape(-1, EVENT)
    for rows in (pairs, told):
        places = rows[:, :2]
        need_all((places >= 0) & (places < (zones, n)), "who is inside")
    keys = pairs[:, 0].astype(np.int64) << 32 | pairs[:, 1]
    need(bool((np.diff(keys) > 0).all() and (told[:, KIND] >= LEFT).all()), "who is inside")
    need_all(np.isfinite(xs) & np.isfinite(ys), "the place of a unit")
    need_all(np.isin(changed, (0, 1)), "the changed units")
    told[:, KIND] = np.minimum(told[:, KIND], DIED)  # whoever died is unknown here
    links = Links()
    links.reserve(zones, n, len(pairs))
    for row, slot in pairs.tolist():
        links.link(row, slot)
    by_slot = grown([], NEW_SLOT, n)
    for values, new in zip(read, by_slot, strict=False):
        new[:n] = values
    lives = (np.array(serials) >> 31).astype(np.uint32).view(np.int32)
    by_slot[LIVES][:n] = array("i", lives.tobytes())
    known = [items[i] if store.serial_of(i) == serial else None for i, serial in enumerate(serials)]
    tracker.__setstate__(
        (tracker.zones, links, by_slot, 0, known, array("i", told.tobytes()), [None])
    )
    return tracker


@cython.final
@cython.cclass
class RangeTracker:
    """The zones, the units at the last look, who is inside, and the unreported events."""

    __slots__ = {
        "zones": "readonly Zones",
        "busy": "bint",  # whether an update or a change of zones is under way
        "links": "Links",
        "by_slot": "list",
        "serials": "long long[::1]",
        "orders": "int[::1]",
        "xs": "double[::1]",
        "ys": "double[::1]",
        "masks": "int[::1]",
        "changed": "int[::1]",
        "lives": "int[::1]",
        "stamps": "long long[::1]",
        "stamp": "long long",
        "changed_count": "Py_ssize_t",
        "seen": "int",
        "items": "list",
        "events": "IntBuffer",
        "gone": "list",
    }

    def __init__(self) -> None:
        self.zones = Zones()
        self.busy = False
        self.links = Links()
        self.by_slot = grown([], NEW_SLOT, 0)
        self.bind()
        self.stamp = 0
        self.items: list[Any] = []  # the items, by slot
        self.events = IntBuffer()
        self.gone: list[Any] = []

    def bind(self) -> None:
        """Let the fields be views of the arrays."""
        # Each slot at the last look: its unit, or -1, when that was added, where it was, and its
        # groups. `changed` is 1 if it is still to be tested, and `changed_count` says how many are.
        # The lives are those in its serial.
        self.serials, self.orders, self.xs, self.ys, self.masks = self.by_slot[:5]
        self.changed, self.lives, self.stamps = self.by_slot[5:]
        self.changed_count = 0
        for slot in range(len(self.changed)):
            self.changed_count += self.changed[slot]
        self.seen = len(self.serials)  # the slots to compare; those of a new tree may be fewer

    def __reduce__(self) -> tuple[Any, ...]:
        events = array("i", self.events.taken())
        state = self.zones, self.links, self.by_slot, self.stamp, self.items, events, self.gone
        return type(self), (), state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.zones, self.links, self.by_slot, self.stamp, self.items, events, self.gone = state
        self.bind()
        for value in events:
            self.events.append(value)

    def rows(self, slots: int) -> dict[str, Any]:
        """The state about a tree with this many slots, for `write_rows`."""
        n = min(len(self.serials), slots)
        inside: list[tuple[int, int]] = []
        for row in range(len(self.links.first_of_row)):
            link = self.links.first_of_row[row]
            while link >= 0:
                inside.append((row, self.links.slot[link]))
                link = self.links.next_of_row[link]
        columns = zip(UNIT_KINDS, self.by_slot, strict=False)
        return {
            **self.zones.rows(),
            "count": row_from("q", [n]),
            **{f"unit {i}": row_from(kind, one[:n]) for i, (kind, one) in enumerate(columns)},
            "inside": row_from("i", np.reshape(sorted(inside), -1)),
            "events": row_from("i", self.events.taken()),
        }

    # -- zones -------------------------------------------------------------------------------------

    def refuse_if_busy(self) -> Raises[cython.int]:
        """Refuse to change zones while an update runs the game's code."""
        if self.busy:
            raise RuntimeError("zones must not change during an update")
        return 0

    def add(
        self,
        zone: Any,
        place: tuple[float, float],
        circle: tuple[float, float],
        masks: tuple[int, int],
        carrier: tuple[int, int],
    ) -> None:
        """Add a zone; see `Zones.add`."""
        self.refuse_if_busy()
        self.busy = True  # a finalizer, or another thread meanwhile, must not find half of it
        try:
            self.links.reserve(len(self.zones.handles) + 1, 0, 0)
            self.zones.add(zone, place, circle, masks, carrier)
        finally:
            self.busy = False

    def remove(self, zone: Any) -> None:
        """Forget a zone, its links and its events."""
        self.refuse_if_busy()
        row: cython.int = self.zones.numbers[zone]
        self.busy = True  # as in `add`
        try:
            self.end_zone(row)
        finally:
            self.busy = False

    def enable(self, zone: Any, enabled: bool) -> None:
        """Switch a zone on or off."""
        self.refuse_if_busy()
        self.zones.enable(self.zones.numbers[zone], enabled)

    def end_zone(self, row: cython.int) -> Raises[cython.int]:
        """Forget a zone by its number, its links and its events."""
        part: cython.Py_ssize_t
        kept: cython.Py_ssize_t = 0
        while self.links.first_of_row[row] >= 0:
            self.links.unlink(self.links.first_of_row[row])
        for at in range(0, self.events.used, EVENT):
            if self.events.values[at + ZONE] != row:
                for part in range(EVENT):
                    self.events.values[kept + part] = self.events.values[at + part]
                kept += EVENT
        self.events.used = kept
        self.zones.end(row)
        return 0

    # -- an update ---------------------------------------------------------------------------------

    def update(
        self,
        store: UnitStore,
        items: list[Any],
        near: Callable[..., Any],
        everywhere: bool,
        report: Callable[..., Any],
    ) -> Any:
        """Tell who came and who left since the last update.

        If anything raises before the last step, the next update tells the same. `near` finds the
        units around some zones, as `within_many` does, and may run the game's code. If
        `everywhere`, it is asked for all zones, not only for those around which units must be
        tested. `report` is what to return of the events: `arrays` or `lists`.
        """
        grid: Any = None
        self.refuse_if_busy()
        begin_question(cython.address(store.busy))
        self.busy = True
        try:
            rows = offsets = slots = self.zones.listed()
            if len(rows) > 0:
                self.note_changes(store, items)
                everywhere = everywhere or self.changed_count > len(rows)
                if not everywhere:
                    rows = self.stale_zones()
                    grid = self.zones.grid_of_enabled()
                if len(rows) > 0:
                    # In Z order, each zone finds its neighbors' data in the caches.
                    rows = at_slots(rows, np.frombuffer(z_order(self.zones.places(rows)), np.int32))
                    offsets, slots = near(rows)
            return self.finish_update(rows, offsets, slots, grid, report)
        finally:
            self.busy = False
            end_question(cython.address(store.busy))

    def note_changes(self, store: UnitStore, items: list[Any]) -> Raises[cython.int]:
        """Find changed units, end the links of removed ones, and let zones follow their units."""
        if len(self.stamps) <= store.slots:  # those that `bind` binds last
            slots = longer(store.slots)
            self.items += [None] * (slots - len(self.items))
            self.links.reserve(0, slots, 0)
            self.by_slot = grown(self.by_slot, NEW_SLOT, slots)
            self.bind()
        self.compare(store, items)
        self.follow_anchors()
        return 0

    def compare(self, store: UnitStore, items: list[Any]) -> Raises[cython.int]:
        """Compare each unit with what it was at the last look."""
        for slot in range(store.slots):
            entry = store.record[RECORD * slot + ENTRY]
            if (
                entry < 0
                or store.lives[slot] != self.lives[slot]
                or self.xs[slot] != store.xs[entry]
                or self.ys[slot] != store.ys[entry]
                or self.masks[slot] != store.masks[entry]
            ):
                self.note(store, items, slot, entry)
        for slot in range(store.slots, self.seen):
            self.note(store, items, slot, NONE)
        self.seen = store.slots
        return 0

    def note(
        self, store: UnitStore, items: list[Any], slot: cython.int, entry: cython.int
    ) -> Raises[cython.int]:
        """Note what has become of the unit in a slot."""
        serial = store.serial_of(slot)
        if serial != self.serials[slot]:
            if self.links.first_of_slot[slot] >= 0:
                self.end_links(slot)
            self.items[slot] = None if entry < 0 else items[slot]
            self.serials[slot] = serial
            self.changed_count -= self.changed[slot]
            self.changed[slot] = 0
        if entry >= 0:
            self.lives[slot] = store.lives[slot]
            self.orders[slot] = store.record[RECORD * slot + ORDER]
            self.xs[slot] = store.xs[entry]
            self.ys[slot] = store.ys[entry]
            self.masks[slot] = store.masks[entry]
            self.changed_count += 1 - self.changed[slot]
            self.changed[slot] = 1
        return 0

    def end_links(self, slot: cython.int) -> Raises[cython.int]:
        """End the links of a unit that has been removed, and keep its item for the events."""
        kind = DIED + len(self.gone)
        self.gone.append(self.items[slot])
        while self.links.first_of_slot[slot] >= 0:
            link = self.links.first_of_slot[slot]
            self.note_event(self.links.row[link], slot, cython.cast(cython.int, kind))
            self.links.unlink(link)
        return 0

    def follow_anchors(self) -> Raises[cython.int]:
        """Move the zones whose units moved. A zone whose unit is gone stays."""
        zones: Zones = self.zones
        for row in range(len(zones.anchor)):
            slot: cython.Py_ssize_t = zones.anchor[row]
            if (
                slot >= 0
                and zones.anchor_serial[row] == self.serials[slot]
                and (zones.x[row] != self.xs[slot] or zones.y[row] != self.ys[slot])
            ):
                zones.x[row] = self.xs[slot]
                zones.y[row] = self.ys[slot]
                zones.stale[row] = 1
                zones.grid = None
        return 0

    def stale_zones(self) -> Object[np.ndarray]:
        """Return the zones around which all units must be tested, (n,) int32."""
        found: IntBuffer = IntBuffer()
        for row in range(len(self.zones.stale)):
            if self.zones.stale[row] or self.zones.has_lost(row, self.serials):
                found.append(row)
        return np.array(found.taken(), np.int32)

    def positions(self, slots: np.ndarray) -> np.ndarray:
        """Return the positions of units at the last look, (n, 2)."""
        xs, ys = np.frombuffer(self.xs), np.frombuffer(self.ys)
        return np.stack((at_slots(xs, slots), at_slots(ys, slots)), axis=1)

    def finish_update(
        self,
        rows: np.ndarray,
        offsets: np.ndarray,
        slots: np.ndarray,
        grid: Any,
        report: Callable[..., Any],
    ) -> Object[Any]:
        """Test the units near some zones and, with a grid, those that changed; end an update.

        No signal interrupts it, because it calls no Python.
        """
        zones: cython.int[::1] = rows
        ended = [row for row in rows.tolist() if self.zones.has_lost(row, self.serials)]
        for i in range(len(self.zones.tested)):
            self.zones.tested[i] = 0
        for row in ended:
            self.zones.enabled[row] = 0
        if len(zones) > 0:
            self.test_zones(zones, offsets, slots)
        if grid is not None:
            self.test_units(grid)
        for i in range(len(self.changed) if self.changed_count > 0 else 0):
            self.changed[i] = 0
        self.changed_count = 0
        told = report(self)
        self.gone = []
        self.events.used = 0
        for row in ended:
            self.end_zone(row)
        return told

    # -- tests -------------------------------------------------------------------------------------

    def test_zones(
        self,
        rows: cython.int[::1],
        offsets: cython.longlong[::1],
        slots: cython.int[::1],
    ) -> Raises[cython.int]:
        """Test the units near zones, and let all others leave."""
        fresh = len(slots)
        for i in range(len(rows)):
            fresh -= self.links.count_of_row[rows[i]]
        self.links.reserve(0, 0, len(slots))
        self.events.reserve(EVENT * max(fresh, 0))
        for i in range(len(rows)):
            row = rows[i]
            if not self.zones.enabled[row]:
                self.test_zone(row, slots[:0])
            else:
                self.test_zone(row, slots[offsets[i] : offsets[i + 1]])
            self.zones.stale[row] = 0
            self.zones.tested[row] = 1
        return 0

    def test_zone(self, row: cython.int, slots: cython.int[::1]) -> Raises[cython.int]:
        """Test the units near a zone, and let all others leave."""
        # A slot has the first stamp if its unit was inside, and the second if it is.
        was = self.stamp + 1
        is_in = self.stamp + 2
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

    def test_units(self, grid: ZoneGrid) -> Raises[cython.int]:
        """Test the changed units against the zones around them, and those they are in."""
        for slot in range(len(self.changed) if self.changed_count > 0 else 0):
            if self.changed[slot]:
                self.test_unit(slot, grid)
        return 0

    def test_unit(self, slot: cython.int, grid: ZoneGrid) -> Raises[cython.int]:
        """Test a unit against the zones around it, and those it is in."""
        cell = grid.cell_at(self.xs[slot], self.ys[slot])
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
            not self.zones.tested[row]
            and self.reaches(row, slot, False)
            and not self.links.are_linked(row, slot)
        ):
            self.enter(row, slot)
        return 0

    def leave_far(self, slot: cython.int) -> Raises[cython.int]:
        """Let a unit leave the zones that it is too far from."""
        link = self.links.first_of_slot[slot]
        while link >= 0:
            following = self.links.next_of_slot[link]
            row = self.links.row[link]
            if not (self.zones.tested[row] or self.reaches(row, slot, True)):
                self.leave(link)
            link = following
        return 0

    def reaches(
        self, row: cython.Py_ssize_t, slot: cython.Py_ssize_t, inside: cython.bint
    ) -> NoGil[cython.bint]:
        """Whether a unit is inside a zone; if it was inside, the leave radius counts."""
        dx = self.xs[slot] - self.zones.x[row]
        dy = self.ys[slot] - self.zones.y[row]
        limit = self.zones.leave[row] if inside else self.zones.radius[row]
        return (
            dx * dx + dy * dy <= limit * limit
            and (self.masks[slot] & self.zones.groups[row]) != 0
            and (self.masks[slot] & self.zones.without[row]) == 0
            and self.zones.anchor[row] != slot
        )

    def inside(self, store: UnitStore, zone: Any) -> list[Any]:
        """Return the living units inside a zone, in the order they were added."""
        slot: cython.int
        row: cython.Py_ssize_t = self.zones.numbers[zone]
        link = self.links.first_of_row[row]
        found: list[tuple[int, int]] = []
        while link >= 0:
            slot = self.links.slot[link]
            if store.serial_of(slot) == self.serials[slot]:
                found.append((store.record[RECORD * slot + ORDER], slot))
            link = self.links.next_of_row[link]
        found.sort()
        return [self.items[slot] for _, slot in found]

    # -- events ------------------------------------------------------------------------------------

    def enter(self, row: cython.int, slot: cython.int) -> Raises[cython.int]:
        """Note that a unit has entered a zone."""
        self.note_event(row, slot, CAME)
        self.links.link(row, slot)
        return 0

    def leave(self, link: cython.int) -> Raises[cython.int]:
        """Note that a unit has left a zone."""
        self.note_event(self.links.row[link], self.links.slot[link], LEFT)
        self.links.unlink(link)
        return 0

    def note_event(self, row: cython.int, slot: cython.int, kind: cython.int) -> Raises[cython.int]:
        """Note an event."""
        self.events.reserve(EVENT)
        self.events.values[self.events.used + ZONE] = row
        self.events.values[self.events.used + SLOT] = slot
        self.events.values[self.events.used + KIND] = kind
        self.events.values[self.events.used + ADDED] = self.orders[slot]
        self.events.used += EVENT
        return 0

    def sorted_events(self) -> Object[tuple[np.ndarray, np.ndarray]]:
        """Return all events, sorted by when the zone and then the unit was added.

        Returns:
            The zone and the slot of each event, (n, 2) int32; and what happened, (n,) int32.
        """
        if self.events.used == 0:
            return np.empty((0, 2), np.int32), np.empty(0, np.int32)
        events = np.array(self.events.taken(), np.int32).reshape(-1, EVENT)
        ranks = np.array(self.zones.rank, np.int64).take(events[:, ZONE].astype(np.intp))
        keys = ranks << 32 | events[:, ADDED]
        events = events.take(keys.argsort(), 0)  # no two keys are equal
        return events[:, :2].copy(), events[:, KIND].copy()

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the zone and the slot of each event, and whether the unit came."""
        pairs, kinds = self.sorted_events()
        return pairs, kinds == CAME

    def lists(self) -> list[Any]:
        """Return events as (zone, entered, left), one for each zone, with items for slots."""
        read: tuple[Any, Any] = self.sorted_events()
        pairs: cython.int[:, ::1] = read[0]
        kinds: cython.int[::1] = read[1]
        row = NONE
        found: list[Any] = []
        entered: list[Any] = []
        left: list[Any] = []
        for i in range(len(kinds)):
            if pairs[i, 0] != row:
                row = pairs[i, 0]
                entered = []
                left = []
                found.append((self.zones.handles[row], entered, left))
            kind = kinds[i]
            if kind == CAME:
                entered.append(self.items[pairs[i, 1]])
            elif kind == LEFT:
                left.append(self.items[pairs[i, 1]])
            else:
                left.append(self.gone[kind - DIED])
        return found

"""Range events: which units came near a place or a unit since the last tick, and which left."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad._core.army.lookups import slots_of
from tilequad._core.army.range_events import RangeTracker, tracker_state
from tilequad._core.army.zones import Zones
from tilequad._core.arrays import at_slots
from tilequad._core.checks import checked_point
from tilequad._core.tree.rows import ZONES, RowReader, need, row_from
from tilequad._core.tree.units import ask
from tilequad._core.tree.zorder import z_order
from tilequad.ai._checks import check_sight, checked_distance, checked_masks
from tilequad.ai._slots import unit_at
from tilequad.ai.protocols import ManySights
from tilequad.quadtree.dynamic import DynamicQuadtree, items_of, store_of

__all__ = ["RangeEvents", "Zone"]

Indices = NDArray[np.int32]

# The rows of the zones, for `pack`: their types, and how many numbers of each zone they hold.
NAMES_OF_ROWS = ("masks", "q", 2), ("circles", "d", 4), ("anchors", "q", 2), ("flags", "i", 2)


@dataclass(frozen=True, init=False, eq=False, repr=False, slots=True)
class Zone:
    """A circle around a place or a unit. Made by `RangeEvents.add` and `RangeEvents.follow`.

    Attributes:
        item: The unit that the zone follows, or None.
        position: The center (x, y), or None if the zone follows a unit.
        radius: A unit enters at this distance, in world units.
        leave_radius: A unit leaves beyond this distance.
        groups: A mask: only units in one of these groups are seen; None for all.
        without: A mask: units in any of these groups are not seen; None for none.
        number: The number of the zone in `RangeEvents.update_many`.
    """

    item: Any | None
    position: tuple[float, float] | None
    radius: float
    leave_radius: float
    groups: int | None
    without: int | None
    number: int

    def __init__(self) -> None:
        raise TypeError("zones are made by RangeEvents.add and RangeEvents.follow")

    def __repr__(self) -> str:
        where = self.position if self.item is None else self.item
        return f"<Zone {self.number} at {where!r}: {self.radius:g}, left at {self.leave_radius:g}>"


class RangeEvents:
    """Standing range queries: each tick tells who came within a distance, and who left.

    Units are measured by position. A zone stays at a place, or follows a unit, which itself never
    counts as inside. Each update compares the tree with the update before: a unit that left and
    came back in between is not reported. A unit that was removed has left, even if it was added
    again; then it has entered as well. A zone ends when the unit that it follows is removed; all
    units inside leave it in the next update.

    The state can be pickled and copied together with the tree.

    Cost: an update compares each unit of the tree with what it was before, in a few nanoseconds,
    and searches only around what moved. With `sight`, it looks at all units in range.

    Args:
        units: The tree.
        groups: A mask: see units in these groups, unless `add` says otherwise. None for all.
        without: A mask: leave out units in any of these groups, unless `add` says otherwise. None
            for none.
        sight: What may block the view, such as a `LineOfSight`. A unit that cannot be seen is
            outside. None means that nothing blocks it.

    Raises:
        ValueError: A mask is out of range.
        TypeError: A mask is not a whole number, or `sight` has no method `clear_many`.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import RangeEvents
        >>> units = DynamicQuadtree((0, 0, 1000, 1000))
        >>> events = RangeEvents(units)
        >>> gate = events.add(500, 500, 100, leave_radius=120)
        >>> units.add("orc", 450, 500)
        >>> for zone, entered, left in events.update():
        ...     print(zone is gate, entered, left)
        True ['orc'] []
        >>> units.move("orc", 385, 500)
        >>> events.update()  # still nearer than 120
        []
        >>> units.move("orc", 370, 500)
        >>> [left for zone, entered, left in events.update()]
        [['orc']]
    """

    def __init__(
        self,
        units: DynamicQuadtree[Any],
        groups: int | None = None,
        *,
        without: int | None = None,
        sight: ManySights | None = None,
    ) -> None:
        checked_masks(groups, without)
        self._units = units
        self.sight = sight
        self._groups = groups
        self._without = without
        self._tracker = RangeTracker()
        self._rows = Zones()
        self._zones: dict[Zone, int] = {}  # zones and their numbers, in the order they were added
        self._by_number: list[Zone | None] = []
        self._free: list[int] = []  # free numbers, left by removed zones
        self._ranks = np.empty(0, np.int32)  # by number: when the zone was added
        self._added = 0

    def __repr__(self) -> str:
        return f"<RangeEvents: {len(self):,} of {self._units!r}>"

    @property
    def units(self) -> DynamicQuadtree[Any]:
        """The tree."""
        return self._units

    @property
    def sight(self) -> ManySights | None:
        """What may block the view."""
        return self._sight

    @sight.setter
    def sight(self, value: ManySights | None) -> None:
        check_sight(value, "clear_many")
        self._sight = value

    def __len__(self) -> int:
        """The number of zones."""
        return len(self._zones)

    def __iter__(self) -> Iterator[Zone]:
        """The zones, in the order they were added."""
        return iter(self._zones)

    def __contains__(self, zone: object) -> bool:
        return isinstance(zone, Zone) and zone in self._zones

    def add(
        self,
        x: float,
        y: float,
        radius: float,
        *,
        leave_radius: float | None = None,
        groups: int | None = None,
        without: int | None = None,
    ) -> Zone:
        """Add a zone around a place. In the next update, all units inside enter it.

        Args:
            x: The center, in world units.
            y: The center.
            radius: A unit enters at this distance, in world units.
            leave_radius: A unit leaves beyond this distance. Make it larger than `radius`, and a
                unit that walks to and fro on the edge does not enter and leave all the time. None
                means `radius`.
            groups: A mask: see units in these groups. None means the `groups` of the `RangeEvents`.
            without: A mask: leave out units in any of these groups. None means the `without` of the
                `RangeEvents`.

        Raises:
            ValueError: A number is not finite, a distance is negative, `leave_radius` is less than
                `radius`, or a mask is out of range.
            TypeError: A mask is not a whole number.
        """
        place = checked_point((x, y), "x and y")
        return self._added_zone(None, place, radius, leave_radius, groups, without)

    def follow(
        self,
        item: Hashable,
        radius: float,
        *,
        leave_radius: float | None = None,
        groups: int | None = None,
        without: int | None = None,
    ) -> Zone:
        """Add a zone that follows a unit as long as it lives. Otherwise as `add`.

        Args:
            item: A unit of the tree. The zone does not see it.
            radius: A unit enters at this distance, in world units.
            leave_radius: A unit leaves beyond this distance; see `add`.
            groups: A mask: see units in these groups; see `add`.
            without: A mask: leave out units in any of these groups; see `add`.

        Raises:
            KeyError: The unit is not in the tree.
            ValueError: As `add`.
            TypeError: As `add`.
        """
        place = self._units.position(item)
        return self._added_zone(item, place, radius, leave_radius, groups, without)

    def remove(self, zone: Zone) -> None:
        """Remove a zone at once; the next update does not report it.

        Raises:
            KeyError: The zone is unknown here or has ended.
        """
        number = self._zones.pop(zone)
        self._by_number[number] = None
        self._free.append(number)
        self._rows.end(number)
        self._tracker.end_zone(number)

    def enable(self, zone: Zone, enabled: bool = True) -> None:
        """Switch a zone on or off. A zone that is off has nobody inside from the next update on.

        Raises:
            KeyError: The zone is unknown here or has ended.
        """
        self._rows.set_enabled(self._number(zone), bool(enabled))

    def inside(self, zone: Zone) -> list[Any]:
        """Return living units that were inside at the last update, in the order they were added.

        Raises:
            KeyError: The zone is unknown here or has ended.
        """
        return self._tracker.inside(store_of(self._units), self._number(zone))

    def count(self, zone: Zone) -> int:
        """Return the number of units that `inside` returns.

        Raises:
            KeyError: The zone is unknown here or has ended.
        """
        return len(self.inside(zone))

    def update(self) -> list[tuple[Zone, list[Any], list[Any]]]:
        """Tell who came and who left since the last update.

        Returns:
            A tuple (zone, entered, left) for each zone with events, in the order in which the
            zones were added; units in the order in which they were added.
        """
        pairs, kinds, gone, ended = self._news()
        found: list[Any] = self._tracker.listed(self._by_number, pairs.data, kinds.data, gone)
        self._end(ended)
        return found

    def update_many(self) -> tuple[Indices, NDArray[np.bool_]]:
        """Tell who came and who left since the last update, in arrays.

        Returns:
            pairs (n, 2) int32: the number of a zone and the slot of a unit, in the order of
            `update`; and entered (n,) bool: True for a unit that entered, False for one that left.
            The slot of a removed unit may belong to another unit by now.
        """
        pairs, kinds, _, ended = self._news()
        self._end(ended)
        entered: NDArray[np.bool_] = kinds == 1
        return pairs, entered

    def _news(self) -> tuple[Indices, Indices, list[Any], list[int]]:
        """Return the sorted events, the items of removed units, and the zones that end."""
        ended = ask(store_of(self._units), self._compare)
        return *self._tracker.taken(self._ranks), ended

    def _compare(self) -> list[int]:
        """Test everything that may have changed; return the zones that end."""
        units, tracker, zones = self._units, self._tracker, self._rows
        if not len(self):
            return []
        if tracker.look(store_of(units), items_of(units), zones):
            zones.grid = None
        rows = tracker.stale_zones()
        ended = tracker.zones_without_unit(rows.data)
        everywhere = self._sight is not None or tracker.count_changed() > len(self)
        if everywhere:
            rows = np.array(list(self._zones.values()), np.int32)
        if len(rows):
            # In Z order, each zone finds its neighbors' data in the caches.
            rows = at_slots(rows, np.frombuffer(z_order(zones.places(rows)), np.int32))
            # Call the game's code before writing anything, in case it raises.
            offsets, slots = self._near(rows)
            for row in ended:
                zones.set_enabled(row, False)
            tracker.test_zones(rows, offsets.data, slots.data)
        if not everywhere:
            tracker.test_units(zones.grid_of_enabled())
        tracker.finish()
        return ended

    def _near(self, rows: Indices) -> tuple[NDArray[np.int64], Indices]:
        """Return the units near zones: offsets and slots, as `within_many` does."""
        zones = [self._by_number[row] for row in rows.tolist()]
        masks = {zone.groups for zone in zones if zone is not None}
        groups = None
        if masks and None not in masks:
            groups = 0
            for mask in masks:
                groups |= mask or 0
        places = self._rows.places(rows)
        leaves = np.array([zone.leave_radius for zone in zones if zone is not None])
        # Not what a subclass may answer: the tracker trusts the slots.
        offsets, slots = DynamicQuadtree.within_many(self._units, places, leaves, groups=groups)
        if self._sight is None:
            return offsets, slots
        number = np.repeat(np.arange(len(rows)), np.diff(offsets))
        seen = np.asarray(self._sight.clear_many(places[number], self._tracker.positions(slots)))
        kept = np.bincount(number[seen], minlength=len(rows))
        return np.concatenate(([0], np.cumsum(kept))), slots[seen]

    def _number(self, zone: Zone) -> int:
        """Return the number of a zone; raise KeyError if it is unknown here."""
        return self._zones[zone]

    def _end(self, ended: list[int]) -> None:
        """Forget the zones whose units are gone."""
        for number in ended:
            zone = self._by_number[number]
            if zone is not None:
                self.remove(zone)

    # -- for `pack` and `unpack` ---

    _kind = ZONES

    def _packed(self, slots: int) -> dict[str, memoryview]:
        numbers, rows = list(self._zones.values()), self._rows
        masks = [mask for zone in self for mask in (zone.groups, zone.without)]
        circles, anchors, flags = (
            np.stack([np.array(column)[numbers] for column in rows.by_row[first:last]], 1)
            for first, last in ((0, 4), (6, 8), (8, 10))
        )
        return {
            "listed": row_from("i", numbers),
            "unused": row_from("i", self._free),
            "masks": row_from("q", [-1 if mask is None else mask for mask in masks]),
            "circles": row_from("d", circles.ravel()),
            "anchors": row_from("q", anchors.ravel()),
            "flags": row_from("i", flags.ravel()),
            **self._tracker.rows(slots),
        }

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        numbers, unused = (reader.take(name, "i").tolist() for name in ("listed", "unused"))
        n, total = len(numbers), len(numbers) + len(unused)
        need(sorted(numbers + unused) == list(range(total)), "the numbers of zones")
        masks, circles, anchors, flags = (
            np.reshape(reader.take(name, kind, width * n), (n, width)).tolist()
            for name, kind, width in NAMES_OF_ROWS
        )
        read = RangeEvents(tree)
        read._by_number = [None] * total
        read._ranks = np.zeros(total, np.int32)
        for i, number in enumerate(numbers):
            x, y, radius, leave = circles[i]
            groups, without = (None if mask < 0 else mask for mask in masks[i])
            slot, serial = anchors[i]
            item = unit_at(tree, slot, serial) if slot >= 0 else None
            read._free = [number]
            need(slot < slots_of(store_of(tree)), "the unit of a zone")
            read._added_zone(item, checked_point((x, y), "x and y"), radius, leave, groups, without)
            if slot >= 0:
                read._rows.set_anchor(number, slot, serial)
            read._rows.enabled[number], read._rows.stale[number] = (flag != 0 for flag in flags[i])
        state = tracker_state(reader, store_of(tree), items_of(tree), total)
        read._tracker.__setstate__(state)
        read._tracker.reserve_zones(len(read._rows.x))
        read._free = unused
        known = "_tracker", "_rows", "_zones", "_by_number", "_free", "_ranks", "_added"
        return partial(self.__dict__.update, {name: getattr(read, name) for name in known})

    def _added_zone(
        self,
        item: Any | None,
        place: tuple[float, float],
        radius: float,
        leave_radius: float | None,
        groups: int | None,
        without: int | None,
    ) -> Zone:
        """Check and add a zone around a place; unless `item` is None, it follows that unit."""
        radius = checked_distance(radius, "radius")
        leave = radius if leave_radius is None else checked_distance(leave_radius, "leave_radius")
        if leave < radius:
            raise ValueError(f"leave_radius must be at least radius, {radius!r}, got {leave!r}")
        groups = self._groups if groups is None else groups
        without = self._without if without is None else without
        masks = checked_masks(groups, without)
        number = self._free.pop() if self._free else len(self._zones)
        position = place if item is None else None
        zone = object.__new__(Zone)
        values = item, position, radius, leave, groups, without, number
        for name, value in zip(Zone.__slots__, values, strict=True):
            object.__setattr__(zone, name, value)  # read-only for all others
        if number == len(self._by_number):
            self._by_number.append(None)
            if number == len(self._ranks):
                self._ranks = np.append(self._ranks, np.zeros(number + 8, np.int32))
        self._zones[zone] = number
        self._by_number[number] = zone
        self._ranks[number] = self._added
        self._added += 1
        self._rows.begin(number, place, radius, leave, masks)
        self._tracker.reserve_zones(len(self._rows.x))
        if item is not None:
            slot = DynamicQuadtree.slot(self._units, item)  # as in `_near`
            self._rows.set_anchor(number, slot, self._units.serial(item))
        return zone

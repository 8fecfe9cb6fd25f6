"""Range events: which units came near a place or a unit since the last tick, and which left."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad._core.army.range_events import RangeTracker, read_tracker
from tilequad._core.checks import checked_point, distance_of, masks_of, slot_of
from tilequad._core.shown import shown
from tilequad._core.tree.rows import ZONES, RowReader
from tilequad.ai._checks import checked_sight, looks
from tilequad.ai.protocols import ManySights
from tilequad.quadtree.dynamic import DynamicQuadtree, check_tree, items_of, store_of

__all__ = ["RangeEvents", "Zone"]

Indices = NDArray[np.int32]


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
    and searches only around what moved. With `sight`, it looks at all units in range. A unit that
    comes or leaves costs a tenth to a quarter of a microsecond.

    Args:
        units: The tree.
        groups: A mask: see units in these groups, unless `add` says otherwise. None for all.
        without: A mask: leave out units in any of these groups, unless `add` says otherwise. None
            for none.
        sight: What may block the view, such as a `LineOfSight`, or several of them. A unit that
            cannot be seen by each is outside. None means that nothing blocks it.

    Raises:
        ValueError: A mask is out of range.
        TypeError: `units` is no tree, a mask is not a whole number, or `sight` has no method
            `clear_many`.

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
        sight: ManySights | Sequence[ManySights] | None = None,
    ) -> None:
        check_tree(units)
        masks_of(groups, without)
        self._units = units
        self.sight = sight
        self._groups = groups
        self._without = without
        self._tracker = RangeTracker()

    def __repr__(self) -> str:
        return f"<RangeEvents: {len(self):,} of {self._units!r}>"

    @property
    def units(self) -> DynamicQuadtree[Any]:
        """The tree."""
        return self._units

    @property
    def sight(self) -> ManySights | Sequence[ManySights] | None:
        """What may block the view."""
        return self._sight

    @sight.setter
    def sight(self, value: ManySights | Sequence[ManySights] | None) -> None:
        self._sight: ManySights | Sequence[ManySights] | None = checked_sight(value, "clear_many")

    def __len__(self) -> int:
        """The number of zones."""
        return len(self._tracker.zones)

    def __iter__(self) -> Iterator[Zone]:
        """The zones, in the order they were added."""
        return iter(self._tracker.zones)

    def __contains__(self, zone: object) -> bool:
        return isinstance(zone, Zone) and zone in self._tracker.zones

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
        return self._added(None, place, radius, leave_radius, groups, without)

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
        slot_of(self._units, item, "item")
        place = self._units.position(item)
        return self._added(item, place, radius, leave_radius, groups, without)

    def remove(self, zone: Zone) -> None:
        """Remove a zone at once; the next update does not report it.

        Raises:
            KeyError: The zone is unknown here or has ended.
        """
        self._tracker.remove(self._known(zone))

    def enable(self, zone: Zone, enabled: bool = True) -> None:
        """Switch a zone on or off. A zone that is off has nobody inside from the next update on.

        Raises:
            KeyError: The zone is unknown here or has ended.
        """
        self._tracker.enable(self._known(zone), bool(enabled))

    def inside(self, zone: Zone) -> list[Any]:
        """Return living units that were inside at the last update, in the order they were added.

        Raises:
            KeyError: The zone is unknown here or has ended.
        """
        return self._tracker.inside(store_of(self._units), self._known(zone))

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

        Raises:
            RuntimeError: The tree is being changed; or `sight` changes the zones.
            ValueError: `sight` has not given a bool for each line. If an update raises anything,
                or Ctrl-C cuts it, the next one tells the same.
        """
        found: list[tuple[Zone, list[Any], list[Any]]] = self._updated(RangeTracker.lists)
        return found

    def update_many(self) -> tuple[Indices, NDArray[np.bool_]]:
        """Tell who came and who left since the last update, in arrays.

        Returns:
            pairs (n, 2) int32: the number of a zone and the slot of a unit, in the order of
            `update`; and entered (n,) bool: True for a unit that entered, False for one that left.
            The slot of a removed unit may belong to another unit by now.
        """
        found: tuple[Indices, NDArray[np.bool_]] = self._updated(RangeTracker.arrays)
        return found

    def _updated(self, report: Callable[..., Any]) -> Any:
        """Update, and return what has been asked for of the events."""
        store, items = store_of(self._units), items_of(self._units)
        return self._tracker.update(store, items, self._near, self._sight is not None, report)

    def _near(self, rows: Indices) -> tuple[NDArray[np.int64], Indices]:
        """Return the units near zones: offsets and slots, as `within_many` does."""
        zones, sight = self._tracker.zones, self._sight
        places, leaves, groups = zones.places(rows), zones.leaves(rows), zones.groups_of(rows)
        # Not what a subclass may answer: the tracker trusts the slots.
        offsets, slots = DynamicQuadtree.within_many(self._units, places, leaves, groups=groups)
        if sight is None:
            return offsets, slots
        number = np.repeat(np.arange(len(rows)), np.diff(offsets))
        seen = looks(sight, places[number], self._tracker.positions(slots))
        kept = np.bincount(number[seen], minlength=len(rows))
        return np.concatenate(([0], np.cumsum(kept))), slots[seen]

    def _known(self, zone: Zone) -> Zone:
        if zone not in self:
            raise KeyError(f"zone must be one of these and not have ended, got {shown(zone)}")
        return zone

    def _added(
        self,
        item: Any | None,
        place: tuple[float, float],
        radius: float,
        leave_radius: float | None,
        groups: int | None,
        without: int | None,
    ) -> Zone:
        """Check and add a zone around a place; unless `item` is None, it follows that unit."""
        radius = distance_of(radius, "radius")
        leave = radius if leave_radius is None else distance_of(leave_radius, "leave_radius")
        if leave < radius:
            raise ValueError(f"leave_radius must be at least radius, {radius}, got {leave}")
        groups = self._groups if groups is None else groups
        without = self._without if without is None else without
        masks = masks_of(groups, without)
        carrier = -1, -1
        if item is not None:  # not what a subclass may answer, as in `_near`
            slot = DynamicQuadtree.slot(self._units, item)
            carrier = slot, DynamicQuadtree.serial(self._units, item)
        zone = _made(item, place, (radius, leave), groups, without)
        self._tracker.add(zone, place, (radius, leave), masks, carrier)
        return zone

    # -- for `pack` and `unpack` ---

    _kind = ZONES

    def _packed(self, slots: int) -> dict[str, memoryview]:
        return self._tracker.rows(slots)

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        tracker = read_tracker(reader, store_of(tree), items_of(tree), _made)
        return partial(setattr, self, "_tracker", tracker)


def _made(
    item: Any | None,
    place: tuple[float, float],
    circle: tuple[float, float],
    groups: int | None,
    without: int | None,
) -> Zone:
    """Return a zone without its number, which the tracker sets."""
    zone = object.__new__(Zone)
    values = item, place if item is None else None, *circle, groups, without
    for name, value in zip(Zone.__slots__, values, strict=False):
        object.__setattr__(zone, name, value)  # read-only for all others
    return zone

"""Watches: who came near a place or a unit since the last tick, and who left."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from math import isfinite
from operator import index
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tilequad.ai._core.memberships import Memberships, listed
from tilequad.quadtree import DynamicQuadtree

__all__ = ["Watch", "Watches"]

Indices = NDArray[np.int32]

MAX_DISTANCE = 1e150  # beyond it, squares overflow


class ManySights(Protocol):
    """The method that watches call to see which views are free. `LineOfSight` has it."""

    def clear_many(self, a: NDArray[np.float64], b: NDArray[np.float64], /) -> NDArray[np.bool_]:
        """Return whether nothing blocks the line between points, (n, 2) each."""


class Watch:
    """A place, or a unit, that is watched. Made by `Watches.add`.

    Attributes:
        unit: The unit that carries the watch, or None.
        place: The place (x, y), or None if a unit carries the watch.
        radius: A unit comes in at this distance, in world units.
        leave: A unit is out beyond this distance.
        groups: A mask of the groups watched, or None for all.
        number: The number of the watch in `Watches.update_many`.
    """

    __slots__ = ("groups", "leave", "number", "place", "radius", "unit")

    def __init__(
        self,
        unit: Any | None,
        place: tuple[float, float] | None,
        radius: float,
        leave: float,
        groups: int | None,
    ) -> None:
        self.unit = unit
        self.place = place
        self.radius = radius
        self.leave = leave
        self.groups = groups
        self.number = -1

    def __repr__(self) -> str:
        where = self.place if self.unit is None else self.unit
        return f"<Watch {self.number} on {where!r}: {self.radius:g}, left at {self.leave:g}>"


class Watches:
    """Standing range queries: each tick tells who came within a distance, and who left.

    Units are measured by position. A watch stays at a place, or moves along with a unit, which it
    does not see itself. Each unit is compared with the tree as it is at the update: a unit that
    left and came back in between is not told. A unit that was removed has left, also if it was
    added again, and then it has come, too. A watch ends when the unit that carries it is removed;
    all units inside leave it in the next update.

    The state can be pickled and copied together with the tree.

    Cost: an update compares each unit of the tree with what it was before, in a few nanoseconds,
    and searches only around what moved. With `sight`, it looks at all units in range.

    Args:
        units: The tree.
        groups: A mask: watch units in these groups, unless `add` says otherwise. None for all.
        sight: What may block the view, such as a `LineOfSight`. A unit that cannot be seen is
            outside. None means that nothing blocks it.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Watches
        >>> units = DynamicQuadtree((0, 0, 1000, 1000))
        >>> watches = Watches(units)
        >>> gate = watches.add((500, 500), 100, leave=120)
        >>> units.add("orc", 450, 500)
        >>> for watch, entered, left in watches.update():
        ...     print(watch is gate, entered, left)
        True ['orc'] []
        >>> units.move("orc", 385, 500)
        >>> watches.update()  # still nearer than 120
        []
        >>> units.move("orc", 370, 500)
        >>> [left for watch, entered, left in watches.update()]
        [['orc']]
    """

    def __init__(
        self,
        units: DynamicQuadtree[Any],
        groups: int | None = None,
        *,
        sight: ManySights | None = None,
    ) -> None:
        self.units = units
        self.sight = sight
        self._groups = _checked_mask(groups)
        self._members = Memberships()
        self._watches: dict[Watch, None] = {}
        self._by_number: list[Watch | None] = []
        self._free: list[int] = []  # numbers of former watches
        self._ranks = np.empty(0, np.int32)  # by number: the order of adding
        self._added = 0

    def __repr__(self) -> str:
        return f"<Watches: {len(self):,} of {self.units!r}>"

    def __len__(self) -> int:
        """The number of watches."""
        return len(self._watches)

    def __iter__(self) -> Iterator[Watch]:
        """The watches in the order of adding."""
        return iter(self._watches)

    def __contains__(self, watch: object) -> bool:
        return isinstance(watch, Watch) and watch in self._watches

    def add(
        self,
        where: Hashable | Sequence[float],
        radius: float,
        *,
        leave: float | None = None,
        groups: int | None = None,
    ) -> Watch:
        """Add a watch. Units that are inside already have come in the next update.

        Args:
            where: A place (x, y), or a unit of the tree.
            radius: A unit comes in at this distance, in world units.
            leave: A unit is out beyond this distance; a larger one keeps a unit that walks to and
                fro from coming and leaving all the time. None means `radius`.
            groups: A mask: watch units in these groups. None means the groups of all watches.

        Raises:
            ValueError: `where` is neither a unit nor two finite numbers, a distance is not finite
                or is negative, `leave` is less than `radius`, or the mask is out of range.
            TypeError: The mask is not a whole number.
        """
        unit, place = self._found(where)
        radius = _checked_distance(radius, "radius")
        leave = radius if leave is None else _checked_distance(leave, "leave")
        if leave < radius:
            raise ValueError(f"leave must be at least radius, {radius!r}, got {leave!r}")
        mask = self._groups if groups is None else _checked_mask(groups)
        watch = Watch(unit, None if unit is not None else place, radius, leave, mask)
        number = watch.number = self._free.pop() if self._free else len(self._watches)
        if number == len(self._by_number):
            self._by_number.append(None)
            if number == len(self._ranks):
                self._ranks = np.append(self._ranks, np.zeros(number + 8, np.int32))
        self._watches[watch] = None
        self._by_number[number] = watch
        self._ranks[number] = self._added
        self._added += 1
        self._members.set_watch(number, place, radius, leave, _signed(mask))
        if unit is not None:
            self._members.set_anchor(self.units, number, self.units.slot(unit))
        return watch

    def remove(self, watch: Watch) -> None:
        """Remove a watch, at once and without a word in the next update.

        Raises:
            KeyError: The watch is not one of these, or has ended.
        """
        del self._watches[watch]
        self._by_number[watch.number] = None
        self._free.append(watch.number)
        self._members.end_watch(watch.number)

    def enable(self, watch: Watch, enabled: bool = True) -> None:
        """Switch a watch on or off. A watch that is off has nobody inside from the next update on.

        Raises:
            KeyError: The watch is not one of these, or has ended.
        """
        self._members.set_enabled(self._number(watch), bool(enabled))

    def inside(self, watch: Watch) -> list[Any]:
        """Return the units that were inside at the last update and live, in the order of adding.

        Raises:
            KeyError: The watch is not one of these, or has ended.
        """
        return self._members.inside(self.units, self._number(watch))

    def count(self, watch: Watch) -> int:
        """Return the number of units that `inside` returns.

        Raises:
            KeyError: The watch is not one of these, or has ended.
        """
        return len(self.inside(watch))

    def update(self) -> list[tuple[Watch, list[Any], list[Any]]]:
        """Tell who came and who left since the last update.

        Returns:
            A tuple (watch, entered, left) for each watch with news, in the order in which the
            watches were added; units in the order in which they were added.
        """
        pairs, kinds, gone, ended = self._news()
        found: list[Any] = []
        if len(pairs):
            found = listed(self.units, self._by_number, pairs.data, kinds.data, gone)
        self._end(ended)
        return found

    def update_many(self) -> tuple[Indices, NDArray[np.bool_]]:
        """Tell who came and who left since the last update, in arrays.

        Returns:
            pairs (n, 2) int32: the number of a watch and the slot of a unit, in the order of
            `update`; and came (n,) bool: True for those that came, False for those that left. The
            slot of a removed unit may belong to another unit by now.
        """
        pairs, kinds, _, ended = self._news()
        self._end(ended)
        came: NDArray[np.bool_] = kinds == 1
        return pairs, came

    def _news(self) -> tuple[Indices, Indices, list[Any], Indices]:
        """The events since the last update, sorted; the items of the dead; the watches that end."""
        ended: Indices = self.units._ask(self._compare)
        return *self._members.taken(self._ranks), ended

    def _compare(self) -> Indices:
        """Test what may have changed; return the watches that end."""
        units, members = self.units, self._members
        if not len(self):
            return np.empty(0, np.int32)
        members.look(units)
        ended = rows = np.empty(0, np.int32)
        if members.has_stale():
            ended = members.orphans()
            rows = np.union1d(members.stale_rows(), ended).astype(np.int32)
        everywhere = self.sight is not None or members.count_changed() > len(self)
        if everywhere:
            rows = np.array([watch.number for watch in self._watches], np.int32)
        if len(rows):
            rows = members.neighbors_first(rows)
            # What the game's own code answers is asked for before anything is written.
            offsets, slots = self._near(rows)
            for row in ended.tolist():
                members.set_enabled(row, False)
            members.test_watches(rows, offsets.data, slots.data)
        if not everywhere:
            members.test_units()
        members.finish()
        return ended

    def _near(self, rows: Indices) -> tuple[NDArray[np.int64], Indices]:
        """The units near watches: offsets and slots, as of `within_many`."""
        watches = [self._by_number[row] for row in rows.tolist()]
        masks = {watch.groups for watch in watches if watch is not None}
        groups = None
        if masks and None not in masks:
            groups = 0
            for mask in masks:
                groups |= mask or 0
        places = self._members.places(rows)
        leaves = np.array([watch.leave for watch in watches if watch is not None])
        offsets, slots = self.units.within_many(places, leaves, groups=groups)
        if self.sight is None:
            return offsets, slots
        number = np.repeat(np.arange(len(rows)), np.diff(offsets))
        seen = np.asarray(self.sight.clear_many(places[number], self._members.positions(slots)))
        kept = np.bincount(number[seen], minlength=len(rows))
        return np.concatenate(([0], np.cumsum(kept))), slots[seen]

    def _number(self, watch: Watch) -> int:
        """The number of a watch, if it is one of these."""
        if watch not in self._watches:
            raise KeyError(watch)
        return watch.number

    def _end(self, ended: Indices) -> None:
        """Forget the watches whose units are gone."""
        for number in ended.tolist():
            watch = self._by_number[number]
            if watch is not None:
                self.remove(watch)

    def _found(self, where: Any) -> tuple[Any | None, tuple[float, float]]:
        """The unit to watch, if it is one, and its place."""
        try:
            if where in self.units:
                return where, self.units.position(where)
        except TypeError:  # an array or a list has no hash
            pass
        try:
            x, y = (float(number) for number in where)
        except (TypeError, ValueError):
            raise ValueError(f"where must be a unit or two numbers, got {where!r}") from None
        if not (isfinite(x) and isfinite(y)):
            raise ValueError(f"where must be finite, got {where!r}")
        return None, (x, y)


def _checked_mask(groups: Any) -> int | None:
    """A mask of groups, None for all."""
    if groups is None:
        return None
    try:
        mask = index(groups)
    except TypeError:
        raise TypeError(f"groups must be a whole number, got {groups!r}") from None
    if not 1 <= mask <= 0xFFFFFFFF:
        raise ValueError(f"groups must be in 1 .. 2**32 - 1, got {groups!r}")
    return mask


def _signed(mask: int | None) -> int:
    """A mask as the tree stores it, in 32 bits with a sign."""
    if mask is None:
        return -1
    return mask - (1 << 32) if mask >= 1 << 31 else mask


def _checked_distance(value: float, name: str) -> float:
    number = float(value)
    if not 0.0 <= number <= MAX_DISTANCE:
        raise ValueError(f"{name} must be from 0 to {MAX_DISTANCE:g}, got {value!r}")
    return number

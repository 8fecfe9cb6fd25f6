# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# Plain C methods (binding=False) take 10 ns less per call than Cython's own functions. inspect
# reads their signatures as long as all defaults are literals: 1e309 is inf.
"""DynamicQuadtree: units that move, and the questions about who is near.

Each verb checks its arguments, lets the core search (`_core/`, one verb a file), and turns slots
into items.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from types import GenericAlias
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # compiled, dynamic.pxd imports these
    from tilequad.quadtree._core import _cython as cython
    from tilequad.quadtree._core.box import begin_box, find_in_box
    from tilequad.quadtree._core.checks import (
        check_distance,
        check_limits,
        check_position,
        mask_of,
        read_bounds,
    )
    from tilequad.quadtree._core.layout import (
        ALL_GROUPS,
        ENTRY,
        HITS,
        MAX_COORDINATE,
        MAX_K,
        NO_SLOT,
        ORDER,
        RECORD,
        Ranking,
        Walk,
        items_at,
    )
    from tilequad.quadtree._core.nearest import find_nearest, start_ranking
    from tilequad.quadtree._core.pairs import find_pairs
    from tilequad.quadtree._core.segment import begin_segment, find_on_segment
    from tilequad.quadtree._core.walk import start_counts
    from tilequad.quadtree._core.within import (
        begin_to_edge,
        begin_within,
        count_hits,
        find_to_edge,
        find_within,
    )

from tilequad.bounds import Bounds
from tilequad.quadtree._core.arrays import (
    checked_boxes,
    checked_halves,
    checked_masks,
    checked_out,
    checked_points,
    checked_slots,
    per_unit,
)
from tilequad.quadtree._core.box import query_many
from tilequad.quadtree._core.buffers import IntBuffer
from tilequad.quadtree._core.inspection import (
    TreeStats,
    check_units,
    nbytes_of_units,
    stats_of,
    table_of,
)
from tilequad.quadtree._core.nearest import nearest_many
from tilequad.quadtree._core.pairs import partners_of
from tilequad.quadtree._core.unit_store import UnitStore
from tilequad.quadtree._core.walk import Tally
from tilequad.quadtree._core.within import within_many
from tilequad.quadtree.explain import Explanation, explanation

VERBS = ("query", "within", "count_within", "nearest", "k_nearest", "segment", "sweep", "pairs")


class DynamicQuadtree:
    """A quadtree over units that move.

    A unit is any hashable object of the game except None. It has a position and a footprint around
    it: the point itself, a circle (`radius`), or an upright box (`size`). It belongs to one or more
    of 32 groups, the bits of a mask; a query for some groups skips the parts of the tree that hold
    none of them.

    Boxes and circles are closed: what touches, overlaps. Ties go to the unit added first, and the
    same calls in the same order give the same answers. Several threads may query at once while none
    changes the tree. Units may be anywhere, also outside the bounds or on one point.

    Cost: `add`, `move` and `remove` take O(log n), and a move within a leaf almost nothing; a query
    takes O(log n + hits). If all units share one point, it takes O(n).

    Args:
        bounds: Where most of the units will be: min_x, min_y, max_x, max_y.

    Raises:
        ValueError: The bounds are not four finite numbers, or a minimum is above its maximum.

    Example:
        >>> units = DynamicQuadtree((0, 0, 1000, 1000))
        >>> units.add("orc", 100, 100, radius=12)
        >>> units.add("elf", 130, 140, radius=10, groups=2)
        >>> units.within(100, 100, 50)
        ['orc', 'elf']
        >>> units.nearest(0, 0, groups=2)
        'elf'
    """

    __slots__ = ("_items", "_slots", "_store", "_tally", "bounds")

    __class_getitem__: Any = classmethod(GenericAlias)
    __signature__ = inspect.Signature(
        [inspect.Parameter("bounds", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    )

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = Bounds.of(bounds)
        self._store = UnitStore(tuple(self.bounds), self.bounds.center)
        self._slots: dict[Any, int] = {}
        self._items: list[Any] = []
        self._tally: Tally | None = None

    # -- changing ----------------------------------------------------------------------------------

    def add(
        self,
        item: Hashable,
        x: float,
        y: float,
        radius: float = 0.0,
        size: Sequence[float] | None = None,
        groups: int = 1,
    ) -> None:
        """Add a unit.

        Args:
            item: Any hashable object that is not in the tree; not None.
            x: Its position, in world units.
            y: Its position, in world units.
            radius: The radius of its footprint, a circle; 0 for a point.
            size: Width and height of its footprint instead, a box centred on the position.
            groups: The groups it belongs to: a mask of 32 bits, at least one of them set.

        Raises:
            ValueError: The item is None or already in the tree, a number is not finite or is
                negative where it must not be, radius and size are both given, or groups is out of
                range.
        """
        slot: cython.int
        mask: cython.int = checked_mask(groups)
        half_w: cython.double = radius
        half_h: cython.double = -1.0
        check_position(x, "x")
        check_position(y, "y")
        check_distance(radius, "radius")
        if size is not None:
            half_w, half_h = half_of(size, radius)
        if item is None:
            raise ValueError("item must not be None")
        if item in self._slots:
            raise ValueError(f"item {item!r} is already in the tree")
        slot = self._store.take_slot()
        self._store.half_w[slot] = half_w
        self._store.half_h[slot] = half_h
        self._store.insert(slot, x, y, mask)
        self._slots[item] = slot
        if slot == len(self._items):
            self._items.append(item)
        else:
            self._items[slot] = item

    def move(self, item: Hashable, x: float, y: float) -> None:
        """Move a unit to a new position.

        Args:
            item: A unit in the tree.
            x: Its new position, in world units.
            y: Its new position, in world units.

        Raises:
            KeyError: The item is not in the tree.
            ValueError: A coordinate is not finite.
        """
        slot: cython.int = self._slots[item]
        if not (-MAX_COORDINATE <= x <= MAX_COORDINATE and -MAX_COORDINATE <= y <= MAX_COORDINATE):
            check_position(x, "x")
            check_position(y, "y")
        self._store.move(slot, x, y)

    def remove(self, item: Hashable) -> None:
        """Remove a unit.

        Raises:
            KeyError: The item is not in the tree.
        """
        slot: cython.int = self._slots.pop(item)
        self._store.delete(slot)
        self._items[slot] = None

    def set_groups(self, item: Hashable, groups: int) -> None:
        """Replace the groups of a unit.

        Args:
            item: A unit in the tree.
            groups: A mask of 32 bits, at least one of them set.

        Raises:
            KeyError: The item is not in the tree.
            ValueError: Groups out of range.
        """
        slot: cython.int = self._slots[item]
        self._store.set_groups(slot, checked_mask(groups))

    def __repr__(self) -> str:
        place = ", ".join([f"{edge:.10g}" for edge in self.bounds])
        units = f"{len(self):,} unit{'s' * (len(self) != 1)}"
        return f"<{type(self).__name__} of {units} in ({place})>"

    def __contains__(self, item: Hashable) -> bool:
        return item in self._slots

    def __len__(self) -> int:
        return self._store.count

    def __iter__(self) -> Iterator[Any]:
        """The units in the order of adding."""
        return iter(self._slots)

    def position(self, item: Hashable) -> tuple[float, float]:
        """The position of a unit, (x, y).

        Raises:
            KeyError: The item is not in the tree.
        """
        slot: cython.int = self._slots[item]
        entry: cython.Py_ssize_t = self._store.record[RECORD * slot + ENTRY]
        return self._store.xs[entry], self._store.ys[entry]

    # -- asking ------------------------------------------------------------------------------------

    def query(self, bounds: Sequence[float], groups: int | None = None) -> list[Any]:
        """Find the units whose footprint overlaps a box.

        Args:
            bounds: The closed box: min_x, min_y, max_x, max_y.
            groups: A mask; only units in one of these groups. None for all.

        Returns:
            The units, in no particular order.

        Raises:
            ValueError: The bounds are not a box, or groups is out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("orc", 10, 10, radius=5)
            >>> units.query((15, 0, 20, 20)), units.query((15.1, 0, 20, 20))
            (['orc'], [])
        """
        walk = cython.declare(Walk)
        hits = cython.declare(cython.int[HITS])
        box = cython.declare(cython.double[4])
        n: cython.int = HITS
        mask: cython.int = ALL_GROUPS if groups is None else mask_of(groups)
        found: Any = None
        read_bounds(bounds, box)
        self._start(cython.address(walk))
        begin_box(cython.address(walk), box, mask)
        while n == HITS:
            n = find_in_box(self._store, cython.address(walk), hits)
            items: list[Any] = self._items_of(hits, n, NO_SLOT)
            if found is None:
                found = items
            else:
                found += items
        self._stop(cython.address(walk))
        return found

    def within(
        self,
        x: float,
        y: float,
        radius: float,
        groups: int | None = None,
        min_radius: float = 0.0,
        exclude: Hashable = None,
        to_edge: bool = False,
    ) -> list[Any]:
        """Find the units within a radius of a point, by position: min_radius <= distance <= radius.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            radius: The largest distance.
            groups: A mask; only units in one of these groups. None for all.
            min_radius: The smallest distance, for a ring.
            exclude: A unit to leave out, such as the one that asks.
            to_edge: Measure to the footprints of units, 0 inside them, instead of their positions.

        Returns:
            The units, in no particular order.

        Raises:
            ValueError: A number is not finite or is negative, min_radius > radius, or groups is
                out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("orc", 3, 4, radius=2)
            >>> units.within(0, 0, 5), units.within(0, 0, 3), units.within(0, 0, 3, to_edge=True)
            (['orc'], [], ['orc'])
        """
        walk = cython.declare(Walk)
        hits = cython.declare(cython.int[HITS])
        n: cython.int = HITS
        mask: cython.int = ALL_GROUPS if groups is None else mask_of(groups)
        skip: cython.int = NO_SLOT if exclude is None else self._slot_to_skip(exclude)
        edge: cython.bint = to_edge
        found: Any = None
        if not (
            -MAX_COORDINATE <= x <= MAX_COORDINATE
            and -MAX_COORDINATE <= y <= MAX_COORDINATE
            and 0.0 <= min_radius <= radius <= MAX_COORDINATE
        ):
            refuse_within(x, y, radius, min_radius)
        self._start(cython.address(walk))
        if edge:
            begin_to_edge(cython.address(walk), x, y, radius, mask)
        else:
            begin_within(cython.address(walk), x, y, radius, mask)
        while n == HITS:
            if edge:
                n = find_to_edge(self._store, cython.address(walk), min_radius, hits)
            else:
                n = find_within(self._store, cython.address(walk), min_radius * min_radius, hits)
            items: list[Any] = self._items_of(hits, n, skip)
            if found is None:
                found = items
            else:
                found += items
        self._stop(cython.address(walk))
        return found

    def count_within(self, x: float, y: float, radius: float, groups: int | None = None) -> int:
        """Count the units within a radius of a point, by position, without making a list.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            radius: The largest distance.
            groups: A mask; only units in one of these groups. None for all.

        Raises:
            ValueError: A number is not finite or is negative, or groups is out of range.
        """
        walk = cython.declare(Walk)
        count: cython.Py_ssize_t
        mask: cython.int = mask_of(groups)
        check_position(x, "x")
        check_position(y, "y")
        check_distance(radius, "radius")
        self._start(cython.address(walk))
        begin_within(cython.address(walk), x, y, radius, mask)
        count = count_hits(self._store, cython.address(walk))
        self._stop(cython.address(walk))
        return count

    def nearest(
        self,
        x: float,
        y: float,
        groups: int | None = None,
        min_distance: float = 0.0,
        max_distance: float = 1e309,
        exclude: Hashable = None,
        where: Callable[[Any], bool] | None = None,
    ) -> Any:
        """Find the unit nearest to a point, by position; None if there is none.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            groups: A mask; only units in one of these groups. None for all.
            min_distance: Leave out nearer units.
            max_distance: Leave out farther units.
            exclude: A unit to leave out, such as the one that asks.
            where: A predicate, called with a unit, nearest first, until it is true. It must not
                change the tree.

        Returns:
            The unit, or None. Of several at the same distance, the one added first.

        Raises:
            ValueError: A number is not finite (max_distance may be infinite) or is negative,
                min_distance > max_distance, or groups is out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("oak", 10, 0)
            >>> units.add("elm", 20, 0)
            >>> units.nearest(0, 0), units.nearest(0, 0, where=lambda tree: tree != "oak")
            ('oak', 'elm')
        """
        walk = cython.declare(Walk)
        ranking = cython.declare(Ranking)
        n: cython.int
        mask: cython.int = ALL_GROUPS if groups is None else mask_of(groups)
        skip: cython.int = NO_SLOT if exclude is None else self._slot_to_skip(exclude)
        if where is not None:
            found = self.k_nearest(x, y, 1, groups, min_distance, max_distance, exclude, where)
            return found[0] if found else None
        if not (
            -MAX_COORDINATE <= x <= MAX_COORDINATE
            and -MAX_COORDINATE <= y <= MAX_COORDINATE
            and 0.0 <= min_distance <= MAX_COORDINATE
            and min_distance <= max_distance
        ):
            refuse_nearest(x, y, min_distance, max_distance)
        self._start(cython.address(walk))
        start_ranking(cython.address(ranking), 1, min_distance, skip)
        n = find_nearest(
            self._store,
            cython.address(walk),
            cython.address(ranking),
            x,
            y,
            max_distance * max_distance,
            mask,
        )
        self._stop(cython.address(walk))
        return self._items[ranking.hits[0]] if n else None

    def k_nearest(
        self,
        x: float,
        y: float,
        k: int,
        groups: int | None = None,
        min_distance: float = 0.0,
        max_distance: float = 1e309,
        exclude: Hashable = None,
        where: Callable[[Any], bool] | None = None,
    ) -> list[Any]:
        """Find the k units nearest to a point, by position, nearest first.

        One search finds up to 64; for more, each further search continues behind the last hit.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            k: How many, at least 1.
            groups: A mask; only units in one of these groups. None for all.
            min_distance: Leave out nearer units.
            max_distance: Leave out farther units.
            exclude: A unit to leave out, such as the one that asks.
            where: A predicate, called with a unit, nearest first, until it was true k times. It
                must not change the tree.

        Returns:
            The units, nearest first, ties in the order of adding; fewer than k if there are no
            more.

        Raises:
            ValueError: As `nearest`, or k < 1.
        """
        walk = cython.declare(Walk)
        ranking = cython.declare(Ranking)
        mask: cython.int = ALL_GROUPS if groups is None else mask_of(groups)
        skip: cython.int = NO_SLOT if exclude is None else self._slot_to_skip(exclude)
        n: cython.int
        wanted: cython.int
        if not (
            -MAX_COORDINATE <= x <= MAX_COORDINATE
            and -MAX_COORDINATE <= y <= MAX_COORDINATE
            and 0.0 <= min_distance <= MAX_COORDINATE
            and min_distance <= max_distance
        ):
            refuse_nearest(x, y, min_distance, max_distance)
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k!r}")
        left: cython.Py_ssize_t = k if k <= MAX_K or k <= self._store.count else len(self) + 1
        found: Any = None if where is None else []  # one search is mostly enough: take its list
        wanted = cython.cast(cython.int, min(left if where is None else left + 3, MAX_K))
        self._start(cython.address(walk))
        start_ranking(cython.address(ranking), wanted, min_distance, skip)
        while True:
            wanted = ranking.k
            n = find_nearest(
                self._store,
                cython.address(walk),
                cython.address(ranking),
                x,
                y,
                max_distance * max_distance,
                mask,
            )
            candidates: list[Any] = self._items_of(ranking.hits, n, NO_SLOT)
            if n == wanted:  # there may be more: the next search continues behind the last hit
                ranking.min_distance2 = ranking.distances2[n - 1]
                ranking.after = ranking.orders[n - 1]
            if where is None:
                left -= n
                if found is None:
                    found = candidates
                else:
                    found += candidates
            else:
                for item in candidates:
                    if where(item):
                        found.append(item)
                        left -= 1
                        if left == 0:
                            break
            if n < wanted or left == 0:
                self._stop(cython.address(walk))
                return found
            ranking.k = cython.cast(cython.int, min(left, MAX_K)) if where is None else MAX_K

    def segment(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        width: float = 0.0,
        groups: int | None = None,
        exclude: Hashable = None,
    ) -> list[Any]:
        """Find the units whose footprint a shot or a line of sight touches.

        Args:
            x0: The start, in world units.
            y0: The start, in world units.
            x1: The end.
            y1: The end.
            width: The diameter of a disc that moves along the segment; 0 for a line.
            groups: A mask; only units in one of these groups. None for all.
            exclude: A unit to leave out, such as the one that shoots.

        Returns:
            The units in the order of first touch along the way, ties in the order of adding.

        Raises:
            ValueError: A number is not finite, width is negative, or groups is out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("far", 80, 1, radius=2)
            >>> units.add("near", 30, -1, radius=2)
            >>> units.segment(0, 0, 100, 0)
            ['near', 'far']
        """
        mask: cython.int = mask_of(groups)
        skip: cython.int = NO_SLOT if exclude is None else self._slot_to_skip(exclude)
        check_position(x0, "x0")
        check_position(y0, "y0")
        check_position(x1, "x1")
        check_position(y1, "y1")
        check_distance(width, "width")
        return self._touched(x0, y0, x1, y1, width / 2, -1.0, mask, skip)

    def sweep(self, item: Hashable, x: float, y: float, groups: int | None = None) -> list[Any]:
        """Find the units that a unit's footprint would touch on a straight way to a new position.

        However fast the unit is, it does not tunnel: the whole way counts. It is not moved.

        Args:
            item: The unit; its way starts at its position.
            x: The end of the way, in world units.
            y: The end of the way, in world units.
            groups: A mask; only units in one of these groups. None for all.

        Returns:
            The other units in the order of first touch, those touched from the start first, ties
            in the order of adding.

        Raises:
            KeyError: The item is not in the tree.
            ValueError: A coordinate is not finite, or groups is out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("ball", 0, 50, radius=2)
            >>> units.add("wall", 50, 50, size=(1, 40))
            >>> units.sweep("ball", 100, 50), units.sweep("ball", 40, 50)
            (['wall'], [])
        """
        slot: cython.int = self._slots[item]
        entry: cython.Py_ssize_t = self._store.record[RECORD * slot + ENTRY]
        mask: cython.int = mask_of(groups)
        check_position(x, "x")
        check_position(y, "y")
        return self._touched(
            self._store.xs[entry],
            self._store.ys[entry],
            x,
            y,
            self._store.half_w[slot],
            self._store.half_h[slot],
            mask,
            slot,
        )

    def pairs(self, groups: int | None = None, against: int | None = None) -> list[tuple[Any, Any]]:
        """Find all pairs of units whose footprints overlap.

        Args:
            groups: A mask; one unit of each pair is in one of these groups. None for all.
            against: A mask; the other unit is in one of these. None for the same as `groups`.

        Returns:
            Each pair once as (a, b), a added before b; sorted by the order of adding.

        Raises:
            ValueError: Groups out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> for name, x in ("a", 10), ("b", 20), ("c", 30.5):
            ...     units.add(name, x, 50, radius=5)
            >>> units.pairs()
            [('a', 'b')]
        """
        items: list[Any] = self._items
        pairs = self.pairs_many(groups, against)
        orders = np.frombuffer(self._store.record, np.int32)[ORDER::RECORD]
        rows = np.lexsort((orders[pairs[:, 1]], orders[pairs[:, 0]]))
        return [(items[a], items[b]) for a, b in pairs[rows].tolist()]

    # -- slots and arrays --------------------------------------------------------------------------

    def slot(self, item: Hashable) -> int:
        """The slot of a unit: an int that stays the same until the unit is removed.

        Raises:
            KeyError: The item is not in the tree.
        """
        return self._slots[item]

    def items(self, slots: npt.ArrayLike) -> list[Any]:
        """The units in slots, in the same order.

        Raises:
            KeyError: A number is not the slot of a unit.
        """
        items: list[Any] = self._items
        return [items[slot] for slot in checked_slots(self._store, slots).tolist()]

    def add_many(
        self,
        items: Iterable[Hashable],
        xy: npt.ArrayLike,
        radius: npt.ArrayLike = 0.0,
        size: npt.ArrayLike | None = None,
        groups: npt.ArrayLike = 1,
    ) -> np.ndarray:
        """Add many units.

        If they become a good part of all units, the tree is rebuilt with them, in O(n log n) and
        much faster than one by one.

        Args:
            items: n different hashable objects that are not in the tree; none of them None.
            xy: Their positions, (n, 2), in world units.
            radius: The radii of their footprints, circles: one number, or (n,).
            size: Width and height of their footprints instead, boxes: (2,), or (n, 2).
            groups: Their groups: one mask, or (n,).

        Returns:
            Their slots, (n,) int32.

        Raises:
            ValueError: As `add`, or shapes that do not fit; nothing is added then.
        """
        items = list(items)
        n = len(items)
        points = checked_points(xy, n)
        half_w, half_h = checked_halves(radius, size, n)
        masks = checked_masks(groups, n)
        new = numbered(items, self._store.slots)
        if None in new:
            raise ValueError("items must not be None")
        if len(new) < n or (self._slots and not self._slots.keys().isdisjoint(new)):
            raise ValueError(f"item {first_twice(items, self._slots)!r} is added twice")
        first: cython.Py_ssize_t = self._store.slots
        slots = self._store.take_slots(n)
        if n and (slots[0] != first or self._store.slots != first + n):  # some slots were free
            new = dict(zip(items, slots.tolist(), strict=True))
            self._items += [None] * (self._store.slots - len(self._items))
            for item, slot in new.items():
                self._items[slot] = item
        elif self._items:
            self._items += items
        else:
            self._items = items
        if self._slots:
            self._slots.update(new)
        else:
            self._slots = new
        self._store.set_sizes(slots, half_w, half_h)
        self._store.insert_many(slots, points, masks)
        return slots

    def move_many(self, slots: npt.ArrayLike, xy: npt.ArrayLike) -> None:
        """Move many units to new positions.

        Args:
            slots: Their slots, (n,); if one is there twice, its last position counts.
            xy: Their new positions, (n, 2), in world units.

        Raises:
            KeyError: A number is not the slot of a unit; nothing is moved then.
            ValueError: A coordinate is not finite, or the shapes do not fit; nothing is moved then.
        """
        checked = checked_slots(self._store, slots)
        points = checked_points(xy, len(checked))
        self._store.move_all(checked.data, points.data)

    def remove_many(self, slots: npt.ArrayLike) -> None:
        """Remove many units.

        Args:
            slots: Their slots, (n,), each once.

        Raises:
            KeyError: A number is not the slot of a unit; nothing is removed then.
            ValueError: A slot is there twice; nothing is removed then.
        """
        checked = checked_slots(self._store, slots)
        if len(np.unique(checked)) < len(checked):
            raise ValueError("slots must differ, but one of them is there twice")
        for slot in checked.tolist():
            del self._slots[self._items[slot]]
            self._items[slot] = None
            self._store.delete(slot)

    def query_many(
        self,
        boxes: npt.ArrayLike,
        groups: int | None = None,
        workers: int = 1,
        out: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the units whose footprint overlaps a box, for many boxes.

        Args:
            boxes: (n, 4), each min_x, min_y, max_x, max_y.
            groups: A mask; only units in one of these groups. None for all.
            workers: The number of threads; -1 for one per core.
            out: An int32 array for the slots, to be reused every frame. The slots returned are its
                first part.

        Returns:
            offsets (n + 1,) int64 and slots int32: those of box i are
            slots[offsets[i]:offsets[i + 1]], in no particular order.

        Raises:
            ValueError: As `query`, or shapes that do not fit.
        """
        checked = np.require(checked_boxes(boxes), None, ["C", "W"])
        return query_many(self._store, checked, mask_of(groups), workers, out)

    def within_many(
        self,
        xy: npt.ArrayLike,
        radius: npt.ArrayLike,
        groups: int | None = None,
        workers: int = 1,
        out: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the units within a radius of a point, by position, for many points.

        Args:
            xy: The points, (n, 2), in world units.
            radius: The largest distance: one number, or (n,).
            groups: A mask; only units in one of these groups. None for all.
            workers: The number of threads; -1 for one per core.
            out: An int32 array for the slots, to be reused every frame. The slots returned are its
                first part.

        Returns:
            offsets (n + 1,) int64 and slots int32: those of point i are
            slots[offsets[i]:offsets[i + 1]], in no particular order.

        Raises:
            ValueError: As `within`, or shapes that do not fit.

        Example:
            >>> from tilequad import DynamicQuadtree
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many("abc", [(10, 10), (20, 10), (90, 90)])
            >>> offsets, found = units.within_many([(15, 10), (50, 50)], 5)
            >>> offsets.tolist(), sorted(units.items(found))
            ([0, 2, 2], ['a', 'b'])
        """
        points = checked_points(xy)
        radii = np.require(per_unit(radius, len(points), "radius"), None, ["C", "W"])
        if len(radii):
            check_distance(radii.min(), "radius")
            check_distance(radii.max(), "radius")
        return within_many(self._store, points, radii, mask_of(groups), workers, out)

    def nearest_many(
        self,
        xy: npt.ArrayLike,
        groups: int | None = None,
        max_distance: float = 1e309,
        workers: int = 1,
        out: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find the unit nearest to a point, by position, for many points.

        Args:
            xy: The points, (n, 2), in world units.
            groups: A mask; only units in one of these groups. None for all.
            max_distance: Leave out farther units.
            workers: The number of threads; -1 for one per core.
            out: Arrays for slots (int32) and distances (float64), at least n long, to be reused
                every frame. Those returned are their first parts.

        Returns:
            slots (n,) int32 and distances (n,) float64; slot -1 and distance inf where there is
            none. Ties go to the unit added first.

        Raises:
            ValueError: As `nearest`, or shapes that do not fit.
        """
        points = checked_points(xy)
        check_limits(0.0, max_distance)
        mask: cython.int = mask_of(groups)
        n = len(points)
        if out is None:
            out = np.empty(n, np.int32), np.empty(n)
        slots, distances = checked_out(out[0], n), checked_out(out[1], n, np.float64)
        nearest_many(self._store, points, max_distance, mask, workers, slots, distances)
        return slots, distances

    def pairs_many(self, groups: int | None = None, against: int | None = None) -> np.ndarray:
        """Find all pairs of units whose footprints overlap.

        Args:
            groups: A mask; one unit of each pair is in one of these groups. None for all.
            against: A mask; the other unit is in one of these. None for the same as `groups`.

        Returns:
            The slots, (n, 2) int32: each pair once, in each row the unit added first, rows in no
            particular order.

        Raises:
            ValueError: Groups out of range.
        """
        walk = cython.declare(Walk)
        mask: cython.int = mask_of(groups)
        others: cython.int = mask if against is None else mask_of(against)
        found: IntBuffer = IntBuffer()
        self._start(cython.address(walk))
        find_pairs(self._store, cython.address(walk), found, mask, others)
        self._stop(cython.address(walk))
        return np.frombuffer(found.taken(), np.int32).reshape(-1, 2)

    # -- keeping -----------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self.bounds),), self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        """The items in the order of adding, their slots, and the store, bit by bit."""
        slots = np.fromiter(self._slots.values(), np.int32, len(self._slots))
        return list(self._slots), slots, self._store.state()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Become the tree that the state came from: same lists, same slots."""
        items, slots, store = state
        self._store.restore(store)
        self._slots = dict(zip(items, slots.tolist(), strict=True))
        self._items = [None] * self._store.slots
        for item, slot in self._slots.items():
            self._items[slot] = item

    # -- inspecting --------------------------------------------------------------------------------

    def nodes(self) -> np.ndarray:
        """The nodes and leaves, for overlays and statistics.

        Returns:
            A structured array, parents before children, the root first: `min_x`, `min_y`, `max_x`,
            `max_y` (the part of the plane that the node covers, clipped to the units), `depth` (0
            for the root), `count` (units below it) and `leaf`.
        """
        return table_of(self._store.nodes)

    def stats(self) -> TreeStats:
        """How the tree is built: its size, depth and fill."""
        return stats_of(table_of(self._store.nodes), nbytes_of_units(self._store))

    def explain(self, verb: str, *args: Any, **options: Any) -> Explanation:
        """Ask a question and count how much of the tree it visits, and what it prunes.

        Args:
            verb: "query", "within", "count_within", "nearest", "k_nearest", "segment", "sweep"
                or "pairs".
            args: The arguments of the verb.
            options: The arguments of the verb by name.

        Returns:
            Counts, as named in `Explanation`.

        Raises:
            ValueError: Another verb, or as the verb itself.
            KeyError: As the verb itself.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many(range(1000), [(i % 40, i // 40) for i in range(1000)])
            >>> units.set_groups(7, 2)
            >>> units.explain("nearest", 30, 20, groups=2).leaves
            2
        """
        # The same tree under another object, so that the question itself stays free of counting.
        counted: DynamicQuadtree = DynamicQuadtree.__new__(DynamicQuadtree)
        counted.bounds = self.bounds
        counted._store = self._store
        counted._slots = self._slots
        counted._items = self._items
        tally: Tally = Tally()
        counted._tally = tally
        return explanation(counted, tally, VERBS, verb, args, options)

    def check(self) -> None:
        """Prove every invariant of the tree, for tests. O(n).

        Raises:
            AssertionError: One does not hold, which is a bug of tilequad.
        """
        check_units(self._store)
        assert len(self._slots) == self._store.count, "units and items are miscounted"
        record = self._store.record
        orders = [record[RECORD * slot + ORDER] for slot in self._slots.values()]
        assert orders == sorted(orders), "the order of adding is broken"
        for item, slot in self._slots.items():
            assert self._items[slot] is item, f"{item!r} is not in its slot"

    # -- for Contacts ------------------------------------------------------------------------------

    def _all_slots(self) -> np.ndarray:
        """The slots of all units in the order of adding, (n,) int32."""
        return np.fromiter(self._slots.values(), np.int32, len(self._slots))

    def _orders(self, slots: np.ndarray) -> np.ndarray:
        """The numbers of slots in the order of adding; -1 where a slot is free."""
        return self._store.orders(slots)

    def _partners(self, slots: np.ndarray) -> np.ndarray:
        """The pairs of these slots and all that their footprints overlap, (n, 2) int32."""
        return partners_of(self._store, slots)

    def _changed_since(self, revision: int) -> np.ndarray:
        """The slots that changed at or after a revision, (n,) int32."""
        return self._store.changed_since(revision)

    def _next_revision(self) -> int:
        """Begin a revision and return its number."""
        return self._store.next_revision()

    # -- helpers -----------------------------------------------------------------------------------

    def _start(self, walk: cython.pointer[Walk]) -> None:
        """Start the counts of a question; they are kept for `explain` alone."""
        start_counts(walk, self._tally is not None)

    def _stop(self, walk: cython.pointer[Walk]) -> None:
        """Hand the counts of a question to `explain`, if it asked."""
        if self._tally is not None:
            self._tally.add(walk)

    def _slot_to_skip(self, exclude: Hashable) -> cython.int:
        """The slot to leave out; -1 if that is not a unit of this tree."""
        return self._slots.get(exclude, NO_SLOT)

    def _items_of(self, hits: cython.p_int, n: cython.int, skip: cython.int) -> list[Any]:
        """The units in n slots, without slot `skip`; the slots close up over it."""
        i: cython.Py_ssize_t
        kept: cython.Py_ssize_t = n
        if skip >= 0:
            kept = 0
            for i in range(n):
                hits[kept] = hits[i]
                kept += hits[i] != skip
        return items_at(self._items, hits, kept)

    def _touched(
        self,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        half_w: cython.double,
        half_h: cython.double,
        groups: cython.int,
        skip: cython.int,
    ) -> list[Any]:
        """The units that a footprint touches on its way, in order, without slot `skip`."""
        walk = cython.declare(Walk)
        hits = cython.declare(cython.int[HITS])
        times = cython.declare(cython.double[HITS])
        i: cython.int
        n: cython.int = HITS
        touched: list[Any] = []
        self._start(cython.address(walk))
        begin_segment(cython.address(walk), x0, y0, x1, y1, max(half_w, half_h), groups)
        while n == HITS:
            n = find_on_segment(self._store, cython.address(walk), half_w, half_h, hits, times)
            for i in range(n):
                if hits[i] != skip:
                    order = self._store.record[RECORD * hits[i] + ORDER]
                    touched.append((times[i], order, hits[i]))
        self._stop(cython.address(walk))
        touched.sort()
        items: list[Any] = self._items
        return [items[slot] for _, _, slot in touched]


# -- helpers ---------------------------------------------------------------------------------------


def checked_mask(groups: int) -> int:
    """The groups of a unit, checked; a unit needs a mask."""
    if groups is None:
        raise ValueError("groups must be in 1 .. 2**32 - 1, got None")
    return mask_of(groups)


def refuse_within(x: float, y: float, radius: float, min_radius: float) -> None:
    """Raise what is wrong with the arguments of `within`."""
    check_position(x, "x")
    check_position(y, "y")
    check_distance(radius, "radius")
    check_distance(min_radius, "min_radius")
    raise ValueError(f"min_radius must be <= radius, got {min_radius!r} and {radius!r}")


def refuse_nearest(x: float, y: float, min_distance: float, max_distance: float) -> None:
    """Raise what is wrong with the arguments of `nearest`."""
    check_position(x, "x")
    check_position(y, "y")
    check_limits(min_distance, max_distance)


def half_of(size: Sequence[float], radius: float) -> tuple[float, float]:
    """Half the width and height of a footprint, checked."""
    if radius != 0.0:
        raise ValueError(f"radius and size are mutually exclusive, got {radius!r} and {size!r}")
    try:
        width, height = (float(number) for number in size)
    except (TypeError, ValueError):
        raise ValueError(f"size must be two numbers, got {size!r}") from None
    check_distance(width, "size")
    check_distance(height, "size")
    return width / 2, height / 2


def numbered(items: list[Any], first: cython.Py_ssize_t) -> dict[Any, int]:
    """Number items from `first` on."""
    i: cython.Py_ssize_t
    numbers: dict[Any, int] = {}
    for i in range(len(items)):
        numbers[items[i]] = first + i
    return numbers


def first_twice(items: list[Any], present: dict[Any, int]) -> Any:
    """The first item that is already present or earlier in the list."""
    seen = set()
    for item in items:
        if item in present or item in seen:
            return item
        seen.add(item)
    return None

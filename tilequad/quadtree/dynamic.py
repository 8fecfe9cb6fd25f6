# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# Plain C methods (binding=False) take 10 ns less per call than Cython's own functions. inspect
# reads their signatures as long as all defaults are literals: 1e309 is inf.
"""DynamicQuadtree: a quadtree over units that move.

Each verb checks its arguments, lets the core search (`_core/tree/`, one verb a file), and turns
slots into items.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, SupportsIndex

import numpy as np
import numpy.typing as npt

from tilequad._core import _cython as cython
from tilequad._core._cython import Gil, Object, Raises
from tilequad._core.arrays import (
    check_used,
    checked_bounds,
    checked_halves,
    checked_limits,
    checked_masks,
    checked_out,
    checked_pair,
    checked_picks,
    checked_points,
    checked_slots,
    checked_values,
    checked_ways,
    checked_widths,
    checked_workers,
    of_used,
    own_array,
    ways_between,
)
from tilequad._core.buffers import IntBuffer
from tilequad._core.checks import (
    check_filter,
    checked_count,
    checked_most,
    distance_of,
    limit_of,
    mask_of,
    position_of,
    read_bounds,
    whole,
)
from tilequad._core.layout import (
    ALL_GROUPS,
    ENTRY,
    HITS,
    MAX_COORDINATE,
    MAX_DEPTH,
    MAX_K,
    MAX_LEAF_SIZE,
    NEAR_POINT,
    NONE,
    ON_SEGMENT,
    ORDER,
    OVERLAPPING_BOX,
    REACHING_POINT,
    RECORD,
    Ranking,
    Walk,
    begin_change,
    begin_question,
    drop_slot,
    end_change,
    end_question,
    items_at,
    start_counts,
)
from tilequad._core.shown import shown
from tilequad._core.tree.batch import answer_many, count_many, sum_many, touch_many
from tilequad._core.tree.box_query import begin_box, find_in_box
from tilequad._core.tree.changes import (
    insert_unit,
    insert_units,
    move_unit,
    move_units,
    regroup_unit,
    regroup_units,
    remove_unit,
    remove_units,
    resize_unit,
    resize_units,
)
from tilequad._core.tree.inspection import (
    TreeStats,
    check_units,
    limits_told,
    nbytes_of_units,
    stats_of,
    table_of,
)
from tilequad._core.tree.leaves import room_at
from tilequad._core.tree.motion import footprint_time
from tilequad._core.tree.nearest import (
    continue_ranking,
    find_nearest,
    look_from,
    nearest_many,
    start_ranking,
)
from tilequad._core.tree.overlaps import overlaps_many, touch_at, touch_of
from tilequad._core.tree.pairs import find_pairs
from tilequad._core.tree.questions import Questions
from tilequad._core.tree.saving import bytes_of, digest_of, read_units, restore_units
from tilequad._core.tree.segment import begin_segment, find_units_on_segment
from tilequad._core.tree.units import UNITS_PER_LEAF, UnitStore, ask, change
from tilequad._core.tree.walk import Tally
from tilequad._core.tree.within import (
    any_in_ring,
    begin_ring,
    count_in_ring,
    find_in_ring,
)
from tilequad.bounds import Bounds
from tilequad.quadtree.explain import Explanation, explanation
from tilequad.quadtree.hits import Hit

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from typing_extensions import Self, TypeVar

    Item = TypeVar("Item", bound=Hashable, default=Any)
else:
    from typing import TypeVar

    Item = TypeVar("Item")

UNIT_VERBS = (
    *("query", "within", "any_within", "count_within", "nearest", "k_nearest"),
    *("segment", "segment_hits", "sweep", "sweep_hits", "pairs"),
)

# The names of the limits in errors, and limits that no verb reads.
RING = ("min_radius", "radius")
DISTANCES = ("min_distance", "max_distance")
NO_LIMITS = np.zeros((0, 2))
# The hashes of items that are the same for ever.
LASTING_HASHES: tuple[Any, ...] = (object.__hash__, int.__hash__, str.__hash__)
MAX_COLUMNS = 65_536  # the greatest k of a batch: every question gets k columns, used or not


@cython.cclass
class DynamicQuadtree(Generic[Item]):
    """A quadtree over units that move.

    A unit is any hashable object of the game except None. It has a position and a footprint around
    it: the point itself, a circle (`radius`), or an upright box (`size`). It belongs to one or more
    of 32 groups, the bits of a mask; a query for some groups skips the parts of the tree that hold
    none of them.

    Boxes and circles are closed: what touches, overlaps. Ties go to the unit added first, and the
    same calls in the same order give the same answers. Several threads may query at once; a change
    during a query raises a RuntimeError. Units may be anywhere, also outside the bounds or on one
    point.

    What is of a wrong type raises a TypeError in every method: a mask that is no whole number, a
    coordinate that is no number, an item that cannot be hashed.

    Cost: `add`, `move` and `remove` take O(log n), and a move within a leaf almost nothing; a query
    takes O(log n + hits). If all units share one point, it takes O(n).

    Args:
        bounds: Where most of the units will be: min_x, min_y, max_x, max_y.
        leaf_size: The most units in a leaf, 1 to 65,536; one more splits it. Only units that
            coincide or lie at `max_depth` share a leaf with more. It changes what a call costs, not
            what it finds, nor its order where one is told; the default is the fastest in our
            benchmarks.
        max_depth: The most levels below the root, 1 to 40.

    Raises:
        ValueError: The bounds are not four finite numbers, a minimum is above its maximum, or a
            limit is out of range.
        TypeError: A limit is not a whole number.

    Example:
        >>> units = DynamicQuadtree((0, 0, 1000, 1000))
        >>> units.add("orc", 100, 100, radius=12)
        >>> units.add("elf", 130, 140, radius=10, groups=2)
        >>> units.within(100, 100, 50)
        ['orc', 'elf']
        >>> units.nearest(0, 0, groups=2)
        'elf'
    """

    __slots__ = {
        "_store": "UnitStore",
        "_slots": "dict",
        "_items": "list",
        "_tally": "Tally",
        "_books": "dict",
        "bounds": "readonly object",
    }

    __class_getitem__: Any = classmethod(GenericAlias)
    __signature__ = inspect.Signature(
        [
            inspect.Parameter("bounds", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            inspect.Parameter("leaf_size", inspect.Parameter.KEYWORD_ONLY, default=UNITS_PER_LEAF),
            inspect.Parameter("max_depth", inspect.Parameter.KEYWORD_ONLY, default=MAX_DEPTH),
        ]
    )

    def __init__(
        self,
        bounds: Sequence[float],
        *,
        leaf_size: SupportsIndex = UNITS_PER_LEAF,
        max_depth: SupportsIndex = MAX_DEPTH,
    ) -> None:
        limits = Bounds.of(bounds)
        if max(map(abs, limits)) > MAX_COORDINATE:
            raise ValueError(f"bounds must be within 1e150 of 0, got {shown(bounds)}")
        most = checked_most(leaf_size, "leaf_size", MAX_LEAF_SIZE)
        deepest = checked_most(max_depth, "max_depth", MAX_DEPTH)
        # In compiled code the attribute exists from the start, hidden from Python code.
        before: UnitStore | None = self._store if cython.compiled else getattr(self, "_store", None)  # type: ignore[has-type]
        store: UnitStore = UnitStore(tuple(limits), limits.center, most, deepest)
        if before is not None:  # __init__ called again: the old store stays closed
            begin_change(cython.address(before.busy))
            try:
                store.follow_on(before)
            except MemoryError:
                end_change(cython.address(before.busy))
                raise
        self.bounds: Final = limits
        self._store = store
        self._slots: dict[Any, Any] = {}
        self._items: list[Any] = [None] * store.slots
        self._tally: Tally | None = None
        # The books of claims to tell of removals, by their groups.
        self._books: dict[int, Any] | None = None if before is None else self._books

    # -- changing ----------------------------------------------------------------------------------

    def add(
        self,
        item: Item,
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
            size: Width and height of its footprint instead, a box centered on the position.
            groups: The groups it belongs to: a mask of 32 bits, at least one of them set.

        Raises:
            ValueError: The item is None or already in the tree, a number is not finite or is
                negative where it must not be, radius and size are both given, or groups is out of
                range.
        """
        units: UnitStore = self._made()
        mask: cython.int = checked_mask(groups)
        place_x = position_of(x, "x")
        place_y = position_of(y, "y")
        half_w: cython.double = distance_of(radius, "radius")
        half_h: cython.double = -1.0
        if size is not None:
            half_w, half_h = half_of(size, half_w)
        if item is None:
            raise ValueError("item must not be None")
        begin_change(cython.address(units.busy))
        try:
            leaf = room_at(units, place_x, place_y)
            slot = units.next_slot()
            if slot == len(self._items):
                self._items.append(None)
            number: object = slot
            # This is the last call of Python code: an item's __hash__ and __eq__. Nothing after it
            # can fail.
            if noted(self._slots, item, number, "item") is not number:
                raise ValueError(f"item {shown(item)} is already in the tree")
            units.take_slot(slot)
            units.half_w[slot] = half_w
            units.half_h[slot] = half_h
            insert_unit(units, leaf, slot, place_x, place_y, mask)
            self._items[slot] = item
        finally:
            end_change(cython.address(units.busy))

    def move(self, item: Item, x: float, y: float) -> None:
        """Move a unit to a new position.

        Args:
            item: A unit in the tree.
            x: Its new position, in world units.
            y: Its new position, in world units.

        Raises:
            KeyError: The item is not in the tree.
            ValueError: A coordinate is not finite.
        """
        units: UnitStore = self._made()
        place_x = position_of(x, "x")
        place_y = position_of(y, "y")
        begin_change(cython.address(units.busy))
        try:
            move_unit(units, slot_in(self._slots, item, "item"), place_x, place_y)
        finally:
            end_change(cython.address(units.busy))

    def remove(self, item: Item) -> None:
        """Remove a unit.

        Raises:
            KeyError: The item is not in the tree.
        """
        units: UnitStore = self._made()
        begin_change(cython.address(units.busy))
        try:
            try:
                slot: cython.int = self._slots.pop(item)
            except (KeyError, TypeError):
                slot_in(self._slots, item, "item")  # says what is wrong
                raise
            remove_unit(units, slot)
        finally:
            end_change(cython.address(units.busy))
        try:
            if self._books is not None:
                self._end_claims(slot)
        finally:
            self._items[slot] = None  # may call a __del__, which may change the tree

    def set_groups(self, item: Item, groups: int) -> None:
        """Replace the groups of a unit.

        Args:
            item: A unit in the tree.
            groups: A mask of 32 bits, at least one of them set.

        Raises:
            KeyError: The item is not in the tree.
            ValueError: Groups out of range.
        """
        units: UnitStore = self._made()
        mask: cython.int = checked_mask(groups)
        begin_change(cython.address(units.busy))
        try:
            slot = slot_in(self._slots, item, "item")
            regroup_unit(units, slot, mask)
        finally:
            end_change(cython.address(units.busy))

    def resize(self, item: Item, radius: float = 0.0, size: Sequence[float] | None = None) -> None:
        """Replace the footprint of a unit; its position stays.

        Args:
            item: A unit in the tree.
            radius: The radius of its new footprint, a circle; 0 for a point.
            size: Width and height of its new footprint instead, a box.

        Raises:
            KeyError: The item is not in the tree.
            ValueError: A number is not finite or is negative, or radius and size are both given.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("gate", 50, 50, size=(4, 40))
            >>> units.resize("gate", size=(4, 10))
            >>> units.query((50, 60, 50, 70))
            []
        """
        units: UnitStore = self._made()
        half_w: cython.double = distance_of(radius, "radius")
        half_h: cython.double = -1.0
        if size is not None:
            half_w, half_h = half_of(size, half_w)
        begin_change(cython.address(units.busy))
        try:
            slot = slot_in(self._slots, item, "item")
            resize_unit(units, slot, half_w, half_h)
        finally:
            end_change(cython.address(units.busy))

    def __repr__(self) -> str:
        place = ", ".join([f"{edge:.10g}" for edge in self.bounds])
        units = f"{len(self):,} unit{'s' * (len(self) != 1)}"
        limits = limits_told(self.leaf_size, self.max_depth, UNITS_PER_LEAF)
        return f"<{type(self).__name__} of {units} in ({place}){limits}>"

    @property
    def leaf_size(self) -> int:
        """The most units in a leaf, unless they coincide or the leaf is at max_depth."""
        return self._made().leaf_size

    @property
    def max_depth(self) -> int:
        """The most levels below the root."""
        return self._made().nodes.max_depth

    def __contains__(self, item: Hashable) -> bool:
        units: UnitStore = self._made()
        begin_question(cython.address(units.busy))
        try:
            return item in self._slots  # calls the item's __eq__
        finally:
            end_question(cython.address(units.busy))

    def __len__(self) -> int:
        return self._made().count

    def __iter__(self) -> Iterator[Item]:
        """Iterate over the units in the order of adding."""
        self._made()
        return iter(self._slots)

    def position(self, item: Item) -> tuple[float, float]:
        """Return the position of a unit, (x, y).

        Raises:
            KeyError: The item is not in the tree.
        """
        units: UnitStore = self._made()
        begin_question(cython.address(units.busy))
        try:
            slot = slot_in(self._slots, item, "item")
            entry: cython.Py_ssize_t = units.record[RECORD * slot + ENTRY]
            return units.xs[entry], units.ys[entry]
        finally:
            end_question(cython.address(units.busy))

    def groups(self, item: Item) -> int:
        """Return the groups of a unit: a mask of 32 bits.

        Raises:
            KeyError: The item is not in the tree.
        """
        units: UnitStore = self._made()
        begin_question(cython.address(units.busy))
        try:
            slot = slot_in(self._slots, item, "item")
            entry: cython.Py_ssize_t = units.record[RECORD * slot + ENTRY]
            return int(units.masks[entry]) & 0xFFFFFFFF
        finally:
            end_question(cython.address(units.busy))

    # -- asking ------------------------------------------------------------------------------------

    def query(
        self,
        bounds: Sequence[float],
        groups: int | None = None,
        without: int | None = None,
    ) -> list[Item]:
        """Find the units whose footprint overlaps a box.

        Args:
            bounds: The closed box: min_x, min_y, max_x, max_y.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.

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
        box = cython.declare(cython.double[4])
        mask = ALL_GROUPS if groups is None else mask_of(groups, "groups")
        unwanted: cython.int = 0 if without is None else mask_of(without, "without")
        read_bounds(bounds, box)
        self._start(cython.address(walk))
        begin_box(cython.address(walk), box, mask, unwanted)
        return self._found(cython.address(walk), 0.0, NONE)

    def within(
        self,
        x: float,
        y: float,
        radius: float,
        groups: int | None = None,
        without: int | None = None,
        min_radius: float = 0.0,
        exclude: Hashable = None,
        to_edge: bool = False,
    ) -> list[Item]:
        """Find the units within a radius of a point, by position: min_radius <= distance <= radius.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            radius: The largest distance.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.
            min_radius: The smallest distance, for a ring.
            exclude: A unit to leave out, such as the one that asks.
            to_edge: Measure to the footprints of units, 0 inside them, instead of their positions.

        Returns:
            The units, in no particular order.

        Raises:
            KeyError: The unit in `exclude` is not in the tree.
            ValueError: A number is not finite or is negative, min_radius > radius, or groups is
                out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("orc", 3, 4, radius=2)
            >>> units.within(0, 0, 5), units.within(0, 0, 3), units.within(0, 0, 3, to_edge=True)
            (['orc'], [], ['orc'])
        """
        walk = cython.declare(Walk)
        least = distance_of(min_radius, "min_radius")
        skip = self._start_ring(
            cython.address(walk), x, y, radius, groups, without, least, exclude, to_edge
        )
        return self._found(cython.address(walk), least, skip)

    def any_within(
        self,
        x: float,
        y: float,
        radius: float,
        groups: int | None = None,
        without: int | None = None,
        min_radius: float = 0.0,
        exclude: Hashable = None,
        to_edge: bool = False,
    ) -> bool:
        """Test whether any unit is within a radius of a point, by position; stop at the first.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            radius: The largest distance.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.
            min_radius: The smallest distance, for a ring.
            exclude: A unit to leave out, such as the one that asks.
            to_edge: Measure to the footprints of units, 0 inside them, instead of their positions.

        Raises:
            KeyError: The unit in `exclude` is not in the tree.
            ValueError: As `within`.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("orc", 3, 4)
            >>> units.any_within(0, 0, 5), units.any_within(0, 0, 5, exclude="orc")
            (True, False)
        """
        walk = cython.declare(Walk)
        least = distance_of(min_radius, "min_radius")
        skip = self._start_ring(
            cython.address(walk), x, y, radius, groups, without, least, exclude, to_edge
        )
        try:
            return any_in_ring(self._store, cython.address(walk), least, skip)
        finally:
            self._stop(cython.address(walk))

    def count_within(
        self,
        x: float,
        y: float,
        radius: float,
        groups: int | None = None,
        without: int | None = None,
        min_radius: float = 0.0,
        exclude: Hashable = None,
        to_edge: bool = False,
    ) -> int:
        """Count the units within a radius of a point, by position, without making a list.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            radius: The largest distance.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.
            min_radius: The smallest distance, for a ring.
            exclude: A unit to leave out, such as the one that asks.
            to_edge: Measure to the footprints of units, 0 inside them, instead of their positions.

        Raises:
            KeyError: The unit in `exclude` is not in the tree.
            ValueError: As `within`.
        """
        walk = cython.declare(Walk)
        least = distance_of(min_radius, "min_radius")
        skip = self._start_ring(
            cython.address(walk), x, y, radius, groups, without, least, exclude, to_edge
        )
        try:
            return count_in_ring(self._store, cython.address(walk), least, skip)
        finally:
            self._stop(cython.address(walk))

    def sum_within(
        self,
        x: float,
        y: float,
        radius: float,
        values: npt.ArrayLike,
        groups: int | None = None,
        without: int | None = None,
        min_radius: float = 0.0,
        exclude: Hashable = None,
        to_edge: bool = False,
    ) -> float:
        """Sum a value of the units within a radius of a point, by position.

        Values are added in ascending order of the slots, as in `sum_within_many`: the same units
        always have the same sum, to the last bit. An array of float64 is read where it is; other
        values are copied first, in O(slots).

        Args:
            x: The point, in world units.
            y: The point, in world units.
            radius: The largest distance.
            values: The value of each unit, by slot, (slots,): one for every slot up to the highest
                in use. Values of free slots are not read.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.
            min_radius: The smallest distance, for a ring.
            exclude: A unit to leave out, such as the one that asks.
            to_edge: Measure to the footprints of units, 0 inside them, instead of their positions.

        Raises:
            KeyError: The unit in `exclude` is not in the tree.
            ValueError: As `within`, or too few values.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many("abc", [(10, 10), (20, 10), (90, 90)])
            >>> health = np.array([5.0, 7.0, 9.0])
            >>> units.sum_within(15, 10, 5, health), units.sum_within(50, 50, 5, health)
            (12.0, 0.0)
        """
        walk = cython.declare(Walk)
        hits = cython.declare(cython.int[HITS])
        n = HITS
        found: IntBuffer = IntBuffer()
        total: float = 0.0
        addends = own_array(values, "values", copy=None)
        if addends.ndim != 1:
            raise ValueError(f"values must have shape (slots,), got {addends.shape}")
        least = distance_of(min_radius, "min_radius")
        skip = self._start_ring(
            cython.address(walk), x, y, radius, groups, without, least, exclude, to_edge
        )
        try:
            wanted = self._store.slots_in_use()
            if len(addends) < wanted:
                raise ValueError(f"values must have {wanted} rows or more, got {len(addends)}")
            while n == HITS:
                n = find_in_ring(self._store, cython.address(walk), least, hits)
                kept = drop_slot(hits, n, skip)
                found.extend(hits, kept)
        finally:
            self._stop(cython.address(walk))
        slots = np.sort(np.frombuffer(found.taken(), np.int32))
        for value in addends.take(slots).tolist():
            total += value
        return total

    def nearest(
        self,
        x: float,
        y: float,
        groups: int | None = None,
        without: int | None = None,
        min_distance: float = 0.0,
        max_distance: float = 1e309,
        exclude: Hashable = None,
        to_edge: bool = False,
        where: Callable[[Item], bool] | None = None,
    ) -> Item | None:
        """Find the unit nearest to a point, by position; None if there is none.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.
            min_distance: Leave out nearer units.
            max_distance: Leave out farther units.
            exclude: A unit to leave out, such as the one that asks.
            to_edge: Measure to the footprints of units, 0 inside them, instead of their positions.
            where: A predicate, called with one unit after the other, nearest first, until it
                returns true. It must not change the tree.

        Returns:
            The unit, or None. Of several at the same distance, the one added first.

        Raises:
            KeyError: The unit in `exclude` is not in the tree.
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
        mask = ALL_GROUPS if groups is None else mask_of(groups, "groups")
        unwanted: cython.int = 0 if without is None else mask_of(without, "without")
        if where is not None:
            found = self.k_nearest(
                x, y, 1, groups, without, min_distance, max_distance, exclude, to_edge, where
            )
            return found[0] if found else None
        place_x = position_of(x, "x")
        place_y = position_of(y, "y")
        least = distance_of(min_distance, "min_distance")
        most = limit_of(max_distance, least)
        skip = NONE if exclude is None else self._slot_of(exclude, "exclude")
        self._start(cython.address(walk))
        try:
            look_from(cython.address(walk), place_x, place_y, mask, unwanted)
            start_ranking(cython.address(ranking), 1, least, most, skip, to_edge)
            n = find_nearest(self._store, cython.address(walk), cython.address(ranking))
            return self._items[ranking.hits[0]] if n else None
        finally:
            self._stop(cython.address(walk))

    def k_nearest(
        self,
        x: float,
        y: float,
        k: int,
        groups: int | None = None,
        without: int | None = None,
        min_distance: float = 0.0,
        max_distance: float = 1e309,
        exclude: Hashable = None,
        to_edge: bool = False,
        where: Callable[[Item], bool] | None = None,
    ) -> list[Item]:
        """Find the k units nearest to a point, by position, nearest first.

        One search finds up to 64; for more, each further search continues behind the last hit.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            k: How many, at least 1.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.
            min_distance: Leave out nearer units.
            max_distance: Leave out farther units.
            exclude: A unit to leave out, such as the one that asks.
            to_edge: Measure to the footprints of units, 0 inside them, instead of their positions.
            where: A predicate, called with one unit after the other, nearest first, until it has
                returned true k times. It must not change the tree.

        Returns:
            The units, nearest first, ties in the order of adding; fewer than k if there are no
            more.

        Raises:
            KeyError: The unit in `exclude` is not in the tree.
            ValueError: As `nearest`, or k < 1.
        """
        walk = cython.declare(Walk)
        ranking = cython.declare(Ranking)
        mask = ALL_GROUPS if groups is None else mask_of(groups, "groups")
        unwanted: cython.int = 0 if without is None else mask_of(without, "without")
        place_x = position_of(x, "x")
        place_y = position_of(y, "y")
        least = distance_of(min_distance, "min_distance")
        most = limit_of(max_distance, least)
        if where is not None:
            check_filter(where)
        left = checked_count(k, "k")
        skip = NONE if exclude is None else self._slot_of(exclude, "exclude")
        found: Any = None
        self._start(cython.address(walk))
        try:
            left = min(left, self._store.count + 1)
            wanted = cython.cast(cython.int, min(left if where is None else left + 3, MAX_K))
            look_from(cython.address(walk), place_x, place_y, mask, unwanted)
            start_ranking(cython.address(ranking), wanted, least, most, skip, to_edge)
            while True:
                wanted = ranking.k
                n = find_nearest(self._store, cython.address(walk), cython.address(ranking))
                candidates: list[Any] = self._items_of(ranking.hits, n, NONE)
                if n == wanted:  # there may be more
                    continue_ranking(cython.address(ranking))
                if where is not None:
                    candidates = accepted(candidates, where, left)
                left -= len(candidates)
                if found is None:  # one search is usually enough: take its list
                    found = candidates
                else:
                    found += candidates
                if n < wanted or left == 0:
                    return found
                ranking.k = cython.cast(cython.int, min(left, MAX_K)) if where is None else MAX_K
        finally:
            self._stop(cython.address(walk))

    def segment(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        width: float = 0.0,
        groups: int | None = None,
        without: int | None = None,
        exclude: Hashable = None,
    ) -> list[Item]:
        """Find the units whose footprint a shot or a line of sight touches.

        Args:
            x0: The start, in world units.
            y0: The start, in world units.
            x1: The end.
            y1: The end.
            width: The diameter of a disc that moves along the segment; 0 for a line.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.
            exclude: A unit to leave out, such as the one that shoots.

        Returns:
            The units in the order of first touch along the way, ties in the order of adding.
            Sorting them takes 0.1 to 0.5 microseconds for each.

        Raises:
            KeyError: The unit in `exclude` is not in the tree.
            ValueError: A number is not finite, width is negative, or groups is out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("far", 80, 1, radius=2)
            >>> units.add("near", 30, -1, radius=2)
            >>> units.segment(0, 0, 100, 0)
            ['near', 'far']
        """
        return self._shot(x0, y0, x1, y1, width, groups, without, exclude, False)

    def segment_hits(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        width: float = 0.0,
        groups: int | None = None,
        without: int | None = None,
        exclude: Hashable = None,
    ) -> list[Hit[Item]]:
        """Find where and at which angle a shot or a line of sight touches footprints.

        Args:
            x0: The start, in world units.
            y0: The start, in world units.
            x1: The end.
            y1: The end.
            width: The diameter of a disc that moves along the segment; 0 for a line.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.
            exclude: A unit to leave out, such as the one that shoots.

        Returns:
            A `Hit` for each unit that `segment` finds, in the same order, in 1 to 2 us for each.

        Raises:
            KeyError: The unit in `exclude` is not in the tree.
            ValueError: As `segment`.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("wall", 50, 50, size=(20, 100))
            >>> units.segment_hits(0, 30, 100, 30)
            [Hit(item='wall', fraction=0.4, x=40.0, y=30.0, nx=-1.0, ny=0.0, depth=0.0)]
        """
        return self._shot(x0, y0, x1, y1, width, groups, without, exclude, True)

    def sweep(
        self,
        item: Item,
        x: float,
        y: float,
        groups: int | None = None,
        without: int | None = None,
    ) -> list[Item]:
        """Find the units that a unit's footprint would touch on a straight path to a new position.

        The whole path is tested, so a fast unit does not tunnel. The unit is not moved.

        Cost: 0.1 to 0.4 microseconds for each unit that is found, so some milliseconds if the whole
        army is in the way.

        Args:
            item: The unit; its way starts at its position.
            x: The end of the way, in world units.
            y: The end of the way, in world units.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.

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
        return self._swept(item, x, y, groups, without, False)

    def sweep_hits(
        self,
        item: Item,
        x: float,
        y: float,
        groups: int | None = None,
        without: int | None = None,
    ) -> list[Hit[Item]]:
        """Find where and at which angle a unit would touch others on a straight path.

        Args:
            item: The unit; its way starts at its position. It is not moved.
            x: The end of the way, in world units.
            y: The end of the way, in world units.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.

        Returns:
            A `Hit` for each unit that `sweep` finds, in the same order, in 1 to 2 us for each.

        Raises:
            KeyError: The item is not in the tree.
            ValueError: As `sweep`.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("ball", 0, 50, radius=2)
            >>> units.add("wall", 50, 50, size=(16, 40))
            >>> [hit] = units.sweep_hits("ball", 80, 50)
            >>> hit.item, hit.fraction, (hit.x, hit.y), (hit.nx, hit.ny)
            ('wall', 0.5, (42.0, 50.0), (-1.0, 0.0))
        """
        return self._swept(item, x, y, groups, without, True)

    def overlaps(
        self,
        item: Item,
        groups: int | None = None,
        without: int | None = None,
    ) -> list[Hit[Item]]:
        """Find the units whose footprints overlap a unit's, and how to part them.

        A unit that moves along the normal by the depth only touches the other from then on. That is
        the shortest way out.

        Args:
            item: The unit that asks; it is not in the answer.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.

        Returns:
            A `Hit` with a fraction of 0 for each, in the order of adding, in 1 to 2 us for each. Of
            two units on one point, each gets the opposite normal.

        Raises:
            KeyError: The item is not in the tree.
            ValueError: Groups out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("ball", 50, 50, radius=5)
            >>> units.add("wall", 58, 50, size=(8, 40))
            >>> [hit] = units.overlaps("ball")
            >>> hit.item, (hit.nx, hit.ny), hit.depth
            ('wall', (-1.0, 0.0), 1.0)
        """
        x, y = self.position(item)
        return self._swept(item, x, y, groups, without, True)

    def meet(
        self,
        item: Item,
        x: float,
        y: float,
        other: Item,
        other_x: float,
        other_y: float,
    ) -> float | None:
        """Find when two units touch that move at the same time, each on a straight path.

        Args:
            item: One unit; its way starts at its position. Neither is moved.
            x: The end of its way, in world units.
            y: The end of its way, in world units.
            other: The other unit.
            other_x: The end of its way.
            other_y: The end of its way.

        Returns:
            The fraction of both paths at which their footprints first touch, 0 to 1; None if they
            do not touch.

        Raises:
            KeyError: An item is not in the tree.
            ValueError: A coordinate is not finite.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("ann", 0, 0, radius=5)
            >>> units.add("bob", 100, 0, radius=5)
            >>> units.meet("ann", 60, 0, "bob", 40, 0), units.meet("ann", 0, 60, "bob", 40, 0)
            (0.75, None)
        """
        units: UnitStore = self._made()
        x1 = position_of(x, "x")
        y1 = position_of(y, "y")
        x2 = position_of(other_x, "other_x")
        y2 = position_of(other_y, "other_y")
        begin_question(cython.address(units.busy))
        try:
            a = slot_in(self._slots, item, "item")
            b = slot_in(self._slots, other, "other")
            i: cython.Py_ssize_t = units.record[RECORD * a + ENTRY]
            j: cython.Py_ssize_t = units.record[RECORD * b + ENTRY]
            time = footprint_time(
                units.xs[i] - units.xs[j],
                units.ys[i] - units.ys[j],
                (x1 - units.xs[i]) - (x2 - units.xs[j]),
                (y1 - units.ys[i]) - (y2 - units.ys[j]),
                units.half_w[a],
                units.half_h[a],
                units.half_w[b],
                units.half_h[b],
            )
            return time if time <= 1.0 else None
        finally:
            end_question(cython.address(units.busy))

    def pairs(
        self,
        groups: int | None = None,
        without: int | None = None,
        against: int | None = None,
    ) -> list[tuple[Item, Item]]:
        """Find all pairs of units whose footprints overlap.

        Args:
            groups: A mask; one unit of each pair is in one of these groups. None for all.
            without: A mask; leave out pairs with a unit in any of these groups. None for none.
            against: A mask; the other unit is in one of these. None for the same as `groups`.

        Returns:
            Each pair once as (a, b), a added before b; sorted by the order of adding. 100,000 pairs
            take some 15 ms; `pairs_many` is ten times as fast.

        Raises:
            ValueError: Groups out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> for name, x in ("a", 10), ("b", 20), ("c", 30.5):
            ...     units.add(name, x, 50, radius=5)
            >>> units.pairs()
            [('a', 'b')]
        """
        units: UnitStore = self._made()
        begin_question(cython.address(units.busy))
        try:
            items: list[Any] = self._items
            pairs = self.pairs_many(groups, without, against)
            orders = np.frombuffer(units.record, np.int32)[ORDER::RECORD]
            # If memory runs out, take() raises an error; indexing with int32 crashes the
            # interpreter.
            first, second = pairs.T.astype(np.intp)
            rows = np.lexsort((orders.take(second), orders.take(first)))
            # Two lists of numbers; numpy takes ten times as long for a list of pairs.
            ones, others = pairs.take(rows, axis=0).T.tolist()
            return [(items[a], items[b]) for a, b in zip(ones, others, strict=True)]
        finally:
            end_question(cython.address(units.busy))

    # -- slots and arrays --------------------------------------------------------------------------

    def slot(self, item: Item) -> int:
        """Return the slot of a unit: an int that stays the same until the unit is removed.

        Raises:
            KeyError: The item is not in the tree.
        """
        return self._slot_of(item, "item")

    def slots(self, items: Iterable[Item]) -> npt.NDArray[np.int32]:
        """Return the slots of units, (n,) int32, in the same order. O(n).

        Those of a whole group, in no order, are `query_many([bounds], groups=...)[1]`.

        Raises:
            KeyError: An item is not in the tree.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many("abc", [(1, 1), (2, 2), (3, 3)])
            >>> units.slots(["c", "a"]).tolist()
            [2, 0]
        """
        units: UnitStore = self._made()
        named = listed(items)
        found: list[Any] = []
        begin_question(cython.address(units.busy))
        try:
            for item in named:
                found.append(slot_in(self._slots, item, "items"))
            return np.array(found, np.int32)
        finally:
            end_question(cython.address(units.busy))

    def item(self, slot: SupportsIndex) -> Item:
        """Return the unit in a slot.

        Raises:
            ValueError: The number is not the slot of a unit.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("orc", 1, 1)
            >>> units.item(units.slot("orc"))
            'orc'
        """
        units: UnitStore = self._made()
        number = whole(slot, "slot")
        begin_question(cython.address(units.busy))
        try:
            if not 0 <= number < units.slots or not units.is_used(number):
                raise ValueError(f"slot must be the slot of a unit, got {shown(number)}")
            return self._items[number]
        finally:
            end_question(cython.address(units.busy))

    def items(self, slots: npt.ArrayLike) -> list[Item | Any]:
        """Return the units in some slots, in the same order.

        Takes the slots of any answer, such as the slots from `nearest_many`: -1 gives None.

        Args:
            slots: The slots, (n,); -1 for none.

        Returns:
            n units; None where the slot is -1.

        Raises:
            ValueError: A number is neither the slot of a unit nor -1.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many("abc", [(1, 1), (2, 2), (90, 90)])
            >>> nearest, _ = units.nearest_many([(0, 0), (50, 50)], max_distance=10)
            >>> units.items(slots[::-1]), units.items(nearest)
            (['c', 'b', 'a'], ['a', None])
        """
        units: UnitStore = self._made()
        slot: cython.Py_ssize_t
        wanted = checked_slots(slots, or_none=True)
        # A comprehension would do, but Cython's drops an item once too often when memory runs out.
        found: list[Any] = []
        begin_question(cython.address(units.busy))
        try:
            check_used(units, wanted, or_none=True)
            items: list[Any] = self._items
            for slot in wanted.tolist():
                found.append(items[slot] if slot >= 0 else None)
            return found
        finally:
            end_question(cython.address(units.busy))

    def position_many(self, slots: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the positions of units by their slots, (n, 2) float64, in the same order.

        Raises:
            ValueError: A number is not the slot of a unit.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many("ab", [(1, 2), (3, 4)])
            >>> units.position_many(slots[::-1]).tolist()
            [[3.0, 4.0], [1.0, 2.0]]
        """
        units: UnitStore = self._made()
        wanted = checked_slots(slots)
        return ask(units, of_used, units, wanted, units.positions)

    def groups_many(self, slots: npt.ArrayLike) -> npt.NDArray[np.uint32]:
        """Return the groups of units by their slots: masks, (n,) uint32, in the same order.

        Raises:
            ValueError: A number is not the slot of a unit.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many("ab", [(1, 2), (3, 4)], groups=[1, 6])
            >>> units.groups_many(slots).tolist()
            [1, 6]
        """
        units: UnitStore = self._made()
        wanted = checked_slots(slots)
        groups: np.ndarray = ask(units, of_used, units, wanted, units.groups)
        return groups.view(np.uint32)

    def serial(self, item: Item) -> int:
        """Return the serial of a unit: one number for each stay in the tree, never used again.

        Raises:
            KeyError: The item is not in the tree.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("orc", 1, 1)
            >>> serial = units.serial("orc")
            >>> units.remove("orc")
            >>> units.add("orc", 1, 1)
            >>> units.serial("orc") == serial
            False
        """
        units: UnitStore = self._made()
        begin_question(cython.address(units.busy))
        try:
            return units.serial_of(slot_in(self._slots, item, "item"))
        finally:
            end_question(cython.address(units.busy))

    def serial_many(self, slots: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the serials of units by their slots: one number for each stay in the tree.

        Slots are used again, serials never: if a slot has the serial that was noted with it, its
        unit has not been removed since. A unit that is added again has another serial.

        Args:
            slots: The slots, (n,); -1 and slots that no unit has are allowed.

        Returns:
            The serials, (n,) int64; -1 where no unit has the slot.

        Raises:
            ValueError: A number cannot be a slot.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("orc", 1, 1)
            >>> slot = units.slot("orc")
            >>> [serial] = units.serial_many([slot])
            >>> units.remove("orc")
            >>> units.add("orc", 1, 1)
            >>> units.slot("orc") == slot, units.serial_many([slot])[0] == serial
            (True, np.False_)
        """
        units: UnitStore = self._made()
        wanted = checked_slots(slots, or_none=True)
        return ask(units, units.serials, wanted.data)

    def add_many(
        self,
        items: Iterable[Item] | None,
        xy: npt.ArrayLike,
        radius: npt.ArrayLike = 0.0,
        size: npt.ArrayLike | None = None,
        groups: npt.ArrayLike = 1,
    ) -> npt.NDArray[np.int32]:
        """Add many units.

        If they make up a large part of all units, the tree is rebuilt with them in O(n log n), much
        faster than adding them one by one.

        Args:
            items: n different hashable objects that are not in the tree; none of them None. Or None
                for units without names: the item of each is its slot, an int.
            xy: Their positions, (n, 2), in world units.
            radius: The radii of their footprints, circles: one number, or (n,).
            size: Width and height of their footprints instead, boxes: (2,), or (n, 2).
            groups: Their groups: one mask, or (n,).

        Returns:
            Their slots, (n,) int32.

        Raises:
            ValueError: As `add`, shapes that do not fit, or a unit without a name would get an item
                that is in the tree; nothing is added then.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add_many(["orc", "elf"], [(1, 1), (2, 2)]).tolist()
            [0, 1]
            >>> units.add_many(None, [(30, 30), (40, 40)], radius=5).tolist()
            [2, 3]
            >>> units.within(35, 35, 10), units.position(3)
            ([2, 3], (40.0, 40.0))
        """
        units: UnitStore = self._made()
        named: list[Any] = [] if items is None else listed(items)
        points = checked_points(xy, None if items is None else len(named))
        n = len(points)
        half_w, half_h = checked_halves(radius, size, n)
        masks = checked_masks(groups, n)
        begin_change(cython.address(units.busy))
        try:
            slots = units.next_slots(n)
            if items is None:
                named = slots.tolist()
            units.set_sizes(slots, half_w, half_h)
            self._extend(named, slots, points, masks)
        finally:
            end_change(cython.address(units.busy))
        return slots

    def move_many(self, slots: npt.ArrayLike, xy: npt.ArrayLike) -> None:
        """Move many units to new positions.

        Args:
            slots: Their slots, (n,); if one occurs twice, its last position counts.
            xy: Their new positions, (n, 2), in world units.

        Raises:
            ValueError: A number is not the slot of a unit, a coordinate is not finite, or the
                shapes do not fit; nothing is moved then.
        """
        units: UnitStore = self._made()
        moved = checked_slots(slots)
        points = checked_points(xy, len(moved))
        change(units, move_units, units, moved, points)

    def set_groups_many(self, slots: npt.ArrayLike, groups: npt.ArrayLike) -> None:
        """Replace the groups of many units.

        Args:
            slots: Their slots, (n,); if one occurs twice, its last groups count.
            groups: Their new groups: one mask, or (n,).

        Raises:
            ValueError: A number is not the slot of a unit, groups out of range, or shapes that do
                not fit; nothing is changed then.
        """
        units: UnitStore = self._made()
        changed = checked_slots(slots)
        masks = checked_masks(groups, len(changed))
        change(units, regroup_units, units, changed, masks)

    def resize_many(
        self,
        slots: npt.ArrayLike,
        radius: npt.ArrayLike = 0.0,
        size: npt.ArrayLike | None = None,
    ) -> None:
        """Replace the footprints of many units; their positions stay.

        Args:
            slots: Their slots, (n,); if one occurs twice, its last footprint counts.
            radius: The radii of their new footprints, circles: one number, or (n,).
            size: Width and height of their new footprints instead, boxes: (2,), or (n, 2).

        Raises:
            ValueError: As `resize`, a number is not the slot of a unit, or shapes that do not fit;
                nothing is changed then.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many("ab", [(10, 10), (20, 10)])
            >>> units.resize_many(slots, radius=[4, 6])
            >>> units.pairs()
            [('a', 'b')]
        """
        units: UnitStore = self._made()
        changed = checked_slots(slots)
        half_w, half_h = checked_halves(radius, size, len(changed))
        change(units, resize_units, units, changed, half_w, half_h)

    def remove_many(self, slots: npt.ArrayLike) -> None:
        """Remove many units.

        Args:
            slots: Their slots, (n,), each once.

        Raises:
            KeyError: The hash of a unit has changed; nothing is removed then.
            ValueError: A number is not the slot of a unit, or a slot occurs twice; nothing is
                removed then.
        """
        units: UnitStore = self._made()
        gone = checked_slots(slots)
        view: cython.int[::1] = gone
        left: IntBuffer = IntBuffer(len(gone))
        failure: BaseException | None = None
        dropped: list[Any] = []  # emptied last: a __del__ may change the tree
        kind: type | None = None  # of the last item, if its hash cannot change
        begin_change(cython.address(units.busy))
        try:
            check_used(units, gone)
            i = units.first_repeated(view)
            if i >= 0:
                raise ValueError(f"slots must be unique, got {gone[i]} twice")
            dropped = [None] * len(gone)
            for i in range(len(view)):
                item = dropped[i] = self._items[view[i]]
                if type(item) is not kind:
                    kind = type(item) if type(item).__hash__ in LASTING_HASHES else None
                if kind is None and self._slots[item] != view[i]:
                    raise KeyError(item)
            for i in range(len(view)):
                try:
                    del self._slots[dropped[i]]
                except BaseException as error:  # Ctrl-C in a __hash__: finish the removal first
                    failure = error
                    if not drops_again(self._slots, dropped[i]):
                        view[i] = NONE  # it stays
                        continue
                self._items[view[i]] = None
            remove_units(units, view, left)
        finally:
            end_change(cython.address(units.busy))
        if self._books is not None:
            for i in range(len(view)):
                if view[i] >= 0:
                    self._end_claims(view[i])
        if failure is not None:
            raise failure

    def query_many(
        self,
        bounds: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        exclude: npt.ArrayLike | None = None,
        workers: int = 1,
        out: npt.NDArray[np.int32] | None = None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Find the units whose footprint overlaps a box, for many boxes.

        Args:
            bounds: The closed boxes, (n, 4): each min_x, min_y, max_x, max_y.
            groups: A mask, or (n,); only units in one of these groups. None for all.
            without: A mask, or (n,); leave out units in any of these groups. 0 or None for none.
            exclude: A slot to leave out for each box, (n,); -1 for none.
            workers: The number of threads; -1 for one per core.
            out: An int32 array to reuse every frame; the slots returned are its first part.

        Returns:
            offsets (n + 1,) int64 and slots int32; the slots of box i are
            slots[offsets[i]:offsets[i + 1]], in no particular order.

        Raises:
            ValueError: As `query`, shapes that do not fit, or a slot that no unit has.
        """
        units: UnitStore = self._made()
        boxes = checked_bounds(bounds)
        n = len(boxes)
        picks = checked_picks(n, groups, without, exclude)
        asked = Questions(boxes, NO_LIMITS, *picks, OVERLAPPING_BOX)
        row = checked_out(out, bounds, groups, without, exclude)
        threads = checked_workers(workers)
        return ask(units, answer_many, units, asked, threads, row)

    def within_many(
        self,
        xy: npt.ArrayLike,
        radius: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        min_radius: npt.ArrayLike = 0.0,
        exclude: npt.ArrayLike | None = None,
        to_edge: bool = False,
        workers: int = 1,
        out: npt.NDArray[np.int32] | None = None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Find the units within a radius of a point, by position, for many points.

        Args:
            xy: The points, (n, 2), in world units.
            radius: The largest distance: one number, or (n,).
            groups: A mask, or (n,); only units in one of these groups. None for all.
            without: A mask, or (n,); leave out units in any of these groups. 0 or None for none.
            min_radius: The smallest distance, for a ring: one number, or (n,).
            exclude: A slot to leave out for each point, (n,); -1 for none.
            to_edge: Measure to the footprints of units, 0 inside them, instead of their positions.
            workers: The number of threads; -1 for one per core.
            out: An int32 array to reuse every frame; the slots returned are its first part.

        Returns:
            offsets (n + 1,) int64 and slots int32; the slots of point i are
            slots[offsets[i]:offsets[i + 1]], in no particular order.

        Raises:
            ValueError: As `within`, shapes that do not fit, or a slot that no unit has.

        Example:
            >>> from tilequad import DynamicQuadtree
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many("abc", [(10, 10), (20, 10), (90, 90)])
            >>> offsets, found = units.within_many([(15, 10), (50, 50)], 5)
            >>> offsets.tolist(), sorted(units.items(found))
            ([0, 2, 2], ['a', 'b'])
        """
        units: UnitStore = self._made()
        asked = near_points(xy, min_radius, radius, RING, groups, without, exclude, to_edge)
        row = checked_out(out, xy, radius, groups, without, min_radius, exclude)
        threads = checked_workers(workers)
        return ask(units, answer_many, units, asked, threads, row)

    def count_within_many(
        self,
        xy: npt.ArrayLike,
        radius: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        min_radius: npt.ArrayLike = 0.0,
        exclude: npt.ArrayLike | None = None,
        to_edge: bool = False,
        workers: int = 1,
    ) -> npt.NDArray[np.int64]:
        """Count the units within a radius of a point, by position, for many points.

        Args:
            xy: The points, (n, 2), in world units.
            radius: The largest distance: one number, or (n,).
            groups: A mask, or (n,); only units in one of these groups. None for all.
            without: A mask, or (n,); leave out units in any of these groups. 0 or None for none.
            min_radius: The smallest distance, for a ring: one number, or (n,).
            exclude: A slot to leave out for each point, (n,); -1 for none.
            to_edge: Measure to the footprints of units, 0 inside them, instead of their positions.
            workers: The number of threads; -1 for one per core.

        Returns:
            The counts, (n,) int64.

        Raises:
            ValueError: As `within`, shapes that do not fit, or a slot that no unit has.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many("abc", [(10, 10), (20, 10), (90, 90)])
            >>> units.count_within_many([(15, 10), (50, 50)], 5).tolist()
            [2, 0]
        """
        units: UnitStore = self._made()
        asked = near_points(xy, min_radius, radius, RING, groups, without, exclude, to_edge)
        threads = checked_workers(workers)
        return ask(units, count_many, units, asked, threads)

    def sum_within_many(
        self,
        xy: npt.ArrayLike,
        radius: npt.ArrayLike,
        values: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        min_radius: npt.ArrayLike = 0.0,
        exclude: npt.ArrayLike | None = None,
        to_edge: bool = False,
        workers: int = 1,
    ) -> npt.NDArray[np.float64]:
        """Sum a value of the units within a radius of a point, by position, for many points.

        Values are added in ascending order of the slots, so the same units always have the same
        sum, to the last bit.

        Args:
            xy: The points, (n, 2), in world units.
            radius: The largest distance: one number, or (n,).
            values: The value of each unit, by slot: (slots,), or (slots, m) for m sums at once. One
                row for every slot up to the highest in use; rows of free slots are not read.
            groups: A mask, or (n,); only units in one of these groups. None for all.
            without: A mask, or (n,); leave out units in any of these groups. 0 or None for none.
            min_radius: The smallest distance, for a ring: one number, or (n,).
            exclude: A slot to leave out for each point, (n,); -1 for none.
            to_edge: Measure to the footprints of units, 0 inside them, instead of their positions.
            workers: The number of threads; -1 for one per core.

        Returns:
            The sums, float64: (n,), or (n, m).

        Raises:
            ValueError: As `within`, shapes that do not fit, or a slot that no unit has.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many("abc", [(10, 10), (20, 10), (90, 90)])
            >>> health = np.array([5.0, 7.0, 9.0])
            >>> units.sum_within_many([(15, 10), (50, 50)], 5, health).tolist()
            [12.0, 0.0]
        """
        units: UnitStore = self._made()
        asked = near_points(xy, min_radius, radius, RING, groups, without, exclude, to_edge)
        addends = checked_values(values)
        threads = checked_workers(workers)
        return ask(units, sum_many, units, asked, addends, threads)

    def nearest_many(
        self,
        xy: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        min_distance: npt.ArrayLike = 0.0,
        max_distance: npt.ArrayLike = 1e309,
        exclude: npt.ArrayLike | None = None,
        to_edge: bool = False,
        workers: int = 1,
        out: Sequence[npt.NDArray[Any]] | None = None,
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Find the unit nearest to a point, by position, for many points.

        If n units share one point, a question there takes O(n): 10,000 of them take 0.2 s, and to
        the edge half a second.

        Args:
            xy: The points, (n, 2), in world units.
            groups: A mask, or (n,); only units in one of these groups. None for all.
            without: A mask, or (n,); leave out units in any of these groups. 0 or None for none.
            min_distance: Leave out nearer units: one number, or (n,).
            max_distance: Leave out farther units: one number, or (n,).
            exclude: A slot to leave out for each point, (n,); -1 for none.
            to_edge: Measure to the footprints of units, 0 inside them, instead of their positions.
            workers: The number of threads; -1 for one per core.
            out: Arrays for slots (int32) and distances (float64), at least n long, to be reused
                every frame. Those returned are their first parts.

        Returns:
            slots (n,) int32 and distances (n,) float64; slot -1 and distance inf where there is
            none. Ties go to the unit added first.

        Raises:
            ValueError: As `nearest`, shapes that do not fit, or a slot that no unit has.
        """
        units: UnitStore = self._made()
        asked = near_points(
            xy, min_distance, max_distance, DISTANCES, groups, without, exclude, to_edge
        )
        questions = xy, groups, without, min_distance, max_distance, exclude
        slots, distances = checked_pair(out, len(asked.order), *questions)
        threads = checked_workers(workers)
        ask(units, nearest_many, units, asked, threads, slots[:, None], distances[:, None])
        return slots, distances

    def k_nearest_many(
        self,
        xy: npt.ArrayLike,
        k: int,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        min_distance: npt.ArrayLike = 0.0,
        max_distance: npt.ArrayLike = 1e309,
        exclude: npt.ArrayLike | None = None,
        to_edge: bool = False,
        workers: int = 1,
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Find the k units nearest to a point, by position, nearest first, for many points.

        Args:
            xy: The points, (n, 2), in world units.
            k: How many, 1 to 65,536.
            groups: A mask, or (n,); only units in one of these groups. None for all.
            without: A mask, or (n,); leave out units in any of these groups. 0 or None for none.
            min_distance: Leave out nearer units: one number, or (n,).
            max_distance: Leave out farther units: one number, or (n,).
            exclude: A slot to leave out for each point, (n,); -1 for none.
            to_edge: Measure to the footprints of units, 0 inside them, instead of their positions.
            workers: The number of threads; -1 for one per core.

        Returns:
            slots (n, k) int32 and distances (n, k) float64, each row nearest first, ties in the
            order of adding. Shorter rows are padded with slot -1 and distance inf.

        Raises:
            ValueError: As `k_nearest`, k > 65,536, shapes that do not fit, or a slot in `exclude`
                that no unit has.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many("abc", [(10, 10), (20, 10), (90, 90)])
            >>> found, distances = units.k_nearest_many([(11, 10), (99, 90)], 2, max_distance=50)
            >>> found.tolist(), distances.tolist()
            ([[0, 1], [2, -1]], [[1.0, 9.0], [9.0, inf]])
        """
        units: UnitStore = self._made()
        wanted = int(checked_count(k, "k"))
        if wanted > MAX_COLUMNS:
            raise ValueError(f"k must be at most {MAX_COLUMNS} in a batch, got {shown(k)}")
        asked = near_points(
            xy, min_distance, max_distance, DISTANCES, groups, without, exclude, to_edge
        )
        threads = checked_workers(workers)
        shape = len(asked.order), wanted
        slots, distances = np.empty(shape, np.int32), np.empty(shape)
        ask(units, nearest_many, units, asked, threads, slots, distances)
        return slots, distances

    def segment_many(
        self,
        xy0: npt.ArrayLike,
        xy1: npt.ArrayLike,
        width: npt.ArrayLike = 0.0,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        exclude: npt.ArrayLike | None = None,
        workers: int = 1,
        out: npt.NDArray[np.int32] | None = None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Find the units whose footprint a shot or a line of sight touches, for many shots.

        Cost: 5 to 20 microseconds for a shot across 10,000 units, and 0.1 for each hit: all hits
        are sorted along their way.

        Args:
            xy0: Where they start, (n, 2), in world units.
            xy1: Where they end, (n, 2).
            width: The diameter of a disc that moves along each: one number, or (n,).
            groups: A mask, or (n,); only units in one of these groups. None for all.
            without: A mask, or (n,); leave out units in any of these groups. 0 or None for none.
            exclude: A slot to leave out for each shot, (n,); -1 for none.
            workers: The number of threads; -1 for one per core.
            out: An int32 array to reuse every frame; the slots returned are its first part.

        Returns:
            offsets (n + 1,) int64 and slots int32; the slots of shot i are
            slots[offsets[i]:offsets[i + 1]], in the order of first touch along the way, ties in
            the order of adding.

        Raises:
            ValueError: As `segment`, shapes that do not fit, or a slot that no unit has.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many(["far", "near"], [(80, 1), (30, -1)], radius=2)
            >>> offsets, found = units.segment_many([(0, 0), (0, 9)], [(100, 0), (100, 9)])
            >>> offsets.tolist(), units.items(found)
            ([0, 2, 2], ['near', 'far'])
        """
        units: UnitStore = self._made()
        ways = checked_ways(xy0, xy1)
        n = len(ways)
        halves = checked_widths(width, n)
        picks = checked_picks(n, groups, without, exclude)
        asked = Questions(ways, halves, *picks, ON_SEGMENT)
        row = checked_out(out, xy0, xy1, width, groups, without, exclude)
        threads = checked_workers(workers)
        return ask(units, touch_many, units, asked, threads, row)

    def sweep_many(
        self,
        slots: npt.ArrayLike,
        xy: npt.ArrayLike,
        groups: npt.ArrayLike | None = None,
        without: npt.ArrayLike | None = None,
        workers: int = 1,
        out: npt.NDArray[np.int32] | None = None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Find the units that footprints would touch on straight paths, for many moving units.

        Each path is tested alone, against all other units where they are now. No unit is moved.

        Cost: as for `segment_many`.

        Args:
            slots: The slots of the units that move, (n,); their ways start at their positions.
            xy: The ends of the ways, (n, 2), in world units.
            groups: A mask, or (n,); only units in one of these groups. None for all.
            without: A mask, or (n,); leave out units in any of these groups. 0 or None for none.
            workers: The number of threads; -1 for one per core.
            out: An int32 array to reuse every frame; the slots returned are its first part.

        Returns:
            offsets (n + 1,) int64 and slots int32; the slots of path i are
            slots[offsets[i]:offsets[i + 1]], in the order of first touch, those touched from the
            start first, ties in the order of adding.

        Raises:
            ValueError: As `sweep`, a number is not the slot of a unit, or shapes that do not fit.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> balls = units.add_many(["red", "blue"], [(0, 50), (0, 90)], radius=2)
            >>> units.add("wall", 50, 50, size=(1, 40))
            >>> offsets, found = units.sweep_many(balls, [(100, 50), (100, 90)])
            >>> offsets.tolist(), units.items(found)
            ([0, 1, 1], ['wall'])
        """
        units: UnitStore = self._made()
        movers = checked_slots(slots)
        n = len(movers)
        goals = checked_points(xy, n)
        wanted, unwanted, _ = checked_picks(n, groups, without, None)
        row = checked_out(out, slots, xy, groups, without)
        threads = checked_workers(workers)
        begin_question(cython.address(units.busy))
        try:
            check_used(units, movers)
            ways = ways_between(units.positions(movers), goals)
            asked = Questions(ways, units.sizes(movers), wanted, unwanted, movers, ON_SEGMENT)
            return touch_many(units, asked, threads, row)
        finally:
            end_question(cython.address(units.busy))

    def pairs_many(
        self,
        groups: int | None = None,
        without: int | None = None,
        against: int | None = None,
    ) -> npt.NDArray[np.int32]:
        """Find all pairs of units whose footprints overlap.

        Args:
            groups: A mask; one unit of each pair is in one of these groups. None for all.
            without: A mask; leave out pairs with a unit in any of these groups. None for none.
            against: A mask; the other unit is in one of these. None for the same as `groups`.

        Returns:
            The slots, (n, 2) int32: each pair once, in each row the unit added first, rows in no
            particular order.

        Raises:
            ValueError: Groups out of range.
        """
        walk = cython.declare(Walk)
        mask = mask_of(groups, "groups")
        others = mask if against is None else mask_of(against, "against")
        unwanted = mask_of(without, "without")
        found: IntBuffer = IntBuffer()
        self._start(cython.address(walk))
        try:
            find_pairs(self._store, cython.address(walk), found, mask, others, unwanted)
        finally:
            self._stop(cython.address(walk))
        return np.frombuffer(found.taken(), np.int32).reshape(-1, 2)

    def overlaps_many(
        self,
        slots: npt.ArrayLike | None = None,
        groups: int | None = None,
        without: int | None = None,
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Find which units overlap, and how to part them.

        Cost: 0.05 microseconds for each unit, or 0.2 for each that asks if those are less than an
        eighth; and 0.1 for each overlap.

        Args:
            slots: The units that ask, (n,) ints. None for all units.
            groups: A mask; only overlaps with units in one of these groups. None for all.
            without: A mask; leave out overlaps with units in any of these groups. None for none.

        Returns:
            Three arrays with a row for each overlap, in no particular order: the slots, (m, 2)
            int32, one that asks and the other; the normals, (m, 2), which point away from the
            other; the depths, (m,), as for `overlaps`. If both ask, and either could stand first,
            there is one row, and the unit that was added first stands first.

        Raises:
            ValueError: A slot of no unit, or groups out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> _ = units.add_many("abc", [(10, 50), (14, 50), (30, 50)], radius=5)
            >>> slots, normals, depths = units.overlaps_many()
            >>> slots.tolist(), normals.tolist(), depths.tolist()
            ([[0, 1]], [[-1.0, 0.0]], [6.0])
        """
        units: UnitStore = self._made()
        mask = mask_of(groups, "groups")
        unwanted = mask_of(without, "without")
        asking = None if slots is None else checked_slots(slots)
        begin_question(cython.address(units.busy))
        try:
            if asking is not None:
                check_used(units, asking)
            return overlaps_many(units, asking, mask, unwanted)
        finally:
            end_question(cython.address(units.busy))

    # -- what has changed --------------------------------------------------------------------------

    def mark(self) -> int:
        """Note this moment for `changed_since`.

        From the first mark on, the tree notes changes in 4 bytes per unit.

        Returns:
            A number for this moment; later marks have higher numbers.

        Raises:
            RuntimeError: The tree is being asked or changed, as in a filter.
        """
        units: UnitStore = self._made()
        return change(units, units.next_revision)

    def changed_since(self, mark: int) -> npt.NDArray[np.int32]:
        """Return the slots of units added, moved, resized, regrouped or removed since a mark.

        Compare `serial_many` to tell whether the unit in a slot has changed or has been removed. A
        unit that was moved counts even if it is back where it was.

        Args:
            mark: A number from `mark`, which may be used several times.

        Returns:
            The slots, (n,) int32, ascending.

        Raises:
            ValueError: The number is not from `mark`.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many("abc", [(1, 1), (2, 2), (3, 3)])
            >>> moment = units.mark()
            >>> units.move("b", 5, 5)
            >>> units.set_groups("c", 4)
            >>> units.items(units.changed_since(moment))
            ['b', 'c']
        """
        units: UnitStore = self._made()
        number = whole(mark, "mark")
        begin_question(cython.address(units.busy))
        try:
            if not 1 <= number <= units.revision:
                raise ValueError(f"mark must be a number from mark(), got {shown(mark)}")
            return units.changed_since(number)
        finally:
            end_question(cython.address(units.busy))

    # -- keeping -----------------------------------------------------------------------------------

    def digest(self) -> bytes:
        """Return 16 bytes to compare two trees by, such as the trees of two players in one game.

        Two trees have the same digest if the same slots are in use, and the units there have the
        same positions, sizes and groups, to the last bit, the same serials and the same order of
        adding. The digest is the same on every machine, compiled or not, after a copy or a pickle,
        and for any leaf_size and max_depth; but with other ones, verbs that tell of no order may
        give another. It leaves out the items themselves, because their hashes differ between
        processes. O(n log n).

        Example:
            >>> units, others = DynamicQuadtree((0, 0, 9, 9)), DynamicQuadtree((0, 0, 9, 9))
            >>> for tree in units, others:
            ...     tree.add("orc", 1, 2)
            >>> units.digest() == others.digest()
            True
            >>> others.move("orc", 1, 2.001)
            >>> units.digest() == others.digest()
            False
        """
        units: UnitStore = self._made()
        return ask(units, digest_of, units, self._slots)

    def to_bytes(self) -> bytes:
        """Return the tree as bytes, for a file or another player, without its items.

        They hold everything else, to the last bit: positions, sizes, groups, slots, serials, marks
        and the shape of the tree. `from_bytes` restores it on any machine, compiled or not. Save
        the items yourself, in the order of `list(tree)`, as numbers or names; or pickle the tree
        instead. O(n), 20 to 80 bytes per unit, and as much for each slot that was ever in use.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many(["orc", "elf"], [(1, 1), (2, 2)])
            >>> names, data = list(units), units.to_bytes()
            >>> again = DynamicQuadtree.from_bytes(data, names)
            >>> again.nearest(3, 3), again.digest() == units.digest()
            ('elf', True)
        """
        units: UnitStore = self._made()
        return ask(units, bytes_of, units)

    @classmethod
    def from_bytes(cls, data: ReadableBuffer, items: Iterable[Item]) -> Self:
        """Restore the tree that `to_bytes` has written.

        It continues exactly where the other tree was: same lists, slots, serials and marks. Data
        from a stranger is safe to read: it is checked first, runs no code, and takes no more memory
        than a tree of that size.

        Args:
            data: What `to_bytes` returned, as bytes or anything with a buffer.
            items: The units in the order of `list(tree)`: as many, all different, none of them
                None.

        Raises:
            ValueError: The data is cut short, damaged, not from a tree of this class, or of a
                version that cannot be read; or the items do not fit.
        """
        rows = read_units(data)
        tree: DynamicQuadtree = cls._empty(rows["bounds"].tolist())
        tree._become(rows, list(items))
        return tree  # type: ignore[return-value]  # C knows no Self

    @classmethod
    def _empty(cls, bounds: Sequence[float]) -> Self:
        """Make a tree without units, whatever a subclass takes to make one."""
        tree: DynamicQuadtree = cls.__new__(cls)
        DynamicQuadtree.__init__(tree, bounds)
        return tree  # type: ignore[return-value]  # C knows no Self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._empty, (tuple(self.bounds),), self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        """Return the items in the order of adding, the tree as bytes, and what hangs on it.

        That is data for `Contacts`, the books of claims, and the attributes of a subclass.
        """
        units: UnitStore = self._made()
        own = getattr(self, "__dict__", None)
        begin_question(cython.address(units.busy))
        try:
            return list(self._slots), bytes_of(units), list(units.renumberings), self._books, own
        finally:
            end_question(cython.address(units.busy))

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Become the tree that the state came from: same lists, same slots.

        Raises:
            ValueError: The state is damaged.
        """
        self._made()
        items, data, renumberings, *rest = state
        for orders in renumberings:
            if not isinstance(orders, np.ndarray) or orders.dtype != np.int32:
                raise ValueError("the state of the tree is damaged: renumberings")
        self._become(read_units(data), list(items))
        self._store.renumberings = list(renumberings)
        if rest:  # otherwise those of this tree stay
            self._books, own = rest
            if own:
                self.__dict__.update(own)

    # -- inspecting --------------------------------------------------------------------------------

    def nodes(self) -> npt.NDArray[np.void]:
        """Return the nodes and leaves, for overlays and statistics.

        Cost: less than a microsecond for each node, of which there is one for some 20 units.

        Returns:
            A structured array, parents before children, the root first: `min_x`, `min_y`, `max_x`,
            `max_y` (the part of the plane that the node covers, clipped to the units), `depth` (0
            for the root), `count` (units below it) and `leaf`.
        """
        units: UnitStore = self._made()
        return ask(units, table_of, units.nodes)

    def stats(self) -> TreeStats:
        """Return statistics of the tree: its size, depth and fill."""
        return stats_of(self.nodes(), nbytes_of_units(self._made()))

    def explain(self, verb: str, *args: Any, **options: Any) -> Explanation:
        """Ask a question and count how much of the tree it visits, and what it prunes.

        Args:
            verb: "query", "within", "any_within", "count_within", "nearest", "k_nearest",
                "segment", "segment_hits", "sweep", "sweep_hits" or "pairs".
            args: The arguments of the verb.
            options: The arguments of the verb by name.

        Returns:
            Counts, as named in `Explanation`.

        Raises:
            ValueError: `verb` is none of these, or the method raises it.
            KeyError: The method raises it.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> slots = units.add_many(range(1000), [(i % 40, i // 40) for i in range(1000)])
            >>> units.set_groups(7, 2)
            >>> units.explain("nearest", 30, 20, groups=2).leaves
            2
        """
        units: UnitStore = self._made()
        # A second object for the same tree, so that ordinary questions do not pay for counting.
        counted: DynamicQuadtree = DynamicQuadtree.__new__(DynamicQuadtree)
        counted.bounds = self.bounds  # type: ignore[misc]  # final to others
        counted._store = self._store
        counted._slots = self._slots
        counted._items = self._items
        tally: Tally = Tally()
        counted._tally = tally
        # What arguments run, such as an __index__, must not change the tree that both share.
        return ask(units, explanation, counted, tally, UNIT_VERBS, verb, args, options)

    def check(self) -> None:
        """Check every invariant of the tree, for tests. O(n).

        Raises:
            AssertionError: An invariant is broken, which is a bug in tilequad.
        """
        ask(self._made(), self._check)

    # -- helpers -----------------------------------------------------------------------------------

    def _check(self) -> None:
        check_units(self._store)
        assert len(self._slots) == self._store.count, "units and items are miscounted"
        record = self._store.record
        orders = [record[RECORD * slot + ORDER] for slot in self._slots.values()]
        assert orders == sorted(orders), "the order of adding is broken"
        for item, slot in self._slots.items():
            assert self._items[slot] is item, f"{item!r} is not in its slot"

    @cython.final
    def _made(self) -> Object[UnitStore]:
        """Return the store; raise an AttributeError if `__init__` has not run."""
        if self._store is None:  # in compiled code, an attribute that is not set is None
            raise AttributeError(f"{type(self).__name__}.__init__ must call super().__init__")
        return self._store

    @cython.final
    def _start(self, walk: cython.pointer[Walk]) -> Raises[cython.int]:
        """Start a question: the tree does not change until it stops."""
        if self._store is None:
            self._made()
        begin_question(cython.address(self._store.busy))
        start_counts(walk, self._tally is not None)
        return 0

    @cython.final
    def _start_ring(
        self,
        walk: cython.pointer[Walk],
        x: float,
        y: float,
        radius: float,
        groups: int | None,
        without: int | None,
        least: cython.double,
        exclude: Hashable,
        to_edge: cython.bint,
    ) -> Annotated[cython.int, "except -2"]:
        """Check the arguments of `within`, and start the walk; return the slot to leave out.

        It is looked up last, because the other arguments may run code that changes the tree.
        """
        mask = ALL_GROUPS if groups is None else mask_of(groups, "groups")
        unwanted: cython.int = 0 if without is None else mask_of(without, "without")
        place_x = position_of(x, "x")
        place_y = position_of(y, "y")
        most = distance_of(radius, "radius")
        if least > most:
            raise ValueError(f"min_radius must be <= radius, got {least!r} and {most!r}")
        skip = NONE if exclude is None else self._slot_of(exclude, "exclude")
        begin_ring(walk, place_x, place_y, most, mask, unwanted, to_edge)
        self._start(walk)
        return skip

    @cython.final
    def _stop(self, walk: cython.pointer[Walk]) -> Gil[None]:
        """End a question, and hand its counts to `explain`, if it asked."""
        end_question(cython.address(self._store.busy))
        if self._tally is not None:
            self._tally.add(walk)

    @cython.final
    def _end_claims(self, slot: cython.int) -> Raises[cython.int]:
        """Tell the books of claims that a unit has been removed from a slot."""
        for book in list((self._books or {}).values()):
            book.end_claim(self._store, slot)
        return 0

    @cython.final
    def _become(self, rows: dict[str, Any], named: list[Any]) -> Raises[cython.int]:
        """Take over what `read_units` has returned, with the items in the order of adding."""
        units: UnitStore = self._made()
        limits = Bounds.of(rows["bounds"].tolist())
        restored: UnitStore = UnitStore(tuple(limits), limits.center, UNITS_PER_LEAF, MAX_DEPTH)
        slots = restore_units(restored, rows)
        if len(named) != len(slots):
            raise ValueError(f"items must be {len(slots)}, one for each unit, got {len(named)}")
        view: cython.int[::1] = slots.data
        names: dict[Any, int] = {}
        name_slots(names, named, view)
        items: list[Any] = items_by_slot(named, view, restored.slots)
        begin_change(cython.address(units.busy))  # for good, because the tree gives up this store
        self.bounds = limits  # type: ignore[misc]
        self._store, self._slots, self._items = restored, names, items

    @cython.final
    def _extend(
        self, named: list[Any], slots: np.ndarray, points: np.ndarray, masks: np.ndarray
    ) -> Raises[cython.int]:
        """Add units; if a name is wrong, forget the names.

        The list of items stays the same object: another thread may be about to read it by the slots
        of the store.
        """
        view: cython.int[::1] = slots.data
        before = len(self._slots)
        self._items += [None] * (int(slots.max(initial=-1)) + 1 - len(self._items))
        self._store.busy.torn = True
        try:
            name_slots(self._slots, named, view)
        except BaseException:
            while len(self._slots) > before:
                self._slots.popitem()
            self._store.busy.torn = False
            raise
        insert_units(self._store, slots, points, masks)
        for i in range(len(view)):
            self._items[view[i]] = named[i]
        self._store.busy.torn = False
        return 0

    @cython.final
    def _slot_of(self, item: Hashable, name: str) -> Annotated[cython.int, "except -2"]:
        """Return the slot of a unit, whose `__hash__` and `__eq__` cannot change the tree."""
        units: UnitStore = self._made()
        begin_question(cython.address(units.busy))
        try:
            return slot_in(self._slots, item, name)
        finally:
            end_question(cython.address(units.busy))

    @cython.final
    def _items_of(self, hits: cython.p_int, n: cython.int, skip: cython.int) -> Object[list[Any]]:
        """Return the units in n slots without slot `skip`; remove it from the slots."""
        kept = drop_slot(hits, n, skip)
        return items_at(self._items, hits, kept)

    @cython.final
    def _found(
        self, walk: cython.pointer[Walk], least: cython.double, skip: cython.int
    ) -> Object[list[Any]]:
        """Return the units that a walk for a box or a ring finds, except `skip`, and stop it."""
        hits = cython.declare(cython.int[HITS])
        n = HITS
        found: Any = None
        try:
            while n == HITS:
                if walk.test == OVERLAPPING_BOX:
                    n = find_in_box(self._store, walk, hits)
                else:
                    n = find_in_ring(self._store, walk, least, hits)
                items: list[Any] = self._items_of(hits, n, skip)
                if found is None:
                    found = items
                else:
                    found += items
        finally:
            self._stop(walk)
        return found

    @cython.final
    def _shot(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        width: float,
        groups: int | None,
        without: int | None,
        exclude: Hashable,
        in_detail: cython.bint,
    ) -> Object[list[Any]]:
        """Return what a disc touches on a segment: check the arguments and call `_touched`."""
        self._made()
        mask = mask_of(groups, "groups")
        unwanted = mask_of(without, "without")
        from_x = position_of(x0, "x0")
        from_y = position_of(y0, "y0")
        to_x = position_of(x1, "x1")
        to_y = position_of(y1, "y1")
        radius = distance_of(width, "width") / 2.0
        skip = NONE if exclude is None else self._slot_of(exclude, "exclude")
        return self._touched(
            from_x, from_y, to_x, to_y, radius, -1.0, mask, unwanted, skip, NONE, in_detail
        )

    @cython.final
    def _swept(
        self,
        item: Hashable,
        x: float,
        y: float,
        groups: int | None,
        without: int | None,
        in_detail: cython.bint,
    ) -> Object[list[Any]]:
        """Return what a unit touches on its path: check the arguments and call `_touched`."""
        units: UnitStore = self._made()
        mask = mask_of(groups, "groups")
        unwanted = mask_of(without, "without")
        place_x = position_of(x, "x")
        place_y = position_of(y, "y")
        begin_question(cython.address(units.busy))
        try:
            slot = slot_in(self._slots, item, "item")
            entry: cython.Py_ssize_t = units.record[RECORD * slot + ENTRY]
            return self._touched(
                units.xs[entry],
                units.ys[entry],
                place_x,
                place_y,
                units.half_w[slot],
                units.half_h[slot],
                mask,
                unwanted,
                slot,
                slot,
                in_detail,
            )
        finally:
            end_question(cython.address(units.busy))

    @cython.final
    def _touched(
        self,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        half_w: cython.double,
        half_h: cython.double,
        groups: cython.int,
        without: cython.int,
        skip: cython.int,
        mover: cython.int,
        in_detail: cython.bint,
    ) -> Object[list[Any]]:
        """Return what a footprint touches on its path, except `skip`: units, or hits in detail.

        `mover` is the unit whose footprint it is, if it is one's.
        """
        walk = cython.declare(Walk)
        hits = cython.declare(cython.int[HITS])
        times = cython.declare(cython.double[HITS])
        units: UnitStore = self._store
        n = HITS
        slot: cython.int
        touched: list[Any] = []
        found: list[Any] = []
        items: list[Any] = self._items
        reach = max(half_w, half_h)
        if x0 != x1 or y0 != y1:
            mover = NONE  # only one that stands is where its unit is
        self._start(cython.address(walk))
        try:
            begin_segment(cython.address(walk), x0, y0, x1, y1, reach, groups, without)
            while n == HITS:
                n = find_units_on_segment(units, cython.address(walk), half_w, half_h, hits, times)
                for i in range(n):
                    if hits[i] != skip:
                        order = units.record[RECORD * hits[i] + ORDER]
                        touched.append((times[i], order, hits[i]))
            touched.sort()
            for time, _, slot in touched:
                if in_detail:
                    found.append(self._hit(x0, y0, x1, y1, half_w, half_h, mover, slot, time))
                else:
                    found.append(items[slot])
            return found
        finally:
            self._stop(cython.address(walk))

    @cython.final
    def _hit(
        self,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        half_w: cython.double,
        half_h: cython.double,
        mover: cython.int,
        slot: cython.int,
        time: cython.double,
    ) -> Object[Hit]:
        """Return where a footprint touches a unit; `mover` as for `_touched`, if it stands."""
        place = cython.declare(cython.double[5])
        units: UnitStore = self._store
        entry: cython.Py_ssize_t = units.record[RECORD * slot + ENTRY]
        x = units.xs[entry]
        y = units.ys[entry]
        if mover != NONE:
            touch_of(units, mover, slot, place)
        else:
            touch_at(
                x0 + (x1 - x0) * time - x,
                y0 + (y1 - y0) * time - y,
                x1 - x0,
                y1 - y0,
                time > 0.0,
                half_w,
                half_h,
                units.half_w[slot],
                units.half_h[slot],
                place,
            )
        return Hit(
            self._items[slot], time, x + place[0], y + place[1], place[2], place[3], place[4]
        )


# -- helpers ---------------------------------------------------------------------------------------


def checked_mask(groups: int) -> int:
    """The groups of a unit, checked; a unit needs a mask."""
    if groups is None:
        raise TypeError("groups must be a whole number, got None")
    return mask_of(groups, "groups")


def slot_in(
    slots: dict[Any, Any], item: Hashable, name: str
) -> Annotated[cython.int, "inline except -2"]:
    """Return the slot of a unit, whose `__hash__` and `__eq__` are called; the tree is busy."""
    try:
        found = slots.get(item)
    except TypeError as error:
        raise TypeError(f"{name} must be hashable, got {shown(item)}") from error
    if found is None:
        raise KeyError(f"{name} must be in the tree, got {shown(item)}")
    return found


def near_points(
    xy: npt.ArrayLike,
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    names: tuple[Any, ...],
    groups: npt.ArrayLike | None,
    without: npt.ArrayLike | None,
    exclude: npt.ArrayLike | None,
    to_edge: cython.bint,
) -> Object[Questions]:
    """Return checked questions: what is near each of many points."""
    points = checked_points(xy)
    limits = checked_limits(low, high, len(points), names)
    picks = checked_picks(len(points), groups, without, exclude)
    return Questions(points, limits, *picks, REACHING_POINT if to_edge else NEAR_POINT)


def half_of(size: Sequence[float], radius: cython.double) -> tuple[float, float]:
    """Half the width and height of a footprint, checked."""
    if radius != 0.0:
        raise ValueError(
            f"radius and size are mutually exclusive, got {shown(radius)} and {shown(size)}"
        )
    try:
        width, height = size
    except (TypeError, ValueError):
        raise ValueError(f"size must be two numbers, got {shown(size)}") from None
    return distance_of(width, "size") / 2, distance_of(height, "size") / 2


def listed(items: Iterable[Hashable]) -> list[Any]:
    """Return the argument `items` as a list."""
    try:
        each = iter(items)
    except TypeError:
        raise TypeError(f"items must be many, got {shown(items)}") from None
    return list(each)


def name_slots(
    names: dict[Any, Any], items: list[Any], slots: cython.int[::1]
) -> Raises[cython.int]:
    """Note the slots of new items; if one of them is not new, the caller undoes it.

    The slots must be a memoryview: in plain Python an array would yield numpy's int32.
    """
    for i in range(len(items)):
        item = items[i]
        number: object = slots[i]
        if item is None:
            raise ValueError("items must not be None")
        if noted(names, item, number, "items") is not number:
            raise ValueError(f"items must be new, but {shown(item)} is in the tree, or given twice")
    return 0


def noted(
    names: dict[Any, Any], item: Any, number: object, name: str
) -> Annotated[object, "inline"]:
    """Note the slot of an item, and return it; the one that it has if it is not new."""
    try:
        return names.setdefault(item, number)
    except TypeError as error:
        raise TypeError(f"{name} must be hashable, got {shown(item)}") from error


def accepted(items: list[Any], where: Callable[[Any], bool], most: cython.Py_ssize_t) -> list[Any]:
    """Return the first items, `most` at most, that a predicate accepts; it is asked no more."""
    found: list[Any] = []
    for item in items:
        if where(item):
            found.append(item)
            if len(found) == most:
                break
    return found


def drops_again(names: dict[Any, int], item: Any) -> Object[bool]:
    """Drop an item whose hash or comparison has just failed; False if it fails again."""
    try:
        del names[item]
    except BaseException:
        return False
    return True


def items_by_slot(
    named: list[Any], slots: cython.int[::1], size: cython.Py_ssize_t
) -> Object[list[Any]]:
    """Put items into a list by slot, with room for at least `size`; no two slots are equal."""
    in_order: cython.bint = size <= len(slots)
    for i in range(len(slots)):
        in_order &= slots[i] == i
        size = max(size, slots[i] + 1)
    if in_order:
        return named
    items: list[Any] = [None] * size
    for i in range(len(slots)):
        items[slots[i]] = named[i]
    return items


def check_tree(units: Any) -> None:
    """Raise TypeError for anything but a tree."""
    if not isinstance(units, DynamicQuadtree):
        raise TypeError(f"units must be a DynamicQuadtree, got {shown(units)}")


def store_of(tree: DynamicQuadtree) -> UnitStore:
    """Return the store of a tree, for the kernels; ask for it anew in each call."""
    return tree._made()


def tell_of_removals(tree: DynamicQuadtree, group: int, book: Any) -> None:
    """Tell a book of claims of each removal; it follows the one before of its group."""
    tree._books = {**(tree._books or {}), group: book}


def items_of(tree: DynamicQuadtree) -> list[Any]:
    """Return the units of a tree by slot, for the kernels; ask for them anew in each call."""
    return tree._items

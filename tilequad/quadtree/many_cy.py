# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""The array side of a dynamic quadtree: whole armies in one call.

Units go by their slots here, small ints that numpy can hold. Every call checks all it is given
before it changes anything, and the searches run without the GIL.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

if not cython.compiled:  # compiled, the .pxd has them
    from tilequad.quadtree.checks_cy import check_distance, check_limits, mask_of

from tilequad.bounds import Bounds
from tilequad.quadtree.arrays import (
    checked_boxes,
    checked_halves,
    checked_masks,
    checked_out,
    checked_points,
    per_unit,
)
from tilequad.quadtree.batches_cy import Batches, gather, share
from tilequad.quadtree.buffer_cy import IntBuffer
from tilequad.quadtree.nodes_cy import longer
from tilequad.quadtree.zorder_cy import z_order

COMPILED = bool(cython.compiled)

INF = float("inf")
LAST = 0x7FFFFFFF  # the last number in the order of adding


class Many(Batches):
    """What a dynamic quadtree does for many units at once, and which item has which slot."""

    __slots__ = ("_items", "_slots", "bounds")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = Bounds.of(bounds)
        Batches.__init__(self)
        self.split[0], self.split[1] = self.bounds.center
        self.frame = array("d", self.bounds)
        self._slots: dict[Any, int] = {}
        self._items: list[Any] = []

    def slot(self, item: Hashable) -> int:
        """The slot of a unit: an int that is its own until it is removed.

        Raises:
            KeyError: The item is not in the tree.
        """
        return self._slots[item]

    def items(self, slots: npt.ArrayLike) -> list[Any]:
        """The units in slots, in the same order.

        Raises:
            KeyError: No unit has that slot.
        """
        items: list[Any] = self._items
        return [items[slot] for slot in self._checked_slots(slots).tolist()]

    # -- changing ----------------------------------------------------------------------------------

    def add_many(
        self,
        items: Iterable[Hashable],
        xy: npt.ArrayLike,
        radius: npt.ArrayLike = 0.0,
        size: npt.ArrayLike | None = None,
        groups: npt.ArrayLike = 1,
    ) -> np.ndarray:
        """Add many units.

        If they are a good part of all units then, the tree is built afresh with them, in O(n log n)
        and much faster than one by one.

        Args:
            items: n different hashable objects that are not in the tree; none of them None.
            xy: Where they stand, (n, 2), in world units.
            radius: Of their footprints, circles: one number, or one each.
            size: Width and height of their footprints instead, boxes: (2,), or (n, 2).
            groups: Their groups: one mask, or one each.

        Returns:
            Their slots, (n,) int32.

        Raises:
            ValueError: As `add`, or shapes that do not fit; nothing was added then.
        """
        items = list(items)
        n = len(items)
        points = checked_points(xy, n)
        half_w, half_h = checked_halves(radius, size, n)
        masks = checked_masks(groups, n)
        first = self.slots
        new = numbered(items, first)
        if None in new:
            raise ValueError("items must not be None")
        if len(new) < n or (self._slots and not self._slots.keys().isdisjoint(new)):
            raise ValueError(f"item {self._first_twice(items)!r} is added twice")
        if self.serial > LAST - n:
            self._renumber()
        slots = self._take_slots(items, new)
        where = slice(first, first + n) if first + n == self.slots else slots
        np.frombuffer(self.half_w, np.float64)[where] = half_w
        np.frombuffer(self.half_h, np.float64)[where] = half_h
        self._stand(slots, points, masks)
        return slots

    def _take_slots(self, items: list[Any], new: dict[Any, int]) -> np.ndarray:
        """Slots for new items, in order; `new` has those behind all slots ever taken."""
        first, n = self.slots, len(items)
        if self.free_slot < 0:
            if first + n > len(self.half_w):
                self._reserve_slots(max(first + n, longer(len(self.half_w))))
            self.slots = first + n
            records = np.frombuffer(self.record, np.int32).reshape(-1, 3)
            records[first : first + n, 2] = np.arange(self.serial, self.serial + n)
            self.serial += n
            if self._items:
                self._items += items
            else:
                self._items = items
            slots = np.arange(first, first + n, dtype=np.int32)
        else:
            new = {item: self.take_slot() for item in items}
            self._items += [None] * (self.slots - len(self._items))
            for item, slot in new.items():
                self._items[slot] = item
            slots = np.fromiter(new.values(), np.int32, n)
        if self._slots:
            self._slots.update(new)
        else:
            self._slots = new
        return slots

    def _stand(self, slots: np.ndarray, points: np.ndarray, masks: np.ndarray) -> None:
        """Put slots at positions, by building the tree afresh where that is cheaper."""
        if 4 * len(slots) >= self.count:
            self._load(slots, points, np.require(masks, None, ["C", "W"]))
        else:
            rows = zip(slots.tolist(), points.tolist(), masks.tolist(), strict=True)
            for slot, (x, y), mask in rows:
                self.insert(slot, x, y, mask)

    def move_many(self, slots: npt.ArrayLike, xy: npt.ArrayLike) -> None:
        """Stand many units somewhere else.

        Args:
            slots: Of the units, (n,); of one named twice the last position counts.
            xy: Their new positions, (n, 2), in world units.

        Raises:
            KeyError: No unit has that slot; nothing was moved then.
            ValueError: A coordinate is not finite, or shapes that do not fit; nothing was moved.
        """
        checked = self._checked_slots(slots)
        points = checked_points(xy, len(checked))
        self.shift_all(checked.data, points.data)

    def remove_many(self, slots: npt.ArrayLike) -> None:
        """Take many units out of the tree.

        Args:
            slots: Of the units, (n,), each once.

        Raises:
            KeyError: No unit has that slot; nothing was removed then.
            ValueError: A slot twice; nothing was removed then.
        """
        checked = self._checked_slots(slots)
        if len(np.unique(checked)) < len(checked):
            raise ValueError("slots must differ, but one is there twice")
        for slot in checked.tolist():
            del self._slots[self._items[slot]]
            self._items[slot] = None
            self.delete(slot)

    # -- asking ------------------------------------------------------------------------------------

    def query_many(
        self,
        boxes: npt.ArrayLike,
        groups: int | None = None,
        workers: int = 1,
        out: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The units whose footprint overlaps a box, for many boxes.

        Args:
            boxes: (n, 4), each min_x, min_y, max_x, max_y.
            groups: A mask; only units with one of these groups. None for all.
            workers: Threads to share the work; -1 for one a core.
            out: An int32 array to write the slots into, to be used again every frame. Those
                returned are the beginning of it.

        Returns:
            offsets (n + 1,) int64 and slots int32: those of box i are
            slots[offsets[i]:offsets[i + 1]], in no particular order.

        Raises:
            ValueError: As `query`, or shapes that do not fit.
        """
        checked = np.require(checked_boxes(boxes), None, ["C", "W"])
        mask: cython.int = mask_of(groups)
        view: cython.double[:, ::1] = checked.data
        order: cython.int[::1] = z_order(np.ascontiguousarray(checked[:, :2]))
        counts: cython.int[::1] = array("i", [0]) * len(checked)

        def collect(low: cython.int, high: cython.int, found: IntBuffer) -> None:
            with cython.nogil:
                self.collect_in_boxes(view, order[low:high], mask, counts, found)

        return gather(order, counts, workers, collect, out)

    def within_many(
        self,
        xy: npt.ArrayLike,
        radius: npt.ArrayLike,
        groups: int | None = None,
        workers: int = 1,
        out: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The units within a distance of a point, by position, for many points.

        Args:
            xy: The points, (n, 2), in world units.
            radius: The greatest distance: one number, or one for each point.
            groups: A mask; only units with one of these groups. None for all.
            workers: Threads to share the work; -1 for one a core.
            out: An int32 array to write the slots into, to be used again every frame. Those
                returned are the beginning of it.

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
        mask: cython.int = mask_of(groups)
        view: cython.double[:, ::1] = points.data
        lengths: cython.double[::1] = radii.data
        order: cython.int[::1] = z_order(points)
        counts: cython.int[::1] = array("i", [0]) * len(points)

        def collect(low: cython.int, high: cython.int, found: IntBuffer) -> None:
            with cython.nogil:
                self.collect_within(view, lengths, order[low:high], mask, counts, found)

        return gather(order, counts, workers, collect, out)

    def nearest_many(
        self,
        xy: npt.ArrayLike,
        groups: int | None = None,
        max_distance: float = INF,
        workers: int = 1,
        out: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The unit nearest to a point, by position, for many points.

        Args:
            xy: The points, (n, 2), in world units.
            groups: A mask; only units with one of these groups. None for all.
            max_distance: Farther units do not count.
            workers: Threads to share the work; -1 for one a core.
            out: Arrays for slots (int32) and distances (float64), at least n long, to be used
                again every frame. Those returned are the beginning of them.

        Returns:
            slots (n,) int32 and distances (n,) float64; slot -1 and distance inf where there is
            none. Ties go to the unit added first.

        Raises:
            ValueError: As `nearest`, or shapes that do not fit.
        """
        points = checked_points(xy)
        check_limits(0.0, max_distance)
        mask: cython.int = mask_of(groups)
        limit2: cython.double = max_distance * max_distance
        view: cython.double[:, ::1] = points.data
        n = len(points)
        if out is None:
            out = np.empty(n, np.int32), np.empty(n)
        slots, distances = checked_out(out[0], n), checked_out(out[1], n, np.float64)

        hits: cython.int[::1] = slots.data
        squares: cython.double[::1] = distances.data
        order: cython.int[::1] = z_order(points)

        def collect(low: cython.int, high: cython.int) -> None:
            with cython.nogil:
                self.collect_nearest(view, order[low:high], limit2, mask, hits, squares)

        share(len(points), workers, collect)
        return slots, np.sqrt(distances, out=distances)

    def pairs_many(self, groups: int | None = None, against: int | None = None) -> np.ndarray:
        """All pairs of units whose footprints overlap.

        Args:
            groups: A mask; one unit of each pair has one of these groups. None for all.
            against: A mask; the other unit has one of these. None for the same as `groups`.

        Returns:
            The slots, (n, 2) int32, each pair once, in each row the unit added first, rows in no
            particular order.

        Raises:
            ValueError: Groups out of range.
        """
        mask: cython.int = mask_of(groups)
        others: cython.int = mask if against is None else mask_of(against)
        found: IntBuffer = IntBuffer()
        with cython.nogil:
            self.find_pairs(found, mask, others)
        return np.frombuffer(found.taken(), np.int32).reshape(-1, 2)

    def _touching(self, slots: np.ndarray) -> np.ndarray:
        """The pairs of these slots and all whose footprints overlap theirs; (n, 2) int32."""
        view: cython.int[::1] = slots.data
        counts = np.zeros(len(slots), np.int32)
        numbers: cython.int[::1] = counts.data
        found: IntBuffer = IntBuffer()
        with cython.nogil:
            self.find_touching(view, numbers, found)
        others = np.frombuffer(found.taken(), np.int32)
        return np.column_stack([np.repeat(slots, counts), others])

    def _all_slots(self) -> np.ndarray:
        """The slots of all units in the order of adding, (n,) int32."""
        return np.fromiter(self._slots.values(), np.int32, len(self._slots))

    def _serials(self, slots: np.ndarray) -> np.ndarray:
        """The numbers of slots in the order of adding, no two alike; -1 where a slot is free."""
        records = np.frombuffer(self.record, np.int32).reshape(-1, 3)[slots]
        return np.where(records[..., 1] >= 0, records[..., 2], -1)

    # -- keeping -----------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self.bounds),), self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        """All units in the order of adding: items, positions, half sizes, groups."""
        slots = self._all_slots()
        places = np.frombuffer(self.record, np.int32)[1::3][slots]
        xs = np.frombuffer(self.px, np.float64)[places]
        ys = np.frombuffer(self.py, np.float64)[places]
        masks = np.frombuffer(self.masks, np.uint32)[places]
        half_w = np.frombuffer(self.half_w, np.float64)[slots]
        half_h = np.frombuffer(self.half_h, np.float64)[slots]
        xy, halves = np.column_stack([xs, ys]), np.column_stack([half_w, half_h])
        return list(self._slots), xy, halves, masks

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Add the units of another tree to this empty one; slots are given afresh."""
        items, xy, halves, groups = state
        slots = self.add_many(items, xy, groups=groups)
        np.frombuffer(self.half_w, np.float64)[slots] = halves[:, 0]
        np.frombuffer(self.half_h, np.float64)[slots] = halves[:, 1]
        self._widen()
        self.fit_all()

    # -- checks ------------------------------------------------------------------------------------

    def _checked_slots(self, slots: npt.ArrayLike) -> np.ndarray:
        """The slots as an int32 array, all of units in the tree."""
        given = np.asarray(slots)
        if given.size == 0:
            given = given.astype(np.int32)
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise ValueError(f"slots must be integers, (n,), got {given.dtype} {given.shape}")
        kept = given
        if given.dtype != np.int32:  # an int that is cut off to 32 bits might look like a slot
            kept = np.where((given >= 0) & (given <= LAST), given.astype(np.int64), -1)
        checked = np.require(kept, np.int32, ["C", "W"])
        wrong: cython.Py_ssize_t = self.first_unknown(checked.data)
        if wrong >= 0:
            raise KeyError(f"no unit has slot {given[wrong]}")
        return checked

    def first_unknown(self, slots: cython.int[::1]) -> cython.Py_ssize_t:
        """The place of the first slot that is no unit's; -1 if there is none."""
        i: cython.Py_ssize_t
        for i in range(len(slots)):
            if slots[i] < 0 or slots[i] >= self.slots or self.record[3 * slots[i] + 1] < 0:
                return i
        return -1

    def _first_twice(self, items: list[Any]) -> Any:
        """The first item that is in the tree or in the list before."""
        seen = set()
        for item in items:
            if item in self._slots or item in seen:
                return item
            seen.add(item)
        return None


# -- helpers ---------------------------------------------------------------------------------------


def numbered(items: list[Any], first: cython.Py_ssize_t) -> dict[Any, int]:
    """Number items from `first` on."""
    i: cython.Py_ssize_t
    numbers: dict[Any, int] = {}
    for i in range(len(items)):
        numbers[items[i]] = first + i
    return numbers

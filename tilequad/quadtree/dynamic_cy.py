# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# As plain C methods, calls take 10 ns less than as Cython's own functions, and inspect still reads
# their signatures, if all defaults are literals: 1e309 is inf.
"""DynamicQuadtree: moving units, and who of them is near."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

if not cython.compiled:  # compiled, the .pxd has them
    from tilequad.quadtree.checks_cy import (
        check_distance,
        check_limits,
        check_position,
        mask_of,
        read_bounds,
    )

from tilequad.quadtree.explain import Explanation, explain_dynamic
from tilequad.quadtree.many_cy import Many

COMPILED = bool(cython.compiled)

INF = float("inf")
FAR = 1e150  # beyond it, squared distances overflow, as in checks_cy
HITS = 256  # the room of a buffer of slots, as in search_cy
NEAR = 64  # and of nearest slots


class DynamicQuadtree(Many):
    """A quadtree over units that move.

    A unit is any hashable object of the game but None. It stands at a point and has a footprint
    around it: the point itself, a circle (`radius`), or an upright box (`size`). It belongs to one
    or more of 32 groups, the bits of a mask; a query for some groups does not visit the parts of
    the tree where none of them is.

    Boxes and circles are closed: what touches, overlaps. Ties go in the order of adding, and the
    same calls in the same order give the same answers. Several threads may ask at once while none
    writes. Units may stand anywhere, on one point too; the tree follows them.

    Cost: `add`, `move` and `remove` take O(log n), a move that stays near by almost nothing; a
    query O(log n + hits). All on one point, it is O(n).

    Args:
        bounds: Where most of the units will stand, four numbers.

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

    __slots__ = ()

    def __init__(self, bounds: Sequence[float]) -> None:
        Many.__init__(self, bounds)

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
            x: Where it stands, in world units.
            y: Where it stands, in world units.
            radius: Of its footprint, a circle; 0 for a point.
            size: Width and height of its footprint instead, a box around its position.
            groups: The groups it belongs to, a mask of 32 bits, at least one of them set.

        Raises:
            ValueError: The item is None or in the tree already, a number is not finite or negative
                where it must not be, both radius and size are given, or groups is out of range.
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
            raise ValueError(f"item {item!r} is in the tree already")
        slot = self.take_slot()
        self.half_w[slot] = half_w
        self.half_h[slot] = half_h
        self.insert(slot, x, y, mask)
        self._slots[item] = slot
        if slot == len(self._items):
            self._items.append(item)
        else:
            self._items[slot] = item

    def move(self, item: Hashable, x: float, y: float) -> None:
        """Stand a unit somewhere else.

        Args:
            item: A unit in the tree.
            x: Its new position, in world units.
            y: Its new position, in world units.

        Raises:
            KeyError: The item is not in the tree.
            ValueError: A coordinate is not finite.
        """
        slot: cython.int = self._slots[item]
        if not (-FAR <= x <= FAR and -FAR <= y <= FAR):
            check_position(x, "x")
            check_position(y, "y")
        self.shift(slot, x, y)

    def remove(self, item: Hashable) -> None:
        """Take a unit out of the tree.

        Raises:
            KeyError: The item is not in the tree.
        """
        slot: cython.int = self._slots.pop(item)
        self.delete(slot)
        self._items[slot] = None

    def set_groups(self, item: Hashable, groups: int) -> None:
        """Put a unit into other groups, in place of those it has.

        Args:
            item: A unit in the tree.
            groups: A mask of 32 bits, at least one of them set.

        Raises:
            KeyError: The item is not in the tree.
            ValueError: Groups out of range.
        """
        slot: cython.int = self._slots[item]
        self.masks[self.record[3 * slot + 1]] = checked_mask(groups)
        q: cython.int = self.record[3 * slot]
        self.fit_leaf(q)
        self.lift(q >> 2)

    def __contains__(self, item: Hashable) -> bool:
        return item in self._slots

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Hashable]:
        """The units in the order of adding."""
        return iter(self._slots)

    def position(self, item: Hashable) -> tuple[float, float]:
        """Where a unit stands, (x, y).

        Raises:
            KeyError: The item is not in the tree.
        """
        slot: cython.int = self._slots[item]
        place: cython.int = self.record[3 * slot + 1]
        return self.px[place], self.py[place]

    # -- asking ------------------------------------------------------------------------------------

    def query(self, bounds: Sequence[float], groups: int | None = None) -> list[Any]:
        """The units whose footprint overlaps a box.

        Args:
            bounds: The closed box: min_x, min_y, max_x, max_y.
            groups: A mask; only units with one of these groups. None for all.

        Returns:
            The units, in no particular order.

        Raises:
            ValueError: Bounds that are no box, or groups out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("orc", 10, 10, radius=5)
            >>> units.query((15, 0, 20, 20)), units.query((15.1, 0, 20, 20))
            (['orc'], [])
        """
        stack = cython.declare(cython.int[128])
        leaves = cython.declare(cython.int[66])
        hits = cython.declare(cython.int[256])
        n: cython.int
        mask: cython.int = mask_of(groups)
        box = cython.declare(cython.double[4])
        read_bounds(bounds, box)
        stack[0], stack[1], leaves[0], leaves[1] = 1, 0, 0, -1
        n = self.find_in_box(stack, leaves, hits, box[0], box[1], box[2], box[3], mask)
        found: list[Any] = self.items_of(hits, n, -1)
        while n == HITS:
            n = self.find_in_box(stack, leaves, hits, box[0], box[1], box[2], box[3], mask)
            found += self.items_of(hits, n, -1)
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
        """The units within a distance of a point: min_radius <= distance <= radius.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            radius: The greatest distance.
            groups: A mask; only units with one of these groups. None for all.
            min_radius: The least distance, for a ring.
            exclude: A unit to leave out, such as the one that asks.
            to_edge: Measure to the units' footprints, 0 inside them, not to their positions.

        Returns:
            The units, in no particular order.

        Raises:
            ValueError: A number is not finite or negative, min_radius > radius, or groups is out
                of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("orc", 3, 4, radius=2)
            >>> units.within(0, 0, 5), units.within(0, 0, 3), units.within(0, 0, 3, to_edge=True)
            (['orc'], [], ['orc'])
        """
        stack = cython.declare(cython.int[128])
        leaves = cython.declare(cython.int[66])
        hits = cython.declare(cython.int[256])
        n: cython.int
        mask: cython.int = -1 if groups is None else mask_of(groups)
        skip: cython.int = -1 if exclude is None else self.skip_of(exclude)
        edge: cython.bint = to_edge
        if not (-FAR <= x <= FAR and -FAR <= y <= FAR and 0.0 <= min_radius <= radius <= FAR):
            refuse_ring(x, y, radius, min_radius)
        stack[0], stack[1], leaves[0], leaves[1] = 1, 0, 0, -1
        found: list[Any] | None = None
        while True:
            if edge:
                n = self.find_in_reach(stack, leaves, hits, x, y, radius, min_radius, mask)
            else:
                n = self.find_within(
                    stack, leaves, hits, x, y, radius * radius, min_radius * min_radius, mask
                )
            items: list[Any] = self.items_of(hits, n, skip)
            if found is None:
                found = items
            else:
                found += items
            if n < HITS:
                return found

    def count_within(self, x: float, y: float, radius: float, groups: int | None = None) -> int:
        """How many units are within a distance of a point, by position; no list is made.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            radius: The greatest distance.
            groups: A mask; only units with one of these groups. None for all.

        Raises:
            ValueError: A number is not finite or negative, or groups is out of range.
        """
        stack = cython.declare(cython.int[128])
        leaves = cython.declare(cython.int[66])
        hits = cython.declare(cython.int[256])
        n: cython.int = HITS
        count: cython.Py_ssize_t = 0
        mask: cython.int = mask_of(groups)
        check_position(x, "x")
        check_position(y, "y")
        check_distance(radius, "radius")
        stack[0], stack[1], leaves[0], leaves[1] = 1, 0, 0, -1
        while n == HITS:
            n = self.find_within(stack, leaves, hits, x, y, radius * radius, 0.0, mask)
            count += n
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
        """The unit nearest to a point, by position; None if there is none.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            groups: A mask; only units with one of these groups. None for all.
            min_distance: Nearer units do not count.
            max_distance: Farther units do not count.
            exclude: A unit to leave out, such as the one that asks.
            where: Called with a unit, says whether it counts. Asked nearest first, and no more
                often than needed. It must not change the tree.

        Returns:
            The unit, of several equally near ones the first added, or None.

        Raises:
            ValueError: A number is not finite (max_distance may be infinite) or negative,
                min_distance > max_distance, or groups is out of range.

        Example:
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("oak", 10, 0)
            >>> units.add("elm", 20, 0)
            >>> units.nearest(0, 0), units.nearest(0, 0, where=lambda tree: tree != "oak")
            ('oak', 'elm')
        """
        stack = cython.declare(cython.int[128])
        nodes = cython.declare(cython.double[128])
        hits = cython.declare(cython.int[1])
        distances = cython.declare(cython.double[1])
        serials = cython.declare(cython.int[1])
        mask: cython.int = -1 if groups is None else mask_of(groups)
        skip: cython.int = -1 if exclude is None else self.skip_of(exclude)
        if where is not None:
            found = self.k_nearest(x, y, 1, groups, min_distance, max_distance, exclude, where)
            return found[0] if found else None
        if not (-FAR <= x <= FAR and -FAR <= y <= FAR and 0.0 <= min_distance <= FAR) or not (
            min_distance <= max_distance
        ):
            refuse_nearest(x, y, min_distance, max_distance)
        if self.find_nearest(
            stack,
            nodes,
            hits,
            distances,
            serials,
            1,
            x,
            y,
            min_distance * min_distance,
            max_distance * max_distance,
            -1,
            skip,
            mask,
        ):
            return self._items[hits[0]]
        return None

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
        """The k units nearest to a point, nearest first; fewer if there are not so many.

        Takes the arguments of `nearest`, ties in the order of adding. One walk finds up to 64; for
        more, each further walk goes on behind the last one found.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            k: How many, at least 1.
            groups: A mask; only units with one of these groups. None for all.
            min_distance: Nearer units do not count.
            max_distance: Farther units do not count.
            exclude: A unit to leave out, such as the one that asks.
            where: Called with a unit, says whether it counts. Asked nearest first, and no more
                often than needed. It must not change the tree.

        Returns:
            The units, nearest first.

        Raises:
            ValueError: As `nearest`, or k < 1.
        """
        stack = cython.declare(cython.int[128])
        nodes = cython.declare(cython.double[128])
        hits = cython.declare(cython.int[64])
        distances = cython.declare(cython.double[64])
        serials = cython.declare(cython.int[64])
        mask: cython.int = -1 if groups is None else mask_of(groups)
        skip: cython.int = -1 if exclude is None else self.skip_of(exclude)
        least2: cython.double = min_distance * min_distance
        limit2: cython.double = max_distance * max_distance
        after: cython.int = -1
        n: cython.int
        wanted: cython.int
        if not (-FAR <= x <= FAR and -FAR <= y <= FAR and 0.0 <= min_distance <= FAR) or not (
            min_distance <= max_distance
        ):
            refuse_nearest(x, y, min_distance, max_distance)
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k!r}")
        left: cython.Py_ssize_t = k if k <= NEAR or k <= self.count else self.count + 1
        found: Any = None if where is None else []  # one walk is mostly enough: its list is taken
        wanted = cython.cast(cython.int, min(left if where is None else left + 3, NEAR))
        while True:
            n = self.find_nearest(
                stack,
                nodes,
                hits,
                distances,
                serials,
                wanted,
                x,
                y,
                least2,
                limit2,
                after,
                skip,
                mask,
            )
            if n == wanted:  # there may be more: the next walk starts behind the last one
                least2 = distances[n - 1]
                after = serials[n - 1]
            candidates: list[Any] = self.items_of(hits, n, -1)
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
                            return found
            if n < wanted or left == 0:
                return found
            wanted = cython.cast(cython.int, min(left, NEAR)) if where is None else NEAR

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
        """The units whose footprint a shot or a look touches on its way.

        Args:
            x0: Where it starts, in world units.
            y0: Where it starts, in world units.
            x1: Where it ends.
            y1: Where it ends.
            width: Of the way: the diameter of a disc that moves along the segment. 0 for a line.
            groups: A mask; only units with one of these groups. None for all.
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
        skip: cython.int = -1 if exclude is None else self.skip_of(exclude)
        check_position(x0, "x0")
        check_position(y0, "y0")
        check_position(x1, "x1")
        check_position(y1, "y1")
        check_distance(width, "width")
        return self.touched_by(x0, y0, x1, y1, width / 2, -1.0, mask, skip)

    def sweep(self, item: Hashable, x: float, y: float, groups: int | None = None) -> list[Any]:
        """The units that a unit's footprint would touch on a straight way to another place.

        However fast it is, it does not tunnel: the whole way counts. The unit itself stays where
        it is; move it as far as the answer allows.

        Args:
            item: The unit; its way starts where it stands.
            x: Where the way ends, in world units.
            y: Where the way ends, in world units.
            groups: A mask; only units with one of these groups. None for all.

        Returns:
            The others in the order of first touch, those touched from the start first, ties in
            the order of adding.

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
        place: cython.int = self.record[3 * slot + 1]
        mask: cython.int = mask_of(groups)
        check_position(x, "x")
        check_position(y, "y")
        return self.touched_by(
            self.px[place],
            self.py[place],
            x,
            y,
            self.half_w[slot],
            self.half_h[slot],
            mask,
            slot,
        )

    def pairs(self, groups: int | None = None, against: int | None = None) -> list[tuple[Any, Any]]:
        """All pairs of units whose footprints overlap.

        Args:
            groups: A mask; one unit of each pair has one of these groups. None for all.
            against: A mask; the other unit has one of these. None for the same as `groups`.

        Returns:
            (a, b) of each pair once, a added before b; sorted by the order of adding.

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
        serials = np.frombuffer(self.record, np.int32)[2::3]
        pairs = self.pairs_many(groups, against)
        order = np.lexsort((serials[pairs[:, 1]], serials[pairs[:, 0]]))
        return [(items[a], items[b]) for a, b in pairs[order].tolist()]

    # -- inspecting --------------------------------------------------------------------------------

    def explain(self, verb: str, *args: Any, **options: Any) -> Explanation:
        """What a question costs here: how much of the tree it looks at, and what it leaves out.

        Slow, as it walks in Python. For the question why a query is, not for every frame.

        Args:
            verb: "query", "within", "count_within", "nearest", "k_nearest", "segment", "sweep"
                or "pairs".
            args: What the verb is asked.
            options: What it is asked by name.

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
        return explain_dynamic(self, verb, *args, **options)

    def check(self) -> None:
        """Prove every invariant of the tree, for tests. O(n).

        Raises:
            AssertionError: One does not hold, which is a bug of tilequad.
        """
        self._check_units()
        assert len(self._slots) == self.count, "units and items are miscounted"
        serials = [self.record[3 * slot + 2] for slot in self._slots.values()]
        assert serials == sorted(serials), "the order of adding is broken"
        for item, slot in self._slots.items():
            assert self._items[slot] is item, f"{item!r} is not in its slot"

    # -- helpers -----------------------------------------------------------------------------------

    def touched_by(
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
        """The units that a footprint touches on its way, in order, without slot skip."""
        stack = cython.declare(cython.int[128])
        leaves = cython.declare(cython.int[66])
        hits = cython.declare(cython.int[256])
        times = cython.declare(cython.double[256])
        i: cython.int
        n: cython.int = HITS
        stack[0], stack[1], leaves[0], leaves[1] = 1, 0, 0, -1
        touched: list[Any] = []
        while n == HITS:
            n = self.find_on_segment(
                stack, leaves, hits, times, x0, y0, x1, y1, half_w, half_h, groups
            )
            for i in range(n):
                if hits[i] != skip:
                    touched.append((times[i], self.record[3 * hits[i] + 2], hits[i]))
        touched.sort()
        items: list[Any] = self._items
        return [items[slot] for _, _, slot in touched]

    def skip_of(self, exclude: Hashable) -> cython.int:
        """The slot to leave out; -1 if that is no unit of this tree."""
        return self._slots.get(exclude, -1)

    def items_of(self, hits: cython.p_int, n: cython.int, skip: cython.int) -> list[Any]:
        """The units in n slots, without slot skip; the slots close up over it."""
        i: cython.Py_ssize_t
        kept: cython.Py_ssize_t = n
        if skip >= 0:
            kept = 0
            for i in range(n):
                hits[kept] = hits[i]
                kept += hits[i] != skip
        items: list[Any] = self._items
        found: list[Any] = [None] * kept
        for i in range(kept):
            found[i] = items[hits[i]]
        return found


# -- helpers ---------------------------------------------------------------------------------------


def checked_mask(groups: int) -> int:
    """A unit's groups, checked; None is no mask for a unit."""
    if groups is None:
        raise ValueError("groups must be in 1 .. 2**32 - 1, got None")
    return mask_of(groups)


def refuse_ring(x: float, y: float, radius: float, min_radius: float) -> None:
    """Say what is wrong with the arguments of `within`."""
    check_position(x, "x")
    check_position(y, "y")
    check_distance(radius, "radius")
    check_distance(min_radius, "min_radius")
    raise ValueError(f"min_radius must be <= radius, got {min_radius!r} and {radius!r}")


def refuse_nearest(x: float, y: float, min_distance: float, max_distance: float) -> None:
    """Say what is wrong with the arguments of `nearest`."""
    check_position(x, "x")
    check_position(y, "y")
    check_limits(min_distance, max_distance)


def half_of(size: Sequence[float], radius: float) -> tuple[float, float]:
    """Check width and height, and return half of them."""
    if radius != 0.0:
        raise ValueError(f"radius and size exclude each other, got {radius!r} and {size!r}")
    try:
        width, height = (float(number) for number in size)
    except (TypeError, ValueError):
        raise ValueError(f"size must be two numbers, got {size!r}") from None
    check_distance(width, "size")
    check_distance(height, "size")
    return width / 2, height / 2

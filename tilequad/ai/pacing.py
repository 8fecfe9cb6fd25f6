"""Spread work over the ticks: recurring work by an interval, other work by a budget per tick."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army.seekers import SeekerState, read_seekers
from tilequad._core.arrays import own_array, refuse_rows, refuse_slot, unique_slots
from tilequad._core.checks import checked_at_least, finite_number, slot_of, whole
from tilequad._core.shown import shown
from tilequad._core.tree.rows import BUDGET, STAGGER, RowReader
from tilequad._core.tree.units import slots_of
from tilequad.ai._checks import tree_like
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.dynamic import store_of

__all__ = ["Stagger", "TickBudget"]

MOST_NUMBERS = 1 << 24  # the most members without a tree: one wrong number must not fill the memory


class _Members:
    """Who has asked, by slot or number. A new serial in a slot means a new unit."""

    def __init__(self, units: Any, per_tick: float = 0.0) -> None:
        self._tree = None if units is None else tree_like(units)
        self._state = SeekerState(per_tick)

    def forget(self, item: Hashable) -> None:
        """Forget a member, as if it had never asked. Units that are removed need not be forgotten.

        Raises:
            KeyError: The unit is not in the tree.
        """
        self._state.forget(self._member(item)[0])

    def _member(self, item: Any) -> tuple[int, int]:
        """Return the slot and the serial of a unit, or a number and 0."""
        if self._tree is not None:
            return slot_of(self._tree, item, "item"), self._tree.serial(item)
        number = whole(item, "numbers")
        if not 0 <= number < MOST_NUMBERS:
            raise ValueError(f"numbers must be in 0 .. 2**24 - 1, got {shown(item)}")
        return number, 0

    def _members(self, slots: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return what `_member` does for many, each once."""
        given = own_array(slots, "slots", None)
        if self._tree is None and given.dtype.kind in "iu":
            wrong = (given < 0) | (given >= MOST_NUMBERS)
            refuse_rows(given, wrong, "slots must be in 0 .. 2**24 - 1")
        members: NDArray[np.int32] = unique_slots(given)
        if self._tree is None:
            return members, np.zeros(len(members), np.int64)
        serials: NDArray[np.int64] = self._tree.serial_many(members)
        if (serials < 0).any():
            refuse_slot(members, int((serials < 0).argmax()))
        return members, serials

    # -- for `pack` and `unpack` ---

    def _packed(self, slots: int) -> dict[str, memoryview]:
        return self._state.rows(MOST_NUMBERS if self._tree is None else slots)

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        slots = MOST_NUMBERS if self._tree is None else slots_of(store_of(tree))
        state = read_seekers(reader, slots, self._state.queue.per_tick)
        return partial(setattr, self, "_state", state)


class Stagger(_Members):
    """Spread recurring work over the ticks: every member is due once per interval.

    A thousand towers that look for a target every six ticks should not all look in the same tick.
    Ask each tick who is due. Each member has its own offset in the interval, as far from the
    earlier ones as possible. Offsets depend only on the order in which the members first asked, so
    a replay does the same work in the same tick.

    Members are the units of a tree. A unit that is removed is forgotten. Without a tree, members
    are numbers that you choose, from 0 on, such as the rows of your own arrays.

    The state can be pickled and copied together with the tree.

    Args:
        every: The interval, in ticks or seconds: the unit of the `now` passed to `due`. 0 means
            always due.
        units: The tree that holds the members. None means that members are numbers.

    Raises:
        ValueError: `every` is negative, infinite or NaN.

    Example:
        >>> from tilequad.ai import Stagger
        >>> stagger = Stagger(every=5)
        >>> [sum(stagger.due(number, tick) for number in range(100)) for tick in range(8)]
        [100, 19, 20, 20, 20, 21, 19, 20]
    """

    _kind = STAGGER

    def __init__(self, every: float, *, units: Any = None) -> None:
        super().__init__(units)
        self._every = checked_at_least(0, every, "every")

    def __repr__(self) -> str:
        return f"<Stagger every {self._every:g}: {self._state.count} members>"

    @property
    def every(self) -> float:
        """The interval, in the unit of `now`."""
        return self._every

    def due(self, item: Hashable, now: float) -> bool:
        """Return whether a new interval of a member has begun since it last asked.

        The first call for a member returns True. Its next turn comes within one interval, and then
        one in each. Missed turns count once, so a pause is not followed by a burst.

        Args:
            item: A unit of the tree, or a number if there is no tree.
            now: The game's clock, in ticks or seconds.

        Raises:
            KeyError: The unit is not in the tree.
            TypeError: There is no tree, and the number is not whole.
            ValueError: `now` is infinite or NaN, or a number is below 0, or 2**24 or more.

        Example:
            >>> from tilequad.ai import Stagger
            >>> stagger = Stagger(every=3)
            >>> [tick for tick in range(10) if stagger.due(0, tick)]
            [0, 3, 6, 9]
        """
        phase = self._phase(now)
        return self._state.due(*self._member(item), phase)

    def due_many(self, slots: ArrayLike, now: float) -> NDArray[np.bool_]:
        """Return which of many members are due, as `due` would one after the other.

        Args:
            slots: The slots of units, (n,), each once; or numbers if there is no tree.
            now: The game's clock, in ticks or seconds.

        Returns:
            (n,) bool.

        Raises:
            ValueError: As `due`, a number is not the slot of a unit, or a slot occurs twice.

        Example:
            >>> from tilequad.ai import Stagger
            >>> Stagger(every=3).due_many([0, 1, 2], now=7).tolist()
            [True, True, True]
        """
        phase = self._phase(now)
        return self._state.due_many(*self._members(slots), phase)

    def _phase(self, now: float) -> float:
        """The clock in intervals; NaN if every tick is due."""
        clock = finite_number(now, "now")
        return clock / self._every if self._every else nan


class TickBudget(_Members):
    """Limit the work of a tick: serve a fixed number of members, the longest waiting first.

    A thousand villagers whose trees are felled in one tick should not all search in the next one.
    Let each call `take` until it returns True, and search then. Members that ask in every tick are
    served in a fixed rotation; members that ask only when they need something are served in the
    order in which they first asked. Unused turns do not carry over to the next tick.

    Members are the units of a tree. A unit that is removed leaves the line. Without a tree, members
    are numbers that you choose, from 0 on.

    The state can be pickled and copied together with the tree.

    Args:
        per_tick: How many members may work in a tick, at least 1.
        units: The tree that holds the members. None means that members are numbers.

    Raises:
        TypeError: `per_tick` is not a whole number.
        ValueError: `per_tick` is below 1.

    Example:
        >>> from tilequad.ai import TickBudget
        >>> budget = TickBudget(per_tick=2)
        >>> for tick in range(3):
        ...     print([number for number in range(5) if budget.take(number, tick)])
        [0, 1]
        [2, 3]
        [0, 4]
    """

    _kind = BUDGET

    def __init__(self, per_tick: int, *, units: Any = None) -> None:
        most = whole(per_tick, "per_tick")
        if most < 1:
            raise ValueError(f"per_tick must be at least 1, got {shown(per_tick)}")
        super().__init__(units, float(min(most, 1 << 53)))

    def __repr__(self) -> str:
        return f"<TickBudget of {self.per_tick} a tick>"

    @property
    def per_tick(self) -> int:
        """How many members may work in a tick."""
        return int(self._state.queue.per_tick)

    def take(self, item: Hashable, now: float) -> bool:
        """Return whether a member may work in this tick; if not, it waits in line.

        After True it has left the line; the next call joins the line again.

        Args:
            item: A unit of the tree, or a number if there is no tree.
            now: The game's clock; another value is another tick.

        Raises:
            KeyError: The unit is not in the tree.
            TypeError: There is no tree, and the number is not whole.
            ValueError: `now` is infinite or NaN, or a number is below 0, or 2**24 or more.
        """
        clock = finite_number(now, "now")
        return self._state.take(*self._member(item), clock)

    def take_many(self, slots: ArrayLike, now: float) -> NDArray[np.bool_]:
        """Return which of many members may work, as `take` would one after the other.

        Args:
            slots: The slots of units, (n,), each once; or numbers if there is no tree.
            now: The game's clock; another value is another tick.

        Returns:
            (n,) bool.

        Raises:
            ValueError: As `take`, a number is not the slot of a unit, or a slot occurs twice.

        Example:
            >>> from tilequad.ai import TickBudget
            >>> TickBudget(per_tick=2).take_many([0, 1, 2], now=7).tolist()
            [True, True, False]
        """
        clock = finite_number(now, "now")
        return self._state.take_many(*self._members(slots), clock)

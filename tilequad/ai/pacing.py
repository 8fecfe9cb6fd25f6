"""Spread work over the ticks: recurring work by an interval, other work by a budget per tick."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from functools import partial
from math import floor, isfinite, nan
from operator import index
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army.lookups import slots_of
from tilequad._core.army.seekers import TicketQueue, beat_offset, queue_state
from tilequad._core.checks import whole
from tilequad._core.tree.rows import BUDGET, STAGGER, RowReader, need, row_from
from tilequad.ai._checks import checked_at_least
from tilequad.ai._slots import tree_of
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.dynamic import store_of

__all__ = ["Stagger", "TickBudget"]

MOST_NUMBERS = 1 << 24  # the most members without a tree: one wrong number must not fill the memory
NEVER = -1  # the serial of a member that has not asked yet


class _Members:
    """Who has asked, by slot or number. A new serial in a slot means a new unit."""

    # The arrays by member: their types and first values.
    _fields: ClassVar[dict[str, tuple[str, float]]]

    def __init__(self, units: Any) -> None:
        self._tree = None if units is None else tree_of(units)
        self._serials = array("q")
        for name, (kind, _) in self._fields.items():
            setattr(self, name, array(kind))

    def forget(self, item: Hashable) -> None:
        """Forget a member, as if it had never asked. Units that are removed need not be forgotten.

        Raises:
            KeyError: The unit is not in the tree.
        """
        number: Any = item
        member = index(number) if self._tree is None else self._tree.slot(item)
        if 0 <= member < len(self._serials):
            self._serials[member] = NEVER

    def _entered(self, item: Any) -> tuple[int, bool]:
        """Return a member's slot or number, and whether it asks for the first time."""
        serials = self._serials
        if self._tree is None:
            member, serial = index(item), 0
            if not 0 <= member < MOST_NUMBERS:
                raise ValueError(f"numbers must be in 0 .. 2**24 - 1, got {item!r}")
        else:
            member, serial = self._tree.slot(item), self._tree.serial(item)
        if member < len(serials):
            if serials[member] == serial:
                return member, False
        else:
            self._reserve(member + 1)
        serials[member] = serial
        return member, True

    def _entered_many(self, slots: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Check many members; return their slots or numbers, and which ask for the first time."""
        given = np.asarray(slots)
        if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size):
            raise ValueError(f"slots must be whole numbers, (n,), got {given.dtype} {given.shape}")
        members = given.astype(np.int64)
        if not len(members):
            return members, np.empty(0, np.bool_)
        wrong = (members < 0) | (members >= (MOST_NUMBERS if self._tree is None else 1 << 31))
        serials = np.zeros(len(members), np.int64)
        if self._tree is not None and not wrong.any():
            serials = self._tree.serial_many(members.astype(np.int32))
            wrong = serials < 0
        if wrong.any():
            row = int(wrong.argmax())
            kind = "in 0 .. 2**24 - 1" if self._tree is None else "slots of units"
            raise ValueError(f"slots must be {kind}, got {members[row]} in row {row}")
        highest = int(members.max())
        last = np.empty(highest + 1, np.int64)
        rows = np.arange(len(members))
        last[members] = rows
        twice = last[members] != rows
        if twice.any():
            raise ValueError(f"slots must be unique, got {members[twice][0]} twice")
        if highest >= len(self._serials):
            self._reserve(highest + 1)
        known = np.frombuffer(self._serials, np.int64)
        is_new = known[members] != serials
        known[members] = serials
        return members, is_new

    def _reserve(self, members: int) -> None:
        """Make room for this many members and some more."""
        more = members + members // 8 - len(self._serials)
        for name, (kind, first) in self._fields.items():
            getattr(self, name).extend(array(kind, [first]) * more)
        self._serials.extend(array("q", [NEVER]) * more)  # last: its length tells how many fit

    # -- for `pack` and `unpack` ---

    def _packed(self, slots: int) -> dict[str, memoryview]:
        n = len(self._serials) if self._tree is None else slots
        rows = {"listed": row_from("q", self._serials[:n])}
        for name, (kind, _) in self._fields.items():
            rows[name] = row_from(kind, getattr(self, name)[:n])
        return rows

    def _read_members(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> dict[str, Any]:
        """Read the attributes that `_packed` has written."""
        serials = reader.take("listed", "q")
        n = len(serials)
        need(n <= (MOST_NUMBERS if self._tree is None else slots_of(store_of(tree))), "the members")
        state = {name: reader.take(name, kind, n) for name, (kind, _) in self._fields.items()}
        return {"_serials": serials, **state}


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

    _fields: ClassVar = {"_offsets": ("d", 0.0), "_intervals": ("d", nan)}
    _offsets: array[float]
    _intervals: array[float]  # the interval in which a member was last due

    def __init__(self, every: float, *, units: Any = None) -> None:
        super().__init__(units)
        self._every = checked_at_least(0, every, "every")
        self._count = 0

    _kind = STAGGER

    def _packed(self, slots: int) -> dict[str, memoryview]:
        return {**super()._packed(slots), "count": row_from("q", [self._count])}

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        state = self._read_members(reader, tree)
        count = reader.take("count", "q", 1)[0]
        reader.end()
        need(0 <= count < 2**53 and all(map(isfinite, state["_offsets"])), "the beats")
        return partial(self.__dict__.update, state, _count=count)

    def __repr__(self) -> str:
        return f"<Stagger every {self._every:g}: {self._count} members>"

    @property
    def every(self) -> float:
        """The interval, in the unit of `now`."""
        return self._every

    def due(self, item: Hashable, now: float) -> bool:
        """Return whether a new interval of a member has begun since it last asked.

        The first call for a member returns True. After True, the next True comes one interval
        later. Missed intervals count once, so a pause is not followed by a burst.

        Args:
            item: A unit of the tree, or a number if there is no tree.
            now: The game's clock, in ticks or seconds.

        Raises:
            KeyError: The unit is not in the tree.
            TypeError: There is no tree, and the number is not whole.
            ValueError: `now` is infinite or NaN, or a number is below 0 or above 2**24.

        Example:
            >>> from tilequad.ai import Stagger
            >>> stagger = Stagger(every=3)
            >>> [tick for tick in range(10) if stagger.due(0, tick)]
            [0, 3, 6, 9]
        """
        if not isfinite(now):
            raise ValueError(f"now must be finite, got {now!r}")
        member, is_new = self._entered(item)
        if is_new:
            self._offsets[member] = beat_offset(self._count)
            self._intervals[member] = nan
            self._count += 1
        if self._every == 0:
            return True
        interval = floor(now / self._every + self._offsets[member])
        if interval == self._intervals[member]:
            return False
        self._intervals[member] = interval
        return True

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
        if not isfinite(now):
            raise ValueError(f"now must be finite, got {now!r}")
        members, is_new = self._entered_many(slots)
        offsets, intervals = np.frombuffer(self._offsets), np.frombuffer(self._intervals)
        if is_new.any():
            fresh = members[is_new]
            numbers = range(self._count, self._count + len(fresh))
            offsets[fresh] = list(map(beat_offset, numbers))
            intervals[fresh] = nan
            self._count += len(fresh)
        if self._every == 0:
            return np.ones(len(members), np.bool_)
        interval = np.floor(now / self._every + offsets[members])
        due: NDArray[np.bool_] = interval != intervals[members]
        intervals[members] = interval
        return due


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

    _fields: ClassVar = {"_tickets": ("q", -1)}
    _tickets: array[int]  # -1: not in the queue

    def __init__(self, per_tick: int, *, units: Any = None) -> None:
        super().__init__(units)
        if whole(per_tick, "per_tick") < 1:
            raise ValueError(f"per_tick must be at least 1, got {per_tick!r}")
        self._queue = TicketQueue(per_tick)

    _kind = BUDGET

    def _packed(self, slots: int) -> dict[str, memoryview]:
        return {**super()._packed(slots), **self._queue.rows()}

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        state = self._read_members(reader, tree)
        queue = queue_state(reader)
        reader.end()

        def become() -> None:
            self.__dict__.update(state)
            self._queue.__setstate__(queue)

        return become

    def __repr__(self) -> str:
        return f"<TickBudget of {self.per_tick} a tick>"

    @property
    def per_tick(self) -> int:
        """How many members may work in a tick."""
        return int(self._queue.per_tick)

    def take(self, item: Hashable, now: float) -> bool:
        """Return whether a member may work in this tick; if not, it waits in line.

        After True it has left the line; the next call joins the line again.

        Args:
            item: A unit of the tree, or a number if there is no tree.
            now: The game's clock; another value is another tick.

        Raises:
            KeyError: The unit is not in the tree.
            TypeError: There is no tree, and the number is not whole.
            ValueError: `now` is infinite or NaN, or a number is below 0 or above 2**24.
        """
        if not isfinite(now):
            raise ValueError(f"now must be finite, got {now!r}")
        member, is_new = self._entered(item)
        if is_new:
            self._tickets[member] = -1
        queue = self._queue
        queue.begin(now)
        ticket = self._tickets[member]
        if ticket < 0:
            ticket = queue.take(1)
        if ticket < queue.limit:
            self._tickets[member] = -1
            return True
        self._tickets[member] = ticket
        return False

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
        if not isfinite(now):
            raise ValueError(f"now must be finite, got {now!r}")
        members, is_new = self._entered_many(slots)
        if not len(members):
            return is_new  # nobody asks, so no new tick starts
        self._queue.begin(now)
        held = np.frombuffer(self._tickets, np.int64)
        tickets = held[members]
        tickets[is_new] = -1
        joins = tickets < 0
        count = int(joins.sum())
        tickets[joins] = self._queue.take(count) + np.arange(count)
        may: NDArray[np.bool_] = tickets < self._queue.limit
        held[members] = np.where(may, -1, tickets)
        return may

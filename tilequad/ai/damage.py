"""Damage under way: which enemies will die from shots in the air, so no tower wastes a shot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from math import fsum, inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.array_kinds import Numbers
from tilequad._core.arrays import checked_amounts, checked_numbers
from tilequad._core.checks import MAX_FLOAT, checked_at_least, slot_of, whole
from tilequad._core.layout import NONE
from tilequad._core.shown import shown
from tilequad._core.tree.rows import SHOTS, RowReader, need, need_all, row_from
from tilequad._core.tree.units import call_all, slots_of
from tilequad._core.turns import Turns
from tilequad.ai._checks import tree_like, unit_slots
from tilequad.ai.protocols import SpatialIndex
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.dynamic import store_of

__all__ = ["Damage"]

Health: TypeAlias = "Callable[[Any], float] | NDArray[Any]"
# The slot and the serial of the target, which say who it is as long as it lives; and the damage.
Record: TypeAlias = "tuple[int, int, float]"

MOST_SHOTS = 2**53  # the most in bytes that are read


class Damage:
    """Count the damage under way to each unit, so that towers skip units that will die anyway.

    Send a shot when a tower fires, and end it when it lands or misses; `Projectiles` does both by
    itself. Each shot has a number, and no two shots have the same. Nobody has to report a death:
    all shots at a unit end when the unit leaves the tree, and do not count for a unit that is added
    again.

    The state can be pickled and copied together with the tree, if `health` can.

    Cost: about a microsecond for each shot that is sent or ends, and for each unit that is shot at,
    in each question about many and each `target_many` with `damage=`; besides, at most 0.1 us for
    each shot under way to the same unit when one of them ends or the unit is asked about. While
    nothing is under way, it costs nothing.

    Args:
        units: The tree that holds the targets.
        health: How much damage a unit can take: a function of the unit, or an array by slot. It is
            read each time.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Damage, Targeting
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> for name, x in {"north": 10, "south": 11, "orc": 20, "rat": 30}.items():
        ...     units.add(name, x, 50, groups=2 if name in ("orc", "rat") else 1)
        >>> health = {"orc": 25, "rat": 5}
        >>> shots = Damage(units, health.get)
        >>> archers = Targeting(units, max_distance=50, groups=2, damage=shots)
        >>> arrow = shots.send(archers.target("north", now=0), 30)
        >>> shots.doomed("orc"), archers.target("south", now=0)
        (True, 'rat')
        >>> shots.land(arrow)
        'orc'
    """

    def __init__(self, units: SpatialIndex, health: Health) -> None:
        self._units = units
        self.health = health
        self._tree = tree_like(units)
        self._next = 0  # the number of the next shot
        self._shots: dict[int, Record] = {}
        # The numbers of the shots at each slot. Shots at an earlier unit in the slot are over.
        self._under_way: dict[int, list[int]] = {}
        self._turns = Turns("send, fire or end shots while they fly or others change")

    def __repr__(self) -> str:
        return f"<Damage: {len(list(self))} shots under way>"

    def __iter__(self) -> Iterator[int]:
        """The numbers of the shots under way to living units, by slot, then as they were sent."""
        for slot, serial in self._lives(self._slots()):
            yield from self._numbers(slot, serial)

    def __contains__(self, shot: object) -> bool:
        """Whether a shot has neither landed nor missed, whatever has become of its target."""
        return isinstance(shot, int | np.integer) and shot in self._shots

    @property
    def units(self) -> SpatialIndex:
        """The tree."""
        return self._units

    @property
    def health(self) -> Health:
        """The health of the units: a function of a unit, or an array by slot."""
        return self._health

    @health.setter
    def health(self, value: Health) -> None:
        if not callable(value) and not isinstance(value, np.ndarray):
            raise TypeError(f"health must be a function or an array, got {shown(value)}")
        self._health = value

    # -- shots ---

    def send(self, target: Hashable, damage: float) -> int:
        """Record a shot at a unit, and return its number. `land` or `miss` ends it.

        Args:
            target: The unit, in the tree.
            damage: How much it will take from the unit's health, at least 0.

        Raises:
            KeyError: The target is not in the tree.
            ValueError: `damage` is negative or not finite.
        """
        amount = checked_at_least(0, damage, "damage")
        slot = slot_of(self._tree, target, "target")
        with self._turns:
            number = self._next
            call_all(self._sending([slot], [amount]))
        return number

    def send_many(self, slots: ArrayLike, damage: ArrayLike) -> Numbers:
        """Record many shots, as `send` does.

        Args:
            slots: The slots of the targets, (n,), each as often as there are shots at it.
            damage: One number for all, or (n,).

        Returns:
            The numbers of the shots, (n,) int64.

        Raises:
            ValueError: A number is not the slot of a unit, or a damage is negative or not finite.
                Nothing is sent then.
        """
        targets = unit_slots(self._tree, slots)
        amounts = checked_amounts(damage, len(targets), "damage", MAX_FLOAT)
        each = np.broadcast_to(amounts, targets.shape).tolist()
        with self._turns:
            first = self._next
            call_all(self._sending(targets.tolist(), each))
        return np.arange(first, first + len(targets))

    def land(self, shot: int, on: Hashable = None) -> Any | None:
        """End a shot that hits something, and return the unit that is hit.

        Its damage is no longer under way. Taking it from the unit's health is up to the game.

        Args:
            shot: The number of a shot that is under way.
            on: The unit that it hits instead of its target. None means its target.

        Returns:
            `on`, or the target; None if that has left the tree since.

        Raises:
            ValueError: The shot has already landed or missed.
        """
        if not isinstance(on, Hashable):
            raise TypeError(f"on must be a unit, got {shown(on)}")
        hit = self.target(shot) if on is None else on if on in self._units else None
        self.miss(shot)
        return hit

    def land_many(self, shots: ArrayLike) -> NDArray[np.int32]:
        """End many shots that hit their targets, as `land` does.

        Args:
            shots: Their numbers, (n,), each once.

        Returns:
            The slots of the targets, (n,) int32; -1 for one that has left the tree since.

        Raises:
            ValueError: A shot has already landed or missed, or is given twice. None ends then.
        """
        hit = self.target_many(shots)
        self.miss_many(shots)
        return hit

    def miss(self, shot: int) -> None:
        """End a shot that hits nothing.

        Raises:
            ValueError: The shot has already landed or missed.
        """
        with self._turns:
            call_all(self._ending([self._known(shot)]))

    def miss_many(self, shots: ArrayLike) -> None:
        """End many shots that hit nothing, as `miss` does.

        Args:
            shots: Their numbers, (n,), each once.

        Raises:
            ValueError: A shot has already landed or missed, or is given twice. None ends then.
        """
        with self._turns:
            numbers = self._all_known(shots)
            if len(set(numbers)) < len(numbers):
                twice = next(number for number, n in Counter(numbers).items() if n > 1)
                raise ValueError(f"shots must be unique, got {twice} twice")
            call_all(self._ending(numbers))

    def target(self, shot: int) -> Any | None:
        """Return the unit that a shot was sent at; None if it has left the tree since.

        Raises:
            ValueError: The shot has already landed or missed.
        """
        slot, serial, _ = self._shots[self._known(shot)]
        try:
            unit = self._tree.item(slot)
        except ValueError:
            return None
        return unit if self._tree.serial(unit) == serial else None

    def target_many(self, shots: ArrayLike) -> NDArray[np.int32]:
        """Return the units that many shots were sent at, by slots.

        Args:
            shots: The numbers of the shots, (n,).

        Returns:
            The slots of the targets, (n,) int32; -1 for one that has left the tree since.

        Raises:
            ValueError: A shot has already landed or missed.
        """
        records = [self._shots[number] for number in self._all_known(shots)]
        slots = np.array([slot for slot, _, _ in records], np.int32)
        serials = np.array([serial for _, serial, _ in records], np.int64)
        slots[(self._tree.serial_many(slots) != serials) | (serials < 0)] = NONE
        return slots

    def amount(self, shot: int) -> float:
        """Return how much a shot will take from the health of its target.

        Raises:
            ValueError: The shot has already landed or missed.
        """
        return self._shots[self._known(shot)][2]

    # -- units ---

    def under_way(self, unit: Hashable) -> float:
        """Return the total damage under way to a unit.

        Raises:
            KeyError: The unit is not in the tree.
        """
        return self._sum(slot_of(self._tree, unit, "unit"), self._tree.serial(unit))

    def under_way_many(self, slots: ArrayLike) -> NDArray[np.float64]:
        """Return the total damage under way to each of many units.

        Args:
            slots: The slots of the units, (n,).

        Returns:
            Sums of damage, (n,) float64.

        Raises:
            ValueError: A number is not the slot of a unit.
        """
        lives, shot_at = self._lives(unit_slots(self._tree, slots)), self._under_way
        return np.array([self._sum(slot, serial) if slot in shot_at else 0.0
                         for slot, serial in lives], float)  # fmt: skip

    def doomed(self, unit: Hashable) -> bool:
        """Return whether damage is under way to a unit, and enough to end it.

        Raises:
            KeyError: The unit is not in the tree.
            ValueError: The unit's health is NaN.
        """
        return self._is_doomed(slot_of(self._tree, unit, "unit"), self._tree.serial(unit))

    def doomed_many(self, slots: ArrayLike) -> NDArray[np.bool_]:
        """Return whether damage is under way to each of many units, and enough to end it.

        Args:
            slots: The slots of the units, (n,).

        Returns:
            Whether each unit is doomed, (n,) bool.

        Raises:
            ValueError: A number is not the slot of a unit, or a unit's health is NaN.
        """
        lives, shot_at = self._lives(unit_slots(self._tree, slots)), self._under_way
        return np.array([slot in shot_at and self._is_doomed(slot, serial)
                         for slot, serial in lives], bool)  # fmt: skip

    def _doomed_slots(self) -> NDArray[np.int32]:
        """The slots of all units that are doomed, (n,) int32, ascending."""
        lives = self._lives(self._slots())
        return np.array([slot for slot, serial in lives if self._is_doomed(slot, serial)], np.int32)

    def _slots(self) -> NDArray[np.int32]:
        """The slots with shots under way, to units there now or before: (n,) int32, ascending."""
        return np.array(sorted(self._under_way), np.int32)

    def _lives(self, slots: NDArray[np.int32]) -> Iterable[tuple[int, int]]:
        """Each slot with the serial of the unit that is in it now."""
        return zip(slots.tolist(), self._tree.serial_many(slots).tolist(), strict=True)

    def _is_doomed(self, slot: int, serial: int) -> bool:
        if slot not in self._under_way:
            return False
        total = self._sum(slot, serial)
        return total > 0 and total >= self._health_of(slot)

    def _health_of(self, slot: int) -> float:
        if isinstance(self._health, np.ndarray):
            if slot >= len(self._health):
                raise ValueError(f"health has no number for slot {slot}")
            health = self._health[slot].item()
        else:
            health = self._health(self._tree.item(slot))
        if health is None or health != health:
            unit = self._tree.item(slot)
            raise ValueError(f"health must be a number, got {shown(health)} for {shown(unit)}")
        return health  # type: ignore[no-any-return]

    def _sum(self, slot: int, serial: int) -> float:
        # An exact sum: shots that have ended leave no rounding error behind.
        return fsum(self._shots[number][2] for number in self._numbers(slot, serial))

    def _numbers(self, slot: int, serial: int) -> list[int]:
        """The numbers of the shots under way to the unit with a serial, which is in a slot."""
        numbers, life = self._under_way.get(slot, []), (slot, serial)
        return [number for number in numbers if self._shots.get(number, ())[:2] == life]

    def _knows_last(self, slot: int, serial: int) -> bool:
        """Whether the last shot at a slot is under way to the unit with a serial, which is there.

        Then all that were sent before it and are known are as well.
        """
        numbers = self._under_way.get(slot, [])
        return bool(numbers) and self._shots.get(numbers[-1], ())[:2] == (slot, serial)

    # -- changes: functions for `call_all`, which no signal interrupts. If memory runs out, what is
    # at a slot may name shots that are not known, which do not count.

    def _sending(self, slots: list[int], amounts: list[float]) -> list[Callable[[], Any]]:
        """Return what records shots at units."""
        shots: dict[int, Record] = {}
        under_way: dict[int, list[int]] = {}
        lives = dict(self._lives(np.array(slots, np.int32)))
        rows = enumerate(zip(slots, amounts, strict=True), self._next)
        for number, (slot, amount) in rows:
            under_way.setdefault(slot, []).append(number)
            shots[number] = slot, lives[slot], amount
        fresh: dict[int, list[int]] = {}
        longer: list[Callable[[], Any]] = []
        for slot, new in under_way.items():
            if self._knows_last(slot, lives[slot]):
                longer.append(partial(self._under_way[slot].extend, new))
            else:
                fresh[slot] = [*self._numbers(slot, lives[slot]), *new]
        return [
            partial(self._under_way.update, fresh),
            *longer,
            partial(self._shots.update, shots),
            partial(setattr, self, "_next", self._next + len(slots)),
        ]

    def _ending(self, numbers: list[int]) -> list[Callable[[], Any]]:
        """Return what ends shots; those that have ended already are left out."""
        shots, under_way = self._shots, self._under_way
        over = shots.keys() & numbers
        slots = {shots[number][0] for number in over} & under_way.keys()
        left = {slot: [one for one in under_way[slot] if one not in over] for slot in slots}
        kept = {slot: ones for slot, ones in left.items() if ones}
        return [
            *(partial(shots.pop, number, None) for number in over),
            partial(under_way.update, kept),
            *(partial(under_way.pop, slot, None) for slot in left.keys() - kept.keys()),
        ]

    def _known(self, shot: Any) -> int:
        """Check the number of a shot that has not ended."""
        number = whole(shot, "shot")
        if number not in self._shots:
            if not 0 <= number < self._next:
                raise ValueError(f"shot must be the number of a shot, got {shown(shot)}")
            raise ValueError(f"shot {number} has already landed or missed")
        return number

    def _all_known(self, shots: ArrayLike) -> list[int]:
        """Check the numbers of shots that have not ended."""
        numbers: list[int] = checked_numbers(shots, "shots").tolist()
        for number in numbers:
            if number not in self._shots:
                raise ValueError(f"shots must be under way, got {number}")
        return numbers

    # -- for `pack` and `unpack` ---

    _kind = SHOTS

    def _packed(self, slots: int) -> dict[str, memoryview]:
        numbers = sorted(self._shots)
        targets = self.target_many(numbers)
        records = [self._shots[number] for number in numbers]
        serials = np.array([serial for _, serial, _ in records], np.int64)
        return {
            "listed": row_from("q", numbers),
            "next": row_from("q", [self._next]),
            "slots": row_from("i", targets),
            "serials": row_from("q", np.where(targets == NONE, NONE, serials)),
            "damage": row_from("d", [amount for _, _, amount in records]),
        }

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        numbers = reader.take("listed", "q")
        n = len(numbers)
        next_number = reader.take("next", "q", 1)[0]
        slots, serials = reader.take("slots", "i", n), reader.take("serials", "q", n)
        amounts = reader.take("damage", "d", n)
        reader.end()
        need(0 <= next_number < MOST_SHOTS, "the number of shots")
        listed = np.array([NONE, *numbers, next_number])
        need_all(listed[1:] > listed[:-1], "the order of shots")
        need(all(0.0 <= amount < inf for amount in amounts), "the damage of a shot")
        at = np.array(slots, np.int32)
        need_all((at >= NONE) & (at < slots_of(store_of(tree))), "the slot of a shot")
        need(tree.serial_many(at).tolist() == serials.tolist(), "the target of a shot")
        records = zip(slots, serials, amounts, strict=True)
        shots = dict(zip(numbers, records, strict=True))
        under_way: dict[int, list[int]] = {}
        for number, (slot, _, _) in shots.items():
            if slot != NONE:
                under_way.setdefault(slot, []).append(number)
        restored = {"_next": next_number, "_shots": shots, "_under_way": under_way}
        return partial(self.__dict__.update, restored)

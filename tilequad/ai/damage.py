"""Damage under way: which enemies will die from shots in the air, so no tower wastes a shot."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from math import fsum, inf
from operator import le
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.shown import shown
from tilequad._core.tree.rows import SHOTS, RowReader, need, row_from
from tilequad._core.tree.units import slots_of
from tilequad.ai._checks import checked_at_least
from tilequad.ai._slots import slot_of, tree_like, unit_at, unit_slots
from tilequad.ai.protocols import SpatialIndex
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.dynamic import store_of

__all__ = ["Damage", "Shot"]

Health: TypeAlias = "Callable[[Any], float] | NDArray[Any]"


class Damage:
    """Count the damage under way to each unit, so that towers skip units that will die anyway.

    Send a shot when a tower fires, and end it when it lands or misses. Nobody has to report a
    death: all shots at a unit end when the unit leaves the tree, and do not count for a unit that
    is added again.

    Cost: about a microsecond for each unit that is shot at, in each question about many and each
    `target_many` with `damage=`. While nothing is under way, it costs nothing.

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
        # The shots at each slot. Shots at an earlier unit in the slot are over.
        self._under_way: dict[int, list[Shot]] = {}

    def __repr__(self) -> str:
        return f"<Damage: {len(list(self))} shots under way>"

    def __iter__(self) -> Iterator[Shot]:
        """The shots under way to living units, by slot, then in the order they were sent."""
        for slot, serial in self._lives(self._slots()):
            yield from self._shots(slot, serial)

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

    def send(self, target: Hashable, damage: float) -> Shot:
        """Record a shot at a unit. Keep the shot: `land` or `miss` ends it.

        Args:
            target: The unit, in the tree.
            damage: How much it will take from the unit's health, at least 0.

        Raises:
            KeyError: The target is not in the tree.
            ValueError: `damage` is negative or not finite.
        """
        amount = checked_at_least(0, damage, "damage")
        slot = slot_of(self._tree, target, "target")
        serial = self._tree.serial(target)
        shot = Shot(slot, serial, amount)
        self._under_way[slot] = [*self._shots(slot, serial), shot]
        return shot

    def land(self, shot: Shot, on: Hashable = None) -> Any | None:
        """End a shot that hits something, and return the unit that is hit.

        Its damage is no longer under way. Taking it from the unit's health is up to the game.

        Args:
            shot: A shot that is under way.
            on: The unit that it hits instead of its target. None means its target.

        Returns:
            `on`, or the target; None if that has left the tree since.

        Raises:
            ValueError: The shot has already landed or missed.
        """
        if not isinstance(on, Hashable):
            raise TypeError(f"on must be a unit, got {shown(on)}")
        hit = self.target(shot) if on is None else on if on in self._units else None
        self._end(shot)
        return hit

    def miss(self, shot: Shot) -> None:
        """End a shot that hits nothing.

        Raises:
            ValueError: The shot has already landed or missed.
        """
        self._end(shot)

    def target(self, shot: Shot) -> Any | None:
        """Return the unit that a shot was sent at; None if it has left the tree since."""
        _check_shot(shot)
        return unit_at(self._tree, shot._slot, shot._serial)

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
        return fsum(shot._damage for shot in self._shots(slot, serial))

    def _shots(self, slot: int, serial: int) -> list[Shot]:
        """Return the shots under way to the unit with a serial, which is in a slot."""
        shots = self._under_way.get(slot, [])
        if shots and shots[0]._serial != serial:
            return []
        return [shot for shot in shots if not shot._is_over]  # one may be, if `_end` was cut short

    # -- for `pack` and `unpack` ---

    _kind = SHOTS

    def _packed(self, slots: int) -> dict[str, memoryview]:
        shots = list(self)
        return {
            "listed": row_from("i", [shot._slot for shot in shots]),
            "serials": row_from("q", [shot._serial for shot in shots]),
            "damage": row_from("d", [shot.damage for shot in shots]),
        }

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        slots = reader.take("listed", "i")
        n = len(slots)
        serials, damage = reader.take("serials", "q", n), reader.take("damage", "d", n)
        reader.end()
        need(all(0.0 <= amount < inf for amount in damage), "the damage of a shot")
        need(all(0 <= slot < slots_of(store_of(tree)) for slot in slots), "the slot of a shot")
        need(tree.serial_many(slots).tolist() == serials.tolist(), "the target of a shot")
        need(all(map(le, slots, slots[1:])), "the order of shots")
        under_way: dict[int, list[Shot]] = {}
        for row in zip(slots, serials, damage, strict=True):
            under_way.setdefault(row[0], []).append(Shot(*row))
        return partial(setattr, self, "_under_way", under_way)

    def _end(self, shot: Shot) -> None:
        _check_shot(shot)
        if shot._is_over:
            raise ValueError(f"{shot!r} has already landed or missed")
        shot._is_over = True
        shots = [other for other in self._under_way.get(shot._slot, []) if not other._is_over]
        if shots:
            self._under_way[shot._slot] = shots
        else:
            self._under_way.pop(shot._slot, None)


def _check_shot(shot: Any) -> None:
    if not isinstance(shot, Shot):
        raise TypeError(f"shot must be a Shot, got {shown(shot)}")


class Shot:
    """One shot under way. Made by `Damage.send`."""

    __slots__ = ("_damage", "_is_over", "_serial", "_slot")

    def __init__(self, slot: int, serial: int, damage: float) -> None:
        self._slot = slot
        self._serial = serial  # the target's serial: a unit added again is another one
        self._damage = damage
        self._is_over = False

    @property
    def damage(self) -> float:
        """How much it will take from the health of its target."""
        return self._damage

    @property
    def is_over(self) -> bool:
        """Whether it has landed or missed.

        The death of its target does not change that: then `Damage.land` returns None.
        """
        return self._is_over

    def __repr__(self) -> str:
        return f"<Shot of {self._damage:g} at slot {self._slot}{', over' if self._is_over else ''}>"

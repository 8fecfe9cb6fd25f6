"""All units of the game in one quadtree, and the same queries without it.

The demo's `B` key switches between the two. Brute force is what most games start with: lists by
group, and a loop over them for each query. Both give the same answers, so the game goes on
the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from math import inf
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from tilequad import Bounds, DynamicQuadtree
from tilequad.ai import separate_many

ENEMY, VILLAGER, TREE, TOWER, DROP_OFF, SHELTER, QUARRY, TAKEN = (1 << bit for bit in range(8))


class Unit(Hashable, Protocol):
    """The attributes that every unit of the game has."""

    x: float
    y: float
    radius: float
    mass: float
    groups: int
    slot: int
    """Its row in the arrays of `UnitRegistry`; set when the unit is added."""


class UnitRegistry:
    """All units of the game, and a timer for the queries.

    Has the methods of `tilequad.ai.SpatialIndex` and `tilequad.ai.BatchIndex`, and the attribute
    `tree`, so it can be passed to `tilequad.ai` in place of a tree.

    Args:
        bounds: Where most units are.

    Attributes:
        tree: The quadtree.
        brute_force: Whether loops answer the queries instead of the tree.
        seconds: Time spent on queries so far.
        xy: Positions, one row per slot of the tree.
    """

    def __init__(self, bounds: Bounds) -> None:
        self.tree = DynamicQuadtree(bounds)
        self.brute_force = False
        self.seconds = 0.0
        self.xy = np.zeros((1024, 2))
        self._radius, self._mass = np.zeros(1024), np.ones(1024)
        self._by_groups: dict[int, dict[Unit, None]] = {}

    def add(self, unit: Unit) -> None:
        """Add a unit at its position."""
        self.tree.add(unit, unit.x, unit.y, radius=unit.radius, groups=unit.groups)
        self._register(unit, self.tree.slot(unit))

    def add_all(self, units: Sequence[Unit]) -> None:
        """Add many units at once."""
        xy = np.array([(unit.x, unit.y) for unit in units]).reshape(-1, 2)
        slots = self.tree.add_many(
            units,
            xy,
            radius=[unit.radius for unit in units],
            groups=np.array([unit.groups for unit in units], np.uint32),
        )
        for unit, slot in zip(units, slots.tolist(), strict=True):
            self._register(unit, slot)

    def move(self, unit: Unit, x: float, y: float) -> None:
        """Move a unit to a new position."""
        unit.x, unit.y = self.xy[unit.slot] = x, y
        self.tree.move(unit, x, y)

    def move_all(self, units: Sequence[Unit], xy: np.ndarray) -> None:
        """Move many units; `xy` has one row per unit."""
        slots = np.array([unit.slot for unit in units], np.int32)
        self.tree.move_many(slots, xy)
        self.xy[slots] = xy
        for unit, (x, y) in zip(units, xy.tolist(), strict=True):
            unit.x, unit.y = x, y

    def remove(self, unit: Unit) -> None:
        """Remove a unit."""
        self.tree.remove(unit)
        del self._by_groups[unit.groups][unit]

    def position(self, unit: Unit) -> tuple[float, float]:
        """Return the position of a unit."""
        return self.tree.position(unit)

    def slot(self, unit: Unit) -> int:
        """Return the slot of a unit."""
        return self.tree.slot(unit)

    def items(self, slots: np.ndarray) -> list[Any]:
        """Return the units in slots."""
        return self.tree.items(slots)

    def nodes(self) -> np.ndarray:
        """Return the boxes of the tree's nodes, for an overlay."""
        return self.tree.nodes()

    def separate(self, groups: int) -> None:
        """Push overlapping units apart."""
        slots = separate_many(self, self.xy, self._radius, mass=self._mass, groups=groups)
        positions = self.xy[slots].tolist()
        for unit, (x, y) in zip(self.tree.items(slots), positions, strict=True):
            unit.x, unit.y = x, y

    def move_many(self, slots: np.ndarray, xy: np.ndarray) -> None:
        """Move the units in these slots. `separate_many` calls this and writes `self.xy` itself."""
        self.tree.move_many(slots, xy)

    def __contains__(self, unit: object) -> bool:
        return unit in self.tree

    def __len__(self) -> int:
        return len(self.tree)

    # -- queries: by the tree, or by a loop --

    def query(self, bounds: Sequence[float], groups: int | None = None) -> list[Any]:
        """Return the units whose footprints overlap a box."""
        started = perf_counter()
        if self.brute_force:
            min_x, min_y, max_x, max_y = bounds
            found = [
                unit
                for unit in self._in_groups(groups)
                if (dx := max(min_x - unit.x, 0.0, unit.x - max_x)) * dx
                + (dy := max(min_y - unit.y, 0.0, unit.y - max_y)) * dy
                <= unit.radius * unit.radius
            ]
        else:
            found = self.tree.query(bounds, groups=groups)
        self.seconds += perf_counter() - started
        return found

    def within(
        self,
        x: float,
        y: float,
        radius: float,
        groups: int | None = None,
        min_radius: float = 0.0,
        exclude: Any = None,
    ) -> list[Any]:
        """Return the units with positions between `min_radius` and `radius` from a point."""
        started = perf_counter()
        if self.brute_force:
            low, high = min_radius * min_radius, radius * radius
            found = [
                unit
                for unit in self._in_groups(groups)
                if low <= (unit.x - x) * (unit.x - x) + (unit.y - y) * (unit.y - y) <= high
                and unit is not exclude
            ]
        else:
            found = self.tree.within(
                x, y, radius, groups=groups, min_radius=min_radius, exclude=exclude
            )
        self.seconds += perf_counter() - started
        return found

    def nearest(
        self,
        x: float,
        y: float,
        groups: int | None = None,
        min_distance: float = 0.0,
        max_distance: float = inf,
        exclude: Any = None,
        where: Callable[[Any], bool] | None = None,
    ) -> Any | None:
        """Return the nearest unit that passes `where`, or None."""
        started = perf_counter()
        if self.brute_force:
            low, best, found = min_distance * min_distance, max_distance * max_distance, None
            for unit in self._in_groups(groups):
                square = (unit.x - x) * (unit.x - x) + (unit.y - y) * (unit.y - y)
                closer = low <= square < best or (square == best and found is None)
                if closer and unit is not exclude and (where is None or where(unit)):
                    best, found = square, unit
        else:
            found = self.tree.nearest(
                x,
                y,
                groups=groups,
                min_distance=min_distance,
                max_distance=max_distance,
                exclude=exclude,
                where=where,
            )
        self.seconds += perf_counter() - started
        return found

    def pairs_many(self, groups: int | None = None, against: int | None = None) -> np.ndarray:
        """Return the slots of each overlapping pair, sorted, so both ways give the same order.

        Args:
            groups: Mask; both units of a pair are in these groups. None means all.
            against: Part of `BatchIndex`; this game only asks for pairs within `groups`.
        """
        if against not in (None, groups):
            raise NotImplementedError("pairs between two masks")
        started = perf_counter()
        if self.brute_force:
            found = np.array(self._pairs_by_brute_force(groups), np.int32).reshape(-1, 2)
        else:
            found = self.tree.pairs_many(groups)
        self.seconds += perf_counter() - started
        ordered: np.ndarray = found[np.lexsort((found[:, 1], found[:, 0]))]
        return ordered

    def pairs(self, groups: int | None = None) -> list[tuple[Any, Any]]:
        """Return the overlapping pairs of units."""
        first, second = self.pairs_many(groups).T
        return list(zip(self.tree.items(first), self.tree.items(second), strict=True))

    def _pairs_by_brute_force(self, groups: int | None) -> list[tuple[int, int]]:
        found = []
        units = list(self._in_groups(groups))
        for number, one in enumerate(units):
            x, y, radius = one.x, one.y, one.radius
            for other in units[number + 1 :]:
                dx, dy, touch = x - other.x, y - other.y, radius + other.radius
                if dx * dx + dy * dy <= touch * touch:
                    found.append((one.slot, other.slot))
        return found

    def _register(self, unit: Unit, slot: int) -> None:
        """Store a unit's slot, list and array rows: what loops and `separate` need."""
        unit.slot = slot
        self._by_groups.setdefault(unit.groups, {})[unit] = None
        while slot >= len(self.xy):
            self.xy = np.concatenate((self.xy, np.zeros_like(self.xy)))
            self._radius = np.concatenate((self._radius, np.zeros_like(self._radius)))
            self._mass = np.concatenate((self._mass, np.ones_like(self._mass)))
        self.xy[slot] = unit.x, unit.y
        self._radius[slot], self._mass[slot] = unit.radius, unit.mass

    def _in_groups(self, groups: int | None) -> Iterator[Any]:
        """Yield the units in some groups; None means all."""
        for mask, members in self._by_groups.items():
            if groups is None or mask & groups:
                yield from members

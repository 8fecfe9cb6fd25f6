"""Everything that stands or walks, in one quadtree; and the same answers without it.

The demo's `B` key switches between the two. Brute force is what most games begin with: lists by
kind, and a loop over them for each question. Both give the same answers, so the same game unfolds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from math import inf
from time import perf_counter
from typing import Any, Protocol, cast

import numpy as np

from tilequad import Bounds, DynamicQuadtree
from tilequad.ai import separate_many

ENEMY, VILLAGER, TREE, TOWER, DROP_OFF, SHELTER, QUARRY = (1 << bit for bit in range(7))


class Unit(Hashable, Protocol):
    """What a unit tells of itself."""

    x: float
    y: float
    radius: float
    mass: float
    groups: int
    slot: int
    """Its row in the arrays of `Units`; set when it is let in."""


class Units:
    """The units of the game, and a clock that counts the time spent on questions.

    It has the verbs of `DynamicQuadtree` that `tilequad.ai` asks for, so it can stand in for one.

    Attributes:
        tree: The quadtree.
        brute: Whether questions are answered by loops.
        seconds: Time spent on questions so far.
        xy: Where everybody stands, a row a slot of the tree.
    """

    def __init__(self, bounds: Bounds) -> None:
        self.tree = DynamicQuadtree(bounds)
        self.brute = False
        self.seconds = 0.0
        self.xy = np.zeros((1024, 2))
        self._radius, self._mass = np.zeros(1024), np.ones(1024)
        self._lists: dict[int, dict[Unit, None]] = {}

    def add(self, unit: Unit) -> None:
        """Let a unit into the game where it stands."""
        self.tree.add(unit, unit.x, unit.y, radius=unit.radius, groups=unit.groups)
        self._note(unit, self.tree.slot(unit))

    def add_all(self, units: Sequence[Unit]) -> None:
        """Let many units in: the tree is built for them at once."""
        xy = np.array([(unit.x, unit.y) for unit in units]).reshape(-1, 2)
        slots = self.tree.add_many(
            units,
            xy,
            radius=[unit.radius for unit in units],
            groups=np.array([unit.groups for unit in units], np.uint32),
        )
        for unit, slot in zip(units, slots.tolist(), strict=True):
            self._note(unit, slot)

    def move(self, unit: Unit, x: float, y: float) -> None:
        """Move a unit."""
        unit.x, unit.y = self.xy[unit.slot] = x, y
        self.tree.move(unit, x, y)

    def move_all(self, units: Sequence[Unit], xy: np.ndarray) -> None:
        """Move many units, a row each."""
        slots = np.array([unit.slot for unit in units], np.int32)
        self.tree.move_many(slots, xy)
        self.xy[slots] = xy
        for unit, (x, y) in zip(units, xy.tolist(), strict=True):
            unit.x, unit.y = x, y

    def remove(self, unit: Unit) -> None:
        """Take a unit out of the game."""
        self.tree.remove(unit)
        del self._lists[unit.groups][unit]

    def position(self, unit: Unit) -> tuple[float, float]:
        """Where a unit stands."""
        return self.tree.position(unit)

    def nodes(self) -> np.ndarray:
        """The nodes of the tree, to be shown."""
        return self.tree.nodes()

    def separate(self, groups: int) -> None:
        """Let units that overlap make way for each other."""
        slots = separate_many(
            cast(DynamicQuadtree, self), self.xy, self._radius, mass=self._mass, groups=groups
        )
        places = self.xy[slots].tolist()
        for unit, (x, y) in zip(self.tree.items(slots), places, strict=True):
            unit.x, unit.y = x, y

    def move_many(self, slots: np.ndarray, xy: np.ndarray) -> None:
        """What `separate_many` calls; the rows it has written already."""
        self.tree.move_many(slots, xy)

    def __contains__(self, unit: object) -> bool:
        return unit in self.tree

    def __len__(self) -> int:
        return len(self.tree)

    # -- the questions: by the tree, or by a loop --

    def query(self, view: Sequence[float], groups: int | None = None) -> list[Any]:
        """Who is in the box."""
        started = perf_counter()
        if self.brute:
            min_x, min_y, max_x, max_y = view
            found = [
                unit
                for unit in self._of(groups)
                if (dx := max(min_x - unit.x, 0.0, unit.x - max_x)) * dx
                + (dy := max(min_y - unit.y, 0.0, unit.y - max_y)) * dy
                <= unit.radius * unit.radius
            ]
        else:
            found = self.tree.query(view, groups=groups)
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
        """Who is in range."""
        started = perf_counter()
        if self.brute:
            low, high = min_radius * min_radius, radius * radius
            found = [
                unit
                for unit in self._of(groups)
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
        """Who is nearest."""
        started = perf_counter()
        if self.brute:
            low, best, found = min_distance * min_distance, max_distance * max_distance, None
            for unit in self._of(groups):
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
        """Who touches whom, as slots; in one order whichever way they were found."""
        started = perf_counter()
        if self.brute:
            found = np.array(self._pairs_by_looking(groups), np.int32).reshape(-1, 2)
        else:
            found = self.tree.pairs_many(groups)
        self.seconds += perf_counter() - started
        ordered: np.ndarray = found[np.lexsort((found[:, 1], found[:, 0]))]
        return ordered

    def pairs(self, groups: int | None = None) -> list[tuple[Any, Any]]:
        """Who touches whom."""
        first, second = self.pairs_many(groups).T
        return list(zip(self.tree.items(first), self.tree.items(second), strict=True))

    def _pairs_by_looking(self, groups: int | None) -> list[tuple[int, int]]:
        found = []
        everyone = list(self._of(groups))
        for number, one in enumerate(everyone):
            x, y, radius = one.x, one.y, one.radius
            for other in everyone[number + 1 :]:
                dx, dy, reach = x - other.x, y - other.y, radius + other.radius
                if dx * dx + dy * dy <= reach * reach:
                    found.append((one.slot, other.slot))
        return found

    def _note(self, unit: Unit, slot: int) -> None:
        """Keep what there is to know of a unit beside the tree: for loops, and for arrays."""
        unit.slot = slot
        self._lists.setdefault(unit.groups, {})[unit] = None
        while slot >= len(self.xy):
            self.xy = np.concatenate((self.xy, np.zeros_like(self.xy)))
            self._radius = np.concatenate((self._radius, np.zeros_like(self._radius)))
            self._mass = np.concatenate((self._mass, np.ones_like(self._mass)))
        self.xy[slot] = unit.x, unit.y
        self._radius[slot], self._mass[slot] = unit.radius, unit.mass

    def _of(self, groups: int | None) -> Iterator[Any]:
        """All units of some groups, or all."""
        for group, members in self._lists.items():
            if groups is None or group & groups:
                yield from members

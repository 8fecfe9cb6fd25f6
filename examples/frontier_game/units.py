"""Everything that stands or walks, in one quadtree; and the same answers without it.

The demo's `B` key switches between the two. Brute force is what most games begin with: lists by
kind, and a loop over them for each question. Both give the same answers, so the same game unfolds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from tilequad import Bounds, DynamicQuadtree

ENEMY, VILLAGER, TREE, TOWER, DROP_OFF, SHELTER, QUARRY = (1 << bit for bit in range(7))
EVERY = 0xFFFFFFFF


class Unit(Protocol):
    """What a unit tells of itself."""

    x: float
    y: float
    radius: float
    groups: int


class Units:
    """The units of the game, and a clock that counts the time spent on questions.

    It has the verbs of `DynamicQuadtree` that `tilequad.ai` asks for, so it can stand in for one.
    """

    def __init__(self, bounds: Bounds) -> None:
        self.tree = DynamicQuadtree(bounds)
        self.brute = False
        self.seconds = 0.0
        self._lists: dict[int, dict[Unit, None]] = {}

    def add(self, unit: Unit) -> None:
        """Let a unit into the game where it stands."""
        self.tree.add(unit, unit.x, unit.y, radius=unit.radius, groups=unit.groups)
        self._lists.setdefault(unit.groups, {})[unit] = None

    def move(self, unit: Unit, x: float, y: float) -> None:
        """Move a unit."""
        unit.x, unit.y = x, y
        self.tree.move(unit, x, y)

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

    def __contains__(self, unit: object) -> bool:
        return unit in self.tree

    def __len__(self) -> int:
        return len(self.tree)

    # -- the questions: by the tree, or by a loop --

    def query(self, view: Sequence[float], groups: int = EVERY) -> list[Any]:
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
        groups: int = EVERY,
        min_radius: float = 0.0,
        exclude: Unit | None = None,
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
        groups: int = EVERY,
        min_distance: float = 0.0,
        max_distance: float = inf,
        exclude: Unit | None = None,
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

    def pairs(self, groups: int = EVERY) -> list[tuple[Any, Any]]:
        """Who touches whom."""
        started = perf_counter()
        if self.brute:
            found = []
            everyone = list(self._of(groups))
            for number, one in enumerate(everyone):
                for other in everyone[number + 1 :]:
                    dx, dy, reach = one.x - other.x, one.y - other.y, one.radius + other.radius
                    if dx * dx + dy * dy <= reach * reach:
                        found.append((one, other))
        else:
            found = self.tree.pairs(groups=groups)
        self.seconds += perf_counter() - started
        return found

    def _of(self, groups: int) -> Iterator[Any]:
        """All units of some groups."""
        for group, members in self._lists.items():
            if group & groups:
                yield from members

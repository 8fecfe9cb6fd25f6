"""The groups of units, and what the game asks about them: timed, by the quadtree or by loops.

All units are in one `DynamicQuadtree`, which knows where they are. The demo's `B` key answers the
questions of towers, villagers and the view without it. Brute force is what most games start with:
lists by group, and a loop over them for each query. Both give the same answers, so the game goes on
the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from time import perf_counter
from typing import Any

from tilequad import DynamicQuadtree
from tilequad.ai import Targeting
from tilequad.ai.policies import Policy

ENEMY, VILLAGER, TREE, TOWER, DROP_OFF, SHELTER, QUARRY, TAKEN = (1 << bit for bit in range(8))


class Queries:
    """The questions of the game to its tree, and the time that they take.

    Has the methods of `tilequad.ai.SpatialIndex`, and the attribute `tree`, so it can be passed to
    `tilequad.ai` in place of a tree.

    Args:
        tree: The tree.

    Attributes:
        brute_force: Whether loops answer instead of the tree.
        seconds: Time spent so far.
        lists: What the loops go over: all units of a group, each with a `radius`.
    """

    def __init__(self, tree: DynamicQuadtree[Any]) -> None:
        self.tree = tree
        self.brute_force = False
        self.seconds = 0.0
        self.lists: dict[int, Iterable[Any]] = {}

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Add the time that a block takes to `seconds`."""
        started = perf_counter()
        yield
        self.seconds += perf_counter() - started

    def targets(
        self,
        aim: Targeting,
        seekers: Sequence[Any],
        now: float,
        ranges: Sequence[float],
        choices: Sequence[Policy],
    ) -> list[Any | None]:
        """Return the targets of many units, each with its range and its policy."""
        with self.timed():
            if not self.brute_force:
                return aim.targets(seekers, now, max_range=ranges, policy=choices)
            return [
                aim.target(seeker, now, max_range=reach, policy=policy)
                for seeker, reach, policy in zip(seekers, ranges, choices, strict=True)
            ]

    def counts(self, seekers: Sequence[Any], ranges: Sequence[float], groups: int) -> list[int]:
        """Return how many units of some groups are near each of many units."""
        with self.timed():
            xy = self.tree.positions([self.tree.slot(one) for one in seekers])
            if not self.brute_force:
                found: list[int] = self.tree.count_within_many(xy, ranges, groups=groups).tolist()
                return found
            return [
                len(self.within(x, y, reach, groups))
                for (x, y), reach in zip(xy.tolist(), ranges, strict=True)
            ]

    # -- by the tree, or by a loop --

    def query(self, bounds: Sequence[float], groups: int | None = None) -> list[Any]:
        """Return the units whose footprints overlap a box."""
        if not self.brute_force:
            return self.tree.query(bounds, groups=groups)
        min_x, min_y, max_x, max_y = bounds
        return [
            unit
            for unit, x, y in self._in_groups(groups)
            if (dx := max(min_x - x, 0.0, x - max_x)) * dx
            + (dy := max(min_y - y, 0.0, y - max_y)) * dy
            <= unit.radius * unit.radius
        ]

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
        if not self.brute_force:
            return self.tree.within(
                x, y, radius, groups=groups, min_radius=min_radius, exclude=exclude
            )
        low, high = min_radius * min_radius, radius * radius
        return [
            unit
            for unit, unit_x, unit_y in self._in_groups(groups)
            if low <= (unit_x - x) * (unit_x - x) + (unit_y - y) * (unit_y - y) <= high
            and unit is not exclude
        ]

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
        if not self.brute_force:
            return self.tree.nearest(
                *(x, y, groups),
                min_distance=min_distance,
                max_distance=max_distance,
                exclude=exclude,
                where=where,
            )
        low, best, found = min_distance * min_distance, max_distance * max_distance, None
        for unit, unit_x, unit_y in self._in_groups(groups):
            square = (unit_x - x) * (unit_x - x) + (unit_y - y) * (unit_y - y)
            closer = low <= square < best or (square == best and found is None)
            if closer and unit is not exclude and (where is None or where(unit)):
                best, found = square, unit
        return found

    def _in_groups(self, groups: int | None) -> Iterator[tuple[Any, float, float]]:
        """Yield the units in some groups, with their positions; None means all groups."""
        tree = self.tree
        for group, members in self.lists.items():
            if groups is None or group & groups:
                for unit in members:
                    if unit in tree:
                        yield unit, *tree.position(unit)

    # -- what only the tree knows --

    def __contains__(self, unit: object) -> bool:
        return unit in self.tree

    def position(self, unit: Any) -> tuple[float, float]:
        """Return the position of a unit."""
        return self.tree.position(unit)

    def slot(self, unit: Any) -> int:
        """Return the slot of a unit."""
        return self.tree.slot(unit)

    def items(self, slots: Any) -> list[Any]:
        """Return the units in slots."""
        return self.tree.items(slots)


def facing(dx: float, dy: float) -> str:
    """Return which of its four pictures a unit shows that walks in a direction."""
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "up" if dy > 0 else "down"

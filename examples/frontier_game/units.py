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
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilequad import DynamicQuadtree
from tilequad.ai import GoalSearch, Targeting
from tilequad.ai.policies import Policy

Floats: TypeAlias = NDArray[np.float64]
Question = TypeVar("Question")

ENEMY, VILLAGER, TREE, TOWER, DROP_OFF, SHELTER, QUARRY, MINE, WALL, TAKEN = (
    1 << bit for bit in range(10)
)


class Queries:
    """The questions of the game to its tree, and the time that they take.

    Has the methods of `tilequad.ai.protocols.SpatialIndex`, and the attribute `tree`, so it can be
    passed to `tilequad.ai` in place of a tree.

    Args:
        tree: The tree.

    Attributes:
        brute_force: Whether loops answer instead of the tree.
        budget: How long loops may take in a tick, in seconds. The tree answers what is left, so
            that the game goes on.
        seconds: Time spent in this tick.
        asked, looped: How many questions were asked in this tick, and how many by loops.
        lists: What the loops go over: all units of a group, each with a `radius`.
    """

    def __init__(self, tree: DynamicQuadtree[Any]) -> None:
        self.tree = tree
        self.brute_force = False
        self.budget = inf
        self.lists: dict[int, Iterable[Any]] = {}
        self._looping = False  # while a loop asks further questions
        self.begin_tick()

    def begin_tick(self) -> None:
        """Start the figures afresh."""
        self.seconds = 0.0
        self.asked = self.looped = 0
        self._deadline = perf_counter() + self.budget if self.brute_force else inf

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
        ranges: Sequence[tuple[float, float]],
        choices: Sequence[Policy],
    ) -> list[Any | None]:
        """Return the targets of many units, each with its least and greatest range and policy."""
        with self.timed():
            low, high = zip(*ranges, strict=True) if ranges else ((), ())
            rows = list(zip(seekers, low, high, choices, strict=True))
            found = []
            for seeker, near, far, policy in self._while_looping(rows):
                found.append(
                    aim.target(seeker, now, policy=policy, max_distance=far, min_distance=near)
                )
            n = len(found)  # the tree answers for all others in one call
            slots = aim.target_many(
                self.tree.slots(seekers[n:]),
                now,
                policy=choices[n:],
                max_distance=high[n:],
                min_distance=low[n:],
            )
            return found + self.tree.items(slots)

    def found(self, search: GoalSearch, seekers: Sequence[Any], now: float) -> list[Any | None]:
        """Return what each of many units finds."""
        with self.timed():
            return self.tree.items(search.search_many(self.tree.slots(seekers), now))

    def counts(self, xy: Floats, ranges: Floats, groups: int) -> list[int]:
        """Return how many units of some groups are near each of many points."""
        with self.timed():
            found: list[int] = []
            for row in self._while_looping(range(len(xy))):
                x, y = xy[row].tolist()
                found.append(len(self.within(x, y, ranges[row], groups)))
            n = len(found)
            more = self.tree.count_within_many(xy[n:], ranges[n:], groups=groups)
            found.extend(more.tolist())
            return found

    def _while_looping(self, questions: Sequence[Question]) -> Iterator[Question]:
        """Yield the questions that loops answer, and count all questions."""
        self.asked += len(questions)
        if self.brute_force:
            self._looping = True
            for question in questions:
                if perf_counter() >= self._deadline:
                    break
                self.looped += 1
                yield question
            self._looping = False

    def _by_loops(self) -> bool:
        """Whether a loop answers a single question."""
        if self._looping:
            return True
        self.asked += 1
        loops = self.brute_force and perf_counter() < self._deadline
        self.looped += loops
        return loops

    # -- by the tree, or by a loop --

    def query(self, bounds: Sequence[float], groups: int | None = None) -> list[Any]:
        """Return the units whose footprints overlap a box."""
        if not self._by_loops():
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
        without: int | None = None,
        min_radius: float = 0.0,
        exclude: Any = None,
    ) -> list[Any]:
        """Return the units with positions between `min_radius` and `radius` from a point."""
        if not self._by_loops():
            return self.tree.within(
                *(x, y, radius),
                groups=groups,
                without=without,
                min_radius=min_radius,
                exclude=exclude,
            )
        low, high = min_radius * min_radius, radius * radius
        return [
            unit
            for unit, unit_x, unit_y in self._in_groups(groups, without)
            if low <= (unit_x - x) * (unit_x - x) + (unit_y - y) * (unit_y - y) <= high
            and unit is not exclude
        ]

    def nearest(
        self,
        x: float,
        y: float,
        groups: int | None = None,
        without: int | None = None,
        min_distance: float = 0.0,
        max_distance: float = inf,
        exclude: Any = None,
        where: Callable[[Any], bool] | None = None,
    ) -> Any | None:
        """Return the nearest unit that passes `where`, or None."""
        if not self._by_loops():
            return self.tree.nearest(
                *(x, y, groups),
                without=without,
                min_distance=min_distance,
                max_distance=max_distance,
                exclude=exclude,
                where=where,
            )
        low, best, found = min_distance * min_distance, max_distance * max_distance, None
        for unit, unit_x, unit_y in self._in_groups(groups, without):
            square = (unit_x - x) * (unit_x - x) + (unit_y - y) * (unit_y - y)
            closer = low <= square < best or (square == best and found is None)
            if closer and unit is not exclude and (where is None or where(unit)):
                best, found = square, unit
        return found

    def _in_groups(
        self, groups: int | None, without: int | None = None
    ) -> Iterator[tuple[Any, float, float]]:
        """Yield the units in some groups, with their positions; None means all groups."""
        tree = self.tree
        for group, members in self.lists.items():
            if (groups is None or group & groups) and not group & (without or 0):
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

"""The villagers: they fetch wood, stone and gold, and run for shelter from enemies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from random import Random
from typing import Any

import numpy as np

from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Goal, GoalSearch, March

from .land import Land, Tree
from .settings import RESOURCES, Settings
from .units import DROP_OFF, ENEMY, MINE, QUARRY, SHELTER, TAKEN, TREE, VILLAGER, Queries, facing
from .ways import Ways

WORK_RANGE = 520.0  # greatest distance to a tree, a shelter or a camp, in pixels
PIT_RANGE = 1100.0  # distance to a quarry or a mine that is nearby
FEAR, RELIEF = 120.0, 190.0  # distances of an enemy to flee from, and to be calm again
WORK_TIME = {"wood": 3.2, "stone": 4.5, "gold": 5.5}  # seconds per load
THINK_EVERY = 6  # ticks: villagers look around and decide ten times a second
APPEARANCES = ("villager_blue", "villager_red", "villager_green")


@dataclass(eq=False, slots=True)
class Villager:
    """One villager, and what he or she is doing."""

    appearance: str
    trade: str
    state: str = "idle"
    """idle, going, working, loaded, carrying, fleeing or hiding."""
    goal: Any = None
    until: float = 0.0
    load: str = ""
    worked_at: tuple[float, float] | None = None
    facing: str = "down"
    radius: float = 6.0


class Village:
    """All villagers.

    Args:
        queries: The tree to add the villagers to.
        land: The map, to avoid water.
        ways: The ways around what is closed.
        settings: How fast they walk, and how much wood a load takes.
        random: Chooses appearance and trade of each villager.
        fell: Called with a tree that falls and the villager who felled it.
        bring: Called with a load and the position of the building it is brought to.
    """

    def __init__(
        self,
        queries: Queries,
        land: Land,
        ways: Ways,
        settings: Settings,
        random: Random,
        fell: Callable[[Tree, Villager], None],
        bring: Callable[[str, float, float], None],
    ) -> None:
        self.queries, self.land, self.ways = queries, land, ways
        self.settings, self.random = settings, random
        self.units: DynamicQuadtree[Any] = queries.tree
        self.villagers: list[Villager] = []
        self._fell, self._bring = fell, bring
        queries.lists[VILLAGER] = self.villagers
        # Claims: a tree is for one villager, a quarry or a mine for many.
        units = self.units
        self._claims = claims = Claims(units, TAKEN)
        work = attrgetter("worked_at")
        # Goal search: the nearest tree that nobody claims, near the last one; the nearest quarry,
        # and where none is nearby, one that is farther away.
        tree = self._goal(TREE, claim=True, near=work)
        self._work = {"wood": GoalSearch(units, tree, claims=claims)}
        for trade, pit in (("stone", QUARRY), ("gold", MINE)):
            nearby = self._goal(pit, PIT_RANGE, near=work)
            self._work[trade] = GoalSearch(units, nearby, Goal(pit), claims=claims)
        self._refuge = GoalSearch(self.units, self._goal(SHELTER, retry=1.0))
        self._drop_off = GoalSearch(self.units, self._goal(DROP_OFF, PIT_RANGE))
        # March: each walks to its goal around what is in the way, and all keep apart.
        self._march = March(units, ways.grid, VILLAGER)
        self._speeds = np.zeros(0)  # by slot, in pixels a second

    def add_villager(self, x: float, y: float) -> Villager:
        """Add a villager near a door."""
        random = self.random
        villager = Villager(
            appearance=random.choice(APPEARANCES),
            trade=random.choices(RESOURCES, self.settings.trades)[0],
            until=random.uniform(0, 2),
        )
        self.villagers.append(villager)
        x, y = x + random.uniform(-30, 30), y - random.uniform(6, 30)
        self.units.add(villager, x, y, radius=villager.radius, groups=VILLAGER)
        return villager

    def set_trade(self, villager: Villager, trade: str) -> None:
        """Let a villager fetch something else. A load under way is brought home first."""
        if trade not in RESOURCES:
            raise ValueError(f"trade must be one of {', '.join(RESOURCES)}, got {trade!r}")
        villager.trade, villager.worked_at = trade, None
        if villager.state in ("going", "working"):
            self._claims.release(villager)
            self._march.stop([self.units.slot(villager)])
            villager.state, villager.until = "idle", 0.0

    def update(self, now: float, ticks: int, seconds: float) -> None:
        """Advance all villagers by one tick."""
        if ticks % THINK_EVERY == 0 and self.villagers:
            self._think(now)
        self._walk(now, seconds)

    # -- thinking --

    def _think(self, now: float) -> None:
        self._look_out(now)
        due = [one for one in self.villagers if now >= one.until]
        for villager in due:
            if villager.state == "working":
                self._finish(villager)
        for trade, work in self._work.items():
            idle = [one for one in due if one.state == "idle" and one.trade == trade]
            self._send(idle, "going", work, now)
            for villager in idle:
                if villager.state == "idle":  # found no work: look for another
                    self._change_trade(villager, now)
        loaded = [one for one in self.villagers if one.state == "loaded"]
        self._send(loaded, "carrying", self._drop_off, now)

    def _change_trade(self, villager: Villager, now: float) -> None:
        if villager.worked_at is None:
            villager.trade = "stone" if villager.trade == "wood" else "wood"
        villager.until, villager.worked_at = now + 2.0, None

    def _look_out(self, now: float) -> None:
        """Flee to the nearest building from an enemy nearby; come out when it is gone.

        Those who flee leave their trees to others. Those without a shelter go on as before.
        """
        safe = ("fleeing", "hiding")
        ranges = np.array([RELIEF if one.state in safe else FEAR for one in self.villagers])
        xy = self.units.position_many(self.units.slots(self.villagers))
        # Radius queries, in one call: how many enemies are near each villager?
        counts = self.queries.counts(xy, ranges, ENEMY)
        scared = []
        for villager, count in zip(self.villagers, counts, strict=True):
            if villager.state == "hiding":
                if not count and now >= villager.until:
                    villager.state = "loaded" if villager.load else "idle"
            elif count and villager.state != "fleeing":
                scared.append(villager)
        if scared:
            shelters = self.queries.found(self._refuge, scared, now)
            found = [pair for pair in zip(scared, shelters, strict=True) if pair[1] is not None]
            for villager, _ in found:
                self._claims.release(villager)
            self._set_out(found, "fleeing")

    def _send(
        self, villagers: Sequence[Villager], state: str, goals: GoalSearch, now: float
    ) -> None:
        """Give each of some villagers a goal, if there is one within reach."""
        if villagers:
            found = self.queries.found(goals, villagers, now)
            pairs = zip(villagers, found, strict=True)
            self._set_out([pair for pair in pairs if pair[1] is not None], state)

    def _set_out(self, pairs: Sequence[tuple[Villager, Any]], state: str) -> None:
        """Let villagers walk to their goals, around what is in the way."""
        if not pairs:
            return
        slots = self.units.slots([one for one, _ in pairs])
        starts = self.units.position_many(slots)
        ends = [_work_position(x, goal) for (x, _), (_, goal) in zip(starts, pairs, strict=True)]
        self._march.send_many(slots, ends)
        if slots.max() >= len(self._speeds):
            self._speeds = np.resize(self._speeds, 2 * slots.max() + 1)
        self._speeds[slots] = self.settings.run if state == "fleeing" else self.settings.walk
        for (villager, goal), start, end in zip(pairs, starts.tolist(), ends, strict=True):
            villager.goal, villager.state = goal, state
            villager.facing = facing(end[0] - start[0], end[1] - start[1])

    # -- walking --

    def _walk(self, now: float, seconds: float) -> None:
        """Move all who walk by one step; those at the end of their way arrive."""
        told = self._march.step(self._speeds * seconds)
        for villager in self.units.items(told.arrived):
            self._arrive(villager, now)
        for villager in self.units.items(told.stuck):
            self._claims.release(villager)
            villager.state = "loaded" if villager.load else "idle"
            villager.until = now + 2.0

    def _arrive(self, villager: Villager, now: float) -> None:
        goal, was, villager.state = villager.goal, villager.state, "idle"
        if goal not in self.units:  # it was felled, or sold
            villager.goal = None
            if villager.load:
                villager.state = "loaded"
        elif was == "fleeing":
            villager.state, villager.until = "hiding", now + 2.0
        elif was == "carrying":
            villager.until = now + 0.4
            load, villager.load = villager.load, ""
            self._bring(load, goal.x, goal.y)
        elif was == "going":
            villager.state = "working"
            villager.until = now + WORK_TIME[villager.trade]
            villager.worked_at = goal.x, goal.y
            villager.facing = "left" if goal.x < self.units.position(villager)[0] else "right"

    def _finish(self, villager: Villager) -> None:
        """Take the load. A tree without wood falls."""
        villager.load, villager.state = villager.trade, "loaded"
        if villager.trade == "wood" and villager.goal in self.units:
            villager.goal.amount -= self.settings.chop
            if villager.goal.amount <= 0:
                self._fell(villager.goal, villager)

    # -- goals --

    def _goal(self, groups: int, reach: float = WORK_RANGE, **options: Any) -> Goal:
        """Return a goal: units of these groups that can be reached without crossing water."""
        return Goal(groups, reach, where=self._reachable, **options)

    def _reachable(self, villager: Villager, unit: Any) -> bool:
        x, y = self.units.position(villager)
        # Static tree: does water lie between the two?
        return self.land.paths.clear(x, y, *_work_position(x, unit))


def _work_position(x: float, goal: Any) -> tuple[float, float]:
    """Return where a villager who comes from x stands to work, or to enter a building."""
    if isinstance(goal, Tree):
        return goal.x + (17 if x >= goal.x else -17), goal.y - 2
    return goal.x + (12 if x >= goal.x else -12), goal.y - 4

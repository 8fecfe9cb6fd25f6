"""The villagers: they fetch wood and stone, and run for shelter from enemies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import hypot
from operator import attrgetter
from random import Random
from typing import Any

from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Goal, Goals

from .land import Land, Tree
from .settings import Settings
from .units import DROP_OFF, ENEMY, QUARRY, SHELTER, TAKEN, TREE, VILLAGER, Queries, facing

WORK_RANGE = 520.0  # greatest distance to work, in pixels
FEAR, RELIEF = 120.0, 190.0  # distances of an enemy to flee from, and to be calm again
WORK_TIME = {"wood": 3.2, "stone": 4.5}  # seconds per load
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
    steps: float = 0.0
    radius: float = 6.0


class Village:
    """All villagers.

    Args:
        queries: The tree to add the villagers to.
        land: The map, to avoid water.
        settings: How fast they walk, and how much wood a load takes.
        random: Chooses appearance and trade of each villager.
        fell: Called with a tree that falls and the villager who felled it.
        bring: Called with a load and the position of the building it is brought to.
    """

    def __init__(
        self,
        queries: Queries,
        land: Land,
        settings: Settings,
        random: Random,
        fell: Callable[[Tree, Villager], None],
        bring: Callable[[str, float, float], None],
    ) -> None:
        self.queries, self.land, self.settings, self.random = queries, land, settings, random
        self.units: DynamicQuadtree[Any] = queries.tree
        self.villagers: list[Villager] = []
        self._fell, self._bring = fell, bring
        queries.lists[VILLAGER] = self.villagers
        self._claims = claims = Claims(self.units, TAKEN)
        wood = self._goal(TREE, claim=True, near=attrgetter("worked_at"))
        stone = self._goal(QUARRY, near=attrgetter("worked_at"))
        self._work = {
            "wood": Goals(self.units, wood, claims=claims),
            "stone": Goals(self.units, stone, claims=claims),
        }
        self._refuge = Goals(self.units, self._goal(SHELTER, retry=1.0))
        self._drop_off = Goals(self.units, self._goal(DROP_OFF))

    def add_villager(self, x: float, y: float) -> None:
        """Add a villager near a door."""
        random = self.random
        villager = Villager(
            appearance=random.choice(APPEARANCES),
            trade="stone" if random.random() < 0.2 else "wood",
            until=random.uniform(0, 2),
        )
        self.villagers.append(villager)
        x, y = x + random.uniform(-30, 30), y - random.uniform(6, 30)
        self.units.add(villager, x, y, radius=villager.radius, groups=VILLAGER)

    def update(self, now: float, seconds: float) -> None:
        """Advance all villagers by one tick."""
        self._look_out(now)
        for villager in self.villagers:
            if villager.state in ("going", "carrying", "fleeing"):
                self._walk(villager, now, seconds)
            elif villager.state == "working" and now >= villager.until:
                self._finish(villager)
        for trade in WORK_TIME:
            idle = [one for one in self._in_state("idle") if one.trade == trade]
            self._send([one for one in idle if now >= one.until], "going", self._work[trade], now)
        for villager in self._in_state("idle"):
            if now >= villager.until:  # found no work
                villager.trade = "stone" if villager.trade == "wood" else "wood"
                villager.until, villager.worked_at = now + 2.0, None
        self._send(self._in_state("loaded"), "carrying", self._drop_off, now)

    def _in_state(self, state: str) -> list[Villager]:
        return [villager for villager in self.villagers if villager.state == state]

    def _look_out(self, now: float) -> None:
        """Flee to the nearest building from an enemy nearby; come out when it is gone.

        Those who flee leave their trees to others. Those without a shelter go on as before.
        """
        ranges = [
            RELIEF if villager.state in ("fleeing", "hiding") else FEAR
            for villager in self.villagers
        ]
        counts = self.queries.counts(self.villagers, ranges, ENEMY)
        scared = []
        for villager, count in zip(self.villagers, counts, strict=True):
            if villager.state == "hiding":
                if not count and now >= villager.until:
                    villager.state = "loaded" if villager.load else "idle"
            elif villager.state != "fleeing" and count:
                scared.append(villager)
        with self.queries.timed():
            shelters = self._refuge.search_all(scared, now)
        for villager, shelter in zip(scared, shelters, strict=True):
            if shelter is not None:
                villager.goal, villager.state = shelter, "fleeing"
                self._claims.release(villager)

    def _send(self, villagers: Sequence[Villager], state: str, goals: Goals, now: float) -> None:
        """Give each of some villagers a goal, if there is one within reach."""
        if not villagers:
            return
        with self.queries.timed():
            found = goals.search_all(villagers, now)
        for villager, goal in zip(villagers, found, strict=True):
            villager.goal, villager.state = goal, "idle" if goal is None else state

    # -- one villager --

    def _walk(self, villager: Villager, now: float, seconds: float) -> None:
        goal = villager.goal
        if goal not in self.units:
            villager.state, villager.goal = "idle", None
            return
        x, y = self.units.position(villager)
        aim_x, aim_y = _work_position(x, goal)
        dx, dy = aim_x - x, aim_y - y
        left = hypot(dx, dy)
        speed = self.settings.run if villager.state == "fleeing" else self.settings.walk
        step = speed * seconds
        if left <= step + 2:
            self._arrive(villager, x, now)
            return
        self.units.move(villager, x + dx / left * step, y + dy / left * step)
        villager.steps += step
        villager.facing = facing(dx, dy)

    def _arrive(self, villager: Villager, x: float, now: float) -> None:
        goal = villager.goal
        if villager.state == "fleeing":
            villager.state, villager.until = "hiding", now + 2.0
        elif villager.state == "carrying":
            self._bring(villager.load, goal.x, goal.y)
            villager.load, villager.state, villager.until = "", "idle", now + 0.4
        else:
            villager.state = "working"
            villager.until = now + WORK_TIME[villager.trade]
            villager.worked_at = goal.x, goal.y
            villager.facing = "left" if goal.x < x else "right"

    def _finish(self, villager: Villager) -> None:
        """Take the load. A tree without wood falls."""
        villager.load, villager.state = villager.trade, "loaded"
        if villager.trade == "wood":
            villager.goal.amount -= self.settings.chop
            if villager.goal.amount <= 0:
                self._fell(villager.goal, villager)

    # -- goals --

    def _goal(self, groups: int, **options: Any) -> Goal:
        """Return a goal: units of these groups that can be reached without crossing water."""
        return Goal(groups, WORK_RANGE, where=self._reachable, **options)

    def _reachable(self, villager: Villager, unit: Any) -> bool:
        x, y = self.units.position(villager)
        return self.land.paths.clear(x, y, *_work_position(x, unit))


def _work_position(x: float, goal: Any) -> tuple[float, float]:
    """Return where a villager who comes from x stands to work, or to enter a building."""
    if isinstance(goal, Tree):
        return goal.x + (17 if x >= goal.x else -17), goal.y - 2
    return goal.x + (12 if x >= goal.x else -12), goal.y - 4

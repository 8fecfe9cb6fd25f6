"""The villagers: they fetch wood and stone, and run for shelter from enemies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import hypot
from operator import attrgetter
from random import Random
from typing import Any

from tilequad.ai import Claims, Goal, Goals, Stagger, Ticker

from .land import Land, Tree
from .units import DROP_OFF, ENEMY, QUARRY, SHELTER, TAKEN, TREE, VILLAGER, UnitRegistry

WALK, RUN = 46.0, 84.0  # pixels a second
WORK_RANGE = 520.0  # greatest distance to work, in pixels
FEAR, RELIEF = 120.0, 190.0  # distances of an enemy to flee from, and to be calm again
CHOP = 20  # wood that one load takes from a tree
WORK_TIME = {"wood": 3.2, "stone": 4.5}  # seconds per load
APPEARANCES = ("villager_blue", "villager_red", "villager_green")


@dataclass(eq=False, slots=True)
class Villager:
    """One villager, and what he or she is doing."""

    appearance: str
    trade: str
    x: float
    y: float
    lookout: Ticker
    state: str = "idle"
    """idle, going, working, carrying, fleeing or hiding."""
    goal: Any = None
    until: float = 0.0
    load: str = ""
    worked_at: tuple[float, float] | None = None
    facing: str = "down"
    steps: float = 0.0
    radius: float = 6.0
    mass: float = 20.0
    groups: int = VILLAGER
    slot: int = -1


class Village:
    """All villagers.

    Args:
        units: Where to add the villagers.
        land: The map, to avoid water.
        random: Chooses appearance and trade of each villager.
        fell: Called with a tree that falls and the villager who felled it.
        bring: Called with a load and the position of the building it is brought to.
    """

    def __init__(
        self,
        units: UnitRegistry,
        land: Land,
        random: Random,
        fell: Callable[[Tree, Villager], None],
        bring: Callable[[str, float, float], None],
    ) -> None:
        self.units, self.land, self.random = units, land, random
        self.villagers: list[Villager] = []
        self._fell, self._bring = fell, bring
        claims = Claims(units, TAKEN)
        wood = self._goal(TREE, claim=True, near=attrgetter("worked_at"))
        stone = self._goal(QUARRY, near=attrgetter("worked_at"))
        home = self._goal(SHELTER, near=attrgetter("worked_at"))
        self._work = {
            "wood": Goals(units, wood, home, claims=claims),
            "stone": Goals(units, stone, home, claims=claims),
        }
        self._refuge = Goals(units, self._goal(SHELTER), claims=claims)
        self._drop_off = Goals(units, self._goal(DROP_OFF))
        self._stagger = Stagger(every=0.25)

    def add_villager(self, x: float, y: float) -> None:
        """Add a villager near a door."""
        random = self.random
        villager = Villager(
            appearance=random.choice(APPEARANCES),
            trade="stone" if random.random() < 0.2 else "wood",
            x=x + random.uniform(-30, 30),
            y=y - random.uniform(6, 30),
            lookout=self._stagger.ticker(),
            until=random.uniform(0, 2),
        )
        self.villagers.append(villager)
        self.units.add(villager)

    def update(self, now: float, seconds: float) -> None:
        """Advance all villagers by one tick."""
        for villager in self.villagers:
            if villager.lookout.due(now):
                self._look_out(villager, now)
            if villager.state in ("going", "carrying", "fleeing"):
                self._walk(villager, now, seconds)
            elif villager.state == "working" and now >= villager.until:
                self._finish(villager, now)
            elif villager.state == "idle" and now >= villager.until:
                self._seek_work(villager, now)

    # -- one villager --

    def _look_out(self, villager: Villager, now: float) -> None:
        """Flee to the nearest building from an enemy nearby; come out when it is gone."""
        x, y = villager.x, villager.y
        if villager.state == "hiding":
            if now >= villager.until and not self._sees_enemy(x, y, RELIEF):
                villager.state = "carrying" if villager.load else "idle"
                villager.goal = self._drop_off.search(villager, now) if villager.load else None
        elif villager.state != "fleeing" and self._sees_enemy(x, y, FEAR):
            villager.goal = self._refuge.search(villager, now)  # others may have the tree
            villager.state = "fleeing" if villager.goal else "idle"

    def _seek_work(self, villager: Villager, now: float) -> None:
        """Go to the free work nearest to the last workplace; without any, change the trade."""
        goal = self._work[villager.trade].search(villager, now)
        if goal is None or goal.groups & SHELTER:
            villager.trade = "stone" if villager.trade == "wood" else "wood"
            villager.until, villager.worked_at = now + 2.0, None
        else:
            villager.goal, villager.state = goal, "going"

    def _walk(self, villager: Villager, now: float, seconds: float) -> None:
        goal = villager.goal
        if goal is None or goal not in self.units:
            villager.state, villager.goal = "idle", None
            return
        aim_x, aim_y = _work_position(villager, goal)
        dx, dy = aim_x - villager.x, aim_y - villager.y
        left = hypot(dx, dy)
        step = (RUN if villager.state == "fleeing" else WALK) * seconds
        if left <= step + 2:
            self._arrive(villager, now)
            return
        self.units.move(villager, villager.x + dx / left * step, villager.y + dy / left * step)
        villager.steps += step
        villager.facing = _facing(dx, dy)

    def _arrive(self, villager: Villager, now: float) -> None:
        if villager.state == "fleeing":
            villager.state, villager.until = "hiding", now + 2.0
        elif villager.state == "carrying":
            self._bring(villager.load, villager.goal.x, villager.goal.y)
            villager.load, villager.state, villager.until = "", "idle", now + 0.4
        else:
            villager.state = "working"
            villager.until = now + WORK_TIME[villager.trade]
            villager.worked_at = villager.goal.x, villager.goal.y
            villager.facing = "left" if villager.goal.x < villager.x else "right"

    def _finish(self, villager: Villager, now: float) -> None:
        """Take the load. A tree without wood falls."""
        villager.load = villager.trade
        if villager.trade == "wood":
            villager.goal.amount -= CHOP
            if villager.goal.amount <= 0:
                self._fell(villager.goal, villager)
        villager.goal = self._drop_off.search(villager, now)
        villager.state = "carrying"

    # -- queries --

    def _sees_enemy(self, x: float, y: float, distance: float) -> bool:
        return self.units.nearest(x, y, groups=ENEMY, max_distance=distance) is not None

    def _goal(self, groups: int, **options: Any) -> Goal:
        """Return a goal: units of these groups that can be reached without crossing water."""
        return Goal(groups, WORK_RANGE, where=self._reachable, **options)

    def _reachable(self, villager: Villager, unit: Any) -> bool:
        return self.land.is_dry(villager.x, villager.y, *_work_position(villager, unit))


def _work_position(villager: Villager, goal: Any) -> tuple[float, float]:
    """Return where a villager stands to work at a tree or to enter a building."""
    if goal.groups == TREE:
        return goal.x + (17 if villager.x >= goal.x else -17), goal.y - 2
    return goal.x + (12 if villager.x >= goal.x else -12), goal.y - 4


def _facing(dx: float, dy: float) -> str:
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "up" if dy > 0 else "down"

"""Those who live here: they fetch wood and stone, and run when somebody comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import hypot
from random import Random
from typing import Any

from tilequad.ai import Beat, Claims, Goal, Pace, search

from .land import Land, Tree
from .units import DROP_OFF, ENEMY, QUARRY, SHELTER, TREE, VILLAGER, Units

WALK, RUN = 46.0, 84.0  # pixels a second
FAR = 520.0  # how far villagers go for work, in pixels
FEAR, RELIEF = 120.0, 190.0  # an enemy this near frightens; this far he is forgotten
CHOP = 20  # how much of a tree one load takes
WORK = {"wood": 3.2, "stone": 4.5}  # seconds until a load is ready
LOOKS = ("villager_blue", "villager_red", "villager_green")


@dataclass(eq=False, slots=True)
class Villager:
    """One of them, and what is on his or her mind."""

    look: str
    trade: str
    x: float
    y: float
    lookout: Beat
    doing: str = "idle"
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
        units: Where everybody stands.
        land: Where one can walk.
        random: For who does what.
        fell: Called with a tree that falls and the villager who felled it.
        bring: Called with a load and the place it was brought to.
    """

    def __init__(
        self,
        units: Units,
        land: Land,
        random: Random,
        fell: Callable[[Tree, Villager], None],
        bring: Callable[[str, float, float], None],
    ) -> None:
        self.units, self.land, self.random = units, land, random
        self.villagers: list[Villager] = []
        self._fell, self._bring = fell, bring
        self._claims = Claims(units)
        self._pace = Pace(every=0.25)

    def settle(self, x: float, y: float) -> None:
        """Let a new villager come out of a door."""
        random = self.random
        villager = Villager(
            look=random.choice(LOOKS),
            trade="stone" if random.random() < 0.2 else "wood",
            x=x + random.uniform(-30, 30),
            y=y - random.uniform(6, 30),
            lookout=self._pace.join(),
            until=random.uniform(0, 2),
        )
        self.villagers.append(villager)
        self.units.add(villager)

    def live(self, now: float, seconds: float) -> None:
        """Let everybody do what they are about."""
        for villager in self.villagers:
            if villager.lookout.due(now):
                self._look_out(villager, now)
            if villager.doing in ("going", "carrying", "fleeing"):
                self._walk(villager, now, seconds)
            elif villager.doing == "working" and now >= villager.until:
                self._finish(villager)
            elif villager.doing == "idle" and now >= villager.until:
                self._seek_work(villager, now)

    # -- one at a time --

    def _look_out(self, villager: Villager, now: float) -> None:
        """Run for the nearest building from an enemy who comes near; come out when he is gone."""
        x, y = villager.x, villager.y
        if villager.doing == "hiding":
            if now >= villager.until and not self._enemy(x, y, RELIEF):
                villager.doing = "carrying" if villager.load else "idle"
                villager.goal = self._nearest(villager, DROP_OFF) if villager.load else None
        elif villager.doing != "fleeing" and self._enemy(x, y, FEAR):
            # To search for shelter lets go of the tree: somebody else may have it.
            wood = Goal(TREE, max_distance=0.0, claims=self._claims)
            villager.goal = search(self.units, villager, wood, self._goal(villager, SHELTER))
            villager.doing = "fleeing" if villager.goal else "idle"

    def _seek_work(self, villager: Villager, now: float) -> None:
        """The nearest free tree, from where the last one fell; without any, the nearest shelter."""
        if villager.trade == "wood":
            work = self._goal(villager, TREE, claims=self._claims)
        else:
            work = self._goal(villager, QUARRY)
        home = self._goal(villager, SHELTER)
        goal = search(self.units, villager, work, home, near=villager.worked_at)
        if goal is None or goal.groups & SHELTER:
            villager.trade = "stone" if villager.trade == "wood" else "wood"
            villager.until, villager.worked_at = now + 2.0, None
        else:
            villager.goal, villager.doing = goal, "going"

    def _walk(self, villager: Villager, now: float, seconds: float) -> None:
        goal = villager.goal
        if goal is None or goal not in self.units:
            villager.doing, villager.goal = "idle", None
            return
        aim_x, aim_y = _beside(villager, goal)
        dx, dy = aim_x - villager.x, aim_y - villager.y
        left = hypot(dx, dy)
        step = (RUN if villager.doing == "fleeing" else WALK) * seconds
        if left <= step + 2:
            self._arrive(villager, now)
            return
        self.units.move(villager, villager.x + dx / left * step, villager.y + dy / left * step)
        villager.steps += step
        villager.facing = _facing(dx, dy)

    def _arrive(self, villager: Villager, now: float) -> None:
        if villager.doing == "fleeing":
            villager.doing, villager.until = "hiding", now + 2.0
        elif villager.doing == "carrying":
            self._bring(villager.load, villager.goal.x, villager.goal.y)
            villager.load, villager.doing, villager.until = "", "idle", now + 0.4
        else:
            villager.doing = "working"
            villager.until = now + WORK[villager.trade]
            villager.worked_at = villager.goal.x, villager.goal.y
            villager.facing = "left" if villager.goal.x < villager.x else "right"

    def _finish(self, villager: Villager) -> None:
        """A load is ready: shoulder it. A tree that has no more to give falls."""
        villager.load = villager.trade
        if villager.trade == "wood":
            villager.goal.amount -= CHOP
            if villager.goal.amount <= 0:
                self._fell(villager.goal, villager)
        villager.goal = self._nearest(villager, DROP_OFF)
        villager.doing = "carrying"

    # -- questions --

    def _enemy(self, x: float, y: float, distance: float) -> bool:
        return self.units.nearest(x, y, groups=ENEMY, max_distance=distance) is not None

    def _nearest(self, villager: Villager, groups: int) -> Any | None:
        return search(self.units, villager, self._goal(villager, groups))

    def _goal(self, villager: Villager, groups: int, claims: Claims | None = None) -> Goal:
        """Something of these groups that can be reached without getting wet."""

        def reachable(unit: Any) -> bool:
            return self.land.is_dry(villager.x, villager.y, *_beside(villager, unit))

        return Goal(groups, max_distance=FAR, claims=claims, where=reachable)


def _beside(villager: Villager, goal: Any) -> tuple[float, float]:
    """Where to stand to work at a tree, or before a door."""
    if goal.groups == TREE:
        return goal.x + (17 if villager.x >= goal.x else -17), goal.y - 2
    return goal.x + (12 if villager.x >= goal.x else -12), goal.y - 4


def _facing(dx: float, dy: float) -> str:
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "up" if dy > 0 else "down"

"""A village gathers wood and gold: prints what it has; `villagers.py FILE.png` also draws it.

No two villagers go to the same tree, the mine has room for five, and all run from the wolf.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from math import hypot
from operator import attrgetter
from random import Random

from PIL import Image, ImageDraw

from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Goal, GoalSearch, Targeting

VILLAGER, TREE, MINE, HOUSE, WOLF, TAKEN = (1 << bit for bit in range(6))
WIDTH, HEIGHT = 640, 400
COLORS = {TREE: "#285a2d", MINE: "#d7b43c", HOUSE: "#825f46", WOLF: "#282832", VILLAGER: "#c8463c"}


@dataclass(eq=False)
class Unit:
    """A tree, the mine, a house, the wolf or a villager, who fetches wood or gold."""

    kind: int
    stock: int = 0  # of a tree or the mine: how many loads are left
    seats: int = 1  # and how many can work there
    trade: int = 0  # of a villager: TREE or MINE
    load: int = 0
    goal: Unit | None = None
    worked_at: tuple[float, float] | None = None
    busy_until: int = 0


class Village:
    """The whole game; the same seed plays the same game."""

    def __init__(self, seed: int) -> None:
        rng, self.tick, self.stock = Random(seed), 0, {TREE: 0, MINE: 0}
        self.units = units = DynamicQuadtree((0, 0, WIDTH, HEIGHT))
        self.claims = claims = Claims(units, TAKEN, attrgetter("seats"))
        self.work = {}
        for kind in self.stock:  # who finds none around his last place and anywhere waits a while
            near = Goal(kind, 90, claim=True, near=attrgetter("worked_at"))
            self.work[kind] = GoalSearch(
                units, near, Goal(kind, claim=True, retry=120), claims=claims
            )
        self.refuge = GoalSearch(units, Goal(HOUSE), claims=claims)  # gives up the tree or the seat
        self.fear = Targeting(
            units, max_distance=50, lose_distance=80, groups=WOLF, retarget_every=6
        )
        self.wolf, mine = Unit(WOLF), Unit(MINE, stock=10**6, seats=5)
        self.men = [Unit(VILLAGER, trade=TREE if number % 3 else MINE) for number in range(24)]
        places = [(Unit(HOUSE), 130.0, 130.0), (Unit(HOUSE), 500.0, 290.0), (mine, 330.0, 330.0)]
        places += [(man, 120 + 2 * number, 110) for number, man in enumerate(self.men)]
        places += [(Unit(TREE, 2), rng.uniform(20, 620), rng.uniform(20, 380)) for _ in range(70)]
        for unit, x, y in [*places, (self.wolf, 0.0, 180.0)]:
            units.add(unit, x, y, groups=unit.kind)

    def step(self) -> None:
        """Play one tick: the wolf roams, the frightened run, the others work."""
        self.units.move(self.wolf, self.tick * 0.9 % WIDTH, 180)
        wolves = [self.fear.target(man, self.tick) for man in self.men]
        scared = [man for man, wolf in zip(self.men, wolves, strict=True) if wolf]
        self.send(scared, self.refuge)
        for trade, goals in self.work.items():
            self.send([man for man in self.men if man.trade == trade and self.is_idle(man)], goals)
        for man in self.men:
            goal, is_ready = man.goal, self.tick >= man.busy_until
            if goal and goal in self.units and is_ready and self.walk(man, goal, man in scared):
                self.arrive(man, goal)
        self.tick += 1

    def send(self, men: list[Unit], goals: GoalSearch) -> None:
        """Give each of some villagers a goal; those before leave the rest to those after."""
        for man in men:
            man.goal = goals.search(man, self.tick)

    def is_idle(self, man: Unit) -> bool:
        """Whether a villager has nowhere to go, or what he went for is gone or not his."""
        goal = man.goal if man.goal in self.units else None
        return goal is None or (goal.kind == man.trade and self.claims.held(man) is not goal)

    def walk(self, man: Unit, goal: Unit, runs: bool) -> bool:
        """Take one step; return whether the villager has arrived."""
        (x, y), (to_x, to_y) = self.units.position(man), self.units.position(goal)
        share = min(1.0, (2.0 if runs else 1.2) / max(hypot(to_x - x, to_y - y), 0.1))
        self.units.move(man, x + share * (to_x - x), y + share * (to_y - y))
        return share == 1.0

    def arrive(self, man: Unit, goal: Unit) -> None:
        """Harvest, and carry it home; or put down the load."""
        if goal.kind == HOUSE:
            self.stock[man.trade] += man.load
            man.load, man.goal = 0, None
            return
        goal.stock, man.load, man.busy_until = goal.stock - 1, 1, self.tick + 40
        man.worked_at = self.units.position(goal)
        man.goal = self.units.nearest(*man.worked_at, groups=HOUSE)
        if goal.stock == 0:
            self.units.remove(goal)  # and with it ends the claim

    def picture(self) -> Image.Image:
        """Draw the village; a line joins each villager with what he has claimed."""
        draw = ImageDraw.Draw(image := Image.new("RGB", (WIDTH, HEIGHT), (104, 140, 84)))
        for unit in self.units:
            x, y = self.units.position(unit)
            if held := self.claims.held(unit):
                draw.line((x, y, *self.units.position(held)), (240, 230, 170))
            draw.circle((x, y), {TREE: 7, VILLAGER: 4}.get(unit.kind, 14), COLORS[unit.kind])
        return image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)  # y is up in the world


if __name__ == "__main__":
    village = Village(seed=3)
    for _ in range(1500):
        village.step()
    print(f"{village.stock[TREE]} wood, {village.stock[MINE]} gold; {village.claims}")
    if len(sys.argv) > 1:
        village.picture().save(sys.argv[1])

"""A small game without pictures that uses all of tilequad.ai: road, enemies, towers, villagers.

It is written as a game would be, and runs on the tree and on brute force. Both runs must log the
same events and end at the same positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import dist, inf
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest

from tests.brute_crowds import Body, BruteCrowd
from tests.brute_goal_search import BruteClaims, BruteGoalSearch
from tests.oracle import BruteDynamic
from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Goal, GoalSearch, Route, Targeting, policies, separate

pytestmark = pytest.mark.slow
ENEMY, TOWER, VILLAGER, TREE, SHELTER, DEPOT, TAKEN = (1 << bit for bit in range(7))
SQUARE = (0, 0, 1000, 1000)
ROAD = Route([(0, 500), (400, 500), (400, 300), (800, 300), (800, 700), (1000, 700)])
WALKERS = ENEMY | VILLAGER
TICKS = 600


@dataclass(eq=False)
class Unit:
    name: str
    x: float
    y: float
    radius: float = 6.0
    mass: float = 1.0
    health: int = 30
    walked: float = 0.0
    wood: int = 0
    reload: int = 0
    slot: int = 0  # of the game by brute force


class Game:
    """The rules, one method per kind of unit; `log` collects the events."""

    def __init__(self, seed, tree_class=DynamicQuadtree):
        rng = Random(seed)
        self.units = tree_class(SQUARE)
        self.tick, self.delivered, self.log = 0, 0, []
        self.enemies, self.towers, self.villagers = [], [], []
        for number in range(12):
            x, y = ROAD.at(150 + 100 * number)
            self.towers.append(self.add(TOWER, f"tower {number}", x, y + 45, 12, inf))
        for number in range(250):
            self.add(TREE, f"tree {number}", rng.uniform(0, 1000), rng.uniform(0, 1000), 5, inf)
        for number in range(8):
            self.add(SHELTER | DEPOT, f"house {number}", 60 + 125 * number, 80, 20, inf)
        for number in range(40):
            home = rng.uniform(0, 1000), rng.uniform(0, 250)
            self.villagers.append(self.add(VILLAGER, f"villager {number}", *home))
        if isinstance(self.units, BruteDynamic):
            world, goals = SimpleNamespace(bodies=self.units._units), BruteGoalSearch
            self.claims = BruteClaims(world, seats=lambda tree: 1)
        else:
            world, goals = self.units, GoalSearch
            self.claims = Claims(self.units, TAKEN)
        wood = Goal(TREE, max_distance=250, claim=True)
        self.jobs = goals(world, wood, Goal(SHELTER), claims=self.claims)
        self.refuge = goals(world, Goal(SHELTER), claims=self.claims)
        self.depot = goals(world, Goal(DEPOT))
        self.archers = Targeting(
            self.units,
            policies.first(lambda enemy: enemy.walked),
            max_distance=110,
            lose_distance=125,
            groups=ENEMY,
            lock=True,
            retarget_every=6,
        )
        self.fear = Targeting(
            self.units, max_distance=60, lose_distance=90, groups=ENEMY, retarget_every=4
        )

    def add(self, groups, name, x, y, radius=6.0, mass=1.0):
        unit = Unit(name, float(x), float(y), radius, mass)
        self.units.add(unit, unit.x, unit.y, radius=radius, groups=groups)
        return unit

    def step(self):
        if self.tick % 10 == 0 and self.tick < 400:
            self.enemies.append(self.add(ENEMY, f"enemy {self.tick}", *ROAD.at(0)))
        self.march()
        for tower in self.towers:
            self.shoot(tower)
        for villager in self.villagers:
            self.work(villager)
        self.separate()
        self.tick += 1

    def separate(self):
        slots = separate(self.units, WALKERS, against=WALKERS | TOWER, bounds=SQUARE)
        pushed = self.units.position_many(slots).tolist()
        for unit, (x, y) in zip(self.units.items(slots), pushed, strict=True):
            unit.x, unit.y = x, y

    def march(self):
        """Move all enemies toward a point ahead of them on the road."""
        if not self.enemies:
            return
        positions = np.array([(enemy.x, enemy.y) for enemy in self.enemies])
        walked = np.array([enemy.walked for enemy in self.enemies])
        walked = ROAD.progress_many(positions, walked, walked + 30)
        offsets = ROAD.at_many(walked + 20) - positions
        positions += 2 * offsets / np.maximum(np.hypot(*offsets.T), 1e-9)[:, None]
        rows = zip(self.enemies, positions.tolist(), walked.tolist(), strict=True)
        for enemy, (x, y), distance in rows:
            self.move(enemy, x, y)
            enemy.walked = distance

    def shoot(self, tower):
        target = self.archers.target(tower, self.tick)
        tower.reload -= 1
        if target is None or tower.reload > 0:
            return
        assert dist(self.units.position(tower), self.units.position(target)) <= 125
        tower.reload = 12
        target.health -= 10
        if target.health <= 0:
            self.record("kill", tower, target)
            self.enemies.remove(target)
            self.die(target)

    def work(self, villager):
        if self.fear.target(villager, self.tick) is not None:
            return self.walk(villager, self.refuge.search(villager, self.tick))
        if villager.wood:
            if self.walk(villager, self.depot.search(villager, self.tick)):
                self.delivered, villager.wood = self.delivered + 1, 0
            return None
        tree = self.claims.held(villager) or self.jobs.search(villager, self.tick)
        if self.walk(villager, tree) and self.claims.held(villager) is tree:
            self.record("chop", villager, tree)
            self.die(tree)
            villager.wood = 1
        return None

    def walk(self, unit, goal):
        """Take one step toward the goal; return True on arrival."""
        gap = dist((unit.x, unit.y), (goal.x, goal.y))
        if gap <= unit.radius + goal.radius + 1:
            return True
        share = min(1.5 / gap, 1)
        self.move(unit, unit.x + (goal.x - unit.x) * share, unit.y + (goal.y - unit.y) * share)
        return False

    def die(self, unit):
        self.units.remove(unit)

    def move(self, unit, x, y):
        unit.x, unit.y = x, y
        self.units.move(unit, x, y)

    def record(self, event, actor, target):
        self.log.append((self.tick, event, actor.name, target.name))


class BruteGame(Game):
    """The same game by brute force. Slots decide ties, so it gives them as the tree does."""

    def __init__(self, seed):
        self.free, self.used = [], 0
        super().__init__(seed, BruteDynamic)

    def add(self, groups, name, x, y, radius=6.0, mass=1.0):
        unit = super().add(groups, name, x, y, radius, mass)
        unit.slot = self.free.pop() if self.free else self.used
        self.used = max(self.used, unit.slot + 1)
        return unit

    def die(self, unit):
        self.free.append(unit.slot)
        super().die(unit)

    def separate(self):
        bodies = [
            Body(unit.slot, unit.x, unit.y, unit.radius, None, self.units.groups(unit))
            for unit in self.units
        ]
        by_slot = {unit.slot: unit for unit in self.units}
        crowd = BruteCrowd(bodies, WALKERS, WALKERS | TOWER, bounds=SQUARE)
        for slot, (x, y) in crowd.separate().items():
            self.move(by_slot[slot], x, y)


def run(game_class, seed):
    game = game_class(seed)
    for _ in range(TICKS):
        game.step()
        held = [game.claims.held(villager) for villager in game.villagers]
        held = [tree for tree in held if tree is not None]
        assert len(set(held)) == len(held), "two villagers claim one tree"
    return game


@pytest.fixture(scope="module")
def game():
    return run(Game, seed=7)


def test_the_game_is_the_same_with_the_tree_and_by_brute_force(game):
    brute = run(BruteGame, seed=7)

    assert game.log == brute.log
    assert [(unit.name, unit.x, unit.y) for unit in game.units] == [
        (unit.name, unit.x, unit.y) for unit in brute.units
    ]


def test_towers_kill_and_villagers_deliver(game):
    killed = [entry for entry in game.log if entry[1] == "kill"]

    assert len(killed) >= 20
    assert len({tower for _, _, tower, _ in killed}) >= 2
    assert game.delivered >= 40


def test_the_tree_agrees_with_the_game(game):
    game.units.check()
    assert all(game.units.position(unit) == (unit.x, unit.y) for unit in game.units)


def test_no_unit_overlaps_another_deeply(game):
    pairs = game.units.pairs(WALKERS | TOWER)
    depths = [
        a.radius + b.radius - dist((a.x, a.y), (b.x, b.y))
        for a, b in pairs
        if min(a.mass, b.mass) < inf
    ]

    assert len(depths) > 5
    assert max(depths) < 6

"""Towers and villagers: who is shot, and what a whole tick of a battle costs.

A thousand towers stand beside two winding roads with twenty thousand enemies, about 380 of them in
range of each. All of them choose the enemy first on the road.
"""

from functools import partial
from operator import attrgetter

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.plan import Plan, Race, Races, check
from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Goal, GoalSearch, Route, Targeting, policies

TOWER, ENEMY, VILLAGER, TREE, TAKEN = 1, 2, 4, 8, 16
TOWERS, ENEMIES, VILLAGERS, TREES = 1_000, 20_000, 2_000, 10_000
SIDE = 4_096.0  # px
RANGE = 187.0  # px; about 380 enemies
EVERY = 6  # ticks between two looks
SPEED = 1.5  # px a tick
LANE = 30.0  # px to each side of a road
SEARCHING = VILLAGERS // 10  # villagers that look for a tree in a tick
RELEASED = 1_000  # villagers that come out of one town hall
SLOTS, OBJECTS = "tilequad, by slot", "tilequad, objects"


class Enemy:
    """An enemy of the game, with the key that policies ask for."""

    def __init__(self, walked: float) -> None:
        self.walked = walked


class Battle:
    """Two roads, the enemies on them, the towers beside them, villagers and trees between them."""

    def __init__(self, by_slot: bool, **options: object) -> None:
        rng = np.random.default_rng(1)
        left, right = 100.0, SIDE - 100.0
        self.roads = [  # each winds through a half of the world, from low to high y
            Route([(left, low), (right, low), (right, high), (left, high)])
            for low, high in ((250.0, SIDE / 2 - 250), (SIDE / 2 + 250, SIDE - 250))
        ]
        self.lane = rng.uniform(-LANE, LANE, ENEMIES)
        self.walked = rng.uniform(0, self.roads[0].length, ENEMIES)
        self.units: DynamicQuadtree = DynamicQuadtree((0, 0, SIDE, SIDE))
        self.enemies = [Enemy(walked) for walked in self.walked.tolist()]
        self.slots = self.units.add_many(self.enemies, self.places(), groups=ENEMY)
        beside = np.linspace(0, self.roads[0].length, TOWERS // 2)
        self.tower_xy = np.concatenate([road.at_many(beside, 60.0) for road in self.roads])
        self.towers, self.tower_slots = self.settle("tower", self.tower_xy, TOWER)
        self.men = self.settle("villager", rng.uniform(0, SIDE, (VILLAGERS, 2)), VILLAGER)[1]
        self.settle("tree", rng.uniform(0, SIDE, (TREES, 2)), TREE)
        self.progress = np.zeros(len(self.units) + ENEMIES)
        self.progress[self.slots] = self.walked
        first = policies.first(self.progress if by_slot else attrgetter("walked"))
        self.aim = Targeting(self.units, first, max_distance=RANGE, groups=ENEMY, **options)
        claims = Claims(self.units, TAKEN)
        self.wood = GoalSearch(self.units, Goal(TREE, 300.0, claim=True), claims=claims)
        self.any_wood = GoalSearch(self.units, Goal(TREE, claim=True), claims=claims)
        self.by_slot, self.released, self.now = by_slot, 0, 0

    def settle(self, kind: str, xy: np.ndarray, group: int) -> tuple[list, np.ndarray]:
        names = [(kind, number) for number in range(len(xy))]
        return names, self.units.add_many(names, xy, groups=group)

    def places(self) -> np.ndarray:
        """Where the enemies are, half of them on each road."""
        halves = zip(self.roads, np.split(self.walked, 2), np.split(self.lane, 2), strict=True)
        return np.concatenate([road.at_many(walked, lane) for road, walked, lane in halves])

    def look(self) -> np.ndarray | list[Enemy]:
        """The enemies that the towers aim at."""
        towers = self.tower_slots if self.by_slot else self.units.slots(self.towers)
        found = self.aim.target_many(towers, self.now)
        return found if self.by_slot else self.units.items(found[found >= 0])

    def tick(self) -> None:
        """All enemies walk on, the towers aim, and a tenth of the villagers look for a tree."""
        self.walked = (self.walked + SPEED) % self.roads[0].length
        self.units.move_many(self.slots, self.places())
        self.progress[self.slots] = self.walked
        if not self.by_slot:
            for enemy, walked in zip(self.enemies, self.walked.tolist(), strict=True):
                enemy.walked = walked
        self.look()
        first = self.now % 10 * SEARCHING
        self.wood.search_many(self.men[first : first + SEARCHING], self.now)
        self.any_wood.search_many(self.men[: self.released], self.now)
        self.released, self.now = 0, self.now + 1

    def release(self) -> None:
        """Some villagers come out of one town hall."""
        self.released = RELEASED
        door = np.random.default_rng(3).normal(SIDE / 2, 40.0, (RELEASED, 2))
        self.units.move_many(self.men[:RELEASED], door)

    def kill_targets(self) -> None:
        """All targets die, and as many enemies come at the places where they died."""
        found = self.aim.target_many(self.tower_slots, self.now)
        for row in np.flatnonzero(np.isin(self.slots, found)).tolist():
            old = self.enemies[row]
            xy = self.units.position(old)
            self.units.remove(old)
            self.enemies[row] = new = Enemy(old.walked)
            self.units.add(new, *xy, groups=ENEMY)
            self.slots[row] = self.units.slot(new)
        self.progress[self.slots] = self.walked


def races(plan: Plan) -> Races:
    """All towers look around at once."""
    battle = Battle(True)
    xy, walked = battle.places(), battle.walked

    def by_numpy() -> list[int]:
        """The row of the enemy first on the road in range of each tower, by brute force."""
        x, y = np.ascontiguousarray(xy.T)
        found = []
        for tower_x, tower_y in battle.tower_xy.tolist():
            dx, dy = x - tower_x, y - tower_y
            rows = np.flatnonzero(dx * dx + dy * dy <= RANGE * RANGE)
            found.append(int(rows[walked[rows].argmax()]))
        return found

    def by_kdtree() -> list[int]:
        rows = cKDTree(xy).query_ball_point(battle.tower_xy, RANGE)
        return [near[int(walked[near].argmax())] for near in rows]

    check(battle.slots[by_numpy()].tolist() == battle.look().tolist(), "other targets")
    runners = {SLOTS: battle.look, "numpy by hand": by_numpy, "scipy cKDTree by hand": by_kdtree}
    yield Race("1,000 towers look", "roads", TOWERS, runners)


def frames(plan: Plan) -> Races:
    """The usual tick of a battle, and its worst ones."""
    for operation, before, count in (
        ("tick", None, 240),
        ("tick, all targets dead", Battle.kill_targets, 40),
        ("tick, 1,000 villagers released", Battle.release, 40),
    ):
        runners, prepare = {}, {}
        for name, by_slot in ((SLOTS, True), (OBJECTS, False)):
            battle = Battle(by_slot, lock=True, lose_distance=RANGE + 15, retarget_every=EVERY)
            for _ in range(2 * EVERY):
                battle.tick()
            runners[name] = battle.tick
            if before:
                prepare[name] = partial(before, battle)
        yield Race(operation, "roads", TOWERS, runners, frames=count, prepare=prepare)

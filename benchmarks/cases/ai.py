"""Towers and villagers: who is shot, and what a whole tick of a battle costs.

A thousand towers stand beside two winding roads with twenty thousand enemies, about 380 of them in
range of each. All of them choose the enemy first on the road.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from time import process_time

import numpy as np

from benchmarks.race import Race, WrongAnswerError
from benchmarks.results import Row
from benchmarks.timing import Runner
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
RELEASES = 5  # ticks in which they do
TICKS, QUICK_TICKS = 240, 30
NUMPY, KDTREE = "numpy by hand", "scipy cKDTree by hand"
SLOTS, OBJECTS, LOOP = "tilequad, by slot", "tilequad, objects", "tilequad, one by one"


class Enemy:
    """An enemy of the game, with the key that policies ask for."""

    __slots__ = ("walked",)

    def __init__(self, walked: float) -> None:
        self.walked = walked


class Battle:
    """Two roads, the enemies on them, the towers beside them, villagers and trees between them."""

    def __init__(self, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        self.roads = [winding(low, low + SIDE / 2) for low in (0.0, SIDE / 2)]
        self.lane = rng.uniform(-LANE, LANE, ENEMIES)
        self.walked = rng.uniform(0, self.roads[0].length, ENEMIES)
        self.units = DynamicQuadtree((0, 0, SIDE, SIDE))
        self.enemies = [Enemy(walked) for walked in self.walked.tolist()]
        self.slots = self.units.add_many(self.enemies, self.places(), groups=ENEMY)
        beside = np.linspace(0, self.roads[0].length, TOWERS // 2)
        self.tower_xy = np.concatenate([road.at_many(beside, 60.0) for road in self.roads])
        self.towers = [("tower", number) for number in range(TOWERS)]
        self.tower_slots = self.units.add_many(self.towers, self.tower_xy, groups=TOWER)
        self.villagers = [("villager", number) for number in range(VILLAGERS)]
        around = rng.uniform(0, SIDE, (VILLAGERS, 2))
        self.villager_slots = self.units.add_many(self.villagers, around, groups=VILLAGER)
        trees = [("tree", number) for number in range(TREES)]
        self.units.add_many(trees, rng.uniform(0, SIDE, (TREES, 2)), groups=TREE)
        self.by_slot = np.zeros(len(self.units) + ENEMIES)
        self.by_slot[self.slots] = self.walked
        claims = Claims(self.units, TAKEN)
        self.wood = GoalSearch(self.units, Goal(TREE, 300.0, claim=True), claims=claims)
        self.any_wood = GoalSearch(self.units, Goal(TREE, claim=True), claims=claims)
        self.released = 0  # villagers that look for a tree in the next tick, from one place
        self.tick = 0

    def places(self) -> np.ndarray:
        """Where the enemies are."""
        half = ENEMIES // 2  # on each road
        parts = (slice(half), slice(half, ENEMIES))
        return np.concatenate(
            [
                road.at_many(self.walked[part], self.lane[part])
                for road, part in zip(self.roads, parts, strict=True)
            ]
        )

    def march(self) -> np.ndarray:
        """All enemies walk on, and begin again at the end of the road."""
        self.walked = (self.walked + SPEED) % self.roads[0].length
        xy = self.places()
        self.units.move_many(self.slots, xy)
        self.by_slot[self.slots] = self.walked
        return xy

    def targeting(self, policy: policies.Policy, **options: object) -> Targeting:
        return Targeting(self.units, policy, max_distance=RANGE, groups=ENEMY, **options)

    def search(self, by_slot: bool) -> None:
        """A tenth of the villagers look for a tree, and those who were just released."""
        first = self.tick % 10 * SEARCHING
        for goals, low, high in (
            (self.wood, first, first + SEARCHING),
            (self.any_wood, 0, self.released),
        ):
            if by_slot:
                goals.search_many(self.villager_slots[low:high], self.tick)
            else:
                slots = self.units.slots(self.villagers[low:high])
                found = goals.search_many(slots, self.tick)
                self.units.items(found)
        self.released = 0

    def release(self) -> None:
        """Some villagers come out of one town hall."""
        self.released = RELEASED
        door = np.random.default_rng(3).normal(SIDE / 2, 40.0, (RELEASED, 2))
        self.units.move_many(self.villager_slots[:RELEASED], door)

    def kill(self, enemies: set[Enemy]) -> None:
        """Enemies die, and as many come at the places where they died."""
        for number, old in enumerate(self.enemies):
            if old in enemies:
                xy = self.units.position(old)
                self.units.remove(old)
                self.enemies[number] = new = Enemy(old.walked)
                self.units.add(new, *xy, groups=ENEMY)
                self.slots[number] = self.units.slot(new)
        self.by_slot[self.slots] = self.walked


def winding(low: float, high: float) -> Route:
    """A road that winds through a part of the world, from low to high y."""
    corners: list[tuple[float, float]] = []
    for number, y in enumerate(np.linspace(low + 250, high - 250, 2).tolist()):
        ends = (100.0, SIDE - 100.0)
        corners += [(x, y) for x in (ends if number % 2 == 0 else ends[::-1])]
    return Route(corners)


def races(missing: set[str]) -> Iterator[Race]:
    """All towers look around at once; all towers keep their targets."""
    battle = Battle()
    first = policies.first(battle.by_slot)
    by_object = policies.first(attrgetter("walked"))
    fast, slow, loop = (battle.targeting(policy) for policy in (first, by_object, by_object))
    runners: dict[str, Callable[[int], object]] = {
        SLOTS: lambda _: fast.target_many(battle.tower_slots, 0),
        OBJECTS: lambda _: targets_of(battle, slow, 0),
        LOOP: lambda _: [loop.target(tower, 0) for tower in battle.towers],
        NUMPY: lambda _: first_by_numpy(battle, battle.places(), battle.tower_xy),
    }
    if "scipy cKDTree" not in missing:
        runners[KDTREE] = lambda _: first_by_kdtree(battle, battle.places(), battle.tower_xy)
    expected = [battle.enemies[row] for row in runners[NUMPY](1)]
    for name, run in runners.items():
        check(name, found_by(battle, run(1)), expected)
    yield race("1,000 towers look", runners)

    aims = [battle.targeting(policy, lock=True, retarget_every=EVERY, at_once=None)
            for policy in (first, by_object, by_object)]  # fmt: skip
    kept: dict[str, Callable[[int], object]] = {
        SLOTS: lambda _: aims[0].target_many(battle.tower_slots, 0),
        OBJECTS: lambda _: targets_of(battle, aims[1], 0),
        LOOP: lambda _: [aims[2].target(tower, 0) for tower in battle.towers],
    }
    for name, run in kept.items():
        check(name, found_by(battle, run(1)), expected)
    yield race("1,000 towers keep their targets", kept)


def race(operation: str, runners: dict[str, Callable[[int], object]]) -> Race:
    timed = {name: Runner(run) for name, run in runners.items()}
    return Race(operation, "roads", TOWERS, "tick", timed)


def targets_of(battle: Battle, aim: Targeting, now: float) -> list[Enemy]:
    """The enemies that the towers aim at, from items to items."""
    found = aim.target_many(battle.units.slots(battle.towers), now)
    return battle.units.items(found[found >= 0])


def first_by_numpy(battle: Battle, xy: np.ndarray, towers: np.ndarray) -> list[int]:
    """The row of the enemy first on the road in range of each tower, by brute force."""
    x, y = np.ascontiguousarray(xy.T)
    found = []
    for tower_x, tower_y in towers.tolist():
        dx, dy = x - tower_x, y - tower_y
        rows = np.flatnonzero(dx * dx + dy * dy <= RANGE * RANGE)
        found.append(int(rows[battle.walked[rows].argmax()]))
    return found


def first_by_kdtree(battle: Battle, xy: np.ndarray, towers: np.ndarray) -> list[int]:
    """The same with a k-d tree, built again in each tick."""
    from scipy.spatial import cKDTree

    rows = cKDTree(xy).query_ball_point(towers, RANGE)
    return [near[int(battle.walked[near].argmax())] for near in rows]


def found_by(battle: Battle, answer: object) -> list[Enemy]:
    """An answer as enemies."""
    if isinstance(answer, np.ndarray):
        return battle.units.items(answer)
    assert isinstance(answer, list)
    return [battle.enemies[one] if isinstance(one, int) else one for one in answer]


def check(name: str, found: list[Enemy], expected: list[Enemy]) -> None:
    if found != expected:
        wrong = sum(a is not b for a, b in zip(found, expected, strict=True))
        raise WrongAnswerError(f"{name} chooses {wrong} other targets than numpy")


# -- whole ticks ---


def rows(ticks: int) -> list[Row]:
    """The usual tick of a battle and its worst ones, in seconds."""
    found = []
    for name, play in ((SLOTS, tick_by_slot), (OBJECTS, tick_by_object), (NUMPY, tick_by_numpy)):
        battle = Battle()
        first = policies.first(battle.by_slot if name == SLOTS else attrgetter("walked"))
        aim = battle.targeting(first, lock=True, lose_distance=RANGE + 15, retarget_every=EVERY)
        times = [timed(play, battle, aim) for _ in range(ticks)]
        steady = times[2 * EVERY :]
        found.append(row("tick", name, steady))
        if name == NUMPY:
            continue
        found.append(row("tick, the first", name, times[:1]))
        found.append(row("tick, the slowest", name, [max(steady)]))
        battle.kill(set(targets_of(battle, aim, battle.tick)))
        found.append(row("tick, all targets dead", name, [timed(play, battle, aim)]))
        releases = []
        for _ in range(RELEASES):
            timed(play, battle, aim)
            battle.release()
            releases.append(timed(play, battle, aim))
        found.append(row("tick, 1,000 villagers released", name, releases))
    return found


def row(operation: str, name: str, times: list[float]) -> Row:
    return Row(operation, "roads", TOWERS, "tick", name, float(np.median(times)), min(times),
               len(times))  # fmt: skip


def timed(play: Callable[[Battle, Targeting], None], battle: Battle, aim: Targeting) -> float:
    start = process_time()
    play(battle, aim)
    seconds = process_time() - start
    battle.tick += 1
    return seconds


def tick_by_slot(battle: Battle, aim: Targeting) -> None:
    battle.march()
    aim.target_many(battle.tower_slots, battle.tick)
    battle.search(by_slot=True)


def tick_by_object(battle: Battle, aim: Targeting) -> None:
    battle.march()
    for enemy, walked in zip(battle.enemies, battle.walked.tolist(), strict=True):
        enemy.walked = walked
    targets_of(battle, aim, battle.tick)
    battle.search(by_slot=False)


def tick_by_numpy(battle: Battle, aim: Targeting) -> None:
    """A sixth of the towers look; the search for trees is left out."""
    battle.walked = (battle.walked + SPEED) % battle.roads[0].length
    first_by_numpy(battle, battle.places(), battle.tower_xy[battle.tick % EVERY :: EVERY])

"""target_many: the same targets as target, one seeker after the other."""

from __future__ import annotations

import pickle
from functools import partial
from math import inf, nan
from operator import attrgetter
from random import Random

import numpy as np
import pytest

from tests.brute_targeting import BruteTargeting, World
from tests.by_slot import targets_of
from tests.share import share
from tests.test_ai_targeting import field as row
from tilequad import DynamicQuadtree
from tilequad.ai import Damage, Targeting, policies

TOWER, ENEMY, FRIEND = 1, 2, 4
SQUARE = (0, 0, 1000, 1000)
KINDS = ("closest", "farthest", "first", "last", "strongest", "weakest")


def field(towers=3, enemies=20, seed=1):
    """A tree with towers "t0" ... and enemies 0, 1 ..."""
    rng = Random(seed)
    units = DynamicQuadtree(SQUARE)
    for number in range(towers):
        units.add(f"t{number}", rng.uniform(300, 700), rng.uniform(300, 700), groups=TOWER)
    for number in range(enemies):
        units.add(number, rng.uniform(300, 700), rng.uniform(300, 700), groups=ENEMY)
    return units, [f"t{number}" for number in range(towers)]


# -- the whole life of a game, beside brute force --


class Battle:
    """A random battle on a tree and on a plain dict, with targets by the loop, batch and twin."""

    def __init__(self, seed, to_edge=False):
        rng = self.rng = Random(seed)
        self.units, self.world = DynamicQuadtree(SQUARE), World(to_edge)
        self.now, self.step = 0.0, rng.choice((1, 1, 1 / 60))
        self.score, self.health, self.hidden = {}, {}, set()
        self.by_slot = np.zeros(400)
        for number in range(rng.randrange(1, 9)):
            self.add(("tower", number), TOWER)
        for number in range(rng.randrange(40)):
            self.add(("enemy", number), ENEMY)
        groups = rng.choice((ENEMY, ENEMY, ENEMY | FRIEND, None))
        without = rng.choice((None, None, FRIEND, TOWER | FRIEND))
        picky = rng.random() < 0.4
        self.shots = Damage(self.units, self.health_of) if rng.random() < 0.4 else None
        self.under_way = []
        options = {
            "groups": groups,
            "without": without,
            "where": self.may if picky else None,
            "to_edge": to_edge,
            "lock": rng.random() < 0.5,
            "switch_margin": rng.choice((0, 0, 15.0)),
            "retarget_every": rng.choice((0, 3, 10)) * self.step,
            "at_once": rng.choice((None, 0, 2, 64)),
        }
        self.high = rng.choice((0, 120, 250, 5000))
        self.beyond = rng.choice((0, 0, 40.0))
        ranges = {"max_distance": self.high, "lose_distance": self.high + self.beyond}
        self.plain = not options["switch_margin"] and rng.random() < 0.5
        make = partial(Targeting, self.units, damage=self.shots, **ranges, **options)
        self.loop, self.batch, self.slots = make(), make(), make()
        self.twin = BruteTargeting(
            self.world,
            groups,
            without,
            options["where"],
            options["lock"],
            options["switch_margin"],
            options["retarget_every"],
            inf if options["at_once"] is None else options["at_once"],
            self.shots and self.shots.doomed,
        )

    def may(self, seeker, enemy):
        return enemy not in self.hidden and (3 * seeker[1] + 7 * enemy[1]) % 5 > 0

    def health_of(self, name):
        return self.health[name]

    def add(self, name, groups):
        rng = self.rng
        x, y = rng.choice((rng.uniform(0, 1000), 500)), rng.randrange(0, 1000, 50)
        number = name[1]
        footprint = {"radius": number} if number % 3 else {"size": (9 * number, 100)}
        self.units.add(name, x, y, groups=groups, **footprint)
        self.world.add(name, x, y, groups, **footprint)
        self.score[name] = rng.randrange(6) * 10
        self.health[name] = rng.randrange(1, 40)
        self.by_slot[self.units.slot(name)] = self.score[name]

    def change(self):
        """One random change of the world."""
        rng = self.rng
        name = (rng.choice(("enemy", "enemy", "enemy", "tower")), rng.randrange(45))
        if name[0] == "tower":
            name = "tower", name[1] % 12
        if name not in self.units:
            self.add(name, ENEMY if name[0] == "enemy" else TOWER)
            return
        body, chance = self.world.bodies[name], rng.random()
        if chance < 0.15:
            self.remove(name)
            if rng.random() < 0.5:  # from an object pool, back at once
                self.add(name, body.groups)
        elif chance < 0.25:
            body.groups = rng.choice((ENEMY, FRIEND, TOWER, ENEMY | FRIEND))
            self.units.set_groups(name, body.groups)
        elif chance < 0.35:
            self.hidden ^= {name}
        elif chance < 0.45:
            self.health[name] = rng.randrange(1, 40)
        else:
            body.x += rng.uniform(-80, 80)
            body.y += rng.choice((0, rng.uniform(-80, 80)))
            self.units.move(name, body.x, body.y)

    def remove(self, name):
        self.units.remove(name)
        self.world.remove(name)

    def tick(self):
        """Change the world, choose targets in four ways, and compare them."""
        rng = self.rng
        for _ in range(rng.randrange(6)):
            self.change()
        seekers = [name for name in self.world.bodies if name[0] == "tower"]
        rng.shuffle(seekers)
        if rng.random() < 0.2:
            del seekers[len(seekers) // 2 :]
        kinds = [KINDS[name[1] % 6] for name in seekers]
        lows = [name[1] % 3 * 20.0 if self.high > 100 else 0.0 for name in seekers]
        highs = [self.high + name[1] % 2 * 30.0 for name in seekers]
        by_unit = {kind: self.policy(kind, self.score.get) for kind in KINDS}
        if self.plain:  # the same choices by functions of the game's own
            by_unit = {kind: by_unit[kind].__call__ for kind in KINDS}
        by_slot = {kind: self.policy(kind, self.by_slot) for kind in KINDS}
        rows = list(zip(seekers, kinds, lows, highs, strict=True))
        twin = [
            self.twin.target(seeker, self.now, kind, self.score, low, high, high + self.beyond)
            for seeker, kind, low, high in rows
        ]
        loop = [
            self.loop.target(
                *(seeker, self.now), policy=by_unit[kind], min_distance=low, max_distance=high
            )
            for seeker, kind, low, high in rows
        ]
        batch = targets_of(
            self.batch,
            *(seekers, self.now),
            policy=[by_unit[kind] for kind in kinds],
            min_distance=lows,
            max_distance=highs,
        )
        slots = self.slots.target_many(
            *([self.units.slot(seeker) for seeker in seekers], self.now),
            policy=[by_slot[kind] for kind in kinds],
            min_distance=lows,
            max_distance=highs,
        )
        assert loop == twin
        assert batch == twin
        assert slots.dtype == np.int32
        assert slots.tolist() == [-1 if one is None else self.units.slot(one) for one in twin]
        self.shoot(twin)
        self.now += self.step
        return twin

    @staticmethod
    def policy(kind, key):
        made = getattr(policies, kind)
        return made if kind in ("closest", "farthest") else made(key)

    def shoot(self, targets):
        """Send shots and let some of them land, miss, or hit another."""
        if self.shots is None:
            return
        for target in targets:
            if target is not None and self.rng.random() < 0.3:
                self.under_way.append(self.shots.send(target, self.rng.randrange(20)))
        while self.under_way and self.rng.random() < 0.5:
            shot = self.under_way.pop(self.rng.randrange(len(self.under_way)))
            hit = self.shots.land(shot)
            if hit is not None and self.rng.random() < 0.3:
                self.remove(hit)


@pytest.mark.slow
@pytest.mark.parametrize("seed", share(range(25)))
def test_loop_batch_and_brute_force_choose_the_same_targets(seed):
    battle = Battle(seed)
    chosen = [battle.tick() for _ in range(400)]
    battle.units.check()
    assert seed % 7 or any(target is not None for targets in chosen for target in targets)


@pytest.mark.parametrize("seed", share(range(25)))
def test_loop_batch_and_brute_force_choose_the_same_targets_to_the_edge(seed):
    battle = Battle(1000 + seed, to_edge=True)
    chosen = [battle.tick() for _ in range(200)]
    assert any(any(targets) for targets in chosen)


@pytest.mark.parametrize("seed", share(range(6), 3))
def test_a_battle_saved_at_a_random_tick_goes_on_as_it_would_have(seed, again):
    battle = Battle(seed)
    for _ in range(Random(seed).randrange(200)):
        battle.tick()
    restored = again(battle)

    assert [battle.tick() for _ in range(100)] == [restored.tick() for _ in range(100)]


# -- options of the calls --


def answers() -> list:
    """The targets of battles, in each of which loop, batch and brute force agree."""
    battles = [Battle(seed) for seed in range(30, 36)]
    return [[str(battle.tick()) for _ in range(60)] for battle in battles]


def test_the_batch_takes_one_range_and_policy_for_all():
    units, towers = field()
    archers = Targeting(units, max_distance=0, groups=ENEMY)
    assert targets_of(archers, towers, 0) == [None] * 3
    assert archers.target_many([], 0).tolist() == []

    for_all = {"policy": policies.farthest, "max_distance": 300}
    expected = [archers.target(tower, 1, **for_all) for tower in towers]
    assert len(set(expected)) > 1
    assert targets_of(archers, towers, 1, **for_all) == expected


def test_an_upgraded_tower_keeps_its_target():
    units = row(orc=50)
    archers = Targeting(units, max_distance=60, groups=ENEMY, lock=True)
    assert archers.target("tower", 0) == "orc"
    units.add("rat", 501, 500, groups=ENEMY)

    assert archers.target("tower", 1, max_distance=200, policy=policies.farthest) == "orc"
    assert targets_of(archers, ["tower"], 2, max_distance=[300]) == ["orc"]


def test_a_range_larger_than_the_world_finds_everything():
    units, towers = field()
    archers = Targeting(units, policies.last(hash), max_distance=1e149, groups=ENEMY)
    assert targets_of(archers, towers, 0) == [0, 0, 0]
    assert archers.target("t0", 1) == 0


@pytest.mark.parametrize(
    "keys", [lambda one: (one % 2, one), lambda one: 2**60 + one, lambda one: str(one).zfill(2)]
)
def test_keys_of_any_type_that_compares_are_ranked_exactly(keys):
    units, towers = field()
    make = partial(Targeting, units, max_distance=300, groups=ENEMY)
    for policy in (policies.first(keys), policies.last(keys)):
        expected = [make(policy).target(tower, 0) for tower in towers]
        assert targets_of(make(policy), towers, 0) == expected


def test_large_whole_numbers_by_slot_are_ranked_exactly():
    units, towers = field()
    keys = np.arange(2**60, 2**60 + 23)
    for kind in (np.int64, np.uint64):
        archers = Targeting(
            units, policies.first(keys.astype(kind)), max_distance=1000, groups=ENEMY
        )
        assert targets_of(archers, towers, 0) == [19, 19, 19]
        assert archers.target("t0", 1) == 19


class Listing(DynamicQuadtree):
    """A tree that counts how many units it has listed."""

    listed = 0

    def within(self, *args, **options):
        found = super().within(*args, **options)
        self.listed += len(found)
        return found


def test_most_clustered_lists_nobody_to_count_a_heap():
    units = Listing((0, 0, 100, 100))
    units.add_many(range(50), [(50, 50)] * 50, groups=ENEMY)
    units.add("mortar", 40, 50)
    aim = Targeting(units, policies.most_clustered(5), max_distance=30, groups=ENEMY)
    assert aim.target("mortar", now=0) == 0
    assert units.listed == 50  # those in range


def test_most_clustered_is_where_most_others_are():
    units = row(alone=10, first=100, middle=105, last=110, far=200)
    units.add("tree", 511, 500, groups=FRIEND)
    mortar = Targeting(units, policies.most_clustered(5), max_distance=300, groups=ENEMY)

    def best():
        found = mortar.target("tower", 0)
        assert targets_of(mortar, ["tower"], 0) == [found]
        return found

    for without in (None, FRIEND, TOWER):
        mortar.without = without
        assert best() == "middle"
    units.set_groups("first", ENEMY | FRIEND)
    units.set_groups("far", ENEMY | FRIEND)
    for number in (1, 2, 3):
        units.add(number, 700 + number, 500, groups=ENEMY)
    assert best() == "far"
    mortar.without = FRIEND
    assert best() == 1


def test_a_switch_margin_stops_towers_from_changing_their_minds():
    units = row(orc=20, rat=30)
    make = partial(Targeting, units, max_distance=100, groups=ENEMY, switch_margin=5)
    loop, batch = make(), make()
    seen = []
    for now, distance in enumerate((30, 16, 15, 14.9, 24, 25.5)):
        units.move("rat", 500 + distance, 500)
        seen.append(loop.target("tower", now))
        assert targets_of(batch, ["tower"], now) == seen[-1:]

    assert seen == ["orc", "orc", "orc", "rat", "rat", "orc"]


def test_a_switch_margin_needs_numbers():
    units, towers = field()
    archers = Targeting(
        units, policies.first(str), max_distance=900, groups=ENEMY, switch_margin=1, lock=False
    )
    targets_of(archers, towers, 0)
    archers.policy = policies.last(str)
    for ask in (partial(targets_of, archers), lambda seekers, now: archers.target(seekers[0], now)):
        with pytest.raises(TypeError, match="switch_margin needs numbers from last"):
            ask(towers, 1)
    archers.policy = lambda query: query.nearest()
    with pytest.raises(ValueError, match="switch_margin needs a policy that ranks"):
        targets_of(archers, towers, 1)


class Fence:
    """A sight that is blocked between the sides of a vertical line; it counts what it is asked."""

    def __init__(self, x):
        self.x, self.asked = x, 0

    def clear(self, x0, y0, x1, y1):
        self.asked += 1
        return (x0 < self.x) == (x1 < self.x)


def test_sight_hides_targets_and_ends_locks():
    units = row(orc=-20, rat=40)
    make = partial(Targeting, units, max_distance=100, groups=ENEMY, sight=Fence(490), lock=True)
    loop, batch = make(), make()

    for now, x, seen in ((0, 480, "rat"), (1, 485, "rat"), (2, 495, "rat"), (3, 495, "orc")):
        units.move("orc", x, 500)
        units.move("rat", 540 if now < 3 else 489, 500)
        assert loop.target("tower", now) == seen
        assert targets_of(batch, ["tower"], now) == [seen]


def test_sight_is_asked_from_the_best_unit_down_and_no_further():
    units = DynamicQuadtree(SQUARE)
    units.add("tower", 500, 500, groups=TOWER)
    for number in range(50):
        units.add(number, 510 + number, 500, groups=ENEMY)
    fence = Fence(0)
    for policy in (policies.closest, policies.farthest, policies.first(int)):
        fence.asked = 0
        archers = Targeting(units, policy, max_distance=100, groups=ENEMY, sight=fence)
        archers.target("tower", 0)
        targets_of(archers, ["tower"], 1)
        assert fence.asked <= 3


# -- refusals --


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"slots": [0, 1, 0]}, ValueError, "slots must be unique, got 0 twice"),
        ({"slots": [0, 99]}, ValueError, "slots must be slots of units, got 99 in row 1"),
        ({"slots": [-1]}, ValueError, "got -1 in row 0"),
        ({"slots": [2**32]}, ValueError, "got 4294967296 in row 0"),
        ({"slots": [0.5]}, ValueError, "slots must be integers"),
        ({"slots": [[0]]}, ValueError, "slots must be integers"),
        ({"now": nan}, ValueError, "now"),
        ({"now": inf}, ValueError, "now"),
        ({"max_distance": [1, 2]}, ValueError, "max_distance must be one number or 1"),
        ({"max_distance": -1}, ValueError, "max_distance"),
        ({"max_distance": nan}, ValueError, "max_distance"),
        ({"max_distance": 1e151}, ValueError, "max_distance"),
        ({"min_distance": 51}, ValueError, "max_distance must be at least min_distance"),
        ({"lose_distance": 49}, ValueError, "lose_distance must be at least max_distance"),
        ({"policy": [policies.closest] * 2}, ValueError, "policy must be one policy or 1, got 2"),
        ({"policy": ["closest"]}, TypeError, "policy must be a function"),
        ({"policy": policies.first(np.array([1.0]))}, ValueError, "no number for slot"),
        ({"policy": policies.first(np.full(23, nan))}, ValueError, "nan"),
        ({"policy": policies.first(lambda one: None)}, ValueError, "None"),
        ({"policy": policies.first(lambda one: one or "")}, TypeError, "must compare"),
    ],
)
def test_wrong_arguments_are_refused_by_name_and_change_nothing(wrong, error, message):
    units, _ = field()
    make = partial(Targeting, units, max_distance=50, groups=ENEMY, retarget_every=10, at_once=0)
    asked, twin = make(), make()
    arguments = {"slots": [0], "now": 5, **wrong}
    if "policy" in wrong:
        asked.at_once, arguments["max_distance"] = None, 900
    with pytest.raises(error, match=message):
        asked.target_many(**arguments)
    asked.at_once = 0

    for now in range(30):
        assert asked.target_many([0], now).tolist() == twin.target_many([0], now).tolist()


def test_policies_pickle_and_say_what_they_are():
    key = attrgetter("walked")
    for policy, shown in (
        (policies.closest, "closest"),
        (policies.farthest, "farthest"),
        (policies.most_clustered(7), "most_clustered(7)"),
        (policies.first(np.arange(3)), "first(array of 3)"),
        (policies.last(key), f"last({key})"),
    ):
        assert repr(pickle.loads(pickle.dumps(policy))) == repr(policy) == shown
    assert pickle.loads(pickle.dumps(policies.closest)) is policies.closest
    for wrong in (3, "walked", None):
        with pytest.raises(TypeError, match="first needs a function or an array"):
            policies.first(wrong)
    with pytest.raises(ValueError, match="strongest needs a number for each slot"):
        policies.strongest(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="radius"):
        policies.most_clustered(-1)


def test_a_wrong_slot_takes_no_memory():
    units, _ = field()
    archers = Targeting(units, max_distance=50)
    for slots in ([2**31 - 1], [0, 2**31 - 1]):
        with pytest.raises(ValueError, match="got 2147483647 in row"):
            archers.target_many(slots, 0)
    assert len(archers._state) <= 100

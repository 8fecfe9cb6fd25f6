"""What refers to the units of a game is saved and restored with it.

That it ends with the life of a unit is what the battles of test_ai_targeting_many show.
"""

from operator import attrgetter
from random import Random

import pytest

from tests.by_slot import targets_of
from tests.trees import DynamicQuadtree
from tilequad.ai import Damage, Stagger, Targeting, TickBudget, policies

TOWER, ENEMY = 1, 2
SQUARE = (0, 0, 1000, 1000)


@pytest.fixture
def units():
    tree = DynamicQuadtree(SQUARE)
    tree.add("tower", 500, 500, groups=TOWER)
    tree.add("orc", 550, 500, groups=ENEMY)
    return tree


def test_a_dropped_target_is_forgotten_until_the_next_beat(units):
    archers = Targeting(units, max_distance=100, groups=ENEMY, lock=True, retarget_every=10)
    archers.drop("tower")
    assert archers.target("tower", 0) == "orc"
    archers.drop("tower")
    with pytest.raises(KeyError, match="ghost"):
        archers.drop("ghost")

    assert [archers.target("tower", now) for now in (1, 9, 10)] == [None, None, "orc"]


# -- saving ---


class Soldier:
    """A unit whose attributes are keys of policies and health of damage."""

    def __init__(self, name, walked=0.0, health=10.0):
        self.name, self.walked, self.health = name, walked, health

    def __repr__(self):
        return self.name


class Game:
    """All parts with state, on one tree, driven at random."""

    def __init__(self, seed):
        self.rng = Random(seed)
        self.units, self.now, self.under_way = DynamicQuadtree(SQUARE), 0, []
        self.shots = Damage(self.units, attrgetter("health"))
        self.aim = Targeting(
            self.units,
            policies.first(attrgetter("walked")),
            max_distance=150,
            lose_distance=170,
            groups=ENEMY,
            damage=self.shots,
            lock=seed % 2 > 0,
            retarget_every=5,
            at_once=2,
        )
        self.stagger = Stagger(7, units=self.units)
        self.budget = TickBudget(3, units=self.units)
        self.towers = [self.add(TOWER) for _ in range(12)]
        self.enemies = [self.add(ENEMY) for _ in range(40)]

    def add(self, groups):
        rng = self.rng
        unit = Soldier(f"unit {rng.random()}", rng.randrange(20), rng.randrange(1, 30))
        self.units.add(unit, rng.uniform(0, 1000), rng.uniform(0, 1000), groups=groups)
        return unit

    def tick(self):
        """Play one tick; return everything that the parts said in it."""
        rng, said = self.rng, []
        for enemy in rng.sample(self.enemies, 10):
            x, y = self.units.position(enemy)
            self.units.move(enemy, x + rng.uniform(-30, 30), y + rng.uniform(-30, 30))
            enemy.walked += rng.random()
        if rng.random() < 0.3:
            old = self.enemies.pop(rng.randrange(len(self.enemies)))
            self.units.remove(old)
            self.enemies.append(self.add(ENEMY))
        for tower, target in zip(
            self.towers, targets_of(self.aim, self.towers, self.now), strict=True
        ):
            said.append(repr(target))
            if target is not None and rng.random() < 0.5:
                self.under_way.append(self.shots.send(target, rng.uniform(0, 12)))
            said.append((self.stagger.due(tower, self.now), self.budget.take(tower, self.now)))
        while len(self.under_way) > 20:
            said.append(repr(self.shots.land(self.under_way.pop(0))))
        said.append(self.units.within(500, 500, 400).__repr__())
        said += [self.shots.under_way(enemy) for enemy in self.enemies]
        self.now += 1
        return said


@pytest.mark.parametrize("seed", range(4))
def test_a_saved_game_goes_on_as_if_nothing_had_happened(seed, again):
    game = Game(seed)
    for _ in range(Random(seed).randrange(100)):
        game.tick()
    restored = again(game)
    assert repr(list(restored.units)) == repr(list(game.units))

    for _ in range(200):
        assert game.tick() == restored.tick()


def test_units_may_refer_to_the_parts_of_their_game(again):
    units = DynamicQuadtree(SQUARE)
    anna, orc = Soldier("anna"), Soldier("orc")
    anna.aim = Targeting(units, max_distance=50)
    for unit in (anna, orc):
        units.add(unit, 500, 500)
    assert anna.aim.target(anna, 0) is orc
    other = again(anna)

    assert repr(other.aim.target(other, 1)) == "orc"
    assert other.aim.target(other, 1) is not orc

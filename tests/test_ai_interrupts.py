"""Ctrl-C at every place, and each callback that raises: all is as before or as after."""

import random

import numpy as np
import pytest

import tilequad
from tests.interrupts import Cut, alarms, assert_done_or_not, real_signals
from tilequad import DynamicQuadtree
from tilequad.ai import (
    Claims,
    Damage,
    Goal,
    GoalSearch,
    Projectiles,
    RangeEvents,
    Stagger,
    Targeting,
    TickBudget,
    pack,
    policies,
    unpack,
)
from tilequad.nav import Fog, Grid
from tilequad.quadtree import Contacts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not tilequad.COMPILED, reason="uncompiled, a signal may come in the middle of a commit"
    ),
]
TOWER, ENEMY, TREE, TAKEN = 1, 2, 4, 8


class Everyone:
    """Sees all but what is at one place."""

    def clear(self, x0, y0, x1, y1):
        return x1 != 42

    def clear_many(self, xy0, xy1):
        return xy1[:, 0] != 42


class World:
    """A small game with a bit of everything; the calls of a change are its methods."""

    def __init__(self, sight=None):
        self.units = units = DynamicQuadtree((0, 0, 100, 100), leaf_size=4)
        for name, x, groups in (
            *(("tower", 10, TOWER), ("keep", 20, TOWER), ("moat", 30, TOWER)),
            *(("orc", 40, ENEMY), ("rat", 42, ENEMY), ("imp", 50, ENEMY), ("elk", 55, ENEMY)),
            *(("oak", 60, TREE), ("ash", 61, TREE), ("elm", 70, TREE)),
        ):
            units.add(name, x, 50, radius=1, groups=groups)
        self.damage = Damage(units, lambda unit: 10)
        self.arrow = self.damage.send("orc", 4)
        self.shots = Projectiles(units, self.damage, groups=ENEMY)
        self.bolt = self.shots.fire(30, 50, (90, 50), 3, life=5, target="orc", damage=1, pierce=3)
        self.shots.fire(30, 52, (30, 0), 1, life=9, target="imp", damage=1, homing=True, splash=9)
        self.aims = Targeting(
            units,
            policies.first(len),
            max_distance=25,
            groups=ENEMY,
            where=lambda seeker, unit: unit != "elk",
            sight=sight,
            damage=self.damage,
            retarget_every=3,
            at_once=1,
        )
        self.claims = Claims(units, TAKEN, seats=lambda tree: 1 + (tree == "ash"))
        goals = (
            Goal(TREE, 45, claim=True, where=lambda seeker, tree: tree != "elm", retry=2),
            Goal(ENEMY, near=lambda seeker: (44, 50)),
        )
        self.goals = GoalSearch(units, *goals, claims=self.claims)
        self.events = RangeEvents(units, groups=ENEMY, sight=sight)
        self.gate = self.events.add(45, 50, 6)
        self.guard = self.events.follow("keep", 22, leave_radius=25)
        self.escort = self.events.follow("moat", 15)
        self.stagger, self.budget = Stagger(3, units=units), TickBudget(2, units=units)
        self.contacts = Contacts(units)
        self.fog = Fog(Grid(np.ones((4, 4)), 25), units=units)
        self.fog.follow("tower", 20)
        self.parts = [units, self.damage, self.aims, self.claims, self.goals, self.events]
        self.parts += [self.stagger, self.budget, self.fog, self.shots]
        self.play(0)
        units.remove("moat")
        units.add("moat", 30, 51, groups=TOWER)
        units.move("orc", 49, 50)
        units.move("imp", 59, 50)
        units.set_groups("rat", TREE)

    def play(self, now):
        """Ask everything; return what is told."""
        units, names = self.units, [*self.units]
        slots = units.slots(names)
        towers = units.slots([name for name in ("tower", "keep", "moat") if name in units])
        return [
            self.aims.target_many(towers, now).tolist(),
            self.goals.search_many(towers, now).tolist(),
            [self.claims.held(name) for name in names],
            self.claims.count_many(slots).tolist(),
            units.groups_many(slots).tolist(),
            self.damage.under_way_many(slots).tolist(),
            [list(map(repr, told)) for told in self.events.update()],
            [(repr(zone), self.events.inside(zone)) for zone in self.events],
            self.stagger.due_many(slots, now).tolist(),
            self.budget.take_many(slots, now).tolist(),
            self.contacts.update(),
            self.contacts.stayed(),
            self.fog.states().tolist(),
            [part.tolist() for part in self.shots.step(2.0)],
        ]

    def told(self):
        """What a game can tell of the world, now and later on."""
        inside = [(repr(zone), self.events.inside(zone)) for zone in self.events]
        damage = [(shot, self.damage.target(shot)) for shot in self.damage]
        flying = [*self.shots], self.shots.xy.tolist(), self.shots.left.tolist()
        held = [self.claims.held(name) for name in self.units]
        settings = self.aims.groups, self.aims.without, repr(self.aims), self.aims.at_once
        later = [self.play(now) for now in (1, 1, 2, 3)]
        self.units.check()
        return [inside, damage, flying, held, self.arrow in self.damage, settings, later]


def slots_of(world, *names):
    return world.units.slots(names)


CHANGES = {
    "add": lambda world: world.events.add(50, 50, 12),
    "follow": lambda world: world.events.follow("imp", 12),
    "remove": lambda world: world.events.remove(world.gate),
    "enable": lambda world: world.events.enable(world.gate, False),
    "update": lambda world: world.events.update(),
    "update_many": lambda world: world.events.update_many(),
    "target": lambda world: world.aims.target("moat", 1),
    "target_many": lambda world: world.aims.target_many(slots_of(world, "moat", "tower"), 1),
    "target_none": lambda world: world.aims.target_many([], 1),
    "drop": lambda world: world.aims.drop("keep"),
    "drop_many": lambda world: world.aims.drop_many(slots_of(world, "keep", "tower")),
    "set_groups": lambda world: setattr(world.aims, "groups", TREE),
    "set_without": lambda world: setattr(world.aims, "without", TREE),
    "set_max_distance": lambda world: setattr(world.aims, "max_distance", 30),
    "set_at_once": lambda world: setattr(world.aims, "at_once", 7),
    "search": lambda world: world.goals.search("tower", 1),
    "search_many": lambda world: world.goals.search_many(slots_of(world, "keep", "moat"), 1),
    "claim": lambda world: world.claims.claim("tower", "elm"),
    "release": lambda world: world.claims.release("keep"),
    "release_many": lambda world: world.claims.release_many(slots_of(world, "keep", "tower")),
    "is_free_many": lambda world: world.claims.is_free_many(
        slots_of(world, "oak"), slots_of(world, "tower")
    ),
    "send": lambda world: world.damage.send("orc", 7),
    "land": lambda world: world.damage.land(world.arrow),
    "miss": lambda world: world.damage.miss(world.arrow),
    "send_many": lambda world: world.damage.send_many(slots_of(world, "orc", "orc", "rat"), 7),
    "land_many": lambda world: world.damage.land_many([*world.damage]),
    "fire": lambda world: world.shots.fire(0, 50, (9, 50), 8, life=9, target="rat", damage=2),
    "step": lambda world: world.shots.step(9.0),
    "shots_removed": lambda world: world.shots.remove_many([*world.shots]),
    "doomed_many": lambda world: world.damage.doomed_many(slots_of(world, "orc", "rat")),
    "due": lambda world: world.stagger.due("moat", 1),
    "due_many": lambda world: world.stagger.due_many(slots_of(world, "moat", "tower"), 1),
    "take": lambda world: world.budget.take("moat", 1),
    "take_many": lambda world: world.budget.take_many(slots_of(world, "moat", "tower"), 1),
    "forget": lambda world: world.stagger.forget("tower"),
    "contacts": lambda world: world.contacts.update(),
    "pack": lambda world: pack(*world.parts),
}


OPEN = [(name, None) for name in ("update", "update_many", "target_many", "enable")]


@pytest.mark.parametrize(("name", "sight"), [*OPEN, *((name, Everyone()) for name in CHANGES)])
def test_a_change_that_is_cut_anywhere_is_done_or_not(name, sight):
    assert_done_or_not(lambda: World(sight), CHANGES[name], World.told)


def test_unpacking_that_is_cut_anywhere_is_done_or_not():
    packed = World()
    packed.play(1)
    packed.damage.send("imp", 3)
    packed.claims.release("keep")
    data, items = pack(*packed.parts), list(packed.units)

    def join(world):
        unpack(data, items, *world.parts)

    assert_done_or_not(World, join, lambda world: [world.play(now) for now in (1, 2, 3)])


@real_signals
@pytest.mark.parametrize(
    "name", ["update", "target_many", "search_many", "due_many", "contacts", "step"]
)
def test_a_real_signal_leaves_all_as_before_or_as_after(name):
    before, done = World(Everyone()), World(Everyone())
    CHANGES[name](done)
    allowed = before.told(), done.told()
    chance = random.Random(6)
    with alarms() as alarm:
        for _ in range(40):
            world = World(Everyone())
            try:
                alarm(chance.uniform(1e-6, 3e-4))
                CHANGES[name](world)
                alarm(0)
            except Cut:
                pass
            assert world.told() in allowed

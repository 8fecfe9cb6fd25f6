"""A program whose callbacks and items do everything that the AI can do, while it does it.

It is a program of its own, because what it looks for ends the interpreter. It prints "done".
"""

from __future__ import annotations

import copy
import os
import pickle
import random
import sys
import threading
from contextlib import suppress
from itertools import product

import numpy as np

from tests.share import share
from tilequad import DynamicQuadtree
from tilequad.ai import (
    Claims,
    Damage,
    Goal,
    GoalSearch,
    RangeEvents,
    Stagger,
    Targeting,
    TickBudget,
    best_blast,
    pack,
    policies,
    unpack,
)
from tilequad.quadtree import Contacts

REFUSALS = RuntimeError, ValueError, KeyError, TypeError, IndexError
BOX = (0, 0, 100, 100)
TAKEN = 8


class Item:
    """A unit whose own code may meddle: `when` it is hashed, compared, shown or deleted."""

    world: World | None = None
    when = ""

    def __init__(self, number: int) -> None:
        self.number = number

    def meddle(self, when: str) -> None:
        if Item.when == when and Item.world is not None:
            Item.world.meddle()

    def __hash__(self) -> int:
        self.meddle("hash")
        return self.number % 7

    def __eq__(self, other: object) -> bool:
        self.meddle("eq")
        return self is other

    def __repr__(self) -> str:
        self.meddle("repr")
        return f"<{self.number}>"

    def __del__(self) -> None:
        self.meddle("del")


class World:
    """Some units, an object of each class, and callbacks that call `meddle`."""

    def __init__(self, count: int = 30) -> None:
        self.action = ""
        self.deep = False
        self.times = 2  # how often to meddle
        self.units = DynamicQuadtree(BOX, leaf_size=4)
        self.items = [Item(number) for number in range(count)]
        self.units.add_many(self.items, self.places(count), groups=[1, 2, 4] * (count // 3))
        self.slots = self.units.slots(self.items)
        ask = self.ask
        self.damage = Damage(self.units, lambda unit: ask(3))
        self.shots = [self.damage.send(unit, 1) for unit in self.items[1:7]]
        self.aims = Targeting(
            self.units,
            policies.first(lambda unit: ask(unit.number)),
            max_distance=40,
            where=lambda seeker, unit: ask(unit.number % 3 > 0),
            sight=self,
            damage=self.damage,
        )
        self.plain = Targeting(self.units, lambda query: ask(query.nearest()), max_distance=40)
        self.claims = Claims(self.units, TAKEN, seats=lambda unit: ask(1))
        self.goals = GoalSearch(
            self.units,
            Goal(4, 30, claim=True, where=lambda seeker, unit: ask(unit.number % 2 > 0), retry=2),
            Goal(2, near=lambda seeker: ask((50, 50))),
            Goal(1, field=lambda seeker: ask(self)),
            claims=self.claims,
        )
        self.free = GoalSearch(self.units, Goal(2, 60, field=self, where=lambda *_: ask(True)))
        self.events = RangeEvents(self.units, sight=self)
        self.open = RangeEvents(self.units)
        for events in (self.events, self.open):
            for unit in self.items[:5]:
                events.add(*self.units.position(unit), 20)
                events.follow(unit, 20)
            events.update()
        self.stagger, self.budget = Stagger(3, units=self.units), TickBudget(4, units=self.units)
        self.contacts = Contacts(self.units)
        self.parts = [self.units, self.damage, self.aims, self.plain, self.claims, self.goals]
        self.parts += [self.free, self.events, self.open, self.stagger, self.budget]
        self.data, self.before = pack(*self.parts), list(self.units)

    @staticmethod
    def places(count: int) -> np.ndarray:
        return np.random.default_rng(count).uniform(0, 100, (count, 2))

    # -- what the objects call ---

    def ask(self, answer):
        self.meddle()
        return answer

    def clear(self, *line):
        return self.ask(True)

    def clear_many(self, xy0, xy1):
        return self.ask(np.ones(len(xy0), np.bool_))

    def distance_many(self, xy):
        return self.ask(np.arange(float(len(xy))))

    def meddle(self) -> None:
        if self.deep or not self.action or not self.times:
            return
        self.deep = True
        self.times -= 1
        try:
            with suppress(*REFUSALS):
                ACTIONS[self.action](self)
        finally:
            self.deep = False


def many(world: World) -> None:
    world.units.add_many([Item(number) for number in range(150)], [(50, 50)] * 150)


def zones(world: World) -> None:
    for events in (world.events, world.open):
        for _ in range(40):
            events.add(50, 50, 90)


def gone(world: World) -> None:
    for events in (world.events, world.open):
        for zone in list(events):
            events.remove(zone)


def fewer(world: World) -> None:
    """Take over a game of no units."""
    units = DynamicQuadtree(BOX)
    other = World.__new__(World)
    other.units = units
    parts = [Targeting(units, max_distance=9), RangeEvents(units), Stagger(3, units=units)]
    unpack(pack(units, *parts), [], world.units, world.plain, world.open, world.stagger)


# What callbacks do.
ACTIONS = {
    "add many": many,
    "remove all": lambda world: world.units.remove_many(world.units.slots(list(world.units))),
    "make the tree anew": lambda world: world.units.__init__(BOX),
    "take over": lambda world: unpack(world.data, world.before, *world.parts),
    "take over nothing": fewer,
    "add zones": zones,
    "remove zones": gone,
    "update": lambda world: (world.events.update(), world.open.update_many()),
    "target": lambda world: world.aims.target_many(world.units.slots(list(world.units)), 9),
    "search": lambda world: world.goals.search_many(world.units.slots(list(world.units)), 9),
    "search free": lambda world: world.free.search_many(world.units.slots(list(world.units)), 9),
    "claim": lambda world: world.claims.claim(world.items[7], world.items[9]),
    "release": lambda world: world.claims.release_many(world.slots),
    "claims anew": lambda world: world.claims.__init__(world.units, 16),
    "land": lambda world: [world.damage.land(shot) for shot in world.shots],
    "pace": lambda world: (world.stagger.due_many(world.slots, 5), world.budget.take(1, 5)),
    "contacts": lambda world: world.contacts.update(),
    "pickle": lambda world: pickle.dumps([world.open._tracker, world.stagger._state]),
    "settings": lambda world: (
        setattr(world.aims, "where", None),
        setattr(world.aims, "sight", None),
        setattr(world.aims, "damage", None),
        setattr(world.aims, "policy", policies.farthest),
        setattr(world.events, "sight", None),
    ),
    "raise": lambda world: 1 / 0,
}
REFUSALS += (ZeroDivisionError,)

# What is asked meanwhile.
VERBS = {
    "target": lambda world: world.aims.target(world.items[0], 1),
    "target_many": lambda world: world.aims.target_many(world.slots, 1),
    "plain": lambda world: world.plain.target_many(world.slots, 1),
    "search": lambda world: world.goals.search(world.items[0], 1),
    "search_many": lambda world: world.goals.search_many(world.slots, 1),
    "free": lambda world: world.free.search_many(world.slots, 1),
    "claim": lambda world: world.claims.claim(world.items[0], world.items[2]),
    "is_free": lambda world: world.claims.is_free_many(world.slots, world.slots),
    "release": lambda world: world.claims.release(world.items[0]),
    "update": lambda world: world.events.update(),
    "open": lambda world: world.open.update(),
    "follow": lambda world: world.open.follow(world.items[3], 9),
    "doomed": lambda world: world.damage.doomed_many(world.slots),
    "land": lambda world: world.damage.land(world.shots[0], world.items[2]),
    "blast": lambda world: best_blast(
        world.units, 50, 50, 90, 9, exclude=world.items[1], value=lambda unit: world.ask(1.0)
    ),
    "due": lambda world: world.stagger.due(world.items[4], 2),
    "take": lambda world: world.budget.take(world.items[4], 2),
    "contacts": lambda world: world.contacts.update(),
    "pack": lambda world: pack(*world.parts),
    "unpack": lambda world: unpack(world.data, world.before, *world.parts),
    "remove": lambda world: world.units.remove(world.items.pop()),
}


def used_up(world: World) -> None:
    """Use everything once more, without meddling."""
    world.action = ""
    Item.when = ""
    for verb in VERBS.values():
        with suppress(*REFUSALS):
            verb(world)
    world.units.check()


def reentrance() -> None:
    """Each verb, with each action in each of its callbacks and in the units' own code."""
    cases = list(product(VERBS.items(), ACTIONS, ("", "hash", "eq", "repr", "del")))
    for (name, verb), action, when in share(cases):
        world = World(12)
        world.units.move(world.items[0], 50, 50)
        world.action, Item.when, Item.world = action, when, world
        if when == "del":
            victim = world.items.pop(1)
            with suppress(*REFUSALS):
                world.units.remove(victim)
            del victim
        with suppress(*REFUSALS):
            verb(world)
        try:
            used_up(world)
        except BaseException:
            print("after", name, action, when)
            raise


def threads() -> None:
    """Twelve threads that do everything."""
    sys.setswitchinterval(1e-6)
    for seed in range(6):
        world = World(30)

        def work(number: int, world: World = world, seed: int = seed) -> None:
            chance = random.Random(100 * seed + number)
            doings = [*VERBS.values(), *ACTIONS.values()]
            for _ in range(25):
                with suppress(*REFUSALS, AssertionError):
                    chance.choice(doings)(world)

        crowd = [threading.Thread(target=work, args=(number,)) for number in range(12)]
        for thread in crowd:
            thread.start()
        for thread in crowd:
            thread.join()
        used_up(world)


def forks() -> None:
    """A callback that forks; both processes go on."""
    for name in ("target_many", "search_many", "update", "is_free", "blast"):
        world = World(12)
        parent = os.getpid()
        children: list[int] = []

        def fork(world: World, children: list[int] = children, parent: int = parent) -> None:
            if not children and os.getpid() == parent:
                children.append(os.fork())

        ACTIONS["fork"] = fork
        world.action = "fork"
        VERBS[name](world)
        used_up(world)
        if os.getpid() != parent:
            os._exit(0)
        assert children, name
        assert os.waitpid(children[0], 0)[1] == 0, name


def copies() -> None:
    """Shallow copies share what they know; objects are made anew about another tree."""
    for name in ("aims", "claims", "goals", "events", "open", "stagger", "budget", "damage"):
        world, other = World(12), World(30)
        thing = getattr(world, name)
        twin = copy.copy(thing)
        setattr(other, name, twin)
        for one in (other, world, other):
            for verb in [*VERBS.values(), many, zones]:
                with suppress(*REFUSALS):
                    verb(one)
        for units in (other.units, DynamicQuadtree(BOX)):
            with suppress(*REFUSALS):
                thing.__init__(units, max_distance=30)
            with suppress(*REFUSALS):
                thing.__init__(units)
            with suppress(*REFUSALS):
                thing.__init__(units, 16)
            used_up(world)


if __name__ == "__main__":
    for part in (reentrance, threads, forks, copies):
        if len(sys.argv) == 1 or part.__name__ in sys.argv[1:]:
            part()
    print("done")
    Item.when = ""

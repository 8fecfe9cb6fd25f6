"""Every allocation fails in turn: the AI raises an error, and goes on when there is memory."""

import numpy as np
import pytest

import tilequad
from tests.test_quadtree_hostile_memory import (
    assert_raises_or_is_right,
    failing,
    filled,
    survives,
)
from tilequad.ai import (
    Claims,
    Damage,
    Goal,
    GoalSearch,
    RangeEvents,
    Stagger,
    Targeting,
    TickBudget,
    pack,
    policies,
    unpack,
)

pytest.importorskip("_testcapi")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.alone,
    survives,
    pytest.mark.skipif(not tilequad.COMPILED, reason="uncompiled, nothing can crash"),
]

TAKEN = 4


def claims(ask):
    """A question about the claims of a hundred units."""
    tree = filled()
    slots = tree.slots(tree)
    book = Claims(tree, TAKEN, seats=2)
    GoalSearch(tree, Goal(claim=True), claims=book).search_many(slots[:100], 0)
    return lambda: ask(book, slots).tolist()


def aims(policy):
    """A round of targets."""
    tree = filled()
    slots = tree.slots(tree)
    towers = Targeting(tree, policy, max_distance=20)
    return lambda: towers.target_many(slots, 0).tolist()


CALLS = {
    "held_many": lambda: claims(lambda book, slots: book.held_many(slots)),
    "count_many": lambda: claims(lambda book, slots: book.count_many(slots)),
    "is_free_many": lambda: claims(lambda book, slots: book.is_free_many(slots, slots[::-1])),
    "closest": lambda: aims(policies.closest),
    "key": lambda: aims(policies.first(len)),
    "key_by_slot": lambda: aims(policies.first(np.arange(1000.0))),
}


@pytest.mark.parametrize("make", CALLS.values(), ids=CALLS)
def test_a_question_without_memory_raises_or_is_right(make):
    assert_raises_or_is_right(make(), 400)


class Fair:
    """Lets everyone see everything."""

    def clear_many(self, xy0, xy1):
        return np.ones(len(xy0), np.bool_)


OLD = np.lib.NumpyVersion(np.__version__) < "2.4.0"
CRASHES = pytest.mark.skipif(OLD, reason="numpy's cumsum crashes without memory")


@pytest.mark.parametrize(
    "sight", [None, pytest.param(Fair(), marks=CRASHES)], ids=["open", "sight"]
)
@pytest.mark.parametrize("moved", [2, 200])
def test_an_update_of_range_events_without_memory_goes_on_later(moved, sight):
    tree = filled()
    events = RangeEvents(tree, sight=sight)
    for i in range(1, 25):
        events.add(3 * i, 3 * i, 10)
    for name in list(tree)[:9]:
        events.follow(name, 10, leave_radius=15)
    events.update()
    slots = tree.slots(list(tree)[:moved])
    here, there = tree.position_many(slots), [(50.0, 50.0)] * moved
    failures = 0

    def update():
        tree.move_many(slots, there)
        events.update()

    for failed in failing(update, 400):
        failures += failed
        tree.check()
        if not failed:
            here, there = there, here
    assert failures > 20

    events.update()
    for zone in events:
        place = zone.position if zone.item is None else tree.position(zone.item)
        inside = set(tree.within(*place, zone.radius, exclude=zone.item))
        assert inside <= set(events.inside(zone))
        assert set(events.inside(zone)) <= set(tree.within(*place, zone.leave_radius))


class World:
    """Objects of all classes that keep state, about one tree."""

    def __init__(self):
        self.tree = tree = filled(120)
        self.slots = tree.slots(tree)
        self.names = list(tree)
        self.damage = Damage(tree, np.full(200, 9.0))
        self.shot = self.damage.send(self.names[3], 4)
        self.aims = Targeting(tree, policies.first(len), max_distance=20, damage=self.damage)
        self.claims = Claims(tree, TAKEN, seats=2)
        goals = Goal(max_distance=30, claim=True, retry=3), Goal(field=self, retry=1)
        self.goals = GoalSearch(tree, *goals, claims=self.claims)
        self.events = RangeEvents(tree)
        self.zone = self.events.add(50, 50, 20)
        self.stagger, self.budget = Stagger(3, units=tree), TickBudget(2, units=tree)
        self.parts = [tree, self.damage, self.aims, self.claims, self.goals, self.events]
        self.parts += [self.stagger, self.budget]

    def distance_many(self, xy):
        return np.arange(float(len(xy)))

    def told(self):
        """What a game can tell, and how it goes on."""
        tree, slots = self.tree, self.slots
        held = self.claims.held_many(slots).tolist()
        inside = [self.events.inside(zone) for zone in self.events]
        return [
            held,
            inside,
            self.shot in self.damage,
            self.damage.under_way_many(slots).tolist(),
            self.aims.target_many(slots, 7).tolist(),
            self.goals.search_many(slots[::7], 7).tolist(),
            self.stagger.due_many(slots, 7).tolist(),
            self.budget.take_many(slots, 7).tolist(),
            [told[1:] for told in self.events.update()],
            tree.groups_many(slots).tolist(),
        ]


CHANGES = {
    "target_many": lambda world: world.aims.target_many(world.slots, 1),
    "target": lambda world: world.aims.target(world.names[0], 1),
    "drop_many": lambda world: world.aims.drop_many(world.slots),
    "due_many": lambda world: world.stagger.due_many(world.slots, 1),
    "due": lambda world: world.stagger.due(world.names[90], 1),
    "take_many": lambda world: world.budget.take_many(world.slots, 1),
    "take": lambda world: world.budget.take(world.names[90], 1),
    "send": lambda world: world.damage.send(world.names[3], 5),
    "land": lambda world: world.damage.land(world.shot),
    "add": lambda world: world.events.add(20, 20, 10),
    "follow": lambda world: world.events.follow(world.names[5], 10),
    "remove": lambda world: world.events.remove(world.zone),
    "pack": lambda world: pack(*world.parts),
}


def assert_done_or_not(change, most, least=0):
    """Let so many allocations of a change fail in turn: the world is as before or as afterwards.

    More than `least` of them must fail; without a failure, it is as afterwards.
    """
    done = World()
    change(done)
    allowed = [World().told(), done.told()]
    world, failures = World(), 0
    for failed in failing(lambda: change(world), most):  # noqa: B023
        assert world.told() in (allowed if failed else allowed[1:])
        failures += failed
        world = World()
    assert failures > least


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_the_ai_without_memory_is_done_or_not(change):
    assert_done_or_not(change, 120)


LOSING = {
    "search_many": lambda world: world.goals.search_many(world.slots[::3], 1),
    "claim": lambda world: world.claims.claim(world.names[0], world.names[1]),
    "release_many": lambda world: world.claims.release_many(world.slots),
    "update": lambda world: world.events.update(),
}


@pytest.mark.parametrize("change", LOSING.values(), ids=LOSING)
def test_a_change_that_marks_units_without_memory_ends_nothing(change):
    world, failures = World(), 0
    for failed in failing(lambda: change(world), 200):  # noqa: B023
        failures += failed
        world.tree.check()
        world.told()
        world = World()
    assert failures


def test_a_game_that_is_unpacked_without_memory_is_as_before_or_as_after():
    packed = World()
    packed.told()
    data = pack(*packed.parts)
    assert_done_or_not(lambda world: unpack(data, packed.names, *world.parts), 900, 100)

"""Every allocation fails in turn: the AI raises an error, and goes on when there is memory."""

from __future__ import annotations

import numpy as np
import pytest

import tilequad
from tests.test_quadtree_hostile_memory import failing, filled
from tilequad.ai import Claims, Goal, GoalSearch, RangeEvents, Targeting, policies

pytest.importorskip("_testcapi")
pytestmark = [
    pytest.mark.alone,
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
    ask = make()
    expected = ask()
    found, failures = [], 0
    for failed in failing(lambda: found.append(ask()), 400):
        assert failed or found.pop() == expected
        found.clear()
        failures += failed
    assert failures
    assert ask() == expected


class Fair:
    """Lets everyone see everything."""

    def clear_many(self, xy0, xy1):
        return np.ones(len(xy0), np.bool_)


@pytest.mark.parametrize("sight", [None, Fair()], ids=["open", "sight"])
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

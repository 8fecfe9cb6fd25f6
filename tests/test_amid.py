"""A handler of a signal, or a finalizer, that uses what it comes in the midst of.

It is refused or told the truth, waits for nobody, and what it does is not lost.
"""

from contextlib import suppress

import pytest

from tests.interrupts import meddled_everywhere
from tests.test_nav_interrupts_asked import ALL, QUESTIONS, Town, all_answers, told
from tilequad import DynamicQuadtree
from tilequad.ai import Damage, March, Projectiles
from tilequad.nav import Grid, InfluenceMap

pytestmark = pytest.mark.slow
CHANGES = {
    "block": lambda town: town.grid.block([3, 40]),
    "cost": lambda town: town.grid.set_costs([7, 44, 60], 3.5),
    "watch": lambda town: town.fog.add(15, 75, 30) and None,
    "goals": lambda town: town.field.move_goals([(85, 5)]),
}


@pytest.fixture(scope="module")
def expected():
    return all_answers(Town())


@pytest.mark.parametrize("name", QUESTIONS)
def test_who_asks_in_the_midst_of_a_question_is_told_or_refused(name, expected):
    def ask(town):
        return told(QUESTIONS[name](town))

    places = 0
    for places, _, outer, inner in meddled_everywhere(lambda: Town(ask), ask, ask):
        assert outer == expected[name], places
        assert isinstance(inner, RuntimeError) or inner == expected[name], places
    assert places


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("name", ["find_many", "distance_many", "wide_costs", "counts"])
def test_a_change_in_the_midst_of_a_question_is_kept_or_refused(name, change, expected):
    fresh = Town()
    change(fresh)
    changed, places = all_answers(fresh), 0
    for places, town, _, inner in meddled_everywhere(lambda: Town(*ALL), QUESTIONS[name], change):
        refused = isinstance(inner, RuntimeError)
        assert all_answers(town) == (expected if refused else changed), places
    assert places


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("other", CHANGES.values(), ids=CHANGES)
def test_a_change_in_the_midst_of_another_is_kept_or_refused(change, other, expected):
    alone, both = Town(), Town()
    for ask, town in ((change, alone), (change, both), (other, both)):
        ask(town)
    answers, places = [all_answers(alone), all_answers(both)], 0
    for places, town, outer, inner in meddled_everywhere(lambda: Town(*ALL), change, other):
        assert outer is None, places
        assert all_answers(town) == answers[not isinstance(inner, RuntimeError)], places
    assert places


# -- units under orders, shots and influence -------------------------------------------------------


class Army:
    """Units on the march, with shots in flight and a map of their influence."""

    def __init__(self):
        self.grid = Grid([[True] * 12] * 6, 10)
        self.units = DynamicQuadtree(self.grid.bounds)
        self.slots = self.units.add_many("abcd", [(15, 15), (15, 35), (25, 15), (25, 35)], radius=3)
        self.march = March(self.units, self.grid)
        self.march.send(self.slots[:2], (105, 25))
        self.march.step(2)
        self.damage = Damage(self.units, lambda unit: 9)
        self.shots = Projectiles(self.units, self.damage)
        self.shots.fire_many(
            [(5, 5), (5, 9)], [(95, 5), (95, 9)], 3, life=30, targets=self.slots[2:]
        )
        self.threat = InfluenceMap(self.grid, self.units, 30)
        self.units.move("d", 85, 45)

    def remove(self):
        """Remove the first shot, unless it is gone."""
        with suppress(ValueError):
            self.shots.remove(0)

    def told(self):
        """What a game can tell of it, now and later."""
        self.threat.update()
        now = self.threat.totals, [*self.shots], [*self.damage], self.shots.xy
        later = [(self.march.step(2), self.shots.step()) for _ in range(9)]
        return repr(told([*now, later, self.march.going, self.march.place_many(self.slots)]))


ORDERS = {
    "send": lambda army: army.march.send(army.slots[2:], (55, 5)),
    "send_many": lambda army: army.march.send_many(army.slots[1:3], [(55, 5), (5, 55)]),
    "stop": lambda army: army.march.stop(army.slots[:1]),
    "fire": lambda army: army.shots.fire(5, 25, (95, 25), 3, life=30, target="c") and None,
    "remove": lambda army: army.remove(),
    "update": lambda army: army.threat.update(),
}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("amid", ORDERS)
def test_an_order_in_the_midst_of_another_is_kept_or_refused(name, amid):
    """Of two at once, one may be refused; if both are given, they count in either order."""

    def after(*names):
        army = Army()
        for one in names:
            ORDERS[one](army)
        return army.told()

    call, meddle, places = ORDERS[name], ORDERS[amid], 0
    allowed = {(1, 1): [after(name, amid), after(amid, name)]}
    allowed |= {(1, 0): [after(name)], (0, 1): [after(amid)]}
    for places, army, outer, inner in meddled_everywhere(Army, call, meddle):
        done = outer is None, inner is None
        assert army.told() in allowed[done], places
    assert places


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_in_the_midst_of_a_step_is_kept_or_refused(name):
    def step(army):
        army.march.step(2)
        army.threat.update()
        army.shots.step()

    plain, first, last = Army(), Army(), Army()
    for ask, army in ((step, plain), (ORDERS[name], first), (step, first), (step, last)):
        ask(army)
    ORDERS[name](last)
    expected, places = [plain.told(), first.told(), last.told()], 0
    for places, army, outer, inner in meddled_everywhere(Army, step, ORDERS[name]):
        assert outer is None, places
        allowed = expected[:1] if isinstance(inner, RuntimeError) else expected[1:]
        assert army.told() in allowed, places
    assert places

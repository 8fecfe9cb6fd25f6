"""A handler of a signal, or a finalizer, that uses what it comes in the midst of.

It is refused or told the truth, waits for nobody, and what it does is not lost.
"""

from contextlib import suppress
from itertools import product

import pytest

from tests.interrupts import meddled_everywhere
from tests.nav_worlds import told
from tests.test_nav_interrupts_asked import ALL, QUESTIONS, Town, all_answers, solid_map
from tilequad import COMPILED, DynamicQuadtree, load_map
from tilequad.ai import Damage, March, Projectiles
from tilequad.nav import Grid, InfluenceMap, Walls

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="uncompiled, each step of a kernel is such a place"),
]
EVERYWHERE = (-500, -500, 500, 500)
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

    def miss(self):
        """Let the first shot miss, unless it is over."""
        with suppress(ValueError):
            self.damage.miss(0)

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
    "aim": lambda army: army.damage.send("c", 2) and None,
    "miss": lambda army: army.miss(),
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


# -- the tiles of a layer --------------------------------------------------------------------------


class Tiles:
    """A layer, with all that follows it."""

    def __init__(self, path):
        self.layer = load_map(path).layer("ground")
        self.layer.query(EVERYWHERE)
        self.solid = self.layer.select(class_name="solid")
        self.walls = Walls(self.solid)
        self.told()

    def told(self):
        """What all of them tell."""
        ids = self.layer.query(EVERYWHERE)
        cells = [self.layer.gid_of(*cell) for cell in product(range(6), range(6))]
        found = ids.tolist(), self.layer.gids(ids).tolist(), self.solid.ids.tolist(), cells
        return *found, sorted(map(tuple, self.walls.merged().boxes().tolist()))


EDITS = {
    "set": lambda tiles: tiles.layer.set_tile(3, 4, 1) and None,
    "clear": lambda tiles: tiles.layer.clear_tile(3, 4),
    "line": lambda tiles: tiles.layer.set_tiles([(x, 4) for x in range(6)], 1),
    "gap": lambda tiles: tiles.layer.set_tiles([(3, y) for y in range(6)], 0),
}


@pytest.fixture(scope="module")
def tiles_path(tmp_path_factory):
    return solid_map(tmp_path_factory.mktemp("map"), 6)


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("amid", EDITS)
def test_an_edit_in_the_midst_of_another_is_kept_or_refused(name, amid, tiles_path):
    def after(*names):
        tiles = Tiles(tiles_path)
        for one in names:
            EDITS[one](tiles)
        return tiles.told()

    allowed, places = {True: [after(name, amid), after(amid, name)], False: [after(name)]}, 0
    made = meddled_everywhere(lambda: Tiles(tiles_path), EDITS[name], EDITS[amid])
    for places, tiles, outer, inner in made:
        assert outer is None, places
        assert tiles.told() in allowed[inner is None], places
    assert places

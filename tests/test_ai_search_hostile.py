"""Functions of the caller that change the tree, search themselves, or raise: nothing is lost."""

import pickle

import numpy as np
import pytest

from tests.by_slot import finds_of
from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Goal, GoalSearch

VILLAGER, TREE, SHELTER, TAKEN = 1, 2, 4, 8
SQUARE = (0, 0, 1000, 1000)
MEN = ("anna", "bert", "carl", "dora")


class Village:
    """Four men who hold trees, and what their own function may do while they search."""

    def __init__(self):
        self.units = units = DynamicQuadtree(SQUARE)
        for number, name in enumerate(MEN):
            units.add(name, 100 + number, 100, groups=VILLAGER)
        for number in range(8):
            units.add(number, 150 + 10 * number, 100, groups=TREE)
        self.claims = Claims(units, TAKEN, seats=self.seats)
        self.other = GoalSearch(units, Goal(TREE, claim=True), claims=self.claims)
        self.calls, self.trap_at, self.trap = 0, None, None

    def seats(self, tree):
        return 2 if tree == 2 else 1

    def spring(self):
        self.calls += 1
        if self.calls == self.trap_at:
            self.trap()

    def likes(self, man, tree):
        self.spring()
        return tree != 3

    def place(self, man):
        self.spring()
        return 120, 100

    def distance_many(self, xy):
        self.spring()
        return np.hypot(*(xy - 100).T)

    def counted_seats(self, tree):
        self.spring()
        return self.seats(tree)

    def goals(self, kind):
        goal = {
            "where": lambda: Goal(TREE, claim=True, where=self.likes, retry=9),
            "near": lambda: Goal(TREE, claim=True, near=self.place, retry=9),
            "field": lambda: Goal(TREE, claim=True, field=self, retry=9),
            "seats": lambda: Goal(TREE, claim=True, retry=9),
        }[kind]()
        if kind == "seats":
            self.claims = Claims(self.units, TAKEN, seats=self.counted_seats)
        first = Goal(SHELTER, 50, claim=True, retry=5)
        return GoalSearch(self.units, first, goal, claims=self.claims)

    def state(self, goals):
        return self.units.digest(), pickle.dumps(goals._searches.__reduce__()[2][4:]), [
            self.claims.held(man) for man in MEN
        ]  # fmt: skip


def raises():
    raise OSError("callback")


def traps(village):
    units = village.units
    return {
        "raise": raises,
        "remove": lambda: units.remove(1),
        "remove the seeker": lambda: units.remove("anna"),
        "add": lambda: units.add_many(range(100, 400), [(150, 100)] * 300, groups=TREE),
        "add again": lambda: (units.remove(0), units.add(0, 150, 100, groups=TREE)),
        "move": lambda: units.move(0, 900, 900),
        "convert": lambda: units.set_groups(0, SHELTER),
        "convert many": lambda: units.set_groups_many([units.slot(0)], SHELTER),
        "claim": lambda: village.claims.claim("dora", 7),
        "claim a seat of two": lambda: village.claims.claim("dora", 2),
        "release": lambda: village.claims.release("dora"),
        "search": lambda: village.other.search("dora", 0),
        "search many": lambda: finds_of(village.other, MEN, 0),
    }


@pytest.mark.parametrize("ask", ["search", "search_many"])
@pytest.mark.parametrize("kind", ["where", "near", "field", "seats"])
@pytest.mark.parametrize("name", traps(Village()))
def test_a_search_that_raises_has_changed_nothing(name, kind, ask):
    village = Village()
    goals = village.goals(kind)
    finds_of(goals, MEN[1:], 0)
    village.calls, village.trap = 0, traps(village)[name]
    before = village.state(goals)
    errors = []
    for trap_at in range(1, 40):
        village.calls, village.trap_at = 0, trap_at
        try:
            goals.search("anna", 3) if ask == "search" else finds_of(goals, MEN, 3)
        except (OSError, RuntimeError) as error:
            errors.append(type(error))
        else:
            break
        assert village.state(goals) == before
        village.units.check()
    assert set(errors) == {OSError if name == "raise" else RuntimeError}
    assert village.calls < village.trap_at
    village.units.check()


@pytest.mark.parametrize("name", traps(Village()))
def test_who_catches_the_error_in_a_filter_finds_what_he_would_have_found(name):
    village, twin = Village(), Village()
    goals, expected = village.goals("where"), twin.goals("where")

    def caught():
        with pytest.raises((OSError, RuntimeError)):
            traps(village)[name]()

    village.trap = caught
    for trap_at in range(1, 9):
        village.calls, village.trap_at = 0, trap_at
        assert finds_of(goals, MEN, trap_at) == finds_of(expected, MEN, trap_at)
        assert village.state(goals)[2] == twin.state(expected)[2]
    assert village.units.digest() == twin.units.digest()


def test_a_filter_may_ask_the_tree_and_the_claims():
    village = Village()
    seen = []

    def asks(man, tree):
        units, claims = village.units, village.claims
        seen.append((claims.held("anna"), claims.count(tree), claims.is_free(tree, man)))
        assert units.nearest(*units.position(tree), groups=TREE) == tree
        return GoalSearch(units, Goal(SHELTER)).search(man, 0) is None

    goals = GoalSearch(village.units, Goal(TREE, claim=True, where=asks), claims=village.claims)
    assert finds_of(goals, MEN, 0) == [0, 1, 2, 2]
    assert seen == [(None, 0, True), (0, 0, True), (0, 0, True), (0, 1, True)]


def test_goals_may_be_asked_in_their_own_filter():
    village = Village()
    depth = []

    def asks(man, tree):
        depth.append(man)
        if len(depth) < 3:
            assert finds_of(goals, MEN, len(depth)) == [0] * 4
        return True

    goals = GoalSearch(village.units, Goal(SHELTER, retry=1), Goal(TREE, where=asks, retry=1))
    assert goals.search("anna", 0) == 0
    assert len(depth) == 1 + 2 * len(MEN)  # two searches in the first one


def test_nobody_claims_while_the_tree_is_asked_by_others():
    village = Village()
    goals = village.goals("where")
    refused = []

    def claims_too(unit):
        with pytest.raises(RuntimeError, match="cannot modify"):
            goals.search("anna", 0)
        refused.append(unit)
        return False

    before = village.state(goals)
    assert village.units.nearest(100, 100, groups=TREE, where=claims_too) is None
    assert len(refused) == 8
    assert village.state(goals) == before


def test_goals_without_claims_are_questions():
    village = Village()
    goals = GoalSearch(village.units, Goal(TREE))

    assert village.units.nearest(0, 0, where=lambda unit: goals.search("anna", 0) == 0) == "anna"


def test_a_key_error_in_a_filter_passes_through():
    village = Village()
    goals = GoalSearch(village.units, Goal(TREE, where=lambda man, tree: {}[tree]))
    with pytest.raises(KeyError, match="0"):
        finds_of(goals, MEN, 0)

    village.units.move("anna", 1, 1)  # the tree is not busy any more

"""Goal search: the nearest unit for the first goal met; places, fields, failures and claims.

test_ai_search_games has the rules of claims, ties, filters and failures, beside brute force.
"""

import copy
from math import hypot, inf, nan
from operator import attrgetter

import numpy as np
import pytest

from tests.by_slot import finds_of
from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Goal, GoalSearch

VILLAGER, TREE, SHELTER, TAKEN = 1, 2, 4, 8
SQUARE = (0, 0, 1000, 1000)


@pytest.fixture
def units():
    tree = DynamicQuadtree(SQUARE)
    tree.add("anna", 100, 100, groups=VILLAGER)
    tree.add("bert", 104, 100, groups=VILLAGER)
    tree.add("oak", 150, 100, groups=TREE)
    tree.add("elm", 180, 100, groups=TREE)
    tree.add("barn", 600, 600, groups=SHELTER)
    return tree


@pytest.fixture
def claims(units):
    return Claims(units, TAKEN)


def find(units, seeker, *goals, claims=None):
    """One search, which each way of asking answers alike."""
    alone = GoalSearch(units, *goals, claims=claims).search(seeker, 0)
    assert finds_of(GoalSearch(units, *goals, claims=claims), [seeker], 0) == [alone]
    return alone


# -- goals ---


def test_two_villagers_get_two_trees_and_the_third_the_shelter(units, claims):
    units.add("carl", 108, 100, groups=VILLAGER)
    work = GoalSearch(units, Goal(TREE, 300, claim=True), Goal(SHELTER), claims=claims)

    assert [work.search(name, 0) for name in ("bert", "anna", "carl")] == ["oak", "elm", "barn"]
    assert finds_of(work, ["carl", "bert"], 0) == ["barn", "oak"]
    assert finds_of(work, [], 0) == []
    assert work.search_many([], 0).dtype == np.int32


def test_no_goals_release_the_claim_and_goals_without_claims_do_not(units, claims):
    claims.claim("anna", "oak")

    assert find(units, "anna", Goal(SHELTER)) == "barn"
    assert claims.held("anna") == "oak"
    assert find(units, "anna", claims=claims) is None
    assert claims.held("anna") is None


def test_the_max_distance_is_included(units):
    assert find(units, "anna", Goal(TREE, max_distance=hypot(50, 0))) == "oak"
    assert find(units, "anna", Goal(TREE, max_distance=49.999)) is None
    assert find(units, "anna", Goal(TREE, max_distance=10**400)) == "oak"
    assert find(units, "anna", Goal(VILLAGER, max_distance=0)) is None
    units.move("bert", 100, 100)
    assert find(units, "anna", Goal(VILLAGER, max_distance=0)) == "bert"


def test_a_filter_is_asked_nearest_first_until_one_passes():
    units = DynamicQuadtree(SQUARE)
    units.add("anna", 0, 0, groups=VILLAGER)
    units.add_many(range(1, 301), [(x, 0) for x in range(1, 301)], groups=TREE)
    asked = []

    def at_250(man, tree):
        asked.append(tree)
        return tree >= 250

    assert GoalSearch(units, Goal(TREE, where=at_250)).search("anna", 0) == 250
    assert asked == list(range(1, 251))


# -- places ---


class Man:
    """A villager who remembers where he felled a tree last."""

    def __init__(self, felled_at=None):
        self.felled_at = felled_at


def test_each_goal_has_a_place_of_its_own(units):
    units.add("fir", 590, 600, groups=TREE)
    last, near = Goal(TREE, 100, near=(600, 600)), Goal(TREE)

    assert find(units, "anna", last, near) == "fir"
    assert find(units, "anna", near, last) == "oak"
    assert find(units, "anna", Goal(TREE, 5, near=[600, 600]), near) == "oak"


@pytest.mark.parametrize("kind", ["function", "array"])
def test_a_place_may_be_that_of_the_seeker(kind):
    units = DynamicQuadtree(SQUARE)
    men = [Man((600, 600)), Man(), Man((0, 0))]
    for man in men:
        units.add(man, 100, 100, groups=VILLAGER)
    units.add("oak", 150, 100, groups=TREE)
    units.add("fir", 590, 600, groups=TREE)
    units.add("elm", 0, 10, groups=TREE)
    near = attrgetter("felled_at")
    if kind == "array":
        near = np.full((6, 2), nan)
        for man in men:
            if man.felled_at:
                near[units.slot(man)] = man.felled_at
    goal = Goal(TREE, 200, near=near)

    assert finds_of(GoalSearch(units, goal), men, 0) == ["fir", "oak", "elm"]
    assert [find(units, man, goal) for man in men] == ["fir", "oak", "elm"]


@pytest.mark.parametrize("near", [(nan, 0), (0, inf), (1, 2, 3), 7, ("a", "b"), (1e160, 0)])
def test_a_wrong_place_is_refused_when_the_goal_is_made(near):
    with pytest.raises(ValueError, match="near"):
        Goal(TREE, near=near)


@pytest.mark.parametrize(
    "near", [np.zeros((4, 3)), np.zeros((4, 2), int), np.zeros((2, 4)).T, np.zeros((8, 2))[::2]]
)
def test_a_wrong_array_of_places_is_refused(near):
    with pytest.raises(ValueError, match="near must be float64"):
        Goal(TREE, near=near)


@pytest.mark.parametrize("near", [(nan, 0), (0, inf), (1, 2, 3), 7, (1e160, 0), "ab"])
def test_a_wrong_place_of_a_seeker_is_refused_and_nothing_is_released(units, claims, near):
    claims.claim("anna", "oak")
    work = GoalSearch(units, Goal(TREE, claim=True, near=lambda man: near), claims=claims)
    with pytest.raises(ValueError, match="near"):
        work.search("anna", 0)

    assert claims.held("anna") == "oak"


def test_an_array_of_places_must_reach_to_the_slot_and_be_whole(units):
    short, half = np.zeros((1, 2)), np.array([[nan, 5.0]] * 5)
    with pytest.raises(ValueError, match="near has no place for slot 1"):
        GoalSearch(units, Goal(TREE, near=short)).search("bert", 0)
    with pytest.raises(ValueError, match=r"near must be finite .*, got \(nan, 5\)"):
        GoalSearch(units, Goal(TREE, near=half)).search("anna", 0)


# -- failures ---


def test_a_goal_that_failed_is_not_searched_again_for_a_while(units):
    asked = []

    def nothing(man, unit):
        asked.append(unit)
        return False

    work = GoalSearch(units, Goal(TREE, where=nothing, retry=30), Goal(SHELTER))
    for now in (10, 11, 39, 40, 41):
        assert work.search("anna", now) == "barn"

    assert asked == ["oak", "elm"] * 2  # at 10 and at 40


def test_failures_end_with_the_life_of_the_seeker(units):
    work = GoalSearch(units, Goal(TREE, 60, retry=1000))
    units.move("anna", 900, 900)
    assert work.search("anna", 0) is None
    units.move("anna", 100, 100)
    assert work.search("anna", 1) is None
    units.remove("anna")
    units.add("anna", 100, 100, groups=VILLAGER)

    assert work.search("anna", 2) == "oak"


# -- fields ---


class Gate:
    """Whoever is beyond x = 160 must go round by a gate far off; the west cannot be reached."""

    def __init__(self):
        self.asked = 0

    def distance_many(self, xy):
        self.asked += len(xy)
        way = np.hypot(*(xy - (100, 100)).T)
        way[xy[:, 0] > 160] += 900
        way[xy[:, 0] < 50] = inf
        return way


@pytest.fixture
def wood():
    units = DynamicQuadtree(SQUARE)
    for number in range(4):
        units.add(number, 100, 100, groups=VILLAGER)
    for name, x, y in (("beyond", 165, 100), ("west", 45, 100), ("near", 100, 200)):
        units.add(name, x, y, groups=TREE)
    units.add("far", 100, 800, groups=TREE)
    return units


def test_the_nearest_on_foot_is_not_the_nearest_in_a_straight_line(wood):
    assert find(wood, 0, Goal(TREE)) == "west"
    assert find(wood, 0, Goal(TREE, field=Gate())) == "near"
    assert find(wood, 0, Goal(TREE, 90, field=Gate())) is None
    assert find(wood, 0, Goal(TREE, field=Gate(), where=lambda man, tree: tree != "near")) == "far"


def test_many_share_the_distances_of_one_field(wood):
    claims, gate = Claims(wood, TAKEN), Gate()
    work = GoalSearch(wood, Goal(TREE, claim=True, field=gate), claims=claims)

    assert finds_of(work, [2, 0, 1, 3], 0) == ["near", "far", "beyond", None]
    assert gate.asked == 4
    assert [work.search(man, 0) for man in (2, 0)] == ["near", "far"]


def test_equal_walks_go_to_the_unit_added_first(wood):
    class Flat:
        def distance_many(self, xy):
            return np.zeros(len(xy))

    assert find(wood, 0, Goal(TREE, field=Flat())) == "beyond"
    wood.remove("beyond")
    wood.add("beyond", 165, 100, groups=TREE)
    assert find(wood, 0, Goal(TREE, field=Flat())) == "west"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda xy: np.full(len(xy), nan), "must give numbers, got nan"),
        (lambda xy: np.zeros(1), r"must give 4 distances, got shape \(1,\)"),
        (lambda xy: 7.0, "must give 4 distances"),
    ],
)
def test_a_field_that_answers_nonsense_is_refused(wood, answer, message):
    gate = Gate()
    gate.distance_many = answer
    with pytest.raises(ValueError, match=message):
        GoalSearch(wood, Goal(TREE, field=gate)).search(0, 0)


def test_a_field_has_its_own_place():
    with pytest.raises(ValueError, match="near and field exclude each other"):
        Goal(TREE, near=(1, 1), field=Gate())


# -- crowds ---


def two_at_odd_ones(tree):
    return 1 + tree % 2


@pytest.mark.parametrize("spread", [0, 3, 300])
def test_a_crowd_released_at_one_place_takes_what_each_would_take_in_turn(spread):
    rng = np.random.default_rng(spread)
    units = DynamicQuadtree(SQUARE)
    xy = np.round(rng.uniform(0, 1000, (900, 2)))  # some of them equally far
    units.add_many(range(900), xy, groups=TREE)
    men = [("man", number) for number in range(700)]
    units.add_many(men, 500 + np.round(rng.normal(0, spread, (700, 2))), groups=VILLAGER)
    claims = Claims(units, TAKEN, seats=two_at_odd_ones)
    work = GoalSearch(units, Goal(TREE, 400, claim=True), claims=claims)
    loop = copy.deepcopy(work)
    found = finds_of(work, men, 0)
    assert found == [loop.search(man, 0) for man in men]
    used = dict.fromkeys(range(900), 0)
    for man, tree in zip(men, found, strict=True):
        x, y = units.position(man)
        squares = (xy[:, 0] - x) * (xy[:, 0] - x) + (xy[:, 1] - y) * (xy[:, 1] - y)
        free = [one for one in range(900) if used[one] <= one % 2 and squares[one] <= 400 * 400]
        expected = min(free, key=lambda one: (squares[one], one), default=None)
        assert tree == expected
        if tree is not None:
            used[tree] += 1

    units.check()
    assert units.digest() == loop.units.digest()
    assert sorted(units.query(SQUARE, groups=TAKEN)) == [
        tree for tree in range(900) if used[tree] > tree % 2
    ]


def test_a_crowd_leaves_nothing_within_reach():
    units = DynamicQuadtree(SQUARE)
    units.add_many(range(3000), np.random.default_rng(5).uniform(0, 1000, (3000, 2)), groups=TREE)
    men = units.add_many([str(number) for number in range(3000)], [(500, 500)] * 3000)
    claims = Claims(units, TAKEN)
    found = GoalSearch(units, Goal(TREE, claim=True), claims=claims).search_many(men, 0)
    far = np.hypot(*(units.position_many(found) - 500).T)

    assert (np.diff(far) >= 0).all()
    assert len(set(found.tolist())) == 3000
    assert (claims.held_many(men) == found).all()


# -- wrong arguments ---


@pytest.mark.parametrize(
    ("wrong", "error", "name"),
    [
        ({"max_distance": -1}, ValueError, "max_distance"),
        ({"max_distance": nan}, ValueError, "max_distance"),
        ({"groups": 0}, ValueError, "groups"),
        ({"groups": 2.9}, TypeError, "groups"),
        ({"retry": -1}, ValueError, "retry"),
        ({"retry": nan}, ValueError, "retry"),
        ({"retry": inf}, ValueError, "retry"),
    ],
)
def test_a_goal_refuses_invalid_arguments_when_it_is_made(wrong, error, name):
    with pytest.raises(error, match=name):
        Goal(**wrong)


def test_goals_refuse_wrong_arguments_when_they_are_made(units, claims):
    with pytest.raises(ValueError, match="claim=True needs claims"):
        GoalSearch(units, Goal(TREE, claim=True))
    with pytest.raises(TypeError, match="goals must be Goal objects, got 2"):
        GoalSearch(units, TREE)
    with pytest.raises(TypeError, match="units must be a DynamicQuadtree"):
        GoalSearch({}, Goal(TREE))
    with pytest.raises(ValueError, match="claims must be about the same tree"):
        GoalSearch(DynamicQuadtree(SQUARE), Goal(TREE), claims=claims)


def test_wrong_seekers_and_clocks_are_refused_and_nothing_is_released(units, claims):
    claims.claim("anna", "oak")
    work = GoalSearch(units, Goal(SHELTER), claims=claims)
    anna = units.slot("anna")
    with pytest.raises(KeyError, match="ghost"):
        work.search("ghost", 0)
    with pytest.raises(ValueError, match="must be slots of units, got 77 in row"):
        work.search_many([anna, 77], 0)
    with pytest.raises(ValueError, match="must be slots of units, got -1 in row"):
        work.search_many([anna, -1], 0)
    with pytest.raises(ValueError, match=r"slots must be unique, got \d+ twice"):
        finds_of(work, ["anna", "anna"], 0)
    with pytest.raises(ValueError, match="slots must be integers"):
        work.search_many([[anna]], 0)
    for now in (nan, inf, -inf):
        with pytest.raises(ValueError, match="now must be finite"):
            work.search("anna", now)

    assert claims.held("anna") == "oak"


def test_the_tree_may_be_behind_a_wrapper(units):
    class Measured:
        def __init__(self, tree):
            self.tree, self.slot, self.items = tree, tree.slot, tree.items

    wrapped = Measured(units)
    claims = Claims(wrapped, TAKEN)
    work = GoalSearch(wrapped, Goal(TREE, claim=True), claims=claims)

    assert finds_of(work, ["anna"], 0) == ["oak"]
    assert claims.count("oak") == 1
    assert GoalSearch(units, Goal(TREE, claim=True), claims=claims).search("bert", 0) == "elm"


def test_the_repr_tells_the_goals(units):
    assert repr(GoalSearch(units, Goal(TREE, 30))).startswith(
        "<GoalSearch: Goal(groups=2, without=None, max_distance=30"
    )

"""Claims and find_goal: the nearest free tree, else the nearest shelter; never two to one."""

from __future__ import annotations

from math import inf, nan
from random import Random

import pytest

import tilequad
from tests.oracle import BruteDynamic
from tests.trees import DynamicQuadtree
from tilequad.ai import Claims, Goal, find_goal

VILLAGER, TREE, SHELTER = 1, 2, 4
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


# -- claims --


def test_a_claimed_item_is_free_for_its_holder_only(units):
    claims = Claims(units)
    claims.claim("anna", "oak")

    assert claims.held("anna") == "oak"
    assert claims.is_free("oak", "anna")
    assert not claims.is_free("oak", "bert")
    with pytest.raises(ValueError, match=r"'oak' is held by 'anna', not by 'bert'"):
        claims.claim("bert", "oak")
    assert claims.held("bert") is None


def test_a_second_claim_releases_the_first(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    claims.claim("anna", "oak")
    claims.claim("anna", "elm")

    assert claims.held("anna") == "elm"
    assert claims.is_free("oak", "bert")
    assert not claims.is_free("elm", "bert")


def test_release_frees_the_item_or_does_nothing(units):
    claims = Claims(units)
    claims.release("anna")
    claims.claim("anna", "oak")
    claims.release("anna")

    assert claims.held("anna") is None
    assert claims.is_free("oak", "bert")


def test_a_claim_ends_with_its_holder(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    units.remove("anna")

    assert claims.held("anna") is None
    assert claims.is_free("oak", "bert")
    claims.claim("bert", "oak")
    assert claims.held("bert") == "oak"


def test_a_claim_ends_with_its_item(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    units.remove("oak")

    assert claims.held("anna") is None
    claims.claim("anna", "elm")
    assert claims.held("anna") == "elm"


def test_a_unit_that_comes_back_has_lost_what_another_claimed(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    units.remove("anna")
    claims.claim("bert", "oak")
    units.add("anna", 100, 100, groups=VILLAGER)

    assert claims.held("anna") is None
    assert claims.held("bert") == "oak"
    claims.release("anna")
    assert not claims.is_free("oak", "anna")


def test_the_repr_counts_valid_claims(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    claims.claim("bert", "elm")
    units.remove("elm")

    assert repr(claims) == "<Claims: 1>"


@pytest.mark.parametrize(("claimant", "item"), [("anna", "ghost"), ("ghost", "oak")])
def test_claims_need_both_units_in_the_tree(units, claimant, item):
    claims = Claims(units)
    with pytest.raises(KeyError, match="ghost"):
        claims.claim(claimant, item)

    assert claims.is_free("oak", "bert")


def test_falsy_items_can_be_claimed():
    units = DynamicQuadtree(SQUARE)
    for item in (0, "", 1):
        units.add(item, 5, 5)
    claims = Claims(units)
    claims.claim(0, "")

    assert claims.held(0) == ""
    assert not claims.is_free("", 1)


@pytest.mark.parametrize("seed", range(5))
def test_claims_agree_with_a_plain_dict(seed):
    rng = Random(seed)
    units, claims = DynamicQuadtree(SQUARE), None
    for item in range(40):
        units.add(item, rng.uniform(0, 1000), rng.uniform(0, 1000))
    claims, held = Claims(units), {}
    for step in range(1500):
        claimant, item = rng.randrange(40), rng.randrange(40)
        taken = any(held.get(other) == item for other in held if other != claimant)
        action = rng.randrange(10)
        if action < 5 and claimant in units and item in units:
            assert claims.is_free(item, claimant) == (not taken)
            if not taken:
                claims.claim(claimant, item)
                held[claimant] = item
        elif action < 7:
            claims.release(claimant)
            held.pop(claimant, None)
        elif action < 8 and item in units and len(units) > 5:
            units.remove(item)
            held = {unit: held[unit] for unit in held if item not in (unit, held[unit])}
            units.add(1000 + step, 0, 0)  # so that the tree never runs empty
        assert [claims.held(unit) for unit in range(40)] == [held.get(unit) for unit in range(40)]


@pytest.mark.parametrize(
    ("wrong", "error", "name"),
    [
        ({"max_distance": -1}, ValueError, "max_distance"),
        ({"max_distance": nan}, ValueError, "max_distance"),
        ({"groups": 0}, ValueError, "groups"),
        ({"groups": 2.9}, TypeError, "groups"),
    ],
)
def test_a_goal_refuses_invalid_arguments_when_it_is_made(wrong, error, name):
    with pytest.raises(error, match=name):
        Goal(**wrong)


def test_removed_units_are_forgotten():
    units = tilequad.DynamicQuadtree(SQUARE)  # its slots are used again
    claims = Claims(units)
    for number in range(5000):
        units.add(("villager", number), 1, 1)
        units.add(("tree", number), 2, 2)
        claims.claim(("villager", number), ("tree", number))
        units.remove(("villager", number))
        units.remove(("tree", number))

    assert len(claims._claims) <= 100
    assert len(claims._holders) <= 100


def test_a_claim_forgotten_while_its_holder_was_away_is_void(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    units.remove("anna")
    for number in range(1000):  # enough for a sweep
        units.add(number, 1, 1)
        claims.claim(number, number)
    units.add("anna", 100, 100, groups=VILLAGER)

    assert claims.held("anna") is None
    assert claims.is_free("oak", "bert")


# -- find_goal --


def test_two_villagers_get_two_trees_and_the_third_the_shelter(units):
    units.add("carl", 108, 100, groups=VILLAGER)
    goals = Goal(TREE, max_distance=300, claims=Claims(units)), Goal(SHELTER)

    assert [find_goal(units, name, *goals) for name in ("bert", "anna", "carl")] == [
        "oak", "elm", "barn",
    ]  # fmt: skip


def test_searching_again_keeps_the_claim(units):
    wood = Goal(TREE, claims=Claims(units))

    assert [find_goal(units, "anna", wood) for _ in range(3)] == ["oak"] * 3
    assert wood.claims.held("anna") == "oak"


def test_finding_another_goal_releases_the_claim(units):
    wood, safety = Goal(TREE, claims=Claims(units)), Goal(SHELTER)
    find_goal(units, "anna", wood)

    assert find_goal(units, "anna", safety, wood) == "barn"
    assert find_goal(units, "bert", wood) == "oak"


def test_finding_nothing_releases_the_claim(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    units.move("anna", 900, 900)

    assert find_goal(units, "anna", Goal(TREE, max_distance=10, claims=claims)) is None
    assert claims.held("anna") is None


def test_goals_that_share_claims_keep_the_new_claim(units):
    claims = Claims(units)
    goals = Goal(TREE, claims=claims), Goal(SHELTER, claims=claims)

    assert find_goal(units, "anna", *goals) == "oak"
    assert claims.held("anna") == "oak"


def test_no_goals_find_nothing(units):
    assert find_goal(units, "anna") is None


def test_the_max_distance_is_included(units):
    assert find_goal(units, "anna", Goal(TREE, max_distance=50)) == "oak"
    assert find_goal(units, "anna", Goal(TREE, max_distance=49.999)) is None


def test_the_seeker_never_finds_itself(units):
    assert find_goal(units, "anna", Goal(VILLAGER)) == "bert"
    assert find_goal(units, "anna", Goal()) == "bert"


def test_a_unit_must_pass_where_and_be_free(units):
    claims = Claims(units)
    claims.claim("bert", "elm")
    not_oak = Goal(TREE, claims=claims, where=lambda tree: tree != "oak")

    assert find_goal(units, "anna", not_oak) is None
    claims.release("bert")
    assert find_goal(units, "anna", not_oak) == "elm"


def test_near_searches_around_another_point(units):
    units.add("fir", 590, 600, groups=TREE)

    assert find_goal(units, "anna", Goal(TREE), near=(600, 600)) == "fir"
    assert find_goal(units, "anna", Goal(TREE)) == "oak"


def test_invalid_arguments_are_rejected_and_release_nothing(units):
    claims = Claims(units)
    claims.claim("anna", "oak")

    with pytest.raises(KeyError, match="ghost"):
        find_goal(units, "ghost", Goal(TREE), near=(1, 1))
    for near in ((nan, 0), (0, inf), (1, 2, 3), 7, ("a", "b")):
        with pytest.raises(ValueError, match="near"):
            find_goal(units, "anna", Goal(TREE, claims=claims), near=near)
    assert claims.held("anna") == "oak"


@pytest.mark.parametrize("seed", range(4))
def test_a_village_works_the_same_with_the_tree_and_by_brute_force(seed):
    """Search and remove units in the same order on both trees, and check each goal by hand."""
    rng = Random(seed)
    trees = DynamicQuadtree(SQUARE), BruteDynamic(SQUARE)
    for number in range(150):
        x, y = rng.randrange(0, 1000, 10), rng.randrange(0, 1000, 10)
        kind = (VILLAGER, TREE, SHELTER)[min(number % 4, 2) if number % 20 else 2]
        for tree in trees:
            tree.add(number, x, y, groups=kind)
    villagers = trees[1].query(SQUARE, groups=VILLAGER)
    claims = [Claims(tree) for tree in trees]
    for _ in range(400):
        villager = rng.choice(villagers)
        if villager in trees[0]:
            expected = expected_goal(trees[1], claims[1], villager)
            found = [
                find_goal(tree, villager, Goal(TREE, max_distance=200, claims=own), Goal(SHELTER))
                for tree, own in zip(trees, claims, strict=True)
            ]
            assert found == [expected, expected]
        if rng.random() < 0.1:
            gone = rng.choice(list(trees[1]))
            for tree in trees:
                tree.remove(gone)


def expected_goal(units, claims, seeker):
    """What find_goal should return: the nearest free tree within 200, else the nearest shelter."""
    x, y = units.position(seeker)

    def ranked(groups, max_distance):
        found = units.query(SQUARE, groups=groups)
        distances = {item: (units.position(item)[0] - x) ** 2 + (units.position(item)[1] - y) ** 2
                     for item in found}  # fmt: skip
        return sorted(
            (item for item in found if distances[item] <= max_distance**2), key=distances.get
        )

    free = [tree for tree in ranked(TREE, 200) if claims.is_free(tree, seeker)]
    return next(iter(free + ranked(SHELTER, 10**6)), None)

"""Claims and search: the nearest free tree, else the nearest shelter, never two to one tree."""

from __future__ import annotations

from math import inf, nan
from random import Random

import pytest

from tests.oracle import BruteDynamic
from tests.trees import DynamicQuadtree
from tilequad.ai import Claims, Goal, search

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


# Claims.


def test_a_claim_holds_against_everybody_else(units):
    claims = Claims(units)
    claims.claim("anna", "oak")

    assert claims.held("anna") == "oak"
    assert claims.is_free("oak", "anna")
    assert not claims.is_free("oak", "bert")
    with pytest.raises(ValueError, match=r"'oak' is held by 'anna', not by 'bert'"):
        claims.claim("bert", "oak")
    assert claims.held("bert") is None


def test_claiming_again_is_no_error_and_claiming_another_lets_go_of_the_first(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    claims.claim("anna", "oak")
    claims.claim("anna", "elm")

    assert claims.held("anna") == "elm"
    assert claims.is_free("oak", "bert")
    assert not claims.is_free("elm", "bert")


def test_a_released_item_is_free_and_releasing_nothing_is_no_error(units):
    claims = Claims(units)
    claims.release("anna")
    claims.claim("anna", "oak")
    claims.release("anna")

    assert claims.held("anna") is None
    assert claims.is_free("oak", "bert")


def test_the_claim_of_the_dead_is_void(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    units.remove("anna")

    assert claims.held("anna") is None
    assert claims.is_free("oak", "bert")
    claims.claim("bert", "oak")
    assert claims.held("bert") == "oak"


def test_the_claim_on_a_felled_tree_is_void(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    units.remove("oak")

    assert claims.held("anna") is None
    claims.claim("anna", "elm")
    assert claims.held("anna") == "elm"


def test_one_who_comes_back_does_not_hold_what_another_took_meanwhile(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    units.remove("anna")
    claims.claim("bert", "oak")
    units.add("anna", 100, 100, groups=VILLAGER)

    assert claims.held("anna") is None
    assert claims.held("bert") == "oak"
    claims.release("anna")
    assert not claims.is_free("oak", "anna")


@pytest.mark.parametrize(("claimant", "item"), [("anna", "ghost"), ("ghost", "oak")])
def test_only_units_of_the_tree_claim_and_are_claimed(units, claimant, item):
    claims = Claims(units)
    with pytest.raises(KeyError, match="ghost"):
        claims.claim(claimant, item)

    assert claims.is_free("oak", "bert")


def test_items_that_count_as_false_are_items_like_others():
    units = DynamicQuadtree(SQUARE)
    for item in (0, "", 1):
        units.add(item, 5, 5)
    claims = Claims(units)
    claims.claim(0, "")

    assert claims.held(0) == ""
    assert not claims.is_free("", 1)


@pytest.mark.parametrize("seed", range(5))
def test_claims_agree_with_a_plain_list_of_who_holds_what(seed):
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
            held = {who: what for who, what in held.items() if item not in (who, what)}
            units.add(1000 + step, 0, 0)  # a stranger, so that the tree never runs dry
        assert {who: claims.held(who) for who in range(40)} == {
            who: held.get(who) for who in range(40)
        }


def test_the_book_of_claims_does_not_grow_with_the_dead():
    units = DynamicQuadtree(SQUARE)
    claims = Claims(units)
    for number in range(5000):
        units.add(("villager", number), 1, 1)
        units.add(("tree", number), 2, 2)
        claims.claim(("villager", number), ("tree", number))
        units.remove(("villager", number))
        units.remove(("tree", number))

    assert len(claims._items) <= 100
    assert len(claims._claimants) <= 100


def test_a_claim_swept_out_while_its_claimant_was_away_binds_nobody(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    units.remove("anna")
    for number in range(1000):  # enough to have the book looked through
        units.add(number, 1, 1)
        claims.claim(number, number)
    units.add("anna", 100, 100, groups=VILLAGER)

    assert claims.held("anna") is None
    assert claims.is_free("oak", "bert")


# Search.


def test_two_villagers_get_two_trees_and_the_third_the_shelter(units):
    units.add("carl", 108, 100, groups=VILLAGER)
    goals = Goal(TREE, max_distance=300, claims=Claims(units)), Goal(SHELTER)

    assert [search(units, name, *goals) for name in ("bert", "anna", "carl")] == [
        "oak", "elm", "barn",
    ]  # fmt: skip


def test_searching_again_keeps_the_tree_for_oneself(units):
    wood = Goal(TREE, claims=Claims(units))

    assert [search(units, "anna", wood) for _ in range(3)] == ["oak"] * 3
    assert wood.claims.held("anna") == "oak"


def test_running_for_shelter_leaves_the_tree_to_others(units):
    wood, safety = Goal(TREE, claims=Claims(units)), Goal(SHELTER)
    search(units, "anna", wood)

    assert search(units, "anna", safety, wood) == "barn"
    assert search(units, "bert", wood) == "oak"


def test_finding_nothing_releases_too(units):
    claims = Claims(units)
    claims.claim("anna", "oak")
    units.move("anna", 900, 900)

    assert search(units, "anna", Goal(TREE, max_distance=10, claims=claims)) is None
    assert claims.held("anna") is None


def test_goals_that_share_their_claims_do_not_release_what_they_just_took(units):
    claims = Claims(units)
    goals = Goal(TREE, claims=claims), Goal(SHELTER, claims=claims)

    assert search(units, "anna", *goals) == "oak"
    assert claims.held("anna") == "oak"


def test_no_goals_find_nothing(units):
    assert search(units, "anna") is None


def test_distance_reaches_to_the_edge_and_not_beyond(units):
    assert search(units, "anna", Goal(TREE, max_distance=50)) == "oak"
    assert search(units, "anna", Goal(TREE, max_distance=49.999)) is None


def test_the_seeker_is_never_its_own_goal(units):
    assert search(units, "anna", Goal(VILLAGER)) == "bert"
    assert search(units, "anna", Goal()) == "bert"


def test_where_and_claims_must_both_agree(units):
    claims = Claims(units)
    claims.claim("bert", "elm")
    not_oak = Goal(TREE, claims=claims, where=lambda tree: tree != "oak")

    assert search(units, "anna", not_oak) is None
    claims.release("bert")
    assert search(units, "anna", not_oak) == "elm"


def test_near_searches_around_another_place(units):
    units.add("fir", 590, 600, groups=TREE)

    assert search(units, "anna", Goal(TREE), near=(600, 600)) == "fir"
    assert search(units, "anna", Goal(TREE)) == "oak"


def test_a_bad_question_is_refused_and_releases_nothing(units):
    claims = Claims(units)
    claims.claim("anna", "oak")

    with pytest.raises(KeyError, match="ghost"):
        search(units, "ghost", Goal(TREE), near=(1, 1))
    for goal in (Goal(TREE, claims=claims, max_distance=-1), Goal(0, claims=claims)):
        with pytest.raises(ValueError, match=r"max_distance|groups"):
            search(units, "anna", goal)
    for near in ((nan, 0), (0, inf), (1, 2, 3), 7, ("a", "b")):
        with pytest.raises(ValueError, match="near"):
            search(units, "anna", Goal(TREE, claims=claims), near=near)
    assert claims.held("anna") == "oak"


@pytest.mark.parametrize("seed", range(4))
def test_a_village_works_as_it_does_by_brute_force(seed):
    """The same rounds of searching, felling and dying over both trees, and the rule by hand."""
    rng = Random(seed)
    trees = DynamicQuadtree(SQUARE), BruteDynamic(SQUARE)
    for number in range(150):
        x, y = rng.randrange(0, 1000, 10), rng.randrange(0, 1000, 10)
        kind = (VILLAGER, TREE, SHELTER)[min(number % 4, 2) if number % 20 else 2]
        for tree in trees:
            tree.add(number, x, y, groups=kind)
    villagers = trees[1].query(SQUARE, groups=VILLAGER)
    books = [Claims(tree) for tree in trees]
    for _ in range(400):
        who = rng.choice(villagers)
        if who in trees[0]:
            expected = expected_goal(trees[1], books[1], who)
            found = [
                search(tree, who, Goal(TREE, max_distance=200, claims=book), Goal(SHELTER))
                for tree, book in zip(trees, books, strict=True)
            ]
            assert found == [expected, expected]
        if rng.random() < 0.1:
            gone = rng.choice(list(trees[1]))
            for tree in trees:
                tree.remove(gone)


def expected_goal(units, claims, who):
    """The rule in plain words: sort all trees, take the first free one in sight; else a shelter."""
    x, y = units.position(who)

    def ranked(kind, reach):
        found = units.query(SQUARE, groups=kind)
        distances = {item: (units.position(item)[0] - x) ** 2 + (units.position(item)[1] - y) ** 2
                     for item in found}  # fmt: skip
        return sorted((item for item in found if distances[item] <= reach**2), key=distances.get)

    free = [tree for tree in ranked(TREE, 200) if claims.is_free(tree, who)]
    return next(iter(free + ranked(SHELTER, 10**6)), None)

"""Targeting: each policy picks the right enemy, and towers keep or change it in time."""

from math import inf, nan
from random import Random

import numpy as np
import pytest

import tilequad
from tests.brute_targeting import BruteTargeting, World
from tests.by_slot import targets_of
from tests.trees import DynamicQuadtree
from tilequad.ai import Targeting, policies
from tilequad.ai.policies import (
    TargetQuery,
    closest,
    farthest,
    first,
    last,
    most_clustered,
    strongest,
    weakest,
)

TOWER, ENEMY, CIVILIAN = 1, 2, 4
SQUARE = (0, 0, 1000, 1000)


def field(**distances):
    """A tree with a tower at (500, 500) and named enemies at these distances to its right."""
    units = DynamicQuadtree(SQUARE)
    units.add("tower", 500, 500, groups=TOWER)
    for name, distance in distances.items():
        units.add(name, 500 + distance, 500, groups=ENEMY)
    return units


def targets(targeting, ticks, seeker="tower"):
    return [targeting.target(seeker, tick) for tick in ticks]


class Counting:
    """A policy that counts its calls."""

    def __init__(self, policy=closest):
        self.policy = policy
        self.calls = 0

    def __call__(self, query):
        self.calls += 1
        return self.policy(query)


# -- policies --


@pytest.mark.parametrize("maker", [first, last, strongest, weakest, most_clustered])
def test_what_makes_a_policy_is_no_policy(maker):
    name = f"policies.{maker.__name__}"
    with pytest.raises(TypeError, match=f"policy must be the result of calling {name}"):
        Targeting(field(orc=30), maker, max_distance=50)


def test_keys_may_be_tuples_and_a_policy_may_be_any_function():
    units = field(orc=30, healer=40, rat=10)
    rank = {"orc": (False, 50), "healer": (True, 20), "rat": (False, 5)}
    healers_first = Targeting(units, strongest(rank.get), max_distance=60, groups=ENEMY)
    alphabet = Targeting(
        units, lambda query: min(query.candidates()), max_distance=60, groups=ENEMY
    )

    assert healers_first.target("tower", 0) == "healer"
    assert alphabet.target("tower", 0) == "healer"


@pytest.mark.parametrize("wrong", [nan, None, (True, nan), (None, 1)])
@pytest.mark.parametrize(("place", "count"), [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)])
def test_a_score_that_is_nan_or_none_is_rejected_wherever_it_is(wrong, place, count):
    names = ["orc", "rat", "ogre"][:count]
    units = field(**{name: 10 * number for number, name in enumerate(names, 1)})
    score = dict.fromkeys(names, (True, 1) if isinstance(wrong, tuple) else 1)
    score[names[place]] = wrong
    for policy in (first(score.get), weakest(score.get)):
        archers = Targeting(units, policy, max_distance=60, groups=ENEMY)
        with pytest.raises(ValueError, match=r"must score every unit, got .*(nan|None)"):
            archers.target("tower", 0)
        with pytest.raises(ValueError, match=r"must score every unit, got .*(nan|None)"):
            targets_of(archers, ["tower"], 0)


def test_scores_that_do_not_compare_are_rejected():
    units = field(orc=30, rat=10)
    archers = Targeting(units, first({"orc": 1, "rat": "x"}.get), max_distance=60, groups=ENEMY)

    for ask in (archers.target, lambda tower, now: targets_of(archers, [tower], now)):
        with pytest.raises(TypeError, match=r"the scores of first\(.*must compare"):
            ask("tower", 0)


def test_a_query_finds_the_nearest_of_all_or_some_candidates():
    units = field(orc=30, rat=10, ogre=50)
    query = TargetQuery(
        *(units, "tower", 500, 500, 0, 60, ENEMY),
        where=lambda seeker, unit: (seeker, unit) != ("tower", "rat"),
    )

    assert sorted(query.candidates()) == ["ogre", "orc"]
    assert query.nearest() == "orc"
    assert query.nearest(among=["ogre", "rat"]) == "ogre"
    assert query.nearest(among=["rat"]) is None
    assert query.nearest(among=[]) is None


# -- ranges; test_ai_targeting_many has the rules of locks, filters and groups --


@pytest.mark.parametrize("lock", [True, False])
def test_ranges_include_their_ends(lock):
    units = field(orc=50)
    ranges = {"max_distance": 50, "min_distance": 20, "lose_distance": 60}
    archers = Targeting(units, groups=ENEMY, lock=lock, **ranges)
    seen = []
    for distance in (50, 55, 60, 60.1, 55, 50.1, 50, 20, 19.9, 20):
        units.move("orc", 500 + distance, 500)
        seen.append(archers.target("tower", 0) is not None)

    assert seen == [True, True, True, False, False, False, True, True, False, True]


def test_units_of_groups_to_leave_out_are_no_targets_any_more():
    units = field(orc=10, rat=20)
    units.set_groups("orc", ENEMY | CIVILIAN)
    archers = Targeting(units, max_distance=50, groups=ENEMY, without=CIVILIAN)
    several = Targeting(units, max_distance=50, groups=ENEMY, without=CIVILIAN)

    assert archers.without == CIVILIAN
    for now, (without, groups) in enumerate(
        ((CIVILIAN, ENEMY), (CIVILIAN, ENEMY | CIVILIAN), (None, ENEMY), (0, ENEMY))
    ):
        archers.without = several.without = without
        units.set_groups("rat", groups)
        seen = "orc" if not without else None if groups & CIVILIAN else "rat"
        assert archers.target("tower", now) == seen
        assert targets_of(several, ["tower"], now) == [seen]
    assert archers.without is None


def test_dropped_targets_are_forgotten_until_the_next_beat_one_or_many():
    units = field(orc=30)
    units.add("second", 500, 500, groups=TOWER)
    slots = [units.slot("tower"), units.slot("second")]
    archers = Targeting(units, max_distance=50, groups=ENEMY, retarget_every=10, lock=True)
    archers.drop("tower")
    archers.drop_many(slots)
    assert targets_of(archers, ["tower", "second"], 0) == ["orc", "orc"]
    archers.drop("tower")
    assert targets_of(archers, ["tower", "second"], 1) == [None, "orc"]
    archers.drop_many(slots)
    assert targets_of(archers, ["tower", "second"], 2) == [None, None]
    assert targets(archers, (3, 9, 10)) == [None, None, "orc"]
    with pytest.raises(KeyError, match="ghost"):
        archers.drop("ghost")
    for slot in (-1, 99):
        with pytest.raises(ValueError, match=f"must be slots of units, got {slot} in row"):
            archers.drop_many([slots[0], slot])


# -- when a tower searches --


def test_a_lost_target_is_replaced_at_once_but_a_vain_search_waits():
    units = field(orc=10, rat=20)
    policy = Counting()
    archers = Targeting(units, policy, max_distance=50, groups=ENEMY, retarget_every=10)
    assert targets(archers, range(3)) == ["orc"] * 3
    units.remove("orc")
    assert targets(archers, range(3, 6)) == ["rat"] * 3
    units.remove("rat")
    assert targets(archers, range(6, 9)) == [None] * 3
    assert policy.calls == 3
    units.add("ogre", 501, 500, groups=ENEMY)

    assert targets(archers, range(9, 12)) == [None, "ogre", "ogre"]
    assert policy.calls == 4


def test_a_locked_target_costs_no_queries_an_unlocked_one_a_query_per_interval():
    units = field(orc=10)
    for lock, expected in ((True, 1), (False, 6)):
        policy = Counting()
        archers = Targeting(
            units, policy, max_distance=50, groups=ENEMY, lock=lock, retarget_every=10
        )
        targets(archers, range(51))
        assert policy.calls == expected


def test_a_thousand_towers_share_the_ticks_evenly_the_first_too():
    units = DynamicQuadtree(SQUARE)
    rng = Random(1)
    for tower in range(1000):
        units.add(tower, rng.uniform(0, 1000), rng.uniform(0, 1000), groups=TOWER)
    policy = Counting()
    archers = Targeting(units, policy, max_distance=50, groups=ENEMY, retarget_every=8, at_once=20)
    calls = []
    for tick in range(40):
        before = policy.calls
        for tower in range(1000):
            archers.target(tower, tick)
        calls.append(policy.calls - before)

    assert calls[0] == 20
    assert all(122 <= number <= 128 + 20 for number in calls[1:9])
    assert all(122 <= number <= 128 for number in calls[9:])


def test_removed_towers_are_forgotten():
    units = tilequad.DynamicQuadtree(SQUARE)  # its slots are used again
    archers = Targeting(units, max_distance=50, groups=ENEMY)
    for number in range(5000):
        units.add(number, 500, 500, groups=TOWER)
        archers.target(number, 0)
        units.remove(number)

    assert len(archers._state) <= 100


def test_a_policy_may_ask_for_another_tower_and_may_fail():
    units = field(orc=40, rat=10)
    units.add("scout", 580, 500, groups=TOWER)

    def with_the_scout(query):
        found = closest(query) if query.seeker == "scout" else archers.target("scout", 0)
        if found is None:
            raise LookupError("nobody")
        return found

    archers = Targeting(units, with_the_scout, max_distance=50, groups=ENEMY)
    assert archers.target("tower", 0) == "orc"
    assert archers.target("tower", 0, policy=closest) == "rat"
    units.remove("orc")
    archers.drop("scout")
    with pytest.raises(LookupError):
        archers.target("tower", 1)
    assert archers.target("tower", 1, policy=closest) == "rat"
    assert archers.target("tower", 1, max_distance=5, policy=closest) is None


def test_falsy_items_may_be_seekers_and_targets():
    units = DynamicQuadtree(SQUARE)
    units.add(0, 10, 10, groups=TOWER)
    units.add("", 12, 10, groups=ENEMY)
    archers = Targeting(units, max_distance=5, groups=ENEMY)

    assert [archers.target(0, tick) for tick in range(2)] == ["", ""]


def test_the_repr_shows_policy_and_ranges():
    archers = Targeting(field(orc=10), max_distance=50, lose_distance=60, groups=ENEMY)
    archers.target("tower", 0)

    assert repr(archers) == "<Targeting by closest from 0 to 50, lost at 60, groups 2>"


# -- bad input --


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"max_distance": -1}, "max_distance"),
        ({"max_distance": nan}, "max_distance"),
        ({"max_distance": inf}, "max_distance"),
        ({"max_distance": 10, "min_distance": -1}, "min_distance"),
        ({"max_distance": 10, "min_distance": 11}, "max_distance"),
        ({"max_distance": 10, "lose_distance": 9}, "lose_distance"),
        ({"max_distance": 10, "retarget_every": -1}, "retarget_every"),
        ({"max_distance": 10, "retarget_every": nan}, "retarget_every"),
        ({"max_distance": 1e151}, "max_distance"),
        ({"max_distance": 10, "switch_margin": -1}, "switch_margin"),
        ({"max_distance": 10, "at_once": -1}, "at_once"),
        ({"max_distance": 10, "groups": 0}, "groups"),
        ({"max_distance": 10, "groups": 2**32}, "groups"),
        ({"max_distance": 10, "without": -1}, "without"),
        ({"max_distance": 10, "without": 2**32}, "without"),
    ],
)
def test_invalid_numbers_are_rejected_by_name_when_they_are_given(wrong, name):
    with pytest.raises(ValueError, match=name):
        Targeting(field(), **wrong)
    archers = Targeting(field(), max_distance=10, min_distance=10, lose_distance=10)
    before = repr(archers)
    with pytest.raises(ValueError, match=name):
        setattr(archers, name, 9 if wrong[name] == 10 else wrong[name])
    assert repr(archers) == before


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("groups", 2.9),
        ("at_once", 1.5),
        ("groups", "2"),
        ("policy", "closest"),
        ("max_distance", None),
        ("min_distance", None),
    ],
)
def test_what_is_no_mask_count_policy_or_distance_is_a_type_error(name, wrong):
    archers = Targeting(field(), max_distance=10)
    with pytest.raises(TypeError, match=name):
        Targeting(field(), **{"max_distance": 10, name: wrong})
    with pytest.raises(TypeError, match=name):
        setattr(archers, name, wrong)


def test_ranges_and_policy_may_be_set_and_the_lose_distance_moves_along():
    units = field(orc=30)
    archers = Targeting(units, max_distance=20, lose_distance=25, groups=ENEMY, lock=False)
    assert archers.target("tower", 0) is None
    archers.max_distance = 40
    assert (archers.lose_distance, archers.target("tower", 1)) == (45, "orc")
    archers.lose_distance = None
    archers.min_distance = 31
    assert (archers.lose_distance, archers.target("tower", 2)) == (40, None)
    archers.min_distance, archers.lose_distance = 0, 100
    assert archers.target("tower", 3) == "orc"
    archers.policy, archers.at_once = farthest, None
    units.add("rat", 510, 500, groups=ENEMY)
    assert (archers.target("tower", 4), archers.at_once) == ("orc", None)


def test_a_seeker_outside_the_tree_is_rejected():
    with pytest.raises(KeyError, match="ghost"):
        Targeting(field(), max_distance=10).target("ghost", 0)


# -- against brute force --


@pytest.mark.parametrize("kind", ["closest", "farthest", "first", "last"])
def test_an_unlocked_target_is_that_of_brute_force(world, kind):
    rng = Random(f"{world.name} {kind}")
    tree, plain, scores = DynamicQuadtree(world.bounds), World(), {}
    for number in range(200):
        x, y = world.place(rng)
        groups = ENEMY if number % 3 else TOWER
        scores[number] = rng.randrange(4) if groups == ENEMY else None
        tree.add(number, x, y, groups=groups)
        plain.add(number, x, y, groups)
    twin = BruteTargeting(
        *(plain, ENEMY, None, None), lock=False, margin=0, every=0, at_once=inf, doomed=None
    )
    policy = {"closest": closest, "farthest": farthest}.get(kind)
    policy = policy or {"first": first, "last": last}[kind](scores.get)
    span = world.bounds.width
    for _ in range(20):
        low, high = sorted((rng.random() * span / 4, rng.random() * span))
        low = rng.choice((0, low))
        archers = Targeting(
            tree, policy, max_distance=high, min_distance=low, groups=ENEMY, lock=False
        )
        for seeker in rng.sample(range(200), 10):
            expected = twin.target(seeker, 0, kind, scores, low, high, high)
            assert archers.target(seeker, 0) == expected


def test_a_query_for_a_seeker_that_is_not_in_the_tree_is_refused():
    units = DynamicQuadtree((0, 0, 100, 100))
    units.add("orc", 10, 10)
    for ask in (TargetQuery.candidates, TargetQuery.nearest):
        with pytest.raises(KeyError, match="nobody"):
            ask(TargetQuery(units, "nobody", 0, 0, 0, 50))
        assert ask(TargetQuery(units, "orc", 0, 0, 0, 50)) in ([], None)


def test_where_is_asked_once_for_each_unit_and_the_tree_for_those_that_tie():
    class Counting:
        asked = 0

        def __init__(self, tree):
            self.tree = tree

        def __getattr__(self, name):
            return getattr(self.tree, name)

        def __contains__(self, unit):
            return unit in self.tree

        def nearest(self, *args, **options):
            self.asked += 1
            return self.tree.nearest(*args, **options)

    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add_many(range(60), [(unit, 50) for unit in range(58)] + [(20, 50), (10, 50)])
    units, refused = Counting(tree), []
    keys = np.arange(60) // 2  # 56 and 57 are equally strong, but not equally far
    keys[[20, 58]] = 99  # on one point

    def where(seeker, unit):
        refused.append(unit)
        return unit == 31

    aims = Targeting(units, policies.strongest(keys), max_distance=99, where=where)
    assert aims.target(0, now=0) == 31
    assert refused[:6] == [20, 58, 59, 56, 57, 54]
    assert len(refused) == len(set(refused))
    assert units.asked == 1

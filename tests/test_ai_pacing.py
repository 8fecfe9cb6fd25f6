"""Stagger: one interval, a different tick for each. TickBudget: a few per tick, in rotation."""

from __future__ import annotations

import copy
import pickle
import random
from itertools import pairwise
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilequad import DynamicQuadtree
from tilequad.ai import Stagger, TickBudget


@pytest.mark.parametrize("members", [1, 7, 60, 1000])
@pytest.mark.parametrize("every", [1, 2, 6, 7, 60])
def test_after_the_first_call_each_tick_has_an_even_share(members, every):
    stagger = Stagger(every)

    first, *later = [
        sum(stagger.due(member, tick) for member in range(members)) for tick in range(3 * every)
    ]

    assert first == members
    share = members / every
    assert max(later) <= share + 3
    assert min(later) >= share - 3
    if every > 1:
        assert sum(later[-every:]) == members


@given(every=st.integers(1, 100), earlier=st.integers(0, 50), start=st.integers(0, 10**9))
def test_a_member_is_due_once_per_interval(every, earlier, start):
    stagger = Stagger(every)
    for member in range(earlier):
        stagger.due(member, 0)

    due = [tick for tick in range(start, start + 4 * every + 1) if stagger.due(earlier, tick)]

    assert due[0] == start
    assert all(later - earlier == every for earlier, later in pairwise(due[1:]))
    assert 4 <= len(due) <= 6


def test_missed_intervals_count_once():
    stagger = Stagger(10)

    assert [stagger.due(0, now) for now in (0, 1000, 1001, 1009, 1010)] == [
        True, True, False, False, True,
    ]  # fmt: skip


def test_the_interval_may_be_in_seconds():
    stagger = Stagger(0.25)
    frames = [frame / 60 for frame in range(61)]

    assert sum(stagger.due(0, now) for now in frames) == 5


def test_an_interval_of_zero_is_always_due():
    stagger = Stagger(0)

    assert [stagger.due(0, now) for now in (0, 0, 1)] == [True, True, True]


@pytest.mark.parametrize("every", [-1, nan, inf])
def test_an_invalid_interval_is_rejected_by_name(every):
    with pytest.raises(ValueError, match=f"every.*{every}"):
        Stagger(every)


def test_the_repr_shows_the_interval_or_the_size():
    stagger, budget = Stagger(5), TickBudget(3)
    stagger.due(0, 0), stagger.due(1, 0)

    assert repr(stagger) == "<Stagger every 5: 2 members>"
    assert repr(budget) == "<TickBudget of 3 a tick>"
    assert (stagger.every, budget.per_tick) == (5, 3)


# -- a budget for a tick --


def test_those_that_ask_in_every_tick_are_served_in_a_fixed_rotation():
    budget = TickBudget(3)

    served = [[i for i in range(8) if budget.take(i, tick)] for tick in range(6)]

    assert [sorted(once) for once in served[:3]] == [[0, 1, 2], [3, 4, 5], [0, 6, 7]]
    assert all(len(once) == 3 for once in served)


@pytest.mark.parametrize("members", [1, 5, 64])
@pytest.mark.parametrize("per_tick", [1, 4, 100])
def test_nobody_waits_longer_than_one_round(members, per_tick):
    budget = TickBudget(per_tick)
    last = dict.fromkeys(range(members), -1)
    for tick in range(200):
        served = [i for i in range(members) if budget.take(i, tick)]
        assert len(served) == min(members, per_tick)
        for i in served:
            assert tick - last[i] <= -(-members // per_tick)
            last[i] = tick


def test_those_that_wait_longest_come_first_and_nothing_is_saved_up():
    budget = TickBudget(2)
    a, b, c, d = range(4)
    assert [budget.take(member, 0) for member in (c, a, d, b)] == [True, True, False, False]
    assert [budget.take(member, 1) for member in (b, d)] == [True, True]
    for tick in range(2, 50):
        budget.take(100 + tick, tick)

    assert [budget.take(member, 50) for member in (a, b, c, d)] == [True, True, False, False]


def test_the_dead_keep_nobody_waiting_for_long():
    budget = TickBudget(2)
    assert sum(budget.take(member, 0) for member in range(6)) == 2

    assert [budget.take(5, tick) for tick in (1, 2)] == [False, True]


@pytest.mark.parametrize(
    ("wrong", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError), (None, TypeError)]
)
def test_a_wrong_budget_is_refused(wrong, error):
    with pytest.raises(error, match="per_tick"):
        TickBudget(wrong)


def test_a_budget_may_be_more_than_any_float():
    budget = TickBudget(10**400)
    assert all(budget.take(member, 0) for member in range(10))
    assert repr(budget) == f"<TickBudget of {budget.per_tick} a tick>"


# -- both: many, lives, keeping --

PACES = [
    pytest.param(lambda units: Stagger(4, units=units), "due", id="stagger"),
    pytest.param(lambda units: Stagger(0, units=units), "due", id="always"),
    pytest.param(lambda units: TickBudget(3, units=units), "take", id="budget"),
]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("make", "verb"), PACES)
def test_many_are_answered_as_one_after_the_other(make, verb, seed):
    chance = random.Random(seed)
    one, many = make(None), make(None)
    for tick in range(60):
        for _ in range(chance.randrange(3)):
            members = chance.sample(range(20 + tick), chance.randrange(12))
            found = getattr(many, f"{verb}_many")(members, tick)
            assert found.tolist() == [getattr(one, verb)(member, tick) for member in members]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("make", "verb"), PACES)
def test_units_that_live_again_begin_again_and_copies_go_on_equal(make, verb, seed):
    """Beside a twin that gives every life a number of its own."""
    chance = random.Random(seed)
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    twin, pace = make(None), make(units)
    numbers: dict = {}
    born = 0
    for tick in range(80):
        for _ in range(3):
            name = chance.randrange(12)
            if name in units:
                units.remove(name)
                del numbers[name]
            else:
                units.add(name, 1, 1)
                numbers[name] = born
                born += 1
        if tick % 20 == 19:
            copied = (copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both)))[tick % 40 > 20]
            units, pace = copied((units, pace))
        asked = chance.sample(list(units), chance.randrange(len(units) + 1))
        expected = [getattr(twin, verb)(numbers[name], tick) for name in asked]
        if tick % 2:
            assert [getattr(pace, verb)(name, tick) for name in asked] == expected
        else:
            slots = [units.slot(name) for name in asked]
            assert getattr(pace, f"{verb}_many")(slots, tick).tolist() == expected


def test_who_is_forgotten_begins_again():
    stagger, budget = Stagger(10), TickBudget(1)
    assert [stagger.due(3, tick) for tick in (0, 1)] == [True, False]
    stagger.forget(3), stagger.forget(99)
    assert stagger.due(3, 2)

    assert [budget.take(member, 0) for member in (0, 1, 2)] == [True, False, False]
    budget.forget(1)
    assert [budget.take(member, 2) for member in (1, 2)] == [False, False]
    assert budget.take(2, 3)


@pytest.mark.parametrize("now", [nan, inf])
@pytest.mark.parametrize(("make", "verb"), PACES)
def test_a_clock_that_is_not_finite_is_refused(make, verb, now):
    for ask, members in ((verb, 0), (f"{verb}_many", [0])):
        with pytest.raises(ValueError, match=f"now.*{now}"):
            getattr(make(None), ask)(members, now)


@pytest.mark.parametrize(("make", "verb"), PACES)
def test_wrong_members_are_refused_by_name(make, verb):
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    units.add("anna", 1, 1)
    free, bound = make(None), make(units)
    with pytest.raises(ValueError, match="numbers must be in 0"):
        getattr(free, verb)(-1, 0)
    with pytest.raises(ValueError, match="numbers must be in 0"):
        getattr(free, verb)(1 << 40, 0)
    with pytest.raises(TypeError):
        getattr(free, verb)("anna", 0)
    with pytest.raises(KeyError, match="bert"):
        getattr(bound, verb)("bert", 0)
    many_free, many_bound = getattr(free, f"{verb}_many"), getattr(bound, f"{verb}_many")
    with pytest.raises(ValueError, match=r"slots must be in 0 .* got -1"):
        many_free([3, -1], 0)
    with pytest.raises(ValueError, match="slots must be unique, got 3 twice"):
        many_free([3, 1, 3], 0)
    with pytest.raises(ValueError, match="slots must be slots of units, got 7 in row"):
        many_bound([units.slot("anna"), 7], 0)
    with pytest.raises(ValueError, match="slots must be integers"):
        many_free(np.array([0.5]), 0)
    assert many_free([], 0).tolist() == many_bound([], 0).tolist() == []

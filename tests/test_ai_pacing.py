"""Stagger: one interval, a different tick for each. Turns: so many a tick, in rotation."""

from __future__ import annotations

from itertools import pairwise
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilequad.ai import Stagger, Turns


@pytest.mark.parametrize("members", [1, 7, 60, 1000])
@pytest.mark.parametrize("every", [1, 2, 6, 7, 60])
def test_after_the_first_call_each_tick_has_an_even_share(members, every):
    stagger = Stagger(every)
    tickers = [stagger.ticker() for _ in range(members)]

    first, *later = [sum(ticker.due(tick) for ticker in tickers) for tick in range(3 * every)]

    assert first == members
    share = members / every
    assert max(later) <= share + 3
    assert min(later) >= share - 3
    if every > 1:
        assert sum(later[-every:]) == members


@given(every=st.integers(1, 100), earlier=st.integers(0, 50), start=st.integers(0, 10**9))
def test_a_ticker_is_due_once_per_interval(every, earlier, start):
    stagger = Stagger(every)
    for _ in range(earlier):
        stagger.ticker()
    ticker = stagger.ticker()

    due = [tick for tick in range(start, start + 4 * every + 1) if ticker.due(tick)]

    assert due[0] == start
    assert all(later - earlier == every for earlier, later in pairwise(due[1:]))
    assert 4 <= len(due) <= 6


def test_missed_intervals_count_once():
    ticker = Stagger(10).ticker()

    assert [ticker.due(now) for now in (0, 1000, 1001, 1009, 1010)] == [
        True, True, False, False, True,
    ]  # fmt: skip


def test_the_interval_may_be_in_seconds():
    ticker = Stagger(0.25).ticker()
    frames = [frame / 60 for frame in range(61)]

    assert sum(ticker.due(now) for now in frames) == 5


def test_an_interval_of_zero_is_always_due():
    ticker = Stagger(0).ticker()

    assert [ticker.due(now) for now in (0, 0, 1)] == [True, True, True]


@pytest.mark.parametrize("every", [0, 5])
@pytest.mark.parametrize("now", [nan, inf])
def test_a_clock_that_is_not_finite_is_rejected_by_name(every, now):
    with pytest.raises(ValueError, match=f"now.*{now}"):
        Stagger(every).ticker().due(now)


@pytest.mark.parametrize("every", [-1, nan, inf])
def test_an_invalid_interval_is_rejected_by_name(every):
    with pytest.raises(ValueError, match=f"every.*{every}"):
        Stagger(every)


def test_the_repr_shows_the_interval():
    stagger = Stagger(5)
    stagger.ticker()

    assert repr(stagger.ticker()) == "<Ticker every 5, offset 0.618>"
    assert repr(stagger) == "<Stagger every 5: 2 tickers>"


# -- turns --


def test_those_that_ask_in_every_tick_are_served_in_a_fixed_rotation():
    line = [turns.turn() for turns in [Turns(3)] for _ in range(8)]

    served = [[i for i, turn in enumerate(line) if turn.due(tick)] for tick in range(6)]

    assert [sorted(once) for once in served[:3]] == [[0, 1, 2], [3, 4, 5], [0, 6, 7]]
    assert all(len(once) == 3 for once in served)


@pytest.mark.parametrize("members", [1, 5, 64])
@pytest.mark.parametrize("per_tick", [1, 4, 100])
def test_nobody_waits_longer_than_one_round(members, per_tick):
    turns = Turns(per_tick)
    line = [turns.turn() for _ in range(members)]
    last = dict.fromkeys(range(members), -1)
    for tick in range(200):
        served = [i for i, turn in enumerate(line) if turn.due(tick)]
        assert len(served) == min(members, per_tick)
        for i in served:
            assert tick - last[i] <= -(-members // per_tick)
            last[i] = tick


def test_those_that_wait_longest_come_first_and_nothing_is_saved_up():
    turns = Turns(2)
    a, b, c, d = (turns.turn() for _ in range(4))
    assert [turn.due(0) for turn in (c, a, d, b)] == [True, True, False, False]
    assert [turn.due(1) for turn in (b, d)] == [True, True]
    for tick in range(2, 50):
        turns.turn().due(tick)

    assert [turn.due(50) for turn in (a, b, c, d)] == [True, True, False, False]


def test_the_dead_keep_nobody_waiting_for_long():
    turns = Turns(2)
    line = [turns.turn() for _ in range(6)]
    assert sum(turn.due(0) for turn in line) == 2

    assert [line[5].due(tick) for tick in (1, 2)] == [False, True]


@pytest.mark.parametrize(
    ("wrong", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError), (None, TypeError)]
)
def test_a_wrong_number_of_turns_is_refused(wrong, error):
    with pytest.raises(error, match="per_tick"):
        Turns(wrong)


@pytest.mark.parametrize("now", [nan, inf])
def test_turns_refuse_a_clock_that_is_not_finite(now):
    with pytest.raises(ValueError, match="now"):
        Turns(1).turn().due(now)


def test_the_repr_of_turns_shows_who_waits():
    turns = Turns(1)
    first, second = turns.turn(), turns.turn()
    first.due(0), second.due(0)

    assert repr(turns) == "<Turns, 1 a tick>"
    assert (repr(first), repr(second)) == ("<Turn, not in line>", "<Turn, in line>")

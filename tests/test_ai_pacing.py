"""Stagger: the same interval for all, a different tick for each."""

from __future__ import annotations

from itertools import pairwise
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilequad.ai import Stagger


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

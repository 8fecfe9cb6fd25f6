"""Pace: everyone at the same interval, not everyone at once."""

from __future__ import annotations

from itertools import pairwise
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilequad.ai import Pace


@pytest.mark.parametrize("members", [1, 7, 60, 1000])
@pytest.mark.parametrize("every", [1, 2, 6, 7, 60])
def test_after_the_first_call_every_tick_has_its_even_share_of_the_work(members, every):
    pace = Pace(every)
    beats = [pace.join() for _ in range(members)]

    first, *rounds = [sum(beat.due(tick) for beat in beats) for tick in range(3 * every)]

    assert first == members
    share = members / every
    assert max(rounds) <= share + 3
    assert min(rounds) >= share - 3
    if every > 1:
        assert sum(rounds[-every:]) == members


@given(every=st.integers(1, 100), joined=st.integers(0, 50), start=st.integers(0, 10**9))
def test_a_beat_comes_once_in_every_interval(every, joined, start):
    pace = Pace(every)
    for _ in range(joined):
        pace.join()
    beat = pace.join()

    due = [tick for tick in range(start, start + 4 * every + 1) if beat.due(tick)]

    assert due[0] == start
    assert all(later - earlier == every for earlier, later in pairwise(due[1:]))
    assert 4 <= len(due) <= 6


def test_a_long_sleep_is_followed_by_one_beat_not_by_many():
    beat = Pace(10).join()

    assert [beat.due(now) for now in (0, 1000, 1001, 1009, 1010)] == [
        True, True, False, False, True,
    ]  # fmt: skip


def test_seconds_work_as_ticks_do():
    beat = Pace(0.25).join()
    frames = [frame / 60 for frame in range(61)]

    assert sum(beat.due(now) for now in frames) == 5


def test_an_interval_of_zero_is_always_due():
    beat = Pace(0).join()

    assert [beat.due(now) for now in (0, 0, 1)] == [True, True, True]


@pytest.mark.parametrize("every", [0, 5])
@pytest.mark.parametrize("now", [nan, inf])
def test_a_clock_that_does_not_run_is_refused_by_name(every, now):
    with pytest.raises(ValueError, match=f"now.*{now}"):
        Pace(every).join().due(now)


@pytest.mark.parametrize("every", [-1, nan, inf])
def test_an_interval_that_cannot_be_is_refused_by_name(every):
    with pytest.raises(ValueError, match=f"every.*{every}"):
        Pace(every)

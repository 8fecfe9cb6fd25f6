"""The benchmarks sum up and judge what they measure as they say."""

import pytest

from benchmarks.bars import MET, NOT_MEASURED, SHORT, SKIPPED, bars, spelled_out, verdict
from benchmarks.plan import Race
from benchmarks.results import Results, row
from benchmarks.timing import Pace, race

PACE = Pace(rounds=3, round_time=1e-4, patience=1.0)


def judged(line, results):
    [bar] = spelled_out(line)
    return verdict(bar, results).state


def test_a_row_has_the_least_the_mean_the_p99_and_the_worst():
    found = row("op", "uniform", 1, "tilequad", [*range(1, 200), 1000])

    assert (found.least, found.mean, found.p99, found.worst) == (1, 104.5, 198, 1000)


def test_every_bar_of_the_table_can_be_read():
    names = [(bar.name, bar.other) for bar in bars()]

    assert len(names) > 100
    assert len(set(names)) == len(names)


def test_a_bar_is_met_or_short_against_another_contestant():
    results = Results([row("op", "uniform", 10, name, [seconds]) for name, seconds in
                       (("tilequad", 2.0), ("grid in C", 1.0))])  # fmt: skip
    line = {"of": "op", "count": 10, "against": "grid in C"}

    assert judged(line | {"times": 2}, results) == MET
    assert judged(line | {"times": 1.9}, results) == SHORT
    assert judged(line | {"times": 1.5, "plus": "500 ms"}, results) == MET


def test_a_bar_takes_an_amount_and_a_statistic():
    results = Results([row("op", "uniform", 10, "tilequad", [1e-3, 3e-3])])

    assert judged({"of": "op", "count": 10, "stat": "mean", "limit": "2 ms"}, results) == MET
    assert judged({"of": "op", "count": 10, "stat": "worst", "limit": "2 ms"}, results) == SHORT


def test_what_was_not_measured_meets_no_bar():
    results = Results([row("op", "uniform", 10, "tilequad", [1.0])])

    assert judged({"of": "other", "count": 10, "limit": "2 s"}, results) == NOT_MEASURED
    assert judged({"of": "op", "count": 10, "against": "peer"}, results) == NOT_MEASURED
    results.skipped["peer"] = "not installed"
    assert judged({"of": "op", "count": 10, "against": "peer"}, results) == SKIPPED


def test_a_misspelled_bar_is_an_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'time'"):
        spelled_out({"of": "op", "count": 10, "time": 2, "against": "peer"})


def test_each_frame_is_timed_and_prepared_alone():
    calls = []
    frames = Race(
        *("op", "uniform", 1, {"ours": lambda: calls.append("frame")}),
        frames=30,
        prepare={"ours": lambda: calls.append("prepare")},
    )

    found = race(frames, PACE, {})

    assert len(found["ours"]) == 30
    assert calls == ["prepare", "frame"] * 31  # the first warms up


def test_a_rival_that_crashes_is_left_out_and_ours_is_not():
    def crash():
        raise OSError("no")

    crashes = {}
    found = race(Race("op", "uniform", 1, {"ours": int, "peer": crash}), PACE, crashes)

    assert list(found) == ["ours"]
    assert crashes == {"peer": "OSError: no"}
    with pytest.raises(OSError, match="no"):
        race(Race("op", "uniform", 1, {"ours": crash}), PACE, {})

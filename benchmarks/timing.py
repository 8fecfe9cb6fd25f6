"""Timing contestants side by side: interleaved rounds, warm, without the garbage collector.

Each round times every contestant once, so that a machine that is slow for a while is slow for all
of them. Within a round, a contestant repeats its operation until the time is long enough to be
measured. The clock counts processor time, which leaves out other programs on the machine. As all
contestants run on one thread, it equals wall time on an idle machine.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import process_time


@dataclass(frozen=True)
class Runner:
    """One contestant: `call(k)` performs k operations, at most `most` of them.

    Without `most`, a call is one operation, such as a frame, and is repeated, so that the caches
    hold what the frame before left in them, as in a game.
    """

    call: Callable[[int], object]
    most: int | None = None


@dataclass(frozen=True)
class Timing:
    """Seconds for an operation: the median and the least of the rounds, and their number."""

    median: float
    least: float
    rounds: int


@dataclass(frozen=True)
class Pace:
    """How long to measure: rounds, seconds a round, seconds after which no round is added."""

    rounds: int
    round_time: float
    patience: float


MOST = 10**9  # operations in a round

THOROUGH = Pace(rounds=11, round_time=0.03, patience=1.5)
QUICK = Pace(rounds=5, round_time=0.01, patience=0.2)


def race(
    runners: dict[str, Runner], pace: Pace, crashes: dict[str, str] | None = None
) -> dict[str, Timing]:
    """Time every contestant; the order within a round turns from round to round.

    Args:
        runners: The contestants by name; the first is ours.
        pace: How long to measure.
        crashes: Takes the error of each rival that raises, which is then left out. Without it, and
            for ours, the error is raised.
    """
    repeats: dict[str, int] = {}
    rounds: dict[str, list[float]] = {name: [] for name in runners}
    ours = next(iter(runners))

    def one_round(name: str, number: int) -> None:
        if number == 0:
            repeats[name] = warm_up(runners[name], pace)
        elif number == 1 or sum(rounds[name]) * repeats[name] < pace.patience:
            rounds[name].append(timed(runners[name], repeats[name]) / repeats[name])

    for number in range(1 + pace.rounds):  # the first warms up
        names = list(rounds)
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            try:
                one_round(name, number)
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # a panic of a Rust library is no Exception
                if crashes is None or name == ours:
                    raise
                crashes[name] = f"{type(error).__name__}: {error}"
                del rounds[name]
    return {
        name: Timing(median(seconds), min(seconds), len(seconds))
        for name, seconds in rounds.items()
    }


def warm_up(runner: Runner, pace: Pace) -> int:
    """The number of operations that fills a round, found by runs that are not counted.

    The first operations are many times slower than later ones, so an estimate from a run that was
    too short is tried again.
    """
    most = runner.most or MOST
    repeats = min(10, runner.most) if runner.most else 1
    while True:
        seconds = timed(runner, repeats)
        fitting = min(most, repeats * min(100.0, pace.round_time / max(seconds, 1e-9)))
        if fitting < 2 * repeats:
            return max(1, int(fitting))
        repeats = int(fitting)


def timed(runner: Runner, repeats: int) -> float:
    """Seconds for some operations, after the garbage of earlier ones is collected."""
    gc.collect(0)
    gc.disable()
    try:
        start = process_time()
        if runner.most:
            runner.call(repeats)
        else:
            for _ in range(repeats):
                runner.call(1)
        return process_time() - start
    finally:
        gc.enable()

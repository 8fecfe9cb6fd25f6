"""Timing contestants side by side, in turns, warm, without the garbage collector.

Each round times every contestant once, so that a machine that is slow for a while is slow for all
of them. The clock counts processor time of all threads, which leaves out other programs on the
machine, and no contestant hides work in a thread of its own. A small question is repeated until
the time is long enough to be measured: its samples are rounds, and the least of them is what it
costs. A frame is timed alone, each time: the mean, the p99 and the worst are what a player sees.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from time import process_time

Runner = Callable[[], object]


class WrongAnswerError(AssertionError):
    """An answer of ours differs from brute force: nothing may be timed."""


def check(right: bool, what: str) -> None:
    """Raise unless an answer is right."""
    if not right:
        raise WrongAnswerError(what)


@dataclass(frozen=True)
class Race:
    """One operation and its contestants.

    Args:
        operation: The operation, as the tables name it.
        spread: How the world is filled: uniform, clustered, a kind of map.
        count: The number of units, boxes or cells.
        per: What one operation is: a query, a unit, a frame.
        runners: The contestants by name; the first is ours. A call does `share` operations.
        share: What the time of a call is divided by.
        frames: How many calls are timed, each alone; 0 for a race in rounds.
        prepare: What is done before each frame, by contestant, and not timed.
        clock: What counts the seconds.
    """

    operation: str
    spread: str
    count: int
    per: str
    runners: dict[str, Runner] = field(repr=False)
    share: int = 1
    frames: int = 0
    prepare: dict[str, Runner] = field(default_factory=dict, repr=False)
    clock: Callable[[], float] = process_time


@dataclass(frozen=True)
class Pace:
    """How long to measure: rounds, seconds a round, seconds after which no sample is added."""

    rounds: int
    round_time: float
    patience: float


THOROUGH = Pace(rounds=11, round_time=0.03, patience=3.0)
QUICK = Pace(rounds=5, round_time=0.01, patience=0.4)
MOST = 10**7  # calls in a round
TURN = 20  # frames in a row of one contestant, whose caches are its own then, as in a game


def race(found: Race, pace: Pace, crashes: dict[str, str]) -> dict[str, list[float]]:
    """Seconds of an operation, by contestant: of each round, or of each frame.

    Args:
        found: The race.
        pace: How long to measure.
        crashes: Takes the error of each rival that raises, which is then left out.
    """
    samples: dict[str, list[float]] = {name: [] for name in found.runners}
    repeats: dict[str, int] = {}
    ours = next(iter(samples))

    def one_turn(name: str, number: int) -> None:
        run, mine = found.runners[name], samples[name]
        prepare = found.prepare.get(name, lambda: None)
        if number == 0:
            repeats[name] = 1 if found.frames else warm_up(run, pace, found.clock)
            if found.frames:
                prepare()
                timed(run, 1, found.clock)  # warm
        else:
            for _ in range(min(TURN, found.frames - len(mine)) if found.frames else 1):
                if mine and sum(mine) * repeats[name] >= pace.patience:
                    break
                prepare()
                mine.append(timed(run, repeats[name], found.clock) / repeats[name])

    rounds = -(-found.frames // TURN) if found.frames else pace.rounds
    for number in range(1 + rounds):
        names = list(samples)
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            try:
                one_turn(name, number)
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # a panic of a Rust library is no Exception
                if name == ours:
                    raise
                crashes[name] = f"{type(error).__name__}: {error}"
                del samples[name]
    return {name: [one / found.share for one in mine] for name, mine in samples.items()}


def warm_up(run: Runner, pace: Pace, clock: Callable[[], float]) -> int:
    """The number of calls that fills a round, found by runs that are not counted.

    The first calls are many times slower than later ones, so an estimate from a run that was too
    short is tried again.
    """
    repeats = 1
    while True:
        seconds = timed(run, repeats, clock)
        fitting = min(MOST, repeats * min(100.0, pace.round_time / max(seconds, 1e-9)))
        if fitting < 2 * repeats:
            return max(1, int(fitting))
        repeats = int(fitting)


def timed(run: Runner, repeats: int, clock: Callable[[], float]) -> float:
    """Seconds of some calls, after the garbage of earlier ones is collected."""
    gc.collect(0)
    gc.disable()
    try:
        start = clock()
        for _ in range(repeats):
            run()
        return clock() - start
    finally:
        gc.enable()

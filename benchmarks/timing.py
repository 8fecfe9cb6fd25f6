"""Timing contestants side by side, in turns, warm, without the garbage collector.

Each round times every contestant once, so that a machine that is slow for a while is slow for all
of them. The clock counts processor time of all threads, which leaves out other programs on the
machine, and no contestant hides work in a thread of its own. A small question is repeated until
the time is long enough to be measured: its samples are rounds, and the least of them is what it
costs. A frame is timed alone, each time: the mean, the p99 and the worst are what a player sees.
"""

import gc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from time import process_time
from typing import Any

OURS = "tilequad"  # the contestant
Runner = Callable[[], object]


def check(right: bool, what: str) -> None:
    """Raise where an answer of ours is wrong: nothing may be timed then."""
    if not right:
        raise AssertionError(what)


@dataclass(frozen=True)
class Race:
    """One operation and its contestants."""

    operation: str  # as the tables name it
    spread: str  # how the world is filled: uniform, clustered, a kind of map
    count: int  # units, boxes or cells
    runners: dict[str, Runner]  # the contestants by name; the first is ours
    per: str = ""  # what a call does several of, such as queries ...
    share: int = 1  # ... and how many: what its time is divided by
    frames: int = 0  # calls that are timed, each alone; 0 for a race in rounds
    prepare: dict[str, Runner] = field(default_factory=dict)  # before each frame, not timed
    clock: Callable[[], float] = process_time


@dataclass(frozen=True)
class Pace:
    """How long to measure."""

    rounds: int
    round_time: float  # seconds of a round
    patience: float  # seconds after which no sample is added
    hurry: int = 1  # of so many frames, one is timed


THOROUGH = Pace(rounds=11, round_time=0.03, patience=3.0)
QUICK = Pace(rounds=5, round_time=0.01, patience=0.4, hurry=10)
MOST = 10**7  # calls in a round
TURN = 20  # frames in a row of one contestant, whose caches are its own then, as in a game


def race(found: Race, pace: Pace, crashes: dict[str, str]) -> dict[str, list[float]]:
    """Seconds of an operation, by contestant: of each round, or of each frame.

    `crashes` takes the error of each rival that raises, which is then left out.
    """
    samples: dict[str, list[float]] = {name: [] for name in found.runners}
    running = {name: turns(found, name, pace, mine) for name, mine in samples.items()}
    ours, number = next(iter(samples)), 0
    while running:
        names = list(running)
        first = number % len(names)
        for name in names[first:] + names[:first]:
            try:
                next(running[name])
            except StopIteration:
                del running[name]
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # a panic of a Rust library is no Exception
                if name == ours:
                    raise
                crashes[name] = f"{type(error).__name__}: {error}"
                del samples[name], running[name]
        number += 1
    return {name: [one / found.share for one in mine] for name, mine in samples.items()}


def turns(found: Race, name: str, pace: Pace, samples: list[float]) -> Iterator[None]:
    """Warm up a contestant, then add its samples, a round or some frames a step."""
    run, prepare = found.runners[name], found.prepare.get(name, lambda: None)
    wanted, turn, repeats = pace.rounds, 1, 1
    if found.frames:
        wanted, turn = max(3, found.frames // pace.hurry), TURN
        prepare()
        timed(run, 1, found.clock)
    else:
        repeats = warm_up(run, pace, found.clock)
    while len(samples) < wanted and repeats * sum(samples) < pace.patience:
        if len(samples) % turn == 0:
            yield
        prepare()
        samples.append(timed(run, repeats, found.clock) / repeats)


def in_turn(ask: Callable[[Any], object], questions: Iterable[Any]) -> Runner:
    """Ask the next question each time, around and around."""
    turn = cycle(questions)
    return lambda: ask(next(turn))


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

"""Timing contestants side by side, in turns, warm, without the garbage collector.

Each round times every contestant once, so that a machine that is slow for a while is slow for all
of them. The clock counts processor time of all threads, which leaves out other programs on the
machine, and no contestant hides work in a thread of its own. A small question is repeated until
the time is long enough to be measured: its samples are rounds, and the least of them is what it
costs. A frame is timed alone, each time: the mean, the p99 and the worst are what a player sees.
"""

import gc
from collections.abc import Iterator
from dataclasses import dataclass
from timeit import Timer

from benchmarks.plan import Race


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
            except BaseException as error:  # a panic of a Rust library is no Exception
                if name == ours or isinstance(error, KeyboardInterrupt | SystemExit):
                    raise
                crashes[name] = f"{type(error).__name__}: {error}"
                del samples[name], running[name]
        number += 1
    return {name: [one / found.share for one in mine] for name, mine in samples.items()}


def turns(found: Race, name: str, pace: Pace, samples: list[float]) -> Iterator[None]:
    """Warm up a contestant, then add its samples, a round or some frames a step."""
    timer = Timer(found.runners[name], timer=found.clock)
    prepare = found.prepare.get(name, lambda: None)
    wanted, turn, repeats = pace.rounds, 1, 1
    if found.frames:
        wanted, turn = max(3, found.frames // pace.hurry), TURN
        prepare()
        timed(timer, 1)
    else:
        repeats = warm_up(timer, pace)
    while len(samples) < wanted and repeats * sum(samples) < pace.patience:
        if len(samples) % turn == 0:
            yield
        prepare()
        samples.append(timed(timer, repeats) / repeats)


def warm_up(timer: Timer, pace: Pace) -> int:
    """The number of calls that fills a round, found by runs that are not counted.

    The first calls are many times slower than later ones, so an estimate from a run that was too
    short is tried again.
    """
    repeats = 1
    while True:
        seconds = timed(timer, repeats)
        fitting = min(MOST, repeats * min(100.0, pace.round_time / max(seconds, 1e-9)))
        if fitting < 2 * repeats:
            return max(1, int(fitting))
        repeats = int(fitting)


def timed(timer: Timer, repeats: int) -> float:
    """Seconds of some calls without the collector, after the garbage of earlier ones is gone."""
    gc.collect(0)
    return timer.timeit(repeats)

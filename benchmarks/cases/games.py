"""What a game does in a frame, and from how many units on an index is worth having at all."""

from __future__ import annotations

import gc
from time import perf_counter

import numpy as np

from benchmarks.cases.asking import MOST, asking
from benchmarks.peers import NumpyScan, PythonScan, Tilequad
from benchmarks.race import Race
from benchmarks.timing import Pace, Runner, Timing, race
from benchmarks.worlds import Army
from tilequad import DynamicQuadtree

HEADLINE = 1_000  # entities, all collisions in a frame
CROSSOVER_SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
RIVALS = (NumpyScan.name, PythonScan.name)


def frames(army: Army, count: int) -> dict[str, float]:
    """A game of n units, all moving; n/10 ask for their range, n/10 for their nearest; all pairs.

    Returns:
        Milliseconds of a frame: its median, and what 99 of 100 frames stay below.
    """
    tree = DynamicQuadtree(army.bounds)
    slots = tree.add_many(range(army.count), army.xy, radius=8.0)
    tenth = max(1, army.count // 10)
    ends = [army.xy, army.next_xy]
    times = []
    gc.collect()
    gc.disable()
    try:
        for number in range(count + 3):
            xy = ends[number % 2]
            start = perf_counter()
            tree.move_many(slots, xy)
            tree.within_many(xy[:tenth], army.radius)
            tree.nearest_many(xy[-tenth:])
            tree.pairs_many()
            times.append(perf_counter() - start)
    finally:
        gc.enable()
    median, most = np.percentile(times[3:], (50, 99)) * 1000
    return {"p50_ms": float(median), "p99_ms": float(most), "frames": count}


def headline() -> Race:
    """1,000 entities that all move by single calls, then all their collisions."""
    army = Army("uniform", HEADLINE)
    tree = DynamicQuadtree(army.bounds)
    for item, (x, y) in enumerate(army.xy.tolist()):
        tree.add(item, x, y, size=(16.0, 16.0))
    ends = [list(enumerate(xy.tolist())) for xy in (army.xy, army.next_xy)]

    def frame(_: int) -> list:
        ends.reverse()
        move = tree.move
        for item, (x, y) in ends[0]:
            move(item, x, y)
        return tree.pairs()

    def brute(_: int) -> list:
        ends.reverse()
        units = ends[0]
        return [
            (a, b)
            for place, (a, (ax, ay)) in enumerate(units)
            for b, (bx, by) in units[place + 1 :]
            if abs(ax - bx) <= 16.0 and abs(ay - by) <= 16.0
        ]

    runners = {"tilequad": Runner(frame), "Python brute force": Runner(brute)}
    return Race("1,000 entities, all collisions", "uniform", HEADLINE, "frame", runners)


def crossover(pace: Pace) -> dict[str, dict[str, int | None]]:
    """From how many units on ours is faster than each brute force, by question.

    Returns:
        The least of `CROSSOVER_SIZES` from which on ours stays ahead; None if it never does.
    """
    won = {}
    for verb in ("radius", "nearest"):
        times = {count: duel(verb, count, pace) for count in CROSSOVER_SIZES}
        won[verb] = {name: stays_ahead(times, name) for name in RIVALS}
    return won


def duel(verb: str, count: int, pace: Pace) -> dict[str, Timing]:
    """Ours and the two brute forces on a small army."""
    army = Army("uniform", count)
    more = (army.radius,) if verb == "radius" else ()
    queries = army.queries(500)
    indexes = Tilequad(army), NumpyScan(army), PythonScan(army)
    runners = {
        index.name: Runner(asking(getattr(index, verb), queries, more), MOST) for index in indexes
    }
    return race(runners, pace)


def stays_ahead(times: dict[int, dict[str, Timing]], rival: str) -> int | None:
    least = None
    for count in sorted(times, reverse=True):
        if times[count][Tilequad.name].median >= times[count][rival].median:
            break
        least = count
    return least

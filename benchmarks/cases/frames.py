"""The frame of a game: all units move, some ask, all pairs are found."""

from __future__ import annotations

import gc
from time import perf_counter

import numpy as np

from benchmarks.armies import Army
from benchmarks.race import Race
from benchmarks.timing import Runner
from tilequad import DynamicQuadtree

HEADLINE = 1_000  # entities, all collisions in a frame


def frames(army: Army, count: int) -> dict[str, float]:
    """Time a game of n units: all move, n/10 ask a radius, n/10 their nearest; all pairs.

    Returns:
        Milliseconds of a frame: the median, and the time that 99 of 100 frames stay below.
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
    """1,000 entities, each moved by a call of its own, then all their collisions."""
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

    runners = {"tilequad": Runner(frame), "Python list": Runner(brute)}
    return Race("1,000 entities, all collisions", "uniform", HEADLINE, "frame", runners)

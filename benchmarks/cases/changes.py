"""Build a tree, move one unit, move all units."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers import OURS, Index
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner

MOVES = 1_000  # units that move, one after another
MOST = 1_000_000  # moves in a round


def races(army: Army, indexes: list[Index], notes: list[str]) -> Iterator[Race]:
    """Units walk a frame's step and back, so that every round starts alike."""
    yield building(army, indexes)
    yield moving_one(army, indexes)
    yield moving_all(army, indexes)


def building(army: Army, indexes: list[Index]) -> Race:
    runners = {
        index.name: Runner(lambda _, build=index.build: build(army))
        for index in indexes
        if hasattr(index, "build")
    }
    return Race("bulk build", army.spread, army.count, "unit", runners, share=army.count)


def moving_one(army: Army, indexes: list[Index]) -> Race:
    rng = np.random.default_rng(3)
    chosen = rng.permutation(army.count)[:MOVES]
    there, back = steps_of(army, chosen.tolist())
    runners = {
        index.name: Runner(to_and_fro(index.move, there, back), MOST)
        for index in indexes
        if hasattr(index, "move")
    }
    return Race("move one unit", army.spread, army.count, "move", runners, share=2)


def steps_of(army: Army, units: list[int]) -> tuple[list, list]:
    """The steps of some units there and back, each as item, old x, old y, new x, new y."""
    there = [
        (army.items[unit], *army.xy[unit].tolist(), *army.next_xy[unit].tolist()) for unit in units
    ]
    return there, [(item, x, y, old_x, old_y) for item, old_x, old_y, x, y in there]


def to_and_fro(move: Callable, there: list, back: list) -> Callable[[int], object]:
    """A fast contestant goes there and back many times, until its round is full."""

    def run(repeats: int) -> None:
        times, rest = divmod(repeats, len(there))
        for _ in range(times):
            move(there)
            move(back)
        move(there[:rest])
        move(back[:rest])

    return run


def moving_all(army: Army, indexes: list[Index]) -> Race:
    runners = {}
    for index in indexes:
        if hasattr(index, "moving_all"):
            move_all = index.moving_all(army.xy)
        elif hasattr(index, "move_all"):
            move_all = index.move_all
        else:
            continue
        runners[index.name] = Runner(walking(move_all, army.xy, army.next_xy))
    check_moved(army, next(index for index in indexes if index.name == OURS))
    return Race("move all units", army.spread, army.count, "frame", runners)


def walking(move_all: Callable, here: np.ndarray, there: np.ndarray) -> Callable[[int], object]:
    """Moves all units there, and back with the next call."""
    ends = [here, there]

    def run(_: int) -> None:
        ends.reverse()
        move_all(ends[0])

    return run


def check_moved(army: Army, ours: Index) -> None:
    """Raise unless units are where they were moved to, there and back."""
    for xy in (army.next_xy, army.xy):
        ours.move_all(xy)
        for item in range(0, army.count, 97):
            if ours.tree.position(item) != tuple(xy[item].tolist()):
                raise WrongAnswerError(f"unit {item} has not moved")

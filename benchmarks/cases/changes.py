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
CHECKED = 20


def races(army: Army, indexes: list[Index], notes: list[str]) -> Iterator[Race]:
    """Units walk a frame's step and back, so that every round starts alike."""
    yield building(army, indexes)
    yield moving_one(army, indexes, notes)
    yield moving_all(army, indexes, notes)


def building(army: Army, indexes: list[Index]) -> Race:
    runners = {
        index.name: Runner(lambda _, build=index.build: build(army))
        for index in indexes
        if hasattr(index, "build")
    }
    return Race("bulk build", army.spread, army.count, "unit", runners, share=army.count)


def moving_one(army: Army, indexes: list[Index], notes: list[str]) -> Race:
    chosen = np.random.default_rng(3).permutation(army.count)[:MOVES]
    there, back = steps_of(army, chosen.tolist())
    moved, few = army.xy.copy(), chosen[:CHECKED]
    moved[few] = army.next_xy[few]
    runners = {}
    for index in indexes:
        if hasattr(index, "move"):
            index.move(there[:CHECKED])
            right = finds(index, army, moved, few)
            index.move(back[:CHECKED])
            if right and finds(index, army, army.xy, few):
                runners[index.name] = Runner(to_and_fro(index.move, there, back), MOST)
            else:
                refuse(index, "move one unit", army, notes)
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


def moving_all(army: Army, indexes: list[Index], notes: list[str]) -> Race:
    runners = {}
    few = np.arange(army.count)[:CHECKED]
    for index in indexes:
        if hasattr(index, "moving_all"):
            move_all = index.moving_all(army.xy)
        elif hasattr(index, "move_all"):
            move_all = index.move_all
        else:
            continue
        move_all(army.next_xy)
        right = finds(index, army, army.next_xy, few)
        move_all(army.xy)
        if right and finds(index, army, army.xy, few):
            runners[index.name] = Runner(walking(move_all, army.xy, army.next_xy))
        else:
            refuse(index, "move all units", army, notes)
    return Race("move all units", army.spread, army.count, "frame", runners)


def walking(move_all: Callable, here: np.ndarray, there: np.ndarray) -> Callable[[int], object]:
    """Moves all units there, and back with the next call."""
    ends = [here, there]

    def run(_: int) -> None:
        ends.reverse()
        move_all(ends[0])

    return run


def finds(index: Index, army: Army, xy: np.ndarray, units: np.ndarray) -> bool:
    """True if the index finds around some units what is there with all units at `xy`."""
    if not index.answers:
        return True
    places, half = [tuple(place) for place in xy[units].tolist()], army.box_side / 2
    found = [sorted(ids) for ids in index.around(places, half)]
    return found == [
        np.flatnonzero((abs(xy - place) <= half).all(axis=1)).tolist() for place in places
    ]


def refuse(index: Index, operation: str, army: Army, notes: list[str]) -> None:
    """Note that an index is not timed; raise if it is ours."""
    message = f"{index.name} loses units: {operation}, {army.spread}, {army.count:,}; not timed"
    if index.name.startswith(OURS):
        raise WrongAnswerError(message)
    notes.append(message)

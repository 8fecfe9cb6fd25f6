"""The number of units from which on a tree is worth having.

Few units need no index: a loop over a list is as fast. The rivals here are what a game has without
one, and what it has from pygame, pymunk or arcade. In the frame every unit moves by a call of its
own and then asks who is in range, so a tree pays for its upkeep too.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.armies import Army
from benchmarks.cases.changes import steps_of
from benchmarks.cases.queries import MOST, asking
from benchmarks.peers import (
    OURS,
    ArcadeHash,
    Index,
    NumpyScan,
    PygameRects,
    Pymunk,
    PythonScan,
    Tilequad,
)
from benchmarks.timing import Pace, Runner, race

SIZES = (2, 5, 10, 20, 50, 100, 200, 500, 1_000)
RIVALS = (PythonScan, NumpyScan, PygameRects, Pymunk, ArcadeHash)
VERBS = ("radius", "nearest", "box", "frame")
PACE = Pace(rounds=5, round_time=0.01, patience=0.2)


def crossover(skipped: dict[str, str]) -> dict[str, dict[str, int | None]]:
    """For each verb and rival, the least of `SIZES` from which on ours is the faster."""
    rivals = [rival for rival in RIVALS if rival.name not in skipped]
    won = {}
    for verb in VERBS:
        times = {count: duel(verb, count, rivals) for count in SIZES}
        won[verb] = {
            rival.name: stays_ahead(times, rival.name)
            for rival in rivals
            if rival.name in times[SIZES[0]]
        }
    return won


def duel(verb: str, count: int, rivals: list[type[Index]]) -> dict[str, float]:
    """Seconds of a small army's question, for ours and for each rival that has the verb."""
    army = Army("uniform", count)
    runners = {}
    for index in (Tilequad(army), *(rival(army) for rival in rivals)):
        if verb == "frame":
            runners[index.name] = Runner(frame(army, index))
        elif hasattr(index, verb):
            arguments = {"radius": (army.radius,), "box": (army.box_side / 2,)}.get(verb, ())
            call = asking(getattr(index, verb), army.queries(500), arguments)
            runners[index.name] = Runner(call, MOST)
    return {name: timing.median for name, timing in race(runners, PACE).items()}


def frame(army: Army, index: Index) -> Callable[[int], object]:
    """Every unit moves, there or back, then asks who is in range."""
    steps = [(moves, [move[3:] for move in moves]) for moves in steps_of(army, army.items)]

    def run(_: int) -> None:
        steps.reverse()
        moves, places = steps[1]
        index.move(moves)
        index.radius(places, army.radius)

    return run


def stays_ahead(times: dict[int, dict[str, float]], rival: str) -> int | None:
    """The least size from which on ours wins at every size; None if the largest is lost."""
    least = None
    for count in sorted(times, reverse=True):
        if times[count][OURS] >= times[count][rival]:
            break
        least = count
    return least

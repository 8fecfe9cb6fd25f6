"""What is seen from a cell, and what 2,000 moving viewers see, on 1024 x 1024 cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.cases.memory import held
from benchmarks.peers import OURS
from benchmarks.race import Race, WrongAnswerError
from benchmarks.results import BYTES, Row
from benchmarks.timing import Runner
from tilequad import DynamicQuadtree
from tilequad.nav import Fog, Grid

SIDE, QUICK_SIDE = 1024, 256
RADIUS = 20  # cells, of the field of view
VIEWERS, VIEW = 2_000, 8
OPEN, CAVE = "open", "a tenth closed"
SHARES = {OPEN: 0.0, CAVE: 0.1}
CUT, WHOLE = "tcod, cut out", "tcod, the whole map"
STEPS = [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)]


def races(quick: bool, skipped: dict[str, str]) -> Iterator[Race]:
    """Fields of view against tcod, then the viewers."""
    side = QUICK_SIDE if quick else SIDE
    try:
        import tcod.constants
        import tcod.map
    except ImportError as error:
        skipped["tcod.map"] = str(error)
        tcod = None
    for spread, share in SHARES.items():
        free = np.random.default_rng(1).random((side, side)) >= share
        free[side // 2, side // 2] = True
        runs = views(free, tcod)
        check(spread, free, runs)
        yield race("a field of view, radius 20", spread, side, "view", runs)
    for spread, share in SHARES.items():
        for over_walls in (True, False):
            name = "2,000 viewers move" + ("" if over_walls else ", with walls")
            free = np.random.default_rng(1).random((side, side)) >= share
            yield race(name, spread, side, "tick", {OURS: crowd(free, over_walls)})


def race(
    operation: str, spread: str, side: int, per: str, runs: dict[str, Callable[[], object]]
) -> Race:
    timed = {name: Runner(lambda _, run=run: run()) for name, run in runs.items()}
    return Race(operation, spread, side * side, per, timed)


def views(free: np.ndarray, tcod: Any) -> dict[str, Callable[[], object]]:
    """The view from the middle."""
    fog, middle = Fog(Grid(free)), len(free) // 2
    at = middle + 0.5
    runs: dict[str, Callable[[], object]] = {
        OURS: lambda: fog.field_of_view(at, at, radius_in_cells=RADIUS)
    }
    if tcod is not None:
        near = slice(middle - RADIUS, middle + RADIUS + 1)
        cut = np.ascontiguousarray(free[near, near])
        kind = tcod.constants.FOV_SYMMETRIC_SHADOWCAST
        shadow = {"radius": RADIUS, "algorithm": kind}
        see = tcod.map.compute_fov
        runs[CUT] = lambda: see(cut, (RADIUS, RADIUS), **shadow)
        runs[WHOLE] = lambda: see(free, (middle, middle), **shadow)
    return runs


def check(spread: str, free: np.ndarray, runs: dict[str, Callable[[], object]]) -> None:
    """Tcod sees nearly the same open cells: it has another circle, and blocks other ties."""
    if CUT not in runs:
        return
    middle = len(free) // 2
    near = slice(middle - RADIUS, middle + RADIUS + 1)
    ours = np.zeros(free.shape, bool)
    ours.flat[runs[OURS]()] = True
    differ = (ours[near, near] != runs[CUT]()) & free[near, near]
    if differ.sum() > 0.03 * ours.sum():
        raise WrongAnswerError(f"{differ.sum()} of {ours.sum()} cells, {spread}, differ from tcod")


def crowd(free: np.ndarray, over_walls: bool) -> Callable[[], object]:
    """One team's viewers, which all move to a neighboring cell in every tick."""
    side = len(free)
    units: DynamicQuadtree = DynamicQuadtree((0, 0, side, side))
    xy = np.random.default_rng(2).integers(VIEW, side - VIEW, (VIEWERS, 2)) + 0.5
    slots = units.add_many(range(VIEWERS), xy)
    fog = Fog(Grid(free), units=units)
    for unit in range(VIEWERS):
        fog.follow(unit, radius_in_cells=VIEW, over_walls=over_walls)
    places = [xy, *(xy + step for step in STEPS)]
    state = {"tick": 0}

    def tick() -> None:
        state["tick"] += 1
        units.move_many(slots, places[state["tick"] % len(places)])
        fog.update()

    return tick


def rows(quick: bool) -> Iterator[Row]:
    """The bytes of a cell."""
    side = QUICK_SIDE if quick else SIDE
    grid = Grid(np.ones((side, side), bool))
    size = held(lambda: Fog(grid)) / side / side
    yield Row("memory of a cell of a fog", OPEN, side * side, "cell", OURS, size, size, 1, BYTES)

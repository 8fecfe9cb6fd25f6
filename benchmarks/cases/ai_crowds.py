"""Crowds: units pushed apart where they flow, pressed into a dead end, and in one great crowd."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.ai import separate

RADIUS, SPEED, TILE = 4.0, 1.0, 16  # px, px a tick, px
UNITS, ROWS, SETTLING = 3_000, 12, 600  # the judged crowd, tiles across its corridor, ticks
MANY = 5_000, 20_000
FLOW, PRESSED = "crowd, flow", "crowd, pressed into a dead end"
OURS, PAIRS, KDTREE = "tilequad", "pairs and numpy by hand", "scipy cKDTree by hand"


def races(missing: set[str]) -> Iterator[Race]:
    """A tick of a flow and of a pressed crowd; crowds in which all touch, and the same by hand."""
    yield race(FLOW, UNITS, ours=flow())
    yield race(PRESSED, UNITS, ours=pressed())
    for count in MANY:
        yield crowd(count, missing)


def race(name: str, count: int, **runners: Callable[[], object]) -> Race:
    names = {"ours": OURS, "pairs": PAIRS, "kdtree": KDTREE}
    timed = {names[key]: Runner(lambda _, run=run: run()) for key, run in runners.items()}
    return Race(name, "game", count, "tick", timed)


def flow() -> Callable[[], None]:
    """Two crowds walk through each other in an open field, forever."""
    rng = np.random.default_rng(1)
    side = 900.0
    units: DynamicQuadtree = DynamicQuadtree((0, 0, side, side))
    slots = units.add_many(range(UNITS), rng.uniform(0, side, (UNITS, 2)), radius=RADIUS)
    step = np.zeros((UNITS, 2))
    step[:, 0] = np.where(np.arange(UNITS) % 2 == 0, SPEED, -SPEED)

    def tick() -> None:
        units.move_many(slots, (units.position_many(slots) + step) % side)
        separate(units)

    for _ in range(60):
        tick()
    return tick


def pressed() -> Callable[[], None]:
    """A crowd presses on into the end of a corridor of tiles, and has done so for ten seconds."""
    rng = np.random.default_rng(1)
    end, height = 200.0 * TILE, (ROWS + 2.0) * TILE
    cells = [(column, row) for column in range(201) for row in (0, ROWS + 1)]
    cells += [(200, row) for row in range(1, ROWS + 1)]
    corners = np.array(cells) * float(TILE)
    walls = StaticQuadtree(np.hstack((corners, corners + TILE)))
    units: DynamicQuadtree = DynamicQuadtree((0, 0, end, height))
    low, high = (end - 1_500, TILE + RADIUS), (end - RADIUS, height - TILE - RADIUS)
    slots = units.add_many(range(UNITS), rng.uniform(low, high, (UNITS, 2)), radius=RADIUS)
    step = np.array((SPEED, 0.0))

    def tick() -> None:
        units.move_many(slots, units.position_many(slots) + step)
        separate(units, walls=walls)

    for _ in range(SETTLING):
        tick()
    inside = sum(len(walls.query((x, y, x, y))) for x, y in units.position_many(slots).tolist())
    a, b = units.pairs_many().T
    depths = 2 * RADIUS - np.hypot(*(units.position_many(a) - units.position_many(b)).T)
    if inside or np.percentile(depths, 95) > RADIUS / 2:
        raise WrongAnswerError(f"{inside} units in walls, {np.percentile(depths, 95):.1f} px deep")
    return tick


def crowd(count: int, missing: set[str]) -> Race:
    """Units that stand close and tread about; by hand one push apart, without walls or ranks."""
    rng = np.random.default_rng(3)
    side = (count * np.pi * RADIUS * RADIUS / 0.8) ** 0.5
    units: DynamicQuadtree = DynamicQuadtree((0, 0, side, side))
    slots = units.add_many(range(count), rng.uniform(0, side, (count, 2)), radius=RADIUS)
    for _ in range(20):
        separate(units)
    moved = units.position_many(slots) + rng.uniform(-0.5, 0.5, (count, 2))

    def ours() -> None:
        units.move_many(slots, moved)
        separate(units)

    def pairs() -> None:
        units.move_many(slots, moved)
        units.move_many(slots, parted(moved, units.pairs_many().T))

    if "scipy cKDTree" in missing:
        return race("crowd, all touch", count, ours=ours, pairs=pairs)

    def kdtree() -> np.ndarray:
        from scipy.spatial import cKDTree

        return parted(moved, cKDTree(moved).query_pairs(2 * RADIUS, output_type="ndarray").T)

    return race("crowd, all touch", count, ours=ours, pairs=pairs, kdtree=kdtree)


def parted(xy: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """One push apart of all pairs at once."""
    a, b = pairs
    way = xy[b] - xy[a]
    far = np.maximum(np.hypot(way[:, 0], way[:, 1]), 1e-9)
    way *= (np.maximum(2 * RADIUS - far, 0.0) / far / 2)[:, None]
    both, steps = np.concatenate((a, b)), np.concatenate((-way, way))
    count = np.sqrt(np.maximum(np.bincount(both, minlength=len(xy)), 1))
    push = [np.bincount(both, steps[:, axis], len(xy)) / count for axis in (0, 1)]
    return np.asarray(xy + np.stack(push, axis=1))

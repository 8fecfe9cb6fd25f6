"""2,000 balls fall through a pit, off one another and off its stones: prints how they settle.

The stones are tiles with collision shapes: boulders, beams, slopes, gems. Down is toward the bottom
of the map.
"""

from pathlib import Path
from time import process_time
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad import COMPILED, DynamicQuadtree, load_map
from tilequad.nav import BLOCKED, Grid, Rule, Walls

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]

COUNT, RADIUS, PASSES = 2_000, 7.0, 2
GRAVITY, BOUNCE, AIR = 0.12, 0.5, 0.985  # the air slows the balls

tile_map = load_map(Path(__file__).resolve().parent.parent / "maps" / "pit.tmx")
grid = Grid.of(tile_map, Rule("stones", BLOCKED))
walls = Walls(grid)

rng = np.random.default_rng(1)
open_cells = np.flatnonzero(~grid.blocked[: grid.rows // 2])  # the upper half
places = grid.center_many(rng.choice(open_cells, COUNT))
units = DynamicQuadtree(tile_map.bounds)
balls = units.add_many(range(COUNT), places + rng.uniform(-9, 9, (COUNT, 2)), radius=RADIUS)


def add(to: Floats, slots: Ints, rows: Floats) -> None:
    """Add rows to those of some slots; a slot may come many times."""
    for axis in (0, 1):
        to[:, axis] += np.bincount(slots, rows[:, axis], COUNT)


def throw_back(bounces: Floats, slots: Ints, normals: Floats, approach: Floats) -> None:
    """Let balls that come fast along a normal bounce."""
    fast = approach > 0.5
    add(bounces, slots[fast], BOUNCE * approach[fast, None] * normals[fast])


def step(velocity: Floats) -> Floats:
    """Let all balls fall and bounce for one tick; return how fast they are then."""
    velocity = AIR * velocity - (0, GRAVITY)
    before, bounces = units.position_many(balls), np.zeros((COUNT, 2))
    xy = before + velocity
    units.move_many(balls, xy)
    for again in range(PASSES):
        pairs, normals, depths = units.overlaps_many()
        one, other = pairs[:, 0], pairs[:, 1]
        if not again:
            approach = ((velocity[other] - velocity[one]) * normals).sum(axis=1) / 2
            throw_back(bounces, one, normals, approach)
            throw_back(bounces, other, -normals, approach)
        half = normals * depths[:, None] / 2  # each makes way
        add(xy, one, half)
        add(xy, other, -half)
        units.move_many(balls, xy)
        slots, normals, depths = walls.overlaps_many(units)
        if not again:
            throw_back(bounces, slots, normals, -(velocity[slots] * normals).sum(axis=1))
        add(xy, slots, normals * depths[:, None])
        units.move_many(balls, xy)
    # What stops a ball takes its speed, but a push adds none.
    way = xy - before
    speed, pushed = np.hypot(*velocity.T), np.hypot(*way.T)
    kept: Floats = way * np.minimum(1, speed / np.maximum(pushed, 1e-9))[:, None] + bounces
    return kept


if __name__ == "__main__":
    velocity = np.zeros((COUNT, 2))  # by slot
    began, ticks = process_time(), 601 if COMPILED else 11  # plain Python is 100 times slower
    for tick in range(ticks):
        velocity = step(velocity)
        if tick % 100 == 0:
            xy = units.position_many(balls)
            height, speed = xy[:, 1].mean(), np.hypot(*velocity.T).mean()
            depths = units.overlaps_many()[2]
            deep = np.percentile(depths, 95) if len(depths) else 0.0
            stuck = (walls.overlaps_many(units)[2] > RADIUS).sum()  # their centers are in stone
            print(
                f"tick {tick:3}: {height:4.0f} px high, {speed:.2f} px a tick, "
                f"{len(depths)} pairs touch, {deep:.1f} px deep, {stuck} in stone"
            )
    print(f"{(process_time() - began) / ticks * 1e3:.2f} ms a tick")

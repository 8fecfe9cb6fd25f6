"""Marches: steps of 20 groups among obstacles, and what an order costs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as count_from
from itertools import cycle

import numpy as np

from benchmarks.peers import OURS
from benchmarks.plan import Plan
from benchmarks.timing import Race, check
from tilequad import DynamicQuadtree
from tilequad.ai import March
from tilequad.nav import Grid

CELL, RADIUS, SPEED = 16.0, 5.0, 2.0  # px, px, px a tick
GROUPS, UNITS, SIDE = 20, 10_000, 256  # groups, all units, cells along the map
ARMY = 1_000  # units that get one order
BUILDINGS = 0.05  # of the cells begin a building of up to 4 x 4
WORKERS = 500  # of whom one is sent in each tick
AFTER = 8  # steps after an order that are timed with it


def frames(plan: Plan) -> Iterator[Race]:
    """Steps of many groups; orders to an army, with the steps after them; and to single units."""
    groups = UNITS // 10 if plan.quick else UNITS
    yield steps(groups, plan)
    for formation in (None, "block"):
        yield orders(formation, plan)
    yield errands(plan)


class World:
    """Groups in blocks on a map with buildings."""

    def __init__(self, count: int, groups: int, side: int) -> None:
        self.rng = np.random.default_rng(1)
        free = np.ones((side, side), bool)
        begun = np.argwhere(self.rng.random((side, side)) < BUILDINGS / 8)
        for (row, column), size in zip(
            begun.tolist(), self.rng.integers(1, 5, (len(begun), 2)).tolist(), strict=True
        ):
            free[row : row + size[0], column : column + size[1]] = False
        self.grid = Grid(free, CELL)
        self.units: DynamicQuadtree[int] = DynamicQuadtree(self.grid.bounds)
        self.march = March(self.units, self.grid)
        self.groups = []
        reach = RADIUS * 1.4 * np.sqrt(count / groups)
        for group in range(groups):
            xy = self.goal() + self.rng.uniform(-reach, reach, (count // groups, 2))
            names = range(group * len(xy), (group + 1) * len(xy))
            self.groups.append(self.units.add_many(names, self.inside(xy), radius=RADIUS))

    def inside(self, xy: np.ndarray) -> np.ndarray:
        """Points, those in closed cells in the nearest open one."""
        xy = xy.clip(1.0, np.array(self.grid.bounds[2:]) - 1.0)
        for i in np.flatnonzero(~self.grid.is_open_many(xy)).tolist():
            box = self.grid.free_near(*xy[i].tolist(), (CELL, CELL))
            assert box is not None
            xy[i] = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return xy

    def goal(self) -> np.ndarray:
        """A place for a group."""
        return self.rng.uniform(0.1, 0.9, 2) * self.grid.bounds[2:]

    def send(self, slots: np.ndarray, formation: str | None = None) -> None:
        self.march.send(slots, self.goal(), formation=formation)

    def checked(self) -> None:
        """Everybody is on the map, and in no wall."""
        open_ = self.grid.is_open_many(self.units.position_many(np.arange(len(self.units))))
        check(open_.all(), f"{np.count_nonzero(~open_)} units in walls")


def steps(count: int, plan: Plan) -> Race:
    """All walk at once, from group to group; whoever has arrived rests until all are sent again."""
    world, ticks = World(count, GROUPS, SIDE), count_from(0)

    def renew() -> None:
        if next(ticks) % 600 == 0:
            for slots in world.groups:
                world.send(slots)
            for _ in range(30):  # fields are made in these
                world.march.step(SPEED)

    def step() -> None:
        world.march.step(SPEED)

    for _ in range(50):
        renew()
        step()
    world.checked()
    about = "a step of a march", "20 groups", count, "tick"
    return Race(*about, {OURS: step}, frames=plan.frames(600), prepare={OURS: renew})


def orders(formation: str | None, plan: Plan) -> Race:
    """An order to an army far away, and the steps that follow it."""
    world, ticks = World(ARMY, 1, plan.side), count_from(0)

    def tick() -> None:
        if next(ticks) % (AFTER + 1) == 0:
            world.send(world.groups[0], formation)
        else:
            world.march.step(SPEED)

    for _ in range(AFTER + 1):
        tick()
    world.checked()
    name = "an order and the steps after it" + (", in formation" if formation else "")
    return Race(name, "one group", ARMY, "tick", {OURS: tick}, frames=plan.frames(200))


def errands(plan: Plan) -> Race:
    """Workers walk to and fro: in each tick, one is sent to another place."""
    world = World(WORKERS, GROUPS, SIDE)
    workers = np.concatenate(world.groups)
    turns = cycle(np.split(workers, WORKERS))

    def tick() -> None:
        world.send(next(turns))
        world.march.step(SPEED)

    for _ in range(WORKERS):
        tick()
    world.checked()
    about = "an errand and a step", "errands", WORKERS, "tick"
    return Race(*about, {OURS: tick}, frames=plan.frames(300))

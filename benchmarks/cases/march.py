"""Marches: steps of 20 groups among obstacles, and what an order costs."""

from functools import partial
from itertools import cycle

import numpy as np

from benchmarks.armies import planted
from benchmarks.plan import Plan, Race, Races, check, in_turn
from tilequad.ai import March
from tilequad.nav import Grid

CELL, RADIUS, SPEED = 16.0, 5.0, 2.0  # px, px, px a tick
GROUPS, UNITS, SIDE = 20, 10_000, 256  # groups, all units, cells along the map
ARMY = 1_000  # units that get one order
BUILDINGS = 1 / 160  # of the cells begin a building of up to 4 x 4
AFTER = 8  # steps after an order that are timed with it


class World:
    """Groups in blocks on a map with buildings, but for the cells where they begin."""

    def __init__(self, count: int, groups: int, side: int) -> None:
        self.rng, self.size = np.random.default_rng(1), side * CELL
        free = np.ones((side, side), bool)
        for row, column in np.argwhere(self.rng.random((side, side)) < BUILDINGS).tolist():
            height, width = self.rng.integers(1, 5, 2)
            free[row : row + height, column : column + width] = False
        reach = RADIUS * 1.4 * np.sqrt(count / groups)
        around = self.rng.uniform(-reach, reach, (groups, count // groups, 2))
        xy = np.concatenate([self.goal() + one for one in around]).clip(1.0, self.size - 1.0)
        free[(xy[:, 1] // CELL).astype(int), (xy[:, 0] // CELL).astype(int)] = True
        self.grid = Grid(free, CELL, y_up=False)
        self.units, slots = planted(self.grid.bounds, xy, radius=RADIUS)
        self.groups = np.split(slots, groups)
        self.march = March(self.units, self.grid)
        self.step = partial(self.march.step, SPEED)

    def goal(self) -> np.ndarray:
        """A place for a group."""
        return self.rng.uniform(0.1, 0.9, 2) * self.size

    def send(self, formation: str | None = None) -> None:
        for slots in self.groups:
            self.march.send(slots, self.goal(), formation=formation)

    def check(self) -> None:
        """Everybody is on the map, and in no wall."""
        open_ = self.grid.is_open_many(self.units.position_many(np.arange(len(self.units))))
        check(open_.all(), f"{np.count_nonzero(~open_)} units in walls")


def frames(plan: Plan) -> Races:
    """Steps of many groups; orders to an army, with the steps that follow."""
    count = UNITS // 10 if plan.quick else UNITS
    world, ticks = World(count, GROUPS, SIDE), cycle(range(600))

    def renew() -> None:
        """All walk at once; whoever has arrived rests until all are sent again."""
        if next(ticks) == 0:
            world.send()
            for _ in range(30):  # fields are made in these
                world.step()

    for _ in range(50):
        renew()
        world.step()
    world.check()
    yield Race("a step of a march", "20 groups", count, world.step, frames=600, prepare=renew)
    for formation, name in ((None, ""), ("block", ", in formation")):
        army = World(ARMY, 1, plan.side)
        calls = in_turn(lambda call: call(), [partial(army.send, formation), *[army.step] * AFTER])
        for _ in range(AFTER + 1):
            calls()
        army.check()
        operation = f"an order and the steps after it{name}"
        yield Race(operation, "one group", ARMY, calls, frames=200)

"""Two armies meet in the one gate of a wall: nobody walks into it, and nobody stays behind.

    python -m tests.gate --units 5000

Half of the units stand on either side, and all want to the other one. Each army has a grid on which
the left half of the gate is dear, so it keeps to the right, as on a road. A field leads it, and
`separate` keeps all units apart and out of the closed cells of the grid. Whoever arrives leaves.

A unit is stuck if it gets nowhere: if for some seconds it has not come out of a circle as wide as
itself.
"""

from __future__ import annotations

import argparse
from math import ceil, sqrt
from time import perf_counter

import numpy as np
from tqdm import tqdm

from tilequad import DynamicQuadtree
from tilequad.ai import separate
from tilequad.nav import Field, Grid, Walls

TICKS = 60  # a second
SPEED = 60.0 / TICKS  # world units a tick
RADIUS = 5.0
CELL = 16.0
ROOM = 24 * RADIUS**2  # for each unit at the start
WRONG_SIDE = 6.0  # what a cell costs there


class Gate:
    """The battlefield.

    Args:
        count: The number of units.
        seed: Of their places.
        width: How wide the gate is, in cells, an even number; None for half of the wall.
    """

    def __init__(self, count: int, seed: int = 1, width: int | None = None) -> None:
        side = max(ceil(sqrt(count / 2 * ROOM) / CELL), 12)  # cells of each army's camp
        self.middle = side + side // 3
        self.columns, self.rows = 2 * self.middle + 2, side
        self.width = max(side // 2 // 2 * 2, 6) if width is None else width
        free = np.ones((self.rows, self.columns), bool)
        free[:, self.middle : self.middle + 2] = False
        low = (self.rows - self.width) // 2
        free[low : low + self.width, self.middle : self.middle + 2] = True
        self.grid = Grid(free, CELL)
        self.walls = Walls(self.grid)
        rng = np.random.default_rng(seed)
        self.units: DynamicQuadtree[int] = DynamicQuadtree(self.grid.bounds)
        self.fields, self.slots = [], []
        high = self.rows * CELL
        for army in (0, 1):
            costs = np.where(free, 1.0, np.inf)
            half = self.rows // 2
            wrong = slice(half, None) if army == 0 else slice(0, half)
            costs[wrong][free[wrong]] = WRONG_SIDE  # y is up: to the right is down, going east
            lane = Grid(costs, CELL)
            end = self.columns - 1 if army == 0 else 0
            goals = lane.center_many(np.arange(self.rows) * self.columns + end)
            self.fields.append(Field(lane, goals))
            left = RADIUS if army == 0 else (self.columns - side) * CELL + RADIUS
            places = rng.uniform((left, RADIUS), (left + side * CELL - 2 * RADIUS, high - RADIUS),
                                 (count // 2, 2))  # fmt: skip
            names = range(army * count, army * count + count // 2)
            self.slots.append(self.units.add_many(names, places, radius=RADIUS, groups=1 << army))
        self.anchors = np.zeros((count, 2))
        self.since = np.zeros(count, np.int64)
        everybody = np.concatenate(self.slots)
        self.anchors[everybody] = self.units.position_many(everybody)
        self.tick_number = 0
        self.longest = 0  # ticks that somebody has got nowhere

    def tick(self) -> None:
        """All walk, and are pushed apart; whoever is there leaves."""
        for army, field in enumerate(self.fields):
            slots = self.slots[army]
            self.units.move_many(slots, field.advance_many(self.units.position_many(slots), SPEED))
        separate(self.units, walls=self.walls, bounds=self.grid.bounds)
        for army, field in enumerate(self.fields):
            slots = self.slots[army]
            there = field.distance_many(self.units.position_many(slots)) < 2 * CELL
            if there.any():
                self.units.remove_many(slots[there])
                self.slots[army] = slots[~there]
        self.tick_number += 1

    def check(self) -> None:
        """Nobody is in a wall; note who has got nowhere, and since when."""
        slots = np.concatenate(self.slots)
        xy = self.units.position_many(slots)
        blocked = self.grid.blocked.ravel()[self.grid.cell_at_many(xy)]
        assert not blocked.any(), f"tick {self.tick_number}: {blocked.sum()} units in a wall"
        moved = np.hypot(*(xy - self.anchors[slots]).T) > RADIUS
        self.anchors[slots[moved]] = xy[moved]
        self.since[slots[moved]] = self.tick_number
        if len(slots):
            self.longest = max(self.longest, int(self.tick_number - self.since[slots].min()))

    @property
    def count(self) -> int:
        """How many are still under way."""
        return len(self.units)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gate", type=int, help="how wide it is, in cells; half of the wall")
    parser.add_argument("--seconds", type=int, default=600, help="of game, at most")
    given = parser.parse_args()
    gate = Gate(given.units, given.seed, given.gate)
    print(f"{gate.grid}, a gate of {gate.width} cells, {gate.count:,} units")
    times = []
    for number in tqdm(range(given.seconds * TICKS), disable=None):
        start = perf_counter()
        gate.tick()
        times.append(perf_counter() - start)
        gate.check()
        if number % (10 * TICKS) == 0:
            print(
                f"{number // TICKS:4} s: {gate.count:5,} under way, "
                f"{1e3 * float(np.median(times[-60:])):5.2f} ms a tick, "
                f"longest wait {gate.longest / TICKS:.1f} s"
            )
        if not gate.count:
            break
    print(
        f"{gate.count} left after {gate.tick_number / TICKS:.1f} s; a tick takes "
        f"{1e3 * float(np.median(times)):.2f} ms, at most {1e3 * max(times):.2f} ms; nobody was in "
        "a wall; the longest that a unit got nowhere "
        f"is {gate.longest / TICKS:.1f} s"
    )


if __name__ == "__main__":
    main()

"""Seeded armies for the benchmarks: where the units are, what is asked, how far they walk.

One unit to each 32 px tile on average. A larger army has a larger world, so that every size is as
crowded as every other. The radius is chosen for 7.6 hits a query on average, where the queries are
spread as the units are.
"""

from dataclasses import dataclass
from functools import cached_property
from math import pi, sqrt

import numpy as np

from tilequad import DynamicQuadtree

TILE = 32.0  # px, the side of the square that one unit has to itself
HITS = 7.6  # units that a radius query finds on average
QUERIES = 20_000  # enough that a round repeats few of them
STEP = 2.0  # px that a unit walks in a frame: 120 px/s at 60 frames a second
CROWD = 0.9  # of the units of a clustered army are in ...
CROWDED = 0.01  # ... this part of its area


@dataclass(frozen=True)
class Army:
    """Units in one world. Coordinates are exact in float32, because some peers store float32."""

    spread: str
    count: int

    @property
    def side(self) -> float:
        """Width and height of the world in px."""
        return TILE * sqrt(self.count)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        return 0.0, 0.0, self.side, self.side

    @property
    def radius(self) -> float:
        """The radius in px whose circle holds `HITS` units on average."""
        return sqrt(HITS * TILE * TILE / (pi * self.crowding))

    @property
    def box_side(self) -> float:
        """The side in px of a square that holds 12 units on average."""
        return sqrt(12 * TILE * TILE / self.crowding)

    @property
    def crowding(self) -> float:
        """How much denser than the average it is around the average unit."""
        if self.spread == "uniform":
            return 1.0
        crowd = CROWD + (1 - CROWD) * CROWDED  # the part of the units in the crowded area
        return crowd * crowd / CROWDED + (1 - crowd) * (1 - CROWD)

    @cached_property
    def items(self) -> list[int]:
        """The units themselves, as a game has them before it has a tree."""
        return list(range(self.count))

    @cached_property
    def xy(self) -> np.ndarray:
        """The position of each unit, (n, 2) float64."""
        return self.draw(np.random.default_rng(1), self.count)

    @cached_property
    def next_xy(self) -> np.ndarray:
        """The positions a frame later, (n, 2) float64."""
        steps = np.random.default_rng(2).uniform(-STEP, STEP, (self.count, 2))
        return rounded(self.xy + steps)

    @cached_property
    def queries(self) -> list[tuple[float, float]]:
        """Positions to ask at, spread as the units are, as Python floats."""
        return list(map(tuple, self.draw(np.random.default_rng(3), QUERIES).tolist()))

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Positions, (count, 2), all over the world or nine of ten of them in its crowded part."""
        xy = rng.uniform(0.0, self.side, (count, 2))
        if self.spread == "clustered":
            crowd = rng.random(count) < CROWD
            xy[crowd] = self.side * 0.37 + xy[crowd] * sqrt(CROWDED)
        return rounded(xy)


def rounded(xy: np.ndarray) -> np.ndarray:
    return xy.astype(np.float32).astype(np.float64)


def scattered(
    rng: np.random.Generator, count: int, side: float, **options: float
) -> tuple[DynamicQuadtree, np.ndarray, np.ndarray]:
    """A tree of units that are anywhere in a square world, their slots, and their positions."""
    units: DynamicQuadtree = DynamicQuadtree((0, 0, side, side))
    xy = rng.uniform(0, side, (count, 2))
    return units, units.add_many(range(count), xy, **options), xy

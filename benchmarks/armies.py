"""Seeded armies for the benchmarks: where the units are, what is asked, how far they walk.

One unit to each 32 px tile on average. A larger army has a larger world, so that every size is as
crowded as every other. The radius is chosen for 7.6 hits a query on average, where the queries are
spread as the units are.
"""

from math import pi, sqrt

import numpy as np

from tilequad import DynamicQuadtree

TILE = 32.0  # px, the side of the square that one unit has to itself
HITS = 7.6  # units that a radius query finds on average
QUERIES = 20_000  # enough that a round repeats few of them
STEP = 2.0  # px that a unit walks in a frame: 120 px/s at 60 frames a second
CROWD = 0.9  # of the units of a clustered army are in ...
CROWDED = 0.01  # ... this part of its area


class Army:
    """Units in one world. Coordinates are exact in float32, because some peers store float32."""

    def __init__(self, spread: str, count: int) -> None:
        self.spread, self.count = spread, count
        self.items = list(range(count))  # the units themselves, as a game has them before a tree
        self.side = TILE * sqrt(count)  # px, the width and height of the world
        self.bounds = 0.0, 0.0, self.side, self.side
        crowd = CROWD + (1 - CROWD) * CROWDED  # the part of the units in the crowded area
        clustered = crowd * crowd / CROWDED + (1 - crowd) * (1 - CROWD)
        # How much denser than the average it is around the average unit.
        self.crowding = 1.0 if spread == "uniform" else clustered
        # In px: the radius whose circle holds `HITS` units on average, the side of a box with 12.
        self.radius = sqrt(HITS * TILE * TILE / (pi * self.crowding))
        self.box_side = sqrt(12 * TILE * TILE / self.crowding)
        # The position of each unit, (n, 2) float64, and a frame later.
        self.xy = self.draw(np.random.default_rng(1), count)
        steps = np.random.default_rng(2).uniform(-STEP, STEP, (count, 2))
        self.next_xy = (self.xy + steps).astype(np.float32).astype(np.float64)
        # Positions to ask at, spread as the units are, as Python floats.
        self.queries = list(map(tuple, self.draw(np.random.default_rng(3), QUERIES).tolist()))

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Positions, (count, 2), all over the world or nine of ten of them in its crowded part."""
        xy = rng.uniform(0.0, self.side, (count, 2))
        if self.spread == "clustered":
            crowd = rng.random(count) < CROWD
            xy[crowd] = self.side * 0.37 + xy[crowd] * sqrt(CROWDED)
        return xy.astype(np.float32).astype(np.float64)


def planted(bounds: tuple, xy: np.ndarray, **options: float) -> tuple[DynamicQuadtree, np.ndarray]:
    """A tree of units at some places, numbered from 0, and their slots."""
    units: DynamicQuadtree = DynamicQuadtree(bounds)
    return units, units.add_many(range(len(xy)), xy, **options)


def scattered(
    rng: np.random.Generator, count: int, side: float, **options: float
) -> tuple[DynamicQuadtree, np.ndarray, np.ndarray]:
    """A tree of units that are anywhere in a square world, their slots, and their positions."""
    xy = rng.uniform(0, side, (count, 2))
    return *planted((0, 0, side, side), xy, **options), xy

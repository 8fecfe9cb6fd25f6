"""A mortar fires at a horde that marches past friends: prints each shell and the units it hits."""

import numpy as np

from tilequad import DynamicQuadtree
from tilequad.ai import best_blast

ENEMY, FRIEND = 1, 2
MORTAR, MAX_DISTANCE, MIN_DISTANCE, BLAST = (500.0, 200.0), 400.0, 120.0, 40.0
STEP = 2.0, -0.2  # of the horde in a tick, in pixels
rng = np.random.default_rng(4)
units = DynamicQuadtree((0, 0, 1000, 1000))
clumps = rng.uniform((0, 400), (300, 700), (12, 2))
xy = clumps[rng.integers(0, 12, 300)] + rng.normal(0, 20, (300, 2))
units.add_many([f"orc {number}" for number in range(300)], xy, groups=ENEMY)
for number in range(12):
    units.add(f"guard {number}", 350 + 25 * number, 520, groups=FRIEND)


def worth(unit: str) -> float:
    """Return 1 for an enemy, and -3 for a friend."""
    return -3.0 if units.groups(unit) == FRIEND else 1.0


for tick in range(241):
    alive = units.query_many([units.bounds], groups=ENEMY)[1]
    units.move_many(alive, units.position_many(alive) + STEP)
    if tick % 20 == 0:
        shell = best_blast(
            units, *MORTAR, MAX_DISTANCE, BLAST, min_distance=MIN_DISTANCE, value=worth
        )
        if shell is None:
            print(f"tick {tick:3}: no target")
            continue
        dead = [unit for unit in shell.units if units.groups(unit) == ENEMY]
        friends = len(shell.units) - len(dead)
        print(
            f"tick {tick:3}: shell at ({shell.x:.0f}, {shell.y:.0f}) catches {len(dead)} orcs"
            f" and {friends} guards; {len(alive) - len(dead)} orcs left"
        )
        for unit in dead:
            units.remove(unit)

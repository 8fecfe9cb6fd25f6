"""300 soldiers are called to one point next to a house: prints how the crowd settles."""

import numpy as np

from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.ai import separate
from tilequad.nav import Walls

POINT, RADIUS = np.array((500.0, 500.0)), 5.0
house = Walls(StaticQuadtree([(510, 460, 630, 540)]))
units = DynamicQuadtree((0, 0, 1000, 1000))
places = np.random.default_rng(1).uniform(0, 450, (300, 2))
soldiers = units.add_many(range(300), places, radius=RADIUS)

for frame in range(481):
    xy = units.position_many(soldiers)
    way = POINT - xy
    far = np.maximum(np.hypot(way[:, 0], way[:, 1]), 2.0)
    units.move_many(soldiers, xy + 2.0 * way / far[:, None])
    separate(units, walls=house, bounds=units.bounds)
    if frame % 60 == 0:
        depths = units.overlaps_many()[2]
        deep = np.percentile(depths, 95) if len(depths) else 0.0
        inside = (house.overlaps_many(units)[2] > RADIUS).sum()  # their centers are in the wall
        print(
            f"frame {frame:3}: {len(depths)} pairs touch, {deep:.1f} px deep, {inside} in the wall"
        )

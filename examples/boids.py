"""A flock of 500 boids: prints how their headings agree as they find together.

Alignment is the length of the mean heading: 0 for chaos, 1 for one direction.
"""

import numpy as np

from tilequad import DynamicQuadtree
from tilequad.ai import flock

SIDE, COUNT, SPEED = 1000.0, 500, 3.0
rng = np.random.default_rng(1)
xy = rng.uniform(0, SIDE, (COUNT, 2))
turns = rng.uniform(0, 2 * np.pi, COUNT)
velocity = SPEED * np.stack((np.cos(turns), np.sin(turns)), axis=1)
units = DynamicQuadtree((0, 0, SIDE, SIDE))
slots = units.add_many(range(COUNT), xy)

for tick in range(301):
    steering = flock(units, slots, velocity, max_distance=70, separation_distance=20)
    neighbors, cohesion, alignment, separation = steering
    velocity += 0.005 * cohesion + 0.1 * alignment + 0.5 * separation
    velocity *= SPEED / np.maximum(np.linalg.norm(velocity, axis=1, keepdims=True), 1e-9)
    xy = (xy + velocity) % SIDE  # who leaves on one side comes back on the other
    units.move_many(slots, xy)
    if tick % 50 == 0:
        order = np.linalg.norm(velocity.mean(axis=0)) / SPEED
        print(f"tick {tick:3}: {neighbors.mean():5.1f} neighbors, alignment {order:.2f}")

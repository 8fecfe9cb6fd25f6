"""Push 300 soldiers on one point apart, around a house: prints how the crowd settles."""

from math import dist, inf

from tilequad import DynamicQuadtree
from tilequad.ai import separate

HOUSE = "house"
units = DynamicQuadtree((0, 0, 1000, 1000))
units.add(HOUSE, 560, 500, size=(120, 80))
for number in range(300):
    units.add(number, 500, 500, radius=5)

for frame in range(61):
    before = {unit: units.position(unit) for unit in units}
    moved = separate(
        units,
        lambda unit: (120, 80) if unit == HOUSE else 5,
        mass=lambda unit: inf if unit == HOUSE else 1,
        bounds=(0, 0, 1000, 1000),
    )
    if frame % 10 == 0:
        steps = [dist(before[soldier], position) for soldier, position in moved.items()]
        mean = sum(steps) / len(steps)
        print(f"frame {frame:2}: {len(steps)} soldiers moved, by {mean:6.3f} pixels")

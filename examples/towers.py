"""Towers shoot the enemy first on the road: prints each kill and its tick."""

from tilequad import DynamicQuadtree
from tilequad.ai import Route, Targeting, policies

TOWER, ENEMY = 1, 2
road = Route([(0, 300), (300, 300), (300, 100), (600, 100)])
units = DynamicQuadtree((0, 0, 600, 400))
walked = {f"goblin {number}": -40.0 * number for number in range(8)}
for tower, x, y in (("north tower", 200.0, 340.0), ("south tower", 400.0, 60.0)):
    units.add(tower, x, y, groups=TOWER)
for goblin, distance in walked.items():
    x, y = road.at(distance)
    units.add(goblin, x, y, groups=ENEMY)
archers = Targeting(
    units, policies.first(walked.get), max_distance=120, groups=ENEMY, retarget_every=5
)

for tick in range(400):
    for goblin in [goblin for goblin in walked if goblin in units]:
        walked[goblin] += 2
        units.move(goblin, *road.at(walked[goblin]))
    for tower in ("north tower", "south tower"):
        target = archers.target(tower, tick)
        if target is not None and tick % 50 == 0:  # each tower shoots once in fifty ticks
            print(f"{tick:3}: {tower} shoots {target}")
            units.remove(target)

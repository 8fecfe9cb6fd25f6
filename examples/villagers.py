"""Villagers fetch wood, never two from one tree: prints where each of them goes."""

from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Goal, find_goal

VILLAGER, TREE, HOUSE = 1, 2, 4
units = DynamicQuadtree((0, 0, 400, 400))
for name, x in (("anna", 100), ("bert", 110), ("carl", 120)):
    units.add(name, x, 100, groups=VILLAGER)
for name, x, y in (("oak", 150, 110), ("elm", 60, 140), ("fir", 300, 300), ("far pine", 390, 390)):
    units.add(name, x, y, groups=TREE)
units.add("house", 200, 50, groups=HOUSE)
claims = Claims(units)
wood, home = Goal(TREE, max_distance=300, claims=claims), Goal(HOUSE)

for day in (1, 2):
    for name in ("anna", "bert", "carl"):
        goal = find_goal(units, name, wood, home)
        print(f"day {day}: {name} goes to the {goal}")
    for name in ("anna", "bert", "carl"):
        tree = claims.held(name)
        if tree is not None:
            units.move(name, *units.position(tree))
            units.remove(tree)

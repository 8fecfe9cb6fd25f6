"""A program that sets each public attribute to wrong values, then calls everything.

It is a program of its own, because what it looks for ends the interpreter. It prints the attributes
that took a value.
"""

from contextlib import suppress

import numpy as np

from tilequad import DynamicQuadtree
from tilequad.ai import (
    Claims,
    Damage,
    Goal,
    GoalSearch,
    Lead,
    Projectiles,
    RangeEvents,
    Route,
    Stagger,
    Targeting,
    TickBudget,
)
from tilequad.nav import Field, Fog, Grid, InfluenceMap, LineOfSight, Paths, Walls

REFUSALS = AttributeError, TypeError, ValueError, IndexError, KeyError, RuntimeError


class World:
    """Small objects of all public classes that keep state, and the calls that use it."""

    def __init__(self, size=6, count=4):
        self.grid = Grid(np.ones((size, size)), 10)
        self.units = DynamicQuadtree((0, 0, 10 * size, 10 * size))
        self.names = [f"unit {n}" for n in range(count)]
        self.units.add_many(self.names, [(5 + n % (10 * size - 5), 5) for n in range(count)])
        self.field = Field(self.grid, [(5, 5)])
        self.wide = self.grid.with_clearance(4)
        self.paths = Paths(self.grid)
        self.fog = Fog(self.grid, 2, self.units)
        self.viewer = self.fog.add(15, 15, 20)
        self.scout = self.fog.follow(self.names[0], 20, 1)
        self.sight = self.fog.sight(1)
        self.influence = InfluenceMap(self.grid, self.units, 20)
        self.wary = self.grid.with_danger(self.influence, 2, 5)
        self.walls, self.line = Walls(self.grid), LineOfSight()
        self.events = RangeEvents(self.units)
        self.zone = self.events.add(5, 5, 20)
        self.claims = Claims(self.units, 1 << 31)
        self.claims.claim(self.names[0], self.names[1])
        self.goals = GoalSearch(self.units, Goal(None, 50, claim=True), claims=self.claims)
        self.damage = Damage(self.units, np.full(count, 9.0))
        self.shot = self.damage.send(self.names[1], 5)
        self.shots = Projectiles(self.units, self.damage)
        self.bolt = self.shots.fire(0, 0, (9, 9), 1, life=9)
        self.lead = Lead(self.units, 5.0, np.ones((count, 2)))
        self.aim = Targeting(self.units, max_distance=50, damage=self.damage, lead=self.lead)
        self.stagger, self.budget = Stagger(3), TickBudget(2)
        self.route = Route([(0, 0), (9, 9)])

    def use(self):
        """Call what reads the attributes; errors are fine, a crash is not."""
        last, first = self.names[-1], self.names[0]
        points = np.array([(5.0, 5.0), (35.0, 55.0)])
        for call in (
            lambda: self.grid.center_many([0, len(self.grid) - 1]),
            lambda: self.grid.boxes([0, len(self.grid) - 1]),
            lambda: self.grid.block([3, len(self.grid) - 1]),
            lambda: self.grid.set_costs(self.grid.cells_in((0, 0, 30, 30)), 3.0),
            lambda: (self.grid.query((0, 0, 99, 99)), self.grid.costs, self.wide.blocked),
            lambda: (self.field.distances, self.field.advance_many(points, 9)),
            lambda: self.field.move_goals([(35, 35)]),
            lambda: self.field.direction_many(points),
            lambda: self.paths.find_many(points, points[::-1]),
            lambda: self.fog.resize(self.viewer, 30),
            lambda: self.fog.move(self.viewer, 45, 45),
            lambda: self.fog.set_team(self.viewer, 1),
            lambda: self.fog.update(),
            lambda: (self.fog.states(), self.fog.counts(), self.fog.seen_units(1)),
            lambda: self.fog.field_of_view(5, 5, 30),
            lambda: self.sight.clear_many(points, points),
            lambda: self.fog.remove(self.viewer),
            lambda: self.units.move(first, 45, 45),
            lambda: (self.influence.update(), self.influence.totals, self.wary.costs),
            lambda: (self.influence.at(5, 5), self.influence.at_many(points), self.wary.blocked),
            lambda: self.events.inside(self.zone),
            lambda: self.events.update(),
            lambda: self.events.enable(self.zone, False),
            lambda: self.events.update_many(),
            lambda: self.goals.search(last, 0),
            lambda: self.goals.search_many(self.units.slots(self.names), 1),
            lambda: self.claims.claim(last, first),
            lambda: self.claims.is_free(first, last),
            lambda: self.damage.doomed(self.names[1]),
            lambda: self.lead.aim(first, last),
            lambda: self.shots.step(),
            lambda: self.aim.target(first, 0),
            lambda: self.aim.target_many(self.units.slots(self.names), 1),
            lambda: self.damage.land(self.shot),
            lambda: (self.stagger.due(1, 1), self.budget.take(1, 1)),
            lambda: self.walls.move_and_slide((1, 1, 2, 2), 50, 9),
            lambda: self.line.clear(0, 0, 9, 9),
            lambda: self.route.at(3),
            lambda: self.events.remove(self.zone),
            lambda: repr(list(vars(self).values())),
        ):
            with suppress(*REFUSALS):
                call()


def wrong_values(name, other):
    """What somebody might set an attribute to, from another world."""
    yield from (None, 10**8, -(10**8), 2.5, np.zeros(3), lambda *_: 7)
    if hasattr(other, name):
        yield getattr(other, name)
    yield from (other.grid, other.units, other.fog, other.damage, other.claims)


def main():
    taken, large = set(), World(40, 2000)
    for name, thing in vars(World()).items():
        if not type(thing).__module__.startswith("tilequad.") or name == "units":
            continue
        for attribute in dir(type(thing)):
            if attribute.startswith("_") or callable(getattr(thing, attribute)):
                continue
            world = None
            for value in wrong_values(attribute, large):
                if world is None:  # the one before has taken a value
                    world = World()
                    world.use() if attribute in ("grid", "units") else None
                thing = getattr(world, name)
                try:
                    setattr(thing, attribute, value)
                except (AttributeError, TypeError, ValueError):
                    continue
                taken.add(f"{type(thing).__name__}.{attribute}")
                world.use()
                world = None
        for attribute in vars(thing) if hasattr(thing, "__dict__") else ():
            if not attribute.startswith("_"):
                taken.add(f"{type(thing).__name__}.{attribute} (an attribute of its own)")
    print(*sorted(taken), sep="\n")


if __name__ == "__main__":
    main()

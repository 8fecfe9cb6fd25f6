"""An interrupt at any place: each object is as before or as after, and nobody stays stale."""

import numpy as np
import pytest

from tests.interrupts import assert_done_or_not
from tests.nav_worlds import renewed, same, seen_as_new
from tilequad import DynamicQuadtree
from tilequad.nav import Field, Fog, Grid, Paths

pytestmark = pytest.mark.slow


class World:
    def __init__(self):
        rng = np.random.default_rng(7)
        self.grid = Grid(rng.random((9, 9)) > 0.2, 10)
        self.grid.set_costs([0, 80, 8, 40], [1, 1, 2, 1])
        self.grid.block([20, 21, 21])
        self.wide = self.grid.with_clearance(6)
        self.units = DynamicQuadtree((0, 0, 90, 90))
        self.units.add_many(["anna", "bert"], [(25, 25), (65, 45)])
        self.field, self.far = Field(self.grid, [(5, 85)]), Field(self.wide, [(5, 85)])
        self.paths = Paths(self.grid)
        self.paths.connected(5, 5, 85, 85)
        self.fog = Fog(self.grid, 2, self.units)
        self.viewers = [self.fog.add(45, 45, 30), self.fog.add(15, 75, 40, 1, over_walls=True)]
        self.scouts = [self.fog.follow("anna", 30), self.fog.follow("bert", 30, 1)]
        for number in range(6):
            self.grid.set_costs([number], [3.0])

    def state(self):
        """What a game can tell of the grid and of the viewers."""
        viewers = [(repr(v), v.team, v.radius, v.position) for v in self.fog]
        return self.grid.costs.tolist(), sorted(self.grid._blocks.held.items()), viewers

    def check(self):
        """Compare everything with what is made anew."""
        self.field.distance(5, 5)
        self.far.distance(5, 5)
        assert same(self.field, renewed(self.field))
        assert (self.wide.costs == self.grid.with_clearance(6).costs).all()
        assert same(self.far, renewed(self.far))
        cells = self.grid.center_many(range(81))
        new = Paths(self.grid)
        for start in ((5, 5), (85, 85), (5, 85)):
            assert (
                self.paths.connected_many(start, cells) == new.connected_many(start, cells)
            ).all()
        assert seen_as_new(self.fog)
        for one in list(self.fog):
            self.fog.remove(one)
        assert not self.fog.counts(0).any()
        assert not self.fog.counts(1).any()


CHANGES = {
    "set_costs": lambda world: world.grid.set_costs([30, 31, 20], [np.inf, 4.0, 2.0]),
    "block": lambda world: world.grid.block([40, 41, 20]),
    "unblock": lambda world: world.grid.unblock([20, 21]),
    "smoke": lambda world: world.grid.set_costs([30, 31, 20], 1.0, opaque=True),
    "fence": lambda world: world.grid.block([40, 41, 20], opaque=False),
    "repair": lambda world: (world.field.distance(5, 5), world.paths.connected(5, 5, 85, 85)),
    "move_goals": lambda world: world.field.move_goals([(85, 85)]),
    "add": lambda world: world.fog.add(5, 5, 20, 1),
    "follow": lambda world: world.fog.follow("anna", 20, 1),
    "remove": lambda world: world.fog.remove(world.viewers[0]),
    "move": lambda world: world.fog.move(world.viewers[0], 75, 35),
    "resize": lambda world: world.fog.resize(world.viewers[0], 50),
    "set_team": lambda world: world.fog.set_team(world.viewers[0], 1),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_interrupt_leaves_all_as_before_or_as_after(change):
    assert_done_or_not(World, change, World.state, World.check, places=15)


class Late(World):
    """Units have moved and died since the last update of the fog."""

    def __init__(self):
        super().__init__()
        self.units.add_many(["carl", "dora", "emil"], [(35, 5), (75, 75), (5, 45)])
        for name in ("carl", "dora", "emil"):
            self.fog.follow(name, 25, 1)
        self.units.move("anna", 75, 75)
        self.units.remove("dora")
        self.units.remove("emil")


def test_an_update_ends_all_dead_viewers_or_none_and_goes_on_later():
    done = Late()
    done.fog.update()

    def goes_on(world):
        world.fog.update()
        assert world.state() == done.state()
        world.check()

    assert_done_or_not(Late, lambda world: world.fog.update(), Late.state, goes_on, places=60)


def test_who_has_missed_many_changes_begins_anew():
    world = World()
    rng = np.random.default_rng(3)
    for _ in range(300):
        world.grid.set_costs(rng.integers(0, 81, 2), rng.choice([1.0, 2.0, np.inf], 2))
    world.check()

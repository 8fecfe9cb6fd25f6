"""A whole game is copied and pickled, whatever of it comes first: units know it, and it them."""

import numpy as np
import pytest

from tests.test_nav_interrupts_asked import solid_map
from tilequad import DynamicQuadtree, load_map
from tilequad.ai import (
    Claims,
    Damage,
    Goal,
    GoalSearch,
    March,
    Projectiles,
    RangeEvents,
    Stagger,
    Targeting,
    TickBudget,
)
from tilequad.nav import BLOCKED, Field, Fog, Grid, InfluenceMap, LineOfSight, Paths, Rule, Walls
from tilequad.quadtree import Contacts

SIDE = 12
VILLAGER, TREE, TAKEN = 1, 2, 4


class Unit:
    """Knows its game, as units do."""

    def __init__(self, game):
        self.game = game


def health(unit):
    return 3


class Game:
    """Something of each class that lasts, about one map and one tree."""

    def __init__(self, path):
        self.map = tile_map = load_map(path)
        self.layer = tile_map.layer("ground")
        self.solid = solid = self.layer.select(class_name="solid")
        self.grid = grid = Grid.of(tile_map, Rule("ground", BLOCKED, class_name="solid"))
        self.units = units = DynamicQuadtree(tile_map.bounds)
        self.all = [Unit(self) for _ in range(9)]
        places = grid.center_many(np.flatnonzero(~grid.blocked)[:9])
        self.slots = units.add_many(self.all, places, radius=3, groups=[VILLAGER, TREE, TREE] * 3)
        self.wide = grid.with_clearance(3)
        self.threat = InfluenceMap(grid, units, 40, groups=VILLAGER)
        self.wary = grid.with_danger(self.threat, 1, 3)
        self.field, self.paths = Field(self.wide, places[:1]), Paths(self.wary)
        self.walls, self.sight = Walls(solid), LineOfSight(solid, self.wide)
        self.fog = Fog(grid, 2, units)
        self.viewer = self.fog.follow(self.all[0], 50)
        self.damage = Damage(units, health)
        self.shots = Projectiles(units, self.damage)
        self.towers = Targeting(units, max_distance=90, sight=self.sight, damage=self.damage)
        self.claims = Claims(units, TAKEN)
        self.goals = GoalSearch(units, Goal(TREE, 90, claim=True), claims=self.claims)
        self.events = RangeEvents(units, sight=self.fog.sight())
        self.zone = self.events.follow(self.all[1], 60)
        self.stagger, self.budget = Stagger(3, units=units), TickBudget(2, units=units)
        self.contacts, self.march = Contacts(units), March(units, grid)
        self.march.send(self.slots[:2], places[8])
        self.play()

    def play(self):
        """Let a tick pass; return what all of them tell."""
        slots, grid = self.slots, self.grid
        self.shots.fire(5, 5, (90, 90), 4, life=30, target=self.all[2], damage=1)
        self.march.step(2)
        self.fog.update()
        self.threat.update()
        a, b = np.random.default_rng(1).uniform(grid.bounds[:2], grid.bounds[2:], (2, 20, 2))
        told = [self.towers.target_many(slots, 1), self.goals.search_many(slots[::3], 1)]
        told += [self.stagger.due_many(slots, 1), self.budget.take_many(slots, 1)]
        told += [self.shots.step().slots, self.shots.xy, self.units.position_many(slots)]
        told += [self.field.distance_many(a), self.paths.connected_many(a, b), grid.blocked]
        told += [self.fog.states(), self.fog.counts(1), self.wary.costs, self.threat.totals]
        told += [self.sight.clear_many(a, b), self.walls.merged().boxes(), self.solid.ids]
        kept = self.viewer in self.fog, self.zone in self.events, len(self.march), [*self.damage]
        came = [[*map(self.all.index, entered)] for _, entered, _ in self.events.update()]
        begun = [[*map(self.all.index, pair)] for pair in self.contacts.update()[0]]
        return repr([[part.tolist() for part in told], kept, came, begun])


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return solid_map(tmp_path_factory.mktemp("map"), SIDE)


def test_a_game_is_kept_whatever_of_it_comes_first(again, path):
    game = Game(path)
    twins = {name: again((part, game))[1] for name, part in vars(game).items()}
    expected = [game.play() for _ in range(3)]
    wall = [(x, y) for x in range(SIDE) for y in range(0, SIDE, 5)]
    for name, twin in twins.items():
        assert [twin.play() for _ in range(3)] == expected, name
    for one in (game, *twins.values()):
        one.layer.set_tiles(wall, 1)
    changed = game.play()
    assert changed != expected[-1]
    assert {twin.play() for twin in twins.values()} == {changed}

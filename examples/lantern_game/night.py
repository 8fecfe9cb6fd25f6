"""The rules of Lantern: what happens in a night, without a screen."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from pathlib import Path
from random import Random

import numpy as np

from tilequad import DynamicQuadtree, StaticQuadtree, load_map
from tilequad.ai import LineOfSight, Route, Targeting, Walls, separate
from tilequad.nav import BLOCKED, Field, Grid, Paths, Rule
from tilequad.tiled import ObjectLayer

MAPS = Path(__file__).resolve().parents[2] / "maps"
HERO, LOST, FOLLOWER, GOBLIN = 1, 2, 4, 8  # groups of the tree
BUILDINGS = "town_hall", "shelter", "building", "drop_off"  # classes of objects
VILLAGERS, NEEDED, GOBLINS, HEARTS = 9, 6, 20, 3
DOOR = (3664.0, 4072.0)  # of the town hall
WALK, FOLLOW, PROWL, HUNT = 3.0, 2.8, 1.4, 2.7  # pixels a tick
REACH, SIGHT, FLARE = 70, 230, 200  # pixels
RELOAD, FRIGHT, UNHURT = 240, 150, 90  # ticks


@dataclass(eq=False)
class Person:
    """The hero, a villager or a goblin; the tree knows where."""

    row: int  # of people.png: blue, red and green villagers, then goblins
    facing: int = 0  # down, left, right, up
    steps: float = 0.0
    afraid_until: int = 0  # goblins flee, and the hero cannot be hurt
    route: Route | None = None  # where a goblin prowls,
    walked: float = 0.0  # and how far along


class Night:
    """One game, without a screen; the same seed and the same keys play the same game."""

    def __init__(self, seed: int) -> None:
        self.random, self.tick = Random(seed), 0
        self.tile_map = load_map(MAPS / "frontier.tmx", y_up=False)  # y points down in pygame
        self.grid = Grid.of(
            self.tile_map,
            Rule("ground", BLOCKED, solid=True),  # water,
            Rule("roads", 1.0),  # but not under a bridge
            Rule("trees", BLOCKED),
            *(Rule("places", BLOCKED, building, covered=0.3) for building in BUILDINGS),
        )
        middles = self.grid.centers(np.flatnonzero(self.grid.blocked))
        boxes = StaticQuadtree(np.hstack((middles - 16, middles + 16)))
        self.walls, sight = Walls(boxes), LineOfSight(boxes)
        self.paths, self.way_home = Paths(self.grid), Field(self.grid, [DOOR])
        for thing in self.tile_map.layer("places", ObjectLayer).objects:
            thing.visible = thing.gid > 0  # houses, and not the marks of other games
        self.units: DynamicQuadtree[Person] = DynamicQuadtree(self.tile_map.bounds)
        self.hero, self.hearts, self.ready_at = Person(0), HEARTS, 0
        self.units.add(self.hero, DOOR[0], DOOR[1] + 40, radius=8, groups=HERO)
        # All that follow the hero share one field; it is mended when the hero walks on.
        self.way_to_hero = Field(self.grid, [self.units.position(self.hero)], limit=1200)
        for place in self.places(VILLAGERS, 500, 1600):
            self.units.add(Person(self.random.choice((1, 2))), *place, radius=8, groups=LOST)
        self.goblins = [Person(3) for _ in range(GOBLINS)]
        for goblin, place in zip(self.goblins, self.places(GOBLINS, 800, 1900), strict=True):
            self.units.add(goblin, *place, radius=8, groups=GOBLIN)
        prey = HERO | FOLLOWER  # those who are lost hide well
        self.hunt = Targeting(
            self.units, max_range=SIGHT, lose_range=1.5 * SIGHT, groups=prey, sight=sight,
            retarget_every=10,
        )  # fmt: skip
        self.home = self.taken = 0

    def places(self, count: int, least: float, most: float) -> list[tuple[float, float]]:
        """Choose open places whose way to the town hall is neither short nor long."""
        ways = self.way_home.distances
        cells = self.random.sample(np.flatnonzero((ways > least) & (ways < most)).tolist(), count)
        return [(x, y) for x, y in self.grid.centers(cells).tolist()]

    def of(self, group: int) -> list[Person]:
        """Return all people of a group."""
        return self.units.query(self.units.bounds, groups=group)

    @property
    def result(self) -> str:
        """What the game has come to: "playing", "won" or "lost"."""
        outside = VILLAGERS - self.home - self.taken
        if self.hearts == 0 or self.home + outside < NEEDED:
            return "lost"
        return "playing" if outside else "won"

    def step(self, right: float, down: float, flare: bool = False) -> None:
        """Play one tick: the hero walks that way, the others think for themselves."""
        x, y = self.units.position(self.hero)
        pace = WALK / max(hypot(right, down), 1)
        walk = self.walls.move_and_slide((x - 8, y - 8, x + 8, y + 8), right * pace, down * pace)
        self.move(self.hero, *walk.box.center)
        self.way_to_hero.move_goals([self.units.position(self.hero)])
        if flare and self.tick >= self.ready_at:
            self.ready_at = self.tick + RELOAD
            for goblin in self.units.within(x, y, FLARE, groups=GOBLIN):
                goblin.afraid_until = self.tick + FRIGHT
        for villager in self.units.within(x, y, REACH, groups=LOST):
            self.units.set_groups(villager, FOLLOWER)
        self.lead_followers()
        for goblin in self.goblins:
            self.move_goblin(goblin)
        separate(self.units, FOLLOWER | GOBLIN, walls=self.walls, iterations=2)
        self.tick += 1

    def lead_followers(self) -> None:
        """Let those who follow walk up to the hero, and the last steps to the door alone."""
        crowd = self.of(FOLLOWER)
        places = np.array([self.units.position(villager) for villager in crowd]).reshape(-1, 2)
        left = self.way_home.distance(places)
        to_hero = np.where(self.way_to_hero.distance(places) > 30 + 6 * len(crowd), FOLLOW, 0)
        to_door = self.way_home.advance(places, FOLLOW)
        goals = np.where((left < 200)[:, None], to_door, self.way_to_hero.advance(places, to_hero))
        for villager, goal, way in zip(crowd, goals.tolist(), left.tolist(), strict=True):
            self.move(villager, *goal)
            if way < 40:
                self.units.remove(villager)
                self.home += 1

    def move_goblin(self, goblin: Person) -> None:
        """Flee from the light, hunt whom it sees, or prowl."""
        x, y = self.units.position(goblin)
        if goblin.afraid_until > self.tick:
            goblin.route = None
            light_x, light_y = self.units.position(self.hero)
            away = HUNT / max(hypot(x - light_x, y - light_y), 1)
            self.move(goblin, x + (x - light_x) * away, y + (y - light_y) * away)
        elif (prey := self.hunt.target(goblin, self.tick)) is not None:
            goblin.route = None
            prey_x, prey_y = self.units.position(prey)
            near = hypot(prey_x - x, prey_y - y)
            if near < 20:
                self.catch(goblin, prey)
            else:
                self.move(goblin, x + (prey_x - x) / near * HUNT, y + (prey_y - y) / near * HUNT)
        else:
            if goblin.route is None or goblin.walked >= goblin.route.length:
                goblin.route, goblin.walked = self.new_route((x, y)), 0.0
            if goblin.route is not None:
                goblin.walked += PROWL
                self.move(goblin, *goblin.route.at(goblin.walked).tolist())

    def new_route(self, start: tuple[float, float]) -> Route | None:
        """Find a way to some place; None from where none can be reached."""
        [place] = self.places(1, 400, 1900)
        corners = self.paths.find(start, place)
        return (
            Route(corners) if corners is not None and len(np.unique(corners, axis=0)) > 1 else None
        )

    def catch(self, goblin: Person, prey: Person) -> None:
        """Hurt the hero, or carry a villager off."""
        if prey is not self.hero:
            self.units.remove(prey)
            self.taken += 1
        elif prey.afraid_until <= self.tick:
            self.hearts -= 1
            prey.afraid_until = self.tick + UNHURT
        goblin.afraid_until = self.tick + FRIGHT

    def move(self, person: Person, x: float, y: float) -> None:
        """Move someone, and turn the picture that way."""
        old_x, old_y = self.units.position(person)
        dx, dy = x - old_x, y - old_y
        if dx or dy:
            side = 2 if dx > 0 else 1
            person.facing = side if abs(dx) > abs(dy) else 0 if dy > 0 else 3
            person.steps += hypot(dx, dy) / 10
            self.units.move(person, x, y)

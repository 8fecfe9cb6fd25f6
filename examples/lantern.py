"""Lantern, a small game in pygame: lead the lost villagers home through a night full of goblins.

    python examples/lantern.py

Needs `tilequad[pygame]`. `Night` has the rules, and `Game` is the window.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from random import Random

import numpy as np

from tilequad import DynamicQuadtree, load_map
from tilequad.ai import Targeting, separate
from tilequad.nav import BLOCKED, Field, Grid, LineOfSight, Rule, Walls
from tilequad.tiled import ObjectLayer

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
try:
    import pygame

    from pygame_window import play
    from tilequad.draw.pygame import Camera, MapView, Minimap
except ImportError as problem:
    sys.exit(f'lantern: needs pip install "tilequad[pygame]" ({problem})')

MAPS = Path(__file__).resolve().parent.parent / "maps"
HERO, LOST, FOLLOWER, GOBLIN = 1, 2, 4, 8  # groups of the tree
BUILDINGS = "town_hall", "shelter", "building", "drop_off"  # classes of objects
VILLAGERS, NEEDED, GOBLINS, HEARTS = 9, 6, 24, 3
DOOR = (3664.0, 4088.0)  # in front of the door of the town hall
WALK, FOLLOW, HUNT = 3.0, 2.8, 2.7  # pixels a tick
REACH, SIGHT, FLARE = 70, 230, 200  # pixels
RELOAD, FRIGHT = 240, 150  # ticks
SIZE = WIDTH, HEIGHT = 1280, 720
END = "{home} came home, {taken} were taken.", "Enter: another night"
PAGES = {  # a title, and lines below it
    "title": (
        "Lantern",
        "Villagers are lost in the woods. Find them, and lead six of them to the town hall.",
        "Goblins hunt whom they see. They fear your lantern, when you raise it.",
        "Arrows: walk      Space: raise the lantern      Esc: leave",
        "Enter to begin",
    ),
    "won": ("The village sleeps in peace", *END),
    "lost": ("A long night", *END),
}


@dataclass(eq=False)
class Person:
    """The hero, a villager or a goblin; the tree knows where."""

    row: int  # of people.png: blue, red and green villagers, then goblins
    facing: int = 0  # down, left, right, up
    steps: float = 0.0
    afraid_until: int = 0


class Night:
    """One game, without a screen; the same seed and the same keys play the same game."""

    def __init__(self, seed: int) -> None:
        self.random, self.tick, self.result = Random(seed), 0, "playing"
        self.home = self.taken = self.ready_at = 0
        self.tile_map = load_map(MAPS / "frontier.tmx", y_up=False)  # y points down in pygame
        for thing in self.tile_map.layer("places", ObjectLayer).objects:
            thing.visible = thing.gid > 0  # houses, and not the marks of other games
        self.grid = Grid.of(
            self.tile_map,
            Rule("ground", BLOCKED, {"solid": True}, opaque=False),  # water,
            Rule("roads", 1.0),  # but not under a bridge
            Rule("trees", BLOCKED),
            *(Rule("places", BLOCKED, class_name=building, covered=0.3) for building in BUILDINGS),
        )
        self.walls, sight = Walls(self.grid), LineOfSight(self.grid)
        self.units: DynamicQuadtree[Person] = DynamicQuadtree(self.tile_map.bounds)
        self.hero, self.hearts = Person(0), HEARTS
        self.units.add(self.hero, DOOR[0], DOOR[1] + 24, radius=8, groups=HERO)
        self.way_home = Field(self.grid, [DOOR])
        # All that follow the hero share one field; it is mended when the hero walks on.
        self.way_to_hero = Field(self.grid, [self.units.position(self.hero)], max_distance=1200)
        for row, count, group in ((1, VILLAGERS, LOST), (3, GOBLINS, GOBLIN)):
            ways = self.way_home.distances  # neither near the town hall nor far from it
            cells = np.flatnonzero((ways > 500) & (ways < 1700)).tolist()
            for x, y in self.grid.center_many(self.random.sample(cells, count)).tolist():
                self.units.add(Person(row), x, y, radius=8, groups=group)
        prey = HERO | FOLLOWER  # those who are lost hide well
        self.hunt = Targeting(self.units, max_distance=SIGHT, groups=prey, sight=sight)

    def of(self, group: int) -> list[Person]:
        """Return all people of a group."""
        return self.units.query(self.units.bounds, groups=group)

    def step(self, right: float, down: float, flare: bool = False) -> None:
        """Play one tick: the hero walks that way, the others think for themselves."""
        self.walk(self.hero, right, down, WALK)
        x, y = self.units.position(self.hero)
        if flare and self.tick >= self.ready_at:
            self.ready_at = self.tick + RELOAD
            self.frighten(x, y)
        for villager in self.units.within(x, y, REACH, groups=LOST):
            self.units.set_groups(villager, FOLLOWER)
        self.lead_followers(x, y)
        for goblin in self.of(GOBLIN):
            self.move_goblin(goblin)
        crowd, land = FOLLOWER | GOBLIN, self.tile_map.bounds
        separate(self.units, crowd, walls=self.walls, bounds=land, iterations=2)
        self.tick += 1
        if self.hearts == 0 or VILLAGERS - self.taken < NEEDED:
            self.result = "lost"
        elif self.home >= NEEDED:
            self.result = "won"

    def lead_followers(self, x: float, y: float) -> None:
        """Let those who follow walk up to the hero; near the door they are home."""
        self.way_to_hero.move_goals([(x, y)])
        for villager in self.of(FOLLOWER):
            place = self.units.position(villager)
            if self.way_to_hero.distance(*place) > 50:
                goal_x, goal_y = self.way_to_hero.advance(*place, FOLLOW)
                self.walk(villager, goal_x - place[0], goal_y - place[1], FOLLOW)
        for villager in self.units.within(*DOOR, 100, groups=FOLLOWER):
            self.units.remove(villager)
            self.home += 1

    def move_goblin(self, goblin: Person) -> None:
        """Flee from the light, or hunt whom it sees."""
        x, y = self.units.position(goblin)
        prey = self.hunt.target(goblin, self.tick)
        if goblin.afraid_until > self.tick:
            light_x, light_y = self.units.position(self.hero)
            self.walk(goblin, x - light_x, y - light_y, HUNT)
        elif prey is not None:
            prey_x, prey_y = self.units.position(prey)
            self.walk(goblin, prey_x - x, prey_y - y, HUNT)
            if hypot(prey_x - x, prey_y - y) < 20:
                self.catch(prey)

    def catch(self, prey: Person) -> None:
        """Hurt the hero, or carry a villager off; then all goblins around run away."""
        self.frighten(*self.units.position(prey))
        if prey is self.hero:
            self.hearts -= 1
        else:
            self.units.remove(prey)
            self.taken += 1

    def frighten(self, x: float, y: float) -> None:
        """Let the goblins around a place flee for a while."""
        for goblin in self.units.within(x, y, FLARE, groups=GOBLIN):
            goblin.afraid_until = self.tick + FRIGHT

    def walk(self, person: Person, right: float, down: float, pace: float) -> None:
        """Walk `pace` pixels at most, along walls and not off the map, and turn that way."""
        if length := hypot(right, down):
            x, y = self.units.position(person)
            share = min(pace / length, 1)
            box = x - 8, y - 8, x + 8, y + 8
            slide = self.walls.move_and_slide(box, right * share, down * share)
            x, y = slide.bounds.center
            _, _, width, height = self.tile_map.bounds
            self.units.move(person, min(max(x, 8), width - 8), min(max(y, 8), height - 8))
            side = 2 if right > 0 else 1
            person.facing = side if abs(right) > abs(down) else 0 if down > 0 else 3
            person.steps += share * length / 10


class Game:
    """The window: a title, a night, its end, and another night."""

    def __init__(self, surface: pygame.Surface, seed: int) -> None:
        self.surface, self.page = surface, "title"
        self.people = pygame.image.load(MAPS / "people.png").convert_alpha()
        self.small, self.large = (pygame.font.Font(None, size) for size in (28, 92))
        self.dark = pygame.Surface(SIZE, pygame.SRCALPHA)
        self.lights = {radius: light(radius) for radius in (70, 180, 300, 420)}
        self.camera = Camera(SIZE)
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """Prepare a night."""
        self.seed, self.night = seed, Night(seed)
        layer = self.night.tile_map.layer
        self.map_view = MapView(self.night.tile_map)
        self.minimap = Minimap(self.map_view, 180)
        self.below = [layer(name) for name in ("ground", "roads", "decor", "places")]
        self.above = [layer("trees")]

    def handle(self, event: pygame.event.Event) -> None:
        """React to a key that goes down."""
        if event.type != pygame.KEYDOWN:
            return
        if event.key == pygame.K_ESCAPE:
            pygame.event.post(pygame.event.Event(pygame.QUIT))
        elif event.key == pygame.K_RETURN and self.page != "playing":
            if self.page != "title":
                self.begin(self.seed + 1)
            self.page = "playing"

    def update(self) -> None:
        """Play a tick with the keys as they are."""
        if self.page == "playing":
            keys = pygame.key.get_pressed()
            right = keys[pygame.K_RIGHT] - keys[pygame.K_LEFT]
            down = keys[pygame.K_DOWN] - keys[pygame.K_UP]
            self.night.step(WALK * right, WALK * down, keys[pygame.K_SPACE])
            self.page = self.night.result

    def draw(self, time: int) -> None:
        """Draw the map, the people, the dark, and what the player has to know."""
        night, place = self.night, self.night.units.position
        x, y = place(night.hero)
        self.camera.position = round(x), round(y)  # whole pixels, or the map would shiver
        self.camera.keep_within(night.tile_map.bounds)
        self.map_view.set_time(time)
        self.map_view.draw(self.surface, self.camera.visible_bounds, layers=self.below)
        left, top, right, bottom = self.camera.visible_bounds
        people = night.units.query((left - 70, top - 70, right + 70, bottom + 70))
        for person in sorted(people, key=lambda one: place(one)[1]):
            left, top = self.camera.to_screen(*place(person))
            picture = 48 * (3 * person.facing + int(person.steps) % 3), 48 * person.row, 48, 48
            self.surface.blit(self.people, (left - 24, top - 38), picture)
        self.map_view.draw(self.surface, self.camera.visible_bounds, layers=self.above)
        self.dark.fill((8, 12, 40, 205))
        self.shine((x, y), 420 if night.ready_at - night.tick > RELOAD - 20 else 300)
        self.shine(DOOR, 180)
        for person in people:
            if night.units.groups(person) == LOST:
                self.shine(place(person), 70)
        self.surface.blit(self.dark, (0, 0))
        self.draw_signs()

    def shine(self, place: tuple[float, float], radius: int) -> None:
        """Take the dark away around a place of the world."""
        x, y = self.camera.to_screen(*place)
        corner = x - radius, y - radius
        self.dark.blit(self.lights[radius], corner, special_flags=pygame.BLEND_RGBA_MIN)

    def draw_signs(self) -> None:
        """Draw the minimap, the counts, and the page of text before them."""
        night = self.night
        dots = [night.units.position(one) for one in night.of(LOST | FOLLOWER)]
        self.minimap.draw(self.surface, WIDTH - 192, HEIGHT - 192, self.camera.visible_bounds, dots)
        wait = max(night.ready_at - night.tick, 0) // 60
        following = f"following {len(night.of(FOLLOWER))}      home {night.home} of {NEEDED}"
        lantern = f"taken {night.taken}      lantern {wait or 'ready'}"
        self.write(f"hearts {night.hearts}      {following}      {lantern}", self.small, 24)
        if self.page != "playing":
            self.surface.fill("gray30", special_flags=pygame.BLEND_MULT)
            title, *lines = PAGES[self.page]
            self.write(title, self.large, 240, "gold")
            for number, line in enumerate(lines):
                line = line.format(home=night.home, taken=night.taken)
                self.write(line, self.small, 360 + 36 * number)

    def write(self, text: str, font: pygame.font.Font, y: int, color: str = "white") -> None:
        """Write a line with a shadow, in the middle of the screen."""
        for shift, shade in ((2, "black"), (0, color)):
            line = font.render(text, True, shade)
            self.surface.blit(line, line.get_rect(center=(WIDTH // 2 + shift, y + shift)))


def light(radius: int) -> pygame.Surface:
    """Return a disc without dark in its middle, for BLEND_RGBA_MIN."""
    disc = pygame.Surface((2 * radius, 2 * radius), pygame.SRCALPHA)
    disc.fill("white")
    for inner in range(radius, 0, -2):
        alpha = round(255 * (inner / radius) ** 2)
        pygame.draw.circle(disc, (255, 255, 255, alpha), (radius, radius), inner)
    return disc


def begin() -> Game:
    """Open the window."""
    screen = pygame.display.set_mode(SIZE)
    pygame.display.set_caption("Lantern")
    return Game(screen, seed=1)


if __name__ == "__main__":
    play("lantern", begin)

"""A roguelike in pygame: find the stairs out of the cellars. Needs `tilequad[pygame]`.

Arrows and the number pad walk, attack and open doors, C closes doors, space waits, O explores.

python examples/roguelike.py --turns 60 --output roguelike.png
"""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from tilequad import load_map
from tilequad.nav import BLOCKED, Field, Fog, Grid, Rule, ValueField

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
try:
    import pygame

    from tilequad.draw.pygame import Camera, FogOverlay, MapView
except ImportError as problem:
    sys.exit(f'roguelike: needs pip install "tilequad[pygame]" ({problem})')

MAPS = Path(__file__).resolve().parent.parent / "maps"
SIZE, ZOOM, SIGHT, HEAL, HIT = (1280, 720), 1.5, 9, 4, 2
KEYS = {pygame.K_KP1 + n: (n % 3 - 1, 1 - n // 3) for n in range(9)}  # right and down
ARROWS = (pygame.K_RIGHT, pygame.K_LEFT, pygame.K_DOWN, pygame.K_UP, pygame.K_SPACE)
KEYS |= dict(zip(ARROWS, [(1, 0), (-1, 0), (0, 1), (0, -1), (0, 0)], strict=True))


@dataclass(eq=False)
class Piece:
    """The hero, a monster, or a thing on the floor, which has no life."""

    kind: str
    gid: int
    cell: int
    life: int
    awake: bool = False


class Cellars:
    """The rules, without a screen: what stands where, and what a turn changes."""

    def __init__(self) -> None:
        tile_map = self.tile_map = load_map(MAPS / "cellars.tmx", y_up=False)
        self.doors = tile_map.layer("doors")
        self.door_cells = self.doors.ids()  # the tile of a cell has the number of the cell
        self.door_gid = int(self.doors.gids(self.door_cells)[0])
        # What stops steps stops looks: one grid for both.
        self.grid = grid = Grid.of(tile_map, Rule("walls", BLOCKED), Rule("doors", BLOCKED))
        cells = grid.cell_at_many([one.bounds.center for one in tile_map.objects()]).tolist()
        pieces = [
            Piece(one.class_name, one.gid, cell, one.properties.get("life", 0))
            for one, cell in zip(tile_map.objects(), cells, strict=True)
        ]
        (self.hero,) = (one for one in pieces if one.kind == "hero")
        self.monsters = [one for one in pieces if one.life and one is not self.hero]
        self.things = {one.cell: one for one in pieces if not one.life}
        self.way = Field(grid, [grid.center(self.hero.cell)])
        self.fog = Fog(grid)
        self.eyes = self.fog.add(*grid.center(self.hero.cell), radius_in_cells=SIGHT)
        self.turns, self.gold, self.result = 0, 0, ""

    def walk(self, right: int, down: int) -> None:
        """Walk into the next cell, and meet what is there."""
        (x, y), (width, height) = self.grid.center(self.hero.cell), self.grid.cell_size
        cell = self.grid.cell_at(x + right * width, y + down * height)
        if cell is not None:
            self.meet(cell)

    def meet(self, cell: int) -> None:
        """Open the door of a cell, hit the monster there, or go there; then the others move."""
        hero = self.hero
        if cell in self.doors.ids() and hero.cell in self.grid.neighbors(cell):
            self.set_door(cell, 0)
        elif cell == hero.cell or cell in self.grid.neighbors(hero.cell):
            there = [one for one in self.monsters if one.cell == cell]
            for one in there:
                one.life -= HIT
            self.monsters = [one for one in self.monsters if one.life > 0]
            if not there:
                hero.cell = cell
                self.fog.move(self.eyes, *self.grid.center(cell))
                if cell in self.things:
                    self.take(self.things.pop(cell).kind)
        else:
            return  # a wall
        self.end_turn()

    def take(self, kind: str) -> None:
        """Take what lies on the floor, or leave by the stairs."""
        self.gold += kind == "gold"
        self.hero.life += HEAL * (kind == "mushrooms")
        self.result = "You are out" if kind == "stairs" else ""

    def set_door(self, cell: int, gid: int) -> None:
        """Close a door of the map, or open it with gid 0; grid, fog and ways follow."""
        if place := self.doors.cell_at(*self.grid.center(cell)):
            self.doors.set_tiles([place], gid)

    def close_doors(self) -> None:
        """Close the doors beside the hero where nobody stands."""
        near = np.intersect1d(self.grid.neighbors(self.hero.cell), self.door_cells)
        for cell in np.setdiff1d(near, [one.cell for one in self.monsters]).tolist():
            self.set_door(cell, self.door_gid)
        self.end_turn()

    def end_turn(self) -> None:
        """Let all who have seen the hero hit or hunt; who is nearly dead flees."""
        self.turns += 1
        self.way.move_goals([self.grid.center(self.hero.cell)])
        beside = self.grid.neighbors(self.hero.cell)
        for one in self.monsters:
            one.awake |= self.fog.sees(one.cell)  # whom the hero sees, sees the hero
        awake = [one for one in self.monsters if one.awake]
        cowards = [one for one in awake if one.life == 1]
        fighters = [one for one in awake if one.life > 1 and one.cell in beside]
        hunters = [one for one in awake if one.life > 1 and one.cell not in beside]
        away = ValueField(self.grid, -self.way.distances)
        for pack, field in ((hunters, self.way), (cowards, away)):
            taken = [one.cell for one in (self.hero, *self.monsters)]
            cells = field.next_cell_many([one.cell for one in pack], avoid=taken).tolist()
            for one, cell in zip(pack, cells, strict=True):
                one.cell = cell
        self.hero.life -= len(fighters)
        if self.hero.life <= 0:
            self.result = "You are dead"

    def explore(self) -> None:
        """Play by itself: to monsters and things in sight, then where nobody has looked."""
        known = self.fog.explored().ravel()
        goals = [one.cell for one in self.monsters if self.fog.sees(one.cell)]
        goals = goals or [*np.flatnonzero(~known & ~self.grid.blocked.ravel()), *self.doors.ids()]
        goals += [cell for cell, one in self.things.items() if known[cell] and one.kind != "stairs"]
        way = Field(self.grid, self.grid.center_many(goals or list(self.things)))
        cell = way.next_cell(self.hero.cell)
        if cell == self.hero.cell:  # a closed door is next
            cell = next(one for one in self.doors.ids() if cell in self.grid.neighbors(one))
        self.meet(int(cell))


class Window:
    """Shows what the hero sees and remembers."""

    def __init__(self, game: Cellars) -> None:
        self.game, self.screen = game, pygame.display.set_mode(SIZE)
        self.map_view = MapView(game.tile_map, objects="none")
        self.dark, self.camera = FogOverlay(game.fog), Camera(SIZE, zoom=ZOOM)
        self.font = pygame.font.Font(None, 40)
        self.picture = cache(self.load)

    def load(self, gid: int) -> pygame.Surface:
        """Cut a picture from that of its tileset."""
        tileset = self.game.tile_map.tileset_of(gid)
        sheet = pygame.image.load(MAPS / f"{tileset.name}.png").convert_alpha()
        down, right = divmod(gid - tileset.first_gid, tileset.columns)
        width, height = tileset.tile_width, tileset.tile_height
        part = sheet.subsurface((right * width, down * height, width, height))
        return pygame.transform.scale_by(part, ZOOM)

    def draw(self) -> None:
        """Draw the map, the pieces in sight, the fog, and what the player has to know."""
        game, hero = self.game, self.game.hero
        self.camera.position = game.grid.center(hero.cell)
        self.camera.keep_within(game.tile_map.bounds)
        self.map_view.draw(self.screen, self.camera.visible_bounds)
        for one in (*game.things.values(), *game.monsters, hero):
            if not one.life or game.fog.sees(one.cell):  # the fog hides things by itself
                picture = self.picture(one.gid)
                place = self.camera.to_screen(*game.grid.center(one.cell))
                self.screen.blit(picture, picture.get_rect(center=place))
        self.dark.draw(self.screen, self.camera.visible_bounds)
        line = f"turn {game.turns}    life {hero.life}    gold {game.gold}    {game.result}"
        self.screen.blit(self.font.render(line, True, "white", "black"), (20, SIZE[1] - 44))
        pygame.display.flip()


def main() -> None:
    """Play until the window is closed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=0, help="how long the game plays by itself")
    parser.add_argument("--output", type=Path, help="where to write a picture, without a window")
    given = parser.parse_args()
    if given.output:
        os.environ["SDL_VIDEODRIVER"] = "dummy"
    pygame.display.init()
    pygame.font.init()
    hidden = pygame.display.get_driver() in ("dummy", "offscreen")
    if hidden and not os.environ.get("SDL_VIDEODRIVER"):
        sys.exit("roguelike: there is no display; --output needs none")
    game = Cellars()
    for _ in range(given.turns):
        if not game.result:
            game.explore()
    window = Window(game)
    window.draw()
    actions: dict[int, Callable[[], None]]
    actions = {key: partial(game.walk, *way) for key, way in KEYS.items()}
    actions |= {pygame.K_o: game.explore, pygame.K_c: game.close_doors}
    while not given.output:
        event = pygame.event.wait()
        if event.type == pygame.QUIT:
            return
        if event.type == pygame.KEYDOWN and event.key in actions and not game.result:
            actions[event.key]()
        window.draw()
    pygame.image.save(window.screen, given.output)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)

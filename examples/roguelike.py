"""A roguelike in pygame: find the stairs out of the cellars. Needs `tilequad[pygame]`.

Arrows and the number pad walk, fight and open doors, C closes doors, space waits.
`python examples/roguelike.py --output roguelike.png` draws without a window.
"""

import argparse
import os
import sys
from pathlib import Path

from tilequad import load_map
from tilequad.nav import BLOCKED, Field, Fog, Grid, Rule, ValueField
from tilequad.tiled import MapObject

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
try:
    import pygame

    from pygame_window import open_display
    from tilequad.draw.pygame import Camera, FogOverlay, MapView
except ImportError as problem:
    sys.exit(f'roguelike: needs pip install "tilequad[pygame]" ({problem})')

MAP = Path(__file__).resolve().parent.parent / "maps" / "cellars.tmx"
SIZE, ZOOM, SIGHT, HEAL, HIT = (1280, 720), 1.5, 9, 4, 2
KEYS = {pygame.K_KP1 + n: (n % 3 - 1, 1 - n // 3) for n in range(9)}  # right and down
KEYS |= {pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1)}
KEYS |= {pygame.K_DOWN: (0, 1), pygame.K_SPACE: (0, 0)}


class Piece:
    """The hero, a monster, or a thing on the floor, which has no life."""

    def __init__(self, item: MapObject, cell: int) -> None:
        self.kind, self.gid, self.cell = item.class_name, item.gid, cell
        self.life, self.awake = item.properties.get("life", 0), False


class Cellars:
    """The rules, without a screen: what stands where, and what a turn changes."""

    def __init__(self) -> None:
        self.tile_map = load_map(MAP, y_up=False)
        self.doors = self.tile_map.layer("doors")
        self.closed = {cell: self.doors.gids([cell])[0] for cell in self.doors.ids().tolist()}
        # What stops steps stops looks: one grid for both. The id of a tile is that of its cell.
        self.grid = Grid.of(self.tile_map, Rule("walls", BLOCKED), Rule("doors", BLOCKED))
        objects = self.tile_map.objects()
        cells = self.grid.cell_at_many([one.bounds.center for one in objects]).tolist()
        pieces = [Piece(*pair) for pair in zip(objects, cells, strict=True)]
        self.hero = next(one for one in pieces if one.kind == "hero")
        self.monsters = [one for one in pieces if one.life and one is not self.hero]
        self.things = {one.cell: one for one in pieces if not one.life}
        self.way = Field(self.grid, [self.grid.center(self.hero.cell)])
        self.fog = Fog(self.grid)
        self.eyes = self.fog.add(*self.grid.center(self.hero.cell), radius_in_cells=SIGHT)
        self.turns, self.gold, self.result = 0, 0, ""

    def walk(self, right: int, down: int) -> None:
        """Open the door of the next cell, hit the monster there, or go there."""
        [[column, row]] = self.doors.cells([self.hero.cell]).tolist()
        cell, near = self.grid.cell(column + right, row + down), self.grid.neighbors(self.hero.cell)
        if cell in self.doors.ids() and 0 in (right, down):
            self.set_door(cell, 0)
        elif cell != self.hero.cell and cell not in near:
            return  # a wall
        elif there := [one for one in self.monsters if one.cell == cell]:
            there[0].life -= HIT
            self.monsters = [one for one in self.monsters if one.life > 0]
        else:
            self.hero.cell = cell
            self.fog.move(self.eyes, *self.grid.center(cell))
            kind = self.things.pop(cell).kind if cell in self.things else ""
            self.gold += kind == "gold"
            self.hero.life += HEAL * (kind == "mushrooms")
            self.result = "You are out" if kind == "stairs" else ""
        self.end_turn()

    def set_door(self, cell: int, gid: int) -> None:
        """Close a door of the map, or open it with gid 0; grid, fog and ways follow."""
        self.doors.set_tiles(self.doors.cells([cell]), gid)

    def close_doors(self) -> None:
        """Close the doors beside the hero where nobody stands."""
        for cell in self.grid.neighbors(self.hero.cell).tolist():
            if cell in self.closed and not any(one.cell == cell for one in self.monsters):
                self.set_door(cell, self.closed[cell])
        self.end_turn()

    def end_turn(self) -> None:
        """Let all who have seen the hero hit or hunt; who is nearly dead flees."""
        self.turns += 1
        self.way.move_goals([self.grid.center(self.hero.cell)])
        away = ValueField(self.grid, -self.way.distances)
        for one in self.monsters:
            one.awake |= self.fog.sees(one.cell)  # whom the hero sees, sees the hero
            if one.awake and one.life > 1 and one.cell in self.grid.neighbors(self.hero.cell):
                self.hero.life -= 1
            elif one.awake:
                taken = [other.cell for other in (self.hero, *self.monsters)]
                way = away if one.life == 1 else self.way
                [one.cell] = way.next_cell_many([one.cell], avoid=taken).tolist()
        self.result = self.result if self.hero.life > 0 else "You are dead"


def draw(game: Cellars, screen: pygame.Surface, map_view: MapView, dark: FogOverlay) -> None:
    """Draw the map, the pieces in sight, the fog, and what the player has to know."""
    camera = Camera(SIZE, game.grid.center(game.hero.cell), ZOOM)
    camera.keep_within(game.tile_map.bounds)
    map_view.draw(screen, camera.visible_bounds)
    for one in (*game.things.values(), *game.monsters, game.hero):
        if not one.life or game.fog.sees(one.cell):  # the fog hides things by itself
            picture = pygame.transform.scale_by(map_view.tile_picture(one.gid), ZOOM)
            place = camera.to_screen(*game.grid.center(one.cell))
            screen.blit(picture, picture.get_rect(center=place))
    dark.draw(screen, camera.visible_bounds)
    line = f"turn {game.turns}    life {game.hero.life}    gold {game.gold}    {game.result}"
    screen.blit(pygame.font.Font(None, 40).render(line, True, "white", "black"), (20, SIZE[1] - 44))
    pygame.display.flip()


def main() -> None:
    """Play until the window is closed."""
    parser = argparse.ArgumentParser(description="Find the stairs out of the cellars.")
    parser.add_argument("--output", type=Path, help="where to write a picture, without a window")
    if output := parser.parse_args().output:
        os.environ["SDL_VIDEODRIVER"] = "dummy"
    open_display("roguelike", "--output needs none")
    game, screen = Cellars(), pygame.display.set_mode(SIZE)
    view = MapView(game.tile_map, objects="none"), FogOverlay(game.fog)
    draw(game, screen, *view)
    while not output and (event := pygame.event.wait()).type != pygame.QUIT:
        if event.type == pygame.KEYDOWN and not game.result:
            if event.key in KEYS:
                game.walk(*KEYS[event.key])
            elif event.key == pygame.K_c:
                game.close_doors()
        draw(game, screen, *view)
    if output:
        pygame.image.save(screen, output)


if __name__ == "__main__":
    main()

"""Make an island from noise, save it, and walk on it. Needs `tilequad[pygame]`.

The arrow keys walk; the left button of the mouse digs up land, the right one fills water.
`python examples/island.py 7 isle.tmx` makes another one, and says where to save it.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

try:
    import pygame

    from pygame_window import play
    from tilequad import load_map
    from tilequad.draw.pygame import Camera, MapView
    from tilequad.nav import BLOCKED, Grid, Rule, Walls
    from tilequad.tiled import TileMap
except ImportError as problem:
    sys.exit(f'island: needs pip install "tilequad[pygame]" ({problem})')

MAPS = Path(__file__).resolve().parent.parent / "maps"
COLUMNS, ROWS = 96, 64
SPEED, SIZE = 3, 9  # of the hero, in pixels


def noise(chance: np.random.Generator, cell: float) -> NDArray[np.float64]:
    """Return smooth values from 0 to 1 for the corners of all cells, with hills of a size."""
    row, column = np.mgrid[0 : ROWS + 1, 0 : COLUMNS + 1] / cell
    y, x = row.astype(int), column.astype(int)
    v, u = ((3 - 2 * part) * part**2 for part in (row - y, column - x))
    knots = chance.random((y.max() + 2, x.max() + 2))
    above = knots[y, x] * (1 - u) + knots[y, x + 1] * u
    below = knots[y + 1, x] * (1 - u) + knots[y + 1, x + 1] * u
    return np.asarray(above * (1 - v) + below * v)


def island(seed: int) -> TileMap:
    """Return the map of an island: a height for each corner, and tiles for the heights."""
    chance = np.random.default_rng(seed)
    row, column = np.mgrid[-1 : 1 : (ROWS + 1) * 1j, -1 : 1 : (COLUMNS + 1) * 1j]
    height = noise(chance, 16) * 0.7 + noise(chance, 6) * 0.3 - 0.75 * np.hypot(row, column) ** 2

    tile_map = TileMap.new(COLUMNS, ROWS, (32, 32), y_up=False, properties={"seed": seed})
    tile_map.add_tileset(MAPS / "terrain.tsx")
    land = tile_map.add_tile_layer("land")
    ground = tile_map.wang_set("ground")
    deep, water, grass, moss = map(ground.color, ("deep", "water", "grass", "moss"))
    levels = [height < -0.15, height < 0.1, height < 0.4]
    wrong = ground.fill(
        land, np.select(levels, [deep, water, grass], moss), corners=True, seed=seed
    )
    ground.paint(land, wrong, grass, seed=seed)  # steep places, such as woods beside water

    tile_map.add_tileset(MAPS / "trees_tall.tsx")
    inland = np.isin(ground.wang_ids(land, cells())[:, 1::2], [grass, moss]).all(axis=1)
    crowd = np.where(height[:-1, :-1].ravel() < 0.4, 0.03, 0.2)
    chosen = cells()[inland & (chance.random(COLUMNS * ROWS) < crowd)]
    kinds = tile_map.gids_with({"resource": "wood"})
    tile_map.add_tile_layer("trees").set_tiles(chosen, chance.choice(kinds, len(chosen)))
    return tile_map


def cells() -> NDArray[np.int64]:
    """Return the columns and rows of all cells."""
    return np.indices((ROWS, COLUMNS))[::-1].reshape(2, -1).T


class Walk:
    """A hero on the island, and a mouse that digs."""

    def __init__(self, path: Path) -> None:
        self.screen = pygame.display.set_mode((1024, 640))
        self.tile_map = load_map(path, y_up=False)  # y points down in pygame
        self.land, self.ground = self.tile_map.layer("land"), self.tile_map.wang_set("ground")
        water = Rule("land", BLOCKED, {"solid": True})
        self.grid = Grid.of(self.tile_map, water, Rule("trees", BLOCKED))  # follows the layers
        self.walls, self.view = Walls(self.grid), MapView(self.tile_map)
        start = self.grid.free_near(*self.tile_map.bounds.center, (2 * SIZE, 2 * SIZE))
        if start is None:
            raise ValueError("the island has no room to stand on")
        self.x, self.y = start.center
        self.camera = Camera(self.screen.get_size(), (self.x, self.y))

    def step(self, right: float, down: float) -> None:
        """Walk, and stop at water and trees."""
        bounds = (self.x - SIZE, self.y - SIZE, self.x + SIZE, self.y + SIZE)
        slide = self.walls.move_and_slide(bounds, right * SPEED, down * SPEED)
        self.x, self.y = slide.bounds.center

    def dig(self, place: tuple[int, int], color: str) -> None:
        """Paint the cell at a place of the screen; its neighbors become the shore."""
        cell = self.land.cell_at(*self.camera.to_world(*place))
        if cell:
            self.ground.paint(self.land, [cell], self.ground.color(color))

    def handle(self, event: pygame.event.Event) -> None:
        """Do nothing: what is held down counts."""

    def update(self) -> None:
        """Follow the keys and the mouse."""
        keys, buttons = pygame.key.get_pressed(), pygame.mouse.get_pressed()
        self.step(
            keys[pygame.K_RIGHT] - keys[pygame.K_LEFT], keys[pygame.K_DOWN] - keys[pygame.K_UP]
        )
        if buttons[0] or buttons[2]:
            self.dig(pygame.mouse.get_pos(), "water" if buttons[0] else "grass")

    def draw(self, time: int) -> None:
        """Draw the island and the hero."""
        self.camera.position = self.x, self.y
        self.camera.keep_within(self.tile_map.bounds)
        self.view.set_time(time)
        self.view.draw(self.screen, self.camera.visible_bounds)
        pygame.draw.circle(self.screen, "orange", self.camera.to_screen(self.x, self.y), SIZE)


def main() -> None:
    """Make the island, save it, and walk until the window is closed."""
    parser = argparse.ArgumentParser(description="Make an island, and walk on it.")
    parser.add_argument("seed", nargs="?", type=int, default=3, help="another one, another island")
    parser.add_argument("path", nargs="?", type=Path, default="island.tmx", help="where to save it")
    asked = parser.parse_args()

    def make() -> Walk:
        island(asked.seed).save(asked.path)
        return Walk(asked.path)

    play("island", make)


if __name__ == "__main__":
    main()

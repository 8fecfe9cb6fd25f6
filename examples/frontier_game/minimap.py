"""The minimap: the whole map in a corner of the screen, and a dot for each unit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilequad import Bounds
from tilequad.draw.pillow import render
from tilequad.tiled import TileMap

from .game import Game

SIDE = 192  # length of the longer side, in pixels
DOT = 2  # side of a dot, in pixels
SMOOTH = 4  # pixels that are drawn for each that is seen, along x and y
MARGIN = 14  # distance to the edge of the screen, in pixels
FRAME = (28, 26, 34, 255)
EDGE = (122, 96, 66, 255)
VIEW = (255, 246, 214, 255)
DOOR = (255, 90, 60, 255)  # where the next wave comes from
ENEMY_DOT, VILLAGER_DOT, TOWER_DOT = (226, 60, 52), (255, 244, 214), (88, 156, 240)


class Minimap:
    """A small picture of the map, and the positions of units on it.

    Args:
        tile_map: The map.
    """

    def __init__(self, tile_map: TileMap) -> None:
        self._bounds = tile_map.bounds
        self._scale = SIDE / max(tile_map.bounds.width, tile_map.bounds.height)
        layers = [tile_map.layer(name) for name in ("ground", "roads", "decor", "trees")]
        large = render(tile_map, scale=SMOOTH * self._scale, layers=layers)
        self.image = large.reduce(SMOOTH)

    def dots(
        self, game: Game, through_fog: bool = False
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.uint8]]:
        """Return the dots of the units, counted in pixels from the lower left.

        Those of one kind that are in the same square of a dot's size share a dot, and dots on top
        of one another are one bar: of 50,000 units a few hundred are left to draw.

        Args:
            game: The game.
            through_fog: Whether also those that the fog hides.

        Returns:
            Their middles, (n, 2), their widths and heights, (n, 2), and RGBA colors, (n, 4).
        """
        villagers = game.units.slots(game.village.villagers)
        towers = game.units.slots(game.garrison.towers)
        enemies = game.horde.slots()
        if game.fog is not None and not through_fog:
            enemies = enemies[game.fog.seen_units()[enemies]]
        places, sizes, colors = [], [], []
        kinds = (villagers, VILLAGER_DOT), (enemies, ENEMY_DOT), (towers, TOWER_DOT)
        for slots, color in kinds:
            squares = (self.project(game.units.position_many(slots)) / DOT).astype(np.intp)
            taken = np.zeros((SIDE // DOT, SIDE // DOT + 2), np.int8)  # a margin below and above
            x, y = squares.clip(0, SIDE // DOT - 1).T
            taken[x, y + 1] = 1
            edges = np.diff(taken)
            (x, low), high = np.nonzero(edges > 0), np.nonzero(edges < 0)[1]
            places.append(np.stack((2 * x + 1, low + high), 1) * (DOT / 2))
            sizes.append(np.stack((np.full(len(x), 1), high - low), 1) * DOT)
            colors.append(np.full((len(x), 4), (*color, 255), np.uint8))
        return np.concatenate(places), np.concatenate(sizes), np.concatenate(colors)

    def doors(self, game: Game) -> NDArray[np.float64]:
        """Return where the next wave comes from, in pixels from the lower left; it blinks."""
        roads = game.waves.roads if game.now % 1.0 < 0.7 else ()
        return self.project(np.array([game.horde.entry_at(road) for road in roads]).reshape(-1, 2))

    def world_at(self, x: float, y: float) -> tuple[float, float] | None:
        """Return the place of the land at pixels from the lower left, or None outside."""
        if not (0 <= x < self.image.width and 0 <= y < self.image.height):
            return None
        return self._bounds.min_x + x / self._scale, self._bounds.min_y + y / self._scale

    def project(self, xy: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert world positions to pixels from the lower left of the minimap."""
        projected: NDArray[np.float64] = (xy - self._bounds[:2]) * self._scale
        return projected

    def frame(self, view: Bounds) -> tuple[float, float, float, float]:
        """Return the part that a view covers: left, bottom, right, top in minimap pixels."""
        corners = self.project(np.array(view).reshape(2, 2))
        (left, bottom), (right, top) = np.clip(corners, 0, self.image.size).tolist()
        return left, bottom, right, top

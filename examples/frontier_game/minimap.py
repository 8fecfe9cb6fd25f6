"""The whole land in a corner of the picture: a pixel a cell, a dot for everybody who walks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad import Bounds
from tilequad.draw.pillow import TilePictures
from tilequad.tiled import TileMap

from .game import Game

SIDE = 192  # pixels of the longer side
MARGIN = 14  # pixels to the edge of the picture
FRAME = (28, 26, 34, 255)
VIEW = (255, 246, 214, 255)
ENEMY_DOT, VILLAGER_DOT, TOWER_DOT = (226, 60, 52), (255, 244, 214), (88, 156, 240)


class Minimap:
    """A small picture of the map, and where things are on it.

    Args:
        world: The map.
    """

    def __init__(self, world: TileMap) -> None:
        self._bounds = world.bounds
        self._scale = SIDE / max(world.bounds.width, world.bounds.height)
        columns, rows = world.size
        colors = np.zeros((rows, columns, 3))
        pictures = TilePictures.of(world)
        for name in ("ground", "roads", "decor", "trees"):
            layer = world.layer(name)
            ids = layer.ids()
            gids = layer.gids(ids)
            kinds, which = np.unique(gids, return_inverse=True)
            means = np.array([_mean(pictures.tile(gid)) for gid in kinds.tolist()])[which]
            column, row = layer.cells(ids).T
            share = means[:, 3:]
            colors[row, column] = colors[row, column] * (1 - share) + means[:, :3] * share
        size = round(columns * 32 * self._scale), round(rows * 32 * self._scale)
        small = Image.fromarray(colors.round().astype(np.uint8))
        self.image = small.resize(size, Image.Resampling.BOX).convert("RGBA")

    def dots(self, game: Game) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """Where everybody is, in pixels from the lower left, and in what colour.

        Args:
            game: The game.

        Returns:
            Places, (n, 2), and colours, (n, 4).
        """
        crowds = (
            (game.village.villagers, VILLAGER_DOT),
            (list(game.horde), ENEMY_DOT),
            (game.garrison.towers, TOWER_DOT),
        )
        slots = [unit.slot for crowd, _ in crowds for unit in crowd]
        colors = [(*color, 255) for crowd, color in crowds for _ in crowd]
        return self.place(game.units.xy[slots]), np.array(colors, np.uint8).reshape(-1, 4)

    def place(self, xy: NDArray[np.float64]) -> NDArray[np.float64]:
        """World positions in pixels from the lower left of the small picture."""
        placed: NDArray[np.float64] = (xy - self._bounds[:2]) * self._scale
        return placed

    def frame(self, view: Bounds) -> tuple[float, float, float, float]:
        """What a view covers: left, low, right, high in pixels, inside the small picture."""
        corners = self.place(np.array(view).reshape(2, 2))
        (left, low), (right, high) = np.clip(corners, 0, self.image.size).tolist()
        return left, low, right, high


def _mean(picture: Image.Image) -> tuple[float, float, float, float]:
    """The mean colour of a picture and the share of it that is covered, 0 to 1."""
    pixels = np.asarray(picture, float).reshape(-1, 4)
    weight = pixels[:, 3].sum()
    if not weight:
        return 0.0, 0.0, 0.0, 0.0
    red, green, blue = (pixels[:, :3] * pixels[:, 3:]).sum(axis=0) / weight
    return red, green, blue, weight / 255 / len(pixels)

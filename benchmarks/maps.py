"""Seeded maps for the benchmarks: layers full of tiles, in csv, as Tiled writes by default."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from tilequad.tiled import TileMap

TILE = 32  # px, the side of every tile image
SCREEN = 1280, 720  # px, that maps are drawn on
TILES = 256  # different tiles, 16 x 16 of them in the image
FOLDER = TemporaryDirectory()  # it is gone when the program ends

# How maps differ by orientation. Hexagons overlap by a quarter, diamonds by half.
SHAPES = {
    "orthogonal": {"tile_size": (TILE, TILE)},
    "isometric": {"tile_size": (TILE, TILE // 2)},
    "hexagonal": {"tile_size": (TILE, TILE), "hex_side_length": TILE // 2},
}


@cache
def write_map(
    side: int, orientation: str = "orthogonal", layers: int = 1, look: str = "green"
) -> Path:
    """Write a map of side x side cells, and the image of its tiles beside it: green, or noise."""
    rng, folder = np.random.default_rng(3), Path(FOLDER.name)
    pixels = np.full((16 * TILE, 16 * TILE, 3), (0, 128, 0), np.uint8)
    if look == "noise":
        pixels[:] = rng.integers(0, 255, pixels.shape)
    image = folder / f"{look}.png"
    Image.fromarray(pixels).save(image)
    tile_map = TileMap.new(side, side, orientation=orientation, **SHAPES[orientation])
    tile_map.add_tileset(image, tile_size=(TILE, TILE))
    gids = rng.integers(1, TILES + 1, (side, side))
    for name in ["ground", "layer 2", "layer 3"][:layers]:
        tile_map.add_tile_layer(name, gids)
    path = folder / f"{look}-{orientation}-{side}-{layers}.tmx"
    tile_map.save(path)
    return path

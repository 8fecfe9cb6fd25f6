"""Seeded maps for the benchmarks: one layer full of tiles, in csv, as Tiled writes by default."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

TILE = 32  # px, the side of every tile image
TILES = 256  # different tiles, 16 x 16 of them in the image

# Attributes of <map> by orientation. Hexagons overlap by a quarter, diamonds by half.
CELLS = {
    "orthogonal": f'renderorder="right-down" tilewidth="{TILE}" tileheight="{TILE}"',
    "isometric": f'tilewidth="{TILE}" tileheight="{TILE // 2}"',
    "hexagonal": f'tilewidth="{TILE}" tileheight="{TILE}" staggeraxis="y" staggerindex="odd" '
    f'hexsidelength="{TILE // 2}"',
}


def write_map(folder: Path, side: int, orientation: str = "orthogonal") -> Path:
    """Write a map of side x side cells, and the image of its tiles beside it."""
    image = "tiles.png"
    Image.new("RGB", (16 * TILE, 16 * TILE), "green").save(folder / image)
    gids = np.random.default_rng(3).integers(1, TILES + 1, (side, side))
    rows = ",\n".join(",".join(map(str, row.tolist())) for row in gids)
    path = folder / f"{orientation}-{side}.tmx"
    path.write_text(
        f"""<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" tiledversion="1.10.2" orientation="{orientation}" {CELLS[orientation]}
 width="{side}" height="{side}" infinite="0" nextlayerid="2" nextobjectid="1">
 <tileset firstgid="1" name="t" tilewidth="{TILE}" tileheight="{TILE}" tilecount="{TILES}"
  columns="16">
  <image source="{image}" width="{16 * TILE}" height="{16 * TILE}"/>
 </tileset>
 <layer id="1" name="ground" width="{side}" height="{side}">
  <data encoding="csv">
{rows}
</data>
 </layer>
</map>
"""
    )
    return path

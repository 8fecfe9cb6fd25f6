"""Seeded maps for the benchmarks: layers full of tiles, in csv, as Tiled writes by default."""

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


def write_map(
    folder: Path, side: int, orientation: str = "orthogonal", layers: int = 1, noise: bool = False
) -> Path:
    """Write a map of side x side cells, and the image of its tiles beside it: green, or noise."""
    rng = np.random.default_rng(3)
    pixels = np.full((16 * TILE, 16 * TILE, 3), (0, 128, 0), np.uint8)
    if noise:
        pixels[:] = rng.integers(0, 255, pixels.shape)
    Image.fromarray(pixels).save(folder / "tiles.png")
    gids = rng.integers(1, TILES + 1, (side, side))
    rows = ",\n".join(",".join(map(str, row.tolist())) for row in gids)
    layer = """<layer id="{id}" name="{name}" width="{side}" height="{side}">
  <data encoding="csv">
{rows}
</data>
 </layer>"""
    names = ["ground", *(f"layer {number}" for number in range(2, layers + 1))]
    drawn = "\n ".join(
        layer.format(id=number, name=name, side=side, rows=rows)
        for number, name in enumerate(names, start=1)
    )
    path = folder / f"{orientation}-{side}-{layers}.tmx"
    path.write_text(
        f"""<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" tiledversion="1.10.2" orientation="{orientation}" {CELLS[orientation]}
 width="{side}" height="{side}" infinite="0" nextlayerid="{layers + 1}" nextobjectid="1">
 <tileset firstgid="1" name="t" tilewidth="{TILE}" tileheight="{TILE}" tilecount="{TILES}"
  columns="16">
  <image source="tiles.png" width="{16 * TILE}" height="{16 * TILE}"/>
 </tileset>
 {drawn}
</map>
"""
    )
    return path

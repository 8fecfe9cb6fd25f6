"""Our pictures against Tiled's own, drawn on the spot by Debian's `tmxrasterizer`.

Debian has Tiled 1.8.2. Left out is what it draws differently from Tiled 1.12: hexagons of odd
sizes, parts of collection images, render size, oblique maps and infinite isometric ones. For those,
the pictures of the corpus are from Tiled 1.12.2.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.judge_pictures import (
    EDGE_PIXELS,
    INSTALLED,
    UNEXPLAINED,
    differing,
    premultiplied,
    tiled_picture,
    tiled_version,
    verdict,
)
from tests.judge_text import ENOUGH, NEAR, distances
from tests.random_maps import write_random_map
from tests.share import WHOLE, share
from tests.tmx import csv_layer
from tilequad.draw.pillow import render
from tilequad.tiled import ObjectLayer, load_map

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not INSTALLED, reason="needs Tiled: apt-get install tiled"),
]

OUR_MAPS = sorted((Path(__file__).parent.parent / "maps").glob("*.tmx"))
if not WHOLE:
    OUR_MAPS = [path for path in OUR_MAPS if "frontier" not in path.name]  # they take 20 and 10 s

SETS = (
    '<tileset firstgid="1" name="plain" tilewidth="16" tileheight="16" tilecount="9" columns="3">'
    '<image source="art.png" width="48" height="48"/></tileset>'
    '<tileset firstgid="10" name="tall" tilewidth="24" tileheight="48" tilecount="2" columns="2">'
    '<tileoffset x="-3" y="5"/><image source="art.png" width="48" height="48"/></tileset>'
)
STAGGERS = [
    f'staggeraxis="{axis}" staggerindex="{index}"' for axis in "xy" for index in ("odd", "even")
]
GRIDS = [
    *[
        f'orientation="orthogonal" renderorder="{order}"'
        for order in ("right-down", "left-down", "right-up", "left-up")
    ],
    'orientation="isometric"',
    *[f'orientation="staggered" {stagger}' for stagger in STAGGERS],
    *[
        f'orientation="hexagonal" {stagger} hexsidelength="{side}"'
        for stagger in STAGGERS
        for side in (0, 6, 10)
    ],
]
FLIPS = [0, 8, 4, 12, 2, 6, 10, 14]
TURNS = [0, 8, 4, 12, 1, 2, 3, 9, 14]


def write_art(path: Path) -> None:
    """Noise, a fifth of it transparent, so that any pixel in the wrong place shows."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 255, (48, 48, 4), dtype=np.uint8)
    pixels[:, :, 3] = np.where(rng.random((48, 48)) < 0.2, 0, 255)
    Image.fromarray(pixels).save(path)


@pytest.mark.parametrize("cell", [(16, 16), (32, 16), (18, 14)])
@pytest.mark.parametrize("grid", GRIDS)
def test_every_orientation_with_every_flip(tmp_path, grid, cell):
    rng = random.Random(f"{grid} {cell}")
    write_art(tmp_path / "art.png")
    flags = TURNS if "hexagonal" in grid else FLIPS
    tiles = [0, 0, *[rng.randint(1, 11) | bits << 28 for bits in flags]]
    rows = [[rng.choice(tiles) for _ in range(9)] for _ in range(7)]
    over = [[rng.choice([0, 0, 1, 10]) for _ in range(9)] for _ in range(7)]
    style = 'offsetx="5" offsety="-4" opacity="0.6" tintcolor="#80c0ff"'
    items = "".join(
        f'<object id="{number}" gid="{rng.choice(tiles[2:6])}" x="{rng.randint(0, 99)}" '
        f'y="{rng.randint(0, 99)}" width="16" height="16"/>'
        for number in range(5)
    )
    size = f'width="9" height="7" tilewidth="{cell[0]}" tileheight="{cell[1]}"'
    path = tmp_path / "map.tmx"
    path.write_text(
        f'<map version="1.5" {grid} {size}>{SETS}{csv_layer("a", rows)}'
        f'<objectgroup name="o">{items}</objectgroup>{csv_layer("b", over, style)}</map>'
    )
    without = ("--hide-layer", "o") if "hexagonal" in grid else ()
    ours = render(load_map(path), objects="none" if without else "all")
    different = differing(ours, tiled_picture(path, *without)).sum()
    assert different <= (EDGE_PIXELS if without else 0)


@pytest.mark.parametrize("path", OUR_MAPS, ids=lambda path: path.name)
def test_our_own_maps(tmp_path, path):
    shutil.copytree(path.parent, tmp_path / "maps")
    tile_map = load_map(path)
    shapes = [layer.name for layer in tile_map.layers if isinstance(layer, ObjectLayer)]
    hidden = [option for name in shapes for option in ("--hide-layer", name)]
    theirs = tiled_picture(tmp_path / "maps" / path.name, *hidden)
    assert not differing(render(tile_map, objects="none"), theirs).any()


@pytest.mark.parametrize("seed", share(range(1, 25), 2))
def test_random_maps(tmp_path, seed):
    """A few of the thousands of maps that `tests.judge_pictures` draws."""
    version = tiled_version()
    word, pixels = verdict(write_random_map(tmp_path, seed, version), version)
    assert word != UNEXPLAINED, f"{pixels} pixels differ"


def test_text_objects_lie_where_tiled_writes_them(tmp_path):
    """A few of the maps that `tests.judge_text` draws."""
    found = [pixels for seed in range(1, 7) for pixels in distances(tmp_path, seed)]
    assert sum(pixels <= NEAR for pixels in found) >= ENOUGH * len(found) > 60


@pytest.mark.parametrize(("scale", "most"), [(0.5, 8), (1, 0.01), (2, 2), (3, 2)])
def test_markers_of_missing_images_are_drawn_at_their_size(tmp_path, scale, most):
    boxes = [(4, 60, 40, 50), (60, 60, 16, 16), (90, 60, 30, 10), (10, 100, 100, 20)]
    items = "".join(
        f'<object id="{number}" gid="1" x="{x}" y="{y}" width="{width}" height="{height}"/>'
        for number, (x, y, width, height) in enumerate(boxes, 1)
    )
    path = tmp_path / "map.tmx"
    path.write_text(
        '<map version="1.8" orientation="orthogonal" width="9" height="7" tilewidth="16" '
        'tileheight="16"><tileset firstgid="1" source="lost.tsx"/>'
        f'<objectgroup name="o">{items}</objectgroup>{csv_layer("g", [[0] * 8 + [1]] * 7)}</map>'
    )
    theirs = premultiplied(tiled_picture(path, "--scale", str(scale)))
    ours = premultiplied(render(load_map(path), scale=scale))
    assert np.abs(ours - theirs).mean() <= most  # lines are smoothed in another way

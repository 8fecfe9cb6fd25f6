"""Our pictures of random maps against Tiled's own, drawn by its `tmxrasterizer`.

    python -m tests.judge_pictures --count 5000 --seed 1 --keep FOLDER

Ends with code 1 if a picture differs and nothing explains it. FOLDER gets each map that differs,
and both pictures. The same seed draws the same maps. Needs Tiled: `apt-get install tiled`.

Three things explain a difference:
- Edges of turned tiles. Where an edge, or the edge of a pixel of the image, meets the center of a
  pixel, the last digit of Tiled's numbers decides: a few pixels of each may differ.
- Rounding. An edge or a sample is exactly between two pixels, and the last digit of its place
  decides: the picture is Tiled's if the map is moved by a millionth of a pixel. Tile objects of
  isometric maps may be drawn in yet another way there.
- Odd isometric cells. Where tiles are wider than a cell, or moved, Tiled begins to draw a layer at
  another cell, and rounds half a pixel the other way.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from tqdm import tqdm

from tests.random_maps import Version, write_random_map
from tilequad.bounds import Bounds
from tilequad.draw.pillow import render
from tilequad.draw.transforms import HEXAGON_TURNS
from tilequad.tiled import FLIPPED_DIAGONALLY, ObjectLayer, TileLayer, TileMap, load_map

INSTALLED = shutil.which("tmxrasterizer") is not None
EQUAL = "equal"
UNEXPLAINED = "unexplained"

EDGE_PIXELS = 16  # of a turned tile, which may differ
TOLERANCE = 4  # of 255, in premultiplied colors: two pixels within it are equal
BAND = 512  # rows to compare at a time, because large pictures take much memory


def tiled_version() -> Version:
    """The version of Tiled, such as (1, 8)."""
    with tempfile.TemporaryDirectory() as folder:
        output = _run(Path(folder), "tiled", "--version")
    found = re.search(r"(\d+)\.(\d+)", output)
    assert found, output
    return int(found[1]), int(found[2])


def tiled_picture(path: Path, *options: str, folder: Path | None = None) -> Image.Image:
    """The picture that Tiled draws of a map; it is written to a folder, by default the map's."""
    out = (folder or path.parent) / "judge.png"
    _run(out.parent, "tmxrasterizer", "--no-smoothing", *options, str(path), str(out))
    with Image.open(out) as image:
        return image.convert("RGBA")


def _run(folder: Path, *command: str) -> str:
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700, exist_ok=True)
    screenless = {"QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(runtime)}
    environment = {**os.environ, **screenless}
    run = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return run.stdout + run.stderr


def differing(ours: Image.Image, theirs: Image.Image) -> NDArray[np.bool_]:
    """Which pixels differ, colors premultiplied; (height, width)."""
    assert ours.size == theirs.size
    bands = [np.zeros((0, ours.width), bool)]
    for top in range(0, ours.height, BAND):
        box = (0, top, ours.width, min(top + BAND, ours.height))
        one, other = (premultiplied(image.crop(box)) for image in (ours, theirs))
        bands.append(np.abs(one - other).max(axis=2) > TOLERANCE)
    return np.concatenate(bands)


def premultiplied(image: Image.Image) -> NDArray[np.int16]:
    pixels = np.asarray(image.convert("RGBA")).astype(np.int32)
    pixels[:, :, :3] = (pixels[:, :, :3] * pixels[:, :, 3:] + 127) // 255
    return pixels.astype(np.int16)


def canvas_of_old(tile_map: TileMap) -> Bounds:
    """The area that Tiled 1.8 draws: offsets of all layers widen it, images do not."""
    margins = np.zeros(4)
    for layer in tile_map.layers:
        x, y = layer.offset
        margins = np.maximum(margins, np.ceil([-x, -y, x, y]))
    return Bounds(*(np.array(tile_map.bounds) + margins * (-1, -1, 1, 1)).tolist())


def verdict(path: Path, version: Version) -> tuple[str, int]:
    """Draw a map twice; "equal" or why they differ, and the number of different pixels."""
    tile_map = load_map(path, y_up=False)
    area = canvas_of_old(tile_map) if version < (1, 9) else tile_map.canvas
    ours, theirs = render(tile_map, area), tiled_picture(path)
    ours.save(path.parent / "ours.png")
    if ours.size != theirs.size:
        return UNEXPLAINED, 0
    count = int(differing(ours, theirs).sum())
    if not count:
        return EQUAL, 0
    return reason(tile_map, beyond_rounding(tile_map, area, theirs)), count


def reason(tile_map: TileMap, count: int) -> str:
    """Why this many pixels may differ, apart from those that rounding explains."""
    if count <= projected_halves(tile_map):
        return "rounding"
    if count <= turned_tiles(tile_map) * EDGE_PIXELS:
        return "edges of turned tiles"
    if tile_map.orientation == "isometric" and any(side % 2 for side in tile_map.tile_size):
        return "odd isometric cells"
    return UNEXPLAINED


def beyond_rounding(tile_map: TileMap, area: Bounds, theirs: Image.Image) -> int:
    """How many pixels differ even if the map is moved by a millionth of a pixel."""
    wrong = np.ones(theirs.size[::-1], bool)
    for x, y in product((-1e-6, 0, 1e-6), repeat=2):
        wrong &= differing(render(tile_map, area.shifted(x, y)), theirs)
    return int(wrong.sum())


def projected_halves(tile_map: TileMap) -> float:
    """How many pixels tile objects of an isometric map cover that begin on the center of one."""
    return sum(
        item.bounds.width * item.bounds.height
        for layer in tile_map.layers
        if isinstance(layer, ObjectLayer) and tile_map.orientation == "isometric"
        for item in layer.objects
        if any(abs(edge % 1 - 0.5) < 1e-6 for edge in item.bounds)
    )


def turned_tiles(tile_map: TileMap) -> int:
    """How many tiles and tile objects are turned otherwise than from side to side."""
    count = 0
    hexagonal = tile_map.orientation == "hexagonal"
    turns = HEXAGON_TURNS if hexagonal else FLIPPED_DIAGONALLY
    for layer in tile_map.layers:
        if isinstance(layer, ObjectLayer):
            count += sum(item.rotation != 0 or item.flags & turns != 0 for item in layer.objects)
        elif isinstance(layer, TileLayer):
            count += int(np.count_nonzero(layer.flags(layer.ids()) & turns))
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=5000, help="maps (5000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for the maps that differ")
    options = parser.parse_args()
    if not INSTALLED:
        raise SystemExit("skipped: tmxrasterizer is missing; apt-get install tiled")
    version = tiled_version()
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for seed in tqdm(range(options.seed, options.seed + options.count)):
            path = write_random_map(folder, seed, version)
            word, pixels = verdict(path, version)
            verdicts[word] += 1
            if word != EQUAL:
                tqdm.write(f"seed {seed}: {pixels} pixels: {word}")
                if options.keep:
                    shutil.copytree(folder, options.keep / str(seed), dirs_exist_ok=True)
    print(f"Tiled {version[0]}.{version[1]}: {dict(verdicts.most_common())}")
    raise SystemExit(verdicts[UNEXPLAINED] > 0)


if __name__ == "__main__":
    main()

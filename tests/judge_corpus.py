"""Our pictures of real maps against Tiled's own, made by the installed Tiled or stored.

    python -m tests.judge_corpus FOLDER

FOLDER is the corpus that `TILEQUAD_CORPUS` names; its README says what is stored in it. A map is
right if it looks as in one version of Tiled. Ends with code 1 if more than 2 of 100 are wrong.
Needs Tiled: `apt-get install tiled`.

Layers with shapes or text are left out: Tiled smooths lines and letters in its own way.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from PIL import Image
from tqdm import tqdm

from tests.judge_pictures import (
    INSTALLED,
    canvas_of_old,
    differing,
    tiled_picture,
    tiled_version,
)
from tilequad.draw.pillow import render
from tilequad.tiled import ImageLayer, MapError, ObjectLayer, TileLayer, TileMap, load_map

MOST_WRONG = 0.02  # of all maps


def verdict(corpus: Path, row: dict[str, str], folder: Path, old: bool) -> tuple[str, int]:
    """What a map's picture is equal to, and how many pixels differ from the installed Tiled's."""
    path = corpus / row["path"]
    try:
        tile_map = load_map(path, y_up=False)
    except MapError:
        return ("refused by both" if row["exported"] == "0" else "refused"), 0
    count = beside_installed(tile_map, folder, old)
    if count == 0:
        return "as the installed Tiled draws it", 0
    stored = [
        equals_stored(tile_map, corpus / row[f"truth_{kind}"], whole=kind == "full")
        for kind in ("tiles", "full")
        if row[f"truth_{kind}"] and not (kind == "full" and undrawn(tile_map))
    ]
    if stored and all(stored):
        return "as the stored pictures", count
    return "wrong", count


def beside_installed(tile_map: TileMap, folder: Path, old: bool) -> int:
    """How many pixels differ from the installed Tiled's picture; -1 if it draws none."""
    hidden = undrawn(tile_map)
    area = canvas_of_old(tile_map) if old else tile_map.canvas
    scale = 1.0
    while area.width * area.height * scale**2 > tile_map.limits.pixels:
        scale /= 2
    options = [word for name in sorted(hidden) for word in ("--hide-layer", name)]
    options += ["--scale", str(scale)]
    try:
        theirs = tiled_picture(tile_map.path, *options, folder=folder)
    except subprocess.CalledProcessError:
        return -1
    layers = [layer for layer in tile_map.layers if layer.visible and layer.name not in hidden]
    ours = render(tile_map, area, scale, layers=layers)
    if ours.size != theirs.size:
        return -1
    return int(differing(ours, theirs).sum())


def undrawn(tile_map: TileMap) -> set[str]:
    """The names of visible layers with shapes or text."""
    return {
        layer.name
        for layer in tile_map.layers
        if isinstance(layer, ObjectLayer)
        and layer.visible
        and any(item.shape != "tile" for item in layer.objects)
    }


def equals_stored(tile_map: TileMap, stored: Path, whole: bool) -> bool:
    kinds = (TileLayer, ObjectLayer, ImageLayer) if whole else (TileLayer,)
    layers = [layer for layer in tile_map.layers if layer.visible and isinstance(layer, kinds)]
    ours = render(tile_map, layers=layers)
    with Image.open(stored) as theirs:
        return ours.size == theirs.size and not differing(ours, theirs).any()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    options = parser.parse_args()
    if not INSTALLED:
        raise SystemExit("skipped: tmxrasterizer is missing; apt-get install tiled")
    old = tiled_version() < (1, 9)
    with (options.corpus / "expected.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        for row in tqdm(rows):
            word, count = verdict(options.corpus, row, Path(name), old)
            verdicts[word] += 1
            if count or word.startswith("refused"):
                tqdm.write(f"{row['path']}: {count} pixels: {word}")
    print(f"{len(rows)} maps: {dict(verdicts.most_common())}")
    raise SystemExit(verdicts["wrong"] + verdicts["refused"] > MOST_WRONG * len(rows))


if __name__ == "__main__":
    main()

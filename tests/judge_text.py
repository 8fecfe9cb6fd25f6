"""Our text objects against Tiled's own: how far the boxes around their ink are apart.

    python -m tests.judge_text --count 40 --seed 1 --keep FOLDER

Each map has 12 text objects of random words, fonts and alignments, most of them too small for
their words. Ends with code 1 if fewer than 85 of 100 boxes lie within a pixel of Tiled's. FOLDER
gets the maps, and both pictures of each. Needs Tiled: `apt-get install tiled`.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
from PIL import Image
from tqdm import tqdm

from tests.judge_pictures import INSTALLED, tiled_picture
from tilequad.draw.pillow import render
from tilequad.tiled import load_map

ENOUGH = 0.85  # of all objects
NEAR = 1  # pixels
COLUMNS, ROWS = 4, 3
PLACE = 240, 200  # the room of an object, in pixels
MARGIN = 30  # between the box of an object and the edge of its room

FAMILIES = (
    "sans-serif", "serif", "monospace", "DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono",
    "Arial", "Times New Roman", "Courier New", "Consolas", "Nobody Has This",
)  # fmt: skip
WORDS = (
    "DRAGONTAIL", "a", "of", "the", "castle", "Hello,", "world!", "extraordinarily", "(beware)",
    "gate-keeper", "42", "AVATAR", "Wolf", "supercalifragilistic", "and", "in", "yoga", "I'll",
)  # fmt: skip


def write_text_map(folder: Path, seed: int) -> tuple[Path, list[str]]:
    """Write a map with random text objects; return it and the attributes of each object."""
    chance = random.Random(seed)
    objects, summaries = [], []
    for number in range(COLUMNS * ROWS):
        text = {
            "fontfamily": chance.choice(FAMILIES),
            "pixelsize": chance.choice((9, 12, 14, 16, 19, 24, 32)),
            "wrap": chance.choice((0, 1, 1)),
            "bold": chance.choice((0, 0, 1)),
            "italic": chance.choice((0, 0, 1)),
            "kerning": chance.choice((1, 1, 1, 0)),
            "halign": chance.choice(("left", "center", "right", "justify")),
            "valign": chance.choice(("top", "center", "bottom")),
        }
        size = {
            "width": chance.choice((40, 90, 130, 170, 180.5)),
            "height": chance.choice((12, 20, 45, 80, 100, 140)),
        }
        words = " ".join(chance.choices(WORDS, k=chance.choice((1, 2, 4, 8))))
        if chance.random() < 0.3:
            words = words.replace(" ", "\n", 1)
        place = {
            "x": MARGIN + number % COLUMNS * PLACE[0],
            "y": MARGIN + number // COLUMNS * PLACE[1],
        }
        objects.append(
            f"<object {_attributes({'id': number + 1, **place, **size})}>"
            f"<text {_attributes(text)}>{words}</text></object>"
        )
        summaries.append(f"{_attributes({**size, **text})} {words!r}")
    path = folder / "map.tmx"
    path.write_text(
        f'<map version="1.8" orientation="orthogonal" width="{COLUMNS * PLACE[0] // 10}" '
        f'height="{ROWS * PLACE[1] // 10}" tilewidth="10" tileheight="10" infinite="0">'
        f'<objectgroup id="1" name="words">{"".join(objects)}</objectgroup></map>',
        encoding="utf-8",
    )
    return path, summaries


def _attributes(values: dict[str, object]) -> str:
    return " ".join(f"{name}={quoteattr(str(value))}" for name, value in values.items())


def ink_boxes(picture: Image.Image) -> list[tuple[int, int, int, int] | None]:
    """The box around the ink of each object, within its room; None for an object without ink."""
    ink = picture.getchannel("A").point(lambda alpha: 255 * (alpha >= 32))
    width, height = PLACE
    rooms = (
        (column * width, row * height, (column + 1) * width, (row + 1) * height)
        for row in range(ROWS)
        for column in range(COLUMNS)
    )
    return [ink.crop(room).getbbox() for room in rooms]


def distance(one: tuple[int, ...] | None, other: tuple[int, ...] | None) -> float:
    """The greatest distance between two sides of two boxes."""
    if one is None or other is None:
        return 0 if one == other else float("inf")
    return float(np.abs(np.subtract(one, other)).max())


def distances(folder: Path, seed: int) -> list[float]:
    """How far the ink of each text object of a map is from Tiled's; prints those that are far."""
    path, summaries = write_text_map(folder, seed)
    ours, theirs = render(load_map(path, y_up=False)), tiled_picture(path)
    ours.save(folder / "ours.png")
    found = []
    for one, other, summary in zip(ink_boxes(ours), ink_boxes(theirs), summaries, strict=True):
        found.append(distance(one, other))
        if found[-1] > NEAR:
            tqdm.write(f"seed {seed}: {one}, Tiled {other}: {summary}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=40, help="maps (40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for the maps")
    options = parser.parse_args()
    if not INSTALLED:
        raise SystemExit("skipped: tmxrasterizer is missing; apt-get install tiled")
    counts: Counter[float] = Counter()
    with tempfile.TemporaryDirectory() as name:
        for seed in tqdm(range(options.seed, options.seed + options.count)):
            folder = (options.keep or Path(name)) / str(seed)
            folder.mkdir(parents=True, exist_ok=True)
            counts.update(distances(folder, seed))
    near = sum(count for pixels, count in counts.items() if pixels <= NEAR)
    print({f"{pixels:g} px": count for pixels, count in sorted(counts.items())})
    print(f"within {NEAR} px: {near} of {counts.total()} objects")
    raise SystemExit(near < ENOUGH * counts.total())


if __name__ == "__main__":
    main()

"""Draw all pictures of the maps: `python maps/draw_art.py` writes the PNG files next to it.

The random seeds are fixed, so the pictures are the same every time. `art/` lists the pictures of
each sheet in order; `make_frontier.py` writes the tilesets from the same lists.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from art import buildings, people, terrain, trees
from art.paint import sheet
from PIL import Image

HERE = Path(__file__).resolve().parent


def pictures() -> dict[str, Image.Image]:
    """Return all pictures by file name."""
    sheets = {
        "terrain.png": (terrain.TILES, terrain.COLUMNS),
        "trees_tall.png": (trees.TALL_TREES, trees.COLUMNS),
        "trees_small.png": (trees.SMALL_TREES, trees.COLUMNS),
        "people.png": (people.FIGURES, people.COLUMNS),
        "effects.png": (people.EFFECTS, people.COLUMNS),
    }
    drawn = {
        name: sheet([draw() for draw in painters.values()], columns)
        for name, (painters, columns) in sheets.items()
    }
    return drawn | {f"{name}.png": draw() for name, draw in buildings.BUILDINGS.items()}


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description="Draw the pictures of the maps.")
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the PNG files")
    folder = parser.parse_args().out
    for name, picture in pictures().items():
        picture.save(folder / name, optimize=True)
        print(f"{folder / name}: {picture.width} x {picture.height}")


if __name__ == "__main__":
    main()

"""One field leads an army to the town: draws the ways of 400 walkers, and the distances.

python examples/flow_field.py --output flow_field.png
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

from tilequad import load_map
from tilequad.draw.pillow import render
from tilequad.nav import BLOCKED, Field, Grid, Rule

SCALE = 0.1
TOWN = (3664, 4102)

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--output", type=Path, help="where to write the picture")
output = parser.parse_args().output

tile_map = load_map(Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx")
grid = Grid.of(
    tile_map,
    Rule("ground", BLOCKED, {"solid": True}),  # water
    Rule("trees", 4.0),  # one gets through a wood, but slowly
    Rule("roads", 0.6),  # later rules win: a road leads through woods and over water
    Rule("places", BLOCKED, covered=0.5),  # buildings
)
field = Field(grid, [TOWN])
print(grid)

rng = np.random.default_rng(5)
walkers = rng.uniform(0, 8192, (2000, 2))
walkers = walkers[np.isfinite(field.distance_many(walkers))][:400]
trails = [walkers]
while (field.distance_many(walkers) > 64).any() and len(trails) < 2000:
    walkers = field.advance_many(walkers, 16.0)
    trails.append(walkers)
arrived = int((field.distance_many(walkers) <= 64).sum())
print(f"{arrived} of {len(walkers)} walkers arrived after {len(trails) - 1} steps")

if output:
    picture = np.asarray(render(tile_map, scale=SCALE).convert("RGB")).astype(float)
    # Lighter bands, one for every 500 world units of way.
    height, width = picture.shape[:2]
    x, y = np.meshgrid(np.arange(width) + 0.5, height - np.arange(height) - 0.5)
    distance = field.distance_many(np.stack((x, y), axis=-1) / SCALE)
    distance[np.isinf(distance)] = 999
    picture[distance % 1000 < 500] *= 1.2
    x, y = (np.concatenate(trails) * SCALE).astype(int).T
    picture[(height - 1 - y).clip(0, height - 1), x.clip(0, width - 1)] = (255, 240, 90)
    Image.fromarray(picture.clip(0, 255).astype(np.uint8)).save(output)

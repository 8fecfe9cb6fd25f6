"""Paths across a map: draws the straightened ways of 60 units, and the way of a wide unit.

python examples/paths.py --output paths.png
"""

import argparse
from pathlib import Path
from time import perf_counter

import numpy as np
from PIL import ImageDraw

from tilequad import load_map
from tilequad.ai import Route
from tilequad.draw.pillow import render
from tilequad.nav import BLOCKED, Grid, Paths, Rule

SCALE = 0.1

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--output", type=Path, help="where to write the picture")
output = parser.parse_args().output

tile_map = load_map(Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx")
grid = Grid.of(
    tile_map,
    Rule("ground", BLOCKED, {"solid": True}),
    Rule("trees", BLOCKED),
    Rule("roads", 1.0),  # bridges and forest roads
)
paths = Paths(grid)
rng = np.random.default_rng(2)
starts, goals = rng.uniform(0, 8192, (2, 60, 2))

started = perf_counter()
found = paths.find_many(starts, goals)
milliseconds = (perf_counter() - started) * 1e3
ways = [way for way in found if way is not None]
total = sum(Route(way).length for way in ways if len(way) > 1)
print(f"{len(ways)} of {len(found)} paths, {total:,.0f} units long, in {milliseconds:.1f} ms")

wide = Paths(grid.with_clearance(60)).find(2500, 7000, 3900, 1600)
print("a unit 120 wide:", "no way" if wide is None else f"{Route(wide).length:,.0f} units")

if output:
    picture = render(tile_map, scale=SCALE).convert("RGB")
    draw = ImageDraw.Draw(picture)
    lines = [(way, (255, 240, 90), 1) for way in ways]
    if wide is not None:
        lines.append((wide, (230, 60, 50), 3))
    for way, color, width in lines:
        corners = [(x * SCALE, picture.height - y * SCALE) for x, y in way.tolist()]
        draw.line(corners, fill=color, width=width)
    picture.save(output)

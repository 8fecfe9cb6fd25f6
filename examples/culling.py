"""Fly a camera over a large map: prints how many tiles it sees, and how long culling takes."""

from pathlib import Path
from time import perf_counter

from tilequad import Bounds, load_map

tile_map = load_map(Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx")
total = sum(len(layer) for layer in tile_map.layers)
list(tile_map.cull(Bounds(0, 0, 1, 1)))  # the first query builds the index

for x in range(0, 6400, 1280):
    view = Bounds(x, 3600, x + 1280, 4320)
    started = perf_counter()
    seen = {layer.name: len(ids) for layer, ids in tile_map.cull(view)}
    microseconds = (perf_counter() - started) * 1e6
    print(f"from x = {x:4}: {sum(seen.values()):,} of {total:,} in {microseconds:.0f} us: {seen}")

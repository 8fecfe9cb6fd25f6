"""A camera flies over a large map: prints how many tiles it sees, and how long it took to know."""

from pathlib import Path
from time import perf_counter

from tilequad import Bounds, load_map

world = load_map(Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx")
total = sum(len(layer) for layer in world.layers)
list(world.cull(Bounds(0, 0, 1, 1)))  # the first question builds the trees

for x in range(0, 6400, 1280):
    view = Bounds(x, 3600, x + 1280, 4320)
    started = perf_counter()
    seen = {layer.name: len(ids) for layer, ids in world.cull(view)}
    microseconds = (perf_counter() - started) * 1e6
    print(f"from x = {x:4}: {sum(seen.values()):,} of {total:,} in {microseconds:.0f} us: {seen}")

"""Open a map, from its file to the first query: the time, and the memory at the peak.

Each contestant has a process of its own, because memory that one of them frees and does not return
to the system would hide what the next one needs. That process opens a small map first, so that
what a library imports and keeps is not counted. The memory is resident: numpy's arrays and the XML
parser's buffers count as much as Python's objects.
"""

import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import process_time

from benchmarks.maps import write_map
from benchmarks.plan import OURS, Plan, Races, check
from benchmarks.results import BYTES, row

SMALL = 16  # the side of the map that each process opens first
ROUNDS = 5  # times that a map is opened, each in a process of its own
PATIENCE = 10.0  # seconds after which a contestant gets no further round
ARCADE, ARCADE_OPENS = "arcade.load_tilemap", 1024  # the largest side that it opens in a minute
Opener = Callable[[Path], int]  # returns the number of tiles, when they are ready to be drawn


def races(plan: Plan) -> Races:
    for side in plan.sides:
        openers: dict[str, Opener] = {OURS: with_ours, "pytmx": with_pytmx}
        if side <= ARCADE_OPENS:
            openers[ARCADE] = with_arcade
        small, path = write_map(SMALL), write_map(side)
        for name, opener in openers.items():
            runs: list[tuple[int, float, int | None]] = []
            while len(runs) < ROUNDS and sum(run[1] for run in runs) < PATIENCE:
                with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                    runs.append(pool.submit(opened, opener, small, path).result())
            tiles, seconds, peaks = zip(*runs, strict=True)
            check(set(tiles) == {side * side}, f"{name} finds too few tiles")
            about = "orthogonal", side * side, name
            yield row("open a map", *about, seconds)
            if None not in peaks:
                yield row("open a map, peak memory", *about, peaks, unit=BYTES)


def opened(opener: Opener, small: Path, path: Path) -> tuple[int, float, int | None]:
    """The number of tiles, the seconds, and the bytes at the peak above those before."""
    opener(small)
    try:  # to begin the peak anew
        Path("/proc/self/clear_refs").write_text("5")
        before = resident("VmRSS")
    except OSError:  # where the system does not tell
        before = None
    start = process_time()
    tiles = opener(path)
    seconds = process_time() - start
    return tiles, seconds, None if before is None else resident("VmHWM") - before


def with_ours(path: Path) -> int:
    import tilequad

    layer = tilequad.load_map(path).layers[0]
    layer.query((0.0, 0.0, 640.0, 360.0))  # the first query builds the tree
    return len(layer)


def with_pytmx(path: Path) -> int:
    import pytmx

    return sum(len(cells) for cells in pytmx.TiledMap(str(path)).layers[0].data)


def with_arcade(path: Path) -> int:
    import arcade

    return len(arcade.load_tilemap(path).sprite_lists["ground"])


def resident(field: str) -> int:
    """The bytes in a field of this process's status."""
    status = Path("/proc/self/status").read_text()
    [kib] = re.findall(rf"^{field}:\s+(\d+) kB$", status, re.MULTILINE)
    return int(kib) * 1024

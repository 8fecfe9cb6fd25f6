"""Open a map once in this process, and print the time and the memory it took.

`benchmarks.cases.map_loading` starts a process for each contestant, because memory that one of them
frees and does not return to the system would hide what the next one needs. A small map is opened
first, so that what a library imports and keeps is not counted.

Memory is resident memory: numpy's arrays and the XML parser's buffers count as much as Python's
objects. The peak is reset through /proc, because the peak of `getrusage` includes the parent
process.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

STATUS = Path("/proc/self/status")
RESET_PEAK = "5"  # a command of /proc/self/clear_refs


def tilequad(path: str) -> int:
    import tilequad

    layer = tilequad.load_map(path).layers[0]
    layer.query((0.0, 0.0, 640.0, 360.0))  # the first query builds the tree
    return len(layer)


def pytmx(path: str) -> int:
    import pytmx

    tile_map = pytmx.TiledMap(path)
    return sum(len(row) for row in tile_map.layers[0].data)


def arcade(path: str) -> int:
    import arcade

    return len(arcade.load_tilemap(path).sprite_lists["ground"])


OPENERS: dict[str, Callable[[str], int]] = {
    "tilequad": tilequad,
    "pytmx": pytmx,
    "arcade.load_tilemap": arcade,
}


def main(name: str, small: str, path: str) -> None:
    """Print the number of tiles, the seconds, and the bytes at the peak above those before."""
    open_map = OPENERS[name]
    open_map(small)
    before = start_peak()
    start = process_time()
    tiles = open_map(path)
    seconds = process_time() - start
    peak = None if before is None else resident("VmHWM") - before
    print(json.dumps({"tiles": tiles, "seconds": seconds, "peak": peak}))


def start_peak() -> int | None:
    """Reset the peak; the resident bytes now, or None where the system does not tell."""
    try:
        Path("/proc/self/clear_refs").write_text(RESET_PEAK)
        return resident("VmRSS")
    except OSError:
        return None


def resident(field: str) -> int:
    """The bytes in a field of this process's status."""
    [kib] = re.findall(rf"^{field}:\s+(\d+) kB$", STATUS.read_text(), re.MULTILINE)
    return int(kib) * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Open a map once in this process, and print what it took: `benchmarks.cases.opening` runs it.

A process of its own, because what one contestant leaves behind, memory that is free but not given
back above all, would hide what the next one needs. A small map is opened first: what the libraries
import and keep for good is no part of opening a map.

Memory is what is resident, so the arrays of numpy and the buffers of the XML parser count as much
as Python's objects. The kernel keeps its peak for each address space, and is told to start anew;
`getrusage` is of no use, as its peak lives on from the process that started this one.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

STATUS = Path("/proc/self/status")
FORGET_PEAK = "5"  # what /proc/self/clear_refs takes for it


def tilequad(path: str) -> int:
    import tilequad

    layer = tilequad.load_map(path).layers[0]
    layer.query((0.0, 0.0, 640.0, 360.0))  # the tree is built at the first question
    return len(layer)


def pytmx(path: str) -> int:
    import pytmx

    world = pytmx.TiledMap(path)
    return sum(len(row) for row in world.layers[0].data)


def arcade(path: str) -> int:
    import arcade

    return len(arcade.load_tilemap(path).sprite_lists["ground"])


OPENERS: dict[str, Callable[[str], int]] = {
    "tilequad": tilequad,
    "pytmx": pytmx,
    "arcade.load_tilemap": arcade,
}


def main(name: str, small: str, path: str) -> None:
    """Print the tiles found, the seconds, and the bytes at the peak above the level before."""
    open_map = OPENERS[name]
    open_map(small)
    before = start_peak()
    start = process_time()
    tiles = open_map(path)
    seconds = process_time() - start
    peak = None if before is None else resident("VmHWM") - before
    print(json.dumps({"tiles": tiles, "seconds": seconds, "peak": peak}))


def start_peak() -> int | None:
    """The bytes that are resident, from which the peak counts now; None where it cannot be told."""
    try:
        Path("/proc/self/clear_refs").write_text(FORGET_PEAK)
        return resident("VmRSS")
    except OSError:
        return None


def resident(field: str) -> int:
    """Bytes of a field of this process's status."""
    [kib] = re.findall(rf"^{field}:\s+(\d+) kB$", STATUS.read_text(), re.MULTILINE)
    return int(kib) * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])

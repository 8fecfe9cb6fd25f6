"""Open a map, from its file to the first query: the time, and the memory at the peak.

Each contestant has a process of its own, because memory that one of them frees and does not return
to the system would hide what the next one needs. That process opens a small map first, so that
what a library imports and keeps is not counted. The memory is resident: numpy's arrays and the XML
parser's buffers count as much as Python's objects. Run as a module, this file is that process.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from benchmarks.maps import write_map
from benchmarks.plan import Plan
from benchmarks.results import BYTES, SECONDS, Row, row
from benchmarks.timing import check

TIME, MEMORY = "open a map", "open a map, peak memory"
SMALL = 16  # the side of the map that each process opens first
ROUNDS = 5  # times that a map is opened, each in a process of its own
PATIENCE = 10.0  # seconds after which a contestant gets no further round
ARCADE = "arcade.load_tilemap"
ARCADE_OPENS = 1024  # the largest side that it opens in a minute and 2 GiB


def races(plan: Plan) -> Iterator[Row]:
    for side in plan.sides:
        names = ["tilequad", *(["pytmx"] if plan.has("pytmx") else [])]
        if side <= ARCADE_OPENS and plan.has("arcade"):
            names.append(ARCADE)
        with TemporaryDirectory() as folder:
            small, path = (write_map(Path(folder), one) for one in (SMALL, side))
            for name in names:
                runs: list[dict] = []
                while len(runs) < ROUNDS and sum(run["seconds"] for run in runs) < PATIENCE:
                    runs.append(opened(name, small, path))
                    check(runs[-1]["tiles"] == side * side, f"{name} finds too few tiles")
                for operation, key, unit in ((TIME, "seconds", SECONDS), (MEMORY, "peak", BYTES)):
                    found = [run[key] for run in runs if run[key] is not None]
                    if found:
                        about = operation, "orthogonal", side * side, "map", name
                        yield row(*about, found, unit=unit)


def opened(name: str, small: Path, path: Path) -> dict:
    """What the process of one contestant prints."""
    command = [sys.executable, "-m", __name__, name, str(small), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} does not open {path.name}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def open_map(name: str, path: str) -> int:
    """The number of tiles of a map, which is open and ready to be drawn from."""
    if name == ARCADE:
        import arcade

        return len(arcade.load_tilemap(path).sprite_lists["ground"])
    if name == "pytmx":
        import pytmx

        return sum(len(cells) for cells in pytmx.TiledMap(path).layers[0].data)
    import tilequad

    layer = tilequad.load_map(path).layers[0]
    layer.query((0.0, 0.0, 640.0, 360.0))  # the first query builds the tree
    return len(layer)


def main(name: str, small: str, path: str) -> None:
    """Print the number of tiles, the seconds, and the bytes at the peak above those before."""
    open_map(name, small)
    before = start_peak()
    start = process_time()
    tiles = open_map(name, path)
    seconds = process_time() - start
    peak = None if before is None else resident("VmHWM") - before
    print(json.dumps({"tiles": tiles, "seconds": seconds, "peak": peak}))


def start_peak() -> int | None:
    """Reset the peak; the resident bytes now, or None where the system does not tell."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return resident("VmRSS")
    except OSError:
        return None


def resident(field: str) -> int:
    """The bytes in a field of this process's status."""
    status = Path("/proc/self/status").read_text()
    [kib] = re.findall(rf"^{field}:\s+(\d+) kB$", status, re.MULTILINE)
    return int(kib) * 1024


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Open a map, from its file to the first query: the time, and the memory at the peak."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.maps import write_map
from benchmarks.race import WrongAnswerError
from benchmarks.results import BYTES, SECONDS, Row

TIME, MEMORY = "open a map", "open a map, peak memory"
SMALL = 16  # side of the map that each process opens first
ROUNDS = 5  # times that a map is opened, each in a process of its own
PATIENCE = 10.0  # seconds after which a contestant gets no further round
ARCADE_OPENS = 1024  # the largest side that `arcade.load_tilemap` opens in a minute and 2 GiB
ISO_HEX = 1024  # the largest side of isometric and hexagonal maps


def rows(side: int, missing: set[str], notes: list[str]) -> Iterator[Row]:
    """Seconds and bytes of every contestant, for one map of each orientation."""
    orientations = ["orthogonal", "isometric", "hexagonal"] if side <= ISO_HEX else ["orthogonal"]
    for orientation in orientations:
        contestants = ["tilequad", "pytmx"]
        if orientation == "orthogonal" and "arcade SpatialHash" not in missing:
            if side <= ARCADE_OPENS:
                contestants.append("arcade.load_tilemap")
            else:
                notes.append(f"arcade.load_tilemap is not run at {side} x {side}: it takes minutes")
        with TemporaryDirectory() as folder:
            small = write_map(Path(folder), SMALL, orientation)
            path = write_map(Path(folder), side, orientation)
            for name, runs in opened(contestants, small, path, side * side).items():
                yield from summed_up(name, orientation, side * side, runs)


def opened(contestants: list[str], small: Path, path: Path, tiles: int) -> dict[str, list[dict]]:
    """The output of every process, by contestant; each has one process a round."""
    runs: dict[str, list[dict]] = {name: [] for name in contestants}
    for _ in range(ROUNDS):
        for name, done in runs.items():
            if sum(run["seconds"] for run in done) < PATIENCE:
                done.append(opened_once(name, small, path))
                if done[-1]["tiles"] != tiles:
                    raise WrongAnswerError(f"{name} finds {done[-1]['tiles']} of {tiles} tiles")
    return runs


def opened_once(name: str, small: Path, path: Path) -> dict:
    """The output of `benchmarks.open_map` for one contestant."""
    command = [sys.executable, "-m", "benchmarks.open_map", name, str(small), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} does not open {path.name}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def summed_up(name: str, orientation: str, tiles: int, runs: list[dict]) -> Iterator[Row]:
    """The medians of some runs; no memory where the system does not report it."""
    for operation, field, unit in ((TIME, "seconds", SECONDS), (MEMORY, "peak", BYTES)):
        found = [run[field] for run in runs if run[field] is not None]
        if found:
            yield Row(
                operation,
                orientation,
                tiles,
                "map",
                name,
                median(found),
                min(found),
                len(found),
                unit,
            )

"""A radius query with nothing compiled: the same sources as plain Python, and brute force.

It runs in a process of its own, on a copy of the package without the compiled modules. Run as a
module, this file is that process.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import tilequad
from benchmarks.armies import Army
from benchmarks.cases import queries
from benchmarks.peers import PythonScan, Tilequad
from benchmarks.results import Row
from benchmarks.timing import Pace, race

OPERATION, COUNT = "radius query, uncompiled", 10_000
ROOT = Path(__file__).parents[2]


def rows(pace: Pace) -> Iterator[Row]:
    """Seconds of a query, as the other process measures them."""
    with TemporaryDirectory() as folder:
        shutil.copytree(
            Path(tilequad.__file__).parent,
            Path(folder, "tilequad"),
            ignore=shutil.ignore_patterns("*.so", "*.pyd", "*.c", "__pycache__"),
        )
        paths = os.pathsep.join((folder, str(ROOT)))
        done = subprocess.run(
            [sys.executable, "-m", __name__, json.dumps(asdict(pace))],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"the uncompiled core does not run:\n{done.stderr}")
    for name, timing in json.loads(done.stdout).items():
        yield Row(OPERATION, "uniform", COUNT, "query", name, *timing)


def main(pace: Pace) -> None:
    """Print the median, the least and the rounds of each contestant."""
    if tilequad.COMPILED:
        raise RuntimeError(f"{tilequad.__file__} is compiled")
    army = Army("uniform", COUNT)
    found = next(queries.races(army, [Tilequad(army), PythonScan(army)], []))
    times = race(found.runners, pace)
    print(json.dumps({name: list(asdict(timing).values()) for name, timing in times.items()}))


if __name__ == "__main__":
    main(Pace(**json.loads(sys.argv[1])))

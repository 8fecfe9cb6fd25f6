"""The measured figures: rows to look up, and to save as JSON with the machine they come from."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from math import ceil
from pathlib import Path

from tilequad import COMPILED

SECONDS, BYTES = "s", "B"
PACKAGES = (
    *("numpy", "fastquadtree", "scipy", "pykdtree", "Pyqtree", "rtree", "rstar-python"),
    *("arcade", "pymunk", "pygame-ce", "pyscroll", "pytmx"),
    *("tcod", "scikit-image", "pyastar2d", "nano-astar"),
)


@dataclass(frozen=True)
class Row:
    """Seconds, or bytes, of one operation of one contestant.

    Attributes:
        frames: Whether each sample was one call, so that mean, p99 and worst tell of frames.
    """

    operation: str
    spread: str
    count: int
    per: str
    contestant: str
    least: float
    mean: float
    p99: float
    worst: float
    samples: int
    frames: bool = False
    unit: str = SECONDS


def row(
    operation: str, spread: str, count: int, per: str, contestant: str, samples: Sequence[float],
    frames: bool = False, unit: str = SECONDS,
) -> Row:  # fmt: skip
    """Sum up some samples."""
    ordered = sorted(samples)
    p99 = ordered[ceil(0.99 * len(ordered)) - 1]
    mean = sum(ordered) / len(ordered)
    summary = ordered[0], mean, p99, ordered[-1], len(ordered)
    return Row(operation, spread, count, per, contestant, *summary, frames, unit)


@dataclass
class Results:
    """One run of the benchmarks."""

    rows: list[Row] = field(default_factory=list)
    crossover: dict[str, dict[str, int | None]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def find(self, operation: str, spread: str, count: int, contestant: str) -> Row | None:
        """A row, or None where it was not measured."""
        wanted = operation, spread, count, contestant
        for one in self.rows:
            if (one.operation, one.spread, one.count, one.contestant) == wanted:
                return one
        return None

    def save(self, path: Path) -> None:
        """Write everything as JSON, the machine first."""
        path.write_text(json.dumps({"machine": machine(), **asdict(self)}, indent=1) + "\n")


def machine() -> dict[str, object]:
    """The machine, the interpreter and the packages that were timed."""
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "compiled": COMPILED,
        "day": datetime.now(timezone.utc).date().isoformat(),
        "packages": {name: found for name in PACKAGES if (found := installed(name))},
    }


def slug() -> str:
    """The machine as a folder's name."""
    name = f"{cpu()} {os.cpu_count()} cores"
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def cpu() -> str:
    """The name of the processor."""
    try:
        described = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    match = re.search(r"^model name\s*:\s*(.+)$", described, re.MULTILINE)
    return match[1].strip() if match else platform.machine()


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None

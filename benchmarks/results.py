"""The measured figures: rows to look up, and to save as JSON with the machine they come from."""

from __future__ import annotations

import json
import os
import platform
import re
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.race import Race
from benchmarks.timing import Timing
from tilequad import COMPILED

SECONDS, BYTES = "s", "B"

PACKAGES = (
    *("numpy", "fastquadtree", "scipy", "pykdtree", "Pyqtree", "rtree", "boostree", "rstar-python"),
    *("shapely", "arcade", "pymunk", "pygame-ce", "pytmx"),
    *("tcod", "scikit-image", "pyastar2d", "nano-astar"),
)


@dataclass(frozen=True)
class Row:
    """Seconds, or bytes, of one operation of one contestant."""

    operation: str
    spread: str
    count: int
    per: str
    contestant: str
    median: float
    least: float
    rounds: int
    unit: str = SECONDS


@dataclass
class Results:
    """One run of the benchmarks."""

    rows: list[Row] = field(default_factory=list)
    frames: dict[int, dict[str, float]] = field(default_factory=dict)
    crossover: dict[str, dict[str, int | None]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, race: Race, times: dict[str, Timing]) -> None:
        """Keep the times of a race, each divided by the race's share."""
        for name, timing in times.items():
            self.rows.append(
                Row(
                    race.operation,
                    race.spread,
                    race.count,
                    race.per,
                    name,
                    timing.median / race.share,
                    timing.least / race.share,
                    timing.rounds,
                )
            )

    def median(self, operation: str, spread: str, count: int, contestant: str) -> float | None:
        """The median of an operation, or None where it was not measured."""
        wanted = operation, spread, count, contestant
        for row in self.rows:
            if (row.operation, row.spread, row.count, row.contestant) == wanted:
                return row.median
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

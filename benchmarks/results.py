"""The measured figures: rows to look up, and to save as JSON with the machine they come from."""

import json
import os
import platform
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from importlib.metadata import distributions
from math import ceil
from pathlib import Path

from tilequad import COMPILED

SECONDS, BYTES = "s", "B"
PACKAGES = (
    *("numpy", "fastquadtree", "scipy", "pykdtree", "shapely", "boostree", "rstar-python"),
    *("rtree", "Pyqtree", "arcade", "pymunk", "pygame-ce", "pyscroll", "PyTMX"),
    *("tcod", "scikit-image", "pyastar2d", "nano-astar"),
)


@dataclass(frozen=True)
class Row:
    """Seconds, or bytes, of one operation of one contestant."""

    operation: str
    spread: str
    count: int
    contestant: str
    least: float
    mean: float
    p99: float
    worst: float
    samples: int
    per: str = ""
    frames: bool = False  # whether each sample was one call; mean, p99 and worst tell of those
    unit: str = SECONDS


def row(
    operation: str, spread: str, count: int, contestant: str, samples: Sequence[float],
    per: str = "", frames: bool = False, unit: str = SECONDS,
) -> Row:  # fmt: skip
    """Sum up some samples."""
    ordered = sorted(samples)
    p99 = ordered[ceil(0.99 * len(ordered)) - 1]
    mean = sum(ordered) / len(ordered)
    summary = ordered[0], mean, p99, ordered[-1], len(ordered)
    return Row(operation, spread, count, contestant, *summary, per, frames, unit)


@dataclass
class Results:
    """One run of the benchmarks."""

    rows: list[Row] = field(default_factory=list)
    crossover: dict[str, dict[str, int | None]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def find(self, *wanted: object) -> Row | None:
        """The row of an operation, a spread, a count and a contestant, if it was measured."""
        rows = {(one.operation, one.spread, one.count, one.contestant): one for one in self.rows}
        return rows.get(wanted)

    def save(self, path: Path) -> None:
        """Write everything as JSON, the machine first."""
        path.write_text(json.dumps({"machine": machine(), **asdict(self)}, indent=1) + "\n")


def machine() -> dict[str, object]:
    """The machine, the interpreter and the packages that were timed."""
    versions = {one.name: one.version for one in distributions()}
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "compiled": COMPILED,
        "day": datetime.now(timezone.utc).date().isoformat(),
        "packages": {name: versions[name] for name in PACKAGES if name in versions},
    }


def slug() -> str:
    """The machine as a folder's name."""
    name = f"{cpu()} {os.cpu_count()} cores"
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def cpu() -> str:
    """The name of the processor."""
    file = Path("/proc/cpuinfo")
    described = file.read_text() if file.exists() else ""
    match = re.search(r"^model name\s*:\s*(.+)$", described, re.MULTILINE)
    return match[1].strip() if match else platform.processor() or platform.machine()

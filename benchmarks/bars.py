"""The bars that tilequad sets itself, each against another row of the same run, or an amount.

They stand in `bars.toml`, whose head says how they are written.
"""

import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.plan import OURS
from benchmarks.results import SECONDS, Results

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MET, SHORT, SKIPPED, NOT_MEASURED = "met", "short", "skipped", "not measured"
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "B": 1.0, "MiB": 2.0**20}


@dataclass
class Bar:
    """A limit, with the fields that a line of the table may have."""

    of: str
    count: int
    spread: str = "uniform"
    ours: str = OURS
    stat: str = "least"
    against: str | None = None
    against_of: str | None = None
    against_spread: str | None = None
    times: float = 1.0
    plus: str | None = None
    limit: str | None = None

    def __post_init__(self) -> None:
        """Say which row is judged, by which other row, and in words how much is allowed."""
        self.key = self.of, self.spread, self.count, self.ours
        whose = "" if self.ours == OURS else f", {self.ours}"
        stat = "" if self.stat == "least" else f", {self.stat}"
        self.name = f"{self.of}, {self.spread}, {self.count:,}{whose}{stat}"
        self.other, self.words = None, "at most"
        if self.limit is None:
            of, spread = self.against_of or self.of, self.against_spread or self.spread
            self.other = of, spread, self.count, self.against or self.ours
            differ = [str(it) for it, mine in zip(self.other, self.key, strict=True) if it != mine]
            self.words = f"{self.times:g} x {', '.join(differ)}" + " and a little" * bool(self.plus)


@dataclass(frozen=True)
class Verdict:
    """One line of the report: what was measured, what is allowed, and how much is to spare."""

    bar: Bar
    state: str
    unit: str = SECONDS
    ours: float | None = None
    allowed: float | None = None

    @property
    def margin(self) -> str:
        """Met with how much to spare, short by how much, or the reason for neither."""
        if self.state == MET:
            return f"met, {self.allowed / max(self.ours, 1e-12):.2f}x to spare"
        return f"short by {self.ours / self.allowed:.2f}x" if self.state == SHORT else self.state


def bars() -> list[Bar]:
    """All bars, in the order of the table."""
    table = tomllib.loads(Path(__file__).with_name("bars.toml").read_text(encoding="utf-8"))
    return [bar for lines in table.values() for line in lines for bar in spelled_out(line)]


def spelled_out(line: dict[str, Any]) -> list[Bar]:
    """The bars of one line: a list there stands for several bars."""
    values = [value if isinstance(value, list) else [value] for value in line.values()]
    return [Bar(**dict(zip(line, chosen, strict=True))) for chosen in product(*values)]


def verdict(bar: Bar, results: Results) -> Verdict:
    """Judge one bar. A bar that was not measured is never met."""
    mine, other = results.find(*bar.key), bar.other and results.find(*bar.other)
    if mine is None:
        return Verdict(bar, NOT_MEASURED)
    number, unit = (bar.limit or bar.plus or "0 s").split()
    ours, allowed = getattr(mine, bar.stat), float(number) * UNITS[unit]
    if bar.other and other is None:
        state = SKIPPED if bar.other[3] in results.skipped else NOT_MEASURED
        return Verdict(bar, state, mine.unit, ours)
    if other:
        allowed += bar.times * getattr(other, bar.stat)
    return Verdict(bar, MET if ours <= allowed else SHORT, mine.unit, ours, allowed)

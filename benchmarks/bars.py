"""The bars that tilequad sets itself, each against another row of the same run, or an amount.

They stand in `bars.toml`, whose head says how they are written.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.peers import OURS
from benchmarks.results import Results, Row

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = Path(__file__).with_name("bars.toml")
MET, SHORT, SKIPPED, NOT_MEASURED = "met", "short", "skipped", "not measured"
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "B": 1.0, "MiB": 2.0**20}


@dataclass(frozen=True)
class Bar:
    """A limit: `times` what another row took, and `plus` more, or that alone without such a row."""

    of: str
    spread: str
    count: int
    ours: str
    stat: str
    against: tuple[str, str, int, str] | None
    times: float
    plus: float

    @property
    def name(self) -> str:
        whose = "" if self.ours == OURS else f", {self.ours}"
        stat = "" if self.stat == "least" else f", {self.stat}"
        return f"{self.of}, {self.spread}, {self.count:,}{whose}{stat}"


@dataclass(frozen=True)
class Verdict:
    """One line of the report: what was measured, against what, and what is allowed."""

    bar: Bar
    state: str
    unit: str
    ours: float | None = None
    reference: float | None = None
    allowed: float | None = None

    @property
    def margin(self) -> str:
        """Met with how much to spare, short by how much, or the reason for neither."""
        if self.state == MET:
            return f"met, {self.allowed / max(self.ours, 1e-12):.2f}x to spare"
        return f"short by {self.ours / self.allowed:.2f}x" if self.state == SHORT else self.state

    @property
    def limit(self) -> str:
        """The bar in words."""
        bar = self.bar
        if bar.against is None:
            return "at most"
        of, spread, _, who = bar.against
        other = [
            *([of] if of != bar.of else []),
            *([spread] if spread != bar.spread else []),
            *([who] if who != bar.ours else []),
        ]
        return f"{bar.times:g} x {', '.join(other)}" + (" and a little" if bar.plus else "")


def bars() -> list[Bar]:
    """All bars, in the order of the table."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return [bar for lines in table.values() for line in lines for bar in spelled_out(line)]


def spelled_out(line: dict[str, Any]) -> list[Bar]:
    """The bars of one line: a list there stands for several bars."""
    keys = ("of", "spread", "count", "ours", "stat", "against")
    usual = {"spread": "uniform", "ours": OURS, "stat": "least", "against": None}
    unknown = set(line) - {*keys, "times", "plus", "limit", "against_of", "against_spread"}
    if unknown:
        raise ValueError(f"{line['of']!r}: no bar has {', '.join(sorted(unknown))}")
    values = [line.get(key, usual.get(key)) for key in keys]
    found = []
    for of, spread, count, ours, stat, against in product(
        *(value if isinstance(value, list) else [value] for value in values)
    ):
        other = None
        if "limit" not in line:
            other_of, other_spread = line.get("against_of", of), line.get("against_spread", spread)
            other = other_of, other_spread, count, against or ours
        plus = amount(line.get("limit", line.get("plus", "0 s")))
        found.append(Bar(of, spread, count, ours, stat, other, float(line.get("times", 1.0)), plus))
    return found


def amount(text: str) -> float:
    """Seconds or bytes from a number and a unit."""
    number, unit = text.split()
    return float(number) * UNITS[unit]


def verdict(bar: Bar, results: Results) -> Verdict:
    """Judge one bar. A bar that was not measured is never met."""

    def measured(found: Row | None) -> float | None:
        return None if found is None else float(getattr(found, bar.stat))

    mine = results.find(bar.of, bar.spread, bar.count, bar.ours)
    other = results.find(*bar.against) if bar.against else None
    unit = mine.unit if mine else "s"
    ours, reference = measured(mine), measured(other)
    if bar.against and reference is None:
        skipped = bar.against[3] in results.skipped
        return Verdict(bar, SKIPPED if skipped else NOT_MEASURED, unit, ours)
    allowed = bar.plus + (bar.times * reference if reference is not None else 0.0)
    if ours is None:
        return Verdict(bar, NOT_MEASURED, unit)
    return Verdict(bar, MET if ours <= allowed else SHORT, unit, ours, reference, allowed)

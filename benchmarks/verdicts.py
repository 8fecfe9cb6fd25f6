"""How a bar is judged: met, short by how much, or not measured."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from benchmarks.peers import OURS
from benchmarks.results import SECONDS, Results, Row

MET, SHORT, SKIPPED, NOT_MEASURED = "met", "short", "skipped", "not measured"


@dataclass(frozen=True)
class Measure:
    """A row of the results."""

    operation: str
    count: int
    contestant: str = OURS
    spread: str = "uniform"

    def of(self, results: Results) -> float | None:
        return results.median(self.operation, self.spread, self.count, self.contestant)


@dataclass(frozen=True)
class Bar:
    """A limit: `times` the reference, and `plus` seconds more; or an amount where there is none."""

    name: str
    ours: Measure
    reference: Measure | None = None
    times: float = 1.0
    plus: float = 0.0
    amount: float = 0.0
    unit: str = SECONDS


@dataclass(frozen=True)
class Verdict:
    """One line of the report. `ratio` is ours to the reference, or to the limit without one."""

    name: str
    state: str
    ours: float | None = None
    reference: float | None = None
    allowed: float | None = None
    unit: str = SECONDS
    why: str = ""

    @property
    def ratio(self) -> float | None:
        against = self.reference or self.allowed
        return self.ours / against if self.ours is not None and against else None

    @property
    def margin(self) -> str:
        """Met with how much to spare, short by how much, or the reason for neither."""
        if self.state == MET:
            return f"met, {self.allowed / self.ours:.2f}x to spare"
        if self.state == SHORT:
            return f"short by {self.ours / self.allowed:.2f}x"
        return f"{self.state}: {self.why}" if self.why else self.state


def verdict(bar: Bar, results: Results) -> Verdict:
    """Judge one bar. A bar that was not measured is never met."""
    ours = bar.ours.of(results)
    reference = bar.reference.of(results) if bar.reference else None
    if bar.reference is None:
        allowed = bar.amount
    else:
        allowed = None if reference is None else reference * bar.times + bar.plus
    if bar.reference and bar.reference.contestant in results.skipped:
        why = f"{bar.reference.contestant}, {results.skipped[bar.reference.contestant]}"
        return Verdict(bar.name, SKIPPED, ours, unit=bar.unit, why=why)
    if ours is None or allowed is None:
        return Verdict(bar.name, NOT_MEASURED, ours, unit=bar.unit)
    state = MET if ours <= allowed else SHORT
    return Verdict(bar.name, state, ours, reference, allowed, bar.unit)


def ahead_of(
    rival: str, least: int, left_out: Collection[str], results: Results
) -> Iterator[Verdict]:
    """A line for each race that the rival wins; where it wins none, one for the closest race.

    Args:
        rival: A contestant.
        least: The number of units from which on races count.
        left_out: Operations that do not count.
        results: The run.
    """
    title = f"ahead of {rival}, {least:,} and more"
    if rival in results.skipped:
        yield Verdict(title, SKIPPED, why=results.skipped[rival])
        return
    pairs = [
        (row, ours)
        for row, ours in races_against(rival, results)
        if row.count >= least and row.operation not in left_out
    ]
    pairs.sort(key=lambda pair: pair[0].median / pair[1].median)
    lost = [(row, ours) for row, ours in pairs if ours.median > row.median]
    for row, ours in lost or pairs[:1]:
        name = f"{title}: {row.operation}, {row.count:,}, {row.spread}"
        state = SHORT if lost else MET
        yield Verdict(name, state, ours.median, row.median, row.median, row.unit)
    if not pairs:
        yield Verdict(title, NOT_MEASURED)


def races_against(rival: str, results: Results) -> Iterator[tuple[Row, Row]]:
    """The rival's row of every race, and ours."""
    ours = {
        (row.operation, row.spread, row.count): row
        for row in results.rows
        if row.contestant == OURS
    }
    for row in results.rows:
        if row.contestant == rival:
            yield row, ours[row.operation, row.spread, row.count]

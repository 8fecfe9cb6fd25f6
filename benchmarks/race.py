"""What a case hands to the clock: one operation and its contestants."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.timing import Runner


class WrongAnswerError(AssertionError):
    """An answer of ours differs from brute force: nothing may be timed."""


@dataclass(frozen=True)
class Race:
    """One operation and its contestants.

    Args:
        operation: The operation, as the tables name it.
        spread: How the world is filled: uniform, clustered, a kind of map.
        count: The number of units, boxes or cells.
        per: What one operation is: a query, a unit, a frame.
        runners: The contestants by name; the first is ours.
        share: What the time of one call is divided by, where a call does a whole army at once.
    """

    operation: str
    spread: str
    count: int
    per: str
    runners: dict[str, Runner] = field(repr=False)
    share: int = 1

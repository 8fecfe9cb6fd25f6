"""What a run measures: its sizes, its races, and which contestants are in time."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import cycle
from time import process_time
from typing import Any

from benchmarks.armies import Army
from benchmarks.results import Results, Row

OURS = "tilequad"  # the contestant
SIZES, QUICK_SIZES = (50, 1_000, 10_000, 100_000, 1_000_000), (1_000, 10_000)
Runner = Callable[[], object]


@dataclass
class Race:
    """One operation and its contestants; a call alone, or one alone to prepare, is ours."""

    operation: str  # as the tables name it
    spread: str  # how the world is filled: uniform, clustered, a kind of map
    count: int  # units, boxes or cells
    runners: dict[str, Runner] | Runner  # the contestants by name; the first is ours
    per: str = ""  # what a call does several of, such as queries ...
    share: int = 1  # ... and how many: what its time is divided by
    frames: int = 0  # calls that are timed, each alone; 0 for a race in rounds
    prepare: dict[str, Runner] | Runner = field(default_factory=dict)  # before frames, not timed
    clock: Callable[[], float] = process_time

    def __post_init__(self) -> None:
        if callable(self.runners):
            self.runners = {OURS: self.runners}
        if callable(self.prepare):
            self.prepare = {OURS: self.prepare}


Races = Iterator[Race | Row]  # what a case yields


def check(right: bool, what: str) -> None:
    """Raise where an answer of ours is wrong: nothing may be timed then."""
    if not right:
        raise AssertionError(what)


def in_turn(ask: Callable[[Any], object], questions: Iterable[Any]) -> Runner:
    """Ask the next question each time, around and around."""
    turn = cycle(questions)
    return lambda: ask(next(turn))


class Plan:
    """What to run: armies of some sizes, and whether on small maps, in few rounds."""

    def __init__(self, sizes: tuple[int, ...], quick: bool, results: Results) -> None:
        self.sizes, self.quick = sizes, quick
        self.results = results  # takes what was skipped, and the notes
        self.side = 256 if quick else 1024  # cells along the side of a map
        self.sides = (self.side,) if quick else (self.side, 4096)  # and of a large one

    def armies(self) -> Iterator[Army]:
        """Armies of each size, evenly spread and crowded; a small one evenly spread only."""
        for count in self.sizes:
            yield Army("uniform", count)
            if count >= 1_000:
                yield Army("clustered", count)

    def indexes(self, army: Army, kinds: Iterable[Any]) -> list[Any]:
        """Those that are not too slow, with the army in them."""
        found = []
        for kind in kinds:
            if army.count <= kind.most and kind.name not in self.results.skipped:
                try:
                    found.append(kind(army))
                except ImportError as error:  # no compiler for the grid in C
                    self.results.skipped[kind.name] = str(error)
        return found

    def trusts(self, index: Any, right: bool, operation: str) -> bool:
        """Whether an index is timed: one with a wrong answer is not; raise if it is ours."""
        check(right or not index.name.startswith(OURS), f"{index.name}: {operation}")
        if not right:
            self.results.notes.append(f"{index.name} is wrong: {operation}; not timed")
        return right

"""What a run measures: its sizes, and which contestants are in time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.armies import Army
from benchmarks.results import Results
from benchmarks.timing import OURS, check

SIZES, QUICK_SIZES = (50, 1_000, 10_000, 100_000, 1_000_000), (1_000, 10_000)


@dataclass
class Plan:
    """What to run."""

    sizes: tuple[int, ...]  # units of the armies
    quick: bool  # small sizes, few rounds
    results: Results  # takes what was skipped, and the notes

    @property
    def side(self) -> int:
        """Cells along the side of a map."""
        return 256 if self.quick else 1024

    @property
    def sides(self) -> tuple[int, ...]:
        """That of the usual map, and of a large one."""
        return (self.side,) if self.quick else (self.side, 4096)

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

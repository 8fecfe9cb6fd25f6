"""What a run measures: its sizes, and which contestants are installed."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from benchmarks.armies import Army
from benchmarks.peers import Index
from benchmarks.results import Results
from benchmarks.timing import OURS, check

SIZES, QUICK_SIZES = (50, 1_000, 10_000, 100_000, 1_000_000), (1_000, 10_000)
Made = TypeVar("Made")


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

    def made(self, makers: dict[str, Callable[..., Made]], *given: object) -> dict[str, Made]:
        """What is made for each contestant that is installed; the report names the others."""
        found = {}
        for name, make in makers.items():
            if name not in self.results.skipped:
                try:
                    found[name] = make(*given)
                except ImportError as error:
                    self.results.skipped[name] = str(error)
        return found

    def indexes(self, army: Army, kinds: Iterable[type[Index]]) -> list[Index]:
        """Those that are not too slow, with the army in them."""
        makers = {kind.name: kind for kind in kinds if army.count <= kind.most}
        return list(self.made(makers, army).values())

    def trusts(self, index: Index, right: bool, operation: str) -> bool:
        """Whether an index is timed: one with a wrong answer is not; raise if it is ours."""
        check(right or not index.name.startswith(OURS), f"{index.name}: {operation}")
        if not right:
            self.results.notes.append(f"{index.name} is wrong: {operation}; not timed")
        return right

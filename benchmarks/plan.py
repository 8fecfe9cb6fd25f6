"""What a run measures: its sizes, and which contestants are installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec

from benchmarks.armies import Army
from benchmarks.peers import OURS, Index
from benchmarks.results import Results
from benchmarks.timing import check

SIZES, QUICK_SIZES = (50, 1_000, 10_000, 100_000, 1_000_000), (1_000, 10_000)


@dataclass
class Plan:
    """What to run.

    Attributes:
        sizes: Units of the armies.
        quick: Small sizes, few rounds.
        results: Takes what was skipped, and the notes.
    """

    sizes: tuple[int, ...]
    quick: bool
    results: Results
    _absent: set[type[Index]] = field(default_factory=set)

    @property
    def side(self) -> int:
        """Cells along the side of a map."""
        return 256 if self.quick else 1024

    @property
    def sides(self) -> tuple[int, ...]:
        """That of the usual map, and of a large one."""
        return (self.side,) if self.quick else (self.side, 4096)

    def frames(self, count: int) -> int:
        """How many frames are timed."""
        return max(3, count // 10) if self.quick else count

    def has(self, module: str) -> bool:
        """Whether a peer is installed; the report names those that are not."""
        try:
            found = find_spec(module) is not None
        except ImportError:  # of the package that the module is in
            found = False
        if not found:
            self.results.skipped[module] = "not installed"
        return found

    def armies(self) -> Iterator[Army]:
        """Armies of each size, evenly spread and crowded; a small one evenly spread only."""
        for count in self.sizes:
            yield Army("uniform", count)
            if count >= 1_000:
                yield Army("clustered", count)

    def indexes(self, army: Army, kinds: Iterable[type[Index]]) -> list[Index]:
        """Those that are installed and not too slow, with the army in them."""
        found = []
        for kind in kinds:
            if army.count > kind.most or kind in self._absent:
                continue
            try:
                found.append(kind(army))
            except ImportError as error:
                self._absent.add(kind)
                self.results.skipped[kind.name] = f"not there ({error.name})"
        return found

    def trusts(self, index: Index, right: bool, operation: str) -> bool:
        """Whether an index is timed: one with a wrong answer is not; raise if it is ours."""
        check(right or not index.name.startswith(OURS), f"{index.name}: {operation}")
        if not right:
            self.results.notes.append(f"{index.name} is wrong: {operation}; not timed")
        return right

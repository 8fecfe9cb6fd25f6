"""One query at a time: radius, nearest, 8 nearest, box, and the nearest of a rare group."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers import OURS, Index, NumpyScan
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner

QUERIES = 20_000  # enough that a round repeats few of them
CHECKED = 50
CHUNK = 50  # queries a call; divides QUERIES
MOST = 1_000_000  # queries in a round
K = 8


def races(army: Army, indexes: list[Index], notes: list[str]) -> Iterator[Race]:
    """Every single query of one army, after a check of each contestant's answers."""
    judge = Judge(army, notes)
    queries = army.queries(QUERIES)
    for operation, verb, check, arguments in (
        ("radius query", "radius", judge.same_units, (army.radius,)),
        ("nearest", "nearest", judge.same_distance, ()),
        ("8 nearest", "k_nearest", judge.same_distances, (K,)),
        ("box query, 12 hits", "box", judge.same_units, (army.box_side / 2,)),
        ("nearest of 1% of the groups", "nearest_rare", judge.same_distance, ()),
    ):
        runners = {}
        for index in indexes:
            ask = getattr(index, verb, None)
            if ask and (not index.answers or check(operation, verb, index, arguments)):
                runners[index.name] = Runner(asking(ask, queries, arguments), MOST)
        if OURS in runners:
            yield Race(operation, army.spread, army.count, "query", runners)


def asking(ask: Callable, queries: list, arguments: tuple) -> Callable[[int], object]:
    """Ask a few queries a call, so that answers are freed soon, as in a game.

    A fast contestant starts over at the first query until its round is full.
    """

    def run(repeats: int) -> None:
        for start in range(0, repeats, CHUNK):
            first = start % len(queries)
            ask(queries[first : first + min(CHUNK, repeats - start)], *arguments)

    return run


class Judge:
    """Compares the answers of an index with numpy's brute force, for some of the queries."""

    def __init__(self, army: Army, notes: list[str]) -> None:
        self.army = army
        self.truth = NumpyScan(army)
        self.notes = notes
        self.queries = army.queries(QUERIES)[:CHECKED]

    def same_units(self, operation: str, verb: str, index: Index, arguments: tuple) -> bool:
        found = [sorted(index.ids(answer)) for answer in self.ask(index, verb, arguments)]
        expected = [sorted(answer) for answer in self.ask(self.truth, verb, arguments)]
        return self.verdict(operation, index, found, expected)

    def same_distances(self, operation: str, verb: str, index: Index, arguments: tuple) -> bool:
        """Compare sorted distances: peers break ties in their own ways."""
        found = self.distances(self.ask(index, verb, arguments), index.ids)
        expected = self.distances(self.ask(self.truth, verb, arguments), self.truth.ids)
        return self.verdict(operation, index, found, expected)

    def same_distance(self, operation: str, verb: str, index: Index, arguments: tuple) -> bool:
        found = self.distances(self.ask(index, verb, arguments), lambda one: [index.one(one)])
        expected = self.distances(self.ask(self.truth, verb, arguments), lambda one: [one])
        return self.verdict(operation, index, found, expected)

    def ask(self, index: Index, verb: str, arguments: tuple) -> list:
        return getattr(index, verb)(self.queries, *arguments)

    def distances(self, answers: list, ids: Callable) -> list[list[float]]:
        xy = self.army.xy
        return [
            np.sort(np.hypot(*(xy[list(ids(answer))] - query).T)).round(6).tolist()
            for query, answer in zip(self.queries, answers, strict=True)
        ]

    def verdict(self, operation: str, index: Index, found: list, expected: list) -> bool:
        """True if the index may be timed; a wrong answer of ours raises."""
        wrong = sum(mine != right for mine, right in zip(found, expected, strict=True))
        if wrong and index.name.startswith(OURS):
            raise WrongAnswerError(f"{operation}: {wrong} of {len(expected)} answers are wrong")
        if wrong:
            self.notes.append(
                f"{index.name} answers {wrong} of {len(expected)} wrong: {operation}, "
                f"{self.army.spread}, {self.army.count:,}; not timed"
            )
        return not wrong

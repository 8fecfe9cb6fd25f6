"""One question at a time: radius, nearest, 8 nearest, box, and the nearest of a rare group."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.peers import OURS, Index, NumpyScan
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner
from benchmarks.worlds import Army

QUERIES = 20_000  # so many that a round repeats few of them
CHECKED = 50
HANDFUL = 50  # divides QUERIES
MOST = 1_000_000  # questions in a round
K = 8


def races(army: Army, indexes: list[Index], notes: list[str]) -> Iterator[Race]:
    """Every single question of one army, its contestants proven to answer alike."""
    judge = Judge(army, notes)
    queries = army.queries(QUERIES)
    half = army.box_side / 2
    for operation, verb, proof, argument in (
        ("radius query", "radius", judge.same_units, army.radius),
        ("nearest", "nearest", judge.same_distance, None),
        ("8 nearest", "k_nearest", judge.same_distances, K),
        ("box query, 12 hits", "box", judge.same_units, half),
        ("nearest of 1% of the groups", "nearest_rare", judge.same_rare, None),
    ):
        arguments = () if argument is None else (argument,)
        runners = {}
        for index in indexes:
            ask = getattr(index, verb, None)
            if ask and (not index.answers or proof(operation, verb, index, arguments)):
                runners[index.name] = Runner(asking(ask, queries, arguments), MOST)
        if OURS in runners:
            yield Race(operation, army.spread, army.count, "query", runners)


def asking(ask: Callable, queries: list, arguments: tuple) -> Callable[[int], object]:
    """A few questions at a time, so that answers are thrown away soon, as a game does.

    Whoever is quick is asked them all again, until the round is full.
    """

    def run(repeats: int) -> None:
        for start in range(0, repeats, HANDFUL):
            first = start % len(queries)
            ask(queries[first : first + min(HANDFUL, repeats - start)], *arguments)

    return run


class Judge:
    """Holds the answers of an index against numpy's brute force, for some of the questions."""

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
        """Sorted distances, since peers break ties as they like."""
        found = self.distances(self.ask(index, verb, arguments), index.ids)
        expected = self.distances(self.ask(self.truth, verb, arguments), self.truth.ids)
        return self.verdict(operation, index, found, expected)

    def same_distance(self, operation: str, verb: str, index: Index, arguments: tuple) -> bool:
        found = self.distances(self.ask(index, verb, arguments), lambda one: [index.one(one)])
        expected = self.distances(self.ask(self.truth, verb, arguments), lambda one: [one])
        return self.verdict(operation, index, found, expected)

    same_rare = same_distance

    def ask(self, index: Index, verb: str, arguments: tuple) -> list:
        return getattr(index, verb)(self.queries, *arguments)

    def distances(self, answers: list, ids: Callable) -> list[list[float]]:
        xy = self.army.xy
        return [
            np.sort(np.hypot(*(xy[list(ids(answer))] - query).T)).round(6).tolist()
            for query, answer in zip(self.queries, answers, strict=True)
        ]

    def verdict(self, operation: str, index: Index, found: list, expected: list) -> bool:
        """Whether the index may run; ours must."""
        wrong = sum(mine != right for mine, right in zip(found, expected, strict=True))
        if wrong and index.name.startswith(OURS):
            raise WrongAnswerError(f"{operation}: {wrong} of {len(expected)} answers are wrong")
        if wrong:
            self.notes.append(
                f"{index.name} answers {wrong} of {len(expected)} wrong: {operation}, "
                f"{self.army.spread}, {self.army.count:,}; not timed"
            )
        return not wrong

"""Queries: radius, nearest, 8 nearest, box; one at a time, and 20,000 in one call; and all pairs.

A pair are two squares of 16 px that overlap, one to each 32 px tile. In a clustered army they
shrink with the distances, so that there are about as many pairs.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from math import sqrt

import numpy as np

from benchmarks.armies import HITS, QUERIES, Army
from benchmarks.peers import INDEXES, Index, NumpyScan
from benchmarks.plan import Plan
from benchmarks.timing import OURS, Race, Runner, check

CHECKED = 50
CHUNK = 50  # queries a call, where each is asked alone
K = 8
MANY = 100  # hits
SIZE = 16.0  # px, the side of a unit's square


def races(plan: Plan) -> Iterator[Race]:
    """Every query of each army, spread as the units are."""
    for army in plan.armies():
        indexes = plan.indexes(army, INDEXES)
        yield from one_by_one(army, indexes, plan)
        if army.count >= 1_000:
            yield from in_one_call(army, indexes, plan)
            yield pairs(army, indexes)


def one_by_one(army: Army, indexes: list[Index], plan: Plan) -> Iterator[Race]:
    scan = NumpyScan(army)
    for operation, verb, *arguments in (
        ("radius query", "radius", army.radius),
        (f"radius query, {MANY} hits", "radius", army.radius * sqrt(MANY / HITS)),
        ("nearest", "nearest"),
        ("8 nearest", "k_nearest", K),
        ("box query, 12 hits", "box", army.box_side / 2),
        ("nearest of 1% of the groups", "nearest_rare"),
    ):
        truth = answers(army, scan, verb, *arguments)
        runners = {
            index.name: asking(getattr(index, verb), army.queries, *arguments)
            for index in indexes
            if hasattr(index, verb)
            and plan.trusts(index, answers(army, index, verb, *arguments) == truth, operation)
        }
        yield Race(operation, army.spread, army.count, runners, "query", CHUNK)


def asking(ask: Callable, queries: list, *arguments: float) -> Runner:
    """Ask the next few queries a call, so that answers are freed soon, as in a game."""
    chunks = cycle([queries[at : at + CHUNK] for at in range(0, len(queries), CHUNK)])
    return lambda: ask(next(chunks), *arguments)


def answers(army: Army, index: Index, verb: str, *arguments: float) -> list:
    """The answers to some queries: the units, or how far the nearest are, for peers break ties."""
    places = army.queries[:CHECKED]
    found = getattr(index, verb)(places, *arguments)
    if verb in ("radius", "box"):
        return [sorted(index.ids(answer)) for answer in found]
    ids = [list(index.ids(one)) if verb == "k_nearest" else [index.one(one)] for one in found]
    return [
        np.sort(np.hypot(*(army.xy[near] - place).T)).round(6).tolist()
        for near, place in zip(ids, places, strict=True)
    ]


def in_one_call(army: Army, indexes: list[Index], plan: Plan) -> Iterator[Race]:
    scan, xy = NumpyScan(army), np.array(army.queries)
    for operation, verb, *arguments in (
        ("radius query, batch", "radius", army.radius),
        (f"radius query, batch, {MANY} hits", "radius", army.radius * sqrt(MANY / HITS)),
        ("box query, batch", "box", army.box_side / 2),
        ("nearest, batch", "nearest"),
        ("counting, batch", "count", army.radius),
    ):
        truth = answers(army, scan, "radius" if verb == "count" else verb, *arguments)
        runners = {}
        for index in indexes:
            ask = getattr(index, f"{verb}_batch", None)
            if ask is not None:
                right = agrees(index, verb, ask(xy[:CHECKED], *arguments), truth)
                if plan.trusts(index, right, operation):
                    runners[index.name] = partial(ask, xy, *arguments)
        yield Race(operation, army.spread, army.count, runners, "query", QUERIES)


def agrees(index: Index, verb: str, answer: object, expected: list) -> bool:
    """Whether the answer to a batch is what brute force found."""
    if verb == "count":
        return np.array_equal(answer, list(map(len, expected)))
    if verb == "nearest":
        return np.allclose(index.distances(answer), np.ravel(expected), rtol=0, atol=1e-6)
    return [sorted(units) for units in index.lists(answer)] == expected


def pairs(army: Army, indexes: list[Index]) -> Race:
    """All pairs of units that overlap; scipy has points only, and is built in every frame."""
    size = SIZE / sqrt(army.crowding)
    runners = {
        index.name: run
        for index in indexes
        if hasattr(index, "pairing") and (run := index.pairing(army, size))
    }
    found = len(runners[OURS]())
    for name, run in runners.items():
        answer = run()
        count = sum(map(len, answer)) if isinstance(answer, list) else len(answer)
        check(count == found, f"{name} finds {count} pairs, we find {found}")
    return Race("overlapping pairs", army.spread, army.count, runners)

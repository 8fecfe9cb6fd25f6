"""Queries: radius, nearest, 8 nearest, box; one at a time, and 20,000 in one call; and all pairs.

A pair are two squares of 16 px that overlap, one to each 32 px tile. In a clustered army they
shrink with the distances, so that there are about as many pairs.
"""

from collections.abc import Callable
from functools import partial
from itertools import cycle
from math import sqrt

import numpy as np

from benchmarks.armies import HITS, QUERIES, Army
from benchmarks.peers import INDEXES, Index, NumpyScan
from benchmarks.plan import OURS, Plan, Race, Races, Runner, check

CHECKED = 50
CHUNK = 50  # queries a call, where each is asked alone
MANY = 100  # hits


def races(plan: Plan) -> Races:
    """Every query of each army, spread as the units are."""
    for army in plan.armies():
        indexes = plan.indexes(army, INDEXES)
        yield from asked(army, indexes, plan)
        if army.count >= 1_000:
            yield pairs(army, indexes)


def asked(army: Army, indexes: list[Index], plan: Plan) -> Races:
    scan, xy = NumpyScan(army), np.array(army.queries)
    few, many, half = army.radius, army.radius * sqrt(MANY / HITS), army.box_side / 2
    alone = (
        ("radius query", "radius", few),
        (f"radius query, {MANY} hits", "radius", many),
        ("nearest", "nearest"),
        ("8 nearest", "k_nearest", 8),
        ("box query, 12 hits", "box", half),
        ("nearest of 1% of the groups", "nearest_rare"),
    )
    in_one_call = (
        ("radius query, batch", "radius_batch", few),
        (f"radius query, batch, {MANY} hits", "radius_batch", many),
        ("box query, batch", "box_batch", half),
        ("nearest, batch", "nearest_batch"),
        ("counting, batch", "count_batch", few),
    )
    for operation, verb, *arguments in alone + in_one_call * (army.count >= 1_000):
        batch, question = verb.endswith("_batch"), verb.removesuffix("_batch")
        truth = answers(army, scan, question.replace("count", "radius"), *arguments)
        runners: dict[str, Runner] = {}
        for index in (one for one in indexes if hasattr(one, verb)):
            ask = getattr(index, verb)
            if batch:
                right = agrees(index, question, ask(xy[:CHECKED], *arguments), truth)
            else:
                right = answers(army, index, verb, *arguments) == truth
            if plan.trusts(index, right, operation):
                whole = partial(ask, xy, *arguments)
                runners[index.name] = whole if batch else asking(ask, army.queries, *arguments)
        share = QUERIES if batch else CHUNK
        yield Race(operation, army.spread, army.count, runners, "query", share)


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


def agrees(index: Index, question: str, answer: object, expected: list) -> bool:
    """Whether the answer to a batch is what brute force found."""
    if question == "count":
        return np.array_equal(answer, list(map(len, expected)))
    if question == "nearest":
        return np.allclose(index.distances(answer), np.ravel(expected), rtol=0, atol=1e-6)
    return [sorted(units) for units in index.lists(answer)] == expected


def pairs(army: Army, indexes: list[Index]) -> Race:
    """All pairs of units that overlap; scipy has points only, and is built in every frame."""
    size = 16.0 / sqrt(army.crowding)  # px, the side of a unit's square
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

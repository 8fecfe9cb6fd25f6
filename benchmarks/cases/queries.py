"""Queries: radius, nearest, 8 nearest, box; one at a time, and 20,000 in one call; and all pairs.

A pair are two squares of 16 px that overlap, one to each 32 px tile. In a clustered army they
shrink with the distances, so that there are about as many pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from math import sqrt

import numpy as np

from benchmarks.armies import HITS, Army
from benchmarks.peers import INDEXES, OURS, Index, NumpyScan
from benchmarks.plan import Plan
from benchmarks.timing import Race, Runner, check

QUERIES = 20_000  # enough that a round repeats few of them
CHECKED = 50
CHUNK = 50  # queries a call, where each is asked alone
K = 8
MANY = 100  # hits
SIZE = 16.0  # px, the side of a unit's square


def races(plan: Plan) -> Iterator[Race]:
    """Every single query of each army, after a check of each contestant's answers."""
    for army in plan.armies():
        indexes, queries = plan.indexes(army, INDEXES), army.queries(QUERIES)
        for operation, verb, arguments in (
            ("radius query", "radius", (army.radius,)),
            (f"radius query, {MANY} hits", "radius", (army.radius * sqrt(MANY / HITS),)),
            ("nearest", "nearest", ()),
            ("8 nearest", "k_nearest", (K,)),
            ("box query, 12 hits", "box", (army.box_side / 2,)),
            ("nearest of 1% of the groups", "nearest_rare", ()),
        ):
            truth = answers(army, NumpyScan(army), verb, arguments)
            runners = {
                index.name: asking(getattr(index, verb), queries, arguments)
                for index in indexes
                if hasattr(index, verb)
                and plan.trusts(index, answers(army, index, verb, arguments) == truth, operation)
            }
            yield Race(operation, army.spread, army.count, "query", runners, share=CHUNK)


def asking(ask: Callable, queries: list, arguments: tuple) -> Runner:
    """Ask the next few queries a call, so that answers are freed soon, as in a game."""
    chunks = cycle([queries[at : at + CHUNK] for at in range(0, len(queries), CHUNK)])
    return lambda: ask(next(chunks), *arguments)


def answers(army: Army, index: Index, verb: str, arguments: tuple) -> list:
    """The answers to some queries: the units, or how far the nearest are, for peers break ties."""
    places = army.queries(QUERIES)[:CHECKED]
    found = getattr(index, verb)(places, *arguments)
    if verb in ("radius", "box"):
        return [sorted(index.ids(answer)) for answer in found]
    ids = [list(index.ids(one)) if verb == "k_nearest" else [index.one(one)] for one in found]
    return [
        np.sort(np.hypot(*(army.xy[near] - place).T)).round(6).tolist()
        for near, place in zip(ids, places, strict=True)
    ]


def batches(plan: Plan) -> Iterator[Race]:
    """Batches of queries, spread as the units are."""
    for army in plan.armies():
        if army.count >= 1_000:
            indexes = plan.indexes(army, INDEXES)
            yield from in_one_call(army, indexes, plan)
            yield pairs(army, indexes)


def in_one_call(army: Army, indexes: list[Index], plan: Plan) -> Iterator[Race]:
    xy, half = np.array(army.queries(QUERIES)), army.box_side / 2
    radius, wide = army.radius, army.radius * sqrt(MANY / HITS)
    truth = NumpyScan(army)
    near, wider, boxed, away = (
        answers(army, truth, verb, arguments)
        for verb, arguments in (
            *(("radius", (radius,)), ("radius", (wide,))),
            *(("box", (half,)), ("k_nearest", (K,))),
        )
    )
    for operation, verb, expected, asked, *arguments in (
        ("radius query, batch", "radius_batch", near, xy, radius),
        (f"radius query, batch, {MANY} hits", "radius_batch", wider, xy, wide),
        ("box query, batch", "box_batch", boxed, np.hstack([xy - half, xy + half])),
        ("nearest, batch", "nearest_batch", [row[0] for row in away], xy),
        ("8 nearest, batch", "k_nearest_batch", away, xy, K),
        ("counting, batch", "count_batch", list(map(len, near)), xy, radius),
    ):
        runners = {}
        for index in (one for one in indexes if hasattr(one, verb)):
            ask = getattr(index, verb)
            right = agrees(index, verb, ask(asked[:CHECKED], *arguments), expected)
            if plan.trusts(index, right, operation):
                runners[index.name] = lambda ask=ask, given=(asked, *arguments): ask(*given)
        yield Race(operation, army.spread, army.count, "query", runners, share=QUERIES)


def agrees(index: Index, verb: str, answer: object, expected: list) -> bool:
    """Whether the answer to a batch is what brute force found."""
    if verb == "count_batch":
        return np.array_equal(answer, expected)
    if "nearest" in verb:
        return np.allclose(index.distances(answer), expected, rtol=0, atol=1e-6)
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
    return Race("overlapping pairs", army.spread, army.count, "frame", runners)

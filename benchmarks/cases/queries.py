"""One query at a time: radius, nearest, 8 nearest, box, and the nearest of a rare group."""

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
CHUNK = 50  # queries a call
K = 8
MANY = 100  # hits
SINGLE = ("radius", "nearest", "k_nearest", "box", "nearest_rare")


def races(plan: Plan) -> Iterator[Race]:
    """Every single query of each army, after a check of each contestant's answers."""
    for army in plan.armies():
        indexes = plan.indexes(
            army, [kind for kind in INDEXES if any(hasattr(kind, verb) for verb in SINGLE)]
        )
        queries, half = army.queries(QUERIES), army.box_side / 2
        for operation, verb, arguments in (
            ("radius query", "radius", (army.radius,)),
            (f"radius query, {MANY} hits", "radius", (army.radius * sqrt(MANY / HITS),)),
            ("nearest", "nearest", ()),
            ("8 nearest", "k_nearest", (K,)),
            ("box query, 12 hits", "box", (half,)),
            ("nearest of 1% of the groups", "nearest_rare", ()),
        ):
            runners = {}
            truth = answers(army, NumpyScan(army), verb, arguments)
            for index in (one for one in indexes if hasattr(one, verb)):
                right = answers(army, index, verb, arguments) == truth
                check(right or not index.name.startswith(OURS), f"{index.name}: {operation}")
                if right:
                    runners[index.name] = asking(getattr(index, verb), queries, arguments)
                else:
                    plan.results.notes.append(
                        f"{index.name} is wrong: {operation}, {army.spread}, {army.count:,}"
                    )
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

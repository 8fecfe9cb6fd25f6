"""20,000 queries in one call: radius, box, nearest, 8 nearest, counting; and all pairs.

A pair are two squares of 16 px that overlap, one to each 32 px tile. In a clustered army they
shrink with the distances, so that there are about as many pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

from benchmarks.armies import HITS, Army
from benchmarks.cases.queries import CHECKED, MANY, QUERIES, K
from benchmarks.peers import INDEXES, OURS, Index, NumpyScan
from benchmarks.plan import Plan
from benchmarks.timing import Race, check

SIZE = 16.0  # px, the side of a unit's square
BATCHED = ("radius_batch", "box_batch", "nearest_batch", "k_nearest_batch", "count_batch")


def races(plan: Plan) -> Iterator[Race]:
    """Batches of queries, spread as the units are."""
    for army in plan.armies():
        if army.count < 1_000:
            continue
        wanted = [
            kind for kind in INDEXES if any(hasattr(kind, verb) for verb in (*BATCHED, "pairing"))
        ]
        indexes = plan.indexes(army, wanted)
        yield from questions(army, indexes, plan.results.notes)
        yield pairs(army, indexes)


def questions(army: Army, indexes: list[Index], notes: list[str]) -> Iterator[Race]:
    xy, half = np.array(army.queries(QUERIES)), army.box_side / 2
    boxes, radius = np.hstack([xy - half, xy + half]), army.radius
    wide = radius * sqrt(MANY / HITS)
    few, truth = xy[:CHECKED], NumpyScan(army)
    circles, wider = (truth.radius(few.tolist(), reach) for reach in (radius, wide))
    squares = truth.box(few.tolist(), half)
    nearest = zip(truth.k_nearest(few.tolist(), K), few, strict=True)
    away = np.array([np.sort(np.hypot(*(army.xy[near] - place).T)) for near, place in nearest])
    numbers = [len(circle) for circle in circles]
    for operation, verb, expected, arguments in (
        ("radius query, batch", "radius_batch", circles, (xy, radius)),
        (f"radius query, batch, {MANY} hits", "radius_batch", wider, (xy, wide)),
        ("box query, batch", "box_batch", squares, (boxes,)),
        ("nearest, batch", "nearest_batch", away[:, 0], (xy,)),
        ("8 nearest, batch", "k_nearest_batch", away, (xy, K)),
        ("counting, batch", "count_batch", numbers, (xy, radius)),
    ):
        runners = {}
        for index in (one for one in indexes if hasattr(one, verb)):
            ask = getattr(index, verb)
            if right(index, verb, ask(arguments[0][:CHECKED], *arguments[1:]), expected):
                runners[index.name] = lambda ask=ask, arguments=arguments: ask(*arguments)
            else:
                check(index.name != OURS, operation)
                notes.append(f"{index.name} is wrong: {operation}, {army.spread}; not timed")
        yield Race(operation, army.spread, army.count, "query", runners, share=QUERIES)


def right(index: Index, verb: str, answer: object, expected: object) -> bool:
    """Whether the answer to a batch is what brute force found."""
    if verb == "count_batch":
        return np.array_equal(answer, expected)
    if "nearest" in verb:
        return np.allclose(index.distances(answer), expected, rtol=1e-9, atol=1e-9)
    found = [sorted(units) for units in index.lists(answer)]
    found += [[]] * (len(expected) - len(found))  # shapely omits empty answers at the end
    return found == [sorted(units) for units in expected]


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

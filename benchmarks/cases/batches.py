"""20,000 queries in one call: radius, box, nearest, 8 nearest, and counting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.armies import Army
from benchmarks.cases.queries import QUERIES, K
from benchmarks.peers import OURS, Index, NumpyScan
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner

CHECKED = 50


def races(army: Army, indexes: list[Index], notes: list[str]) -> Iterator[Race]:
    """Batches of queries, spread as the units are."""
    xy, half = np.array(army.queries(QUERIES)), army.box_side / 2
    boxes = np.hstack([xy - half, xy + half])
    few, truth = xy[:CHECKED], NumpyScan(army)
    circles = truth.radius(few.tolist(), army.radius)
    squares = truth.box(few.tolist(), half)
    distances = np.hypot(*(army.xy[truth.nearest(few.tolist())] - few).T)
    away = np.hypot(*(army.xy[:, None] - few).T)  # (queries, units)
    ranked = np.sort(away, axis=1)[:, :K]
    numbers = np.array([len(circle) for circle in circles])
    radius = army.radius
    for operation, verb, unpack, same, expected, arguments in (
        ("radius query, batch", "radius_batch", "radius_lists", same_units, circles, (xy, radius)),
        ("box query, batch", "box_batch", "box_lists", same_units, squares, (boxes,)),
        ("nearest, batch", "nearest_batch", "nearest_distances", close, distances, (xy,)),
        ("8 nearest, batch", "k_nearest_batch", "k_nearest_distances", close, ranked, (xy, K)),
        ("counting, batch", "count_batch", "counts", close, numbers, (xy, radius)),
    ):
        checked = arguments[0][:CHECKED], *arguments[1:]
        runners = {}
        for index in indexes:
            ask = getattr(index, verb, None)
            if ask is None:
                continue
            if same(getattr(index, unpack)(ask(*checked)), expected):
                runners[index.name] = Runner(
                    lambda _, ask=ask, arguments=arguments: ask(*arguments)
                )
            elif index.name == OURS:
                raise WrongAnswerError(operation)
            else:
                notes.append(f"{index.name} is wrong: {operation}, {army.spread}; not timed")
        if OURS in runners:
            yield Race(operation, army.spread, army.count, "query", runners, share=QUERIES)


def same_units(found: list, expected: list[np.ndarray]) -> bool:
    found = [sorted(units) for units in found]
    found += [[]] * (len(expected) - len(found))  # shapely omits empty answers at the end
    return found == [sorted(units) for units in expected]


def close(found: np.ndarray, expected: np.ndarray) -> bool:
    return np.allclose(found, expected, rtol=1e-9, atol=1e-9)

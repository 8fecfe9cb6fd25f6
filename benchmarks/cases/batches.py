"""A whole army of questions at once: everybody's range, everybody's nearest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.peers import OURS, Index, NumpyScan
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner
from benchmarks.worlds import Army

CHECKED = 50


def races(army: Army, indexes: list[Index], notes: list[str]) -> Iterator[Race]:
    """Batch questions, as many as there are units but 100,000 at most, spread as the units are."""
    count = min(army.count, 100_000)
    xy = np.array(army.queries(count))
    for operation, verb, agree, arguments in (
        ("radius query, batch", "radius_batch", same_units, (army.radius,)),
        ("nearest, batch", "nearest_batch", same_distances, ()),
    ):
        runners = {}
        for index in indexes:
            ask = getattr(index, verb, None)
            if ask is None:
                continue
            if agree(army, index, ask(xy[:CHECKED], *arguments), xy[:CHECKED]):
                runners[index.name] = Runner(
                    lambda _, ask=ask, arguments=arguments: ask(xy, *arguments)
                )
            elif index.name == OURS:
                raise WrongAnswerError(operation)
            else:
                notes.append(f"{index.name} is wrong: {operation}, {army.spread}; not timed")
        if OURS in runners:
            yield Race(operation, army.spread, army.count, "query", runners, share=count)


def same_units(army: Army, index: Index, answer, xy: np.ndarray) -> bool:
    found = [sorted(units) for units in index.radius_lists(answer)]
    found += [[]] * (len(xy) - len(found))  # CSR by position leaves empty ends away
    return found == [sorted(units) for units in NumpyScan(army).radius(xy.tolist(), army.radius)]


def same_distances(army: Army, index: Index, answer, xy: np.ndarray) -> bool:
    nearest = NumpyScan(army).nearest(xy.tolist())
    expected = np.hypot(*(army.xy[nearest] - xy).T)
    return np.allclose(index.nearest_distances(answer), expected, rtol=1e-9, atol=1e-9)

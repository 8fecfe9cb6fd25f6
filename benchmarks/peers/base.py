"""The verbs that every index answers to."""

from collections.abc import Iterable
from operator import attrgetter

import numpy as np

from benchmarks.armies import Army


def own(method: str) -> property:
    """A verb that is a method of the tree itself."""
    return property(attrgetter(f"tree.{method}"))


class Index:
    """One contestant, used as its own users would use it.

    A verb takes all questions and loops over them itself, so that the clock times the library and
    no wrapper of ours. A subclass defines only the verbs that its library has:

    - `build(army)`: a new tree
    - `radius(queries, radius)`, `box(queries, half)`: the units around each position
    - `nearest(queries)`, `k_nearest(queries, k)`: the nearest units to each position
    - `radius_batch(xy, radius)`, `box_batch(xy, half)`, `nearest_batch(xy)`: the same in one call
    - `count_batch(xy, radius)`: how many there are
    - `pairing(army, size)`: a call that finds all pairs of squares of one size that overlap
    - `move(steps)`: one unit after another; `move_all(xy)`: all units in one go

    An answer stays as the library gives it. When it is checked, `ids` and `one` turn it into unit
    numbers, and `lists` and `distances` unpack that of a batch.
    """

    name = ""  # in tables
    most = 10**9  # units of the largest army worth waiting for
    moves = True  # False for a contestant that finds its units where they were built

    def __init__(self, army: Army, **options: int) -> None:
        self.tree = self.build(army, **options)

    def around(self, places: list[tuple[float, float]], half: float) -> list[Iterable[int]]:
        """Unit numbers in the square around each place, from the index that the moves change."""
        return [self.ids(answer) for answer in self.box(places, half)]

    def ids(self, answer) -> Iterable[int]:
        return answer

    def one(self, answer) -> int:
        return answer

    def lists(self, answer) -> list[Iterable[int]]:
        return answer

    def distances(self, answer) -> np.ndarray:
        return answer[0]

"""Random units of a tree and its twin, random questions to both, and whether the answers agree.

Questions like the places that matter: exactly on a unit, on a split line, beyond the bounds; radii
of nothing, of everything, and of whole steps between units on a grid.
"""

from __future__ import annotations

from math import inf
from random import Random
from typing import NamedTuple

import numpy as np

from tests.worlds import Point, World, footprint

DYNAMIC_VERBS = (
    *("query", "within", "any_within", "count_within", "nearest", "k_nearest", "segment", "pairs"),
)
RING_VERBS = ("within", "any_within", "count_within")
STATIC_VERBS = ("query", "within", "nearest", "k_nearest", "segment")
UNORDERED = ("query", "within")  # of the dynamic tree: lists without a promised order


class Question(NamedTuple):
    """One call: the verb and what it is given."""

    verb: str
    args: tuple
    options: dict


def add_unit(rng: Random, world: World, item: int, count: int, groups: tuple, *trees) -> Point:
    """Add one of `count` units, in one of some groups, to each tree; return where it stands."""
    place, shape, mask = world.place(rng), footprint(rng, world, count), rng.choice(groups)
    for tree in trees:
        tree.add(item, *place, groups=mask, **shape)
    return place


def every_third(item: int) -> bool:
    """The predicate that questions give as `where`."""
    return item % 3 == 0


class Asker:
    """Draws questions about a world whose units, by number, stand at `places`."""

    def __init__(self, rng: Random, world: World, places: dict[int, Point]) -> None:
        self.rng = rng
        self.world = world
        self.places = places

    def dynamic(self, verb: str) -> Question:
        """A question for a dynamic tree whose items are whole numbers."""
        return Question(verb, self._arguments(verb), self._dynamic_options(verb))

    def static(self, verb: str) -> Question:
        options = {}
        if verb in ("nearest", "k_nearest") and self._sometimes():
            options["max_distance"] = self._length()
        if verb == "segment" and self._sometimes():
            options["width"] = self._length() / 2
        return Question(verb, self._arguments(verb), options)

    def _arguments(self, verb: str) -> tuple:
        if verb == "pairs":
            return ()
        if verb == "segment":
            return self._point() + self._point()
        x, y = self._point()
        if verb == "query":
            half_width, half_height = self._length(), self._length()
            return ((x - half_width, y - half_height, x + half_width, y + half_height),)
        if verb in RING_VERBS:
            return x, y, self._length()
        if verb == "k_nearest":
            return x, y, self.rng.choice((1, 2, 5, 30, 1000))
        return x, y

    def _dynamic_options(self, verb: str) -> dict:
        options = {}
        if self._sometimes():
            options["groups"] = self.rng.choice((1, 2, 6, 2**31, 2**32 - 1))
        if self._sometimes():
            options["without"] = self.rng.choice((0, 1, 2, 4, 2**31))
        if verb not in ("query", "pairs") and self._sometimes():
            options["exclude"] = self.rng.choice([None, *self.places])
        if verb in (*RING_VERBS, "nearest", "k_nearest"):
            options["to_edge"] = self._sometimes()
        if verb == "segment" and self._sometimes():
            options["width"] = self._length() / 2
        if verb in ("nearest", "k_nearest"):
            if self._sometimes():
                options["max_distance"] = self._length()
            if self._sometimes():
                options["min_distance"] = min(self._length(), options.get("max_distance", inf))
            if self._sometimes():
                options["where"] = every_third
        return options

    def _point(self) -> Point:
        bounds, rng = self.world.bounds, self.rng
        kind = rng.randrange(4)
        if kind == 0 and self.places:
            return rng.choice(list(self.places.values()))
        if kind == 1:
            return (
                bounds.min_x + bounds.width * rng.randint(-2, 18) / 16,
                bounds.min_y + bounds.height * rng.randint(-2, 18) / 16,
            )
        if kind == 2:
            return self.world.place(rng)
        return (
            bounds.min_x + bounds.width * rng.uniform(-0.2, 1.2),
            bounds.min_y + bounds.height * rng.uniform(-0.2, 1.2),
        )

    def _length(self) -> float:
        span, rng = self.world.bounds.width, self.rng
        kind = rng.randrange(10)
        if kind == 0:
            return 0.0
        if kind == 1:
            return 4 * span
        if kind < 5:
            return span * rng.randint(1, 8) / 16
        return span * rng.random() ** 2 / 3

    def _sometimes(self) -> bool:
        return self.rng.random() < 0.3


def compare_dynamic(tree, twin, question: Question) -> None:
    """Both answers must be the same list; where no order is promised, the same items once each."""
    verb, args, options = question
    found = getattr(tree, verb)(*args, **options)
    expected = getattr(twin, verb)(*args, **options)
    if verb in UNORDERED:
        found, expected = sorted(found), sorted(expected)
    assert found == expected, difference(question, found, expected)


def compare_static(tree, twin, question: Question) -> None:
    """Both answers must be the same ids in the same order, as an int32 array."""
    verb, args, options = question
    found = getattr(tree, verb)(*args, **options)
    expected = getattr(twin, verb)(*args, **options)
    if verb != "nearest":
        assert isinstance(found, np.ndarray), question
        assert found.dtype == np.int32, question
        found, expected = found.tolist(), expected.tolist()
    assert found == expected, difference(question, found, expected)


def difference(question: Question, found, expected) -> str:
    """What a failing comparison says: the call, what is missing, what should not be there."""
    if not isinstance(found, list):
        return f"{question}: found {found!r}, expected {expected!r}"
    missing = [item for item in expected if item not in found]
    wrong = [item for item in found if item not in expected]
    order = "" if missing or wrong else ", the same items in another order or number"
    return f"{question}: missing {missing[:10]}, wrong {wrong[:10]}{order}"

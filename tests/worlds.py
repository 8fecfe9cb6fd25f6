"""Seeded worlds to fill a tree with: easy ones, and those that break quadtrees."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from random import Random
from typing import NamedTuple

from tilequad.bounds import Bounds

SPAN = 1024.0  # a power of two: the split lines of the root lie on whole numbers
Point = tuple[float, float]


class World(NamedTuple):
    """How units are spread: the tree's bounds, and a function that draws one position."""

    name: str
    bounds: Bounds
    place: Callable[[Random], Point]


def uniform(rng: Random) -> Point:
    return rng.uniform(0, SPAN), rng.uniform(0, SPAN)


def clustered(rng: Random) -> Point:
    """90% of the units in 1% of the area."""
    if rng.random() < 0.9:
        return rng.uniform(300, 402.4), rng.uniform(700, 802.4)
    return uniform(rng)


def one_point(rng: Random) -> Point:
    return 300.25, 700.5


def row(rng: Random) -> Point:
    return rng.uniform(0, SPAN), SPAN / 2


def diagonal(rng: Random) -> Point:
    x = rng.uniform(0, SPAN)
    return x, x


def split_lines(rng: Random) -> Point:
    """On the lines where the root and its first four levels split, its outer edges included."""
    return 64.0 * rng.randint(0, 16), 64.0 * rng.randint(0, 16)


def outside(rng: Random) -> Point:
    """Far out on every side of the bounds, a few of them very far."""
    reach = 1e7 if rng.random() < 0.05 else 5 * SPAN
    return rng.uniform(-reach, reach), rng.uniform(-reach, reach)


def scaled(place: Callable[[Random], Point], factor: float) -> Callable[[Random], Point]:
    def draw(rng: Random) -> Point:
        x, y = place(rng)
        return x * factor, y * factor

    return draw


def shifted(place: Callable[[Random], Point], by: float) -> Callable[[Random], Point]:
    def draw(rng: Random) -> Point:
        x, y = place(rng)
        return x + by, y + by

    return draw


SQUARE = Bounds(0.0, 0.0, SPAN, SPAN)
WORLDS = [
    World("uniform", SQUARE, uniform),
    World("clustered", SQUARE, clustered),
    World("one point", SQUARE, one_point),
    World("row", SQUARE, row),
    World("diagonal", SQUARE, diagonal),
    World("split lines", SQUARE, split_lines),
    World("outside", SQUARE, outside),
    World("huge", Bounds(0.0, 0.0, 1e9, 1e9), scaled(uniform, 1e9 / SPAN)),
    World("tiny", Bounds(0.0, 0.0, 1e-9, 1e-9), scaled(uniform, 1e-9 / SPAN)),
    World("far away", SQUARE.shifted(1e9, 1e9), shifted(uniform, 1e9)),
]


def footprint(rng: Random, world: World, count: int) -> dict[str, object]:
    """A point, a circle or a box for one unit of `count`, now and then one beyond all measure."""
    reach = world.bounds.width / (2 * sqrt(count))
    if world.place is split_lines:
        reach = 16.0 * rng.randint(0, 4)  # edges that touch exactly
    elif rng.random() < 0.01:
        reach = 3 * world.bounds.width
    else:
        reach *= rng.random()
    kind = rng.randrange(3)
    if kind == 0:
        return {}
    return {"radius": reach} if kind == 1 else {"size": (2 * reach, reach)}


def boxes(rng: Random, world: World, count: int) -> list[tuple[float, float, float, float]]:
    """Boxes for a static tree: some of no size, now and then one as large as the world."""
    found = []
    for _ in range(count):
        x, y = world.place(rng)
        width, height = footprint(rng, world, count).get("size", (0.0, 0.0))
        found.append((x, y, x + width, y + height))
    return found

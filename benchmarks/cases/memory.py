"""The bytes that a tree holds for each unit, box or tile, beyond what the game holds anyway."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from math import isqrt

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers import OURS
from benchmarks.results import BYTES, Row
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad._core.cells.region import RegionQuadtree


def rows(count: int) -> Iterator[Row]:
    """Bytes for each of `count` entries.

    The list of the items and the dictionary from items to slots are not counted: they are measured
    alone and subtracted.
    """
    army = Army("uniform", count)
    items = list(range(count))
    boxes = np.hstack([army.xy, army.xy + 16.0])
    layer = np.ones((isqrt(count), isqrt(count)), bool)
    known = held(lambda: (list(items), dict(zip(items, range(count), strict=True))))
    for entry, size in (
        ("a unit, added at once", (held(lambda: at_once(army, items)) - known) / count),
        ("a unit, added one by one", (held(lambda: one_by_one(army, items)) - known) / count),
        ("a static box", held(lambda: StaticQuadtree(boxes)) / count),
        ("a tile of a layer", held(lambda: RegionQuadtree(layer)) / layer.size),
    ):
        yield Row(f"memory of {entry}", "uniform", count, "entry", OURS, size, size, 1, BYTES)


def at_once(army: Army, items: list[int]) -> DynamicQuadtree:
    tree = DynamicQuadtree(army.bounds)
    tree.add_many(items, army.xy)
    return tree


def one_by_one(army: Army, items: list[int]) -> DynamicQuadtree:
    tree = DynamicQuadtree(army.bounds)
    for item, (x, y) in zip(items, army.xy.tolist(), strict=True):
        tree.add(item, x, y)
    return tree


def held(make: Callable[[], object]) -> int:
    """The bytes that the result of `make` holds."""
    gc.collect()
    tracemalloc.start()
    try:
        made = make()
        gc.collect()
        size = tracemalloc.get_traced_memory()[0]
        del made
        return size
    finally:
        tracemalloc.stop()

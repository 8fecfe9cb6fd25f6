"""Rings: the best unit in range of each of many seekers, equal to a look at every unit."""

from __future__ import annotations

import numpy as np
import pytest

from tilequad import DynamicQuadtree
from tilequad._core.army.rings import Rings
from tilequad._core.checks import masks_of
from tilequad.quadtree.dynamic import store_of

SIDE = 1000.0
NONE = -1


class Field:
    """Units in many leaves, in clumps and on a grid, so that keys and distances are often equal."""

    rings_class = Rings

    def __init__(self, seed: int, count: int = 1_500, seekers: int = 60) -> None:
        rng = np.random.default_rng(seed)
        xy = rng.integers(0, 100, (count, 2)) * 10.0
        crowd = rng.random(count) < 0.4
        xy[crowd] = rng.normal(500, 40, (crowd.sum(), 2)).round()
        self.units: DynamicQuadtree = DynamicQuadtree((0, 0, SIDE, SIDE))
        self.masks = rng.choice((1, 2, 4, 6), count)
        self.slots = self.units.add_many(range(count), xy, groups=self.masks)
        for item in rng.choice(count, count // 5, replace=False).tolist():
            self.units.remove(item)
            self.units.add(item, *xy[item].tolist(), groups=int(self.masks[item]))
        self.xy, self.count = xy, count
        self.slots = np.array([self.units.slot(item) for item in range(count)], np.int32)
        self.order = np.array([list(self.units).index(item) for item in range(count)])
        who = rng.choice(count, seekers, replace=False)
        near = rng.random(seekers) < 0.5
        who[near] = np.argsort(((xy - xy[who[0]]) ** 2).sum(axis=1))[: near.sum()]
        self.seekers = np.unique(who)
        self.most = rng.choice((0.0, 30.0, 120.0, 400.0, 5000.0), len(self.seekers))
        self.least = np.where(rng.random(len(self.seekers)) < 0.3, self.most / 2, 0.0)
        self.groups = int(rng.choice((0, 2, 6))) or None
        self.barred = rng.choice(count, 40 if seed % 2 else 0, replace=False)
        self.without = int(rng.choice((0, 0, 1, 4)))
        self.rng = rng

    def rings(self) -> Rings:
        return self.rings_class(
            *(store_of(self.units), self.slots[self.seekers]),
            *(np.ascontiguousarray(self.xy[self.seekers]), np.stack((self.least, self.most), 1)),
            *masks_of(self.groups, self.without),
            self.slots[self.barred],
        )

    def in_ring(self, seeker: int, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        """Which items are at a distance from low to high; and their squared distances."""
        dx, dy = (self.xy - self.xy[seeker]).T
        distance2 = dx * dx + dy * dy
        return (low * low <= distance2) & (distance2 <= high * high), distance2

    def in_range(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """The items that a seeker may choose from, and how far all are, as `in_ring` tells."""
        seeker = self.seekers[number]
        holds, far = self.in_ring(seeker, self.least[number], self.most[number])
        if self.groups is not None:
            holds &= (self.masks & self.groups) != 0
        holds &= (self.masks & self.without) == 0
        holds[[seeker, *self.barred]] = False
        return np.flatnonzero(holds), far

    def in_any_range(self) -> list[int]:
        """The items that any seeker may choose from."""
        return sorted({item for n in range(len(self.seekers)) for item in self.in_range(n)[0]})

    def best(self, keys: np.ndarray | None, sign: float) -> list[int]:
        """The best slot in each ring, of all the slots in it."""
        found = []
        for number in range(len(self.seekers)):
            items, far = self.in_range(number)
            ranks = -sign * (far[items] if keys is None else keys[items])
            first = np.lexsort((self.order[items], far[items], ranks))
            found.append(int(self.slots[items[first[0]]]) if len(items) else NONE)
        return found

    def by_slot(self, keys: np.ndarray) -> np.ndarray:
        table = np.full(self.slots.max() + 1, np.nan)
        table[self.slots] = keys
        return table


@pytest.mark.parametrize("seed", range(16))
def test_the_best_by_key_is_the_best_of_all(seed):
    field = Field(seed)
    kinds = (
        field.rng.random(field.count),
        field.rng.integers(0, 4, field.count) * 1.0,
        field.xy[:, 0] + field.xy[:, 1],
        np.zeros(field.count),
        field.rng.choice((-np.inf, 0.0, np.inf), field.count),
    )
    for keys in kinds:
        for sign in (1.0, -1.0):
            best, wrong = field.rings().best_by_key(field.by_slot(keys), sign > 0)
            assert wrong == NONE
            assert best.tolist() == field.best(keys, sign)


@pytest.mark.parametrize("seed", range(16))
def test_the_best_by_distance_is_the_best_of_all(seed):
    field = Field(seed)
    assert field.rings().closest().tolist() == field.best(None, -1.0)
    assert field.rings().farthest().tolist() == field.best(None, 1.0)


@pytest.mark.parametrize("seed", range(16))
def test_the_slots_in_any_ring(seed):
    field = Field(seed)
    assert field.rings().slots().tolist() == sorted(field.slots[field.in_any_range()].tolist())


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_a_unit_in_range_without_a_key_is_named_and_others_are_not(seed, missing):
    field = Field(seed)
    items = field.in_any_range()
    outside = sorted(set(range(field.count)) - set(items))
    keys = field.by_slot(field.rng.choice((0.0, 1.0, np.inf), field.count))
    keys[field.slots[outside]] = np.nan
    assert field.rings().best_by_key(keys, True)[1] == NONE

    one = field.slots[field.rng.choice(items)]
    keys[one] = np.nan
    if missing:
        one = field.slots[items].max()
        keys = keys[:one]
        keys[np.isnan(keys)] = 0.0
    assert field.rings().best_by_key(keys, True)[1] == one

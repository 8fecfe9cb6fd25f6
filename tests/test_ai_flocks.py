"""Flocks: the sums of boids, equal to a loop over all pairs."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from tilequad import DynamicQuadtree
from tilequad.ai import flock


def battle(seed: int, n: int = 60) -> tuple[DynamicQuadtree, np.ndarray, np.ndarray, np.ndarray]:
    chance = random.Random(seed)
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    xy = np.array([(chance.randrange(60), chance.randrange(60)) for _ in range(n)], float)
    groups = np.array([chance.choice((1, 2)) for _ in range(n)])
    slots = units.add_many(range(n), xy, groups=groups)
    return units, xy, slots, np.array([(chance.random(), chance.random()) for _ in range(n)])


@pytest.mark.parametrize("seed", range(8))
def test_sums_equal_a_loop_over_all_pairs(seed):
    units, xy, slots, velocity = battle(seed)
    seen = flock(units, slots, velocity, sight=15, close=8, groups=2)
    for row, slot in enumerate(slots.tolist()):
        near = [
            other
            for other in slots.tolist()
            if other != slot and units.items([other])[0] in units.within(*xy[slot], 15, groups=2)
        ]
        assert seen.count[row] == len(near)
        if near:
            assert seen.offset[row] == pytest.approx((xy[near] - xy[slot]).mean(axis=0), abs=1e-12)
            assert seen.heading[row] == pytest.approx(velocity[near].mean(axis=0), abs=1e-12)
        apart = np.zeros(2)
        for other in near:
            way, far = xy[slot] - xy[other], math.dist(xy[slot], xy[other])
            if 0 < far < 8:
                apart += way / far * (1 - far / 8)
        if not any((xy[other] == xy[slot]).all() for other in near):
            assert seen.apart[row] == pytest.approx(apart, abs=1e-12)


@pytest.mark.parametrize("side", [40.0, 400.0, 4000.0])
def test_a_crowd_is_summed_in_the_order_of_slots_to_the_last_bit(side):
    rng = np.random.default_rng(7)
    xy, velocity = rng.uniform(0, side, (900, 2)), rng.uniform(-1, 1, (900, 2))
    units: DynamicQuadtree = DynamicQuadtree((0, 0, side, side))
    slots = units.add_many(range(900), xy)
    seen = flock(units, slots, velocity, sight=30, close=10)
    for row in range(0, 900, 9):
        gap = xy - xy[row]
        near = np.flatnonzero((gap * gap).sum(axis=1) <= 900.0)
        near = near[near != row].tolist()
        total = np.zeros(2), np.zeros(2)
        for other in near:
            total[0][:] += gap[other]
            total[1][:] += velocity[other]
        assert seen.count[row] == len(near)
        assert seen.offset[row].tolist() == (total[0] / max(len(near), 1)).tolist()
        assert seen.heading[row].tolist() == (total[1] / max(len(near), 1)).tolist()
    alone = flock(units, slots[5:6], velocity, sight=30, close=10)
    assert alone.apart[0].tolist() == seen.apart[5].tolist()


def test_boids_on_one_point_leave_it_in_different_directions():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    slots = units.add_many(range(3), np.full((3, 2), 50.0))
    seen = flock(units, slots, np.zeros((3, 2)), sight=5, close=5)
    assert np.isfinite(seen.apart).all()
    assert len({tuple(way) for way in seen.apart.tolist()}) == 3


def test_a_part_of_the_flock_may_ask():
    units, _, slots, velocity = battle(1)
    every = flock(units, slots, velocity, sight=15)
    some = flock(units, slots[5:9], velocity, sight=15)
    assert some.offset.tolist() == every.offset[5:9].tolist()
    assert flock(units, [], velocity, sight=15).count.tolist() == []


def test_wrong_arguments_are_refused():
    units, _, slots, velocity = battle(1)
    with pytest.raises(KeyError, match="no unit has slot 60"):
        flock(units, [60], velocity, sight=15)
    with pytest.raises(KeyError, match="no unit has slot -1"):
        flock(units, [-1], velocity, sight=15)
    with pytest.raises(ValueError, match="velocity must have a row"):
        flock(units, slots, velocity[:-1], sight=15)
    with pytest.raises(ValueError, match="velocity must have a row"):
        flock(units, slots[:1], velocity[:1], sight=150)
    with pytest.raises(ValueError, match="velocity must have shape"):
        flock(units, slots, velocity[:, 0], sight=15)
    with pytest.raises(ValueError, match="close must be"):
        flock(units, slots, velocity, sight=15, close=math.nan)
    with pytest.raises(ValueError, match="slots must be whole"):
        flock(units, [1.5], velocity, sight=15)

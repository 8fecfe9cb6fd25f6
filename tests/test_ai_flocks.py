"""Flocks: the sums of boids, equal to a loop over all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tilequad import DynamicQuadtree
from tilequad.ai import flock


def battle(seed: int, n: int = 60) -> tuple[DynamicQuadtree, np.ndarray, np.ndarray, np.ndarray]:
    """Units on whole numbers, some of them on one point, two nearly so, and one far away."""
    rng = np.random.default_rng(seed)
    xy = rng.integers(0, 60, (n, 2)).astype(float)
    xy[1], xy[2], xy[3] = xy[0] + (1e-5, 0), (99, 99), xy[4]
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    slots = units.add_many(range(n), xy, groups=rng.choice((1, 2, 3), n))
    return units, xy, slots, rng.uniform(-1, 1, (n, 2))


WEIGHTS = {
    "linear": lambda far, limit: 1 - far / limit,
    "constant": lambda far, limit: 1.0,
    "inverse": lambda far, limit: 1 / max(far, limit / 1000),
    "inverse_square": lambda far, limit: 1 / max(far, limit / 1000) ** 2,
}


@pytest.mark.parametrize("falloff", WEIGHTS)
@pytest.mark.parametrize("mask", ["groups", "without"])
@pytest.mark.parametrize("seed", range(4))
def test_sums_equal_a_loop_over_all_pairs(seed, mask, falloff):
    units, xy, slots, velocity = battle(seed)
    options = {"max_distance": 15, "separation_distance": 9, "falloff": falloff, mask: 2}
    seen = flock(units, slots, velocity, **options)
    for row in range(60):
        near = [
            other
            for other in range(60)
            if other != row
            and bool(units.groups(other) & 2) == (mask == "groups")
            and math.dist(xy[row], xy[other]) <= 15
        ]
        assert seen.neighbors[row] == len(near)
        middle = xy[near].mean(axis=0) if near else xy[row]
        mean = velocity[near].mean(axis=0) if near else velocity[row]
        assert seen.cohesion[row] == pytest.approx(middle - xy[row], abs=1e-12)
        assert seen.alignment[row] == pytest.approx(mean - velocity[row], abs=1e-12)
        push = np.zeros(2)
        for other in near:
            far = math.dist(xy[row], xy[other])
            if 0 < far < 9:
                push += (xy[row] - xy[other]) / far * WEIGHTS[falloff](far, 9)
        if not any((xy[other] == xy[row]).all() for other in near):
            assert seen.separation[row] == pytest.approx(push, rel=1e-9, abs=1e-9)


def by_cells(xy: np.ndarray, reach: float) -> list[int]:
    """The units in the order in which they are added: by rows and columns of cells, then slots."""
    side = max(reach * (1.0 + 1e-6), np.abs(xy).max() / 2**28)
    cells = np.floor(xy / side)
    return sorted(range(len(xy)), key=lambda slot: (cells[slot, 1], cells[slot, 0], slot))


@pytest.mark.parametrize("side", [40.0, 400.0, 4000.0, 1e12])
def test_a_crowd_is_summed_in_the_order_of_cells_to_the_last_bit(side):
    rng = np.random.default_rng(7)
    xy, velocity = rng.uniform(-side, side, (900, 2)), rng.uniform(-1, 1, (900, 2))
    xy[5] = xy[700]
    units: DynamicQuadtree = DynamicQuadtree((0, 0, side, side))
    slots = units.add_many(range(900), xy)
    seen = flock(units, slots, velocity, max_distance=30, separation_distance=10)
    order = by_cells(xy, 30)
    for row in [*range(0, 900, 9), 5]:
        gap = xy - xy[row]
        near = [other for other in order if other != row and (gap[other] ** 2).sum() <= 900.0]
        total = np.zeros(2), np.zeros(2)
        for other in near:
            total[0][:] += gap[other]
            total[1][:] += velocity[other]
        assert seen.neighbors[row] == len(near)
        assert seen.cohesion[row].tolist() == (total[0] / max(len(near), 1)).tolist()
        mean = total[1] / max(len(near), 1)
        assert seen.alignment[row].tolist() == ((mean - velocity[row]) * bool(near)).tolist()
    alone = flock(units, slots[5:6], velocity, max_distance=30, separation_distance=10)
    assert alone.separation[0].tolist() == seen.separation[5].tolist()


@pytest.mark.parametrize("reach", [0.0, 5e-324, 1e-9, 0.3, 1.0, 1e9, 1e150])
def test_no_neighbor_at_the_edge_of_a_cell_or_of_the_table_is_missed(reach):
    """Positions on multiples of the distance, on both sides of 0, in rows as long as the table."""
    steps = np.concatenate((np.arange(-3, 4), np.arange(30, 34), [-64, 63, 128, 1000]))
    xy = np.array([(x, y) for x in steps for y in steps[::2]]) * min(max(reach, 0.5), 1e9)
    xy = np.concatenate((xy, xy[::5]))
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 1, 1))
    slots = units.add_many(range(len(xy)), xy)
    seen = flock(units, slots, np.zeros((len(xy), 2)), max_distance=reach)
    expected = [len(units.within(*place, reach)) - 1 for place in xy.tolist()]
    assert seen.neighbors.tolist() == expected


@pytest.mark.parametrize("falloff", WEIGHTS)
def test_units_on_one_point_or_nearly_are_pushed_by_finite_vectors(falloff):
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 1, 1))
    slots = units.add_many(range(5), [*[(0.5, 0.5)] * 3, (0, 0), (5e-324, 0)])
    seen = flock(units, slots, np.zeros((5, 2)), max_distance=0.1, falloff=falloff)

    assert np.isfinite(seen.separation).all()
    assert (np.hypot(*seen.separation.T) > 0).all()
    assert len({tuple(way) for way in seen.separation[:3].tolist()}) == 3


def test_a_textbook_flock_is_one_call_and_one_line():
    rng = np.random.default_rng(2)
    xy, velocity = rng.uniform(0, 200, (150, 2)), rng.uniform(-1, 1, (150, 2))
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 200, 200))
    slots = units.add_many(range(150), xy)

    differences = []
    for _ in range(60):
        _, cohesion, alignment, separation = flock(
            units, slots, velocity, max_distance=40, separation_distance=8, falloff="inverse"
        )
        velocity += 0.002 * cohesion + 0.1 * alignment + 0.2 * separation
        xy = (xy + velocity) % 200
        units.move_many(slots, xy)
        differences.append(np.hypot(*alignment.T).mean() / np.hypot(*velocity.T).mean())

    assert differences[-1] < 0.5 < 0.7 < differences[0]


def test_a_part_of_the_flock_may_ask():
    units, _, slots, velocity = battle(1)
    every = flock(units, slots, velocity, max_distance=15)
    some = flock(units, slots[5:9], velocity, max_distance=15)
    assert some.cohesion.tolist() == every.cohesion[5:9].tolist()
    assert flock(units, [], velocity, max_distance=15).neighbors.tolist() == []


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        ({"slots": [60]}, ValueError, "slots must be slots of units, got 60 in row"),
        ({"slots": [2**32]}, ValueError, "slots must be slots of units, got 4294967296 in row 0"),
        ({"slots": [-1]}, ValueError, "slots must be slots of units, got -1 in row"),
        ({"slots": [1.5]}, ValueError, "slots must be integers"),
        ({"velocity": np.zeros((59, 2))}, ValueError, "velocity must have a row"),
        ({"slots": [0], "velocity": np.zeros((1, 2))}, ValueError, "velocity must have a row"),
        ({"velocity": np.zeros(60)}, ValueError, "velocity must have shape"),
        ({"separation_distance": math.nan}, ValueError, "separation_distance must be"),
        ({"falloff": "cubic"}, ValueError, "falloff must be one of linear, constant"),
        ({"without": 1.5}, TypeError, "without must be a whole number"),
    ],
)
def test_wrong_arguments_are_refused(wrong, error, said):
    units, _, slots, velocity = battle(1)
    given = {"slots": slots, "velocity": velocity, "max_distance": 150, **wrong}
    with pytest.raises(error, match=said):
        flock(units, **given)

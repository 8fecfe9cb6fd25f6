"""Blasts: the best place for a shell, against all places that can be the best."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from tilequad import DynamicQuadtree
from tilequad.ai import best_blast


def brute(places, values, mortar, reach, radius, min_distance) -> float:
    """The highest value of a disc: it has two units, or a unit and the ring, on its edge.

    With values below 0, places just beside an edge count as well.
    """
    spots = [mortar, *places]
    for a, b in itertools.combinations(places, 2):
        spots += crossings(a, b, radius, radius)
    for place in places:
        spots += crossings(place, mortar, radius, reach)
        if min_distance:
            spots += crossings(place, mortar, radius, min_distance)
    best = 0.0
    nudges = [(0.0, 0.0)] + [(math.cos(k), math.sin(k)) for k in range(7)]
    for (x, y), (nx, ny) in itertools.product(spots, nudges):
        x, y = x + 1e-9 * nx, y + 1e-9 * ny
        if min_distance - 1e-8 <= math.dist((x, y), mortar) <= reach + 1e-8:
            near = [math.dist((x, y), place) <= radius for place in places]
            best = max(best, sum(itertools.compress(values, near)))
    return best


def crossings(a, b, radius, other) -> list[tuple[float, float]]:
    """Where a circle round a crosses another round b."""
    far = math.dist(a, b)
    if not 0 < far <= radius + other:
        return []
    along = (far * far + radius * radius - other * other) / (2 * far)
    if abs(along) > radius:
        return []
    across = math.sqrt(radius * radius - along * along)
    ux, uy = (b[0] - a[0]) / far, (b[1] - a[1]) / far
    return [
        (a[0] + ux * along - uy * side, a[1] + uy * along + ux * side) for side in (across, -across)
    ]


def battle(seed: int, n: int = 14) -> tuple[DynamicQuadtree, list[tuple[float, float]]]:
    chance = random.Random(seed)
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    places = [(chance.uniform(0, 60), chance.uniform(0, 60)) for _ in range(n)]
    units.add_many(range(n), places)
    return units, places


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_the_best_place_is_as_good_as_any(seed, signed):
    units, places = battle(seed)
    chance = random.Random(seed)
    values = [chance.choice((1.0, 2.0, -3.0) if signed else (1.0, 2.0)) for _ in places]
    reach, min_distance = 30.0, chance.choice((0.0, 20.0))
    best = brute(places, values, (30.0, 30.0), reach, 12.0, min_distance)
    for accuracy in (0.5, 0.9, 1.0):
        blast = best_blast(
            units, 30, 30, reach, 12, min_distance=min_distance, value=values, accuracy=accuracy
        )
        found = 0.0 if blast is None else blast.value
        assert accuracy * best <= found <= best
        if blast is not None:
            assert min_distance <= math.dist(blast[:2], (30, 30)) <= reach
            assert sum(values[unit] for unit in blast.units) == found
            assert sorted(blast.units) == sorted(units.within(blast.x, blast.y, 12))


def test_without_values_units_are_counted_and_a_function_may_weigh_them():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    for name, x in (("a", 10), ("b", 15), ("boss", 60)):
        units.add(name, x, 50)
    assert sorted(best_blast(units, 40, 50, 50, 5).units) == ["a", "b"]
    worth = {"a": 1, "b": 1, "boss": 5}
    assert best_blast(units, 40, 50, 50, 5, value=worth.get).units == ["boss"]


def test_groups_and_an_empty_reach():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    units.add("friend", 50, 50)
    assert best_blast(units, 50, 50, 10, 5, groups=2) is None
    assert best_blast(units, 90, 90, 10, 5) is None
    assert best_blast(units, 90, 90, 10, 5, value=[1.0] * 9) is None
    assert best_blast(units, 50, 50, 10, 5, value=lambda unit: -1) is None
    assert best_blast(units, 50, 50, 0, 0).units == ["friend"]


def test_groups_and_units_may_be_left_out():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    for name, x, groups in (("mortar", 10, 1), ("orc", 11, 1), ("ghost", 60, 3), ("elf", 90, 1)):
        units.add(name, x, 50, groups=groups)
    found = best_blast(units, 10, 50, 90, 5, exclude="mortar", without=2)
    assert (found.value, sorted(found.units)) in ((1.0, ["orc"]), (1.0, ["elf"]))
    assert best_blast(units, 10, 50, 90, 5).value == 2
    assert best_blast(units, 60, 50, 9, 5, without=2) is None
    assert best_blast(units, 60, 50, 9, 5).units == ["ghost"]
    with pytest.raises(KeyError, match="nobody"):
        best_blast(units, 10, 50, 90, 5, exclude="nobody")
    with pytest.raises(TypeError, match="without must be a whole number"):
        best_blast(units, 10, 50, 90, 5, without=0.5)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_left_out_might_as_well_not_be_there(seed):
    rng = np.random.default_rng(seed)
    xy, groups = rng.uniform(0, 100, (60, 2)), rng.choice((1, 2), 60)
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    units.add_many(range(60), xy, groups=groups)
    out = int(np.flatnonzero(groups == 1)[0])
    found = best_blast(units, 50, 50, 40, 12, without=2, exclude=out, accuracy=1.0)
    for i in np.flatnonzero(groups == 2).tolist():
        units.remove(i)
    units.remove(out)
    alone = best_blast(units, 50, 50, 40, 12, accuracy=1.0)
    assert found.value == alone.value
    assert sorted(found.units) == sorted(units.within(found.x, found.y, 12))


def test_many_units_on_one_point():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    units.add_many(range(500), np.full((500, 2), 50.0))
    assert best_blast(units, 40, 40, 50, 5, accuracy=1.0).value == 500
    assert best_blast(units, 50, 50, 50, 0).value == 500


@pytest.mark.parametrize("noise", [1e-13, 1e-9])
@pytest.mark.parametrize("seed", range(3))
def test_friends_and_foes_on_one_spot_are_hit_together(noise, seed):
    rng = np.random.default_rng(seed)
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 1000, 1000))
    spots = np.repeat([(500.0, 500.0), (333.3, 500.0), (500.0, 333.3), (333.3, 333.3)], 10, axis=0)
    units.add_many(range(40), spots + rng.uniform(-noise, noise, spots.shape))
    values = np.repeat([1.0, -1.0] * 4, 5)
    values[[0, 10, 15, 16]] = 4.0, 2.0, 1.0, 2.0
    for accuracy in (0.9, 1.0):
        blast = best_blast(units, 400, 400, 300, 20, value=values, accuracy=accuracy)
        assert blast.value == 6.0
        assert sorted(blast.units) == list(range(10, 20))


def best_cut(offsets, values) -> float:
    """The highest value on one side of a line, through units that stand together."""
    a, b = np.triu_indices(len(values), 1)
    dx, dy = (offsets[a] - offsets[b]).T
    turns = np.arctan2(dx, -dy)
    turns = np.sort(np.concatenate((turns, turns + np.pi, turns + 2 * np.pi)))
    between = 0.5 * (turns[1:] + turns[:-1])
    along = offsets @ np.array([np.cos(between), np.sin(between)])
    return np.cumsum(values[np.argsort(along, axis=0)], axis=0).max()


@pytest.mark.parametrize("accuracy", [0.9, 1.0])
@pytest.mark.parametrize("spread", [2e-4, 1e-3, 1e-1])
@pytest.mark.parametrize("seed", range(3))
def test_friends_are_spared_among_foes_that_stand_together(seed, spread, accuracy):
    rng = np.random.default_rng(seed)
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 1000, 1000))
    units.add_many(range(80), 500 + rng.uniform(-spread, spread, (80, 2)))
    offsets = units.position_many(units.slots(range(80))) - 500
    values = rng.choice((1.0, 2.0, -1.0, -3.0), 80)
    best = best_cut(offsets, values)
    blast = best_blast(units, 400, 500, 300, 20, value=values, accuracy=accuracy)
    assert accuracy * best <= blast.value <= best


def test_a_shell_without_a_radius_hits_who_stands_on_one_point():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    for name, place in {
        "a": (10.3, 10),
        "b": (30.1, 70.7),
        "c": (30.1, 70.7),
        "d": (55, 20),
    }.items():
        units.add(name, *place)
    blast = best_blast(units, 50, 50, 80, 0)
    assert (blast.x, blast.y, sorted(blast.units)) == (30.1, 70.7, ["b", "c"])
    assert best_blast(units, 50, 50, 80, 0, min_distance=40, accuracy=1.0).units == ["a"]


@pytest.mark.parametrize("accuracy", [0.9, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_in_a_crowd_no_place_of_a_unit_is_better(seed, accuracy):
    rng = np.random.default_rng(seed)
    xy = np.concatenate((rng.uniform(0, 1000, (200, 2)), rng.normal(600, 30, (400, 2))))
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 1000, 1000))
    units.add_many(range(600), xy)
    worth = rng.uniform(-0.2, 1.0, 600)
    blast = best_blast(units, 400, 400, 350, 25, min_distance=60, value=worth, accuracy=accuracy)
    assert blast.value == pytest.approx(worth[blast.units].sum())
    assert 60 <= math.dist(blast[:2], (400, 400)) <= 350
    for x, y in xy.tolist():
        if 60 <= math.dist((x, y), (400, 400)) <= 350:
            here = worth[units.within(x, y, 25)].sum()
            assert here * accuracy <= blast.value + 1e-9


def test_values_cannot_change_who_is_there():
    units, places = battle(1)

    def shrink(unit):
        units.remove(unit)
        return 1.0

    with pytest.raises(RuntimeError, match="modify the tree"):
        best_blast(units, 30, 30, 30, 12, value=shrink)
    assert len(units) == len(places)
    assert best_blast(units, 30, 30, 30, 12, value=lambda unit: 1.0) is not None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_distance": math.nan}, "max_distance must be"),
        ({"radius": -1}, "radius must be"),
        ({"min_distance": 60}, "min_distance must be at most max_distance"),
        ({"accuracy": 0}, "accuracy must be above 0"),
        ({"accuracy": math.nan}, "accuracy must be above 0"),
        ({"value": lambda unit: math.nan}, "value of .* must be finite"),
        ({"value": [1.0]}, "value must have a row for slot"),
        ({"x": math.inf}, "must be finite"),
    ],
)
def test_wrong_arguments_are_refused(options, said):
    units, _ = battle(1)
    with pytest.raises(ValueError, match=said):
        best_blast(units, **{"x": 30, "y": 30, "max_distance": 50, "radius": 10, **options})

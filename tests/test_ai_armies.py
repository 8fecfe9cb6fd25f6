"""separate_many: the same pushes as separate, on arrays by slot."""

from __future__ import annotations

from math import inf, nan
from random import Random

import numpy as np
import pytest

from tilequad import DynamicQuadtree
from tilequad.ai import separate, separate_many

SQUARE = (0, 0, 1000, 1000)
WALKER, BUILDING = 1, 2


def army(count, spread, radius=6.0, seed=1):
    """A tree with units 0, 1, 2 ... in slots 0, 1, 2 ..., and their positions."""
    rng = Random(seed)
    xy = np.array([(rng.gauss(500, spread), rng.gauss(500, spread)) for _ in range(count)])
    units = DynamicQuadtree(SQUARE)
    assert units.add_many(range(count), xy, radius=radius).tolist() == list(range(count))
    return units, xy


def positions(units):
    return np.array([units.position(unit) for unit in units])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("limits", [None, (450, 450, 550, 550)])
def test_separate_many_pushes_as_separate_does(seed, limits):
    units, xy = army(300, 60, seed=seed)
    twins, _ = army(300, 60, seed=seed)

    moved = separate_many(units, xy, 6, mass=np.arange(1, 301), bounds=limits)
    expected = separate(twins, 6, mass=lambda unit: unit + 1, bounds=limits)

    assert moved.dtype == np.int32
    assert moved.tolist() == sorted(expected)
    np.testing.assert_allclose(xy, positions(twins), atol=1e-9)
    assert (xy == positions(units)).all()


def test_boxes_and_circles_push_each_other():
    units = DynamicQuadtree(SQUARE)
    xy = np.array([(500.0, 500.0), (521.0, 500.0), (700.0, 700.0)])
    units.add("house", *xy[0], size=(40, 40))
    units.add("man", *xy[1], radius=5)
    units.add("far", *xy[2], radius=5)

    moved = separate_many(units, xy, [0, 5, 5], size=[(40, 40), (0, 0), (0, 0)], mass=[inf, 1, 1])

    assert moved.tolist() == [1]
    assert xy.tolist() == [[500, 500], [525, 500], [700, 700]]
    assert units.position("man") == (525, 500)


def test_groups_and_against_select_the_pairs():
    units = DynamicQuadtree(SQUARE)
    start = [(500.0, 500.0), (504.0, 500.0), (500.0, 508.0), (700.0, 700.0), (704.0, 700.0)]
    masks = [BUILDING, BUILDING, WALKER, WALKER, WALKER]
    mass = [inf, inf, 1, 1, 1]
    units.add_many("abcde", start, radius=6, groups=masks)

    assert separate_many(units, np.array(start), 6, mass=mass, groups=4).tolist() == []
    assert separate_many(units, np.array(start), 6, mass=mass, groups=BUILDING).tolist() == []
    xy = np.array(start)
    assert separate_many(units, xy, 6, mass=mass, groups=WALKER, against=BUILDING).tolist() == [2]
    assert separate_many(units, xy, 6, mass=mass, groups=WALKER).tolist() == [3, 4]


def test_a_crowd_spreads_until_few_pairs_overlap():
    units, xy = army(300, 80)

    def count_deep_overlaps():
        first, second = units.pairs_many().T
        return (np.hypot(*(xy[first] - xy[second]).T) < 11).sum()

    before = count_deep_overlaps()
    separate_many(units, xy, 6, iterations=100)

    assert before > 200
    assert count_deep_overlaps() < before / 10
    units.check()


def test_slots_may_be_in_any_order():
    units, xy = army(50, 15)
    for gone in range(0, 50, 2):
        units.remove(gone)
    newcomers = units.add_many([f"new {number}" for number in range(10)], xy[:10] + 1, radius=6)
    xy[newcomers] = xy[:10] + 1

    moved = separate_many(units, xy, 6)

    assert len(moved) > 10
    for unit in units:
        assert units.position(unit) == tuple(xy[units.slot(unit)])


def test_any_object_with_two_methods_may_stand_in_for_the_tree():
    class Recorder:
        """A BatchIndex that counts its calls."""

        def __init__(self, units):
            self.units, self.calls = units, []

        def pairs_many(self, *, groups, against):
            self.calls.append("pairs_many")
            return self.units.pairs_many(groups, against)

        def move_many(self, slots, xy):
            self.calls.append("move_many")
            self.units.move_many(slots, xy)

    (units, xy), (twins, twin_xy) = army(100, 20), army(100, 20)
    recorder = Recorder(units)

    separate_many(recorder, xy, 6)
    separate_many(twins, twin_xy, 6)

    assert recorder.calls == ["pairs_many", "move_many"]
    assert (xy == twin_xy).all()


def test_an_empty_tree_moves_nothing():
    assert separate_many(DynamicQuadtree(SQUARE), np.empty((0, 2)), 6).tolist() == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"xy": [(1, 2), (3, 4)]}, "xy must be a float64 array"),
        ({"xy": np.zeros((2, 2), np.float32)}, "xy must be a float64 array"),
        ({"xy": np.zeros((2, 3))}, "xy must be a float64 array"),
        ({"xy": np.zeros((1, 2))}, "slot 1"),
        ({"radius": -1}, "radius and size"),
        ({"radius": nan}, "radius and size"),
        ({"radius": [1, 2, 3]}, "radius must have shape"),
        ({"size": [(1, -1), (1, 1)]}, "radius and size"),
        ({"size": [(1, 1)]}, "size must have shape"),
        ({"mass": 0}, "mass"),
        ({"mass": nan}, "mass"),
        ({"iterations": 0}, "iterations.*0"),
        ({"bounds": (0, 0, -1, 1)}, "bounds"),
        ({"groups": 0}, "groups"),
    ],
)
def test_invalid_arguments_are_rejected_by_name_and_move_nothing(wrong, message):
    units = DynamicQuadtree(SQUARE)
    xy = np.array([(500.0, 500.0), (503.0, 500.0)])
    units.add_many("ab", xy, radius=6)
    with pytest.raises(ValueError, match=message):
        separate_many(units, **{"xy": xy, "radius": 6, **wrong})

    assert xy.tolist() == [[500, 500], [503, 500]]
    assert units.position("a") == (500, 500)

"""separate: overlapping units are pushed apart, the same way every time."""

from __future__ import annotations

from math import dist, inf, nan, sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import BruteDynamic
from tests.trees import DynamicQuadtree
from tilequad.ai import separate

SQUARE = (0, 0, 1000, 1000)
WALKER, BUILDING = 1, 2
coordinates = st.floats(400, 600, width=32)
sizes = st.one_of(st.floats(0, 30, width=32), st.tuples(st.floats(0, 60), st.floats(0, 60)))


def place(units, footprints, positions, groups=WALKER):
    for name, (x, y) in positions.items():
        size = footprints[name]
        shape = {"size": size} if isinstance(size, tuple) else {"radius": size}
        units.add(name, x, y, groups=groups, **shape)
    return units


def field(footprints, positions):
    return place(DynamicQuadtree(SQUARE), footprints, positions)


def crowd(units, count, spread, radius, seed=1):
    rng = Random(seed)
    for number in range(count):
        x, y = 500 + rng.uniform(-spread, spread), 500 + rng.uniform(-spread, spread)
        units.add(number, x, y, radius=radius)
    return units


def positions(units):
    return {unit: units.position(unit) for unit in units}


def deepest(units, radius):
    """Depth of the deepest overlap of two circles; 0 if none overlap."""
    gaps = [dist(units.position(a), units.position(b)) for a, b in units.pairs()]
    return max([2 * radius - gap for gap in gaps], default=0.0)


def overlap(a, b):
    """Penetration depth of two footprints, each (x, y, radius or size)."""
    (ax, ay, a_size), (bx, by, b_size) = a, b
    a_half = (a_size[0] / 2, a_size[1] / 2) if isinstance(a_size, tuple) else (0, 0)
    b_half = (b_size[0] / 2, b_size[1] / 2) if isinstance(b_size, tuple) else (0, 0)
    rounding = sum(size for size in (a_size, b_size) if not isinstance(size, tuple))
    gap_x = abs(ax - bx) - a_half[0] - b_half[0]
    gap_y = abs(ay - by) - a_half[1] - b_half[1]
    if gap_x > 0 or gap_y > 0:
        return rounding - sqrt(max(gap_x, 0) ** 2 + max(gap_y, 0) ** 2)
    return rounding - max(gap_x, gap_y)


# -- one pair --


def test_two_equal_circles_share_the_push_and_then_touch():
    units = field({"a": 6, "b": 6}, {"a": (44, 50), "b": (48, 50)})

    assert separate(units, 6) == {"a": (40, 50), "b": (52, 50)}
    assert positions(units) == {"a": (40, 50), "b": (52, 50)}
    assert separate(units, 6) == {}


def test_the_heavier_unit_moves_less():
    units = field({"tank": 10, "man": 10}, {"tank": (50, 50), "man": (50, 58)})

    moved = separate(units, 10, mass={"tank": 3, "man": 1}.get)

    assert moved == {"tank": (50, 47), "man": (50, 67)}


def test_an_immovable_unit_stays_and_the_other_moves_all_the_way():
    units = field({"rock": 10, "man": 5}, {"rock": (50, 50), "man": (59, 50)})

    assert separate(units, {"rock": 10, "man": 5}.get, mass={"rock": inf, "man": 1}.get) == {
        "man": (65, 50)
    }


def test_two_immovable_units_stay():
    units = field({"a": 10, "b": 10}, {"a": (50, 50), "b": (55, 50)})

    assert separate(units, 10, mass=inf) == {}
    assert units.position("a") == (50, 50)


@pytest.mark.parametrize(
    ("man", "expected"),
    [
        ((68, 50), (75, 50)),  # centre outside, next to an edge
        ((55, 50), (75, 50)),  # centre inside: through the nearest edge
        ((50, 57), (50, 75)),
        ((73, 74), (73, 75)),  # the nearest point is on the edge, not at the corner
    ],
)
def test_a_circle_leaves_a_box_by_the_shortest_way(man, expected):
    footprints = {"house": (40.0, 40.0), "man": 5}
    if man == (73, 74):
        footprints["house"] = (46.0, 40.0)
    units = field(footprints, {"house": (50, 50), "man": man})

    separate(units, footprints.get, mass={"house": inf, "man": 1}.get)

    assert units.position("man") == pytest.approx(expected)


def test_a_circle_at_a_corner_leaves_along_the_diagonal():
    footprints = {"house": (40.0, 40.0), "man": 5}
    units = field(footprints, {"house": (50, 50), "man": (73, 73)})

    separate(units, footprints.get, mass={"house": inf, "man": 1}.get)

    step = 5 / sqrt(2)
    assert units.position("man") == pytest.approx((70 + step, 70 + step))


def test_two_boxes_separate_along_the_axis_of_least_overlap():
    footprints = {"a": (20.0, 20.0), "b": (20.0, 20.0)}
    units = field(footprints, {"a": (50, 50), "b": (66, 54)})

    assert separate(units, footprints.get) == {"a": (48, 50), "b": (68, 54)}


@given(
    first=st.tuples(coordinates, coordinates, sizes),
    second=st.tuples(coordinates, coordinates, sizes),
    masses=st.tuples(st.sampled_from([1, 2, 5, inf]), st.sampled_from([0.5, 1, 7])),
)
def test_one_call_separates_any_pair_and_moves_it_no_further_than_needed(first, second, masses):
    footprints = {"a": first[2], "b": second[2]}
    units = field(footprints, {"a": first[:2], "b": second[:2]})
    depth = overlap(first, second)

    moved = separate(units, footprints.get, mass=dict(zip("ab", masses, strict=True)).get)

    after = [(*units.position(name), footprints[name]) for name in "ab"]
    assert overlap(*after) <= 1e-4
    moved_by = sum(
        dist(units.position(n), old[:2]) for n, old in zip("ab", (first, second), strict=True)
    )
    assert moved_by == pytest.approx(max(depth, 0), abs=1e-4)
    if depth < 0:
        assert moved == {}
    assert separate(units, footprints.get, mass=dict(zip("ab", masses, strict=True)).get) == {}
    if masses[0] == inf:
        assert "a" not in moved


# -- many units --


@pytest.mark.parametrize("count", [2, 3, 10, 100])
def test_units_on_one_point_spread_to_different_positions(count):
    units = DynamicQuadtree(SQUARE)
    for number in range(count):
        units.add(number, 500, 500, radius=6)

    separate(units, 6)
    assert len(set(positions(units).values())) == count
    separate(units, 6, iterations=100)

    assert deepest(units, 6) < 0.7
    radius = 6 * 3 * sqrt(count)  # the crowd spreads but does not burst
    assert all(dist(position, (500, 500)) < radius for position in positions(units).values())


def test_boxes_on_one_point_separate():
    footprints = dict.fromkeys("abc", (20.0, 10.0))
    units = field(footprints, dict.fromkeys("abc", (500, 500)))

    separate(units, (20.0, 10.0), iterations=50)

    assert len(set(positions(units).values())) == 3
    ends = [(*position, (20.0, 10.0)) for position in positions(units).values()]
    assert max(overlap(a, b) for a, b in [ends[:2], ends[1:], ends[::2]]) < 0.01


@pytest.mark.parametrize("seed", range(5))
def test_a_crowd_spreads(seed):
    units = crowd(DynamicQuadtree(SQUARE), 200, 120, 6, seed)
    before = deepest(units, 6)
    assert before > 6

    separate(units, 6, iterations=60)

    assert deepest(units, 6) < before / 10


def test_units_that_only_touch_stay():
    units = DynamicQuadtree(SQUARE)
    for number in range(20):
        units.add(number, 100 + 12 * number, 100, radius=6)
    assert len(units.pairs()) == 19

    assert separate(units, 6, iterations=5) == {}


def test_a_crowd_does_not_push_units_into_a_wall():
    units = DynamicQuadtree(SQUARE)
    units.add("wall", 500, 500, size=(40, 400), groups=BUILDING)
    for number in range(30):
        units.add(number, 525 + number % 3, 400 + 5 * number, radius=6)
    sizes = {"wall": (40, 400)}

    separate(
        units,
        lambda unit: sizes.get(unit, 6),
        mass=lambda unit: inf if unit == "wall" else 1,
        iterations=60,
    )

    assert units.position("wall") == (500, 500)
    assert all(units.position(number)[0] > 525.5 for number in range(30))


def test_the_push_of_a_wall_is_not_averaged_with_that_of_a_neighbour():
    units = field(
        {"wall": (40.0, 40.0), "man": 5, "neighbour": 5},
        {"wall": (500, 500), "man": (521, 500), "neighbour": (529, 500)},
    )
    sizes = {"wall": (40.0, 40.0)}

    moved = separate(
        units, lambda unit: sizes.get(unit, 5), mass=lambda unit: inf if unit == "wall" else 1
    )

    assert moved == {"man": (521 + 4 - 1, 500), "neighbour": (530, 500)}


def test_only_units_in_the_groups_are_pushed():
    units = DynamicQuadtree(SQUARE)
    units.add("man", 500, 500, radius=6, groups=WALKER)
    units.add("bird", 503, 500, radius=6, groups=4)

    assert separate(units, 6, groups=WALKER) == {}
    assert set(separate(units, 6)) == {"man", "bird"}


def test_bounds_keep_pushed_units_inside_and_leave_others_alone():
    units = DynamicQuadtree(SQUARE)
    for name, x, y in (("a", 2, 500), ("b", 4, 500), ("rock", -3, 500), ("far", -50, -50)):
        units.add(name, x, y, radius=6)

    moved = separate(
        units, 6, mass=lambda unit: inf if unit == "rock" else 1, bounds=SQUARE, iterations=20
    )

    assert all(0 <= x <= 1000 and 0 <= y <= 1000 for x, y in moved.values())
    assert units.position("rock") == (-3, 500)
    assert units.position("far") == (-50, -50)


def test_the_result_has_exactly_the_units_that_moved():
    units = crowd(DynamicQuadtree(SQUARE), 150, 150, 6)
    before = positions(units)

    moved = separate(units, 6, iterations=3)

    after = positions(units)
    assert {unit: after[unit] for unit in after if after[unit] != before[unit]} == moved


def test_a_footprint_smaller_than_in_the_tree_allows_a_little_overlap():
    units = field({"a": 6, "b": 6}, {"a": (500, 500), "b": (509, 500)})

    assert separate(units, 4) == {}
    assert separate(units, 5) == {"a": (499.5, 500), "b": (509.5, 500)}


@pytest.mark.parametrize("spread", [0, 60])
def test_the_tree_and_brute_force_push_units_to_the_same_positions(spread):
    trees = DynamicQuadtree(SQUARE), BruteDynamic(SQUARE)
    for units in trees:
        crowd(units, 120, spread, 6)

    moved = [separate(units, 6, iterations=8, bounds=SQUARE) for units in trees]

    assert moved[0] == moved[1]
    assert list(moved[0]) == list(moved[1])
    assert positions(trees[0]) == positions(trees[1])


def test_footprint_is_called_once_per_unit():
    units = crowd(DynamicQuadtree(SQUARE), 50, 20, 6)
    asked = []

    separate(units, lambda unit: asked.append(unit) or 6, iterations=5)

    assert len(asked) == len(set(asked))


def test_an_empty_tree_moves_nothing():
    assert separate(DynamicQuadtree(SQUARE), 6) == {}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"footprint": -1}, "footprint of 'a'.*-1"),
        ({"footprint": nan}, "footprint of 'a'.*nan"),
        ({"footprint": (1, inf)}, "footprint of 'a'.*inf"),
        ({"footprint": (1, 2, 3)}, "footprint of 'a'.*width, height"),
        ({"footprint": lambda unit: None}, "footprint of 'a'.*None"),
        ({"mass": 0}, "mass of 'a'.*0"),
        ({"mass": nan}, "mass of 'a'.*nan"),
        ({"iterations": 0}, "iterations.*0"),
        ({"bounds": (0, 0, -1, 1)}, "bounds"),
    ],
)
def test_invalid_arguments_are_rejected_by_name_and_move_nothing(wrong, message):
    units = field({"a": 6, "b": 6}, {"a": (500, 500), "b": (503, 500)})
    with pytest.raises(ValueError, match=message):
        separate(units, **{"footprint": 6, **wrong})

    assert units.position("a") == (500, 500)

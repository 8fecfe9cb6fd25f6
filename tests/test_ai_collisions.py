"""Separation: overlapping units are pushed apart, the same way every time."""

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


def place(units, footprints, places, groups=WALKER):
    for name, (x, y) in places.items():
        size = footprints[name]
        shape = {"size": size} if isinstance(size, tuple) else {"radius": size}
        units.add(name, x, y, groups=groups, **shape)
    return units


def field(footprints, places):
    return place(DynamicQuadtree(SQUARE), footprints, places)


def crowd(units, count, spread, radius, seed=1):
    rng = Random(seed)
    for number in range(count):
        x, y = 500 + rng.uniform(-spread, spread), 500 + rng.uniform(-spread, spread)
        units.add(number, x, y, radius=radius)
    return units


def positions(units):
    return {unit: units.position(unit) for unit in units}


def deepest(units, radius):
    """How deep the worst pair of circles overlaps; 0 without overlap."""
    gaps = [dist(units.position(a), units.position(b)) for a, b in units.pairs()]
    return max([2 * radius - gap for gap in gaps], default=0.0)


def overlap(a, b):
    """How far two footprints, (x, y, radius or size), overlap: along the shortest way out."""
    (ax, ay, a_size), (bx, by, b_size) = a, b
    a_half = (a_size[0] / 2, a_size[1] / 2) if isinstance(a_size, tuple) else (0, 0)
    b_half = (b_size[0] / 2, b_size[1] / 2) if isinstance(b_size, tuple) else (0, 0)
    rounding = sum(size for size in (a_size, b_size) if not isinstance(size, tuple))
    gap_x = abs(ax - bx) - a_half[0] - b_half[0]
    gap_y = abs(ay - by) - a_half[1] - b_half[1]
    if gap_x > 0 or gap_y > 0:
        return rounding - sqrt(max(gap_x, 0) ** 2 + max(gap_y, 0) ** 2)
    return rounding - max(gap_x, gap_y)


# One pair.


def test_two_circles_share_the_way_and_then_touch():
    units = field({"a": 6, "b": 6}, {"a": (44, 50), "b": (48, 50)})

    assert separate(units, 6) == {"a": (40, 50), "b": (52, 50)}
    assert positions(units) == {"a": (40, 50), "b": (52, 50)}
    assert separate(units, 6) == {}


def test_the_heavier_goes_less_far():
    units = field({"tank": 10, "man": 10}, {"tank": (50, 50), "man": (50, 58)})

    moved = separate(units, 10, mass={"tank": 3, "man": 1}.get)

    assert moved == {"tank": (50, 47), "man": (50, 67)}


def test_what_is_immovable_stays_and_the_other_goes_all_the_way():
    units = field({"rock": 10, "man": 5}, {"rock": (50, 50), "man": (59, 50)})

    assert separate(units, {"rock": 10, "man": 5}.get, mass={"rock": inf, "man": 1}.get) == {
        "man": (65, 50)
    }


def test_two_immovable_units_stay_as_they_are():
    units = field({"a": 10, "b": 10}, {"a": (50, 50), "b": (55, 50)})

    assert separate(units, 10, mass=inf) == {}
    assert units.position("a") == (50, 50)


@pytest.mark.parametrize(
    ("man", "expected"),
    [
        ((68, 50), (75, 50)),  # centre outside, beside an edge
        ((55, 50), (75, 50)),  # centre inside: through the nearest edge
        ((50, 57), (50, 75)),
        ((73, 74), (73, 75)),  # the edge of the box is met before its corner
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

    way = 5 / sqrt(2)
    assert units.position("man") == pytest.approx((70 + way, 70 + way))


def test_two_boxes_part_along_the_axis_of_the_smaller_overlap():
    footprints = {"a": (20.0, 20.0), "b": (20.0, 20.0)}
    units = field(footprints, {"a": (50, 50), "b": (66, 54)})

    assert separate(units, footprints.get) == {"a": (48, 50), "b": (68, 54)}


@given(
    first=st.tuples(coordinates, coordinates, sizes),
    second=st.tuples(coordinates, coordinates, sizes),
    masses=st.tuples(st.sampled_from([1, 2, 5, inf]), st.sampled_from([0.5, 1, 7])),
)
def test_any_single_pair_is_apart_after_one_call_and_nobody_moved_further_than_needed(
    first, second, masses
):
    footprints = {"a": first[2], "b": second[2]}
    units = field(footprints, {"a": first[:2], "b": second[:2]})
    depth = overlap(first, second)

    moved = separate(units, footprints.get, mass=dict(zip("ab", masses, strict=True)).get)

    after = [(*units.position(name), footprints[name]) for name in "ab"]
    assert overlap(*after) <= 1e-4
    way = sum(
        dist(units.position(n), old[:2]) for n, old in zip("ab", (first, second), strict=True)
    )
    assert way == pytest.approx(max(depth, 0), abs=1e-4)
    if depth < 0:
        assert moved == {}
    assert separate(units, footprints.get, mass=dict(zip("ab", masses, strict=True)).get) == {}
    if masses[0] == inf:
        assert "a" not in moved


# Many.


@pytest.mark.parametrize("count", [2, 3, 10, 100])
def test_units_on_one_spot_leave_it_to_places_of_their_own(count):
    units = DynamicQuadtree(SQUARE)
    for number in range(count):
        units.add(number, 500, 500, radius=6)

    separate(units, 6)
    assert len(set(positions(units).values())) == count
    separate(units, 6, iterations=100)

    assert deepest(units, 6) < 0.7
    room = 6 * 3 * sqrt(count)  # it loosens, it does not burst
    assert all(dist(place, (500, 500)) < room for place in positions(units).values())


def test_boxes_on_one_spot_part_too():
    footprints = dict.fromkeys("abc", (20.0, 10.0))
    units = field(footprints, dict.fromkeys("abc", (500, 500)))

    separate(units, (20.0, 10.0), iterations=50)

    assert len(set(positions(units).values())) == 3
    ends = [(*place, (20.0, 10.0)) for place in positions(units).values()]
    assert max(overlap(a, b) for a, b in [ends[:2], ends[1:], ends[::2]]) < 0.01


@pytest.mark.parametrize("seed", range(5))
def test_a_crowd_loosens(seed):
    units = crowd(DynamicQuadtree(SQUARE), 200, 120, 6, seed)
    before = deepest(units, 6)
    assert before > 6

    separate(units, 6, iterations=60)

    assert deepest(units, 6) < before / 10


def test_units_that_only_touch_are_left_in_peace():
    units = DynamicQuadtree(SQUARE)
    for number in range(20):
        units.add(number, 100 + 12 * number, 100, radius=6)
    assert len(units.pairs()) == 19

    assert separate(units, 6, iterations=5) == {}


def test_a_crowd_does_not_push_anybody_into_the_wall():
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


def test_the_push_of_a_wall_is_not_shared_with_that_of_a_neighbour():
    units = field(
        {"wall": (40.0, 40.0), "man": 5, "neighbour": 5},
        {"wall": (500, 500), "man": (521, 500), "neighbour": (529, 500)},
    )
    sizes = {"wall": (40.0, 40.0)}

    moved = separate(
        units, lambda unit: sizes.get(unit, 5), mass=lambda unit: inf if unit == "wall" else 1
    )

    assert moved == {"man": (521 + 4 - 1, 500), "neighbour": (530, 500)}


def test_only_units_of_the_groups_push_each_other():
    units = DynamicQuadtree(SQUARE)
    units.add("man", 500, 500, radius=6, groups=WALKER)
    units.add("bird", 503, 500, radius=6, groups=4)

    assert separate(units, 6, groups=WALKER) == {}
    assert set(separate(units, 6)) == {"man", "bird"}


def test_pushed_units_stay_inside_the_bounds_and_others_where_they_are():
    units = DynamicQuadtree(SQUARE)
    for name, x, y in (("a", 2, 500), ("b", 4, 500), ("rock", -3, 500), ("far", -50, -50)):
        units.add(name, x, y, radius=6)

    moved = separate(
        units, 6, mass=lambda unit: inf if unit == "rock" else 1, bounds=SQUARE, iterations=20
    )

    assert all(0 <= x <= 1000 and 0 <= y <= 1000 for x, y in moved.values())
    assert units.position("rock") == (-3, 500)
    assert units.position("far") == (-50, -50)


def test_the_answer_names_whoever_stands_elsewhere_and_nobody_else():
    units = crowd(DynamicQuadtree(SQUARE), 150, 150, 6)
    before = positions(units)

    moved = separate(units, 6, iterations=3)

    after = positions(units)
    assert {unit: after[unit] for unit in after if after[unit] != before[unit]} == moved


def test_a_smaller_footprint_than_the_tree_knows_lets_units_overlap_a_little():
    units = field({"a": 6, "b": 6}, {"a": (500, 500), "b": (509, 500)})

    assert separate(units, 4) == {}
    assert separate(units, 5) == {"a": (499.5, 500), "b": (509.5, 500)}


@pytest.mark.parametrize("spread", [0, 60])
def test_the_same_units_go_to_the_same_places_over_the_tree_and_over_brute_force(spread):
    worlds = DynamicQuadtree(SQUARE), BruteDynamic(SQUARE)
    for units in worlds:
        crowd(units, 120, spread, 6)

    moved = [separate(units, 6, iterations=8, bounds=SQUARE) for units in worlds]

    assert moved[0] == moved[1]
    assert list(moved[0]) == list(moved[1])
    assert positions(worlds[0]) == positions(worlds[1])


def test_each_unit_is_asked_once_for_what_it_is():
    units = crowd(DynamicQuadtree(SQUARE), 50, 20, 6)
    asked = []

    separate(units, lambda unit: asked.append(unit) or 6, iterations=5)

    assert len(asked) == len(set(asked))


def test_an_empty_tree_has_nothing_to_do():
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
def test_what_cannot_be_is_refused_by_name_and_moves_nobody(wrong, message):
    units = field({"a": 6, "b": 6}, {"a": (500, 500), "b": (503, 500)})
    with pytest.raises(ValueError, match=message):
        separate(units, **{"footprint": 6, **wrong})

    assert units.position("a") == (500, 500)

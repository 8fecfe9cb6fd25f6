"""Route: positions, directions and progress along a polyline, against a slow reference."""

from itertools import pairwise
from math import dist, hypot, inf, nan

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tilequad.ai import Route

ROAD = [(0, 0), (100, 0), (100, 50), (40, 50)]
numbers = st.floats(-1000, 1000, allow_nan=False, width=32)
points = st.lists(st.tuples(numbers, numbers), min_size=2, max_size=12)


def slow_at(corners, distance):
    for start, end in pairwise(corners):
        length = dist(start, end)
        if distance <= length:
            share = distance / length
            return tuple(a + (b - a) * share for a, b in zip(start, end, strict=True))
        distance -= length
    return corners[-1]


def slow_gap(corners, point):
    """Distance from a point to the polyline: the least distance to a segment."""
    gaps = []
    for (ax, ay), (bx, by) in pairwise(corners):
        dx, dy = bx - ax, by - ay
        share = ((point[0] - ax) * dx + (point[1] - ay) * dy) / (dx * dx + dy * dy)
        share = min(max(share, 0), 1)
        gaps.append(hypot(point[0] - ax - share * dx, point[1] - ay - share * dy))
    return min(gaps)


@st.composite
def roads(draw):
    corners = draw(points)
    steps = [dist(a, b) for a, b in pairwise(corners)]
    assume(all(step == 0 or step > 1e-3 for step in steps))
    assume(any(steps))
    return corners


def without_repeats(corners):
    return [corners[0]] + [b for a, b in pairwise(corners) if a != b]


def test_the_length_is_the_sum_of_the_segments():
    assert Route(ROAD).length == 210


def test_a_distance_off_the_route_gives_its_nearest_end():
    positions = Route(ROAD).at_many([-5, 0, 210, 1e9])

    assert positions.tolist() == [[0, 0], [0, 0], [40, 50], [40, 50]]


@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (2, 3)])
def test_the_result_has_the_shape_of_the_argument(shape):
    road = Route(ROAD)
    distances = np.full(shape, 30.0)

    assert road.at_many(distances).shape == (*shape, 2)
    assert road.heading_many(distances).shape == (*shape, 2)
    assert road.progress_many(road.at_many(distances)).shape == shape


def test_a_positive_offset_is_to_the_left():
    road = Route(ROAD)

    assert road.at_many([50, 120, 180], offset=[3, 3, -3]).tolist() == [[50, 3], [97, 20], [70, 53]]
    assert road.at(50, offset=2) == (50, 2)
    assert (road.at_many([50, 120]) == road.at_many([50, 120], offset=0)).all()


def test_the_heading_at_a_corner_is_that_of_the_next_segment():
    headings = Route(ROAD).heading_many([0, 99, 100, 149, 150, 210, 300])

    assert headings.tolist() == [[1, 0], [1, 0], [0, 1], [0, 1], [-1, 0], [-1, 0], [-1, 0]]


def test_a_repeated_corner_changes_nothing():
    once, twice = Route(ROAD), Route([ROAD[0], *ROAD, ROAD[-1]])
    distances = np.linspace(0, 210, 50)

    assert (once.points == twice.points).all()
    assert (once.at_many(distances) == twice.at_many(distances)).all()
    assert (once.heading_many(distances) == twice.heading_many(distances)).all()


def test_points_returns_a_copy():
    road = Route(ROAD)
    road.points[:] = 0

    assert road.at(100) == (100, 0)


@given(corners=roads(), shares=st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_at_agrees_with_walking_segment_by_segment(corners, shares):
    road = Route(corners)
    distances = np.array(shares) * road.length

    expected = [slow_at(without_repeats(corners), distance) for distance in distances]

    np.testing.assert_allclose(road.at_many(distances), expected, atol=1e-6)


@given(corners=roads(), walkers=st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5))
def test_progress_gives_the_closest_point_of_the_road(corners, walkers):
    road = Route(corners)

    progress = road.progress_many(walkers)

    assert ((progress >= 0) & (progress <= road.length)).all()
    gaps = [
        dist(position, walker)
        for position, walker in zip(road.at_many(progress), walkers, strict=True)
    ]
    expected = [slow_gap(without_repeats(corners), walker) for walker in walkers]
    np.testing.assert_allclose(gaps, expected, atol=1e-6)


@given(
    corners=roads(),
    walker=st.tuples(numbers, numbers),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_progress_in_a_window_is_at_least_as_close_as_samples_of_it(corners, walker, ends):
    road = Route(corners)
    low, high = sorted(end * road.length for end in ends)

    progress = road.progress_many(walker, low, high)

    assert low - 1e-9 <= progress <= high + 1e-9
    samples = road.at_many(np.linspace(low, high, 200))
    best = np.hypot(*(samples - walker).T).min()
    assert dist(road.at_many(progress), walker) <= best + 1e-6


def test_each_walker_may_have_its_own_window():
    hairpin = Route([(0, 0), (100, 0), (100, 10), (0, 10)])
    walkers = [(30, 6), (30, 6), (30, 6)]

    progress = hairpin.progress_many(walkers, low=[0, 0, 150], high=[210, 60, 210])

    assert progress.tolist() == [180, 30, 180]


def test_of_two_equally_close_points_the_first_counts():
    hairpin = Route([(0, 0), (100, 0), (100, 10), (0, 10)])

    assert hairpin.progress(30, 5) == 30


@given(
    corners=roads(),
    walkers=st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5),
    ends=st.tuples(st.floats(-9, 3000), st.floats(-9, 3000)),
)
def test_one_walker_gets_the_same_numbers_as_many(corners, walkers, ends):
    road = Route(corners)
    low, high = sorted(ends)
    along = [x for x, _ in walkers] + [road.length, 0.0]

    assert [list(road.at(x, 3.5)) for x in along] == road.at_many(along, 3.5).tolist()
    assert [list(road.heading(x)) for x in along] == road.heading_many(along).tolist()
    assert [road.progress(*one) for one in walkers] == road.progress_many(walkers).tolist()
    assert [road.progress(*one, low, high) for one in walkers] == (
        road.progress_many(walkers, low, high).tolist()
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([], "points"),
        ([(0, 0)], "points"),
        ([(5, 5), (5, 5)], "two different points"),
        ([(0, 0, 0), (1, 1, 1)], "shape"),
        (None, "points must be positions"),
        (object(), "points must be positions"),
        ([(0, 0), (nan, 1)], "finite"),
        ([(0, 0), (inf, 1)], "finite"),
    ],
)
def test_invalid_points_are_rejected(wrong, message):
    with pytest.raises(ValueError, match=message):
        Route(wrong)


def test_invalid_arguments_are_rejected_by_name():
    road = Route(ROAD)

    for call, name in [
        (lambda: road.at(nan), "distance"),
        (lambda: road.at(1, offset=inf), "offset"),
        (lambda: road.heading_many([0, inf]), "distance"),
        (lambda: road.at_many([nan]), "distances"),
        (lambda: road.at_many([1], offset=inf), "offset"),
        (lambda: road.heading(nan), "distance"),
        (lambda: road.progress(nan, 0), "x and y"),
        (lambda: road.progress(1, 2, 9, 3), "low"),
        (lambda: road.progress(1, 2, nan), "low"),
        (lambda: road.progress_many((nan, 0)), "xy"),
        (lambda: road.progress_many((1, 2, 3)), "xy"),
        (lambda: road.progress_many(1.0), "xy"),
        (lambda: road.progress_many((1, 2), low=9, high=3), "low"),
        (lambda: road.progress_many((1, 2), low=nan), "low"),
    ]:
        with pytest.raises(ValueError, match=name):
            call()


def test_the_repr_shows_size_and_length():
    assert repr(Route(ROAD)) == "<Route of 4 points, length 210>"

"""Formations, and who goes to which place: against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from tilequad.ai import assign_places, formation_places
from tilequad.ai._places import assign_in_parts

NAMES = "block", "circle", "column", "line", "wedge"
STEP = 24.0
numbers = st.integers(-40, 40).map(float) | st.floats(-1000, 1000)
points = st.tuples(numbers, numbers)


def shapes(n: int, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Units and their places, as orders give them, and as nobody would."""
    rng = np.random.default_rng(seed)
    wide = STEP * math.sqrt(n)

    def scattered(times: float = 1.0) -> np.ndarray:
        return rng.uniform(-times * wide / 2, times * wide / 2, (n, 2))

    def stand(name: str, angle: float = 0.0) -> np.ndarray:
        return formation_places(name, n, STEP, (math.cos(angle), math.sin(angle)))

    clumps = scattered(0.7)
    clumps[::2] += 2 * wide, 0
    crowd = rng.normal(0, wide / 3, (n, 2))
    return {
        "far": (stand("block"), stand("block", 0.7) + np.array((8 * wide, 3 * wide))),
        "by its width": (stand("block"), stand("block") + np.array((wide, 0))),
        "turned on the spot": (stand("block"), stand("block", 0.7) + np.array((wide / 3, 0))),
        "a step on": (stand("block"), stand("block") + np.array((STEP, 0))),
        "block to line": (stand("block"), stand("line") + np.array((2 * wide, 0))),
        "line to wedge": (stand("line"), stand("wedge") + np.array((3 * wide, 0))),
        "line to column": (stand("line"), stand("column")),
        "scattered to circle": (scattered(3), stand("circle")),
        "circle to block": (stand("circle"), stand("block")),
        "crowd to block": (crowd, stand("block")),
        "scattered to block": (scattered(), stand("block", 0.3)),
        "scattered to scattered": (scattered(), scattered()),
        "heap to block": (np.zeros((n, 2)), stand("block")),
        "heaps to block": (np.repeat(scattered(), 10, axis=0)[:n], stand("block")),
        "clumps to line": (clumps, stand("line") + np.array((0, wide))),
        "clumps across": (clumps, clumps[:, ::-1] + np.array((wide, -wide))),
    }


SHAPES = list(shapes(4, 0))


def lengths(xy, places, chosen) -> np.ndarray:
    return np.hypot(*(np.asarray(xy) - np.asarray(places)[chosen]).T)


def crossings(xy, places, chosen) -> int:
    """How many pairs of ways cross, by more than rounding may decide."""
    a, b = np.asarray(xy, float), np.asarray(places, float)[chosen]
    size = np.ptp(np.concatenate([a, b, [(0, 0)]]), axis=0).max()

    def side(p, q, r):
        (ux, uy), (vx, vy) = (q - p).T, (r - p).T
        return ux * vy - uy * vx

    rows, columns = np.triu_indices(len(a), 1)
    p, q, r, s = a[rows], b[rows], a[columns], b[columns]
    turns = np.array([side(p, q, r), side(p, q, s), side(r, s, p), side(r, s, q)])
    clear = (abs(turns) > 1e-4 * size * size).all(axis=0)
    return int((clear & (turns[0] * turns[1] < 0) & (turns[2] * turns[3] < 0)).sum())


# -- who goes where --


def assert_short_and_apart(xy, places, times, scale=1.0, shift=0.0):
    """Everyone has a place, no ways cross, and all are at most so many times the shortest.

    They stand where a world of another scale begins elsewhere.
    """
    chosen = assign_places(xy * scale + shift, places * scale + shift)
    costs = cdist(xy, places)
    shortest = costs[linear_sum_assignment(costs)].sum()

    assert chosen.dtype == np.int32
    assert sorted(chosen) == list(range(len(xy)))
    assert lengths(xy, places, chosen).sum() <= times * shortest + 1e-9
    assert crossings(xy, places, chosen) == 0


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("n", "seeds"), [(2, 5), (7, 5), (30, 5), (90, 3), (300, 1)])
def test_ways_are_short_and_do_not_cross(shape, n, seeds):
    for seed in range(seeds):
        assert_short_and_apart(*shapes(n, seed)[shape], 1.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "n"),
    [
        ("scattered to scattered", 1000),
        ("crowd to block", 1000),
        ("clumps to line", 1000),
        ("block to line", 700),  # ways that spread like a fan
        ("heap to block", 700),
        ("clumps across", 1500),
    ],
)
def test_ways_of_many_are_even_shorter_and_do_not_cross(shape, n):
    assert_short_and_apart(*shapes(n, 1)[shape], 1.03)


@pytest.mark.slow
@given(st.lists(st.tuples(points, points), max_size=7))
@settings(max_examples=150, deadline=None)
def test_few_units_anywhere_choose_nearly_the_best_of_all_ways(pairs):
    xy = np.array([pair[0] for pair in pairs]).reshape(-1, 2)
    places = np.array([pair[1] for pair in pairs]).reshape(-1, 2)
    assert_short_and_apart(xy, places, 1.05)


@given(st.lists(points, min_size=1, max_size=60))
@settings(max_examples=50, deadline=None)
def test_who_stands_in_place_stays(xy):
    xy = np.array(xy)
    xy[np.abs(xy) < 1e-130] = 0.0  # the square of so short a way may be 0
    xy = np.unique(xy, axis=0)
    turned = np.random.default_rng(len(xy)).permutation(len(xy))

    assert (xy[turned][assign_places(xy, xy[turned])] == xy).all()


@pytest.mark.parametrize("way", [(STEP, 0.0), (0.0, -STEP), (100.0, 7.0), (5000.0, -3000.0)])
@pytest.mark.parametrize("name", NAMES)
def test_a_group_that_moves_keeps_its_order(name, way):
    places = formation_places(name, 77, STEP, (3, 4))
    turned = np.random.default_rng(1).permutation(77)
    chosen = assign_places(places[turned], places + np.array(way))

    assert chosen.tolist() == turned.tolist()


@pytest.mark.parametrize("scale", [1e-9, 1e9, 1e100])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_small_and_large_worlds_do(scale, shift):
    assert_short_and_apart(*shapes(60, 1)["scattered to block"], 1.05, scale, shift)


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_ways_whose_squares_are_0_give_each_a_place_of_its_own(shift):
    xy, places = shapes(60, 1)["scattered to block"]
    chosen = assign_places(xy * 1e-200 + shift, places * 1e-200 + shift)

    assert sorted(chosen) == list(range(60))


@pytest.mark.parametrize("n", [3, 40, 500])
def test_equal_points_do(n):
    for xy, places in (
        (np.zeros((n, 2)), np.zeros((n, 2))),
        (np.zeros((n, 2)), np.ones((n, 2))),
        (np.arange(n)[:, None] * (1.0, 0.0), np.zeros((n, 2))),
        (np.arange(2 * n).reshape(n, 2) % 3, np.arange(2 * n).reshape(n, 2) % 2),
    ):
        assert sorted(assign_places(xy, places)) == list(range(n))


def test_nobody_needs_no_place():
    assert assign_places([], []).tolist() == []
    assert assign_places([(3, 4)], [(5, 6)]).tolist() == [0]


@pytest.mark.parametrize(
    ("xy", "places", "said"),
    [
        ([(0, 0)], [(0, 0), (1, 1)], r"places must have shape \(1, 2\), got \(2, 2\)"),
        ([(0, 0, 0)], [(0, 0, 0)], "xy must have shape"),
        ([(0, math.nan)], [(0, 0)], "xy must be finite"),
        ([(0, 0)], [(0, math.inf)], "places must be finite"),
    ],
)
def test_wrong_points_are_refused(xy, places, said):
    with pytest.raises(ValueError, match=said):
        assign_places(xy, places)


# -- formations --


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [1, 2, 3, 7, 10, 30, 100])
def test_places_are_apart_and_around_the_origin(name, count):
    places = formation_places(name, count, STEP, (0.6, 0.8))

    assert places.shape == (count, 2)
    assert np.allclose(places.mean(axis=0), 0, atol=1e-9 * count)
    if count > 1:
        apart = cdist(places, places)[np.triu_indices(count, 1)]
        assert STEP * (1 - 1e-9) <= apart.min() <= STEP * (1 + 1e-9)


def test_formations_look_as_they_are_called():
    def rounded(name, count):
        return formation_places(name, count, 10, (0, 2)).round(6).tolist()

    assert rounded("line", 3) == [[-10, 0], [0, 0], [10, 0]]
    assert rounded("column", 3) == [[0, 10], [0, 0], [0, -10]]
    assert rounded("block", 4) == [[-5, 5], [5, 5], [-5, -5], [5, -5]]
    assert rounded("wedge", 3) == [[0, 6.666667], [-5, -3.333333], [5, -3.333333]]
    assert rounded("circle", 2) == [[0, 5], [0, -5]]


def test_a_last_rank_stands_in_the_middle():
    places = formation_places("block", 7, 10, (0, 1))

    assert [row[0] for row in places.round(6).tolist()] == [-10, 0, 10, -10, 0, 10, 0]


def test_points_of_ones_own_are_spaced_and_turned():
    mine = [(0, 0), (-1, 1), (-1, -1), (-2, 0)]

    assert formation_places(mine, 3, 10, (1, 0)).tolist() == [[0, 0], [-10, 10], [-10, -10]]
    assert formation_places(mine, 2, 10, (0, 5)).tolist() == [[0, 0], [-10, -10]]


def test_no_places_for_nobody():
    for formation in (*NAMES, [(1, 2)], []):
        assert formation_places(formation, 0, 10, (1, 0)).shape == (0, 2)


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"formation": "heap"}, ValueError, "formation must be block, .*, got 'heap'"),
        ({"formation": [(0, 0)]}, ValueError, "formation must have 3 points or more, got 1"),
        ({"formation": [(0, 0), (1, math.nan), (1, 1)]}, ValueError, "formation must be finite"),
        ({"count": -1}, ValueError, "count must be from 0"),
        ({"count": 2.5}, TypeError, "count"),
        ({"spacing": -1}, ValueError, "spacing must be from 0"),
        ({"spacing": math.nan}, ValueError, "spacing must be from 0"),
        ({"facing": (0, 0)}, ValueError, "facing must be a direction"),
        ({"facing": (math.inf, 0)}, ValueError, "facing"),
    ],
)
def test_wrong_orders_are_refused(changed, error, said):
    right = {"formation": "block", "count": 3, "spacing": 10, "facing": (1, 0)}
    with pytest.raises(error, match=said):
        formation_places(**{**right, **changed})


def answers() -> list:
    """What both modes are asked."""
    found = [assign_places(*shapes(n, 3)[shape]).tolist() for n in (9, 70) for shape in SHAPES]
    found += [assign_places(*shapes(1300, 3)["clumps across"]).tolist()]  # a tree of bundles
    found += [part.tolist() for part in assign_in_parts(*shapes(600, 3)["crowd to block"])]
    found += [formation_places(name, 33, STEP, (1, 3)).tolist() for name in NAMES]
    return found

"""Bounds: the box type."""

import pickle

import numpy as np
import pytest

from tilequad.bounds import Bounds

BOX = Bounds(1.0, 2.0, 5.0, 8.0)


def test_bounds_are_a_tuple_of_four_numbers():
    min_x, min_y, max_x, max_y = BOX

    assert (min_x, min_y, max_x, max_y) == BOX == (1, 2, 5, 8)
    assert hash(BOX) == hash((1, 2, 5, 8))
    assert pickle.loads(pickle.dumps(BOX)) == BOX


def test_bounds_have_a_size_and_a_center_and_can_be_shifted():
    assert BOX.width == 4
    assert BOX.height == 6
    assert BOX.center == (3, 5)
    assert BOX.shifted(-1, 10) == (0, 12, 4, 18)
    assert isinstance(BOX.shifted(0, 0), Bounds)


@pytest.mark.parametrize(
    ("x", "y", "inside"),
    [
        (1, 2, True),
        (5, 8, True),
        (1, 8, True),
        (3, 5, True),
        (0.999, 5, False),
        (5.001, 5, False),
        (3, 1.999, False),
        (3, 8.001, False),
    ],
)
def test_bounds_contain_their_edges_and_corners(x, y, inside):
    assert BOX.contains(x, y) is inside


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ((1, 2, 5, 8), True),
        ((2, 3, 4, 7), True),
        ((-9, -9, 99, 99), True),
        ((5, 8, 9, 9), True),
        ((-9, -9, 1, 2), True),
        ((5, 5, 5, 5), True),
        ((5.001, 2, 9, 8), False),
        ((-9, 2, 0.999, 8), False),
        ((1, 8.001, 5, 9), False),
        ((1, -9, 5, 1.999), False),
    ],
)
def test_boxes_overlap_if_they_share_a_point(other, expected):
    assert BOX.overlaps(other) is expected
    assert Bounds.of(other).overlaps(BOX) is expected


@pytest.mark.parametrize(
    "value",
    [(1, 2, 5, 8), [1, 2, 5, 8], np.array([1, 2, 5, 8]), iter([1, 2, 5, 8]), BOX],
    ids=["tuple", "list", "array", "iterator", "bounds"],
)
def test_of_accepts_any_four_numbers(value):
    bounds = Bounds.of(value)

    assert bounds == BOX
    assert all(type(number) is float for number in bounds)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "view must be four numbers, got None"),
        ((1, 2, 3), "view must be four numbers"),
        ((1, 2, 3, 4, 5), "view must be four numbers"),
        ((1, 2, "a", 4), "view must be four numbers.*'a'"),
        ((1, 2, float("nan"), 4), "view must be finite.*nan"),
        ((1, float("-inf"), 3, 4), "view must be finite.*-inf"),
        ((4, 2, 3, 4), "view must have min <= max"),
        ((1, 5, 3, 4), "view must have min <= max"),
    ],
)
def test_of_names_what_is_wrong(value, message):
    with pytest.raises(ValueError, match=message):
        Bounds.of(value, "view")


def test_a_box_of_size_zero_contains_its_point():
    point = Bounds.of((3, 3, 3, 3))

    assert point.contains(3, 3)
    assert point.overlaps(BOX)
    assert (point.width, point.height) == (0, 0)

"""Defects of other spatial indexes, each as a case that must be right here.

The name of a test describes the correct behavior.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tests.oracle import BruteDynamic, BruteStatic
from tests.trees import DynamicQuadtree, StaticQuadtree

NAN = float("nan")


# fastquadtree


def test_a_failed_add_leaves_no_phantom_and_reuses_no_id():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("first", 10, 10)
    for x, y in ((NAN, 1), (5, NAN), (float("inf"), 5)):
        with pytest.raises(ValueError, match=r"[xy] must be finite"):
            tree.add("phantom", x, y)

    assert len(tree) == 1
    assert tree.query((0, 0, 100, 100)) == ["first"]
    tree.add("next", 20, 20)
    assert sorted(tree.query((0, 0, 100, 100))) == ["first", "next"]
    assert "phantom" not in tree
    tree.check()


def test_boxes_straddling_the_edge_of_the_world_are_never_missed():
    """400 box queries and 400 nearest queries, over boxes that cross every edge."""
    rng = Random(1)
    tree, twin = DynamicQuadtree((0, 0, 100, 100)), BruteDynamic((0, 0, 100, 100))
    rows = []
    for item in range(200):
        x, y = rng.choice((0, 100, 50)) + rng.uniform(-3, 3), rng.uniform(-5, 105)
        size = rng.uniform(0, 20), rng.uniform(0, 20)
        for each in (tree, twin):
            each.add(item, x, y, size=size)
        rows.append((x, y, x + size[0], y + size[1]))
    static, static_twin = StaticQuadtree(rows), BruteStatic(rows)

    for _ in range(400):
        x, y = rng.uniform(-20, 120), rng.uniform(-20, 120)
        view = (x, y, x + rng.uniform(0, 15), y + rng.uniform(0, 15))
        assert sorted(tree.query(view)) == twin.query(view)
        assert static.query(view).tolist() == static_twin.query(view).tolist()
        assert tree.nearest(x, y) == twin.nearest(x, y)
        assert static.nearest(x, y) == static_twin.nearest(x, y)


def test_nearest_refuses_nan():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("a", 1, 1)
    with pytest.raises(ValueError, match=r"x.*nan"):
        tree.nearest(NAN, 0)
    with pytest.raises(ValueError, match=r"y.*nan"):
        StaticQuadtree([(0, 0, 1, 1)]).nearest(0, NAN)


def test_a_point_on_the_max_edge_and_beyond_is_accepted():
    tree = DynamicQuadtree((0, 0, 100, 100))
    for place in ((100, 100), (100, 0), (0, 100), (100.5, 50), (-40, 900)):
        tree.add(place, *place)
        assert tree.nearest(*place) == place
        assert tree.query((*place, *place)) == [place]
    tree.check()


def test_a_query_box_without_area_finds_units_on_it():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("on the line", 50, 30)
    tree.add("beside it", 51, 30)

    assert tree.query((50, 0, 50, 100)) == ["on the line"]
    assert tree.query((50, 30, 50, 30)) == ["on the line"]
    assert StaticQuadtree([(0, 0, 9, 9)]).query((9, 0, 9, 9)).tolist() == [0]


def test_move_needs_no_old_position():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("unit", 10, 10)
    tree.move("unit", 90, 90)
    tree.move("unit", 50, 5)

    assert tree.position("unit") == (50, 5)
    assert tree.query((0, 0, 100, 100)) == ["unit"]
    assert tree.query((80, 80, 100, 100)) == []


def test_moving_thousands_back_and_forth_leaves_the_tree_as_it_was():
    rng = Random(4)
    tree = DynamicQuadtree((0, 0, 100, 100))
    places = [(rng.uniform(0, 100), rng.uniform(0, 100)) for _ in range(1_000)]
    for item, place in enumerate(places):
        tree.add(item, *place)
    for item in range(1_000):
        tree.move(item, 50, 50)
    tree.check()
    for item, place in enumerate(places):
        tree.move(item, *place)
    tree.check()

    assert sorted(tree.query((0, 0, 100, 100))) == list(range(1_000))
    for x, y in places[:100]:
        assert tree.position(tree.nearest(x, y)) == (x, y)


# quads


@pytest.mark.parametrize("k", [1, 10, 128])
def test_k_nearest_is_always_right(k):
    """300 queries whose results lie in several quadrants."""
    rng = Random(k)
    tree, twin = DynamicQuadtree((0, 0, 100, 100)), BruteDynamic((0, 0, 100, 100))
    rows = []
    for item in range(300):
        x, y = rng.gauss(50, 20), rng.gauss(50, 20)
        tree.add(item, x, y)
        twin.add(item, x, y)
        rows.append((x, y, x, y))
    static = StaticQuadtree(rows)

    for _ in range(300):
        x, y = rng.uniform(-10, 110), rng.uniform(-10, 110)
        expected = twin.k_nearest(x, y, k)
        assert tree.k_nearest(x, y, k) == expected
        assert static.k_nearest(x, y, k).tolist() == expected


def test_coincident_points_cause_no_endless_recursion():
    tree = DynamicQuadtree((0, 0, 100, 100))
    for item in range(5_000):
        tree.add(item, 12.5, 12.5)
    tree.check()

    assert len(tree.query((12.5, 12.5, 12.5, 12.5))) == 5_000
    rows = np.full((5_000, 4), 12.5)
    static = StaticQuadtree(rows)
    static.check()
    assert len(static.query((12.5, 12.5, 12.5, 12.5))) == 5_000
    assert static.nearest(0, 0) == 0


# Pyqtree


def test_boxes_on_the_center_line_are_stored_once():
    """Four boxes without width on the split line of the root take four entries, not thousands."""
    tree = DynamicQuadtree((0, 0, 100, 100))
    for item in range(4):
        tree.add(item, 50, 20 + 20 * item, size=(0, 60))
    tree.check()

    assert len(tree) == 4
    assert sorted(tree.query((0, 0, 100, 100))) == [0, 1, 2, 3]
    assert tree.pairs() == [(a, b) for a in range(4) for b in range(a + 1, 4)]
    nodes = tree.nodes()
    assert nodes["count"][nodes["leaf"]].sum() == 4
    assert len(nodes) <= 5


def test_remove_needs_only_the_item():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("box", 50, 50, size=(60, 60))
    tree.move("box", 20, 70)
    tree.remove("box")

    assert len(tree) == 0
    assert tree.query((-100, -100, 200, 200)) == []
    tree.check()


# arcade's spatial hash


def test_queries_never_change_the_tree():
    """A thousand queries everywhere leave the nodes unchanged, to the last bit."""
    rng = Random(9)
    tree = DynamicQuadtree((0, 0, 100, 100))
    for item in range(200):
        tree.add(item, rng.uniform(0, 100), rng.uniform(0, 100), radius=rng.uniform(0, 2))
    static = StaticQuadtree(rng_boxes(rng, 200))
    before, static_before = tree.nodes(), static.nodes()

    for _ in range(1_000):
        x, y = rng.uniform(-1e6, 1e6), rng.uniform(-1e6, 1e6)
        tree.query((x, y, x + 500, y + 500))
        tree.within(x, y, 300)
        tree.nearest(x, y)
        tree.segment(x, y, y, x)
        static.query((x, y, x + 500, y + 500))
        static.nearest(x, y)
    tree.pairs()

    assert np.array_equal(tree.nodes(), before)
    assert np.array_equal(static.nodes(), static_before)


# arcade's collision on the GPU


def test_the_number_of_hits_is_unlimited():
    tree = DynamicQuadtree((0, 0, 100, 100))
    for item in range(3_000):
        tree.add(item, item / 100, 50, radius=40)

    assert sorted(tree.query((0, 0, 100, 100))) == list(range(3_000))
    assert sorted(tree.within(50, 50, 100)) == list(range(3_000))
    assert tree.k_nearest(0, 50, 3_000) == list(range(3_000))
    assert tree.segment(0, 50, 100, 50) == list(range(3_000))


# rtree


def test_nearest_returns_one_unit_even_on_ties():
    tree = DynamicQuadtree((-10, -10, 10, 10))
    for item, place in enumerate([(0, 5), (5, 0), (0, -5), (-5, 0)]):
        tree.add(item, *place)

    assert tree.nearest(0, 0) == 0
    assert tree.k_nearest(0, 0, 1) == [0]
    assert tree.k_nearest(0, 0, 3) == [0, 1, 2]
    rows = [(1, 1, 2, 2), (-2, 1, -1, 2), (-2, -2, -1, -1), (1, -2, 2, -1)]
    assert StaticQuadtree(rows).k_nearest(0, 0, 1).tolist() == [0]


# pyscroll


def test_equal_boxes_remain_distinct():
    rows = [(10, 10, 20, 20)] * 7
    tree = StaticQuadtree(rows)
    assert len(tree) == 7
    assert tree.query((15, 15, 16, 16)).tolist() == list(range(7))

    units = DynamicQuadtree((0, 0, 100, 100))
    for item in range(7):
        units.add(item, 15, 15, size=(10, 10))
    assert sorted(units.query((15, 15, 16, 16))) == list(range(7))
    assert len(units.pairs()) == 21


def test_a_tree_without_boxes_works():
    tree = StaticQuadtree([])
    assert tree.query((0, 0, 100, 100)).tolist() == []
    assert tree.nearest(0, 0) is None

    units = DynamicQuadtree((0, 0, 100, 100))
    assert list(units) == units.pairs() == units.query((0, 0, 9, 9)) == units.within(0, 0, 9) == []
    assert units.nearest(0, 0) is None


def rng_boxes(rng, count):
    corners = [(rng.uniform(0, 100), rng.uniform(0, 100)) for _ in range(count)]
    return [(x, y, x + rng.uniform(0, 5), y + rng.uniform(0, 5)) for x, y in corners]

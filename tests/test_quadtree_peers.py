"""Defects of other spatial indexes, each as a case that must be right here.

The name of a test describes the correct behavior. Those of wrong answers are not listed: every
answer is compared with brute force in the worlds that cause them.
"""

from random import Random

import numpy as np

from tests.trees import DynamicQuadtree, StaticQuadtree

# fastquadtree


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
    assert [tree.position(item) for item in tree] == places
    for x, y in places[:100]:
        assert tree.position(tree.nearest(x, y)) == (x, y)


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


def rng_boxes(rng, count):
    corners = [(rng.uniform(0, 100), rng.uniform(0, 100)) for _ in range(count)]
    return [(x, y, x + rng.uniform(0, 5), y + rng.uniform(0, 5)) for x, y in corners]

"""Units in heaps: more on one point than a leaf or a buffer holds."""

from __future__ import annotations

from itertools import pairwise
from math import cos, sin
from random import Random

import numpy as np
import pytest

import tilequad
from tests.oracle import BruteDynamic
from tests.oracle_arrays import ArrayDynamic
from tests.trees import DynamicQuadtree

HEAPS = (500.0, 500.0), (500.0, 503.0)


@pytest.fixture
def tree_and_twin():
    """Two heaps side by side, one of them with a few wide units that reach into the other."""
    rng = Random(3)
    pair = DynamicQuadtree((0, 0, 1000, 1000)), ArrayDynamic((0, 0, 1000, 1000))
    for item in range(1_300):
        x, y = HEAPS[item < 600]
        radius, groups = (2.0 if item % 50 == 0 else 0.75), rng.choice((1, 2, 4, 6))
        for tree in pair:
            tree.add(item, x, y, radius=radius, groups=groups)
    return pair


@pytest.mark.parametrize("groups", [None, 2])
@pytest.mark.parametrize("without", [None, 4])
def test_pairs_of_heaps_are_those_of_brute_force(tree_and_twin, groups, without):
    tree, twin = tree_and_twin

    assert tree.pairs(groups, without) == twin.pairs(groups, without)


SHAPES = {
    "one point": lambda i: (500.0, 500.0),
    "two points": lambda i: (500.0, 500.0 + i % 2),
    "line": lambda i: (float(i % 90), 500.0),
    "ring": lambda i: (500 + 400 * cos(i), 500 + 400 * sin(i)),
    "one leaf": lambda i: (500 + i % 7 / 1e9, 500 + i % 11 / 1e9),
}


def heap(shape, kind, count=600):
    """A tree of units on a shape, in a few groups; some are gone."""
    rng = Random(shape)
    tree = kind((0, 0, 1000, 1000))
    for item in range(count):
        groups = rng.choice((1, 2, 4, 6))
        tree.add(item, *SHAPES[shape](item), radius=rng.choice((0, 0.25)), groups=groups)
    for item in range(0, count, 9):
        tree.remove(item)
    return tree


def questions(tree, shape):
    """What batches answer about a heap, as lists of items."""
    xy = [SHAPES[shape](i) for i in range(0, 600, 40)] + [(0.0, 0.0), (500.25, 500.0)]
    own = [tree.slot(i) for i in range(1, 9)] + [-1] * 9
    for options in ({}, {"groups": 2}, {"without": 4}, {"exclude": own}):
        for limit in ({}, {"min_distance": 0.25}, {"max_distance": 300}):
            slots, distances = tree.nearest_many(xy, **options, **limit)
            yield tree.items(slots), distances.tolist()
            slots, distances = tree.k_nearest_many(xy, 3, **options, **limit)
            yield tree.items(slots.ravel()), distances.tolist()
        for radius in (0, 0.5, 300, 2000):
            yield tree.count_within_many(xy, radius, **options).tolist()
            yield tree.count_within_many(xy, radius, min_radius=radius / 2, **options).tolist()
            offsets, slots = tree.within_many(xy, radius, min_radius=radius / 2, **options)
            items = tree.items(slots)
            yield [sorted(items[a:b]) for a, b in pairwise(offsets.tolist())]


@pytest.mark.parametrize("shape", SHAPES)
def test_batches_about_heaps_are_those_of_brute_force(shape):
    tree, twin = heap(shape, DynamicQuadtree), heap(shape, BruteDynamic)

    assert list(questions(tree, shape)) == list(questions(twin, shape))


@pytest.mark.parametrize("shape", SHAPES)
def test_many_removed_at_once_leave_the_tree_that_one_by_one_leave(shape):
    trees = [heap(shape, tilequad.DynamicQuadtree) for _ in range(2)]
    rng = np.random.default_rng(4)
    while len(trees[0]):
        gone = rng.permutation(list(trees[0]))[: rng.integers(1, 250)].tolist()
        trees[0].remove_many(trees[0].slots(gone))
        for item in gone:
            trees[1].remove(item)
        for tree in trees:
            tree.check()

        assert list(trees[0]) == list(trees[1])
        assert trees[0].digest() == trees[1].digest()
        assert trees[0].nodes()["count"].max(initial=0) == len(trees[0])
        assert sorted(trees[0].within(500, 500, 90)) == sorted(trees[1].within(500, 500, 90))


def answers() -> list:
    """What both modes say about the heaps."""
    return [
        told
        for shape in SHAPES
        for tree in [heap(shape, tilequad.DynamicQuadtree, 200)]
        for told in [*questions(tree, shape), tree.pairs()]
    ]

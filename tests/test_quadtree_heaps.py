"""Units in heaps: more on one point than a leaf or a buffer holds."""

from __future__ import annotations

from random import Random

import pytest

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

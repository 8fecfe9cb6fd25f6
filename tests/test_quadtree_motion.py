"""Sweeps: what a unit's own footprint touches on its way, however fast it is."""

from __future__ import annotations

from random import Random

import pytest

from tests.oracle import BruteDynamic
from tests.trees import DynamicQuadtree
from tests.worlds import WORLDS, footprint

SHAPES = [{}, {"radius": 5}, {"size": (10, 4)}]
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=["point", "circle", "box"])


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_as_brute_force_says(world):
    rng = Random(world.name)
    tree, twin = DynamicQuadtree(world.bounds), BruteDynamic(world.bounds)
    for item in range(200):
        place, shape = world.place(rng), footprint(rng, world, 200)
        groups = rng.choice((1, 2, 3))
        for each in (tree, twin):
            each.add(item, *place, groups=groups, **shape)

    for _ in range(60):
        item, groups = rng.randrange(200), rng.choice((None, 2))
        x, y = twin.position(rng.randrange(200)) if rng.random() < 0.3 else world.place(rng)
        assert tree.sweep(item, x, y, groups) == twin.sweep(item, x, y, groups)


@each_shape
def test_nobody_is_too_fast(shape):
    """A thin wall in the middle of a way of a million steps is not tunnelled through."""
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("runner", 50, 50, **shape)
    tree.add("wall", 500_000, 50, size=(0.001, 1))

    assert tree.sweep("runner", 1e6, 50) == ["wall"]
    assert tree.sweep("runner", 499_000, 50) == []
    assert tree.position("runner") == (50, 50)


@each_shape
def test_who_is_touched_from_the_start_comes_first(shape):
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("ahead", 30, 0, radius=1)
    tree.add("runner", 0, 0, **shape)
    tree.add("under", 0, 0, radius=1)
    tree.add("under too", 0, 0, size=(1, 1))

    assert tree.sweep("runner", 100, 0) == ["under", "under too", "ahead"]
    assert tree.sweep("runner", 0, 0) == ["under", "under too"]


def test_footprints_touch_exactly():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("ball", 0, 0, radius=2)
    tree.add("box", 0, 50, size=(6, 4))
    tree.add("other ball", 20, 5, radius=3)
    tree.add("other box", 40, 4, size=(2, 4))

    assert tree.sweep("ball", 20, 0) == ["other ball"]
    assert tree.sweep("ball", 38.999, 0) == ["other ball"]
    assert tree.sweep("ball", 39, 0) == ["other ball", "other box"]
    assert tree.sweep("box", 0, 7) == []
    assert tree.sweep("box", 14, 5) == ["other ball"]
    tree.move("box", 0, 4)
    assert tree.sweep("box", 35.999, 4, groups=1) == ["ball", "other ball"]
    assert tree.sweep("box", 36, 4) == ["ball", "other ball", "other box"]


def test_refusals():
    tree = DynamicQuadtree((0, 0, 10, 10))
    tree.add("a", 1, 1)
    with pytest.raises(KeyError, match="nobody"):
        tree.sweep("nobody", 1, 1)
    with pytest.raises(ValueError, match=r"x.*nan"):
        tree.sweep("a", float("nan"), 1)
    with pytest.raises(ValueError, match=r"y.*inf"):
        tree.sweep("a", 1, float("inf"))
    with pytest.raises(ValueError, match=r"groups.*0"):
        tree.sweep("a", 1, 1, groups=0)

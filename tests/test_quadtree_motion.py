"""Sweeps: the units that a footprint touches on its way, at any speed."""

from itertools import product
from math import hypot
from random import Random

import pytest

from tests.oracle import BruteDynamic
from tests.questions import add_unit
from tests.trees import DynamicQuadtree

SHAPES = [{}, {"radius": 5}, {"size": (10, 4)}]
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=["point", "circle", "box"])


def test_sweep_agrees_with_brute_force(world):
    rng = Random(world.name)
    tree, twin = DynamicQuadtree(world.bounds), BruteDynamic(world.bounds)
    for item in range(200):
        add_unit(rng, world, item, 200, (1, 2, 3), tree, twin)

    for _ in range(60):
        item, groups = rng.randrange(200), rng.choice((None, 2))
        x, y = twin.position(rng.randrange(200)) if rng.random() < 0.3 else world.place(rng)
        assert tree.sweep(item, x, y, groups) == twin.sweep(item, x, y, groups)


@each_shape
@pytest.mark.parametrize("wall", [{}, {"radius": 0.001}, {"size": (0.001, 1)}], ids=str)
@pytest.mark.parametrize("far", [1e3, 1e6, 1e9])
def test_a_fast_unit_never_skips_a_thin_one(shape, wall, far):
    """The thin unit is in the middle of a very long way."""
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("runner", 50, 50, **shape)
    tree.add("wall", far / 2, 50, **wall)

    assert tree.sweep("runner", far, 50) == ["wall"]
    assert tree.sweep("runner", far / 2 - 100, 50) == []
    assert tree.position("runner") == (50, 50)


@pytest.mark.parametrize(("mover", "other"), list(product(SHAPES, SHAPES)), ids=str)
def test_small_steps_agree_with_sweep(mover, other):
    """A walk of 1000 steps comes within a step of all that sweep finds, and touches no more."""
    rng = Random(f"{mover} {other}")
    for _ in range(40):
        tree = DynamicQuadtree((-50, -50, 50, 50))
        start, end, place = [(rng.uniform(-20, 20), rng.uniform(-20, 20)) for _ in range(3)]
        tree.add("mover", *start, **mover)
        tree.add("other", *place, **other)
        step = hypot(end[0] - start[0], end[1] - start[1]) / 1000
        least = min(
            gap(
                start[0] + (end[0] - start[0]) * i / 1000 - place[0],
                start[1] + (end[1] - start[1]) * i / 1000 - place[1],
                mover,
                other,
            )
            for i in range(1001)
        )
        if tree.sweep("mover", *end):
            assert least <= step
        else:
            assert least > 0


def gap(dx, dy, mover, other):
    """Return the gap between two footprints whose centers are (dx, dy) apart."""
    wide = sum(shape.get("size", (0, 0))[0] / 2 for shape in (mover, other))
    high = sum(shape.get("size", (0, 0))[1] / 2 for shape in (mover, other))
    round_off = mover.get("radius", 0) + other.get("radius", 0)
    return max(0, hypot(max(0, abs(dx) - wide), max(0, abs(dy) - high)) - round_off)


@pytest.mark.parametrize(("mover", "other"), list(product(SHAPES, SHAPES)), ids=str)
@pytest.mark.parametrize("turned", [False, True], ids=["along x", "along y"])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_last_whole_step_touches_and_the_one_before_does_not(mover, other, turned, sign):
    """The mover comes head on, or passes with edges that just touch."""
    tree = DynamicQuadtree((-100, -100, 100, 100))
    tree.add("mover", 0, 0, **mover)
    tree.add("other", *((0, 40 * sign) if turned else (40 * sign, 0)), **other)
    ahead, aside = extent(mover, other)
    if turned:
        ahead, aside = aside, ahead

    def sweep(along, across):
        x, y = (across, along * sign) if turned else (along * sign, across)
        return tree.sweep("mover", x, y)

    assert sweep(40 - ahead, 0) == ["other"]
    assert sweep(39 - ahead, 0) == []
    for side, met in ((aside, ["other"]), (-aside, ["other"]), (aside + 1, []), (-aside - 1, [])):
        tree.move("mover", *((side, 0) if turned else (0, side)))
        assert sweep(100, side) == met


def extent(*shapes):
    """Return the distances of centers, along x and y, at which two footprints touch."""
    sizes = [shape.get("size") or (2 * shape.get("radius", 0),) * 2 for shape in shapes]
    return sum(size[0] for size in sizes) / 2, sum(size[1] for size in sizes) / 2


@pytest.mark.parametrize("corner", [(13, 4), (13, -4)])
def test_a_ball_touches_a_corner_at_the_end_of_its_way(corner):
    """After ten steps to the right, the corner is at distance 5: a 3-4-5 triangle."""
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("ball", 0, 0, radius=5)
    tree.add("box", corner[0] + 4, corner[1] * 2, size=(8, 8))

    assert tree.sweep("ball", 10, 0) == ["box"]
    assert tree.sweep("ball", 9.999999, 0) == []
    tree.move("ball", 10, 0)
    assert tree.pairs() == [("ball", "box")]


@each_shape
def test_units_touched_at_the_start_come_first(shape):
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


def test_exactly_the_overlapping_units_are_touched_at_the_start():
    """With decimals, edges meet or miss by the last bit; sweep and pairs still agree."""
    rng = Random(3)
    for _ in range(3_000):
        tree = DynamicQuadtree((0, 0, 10, 10))
        for item in "ab":
            tree.add(item, *decimals(rng, 20), **rng.choice(shapes_of(*decimals(rng, 9))))

        overlap = bool(tree.pairs())
        for item, other in ("ab", "ba"):
            assert tree.sweep(item, *tree.position(item)) == [other] * overlap


def shapes_of(width, height):
    return [{}, {"radius": width}, {"size": (2 * width, 2 * height)}]


def decimals(rng, most):
    return rng.randrange(1, most) / 10, rng.randrange(1, most) / 10

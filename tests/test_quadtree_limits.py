"""Trees of every leaf size and depth answer as brute force does, and keep their limits."""

from __future__ import annotations

import copy
import pickle
import struct
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import BruteDynamic, BruteStatic
from tests.questions import (
    DYNAMIC_VERBS,
    STATIC_VERBS,
    Asker,
    add_unit,
    compare_dynamic,
    compare_static,
)
from tests.test_quadtree_bytes import rows_of, sealed
from tests.worlds import WORLDS, boxes
from tilequad import DynamicQuadtree, StaticQuadtree

LEAF_SIZES, DEPTHS = st.integers(1, 64), st.integers(1, 20)
MASKS = (1, 2, 6, 2**31)


def grown(rng, world, tree, steps):
    """Change a tree, and whoever follows it, at random; return its twin and its places."""
    twin, places = BruteDynamic(world.bounds), {}
    for step in range(steps):
        kind = rng.random()
        if kind < 0.5 or not places:
            places[step] = add_unit(rng, world, step, 100, MASKS, tree, twin)
        elif kind < 0.55:
            items = range(1000 * step, 1000 * step + rng.choice((2, 40)))
            xy = [world.place(rng) for _ in items]
            places.update(zip(items, xy, strict=True))
            for each in (tree, twin):
                each.add_many(items, xy)
        elif kind < 0.75:
            for item in rng.sample(sorted(places), min(len(places), 5)):
                places[item] = world.place(rng)
                for each in (tree, twin):
                    each.move(item, *places[item])
        elif kind < 0.8:
            items = sorted(places)
            places.update((item, world.place(rng)) for item in items)
            for each in (tree, twin):
                slots = [each.slot(item) for item in items]
                each.move_many(slots, [places[item] for item in items])
        else:
            for item in rng.sample(sorted(places), rng.randint(1, min(len(places), 8))):
                del places[item]
                for each in (tree, twin):
                    each.remove(item)
        if step % 10 == 0:
            tree.check()
    return twin, places


@settings(max_examples=60)
@given(st.integers(0, 10**9), st.sampled_from(WORLDS), LEAF_SIZES, DEPTHS, st.integers(1, 120))
def test_limits_change_no_answer_of_units(seed, world, leaf_size, max_depth, steps):
    tree = DynamicQuadtree(world.bounds, leaf_size=leaf_size, max_depth=max_depth)
    usual = DynamicQuadtree(world.bounds)
    twin, places = grown(Random(seed), world, tree, steps)
    grown(Random(seed), world, usual, steps)
    tree.check()

    assert tree.stats().depth <= max_depth
    assert tree.digest() == usual.digest()
    asker = Asker(Random(seed), world, places)
    for verb in DYNAMIC_VERBS * 2:
        compare_dynamic(tree, twin, asker.dynamic(verb))
    xy = np.array(list(places.values()) or [(0.0, 0.0)])
    radius = world.bounds.width / 9
    for mine, others in (
        (tree.k_nearest_many(xy, 5), usual.k_nearest_many(xy, 5)),
        (tree.nearest_many(xy), usual.nearest_many(xy)),
        (tree.count_within_many(xy, radius), usual.count_within_many(xy, radius)),
    ):
        for one, other in zip(mine, others, strict=True):
            assert np.array_equal(one, other)
    for item in list(places):  # every merge on the way to nothing
        tree.remove(item)
    tree.check()
    assert tree.stats().nodes == 1


@settings(max_examples=60)
@given(st.integers(0, 10**9), st.sampled_from(WORLDS), LEAF_SIZES, DEPTHS, st.integers(1, 150))
def test_limits_change_no_answer_of_boxes(seed, world, leaf_size, max_depth, count):
    rng = Random(seed)
    rows = boxes(rng, world, count)
    tree = StaticQuadtree(rows, leaf_size=leaf_size, max_depth=max_depth)
    tree.check()

    assert tree.stats().depth <= max_depth
    assert tree.digest() == StaticQuadtree(rows).digest()
    asker = Asker(rng, world, {i: (row[0], row[1]) for i, row in enumerate(rows)})
    for verb in STATIC_VERBS * 2:
        compare_static(tree, BruteStatic(rows), asker.static(verb))


@pytest.mark.parametrize("leaf_size", [1, 2, 3, 5, 13, 48, 67, 300])
def test_leaves_hold_no_more_than_they_may(leaf_size):
    xy = np.random.default_rng(leaf_size).uniform(0, 1000, (1500, 2))
    one_by_one, at_once = (DynamicQuadtree((0, 0, 1000, 1000), leaf_size=leaf_size) for _ in "ab")
    for number, (x, y) in enumerate(xy):
        one_by_one.add(number, x, y)
    at_once.add_many(range(1500), xy)
    still = StaticQuadtree(np.hstack([xy, xy]), leaf_size=leaf_size)

    for tree in (one_by_one, at_once, still):
        tree.check()
        assert tree.stats().fullest_leaf <= leaf_size


@pytest.mark.parametrize("max_depth", [1, 3, 40])
def test_coincident_units_share_a_leaf_at_any_limit(max_depth):
    xy = np.array([(7.0, 7.0)] * 100 + [(8.0, 7.0)])
    tree = DynamicQuadtree((0, 0, 1000, 1000), leaf_size=1, max_depth=max_depth)
    for number, (x, y) in enumerate(xy):
        tree.add(number, x, y)
    tree.check()
    still = StaticQuadtree(np.hstack([xy, xy]), leaf_size=1, max_depth=max_depth)
    still.check()

    assert tree.nearest(7.9, 7) == still.nearest(7.9, 7) == 100
    assert sorted(tree.within(7, 7, 0)) == still.within(7, 7, 0).tolist() == list(range(100))
    assert max(tree.stats().depth, still.stats().depth) <= max_depth


def test_copies_and_files_keep_the_limits(tmp_path):
    units = DynamicQuadtree((0, 0, 100, 100), leaf_size=5, max_depth=7)
    units.add_many(range(90), np.random.default_rng(1).uniform(0, 100, (90, 2)))
    rows = [(x, 0, x + 3, 1) for x in range(90)]
    still = StaticQuadtree(rows, leaf_size=np.int64(5), max_depth=7)
    still.save(tmp_path / "still.tree")
    again = [pickle.loads(pickle.dumps(tree)) for tree in (units, still)]
    again += [copy.deepcopy(tree) for tree in (units, still)]
    again += [DynamicQuadtree.from_bytes(units.to_bytes(), list(units))]
    again += [
        StaticQuadtree.from_bytes(still.to_bytes()),
        StaticQuadtree.load(tmp_path / "still.tree"),
    ]

    for tree in again:
        tree.check()
        assert (tree.leaf_size, tree.max_depth) == (5, 7)
        assert tree.stats().fullest_leaf <= 5
    for tree in again[0], again[2], again[4]:  # and go by them
        tree.add_many(range(100, 900), np.random.default_rng(3).uniform(0, 100, (800, 2)))
        assert tree.stats().depth <= 7
    told = "leaf_size 5, max_depth 7"
    assert repr(units) == f"<DynamicQuadtree of 90 units in (0, 0, 100, 100), {told}>"
    assert repr(still) == f"<StaticQuadtree of 90 boxes, {told}>"


@pytest.mark.parametrize("name", ["leaf_size", "max_depth"])
@pytest.mark.parametrize("wrong", [0, -3, 65_537, 10**30, 1.0, "8", None, [1]])
def test_limits_that_are_refused(name, wrong):
    error = ValueError if isinstance(wrong, int) else TypeError
    for made, first in ((DynamicQuadtree, (0, 0, 9, 9)), (StaticQuadtree, [(0, 0, 1, 1)])):
        with pytest.raises(error, match=name) as raised:
            made(first, **{name: wrong})
        assert repr(wrong) in str(raised.value)
        with pytest.raises(TypeError):
            made(first, 8)


@pytest.mark.parametrize("limits", [(0, 40), (-1, 40), (65_537, 40), (4, 0), (4, 41), (4, 2)])
def test_bytes_with_other_limits_are_refused(limits):
    xy = np.random.default_rng(1).uniform(0, 100, (200, 2))
    units = DynamicQuadtree((0, 0, 100, 100), leaf_size=4)
    units.add_many(range(200), xy)
    still = StaticQuadtree(np.hstack([xy, xy]), leaf_size=4)
    for tree, row, items in ((units, 8, [list(units)]), (still, 5, [])):  # the row that has them
        whole = tree.to_bytes()
        rows = rows_of(whole)
        *head, numbers = rows[row]
        assert numbers.endswith(struct.pack("<2i", 4, 40))
        rows[row] = (*head, numbers[:-8] + struct.pack("<2i", *limits))
        with pytest.raises(ValueError, match="damaged"):
            tree.from_bytes(sealed(whole, rows), *items)


def answers() -> list:
    """The bytes of trees with all kinds of limits, and what they find."""
    found = []
    for number, world in enumerate(WORLDS):
        for leaf_size, max_depth in ((1, 20), (3, 4), (7, 1), (64, 9)):
            rng = Random(number)
            tree = DynamicQuadtree(world.bounds, leaf_size=leaf_size, max_depth=max_depth)
            _, places = grown(rng, world, tree, 60)
            still = StaticQuadtree(boxes(rng, world, 80), leaf_size=leaf_size, max_depth=max_depth)
            found += [tree.to_bytes().hex(), still.to_bytes().hex()]
            asker = Asker(rng, world, places)
            found += [
                getattr(tree, verb)(*args, **options)
                for verb, args, options in map(asker.dynamic, ("within", "k_nearest", "segment"))
            ]
    return found


def test_many_units_leave_one_point():
    units = DynamicQuadtree((0, 0, 10, 10))
    slots = units.add_many(None, [(5, 5)] * 20_000)
    units.remove_many(slots[1:])
    units.check()
    assert units.within(5, 5, 0) == [slots[0]]

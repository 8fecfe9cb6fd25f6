"""The dynamic tree agrees with brute force, in every world and at every small size."""

import gc
import tracemalloc
from random import Random

import numpy as np
import pytest

from tests.oracle import BruteDynamic
from tests.oracle_arrays import ArrayDynamic
from tests.questions import DYNAMIC_VERBS, Asker, add_unit, compare_dynamic
from tests.share import share
from tests.trees import DynamicQuadtree
from tests.worlds import WORLDS, footprint

GROUPS = (1, 1, 2, 4, 3, 2**31)


def test_queries_are_exact_at_every_size_up_to_199(world):
    """The tree grows to 199 units, with moves, then shrinks; every query runs at each size.

    From 50 on, a share of the sizes is asked. On one point, where each unit meets all others, pairs
    are asked for at every tenth.
    """
    asked = {*range(50), *share(range(50, 199))}
    few_pairs = world.name == "one point"
    rng = Random(world.name)
    tree, twin, places = DynamicQuadtree(world.bounds), BruteDynamic(world.bounds), {}
    asker = Asker(rng, world, places)

    for item in range(199):
        places[item] = add_unit(rng, world, item, 199, GROUPS, tree, twin)
        if item in asked:
            ask_all(tree, twin, asker, pairs=not few_pairs or item % 10 == 0)
    for item in rng.sample(range(199), 100):
        places[item] = world.place(rng)
        tree.move(item, *places[item])
        twin.move(item, *places[item])
        tree.check()
    for item in rng.sample(range(199), 199):
        tree.remove(item)
        twin.remove(item)
        del places[item]
        if len(tree) in asked:
            ask_all(tree, twin, asker, pairs=not few_pairs or item % 10 == 0)

    assert len(tree) == 0


@pytest.mark.parametrize("count", [1_000, 10_000])
def test_queries_of_large_trees_are_exact(world, count):
    rng = Random(count)
    tree, twin, places = DynamicQuadtree(world.bounds), ArrayDynamic(world.bounds), {}
    for item in range(count):
        places[item] = add_unit(rng, world, item, count, GROUPS, tree, twin)
    tree.check()
    asker = Asker(rng, world, places)
    verbs = [verb for verb in DYNAMIC_VERBS if verb != "pairs"]

    for _ in range(5):
        for verb in verbs:
            compare_dynamic(tree, twin, asker.dynamic(verb))
    for item in rng.sample(range(count), count // 10):
        places[item] = world.place(rng)
        tree.move(item, *places[item])
        twin.move(item, *places[item])
    tree.check()
    for verb in verbs:
        compare_dynamic(tree, twin, asker.dynamic(verb))


def test_pairs_of_thousands_are_exact(world):
    """2,000 units, fewer in worlds in which all of them overlap."""
    count = 300 if world.name == "one point" else 2_000
    rng = Random(world.name)
    tree, twin = DynamicQuadtree(world.bounds), ArrayDynamic(world.bounds)
    for item in range(count):
        add_unit(rng, world, item, count, GROUPS, tree, twin)

    assert tree.pairs() == twin.pairs()
    assert tree.pairs(groups=2) == twin.pairs(groups=2)


def test_a_huge_box_among_points_is_found_wherever_it_reaches(world):
    """The box hides no other unit."""
    rng = Random(world.name)
    tree, twin, places = DynamicQuadtree(world.bounds), BruteDynamic(world.bounds), {}
    span = world.bounds.width
    for item in range(300):
        places[item] = world.place(rng)
        size = (2 * span, 3 * span) if item == 100 else None
        tree.add(item, *places[item], size=size)
        twin.add(item, *places[item], size=size)

    for number in range(8):
        ask_all(tree, twin, Asker(rng, world, places), pairs=number == 0)
    tree.remove(100)
    twin.remove(100)
    ask_all(tree, twin, Asker(rng, world, places))


def test_any_hashable_can_be_an_item():
    tree = DynamicQuadtree((0, 0, 100, 100))
    items = ["a", 0, 2.5, ("t", 1), frozenset({3}), object, b"bytes"]
    for place, item in enumerate(items):
        tree.add(item, place, place)

    assert tree.k_nearest(0, 0, 100) == items
    assert tree.nearest(1, 1) == 0
    assert 0 in tree


def test_an_item_added_again_comes_last_in_order():
    tree = DynamicQuadtree((0, 0, 100, 100))
    for item in "abc":
        tree.add(item, 50, 50)
    tree.remove("a")
    tree.add("a", 50, 50)

    assert list(tree) == ["b", "c", "a"]
    assert tree.k_nearest(50, 50, 3) == ["b", "c", "a"]
    assert tree.pairs() == [("b", "c"), ("b", "a"), ("c", "a")]


def test_moving_keeps_the_order_of_adding_footprint_and_groups():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("circle", 10, 10, radius=5, groups=2)
    tree.add("box", 10, 10, size=(4, 8), groups=4)
    tree.move("circle", 60, 60)
    tree.move("box", 68, 60)

    assert sorted(tree.query((0, 0, 66, 100), groups=6)) == ["box", "circle"]
    assert sorted(tree.query((0, 0, 66, 100))) == ["box", "circle"]
    assert tree.query((0, 0, 65, 100), groups=4) == []
    assert tree.query((65, 60, 65, 60)) == ["circle"]
    tree.move("box", 67, 60)
    assert tree.pairs() == [("circle", "box")]
    assert tree.nearest(67, 60, groups=2) == "circle"


def test_nearest_finds_a_rare_group():
    rng = Random(5)
    tree, twin = DynamicQuadtree(WORLDS[0].bounds), BruteDynamic(WORLDS[0].bounds)
    for item in range(2_000):
        x, y = rng.uniform(0, 1024), rng.uniform(0, 1024)
        groups = 8 if item % 100 == 0 else 1
        tree.add(item, x, y, groups=groups)
        twin.add(item, x, y, groups=groups)

    for _ in range(50):
        x, y = rng.uniform(0, 1024), rng.uniform(0, 1024)
        assert tree.nearest(x, y, groups=8) == twin.nearest(x, y, groups=8)
        assert tree.k_nearest(x, y, 30, groups=9) == twin.k_nearest(x, y, 30, groups=9)
    assert tree.nearest(0, 0, groups=16) is None


def test_queries_follow_changes_of_groups():
    """All units of a region change groups, and change back; no query uses old groups."""
    rng = Random(6)
    tree, twin = DynamicQuadtree(WORLDS[0].bounds), BruteDynamic(WORLDS[0].bounds)
    for item in range(300):
        add_unit(rng, WORLDS[0], item, 300, GROUPS, tree, twin)
    for groups in (8, 1, 8, 2**31):
        for item in range(0, 300, 3):
            tree.set_groups(item, groups)
            twin.set_groups(item, groups)
        tree.check()
        for wanted in (1, 8, 2**31):
            x, y = rng.uniform(0, 1024), rng.uniform(0, 1024)
            assert tree.k_nearest(x, y, 400, wanted) == twin.k_nearest(x, y, 400, wanted)
            assert tree.count_within(x, y, 200, wanted) == twin.count_within(x, y, 200, wanted)
            assert tree.pairs(wanted) == twin.pairs(wanted)


def test_where_is_called_nearest_first_and_no_more_than_needed():
    tree = DynamicQuadtree((0, 0, 1024, 1024))
    rng = Random(11)
    for item in range(1_000):
        tree.add(item, rng.uniform(0, 1024), rng.uniform(0, 1024))
    asked = []

    def fifth(item):
        asked.append(item)
        return len(asked) == 5

    found = tree.nearest(500, 500, where=fifth)

    assert asked == tree.k_nearest(500, 500, 5)
    assert found == asked[-1]


def test_the_same_calls_give_the_same_lists():
    """This includes queries that promise no order."""
    answers = []
    for _ in range(2):
        rng = Random(3)
        tree, places = DynamicQuadtree(WORLDS[1].bounds), {}
        for item in range(500):
            places[item] = WORLDS[1].place(rng)
            tree.add(item, *places[item], **footprint(rng, WORLDS[1], 500))
        for item in range(0, 500, 3):
            tree.move(item, *WORLDS[1].place(rng))
        for item in range(0, 500, 7):
            tree.remove(item)
            del places[item]
        asker = Asker(rng, WORLDS[1], places)
        questions = [asker.dynamic(verb) for verb in DYNAMIC_VERBS for _ in range(20)]
        answers.append([getattr(tree, verb)(*args, **more) for verb, args, more in questions])

    assert answers[0] == answers[1]


@pytest.mark.slow
def test_replacing_units_does_not_grow_memory():
    """A crowd crosses the world while its units are replaced."""
    rng = Random(8)
    tree = DynamicQuadtree((0, 0, 1024, 1024))
    held = []
    tracemalloc.start()
    try:
        for cycle in range(120):
            center = 25.6 * (cycle % 40)
            for item in range(100):
                x, y = rng.gauss(center, 20), rng.gauss(center, 20)
                if item in tree:
                    tree.move(item, x, y)
                    tree.remove(item)
                tree.add(item, x, y, radius=rng.random())
            if cycle % 10 == 9:
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])
        tree.check()
    finally:
        tracemalloc.stop()

    assert max(held[8:]) <= 1.5 * max(held[:4])


def ask_all(tree, twin, asker, pairs=True):
    tree.check()
    for verb in DYNAMIC_VERBS:
        if pairs or verb != "pairs":
            compare_dynamic(tree, twin, asker.dynamic(verb))


def test_pairs_leave_out_units_of_a_group():
    rng = np.random.default_rng(5)
    xy = rng.uniform(0, 400, (1_500, 2))
    groups = np.where(xy[:, 0] < 200, 2, 1) | np.where(rng.random(1_500) < 0.2, 4, 0)
    tree = DynamicQuadtree((0, 0, 400, 400))
    tree.add_many(range(1_500), xy, radius=6, groups=groups)
    every = {frozenset(pair) for pair in tree.pairs()}

    for without in (2, 4, 6):
        wanted = {pair for pair in every if not any(groups[unit] & without for unit in pair)}
        assert {frozenset(pair) for pair in tree.pairs(without=without)} == wanted

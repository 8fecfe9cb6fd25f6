"""Batch methods of the dynamic tree: add, move, query and remove many units in one call.

Each batch method must equal a loop over its single method, or raise an error and change nothing.
"""

import pickle
from itertools import permutations
from math import sqrt
from random import Random

import numpy as np
import pytest

from tests.oracle import BruteDynamic
from tests.oracle_arrays import ArrayDynamic
from tests.questions import DYNAMIC_VERBS, Asker, compare_dynamic
from tests.trees import DynamicQuadtree, refuses
from tests.worlds import SQUARE, WORLDS

NAN, INF = float("nan"), float("inf")


# Adding.


@pytest.mark.parametrize("count", [1, 2, 7, 63, 64, 65, 500])
def test_add_many_equals_add_in_a_loop(world, count):
    """In an empty tree, which is built in bulk, and again in a full one."""
    rng = Random(f"{world.name} {count}")
    tree, twin, places = DynamicQuadtree(world.bounds), ArrayDynamic(world.bounds), {}
    for start in (0, count):
        items = list(range(start, start + count))
        slots, new_places = recruit(rng, world, items, tree, twin)
        places |= new_places
        tree.check()

        assert isinstance(slots, np.ndarray)
        assert slots.dtype == np.int32
        assert slots.shape == (count,)
        assert tree.items(slots) == items
        assert [tree.slot(item) for item in items] == slots.tolist()
        assert list(tree) == list(twin)
        asker = Asker(rng, world, places)
        for verb in DYNAMIC_VERBS:
            compare_dynamic(tree, twin, asker.dynamic(verb))


def test_add_many_takes_ten_thousand_units():
    rng = Random(1)
    tree, twin = DynamicQuadtree(SQUARE), ArrayDynamic(SQUARE)
    _, places = recruit(rng, WORLDS[1], range(10_000), tree, twin)
    tree.check()

    asker = Asker(rng, WORLDS[1], places)
    for verb in ("query", "within", "nearest", "k_nearest", "segment") * 4:
        compare_dynamic(tree, twin, asker.dynamic(verb))


@pytest.mark.parametrize(
    "xy",
    [
        [(1, 2), (3, 4)],
        np.array([[1, 2], [3, 4]]),
        np.array([[1, 2], [3, 4]], dtype=np.float32),
        np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]),
        np.array([[1.0, 2.0], [9.0, 9.0], [3.0, 4.0]])[::2],
        np.array([[1.0, 9.0, 2.0], [3.0, 9.0, 4.0]])[:, ::2],
    ],
    ids=["tuples", "int", "float32", "fortran", "strided rows", "strided columns"],
)
def test_any_array_of_positions_is_accepted(xy):
    tree = DynamicQuadtree((0, 0, 10, 10))
    slots = tree.add_many(["a", "b"], xy)
    assert [tree.position(item) for item in "ab"] == [(1, 2), (3, 4)]
    tree.add("c", 9, 9)
    tree.move_many(slots, np.asarray(xy) + 1)
    tree.move_many(slots, xy)
    assert [tree.position(item) for item in "abc"] == [(1, 2), (3, 4), (9, 9)]
    offsets, found = tree.within_many(xy, 0)
    assert offsets.tolist() == [0, 1, 2]
    assert found.tolist() == slots.tolist()
    tree.check()


def test_one_radius_and_one_mask_serve_all_units():
    tree = DynamicQuadtree((0, 0, 10, 10))
    tree.add_many("ab", [(2, 2), (6, 2)], radius=2, groups=4)

    assert tree.pairs() == [("a", "b")]
    assert tree.nearest(0, 0, groups=4) == "a"
    assert tree.nearest(0, 0, groups=1) is None


@pytest.mark.parametrize("size", [(6, 2), [(6, 2), (4, 2)]], ids=["one", "one each"])
def test_add_many_takes_boxes(size):
    tree = DynamicQuadtree((0, 0, 20, 20))
    tree.add_many("ab", [(3, 3), (8, 3)], size=size)

    assert tree.pairs() == [("a", "b")]
    assert tree.query((0, 4, 4, 5)) == ["a"]
    tree.check()


def test_any_iterable_of_items_is_accepted():
    tree = DynamicQuadtree((0, 0, 10, 10))
    tree.add_many((name for name in ("a", "b")), [(1, 1), (2, 2)])
    assert list(tree) == ["a", "b"]


def test_empty_batches_are_accepted():
    tree = DynamicQuadtree((0, 0, 10, 10))
    slots = tree.add_many([], np.empty((0, 2)), radius=[], groups=[])
    tree.move_many(slots, np.empty((0, 2)))
    tree.remove_many(slots)
    tree.check()

    assert slots.shape == (0,)
    assert tree.items(slots) == []
    assert tree.pairs_many().shape == (0, 2)
    offsets, found = tree.within_many(np.empty((0, 2)), 5)
    assert offsets.tolist() == [0]
    assert found.shape == (0,)
    slots, distances = tree.nearest_many([(1, 1), (2, 2)])
    assert slots.tolist() == [-1, -1]
    assert distances.tolist() == [INF, INF]


# Moving and removing.


def test_move_many_equals_move_in_a_loop(world):
    """Units move far, by small steps, and onto one point; some are removed in between."""
    rng = Random(world.name)
    tree, twin = DynamicQuadtree(world.bounds), BruteDynamic(world.bounds)
    slots, _ = recruit(rng, world, range(200), tree, twin)
    alive = np.arange(200)
    for number in range(8):
        if number % 3 == 2:
            gone = rng.sample(range(len(alive)), 20)
            tree.remove_many(slots[alive[gone]])
            for item in alive[gone].tolist():
                twin.remove(item)
            alive = np.delete(alive, gone)
        new = steps(rng, world, [twin.position(item) for item in alive.tolist()], number)
        tree.move_many(slots[alive], new)
        for item, (x, y) in zip(alive.tolist(), new, strict=True):
            twin.move(item, x, y)
        tree.check()

        assert list(tree) == list(twin) == tree.items(slots[alive])
        assert [tree.position(item) for item in tree] == [twin.position(item) for item in twin]
        places = {item: twin.position(item) for item in twin}
        for verb in DYNAMIC_VERBS:
            compare_dynamic(tree, twin, Asker(rng, world, places).dynamic(verb))


@pytest.mark.parametrize("part", [0.3, 1.0])
def test_crossing_armies_stay_exact(world, part):
    """Most units leave their leaf in the same call, so a leaf fills while others still leave it."""
    rng = Random(f"{world.name} {part}")
    tree, twin, places = DynamicQuadtree(world.bounds), ArrayDynamic(world.bounds), {}
    slots = tree.add_many(range(300), [world.place(rng) for _ in range(300)])
    for item in range(300):
        places[item] = tree.position(item)
        twin.add(item, *places[item])
    for _ in range(10):
        moved = rng.sample(range(300), int(300 * part))
        for item in moved:
            places[item] = world.place(rng)
            twin.move(item, *places[item])
        tree.move_many(slots[moved], [places[item] for item in moved])
        tree.check()
        for item in rng.sample(range(300), 20):
            places[item] = world.place(rng)
            tree.move(item, *places[item])
            twin.move(item, *places[item])
        tree.check()
        for verb in ("query", "within", "k_nearest", "segment"):
            compare_dynamic(tree, twin, Asker(rng, world, places).dynamic(verb))


def test_a_slot_is_stable_until_its_unit_is_removed():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("single", 5, 5)
    slots = tree.add_many(range(100), np.random.default_rng(1).uniform(0, 100, (100, 2)))
    single = tree.slot("single")
    tree.move("single", 50, 50)
    tree.move_many(slots, np.full((100, 2), 50.0))
    tree.remove_many(slots[:50])
    tree.remove(60)

    assert tree.slot("single") == single
    assert tree.items([single, *slots[90:]]) == ["single", *range(90, 100)]
    assert [tree.slot(item) for item in range(90, 100)] == slots[90:].tolist()
    with pytest.raises(KeyError, match="60"):
        tree.slot(60)
    tree.check()


def test_a_slot_is_an_int_however_its_unit_came():
    tree = DynamicQuadtree(SQUARE)
    tree.add_many(["first", "second"], [(1, 1), (2, 2)])
    tree.add("third", 3, 3)
    tree.add_many(["fourth", "fifth"], [(4, 4), (5, 5)])
    kept = pickle.loads(pickle.dumps(tree))

    for each in (tree, kept):
        assert {type(each.slot(item)) for item in each} == {int}


def test_all_units_can_be_removed_and_added_again():
    tree = DynamicQuadtree((0, 0, 100, 100))
    xy = np.random.default_rng(2).uniform(0, 100, (500, 2))
    for _ in range(5):
        slots = tree.add_many(range(500), xy)
        tree.check()
        tree.remove_many(slots[::-1])
        tree.check()
        assert len(tree) == 0
        assert tree.query((0, 0, 100, 100)) == []


# Querying.


@pytest.mark.parametrize("crowd", [40, 400, 2000])
@pytest.mark.parametrize("shift", [0.0, 1e9, -1e-6])
def test_within_many_of_close_queries_is_exact_at_the_edge(crowd, shift):
    """Questions close together share a walk: on a grid, where distances are 3-4-5 triangles.

    Few around them, many, and more than there is room for; some of the radii far from the rest.
    """
    rng = Random(crowd)
    units = BruteDynamic(SQUARE)
    tree = DynamicQuadtree(SQUARE)
    side = int(sqrt(crowd))
    for item in range(crowd):
        x, y = shift + rng.randrange(side), shift + rng.randrange(side)
        for index in (tree, units):
            index.add(item, x, y, radius=7, groups=1 << item % 3)
    xy = [(shift + rng.randrange(side), shift + rng.randrange(side)) for _ in range(300)]
    radii = [rng.choice([0.0, 5.0, 5.0, 5.0, 10.0, 60.0]) for _ in xy]
    for groups in (None, 2, 5, 8):
        offsets, slots = tree.within_many(xy, radii, groups=groups)
        for i, ((x, y), radius) in enumerate(zip(xy, radii, strict=True)):
            found = tree.items(slots[offsets[i] : offsets[i + 1]])
            assert sorted(found) == sorted(units.within(x, y, radius, groups=groups))


@pytest.mark.parametrize("workers", [2, 3, 64, 2**70, -1])
def test_workers_do_not_change_results(workers):
    rng = Random(7)
    tree = DynamicQuadtree(SQUARE)
    xy, radii, masks = army(rng, WORLDS[1], 500)
    tree.add_many(range(500), xy, radius=radii, groups=masks)
    boxes = np.hstack([xy, np.array(xy) + 20])
    for verb, args in (
        ("within_many", (xy, 30)),
        ("within_many", (xy[:1], 30)),
        ("query_many", (boxes,)),
        ("nearest_many", (xy,)),
    ):
        alone, together = getattr(tree, verb)(*args), getattr(tree, verb)(*args, workers=workers)
        assert [part.tolist() for part in alone] == [part.tolist() for part in together]


def test_nearest_many_respects_max_distance():
    tree = DynamicQuadtree((0, 0, 10, 10))
    slots = tree.add_many("ab", [(3, 4), (9, 9)])
    found, distances = tree.nearest_many([(0, 0), (0, 0.5)], max_distance=5)
    assert found.tolist() == [slots[0], slots[0]]
    found, distances = tree.nearest_many([(0, 0), (-1, 0)], max_distance=5)
    assert found.tolist() == [slots[0], -1]
    assert distances.tolist() == [5, INF]


@pytest.mark.parametrize(
    ("groups", "against"), [(None, None), (2, None), (1, 2), (3, 2**31), (None, 2)]
)
def test_pairs_select_group_against_group(world, groups, against):
    rng = Random(world.name)
    tree, twin = DynamicQuadtree(world.bounds), BruteDynamic(world.bounds)
    xy, radii, masks = army(rng, world, 150)
    for each in (tree, twin):
        each.add_many(range(150), xy, radius=radii, groups=masks)

    slots = tree.pairs_many(groups, against=against)
    assert slots.dtype == np.int32
    assert slots.shape == (len(slots), 2)
    found = [tuple(tree.items(pair)) for pair in slots]
    expected = [tuple(twin.items(pair)) for pair in twin.pairs_many(groups, against=against)]
    assert sorted(found) == expected
    assert tree.pairs(groups, against=against) == expected


# A batch call that fails changes nothing.


@pytest.mark.parametrize("wrong", [-1, 10, 10**6, 2**31 - 1, -(2**31), 2**40])
def test_unknown_slots_are_refused_and_change_nothing(wrong):
    tree, before = small_tree(10)
    slots = [tree.slot(3), wrong]
    for ask in (
        lambda: tree.move_many(slots, [(1, 1), (2, 2)]),
        lambda: tree.remove_many(slots),
        lambda: tree.position_many(slots),
        lambda: tree.items([tree.slot(3), -2 if wrong == -1 else wrong]),
    ):
        with pytest.raises(ValueError, match=r"slots must be slots of units.*, got .* in row 1"):
            ask()
        assert_unchanged(tree, before)


def test_items_of_no_slot_are_none():
    tree, _ = small_tree(10)
    for kind in (np.int32, np.int64):
        slots = np.array([-1, tree.slot(3), -1, tree.slot(0)], kind)
        assert tree.items(slots) == [None, 3, None, 0]
    found, _ = tree.nearest_many([(0, 0), (10**6, 10**6)], max_distance=10**3)
    assert tree.items(found) == [tree.nearest(0, 0), None]


def test_the_slot_of_a_removed_unit_is_unknown_and_none_is_removed_twice():
    tree, _ = small_tree(10)
    gone = tree.slot(5)
    tree.remove(5)
    before = account(tree)
    for ask in (
        lambda: tree.move_many([gone], [(1, 1)]),
        lambda: tree.remove_many([gone]),
        lambda: tree.items([gone]),
    ):
        with pytest.raises(ValueError, match=f"got {gone} in row 0"):
            ask()
    with pytest.raises(ValueError, match="slots"):
        tree.remove_many([tree.slot(3), tree.slot(4), tree.slot(3)])
    assert_unchanged(tree, before)


@refuses
@pytest.mark.parametrize("count", [1, 150])
def test_a_refused_add_many_takes_no_slots(count):
    tree, before = small_tree(count)
    for items, x, options, error, words in (
        (["n", []], 2, {}, TypeError, r"items.*\[\]"),
        (["n", "o"], NAN, {}, ValueError, "xy.*nan"),
        (["n", "n"], 2, {}, ValueError, "'n'"),
        (["n", 0], 2, {}, ValueError, "0"),
        (["n", "o"], 2, {"radius": [1, -2]}, ValueError, "radius.*-2"),
        (["n", "o"], 2, {"size": (1, 2), "radius": 1}, ValueError, "size"),
        (["n", "o"], 2, {"groups": [1, 0]}, ValueError, "groups.*0"),
    ):
        with pytest.raises(error, match=words):
            tree.add_many(items, [(1, 1), (x, 2)], **options)
        assert_unchanged(tree, before)
    slots = tree.add_many(["n", "o"], [(1, 1), (2, 2)])
    assert tree.items(slots) == ["n", "o"]
    tree.check()


def army(rng, world, count):
    """Return positions, radii and masks of `count` units, as lists."""
    reach = world.bounds.width / 50
    return (
        [world.place(rng) for _ in range(count)],
        [rng.choice((0.0, reach * rng.random())) for _ in range(count)],
        [rng.choice((1, 2, 3, 2**31)) for _ in range(count)],
    )


def recruit(rng, world, items, tree, twin):
    """Add units to a tree at once and to its twin one by one; return their slots and places."""
    xy, radii, masks = army(rng, world, len(items))
    slots = tree.add_many(items, xy, radius=radii, groups=masks)
    for item, (x, y), radius, mask in zip(items, xy, radii, masks, strict=True):
        twin.add(item, x, y, radius=radius, groups=mask)
    return slots, dict(zip(items, xy, strict=True))


def steps(rng, world, xy, number):
    """Return new positions: in turn random, a small step away, one point, random again."""
    if number % 4 == 2:
        return [world.place(rng)] * len(xy)
    if number % 4 == 1:
        step = world.bounds.width / 300
        return [(x + rng.uniform(-step, step), y + rng.uniform(-step, step)) for x, y in xy]
    return [world.place(rng) for _ in xy]


def small_tree(count):
    """Return a tree and its account."""
    tree = DynamicQuadtree((0, 0, 100, 100))
    for item in range(count):
        tree.add(item, item % 13, item % 7, radius=item % 3, groups=1 + item % 2)
    return tree, account(tree)


def account(tree):
    items = list(tree)
    return (
        items,
        [tree.position(item) for item in items],
        [tree.slot(item) for item in items],
        tree.k_nearest(0, 0, 10**6),
        tree.query((-1e9, -1e9, 1e9, 1e9), groups=2),
        tree.pairs(),
    )


def assert_unchanged(tree, before):
    tree.check()
    assert account(tree) == before


@pytest.mark.parametrize("gone", list(permutations(range(4), 3)), ids=str)
def test_units_keep_their_own_sizes_in_slots_that_others_left(gone):
    tree = DynamicQuadtree((0, 0, 10, 10))
    tree.add_many(range(4), np.zeros((4, 2)))
    for item in gone:
        tree.remove(item)
    radii = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}
    tree.add_many(radii, [(2, 2), (4, 4), (6, 6), (8, 8)], radius=list(radii.values()))

    for item, radius in radii.items():
        x, y = tree.position(item)
        assert tree.within(x + 1, y, 1 - radius + 0.01, to_edge=True) == [item]
        assert tree.within(x + 1, y, 1 - radius - 0.01, to_edge=True) == []

"""Each question has two spellings, for one unit and for arrays, and both give the same answers."""

import copy
import pickle
from itertools import pairwise
from random import Random

import numpy as np
import pytest

import tilequad
from tests.oracle import BruteDynamic
from tests.questions import add_unit
from tests.trees import DynamicQuadtree, refuses

each_number_of_workers = pytest.mark.parametrize("workers", [1, 2])
GROUPS = (1, 2, 5, 2**31, 2**32 - 1)


def battle(world, count=250):
    """A tree and its twin with the same units, some of them gone, and the random numbers."""
    rng = Random(world.name)
    tree, twin = DynamicQuadtree(world.bounds), BruteDynamic(world.bounds)
    for item in range(count):
        add_unit(rng, world, item, 60, GROUPS, tree, twin)
    for item in rng.sample(range(count), count // 5):
        tree.remove(item)
        twin.remove(item)
    return tree, twin, rng


def test_slots_and_items_lead_to_one_another(world):
    tree, _, rng = battle(world)
    items = rng.sample(list(tree), 100) + [next(iter(tree))] * 2

    slots = tree.slots(items)

    assert slots.dtype == np.int32
    assert slots.tolist() == [tree.slot(item) for item in items]
    assert tree.items(slots) == items
    assert [tree.item(slot) for slot in slots] == items
    assert tree.slots([]).tolist() == []
    assert tree.slots(iter(items)).tolist() == slots.tolist()


def test_groups_and_serials_of_one_are_those_of_many(world):
    tree, _, _ = battle(world)
    items = list(tree)
    slots = tree.slots(items)

    masks = tree.groups_many(slots)

    assert masks.dtype == np.uint32
    assert masks.tolist() == [tree.groups(item) for item in items]
    assert tree.serial_many(slots).tolist() == [tree.serial(item) for item in items]
    tree.set_groups_many(slots, masks)
    assert tree.groups_many(slots).tolist() == masks.tolist()


def test_sums_of_one_circle_are_those_of_many(world):
    tree, twin, rng = battle(world)
    values = np.random.default_rng(3).normal(size=300) * 10.0 ** np.arange(300) % 1e9
    for _ in range(60):
        x, y = world.place(rng)
        radius = world.bounds.width * rng.choice((0, 0.01, 0.1, 0.5, 4))
        low = radius * rng.choice((0, 0, 0.5))
        item = rng.choice(list(tree))
        options = {
            "groups": rng.choice((None, *GROUPS)),
            "without": rng.choice((None, 0, 4)),
            "min_radius": low,
            "to_edge": rng.random() < 0.3,
        }
        found = tree.sum_within(x, y, radius, values, exclude=item, **options)
        assert type(found) is float
        [expected] = tree.sum_within_many(
            [(x, y)], radius, values, exclude=[tree.slot(item)], **options
        )
        assert found == expected
        assert found == twin.sum_within(x, y, radius, values, exclude=item, **options)


@pytest.mark.slow
@each_number_of_workers
def test_sweeps_of_many_are_those_of_one_by_one(world, workers):
    tree, twin, rng = battle(world)
    items = [*tree, next(iter(tree))]
    slots = tree.slots(items)
    for _ in range(4):
        goals = [world.place(rng) if rng.random() < 0.9 else tree.position(i) for i in items]
        one_for_all = rng.random() < 0.5
        groups = [rng.choice(GROUPS) for _ in items]
        without = [rng.choice((0, 4, 2**31)) for _ in items]
        offsets, found = tree.sweep_many(
            slots,
            goals,
            groups=groups[0] if one_for_all else groups,
            without=without,
            workers=workers,
        )
        assert (offsets.dtype, found.dtype) == (np.int64, np.int32)
        parts = [tree.items(found[a:b]) for a, b in pairwise(offsets.tolist())]
        for i, (item, goal, part) in enumerate(zip(items, goals, parts, strict=True)):
            options = {"groups": groups[0 if one_for_all else i], "without": without[i]}
            assert part == tree.sweep(item, *goal, **options) == twin.sweep(item, *goal, **options)


def test_sweeps_write_into_the_caller_s_array():
    tree = tilequad.DynamicQuadtree((0, 0, 100, 100))
    slots = tree.add_many("abc", [(10, 50), (50, 50), (90, 50)], radius=3)
    row = np.empty(9, np.int32)

    offsets, found = tree.sweep_many(slots[:1], [(100, 50)], out=row)

    assert (offsets.tolist(), tree.items(found)) == ([0, 2], ["b", "c"])
    assert np.shares_memory(found, row)
    with pytest.raises(ValueError, match="share memory"):
        tree.sweep_many(row[:1], [(100, 50)], out=row)
    with pytest.raises(ValueError, match="out must have room for 2, got 1"):
        tree.sweep_many(slots[:1], [(100, 50)], out=row[:1])


def test_units_that_are_resized_at_once_are_as_if_one_by_one(world):
    tree, twin, rng = battle(world)
    for share in (1.0, 0.3, 0.05, 0.01):
        items = [item for item in tree if rng.random() < share]
        items += items[:2]
        width = world.bounds.width
        scale = rng.choice((0, 1e-3, 0.05, 1))
        if rng.random() < 0.5:
            shapes = {"radius": [width * scale * rng.random() for _ in items]}
        else:
            sizes = [(width * scale * rng.random(), scale) for _ in items]
            shapes = {"size": np.reshape(sizes, (-1, 2))}
        tree.resize_many(tree.slots(items), **shapes)
        twin.resize_many(twin.slots(items), **shapes)
        tree.check()
        assert tree.pairs() == twin.pairs()
        for _ in range(30):
            x, y = world.place(rng)
            bounds = x, y, x + width / 30, y + width / 30
            assert sorted(tree.query(bounds)) == sorted(twin.query(bounds))
            edge = x, y, width / 20
            found = tree.within(*edge, to_edge=True)
            assert sorted(found) == sorted(twin.within(*edge, to_edge=True))


def test_one_size_serves_many():
    tree = DynamicQuadtree((0, 0, 100, 100))
    slots = tree.add_many("abc", [(10, 10), (20, 10), (50, 50)], radius=1)
    tree.resize_many(slots, radius=5)
    assert tree.pairs() == [("a", "b")]
    tree.resize_many(slots[1:], size=(60, 80))
    assert tree.pairs() == [("a", "b"), ("b", "c")]
    tree.resize_many(slots)
    assert tree.pairs() == []
    tree.resize_many([])


STRANGERS = {
    "slots": (lambda tree: tree.slots(["a", "z"]), KeyError, "z"),
    "slots, twice removed": (lambda tree: tree.slots(["b"]), KeyError, "b"),
    "item": (lambda tree: tree.item(1), ValueError, "slot must be .* got 1"),
    "items": (lambda tree: tree.items([-1, 1]), ValueError, "or -1 for none, got 1 in row 1"),
    "positions": (lambda tree: tree.position_many([0, -1]), ValueError, "in row 1; -1 stands for"),
    "serial": (lambda tree: tree.serial("b"), KeyError, "b"),
    "groups_many": (lambda tree: tree.groups_many([0, 1]), ValueError, "units, got 1 in row 1"),
    "resize_many": (lambda tree: tree.resize_many([0, 1], 5), ValueError, "units, got 1 in row 1"),
    "both": (lambda tree: tree.resize_many([0, 2], 5, (1, 1)), ValueError, "radius and size"),
    "sweep_many": (
        lambda tree: tree.sweep_many([1], [(1, 1)]),
        ValueError,
        "units, got 1 in row 0",
    ),
    "goals": (lambda tree: tree.sweep_many([0], [(1, 1), (2, 2)]), ValueError, "xy must have"),
    "nowhere": (lambda tree: tree.sweep_many([0], [(1, np.inf)]), ValueError, "xy must be fin"),
    "few": (lambda tree: tree.sum_within(5, 5, 9, [1.0]), ValueError, "values must have 3 rows"),
    "flat": (lambda tree: tree.sum_within(5, 5, 9, 1.0), ValueError, "values must have shape"),
    "table": (lambda tree: tree.sum_within(5, 5, 9, np.eye(3)), ValueError, "values must have sh"),
}


@pytest.mark.parametrize(("call", "error", "message"), STRANGERS.values(), ids=STRANGERS)
def test_what_fits_nothing_is_refused_and_changes_nothing(call, error, message):
    tree = tilequad.DynamicQuadtree((0, 0, 9, 9))
    tree.add_many("abc", [(1, 1), (2, 2), (3, 3)], radius=1)
    tree.remove("b")
    before = tree.to_bytes()
    with pytest.raises(error, match=message):
        call(tree)
    assert tree.to_bytes() == before


def test_slots_that_occur_twice_are_named():
    tree = tilequad.DynamicQuadtree((0, 0, 9, 9))
    slots = tree.add_many("abc", [(1, 1), (2, 2), (3, 3)])
    with pytest.raises(ValueError, match=r"^slots must be unique, got 1 twice$"):
        tree.remove_many([*slots, 1])
    assert len(tree) == 3


# -- units without names ---------------------------------------------------------------------------


def test_units_without_names_are_their_slots(world):
    rng = Random(world.name)
    tree, twin = DynamicQuadtree(world.bounds), BruteDynamic(world.bounds)
    xy = [world.place(rng) for _ in range(200)]
    radii = [world.bounds.width * rng.random() / 40 for _ in xy]
    slots = tree.add_many(None, xy, radius=radii, groups=3)
    twin.add_many(None, xy, radius=radii, groups=3)

    assert list(tree) == slots.tolist() == list(twin)
    assert all(type(item) is int for item in tree)
    assert tree.items(slots) == slots.tolist() == tree.slots(slots.tolist()).tolist()
    assert tree.pairs() == twin.pairs()
    assert [list(pair) for pair in tree.pairs()] == tree.slots(sum(tree.pairs(), ())).reshape(
        -1, 2
    ).tolist()
    assert tree.position(slots[7]) == xy[7]
    found = tree.within_many(xy, world.bounds.width / 9)[1]
    assert tree.items(found) == found.tolist()


def test_units_without_names_take_free_slots_again():
    tree = tilequad.DynamicQuadtree((0, 0, 100, 100))
    slots = tree.add_many(None, np.arange(20.0).reshape(10, 2))
    tree.add("orc", 50, 50)
    serials = tree.serial_many(slots)
    tree.remove_many(slots[[2, 5, 7]])
    tree.remove(3)

    again = tree.add_many(None, [(60, 60)] * 6)

    assert sorted(again[:4].tolist()) == [2, 3, 5, 7]
    assert again[4:].tolist() == [11, 12]
    assert tree.items(again) == again.tolist()
    assert (tree.serial_many(again[:4]) != serials[again[:4]]).all()
    assert tree.within(60, 60, 1) == again.tolist()
    tree.check()


@pytest.mark.parametrize("count", [3, 100])
def test_a_name_that_is_taken_is_refused(count):
    tree = tilequad.DynamicQuadtree((0, 0, 100, 100))
    tree.add(2, 10, 10, radius=1)
    before = tree.to_bytes()
    with pytest.raises(ValueError, match=r"\b2 is (already )?in the tree"):
        tree.add_many(None, [(50, 50)] * count, radius=3)
    assert (tree.to_bytes(), list(tree)) == (before, [2])
    tree.check()
    assert tree.add_many(None, [(50, 50)]).tolist() == [1]


@refuses
def test_units_without_names_are_checked_as_others_are():
    tree = DynamicQuadtree((0, 0, 100, 100))
    for wrong in (
        {"xy": [(1, 2, 3)]},
        {"xy": [(1, np.nan)]},
        {"xy": [(1, 1)], "radius": [1, 2]},
        {"xy": [(1, 1)], "radius": -1},
        {"xy": [(1, 1)], "groups": 0},
    ):
        with pytest.raises(ValueError, match=r"must"):
            tree.add_many(None, **wrong)
    assert len(tree) == 0
    assert tree.add_many(None, np.empty((0, 2))).tolist() == []


def test_units_without_names_outlive_pickles_and_bytes():
    tree = tilequad.DynamicQuadtree((0, 0, 100, 100))
    rng = np.random.default_rng(1)
    slots = tree.add_many(None, rng.uniform(0, 100, (300, 2)), radius=2)
    tree.remove_many(slots[::3])
    tree.add_many(None, rng.uniform(0, 100, (40, 2)), radius=1)
    copies = [
        pickle.loads(pickle.dumps(tree)),
        copy.deepcopy(tree),
        copy.copy(tree),
        tilequad.DynamicQuadtree.from_bytes(tree.to_bytes(), np.array(list(tree)).tolist()),
    ]
    more = rng.uniform(0, 100, (90, 2))
    for each in copies:
        each.check()
        assert list(each) == list(tree)
        assert each.pairs() == tree.pairs()
        assert each.items(each.slots(list(each))) == list(each)
    expected = tree.add_many(None, more).tolist()
    for each in copies:
        assert each.add_many(None, more).tolist() == expected
        assert each.digest() == tree.digest()
        assert each.within(50, 50, 20) == tree.within(50, 50, 20)

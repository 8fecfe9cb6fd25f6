"""Serials, marks, sizes, groups and digests: what a tree tells of its units over time."""

import sys
from contextlib import contextmanager
from random import Random

import numpy as np
import pytest

from tests.worlds import footprint
from tilequad import DynamicQuadtree
from tilequad._core.tree import units as unit_store
from tilequad.quadtree import Contacts

BOX = (0, 0, 100, 100)


def filled(count=100):
    tree = DynamicQuadtree(BOX)
    xy = np.random.default_rng(1).uniform(0, 100, (count, 2))
    return tree, tree.add_many(range(count), xy, radius=2)


def test_no_serial_is_given_twice():
    rng = Random(1)
    tree, _ = filled(20)
    serials = {}
    for step in range(3000):
        item = rng.randrange(40)
        if rng.random() < 0.05:
            gone = [tree.slot(item) for item in list(tree)[::2]]
            tree.remove_many(gone)
            tree.add_many([(step, i) for i in range(5)], [(1, 1)] * 5)
        elif item in tree:
            tree.remove(item)
        else:
            tree.add(item, 5, 5)
        for item in tree:
            assert serials.setdefault(tree.serial(item), item) == item
        tree.move(next(iter(tree)), 7, 7)
    assert len(serials) > 1000


def test_no_serial_is_given_twice_by_a_tree_that_is_made_anew(again):
    rng, seen = Random(3), set()
    tree = DynamicQuadtree((0, 0, 10, 10))
    for round_ in range(12):
        names = range(rng.choice((0, 1, 5, 90)))
        if round_ % 2:
            slots = tree.add_many(names, [(1, 1)] * len(names)).tolist()
        else:
            for name in names:
                tree.add(name, 1, 1)
            slots = [tree.slot(name) for name in names]
        assert slots == list(names)  # as in a new tree
        serials = set(tree.serial_many(slots).tolist())
        assert len(serials) == len(slots)
        assert not serials & seen
        seen |= serials
        tree.remove_many(slots[::3])
        tree = again(tree) if round_ % 3 else tree
        tree.__init__((0, 0, 10, 10))
        assert (len(tree), list(tree), tree.query((0, 0, 10, 10))) == (0, [], [])
        tree.check()


def test_a_serial_lasts_as_long_as_the_stay():
    tree, slots = filled()
    before = tree.serial_many(slots)
    assert before.dtype == np.int64
    tree.move_many(slots, np.full((100, 2), 3.0))
    tree.set_groups_many(slots, 6)
    tree.resize(5, size=(3, 4))
    tree.add_many(range(100, 900), np.full((800, 2), 4.0))  # builds the tree again
    assert tree.serial_many(slots).tolist() == before.tolist()
    tree.remove(7)
    assert tree.serial_many(slots[7:8]).tolist() == [-1]
    tree.add(7, 1, 1)
    assert tree.slot(7) == slots[7]
    assert tree.serial_many(slots[7:8]).tolist() != before[7:8].tolist()


def test_serials_of_slots_without_units():
    tree, _ = filled(3)
    assert tree.serial_many([-1, 3, 2**31 - 1]).tolist() == [-1, -1, -1]
    assert tree.serial_many([]).tolist() == []
    for wrong in (-2, 2**31):
        with pytest.raises(ValueError, match=f"or -1 for none, got {wrong} in row 0"):
            tree.serial_many([wrong])


@contextmanager
def last_order(tree, number):
    """Let a tree have no orders of adding above a number, so that it must number its units anew."""
    store = sys.modules.get("tilequad._core.tree._compiled", unit_store)
    before = len(tree.__getstate__()[2])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "LAST_ORDER", number)
        yield
    assert len(tree.__getstate__()[2]) > before, "no unit was numbered anew"


def test_serials_outlive_renumbering():
    tree, slots = filled(9)
    before = tree.serial_many(slots).tolist()
    with last_order(tree, 9):
        tree.remove(3)
        tree.add("late", 5, 5)
    after = tree.serial_many(slots).tolist()
    assert [i for i in range(9) if after[i] != before[i]] == [3]
    assert len({*before, *after}) == 10


def test_what_has_changed_since_a_mark():
    tree, slots = filled()
    with pytest.raises(ValueError, match="mark"):
        tree.changed_since(1)
    first = tree.mark()
    assert tree.changed_since(first).dtype == np.int32
    assert tree.changed_since(first).tolist() == []
    changes = {
        "move": lambda: tree.move(3, 50, 50),
        "move far": lambda: tree.move(4, 99, 1),
        "set_groups": lambda: tree.set_groups(5, 2),
        "resize": lambda: tree.resize(6, radius=1),
        "remove": lambda: tree.remove(7),
        "move_many": lambda: tree.move_many(slots[8:10], [(1, 1), (2, 2)]),
        "set_groups_many": lambda: tree.set_groups_many(slots[10:12], 4),
        "remove_many": lambda: tree.remove_many(slots[12:14]),
        "add": lambda: tree.add("new", 5, 5),
    }
    expected = [[3], [4], [5], [6], [7], [8, 9], [10, 11], [12, 13], [13]]
    for change, changed in zip(changes.values(), expected, strict=True):
        moment = tree.mark()
        change()
        assert tree.changed_since(moment).tolist() == changed
    assert tree.changed_since(first).tolist() == list(range(3, 14))
    moment = tree.mark()
    tree.set_groups_many(slots[20:90], 4)  # all at once
    assert tree.changed_since(moment).tolist() == list(range(20, 90))
    tree.add_many(range(200, 600), np.full((400, 2), 4.0))
    assert set(tree.changed_since(moment)) >= {tree.slot(item) for item in range(200, 600)}


def test_marks_and_contacts_share_a_tree():
    tree = DynamicQuadtree(BOX)
    tree.add("a", 1, 1, radius=1)
    tree.add("b", 9, 9, radius=1)
    moment = tree.mark()
    contacts = Contacts(tree)
    assert contacts.update() == ([], [])
    tree.resize("a", radius=20)
    assert tree.items(tree.changed_since(moment)) == ["a"]
    assert contacts.update() == ([("a", "b")], [])
    tree.resize("a")
    assert contacts.update() == ([], [("a", "b")])


def test_a_resized_unit_is_found_as_if_it_had_been_added_so(world):
    rng = Random(world.name)
    tree, made = DynamicQuadtree(world.bounds), DynamicQuadtree(world.bounds)
    for item in range(300):
        place = world.place(rng)
        tree.add(item, *place, **footprint(rng, world, 300))
        shape = footprint(rng, world, 10)
        tree.resize(item, **shape)
        made.add(item, *place, **shape)
    tree.check()
    for _ in range(30):
        x, y = world.place(rng)
        box = (x, y, x + world.bounds.width / 9, y + world.bounds.width / 9)
        assert sorted(tree.query(box)) == sorted(made.query(box))
        question = (*world.place(rng), *world.place(rng))
        assert tree.segment(*question) == made.segment(*question)
    assert tree.pairs() == made.pairs()
    assert tree.digest() == made.digest()


def test_positions_of_many_are_those_of_one_by_one():
    tree, slots = filled()
    assert tree.position_many(slots[::-1]).tolist() == [
        list(tree.position(i)) for i in range(99, -1, -1)
    ]
    assert tree.position_many([]).shape == (0, 2)
    tree.remove(5)
    with pytest.raises(ValueError, match="slots must be slots of units, got 5 in row 1"):
        tree.position_many(slots[4:7])


@pytest.mark.parametrize("count", [3, 90])
def test_groups_of_many_are_set_or_none_is(count):
    tree, slots = filled()
    before = tree.digest()
    with pytest.raises(ValueError, match="slots must be slots of units, got 500 in row"):
        tree.set_groups_many([*slots[:count], 500], 2)
    with pytest.raises(ValueError, match="groups"):
        tree.set_groups_many(slots[:count], [2] * (count - 1) + [0])
    with pytest.raises(ValueError, match="groups"):
        tree.set_groups_many(slots[:count], [2])
    assert tree.digest() == before
    tree.set_groups_many(slots[:count], range(1, count + 1))
    tree.set_groups_many([slots[0], slots[0]], [4, 2**32 - 1])
    assert [tree.groups(item) for item in range(1, count)] == list(range(2, count + 1))
    assert tree.groups(0) == 2**32 - 1
    tree.check()


def test_a_digest_depends_on_all_that_a_game_sees():
    changes = {
        "place": lambda tree: tree.move(5, 1, np.nextafter(1, 2)),
        "size": lambda tree: tree.resize(5, radius=3),
        "shape": lambda tree: tree.resize(5, size=(4, 4)),
        "groups": lambda tree: tree.set_groups(5, 2),
        "stay": lambda tree: (tree.remove(5), tree.add(5, 1, 1, radius=2)),
        "number": lambda tree: tree.add("new", 1, 1),
        "empty": lambda tree: tree.remove_many([tree.slot(item) for item in tree]),
    }
    digests = set()
    for change in [*changes.values(), lambda tree: None]:
        tree, _ = filled()
        tree.move(5, 1, 1)
        change(tree)
        digests.add(tree.digest())
        assert len(tree.digest()) == 16
    assert len(digests) == len(changes) + 1


def test_a_digest_does_not_depend_on_the_way_there():
    """Neither the shape of the tree nor the items count: only what other players see as well."""
    tree, slots = filled()
    grown = DynamicQuadtree(BOX)
    for item in range(100):
        grown.add(f"unit {item}", 50, 50, radius=2)
        grown.move(f"unit {item}", *tree.position(item))
    assert grown.digest() == tree.digest()
    order = DynamicQuadtree(BOX)
    order.add_many(range(100), tree.position_many(slots), radius=2)
    order.remove(99)
    order.remove(98)
    order.add("a", 1, 1)
    swapped = DynamicQuadtree(BOX)
    swapped.add_many(range(100), tree.position_many(slots), radius=2)
    swapped.remove(98)
    swapped.remove(99)
    swapped.add("b", 1, 1)
    assert order.slot("a") == 98
    assert swapped.slot("b") == 99
    assert order.digest() != swapped.digest()

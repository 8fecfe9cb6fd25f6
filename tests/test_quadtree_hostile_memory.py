"""Every allocation fails in turn: a change may lose the tree then, but not the interpreter."""

import gc
import sys
from random import Random

import numpy as np
import pytest

import tilequad
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.quadtree import Contacts

testcapi = pytest.importorskip("_testcapi")
survives = pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="without memory, this Python crashes or never ends"
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.alone,
    survives,
    pytest.mark.skipif(
        not tilequad.COMPILED, reason="uncompiled, Python itself allocates between any two writes"
    ),
]
BOX = (0, 0, 100, 100)


def filled(count=400):
    rng = np.random.default_rng(4)
    names, xy = [f"unit {item}" for item in range(count)], rng.uniform(0, 100, (count, 2))
    tree = DynamicQuadtree(BOX)
    slots = tree.add_many(names, xy, radius=rng.random(count))
    tree.remove_many(slots[::5])
    return tree


FIRST = filled().position("unit 1")


def told(tree):
    slots = [tree.slot(item) for item in tree]
    places = [tree.position(item) for item in tree]
    groups = [tree.groups(item) for item in tree]
    return list(tree), slots, places, groups, sorted(tree.query(BOX)), tree.pairs()


def is_lost(tree):
    """Whether a tree refuses to be asked; if it does not, it is whole."""
    try:
        tree.check()
    except RuntimeError as error:
        if "the tree is lost" not in str(error):
            raise
        return True
    return False


def failing(call, most=5000):
    """Call with the first, the second ... allocation failing alone, then with all after it.

    Allocations of other threads fail, too: a test that uses this must be marked `alone`.
    """
    for lasting in (1, 0):
        for allocation in range(most):
            failed = False
            gc.disable()
            try:
                testcapi.set_nomemory(allocation, allocation + 1 if lasting else 0)
                try:
                    call()
                finally:
                    testcapi.remove_mem_hooks()
            except (MemoryError, SystemError):  # numpy forgets to say which
                failed = True
            except ValueError as error:  # or takes an array without memory for a read-only one
                if "read-only" not in str(error):
                    raise
                failed = True
            finally:
                gc.enable()
            yield failed
            if not failed and allocation > 60:
                break


def assert_raises_or_is_right(ask, most):
    """Each of so many allocations of a question fails in turn; then it is answered."""
    expected = ask()
    found, failures = [], 0
    for failed in failing(lambda: found.append(ask()), most):
        assert failed or found.pop() == expected
        found.clear()
        failures += failed
    assert failures
    assert ask() == expected


MANY = [f"new {i}" for i in range(40)]
ARMY = [f"new {i}" for i in range(400)]
SPOT = [(77.0, 77.0 + i / 1e3) for i in range(400)]
ALL = [slot for slot in range(400) if slot % 5]  # of those who are left


ONE = {
    "add": lambda tree: tree.add("new", 50.0, 50.0),
    "remove": lambda tree: tree.remove("unit 1"),
    "move": lambda tree: tree.move("unit 1", 77.0, 77.0),
    "set_groups": lambda tree: tree.set_groups("unit 1", 6),
    "resize": lambda tree: tree.resize("unit 1", radius=9),
    "mark": lambda tree: tree.mark(),
}
CHANGES = {
    **ONE,
    "add_many": lambda tree: tree.add_many(MANY, SPOT[:40]),
    "add_an_army": lambda tree: tree.add_many(ARMY, SPOT),
    "remove_many": lambda tree: tree.remove_many(list(range(6, 10))),
    "set_groups_many": lambda tree: tree.set_groups_many(list(range(1, 5)), 6),
    "set_groups_of_all": lambda tree: tree.set_groups_many(ALL, 6),
    "add_without_names": lambda tree: tree.add_many(None, SPOT),
    "resize_many": lambda tree: tree.resize_many(list(range(1, 5)), 9),
    "resize_all": lambda tree: tree.resize_many(ALL, 9),
    "move_many": lambda tree: tree.move_many(list(range(1, 5)), SPOT[:4]),
    "move_all": lambda tree: tree.move_many(ALL, SPOT[:320]),
    "contacts": Contacts,
}


@pytest.mark.parametrize("change", ONE.values(), ids=ONE)
def test_a_change_of_one_unit_without_memory_is_done_or_not(change):
    before, done = filled(), filled()
    change(done)
    tree = filled()
    for failed in failing(lambda: change(tree)):  # noqa: B023
        assert not is_lost(tree)
        assert told(tree) in ([told(before), told(done)] if failed else [told(done)])
        tree = filled()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_without_memory_leaves_a_tree_that_is_whole_or_lost(change):
    tree, lost_tree = filled(), None
    failures = 0
    for failed in failing(lambda: change(tree)):  # noqa: B023
        failures += failed
        lost = is_lost(tree)
        assert failed or not lost
        lost_tree = tree if lost else lost_tree
        tree = filled()
    assert failures or change in map(CHANGES.get, ("set_groups", "resize", "remove", "move"))
    assert lost_tree is not None or change not in map(CHANGES.get, ("add_many", "move_all"))
    if lost_tree is not None:
        for call in (*CHANGES.values(), *QUESTIONS.values()):
            with pytest.raises(RuntimeError, match="the tree is lost"):
                call(lost_tree)


XY = [(50.0, 50.0), (1.0, 2.0)] * 20
ONES = [1.0] * 400
QUESTIONS = {
    "query": lambda tree: tree.query(BOX),
    "within": lambda tree: tree.within(50, 50, 60),
    "count_within": lambda tree: tree.count_within(50, 50, 60),
    "nearest": lambda tree: tree.nearest(50, 50),
    "nearest_where": lambda tree: tree.nearest(50, 50, where=lambda item: item.endswith("9")),
    "k_nearest": lambda tree: tree.k_nearest(50, 50, 200),
    "segment": lambda tree: tree.segment(0, 0, 100, 100, width=20),
    "any_within": lambda tree: tree.any_within(50, 50, 60, without=2),
    "segment_hits": lambda tree: tree.segment_hits(0, 0, 100, 100, width=20),
    "sweep": lambda tree: tree.sweep("unit 1", 100, 100),
    "sweep_hits": lambda tree: tree.sweep_hits("unit 1", 100, 100),
    "overlaps": lambda tree: tree.overlaps("unit 1"),
    "overlaps_many": lambda tree: [part.tolist() for part in tree.overlaps_many([1, 2, 3])],
    "pairs": lambda tree: tree.pairs(),
    "within_many": lambda tree: [part.tolist() for part in tree.within_many(XY, 20)],
    "nearest_many": lambda tree: [part.tolist() for part in tree.nearest_many(XY)],
    "k_nearest_many": lambda tree: [part.tolist() for part in tree.k_nearest_many(XY, 3)],
    "count_within_many": lambda tree: tree.count_within_many(XY, 20, groups=[1] * 40).tolist(),
    "sum_within_many": lambda tree: tree.sum_within_many(XY, 20, ONES).tolist(),
    "segment_many": lambda tree: [part.tolist() for part in tree.segment_many(XY, XY[::-1])],
    "position_many": lambda tree: tree.position_many([1, 2]).tolist(),
    "serial_many": lambda tree: tree.serial_many([1, 2]).tolist(),
    "groups_many": lambda tree: tree.groups_many([1, 2]).tolist(),
    "sum_within": lambda tree: tree.sum_within(50, 50, 60, ONES),
    "sweep_many": lambda tree: [part.tolist() for part in tree.sweep_many([1, 2] * 20, XY)],
    "slots": lambda tree: tree.slots(["unit 1", "unit 2"]).tolist(),
    "digest": lambda tree: tree.digest(),
    "to_bytes": lambda tree: tree.to_bytes()[:12],
    "query_many": lambda tree: [part.tolist() for part in tree.query_many([BOX] * 9)],
    "pairs_many": lambda tree: tree.pairs_many().tolist(),
    "nodes": lambda tree: tree.nodes().tolist(),
    "explain": lambda tree: tree.explain("within", 50, 50, 60),
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_a_question_without_memory_lets_the_tree_go(question):
    tree = filled()
    tree.move("unit 1", 5.0, 5.0)  # as below: then it is the last one in its leaf
    tree.move("unit 1", *FIRST)
    expected = question(tree)
    found, failures = [], 0
    for failed in failing(lambda: found.append(question(tree)), 2000):
        assert failed or found.pop() == expected
        failures += failed
        tree.move("unit 1", 5.0, 5.0)  # refused if a question still held the tree
        tree.move("unit 1", *FIRST)
    assert failures
    tree.check()


def test_bytes_without_memory_are_right_or_there_are_none():
    tree = filled()
    boxes = StaticQuadtree([(i, 0, i + 0.1, 1) for i in range(100)])
    items, data, data_of_boxes = list(tree), tree.to_bytes(), boxes.to_bytes()
    for ask in (
        tree.to_bytes,
        boxes.to_bytes,
        lambda: DynamicQuadtree.from_bytes(data, items).to_bytes(),
        lambda: StaticQuadtree.from_bytes(data_of_boxes).to_bytes(),
    ):
        assert_raises_or_is_right(ask, 5000)


def test_adding_without_memory_until_it_splits_and_grows():
    tree = DynamicQuadtree(BOX)
    rng, failures = Random(6), 0
    for number in range(300):
        x, y = rng.uniform(0, 100), rng.uniform(0, 100)
        name = f"unit {number}"
        for allocation in range(100):
            failed = False
            gc.disable()
            testcapi.set_nomemory(allocation, 0)
            try:
                tree.add(name, x, y)
            except MemoryError:
                failed = True
            finally:
                testcapi.remove_mem_hooks()
                gc.enable()
            failures += failed
            assert (name in tree) == (not failed)
            if number % 10 == 0:
                tree.check()
            if not failed:
                break
    assert failures > 300
    tree.check()
    assert len(tree.query(BOX)) == len(tree) == 300


@pytest.mark.parametrize("moved", [3, 50])
@pytest.mark.parametrize("matrix", [None, {1: 1}], ids=["all", "matrix"])
def test_an_update_of_contacts_without_memory_changes_nothing(moved, matrix):
    tree = filled()
    contacts = Contacts(tree, matrix)
    contacts.update()
    names = list(tree)[:moved]
    here, there = [(50.0, 50.0)] * moved, tree.position_many(tree.slots(names))
    slots = tree.slots(names)
    for places in (here, there):  # numpy's first use of a loop must find memory, or it crashes
        tree.move_many(slots, places)
        contacts.update()
    found, failures = [], 0
    tree.move_many(slots, here)
    for failed in failing(lambda: found.append(contacts.update()), 2000):
        if not failed:
            assert sorted(contacts.stayed() + found[0][0]) == sorted(tree.pairs())
            tree.move_many(slots, there)
            there, here = here, there
        found.clear()
        failures += failed
    assert failures > 20
    tree.check()


def test_a_static_tree_without_memory_is_not_built_or_answers_as_before():
    low = np.random.default_rng(3).uniform(0, 100, (400, 2))
    rows = np.column_stack([low, low + 0.1])  # which float32 rounds
    tree = StaticQuadtree(rows)
    exact = StaticQuadtree(np.floor(rows))  # which float32 holds as they are
    questions = (
        lambda: tree.boxes().tolist(),
        lambda: exact.boxes().tolist(),
        lambda: exact.digest(),
        lambda: tree.query(BOX).tolist(),
        lambda: tree.within(50, 50, 60).tolist(),
        lambda: tree.nearest(50, 50),
        lambda: tree.k_nearest(50, 50, 100).tolist(),
        lambda: tree.segment(0, 0, 100, 100, 9).tolist(),
        lambda: StaticQuadtree(rows).query(BOX).tolist(),
        lambda: len(tree.explain("within", 50, 50, 20)),
    )
    for ask in questions:
        assert_raises_or_is_right(ask, 5000)
        tree.check()

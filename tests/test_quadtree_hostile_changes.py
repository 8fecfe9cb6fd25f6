"""Changes while a question is being answered: each is refused, the answer is whole."""

import gc
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest

from tests.share import WHOLE
from tests.test_quadtree_errors import TREES
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.quadtree import Contacts

pytestmark = pytest.mark.slow
BOX = (0, 0, 1000, 1000)


def filled(count=2000):
    tree = DynamicQuadtree(BOX)
    xy = np.random.default_rng(1).uniform(0, 1000, (count, 2))
    return tree, tree.add_many(range(count), xy, radius=3)


CHANGES = {
    "add": lambda tree: tree.add("new", 1, 1),
    "add_many": lambda tree: tree.add_many(["new"], [(1, 1)]),
    "move": lambda tree: tree.move(5, 1, 1),
    "move_many": lambda tree: tree.move_many([1, 2], [(1, 1), (2, 2)]),
    "remove": lambda tree: tree.remove(5),
    "remove_many": lambda tree: tree.remove_many([1, 2]),
    "set_groups": lambda tree: tree.set_groups(5, 4),
    "set_groups_many": lambda tree: tree.set_groups_many([1, 2], 4),
    "resize": lambda tree: tree.resize(5, radius=9),
    "mark": lambda tree: tree.mark(),
    "init": lambda tree: tree.__init__(BOX),
    "setstate": lambda tree: tree.__setstate__(DynamicQuadtree(BOX).__getstate__()),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("verb", ["nearest", "k_nearest"])
def test_where_cannot_change_the_tree(change, verb):
    tree, _ = filled()
    before = tree.__getstate__()

    def where(item):
        with pytest.raises(RuntimeError, match="cannot modify the tree while it is being queried"):
            change(tree)
        return item % 90 == 0

    found = getattr(tree, verb)(500, 500, *([10] if verb == "k_nearest" else []), where=where)
    assert found
    assert tree.__getstate__() == before
    change(tree)  # and then it may
    tree.check()


def test_a_where_that_fails_lets_the_tree_go():
    tree, _ = filled(100)
    with pytest.raises(ZeroDivisionError):
        tree.nearest(1, 1, where=lambda item: 1 / 0)
    tree.remove(5)
    tree.check()


def test_where_may_ask_again():
    tree, _ = filled(100)
    assert tree.nearest(500, 500, where=lambda item: item in tree.within(500, 500, 900)) is not None


def test_a_del_in_the_middle_of_a_question_cannot_change_the_tree():
    """Garbage is collected when a list is made, so a question may call any __del__."""
    tree, _ = filled(5000)
    seen = []

    class Garbage:
        def __init__(self):
            self.me = self

        def __del__(self):
            for change in (tree.remove, lambda item: tree.move(item, 3, 3)):
                try:
                    change(len(tree) - 1)
                except (RuntimeError, KeyError) as error:
                    seen.append(type(error))

    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(300):
            Garbage()
            tree.query((100, 100, 900, 900))
            Garbage()
            tree.segment(0, 0, 1000, 1000, width=50)
            tree.k_nearest(5, 5, 200)
            tree.pairs()
    finally:
        gc.set_threshold(*threshold)
    # It was tried in the middle of a question; from Python 3.12 on, C calls no __del__ of garbage.
    assert RuntimeError in seen or sys.version_info >= (3, 12)
    tree.check()
    assert None not in tree.query(BOX)


def test_a_del_of_a_removed_unit_may_change_the_tree():
    tree = DynamicQuadtree(BOX)

    class Unit:
        def __del__(self):
            tree.add("ghost", 1, 1)

    tree.add(Unit(), 5, 5)
    tree.remove(next(iter(tree)))
    assert list(tree) == ["ghost"]
    tree.remove("ghost")
    tree.add_many([Unit()], [(5, 5)])
    tree.remove_many([tree.slot(next(iter(tree)))])
    assert list(tree) == ["ghost"]
    tree.check()


@pytest.mark.parametrize(
    "verb",
    [
        *("within_many", "query_many", "nearest_many", "pairs_many", "k_nearest_many"),
        *("count_within_many", "sum_within_many", "segment_many", "sweep_many"),
    ],
)
@pytest.mark.parametrize("workers", [1, 3])
def test_a_thread_that_writes_beside_batches(verb, workers):
    tree, slots = filled(10_000)
    xy = np.random.default_rng(2).uniform(0, 1000, (1000, 2))
    done, made = threading.Event(), []

    def write():
        number = 0
        while not done.is_set():
            number += 1
            try:
                tree.move_many(slots[:50], xy[:50])
                tree.remove(number)
                tree.add(number, 5, 5)
                made.append(number)
            except (RuntimeError, KeyError, ValueError):
                pass  # a question is being answered, or was between the two

    thread = threading.Thread(target=write)
    thread.start()
    asked = {
        "within_many": lambda: tree.within_many(xy, 20, workers=workers),
        "query_many": lambda: tree.query_many(np.column_stack([xy, xy + 9]), workers=workers),
        "nearest_many": lambda: tree.nearest_many(xy, workers=workers),
        "pairs_many": lambda: tree.pairs_many(),
        "k_nearest_many": lambda: tree.k_nearest_many(xy, 5, without=[0] * 1000, workers=workers),
        "count_within_many": lambda: tree.count_within_many(xy, 20, workers=workers),
        "sum_within_many": lambda: tree.sum_within_many(xy, 20, [1.0] * 10_000, workers=workers),
        "segment_many": lambda: tree.segment_many(xy, xy + 30, width=3, workers=workers),
        "sweep_many": lambda: tree.sweep_many(slots[-1000:], xy, workers=workers),
    }[verb]
    for _ in range(20 if WHOLE else 8):
        with suppress(RuntimeError):  # it is being changed
            asked()
    done.set()
    thread.join()
    assert made  # the thread had its turn
    tree.check()
    asked()  # nothing holds the tree any more
    # Of those that the thread removed, some were not let in again.
    tree.move_many([tree.slot(item) for item in list(tree)[:50]], xy[:50])


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer signals")
def test_a_signal_handler_that_changes_the_tree():
    tree, _ = filled(3000)
    seen = []

    def change(*_):
        try:
            tree.move(5, len(seen) % 1000, 1)
        except RuntimeError as error:
            seen.append(error)
        else:
            seen.append(None)

    before = signal.signal(signal.SIGALRM, change)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        while len(seen) < 50:
            tree.nearest(500, 500, where=lambda item: item == 7)
            tree.within(500, 500, 300)
            tree.pairs()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert any(seen)  # it came in the middle of a question
    tree.check()


def test_threads_may_ask_everything_at_once():
    tree, slots = filled(5000)
    xy = np.random.default_rng(3).uniform(0, 1000, (200, 2))
    verbs = (
        lambda: sorted(tree.query((100, 100, 300, 300))),
        lambda: sorted(tree.within(500, 500, 80)),
        lambda: tree.count_within(500, 500, 80),
        lambda: tree.any_within(500, 500, 80),
        lambda: tree.nearest(3, 3),
        lambda: tree.k_nearest(3, 3, 100, where=lambda item: item % 2),
        lambda: tree.segment(0, 0, 900, 1000, 5),
        lambda: tree.sweep(5, 500, 500),
        lambda: tree.segment_hits(0, 0, 900, 1000, 5),
        lambda: tree.sweep_hits(5, 500, 500),
        lambda: tree.meet(5, 500, 500, 6, 500, 500),
        lambda: tree.overlaps(5),
        lambda: len(tree.overlaps_many()[0]),
        lambda: len(tree.pairs()),
        lambda: tree.items(slots[:50]),
        lambda: tree.within_many(xy, 30)[0].tolist(),
        lambda: tree.nearest_many(xy)[0].tolist(),
        lambda: tree.k_nearest_many(xy, 70)[0].tolist(),
        lambda: tree.count_within_many(xy, 30).tolist(),
        lambda: tree.sum_within_many(xy, 30, [0.1] * 5000).tolist(),
        lambda: tree.segment_many(xy, xy + 30)[0].tolist(),
        lambda: tree.position(9),
        lambda: tree.groups(9),
        lambda: tree.position_many(slots[:50]).tolist(),
        lambda: tree.serial_many(slots[:50]).tolist(),
        lambda: tree.digest(),
        lambda: tree.stats(),
        lambda: tree.explain("within", 5, 5, 50),
    )
    expected = [verb() for verb in verbs]
    wrong = []

    def ask(_):
        for _ in range(10):
            for verb, answer in zip(verbs, expected, strict=True):
                if verb() != answer:
                    wrong.append(verb)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(ask, range(4)))  # which raises what they have raised
    assert not wrong
    tree.remove(1)  # every question has let the tree go
    tree.check()


class Forgetful(DynamicQuadtree):
    def __init__(self):
        pass


class ForgetfulStatic(StaticQuadtree):
    def __init__(self):
        pass


@pytest.mark.parametrize(
    ("kind", "forgetful"), [("dynamic", Forgetful), ("static", ForgetfulStatic)]
)
def test_a_subclass_that_forgets_to_make_its_tree(kind, forgetful):
    calls = [(verb, right) for verb, (right, _) in TREES[kind].items()]
    calls += [(verb, {}) for verb in ("digest", "to_bytes", "nodes", "stats", "check", "__len__")]
    if kind == "dynamic":
        calls += [(verb, {}) for verb in ("mark", "__iter__", "__getstate__")]
    for verb, arguments in calls:
        with pytest.raises(AttributeError):
            getattr(forgetful(), verb)(**arguments)


def test_a_forgetful_tree_has_no_items_no_state_and_no_contacts():
    with pytest.raises(AttributeError):
        "a" in Forgetful()  # noqa: B015
    with pytest.raises(AttributeError):
        Forgetful().__setstate__(DynamicQuadtree(BOX).__getstate__())
    with pytest.raises(AttributeError):
        Contacts(Forgetful())

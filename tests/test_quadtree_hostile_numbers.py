"""Numbers whose conversion makes the tree anew, and what else a static tree may meet."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest

from tests.interrupts import Cut, alarms, real_signals
from tests.test_quadtree_errors import BOX, NUMBERS, TREES, filled
from tilequad import StaticQuadtree

REFUSALS = KeyError, RuntimeError, TypeError, ValueError
CALLS = [
    (kind, verb, name)
    for kind, verbs in TREES.items()
    for verb in verbs
    for name in verbs[verb][1]
    if name in {*NUMBERS, "bounds", "size"} and not verb.endswith("_many")
]


class Meddler:
    """A number, or numbers, whose conversion makes the tree anew, and then changes it."""

    def __init__(self, tree):
        self.tree, self.asked = tree, False

    def __index__(self):
        self.asked = True
        if isinstance(self.tree, StaticQuadtree):
            with suppress(RuntimeError):
                self.tree.__init__([BOX])
        else:
            self.tree.__init__((0, 0, 1, 1))
        return 2

    def __float__(self):
        return float(self.__index__())

    def __iter__(self):
        return iter([self] * 4)


@pytest.mark.parametrize(("kind", "verb", "name"), CALLS)
def test_a_number_that_makes_the_tree_anew_finds_it_whole(kind, verb, name):
    right = dict(TREES[kind][verb][0])
    for count in (0, 300):
        tree = filled(kind)
        if kind == "dynamic":
            tree.add_many(range(count), np.random.default_rng(1).uniform(0, 100, (count, 2)))
            if "exclude" in TREES[kind][verb][1]:
                right["exclude"] = "bob" if count == 0 else count - 1
        meddler = Meddler(tree)
        wrong = (meddler, meddler) if name == "size" else meddler
        with suppress(*REFUSALS):
            getattr(tree, verb)(**{**right, name: wrong})
        assert meddler.asked
        tree.check()
        assert kind == "dynamic" or len(tree) == 2


def boxes(count=4000):
    low = np.random.default_rng(2).uniform(0, 1000, (count, 2))
    return np.column_stack([low, low + 0.1])  # which float32 rounds


def test_boxes_that_build_their_own_tree_while_they_are_read():
    tree = StaticQuadtree.__new__(StaticQuadtree)

    class Boxes:
        def __array__(self, dtype=None, copy=None):
            with suppress(RuntimeError):
                tree.__init__([(5, 5, 6, 6)])
            return boxes(10)

    with pytest.raises(RuntimeError, match="built once"):
        tree.__init__(Boxes())

    assert tree.boxes().tolist() == [[5, 5, 6, 6]]
    tree.check()


def test_threads_that_ask_one_static_tree_have_the_answers_of_one():
    tree = StaticQuadtree(boxes())
    right = [tree.query((0, 0, 500, 500)).tolist(), tree.k_nearest(500, 500, 100).tolist()]
    wrong = []

    def ask(_):
        for _ in range(60):
            told = [tree.query((0, 0, 500, 500)).tolist(), tree.k_nearest(500, 500, 100).tolist()]
            if told != right or pickle.loads(pickle.dumps(tree)).digest() != tree.digest():
                wrong.append(told)

    with ThreadPoolExecutor(12) as threads:
        list(threads.map(ask, range(12)))  # which raises what they have raised

    assert wrong == []


@pytest.mark.slow
@real_signals
def test_an_interrupted_build_leaves_no_tree_and_a_question_the_same_tree():
    rows = boxes(20_000)
    tree = StaticQuadtree(rows[:500])
    before, interrupts = tree.digest(), 0
    with alarms() as alarm:
        for attempt in range(60):
            made = StaticQuadtree.__new__(StaticQuadtree)
            try:
                alarm(1e-4 * (attempt + 1))
                made.__init__(rows)
                tree.query((0, 0, 1000, 1000)).tolist()
                alarm(0)
            except Cut:
                interrupts += 1
            finally:
                alarm(0)
            try:
                assert len(made) == 20_000
                made.check()
            except AttributeError:
                pass  # it was never built

    assert interrupts > 0
    assert tree.digest() == before
    tree.check()

"""Arrays, numbers and saved trees from strangers: right, or refused with a clear error."""

import math
import re
import threading
from contextlib import suppress
from random import Random

import numpy as np
import pytest

from tests.test_quadtree_lives import last_order
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.quadtree import Contacts

BOX = (0, 0, 100, 100)


def filled(count=200):
    tree = DynamicQuadtree(BOX)
    xy = np.random.default_rng(1).uniform(0, 100, (count, 2))
    return tree, tree.add_many(range(count), xy, radius=2), xy


def test_masked_arrays_are_refused():
    """What is masked are numbers as good as any: it is the mask that is refused."""
    tree, slots, _ = filled()
    xy = np.ma.masked_equal([[1, 2], [9, 3], [4, 5]], 9)
    for call in (
        lambda: tree.add_many("abc", xy),
        lambda: tree.move_many(slots[:3], xy),
        lambda: tree.within_many(xy, 5),
        lambda: tree.nearest_many(xy),
        lambda: tree.query_many(np.ma.column_stack([xy, xy])),
        lambda: tree.count_within_many(xy, 5),
        lambda: tree.k_nearest_many(xy, 5),
        lambda: tree.segment_many(xy, xy),
        lambda: tree.sum_within_many(xy[:1], 5, np.ma.masked_equal([5.0] * 200, 5)),
        lambda: tree.within_many(xy[:1], 5, exclude=np.ma.masked_equal([5], 5)),
        lambda: tree.set_groups_many(slots[:1], np.ma.masked_equal([5], 5)),
        lambda: StaticQuadtree(np.ma.column_stack([xy, xy + 1])),
    ):
        with pytest.raises(ValueError, match="must not have masked values"):
            call()
    tree.check()


def test_an_array_that_removes_units_while_it_is_read():
    tree, slots, xy = filled()

    class Meddler:
        def __array__(self, dtype=None, copy=None):
            tree.remove_many(slots[:50])
            return xy[:50]

    with pytest.raises(ValueError, match="slots of units"):
        tree.move_many(slots[:50], Meddler())
    tree.check()


def test_a_thread_that_writes_nan_into_the_arguments_is_harmless():
    """Each call copies its arrays before it checks them: it sees NaN and refuses, or none."""
    tree, slots, xy = filled(4000)
    shared = xy.copy()
    expected = tree.nearest_many(xy)[1].tolist()
    done = threading.Event()

    def write():
        while not done.is_set():
            shared[::7] = math.nan
            shared[:] = xy

    calls = (
        lambda: tree.within_many(shared, 2, workers=2),
        lambda: tree.move_many(slots, shared),
        lambda: tree.query_many(np.column_stack([shared, shared])),
        lambda: tree.segment_many(shared, shared[::-1], workers=2),
        lambda: tree.k_nearest_many(shared, 3, workers=2),
        lambda: DynamicQuadtree(BOX).add_many(range(4000), shared),
    )
    thread = threading.Thread(target=write)
    thread.start()
    try:
        for call in calls * 20:
            with suppress(ValueError):
                call()
            tree.check()
            with suppress(ValueError):
                assert not np.isnan(tree.nearest_many(shared, workers=2)[1]).any()
    finally:
        done.set()
        thread.join()
    tree.move_many(slots, xy)
    assert tree.nearest_many(xy)[1].tolist() == expected


def test_answers_may_not_overwrite_the_questions():
    tree, _, xy = filled()
    shared = xy.view(np.int32).ravel()
    with pytest.raises(ValueError, match="share memory"):
        tree.within_many(xy, 5, out=shared)
    with pytest.raises(ValueError, match="share memory"):
        tree.nearest_many(xy, out=(shared, np.empty(200)))
    row = np.empty(400)
    with pytest.raises(ValueError, match="share memory"):
        tree.nearest_many(xy, out=(row.view(np.int32), row))


def test_static_boxes_wider_than_float32():
    rows = [(i, 0, i + 1, 1) for i in range(100)] + [(-1e39, -1e39, 1e39, 1e39)]
    tree = StaticQuadtree(rows)
    tree.check()
    assert tree.query((-1, -1, 200, 2)).tolist() == list(range(101))
    assert tree.within(50, 0, 500).tolist() == list(range(101))
    assert tree.segment(-5, 0.5, 300, 0.5)[0] == 100
    assert len(tree.segment(-5, 0.5, 300, 0.5)) == 101


def test_a_giant_is_touched_by_what_does_not_move():
    tree, _, _ = filled()
    tree.add("giant", 50, 50, radius=1e39)
    tree.add("point", 5, 5)
    assert "giant" in tree.segment(1, 1, 1, 1)
    assert "giant" in tree.sweep("point", 5, 5)


@pytest.mark.parametrize("exponent", [-120, -90, -81, -60, -3, 0, 3, 60, 77, 90, 120, 140])
def test_a_segment_is_the_same_at_every_scale(exponent):
    """Scaled by a power of two, a scene has the same hits."""
    rng = Random(7)
    scale = 2.0 ** round(exponent * math.log2(10))
    small, large = DynamicQuadtree((-1, -1, 1, 1)), DynamicQuadtree((-scale, -scale, scale, scale))
    for item in range(300):
        x, y, radius = rng.uniform(-1, 1), rng.uniform(-1, 1), rng.random() / 50
        shape = {"radius": radius} if item % 2 else {"size": (radius, radius)}
        small.add(item, x, y, **shape)
        wide = {"radius": radius * scale} if item % 2 else {"size": (radius * scale,) * 2}
        large.add(item, x * scale, y * scale, **wide)
    for _ in range(100):
        line = [rng.uniform(-1, 1) for _ in range(4)]
        width = rng.choice((0.0, 0.05))
        expected = small.segment(*line, width=width)
        assert large.segment(*[value * scale for value in line], width=width * scale) == expected


def test_contacts_after_the_units_are_renumbered():
    tree = DynamicQuadtree(BOX)
    for item in range(10):
        tree.add(item, item * 10, 50, radius=6)
    contacts = Contacts(tree)
    assert len(contacts.update()[0]) == 9
    tree.remove(3)
    with last_order(tree, 10):
        tree.add("late", 5, 50)
    come, gone = contacts.update()
    assert come == [(0, "late"), (1, "late")]
    assert gone == [(2, 3), (3, 4)]
    assert contacts.update() == ([], [])
    tree.remove(0)
    assert contacts.update() == ([], [(0, 1), (0, "late")])


def test_damaged_states_are_refused():
    """The bytes in a state have tests of their own."""
    tree, _, _ = filled(500)
    items, data, renumberings, *rest = tree.__getstate__()
    before = tree.digest()
    for damaged in (
        (items[1:], data, renumberings, *rest),
        (items[1:] + items[1:2], data, renumberings, *rest),
        ([*items[1:], None], data, renumberings, *rest),
        (items, data[:-1], renumberings, *rest),
        (items, data, [5], *rest),
        (items, data, [np.zeros(3)], *rest),
        (items, data),
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            tree.__setstate__(damaged)
    assert tree.digest() == before
    tree.check()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"radius": [*[1.0] * 4999, np.nan]}, "radius must be finite, got nan in row 4999"),
        ({"size": [*[(1, 2)] * 4999, (-1, 2)]}, "at least 0, got [-1.0, 2.0] in row 4999"),
        ({"size": (-1, 2)}, "size must be finite and at least 0, got [-1.0, 2.0]"),
        ({"radius": np.inf}, "radius must be finite, got inf"),
        ({"groups": [*[1] * 4999, 0]}, "groups must be in 1 .. 2**32 - 1, got 0 in row 4999"),
    ],
)
def test_an_error_shows_the_first_wrong_row_and_not_all(wrong, words):
    tree = DynamicQuadtree((0, 0, 9, 9))
    with pytest.raises(ValueError, match=re.escape(words) + "$"):
        tree.add_many(range(5000), [(1, 1)] * 5000, **wrong)
    assert len(tree) == 0

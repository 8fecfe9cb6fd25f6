"""The static tree agrees with brute force, in every world and at every small size."""

from random import Random

import numpy as np
import pytest

from tests.oracle import BruteStatic
from tests.oracle_arrays import ArrayStatic
from tests.questions import STATIC_VERBS, Asker, compare_static
from tests.trees import StaticQuadtree, refuses
from tests.worlds import boxes


def test_queries_are_exact_at_every_size_from_1_to_199(world):
    rng = Random(world.name)
    for count in range(1, 200):
        rows = boxes(rng, world, count)
        ask_all(StaticQuadtree(rows), BruteStatic(rows), Asker(rng, world, corners(rows)))


@pytest.mark.slow
@pytest.mark.parametrize("count", [1_000, 10_000])
def test_queries_of_large_trees_are_exact(world, count):
    rng = Random(count)
    rows = np.array(boxes(rng, world, count))
    tree, twin = StaticQuadtree(rows), ArrayStatic(rows)
    for _ in range(5):
        ask_all(tree, twin, Asker(rng, world, corners(rows.tolist())))


def test_queries_are_exact_with_one_huge_box(world):
    rng = Random(world.name)
    rows = boxes(rng, world, 400)
    span = world.bounds.width
    rows[150] = (-span, -span, 3 * span, 3 * span)
    tree, twin = StaticQuadtree(rows), BruteStatic(rows)
    for _ in range(20):
        ask_all(tree, twin, Asker(rng, world, corners(rows)))


def test_queries_of_adjacent_tiles_are_exact():
    """The boxes share edges and corners, like the tiles of a map."""
    rows = [(x, y, x + 32, y + 32) for y in range(0, 640, 32) for x in range(0, 640, 32)]
    tree, twin = StaticQuadtree(rows), BruteStatic(rows)
    tree.check()

    assert tree.query((32, 32, 64, 64)).tolist() == [0, 1, 2, 20, 21, 22, 40, 41, 42]
    assert tree.query((33, 33, 63, 63)).tolist() == [21]
    assert tree.nearest(64, 64) == 21
    assert tree.within(64, 64, 0).tolist() == [21, 22, 41, 42]
    assert tree.k_nearest(64, 64, 4).tolist() == [21, 22, 41, 42]
    assert tree.segment(16, 16, 16, 100).tolist() == [0, 20, 40, 60]
    for x in range(-32, 700, 16):
        for verb, args in (
            ("query", ((x, 100, x + 96, 260),)),
            ("within", (x, 320, 48)),
            ("k_nearest", (x, 333, 9)),
            ("segment", (x, -10, 640 - x, 650)),
        ):
            assert getattr(tree, verb)(*args).tolist() == getattr(twin, verb)(*args).tolist()


@pytest.mark.parametrize("nothing", [[], (), np.empty((0, 4))], ids=["list", "tuple", "array"])
def test_an_empty_tree_finds_nothing(nothing):
    tree = StaticQuadtree(nothing)
    tree.check()

    assert len(tree) == 0
    assert tree.nearest(0, 0) is None
    for answer in (
        tree.query((0, 0, 1, 1)),
        tree.within(0, 0, 10),
        tree.k_nearest(0, 0, 3),
        tree.segment(0, 0, 1, 1),
    ):
        assert answer.dtype == np.int32
        assert answer.shape == (0,)


def test_the_boxes_are_copied():
    rows = np.array([[0.0, 0.0, 1.0, 1.0]])
    tree = StaticQuadtree(rows)
    rows[:] = 50

    assert tree.query((0, 0, 1, 1)).tolist() == [0]
    tree.check()


@pytest.mark.parametrize(
    "rows",
    [
        np.array([[0, 0, 2, 2], [4, 4, 6, 6]]),
        np.array([[0, 0, 2, 2], [4, 4, 6, 6]], dtype=np.float32),
        np.asfortranarray([[0.0, 0.0, 2.0, 2.0], [4.0, 4.0, 6.0, 6.0]]),
        np.repeat([[0.0, 0.0, 2.0, 2.0], [4.0, 4.0, 6.0, 6.0]], 2, axis=0)[::2],
        [[0, 0, 2, 2], [4, 4, 6, 6]],
        ((0, 0, 2, 2), (4, 4, 6, 6)),
    ],
    ids=["int", "float32", "fortran", "strided", "lists", "tuples"],
)
def test_any_array_of_boxes_is_accepted(rows):
    tree = StaticQuadtree(rows)
    tree.check()

    assert len(tree) == 2
    assert tree.query((2, 2, 4, 4)).tolist() == [0, 1]
    assert tree.nearest(5, 5) == 1


@refuses
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([1, 2, 3, 4], "boxes"),
        ([[1, 2, 3]], "boxes"),
        (np.zeros((2, 2, 4)), "boxes"),
        ([[0, 0, 1, 1], [0, 0, float("nan"), 1]], "boxes.*nan"),
        ([[0, 0, float("inf"), 1]], "boxes.*inf"),
        ([[5, 0, 4, 1]], "boxes.*5"),
        ([[0, 7, 1, 6]], "boxes.*7"),
    ],
    ids=["flat", "three columns", "three axes", "nan", "inf", "x reversed", "y reversed"],
)
def test_invalid_boxes_are_named(rows, message):
    with pytest.raises(ValueError, match=message):
        StaticQuadtree(rows)


def corners(rows):
    """Return low and high corners in turn, as interesting query points."""
    return {i: tuple(box[:2] if i % 2 else box[2:]) for i, box in enumerate(rows)}


def ask_all(tree, twin, asker):
    tree.check()
    assert len(tree) == len(twin)
    for verb in STATIC_VERBS:
        compare_static(tree, twin, asker.static(verb))

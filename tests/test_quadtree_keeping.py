"""Trees that are copied, pickled, saved, measured, and that write into the caller's arrays."""

from __future__ import annotations

import copy
import pickle
from random import Random

import numpy as np
import pytest

from tests.questions import DYNAMIC_VERBS, STATIC_VERBS, Asker, compare_dynamic, compare_static
from tests.worlds import WORLDS, boxes, footprint
from tilequad import DynamicQuadtree, StaticQuadtree

each_world = pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
each_way = pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda tree: pickle.loads(pickle.dumps(tree))],
    ids=["copy", "deepcopy", "pickle"],
)


def filled(world, count=300):
    """A tree with gaps in its slots, and where its units stand."""
    rng = Random(world.name)
    tree, places = DynamicQuadtree(world.bounds), {}
    for item in range(count):
        places[item] = world.place(rng)
        tree.add(item, *places[item], groups=rng.choice((1, 2)), **footprint(rng, world, count))
    for item in rng.sample(range(count), count // 3):
        tree.remove(item)
        del places[item]
    return tree, places


@each_way
@each_world
def test_a_dynamic_tree_again(world, again):
    """The same answers, and from then on each goes its own way."""
    tree, places = filled(world)
    other = again(tree)
    other.check()

    assert list(other) == list(tree)
    asker = Asker(Random(1), world, places)
    for verb in DYNAMIC_VERBS * 3:
        compare_dynamic(other, tree, asker.dynamic(verb))
    gone = next(iter(other))
    other.remove(gone)
    other.add("new", 1, 1)
    assert gone in tree
    assert "new" not in tree
    tree.check()
    other.check()


@each_way
def test_an_empty_dynamic_tree_again(again):
    other = again(DynamicQuadtree((0, 0, 10, 10)))
    other.add("a", 1, 1)
    assert other.nearest(0, 0) == "a"


@each_way
@each_world
def test_a_static_tree_again(world, again, tmp_path):
    rng = Random(world.name)
    rows = boxes(rng, world, 300)
    tree = StaticQuadtree(rows)
    tree.save(tmp_path / "tree.npz")
    asker = Asker(rng, world, {i: row[:2] for i, row in enumerate(rows)})
    for other in (again(tree), StaticQuadtree.load(tmp_path / "tree.npz")):
        other.check()
        assert np.array_equal(other.boxes(), rows)
        for verb in STATIC_VERBS * 2:
            compare_static(other, tree, asker.static(verb))


def test_a_file_that_holds_no_tree(tmp_path):
    (tmp_path / "text.npz").write_text("no tree")
    np.savez(tmp_path / "other.npz", other=np.zeros(3))
    for name in ("text.npz", "other.npz"):
        with pytest.raises(ValueError, match=name):
            StaticQuadtree.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        StaticQuadtree.load(tmp_path / "none.npz")


@each_world
def test_stats_agree_with_the_nodes(world):
    tree, places = filled(world)
    for each, items in ((tree, len(places)), (StaticQuadtree(boxes(Random(2), world, 500)), 500)):
        stats, nodes = each.stats(), each.nodes()
        held = nodes["count"][nodes["leaf"]]
        assert stats.items == items == held.sum()
        assert stats.nodes == (~nodes["leaf"]).sum()
        assert stats.leaves == (held > 0).sum()
        assert stats.depth == nodes["depth"].max()
        assert stats.fullest_leaf == held.max()
        assert stats.items_a_leaf == held[held > 0].mean()
        assert stats.bytes > 0


def test_answers_into_arrays_of_the_caller():
    tree, _ = filled(WORLDS[0])
    rng = np.random.default_rng(4)
    xy = rng.uniform(0, 1024, (50, 2))
    views = np.hstack([xy, xy + 60])
    row = np.full(5_000, -7, np.int32)
    for verb, args in (("within_many", (xy, 90)), ("query_many", (views,))):
        offsets, slots = getattr(tree, verb)(*args)
        other_offsets, other = getattr(tree, verb)(*args, out=row)
        assert np.shares_memory(other, row)
        assert other_offsets.tolist() == offsets.tolist()
        assert other.tolist() == slots.tolist()
    slots, distances = tree.nearest_many(xy)
    out = np.empty(60, np.int32), np.empty(60)
    other, other_distances = tree.nearest_many(xy, out=out)
    assert np.shares_memory(other, out[0])
    assert np.shares_memory(other_distances, out[1])
    assert other.tolist() == slots.tolist()
    assert other_distances.tolist() == distances.tolist()


@pytest.mark.parametrize(
    "out", [np.empty(1, np.int32), np.empty(900, np.int64), np.empty((30, 30), np.int32)]
)
def test_arrays_that_do_not_fit_are_named(out):
    tree, _ = filled(WORLDS[0])
    with pytest.raises(ValueError, match="out"):
        tree.within_many([(500, 500)], 900, out=out)

"""Copies, pickles, files, memory and statistics of trees, and results in the caller's arrays."""

import copy
import gc
import pickle
import weakref
from functools import partial
from random import Random

import numpy as np
import pytest

from tests.worlds import WORLDS, boxes, footprint
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.quadtree import Contacts

each_way = pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda tree: pickle.loads(pickle.dumps(tree))],
    ids=["copy", "deepcopy", "pickle"],
)


def filled(world):
    """Return a tree with gaps in its slots, and the positions of its units."""
    rng, count = Random(world.name), most_of(world) // 2
    tree, places = DynamicQuadtree(world.bounds), {}
    for item in range(count):
        places[item] = world.place(rng)
        tree.add(item, *places[item], groups=rng.choice((1, 2)), **footprint(rng, world, count))
    for item in rng.sample(range(count), count // 3):
        tree.remove(item)
        del places[item]
    return tree, places


def most_of(world):
    """How many units a game has at most: fewer where each of them meets all others."""
    return 120 if world.name == "one point" else 600


@each_way
def test_a_copy_has_the_same_bytes_and_a_life_of_its_own(world, again):
    """Of equal bytes comes the same tree: see test_quadtree_bytes."""
    tree, _ = filled(world)
    before = tree.to_bytes()
    other = again(tree)

    assert list(other) == list(tree)
    assert other.to_bytes() == before
    gone = next(iter(other))
    other.remove(gone)
    other.add("new", 1, 1)
    assert gone in tree
    assert tree.to_bytes() == before
    tree.check()
    other.check()


class Knight:
    """A unit that refers to its tree, as the tree refers to it."""

    def __init__(self, tree, name):
        self.tree, self.name = tree, name
        tree.add(self, 3, 4, radius=2, groups=2**31)


@pytest.mark.parametrize("start", ["tree", "unit"])
def test_units_may_refer_to_their_tree(again, start):
    tree = DynamicQuadtree((0, 0, 10, 10))
    knights = [Knight(tree, name) for name in "ab"]
    other = again(tree) if start == "tree" else again(knights[0]).tree
    other.check()

    assert [knight.name for knight in other] == ["a", "b"]
    assert all(knight.tree is other for knight in other)
    assert not any(knight in other for knight in knights)
    assert other.query((5, 0, 10, 10), groups=2**31) == list(other)


def test_a_copy_shares_the_units_and_a_tree_and_its_units_are_collected_together():
    tree = DynamicQuadtree((0, 0, 10, 10))
    gone = weakref.ref(Knight(tree, "a"))
    other = copy.copy(tree)
    assert list(other) == [gone()]
    del tree, other
    gc.collect()

    assert gone() is None


def test_a_restored_game_continues_bit_by_bit(world, again):
    """It has the same slots, serials, marks and contacts, and returns the same ordered lists."""
    rng = Random(world.name)
    tree = filled(world)[0]
    contacts = Contacts(tree)
    contacts.update()
    play(tree, contacts, world, rng)
    tree_again, contacts_again = again((tree, contacts))
    tree_again.check()
    mine = play(tree, contacts, world, Random(2))
    other = play(tree_again, contacts_again, world, Random(2))

    assert mine == other


def play(tree, contacts, world, rng):
    """Change a tree for some ticks; return its results and the positions of its units."""
    seen = []
    for _ in range(8):
        for _ in range(40):
            item = rng.randrange(most_of(world))
            if item not in tree:
                tree.add(item, *world.place(rng), **footprint(rng, world, 600))
            elif rng.random() < 0.3:
                tree.remove(item)
            else:
                tree.move(item, *world.place(rng))
        x, y = world.place(rng)
        radius = world.bounds.width / 4
        seen += [tree.within(x, y, radius), tree.query(world.bounds), tree.pairs()]
        seen += [contacts.update(), [(item, tree.slot(item), tree.position(item)) for item in tree]]
        seen += [[tree.serial(item) for item in tree], tree.digest()]
        seen += [tree.changed_since(mark).tolist() for mark in range(1, tree.mark() + 1)]
        offsets, slots = tree.within_many([(x, y)], radius)
        seen.append((offsets.tolist(), slots.tolist(), tree.stats()[:3]))
    return seen


@each_way
def test_a_restored_static_tree_has_the_same_bytes(world, again, tmp_path):
    tree = StaticQuadtree(boxes(Random(world.name), world, 300))
    tree.save(tmp_path / "rooms.tree")
    for other in (again(tree), StaticQuadtree.load(tmp_path / "rooms.tree")):
        other.check()
        assert other.to_bytes() == tree.to_bytes()


def test_a_file_without_a_tree_is_refused(tmp_path):
    """The file is no tree, truncated, garbled, or another kind of tree; the error names it."""
    path = tmp_path / "rooms.tree"
    StaticQuadtree([(x, 0, x + 1, 1) for x in range(200)]).save(path)
    whole = path.read_bytes()
    middle = len(whole) // 2
    garbled = whole[:middle] + b"garbled" + whole[middle + 7 :]
    other = DynamicQuadtree((0, 0, 9, 9)).to_bytes()
    for content in (b"", b"no tree", whole[:20], whole[:-30], garbled, whole + b"x", other):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"rooms\.tree' holds no tree: "):
            StaticQuadtree.load(path)
    with pytest.raises(FileNotFoundError):
        StaticQuadtree.load(tmp_path / "none.tree")


@each_way
def test_an_empty_tree_can_be_restored(tmp_path, again):
    other = again(DynamicQuadtree((0, 0, 10, 10)))
    other.add("a", 1, 1)
    assert other.nearest(0, 0) == "a"
    tree = StaticQuadtree([])
    tree.save(tmp_path / "rooms.tree")
    for boxes_of in (again(tree), StaticQuadtree.load(tmp_path / "rooms.tree")):
        assert len(boxes_of) == 0
        assert boxes_of.boxes().shape == (0, 4)


def test_boxes_are_returned_as_given_without_float32_rounding():
    rows = [(0.1, 1 / 3, 16_777_217.0, 1e9 + 0.125), (-1e-9, 1e-50, 1e-9, 1e149)]
    tree = StaticQuadtree(rows)

    assert tree.boxes().tolist() == [list(row) for row in rows]
    tree.boxes()[0, 0] = -5  # a copy
    assert tree.boxes()[0, 0] == 0.1


def test_memory_stays_below_its_limits():
    """At most 64 bytes per unit of a large batch, and 24 bytes per static box."""
    count = 100_000
    corners = np.random.default_rng(1).integers(0, 10_000, (count, 2)).astype(float)
    tree = DynamicQuadtree((0, 0, 10_000, 10_000))
    tree.add_many(range(count), corners)

    assert tree.stats().nbytes <= 64 * count
    assert StaticQuadtree(np.hstack([corners, corners + 32])).stats().nbytes <= 24 * count


def test_nbytes_grows_with_the_units():
    tree = DynamicQuadtree((0, 0, 10, 10))
    empty = tree.stats().nbytes
    tree.add_many(range(1000), [(i, i) for i in range(1000)])
    filled_up = tree.stats().nbytes
    Contacts(tree)

    assert filled_up >= empty + 1000 * (8 + 8 + 4 + 16 + 8 + 8)  # px, py, who, record, halves
    assert tree.stats().nbytes >= filled_up + 4 * 1000  # when each has changed


def test_an_empty_tree_has_stats():
    for tree in (DynamicQuadtree((0, 0, 1, 1)), StaticQuadtree([])):
        stats = tree.stats()
        assert stats[:3] == (1, 0, 1)
        assert stats[4:] == (0, 0.0, 0)


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
        assert stats.items_per_leaf == held[held > 0].mean()
        assert stats.nbytes > 0


READ_ONLY = np.empty(900, np.int32)
READ_ONLY.flags.writeable = False
UNFIT = {
    "too short": np.empty(1, np.int32),
    "too wide": np.empty(900, np.int64),
    "other bytes": np.empty(900, np.dtype(np.int32).newbyteorder()),
    "a table": np.empty((30, 30), np.int32),
    "every second": np.empty(1800, np.int32)[::2],
    "read-only": READ_ONLY,
}


@pytest.mark.parametrize("out", UNFIT.values(), ids=UNFIT)
def test_an_unsuitable_out_is_named(out):
    tree, _ = filled(WORLDS[0])
    with pytest.raises(ValueError, match="out"):
        tree.within_many([(500, 500)], 900, out=out)
    with pytest.raises(ValueError, match="out"):
        tree.query_many([(0, 0, 1000, 1000)], out=out)
    points = [(500, 500)] * 2
    for pair in ((out, np.empty(2)), (np.empty(2, np.int32), out)):
        with pytest.raises(ValueError, match="out"):
            tree.nearest_many(points, out=pair)


def test_an_out_that_just_fits_is_accepted():
    tree = DynamicQuadtree((0, 0, 10, 10))
    slots = tree.add_many("abc", [(1, 1), (2, 2), (9, 9)])
    row = np.full(3, -7, np.int32)
    offsets, found = tree.within_many([(1, 1), (9, 9)], 3, out=row)
    assert offsets.tolist() == [0, 2, 3]
    assert found.base is row
    assert sorted(row) == sorted(slots)
    tree.query_many([(8, 8, 9, 9)], out=row)
    assert row[0] == slots[2]
    with pytest.raises(ValueError, match="room for 3, got 2"):
        tree.within_many([(1, 1)], 20, out=row[:2])
    for kind, place, nearest in ((tuple, 0, slots[0]), (list, 9, slots[2])):
        tree.nearest_many([(place, place)], out=kind((row, np.empty(1))))
        assert row[0] == nearest


@pytest.mark.parametrize("workers", [1, 3])
def test_out_receives_the_results_of_batches_every_frame(workers):
    tree, places = filled(WORLDS[0])
    row, pair = np.empty(5_000, np.int32), (np.empty(210, np.int32), np.empty(210))
    xy = np.array(list(places.values()))
    for radius in (90, 0, 40):
        for ask in (
            partial(tree.within_many, xy, radius),
            partial(tree.query_many, np.hstack([xy, xy + radius])),
        ):
            found = ask(workers=workers, out=row)
            assert [part.tolist() for part in found] == [part.tolist() for part in ask()]
            assert np.shares_memory(found[1], row)
        nearest = tree.nearest_many(xy + radius)
        found = tree.nearest_many(xy + radius, workers=workers, out=pair)
        assert [part.tolist() for part in found] == [part.tolist() for part in nearest]
        assert all(map(np.shares_memory, found, pair))

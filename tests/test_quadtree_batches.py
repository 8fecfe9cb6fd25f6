"""Batches: row by row the single verb with the same options, and brute force, in both modes."""

from functools import partial
from itertools import pairwise
from math import inf
from random import Random

import numpy as np
import pytest

import tilequad
from tests.oracle import BruteDynamic
from tests.questions import Asker, add_unit
from tests.trees import DynamicQuadtree, refuses

GROUPS = (1, 2, 3, 4, 6, 2**31)
UNWANTED = (0, 1, 2, 4, 2**31)


class Scene:
    """A tree and its twin with gaps in their slots, and questions about them, some in a crowd."""

    def __init__(self, world, count=400):
        self.rng, self.world = Random(world.name), world
        self.tree, self.twin = DynamicQuadtree(world.bounds), BruteDynamic(world.bounds)
        self.places = {}
        for item in range(count):
            place = add_unit(self.rng, world, item, count, GROUPS, self.tree, self.twin)
            self.places[item] = place
        for item in self.rng.sample(range(count), count // 4):
            del self.places[item]
            self.tree.remove(item)
            self.twin.remove(item)
        self.asker = Asker(self.rng, world, self.places)
        self.xy = [self.asker._point() for _ in range(60)]
        x, y = self.rng.choice(list(self.places.values()))
        step = world.bounds.width / 500
        self.xy += [(x + i % 10 * step, y + i // 10 * step) for i in range(90)]
        self.count = len(self.xy)

    def length(self):
        return self.asker._length()

    def each(self, draw):
        """One value for all rows, or a row each."""
        if self.rng.random() < 0.5:
            return draw()
        return [draw() for _ in range(self.count)]

    def picks(self):
        """Options of any batch: groups, without and exclude; exclude as items."""
        options = {}
        if self.rng.random() < 0.6:
            options["groups"] = self.each(lambda: self.rng.choice(GROUPS))
        if self.rng.random() < 0.6:
            options["without"] = self.each(lambda: self.rng.choice(UNWANTED))
        if self.rng.random() < 0.6:
            options["exclude"] = [self.rng.choice([None, *self.places]) for _ in range(self.count)]
        return options

    def ring(self):
        """Options of a radius batch, and the radius."""
        step = self.world.bounds.width / self.rng.choice((8, 30, 400))
        radius = self.each(lambda: self.length() if self.rng.random() < 0.3 else step)
        options = self.picks()
        if self.rng.random() < 0.4:
            options["min_radius"] = np.min(radius) / 2
        if self.rng.random() < 0.3:
            options["to_edge"] = True
        return radius, options

    def for_tree(self, tree, options):
        """The options of a batch of a tree, which excludes slots."""
        if "exclude" not in options:
            return options
        items = options["exclude"]
        slots = [-1 if item is None else tree.slot(item) for item in items]
        return {**options, "exclude": slots}

    def rows(self, options):
        """The options of the single verb, row by row."""
        for i in range(self.count):
            yield {
                name: value[i] if isinstance(value, list) else value
                for name, value in options.items()
            }


def parts(tree, answer):
    """The items of each row of offsets and slots."""
    offsets, slots = answer
    assert offsets.dtype == np.int64
    assert slots.dtype == np.int32
    assert (offsets[0], offsets[-1]) == (0, len(slots))
    return [tree.items(slots[a:b]) for a, b in pairwise(offsets.tolist())]


def with_workers(ask):
    """The answer of a batch, which is the same with one worker and with three."""
    alone, shared = ask(workers=1), ask(workers=3)
    assert [part.tolist() for part in alone] == [part.tolist() for part in shared]
    return alone


def test_radius_batches_are_the_single_verbs_row_by_row(world):
    scene = Scene(world)
    tree, twin = scene.tree, scene.twin
    for _ in range(12):
        radius, options = scene.ring()
        asked = scene.for_tree(tree, options)
        found = parts(tree, with_workers(partial(tree.within_many, scene.xy, radius, **asked)))
        counts = with_workers(partial(tree.count_within_many, scene.xy, radius, **asked))
        rows = list(scene.rows({"radius": radius, **options}))
        single = [tree.within(x, y, **row) for (x, y), row in zip(scene.xy, rows, strict=True)]
        brute = [twin.within(x, y, **row) for (x, y), row in zip(scene.xy, rows, strict=True)]

        assert [sorted(row) for row in found] == [sorted(row) for row in single]
        assert [sorted(row) for row in found] == brute
        assert counts.dtype == np.int64
        assert counts.tolist() == [len(row) for row in brute]


def test_sums_are_added_in_the_order_of_slots_to_the_last_bit(world):
    scene = Scene(world)
    tree = scene.tree
    last = max(tree.slot(item) for item in tree) + 1
    values = np.random.default_rng(3).normal(0, 1e3, (last, 3)) ** 5
    for _ in range(8):
        radius, options = scene.ring()
        asked = scene.for_tree(tree, options)
        sums = tree.sum_within_many(scene.xy, radius, values, **asked)
        first = tree.sum_within_many(scene.xy, radius, values[:, 0].copy(), **asked)
        offsets, slots = tree.within_many(scene.xy, radius, **asked)
        for i, (low, high) in enumerate(pairwise(offsets.tolist())):
            total = np.zeros(3)
            for slot in sorted(slots[low:high].tolist()):
                total += values[slot]
            assert sums[i].tolist() == total.tolist()
        assert first.tolist() == sums[:, 0].tolist()


def test_a_sum_is_the_same_alone_and_in_a_crowd():
    """It depends on the units alone, not on the walk that found them or on the tree's shape."""
    rng = np.random.default_rng(5)
    xy = rng.uniform(0, 1000, (5000, 2))
    values = rng.normal(0, 1, 5000) * 10.0 ** rng.integers(-8, 8, 5000)
    whole, grown = DynamicQuadtree((0, 0, 1000, 1000)), DynamicQuadtree((0, 0, 1000, 1000))
    whole.add_many(range(5000), xy)
    for item in range(5000):
        grown.add(item, *xy[item])
    sums = whole.sum_within_many(xy[:300], 90, values)

    assert sums.tolist() == grown.sum_within_many(xy[:300], 90, values).tolist()
    assert sums.tolist() == whole.sum_within_many(xy[:300], 90, values, workers=3).tolist()
    for i in range(0, 300, 17):
        assert whole.sum_within_many(xy[i : i + 1], 90, values)[0] == sums[i]


def test_nearest_batches_are_the_single_verbs_row_by_row(world):
    scene = Scene(world)
    tree, twin = scene.tree, scene.twin
    for k in (1, 1, 1, 2, 6, 6, 30, 70, 500):
        options = scene.picks()
        high = scene.each(scene.length) if scene.rng.random() < 0.5 else inf
        if scene.rng.random() < 0.4:
            options["min_distance"] = min(np.min(high), world.bounds.width) / 2
        options["max_distance"] = high
        if scene.rng.random() < 0.3:
            options["to_edge"] = True
        asked = scene.for_tree(tree, options)
        slots, distances = with_workers(partial(tree.k_nearest_many, scene.xy, k, **asked))
        assert (slots.dtype, distances.dtype) == (np.int32, np.float64)
        assert slots.shape == distances.shape == (scene.count, k)
        if k == 1:
            nearest, near = with_workers(partial(tree.nearest_many, scene.xy, **asked))
            assert nearest.tolist() == slots[:, 0].tolist()
            assert near.tolist() == distances[:, 0].tolist()
        for i, row in enumerate(scene.rows(options)):
            x, y = scene.xy[i]
            found = tree.items(slots[i][slots[i] >= 0])
            assert found == tree.k_nearest(x, y, k, **row) == twin.k_nearest(x, y, k, **row)
            assert (slots[i][len(found) :] == -1).all()
            assert (distances[i][len(found) :] == inf).all()
            to_edge = options.get("to_edge", False)
            assert distances[i][: len(found)].tolist() == twin.distances(found, x, y, to_edge)


def test_box_batches_are_the_single_verb_row_by_row(world):
    scene = Scene(world)
    tree, twin = scene.tree, scene.twin
    for _ in range(8):
        sizes = [(scene.length(), scene.length()) for _ in scene.xy]
        boxes = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(scene.xy, sizes, strict=True)]
        options = scene.picks()
        asked = scene.for_tree(tree, options)
        found = parts(tree, with_workers(partial(tree.query_many, boxes, **asked)))
        for box, row, names in zip(boxes, scene.rows(options), found, strict=True):
            exclude = row.pop("exclude", None)
            assert sorted(names) == [i for i in sorted(tree.query(box, **row)) if i != exclude]
            assert sorted(names) == twin.query(box, exclude=exclude, **row)


def test_segment_batches_are_the_single_verb_row_by_row(world):
    scene = Scene(world)
    tree, twin = scene.tree, scene.twin
    for _ in range(8):
        ends = scene.xy[::-1]
        options = scene.picks()
        if scene.rng.random() < 0.6:
            options["width"] = scene.each(lambda: scene.length() / 4)
        asked = scene.for_tree(tree, options)
        found = parts(tree, with_workers(partial(tree.segment_many, scene.xy, ends, **asked)))
        for a, b, row, names in zip(scene.xy, ends, scene.rows(options), found, strict=True):
            assert names == tree.segment(*a, *b, **row) == twin.segment(*a, *b, **row)


def test_empty_batches_and_empty_trees():
    empty, tree = DynamicQuadtree((0, 0, 9, 9)), DynamicQuadtree((0, 0, 9, 9))
    tree.add("orc", 1, 1)
    none = np.empty((0, 2))
    for each in (empty, tree):
        assert each.count_within_many(none, 5).tolist() == []
        assert each.sum_within_many(none, 5, np.zeros((7, 2))).shape == (0, 2)
        assert [part.shape for part in each.k_nearest_many(none, 3)] == [(0, 3), (0, 3)]
        assert [part.tolist() for part in each.segment_many(none, none)] == [[0], []]
        assert each.within_many(none, 5, groups=[], without=[], exclude=[])[0].tolist() == [0]
    assert empty.sum_within_many([(1, 1)], 5, []).tolist() == [0]
    assert empty.sum_within_many([(1, 1)], 5, np.empty((0, 2))).tolist() == [[0, 0]]
    assert tree.sum_within_many([(1, 1)], 5, np.empty((9, 0))).shape == (1, 0)
    assert empty.k_nearest_many([(1, 1)], 2)[0].tolist() == [[-1, -1]]
    assert empty.count_within_many([(1, 1)], 5).tolist() == [0]
    assert not empty.any_within(1, 1, 5)


XY = [(1.0, 1.0), (2.0, 2.0)]
NEW = {
    "query_many": lambda tree, **options: tree.query_many([(0, 0, 5, 5)] * 2, **options),
    "within_many": lambda tree, **options: tree.within_many(XY, 5, **options),
    "count_within_many": lambda tree, **options: tree.count_within_many(XY, 5, **options),
    "sum_within_many": lambda tree, **options: tree.sum_within_many(XY, 5, [1.0] * 3, **options),
    "nearest_many": lambda tree, **options: tree.nearest_many(XY, **options),
    "k_nearest_many": lambda tree, **options: tree.k_nearest_many(XY, 2, **options),
    "segment_many": lambda tree, **options: tree.segment_many(XY, XY, **options),
}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tree: tree.within_many(XY, 5, min_radius=[0, 6]), "min_radius .* in row 1"),
        (lambda tree: tree.nearest_many(XY, min_distance=5, max_distance=[9, 4]), "row 1"),
        (lambda tree: tree.k_nearest_many(XY, 0), "k must be at least 1"),
        (lambda tree: tree.k_nearest_many(XY, 2**70), "k must be at most 65536"),
        (lambda tree: tree.segment_many(XY, XY[:1]), "xy1 must have shape"),
        (lambda tree: tree.segment_many([(1, np.nan)], [(1, 1)]), "xy0 must be finite"),
        (lambda tree: tree.sum_within_many(XY, 5, [1.0]), "values must have 3 rows or more, got 1"),
        (lambda tree: tree.sum_within_many(XY, 5, 1.0), "values must have shape"),
    ],
)
def test_wrong_distances_and_values_are_refused(call, message):
    tree = tilequad.DynamicQuadtree((0, 0, 9, 9))
    tree.add_many("abc", [(1, 1), (2, 2), (3, 3)])
    with pytest.raises(ValueError, match=message):
        call(tree)


@refuses
@pytest.mark.parametrize("batch", NEW.values(), ids=NEW)
def test_exclude_must_be_slots_of_units(batch):
    tree = DynamicQuadtree((0, 0, 9, 9))
    first, second, last = tree.add_many("abc", [(1, 1), (2, 2), (3, 3)]).tolist()
    batch(tree, exclude=[first, last])
    batch(tree, exclude=[-1, -1])
    tree.remove("b")
    for slot in (second, 3, 2**31 - 1, 2**40, -2):
        with pytest.raises(ValueError, match=f"^exclude .* got {slot}"):
            batch(tree, exclude=[first, slot])
    with pytest.raises(ValueError, match=r"^exclude .* got 1"):
        batch(tree, exclude=np.array([first, second], np.uint64))
    batch(tree, exclude=[last, -1])


def test_groups_left_out_prune():
    tree = tilequad.DynamicQuadtree((0, 0, 1000, 1000))
    xy = np.random.default_rng(2).uniform(0, 1000, (5000, 2))
    tree.add_many(range(5000), xy, groups=1 | 4)
    tree.add("free", 900, 900, groups=1)
    for verb, args in (
        ("query", ((0, 0, 1000, 1000),)),
        ("within", (500, 500, 800)),
        ("nearest", (100, 100)),
        ("segment", (0, 0, 1000, 1000, 50)),
    ):
        told = tree.explain(verb, *args, groups=1, without=4)
        assert told.found == 1
        assert told.items_tested < 150, verb
        assert told.pruned_by_group > 0
    tree.check()


@pytest.mark.parametrize("leaf_size", [1, 4, 48])
def test_of_units_equally_near_in_several_leaves_the_one_added_first_is_nearest(leaf_size):
    rng, side = Random(leaf_size), 12
    tree = tilequad.DynamicQuadtree((0, 0, side, side), leaf_size=leaf_size)
    twin = BruteDynamic((0, 0, side, side))
    corners = [(x, y) for x in range(side + 1) for y in range(side + 1)]
    rng.shuffle(corners)
    for each in (tree, twin):
        for number, (x, y) in enumerate(corners + corners[:40]):
            if number >= len(corners):  # a later life in an earlier slot
                each.remove((x, y))
            each.add((x, y), x, y)
    xy = [(x + 0.5, y + 0.5 * (x % 2)) for x in range(side) for y in range(side)]
    expected = [twin.nearest(x, y) for x, y in xy]
    slots, _ = tree.nearest_many(xy)
    assert tree.items(slots) == expected
    assert [tree.nearest(x, y) for x, y in xy] == expected

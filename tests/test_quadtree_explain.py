"""What explain() says a question costs, against the questions themselves, watched uncompiled."""

from random import Random

import numpy as np
import pytest

from tests.questions import STATIC_VERBS, Asker
from tests.worlds import boxes, footprint
from tilequad import COMPILED, DynamicQuadtree, StaticQuadtree
from tilequad._core.tree import box_query, nearest, segment, walk, within

VERBS = ("query", "within", "nearest", "k_nearest", "segment")
watched = pytest.mark.skipif(COMPILED, reason="C cannot be watched; the uncompiled run does it")


def army(world, count=600, **limits):
    """A tree whose groups are spread, but for a rare one, and where its units stand."""
    rng = Random(world.name)
    tree, places = DynamicQuadtree(world.bounds, **limits), {}
    for item in range(count):
        places[item] = world.place(rng)
        groups = 4 if item % 200 == 7 else rng.choice((1, 2))
        tree.add(item, *places[item], groups=groups, **footprint(rng, world, count))
    return tree, places


def questions(tree, world, places, repeat):
    """Questions of every verb to a tree: the verb, its arguments and options."""
    asker = Asker(Random(world.name), world, places)
    if isinstance(tree, StaticQuadtree):
        return [asker.static(verb) for verb in STATIC_VERBS * repeat]
    asked = [asker.dynamic(verb) for verb in VERBS * repeat]
    sweeps = [("sweep", (item, *world.place(asker.rng)), {}) for item in list(places)[:repeat]]
    radius = world.bounds.width / 10
    places_asked = [world.place(asker.rng) for _ in range(repeat)]
    options = {"groups": 6, "without": 2, "to_edge": repeat % 2 == 0}
    rings = [
        (verb, (*place, radius), options)
        for verb in ("count_within", "any_within")
        for place in places_asked
    ]
    hits = [("sweep_hits", *sweep[1:]) for sweep in sweeps]
    hits += [("segment_hits", (0, 0, *place, radius), {}) for place in places_asked]
    return [*asked, *sweeps, *rings, *hits]


def test_found_is_the_number_in_the_answer(world):
    tree, places = army(world)
    rows = boxes(Random(world.name), world, 600)
    for each in (tree, StaticQuadtree(rows)):
        for verb, args, options in questions(each, world, places, 12):
            answer = getattr(each, verb)(*args, **options)
            count = int(answer is not None) if verb == "nearest" else number(answer)
            told = each.explain(verb, *args, **options)

            assert told.found == count, (verb, args, options)
            assert told.items_tested >= told.found


BESIDE = [(-9, 0, -8, 40), (48, 0, 49, 40), (0, -9, 40, -8), (0, 48, 40, 49)]


@pytest.mark.parametrize("bounds", BESIDE)
def test_boxes_beside_the_query_are_not_tested(bounds):
    tree = StaticQuadtree([(x, y, x + 1, y + 1) for x in range(40) for y in range(40)])
    told = tree.explain("query", bounds)
    assert (told.nodes, told.leaves, told.pruned_by_place) == (1, 0, 4)


def number(answer):
    """How many an answer has, or is."""
    return answer if isinstance(answer, int) else len(answer)


class Visits:
    """Counts what an uncompiled tree does: visits of nodes, and leaves with their entries."""

    def __init__(self, monkeypatch, nodes):
        self.nodes, self.leaves, self.entries = 0, 0, 0
        self.tree = nodes
        next_span, next_nearest = walk.next_span, nearest.next_nearest
        find_near_point, scan_leaf = walk.find_near_point, nearest.scan_leaf
        axis_distances, descend = walk.axis_distances, nearest.descend
        pursue, scan_edges = walk.pursue, nearest.scan_edges

        def watch_span(tree, state):
            fresh = state.entry == state.end
            found = next_span(tree, state)
            if found and fresh:
                self.read(state.leaf)
            return found

        def watch_nearest(*args):
            leaf = next_nearest(*args)
            if leaf >= 0 and not len(nodes.cell):  # the static tree scans it right away
                self.read(leaf)
            return leaf

        def watch_scan(units, walked, ranking, leaf):
            self.read(leaf)
            scan_leaf(units, walked, ranking, leaf)

        def watch_edges(units, walked, ranking, leaf):
            self.read(leaf)
            scan_edges(units, walked, ranking, leaf)

        def watch_boxes(*args):
            self.nodes += 1
            axis_distances(*args)

        def watch_pursuit(*args):
            self.nodes += 1
            return pursue(*args)

        def watch_way(*args):
            depth = descend(*args)
            self.nodes += depth
            return depth

        def watch_lines(*args):
            nodes.split.counts = True
            find_near_point(*args)
            nodes.split.counts = False

        for module in (within, box_query, segment, nearest):
            monkeypatch.setattr(module, "next_span", watch_span)
        monkeypatch.setattr(walk, "axis_distances", watch_boxes)
        monkeypatch.setattr(walk, "pursue", watch_pursuit)
        monkeypatch.setattr(walk, "find_near_point", watch_lines)
        monkeypatch.setattr(nearest, "descend", watch_way)
        monkeypatch.setattr(nearest, "scan_leaf", watch_scan)
        monkeypatch.setattr(nearest, "scan_edges", watch_edges)
        monkeypatch.setattr(nearest, "next_nearest", watch_nearest)
        monkeypatch.setattr(nodes, "split", Splits(self, nodes.split))

    def read(self, leaf):
        self.leaves += 1
        self.entries += self.tree.links[at(leaf) + 12]

    def seen(self):
        """Nodes, leaves and entries since the last time."""
        counts = self.nodes, self.leaves, self.entries
        self.nodes = self.leaves = self.entries = 0
        return counts


class Splits(list):
    """The split lines of a tree; a walk by lines reads the first of each node once."""

    def __init__(self, watch, values):
        super().__init__(values)
        self.watch, self.counts = watch, False

    def __getitem__(self, i):
        self.watch.nodes += self.counts and i % 2 == 0
        return super().__getitem__(i)


def at(leaf):
    return (leaf >> 2) * 16 + (leaf & 3)


@watched
def test_the_counts_are_those_of_the_search_itself(world, monkeypatch):
    tree, places = army(world)
    rows = boxes(Random(world.name), world, 600)
    for each in (tree, StaticQuadtree(rows)):
        asked = questions(each, world, places, 12)
        told = [each.explain(verb, *args, **options) for verb, args, options in asked]
        with monkeypatch.context() as patch:
            watch = Visits(patch, each._store.nodes)
            for (verb, args, options), counts in zip(asked, told, strict=True):
                getattr(each, verb)(*args, **options)
                assert watch.seen() == counts[:3], (verb, args, options)


def test_every_part_is_walked_or_left_out_once(world):
    """Of a root with four leaves, each question counts every leaf with units exactly once.

    Of a deep tree, all count everything if nothing can be left out, and no part twice.
    """
    flat, _ = army(world, max_depth=1)
    tree, places = army(world)
    stats = tree.stats()
    everything = tree.explain("query", (-1e12, -1e12, 1e12, 1e12))

    assert everything == (stats.nodes, stats.leaves, len(tree), 0, 0, len(tree))
    for verb, args, options in questions(tree, world, places, 6):
        if verb in ("nearest", "k_nearest", "any_within"):
            continue  # they end before they have seen every part
        told = flat.explain(verb, *args, **options)
        assert told.nodes == 1
        assert told.leaves + told.pruned_by_place + told.pruned_by_group == flat.stats().leaves
        told = tree.explain(verb, *args, **options)
        parts = told.nodes + told.leaves + told.pruned_by_place + told.pruned_by_group
        assert parts <= stats.nodes + stats.leaves
        assert told.nodes <= stats.nodes
        assert told.leaves <= stats.leaves
        if "groups" not in options:
            assert told.pruned_by_group == 0


@pytest.mark.parametrize(("groups", "against"), [(None, None), (4, None), (4, 3), (8, None)])
def test_pairs_found_are_those_of_the_answer_and_groups_leave_out_nothing(world, groups, against):
    tree, _ = army(world)
    everyone = tree.explain("pairs")
    told = tree.explain("pairs", groups, against=against)

    assert told.found == len(tree.pairs(groups, against=against))
    assert told[:5] == everyone[:5]  # groups are asked for where two units touch
    assert told.pruned_by_group == 0
    assert told.found <= told.items_tested <= 600 * 599 // 2


def test_pairs_leave_out_what_cannot_meet():
    tree = DynamicQuadtree((0, 0, 1000, 1000))
    tree.add_many(range(1000), [(i % 50 * 20, i // 50 * 50) for i in range(1000)], radius=10)
    told = tree.explain("pairs")

    assert told.found == 20 * 49  # neighbors in a row touch
    assert told.pruned_by_place > told.nodes
    assert told.items_tested < 1000 * 999 / 2 / 20


def test_a_rare_group_leaves_the_others_out():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add_many(range(2000), [(i % 50, i // 50) for i in range(2000)])
    tree.set_groups(1700, 2)
    everyone = tree.explain("within", 20, 20, 50)
    rare = tree.explain("within", 20, 20, 50, groups=2)

    assert everyone.pruned_by_group == 0
    assert rare.pruned_by_group > 0
    assert rare.leaves == 1
    assert rare.items_tested <= 48
    assert (everyone.found, rare.found) == (2000, 1)
    nearest = tree.explain("nearest", 45, 10, groups=2)
    assert nearest.pruned_by_group > 0
    assert nearest.found == 1
    assert nearest.items_tested <= 96  # the leaf of the point, and the one that has it


def test_a_predicate_is_asked_as_often_as_by_the_search():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add_many(range(2000), [(i % 50, i // 50) for i in range(2000)])
    calls = []

    def seventh(item):
        calls.append(item)
        return item % 7 == 0

    tree.k_nearest(20, 20, 30, where=seventh)
    asked, calls[:] = calls[:], []
    told = tree.explain("k_nearest", 20, 20, 30, where=seventh)

    assert told.found == 30
    assert calls == asked


def test_an_empty_tree():
    tree = DynamicQuadtree((0, 0, 10, 10))
    assert tree.explain("within", 5, 5, 100) == (1, 0, 0, 0, 0, 0)
    assert StaticQuadtree([]).explain("nearest", 5, 5) == (1, 0, 0, 0, 0, 0)


def test_refusals():
    tree = DynamicQuadtree((0, 0, 10, 10))
    for each in (tree, StaticQuadtree([])):
        with pytest.raises(ValueError, match=r"verb.*query, within.*'look'"):
            each.explain("look", 1, 1)
        with pytest.raises(ValueError, match=r"radius.*-1"):
            each.explain("within", 1, 1, -1)
        with pytest.raises(ValueError, match=r"k.*0"):
            each.explain("k_nearest", 1, 1, 0)
        with pytest.raises(TypeError):
            each.explain("within", 1, 1)
    with pytest.raises(KeyError, match="nobody"):
        tree.explain("sweep", "nobody", 1, 1)


def test_pairs_leave_out_whole_leaves_that_share_a_group():
    xy = np.random.default_rng(5).uniform(0, 400, (1_500, 2))
    tree = DynamicQuadtree((0, 0, 400, 400))
    tree.add_many(range(1_500), xy, radius=6, groups=np.where(xy[:, 0] < 200, 2, 1))

    visited = [tree.explain("pairs", without=mask).nodes for mask in (0x80000000, 2)]

    assert visited[1] < visited[0] * 0.7

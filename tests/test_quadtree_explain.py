"""What explain() says a question costs, against the questions themselves, watched uncompiled."""

from __future__ import annotations

from random import Random

import pytest

from tests.questions import STATIC_VERBS, Asker
from tests.worlds import WORLDS, boxes, footprint
from tilequad import COMPILED, DynamicQuadtree, StaticQuadtree
from tilequad.quadtree import nodes_cy
from tilequad.quadtree.buffer_cy import IntBuffer

VERBS = ("query", "within", "nearest", "k_nearest", "segment")
each_world = pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
watched = pytest.mark.skipif(COMPILED, reason="C cannot be watched; the uncompiled run does it")


def army(world, count=600):
    """A tree whose groups are spread, but for a rare one, and where its units stand."""
    rng = Random(world.name)
    tree, places = DynamicQuadtree(world.bounds), {}
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
    counts = [("count_within", (*place, radius), {"groups": 6}) for place in places_asked]
    return [*asked, *sweeps, *counts]


@each_world
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


def number(answer):
    """How many an answer has, or is."""
    return answer if isinstance(answer, int) else len(answer)


class Watch:
    """Counts what a tree really does: nodes, and leaves with their entries."""

    def __init__(self, monkeypatch, tree):
        self.nodes, self.leaves = 0, []
        self.tree, self.links = tree, tree.links
        kind = type(tree)
        gaps, place_of, descend = nodes_cy.gaps, kind.place_of, kind.descend

        def count_gaps(*args):
            self.nodes += 1
            return gaps(*args)

        def count_leaf(_, q):
            self.leaves.append(q)
            return place_of(tree, q)

        def count_way_down(_, *args):
            depth = descend(tree, *args)
            self.nodes += depth
            return depth

        monkeypatch.setattr(nodes_cy, "gaps", count_gaps)
        monkeypatch.setattr(kind, "place_of", count_leaf)
        monkeypatch.setattr(kind, "descend", count_way_down)
        if kind is DynamicQuadtree:  # its walk by split lines reads one of each node
            monkeypatch.setattr(tree, "split", Splits(self, tree.split))
            leaves_near = kind.leaves_near

            def count_lines(*args):
                tree.split.counts = True
                leaves_near(*args)
                tree.split.counts = False

            monkeypatch.setattr(kind, "leaves_near", count_lines)

    def seen(self):
        """Nodes, leaves and entries since the last time."""
        leaves = [leaf for i, leaf in enumerate(self.leaves) if leaf not in self.leaves[:i]]
        counts = self.nodes, len(leaves), sum(self.links[at(leaf) + 12] for leaf in leaves)
        self.nodes, self.leaves = 0, []
        return counts


class Splits(list):
    """The split lines of a tree; a walk reads the first of a node once."""

    def __init__(self, watch, values):
        super().__init__(values)
        self.watch, self.counts = watch, False

    def __getitem__(self, i):
        self.watch.nodes += self.counts and i % 2 == 0
        return super().__getitem__(i)


def at(leaf):
    return (leaf >> 2) * 16 + (leaf & 3)


@watched
@each_world
def test_the_counts_are_those_of_the_search_itself(world, monkeypatch):
    tree, places = army(world)
    rows = boxes(Random(world.name), world, 600)
    for each in (tree, StaticQuadtree(rows)):
        asked = questions(each, world, places, 12)
        told = [each.explain(verb, *args, **options) for verb, args, options in asked]
        with monkeypatch.context() as patch:
            watch = Watch(patch, each)
            for (verb, args, options), counts in zip(asked, told, strict=True):
                if again(verb, args, options):
                    continue
                getattr(each, verb)(*args, **options)
                assert watch.seen() == counts[:3], (verb, args, options)


def again(verb, args, options):
    """Whether a search may walk more than once, so that it reads leaves again."""
    return "where" in options or (verb == "k_nearest" and args[2] > 64)


@each_world
def test_every_part_is_walked_or_left_out_once(world):
    """Every quadrant of a visited node that holds something is in exactly one of the counts."""
    tree, places = army(world)
    for verb, args, options in questions(tree, world, places, 6):
        if verb in ("nearest", "k_nearest"):
            continue
        everything = tree.explain("query", (-1e12, -1e12, 1e12, 1e12))
        told = tree.explain(verb, *args, **options)

        assert everything.pruned_by_place == everything.pruned_by_group == 0
        assert everything.leaves == tree.stats().leaves
        assert everything.nodes == tree.stats().nodes
        assert everything.items_tested == everything.found == len(tree)
        assert told.nodes <= everything.nodes
        assert told.leaves <= everything.leaves
        if "groups" not in options:
            assert told.pruned_by_group == 0


@each_world
@pytest.mark.parametrize(("groups", "against"), [(None, None), (4, None), (4, 3), (8, None)])
def test_pairs_found_are_those_of_the_answer_and_groups_leave_out_nothing(world, groups, against):
    tree, _ = army(world)
    everyone = tree.explain("pairs")
    told = tree.explain("pairs", groups, against=against)

    assert told.found == len(tree.pairs(groups, against))
    assert told[:5] == everyone[:5]  # groups are asked for where two units touch
    assert told.pruned_by_group == 0
    assert told.found <= told.items_tested <= 600 * 599 // 2


def test_pairs_leave_out_what_cannot_meet():
    tree = DynamicQuadtree((0, 0, 1000, 1000))
    tree.add_many(range(1000), [(i % 50 * 20, i // 50 * 50) for i in range(1000)], radius=10)
    told = tree.explain("pairs")

    assert told.found == 20 * 49  # neighbours in a row touch
    assert told.pruned_by_place > told.nodes
    assert told.items_tested < 1000 * 999 / 2 / 20


@watched
@each_world
def test_the_counts_of_pairs_are_those_of_the_search_itself(world, monkeypatch):
    tree, _ = army(world)
    told = tree.explain("pairs", 2)
    kind, links = type(tree), tree.links
    near, alone, both = kind.near, kind.pairs_in_leaf, kind.pairs_of_leaves
    reserve = IntBuffer.reserve
    meetings, leaves, rooms, selves = [], [], [], []

    def count_near(_, p, q):
        meets = near(tree, p, q)
        if links[at(p) + 4] and links[at(q) + 4]:  # neither is empty
            meetings.append(meets)
        return meets

    def count_alone(_, q, *args):
        leaves.append((q, q))
        selves.append(links[at(q) + 12])
        alone(tree, q, *args)

    def count_both(_, *args):
        leaves.append(args[:2])
        both(tree, *args)

    def count_room(buffer, room):
        rooms.append(room)
        reserve(buffer, room)

    monkeypatch.setattr(kind, "near", count_near)
    monkeypatch.setattr(kind, "pairs_in_leaf", count_alone)
    monkeypatch.setattr(kind, "pairs_of_leaves", count_both)
    monkeypatch.setattr(IntBuffer, "reserve", count_room)
    found = tree.pairs_many(2)

    assert told.found == len(found)
    assert told.leaves == len(leaves)
    assert told.pruned_by_place == meetings.count(False)
    # All that is not empty meets itself, and each meeting opens a node or compares leaves.
    stats = tree.stats()
    assert told.nodes + told.leaves == stats.nodes + stats.leaves + meetings.count(True)
    # Room is made for two slots a pair, and within a leaf for a unit with itself.
    assert told.items_tested == sum(rooms) // 2 - sum(selves)


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

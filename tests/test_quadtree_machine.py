"""Hypothesis compares every method of the dynamic tree with brute force, step by step."""

from itertools import pairwise
from math import inf

import hypothesis.strategies as st
import numpy as np
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.oracle import BruteDynamic
from tests.share import WHOLE
from tests.trees import DynamicQuadtree

BOUNDS = (0.0, 0.0, 64.0, 64.0)

# Multiples of a half produce edges, ties and points on split lines. Other floats produce the rest;
# none is so small that its square is 0.
coordinates = st.one_of(
    st.integers(-20, 148).map(lambda number: number / 2),
    st.floats(-100, 200).map(lambda number: number if abs(number) > 1e-100 else 0.0),
    st.sampled_from((-1e9, 1e9, 1e-9, 31.999999999999996, 32.00000000000001)),
)
places = st.tuples(coordinates, coordinates)
lengths = st.one_of(
    st.integers(0, 40).map(lambda number: number / 2),
    st.floats(0, 100).map(lambda number: number if number > 1e-100 else 0.0),
)
shapes = st.one_of(
    st.just({}),
    st.builds(lambda radius: {"radius": radius}, lengths),
    st.builds(lambda width, height: {"size": (width, height)}, lengths, lengths),
)
masks = st.sampled_from((1, 2, 3, 4, 2**31, 2**32 - 1))
wanted = st.one_of(st.none(), masks)
unwanted = st.one_of(st.none(), st.sampled_from((0, 1, 2, 4, 2**31)))
picks = st.integers(0, 10**6)
limits = st.one_of(st.just(inf), lengths)


class TreeMachine(RuleBasedStateMachine):
    """Changes a tree and its twin alike, and compares them."""

    def __init__(self):
        super().__init__()
        self.tree, self.twin = DynamicQuadtree(BOUNDS), BruteDynamic(BOUNDS)
        self.added = 0

    def pick(self, number):
        """Return one of the units in the tree; None if it is empty."""
        units = list(self.twin)
        return units[number % len(units)] if units else None

    def some(self, start, count):
        """Return up to `count` consecutive units."""
        units = list(self.twin)
        start %= max(1, len(units))
        return units[start : start + count]

    # Changing.

    @rule(x=coordinates, y=coordinates, shape=shapes, groups=masks)
    def add(self, x, y, shape, groups):
        for each in (self.tree, self.twin):
            each.add(self.added, x, y, groups=groups, **shape)
        self.added += 1

    @rule(
        places=st.lists(places, min_size=10, max_size=40),
        shape=shapes,
        groups=masks,
    )
    def add_a_crowd(self, places, shape, groups):
        for x, y in places:
            self.add(x, y, shape, groups)

    @precondition(lambda self: len(self.twin))
    @rule(number=picks, x=coordinates, y=coordinates)
    def move(self, number, x, y):
        item = self.pick(number)
        for each in (self.tree, self.twin):
            each.move(item, x, y)

    @precondition(lambda self: len(self.twin) > 1)
    @rule(number=picks, onto=picks)
    def move_onto_another(self, number, onto):
        self.move(number, *self.twin.position(self.pick(onto)))

    @precondition(lambda self: len(self.twin))
    @rule(number=picks, groups=masks)
    def set_groups(self, number, groups):
        item = self.pick(number)
        for each in (self.tree, self.twin):
            each.set_groups(item, groups)

    @precondition(lambda self: len(self.twin))
    @rule(number=picks)
    def remove(self, number):
        item = self.pick(number)
        for each in (self.tree, self.twin):
            each.remove(item)

    @precondition(lambda self: len(self.twin) > 20)
    @rule(number=picks)
    def remove_a_crowd(self, number):
        for step in range(15):
            self.remove(number + 7 * step)

    @precondition(lambda self: len(self.twin))
    @rule(number=picks, shape=shapes)
    def resize(self, number, shape):
        item = self.pick(number)
        for each in (self.tree, self.twin):
            each.resize(item, **shape)

    # Changing many at once.

    @rule(places=st.lists(places, max_size=80), shape=shapes, groups=masks)
    def add_many(self, places, shape, groups):
        items = range(self.added, self.added + len(places))
        xy = np.array(places).reshape(-1, 2)
        for each in (self.tree, self.twin):
            slots = each.add_many(items, xy, groups=groups, **shape)
            assert each.items(slots) == list(items)
        self.added += len(places)

    @rule(start=picks, places=st.lists(places, max_size=30))
    def move_many(self, start, places):
        items = self.some(start, len(places))
        xy = np.array(places[: len(items)]).reshape(-1, 2)
        for each in (self.tree, self.twin):
            each.move_many([each.slot(item) for item in items], xy)

    @rule(start=picks, groups=masks | st.lists(masks, max_size=30))
    def set_groups_many(self, start, groups):
        items = self.some(start, len(groups) if isinstance(groups, list) else 12)
        groups = groups[: len(items)] if isinstance(groups, list) else groups
        for each in (self.tree, self.twin):
            each.set_groups_many([each.slot(item) for item in items], groups)

    @rule(start=picks, count=st.integers(0, 30))
    def remove_many(self, start, count):
        items = self.some(start, count)
        for each in (self.tree, self.twin):
            each.remove_many([each.slot(item) for item in items])

    # Querying.

    @rule(
        x=coordinates, y=coordinates, width=lengths, height=lengths, groups=wanted, without=unwanted
    )
    def query(self, x, y, width, height, groups, without):
        question = (x, y, x + width, y + height), groups, without
        assert sorted(self.tree.query(*question)) == self.twin.query(*question)

    @rule(
        x=coordinates,
        y=coordinates,
        radii=st.tuples(lengths, st.just(0) | lengths).map(sorted),
        groups=wanted,
        without=unwanted,
        number=picks,
        to_edge=st.booleans(),
    )
    def within(self, x, y, radii, groups, without, number, to_edge):
        low, high = radii
        options = {
            "groups": groups,
            "without": without,
            "min_radius": low,
            "exclude": self.pick(number),
            "to_edge": to_edge,
        }
        found = self.tree.within(x, y, high, **options)
        assert sorted(found) == self.twin.within(x, y, high, **options)
        assert self.tree.count_within(x, y, high, **options) == len(found)
        assert self.tree.any_within(x, y, high, **options) == bool(found)

    @rule(
        x=coordinates,
        y=coordinates,
        k=st.integers(1, 60),
        groups=wanted,
        without=unwanted,
        ring=st.tuples(st.just(0) | lengths, limits).map(sorted),
        number=picks,
        to_edge=st.booleans(),
        every=st.integers(1, 3),
    )
    def nearest(self, x, y, k, groups, without, ring, number, to_edge, every):
        low, high = ring
        options = {
            "groups": groups,
            "without": without,
            "min_distance": 0 if low == inf else low,
            "max_distance": high,
            "exclude": self.pick(number),
            "to_edge": to_edge,
            "where": None if every == 1 else lambda item: item % every == 0,
        }
        assert self.tree.nearest(x, y, **options) == self.twin.nearest(x, y, **options)
        assert self.tree.k_nearest(x, y, k, **options) == self.twin.k_nearest(x, y, k, **options)

    @rule(
        way=st.tuples(coordinates, coordinates, coordinates, coordinates),
        width=st.just(0) | lengths,
        groups=wanted,
        without=unwanted,
        number=picks,
    )
    def segment(self, way, width, groups, without, number):
        options = {"width": width, "groups": groups, "without": without}
        options["exclude"] = self.pick(number)
        assert self.tree.segment(*way, **options) == self.twin.segment(*way, **options)

    @precondition(lambda self: len(self.twin))
    @rule(number=picks, x=coordinates, y=coordinates, groups=wanted, without=unwanted)
    def sweep(self, number, x, y, groups, without):
        question = self.pick(number), x, y, groups, without
        assert self.tree.sweep(*question) == self.twin.sweep(*question)

    @precondition(lambda self: len(self.twin))
    @rule(number=picks, other=picks, goals=st.tuples(places, places))
    def meet(self, number, other, goals):
        question = self.pick(number), *goals[0], self.pick(other), *goals[1]
        assert self.tree.meet(*question) == self.twin.meet(*question)

    @rule(groups=wanted, against=wanted, without=unwanted)
    def pairs(self, groups, against, without):
        question = groups, without, against
        assert self.tree.pairs(*question) == self.twin.pairs(*question)

    @rule(queries=st.lists(places, max_size=10), radius=lengths, groups=wanted)
    def within_many(self, queries, radius, groups):
        xy = np.array(queries).reshape(-1, 2)
        answers = []
        for each in (self.tree, self.twin):
            offsets, slots = each.within_many(xy, radius, groups)
            parts = [slots[a:b] for a, b in pairwise(offsets.tolist())]
            answers.append([sorted(each.items(part)) for part in parts])
        assert answers[0] == answers[1]

    @rule(queries=st.lists(places, max_size=10), groups=wanted)
    def nearest_many(self, queries, groups):
        xy = np.array(queries).reshape(-1, 2)
        answers = []
        for each in (self.tree, self.twin):
            slots, distances = each.nearest_many(xy, groups)
            found = [each.items([slot])[0] if slot >= 0 else None for slot in slots.tolist()]
            answers.append((found, distances.tolist()))
        assert answers[0] == answers[1]

    @rule(groups=wanted, against=wanted)
    def pairs_many(self, groups, against):
        answers = [
            sorted(tuple(each.items(pair)) for pair in each.pairs_many(groups, against=against))
            for each in (self.tree, self.twin)
        ]
        assert answers[0] == answers[1]

    # Always.

    @invariant()
    def sound(self):
        self.tree.check()
        assert len(self.tree) == len(self.twin)

    @invariant()
    def the_same_units_in_the_same_places(self):
        assert list(self.tree) == list(self.twin)
        for item in self.twin:
            assert item in self.tree
            assert self.tree.position(item) == self.twin.position(item)
            assert self.tree.groups(item) == self.twin.groups(item)


TestTreeMachine = TreeMachine.TestCase
TestTreeMachine.settings = settings(max_examples=200 if WHOLE else 60, stateful_step_count=40)

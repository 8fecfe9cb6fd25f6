"""Overlaps say who stands in whom, how deep, and which way out is the shortest."""

from __future__ import annotations

from fractions import Fraction
from math import hypot, sqrt
from random import Random

import numpy as np
import pytest

from tilequad import DynamicQuadtree
from tilequad.quadtree import Hit

BOX = (0, 0, 100, 100)


class Crowd:
    """A tree of units of all shapes, many on one point or edge to edge, and what it was told."""

    def __init__(self, seed: int, count: int = 250, spread: int = 40) -> None:
        rng = Random(seed)
        self.tree = DynamicQuadtree(BOX)
        self.units = {}
        for item in rng.sample(range(count), count):
            x, y, groups = rng.randrange(spread), rng.randrange(spread), rng.choice((1, 2, 3, 4))
            if rng.random() < 0.3:
                x, y = x + rng.random(), y + rng.random()
            half = rng.choice((0, 1, 2, rng.random()))
            kind = rng.choice(("radius", "size"))
            shape = {kind: half if kind == "radius" else (2 * half, 3)}
            self.tree.add(item, x, y, groups=groups, **shape)
            radius, box = (half, (0, 0)) if kind == "radius" else (0, (half, 1.5))
            self.units[item] = tuple(map(Fraction, (x, y, radius, *box))), groups
        for item in range(0, count, 9):  # so that slots are free, and taken out of order
            self.tree.remove(item)
            del self.units[item]
        for item in range(0, count, 18):
            self.tree.add(item, 20, 20, radius=1)
            self.units[item] = tuple(map(Fraction, (20, 20, 1, 0, 0))), 1

    def depth(self, a: int, b: int) -> float:
        """The depth of two units by exact numbers, rounded at the end; below 0 if they part."""
        (ax, ay, *mine), (bx, by, *other) = self.units[a][0], self.units[b][0]
        radius, half_w, half_h = (one + two for one, two in zip(mine, other, strict=True))
        beyond_x, beyond_y = abs(ax - bx) - half_w, abs(ay - by) - half_h
        if beyond_x > 0 and beyond_y > 0:
            return float(radius) - sqrt(beyond_x * beyond_x + beyond_y * beyond_y)
        return float(radius - max(beyond_x, beyond_y))

    def rows(self, asking, groups: int, without: int) -> set[tuple[int, int]]:
        """The pairs of items that `overlaps_many` must find, as its docstring says."""

        def fits(item: int) -> bool:
            return bool(self.units[item][1] & groups) and not self.units[item][1] & without

        order, rows = list(self.units), set()
        for a, b in self.tree.pairs():  # a was added first
            for one, other in ((a, b), (b, a)):
                if one in asking and fits(other) and not {(a, b), (b, a)} & rows:
                    rows.add((one, other))
        assert order == list(self.tree)
        return rows


def bits(rows):
    """What `overlaps_many` found, by items: the numbers of each row."""
    tree, (slots, normals, depths) = rows
    pairs = zip(tree.items(slots[:, 0]), tree.items(slots[:, 1]), strict=True)
    numbers = zip(pairs, normals.tolist(), depths.tolist(), strict=True)
    return {pair: (*normal, depth) for pair, normal, depth in numbers}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("groups", "without"), [(None, None), (2, None), (5, 2), (None, 4)])
def test_who_overlaps_whom(seed, groups, without):
    crowd, rng = Crowd(seed), Random(seed)
    tree = crowd.tree
    some = rng.sample(list(tree), 60)
    for asking in (None, some, some[:5], some[:1], []):
        slots = None if asking is None else [*tree.slots(asking), *tree.slots(asking[:9])]
        found = tree.overlaps_many(slots, groups, without)
        asked = set(tree if asking is None else asking)
        expected = crowd.rows(asked, groups or 7, without or 0)

        assert [array.dtype for array in found] == [np.int32, np.float64, np.float64]
        assert [array.shape for array in found] == [(len(expected), 2)] * 2 + [(len(expected),)]
        assert bits((tree, found)).keys() == expected


@pytest.mark.parametrize("seed", range(4))
def test_depths_are_exact_and_normals_lead_out(seed):
    crowd = Crowd(seed)
    tree = crowd.tree
    for (a, b), (nx, ny, depth) in bits((tree, tree.overlaps_many())).items():
        assert depth == pytest.approx(crowd.depth(a, b), abs=1e-12)
        assert hypot(nx, ny) == pytest.approx(1)
        (ax, ay, *_), _ = crowd.units[a]
        moved = float(ax) + nx * (depth + 1e-9), float(ay) + ny * (depth + 1e-9)
        crowd.units[a] = (*map(Fraction, moved), *crowd.units[a][0][2:]), 1
        assert -2e-9 < crowd.depth(a, b) < 0
        crowd.units[a] = (ax, ay, *crowd.units[a][0][2:]), 1


def test_one_unit_is_told_what_all_are_told():
    tree = Crowd(5).tree
    rows = bits((tree, tree.overlaps_many()))
    for item in tree:
        hits = tree.overlaps(item)
        assert [hit.item for hit in hits] == tree.sweep(item, *tree.position(item))
        for hit in hits:
            assert isinstance(hit, Hit)
            assert hit.fraction == 0
            numbers = hit.nx, hit.ny, hit.depth
            if (item, hit.item) in rows:
                assert numbers == rows[item, hit.item]
            else:  # the other one stands first, and goes the other way
                assert (-hit.nx, -hit.ny, hit.depth) == rows[hit.item, item]


def test_one_unit_asks_for_some_groups():
    tree = Crowd(6).tree
    for item in list(tree)[:40]:
        expected = tree.sweep(item, *tree.position(item), 2, 1)
        assert [hit.item for hit in tree.overlaps(item, groups=2, without=1)] == expected


@pytest.mark.parametrize(
    ("shape", "depth"),
    [({}, 0), ({"radius": 3}, 6), ({"size": (4, 4)}, 4), ({"size": (9, 2)}, 2)],
)
def test_two_on_one_point_part(shape, depth):
    tree = DynamicQuadtree(BOX)
    for name in "ab":
        tree.add(name, 50, 50, **shape)
    [one], [other] = tree.overlaps("a"), tree.overlaps("b")

    assert (one.nx, one.ny) == (-other.nx, -other.ny)
    assert abs(one.nx) + abs(one.ny) == 1
    assert one.depth == other.depth == depth


def test_a_hit_that_comes_later_has_no_depth():
    tree = DynamicQuadtree(BOX)
    tree.add("ball", 10, 50, radius=5)
    tree.add("near", 18, 50, radius=5)
    tree.add("far", 60, 52, radius=5)

    assert [hit.depth for hit in tree.sweep_hits("ball", 90, 50)] == [2, 0]
    assert [hit.depth for hit in tree.segment_hits(57, 52, 90, 50)] == [2]


def answers():
    """What both modes must answer alike."""
    rows = []
    for seed in range(3):
        tree = Crowd(seed, 120).tree
        slots, normals, depths = tree.overlaps_many()
        order = np.lexsort(slots.T).tolist()
        rows.append([part[order].tolist() for part in (slots, normals, depths)])
        rows.append([tree.overlaps(item) for item in tree])
    return rows

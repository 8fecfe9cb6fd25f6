"""tilequad's own trees."""

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers.base import Index, own
from benchmarks.plan import OURS
from tilequad import DynamicQuadtree, StaticQuadtree

RARE, COMMON = 2, 1  # groups: every hundredth unit is of the rare one


class Tilequad(Index):
    name = OURS

    def __init__(self, army: Army, **options: int) -> None:
        self.tree = DynamicQuadtree(army.bounds, **options)
        groups = np.where(np.arange(army.count) % 100 == 0, RARE, COMMON).astype(np.uint32)
        self.slots = self.tree.add_many(army.items, army.xy, groups=groups)

    @staticmethod
    def build(army: Army):
        tree = DynamicQuadtree(army.bounds)
        tree.add_many(army.items, army.xy)
        return tree

    def radius(self, queries, radius):
        return [self.tree.within(x, y, radius) for x, y in queries]

    def nearest(self, queries):
        return [self.tree.nearest(x, y) for x, y in queries]

    def nearest_rare(self, queries):
        return [self.tree.nearest(x, y, groups=RARE) for x, y in queries]

    def k_nearest(self, queries, k):
        return [self.tree.k_nearest(x, y, k) for x, y in queries]

    def box(self, queries, half):
        return [self.tree.query((x - half, y - half, x + half, y + half)) for x, y in queries]

    radius_batch, count_batch = own("within_many"), own("count_within_many")
    nearest_batch = own("nearest_many")

    def box_batch(self, xy, half):
        return self.tree.query_many(np.hstack([xy - half, xy + half]))

    def pairing(self, army, size):
        tree = DynamicQuadtree(army.bounds)
        for item, (x, y) in enumerate(army.xy.tolist()):
            tree.add(item, x, y, size=(size, size))
        return tree.pairs_many

    def move(self, steps):
        for item, _, _, x, y in steps:
            self.tree.move(item, x, y)

    def move_all(self, xy):
        self.tree.move_many(self.slots, xy)

    def lists(self, answer):
        offsets, slots = answer
        return np.split(slots, offsets[1:-1])

    def distances(self, answer):
        return answer[1]


class TilequadOneByOne(Index):
    """The verbs on whole armies again, as plain calls in a plain loop."""

    name = "tilequad, one by one"

    @staticmethod
    def build(army: Army):
        tree = DynamicQuadtree(army.bounds)
        for item, (x, y) in enumerate(army.xy.tolist()):
            tree.add(item, x, y)
        return tree

    def move_all(self, xy):
        for item, (x, y) in enumerate(xy.tolist()):
            self.tree.move(item, x, y)

    def around(self, places, half):
        return Tilequad.box(self, places, half)


class TilequadStatic(Index):
    """The tree of boxes that never change, here over boxes of zero size."""

    name = "tilequad, static"

    @staticmethod
    def build(army: Army, **options: int):
        return StaticQuadtree(np.hstack([army.xy, army.xy]), **options)

    radius, box = Tilequad.radius, Tilequad.box
    nearest, k_nearest = Tilequad.nearest, Tilequad.k_nearest

"""boostree: Boost's R-tree, in batches; single questions go to its copy of rtree."""

from __future__ import annotations

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class Boostree(Index):
    name = "boostree"
    most = 100_000

    def __init__(self, army: Army) -> None:
        from boostree.index import Index as Tree

        self.numbers = np.arange(army.count)
        self.single = Tree((self.numbers, army.xy, army.xy))
        self.tree = self.build(army)

    @staticmethod
    def build(army: Army):
        from boostree import RTree

        return RTree.from_points(army.xy, storage="point")

    def box(self, queries, half):
        query = self.single.intersection
        return [list(query((x - half, y - half, x + half, y + half))) for x, y in queries]

    def nearest_batch(self, xy):
        return self.tree.knn(xy, 1)

    def box_batch(self, boxes):
        return self.tree.intersect(boxes[:, :2], boxes[:, 2:])

    def move_all(self, xy):
        self.tree.update(self.numbers, xy)

    def around(self, places, half):
        at = np.array(places)
        return self.lists(self.tree.intersect(at - half, at + half))

    def lists(self, answer):
        ids, counts = answer
        return np.split(ids, np.cumsum(counts[:-1], dtype=np.int64))

    def distances(self, answer):
        return answer[1][:, 0]

"""rtree: libspatialindex, an R-tree in C++."""

from __future__ import annotations

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class Rtree(Index):
    name = "rtree"
    most = 10_000

    @staticmethod
    def build(army: Army):
        from rtree.index import Index as Tree

        return Tree((np.arange(army.count), army.xy, army.xy))

    def box(self, queries, half):
        query = self.tree.intersection
        return [list(query((x - half, y - half, x + half, y + half))) for x, y in queries]

    def nearest(self, queries):
        nearest = self.tree.nearest
        return [list(nearest((x, y, x, y), 1)) for x, y in queries]

    def move(self, steps):
        delete, insert = self.tree.delete, self.tree.insert
        for item, old_x, old_y, x, y in steps:
            delete(item, (old_x, old_y, old_x, old_y))
            insert(item, (x, y, x, y))

    def one(self, answer):
        return answer[0]

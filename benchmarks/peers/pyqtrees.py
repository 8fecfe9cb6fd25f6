"""Pyqtree, a quadtree in Python."""

from __future__ import annotations

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class Pyqtree(Index):
    name = "Pyqtree"
    most = 10_000

    @staticmethod
    def build(army: Army):
        from pyqtree import Index as Tree

        tree = Tree(bbox=(-16.0, -16.0, army.side + 16.0, army.side + 16.0))
        for item, (x, y) in enumerate(army.xy.tolist()):
            tree.insert(item, (x, y, x, y))
        return tree

    def box(self, queries, half):
        query = self.tree.intersect
        return [query((x - half, y - half, x + half, y + half)) for x, y in queries]

    def move(self, steps):
        remove, insert = self.tree.remove, self.tree.insert
        for item, old_x, old_y, x, y in steps:
            remove(item, (old_x, old_y, old_x, old_y))
            insert(item, (x, y, x, y))

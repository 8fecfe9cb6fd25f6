"""rstar-python: rstar, an R*-tree in Rust. Its trees of boxes give ids."""

from __future__ import annotations

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class RstarPython(Index):
    name = "rstar-python"
    most = 100_000

    def __init__(self, army: Army) -> None:
        from rstar_python import PyBBoxRTree

        self.tree = self.build(army)
        self.boxes = PyBBoxRTree(2)
        self.boxes.bulk_load(army.xy, army.xy)

    @staticmethod
    def build(army: Army):
        from rstar_python import PyRTree

        tree = PyRTree(2)
        tree.bulk_load(army.xy)
        return tree

    def box(self, queries, half):
        query = self.tree.locate_in_envelope_ids
        return [query((x - half, y - half), (x + half, y + half)) for x, y in queries]

    def radius_batch(self, xy, radius):
        return self.tree.query_radius(xy, radius)

    def box_batch(self, boxes):
        corners = np.ascontiguousarray(boxes[:, :2]), np.ascontiguousarray(boxes[:, 2:])
        return self.boxes.intersection_batch(*corners)

    def nearest_batch(self, xy):
        return self.tree.query(xy, 1)

    def lists(self, answer):
        if isinstance(answer, list):
            return answer
        ids, offsets = answer
        return np.split(ids, offsets[1:-1])

    def distances(self, answer):
        return answer[0][:, 0]

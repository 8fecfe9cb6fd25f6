"""fastquadtree, a quadtree in Rust."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class FastQuadTree(Index):
    """Capacity 16 and doubles: its fastest at this density, and exact."""

    name = "fastquadtree"

    @staticmethod
    def build(army: Army):
        from fastquadtree import QuadTree

        margin = 16.0  # units walk, and it refuses positions outside its bounds
        bounds = -margin, -margin, army.side + margin, army.side + margin
        tree = QuadTree(bounds, 16, dtype="f64")
        tree.insert_many_np(army.xy)
        return tree

    def radius(self, queries, radius):
        query, radius2 = self.tree.query, radius * radius
        return [
            [
                i
                for i, px, py in query((x - radius, y - radius, x + radius, y + radius))
                if (px - x) * (px - x) + (py - y) * (py - y) <= radius2
            ]
            for x, y in queries
        ]

    def nearest(self, queries):
        nearest = self.tree.nearest_neighbor
        return [nearest(place) for place in queries]

    def k_nearest(self, queries, k):
        nearest = self.tree.nearest_neighbors
        return [nearest(place, k) for place in queries]

    def box(self, queries, half):
        query = self.tree.query
        return [query((x - half, y - half, x + half, y + half)) for x, y in queries]

    def move(self, steps):
        update = self.tree.update
        for item, old_x, old_y, x, y in steps:
            update(item, old_x, old_y, x, y)

    def moving_all(self, before: np.ndarray) -> Callable[[np.ndarray], None]:
        """`move_all` with a list of the old positions, which its user has to keep."""
        update, old = self.tree.update, [before.tolist()]

        def move_all(xy):
            new = xy.tolist()
            for item, ((old_x, old_y), (x, y)) in enumerate(zip(old[0], new, strict=True)):
                update(item, old_x, old_y, x, y)
            old[0] = new

        return move_all

    def ids(self, answer):
        return [entry if isinstance(entry, int) else entry[0] for entry in answer]

    def one(self, answer):
        return answer[0]

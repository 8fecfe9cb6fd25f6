"""Indexes of other libraries. What cannot move a unit is built anew when units move."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers.base import Index
from benchmarks.peers.ours import Tilequad


class FastQuadTree(Index):
    """A quadtree in Rust. Capacity 16 and doubles: its fastest at this density, and exact."""

    name = "fastquadtree"

    @staticmethod
    def build(army: Army):
        from fastquadtree import QuadTree

        margin = 16.0  # units walk, and it refuses positions outside its bounds
        bounds = -margin, -margin, army.side + margin, army.side + margin
        tree = QuadTree(bounds, 16, dtype="f64")
        tree.insert_many_np(army.xy)
        return tree

    box = Tilequad.box

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


class ScipyTree(Index):
    name = "scipy cKDTree"

    @staticmethod
    def build(army: Army):
        from scipy.spatial import cKDTree

        return cKDTree(army.xy)

    def radius(self, queries, radius):
        ball = self.tree.query_ball_point
        return [ball(place, radius) for place in queries]

    def nearest(self, queries):
        query = self.tree.query
        return [query(place) for place in queries]

    def k_nearest(self, queries, k):
        query = self.tree.query
        return [query(place, k)[1] for place in queries]

    def radius_batch(self, xy, radius):
        return self.tree.query_ball_point(xy, radius)

    def nearest_batch(self, xy):
        return self.tree.query(xy)

    def k_nearest_batch(self, xy, k):
        return self.tree.query(xy, k)

    def count_batch(self, xy, radius):
        return self.tree.query_ball_point(xy, radius, return_length=True)

    def pairing(self, army, size):
        """Built from the positions in every frame."""
        return lambda: self.build(army).query_pairs(size, p=inf, output_type="ndarray")

    def move_all(self, xy):
        self.tree = type(self.tree)(xy)

    def around(self, places, half):
        return self.tree.query_ball_point(places, half, p=inf)

    def one(self, answer):
        return int(answer[1])


class PyKDTree(Index):
    name = "pykdtree"

    @staticmethod
    def build(army: Army):
        from pykdtree.kdtree import KDTree

        return KDTree(army.xy)

    nearest_batch = ScipyTree.nearest_batch
    k_nearest_batch = ScipyTree.k_nearest_batch


class RstarPython(Index):
    """An R*-tree in Rust. Its trees of boxes give ids."""

    name = "rstar-python"
    most = 100_000

    def __init__(self, army: Army) -> None:
        from rstar_python import PyBBoxRTree

        super().__init__(army)
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


class Shapely(Index):
    """An STR tree in C++, of GEOS."""

    name = "shapely STRtree"
    most = 100_000

    @staticmethod
    def build(army: Army):
        import shapely

        tree = shapely.STRtree(shapely.points(army.xy))
        tree.query(shapely.box(0, 0, 0, 0))  # it builds on its first question
        return tree

    def radius_batch(self, xy, radius):
        import shapely

        return self.tree.query(shapely.points(xy), predicate="dwithin", distance=radius)

    def box_batch(self, boxes):
        import shapely

        return self.tree.query(shapely.box(*boxes.T))

    def lists(self, answer):
        of, found = answer
        return np.split(found, np.searchsorted(of, np.arange(1, of.max(initial=0) + 1)))


class Boostree(Index):
    """Boost's R-tree, in batches; single questions go to its copy of rtree."""

    name = "boostree"
    most = 100_000

    def __init__(self, army: Army) -> None:
        from boostree.index import Index as Tree

        super().__init__(army)
        self.numbers = np.arange(army.count)
        self.single = Tree((self.numbers, army.xy, army.xy))

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


class Rtree(Index):
    """libspatialindex, an R-tree in C++."""

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


class Pyqtree(Index):
    """A quadtree in Python."""

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

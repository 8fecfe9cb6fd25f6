"""Indexes of other libraries. What cannot move a unit is built anew when units move."""

from math import inf

import numpy as np
import shapely
from boostree import RTree
from boostree.index import Index as BoostIndex
from fastquadtree import QuadTree
from pykdtree.kdtree import KDTree
from pyqtree import Index as PyIndex
from rstar_python import PyBBoxRTree, PyRTree
from rtree.index import Index as SpatialIndex
from scipy.spatial import cKDTree

from benchmarks.armies import Army
from benchmarks.peers.base import Index, own
from benchmarks.peers.ours import Tilequad

MARGIN = 16.0  # px around the world: units walk, and some trees refuse positions outside


class FastQuadTree(Index):
    """A quadtree in Rust. Capacity 16 and doubles: its fastest at this density, and exact."""

    name = "fastquadtree"

    def __init__(self, army: Army) -> None:
        super().__init__(army)
        self.places = army.xy.tolist()  # its user has to keep them, for it asks for old ones

    def build(self, army: Army):
        tree = QuadTree((-MARGIN, -MARGIN, *[army.side + MARGIN] * 2), 16, dtype="f64")
        tree.insert_many_np(army.xy)
        return tree

    box = Tilequad.box

    def radius(self, queries, radius):
        radius2 = radius * radius
        return [
            [i for i, px, py in near if (px - x) * (px - x) + (py - y) * (py - y) <= radius2]
            for near, (x, y) in zip(self.box(queries, radius), queries, strict=True)
        ]

    def nearest(self, queries):
        return [self.tree.nearest_neighbor(place) for place in queries]

    def k_nearest(self, queries, k):
        return [self.tree.nearest_neighbors(place, k) for place in queries]

    def move(self, steps):
        for step in steps:
            self.tree.update(*step)

    def move_all(self, xy):
        places = xy.tolist()
        for item, (old, new) in enumerate(zip(self.places, places, strict=True)):
            self.tree.update(item, *old, *new)
        self.places = places

    def ids(self, answer):
        return [entry if isinstance(entry, int) else entry[0] for entry in answer]

    def one(self, answer):
        return answer[0]


class ScipyTree(Index):
    name = "scipy cKDTree"

    def build(self, army: Army):
        return cKDTree(army.xy)

    def radius(self, queries, radius):
        return [self.tree.query_ball_point(place, radius) for place in queries]

    def nearest(self, queries):
        return [self.tree.query(place) for place in queries]

    def k_nearest(self, queries, k):
        return [self.tree.query(place, k)[1] for place in queries]

    radius_batch, nearest_batch = own("query_ball_point"), own("query")

    def count_batch(self, xy, radius):
        return self.tree.query_ball_point(xy, radius, return_length=True)

    def pairing(self, army, size):
        """Built from the positions in every frame."""
        return lambda: self.build(army).query_pairs(size, p=inf, output_type="ndarray")

    def move_all(self, xy):
        self.tree = cKDTree(xy)

    def around(self, places, half):
        return self.tree.query_ball_point(places, half, p=inf)

    def one(self, answer):
        return int(answer[1])


class PyKDTree(Index):
    name = "pykdtree"
    nearest_batch = own("query")

    def build(self, army: Army):
        return KDTree(army.xy)


class RstarPython(Index):
    """An R*-tree in Rust. Its trees of boxes give ids."""

    name = "rstar-python"
    most = 100_000

    def __init__(self, army: Army) -> None:
        super().__init__(army)
        self.boxes = PyBBoxRTree(2)
        self.boxes.bulk_load(army.xy, army.xy)

    def build(self, army: Army):
        tree = PyRTree(2)
        tree.bulk_load(army.xy)
        return tree

    def box(self, queries, half):
        ask = self.tree.locate_in_envelope_ids
        return [ask((x - half, y - half), (x + half, y + half)) for x, y in queries]

    radius_batch = own("query_radius")

    def box_batch(self, xy, half):
        return self.boxes.intersection_batch(xy - half, xy + half)

    def lists(self, answer):
        if isinstance(answer, list):
            return answer
        ids, offsets = answer
        return np.split(ids, offsets[1:-1])


class Shapely(Index):
    """An STR tree in C++, of GEOS."""

    name = "shapely STRtree"
    most = 100_000

    def build(self, army: Army):
        tree = shapely.STRtree(shapely.points(army.xy))
        tree.query(shapely.box(0, 0, 0, 0))  # it builds on its first question
        return tree

    def box_batch(self, xy, half):
        return self.tree.query(shapely.box(*(xy - half).T, *(xy + half).T))

    def lists(self, answer):
        of, found = answer
        return np.split(found, np.searchsorted(of, np.arange(1, of.max(initial=0) + 1)))


class Rtree(Index):
    """libspatialindex, an R-tree in C++."""

    name = "rtree"
    most = 10_000

    def build(self, army: Army):
        return SpatialIndex((np.arange(army.count), army.xy, army.xy))

    def box(self, queries, half):
        ask = self.tree.intersection
        return [list(ask((x - half, y - half, x + half, y + half))) for x, y in queries]

    def nearest(self, queries):
        return [list(self.tree.nearest((x, y, x, y), 1)) for x, y in queries]

    def move(self, steps):
        for item, old_x, old_y, x, y in steps:
            self.tree.delete(item, (old_x, old_y, old_x, old_y))
            self.tree.insert(item, (x, y, x, y))

    def one(self, answer):
        return answer[0]


class Boostree(Index):
    """Boost's R-tree, built at once; questions go to its copy of rtree."""

    name = "boostree"
    most = 100_000

    def __init__(self, army: Army) -> None:
        self.tree = BoostIndex((np.arange(army.count), army.xy, army.xy))

    def build(self, army: Army):
        return RTree.from_points(army.xy, storage="point")

    box = Rtree.box


class Pyqtree(Index):
    """A quadtree in Python."""

    name = "Pyqtree"
    most = 10_000

    def build(self, army: Army):
        tree = PyIndex(bbox=(-MARGIN, -MARGIN, *[army.side + MARGIN] * 2))
        for item, (x, y) in enumerate(army.xy.tolist()):
            tree.insert(item, (x, y, x, y))
        return tree

    def box(self, queries, half):
        ask = self.tree.intersect
        return [ask((x - half, y - half, x + half, y + half)) for x, y in queries]

    def move(self, steps):
        for item, old_x, old_y, x, y in steps:
            self.tree.remove(item, (old_x, old_y, old_x, old_y))
            self.tree.insert(item, (x, y, x, y))

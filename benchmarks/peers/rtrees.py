"""R-trees: libspatialindex by rtree, Boost by boostree, rstar by rstar-python, GEOS by shapely."""

from __future__ import annotations

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers.base import Index


def split(ids: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    """The answer to each query of a batch, from all ids and the number of them for each query."""
    return np.split(ids, np.cumsum(counts[:-1], dtype=np.int64))


class RtreeVerbs(Index):
    """The verbs that boostree shares with rtree, whose interface it copies."""

    def box(self, queries, half):
        query = self.tree.intersection
        return [list(query((x - half, y - half, x + half, y + half))) for x, y in queries]

    def radius(self, queries, radius):
        """The units in the square around the circle, then a test of each distance."""
        query, at, radius2 = self.tree.intersection, self.places, radius * radius
        return [
            [
                i
                for i in query((x - radius, y - radius, x + radius, y + radius))
                if (at[i][0] - x) * (at[i][0] - x) + (at[i][1] - y) * (at[i][1] - y) <= radius2
            ]
            for x, y in queries
        ]

    def box_batch(self, boxes):
        return self.tree.intersection_v(boxes[:, :2], boxes[:, 2:])

    def box_lists(self, answer):
        return split(*answer)

    def nearest_batch(self, xy):
        return self.tree.nearest_v(xy, xy, num_results=1, strict=True, return_max_dists=True)

    def nearest_distances(self, answer):
        return answer[2]

    def one(self, answer):
        return answer[0]


class Rtree(RtreeVerbs):
    name = "rtree"
    most = 100_000

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)
        self.places = army.xy.tolist()

    @staticmethod
    def build(army: Army):
        from rtree.index import Index as Tree

        return Tree((np.arange(army.count), army.xy, army.xy))

    def nearest(self, queries):
        nearest = self.tree.nearest
        return [list(nearest((x, y, x, y), 1)) for x, y in queries]

    def move(self, steps):
        delete, insert, at = self.tree.delete, self.tree.insert, self.places
        for item, old_x, old_y, x, y in steps:
            delete(item, (old_x, old_y, old_x, old_y))
            insert(item, (x, y, x, y))
            at[item] = (x, y)


class Boostree(RtreeVerbs):
    """Single questions go to its copy of rtree's interface: the native one has batches only."""

    name = "boostree"
    most = 100_000

    def __init__(self, army: Army) -> None:
        from boostree.index import Index as Tree

        self.numbers = np.arange(army.count)
        self.places = army.xy.tolist()
        self.tree = Tree((self.numbers, army.xy, army.xy))
        self.native = self.build(army)

    @staticmethod
    def build(army: Army):
        from boostree import RTree

        return RTree.from_points(army.xy, storage="point")

    def nearest(self, queries):
        nearest = self.tree.nearest
        return [list(nearest(place, 1)) for place in queries]

    def k_nearest(self, queries, k):
        nearest = self.tree.nearest
        return [list(nearest(place, k)) for place in queries]

    def nearest_batch(self, xy):
        return self.native.knn(xy, 1)

    def nearest_distances(self, answer):
        return answer[1][:, 0]

    def box_batch(self, boxes):
        return self.native.intersect(boxes[:, :2], boxes[:, 2:])

    def move(self, steps):
        update, at = self.native.update, self.places
        for item, _, _, x, y in steps:
            update([item], [(x, y)])
            at[item] = (x, y)

    def move_all(self, xy):
        self.native.update(self.numbers, xy)

    def around(self, places, half):
        at = np.array(places)
        return split(*self.native.intersect(at - half, at + half))


class RstarPython(Index):
    """Points by their ids where it gives ids, and by their coordinates where it does not."""

    name = "rstar-python"
    most = 100_000

    def __init__(self, army: Army) -> None:
        from rstar_python import PyBBoxRTree

        self.tree = self.build(army)
        self.boxes = PyBBoxRTree(2)
        self.boxes.bulk_load(army.xy, army.xy)
        self.army = army

    @staticmethod
    def build(army: Army):
        from rstar_python import PyRTree

        tree = PyRTree(2)
        tree.bulk_load(army.xy)
        return tree

    def radius(self, queries, radius):
        within = self.tree.neighbors_within_radius
        return [within(place, radius) for place in queries]

    def nearest(self, queries):
        nearest = self.tree.nearest_neighbor
        return [nearest(place) for place in queries]

    def k_nearest(self, queries, k):
        nearest = self.tree.k_nearest_neighbors
        return [nearest(place, k) for place in queries]

    def box(self, queries, half):
        query = self.tree.locate_in_envelope_ids
        return [query((x - half, y - half), (x + half, y + half)) for x, y in queries]

    def radius_batch(self, xy, radius):
        return self.tree.query_radius(xy, radius)

    def radius_lists(self, answer):
        return answer

    def box_batch(self, boxes):
        corners = np.ascontiguousarray(boxes[:, :2]), np.ascontiguousarray(boxes[:, 2:])
        return self.boxes.intersection_batch(*corners)

    def box_lists(self, answer):
        ids, offsets = answer
        return np.split(ids, offsets[1:-1])

    def nearest_batch(self, xy):
        return self.tree.query(xy, 1)

    def nearest_distances(self, answer):
        return answer[0][:, 0]

    def move(self, steps):
        remove, insert = self.tree.remove_item, self.tree.insert
        for item, old_x, old_y, x, y in steps:
            remove((old_x, old_y), item)
            insert((x, y), item)

    def ids(self, answer):
        return [hit if isinstance(hit, int) else self.one(hit) for hit in answer]

    def one(self, answer):
        x, y = self.army.xy.T
        [number] = np.flatnonzero((x == answer[0]) & (y == answer[1]))
        return int(number)


class Shapely(Index):
    name = "shapely STRtree"
    most = 100_000

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)

    @staticmethod
    def build(army: Army):
        import shapely

        tree = shapely.STRtree(shapely.points(army.xy))
        tree.query(shapely.box(0, 0, 0, 0))  # it builds on its first question
        return tree

    def radius(self, queries, radius):
        import shapely

        query, point = self.tree.query, shapely.Point
        return [query(point(x, y), predicate="dwithin", distance=radius) for x, y in queries]

    def nearest(self, queries):
        import shapely

        nearest, point = self.tree.nearest, shapely.Point
        return [nearest(point(x, y)) for x, y in queries]

    def box(self, queries, half):
        import shapely

        query, box = self.tree.query, shapely.box
        return [query(box(x - half, y - half, x + half, y + half)) for x, y in queries]

    def radius_batch(self, xy, radius):
        import shapely

        return self.tree.query(shapely.points(xy), predicate="dwithin", distance=radius)

    def radius_lists(self, answer):
        of, found = answer
        ends = np.searchsorted(of, np.arange(1, of.max(initial=0) + 1))
        return np.split(found, ends)

    def box_batch(self, boxes):
        import shapely

        return self.tree.query(shapely.box(*boxes.T))

    box_lists = radius_lists

    def nearest_batch(self, xy):
        import shapely

        points = shapely.points(xy)
        return self.tree.query_nearest(points, return_distance=True, all_matches=False)

    def nearest_distances(self, answer):
        return answer[1]

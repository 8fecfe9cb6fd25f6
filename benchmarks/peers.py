"""Every index of the benchmarks behind the same few verbs, each used as its own users would.

A verb takes the whole list of questions and loops inside, so that no call of ours stands between
the clock and the library. Answers stay as the library gives them; `ids` and `one` turn them into
unit numbers when they are checked. A verb that an index does not have is not defined for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf

import numpy as np

from benchmarks.worlds import Army
from tilequad import DynamicQuadtree, StaticQuadtree

RARE, COMMON = 2, 1  # groups: every hundredth unit is of the rare one


class Index:
    """What they all share.

    `most` is the largest army it is worth waiting for; one that never `answers` is not checked.
    """

    name = ""
    most = 10**9
    answers = True

    @staticmethod
    def ids(answer) -> Iterable[int]:
        return answer

    @staticmethod
    def one(answer) -> int:
        return answer


class Tilequad(Index):
    name = "tilequad"

    def __init__(self, army: Army) -> None:
        self.tree = DynamicQuadtree(army.bounds)
        groups = np.where(np.arange(army.count) % 100 == 0, RARE, COMMON).astype(np.uint32)
        self.slots = self.tree.add_many(army.items, army.xy, groups=groups)

    @staticmethod
    def build(army: Army):
        tree = DynamicQuadtree(army.bounds)
        tree.add_many(army.items, army.xy)
        return tree

    def radius(self, queries, radius):
        within = self.tree.within
        return [within(x, y, radius) for x, y in queries]

    def nearest(self, queries):
        nearest = self.tree.nearest
        return [nearest(x, y) for x, y in queries]

    def nearest_rare(self, queries):
        nearest = self.tree.nearest
        return [nearest(x, y, RARE) for x, y in queries]

    def k_nearest(self, queries, k):
        k_nearest = self.tree.k_nearest
        return [k_nearest(x, y, k) for x, y in queries]

    def box(self, queries, half):
        query = self.tree.query
        return [query((x - half, y - half, x + half, y + half)) for x, y in queries]

    def radius_batch(self, xy, radius):
        return self.tree.within_many(xy, radius)

    def radius_lists(self, answer):
        offsets, slots = answer
        return np.split(slots, offsets[1:-1])

    def nearest_batch(self, xy):
        return self.tree.nearest_many(xy)

    def nearest_distances(self, answer):
        return answer[1]

    def move(self, steps):
        move = self.tree.move
        for item, _, _, x, y in steps:
            move(item, x, y)

    def move_all(self, xy):
        self.tree.move_many(self.slots, xy)


class TilequadOneByOne(Index):
    """Ours again, for the verbs on whole armies: the plain methods in a plain loop."""

    name = "tilequad, one by one"

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)

    @staticmethod
    def build(army: Army):
        tree = DynamicQuadtree(army.bounds)
        add = tree.add
        for item, (x, y) in enumerate(army.xy.tolist()):
            add(item, x, y)
        return tree

    def move_all(self, xy):
        move = self.tree.move
        for item, (x, y) in enumerate(xy.tolist()):
            move(item, x, y)


class TilequadStatic(Index):
    """Our tree of boxes that never change; positions are boxes of no size to it."""

    name = "tilequad, static"

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)

    @staticmethod
    def build(army: Army):
        return StaticQuadtree(np.hstack([army.xy, army.xy]))

    radius = Tilequad.radius
    nearest = Tilequad.nearest
    k_nearest = Tilequad.k_nearest
    box = Tilequad.box


class FastQuadTree(Index):
    """Capacity 16 and doubles: its fastest at this density, and exact."""

    name = "fastquadtree"

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)

    @staticmethod
    def build(army: Army):
        from fastquadtree import QuadTree

        margin = 16.0  # units walk, and a position outside the bounds is refused
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
        """It wants the old positions, so it is given the list that its user would keep."""
        update, old = self.tree.update, [before.tolist()]

        def move_all(xy):
            new = xy.tolist()
            for item, ((old_x, old_y), (x, y)) in enumerate(zip(old[0], new, strict=True)):
                update(item, old_x, old_y, x, y)
            old[0] = new

        return move_all

    @staticmethod
    def ids(answer):
        return [entry if isinstance(entry, int) else entry[0] for entry in answer]

    @staticmethod
    def one(answer):
        return answer[0]


class ScipyTree(Index):
    name = "scipy cKDTree"

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)

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

    def radius_lists(self, answer):
        return answer

    def nearest_batch(self, xy):
        return self.tree.query(xy)

    def nearest_distances(self, answer):
        return answer[0]

    def move_all(self, xy):
        """A static tree: what has moved is built anew."""
        self.tree = type(self.tree)(xy)

    @staticmethod
    def one(answer):
        return int(answer[1])


class PyKDTree(Index):
    name = "pykdtree"

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)

    @staticmethod
    def build(army: Army):
        from pykdtree.kdtree import KDTree

        return KDTree(army.xy)

    def nearest_batch(self, xy):
        return self.tree.query(xy)

    def nearest_distances(self, answer):
        return answer[0]


class Shapely(Index):
    name = "shapely STRtree"
    most = 100_000

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)
        self.tree.query(self.points([(0.0, 0.0)])[0])  # it builds on its first question

    @staticmethod
    def points(places):
        import shapely

        return shapely.points(np.asarray(places))

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
        return self.tree.query(self.points(xy), predicate="dwithin", distance=radius)

    def radius_lists(self, answer):
        of, found = answer
        ends = np.searchsorted(of, np.arange(1, of.max(initial=0) + 1))
        return np.split(found, ends)

    def nearest_batch(self, xy):
        return self.tree.query_nearest(self.points(xy), return_distance=True, all_matches=False)

    def nearest_distances(self, answer):
        return answer[1]


class Rtree(Index):
    name = "rtree"
    most = 100_000

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)

    @staticmethod
    def build(army: Army):
        from rtree.index import Index as Tree

        return Tree((i, (x, y, x, y), None) for i, (x, y) in enumerate(army.xy.tolist()))

    def nearest(self, queries):
        nearest = self.tree.nearest
        return [list(nearest((x, y, x, y), 1)) for x, y in queries]

    def box(self, queries, half):
        query = self.tree.intersection
        return [list(query((x - half, y - half, x + half, y + half))) for x, y in queries]

    def move(self, steps):
        delete, insert = self.tree.delete, self.tree.insert
        for item, old_x, old_y, x, y in steps:
            delete(item, (old_x, old_y, old_x, old_y))
            insert(item, (x, y, x, y))

    @staticmethod
    def one(answer):
        return answer[0]


class Pyqtree(Index):
    name = "Pyqtree"
    most = 100_000

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)

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


class Sprite:
    """As much of an arcade sprite as its spatial hash looks at, without a texture."""

    __slots__ = ("bottom", "left", "number", "right", "top")

    def __init__(self, number: int, left: float, bottom: float, right: float, top: float) -> None:
        self.number = number
        self.stand(left, bottom, right, top)

    def stand(self, left: float, bottom: float, right: float, top: float) -> None:
        self.left, self.bottom, self.right, self.top = left, bottom, right, top


class ArcadeHash(Index):
    """arcade's spatial hash, with its default cell of 128 px, over stand-ins for sprites."""

    name = "arcade SpatialHash"
    most = 100_000

    def __init__(self, army: Army) -> None:
        self.sprites = []
        self.tree = self.build(army, self.sprites)

    @staticmethod
    def build(army: Army, sprites=None):
        from arcade.sprite_list.spatial_hash import SpatialHash

        tree = SpatialHash(128)
        for item, (x, y) in enumerate(army.xy.tolist()):
            sprite = Sprite(item, x, y, x, y)
            tree.add(sprite)
            if sprites is not None:
                sprites.append(sprite)
        return tree

    def radius(self, queries, radius):
        from arcade import LRBT

        near, radius2 = self.tree.get_sprites_near_rect, radius * radius
        return [
            [
                sprite
                for sprite in near(LRBT(x - radius, x + radius, y - radius, y + radius))
                if (sprite.left - x) ** 2 + (sprite.bottom - y) ** 2 <= radius2
            ]
            for x, y in queries
        ]

    def move(self, steps):
        move, sprites = self.tree.move, self.sprites
        for item, _, _, x, y in steps:
            sprite = sprites[item]
            sprite.stand(x, y, x, y)
            move(sprite)

    @staticmethod
    def ids(answer):
        return [sprite.number for sprite in answer]


class NumpyScan(Index):
    """Brute force: every unit is looked at, by numpy."""

    name = "numpy brute force"

    def __init__(self, army: Army) -> None:
        self.x, self.y = np.ascontiguousarray(army.xy.T)
        self.rare = np.arange(army.count) % 100 == 0

    def radius(self, queries, radius):
        x, y, radius2 = self.x, self.y, radius * radius
        return [np.flatnonzero((x - qx) ** 2 + (y - qy) ** 2 <= radius2) for qx, qy in queries]

    def nearest(self, queries):
        x, y = self.x, self.y
        return [((x - qx) ** 2 + (y - qy) ** 2).argmin() for qx, qy in queries]

    def nearest_rare(self, queries):
        x, y, rare = self.x, self.y, self.rare
        return [np.where(rare, (x - qx) ** 2 + (y - qy) ** 2, inf).argmin() for qx, qy in queries]

    def k_nearest(self, queries, k):
        x, y = self.x, self.y
        distances = ((x - qx) ** 2 + (y - qy) ** 2 for qx, qy in queries)
        return [np.argpartition(d2, min(k, len(d2)) - 1)[:k] for d2 in distances]

    def box(self, queries, half):
        x, y = self.x, self.y
        return [np.flatnonzero((abs(x - qx) <= half) & (abs(y - qy) <= half)) for qx, qy in queries]


class PythonScan(Index):
    """Brute force: every unit is looked at, in a list of tuples, by Python."""

    name = "Python brute force"
    most = 10_000

    def __init__(self, army: Army) -> None:
        self.units = [(i, x, y) for i, (x, y) in enumerate(army.xy.tolist())]

    def radius(self, queries, radius):
        units, radius2 = self.units, radius * radius
        return [
            [i for i, x, y in units if (x - qx) * (x - qx) + (y - qy) * (y - qy) <= radius2]
            for qx, qy in queries
        ]

    def nearest(self, queries):
        units = self.units
        return [
            min(units, key=lambda unit: (unit[1] - qx) ** 2 + (unit[2] - qy) ** 2)[0]
            for qx, qy in queries
        ]

    def box(self, queries, half):
        units = self.units
        return [
            [i for i, x, y in units if abs(x - qx) <= half and abs(y - qy) <= half]
            for qx, qy in queries
        ]


OURS = Tilequad.name
INDEXES = (
    Tilequad,
    TilequadOneByOne,
    TilequadStatic,
    FastQuadTree,
    ScipyTree,
    PyKDTree,
    Shapely,
    Rtree,
    Pyqtree,
    ArcadeHash,
    NumpyScan,
    PythonScan,
)


def present(indexes: Iterable[type[Index]], skipped: dict[str, str]) -> list[type[Index]]:
    """Those that can be used here; why the others cannot is written into `skipped`."""
    found = []
    tiny = Army("uniform", 4)
    for index in indexes:
        try:
            index(tiny)
        except ImportError as error:
            skipped[index.name] = f"not installed ({error.name})"
        else:
            found.append(index)
    return found

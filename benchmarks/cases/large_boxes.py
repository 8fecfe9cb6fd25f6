"""fastquadtree's own benchmark: 500,000 integer points in 1000 x 1000, and 500 boxes.

Its settings are those it publishes: capacity 128, depth 16, float32, numpy in and out. A box starts
anywhere and reaches to the edge at most; each side is then divided by 1 to 8. Boxes are large, and
many points coincide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.peers import OURS, STATIC, FastQuadTree
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner
from tilequad import DynamicQuadtree, StaticQuadtree

SIDE = 1_000
POINTS, QUICK_POINTS = 500_000, 20_000
BOXES = 500
CHECKED = 50
Answers = Callable[[], list[np.ndarray]]


def races(count: int, missing: set[str]) -> Iterator[Race]:
    """Build a tree of `count` points, then ask all boxes."""
    rng = np.random.default_rng(42)
    points = rng.integers(0, SIDE, (count, 2)).astype(np.float64)
    boxes = boxes_of(rng)
    items = list(range(count))
    builders = {OURS: lambda: dynamic(items, points), STATIC: lambda: static(points)}
    asking = {OURS: ask_dynamic, STATIC: ask_static}
    if FastQuadTree.name not in missing:
        exact = points.astype(np.float32)  # what it is fastest with; integers stay exact
        builders[FastQuadTree.name] = lambda: fastquadtree(exact)
        asking[FastQuadTree.name] = ask_fastquadtree
    if "boostree" not in missing:
        builders["boostree"] = lambda: boostree(points)
        asking["boostree"] = ask_boostree
    if "shapely STRtree" not in missing:
        builders["shapely STRtree"] = lambda: shapely_tree(points)
        asking["shapely STRtree"] = ask_shapely
    trees = {name: build() for name, build in builders.items()}
    for name, tree in trees.items():
        check(name, asking[name](tree, boxes[:CHECKED]), points, boxes[:CHECKED])
    build = {name: Runner(lambda _, build=build: build()) for name, build in builders.items()}
    ask = {
        name: Runner(lambda _, ask=asking[name], tree=tree: ask(tree, boxes))
        for name, tree in trees.items()
    }
    yield Race("large boxes, build", "integers", count, "tree", build)
    yield Race("large boxes, 500 queries", "integers", count, "500 queries", ask)


def boxes_of(rng: np.random.Generator) -> np.ndarray:
    """Boxes (n, 4) of whole numbers."""
    low = rng.integers(0, SIDE + 1, (BOXES, 2))
    size = rng.integers(0, SIDE - low + 1) // rng.integers(1, 9, (BOXES, 2))
    return np.hstack([low, low + size]).astype(np.float64)


def dynamic(items: list[int], points: np.ndarray) -> DynamicQuadtree:
    tree = DynamicQuadtree((0.0, 0.0, SIDE, SIDE))
    tree.add_many(items, points)
    return tree


def ask_dynamic(tree: DynamicQuadtree, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return tree.query_many(boxes)


def static(points: np.ndarray) -> StaticQuadtree:
    return StaticQuadtree(np.hstack([points, points]))


def ask_static(tree: StaticQuadtree, boxes: np.ndarray) -> list[np.ndarray]:
    return [tree.query(box) for box in boxes.tolist()]


def fastquadtree(points: np.ndarray):
    from fastquadtree import QuadTree

    tree = QuadTree((0.0, 0.0, SIDE, SIDE), 128, max_depth=16)
    tree.insert_many_np(points)
    return tree


def ask_fastquadtree(tree, boxes: np.ndarray) -> list[np.ndarray]:
    closed = np.add(boxes, (0.0, 0.0, 0.5, 0.5))  # its boxes leave out their upper edges
    return [tree.query_np(box)[0] for box in map(tuple, closed.tolist())]


def boostree(points: np.ndarray):
    from boostree import RTree

    return RTree.from_points(points, storage="point")


def ask_boostree(tree, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    ids, counts = tree.intersect(boxes[:, :2], boxes[:, 2:])
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]), ids


def shapely_tree(points: np.ndarray):
    import shapely

    tree = shapely.STRtree(shapely.points(points), node_capacity=128)
    tree.query(shapely.box(0, 0, 0, 0))  # it builds on its first question
    return tree


def ask_shapely(tree, boxes: np.ndarray) -> list[np.ndarray]:
    import shapely

    return [tree.query(shapely.box(*box)) for box in boxes.tolist()]


def check(name: str, found, points: np.ndarray, boxes: np.ndarray) -> None:
    """Raise unless each box has the points that numpy finds in it."""
    if isinstance(found, tuple):  # offsets and numbers
        found = np.split(found[1], found[0][1:-1])
    for box, numbers in zip(boxes, found, strict=True):
        held = (points >= box[:2]) & (points <= box[2:])
        if not np.array_equal(np.sort(numbers), np.flatnonzero(held.all(axis=1))):
            raise WrongAnswerError(f"{name} finds other points in a box")

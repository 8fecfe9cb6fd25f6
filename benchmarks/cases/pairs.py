"""All pairs of units that overlap: 16 px boxes, one to each 32 px tile.

In a clustered army the boxes shrink with the distances, so that there are about as many pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

from benchmarks.armies import Army
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner
from tilequad import DynamicQuadtree

SIZE = 16.0  # px


def races(army: Army, missing: set[str], notes: list[str]) -> Iterator[Race]:
    """All units against all units."""
    tree = boxes_of(army)
    found = Pairs(len(tree.pairs_many()))
    runners = {
        "tilequad": Runner(lambda _: tree.pairs_many()),
        "tilequad, a list": Runner(lambda _: tree.pairs()),
    }
    if "scipy cKDTree" not in missing:
        runners["scipy cKDTree, points only"] = scipy_runner(army, found)
    if "shapely STRtree" not in missing and army.count <= 100_000:
        runners["shapely STRtree"] = shapely_runner(army, found)
    if "rtree" not in missing and army.count <= 10_000:
        runners["rtree"] = rtree_runner(army, found)
    if "boostree" not in missing and army.count <= 100_000:
        runners["boostree"] = boostree_runner(army, found)
    if "rstar-python" not in missing and army.count <= 100_000:
        runners["rstar-python"] = rstar_runner(army, found)
    if "pygame collidelistall" not in missing and army.count <= 10_000:
        runners["pygame collidelistall"] = pygame_runner(army, found)
    if "Pyqtree" not in missing and army.count <= 10_000:
        runners["Pyqtree"] = pyqtree_runner(army, found)
    if army.count <= 10_000:
        runners["numpy brute force"] = numpy_runner(army, found)
    yield Race("overlapping pairs", army.spread, army.count, "frame", runners)


def boxes_of(army: Army) -> DynamicQuadtree:
    tree, size = DynamicQuadtree(army.bounds), size_of(army)
    for item, (x, y) in enumerate(army.xy.tolist()):
        tree.add(item, x, y, size=(size, size))
    return tree


def size_of(army: Army) -> float:
    """The side of a unit's box in px."""
    return SIZE / sqrt(army.crowding)


def corners(army: Army) -> np.ndarray:
    """The boxes of the units, (n, 4)."""
    half = size_of(army) / 2
    return np.hstack([army.xy - half, army.xy + half])


class Pairs:
    """The number of pairs, which every contestant must find."""

    def __init__(self, count: int) -> None:
        self.count = count

    def check(self, name: str, count: int) -> None:
        if count != self.count:
            raise WrongAnswerError(f"{name} finds {count} pairs, we find {self.count}")


def scipy_runner(army: Army, found: Pairs) -> Runner:
    """A static tree: built from the positions in every frame."""
    from scipy.spatial import cKDTree

    def run(_: int) -> np.ndarray:
        return cKDTree(army.xy).query_pairs(size_of(army), p=np.inf, output_type="ndarray")

    found.check("scipy", len(run(1)))
    return Runner(run)


def shapely_runner(army: Army, found: Pairs) -> Runner:
    import shapely

    boxes = shapely.box(*corners(army).T)

    def run(_: int) -> np.ndarray:
        return shapely.STRtree(boxes).query(boxes)

    a, b = run(1)
    found.check("shapely", int((a < b).sum()))
    return Runner(run)


def rtree_runner(army: Army, found: Pairs) -> Runner:
    from rtree.index import Index

    boxes = corners(army).tolist()
    tree = Index((item, box, None) for item, box in enumerate(boxes))

    def run(_: int) -> list:
        return [(a, b) for a, box in enumerate(boxes) for b in tree.intersection(box) if a < b]

    found.check("rtree", len(run(1)))
    return Runner(run)


def boostree_runner(army: Army, found: Pairs) -> Runner:
    from boostree import RTree

    half = size_of(army) / 2
    low, high = army.xy - half, army.xy + half
    tree = RTree.from_boxes(low, high)

    def run(_: int) -> tuple[np.ndarray, np.ndarray]:
        return tree.intersect(low, high)

    ids, counts = run(1)
    numbers = np.repeat(np.arange(army.count), counts.astype(np.int64))
    found.check("boostree", int((numbers < ids).sum()))
    return Runner(run)


def rstar_runner(army: Army, found: Pairs) -> Runner:
    from rstar_python import PyBBoxRTree

    half = size_of(army) / 2
    low, high = army.xy - half, army.xy + half
    tree = PyBBoxRTree(2)
    tree.bulk_load(low, high)

    def run(_: int) -> tuple[np.ndarray, np.ndarray]:
        return tree.intersection_batch(low, high)

    ids, offsets = run(1)
    numbers = np.repeat(np.arange(army.count), np.diff(offsets))
    found.check("rstar-python", int((numbers < ids).sum()))
    return Runner(run)


def pygame_runner(army: Army, found: Pairs) -> Runner:
    """Each rectangle against the whole list, as pygame's users do."""
    from pygame.rect import FRect

    size = size_of(army)
    rects = [FRect(x - size / 2, y - size / 2, size, size) for x, y in army.xy.tolist()]

    def run(_: int) -> list:
        return [rect.collidelistall(rects) for rect in rects]

    found.check("pygame", sum(a < b for a, touched in enumerate(run(1)) for b in touched))
    return Runner(run)


def pyqtree_runner(army: Army, found: Pairs) -> Runner:
    from pyqtree import Index

    boxes = corners(army).tolist()
    tree = Index(bbox=(-SIZE, -SIZE, army.side + SIZE, army.side + SIZE))
    for item, box in enumerate(boxes):
        tree.insert(item, box)

    def run(_: int) -> list:
        return [(a, b) for a, box in enumerate(boxes) for b in tree.intersect(box) if a < b]

    found.check("Pyqtree", len(run(1)))
    return Runner(run)


def numpy_runner(army: Army, found: Pairs) -> Runner:
    """Each unit against all later ones."""
    x, y = np.ascontiguousarray(army.xy.T)
    size = size_of(army)

    def run(_: int) -> list:
        rows = []
        for i in range(len(x) - 1):
            near = (abs(x[i + 1 :] - x[i]) <= size) & (abs(y[i + 1 :] - y[i]) <= size)
            rows.append(np.flatnonzero(near) + i + 1)
        return rows

    found.check("numpy", sum(map(len, run(1))))
    return Runner(run)

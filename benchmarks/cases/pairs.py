"""All pairs of units that overlap: 16 px boxes, one to each 32 px tile.

Where units stand in a crowd, their boxes are as much smaller as they stand closer, so that there
are about as many pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner
from benchmarks.worlds import Army
from tilequad import DynamicQuadtree

SIZE = 16.0  # px


def races(army: Army, missing: set[str], notes: list[str]) -> Iterator[Race]:
    """Everybody against everybody; an army that is crowded has pairs without number."""
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
    """How many pairs there are: what every contestant must find."""

    def __init__(self, count: int) -> None:
        self.count = count

    def check(self, name: str, count: int) -> None:
        if count != self.count:
            raise WrongAnswerError(f"{name} finds {count} pairs, we find {self.count}")


def scipy_runner(army: Army, found: Pairs) -> Runner:
    """From the positions to the pairs: a static tree is built anew in every frame."""
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
    """Each unit against all after it, a row of the table at a time."""
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

"""A tree to bytes and back, as a saved game or a process pool needs it.

fastquadtree has the settings of its own benchmark of this: float32, capacity 64, depth 10. It keeps
points and numbers, as our static tree does, and no checksum, so most damaged bytes come back as
another tree. Ours read the bytes once more for the checksum, and their numbers once more to prove
that nothing leads out of the arrays. Our dynamic tree is given its items again and finds them by a
dictionary: the floor of the way back is that dictionary alone.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.armies import Army
from benchmarks.call_overhead import FLOOR
from benchmarks.peers import OURS, STATIC, FastQuadTree
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner
from tilequad import DynamicQuadtree, StaticQuadtree

SIZES = (1_000, 100_000, 1_000_000)
PICKLED = ", a pickle"
CHECKED = 50


@dataclass(frozen=True)
class Saver:
    """A tree, how to save and load it, and a question to compare the copy with the tree."""

    tree: object
    save: Callable[[object], object]
    load: Callable[[object], object]
    ask: Callable[[object, tuple[float, float, float, float]], object]


def races(count: int, missing: set[str]) -> Iterator[Race]:
    """The same uniform points in every tree."""
    army = Army("uniform", count)
    with TemporaryDirectory() as folder:
        savers = savers_of(army, missing, Path(folder, "tree.npz"))
        saved = {name: saver.save(saver.tree) for name, saver in savers.items()}
        for name, saver in savers.items():
            check(army, name, saver, saved[name])
        out = {
            name: Runner(lambda _, saver=saver: saver.save(saver.tree))
            for name, saver in savers.items()
        }
        back = {
            name: Runner(lambda _, saver=saver, kept=saved[name]: saver.load(kept))
            for name, saver in savers.items()
        }
        back[FLOOR] = Runner(lambda _: dict(zip(army.items, range(count), strict=True)))
        yield Race("a tree to bytes", "uniform", count, "tree", out)
        yield Race("bytes to a tree", "uniform", count, "tree", back)


def savers_of(army: Army, missing: set[str], path: Path) -> dict[str, Saver]:
    dynamic = DynamicQuadtree(army.bounds)
    dynamic.add_many(army.items, army.xy)
    static = StaticQuadtree(np.hstack([army.xy, army.xy]))

    def again(data: bytes) -> DynamicQuadtree:
        return DynamicQuadtree.from_bytes(data, army.items)

    def ask(tree: DynamicQuadtree, box: tuple[float, float, float, float]) -> list[int]:
        return tree.query(box)

    def ask_static(tree: StaticQuadtree, box: tuple[float, float, float, float]) -> list[int]:
        return tree.query(box).tolist()

    savers = {
        OURS: Saver(dynamic, DynamicQuadtree.to_bytes, again, ask),
        OURS + PICKLED: Saver(dynamic, pickled, pickle.loads, ask),
        STATIC: Saver(static, StaticQuadtree.to_bytes, StaticQuadtree.from_bytes, ask_static),
        STATIC + PICKLED: Saver(static, pickled, pickle.loads, ask_static),
        f"{STATIC}, a file": Saver(
            static, lambda tree: tree.save(path), lambda _: StaticQuadtree.load(path), ask_static
        ),
    }
    if FastQuadTree.name not in missing:
        savers[FastQuadTree.name] = fastquadtree_saver(army)
    if "boostree" not in missing:
        savers["boostree"] = boostree_saver(army)
    if "scipy cKDTree" not in missing:
        savers["scipy cKDTree"] = scipy_saver(army)
    return savers


def pickled(tree: object) -> bytes:
    return pickle.dumps(tree, 5)


def fastquadtree_saver(army: Army) -> Saver:
    from fastquadtree import QuadTree

    tree = QuadTree((0.0, 0.0, army.side + 16.0, army.side + 16.0), 64, max_depth=10)
    tree.insert_many_np(army.xy.astype(np.float32))
    return Saver(
        tree, QuadTree.to_bytes, QuadTree.from_bytes, lambda tree, box: sorted(tree.query(box))
    )


def boostree_saver(army: Army) -> Saver:
    from boostree import RTree

    return Saver(
        RTree.from_points(army.xy, storage="point"),
        pickled,
        pickle.loads,
        lambda tree, box: sorted(tree.intersect([box[:2]], [box[2:]])[0].tolist()),
    )


def scipy_saver(army: Army) -> Saver:
    from scipy.spatial import cKDTree

    def ask(tree: cKDTree, box: tuple[float, float, float, float]) -> list[int]:
        return sorted(tree.query_ball_point(box[:2], box[2] - box[0]))

    return Saver(cKDTree(army.xy), pickled, pickle.loads, ask)


def check(army: Army, name: str, saver: Saver, saved: object) -> None:
    """Raise unless the copy answers as the tree does."""
    copy, half = saver.load(saved), army.box_side / 2
    for x, y in army.queries(CHECKED):
        box = x - half, y - half, x + half, y + half
        if saver.ask(copy, box) != saver.ask(saver.tree, box):
            raise WrongAnswerError(f"{name} answers differently after a load")

"""Every index of the benchmarks behind the same few verbs: see `Index`."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.armies import Army
from benchmarks.peers.base import Index
from benchmarks.peers.brute_force import NumpyScan, PythonScan
from benchmarks.peers.games import ArcadeCollisions, ArcadeHash, PygameRects, Pymunk, Sprite
from benchmarks.peers.kdtrees import PyKDTree, ScipyTree
from benchmarks.peers.ours import Tilequad, TilequadOneByOne, TilequadStatic
from benchmarks.peers.quadtrees import FastQuadTree, Pyqtree
from benchmarks.peers.rtrees import Boostree, RstarPython, Rtree, Shapely

__all__ = [
    "INDEXES",
    "OURS",
    "STATIC",
    "ArcadeHash",
    "FastQuadTree",
    "Index",
    "NumpyScan",
    "PygameRects",
    "Pymunk",
    "PythonScan",
    "Sprite",
    "Tilequad",
    "present",
]

OURS, STATIC = Tilequad.name, TilequadStatic.name
INDEXES = (
    Tilequad,
    TilequadOneByOne,
    TilequadStatic,
    FastQuadTree,
    ScipyTree,
    PyKDTree,
    Shapely,
    Rtree,
    Boostree,
    RstarPython,
    Pyqtree,
    Pymunk,
    PygameRects,
    ArcadeHash,
    ArcadeCollisions,
    NumpyScan,
    PythonScan,
)


def present(indexes: Iterable[type[Index]], skipped: dict[str, str]) -> list[type[Index]]:
    """The indexes that are installed; the others go into `skipped`, each with the reason."""
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

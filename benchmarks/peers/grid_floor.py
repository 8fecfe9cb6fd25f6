"""The floor: `grid_floor.cpp`, a grid in a C extension with the answers of a tree and no options.

It is compiled when it is first wanted, into `build/` of the repository.
"""

import sys
from functools import cache
from importlib import import_module
from math import sqrt
from pathlib import Path
from types import ModuleType

import numpy as np
from setuptools import Distribution, Extension
from setuptools.errors import BaseError

from benchmarks.armies import Army
from benchmarks.peers.base import Index
from benchmarks.peers.ours import Tilequad

SOURCE = Path(__file__).parents[1] / "grid_floor.cpp"
BUILD = Path(__file__).parents[2] / "build" / "benchmarks"
ROOM = 4_000_000  # hits of a batch


class GridFloor(Index):
    name = "grid in C"
    moves = False

    def __init__(self, army: Army) -> None:
        super().__init__(army)
        self.hits = np.zeros(ROOM + army.count, np.int64)

    def build(self, army: Army, smallest: float = 0.0):
        """Cells as large as a radius of seven hits, but at most four for each unit."""
        cell = max(army.radius, army.side / sqrt(4 * army.count), smallest)
        return compiled().Grid(army.items, army.xy, army.side, cell)

    # A move is the least that it can cost: the item is looked up, and nothing moves.
    radius, nearest, move = Tilequad.radius, Tilequad.nearest, Tilequad.move
    lists, distances = Tilequad.lists, Tilequad.distances

    def radius_batch(self, xy, radius):
        offsets = np.empty(len(xy) + 1, np.int64)
        found = self.tree.within_many(xy, radius, offsets, self.hits)
        if found < 0:
            raise MemoryError(f"more than {len(self.hits):,} hits")
        return offsets, self.hits[:found]

    def nearest_batch(self, xy):
        units, distances = np.empty(len(xy), np.int64), np.empty(len(xy))
        self.tree.nearest_many(xy, units, distances)
        return units, distances

    def pairing(self, army, size):
        tree, out = self.build(army, smallest=size), np.empty((2 * army.count, 2), np.int64)
        return lambda: out[: tree.pairs(size, out)]


@cache
def compiled() -> ModuleType:
    """The module `grid_floor`, compiled unless it already is; an ImportError without a compiler."""
    flags = ["/O2", "/std:c++17"] if sys.platform == "win32" else ["-O3", "-std=c++17"]
    extension = Extension("grid_floor", [str(SOURCE)], language="c++", extra_compile_args=flags)
    command = Distribution({"ext_modules": [extension]}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(BUILD), str(BUILD / "temp")
    try:
        command.ensure_finalized()
        command.run()
    except BaseError as error:
        raise ImportError(f"{SOURCE.name} does not compile: {error}") from error
    sys.path.append(str(BUILD))
    return import_module("grid_floor")

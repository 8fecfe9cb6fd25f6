"""The floor: `grid_floor.cpp`, a grid in a C extension with the answers of a tree and no options.

It is compiled when it is first wanted, into `build/` of the repository.
"""

from __future__ import annotations

import hashlib
import sys
import sysconfig
from functools import cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from math import sqrt
from pathlib import Path
from types import ModuleType

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers.base import Index

SOURCE = Path(__file__).parents[1] / "grid_floor.cpp"
BUILD = Path(__file__).parents[2] / "build" / "benchmarks"
ROOM = 4_000_000  # hits of a batch


class GridFloor(Index):
    name = "grid in C"
    moves = False

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)
        self.hits = np.zeros(ROOM + army.count, np.int64)

    @staticmethod
    def build(army: Army, smallest: float = 0.0):
        """Cells as large as a radius of seven hits, but at most four for each unit."""
        cell = max(army.radius, army.side / sqrt(4 * army.count), smallest)
        return compiled().Grid(army.items, army.xy, army.side, cell)

    def radius(self, queries, radius):
        within = self.tree.within
        return [within(x, y, radius) for x, y in queries]

    def nearest(self, queries):
        nearest = self.tree.nearest
        return [nearest(x, y) for x, y in queries]

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

    def move(self, steps):
        """The least that a move can cost: the item is looked up, and nothing moves."""
        move = self.tree.move
        for item, _, _, x, y in steps:
            move(item, x, y)

    def lists(self, answer):
        offsets, units = answer
        return np.split(units, offsets[1:-1])

    def distances(self, answer):
        return answer[1]


@cache
def compiled() -> ModuleType:
    """The module `grid_floor`, compiled unless it already is.

    Raises:
        ImportError: setuptools or a compiler is missing.
    """
    digest = hashlib.sha256(SOURCE.read_bytes() + sys.version.encode()).hexdigest()[:12]
    path = BUILD / digest / f"grid_floor{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not path.exists():
        build(path.parent)
    spec = spec_from_file_location(
        "grid_floor", path, loader=ExtensionFileLoader("grid_floor", str(path))
    )
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(folder: Path) -> None:
    try:
        from setuptools import Distribution, Extension
        from setuptools.errors import BaseError
    except ImportError:
        raise ImportError("setuptools is missing", name="setuptools") from None
    flags = ["/O2", "/std:c++17"] if sys.platform == "win32" else ["-O3", "-std=c++17"]
    extension = Extension("grid_floor", [str(SOURCE)], language="c++", extra_compile_args=flags)
    command = Distribution({"ext_modules": [extension]}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(folder), str(folder / "temp")
    try:
        command.ensure_finalized()
        command.run()
    except BaseError as error:
        raise ImportError(f"{SOURCE.name} does not compile: {error}", name="a compiler") from error

"""The floor under a Python call: what is left of a question when there is no tree.

A bar that is set by a peer may be lower than what any call of a method with such an answer takes.
So the call is timed by itself, in the same rounds as everybody: in C, with the same arguments, an
answer of as many items (8, where 7.6 are found on average), and nothing between.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import numpy as np

from benchmarks.cases.asking import QUERIES
from benchmarks.peers import OURS, Index, Tilequad, TilequadStatic
from benchmarks.worlds import Army

SOURCE = Path(__file__).with_name("floor_cy.py")
FLOOR = "the least, no tree"
LEAST = {
    "radius query": "a call that makes a list of 8 items",
    "nearest": "a call that gives back an item",
    "8 nearest": "a call that makes a list of 8 items",
    "move one unit": "a call that looks its item up in a dict",
    "bulk build": "dict(zip(items, range(n)))",
}
# Where the same work is measured without a call or an item for each: operation and contestant.
WORK = {
    "radius query": ("radius query, batch", OURS),
    "nearest": ("nearest, batch", OURS),
    "bulk build": ("bulk build", TilequadStatic.name),
}


class Floor(Index):
    """Asked as ours is, by the same loops; its answers are never right."""

    name = FLOOR
    answers = False

    def __init__(self, army: Army) -> None:
        compiled = floor_cy()
        turns = QUERIES * compiled.EACH  # as many items come up as in the answers to all queries
        places = np.random.default_rng(7).integers(0, army.count, turns)
        self.items = army.items
        self.tree = compiled.Floor(self.items, places.astype(np.intp))

    def build(self, army: Army) -> dict[int, int]:
        return dict(zip(self.items, range(army.count), strict=True))

    radius = Tilequad.radius
    nearest = Tilequad.nearest
    k_nearest = Tilequad.k_nearest
    move = Tilequad.move


@cache
def floor_cy() -> ModuleType:
    """The module of that name, compiled into a folder that is gone when it is loaded.

    Raises:
        ImportError: There is no Cython here, or no C compiler.
    """
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        shutil.copy(SOURCE, folder)
        command = [sys.executable, "-m", "Cython.Build.Cythonize", "--inplace", SOURCE.name]
        flags = {"CFLAGS": "-O3"}  # as the core
        subprocess.run(
            command, cwd=folder, env={**os.environ, **flags}, capture_output=True, check=False
        )
        for suffix in EXTENSION_SUFFIXES:
            path = Path(folder, SOURCE.stem + suffix)
            if path.exists():
                spec = spec_from_file_location(SOURCE.stem, path)
                module = module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    raise ImportError("the floor is not compiled", name="Cython, setuptools or a C compiler")

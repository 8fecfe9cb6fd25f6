"""The overhead of a call: the time of a Python call and its answer with no tree behind it.

A bar that is set by a peer may be lower than what any method call with such an answer takes. So the
call is timed by itself, in the same rounds as all contestants: in C, with the same arguments, and
with an answer of as many items (8, where 7.6 are found on average).
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

from benchmarks.armies import Army
from benchmarks.cases.queries import QUERIES
from benchmarks.peers import Index, Tilequad

SOURCE = Path(__file__).with_name("floor_cy.py")
FLOOR = "the least, no tree"
LEAST = {
    "radius query": "a call that makes a list of 8 items",
    "nearest": "a call that returns an item",
    "8 nearest": "a call that makes a list of 8 items",
    "move one unit": "a call that looks up its item in a dict",
    "bulk build": "dict(zip(items, range(n)))",
    "bytes to a tree": "dict(zip(items, range(n)))",
}


class Floor(Index):
    """Called as our tree is, by the same loops. Its answers are drawn at random."""

    name = FLOOR
    answers = False

    def __init__(self, army: Army) -> None:
        compiled = floor_cy()
        turns = QUERIES * compiled.EACH  # as many items as in the answers to all queries
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
    """The module `floor_cy`, compiled in a temporary folder and loaded.

    Raises:
        ImportError: Cython or a C compiler is missing.
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

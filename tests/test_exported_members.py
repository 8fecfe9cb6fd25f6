"""What is public is what `dir()` shows, and nothing else, of each package and class."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from functools import cache, cached_property
from pathlib import Path
from types import GetSetDescriptorType
from typing import get_origin

import pytest

from tests.programs import ROOT, copy_sources, run

PACKAGES = [
    "tilequad",
    "tilequad.quadtree",
    "tilequad.tiled",
    "tilequad.nav",
    "tilequad.nav.protocols",
    "tilequad.ai",
    "tilequad.ai.policies",
    "tilequad.ai.protocols",
    "tilequad.draw",
    "tilequad.draw.arcade",
    "tilequad.draw.pygame",
    "tilequad.draw.pillow",
    "tilequad.cli",
]
NEEDS = {
    "tilequad.draw.arcade": "arcade",
    "tilequad.draw.pygame": "pygame",
    "tilequad.draw.pillow": "PIL",
}
DESCRIPTORS = property | cached_property | classmethod | staticmethod | GetSetDescriptorType
# Prints the names of packages: at first, once all are loaded, and after all modules are imported.
NAMES = """
import importlib, json, pkgutil, sys, tilequad
packages = [importlib.import_module(name) for name in sys.argv[1:]]
first = [dir(package) for package in packages]
for package in packages:
    for name in package.__all__:
        getattr(package, name)
loaded = [dir(package) for package in packages]
for module in pkgutil.walk_packages(tilequad.__path__, "tilequad."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as problem:
            if problem.name not in ("arcade", "pygame", "pyglet", "PIL", "tqdm"):
                raise
        except ImportError as problem:
            if "Library" not in str(problem):  # of OpenGL, says pyglet
                raise
last, exported = [dir(package) for package in packages], [package.__all__ for package in packages]
print(json.dumps(dict(zip(sys.argv[1:], zip(first, loaded, last, exported)))))
"""


def names_in(folder: Path) -> dict[str, list[list[str]]]:
    """By package, what `dir()` shows at the three moments, and `__all__`."""
    done = run("-c", NAMES, *(name for name in PACKAGES if not lacks(name)), folder=folder)
    assert done.returncode == 0, done.stderr
    answer: dict[str, list[list[str]]] = json.loads(done.stdout)
    return answer


@cache
def lacks(name: str) -> bool:
    """Whether what a package needs is missing: arcade is installed, and fails without OpenGL."""
    try:
        importlib.import_module(NEEDS.get(name, "tilequad"))
    except ImportError:
        return True
    return False


@pytest.fixture(scope="module")
def names_in_both_modes(tmp_path_factory):
    """What two processes say: one here, and one beside sources of which nothing is compiled."""
    folder = tmp_path_factory.mktemp("plain")
    copy_sources(folder)
    return names_in(ROOT), names_in(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_dir_of_a_package_is_all_of_it_at_any_time_in_both_modes(name, names_in_both_modes):
    if lacks(name):
        pytest.skip(f"needs {NEEDS[name]}")
    for found in names_in_both_modes:
        *shown, exported = found[name]
        wanted = sorted([*exported, "__version__"] if name == "tilequad" else exported)
        assert len(set(exported)) == len(exported)
        for names in shown:
            assert sorted(names) == wanted


def public_classes() -> list[tuple[str, str]]:
    found = []
    for name in PACKAGES:
        if lacks(name):
            continue
        module = importlib.import_module(name)
        members = ((member, getattr(module, member)) for member in module.__all__)
        # Python 3.10 takes an alias for a class.
        classes = (one for one in members if inspect.isclass(one[1]) and not get_origin(one[1]))
        found += [(name, member) for member, _ in classes]
    return found


def documented(cls: type) -> str:
    """The docstrings of a class and of what it inherits from us."""
    ours = (base for base in cls.__mro__ if base.__module__.startswith("tilequad"))
    return "\n".join(inspect.cleandoc(base.__doc__ or "") for base in ours)


@pytest.mark.parametrize(("module", "name"), public_classes())
def test_each_public_member_of_a_class_is_documented(module, name):
    cls = getattr(importlib.import_module(module), name)
    assert cls.__doc__
    listed = documented(cls)
    silent = []
    for member in dir(cls):
        if member.startswith("_"):
            continue
        owner = next((base for base in cls.__mro__ if member in vars(base)), None)
        if owner is None or not owner.__module__.startswith("tilequad"):
            continue  # of a tuple, or of Python
        value = vars(owner)[member]
        text = getattr(value, "__doc__", None)
        plain = not (callable(value) or isinstance(value, DESCRIPTORS))
        if plain or not text:  # a field: the class explains it
            text = re.search(rf"^\s*{member}:", listed, re.MULTILINE)
        if not text and member not in getattr(owner, "__annotations__", {}):
            silent.append(member)
    assert not silent

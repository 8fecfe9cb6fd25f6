"""The package as it is installed: what it builds, what it shows, what importing it asks for."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import metadata, version
from pathlib import Path

import tilequad
import tilequad.quadtree

ROOT = Path(__file__).parent.parent
CORE = ROOT / "tilequad" / "quadtree"
IMPORT_ALONE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("Cython", "arcade", "cython", "pygame", "pyglet"):
            raise ImportError(f"{name} is not there")

sys.meta_path.insert(0, Refuse())
import tilequad
units = tilequad.DynamicQuadtree((0, 0, 10, 10))
units.add("orc", 1, 1)
assert units.within(0, 0, 2) == ["orc"]
"""


def test_every_file_of_the_core_is_compiled_and_asked_whether_it_is():
    files = sorted(path.stem for path in CORE.glob("*_cy.py"))
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = re.findall(r'^name = "tilequad\.quadtree\.(\w+)"$', settings, re.MULTILINE)
    sources = re.findall(r'^sources = \["tilequad/quadtree/(\w+)\.py"\]$', settings, re.MULTILINE)
    loaded = [name for name in files if hasattr(getattr(tilequad.quadtree, name), "COMPILED")]

    assert files
    assert declared == files
    assert sources == files
    assert loaded == files
    assert sorted(path.stem for path in CORE.glob("*.pxd")) == files


def test_all_is_what_can_be_seen():
    seen = {name for name in vars(tilequad) if not name.startswith("_")}
    rooms = {"bounds", "quadtree", "tiled", "draw", "ai", "cli"}

    assert seen - rooms == set(tilequad.__all__)


def test_the_version_is_the_one_of_the_metadata():
    assert version("tilequad") == tilequad.__version__
    assert metadata("tilequad")["License-Expression"] == "MIT"
    assert (ROOT / "tilequad" / "py.typed").is_file()
    assert f"## [{tilequad.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_importing_needs_neither_arcade_nor_cython_and_prints_nothing():
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_ALONE],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")

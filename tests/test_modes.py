"""Compiled or plain, the answers are the same, to the last bit and in the same order.

A module of the tests that defines `answers()` is asked in both modes. One process of plain Python,
on a copy of the sources without its compiled modules, answers for all of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import tilequad
from tests.programs import ROOT, copy_sources
from tilequad import DynamicQuadtree
from tilequad._core import compiled
from tilequad._core.ways import ground

pytestmark = pytest.mark.slow
ASKED = [
    f"tests.{path.stem}"
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if "\ndef answers(" in path.read_text("utf-8")
]
SCRIPT = """
import sys
sys.modules["cython"] = None  # as if Cython were not installed
import tilequad
assert not tilequad.COMPILED, tilequad.__file__
from tests.test_modes import digests
for module in sys.argv[1:]:
    print(module, *digests(module), flush=True)
"""

ALONE = """
import os, sys
others = [folder for folder in sys.path if os.path.exists(os.path.join(folder, "tilequad"))]
sys.path = [folder for folder in sys.path if folder in ("", sys.argv[1]) or folder not in others]
import tilequad, tilequad.nav
tilequad.DynamicQuadtree((0, 0, 1, 1))
print(tilequad.COMPILED)
"""  # with none of the tilequads that may be installed here


def digests(module: str) -> list[str]:
    """A hash of each answer of a module."""
    rows = import_module(module).answers()
    return [sha256(json.dumps(row).encode()).hexdigest() for row in rows]


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A folder with a copy of the package, without its compiled modules."""
    folder = tmp_path_factory.mktemp("sources")
    copy_sources(folder)
    return folder


@pytest.fixture(scope="module")
def plain(sources):
    """The other process, which answers module by module while this one does the same."""
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "examples")))
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *ASKED],
        cwd=sources,
        env={**os.environ, "PYTHONPATH": paths, "TILEQUAD_PURE": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.kill()  # where a test has failed, it has more to say


@pytest.mark.skipif(not tilequad.COMPILED, reason="this is plain Python")
def test_plain_python_gives_the_same_answers(plain):
    assert ASKED
    assert plain.stdout is not None
    for module in ASKED:
        mine = digests(module)
        name, *others = plain.stdout.readline().split()

        assert (name, len(others)) == (module, len(mine))
        different = [row for row, digest in enumerate(mine) if digest != others[row]]
        assert different == [], module
    assert plain.wait() == 0


def test_a_class_and_a_traceback_name_the_file_of_the_source():
    with pytest.raises(TypeError, match="y must be a number") as caught:
        DynamicQuadtree((0, 0, 9, 9)).within(1, "2", 3)
    frame = caught.traceback[-1]
    lines = Path(compiled.__file__).with_name("checks.py").read_text("utf-8").splitlines()

    assert Path(frame.path).name == "checks.py"
    assert lines[frame.lineno].lstrip().startswith("raise TypeError")
    assert ground.Ground.__module__ == "tilequad._core.ways.ground"


@pytest.mark.parametrize(
    ("installed", "pure", "warns"),
    [
        ("compiled", "", True),
        ("compiled", "1", False),
        ("plain", "", False),
        ("nothing", "", False),
    ],
)
def test_sources_that_hide_a_compiled_copy_say_so_once(sources, tmp_path, installed, pure, warns):
    behind = tmp_path / "installed"
    module = behind / "tilequad" / "_core" / "checks"
    if installed != "nothing":
        module.parent.mkdir(parents=True)
        module.with_suffix(EXTENSION_SUFFIXES[0] if installed == "compiled" else ".py").touch()
    done = subprocess.run(
        [sys.executable, "-c", ALONE, behind],
        cwd=sources,
        env={**os.environ, "PYTHONPATH": str(behind), "TILEQUAD_PURE": pure},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "False\n"
    assert done.stderr.count("RuntimeWarning") == warns
    assert (f"hide the compiled copy in {module.parents[1]}" in done.stderr) == warns
    assert ("pip install -e ." in done.stderr) == warns

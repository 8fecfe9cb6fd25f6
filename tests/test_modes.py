"""Compiled or plain, the answers are the same, to the last bit and in the same order.

A module of the tests that defines `answers()` is asked in both modes. One process of plain Python,
on a copy of the sources without its compiled modules, answers for all of them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest

import tilequad

ROOT = Path(__file__).parent.parent
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


def digests(module: str) -> list[str]:
    """A hash of each answer of a module."""
    rows = import_module(module).answers()
    return [sha256(json.dumps(row).encode()).hexdigest() for row in rows]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The other process, which answers module by module while this one does the same."""
    folder = tmp_path_factory.mktemp("plain")
    compiled = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(Path(tilequad.__file__).parent, folder / "tilequad", ignore=compiled)
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *ASKED],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "examples")))},
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

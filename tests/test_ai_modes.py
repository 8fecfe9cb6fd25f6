"""Targets are the same, compiled or not, in every process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import tilequad
from tests.test_ai_targeting_many import Battle

SCRIPT = """
import json, sys
sys.modules["cython"] = None  # as if Cython were not installed
import tilequad
assert not tilequad.COMPILED, tilequad.__file__
from tests.test_ai_modes import answers
print(json.dumps(answers()))
"""


def test_plain_python_chooses_the_same_targets(tmp_path):
    """A copy of the sources without compiled modules runs in its own process."""
    source = Path(tilequad.__file__).parent
    shutil.copytree(source, tmp_path / "tilequad", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    for mine, other in zip(answers(), json.loads(run.stdout), strict=True):
        assert mine == other


def answers() -> list:
    """The targets of battles, in each of which loop, batch and brute force agree."""
    battles = [Battle(seed) for seed in range(30, 36)]
    return [[str(battle.tick()) for _ in range(60)] for battle in battles]

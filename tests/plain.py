"""The same answers as plain Python: a copy of the sources runs without its compiled modules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import tilequad

SCRIPT = """
import json, sys
sys.modules["cython"] = None  # as if Cython were not installed
import tilequad
assert not tilequad.COMPILED, tilequad.__file__
from {module} import answers
print(json.dumps(answers()))
"""


def plain_answers(module: str, folder: Path) -> list:
    """Call `answers` of a test module in a process of its own, on a copy in a folder."""
    source = Path(tilequad.__file__).parent
    shutil.copytree(source, folder / "tilequad", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(module=module)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)

"""The code in docs/ai.md runs and gives what its comments say; the short examples run alone."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import tilequad.ai
from tests.pages import blocks, run

ROOT = Path(__file__).parent.parent
GUIDE = ROOT / "docs" / "ai.md"
EXAMPLES = {  # a line that each prints
    "towers.py": "100: north tower shoots goblin 1",
    "villagers.py": "day 2: bert goes to the house",
    "crowd.py": "frame 60: 300 soldiers moved",
}


def test_the_code_of_the_guide_runs_and_gives_what_its_comments_say():
    names = {"__name__": "guide"}

    assert sum(run(GUIDE, block, names) for block in blocks(GUIDE)) >= 10


def test_the_guide_speaks_of_every_public_name():
    text = GUIDE.read_text(encoding="utf-8")

    assert [name for name in tilequad.ai.__all__ if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize(("name", "line"), EXAMPLES.items())
def test_each_short_example_runs_alone_and_tells_its_story(name, line, capsys):
    runpy.run_path(str(ROOT / "examples" / name))

    assert line in capsys.readouterr().out

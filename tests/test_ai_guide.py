"""The code in docs/ai.md runs and gives what its comments say."""

from __future__ import annotations

import re
from pathlib import Path

import tilequad.ai
from tests.pages import blocks, run

ROOT = Path(__file__).parent.parent
GUIDE = ROOT / "docs" / "ai.md"


def test_the_code_of_the_guide_runs_and_gives_what_its_comments_say():
    names = {"__name__": "guide"}

    assert sum(run(GUIDE, block, names) for block in blocks(GUIDE)) >= 10


def test_the_guide_speaks_of_every_public_name():
    text = GUIDE.read_text(encoding="utf-8")

    assert [name for name in tilequad.ai.__all__ if not re.search(rf"\b{name}\b", text)] == []

"""docs/ai.md names everything public."""

from __future__ import annotations

import re
from pathlib import Path

import tilequad.ai

ROOT = Path(__file__).parent.parent
GUIDE = ROOT / "docs" / "ai.md"


def test_the_guide_speaks_of_every_public_name():
    text = GUIDE.read_text(encoding="utf-8")

    assert [name for name in tilequad.ai.__all__ if not re.search(rf"\b{name}\b", text)] == []

"""docs/nav.md names everything public."""

from __future__ import annotations

import re
from pathlib import Path

import tilequad.nav

GUIDE = Path(__file__).parent.parent / "docs" / "nav.md"


def test_the_guide_speaks_of_every_public_name():
    text = GUIDE.read_text(encoding="utf-8")

    assert [name for name in tilequad.nav.__all__ if not re.search(rf"\b{name}\b", text)] == []

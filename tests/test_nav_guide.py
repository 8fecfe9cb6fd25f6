"""The guides to ways, walls and fog name everything public."""

from __future__ import annotations

import re
from pathlib import Path

import tilequad.nav

DOCS = Path(__file__).parent.parent / "docs"
PAGES = "nav.md", "walls.md", "fog.md"


def test_the_guides_speak_of_every_public_name():
    text = "".join((DOCS / page).read_text(encoding="utf-8") for page in PAGES)

    assert [name for name in tilequad.nav.__all__ if not re.search(rf"\b{name}\b", text)] == []

"""The guides to ways and to fog name everything public."""

from __future__ import annotations

import re
from pathlib import Path

import tilequad.nav

DOCS = Path(__file__).parent.parent / "docs"


def test_the_guides_speak_of_every_public_name():
    text = "".join((DOCS / page).read_text(encoding="utf-8") for page in ("nav.md", "fog.md"))

    assert [name for name in tilequad.nav.__all__ if not re.search(rf"\b{name}\b", text)] == []

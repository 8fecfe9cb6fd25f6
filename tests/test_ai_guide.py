"""docs/ai.md names everything public."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import tilequad.ai

ROOT = Path(__file__).parent.parent
GUIDE = ROOT / "docs" / "ai.md"


def test_the_guide_speaks_of_every_public_name():
    text = GUIDE.read_text(encoding="utf-8")

    assert [name for name in tilequad.ai.__all__ if not re.search(rf"\b{name}\b", text)] == []


def test_its_pictures_can_be_drawn_again(tmp_path):
    script = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
    script["Picture"].save.__globals__["FOLDER"] = tmp_path
    for draw in script["PICTURES"]:
        draw()

    drawn = {path.name for path in tmp_path.glob("*.png")}
    assert drawn == {path.name for path in (ROOT / "docs" / "pictures").glob("*.png")}
    assert all(path.stat().st_size < 60_000 for path in tmp_path.glob("*.png"))

"""The code in docs/maps.md runs and gives what its comments say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.pages import blocks, run

ROOT = Path(__file__).parent.parent
GUIDE = ROOT / "docs" / "maps.md"


def test_the_code_of_the_guide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {"__name__": "maps"}

    assert sum(run(GUIDE, block, names) for block in blocks(GUIDE)) >= 10

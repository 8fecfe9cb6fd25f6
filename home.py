"""The project's address, from one place, and README with links that lead there.

PyPI shows README without the files beside it, so its links and pictures must be absolute there.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent
HOME = re.compile(r'^\[tool\.tilequad\]\nhome = "([^"]*)"', re.MULTILINE)
LINK = re.compile(r"(!?)\[((?:!\[[^\]]*\]\([^)]*\)|[^\]])*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def home() -> str:
    """The address of the repository, or "" as long as it has none."""
    found = HOME.search((ROOT / "pyproject.toml").read_text("utf-8"))
    assert found is not None, "pyproject.toml has no home in [tool.tilequad]"
    return found[1].rstrip("/")


def urls(address: str) -> dict[str, str]:
    """The links that PyPI shows beside the project."""
    if not address:
        return {}
    return {
        "Homepage": address,
        "Documentation": f"{address}/blob/main/docs/README.md",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }


def readme(address: str) -> str:
    """README.md, with absolute links and pictures if there is an address."""

    def absolute(found: re.Match[str]) -> str:
        mark, text, target, anchor = found[1], found[2], found[3], found[4] or ""
        if "://" in target:
            return found[0]
        kind = "raw" if mark else "blob"
        return f"{mark}[{text}]({address}/{kind}/main/{target}{anchor})"

    text = (ROOT / "README.md").read_text("utf-8")
    return LINK.sub(absolute, text) if address else text

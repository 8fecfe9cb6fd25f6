"""The table of the real maps, and a test for each of its rows."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

# What Tiled itself refuses to open.
BROKEN = {"maps/go-tiled/assets/invalid.tmx": "is not XML"}


def rows() -> list[dict[str, str]]:
    """What Tiled opens of expected.csv; nothing where there is no corpus, which skips the tests."""
    table = Path(os.environ.get("TILEQUAD_CORPUS", "no corpus"), "expected.csv")
    if not table.is_file():
        return []
    with table.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["path"] not in BROKEN]


def file_of(row: dict[str, str]) -> Path:
    """The file of a map."""
    return Path(os.environ["TILEQUAD_CORPUS"], row["path"])


def each(chosen: Sequence[dict[str, str]]) -> Any:
    """Run a test with each of some rows as its `row`."""
    names = [row["path"].removeprefix("maps/") for row in chosen]
    return pytest.mark.parametrize("row", chosen or [{}], ids=names or ["no corpus"])

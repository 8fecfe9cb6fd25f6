"""Types of arguments that several commands take."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["path"]


def path(text: str) -> Path:
    """A path; never empty, because `Path("")` is the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the path is empty")
    return Path(text)

"""Types of arguments that several commands take."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_objects", "path"]


def add_objects(parser: argparse.ArgumentParser) -> None:
    """Add the option that chooses objects."""
    parser.add_argument(
        "--objects", choices=("all", "art", "none"), default="all",
        help="which objects to draw: all as in Tiled (the default), only those with a tile or "
        "text, or none",
    )  # fmt: skip


def path(text: str) -> Path:
    """Make a path; refuse an empty text, because `Path("")` is the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the path is empty")
    return Path(text)

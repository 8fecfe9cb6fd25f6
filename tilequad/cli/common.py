"""What several commands share: arguments, their error, and plain text for the terminal."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["RequestError", "add_objects", "counted", "path", "printable", "table"]


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


class RequestError(Exception):
    """The request cannot be fulfilled; the message is one line for the user."""


def counted(count: int, noun: str) -> str:
    """Format a number and its noun, such as "1 layer" or "1,024 tiles"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def printable(text: str) -> str:
    """Escape unprintable characters: a name in a map must not control the terminal."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def table(rows: list[list[str]]) -> list[str]:
    """Align the columns of some rows, and indent them."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]

"""Plain text for the terminal."""

from __future__ import annotations

__all__ = ["counted", "printable", "table"]


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

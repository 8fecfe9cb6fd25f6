"""How errors show what was given: in one line, and not too long."""

from __future__ import annotations

from typing import Any

LONGEST = 300  # letters of an error
LONGEST_VALUE = 120


def shortened(text: str, most: int = LONGEST) -> str:
    """Return a text of at most that many letters: the middle of a longer one is left out."""
    if len(text) <= most:
        return text
    half = (most - 3) // 2
    return f"{text[:half]}...{text[-half:]}"


def shown(value: Any) -> str:
    """Return the repr of a value for an error, shortened; its type if it has none."""
    try:
        return shortened(" ".join(repr(value).split()), LONGEST_VALUE)
    except Exception:  # a repr of the game's own, or of a number with thousands of digits
        return f"a value of type {type(value).__name__}"

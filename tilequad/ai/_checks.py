"""Checks at the door that several files of the room share."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

__all__ = ["at_least", "point"]


def at_least(low: float, value: float, name: str) -> float:
    """Return a finite number that is not below `low`; else say which argument is wrong, and how."""
    number = float(value)
    if not (isfinite(number) and number >= low):
        raise ValueError(f"{name} must be finite and at least {low:g}, got {value!r}")
    return number


def point(value: Sequence[float], name: str) -> tuple[float, float]:
    """Return two finite numbers; else say which argument is wrong, and how."""
    try:
        x, y = (float(number) for number in value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be two numbers, got {value!r}") from None
    if not (isfinite(x) and isfinite(y)):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return x, y

"""Argument checks shared by this package."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

__all__ = ["checked_at_least", "checked_point"]


def checked_at_least(low: float, value: float, name: str) -> float:
    """Return `value` as a float; raise ValueError unless it is finite and at least `low`."""
    number = float(value)
    if not (isfinite(number) and number >= low):
        raise ValueError(f"{name} must be finite and at least {low:g}, got {value!r}")
    return number


def checked_point(value: Sequence[float], name: str) -> tuple[float, float]:
    """Return `value` as (x, y); raise ValueError unless it is two finite numbers."""
    try:
        x, y = (float(number) for number in value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be two numbers, got {value!r}") from None
    if not (isfinite(x) and isfinite(y)):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return x, y

"""Checks at the door that several files of the room share."""

from __future__ import annotations

from math import isfinite

__all__ = ["at_least"]


def at_least(low: float, value: float, name: str) -> float:
    """Return a finite number that is not below `low`; else say which argument is wrong, and how."""
    number = float(value)
    if not (isfinite(number) and number >= low):
        raise ValueError(f"{name} must be finite and at least {low:g}, got {value!r}")
    return number

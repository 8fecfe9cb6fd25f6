"""Argument checks shared by this package."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from operator import index
from typing import Any

from tilequad._core.checks import one_mask

__all__ = [
    "MAX_DISTANCE",
    "changed_tree",
    "checked_at_least",
    "checked_distance",
    "checked_mask",
    "checked_masks",
    "checked_point",
    "checked_without",
    "whole",
]

MAX_DISTANCE = 1e150  # squares of larger distances overflow


def checked_at_least(low: float, value: float, name: str) -> float:
    """Return `value` as a float; raise ValueError unless it is finite and at least `low`."""
    number = float(value)
    if not (isfinite(number) and number >= low):
        raise ValueError(f"{name} must be finite and at least {low:g}, got {value!r}")
    return number


def checked_distance(value: float, name: str) -> float:
    """Return `value` as a float; raise ValueError unless it is from 0 to 1e150."""
    number = float(value)
    if not 0.0 <= number <= MAX_DISTANCE:
        raise ValueError(f"{name} must be from 0 to {MAX_DISTANCE:g}, got {value!r}")
    return number


def checked_mask(groups: Any) -> int | None:
    """Return a mask of groups; None means all. Raise unless it is in 1 .. 2**32 - 1."""
    if groups is None:
        return None
    mask = whole(groups, "groups")
    if not 1 <= mask <= 0xFFFFFFFF:
        raise ValueError(f"groups must be in 1 .. 2**32 - 1, got {groups!r}")
    return mask


def checked_without(without: Any) -> int:
    """Return a mask of groups to leave out, 0 for none; raise unless it has at most 32 bits."""
    if without is None:
        return 0
    mask = whole(without, "without")
    if not 0 <= mask <= 0xFFFFFFFF:
        raise ValueError(f"without must be in 0 .. 2**32 - 1, got {without!r}")
    return mask


def checked_masks(groups: Any, without: Any) -> tuple[int, int]:
    """Return both masks as the tree stores them: signed 32-bit integers."""
    for mask, name in (groups, "groups"), (without, "without"):
        if mask is not None:
            whole(mask, name)
    return one_mask(groups, "groups"), one_mask(without, "without")


def whole(value: Any, name: str) -> int:
    """Return `value` as an int; raise TypeError unless it is a whole number."""
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from None


def changed_tree() -> RuntimeError:
    """Return the error for callbacks that add or remove units while targets are being chosen."""
    return RuntimeError(
        "a unit was added or removed while targets were chosen: where, keys and policies must not "
        "change the tree"
    )


def checked_point(value: Sequence[float], name: str) -> tuple[float, float]:
    """Return `value` as (x, y); raise ValueError unless it is two finite numbers."""
    try:
        x, y = (float(number) for number in value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be two numbers, got {value!r}") from None
    if not (isfinite(x) and isfinite(y)):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return x, y

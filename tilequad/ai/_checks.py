"""Argument checks shared by this package."""

from __future__ import annotations

from math import isfinite
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.arrays import MAX_DISTANCE, checked_distance, own_array
from tilequad._core.checks import number_of, one_mask, whole
from tilequad._core.shown import shown

__all__ = [
    "MAX_DISTANCE",
    "Distances",
    "changed_tree",
    "check_filter",
    "check_sight",
    "checked_at_least",
    "checked_clock",
    "checked_distance",
    "checked_distances",
    "checked_mask",
    "checked_masks",
]

Distances: TypeAlias = "float | NDArray[np.float64]"


def checked_at_least(low: float, value: float, name: str) -> float:
    """Return `value` as a float; raise ValueError unless it is finite and at least `low`."""
    number = number_of(value, name)
    if not (isfinite(number) and number >= low):
        raise ValueError(f"{name} must be finite and at least {low:g}, got {shown(value)}")
    return number


def checked_clock(now: Any) -> float:
    """Return the game's clock as a float; raise ValueError unless it is finite."""
    number = number_of(now, "now")
    if not isfinite(number):
        raise ValueError(f"now must be finite, got {shown(now)}")
    return number


def checked_distances(values: Any, n: int | None, name: str) -> Distances:
    """Return a distance as a float, or a copy of n distances; without n, only one is allowed."""
    if n is None or isinstance(values, int | float):
        return checked_distance(values, name)
    given = own_array(values, name)
    if given.shape not in ((), (n,)):
        raise ValueError(f"{name} must be one number or {n}, got shape {given.shape}")
    wrong = ~((given >= 0.0) & (given <= MAX_DISTANCE))
    if wrong.any():
        raise ValueError(f"{name} must be from 0 to {MAX_DISTANCE:g}, got {given[wrong][0]}")
    return given if given.ndim else float(given)


def checked_mask(mask: Any, name: str = "groups") -> int | None:
    """Check the argument `groups` or `without`; None and, without groups, 0 become None."""
    if mask is None:
        return None
    number = whole(mask, name)
    one_mask(number, name)
    return number or None


def checked_masks(groups: Any, without: Any) -> tuple[int, int]:
    """Check both masks; return them as the tree stores them: signed 32-bit integers."""
    wanted, unwanted = checked_mask(groups), checked_mask(without, "without")
    return one_mask(wanted, "groups"), one_mask(unwanted, "without")


def check_filter(where: Any) -> None:
    """Raise TypeError unless `where` is None or a function."""
    if where is not None and not callable(where):
        raise TypeError(f"where must be a function, got {shown(where)}")


def check_sight(sight: Any, method: str) -> None:
    """Raise TypeError unless `sight` is None or has this method."""
    if sight is not None and not callable(getattr(sight, method, None)):
        raise TypeError(
            f"sight must be a LineOfSight, or have its method {method}, got {shown(sight)}"
        )


def changed_tree() -> RuntimeError:
    """Return the error for callbacks that add or remove units while targets are being chosen."""
    return RuntimeError(
        "a unit was added or removed while targets were chosen: where, keys and policies must not "
        "change the tree"
    )

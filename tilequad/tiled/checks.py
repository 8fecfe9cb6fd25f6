"""Checks of single arguments; each error names the argument and its value."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.checks import number_of, whole
from tilequad._core.shown import shown

__all__ = [
    "cells_of",
    "color_of",
    "one_of",
    "pair_of",
    "path_of",
    "ratio_of",
    "size_of",
    "switches_of",
    "text_of",
    "truth_of",
    "whole_array",
    "whole_pair",
    "whole_within",
]

_MOST = 1 << 28  # pixels or cells; Tiled keeps them in 32 bits
_ROUNDING = 1e-9


def text_of(value: Any, name: str) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, got {shown(value)}")
    return value


def truth_of(value: Any, name: str) -> bool:
    """Return a bool; 0 and 1 will do."""
    try:
        if isinstance(value, np.bool_) or index(value) in (0, 1):
            return bool(value)
    except TypeError:
        pass
    raise TypeError(f"{name} must be True or False, got {shown(value)}")


def one_of(value: Any, name: str, words: Sequence[str]) -> str:
    """Return one of several words."""
    if text_of(value, name) not in words:
        known = ", ".join(map(repr, words))
        raise ValueError(f"{name} must be one of {known}, got {shown(value)}")
    return str(value)


def whole_within(value: Any, name: str, low: int, high: int = _MOST) -> int:
    """Return a whole number between two others."""
    number = whole(value, name)
    if not low <= number <= high:
        raise ValueError(f"{name} must be from {low} to {high}, got {shown(value)}")
    return number


def ratio_of(value: Any, name: str) -> float:
    """Return a number from 0 to 1; an error of rounding beyond them is cut off."""
    number = number_of(value, name)
    if not -_ROUNDING <= number <= 1 + _ROUNDING:
        raise ValueError(f"{name} must be from 0 to 1, got {shown(number)}")
    return min(max(number, 0.0), 1.0)


def size_of(value: Any, name: str, low: int = 1) -> tuple[int, int]:
    """Return a width and a height in whole pixels."""
    width, height = _two(value, name)
    return whole_within(width, name, low), whole_within(height, name, low)


def whole_pair(value: Any, name: str) -> tuple[int, int]:
    """Return two whole numbers."""
    return size_of(value, name, -_MOST)


def pair_of(value: Any, name: str) -> tuple[float, float]:
    """Return two finite numbers."""
    one, other = (number_of(part, name) for part in _two(value, name))
    if not (isfinite(one) and isfinite(other)):
        raise ValueError(f"{name} must be two finite numbers, got {shown(value)}")
    return one, other


def switches_of(value: Any, name: str) -> tuple[bool, bool]:
    """Return two truths."""
    one, other = pair_of(value, name)
    return bool(one), bool(other)


def _two(value: Any, name: str) -> list[Any]:
    try:
        parts = [] if isinstance(value, str) else list(value)
    except TypeError:
        raise TypeError(f"{name} must be two numbers, got {shown(value)}") from None
    if len(parts) != 2:
        raise ValueError(f"{name} must be two numbers, got {shown(value)}")
    return parts


def color_of(value: Any, name: str) -> tuple[int, int, int, int] | None:
    """Return a color, opaque if it has three numbers; or None."""
    if value is None:
        return None
    try:
        parts = [whole(part, name) for part in (() if isinstance(value, str) else value)]
    except TypeError:
        raise TypeError(f"{name} must be a tuple of numbers, got {shown(value)}") from None
    if len(parts) not in (3, 4) or not all(0 <= part <= 255 for part in parts):
        raise ValueError(f"{name} must be three or four numbers to 255, got {shown(value)}")
    red, green, blue, alpha = (*parts, 255)[:4]
    return red, green, blue, alpha


def path_of(value: Any, name: str) -> Path:
    """Return a path."""
    try:
        return Path(value)
    except TypeError:
        raise TypeError(f"{name} must be a str or a Path, got {shown(value)}") from None


def whole_array(values: ArrayLike, name: str) -> NDArray[np.integer[Any]]:
    """Return an array of whole numbers; an empty one may be of any type."""
    numbers: NDArray[np.integer[Any]] = np.asarray(values)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers, got {numbers.dtype}")
    return numbers


def cells_of(values: ArrayLike) -> NDArray[np.int64]:
    """Return the columns and rows of cells, (n, 2)."""
    cells = whole_array(values, "cells")
    if cells.size and (cells.ndim != 2 or cells.shape[1] != 2):
        raise ValueError(f"cells must have the shape (n, 2), got {cells.shape}")
    return cells.astype(np.int64).reshape(-1, 2)

"""Checks of arguments that are points or cells; each error names the argument and its value."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from tilequad._core.arrays import own_array
from tilequad._core.checks import whole
from tilequad._core.shown import shown
from tilequad._core.ways.ground import as_rows
from tilequad.nav._arrays import Floats, Ints

__all__ = ["checked_cell", "checked_cells", "checked_pairs", "checked_points"]


def checked_points(xy: ArrayLike, name: str) -> Floats:
    """Return points as float64; raise ValueError unless they are finite pairs."""
    points: Floats = own_array(xy, name, copy=None)
    if not points.ndim or points.shape[-1] != 2:
        raise ValueError(f"{name} must have a last axis of two, got shape {points.shape}")
    if points.size and not (points.min() > -inf and points.max() < inf):
        raise ValueError(f"{name} must be finite, got {shown(xy)}")
    return points


def checked_cell(cell: int, count: int, name: str = "cell") -> int:
    """Return the number of a cell; raise an error unless it is a whole number below `count`."""
    number = whole(cell, name)
    if not 0 <= number < count:
        outside = ", which stands for a point outside the grid" if number == count else ""
        raise IndexError(f"{name} must be from 0 to {count - 1}, got {shown(number)}{outside}")
    return number


def checked_cells(cells: ArrayLike, count: int, name: str = "cells") -> Ints:
    """Return numbers of cells as an array; raise an error unless each is below `count`."""
    numbers = own_array(cells, name, None, copy=None)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise TypeError(f"{name} must be a list of whole numbers, got {shown(cells)}")
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        wrong = numbers.min() if numbers.min() < 0 else numbers.max()
        outside = ", which stands for a point outside the grid" if wrong == count else ""
        raise IndexError(f"{name} must be from 0 to {count - 1}, got {wrong}{outside}")
    return np.require(numbers, np.int32, ["C", "W"])


def checked_pairs(xy0: ArrayLike, xy1: ArrayLike) -> tuple[Floats, Floats]:
    """Starts and goals, (n, 2) each."""
    pairs = checked_points(xy0, "xy0"), checked_points(xy1, "xy1")
    for points, name in zip(pairs, ("xy0", "xy1"), strict=True):
        if points.ndim > 2:
            raise ValueError(f"{name} must have the shape (n, 2) or (2,), got {points.shape}")
    try:
        starts, goals = np.broadcast_arrays(*map(np.atleast_2d, pairs))
    except ValueError:
        lengths = f"{len(pairs[0])} and {len(pairs[1])}"
        raise ValueError(f"xy0 and xy1 must have the same length, got {lengths}") from None
    return as_rows(starts), as_rows(goals)

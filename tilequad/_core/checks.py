"""Checks of single arguments; each error names the argument and its value.

Ignore the int that the C functions return; Cython needs it to propagate exceptions.
"""

from __future__ import annotations

import sys
from math import inf, isfinite
from operator import index
from typing import Annotated, Any

from tilequad._core import _cython as cython
from tilequad._core._cython import Object, Raises
from tilequad._core.layout import ALL_GROUPS, MAX_COORDINATE
from tilequad._core.shown import shown
from tilequad.bounds import Bounds

MAX_FLOAT = sys.float_info.max


def mask_of(mask: Any, name: str) -> Annotated[cython.int, "cpdef except? -2"]:
    """Check a mask of groups; return it as a C int with the same bits. Only `without` may be 0.

    None means all groups, or none to leave out.
    """
    least = 0 if name == "without" else 1
    if mask is None:
        return ALL_GROUPS if least else 0
    if not isinstance(mask, int):
        mask = whole(mask, name)
    if not least <= mask <= 0xFFFFFFFF:
        raise ValueError(f"{name} must be in {least} .. 2**32 - 1, got {shown(mask)}")
    return mask if mask <= 0x7FFFFFFF else mask - 0x100000000


def masks_of(groups: Any, without: Any) -> tuple[int, int]:
    """Check both masks."""
    return mask_of(groups, "groups"), mask_of(without, "without")


def check_filter(where: Any) -> None:
    """Raise TypeError unless `where` is None or a function."""
    if where is not None and not callable(where):
        raise TypeError(f"where must be a function, got {shown(where)}")


def first_far(rows: cython.double[:, ::1]) -> cython.Py_ssize_t:
    """Return the first row with a number that is not finite or too large; -1 if there is none."""
    for i in range(rows.shape[0]):
        fits: cython.bint = True
        for j in range(rows.shape[1]):
            fits &= (rows[i, j] >= -MAX_COORDINATE) & (rows[i, j] <= MAX_COORDINATE)
        if not fits:
            return i
    return -1


def first_inverted(boxes: cython.double[:, ::1]) -> cython.Py_ssize_t:
    """Return the first row whose minimum lies above its maximum; -1 if there is none."""
    for i in range(boxes.shape[0]):
        if boxes[i, 0] > boxes[i, 2] or boxes[i, 1] > boxes[i, 3]:
            return i
    return -1


def checked_count(value: Any, name: str) -> Raises[cython.Py_ssize_t]:
    """Check a count of at least 1; return it, clipped to the range of a C int."""
    if not isinstance(value, int):
        value = whole(value, name)
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {shown(value)}")
    return min(value, 0x7FFFFFFF)


def whole(value: Any, name: str) -> int:
    """Return `value` as an int; raise TypeError unless it is a whole number."""
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {shown(value)}") from None


def number_of(value: Any, name: str) -> float:
    """Return `value` as a float, infinite if it is too large; raise unless it is a number."""
    try:
        if isinstance(value, complex | str):  # numpy would only warn, and text is no number
            raise TypeError
        return float(value)
    except OverflowError:  # of a whole number
        return inf if value > 0 else -inf
    except TypeError:
        raise TypeError(f"{name} must be a number, got {shown(value)}") from None
    except ValueError:
        raise ValueError(f"{name} must be a number, got {shown(value)}") from None


def checked_most(value: Any, name: str, most: int) -> Object[int]:
    """Check a limit of a tree: a whole number from 1 to `most`."""
    number = whole(value, name)
    if not 1 <= number <= most:
        raise ValueError(f"{name} must be in 1 .. {most}, got {shown(value)}")
    return number


def finite_number(value: Any, name: str) -> float:
    """Return `value` as a float; raise ValueError unless it is finite."""
    number = number_of(value, name)
    if not isfinite(number):
        raise ValueError(f"{name} must be finite, got {shown(value)}")
    return number


def checked_at_least(low: float, value: Any, name: str) -> float:
    """Return `value` as a float; raise ValueError unless it is finite and at least `low`."""
    number = number_of(value, name)
    if not (isfinite(number) and number >= low):
        raise ValueError(f"{name} must be finite and at least {low:g}, got {shown(value)}")
    return number


def checked_positive(value: Any, name: str) -> float:
    """Return `value` as a float; raise ValueError unless it is finite and above 0."""
    number = number_of(value, name)
    if not 0.0 < number < inf:
        raise ValueError(f"{name} must be finite and above 0, got {shown(value)}")
    return number


def check_point(
    x: Any, y: Any, names: str = "x and y", most: cython.double = MAX_FLOAT
) -> Annotated[None, "cpdef except *"]:
    """Raise an error unless both are numbers, finite and no farther from 0 than `most`."""
    try:  # as floats of C: numpy warns of a limit that a small float of its own cannot hold
        fits = -most <= real(x, names) <= most and -most <= real(y, names) <= most
    except (ArithmeticError, TypeError, ValueError):
        raise TypeError(f"{names} must be numbers, got {shown(x)} and {shown(y)}") from None
    if not fits:
        raise ValueError(f"{names} must be finite, got {shown(x)} and {shown(y)}")


def checked_cell(cell: Any, count: int, name: str = "cell") -> int:
    """Return the number of a cell; raise an error unless it is a whole number below `count`."""
    number = whole(cell, name)
    if not 0 <= number < count:
        outside = ", which stands for a point outside the grid" if number == count else ""
        raise IndexError(f"{name} must be from 0 to {count - 1}, got {shown(number)}{outside}")
    return number


def slot_of(units: Any, unit: Any, name: str) -> int:
    """Return the slot of a unit; raise KeyError unless it is in the tree."""
    try:
        slot: int = units.slot(unit)
    except KeyError:
        raise KeyError(f"{name} must be in the tree, got {shown(unit)}") from None
    except TypeError as error:
        raise TypeError(f"{name} must be a unit, got {shown(unit)}") from error
    return slot


def checked_point(value: Any, name: str) -> tuple[float, float]:
    """Return `value` as (x, y); raise ValueError unless it is two finite numbers."""
    try:
        x, y = value
        x, y = number_of(x, name), number_of(y, name)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be two numbers, got {shown(value)}") from None
    if not (isfinite(x) and isfinite(y)):
        raise ValueError(f"{name} must be finite, got {shown(value)}")
    return x, y


def real(value: Any, name: str) -> Annotated[cython.double, "except? -1"]:
    """Return what `number_of` does, but sooner."""
    if type(value) is float:
        return value
    if cython.compiled:
        try:
            number: cython.double = value
            return number
        except (OverflowError, TypeError):
            pass  # the error is raised below
    return number_of(value, name)


def position_of(value: Any, name: str) -> Annotated[cython.double, "except? -1"]:
    """Return a coordinate; refuse one that is not finite or too large to square."""
    number = real(value, name)
    if not (-MAX_COORDINATE <= number <= MAX_COORDINATE):
        raise ValueError(f"{name} must be finite and within 1e150 of 0, got {shown(value)}")
    return number


def distance_of(value: Any, name: str) -> Annotated[cython.double, "cpdef except? -1"]:
    """Return a distance; refuse one that is negative, not finite or too large to square."""
    number = real(value, name)
    if not (0.0 <= number <= MAX_COORDINATE):
        raise ValueError(f"{name} must be finite and at least 0, got {shown(value)}")
    return number


def limit_of(value: Any, least: cython.double) -> Annotated[cython.double, "except? -1"]:
    """Return the argument `max_distance`, which may be infinite, but not less than the least."""
    number = real(value, "max_distance")
    if not (number >= 0.0):
        raise ValueError(f"max_distance must be at least 0, got {shown(value)}")
    if number < least:
        raise ValueError(f"min_distance must be <= max_distance, got {least!r} and {number!r}")
    return number


def read_bounds(bounds: Any, box: cython.p_double) -> Raises[cython.int]:
    """Check four numbers as bounds, and write them into a C array."""
    try:
        min_x, min_y, max_x, max_y = bounds
        box[0] = float(min_x)
        box[1] = float(min_y)
        box[2] = float(max_x)
        box[3] = float(max_y)
    except (OverflowError, TypeError, ValueError):
        Bounds.of(bounds)  # says what is wrong
        raise
    if not (
        -MAX_COORDINATE <= box[0] <= box[2] <= MAX_COORDINATE
        and -MAX_COORDINATE <= box[1] <= box[3] <= MAX_COORDINATE
    ):
        for value in Bounds.of(bounds):
            position_of(value, "bounds")
    return 0

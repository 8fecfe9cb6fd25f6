"""Checks of array arguments; each error names the argument and the wrong row."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex

import numpy as np
import numpy.typing as npt

from tilequad._core.checks import MAX_FLOAT, first_far, first_inverted, mask_of, number_of, whole
from tilequad._core.layout import MAX_COORDINATE, MAX_SLOT
from tilequad._core.shown import shown

if TYPE_CHECKING:
    from tilequad._core.tree.units import UnitStore

MAX_WORKERS = 64  # the most threads for one batch; on more cores than that, one per core


def own_array(
    values: npt.ArrayLike,
    name: str,
    kind: npt.DTypeLike | None = np.float64,
    copy: bool | None = True,
) -> np.ndarray:
    """Return the values as a plain array that no one else can write to.

    With None for `copy`, an array of this kind is returned as it is.
    """
    refuse_masked(values, name)
    if isinstance(values, np.ndarray) and values.dtype.kind == "c":
        raise TypeError(f"{name} must be numbers, got {values.dtype}")
    try:
        return np.array(values, kind, order="C", copy=copy)
    except (TypeError, ValueError, OverflowError) as error:
        wrong = TypeError if isinstance(error, TypeError) else ValueError
        raise wrong(f"{name} must be numbers, got {shown(values)}") from None


def refuse_masked(values: npt.ArrayLike, name: str) -> None:
    """Refuse values that the caller has marked as missing."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} must not have masked values")


def checked_bounds(bounds: npt.ArrayLike) -> np.ndarray:
    """Return the boxes of a question as an (n, 4) float64 array, a copy."""
    array = unchecked_boxes(own_array(bounds, "bounds"), "bounds")
    require_boxes(array, "bounds")
    return array


def unchecked_boxes(boxes: npt.ArrayLike, name: str = "boxes") -> np.ndarray:
    """Return boxes as a C-contiguous (n, 4) float64 array; copy them only if necessary.

    The caller checks each row while reading it.
    """
    array = own_array(boxes, name, copy=None)
    if array.size == 0:
        array = array.reshape(0, 4)
    if array.ndim != 2 or array.shape[1] != 4:
        raise ValueError(f"{name} must have shape (n, 4), got {array.shape}")
    return np.ascontiguousarray(array)


def require_boxes(boxes: np.ndarray, name: str = "boxes") -> None:
    """Raise unless each row is a box."""
    require_near(boxes, name)
    row = first_inverted(boxes.data)
    if row >= 0:
        raise ValueError(f"{name} must have min <= max, got {boxes[row].tolist()} in row {row}")


def require_near(rows: np.ndarray, name: str) -> None:
    """Raise unless all numbers of some rows, points or boxes, are finite and not too large."""
    row = first_far(rows.data)
    if row >= 0:
        raise ValueError(f"{name} must be finite, got {rows[row].tolist()} in row {row}")


def checked_points(xy: npt.ArrayLike, n: int | None = None, name: str = "xy") -> np.ndarray:
    """Return the points as an (n, 2) array of float64, a copy."""
    points = own_array(xy, name)
    if points.size == 0:
        points = points.reshape(0, 2)
    if points.ndim != 2 or points.shape[1] != 2 or (n is not None and len(points) != n):
        wanted = "(n, 2)" if n is None else f"({n}, 2)"
        raise ValueError(f"{name} must have shape {wanted}, got {points.shape}")
    require_near(points, name)
    return points


def finite_array(values: npt.ArrayLike, name: str, most: float = MAX_FLOAT) -> np.ndarray:
    """Return numbers as float64, a copy only if necessary; none farther from 0 than `most`."""
    array = own_array(values, name, copy=None)
    if array.size and not (array.min() >= -most and array.max() <= most):  # faster than isfinite
        raise ValueError(f"{name} must be finite, got {shown(values)}")
    return array


def finite_points(xy: npt.ArrayLike, name: str, most: float = MAX_FLOAT) -> np.ndarray:
    """Return points of any shape (..., 2) as `finite_array` does; an empty list holds none."""
    points = finite_array(xy, name, most)
    if points.shape == (0,):
        points = points.reshape(0, 2)
    if not points.ndim or points.shape[-1] != 2:
        raise ValueError(f"{name} must have a last axis of two, got shape {points.shape}")
    return points


def finite_pairs(
    xy0: npt.ArrayLike, xy1: npt.ArrayLike, most: float = MAX_FLOAT
) -> tuple[np.ndarray, np.ndarray]:
    """Return starts and ends, (n, 2) each; one start may have many ends, or many starts one."""
    pairs = finite_points(xy0, "xy0", most), finite_points(xy1, "xy1", most)
    for points, name in zip(pairs, ("xy0", "xy1"), strict=True):
        if points.ndim > 2:
            raise ValueError(f"{name} must have the shape (n, 2) or (2,), got {points.shape}")
    starts, ends = map(np.atleast_2d, pairs)
    n = len(ends) if len(starts) == 1 else len(starts)
    if len(ends) not in (1, n):
        raise ValueError(
            f"xy0 and xy1 must have the same length, got {len(starts)} and {len(ends)}"
        )
    return as_rows(np.broadcast_to(starts, (n, 2))), as_rows(np.broadcast_to(ends, (n, 2)))


def as_rows(points: np.ndarray) -> np.ndarray:
    """Return points in rows, (n, 2), as compiled code reads them."""
    return np.require(points.reshape(-1, 2), None, ["C", "W"])


def checked_ways(xy0: npt.ArrayLike, xy1: npt.ArrayLike) -> np.ndarray:
    """Return the segments from points `xy0` to as many points `xy1`, (n, 4)."""
    starts = checked_points(xy0, name="xy0")
    return ways_between(starts, checked_points(xy1, len(starts), "xy1"))


def squares(vectors: np.ndarray) -> np.ndarray:
    """Return the squared lengths of vectors, (n, 2); numpy's sums of two numbers are slow."""
    return vectors[:, 0] * vectors[:, 0] + vectors[:, 1] * vectors[:, 1]


def lengths(vectors: np.ndarray) -> np.ndarray:
    """Return the lengths of vectors, (n, 2)."""
    return np.sqrt(squares(vectors))


def ways_between(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return the segments between as many points, (n, 4)."""
    ways = np.empty((len(starts), 4))
    ways[:, :2] = starts
    ways[:, 2:] = ends
    return ways


def checked_widths(width: npt.ArrayLike, n: int) -> np.ndarray:
    """Return a disc for each of n segments, from one width or n: (n, 2), each a radius and -1."""
    halves = np.empty((n, 2))
    halves[:, 0] = checked_amounts(width, n, "width")
    halves[:, 0] /= 2
    halves[:, 1] = -1.0
    return halves


def checked_limits(
    low: npt.ArrayLike, high: npt.ArrayLike, n: int, names: tuple[str, str]
) -> np.ndarray:
    """Return the least and the greatest distance of n questions, (n, 2), each from one number or n.

    Only a `max_distance` may be infinite.
    """
    least = checked_amounts(low, n, names[0])
    farthest = np.inf if names[1] == "max_distance" else MAX_COORDINATE
    most = checked_amounts(high, n, names[1], farthest)
    if isinstance(least, float) and isinstance(most, float) and least <= most:
        row = np.empty(2)
        row[0], row[1] = least, most
        return np.ndarray((n, 2), buffer=row, strides=(0, row.itemsize))  # n times this row
    limits = np.empty((n, 2))
    limits[:, 0] = least
    limits[:, 1] = most
    wrong = limits[:, 0] > limits[:, 1]
    if wrong.any():
        at = int(wrong.argmax())
        pair = f"{limits[at, 0]} and {limits[at, 1]} in row {at}"
        raise ValueError(f"{names[0]} must be <= {names[1]}, got {pair}")
    return limits


def checked_amounts(
    values: npt.ArrayLike, n: int, name: str, most: float = MAX_COORDINATE
) -> float | np.ndarray:
    """Return n numbers from 0 to `most`, given as one or n: a float, or a copy of n."""
    if isinstance(values, int | float) and 0.0 <= values <= most:
        return number_of(values, name)  # usually one number, which needs no array
    given = own_array(values, name)
    if given.shape not in ((), (n,)):
        raise ValueError(f"{name} must be one number or {n}, got shape {given.shape}")
    wrong = ~((given >= 0.0) & (given <= most))
    if wrong.any():
        kind = "finite and " if most < np.inf else ""
        raise ValueError(f"{name} must be {kind}at least 0, got {given[wrong][0]}")
    return given if given.ndim else float(given)


def checked_picks(
    n: int,
    groups: npt.ArrayLike | None,
    without: npt.ArrayLike | None,
    exclude: npt.ArrayLike | None,
) -> tuple[int | np.ndarray, int | np.ndarray, np.ndarray | None]:
    """Return groups, without and exclude of `Questions`, for n questions."""
    wanted: int | np.ndarray = mask_at(groups, n, "groups")
    unwanted: int | np.ndarray = mask_at(without, n, "without")
    return wanted, unwanted, None if exclude is None else checked_slots(exclude, "exclude", True, n)


def mask_at(groups: npt.ArrayLike | None, n: int, name: str) -> int | np.ndarray:
    """Return one mask as an int, or n masks as int32 with the same bits."""
    if groups is None or isinstance(groups, int):
        return mask_of(groups, name)
    given = own_array(groups, name, None)
    return checked_masks(given, n, name) if given.ndim else mask_of(groups, name)


def checked_numbers(values: npt.ArrayLike, name: str) -> np.ndarray:
    """Return whole numbers, (n,), a copy."""
    given = own_array(values, name, None)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be whole numbers, (n,), got {given.dtype} {given.shape}")
    return given


def checked_cells(cells: npt.ArrayLike, count: int, name: str = "cells") -> np.ndarray:
    """Return numbers of cells as int32, (n,); raise an error unless each is below `count`."""
    numbers = own_array(cells, name, None, copy=None)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise TypeError(f"{name} must be a list of whole numbers, got {shown(cells)}")
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        wrong = numbers.min() if numbers.min() < 0 else numbers.max()
        outside = ", which stands for a point outside the grid" if wrong == count else ""
        raise IndexError(f"{name} must be from 0 to {count - 1}, got {wrong}{outside}")
    return np.require(numbers, np.int32, ["C", "W"])


def checked_values(values: npt.ArrayLike) -> np.ndarray:
    """Return values by slot, (slots,) or (slots, m) float64, a copy."""
    given = own_array(values, "values")
    if given.ndim not in (1, 2):
        raise ValueError(f"values must have shape (slots,) or (slots, m), got {given.shape}")
    return given


def per_unit(values: npt.ArrayLike, n: int, name: str) -> np.ndarray:
    """Return one float64 for each of n units, from one number or n."""
    given = own_array(values, name)
    if given.shape not in ((), (n,)):
        raise ValueError(f"{name} must be one number or {n}, got shape {given.shape}")
    refuse_rows(given, ~np.isfinite(given), f"{name} must be finite")
    return spread(given, n)


def refuse_rows(given: np.ndarray, wrong: np.ndarray, rule: str) -> None:
    """Raise a ValueError that shows the first wrong row; `wrong` has one value for each row."""
    if not wrong.any():
        return
    at = int(wrong.argmax())
    if wrong.ndim:
        raise ValueError(f"{rule}, got {given[at].tolist()} in row {at}")
    raise ValueError(f"{rule}, got {given.tolist()}")


def spread(values: np.ndarray, n: int) -> np.ndarray:
    """Return n numbers; a single number is repeated n times without copying it."""
    if values.shape == (n,):
        return values
    return np.ndarray((n,), values.dtype, values, 0, (0,))


def checked_halves(
    radius: npt.ArrayLike, size: npt.ArrayLike | None, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return footprints as slots store them: half sizes of boxes, or radius and -1 for circles."""
    if size is None and isinstance(radius, int | float) and 0.0 <= radius <= MAX_COORDINATE:
        return spread(np.array(float(radius)), n), spread(np.array(-1.0), n)  # the usual case
    radii = per_unit(radius, n, "radius")
    if size is None:
        refuse_rows(radii, ~footprint_fits(radii), "radius must be finite and at least 0")
        return radii, spread(np.array(-1.0), n)
    if radii.any():
        raise ValueError("radius and size are mutually exclusive")
    sizes = own_array(size, "size")
    if sizes.size == 0:
        sizes = sizes.reshape(0, 2)
    if sizes.shape not in ((2,), (n, 2)):
        raise ValueError(f"size must have shape (2,) or ({n}, 2), got {sizes.shape}")
    wrong = np.asarray(~footprint_fits(sizes).all(-1))
    refuse_rows(sizes, wrong, "size must be finite and at least 0")
    halves = sizes / 2
    return spread(halves[..., 0], n), spread(halves[..., 1], n)


def footprint_fits(lengths: np.ndarray) -> np.ndarray:
    """Which of some lengths a footprint may have: those that `add` takes."""
    return (lengths >= 0.0) & (lengths <= MAX_COORDINATE)


def checked_masks(groups: npt.ArrayLike, n: int, name: str = "groups") -> np.ndarray:
    """Return masks of groups as int32 with the same bits; only `without` may be 0."""
    least = int(name != "without")
    if isinstance(groups, int) and type(groups) is not bool and least <= groups <= 0xFFFFFFFF:
        return spread(np.array(groups, np.uint32).view(np.int32), n)  # the usual case
    given = own_array(groups, name, None)
    if given.size == 0:
        given = given.astype(np.int64)
    if given.ndim == 0 and given.dtype.kind not in "iu":
        raise TypeError(f"{name} must be a whole number, got {shown(groups)}")
    if given.shape not in ((), (n,)) or given.dtype.kind not in "iu":
        raise ValueError(f"{name} must be one mask or {n}, got {given.dtype} {given.shape}")
    wrong = (given < least) | (given > 0xFFFFFFFF)
    refuse_rows(given, wrong, f"{name} must be in {least} .. 2**32 - 1")
    return spread(given.astype(np.uint32).view(np.int32), n)


def checked_out(out: np.ndarray | None, *questions: npt.ArrayLike | None) -> np.ndarray | None:
    """Check the caller's array for answers: a row of int32, apart from the questions' memory."""
    return None if out is None else checked_row(out, np.int32, *questions)


def checked_pair(
    out: Sequence[np.ndarray] | None, n: int, *questions: npt.ArrayLike | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return arrays for n slots and n distances: the caller's, or new ones."""
    if out is None:
        return np.empty(n, np.int32), np.empty(n)
    try:
        slots, distances = out
    except (TypeError, ValueError):
        raise ValueError(f"out must be two arrays, got {shown(out)}") from None
    slots = checked_row(slots, np.int32, *questions)
    distances = checked_row(distances, np.float64, slots, *questions)
    return first_of(slots, n), first_of(distances, n)


def checked_row(out: np.ndarray, kind: npt.DTypeLike, *others: npt.ArrayLike | None) -> np.ndarray:
    """Check a caller's array: writable, of one type, and sharing no memory with other arrays."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be an array, got {type(out).__name__}")
    row = out.view(np.ndarray)
    if row.dtype != kind or row.ndim != 1 or not (row.flags.c_contiguous and row.flags.writeable):
        raise ValueError(
            f"out must be a writable row of {np.dtype(kind)}, got {row.dtype} {row.shape}"
        )
    for other in others:
        if isinstance(other, np.ndarray) and np.may_share_memory(row, other):
            raise ValueError("out must not share memory with the other arrays")
    return row


def first_of(row: np.ndarray, n: int) -> np.ndarray:
    """Return the first n places of a row for answers."""
    if len(row) < n:
        raise ValueError(f"out must have room for {n}, got {len(row)}")
    return row[:n]


def checked_workers(workers: SupportsIndex) -> int:
    """Return the number of threads; -1 means one per core. Many more than cores are useless."""
    wanted = whole(workers, "workers")
    if wanted == 1:
        return 1
    cores = os.cpu_count() or 1  # os.cpu_count reads a file, which costs many times a small batch
    if wanted == -1:
        return cores
    if wanted < 1:
        raise ValueError(
            f"workers must be at least 1, or -1 for one per core, got {shown(workers)}"
        )
    return min(wanted, max(MAX_WORKERS, cores))


def checked_slots(
    slots: npt.ArrayLike, name: str = "slots", or_none: bool = False, n: int | None = None
) -> np.ndarray:
    """Return the slots as an int32 array, a copy; `check_used` checks that units have them."""
    given = own_array(slots, name, None)
    if given.size == 0:
        given = given.astype(np.int32)
    if given.ndim != 1 or n not in (None, len(given)) or given.dtype.kind not in "iu":
        wanted = "integers, (n,)" if n is None else f"{n} slots"
        raise ValueError(f"{name} must be {wanted}, got {given.dtype} {given.shape}")
    if given.dtype != np.int32:  # if truncated to 32 bits, a wrong number might look like a slot
        wrong = (given < (-1 if or_none else 0)) | (given > MAX_SLOT)
        if wrong.any():
            refuse_slot(given, int(wrong.argmax()), name, or_none)
        given = given.astype(np.int32)
    return given


def unique_slots(slots: npt.ArrayLike) -> np.ndarray:
    """Return the slots as `checked_slots` does; refuse those that occur twice."""
    checked = checked_slots(slots)
    numbers = np.sort(checked)
    twice = numbers[1:] == numbers[:-1]
    if twice.any():
        raise ValueError(f"slots must be unique, got {numbers[1:][twice][0]} twice")
    return checked


def at_slots(values: np.ndarray, slots: np.ndarray) -> np.ndarray:
    """Return `values[slots]`.

    If memory runs out, take() raises an error; indexing with int32 crashes the interpreter.
    """
    return values.take(slots.astype(np.intp), 0)


def check_used(
    units: UnitStore, slots: np.ndarray, name: str = "slots", or_none: bool = False
) -> None:
    """Refuse slots that no unit has; with `or_none`, -1 passes."""
    row = units.first_unknown(slots, or_none)
    if row >= 0:
        refuse_slot(slots, row, name, or_none)


def of_used(units: UnitStore, slots: np.ndarray, read: Callable[[np.ndarray], Any]) -> Any:
    """Read something of slots that must be slots of units."""
    check_used(units, slots)
    return read(slots)


def refuse_slot(
    slots: np.ndarray, row: int, name: str = "slots", or_none: bool = False
) -> NoReturn:
    """Say which slot no unit has; batch queries answer -1 where they find none."""
    kind = "slots of units, or -1 for none" if or_none else "slots of units"
    none = slots[row] == -1 and not or_none
    hint = f"; -1 stands for none: leave it out, {name}[{name} >= 0]" if none else ""
    raise ValueError(f"{name} must be {kind}, got {slots[row]} in row {row}{hint}")

"""Checks of arguments that are arrays: each error names the argument and the wrong row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tilequad.quadtree._core.layout import MAX_COORDINATE

if TYPE_CHECKING:
    from tilequad.quadtree._core.unit_store import UnitStore

MAX_SLOT = 0x7FFFFFFF


def checked_boxes(boxes: npt.ArrayLike) -> np.ndarray:
    """The boxes as a C-contiguous (n, 4) float64 array; copied only where they are not one."""
    array = np.asarray(boxes, dtype=np.float64)
    if array.size == 0:
        array = array.reshape(0, 4)
    if array.ndim != 2 or array.shape[1] != 4:
        raise ValueError(f"boxes must have shape (n, 4), got {array.shape}")
    if len(array) and not (array.min() >= -MAX_COORDINATE and array.max() <= MAX_COORDINATE):
        row = int((~(np.abs(array) <= MAX_COORDINATE).all(axis=1)).argmax())
        raise ValueError(f"boxes must be finite, got {array[row].tolist()} in row {row}")
    wrong = array[:, :2] > array[:, 2:]
    if wrong.any():
        row = int(wrong.any(axis=1).argmax())
        raise ValueError(f"boxes must have min <= max, got {array[row].tolist()} in row {row}")
    return np.ascontiguousarray(array)


def checked_points(xy: npt.ArrayLike, n: int | None = None) -> np.ndarray:
    """The points as an (n, 2) array of float64."""
    points = np.require(xy, np.float64, ["C", "W"])
    if points.size == 0:
        points = points.reshape(0, 2)
    if points.ndim != 2 or points.shape[1] != 2 or (n is not None and len(points) != n):
        wanted = "(n, 2)" if n is None else f"({n}, 2)"
        raise ValueError(f"xy must have shape {wanted}, got {points.shape}")
    if len(points) and not (points.min() >= -MAX_COORDINATE and points.max() <= MAX_COORDINATE):
        wrong = ~(np.abs(points) <= MAX_COORDINATE).all(axis=1)
        row = int(wrong.argmax())
        raise ValueError(f"xy must be finite, got {points[row].tolist()} in row {row}")
    return points


def per_unit(values: npt.ArrayLike, n: int, name: str) -> np.ndarray:
    """One float64 for each of n units, from one number or n; read-only."""
    given = np.asarray(values, np.float64)
    if given.shape not in ((), (n,)):
        raise ValueError(f"{name} must be one number or {n}, got shape {given.shape}")
    if not np.isfinite(given).all():
        raise ValueError(f"{name} must be finite, got {values!r}")
    return np.broadcast_to(given, (n,))


def checked_halves(
    radius: npt.ArrayLike, size: npt.ArrayLike | None, n: int
) -> tuple[np.ndarray, np.ndarray | float]:
    """Footprints as the slots store them: half sizes of boxes, or radius and -1 for circles."""
    radii = per_unit(radius, n, "radius")
    if size is None:
        if (radii < 0).any():
            raise ValueError(f"radius must be at least 0, got {radii.min()}")
        return radii, -1.0
    if radii.any():
        raise ValueError("radius and size are mutually exclusive")
    sizes = np.asarray(size, np.float64)
    if sizes.shape not in ((2,), (n, 2)):
        raise ValueError(f"size must have shape (2,) or ({n}, 2), got {sizes.shape}")
    if not (np.isfinite(sizes).all() and (sizes >= 0).all()):
        raise ValueError(f"size must be finite and at least 0, got {size!r}")
    sizes = np.broadcast_to(sizes / 2, (n, 2))
    return sizes[:, 0], sizes[:, 1]


def checked_masks(groups: npt.ArrayLike, n: int) -> np.ndarray:
    """Masks of groups as int32 with the same bits."""
    given = np.asarray(groups)
    if given.size == 0:
        given = given.astype(np.int64)
    if given.shape not in ((), (n,)) or given.dtype.kind not in "iu":
        raise ValueError(f"groups must be one mask or {n}, got {given.dtype} {given.shape}")
    if not ((given >= 1) & (given <= 0xFFFFFFFF)).all():
        raise ValueError(f"groups must be in 1 .. 2**32 - 1, got {groups!r}")
    return np.broadcast_to(given.astype(np.uint32).view(np.int32), (n,))


def checked_out(out: np.ndarray, n: int, kind: npt.DTypeLike = np.int32) -> np.ndarray:
    """The first n places of the caller's array for answers."""
    if out.dtype != kind or out.ndim != 1 or not (out.flags.c_contiguous and out.flags.writeable):
        raise ValueError(
            f"out must be a writable row of {np.dtype(kind)}, got {out.dtype} {out.shape}"
        )
    if len(out) < n:
        raise ValueError(f"out must have room for {n}, got {len(out)}")
    return out[:n]


def checked_slots(units: UnitStore, slots: npt.ArrayLike) -> np.ndarray:
    """The slots as an int32 array, all of units in the tree."""
    given = np.asarray(slots)
    if given.size == 0:
        given = given.astype(np.int32)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise ValueError(f"slots must be integers, (n,), got {given.dtype} {given.shape}")
    kept = given
    if given.dtype != np.int32:  # truncated to 32 bits, another number might look like a slot
        kept = np.where((given >= 0) & (given <= MAX_SLOT), given.astype(np.int64), -1)
    checked = np.require(kept, np.int32, ["C", "W"])
    wrong = units.first_unknown(checked.data)
    if wrong >= 0:
        raise KeyError(f"no unit has slot {given[wrong]}")
    return checked

"""Flocks: what each boid sees of its neighbours, for all of them at once."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad.ai._core.neighbours import fill_positions, sum_flock
from tilequad.quadtree import DynamicQuadtree

__all__ = ["Flock", "flock"]

Floats: TypeAlias = NDArray[np.float64]

# Units on exactly one point leave it in directions by their slots.
WAYS = np.array([(cos(2 * pi * k / 64), sin(2 * pi * k / 64)) for k in range(64)])


class Flock(NamedTuple):
    """What each unit sees of its neighbours; a row for each slot that was asked about.

    Attributes:
        count: The number of neighbours, (n,) int32.
        offset: From the unit to the centre of its neighbours, (n, 2); 0 if there are none. Steer
            along it for cohesion.
        heading: The mean velocity of the neighbours, (n, 2); 0 if there are none. Steer towards it
            for alignment.
        apart: Away from close neighbours, (n, 2): the sum of a unit vector for each, times 1 for
            one at no distance and 0 for one at the distance `close`. Steer along it for separation.
    """

    count: NDArray[np.int32]  # type: ignore[assignment]
    offset: Floats
    heading: Floats
    apart: Floats


def flock(
    units: DynamicQuadtree[Any],
    slots: ArrayLike,
    velocity: ArrayLike,
    *,
    sight: float,
    close: float = 0.0,
    groups: int | None = None,
) -> Flock:
    """Sum over the neighbours of each unit what boids steer by (Reynolds, Flocks, 1987).

    Cost: one search for all units, and a few nanoseconds a neighbour.

    Args:
        units: The tree.
        slots: The slots of the units that ask, (n,).
        velocity: The velocities of all units by slot, (m, 2), m above every slot.
        sight: Units within this distance are neighbours, by position. A unit is not its own.
        close: Neighbours nearer than this push apart.
        groups: A mask; only neighbours in one of these groups. None for all.

    Raises:
        KeyError: A number is not the slot of a unit.
        ValueError: The velocities have another shape or too few rows, or a distance is not finite
            or is negative.

    Example:
        >>> import numpy as np
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import flock
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> slots = units.add_many("abc", [(10, 10), (20, 10), (90, 90)])
        >>> velocity = np.array([(1.0, 0.0), (0.0, 1.0), (0.0, 0.0)])
        >>> seen = flock(units, slots, velocity, sight=25, close=20)
        >>> seen.count.tolist(), seen.offset.tolist()
        ([1, 1, 0], [[10.0, 0.0], [-10.0, 0.0], [0.0, 0.0]])
        >>> seen.heading.tolist(), seen.apart.tolist()
        ([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]], [[-0.5, 0.0], [0.5, 0.0], [0.0, 0.0]])
    """
    rows = np.asarray(slots)
    if rows.ndim != 1 or (rows.dtype.kind not in "iu" and rows.size):
        raise ValueError(f"slots must be whole numbers, (n,), got {rows.dtype} {rows.shape}")
    rows = np.require(rows, np.int32, ["C", "W"])
    speeds = np.require(velocity, np.float64, ["C", "W"])
    if speeds.ndim != 2 or speeds.shape[1] != 2:
        raise ValueError(f"velocity must have shape (m, 2), got {speeds.shape}")
    if not 0.0 <= close <= 1e150:
        raise ValueError(f"close must be from 0 to 1e+150, got {close!r}")
    sums: Floats = units._ask(lambda: _sums(units, rows, speeds, sight, close, groups))
    parts = (np.ascontiguousarray(sums[:, k : k + 2]) for k in (1, 3, 5))
    return Flock(sums[:, 0].astype(np.int32), *parts)


def _sums(
    units: DynamicQuadtree[Any],
    slots: NDArray[np.int32],
    velocity: Floats,
    sight: float,
    close: float,
    groups: int | None,
) -> Floats:
    """The sums of `Flock` in one array, (n, 7)."""
    points, sums = np.empty((len(slots), 2)), np.empty((len(slots), 7))
    if not len(slots):
        return sums
    wrong = fill_positions(units, slots.data, points.data)
    if wrong >= 0 or slots.min() < 0:
        raise KeyError(f"no unit has slot {wrong if wrong >= 0 else slots.min()}")
    if len(velocity) <= slots.max():
        raise ValueError(f"velocity must have a row for slot {slots.max()}, got {len(velocity)}")
    offsets, near = units.within_many(points, sight, groups=groups)
    asked = (slots.data, points.data, offsets.data, near.data, velocity.data)
    wrong = sum_flock(units, *asked, float(close), WAYS.data, sums.data)
    if wrong >= 0:
        raise ValueError(f"velocity must have a row for slot {wrong}, got {len(velocity)} rows")
    return sums

"""Flocks: what each boid sees of its neighbors, for all of them at once."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad.ai._checks import checked_distance, checked_mask
from tilequad.ai._core import lookups
from tilequad.ai._core.neighbors import FlockSums
from tilequad.ai._rings import mask_in_c
from tilequad.quadtree import DynamicQuadtree

__all__ = ["Flock", "flock"]

Floats: TypeAlias = NDArray[np.float64]

# Units on exactly one point leave it in directions by their slots.
WAYS = np.array([(cos(2 * pi * k / 64), sin(2 * pi * k / 64)) for k in range(64)])


class Flock(NamedTuple):
    """What each unit sees of its neighbors; a row for each slot that was asked about.

    Attributes:
        count: The number of neighbors, (n,) int32.
        offset: From the unit to the center of its neighbors, (n, 2); 0 if there are none. Steer
            along it for cohesion.
        heading: The mean velocity of the neighbors, (n, 2); 0 if there are none. Steer toward it
            for alignment.
        apart: Away from close neighbors, (n, 2): the sum of a unit vector for each, times 1 for
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
    """Sum over the neighbors of each unit what boids steer by (Reynolds, Flocks, 1987).

    Cost: one search for all units, and a few nanoseconds a neighbor. Neighbors are added in
    ascending order of their slots, so no sum depends on who else asks.

    Args:
        units: The tree.
        slots: The slots of the units that ask, (n,).
        velocity: The velocities of all units by slot, (m, 2), m above every slot.
        sight: Units within this distance are neighbors, by position. A unit is not its own.
        close: Neighbors nearer than this push apart.
        groups: A mask; only neighbors in one of these groups. None for all.

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
    rows, speeds = np.array(rows, np.int32), np.array(velocity, np.float64, order="C")
    if speeds.ndim != 2 or speeds.shape[1] != 2:
        raise ValueError(f"velocity must have shape (m, 2), got {speeds.shape}")
    close, sight = checked_distance(close, "close"), checked_distance(sight, "sight")
    mask = mask_in_c(checked_mask(groups))
    seen: Flock = units._ask(lambda: _seen(units, rows, speeds, sight, close, mask))
    return seen


def _seen(
    units: DynamicQuadtree[Any],
    slots: NDArray[np.int32],
    velocity: Floats,
    sight: float,
    close: float,
    mask: int,
) -> Flock:
    """What units see, while the tree stays as it is."""
    n = len(slots)
    seen = Flock(np.zeros(n, np.int32), np.zeros((n, 2)), np.zeros((n, 2)), np.zeros((n, 2)))
    if not n:
        return seen
    unknown = lookups.serials(units, slots) < 0
    if unknown.any():
        raise KeyError(f"no unit has slot {slots[unknown][0]}")
    if len(velocity) <= slots.max():
        raise ValueError(f"velocity must have a row for slot {slots.max()}, got {len(velocity)}")
    sums = FlockSums(units, slots, sight, mask, velocity, close, WAYS)
    wrong = sums.fill(*(part.data for part in seen))
    if wrong >= 0:
        raise ValueError(f"velocity must have a row for slot {wrong}, got {len(velocity)} rows")
    return seen

"""Flocks: the steering vectors of all boids, in one call."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army.neighbors import FlockSums
from tilequad._core.array_kinds import Floats
from tilequad._core.arrays import check_used, checked_slots, own_array
from tilequad._core.checks import distance_of, masks_of
from tilequad._core.shown import shown
from tilequad._core.tree.units import ask
from tilequad.quadtree.dynamic import DynamicQuadtree, check_tree, store_of

__all__ = ["Steering", "flock"]


Falloff: TypeAlias = Literal["linear", "constant", "inverse", "inverse_square"]
# In the order of their numbers in the kernel.
FALLOFFS = ("linear", "constant", "inverse", "inverse_square")

# Units at exactly the same point part in directions that depend on their slots.
DIRECTIONS = np.array([(cos(2 * pi * k / 64), sin(2 * pi * k / 64)) for k in range(64)])


class Steering(NamedTuple):
    """The three vectors of Reynolds' boids; a row for each slot that was asked about.

    A unit without neighbors has 0 everywhere, so the rows can be weighted and added as they are.

    Attributes:
        neighbors: The number of neighbors, (n,) int32.
        cohesion: From the unit to the mean position of its neighbors, (n, 2), in world units.
        alignment: The mean velocity of the neighbors minus the unit's own, (n, 2).
        separation: Away from close neighbors, (n, 2): the sum of a vector for each, whose length
            depends on the falloff.
    """

    neighbors: NDArray[np.int32]
    cohesion: Floats
    alignment: Floats
    separation: Floats


def flock(
    units: DynamicQuadtree[Any],
    slots: ArrayLike,
    velocity: ArrayLike,
    *,
    max_distance: float,
    separation_distance: float | None = None,
    falloff: Falloff = "linear",
    groups: int | None = None,
    without: int | None = None,
) -> Steering:
    """Return the vectors boids steer by: cohesion, alignment and separation (Reynolds, 1987).

    A textbook step adds the three, each times a weight, to the velocity. Units at exactly the same
    point part in directions that depend on their slots.

    Cost: all units that count are sorted into cells as wide as `max_distance`, and each unit that
    asks looks at those in nine of them; a few nanoseconds a neighbor. Neighbors are added by rows
    and columns of cells, then by slots, so no sum depends on who else asks.

    Args:
        units: The tree.
        slots: The slots of the units that ask, (n,).
        velocity: The velocities of all units by slot, (m, 2): a row for every slot up to the
            highest in use.
        max_distance: Units within this distance are neighbors, by position. A unit is not its own
            neighbor.
        separation_distance: Neighbors nearer than this push apart. None means `max_distance`, 0
            means that none does.
        falloff: The push of a neighbor at distance d, where s is `separation_distance`: "linear"
            is 1 - d / s, "constant" is 1, "inverse" is 1 / d, "inverse_square" is 1 / d**2. The
            last two treat a neighbor nearer than s / 1000 as s / 1000 away, so they stay finite.
        groups: A mask; only neighbors in one of these groups. None for all.
        without: A mask; leave out neighbors in any of these groups. None for none.

    Raises:
        ValueError: A number is not the slot of a unit, the velocities have another shape or too
            few rows, a distance is negative or not finite, or there is no such falloff.
        TypeError: A mask is not a whole number.

    Example:
        >>> import numpy as np
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import flock
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> slots = units.add_many("abc", [(10, 10), (20, 10), (90, 90)])
        >>> velocity = np.array([(1.0, 0.0), (0.0, 1.0), (0.0, 0.0)])
        >>> steering = flock(units, slots, velocity, max_distance=25, separation_distance=20)
        >>> steering.neighbors.tolist(), steering.cohesion.tolist()
        ([1, 1, 0], [[10.0, 0.0], [-10.0, 0.0], [0.0, 0.0]])
        >>> steering.alignment.tolist(), steering.separation.tolist()
        ([[-1.0, 1.0], [1.0, -1.0], [0.0, 0.0]], [[-0.5, 0.0], [0.5, 0.0], [0.0, 0.0]])
        >>> _, cohesion, alignment, separation = steering
        >>> velocity[slots] += 0.01 * cohesion + 0.1 * alignment + separation
    """
    check_tree(units)
    rows, speeds = checked_slots(slots), own_array(velocity, "velocity")
    if speeds.ndim != 2 or speeds.shape[1] != 2:
        raise ValueError(f"velocity must have shape (m, 2), got {speeds.shape}")
    distance = distance_of(max_distance, "max_distance")
    close = distance
    if separation_distance is not None:
        close = distance_of(separation_distance, "separation_distance")
    if not isinstance(falloff, str) or falloff not in FALLOFFS:
        raise ValueError(f"falloff must be one of {', '.join(FALLOFFS)}, got {shown(falloff)}")
    masks = masks_of(groups, without)
    kind = FALLOFFS.index(falloff)
    distances = distance, close
    found: Steering = ask(store_of(units), _steering, units, rows, speeds, distances, kind, masks)
    return found


def _steering(
    units: DynamicQuadtree[Any],
    slots: NDArray[np.int32],
    velocity: Floats,
    distances: tuple[float, float],
    falloff: int,
    masks: tuple[int, int],
) -> Steering:
    """Return the sums for all units that ask; the tree must not change meanwhile."""
    n = len(slots)
    found = Steering(np.zeros(n, np.int32), np.zeros((n, 2)), np.zeros((n, 2)), np.zeros((n, 2)))
    if not n:
        return found
    check_used(store_of(units), slots)
    if len(velocity) <= slots.max():
        raise ValueError(f"velocity must have a row for slot {slots.max()}, got {len(velocity)}")
    distance, close = distances
    sums = FlockSums(store_of(units), slots, distance, *masks, velocity, close, falloff, DIRECTIONS)
    wrong = sums.fill(*(part.data for part in found))
    if wrong >= 0:
        raise ValueError(f"velocity must have a row for slot {wrong}, got {len(velocity)} rows")
    return found

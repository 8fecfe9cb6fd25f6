"""The arithmetic of separation: push overlapping footprints apart, whole arrays at once.

Each unit is a row: `positions` has (x, y), `bodies` has half width, half height, radius and
1 / mass. `first` and `second` hold the row numbers of the two units of each pair.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds

__all__ = ["push"]

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.intp]

# Overlaps below this fraction of the footprints and coordinates count as rounding, so units that
# were pushed apart and only touch stay where they are. A smaller value moves touching units
# forever by tiny steps; a larger one leaves visible overlaps far from the origin.
TOLERANCE = 1e-12

# The golden angle in radians: consecutive multiples never point the same way.
GOLDEN_ANGLE = 2.399963229728653


def push(
    positions: Floats, bodies: Floats, first: Indices, second: Indices, limits: Bounds
) -> tuple[Indices, Floats]:
    """Return the rows of the units that move, and their new positions."""
    pushed = positions + _displacements(positions, bodies, first, second)
    np.clip(pushed, limits[:2], limits[2:], out=pushed, where=pushed != positions)
    changed = np.flatnonzero((pushed != positions).any(axis=1))
    return changed, pushed[changed]


def _displacements(positions: Floats, bodies: Floats, first: Indices, second: Indices) -> Floats:
    """Return the displacement of each unit, (n, 2)."""
    seeds, inverse_mass = _seeds(len(positions)), bodies[:, 3]
    summed = bodies.take(first, axis=0) + bodies.take(second, axis=0)
    normals, depths = _penetrations(
        positions.take(second, axis=0) - positions.take(first, axis=0),
        summed[:, :2],
        summed[:, 2],
        seeds.take(second, axis=0) - seeds.take(first, axis=0),
    )
    scale = bodies[:, :3].sum(axis=1) + np.abs(positions).sum(axis=1)
    overlaps = (depths > TOLERANCE * (scale[first] + scale[second])) & (summed[:, 3] > 0)
    pairs = np.flatnonzero(overlaps)
    first, second = first[pairs], second[pairs]
    steps = normals.take(pairs, axis=0) * depths[pairs, None]
    share = (inverse_mass[second] / summed[pairs, 3])[:, None]
    return _blend(
        np.concatenate((first, second)),
        np.concatenate((steps * (share - 1), steps * share)),
        np.concatenate((inverse_mass[second] == 0, inverse_mass[first] == 0)),
        len(positions),
    )


def _penetrations(
    offsets: Floats, half_sizes: Floats, radii: Floats, seeds: Floats
) -> tuple[Floats, Floats]:
    """Return the shortest way out of each overlap: unit normals, and depths (negative if apart).

    Two footprints overlap where the offset between them lies inside their Minkowski sum. The sum
    of circles and boxes is a box with rounded corners, so one formula serves every pair of shapes:
    the signed distance to a rounded box (Inigo Quilez, "2D distance functions").
    """
    gaps = np.abs(offsets) - half_sizes
    outside = np.maximum(gaps, 0.0)
    distances = np.sqrt(outside[:, 0] * outside[:, 0] + outside[:, 1] * outside[:, 1])
    depths = radii - distances - np.minimum(np.maximum(gaps[:, 0], gaps[:, 1]), 0.0)
    # Outside the box the normal points away from its nearest point; inside, to its nearest edge.
    is_x = gaps[:, 0] >= gaps[:, 1]
    normals = np.stack((is_x, ~is_x), axis=1).astype(np.float64)
    np.divide(outside, distances[:, None], out=normals, where=distances[:, None] > 0)
    normals *= np.where(offsets < 0, -1.0, 1.0)
    # Two circles on one point have no nearest edge, and every direction is as short: use the seeds.
    coincident = np.flatnonzero(
        (distances == 0) & (half_sizes[:, 0] == 0) & (half_sizes[:, 1] == 0)
    )
    seeds = seeds[coincident]
    normals[coincident] = seeds / np.sqrt((seeds * seeds).sum(axis=1))[:, None]
    return normals, depths


def _blend(units: Indices, steps: Floats, immovable: Bools, count: int) -> Floats:
    """Combine the steps of each unit into one; steps away from immovable units count separately.

    n steps are summed and divided by the square root of n. The plain sum throws n units that meet
    on one point n times too far; the mean needs hundreds of calls to part them. The sum of n
    random directions has about the length of the square root of n.
    """
    # Each unit has two bins, so a crowd cannot outweigh the wall that it presses a unit against.
    bins = units + count * immovable
    sums = [np.bincount(bins, weights=steps[:, axis], minlength=2 * count) for axis in (0, 1)]
    number = np.maximum(np.bincount(bins, minlength=2 * count), 1)
    blended = np.stack(sums, axis=1) / np.sqrt(number)[:, None]
    return np.asarray(blended[:count] + blended[count:])


def _seeds(count: int) -> Floats:
    """Return points on a sunflower spiral, (count, 2): pairwise directions for coincident units.

    The layout is Vogel's (A better way to construct the sunflower head, 1979).
    """
    number = np.arange(count, dtype=np.float64)
    angles = number * GOLDEN_ANGLE
    return np.stack((np.cos(angles), np.sin(angles)), axis=1) * np.sqrt(number)[:, None]

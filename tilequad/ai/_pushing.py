"""The arithmetic of making way: where overlapping footprints are pushed, whole arrays at once.

Units are rows here: `places` has their positions, `table` half width, half height, radius and
1 / mass; `first` and `second` have the rows of the two units of each pair.
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

# Overlaps below this share of the footprints and coordinates are rounding, not contact: units that
# were pushed apart and only touch are left in peace. Smaller moves them for ever by nothing; larger
# shows far from the origin.
SLACK = 1e-12

# The angle between two seeds of a sunflower, in radians: no two of them look the same way.
SUNFLOWER = 2.399963229728653


def push(
    places: Floats, table: Floats, first: Indices, second: Indices, limits: Bounds
) -> tuple[Indices, Floats]:
    """Which units go elsewhere, and where they stand then."""
    pushed = places + _pushes(places, table, first, second)
    np.clip(pushed, limits[:2], limits[2:], out=pushed, where=pushed != places)
    changed = np.flatnonzero((pushed != places).any(axis=1))
    return changed, pushed[changed]


def _pushes(places: Floats, table: Floats, first: Indices, second: Indices) -> Floats:
    """How far each unit is to go, (n, 2), given the numbers of the two units of each pair."""
    seeds, lightness = _seeds(len(places)), table[:, 3]
    together = table.take(first, axis=0) + table.take(second, axis=0)
    ways, depths = _ways_out(
        places.take(second, axis=0) - places.take(first, axis=0),
        together[:, :2],
        together[:, 2],
        seeds.take(second, axis=0) - seeds.take(first, axis=0),
    )
    scale = table[:, :3].sum(axis=1) + np.abs(places).sum(axis=1)
    overlaps = (depths > SLACK * (scale[first] + scale[second])) & (together[:, 3] > 0)
    pairs = np.flatnonzero(overlaps)
    first, second = first[pairs], second[pairs]
    steps = ways.take(pairs, axis=0) * depths[pairs, None]
    share = (lightness[second] / together[pairs, 3])[:, None]
    return _blend(
        np.concatenate((first, second)),
        np.concatenate((steps * (share - 1), steps * share)),
        np.concatenate((lightness[second] == 0, lightness[first] == 0)),
        len(places),
    )


def _ways_out(
    offsets: Floats, halves: Floats, radii: Floats, seeds: Floats
) -> tuple[Floats, Floats]:
    """The shortest way out of an overlap, as unit vectors, and how long it is (negative if apart).

    Two footprints overlap where the offset from one to the other lies inside their sum. The sum of
    circles and boxes is a box with rounded corners, so one formula serves every pair of shapes.
    """
    gaps = np.abs(offsets) - halves
    outside = np.maximum(gaps, 0.0)
    distances = np.sqrt(outside[:, 0] * outside[:, 0] + outside[:, 1] * outside[:, 1])
    depths = radii - distances - np.minimum(np.maximum(gaps[:, 0], gaps[:, 1]), 0.0)
    # Outside the box the way leads from its nearest point; inside, through its nearest edge.
    is_x = gaps[:, 0] >= gaps[:, 1]
    ways = np.stack((is_x, ~is_x), axis=1).astype(np.float64)
    np.divide(outside, distances[:, None], out=ways, where=distances[:, None] > 0)
    ways *= np.where(offsets < 0, -1.0, 1.0)
    # Two circles on one spot have no edge between them to be pushed through: any way is as short.
    same_spot = np.flatnonzero((distances == 0) & (halves[:, 0] == 0) & (halves[:, 1] == 0))
    seeds = seeds[same_spot]
    ways[same_spot] = seeds / np.sqrt((seeds * seeds).sum(axis=1))[:, None]
    return ways, depths


def _blend(ends: Indices, steps: Floats, blocked: Bools, count: int) -> Floats:
    """Join the steps of each unit into one, those away from immovable units apart from the rest.

    n steps are added and divided by the root of n. The plain sum throws n units that meet on one
    spot n times too far; the mean takes hundreds of calls to part them; steps that point anywhere
    add up to about the root of n.
    """
    # A unit has two bins, so that a crowd cannot outvote the wall it presses against.
    bins = ends + count * blocked
    sums = [np.bincount(bins, weights=steps[:, axis], minlength=2 * count) for axis in (0, 1)]
    number = np.maximum(np.bincount(bins, minlength=2 * count), 1)
    blended = np.stack(sums, axis=1) / np.sqrt(number)[:, None]
    return np.asarray(blended[:count] + blended[count:])


def _seeds(count: int) -> Floats:
    """Places in a sunflower, (count, 2): where units on one spot are imagined, to part them."""
    number = np.arange(count, dtype=np.float64)
    angles = number * SUNFLOWER
    return np.stack((np.cos(angles), np.sin(angles)), axis=1) * np.sqrt(number)[:, None]

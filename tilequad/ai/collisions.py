"""Making way: overlapping units are pushed apart, buildings stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad.ai.units import Units
from tilequad.bounds import Bounds

__all__ = ["separate"]

Footprint: TypeAlias = float | tuple[float, float]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.intp]

# Overlaps below this share of the footprints and coordinates are rounding, not contact: units that
# were pushed apart and only touch are left in peace. Smaller moves them for ever by nothing; larger
# shows far from the origin.
SLACK = 1e-12

# The angle between two seeds of a sunflower, in radians: no two of them look the same way.
SUNFLOWER = 2.399963229728653


def separate(
    units: Units,
    footprint: Footprint | Callable[[Any], Footprint],
    *,
    mass: float | Callable[[Any], float] = 1.0,
    groups: int | None = None,
    bounds: Sequence[float] | None = None,
    iterations: int = 1,
) -> dict[Any, tuple[float, float]]:
    """Push overlapping units apart and move them in the tree, the lighter further than the heavier.

    Every pair is pushed along the shortest way out, as far as it overlaps, shared by mass: a single
    pair is apart after one iteration. A unit in n pairs goes the sum of its ways over the root of
    n, so a crowd loosens over a few calls and does not burst. Units on one and the same point leave
    it in different directions. There is no chance in it: the same units added in the same order to
    the same places are pushed to the same places.

    Costs one `pairs` query an iteration, and work for the units that overlap; others are not
    looked at.

    Args:
        units: The tree; pairs are found by the footprints it was given in `add`.
        footprint: A unit's radius, or (width, height) of its box, in world units, or a function of
            the unit that returns either. Smaller than in the tree lets units overlap a little;
            larger is felt only where the tree finds a pair.
        mass: A unit's mass above 0, or a function of the unit; `math.inf` is immovable.
        groups: Both units of a pair must be of these groups; None means all.
        bounds: Pushed units are kept with their positions inside; None means no limit.
        iterations: How often to look for pairs and push, at most; it ends early when none overlap.

    Returns:
        The new position (x, y) of every unit that was moved.

    Raises:
        ValueError: A footprint, mass, bound or number of iterations that cannot be.

    Example:
        >>> from math import inf
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import separate
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> units.add("anna", 44, 50, radius=6)
        >>> units.add("bert", 48, 50, radius=6)
        >>> units.add("barn", 80, 50, size=(20, 20))
        >>> sizes = {"anna": 6, "bert": 6, "barn": (20, 20)}
        >>> separate(units, sizes.get, mass=lambda unit: inf if unit == "barn" else 1)
        {'anna': (40.0, 50.0), 'bert': (52.0, 50.0)}
    """
    if iterations < 1:
        raise ValueError(f"iterations must be at least 1, got {iterations!r}")
    low, high = ((-inf, -inf), (inf, inf)) if bounds is None else _corners(bounds)
    bodies = _Bodies(footprint, mass)
    moved: dict[Any, tuple[float, float]] = {}
    for _ in range(iterations):
        members, first, second = _number(units.pairs(groups))
        places = np.array([units.position(unit) for unit in members]).reshape(-1, 2)
        pushed = places + _pushes(places, bodies.table(members), first, second)
        np.clip(pushed, low, high, out=pushed, where=pushed != places)
        changed = np.flatnonzero((pushed != places).any(axis=1))
        if not changed.size:
            break
        for number, (x, y) in zip(changed.tolist(), pushed[changed].tolist(), strict=True):
            units.move(members[number], x, y)
            moved[members[number]] = x, y
    return moved


class _Bodies:
    """What the game says of its units, asked once for each of them and checked."""

    def __init__(
        self,
        footprint: Footprint | Callable[[Any], Footprint],
        mass: float | Callable[[Any], float],
    ) -> None:
        self._footprint = footprint if callable(footprint) else lambda unit: footprint
        self._mass = mass if callable(mass) else lambda unit: mass
        self._rows: dict[Any, tuple[float, float, float, float]] = {}

    def table(self, members: list[Any]) -> Floats:
        """Return a row for each unit: half width, half height, radius, and 1 / mass."""
        rows = self._rows
        for unit in members:
            if unit not in rows:
                rows[unit] = _row(unit, self._footprint(unit), self._mass(unit))
        return np.array([rows[unit] for unit in members]).reshape(-1, 4)


def _number(pairs: list[tuple[Any, Any]]) -> tuple[list[Any], Indices, Indices]:
    """Number the units in the order in which pairs name them; return them, and pairs of numbers."""
    numbers: dict[Any, int] = {}
    ends = [numbers.setdefault(unit, len(numbers)) for pair in pairs for unit in pair]
    first, second = np.array(ends, dtype=np.intp).reshape(-1, 2).T
    return list(numbers), first, second


def _pushes(places: Floats, table: Floats, first: Indices, second: Indices) -> Floats:
    """How far each unit is to go, (n, 2), given the numbers of the two units of each pair."""
    halves, radii, lightness = table[:, :2], table[:, 2], table[:, 3]
    seeds = _seeds(len(places))
    ways, depths = _ways_out(
        places[second] - places[first],
        halves[first] + halves[second],
        radii[first] + radii[second],
        seeds[second] - seeds[first],
    )
    scale = halves.max(axis=1) + radii + np.abs(places).max(axis=1)
    overlaps = depths > SLACK * (scale[first] + scale[second])
    overlaps &= lightness[first] + lightness[second] > 0
    first, second = first[overlaps], second[overlaps]
    steps = ways[overlaps] * depths[overlaps, None]
    share = (lightness[second] / (lightness[first] + lightness[second]))[:, None]
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
    depths = radii - distances - np.minimum(gaps.max(axis=1), 0.0)
    # Outside the box the way leads from its nearest point; inside, through its nearest edge.
    is_x = gaps[:, 0] >= gaps[:, 1]
    ways = np.stack((is_x, ~is_x), axis=1).astype(np.float64)
    np.divide(outside, distances[:, None], out=ways, where=distances[:, None] > 0)
    ways *= np.where(offsets < 0, -1.0, 1.0)
    # Two circles on one spot have no edge between them to be pushed through: any way is as short.
    same_spot = (distances == 0) & (halves == 0).all(axis=1)
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


def _row(unit: Any, footprint: Footprint, mass: float) -> tuple[float, float, float, float]:
    """Half width, half height, radius, and 1 / mass of a unit, checked."""
    try:
        width, height, radius = _sides(footprint)
    except (TypeError, ValueError):
        raise ValueError(
            f"footprint of {unit!r} must be a radius or (width, height), got {footprint!r}"
        ) from None
    if not (0 <= width < inf and 0 <= height < inf and 0 <= radius < inf):
        raise ValueError(f"footprint of {unit!r} must be finite and >= 0, got {footprint!r}")
    if not mass > 0:
        raise ValueError(f"mass of {unit!r} must be above 0, got {mass!r}")
    return width / 2, height / 2, radius, 1 / mass


def _sides(footprint: Footprint) -> tuple[float, float, float]:
    """Width, height and radius of a footprint: the box or the circle is of no size."""
    if isinstance(footprint, (tuple, list)):
        width, height = footprint
        return float(width), float(height), 0.0
    return 0.0, 0.0, float(footprint)


def _corners(bounds: Sequence[float]) -> tuple[tuple[float, float], tuple[float, float]]:
    min_x, min_y, max_x, max_y = Bounds.of(bounds)
    return (min_x, min_y), (max_x, max_y)

"""Formations: the places of a group, and who goes to which."""

from __future__ import annotations

from math import cos, hypot, isqrt, pi, sin
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army.assignment import Assignment
from tilequad._core.army.auction import Auction
from tilequad._core.army.crossings import Crossings
from tilequad._core.array_kinds import Floats
from tilequad._core.arrays import checked_points
from tilequad._core.checks import checked_point, number_of, whole
from tilequad._core.layout import MAX_COORDINATE
from tilequad._core.shown import shown

__all__ = ["assign_places", "formation_places"]


Formation: TypeAlias = Literal["block", "circle", "column", "line", "wedge"]

MOST = 1 << 24  # places


def formation_places(
    formation: Formation | ArrayLike,
    count: int,
    spacing: float,
    facing: tuple[float, float],
) -> Floats:
    """Return the places of a formation around the origin: add the point where its middle stands.

    - "block" has as many files as ranks; a last rank that is not full stands in the middle.
    - "line" is one rank, side by side; "column" is one file, one behind another.
    - "wedge" is a triangle with its tip to the front: a rank of one, then of two, of three.
    - "circle" is a ring, and its first place the foremost.

    The places come rank by rank from the front, and in a rank from left to right. No two are nearer
    than `spacing`. Their mean is the origin.

    Cost: a microsecond for each ten places, two or three in a "circle".

    Args:
        formation: One of these names, or points of your own, (m, 2), m at least `count`: in
            spacings, with x to the front and y to the left. The first `count` are taken, and stay
            where they are, whatever their mean.
        count: How many places.
        spacing: From each place to the next, in world units.
        facing: The direction to the front, of any length but 0, as `Route.heading` or
            `Field.direction` return it.

    Returns:
        The places, (count, 2), in world units.

    Raises:
        ValueError: There is no such formation, it has too few points, a number is not finite or
            negative, or `facing` is no direction.
        TypeError: `count` is not a whole number.

    Example:
        >>> from tilequad.ai import formation_places
        >>> formation_places("block", 4, 30, facing=(0, 1)).tolist()
        [[-15.0, 15.0], [15.0, 15.0], [-15.0, -15.0], [15.0, -15.0]]
        >>> formation_places([(0, 0), (-1, 1), (-1, -1)], 3, 30, facing=(1, 0)).tolist()
        [[0.0, 0.0], [-30.0, 30.0], [-30.0, -30.0]]
    """
    number = whole(count, "count")
    if not 0 <= number <= MOST:
        raise ValueError(f"count must be from 0 to {MOST}, got {shown(count)}")
    step = number_of(spacing, "spacing")
    if not 0.0 <= step <= MAX_COORDINATE:
        raise ValueError(f"spacing must be from 0 to {MAX_COORDINATE:g}, got {shown(spacing)}")
    dx, dy = _direction(facing)
    places = _own_frame(formation, number) * step
    turned = np.empty_like(places)
    turned[:, 0] = places[:, 0] * dx - places[:, 1] * dy
    turned[:, 1] = places[:, 0] * dy + places[:, 1] * dx
    return turned


def assign_places(xy: ArrayLike, places: ArrayLike) -> NDArray[np.int32]:
    """Send units to as many places, so that no two ways cross and nobody walks far.

    The straight ways to the places share no point between their ends, unless they lie on one line
    or the gain would be lost in rounding. The sum of their lengths is within a few percent of the
    least, which `scipy.optimize.linear_sum_assignment` finds for plain distances. A group that only
    moves keeps its order. The same arguments give the same answer.

    To keep ranks on a long way, give the units' positions around their own middle and the places
    around theirs: then the front stays the front.

    Cost: up to three milliseconds for a thousand units, 2 to 130 for ten thousand, and more where
    nearly all of these turn around on the spot.

    Args:
        xy: Where the units are, (n, 2).
        places: Where they go to, (n, 2), in the same units.

    Returns:
        The row of `places` that each unit goes to, (n,) int32: each occurs once.

    Raises:
        ValueError: The shapes differ, or a coordinate is not finite.

    Example:
        >>> from tilequad.ai import assign_places
        >>> assign_places([(0, 0), (10, 0), (20, 0)], [(21, 5), (1, 5), (11, 5)]).tolist()
        [1, 2, 0]
    """
    starts = checked_points(xy)
    ends = checked_points(places, len(starts), "places")
    found = np.zeros(len(starts), np.int32)
    if len(starts) > 1:
        xs, ys = np.ascontiguousarray(np.concatenate([starts, ends]).T)
        ways = Assignment(xs.data, ys.data, found.data)
        ways.match()
        Auction(len(found)).improve(ways)
        Crossings(ways).remove()
    return found


def _direction(facing: Any) -> tuple[float, float]:
    """Return a direction with length 1."""
    x, y = checked_point(facing, "facing")
    length = hypot(x, y)
    if not length > 0.0:
        raise ValueError(f"facing must be a direction, not 0, got {shown(facing)}")
    return x / length, y / length


def _own_frame(formation: Any, count: int) -> Floats:
    """Return the places of a formation that faces along x, in spacings."""
    if not isinstance(formation, str):
        points = checked_points(formation, name="formation")
        if len(points) < count:
            raise ValueError(f"formation must have {count} points or more, got {len(points)}")
        return points[:count]
    if formation not in ("block", "circle", "column", "line", "wedge"):
        names = "block, circle, column, line, wedge or points"
        raise ValueError(f"formation must be {names}, got {shown(formation)}")
    if formation == "circle":
        return _ring(count)
    if formation == "wedge":
        ranks = list(range(1, isqrt(2 * count) + 2))
    else:
        files = {"block": isqrt(max(count - 1, 0)) + 1, "line": count, "column": 1}[formation]
        ranks = [max(files, 1)] * -(-count // max(files, 1))
    return _ranks(ranks, count)


def _ranks(lengths: list[int], count: int) -> Floats:
    """Return the places of ranks of some lengths, each in the middle; the last may be shorter."""
    rank = np.repeat(np.arange(len(lengths)), lengths)[:count]
    sizes = np.bincount(rank, minlength=1)
    file = np.arange(count) - (np.cumsum(sizes) - sizes)[rank]
    places = np.empty((count, 2))
    places[:, 0] = -rank
    places[:, 1] = (sizes[rank] - 1) / 2 - file
    if count:
        places[:, 0] += rank.sum() / count
    return places


def _ring(count: int) -> Floats:
    """Return places on a circle, counterclockwise, each a step from the next."""
    if count < 2:
        return np.zeros((count, 2))
    radius = 0.5 / sin(pi / count)
    angles = [2.0 * pi * k / count for k in range(count)]
    return np.array([(radius * cos(angle), radius * sin(angle)) for angle in angles])

"""Hits: where a moving footprint touches another, and at which angle."""

from __future__ import annotations

from math import hypot
from typing import Any, NamedTuple


class Hit(NamedTuple):
    """Where something that moves along a straight path first touches a unit."""

    item: Any
    """The unit that it touches."""
    fraction: float
    """The part of the path covered by then, 0 to 1; 0 if they touch from the start."""
    x: float
    """Where they touch, on the edge of the unit."""
    y: float
    """Where they touch, on the edge of the unit."""
    nx: float
    """The normal of that edge, of length 1; it points away from the unit."""
    ny: float
    """The normal of that edge."""


def hit_at(
    item: Any,
    fraction: float,
    way: tuple[float, float, float, float],
    half: tuple[float, float],
    unit: tuple[float, float, float, float],
) -> Hit:
    """Return the hit of a footprint on a unit after part of its path.

    `half`, like the end of `unit`, is half of a box's size, or a circle's radius and -1. The two
    touch where the position of one, relative to the other, is on the edge of a box. The size of
    that box is the sum of both sizes, and its corners are rounded by the sum of both radii.
    """
    x0, y0, x1, y1 = way
    unit_x, unit_y, unit_w, unit_h = unit
    dx, dy = x1 - x0, y1 - y0
    x, y = x0 + dx * fraction - unit_x, y0 + dy * fraction - unit_y
    mover_w, mover_h = (0.0, 0.0) if half[1] < 0 else half
    box_w, box_h = (0.0, 0.0) if unit_h < 0 else (unit_w, unit_h)
    beyond_x, beyond_y = abs(x) - (box_w + mover_w), abs(y) - (box_h + mover_h)
    rounded = (unit_h < 0 < unit_w) or (half[1] < 0 < half[0])
    if fraction > 0 and not rounded:
        nx, ny = entered_side(beyond_x, beyond_y, dx, dy)
    else:
        nx, ny = nearest_normal(beyond_x, beyond_y, side_of(x, dx), side_of(y, dy), dx, dy)
    if unit_h < 0:
        return Hit(item, fraction, unit_x + unit_w * nx, unit_y + unit_w * ny, nx, ny)
    at_x = box_w * nx if ny == 0 else middle(box_w, x - mover_w, x + mover_w)
    at_y = box_h * ny if nx == 0 else middle(box_h, y - mover_h, y + mover_h)
    return Hit(item, fraction, unit_x + at_x, unit_y + at_y, nx, ny)


def entered_side(beyond_x: float, beyond_y: float, dx: float, dy: float) -> tuple[float, float]:
    """Return the normal of the side through which a point that moves by (dx, dy) enters a box.

    The point is on the side only up to rounding, so the direction decides, not the position.
    """
    if dy == 0 or (dx != 0 and beyond_x >= beyond_y):
        return side_of(0.0, dx), 0.0
    return 0.0, side_of(0.0, dy)


def nearest_normal(
    beyond_x: float, beyond_y: float, side_x: float, side_y: float, dx: float, dy: float
) -> tuple[float, float]:
    """Return the normal of a box where it is nearest to a point.

    The point is given by its distances beyond the sides, negative inside. Inside, it is the normal
    of the nearest side; of several, the one that the point moves against.
    """
    if beyond_x > 0 and beyond_y > 0:  # at a corner
        length = hypot(beyond_x, beyond_y)
        return side_x * (beyond_x / length), side_y * (beyond_y / length)
    if beyond_x > beyond_y or (beyond_x == beyond_y and side_x * dx <= side_y * dy):
        return side_x, 0.0
    return 0.0, side_y


def side_of(place: float, step: float) -> float:
    """Return the side of 0 that a place is on, -1.0 or 1.0; at 0, the side that it came from."""
    if place != 0:
        return 1.0 if place > 0 else -1.0
    return -1.0 if step > 0 else 1.0


def middle(half: float, low: float, high: float) -> float:
    """Return the middle of the intersection of -half .. half and low .. high."""
    return (max(-half, min(low, half)) + max(-half, min(high, half))) / 2

"""Hits: where a footprint touches another, at which angle, and how deep."""

from __future__ import annotations

from typing import Any, NamedTuple


class Hit(NamedTuple):
    """Where something touches a unit: on a straight path, or where it stands."""

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
    depth: float
    """How deep they stand in one another at the start: the way along the normal until they only
    touch. 0 if they meet later."""

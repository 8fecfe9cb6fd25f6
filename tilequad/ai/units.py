"""What the room asks of a tree: six verbs, so that a game may put something else in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

__all__ = ["Units"]


class Units(Protocol):
    """The verbs of `DynamicQuadtree` that this room calls, as it calls them.

    For type checkers, and for those who wrap a tree (to measure it, to check it against brute
    force): whatever has these verbs and means the same by them will do.
    """

    def __contains__(self, item: Any, /) -> bool:
        """Whether a unit is there: who is not is dead to targets and claims."""

    def position(self, item: Any, /) -> tuple[float, float]:
        """Where a unit stands; KeyError if it does not."""

    def move(self, item: Any, x: float, y: float, /) -> None:
        """Put a unit elsewhere."""

    def within(
        self,
        x: float,
        y: float,
        radius: float,
        /,
        *,
        groups: int | None,
        min_radius: float,
        exclude: Any,
    ) -> list[Any]:
        """Who stands in a ring."""

    def nearest(
        self,
        x: float,
        y: float,
        /,
        *,
        groups: int | None,
        min_distance: float,
        max_distance: float,
        exclude: Any,
        where: Callable[[Any], bool] | None,
    ) -> Any:
        """Who is nearest, or None; ties go to the one added first."""

    def pairs(self, groups: int | None, /) -> list[tuple[Any, Any]]:
        """Who touches whom, in the order of adding."""

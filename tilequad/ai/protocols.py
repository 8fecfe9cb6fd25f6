"""The methods that this package calls on what you pass in, for type checkers.

Any object with these methods and their meaning will do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tilequad.quadtree import StaticQuadtree

__all__ = [
    "Course",
    "DistanceField",
    "ManySights",
    "MergedWalls",
    "Sight",
    "SpatialIndex",
    "WallHits",
]


class SpatialIndex(Protocol):
    """The methods that `Targeting` calls on the tree.

    `DynamicQuadtree` has them. So may a wrapper that times each query: an object with these
    methods and their meaning, and with the tree itself in its attribute `tree`, which is read once.
    `Claims`, `GoalSearch`, `Damage`, `Projectiles`, `Lead` and `pack` take it, too, but ask its
    tree.
    """

    def __contains__(self, item: Any, /) -> bool:
        """Whether the unit is in the index. Targets end when this turns False."""

    def position(self, item: Any, /) -> tuple[float, float]:
        """Return the unit's position; raise KeyError for an unknown unit."""

    def slot(self, item: Any, /) -> int:
        """Return the unit's slot; raise KeyError for an unknown unit."""

    def items(self, slots: NDArray[np.int32], /) -> list[Any]:
        """Return the units in some slots."""

    def within(
        self,
        x: float,
        y: float,
        radius: float,
        /,
        *,
        groups: int | None,
        without: int | None,
        min_radius: float,
        exclude: Any,
    ) -> list[Any]:
        """Return the units with positions between `min_radius` and `radius` from a point.

        With `to_edge=True`, which `Targeting` only passes if it has it, by their footprints.
        """

    def nearest(
        self,
        x: float,
        y: float,
        /,
        *,
        groups: int | None,
        without: int | None,
        min_distance: float,
        max_distance: float,
        exclude: Any,
        where: Callable[[Any], bool] | None,
    ) -> Any:
        """Return the nearest unit, or None. Ties go to the unit added first."""


class MergedWalls(Protocol):
    """The method that `separate` calls on walls. `Walls` of `tilequad.nav` has it."""

    def merged(self) -> StaticQuadtree:
        """Return the walls merged into a few large boxes."""


class WallHits(Protocol):
    """The method that `Projectiles` calls on what stops looks. `LineOfSight` has it."""

    def hit_many(
        self, xy0: NDArray[np.float64], xy1: NDArray[np.float64], /
    ) -> tuple[NDArray[np.float64], Any]:
        """Return how far along lines between points, (n, 2) each, a wall is, (n,); inf if none.

        Only the first of what it returns is read.
        """


class Sight(Protocol):
    """The method that `Targeting` calls to test a line of sight."""

    def clear(self, x0: float, y0: float, x1: float, y1: float, /) -> bool:
        """Return whether nothing blocks the line from (x0, y0) to (x1, y1)."""


class ManySights(Protocol):
    """The method that `RangeEvents` calls to test lines of sight. `LineOfSight` has it."""

    def clear_many(
        self, xy0: NDArray[np.float64], xy1: NDArray[np.float64], /
    ) -> NDArray[np.bool_]:
        """Return whether nothing blocks the line between points, (n, 2) each: (n,) bool."""


class Course(Protocol):
    """The method that `intercept` calls to follow a target. A `Field` of `tilequad.nav` has it."""

    def advance_many(
        self, xy: NDArray[np.float64], step: NDArray[np.float64], /
    ) -> NDArray[np.float64]:
        """Return where walkers are, (n, 2), that go on from points, (n, 2), by steps, (n,)."""


class DistanceField(Protocol):
    """The method that `GoalSearch` calls to measure a walk. A `Field` of `tilequad.nav` has it."""

    def distance_many(self, xy: NDArray[np.float64], /) -> NDArray[np.float64]:
        """Return walking distances from points, (n, 2), to the field's goals; inf if none."""


def __dir__() -> list[str]:
    """List the public names."""
    return list(__all__)

"""The one box type: an axis-aligned rectangle in world units."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

__all__ = ["Bounds"]


class Bounds(NamedTuple):
    """A closed axis-aligned box: its edges and corners belong to it.

    A plain tuple of four floats, so any sequence of four numbers compares and unpacks like it.

    Example:
        >>> view = Bounds(0, 0, 640, 360)
        >>> view.width, view.center
        (640, (320.0, 180.0))
        >>> view.overlaps((640, 0, 700, 10))
        True
    """

    min_x: float
    min_y: float
    max_x: float
    max_y: float

    @classmethod
    def of(cls, value: Sequence[float], name: str = "bounds") -> Bounds:
        """Check four numbers at the door and return them as Bounds.

        Args:
            value: Four numbers: min_x, min_y, max_x, max_y.
            name: What the caller calls the value, for the error message.

        Raises:
            ValueError: Not four numbers, one of them not finite, or a minimum above its maximum.
        """
        try:
            min_x, min_y, max_x, max_y = (float(number) for number in value)
        except (TypeError, ValueError):
            raise ValueError(f"{name} must be four numbers, got {value!r}") from None
        if not (isfinite(min_x) and isfinite(min_y) and isfinite(max_x) and isfinite(max_y)):
            raise ValueError(f"{name} must be finite, got {value!r}")
        if min_x > max_x or min_y > max_y:
            raise ValueError(f"{name} must have min <= max, got {value!r}")
        return cls(min_x, min_y, max_x, max_y)

    @property
    def width(self) -> float:
        """Extent along x, in world units."""
        return self.max_x - self.min_x

    @property
    def height(self) -> float:
        """Extent along y, in world units."""
        return self.max_y - self.min_y

    @property
    def center(self) -> tuple[float, float]:
        """The middle point, (x, y)."""
        return (self.min_x + self.max_x) / 2, (self.min_y + self.max_y) / 2

    def overlaps(self, other: Sequence[float]) -> bool:
        """Whether the two closed boxes share a point; touching counts."""
        min_x, min_y, max_x, max_y = other
        return (
            self.min_x <= max_x
            and min_x <= self.max_x
            and self.min_y <= max_y
            and min_y <= self.max_y
        )

    def contains(self, x: float, y: float) -> bool:
        """Whether the point lies in the closed box."""
        return self.min_x <= x <= self.max_x and self.min_y <= y <= self.max_y

    def shifted(self, dx: float, dy: float) -> Bounds:
        """The same box moved by (dx, dy)."""
        return Bounds(self.min_x + dx, self.min_y + dy, self.max_x + dx, self.max_y + dy)

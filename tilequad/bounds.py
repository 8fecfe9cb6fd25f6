"""Bounds: the box type of this package, an axis-aligned rectangle in world units."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from reprlib import repr as shown
from typing import NamedTuple

__all__ = ["Bounds"]


class Bounds(NamedTuple):
    """A closed axis-aligned box: its edges and corners belong to it.

    A tuple of four numbers: it unpacks, compares and hashes like `(min_x, min_y, max_x, max_y)`.
    The constructor checks nothing; `Bounds.of` does.

    Attributes:
        min_x: Left edge, in world units.
        min_y: Bottom edge where y points up, top edge where y points down.
        max_x: Right edge.
        max_y: The edge opposite `min_y`.

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
        """Check four numbers and return them as Bounds.

        Args:
            value: Four numbers: min_x, min_y, max_x, max_y.
            name: The name of the argument, for the error message.

        Raises:
            ValueError: Not four numbers, a number that is not finite, or a minimum above its
                maximum.

        Example:
            >>> Bounds.of([0, 0, 640, 360])
            Bounds(min_x=0.0, min_y=0.0, max_x=640.0, max_y=360.0)
        """
        try:  # fast path: usually all is well, and every frame calls this
            min_x, min_y, max_x, max_y = value
            if -inf < min_x <= max_x < inf and -inf < min_y <= max_y < inf:
                if type(value) is cls:
                    return value
                return cls(float(min_x), float(min_y), float(max_x), float(max_y))
        except (OverflowError, TypeError, ValueError):
            pass  # the errors are raised below
        try:
            min_x, min_y, max_x, max_y = (float(number) for number in value)
        except (OverflowError, TypeError, ValueError):
            raise ValueError(f"{name} must be four numbers, got {shown(value)}") from None
        if not (isfinite(min_x) and isfinite(min_y) and isfinite(max_x) and isfinite(max_y)):
            raise ValueError(f"{name} must be finite, got {shown(value)}")
        if min_x > max_x or min_y > max_y:
            raise ValueError(f"{name} must have min <= max, got {shown(value)}")
        return cls(min_x, min_y, max_x, max_y)

    @property
    def width(self) -> float:
        """Width in world units."""
        return self.max_x - self.min_x

    @property
    def height(self) -> float:
        """Height in world units."""
        return self.max_y - self.min_y

    @property
    def center(self) -> tuple[float, float]:
        """The center, (x, y)."""
        return (self.min_x + self.max_x) / 2, (self.min_y + self.max_y) / 2

    def overlaps(self, other: Sequence[float]) -> bool:
        """Return whether the two closed boxes share a point; touching boxes overlap."""
        min_x, min_y, max_x, max_y = other
        return (
            self.min_x <= max_x
            and min_x <= self.max_x
            and self.min_y <= max_y
            and min_y <= self.max_y
        )

    def contains(self, x: float, y: float) -> bool:
        """Return whether the point lies in the closed box."""
        return self.min_x <= x <= self.max_x and self.min_y <= y <= self.max_y

    def shifted(self, dx: float, dy: float) -> Bounds:
        """Return the box moved by (dx, dy)."""
        return Bounds(self.min_x + dx, self.min_y + dy, self.max_x + dx, self.max_y + dy)

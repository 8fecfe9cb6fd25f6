"""Spreading work over the ticks: the same interval for all, another moment for each."""

from __future__ import annotations

from math import floor, isfinite

from tilequad.ai._checks import at_least

__all__ = ["Beat", "Pace"]

# Multiples of the golden ratio, without their whole part, fill 0 .. 1 evenly however many there
# are: whoever joins falls into one of the widest gaps that are left.
GOLDEN = 0.6180339887498949


class Pace:
    """An interval that many share, each with a beat of their own in it.

    A thousand towers that look for a target every six ticks should not all look in the same one.
    Each joins the pace once and keeps its `Beat`, which says when it is due. The beats are spread
    evenly in the order of joining, without chance, so a replay does the same work in the same tick.

    Args:
        every: Ticks or seconds between two beats, in the unit of the `now` that beats are asked
            with; 0 means every time.

    Raises:
        ValueError: `every` is negative, infinite or NaN.

    Example:
        >>> from tilequad.ai import Pace
        >>> pace = Pace(every=5)
        >>> beats = [pace.join() for _ in range(100)]
        >>> [sum(beat.due(tick) for beat in beats) for tick in range(8)]
        [100, 19, 20, 20, 20, 21, 19, 20]
    """

    def __init__(self, every: float) -> None:
        self.every = at_least(0, every, "every")
        self._joined = 0

    def join(self) -> Beat:
        """Return a beat of one's own, as far from those of the others as can be."""
        offset = self._joined * GOLDEN % 1.0
        self._joined += 1
        return Beat(self.every, offset)


class Beat:
    """Whose turn it is and when: one member's place in a `Pace`, made by `Pace.join`."""

    __slots__ = ("_every", "_offset", "_turn")

    def __init__(self, every: float, offset: float) -> None:
        self._every = every
        self._offset = offset
        self._turn: int | None = None

    def due(self, now: float) -> bool:
        """Whether a beat has come since the last call; the first call is always due.

        Asking uses the beat up: the next True is one beat later. Beats that were slept through
        count once, so a pause is not followed by a rush.

        Args:
            now: The game's clock, in ticks or seconds.

        Raises:
            ValueError: `now` is infinite or NaN.

        Example:
            >>> from tilequad.ai import Pace
            >>> lookout = Pace(every=3).join()
            >>> [tick for tick in range(10) if lookout.due(tick)]
            [0, 3, 6, 9]
        """
        if not isfinite(now):
            raise ValueError(f"now must be finite, got {now!r}")
        if self._every == 0:
            return True
        turn = floor(now / self._every + self._offset)
        if turn == self._turn:
            return False
        self._turn = turn
        return True

"""Stagger recurring work: one interval for all, a different tick for each."""

from __future__ import annotations

from math import floor, isfinite

from tilequad.ai._checks import checked_at_least

__all__ = ["Stagger", "Ticker"]

# The fractional parts of multiples of the golden ratio fill 0 .. 1 evenly for any count: each new
# one falls into one of the widest gaps (three-distance theorem; Knuth, The Art of Computer
# Programming 3, section 6.4).
GOLDEN_RATIO = 0.6180339887498949


class Stagger:
    """Share one interval among many tickers, each with its own offset.

    A thousand towers that look for a target every six ticks should not all look in the same tick.
    Give each tower a `Ticker` and ask it every tick whether the tower is due. Offsets depend only
    on the order in which the tickers were made, so a replay does the same work in the same tick.

    Args:
        every: The interval, in ticks or seconds: the unit of the `now` passed to `Ticker.due`.
            0 means always due.

    Raises:
        ValueError: `every` is negative, infinite or NaN.

    Example:
        >>> from tilequad.ai import Stagger
        >>> stagger = Stagger(every=5)
        >>> tickers = [stagger.ticker() for _ in range(100)]
        >>> [sum(ticker.due(tick) for ticker in tickers) for tick in range(8)]
        [100, 19, 20, 20, 20, 21, 19, 20]
    """

    def __init__(self, every: float) -> None:
        self.every = checked_at_least(0, every, "every")
        self._count = 0

    def __repr__(self) -> str:
        return f"<Stagger every {self.every:g}: {self._count} tickers>"

    def ticker(self) -> Ticker:
        """Make a ticker, its offset as far from the earlier ones as possible."""
        offset = self._count * GOLDEN_RATIO % 1.0
        self._count += 1
        return Ticker(self.every, offset)


class Ticker:
    """Say when one member of a `Stagger` is due. Made by `Stagger.ticker`."""

    __slots__ = ("_every", "_interval", "_offset")

    def __init__(self, every: float, offset: float) -> None:
        self._every = every
        self._offset = offset
        self._interval: int | None = None

    def __repr__(self) -> str:
        return f"<Ticker every {self._every:g}, offset {self._offset:.3f}>"

    def due(self, now: float) -> bool:
        """Return whether a new interval has begun since the last call. The first call returns True.

        After True, the next True comes one interval later. Missed intervals count once, so a pause
        is not followed by a burst.

        Args:
            now: The game's clock, in ticks or seconds.

        Raises:
            ValueError: `now` is infinite or NaN.

        Example:
            >>> from tilequad.ai import Stagger
            >>> lookout = Stagger(every=3).ticker()
            >>> [tick for tick in range(10) if lookout.due(tick)]
            [0, 3, 6, 9]
        """
        if not isfinite(now):
            raise ValueError(f"now must be finite, got {now!r}")
        if self._every == 0:
            return True
        interval = floor(now / self._every + self._offset)
        if interval == self._interval:
            return False
        self._interval = interval
        return True

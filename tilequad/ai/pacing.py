"""Spread work over the ticks: by one interval for all, or by a number of turns in each tick."""

from __future__ import annotations

from math import floor, isfinite
from typing import Any

from tilequad.ai._checks import checked_at_least, whole

__all__ = ["Stagger", "Ticker", "Turn", "Turns"]

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
        offset = beat_offset(self._count)
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


def beat_offset(number: Any) -> Any:
    """The offset of a ticker, in intervals, by its number; of many, where it is an array."""
    return number * GOLDEN_RATIO % 1.0


class Turns:
    """Let a given number of members a tick have their turn, those that wait longest first.

    A thousand villagers whose trees are felled in one tick should not all search in the next one.
    Give each a `Turn` and ask it until it is due: then it goes to the end of the line. Members that
    ask in every tick are served in a fixed rotation; members that ask only when they need something
    are served in the order of their first asking. What a tick leaves over is not saved up.

    Args:
        per_tick: How many turns there are in a tick, at least 1.

    Raises:
        TypeError: `per_tick` is no whole number.
        ValueError: `per_tick` is below 1.

    Example:
        >>> from tilequad.ai import Turns
        >>> turns = Turns(per_tick=2)
        >>> line = {name: turns.turn() for name in ("anna", "bert", "carl", "dora", "emil")}
        >>> for tick in range(3):
        ...     print([name for name, turn in line.items() if turn.due(tick)])
        ['anna', 'bert']
        ['carl', 'dora']
        ['anna', 'emil']
    """

    def __init__(self, per_tick: int) -> None:
        if whole(per_tick, "per_tick") < 1:
            raise ValueError(f"per_tick must be at least 1, got {per_tick!r}")
        self.per_tick = per_tick
        self._line = Line(per_tick)

    def __repr__(self) -> str:
        return f"<Turns, {self.per_tick} a tick>"

    def turn(self) -> Turn:
        """Make the place of one member. It joins the line when it is first asked."""
        return Turn(self._line)


class Turn:
    """Say when one member of a `Turns` is due. Made by `Turns.turn`."""

    __slots__ = ("_line", "_ticket")

    def __init__(self, line: Line) -> None:
        self._line = line
        self._ticket: int | None = None

    def __repr__(self) -> str:
        return f"<Turn, {'not in line' if self._ticket is None else 'in line'}>"

    def due(self, now: float) -> bool:
        """Join the line, if it is not in it, and return whether its turn has come.

        After True it has left the line; the next call joins it again.

        Args:
            now: The game's clock; another value is another tick.

        Raises:
            ValueError: `now` is infinite or NaN.
        """
        if not isfinite(now):
            raise ValueError(f"now must be finite, got {now!r}")
        self._line.begin(now)
        if self._ticket is None:
            self._ticket = self._line.take(1)
        if self._ticket >= self._line.limit:
            return False
        self._ticket = None
        return True


class Line:
    """Numbered tickets, and how far they are called: `per_tick` further in each tick.

    Nobody has to leave the line: the ticket of one who died is called like any other, and lapses.
    """

    __slots__ = ("_now", "limit", "next", "per_tick")

    def __init__(self, per_tick: float) -> None:
        self.per_tick = per_tick
        self.limit = 0.0  # tickets below it are called
        self.next = 0  # the next ticket
        self._now: float | None = None

    def begin(self, now: float) -> None:
        """Call more tickets, if `now` is another tick."""
        if now != self._now:
            self._now = now
            self.limit = min(self.limit, self.next) + self.per_tick

    def take(self, count: int) -> int:
        """Take tickets with consecutive numbers; return the first."""
        first = self.next
        self.next += count
        return first

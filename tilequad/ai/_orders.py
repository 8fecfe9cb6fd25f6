"""What a `March` remembers: orders, and a row for each unit that has one. Nothing here changes.

Ranks are a formation on its way, which walks as its slowest, and turns where its way turns. Its
middle, the anchor, follows the field. In a gap nobody sees its post, so all go by the field, one
behind the other (`Marchers.fall_in`), while the anchor slows (`pace_share`); behind it they see
their posts again.

A step makes new rows from old ones and puts them in their place at the end. So what is interrupted
is as before, and a saved march goes on as the one it was saved from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import hypot, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import Bools, Floats, Ints
from tilequad.nav import Field

# What a unit does, as compiled code knows it: see `tilequad/_core/army/marchers.py`.
GOING, HOMING, PATHING, RESTING, LOST, RANKED = range(6)
WAYFARERS = GOING, HOMING, PATHING, RANKED
EASE = 0.05  # of the spacing: how far they may lag, as root mean square, at full pace
HASTE = 0.6  # how much slower the anchor goes for each spacing that they lag behind further
LEAST = 0.25  # of the pace: the anchor always goes on, so nobody is waited for in vain
TURN = 0.5  # of the pace: how fast the outermost are led around


class FormationPose(NamedTuple):
    """Where a formation is: its middle, which follows the field; and a unit vector, its front."""

    x: float
    y: float
    dx: float
    dy: float

    def posts(self, offsets: Floats) -> Floats:
        """Where those with some offsets, x to the front and y to the left, are to be."""
        found = np.empty_like(offsets)
        found[:, 0] = self.x + (offsets[:, 0] * self.dx - offsets[:, 1] * self.dy)
        found[:, 1] = self.y + (offsets[:, 0] * self.dy + offsets[:, 1] * self.dx)
        return found

    def offsets(self, away: Floats) -> Floats:
        """Return the offsets of posts that lie at some vectors from the middle, in world axes."""
        found = np.empty_like(away)
        found[:, 0] = away[:, 0] * self.dx + away[:, 1] * self.dy
        found[:, 1] = away[:, 1] * self.dx - away[:, 0] * self.dy
        return found

    def advanced(self, field: Field, pace: float, extent: float) -> FormationPose:
        """The ranks after a step along a field, turned toward where they walk."""
        x, y = field.advance(self.x, self.y, pace)
        step_x, step_y = x - self.x, y - self.y
        far = hypot(step_x, step_y)
        if far == 0.0:
            return self
        return self.turned(step_x / far, step_y / far, TURN * pace / extent)._replace(x=x, y=y)

    def turned(self, dx: float, dy: float, most: float) -> FormationPose:
        """The ranks, turned toward a direction by a step on the unit circle."""
        away_x, away_y = dx - self.dx, dy - self.dy
        away = hypot(away_x, away_y)
        if away <= most:
            return self._replace(dx=dx, dy=dy)
        if dx * self.dx + dy * self.dy < -0.99:  # about turn: to the left
            away_x, away_y, away = -self.dy, self.dx, 1.0
        to_x, to_y = self.dx + away_x * (most / away), self.dy + away_y * (most / away)
        length = hypot(to_x, to_y)
        if length == 0.0:
            return self._replace(dx=dx, dy=dy)
        return self._replace(dx=to_x / length, dy=to_y / length)


def pace_share(lags: Floats, spacing: float) -> float:
    """Return the share of full pace for ranks whose members lag behind their posts by `lags`."""
    if not len(lags):
        return 1.0
    near = np.minimum(lags, 8.0 * spacing)
    behind = sqrt(float((near * near).mean())) / spacing
    return min(max(1.0 - HASTE * (behind - EASE), LEAST), 1.0)


class Wish(NamedTuple):
    """What a game asks for: see `March.send`."""

    goal: tuple[float, float]
    formation: str | tuple[tuple[float, float], ...] | None
    spacing: float | None
    paced: bool


class Leader(NamedTuple):
    """The unit that an order goes after."""

    slot: int
    serial: int
    radius: float


class Order(NamedTuple):
    """What a group was told.

    Attributes:
        wish: What the game asked for.
        goal: The center of the group's places: the nearest to the wish that is open.
        spacing: How far apart the places are.
        extent: The radius of the circle around all places.
        ranks: Where the formation is that they keep on their way; None for none.
        leader: Whom they follow, or chase if they have no ranks; None for nobody.
        former: The goal before, while its field leads those whom the new one has not reached yet;
            None before the first.
        points: Between which they patrol, in turn; empty for an order that ends at its goal.
        leg: To which of the points they go.
    """

    wish: Wish
    goal: tuple[float, float]
    spacing: float
    extent: float
    ranks: FormationPose | None
    leader: Leader | None = None
    former: tuple[float, float] | None = None
    points: tuple[tuple[float, float], ...] = ()
    leg: int = 0

    @property
    def is_guided(self) -> bool:
        """Whether its units do more than go to their places, each at its own pace."""
        return bool(self.wish.paced or self.ranks or self.leader or self.points)


def chases_of(orders: Sequence[Order | None], guided: Iterable[int]) -> list[int]:
    """The numbers of those guided orders whose units run after another one, to no own places."""
    own = ((number, orders[number]) for number in guided)
    return [number for number, order in own if order and order.leader and order.ranks is None]


class Band(NamedTuple):
    """The rows, from the first to one before the end, of the units with one order and room."""

    number: int
    room: int
    first: int
    end: int


class Rows(NamedTuple):
    """The units under orders, a row each, sorted by order, room and slot.

    Attributes:
        slots: The slot of each.
        serials: Its serial: the order ends with the life.
        orders: The number of its order.
        rooms: How much room it needs: see `Ways`.
        modes: What it does.
        told: Whether its arrival was told.
        stalled: For about how many steps it has got nowhere.
        veers: For how many more steps it keeps to the right of its way.
        places: Where it is to stand in the end.
        aims: The next corner on its own path; for who goes by a field, where it was at the last
            review.
        offsets: Its post in a formation, from the middle: x to the front and y to the left.
        parts: The part of its group in which it may still change places; 0 for none.
    """

    slots: Ints
    serials: NDArray[np.int64]
    orders: Ints
    rooms: Ints
    modes: NDArray[np.uint8]
    told: Bools
    stalled: Ints
    veers: Ints
    places: Floats
    aims: Floats
    offsets: Floats
    parts: Ints

    def take(self, which: NDArray[np.intp] | Bools) -> Rows:
        """Some of the rows."""
        return Rows._make(column[which] for column in self)

    def joined(self, others: Rows) -> Rows:
        """These rows and others, in order."""
        pairs: Any = zip(self, others, strict=True)
        both = Rows._make(map(np.concatenate, pairs))
        order = np.argsort(both.keys(), kind="stable")  # few runs, each in order: quickly merged
        return both.take(order)

    def keys(self) -> NDArray[np.int64]:
        """What the rows are sorted by; those with one order and room come by slot."""
        return self.orders.astype(np.int64) << 32 | self.rooms

    def copied(self) -> Rows:
        """Rows of their own to write to; what a unit is stays shared."""
        return Rows._make((*self[:4], *(column.copy() for column in self[4:])))

    def staying(self, chases: Sequence[int]) -> Bools:
        """Which stay where they are, not at their places: the stuck, and who has caught another.

        `chases` are the numbers of the orders to chase one.
        """
        found: Bools = (self.modes == RESTING) & np.isin(self.orders, chases)
        found |= self.modes == LOST
        return found

    def columns(self) -> tuple[memoryview, ...]:
        """The columns that compiled code reads and writes: all but the serials and parts."""
        return self.slots.data, *(
            one.view(np.uint8).data if one.dtype == bool else one.data for one in self[2:-1]
        )

    def bands(self) -> list[Band]:
        """The rows of each order and room."""
        if not len(self.slots):
            return []
        keys = self.keys()
        firsts = np.append(0, 1 + np.flatnonzero(keys[1:] != keys[:-1]))
        ends = [*firsts[1:].tolist(), len(keys)]
        return [
            Band(key >> 32, key & 0xFFFFFFFF, first, end)
            for key, first, end in zip(keys[firsts].tolist(), firsts.tolist(), ends, strict=True)
        ]


NO_ROWS = Rows(
    np.empty(0, np.int32),
    np.empty(0, np.int64),
    np.empty(0, np.int32),
    np.empty(0, np.int32),
    np.empty(0, np.uint8),
    np.empty(0, np.bool_),
    np.empty(0, np.int32),
    np.empty(0, np.int32),
    np.empty((0, 2)),
    np.empty((0, 2)),
    np.empty((0, 2)),
    np.empty(0, np.int32),
)

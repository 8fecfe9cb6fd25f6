"""One step of all shots in flight: where each flies, what it touches, how it ends."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.army.projectiles import Touches, fly, turn, write_walls
from tilequad._core.arrays import MAX_DISTANCE
from tilequad.ai._walls import solids_of
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.dynamic import store_of

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]
Slots: TypeAlias = NDArray[np.int32]
Rows: TypeAlias = NDArray[np.intp]

NONE = -1

# The columns of a shot. What a step changes: the place, the direction, which has the length 1, or 0
# for a shot that stands, and how long it still lives, and flies over everything.
X, Y, UX, UY, LIFE, DELAY, MOVING = range(7)
# What stays: reals, and whole numbers. SENT is its number in `Damage`.
SPEED, RADIUS, SPLASH, AMOUNT, TRAITS = range(5)
NUMBER, PIERCE, GROUPS, WITHOUT, TARGET, SERIAL, HOMING, SENT, INTS = range(9)

# What happens to a shot.
PIERCED, STOPPED, WALL, SPENT, SPLASHED = range(5)


class State(NamedTuple):
    """The shots in flight, in the order of firing. Never changed, only replaced."""

    moving: Floats
    traits: Floats
    ints: Numbers
    past: Numbers
    """Who was hit already: rows of the number of a shot and the serial of a unit, by number."""
    next: int

    @classmethod
    def empty(cls) -> State:
        """No shots."""
        floats = np.empty((0, MOVING)), np.empty((0, TRAITS))
        return cls(*floats, np.empty((0, INTS), np.int64), np.empty((0, 2), np.int64), 0)

    def without(self, over: NDArray[np.bool_]) -> State:
        """The state without some shots."""
        if not over.any():
            return self
        kept = np.flatnonzero(~over)
        past = self.past[~np.isin(self.past[:, 0], self.ints[over, NUMBER])]
        moving, traits = self.moving.take(kept, 0), self.traits.take(kept, 0)
        return State(moving, traits, self.ints.take(kept, 0), past, self.next)

    def extended(self, new: State) -> State:
        """The state with more shots."""
        return State(
            np.concatenate((self.moving, new.moving)),
            np.concatenate((self.traits, new.traits)),
            np.concatenate((self.ints, new.ints)),
            np.concatenate((self.past, new.past)),
            new.next,
        )


class Hits(NamedTuple):
    """What is hit: the rows of the shots, slots or -1, shares of their ways, and what happens."""

    rows: Rows
    slots: Slots
    at: Floats
    kinds: NDArray[np.int8]


class Flight:
    """A step. Nothing changes before its end, which the caller takes over.

    Args:
        tree: The units.
        state: The shots.
        time: How long they fly.
        walls: What stops them, or None.
    """

    def __init__(self, tree: DynamicQuadtree[Any], state: State, time: float, walls: Any) -> None:
        self.tree, self.state, self.time = tree, state, time
        n = len(state.ints)
        self.moving, self.ways, self.shares = state.moving.copy(), np.empty((n, 4)), np.empty(n)
        homing = (state.ints[:, column] for column in (HOMING, TARGET, SERIAL))
        turn(store_of(tree), self.moving, *homing)
        fly(self.moving, state.traits[:, SPEED], time, self.ways, self.shares)
        if n and not max(self.ways.max(), -self.ways.min()) <= MAX_DISTANCE:
            raise ValueError(f"time must not lead shots farther than {MAX_DISTANCE:g}, got {time}")
        self._meet(walls)
        touched = self._touches()
        self._end(touched)
        self.hits = [touched, self._ended(), self._splashed(touched)]

    def _meet(self, walls: Any) -> None:
        """Cut the ways at walls; those of shots that fly over all have a share of -1."""
        if walls is None:
            return
        if callable(getattr(walls, "hit_many", None)):
            met = np.asarray(walls.hit_many(self.ways[:, :2], self.ways[:, 2:])[0])
            self.shares = np.where(self.shares >= 0.0, met, -1.0)
        else:
            write_walls(solids_of(walls), self.ways, self.shares)

    def _touches(self) -> Hits:
        """Return whom shots hit by touching them; each one more than it pierces at most."""
        state, store = self.state, store_of(self.tree)
        numbers = np.append(state.ints[:, NUMBER], state.next)
        starts = np.searchsorted(state.past[:, 0], numbers)
        pierce, groups, without = (state.ints[:, k] for k in (PIERCE, GROUPS, WITHOUT))
        shots = state.traits[:, RADIUS], pierce, groups, without
        past = np.ascontiguousarray(state.past[:, 1])
        rows, slots, at = Touches(self.ways, self.shares, shots, starts, past).find(store)
        order = np.lexsort((store.orders(slots), at, rows))
        rows, slots, at = rows[order], slots[order], at[order]
        rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
        kept = rank <= pierce[rows]
        kinds = np.where(rank == pierce[rows], STOPPED, PIERCED).astype(np.int8)
        return Hits(rows[kept], slots[kept], at[kept], kinds[kept])

    def _end(self, touched: Hits) -> None:
        """Find out which shots end, how and where: after which share of their ways."""
        n = len(self.shares)
        stops = touched.kinds == STOPPED
        self.ends = np.ones(n)
        self.how = np.full(n, PIERCED, np.int8)  # it flies on
        self.how[self.moving[:, LIFE] <= 0.0] = SPENT
        met = np.flatnonzero((self.shares >= 0.0) & (self.shares <= 1.0))
        self.how[met], self.ends[met] = WALL, self.shares[met]
        self.how[touched.rows[stops]], self.ends[touched.rows[stops]] = STOPPED, touched.at[stops]
        self.over = self.how != PIERCED

    def _ended(self) -> Hits:
        """Return the shots that end at no unit."""
        rows = np.flatnonzero(self.how > STOPPED)
        nobody = np.full(len(rows), NONE, np.int32)
        return Hits(rows, nobody, self.ends[rows], self.how[rows])

    def _splashed(self, touched: Hits) -> Hits:
        """Return whom shots hit by their splash, where they end."""
        state = self.state
        burst = np.flatnonzero(self.over & (state.traits[:, SPLASH] > 0.0))
        if not len(burst):
            return Hits(burst, *(np.empty(0, kind) for kind in (np.int32, float, np.int8)))
        groups, without = (state.ints[burst, k] & 0xFFFFFFFF for k in (GROUPS, WITHOUT))
        places, radii = self.places(burst, self.ends[burst]), state.traits[burst, SPLASH]
        # Not what a subclass may answer: the slots are trusted.
        offsets, slots = DynamicQuadtree.within_many(
            self.tree, places, radii, groups=groups, without=without
        )
        rows = np.repeat(burst, np.diff(offsets))
        past = set(map(tuple, state.past.tolist())) | set(self._pairs(touched.rows, touched.slots))
        new = np.array([pair not in past for pair in self._pairs(rows, slots)], np.bool_)
        rows, slots = rows[new], slots[new]
        return Hits(rows, slots, self.ends[rows], np.full(len(rows), SPLASHED, np.int8))

    def _pairs(self, rows: Rows, slots: Slots) -> list[tuple[int, int]]:
        """The numbers of shots with the serials of units."""
        serials = self.tree.serial_many(slots).tolist()
        return list(zip(self.state.ints[rows, NUMBER].tolist(), serials, strict=True))

    def places(self, rows: Rows, at: Floats) -> Floats:
        """Return where shots are after a share of their ways, (n, 2)."""
        starts = self.ways[rows, :2]
        places: Floats = starts + (self.ways[rows, 2:] - starts) * at[:, None]
        return places

    # -- what comes of it ---

    def impacts(self) -> tuple[Any, ...]:
        """Return all that is hit, in order: numbers, slots, times, places, damage and kinds."""
        rows, slots, at, kinds = map(np.concatenate, zip(*self.hits, strict=True))
        until = np.minimum(self.time, self.state.moving[rows, LIFE])
        over = np.minimum(self.state.moving[rows, DELAY], until)
        times = over + (until - over) * at
        step = np.maximum(kinds, STOPPED)  # of one shot: touches, its end, its splash
        order = np.lexsort((store_of(self.tree).orders(slots), step, rows, times))
        rows = rows[order]
        return (
            self.state.ints[rows, NUMBER],
            slots[order],
            times[order],
            self.places(rows, at[order]),
            self.state.traits[rows, AMOUNT],
            kinds[order],
        )

    def landed(self) -> Rows:
        """Return the rows of the shots that have hit their targets, or have ended."""
        landed = self.over.copy()
        for rows, slots, _, _ in self.hits:
            serials = self.tree.serial_many(slots)
            landed[rows[(serials >= 0) & (serials == self.state.ints[rows, SERIAL])]] = True
        return np.flatnonzero(landed)

    def after(self) -> State:
        """Return the shots that fly on, with nothing sent for those that landed."""
        rows, slots, _, _ = self.hits[0]
        ints, past = self.state.ints, self.state.past
        landed, on = self.landed(), ~self.over[rows]
        if len(landed) or len(rows):
            ints = ints.copy()
            ints[landed, SENT] = NONE
            np.subtract.at(ints[:, PIERCE], rows, 1)
        if on.any():
            new = np.array(self._pairs(rows[on], slots[on]), np.int64)
            past = np.concatenate((past, new))
            past = past[np.argsort(past[:, 0], kind="stable")]
        news = State(self.moving, self.state.traits, ints, past, self.state.next)
        return news.without(self.over)

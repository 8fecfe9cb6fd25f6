"""One step of all shots in flight: where each flies, what it touches, how it ends."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilequad._core.army.projectiles import COLUMNS, Shots, Step
from tilequad._core.array_kinds import Floats, Numbers, Rows
from tilequad._core.layout import MAX_COORDINATE
from tilequad.ai._walls import shares_before, solids_of
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.dynamic import store_of

# The columns of a shot, and what happens to it: see the core.
X, Y, UX, UY, LIFE, DELAY, MOVING = COLUMNS[0]
SPEED, RADIUS, SPLASH, AMOUNT, TRAITS = COLUMNS[1]
NUMBER, PIERCE, GROUPS, WITHOUT, TARGET, SERIAL, HOMING, SENT, INTS = COLUMNS[2]
PIERCED, STOPPED, WALL, SPENT, SPLASHED = COLUMNS[3]


class Room(NamedTuple):
    """Memory for shots, a row each; a state shows the first of them.

    The system hands out large arrays page by page, which takes longer than all shots fly. So two
    rooms take turns: a step reads one, and writes the other.
    """

    moving: Floats
    traits: Floats
    ints: Numbers

    @classmethod
    def of(cls, most: int) -> Room:
        """Room for some shots."""
        return cls(
            np.empty((most, MOVING)), np.empty((most, TRAITS)), np.empty((most, INTS), np.int64)
        )


class State(NamedTuple):
    """The shots in flight, in the order of firing. Its rows never change while it is in use."""

    room: Room
    n: int
    past: Numbers
    """Who was hit already: rows of the number of a shot and the serial of a unit, in order."""
    next: int

    @classmethod
    def empty(cls) -> State:
        """No shots."""
        return cls(Room.of(0), 0, np.empty((0, 2), np.int64), 0)

    @property
    def moving(self) -> Floats:
        """What a step changes, (n, MOVING)."""
        return self.room.moving[: self.n]

    @property
    def traits(self) -> Floats:
        """Reals that stay, (n, TRAITS)."""
        return self.room.traits[: self.n]

    @property
    def ints(self) -> Numbers:
        """Whole numbers, (n, INTS)."""
        return self.room.ints[: self.n]

    def taken(self, rows: Rows | slice) -> Room:
        """Copies of some rows."""
        moving, traits, ints = self.moving[rows], self.traits[rows], self.ints[rows]
        return Room(moving.copy(), traits.copy(), ints.copy())

    def without(self, over: NDArray[np.bool_]) -> State:
        """The state without some shots."""
        past = past_without(self.past, self.ints[over, NUMBER])
        rows = np.flatnonzero(~over)
        return State(self.taken(rows), len(rows), past, self.next)

    def extended(self, new: Room, past: Numbers) -> State:
        """The state with more shots, which are written behind its own."""
        room, n = self.room, self.n + len(new.ints)
        if n > len(room.ints):
            room = Room.of(2 * n)
            for part, old in zip(room, self.room, strict=True):
                part[: self.n] = old[: self.n]
        for part, more in zip(room, new, strict=True):
            part[self.n : n] = more
        past = np.concatenate((self.past, past))
        return State(room, n, past, self.next + len(new.ints))


def past_without(past: Numbers, numbers: Numbers) -> Numbers:
    """Forget whom some shots have hit."""
    return past[~np.isin(past[:, 0], numbers)] if len(past) and len(numbers) else past


def in_order(past: Numbers) -> Numbers:
    """Sort whom shots have hit: by shot, then by unit."""
    return past[np.lexsort((past[:, 1], past[:, 0]))]


class Hits(NamedTuple):
    """What is hit: the rows of the shots, slots or -1, what happens, the times and the places."""

    rows: Rows
    slots: NDArray[np.int32]
    kinds: NDArray[np.int8]
    told: Floats
    """After which share of its way, when, and where, (n, 4)."""

    def at(self, which: Any) -> Hits:
        """Some of them."""
        return Hits(*(part[which] for part in self))

    def joined(self, more: Hits) -> Hits:
        """These and others."""
        if not len(more.rows):
            return self
        parts: Any = zip(self, more, strict=True)
        return Hits(*map(np.concatenate, parts))


class Flight:
    """A step. Nothing changes before its end, which the caller takes over.

    Shots that fly on are written to `room`, which is enough for all.
    """

    def __init__(
        self, tree: DynamicQuadtree[Any], state: State, time: float, walls: Any, room: Room
    ) -> None:
        self.tree, self.state, self.room = tree, state, room
        past, starts = np.ascontiguousarray(state.past[:, 1]), np.empty(0, np.int64)
        if len(past):
            numbers = np.append(state.ints[:, NUMBER], state.next)
            starts = np.searchsorted(state.past[:, 0], numbers)
        step = Step(Shots(state.moving, state.traits, state.ints), time, starts, past)
        solids, shares = None, np.empty(0)
        if callable(getattr(walls, "hit_many", None)):
            shares = self._shares(step, walls)
        elif walls is not None:
            solids = solids_of(walls)
        self.kept = step.fly(store_of(tree), solids, shares, Shots(*room))
        if self.kept < 0:
            raise ValueError(
                f"time must not lead shots farther than {MAX_COORDINATE:g}, got {time}"
            )
        *told, self.landed = step.events()
        self.told = Hits(*told)
        self.hits = self.told.joined(self._splashed())

    def _shares(self, step: Step, walls: Any) -> Floats:
        """Ask after which share of its way each shot meets what stops looks."""
        n = self.state.n
        ways = np.zeros((n, 4))
        if not step.write_ways(store_of(self.tree), ways):
            return np.empty(0)  # `fly` says so, too
        shares = np.ascontiguousarray(shares_before(walls, ways[:, :2], ways[:, 2:]), float)
        if shares.shape != (n,):
            raise ValueError(f"walls must tell of {n} ways, got an array of shape {shares.shape}")
        return shares

    def _splashed(self) -> Hits:
        """Return whom shots hit by their splash, where they end."""
        state = self.state
        ends = self.told.at(
            (state.traits[self.told.rows, SPLASH] > 0.0) & (self.told.kinds > PIERCED)
        )
        if not len(ends.rows):
            return ends
        groups, without = (state.ints[ends.rows, k] & 0xFFFFFFFF for k in (GROUPS, WITHOUT))
        radii = state.traits[ends.rows, SPLASH]
        # Not what a subclass may answer: the slots are trusted.
        offsets, slots = DynamicQuadtree.within_many(
            self.tree, ends.told[:, 2:], radii, groups=groups, without=without
        )
        caught = ends.at(np.repeat(np.arange(len(ends.rows)), np.diff(offsets)))
        splash = caught._replace(slots=slots, kinds=np.full(len(slots), SPLASHED, np.int8))
        return splash.at(self._are_new(caught.rows, slots))

    def _are_new(self, rows: Rows, slots: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which units the shots of some rows have not hit before, nor touched in this step."""
        past, told = self.state.past, self.told
        old = np.concatenate((past[:, 1], self.tree.serial_many(told.slots)))
        old_rows = np.concatenate(
            (np.searchsorted(self.state.ints[:, NUMBER], past[:, 0]), told.rows)
        )
        serials, old_keys = np.unique(old, return_inverse=True)
        hit = self.tree.serial_many(slots)
        at = np.searchsorted(serials, hit).clip(max=len(serials) - 1)
        known = np.flatnonzero(serials[at] == hit)
        new = np.ones(len(slots), np.bool_)
        new[known] = ~np.isin(
            rows[known] * len(serials) + at[known], old_rows * len(serials) + old_keys
        )
        return new

    # -- what comes of it ---

    def impacts(self) -> tuple[Any, ...]:
        """Return all that is hit, in order: numbers, slots, times, places, damage and kinds."""
        hits = self.hits
        step = np.maximum(hits.kinds, STOPPED)  # of one shot: touches, its end, its splash
        orders = store_of(self.tree).orders(hits.slots)
        rows, slots, kinds, told = hits.at(np.lexsort((orders, step, hits.rows, hits.told[:, 1])))
        return (
            self.state.ints[rows, NUMBER],
            slots,
            told[:, 1].copy(),
            told[:, 2:].copy(),
            self.state.traits[rows, AMOUNT],
            kinds,
        )

    def after(self) -> State:
        """Return the shots that fly on, with nothing sent for those that landed."""
        state, told = self.state, self.told
        numbers = state.ints[:, NUMBER]
        over = told.rows[told.kinds > PIERCED]
        past, on = past_without(state.past, numbers[over]), told.at(told.kinds == PIERCED)
        if len(on.rows):
            on = on.at(~np.isin(on.rows, over))
            hit = np.column_stack((numbers[on.rows], self.tree.serial_many(on.slots)))
            past = in_order(np.concatenate((past, hit)))
        return State(self.room, self.kept, past, state.next)

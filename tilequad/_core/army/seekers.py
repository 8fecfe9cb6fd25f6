"""Whom each seeker aims at, and which seekers search now: the state machine of `Targeting`.

`Stagger` uses its beats and `TickBudget` its queue; their members are seekers without targets.

A call is a `Round` of one seeker or of thousands, a row each. Its steps are

    read             who the seekers are, and which of them may keep their targets
    decide_searches  which of them search: those whose beat or ticket is due
    confirm          that the units chosen are still in the tree
    settle           write the outcome

Between the steps, functions of the game run: they refuse targets that were kept, and choose new
ones. Nothing changes before `settle`, which no signal interrupts, so an exception does no harm.
"""

from __future__ import annotations

from array import array
from math import floor, isfinite, nan
from typing import Annotated, Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.arrays import at_slots
from tilequad._core.buffers import longer, resized
from tilequad._core.layout import MAX_SLOT, NONE, begin_question, end_question
from tilequad._core.tree.rows import RowReader, need, need_all, row_from, row_of
from tilequad._core.tree.units import UnitStore, entry_of
from tilequad._core.tree.within import edge_in_ring

# The fractional parts of multiples of the golden ratio fill 0 .. 1 evenly for any count: each new
# one falls into one of the widest gaps (three-distance theorem; Knuth, The Art of Computer
# Programming 3, section 6.4).
GOLDEN_RATIO: cython.double = 0.6180339887498949

MOST_TICKETS = 2**53  # the highest one read from bytes: a double cannot tell higher ones apart

# The columns that tell of a seeker, both in `SeekerState` and in a `Round`: first those of whole
# numbers, then those of reals.
SERIAL: cython.int
TARGET: cython.int  # a slot
TARGET_SERIAL: cython.int
TICKET: cython.int
NUMBERS: cython.int  # how many columns
SERIAL, TARGET, TARGET_SERIAL, TICKET, NUMBERS = range(5)
OFFSET: cython.int  # the phase of its beat, in intervals
INTERVAL: cython.int  # the interval in which it last asked
BEATS: cython.int  # how many columns
OFFSET, INTERVAL, BEATS = range(3)

# The columns that only a `Round` has.
SLOT: cython.int
FOUND: cython.int  # the slot of the target that is kept or chosen
IS_NEW: cython.int
IS_DUE: cython.int
SEARCHES: cython.int
ROW: cython.int  # how many columns of whole numbers
SLOT, FOUND, IS_NEW, IS_DUE, SEARCHES, ROW = range(4, 10)
X: cython.int
Y: cython.int
LOW: cython.int  # the least, the greatest and the losing distance
HIGH: cython.int
LOSE: cython.int
PLACE: cython.int  # how many columns of reals
X, Y, LOW, HIGH, LOSE, PLACE = range(2, 8)

# Multiplying one of these by n is the quickest way to make an array of n zeros.
ZERO_NUMBER = array("q", [0])
ZERO_REAL = array("d", [0.0])


@cython.final
@cython.cclass
class TicketQueue:
    """A queue of numbered tickets; each tick calls the next `per_tick` of them.

    Nobody has to leave the queue: a dead member's ticket is called like any other, and lapses.
    """

    __slots__ = {
        "per_tick": "public double",
        "limit": "readonly double",
        "next": "readonly long long",
        "now": "double",
    }

    def __init__(self, per_tick: float) -> None:
        self.per_tick = per_tick
        self.limit = 0.0  # all tickets below this one have been called
        self.next = 0  # the next ticket
        self.now = nan  # the tick that called the last ones

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.per_tick,), (self.limit, self.next, self.now)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.limit, self.next, self.now = state

    def limit_at(self, now: cython.double) -> NoGil[cython.double]:
        """Return the number below which tickets are called; another `now` is another tick."""
        if now == self.now:
            return self.limit
        return min(self.limit, cython.cast(cython.double, self.next)) + self.per_tick

    def begin(self, now: cython.double) -> Annotated[None, "cpdef noexcept"]:
        """Call more tickets, if `now` is another tick."""
        self.limit = self.limit_at(now)
        self.now = now

    def rows(self) -> dict[str, Any]:
        """The queue, for `write_rows`."""
        return {"next": row_from("q", [self.next]), "clock": row_from("d", [self.limit, self.now])}


@cython.final
@cython.cclass
class SeekerState:
    """What is known of each seeker, by slot.

    An entry is overwritten when its slot is used by another seeker, so nothing has to be forgotten:
    the arrays never grow longer than the tree's own. `per_tick` may search in a tick before their
    beat.
    """

    __slots__ = {
        "queue": "readonly TicketQueue",
        "count": "readonly long long",
        "numbers": "long long[::1]",
        "beats": "double[::1]",
        "spare": "object",
    }

    def __init__(self, per_tick: float = 0.0) -> None:
        self.queue = TicketQueue(per_tick)
        self.count = 0  # how many seekers have ever asked; the nth has the nth beat
        self.numbers = array("q")
        self.beats = array("d")
        self.spare: Any = None  # the last `Round` of one seeker, to use again and save 0.8 us

    def __len__(self) -> int:
        return len(self.numbers) // NUMBERS

    def __reduce__(self) -> tuple[Any, ...]:
        state = self.queue, self.count, bytes(self.numbers), bytes(self.beats)
        return type(self), (), state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.queue, self.count, numbers, beats = state
        self.numbers = array("q", numbers)
        self.beats = array("d", beats)

    def reserve(self, slots: cython.Py_ssize_t) -> Raises[cython.int]:
        """Make room for this many slots."""
        if NUMBERS * slots > len(self.numbers):
            slots = longer(slots)
            self.beats = resized("d", self.beats, BEATS * slots, 0.0)
            self.numbers = resized("q", self.numbers, NUMBERS * slots, NONE)
        return 0

    # -- members of a Stagger or a TickBudget: seekers without targets -----------------------------

    def begin(self, slot: cython.Py_ssize_t, serial: cython.longlong) -> NoGil[cython.bint]:
        """Make sure that a member is known; return whether it is new."""
        at = NUMBERS * slot
        if self.numbers[at + SERIAL] == serial:
            return False
        self.numbers[at + SERIAL] = serial
        self.numbers[at + TARGET] = self.numbers[at + TARGET_SERIAL] = NONE
        self.numbers[at + TICKET] = NONE
        self.beats[BEATS * slot + OFFSET] = beat_offset(self.count)
        self.count += 1
        return True

    def beat(
        self, slot: cython.Py_ssize_t, serial: cython.longlong, phase: cython.double
    ) -> NoGil[cython.bint]:
        """Whether a member is due, with the clock in intervals; NaN if every tick is."""
        is_new = self.begin(slot, serial)
        at = BEATS * slot
        interval = interval_at(phase + self.beats[at + OFFSET])
        if not is_new and interval == self.beats[at + INTERVAL]:
            return False
        self.beats[at + INTERVAL] = interval
        return True

    def serve(self, slot: cython.Py_ssize_t, serial: cython.longlong) -> NoGil[cython.bint]:
        """Whether a member is called in this tick; if not, it waits in the queue."""
        at = NUMBERS * slot + TICKET
        self.begin(slot, serial)
        if self.numbers[at] == NONE:
            self.numbers[at] = self.queue.next
            self.queue.next += 1
        if self.numbers[at] >= self.queue.limit:
            return False
        self.numbers[at] = NONE
        return True

    def due(self, slot: cython.Py_ssize_t, serial: cython.longlong, phase: cython.double) -> bool:
        """Whether a member is due; see `beat`."""
        self.reserve(slot + 1)
        return self.beat(slot, serial, phase)

    def due_many(
        self, slots: cython.int[::1], serials: cython.longlong[::1], phase: cython.double
    ) -> np.ndarray:
        """Which members are due, (n,) bool."""
        found = np.zeros(len(slots), np.bool_)
        due: cython.uchar[::1] = found.view(np.uint8)
        for i in range(len(slots)):
            self.reserve(slots[i] + 1)
        for i in range(len(slots)):
            due[i] = self.beat(slots[i], serials[i], phase)
        return found

    def take(self, slot: cython.Py_ssize_t, serial: cython.longlong, now: cython.double) -> bool:
        """Whether a member is called at this time; see `serve`."""
        self.reserve(slot + 1)
        self.queue.begin(now)
        return self.serve(slot, serial)

    def take_many(
        self, slots: cython.int[::1], serials: cython.longlong[::1], now: cython.double
    ) -> np.ndarray:
        """Which members are called at this time, (n,) bool. Without members no tick begins."""
        found = np.zeros(len(slots), np.bool_)
        called: cython.uchar[::1] = found.view(np.uint8)
        for i in range(len(slots)):
            self.reserve(slots[i] + 1)
        if len(slots) > 0:
            self.queue.begin(now)
        for i in range(len(slots)):
            called[i] = self.serve(slots[i], serials[i])
        return found

    # -- keeping -----------------------------------------------------------------------------------

    def rows(self, slots: int) -> dict[str, Any]:
        """The seekers of a tree with this many slots, for `write_rows`."""
        n = min(len(self), slots)
        return {
            "counts": row_from("q", [n, self.count]),
            **self.queue.rows(),
            "numbers": row_of(self.numbers, NUMBERS * n),
            "beats": row_of(self.beats, BEATS * n),
        }

    def forget(self, slot: cython.Py_ssize_t) -> None:
        """Forget a seeker."""
        if 0 <= slot < len(self):
            self.numbers[NUMBERS * slot + SERIAL] = NONE

    def drop(self, slots: cython.int[::1]) -> None:
        """Forget the targets of the seekers in some slots."""
        for i in range(len(slots)):
            at = NUMBERS * cython.cast(cython.Py_ssize_t, slots[i])
            if 0 <= at < len(self.numbers):
                self.numbers[at + TARGET] = NONE


def read_seekers(reader: RowReader, slots: int, per_tick: float) -> SeekerState:
    """Read what `SeekerState.rows` has returned, about at most this many slots."""
    n, count = reader.take("counts", "q", 2)
    need(0 <= n <= slots and 0 <= count < MOST_TICKETS, "the number of seekers")
    state = SeekerState(per_tick)
    next_ticket = reader.take("next", "q", 1)[0]
    limit, now = reader.take("clock", "d", 2)
    need(0 <= next_ticket < MOST_TICKETS and limit >= 0.0, "the queue")
    need(isfinite(now) or now != now, "the clock")
    state.queue.__setstate__((limit, next_ticket, now))
    numbers = reader.take("numbers", "q", NUMBERS * n)
    beats = reader.take("beats", "d", BEATS * n)
    reader.end()
    targets = np.asarray(numbers, np.int64).reshape(-1, NUMBERS)[:, TARGET]
    need_all((targets >= NONE) & (targets < slots), "a target")
    need_all(np.isfinite(beats[OFFSET::BEATS]), "a beat")
    state.__setstate__((state.queue, count, numbers.tobytes(), beats.tobytes()))
    return state


@cython.final
@cython.cclass
class Round:
    """Some seekers that ask in one tick; each has a row. See `round_of` and `round_of_one`."""

    __slots__ = {
        "state": "SeekerState",
        "rows": "readonly Py_ssize_t",
        "now": "double",
        "limit": "double",
        "new": "Py_ssize_t",
        "taken": "Py_ssize_t",
        "numbers": "long long[::1]",
        "reals": "double[::1]",
    }

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.numbers = ZERO_NUMBER * (ROW * rows)
        self.reals = ZERO_REAL * (PLACE * rows)

    def begin(self, state: SeekerState, now: cython.double, ranges: Any) -> Raises[cython.int]:
        """Begin a call: the ranges are the least, the greatest and the losing distance."""
        self.state: Any = state
        self.now = now
        self.limit = state.queue.limit_at(now)  # tickets below it are called
        self.new = self.taken = 0  # how many seekers are new, and how many take a ticket
        self.fill(LOW, ranges[0])
        self.fill(HIGH, ranges[1])
        self.fill(LOSE, ranges[2])
        return 0

    def fill(self, column: cython.int, given: Any) -> Raises[cython.int]:
        """Write a distance for each row: one for all, or an array."""
        each: cython.double[::1]
        if isinstance(given, float):
            one: cython.double = given
            for i in range(self.rows):
                self.reals[PLACE * i + column] = one
        else:
            each = given
            for i in range(self.rows):
                self.reals[PLACE * i + column] = each[i]
        return 0

    # -- reading -----------------------------------------------------------------------------------

    def read(
        self,
        store: UnitStore,
        phase: cython.double,
        groups: cython.int,
        without: cython.int,
        to_edge: cython.bint = False,
    ) -> int:
        """Read all rows; return the first whose slot no unit has, or -1.

        `phase` is the clock in intervals; NaN if every tick is due. Targets are in one of `groups`
        and in none of `without`.
        """
        begin_question(cython.address(store.busy))
        try:
            for i in range(self.rows):
                slot: cython.Py_ssize_t = self.numbers[ROW * i + SLOT]
                entry: cython.Py_ssize_t = entry_of(store, slot)
                if entry < 0:
                    return i
                self.enter(i, store.serial_of(slot), store.xs[entry], store.ys[entry], phase)
                slot = self.numbers[ROW * i + TARGET]
                entry = entry_of(store, slot)
                if (
                    entry >= 0
                    and store.serial_of(slot) == self.numbers[ROW * i + TARGET_SERIAL]
                    and (store.masks[entry] & groups) != 0
                    and (store.masks[entry] & without) == 0
                ):
                    if to_edge:
                        self.keep_to_edge(i, store, entry)
                    else:
                        self.keep(i, store.xs[entry], store.ys[entry])
            return NONE
        finally:
            end_question(cython.address(store.busy))

    def enter(
        self,
        i: cython.Py_ssize_t,
        serial: cython.longlong,
        x: cython.double,
        y: cython.double,
        phase: cython.double,
    ) -> Annotated[cython.int, "cpdef except -1"]:
        """Read the seeker of a row: what is known of it, and whether its beat is due."""
        row: cython.Py_ssize_t = ROW * i
        at = PLACE * i
        slot: cython.Py_ssize_t = self.numbers[row + SLOT]
        known: cython.Py_ssize_t = NUMBERS * slot
        interval = 0.0
        is_due: cython.bint = True
        if slot < 0 or slot > MAX_SLOT:  # from a tree of another library
            raise ValueError(f"slot must be in 0 .. {MAX_SLOT}, got {slot}")
        self.state.reserve(slot + 1)
        is_new: cython.bint = self.state.numbers[known + SERIAL] != serial
        self.numbers[row + SERIAL] = serial
        self.numbers[row + IS_NEW] = is_new
        self.numbers[row + FOUND] = NONE
        if is_new:
            offset = beat_offset(self.state.count + self.new)
            self.new += 1
            self.numbers[row + TARGET] = NONE
            self.numbers[row + TARGET_SERIAL] = NONE
            self.numbers[row + TICKET] = NONE
        else:
            offset = self.state.beats[BEATS * slot + OFFSET]
            self.numbers[row + TARGET] = self.state.numbers[known + TARGET]
            self.numbers[row + TARGET_SERIAL] = self.state.numbers[known + TARGET_SERIAL]
            self.numbers[row + TICKET] = self.state.numbers[known + TICKET]
        if phase == phase:
            interval = interval_at(phase + offset)
            is_due = not is_new and interval != self.state.beats[BEATS * slot + INTERVAL]
        self.numbers[row + IS_DUE] = is_due
        self.reals[at + OFFSET] = offset
        self.reals[at + INTERVAL] = interval
        self.reals[at + X] = x
        self.reals[at + Y] = y
        return 0

    def keep(
        self, i: cython.Py_ssize_t, x: cython.double, y: cython.double
    ) -> Annotated[None, "cpdef noexcept"]:
        """Keep the target of a row, which is at (x, y), if it is in range."""
        at = PLACE * i
        dx = x - self.reals[at + X]
        dy = y - self.reals[at + Y]
        distance2 = dx * dx + dy * dy
        if (
            self.reals[at + LOW] * self.reals[at + LOW] <= distance2
            and distance2 <= self.reals[at + LOSE] * self.reals[at + LOSE]
        ):
            self.numbers[ROW * i + FOUND] = self.numbers[ROW * i + TARGET]

    def keep_to_edge(
        self, i: cython.Py_ssize_t, store: UnitStore, entry: cython.Py_ssize_t
    ) -> NoGil[None]:
        """Keep the target of a row, which has an entry, if its footprint is in range."""
        at = PLACE * i
        x = self.reals[at + X]
        y = self.reals[at + Y]
        if edge_in_ring(store, entry, x, y, self.reals[at + LOW], self.reals[at + LOSE]):
            self.numbers[ROW * i + FOUND] = self.numbers[ROW * i + TARGET]

    # -- deciding ----------------------------------------------------------------------------------

    def decide_searches(self, lock: cython.bint) -> int:
        """Decide which rows search; return how many. With `lock`, only those without a target."""
        queue: TicketQueue = self.state.queue
        searching: cython.Py_ssize_t = 0
        self.taken = 0
        for i in range(self.rows):
            row = ROW * i
            keeps: cython.bint = self.numbers[row + FOUND] != NONE
            lost: cython.bint = self.numbers[row + TARGET] != NONE and not keeps
            if self.numbers[row + TICKET] == NONE and (lost or self.numbers[row + IS_NEW]):
                self.numbers[row + TICKET] = queue.next + self.taken
                self.taken += 1
            ticket = self.numbers[row + TICKET]
            called: cython.bint = ticket != NONE and ticket < self.limit
            searches: cython.bint = (self.numbers[row + IS_DUE] or called) and not (lock and keeps)
            self.numbers[row + SEARCHES] = searches
            searching += searches
        return searching

    def confirm(self, store: UnitStore) -> int:
        """Note the serials of the units found; return a row whose unit is gone, or -1."""
        for i in range(self.rows):
            slot: cython.Py_ssize_t = self.numbers[ROW * i + FOUND]
            serial = NONE if slot < 0 else store.serial_of(slot)
            if slot >= 0 and serial < 0:
                return i
            self.numbers[ROW * i + TARGET_SERIAL] = serial
        return NONE

    def settle(self) -> None:
        """Write the outcome of all rows into the state. No signal interrupts it."""
        state: SeekerState = self.state
        for i in range(self.rows):
            row = ROW * i
            slot: cython.Py_ssize_t = self.numbers[row + SLOT]
            known: cython.Py_ssize_t = NUMBERS * slot
            if self.numbers[row + SEARCHES] or self.numbers[row + FOUND] != NONE:
                self.numbers[row + TICKET] = NONE
            state.numbers[known + SERIAL] = self.numbers[row + SERIAL]
            state.numbers[known + TARGET] = self.numbers[row + FOUND]
            state.numbers[known + TARGET_SERIAL] = self.numbers[row + TARGET_SERIAL]
            state.numbers[known + TICKET] = self.numbers[row + TICKET]
            state.beats[BEATS * slot + OFFSET] = self.reals[PLACE * i + OFFSET]
            state.beats[BEATS * slot + INTERVAL] = self.reals[PLACE * i + INTERVAL]
        state.count += self.new
        state.queue.begin(self.now)
        state.queue.next += self.taken
        self.state = None
        if self.rows == 1:
            state.spare = self

    # -- for the functions that run between the steps ----------------------------------------------

    def slot(self, i: cython.Py_ssize_t) -> int:
        """The slot of the seeker of a row."""
        return self.numbers[ROW * i + SLOT]

    def place(self, i: cython.Py_ssize_t) -> tuple[float, float, float, float]:
        """Where the seeker of a row is, (x, y), and its least and its greatest distance."""
        at = PLACE * i
        return self.reals[at + X], self.reals[at + Y], self.reals[at + LOW], self.reals[at + HIGH]

    def previous(self, i: cython.Py_ssize_t) -> tuple[int, int]:
        """The slot and the serial of the target that the seeker of a row had before."""
        return self.numbers[ROW * i + TARGET], self.numbers[ROW * i + TARGET_SERIAL]

    def found(self, i: cython.Py_ssize_t) -> int:
        """The slot of the target of a row, kept or chosen; -1 for none."""
        return self.numbers[ROW * i + FOUND]

    def choose(self, i: cython.Py_ssize_t, slot: cython.longlong) -> None:
        """Set the target of a row; -1 for none."""
        self.numbers[ROW * i + FOUND] = slot

    def set_serial(self, i: cython.Py_ssize_t, serial: cython.longlong) -> None:
        """Set the serial of the target of a row, as `confirm` does."""
        self.numbers[ROW * i + TARGET_SERIAL] = serial

    # -- the same for many rows --------------------------------------------------------------------

    def column(self, column: int) -> np.ndarray:
        """A column of the whole numbers, as an array that shares their memory."""
        return np.frombuffer(self.numbers, np.int64).reshape(-1, ROW)[:, column]

    def with_target(self) -> list[int]:
        """The rows with a target."""
        return np.flatnonzero(self.column(FOUND) != NONE).tolist()

    def searching(self) -> np.ndarray:
        """The rows that search."""
        return np.flatnonzero(self.column(SEARCHES))

    def targets(self) -> np.ndarray:
        """The slots of the targets of all rows, int32; -1 for none."""
        return self.column(FOUND).astype(np.int32)

    def choose_many(self, rows: np.ndarray, slots: np.ndarray) -> None:
        """Set the targets of some rows."""
        chosen: cython.int[::1] = slots
        i: cython.Py_ssize_t
        for i, row in enumerate(rows.tolist()):
            self.choose(row, chosen[i])

    def rows_of(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The seekers of some rows: their slots, their targets' slots, their places and ranges.

        The ranges are the least, the greatest and the losing distance, (n, 3).
        """
        numbers = at_slots(np.frombuffer(self.numbers, np.int64).reshape(-1, ROW), rows)
        reals = at_slots(np.frombuffer(self.reals).reshape(-1, PLACE), rows)
        seekers = numbers[:, SLOT].astype(np.int32)
        targets = numbers[:, FOUND].astype(np.int32)
        return seekers, targets, reals[:, X : Y + 1].copy(), reals[:, LOW : LOSE + 1]


def round_of(state: SeekerState, slots: cython.int[::1], now: cython.double, ranges: Any) -> Round:
    """Begin a call of the seekers in some slots, each once; a range is one number, or one each."""
    asked = Round(len(slots))
    asked.begin(state, now, ranges)
    for i in range(asked.rows):
        asked.numbers[ROW * i + SLOT] = slots[i]
    return asked


def round_of_one(
    state: SeekerState, slot: cython.longlong, now: cython.double, ranges: Any
) -> Round:
    """Begin a call of the seeker in a slot, in the memory of the last such call if that is over."""
    asked: Round | None = state.spare
    state.spare = None  # a policy may ask for another seeker meanwhile
    if asked is None:
        asked = Round(1)
    asked.begin(state, now, ranges)
    asked.numbers[SLOT] = slot
    return asked


def beat_offset(number: cython.longlong) -> NoGil[cython.double]:
    """Return the phase of the nth member's beat, in intervals."""
    return number * GOLDEN_RATIO % 1.0


def interval_at(phase: cython.double) -> NoGil[cython.double]:
    """Return the interval in which the clock is; an infinite clock stays in one interval."""
    return floor(phase) if phase - phase == 0.0 else phase

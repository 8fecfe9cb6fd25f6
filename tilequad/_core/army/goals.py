"""Search for many seekers in a row: each takes the nearest unit that earlier seekers have left.

All searches of a call are planned first, while the tree must not change. Then the group bits of
full items and the failed goals are written. If a callback raises during planning, the plan is
undone and nothing has changed.
"""

from __future__ import annotations

from array import array
from math import nan
from typing import Annotated, Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Gil, NoGil, Raises
from tilequad._core.army.reservations import Reservations
from tilequad._core.arrays import refuse_slot
from tilequad._core.buffers import longer, resized
from tilequad._core.checks import checked_point
from tilequad._core.layout import (
    ENTRY,
    INF,
    LEAF,
    MAX_COORDINATE,
    MAX_K,
    NEAR_POINT,
    NONE,
    REACHING_POINT,
    RECORD,
    Ranking,
    Walk,
    begin_change,
    begin_question,
    end_change,
    end_question,
)
from tilequad._core.shown import shown
from tilequad._core.tree.batch import answer_many
from tilequad._core.tree.nearest import (
    clear_exhausted,
    continue_ranking,
    find_free,
    look_from,
    start_ranking,
)
from tilequad._core.tree.questions import Questions
from tilequad._core.tree.rows import RowReader, need, row_from, row_of
from tilequad._core.tree.units import UnitStore, entry_of
from tilequad._core.tree.within import edge_in_ring

# The outcome of a goal.
UNASKED: cython.int = 0
MET: cython.int = 1
FAILED: cython.int = 2
# The place around which a goal is searched.
OWN: cython.int = 0
POINT: cython.int = 1
BY_UNIT: cython.int = 2
BY_SLOT: cython.int = 3
SOME: cython.int = 4  # units that are found at once where `where` may refuse the nearest


@cython.final
@cython.cclass
class Terms:
    """The terms of a goal, as C reads them.

    `retry` is how long a failure is remembered. `near` is a point, a function of the seeker, points
    by slot (slots, 2), or None. `field` measures distances: an object with `distance_many`, or a
    function of the seeker. `where` is a function of the seeker and a unit.
    """

    __slots__ = {
        "groups": "int",
        "without": "int",
        "max_distance": "double",
        "claim": "bint",
        "to_edge": "bint",
        "retry": "double",
        "where": "object",
        "field": "object",
        "near": "object",
        "places": "double[:, ::1]",
        "near_kind": "int",
        "x": "double",
        "y": "double",
        "ranked_by_field": "list",
        "exhausted": "unsigned char[::1]",
    }

    def __init__(self, *asked: Any) -> None:
        self.x = self.y = 0.0
        self.near_kind = OWN
        self.forget()
        if asked:
            self.__setstate__(asked)

    def __reduce__(self) -> tuple[Any, ...]:
        asked: tuple[Any, ...] = (self.groups, self.without, self.max_distance, self.claim)
        asked += (self.to_edge, self.retry, self.near, self.field, self.where)
        return type(self), (), asked

    def __setstate__(self, asked: tuple[Any, ...]) -> None:
        self.groups, self.without, self.max_distance, self.claim, self.to_edge = asked[:5]
        self.retry, self.near, self.field, self.where = asked[5:]
        if isinstance(self.near, tuple):
            self.near_kind = POINT
            self.x, self.y = self.near
        elif isinstance(self.near, np.ndarray):
            self.near_kind = BY_SLOT
            self.places = self.near
        elif self.near is not None:
            self.near_kind = BY_UNIT

    def forget(self) -> Raises[cython.int]:
        """Drop the state of a single call."""
        self.ranked_by_field: list[Any] = []  # by field: the units, ranked by distance
        self.exhausted = array("B")  # by quadrant of the tree: 1 if nothing in it is free
        return 0

    def find_place(
        self, items: list[Any], seeker: cython.Py_ssize_t, place: cython.p_double
    ) -> Raises[cython.int]:
        """Write where to search; `place` holds the seeker's own position."""
        x: cython.double = self.x
        y: cython.double = self.y
        if self.near_kind == BY_SLOT:
            if seeker >= len(self.places):
                raise ValueError(f"near has no place for slot {seeker}")
            x = self.places[seeker, 0]
            y = self.places[seeker, 1]
            if x != x and y != y:
                return 0
        elif self.near_kind == BY_UNIT:
            found = self.near(items[seeker])
            if found is None:
                return 0
            x, y = checked_point(found, "near")
        if not (-MAX_COORDINATE <= x <= MAX_COORDINATE and -MAX_COORDINATE <= y <= MAX_COORDINATE):
            raise ValueError(f"near must be finite and within 1e150 of 0, got ({x:g}, {y:g})")
        place[0] = x
        place[1] = y
        return 0


@cython.final
@cython.cclass
class FieldOrder:
    """Units sorted by their distance on a field; all before `start` are full."""

    __slots__ = {
        "field": "object",
        "slots": "int[::1]",
        "start": "Py_ssize_t",
        "frees": "long long",
    }

    def __init__(self, field: Any, slots: np.ndarray) -> None:
        self.field = field
        self.slots = slots.data
        self.start = 0
        self.frees = NONE


@cython.final
@cython.cclass
class Searches:
    """A list of goals, the most wanted first, and when each unit last failed to meet them.

    `book` has the claims on the units found; None if there are none.
    """

    __slots__ = {
        "terms": "list",
        "book": "Reservations",
        "needs_seats": "bint",
        "remembers": "bint",
        "life": "int[::1]",
        "failed_at": "double[::1]",
        "nothing": "unsigned char[::1]",
        "store": "UnitStore",
    }

    def __init__(self, terms: Any = (), book: Any = None) -> None:
        one: Terms
        self.terms = list(terms)
        self.book = book
        self.needs_seats = self.remembers = False
        for one in self.terms:
            self.needs_seats |= self.needs_room(one)
            self.remembers |= one.retry > 0.0
        # By slot: the life, as in `UnitStore.lives`, of the unit that failed. By slot and goal:
        # when, or NaN.
        self.life = array("i")
        self.failed_at = array("d")
        self.nothing = array("B")
        self.store: Any = None  # the units of the last search

    # -- keeping -----------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        made = self.terms, self.book, self.needs_seats, self.remembers
        return type(self), (), (*made, bytes(self.life), bytes(self.failed_at))

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.terms, self.book, self.needs_seats, self.remembers, life, failed_at = state
        self.life = array("i", life)
        self.failed_at = array("d", failed_at)
        self.store = None

    def rows(self, slots: int) -> dict[str, Any]:
        """Who failed when, in a tree with this many slots, for `write_rows`."""
        n, goals = min(len(self.life), slots), len(self.terms)
        return {
            "counts": row_from("q", [n, goals]),
            "life": row_of(self.life, n),
            "failed_at": row_of(self.failed_at, goals * n),
        }

    def read(self, reader: RowReader, slots: int) -> tuple[Any, ...]:
        """Read what `rows` of a search for as many goals has returned, for `__setstate__`."""
        n, goals = reader.take("counts", "q", 2)
        need(0 <= n <= slots, "the number of seekers")
        if goals != len(self.terms):
            raise ValueError(f"goals must be {goals}, as they were, got {len(self.terms)}")
        life = reader.take("life", "i", n)
        failed_at = reader.take("failed_at", "d", goals * n)
        reader.end()
        made = self.terms, self.book, self.needs_seats, self.remembers
        return *made, life.tobytes(), failed_at.tobytes()

    # -- searches ----------------------------------------------------------------------------------

    # `store` and `items` belong to one tree.

    def one(self, store: UnitStore, items: list[Any], slot: cython.int, now: float) -> Any:
        """Search for the unit in a slot; return the unit found, or None."""
        seekers: cython.int[::1] = array("i", [slot])
        found: cython.int[::1] = array("i", [NONE])
        self.run(store, items, seekers, now, found)
        return None if found[0] == NONE else items[found[0]]

    def many(self, store: UnitStore, items: list[Any], slots: np.ndarray, now: float) -> np.ndarray:
        """Search for units by their slots; return the slots of the units found, or -1."""
        found = np.full(len(slots), NONE, np.int32)
        if len(slots) > 0:
            self.run(store, items, slots.data, now, found.data)
        return found

    def run(
        self,
        store: UnitStore,
        items: list[Any],
        seekers: cython.int[::1],
        now: cython.double,
        found: cython.int[::1],
    ) -> Raises[cython.int]:
        """Write what the seekers find, in their order; on an error nothing changes."""
        outcomes: cython.uchar[::1] = self.nothing
        terms: Terms
        if self.remembers:
            outcomes = array("B", [UNASKED]) * (len(seekers) * len(self.terms))
        self.begin(store, seekers)
        try:
            try:
                for i in range(len(seekers)):
                    found[i] = self.plan(store, items, seekers, i, now, outcomes)
            finally:
                end_question(cython.address(store.busy))
            self.commit(store)
        except BaseException:
            if self.book is not None:
                self.book.undo()
                self.commit(store)
            raise
        finally:
            for terms in self.terms:
                terms.forget()
        if self.remembers:
            self.remember(store, seekers, now, outcomes)
        return 0

    def commit(self, store: UnitStore) -> Raises[cython.int]:
        """Update the tree's bits of full items."""
        if self.book is None:
            return 0
        begin_change(cython.address(store.busy))
        try:
            self.book.end_lapsed(store)
            self.book.settle(store)
        finally:
            end_change(cython.address(store.busy))
        return 0

    def begin(self, store: UnitStore, seekers: cython.int[::1]) -> Raises[cython.int]:
        """Update the claims and begin a query; no callback runs in between."""
        book: Reservations = self.book
        if book is not None:
            begin_change(cython.address(store.busy))
            try:
                self.prepare(store, seekers)
                book.end_lapsed(store)
                book.reserve(store.slots)
                book.settle(store)
                book.journal.used = 0
                if self.needs_seats:
                    for i in range(len(seekers)):
                        book.show_own_item(store, seekers[i])
            finally:
                end_change(cython.address(store.busy))
        begin_question(cython.address(store.busy))
        if book is None:
            try:
                self.prepare(store, seekers)
            except BaseException:
                end_question(cython.address(store.busy))
                raise
        return 0

    def prepare(self, store: UnitStore, seekers: cython.int[::1]) -> Raises[cython.int]:
        """Check that the seekers are units; forget what earlier calls noted about the tree."""
        terms: Terms
        for i in range(len(seekers)):
            if entry_of(store, seekers[i]) < 0:
                refuse_slot(np.asarray(seekers), i)
        if store is not self.store:
            if self.store is not None:  # the tree was rebuilt with other units
                self.life = array("i")
                self.failed_at = array("d")
            self.store = store
        if len(seekers) > 1:
            for terms in self.terms:
                terms.exhausted = array("B", [0]) * (4 * store.nodes.capacity)
        return 0

    def plan(
        self,
        store: UnitStore,
        items: list[Any],
        seekers: cython.int[::1],
        i: cython.Py_ssize_t,
        now: cython.double,
        outcomes: cython.uchar[::1],
    ) -> Annotated[cython.int, "except -2"]:
        """Return what one seeker finds; -1 for nothing."""
        seeker: cython.Py_ssize_t = seekers[i]
        entry: cython.Py_ssize_t = store.record[RECORD * seeker + ENTRY]
        x = store.xs[entry]
        y = store.ys[entry]
        goals = len(self.terms)
        if self.book is not None:
            self.give_up_item(store, seeker)
        for goal in range(goals):
            terms: Terms = self.terms[goal]
            if terms.retry > 0.0 and self.gave_up(store, seeker, goal, now):
                continue
            if terms.field is None:
                slot = self.find(store, items, terms, seeker, x, y)
            else:
                slot = self.find_on_field(store, items, terms, seekers, seeker, x, y)
            if self.remembers:
                outcomes[i * goals + goal] = MET if slot >= 0 else FAILED
            if slot >= 0:
                if terms.claim:
                    seats = self.book.seats_of(items, slot)
                    self.book.assign(store, seeker, slot, terms.groups, 0, seats)
                return slot
        return NONE

    def needs_room(self, terms: Terms) -> Gil[cython.bint]:
        """Whether a goal skips full items: because it claims, or because it leaves out `taken`.

        The bits of items taken in this call are written at its end; until then `full` has them.
        """
        return terms.claim or (self.book is not None and (terms.without & self.book.bit) != 0)

    def give_up_item(self, store: UnitStore, seeker: cython.Py_ssize_t) -> Raises[cython.int]:
        """Give up what a seeker holds; later seekers may find it."""
        terms: Terms
        item: cython.Py_ssize_t = self.book.item_of(seeker)
        if item >= 0:
            self.book.release(seeker)
            for terms in self.terms:
                if len(terms.exhausted) > 0:
                    clear_exhausted(
                        store.nodes, store.record[RECORD * item + LEAF], terms.exhausted
                    )
        return 0

    def gave_up(
        self,
        store: UnitStore,
        seeker: cython.Py_ssize_t,
        goal: cython.Py_ssize_t,
        now: cython.double,
    ) -> Raises[cython.bint]:
        """Whether a goal failed too recently to be searched again."""
        terms: Terms = self.terms[goal]
        if seeker >= len(self.life) or self.life[seeker] != store.lives[seeker]:
            return False
        failed_at = self.failed_at[seeker * len(self.terms) + goal]
        return failed_at <= now and now < failed_at + terms.retry

    def find(
        self,
        store: UnitStore,
        items: list[Any],
        terms: Terms,
        seeker: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
    ) -> Annotated[cython.int, "except -2"]:
        """The nearest unit that meets a goal; -1 for none."""
        walk = cython.declare(Walk)
        ranking = cython.declare(Ranking)
        place = cython.declare(cython.double[2])
        full: cython.uchar[::1] = self.nothing
        without = terms.without
        j: cython.Py_ssize_t
        wanted: cython.int = 1 if terms.where is None else SOME
        place[0] = x
        place[1] = y
        if terms.near_kind != OWN:
            terms.find_place(items, seeker, place)
        if self.needs_room(terms):
            full = self.book.full
            without |= self.book.bit
        look_from(cython.address(walk), place[0], place[1], terms.groups, without)
        start_ranking(
            cython.address(ranking),
            wanted,
            0.0,
            terms.max_distance,
            cython.cast(cython.int, seeker),
            terms.to_edge,
        )
        while True:
            wanted = ranking.k
            n = find_free(
                store, cython.address(walk), cython.address(ranking), full, terms.exhausted
            )
            for j in range(n):
                slot: cython.Py_ssize_t = ranking.hits[j]
                if self.in_reach(store, terms, slot, place[0], place[1]) and self.accepts(
                    items, terms, seeker, slot
                ):
                    return ranking.hits[j]
            if n < wanted:
                return NONE
            continue_ranking(cython.address(ranking))
            ranking.k = MAX_K

    def find_on_field(
        self,
        store: UnitStore,
        items: list[Any],
        terms: Terms,
        seekers: cython.int[::1],
        seeker: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
    ) -> Annotated[cython.int, "except -2"]:
        """Return the unit nearest by a field that meets a goal; -1 for none."""
        field: Any = terms.field
        order: FieldOrder
        found: Any = None
        if not is_field(field):
            field = field(items[seeker])
            if field is None:
                return NONE
            if not is_field(field):
                raise TypeError(f"field must give a Field or None, got {shown(field)}")
        for known in terms.ranked_by_field:
            order = known
            if order.field is field:
                found = order
        if found is None:
            found = FieldOrder(field, ranked(store, terms, field, seekers))
            terms.ranked_by_field.append(found)
        order = found
        needs_room = self.needs_room(terms)
        if needs_room:
            if order.frees != self.book.frees:
                order.frees = self.book.frees
                order.start = 0
            while order.start < len(order.slots) and self.book.full[order.slots[order.start]]:
                order.start += 1
        for i in range(order.start, len(order.slots)):
            slot: cython.Py_ssize_t = order.slots[i]
            if slot == seeker or (needs_room and self.book.full[slot]):
                continue
            if self.in_reach(store, terms, slot, x, y) and self.accepts(items, terms, seeker, slot):
                return cython.cast(cython.int, slot)
        return NONE

    def in_reach(
        self,
        store: UnitStore,
        terms: Terms,
        slot: cython.Py_ssize_t,
        x: cython.double,
        y: cython.double,
    ) -> NoGil[cython.bint]:
        """Whether a unit is within the greatest distance of a place."""
        entry: cython.Py_ssize_t = store.record[RECORD * slot + ENTRY]
        if terms.to_edge:
            return edge_in_ring(store, entry, x, y, 0.0, terms.max_distance)
        dx = store.xs[entry] - x
        dy = store.ys[entry] - y
        return dx * dx + dy * dy <= terms.max_distance * terms.max_distance

    def accepts(
        self,
        items: list[Any],
        terms: Terms,
        seeker: cython.Py_ssize_t,
        slot: cython.Py_ssize_t,
    ) -> Raises[cython.bint]:
        """Whether a unit has a free seat, if it needs one, and passes the filter."""
        if terms.claim and not self.book.has_room(items, slot):
            return False
        if terms.where is None:
            return True
        return bool(terms.where(items[seeker], items[slot]))

    def remember(
        self,
        store: UnitStore,
        seekers: cython.int[::1],
        now: cython.double,
        outcomes: cython.uchar[::1],
    ) -> Raises[cython.int]:
        """Record the goals that failed, and clear the failures of goals that were met."""
        goals = len(self.terms)
        if store.slots > len(self.life):
            self.failed_at = resized("d", self.failed_at, goals * longer(store.slots), nan)
            self.life = resized("i", self.life, longer(store.slots), NONE)
        for i in range(len(seekers)):
            seeker: cython.Py_ssize_t = seekers[i]
            if self.life[seeker] != store.lives[seeker]:
                self.life[seeker] = store.lives[seeker]
                for goal in range(goals):
                    self.failed_at[seeker * goals + goal] = nan
            for goal in range(goals):
                if outcomes[i * goals + goal] == FAILED:
                    self.failed_at[seeker * goals + goal] = now
                elif outcomes[i * goals + goal] == MET:
                    self.failed_at[seeker * goals + goal] = nan
        return 0


def is_field(value: Any) -> bool:
    """Whether something measures distances."""
    return callable(getattr(value, "distance_many", None))


def ranked(store: UnitStore, terms: Terms, field: Any, seekers: cython.int[::1]) -> np.ndarray:
    """The slots of the units near any seeker, by their distance on a field, then by age.

    Units that are too far or cannot be reached are left out.
    """
    max_distance: float = terms.max_distance
    places = store.positions(np.asarray(seekers))
    low, high = places.min(axis=0), places.max(axis=0)
    center = (low + high) / 2
    radius = min((np.hypot(*(high - low)) / 2 + max_distance) * (1 + 1e-9), MAX_COORDINATE)
    limits, test = np.array([[0.0, radius]]), REACHING_POINT if terms.to_edge else NEAR_POINT
    asked = Questions(center[np.newaxis], limits, terms.groups, terms.without, None, test)
    _, slots = answer_many(store, asked, 1, None)
    distances = np.asarray(field.distance_many(store.positions(slots)), np.float64)
    if distances.shape != (len(slots),):
        raise ValueError(
            f"field.distance_many must give {len(slots)} distances, got shape {distances.shape}"
        )
    if np.isnan(distances).any():
        raise ValueError("field.distance_many must give numbers, got nan")
    near = distances <= max_distance if max_distance < INF else distances < INF
    slots, distances = slots[near], distances[near]
    return slots[np.lexsort((store.orders(slots), distances))]

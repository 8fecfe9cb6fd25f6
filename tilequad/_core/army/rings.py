"""Many seekers at once: who is in range, and who is the best in range.

The answers equal those of `Targeting.target`, one seeker after the other. The tree does not change
meanwhile.

Neighboring seekers share one walk through the tree, which finds the leaves around all of them. No
unit of a leaf ranks above the leaf's best key, or above its farthest point, so leaves that rank
below the best unit so far are not read. A seeker begins with its neighbor's result, which rules out
most leaves from the start. Only to find its closest unit does each seeker walk alone.
"""

from __future__ import annotations

from array import array
from math import nan
from typing import Annotated, Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.layout import (
    COUNT,
    ENTRY,
    FIRST,
    INF,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    NONE,
    POSITION_IN_BOX,
    RECORD,
    Ranking,
    Walk,
    begin_question,
    end_question,
    place_of,
    start_counts,
)
from tilequad._core.tree.nearest import find_free, look_from, start_ranking
from tilequad._core.tree.questions import Questions
from tilequad._core.tree.units import UnitStore, order_of
from tilequad._core.tree.walk import begin, find_leaves
from tilequad._core.tree.within import end_of_group


def copy_floats(scores: list[Any], values: cython.double[::1]) -> bool:
    """Copy a list of floats into an array; return False if one of them is NaN or not a float."""
    for i in range(len(values)):
        if type(scores[i]) is not float:
            return False
        values[i] = scores[i]
        if values[i] != values[i]:
            return False
    return True


@cython.final
@cython.cclass
class Rings:
    """The rings around some seekers, and the units that may be found there.

    Seekers are given by slot, and never find themselves. They are at `centers`, (n, 2), and
    `limits` are the least and the greatest distance for each, (n, 2). Slots that are barred are
    left out.
    """

    __slots__ = {
        "store": "UnitStore",
        "seekers": "int[::1]",
        "asked": "Questions",
        "barred": "unsigned char[::1]",
        "leaves": "IntBuffer",
        "keyed": "bint",
        "sign": "double",
        "keys": "const double[::1]",
        "leaf_best": "double[::1]",
        "ranks": "double[::1]",
        "best_slot": "int",
        "best_rank": "double",
        "best_distance2": "double",
    }

    def __init__(
        self,
        store: UnitStore,
        seekers: np.ndarray,
        centers: np.ndarray,
        limits: np.ndarray,
        groups: int,
        without: int,
        barred: np.ndarray | None = None,
    ) -> None:
        self.store = store
        self.seekers = seekers.data
        self.asked = Questions(centers, limits, groups, without)
        # By slot: 1 to leave it out. Slots beyond the end are not left out.
        marks = np.zeros(0 if barred is None or len(barred) == 0 else store.slots, np.uint8)
        if barred is not None and len(marks) > 0:
            marks.put(barred.astype(np.intp), True)  # for the same reason as `at_slots`
        self.barred = marks.data
        self.leaves = IntBuffer()  # the leaves around some neighboring seekers
        self.keyed = False  # whether units are ranked by key, not by distance
        self.sign = 1.0  # 1 if the highest key is the best, -1 if the lowest
        self.keys = np.empty(0).data
        # By leaf: its best key, NaN until it is first read. By entry of these leaves: its key, NaN
        # if the unit is left out, infinite if it has no key.
        nothing: Any = array("d")
        self.leaf_best = self.ranks = nothing
        # The best unit of a ring so far, -1 for none; its rank and squared distance.
        self.best_slot = -1
        self.best_rank = self.best_distance2 = 0.0

    def slots(self) -> np.ndarray:
        """Return the unique slots inside any of the rings, ascending; int32."""
        box = cython.declare(cython.double[4])
        n = len(self.seekers)
        end: cython.Py_ssize_t = 0
        begin_question(cython.address(self.store.busy))
        try:
            marked = np.zeros(self.store.slots, np.uint8)
            marks: cython.uchar[::1] = marked
            with cython.nogil:
                while end < n:
                    start = end
                    end = end_of_group(self.asked, start, n, box)
                    self.find_leaves(box)
                    for k in range(self.leaves.used):
                        self.mark_leaf(self.leaves.values[k], start, end, marks)
            return np.flatnonzero(marked).astype(np.int32)
        finally:
            end_question(cython.address(self.store.busy))

    def masks(self) -> tuple[int, int]:
        """The masks of the groups that count, and of those that do not."""
        return self.asked.groups & 0xFFFFFFFF, self.asked.without & 0xFFFFFFFF

    def best_by_key(self, keys: np.ndarray, highest: bool) -> tuple[np.ndarray, int]:
        """Choose the slot with the highest key in each ring, or with the lowest.

        Ties go to the unit closest to the seeker, then to the one added first.

        Returns:
            The best slots, (n,) int32, -1 for an empty ring; and a slot that is in a ring but has
            no key, or NaN as its key; -1 if there is none.
        """
        best = np.full(len(self.seekers), NONE, np.int32)
        self.keyed = True
        self.sign = 1.0 if highest else -1.0
        self.keys = keys.data
        return best, self.fill_best(best.data)

    def farthest(self) -> np.ndarray:
        """Choose the farthest slot in each ring: (n,) int32, -1 for an empty ring.

        Ties go to the unit added first.
        """
        best = np.full(len(self.seekers), NONE, np.int32)
        self.keyed = False
        self.fill_best(best.data)
        return best

    def closest(self) -> np.ndarray:
        """Choose the closest slot in each ring: (n,) int32, -1 for an empty ring.

        Ties go to the unit added first.
        """
        best = np.full(len(self.seekers), NONE, np.int32)
        spent = np.zeros(4 * self.store.nodes.capacity if len(self.barred) > 0 else 0, np.uint8)
        begin_question(cython.address(self.store.busy))
        try:
            self.fill_closest(best.data, spent.data)
        finally:
            end_question(cython.address(self.store.busy))
        return best

    def fill_closest(self, best: cython.int[::1], spent: cython.uchar[::1]) -> NoGil[None]:
        """Write the closest slots; each takes a walk of its own.

        Such a walk ends at the first unit; one that neighbors share must look at all in range.
        """
        walk = cython.declare(Walk)
        ranking = cython.declare(Ranking)
        for k in range(len(self.seekers)):
            i: cython.Py_ssize_t = self.asked.order[k]
            look_from(
                cython.address(walk),
                self.asked.places[i, 0],
                self.asked.places[i, 1],
                self.asked.groups,
                self.asked.without,
            )
            start_ranking(
                cython.address(ranking),
                1,
                self.asked.limits[i, 0],
                self.asked.limits[i, 1],
                self.seekers[i],
            )
            if find_free(
                self.store, cython.address(walk), cython.address(ranking), self.barred, spent
            ):
                best[i] = ranking.hits[0]

    def fill_best(self, best: cython.int[::1]) -> Annotated[cython.int, "except -2"]:
        """Write the best slots; return a slot that is in a ring but has no key, or -1."""
        box = cython.declare(cython.double[4])
        n = len(self.seekers)
        end: cython.Py_ssize_t = 0
        wrong: cython.int = -1
        begin_question(cython.address(self.store.busy))
        try:
            if self.keyed:
                self.leaf_best = np.full(4 * self.store.nodes.capacity, nan).data
                self.ranks = np.empty(len(self.store.xs)).data
            with cython.nogil:
                while end < n and wrong < 0:
                    start = end
                    end = end_of_group(self.asked, start, n, box)
                    self.find_leaves(box)
                    if self.keyed:
                        self.sort_leaves()
                    self.best_slot = -1
                    for k in range(start, end):
                        i: cython.Py_ssize_t = self.asked.order[k]
                        wrong = self.find_best(i)
                        if wrong >= 0:
                            break
                        best[i] = self.best_slot
        finally:
            end_question(cython.address(self.store.busy))
        return wrong

    # -- leaves ------------------------------------------------------------------------------------

    def find_leaves(self, box: cython.p_double) -> RaisesNoGil[cython.int]:
        """Find the leaves with positions in a box."""
        walk = cython.declare(Walk)
        self.leaves.used = 0
        start_counts(cython.address(walk), False)
        begin(
            cython.address(walk),
            POSITION_IN_BOX,
            box[0],
            box[1],
            box[2],
            box[3],
            0.0,
            self.asked.groups,
            self.asked.without,
        )
        find_leaves(self.store.nodes, cython.address(walk))
        while walk.leaf_count > 0:
            self.leaves.extend(walk.leaves, walk.leaf_count)
            walk.leaf_count = 0
            find_leaves(self.store.nodes, cython.address(walk))
        return 0

    def sort_leaves(self) -> NoGil[None]:
        """Shell sort the leaves by their best keys, the best first."""
        n = self.leaves.used
        gap: cython.Py_ssize_t = 1
        for i in range(n):
            self.fill_ranks(self.leaves.values[i])
        while gap < n // 3:
            gap = 3 * gap + 1
        while gap > 0:
            for i in range(gap, n):
                leaf = self.leaves.values[i]
                key = self.leaf_best[leaf]
                j = i
                while j >= gap and self.leaf_best[self.leaves.values[j - gap]] < key:
                    self.leaves.values[j] = self.leaves.values[j - gap]
                    j -= gap
                self.leaves.values[j] = leaf
            gap = gap // 3

    def fill_ranks(self, leaf: cython.Py_ssize_t) -> NoGil[None]:
        """On the first visit to a leaf, write the ranks of its entries and the best of them."""
        first: cython.Py_ssize_t = self.store.nodes.links[place_of(leaf) + FIRST]
        best: cython.double = -INF
        if self.leaf_best[leaf] == self.leaf_best[leaf]:
            return
        for entry in range(first, first + self.store.nodes.links[place_of(leaf) + COUNT]):
            slot: cython.Py_ssize_t = self.store.slot_of[entry]
            rank = nan
            if self.counts(entry):
                rank = INF
                if slot < len(self.keys) and self.keys[slot] == self.keys[slot]:
                    rank = self.sign * self.keys[slot]
                best = max(best, rank)
            self.ranks[entry] = rank
        self.leaf_best[leaf] = best

    def counts(self, entry: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether a unit is in the right groups and not barred."""
        slot: cython.Py_ssize_t = self.store.slot_of[entry]
        return (
            (self.store.masks[entry] & self.asked.groups) != 0
            and (self.store.masks[entry] & self.asked.without) == 0
            and not (slot < len(self.barred) and self.barred[slot])
        )

    def mark_leaf(
        self,
        leaf: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        marks: cython.uchar[::1],
    ) -> NoGil[None]:
        """Mark the slots of a leaf that are in a ring of a group of seekers."""
        first: cython.Py_ssize_t = self.store.nodes.links[place_of(leaf) + FIRST]
        for entry in range(first, first + self.store.nodes.links[place_of(leaf) + COUNT]):
            slot = self.store.slot_of[entry]
            if marks[slot] or not self.counts(entry):
                continue
            k = start - 1
            while not marks[slot] and k < end:
                k = next_around(
                    self.asked.order,
                    self.asked.places,
                    self.asked.limits,
                    k + 1,
                    end,
                    self.store.xs[entry],
                    self.store.ys[entry],
                )
                marks[slot] = k < end and slot != self.seekers[self.asked.order[k]]

    # -- the best ----------------------------------------------------------------------------------

    def find_best(self, i: cython.Py_ssize_t) -> NoGil[cython.int]:
        """Find the best slot in a ring; return one there without a key, or -1."""
        first: cython.Py_ssize_t = 0
        best: cython.double = -INF
        wrong: cython.int = -1
        self.begin_with(self.best_slot, i)
        if self.keyed:
            for k in range(self.leaves.used):
                if self.leaf_best[self.leaves.values[k]] < self.best_rank:
                    break  # and so are all later leaves
                wrong = self.read_by_key(i, self.leaves.values[k])
                if wrong >= 0:
                    break
            return wrong
        if self.best_slot < 0:
            for k in range(self.leaves.used):
                bound = self.bound_of(i, self.leaves.values[k])
                if bound > best:
                    best = bound
                    first = k
            if self.leaves.used > 0:
                self.read_by_distance(i, self.leaves.values[first])
        for k in range(self.leaves.used):
            if self.bound_of(i, self.leaves.values[k]) >= self.best_rank:
                self.read_by_distance(i, self.leaves.values[k])
        return wrong

    def begin_with(self, slot: cython.int, i: cython.Py_ssize_t) -> NoGil[None]:
        """Begin with a slot as the best if it is in the ring, otherwise with none."""
        least = self.asked.limits[i, 0]
        most = self.asked.limits[i, 1]
        self.best_slot = -1
        self.best_rank = -INF
        self.best_distance2 = INF
        if slot < 0 or slot == self.seekers[i]:
            return
        entry: cython.Py_ssize_t = self.store.record[RECORD * slot + ENTRY]
        distance2 = self.distance2(i, entry)
        if least * least <= distance2 and distance2 <= most * most:
            self.best_slot = slot
            self.best_distance2 = distance2
            self.best_rank = self.ranks[entry] if self.keyed else distance2

    def read_by_key(self, i: cython.Py_ssize_t, leaf: cython.Py_ssize_t) -> NoGil[cython.int]:
        """Find the best unit of a leaf in a ring; return a slot there without a key, or -1."""
        entry = self.store.nodes.links[place_of(leaf) + FIRST]
        end = entry + self.store.nodes.links[place_of(leaf) + COUNT]
        x = self.asked.places[i, 0]
        y = self.asked.places[i, 1]
        least2 = self.asked.limits[i, 0] * self.asked.limits[i, 0]
        most2 = self.asked.limits[i, 1] * self.asked.limits[i, 1]
        distance2 = nearest_in_box(self.store.nodes.box, place_of(leaf), x, y)
        if distance2 > most2 or (
            self.leaf_best[leaf] == self.best_rank < INF and distance2 > self.best_distance2
        ):
            return -1
        while True:
            entry = next_better(
                self.store.xs,
                self.store.ys,
                self.ranks,
                entry,
                end,
                x,
                y,
                least2,
                most2,
                self.best_rank,
            )
            if entry == end:
                return -1
            slot = self.store.slot_of[entry]
            if slot != self.seekers[i]:
                if self.ranks[entry] == INF and not (
                    slot < len(self.keys) and self.keys[slot] == self.keys[slot]
                ):
                    return slot
                self.take_better(slot, self.ranks[entry], self.distance2(i, entry))
            entry += 1

    def read_by_distance(self, i: cython.Py_ssize_t, leaf: cython.Py_ssize_t) -> NoGil[None]:
        """Find the best unit of a leaf in a ring."""
        entry = self.store.nodes.links[place_of(leaf) + FIRST]
        end = entry + self.store.nodes.links[place_of(leaf) + COUNT]
        least2: cython.double = self.asked.limits[i, 0] * self.asked.limits[i, 0]
        most2 = self.asked.limits[i, 1] * self.asked.limits[i, 1]
        while True:
            if self.best_slot >= 0:
                least2 = self.best_distance2
            entry = next_between(
                self.store.xs,
                self.store.ys,
                entry,
                end,
                self.asked.places[i, 0],
                self.asked.places[i, 1],
                least2,
                most2,
            )
            if entry == end:
                return
            slot = self.store.slot_of[entry]
            if slot != self.seekers[i] and self.counts(entry):
                distance2 = self.distance2(i, entry)
                self.take_better(slot, distance2, distance2)
            entry += 1

    def take_better(
        self, slot: cython.int, rank: cython.double, distance2: cython.double
    ) -> NoGil[None]:
        """Take a slot, ranked no lower than the best so far, if it ranks higher or wins the tie."""
        if (
            self.best_slot < 0
            or rank > self.best_rank
            or distance2 < self.best_distance2
            or (
                distance2 == self.best_distance2
                and order_of(self.store, slot) < order_of(self.store, self.best_slot)
            )
        ):
            self.best_slot = slot
            self.best_rank = rank
            self.best_distance2 = distance2

    def bound_of(self, i: cython.Py_ssize_t, leaf: cython.Py_ssize_t) -> NoGil[cython.double]:
        """Return the greatest squared distance that a unit of a leaf can have from a seeker."""
        at = place_of(leaf)
        x = self.asked.places[i, 0]
        y = self.asked.places[i, 1]
        most2 = self.asked.limits[i, 1] * self.asked.limits[i, 1]
        if nearest_in_box(self.store.nodes.box, at, x, y) > most2:
            return -INF
        dx = max(x - self.store.nodes.box[at + MIN_X], self.store.nodes.box[at + MAX_X] - x)
        dy = max(y - self.store.nodes.box[at + MIN_Y], self.store.nodes.box[at + MAX_Y] - y)
        return min(dx * dx + dy * dy, most2)

    def distance2(self, i: cython.Py_ssize_t, entry: cython.Py_ssize_t) -> NoGil[cython.double]:
        """The squared distance from a seeker to a unit."""
        dx = self.store.xs[entry] - self.asked.places[i, 0]
        dy = self.store.ys[entry] - self.asked.places[i, 1]
        return dx * dx + dy * dy


# -- the loops -------------------------------------------------------------------------------------


def next_better(
    xs: cython.double[::1],
    ys: cython.double[::1],
    ranks: cython.double[::1],
    entry: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    least2: cython.double,
    most2: cython.double,
    best_rank: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """Return the next entry in a ring with at least this rank, or the end."""
    while entry < end:
        dx = xs[entry] - x
        dy = ys[entry] - y
        dx = dx * dx + dy * dy
        # One branch that is seldom taken; each condition alone could not be predicted.
        if (ranks[entry] >= best_rank) & (least2 <= dx) & (dx <= most2):
            break
        entry += 1
    return entry


def next_between(
    xs: cython.double[::1],
    ys: cython.double[::1],
    entry: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
    least2: cython.double,
    most2: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """The next entry in a ring, or the end."""
    while entry < end:
        dx = xs[entry] - x
        dy = ys[entry] - y
        dx = dx * dx + dy * dy
        if least2 <= dx and dx <= most2:
            break
        entry += 1
    return entry


def next_around(
    order: cython.int[::1],
    places: cython.double[:, ::1],
    limits: cython.const_double[:, :],
    k: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """Return the next seeker in the order whose ring holds a place, or the end."""
    while k < end:
        i: cython.Py_ssize_t = order[k]
        dx = x - places[i, 0]
        dy = y - places[i, 1]
        dx = dx * dx + dy * dy
        if limits[i, 0] * limits[i, 0] <= dx and dx <= limits[i, 1] * limits[i, 1]:
            break
        k += 1
    return k


@cython.inline
def nearest_in_box(
    box: cython.double[::1], at: cython.Py_ssize_t, x: cython.double, y: cython.double
) -> cython.double:
    """Return the squared distance from a point to a leaf's box, rounded as for its units."""
    dx = max(box[at + MIN_X] - x, x - box[at + MAX_X])
    dy = max(box[at + MIN_Y] - y, y - box[at + MAX_Y])
    dx = max(dx, 0.0)
    dy = max(dy, 0.0)
    return dx * dx + dy * dy

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Many seekers at once: who keeps a target, who is in range, and which of them is the best.

The numbers and their order are those of `Targeting.target` for one seeker. The tree does not change
meanwhile.

The best unit is found by branch and bound. A leaf is worth at most as much as its best key, or as
its nearest or farthest corner; the leaves in range are read from the one that is worth most down to
the first one that is worth less than what is found already. The best key of a leaf is found when
the first seeker comes to it, and then serves all others.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # compiled, search.pxd imports these
    from tilequad.ai._core.lookups import entry_of, tree_of
    from tilequad.quadtree._core import _cython as cython
    from tilequad.quadtree._core.layout import (
        COUNT,
        FIRST,
        INF,
        LEAVES,
        MAX_X,
        MAX_Y,
        MIN_X,
        MIN_Y,
        ORDER,
        RECORD,
        Walk,
        begin_question,
        end_question,
        place_of,
    )
    from tilequad.quadtree._core.unit_store import UnitStore
    from tilequad.quadtree._core.walk import find_leaves, next_span, start_counts
    from tilequad.quadtree._core.within import begin_within
    from tilequad.quadtree.dynamic import DynamicQuadtree

NAN = float("nan")
NOTHING = memoryview(array("d"))


def keep_targets(
    units: Any,
    targets: cython.int[::1],
    serials: cython.longlong[::1],
    groups: cython.int,
    centres: cython.double[:, ::1],
    least: cython.double[::1],
    most: cython.double[::1],
    keeps: cython.uchar[::1],
) -> None:
    """Write which targets still live, are in one of the groups, and in the ring of their seeker."""
    tree: DynamicQuadtree = tree_of(units)
    store: UnitStore = tree._store
    i: cython.Py_ssize_t
    entry: cython.int
    dx: cython.double
    dy: cython.double
    distance2: cython.double
    begin_question(cython.address(store.busy))
    for i in range(len(targets)):
        keeps[i] = False
        entry = entry_of(store, targets[i])
        if entry < 0 or store.record[RECORD * targets[i] + ORDER] != serials[i]:
            continue
        dx = store.xs[entry] - centres[i, 0]
        dy = store.ys[entry] - centres[i, 1]
        distance2 = dx * dx + dy * dy
        keeps[i] = (
            (store.masks[entry] & groups) != 0
            and least[i] * least[i] <= distance2
            and distance2 <= most[i] * most[i]
        )
    end_question(cython.address(store.busy))


class Rings:
    """The rings around some seekers, and who may be found in them.

    Args:
        units: The tree.
        seekers: Their slots; a seeker is not in its own ring.
        centres: Where they are.
        least: The least distance for each.
        most: The greatest distance for each.
        groups: Units in one of these groups count.
        barred: 1 for each slot that does not count; slots beyond its end do.
    """

    __slots__ = (
        "barred",
        "centres",
        "groups",
        "keys",
        "least",
        "most",
        "ranks",
        "seekers",
        "sign",
        "store",
        "tops",
    )

    def __init__(
        self,
        units: Any,
        seekers: memoryview,
        centres: memoryview,
        least: memoryview,
        most: memoryview,
        groups: int,
        barred: memoryview,
    ) -> None:
        tree: DynamicQuadtree = tree_of(units)
        self.store = tree._store
        self.seekers = seekers
        self.centres = centres
        self.least = least
        self.most = most
        self.groups = groups
        self.barred = barred
        self.keys = self.tops = self.ranks = NOTHING
        self.sign = 1.0

    def counts(self, entry: cython.Py_ssize_t) -> cython.bint:
        """Whether a unit is in one of the groups and not barred."""
        slot: cython.Py_ssize_t = self.store.slot_of[entry]
        return (self.store.masks[entry] & self.groups) != 0 and not (
            slot < len(self.barred) and self.barred[slot]
        )

    # -- all that are in range ---------------------------------------------------------------------

    def mark(self, marks: cython.uchar[::1]) -> None:
        """Mark the slots that are in any ring; `marks` covers all slots."""
        # By leaf: how many are not marked yet; -1 as long as nobody has come there.
        left: cython.int[::1] = array("i", [-1]) * (4 * self.store.nodes.capacity)
        i: cython.Py_ssize_t
        begin_question(cython.address(self.store.busy))
        with cython.nogil:
            for i in range(len(self.seekers)):
                self.mark_one(i, left, marks)
        end_question(cython.address(self.store.busy))

    def mark_one(
        self, i: cython.Py_ssize_t, left: cython.int[::1], marks: cython.uchar[::1]
    ) -> None:
        """Mark the slots in one ring. Leaves where all are marked are not read again."""
        walk = cython.declare(Walk)
        entry: cython.Py_ssize_t
        slot: cython.int
        x: cython.double = self.centres[i, 0]
        y: cython.double = self.centres[i, 1]
        least2: cython.double = self.least[i] * self.least[i]
        most2: cython.double = self.most[i] * self.most[i]
        dx: cython.double
        dy: cython.double
        distance2: cython.double
        start_counts(cython.address(walk), False)
        begin_within(cython.address(walk), x, y, self.most[i], self.groups, 0)
        while next_span(self.store.nodes, cython.address(walk)):
            if left[walk.leaf] < 0:
                left[walk.leaf] = 0
                for entry in range(walk.entry, walk.end):
                    left[walk.leaf] += self.counts(entry)
            if left[walk.leaf] > 0:
                for entry in range(walk.entry, walk.end):
                    slot = self.store.slot_of[entry]
                    if marks[slot] or slot == self.seekers[i]:
                        continue
                    dx = self.store.xs[entry] - x
                    dy = self.store.ys[entry] - y
                    distance2 = dx * dx + dy * dy
                    if least2 <= distance2 and distance2 <= most2 and self.counts(entry):
                        marks[slot] = True
                        left[walk.leaf] -= 1
            walk.entry = walk.end

    # -- the best of them --------------------------------------------------------------------------

    def best_by_key(self, keys: memoryview, sign: float, best: cython.int[::1]) -> int:
        """Write the slot with the highest key, times `sign`, in each ring; -1 where there is none.

        Of equal ones the closest to the seeker is the best, then the one added first. Returns a
        slot in a ring that has no key or one that is NaN, or -1.
        """
        i: cython.Py_ssize_t
        wrong: cython.longlong = -1
        self.keys = keys
        self.sign = sign
        # By leaf: its best key, NaN as long as nobody has come there. By entry of these leaves: its
        # key, NaN if it does not count, and infinite if it has none.
        self.tops = array("d", [NAN]) * (4 * self.store.nodes.capacity)
        self.ranks = np.empty(len(self.store.xs)).data
        begin_question(cython.address(self.store.busy))
        with cython.nogil:
            for i in range(len(self.seekers)):
                wrong = self.best_key_of(i, best)
                if wrong >= 0:
                    break
        end_question(cython.address(self.store.busy))
        return wrong

    def best_by_distance(self, farthest: cython.bint, best: cython.int[::1]) -> None:
        """Write the closest or the farthest slot in each ring; -1 where there is none.

        Of equal ones the one added first is the best.
        """
        i: cython.Py_ssize_t
        begin_question(cython.address(self.store.busy))
        with cython.nogil:
            for i in range(len(self.seekers)):
                best[i] = self.best_distance_of(i, farthest)
        end_question(cython.address(self.store.busy))

    def best_key_of(self, i: cython.Py_ssize_t, best: cython.int[::1]) -> cython.longlong:
        """`best_by_key` for one seeker; writes best[i]."""
        walk = cython.declare(Walk)
        bounds = cython.declare(cython.double[LEAVES])
        entry: cython.Py_ssize_t
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t
        slot: cython.int
        top: cython.int = -1
        x: cython.double = self.centres[i, 0]
        y: cython.double = self.centres[i, 1]
        least2: cython.double = self.least[i] * self.least[i]
        most2: cython.double = self.most[i] * self.most[i]
        dx: cython.double
        dy: cython.double
        distance2: cython.double
        nearest2: cython.double = INF  # the squared distance of `top`
        highest: cython.double = -INF
        start_counts(cython.address(walk), False)
        begin_within(cython.address(walk), x, y, self.most[i], self.groups, 0)
        while True:
            find_leaves(self.store.nodes, cython.address(walk))
            if walk.leaf_count == 0:
                break
            for k in range(walk.leaf_count):
                bounds[k] = self.top_of(walk.leaves[k])
            while take_best(cython.address(walk), bounds, highest):
                at = place_of(walk.leaf)
                distance2 = nearest_in_box(self.store, at, x, y)
                if distance2 > most2 or (
                    bounds[walk.leaf_count] == highest < INF and distance2 > nearest2
                ):
                    continue
                walk.entry = self.store.nodes.links[at + FIRST]
                walk.end = walk.entry + self.store.nodes.links[at + COUNT]
                for entry in range(walk.entry, walk.end):
                    if not self.ranks[entry] >= highest:
                        continue
                    dx = self.store.xs[entry] - x
                    dy = self.store.ys[entry] - y
                    distance2 = dx * dx + dy * dy
                    slot = self.store.slot_of[entry]
                    if distance2 > most2 or distance2 < least2 or slot == self.seekers[i]:
                        continue
                    if self.ranks[entry] == INF and not self.has_key(slot):
                        return slot
                    if (
                        top < 0
                        or self.ranks[entry] > highest
                        or distance2 < nearest2
                        or (
                            distance2 == nearest2
                            and order_of(self.store, slot) < order_of(self.store, top)
                        )
                    ):
                        top = slot
                        highest = self.ranks[entry]
                        nearest2 = distance2
        best[i] = top
        return -1

    def top_of(self, leaf: cython.Py_ssize_t) -> cython.double:
        """The best key in a leaf, from -inf to inf."""
        at: cython.Py_ssize_t
        entry: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        top: cython.double = self.tops[leaf]
        if top == top:
            return top
        at = self.store.nodes.links[place_of(leaf) + FIRST]
        top = -INF
        for entry in range(at, at + self.store.nodes.links[place_of(leaf) + COUNT]):
            self.ranks[entry] = NAN
            if self.counts(entry):
                slot = self.store.slot_of[entry]
                self.ranks[entry] = self.sign * self.keys[slot] if self.has_key(slot) else INF
                top = max(top, self.ranks[entry])
        self.tops[leaf] = top
        return top

    def has_key(self, slot: cython.Py_ssize_t) -> cython.bint:
        """Whether a slot has a key that is a number."""
        return slot < len(self.keys) and self.keys[slot] == self.keys[slot]

    def best_distance_of(self, i: cython.Py_ssize_t, farthest: cython.bint) -> cython.int:
        """`best_by_distance` for one seeker."""
        walk = cython.declare(Walk)
        bounds = cython.declare(cython.double[LEAVES])
        entry: cython.Py_ssize_t
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t
        slot: cython.int
        top: cython.int = -1
        x: cython.double = self.centres[i, 0]
        y: cython.double = self.centres[i, 1]
        least2: cython.double = self.least[i] * self.least[i]
        most2: cython.double = self.most[i] * self.most[i]
        dx: cython.double
        dy: cython.double
        distance2: cython.double
        rank: cython.double  # the higher, the better
        highest: cython.double = -INF
        start_counts(cython.address(walk), False)
        begin_within(cython.address(walk), x, y, self.most[i], self.groups, 0)
        while True:
            find_leaves(self.store.nodes, cython.address(walk))
            if walk.leaf_count == 0:
                break
            for k in range(walk.leaf_count):
                at = place_of(walk.leaves[k])
                bounds[k] = -nearest_in_box(self.store, at, x, y)
                if bounds[k] < -most2:
                    bounds[k] = -INF
                elif farthest:
                    bounds[k] = farthest_in_box(self.store, at, x, y)
            while take_best(cython.address(walk), bounds, highest):
                at = place_of(walk.leaf)
                walk.entry = self.store.nodes.links[at + FIRST]
                walk.end = walk.entry + self.store.nodes.links[at + COUNT]
                for entry in range(walk.entry, walk.end):
                    dx = self.store.xs[entry] - x
                    dy = self.store.ys[entry] - y
                    distance2 = dx * dx + dy * dy
                    rank = distance2 if farthest else -distance2
                    if rank < highest or distance2 > most2 or distance2 < least2:
                        continue
                    slot = self.store.slot_of[entry]
                    if slot == self.seekers[i] or not self.counts(entry):
                        continue
                    if (
                        top < 0
                        or rank > highest
                        or order_of(self.store, slot) < order_of(self.store, top)
                    ):
                        top = slot
                        highest = rank
        return top


def take_best(
    walk: cython.pointer[Walk], bounds: cython.p_double, highest: cython.double
) -> cython.bint:
    """Take the leaf with the highest bound; False if none is left that has at least `highest`.

    It becomes `walk.leaf`, and its bound stands behind those that are left.
    """
    k: cython.Py_ssize_t
    first: cython.Py_ssize_t = 0
    bound: cython.double
    if walk.leaf_count == 0:
        return False
    for k in range(1, walk.leaf_count):
        if bounds[k] > bounds[first]:
            first = k
    bound = bounds[first]
    if bound < highest:
        walk.leaf_count = 0
        return False
    walk.leaf_count -= 1
    walk.leaf = walk.leaves[first]
    walk.leaves[first] = walk.leaves[walk.leaf_count]
    bounds[first] = bounds[walk.leaf_count]
    bounds[walk.leaf_count] = bound
    return True


def nearest_in_box(
    store: UnitStore, at: cython.Py_ssize_t, x: cython.double, y: cython.double
) -> cython.double:
    """The squared distance from a point to the box of a leaf. Rounds as that to its units does."""
    dx: cython.double = max(store.nodes.box[at + MIN_X] - x, x - store.nodes.box[at + MAX_X])
    dy: cython.double = max(store.nodes.box[at + MIN_Y] - y, y - store.nodes.box[at + MAX_Y])
    dx = max(dx, 0.0)
    dy = max(dy, 0.0)
    return dx * dx + dy * dy


def farthest_in_box(
    store: UnitStore, at: cython.Py_ssize_t, x: cython.double, y: cython.double
) -> cython.double:
    """The squared distance from a point to the farthest corner of the box of a leaf."""
    dx: cython.double = max(x - store.nodes.box[at + MIN_X], store.nodes.box[at + MAX_X] - x)
    dy: cython.double = max(y - store.nodes.box[at + MIN_Y], store.nodes.box[at + MAX_Y] - y)
    return dx * dx + dy * dy


def order_of(store: UnitStore, slot: cython.Py_ssize_t) -> cython.int:
    """The number of a slot in the order of adding."""
    return store.record[RECORD * slot + ORDER]

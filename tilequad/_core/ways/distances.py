"""Distances to the nearest goal and the ways there, for every cell, from scratch.

A distance is a whole number of 40 bits, so sums do not round and do not depend on order. Distances
are negative: a goal has the least, ZERO, and a cell without a distance has FAR, which is 0. A cell
also has its *ways*: a bit for each move along a shortest path. Both stand in one word, which is
`distance * 256 | ways`. A cell without ways is a goal, or has no distance.

So memory of zeros holds no distances. A search begins in such memory and clears none: on a large
map it touches only what it finds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Object, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.buckets import Buckets
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.headings import PENDING, Headings
from tilequad._core.ways.layout import FAR, LATTICE, SOURCE, UNREACHED, ZERO

NO_END: cython.Py_ssize_t = 1 << 62  # more cells than there are


@cython.final
@cython.cclass
class Distances:
    """The distances and ways of all cells.

    Args:
        ground: The cells.
        words: A word for each place.
        limit: The largest distance, from ZERO on.
        headings: What else to find for each cell, if anything.
    """

    __slots__ = {
        "ground": "Ground",
        "queue": "Buckets",
        "codes": "unsigned char[::1]",  # the ground's own, here because an indirection costs time
        "moves": "unsigned char[::1]",
        "counts": "unsigned char[::1]",
        "orders": "unsigned char[::1]",
        "backs": "unsigned char[::1]",
        "offsets": "int[::1]",
        "halves": "long long[::1]",
        "kind": "int",
        "words": "long long[::1]",
        "limit": "long long",
        "even": "bint",  # whether all open cells cost the same
        "cost_count": "readonly Py_ssize_t",  # how many different costs the queue is made for
        "reached": "Py_ssize_t",  # about how many cells have a distance
        "headings": "readonly Headings",
        "found": "IntBuffer",  # the places whose distances a repair has found
    }

    def __init__(
        self,
        ground: Ground,
        words: memoryview,
        limit: int,
        headings: Headings | None = None,
    ) -> None:
        self.ground = ground
        self.codes, self.moves, self.halves = ground.codes, ground.moves, ground.halves
        self.counts, self.orders = ground.counts, ground.orders
        self.offsets, self.backs = ground.offsets, ground.backs
        self.kind = ground.kind
        self.words = words
        self.limit = limit
        self.cost_count = len(ground.costs.values)
        self.even = self.cost_count == 2
        self.queue = Buckets(*ground.move_range())
        self.reached = len(words)
        self.headings: Any = headings
        self.found = IntBuffer(256)

    def find(self, goals: cython.int[::1]) -> None:
        """Find the distance of each cell to the nearest goal from scratch, in memory of zeros."""
        self.begin(goals)
        self.go_on(NO_END)

    def begin(self, goals: cython.int[::1]) -> None:
        """Begin a search from scratch, in memory of zeros; `go_on` goes on with it."""
        with cython.nogil:
            self.queue.clear()
            self.queue.start(ZERO)
            for i in range(len(goals)):
                place = self.ground.place_of(goals[i])
                self.words[place] = SOURCE
                self.queue.append(cython.cast(cython.int, place), ZERO)
        self.reached = 0

    def go_on(self, cells: int) -> bool:
        """Go on with a search until it has found that many cells, or a few more.

        Returns whether all are found. What it has found depends on the number alone, not on how
        often it stopped.
        """
        most: cython.Py_ssize_t = cells
        with cython.nogil:
            self.reached += self.spread(FAR, True, most - self.reached)
        if self.queue.size > 0:
            return False
        if self.queue.wide and self.headings is not None:
            reached = np.flatnonzero(np.asarray(self.words) != UNREACHED)
            np.asarray(self.headings.bytes)[reached] = PENDING
            self.straighten(reached)
        return True

    def spread(
        self, stop: cython.longlong, anew: cython.bint, most: cython.Py_ssize_t
    ) -> RaisesNoGil[cython.Py_ssize_t]:
        """Go on from the places in the queue until it is empty or has reached the bucket of a key.

        Or until it has gone on from `most` places, or from a few more.

        In a search from scratch (`anew`) every place with a distance has been queued. Returns how
        many places were in the queue.
        """
        done: cython.Py_ssize_t = 0
        while done < most and self.queue.take_bucket(stop):
            count = self.expand_bucket(anew)
            if anew and not self.queue.wide and self.headings is not None:
                self.headings.settle(self.queue)
            self.queue.free_bucket(count)
            done += count
        return done

    def expand_bucket(self, anew: cython.bint) -> RaisesNoGil[cython.Py_ssize_t]:
        """Offer each place of a bucket to its neighbors as their way; return how many places.

        A place that has moved to an earlier bucket is skipped. A place whose distance shrinks, but
        that stays in this bucket, is not added again if the search is from scratch.
        """
        words: cython.p_longlong = cython.address(self.words[0]) if cython.compiled else self.words
        codes: cython.p_uchar = cython.address(self.codes[0]) if cython.compiled else self.codes
        orders: cython.p_uchar = cython.address(self.orders[0]) if cython.compiled else self.orders
        offsets: cython.p_int = cython.address(self.offsets[0]) if cython.compiled else self.offsets
        limit = self.limit
        even = self.even
        shift = self.queue.shift
        now = self.queue.now
        entry = self.queue.first
        done: cython.Py_ssize_t = 0
        while entry >= 0:
            place: cython.Py_ssize_t = self.queue.places[entry]
            entry = self.queue.nexts[entry]
            done += 1
            distance = words[place] >> 8
            if distance >> shift != now:
                continue
            if not anew:
                self.found.append(cython.cast(cython.int, place))
            code: cython.Py_ssize_t = 8 * codes[place]
            if code == 0:
                self.expand_closed_goal(place)
                continue
            # Not back along its own ways, because those cells are nearer.
            moves: cython.Py_ssize_t = self.moves[place] & ~words[place]
            base = self.ground.parity_of(place) if self.kind != LATTICE else 0
            for at in range(8 * moves, 8 * moves + self.counts[moves]):
                k: cython.Py_ssize_t = orders[at]
                other: cython.Py_ssize_t = place + offsets[base + k]
                there = distance + self.halves[code + k]
                there += self.halves[code + k] if even else self.halves[8 * codes[other] + k]
                before = words[other] >> 8
                if there > before or there > limit:
                    continue
                if there == before:
                    words[other] |= self.backs[k]
                    continue
                words[other] = 256 * there | self.backs[k]
                if not anew or there >> shift != before >> shift or there >> shift == now:
                    self.queue.append(cython.cast(cython.int, other), there)
        return done

    def straighten(self, places: np.ndarray) -> Object[None]:
        """Find the headings of marked cells again, and of those that depend on what changes."""
        order = np.argsort(np.asarray(self.words)[places])
        nearest: cython.int[::1] = np.require(places[order], np.int32, ["C", "W"]).data
        with cython.nogil:
            self.headings.follow(self.queue, nearest)

    def expand_closed_goal(self, place: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Seed the neighbors across the edges of a goal in a closed cell."""
        base = self.ground.parity_of(place)
        for k in range(self.ground.directions):
            other = place + self.ground.offsets[base + k]
            if not self.ground.edges >> k & 1 or self.ground.codes[other] == 0:
                continue
            before = self.words[other] >> 8
            there = ZERO + 2 * self.ground.halves[8 * self.ground.codes[other] + k]
            if there < before and there <= self.limit:
                self.words[other] = 256 * there | self.ground.backs[k]
                self.queue.append(cython.cast(cython.int, other), there)
            elif there == before:
                self.words[other] |= self.ground.backs[k]
        return 0

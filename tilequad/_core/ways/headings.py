r"""Straight directions: which way a walker goes from each cell, and how long its straight way is.

Distances of a grid grow along moves, so over open land many ways to a goal are equally short, and
none of them is straight. Here a way may cross the edge between two neighbors at any point: its
length solves the eikonal equation on the triangles between a cell and two of its neighbors
(Sethian, 1999). A cell depends only on nearer cells, so one pass in the order of the distances is
enough, and the result is a function of the distances: repaired or found anew, it is the same.

       0        t      1
      one ----F-*---- two      F is the foot, the point of their line nearest to the cell;
         \    | /   /          a is the angle at the cell, between its ways to F and to t
            \ |a/ /
             cell

From `one` to `two`, two neighbors side by side, the length falls evenly, by `fall`. The way crosses
their line at t, where the length there and the way to it are least together: the sine of the angle
a is then fall / (cost * the length of the line). The heading leans by t.

A heading is one byte: the number of a direction, and how far it leans to the next one.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.buckets import Buckets
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import (
    FAR,
    FOOT,
    FRAME,
    INVERSE_LENGTH,
    LATTICE,
    LEAN_SCALE,
    LEVELS,
    REACH,
    SOURCE,
    UNREACHED,
)
from tilequad._core.ways.tables import heading_tables

NONE: cython.int = 0  # no way leads on
PENDING: cython.int = 254  # to be found again
GOAL: cython.int = 255
LEAST_COSINE2: cython.double = 1e-12  # for a way along a frame's line, which would divide by 0


@cython.final
@cython.cclass
class Headings:
    """The lengths and headings of all cells.

    Args:
        ground: The cells.
        words: Their distances and ways, as `Distances` writes them.
        lengths: Gets the length of the straight way from each place, in world units times cost.
        bytes_: Gets the heading of each place.
    """

    __slots__ = {
        "ground": "Ground",
        "codes": "unsigned char[::1]",  # the ground's own, here because an indirection costs time
        "moves": "unsigned char[::1]",
        "counts": "unsigned char[::1]",
        "orders": "unsigned char[::1]",
        "offsets": "int[::1]",
        "halves": "long long[::1]",
        "words": "long long[::1]",
        "lengths": "float[::1]",
        "bytes": "unsigned char[::1]",
        "table": "readonly double[::1]",  # by heading: a unit vector (x, y)
        "frames": "double[::1]",  # by direction: a frame, see `layout`
        "beside": "unsigned char[::1]",  # by set of ways: the directions beside them
        "nexts": "unsigned char[::1]",  # by direction: the next one
        "leaning": "unsigned char[::1]",  # by direction and level: the heading
        "costs": "double[::1]",  # by code, and their inverses
        "shares": "double[::1]",
        "margins": "long long[::1]",  # by code: how much nearer a cell must be to be depended on
        "pairs": "unsigned char[::1]",  # by set of ways: k + 1 if it is a direction and the next
        "rest": "IntBuffer",  # places to be settled last
        "unit": "double",
        "turn": "readonly Py_ssize_t",  # from a direction to the next one
        "kind": "int",
    }

    def __init__(
        self, ground: Ground, words: memoryview, lengths: memoryview, bytes_: memoryview
    ) -> None:
        self.ground = ground
        self.codes, self.moves, self.halves = ground.codes, ground.moves, ground.halves
        self.counts, self.orders, self.offsets = ground.counts, ground.orders, ground.offsets
        self.kind = ground.kind
        self.words, self.bytes = words, bytes_
        self.lengths: Any = lengths
        self.rest = IntBuffer(256)
        self.unit = ground.costs.unit
        self.turn = 2 if ground.need == 3 and ground.directions == 8 else 1
        steps = np.asarray(ground.steps).reshape(8, 2)[: ground.directions]
        tables = heading_tables(steps.tobytes(), self.turn)
        self.table, self.frames, self.pairs, self.beside = tables[:4]
        self.nexts, self.leaning = tables[4:]
        values = np.zeros(256)
        values[1 : len(ground.costs.values)] = ground.costs.values[1:]
        self.costs = values.data
        self.shares = np.divide(1.0, values, where=values > 0.0, out=np.zeros(256)).data
        halves = np.asarray(ground.halves).reshape(256, 8)[:, : ground.directions]
        self.margins = np.ascontiguousarray(halves.min(axis=1)).data

    # -- from scratch ------------------------------------------------------------------------------

    def settle(self, queue: Buckets) -> RaisesNoGil[cython.int]:
        """Find the headings of the bucket that was taken, whose distances are final.

        Most ways lead between two neighbors that are nearer by a bucket at least. The others may
        depend on a cell that is nearer by half a bucket, so their nearer half comes first.
        """
        half: cython.int = max(queue.shift - 1, 0)
        self.rest.used = 0
        self.settle_between(queue)
        for part in range(2):
            for i in range(self.rest.used):
                if (self.words[self.rest.values[i]] >> 8 >> half & 1) == part:
                    self.find_any(self.rest.values[i])
        return 0

    def settle_between(self, queue: Buckets) -> RaisesNoGil[cython.int]:
        """Find the headings that lie between the two ways of a cell; list the other cells."""
        places: cython.p_int = cython.address(queue.places[0]) if cython.compiled else queue.places
        nexts: cython.p_int = cython.address(queue.nexts[0]) if cython.compiled else queue.nexts
        words: cython.p_longlong = cython.address(self.words[0]) if cython.compiled else self.words
        pairs: cython.p_uchar = cython.address(self.pairs[0]) if cython.compiled else self.pairs
        codes: cython.p_uchar = cython.address(self.codes[0]) if cython.compiled else self.codes
        bytes_: cython.p_uchar = cython.address(self.bytes[0]) if cython.compiled else self.bytes
        offsets: cython.p_int = cython.address(self.offsets[0]) if cython.compiled else self.offsets
        leans: cython.p_uchar = cython.address(self.leaning[0]) if cython.compiled else self.leaning
        far: cython.p_float = cython.address(self.lengths[0]) if cython.compiled else self.lengths
        frames: cython.p_double = cython.address(self.frames[0]) if cython.compiled else self.frames
        costs: cython.p_double = cython.address(self.costs[0]) if cython.compiled else self.costs
        shares: cython.p_double = cython.address(self.shares[0]) if cython.compiled else self.shares
        lattice: cython.bint = self.kind == LATTICE
        shift = queue.shift
        now = queue.now
        following: cython.p_uchar = cython.address(self.nexts[0]) if cython.compiled else self.nexts
        entry = queue.first
        while entry >= 0:
            place: cython.Py_ssize_t = places[entry]
            entry = nexts[entry]
            if words[place] >> 8 >> shift != now:
                continue
            k: cython.Py_ssize_t = pairs[words[place] & 0xFF] - 1
            if k < 0:
                self.rest.append(cython.cast(cython.int, place))
                continue
            base = 0 if lattice else self.ground.parity_of(place)
            one: cython.Py_ssize_t = place + offsets[base + k]
            two: cython.Py_ssize_t = place + offsets[base + following[k]]
            code: cython.Py_ssize_t = codes[place]
            first: cython.double = far[one]
            fall: cython.double = first - far[two]
            sine = fall * frames[FRAME * k + INVERSE_LENGTH] * shares[code]
            cosine = sqrt(max(1.0 - sine * sine, LEAST_COSINE2))
            lean = frames[FRAME * k + FOOT] + frames[FRAME * k + LEAN_SCALE] * sine / cosine
            if codes[one] != code or codes[two] != code or not 0.0 < lean < 1.0:
                self.rest.append(cython.cast(cython.int, place))
                continue
            far[place] = (
                first
                - fall * frames[FRAME * k + FOOT]
                + costs[code] * frames[FRAME * k + REACH] * cosine
            )
            level = cython.cast(cython.Py_ssize_t, lean * LEVELS + 0.5)
            bytes_[place] = leans[k * (LEVELS + 1) + level]
        return 0

    # -- after a change ----------------------------------------------------------------------------

    def mark(self, place: cython.Py_ssize_t, marked: IntBuffer) -> RaisesNoGil[cython.int]:
        """Mark a cell and its neighbors as to be found again, and list those that were not yet."""
        other = place
        base = self.ground.parity_of(place)
        for k in range(-1, self.ground.directions):
            if k >= 0:
                other = place + self.offsets[base + k]
            if self.bytes[other] != PENDING:
                self.bytes[other] = PENDING
                marked.append(cython.cast(cython.int, other))
        return 0

    def follow(self, queue: Buckets, places: cython.int[::1]) -> RaisesNoGil[cython.int]:
        """Find the headings of marked cells, and of those that depend on what changes there.

        Args:
            queue: An empty queue for their distances.
            places: The marked cells, nearest first.
        """
        at: cython.Py_ssize_t = 0
        n = len(places)
        while n > 0 and self.words[places[n - 1]] == UNREACHED:
            n -= 1
            self.find(places[n])
        while at < n or queue.size > 0:
            if queue.size == 0:
                queue.start(self.words[places[at]] >> 8)
            stop = queue.end_of_bucket()
            while at < n and self.words[places[at]] >> 8 < stop:
                queue.append(places[at], self.words[places[at]] >> 8)
                at += 1
            stop = self.words[places[at]] >> 8 if at < n else FAR
            while queue.take_bucket(stop):
                self.find_bucket(queue)
        return 0

    def find_bucket(self, queue: Buckets) -> RaisesNoGil[cython.int]:
        """Find the headings of a bucket; those that depend on a changed length wait for theirs."""
        count: cython.Py_ssize_t = 0
        entry = queue.first
        while entry >= 0:
            place: cython.Py_ssize_t = queue.places[entry]
            entry = queue.nexts[entry]
            count += 1
            if self.bytes[place] != PENDING or not self.find(place):
                continue
            base = self.ground.parity_of(place)
            for k in range(self.ground.directions):
                other: cython.Py_ssize_t = place + self.offsets[base + k]
                if (
                    self.words[place] >> 8 < self.words[other] >> 8 < FAR
                    and self.bytes[other] != PENDING
                ):
                    self.bytes[other] = PENDING
                    queue.append(cython.cast(cython.int, other), self.words[other] >> 8)
        queue.free_bucket(count)
        return 0

    # -- one cell ----------------------------------------------------------------------------------

    def find(self, place: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Find the length and the heading of a cell; return whether its length has changed."""
        before = self.lengths[place]
        ways: cython.Py_ssize_t = self.words[place] & 0xFF
        base = self.ground.parity_of(place) if self.kind != LATTICE else 0
        k: cython.Py_ssize_t = self.pairs[ways]
        way = cython.declare(cython.double[2])  # its length, and how far it leans
        if k != 0 and self.lean(place, base, self.codes[place], k - 1, way):
            self.write(place, k - 1, way)
        else:
            self.find_any(place)
        return self.lengths[place] != before

    def find_any(self, place: cython.Py_ssize_t) -> NoGil[None]:
        """Find the length and the heading of a cell whose way does not lie between its two ways."""
        way = cython.declare(cython.double[2])
        if self.words[place] & 0xFF == 0:
            self.lengths[place] = 0.0
            self.bytes[place] = GOAL if self.words[place] == SOURCE else NONE
            return
        base = self.ground.parity_of(place) if self.kind != LATTICE else 0
        k = self.best_way(place, base, self.codes[place], way)
        self.write(place, k, way)

    def write(
        self, place: cython.Py_ssize_t, k: cython.Py_ssize_t, way: cython.p_double
    ) -> NoGil[None]:
        """Write the length and the heading of a cell, whose way leans from direction k."""
        self.lengths[place] = way[0]
        self.bytes[place] = self.leaning[
            k * (LEVELS + 1) + cython.cast(cython.Py_ssize_t, way[1] * LEVELS + 0.5)
        ]

    def best_way(
        self,
        place: cython.Py_ssize_t,
        base: cython.Py_ssize_t,
        code: cython.Py_ssize_t,
        best: cython.p_double,
    ) -> NoGil[cython.Py_ssize_t]:
        """Return the direction of the shortest way to nearer cells, and write the way.

        They are those that the shortest moves lead to, and those beside them.
        """
        found: cython.Py_ssize_t = -1
        nearer: cython.Py_ssize_t = self.words[place] & 0xFF
        moves: cython.Py_ssize_t = self.moves[place] & self.beside[nearer]
        least = (self.words[place] >> 8) - self.margins[code]
        way = cython.declare(cython.double[2])
        for at in range(8 * moves, 8 * moves + self.counts[moves]):
            k: cython.Py_ssize_t = self.orders[at]
            if self.words[place + self.offsets[base + k]] >> 8 <= least:
                nearer |= 1 << k
        best[0] = best[1] = 0.0
        for at in range(8 * nearer, 8 * nearer + self.counts[nearer]):
            k = self.orders[at]
            other = place + self.offsets[base + k]
            there = self.codes[other] if self.codes[other] != 0 else code  # a closed goal
            length = self.unit * (self.halves[8 * code + k] + self.halves[8 * there + k])
            length += self.lengths[other]
            if found < 0 or length < best[0]:
                best[0] = length
                best[1] = 0.0
                found = k
            if (
                nearer >> self.nexts[k] & 1
                and self.lean(place, base, code, k, way)
                and way[0] < best[0]
            ):
                best[0] = way[0]
                best[1] = way[1]
                found = k
        return found

    def lean(
        self,
        place: cython.Py_ssize_t,
        base: cython.Py_ssize_t,
        code: cython.Py_ssize_t,
        k: cython.Py_ssize_t,
        way: cython.p_double,
    ) -> NoGil[cython.bint]:
        """Write the way that leads between two neighbors; return False if none does."""
        one = place + self.offsets[base + k]
        two = place + self.offsets[base + self.nexts[k]]
        first: cython.double = self.lengths[one]
        fall: cython.double = first - self.lengths[two]
        if self.codes[one] != code or self.codes[two] != code:
            return False
        sine = fall * self.frames[FRAME * k + INVERSE_LENGTH] * self.shares[code]
        cosine = sqrt(max(1.0 - sine * sine, LEAST_COSINE2))
        way[1] = self.frames[FRAME * k + FOOT] + self.frames[FRAME * k + LEAN_SCALE] * sine / cosine
        way[0] = first - fall * self.frames[FRAME * k + FOOT]
        way[0] += self.costs[code] * self.frames[FRAME * k + REACH] * cosine
        return 0.0 < way[1] < 1.0


def move_of(
    heading: cython.Py_ssize_t, directions: cython.Py_ssize_t, turn: cython.Py_ssize_t
) -> NoGil[cython.Py_ssize_t]:
    """Return the direction of the move closest to a heading."""
    k = (heading - 1) // LEVELS
    lean = (heading - 1) % LEVELS
    return (k + turn) % directions if 2 * lean > LEVELS else k

"""The shortest ways from cell to cell: A* (Hart, Nilsson and Raphael, 1968) with whole numbers.

A search begins at the goal that several ways share, and finds the shortest way from there to each
of their starts. What it knows about a cell, its node, is packed into one word, from the upper bits
down:

    generation  from bit 45: minus twice the number of the search, so that the states of earlier
                searches are larger than all of its own, and none need be cleared. A start that has
                not been reached is one generation later.
    distance    from bit 5: from the goal
    start       bit 4: whether the cell is one of the starts
    move        from bit 1: the direction of the move that led there
    done        bit 0: whether the search has gone on from there
"""

from __future__ import annotations

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.buckets import Buckets
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.landmarks import Landmarks
from tilequad._core.ways.layout import LATTICE

GENERATION: cython.longlong = 1 << 45
LAST: cython.longlong = -(1 << 62)  # from here on, the states must be cleared
START: cython.longlong = 16
RUN: cython.int = 16  # the most cells of a corridor that are gone through without the queue


@cython.final
@cython.cclass
class AStar:
    """Finds the shortest ways from some places to another.

    Args:
        ground: The cells.
        landmarks: Lower bounds for the rest of a way.
    """

    __slots__ = {
        "ground": "Ground",
        "codes": "unsigned char[::1]",  # the ground's own, here because an indirection costs time
        "moves": "unsigned char[::1]",
        "counts": "unsigned char[::1]",
        "orders": "unsigned char[::1]",
        "offsets": "int[::1]",
        "halves": "long long[::1]",
        "landmarks": "Landmarks",
        "queue": "Buckets",
        "node_states": "long long[::1]",  # by place; 0 if no search has come there
        "age": "long long",  # the generation of the search
        "even": "bint",  # whether all open cells cost the same
        "kind": "int",
        "starts": "IntBuffer",  # the places that the search looks for
        "reached": "Py_ssize_t",  # how many of the first of them it has found
        "best": "long long",  # how far the farthest of them is, at most; -1 if one is not found
        "visited": "long long",  # how many cells it has gone on from
        "cells": "IntBuffer",  # the places of the way that was traced last
    }

    def __init__(self, ground: Ground, landmarks: Landmarks) -> None:
        self.ground = ground
        self.codes, self.moves, self.halves = ground.codes, ground.moves, ground.halves
        self.counts, self.orders, self.offsets = ground.counts, ground.orders, ground.offsets
        self.landmarks = landmarks
        least, most = ground.move_range()
        self.queue = Buckets(least // 8, 2 * (RUN + 1) * most + 16)
        self.age = LAST
        self.even = len(ground.costs.values) == 2
        self.kind = ground.kind
        self.starts = IntBuffer(16)
        self.reached = 0
        self.best = -1
        self.visited = 0
        self.cells = IntBuffer(256)

    def costs_to(self, goal: int, starts: list[int]) -> list[int]:
        """Return what the shortest ways from some cells to one of the same area cost."""
        places = [self.ground.place_of(start) for start in starts]
        self.starts.used = 0
        for place in places:
            self.starts.append(place)
        self.search(self.ground.place_of(goal))
        return [self.distance_of(place) for place in places]

    def distance_of(self, place: cython.Py_ssize_t) -> NoGil[cython.longlong]:
        """How far a place is from the goal, at most; -1 if the search has not come there."""
        state = self.node_states[place]
        return (state - self.age) >> 5 if state < self.age + GENERATION else -1

    def begin(self, goal: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Begin a search with its goal in the queue."""
        least = self.landmarks.aim(goal, self.starts)
        if self.age <= LAST:
            with cython.gil:
                self.node_states = np.zeros(len(self.ground.codes), np.int64).data
            self.age = 0
        self.age -= 2 * GENERATION
        self.reached = 0
        for i in range(self.starts.used):
            self.node_states[self.starts.values[i]] = self.age + GENERATION + START
        self.node_states[goal] = self.age
        self.visited = 0
        self.queue.clear()
        self.queue.start(least)
        self.queue.push(cython.cast(cython.int, goal), least)
        return 0

    def search(self, goal: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Find the shortest way from each start to a goal in their area; the states hold them."""
        self.begin(goal)
        self.find_farthest()
        while self.queue.pop():
            if self.best >= 0 and self.queue.key >= self.best:
                if self.queue.key >> self.queue.shift > self.best >> self.queue.shift:
                    break
            elif not self.node_states[self.queue.place] & 1:
                self.expand(self.queue.place)
        self.landmarks.count_visits(self.visited)
        return 0

    def expand(self, place: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Go on from a place to all its neighbors."""
        even = self.even
        codes: cython.p_uchar = cython.address(self.codes[0]) if cython.compiled else self.codes
        orders: cython.p_uchar = cython.address(self.orders[0]) if cython.compiled else self.orders
        offsets: cython.p_int = cython.address(self.offsets[0]) if cython.compiled else self.offsets
        halves: cython.p_longlong = (
            cython.address(self.halves[0]) if cython.compiled else self.halves
        )
        state = self.distance_of(place)
        base = self.ground.parity_of(place) if self.kind != LATTICE else 0
        moves: cython.Py_ssize_t = self.moves[place]
        code: cython.Py_ssize_t = 8 * codes[place]
        self.node_states[place] |= 1
        self.visited += 1
        self.landmarks.leave(place)
        for i in range(8 * moves, 8 * moves + self.counts[moves]):
            k: cython.Py_ssize_t = orders[i]
            other = place + offsets[base + k]
            there = state + halves[code + k]
            there += halves[code + k] if even else halves[8 * codes[other] + k]
            if not self.note(other, k, there):
                continue
            if self.counts[self.moves[other]] <= 2:
                self.push_end(self.run_on(other))
                self.landmarks.leave(place)
                continue
            there = max(there + self.landmarks.after(other, k), self.queue.key)
            if self.best < 0 or there < self.best:
                self.queue.push(cython.cast(cython.int, other), there)
        return 0

    def note(
        self, place: cython.Py_ssize_t, k: cython.Py_ssize_t, there: cython.longlong
    ) -> NoGil[cython.bint]:
        """Note that a move leads to a place; False if a way there is known that is no longer."""
        before = self.node_states[place]
        if self.age + (there << 5) >= (before & -32):
            return False
        self.node_states[place] = self.age + (there << 5) + (k << 1)
        if before & START and before < self.age + 2 * GENERATION:
            self.node_states[place] += START
            self.find_farthest()
        return True

    def push_end(self, place: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Queue the end of a corridor, if there is one."""
        if place >= 0:
            self.landmarks.leave(self.before(place))
            key = self.landmarks.after(place, (self.node_states[place] >> 1) & 7)
            key = max(key + self.distance_of(place), self.queue.key)
            if self.best < 0 or key < self.best:
                self.queue.push(cython.cast(cython.int, place), key)
        return 0

    def run_on(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """Go on from a place that was just reached, as long as there is one way on.

        That spares corridors the queue. They may be found out of turn: then they are found again
        when a shorter way comes. Returns where it ends, -1 if nothing is to be queued.
        """
        for _ in range(RUN):
            others = self.moves[place] & ~(1 << self.back_of(place))
            if self.node_states[place] & START or self.counts[others] > 1:
                return place
            there = self.distance_of(place)
            self.node_states[place] |= 1
            self.visited += 1
            if others == 0 or (self.best >= 0 and there >= self.best):
                return -1
            k: cython.Py_ssize_t = self.orders[8 * others]
            base = self.ground.parity_of(place) if self.kind != LATTICE else 0
            there += self.halves[8 * self.codes[place] + k]
            place += self.offsets[base + k]
            there += self.halves[8 * self.codes[place] + k]
            if not self.note(place, k, there):
                return -1
        return place

    def back_of(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The move from a place toward the goal."""
        return self.ground.opposites[(self.node_states[place] >> 1) & 7]

    def before(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The place before one, seen from the goal."""
        base = self.ground.parity_of(place) if self.kind != LATTICE else 0
        return place + self.offsets[base + self.back_of(place)]

    def find_farthest(self) -> NoGil[None]:
        """Find how far the farthest start is from the goal, at most."""
        self.best = -1
        for i in range(self.reached, self.starts.used):
            if self.distance_of(self.starts.values[i]) < 0:
                return
            self.reached += 1
        for i in range(self.starts.used):
            self.best = max(self.best, self.distance_of(self.starts.values[i]))
        self.best = max(self.best, 0)

    def trace(self, start: cython.Py_ssize_t, goal: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Follow the moves back: the cells from a start to the goal, none if there is no way."""
        place = start
        self.cells.used = 0
        if self.distance_of(start) < 0:
            return 0
        self.cells.append(cython.cast(cython.int, place))
        while place != goal:
            place = self.before(place)
            self.cells.append(cython.cast(cython.int, place))
        return 0

    def turns_at(self, i: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether the way turns in one of its inner cells."""
        move = self.node_states[self.cells.values[i]] >> 1
        following = self.node_states[self.cells.values[i - 1]] >> 1
        return (move & 7) != (following & 7)

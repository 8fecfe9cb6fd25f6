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
    done        bit 0: whether the node has been expanded
"""

from __future__ import annotations

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.buckets import Buckets
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.landmarks import Landmarks

GENERATION: cython.longlong = 1 << 45
LAST: cython.longlong = -(1 << 62)  # from here on, the states must be cleared
START: cython.longlong = 16


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
        "cells": "IntBuffer",  # the places of the way that was traced last
    }

    def __init__(self, ground: Ground, landmarks: Landmarks) -> None:
        self.ground = ground
        self.codes, self.moves, self.halves = ground.codes, ground.moves, ground.halves
        self.counts, self.orders, self.offsets = ground.counts, ground.orders, ground.offsets
        self.landmarks = landmarks
        least, most = ground.move_range()
        self.queue = Buckets(least // 8, 2 * most + 16)
        self.age = LAST
        self.even = len(ground.costs.values) == 2
        self.kind = ground.kind
        self.starts = IntBuffer(16)
        self.reached = 0
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
        state: cython.longlong = self.node_states[place]
        return (state - self.age) >> 5 if state < self.age + GENERATION else -1

    def begin(self, goal: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Begin a search with its goal in the queue."""
        i: cython.Py_ssize_t
        least: cython.longlong = self.landmarks.aim(goal, self.starts)
        if self.age <= LAST:
            with cython.gil:
                self.node_states = np.zeros(len(self.ground.codes), np.int64).data
            self.age = 0
        self.age -= 2 * GENERATION
        self.reached = 0
        for i in range(self.starts.used):
            self.node_states[self.starts.values[i]] = self.age + GENERATION + START
        self.node_states[goal] = self.age
        self.queue.clear()
        self.queue.start(least)
        self.queue.push(cython.cast(cython.int, goal), least)
        return 0

    def search(self, goal: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Find the shortest way from each start to a goal in their area; the states hold them."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t
        other: cython.Py_ssize_t
        base: cython.Py_ssize_t
        moves: cython.Py_ssize_t
        code: cython.Py_ssize_t
        age: cython.longlong
        state: cython.longlong
        before: cython.longlong
        there: cython.longlong
        best: cython.longlong
        visited: cython.longlong = 0
        self.begin(goal)
        states: cython.p_longlong = (
            cython.address(self.node_states[0]) if cython.compiled else self.node_states
        )
        age = self.age
        best = self.farthest()
        while self.queue.pop():
            if best >= 0 and self.queue.key >= best:
                if self.queue.key >> self.queue.shift > best >> self.queue.shift:
                    break
                continue
            place = self.queue.place
            state = states[place]
            if state & 1:
                continue
            states[place] = state | 1
            visited += 1
            state = (state - age) >> 5
            base = self.ground.parity_of(place) if self.kind != 0 else 0
            moves = self.moves[place]
            code = 8 * self.codes[place]
            self.landmarks.leave(place)
            for i in range(8 * moves, 8 * moves + self.counts[moves]):
                k = self.orders[i]
                other = place + self.offsets[base + k]
                there = state + self.halves[code + k]
                there += (
                    self.halves[code + k] if self.even else self.halves[8 * self.codes[other] + k]
                )
                before = states[other]
                if age + (there << 5) >= (before & -32):
                    continue
                states[other] = age + (there << 5) + (k << 1)
                if before & START and before < age + 2 * GENERATION:
                    states[other] += START
                    best = self.farthest()
                there = max(there + self.landmarks.after(other, k), self.queue.key)
                if best < 0 or there < best:
                    self.queue.push(cython.cast(cython.int, other), there)
        self.landmarks.count_visits(visited)
        return 0

    def farthest(self) -> NoGil[cython.longlong]:
        """How far the farthest start is from the goal, at most; -1 if one is not reached yet."""
        i: cython.Py_ssize_t
        most: cython.longlong = 0
        for i in range(self.reached, self.starts.used):
            if self.distance_of(self.starts.values[i]) < 0:
                return -1
            self.reached += 1
        for i in range(self.starts.used):
            most = max(most, self.distance_of(self.starts.values[i]))
        return most

    def trace(self, start: cython.Py_ssize_t, goal: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Follow the moves back: the cells from a start to the goal, none if there is no way."""
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t = start
        self.cells.used = 0
        if self.distance_of(start) < 0:
            return 0
        self.cells.append(cython.cast(cython.int, place))
        while place != goal:
            k = self.ground.opposites[(self.node_states[place] >> 1) & 7]
            place = place + self.ground.offsets[self.ground.parity_of(place) + k]
            self.cells.append(cython.cast(cython.int, place))
        return 0

    def turns_at(self, i: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether the way turns in one of its inner cells."""
        move: cython.longlong = self.node_states[self.cells.values[i]] >> 1
        following: cython.longlong = self.node_states[self.cells.values[i - 1]] >> 1
        return (move & 7) != (following & 7)

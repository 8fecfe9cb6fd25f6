"""The shortest way from cell to cell: A* (Hart, Nilsson and Raphael, 1968) with whole numbers.

What a search knows about a cell, its node, is packed into one word, from the upper bits down:

    generation  from bit 45: the number of the search, counted down, so that the states of earlier
                searches are larger than all of its own, and none need be cleared
    distance    from bit 5: from the start
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

MOST: cython.longlong = (1 << 62) - 1  # larger than all states in use
GENERATIONS: cython.longlong = 1 << 17  # how many searches fit before the states must be cleared


@cython.final
@cython.cclass
class AStar:
    """Finds the shortest way between two places.

    Args:
        ground: The cells.
        landmarks: Lower bounds for the rest of a way.
    """

    __slots__ = {
        "ground": "Ground",
        "landmarks": "Landmarks",
        "queue": "Buckets",
        "node_states": "long long[::1]",  # by place
        "generation": "long long",
        "even": "bint",  # whether all open cells cost the same
        "cells": "IntBuffer",  # the places of the way that was found last, from the goal on
    }

    def __init__(self, ground: Ground, landmarks: Landmarks) -> None:
        self.ground = ground
        self.landmarks = landmarks
        least, most = ground.move_range()
        self.queue = Buckets(least // 8, 2 * most + 16)
        self.node_states = ground.by_place(np.int64).data
        self.generation = 0
        self.even = len(ground.costs.values) == 2
        self.cells = IntBuffer(256)

    def cost_between(self, start: int, goal: int) -> int:
        """Return the cost of the shortest way between two cells of one area."""
        end: cython.Py_ssize_t = self.ground.place_of(goal)
        if start == goal:
            return 0
        self.search(self.ground.place_of(start), end)
        return (self.node_states[end] - (self.generation << 45)) >> 5

    def begin(self, start: cython.Py_ssize_t, goal: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Begin a search with its start in the queue."""
        place: cython.Py_ssize_t
        least: cython.longlong = self.landmarks.aim(start, goal)
        if self.generation == 0:
            for place in range(len(self.node_states)):
                self.node_states[place] = MOST
            self.generation = GENERATIONS
        self.generation -= 1
        self.node_states[start] = self.generation << 45
        self.queue.clear()
        self.queue.start(least)
        self.queue.push(cython.cast(cython.int, start), least)
        return 0

    def search(self, start: cython.Py_ssize_t, goal: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Find the shortest way between two cells of one area; the node states hold it."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t
        other: cython.Py_ssize_t
        base: cython.Py_ssize_t
        moves: cython.Py_ssize_t
        code: cython.Py_ssize_t
        beyond: cython.Py_ssize_t
        a: cython.Py_ssize_t
        b: cython.Py_ssize_t
        age: cython.longlong
        state: cython.longlong
        there: cython.longlong
        best: cython.longlong = -1
        self.begin(start, goal)
        age = self.generation << 45
        while self.queue.pop():
            if best >= 0 and self.queue.key >= best:
                if self.queue.key >> self.queue.shift > best >> self.queue.shift:
                    break
                continue
            place = self.queue.place
            state = self.node_states[place]
            if state & 1:
                continue
            self.node_states[place] = state | 1
            self.landmarks.visited += 1
            state = (state - age) >> 5
            base = self.ground.parity_of(place)
            moves = self.ground.moves[place]
            code = beyond = 8 * self.ground.codes[place]
            a = self.landmarks.along_of(place) - self.landmarks.goal_along
            b = self.landmarks.line_of(place) - self.landmarks.goal_line
            for i in range(self.ground.counts[moves]):
                k = self.ground.orders[8 * moves + i]
                other = place + self.ground.offsets[base + k]
                if not self.even:
                    beyond = 8 * self.ground.codes[other]
                there = state + self.ground.halves[code + k] + self.ground.halves[beyond + k]
                if age + (there << 5) < (self.node_states[other] & -32):
                    self.node_states[other] = age + (there << 5) + (k << 1)
                    if other == goal:
                        best = there
                    else:
                        there = max(there + self.landmarks.after(other, a, b, k), self.queue.key)
                        if best < 0 or there < best:
                            self.queue.push(cython.cast(cython.int, other), there)
        return 0

    def trace(self, start: cython.Py_ssize_t, goal: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Follow the moves back: the cells from the goal to the start."""
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t = goal
        self.cells.used = 0
        self.cells.append(cython.cast(cython.int, place))
        while place != start:
            k = self.ground.opposites[(self.node_states[place] >> 1) & 15]
            place = place + self.ground.offsets[self.ground.parity_of(place) + k]
            self.cells.append(cython.cast(cython.int, place))
        return 0

    def turns_at(self, i: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Whether the way turns in one of its inner cells."""
        move: cython.longlong = self.node_states[self.cells.values[i]] >> 1
        following: cython.longlong = self.node_states[self.cells.values[i - 1]] >> 1
        return (move & 15) != (following & 15)

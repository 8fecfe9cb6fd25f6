"""How much influence units have on each cell, kept up as they move.

A unit adds a stamp around its cell: its weight times the falloff of each cell. Weights and falloffs
are whole numbers, and so small that their sums are exact in doubles. So the totals depend only on
who is where, and not on the way there.

A unit is known by its slot: where it was at the last update, and its weight. Whoever has moved is
stamped again; a step to a cell nearby is one stamp, the difference of two.
"""

from __future__ import annotations

from array import array
from math import floor, nan
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.buffers import longer, resized
from tilequad._core.layout import begin_question, end_question
from tilequad._core.shown import shown
from tilequad._core.tree.units import UnitStore, entry_of
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import FALLOFF, LANES, LATTICE, NOWHERE, STAGGERED_COLUMNS

WEIGHT: cython.double = 65536.0  # the weight of a value of 1
MOST: cython.double = 33554432.0  # all values together: the product of the three is 2 ** 53
BLOCK_SIDE: cython.int = 16  # the side of the blocks of cells that know when they last changed

# The columns of a stamp's rows: lines and places from the cell of the unit to the first cell of the
# row, how many cells it has, a multiple of LANES, and where their falloffs begin.
LINE: cython.int = 0
FIRST: cython.int = 1
WIDTH: cython.int = 2
BEGIN: cython.int = 3


@cython.final
@cython.cclass
class Influences:
    """The influence of units on cells.

    Args:
        ground: The cells.
        stamps: The stamps of steps by -1 .. 1 lines and places, of which the middle one is that of
            a unit that comes; of staggered lines for those that are not shifted, then for those
            that are. Rows as above, (n, 4).
        ends: Where the rows of each stamp end.
        falloffs: Those of all rows.
    """

    __slots__ = {
        "ground": "Ground",
        "stamps": "int[:, ::1]",
        "ends": "int[::1]",
        "falloffs": "double[::1]",
        "lines": "Py_ssize_t",
        "places": "Py_ssize_t",
        "pad": "Py_ssize_t",
        "reach": "Py_ssize_t",
        "stride": "Py_ssize_t",
        "across": "Py_ssize_t",
        "totals": "double[::1]",
        "touched": "long long[::1]",
        "revision": "readonly long long",
        "torn": "readonly bint",
        "spots": "int[::1]",
        "weights": "double[::1]",
        "next_spots": "int[::1]",
        "next_weights": "double[::1]",
        "points": "double[::1]",
        "cells": "int[::1]",
    }

    def __init__(
        self, ground: Ground, stamps: np.ndarray, ends: np.ndarray, falloffs: np.ndarray
    ) -> None:
        self.ground = ground
        self.stamps, self.ends, self.falloffs = stamps.data, ends.data, falloffs.data
        self.lines, self.places = ground.rows, ground.columns
        if ground.kind == STAGGERED_COLUMNS:
            self.lines, self.places = self.places, self.lines
        # Rows may begin and end outside of the grid, but not outside of the pad around it.
        self.pad = int(max(-stamps[:, FIRST].min(), (stamps[:, FIRST] + stamps[:, WIDTH]).max()))
        self.reach = max(int(abs(stamps[:, LINE]).max()), self.pad)
        self.stride = self.places + 2 * self.pad
        self.across = (self.places + BLOCK_SIDE - 1) // BLOCK_SIDE
        self.totals = np.zeros(self.lines * self.stride).data
        blocks = (self.lines + BLOCK_SIDE - 1) // BLOCK_SIDE * self.across
        self.touched = np.zeros(blocks, np.int64).data
        self.revision = 0
        self.torn = False  # whether the totals are half-way between two updates
        # By slot: where the unit was, -1 for nowhere, and its weight; then the same from now on.
        self.spots = self.next_spots = array("i")
        self.weights = self.next_weights = array("d")
        # By slot: the point that was looked at, x and y, and its cell. Most units stand.
        self.points, self.cells = array("d"), array("i")

    # -- keeping -----------------------------------------------------------------------------------

    def state(self) -> tuple[bytes, bytes, int]:
        """Where units were at the last update, their weights, and the revision."""
        if self.torn:
            return bytes(self.next_spots), bytes(self.next_weights), self.revision
        return bytes(self.spots), bytes(self.weights), self.revision

    def restore(self, spots: bytes, weights: bytes, revision: int) -> bool:
        """Take over what `state` has returned; False if no state of these cells is like that."""
        if not self.holds(array("i", spots), array("d", weights)):
            return False
        self.reserve(len(spots) // 4)
        self.next_spots, self.next_weights = array("i", spots), array("d", weights)
        self.revision = revision - 1  # which `settle` counts
        self.torn = True
        self.mend()
        return True

    def holds(self, spots: cython.int[::1], weights: cython.double[::1]) -> bool:
        """Whether spots are cells, or -1, and weights those of units there."""
        together: cython.double = 0.0
        if len(spots) != len(weights):
            return False
        for i in range(len(spots)):
            spot: cython.Py_ssize_t = spots[i]
            if not -1 <= spot < len(self.ground.codes) or (weights[i] != 0.0) != (spot >= 0):
                return False
            if spot >= 0 and not (
                0 <= self.ground.line_of(spot) < self.lines
                and 0 <= self.ground.at_of(spot) < self.places
            ):
                return False
            together += abs(weights[i])
            if not together <= MOST * WEIGHT or weights[i] != floor(weights[i]):
                return False
        return True

    # -- following ---------------------------------------------------------------------------------

    def update(
        self,
        store: UnitStore,
        groups: int,
        without: int,
        values: cython.const_double[::1],
        shared: bool,
    ) -> None:
        """Follow all units of a tree; `values` are by slot, or one that all share.

        An error leaves all as it was.
        """
        begin_question(cython.address(store.busy))
        try:
            self.reserve(store.slots)
            slot = self.look(store, groups, without, values, shared)
        finally:
            end_question(cython.address(store.busy))
        if slot >= 0:
            raise refusal(slot, values, shared)
        self.settle()

    def reserve(self, slots: cython.Py_ssize_t) -> Raises[cython.int]:
        """Make room for this many slots."""
        if slots > len(self.spots):
            slots = longer(slots)
            self.cells = resized("i", self.cells, slots, NOWHERE)
            self.points = resized("d", self.points, 2 * slots, nan)
            self.next_weights = resized("d", self.next_weights, slots, 0.0)
            self.next_spots = resized("i", self.next_spots, slots, NOWHERE)
            self.weights = resized("d", self.weights, slots, 0.0)
            self.spots = resized("i", self.spots, slots, NOWHERE)
        return 0

    def look(
        self,
        store: UnitStore,
        groups: cython.int,
        without: cython.int,
        values: cython.const_double[::1],
        shared: cython.bint,
    ) -> NoGil[cython.Py_ssize_t]:
        """Note where all units are, and their weights; return a slot with a wrong value, or -1."""
        weight: cython.double = 0.0
        together: cython.double = 0.0
        known = len(values)
        for slot in range(len(self.spots)):
            self.next_spots[slot] = NOWHERE
            self.next_weights[slot] = 0.0
            entry: cython.Py_ssize_t = entry_of(store, slot)
            if entry < 0 or not store.masks[entry] & groups or store.masks[entry] & without:
                continue
            if not shared and slot >= known:
                return slot
            weight = floor(values[0 if shared else slot] * WEIGHT + 0.5)
            together += abs(weight)
            if not together <= MOST * WEIGHT:
                return slot
            x: cython.double = store.xs[entry]
            y: cython.double = store.ys[entry]
            if self.points[2 * slot] != x or self.points[2 * slot + 1] != y:
                self.cells[slot] = cython.cast(cython.int, self.ground.place_at(x, y))
                self.points[2 * slot] = x
                self.points[2 * slot + 1] = y
            place: cython.Py_ssize_t = self.cells[slot]
            if place >= 0 and weight != 0.0:
                self.next_spots[slot] = cython.cast(cython.int, place)
                self.next_weights[slot] = weight
        return -1

    def settle(self) -> None:
        """Bring the totals up to what has been noted."""
        changed = self.torn
        self.torn = True
        with cython.nogil:
            for slot in range(len(self.spots)):
                if (
                    self.spots[slot] != self.next_spots[slot]
                    or self.weights[slot] != self.next_weights[slot]
                ):
                    changed = True
                    self.follow(slot)
        self.revision += changed
        self.torn = False

    def mend(self) -> None:
        """Begin anew, if an interrupt has cut an update: finish it."""
        if self.torn:
            self.weights = array("d", [0.0]) * len(self.next_spots)
            self.spots = array("i", [NOWHERE]) * len(self.next_spots)
            np.asarray(self.totals)[:] = 0.0
            np.asarray(self.touched)[:] = self.revision + 1
            self.settle()

    def follow(self, slot: cython.Py_ssize_t) -> NoGil[None]:
        """Take the stamp of a slot away, and add it where it is now."""
        old: cython.Py_ssize_t = self.spots[slot]
        new: cython.Py_ssize_t = self.next_spots[slot]
        lines: cython.Py_ssize_t = 0
        places: cython.Py_ssize_t = 0
        if old >= 0 and new >= 0:
            lines = self.ground.line_of(new) - self.ground.line_of(old)
            places = self.ground.at_of(new) - self.ground.at_of(old)
        if old < 0 or new < 0 or not (-1 <= lines <= 1 and -1 <= places <= 1):
            if old >= 0:
                self.add(old, 0, 0, -self.weights[slot])
            if new >= 0:
                self.add(new, 0, 0, self.next_weights[slot])
        else:
            if lines != 0 or places != 0:
                self.add(old, lines, places, self.weights[slot])
            if self.weights[slot] != self.next_weights[slot]:
                self.add(new, 0, 0, self.next_weights[slot] - self.weights[slot])
        self.spots[slot] = self.next_spots[slot]
        self.weights[slot] = self.next_weights[slot]

    def add(
        self,
        spot: cython.Py_ssize_t,
        lines: cython.Py_ssize_t,
        places: cython.Py_ssize_t,
        weight: cython.double,
    ) -> NoGil[None]:
        """Add the stamp of a step from a spot, or of a unit there if it is none."""
        line = self.ground.line_of(spot)
        at = self.ground.at_of(spot)
        shifted: cython.Py_ssize_t = 0
        begin: cython.Py_ssize_t = 0
        falloffs: cython.p_double
        totals: cython.p_double = cython.address(self.totals[0]) if cython.compiled else self.totals
        falloffs = cython.address(self.falloffs[0]) if cython.compiled else self.falloffs
        if self.ground.kind != LATTICE:
            shifted = (line & 1) ^ self.ground.flip
        stamp = 9 * shifted + 3 * (lines + 1) + places + 1
        if stamp > 0:
            begin = self.ends[stamp - 1]
        for row in range(begin, self.ends[stamp]):
            there = line + self.stamps[row, LINE]
            if 0 <= there < self.lines:
                add_row(
                    totals,
                    there * self.stride + self.pad + at + self.stamps[row, FIRST],
                    falloffs,
                    self.stamps[row, BEGIN],
                    self.stamps[row, WIDTH],
                    weight,
                )
        self.touch(line, at)

    def touch(self, line: cython.Py_ssize_t, at: cython.Py_ssize_t) -> NoGil[None]:
        """Note that cells around a place have changed."""
        for i in range(
            max(line - self.reach, 0) // BLOCK_SIDE,
            min(line + self.reach, self.lines - 1) // BLOCK_SIDE + 1,
        ):
            for j in range(
                max(at - self.reach, 0) // BLOCK_SIDE,
                min(at + self.reach, self.places - 1) // BLOCK_SIDE + 1,
            ):
                self.touched[i * self.across + j] = self.revision + 1

    # -- asking ------------------------------------------------------------------------------------

    def total(self, spot: cython.Py_ssize_t) -> NoGil[cython.double]:
        """The total of a spot; 0 for -1."""
        if spot < 0:
            return 0.0
        return self.totals[
            self.ground.line_of(spot) * self.stride + self.pad + self.ground.at_of(spot)
        ] / (FALLOFF * WEIGHT)

    def at(self, x: float, y: float) -> float:
        """The total of the cell at a point; 0 outside."""
        return self.total(self.ground.place_at(x, y))

    def fill(self, xy: cython.double[:, ::1], found: cython.double[::1]) -> None:
        """Write the totals of the cells at points."""
        with cython.nogil:
            for i in range(len(xy)):
                found[i] = self.total(self.ground.place_at(xy[i, 0], xy[i, 1]))

    def picture(self) -> np.ndarray:
        """The totals of all cells, (rows, columns), a new array."""
        lines = np.asarray(self.totals).reshape(self.lines, self.stride)
        inside = lines[:, self.pad : self.pad + self.places] / (FALLOFF * WEIGHT)
        return np.ascontiguousarray(inside.T if self.ground.kind == STAGGERED_COLUMNS else inside)


def add_row(
    totals: cython.p_double,
    at: cython.Py_ssize_t,
    falloffs: cython.p_double,
    begin: cython.Py_ssize_t,
    width: cython.Py_ssize_t,
    weight: cython.double,
) -> NoGil[None]:
    """Add falloffs times a weight; four at a time, so that the compiler reads before it writes."""
    end = at + width
    while at < end:
        a = totals[at] + weight * falloffs[begin]
        b = totals[at + 1] + weight * falloffs[begin + 1]
        c = totals[at + 2] + weight * falloffs[begin + 2]
        d = totals[at + 3] + weight * falloffs[begin + 3]
        totals[at] = a
        totals[at + 1] = b
        totals[at + 2] = c
        totals[at + 3] = d
        at += LANES
        begin += LANES


def refusal(slot: int, values: Any, shared: bool) -> ValueError:
    """Return the error for the value of a slot."""
    if not shared and slot >= len(values):
        return ValueError(f"values has no number for slot {slot}")
    value = values[0 if shared else slot]
    if value != value or abs(value) > MOST:
        return ValueError(f"values must be from {-MOST:,.0f} to {MOST:,.0f}, got {shown(value)}")
    return ValueError(f"values must add up to at most {MOST:,.0f} without their signs")

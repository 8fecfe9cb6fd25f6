"""Steps from cell to cell, for games that are played in turns: where one may go, and goes best.

From an open cell all legal moves lead on. From a closed one, such as a tree, a step leads to the
open cells that share an edge with it; so does the distance that a field has of a closed cell.

Who stands where is counted, so that those who go in turn do not meet in one cell.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import BORDER, FAR, ZERO
from tilequad._core.ways.walkers import Walkers


def neighbors_of(ground: Ground, cells: cython.int[::1]) -> tuple[np.ndarray, np.ndarray]:
    """Return where one may step from cells: the end of each part, and the cells, ascending."""
    begin: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = 0
    ends, found = np.empty(len(cells), np.int64), np.empty(8 * len(cells), np.int32)
    ends_at: cython.longlong[::1] = ends.data
    out: cython.int[::1] = found.data
    with cython.nogil:
        for i in range(len(cells)):
            place = ground.place_of(cells[i])
            exits = exits_of(ground, place)
            base = ground.parity_of(place)
            for k in range(ground.directions):
                if exits >> k & 1:
                    cell = cython.cast(cython.int, ground.cell_of(place + ground.offsets[base + k]))
                    j = n
                    while j > begin and out[j - 1] > cell:
                        out[j] = out[j - 1]
                        j -= 1
                    out[j] = cell
                    n += 1
            begin = n
            ends_at[i] = n
    return ends, found[:n].copy()


def exits_of(ground: Ground, place: cython.Py_ssize_t) -> NoGil[cython.int]:
    """Return a bit for each direction in which one may step from a place."""
    found: cython.int = 0
    if ground.codes[place] != 0:
        return ground.moves[place]
    base = ground.parity_of(place)
    for k in range(ground.directions):
        found |= (ground.codes[place + ground.offsets[base + k]] != 0) << k
    return found & ground.edges


@cython.final
@cython.cclass
class Standing:
    """How many stand in each cell, for a turn of some; a hash table, so its size is theirs.

    Args:
        cells: Where those who go stand.
        avoid: Cells that are taken, by them or by others; None if they need not go in turn.
    """

    __slots__ = {
        "in_turn": "bint",
        "entries": "long long[::1]",  # each is `(cell + 1) << 32 | count`, 0 where none is
        "mask": "Py_ssize_t",
    }

    def __init__(self, cells: cython.int[::1], avoid: Any) -> None:
        self.in_turn = avoid is not None
        if avoid is None:
            return
        others: cython.int[::1] = avoid
        # Each who goes may add a cell. At most half of the entries are used.
        size = 1 << (2 * (2 * len(cells) + len(others)) + 1).bit_length()
        self.entries = np.zeros(size, np.int64).data
        self.mask = size - 1
        for i in range(len(cells)):
            self.add(cells[i])
        for i in range(len(others)):
            if not self.is_taken(others[i]):
                self.add(others[i])

    def entry_of(self, cell: cython.longlong) -> NoGil[cython.Py_ssize_t]:
        """Return the entry of a cell, or the free one where it belongs."""
        at: cython.Py_ssize_t = (cell * 40503 >> 7) & self.mask
        while self.entries[at] != 0 and self.entries[at] >> 32 != cell + 1:
            at = (at + 1) & self.mask
        return at

    def add(self, cell: cython.longlong) -> NoGil[None]:
        """Count one more in a cell."""
        at = self.entry_of(cell)
        if self.entries[at] == 0:
            self.entries[at] = (cell + 1) << 32
        self.entries[at] += 1

    def move(self, cell: cython.longlong, other: cython.longlong) -> NoGil[None]:
        """One who stands in a cell goes to another one."""
        self.entries[self.entry_of(cell)] -= 1
        self.add(other)

    def is_taken(self, cell: cython.longlong) -> NoGil[cython.bint]:
        """Whether somebody stands in a cell."""
        return self.entries[self.entry_of(cell)] & 0x7FFFFFFF != 0


def fill_steps(
    walkers: Walkers,
    corner: tuple[int, int, int],
    cells: cython.int[::1],
    standing: Standing,
    found: cython.int[::1],
) -> None:
    """Write where those in cells go next, by the distances of a field.

    Args:
        walkers: What has the distances, of a part of the cells or of all.
        corner: The first column and row of that part, and the columns of all.
        cells: Where they stand.
        standing: Who stands where.
        found: Gets a cell for each.
    """
    i: cython.Py_ssize_t
    left: cython.Py_ssize_t
    top: cython.Py_ssize_t
    columns: cython.Py_ssize_t
    ground: Ground = walkers.ground
    in_turn = standing.in_turn
    left, top, columns = corner
    shift = top * columns + left
    with cython.nogil:
        for i in range(len(cells)):
            row = cells[i] // columns - top
            column = cells[i] % columns - left
            found[i] = cells[i]
            if row < 0 or column < 0 or row >= ground.rows or column >= ground.columns:
                continue
            place = (row + BORDER) * ground.stride + column + BORDER
            there = step_nearer(walkers, ground, place, standing, shift, columns)
            if there >= 0:
                found[i] = cell_of(ground, there, shift, columns)
                if in_turn:
                    standing.move(cells[i], found[i])


def cell_of(
    ground: Ground,
    place: cython.Py_ssize_t,
    shift: cython.Py_ssize_t,
    columns: cython.Py_ssize_t,
) -> NoGil[cython.int]:
    """Return the cell of a place of a part whose first cell is `shift`, by the columns of all."""
    row = place // ground.stride
    place += shift - row * ground.stride - BORDER
    return cython.cast(cython.int, place + (row - BORDER) * columns)


def step_nearer(
    walkers: Walkers,
    ground: Ground,
    place: cython.Py_ssize_t,
    standing: Standing,
    shift: cython.Py_ssize_t,
    columns: cython.Py_ssize_t,
) -> NoGil[cython.Py_ssize_t]:
    """Return the place to go to next: that of the shortest way whose next cell is free.

    -1 at a goal, at the edge of one that is closed, and where no free cell is nearer. Of equally
    good cells the first.
    """
    found: cython.Py_ssize_t = -1
    base = ground.parity_of(place)
    closed: cython.bint = ground.codes[place] == 0
    moves: cython.int = exits_of(ground, place)
    ways: cython.int = walkers.words[place] & 0xFF
    far = walkers.words[place] >> 8
    best = FAR
    if far == ZERO or ways & ~moves:  # a way into a closed cell: it is the goal
        return -1
    in_turn: cython.bint = standing.in_turn
    if not (in_turn or closed):
        moves = ways
    for k in range(ground.directions):
        if not moves >> k & 1:
            continue
        other = place + ground.offsets[base + k]
        near = walkers.words[other] >> 8
        if near >= far:
            continue
        if in_turn and standing.is_taken(cell_of(ground, other, shift, columns)):
            continue
        if closed:
            near += 2 * ground.halves[8 * ground.codes[other] + k]
        else:
            near += ground.weight(place, other, k)
        if near > walkers.limit and closed:
            continue
        if near < best or (near == best and other < found):
            best = near
            found = other
    return found


def fill_steps_down(
    ground: Ground,
    values: cython.double[::1],
    cells: cython.int[::1],
    standing: Standing,
    found: cython.int[::1],
) -> None:
    """Write where those in cells go next: to the free cell with the lowest number, if it is lower.

    Args:
        ground: All cells.
        values: A number for each cell; nobody goes to a cell with NaN.
        cells: Where they stand.
        standing: Who stands where.
        found: Gets a cell for each.
    """
    in_turn = standing.in_turn
    with cython.nogil:
        for i in range(len(cells)):
            place = ground.place_of(cells[i])
            base = ground.parity_of(place)
            moves = exits_of(ground, place)
            found[i] = cells[i]
            best = values[cells[i]]
            if best != best or ground.codes[place] == 0:  # a closed cell is left in any case
                best = inf
            for k in range(ground.directions):
                if not moves >> k & 1:
                    continue
                cell = cython.cast(cython.int, ground.cell_of(place + ground.offsets[base + k]))
                if in_turn and standing.is_taken(cell):
                    continue
                if values[cell] < best or (
                    values[cell] == best and found[i] != cells[i] and cell < found[i]
                ):
                    best = values[cell]
                    found[i] = cell
            if in_turn:
                standing.move(cells[i], found[i])

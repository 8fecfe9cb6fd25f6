"""The edges and corners that neighboring cells share, in maps of every orientation.

Wang sets color the four edges and four corners of cells. In all orientations, cells lie on a
lattice of squares whose directions are those of a Wang id: in staggered and hexagonal maps it is
the one that is turned by 45 degrees, as in Tiled. So the edges and corners of a part of a map are
one array with twice as many rows and columns: cells have odd places, corners even ones, and edges
one of each.
"""

from __future__ import annotations

import numpy as np

from tilequad._core.cells.cell_ids import CellOrder

from ..cells import FLIPPED_DIAGONALLY, FLIPPED_HORIZONTALLY, FLIPPED_VERTICALLY, Colors, Ints64

__all__ = ["AROUND", "WangLattice", "cells_at", "flip_orders", "flips_from", "lattice_places"]


#: The neighbors of a cell in the order of a Wang id: clockwise from the top edge; u right, v down.
AROUND = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))


def lattice_places(order: CellOrder, columns: Ints64, rows: Ints64) -> tuple[Ints64, Ints64]:
    """Return the places of cells on the lattice, u and v.

    Example:
        >>> u, v = lattice_places(CellOrder(stagger="rows"), np.array([3, 4]), np.array([2, 2]))
        >>> (u - u[0]).tolist(), (v - v[0]).tolist()  # the neighbor to the right is at a corner
        ([0, 1], [0, -1])
    """
    if not order.stagger:
        return columns, rows
    steps, lines = order.steps_and_lines(columns, rows)
    return lines + steps >> 1, lines - steps >> 1


def cells_at(order: CellOrder, u: Ints64, v: Ints64) -> tuple[Ints64, Ints64]:
    """Return the columns and rows of places on the lattice; the reverse of `lattice_places`."""
    if not order.stagger:
        return u, v
    steps, lines = u - v, u + v + order.shift_even
    if order.stagger == "columns":
        return steps, lines - order.shift_of(steps) >> 1
    return steps - order.shift_of(lines) >> 1, lines


def flip_orders(is_diagonal: bool, turns: bool) -> dict[int, tuple[int, ...]]:
    """Return what each sum of flip bits does to a Wang id, for those that keep the lattice.

    It is the old places of the eight colors in their new order. Where the axes of the lattice are
    diagonals on the screen, as in isometric and staggered maps, a flip swaps axes, and no flag
    turns a cell by 90 degrees. `turns` is for hexagonal maps: flags turn tiles by 60 degrees.
    """
    found = {}
    for flags in range(16):
        if flags & 1 or (flags & FLIPPED_DIAGONALLY and (is_diagonal or turns)):
            continue
        order = [0] * 8
        for old, (u, v) in enumerate(AROUND):
            x, y = (u - v, u + v) if is_diagonal else (u, v)
            if flags & FLIPPED_DIAGONALLY:
                x, y = y, x
            x = -x if flags & FLIPPED_HORIZONTALLY else x
            y = -y if flags & FLIPPED_VERTICALLY else y
            place = ((x + y) // 2, (y - x) // 2) if is_diagonal else (x, y)
            order[AROUND.index(place)] = old
        found[flags] = tuple(order)
    return found


def flips_from(some: list[int], flips: dict[int, tuple[int, ...]]) -> set[int]:
    """Return all sums of flip bits that come of applying some of them one after the other.

    Example:
        >>> sorted(flips_from([8, 4], flip_orders(is_diagonal=False, turns=False)))
        [0, 4, 8, 12]
    """
    by_order = {order: flags for flags, order in flips.items()}
    found, new = {0}, [0]
    while new:
        before = flips[new.pop()]
        for flags in some:
            if flags in flips:
                after = by_order[tuple(before[old] for old in flips[flags])]
                if after not in found:
                    found.add(after)
                    new.append(after)
    return found


class WangLattice:
    """The colors of all edges and corners around some cells; 0 is no color."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.colors: Colors = np.zeros((2 * height + 1, 2 * width + 1), np.uint8)
        self._flat = self.colors.reshape(-1)
        self._line = 2 * width + 1
        self._offsets = [dv * self._line + du for du, dv in AROUND]

    def read(self, u: Ints64, v: Ints64, where: range) -> Colors:
        """Return the Wang ids of cells, (n, 8); 0 but for the given places of the eight."""
        ids = np.zeros((len(u), 8), np.uint8)
        at = self._at(u, v)
        for place in where:
            ids[:, place] = self._flat.take(at + self._offsets[place])
        return ids

    def write(self, u: Ints64, v: Ints64, ids: Colors, where: range) -> None:
        """Color the edges and corners of cells; colors prevail over no color."""
        at = self._at(u, v)
        for is_color in (False, True):
            for place in where:
                [some] = ((ids[:, place] > 0) == is_color).nonzero()
                self._flat[at[some] + self._offsets[place]] = ids[some, place]

    def spread(self, cells: Colors, joins: bool) -> None:
        """Color all edges and corners by the cells around them, (height, width).

        The highest color counts, or the lowest if `joins`. No cell is 0, or 255 if `joins`.
        """
        pick = np.minimum if joins else np.maximum
        beyond = 255 if joins else 0
        whole = np.full((self.height + 2, self.width + 2), beyond, np.uint8)
        whole[1:-1, 1:-1] = cells
        across, down = pick(whole[:, :-1], whole[:, 1:]), pick(whole[:-1], whole[1:])
        self.colors[1::2, ::2] = across[1:-1]
        self.colors[::2, 1::2] = down[:, 1:-1]
        self.colors[::2, ::2] = pick(across[:-1], across[1:])

    def _at(self, u: Ints64, v: Ints64) -> Ints64:
        return 2 * (v * self._line + u) + self._line + 1

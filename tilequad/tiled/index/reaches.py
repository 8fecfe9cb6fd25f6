"""How far the image of a tile reaches around the anchor of its cell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..cells import DIAGONAL, FLAG_SHIFT, GID_MASK, TURN_120, distinct

__all__ = ["Reaches"]

Floats = NDArray[np.float64]
Raw = NDArray[np.uint32]
Stamps = Callable[[Raw], Floats]  # `TilesetList.draw_boxes`: how the tiles of some gids are drawn

# A reach that a smaller part of the tiles have is odd: those have boxes in a tree, some 60 bytes
# each. A common one costs a fifth of a byte for every place of the lattice, and 3 us a query.
_FEW = 1 / 32


class Reaches:
    """The reach of every kind of tile in a layer: a kind is a gid with its flip bits.

    A reach is left, top, right and bottom in pixels from the anchor, y down; tile offset and
    layer offset are counted in.
    """

    def __init__(self, raw: Raw, stamps: Stamps, offset: tuple[float, float], turns: bool) -> None:
        self._stamps = stamps
        self._offset = offset
        self._turns = turns  # hexagonal: the flags turn a tile instead of swapping its axes
        self._kinds, counts = distinct(raw)
        self._table = self._reach(self._kinds)
        self.common = self._commonest(counts)  #: the reaches of many tiles, (k, 4), most first
        self._families = self._into_families()

    def of(self, raw: Raw) -> Floats:
        """The reach of some tiles, (n, 4)."""
        if not self._families.any():
            return np.broadcast_to(self.common[0], (len(raw), 4))
        return self._table[np.searchsorted(self._kinds, raw)]

    def add(self, raw: int) -> None:
        """Know one more kind of tile."""
        kind = np.array([raw], np.uint32)
        place = int(np.searchsorted(self._kinds, kind[0]))
        if place == len(self._kinds) or self._kinds[place] != kind[0]:
            self._kinds = np.insert(self._kinds, place, kind)
            self._table = np.insert(self._table, place, self._reach(kind), axis=0)
            self._families = self._into_families()

    def families(self, raw: Raw) -> NDArray[np.int8]:
        """Which of the common reaches some tiles have; -1 for odd ones."""
        if not self._families.any():
            return np.zeros(len(raw), np.int8)
        families: NDArray[np.int8] = self._families[np.searchsorted(self._kinds, raw)]
        return families

    def _into_families(self) -> NDArray[np.int8]:
        """Which of the common reaches each kind has."""
        same = (self._table[:, None] == self.common).all(axis=2)
        return np.where(same.any(axis=1), same.argmax(axis=1), -1).astype(np.int8)

    def _commonest(self, counts: NDArray[np.int64]) -> Floats:
        if not len(self._table):
            return np.zeros((1, 4))
        reaches, which = np.unique(self._table, axis=0, return_inverse=True)
        totals = np.bincount(which.ravel(), weights=counts)
        many = np.count_nonzero(totals >= max(_FEW * totals.sum(), 1))
        commonest: Floats = reaches[np.argsort(-totals, kind="stable")[: max(many, 1)]]
        return commonest

    def _reach(self, kinds: Raw) -> Floats:
        room_x, room_y, wide, high, dx, dy = self._stamps(kinds & np.uint32(GID_MASK)).T
        half_x, half_y = wide / 2, high / 2
        flags = kinds >> np.uint32(FLAG_SHIFT)
        if self._turns:
            half_x, half_y = _turned(half_x, half_y, flags)
        else:
            swapped = (flags & DIAGONAL) != 0
            room_x, room_y = np.where(swapped, (room_y, room_x), (room_x, room_y))
            half_x, half_y = np.where(swapped, (half_y, half_x), (half_x, half_y))
        x = room_x / 2 + dx + self._offset[0]
        y = dy - room_y / 2 + self._offset[1]
        return np.stack((x - half_x, y - half_y, x + half_x, y + half_y), axis=1)


def _turned(half_x: Floats, half_y: Floats, flags: Raw) -> tuple[Floats, Floats]:
    """Half the size of the boxes around tiles turned about their centre in steps of 60 degrees."""
    angle = np.deg2rad(60.0 * ((flags & DIAGONAL) != 0) + 120.0 * ((flags & TURN_120) != 0))
    # rounded so that a half turn leaves a box as it is
    cosine, sine = np.abs(np.cos(angle)).round(12), np.abs(np.sin(angle)).round(12)
    return half_x * cosine + half_y * sine, half_x * sine + half_y * cosine

"""How far the image of a tile reaches around the anchor of its cell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..cells import DIAGONAL, FLAG_SHIFT, GID_MASK, TURN_120, distinct

__all__ = ["DrawBoxes", "Reaches"]

Floats = NDArray[np.float64]
Raw = NDArray[np.uint32]
DrawBoxes = Callable[[Raw], Floats]  # `TilesetList.draw_boxes`

# A reach that a smaller part of the tiles have shares a family with others: a family of its own
# costs a bit for every cell, and 3 us a query.
_FEW = 1 / 32


class Reaches:
    """The reach of every kind of tile in a layer: a kind is a gid with its flip bits.

    A reach is left, top, right and bottom in pixels from the anchor, y down; tile offset and
    layer offset are counted in. Kinds of one reach are a family. Rare reaches are put together by
    size, so that a view need not be searched far around for small tiles because of a large one.

    Args:
        raw: The tiles of the layer, and zeros.
        draw_boxes: `TilesetList.draw_boxes`.
        offset: That of the layer.
        turns: Whether flags turn a tile instead of swapping its axes, as in hexagonal maps.

    Attributes:
        families: The reach of each family, or the smallest one around those of its kinds.
        exact: For each family, whether all of its tiles reach exactly as far.
    """

    def __init__(
        self, raw: Raw, draw_boxes: DrawBoxes, offset: tuple[float, float], turns: bool
    ) -> None:
        self._draw_boxes = draw_boxes
        self._offset = offset
        self._turns = turns
        kinds, counts = distinct(raw)
        present = kinds != 0
        self._kinds = kinds[present]
        self._table = self._reach(self._kinds)
        self.families = self._commonest(counts[present])
        self.exact = [True] * len(self.families)
        self._by_size: dict[int, int] = {}
        self._by_kind: dict[int, int] = {}
        for kind, reach in zip(self._kinds.tolist(), self._table, strict=True):
            self._by_kind[kind] = self._join_family(reach)
        self._numbers = self._listed()

    def of(self, raw: Raw) -> Floats:
        """The reach of some tiles, (n, 4).

        Raises:
            KeyError: A cell without a tile.
        """
        if not raw.all():
            raise KeyError("a cell without a tile has no box")
        if len(self.families) == 1 and self.exact[0]:
            return np.broadcast_to(self.families[0], (len(raw), 4))
        return self._table[np.searchsorted(self._kinds, raw)]

    def family(self, raw: int) -> int:
        """The family of a kind of tile, which may be new."""
        number = self._by_kind.get(raw)
        return self._add(raw) if number is None else number

    def families_of(self, raw: Raw) -> NDArray[np.int32]:
        """The families of some kinds that are known."""
        if not len(self._kinds):
            return np.zeros(len(raw), np.int32)
        places = np.searchsorted(self._kinds, raw)
        return self._numbers[np.minimum(places, len(self._kinds) - 1)]

    def _add(self, raw: int) -> int:
        kind = np.array([raw], np.uint32)
        place = int(np.searchsorted(self._kinds, kind[0]))
        reach = self._reach(kind)
        if not len(self._kinds):  # the first tile of an empty layer says how large tiles are
            self.families[0] = reach[0]
        self._by_kind[raw] = number = self._join_family(reach[0])
        self._kinds = np.insert(self._kinds, place, kind)
        self._table = np.insert(self._table, place, reach, axis=0)
        self._numbers = self._listed()
        return number

    def _listed(self) -> NDArray[np.int32]:
        return np.array([self._by_kind[kind] for kind in self._kinds.tolist()], np.int32)

    def _join_family(self, reach: Floats) -> int:
        """The family of a reach: its own, or one of reaches about as large."""
        for number, (own, exact) in enumerate(zip(self.families, self.exact, strict=True)):
            if exact and (own == reach).all():
                return number
        size = int(np.abs(reach).max()).bit_length()
        if size not in self._by_size:
            self._by_size[size] = len(self.families)
            self.families.append(reach.copy())
            self.exact.append(False)
        number = self._by_size[size]
        around = self.families[number]
        low, high = np.minimum(around[:2], reach[:2]), np.maximum(around[2:], reach[2:])
        self.families[number] = np.concatenate((low, high))
        return number

    def _commonest(self, counts: NDArray[np.int64]) -> list[Floats]:
        """The reaches of many tiles, most first; one at least."""
        if not len(self._table):
            return [np.zeros(4)]
        reaches, which = np.unique(self._table, axis=0, return_inverse=True)
        totals = np.bincount(which.ravel(), weights=counts)
        many = np.count_nonzero(totals >= max(_FEW * totals.sum(), 1))
        return list(reaches[np.argsort(-totals, kind="stable")[: max(many, 1)]])

    def _reach(self, kinds: Raw) -> Floats:
        room_x, room_y, wide, high, dx, dy = self._draw_boxes(kinds & np.uint32(GID_MASK)).T
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

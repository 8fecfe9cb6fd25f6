"""The tiles of a layer in flat arrays, each at the slot that it keeps while it is there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..cells import Cells, Ids
from .numbering import Numbering

__all__ = ["TileStore"]


class TileStore:
    """Column, row and raw cell of every tile, by slot; `slots` tells those of some ids.

    Args:
        cells: The tiles in draw order; the arrays are the store's own from now on.

    Attributes:
        columns: int32; what stands in a slot that is free means nothing.
        rows: int32.
        raw: uint32, flags and gid in one number.
        numbering: From ids to slots and back.
    """

    def __init__(self, cells: Cells) -> None:
        self.columns, self.rows, self.raw = cells
        self.numbering = Numbering(len(self.raw))

    def __len__(self) -> int:
        return len(self.numbering)

    def slots(self, ids: Ids) -> Ids:
        """Where the tiles of some ids stand in the arrays.

        Args:
            ids: Whatever numpy takes as an index of an array with a tile for each id.

        Returns:
            What it takes as an index of the arrays.

        Raises:
            IndexError: There is no such id.
        """
        if self.numbering.plain:
            return ids
        count = len(self)
        if isinstance(ids, slice):
            return self.numbering.slots(np.arange(*ids.indices(count), dtype=np.int32))
        numbers = np.asarray(ids)
        if numbers.dtype == bool:
            numbers = np.flatnonzero(numbers)
        if numbers.size and not -count <= numbers.min() <= numbers.max() < count:
            raise IndexError(f"ids must be below {count}, got {numbers.min()} to {numbers.max()}")
        return self.numbering.slots(np.where(numbers < 0, numbers + count, numbers))

    def every(self) -> Cells:
        """All tiles in draw order; while nothing has changed these are the arrays themselves."""
        slots = self.slots(slice(None))
        return Cells(self.columns[slots], self.rows[slots], self.raw[slots])

    def slot(self, number: int) -> int:
        """Where the tile of an id stands."""
        return int(self.numbering.slots([number])[0])

    def cell(self, slot: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Column and row of a tile, in arrays of one."""
        return self.columns[slot : slot + 1], self.rows[slot : slot + 1]

    def insert(self, number: int, column: int, row: int, raw: int) -> int:
        """Take in a tile: the ids from its own on rise by one. Returns its slot."""
        slot = self.numbering.insert(number)
        if slot == len(self.raw):
            self._make_room()
        self.columns[slot], self.rows[slot], self.raw[slot] = column, row, raw
        return slot

    def remove(self, number: int) -> None:
        """Forget a tile: the ids behind it sink by one."""
        self.numbering.remove(number)

    def _make_room(self) -> None:
        """An eighth more slots, so that few tiles that come have the arrays copied."""
        room = np.zeros(len(self.raw) // 8 + 16, np.int32)
        self.columns = np.concatenate((self.columns, room))
        self.rows = np.concatenate((self.rows, room))
        self.raw = np.concatenate((self.raw, room.view(np.uint32)))

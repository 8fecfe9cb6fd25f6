"""Changes of a layer: checked, made, and told to the index and to observers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol
from weakref import WeakSet

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..cells import FARTHEST, FLAG_SHIFT
from .lattice_index import LatticeIndex
from .tile_store import TileStore

__all__ = ["TileEdits", "TileObserver"]


class TileObserver(Protocol):
    """Something that keeps data about the tiles of a layer, and has to hear of changes."""

    def tiles_changed(self, ids: NDArray[np.int32]) -> None:
        """Called after a change with the ids of the cells that hold other tiles now, or none."""


class TileEdits:
    """Sets and clears the tiles of a layer.

    Args:
        tiles: The tiles.
        index: What answers by view.
        owner: Refuses a gid that no tileset has.
        size: Columns and rows in which tiles may be set; None for everywhere.

    Attributes:
        observers: What is told of every change.
    """

    def __init__(
        self,
        tiles: TileStore,
        index: LatticeIndex,
        owner: Callable[[int], Any],
        size: tuple[int, int] | None,
    ) -> None:
        self.observers: WeakSet[TileObserver] = WeakSet()
        self._tiles = tiles
        self._index = index
        self._owner = owner
        low, (columns, rows) = (1 - FARTHEST, (FARTHEST, FARTHEST)) if size is None else (0, size)
        self._columns, self._rows = range(low, columns), range(low, rows)
        self._known: set[int] = set()  # gids with flips that have been set before

    def set(self, column: int, row: int, gid: int, flags: int) -> int:
        """Put a tile into a cell. Returns its id."""
        if column not in self._columns or row not in self._rows:
            raise ValueError(f"cell ({column}, {row}) lies outside the map")
        if not 0 <= flags <= 15:
            raise ValueError(f"flags must be from 0 to 15, got {flags!r}")
        raw = gid | flags << FLAG_SHIFT
        if raw not in self._known:
            self._owner(gid)
            self._known.add(raw)
        tiles = self._tiles
        before = tiles.raw_at(column, row)
        number = tiles.put(column, row, raw)
        if raw != before:
            self._index.change(column, row, before, raw)
            if self.observers:
                self._tell([number])
        return number

    def clear(self, column: int, row: int) -> None:
        """Empty a cell; one that is empty, or nowhere, stays as it is."""
        tiles = self._tiles
        before = tiles.raw_at(column, row)
        if before:
            tiles.take(column, row)
            self._index.change(column, row, before, 0)
            if self.observers:
                self._tell([tiles.ids.id_at(column, row)])

    def set_many(self, cells: ArrayLike, gids: ArrayLike, flags: ArrayLike) -> None:
        """Put tiles into many cells; gid 0 empties one."""
        places = _whole(cells, "cells")
        if places.ndim != 2 or places.shape[1] != 2:
            if places.size:
                raise ValueError(f"cells must have the shape (n, 2), got {places.shape}")
            places = places.reshape(0, 2)
        kinds = _spread(_whole(gids, "gids"), len(places), "gids")
        turns = _spread(_whole(flags, "flags"), len(places), "flags")
        self._check(places, kinds, turns)
        raw = np.where(kinds == 0, 0, kinds | turns << FLAG_SHIFT)
        # the last one counts of those for one cell
        keys = (places[:, 1] << 32) + places[:, 0]
        _, last = np.unique(keys[::-1], return_index=True)
        tiles, changed = self._tiles, []
        try:
            for at in np.sort(len(keys) - 1 - last).tolist():
                column, row, after = int(places[at, 0]), int(places[at, 1]), int(raw[at])
                before = tiles.raw_at(column, row)
                if after == before:
                    continue
                if after:
                    tiles.put(column, row, after)
                else:
                    tiles.take(column, row)
                self._index.change(column, row, before, after)
                changed.append(tiles.ids.id_at(column, row))
        finally:
            if changed and self.observers:
                self._tell(changed)

    def _check(
        self, cells: NDArray[np.int64], gids: NDArray[np.int64], flags: NDArray[np.int64]
    ) -> None:
        low = np.array([self._columns.start, self._rows.start])
        outside = (cells < low) | (cells >= [self._columns.stop, self._rows.stop])
        for column, row in cells[outside.any(axis=1)][:1].tolist():
            raise ValueError(f"cell ({column}, {row}) lies outside the map")
        for wrong in flags[(flags < 0) | (flags > 15)][:1].tolist():
            raise ValueError(f"flags must be from 0 to 15, got {wrong}")
        for gid in np.unique(gids).tolist():
            if gid:
                self._owner(gid)
        self._tiles.check_room(cells[gids != 0])

    def _tell(self, ids: list[int | None]) -> None:
        changed = np.array(ids, np.int32)
        for observer in list(self.observers):
            observer.tiles_changed(changed)


def _whole(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Whole numbers as int64."""
    numbers = np.asarray(values)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers, got {numbers.dtype}")
    return numbers.astype(np.int64)


def _spread(values: NDArray[np.int64], count: int, name: str) -> NDArray[np.int64]:
    """One number for each cell, from one for each or one for all."""
    if values.shape not in ((), (count,)):
        raise ValueError(f"{name} must be one number, or {count} of them, got {values.shape}")
    return np.broadcast_to(values, (count,))

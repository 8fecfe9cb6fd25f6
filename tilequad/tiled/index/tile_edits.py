"""Edits of a layer: check them, apply them, and notify the index and observers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol
from weakref import WeakSet

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.cells.listing import all_cells
from tilequad._core.shown import shown
from tilequad._core.turns import Turns

from ..cells import FARTHEST, FLAG_SHIFT
from ..checks import cells_of, whole_array
from .lattice_index import LatticeIndex
from .tile_store import TileStore

__all__ = ["Observers", "TileEdits", "TileObserver"]

_FEW = 1 << 10  # numbers that are sorted as fast as counted


class Observers(WeakSet[Any]):
    """Those that follow the changes of a layer or a map, held weakly."""

    def tell(self, call: Callable[[Any], None]) -> None:
        """Call a function with each observer, even if one of them raises an exception."""
        problem: BaseException | None = None
        for observer in list(self):
            try:
                call(observer)
            except BaseException as raised:
                problem = problem or raised
        if problem is not None:
            raise problem

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (), list(self)

    def __setstate__(self, observers: list[Any]) -> None:
        self.update(observers)


class TileObserver(Protocol):
    """Receives the changes of a layer, to keep per-tile data up to date."""

    def _tiles_changed(self, ids: NDArray[np.int32]) -> None:
        """Receive the ids of the cells that a change has set or cleared."""


class TileEdits:
    """Sets and clears the tiles of a layer; `owner` raises KeyError for a gid of no tileset."""

    def __init__(
        self,
        tiles: TileStore,
        index: LatticeIndex,
        owner: Callable[[int], Any],
        size: tuple[int, int] | None,
    ) -> None:
        self._observers = Observers()
        self._is_observed = False  # whether there ever was one: a WeakSet takes long to tell
        self._tiles = tiles
        self._index = index
        self.owner = owner
        low, (columns, rows) = (1 - FARTHEST, (FARTHEST, FARTHEST)) if size is None else (0, size)
        self._columns, self._rows = range(low, columns), range(low, rows)
        self._known: set[int] = set()  # raw values that passed the checks before
        self._turns = Turns("change tiles while others are being changed")  # or told of

    def observe(self, observer: TileObserver) -> None:
        """Tell an observer of changes; it is held weakly."""
        self._observers.add(observer)
        self._is_observed = True

    def set(self, column: int, row: int, gid: int, flags: int) -> int:
        """Set the tile of a cell. Return its id."""
        if column not in self._columns or row not in self._rows:
            raise ValueError(f"cell ({shown(column)}, {shown(row)}) lies outside the map")
        try:
            raw = gid | flags << FLAG_SHIFT
        except TypeError:
            given = f"{shown(gid)} and {shown(flags)}"
            raise TypeError(f"gid and flags must be whole numbers, got {given}") from None
        if not 0 <= flags <= 15:
            raise ValueError(f"flags must be from 0 to 15, got {shown(flags)}")
        if raw not in self._known:
            self.owner(gid)
            self._known.add(raw)
        with self._turns:
            try:
                tile_id, before = self._tiles.put(column, row, raw)
                if raw != before:
                    self._index.change(column, row, before, raw)
                    if self._is_observed:
                        self._notify([tile_id])
            except BaseException:  # such as Ctrl-C
                self._restore([(column, row, self._tiles.raw_at(column, row))])
                raise
        return tile_id

    def clear(self, column: int, row: int) -> None:
        """Clear a cell. Do nothing if it is empty or outside the map."""
        if not self._tiles.raw_at(column, row):
            return
        with self._turns:
            try:
                before = self._tiles.take(column, row)
                if before:
                    self._index.change(column, row, before, 0)
                    if self._is_observed:
                        self._notify([self._tiles.ids.id_at(column, row)])
            except BaseException:
                self._restore([(column, row, self._tiles.raw_at(column, row))])
                raise

    def forget(self) -> None:
        """Forget what is known of tiles and their places, which may have changed."""
        self._known.clear()
        self._index.forget()

    def tell_moved(self) -> None:
        """Tell observers that tiles may look different or lie elsewhere.

        Those without a method `_layer_changed` are told that all tiles have changed.
        """
        if self._is_observed:
            everything = all_cells(self._tiles.held)

            def tell(observer: Any) -> None:
                changed = getattr(observer, "_layer_changed", None)
                observer._tiles_changed(everything) if changed is None else changed()

            self._observers.tell(tell)

    def set_many(self, cells: ArrayLike, gids: ArrayLike, flags: ArrayLike) -> None:
        """Set the tiles of many cells; gid 0 clears a cell."""
        places = cells_of(cells)
        kinds = _one_per_cell(gids, len(places), "gids")
        turns = _one_per_cell(flags, len(places), "flags")
        self._check(places, kinds, turns)
        raw = np.where(kinds == 0, 0, kinds | turns << FLAG_SHIFT)
        # keep the last of several tiles for one cell
        keys = (places[:, 1] << 32) + places[:, 0]
        if not (keys[1:] > keys[:-1]).all():
            _, last = np.unique(keys[::-1], return_index=True)
            some = np.sort(len(keys) - 1 - last)
            places, raw = places[some], raw[some]
        columns, rows = np.ascontiguousarray(places.T, np.int32)
        self.put_many(columns, rows, raw.astype(np.uint32))

    def put_many(
        self, columns: NDArray[np.int32], rows: NDArray[np.int32], raw: NDArray[np.uint32]
    ) -> None:
        """Give different cells these raw values, which are known to be right; 0 clears a cell."""
        with self._turns:
            tiles = self._tiles
            before = tiles.raw(columns, rows)
            [some] = (before != raw).nonzero()
            if not len(some):
                return
            columns, rows, before, raw = columns[some], rows[some], before[some], raw[some]
            tiles.check_capacity(columns, rows, raw)
            is_done = False
            try:
                tiles.put_many(columns, rows, raw)
                self._index.change_many(columns, rows, before, raw)
                is_done = True
                if self._is_observed:
                    self._notify(tiles.ids.ids_at(columns, rows))
            except BaseException:  # afterwards, some observers may not know yet
                right = raw if is_done else before
                self._restore(list(zip(*(a.tolist() for a in (columns, rows, right)), strict=True)))
                raise

    def are_inside(self, columns: NDArray[Any], rows: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which cells lie inside the map."""
        across, down = self._columns, self._rows
        inside: NDArray[np.bool_] = (columns >= across.start) & (columns < across.stop)
        inside &= (rows >= down.start) & (rows < down.stop)
        return inside

    def is_box_inside(self, left: int, top: int, right: int, bottom: int) -> bool:
        """Return whether all cells from one corner to another lie inside the map."""
        across, down = self._columns, self._rows
        return left in across and right in across and top in down and bottom in down

    def _check(
        self, cells: NDArray[np.int64], gids: NDArray[np.int64], flags: NDArray[np.int64]
    ) -> None:
        inside = self.are_inside(cells[:, 0], cells[:, 1])
        for column, row in cells[~inside][:1].tolist():
            raise ValueError(f"cell ({column}, {row}) lies outside the map")
        for wrong in flags[(flags < 0) | (flags > 15)][:1].tolist():
            raise ValueError(f"flags must be from 0 to 15, got {wrong}")
        for gid in _distinct(gids):
            if gid:
                self.owner(gid)

    def _restore(self, cells: list[tuple[int, int, int]]) -> None:
        """Give cells these raw values, and tell everyone, after an exception at any place."""
        for column, row, raw in cells:
            self._tiles.restore(column, row, raw)
        self._index.forget()
        numbers = [self._tiles.ids.id_at(column, row) for column, row, _ in cells]
        changed = [number for number in numbers if number is not None]
        if changed and self._is_observed:
            self._notify(changed)

    def _notify(self, ids: Sequence[int | None] | NDArray[np.int32]) -> None:
        """Tell all observers of changed cells, even if one of them raises an exception."""
        changed = np.array(ids, np.int32)
        self._observers.tell(lambda observer: observer._tiles_changed(changed))


def _distinct(gids: NDArray[np.int64]) -> list[int]:
    """Return the different ones of some gids; counting is faster than sorting."""
    if len(gids) < _FEW or not 0 <= gids.min() <= gids.max() < len(gids):
        found = np.unique(gids)
    else:
        found = np.flatnonzero(np.bincount(gids))
    return [int(gid) for gid in found]


def _one_per_cell(values: ArrayLike, count: int, name: str) -> NDArray[np.int64]:
    """Return one number per cell, given one for each or one for all."""
    numbers = whole_array(values, name).astype(np.int64)
    if numbers.shape not in ((), (count,)):
        raise ValueError(f"{name} must be one number, or {count} of them, got {numbers.shape}")
    return np.broadcast_to(numbers, (count,))

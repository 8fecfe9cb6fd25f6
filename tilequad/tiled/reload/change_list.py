"""Step 3: changes of many objects, of which all are made or none."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

import numpy as np

from ..cells import FLAG_SHIFT, GID_MASK, Ints64, Raw
from ..index.tile_store import TileStore
from ..model.tile_layer import TileLayer, places_of
from ..model.tile_map import TileMap

__all__ = ["ChangeList"]

Contents = dict[Any, Any] | list[Any]


class ChangeList:
    """Changes that were found, and are made later."""

    def __init__(self, files: Set[str], documents: Set[str]) -> None:
        self.files = files  #: those that have changed; documents are no images
        self.templates = bool(files & documents)  #: whether a template may have changed
        #: whether more than tiles and settings changes, so that pictures and grids are made anew
        self.structure = False
        #: the tile layers whose tiles may look different, or lie elsewhere
        self.moved: dict[TileLayer, None] = {}
        self._steps: list[tuple[Contents, Callable[[Any], None]]] = []
        self._cells: list[tuple[TileLayer, Ints64, Raw]] = []
        self._stores: list[tuple[TileStore, TileStore]] = []

    def __len__(self) -> int:
        """Return the number of changes, but for those of cells."""
        return len(self._steps)

    def set(self, target: Any, **values: Any) -> None:
        """Set attributes of an object."""
        self._steps.append((vars(target), lambda own: own.update(values)))

    def forget(self, target: Any, *names: str) -> None:
        """Drop what an object has found out before, and may find out anew."""

        def drop(own: dict[str, Any]) -> None:
            for name in names:
                own.pop(name, None)

        self._steps.append((vars(target), drop))

    def replace(self, target: Contents, contents: Any) -> None:
        """Replace all that is in a dict or a list."""
        self._steps.append((target, lambda own: _fill(own, contents)))

    def set_cells(self, layer: TileLayer, cells: Ints64, raw: Raw) -> None:
        """Set cells to raw values: gids with flip bits."""
        if len(cells):
            self._cells.append((layer, cells, raw))

    def begin_anew(self, own: TileStore, fresh: TileStore) -> None:
        """Let the cells of a layer differ from a newer file only where they do."""
        self._stores.append((own, fresh))

    def make(self, tile_map: TileMap) -> None:
        """Make all changes, and tell those who follow the map; after an exception, none or all."""
        is_done = False
        before: list[tuple[Contents, Contents]] = []
        cells: list[tuple[TileLayer, Ints64, Raw]] = []
        touched = [(own, own.touched.copy(), own.is_exact) for own, _ in self._stores]
        try:
            for target, change in self._steps:
                before.append((target, target.copy()))
                change(target)
            for layer in self.moved:
                layer._edits.forget()
            for layer, places, raw in self._cells:
                tiles = places_of(layer).tiles
                cells.append((layer, places, tiles.raw(*np.ascontiguousarray(places.T, np.int32))))
                _set(layer, places, raw)
            for (own, fresh), (_, squares, _) in zip(self._stores, touched, strict=True):
                own.is_exact = fresh.is_exact
                own.touched = fresh.remembered(list(squares))
            is_done = True
            self._tell(tile_map)
        except BaseException:  # such as Ctrl-C
            if is_done:  # some may not know yet
                self._tell(tile_map)
                raise
            for target, contents in reversed(before):
                _fill(target, contents)
            for layer in self.moved:
                layer._edits.forget()
            for layer, places, raw in reversed(cells):
                _set(layer, places, raw)
            for own, squares, is_exact in touched:
                own.touched, own.is_exact = squares, is_exact
            self._tell(tile_map)  # some may have looked in the middle
            raise

    def _tell(self, tile_map: TileMap) -> None:
        for layer in self.moved:
            layer._edits.tell_moved()
        if self.structure:
            tile_map._observers.tell(lambda observer: observer._map_changed(tile_map))


def _fill(target: Any, contents: Any) -> None:
    target.clear()
    (target.update if isinstance(target, dict) else target.extend)(contents)


def _set(layer: TileLayer, cells: Ints64, raw: Raw) -> None:
    layer.set_tiles(cells, raw & np.uint32(GID_MASK), raw >> np.uint32(FLAG_SHIFT))

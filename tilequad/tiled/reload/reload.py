"""Step 1: `reload_map`, which reads a map's file again and applies what has changed in it."""

from __future__ import annotations

import os
from hashlib import sha256
from warnings import warn

from ..errors import MapError
from ..model.tile_map import TileMap
from ..read.documents import parse
from ..read.tile_map import open_map, read_twin
from .change_list import ChangeList
from .differences import find_changes

__all__ = ["reload_if_changed", "reload_map"]


def reload_map(tile_map: TileMap) -> None:
    """Apply what has changed in the file of a map; `TileMap.reload` explains it."""
    watch = tile_map._watch
    before, changed = watch.stamps.copy(), watch.changed()
    others = watch.documents - {os.fspath(tile_map.path)}
    context = tile_map._context()
    context.strict = tile_map.strict
    context.stamps = watch.stamps  # of images that stay, too
    project = tile_map._frame.tools.project
    try:
        fresh = open_map(context, tile_map.axes.y_up, tile_map._source is not None, project)
        changes = ChangeList(changed.keys(), others)
        find_changes(tile_map, _base_of(tile_map, fresh, changes), fresh, changes)
        changes.set(watch, documents=context.documents, seen={}, told=None)
        changes.make(tile_map)
    except BaseException:
        watch.stamps.clear()
        watch.stamps.update(before)
        watch.seen = changed
        raise


def reload_if_changed(tile_map: TileMap) -> bool:
    """Reload a map whose files have changed; `TileMap.reload_if_changed` explains it."""
    watch = tile_map._watch
    if not watch.has_changed():
        return False
    try:
        reload_map(tile_map)
    except MapError as problem:
        told = str(problem), _digest(tile_map)
        if told != watch.told:
            watch.told = told
            warn(f"{problem}; the map stays as it was", UserWarning, stacklevel=3)
        return False
    return True


def _base_of(tile_map: TileMap, fresh: TileMap, changes: ChangeList) -> TileMap:
    """Return the map as its file had it when it was read last, without cells.

    Without its bytes, that is the map itself, so that the file wins everywhere. Where all but cells
    is as it was, it is the newer map.
    """
    source = tile_map._source
    if source is None or fresh._source is None:
        return tile_map
    only_map = changes.files <= {os.fspath(tile_map.path)}
    if only_map and fresh._source.kept == source.kept:
        return fresh
    context = tile_map._context()
    base = read_twin(tile_map, parse(source.kept, source.path, context), context)
    if base._frame.tools.project is not None:
        base._frame.tools.project.complete(base, context)
    return base


def _digest(tile_map: TileMap) -> bytes:
    """Return what tells whether a broken file is still the same."""
    try:
        return sha256(tile_map._context().read(tile_map.path)).digest()
    except MapError:
        return b""

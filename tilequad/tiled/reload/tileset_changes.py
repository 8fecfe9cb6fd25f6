"""Step 2a: what differs between the tilesets of two maps."""

from __future__ import annotations

from collections.abc import Collection, Hashable

from ..model.tile_map import TileMap
from ..model.tilesets import Tileset, TilesetList
from .change_list import ChangeList
from .facts import fact, is_stale

__all__ = ["change_tilesets"]


def change_tilesets(own: TileMap, fresh: TileMap, changes: ChangeList) -> None:
    """Let the tilesets of a map be those of a newer one. Those that stay are the same objects.

    Args:
        own: The map.
        fresh: The newer one.
        changes: Takes the changes.
    """
    tools = own._frame.tools
    changes.set(tools, enums=fresh.enums)
    left = list(own.tilesets.as_written)
    tilesets = []
    for tileset in fresh.tilesets.as_written:
        kept = next((one for one in left if _key(one) == _key(tileset)), tileset)
        tilesets.append(kept)
        if kept is tileset:
            changes.set(tileset, _tools=tools)
            continue
        left.remove(kept)
        if fact(kept) != fact(tileset) or _has_stale_picture(kept, changes.files):
            changes.structure = True
            changes.replace(vars(kept), {**vars(tileset), "_tools": tools})
    added = [one for one in left if any(one is other for other in own.tilesets.added)]
    tilesets += added
    if list(map(id, tilesets)) != list(map(id, own.tilesets.as_written)):
        changes.structure = True
    if changes.structure:
        newer = [*fresh.tilesets.as_written, *added]
        known = TilesetList(newer, own.tile_size)
        kept_for = dict(zip(map(id, newer), tilesets, strict=True))
        known.as_written, known.added = tilesets, added
        known._tilesets = [kept_for[id(one)] for one in known._tilesets]
        changes.replace(vars(own.tilesets), vars(known))


def _key(tileset: Tileset) -> Hashable:
    return tileset.path or tileset.name


def _has_stale_picture(tileset: Tileset, files: Collection[str]) -> bool:
    pictures = [tileset.picture, *(tile.picture for tile in tileset.tiles.values())]
    return any(is_stale(picture, files) for picture in pictures)

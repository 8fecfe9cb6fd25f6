"""Step 2: finds what differs between two versions of a map's file, as changes of the map."""

from __future__ import annotations

from collections.abc import Collection, Hashable

from tilequad._core.cells.cell_ids import GridIds

from ..errors import MapError
from ..index.tile_store import TileStore
from ..model.layer import Group
from ..model.tile_layer import TileLayer, places_of
from ..model.tile_map import FIXED, TileMap
from ..model.tilesets import Tileset, TilesetList
from .change_list import ChangeList
from .layer_changes import (
    Match,
    change_group,
    change_layer,
    change_properties,
    fact,
    is_stale,
)

__all__ = ["find_changes"]


def find_changes(own: TileMap, base: TileMap, fresh: TileMap, changes: ChangeList) -> None:
    """Find what turns a map into what its file is now. What stays fixed must not differ.

    `base` is the map as its file was, without cells; or `fresh`, if only cells may differ. The new
    layers of `fresh` become those of the map.
    """
    for name in FIXED:
        if getattr(own, name) != getattr(fresh, name):
            was, now = getattr(own, name), getattr(fresh, name)
            raise _fixed(own, f"its {name} has changed from {was} to {now}")
    _change_tilesets(own, fresh, changes)
    if changes.structure:
        changes.moved |= {layer: None for layer in own.layers if isinstance(layer, TileLayer)}
    _change_layers(own, base, fresh, _change_groups(own, base, fresh, changes), changes)
    for name in ("next_layer_id", "next_object_id"):
        frames = own._frame, fresh._frame
        changes.set(own._frame, **{name: max(getattr(frame, name) for frame in frames)})
    change_properties(own.properties, base.properties, fresh.properties, changes)
    for name in ("class_name", "background_color", "parallax_origin"):
        if getattr(base, name) != getattr(fresh, name):
            changes.set(own, **{name: getattr(fresh, name)})
            changes.structure = True
    revision = own.revision + changes.structure
    changes.set(own, revision=revision, _source=fresh._source)
    changes.forget(own, "_bounds", "_canvas", "tmx")
    changes.replace(own.warnings, fresh.warnings)


def _change_tilesets(own: TileMap, fresh: TileMap, changes: ChangeList) -> None:
    """Let the tilesets of a map be those of a newer one. Those that stay are the same objects."""
    tools = own._frame.tools
    left = list(own.tilesets.as_written)
    tilesets = []
    for tileset in fresh.tilesets.as_written:
        kept = next((one for one in left if _file_of(one) == _file_of(tileset)), tileset)
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


def _file_of(tileset: Tileset) -> Hashable:
    return tileset.path or tileset.name


def _has_stale_picture(tileset: Tileset, files: Collection[str]) -> bool:
    pictures = [tileset.picture, *(tile.picture for tile in tileset.tiles.values())]
    return any(is_stale(picture, files) for picture in pictures)


def _change_groups(
    own: TileMap, base: TileMap, fresh: TileMap, changes: ChangeList
) -> dict[Group, Group]:
    """Find what differs between groups; return which group of the map each newer one becomes."""
    match = Match(own.groups, base.groups, fresh.groups)
    kept = {after: group for group, _, after in match.pairs}
    for group, before, after in match.pairs:
        if before is not after:
            change_group(group, before, after, changes)
            if before._below != after._below:
                changes.set(group, _below=after._below)
        changes.set(group, groups=_mapped(after.groups, kept), _number=after._number)
    for group in match.added:
        changes.set(group, groups=_mapped(group.groups, kept))
    if match.order is not None:
        changes.replace(own.groups, match.order)
        changes.structure = True
    return kept


def _mapped(groups: tuple[Group, ...], kept: dict[Group, Group]) -> tuple[Group, ...]:
    return tuple(kept.get(group, group) for group in groups)


def _change_layers(
    own: TileMap,
    base: TileMap,
    fresh: TileMap,
    groups: dict[Group, Group],
    changes: ChangeList,
) -> None:
    match = Match(own.layers, base.layers, fresh.layers)
    for layer, before, after in match.pairs:
        if before is not after:
            change_layer(layer, before, after, changes)
        within = _mapped(after.groups, groups)
        changes.structure |= within != layer.groups
        changes.set(layer, groups=within, _number=after._number, _own=after._own)
        if isinstance(layer, TileLayer) and isinstance(after, TileLayer):
            _change_cells(own, layer, after, changes)
    for layer in match.added:
        changes.set(layer, groups=_mapped(layer.groups, groups), _frame=own._frame)
        if isinstance(layer, TileLayer):
            layer._take_tilesets(own.tilesets)
    for layer in match.removed:
        if isinstance(layer, TileLayer):  # empty for all that follow it
            cells = layer.cells(layer.ids()).astype("int64")
            changes.set_cells(layer, cells, cells[:, 0].astype("uint32") * 0)
    if match.order is not None:
        changes.replace(own.layers, match.order)
        changes.structure = True


def _change_cells(own: TileMap, layer: TileLayer, fresh: TileLayer, changes: ChangeList) -> None:
    tiles, newer = places_of(layer).tiles, places_of(fresh).tiles
    part = f"layer {layer.name!r}: "
    if layer._origin != fresh._origin or not _number_alike(tiles, newer):
        raise _fixed(own, f"{part}its size or place has changed")
    cells, raw = tiles.changes_to(newer)
    if not own.infinite and ((cells < 0) | (cells >= own.size)).any():
        raise _fixed(own, f"{part}tiles outside of the map have changed")
    changes.set_cells(layer, cells, raw)
    changes.begin_anew(tiles, newer)


def _number_alike(one: TileStore, other: TileStore) -> bool:
    if isinstance(one.ids, GridIds) and isinstance(other.ids, GridIds):
        return (one.ids.columns, one.ids.rows) == (other.ids.columns, other.ids.rows)
    return isinstance(one.ids, GridIds) == isinstance(other.ids, GridIds)


def _fixed(own: TileMap, reason: str) -> MapError:
    return MapError(own.path, f"{reason}, so that the map must be loaded anew")

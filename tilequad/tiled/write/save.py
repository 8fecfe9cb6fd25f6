"""`save_map`: the steps from a map back to a file."""

from __future__ import annotations

import os
import warnings
from contextlib import suppress

from ..context import LoadContext, Stamp
from ..errors import MapError
from ..model.layer import Group
from ..model.tile_layer import TileLayer, places_of
from ..model.tile_map import TileMap
from ..read.documents import is_json, parse_xml, read_map_file
from ..source import Source, Span
from .files import check_file, moved, nesting_checked, target_of, write_whole
from .json_map import write_json, xml_of_json
from .map_document import Saving
from .to_json import map_content
from .to_xml import empty_twin
from .values import json_file

__all__ = ["save_map"]


def save_map(tile_map: TileMap, path: str | os.PathLike[str]) -> None:
    """Write a map to a file; `TileMap.save` explains it."""
    target, to_json = target_of(path, ".tmx", ".tmj")
    context = tile_map._context()
    source = _source_of(tile_map)
    data, is_whole = _bytes_of(source, context)
    is_own = not source.in_memory and os.path.realpath(target) == os.path.realpath(source.path)
    # a link from elsewhere moves no file
    folder = source.folder if is_own else os.path.dirname(os.path.abspath(target))
    saving = Saving(tile_map, source, data, is_whole, folder, to_json, context)
    with nesting_checked(context):
        data, spans, groups = _changed(saving)
    check_file(target, data, context)
    stamp = write_whole(target, data)
    if tile_map._source is None:
        return
    if source.in_memory:
        _move_templates(tile_map, folder)
        tile_map.path = target
    elif not is_own:
        return
    path = target if source.in_memory else source.path
    if spans is None:
        _, newer = read_map_file(tile_map._context(path))
        assert newer is not None
    else:
        newer = Source.of(data, spans, path)
    try:
        _begin_anew(tile_map, newer, stamp, groups)
    except BaseException:  # such as Ctrl-C
        _begin_anew(tile_map, newer, stamp, groups)
        raise


def _changed(saving: Saving) -> tuple[bytes, list[Span] | None, list[Group]]:
    """Return the new file, and the groups of the map in its order.

    Also where the texts of its cells are; None if it has to be read for that.
    """
    from_json = is_json(saving.data, saving.source.path)
    if from_json and saving.to_json:
        return write_json(saving)
    if from_json:
        document, groups = xml_of_json(saving)
        return document.finish(), None, groups
    document = saving.document()
    groups = saving.write(document)
    data = document.finish()
    if not saving.to_json:
        return data, document.spans if saving.has_texts else None, groups
    tree = parse_xml(data, saving.context.path, saving.context.anew())
    content = map_content(tree, saving.tile_map.tilesets, saving.context)
    return json_file(content), None, groups


def _bytes_of(source: Source, context: LoadContext) -> tuple[bytes, bool]:
    """Return the file as it was read, and True; without its cells, and False, if it changed."""
    with suppress(MapError):  # it may be gone
        if not source.in_memory and source.is_of(data := context.read(source.path)):
            return data, True
    return source.kept, not source.spans


def _source_of(tile_map: TileMap) -> Source:
    """Return the file that a map was read from, or an empty one."""
    if tile_map._source is not None:
        return tile_map._source
    if not tile_map._told_of_loss:
        tile_map._told_of_loss = True
        warnings.warn(
            f"{tile_map.path}: the map was loaded with keep=False, so what only the file has is "
            "lost: comments, attributes that tilequad does not know, and what other programs note",
            UserWarning,
            stacklevel=4,
        )
    folder, name = os.path.split(os.path.abspath(tile_map.path))
    return Source(folder, name, b"", empty_twin(tile_map), ())


def _move_templates(tile_map: TileMap, folder: str) -> None:
    """Let instances refer to their templates from the folder of a map that has got its file."""
    here = os.path.dirname(os.path.abspath(tile_map.path))
    for item in tile_map.objects():
        item.template = moved(item.template, here, folder)


def _begin_anew(tile_map: TileMap, source: Source, stamp: Stamp, groups: list[Group]) -> None:
    """Let a map follow from its new file."""
    tile_map._source = source
    tile_map.groups[:] = groups
    for group in groups:
        if group._below is None:  # it was put on top
            group._below, _ = tile_map._place(None, group.groups[-1] if group.groups else None)
    for parts in (tile_map.layers, groups):
        for number, part in enumerate(parts):
            part._number = number
    tile_map.tilesets.added.clear()
    tile_map._watch.stamps[os.fspath(tile_map.path)] = stamp
    for layer in tile_map.layers:
        if isinstance(layer, TileLayer):
            places_of(layer).tiles.touched.clear()

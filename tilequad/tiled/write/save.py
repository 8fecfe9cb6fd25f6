"""`save_map`: the steps from a map back to a file."""

from __future__ import annotations

import os
import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..context import LoadContext
from ..errors import MapError
from ..model.layer import Group
from ..model.tile_layer import TileLayer, places_of
from ..model.tile_map import TileMap
from ..read.documents import is_json, parse_xml, read_map_file
from ..read.json_document import parse_json
from ..source import Source
from .arrangement import elements_of
from .cells import CellWriter
from .changes import write_changes
from .files import write_whole
from .json_document import with_changes
from .new_map import empty_twin
from .own_files import target_of
from .references import move_references, moved
from .to_json import map_content, map_to_json
from .to_xml import map_to_xml
from .xml_document import XmlDocument

__all__ = ["save_map"]

_FORMATS = {".tmx": "XML", ".xml": "XML", ".tmj": "JSON", ".json": "JSON"}
_WITHOUT_CELLS = re.compile(rb"<(?:data|chunk)\b[^>]*/>")


def save_map(tile_map: TileMap, path: str | os.PathLike[str]) -> None:
    """Write a map to a file; `TileMap.save` explains it.

    Raises:
        MapError: The map has changes that cannot be saved, or has no source.
        OSError: The file cannot be written.
        ValueError: The suffix belongs to no format.
    """
    target, wanted = target_of(path, _FORMATS)
    context = LoadContext(tile_map.path, tile_map.root, tile_map.limits)
    folder = os.path.dirname(os.path.abspath(target))
    source = _source_of(tile_map, context)
    data, is_whole = _bytes_of(source, context)
    if is_json(data, source.path):
        data, groups = _from_json(tile_map, source, data, is_whole, wanted, folder, context)
    else:
        data, groups = changed(tile_map, source, data, is_whole, folder, context)
        if wanted == "JSON":
            tree = parse_xml(data, target, LoadContext(target, None, context.limits))
            data = map_to_json(tree, tile_map.tilesets, context)
    write_whole(target, data)
    if tile_map._source is None:
        return
    if source.in_memory:
        _move_templates(tile_map, folder)
        tile_map.path = target
        _begin_anew(tile_map, target, groups)
    elif os.path.realpath(target) == os.path.realpath(source.path):
        _begin_anew(tile_map, source.path, groups)


def changed(
    tile_map: TileMap,
    source: Source,
    data: bytes,
    is_whole: bool,
    folder: str,
    context: LoadContext,
) -> tuple[bytes, list[Group]]:
    """Return the bytes of a map's file with the changes of the map, and the groups in its order.

    Args:
        tile_map: The map.
        source: What it keeps of its file.
        data: The bytes of the file.
        is_whole: Whether they contain the cells.
        folder: The absolute path of the folder that they will be in.
        context: The limits, and the file for errors.
    """
    document = XmlDocument(data, source.path, context, () if is_whole else source.cuts)
    known = elements_of(tile_map, document)
    if folder != source.folder:
        move_references(document, source.folder, folder)
    size = None if tile_map.infinite else tile_map.size
    for layer, element in known.layers.items():
        if isinstance(layer, TileLayer):
            part = context.about(f"layer {layer.name!r}")
            tiles = places_of(layer).tiles
            writer = CellWriter(document, element, tiles, size, layer._encoding, part)
            if not document.has(element):
                writer.write_new()
            elif tiles.touched or not is_whole:
                writer.write()
    groups = write_changes(tile_map, document, known, folder, context)
    return document.finish(), groups


def _from_json(
    tile_map: TileMap,
    source: Source,
    data: bytes,
    is_whole: bool,
    wanted: str,
    folder: str,
    context: LoadContext,
) -> tuple[bytes, list[Group]]:
    """Do as `changed` does for a map that was read from JSON; write JSON or XML.

    It is changed as XML. What that changes in the JSON that is made of it is changed in the file.
    """
    before = map_to_xml(parse_json(data, source.path, _anew(context)))
    cuts = () if is_whole else tuple(tag.end() for tag in _WITHOUT_CELLS.finditer(before))
    after, groups = changed(tile_map, replace(source, cuts=cuts), before, is_whole, folder, context)
    if wanted == "XML":
        return after, groups
    if after == before:
        return data, groups
    was, now = (_content_of(text, tile_map, context) for text in (before, after))
    return with_changes(data, was, now, _anew(context)), groups


def _content_of(text: bytes, tile_map: TileMap, context: LoadContext) -> dict[str, Any]:
    """Return the members that XML of a map has in JSON."""
    own = _anew(context)
    return map_content(parse_xml(text, context.path, own), tile_map.tilesets, own)


def _anew(context: LoadContext) -> LoadContext:
    """Return a context for a file that is read once more."""
    return LoadContext(context.path, context.root, context.limits)


def _bytes_of(source: Source, context: LoadContext) -> tuple[bytes, bool]:
    """Return the file as it was read, and True; without its cells, and False, if it changed."""
    if source.in_memory:
        return source.kept, True
    try:
        data = context.read(source.path)
    except MapError:  # it is gone
        return source.kept, not source.cuts
    return (data, True) if source.is_of(data) else (source.kept, not source.cuts)


def _source_of(tile_map: TileMap, context: LoadContext) -> Source:
    """Return the file that a map was read from, or an empty one."""
    if tile_map._source is not None:
        return tile_map._source
    warnings.warn(
        f"{tile_map.path}: the map was loaded with keep=False, so what only the file has is lost: "
        "comments, attributes that tilequad does not know, and what other programs note",
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


def _begin_anew(tile_map: TileMap, path: Path, groups: list[Group]) -> None:
    """Let a map follow from its new file."""
    own = LoadContext(path, tile_map.root, tile_map.limits)
    _, tile_map._source = read_map_file(own)
    tile_map.groups[:] = groups
    for parts in (tile_map.layers, groups):
        for number, part in enumerate(parts):
            part._number = number
    tile_map.tilesets.added.clear()
    tile_map._watch.stamps[os.fspath(tile_map.path)] = own.stamps[os.fspath(path)]
    for layer in tile_map.layers:
        if isinstance(layer, TileLayer):
            places_of(layer).tiles.touched.clear()

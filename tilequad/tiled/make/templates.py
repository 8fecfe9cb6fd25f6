"""`TileMap.template`: a template of a file, or of an object; and its instances."""

from __future__ import annotations

import os
from copy import copy, deepcopy
from xml.etree.ElementTree import Element

from ..checks import path_of
from ..context import LoadContext
from ..model.map_object import MapObject
from ..model.object_layer import ObjectLayer
from ..model.templates import Template
from ..model.tile_map import TileMap
from ..read.documents import read_document
from ..read.externals import read_instances, read_loose
from ..write.elements import object_element, relative

__all__ = ["instance_of", "make_template"]


def make_template(tile_map: TileMap, source: str | os.PathLike[str] | MapObject) -> Template:
    """Return a template; `TileMap.template` explains it."""
    frame = tile_map._frame
    if isinstance(source, MapObject):
        return Template(None, _at_origin(tile_map, source), tile_map)
    path = path_of(source, "source")
    context = tile_map._context(path)
    tree = read_document(path, "template", context)
    if tree.find("object") is None:
        raise context.error("has no object")
    _add_tileset(tile_map, tree, context)
    here = os.path.dirname(os.path.abspath(tile_map.path))
    element = Element("object", x="0", y="0", template=relative(path, here))
    [item] = read_instances([element], frame, (0, 0), tile_map._context())
    frame.tools.complete(item.properties, item.class_name, "object")
    item.template, item.overrides = "", frozenset()
    return Template(path, item, tile_map)


def instance_of(template: Template, layer: ObjectLayer) -> MapObject:
    """Return what an instance of a template has that sets nothing itself."""
    if template.path is None:
        raise ValueError("template must have been saved, so that the map can refer to it")
    if template._tile_map._frame is not layer._frame:
        raise ValueError(f"template must be one of the map, got {template!r} of another one")
    item = copy(template.object)
    item.properties = deepcopy(template.object.properties)
    item.properties.inherited = frozenset(item.properties)
    here = os.path.dirname(os.path.abspath(template._tile_map.path))
    item.template = relative(template.path, here)
    item.points = item.points.copy()
    if item._outline is not None:
        item._outline = item.points, *item._outline[1:]
    return item


def _add_tileset(tile_map: TileMap, tree: Element, context: LoadContext) -> None:
    """Let a map have the tileset of a template."""
    entry = tree.find("tileset")
    if entry is None or entry.get("source") is None:
        return
    path = context.about("a tileset").find(entry.get("source", ""), context.path.parent)
    known = {os.path.abspath(own.path) for own in tile_map.tilesets if own.path is not None}
    if path is not None and os.path.abspath(path) not in known:
        tile_map.add_tileset(path)


def _at_origin(tile_map: TileMap, item: MapObject) -> MapObject:
    """Return a copy of an object at Tiled's origin, without an id, as a template has it."""
    element = object_element(item, tile_map._frame, (0, 0))
    element.attrib.update(id="0", x="0", y="0")
    [made] = read_loose([element], tile_map._frame, (0, 0), LoadContext("untitled.tx"))
    properties = deepcopy(item.properties)
    properties.inherited = made.properties.inherited
    made.properties = properties
    return made

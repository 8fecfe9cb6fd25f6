"""Step 5: the classes of a project, whose members have defaults that maps leave out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from copy import deepcopy
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from ..context import LoadContext
from ..limits import Limits
from ..model.layer import Group
from ..model.object_layer import ObjectLayer
from ..model.properties import Properties
from ..model.tile_map import TileMap
from ..model.tilesets import Tileset
from .json_document import add_properties, format_of_tiled, load_json
from .properties import read_properties
from .xml_document import parse_xml

__all__ = ["complete_properties"]


def complete_properties(
    tile_map: TileMap, path: str | os.PathLike[str], limits: Limits, context: LoadContext
) -> None:
    """Add the defaults of a project's classes to the properties of a map.

    See https://doc.mapeditor.org/en/stable/manual/custom-properties/#custom-types.

    Args:
        tile_map: The map; the properties of it and of all its parts are completed.
        path: A project of Tiled, or types that Tiled has exported.
        limits: How large the file may be.
        context: Counts the properties that are added.

    Raises:
        MapError: The file cannot be read or is something else, or the map has more properties then
            than the limit of elements.
    """
    classes = _Classes(_read_types(LoadContext(path, limits=limits)), context)
    for properties, class_name, use in _described_parts(tile_map):
        classes.complete(properties, class_name, use)


class _Classes:
    """The classes of a project by name, each with its members and what it may be used as."""

    def __init__(self, elements: list[Element], context: LoadContext) -> None:
        self.context = context
        self.members: dict[str, Properties] = {}
        self.uses: dict[str, list[str] | None] = {}
        for element in elements:
            name, uses = element.get("name"), element.get("useAs")
            if name:
                self.members[name] = read_properties(element)
                self.uses[name] = None if uses is None else uses.split()

    def complete(self, properties: Properties, class_name: str, use: str) -> None:
        """Add the missing members of a class to properties, and of the classes of their values."""
        uses = self.uses.get(class_name)
        known = class_name if uses is None or use in uses else ""
        try:
            self._complete(properties, known, ())
        except RecursionError:
            raise self.context.error("the values of properties nest too deeply") from None

    def _complete(self, properties: Properties, class_name: str, above: tuple[str, ...]) -> None:
        above = (*above, class_name)
        if len(above) > self.context.limits.depth:
            raise self.context.error(f"classes nest deeper than the limit of {len(above) - 1}")
        members = self.members.get(class_name)
        if members is not None:
            self._add_members(properties, members, above)
        for inner in _classes_in(list(properties.values())):
            self._complete(inner, inner.class_name, above)

    def _add_members(
        self, properties: Properties, members: Properties, above: tuple[str, ...]
    ) -> None:
        types = dict(properties.types)
        for name, default in members.items():
            kind = members.types.get(name, "")
            if name not in properties:
                if isinstance(default, Properties) and kind in above:
                    continue  # Tiled drops a member that would hold its own class
                self.context.take_elements(_count(default))
                properties[name] = deepcopy(default)
            elif isinstance(default, float) and type(properties[name]) is int:
                properties[name] = float(properties[name])  # JSON writes 1.0 as 1
            value = properties[name]
            if isinstance(value, Properties) and not value.class_name:
                value.class_name = kind  # JSON does not name the class of a member
            if kind:
                types.setdefault(name, kind)
        if types:
            properties.types = types


def _classes_in(values: list[Any]) -> Iterator[Properties]:
    """The values of classes in a list, and in the lists in it."""
    for value in values:
        if isinstance(value, Properties):
            yield value
        elif isinstance(value, list):
            yield from _classes_in(value)


def _count(value: Any) -> int:
    """How many values there are in the value of a property."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_count, inner))


def _described_parts(tile_map: TileMap) -> Iterator[tuple[Properties, str, str]]:
    """All properties of a map, each once: with the class, and what it is the class of."""
    yield tile_map.properties, tile_map.class_name, "map"
    tilesets = {id(tileset.tiles): tileset for tileset in tile_map.tilesets}  # some share them
    for tileset in tilesets.values():
        yield from _parts_of_tileset(tileset)
    groups: dict[Group, None] = {}
    for layer in tile_map.layers:
        groups.update(dict.fromkeys(layer.groups))
        yield layer.properties, layer.class_name, "layer"
        if isinstance(layer, ObjectLayer):
            for item in layer.objects:
                yield item.properties, item.class_name, "object"
    for group in groups:
        yield group.properties, group.class_name, "layer"


def _parts_of_tileset(tileset: Tileset) -> Iterator[tuple[Properties, str, str]]:
    yield tileset.properties, tileset.class_name, "tileset"
    for tile in tileset.tiles.values():
        yield tile.properties, tile.class_name, "tile"
        for shape in tile.shapes:
            yield shape.properties, shape.class_name, "object"
    for wang_set in tileset.wang_sets:
        yield wang_set.properties, wang_set.class_name, "wangset"
        for color in wang_set.colors:
            yield color.properties, color.class_name, "wangcolor"


def _read_types(context: LoadContext) -> list[Element]:
    """The classes of a file, each an element with a name and the <properties> of its members."""
    path = context.path
    data = context.read(path)
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        tree = parse_xml(data, path, context)
        if tree.tag != "objecttypes":
            raise context.error("is neither a project nor exported types of Tiled")
        return [_class_of_xml(element) for element in tree.findall("objecttype")]
    content = load_json(data, path, context)
    with format_of_tiled(path, context):
        entries = content.get("propertyTypes", []) if isinstance(content, dict) else content
        # Up to version 1.8 there were object types, which are classes without a type.
        return [
            _class_of_json(entry)
            for entry in entries
            if entry.get("type") == "class" or "properties" in entry
        ]


def _class_of_json(entry: dict[str, Any]) -> Element:
    element = Element("class", name=str(entry.get("name", "")))
    if isinstance(entry.get("useAs"), list):
        element.set("useAs", " ".join(map(str, entry["useAs"])))
    members = entry.get("members", entry.get("properties", []))
    named = [{"propertytype": member.get("propertyType", ""), **member} for member in members]
    add_properties(element, {"properties": named})
    return element


def _class_of_xml(source: Element) -> Element:
    element = Element("class", name=source.get("name", ""))
    members = SubElement(element, "properties")
    for member in source.findall("property"):
        name, kind = member.get("name", ""), member.get("type", "string")
        SubElement(members, "property", name=name, type=kind, value=member.get("default", ""))
    return element

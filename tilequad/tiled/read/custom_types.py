"""The types of a project: enums and classes. Maps leave out members with default values."""

from __future__ import annotations

import os
from collections.abc import Iterator
from copy import deepcopy
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from ..context import LoadContext
from ..model.enums import EnumType, enum_type
from ..model.object_layer import ObjectLayer
from ..model.properties import Properties
from ..model.tile_map import TileMap
from .attributes import read_properties, typed
from .documents import parse_xml
from .json_document import add_properties, format_of_tiled, load_json

__all__ = ["Project", "read_project"]

_CLASS_COST = 4  # a class among the values takes as much time and memory as this many elements


def read_project(path: str | os.PathLike[str], context: LoadContext) -> Project:
    """Read the classes and enums of a project, or of types that Tiled has exported.

    See https://doc.mapeditor.org/en/stable/manual/custom-properties/#custom-types. The load of the
    map gets the enums, and the warnings of the project.
    """
    own = LoadContext(path, limits=context.limits, strict=context.strict)
    classes, context.enums = _read_types(own)
    own.enums = context.enums
    with format_of_tiled(own.path, own):
        project = Project(classes, own, context)
    context.warnings += own.warnings
    return project


class Project:
    """The classes of a project by name, each with its members and its allowed uses."""

    def __init__(self, elements: list[Element], own: LoadContext, context: LoadContext) -> None:
        self.context = context
        self.members: dict[str, Properties] = {}
        self.kinds: dict[str, dict[str, tuple[str, str]]] = {}  # Tiled's types of the members
        self.uses: dict[str, list[str] | None] = {}
        for element in elements:
            name, uses = element.get("name"), element.get("useAs")
            if name:
                self.members[name] = read_properties(element, own)
                self.kinds[name] = {
                    item.get("name", ""): (item.get("type", ""), item.get("propertytype", ""))
                    for item in element.findall("properties/property")
                }
                self.uses[name] = None if uses is None else uses.split()
        for name, members in self.members.items():
            self._type_all(members, name, own)

    def complete(self, tile_map: TileMap, context: LoadContext) -> None:
        """Add the class members that are missing in a map and all of its parts."""
        self.context = context
        for properties, class_name, use, part in _described_parts(tile_map, context):
            self.complete_part(properties, class_name, use, part)

    def complete_part(
        self,
        properties: Properties,
        class_name: str,
        use: str,
        context: LoadContext | None = None,
    ) -> None:
        """Add the members that a part leaves out of its class, and of those among its values."""
        uses = self.uses.get(class_name)
        known = class_name if uses is None or use in uses else ""
        try:
            self._complete(properties, known, (), context or self.context)
        except RecursionError:
            raise self.context.error("the values of properties nest too deeply") from None

    def _type_all(self, properties: Properties, class_name: str, context: LoadContext) -> None:
        """Give the members of a class, and of classes in it, the types that JSON omits."""
        for name, (kind, of) in self.kinds.get(class_name, {}).items():
            if name in properties:
                value = properties[name] = typed(properties[name], kind, of, context)
                if isinstance(value, Properties):
                    self._type_all(value, of, context)

    def _complete(
        self, properties: Properties, class_name: str, above: tuple[str, ...], context: LoadContext
    ) -> None:
        above = (*above, class_name)
        if len(above) > self.context.limits.depth:
            raise self.context.error(f"classes nest deeper than the limit of {len(above) - 1}")
        members = self.members.get(class_name)
        if members is not None:
            self._add_members(properties, members, above, context)
        for inner in _classes_in(list(properties.values())):
            self._complete(inner, inner.class_name, above, context)

    def _add_members(
        self,
        properties: Properties,
        members: Properties,
        above: tuple[str, ...],
        context: LoadContext,
    ) -> None:
        kinds = self.kinds[above[-1]]
        types = dict(properties.types)
        for name, default in members.items():
            kind = members.types.get(name, "")
            if name not in properties:
                if isinstance(default, Properties) and kind in above:
                    continue  # Tiled drops a member that would contain its own class
                self.context.take("elements", _count(default))
                properties[name] = deepcopy(default)
            elif isinstance(default, float) and type(properties[name]) is int:
                properties[name] = float(properties[name])  # JSON writes 1.0 as 1
            value = properties[name] = typed(properties[name], *kinds[name], context)
            if isinstance(value, Properties) and not value.class_name:
                value.class_name = kind  # JSON does not name the class of a member
            if kind:
                types.setdefault(name, kind)
        if types:
            properties.types = types


def _classes_in(values: list[Any]) -> Iterator[Properties]:
    """Yield the class values in a list and in its nested lists."""
    for value in values:
        if isinstance(value, Properties):
            yield value
        elif isinstance(value, list):
            yield from _classes_in(value)


def _count(value: Any) -> int:
    """Return the number of values in the value of a property; a class counts four times."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (_CLASS_COST if isinstance(value, dict) else 1) + sum(map(_count, inner))


Part = tuple[Properties, str, str, LoadContext]


def _described_parts(tile_map: TileMap, context: LoadContext) -> Iterator[Part]:
    """Yield the properties of each part of a map once, with its class, its kind, and the file."""
    yield tile_map.properties, tile_map.class_name, "map", context
    tilesets = {id(tileset.tiles): tileset for tileset in tile_map.tilesets}  # some share them
    for tileset in tilesets.values():
        part = context.about(f"tileset {tileset.name!r}", tileset.path)
        for described in tileset._described():
            yield *described, part
    for layer in tile_map.layers:
        part = context.about(f"layer {layer.name!r}")
        yield layer.properties, layer.class_name, "layer", part
        if isinstance(layer, ObjectLayer):
            for item in layer.objects:
                yield item.properties, item.class_name, "object", part
    for group in tile_map.groups:
        yield group.properties, group.class_name, "layer", context.about(f"group {group.name!r}")


def _read_types(context: LoadContext) -> tuple[list[Element], dict[str, EnumType]]:
    """Return the types in a file: classes as elements with <properties>, and enums by name."""
    path = context.path
    data = context.read(path)
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        tree = parse_xml(data, path, context)
        if tree.tag != "objecttypes":
            raise context.error("is neither a project nor exported types of Tiled")
        return [_class_of_xml(element) for element in tree.findall("objecttype")], {}
    content = load_json(data, path, context)
    with format_of_tiled(path, context):
        entries = content.get("propertyTypes", []) if isinstance(content, dict) else content
        # Up to version 1.8 there were object types, which are classes without a type.
        classes = [
            _class_of_json(entry)
            for entry in entries
            if entry.get("type") == "class" or "properties" in entry
        ]
        enums = dict(map(_enum_of_json, (each for each in entries if each.get("type") == "enum")))
    return classes, enums


def _enum_of_json(entry: dict[str, Any]) -> tuple[str, EnumType]:
    name = str(entry.get("name", ""))
    storage = "number" if entry.get("storageType") == "int" else "text"
    if entry.get("valuesAsFlags"):
        storage = "flags"
    return name, enum_type(name or "Enum", tuple(map(str, entry.get("values", ()))), storage)


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

"""Step 1a: turns Tiled's JSON formats into the same tree as its XML formats.

The two formats differ only in names, so every later step reads one kind of tree. See
https://doc.mapeditor.org/en/stable/reference/json-map-format/.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from ..context import LoadContext
from ..errors import LimitError, MapError
from ..source import Span
from .objects import BARE
from .unreadable import why_unreadable

__all__ = [
    "LONG",
    "add_properties",
    "cells_of_json",
    "count_values",
    "format_of_tiled",
    "load_json",
    "parse_json",
]

_LAYER_TAGS = {
    "tilelayer": "layer",
    "objectgroup": "objectgroup",
    "imagelayer": "imagelayer",
    "group": "group",
}
_OUTERMOST = ("map", "tileset", "template")
# What tells the type of JSON that does not name it; a map has tilesets, so it comes first.
_MEMBERS = {
    "map": {"layers"},
    "world": {"maps", "patterns"},
    "template": {"object"},
    "tileset": {"image", "name", "tiles", "tilewidth"},
}
# What becomes an attribute; made once, because to make a union takes as long as to use it.
_PLAIN = (str, int, float)
_MAY_BE_WHOLE = (float, bool)
_SHOWN_MAPS = 8
_IMAGE = ("image", "imagewidth", "imageheight", "transparentcolor")  # what `_image` reads

LONG = 4096  # bytes of cells that are worth a special case
_CELLS = re.compile(rb'("data"\s*:\s*)\[([\d,\s]{%d,})\]' % LONG)
_PACKED = re.compile(rb'"data"\s*:\s*"')
_SPACES = bytes.maketrans(b"\t\n\r", b"   ")  # line ends are not allowed in strings
_VALUES = 8  # how many values an object or list has; for limits only


def parse_json(data: bytes, path: Path, context: LoadContext) -> Element:
    """Parse the JSON of one map, tileset or template."""
    content = load_json(data, path, context)
    if not isinstance(content, dict):
        raise context.error("is not a map: the JSON is not an object", path)
    guessed = (tag for tag, members in _MEMBERS.items() if members & content.keys())
    tag = content.get("type") or next(guessed, None)
    if tag == "world":
        raise context.error(f"is a world, not a map: {_maps_of_world(content)}", path)
    if tag is None:
        raise context.error("is not a map: no member of the JSON is one of Tiled's", path)
    if not isinstance(tag, str) or tag not in _OUTERMOST:
        raise context.error(f"is not a map: the JSON is of type {str(tag)!r}", path)
    with format_of_tiled(path, context):
        return _Builder(context.limits.depth).outermost(tag, content)


def _maps_of_world(content: dict[str, Any]) -> str:
    """Name the maps of a world; the world may be damaged."""
    maps, patterns = content.get("maps"), content.get("patterns")
    names = [
        *(str(one.get("fileName")) for one in _dicts(maps)),
        *(f"those like {one.get('regexp')}" for one in _dicts(patterns)),
    ]
    more = [f"{len(names) - _SHOWN_MAPS} more"] if len(names) > _SHOWN_MAPS else []
    return f"its maps are {', '.join(names[:_SHOWN_MAPS] + more)}" if names else "it has no maps"


def _dicts(values: Any) -> list[dict[str, Any]]:
    listed = values if isinstance(values, list) else []
    return [value for value in listed if isinstance(value, dict)]


def load_json(data: bytes, path: Path, context: LoadContext) -> Any:
    """Parse JSON, without the members that are null."""
    count_values(data, path, context)
    # long lists of cells become strings as long, as in XML; numbers take ten times the memory
    text = _CELLS.sub(lambda found: b'%b"%b"' % (found[1], found[2].translate(_SPACES)), data)
    try:
        return json.loads(text, object_pairs_hook=_without_nulls)
    except (ValueError, RecursionError) as problem:
        raise context.error(why_unreadable(data, problem, "JSON"), path) from None


def count_values(data: bytes, path: Path, context: LoadContext) -> None:
    """Count what the limits cap in JSON."""
    context.take("elements", data.count(b"{") + data.count(b"["), path)
    limits = context.limits
    if len(data) <= min(limits.cells, _VALUES * limits.elements):  # so are its values
        return
    values = data.count(b",")
    cells = sum(data.count(b",", *found.span(2)) for found in _CELLS.finditer(data))
    if cells > limits.cells:
        raise LimitError(path, f"has more cells than the limit of {limits.cells}")
    if values - cells > _VALUES * limits.elements:
        limit = _VALUES * limits.elements
        raise LimitError(path, f"has more than the limit of {limit} values besides cells")


def cells_of_json(data: bytes) -> list[Span]:
    """Return where the long texts of cells are in a JSON map, without their brackets or quotes."""
    spans = [found.span(2) for found in _CELLS.finditer(data)]
    for found in _PACKED.finditer(data):
        start = found.end()
        end = data.find(b'"', start)
        if end - start >= LONG and data.find(b"\\", start, end) < 0:
            spans.append((start, end))
    return sorted(spans)


@contextmanager
def format_of_tiled(path: Path, context: LoadContext) -> Iterator[None]:
    """Turn errors of code that expects a Tiled format in JSON into a MapError."""
    try:
        yield
    except MapError:
        raise
    except (
        ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError
    ) as problem:  # fmt: skip
        raise context.error(f"is JSON, but not in a format of Tiled: {problem}", path) from None


def _without_nulls(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Drop members that are null, as Tiled does; JavaScript programs write them."""
    return {name: value for name, value in pairs if value is not None}


class _Builder:
    def __init__(self, depth: int) -> None:
        self.depth_left = depth

    def outermost(self, tag: str, content: dict[str, Any]) -> Element:
        root = Element(tag)
        if tag == "map":
            self.map(root, content)
        elif tag == "tileset":
            self.tileset(root, content)
        else:
            if "tileset" in content:
                self.tileset(SubElement(root, "tileset"), content["tileset"])
            self.object(SubElement(root, "object"), content["object"])
        return root

    def map(self, root: Element, content: dict[str, Any]) -> None:
        _attributes(root, content, without=("type",))
        add_properties(root, content)
        if isinstance(content.get("editorsettings"), dict):
            settings = SubElement(root, "editorsettings")
            for name in ("chunksize", "export"):
                if isinstance(content["editorsettings"].get(name), dict):
                    _attributes(SubElement(settings, name), content["editorsettings"][name])
        for tileset in content.get("tilesets", ()):
            self.tileset(SubElement(root, "tileset"), tileset)
        self.layers(root, content)

    def layers(self, parent: Element, content: dict[str, Any]) -> None:
        self.depth_left -= 1
        if self.depth_left < 0:
            raise ValueError("groups nest too deeply")
        for layer in content.get("layers", ()):
            self.layer(SubElement(parent, _LAYER_TAGS[layer["type"]]), layer)
        self.depth_left += 1

    def layer(self, element: Element, content: dict[str, Any]) -> None:
        kind = content["type"]
        # Only in XML are x and y of an image layer an offset, in old files.
        place = ("x", "y") if kind == "imagelayer" else ()
        others = "type", "encoding", "compression", "data", *_IMAGE, *place
        _attributes(element, content, without=others)
        add_properties(element, content)
        if kind == "group":
            self.layers(element, content)
        elif kind == "imagelayer":
            _image(element, content)
        elif kind == "tilelayer" and ("data" in content or "chunks" in content):
            _data(SubElement(element, "data"), content)
        for item in content.get("objects", ()):
            self.object(SubElement(element, "object"), item)

    def object(self, element: Element, content: dict[str, Any]) -> None:
        _attributes(element, content, without=BARE)
        add_properties(element, content)
        for shape in BARE:
            if content.get(shape):
                SubElement(element, shape)
        for shape in ("polygon", "polyline"):
            if shape in content:
                points = " ".join(f"{point['x']},{point['y']}" for point in content[shape])
                SubElement(element, shape, points=points)
        if "text" in content:
            text = SubElement(element, "text")
            _attributes(text, content["text"], without=("text",))
            text.text = str(content["text"].get("text", ""))

    def tileset(self, element: Element, content: dict[str, Any]) -> None:
        _attributes(element, content, without=("type", *_IMAGE))
        add_properties(element, content)
        if "tileoffset" in content:
            _attributes(SubElement(element, "tileoffset"), content["tileoffset"])
        if "grid" in content:
            _attributes(SubElement(element, "grid"), content["grid"])
        if isinstance(content.get("transformations"), dict):
            _attributes(SubElement(element, "transformations"), content["transformations"])
        _image(element, content)
        if "terrains" in content:
            terrains = SubElement(element, "terraintypes")
            for terrain in content["terrains"]:
                _described(terrains, "terrain", terrain)
        if "wangsets" in content:
            wang_sets = SubElement(element, "wangsets")
            for wang_set in content["wangsets"]:
                self.wang_set(wang_sets, wang_set)
        for tile in _tiles(content):
            self.tile(SubElement(element, "tile"), tile)

    def wang_set(self, parent: Element, content: dict[str, Any]) -> None:
        element = _described(parent, "wangset", content)
        for tag, key in (
            ("wangcolor", "colors"),
            ("wangcornercolor", "cornercolors"),  # until version 1.4
            ("wangedgecolor", "edgecolors"),
        ):
            for color in content.get(key, ()):
                _described(element, tag, color)
        for tile in content.get("wangtiles", ()):
            child = SubElement(element, "wangtile", wangid=_whole_numbers(tile.get("wangid", ())))
            _attributes(child, tile)

    def tile(self, element: Element, content: dict[str, Any]) -> None:
        _attributes(element, content, without=_IMAGE)
        if isinstance(content.get("terrain"), list):
            element.set("terrain", _whole_numbers(content["terrain"]))
        add_properties(element, content)
        _image(element, content)
        if "objectgroup" in content:
            self.layer(SubElement(element, "objectgroup"), content["objectgroup"])
        # Even an empty one: in XML, properties describe the animation if there is none.
        animation = SubElement(element, "animation")
        for frame in content.get("animation", ()):
            _attributes(SubElement(animation, "frame"), frame)


def _attributes(element: Element, content: dict[str, Any], without: tuple[str, ...] = ()) -> None:
    """Turn every plain value into an attribute; callers read lists and objects."""
    for name, value in content.items():
        if name not in without and isinstance(value, _PLAIN):
            if isinstance(value, _MAY_BE_WHOLE) and value % 1 == 0:  # other programs write 16.0
                value = int(value)
            element.set(name, str(value))


def _described(parent: Element, tag: str, content: dict[str, Any]) -> Element:
    """Return an element with only attributes and properties."""
    element = SubElement(parent, tag)
    _attributes(element, content)
    add_properties(element, content)
    return element


def _whole_numbers(values: Any) -> str:
    return ",".join(str(int(value)) for value in values)


def add_properties(element: Element, content: dict[str, Any]) -> None:
    """Give an element the custom properties of a JSON object."""
    given = content.get("properties")
    if isinstance(given, dict):  # as Tiled wrote them before version 1.2
        types = content.get("propertytypes", {})
        given = [
            {"name": name, "value": value, "type": types.get(name, "string")}
            for name, value in given.items()
        ]
    if given:
        group = SubElement(element, "properties")
        for item in given:
            _value(SubElement(group, "property", name=str(item.get("name", ""))), item)


def _value(element: Element, item: Mapping[str, Any]) -> None:
    """Fill in the element of a property, or of an entry of a list."""
    kind, value = str(item.get("type", "string")), item.get("value", "")
    element.set("type", kind)
    if "propertytype" in item:
        element.set("propertytype", str(item["propertytype"]))
    if isinstance(value, dict):
        add_properties(element, {"properties": [_member(*pair) for pair in value.items()]})
    elif isinstance(value, list):
        element.set("type", "list")
        for entry in value:
            typed = isinstance(entry, dict) and "value" in entry  # but not in members of classes
            _value(SubElement(element, "item"), entry if typed else _member("", entry))
    elif isinstance(value, bool):
        element.set("value", "true" if value else "false")
    else:
        element.set("value", str(value))


def _member(name: str, value: Any) -> dict[str, Any]:
    """Return a member of a class, whose type only shows in its JSON value."""
    kinds = ((bool, "bool"), (int, "int"), (float, "float"), (dict, "class"), (list, "list"))
    kind = next((kind for python, kind in kinds if isinstance(value, python)), "string")
    return {"name": name, "type": kind, "value": value}


def _image(element: Element, content: dict[str, Any]) -> None:
    if not content.get("image"):
        return
    image = SubElement(element, "image", source=str(content["image"]))
    for name, key in (
        ("width", "imagewidth"),
        ("height", "imageheight"),
        ("trans", "transparentcolor"),
    ):
        if key in content:
            image.set(name, str(content[key]))


def _data(element: Element, content: dict[str, Any]) -> None:
    element.set("encoding", str(content.get("encoding") or "csv"))
    if content.get("compression"):
        element.set("compression", str(content["compression"]))
    if content.get("chunks") or "data" not in content:
        for chunk in content["chunks"]:
            part = SubElement(element, "chunk")
            _attributes(part, chunk, without=("data",))
            part.text = _cells(chunk["data"])
    else:
        element.text = _cells(content["data"])


def _cells(data: Any) -> str:
    if isinstance(data, str):
        return data
    text = ",".join(map(str, data))
    # other programs write 1.0, or flipped tiles as signed numbers; an empty text is no cell
    if "." in text or "-" in text or ",," in f",{text},":
        text = ",".join(str(int(cell) & 0xFFFFFFFF) for cell in data)
    return text


def _tiles(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tiles of a tileset; before version 1.2 of Tiled, members named by their id."""
    tiles = content.get("tiles", [])
    if isinstance(tiles, dict):
        tiles = [{**tile, "id": int(number)} for number, tile in tiles.items()]
    if "tileproperties" not in content:
        return list(tiles)
    known = {tile.get("id", 0): tile for tile in tiles}
    types = content.get("tilepropertytypes", {})
    for number, properties in content["tileproperties"].items():
        tile = known.setdefault(int(number), {"id": int(number)})
        tile.update(properties=properties, propertytypes=types.get(number, {}))
    return list(known.values())

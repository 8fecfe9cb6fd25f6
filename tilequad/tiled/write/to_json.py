"""Turns the tree of a .tmx map into a .tmj map.

See https://doc.mapeditor.org/en/stable/reference/json-map-format/.
"""

from __future__ import annotations

from math import isfinite, isnan, nan
from typing import Any
from xml.etree.ElementTree import Element

from ..cells import GID_MASK
from ..context import LoadContext
from ..model.tilesets import TilesetList
from ..read.attributes import boolean, decimal, float_or_zero, int_or_zero, integer
from ..read.layers import LAYER_TAGS
from ..read.objects import BARE
from ..read.wang_sets import colors_of_wang_id, terrain_number
from .values import Cells

__all__ = ["map_content", "template_content", "tileset_content"]

Json = dict[str, Any]

_INTEGERS = frozenset((
    "columns", "compressionlevel", "duration", "firstgid", "gid", "height", "hexsidelength", "id",
    "margin", "nextlayerid", "nextobjectid", "pixelsize", "skewx",
    "skewy", "spacing", "tile", "tilecount", "tileheight", "tileid", "tilewidth", "width",
))  # fmt: skip
_DECIMALS = frozenset((
    "offsetx", "offsety", "opacity", "parallaxoriginx", "parallaxoriginy", "parallaxx",
    "parallaxy", "probability", "rotation", "x", "y",
))  # fmt: skip
_BOOLEANS = frozenset((
    "bold", "hflip", "infinite", "italic", "kerning", "locked", "preferuntransformed", "repeatx",
    "repeaty", "rotate", "strikeout", "underline", "vflip", "visible", "wrap",
))  # fmt: skip
_TYPES = {"layer": "tilelayer"}  # the others are named as in XML
_PLACE = ("x", "y", "width", "height")
_WHOLE = 2.0**53  # up to here, a float is written as a whole number if it is one


def map_content(tree: Element, tilesets: TilesetList, context: LoadContext) -> Json:
    """Return what a map has in JSON, with `Cells` in it; its tree has the text of its cells."""
    return _Converter(tilesets, context).map(tree)


def tileset_content(tree: Element, context: LoadContext) -> Json:
    """Return what a tileset's own file has in JSON, which cannot hold embedded images."""
    converter = _Converter(TilesetList([], (1, 1)), context)
    return {**converter.tileset(tree), "type": "tileset"}


def template_content(tree: Element, context: LoadContext) -> Json:
    """Return what a template has in JSON."""
    converter = _Converter(TilesetList([], (1, 1)), context)
    content: Json = {"type": "template"}
    for entry in tree.findall("tileset"):
        content["tileset"] = converter.tileset(entry)
    for item in tree.findall("object"):
        content["object"] = converter.object(item)
    return content


class _Converter:
    def __init__(self, tilesets: TilesetList, context: LoadContext) -> None:
        self.tilesets = tilesets
        self.context = context
        self.in_chunks = False

    def map(self, tree: Element) -> Json:
        content = {"infinite": False, **self._described(tree), "type": "map"}
        self.in_chunks = bool(content["infinite"])
        settings = tree.find("editorsettings")
        if settings is not None:
            content["editorsettings"] = {part.tag: self._attributes(part) for part in settings}
        content["tilesets"] = [self.tileset(one) for one in tree.findall("tileset")]
        content["layers"] = self._layers(tree)
        return content

    def _layers(self, parent: Element) -> list[Json]:
        return [self._layer(one) for one in parent if one.tag in LAYER_TAGS]

    def _layer(self, element: Element) -> Json:
        usual = {"type": _TYPES.get(element.tag, element.tag), "name": "", "x": 0, "y": 0}
        content = {**usual, "opacity": 1, "visible": True, **self._described(element)}
        if element.tag == "group":
            content["layers"] = self._layers(element)
        elif element.tag == "imagelayer":
            for axis in "xy":  # as old versions wrote the offset
                if content[axis]:
                    content.setdefault(f"offset{axis}", content[axis])
            content |= {"image": "", **self._image(element)}
        elif element.tag == "objectgroup":
            content.setdefault("draworder", "topdown")
            content["objects"] = [self.object(one) for one in element.findall("object")]
        else:
            content |= self._data(element)
        return content

    def _data(self, layer: Element) -> Json:
        data = layer.find("data")
        if data is None:
            return {"chunks": []} if self.in_chunks else {"data": Cells("", self._count(layer))}
        encoding = data.get("encoding", "")
        packed = {"encoding": encoding} if encoding == "base64" else {}
        if packed:
            packed["compression"] = data.get("compression", "")
        chunks = data.findall("chunk")
        has_cells = len(data) or (data.text or "").strip()
        if not chunks and (has_cells or not self.in_chunks):
            return {**packed, "data": self._cells(data, encoding, self._count(layer))}
        parts = [
            {
                **{name: integer(chunk, name, 0, self.context) for name in _PLACE},
                "data": self._cells(chunk, encoding, self._count(chunk)),
            }
            for chunk in chunks
        ]
        return {**packed, "chunks": parts}

    def _count(self, sized: Element) -> int:
        width, height = (integer(sized, name, 0, self.context) for name in ("width", "height"))
        return width * height

    def _cells(self, block: Element, encoding: str, count: int) -> str | Cells:
        text = (block.text or "").strip()
        if encoding == "base64":
            return text
        if encoding != "csv":
            tiles = block.findall("tile")
            text = ",".join(str(integer(tile, "gid", 0, self.context)) for tile in tiles)
        return Cells(text, count)

    def object(self, element: Element) -> Json:
        content = self._described(element)
        if "template" not in content:
            usual = {"name": "", "x": 0, "y": 0, "width": 0, "height": 0, "rotation": 0}
            content = {**usual, "visible": True, **content}
        for name in ("width", "height"):  # of an object, they need not be whole
            if name in element.attrib:
                content[name] = _short(decimal(element, name, 0, self.context))
        if "template" not in content and content.get("gid"):
            self._add_size(content)
        for shape in BARE:
            if element.find(shape) is not None:
                content[shape] = True
        for shape in ("polygon", "polyline"):
            drawn = element.find(shape)
            if drawn is not None:
                pairs = [pair.split(",") for pair in drawn.get("points", "").split()]
                content[shape] = [{"x": _short(float(x)), "y": _short(float(y))} for x, y in pairs]
        text = element.find("text")
        if text is not None:
            content["text"] = {**self._attributes(text), "text": text.text or ""}
        return content

    def _add_size(self, content: Json) -> None:
        """Give a tile object without a size that of its tile, which JSON must have."""
        try:
            tileset = self.tilesets.owner(content["gid"] & GID_MASK)
        except KeyError:  # of a collision shape, which nothing draws
            return
        local_id = (content["gid"] & GID_MASK) - tileset.first_gid
        size = tileset.tile_size(local_id) if tileset.has_tile(local_id) else (0, 0)
        for name, length in zip(("width", "height"), size, strict=True):
            content[name] = content[name] or length

    def tileset(self, element: Element) -> Json:
        content = self._described(element)
        if "source" in content:
            return content
        usual = {"name": "", "margin": 0, "spacing": 0, "tilecount": 0, "columns": 0}
        content = {**usual, **content, **self._image(element)}
        for tag in ("tileoffset", "grid", "transformations"):
            part = element.find(tag)
            if part is not None:
                content[tag] = self._attributes(part)
                for axis in "xy" if tag == "tileoffset" else "":
                    content[tag][axis] = integer(part, axis, 0, self.context)
        for key, path, convert in (
            ("terrains", "terraintypes/terrain", self._described),
            ("wangsets", "wangsets/wangset", self._wang_set),
            ("tiles", "tile", self._tile),
        ):
            found = [convert(one) for one in element.findall(path)]
            if found:
                content[key] = found
        return content

    def _tile(self, element: Element) -> Json:
        content = {**self._described(element), **self._image(element)}
        if "terrain" in content:
            content["terrain"] = list(map(terrain_number, content["terrain"].split(",")))
        shapes = element.find("objectgroup")
        if shapes is not None:
            content["objectgroup"] = self._layer(shapes)
        frames = element.findall("animation/frame")
        if frames:
            content["animation"] = [self._attributes(frame) for frame in frames]
        for name in ("x", "y"):
            if name in content:
                content[name] = int(content[name])
        return content

    def _wang_set(self, element: Element) -> Json:
        content = self._described(element)
        for key, tag in (
            ("colors", "wangcolor"),
            ("cornercolors", "wangcornercolor"),
            ("edgecolors", "wangedgecolor"),
        ):
            found = [self._described(one) for one in element.findall(tag)]
            if found or key == "colors":
                content[key] = found
        content["wangtiles"] = [
            {**self._attributes(one), "wangid": colors_of_wang_id(one.get("wangid", ""))}
            for one in element.findall("wangtile")
        ]
        return content

    def _image(self, element: Element) -> Json:
        image = element.find("image")
        if image is None:
            return {}
        if "source" not in image.attrib and image.find("data") is not None:
            raise self.context.error("has an embedded image, which JSON cannot hold")
        content: Json = {"image": image.get("source", "")}
        for name in ("width", "height"):
            if name in image.attrib:
                content[f"image{name}"] = integer(image, name, 0, self.context)
        if image.get("trans"):
            content["transparentcolor"] = "#" + image.get("trans", "").lstrip("#")
        return content

    def _described(self, element: Element) -> Json:
        """Return the attributes and the custom properties of an element."""
        content = self._attributes(element)
        properties = element.findall("properties/property")
        if properties:
            content["properties"] = [
                {"name": one.get("name", ""), **self._property(one, one.get("name", ""))}
                for one in properties
            ]
        return content

    def _property(self, element: Element, name: str) -> Json:
        """Return a property, or an entry of one that is a list."""
        kind = element.get("type", "string")
        text = element.get("value", element.text or "")
        content: Json = {"type": kind}
        if "propertytype" in element.attrib:
            content["propertytype"] = element.get("propertytype")
        if kind == "class":
            members = element.findall("properties/property")
            content["value"] = {
                one.get("name", ""): self._property(one, one.get("name", ""))["value"]
                for one in members
            }
        elif kind == "list":
            content["value"] = [self._property(one, name) for one in element.findall("item")]
        elif kind in ("int", "object"):
            content["value"] = int_or_zero(text)
        elif kind == "float":
            value = float_or_zero(text)
            if not isfinite(value):
                raise self.context.error(
                    f"the property {name!r} is {value!r}, which JSON cannot hold"
                )
            content["value"] = _short(value)
        elif kind == "bool":
            content["value"] = text.strip().lower() in ("true", "1")
        else:
            content["value"] = text
        return content

    def _attributes(self, element: Element) -> Json:
        found = {name: self._typed(element, name, text) for name, text in element.items()}
        return {name: value for name, value in found.items() if value is not None}

    def _typed(self, element: Element, name: str, text: str) -> Any:
        """Return an attribute as JSON has it; None for one for which the reader has a default."""
        if name in _BOOLEANS:
            return boolean(element, name, False) if text.strip() else None
        if name not in _INTEGERS and name not in _DECIMALS:
            return text
        number = decimal(element, name, nan, self.context)
        if isnan(number):
            return None
        return int(number) if name in _INTEGERS else _short(number)


def _short(value: float) -> float | int:
    """Return a whole number as an int, as Tiled writes it."""
    return int(value) if abs(value) <= _WHOLE and value == int(value) else value

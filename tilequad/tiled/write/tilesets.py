"""Writes tilesets: what differs from the file, or all of a new one; and a tileset's own file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ..context import LoadContext
from ..model.collision import CollisionShape
from ..model.properties import Properties
from ..model.tilesets import Tile, Tileset
from ..model.wang_sets import WangColor, WangSet
from ..read.attributes import integer
from ..read.tilesets import TRANSFORMATIONS, read_tileset
from .elements import points_text, write_image
from .files import move_references, target_of, write_own_file
from .properties import PropertyWriter
from .to_json import tileset_content
from .values import color_text, number_text, relative
from .xml_document import XmlDocument

__all__ = ["TilesetWriter", "save_tileset"]

# Attributes of a <tileset>, in Tiled's order; counts are not compared, they may be the image's.
_ATTRIBUTES = {
    "name": "name",
    "class_name": "class",
    "tile_width": "tilewidth",
    "tile_height": "tileheight",
    "spacing": "spacing",
    "margin": "margin",
    "object_alignment": "objectalignment",
    "render_size": "tilerendersize",
    "fill_mode": "fillmode",
}
_ROUND = ("ellipse", "capsule")
_EMPTY = b'<?xml version="1.0" encoding="UTF-8"?>\n<tileset version="1.10"/>\n'


def save_tileset(tileset: Tileset, path: str | os.PathLike[str]) -> None:
    """Write a tileset to a file of its own; `Tileset.save` explains it."""
    target, to_json = target_of(path, ".tsx", ".tsj")

    def change(document: XmlDocument, folder: str, context: LoadContext) -> None:
        was = None
        if tileset.path is not None:
            source, base = os.path.dirname(os.path.abspath(tileset.path)), tileset.path.parent
            was = read_tileset(document.tree, tileset.first_gid, tileset.path, base, context)
            tileset._tools.complete_all(was)
            if source != folder:
                move_references(document, source, folder)
        writer = TilesetWriter(PropertyWriter(document, folder, tileset._tools), context)
        writer.write(document.tree, tileset, was)

    enums = tileset._tools.enums
    write_own_file(target, to_json, tileset.path, _EMPTY, enums, change, tileset_content)


class TilesetWriter:
    """Writes what differs from the file, and all of a new tileset."""

    def __init__(self, properties: PropertyWriter, context: LoadContext) -> None:
        self.properties = properties
        self.document, self.folder = properties.document, properties.folder
        self.context = context

    def made(self, tileset: Tileset) -> Element:
        """Return the <tileset> of a map: a reference to the tileset's own file, or all of it."""
        element = Element("tileset", firstgid=str(tileset.first_gid))
        if tileset.path is not None:
            element.set("source", relative(tileset.path, self.folder))
        else:
            self.write(element, tileset, None)
        return element

    def write(self, element: Element, now: Tileset, was: Tileset | None) -> None:
        """Write what differs in a <tileset>; all, if it was none."""
        old = was or Tileset(now.first_gid, "", None)
        part = self.context.about(f"tileset {now.name!r}")
        if now.first_gid != old.first_gid:
            raise part.error("its first_gid was changed, which cannot be saved")
        for name, attribute in _ATTRIBUTES.items():
            if getattr(now, name) != getattr(old, name):
                self.document.set(element, attribute, str(getattr(now, name)))
        if was is None:
            self.document.set(element, "tilecount", str(now.tile_count))
            self.document.set(element, "columns", str(now.columns))
        if now.tile_offset != old.tile_offset:
            self._child(element, "tileoffset", zip("xy", now.tile_offset, strict=True))
        if now.grid != old.grid:
            names = ("orientation", "width", "height")
            self._child(element, "grid", zip(names, now.grid, strict=True))
        of = now.class_name, "tileset"
        self.properties.write(element, now.properties, old.properties, part, of)
        if now.transformations != old.transformations:
            flags = (
                (attribute, int(getattr(now.transformations, name)))
                for name, attribute in TRANSFORMATIONS.items()
            )
            self._child(element, "transformations", flags)
        write_image(self.properties, element, now.picture, old.picture)
        self._write_tiles(element, now, old, part)
        if now.wang_sets != old.wang_sets:
            sets = Element("wangsets")
            sets.extend(self._wang_set(one) for one in now.wang_sets)
            self.document.arrange(element, [sets], ("wangsets", "terraintypes"))

    def _child(self, parent: Element, tag: str, attributes: Iterable[tuple[str, object]]) -> None:
        child = parent.find(tag)
        if child is None:
            child = Element(tag)
            self.document.put_first(parent, [child])
        for name, value in attributes:
            self.document.set(child, name, str(value))

    def _write_tiles(
        self, element: Element, now: Tileset, was: Tileset, context: LoadContext
    ) -> None:
        elements = {integer(one, "id", 0, context): one for one in element.findall("tile")}
        for number, tile in now.tiles.items():
            one = elements.setdefault(number, Element("tile", id=str(number)))
            self._write_tile(one, tile, was.tiles.get(number) or Tile(), now, context)
        kept = [one for number, one in elements.items() if number in now.tiles]
        if now.tiles.keys() != was.tiles.keys():
            self.document.arrange(element, kept, ("tile",))

    def _write_tile(
        self, element: Element, now: Tile, was: Tile, tileset: Tileset, context: LoadContext
    ) -> None:
        if now.class_name != was.class_name:
            name = "class" if element.get("class") and not element.get("type") else "type"
            self.document.set(element, name, now.class_name)
        if now.probability != was.probability:
            self.document.set(element, "probability", number_text(now.probability))
        if now.part != was.part and now.part is not None:
            for name, value in zip(("x", "y", "width", "height"), now.part, strict=True):
                self.document.set(element, name, str(value))
        of = now.class_name, "tile"
        self.properties.write(element, now.properties, was.properties, context, of)
        write_image(self.properties, element, now.picture, was.picture)
        if not _same_shapes(now.shapes, was.shapes):
            if tileset.grid[0] == "isometric":
                raise context.error("shapes of its isometric tiles were changed")
            shapes = Element("objectgroup", draworder="index")
            for number, shape in enumerate(now.shapes, 1):
                shapes.append(self._shape(shape, number))
            self.document.arrange(element, [shapes] if now.shapes else [], ("objectgroup",))
        if now.frames != was.frames:
            frames = Element("animation")
            for local_id, milliseconds in now.frames:
                SubElement(frames, "frame", tileid=str(local_id), duration=str(milliseconds))
            self.document.arrange(element, [frames] if now.frames else [], ("animation",))

    def _shape(self, shape: CollisionShape, number: int) -> Element:
        """Return the <object> of a collision shape; one that was rotated becomes a polygon."""
        (left, top), (right, bottom) = shape.points.min(axis=0), shape.points.max(axis=0)
        size = right - left, bottom - top
        x, y = (left, top) if shape.shape != "polyline" else shape.points[0]
        element = Element("object", id=str(number))
        if shape.class_name:
            element.set("type", shape.class_name)
        element.set("x", number_text(round(x, 9)))
        element.set("y", number_text(round(y, 9)))
        corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
        is_box = shape.points.shape == (4, 2) and np.allclose(shape.points, corners)
        if (shape.shape in ("rectangle", "tile") and is_box) or shape.shape in _ROUND:
            element.set("width", number_text(round(size[0], 9)))
            element.set("height", number_text(round(size[1], 9)))
        self.properties.write(element, shape.properties, Properties(), self.context)
        if shape.shape in ("point", *_ROUND):
            SubElement(element, shape.shape)
        elif not (shape.shape in ("rectangle", "tile") and is_box):
            tag = "polyline" if shape.shape == "polyline" else "polygon"
            away = (shape.points - (x, y)).round(9) + 0.0
            SubElement(element, tag, points=points_text(away))
        return element

    def _wang_set(self, wang_set: WangSet) -> Element:
        element = Element("wangset", name=wang_set.name, type=wang_set.type)
        element.set("tile", str(wang_set.tile))
        self._describe(element, wang_set)
        for color in wang_set.colors:
            inner = SubElement(element, "wangcolor", name=color.name, color=color_text(color.color))
            inner.set("tile", str(color.tile))
            inner.set("probability", number_text(color.probability))
            self._describe(inner, color)
        for tile in wang_set.tiles:
            text = ",".join(map(str, tile.wang_id))
            SubElement(element, "wangtile", tileid=str(tile.local_id), wangid=text)
        return element

    def _describe(self, element: Element, part: WangSet | WangColor) -> None:
        if part.class_name:
            element.set("class", part.class_name)
        self.properties.write(element, part.properties, Properties(), self.context)


def _same_shapes(some: list[CollisionShape], others: list[CollisionShape]) -> bool:
    return len(some) == len(others) and all(
        np.array_equal(one.points, other.points) and one[2:] == other[2:] and one[0] == other[0]
        for one, other in zip(some, others, strict=True)
    )

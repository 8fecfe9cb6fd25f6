"""Writes changed objects: what differs from the file, as attributes of their elements."""

from __future__ import annotations

from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

import numpy as np

from ..cells import FLAG_SHIFT
from ..context import LoadContext
from ..errors import MapError
from ..model.object_layer import MapObject, ObjectLayer
from ..model.tile_map import TileMap
from ..read.attributes import decimal
from ..read.grids import read_grid
from .properties import PropertyWriter
from .values import color_text, number_text
from .xml_document import XmlDocument

__all__ = ["ObjectWriter"]

_FIXED = ("id", "shape", "template")
_NUMBERS = ("width", "height", "rotation", "opacity")
_FLAGS = ("bold", "italic", "underline", "strikeout", "kerning", "wrap")
_WORDS = {"font": "fontfamily", "horizontal": "halign", "vertical": "valign"}
_CLOSE = 1e-6  # pixels; where a point is, after it was turned there and back


class ObjectWriter:
    """Writes the objects of one layer that differ from those of the file.

    Args:
        tile_map: The map.
        document: The file.
        layer: The <objectgroup>, with its templates filled in.
        properties: Writes custom properties.
        context: The layer, for errors.
    """

    def __init__(
        self,
        tile_map: TileMap,
        document: XmlDocument,
        layer: Element,
        properties: PropertyWriter,
        context: LoadContext,
    ) -> None:
        self.document = document
        self.layer = layer
        self.properties = properties
        self.context = context
        self.axes = tile_map.axes
        grid = read_grid(document.tree, context)
        self.unproject = np.linalg.inv(grid.projection())
        self.origin = grid.object_origin()

    def write(self, now: ObjectLayer, was: ObjectLayer) -> None:
        """Write the objects and the settings of a layer.

        Raises:
            MapError: An object was added, or something was changed that cannot be saved.
        """
        if now.draw_order != was.draw_order:
            self.document.set(self.layer, "draworder", now.draw_order)
        if now.color != was.color:
            self.document.set(self.layer, "color", color_text(now.color))
        elements = self._in_draw_order(was)
        pairs = zip(was.objects, elements, strict=True)
        if [item.id for item in now.objects] == [item.id for item in was.objects]:
            kept = [(item, *pair) for item, pair in zip(now.objects, pairs, strict=True)]
        else:
            kept = self._without_removed(now, list(pairs))
        for item, before, element in kept:
            self._write_object(item, before, element, now.offset)

    def _in_draw_order(self, layer: ObjectLayer) -> list[Element]:
        """Return the elements of the objects of a layer that was just read."""
        elements = self.layer.findall("object")
        if layer.draw_order != "topdown":
            return elements
        return sorted(elements, key=lambda element: decimal(element, "y", 0, self.context))

    def _without_removed(
        self, now: ObjectLayer, pairs: list[tuple[MapObject, Element]]
    ) -> list[tuple[MapObject, MapObject, Element]]:
        """Remove the elements of removed objects, and return the others."""
        left = {item.id: (item, element) for item, element in pairs}
        if len(left) < len(pairs):
            raise self.context.error("objects share an id, so a removed one cannot be saved")
        kept = []
        for item in now.objects:
            if item.id not in left:
                raise self.context.error(f"object {item.id} was added, which cannot be saved yet")
            kept.append((item, *left.pop(item.id)))
        for _, element in left.values():
            self.document.remove(element)
        return kept

    def _write_object(
        self, now: MapObject, was: MapObject, element: Element, offset: tuple[float, float]
    ) -> None:
        for name in _FIXED:
            if getattr(now, name) != getattr(was, name):
                raise self._error(was, f"{name} was changed")
        if now.name != was.name:
            self._set(element, "name", now.name)
        if now.class_name != was.class_name:
            name = "class" if element.get("class") and not element.get("type") else "type"
            self._set(element, name, now.class_name)
        if (now.gid, now.flags) != (was.gid, was.flags):
            if not now.gid:
                raise self._error(was, "gid was removed")
            self._set(element, "gid", str(now.gid | now.flags << FLAG_SHIFT))
        for name in _NUMBERS:
            if getattr(now, name) != getattr(was, name):
                self._set(element, name, number_text(getattr(now, name)))
        if now.visible != was.visible:
            self._set(element, "visible", str(int(now.visible)))
        self._write_place(now, was, element, offset)
        if now.text != was.text:
            self._write_text(now, was, element)
        part = self.context.about(f"object {was.id}")
        self.properties.write(element, now.properties, was.properties, part)

    def _write_place(
        self, now: MapObject, was: MapObject, element: Element, offset: tuple[float, float]
    ) -> None:
        moved = now.x - was.x, now.y - was.y
        if now.shape in ("polygon", "polyline") and now.rotation == was.rotation:
            shifts = (now.points - was.points) if now.points.shape == was.points.shape else None
            still = shifts is not None and (np.abs(shifts).max(initial=0) <= _CLOSE)
            along = shifts is not None and np.allclose(shifts, moved, rtol=0, atol=_CLOSE)
            if not (still or along):
                raise self._error(was, "the points were changed")
        if moved == (0, 0):
            return
        x, y = self.axes.point(now.x, now.y)
        away = np.array((x - offset[0] - self.origin[0], y - offset[1] - self.origin[1]))
        for name, value in zip("xy", (self.unproject @ away).tolist(), strict=True):
            if abs(value - decimal(element, name, 0, self.context)) > _CLOSE:
                self._set(element, name, number_text(round(value, 9)))

    def _write_text(self, now: MapObject, was: MapObject, element: Element) -> None:
        text = element.find("text")
        if text is None or now.text is None or was.text is None or not self.document.has(text):
            raise self._error(was, "text was changed")
        if now.text.words != was.text.words:
            self.document.fill_text(text, escape(now.text.words))
        for name in _FLAGS:
            if getattr(now.text, name) != getattr(was.text, name):
                self._set(text, name, str(int(getattr(now.text, name))))
        for name, attribute in _WORDS.items():
            if getattr(now.text, name) != getattr(was.text, name):
                self._set(text, attribute, getattr(now.text, name))
        if now.text.pixel_size != was.text.pixel_size:
            self._set(text, "pixelsize", str(now.text.pixel_size))
        if now.text.color != was.text.color:
            self._set(text, "color", color_text(now.text.color))

    def _set(self, element: Element, name: str, value: str) -> None:
        self.document.set(element, name, value)

    def _error(self, item: MapObject, reason: str) -> MapError:
        return self.context.error(f"object {item.id}: {reason}, which cannot be saved yet")

"""Writes objects: what differs from the file, as attributes of their elements; and new ones."""

from __future__ import annotations

import os
from collections import Counter
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

import numpy as np

from ..cells import FLAG_SHIFT
from ..context import LoadContext
from ..errors import MapError
from ..model.frame import MapFrame
from ..model.object_layer import MapObject, ObjectLayer
from ..model.properties import Properties
from ..read.attributes import decimal
from .elements import object_element, place_in_file, points_text, text_attributes
from .properties import PropertyWriter
from .references import moved
from .values import color_text, number_text
from .xml_document import XmlDocument

__all__ = ["ObjectWriter"]

_FIXED = ("id", "shape", "template")
_NUMBERS = ("width", "height", "rotation", "opacity")
_CLOSE = 1e-6  # pixels; where a point is, after it was turned there and back


class ObjectWriter:
    """Writes the objects of one layer: those that differ from the file's, and new ones.

    Args:
        frame: The map.
        document: The file.
        layer: The <objectgroup>, with its templates filled in.
        properties: Writes custom properties.
        context: The layer, for errors.
    """

    def __init__(
        self,
        frame: MapFrame,
        document: XmlDocument,
        layer: Element,
        properties: PropertyWriter,
        context: LoadContext,
    ) -> None:
        self.frame = frame
        self.document = document
        self.layer = layer
        self.properties = properties
        self.context = context

    def write(self, now: ObjectLayer, was: ObjectLayer | None) -> None:
        """Write the objects and the settings of a layer.

        Args:
            now: The layer.
            was: The layer as the file has it; None for a new one.

        Raises:
            MapError: Something was changed that cannot be saved.
        """
        if now.draw_order != ("topdown" if was is None else was.draw_order):
            self.document.set(self.layer, "draworder", now.draw_order)
        if now.color != (None if was is None else was.color):
            self.document.set(self.layer, "color", color_text(now.color))
        elements = [] if was is None else self._in_draw_order(was)
        before = [] if was is None else was.objects
        pairs = zip(before, elements, strict=True)
        if [item.id for item in now.objects] == [item.id for item in before]:
            for item, pair in zip(now.objects, pairs, strict=True):
                self._write_object(item, *pair, now.offset)
        else:
            known: dict[int, list[tuple[MapObject, Element]]] = {}
            for item, element in pairs:
                known.setdefault(item.id, []).append((item, element))
            self._arrange(now, known)

    def _in_draw_order(self, layer: ObjectLayer) -> list[Element]:
        """Return the elements of the objects of a layer that was just read."""
        elements = self.layer.findall("object")
        if layer.draw_order != "topdown":
            return elements
        return sorted(elements, key=lambda element: decimal(element, "y", 0, self.context))

    def _arrange(self, now: ObjectLayer, known: dict[int, list[tuple[MapObject, Element]]]) -> None:
        """Add and remove objects, and write the others.

        Args:
            now: The layer.
            known: The objects of the file by id, each with its element; a few maps use an id
                several times.
        """
        counts = Counter(item.id for item in now.objects) if self.document.has(self.layer) else {}
        for number, count in counts.items():
            if count != len(known.get(number, "1")):
                raise self.context.error(f"objects share the id {number}, so it is not known which")
        kept, added, order = [], [], []
        for item in now.objects:
            if item.id in known:
                was, element = known[item.id].pop(0)
                self._write_object(item, was, element, now.offset)
                kept.append(element)
            else:
                element = self._made(item, now.offset)
                added.append(element)
            order.append(element)
        if now.draw_order == "topdown":  # drawn by y, in the file in any order
            places = {element: number for number, element in enumerate(self.layer)}
            kept.sort(key=places.__getitem__)
            order = [*kept, *added]
        self.document.arrange(self.layer, order, ("object",))

    def _made(self, item: MapObject, offset: tuple[float, float]) -> Element:
        """Return the element of an object that the file does not have."""
        element = object_element(item, self.frame, offset)
        if item.template:  # all that it does not say is the template's
            usual = {"name": "", "type": "", "width": "0", "height": "0", "rotation": "0"}
            element.attrib.update({**usual, "visible": "1", **element.attrib})
            here = os.path.dirname(os.path.abspath(self.context.path))
            element.set("template", moved(item.template, here, self.properties.folder))
        inherited = Properties()
        if item.gid:
            tileset = self.frame.tilesets.owner(item.gid)
            local_id = item.gid - tileset.first_gid
            inherited = tileset.tile_properties(local_id)
            if item.class_name == tileset.tile_class(local_id) and not item.template:
                element.attrib.pop("type", None)
        part = self.context.about(f"object {item.id}")
        self.properties.write(element, item.properties, inherited, part)
        return element

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
        outline = element.find(now.shape) if now.shape in ("polygon", "polyline") else None
        if outline is not None and now.rotation == was.rotation:
            shifts = (now.points - was.points) if now.points.shape == was.points.shape else None
            still = shifts is not None and (np.abs(shifts).max(initial=0) <= _CLOSE)
            along = shifts is not None and np.allclose(shifts, moved, rtol=0, atol=_CLOSE)
            if not (still or along):
                if not self.document.has(outline):
                    raise self._error(was, "the points of its template were changed")
                self._set(outline, "points", points_text(now, self.frame))
        if moved == (0, 0):
            return
        place = place_in_file(now.x, now.y, self.frame, offset)
        for name, value in zip("xy", place, strict=True):
            if abs(value - decimal(element, name, 0, self.context)) > _CLOSE:
                self._set(element, name, number_text(value))

    def _write_text(self, now: MapObject, was: MapObject, element: Element) -> None:
        text = element.find("text")
        if text is None or now.text is None or was.text is None or not self.document.has(text):
            raise self._error(was, "text was changed")
        if now.text.words != was.text.words:
            self.document.fill_text(text, escape(now.text.words))
        for name, value in text_attributes(now.text, was.text).items():
            self._set(text, name, value)

    def _set(self, element: Element, name: str, value: str) -> None:
        self.document.set(element, name, value)

    def _error(self, item: MapObject, reason: str) -> MapError:
        return self.context.error(f"object {item.id}: {reason}, which cannot be saved yet")

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
from ..model.map_object import MapObject, Text
from ..model.object_layer import ObjectLayer
from ..model.properties import Properties
from ..read.attributes import decimal
from ..read.externals import read_instances
from ..read.objects import OUTLINES
from .elements import (
    object_element,
    outline_element,
    own_class,
    own_points,
    points_text,
    retiled,
    text_attributes,
)
from .files import moved
from .properties import PropertyWriter
from .values import color_text, number_text

__all__ = ["ObjectWriter"]

_FIXED = ("id", "template")
_SIDES = ("width", "height")
_NUMBERS = (*_SIDES, "rotation", "opacity")
_CLOSE = 1e-6  # pixels; where a point is, after it was turned there and back


class ObjectWriter:
    """Writes what differs in objects of a layer, whose templates are filled in, and new ones."""

    def __init__(
        self, frame: MapFrame, layer: Element, properties: PropertyWriter, context: LoadContext
    ) -> None:
        self.frame = frame
        self.layer = layer
        self.properties = properties
        self.document = properties.document
        self.context = context

    def write(self, now: ObjectLayer, was: ObjectLayer | None) -> None:
        """Write the objects and the settings of a layer."""
        if now.draw_order != ("topdown" if was is None else was.draw_order):
            self.document.set(self.layer, "draworder", now.draw_order)
        if now.color != (None if was is None else was.color):
            self.document.set(self.layer, "color", color_text(now.color))
        elements = [] if was is None else self._in_draw_order(was)
        before = [] if was is None else was.objects
        pairs = zip(before, elements, strict=True)
        same_order = was is None or now.draw_order == was.draw_order
        if same_order and [item.id for item in now.objects] == [item.id for item in before]:
            for item, pair in zip(now.objects, pairs, strict=True):
                self.write_object(item, *pair, now.offset)
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

        `known` has those of the file by id, with elements; a few maps use an id several times.
        """
        counts = Counter(item.id for item in now.objects) if self.document.has(self.layer) else {}
        for number, count in counts.items():
            if count != (len(known[number]) if number in known else 1):
                raise self.context.error(f"objects share the id {number}, so it is not known which")
        kept, added, order = [], [], []
        for item in now.objects:
            if item.id in known:
                was, element = known[item.id].pop(0)
                self.write_object(item, was, element, now.offset)
                kept.append(element)
            else:
                element = self.made(item, now.offset)
                added.append(element)
            order.append(element)
        if now.draw_order == "topdown":  # drawn by y, in the file in any order
            places = {element: number for number, element in enumerate(self.layer)}
            kept.sort(key=places.__getitem__)
            order = self._with_ties([*kept, *added], order, now)
        self.document.arrange(self.layer, order, ("object",))

    def _with_ties(
        self, in_file: list[Element], drawn: list[Element], layer: ObjectLayer
    ) -> list[Element]:
        """Return elements in the order of the file, but those of one y as they are drawn.

        `drawn` are the same ones as they are drawn, one for each object of the layer.
        """
        of_y: dict[str, list[Element]] = {}
        keys: dict[Element, str] = {}
        for item, element in zip(layer.objects, drawn, strict=True):
            keys[element] = number_text(layer._y_in_file(item))
            of_y.setdefault(keys[element], []).append(element)
        rest = {key: iter(elements) for key, elements in of_y.items()}
        return [next(rest[keys[element]]) for element in in_file]

    def made(self, item: MapObject, offset: tuple[float, float]) -> Element:
        """Return the element of an object that the file does not have."""
        part = self.context.about(f"object {item.id}")
        if item.template:
            return self._instance(item, offset, part)
        element = object_element(item, self.frame, offset)
        inherited = Properties()
        if item.gid:
            tile = self.frame.tilesets._tile_of(item.gid)
            inherited._inherit(tile._own_properties(self.frame.tools))
            if not own_class(item, self.frame):
                element.attrib.pop("type", None)
        of = item.class_name, "object"
        self.properties.write(element, item.properties, inherited, part, of)
        return element

    def _instance(
        self, item: MapObject, offset: tuple[float, float], context: LoadContext
    ) -> Element:
        """Return the element of a new instance: what it overrides, and what differs besides."""
        x, y = map(number_text, self.frame.place_in_file(item.x, item.y, offset))
        place = {"id": str(item.id), "template": item.template, "x": x, "y": y}
        [was] = read_instances([Element("object", place)], self.frame, offset, context.anew())
        here = os.path.dirname(os.path.abspath(context.path))
        place["template"] = moved(item.template, here, self.properties.folder)
        element = Element("object", place)
        self.write_object(item, was, element, offset)
        return element

    def write_object(
        self,
        now: MapObject,
        was: MapObject,
        element: Element,
        offset: tuple[float, float],
    ) -> None:
        """Write what differs in an object, and what it overrides with the value of its template.

        `was` is what its element gives, with its template.
        """
        forced = now.overrides - was.overrides

        def differs(name: str) -> bool:
            return name in forced or getattr(now, name) != getattr(was, name)

        self._check(now, was)
        if differs("name"):
            self._set(element, "name", now.name)
        may_differ = differs("class_name") or differs("gid") or now._has_class != was._has_class
        if "class_name" in forced or (
            may_differ and own_class(now, self.frame) != own_class(was, self.frame)
        ):
            name = "class" if element.get("class") and not element.get("type") else "type"
            self._set(element, name, now.class_name)
        if differs("gid") or differs("flags"):
            self._write_gid(now, was, element)
        of_template = was.template and any(map(differs, _SIDES))  # both sides, or none
        for name in _NUMBERS:
            if differs(name) or (of_template and name in _SIDES):
                self._set(element, name, number_text(getattr(now, name)))
        if differs("visible"):
            self._set(element, "visible", str(int(now.visible)))
        self._write_place(now, was, element, offset)
        self._write_outline(now, was, element, differs("shape"), differs("text"))
        part = self.context.about(f"object {was.id}")
        of = now.class_name, "object"
        before = was.properties if now.gid == was.gid else retiled(was, now.gid, self.frame)
        usual = Properties()
        if now.properties.inherited - before.inherited:
            usual = retiled(was, now.gid, self.frame, usual)
        self.properties.write(element, now.properties, before, part, of, usual)

    def _check(self, now: MapObject, was: MapObject) -> None:
        """Refuse what a file cannot say."""
        for name in _FIXED:
            if getattr(now, name) != getattr(was, name):
                raise self._error(was, f"{name} was changed")
        is_text, is_tile = now.shape == "text", now.shape == "tile"
        if is_text != (now.text is not None) or is_tile != (now.gid > 0):
            raise self._error(was, f"its gid and its text do not fit its shape {now.shape!r}")
        if not was.template:
            return
        for name in ("name", "class_name", *_SIDES):
            is_gone = getattr(was, name) and not getattr(now, name)
            if is_gone and (name != "class_name" or own_class(was, self.frame)):
                raise self._error(was, f"{name} was removed, which its template has")
        outlined = outline_element(was, self.frame) is not None
        if now.shape != was.shape and (is_text or (outlined and now.shape == "rectangle")):
            raise self._error(was, f"its template is no {now.shape}")

    def _write_gid(self, now: MapObject, was: MapObject, element: Element) -> None:
        if now.gid:
            self._set(element, "gid", str(now.gid | now.flags << FLAG_SHIFT))
        elif was.template:
            raise self._error(was, "gid was removed, which its template has")
        else:
            self.document.unset(element, "gid")

    def _write_place(
        self, now: MapObject, was: MapObject, element: Element, offset: tuple[float, float]
    ) -> None:
        if (now.x, now.y) == (was.x, was.y):
            return
        place = self.frame.place_in_file(now.x, now.y, offset)
        for name, value in zip("xy", place, strict=True):
            if abs(value - decimal(element, name, 0, self.context)) > _CLOSE:
                self._set(element, name, number_text(value))

    def _write_outline(
        self, now: MapObject, was: MapObject, element: Element, reshaped: bool, reworded: bool
    ) -> None:
        """Write the shape, the points and the text of an object."""
        own = [one for one in element if one.tag in OUTLINES and self.document.has(one)]
        if reshaped or (reworded and not own):
            self._put_outline(now, element, own)
        elif now.text is not None and was.text is not None:
            self._write_text(own, now.text, was.text)
        elif now.shape in ("polygon", "polyline"):
            points, before = own_points(now, self.frame), own_points(was, self.frame)
            if points.shape == before.shape and np.abs(points - before).max(initial=0) <= _CLOSE:
                return
            if own:
                self._set(own[0], "points", points_text(points))
            else:
                self._put_outline(now, element, own)

    def _put_outline(self, now: MapObject, element: Element, own: list[Element]) -> None:
        """Give an object the outline that it has now instead of its own one or its template's."""
        new = outline_element(now, self.frame)
        if new is not None and len(own) == 1:
            self.document.replace(own[0], new)
        else:
            self.document.arrange(element, [] if new is None else [new], OUTLINES)

    def _write_text(self, own: list[Element], now: Text, was: Text) -> None:
        for element in own:
            if now.words != was.words:
                self.document.fill_text(element, escape(now.words))
            for name, value in text_attributes(now, was).items():
                self._set(element, name, value)

    def _set(self, element: Element, name: str, value: str) -> None:
        self.document.set(element, name, value)

    def _error(self, item: MapObject, reason: str) -> MapError:
        return self.context.error(f"object {item.id}: {reason}, which cannot be saved")

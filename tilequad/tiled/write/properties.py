"""Writes changed custom properties."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import isnan
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from tilequad._core.shown import shown

from ..checks import color_of
from ..context import LoadContext
from ..model.properties import ObjectRef, Properties, properties_of
from .values import checked, color_text, exact_text, relative
from .xml_document import XmlDocument

__all__ = ["PropertyWriter"]

_KEPT_TEXT = ("color", "file")  # types of properties whose values may be given as text
_NOTHING = {"color": "", "file": "", "object": "0"}  # what stands for no value


@dataclass
class PropertyWriter:
    """Writes the properties that differ from those of the file."""

    document: XmlDocument
    folder: str

    def write(
        self, element: Element, now: Properties, was: Properties, context: LoadContext
    ) -> None:
        """Write the properties of a <map>, layer or <object>, which has what its template has."""
        if not isinstance(now, Properties):
            now = checked(properties_of, now, "properties", context)
        if now == was and _same(now, was):
            return
        groups = [one for one in element.findall("properties") if self.document.has(one)]
        own = {item.get("name", ""): item for one in groups for item in one.findall("property")}
        gone = was.keys() - now.keys()
        gone -= was.inherited - now.inherited  # the tile has got them since
        for name in gone - own.keys():
            raise context.error(
                f"the property {name!r} is inherited from a tile, a template or a class, "
                "so it cannot be removed"
            )
        new = {name: value for name, value in now.items() if name not in own}
        new = {name: value for name, value in new.items() if not _kept(name, value, was)}
        if groups and not new and own.keys() <= gone:
            for group in groups:
                self.document.remove(group)
            return
        for name, item in own.items():
            if name in gone:
                self.document.remove(item)
            elif not _kept(name, now[name], was):
                self._change(item, now[name], now.types.get(name, ""), context)
        made = [
            self._made(name, value, now.types.get(name, ""), context) for name, value in new.items()
        ]
        if made and groups:
            self.document.put_last(groups[-1], made)
        elif made:
            whole = Element("properties")
            whole.extend(made)
            self.document.put_first(element, [whole])

    def _change(self, item: Element, value: Any, of: str, context: LoadContext) -> None:
        """Write a new value of a property of the file; the text alone if its type fits."""
        made = self._made(item.get("name", ""), value, of, context, item.get("type", "string"))
        same_type = all(made.get(key) == item.get(key) for key in ("type", "propertytype"))
        if same_type and len(made) == len(item) == 0 and "value" in item.attrib:
            self.document.set(item, "value", made.get("value", ""))
        else:
            self.document.replace(item, made)

    def _made(
        self, name: str, value: Any, of: str, context: LoadContext, before: str = ""
    ) -> Element:
        """Return the element of a property.

        `of` is its enum or class, `before` the type that it has in the file; "" if there is none.
        """
        if not isinstance(name, str):
            raise context.error(f"properties must have names that are texts, got {shown(name)}")
        made = Element("property", name=name)
        self._fill(made, name, value, of, context, before)
        return made

    def _fill(
        self, made: Element, name: str, value: Any, of: str, context: LoadContext, before: str = ""
    ) -> None:
        """Fill in the element of a property, or of an entry of one that is a list."""
        if isinstance(value, tuple) and len(value) == 4:
            value = checked(color_of, value, f"the property {name!r}", context)
        kind, text = self._typed(value, before)
        if kind is None:
            raise context.error(
                f"the property {name!r} is {shown(value)}, which is of no type of Tiled"
            )
        if kind != "string":
            made.set("type", kind)
        of = value.class_name if isinstance(value, Properties) else of
        if of and kind in ("class", "string", "int"):
            made.set("propertytype", of)
        if isinstance(value, Properties):
            members = SubElement(made, "properties")
            for key, member in value.items():
                members.append(self._made(key, member, value.types.get(key, ""), context))
        elif isinstance(value, list):
            for entry in value:
                self._fill(SubElement(made, "item"), name, entry, "", context)
        else:
            made.set("value", text)

    def _typed(self, value: Any, before: str) -> tuple[str | None, str]:
        """Return the type of a value in Tiled, and its text."""
        if isinstance(value, Enum):
            value = value.value
        if value is None:
            return (before, _NOTHING[before]) if before in _NOTHING else ("object", "0")
        if isinstance(value, bool):
            return "bool", "true" if value else "false"
        if isinstance(value, ObjectRef) or (isinstance(value, int) and before == "object"):
            return "object", str(int(value))
        if isinstance(value, int) and before != "float":
            return "int", str(int(value))
        if isinstance(value, int | float):
            return "float", exact_text(float(value))
        if isinstance(value, str):
            return (before if before in _KEPT_TEXT else "string"), str(value)
        if isinstance(value, Path):
            return "file", relative(value, self.folder)
        if isinstance(value, tuple) and len(value) == 4:
            return "color", color_text(value)
        kinds = {Properties: "class", list: "list"}
        return next((kinds[cls] for cls in kinds if isinstance(value, cls)), None), ""


def _kept(name: str, value: Any, was: Properties) -> bool:
    """Return whether a property has the value that the file gives it."""
    return name in was and _same(value, was[name])


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal and of one type."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float) and isinstance(other, float) and isnan(one):
        return isnan(other)
    return bool(one == other)

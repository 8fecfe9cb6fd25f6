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
from ..model.frame import MapTools
from ..model.properties import ObjectRef, Properties, properties_of
from ..read.attributes import parse_color
from .values import checked, color_text, exact_text, relative
from .xml_document import XmlDocument

__all__ = ["PropertyWriter"]

_PLAIN = (str, int, bool)  # types whose values are the same if they are equal
_NONE = Properties()
_NOTHING = {"color": "", "file": "", "object": "0"}  # what stands for no value


@dataclass
class PropertyWriter:
    """Writes the properties that differ from those of the file."""

    document: XmlDocument
    folder: str
    tools: MapTools

    def write(
        self,
        element: Element,
        now: Properties,
        was: Properties,
        context: LoadContext,
        of: tuple[str, str] = ("", ""),
        usual: Properties = _NONE,
    ) -> None:
        """Write the properties of a <map>, layer or <object>, which has what its template has.

        `of` is the class that it has now, and what it is, as `MapTools.complete` names it. `usual`
        is what it inherits if it sets nothing itself.
        """
        if not isinstance(now, Properties):
            now = checked(properties_of, now, "properties", context)
        set_here = was.inherited - now.inherited  # also if the value is that of the tile
        left = now.keys() & now.inherited - was.inherited
        left = {name for name in left if _kept(name, now[name], usual)}
        if not (set_here or left) and now == was and _same(now, was):
            return
        class_before = element.get("type") or element.get("class") or ""
        if of[0] != class_before or not self.document.has(element):
            was = self._completed(element, now, was, of)
        groups = [one for one in element.findall("properties") if self.document.has(one)]
        own = {item.get("name", ""): item for one in groups for item in one.findall("property")}
        gone = was.keys() - now.keys() | left & own.keys()
        gone -= set_here  # the tile has got them since
        for name in gone - own.keys():
            raise context.error(
                f"the property {name!r} is inherited from a tile, a template or a class, "
                "so it cannot be removed"
            )
        new = {name: value for name, value in now.items() if name not in own}
        new = {
            name: value
            for name, value in new.items()
            if name in set_here or not _kept(name, value, was)
        }
        if groups and not new and own.keys() <= gone:
            for group in groups:
                self.document.remove(group)
            return
        for name, item in own.items():
            if name in gone:
                self.document.remove(item)
            elif not _kept(name, now[name], was):
                self._change(item, now[name], now.types.get(name, ""), context)
        kinds = {**self._like(was), **self._declared(of[0])}
        made = [
            self._made(name, value, now.types.get(name, ""), context, kinds.get(name))
            for name, value in new.items()
        ]
        if made and groups:
            self.document.put_last(groups[-1], made)
        elif made:
            whole = Element("properties")
            whole.extend(made)
            self.document.put_first(element, [whole])

    def _completed(
        self, element: Element, now: Properties, was: Properties, of: tuple[str, str]
    ) -> Properties:
        """Return what a part has in the file if it gets the class that it has now.

        Members of its class are not listed where the part lacks them.
        """
        if self.tools.project is None:
            return was
        own = {item.get("name", "") for item in element.findall("properties/property")}
        own |= was.inherited
        found = Properties({name: value for name, value in was.items() if name in own})
        found.types, found.inherited = dict(was.types), was.inherited
        self.tools.complete(found, *of)
        for name in found.keys() - now.keys() - own:
            del found[name]
        return found

    def _like(self, values: Properties) -> dict[str, Element]:
        """Return elements of the types that some properties have, by name."""
        kinds = {name: self._typed(value, "")[0] for name, value in values.items()}
        return {
            name: Element("property", type=kind)
            for name, kind in kinds.items()
            if kind and values[name] is not None
        }

    def _declared(self, class_name: str) -> dict[str, Element]:
        """Return elements of the types that the members of a class have, by name."""
        project = self.tools.project
        kinds = {} if project is None else project.kinds.get(class_name, {})
        return {name: Element("property", type=kind) for name, (kind, _) in kinds.items() if kind}

    def _change(self, item: Element, value: Any, of: str, context: LoadContext) -> None:
        """Write a new value of a property of the file; the text alone if its type fits."""
        made = self._made(item.get("name", ""), value, of, context, item)
        same_type = all(made.get(key) == item.get(key) for key in ("type", "propertytype"))
        if same_type and len(made) == len(item) == 0 and "value" in item.attrib:
            self.document.set(item, "value", made.get("value", ""))
        else:
            self.document.replace(item, made)

    def _made(
        self,
        name: str,
        value: Any,
        of: str,
        context: LoadContext,
        before: Element | None = None,
    ) -> Element:
        """Return the element of a property.

        `of` is its enum or class, "" if it has none. `before` is an element of the type that it
        has in the file, or would have there; None if that has no such property.
        """
        if not isinstance(name, str):
            raise context.error(f"properties must have names that are texts, got {shown(name)}")
        made = Element("property", name=name)
        self._fill(made, name, value, of, context, before)
        return made

    def _fill(
        self,
        made: Element,
        name: str,
        value: Any,
        of: str,
        context: LoadContext,
        before: Element | None = None,
    ) -> None:
        """Fill in the element of a property, or of an entry of one that is a list."""
        if isinstance(value, tuple) and len(value) == 4:
            value = checked(color_of, value, f"the property {name!r}", context)
        kind, text = self._typed(value, "" if before is None else before.get("type", "string"))
        if kind is None:
            raise context.error(
                f"the property {name!r} is {shown(value)}, which is of no type of Tiled"
            )
        if kind != "string":
            made.set("type", kind)
        if isinstance(value, Properties):
            of = value.class_name
        elif isinstance(value, Enum):
            enums = self.tools.enums.items()
            of = next((known for known, one in enums if one is type(value)), of)
        if of and kind in ("class", "string", "int"):
            made.set("propertytype", of)
        if isinstance(value, Properties):
            members = SubElement(made, "properties")
            items = [] if before is None else before.findall("properties/property")
            kinds = {item.get("name", ""): item for item in items}
            kinds |= self._declared(of)  # where JSON does not name types
            for key, member in value.items():
                kind_of = value.types.get(key, "")
                members.append(self._made(key, member, kind_of, context, kinds.get(key)))
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
            is_color = before == "color" and (not value or parse_color(value) is not None)
            return (before if is_color or before == "file" else "string"), str(value)
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
    """Return whether a value is equal to that of the file, and of its type.

    It need not say the type of the file: a whole number may stand for a float or an object, a text
    for a member of an enum.
    """
    if type(one) is type(other) and type(one) in _PLAIN:  # the usual case
        return bool(one == other)
    typed = isinstance(one, Properties) and isinstance(other, Properties)
    if typed and one.class_name != other.class_name:
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    for kind in (float, ObjectRef):
        if isinstance(one, kind) and not isinstance(other, kind):
            return False
    if isinstance(one, Enum) and type(one) is not type(other):
        return False
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float) and isinstance(other, float) and isnan(one):
        return isnan(other)
    return bool(one == other)

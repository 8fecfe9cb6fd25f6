"""Custom properties: turned from XML into Python values of the right types."""

from __future__ import annotations

from math import isfinite
from typing import Any
from xml.etree.ElementTree import Element

from ..context import LoadContext
from ..model.enums import member_of
from ..model.properties import ObjectRef, Properties
from .attributes import parse_color

__all__ = ["read_properties", "typed"]


def read_properties(element: Element, context: LoadContext | None) -> Properties:
    """Read the properties of a map, layer, object, tileset or tile.

    See https://doc.mapeditor.org/en/stable/manual/custom-properties/. A value that does not fit
    its type becomes zero, False or None, as in Tiled. Without a context, which resolves files and
    has the enums, colors, files and enums are read as text, and objects as their ids.
    """
    values = Properties()
    if not len(element):  # the usual case
        return values
    types: dict[str, str] = {}
    for group in element.findall("properties"):
        for item in group.findall("property"):
            name, kind = item.get("name", ""), item.get("propertytype")
            values[name] = _value(item, context)
            if kind:
                types[name] = kind
            elif types:
                types.pop(name, None)
    if types:
        values.types = types
    return values


def typed(value: Any, kind: str, enum: str, context: LoadContext) -> Any:
    """Convert a stored text or number to its type in Tiled; leave a value that already has it."""
    if type(value) is str:
        if kind == "color":
            return parse_color(value)
        if kind == "file":
            return context.refer(value) if value else None
    elif type(value) is not int:
        return value
    elif kind == "object":
        return ObjectRef(value) if value else None
    known = context.enums.get(enum) if enum else None
    if known is None:
        return value
    member = member_of(known, value)
    if member is None:
        wrong = f"{value!r:.60}, which is no value of the enum {enum[:60]!r}"
        context.warn(f"a property is {wrong}", once=wrong)
        return value
    return member


def _value(item: Element, context: LoadContext | None) -> Any:
    kind = item.get("type", "string")
    if kind == "class":
        members = read_properties(item, context)
        members.class_name = item.get("propertytype", "")
        return members
    if kind == "list":
        return [_value(entry, context) for entry in item.findall("item")]
    text = item.get("value")
    if text is None:  # Tiled writes text of several lines inside the element
        text = item.text or ""
    if kind == "string" and (context is None or not context.enums):  # the usual case
        return text
    if kind == "bool":
        return text.strip().lower() in ("true", "1")
    if kind == "float":
        return _number(text)
    value = int(_number(text)) if kind in ("int", "object") else text
    return value if context is None else typed(value, kind, item.get("propertytype", ""), context)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if isfinite(value) else 0.0

"""Custom properties, from XML to plain Python values."""

from __future__ import annotations

from math import isfinite
from typing import Any
from xml.etree.ElementTree import Element

from ..model.properties import Properties

__all__ = ["read_properties"]


def read_properties(element: Element) -> Properties:
    """Read the properties of a map, layer, object, tileset or tile.

    See https://doc.mapeditor.org/en/stable/manual/custom-properties/.

    int, float, bool and object become int, float, bool and int (the object's id); class becomes
    Properties and list a list; string, color and file stay text. A value that does not fit its type
    becomes zero or False, as in Tiled.
    """
    values = Properties()
    types: dict[str, str] = {}
    for group in element.findall("properties"):
        for item in group.findall("property"):
            name, kind = item.get("name", ""), item.get("propertytype")
            values[name] = _value(item)
            if kind:
                types[name] = kind
            elif types:
                types.pop(name, None)
    if types:
        values.types = types
    return values


def _value(item: Element) -> Any:
    kind = item.get("type", "string")
    if kind == "class":
        members = read_properties(item)
        members.class_name = item.get("propertytype", "")
        return members
    if kind == "list":
        return [_value(entry) for entry in item.findall("item")]
    text = item.get("value")
    if text is None:  # Tiled writes text of several lines inside the element
        text = item.text or ""
    if kind == "bool":
        return text.strip().lower() in ("true", "1")
    if kind in ("int", "object"):
        return int(_number(text))
    if kind == "float":
        return _number(text)
    return text


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if isfinite(value) else 0.0

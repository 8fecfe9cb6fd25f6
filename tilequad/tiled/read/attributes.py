"""Values of XML attributes and custom properties, read as Tiled reads them."""

from __future__ import annotations

from math import isfinite, nan
from typing import Any
from xml.etree.ElementTree import Element

from ..context import LoadContext
from ..model.enums import member_of
from ..model.properties import Color, ObjectRef, Properties

__all__ = [
    "MOST",
    "boolean",
    "decimal",
    "decimals",
    "float_or_zero",
    "int_or_zero",
    "integer",
    "number_or_zero",
    "parse_color",
    "read_properties",
    "typed",
    "word",
]

MOST = 2.0**32  # Tiled keeps sizes, cells and ids in 32 bits
_SHORT = 10  # numbers with fewer digits are within these limits
_LONGEST = 1000  # characters; no program writes a longer number, and to read one takes long


def integer(element: Element, name: str, default: int, context: LoadContext) -> int:
    """Read a whole number; fractions, which old exporters wrote, are cut off."""
    text = element.get(name)
    if text is None:  # the usual case; many numbers are read
        return default
    if len(text) < _SHORT and text.isdecimal():
        return int(text)
    return int(decimal(element, name, default, context))


def decimal(element: Element, name: str, default: float, context: LoadContext) -> float:
    """Read a number.

    Text that is not a number, such as one with a decimal comma, is a warning and gives the
    default, as in Tiled. So do NaN, infinities and numbers beyond 32 bits.
    """
    text = element.get(name)
    if not text:
        return default
    try:
        value = float(text) if len(text) <= _LONGEST else nan
    except ValueError:
        if not text.strip():
            return default
        value = nan
    if -MOST <= value <= MOST:
        return value
    which = f"<{element.tag}> has {name}="
    context.warn(f"{which}{text[:40]!r}, which is not a usable number", once=which)
    return default


def decimals(
    element: Element, first: str, second: str, default: float, context: LoadContext
) -> tuple[float, float]:
    """Read two numbers as `decimal` does; two that are well take two thirds of the time."""
    one, other = element.get(first, ""), element.get(second, "")
    if len(one) < _LONGEST and len(other) < _LONGEST:
        try:
            x, y = float(one), float(other)
        except ValueError:
            pass
        else:
            if -MOST <= x <= MOST and -MOST <= y <= MOST:
                return x, y
    return decimal(element, first, default, context), decimal(element, second, default, context)


def boolean(element: Element, name: str, default: bool) -> bool:
    """Read a boolean: 0 or 1, as Tiled writes it, or a word; the default if it is missing."""
    text = element.get(name, "").strip()
    return text.lower() not in ("0", "false") if text else default


def word(element: Element, name: str, words: tuple[str, ...]) -> str:
    """Read one of several words; the first one if it is missing or unknown, as in Tiled."""
    text = element.get(name, "")
    return text if text in words else words[0]


def parse_color(text: str | None) -> Color | None:
    """Read #RRGGBB, #AARRGGBB or #RGB; None for anything else."""
    digits = (text or "").strip()
    if not digits.startswith("#"):
        return None
    digits = digits[1:]
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    if len(digits) not in (6, 8):
        return None
    try:
        value = int(digits, 16)
    except ValueError:
        return None
    alpha = value >> 24 if len(digits) == 8 else 255
    return (value >> 16) & 255, (value >> 8) & 255, value & 255, alpha


def float_or_zero(text: str) -> float:
    """Read a number, NaN or an infinity; other text gives zero."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def number_or_zero(text: str) -> float:
    """Read a number; text that is not a finite one gives zero."""
    value = float_or_zero(text)
    return value if isfinite(value) else 0.0


def int_or_zero(text: str) -> int:
    """Read a whole number of any size; fractions are cut off, text that is none gives zero."""
    try:
        return int(text) if len(text) <= _LONGEST else 0
    except ValueError:
        return int(number_or_zero(text))


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
        return float_or_zero(text)
    value = int_or_zero(text) if kind in ("int", "object") else text
    return value if context is None else typed(value, kind, item.get("propertytype", ""), context)

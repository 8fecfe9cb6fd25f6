"""Numbers, booleans, words and colors from XML attributes, read as Tiled reads them."""

from __future__ import annotations

from math import nan
from xml.etree.ElementTree import Element

from ..context import LoadContext
from ..model.properties import Color

__all__ = ["MOST", "boolean", "decimal", "decimals", "integer", "parse_color", "word"]

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

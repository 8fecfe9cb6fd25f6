"""Numbers, switches and colours out of XML attributes, as Tiled understands them."""

from __future__ import annotations

from math import isfinite
from xml.etree.ElementTree import Element

from .reading import Reading

__all__ = ["Color", "boolean", "color", "decimal", "integer"]

Color = tuple[int, int, int, int]  # red, green, blue, alpha; each 0 to 255

_LARGEST = 1 << 31  # Tiled keeps sizes, cells and ids in 32 bits


def integer(element: Element, name: str, default: int, reading: Reading) -> int:
    """A whole number; a fraction, which old exporters wrote, is cut off.

    Raises:
        MapError: As for `decimal`.
    """
    return int(decimal(element, name, default, reading))


def decimal(element: Element, name: str, default: float, reading: Reading) -> float:
    """A number.

    One that is not finite, beyond 32 bits or no number at all, such as a decimal comma makes it, is
    a warning, and the default is taken, as in Tiled.

    Raises:
        MapError: It would be a warning, and the reading is strict.
    """
    text = element.get(name)
    if text is None or not text.strip():
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if isfinite(value) and abs(value) <= 2 * _LARGEST:
        return value
    which = f"<{element.tag}> has {name}="
    reading.warn(f"{which}{text[:40]!r}, which is no usable number", once=which)
    return default


def boolean(element: Element, name: str, default: bool) -> bool:
    """A switch: 0 or 1, as Tiled writes it, or a word; the default where nothing is written."""
    text = element.get(name, "").strip()
    return text.lower() not in ("0", "false") if text else default


def color(text: str | None) -> Color | None:
    """A colour written #RRGGBB, #AARRGGBB or #RGB; None for anything else."""
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

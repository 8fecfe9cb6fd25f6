"""Numbers and switches out of XML attributes, as Tiled understands them."""

from __future__ import annotations

from math import isfinite
from xml.etree.ElementTree import Element

from .context import LoadContext

__all__ = ["boolean", "decimal", "integer"]

_LARGEST = 1 << 31  # Tiled keeps sizes, cells and ids in 32 bits


def integer(element: Element, name: str, default: int, context: LoadContext) -> int:
    """A whole number; a fraction, which old exporters wrote, is cut off.

    Raises:
        MapError: As for `decimal`.
    """
    return int(decimal(element, name, default, context))


def decimal(element: Element, name: str, default: float, context: LoadContext) -> float:
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
    context.warn(f"{which}{text[:40]!r}, which is no usable number", once=which)
    return default


def boolean(element: Element, name: str, default: bool) -> bool:
    """A switch: 0 or 1, as Tiled writes it, or a word; the default where nothing is written."""
    text = element.get(name, "").strip()
    return text.lower() not in ("0", "false") if text else default

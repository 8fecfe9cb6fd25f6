"""Colors as Tiled writes them."""

from __future__ import annotations

__all__ = ["Color", "multiply"]

Color = tuple[int, int, int, int]  # red, green, blue, alpha; each 0 to 255


def multiply(one: Color | None, other: Color | None) -> Color | None:
    """Combine two tints; None is no tint."""
    if one is None or other is None:
        return one or other
    red, green, blue, alpha = (round(a * b / 255) for a, b in zip(one, other, strict=True))
    return red, green, blue, alpha

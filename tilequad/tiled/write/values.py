"""Numbers and colors as Tiled writes them."""

from __future__ import annotations

from ..model.properties import Color

__all__ = ["color_text", "number_text"]


def number_text(value: float) -> str:
    """Return a number without needless digits; 15 digits keep out the errors of rounding."""
    return f"{value:.15g}"


def color_text(color: Color | None) -> str:
    """Return a color as #rrggbb, or as #aarrggbb if it is not opaque; "" for None."""
    if color is None:
        return ""
    red, green, blue, alpha = color
    solid = f"{red:02x}{green:02x}{blue:02x}"
    return f"#{solid}" if alpha == 255 else f"#{alpha:02x}{solid}"

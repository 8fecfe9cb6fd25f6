"""Colors as Tiled writes them."""

from __future__ import annotations

__all__ = ["Color", "multiply", "parse_color"]

Color = tuple[int, int, int, int]  # red, green, blue, alpha; each 0 to 255


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


def multiply(one: Color | None, other: Color | None) -> Color | None:
    """Combine two tints; None is no tint."""
    if one is None or other is None:
        return one or other
    red, green, blue, alpha = (round(a * b / 255) for a, b in zip(one, other, strict=True))
    return red, green, blue, alpha

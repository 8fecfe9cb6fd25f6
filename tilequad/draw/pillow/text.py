"""Write text objects in the font that Pillow ships."""

from __future__ import annotations

from PIL import ImageDraw, ImageFont

from tilequad.tiled import MapObject

__all__ = ["write_text"]

_MAX_LETTERS = 4000  # letters beyond are not drawn
_MAX_FONT_SIZE = 500  # points; Pillow's memory grows with its square
# Pillow makes a picture of a whole line, even where little of it shows. So a line is cut at this
# many pixels: 4000 letters of 64 points, or 67 of the largest font.
_MAX_LINE_PIXELS = 1 << 24
_POINTS_PER_PIXEL = 0.75


def write_text(
    pen: ImageDraw.ImageDraw, item: MapObject, corner: tuple[float, float], scale: float
) -> None:
    """Write the words of a text object.

    Args:
        pen: Draws on the image.
        item: The text object.
        corner: Its upper left corner in pixels of the image.
        scale: Pixels for each world unit.
    """
    text = item.text
    assert text is not None
    points = min(max(text.pixel_size * scale * _POINTS_PER_PIXEL, 1), _MAX_FONT_SIZE)
    font = ImageFont.load_default(points)
    words = text.words[:_MAX_LETTERS]
    if text.wrap:
        words = "\n".join(_wrap(line, item.width * scale, font) for line in words.split("\n"))
    longest = int(_MAX_LINE_PIXELS / points**2)
    words = "\n".join(line[:longest] for line in words.split("\n"))
    right, bottom = pen.multiline_textbbox((0, 0), words, font=font)[2:]
    spare_x, spare_y = item.width * scale - right, item.height * scale - bottom
    shares = {"center": 0.5, "right": 1.0, "bottom": 1.0}
    place = (
        corner[0] + spare_x * shares.get(text.horizontal, 0.0),
        corner[1] + spare_y * shares.get(text.vertical, 0.0),
    )
    align = text.horizontal if text.horizontal in ("center", "right") else "left"
    pen.multiline_text(place, words, fill=text.color, font=font, align=align)


def _wrap(line: str, width: float, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> str:
    """Break a line between words so that no part is wider than `width`."""
    lines = [""]
    for word in line.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)

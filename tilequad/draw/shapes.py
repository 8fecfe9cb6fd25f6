"""Shapes and words of object layers: an outline with a light filling, text in Pillow's font."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from tilequad.tiled import Color, MapObject

__all__ = ["GREY", "shape_picture"]

Matrix = NDArray[np.float64]
Point = tuple[float, float]

GREY = (160, 160, 164, 255)  # Tiled\'s colour for shapes of a layer without one
_DOT = 4  # pixels: half the size of the dot that shows a point
_LONGEST_TEXT = 4000  # characters; more are not drawn
_LARGEST_FONT = 500  # points; Pillow takes memory for the square of it
# Pixels of a line of text, of which Pillow makes a picture, however little of it is seen: 4000
# letters of 64 points, 67 of the largest.
_LARGEST_LINE = 1 << 24


def shape_picture(
    item: MapObject, points: Matrix, size: tuple[int, int], scale: float, color: Color
) -> tuple[Image.Image, tuple[int, int]] | None:
    """Draw an object that is no tile.

    Args:
        item: The object.
        points: Its outline in pixels of the canvas, y down.
        size: Width and height of the canvas; what lies beyond is not drawn.
        scale: Pixels of the canvas for one world unit, for words.
        color: Of the outline.

    Returns:
        An RGBA image and the place of its top-left corner; None where nothing is seen.
    """
    low = np.clip(np.floor(points.min(axis=0)) - _DOT, 0, size).astype(int)
    high = np.clip(np.ceil(points.max(axis=0)) + _DOT + 1, 0, size).astype(int)
    if (high <= low).any():
        return None
    shade = Image.new("RGBA", (int(high[0] - low[0]), int(high[1] - low[1])))
    pen = ImageDraw.Draw(shade)
    outline = [(float(x), float(y)) for x, y in points - low]
    if item.text is not None:
        _write(pen, item, outline[0], scale)
    elif len(outline) == 1:
        x, y = outline[0]
        pen.ellipse((x - _DOT, y - _DOT, x + _DOT, y + _DOT), fill=color)
    elif item.shape == "polyline":
        for start, end in pairwise(outline):  # a line is a polygon of two corners
            pen.line(_clipped([start, end], shade.size), fill=color)
    else:
        inner = _clipped(outline, shade.size)
        if len(inner) > 1:
            pen.polygon(inner, fill=(*color[:3], 50), outline=color)
    return shade, (int(low[0]), int(low[1]))


def _clipped(corners: list[Point], size: tuple[int, int]) -> list[Point]:
    """What a polygon has in common with an image and a little around it.

    Pillow goes through every row of a polygon, however far beyond the image; here it is cut by one
    side of the image after the other (Sutherland and Hodgman, 1974).
    """
    for axis in (0, 1):
        for limit, sign in ((-_DOT, 1), (size[axis] + _DOT, -1)):
            kept: list[Point] = []
            for here, there in zip(corners, corners[1:] + corners[:1], strict=True):
                inside, beyond = (sign * (point[axis] - limit) for point in (here, there))
                if inside >= 0:
                    kept.append(here)
                if inside * beyond < 0:
                    share = inside / (inside - beyond)
                    x, y = (a + share * (b - a) for a, b in zip(here, there, strict=True))
                    kept.append((x, y))
            corners = kept
    return corners


def _write(
    pen: ImageDraw.ImageDraw, item: MapObject, corner: tuple[float, float], scale: float
) -> None:
    """Write the words of a text object, in the font that Pillow brings along."""
    text = item.text
    assert text is not None
    points = min(max(text.pixel_size * scale * 0.75, 1), _LARGEST_FONT)
    font = ImageFont.load_default(points)
    words = text.words[:_LONGEST_TEXT]
    if text.wrap:
        words = "\n".join(_wrapped(line, item.width * scale, font) for line in words.split("\n"))
    longest = int(_LARGEST_LINE / points**2)
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


def _wrapped(line: str, width: float, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> str:
    """A line broken between words so that it is no wider than a text object."""
    lines = [""]
    for word in line.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)

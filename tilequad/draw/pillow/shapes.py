"""Draw the shapes of object layers: an outline with a light fill."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from tilequad.draw.pillow.text import write_text
from tilequad.tiled import Color, MapObject

__all__ = ["DEFAULT_COLOR", "draw_object"]

Point = tuple[float, float]

DEFAULT_COLOR = (160, 160, 164, 255)  # Tiled's, for object layers without a colour
_FILL_ALPHA = 50
_DOT_RADIUS = 4  # pixels, of the dot that shows a point


def draw_object(
    item: MapObject,
    points: NDArray[np.float64],
    size: tuple[int, int],
    scale: float,
    color: Color,
) -> tuple[Image.Image, tuple[int, int]] | None:
    """Draw a shape or a text object.

    Args:
        item: The object; not a tile object.
        points: Its outline in pixels of the canvas, y down.
        size: Width and height of the canvas; nothing is drawn beyond.
        scale: Pixels of the canvas for each world unit, for the size of text.
        color: Of the outline; the fill is the same colour, mostly transparent.

    Returns:
        An RGBA image and its upper left corner on the canvas; None if nothing is visible.
    """
    low = np.clip(np.floor(points.min(axis=0)) - _DOT_RADIUS, 0, size).astype(int)
    high = np.clip(np.ceil(points.max(axis=0)) + _DOT_RADIUS + 1, 0, size).astype(int)
    if (high <= low).any():
        return None
    image = Image.new("RGBA", (int(high[0] - low[0]), int(high[1] - low[1])))
    pen = ImageDraw.Draw(image)
    outline = [(float(x), float(y)) for x, y in points - low]
    if item.text is not None:
        write_text(pen, item, outline[0], scale)
    elif len(outline) == 1:
        x, y = outline[0]
        dot = x - _DOT_RADIUS, y - _DOT_RADIUS, x + _DOT_RADIUS, y + _DOT_RADIUS
        pen.ellipse(dot, fill=color)
    elif item.shape == "polyline":
        for start, end in pairwise(outline):  # clipped as a polygon of two corners
            pen.line(_clip([start, end], image.size), fill=color)
    else:
        visible = _clip(outline, image.size)
        if len(visible) > 1:
            pen.polygon(visible, fill=(*color[:3], _FILL_ALPHA), outline=color)
    return image, (int(low[0]), int(low[1]))


def _clip(corners: list[Point], size: tuple[int, int]) -> list[Point]:
    """Clip a polygon to an image and a small margin (Sutherland and Hodgman, 1974).

    Pillow visits every row of a polygon, however far beyond the image it reaches.
    """
    for axis in (0, 1):
        for limit, sign in ((-_DOT_RADIUS, 1), (size[axis] + _DOT_RADIUS, -1)):
            kept: list[Point] = []
            for start, end in zip(corners, corners[1:] + corners[:1], strict=True):
                inside, beyond = (sign * (point[axis] - limit) for point in (start, end))
                if inside >= 0:
                    kept.append(start)
                if inside * beyond < 0:
                    share = inside / (inside - beyond)
                    x, y = (a + share * (b - a) for a, b in zip(start, end, strict=True))
                    kept.append((x, y))
            corners = kept
    return corners

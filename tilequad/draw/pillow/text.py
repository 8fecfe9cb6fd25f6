"""Write text objects: each in its box, turned with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from tilequad.draw.pillow.fonts import find_font
from tilequad.draw.pillow.text_layout import EM, lay_out
from tilequad.draw.transforms import rotation
from tilequad.tiled import MapObject
from tilequad.tiled.model.map_object import Text

__all__ = ["text_image"]

_MAX_LETTERS = 4000  # letters beyond this many are not drawn
_MAX_FONT_SIZE = 1000  # pixels; Pillow's memory grows with its square

# Parts of the font size
_STRIKE = 1 / 24  # the extra width of bold letters, as in FreeType
_STRIKEOUT = 0.3  # how far above the baseline a line through words lies
_REACH = 32  # how far the letters that are written at once reach, at most


class _Box(NamedTuple):
    """The visible part of a text's box, in pixels from the box's corner."""

    left: int
    top: int
    width: int
    height: int


def text_image(
    item: MapObject, corner: NDArray[np.float64], scale: float, size: tuple[int, int]
) -> tuple[Image.Image, tuple[int, int]] | None:
    """Write the words of a text object, cut off at its box, as in Tiled, and at the picture.

    Return an RGBA image and its upper left corner in the picture, where its own `corner` is also
    given in pixels; None if nothing is visible.
    """
    assert item.text is not None
    turn = rotation(item.rotation)
    box = _visible(item, corner, scale, size, turn)
    if box.width <= 0 or box.height <= 0:
        return None
    image = Image.new("RGBA", (box.width, box.height), (*item.text.color[:3], 0))
    pen, room = ImageDraw.Draw(image), (item.width, item.height)
    if item.rotation % 360 == 0:
        left, top = np.floor(corner + 0.5).astype(int).tolist()
        shift = float(corner[0]) - left, float(corner[1]) - top
        _write(pen, item.text, room, box, scale, shift)
        return image, (left + box.left, top + box.top)
    _write(pen, item.text, room, box, scale, (0.0, 0.0))
    center = corner + turn @ (box.left + box.width / 2, box.top + box.height / 2)
    image = image.rotate(-item.rotation, Image.Resampling.BICUBIC, expand=True)
    left, top = np.floor(center - np.array(image.size) / 2 + 0.5).astype(int).tolist()
    return image, (left, top)


def _visible(
    item: MapObject,
    corner: NDArray[np.float64],
    scale: float,
    size: tuple[int, int],
    turn: NDArray[np.float64],
) -> _Box:
    """Return the part of a text's box that is on the picture, or slightly more."""
    width, height = size
    picture = np.array([(0, 0), (width, 0), (width, height), (0, height)]) - corner
    seen = picture @ turn  # turn back by the same angle
    low = np.floor(np.maximum(seen.min(axis=0), 0))
    high = np.ceil(np.minimum(seen.max(axis=0), (item.width * scale, item.height * scale)))
    return _Box(*low.astype(int).tolist(), *np.maximum(high - low, 0).astype(int).tolist())


def _write(
    pen: ImageDraw.ImageDraw,
    text: Text,
    size: tuple[float, float],
    box: _Box,
    scale: float,
    shift: tuple[float, float],
) -> None:
    """Write words into a box; the image shows a part of it."""
    pixels = min(max(text.pixel_size, 1 / scale), _MAX_FONT_SIZE / scale)
    measured = find_font(text.font, EM, text.bold, text.italic).font
    drawn = pixels * scale
    font, lacks_bold = find_font(text.font, drawn, text.bold, text.italic)
    # Where the family has no bold face, letters are struck twice.
    strikes = (0.0, drawn * _STRIKE) if lacks_bold else (0.0,)
    left, top = shift[0] - box.left, shift[1] - box.top
    for line in lay_out(text, text.words[:_MAX_LETTERS], size, measured, pixels):
        y = line.baseline * scale + top
        if not -2 * drawn < y < box.height + 2 * drawn:
            continue
        for run in line.runs:
            x = run.left * scale + left
            if -_REACH * drawn < x < box.width + drawn:
                for strike in strikes:
                    place = x + strike, y
                    pen.text(place, run.letters, fill=text.color, font=font, anchor="ls")
        ends = line.left * scale + left, (line.left + line.length) * scale + left
        thick = max(round(drawn / 16), 1)
        if text.underline:
            _rule(pen, text, ends, y + thick, thick)
        if text.strikeout:
            _rule(pen, text, ends, y - drawn * _STRIKEOUT, thick)


def _rule(
    pen: ImageDraw.ImageDraw, text: Text, ends: tuple[float, float], y: float, thick: int
) -> None:
    """Draw a line under or through words."""
    top = round(y)
    pen.rectangle((round(ends[0]), top, round(ends[1]), top + thick - 1), fill=text.color)

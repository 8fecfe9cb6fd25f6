"""Write text objects: each in its box, turned with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from tilequad.draw.pillow.fonts import Font, find_font
from tilequad.draw.transforms import rotation
from tilequad.tiled import MapObject
from tilequad.tiled.model.object_layer import Text

__all__ = ["text_image"]

_MAX_LETTERS = 4000  # letters beyond this many are not drawn
_MAX_FONT_SIZE = 500  # pixels; Pillow's memory grows with its square
# Pillow makes a picture of a whole line, even where little of it shows. So a line is cut at this
# many pixels: 4000 letters of 64 pixels, or 67 of the largest font.
_MAX_LINE_PIXELS = 1 << 24
_STRIKE = 1 / 24  # the extra width of bold letters, as a part of the font size, as in FreeType
# The share of the spare room that lies before the words
_SHARES = {"center": 0.5, "right": 1.0, "bottom": 1.0}


class _Box(NamedTuple):
    """The visible part of a text's box, in pixels from the box's corner."""

    left: int
    top: int
    width: int
    height: int


def text_image(
    item: MapObject, corner: NDArray[np.float64], scale: float, size: tuple[int, int]
) -> tuple[Image.Image, tuple[int, int]] | None:
    """Write the words of a text object, cut off at its box, as in Tiled.

    Args:
        item: The text object.
        corner: Its position in pixels of the picture, (x, y).
        scale: Pixels of the picture for each world unit.
        size: Width and height of the picture; nothing is written beyond.

    Returns:
        An RGBA image and its upper left corner in the picture; None if nothing is visible.
    """
    assert item.text is not None
    turn = rotation(item.rotation)
    box = _visible(item, corner, scale, size, turn)
    if box.width <= 0 or box.height <= 0:
        return None
    image = Image.new("RGBA", (box.width, box.height), (*item.text.color[:3], 0))
    _write(ImageDraw.Draw(image), item.text, (item.width * scale, item.height * scale), box, scale)
    if item.rotation % 360 == 0:
        left, top = np.floor(corner + 0.5).astype(int).tolist()
        return image, (left + box.left, top + box.top)
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
    pen: ImageDraw.ImageDraw, text: Text, size: tuple[float, float], box: _Box, scale: float
) -> None:
    """Write words into a box; the image shows a part of it."""
    pixels = min(max(text.pixel_size * scale, 1), _MAX_FONT_SIZE)
    hand = _Hand(pen, text, pixels)
    lines = text.words[:_MAX_LETTERS].split("\n")
    if text.wrap:
        lines = [part for line in lines for part in _wrap(line, size[0], hand)]
    longest = int(_MAX_LINE_PIXELS / pixels**2)
    ascent, descent = _metrics(hand.font, pixels)
    y = (size[1] - len(lines) * (ascent + descent)) * _SHARES.get(text.vertical, 0.0) - box.top
    for line in lines:
        if -ascent - descent < y < box.height:
            words = line[:longest]
            length = hand.length(words)
            x = (size[0] - length) * _SHARES.get(text.horizontal, 0.0) - box.left
            hand.write(x, y, words)
            thick = max(round(pixels / 16), 1)
            if text.underline:
                _rule(pen, text, x, y + ascent + thick, length, thick)
            if text.strikeout:
                _rule(pen, text, x, y + ascent * 2 / 3, length, thick)
        y += ascent + descent


class _Hand:
    """Writes lines of a text in its font, with or without kerning; makes up a missing bold."""

    def __init__(self, pen: ImageDraw.ImageDraw, text: Text, pixels: float) -> None:
        found = find_font(text.font, pixels, text.bold, text.italic)
        self.font = found.font
        self._pen = pen
        self._text = text
        # Where the family has no bold face, letters are struck twice.
        self._strikes = (0.0, pixels * _STRIKE) if found.lacks_bold else (0.0,)

    def length(self, words: str) -> float:
        """Return the length of words in pixels."""
        return sum(map(self.font.getlength, self._runs(words)))

    def write(self, x: float, y: float, words: str) -> None:
        """Write words from a place to the right."""
        for run in self._runs(words):
            for shift in self._strikes:
                self._pen.text((x + shift, y), run, fill=self._text.color, font=self.font)
            x += self.font.getlength(run)

    def _runs(self, words: str) -> list[str]:
        """Split words into parts to write at once; kerning works within a part."""
        return [words] if self._text.kerning else list(words)


def _rule(
    pen: ImageDraw.ImageDraw, text: Text, x: float, y: float, length: float, thick: int
) -> None:
    """Draw a line under or through words."""
    left, top = round(x), round(y)
    pen.rectangle((left, top, round(x + length), top + thick - 1), fill=text.color)


def _metrics(font: Font, pixels: float) -> tuple[float, float]:
    """Return how far a font reaches above and below its baseline."""
    if isinstance(font, ImageFont.FreeTypeFont):
        return font.getmetrics()
    return pixels * 0.8, pixels * 0.2  # Pillow's bitmap font, used without FreeType


def _wrap(line: str, width: float, hand: _Hand) -> list[str]:
    """Break a line between words so that no part is wider than `width`."""
    lines = [""]
    for word in line.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and hand.length(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines

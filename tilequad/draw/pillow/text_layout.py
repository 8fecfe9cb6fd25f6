"""Break the words of a text object into lines, and place them in its box, as Tiled's toolkit does.

Lengths are in pixels of the map. The toolkit lays a text out at this scale and then magnifies it,
so that it has the same lines at every scale.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from math import ceil, floor
from typing import NamedTuple

from tilequad.draw.pillow.fonts import Font
from tilequad.tiled.model.map_object import Text

__all__ = ["EM", "Line", "Run", "lay_out"]

EM = 2048  # the size of the font to measure with: at it, hinting changes lengths little
_PIECE = 16  # letters to write at once, at most: enough for most words

# The share of the spare room that lies before the words
_SHARES = {"center": 0.5, "right": 1.0, "bottom": 1.0}

# A line may end after spaces, after some marks before a letter, and beside a CJK character unless
# a closing mark follows: what Unicode's line breaking (UAX #14) says of common text.
_CJK = "\u2e80-\u2fff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CLOSING = "\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u30fc\uff01\uff09\uff0c\uff1f"
_BREAK = re.compile(
    r"(?<= )(?=[^ ])|(?<=[-/!?}|\u2013])(?=[^\W\d_]|[(\[{])|(?<=\u2014)(?=\S)"
    rf"|(?<=[{_CJK}{_CLOSING}])(?=[^\s{_CLOSING}])|(?<=[^\s(\[{{])(?=[{_CJK}])(?![{_CLOSING}])"
)


class Run(NamedTuple):
    """Letters to write at once."""

    left: float
    letters: str


class Line(NamedTuple):
    """One line of words."""

    left: float
    length: float  #: without the spaces at its end
    baseline: float
    runs: list[Run]


class Measure:
    """Measures words in a font of some size, without rounding to pixels.

    Attributes:
        ascent: How far lines reach above their baseline, in whole pixels, as FreeType rounds it.
        descent: How far they reach below it, in whole pixels.
        leading: What is between lines, in whole pixels; often negative, because the other two
            are rounded up.
    """

    def __init__(self, font: Font, pixels: float, kerning: bool) -> None:
        self._font = font
        self._kerning = kerning
        self._scale = pixels / EM
        above, below = (round(part * self._scale * 64) / 64 for part in font.getmetrics())
        self.ascent, self.descent = ceil(above), ceil(below)
        height = floor(font.font.height * self._scale + 0.5)
        self.leading = height - self.ascent - self.descent

    def length(self, words: str) -> float:
        """Return the length of words in pixels."""
        return sum(map(self._font.getlength, self.pieces(words))) * self._scale

    def pieces(self, words: str) -> Iterator[str]:
        """Split words into parts to write at once; kerning works within a part."""
        step = _PIECE if self._kerning else 1
        return (words[start : start + step] for start in range(0, len(words), step))

    def fitting(self, words: str, width: float) -> int:
        """Return how many letters fit into a width, at least one."""
        few = 1
        while 2 * few <= len(words) and self.length(words[: 2 * few]) <= width:
            few *= 2
        counts = range(few + 1, min(2 * few, len(words)) + 1)
        return few + bisect_right(counts, width, key=lambda count: self.length(words[:count]))


def lay_out(
    text: Text, words: str, size: tuple[float, float], font: Font, pixels: float
) -> list[Line]:
    """Break words into lines and place them, in pixels from the corner of their box.

    Lines are made until they fill the height of the box; the rest of the words is left out. The
    font has the size `EM`; `pixels` is the size to write with.
    """
    measure = Measure(font, pixels, text.kerning)
    lines: list[tuple[int, str, bool]] = []  # the top, the words, whether a break made it
    height = -measure.leading
    for line, is_broken in _lines(re.sub(r"[\t\r]", " ", words), text, size[0], measure):
        top = height + measure.leading
        lines.append((top, line, is_broken))
        height = top + measure.ascent + measure.descent
        if height >= size[1]:
            break
    y = (size[1] - height) * _SHARES.get(text.vertical, 0.0) + measure.ascent
    justify = text.horizontal == "justify"
    placed = []
    for top, line, is_broken in lines:
        length = measure.length(line)
        if justify and is_broken:
            runs = _spread(line, size[0] - length, measure)
            placed.append(Line(0.0, max(length, size[0]), y + top, runs))
        else:
            left = (size[0] - length) * _SHARES.get(text.horizontal, 0.0)
            placed.append(Line(left, length, y + top, _runs(line, left, measure)))
    return placed


def _lines(words: str, text: Text, width: float, measure: Measure) -> Iterator[tuple[str, bool]]:
    """The lines of words without spaces at their ends, and whether each one was broken off."""
    for paragraph in words.split("\n"):
        line, length = "", 0.0
        for part in _BREAK.split(paragraph) if text.wrap else [paragraph]:
            word = part.rstrip(" ")
            if text.wrap and length + measure.length(word) > width:
                if line:
                    yield line.rstrip(" "), True
                    line, length = "", 0.0
                while (count := measure.fitting(word, width)) < len(word):
                    yield word[:count], True
                    word, part = word[count:], part[count:]
            line, length = line + part, length + measure.length(part)
        yield line.rstrip(" "), False


def _runs(words: str, left: float, measure: Measure) -> list[Run]:
    """Place words one after the other."""
    runs = []
    for word in re.findall(r" *[^ ]+", words):
        for piece in measure.pieces(word):
            runs.append(Run(left, piece))
            left += measure.length(piece)
    return runs


def _spread(line: str, spare: float, measure: Measure) -> list[Run]:
    """Spread a line over more room: its words, or the letters of its only word."""
    spaces = line.count(" ")
    gaps = spaces or len(line) - 1
    if spare <= 0 or not gaps:
        return _runs(line, 0.0, measure)
    runs, left, gap = [], 0.0, spare / gaps
    for part in re.findall(r" |[^ ]+", line) if spaces else line:
        runs += _runs(part, left, measure)
        left += measure.length(part) + (gap if part == " " or not spaces else 0)
    return runs

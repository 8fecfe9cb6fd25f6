"""Find the fonts that text objects name among the installed ones."""

from __future__ import annotations

import subprocess
from functools import cache
from typing import NamedTuple

from PIL import ImageFont

__all__ = ["Font", "FoundFont", "find_font"]

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

# fontconfig's numbers
_BOLD = 180  # the least weight that counts as bold, "semibold"
_NORMAL_WIDTH = 100

_GENERIC = ("sans-serif", "serif", "monospace")  # generic families
_SECONDS = 10  # the longest wait for fontconfig
_ENTRY = "%{family}\t%{weight}\t%{slant}\t%{width}\t%{index}\t%{file}\n"


class FoundFont(NamedTuple):
    """The font that is nearest to the one asked for."""

    font: Font
    lacks_bold: bool  #: whether a bold face was asked for but not found


class _Face(NamedTuple):
    """One installed font; fonts that sort first are preferred."""

    oddness: int  #: the difference of its width from normal
    path: str
    number: int  #: the index of the face in its file


def find_font(family: str, size: float, bold: bool = False, italic: bool = False) -> FoundFont:
    """Return an installed font.

    Fontconfig lists the fonts; it is part of every Linux desktop. A missing family is replaced by
    the system's sans-serif font, or without fontconfig by the font that Pillow ships.

    Args:
        family: The name of the family, or "sans-serif", "serif" or "monospace".
        size: Pixels.
        bold: Whether to prefer a bold face.
        italic: Whether to prefer an italic face.
    """
    name = family.casefold()
    if name in _GENERIC or name not in _faces():
        name = _generic(name if name in _GENERIC else _GENERIC[0])
    styles = _faces().get(name, {})
    for style in ((bold, italic), (bold, False), (False, italic), (False, False)):
        if style in styles:
            try:
                font = ImageFont.truetype(styles[style].path, size, styles[style].number)
            except OSError:  # such as a bitmap font, which FreeType does not scale
                continue
            return FoundFont(font, bold and not style[0])
    return FoundFont(ImageFont.load_default(size), bold)


@cache
def _faces() -> dict[str, dict[tuple[bool, bool], _Face]]:
    """The best face of each family, casefolded, by (bold, italic)."""
    faces: dict[str, dict[tuple[bool, bool], _Face]] = {}
    for line in _ask("fc-list", f"--format={_ENTRY}").splitlines():
        try:
            families, *numbers, path = line.split("\t")
            weight, slant, width, index = (int(float(number)) for number in numbers)
        except ValueError:  # a variable font has ranges instead of numbers
            continue
        face = _Face(abs(width - _NORMAL_WIDTH), path, index & 0xFFFF)
        style = weight >= _BOLD, slant > 0
        for family in families.casefold().split(","):
            known = faces.setdefault(family, {})
            known[style] = min(face, known.get(style, face))
    return faces


@cache
def _generic(name: str) -> str:
    """The installed family that stands for a generic one, casefolded."""
    return _ask("fc-match", "--format=%{family}", name).casefold().split(",")[0]


def _ask(*command: str) -> str:
    """Return what a program of fontconfig prints, or "" where fontconfig is missing."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return ""

"""Find the fonts that text objects name among the installed ones."""

from __future__ import annotations

import re
import subprocess
from functools import lru_cache
from typing import NamedTuple

from PIL import ImageFont

__all__ = ["Font", "FoundFont", "find_font"]

Font = ImageFont.FreeTypeFont

# fontconfig's numbers
_REGULAR, _SEMIBOLD, _BOLD = 80, 180, 200  # weights; semibold is the least that counts as bold
_ROMAN, _ITALIC = 0, 100  # slants

_SECONDS = 10  # the longest wait for fontconfig
_ANSWER = "%{weight}\t%{index}\t%{file}"


class FoundFont(NamedTuple):
    """The font that is nearest to the one asked for."""

    font: Font
    lacks_bold: bool  #: whether a bold face was asked for but not found


class _Face(NamedTuple):
    """An installed face."""

    path: str
    number: int  #: its index in the file
    is_bold: bool


def find_font(family: str, size: float, bold: bool = False, italic: bool = False) -> FoundFont:
    """Return an installed font of a size in pixels.

    Fontconfig chooses it; it is part of every Linux desktop. It knows which font stands for a
    family that is not installed, and "sans-serif", "serif" or "monospace". Without fontconfig it is
    the font that Pillow ships.

    The first call for a family and style takes about 15 ms, because it runs `fc-match`.
    """
    face = _face(family, bold, italic)
    if face is not None:
        try:
            font = ImageFont.truetype(face.path, size, face.number)
            return FoundFont(font, bold and not face.is_bold)
        except OSError:  # such as a bitmap font, which FreeType does not scale
            pass
    default = ImageFont.load_default(size)
    assert isinstance(default, Font)  # it is a bitmap font only where no size is asked for
    return FoundFont(default, bold)


@lru_cache(1024)
def _face(family: str, bold: bool, italic: bool) -> _Face | None:
    """The face that fontconfig chooses, or None without fontconfig."""
    name = re.sub(r"([\\\-:,])", r"\\\1", family.replace("\0", ""))
    weight, slant = _BOLD if bold else _REGULAR, _ITALIC if italic else _ROMAN
    try:
        found, index, path = _ask(f"{name}:weight={weight}:slant={slant}").split("\t")
        return _Face(path, int(index) & 0xFFFF, float(found) >= _SEMIBOLD)
    except ValueError:  # no answer, or a variable font, which has a range of weights
        return None


def _ask(pattern: str) -> str:
    """Return what fontconfig says of the font for a pattern, or "" where it is missing."""
    command = ("fc-match", f"--format={_ANSWER}", pattern)
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return ""

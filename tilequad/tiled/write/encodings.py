"""Turns cells into the text of a <data> or <chunk>, in every encoding that Tiled has."""

from __future__ import annotations

import binascii
import re
import sys
import zlib

import numpy as np
from numpy.typing import NDArray

from tilequad._optional import needs

from ..cells import Raw

__all__ = ["encoded", "packed", "with_numbers"]


_HEADERS = {"zlib": 15, "gzip": 31}  # what zlib calls its window bits
_ZSTD_LEVEL = 3  # of zstd itself
_MOST_ZSTD = 19
_COMMA = ord(",")
_NUMBER = re.compile(rb"[^\s,]+")
_FEW = 1 << 12  # words to replace one by one


def encoded(cells: Raw, encoding: str, compression: str, level: int) -> bytes:
    """Return the text of cells, with the line ends and spaces that Tiled puts around it.

    Args:
        cells: (rows, columns), flip bits and gid in one number.
        encoding: "csv", "base64", or "" for an element for each cell.
        compression: "zlib", "gzip", "zstd", or "" for none; for base64 only.
        level: How hard to compress; below 0 for the usual level.
    """
    if encoding == "csv":
        rows = (",".join(map(str, row.tolist())).encode() for row in cells)
        return b"\n%b\n" % b",\n".join(rows)
    if encoding == "":
        return b"\n%b  " % b"".join(
            b'   <tile gid="%d"/>\n' % raw for raw in cells.ravel().tolist()
        )
    return b"\n   %b\n  " % packed(cells, compression, level)


def packed(cells: Raw, compression: str, level: int) -> bytes:
    """Return the base64 of cells, compressed; the arguments and errors are those of `encoded`."""
    data = _compressed(np.ascontiguousarray(cells, "<u4").data.cast("B"), compression, level)
    return binascii.b2a_base64(data, newline=False)


def _compressed(data: memoryview, compression: str, level: int) -> bytes | memoryview:
    if compression in _HEADERS:
        packer = zlib.compressobj(min(max(level, -1), 9), zlib.DEFLATED, _HEADERS[compression])
        return packer.compress(data) + packer.flush()
    if compression != "zstd":
        return data
    level = min(level, _MOST_ZSTD) if level > 0 else _ZSTD_LEVEL
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.compress(data, level)
    with needs("zstandard", "a layer compressed with zstd"):
        import zstandard
    return zstandard.ZstdCompressor(level).compress(data)


def with_numbers(text: bytes, count: int, places: NDArray[np.int64], numbers: Raw) -> bytes | None:
    """Return a list of numbers with those at some places, ascending, changed.

    Its commas tell where a number is, so nothing is parsed; the text was read before. It has white
    space around numbers, and perhaps a last comma. An empty word is a zero. None if the text has
    not as many commas as `count` numbers must have.
    """
    if len(places) > _FEW:
        return _with_many(text, count, places, numbers)
    commas = np.flatnonzero(np.frombuffer(text, np.uint8) == _COMMA)
    if len(commas) not in (count - 1, count) or (
        len(commas) == count and text[int(commas[-1]) + 1 :].strip()
    ):
        return None
    starts = np.where(places > 0, commas[places - 1] + 1, 0) if len(commas) else places
    ends = np.append(commas, len(text))[places]
    parts: list[bytes | memoryview] = []
    view, at = memoryview(text), 0
    for start, end, number in zip(starts.tolist(), ends.tolist(), numbers.tolist(), strict=True):
        parts += [view[at:start], _changed(text[start:end], number)]
        at = end
    return b"".join([*parts, view[at:]])


def _with_many(text: bytes, count: int, places: NDArray[np.int64], numbers: Raw) -> bytes | None:
    """Do as `with_numbers` does, faster for very many."""
    words = text.split(b",")
    if len(words) - (not words[-1].strip()) != count:
        return None
    for place, number in zip(places.tolist(), numbers.tolist(), strict=True):
        word = words[place]
        words[place] = b"%d" % number if word.isdigit() else _changed(word, number)
    return b",".join(words)


def _changed(word: bytes, number: int) -> bytes:
    """Return a word with another number; white space stays, an empty word is zero."""
    digits = b"%d" % number
    return _NUMBER.sub(digits, word, count=1) if word.strip() else word + digits

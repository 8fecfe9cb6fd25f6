"""Turns cells into the text of a <data> or <chunk>, in every encoding that Tiled has."""

from __future__ import annotations

import binascii
import sys
import zlib

import numpy as np
from numpy.typing import NDArray

from tilequad._optional import needs

__all__ = ["encoded", "packed"]

Raw = NDArray[np.uint32]

_HEADERS = {"zlib": 15, "gzip": 31}  # what zlib calls its window bits
_ZSTD_LEVEL = 3  # of zstd itself
_MOST_ZSTD = 19


def encoded(cells: Raw, encoding: str, compression: str, level: int) -> bytes:
    """Return the text of cells, with the line ends and spaces that Tiled puts around it.

    Args:
        cells: (rows, columns), flip bits and gid in one number.
        encoding: "csv", "base64", or "" for an element for each cell.
        compression: "zlib", "gzip", "zstd", or "" for none; for base64 only.
        level: How hard to compress; below 0 for the usual level.

    Raises:
        ModuleNotFoundError: The compression is zstd, Python is older than 3.14, and zstandard is
            not installed.
    """
    if encoding == "csv":
        return b"\n%b\n" % b",\n".join(map(_csv_line, cells))
    if encoding == "":
        return b"\n%b  " % b"".join(
            b'   <tile gid="%d"/>\n' % raw for raw in cells.ravel().tolist()
        )
    return b"\n   %b\n  " % packed(cells, compression, level)


def packed(cells: Raw, compression: str, level: int) -> bytes:
    """Return the base64 of cells, compressed; the arguments and errors are those of `encoded`."""
    data = _compressed(np.ascontiguousarray(cells, "<u4").data.cast("B"), compression, level)
    return binascii.b2a_base64(data, newline=False)


def _csv_line(row: Raw) -> bytes:
    """Return the numbers of a row, with commas between them."""
    return ",".join(map(str, row.tolist())).encode()


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
    packed: bytes = zstandard.ZstdCompressor(level).compress(data)
    return packed

"""Step 4a: turns the <data> of a tile layer, in any encoding, into blocks of cells."""

from __future__ import annotations

import binascii
import sys
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from tilequad._optional import needs

from ..cells import FARTHEST, CellBlock
from ..context import LoadContext
from .attributes import integer

__all__ = [
    "count_cells",
    "csv_numbers",
    "is_empty",
    "numbers_checked",
    "read_block",
    "read_cells",
]

# zstd allocates its window before the first byte; maps that Tiled writes need 8 MiB.
_ZSTD_WINDOW = 1 << 23

_ANY_HEADER = 47  # tells zlib to accept its own header and the header of gzip


def read_cells(layer: Element, context: LoadContext) -> list[CellBlock]:
    """Read a layer's <data>: one block, or the chunks of an infinite map in file order.

    See https://doc.mapeditor.org/en/stable/reference/tmx-map-format/#data. A layer without data is
    empty, as in Tiled. Before Python 3.14, data compressed with zstd needs zstandard.
    """
    data = layer.find("data")
    width = integer(layer, "width", 0, context)
    height = integer(layer, "height", 0, context)
    chunks = [] if data is None else data.findall("chunk")
    if data is None or (not chunks and is_empty(data)):
        return []
    with numbers_checked():
        if chunks:
            return [block for chunk in chunks for block in _chunk(chunk, data, context)]
        return _blocks(read_block(data, data, width, height, context), 0, 0, width)


def _chunk(chunk: Element, data: Element, context: LoadContext) -> list[CellBlock]:
    if is_empty(chunk):
        return []
    left, top, width, height = (
        integer(chunk, name, 0, context) for name in ("x", "y", "width", "height")
    )
    if max(abs(left) + abs(width), abs(top) + abs(height)) >= FARTHEST:
        raise context.error(f"a chunk at ({left}, {top}) is out of all bounds")
    return _blocks(read_block(chunk, data, width, height, context), left, top, width)


def count_cells(layer: Element, context: LoadContext) -> None:
    """Count the cells of a layer, as reading it does."""
    for data in layer.findall("data"):
        for block in data.findall("chunk") or [data]:
            sized = layer if block is data else block
            sizes = (integer(sized, name, 0, context) for name in ("width", "height"))
            if not is_empty(block):
                context.take_cells(*sizes)


def is_empty(block: Element) -> bool:
    """Return whether a <data> or <chunk> holds no cell."""
    return not (block.text or "").strip() and block.find("tile") is None


def read_block(
    block: Element, data: Element, width: int, height: int, context: LoadContext
) -> NDArray[np.uint32]:
    """Return the raw cells of one block; decompress no more than its declared size."""
    if width < 0 or height < 0:
        raise context.error(f"a size of {width} x {height} cells")
    count = width * height
    context.take_cells(width, height)
    encoding = data.get("encoding", "")
    if encoding == "csv":
        raw = _from_csv(block.text or "", count, context)
    elif encoding == "base64":
        raw = _from_base64(block.text or "", data.get("compression", ""), count, context)
    elif encoding == "":
        tiles = block.findall("tile")
        gids = [integer(tile, "gid", 0, context) for tile in tiles[: count + 1]]
        if 0 < len(gids) < count:  # Tiled leaves the rest empty
            gids += [0] * (-len(gids) % width)
            return np.array(gids, np.int64).astype(np.uint32)
        raw = np.array(gids, np.int64)
    else:
        raise context.error(f"unknown encoding {encoding!r}")
    if len(raw) != count:
        raise context.error(f"{width} x {height} cells are declared, the data holds {len(raw)}")
    return raw.astype(np.uint32, copy=False)


def _from_csv(text: str, count: int, context: LoadContext) -> NDArray[np.uint32]:
    if text.count(",") > count:  # checked before numpy allocates memory
        raise context.error(f"more numbers than the {count} cells declared")
    try:
        return csv_numbers(text)
    except (ValueError, DeprecationWarning):
        pass
    try:  # two commas in a row stand for an empty cell
        return csv_numbers("".join(text.split()).replace(",,", ",0,").replace(",,", ",0,"))
    except (ValueError, DeprecationWarning):
        raise context.error("the csv data is not a list of numbers") from None


@contextmanager
def numbers_checked() -> Iterator[None]:
    """Make `csv_numbers` raise for text that is not a number, of which older numpy only warns.

    Around all chunks of a layer, because it takes longer than to read a small one.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def csv_numbers(text: str) -> NDArray[np.uint32]:
    """Return the numbers of a text, with commas between them."""
    # numpy skips white space around a separator that is written with spaces
    return np.fromstring(text, dtype=np.uint32, sep=" , ")


def _from_base64(
    text: str, compression: str, count: int, context: LoadContext
) -> NDArray[np.uint32]:
    size = count * 4
    try:
        data = _decode(text)
    except ValueError as problem:
        raise context.error(f"the data is damaged: {problem}") from None
    if compression in ("gzip", "zlib"):
        data = _unzip(data, size + 1, context)  # one byte more reveals too much data
    elif compression == "zstd":
        data = _unzstd(data, size + 1, context)
    elif compression:
        raise context.error(f"unknown compression {compression!r}")
    if len(data) > size:
        raise context.error(f"the data holds more than the {count} cells declared")
    if len(data) % 4:
        raise context.error("the data ends within a cell")
    return np.frombuffer(data, dtype="<u4")


def _decode(text: str) -> bytes:
    """Decode base64; some programs leave out its padding."""
    try:
        return binascii.a2b_base64(text)
    except binascii.Error:
        return binascii.a2b_base64(text + "==")


def _unzip(data: bytes, size: int, context: LoadContext) -> bytes:
    """Unpack at most `size` bytes of zlib or gzip data; Tiled accepts either under both names."""
    try:
        return zlib.decompressobj(_ANY_HEADER).decompress(data, size)
    except zlib.error as problem:
        raise context.error(f"the data is damaged: {problem}") from None


def _unzstd(data: bytes, size: int, context: LoadContext) -> bytes:
    """Unpack at most `size` bytes of zstd data in pieces: one read would allocate all of them."""
    if sys.version_info >= (3, 14):
        from compression import zstd

        window = {zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW.bit_length() - 1}
        frames = []
        try:
            while size > 0 and data:
                frame = zstd.ZstdDecompressor(options=window)
                frames.append(frame.decompress(data, size))
                size -= len(frames[-1])
                data = frame.unused_data
        except zstd.ZstdError as problem:
            raise context.error(f"the data is damaged: {problem}") from None
        return b"".join(frames)

    with needs("zstandard", "a layer compressed with zstd"):
        import zstandard
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    stream = decompressor.stream_reader(data)
    parts = []
    try:
        while size > 0 and (part := stream.read(min(size, 1 << 20))):
            parts.append(part)
            size -= len(part)
    except zstandard.ZstdError as problem:
        raise context.error(f"the data is damaged: {problem}") from None
    return b"".join(parts)


def _blocks(raw: NDArray[np.uint32], left: int, top: int, width: int) -> list[CellBlock]:
    """Return cells, given row by row, as a block; no block if there are no cells."""
    if not len(raw):  # without cells, the width may be any number
        return []
    return [CellBlock(left, top, raw.reshape(-1, width))]

"""Named rows of numbers as bytes that any machine reads: how a tree is written and read back.

    tilequad    8 bytes
    version     uint16, VERSION
    kind        uint16, UNITS or BOXES: which tree it is
    checksum    uint32, the CRC-32 of all rows, see `checked`
    length      uint64, of all of it in bytes
    then each row:
    type        2 bytes: f8, f4 or i4
    form        1 byte: all numbers, or SAME: the first stands for all, or COUNTED: 0, 1, 2, ...
    spare       5 bytes
    count       uint64, how many numbers
    numbers     one or all of them, and bytes of 0 up to a multiple of 8

All numbers are little-endian. Names are not written: reader and writer agree on the order.

Reading takes a small multiple of the memory of the bytes, whatever they claim: rows that set the
size of others are written in full, and the others must be as long as those say.
"""

from __future__ import annotations

import struct
import sys
import zlib
from typing import Any

import numpy as np

VERSION = 1
UNITS, BOXES = 1, 2
TREES = {UNITS: "DynamicQuadtree", BOXES: "StaticQuadtree"}
ALL, SAME, COUNTED = range(3)
IN_FULL = frozenset(("links", "free_nodes", "slot_of", "free_slots", "ids", "exact"))

MAGIC = b"tilequad"
LONG = 65_536  # bytes of a row whose blocks are summed up first
BLOCK = 1024
HEAD = struct.Struct("<8sHHIQ")
ROW_HEAD = struct.Struct("<2sB5xQ")
NUMBERS = {kind: np.dtype(f"<{kind.decode()}") for kind in (b"i4", b"f4", b"f8")}
BITS: dict[int, np.dtype[Any]] = {4: np.dtype(np.int32), 8: np.dtype(np.int64)}


def write_rows(kind: int, rows: dict[str, np.ndarray]) -> bytes:
    """Write rows of float64, float32 and int32, each of them contiguous."""
    parts: list[Any] = [b""]
    for name, row in rows.items():
        form = ALL if name in IN_FULL else form_of(row)
        stored = row if form == ALL else row[:1]
        if sys.byteorder == "big":
            stored = stored.byteswap()
        parts.append(ROW_HEAD.pack(row.dtype.str[1:].encode(), form, len(row)))
        parts.append(stored.view(np.uint8).data)
        if stored.nbytes % 8:
            parts.append(bytes(-stored.nbytes % 8))
    checksum, length = 0, HEAD.size
    for part in parts:
        checksum = checked(part, checksum)
        length += len(part)
    parts[0] = HEAD.pack(MAGIC, VERSION, kind, checksum, length)
    return b"".join(parts)


def form_of(row: np.ndarray) -> int:
    """The shortest form of a row; numbers are the same if all their bits are."""
    if len(row) < 2:
        return ALL
    bits = row.view(BITS[row.itemsize])
    first, last = bits.item(0), bits.item(-1)
    if first == last:
        return SAME if (bits == first).all() else ALL
    if first == 0 and last == len(row) - 1 and row.dtype.kind == "i":
        return COUNTED if (bits == np.arange(len(row), dtype=bits.dtype)).all() else ALL
    return ALL


def checked(part: Any, checksum: int) -> int:
    """Go on with a checksum: the CRC-32 of the bytes, or of a long row that of its blocks' sums.

    A CRC-32 of all bytes would take half of the time of writing. Whatever happens to one number
    changes the sum of its block, and the CRC-32 tells which blocks there are, in which order.
    """
    blocks = len(part) // BLOCK
    if len(part) < LONG:
        return zlib.crc32(part, checksum)
    words = np.frombuffer(part, "<u8", blocks * BLOCK // 8).reshape(blocks, -1)
    sums = np.add.reduce(words, axis=1).astype("<u8", copy=False)
    checksum = zlib.crc32(sums.view(np.uint8).data, checksum)
    return zlib.crc32(part[blocks * BLOCK :], checksum)


class RowReader:
    """Reads what `write_rows` has written; a ValueError says what is wrong with it.

    Args:
        data: bytes, or anything with a buffer, which is copied: it could change.
        kind: The tree that it must be.
    """

    def __init__(self, data: Any, kind: int) -> None:
        self.data = data if type(data) is bytes else bytes(memoryview(data))
        self.at = HEAD.size
        size = len(self.data)
        if not self.data or not MAGIC.startswith(self.data[: len(MAGIC)]):
            raise ValueError(f"data holds no tree: it begins with {self.data[: len(MAGIC)]!r}")
        if size < HEAD.size:
            raise ValueError(f"data is cut short after {size} bytes")
        self.view = memoryview(self.data)
        self.checksum = 0  # of what has been read
        _, version, found, self.wanted, length = HEAD.unpack_from(self.data)
        if version != VERSION:
            raise ValueError(f"data has version {version}, and {VERSION} is what can be read")
        if size < length:
            raise ValueError(f"data is cut short after {size} of {length} bytes")
        if size > length:
            raise ValueError(f"data has {size} bytes, but the tree ends after {length}")
        if found != kind:
            held = TREES.get(found, f"a tree of kind {found}")
            raise ValueError(f"data holds a {held}, not a {TREES[kind]}")

    def take(self, name: str, kind: str, length: int | None = None) -> np.ndarray:
        """The next row, read-only; of that type and, unless it sets the size of others, length.

        Where one number stands for all, it is not repeated in memory.
        """
        start = self.at + ROW_HEAD.size
        need(start <= len(self.data), name)
        found, form, count = ROW_HEAD.unpack_from(self.data, self.at)
        need(found == kind.encode(), f"the type of {name}")
        need(count < 2**31 and (count == length or length is None), f"the length of {name}")
        need(form == ALL or (form <= COUNTED and name not in IN_FULL), f"the form of {name}")
        numbers = NUMBERS[found]
        end = start + numbers.itemsize * (count if form == ALL else 1)
        following = end + -end % 8
        need(following <= len(self.data), f"the length of {name}")
        for part in (self.view[self.at : start], self.view[start:end], self.view[end:following]):
            self.checksum = checked(part, self.checksum)
        self.at = following
        if form == COUNTED:
            return np.arange(count, dtype=kind)
        strides = (numbers.itemsize if form == ALL else 0,)
        row = np.ndarray((count,), numbers, self.data, start, strides)
        return row.astype(kind) if sys.byteorder == "big" else row

    def end(self) -> None:
        """Refuse bytes after the last row, and rows that are not what they were."""
        need(self.at == len(self.data), "the end")
        need(self.checksum == self.wanted, "its checksum is wrong")


def need(right: Any, name: str) -> None:
    """Refuse what is not right."""
    if not right:
        raise ValueError(f"data is damaged: {name}")

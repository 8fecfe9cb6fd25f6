"""Named rows of numbers as bytes that any machine reads: a tree, or the state of AI around one.

    tilequad    8 bytes
    version     uint16, VERSION
    kind        uint16, whose rows they are: see KINDS
    checksum    uint32, the CRC-32 of all rows, see `checked`
    length      uint64, the length of the whole in bytes
    then each row:
    type        2 bytes: f8, f4, i8 or i4
    form        1 byte: ALL numbers, or SAME: one number for all, or COUNTED: 0, 1, 2, ...
    spare       5 bytes
    count       uint64, how many numbers
    numbers     one or all of them, padded with zeros to a multiple of 8 bytes

All numbers are little-endian. Names are not written: reader and writer agree on the order.

Whatever the bytes claim, reading them takes at most a small multiple of their memory: the rows that
determine the size of others are written in full, and the others must have that size.

Never compiled, because numpy does the work.
"""

from __future__ import annotations

import struct
import sys
import zlib
from array import array
from typing import Any

import numpy as np

from tilequad._core.shown import shown

VERSION = 1
UNITS, BOXES, AIMS, CLAIMS, SEARCHES, SHOTS, ZONES, VIEWERS, STAGGER, BUDGET = range(1, 11)
INFLUENCES = 11
PROJECTILES = 12
MARCHES = 13
CELLS = 14
KINDS = {
    UNITS: "DynamicQuadtree",
    BOXES: "StaticQuadtree",
    AIMS: "Targeting",
    CLAIMS: "Claims",
    SEARCHES: "GoalSearch",
    SHOTS: "Damage",
    ZONES: "RangeEvents",
    VIEWERS: "Fog",
    STAGGER: "Stagger",
    BUDGET: "TickBudget",
    INFLUENCES: "InfluenceMap",
    PROJECTILES: "Projectiles",
    MARCHES: "March",
    CELLS: "Grid",
}
ALL, SAME, COUNTED = range(3)
IN_FULL = {"links", "free_nodes", "slot_of", "free_slots", "ids", "exact"}  # of trees
IN_FULL |= {"listed", "unused", "unsettled", "inside", "events", "parts"}

MAGIC = b"tilequad"
LONG = 65_536  # longer rows, in bytes, are summed by blocks first
SUMMED = 1024
HEAD = struct.Struct("<8sHHIQ")
ROW_HEAD = struct.Struct("<2sB5xQ")
NAMES = {"i": b"i4", "q": b"i8", "f": b"f4", "d": b"f8"}  # the types in Python and in the bytes
SIZES = {"i": 4, "q": 8, "f": 4, "d": 8}


def row_of(values: Any, count: int) -> memoryview:
    """Return the first numbers of an array, for `write_rows`."""
    return memoryview(values)[:count]


def row_from(kind: str, values: Any) -> memoryview:
    """Return numbers as an array of a type of NAMES, for `write_rows`."""
    same = np.ascontiguousarray(values, np.dtype(NAMES[kind].decode()))
    return memoryview(array(kind, same.tobytes()))


def write_rows(kind: int, rows: dict[str, memoryview]) -> bytes:
    """Write rows of float64, float32, int64 and int32, each of them contiguous."""
    parts: list[Any] = []
    checksum: Any = 0
    length = HEAD.size
    before = b""  # the padding of the row before
    for name, row in rows.items():
        stored, form = row, ALL
        if name not in IN_FULL and len(row) > 1:
            form = form_of(row)
        if form != ALL:
            stored = row[:1]
        if sys.byteorder == "big":
            stored = np.asarray(stored).byteswap().data
        head = before + ROW_HEAD.pack(NAMES[row.format], form, len(row))
        before = bytes(-stored.nbytes % 8)
        parts += (head, stored)
        checksum = checked(stored, zlib.crc32(head, checksum))
        length += len(head) + stored.nbytes
    parts.append(before)
    head = HEAD.pack(MAGIC, VERSION, kind, zlib.crc32(before, checksum), length + len(before))
    return b"".join([head, *parts])


def form_of(row: memoryview) -> int:
    """Return the shortest form of a row of two or more numbers.

    Numbers are the same if all their bits are. Only int32 can have the form COUNTED.
    """
    first, last, count = row[0], row[-1], len(row)
    if row.format == "i" and first == 0 and last == count - 1:
        return COUNTED if np.array_equal(row, np.arange(count)) else ALL
    if first < last or first > last:
        return ALL
    words = np.frombuffer(row, f"i{row.itemsize}")
    return SAME if (words == words[0]).all() else ALL


def checked(part: Any, checksum: Any) -> Any:
    """Continue a checksum.

    It covers the bytes themselves or, for a long row, the sums of its blocks.

    A CRC-32 of all bytes would take half of the time of writing. A change of one number changes the
    sum of its block, and the CRC-32 detects missing, changed and swapped blocks.
    """
    whole = memoryview(part).cast("B")
    if len(whole) < LONG:
        return zlib.crc32(whole, checksum)
    end = len(whole) // SUMMED * SUMMED
    return zlib.crc32(whole[end:], zlib.crc32(sums_of(whole[:end]), checksum))


def sums_of(blocks: memoryview) -> memoryview:
    """Return the sums of blocks, modulo 2**64, as bytes."""
    words = np.frombuffer(blocks, "<u8").reshape(-1, SUMMED // 8)
    return np.add.reduce(words, axis=1).astype("<u8", copy=False).view(np.uint8).data


class RowReader:
    """Reads rows that `write_rows` has written; raises a ValueError that says what is wrong.

    The data is bytes, or any object with a buffer; `kind` is whose rows it must hold.
    """

    def __init__(self, data: Any, kind: int) -> None:
        self.data = whole_bytes(data)
        size = len(self.data)
        if not self.data or not MAGIC.startswith(self.data[: len(MAGIC)]):
            raise ValueError(f"data holds no tree: it begins with {self.data[: len(MAGIC)]!r}")
        if size < HEAD.size:
            raise ValueError(f"data is cut short after {size} bytes")
        self.view = memoryview(self.data)
        self.at = HEAD.size
        self.length = size
        self.summed = HEAD.size  # the end of what the checksum covers so far
        self.checksum = 0
        _, version, found, self.wanted, length = HEAD.unpack_from(self.data)
        if version != VERSION:
            raise ValueError(f"data has version {version}, but only version {VERSION} can be read")
        if size < length:
            raise ValueError(f"data is cut short after {size} of {length} bytes")
        if size > length:
            raise ValueError(f"data has {size} bytes, but the tree ends after {length}")
        if found != kind:
            held = KINDS.get(found, f"something of kind {found}")
            raise ValueError(f"data holds a {held}, not a {KINDS[kind]}")

    def take(self, name: str, kind: str, length: Any = None) -> array[Any]:
        """Return the next row; check its type and, if it is given, its length."""
        form, count, stored = self.next_row(name, kind, length)
        return array_of(kind, form, count, stored)

    def share(self, name: str, kind: str, length: Any = None) -> Any:
        """Return the next row for reading: not copied if the bytes hold all of its numbers."""
        form, count, stored = self.next_row(name, kind, length)
        if form == ALL and sys.byteorder == "little":
            return stored.cast(kind)  # type: ignore[call-overload]
        return array_of(kind, form, count, stored)

    def next_row(self, name: str, kind: str, length: Any) -> tuple[int, int, memoryview]:
        """Return the form of the next row, the count of its numbers, and the stored bytes."""
        start = self.at + ROW_HEAD.size
        if start > self.length:
            raise damage(name)
        found, form, count = ROW_HEAD.unpack_from(self.data, self.at)
        if found != NAMES[kind]:
            raise damage(f"the type of {name}")
        if count >= 2**31 or (length is not None and count != length):
            raise damage(f"the length of {name}")
        if form != ALL and (form > COUNTED or name in IN_FULL):
            raise damage(f"the form of {name}")
        end = start + SIZES[kind] * (count if form == ALL else 1)
        self.at = (end + 7) & ~7
        if self.at > self.length:
            raise damage(f"the length of {name}")
        if end - start >= LONG:
            self.sum_up(start)
            self.checksum = checked(self.view[start:end], self.checksum)
            self.summed = end
        return form, count, self.view[start:end]

    def sum_up(self, end: int) -> None:
        """Continue the checksum up to a place, to cover many short rows at once."""
        self.checksum = zlib.crc32(self.view[self.summed : end], self.checksum)
        self.summed = end

    def end(self) -> None:
        """Refuse bytes after the last row, and rows that do not match the checksum."""
        self.sum_up(self.length)
        need(self.at == self.length, "the end")
        need(self.checksum == self.wanted, "its checksum is wrong")


def whole_bytes(data: Any) -> bytes:
    """Return bytes as they are, and a copy of any other buffer, because it could change."""
    try:
        return data if type(data) is bytes else bytes(memoryview(data))
    except TypeError:
        raise TypeError(f"data must be bytes, got {shown(data)}") from None


def array_of(kind: str, form: int, count: int, stored: memoryview) -> array[Any]:
    """Return the numbers that a row stands for."""
    values = array(kind)
    if form == COUNTED:
        values.frombytes(np.arange(count, dtype=kind).data.cast("B"))
        return values
    values.frombytes(stored)
    if sys.byteorder == "big":
        values.byteswap()
    return values if form == ALL else values * count


def parts_of(data: Any) -> list[memoryview]:
    """Split what several calls of `write_rows` have written, one after the other."""
    left = memoryview(whole_bytes(data))
    parts: list[memoryview] = []
    while len(left) > 0:
        length = len(left)
        if length >= HEAD.size and left[: len(MAGIC)] == MAGIC:
            length = min(max(HEAD.unpack_from(left)[4], HEAD.size), length)
        parts.append(left[:length])
        left = left[length:]
    return parts


def need(right: Any, name: str) -> None:
    """Raise the error for damaged data unless a condition holds."""
    if not right:
        raise damage(name)


def need_all(right: np.ndarray, name: str) -> None:
    """Raise the error for damaged data unless a condition holds everywhere."""
    need(right.all(), name)


def damage(name: str) -> ValueError:
    """Return the error for damaged data."""
    return ValueError(f"data is damaged: {name}")

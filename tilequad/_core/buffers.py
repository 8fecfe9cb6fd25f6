"""Arrays that grow, large ones that take no time to make, and lists by cell."""

from __future__ import annotations

import mmap
import sys
from array import array
from contextlib import suppress
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Object, RaisesNoGil

ADVISED = 1 << 22  # bytes, from which on numpy asks for large pages
# The columns and rows that a box or circle covers; END_COLUMN and END_ROW are one past the last.
FIRST_COLUMN: cython.int = 0
FIRST_ROW: cython.int = 1
END_COLUMN: cython.int = 2
END_ROW: cython.int = 3


@cython.final
@cython.cclass
class IntBuffer:
    """A growing array of C ints that a loop without the GIL can append to."""

    __slots__ = {
        "values": "int[::1]",
        "used": "Py_ssize_t",
        "capacity": "Py_ssize_t",
    }

    def __init__(self, capacity: int = 256) -> None:
        self.values = array("i", [0]) * capacity
        self.used = 0
        self.capacity = capacity

    def reserve(self, count: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Reserve room for `count` more values; the caller writes them and advances `used`."""
        if self.used + count > self.capacity:
            with cython.gil:
                self.grow(count)
        return 0

    def append(self, value: cython.int) -> RaisesNoGil[cython.int]:
        """Append one value."""
        self.reserve(1)
        self.values[self.used] = value
        self.used += 1
        return 0

    def extend(self, values: cython.p_int, n: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Append the first n of a C array."""
        self.reserve(n)
        for i in range(n):
            self.values[self.used + i] = values[i]
        self.used += n
        return 0

    def grow(self, count: int) -> None:
        """Reallocate the array at twice its length or more."""
        self.values = resized("i", self.values, 2 * self.capacity + count, 0)
        self.capacity = len(self.values)

    def taken(self) -> memoryview:
        """Return the values written so far."""
        return memoryview(self.values)[: self.used]


class Scratch:
    """Arrays of n numbers each in one block of memory, not set to anything.

    The system hands out every large block anew, page by page, so one is better than many.
    """

    def __init__(self, n: int, floats: int, ints: int) -> None:
        block = np.empty(n * (2 * floats + ints), np.int32)
        self._floats = iter(block[: 2 * floats * n].view(np.float64).reshape(floats, n))
        self._ints = iter(block[2 * floats * n :].reshape(ints, n))

    def floats(self, count: int) -> list[Any]:
        """Return the next arrays of C doubles."""
        return [next(self._floats).data for _ in range(count)]

    def ints(self, count: int) -> list[Any]:
        """Return the next arrays of C ints."""
        return [next(self._ints).data for _ in range(count)]


def list_by_cell(
    spans: cython.int[:, ::1], columns: cython.int, starts: cython.int[::1], found: IntBuffer
) -> Object[None]:
    """Append for each cell the boxes or circles that cover it, ascending.

    `spans` has the columns and rows of each. `starts`, zeros, two more than cells, gets where the
    list of each cell starts in `found`.
    """
    row: cython.Py_ssize_t
    for i in range(len(spans)):
        for row in range(spans[i, FIRST_ROW], spans[i, END_ROW]):
            start = row * columns
            for at in range(start + spans[i, FIRST_COLUMN], start + spans[i, END_COLUMN]):
                starts[at + 2] += 1
    for at in range(2, len(starts)):
        starts[at] += starts[at - 1]
    found.reserve(starts[len(starts) - 1])
    found.used = starts[len(starts) - 1]
    # starts[at + 1] moves from the start of cell `at` to the start of the next one.
    for i in range(len(spans)):
        for row in range(spans[i, FIRST_ROW], spans[i, END_ROW]):
            start = row * columns
            for at in range(start + spans[i, FIRST_COLUMN], start + spans[i, END_COLUMN]):
                found.values[starts[at + 1]] = i
                starts[at + 1] += 1


def untouched_zeros(n: int, kind: Any) -> Object[np.ndarray]:
    """Return an array of n zeros, which take no time until touched.

    numpy asks Linux for pages of 2 MB below large arrays, and to find and clear a few of them may
    take ten milliseconds at once. So those are mapped here, and come in small pages.
    """
    size = n * np.dtype(kind).itemsize
    if size >= ADVISED and sys.platform == "linux":
        with suppress(OSError):  # numpy's error says more
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
            return np.frombuffer(mmap.mmap(-1, size, flags), kind)
    return np.zeros(n, kind)


def longer(length: int) -> int:
    """Return the next length of a full array: a sixteenth more, to waste and copy little."""
    return length + (length >> 4) + 8


def resized(kind: str, values: array[Any], length: int, fill: Any) -> array[Any]:
    """Return a resized copy of an array; the old one may still be in use as a buffer."""
    copy = array(kind, [fill]) * length
    view = memoryview(values)[:length].cast("B")
    memoryview(copy).cast("B")[: len(view)] = view
    return copy


def grown(arrays: list[array[Any]], new: list[array[Any]], length: int) -> list[array[Any]]:
    """Return longer copies of arrays; `new` holds the value that fills up each of them.

    The old arrays may still be in use as buffers. An empty list stands for empty arrays.
    """
    arrays = arrays or [array(one.typecode) for one in new]
    return [old + one * (length - len(old)) for old, one in zip(arrays, new, strict=True)]

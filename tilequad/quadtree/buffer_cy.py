# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Where a search without the GIL puts what it finds."""

from __future__ import annotations

from array import array

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

COMPILED = bool(cython.compiled)


class IntBuffer:
    """A growing array of C ints, which a loop without the GIL can append to."""

    __slots__ = ("room", "used", "values")

    def __init__(self, room: int = 256) -> None:
        self.values = array("i", [0]) * room
        self.used = 0
        self.room = room

    def reserve(self, count: cython.Py_ssize_t) -> cython.int:
        """Make room for that many more; the caller writes them and moves `used` on."""
        if self.used + count > self.room:
            with cython.gil:
                self.lengthen(count)
        return 0

    def append(self, value: cython.int) -> cython.int:
        """Append one."""
        self.reserve(1)
        self.values[self.used] = value
        self.used += 1
        return 0

    def extend(self, hits: cython.p_int, n: cython.Py_ssize_t) -> cython.int:
        """Append the first n of a C array."""
        i: cython.Py_ssize_t
        self.reserve(n)
        for i in range(n):
            self.values[self.used + i] = hits[i]
        self.used += n
        return 0

    def lengthen(self, count: int) -> None:
        """Make the array at least twice as long."""
        values = array("i", [0]) * (2 * self.room + count)
        memoryview(values)[: self.used] = memoryview(self.values)[: self.used]
        self.values = values
        self.room = len(values)

    def taken(self) -> memoryview:
        """What has been written."""
        return memoryview(self.values)[: self.used]

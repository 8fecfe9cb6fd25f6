"""A queue for whole numbers that never go far ahead of the smallest one (Dial, 1969).

Keys lie in buckets of equal width, and the buckets in a ring. Places are popped from the first
nonempty bucket, in no particular order. If no move is shorter than the width of a bucket, that
makes no difference (Dinitz, 1978); otherwise a place may be popped twice.
"""

from __future__ import annotations

from array import array

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, RaisesNoGil
from tilequad._core.buffers import resized

MOST_BUCKETS = 4096


@cython.final
@cython.cclass
class Buckets:
    """Places by key.

    Args:
        least: The shortest move.
        most: The greatest difference between a new key and the last popped key.

    Attributes:
        size: How many places are in the queue.
        place: The place that was popped last.
        key: Its key.
    """

    __slots__ = {
        # By bucket: its first and its last entry, -1 if it is empty.
        "heads": "int[::1]",
        "tails": "int[::1]",
        "mask": "Py_ssize_t",  # the number of buckets - 1: they are a power of two
        "shift": "int",  # a bucket is 1 << shift wide
        "wide": "bint",  # whether a move may be shorter than that
        "now": "long long",  # the first bucket, counted on around the ring: key >> shift
        # By entry: its place, its key, and the next entry of its bucket.
        "places": "int[::1]",
        "nexts": "int[::1]",
        "keys": "long long[::1]",
        "room": "Py_ssize_t",  # entries in these arrays
        "used": "int",  # entries that have ever been in a bucket
        "free": "int",  # the first of those that are in none now, -1 if there is none
        "size": "Py_ssize_t",
        # The entries of the bucket that `take_bucket` took.
        "first": "int",
        "last": "int",
        "place": "int",
        "key": "long long",
    }

    def __init__(self, least: int, most: int) -> None:
        shift = max(int(least).bit_length() - 1, 0)
        narrow = shift
        while (int(most) >> shift) + 2 > MOST_BUCKETS:
            shift += 1
        count = 1 << ((int(most) >> shift) + 1).bit_length()
        self.shift = shift
        self.wide = shift > narrow
        self.mask = count - 1
        self.heads = array("i", [-1]) * count
        self.tails = array("i", [-1]) * count
        self.places = array("i", [0]) * 1024
        self.nexts = array("i", [-1]) * 1024
        self.keys = array("q", [0]) * 1024
        self.room = 1024
        self.size = 0
        self.free = -1
        self.used = 0
        self.now = 0
        self.place = 0
        self.key = 0

    def start(self, key: cython.longlong) -> NoGil[None]:
        """Begin again at a key; the queue must be empty."""
        self.now = key >> self.shift

    def end_of_bucket(self) -> NoGil[cython.longlong]:
        """The first key of the next bucket."""
        return (self.now + 1) * (cython.cast(cython.longlong, 1) << self.shift)

    def push(self, place: cython.int, key: cython.longlong) -> RaisesNoGil[cython.int]:
        """Add a place in front of its bucket: a search for one goal goes deep first."""
        entry = self.entry_of(place, key)
        bucket: cython.Py_ssize_t = (key >> self.shift) & self.mask
        self.nexts[entry] = self.heads[bucket]
        if self.heads[bucket] < 0:
            self.tails[bucket] = entry
        self.heads[bucket] = entry
        return 0

    def append(self, place: cython.int, key: cython.longlong) -> RaisesNoGil[cython.int]:
        """Add a place at the end of its bucket: neighbors come one after the other."""
        entry = self.entry_of(place, key)
        bucket: cython.Py_ssize_t = (key >> self.shift) & self.mask
        self.nexts[entry] = -1
        if self.heads[bucket] < 0:
            self.heads[bucket] = entry
        else:
            self.nexts[self.tails[bucket]] = entry
        self.tails[bucket] = entry
        return 0

    def entry_of(self, place: cython.int, key: cython.longlong) -> RaisesNoGil[cython.int]:
        """Return a new entry that is in no bucket yet."""
        if self.free >= 0:
            entry = self.free
            self.free = self.nexts[entry]
        else:
            if self.used == self.room:
                with cython.gil:
                    self.grow()
            entry = self.used
            self.used += 1
        self.places[entry] = place
        self.keys[entry] = key
        self.size += 1
        return entry

    def take_bucket(self, stop: cython.longlong) -> NoGil[cython.bint]:
        """Take all entries of the first bucket; return False at the bucket of a key, or at the end.

        They are chained from `first` on, and stay until `free_bucket` is called.
        """
        stop >>= self.shift
        if self.size == 0:
            return False
        while self.now < stop:
            bucket: cython.Py_ssize_t = self.now & self.mask
            if self.heads[bucket] >= 0:
                self.first, self.last = self.heads[bucket], self.tails[bucket]
                self.heads[bucket] = -1
                return True
            self.now += 1
        return False

    def free_bucket(self, count: cython.Py_ssize_t) -> NoGil[None]:
        """Free the entries of the bucket that was taken."""
        self.nexts[self.last] = self.free
        self.free = self.first
        self.size -= count

    def pop(self) -> NoGil[cython.bint]:
        """Pop a place from the first bucket; return False if the queue is empty."""
        if self.size == 0:
            return False
        bucket: cython.Py_ssize_t = self.now & self.mask
        while self.heads[bucket] < 0:
            self.now += 1
            bucket = self.now & self.mask
        entry = self.heads[bucket]
        self.heads[bucket] = self.nexts[entry]
        self.nexts[entry] = self.free
        self.free = entry
        self.place = self.places[entry]
        self.key = self.keys[entry]
        self.size -= 1
        return True

    def clear(self) -> NoGil[None]:
        """Empty the queue."""
        for bucket in range(len(self.heads)):
            self.heads[bucket] = -1
        self.size = 0
        self.used = 0
        self.free = -1

    def grow(self) -> Object[None]:
        """Double the room."""
        self.places = resized("i", self.places, 2 * self.room, 0)
        self.nexts = resized("i", self.nexts, 2 * self.room, 0)
        self.keys = resized("q", self.keys, 2 * self.room, 0)
        self.room = len(self.places)

"""Points sorted by the cells of an endless square grid, so that those nearby lie in a few runs.

The plane is folded onto a table with about two buckets a point: cell (column, row) has bucket
column + row * stride, modulo the size of the table. Cells beside one another in a row have
neighboring buckets, and so a run of cells is a run of points. The stride is the size times the
golden ratio, which spreads the rows evenly over the table however many there are. Cells far apart
may share a bucket, so every point that is found still has to be tested; no two of 3 x 3 cells do.
"""

from __future__ import annotations

from array import array
from typing import Any

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer, Scratch
from tilequad._core.layout import ENTRY, RECORD
from tilequad._core.tree.units import UnitStore

LEAST_BITS: cython.int = 6  # with fewer buckets, two of 3 x 3 cells could share one
GOLDEN: cython.Py_ssize_t = 40503  # the golden ratio, 0.618, times 2**16
FAR: cython.double = 1073741824.0  # columns and rows beyond this are taken for this one
# Cells are wider than `reach` by this share, and so wide that columns and rows stay below 2**28.
# So no rounding puts two points within `reach` into cells that are not neighbors.
MARGIN: cython.double = 1e-6
FINEST: cython.double = 1.0 / 268435456.0
NARROWEST: cython.double = 1e-300


@cython.final
@cython.cclass
class CellGrid:
    """The points of a grid, cell by cell, and in the given order within a cell.

    The points of bucket b are xs, ys[starts[b]:starts[b + 1]], and `numbers` says which they were.

    Args:
        n: The number of points.
        xs: At least n.
        ys: At least n.
        reach: Points within this distance of one another are in the same or in neighboring cells.
        memory: Where to take two arrays of floats and two of ints from; None for new memory.
    """

    __slots__ = {
        "n": "int",
        "side": "double",
        "size": "Py_ssize_t",
        "stride": "Py_ssize_t",
        "starts": "int[::1]",
        "numbers": "int[::1]",
        "xs": "double[::1]",
        "ys": "double[::1]",
    }

    def __init__(
        self,
        n: cython.int,
        xs: cython.double[::1],
        ys: cython.double[::1],
        reach: cython.double,
        memory: Any = None,
    ) -> None:
        if memory is None:
            memory = Scratch(n, 2, 2)
        bits: cython.int = LEAST_BITS
        while (1 << bits) < 2 * n:
            bits += 1
        self.n = n
        self.size = 1 << bits
        self.stride = ((self.size * GOLDEN) >> 16) | 1
        self.starts = array("i", [0]) * (self.size + 1)
        self.xs, self.ys = memory.floats(2)
        self.numbers, places = memory.ints(2)
        buckets: cython.int[::1] = places
        with cython.nogil:
            self.side = max(reach * (1.0 + MARGIN), FINEST * farthest(n, xs, ys), NARROWEST)
            self.sort(xs, ys, buckets)

    def sort(
        self, xs: cython.double[::1], ys: cython.double[::1], buckets: cython.int[::1]
    ) -> NoGil[None]:
        """Sort the points by their buckets, by counting."""
        i: cython.int
        for i in range(self.n):
            buckets[i] = cython.cast(
                cython.int, self.bucket_of(self.cell_of(xs[i]), self.cell_of(ys[i]))
            )
            self.starts[buckets[i]] += 1
        for at in range(1, self.size + 1):
            self.starts[at] += self.starts[at - 1]
        for i in range(self.n - 1, -1, -1):  # starts[b] moves from the end of bucket b to its start
            self.starts[buckets[i]] -= 1
            at = self.starts[buckets[i]]
            self.numbers[at] = i
            self.xs[at] = xs[i]
            self.ys[at] = ys[i]

    def cell_of(self, at: cython.double) -> NoGil[cython.Py_ssize_t]:
        """Return the column of an x, or the row of a y."""
        place = min(max(at / self.side, -FAR), FAR)
        found = cython.cast(cython.Py_ssize_t, place)
        return found - (place < found)  # what is cut off toward 0, rounded down

    def bucket_of(
        self, column: cython.Py_ssize_t, row: cython.Py_ssize_t
    ) -> NoGil[cython.Py_ssize_t]:
        """Return the bucket of a cell."""
        return (column + row * self.stride) & (self.size - 1)

    def write_run(
        self,
        column: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        length: cython.Py_ssize_t,
        runs: cython.p_int,
        at: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Write where the points of some cells of a row are: two runs, four numbers from `at` on.

        The second run is empty unless the cells go on at the start of the table.
        """
        self.write_run_from(self.bucket_of(column, row), length, runs, at)

    def write_run_from(
        self,
        first: cython.Py_ssize_t,
        length: cython.Py_ssize_t,
        runs: cython.p_int,
        at: cython.Py_ssize_t,
    ) -> NoGil[None]:
        """Write where the points of some buckets are, as `write_run` does."""
        end = first + min(length, self.size)
        runs[at] = self.starts[first]
        runs[at + 1] = self.starts[min(end, self.size)]
        runs[at + 2] = 0
        runs[at + 3] = self.starts[max(end - self.size, 0)]

    def find(
        self,
        x: cython.double,
        y: cython.double,
        radius2: cython.double,
        runs: cython.p_int,
        n: cython.Py_ssize_t,
        hits: IntBuffer,
    ) -> RaisesNoGil[cython.int]:
        """Write which points of some runs are within a squared distance of a place.

        The runs are n numbers, the start and the end of each.
        """
        j: cython.int
        hits.used = 0
        for r in range(0, n, 2):
            hits.reserve(runs[r + 1] - runs[r])
            used: cython.Py_ssize_t = hits.used
            for j in range(runs[r], runs[r + 1]):
                dx = self.xs[j] - x
                dy = self.ys[j] - y
                hits.values[used] = j  # without branches: it counts only if it is near
                used += dx * dx + dy * dy <= radius2
            hits.used = used
        return 0


def farthest(n: cython.int, xs: cython.double[::1], ys: cython.double[::1]) -> NoGil[cython.double]:
    """Return the largest coordinate, by magnitude."""
    i: cython.Py_ssize_t
    most = 0.0
    for i in range(n):
        most = max(most, abs(xs[i]), abs(ys[i]))
    return most


def list_members(
    store: UnitStore, groups: cython.int, without: cython.int, members: cython.int[::1]
) -> NoGil[cython.int]:
    """List the slots of all units in some groups and not in others, ascending; return how many."""
    n: cython.int = 0
    for slot in range(store.slots):
        entry = store.record[RECORD * slot + ENTRY]
        if (
            entry >= 0
            and (store.masks[entry] & groups) != 0
            and (store.masks[entry] & without) == 0
        ):
            members[n] = slot
            n += 1
    return n

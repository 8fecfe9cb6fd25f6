# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Many questions in one go: the loops without the GIL between the arrays and the searches.

The questions come in Z order, so one that follows another is near it. Radius queries make more of
that: a bundle of neighbours walks the tree once for the box around all their circles, takes what
stands there into a small array, and each of them looks through that.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

from tilequad.quadtree.arrays import checked_out
from tilequad.quadtree.buffer_cy import IntBuffer
from tilequad.quadtree.pairs_cy import Pairs

COMPILED = bool(cython.compiled)

INF = float("inf")
HITS = 256  # the room of a buffer of slots, as in search_cy
CROWD = 512  # the room for what stands around a bundle
BLOCK = 64  # questions; no bundle goes from one block into the next, nor does a thread
FEW = 3  # fewer questions are asked one by one
ROUNDING = 1.0 + 1e-9  # as in nodes_cy
TINY = 1e-150  # a distance whose square is 0


class Batches(Pairs):
    """The loops over batches of questions."""

    __slots__ = ()

    def collect_within(
        self,
        points: cython.double[:, ::1],
        radii: cython.double[::1],
        order: cython.int[::1],
        groups: cython.int,
        counts: cython.int[::1],
        found: IntBuffer,
    ) -> cython.int:
        """Append the slots around the points in this order, and count them."""
        box = cython.declare(cython.double[4])
        xs = cython.declare(cython.double[512])
        ys = cython.declare(cython.double[512])
        slots = cython.declare(cython.int[512])
        hits = cython.declare(cython.int[512])
        dx: cython.double
        dy: cython.double
        x: cython.double
        y: cython.double
        radius2: cython.double
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        n: cython.Py_ssize_t
        start: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t = 0
        crowd: cython.Py_ssize_t
        while end < len(order):
            start = end
            end = bundle(points, radii, order, start, box)
            crowd = -1
            if end - start >= FEW:
                crowd = self.find_crowd(xs, ys, slots, box[0], box[1], box[2], box[3], groups)
            for k in range(start, end):
                i = order[k]
                if crowd < 0:
                    self.collect_around(
                        points[i, 0], points[i, 1], radii[i], groups, i, counts, found
                    )
                    continue
                x = points[i, 0]
                y = points[i, 1]
                radius2 = radii[i] * radii[i]
                n = 0
                for j in range(crowd):
                    dx = xs[j] - x
                    dy = ys[j] - y
                    hits[n] = slots[j]
                    n += dx * dx + dy * dy <= radius2
                found.extend(hits, n)
                counts[i] = cython.cast(cython.int, n)
        return 0

    def collect_around(
        self,
        x: cython.double,
        y: cython.double,
        radius: cython.double,
        groups: cython.int,
        i: cython.Py_ssize_t,
        counts: cython.int[::1],
        found: IntBuffer,
    ) -> cython.int:
        """Append the slots around one point, and count them."""
        stack = cython.declare(cython.int[128])
        leaves = cython.declare(cython.int[66])
        hits = cython.declare(cython.int[256])
        n: cython.int = HITS
        stack[0], stack[1], leaves[0], leaves[1] = 1, 0, 0, -1
        counts[i] = 0
        while n == HITS:
            n = self.find_within(stack, leaves, hits, x, y, radius * radius, 0.0, groups)
            found.extend(hits, n)
            counts[i] += n
        return 0

    def find_crowd(
        self,
        xs: cython.p_double,
        ys: cython.p_double,
        slots: cython.p_int,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
        groups: cython.int,
    ) -> cython.Py_ssize_t:
        """Copy what stands in a box, positions and slots; returns how many, or -1 if too many."""
        stack = cython.declare(cython.int[128])
        leaves = cython.declare(cython.int[66])
        n: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        x: cython.double
        y: cython.double
        stack[0], stack[1], leaves[0] = 1, 0, 0
        while True:
            if leaves[0] == 0:
                self.leaves_around(stack, leaves, min_x, min_y, max_x, max_y, groups)
                if leaves[0] == 0:
                    return n
            at = self.place_of(leaves[leaves[0] + 1])
            leaves[0] -= 1
            if n + self.links[at + 12] > CROWD:
                return -1
            i = self.links[at + 8]
            for i in range(i, i + self.links[at + 12]):
                x = self.px[i]
                y = self.py[i]
                xs[n] = x
                ys[n] = y
                slots[n] = self.who[i]
                n += (
                    (x >= min_x)
                    & (x <= max_x)
                    & (y >= min_y)
                    & (y <= max_y)
                    & ((self.masks[i] & groups) != 0)
                )

    def collect_in_boxes(
        self,
        boxes: cython.double[:, ::1],
        order: cython.int[::1],
        groups: cython.int,
        counts: cython.int[::1],
        found: IntBuffer,
    ) -> cython.int:
        """Append the slots in the boxes in this order, and count them."""
        stack = cython.declare(cython.int[128])
        leaves = cython.declare(cython.int[66])
        hits = cython.declare(cython.int[256])
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        n: cython.int
        for k in range(len(order)):
            i = order[k]
            stack[0], stack[1], leaves[0], leaves[1], n = 1, 0, 0, -1, HITS
            counts[i] = 0
            while n == HITS:
                n = self.find_in_box(
                    stack,
                    leaves,
                    hits,
                    boxes[i, 0],
                    boxes[i, 1],
                    boxes[i, 2],
                    boxes[i, 3],
                    groups,
                )
                found.extend(hits, n)
                counts[i] += n
        return 0

    def collect_nearest(
        self,
        points: cython.double[:, ::1],
        order: cython.int[::1],
        limit2: cython.double,
        groups: cython.int,
        slots: cython.int[::1],
        distances: cython.double[::1],
    ) -> None:
        """Write the nearest slots of the points, and their squared distances."""
        stack = cython.declare(cython.int[128])
        nodes = cython.declare(cython.double[128])
        hits = cython.declare(cython.int[1])
        squares = cython.declare(cython.double[1])
        serials = cython.declare(cython.int[1])
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for k in range(len(order)):
            i = order[k]
            hits[0], squares[0] = -1, INF
            self.find_nearest(
                stack,
                nodes,
                hits,
                squares,
                serials,
                1,
                points[i, 0],
                points[i, 1],
                0.0,
                limit2,
                -1,
                -1,
                groups,
            )
            slots[i] = hits[0]
            distances[i] = squares[0]


def bundle(
    points: cython.double[:, ::1],
    radii: cython.double[::1],
    order: cython.int[::1],
    start: cython.Py_ssize_t,
    box: cython.p_double,
) -> cython.Py_ssize_t:
    """Where the bundle of neighbours ends that begins at a place of the order.

    They go together while the box around their circles is at most twice as wide and high as the
    first circle. Writes that box: all positions that are within are in it.
    """
    i: cython.Py_ssize_t = order[start]
    end: cython.Py_ssize_t = start + 1
    last: cython.Py_ssize_t = min(start - start % BLOCK + BLOCK, len(order))
    reach: cython.double = radii[i] * ROUNDING + TINY
    widest: cython.double = 4.0 * reach
    min_x: cython.double = points[i, 0] - reach
    min_y: cython.double = points[i, 1] - reach
    max_x: cython.double = points[i, 0] + reach
    max_y: cython.double = points[i, 1] + reach
    while True:
        box[0] = min_x
        box[1] = min_y
        box[2] = max_x
        box[3] = max_y
        if end == last:
            return end
        i = order[end]
        reach = radii[i] * ROUNDING + TINY
        min_x = min(min_x, points[i, 0] - reach)
        min_y = min(min_y, points[i, 1] - reach)
        max_x = max(max_x, points[i, 0] + reach)
        max_y = max(max_y, points[i, 1] + reach)
        if max_x - min_x > widest or max_y - min_y > widest:
            return end
        end += 1


def gather(
    order: cython.int[::1],
    counts: cython.int[::1],
    workers: int,
    collect: Callable[[int, int, IntBuffer], None],
    out: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Collect the hits of many questions, then put them into the order of the questions."""
    n = len(counts)
    parts: list[tuple[int, int, IntBuffer]] = []

    def work(low: int, high: int) -> None:
        found = IntBuffer(8 * (high - low) + 256)
        collect(low, high, found)
        parts.append((low, high, found))

    share(n, workers, work)
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    slots = np.empty(offsets[n], np.int32) if out is None else checked_out(out, offsets[n])
    for low, high, found in parts:
        sort_out(order[low:high], counts, found, offsets.data, slots.data)
    return offsets, slots


def sort_out(
    order: cython.int[::1],
    counts: cython.int[::1],
    found: IntBuffer,
    offsets: cython.longlong[::1],
    slots: cython.int[::1],
) -> None:
    """Copy the hits of each question to where they belong."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    start: cython.Py_ssize_t
    read: cython.Py_ssize_t = 0
    for k in range(len(order)):
        i = order[k]
        start = offsets[i]
        for j in range(counts[i]):
            slots[start + j] = found.values[read + j]
        read += counts[i]


def share(n: int, workers: int, work: Callable[[int, int], None]) -> None:
    """Do the work for 0 .. n, in parts on several threads if wanted."""
    if workers == -1:
        workers = os.cpu_count() or 1
    if workers < 1:
        raise ValueError(f"workers must be at least 1, or -1 for one a core, got {workers!r}")
    if workers == 1:
        work(0, n)
        return
    # Whole blocks, so that the number of threads changes no answer.
    edges = [min(n, -(-n * part // workers // BLOCK) * BLOCK) for part in range(workers)] + [n]
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, edges[:workers], edges[1:]))

# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# As plain C methods, calls take 10 ns less than as Cython's own functions, and inspect still reads
# their signatures, if all defaults are literals: 1e309 is inf.
"""StaticQuadtree: boxes that stay, built into a tree at once."""

from __future__ import annotations

import os
import zipfile
import zlib
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

if not cython.compiled:  # compiled, the .pxd has them
    from tilequad.quadtree.checks_cy import (
        check_distance,
        check_limits,
        check_position,
        read_bounds,
    )
    from tilequad.quadtree.motion_cy import box_time


from tilequad.quadtree.arrays import checked_boxes
from tilequad.quadtree.buffer_cy import IntBuffer
from tilequad.quadtree.build_cy import Builder
from tilequad.quadtree.explain import Explanation, explain_static
from tilequad.quadtree.nodes_cy import Nodes

COMPILED = bool(cython.compiled)

INF = float("inf")
NEAR = 64  # the room of a buffer of nearest ids
LARGE = 3.4e38  # near the largest float32
ULP = 2.0**-22  # more than a step from one float32 to the next, in parts of it
TINY = 1e-44  # and where that is nothing
LEAF_SIZE = 64  # boxes in a leaf; fewer make more nodes, more make longer scans


class StaticQuadtree(Nodes):
    """A quadtree over boxes that do not change. The id of a box is its row.

    Boxes are closed: what touches, overlaps; a box without size is a point. They may overlap,
    coincide, and be of any size. Ids come back in ascending order, or by distance with ties in
    ascending order.

    The tree holds each box as four float32, rounded outward, 16 bytes. Where float32 is exact, as
    for whole pixels, that is all; else a hit is proved on the array that was given, which must not
    be changed while the tree is used.

    Cost: O(n log n) to build, about 22 bytes a box; a query O(log n + hits).

    Args:
        boxes: (n, 4) floats, each row min_x, min_y, max_x, max_y.

    Raises:
        ValueError: Another shape, a number that is not finite, or a minimum above its maximum.

    Example:
        >>> tree = StaticQuadtree([(0, 0, 32, 32), (32, 0, 64, 32), (0, 32, 32, 96)])
        >>> tree.query((40, 10, 50, 20))
        array([1], dtype=int32)
        >>> tree.nearest(0, 200)
        2
    """

    __slots__ = ("exact", "ids", "rough", "rounded")

    def __init__(self, boxes: npt.ArrayLike) -> None:
        exact = checked_boxes(boxes)
        n = len(exact)
        Nodes.__init__(self)
        self.exact = exact.data
        self.rough = array("f", [0.0]) * (4 * n)
        centers = np.empty((n, 2))
        self.write_centers(centers.data)
        self.ids = Builder(self, centers, LEAF_SIZE).build()
        self.rounded = False
        self.round_all()
        self.fit_all()
        self._reserve(self.used)
        self.cell = array("d")
        if not self.rounded:
            self.exact = np.empty((0, 4)).data

    def write_centers(self, centers: cython.double[:, ::1]) -> None:
        """Write the middles of the boxes."""
        i: cython.Py_ssize_t
        for i in range(len(centers)):
            centers[i, 0] = 0.5 * self.exact[i, 0] + 0.5 * self.exact[i, 2]
            centers[i, 1] = 0.5 * self.exact[i, 1] + 0.5 * self.exact[i, 3]

    def round_all(self) -> None:
        """Write all boxes in float32, rounded outward, in the order of `ids`."""
        i: cython.Py_ssize_t
        row: cython.Py_ssize_t
        for i in range(len(self.ids)):
            row = self.ids[i]
            self.rough[4 * i] = min(self.exact[row, 0], LARGE)
            self.rough[4 * i + 1] = min(self.exact[row, 1], LARGE)
            self.rough[4 * i + 2] = max(self.exact[row, 2], -LARGE)
            self.rough[4 * i + 3] = max(self.exact[row, 3], -LARGE)
            if (
                self.rough[4 * i] != self.exact[row, 0]
                or self.rough[4 * i + 1] != self.exact[row, 1]
                or self.rough[4 * i + 2] != self.exact[row, 2]
                or self.rough[4 * i + 3] != self.exact[row, 3]
            ):
                self.rounded = True
                self.round_outward(i)

    def round_outward(self, i: cython.Py_ssize_t) -> None:
        """Move the edges of entry i outward that were rounded inward."""
        side: cython.Py_ssize_t
        row: cython.Py_ssize_t = self.ids[i]
        edge: cython.double
        for side in range(2):
            edge = self.exact[row, side]
            if self.rough[4 * i + side] > edge:
                self.rough[4 * i + side] = edge - TINY - abs(edge) * ULP
            edge = self.exact[row, side + 2]
            if self.rough[4 * i + side + 2] < edge:
                self.rough[4 * i + side + 2] = edge + TINY + abs(edge) * ULP

    def fit_leaf(self, q: cython.int) -> None:
        """Give leaf q the box around its boxes."""
        at: cython.Py_ssize_t = (q >> 2) * 16 + (q & 3)
        i: cython.Py_ssize_t = self.links[at + 8]
        min_x: cython.float = INF
        min_y: cython.float = INF
        max_x: cython.float = -INF
        max_y: cython.float = -INF
        for i in range(i, i + self.links[at + 12]):
            min_x = min(min_x, self.rough[4 * i])
            min_y = min(min_y, self.rough[4 * i + 1])
            max_x = max(max_x, self.rough[4 * i + 2])
            max_y = max(max_y, self.rough[4 * i + 3])
        self.box[at] = min_x
        self.box[at + 4] = min_y
        self.box[at + 8] = max_x
        self.box[at + 12] = max_y
        self.links[at + 4] = self.links[at + 12] > 0

    # -- asking ------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.ids)

    def query(self, bounds: Sequence[float]) -> np.ndarray:
        """The boxes that overlap a box.

        Args:
            bounds: The closed box: min_x, min_y, max_x, max_y.

        Returns:
            Their ids, (n,) int32, ascending.

        Raises:
            ValueError: Bounds that are no box.
        """
        found: IntBuffer = IntBuffer()
        box = cython.declare(cython.double[4])
        read_bounds(bounds, box)
        with cython.nogil:
            self.find_in_box(found, box[0], box[1], box[2], box[3])
        return sorted_ids(found)

    def within(self, x: float, y: float, radius: float) -> np.ndarray:
        """The boxes within a distance of a point, which is 0 inside a box.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            radius: The greatest distance.

        Returns:
            Their ids, (n,) int32, ascending.

        Raises:
            ValueError: A number is not finite, or the radius is negative.
        """
        found: IntBuffer = IntBuffer()
        check_position(x, "x")
        check_position(y, "y")
        check_distance(radius, "radius")
        with cython.nogil:
            self.find_within(found, x, y, radius * radius)
        return sorted_ids(found)

    def nearest(self, x: float, y: float, max_distance: float = 1e309) -> int | None:
        """The box nearest to a point, of several the one with the lowest id.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            max_distance: Farther boxes do not count.

        Returns:
            Its id, or None if there is none.

        Raises:
            ValueError: A coordinate is not finite, or max_distance is negative or NaN.
        """
        hits = cython.declare(cython.int[1])
        distances = cython.declare(cython.double[1])
        ranks = cython.declare(cython.int[1])
        check_position(x, "x")
        check_position(y, "y")
        check_limits(0.0, max_distance)
        limit2: cython.double = max_distance * max_distance
        if self.find_nearest(hits, distances, ranks, 1, x, y, 0.0, limit2, -1):
            return hits[0]
        return None

    def k_nearest(self, x: float, y: float, k: int, max_distance: float = 1e309) -> np.ndarray:
        """The k boxes nearest to a point.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            k: How many, at least 1.
            max_distance: Farther boxes do not count.

        Returns:
            Their ids, (n,) int32 with n <= k, nearest first, ties in ascending order.

        Raises:
            ValueError: A coordinate is not finite, max_distance is negative or NaN, or k < 1.
        """
        hits = cython.declare(cython.int[64])
        distances = cython.declare(cython.double[64])
        ranks = cython.declare(cython.int[64])
        check_position(x, "x")
        check_position(y, "y")
        check_limits(0.0, max_distance)
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k!r}")
        least2: cython.double = 0.0
        limit2: cython.double = max_distance * max_distance
        after: cython.int = -1
        n: cython.int
        wanted: cython.int
        found: list[int] = []
        while True:
            wanted = min(k - len(found), NEAR)
            n = self.find_nearest(hits, distances, ranks, wanted, x, y, least2, limit2, after)
            found += [hits[i] for i in range(n)]
            if n < wanted or len(found) == k:
                return np.array(found, np.int32)
            least2 = distances[n - 1]  # the next walk goes on behind the last one found
            after = ranks[n - 1]

    def segment(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.0) -> np.ndarray:
        """The boxes that a line, or a disc on its way, touches.

        Args:
            x0: Where it starts, in world units.
            y0: Where it starts, in world units.
            x1: Where it ends.
            y1: Where it ends.
            width: The disc's diameter; 0 for a line.

        Returns:
            Their ids, (n,) int32, in the order of first touch, ties in ascending order.

        Raises:
            ValueError: A number is not finite, or width is negative.
        """
        stack = cython.declare(cython.int[128])
        leaves = cython.declare(cython.int[66])
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        time: cython.double
        check_position(x0, "x0")
        check_position(y0, "y0")
        check_position(x1, "x1")
        check_position(y1, "y1")
        check_distance(width, "width")
        stack[0], stack[1], leaves[0] = 1, 0, 0
        touched: list[tuple[float, int]] = []
        while True:
            if leaves[0] == 0:
                self.leaves_on_segment(stack, leaves, x0, y0, x1, y1, width / 2, 1)
                if leaves[0] == 0:
                    break
            at = self.place_of(leaves[leaves[0] + 1])
            leaves[0] -= 1
            i = self.links[at + 8]
            for i in range(i, i + self.links[at + 12]):
                time = self.touch_time(i, x0, y0, x1, y1, width / 2)
                if time <= 1.0:
                    touched.append((time, self.ids[i]))
        touched.sort()
        return np.array([box for _, box in touched], np.int32)

    # -- the searches ------------------------------------------------------------------------------

    def find_in_box(
        self,
        found: IntBuffer,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
    ) -> cython.int:
        """Append the ids of the boxes that overlap a box."""
        stack = cython.declare(cython.int[128])
        leaves = cython.declare(cython.int[66])
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        hit: cython.bint
        stack[0], stack[1], leaves[0] = 1, 0, 0
        while True:
            if leaves[0] == 0:
                self.leaves_in_box(stack, leaves, min_x, min_y, max_x, max_y, 1)
                if leaves[0] == 0:
                    return 0
            at = self.place_of(leaves[leaves[0] + 1])
            leaves[0] -= 1
            found.reserve(self.links[at + 12])
            i = self.links[at + 8]
            for i in range(i, i + self.links[at + 12]):
                hit = (
                    (self.rough[4 * i] <= max_x)
                    & (self.rough[4 * i + 1] <= max_y)
                    & (self.rough[4 * i + 2] >= min_x)
                    & (self.rough[4 * i + 3] >= min_y)
                )
                if hit and (not self.rounded or self.overlaps(i, min_x, min_y, max_x, max_y)):
                    found.values[found.used] = self.ids[i]
                    found.used += 1

    def overlaps(
        self,
        i: cython.Py_ssize_t,
        min_x: cython.double,
        min_y: cython.double,
        max_x: cython.double,
        max_y: cython.double,
    ) -> cython.bint:
        """Whether the box of entry i, unrounded, overlaps a box."""
        row: cython.int = self.ids[i]
        return (
            self.exact[row, 0] <= max_x
            and self.exact[row, 1] <= max_y
            and self.exact[row, 2] >= min_x
            and self.exact[row, 3] >= min_y
        )

    def find_within(
        self, found: IntBuffer, x: cython.double, y: cython.double, radius2: cython.double
    ) -> cython.int:
        """Append the ids of the boxes within a squared distance."""
        stack = cython.declare(cython.int[128])
        leaves = cython.declare(cython.int[66])
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        stack[0], stack[1], leaves[0] = 1, 0, 0
        while True:
            if leaves[0] == 0:
                self.leaves_in_circle(stack, leaves, x, y, radius2, 1)
                if leaves[0] == 0:
                    return 0
            at = self.place_of(leaves[leaves[0] + 1])
            leaves[0] -= 1
            found.reserve(self.links[at + 12])
            i = self.links[at + 8]
            for i in range(i, i + self.links[at + 12]):
                if self.distance2(i, x, y, radius2) <= radius2:
                    found.values[found.used] = self.ids[i]
                    found.used += 1

    def distance2(
        self, i: cython.Py_ssize_t, x: cython.double, y: cython.double, limit2: cython.double
    ) -> cython.double:
        """The squared distance from a point to the box of entry i; above limit2, a lower bound."""
        row: cython.int
        dx: cython.double = max(max(self.rough[4 * i] - x, x - self.rough[4 * i + 2]), 0.0)
        dy: cython.double = max(max(self.rough[4 * i + 1] - y, y - self.rough[4 * i + 3]), 0.0)
        if self.rounded and dx * dx + dy * dy <= limit2:
            row = self.ids[i]
            dx = max(max(self.exact[row, 0] - x, x - self.exact[row, 2]), 0.0)
            dy = max(max(self.exact[row, 1] - y, y - self.exact[row, 3]), 0.0)
        return dx * dx + dy * dy

    def find_nearest(
        self,
        hits: cython.p_int,
        distances: cython.p_double,
        ranks: cython.p_int,
        k: cython.int,
        x: cython.double,
        y: cython.double,
        least2: cython.double,
        limit2: cython.double,
        after: cython.int,
    ) -> cython.int:
        """The k <= NEAR nearest ids; at distance least2, only those above `after` count."""
        stack = cython.declare(cython.int[128])
        nodes = cython.declare(cython.double[128])
        n: cython.int = 0
        q: cython.int
        i: cython.Py_ssize_t
        at: cython.Py_ssize_t
        distance2: cython.double
        stack[0], stack[1], nodes[1] = 1, 0, 0.0
        while True:
            q = self.next_nearest(stack, nodes, x, y, limit2, 1)
            if q < 0:
                return n
            at = self.place_of(q)
            i = self.links[at + 8]
            for i in range(i, i + self.links[at + 12]):
                distance2 = self.distance2(i, x, y, limit2)
                if distance2 > limit2 or distance2 < least2:
                    continue
                if distance2 > least2 or self.ids[i] > after:
                    n = self.sort_in(
                        hits, distances, ranks, n, k, self.ids[i], distance2, self.ids[i]
                    )
                    if n == k:
                        limit2 = distances[k - 1]

    def touch_time(
        self,
        i: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        radius: cython.double,
    ) -> cython.double:
        """When a moving disc first touches the box of entry i."""
        row: cython.int = self.ids[i]
        j: cython.Py_ssize_t = 4 * i
        if self.rounded:
            return box_time(
                x0 - self.exact[row, 0],
                y0 - self.exact[row, 1],
                x0 - self.exact[row, 2],
                y0 - self.exact[row, 3],
                x1 - x0,
                y1 - y0,
                radius,
            )
        return box_time(
            x0 - self.rough[j],
            y0 - self.rough[j + 1],
            x0 - self.rough[j + 2],
            y0 - self.rough[j + 3],
            x1 - x0,
            y1 - y0,
            radius,
        )

    # -- keeping -----------------------------------------------------------------------------------

    def boxes(self) -> np.ndarray:
        """The boxes the tree was built from, (n, 4) float64, in the order of their ids."""
        if self.rounded:
            return np.array(self.exact)
        boxes = np.empty((len(self.ids), 4))
        boxes[np.frombuffer(self.ids, np.int32)] = np.frombuffer(self.rough, np.float32).reshape(
            -1, 4
        )
        return boxes

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.boxes(),)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tree to one `.npz` file, for `StaticQuadtree.load`.

        Args:
            path: The file, with its ending.
        """
        with open(path, "wb") as file:
            np.savez_compressed(file, boxes=self.boxes())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> StaticQuadtree:
        """Read a tree that `save` wrote; it is built afresh, and answers the same.

        Args:
            path: The file.

        Raises:
            ValueError: The file holds no tree.
            OSError: It cannot be read.
        """
        try:
            with open(path, "rb") as file, zipfile.ZipFile(file) as parts:
                boxes = np.lib.format.read_array(parts.open("boxes.npy"), allow_pickle=False)
            return StaticQuadtree(boxes)
        except (KeyError, EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(f"{os.fspath(path)!r} holds no tree: {error}") from None

    # -- inspecting --------------------------------------------------------------------------------

    def explain(self, verb: str, *args: Any, **options: Any) -> Explanation:
        """What a question costs here: how much of the tree it looks at, and what it leaves out.

        Slow, as it walks in Python. For the question why a query is, not for every frame.

        Args:
            verb: "query", "within", "nearest", "k_nearest" or "segment".
            args: What the verb is asked.
            options: What it is asked by name.

        Returns:
            Counts, as named in `Explanation`.

        Raises:
            ValueError: Another verb, or as the verb itself.

        Example:
            >>> tree = StaticQuadtree([(x, 0, x + 1, 1) for x in range(100)])
            >>> tree.explain("nearest", 50.5, 0.5).found
            1
        """
        return explain_static(self, verb, *args, **options)

    def _arrays(self) -> dict[str, memoryview]:
        """The arrays of nodes and boxes by their names, without those of the caller."""
        return {
            **Nodes._arrays(self),
            "ids": memoryview(self.ids),
            "rough": memoryview(self.rough),
        }

    def check(self) -> None:
        """Prove every invariant of the tree, for tests. O(n).

        Raises:
            AssertionError: One does not hold, which is a bug of tilequad.
        """
        entries = []
        for q in self._check_nodes():
            at = (q >> 2) * 16 + (q & 3)
            for i in range(self.links[at + 8], self.links[at + 8] + self.links[at + 12]):
                entries.append(i)
                assert self.box[at] <= self.rough[4 * i], f"min_x of box {self.ids[i]}"
                assert self.box[at + 4] <= self.rough[4 * i + 1], f"min_y of box {self.ids[i]}"
                assert self.box[at + 8] >= self.rough[4 * i + 2], f"max_x of box {self.ids[i]}"
                assert self.box[at + 12] >= self.rough[4 * i + 3], f"max_y of box {self.ids[i]}"
        assert sorted(entries) == list(range(len(self.ids))), "an entry is lost or in two leaves"
        assert sorted(self.ids) == list(range(len(self.ids))), "an id is lost or there twice"


# -- helpers ---------------------------------------------------------------------------------------


def sorted_ids(found: IntBuffer) -> np.ndarray:
    """What was found, in ascending order."""
    return np.sort(np.frombuffer(found.taken(), np.int32))

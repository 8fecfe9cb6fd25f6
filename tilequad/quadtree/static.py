# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# Plain C methods, as in dynamic.py.
"""StaticQuadtree: boxes that never move, built into a tree at once."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from tilequad._core import _cython as cython
from tilequad._core._cython import Gil, Object, Raises
from tilequad._core.arrays import unchecked_boxes
from tilequad._core.buffers import IntBuffer
from tilequad._core.checks import (
    checked_count,
    checked_most,
    distance_of,
    limit_of,
    position_of,
    read_bounds,
)
from tilequad._core.layout import (
    HITS,
    MAX_DEPTH,
    MAX_K,
    MAX_LEAF_SIZE,
    NONE,
    Ranking,
    Walk,
    start_counts,
)
from tilequad._core.tree.box_query import begin_box, find_boxes_in_box, sort_ints
from tilequad._core.tree.boxes import BOXES_PER_LEAF, BoxStore
from tilequad._core.tree.inspection import (
    TreeStats,
    check_boxes,
    limits_told,
    nbytes_of_boxes,
    stats_of,
    table_of,
)
from tilequad._core.tree.nearest import (
    continue_ranking,
    find_nearest_boxes,
    look_from,
    start_ranking,
)
from tilequad._core.tree.rows import BOXES, write_rows
from tilequad._core.tree.saving import box_rows, read_boxes, restore_boxes
from tilequad._core.tree.segment import begin_segment, find_boxes_on_segment
from tilequad._core.tree.walk import Tally
from tilequad._core.tree.within import begin_boxes_within, find_boxes_within
from tilequad.quadtree.explain import Explanation, explanation

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer
    from typing_extensions import Self

if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.numpy import (
        NPY_INT32,
        PyArray_DATA,
        PyArray_SimpleNew,
        import_array,
        npy_intp,
    )

    import_array()  # required in each module that uses numpy's C API

BOX_VERBS = ("query", "within", "nearest", "k_nearest", "segment")
INT32 = np.dtype(np.int32)


@cython.cclass
class StaticQuadtree:
    """A quadtree over boxes that never move. The id of a box is its row.

    Boxes are closed: what touches, overlaps; a box without size is a point. They may overlap,
    coincide, and have any size. Ids come in ascending order, or by distance with ties in ascending
    order.

    The tree stores each box as four float32, rounded outward, 16 bytes. If float32 is exact, as for
    whole pixels, that is all. Otherwise hits are confirmed on the given array, which must not
    change while the tree is used.

    Cost: O(n log n) to build, about 25 bytes per box; a query takes O(log n + hits).

    Args:
        boxes: (n, 4) floats, each row min_x, min_y, max_x, max_y.
        leaf_size: The most boxes in a leaf, 1 to 65,536. Only boxes whose centers coincide, or that
            lie at `max_depth`, share a leaf with more. It changes what a query costs, not what it
            finds, nor in which order; the default is the fastest in our benchmarks.
        max_depth: The most levels below the root, 1 to 40.

    Raises:
        ValueError: The array has another shape, a number is not finite, a minimum is above its
            maximum, or a limit is out of range.
        TypeError: A limit is not a whole number.

    Example:
        >>> tree = StaticQuadtree([(0, 0, 32, 32), (32, 0, 64, 32), (0, 32, 32, 96)])
        >>> tree.query((40, 10, 50, 20))
        array([1], dtype=int32)
        >>> tree.nearest(0, 200)
        2
    """

    __slots__ = {
        "_store": "BoxStore",
        "_tally": "Tally",
    }

    __signature__ = inspect.Signature(
        [
            inspect.Parameter("boxes", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            inspect.Parameter("leaf_size", inspect.Parameter.KEYWORD_ONLY, default=BOXES_PER_LEAF),
            inspect.Parameter("max_depth", inspect.Parameter.KEYWORD_ONLY, default=MAX_DEPTH),
        ]
    )

    def __init__(
        self,
        boxes: npt.ArrayLike,
        *,
        leaf_size: SupportsIndex = BOXES_PER_LEAF,
        max_depth: SupportsIndex = MAX_DEPTH,
    ) -> None:
        most = checked_most(leaf_size, "leaf_size", MAX_LEAF_SIZE)
        deepest = checked_most(max_depth, "max_depth", MAX_DEPTH)
        store: BoxStore = BoxStore(unchecked_boxes(boxes), most, deepest)
        if self._store is not None if cython.compiled else hasattr(self, "_store"):  # type: ignore[has-type]
            raise RuntimeError("a static tree is built once")
        self._store = store
        self._tally: Tally | None = None

    # -- asking ------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        boxes = f"{len(self):,} box{'es' * (len(self) != 1)}"
        limits = limits_told(self.leaf_size, self.max_depth, BOXES_PER_LEAF)
        return f"<{type(self).__name__} of {boxes}{limits}>"

    def __len__(self) -> int:
        return len(self._made().ids)

    @property
    def leaf_size(self) -> int:
        """The most boxes in a leaf, unless their centers coincide or the leaf is at max_depth."""
        return self._made().leaf_size

    @property
    def max_depth(self) -> int:
        """The most levels below the root."""
        return self._made().nodes.max_depth

    def query(self, bounds: Sequence[float]) -> npt.NDArray[np.int32]:
        """Find the boxes that overlap a box.

        Args:
            bounds: The closed box: min_x, min_y, max_x, max_y.

        Returns:
            Their ids, (n,) int32, ascending.

        Raises:
            ValueError: The bounds are not a box.
        """
        walk = cython.declare(Walk)
        box = cython.declare(cython.double[4])
        read_bounds(bounds, box)
        self._start(cython.address(walk))
        begin_box(cython.address(walk), box, 1, 0)
        return self._ascending(cython.address(walk), True)

    def within(self, x: float, y: float, radius: float) -> npt.NDArray[np.int32]:
        """Find the boxes within a radius of a point, by their edges; 0 away if they contain it.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            radius: The largest distance.

        Returns:
            Their ids, (n,) int32, ascending.

        Raises:
            ValueError: A number is not finite, or the radius is negative.
        """
        walk = cython.declare(Walk)
        place_x = position_of(x, "x")
        place_y = position_of(y, "y")
        most = distance_of(radius, "radius")
        self._start(cython.address(walk))
        begin_boxes_within(cython.address(walk), place_x, place_y, most)
        return self._ascending(cython.address(walk), False)

    def nearest(self, x: float, y: float, max_distance: float = 1e309) -> int | None:
        """Find the box nearest to a point, by its edges; ties go to the lowest id.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            max_distance: Leave out farther boxes.

        Returns:
            Its id, or None if there is none.

        Raises:
            ValueError: A coordinate is not finite, or max_distance is negative or NaN.
        """
        walk = cython.declare(Walk)
        ranking = cython.declare(Ranking)
        place_x = position_of(x, "x")
        place_y = position_of(y, "y")
        most = limit_of(max_distance, 0.0)
        self._start(cython.address(walk))
        look_from(cython.address(walk), place_x, place_y, 1, 0)
        start_ranking(cython.address(ranking), 1, 0.0, most, NONE)
        n = find_nearest_boxes(self._store, cython.address(walk), cython.address(ranking))
        self._stop(cython.address(walk))
        return ranking.hits[0] if n else None

    def k_nearest(
        self,
        x: float,
        y: float,
        k: int,
        max_distance: float = 1e309,
    ) -> npt.NDArray[np.int32]:
        """Find the k boxes nearest to a point, by their edges, nearest first.

        One search finds up to 64, so 10,000 boxes take some 7 ms.

        Args:
            x: The point, in world units.
            y: The point, in world units.
            k: How many, at least 1.
            max_distance: Leave out farther boxes.

        Returns:
            Their ids, (n,) int32 with n <= k, nearest first, ties in ascending order.

        Raises:
            ValueError: A coordinate is not finite, max_distance is negative or NaN, or k < 1.
        """
        walk = cython.declare(Walk)
        ranking = cython.declare(Ranking)
        i: cython.Py_ssize_t
        found: list[int] = []
        place_x = position_of(x, "x")
        place_y = position_of(y, "y")
        most = limit_of(max_distance, 0.0)
        count = checked_count(k, "k")
        self._start(cython.address(walk))
        look_from(cython.address(walk), place_x, place_y, 1, 0)
        start_ranking(cython.address(ranking), 1, 0.0, most, NONE)
        while True:
            ranking.k = min(count - len(found), MAX_K)
            n = find_nearest_boxes(self._store, cython.address(walk), cython.address(ranking))
            if n == count or (n < ranking.k and len(found) == 0):  # one search is usually enough
                self._stop(cython.address(walk))
                return ints_of(ranking.hits, n)
            for i in range(n):
                found.append(ranking.hits[i])
            if n < ranking.k or len(found) == count:
                self._stop(cython.address(walk))
                return np.array(found, INT32)
            continue_ranking(cython.address(ranking))

    def segment(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        width: float = 0.0,
    ) -> npt.NDArray[np.int32]:
        """Find the boxes that a line, or a moving disc, touches.

        Args:
            x0: The start, in world units.
            y0: The start, in world units.
            x1: The end.
            y1: The end.
            width: The diameter of a disc that moves along the segment; 0 for a line.

        Returns:
            Their ids, (n,) int32, in the order of first touch, ties in ascending order. Sorting
            them takes 0.2 to 0.4 microseconds for each.

        Raises:
            ValueError: A number is not finite, or width is negative.
        """
        walk = cython.declare(Walk)
        hits = cython.declare(cython.int[HITS])
        times = cython.declare(cython.double[HITS])
        i: cython.Py_ssize_t
        n = HITS
        touched: list[tuple[float, int]] = []
        from_x = position_of(x0, "x0")
        from_y = position_of(y0, "y0")
        to_x = position_of(x1, "x1")
        to_y = position_of(y1, "y1")
        radius = distance_of(width, "width") / 2.0
        self._start(cython.address(walk))
        begin_segment(cython.address(walk), from_x, from_y, to_x, to_y, radius, 1, 0)
        while n == HITS:
            n = find_boxes_on_segment(self._store, cython.address(walk), hits, times)
            for i in range(n):
                touched.append((times[i], hits[i]))
        self._stop(cython.address(walk))
        touched.sort()
        return np.array([box for _, box in touched], INT32)

    # -- keeping -----------------------------------------------------------------------------------

    def boxes(self) -> npt.NDArray[np.float64]:
        """Return the boxes that the tree was built from, (n, 4) float64, by id."""
        return self._made().boxes()

    def digest(self) -> bytes:
        """Return 16 bytes that tell whether two trees have the same boxes, to the last bit.

        They are the same on every machine, compiled or not, for any leaf_size and max_depth. O(n).
        """
        return blake2b(self.boxes().astype("<f8").tobytes(), digest_size=16).digest()

    def to_bytes(self) -> bytes:
        """Return the tree as bytes, for a file or another process.

        `from_bytes` reads them on any machine, compiled or not, without building the tree again.
        O(n), 20 to 60 bytes per box.

        Example:
            >>> tree = StaticQuadtree([(0, 0, 32, 32), (32, 0, 64, 32)])
            >>> StaticQuadtree.from_bytes(tree.to_bytes()).query((40, 10, 50, 20))
            array([1], dtype=int32)
        """
        return write_rows(BOXES, box_rows(self._made()))

    @classmethod
    def from_bytes(cls, data: ReadableBuffer) -> Self:
        """Restore a tree from what `to_bytes` returned; it gives the same answers.

        Data from a stranger is safe to read: it is checked first, runs no code, and takes no more
        memory than a tree of that size. The tree keeps the bytes, because the boxes stay in them.

        Args:
            data: What `to_bytes` returned, as bytes, or anything with a buffer, which is copied.

        Raises:
            ValueError: The data is cut short, damaged, not of a StaticQuadtree, or of a version
                that cannot be read.
        """
        rows = read_boxes(data)
        store: BoxStore = BoxStore.__new__(BoxStore)
        restore_boxes(store, rows)
        tree: StaticQuadtree = cls.__new__(cls)
        tree._store = store
        tree._tally = None
        return tree  # type: ignore[return-value]  # C knows no Self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),), getattr(self, "__dict__", None)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what `to_bytes` returns to a file, for `StaticQuadtree.load`.

        Args:
            path: The file, with its suffix.
        """
        with open(path, "wb") as file:
            file.write(self.to_bytes())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> StaticQuadtree:
        """Read a tree that `save` wrote; it gives the same answers. See `from_bytes`.

        Args:
            path: The file.

        Raises:
            ValueError: The file does not hold a tree.
            OSError: It cannot be read.
        """
        with open(path, "rb") as file:
            data = file.read()
        try:
            return StaticQuadtree.from_bytes(data)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)!r} holds no tree: {error}") from None

    # -- inspecting --------------------------------------------------------------------------------

    def nodes(self) -> npt.NDArray[np.void]:
        """Return the nodes and leaves, for overlays and statistics.

        Cost: less than a microsecond for each node.

        Returns:
            A structured array, parents before children, the root first: `min_x`, `min_y`, `max_x`,
            `max_y` (the part of the plane that the node covers, clipped to the boxes), `depth` (0
            for the root), `count` (boxes below it) and `leaf`.
        """
        return table_of(self._made().nodes)

    def stats(self) -> TreeStats:
        """Return statistics of the tree: its size, depth and fill."""
        return stats_of(self.nodes(), nbytes_of_boxes(self._made()))

    def explain(self, verb: str, *args: Any, **options: Any) -> Explanation:
        """Ask a question and count how much of the tree it visits, and what it prunes.

        Args:
            verb: "query", "within", "nearest", "k_nearest" or "segment".
            args: The arguments of the verb.
            options: The arguments of the verb by name.

        Returns:
            Counts, as named in `Explanation`.

        Raises:
            ValueError: `verb` is none of these, or the method raises it.

        Example:
            >>> tree = StaticQuadtree([(x, 0, x + 1, 1) for x in range(100)])
            >>> tree.explain("nearest", 50.5, 0.5).found
            1
        """
        counted: StaticQuadtree = StaticQuadtree.__new__(StaticQuadtree)
        counted._store = self._made()
        tally: Tally = Tally()
        counted._tally = tally
        return explanation(counted, tally, BOX_VERBS, verb, args, options)

    def check(self) -> None:
        """Check every invariant of the tree, for tests. O(n).

        Raises:
            AssertionError: An invariant is broken, which is a bug in tilequad.
        """
        check_boxes(self._made())

    # -- helpers -----------------------------------------------------------------------------------

    @cython.final
    def _made(self) -> Object[BoxStore]:
        """Return the boxes; raise an AttributeError if `__init__` has not run."""
        if self._store is None:  # in compiled code, an attribute that is not set is None
            raise AttributeError(f"{type(self).__name__}.__init__ must call super().__init__")
        return self._store

    @cython.final
    def _start(self, walk: cython.pointer[Walk]) -> Raises[cython.int]:
        """Start the counts of a question; they are only kept for `explain`."""
        if self._store is None:
            self._made()
        start_counts(walk, self._tally is not None)
        return 0

    @cython.final
    def _stop(self, walk: cython.pointer[Walk]) -> Gil[None]:
        """Hand the counts of a question to `explain`, if it asked."""
        if self._tally is not None:
            self._tally.add(walk)

    @cython.final
    def _ascending(self, walk: cython.pointer[Walk], in_box: cython.bint) -> Object[np.ndarray]:
        """Return the ids that a walk finds, ascending. A few ids are sorted without numpy."""
        hits = cython.declare(cython.int[HITS])
        found: IntBuffer | None = None
        n = HITS
        while n == HITS:
            if in_box:
                n = find_boxes_in_box(self._store, walk, hits)
            else:
                n = find_boxes_within(self._store, walk, hits)
            if found is None and n == HITS:
                found = IntBuffer(4 * HITS)
            if found is not None:
                found.extend(hits, n)
        self._stop(walk)
        if found is not None:
            return np.sort(np.frombuffer(found.taken(), INT32))
        sort_ints(hits, n)
        return ints_of(hits, n)


def box_store_of(tree: StaticQuadtree) -> BoxStore:
    """Return the boxes of a tree, for the kernels."""
    return tree._made()


def ints_of(values: cython.p_int, n: cython.Py_ssize_t) -> Object[np.ndarray]:
    """Return n values of a C array as a numpy array; `numpy.array` takes four times as long."""
    if cython.compiled:
        size: npy_intp = n
        found = PyArray_SimpleNew(1, cython.address(size), NPY_INT32)
        memcpy(PyArray_DATA(found), values, n * cython.sizeof(cython.int))
        return found
    return np.array(values[:n], np.int32)

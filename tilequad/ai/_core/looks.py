# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Lines of sight among boxes, and the outline of what a place sees.

Boxes that touch are merged into runs. A box that holds an end of a line does not block it.
"""

from __future__ import annotations

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # compiled, looks.pxd imports these
    from math import sqrt

    from tilequad.quadtree._core import _cython as cython
    from tilequad.quadtree._core.layout import INF, Walk, start_counts
    from tilequad.quadtree._core.motion import slab_time
    from tilequad.quadtree._core.segment import begin_segment
    from tilequad.quadtree._core.walk import next_span

from tilequad.quadtree._core.box_store import BoxStore
from tilequad.quadtree.static import StaticQuadtree


class Looks:
    """Lines of sight among the boxes of a tree.

    Args:
        tree: The runs.
        boxes: The runs, by id, then the boxes that they are merged from.
        starts: The row of the first box of each run, and of the end.
    """

    __slots__ = ("boxes", "starts", "store")

    def __init__(self, tree: StaticQuadtree, boxes: memoryview, starts: memoryview) -> None:
        store: BoxStore = tree._store
        self.store = store
        self.boxes = boxes
        self.starts = starts

    def fill_clear(
        self, a: cython.double[:, ::1], b: cython.double[:, ::1], found: cython.uchar[::1]
    ) -> None:
        """Write which lines nothing blocks."""
        i: cython.Py_ssize_t
        with cython.nogil:
            for i in range(len(found)):
                found[i] = self.is_clear(a[i, 0], a[i, 1], b[i, 0], b[i, 1])

    def clear(
        self, x0: cython.double, y0: cython.double, x1: cython.double, y1: cython.double
    ) -> bool:
        """Whether nothing blocks a line."""
        return bool(self.is_clear(x0, y0, x1, y1))

    def is_clear(
        self, x0: cython.double, y0: cython.double, x1: cython.double, y1: cython.double
    ) -> cython.bint:
        """Whether nothing blocks a line. The first run that does ends the search."""
        walk = cython.declare(Walk)
        i: cython.Py_ssize_t
        start_counts(cython.address(walk), False)
        begin_segment(cython.address(walk), x0, y0, x1, y1, 0.0, 1, 0)
        while next_span(self.store.nodes, cython.address(walk)):
            for i in range(walk.entry, walk.end):
                if self.run_time(self.store.ids[i], x0, y0, x1, y1) <= 1.0:
                    return False
            walk.entry = walk.end
        return True

    def first_hit(
        self, x0: cython.double, y0: cython.double, x1: cython.double, y1: cython.double
    ) -> tuple[float, int]:
        """When a line first meets a run, 0 to 1 or inf, and which."""
        walk = cython.declare(Walk)
        i: cython.Py_ssize_t
        run: cython.int = -1
        time: cython.double
        first: cython.double = INF
        start_counts(cython.address(walk), False)
        begin_segment(cython.address(walk), x0, y0, x1, y1, 0.0, 1, 0)
        while next_span(self.store.nodes, cython.address(walk)):
            for i in range(walk.entry, walk.end):
                time = self.run_time(self.store.ids[i], x0, y0, x1, y1)
                if time < first or (time == first <= 1.0 and self.store.ids[i] < run):
                    first = time
                    run = self.store.ids[i]
            walk.entry = walk.end
        return first, run

    def run_time(
        self,
        run: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
    ) -> cython.double:
        """When a line meets a run, without the boxes that hold its ends; inf if never."""
        i: cython.Py_ssize_t
        first: cython.double = self.box_time(run, x0, y0, x1, y1)
        if first > 1.0 or not (self.holds(run, x0, y0) or self.holds(run, x1, y1)):
            return first
        first = INF
        for i in range(self.starts[run], self.starts[run + 1]):
            if not (self.holds(i, x0, y0) or self.holds(i, x1, y1)):
                first = min(first, self.box_time(i, x0, y0, x1, y1))
        return first

    def box_time(
        self,
        i: cython.Py_ssize_t,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
    ) -> cython.double:
        """When a line meets a box; inf if never."""
        low_x: cython.double = self.boxes[i, 0]
        low_y: cython.double = self.boxes[i, 1]
        high_x: cython.double = self.boxes[i, 2]
        high_y: cython.double = self.boxes[i, 3]
        if (
            (x0 < low_x and x1 < low_x)
            or (x0 > high_x and x1 > high_x)
            or (y0 < low_y and y1 < low_y)
            or (y0 > high_y and y1 > high_y)
        ):
            return INF
        return slab_time(
            x0 - low_x, y0 - low_y, x0 - high_x, y0 - high_y, x1 - x0, y1 - y0, 0.0, 0.0
        )

    def holds(self, i: cython.Py_ssize_t, x: cython.double, y: cython.double) -> cython.bint:
        """Whether a closed box holds a point."""
        return (
            self.boxes[i, 0] <= x <= self.boxes[i, 2] and self.boxes[i, 1] <= y <= self.boxes[i, 3]
        )


# -- the outline -----------------------------------------------------------------------------------
#
# All is relative to the viewer. A direction has a pseudo-angle from 0 to 4, which grows with the
# angle and needs no trigonometry. An edge is a row: the axis that it crosses (0 or 1), its place on
# that axis, its lower and higher end on the other, and the pseudo-angles where it begins and ends.


def angle_of(x: cython.double, y: cython.double) -> cython.double:
    """The pseudo-angle of a direction."""
    part: cython.double = y / (abs(x) + abs(y))
    if x < 0.0:
        return 2.0 - part
    return part if y >= 0.0 else 4.0 + part


def find_edges(
    boxes: cython.double[:, ::1],
    x: cython.double,
    y: cython.double,
    radius: cython.double,
    edges: cython.double[:, ::1],
    turns: cython.double[:, ::1],
) -> tuple[int, int]:
    """Write the edges that face the viewer, and the directions in which they begin and end.

    Returns:
        The number of edges, and of directions: angle, x, y.
    """
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    m: cython.Py_ssize_t = 0
    low_x: cython.double
    low_y: cython.double
    high_x: cython.double
    high_y: cython.double
    for i in range(len(boxes)):
        low_x = boxes[i, 0] - x
        low_y = boxes[i, 1] - y
        high_x = boxes[i, 2] - x
        high_y = boxes[i, 3] - y
        if low_x > 0.0 or high_x < 0.0:
            n = add_edge(edges, n, turns, m, 0, low_x if low_x > 0.0 else high_x, low_y, high_y,
                         radius)  # fmt: skip
            m = 2 * n
        if low_y > 0.0 or high_y < 0.0:
            n = add_edge(edges, n, turns, m, 1, low_y if low_y > 0.0 else high_y, low_x, high_x,
                         radius)  # fmt: skip
            m = 2 * n
    return n, m


def add_edge(
    edges: cython.double[:, ::1],
    n: cython.Py_ssize_t,
    turns: cython.double[:, ::1],
    m: cython.Py_ssize_t,
    axis: cython.int,
    place: cython.double,
    low: cython.double,
    high: cython.double,
    radius: cython.double,
) -> cython.Py_ssize_t:
    """Add an edge, cut off at the radius, and return the number of edges."""
    rest: cython.double = radius * radius - place * place
    first: cython.double
    last: cython.double
    if rest <= 0.0:
        return n
    rest = sqrt(rest)
    low = max(low, -rest)
    high = min(high, rest)
    if low >= high:
        return n
    # Counterclockwise, an edge to the right and one below the viewer begin at their lower ends.
    first = low if (place > 0.0) == (axis == 0) else high
    last = high if first == low else low
    edges[n, 0] = axis
    edges[n, 1] = place
    edges[n, 2] = low
    edges[n, 3] = high
    add_turn(turns, m, place if axis == 0 else first, first if axis == 0 else place)
    add_turn(turns, m + 1, place if axis == 0 else last, last if axis == 0 else place)
    edges[n, 4] = turns[m, 0]
    edges[n, 5] = turns[m + 1, 0]
    return n + 1


def add_turn(
    turns: cython.double[:, ::1], m: cython.Py_ssize_t, x: cython.double, y: cython.double
) -> None:
    """Write a direction."""
    turns[m, 0] = angle_of(x, y)
    turns[m, 1] = x
    turns[m, 2] = y


def find_crossings(
    edges: cython.double[:, ::1], n: cython.Py_ssize_t, turns: cython.double[:, ::1]
) -> int:
    """Write the directions in which edges cross, as far as there is room; return their number."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    m: cython.Py_ssize_t = 0
    for i in range(n):
        if edges[i, 0] != 0.0:
            continue
        for j in range(n):
            if (
                edges[j, 0] == 1.0
                and edges[i, 2] < edges[j, 1] < edges[i, 3]
                and edges[j, 2] < edges[i, 1] < edges[j, 3]
            ):
                if m < len(turns):
                    add_turn(turns, m, edges[i, 1], edges[j, 1])
                m += 1
    return m


def trace(
    edges: cython.double[:, ::1],
    turns: cython.double[:, ::1],
    order: cython.longlong[::1],
    by_start: cython.longlong[::1],
    active: cython.int[::1],
    radius: cython.double,
    outline: cython.double[:, ::1],
) -> int:
    """Write the outline counterclockwise, from direction to direction; return its length.

    Between two directions in which something begins, ends or crosses, one edge is the nearest, or
    none. `by_start` is the order of the edges by where they begin.
    """
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    edge: cython.Py_ssize_t
    nearest: cython.Py_ssize_t
    before: cython.Py_ssize_t = -2
    kept: cython.Py_ssize_t
    living: cython.Py_ssize_t = 0
    started: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = 0
    mid_x: cython.double
    mid_y: cython.double
    scale: cython.double
    along: cython.double
    time: cython.double
    first: cython.double
    here: cython.Py_ssize_t
    there: cython.Py_ssize_t
    for k in range(len(order) - 1):
        here = order[k]
        there = order[k + 1]
        if turns[there, 0] <= turns[here, 0]:
            continue
        while started < len(by_start) and edges[by_start[started], 4] <= turns[here, 0]:
            active[living] = cython.cast(cython.int, by_start[started])
            living += 1
            started += 1
        scale = 1.0 / (abs(turns[here, 1]) + abs(turns[here, 2]))
        along = 1.0 / (abs(turns[there, 1]) + abs(turns[there, 2]))
        mid_x = turns[here, 1] * scale + turns[there, 1] * along
        mid_y = turns[here, 2] * scale + turns[there, 2] * along
        nearest = -1
        first = INF
        kept = 0
        for i in range(living):
            edge = active[i]
            if edges[edge, 5] <= turns[here, 0]:
                continue
            active[kept] = active[i]
            kept += 1
            along = mid_x if edges[edge, 0] == 0.0 else mid_y
            time = edges[edge, 1] / along if along != 0.0 else INF
            if 0.0 < time < first:
                first = time
                nearest = edge
        living = kept
        if nearest != before or nearest < 0:
            n = add_point(edges, nearest, turns, here, radius, outline, n)
        elif n > 0:
            n -= 1  # the same edge goes on
        n = add_point(edges, nearest, turns, there, radius, outline, n)
        before = nearest
    return n


def add_point(
    edges: cython.double[:, ::1],
    edge: cython.Py_ssize_t,
    turns: cython.double[:, ::1],
    turn: cython.Py_ssize_t,
    radius: cython.double,
    outline: cython.double[:, ::1],
    n: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Add the point of an edge, or of the circle, in a direction, unless it is the last one."""
    x: cython.double = turns[turn, 1]
    y: cython.double = turns[turn, 2]
    scale: cython.double
    if edge < 0:
        scale = radius / sqrt(x * x + y * y)
        x = x * scale
        y = y * scale
    elif edges[edge, 0] == 0.0:
        if x != edges[edge, 1]:  # otherwise it is an end of the edge, exactly
            y = edges[edge, 1] * y / x if x != 0.0 else y
        x = edges[edge, 1]
        y = min(max(y, edges[edge, 2]), edges[edge, 3])
    else:
        if y != edges[edge, 1]:
            x = edges[edge, 1] * x / y if y != 0.0 else x
        y = edges[edge, 1]
        x = min(max(x, edges[edge, 2]), edges[edge, 3])
    if n == 0 or outline[n - 1, 0] != x or outline[n - 1, 1] != y:
        outline[n, 0] = x
        outline[n, 1] = y
        n += 1
    return n

"""The brute force twins once more, over numpy arrays: fast enough for large trees and long runs.

The definitions are those of `tests.oracle`, a column at a time; `test_oracle.py` holds the two
against each other. Arguments are not checked here.
"""

from __future__ import annotations

from math import inf

import numpy as np

from tests.oracle import ALL_GROUPS, first

COLUMNS = ("x", "y", "radius", "half_width", "half_height")


class ArrayDynamic:
    """The twin of `DynamicQuadtree`: one row a unit, in the order of adding."""

    def __init__(self, bounds) -> None:
        self._rows: dict[object, int] = {}
        self._items = np.empty(16, dtype=object)
        self._end = 0
        self._alive = np.zeros(16, dtype=bool)
        self._boxed = np.zeros(16, dtype=bool)
        self._groups = np.zeros(16, dtype=np.uint32)
        self._x, self._y, self._radius, self._half_width, self._half_height = np.zeros((5, 16))

    def add(self, item, x, y, radius=0, size=None, groups=1) -> None:
        if self._end == len(self._alive):
            self._make_room()
        row = self._end
        self._end += 1
        self._rows[item] = row
        self._items[row] = item
        self._alive[row], self._boxed[row] = True, size is not None
        width, height = size or (0, 0)
        self._x[row], self._y[row], self._radius[row] = x, y, radius
        self._half_width[row], self._half_height[row] = width / 2, height / 2
        self._groups[row] = groups

    def move(self, item, x, y) -> None:
        row = self._rows[item]
        self._x[row], self._y[row] = x, y

    def remove(self, item) -> None:
        row = self._rows.pop(item)
        self._alive[row] = False
        self._items[row] = None

    def set_groups(self, item, groups) -> None:
        self._groups[self._rows[item]] = groups

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self):
        return iter(self._rows)

    def __contains__(self, item) -> bool:
        return item in self._rows

    def position(self, item) -> tuple[float, float]:
        row = self._rows[item]
        return float(self._x[row]), float(self._y[row])

    def query(self, bounds, groups=None, without=None) -> list:
        min_x, min_y, max_x, max_y = (float(number) for number in bounds)
        x, y, radius, half_width, half_height = self._columns()
        dx = np.maximum(np.maximum(x - max_x, min_x - x), 0.0)
        dy = np.maximum(np.maximum(y - max_y, min_y - y), 0.0)
        boxes = (dx <= half_width) & (dy <= half_height)
        circles = (np.maximum(dx, dy) <= radius) & (dx * dx + dy * dy <= radius * radius)
        hits = np.where(self._boxed[: self._end], boxes, circles)
        return self._named(np.flatnonzero(hits & self._matching(groups, None, without)))

    def within(
        self,
        x,
        y,
        radius,
        groups=None,
        without=None,
        min_radius=0,
        exclude=None,
        to_edge=False,
    ) -> list:
        hits = self._in_ring(x, y, min_radius, radius, to_edge)
        return self._named(np.flatnonzero(hits & self._matching(groups, exclude, without)))

    def any_within(self, *args, **options) -> bool:
        return bool(self.within(*args, **options))

    def count_within(self, *args, **options) -> int:
        return len(self.within(*args, **options))

    def nearest(self, x, y, *args, **options):
        found = self.k_nearest(x, y, 1, *args, **options)
        return found[0] if found else None

    def k_nearest(
        self,
        x,
        y,
        k,
        groups=None,
        without=None,
        min_distance=0,
        max_distance=inf,
        exclude=None,
        to_edge=False,
        where=None,
    ) -> list:
        d2 = self._distance2(x, y)
        hits = self._in_ring(x, y, min_distance, max_distance, to_edge)
        if to_edge:
            circles = np.maximum(np.sqrt(d2) - self._radius[: self._end], 0.0)
            boxes = np.sqrt(self._distance2_to_edge(x, y))
            d2 = np.where(self._boxed[: self._end], boxes, circles) ** 2
        rows = np.flatnonzero(hits & self._matching(groups, exclude, without))
        ranked = rows[np.argsort(d2[rows], kind="stable")]
        if where is None:
            ranked = ranked[:k]
        return first(k, self._named(ranked), where)

    def segment(self, x0, y0, x1, y1, width=0, groups=None, without=None, exclude=None) -> list:
        x, y, radius, half_width, half_height = self._columns()
        fx, fy, dx, dy = x0 - x, y0 - y, x1 - x0, y1 - y0
        low, high = (fx + half_width, fy + half_height), (fx - half_width, fy - half_height)
        t = np.where(
            self._boxed[: self._end],
            touch_boxes(low, high, dx, dy, width / 2),
            touch_circles(fx, fy, dx, dy, width / 2 + radius),
        )
        rows = np.flatnonzero((t < inf) & self._matching(groups, exclude, without))
        return self._named(rows[np.argsort(t[rows], kind="stable")])

    def pairs(self, groups=None, without=None) -> list:
        rows = np.flatnonzero(self._matching(groups, None, without))
        x, y, radius, half_width, half_height = (column[rows] for column in self._columns())
        boxed = self._boxed[rows]
        items = self._items[rows]
        found = []
        for a in range(len(rows)):
            others = slice(a + 1, None)
            dx, dy = abs(x[a] - x[others]), abs(y[a] - y[others])
            wide, high = half_width[a] + half_width[others], half_height[a] + half_height[others]
            boxes = (dx <= wide) & (dy <= high)
            # Where there is a circle, at most one of the two has half a size, the other 0.
            reach = radius[a] + radius[others]
            dx, dy = np.maximum(dx - wide, 0.0), np.maximum(dy - high, 0.0)
            circles = (np.maximum(dx, dy) <= reach) & (dx * dx + dy * dy <= reach * reach)
            hits = np.where(boxed[a] & boxed[others], boxes, circles)
            found += [(items[a], b) for b in items[others][hits]]
        return found

    def _columns(self) -> list[np.ndarray]:
        return [getattr(self, f"_{name}")[: self._end] for name in COLUMNS]

    def _distance2(self, x, y) -> np.ndarray:
        dx = self._x[: self._end] - x
        dy = self._y[: self._end] - y
        return dx * dx + dy * dy

    def _in_ring(self, x, y, low, high, to_edge) -> np.ndarray:
        d2 = self._distance2(x, y)
        if not to_edge:
            return (low * low <= d2) & (d2 <= high * high)
        far, near = high + self._radius[: self._end], low + self._radius[: self._end]
        circles = (d2 <= far * far) & ((low == 0) | (near * near <= d2))
        d2 = self._distance2_to_edge(x, y)
        boxes = (low * low <= d2) & (d2 <= high * high)
        return np.where(self._boxed[: self._end], boxes, circles)

    def _distance2_to_edge(self, x, y) -> np.ndarray:
        px, py, _, half_width, half_height = self._columns()
        dx = np.maximum(abs(px - x) - half_width, 0.0)
        dy = np.maximum(abs(py - y) - half_height, 0.0)
        return dx * dx + dy * dy

    def _matching(self, groups, exclude=None, without=None) -> np.ndarray:
        wanted = np.uint32(ALL_GROUPS if groups is None else groups)
        unwanted = np.uint32(without or 0)
        hits = self._alive[: self._end] & (self._groups[: self._end] & wanted != 0)
        hits &= self._groups[: self._end] & unwanted == 0
        if exclude is not None:
            hits[self._rows[exclude]] = False
        return hits

    def _named(self, rows) -> list:
        return self._items[rows].tolist()

    def _make_room(self) -> None:
        """Closes the gaps that removed units left, and doubles the arrays where there are few."""
        rows = np.fromiter(self._rows.values(), dtype=np.intp, count=len(self._rows))
        capacity = max(16, 2 * len(rows))
        for name in ("items", "alive", "boxed", "groups", *COLUMNS):
            old = getattr(self, f"_{name}")
            new = np.zeros(capacity, dtype=old.dtype)
            new[: len(rows)] = old[rows]
            setattr(self, f"_{name}", new)
        self._rows = dict(zip(self._rows, range(len(rows)), strict=True))
        self._end = len(rows)


class ArrayStatic:
    """The twin of `StaticQuadtree`: one column an edge of the boxes."""

    def __init__(self, boxes) -> None:
        self._edges = np.array(boxes, dtype=np.float64).reshape(-1, 4).T.copy()

    def __len__(self) -> int:
        return self._edges.shape[1]

    def query(self, bounds) -> np.ndarray:
        min_x, min_y, max_x, max_y = self._edges
        hits = (min_x <= bounds[2]) & (bounds[0] <= max_x)
        return ids(hits & (min_y <= bounds[3]) & (bounds[1] <= max_y))

    def within(self, x, y, radius) -> np.ndarray:
        return ids(self._distance2(x, y) <= radius * radius)

    def nearest(self, x, y, max_distance=inf) -> int | None:
        found = self.k_nearest(x, y, 1, max_distance)
        return int(found[0]) if len(found) else None

    def k_nearest(self, x, y, k, max_distance=inf) -> np.ndarray:
        d2 = self._distance2(x, y)
        found = ids(d2 <= max_distance * max_distance)
        return found[np.argsort(d2[found], kind="stable")][:k]

    def segment(self, x0, y0, x1, y1, width=0) -> np.ndarray:
        min_x, min_y, max_x, max_y = self._edges
        low, high = (x0 - min_x, y0 - min_y), (x0 - max_x, y0 - max_y)
        t = touch_boxes(low, high, x1 - x0, y1 - y0, width / 2)
        found = ids(t < inf)
        return found[np.argsort(t[found], kind="stable")]

    def _distance2(self, x, y) -> np.ndarray:
        min_x, min_y, max_x, max_y = self._edges
        dx = np.maximum(np.maximum(min_x - x, 0.0), x - max_x)
        dy = np.maximum(np.maximum(min_y - y, 0.0), y - max_y)
        return dx * dx + dy * dy


def ids(hits: np.ndarray) -> np.ndarray:
    return np.flatnonzero(hits).astype(np.int32)


def touch_circles(fx, fy, dx, dy, reach) -> np.ndarray:
    """`tests.oracle.come_near` for many circles; infinity where there is no touch."""
    a = dx * dx + dy * dy
    b = fx * dx + fy * dy
    cross = fx * dy - fy * dx
    disc = a * reach * reach - cross * cross
    t = np.full(fx.shape, inf)
    hits = (b < 0) & (disc >= 0) if a != 0 else np.zeros(fx.shape, dtype=bool)
    t[hits] = (-b[hits] - np.sqrt(disc[hits])) / a
    t[t > 1] = inf
    t[fx * fx + fy * fy <= reach * reach] = 0.0
    return t


def touch_boxes(low, high, dx, dy, reach) -> np.ndarray:
    """`tests.oracle.touch_box` for many boxes; infinity where there is no touch."""
    wide = enter_boxes(low, high, dx, dy, reach, 0.0)
    t = np.minimum(wide, enter_boxes(low, high, dx, dy, 0.0, reach))
    if reach > 0:
        for x in (low[0], high[0]):
            for y in (low[1], high[1]):
                t = np.minimum(t, touch_circles(x, y, dx, dy, reach))
    return t


def enter_boxes(low, high, dx, dy, wider, higher) -> np.ndarray:
    """`tests.oracle.enter_box` for many boxes; infinity where there is no touch."""
    enter, leave = np.zeros(low[0].shape), np.ones(low[0].shape)
    for beyond_low, beyond_high, step, more in (
        (low[0], high[0], dx, wider),
        (low[1], high[1], dy, higher),
    ):
        if step == 0:
            leave[(beyond_low < -more) | (beyond_high > more)] = -1.0
            continue
        near, far = (-more - beyond_low) / step, (more - beyond_high) / step
        enter = np.maximum(enter, np.minimum(near, far))
        leave = np.minimum(leave, np.maximum(near, far))
    return np.where(enter <= leave, enter, inf)

"""Paths: the way from one place to another, in straight lines."""

from __future__ import annotations

from math import isfinite
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.ways.areas import Areas
from tilequad._core.ways.astar import Ways
from tilequad._core.ways.buckets import Buckets
from tilequad.nav._shapes import DIAGONALS
from tilequad.nav.fields import Field
from tilequad.nav.grid import Grid, checked_points, require_grid, rows_of

__all__ = ["Paths"]

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

MARKS = 4  # the most landmarks


class Paths:
    """Finds ways on a grid, for units that each have a goal of their own.

    A path is the shortest way from cell to cell, straightened: it turns only where it must, enters
    no closed cell, and costs no more than the way by cells. Where many units share a goal, a
    `Field` serves all of them at once.

    It follows its grid, and knows which cells are connected, so asking for an impossible way costs
    nothing. One search runs at a time; threads wait for each other.

    Cost: a path takes about 40 ns for each cell visited. Distances from four landmarks keep the
    visits few, so the first query takes as long as four fields. When a cell becomes cheaper than it
    was when the landmarks were measured, they are dropped. They are measured again one at a time:
    each one waits until the searches have visited as many cells as measuring it takes. Memory: 38
    bytes for each cell of the grid.

    Args:
        grid: Where to walk.

    Attributes:
        grid: The grid.

    Raises:
        TypeError: `grid` is not a Grid.

    Example:
        >>> from tilequad.ai import Route
        >>> from tilequad.nav import Grid, Paths
        >>> paths = Paths(Grid([[1, 1, 1], [1, float("inf"), 1], [1, 1, 1]], cell_size=10))
        >>> corners = paths.find(5, 5, 28, 22)
        >>> corners.tolist()
        [[5.0, 5.0], [5.0, 25.0], [28.0, 22.0]]
        >>> Route(corners).at(10)
        (5.0, 15.0)
    """

    def __init__(self, grid: Grid) -> None:
        require_grid(grid)
        self.grid = grid
        self._lock = Lock()
        self._changed: list[Ints] = []
        self._areas: Areas | None = None
        self._ways: Ways | None = None
        self._kinds = 0
        self._marks = _Marks()
        grid._observe(self)

    def __repr__(self) -> str:
        return f"<Paths on {self.grid!r}>"

    def find(self, x0: float, y0: float, x1: float, y1: float) -> Floats | None:
        """Return the corners of the way from (x0, y0) to (x1, y1), None if they are not connected.

        A start in a closed cell, or outside, moves to the center of the nearest open cell. So does
        a goal, to the nearest that can be reached.

        Args:
            x0: The start, in world units.
            y0: The start.
            x1: The goal.
            y1: The goal.

        Returns:
            (n, 2) points in world units, as `Route` takes them; a single point if start and goal
            are equal.

        Raises:
            ValueError: A number is not finite.
        """
        ends = _checked_ends(x0, y0, x1, y1)
        return self._found(ends[:1], ends[1:])[0]

    def find_many(self, xy0: ArrayLike, xy1: ArrayLike) -> list[Floats | None]:
        """Return the way of each of many pairs, as `find` does, without the GIL.

        Args:
            xy0: The starts, (n, 2), or one start for all, (2,).
            xy1: The goals, (n, 2), or one goal for all, (2,).

        Raises:
            ValueError: A point is not two finite numbers, or the lengths differ.

        Example:
            >>> from tilequad.nav import Grid, Paths
            >>> paths = Paths(Grid([[True, False, True]]))
            >>> [path is None for path in paths.find_many((0.5, 0.5), [(0.2, 0.1), (2.5, 0.5)])]
            [False, True]
        """
        return self._found(*_checked_pairs(xy0, xy1))

    def connected(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Return whether a way leads from (x0, y0) to (x1, y1). Closed cells are not connected.

        Args:
            x0: The start, in world units.
            y0: The start.
            x1: The goal.
            y1: The goal.

        Raises:
            ValueError: A number is not finite.
        """
        start, goal = self._labels_at(_checked_ends(x0, y0, x1, y1)).tolist()
        return bool(start == goal > 0)

    def connected_many(self, xy0: ArrayLike, xy1: ArrayLike) -> NDArray[np.bool_]:
        """Return whether a way leads from the start to the goal of each of many pairs.

        Args:
            xy0: The starts, (n, 2), or one start for all, (2,).
            xy1: The goals, (n, 2), or one goal for all, (2,).

        Returns:
            (n,) bool.

        Raises:
            ValueError: A point is not two finite numbers, or the lengths differ.

        Example:
            >>> from tilequad.nav import Grid, Paths
            >>> paths = Paths(Grid([[True, False, True]]))
            >>> paths.connected_many((0.5, 0.5), [(0.2, 0.1), (2.5, 0.5)]).tolist()
            [True, False]
        """
        starts, goals = (self._labels_at(points) for points in _checked_pairs(xy0, xy1))
        same: NDArray[np.bool_] = (starts == goals) & (starts > 0)
        return same

    def _labels_at(self, points: Floats) -> Ints:
        """Return the areas of points, (n, 2); 0 in closed cells and outside."""
        areas = self._ready()[0]
        cells = self.grid._cells_at(points, -1)
        found = np.zeros(len(cells), np.int32)
        inside = cells >= 0
        places = self.grid._places(cells[inside])
        found[inside] = [areas.area_at(place) for place in places.tolist()]
        return found

    def _cells_changed(self, cells: Ints) -> None:
        """Note that cells have changed; the grid calls this."""
        self._changed.append(cells)

    def __getstate__(self) -> dict[str, Any]:
        return {"grid": self.grid, "_changed": self._changed, "_marks": self._marks}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = Lock()
        self._ways = self._areas = None
        self._kinds = 0

    # -- helpers -----------------------------------------------------------------------------------

    def _found(self, starts: Floats, goals: Floats) -> list[Floats | None]:
        if not len(starts):
            return []
        ends = np.empty(len(starts), np.int32)
        ways = self._ready()[1]
        with self._lock:
            before = ways.work()
            corners = ways.find_all(starts.data, goals.data, ends.data)
            self._marks.work += ways.work() - before
        parts = np.split(corners, ends[:-1])
        return [part if len(part) else None for part in parts]

    def _ready(self) -> tuple[Areas, Ways]:
        """Return the areas and the search, both up to date."""
        grid = self.grid
        with self._lock:
            changed, self._changed = self._changed, []
            self._marks.check(grid, changed)
            if self._areas is None:
                self._labels = np.empty(len(grid._codes), np.int32)
                self._areas = Areas(grid._ground, self._labels.data)
            elif sum(map(len, changed)) > len(grid) // 8:
                self._areas.label_all()
            else:
                for cells in changed:
                    self._areas.update(grid._places(cells).data)
            if self._ways is None or len(grid._costs) != self._kinds:
                self._make_ways(self._areas)
            assert self._ways is not None
            for _ in range(MARKS if self._marks.fresh else 1):
                self._marks.measure(grid, self._areas, self._labels, self._ways)
            self._marks.fresh = False
            self._marks.hand_to(self._ways)
            return self._areas, self._ways

    def _make_ways(self, areas: Areas) -> None:
        grid, shape = self.grid, self.grid._shape
        self._kinds = len(grid._costs)
        halves = grid._halves[1 : self._kinds]
        if not len(halves):  # all cells are closed
            halves = np.ones((1, 8), np.int64)
        moves = 2 * halves.min(axis=0)
        need = DIAGONALS[grid.diagonal]
        if shape.directions == 8:
            sides = moves[0] + moves[2]
            moves[1::2] = sides if need == 3 else np.minimum(moves[1::2], sides)
        used = halves[:, : shape.directions]
        queue = Buckets(int(used.min()) // 4, 4 * int(used.max()) + 16)
        costs = np.array(grid._costs)
        costs[0] = 0.0
        self._words = np.empty(len(grid._codes), np.int64)
        self._ways = Ways(
            grid._ground,
            areas,
            queue,
            self._words.data,
            moves.data,
            shape.walls().data,
            costs.data,
            shape.pitch(),
            need,
            self._kinds == 2,
        )


class _Marks:
    """The distances from some landmarks; they may be older than the grid.

    Attributes:
        fresh: Whether no query has measured landmarks yet.
        work: How many cells searches have visited since the landmarks were last dropped.
        codes: The codes of the grid when the last one was measured.
    """

    def __init__(self) -> None:
        self.fresh = True
        self.drop()

    def drop(self) -> None:
        """Forget the distances."""
        self.work = 0
        self.codes = np.empty(0, np.uint8)
        self._cells: list[tuple[NDArray[np.uint32], NDArray[np.uint16]]] = []

    def measure(self, grid: Grid, areas: Areas, labels: Ints, ways: Ways) -> None:
        """Measure one more landmark if it is due.

        Landmarks are the cells of the largest area that are nearest to the corners.
        """
        count = len(self._cells)
        if count == MARKS or not (self.fresh or self.work > (count + 1) * len(grid)):
            return
        counts = np.bincount(labels)
        counts[0] = 0
        kinds = np.flatnonzero(counts)
        if not len(kinds):
            return
        roots = np.array([areas.root_of(label) for label in kinds.tolist()])
        sizes = np.bincount(roots, counts[kinds])
        # Of equally large areas take the first cell's, because labels differ after saving.
        ties = kinds[sizes[roots] == sizes.max()]
        largest = areas.root_of(int(labels[np.isin(labels, ties).argmax()]))
        box = grid.bounds
        x = (box.min_x, box.max_x)[count % 2]
        y = (box.min_y, box.max_y)[count in (0, 3)]
        place = ways.nearest_in(x, y, largest)
        field = Field(grid, grid.center_many([grid._number(place)]))
        self._cells.append((field._low, field._rest))
        self.codes = grid._codes.copy()

    def check(self, grid: Grid, changed: list[Ints]) -> None:
        """Drop all landmarks if a cell has become cheaper since they were measured."""
        if self._cells and changed:
            places = grid._places(np.concatenate(changed))
            costs = np.array(grid._costs)
            if (costs[grid._codes[places]] < costs[self.codes[places]]).any():
                self.drop()

    def hand_to(self, ways: Ways) -> None:
        """Let searches use them."""
        ways.drop_marks()
        for low, rest in self._cells:
            ways.add_mark(low.data, rest.data)


def _checked_ends(x0: float, y0: float, x1: float, y1: float) -> Floats:
    """Return a start and a goal, (2, 2); raise ValueError unless they are finite."""
    if not (isfinite(x0) and isfinite(y0)):
        raise ValueError(f"x0 and y0 must be finite, got {x0!r} and {y0!r}")
    if not (isfinite(x1) and isfinite(y1)):
        raise ValueError(f"x1 and y1 must be finite, got {x1!r} and {y1!r}")
    return np.array(((x0, y0), (x1, y1)), np.float64)


def _checked_pairs(xy0: ArrayLike, xy1: ArrayLike) -> tuple[Floats, Floats]:
    """Starts and goals, (n, 2) each."""
    pairs = checked_points(xy0, "xy0"), checked_points(xy1, "xy1")
    for points, name in zip(pairs, ("xy0", "xy1"), strict=True):
        if points.ndim > 2:
            raise ValueError(f"{name} must have the shape (n, 2) or (2,), got {points.shape}")
    try:
        starts, goals = np.broadcast_arrays(*map(np.atleast_2d, pairs))
    except ValueError:
        lengths = f"{len(pairs[0])} and {len(pairs[1])}"
        raise ValueError(f"xy0 and xy1 must have the same length, got {lengths}") from None
    return rows_of(starts), rows_of(goals)

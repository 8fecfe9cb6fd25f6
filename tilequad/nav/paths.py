"""Paths: the way from one place to another, in straight lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.array_kinds import Floats, Ints
from tilequad._core.arrays import finite_pairs
from tilequad._core.checks import check_point
from tilequad._core.turns import Turns
from tilequad._core.ways.areas import Areas
from tilequad._core.ways.astar import AStar
from tilequad._core.ways.landmarks import Landmarks
from tilequad._core.ways.paths import PathFinder
from tilequad.nav.grid import Grid, ground_of

__all__ = ["Paths"]


BATCH = 16  # paths that are found before landmarks may be measured


class Paths:
    """Finds ways on a grid, for units that each have a goal of their own.

    A path is the shortest way from cell to cell, straightened: it turns only where it must, enters
    no closed cell, and costs no more than the way by cells. Where many units share a goal, a
    `Field` serves all of them at once.

    It follows its grid, and knows which cells are connected, so asking for an impossible way costs
    nothing. One search runs at a time; threads wait for each other.

    Cost: a path takes about 50 ns for each cell visited, at most all that are connected. Distances
    from four landmarks keep the visits few. They are measured one at a time, as long as a new
    `Field` takes: each one waits until the searches have visited as many cells as measuring it
    takes. When a cell becomes cheaper than it was when they were measured, they are dropped, and
    measured again. The connected areas are found, in 3 to 8 ns for each cell of the grid, at the
    first question whose answer depends on them: for `connected`, for an end that is closed or
    outside, or where there is no way. The first such way is searched for in vain.
    Memory: 12 bytes for each cell of the grid, and 8 more for each landmark.

    Args:
        grid: Where to walk.
        landmarks: Whether to measure landmarks. Without them long ways take longer, but of several
            ways that are equally short, the same one is found whatever was asked before.

    Raises:
        TypeError: `grid` is not a Grid.

    Example:
        >>> from tilequad.ai import Route
        >>> from tilequad.nav import Grid, Paths
        >>> paths = Paths(Grid([[1, 1, 1], [1, float("inf"), 1], [1, 1, 1]], cell_size=10))
        >>> corners = paths.find(5, 5, 28, 22)
        >>> corners.tolist()
        [[5.0, 5.0], [25.0, 5.0], [28.0, 22.0]]
        >>> Route(corners).at(10)
        (15.0, 5.0)
    """

    def __init__(self, grid: Grid, *, landmarks: bool = True) -> None:
        self._ground = ground_of(grid)
        self._guided = bool(landmarks)
        self._grid = grid
        self._grid._follow()
        self._seen = self._ground.changed  # how many cells had changed when all was right, or -1
        self._landmarks = Landmarks(self._ground)
        self._begin()

    def _begin(self) -> None:
        """Create the state that is not pickled."""
        self._turns = Turns("use paths while they are being found")
        self._areas: Areas | None = None
        self._finder: PathFinder | None = None
        self._kinds = 0

    def __repr__(self) -> str:
        return f"<Paths on {self._grid!r}>"

    @property
    def grid(self) -> Grid:
        """Where to walk."""
        return self._grid

    def find(self, x0: float, y0: float, x1: float, y1: float) -> Floats | None:
        """Return the corners of the way from (x0, y0) to (x1, y1), None if they are not connected.

        A start in a closed cell, or outside, moves to the center of the nearest open cell. So does
        a goal, to the nearest that can be reached. Looking for it takes 1 ns for each cell that
        is as near as the one found.

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
        """Return the way of each of many pairs, without the GIL.

        Each has the ends that `find` gives it. Pairs with the same goal share a search, so 1,000
        ways to one goal take little longer than a new `Field`. Then a way is another one than that
        of `find` where several ways from cell to cell are the shortest.

        Cost: as for `find`; the search for a goal takes at most about as long as a new `Field`. To
        turn a way from cell to cell into lines takes about 0.1 us for each cell.

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
        return self._found(*finite_pairs(xy0, xy1))

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
        start, goal = self._areas_at(_checked_ends(x0, y0, x1, y1)).tolist()
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
        starts, goals = (self._areas_at(points) for points in finite_pairs(xy0, xy1))
        same: NDArray[np.bool_] = (starts == goals) & (starts > 0)
        return same

    def _areas_at(self, points: Floats) -> Ints:
        """Return the areas of points, (n, 2); 0 in closed cells and outside."""
        areas, cells = self._ready()[0], self._ground.cells_at(points, -1)
        with self._turns:
            found: Ints = areas.areas_of(cells.data)
        return found

    def __getstate__(self) -> dict[str, Any]:
        kept = ("_grid", "_ground", "_guided", "_seen", "_landmarks")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    # -- helpers -----------------------------------------------------------------------------------

    def _found(self, starts: Floats, goals: Floats) -> list[Floats | None]:
        """Return the way of each pair; those with a goal in the same cell are found together."""
        cells = self._ground.cells_at(goals, -1)
        order = np.argsort(cells, kind="stable")
        ends, cells = np.hstack((starts, goals))[order], cells[order]
        stops = np.empty(len(ends), np.int32)
        areas, finder = self._ready()
        found: list[Floats | None] = [None] * len(ends)
        first = 0
        while first < len(ends):
            same = cells[first : first + BATCH][-1]
            part = slice(first, int(np.searchsorted(cells, same, "right")))
            first = part.stop
            with self._turns:
                if self._guided:
                    self._landmarks.measure(areas)
                corners = finder.find_all(ends[part], stops[part])
            ways = np.split(corners, stops[part][:-1])
            for number, way in zip(order[part].tolist(), ways, strict=True):
                found[number] = way if len(way) else None
        return found

    def _ready(self) -> tuple[Areas, PathFinder]:
        """Return the areas and the search, both up to date."""
        ground = self._ground
        with self._turns:
            if self._areas is None or self._finder is None or ground.is_behind(self._seen):
                self._grid._follow()
                now = ground.changed
                cells = ground.changed_since(self._seen)
                self._seen = -1  # until all is done: otherwise the next call begins anew
                everywhere = cells is None or len(cells) > len(self._grid) // 8
                if cells is None:
                    cells = np.arange(len(self._grid), dtype=np.int32)
                if len(cells):
                    self._landmarks.update(cells)
                if everywhere or self._areas is None:
                    self._areas = Areas(ground)
                    self._finder = None
                elif len(cells):
                    self._areas.update(cells.data)
                self._seen = now
            if self._finder is None or self._kinds != len(ground.costs.values):
                self._kinds = len(ground.costs.values)
                self._landmarks.measure_moves()
                self._finder = PathFinder(self._areas, AStar(ground, self._landmarks))
            return self._areas, self._finder


def _checked_ends(x0: float, y0: float, x1: float, y1: float) -> Floats:
    """Return a start and a goal, (2, 2); raise ValueError unless they are finite."""
    check_point(x0, y0, "x0 and y0")
    check_point(x1, y1, "x1 and y1")
    return np.array(((x0, y0), (x1, y1)), np.float64)

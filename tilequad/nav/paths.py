"""Paths: the way from one place to another, in straight lines."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad.nav._core.areas import Areas
from tilequad.nav._core.buckets import Buckets
from tilequad.nav._core.ways import Ways
from tilequad.nav._shapes import DIAGONALS
from tilequad.nav.fields import Field
from tilequad.nav.grid import Grid, checked_points, rows_of

__all__ = ["Paths"]

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

MARKS = 4  # landmarks


class Paths:
    """Finds ways on a grid, for units that go to places of their own.

    A path is the shortest way from cell to cell, straightened: it turns only where it must, enters
    no closed cell, and costs no more than the way by cells. Where many units share a goal, a
    `Field` serves all of them at once.

    It follows its grid, and knows which cells can be reached from which, so a question without an
    answer costs nothing. One search runs at a time; threads wait for each other.

    Cost: a path takes some 40 ns for each cell looked at. Distances from four landmarks keep these
    few, so the first question takes as long as four fields. Landmarks are dropped when a cell
    becomes cheaper than it was then. They are measured again one by one, each when searches have
    looked at as many cells as that takes. 38 bytes for each cell of the grid.

    Args:
        grid: Where to walk.

    Attributes:
        grid: The grid.

    Example:
        >>> from tilequad.ai import Route
        >>> from tilequad.nav import Grid, Paths
        >>> paths = Paths(Grid([[1, 1, 1], [1, float("inf"), 1], [1, 1, 1]], cell_size=10))
        >>> corners = paths.find((5, 5), (28, 22))
        >>> corners.tolist()
        [[5.0, 5.0], [5.0, 25.0], [28.0, 22.0]]
        >>> Route(corners).at(10).tolist()
        [5.0, 15.0]
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._lock = Lock()
        self._changed: list[Ints] = []
        self._areas: Areas | None = None
        self._ways: Ways | None = None
        self._kinds = 0
        self._marks = _Marks()
        grid.observe(self)

    def __repr__(self) -> str:
        return f"<Paths on {self.grid!r}>"

    def find(self, start: Sequence[float], goal: Sequence[float]) -> Floats | None:
        """Return the corners of the way from a start to a goal, None if they are not connected.

        A start in a closed cell, or outside, moves to the center of the nearest open cell. So does
        a goal, to the nearest that can be reached.

        Args:
            start: (x, y), in world units.
            goal: (x, y), in world units.

        Returns:
            (n, 2) points in world units, as `Route` takes them; one if start and goal are equal.

        Raises:
            ValueError: A place is not two finite numbers.
        """
        for place, name in ((start, "start"), (goal, "goal")):
            if np.shape(place) != (2,):
                raise ValueError(f"{name} must be two numbers, got {place!r}")
        found = self._found(checked_points([start], "start"), checked_points([goal], "goal"))
        return found[0]

    def find_many(self, starts: ArrayLike, goals: ArrayLike) -> list[Floats | None]:
        """Return the way of each of many pairs, as `find` does, without the GIL.

        Args:
            starts: (n, 2), or one start for all, (2,).
            goals: (n, 2), or one goal for all, (2,).

        Raises:
            ValueError: A place is not two finite numbers, or the lengths differ.

        Example:
            >>> from tilequad.nav import Grid, Paths
            >>> paths = Paths(Grid([[True, False, True]]))
            >>> [path is None for path in paths.find_many((0.5, 0.5), [(0.2, 0.1), (2.5, 0.5)])]
            [False, True]
        """
        pairs = checked_points(starts, "starts"), checked_points(goals, "goals")
        for points, name in zip(pairs, ("starts", "goals"), strict=True):
            if points.ndim > 2:
                raise ValueError(f"{name} must have the shape (n, 2), got {points.shape}")
        try:
            begin, end = np.broadcast_arrays(*map(np.atleast_2d, pairs))
        except ValueError:
            lengths = f"{len(pairs[0])} and {len(pairs[1])}"
            raise ValueError(f"starts and goals must have one length, got {lengths}") from None
        return self._found(rows_of(begin), rows_of(end))

    def connected(self, starts: ArrayLike, goals: ArrayLike) -> NDArray[np.bool_]:
        """Return whether a way leads from each start to its goal. Closed cells are not connected.

        Args:
            starts: Points in world units, with a last axis of two.
            goals: The same, or of a shape that fits.

        Raises:
            ValueError: A place is not two finite numbers.
        """
        areas = self._ready()[0]
        labels = []
        for points, name in ((starts, "starts"), (goals, "goals")):
            cells = self.grid.cell_at(checked_points(points, name))
            found = np.zeros(cells.shape, np.int32)
            inside = cells >= 0
            places = self.grid._places(cells[inside])
            found[inside] = [areas.area_at(place) for place in places.tolist()]
            labels.append(found)
        same: NDArray[np.bool_] = (labels[0] == labels[1]) & (labels[0] > 0)
        return same

    def cells_changed(self, cells: Ints) -> None:
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
        """The areas and the search, up to date."""
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
        if not len(halves):  # all is closed
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
    """The distances from some landmarks, as old as they may be.

    Attributes:
        fresh: Whether none was ever measured.
        work: How many cells searches have looked at since there were none.
        codes: The grid when the last one was measured.
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
        """Measure one more landmark, if it is the time.

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
        # Of areas as large, that of the first cell: labels differ after saving.
        ties = kinds[sizes[roots] == sizes.max()]
        largest = areas.root_of(int(labels[np.isin(labels, ties).argmax()]))
        box = grid.bounds
        x = (box.min_x, box.max_x)[count % 2]
        y = (box.min_y, box.max_y)[count in (0, 3)]
        place = ways.nearest_in(x, y, largest)
        field = Field(grid, grid.centers([grid._number(place)]))
        self._cells.append((field._low, field._rest))
        self.codes = grid._codes.copy()

    def check(self, grid: Grid, changed: list[Ints]) -> None:
        """Drop all if a cell has become cheaper than it was."""
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

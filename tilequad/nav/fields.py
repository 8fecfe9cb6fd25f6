"""Fields: how far it is to the nearest goal from everywhere, and which way to go."""

from __future__ import annotations

from math import inf
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad.nav._core.buckets import Buckets
from tilequad.nav._core.flow import Flow
from tilequad.nav._shapes import DIAGONALS
from tilequad.nav.grid import Grid, checked_points, rows_of

__all__ = ["Approach", "Field"]

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

FAR = (1 << 40) - 1  # what stands for no distance; flow.py has it, too


class Field:
    """The way to the nearest of some goals, from every cell: one field serves a whole army.

    Distances are those of the shortest way from center to center of cells, in world units times
    cost. They are exact and do not depend on the order of the goals. Directions are blended between
    cells, so walkers turn smoothly.

    A field follows its grid: at the next question after a change it repairs what has become wrong,
    and then equals one made anew. So the first question after a change writes; otherwise threads
    may ask at once.

    Cost: to make, 50 ns for each open cell; to repair, as much for each cell whose distance
    changes. Six bytes for each cell.

    Args:
        grid: Where to walk.
        goals: Points in world units, (n, 2). A goal in a closed cell, such as a tree or a building,
            is reached from the cells that share an edge with it. If those are closed, too, as in
            the middle of a large building, no way leads there: name all its cells,
            `grid.centers(grid.cells_in(bounds))`.
        limit: The largest distance to look at; cells farther away have none. Distances end at
            470,000 cells in any case.

    Attributes:
        grid: The grid.
        limit: The largest distance.

    Raises:
        ValueError: A goal lies outside the grid or is not finite, or `limit` is not above 0.

    Example:
        >>> from tilequad.nav import Field, Grid
        >>> grid = Grid([[1, 1, 1], [1, float("inf"), 1], [1, 1, 1]], cell_size=10)
        >>> field = Field(grid, [(25, 5)])
        >>> field.distance([(25, 25), (5, 5), (15, 15)]).tolist()
        [20.0, 20.0, inf]
        >>> field.direction((5, 5)).tolist()
        [1.0, 0.0]
        >>> field.advance([(5, 5)], 4).tolist()
        [[9.0, 5.0]]
    """

    def __init__(self, grid: Grid, goals: ArrayLike, limit: float = inf) -> None:
        number = float(limit)
        if not number > 0.0:
            raise ValueError(f"limit must be above 0, got {limit!r}")
        self.grid = grid
        self.limit = number
        self._revision = 0
        self._goals = self._goal_places(goals)
        self._low = np.empty(len(grid._codes), np.uint32)
        self._rest = np.empty(len(grid._codes), np.uint16)
        self._begin()
        self._anew()
        grid.observe(self)

    def _begin(self) -> None:
        """Make what compiled code works with."""
        self._lock = Lock()
        self._changed: list[Ints] = []
        self._flow: Flow | None = None
        self._kinds = 0

    def __repr__(self) -> str:
        return f"<Field to {len(self._goals):,} cells of {self.grid!r}>"

    # -- questions ---------------------------------------------------------------------------------

    def distance(self, xy: ArrayLike) -> Floats:
        """Return the distance to the nearest goal from the cells at points.

        Args:
            xy: Points in world units, with a last axis of two.

        Returns:
            Array with the shape of `xy` without its last axis; inf where no goal can be reached,
            in closed cells, and outside.

        Raises:
            ValueError: A point is not two finite numbers.
        """
        points = checked_points(xy, "xy")
        flow = self._ready()
        found = np.full(points.shape[:-1], inf)
        if found.size:
            flow.fill_distances(rows_of(points).reshape(-1).data, found.reshape(-1).data)
        return found

    def direction(self, xy: ArrayLike) -> Floats:
        """Return which way to go from points.

        Args:
            xy: Points in world units, with a last axis of two.

        Returns:
            Unit vectors in the shape of `xy`; (0, 0) in the cell of a goal, where none can be
            reached, and outside. In a closed cell, the way out of it.

        Raises:
            ValueError: A point is not two finite numbers.
        """
        points = checked_points(xy, "xy")
        flow = self._ready()
        found = np.zeros(points.shape)
        if found.size:
            flow.fill_directions(rows_of(points).reshape(-1).data, found.reshape(-1).data)
        return found

    def advance(self, xy: ArrayLike, step: ArrayLike) -> Floats:
        """Return where walkers are after a step toward the nearest goal.

        They never step into a closed cell: at a wall they go on along the cells. A walker in the
        cell of a goal, or from where no goal can be reached, stays.

        Args:
            xy: Points in world units, with a last axis of two.
            step: How far each goes, or one length for all, in world units.

        Returns:
            Points in the shape of `xy`.

        Raises:
            ValueError: A number is not finite, or a step is negative.
        """
        points = checked_points(xy, "xy")
        steps = np.asarray(step, np.float64)
        if steps.size and not (steps.min() >= 0.0 and steps.max() < inf):
            raise ValueError(f"step must be finite and at least 0, got {step!r}")
        if steps.ndim and steps.shape != points.shape[:-1]:
            raise ValueError(f"step must be one or {points.shape[:-1]}, got {steps.shape}")
        flow = self._ready()
        found = np.empty(points.shape)
        if found.size:
            lengths = np.require(steps.reshape(-1), None, ["C", "W"])
            flow.advance(rows_of(points).data, lengths.data, found.reshape(-1, 2).data)
        return found

    @property
    def distances(self) -> Floats:
        """The distance from each cell, inf where there is none; a new array, (rows, columns)."""
        self._ready()
        high = (self.grid._inner(self._rest) >> np.uint16(8)).astype(np.int64)
        whole = (high << 32) | self.grid._inner(self._low)
        return np.where(whole == FAR, inf, whole * self.grid._unit)

    @property
    def revision(self) -> int:
        """Counts the changes; a picture of the field is old when this has grown."""
        self._ready()
        return self._revision

    # -- changes -----------------------------------------------------------------------------------

    @property
    def goals(self) -> Ints:
        """The numbers of the cells with a goal, ascending."""
        return np.sort(self.grid._numbers(self._goals))

    def move_goals(self, goals: ArrayLike) -> None:
        """Set other goals. What is still right stays, so a goal that moves a little costs little.

        Args:
            goals: Points in world units, (n, 2).

        Raises:
            ValueError: A goal lies outside the grid or is not finite.
        """
        places = self._goal_places(goals)
        self._ready()
        gone = np.setdiff1d(self._goals, places).astype(np.int32)
        new = np.setdiff1d(places, self._goals).astype(np.int32)
        with self._lock:
            self._goals = places
            if len(gone) or len(new):
                self._repair(np.empty(0, np.int32), gone, new)

    def cells_changed(self, cells: Ints) -> None:
        """Note that cells have changed; the grid calls this."""
        self._changed.append(cells)

    # -- keeping -----------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        self._ready()
        kept = ("grid", "limit", "_revision", "_goals", "_low", "_rest")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    # -- helpers -----------------------------------------------------------------------------------

    def _goal_places(self, goals: ArrayLike) -> Ints:
        """The places of goals, ascending, each once."""
        points = checked_points(goals if np.size(goals) else np.empty((0, 2)), "goals")
        if points.ndim != 2:
            raise ValueError(f"goals must have the shape (n, 2), got {points.shape}")
        cells = self.grid.cell_at(points)
        if (cells < 0).any():
            outside = points[cells < 0][0].tolist()
            raise ValueError(f"goals must lie in the grid, got {tuple(outside)}")
        return np.unique(self.grid._places(cells)).astype(np.int32)

    def _ready(self) -> Flow:
        """The distances, repaired."""
        if self._changed or self._flow is None:
            with self._lock:
                if self._flow is None:
                    self._make_flow()
                if self._changed:
                    cells = np.unique(np.concatenate(self._changed))
                    self._changed = []
                    if len(self.grid._costs) != self._kinds:
                        self._make_flow()  # moves may be shorter or longer than ever before
                    if len(cells) > len(self.grid) // 4:
                        self._anew()
                    else:
                        none = np.empty(0, np.int32)
                        self._repair(self.grid._places(cells), none, none)
        assert self._flow is not None
        return self._flow

    def _make_flow(self) -> None:
        grid = self.grid
        self._kinds = len(grid._costs)
        halves = grid._halves[1 : self._kinds, : grid._shape.directions]
        # In a grid that is all closed there are no moves.
        least, most = (2 * int(end) for end in (halves.min(initial=1 << 40), halves.max(initial=1)))
        limit = min(self.limit / grid._unit, FAR - 1)
        steps = grid._shape.steps()
        stride = float(np.hypot(*steps.T).min()) / 2
        self._flow = Flow(
            grid._ground,
            Buckets(least, most),
            self._low.data,
            self._rest.data,
            _headings(steps).data,
            int(limit),
            grid._unit,
            stride,
            self._kinds == 2,
            DIAGONALS[grid.diagonal],
        )

    def _anew(self) -> None:
        """Find all distances anew."""
        if self._flow is None:
            self._make_flow()
        assert self._flow is not None
        self._revision += 1
        self._low.fill(0xFFFFFFFF)
        self._rest.fill(0xFF00)
        if len(self._goals):
            self._flow.find(self._goals.data)

    def _beside(self, cells: Ints) -> Floats:
        """The distances of closed cells by way of those that share an edge; inf for open cells."""
        grid, shape = self.grid, self.grid._shape
        places = grid._places(cells)
        rows, columns = np.divmod(cells, np.int32(grid.columns))
        line = rows if shape.kind == 1 else columns
        shifted = (
            ((line & 1) ^ shape.flip).astype(bool) if shape.kind else np.zeros(len(cells), bool)
        )
        best = np.full(len(cells), FAR)
        edges = range(0, 8, 2) if shape.directions == 8 else range(6)
        for k in edges:
            steps = [shape.neighbors(side)[k] for side in (0, 1)]
            ways = [row * grid._stride + column for column, row in steps]
            others = places + np.where(shifted, ways[1], ways[0])
            codes = grid._codes[others]
            there = (self._rest[others] >> np.uint16(8)).astype(np.int64) << 32 | self._low[others]
            known = (codes != 0) & (there < FAR)
            there += 2 * grid._halves[codes, k]
            best = np.where(known, np.minimum(best, there), best)
        closed = (grid._codes[places] == 0) & (best <= min(self.limit / grid._unit, FAR - 1))
        return np.where(closed, best * grid._unit, inf)

    def _repair(self, changed: Ints, gone: Ints, new: Ints) -> None:
        assert self._flow is not None
        self._revision += 1
        self._flow.repair(changed.data, gone.data, new.data)


class Approach:
    """How far it is to what closes its own cell, such as a tree: for the `field` of `ai.Goal`.

    A field has no distance in closed cells. Here their distance is that of the best cell that
    shares an edge with them, and the step from there. In open cells it is that of the field.

    It follows the field, and pickles with it.

    Args:
        field: The field, mostly from where things are brought to.

    Attributes:
        field: The field.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Goal, Goals
        >>> from tilequad.nav import Approach, Field, Grid
        >>> grid = Grid([[1, 1, 1], [1, float("inf"), 1], [1, 1, float("inf")]], cell_size=10)
        >>> from_town = Approach(Field(grid, [(5, 5)]))
        >>> from_town.distance([(5, 25), (15, 15), (25, 25)]).tolist()
        [20.0, 20.0, 40.0]
        >>> units = DynamicQuadtree((0, 0, 30, 30))
        >>> slots = units.add_many(["anna", "oak"], [(5, 5), (25, 25)], groups=[1, 2])
        >>> Goals(units, Goal(2, field=from_town)).search("anna", now=0)
        'oak'
    """

    def __init__(self, field: Field) -> None:
        self.field = field

    def __repr__(self) -> str:
        return f"<Approach by {self.field!r}>"

    def distance(self, xy: ArrayLike) -> Floats:
        """Return the distances to points, as `Field.distance` does, but also in closed cells.

        Args:
            xy: Points in world units, with a last axis of two.

        Returns:
            Array with the shape of `xy` without its last axis; inf where no way leads.

        Raises:
            ValueError: A point is not two finite numbers.
        """
        points = checked_points(xy, "xy")
        found = np.array(self.field.distance(points))
        flat, cells = found.reshape(-1), self.field.grid.cell_at(points).reshape(-1)
        lost = np.flatnonzero(np.isinf(flat) & (cells >= 0))
        if len(lost):
            kinds, at = np.unique(cells[lost], return_inverse=True)
            flat[lost] = self.field._beside(kinds)[at]
        return flat.reshape(found.shape)


def _headings(steps: Floats) -> Floats:
    """Where each set of ways leads: the mean of their directions; the first if they cancel out."""
    units = steps / np.hypot(*steps.T)[:, None]
    found = np.zeros((256, 2))
    for ways in range(1, 1 << len(steps)):
        own = [k for k in range(len(steps)) if ways >> k & 1]
        x = y = 0.0
        for k in own:
            x, y = x + float(units[k, 0]), y + float(units[k, 1])
        length = (x * x + y * y) ** 0.5
        found[ways] = (x / length, y / length) if length > 0.1 else units[own[0]]
    return found.reshape(-1)

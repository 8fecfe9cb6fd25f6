"""Fields: how far it is to the nearest goal from everywhere, and which way to go."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.array_kinds import NO_CELLS, Floats, Ints
from tilequad._core.arrays import as_rows, checked_cells, finite_array, finite_points
from tilequad._core.checks import check_point, checked_at_least, checked_cell, number_of, whole
from tilequad._core.shown import shown
from tilequad._core.turns import Turns
from tilequad._core.ways.cell_steps import fill_steps
from tilequad._core.ways.distances import Distances
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.headings import Headings
from tilequad._core.ways.layout import FAR, LATTICE, STAGGERED_ROWS, ZERO
from tilequad._core.ways.repair import repair
from tilequad._core.ways.walkers import Walkers
from tilequad.nav._shapes import Shape
from tilequad.nav._turns import standing_of
from tilequad.nav.grid import Grid, ground_of

__all__ = ["Field"]


# Parts begin and end at multiples of so many cells: a goal that walks seldom leaves its own.
STEP = 32
CHANGED_DIVISOR = 4  # a search from scratch is faster if more than 1/4 of the cells have changed
MARGIN = 3  # cells around all that can be reached: walls, and what their corners touch


class Field:
    """The way to the nearest of some goals, from every cell: one field serves a whole army.

    A distance is the length of the shortest way from center to center of cells, in world units
    times cost. It is exact and does not depend on the order of the goals. Directions are those of
    straight ways, which bend only where something is in their way or the cost changes, and are
    blended between cells: an army keeps its width over open land.

    The closed cell of a tree or a building is reached from its neighbors: its distance leads
    through the best open cell that shares an edge with it. So a field from the town hall tells
    which tree is the nearest on foot, as `ai.Goal(field=)` asks. And a walker that was pushed into
    a wall finds its way out.

    A field follows its grid: the first query after a change repairs the affected cells, and the
    field then equals a new one. So the first query after a change writes; otherwise many threads
    may query at once.

    Cost: building takes 50 to 100 ns for each open cell; a repair takes as much for each cell whose
    distance or direction changes, and at most half as long again as building. A query takes less
    than a microsecond, and with `_many` 10 to 40 ns for each point; a walker takes 0.1 us for each
    half of a cell that it goes.
    Memory: 13 bytes for each cell of the grid, or 15 for each cell in the box around all that it
    can reach within `max_distance`. A saved field holds its goals alone, so its first query after
    it was restored finds all distances anew.

    Args:
        grid: Where to walk.
        goals: Points in world units, (n, 2). A goal in a closed cell, such as a tree or a building,
            is reached from the cells that share an edge with it. If those are closed as well, as in
            the middle of a large building, no way leads there: name all its cells,
            `grid.center_many(grid.cells_in(bounds))`.
        max_distance: The greatest distance to search; cells farther away count as unreachable.
            Distances end at 470,000 cells in any case.
        made: False to find nothing yet: `work` finds a field bit by bit, from the goals outward.

    Raises:
        TypeError: `grid` is not a Grid.
        ValueError: A goal lies outside the grid or is not finite, or `max_distance` is not above
            0.

    Example:
        >>> from tilequad.nav import Field, Grid
        >>> grid = Grid([[1, 1, 1], [1, float("inf"), 1], [1, 1, 1]], cell_size=10)
        >>> field = Field(grid, [(25, 5)])
        >>> field.distance(25, 25)
        20.0
        >>> field.distance_many([(5, 5), (15, 15), (99, 99)]).tolist()  # (15, 15) is closed
        [20.0, 20.0, inf]
        >>> field.direction(5, 5), field.advance(5, 5, 4)
        ((1.0, 0.0), (9.0, 5.0))
    """

    def __init__(
        self, grid: Grid, goals: ArrayLike, max_distance: float = inf, *, made: bool = True
    ) -> None:
        number = number_of(max_distance, "max_distance")
        if not number > 0.0:
            raise ValueError(f"max_distance must be above 0, got {shown(max_distance)}")
        self._ground = ground_of(grid)
        self._grid = grid
        self._max_distance = number
        self._revision = 0
        self._seen = -1  # how many cells had changed when the distances held; -1: they do not
        self._due = -1 if made else 0  # how many cells were to be found so far; -1: all of them
        self._goals = self._goal_cells(goals)
        self._begin()
        self._ready()

    def _begin(self) -> None:
        """Create the state that is not pickled."""
        self._turns = Turns("use a field while it changes")
        self._part: Part | None = None
        self._distances: Distances | None = None
        self._walkers: Walkers | None = None

    def __repr__(self) -> str:
        return f"<Field to {len(self._goals):,} cells of {self._grid!r}>"

    @property
    def grid(self) -> Grid:
        """Where to walk."""
        return self._grid

    @property
    def max_distance(self) -> float:
        """The greatest distance to search."""
        return self._max_distance

    # -- questions ---------------------------------------------------------------------------------

    def distance(self, x: float, y: float) -> float:
        """Return the distance to the nearest goal from the cell at a point.

        Args:
            x: The point, in world units.
            y: The point.

        Returns:
            The distance; inf where no goal can be reached, and outside the grid. From a closed
            cell, the distance by way of the best open cell that shares an edge with it.

        Raises:
            ValueError: A number is not finite.
        """
        check_point(x, y)
        return self._ready().distance_at(x, y)

    def distance_many(self, xy: ArrayLike) -> Floats:
        """Return the distance from each of many points, as `distance` does.

        Args:
            xy: Points in world units, with a last axis of two.

        Returns:
            Array with the shape of `xy` without its last axis.

        Raises:
            ValueError: A point is not two finite numbers.
        """
        points = finite_points(xy, "xy")
        walkers = self._ready()
        found = np.full(points.shape[:-1], inf)
        if found.size:
            walkers.fill_distances(as_rows(points).reshape(-1).data, found.reshape(-1).data)
        return found

    def direction(self, x: float, y: float) -> tuple[float, float]:
        """Return which way to go from a point.

        Args:
            x: The point, in world units.
            y: The point.

        Returns:
            A unit vector (dx, dy); (0.0, 0.0) in the cell of a goal, where no goal can be reached,
            and outside the grid. In a closed cell, the way out.

        Raises:
            ValueError: A number is not finite.
        """
        check_point(x, y)
        return self._ready().direction_at(x, y)

    def direction_many(self, xy: ArrayLike) -> Floats:
        """Return which way to go from each of many points, as `direction` does.

        Args:
            xy: Points in world units, with a last axis of two.

        Returns:
            Unit vectors in the shape of `xy`.

        Raises:
            ValueError: A point is not two finite numbers.
        """
        points = finite_points(xy, "xy")
        walkers = self._ready()
        found = np.zeros(points.shape)
        if found.size:
            walkers.fill_directions(as_rows(points).reshape(-1).data, found.reshape(-1).data)
        return found

    def advance(self, x: float, y: float, step: float) -> tuple[float, float]:
        """Return where a walker is after a step toward the nearest goal.

        It never steps into a closed cell: at a wall it steps toward the center of the next cell on
        its way instead, or around the corner. Each step brings it nearer, so it arrives. A walker
        stays where it is if it is in the cell of a goal, or if it can reach no goal. A walker in a
        closed cell leaves it, and a walker outside of the grid enters it.

        Args:
            x: Where the walker is, in world units.
            y: Where the walker is.
            step: How far it goes, in world units.

        Returns:
            The point (x, y).

        Raises:
            ValueError: A number is not finite, or the step is negative.
        """
        check_point(x, y)
        length = checked_at_least(0, step, "step")
        return self._ready().advance_from(x, y, length)

    def advance_many(self, xy: ArrayLike, step: ArrayLike) -> Floats:
        """Return where many walkers are after a step, as `advance` does.

        Args:
            xy: Points in world units, with a last axis of two.
            step: How far each goes, or one length for all, in world units.

        Returns:
            Points in the shape of `xy`.

        Raises:
            ValueError: A number is not finite, or a step is negative.
        """
        points = finite_points(xy, "xy")
        steps = finite_array(step, "step")
        if steps.size and not steps.min() >= 0.0:
            raise ValueError(f"step must be at least 0, got {shown(step)}")
        if steps.ndim and steps.shape != points.shape[:-1]:
            raise ValueError(f"step must be one number or {points.shape[:-1]}, got {steps.shape}")
        walkers = self._ready()
        found = np.empty(points.shape)
        if found.size:
            lengths = np.require(steps.reshape(-1), None, ["C", "W"])
            walkers.advance(as_rows(points).data, lengths.data, found.reshape(-1, 2).data)
        return found

    def next_cell(self, cell: int, avoid: ArrayLike | None = None) -> int:
        """Return where to step from a cell, on the shortest way to a goal.

        It is one of the grid's `neighbors`, or the cell itself: at a goal, beside a goal in a
        closed cell, where no goal can be reached, and where all that are nearer are to be avoided.
        A closed cell is left by the best edge. Of equally good cells, the one with the lowest
        number.

        Args:
            cell: The number of a cell.
            avoid: Numbers of cells that are taken. The step leads to the best cell that is nearer
                to the goal and not taken.

        Raises:
            IndexError: A number that no cell has.

        Example:
            >>> from tilequad.nav import Field, Grid
            >>> grid = Grid([[True, True, True], [True, True, True]])
            >>> field = Field(grid, [grid.center(2)])
            >>> field.next_cell(0), field.next_cell(0, avoid=[1]), field.next_cell(2)
            (1, 4, 2)
            >>> field.next_cell_many([1, 0], avoid=[2]).tolist()  # one stays, one goes around
            [1, 4]
        """
        number = np.array([checked_cell(cell, len(self._grid))], np.int32)
        return int(self._steps(number, avoid)[0])

    def next_cell_many(self, cells: ArrayLike, avoid: ArrayLike | None = None) -> Ints:
        """Return where to step from each of many cells, as `next_cell` does.

        Cost: 12 ns for each cell, and 25 with `avoid`, on a map of any size; up to 250 if 20,000 of
        them lie scattered over a million.

        Args:
            cells: Numbers of cells, (n,).
            avoid: Numbers of cells that are taken, by these or by others, (k,). If given, even
                empty, all go in turn, the first first: nobody steps where another one stands by
                then, and a cell is free once who stood there has left.

        Returns:
            (n,) int32.

        Raises:
            IndexError: A number that no cell has.
        """
        return self._steps(checked_cells(cells, len(self._grid)), avoid)

    @property
    def distances(self) -> Floats:
        """The distance from each open cell; a new array, (rows, columns), in 10 ns for each cell.

        inf where no goal can be reached, and in closed cells.
        """
        self._ready()
        assert self._part is not None
        near = self._part.ground.inner(self._part.words) >> 8
        found = np.full((self._ground.rows, self._ground.columns), inf)
        part = found[self._part.slices]
        np.multiply(near - ZERO, self._ground.costs.unit, out=part)
        np.copyto(part, inf, where=near == FAR)
        return found

    @property
    def revision(self) -> int:
        """Counts the changes; a picture of the field is outdated once this has grown."""
        self._ready()
        return self._revision

    # -- bit by bit --------------------------------------------------------------------------------

    def work(self, cells: int) -> bool:
        """Go on until about so many cells have been found, of a field that is made bit by bit.

        Until all are found, the field answers as if the other cells were out of reach. A change of
        the grid begins the search anew. How far it has come depends on the greatest number alone.

        Args:
            cells: How many cells are to be found in all, counted from the beginning.

        Returns:
            Whether all are found.

        Example:
            >>> from tilequad.nav import Field, Grid
            >>> field = Field(Grid([[True] * 100] * 100), [(0, 0)], made=False)
            >>> field.work(2_000), field.distance(99.5, 0.5)
            (False, inf)
            >>> field.work(20_000), field.distance(99.5, 0.5)
            (True, 99.0)
        """
        number = whole(cells, "cells")
        self._ready()
        with self._turns:
            if self._due >= 0 and number > self._due:
                assert self._distances is not None
                due, seen, self._due, self._seen = number, self._seen, 0, -1
                if self._distances.go_on(due):
                    due = -1
                self._revision += 1
                self._due, self._seen = due, seen
        return self._due < 0

    # -- changes -----------------------------------------------------------------------------------

    @property
    def goals(self) -> Ints:
        """The numbers of the cells with a goal, ascending."""
        return self._goals.copy()

    def move_goals(self, goals: ArrayLike) -> None:
        """Set other goals.

        Cost: that of the distances that change, but never noticeably more than that of a new field.
        If no goal stays, all distances are found anew.

        Args:
            goals: Points in world units, (n, 2).

        Raises:
            ValueError: A goal lies outside the grid or is not finite.
        """
        cells = self._goal_cells(goals)
        self._ready()
        gone, new = np.setdiff1d(self._goals, cells), np.setdiff1d(cells, self._goals)
        with self._turns:
            seen, self._seen = self._seen, -1
            self._goals = cells
            if seen >= 0 and (len(gone) or len(new)):
                self._revision += 1
                fewer = len(new) < len(cells) and self._due < 0
                self._update(NO_CELLS if fewer else None, gone, new)
            self._seen = seen

    # -- keeping -----------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        self._ready()
        kept = ("_grid", "_max_distance", "_ground", "_revision", "_seen", "_due", "_goals")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    # -- helpers -----------------------------------------------------------------------------------

    def _steps(self, numbers: Ints, avoid: ArrayLike | None) -> Ints:
        """Where those in some cells go next."""
        standing = standing_of(numbers, avoid, len(self._grid))
        walkers = self._ready()
        assert self._part is not None
        left, top, *_ = self._part.reach
        found = np.empty(len(numbers), np.int32)
        corner = left, top, self._ground.columns
        fill_steps(walkers, corner, numbers.data, standing, found.data)
        return found

    def _goal_cells(self, goals: ArrayLike) -> Ints:
        """Return the cells of the goals, each once, ascending."""
        points = finite_points(goals, "goals")
        if points.ndim != 2:
            raise ValueError(f"goals must have the shape (n, 2), got {points.shape}")
        cells: Ints = self._ground.cells_at(points, -1)
        if (cells < 0).any():
            outside = points[cells < 0][0].tolist()
            raise ValueError(f"goals must lie in the grid, got {tuple(outside)}")
        return np.unique(cells)

    def _ready(self) -> Walkers:
        """Return what walkers read, repaired if needed."""
        walkers = self._walkers
        if walkers is None or self._ground.is_behind(self._seen):
            with self._turns:
                self._grid._follow()
                now = self._ground.changed
                cells = self._ground.changed_since(self._seen)
                self._seen = -1  # until the repair is whole: otherwise the next call begins anew
                if cells is None or len(cells):
                    self._revision += 1
                    self._due = min(self._due, 0)
                    self._update(cells if self._due < 0 else None)
                elif self._distances is None:  # saved and restored
                    self._update(None)
                self._seen = now
                walkers = self._walkers
                assert walkers is not None
        return walkers

    def _update(self, changed: Ints | None, gone: Ints = NO_CELLS, new: Ints = NO_CELLS) -> None:
        """Repair the distances, or find all of them anew where that is faster.

        Args:
            changed: The cells whose cost has changed; None if nothing is known.
            gone: The cells that are no longer goals.
            new: The cells that have become goals.
        """
        limit = int(min(self._max_distance / self._ground.costs.unit, FAR - ZERO - 2))
        reach = Reach.of(self._ground, self._goals, limit)
        if changed is not None and self._repair(reach, limit, changed, gone, new):
            return
        self._part = part = Part(self._ground, reach)
        distances = self._use_part(part, limit)
        goals = part.numbers(self._goals).data
        if self._due < 0:
            distances.find(goals)
        else:
            distances.begin(goals)
            distances.go_on(self._due)

    def _use_part(self, part: Part, limit: int) -> Distances:
        """Search and walk on a part from now on."""
        words = part.words.data
        headings = Headings(part.ground, words, part.lengths.data, part.headings.data)
        self._distances = distances = Distances(part.ground, words, ZERO + limit, headings)
        self._walkers = Walkers(distances)
        return distances

    def _repair(self, reach: Reach, limit: int, changed: Ints, gone: Ints, new: Ints) -> bool:
        """Repair the distances; return False if they are to be found anew."""
        part, distances = self._part, self._distances
        if part is None or distances is None or part.reach != reach:
            return False
        if len(changed) > reach.size // CHANGED_DIVISOR:
            return False
        if distances.cost_count != len(self._ground.costs.values):
            distances = self._use_part(part, limit)  # whose queue fits the present range of costs
        cells, gone, new = part.follow(changed), part.numbers(gone), part.numbers(new)
        return bool(repair(distances, cells.data, gone.data, new.data))


def walkers_of(field: Field) -> Walkers:
    """Return what walkers read of a field as it is now; the next change of the grid outdates it."""
    return field._ready()


# -- the part of a grid that a search with a limit can reach ---


class Reach(NamedTuple):
    """The columns from `left` to `right` and the rows from `top` to `bottom`."""

    left: int
    top: int
    right: int
    bottom: int

    @classmethod
    def of(cls, ground: Ground, goals: Ints, limit: int) -> Reach:
        """What a search from some cells can reach, or all cells if that is more than half of them.

        Args:
            ground: All cells.
            goals: Some of them.
            limit: The greatest distance of the search, in its units.
        """
        whole = cls(0, 0, ground.columns, ground.rows)
        least, _ = ground.move_range()
        moves = limit // max(least, 1) + MARGIN
        if moves > max(whole) or ground.shaped:  # a part would not follow the shapes in cells
            return whole
        # A move among staggered lines may cross two.
        far = moves if ground.kind == LATTICE else 2 * moves
        rows, columns = np.divmod(goals if len(goals) else np.zeros(1), ground.columns)
        low = [(int(axis.min()) - far) // STEP * STEP for axis in (columns, rows)]
        high = [(int(axis.max()) + far) // STEP * STEP + STEP for axis in (columns, rows)]
        found = cls(*(max(end, 0) for end in low), *map(min, high, whole[2:]))
        return found if 2 * found.size < whole.size else whole

    @property
    def size(self) -> int:
        """How many cells it has."""
        return (self.right - self.left) * (self.bottom - self.top)


class Part:
    """What a field keeps of a part of the cells: their ground, with numbers of its own, and words.

    Args:
        whole: The ground of all cells.
        reach: The part; if it is all cells, it has no ground of its own.

    Attributes:
        ground: The ground of the part.
        words: A word for each of its places; see `Distances`.
        lengths: The length of the straight way from each place; see `Headings`.
        headings: The heading of each place.
    """

    def __init__(self, whole: Ground, reach: Reach) -> None:
        self.whole, self.reach, self.ground = whole, reach, whole
        if reach != (0, 0, whole.columns, whole.rows):
            shape, codes = _cut(whole.shape, reach), whole.cell_codes()[self.slices]
            self.ground = Ground(shape, whole.need, whole.costs, codes.astype(np.uint64))
        self.words: NDArray[np.int64] = self.ground.by_place(np.int64)
        self.lengths: NDArray[np.float32] = self.ground.by_place(np.float32)
        self.headings: NDArray[np.uint8] = self.ground.by_place(np.uint8)

    @property
    def slices(self) -> tuple[slice, slice]:
        """The rows and columns of the part."""
        left, top, right, bottom = self.reach
        return slice(top, bottom), slice(left, right)

    def numbers(self, cells: Ints) -> Ints:
        """The own numbers of those cells that are in the part."""
        return self._located(cells)[1]

    def follow(self, changed: Ints) -> Ints:
        """Follow a change of cells; return the own numbers of those in the part."""
        inside, numbers = self._located(changed)
        if self.ground is not self.whole:
            codes = self.whole.codes_at(inside.data).astype(np.uint64)
            self.ground.set_traits(numbers.data, codes.data, [])
        return numbers

    def _located(self, cells: Ints) -> tuple[Ints, Ints]:
        """The cells that are in the part, and their own numbers."""
        if self.ground is self.whole:
            return cells, cells
        left, top, right, bottom = self.reach
        rows, columns = np.divmod(cells, np.int32(self.whole.columns))
        near = (columns >= left) & (columns < right) & (rows >= top) & (rows < bottom)
        numbers = (rows[near] - top) * (right - left) + columns[near] - left
        return cells[near], numbers.astype(np.int32)


def _cut(shape: Shape, reach: Reach) -> Shape:
    """The shape of a part. It begins at an even line, so its lines are shifted as those of all."""
    left, top, right, bottom = reach
    frame = shape.frame.copy()
    if shape.kind == LATTICE:
        frame[:2] += left * frame[2:4] + top * frame[4:6]
    else:
        along, across = (left, top) if shape.kind == STAGGERED_ROWS else (top, left)
        frame[0] += 2 * along * frame[1]
        frame[2] += across * frame[3]
    return shape._replace(columns=right - left, rows=bottom - top, frame=frame)

"""Cells of turn-based games: neighbors, steps, and the way from cell to cell, beside twins."""

from __future__ import annotations

import tempfile
from collections import Counter
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
import shapely

from tests.nav_worlds import DIAGONALS, ORIENTATIONS, Twin, map_grid
from tilequad.nav import Field, Fog, Grid, ValueField
from tilequad.tiled import TileMap


class Steps:
    """Where one may step, by the outlines of the cells alone; and what each step costs."""

    def __init__(self, grid):
        self.grid, self.twin = grid, Twin(grid)
        self.renew()

    def renew(self):
        """Look at the grid as it is now."""
        graph, self.costs = self.twin.graph().tocoo(), self.grid.costs.ravel().astype(float)
        self.moves = [{} for _ in range(len(self.grid))]
        for start, end, weight in zip(graph.row, graph.col, graph.data, strict=True):
            self.moves[start][int(end)] = weight
        for cell in np.flatnonzero(self.costs == inf).tolist():
            for other, is_edge in self.twin.around[cell]:
                if is_edge and self.costs[other] < inf:
                    far = np.hypot(*(self.twin.centers[cell] - self.twin.centers[other]))
                    self.moves[cell][other] = far * self.costs[other]

    def towards(self, far, goals, cell, taken):
        """The best free cell on the way, by distances of all cells."""
        if cell in goals or far[cell] == inf:
            return [cell]
        beside = {other for other, is_edge in self.twin.around[cell] if is_edge}
        if any(self.costs[goal] == inf for goal in goals & beside) and self.costs[cell] < inf:
            closed = [goal for goal in goals & beside if self.costs[goal] == inf]
            ends = np.hypot(*(self.twin.centers[closed] - self.twin.centers[cell]).T)
            if ends.min() * self.costs[cell] < far[cell] + 1e-3:
                return [cell]
        ways = {
            other: far[other] + weight
            for other, weight in self.moves[cell].items()
            if (far[other] < far[cell] - 1e-3 or self.costs[cell] == inf) and other not in taken
        }
        if taken is NOBODY:
            ways = {other: way for other, way in ways.items() if way < far[cell] + 1e-3}
        best = min(ways.values(), default=inf)
        return sorted(other for other, way in ways.items() if way < best + 1e-3) or [cell]

    def down(self, values, cell, taken):
        """The lowest free cell, if it is lower."""
        own = values[cell]
        best = inf if self.costs[cell] == inf or own != own else own
        found = cell
        for other in sorted(self.moves[cell]):
            if other not in taken and values[other] < best:
                best, found = values[other], other
        return found


NOBODY: frozenset[int] = frozenset()


def in_turn(cells, avoid, step):
    """Where all are after a turn; `step` says where one goes, without the cells that are taken."""
    standing, found = Counter(cells), []
    for cell in avoid:
        standing[cell] = max(standing[cell], 1)
    for cell in cells:
        to = step(cell, {other for other, count in standing.items() if count})
        if to != cell:
            standing[cell] -= 1
            standing[to] += 1
        found.append(to)
    return found


def grids(folder, name, diagonal, count):
    """Some small maps of an orientation."""
    rng = np.random.default_rng([list(ORIENTATIONS).index(name), DIAGONALS.index(diagonal)])
    for _ in range(count):
        gids = rng.choice([1, 2, 3, 4], tuple(rng.integers(2, 9, 2)), p=[0.55, 0.3, 0.1, 0.05])
        yield rng, map_grid(folder, name, gids, diagonal)[1]


@pytest.mark.parametrize("diagonal", DIAGONALS)
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_neighbors_are_where_one_may_step(tmp_path, name, diagonal):
    for rng, grid in grids(tmp_path, name, diagonal, 6):
        steps = Steps(grid)
        for turn in range(3):
            cells = rng.integers(0, len(grid), 30)
            offsets, found = grid.neighbors_many(cells)
            for i, cell in enumerate(cells.tolist()):
                expected = sorted(steps.moves[cell])
                assert found[offsets[i] : offsets[i + 1]].tolist() == expected, (turn, cell)
                assert grid.neighbors(cell).tolist() == expected
            grid.block(rng.choice(len(grid), 2, replace=False))
            steps.renew()


@pytest.mark.parametrize("diagonal", DIAGONALS)
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_steps_between_cells_are_those_of_an_open_grid(tmp_path, name, diagonal):
    """Breadth first, in the middle of a grid, so that its edge is in nobody's way."""
    _, grid = map_grid(tmp_path, name, np.ones((17, 16), int), diagonal)
    for start in (grid.cell(7, 8), grid.cell(8, 7)):
        found, reached = {start: 0}, [start]
        for cell in reached:
            for other in grid.neighbors(cell).tolist():
                if found[cell] < 4 and other not in found:
                    found[other] = found[cell] + 1
                    reached.append(other)
        ends = np.array(list(found))
        assert grid.steps_between_many([start], ends).tolist() == list(found.values())
        assert grid.steps_between_many(ends, [start]).tolist() == list(found.values())
        far = np.setdiff1d(np.arange(len(grid)), ends)
        assert (grid.steps_between_many(far, [start]) > 4).all()
        assert [grid.steps_between(start, end) for end in found] == list(found.values())


@pytest.mark.slow
@pytest.mark.parametrize("diagonal", DIAGONALS)
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_the_next_cell_is_the_best_on_the_way(tmp_path, name, diagonal):
    for rng, grid in grids(tmp_path, name, diagonal, 8):
        steps = Steps(grid)
        goals = set(rng.integers(0, len(grid), int(rng.integers(1, 4))).tolist())
        field = Field(grid, grid.center_many(sorted(goals)))
        cells = list(range(len(grid)))
        for _ in range(3):
            far = field.distance_many(grid.center_many(cells))
            for cell, to in zip(cells, field.next_cell_many(cells).tolist(), strict=True):
                assert to in steps.towards(far, goals, cell, NOBODY)
                assert to == field.next_cell(cell)
                avoid = set(rng.integers(0, len(grid), 6).tolist()) - {cell}
                best = steps.towards(far, goals, cell, avoid)
                assert field.next_cell(cell, avoid=list(avoid)) == best[0]
            grid.block(rng.choice(len(grid), 2, replace=False))
            steps.renew()


@pytest.mark.parametrize("diagonal", DIAGONALS)
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_those_who_follow_it_arrive(tmp_path, name, diagonal):
    for rng, grid in grids(tmp_path, name, diagonal, 5):
        goal = int(rng.choice(np.flatnonzero(~grid.blocked.ravel())))
        field = Field(grid, [grid.center(goal)])
        far = field.distance_many(grid.center_many(np.arange(len(grid))))
        cells = np.flatnonzero(np.isfinite(far)).astype(np.int32)
        for _ in range(len(grid)):
            cells = field.next_cell_many(cells)
        assert (cells == goal).all()


@pytest.mark.parametrize("name", ["orthogonal", "staggered-columns", "hexagonal-rows"])
def test_those_who_go_in_turn_do_not_meet(tmp_path, name):
    rng = np.random.default_rng(4)
    gids = rng.choice([1, 2, 3], (20, 21), p=[0.7, 0.2, 0.1])
    _, grid = map_grid(tmp_path, name, gids)
    steps = Steps(grid)
    free = np.flatnonzero(~grid.blocked.ravel())
    goals = set(rng.choice(free, 2, replace=False).tolist())
    field = Field(grid, grid.center_many(sorted(goals)))
    values = rng.integers(0, 9, (grid.rows, grid.columns)).astype(float)
    hills = ValueField(grid, values)
    far = field.distance_many(grid.center_many(np.arange(len(grid))))
    for _ in range(20):
        cells = rng.choice(free, 60, replace=False).tolist()
        cells[10] = cells[11]  # two in one cell
        avoid = [*rng.choice(free, 10).tolist(), *cells[:20]]
        expected = in_turn(cells, avoid, lambda c, t: steps.towards(far, goals, c, t)[0])
        assert field.next_cell_many(cells, avoid).tolist() == expected
        expected = in_turn(cells, avoid, lambda c, t: steps.down(values.ravel(), c, t))
        assert hills.next_cell_many(cells, avoid).tolist() == expected
    cells = rng.choice(np.setdiff1d(free, sorted(goals)), 60, replace=False)
    for _ in range(50):
        cells = field.next_cell_many(cells, avoid=sorted(goals))
        assert len(set(cells.tolist())) == 60
        assert not goals & set(cells.tolist())
    assert (field.next_cell_many(cells, avoid=sorted(goals)) == cells).all()  # they stand


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_plain_numbers_lead_down(tmp_path, name):
    for rng, grid in grids(tmp_path, name, "only_if_no_obstacles", 8):
        steps = Steps(grid)
        size = grid.rows, grid.columns
        values = rng.choice([-inf, -3.5, -1.0, 0.0, 2.0, 7.0, inf, nan], size)
        field, cells = ValueField(grid, values), list(range(len(grid)))
        expected = [steps.down(values.ravel(), cell, NOBODY) for cell in cells]
        assert field.next_cell_many(cells).tolist() == expected
        assert [field.next_cell(cell) for cell in cells] == expected
        for cell in cells:
            avoid = rng.integers(0, len(grid), 5).tolist()
            taken = set(avoid) - {cell}
            assert field.next_cell(cell, avoid) == steps.down(values.ravel(), cell, taken)


def test_numbers_are_copied_and_go_with_the_grid(again):
    values = np.array([[0.0, 1.0, 2.0, 3.0]])
    grid = Grid([[True] * 4])
    field = ValueField(grid, values)
    values[:] = 5.0
    field.values[:] = 6.0
    assert field.next_cell(3) == 2
    grid.block([2])
    for one in (field, again(field)):
        assert one.next_cell(3) == 3
        assert one.values.tolist() == [[0.0, 1.0, 2.0, 3.0]]
        assert one.next_cell(2) == 1  # out of the wall
    grid.unblock([2])
    assert field.next_cell(3) == 2
    assert field.grid is grid


def test_who_flees_gets_away():
    grid = Grid(np.ones((9, 9), bool), diagonal="always")
    hero = Field(grid, [grid.center(40)])
    flight = ValueField(grid, -hero.distances)
    cells = flight.next_cell_many(np.setdiff1d(np.arange(81), [40]))
    for _ in range(9):
        cells = flight.next_cell_many(cells)
    assert set(cells.tolist()) == {0, 8, 72, 80}


@pytest.mark.parametrize("name", ["orthogonal", "staggered-columns", "hexagonal-rows"])
def test_a_field_with_a_limit_leads_as_far_as_it_reaches(tmp_path, name):
    """It keeps the cells around its goals only, with numbers of its own."""
    _, grid = map_grid(tmp_path, name, np.ones((150, 140), int))
    goal, cells = grid.cell(103, 97), np.arange(len(grid))
    whole = Field(grid, [grid.center(goal)])
    part = Field(grid, [grid.center(goal)], max_distance=4 * grid.cell_size[0])
    assert part._part.reach != whole._part.reach
    near = np.isfinite(part.distances.ravel())
    assert (part.next_cell_many(cells) == np.where(near, whole.next_cell_many(cells), cells)).all()
    inside = np.flatnonzero(near)
    found = part.next_cell_many(inside, [goal])
    assert (found == whole.next_cell_many(inside, [goal])).all()
    assert part.next_cell_many(cells[:0]).tolist() == []


def test_who_works_on_a_closed_goal_stands_beside_it():
    grid = Grid([[True, True, False, True]])
    field = Field(grid, [grid.center(2)])
    assert [field.next_cell(cell) for cell in range(4)] == [1, 1, 2, 3]
    assert grid.neighbors(2).tolist() == [1, 3]
    tower = Field(grid, [grid.center(0)])
    assert [tower.next_cell(cell) for cell in range(4)] == [0, 0, 1, 3]  # no way for the last


def test_the_way_out_of_a_closed_cell_does_not_lead_into_a_closed_goal():
    grid = Grid([[True, True], [False, False]])
    field = Field(grid, [(0.5, 0.5)])
    assert field.direction(1.5, 0.5)[1] > 0
    assert grid.is_open(*grid.center(field.next_cell(grid.cell_at(1.5, 0.5))))


def test_wide_units_step_in_their_own_grid():
    grid = Grid(np.ones((5, 7), bool))
    wide = grid.with_clearance(1.0)
    field, level = Field(wide, [wide.center(wide.cell(1, 2))]), ValueField(wide, np.zeros((5, 7)))
    assert field.next_cell(wide.cell(5, 2)) == wide.cell(4, 2)
    grid.block([grid.cell(3, 0)])
    assert not wide.is_open(*wide.center(wide.cell(3, 1)))
    assert wide.cell(3, 1) not in wide.neighbors(wide.cell(2, 1)).tolist()
    assert level.next_cell(wide.cell(3, 1)) != wide.cell(3, 1)  # closed: the way out
    grid.block(np.arange(14, 21))
    assert wide.is_open_many([(2.5, 2.5), (5.5, 2.5)]).tolist() == [False, False]


def test_is_open_tells_of_points():
    grid = Grid([[True, False], [True, True]], cell_size=10, origin=(-10, 5))
    xy = [(-5, 20), (5, 20), (0, 7), (10, 25), (-11, 7), (0, 99), (1e300, -1e300)]
    expected = [True, False, True, False, False, False, False]
    assert grid.is_open_many(xy).tolist() == expected
    assert [grid.is_open(x, y) for x, y in xy] == expected
    assert grid.is_open_many(np.zeros((2, 3, 2))).shape == (2, 3)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", [name for name in ORIENTATIONS if name != "orthogonal"])
def test_one_may_walk_straight_where_the_line_is_in_open_cells(tmp_path, name, seed):
    rng = np.random.default_rng(seed)
    _, grid = map_grid(tmp_path, name, rng.choice([1, 2], (9, 9), p=[0.8, 0.2]))
    shape, ids = grid._ground.shape, np.arange(len(grid))
    cells = [shapely.Polygon(center + shape.outline) for center in grid.center_many(ids)]
    land = shapely.union_all([cell.buffer(1e-7) for cell in cells])
    closed = np.flatnonzero(grid.blocked.ravel())
    low, high = np.array(grid.bounds).reshape(2, 2)
    starts, ends = rng.uniform(low, high, (2, 400, 2))
    found = grid.straight_many(starts, ends)
    assert 20 < found.sum() < 380
    for a, b, straight in zip(starts, ends, found.tolist(), strict=True):
        line, own = shapely.LineString((a, b)), grid.cell_at(*a)
        away = [shapely.distance(cells[cell], line) for cell in closed if cell != own]
        assert min(away) == 0.0 or min(away) > 1e-6
        assert straight == (
            own is not None and grid.is_open(*b) and land.covers(line) and min(away) > 0.0
        ), (a, b)


def test_who_walks_straight_touches_no_diamond():
    grid = Grid.of(TileMap.new(7, 7, (64, 32), orientation="isometric"))
    wall = grid.cell(3, 3)
    grid.block([wall])
    x, y = grid.center(wall)
    ways = {
        ((-60, 30), (20, -10)): False,  # through its middle
        ((10, 20), (40, 5)): True,  # past it
        ((-64, 0), (0, 32)): True,  # along edges of open cells
        ((-48, 40), (48, -8)): False,  # along its edge
        ((-40, 16), (40, 16)): False,  # through its lowest corner
        ((0, 40), (0, 20)): True,
        ((4, 4), (60, 40)): True,  # out of it
        ((16, 8), (60, 40)): True,  # from its edge
        ((60, 40), (16, 8.001)): True,  # to its edge
        ((0, 16), (60, 60)): True,
        ((60, 40), (4, 4)): False,
        ((0, 1000), (0, 40)): False,  # from outside
    }
    for (a, b), straight in ways.items():
        assert grid.straight(x + a[0], y + a[1], x + b[0], y + b[1]) == straight, (a, b)


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_a_team_sees_the_cells_that_are_visible(tmp_path, name):
    rng = np.random.default_rng(5)
    _, grid = map_grid(tmp_path, name, rng.choice([1, 2], (14, 13), p=[0.8, 0.2]))
    fog, cells = Fog(grid, teams=2), np.arange(len(grid))
    for team in (0, 0, 1):
        fog.add(*grid.center(int(rng.integers(len(grid)))), radius_in_cells=3, team=team)
    for team in range(2):
        seen = fog.visible(team).ravel()
        assert 0 < seen.sum() < len(grid)
        assert fog.sees_many(cells, team).tolist() == seen.tolist()
        assert [fog.sees(cell, team) for cell in cells.tolist()] == seen.tolist()
    grid.block(np.flatnonzero(~grid.blocked.ravel())[:9])
    assert fog.sees_many(cells).tolist() == fog.visible().ravel().tolist()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda g, f: g.cell(3, 0), IndexError, "column must be from 0 to 2, got 3"),
        (lambda g, f: g.cell(0, -1), IndexError, "row must be from 0 to 1, got -1"),
        (lambda g, f: g.cell(0.5, 0), TypeError, "column must be a whole number, got 0.5"),
        (lambda g, f: g.cell(0, "a"), TypeError, "row must be a whole number, got 'a'"),
        (lambda g, f: g.neighbors(6), IndexError, "cell must be from 0 to 5, got 6"),
        (lambda g, f: g.neighbors(2**70), IndexError, "cell must be from 0 to 5, got 1180"),
        (lambda g, f: g.neighbors(None), TypeError, "cell must be a whole number, got None"),
        (lambda g, f: g.neighbors_many([0.5]), TypeError, "cells must be a list of whole numbers"),
        (lambda g, f: g.is_open(nan, 0), ValueError, "x and y must be finite, got nan"),
        (lambda g, f: g.is_open_many([1, 2, 3]), ValueError, "xy must have a last axis of two"),
        (lambda g, f: g.steps_between(0, 9), IndexError, "other must be from 0 to 5, got 9"),
        (lambda g, f: g.steps_between(0, 1.5), TypeError, "other must be a whole number, got 1.5"),
        (
            lambda g, f: g.steps_between_many([0, 1, 2], [1, 2]),
            ValueError,
            "others must have the length 3, got 2",
        ),
        (lambda g, f: f.next_cell(-1), IndexError, "cell must be from 0 to 5, got -1"),
        (lambda g, f: f.next_cell("a"), TypeError, "cell must be a whole number, got 'a'"),
        (
            lambda g, f: f.next_cell_many([0], avoid=[6]),
            IndexError,
            "avoid must be from 0 to 5, got 6, which stands for a point outside",
        ),
        (
            lambda g, f: f.next_cell(0, avoid=3),
            TypeError,
            "avoid must be a list of whole numbers, got 3",
        ),
        (lambda g, f: ValueField(g, [1, 2]), ValueError, "values must have the shape \\(2, 3\\)"),
        (lambda g, f: ValueField(g, "a"), ValueError, "values must be numbers, got 'a'"),
        (lambda g, f: ValueField([[1]], [[1]]), TypeError, "grid must be a Grid"),
        (
            lambda g, f: ValueField(g, np.zeros((2, 3))).next_cell_many([6]),
            IndexError,
            "cells must be from 0 to 5, got 6",
        ),
        (lambda g, f: Fog(g).sees(6), IndexError, "cell must be from 0 to 5, got 6"),
        (lambda g, f: Fog(g).sees(0, team=1), ValueError, "team must be from 0 to 0, got 1"),
        (lambda g, f: Fog(g).sees(None), TypeError, "cell must be a whole number, got None"),
    ],
)
def test_wrong_arguments(call, error, words):
    grid = Grid(np.ones((2, 3), bool))
    field = Field(grid, [(1.5, 1.5)])
    with pytest.raises(error, match=words):
        call(grid, field)


def answers() -> list:
    """Neighbors and steps in all orientations."""
    found = []
    for name in ORIENTATIONS:
        rng = np.random.default_rng(len(name))
        with tempfile.TemporaryDirectory() as folder:
            gids = rng.choice([1, 2, 3, 4], (12, 14), p=[0.6, 0.2, 0.1, 0.1])
            _, grid = map_grid(Path(folder), name, gids)
        cells = np.arange(len(grid))
        goals = rng.choice(len(grid), 2, replace=False)
        field = Field(grid, grid.center_many(goals))
        hills = ValueField(grid, rng.integers(0, 5, gids.shape))
        found.extend(part.tolist() for part in grid.neighbors_many(cells))
        found.append(grid.steps_between_many(cells, cells[::-1]).tolist())
        for one in (field, hills):
            found.append(one.next_cell_many(cells).tolist())
            found.append(one.next_cell_many(rng.permutation(cells)[:40], goals).tolist())
        fog = Fog(grid)
        fog.add(*grid.center(60), radius_in_cells=4)
        found.append(fog.sees_many(cells).tolist())
        found.append(grid.is_open_many(grid.center_many(cells)).tolist())
    return found

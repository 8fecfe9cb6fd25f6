"""Straight directions over open land, and lengths beside an eikonal solver in plain Python."""

from math import inf

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from tests.nav_worlds import DIAGONALS, ORIENTATIONS, cave, map_grid, renewed, same
from tilequad.nav import Field, Grid


def turned_off(field, xy, goal):
    """By how many degrees the directions at points differ from straight lines to a goal."""
    found = field.direction_many(xy)
    straight = np.asarray(goal) - xy
    cross = found[:, 0] * straight[:, 1] - found[:, 1] * straight[:, 0]
    return np.degrees(np.abs(np.arctan2(cross, (found * straight).sum(axis=1))))


@pytest.mark.parametrize("diagonal", DIAGONALS)
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_directions_over_open_land_are_straight(tmp_path, name, diagonal):
    _, grid = map_grid(tmp_path, name, np.ones((110, 120), int), diagonal)
    [goal] = grid.center_many([53 * 120 + 61])
    xy = grid.center_many(np.arange(len(grid)))
    rows, columns = np.divmod(np.arange(len(grid)), 120)
    inner = (columns > 9) & (columns < 110) & (rows > 9) & (rows < 100)
    cells = np.hypot(*(xy - goal).T) / 16
    angles = turned_off(Field(grid, [goal]), xy, goal)
    near, far = inner & (cells > 2) & (cells < 20), inner & (cells > 20)
    # Without moves across corners, the triangles are twice as large.
    coarse = 3.0 if diagonal == "never" and "hexagonal" not in name else 1.0
    assert np.percentile(angles[far], 95) < 2.6 * coarse
    assert angles[far].mean() < 1.3 * coarse
    assert np.percentile(angles[near], 95) < 4.6 * coarse


def test_an_army_keeps_its_width_over_open_land():
    grid = Grid(np.ones((200, 200)), cell_size=16)
    goal = 3100, 1600
    field = Field(grid, [goal])
    ranks = np.mgrid[0:22, 0:20].reshape(2, -1).T[:, ::-1] * 17.0 + (100, 700)
    xy = ranks
    for _ in range(600):
        xy = field.advance_many(xy, 2.0)
    ways = goal - ranks
    rays = ranks + ways * (1200 / np.hypot(*ways.T))[:, None]
    assert np.ptp(xy[:, 1]) >= 0.95 * np.ptp(rays[:, 1])
    assert np.hypot(*(xy - rays).T).max() < 40


def lengths_of(field):
    """The length of the straight way from each cell, as a flat array."""
    field.distance(0, 0)
    return field._part.ground.inner(field._part.lengths).astype(float).ravel()


def shortest(corners, lengths, here, cost):
    """The shortest way to the line between two corners, whose lengths are known."""

    def length(share):
        spot = (1 - share) * corners[0] + share * corners[1]
        return (1 - share) * lengths[0] + share * lengths[1] + cost * np.hypot(*(spot - here))

    return minimize_scalar(length, bounds=(0, 1), method="bounded", options={"xatol": 1e-9}).fun


@pytest.mark.parametrize("name", ["orthogonal", "isometric", "hexagonal-rows"])
def test_lengths_solve_the_eikonal_equation(tmp_path, name):
    """Whatever the field found, no way through the triangles around a cell is much shorter."""
    gids = np.where(cave(np.random.default_rng(5), 18, 20, 0.4), 1, 2)
    gids[9:12, 9:12] = 1
    _, grid = map_grid(tmp_path, name, gids)
    field = Field(grid, grid.center_many([10 * 20 + 10]))
    lengths, far = lengths_of(field), field.distances.ravel()
    steps = grid._ground.shape.steps()
    centers, ground = grid.center_many(np.arange(len(grid))), grid._ground
    shortfalls = []
    for cell in np.flatnonzero((far > 0) & (far < inf)).tolist():
        place = (cell // 20 + 2) * 24 + cell % 20 + 2
        moves = [k for k in range(ground.directions) if ground.moves[place] >> k & 1]
        around = {}
        for k in moves:
            around[k] = int(grid.cell_at(*(centers[cell] + steps[k])))
        ends = [lengths[n] + np.hypot(*(centers[n] - centers[cell])) for n in around.values()]
        for k, one in around.items():
            two = around.get((k + 1) % ground.directions)
            if two is not None:
                known = lengths[[one, two]]
                ends.append(shortest(centers[[one, two]], known, centers[cell], 1.0))
        shortfalls.append(lengths[cell] / min(ends) - 1)
        assert lengths[cell] > 0
    assert min(shortfalls) > -1e-5  # no length is shorter than it can be
    assert np.percentile(shortfalls, 95) < 1e-5
    assert max(shortfalls) < 0.05


@pytest.mark.parametrize("diagonal", DIAGONALS)
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_lengths_lie_between_straight_lines_and_distances(tmp_path, name, diagonal):
    rng = np.random.default_rng(7)
    gids = rng.choice([1, 2, 3, 4], (21, 19), p=[0.6, 0.2, 0.1, 0.1])
    _, grid = map_grid(tmp_path, name, gids, diagonal)
    free = np.flatnonzero(~grid.blocked.ravel())
    goals = free[[5, -9]]
    field = Field(grid, grid.center_many(goals))
    far, lengths = field.distances.ravel(), lengths_of(field)
    reached = np.flatnonzero(np.isfinite(far))
    centers = grid.center_many(np.arange(len(grid)))
    gaps = centers[reached][:, None] - centers[goals]
    straight = np.hypot(gaps[..., 0], gaps[..., 1]).min(axis=1)
    assert (lengths[reached] <= far[reached] * (1 + 1e-5)).all()
    assert (lengths[reached] >= straight * (1 - 1e-5)).all()


def test_costs_that_lie_far_apart_are_repaired_like_others():
    """The buckets of such a grid are wider than its shortest moves."""
    rng = np.random.default_rng(9)
    costs = rng.choice([0.01, 1.0, 1000.0], (30, 30), p=[0.3, 0.5, 0.2])
    grid = Grid(costs, cell_size=16)
    field = Field(grid, [(200, 200)])
    for _ in range(30):
        cells = rng.integers(0, len(grid), 5)
        grid.set_costs(cells, rng.choice([0.01, 1.0, 1000.0, inf], 5))
        assert same(field, renewed(field))

"""Paths against fields and against an exact walk along them; areas against scipy."""

from __future__ import annotations

import pickle
from itertools import pairwise
from math import inf

import numpy as np
import pytest

from tests.nav_worlds import ORIENTATIONS, Twin, cave, change, map_grid, maze
from tilequad._core.ways.astar import AStar
from tilequad.ai import Route
from tilequad.nav import Field, Grid, Paths


def length(path):
    return float(np.hypot(*np.diff(path, axis=0).T).sum())


def cost_of(grid, path, part=0.02):
    """What a path costs, and whether it is open, by looking at many points beside it.

    Along an edge between two cells the cheaper one counts.
    """
    total, free = 0.0, True
    costs = np.append(grid.costs.ravel(), inf)
    for start, end in pairwise(path):
        far = float(np.hypot(*(end - start)))
        count = max(int(far / part), 2)
        points = start + ((np.arange(count) + 0.5) / count)[:, None] * (end - start)
        aside = 1e-7 * np.array([start[1] - end[1], end[0] - start[0]])
        here = np.minimum(
            costs[grid.cell_at_many(points + aside)], costs[grid.cell_at_many(points - aside)]
        )
        free &= bool((here < inf).all())
        total += far * float(here.mean())
    return total, free


@pytest.mark.slow
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_paths_are_short_and_cross_no_wall(tmp_path, name):
    rng = np.random.default_rng(3)
    gids = rng.choice([1, 2, 3, 4], (20, 20), p=[0.6, 0.25, 0.1, 0.05])
    _, grid = map_grid(tmp_path, name, gids)
    paths, twin = Paths(grid), Twin(grid)
    labels = twin.labels()
    costs = grid.costs.ravel()
    free = np.flatnonzero(costs < inf)
    found = 0
    for _ in range(60):
        a, b = rng.choice(free, 2)
        start, goal = grid.center_many([a, b])
        path = paths.find(*start, *goal)

        assert (path is not None) == (labels[a] == labels[b])
        assert paths.connected(*start, *goal) == (labels[a] == labels[b])
        if path is None:
            continue
        found += 1
        assert path[0].tolist() == start.tolist()
        assert path[-1].tolist() == goal.tolist()
        cost, is_free = cost_of(grid, path)
        assert is_free
        assert cost <= twin.distances([b])[a] * (1 + 1e-3) + 0.1
        if a != b:
            assert Route(path).length == pytest.approx(length(path))
    assert found > 20


@pytest.mark.parametrize("kind", ["noise", "cave", "maze", "open"])
def test_paths_are_never_longer_than_those_by_cells(kind):
    rng = np.random.default_rng(9)
    free = {
        "noise": rng.random((60, 60)) > 0.3,
        "cave": cave(rng, 60, 60),
        "maze": maze(rng, 61, 61),
        "open": np.ones((60, 60), bool),
    }[kind]
    grid = Grid(free)
    paths = Paths(grid)
    places = grid.center_many(np.flatnonzero(free.ravel()))
    for goal in places[rng.choice(len(places), 8)]:
        field = Field(grid, [goal])
        starts = places[rng.choice(len(places), 12)]
        for start, path in zip(starts, paths.find_many(starts, goal), strict=True):
            far = field.distance(*start)
            assert (path is None) == (far == inf)
            if path is not None:
                assert length(path) <= far + 1e-6
                assert length(path) >= np.hypot(*(goal - start)) - 1e-9
                assert cost_of(grid, path)[1]


def test_over_open_ground_a_path_is_a_line():
    paths = Paths(Grid(np.ones((100, 100), bool)))
    assert paths.find(3.2, 4.1, 88.7, 31.9).tolist() == [[3.2, 4.1], [88.7, 31.9]]


def test_no_corner_is_cut():
    free = np.ones((3, 3), bool)
    free[1, 1] = False
    path = Paths(Grid(free)).find(0.5, 1.5, 1.5, 0.5)
    assert path.tolist() == [[0.5, 1.5], [0.5, 0.5], [1.5, 0.5]]
    cut = Paths(Grid(free, diagonal="at_least_one_walkable")).find(0.5, 1.5, 1.5, 0.5)
    assert cut.tolist() == [[0.5, 1.5], [1.5, 0.5]]


def test_between_two_walls_that_meet_at_a_corner():
    free = np.array([[False, True], [True, False]])
    ends = (0.5, 0.5), (1.5, 1.5)
    assert Paths(Grid(free)).find(*ends[0], *ends[1]) is None
    assert Paths(Grid(free, diagonal="at_least_one_walkable")).find(*ends[0], *ends[1]) is None
    assert Paths(Grid(free, diagonal="always")).find(*ends[0], *ends[1]).tolist() == [
        list(e) for e in ends
    ]


def test_mud_is_walked_around():
    costs = np.ones((9, 9))
    costs[1:, 4] = 20.0
    path = Paths(Grid(costs)).find(0.5, 0.5, 8.5, 0.5)
    assert path[:, 1].max() > 8.0


def test_ends_in_walls_and_outside():
    free = np.ones((10, 10), bool)
    free[:, 5] = False
    grid = Grid(free)
    paths = Paths(grid)
    assert paths.find(1.5, 1.5, 8.5, 1.5) is None  # open, but beyond the wall
    assert paths.find(1.5, 1.5, 5.5, 1.5).tolist() == [[1.5, 1.5], [4.5, 1.5]]
    assert paths.find(-30, 1.5, 0.2, 9.0).tolist() == [[0.5, 1.5], [0.2, 9.0]]
    assert paths.find(1.5, 1.5, 900, -900).tolist() == [[1.5, 1.5], [4.5, 0.5]]
    assert paths.find(2.5, 2.5, 2.5, 2.5).tolist() == [[2.5, 2.5]]
    assert paths.find(2.5, 2.5, 2.9, 2.6).tolist() == [[2.5, 2.5], [2.9, 2.6]]


def test_nearest_reachable_place_is_the_nearest():
    rng = np.random.default_rng(17)
    free = rng.random((30, 30)) > 0.45
    grid = Grid(free)
    paths = Paths(grid)
    labels = Twin(grid).labels()
    centers = grid.center_many(np.arange(900))
    closed = np.flatnonzero(~free.ravel())
    for start in rng.choice(np.flatnonzero(free.ravel()), 20).tolist():
        goal = centers[rng.choice(closed)]
        path = paths.find(*centers[start], *goal)
        own = centers[(labels == labels[start]) & free.ravel()]
        assert np.hypot(*(path[-1] - goal)) == np.hypot(*(own - goal).T).min()


def test_all_closed():
    paths = Paths(Grid(np.zeros((5, 5), bool)))
    assert paths.find(1, 1, 3, 3) is None
    assert not paths.connected(1, 1, 1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("diagonal", ["only_if_no_obstacles", "always"])
@pytest.mark.parametrize("name", ["orthogonal", "hexagonal-rows", "staggered-columns"])
def test_areas_follow_the_grid(tmp_path, name, diagonal):
    rng = np.random.default_rng(31)
    gids = rng.choice([1, 2], (24, 24), p=[0.55, 0.45])
    tile_map, grid = map_grid(tmp_path, name, gids, diagonal)
    layer = tile_map.layer("ground")
    paths, twin = Paths(grid), Twin(grid)
    built: list[np.ndarray] = []
    for _ in range(60):
        for _ in range(rng.integers(1, 4)):
            change(rng, grid, layer, built)
        areas = paths._ready()[0]
        mine = areas.areas_of(np.arange(len(grid), dtype=np.int32))
        free = ~grid.blocked.ravel()
        assert ((mine > 0) == free).all()
        theirs = twin.labels()
        pairs = set(zip(mine[free].tolist(), theirs[free].tolist(), strict=True))
        assert len(pairs) == len(set(mine[free].tolist())) == len(set(theirs[free].tolist()))


def test_areas_of_a_winding_corridor_that_is_cut():
    """Cut at its ends a small part is found, cut in the middle all cells are labeled anew."""
    free = np.ones((41, 41), bool)
    free[1::2] = False
    free[1::4, -1] = free[3::4, 0] = True
    grid = Grid(free)
    way = np.flatnonzero(free.ravel())
    paths, twin = Paths(grid), Twin(grid)
    places = grid.center_many(way[:: len(way) // 40])
    for cell in way[[3, 200, len(way) // 2, -5]].tolist():
        for act in (grid.block, grid.unblock):
            act([cell])
            areas = twin.labels()[grid.cell_at_many(places)]
            free_now = ~grid.blocked.ravel()[grid.cell_at_many(places)]
            for start, area, is_free in zip(places, areas, free_now, strict=True):
                expected = (areas == area) & free_now & is_free
                assert paths.connected_many(start, places).tolist() == expected.tolist()


def test_areas_follow_what_opens_and_closes_among_many_new_costs():
    """Only the sides of a closed cell are searched, which finds that a corner is cut off."""
    rng = np.random.default_rng(5)
    grid = Grid(np.ones((80, 80), bool))
    paths = Paths(grid)
    assert paths.connected(0.5, 0.5, 79.5, 79.5)
    grid.block([81, 80])
    assert paths.connected(0.5, 0.5, 79.5, 79.5)
    many = rng.choice(np.arange(200, 6400), 700, replace=False)
    grid.set_costs(many, 2.0)
    grid.block([1])
    assert paths._ready()[0].areas_of(np.array([0, 6399], np.int32)).tolist() == [2, 1]


def test_a_path_after_a_change():
    grid = Grid(np.ones((20, 20), bool))
    paths = Paths(grid)
    wall = np.arange(1, 20) * 20 + 10
    grid.block(wall)
    around = paths.find(2.5, 2.5, 17.5, 2.5)
    assert around[:, 1].max() > 19.0
    grid.block([10])
    assert paths.find(2.5, 2.5, 17.5, 2.5) is None
    grid.unblock(wall)
    assert len(paths.find(2.5, 2.5, 17.5, 2.5)) == 2


@pytest.mark.slow
def test_landmarks_while_the_grid_changes():
    """Paths stay shortest when cells close after landmarks were measured, and when they open."""
    rng = np.random.default_rng(41)
    grid = Grid(rng.choice([1.0, 2.0, inf], (30, 30), p=[0.6, 0.15, 0.25]))
    paths = Paths(grid)
    counts = set()
    for turn in range(120):
        cells = rng.choice(900, 3, replace=False)
        grid.set_costs(cells, rng.choice([2.0, inf] if turn % 40 else [1.0], 3))
        places = grid.center_many(np.flatnonzero(~grid.blocked.ravel()))
        goal = places[rng.integers(len(places))]
        starts = places[rng.integers(0, len(places), 20)]
        field = Field(grid, [goal])
        for start, path in zip(starts, paths.find_many(starts, goal), strict=True):
            far = field.distance(*start)
            assert (path is None) == (far == inf)
            if path is not None:
                there, end = grid.cell_at_many([start, goal]).tolist()
                [cost] = AStar(grid._ground, paths._landmarks).costs_to(end, [there])
                assert cost * grid._ground.costs.unit == pytest.approx(far)
                assert cost_of(grid, path)[0] <= far * 1.001 + 0.05
        counts.add(paths._landmarks.count)
    assert counts >= {1, 2, 3, 4}


def test_landmarks_are_measured_where_paths_are_found_one_by_one():
    grid = Grid(np.random.default_rng(3).random((100, 100)) < 0.7)
    paths = Paths(grid)
    places = grid.center_many(np.flatnonzero(~grid.blocked.ravel()))
    for start, goal in zip(places[:3000:50], places[:3000:-50], strict=False):
        paths.find(*start, *goal)
    assert paths._landmarks.count == 4


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_one_search_finds_the_ways_from_many_starts(tmp_path, name):
    """Near each other or scattered, with landmarks and without: the exact cost of each."""
    rng = np.random.default_rng(23)
    gids = rng.choice([1, 2, 3, 4], (26, 26), p=[0.6, 0.25, 0.1, 0.05])
    _, grid = map_grid(tmp_path, name, gids, rng.choice(["always", "only_if_no_obstacles"]))
    paths = Paths(grid)
    free = np.flatnonzero(~grid.blocked.ravel())
    counts = set()
    for turn in range(60):
        goal = int(rng.choice(free))
        field = Field(grid, [grid.center(goal)])
        reached = np.flatnonzero(np.isfinite(field.distances.ravel()))
        starts = rng.choice(reached, rng.integers(1, 20))
        if turn % 2:
            starts = np.intersect1d(starts[0] + np.array([0, 1, 2, 26, 27, 28, 52]), reached)
        costs = AStar(grid._ground, paths._landmarks).costs_to(goal, starts.tolist())
        expected = field.distances.ravel()[starts]
        assert np.multiply(costs, grid._ground.costs.unit).tolist() == expected.tolist()
        counts.add(paths._landmarks.count)
        paths.find_many(*grid.center_many(rng.choice(reached, 16)).reshape(2, 8, 2))
    assert counts >= {0, 4}


def test_many_paths_have_the_ends_of_single_ones():
    rng = np.random.default_rng(29)
    grid = Grid(rng.choice([1.0, 3.0, inf], (30, 30), p=[0.5, 0.1, 0.4]), 10)
    paths, others = Paths(grid), Paths(grid)
    for count in (2, 5, 40):
        goals = rng.uniform(-20, 320, (3, 2))[rng.integers(0, 3, count)]
        starts = rng.uniform(-20, 320, (count, 2))
        starts[-1] = goals[-1]
        for start, goal, path in zip(starts, goals, paths.find_many(starts, goals), strict=True):
            single = others.find(*start, *goal)
            assert (path is None) == (single is None)
            if path is not None:
                assert path[[0, -1]].tolist() == single[[0, -1]].tolist()
                cell = grid.cell_at(*path[-1])
                far = Field(grid, [grid.center(cell)]).distance(*path[0])
                for way in (path, single):
                    cost, is_free = cost_of(grid, way)
                    assert is_free
                    assert cost <= far + 2 * 10 * 3


def test_the_first_question_may_be_for_a_way_that_is_none():
    free = np.ones((9, 9), bool)
    free[4] = False
    free[4, 8] = free[8, 0] = True
    free[7:, 1] = free[7, 0] = False
    grid = Grid(free)
    centers = grid.center_many([0, 8, 40, 44, 72, 80])
    for first in centers:
        for others in (centers[::-1], centers[4:]):
            paths = Paths(grid)
            found = [way is not None for way in paths.find_many(first, others)]
            new = Paths(grid)
            assert found == [new.find(*first, *goal) is not None for goal in others]
            ends = grid.cell_at_many(
                [way[-1] for way in paths.find_many(others, first) if way is not None]
            )
            assert not grid.blocked.ravel()[ends].any()
        grid.block([30])
        assert paths.find(*centers[0], *centers[1]) is not None
        grid.unblock([30])


def test_in_one_costly_cell_nothing_is_searched():
    paths = Paths(Grid([[1.0, 5.0], [1.0, 1.0]]))
    path = paths.find(1.1, 1.1, 1.9, 1.9)
    assert path.tolist() == [[1.1, 1.1], [1.9, 1.9]]


def test_saved_paths_go_on():
    grid = Grid(np.random.default_rng(1).random((40, 40)) > 0.3)
    paths = Paths(grid)
    ends = np.random.default_rng(2).uniform(0, 40, (2, 30, 2))
    paths.find_many(*ends)
    paths.find_many(*ends)
    grid.block([100])
    twin = pickle.loads(pickle.dumps(paths))
    for mine, other in zip(paths.find_many(*ends), twin.find_many(*ends), strict=True):
        assert (mine is None and other is None) or mine.tolist() == other.tolist()
    twin.grid.block(np.arange(40) * 40 + 20)
    starts, goals = ends
    apart = (starts[:, 0] < 20) != (goals[:, 0] < 20)
    assert paths.connected_many(starts, goals)[apart].any()
    assert not twin.connected_many(starts, goals)[apart].any()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: p.find(inf, 2, 1, 2), "x0 and y0 must be finite, got inf and 2"),
        (lambda p: p.find(1, 2, np.nan, 2), "x1 and y1 must be finite"),
        (
            lambda p: p.find_many([(1, 2)] * 3, [(1, 2)] * 2),
            "xy0 and xy1 must have the same length, got 3 and 2",
        ),
        (lambda p: p.find_many(np.zeros((2, 2, 2)), (1, 2)), "xy0 must have the shape"),
    ],
)
def test_wrong_arguments(call, words):
    with pytest.raises(ValueError, match=words):
        call(Paths(Grid(np.ones((3, 3), bool))))

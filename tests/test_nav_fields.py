"""Fields against scipy on the same graph; repaired fields against new ones."""

from __future__ import annotations

import pickle
import tempfile
from math import inf
from pathlib import Path

import numpy as np
import pytest

from tests.nav_worlds import (
    DIAGONALS,
    ORIENTATIONS,
    Twin,
    cave,
    change,
    map_grid,
    maze,
    renewed,
    same,
)
from tilequad.nav import Field, Grid, Paths


@pytest.mark.parametrize("diagonal", DIAGONALS)
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_distances_are_those_of_dijkstra(tmp_path, name, diagonal):
    rng = np.random.default_rng(5)
    gids = rng.choice([1, 2, 3, 4], (15, 13), p=[0.5, 0.25, 0.15, 0.1])
    _, grid = map_grid(tmp_path, name, gids, diagonal)
    twin = Twin(grid)
    free = np.flatnonzero(~grid.blocked.ravel())
    for count in (1, 3):
        goals = rng.choice(free, count, replace=False)
        field = Field(grid, grid.center_many(goals))

        far, near = field.distances.ravel(), 1e-4 * 16
        np.testing.assert_allclose(far, twin.distances(goals.tolist()), atol=near)
        places = grid.center_many(np.arange(len(grid)))
        found = field.distance_many(places)
        np.testing.assert_allclose(found, twin.approached(goals.tolist()), atol=near)
        assert found[free].tolist() == far[free].tolist()
        assert found.tolist() == [field.distance(*place) for place in places.tolist()]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["noise", "cave", "maze", "open", "closed"])
def test_kinds_of_ground(kind):
    rng = np.random.default_rng(8)
    free = {
        "noise": rng.random((40, 50)) > 0.3,
        "cave": cave(rng, 40, 50),
        "maze": maze(rng, 41, 51),
        "open": np.ones((40, 50), bool),
        "closed": np.zeros((40, 50), bool),
    }[kind]
    grid = Grid(free, cell_size=7.0, origin=(-100, 30))
    twin = Twin(grid)
    goals = np.flatnonzero(free.ravel())[::400].tolist()
    field = Field(grid, grid.center_many(goals))

    np.testing.assert_allclose(field.distances.ravel(), twin.distances(goals), atol=7e-4)


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_a_repaired_field_equals_a_new_one(tmp_path, name):
    """Tiles change, buildings come and go, costs change, goals move."""
    rng = np.random.default_rng(13)
    gids = rng.choice([1, 2, 3, 4], (24, 24), p=[0.6, 0.2, 0.1, 0.1])
    tile_map, grid = map_grid(tmp_path, name, gids)
    layer = tile_map.layer("ground")
    fields = [
        Field(grid, grid.center_many([30, 500])),
        Field(grid, grid.center_many([250]), max_distance=150.0),
    ]
    built: list[np.ndarray] = []
    for turn in range(150):
        for _ in range(rng.integers(1, 4)):
            change(rng, grid, layer, built)
        if turn % 5 == 0:
            goals = rng.choice(len(grid), rng.integers(1, 4), replace=False)
            fields[0].move_goals(grid.center_many(np.sort(goals)))
        for field in fields:
            field.distance(0, 0)
            assert same(field, renewed(field)), turn


@pytest.mark.parametrize("name", ["orthogonal", "hexagonal-rows"])
def test_a_field_with_moved_goals_equals_a_new_one(tmp_path, name):
    """Goals come, go and walk: few distances change, or nearly all of them."""
    rng = np.random.default_rng(14)
    gids = rng.choice([1, 2, 3, 4], (30, 30), p=[0.6, 0.2, 0.1, 0.1])
    _, grid = map_grid(tmp_path, name, gids)
    field = Field(grid, np.empty((0, 2)))
    goals: list[int] = []
    for turn in range(300):
        kind = rng.integers(3)
        if kind == 0 and goals:
            goals.pop(rng.integers(len(goals)))
        elif kind == 1 and goals:
            goals[rng.integers(len(goals))] += int(rng.integers(2))
        else:
            goals.append(int(rng.integers(len(grid) - 300)))
        if turn % 60 == 59:
            del goals[1:]
        field.move_goals(grid.center_many(np.array(goals, int)))
        assert field.goals.tolist() == sorted(set(goals))
        assert same(field, renewed(field)), turn


def test_a_thousand_edits():
    rng = np.random.default_rng(2)
    grid = Grid(rng.random((60, 60)) > 0.2)
    field = Field(grid, [(30.5, 30.5), (3.5, 50.5)])
    closed = set()
    for _ in range(1000):
        cell = int(rng.integers(len(grid)))
        if cell in closed:
            grid.unblock([cell])
        else:
            grid.block([cell])
        closed ^= {cell}
        field.distance(0, 0)
        assert same(field, renewed(field))


def test_goals_have_no_order():
    rng = np.random.default_rng(4)
    grid = Grid(rng.random((50, 50)) > 0.25)
    goals = rng.uniform(0, 50, (20, 2))
    assert same(Field(grid, goals), Field(grid, goals[::-1]))


def test_a_goal_in_a_wall_is_reached_across_its_edges():
    free = np.ones((5, 5), bool)
    free[2, 2] = False
    field = Field(Grid(free, cell_size=2.0), [(5, 5)])
    assert field.distance_many([(3, 5), (5, 3), (3, 3), (1, 5)]).tolist() == pytest.approx(
        [2, 2, 4, 4]
    )
    assert field.distance(5, 5) == 0.0
    walker = np.array([(1.0, 1.0)])
    for _ in range(100):
        walker = field.advance_many(walker, 0.3)
    assert field.distance_many(walker).tolist() == [2.0]


def test_a_limited_field_ends_there():
    grid = Grid(np.ones((1, 50), bool))
    field = Field(grid, [(0.5, 0.5)], max_distance=20.0)
    whole = Field(grid, [(0.5, 0.5)])
    expected = np.where(whole.distances <= 20.0, whole.distances, inf)
    assert field.distances.tolist() == expected.tolist()


def test_no_way_to_a_closed_cell_is_longer_than_max_distance():
    free = np.ones((1, 9), bool)
    free[0, 5] = False
    short, enough = (Field(Grid(free), [(0.5, 0.5)], most) for most in (4.5, 5.0))
    assert short.distance(5.5, 0.5) == inf
    assert enough.distance(5.5, 0.5) == 5.0


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_a_limited_field_knows_what_a_whole_one_knows_so_far(tmp_path, name):
    """It keeps a part of the cells, which follows goals and changes; the edges of the map, too."""
    rng = np.random.default_rng(15)
    gids = rng.choice([1, 2, 3, 4], (150, 140), p=[0.7, 0.2, 0.05, 0.05])
    tile_map, grid = map_grid(tmp_path, name, gids)
    layer = tile_map.layer("ground")
    (x0, y0), (x1, y1) = np.array(grid.bounds).reshape(2, 2)
    middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    limit, goals = 130.0, middle[None]
    field, whole = Field(grid, goals, limit), Field(grid, goals)
    built: list[np.ndarray] = []
    reaches = set()
    for turn in range(24):
        if turn % 6 == 5:
            spot = rng.uniform((x0, y0), (x1, y1))
            goals = spot + rng.uniform(-20, 20, (2, 2))
            goals = goals[grid.cell_at_many(goals) < len(grid)]
            field.move_goals(goals)
            whole.move_goals(goals)
        reaches.add(field._part.reach)
        [cell, *_] = grid.cell_at_many(np.vstack((goals, middle[None]))).tolist()
        grid.set_costs([cell], [1.0])
        beside = np.clip([cell - 1, cell + 1, cell + 140], 0, len(grid) - 1)
        grid.set_costs(beside, rng.choice([1.0, inf], 3))
        change(rng, grid, layer, built)
        expected = np.where(whole.distances <= limit, whole.distances, inf)
        assert field.distances.tolist() == expected.tolist()
        assert same(field, renewed(field))
        xy = np.vstack((rng.uniform((x0 - 9, y0 - 9), (x1 + 9, y1 + 9), (300, 2)), goals))
        xy = np.vstack((xy, xy[-1] + rng.uniform(-150, 150, (300, 2))))
        far = whole.distance_many(xy)
        assert field.distance_many(xy).tolist() == np.where(far <= limit, far, inf).tolist()
        near = xy[far <= limit / 2]
        for question in (Field.direction_many, lambda f, p: f.advance_many(p, 3.0)):
            np.testing.assert_allclose(question(field, near), question(whole, near), atol=1e-9)
        lost = xy[(far > limit) & ~np.isin(grid.cell_at_many(xy), np.flatnonzero(grid.blocked))]
        outside = grid.cell_at_many(lost) == len(grid)
        assert (field.advance_many(lost, 3.0)[~outside] == lost[~outside]).all()
        assert not field.direction_many(lost).any()
    assert len(reaches) > 2
    assert max(reach.size for reach in reaches) < len(grid) / 2


def test_a_limited_field_keeps_what_it_reaches_and_pickles_its_goals():
    grid = Grid(np.random.default_rng(3).random((600, 600)) > 0.2)
    xy = np.random.default_rng(4).uniform(0, 600, (300, 2))
    fields = [Field(grid, [goal], 20) for goal in xy]
    assert max(field._part.words.size for field in fields) < 110 * 110
    alone = len(pickle.dumps(grid))
    assert len(pickle.dumps((grid, fields))) < alone + 300 * 1000
    twins = pickle.loads(pickle.dumps((grid, fields)))[1]
    assert all(same(*pair) for pair in zip(twins, fields, strict=True))


def test_a_field_without_goals():
    field = Field(Grid(np.ones((3, 3), bool)), [])
    assert np.isinf(field.distances).all()
    field.move_goals([(1.5, 1.5)])
    assert field.distance(0.5, 1.5) == pytest.approx(1.0)
    field.move_goals(np.empty((0, 2)))
    assert np.isinf(field.distances).all()


def test_outside_nothing_is_near():
    field = Field(Grid(np.ones((3, 3), bool)), [(1.5, 1.5)])
    assert field.distance_many([(-1, 1), (4, 1), (1e300, 0)]).tolist() == [inf, inf, inf]
    assert field.distance(1e6, 0) == inf
    assert field.direction(-1, 1) == (0.0, 0.0)


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_walkers_arrive_and_enter_no_wall(tmp_path, name):
    rng = np.random.default_rng(21)
    gids = np.where(cave(rng, 40, 40, 0.42), 1, 2)
    gids[:3, :3] = 1
    _, grid = map_grid(tmp_path, name, gids)
    free = np.flatnonzero(~grid.blocked.ravel())
    field = Field(grid, grid.center_many(free[:1]))
    reached = free[np.isfinite(field.distances.ravel()[free])]
    xy = grid.center_many(reached) + rng.uniform(-3, 3, (len(reached), 2))
    xy = xy[np.isin(grid.cell_at_many(xy), reached)]
    far = field.distance_many(xy)
    step = 3.0
    for _ in range(int(far.max() / step * 1.3) + 20):
        xy = field.advance_many(xy, step)
        assert not grid.blocked.ravel()[grid.cell_at_many(xy)].any()
    assert (field.distance_many(xy) == 0.0).all()


@pytest.mark.parametrize("diagonal", DIAGONALS)
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_every_walker_arrives(tmp_path, name, diagonal):
    """In narrow grids, whatever may be cut: whose distance is finite gets to a goal."""
    rng = np.random.default_rng([list(ORIENTATIONS).index(name), list(DIAGONALS).index(diagonal)])
    for _ in range(12):
        gids = rng.choice([1, 2, 3], tuple(rng.integers(2, 7, 2)), p=[0.5, 0.4, 0.1])
        gids[0, 0] = 1
        _, grid = map_grid(tmp_path, name, gids, diagonal)
        goals = rng.choice(np.flatnonzero(~grid.blocked.ravel()), rng.integers(1, 4))
        all_arrive(rng, Field(grid, grid.center_many(goals)))


@pytest.mark.parametrize(
    ("name", "diagonal", "rows", "goals"),
    [
        ("isometric", "only_if_no_obstacles", ["121", "211", "211", "113", "111"], [9, 14]),
        ("isometric", "at_least_one_walkable", ["11", "11", "11", "12"], [1, 5, 0]),
        (
            "isometric",
            "always",
            ["11221", "21222", "11111", "21111", "22111", "21211"],
            [24, 17, 10],
        ),
        ("staggered-rows", "never", ["112", "311", "331", "111", "311", "131"], [3, 5, 16]),
        ("staggered-rows", "never", ["111222", "111322"], [9, 8, 6]),
        ("hexagonal-columns", "never", ["121121", "112111", "211221"], [0, 5]),
    ],
)
def test_no_walker_stands_between_two_goals(tmp_path, name, diagonal, rows, goals):
    """Cells halfway between goals lead apart: a blended direction may lead to and fro."""
    rng = np.random.default_rng(3)
    _, grid = map_grid(tmp_path, name, [list(map(int, row)) for row in rows], diagonal)
    all_arrive(rng, Field(grid, grid.center_many(goals)), 3_000)


def all_arrive(rng, field, count=300):
    """Walkers all over the grid arrive; none steps into a wall, or farther than it may."""
    grid, closed = field.grid, field.grid.blocked.ravel()
    xy = rng.uniform(grid.bounds[:2], grid.bounds[2:], (count, 2))
    xy = xy[np.isfinite(field.distance_many(xy))]
    step = rng.uniform(0.5, 9, len(xy))
    was_open = ~closed[grid.cell_at_many(xy)]
    for _ in range(int(field.distance_many(xy).max(initial=0) * 2.5 / 0.5) + 100):
        before, xy = xy, field.advance_many(xy, step)
        if (before == xy).all():
            break
        assert (np.hypot(*(xy - before).T) <= step * (1 + 1e-9) + 1e-4).all()
        now_open = ~closed[grid.cell_at_many(xy)]
        assert (now_open | ~was_open).all()
        was_open = now_open
    assert (field.distance_many(xy) == 0).all()


@pytest.mark.parametrize("diagonal", DIAGONALS)
def test_a_step_without_end_ends_at_the_goal(diagonal):
    free = [[True, True], [False, True], [True, True]]
    field = Field(Grid(free, 10, diagonal=diagonal), [(5, 5)])
    for start in ((5, 25), (12.26, 12.98), (1e12, -1e12), (-1e308, 1e308)):
        there = field.advance(*start, 1e300)
        if abs(start[0]) < 1e6:
            assert field.distance(*there) == 0.0


def test_one_who_is_outside_comes_in():
    grid = Grid([[True] * 4, [True, False, True, True]], 10)
    field = Field(grid, [(35, 15)])
    for walker in ((-1e-9, 5), (-30, 40), (15, -0.001), (70, 3), (40 + 1e-9, 20 + 1e-9)):
        for _ in range(200):
            walker = field.advance(*walker, 2)
        assert field.distance(*walker) == 0.0
    lost = Field(Grid([[True, False, True]], 10), [(25, 5)])
    assert lost.advance(-3, 5, 2) == (-3, 5)  # no way leads on from there


def test_one_who_was_pushed_into_a_wall_comes_out():
    free = np.ones((5, 5), bool)
    free[:, 2] = False
    free[4, 2] = True
    field = Field(Grid(free), [(4.5, 0.5)])
    walker = 2.2, 1.4
    assert any(field.direction(*walker))
    for _ in range(100):
        walker = field.advance(*walker, 0.2)
    assert field.distance(*walker) == 0.0


def test_directions_are_smooth():
    """Over open ground, steps of a hundredth of a cell turn by little."""
    field = Field(Grid(np.ones((40, 40), bool)), [(20.5, 20.5)])
    x = np.linspace(2, 17, 1501)
    ways = field.direction_many(np.stack((x, np.full_like(x, 7.3)), axis=1))
    turns = np.abs(np.diff(np.arctan2(ways[:, 1], ways[:, 0])))
    assert np.hypot(*ways.T) == pytest.approx(1.0)
    assert turns.max() < 0.02


def test_one_walker_or_many():
    field = Field(Grid(np.ones((9, 9), bool)), [(4.5, 4.5)])
    assert field.distance_many((0.5, 4.5)).shape == ()
    assert type(field.distance(0.5, 4.5)) is float
    assert field.direction_many(np.zeros((2, 3, 2))).shape == (2, 3, 2)
    steps = field.advance_many([(0.5, 4.5), (1.5, 4.5)], [0.25, 0.5])
    assert steps.tolist() == [[0.75, 4.5], [2.0, 4.5]]


def test_a_saved_field_goes_on(again):
    rng = np.random.default_rng(6)
    grid = Grid(rng.random((30, 30)) > 0.2)
    field = Field(grid, [(3.5, 3.5)])
    grid.block([100, 101])
    twin = again(field)
    assert same(field, twin)
    twin.grid.block([400, 401, 402])
    assert same(twin, renewed(twin))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda g, f: Field(g, [(99, 0)]), ValueError, "goals must lie in the grid"),
        (lambda g, f: Field(g, [(np.nan, 0)]), ValueError, "goals must be finite"),
        (
            lambda g, f: Field(g, [(0, 0)], max_distance=-1),
            ValueError,
            "max_distance must be above 0, got -1",
        ),
        (lambda g, f: Field(g, [(0, 0)], max_distance=np.nan), ValueError, "max_distance"),
        (lambda g, f: f.distance_many([1, 2, 3]), ValueError, "xy must have a last axis of two"),
        (lambda g, f: f.direction(inf, 2), ValueError, "x and y must be finite"),
        (lambda g, f: f.advance(1, 2, -1), ValueError, "step must be finite and at least 0"),
        (lambda g, f: f.advance_many([(1, 2)], [1, 2]), ValueError, "step must be one number or"),
        (lambda g, f: f.move_goals([(-5, 0)]), ValueError, "goals must lie in the grid"),
    ],
)
def test_wrong_arguments(call, error, words):
    grid = Grid(np.ones((3, 3), bool))
    field = Field(grid, [(1.5, 1.5)])
    with pytest.raises(error, match=words):
        call(grid, field)
    assert same(field, renewed(field))


def test_the_revision_counts_what_changes():
    grid = Grid(np.ones((9, 9), bool))
    field = Field(grid, [(1.5, 1.5)])
    seen = [field.revision]
    assert field.revision == seen[0]
    grid.block([40])
    seen.append(field.revision)
    field.move_goals([(4.5, 1.5)])
    seen.append(field.revision)
    assert seen == sorted(set(seen))
    assert pickle.loads(pickle.dumps(field)).revision == seen[-1]


def answers() -> list:
    """Distances, walkers and paths on changing grids of all orientations."""
    found = []
    for name in ORIENTATIONS:
        rng = np.random.default_rng(len(name))
        gids = rng.choice([1, 2, 3, 4], (24, 24), p=[0.6, 0.2, 0.1, 0.1])
        with tempfile.TemporaryDirectory() as folder:
            tile_map, grid = map_grid(Path(folder), name, gids)
        layer = tile_map.layer("ground")
        field, paths = Field(grid, grid.center_many([30, 500])), Paths(grid)
        box = np.array(grid.bounds).reshape(2, 2)
        xy = rng.uniform(*box, (60, 2))
        built: list[np.ndarray] = []
        for turn in range(12):
            change(rng, grid, layer, built)
            if turn % 4 == 0:
                field.move_goals(grid.center_many(rng.choice(len(grid), 2, replace=False)))
            ways = paths.find_many(xy[:10], xy[10:20])
            found.append(field.distances.tolist())
            found.append(field.direction_many(xy).tolist())
            found.append(field.distance_many(xy).tolist())
            found.append([field.distance(*place) for place in xy.tolist()])
            found.append([field.direction(*place) for place in xy.tolist()])
            found.append([field.advance(*place, 5.0) for place in xy.tolist()])
            found.append([grid.cell_at(*place) for place in xy.tolist()])
            found.append([None if way is None else way.tolist() for way in ways])
            found.append(paths.connected_many(xy[:20], xy[20:40]).tolist())
            xy = field.advance_many(xy, 5.0)
            found.append(xy.tolist())
    return found


@pytest.mark.parametrize("costs", [[1.0], [1.0, 2.5, 1.37], [0.01, 1000.0]])
def test_a_field_made_bit_by_bit_equals_one_made_at_once(costs):
    rng = np.random.default_rng(len(costs))
    cells = rng.choice(costs, (40, 50))
    cells[rng.random((40, 50)) < 0.2] = np.inf
    cells[19, 20] = 1.0
    grid = Grid(cells, 10)
    xy = rng.uniform(0, 400, (300, 2))
    bits, strides = (Field(grid, [(205, 205)], made=False) for _ in range(2))
    assert np.isinf(bits.distance_many(xy[:1])).all()
    count = 0
    while not bits.work(count):
        count += 100
        if count % 300 == 0:
            strides.work(count)
            bits.work(count)
            kept = pickle.loads(pickle.dumps(bits))
            for other in (strides, kept):
                assert np.array_equal(other.distances, bits.distances)
                assert np.array_equal(other.direction_many(xy), bits.direction_many(xy))
    whole = Field(grid, [(205, 205)])
    assert np.array_equal(bits.distances, whole.distances)
    assert np.array_equal(bits.direction_many(xy), whole.direction_many(xy))
    grid.block([5])
    assert np.array_equal(bits.distances, Field(grid, [(205, 205)]).distances)


def test_a_change_begins_half_a_field_anew():
    grid = Grid(np.ones((60, 60)), 10)
    field = Field(grid, [(5, 5)], made=False)
    assert not field.work(1000)
    grid.block([70])
    assert np.isinf(field.distances).sum() == 3599
    field.move_goals([(595, 595)])
    assert field.work(10_000)
    assert np.array_equal(field.distances, Field(grid, [(595, 595)]).distances)
    assert field.work(1)


def test_a_door_that_brings_much_nearer_makes_a_field_anew():
    grid = Grid(np.ones((60, 60)), 10)
    grid.block([*range(70, 3600, 60), 3599])
    field = Field(grid, [(5, 5)])
    behind, part = field.distance(595, 5), field._part
    assert behind > 1000
    grid.unblock([3599])  # brings few nearer: they are repaired
    assert same(field, renewed(field))
    assert field._part is part
    grid.unblock([59 * 60 + 10])
    assert field.distance(595, 5) < behind
    assert same(field, renewed(field))
    assert field._part is not part

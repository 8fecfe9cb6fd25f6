"""Grids, fields and fog with the AI toolkit: goals on foot, walls, towers and range events."""

import pickle
from math import inf

import numpy as np
import pytest

from tests.by_slot import finds_of
from tests.nav_worlds import ORIENTATIONS, Twin, map_grid
from tilequad import DynamicQuadtree, load_map
from tilequad.ai import Claims, Goal, GoalSearch, RangeEvents, Targeting, policies, separate
from tilequad.nav import Field, Fog, Grid, Rule, Walls

MAN, TREE, TAKEN, TOWER, ENEMY = 1, 2, 4, 8, 16


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_a_closed_cell_is_approached_across_its_edges(tmp_path, name):
    rng = np.random.default_rng(5)
    gids = rng.choice([1, 2, 3, 4], (15, 13), p=[0.4, 0.4, 0.1, 0.1])
    _, grid = map_grid(tmp_path, name, gids)
    twin = Twin(grid)
    costs = grid.costs.ravel().astype(float)
    goals = np.flatnonzero(costs < inf)[[3, -20]]
    field = Field(grid, grid.center_many(goals))
    expected = twin.approached(goals.tolist())

    xy = grid.center_many(np.arange(len(grid)))
    found = field.distance_many(xy)
    found[np.isfinite(field.distances.ravel())] = field.distances[np.isfinite(field.distances)]
    assert found.tolist() == field.distance_many(xy).tolist()  # open cells are as ever
    assert found.tolist() == [field.distance(*place) for place in xy.tolist()]
    assert np.isinf(field.distances[grid.blocked]).all()

    np.testing.assert_allclose(found, expected, atol=1e-4 * 16)
    assert field.distance(1e6, 0) == inf


def test_no_way_to_a_closed_cell_is_longer_than_max_distance():
    free = np.ones((1, 9), bool)
    free[0, 5] = False
    short, enough = (Field(Grid(free), [(0.5, 0.5)], most) for most in (4.5, 5.0))
    assert short.distance(5.5, 0.5) == inf
    assert enough.distance(5.5, 0.5) == 5.0


def test_villagers_take_the_nearest_tree_on_foot():
    """A river with a bridge in the far north: the tree across it is near, and far to walk."""
    free = np.ones((40, 20), bool)
    free[:38, 10] = False
    grid = Grid(free[::-1], cell_size=10)
    units = DynamicQuadtree(grid.bounds)
    slots = units.add_many(["anna", "bert"], [(95, 15), (90, 15)], groups=MAN)
    trees = {"across": (115, 15), "near": (55, 65), "far": (15, 205), "shut in": (5, 395)}
    for tree, place in trees.items():
        units.add(tree, *place, groups=TREE)
        grid.block(grid.cell_at_many([place]))
    grid.block([grid.columns, 1])
    way = Field(grid, [(95, 15)])
    work = GoalSearch(units, Goal(TREE, claim=True, field=way), claims=Claims(units, TAKEN))

    assert GoalSearch(units, Goal(TREE)).search("anna", 0) == "across"
    assert finds_of(work, ["anna", "bert"], 0) == ["near", "far"]
    units, work, grid = pickle.loads(pickle.dumps((units, work, grid)))
    units.remove("near")
    grid.set_costs(10 + 20 * np.arange(37, 40), 1.0)  # a bridge in the south
    assert work.search_many(slots, 1).tolist() == [units.slot("across"), units.slot("far")]
    units.remove("across")
    units.remove("far")
    assert work.search("anna", 2) is None


def test_crowds_keep_out_of_the_closed_cells_of_a_grid():
    free = np.random.default_rng(3).random((30, 30)) > 0.2
    grid = Grid(free, cell_size=20)
    walls = Walls(grid)
    units = DynamicQuadtree(grid.bounds)
    rng = np.random.default_rng(4)
    slots = units.add_many(range(400), rng.uniform(0, 600, (400, 2)), radius=4)
    for turn in range(6):
        separate(units, walls=walls, bounds=grid.bounds)
        inside = grid.boxes(grid.query(grid.bounds))
        x, y = units.position_many(slots).T[:, :, None]
        deep = (inside[:, 0] < x) & (x < inside[:, 2]) & (inside[:, 1] < y) & (y < inside[:, 3])
        assert not deep.any(), turn
        cells = grid.cells_in((100 * turn, 100, 100 * turn + 60, 160))
        grid.block(cells)  # a building, and the walls follow
        units.move_many(slots, units.position_many(slots) + rng.normal(0, 5, (400, 2)))


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_the_walls_of_a_grid_are_the_boxes_around_its_closed_cells(tmp_path, name):
    rng = np.random.default_rng(7)
    _, grid = map_grid(tmp_path, name, rng.choice([1, 2], (12, 9)))
    closed = np.flatnonzero(grid.blocked.ravel())
    centers, outline = grid.center_many(closed), grid._ground.shape.outline
    boxes = np.hstack((centers + outline.min(axis=0), centers + outline.max(axis=0)))
    np.testing.assert_allclose(grid.boxes(closed), boxes)
    for _ in range(50):
        low = rng.uniform(grid.bounds[:2], grid.bounds[2:])
        box = (*low, *(low + rng.uniform(0, 60, 2)))
        near = (boxes[:, 0] <= box[2]) & (boxes[:, 2] >= box[0])
        near &= (boxes[:, 1] <= box[3]) & (boxes[:, 3] >= box[1])
        assert grid.query(box).tolist() == closed[near].tolist()


def test_towers_and_events_know_what_their_team_sees():
    tile_map = load_map("maps/frontier.tmx")
    units = DynamicQuadtree(tile_map.bounds)
    fog = Fog(Grid.of(tile_map, Rule("trees", inf)), teams=2, units=units)
    units.add("tower", 3000, 4000, groups=TOWER)
    units.add("wolf", 3250, 4000, groups=ENEMY)
    units.add("scout", 3000, 3000, groups=MAN)
    towers = Targeting(units, policies.closest, max_distance=400, groups=ENEMY, sight=fog.sight())
    events = RangeEvents(units, sight=fog.sight())
    events.follow("tower", 400, groups=ENEMY)
    fog.follow("scout", 100)
    fog.follow("wolf", 500, team=1)  # the wolf sees the tower, which helps nobody here

    assert (towers.target("tower", 0), events.update()) == (None, [])
    units, fog, towers, events = pickle.loads(pickle.dumps((units, fog, towers, events)))
    units.move("scout", 3250, 4060)
    fog.update()
    assert towers.target("tower", 1) == "wolf"
    assert [entered for _, entered, _ in events.update()] == [["wolf"]]
    units.move("scout", 3000, 3000)
    fog.update()
    assert towers.target("tower", 2) is None
    assert [left for _, _, left in events.update()] == [["wolf"]]

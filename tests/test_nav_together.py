"""Fields and fog with the AI toolkit: goals on foot, towers and range events."""

import pickle

import numpy as np
import pytest

from tests.by_slot import finds_of
from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Goal, GoalSearch, RangeEvents, Targeting, policies
from tilequad.nav import Field, Fog, Grid

MAN, TREE, TAKEN, TOWER, ENEMY = 1, 2, 4, 8, 16


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


def test_towers_and_events_know_what_their_team_sees(again):
    units = DynamicQuadtree((0, 0, 90, 90))
    units.add("tower", 45, 45, groups=TOWER)
    units.add("wolf", 75, 45, groups=ENEMY)
    units.add("scout", 5, 5, groups=MAN)
    fog = Fog(Grid(np.ones((9, 9), bool), 10), 2, units)
    towers = Targeting(units, policies.closest, max_distance=100, groups=ENEMY, sight=fog.sight(1))
    events = RangeEvents(units, sight=fog.sight(1))
    events.follow("tower", 100, groups=ENEMY)
    fog.follow("scout", 20, team=1)
    fog.follow("wolf", 50)  # the other team sees both, which helps nobody here

    assert (towers.target("tower", 0), events.update()) == (None, [])
    units, fog, towers, events = again((units, fog, towers, events))
    units.move("scout", 75, 65)
    fog.update()
    assert fog.sight(1).clear_many([(0, 0)] * 2, [(75, 45), (5, 5)]).tolist() == [True, False]
    assert towers.target("tower", 1) == "wolf"
    assert [entered for _, entered, _ in events.update()] == [["wolf"]]
    units.move("scout", 5, 5)
    fog.update()
    assert towers.target("tower", 2) is None
    assert [left for _, _, left in events.update()] == [["wolf"]]
    with pytest.raises(ValueError, match="team must be from 0 to 1"):
        fog.sight(2)

"""To the edge of units, several sights at once, and groups left out.

test_ai_targeting_many and test_ai_search_games have the distances, beside brute force.
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tests.test_ai_rings import NONE, Field
from tilequad import DynamicQuadtree
from tilequad._core.army.edge_rings import EdgeRings
from tilequad.ai import Claims, Goal, GoalSearch, RangeEvents, Targeting, policies
from tilequad.nav import Fog, Grid, LineOfSight

RAM, HALL, HUT, TAKEN = 1, 2, 4, 8


@pytest.fixture
def units():
    tree: DynamicQuadtree = DynamicQuadtree((0, 0, 400, 400))
    tree.add("ram", 105, 205, groups=RAM)
    tree.add("hall", 200, 200, groups=HALL, size=(160, 160))
    tree.add("hut", 105, 245, groups=HUT, radius=5)
    return tree


@pytest.fixture
def grid():
    """10 units a cell; the hall is closed and opaque, as a building is."""
    cells = np.ones((40, 40), bool)
    cells[12:28, 12:28] = False
    return Grid(cells, cell_size=10)


def targets(units, policy=policies.closest, **options):
    """One target, which each way of asking answers alike."""
    made = [Targeting(units, policy, to_edge=True, **options) for _ in range(2)]
    alone = made[0].target("ram", 0)
    slots = units.slots(["ram", "hut"])
    assert units.items(made[1].target_many(slots, 0))[0] == alone
    return alone


def test_a_ram_sees_the_wall_of_a_large_hall(units, grid):
    far = Targeting(units, max_distance=20, groups=HALL)
    assert far.target("ram", 0) is None
    assert targets(units, max_distance=20, groups=HALL) == "hall"
    assert targets(units, max_distance=15, groups=HALL) == "hall"
    assert targets(units, max_distance=14.99, groups=HALL) is None
    sight = LineOfSight(grid)
    assert targets(units, max_distance=20, groups=HALL, sight=sight) == "hall"
    hidden = Targeting(units, max_distance=200, groups=HALL, sight=sight)
    assert hidden.target("ram", 0) is None  # its own walls hide its middle


def test_policies_rank_by_the_edge(units):
    assert targets(units, max_distance=60) == "hall"  # 15 away; the hut 35, and 40 to its middle
    assert targets(units, policies.farthest, max_distance=60) == "hut"
    assert (
        targets(units, policies.strongest({"hall": 1, "hut": 1, "ram": 0}.get), max_distance=60)
        == "hall"
    )
    assert targets(units, max_distance=60, min_distance=15) == "hall"
    assert targets(units, max_distance=60, min_distance=15.5) == "hut"
    assert targets(units, policies.most_clustered(10), max_distance=60) == "hall"


def test_a_policy_of_the_game_asks_to_the_edge(units):
    def own(query):
        assert query.to_edge
        found = sorted(query.candidates())
        assert found == ["hall", "hut" if query.seeker == "ram" else "ram"]
        return query.nearest(among=found[1:])

    assert targets(units, own, max_distance=60) == "hut"
    with pytest.raises(ValueError, match="a candidate"):
        targets(units, lambda query: "hut", max_distance=20)


def test_a_target_is_kept_and_lost_by_its_edge(units):
    aims = Targeting(units, max_distance=20, groups=HALL, to_edge=True, lock=True)
    assert aims.target("ram", 0) == "hall"
    units.move("ram", 101, 205)
    for asked in (aims, copy.deepcopy((units, aims))[1], pickle.loads(pickle.dumps(aims))):
        assert asked.target("ram", 1) == "hall"
    units.move("ram", 99, 205)
    assert aims.target("ram", 2) is None
    aims.to_edge = False
    aims.max_distance = 110
    assert aims.target("ram", 3) == "hall"
    assert Targeting(units, max_distance=1).to_edge is False


def test_a_margin_compares_edges(units):
    aims = Targeting(units, max_distance=60, to_edge=True, switch_margin=18)
    assert aims.target("ram", 0) == "hall"
    units.move("ram", 105, 230)  # the hut is 10 away, the hall 15
    assert aims.target("ram", 1) == "hall"
    units.move("ram", 99, 245)
    assert aims.target("ram", 2) == "hut"


def test_only_trees_know_edges(units):
    class Other:
        slot = serial = position = within = nearest = items = item = units.slot

    with pytest.raises(TypeError, match="to_edge needs a DynamicQuadtree"):
        Targeting(Other(), max_distance=1, to_edge=True)


def test_a_goal_is_found_by_its_edge(units):
    for to_edge, found in ((True, "hall"), (False, "hut")):
        search = GoalSearch(units, Goal(HALL | HUT, to_edge=to_edge))
        assert search.search("ram", 0) == found
        assert units.items(search.search_many(units.slots(["ram"]), 0)) == [found]
    assert GoalSearch(units, Goal(HALL, 20)).search("ram", 0) is None
    assert GoalSearch(units, Goal(HALL, 20, to_edge=True)).search("ram", 0) == "hall"
    near = Goal(HALL, 0, near=(150, 150), to_edge=True)
    assert GoalSearch(units, near).search("ram", 0) == "hall"


# -- rings -----------------------------------------------------------------------------------------


class Edges(Field):
    """The same field, with footprints of all sizes."""

    rings_class = EdgeRings

    def __init__(self, seed, *size):
        super().__init__(seed, *size)
        rng = np.random.default_rng(seed)
        self.half = rng.integers(0, 40, (self.count, 2)) * 1.0
        self.is_box = rng.random(self.count) < 0.5
        for item in range(self.count):
            kind = {"size": 2 * self.half[item]} if self.is_box[item] else {}
            self.units.resize(item, **(kind or {"radius": self.half[item, 0]}))

    def in_ring(self, seeker, low, high):
        """The same to the edge: not squared, for numbers are whole, so that none is rounded."""
        _, distance2 = super().in_ring(seeker, low, high)
        box = np.maximum(np.abs(self.xy - self.xy[seeker]) - self.half, 0)
        gaps = np.sqrt(box[:, 0] ** 2 + box[:, 1] ** 2)
        gaps = np.where(self.is_box, gaps, np.maximum(np.sqrt(distance2) - self.half[:, 0], 0))
        # In the hole of a ring around the middle of a circle nothing is nearer than its edge.
        return (gaps <= high) & ((gaps >= low) | (low == 0)), gaps


@pytest.mark.parametrize("seed", range(12))
def test_the_best_by_the_edge_is_the_best_of_all(seed):
    field = Edges(seed)
    assert field.rings().closest().tolist() == field.best(None, -1.0)
    assert field.rings().farthest().tolist() == field.best(None, 1.0)
    items = field.in_any_range()
    assert field.rings().slots().tolist() == sorted(field.slots[items].tolist())
    for keys in (field.rng.integers(0, 4, field.count) * 1.0, np.zeros(field.count)):
        for sign in (1.0, -1.0):
            best, wrong = field.rings().best_by_key(field.by_slot(keys), sign > 0)
            assert wrong == NONE
            assert best.tolist() == field.best(keys, sign)
    if items:
        keys = np.full(field.count, np.nan)
        assert field.rings().best_by_key(field.by_slot(keys), True)[1] in field.slots
        assert field.rings().best_by_key(np.empty(0), True)[1] in field.slots


# -- several sights --------------------------------------------------------------------------------


def test_a_target_is_seen_by_each_of_several_sights(units, grid):
    cells = np.ones((40, 40), bool)
    fog = Fog(Grid(cells, cell_size=10), units=units)
    fog.follow("ram", 60)
    lines = LineOfSight(grid)
    for sight in ([fog.sight(), lines], (lines, fog.sight())):
        asked = {"max_distance": 300, "groups": HUT, "sight": sight}
        assert targets(units, **asked) == "hut"
        units.move("hut", 300, 205)  # behind the hall
        assert targets(units, **asked) is None
        units.move("hut", 105, 305)  # in the fog
        assert targets(units, **asked) is None
        units.move("hut", 105, 245)
    aims = Targeting(units, max_distance=9, sight=(fog.sight(), lines))
    assert len(aims.sight) == 2
    aims.sight = None
    assert aims.sight is None


def test_zones_see_by_each_of_several_sights(units, grid):
    fog = Fog(Grid(np.ones((40, 40), bool), cell_size=10), units=units)
    fog.follow("ram", 60)
    events = RangeEvents(units, HUT, sight=(fog.sight(), LineOfSight(grid)))
    events.follow("ram", 300)
    told = []
    for place in ((105, 245), (300, 205), (105, 245), (105, 305)):
        units.move("hut", *place)
        told.append([(entered, left) for _, entered, left in events.update()])
    assert told == [[(["hut"], [])], [([], ["hut"])], [(["hut"], [])], [([], ["hut"])]]


@pytest.mark.parametrize("wrong", [object(), (None,), [7], (LineOfSight(), "x")])
def test_what_is_no_sight_is_named(units, wrong):
    said = "sight must be a LineOfSight, or have its method clear"
    with pytest.raises(TypeError, match=said):
        Targeting(units, max_distance=1, sight=wrong)
    with pytest.raises(TypeError, match=said):
        RangeEvents(units, sight=wrong)


# -- groups left out -------------------------------------------------------------------------------


def test_a_claim_ends_when_the_item_joins_a_group_left_out(units):
    claims = Claims(units, TAKEN)
    with pytest.raises(ValueError, match="without=2"):
        claims.claim("ram", "hall", without=HALL)
    claims.claim("ram", "hall", HALL, without=HUT | TAKEN)
    assert claims.held("ram") == "hall"
    again, claims_again = pickle.loads(pickle.dumps((units, claims)))
    assert claims_again.held("ram") == "hall"
    for tree, book in ((units, claims), (again, claims_again)):
        tree.set_groups("hall", HALL | HUT)
        assert book.held("ram") is None


def answers() -> list:
    """For test_modes."""
    fields = [Edges(seed, 300, 20) for seed in (2, 3)]
    return [
        *([f.rings().closest().tolist(), f.rings().farthest().tolist()] for f in fields),
        [f.rings().slots().tolist() for f in fields],
        [f.rings().best_by_key(f.by_slot(f.xy[:, 0]), True)[0].tolist() for f in fields],
        [
            GoalSearch(fields[0].units, Goal(to_edge=True), Goal(2, 9, to_edge=True))
            .search_many(fields[0].slots[:50], 0)
            .tolist()
        ],
    ]

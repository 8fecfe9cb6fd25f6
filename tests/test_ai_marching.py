"""Marching: whoever can arrive arrives, at a place of its own, and no one stands in a wall."""

import copy
import pickle
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist, pdist

from tests.interrupts import assert_done_or_not
from tests.judge_marches import gate as marches_through_gate
from tests.judge_marches import grid_of, marches_on
from tests.nav_worlds import ORIENTATIONS, cave, map_grid
from tilequad import DynamicQuadtree, load_map
from tilequad._core.army.free_places import FreePlaces, lattice
from tilequad.ai import March, _places, pack, unpack
from tilequad.ai._steps import CELLS_EACH
from tilequad.ai._walls import solids_of
from tilequad.ai._ways import CELLS, WHOLE, Ways, begun_anew
from tilequad.nav import Field, Grid

CELL = 16.0


class World:
    """Units on a grid, under orders, and a referee."""

    def __init__(self, free, xy, radius=5.0):
        self.grid = Grid(free, CELL)
        self.units = DynamicQuadtree(self.grid.bounds)
        self.slots = self.units.add_many(range(len(xy)), xy, radius=radius)
        self.march = March(self.units, self.grid)
        self.arrived, self.stuck = [], []

    def step(self, speed=2.0):
        told = self.march.step(speed)
        self.arrived += told.arrived.tolist()
        self.stuck += told.stuck.tolist()
        xy = self.units.position_many(self.slots)
        assert self.grid.is_open_many(xy).all()
        return xy

    def steps(self, count):
        for _ in range(count):
            self.step()

    def walk(self, most, speed=2.0):
        """Walk until nobody is on the way; return how many steps it took."""
        for number in range(most):
            self.step(speed)
            if not len(self.march.going):
                return number
        raise AssertionError(f"{len(self.march.going)} are still on their way")

    def distances_to_places(self):
        away = self.units.position_many(self.slots) - self.march.place_many(self.slots)
        return np.hypot(*away.T)


def gate(wide=4, rows=40, columns=60):
    """Two halves, and a gate between them."""
    free = np.ones((rows, columns), bool)
    free[:, columns // 2] = False
    free[rows // 2 - wide // 2 : rows // 2 + wide // 2, columns // 2] = True
    return free


def crowd(count, low, high, seed=1):
    return np.random.default_rng(seed).uniform(low, high, (count, 2))


def test_a_crowd_passes_a_gate_and_rests():
    world = World(gate(), crowd(120, (40, 120), (300, 520)))
    world.march.send(world.slots, (800, 320))
    longest = (
        Field(world.grid, [(800, 320)]).distance_many(world.units.position_many(world.slots)).max()
    )

    ticks = world.walk(1200)

    assert ticks <= 1.3 * longest / 2.0
    assert sorted(world.arrived) == sorted(world.slots.tolist())
    assert not world.stuck
    for _ in range(60):
        before = world.units.position_many(world.slots)
        after = world.step()
    assert np.median(np.hypot(*(after - before).T)) <= 0.01 * 5.0
    assert not len(world.units.pairs_many())
    assert world.distances_to_places().max() <= 2.5


@settings(deadline=None, max_examples=8)
@given(st.integers(0, 2**32 - 1))
def test_whoever_can_arrive_arrives(seed):
    rng = np.random.default_rng(seed)
    free = cave(rng, 20, 30, 0.42)
    free[10, 15] = True
    opens = np.flatnonzero(free.ravel()).astype(np.int32)
    centers = Grid(free, CELL).center_many(opens)
    count = min(int(rng.integers(1, 30)), len(opens))
    xy = rng.permutation(centers)[:count] + rng.uniform(-2, 2, (count, 2))
    world = World(free, xy, radius=rng.uniform(2, 6, count))
    goal = tuple(rng.permutation(centers)[0].tolist())
    reached = np.isfinite(Field(world.grid, [goal]).distance_many(xy))
    world.march.send(world.slots, goal)

    world.walk(3000)

    room = np.count_nonzero(np.isfinite(Field(world.grid, [goal]).distances))
    if 3 * count <= room:  # nobody stands out for want of a place
        assert sorted(world.arrived) == world.slots[reached].tolist()
        assert sorted(world.stuck) == world.slots[~reached].tolist()


def test_the_same_calls_give_the_same_steps_after_saving():
    world = World(gate(), crowd(40, (40, 120), (300, 520)))
    world.march.send(world.slots[:20], (800, 320))
    world.march.send(world.slots[20:23], (800, 100), group_speed=True)
    world.steps(50)

    others = [copy.deepcopy(world), pickle.loads(pickle.dumps(world))]

    for _ in range(400):
        world.step()
        for other in others:
            other.step()
    for other in others:
        assert other.arrived == world.arrived
        assert other.units.digest() == world.units.digest()


def test_a_closed_door_holds_them_and_an_open_one_lets_them_pass():
    world = World(gate(), crowd(12, (40, 120), (300, 520)))
    door = np.flatnonzero(gate()[:, 30]).astype(np.int32) * 60 + 30
    world.march.send(world.slots, (800, 320))
    world.steps(30)
    world.grid.block(door)
    world.steps(5)
    assert sorted(world.stuck) == world.slots.tolist()
    assert not len(world.march.going)

    world.grid.unblock(door)
    world.walk(1000)

    assert sorted(world.arrived) == world.slots.tolist()


def test_a_building_on_their_places_sends_them_beside_it():
    world = World(np.ones((30, 30), bool), crowd(30, (40, 40), (150, 150)))
    world.march.send(world.slots, (350, 350))
    world.steps(30)
    world.grid.block(world.grid.cells_in((320, 320, 380, 380)))

    world.walk(1000)

    assert sorted(world.arrived) == world.slots.tolist()


def test_a_life_ends_its_order():
    world = World(np.ones((20, 20), bool), crowd(10, (40, 40), (150, 150)))
    world.march.send(world.slots, (250, 250))
    world.units.remove(3)
    world.units.add(3, 100, 100, radius=5)
    assert len(world.march) == 9
    world.steps(10)

    slot = world.units.slot(3)
    assert world.march.going.tolist() == [one for one in world.slots if one != slot]
    assert np.isnan(world.march.place_many([slot])).all()


def test_a_new_order_ends_the_old_one_and_stop_ends_all():
    world = World(np.ones((20, 20), bool), crowd(10, (40, 40), (150, 150)))
    world.march.send(world.slots, (250, 250))
    world.march.send(world.slots[:4], (250, 50))
    assert (world.march.place_many(world.slots[:4])[:, 1] < 100).all()

    world.march.stop(world.slots)

    assert len(world.march) == 0
    before = world.units.digest()
    world.step()
    assert world.units.digest() == before


def test_the_slowest_sets_the_pace():
    world = World(np.ones((20, 60), bool), crowd(10, (40, 40), (150, 150)))
    world.march.send(world.slots, (850, 150), group_speed=True)
    speeds = np.full(len(world.slots), 4.0)
    speeds[7] = 1.0
    start = world.units.position_many(world.slots)
    for _ in range(100):
        world.step(speeds)
    away = np.hypot(*(world.units.position_many(world.slots) - start).T)
    assert away.max() <= 110


def lags(world):
    """How far each is from its post in the ranks, in the order of their rows."""
    [order], rows = world.march._state.orders, world.march._state.rows
    assert order.ranks is not None
    return np.hypot(*(world.units.position_many(rows.slots) - order.ranks.posts(rows.offsets)).T)


@pytest.mark.slow
@pytest.mark.parametrize("formation", ["block", "wedge", "column", "circle", "line"])
def test_ranks_hold_over_open_land(formation):
    world = World(np.ones((60, 120), bool), crowd(40, (100, 300), (400, 660)))
    world.march.send(world.slots, (1500, 480), formation=formation)
    world.steps(450)
    assert np.percentile(lags(world), 95) <= 10  # half a spacing

    world.walk(1500)

    assert sorted(world.arrived) == world.slots.tolist()
    world.steps(30)
    assert world.distances_to_places().max() <= 2.5
    center = world.march.place_many(world.slots).mean(axis=0)
    assert np.allclose(center, (1500, 480), atol=1e-6)


def test_ranks_file_through_a_gap_and_form_again():
    world = World(gate(columns=100), crowd(30, (100, 200), (400, 450)))
    world.march.send(world.slots, (1500, 320), formation="line")
    width = []
    for _ in range(1200):
        xy = world.step()
        inside = abs(xy[:, 0] - 50.5 * CELL) < CELL / 2
        width += [np.ptp(xy[inside, 1]) if inside.any() else 0.0]
    assert 0 < max(width) <= 6 * CELL
    world.walk(1000)

    assert sorted(world.arrived) == world.slots.tolist()
    places = world.march.place_many(world.slots)
    assert np.ptp(places[:, 1]) > 29 * 20 - 1


def test_ranks_without_a_way_are_stuck_until_there_is_one():
    free = gate()
    free[:, 30] = False
    world = World(free, crowd(20, (100, 200), (300, 450)))
    world.march.send(world.slots, (800, 320), formation="block")
    world.walk(50)
    assert sorted(world.stuck) == world.slots.tolist()
    world.grid.set_costs(np.arange(17, 23, dtype=np.int32) * 60 + 30, 1.0)
    world.walk(1500)
    assert sorted(world.arrived) == world.slots.tolist()


@pytest.mark.parametrize("formation", [None, "block"])
@pytest.mark.parametrize("count", [3, 20])
def test_who_is_stuck_is_told_again_only_once_a_way_opens(count, formation):
    world = World(gate(wide=0), crowd(count, (100, 200), (300, 450)))
    world.march.send(world.slots, (800, 320), formation=formation)
    world.walk(50)
    for cell in range(40):  # the ground gets dearer, and a tree rises
        world.grid.set_costs([cell], 3.0)
        world.step()
    world.grid.block([90])
    world.step()
    assert sorted(world.stuck) == world.slots.tolist()
    world.grid.set_costs(np.arange(17, 23, dtype=np.int32) * 60 + 30, 1.0)
    world.walk(1500)
    assert sorted(world.arrived) == world.slots.tolist()


def test_points_of_ones_own_and_each_at_its_own_pace():
    world = World(np.ones((30, 60), bool), crowd(3, (100, 100), (200, 200)))
    own = [(0, 0), (-2, 2), (-2, -2)]
    world.march.send(world.slots, (700, 250), formation=own, spacing=30, group_speed=False)
    assert world.march._state.orders[0].ranks is None
    world.walk(600)
    apart = pdist(world.units.position_many(world.slots))
    assert np.allclose(np.sort(apart), [60 * 2**0.5] * 2 + [120], atol=4)


def test_a_place_far_from_the_middle_of_a_formation_is_not_given_if_another_stands_there():
    world = World(np.ones((80, 60)), [(400, 640), (480, 640), (480, 1120)])
    world.march.send(world.slots[:2], (480, 640), formation=[(0, 30), (0, -30)], spacing=CELL)
    places = world.march.place_many(world.slots[:2])
    assert places[:, 1].min() == 160
    assert np.hypot(*(places - (480, 1120)).T).min() >= 10


def test_a_formation_that_does_not_fit_stands_as_near_as_there_is_room():
    free = np.zeros((20, 60), bool)
    free[8:12] = True
    world = World(free, crowd(30, (40, 140), (200, 180)))
    world.march.send(world.slots, (850, 160), formation="line")
    world.walk(2000)
    assert sorted(world.arrived) == world.slots.tolist()


@pytest.mark.parametrize("formation", ["block", "line", "column", "circle"])
@pytest.mark.parametrize("paced", [True, False])
def test_who_has_no_room_in_a_formation_stands_between_the_others(formation, paced):
    xy = [(16 + 18 * (i % 8), 16 + 18 * (i // 8)) for i in range(60)]
    world = World(np.ones((10, 10), bool), xy, radius=7.0)
    world.march.send(world.slots, (80, 80), formation=formation, group_speed=paced)
    world.walk(2000)
    assert sorted(world.arrived) == world.slots.tolist()
    assert not world.stuck
    assert pdist(world.march.place_many(world.slots)).min() > 0.99 * 14


def test_a_line_that_is_longer_than_its_map_is_folded():
    """Posts outside the map cannot be reached: the ranks would wait for them for ever."""
    world = World(np.ones((60, 120), bool), crowd(440, (60, 60), (400, 900)))
    world.march.send(world.slots, (1500, 480), formation="line")
    assert world.walk(1100) > 1100 / 2.0
    assert sorted(world.arrived) == world.slots.tolist()
    world.steps(60)
    assert world.distances_to_places().max() <= 10  # half a spacing
    assert np.ptp(world.march.place_many(world.slots)[:, 1]) > 900  # across the whole map


@pytest.mark.parametrize(
    ("wide", "size", "both_ways"),
    [(2, 60, False), (1, 60, True), (2, 60, True), (4, 60, True), (8, 60, True), (8, 240, True)],
)
def test_a_gate_holds_a_crowd_no_longer_than_it_must(wide, size, both_ways):
    assert marches_through_gate(wide, size, 1, both_ways=both_ways).judge().is_good


@pytest.mark.corpus
def test_who_comes_late_to_a_crowd_pushes_nobody_off_his_place(corpus):
    path = corpus / "maps/melonjs/packages/examples/public/assets/platformer/map/map1.tmx"
    grid = grid_of(load_map(path), 2 / 3, seed=1)
    assert marches_on(grid, seed=1).judge().is_good


def test_wide_units_walk_where_they_fit():
    free = np.ones((20, 40), bool)
    free[:, 20] = False
    free[3, 20] = True  # the narrow way, and the wide one
    free[12:17, 20] = True
    world = World(free, [(100, 260), (140, 260)], radius=[6.0, 20.0])
    world.march.send(world.slots, (500, 264))
    lowest = np.full(2, inf)
    for _ in range(600):
        lowest = np.minimum(lowest, world.step()[:, 1])
    assert sorted(world.arrived) == [0, 1]
    assert lowest[0] > 200 > lowest[1]


def test_wrong_arguments():
    world = World(np.ones((4, 4), bool), [(8, 8), (40, 40)])
    march, slots = world.march, world.slots
    with pytest.raises(TypeError, match="units must be a DynamicQuadtree"):
        March(world.grid, world.grid)
    with pytest.raises(TypeError, match="grid must be a Grid"):
        March(world.units, world.units)
    with pytest.raises(ValueError, match="goal must lie in the grid"):
        march.send(slots, (99, 8))
    with pytest.raises(ValueError, match="goal"):
        march.send(slots, (nan, 8))
    with pytest.raises(ValueError, match="spacing"):
        march.send(slots, (8, 8), spacing=0)
    with pytest.raises(ValueError, match="formation must be"):
        march.send(slots, (8, 8), formation="mob")
    assert len(march) == 0
    with pytest.raises(ValueError, match="slots"):
        march.send([7], (8, 8))
    march.send(slots, (8, 8))
    with pytest.raises(ValueError, match="speed must be finite and at least 0"):
        march.step(-1)
    with pytest.raises(ValueError, match="speed must have a row for each slot"):
        march.step([1.0])
    with pytest.raises(ValueError, match="speed must be one number"):
        march.step([[1.0]])


def test_chasers_touch_their_target_and_run_after_it_again():
    world = World(gate(), crowd(12, (40, 120), (300, 520)))
    world.units.add("hare", 800, 320, radius=5)
    for slots in (world.slots[:3], world.slots[3:]):  # few and many
        world.march.chase(slots, "hare")
    world.steps(700)
    assert len(set(world.arrived)) >= 5  # the others stand behind these
    world.arrived.clear()
    world.units.move("hare", 200, 500)
    for tick in range(900):
        world.step()
        world.units.move("hare", 200 + tick / 4, 500)
    assert len(set(world.arrived)) >= 5
    away = np.hypot(*(world.units.position_many(world.slots) - world.units.position("hare")).T)
    assert away.max() <= 12 * 5
    world.stuck.clear()
    world.units.remove("hare")
    world.step()
    assert sorted(world.stuck) == world.slots.tolist()
    assert not len(world.march)


def test_who_was_stuck_in_a_chase_is_told_when_it_touches_its_target():
    for count in (3, 10):
        world = World(gate(wide=0), [(100, 100 + 11 * i) for i in range(count)])
        world.units.add("orc", 800, 200, radius=5)
        world.march.chase(world.slots, "orc")
        world.steps(50)
        assert sorted(world.stuck) == world.slots.tolist()
        world.units.move("orc", 60, 300)  # it comes around to their side
        world.steps(600)
        away = np.hypot(*(world.units.position_many(world.slots) - (60, 300)).T)
        assert set(world.slots[away < 11].tolist()) <= set(world.arrived)
        assert len(world.stuck) == count


def test_no_place_is_given_on_units_that_are_stuck_or_have_caught_their_target():
    free = np.ones((24, 40), bool)
    free[:, 35] = False  # beyond it, an island
    rows = [(11 * (i % 6), 150 + 11 * (i // 6)) for i in range(30)]
    for chase in (False, True):
        xy = [(300 + x, y) for x, y in rows] + [(40 + x, y) for x, y in rows]
        world = World(free, xy)
        if chase:
            world.units.add("boss", 330, 175, radius=6)
            world.march.chase(world.slots[:30], "boss")
        else:
            world.march.send(world.slots[:30], (620, 180))
        world.steps(300)
        resting = np.setdiff1d(world.slots[:30], world.march.going)
        assert len(resting) >= 5
        at = world.units.position_many(resting)
        for order in ("send", "send_many"):
            if order == "send":
                world.march.send(world.slots[30:], (330, 175))
            else:
                world.march.send_many(world.slots[30:], np.full((30, 2), (330, 175)))
            assert cdist(world.march.place_many(world.slots[30:]), at).min() > 0.99 * 10


def test_chasers_far_away_go_on_while_the_target_runs_before_others():
    near, far = crowd(16, (600, 600), (700, 700)), crowd(16, (6000, 6000), (6200, 6200))
    world = World(np.ones((400, 400), bool), np.concatenate((near, far)))
    world.units.add("hare", 800, 800, radius=5)
    world.march.chase(world.slots, "hare")
    assert len(world.grid) > 5 * CELLS  # it takes more steps to find all ways than to aim anew
    before = world.units.position_many(world.slots[16:])
    stood = 0
    for tick in range(300):
        angle = tick / 40
        world.units.move("hare", 800 + 150 * np.cos(angle), 800 + 150 * np.sin(angle))
        after = world.step()[16:]
        stood += (after == before).all(1).any() and tick > 10
        before = after
        if tick == 100:
            units, march = copy.deepcopy((world.units, world.march))
        elif tick > 100:
            units.move("hare", *world.units.position("hare"))
            march.step(2.0)
    assert stood == 0
    assert units.digest() == world.units.digest()


def test_a_guard_follows_its_leader_in_ranks():
    world = World(np.ones((40, 120), bool), crowd(12, (100, 100), (300, 300)))
    world.units.add("king", 200, 320, radius=8)
    world.march.follow(world.slots, "king")
    for tick in range(600):
        world.units.move("king", 200 + 1.5 * tick, 320)
        xy = world.step(2.0)
    assert (xy[:, 0] < 200 + 1.5 * 599).all()
    assert (abs(xy[:, 1] - 320) < 80).all()
    assert not world.arrived  # as long as the leader walks
    world.steps(100)
    assert sorted(world.arrived) == world.slots.tolist()
    assert world.distances_to_places().max() <= 2.5


def test_a_patrol_goes_to_and_fro():
    world = World(gate(), crowd(10, (40, 200), (200, 400)))
    world.march.patrol(world.slots, [(400, 320), (700, 320), (700, 100)])
    world.steps(1200)
    counts = np.bincount(world.arrived, minlength=10)
    assert counts.min() >= 4
    assert np.ptp(counts) <= 1
    with pytest.raises(ValueError, match="points must be two or more"):
        world.march.patrol(world.slots, [(400, 320)])
    with pytest.raises(KeyError, match="leader"):
        world.march.follow(world.slots, "nobody")
    with pytest.raises(ValueError, match="slots must not have"):
        world.march.chase(world.slots, 3)


def test_a_patrol_goes_on_past_a_point_that_none_can_reach():
    world = World(gate(wide=0), crowd(10, (40, 200), (200, 400)))
    world.march.patrol(world.slots, [(400, 320), (700, 320), (100, 320)])
    world.steps(1200)
    counts = np.bincount(world.arrived, minlength=10)
    assert counts.min() >= 4
    assert np.bincount(world.stuck).min() >= 2  # it is told each time
    world.grid.block(world.grid.cells_in((384, 0, 400, 640)))
    world.march.patrol(world.slots[:5], [(700, 320), (800, 320)])
    world.stuck.clear()
    world.steps(60)
    told = np.intersect1d(world.stuck, world.slots[:5])
    assert len(told) == 5
    assert np.isin(world.stuck, told).sum() == 5  # no point can be reached: they wait


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_the_narrowest_gate_lets_a_crowd_through(tmp_path, name):
    gids = np.ones((24, 24), int)
    gids[:, 12] = 2
    gids[10 : 12 if name == "staggered-rows" else 11, 12] = 1  # there it needs two cells
    _, grid = map_grid(tmp_path, name, gids)
    units, radius = DynamicQuadtree(grid.bounds), 0.2 * min(grid.cell_size)
    homes = [grid.cell(column, row) for column in (3, 4, 5) for row in (8, 10, 12)]
    slots = units.add_many(range(9), grid.center_many(homes), radius=radius)
    march = March(units, grid)
    march.send(slots, grid.center(grid.cell(18, 10)))
    arrived = set()
    for _ in range(800):
        arrived |= set(march.step(radius / 2).arrived.tolist())
    assert len(arrived) == 9


def test_a_march_on_a_made_grid_is_unpacked_with_it():
    def game():
        world = World(gate(), crowd(8, (40, 120), (300, 520)))
        wide = world.grid.with_clearance(12)
        return world.units, world.grid, wide, March(world.units, wide)

    units, grid, wide, march = game()
    march.send(range(8), (800, 320))
    for _ in range(9):
        march.step(2.0)
    grid.block(grid.cells_in((300, 280, 330, 400)))
    late = game()
    unpack(pack(units, grid, wide, march), list(units), *late)
    for _ in range(600):
        march.step(2.0)
        late[-1].step(2.0)
    assert not len(march.going)
    assert units.digest() == late[0].digest()


def test_a_field_is_made_bit_by_bit_and_goes_on_as_before_after_saving():
    world = World(np.ones((400, 400), bool), crowd(40, (40, 40), (300, 300)))
    world.march.send(world.slots, (6200, 6200))
    start = world.units.position_many(world.slots).mean(axis=0)
    world.steps(2)
    assert world.units.position_many(world.slots).mean(axis=0) == pytest.approx(start, abs=0.5)
    assert not world.stuck  # no way is known yet
    other = pickle.loads(pickle.dumps(world))
    for _ in range(6):
        world.step()
        other.step()
        assert other.units.digest() == world.units.digest()
    assert (world.units.position_many(world.slots).mean(axis=0) > start + 3).all()
    world.grid.block([0])
    other.grid.block([0])
    third = copy.deepcopy(world)
    for _ in range(20):
        for one in (world, other, third):
            one.step()
    assert world.units.digest() == other.units.digest() == third.units.digest()


def small_army(order):
    world = World(gate(rows=14, columns=24), crowd(9, (20, 20), (120, 180)), radius=4.0)
    world.units.add("king", 60, 150, radius=4)
    if order == "send":
        world.march.send(world.slots, (300, 100), formation="wedge")
    elif order == "follow":
        world.march.follow(world.slots, "king")
    else:
        world.march.patrol(world.slots[:2], [(30, 30), (60, 60)])
    world.steps(12)
    world.grid.block([3])  # the step that is cut heeds it
    return world


def future(world):
    found = []
    for _ in range(5):
        told = world.march.step(2.0)
        found.append((told.arrived.tolist(), told.stuck.tolist(), world.units.digest()))
    return found


@pytest.mark.parametrize("order", ["send", "follow", "patrol"])
def test_a_step_that_is_cut_anywhere_is_done_or_not(order):
    assert_done_or_not(lambda: small_army(order), lambda world: world.march.step(2.0), future)


def corridor(columns=30):
    """Two rooms, and a corridor of one cell between them."""
    free = np.zeros((9, columns + 16), bool)
    free[:, :8] = free[:, -8:] = True
    free[4] = True
    return free


@pytest.mark.parametrize("size", [1, 6, 20])
def test_groups_pass_each_other_in_a_corridor_of_one_cell(size):
    left, right = crowd(size, (20, 20), (100, 120)), crowd(size, (620, 20), (700, 120), 2)
    world = World(corridor(), np.concatenate((left, right)))
    world.march.send(world.slots[:size], (660, 72))
    world.march.send(world.slots[size:], (60, 72))
    assert world.walk(1500) <= 1.3 * (300 + size * 20)
    assert sorted(world.arrived) == world.slots.tolist()


def test_who_rests_in_a_corridor_lets_others_pass():
    world = World(corridor(), [(200, 72), (40, 72), (60, 72), (80, 72)])
    world.march.send(world.slots[:1], (360, 72))
    world.march.send(world.slots[1:], (660, 72))
    world.steps(600)
    assert sorted(world.arrived) == world.slots.tolist()
    assert world.distances_to_places().max() <= 2.5


def test_each_goes_to_a_goal_of_its_own():
    rng = np.random.default_rng(5)
    world = World(gate(), crowd(40, (40, 40), (400, 600)))
    goals = rng.uniform((540, 40), (900, 600), (40, 2))
    goals[10:16] = goals[10]  # six want the same place
    goals[20] = 30.5 * CELL, 8.0  # in the wall: the nearest open cell is meant
    one, many = pickle.loads(pickle.dumps(world)), world
    one.march.send(one.slots[:1], goals[0].tolist())
    many.march.send_many(many.slots, goals)
    places = many.march.place_many(many.slots)

    assert (one.march.place_many(one.slots[:1])[0] == goals[0]).all()
    far = np.hypot(*(places - goals).T)
    assert (far[[i for i in range(40) if not 9 < i < 21]] < 25).all()
    assert np.isclose(np.hypot(*(places[10:16] - goals[10]).T).min(), 0)
    assert pdist(places).min() > 2 * 5 * 0.99
    many.walk(1200)
    assert sorted(many.arrived) == many.slots.tolist()

    with pytest.raises(ValueError, match="slots must be different"):
        many.march.send_many([0, 0], goals[:2])
    with pytest.raises(ValueError, match="goals must have shape"):
        many.march.send_many([0], goals[:2])
    with pytest.raises(ValueError, match="goals must lie in the grid"):
        many.march.send_many([0], [(-5, 5)])


@pytest.mark.parametrize(("formation", "paced"), [(None, False), ("block", True), ("block", False)])
def test_a_large_group_finds_its_places_part_by_part(formation, paced):
    world = World(np.ones((90, 160), bool), crowd(800, (60, 60), (500, 500)))
    world.march.send(world.slots, (1900, 800), formation=formation, group_speed=paced)
    first = {tuple(place) for place in world.march.place_many(world.slots).tolist()}
    assert len(first) == 800

    world.step()
    other = pickle.loads(pickle.dumps(world))
    for _ in range(6):
        world.step()
        other.step()

    assert other.units.digest() == world.units.digest()
    places, xy = world.march.place_many(world.slots), world.units.position_many(world.slots)
    assert {tuple(place) for place in places.tolist()} == first
    if formation is None:
        costs = cdist(xy, places)
        least = costs[linear_sum_assignment(costs)].sum()
        assert np.hypot(*(xy - places).T).sum() <= 1.02 * least


def test_a_step_in_which_a_large_group_finds_its_places_finds_fewer_cells():
    world = World(np.ones((400, 400), bool), crowd(800, (60, 60), (500, 500)))
    world.march.send(world.slots, (6000, 6000))
    world.step()
    [(cells, _)] = world.march._state.progress.values()
    assert cells == CELLS - 400 * CELLS_EACH


def test_an_order_in_parts_survives_deaths_and_other_orders():
    world = World(np.ones((60, 100), bool), crowd(1100, (60, 60), (500, 500)))
    world.march.send(world.slots, (1200, 500))
    world.step()
    for slot in world.slots[:600:2].tolist():
        world.units.remove(slot)
    world.slots = world.slots[world.slots % 2 == 1]
    world.march.send(world.slots[:200], (300, 800))
    world.steps(5)
    places = {tuple(place) for place in world.march.place_many(world.slots).tolist()}
    assert len(places) == len(world.slots)


def test_many_fields_are_made_no_faster_than_one():
    ways = Ways(Grid(np.ones((400, 400), bool), CELL))
    keys = [ways.key((320.0 * i + 8.0, 8.0), 0) for i in range(20)]
    progress, begun, steps = {}, [], 0
    while len(begun) < 20 or progress[begun[-1]] != WHOLE:
        before = {key: done for key, (done, _) in progress.items()}
        progress, steps = ways.worked(progress, dict.fromkeys(keys, True)), steps + 1
        begun += [key for key in keys if progress[key][0] and not before.get(key)]
        found = sum(progress[key][0] - before.get(key, 0) for key in keys if progress[key] != WHOLE)
        assert found <= CELLS
    assert begun == keys  # those first that were wanted first
    assert steps == 20 * -(-400 * 400 // CELLS)


def test_fields_on_small_grids_are_made_in_one_step():
    ways = Ways(Grid(np.ones((30, 30), bool), CELL))
    keys = [ways.key((16.0 * i + 8.0, 8.0), 0) for i in range(20)]
    assert ways.worked({}, dict.fromkeys(keys, True)) == dict.fromkeys(keys, WHOLE)


def test_fields_for_which_units_wait_are_made_first_and_what_is_lost_is_made_faster():
    ways = Ways(Grid(np.ones((400, 400), bool), CELL))
    one, two = (ways.key((x, 8.0), 0) for x in (8.0, 6000.0))
    progress = ways.worked({}, {one: True, two: True})
    assert progress == {one: (CELLS, 1), two: (0, 1)}
    progress = ways.worked(progress, {one: False, two: True})
    assert progress == {one: (CELLS, 1), two: (CELLS, 1)}
    for change in range(3):
        ways.grid.block([400 * 200 + change])
        progress = ways.worked(begun_anew(progress), {one: True, two: True})
    assert progress[one] == WHOLE


def test_a_target_that_moves_costs_a_step_no_more_than_an_order():
    world = World(np.ones((400, 400), bool), crowd(10, (40, 40), (200, 200)))
    world.units.add("king", 1000, 1000, radius=20)
    world.march.chase(world.slots, "king")
    world.steps(8)
    assert list(world.march._state.progress.values()) == [WHOLE]
    world.units.move("king", 2000, 1000)
    world.step()
    assert list(world.march._state.progress.values()) == [WHOLE, (CELLS, 1)]  # of the next one
    world.walk(1600)
    assert np.hypot(*(world.units.position_many(world.slots) - (2000, 1000)).T).max() < 40


def camps(count, side):
    """Groups on open land, each far from where it is sent, in one tick."""
    corners = np.random.default_rng(2).uniform(60, CELL * side - 160, (count, 2, 2))
    xy = corners[:, 0].repeat(8, axis=0) + np.tile(crowd(8, 0, 100), (count, 1))
    world = World(np.ones((side, side), bool), xy)
    for group, slots in enumerate(world.slots.reshape(count, 8)):
        formation = "block" if group == 1 else None
        world.march.send(slots, corners[group, 1], formation=formation)
    return world


def test_many_orders_in_one_tick_start_one_after_the_other_and_go_on_after_saving():
    world = camps(5, 300)
    start, begun = world.units.position_many(world.slots), []
    for tick in range(60):
        away = world.step() - start
        moved = np.hypot(*away.T).reshape(5, 8).mean(axis=1) > 4.0
        begun += [group for group in np.flatnonzero(moved) if group not in begun]
        if tick in (0, 3, 9):
            other = pickle.loads(pickle.dumps(world))
            for _ in range(5):
                world.step()
                other.step()
            assert other.units.digest() == world.units.digest()
    assert sorted(begun) == [0, 1, 2, 3, 4]
    world.walk(4000)
    assert sorted(world.arrived) == world.slots.tolist()


@pytest.mark.parametrize("sizes", [[5.0], [4.0, 5.0, 9.0]])
def test_many_sent_to_few_goals_stand_where_they_would_one_after_the_other(sizes):
    """Also where a goal sees too few places, and where there are too few at all."""
    rng = np.random.default_rng(3)
    free = rng.random((14, 60)) > 0.3
    free[6, 8] = free[3, 3] = True
    free[:, 20] = False
    free[:, 45:] = True
    count, radii = 520, np.resize(sizes, 520)
    goals = np.array([(136.0, 104.0), (56.0, 56.0)])[rng.integers(0, 2, count)]
    world = World(free, rng.uniform((730, 10), (950, 210), (count, 2)), radius=radii)
    world.march.send_many(world.slots, goals)
    places = world.march.place_many(world.slots)
    ways = Ways(world.grid)
    rooms, taken = ways.rooms(radii).tolist(), FreePlaces(solids_of(ways.walls), CELL)
    lost = 0
    for i, goal in enumerate(map(tuple, goals.tolist())):
        at = _places.open_near(ways, goal, rooms[i])
        one = _places.places_around(ways, at, rooms[i], 1, 2.2 * radii[i], radii[i], taken)
        lost += not len(one)
        _places.take(taken, one, radii[i])
        assert tuple(places[i]) == (tuple(one[0]) if len(one) else at)
    assert 0 < lost < count / 2
    assert len(world.march.going) == count - lost


def test_two_thousand_sent_to_one_goal_look_for_places_once(monkeypatch):
    looks = []
    fitting = _places.fitting
    monkeypatch.setattr(_places, "fitting", lambda *args: looks.append(1) or fitting(*args))
    world = World(np.ones((128, 128), bool), crowd(2000, (200, 200), (1800, 1800)))
    world.march.send_many(world.slots, np.full((2000, 2), 1000.0))
    assert len(looks) < 20
    assert pdist(world.march.place_many(world.slots)).min() > 0.99 * 10


def answers():
    """Marches in both modes: a field, paths, ranks, a guard, a chase, two groups head-on."""
    world = World(corridor(6), crowd(14, (10, 20), (110, 120)))
    world.units.add("king", 40, 72, radius=5)
    world.march.send(world.slots[:8], (300, 72), group_speed=True, formation="wedge")
    world.march.send(world.slots[8:10], (290, 40))
    world.march.follow(world.slots[10:12], "king")
    world.march.chase(world.slots[12:13], "king")
    world.march.send_many(world.slots[13:], [(300, 72)])
    for tick in range(60):
        world.units.move("king", 40 + 2 * tick, 72)
        world.step(3.0)
        yield [world.units.digest().hex(), world.march.going.tolist()]
    world.grid.block([5])
    world.march.send(world.slots[:4], (60, 72))
    for _ in range(60):
        world.step(3.0)
        yield [world.units.digest().hex(), world.march.going.tolist()]
    world = camps(3, 120)
    for _ in range(12):
        world.step(3.0)
        yield [world.units.digest().hex(), world.march.going.tolist()]


@pytest.mark.parametrize("reach", [0, 1, 2, 3, 7, 30])
def test_a_lattice_has_all_points_within_its_reach_the_nearest_first(reach):
    rows = np.arange(-2 * reach, 2 * reach + 1)
    twice, row = (grid.ravel() for grid in np.meshgrid(np.arange(-4 * reach, 4 * reach + 1), rows))
    far2 = twice**2 + 3 * row**2
    inside = (twice % 2 == row % 2) & (far2 <= 4 * reach**2)
    order = np.lexsort((twice[inside], row[inside], far2[inside]))

    found = lattice(reach)

    assert np.array_equal(found[:, 0], 0.5 * twice[inside][order])
    assert found[:, 1] == pytest.approx(np.sqrt(0.75) * row[inside][order])


@pytest.mark.parametrize(("speed", "radius"), [(1.0, 6.4), (0.5, 8.0), (1.6, 10.0)])
def test_nobody_hangs_at_a_corner_by_short_steps(speed, radius):
    """A field leads a point around a tree, and the crowd pushes a wide unit back from it."""
    cells = np.ones((8, 12))
    cells[2, 7] = inf
    grid = Grid(cells, cell_size=32)
    units = DynamicQuadtree(grid.bounds)
    slots = units.add_many(range(8), [(150 + 16 * i, 220) for i in range(8)], radius=radius)
    march = March(units, grid)
    march.send(slots, (297, 45))
    told = [march.step(speed) for _ in range(int(1500 / speed))]
    assert sum(len(one.arrived) for one in told) == 8
    assert len(march.going) == 0


@pytest.mark.parametrize("radius", [6, 8, 9])
@pytest.mark.parametrize("speed", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("count", [2, 4, 8])
def test_wide_units_in_a_lane_do_not_change_places_for_ever(radius, speed, count):
    grid = Grid(np.ones((20, 3)), cell_size=16)
    units = DynamicQuadtree(grid.bounds)
    places = [(10 + 28 * (i % 2), 60 + 24 * (i // 2)) for i in range(count)]
    slots = units.add_many(range(count), places, radius=radius)
    march = March(units, grid)
    march.send(slots, (24, 290))
    told = [march.step(speed) for _ in range(int(1500 / speed))]
    assert sum(len(one.arrived) for one in told) == count
    assert len(march.going) == 0


@pytest.mark.parametrize("count", [1, 20])
@pytest.mark.parametrize(
    "idle",
    [
        [(300, 160)],
        [(300, 151), (300, 169)],
        [(300, 116 + 11 * i) for i in range(9)],
        [(300 + 11 * (i % 5), 138 + 11 * (i // 5)) for i in range(25)],
    ],
    ids=["one", "two", "a line", "a block"],
)
def test_units_without_orders_in_the_way_hold_nobody_for_ever(idle, count):
    xy = [(40 + 11 * (i % 4), 160 + 11 * (i // 4)) for i in range(count)]
    world = World(np.ones((20, 40), bool), xy + idle)
    world.march.send(world.slots[:count], (560, 160))
    assert world.walk(400) < 300
    assert sorted(world.arrived) == world.slots[:count].tolist()


@pytest.mark.parametrize("radius", [16, 40])
def test_a_large_unit_in_the_way_holds_nobody_for_ever_nor_does_one_in_a_chase(radius):
    world = World(np.ones((20, 40), bool), [(40, 160), (40, 160), (500, 160)])
    world.units.add("tower", 300, 160, radius=radius)
    world.march.send(world.slots[:1], (560, 160))
    world.march.chase(world.slots[1:2], 2)
    assert world.walk(400) < 300
    assert sorted(world.arrived) == [0, 1]


def test_who_finds_an_idle_unit_on_his_place_stands_beside_it():
    world = World(np.ones((20, 40), bool), [(40, 160), (500, 40)])
    world.march.send(world.slots[:1], (300, 160))
    world.steps(20)
    world.units.move(1, 300, 160)
    world.walk(400)
    assert world.arrived == [0]
    assert pdist(world.units.position_many(world.slots)) >= 10.0


def test_a_formation_leaves_behind_who_is_too_wide_for_the_way():
    free = np.ones((20, 40), bool)
    free[:, 20] = False
    free[10, 20] = True
    xy = [(40 + 30 * (i % 3), 100 + 30 * (i // 3)) for i in range(9)]
    world = World(free, xy, radius=[5] * 8 + [12])
    world.march.send(world.slots, (500, 160), formation="block")
    world.walk(400)
    assert sorted(world.arrived) == list(range(8))
    assert world.stuck == [8]


@pytest.mark.parametrize("each", [False, True])
def test_no_two_who_had_no_room_share_a_place_when_the_grid_changes(each):
    free = np.ones((3, 12), bool)
    free[1, 6:] = False
    world = World(free, [(20 + 8 * i, 24) for i in range(6)] * 5, radius=7.5)
    goal = (184, 40)
    send = world.march.send_many if each else world.march.send
    send(world.slots, [goal] * 30 if each else goal)
    world.walk(1000)
    assert world.stuck
    world.grid.set_costs([18], 1.0)  # a wall far away falls
    world.walk(1000)
    assert len(world.arrived) == len(np.unique(world.arrived))
    assert pdist(world.march.place_many(world.arrived)).min() >= 15.0 - 1e-6


@pytest.mark.parametrize("verb", ["chase", "follow"])
@pytest.mark.parametrize("closed", [False, True])
def test_a_leader_outside_of_the_grid_may_lead_those_who_find_no_room(verb, closed):
    world = World(np.ones((10, 10), bool), [(40, 60), (60, 60)], radius=[5.0, 100.0])
    world.units.add("king", -40, 70)
    if closed:
        world.grid.block(range(100))
    getattr(world.march, verb)(world.slots, "king")
    told = [world.march.step(2.0) for _ in range(200)]
    assert 1 in np.concatenate([one.stuck for one in told])
    assert closed or world.units.position(0)[0] < 20.0

"""Buildings close cells, hide what is behind, stand in the tree, and go with their unit."""

import gc
import pickle
import tracemalloc
from weakref import WeakSet

import numpy as np
import pytest

from tests.interrupts import Cut, assert_done_or_not
from tests.nav_worlds import ORIENTATIONS, map_grid, renewed, same, seen_as_new
from tests.test_nav_threads import asked_at_once
from tilequad import DynamicQuadtree
from tilequad._core.ways.layout import LATTICE
from tilequad.nav import Field, Fog, Grid, LineOfSight, Paths, Walls

MAN, HOUSE = 1, 2


class World:
    """A grid of 12 x 12 cells of 10 x 10, and all that follow it."""

    def __init__(self, seed=1):
        rng = np.random.default_rng(seed)
        self.free = rng.random((12, 12)) < 0.85
        self.grid = Grid(self.free, 10)
        self.wide = self.grid.with_clearance(6)
        self.units = DynamicQuadtree((0, 0, 120, 120))
        self.fog = Fog(self.grid)
        for x, y in rng.uniform(0, 120, (4, 2)).tolist():
            self.fog.add(x, y, 45)
        self.fields = Field(self.grid, [(5, 5)]), Field(self.wide, [(65, 65)])
        self.sight, self.walls = LineOfSight(self.grid), Walls(self.grid)
        self.stands = {}  # by item: cells, opaque

    def check(self):
        """Compare all that follow with what stands, the ones that ask first in turn."""
        closed, opaque = ~self.free.ravel(), ~self.free.ravel()
        for cells, hides in self.stands.values():
            closed[cells] = True
            opaque[cells] |= hides
        closed, opaque = closed.reshape(12, 12), opaque.reshape(12, 12)
        twin = Grid(~closed, 10, opaque=opaque)
        a, b = np.random.default_rng(3).uniform(0, 120, (2, 30, 2))
        questions = [
            lambda: self.fog.visible().tolist() == self.seen(twin),
            lambda: self.fields[0].distances.tolist() == Field(twin, [(5, 5)]).distances.tolist(),
            lambda: (self.wide.costs == twin.with_clearance(6).costs).all(),
            lambda: same(self.fields[1], renewed(self.fields[1])),
            lambda: (self.sight.clear_many(a, b) == LineOfSight(twin).clear_many(a, b)).all(),
            lambda: all(
                map(
                    np.array_equal,
                    self.walls.move_and_slide_many(np.hstack((a, a + 4)), b - a),
                    Walls(twin).move_and_slide_many(np.hstack((a, a + 4)), b - a),
                )
            ),
            lambda: (self.grid.opaque == opaque).all() and (self.grid.blocked == closed).all(),
        ]
        turn = len(self.stands) % len(questions)
        for number in range(len(questions)):
            number = (number + turn) % len(questions)
            assert questions[number](), number

    def seen(self, twin):
        fresh = Fog(twin)
        for one in self.fog:
            fresh.add(*one.position, one.radius)
        return fresh.visible().tolist()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_what_is_built_and_razed_at_random_is_followed_by_all(seed, again):
    world, rng = World(seed), np.random.default_rng(seed)
    for step in range(120):
        grid, units, stands = world.grid, world.units, world.stands
        x, y = rng.integers(0, 10, 2).tolist()
        box = (10 * x, 10 * y, 10 * x + 10 * rng.integers(1, 4), 10 * y + 10 * rng.integers(1, 4))
        kind = rng.integers(6)
        if kind < 3:
            obstacle, hides = grid.blocker(box, units), bool(rng.integers(2))
            if obstacle is None:
                grid.build(units, step, box, groups=HOUSE, opaque=hides)
                stands[step] = grid.cells_in(box), hides
                assert units.position(step) == ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
            else:
                with pytest.raises(ValueError, match="bounds must be free, but"):
                    grid.build(units, step, box)
                assert step not in units
        elif stands and kind < 5:
            hall = list(stands)[rng.integers(len(stands))]
            del stands[hall]
            (grid.raze if kind == 3 else units.remove)(hall)
            if kind == 4 and rng.integers(2):  # an equal one is not the building
                units.add(hall, 60, 60, radius=1)
                with pytest.raises(KeyError):
                    grid.raze(hall)
                units.remove(hall)
        else:
            door = grid.cells_in(box)
            grid.set_costs(door, 1.0 if rng.random() < 0.7 else np.inf)
            world.free.ravel()[door] = np.isfinite(grid.costs.ravel()[door])
            for cells, _ in stands.values():  # the ground below is not seen in the costs
                hidden = np.intersect1d(cells, door)
                world.free.ravel()[hidden] = True
                grid.set_costs(hidden, 1.0)
        if step % 3 == 0:
            world.check()
        if step % 40 == 39:
            world = again(world)
            world.check()


def test_why_one_cannot_build():
    grid, units = Grid([[True, True, False, True]], 10), DynamicQuadtree((0, 0, 40, 10))
    units.add("orc", 32, 5, radius=3, groups=MAN)
    assert grid.blocker((0, 0, 20, 10), units) is None
    closed = grid.blocker((10, 0, 40, 10), units)
    assert (closed.reason, closed.cells.tolist(), closed.unit) == ("closed", [2], None)
    outside = grid.blocker((30, 0, 50, 10), units)
    assert (outside.reason, str(outside)) == ("outside", "it reaches beyond the grid")
    stands = grid.blocker((30, 0, 40, 10), units)
    assert (stands.reason, stands.unit, str(stands)) == ("unit", "orc", "'orc' stands there")
    assert grid.blocker((30, 0, 40, 10), units, without=MAN) is None
    grid.build(units, "hut", (0, 0, 10, 10))
    assert grid.blocker((10, 0, 20, 10), units) is None  # it only touches the hut
    with pytest.raises(ValueError, match="item 'hut' is already in the tree"):
        grid.build(units, "hut", (10, 0, 20, 10))
    with pytest.raises(ValueError, match="must hold the center of a cell, got"):
        grid.build(units, "shed", (11, 1, 12, 2))
    for wrong in ("a", -1):
        with pytest.raises((TypeError, ValueError), match=f"push must be .*, got {wrong!r}"):
            grid.build(units, "shop", (40, 0, 60, 20), push=wrong)
    with pytest.raises(TypeError, match="units must be a DynamicQuadtree, got 3"):
        grid.build(3, "shed", (11, 1, 12, 2))
    with pytest.raises(KeyError, match="must be a building of this grid, got 'orc'"):
        grid.raze("orc")
    assert grid.blocked.tolist() == [[True, False, True, False]]
    assert len(units) == 2


def test_units_are_put_beside_a_building_and_stay_in_the_grid():
    grid, units = Grid([[True] * 6] * 6, 10), DynamicQuadtree((0, 0, 60, 60))
    xy = [(4, 4), (25, 21), (38, 36), (20, 59), (55, 55)]
    units.add_many("abcde", xy, radius=[3, 2, 0, 1, 2], groups=MAN)
    units.add("rock", 50, 5, groups=HOUSE)
    grid.build(units, "hall", (0, 0, 40, 40), push=MAN)
    for name in "abcde":
        x, y = units.position(name)
        assert 0 <= x <= 60
        assert 0 <= y <= 60
        assert max(x, y) >= 40 + (3 if name == "a" else 0)
    assert [units.position(name) for name in "de"] == [(20, 59), (55, 55)]
    with pytest.raises(ValueError, match="bounds must be free, but 'rock' stands there"):
        grid.build(units, "shop", (40, 0, 60, 20), push=MAN)
    full = Grid([[True]], 10)
    full.build(units, "all", (0, 0, 10, 10), push=MAN | HOUSE)  # nowhere to go: they stay
    assert full.blocked.all()


@pytest.mark.parametrize("seed", range(6))
def test_a_crowd_is_put_beside_a_building_as_its_walls_put_each(seed):
    rng = np.random.default_rng(seed)
    free = rng.random((30, 30)) >= (0, 0.05, 0.2)[seed % 3]
    grid, units = Grid(free, (16, 12), origin=(3.7, -11)), DynamicQuadtree((0, -20, 500, 400))
    xy = rng.uniform((100, 60), (400, 290), (80, 2)).round(0 if seed < 3 else 3)
    half = np.repeat(rng.choice([2.0, 5.0, 9.0], (80, 1)), 2, axis=1)
    units.add_many(range(80), xy, size=2 * half, groups=MAN)
    place = grid.free_near(*xy[0], rng.choice([16, 40, 70], 2).tolist())
    pushed = units.query_many([np.add(place, (1e-6, 1e-6, -1e-6, -1e-6))])[1]
    grid.build(units, "hall", place, groups=HOUSE, push=MAN)
    boxes = np.hstack((xy - half, xy + half))[pushed]
    ends = Walls(grid).move_and_slide_many(boxes, (0, 0))[0]  # which tries all places
    now = units.position_many(range(80))
    assert len(pushed) or seed % 3 == 2
    assert now[pushed].tolist() == ((ends[:, :2] + ends[:, 2:]) / 2).tolist()
    kept = np.setdiff1d(np.arange(80), pushed)
    assert now[kept].tolist() == xy[kept].tolist()


def test_cells_that_were_unblocked_by_hand_stay_open():
    grid, units = Grid([[True] * 3], 10), DynamicQuadtree((0, 0, 30, 10))
    grid.build(units, "hut", (0, 0, 20, 10))
    grid.unblock([0])
    grid.raze("hut")
    assert not grid.blocked.any()
    grid.block([0])
    assert grid.blocked.tolist() == [[True, False, False]]


def test_one_grid_has_buildings_of_two_trees():
    grid = Grid([[True] * 3], 10)
    trees = [DynamicQuadtree((0, 0, 30, 10)) for _ in range(2)]
    for number, units in enumerate(trees):
        grid.build(units, "hut", (10 * number, 0, 10 * number + 10, 10))
    trees[1].remove("hut")
    assert grid.blocked.tolist() == [[True, False, False]]
    grid.raze("hut")
    assert not grid.blocked.any()


class Asked(DynamicQuadtree):
    """A tree that counts about how many units it is asked for their serials."""

    def serial_many(self, slots):
        self.asked = getattr(self, "asked", 0) + len(slots)
        return super().serial_many(slots)


def test_who_leaves_is_not_looked_for_among_all_buildings():
    grid = Grid([[True] * 40] * 40, cell_size=10)
    units = Asked(grid.bounds)
    for cell in range(1000):
        x, y = grid.center(cell)
        grid.build(units, cell, (x - 4, y - 4, x + 4, y + 4), groups=HOUSE)
    units.add("man", 5, 5, groups=MAN)
    before = units.asked
    units.remove("man")
    assert not grid.is_open(5, 395)
    grid.raze(0)
    assert grid.is_open(5, 395)
    assert units.asked - before < 10


@pytest.mark.parametrize("seed", range(4))
def test_buildings_go_with_their_units_however_many_leave_at_once(seed):
    rng = np.random.default_rng(seed)
    grid = Grid([[True] * 30] * 30, cell_size=10)
    units = DynamicQuadtree(grid.bounds)
    stands = {}
    for step in range(120):
        free = np.setdiff1d(np.arange(len(grid)), list(stands.values()))
        for cell in rng.permutation(free)[: rng.integers(0, 12)].tolist():
            x, y = grid.center(cell)
            name = f"{step} {cell}"
            grid.build(units, name, (x - 4, y - 4, x + 4, y + 4), groups=HOUSE)
            stands[name] = cell
        many = rng.choice([0, 5, 400])
        crowd = units.add_many([(step, k) for k in range(many)], [(-9, -9)] * many)
        leave = [*stands][:: rng.integers(1, 9)] if step % 3 else []
        for name in leave:
            units.remove(name)
            del stands[name]
        units.remove_many(crowd)
        if step == 70:  # a new tree in its place
            units.__init__(grid.bounds)
            stands.clear()
        if step % 2:
            grid, units = pickle.loads(pickle.dumps((grid, units)))
        assert np.flatnonzero(grid.blocked).tolist() == sorted(stands.values())


def test_a_grid_keeps_no_tree_without_buildings():
    grid, items = Grid([[True] * 3], 10), WeakSet()
    for match in range(5):
        units, item = DynamicQuadtree((0, 0, 30, 10)), Bad(0)
        units.add(item, 25, 5)
        items.add(item)
        grid.build(units, "hut", (0, 0, 10, 10))
        grid.raze("hut") if match % 2 else units.remove("hut")
    del units, item
    gc.collect()
    assert len(items) <= 1
    kept = DynamicQuadtree((0, 0, 30, 10))
    grid.build(kept, "hut", (0, 0, 10, 10))
    grid.build(DynamicQuadtree((0, 0, 30, 10)), "hall", (10, 0, 20, 10))
    kept.remove("hut")
    assert grid.blocked.tolist() == [[False, True, False]]
    grid.raze("hall")
    assert not grid.blocked.any()


class Bad:
    """An item whose hash fails in a call that is chosen."""

    def __init__(self, after):
        self.after = after

    def __hash__(self):
        self.after -= 1
        if self.after == 0:
            raise ZeroDivisionError
        return 5


@pytest.mark.parametrize("after", range(1, 4))
def test_an_item_whose_hash_fails_changes_nothing_or_is_built(after):
    grid, units = Grid([[True] * 3], 10), DynamicQuadtree((0, 0, 30, 10))
    bad = Bad(after)
    try:
        grid.build(units, bad, (0, 0, 10, 10))
    except ZeroDivisionError:
        assert len(units) == 0
        assert not grid.blocked.any()
    else:
        assert grid.blocked.tolist() == [[True, False, False]]
        assert len(units) == 1


def crowded():
    grid, units = Grid([[True] * 6] * 4, 10), DynamicQuadtree((0, 0, 60, 40))
    units.add_many("ab", [(15, 15), (26, 24)], radius=2, groups=MAN)
    grid.build(units, "hut", (40, 0, 60, 20), groups=HOUSE)
    fog, field = Fog(grid), Field(grid, [(5, 5)])
    fog.add(5, 35, 100)
    field.distance(55, 35)
    return grid, units, fog, field


def told(world):
    grid, units, fog, field = world
    assert [viewer.position for viewer in fog] == [(5, 35)]
    assert seen_as_new(fog)
    assert same(field, renewed(field))
    places = sorted((str(unit), units.position(unit)) for unit in units)
    return grid.blocked.tolist(), grid.opaque.tolist(), places


def no_type_error(call, *args, **options):
    """Call; what numpy makes of an interrupt while it compares rows is one again."""
    try:
        call(*args, **options)
    except TypeError:
        raise Cut from None


CHANGES = {
    "build": lambda w: no_type_error(w[0].build, w[1], "hall", (10, 10, 30, 30), push=MAN),
    "fence": lambda w: w[0].build(w[1], "fence", (0, 20, 10, 40), opaque=False),
    "raze": lambda w: w[0].raze("hut"),
    "removal": lambda w: (w[1].remove("hut"), w[2].visible(), w[3].distance(5, 5)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_interrupt_leaves_a_building_as_before_or_as_after(change):
    done = crowded()
    change(done)
    assert told(done) != told(crowded())
    assert_done_or_not(crowded, change, told, places=15)


def test_several_threads_may_ask_after_a_building_has_left():
    for number in range(15):
        grid, units = Grid(np.ones((40, 40), bool), 10), DynamicQuadtree((0, 0, 400, 400))
        fog, field = Fog(grid), Field(grid.with_clearance(4), [(5, 5)])
        sight, walls = LineOfSight(grid), Walls(grid)
        fog.add(205, 205, 150)
        for name in range(20):
            grid.build(units, name, (20 * name, 100, 20 * name + 20, 120))
        field.distance(5, 5)
        units.remove_many(units.slots(range(number % 5, 20)))
        closed = np.zeros((40, 40), bool)
        closed[28:30, : 2 * (number % 5)] = True
        answers = asked_at_once(
            [
                fog.visible,
                lambda field=field: field.distances,
                lambda sight=sight: sight.clear(205, 5, 205, 395),
                lambda walls=walls: walls.move_and_slide((205, 90, 208, 93), 0, 60).bounds,
            ]
        )
        twin = Grid(~closed, 10)
        fresh = Fog(twin)
        fresh.add(205, 205, 150)
        way = Field(twin.with_clearance(4), [(5, 5)])
        seen, far = fresh.visible().tolist(), way.distances.tolist()
        assert answers == [seen, far, True, [205, 150, 208, 153]]
        assert (grid.blocked == closed).all()


# -- room for a box --------------------------------------------------------------------------------


def nearest_room(grid, x, y, size):
    """The twin: tries all cells."""
    shape, best = grid._ground.shape, None
    pad = 8
    every = np.stack(
        np.meshgrid(np.arange(-pad, grid.columns + pad), np.arange(-pad, grid.rows + pad)), -1
    )
    every = every.reshape(-1, 2)
    if shape.kind != LATTICE:  # lines keep their parity
        centers = shape.centers(every[:, 0] + 2 * pad, every[:, 1] + 2 * pad)
        centers = centers - shape.centers(np.array([2 * pad]), np.array([2 * pad]))
        centers = centers + shape.centers(np.array([0]), np.array([0]))
    else:
        centers = shape.centers(every[:, 0], every[:, 1])
    inside = (every >= 0).all(axis=1) & (every < (grid.columns, grid.rows)).all(axis=1)
    free = np.zeros(len(every), bool)
    numbers = every[inside, 1] * grid.columns + every[inside, 0]
    free[inside] = ~grid.blocked.ravel()[numbers]
    offset = np.zeros(2)
    if grid.orientation == "orthogonal":
        width, height = grid.cell_size
        across = max(1, int(np.ceil(size[0] / width - 1e-9)))
        down = max(1, int(np.ceil(size[1] / height - 1e-9)))
        up = np.sign(shape.frame[5])
        offset = np.array(((across - 1) * width / 2, (down - 1) * height / 2 * up))
    for column, row in every[inside].tolist():
        [middle] = shape.centers(np.array([column]), np.array([row])) + offset
        covered = (np.abs(centers - middle) <= np.array(size) / 2 + 1e-9).all(axis=1)
        if not covered.any():
            covered = (np.abs(centers - middle) <= 1e-9).all(axis=1)
        corners = middle + np.array([(-1, -1), (-1, 1), (1, -1), (1, 1)]) * np.array(size) / 2
        if grid.orientation != "orthogonal" and (grid.cell_at_many(corners) == len(grid)).any():
            continue
        if free[covered].all():
            away = float(np.hypot(*(middle - (x, y))))
            if best is None or away < best[0] - 1e-9:
                best = away, middle
    return best


def check_room(grid, rng, count=12):
    low, high = np.array(grid.bounds[:2]), np.array(grid.bounds[2:])
    for number in range(count):
        x, y = rng.uniform(low - 0.3 * (high - low), high + 0.3 * (high - low)).tolist()
        size = (np.array(grid.cell_size) * rng.choice([0.4, 1, 1.5, 2, 3], 2)).tolist()
        if number == 0:
            size = (0.0, 0.0)
        elif number == 1:  # as large as the grid, or larger
            size = (np.array(grid.cell_size) * rng.choice([6, 11, 25, 1e6], 2)).tolist()
        found, twin = grid.free_near(x, y, size), nearest_room(grid, x, y, size)
        assert (found is None) == (twin is None)
        if found is not None:
            middle = np.reshape(found, (2, 2)).mean(axis=0)
            assert np.ptp(np.reshape(found, (2, 2)), axis=0) == pytest.approx(size, abs=1e-6)
            assert np.hypot(*(middle - (x, y))) == pytest.approx(twin[0], abs=1e-6)
            assert not grid.blocked.ravel()[grid.cells_in(found)].any()


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_the_nearest_room_in_every_orientation(tmp_path, name):
    rng = np.random.default_rng(5)
    for share in (0.1, 0.35, 0.9):
        gids = rng.choice([1, 2], (13, 11), p=[1 - share, share])
        _, grid = map_grid(tmp_path, name, gids)
        check_room(grid, rng)


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_one_can_build_where_there_is_room(tmp_path, name):
    _, grid = map_grid(tmp_path, name, np.ones((8, 8), int))
    units = DynamicQuadtree(grid.bounds)
    for center in grid.center_many(np.arange(64)):
        for size in ((0, 0), (12, 12), (40, 20)):
            place = grid.free_near(*center, size, units)
            assert grid.blocker(place, units) is None
    low, high = np.array(grid.bounds).reshape(2, 2)
    assert (grid.free_near(*low, high - low) is None) == (name != "orthogonal")


def test_questions_about_few_cells_copy_no_map():
    free = np.ones((1000, 1000), bool)
    free[:900, 500] = False
    grid = Grid(free, 10)
    units, paths = DynamicQuadtree(grid.bounds), Paths(grid)
    field = Field(grid, [(50, 50)], max_distance=200)
    for _ in range(3):  # until there are landmarks
        assert len(paths.find(4000, 9900, 6000, 9900)) > 2
    cells = iter((990_003, 990_004))

    def door():
        grid.block([next(cells)])
        return field.distance(20, 9980), paths.find(50, 50, 200, 50)

    calls = [
        lambda: grid.is_open_many([(5, 5)]),
        lambda: grid.straight(5, 5, 50, 50),
        lambda: grid.blocker((0, 0, 30, 30), units),
        door,
    ]
    for call in calls:
        call()
        tracemalloc.start()
        call()
        assert tracemalloc.get_traced_memory()[1] < 200_000
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("y_up", [False, True])
def test_the_nearest_room_far_away_and_flush_with_cells(y_up):
    free = np.zeros((60, 70), bool)
    free[50:53, 60:64] = True
    grid = Grid(free, (10, 8), origin=(3, -7), y_up=y_up)
    found = grid.free_near(10, 10, (40, 24))
    cells = grid.cells_in(found)
    assert sorted(cells.tolist()) == np.flatnonzero(free.ravel()).tolist()
    assert np.reshape(found, (2, 2)).tolist() == [
        grid.boxes(cells)[:, :2].min(axis=0).tolist(),
        grid.boxes(cells)[:, 2:].max(axis=0).tolist(),
    ]
    assert grid.free_near(10, 10, (41, 24)) is None
    check_room(grid, np.random.default_rng(2), 2)


def test_room_that_cannot_be_asked_for():
    grid = Grid([[True]], 10)
    with pytest.raises(ValueError, match="size must be two finite numbers, at least 0, got"):
        grid.free_near(1, 1, (-1, 2))
    with pytest.raises(TypeError, match="units must be a DynamicQuadtree, got"):
        grid.free_near(1, 1, (1, 2), grid)
    with pytest.raises(ValueError, match="x and y must be finite"):
        grid.free_near(np.nan, 1, (1, 2))


@pytest.mark.parametrize("seed", range(3))
def test_the_nearest_room_beside_units(seed):
    """It is the nearest of all places on cells that nothing hinders."""
    rng = np.random.default_rng(seed)
    grid = Grid(rng.random((14, 17)) > 0.1, 10)
    units = DynamicQuadtree(grid.bounds)
    xy = rng.uniform((0, 0), (170, 140), (60, 2))
    units.add_many(range(60), xy, radius=4, groups=rng.choice([1, 2], 60))
    size = np.array([(20.0, 10.0), (10.0, 10.0), (15.0, 25.0)][seed % 3])
    least = np.array(np.meshgrid(np.arange(0, 170, 10.0), np.arange(0, 140, 10.0))).reshape(2, -1).T
    whole = np.ceil(size / 10) * 10
    for _ in range(8):
        x, y = rng.uniform((-20, -20), (190, 160)).tolist()
        without = [None, 1, 2][int(rng.integers(3))]
        found = grid.free_near(x, y, size, units, without=without)
        best = np.inf
        for corner in least:
            low = corner + (whole - size) / 2
            if (corner + whole > (170, 140)).any():
                continue
            land = grid.blocker((*corner, *(corner + whole)), units, without=3)
            if land is None and grid.blocker((*low, *(low + size)), units, without=without) is None:
                best = min(best, float(np.hypot(*(low + size / 2 - (x, y)))))
        assert (found is None) == (best == np.inf)
        if found is not None:
            assert np.hypot(*(np.reshape(found, (2, 2)).mean(axis=0) - (x, y))) == pytest.approx(
                best
            )
            assert grid.blocker(found, units, without=without) is None

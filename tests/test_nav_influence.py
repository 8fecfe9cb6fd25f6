"""Influence maps: whole numbers added up by cell, and maps that were kept up equal new ones."""

from __future__ import annotations

import pickle
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.interrupts import interrupted
from tests.nav_worlds import ORIENTATIONS, map_grid
from tilequad import DynamicQuadtree
from tilequad.ai import pack, unpack
from tilequad.nav import Field, Grid, InfluenceMap, Paths

ORC, ELF, GHOST = 1, 2, 4


def brute(grid, units, radius, values, groups=None, without=None):
    """What each cell has, (rows, columns): value * (1 - distance / radius), in whole numbers."""
    centers = grid.center_many(range(len(grid)))
    totals = [0] * len(grid)
    for item in units:
        slot, mask = units.slot(item), units.groups(item)
        cell = grid.cell_at(*units.position(item))
        if cell is None or (groups and not mask & groups) or mask & (without or 0):
            continue
        value = values if isinstance(values, float) else values[slot]
        weight = int(np.floor(value * 65536 + 0.5))
        dx, dy = (centers - centers[cell]).T
        falloffs = np.rint(4096.0 * (1.0 - np.sqrt(dx * dx + dy * dy) / radius)).clip(0)
        for number in np.flatnonzero(falloffs).tolist():
            totals[number] += weight * int(falloffs[number])
    return np.array([total / 2**28 for total in totals]).reshape(grid.rows, grid.columns)


class Game:
    """Units that come, walk, leap, leave, and change; with maps of some of them."""

    def __init__(self, grid, seed, radii=(1.0, 20.0, 45.0, 400.0)):
        self.rng = np.random.default_rng(seed)
        self.grid, self.box = grid, grid.bounds
        self.units: DynamicQuadtree = DynamicQuadtree(grid.bounds)
        self.values = self.rng.uniform(-3, 9, 40)
        self.asked = []
        for number, radius in enumerate(radii):
            picks = ({}, {"groups": ORC}, {"groups": ORC | ELF, "without": GHOST})[number % 3]
            values = (self.values, 2.5)[number % 2]
            self.asked.append((radius, values, picks))
        self.maps = [self.new(*asked) for asked in self.asked]

    def new(self, radius, values, picks):
        return InfluenceMap(self.grid, self.units, radius, values, **picks)

    def change(self):
        rng, box = self.rng, self.box
        item = int(rng.integers(30))
        place = rng.uniform((box.min_x - 9, box.min_y - 9), (box.max_x + 9, box.max_y + 9))
        if item not in self.units:
            self.units.add(item, *place, groups=int(rng.integers(1, 8)))
            return
        chance = rng.random()
        if chance < 0.1:
            self.units.remove(item)
        elif chance < 0.2:
            self.units.set_groups(item, int(rng.integers(1, 8)))
        elif chance < 0.3:
            self.values[self.units.slot(item)] = rng.choice((0.0, 1.0, -2.5, 1e-5, 7.3))
        elif chance < 0.5:
            self.units.move(item, *place)
        else:
            step = rng.uniform(-17, 17, 2)
            self.units.move(item, *(np.array(self.units.position(item)) + step))

    def tick(self):
        for _ in range(self.rng.integers(12)):
            self.change()
        for one in self.maps:
            one.update()

    def check(self):
        for one, (radius, values, picks) in zip(self.maps, self.asked, strict=True):
            wanted = brute(self.grid, self.units, radius, values, **picks)
            assert one.totals.tolist() == wanted.tolist()
            assert one.totals.tolist() == self.new(radius, values, picks).totals.tolist()


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_totals_are_what_brute_force_adds_up(name, tmp_path):
    _, grid = map_grid(tmp_path, name, np.ones((11, 13), int))
    game = Game(grid, 5)
    for _ in range(25):
        game.tick()
    game.check()
    one, cells = game.maps[0], np.arange(len(grid))
    at = one.at_many(grid.center_many(cells))
    assert at.tolist() == one.totals.reshape(-1).tolist()
    assert [one.at(*place) for place in grid.center_many(cells).tolist()] == at.tolist()


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**9), st.integers(1, 30), st.integers(1, 30), st.booleans())
def test_a_map_that_was_kept_up_equals_a_new_one(seed, rows, columns, y_up):
    game = Game(Grid(np.ones((rows, columns), bool), (10, 7), y_up=y_up), seed, (13.0, 90.0))
    for _ in range(6):
        game.tick()
    game.check()


def test_a_map_follows_at_update_only_and_counts_changes():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 50, 50))
    grid = Grid(np.ones((5, 5), bool), 10)
    units.add("orc", 5, 5)
    one = InfluenceMap(grid, units, 15)
    revision = one.revision
    units.move("orc", 6, 6)  # in its cell
    one.update()
    assert one.revision == revision
    units.move("orc", 45, 45)
    assert one.at(5, 5) == 1.0
    one.update()
    assert one.revision == revision + 1
    assert one.at(5, 5) == 0.0
    one.values = [3]
    one.update()
    assert one.at(45, 45) == 3.0
    assert one.at(35, 45) == 3.0 * (1365 / 4096)
    units.remove("orc")
    units.add("elf", 45, 45)  # in the same slot
    one.update()
    assert one.at(45, 45) == 3.0
    assert (one.radius, one.grid, one.units) == (15.0, grid, units)
    assert repr(one).startswith("<InfluenceMap of <DynamicQuadtree")


def test_a_saved_game_goes_on_as_it_would_have(again):
    game = Game(Grid(np.ones((12, 12), bool), 10), 3)
    for _ in range(9):
        game.tick()
    game.units.move(next(iter(game.units)), 5, 5)  # not seen by an update yet
    other = again(game)
    assert [one.revision for one in game.maps] == [one.revision for one in other.maps]
    for _ in range(5):
        same = [one.totals.tolist() for one in game.maps]
        assert same == [one.totals.tolist() for one in other.maps]
        game.tick()
        other.tick()
    other.check()


def test_a_late_joiner_gets_the_same_map():
    game, joined = (Game(Grid(np.ones((12, 12), bool), 10), seed) for seed in (3, 4))
    for _ in range(9):
        game.tick()
    game.units.move(next(iter(game.units)), 5, 5)
    data = pack(game.units, *game.maps)
    revisions = [one.revision for one in joined.maps]
    unpack(data, list(game.units), joined.units, *joined.maps)
    joined.values[:] = game.values
    assert all(one.revision > old for one, old in zip(joined.maps, revisions, strict=True))
    for _ in range(2):
        for one, other in zip(game.maps, joined.maps, strict=True):
            assert one.totals.tolist() == other.totals.tolist()
            one.update()
            other.update()
    small = Grid(np.ones((3, 3), bool), 10)
    with pytest.raises(ValueError, match="damaged: the cell or the value of a unit"):
        unpack(data, list(game.units), joined.units, *[InfluenceMap(small, joined.units, 9)] * 4)


def test_an_interrupt_leaves_a_map_before_or_after():
    def made():
        game = Game(Grid(np.ones((6, 6), bool), 10), 8, (25.0,))
        for _ in range(5):
            game.tick()
        before = game.maps[0].totals.tolist()
        for _ in range(9):
            game.change()
        return game, before

    game, _ = made()
    after = brute(game.grid, game.units, 25.0, game.values).tolist()
    for number in range(1, 400):
        game, before = made()
        cut = interrupted(game.maps[0].update, number)
        assert game.maps[0].totals.tolist() in (before, after)
        game.maps[0].update()
        assert game.maps[0].totals.tolist() == after
        if not cut:
            break
    assert number > 1


@pytest.mark.parametrize(
    ("error", "words", "options"),
    [
        (ValueError, "radius must be finite and above 0, got 0", {"radius": 0}),
        (ValueError, "radius must be finite and above 0, got nan", {"radius": nan}),
        (ValueError, "radius must be finite and above 0, got inf", {"radius": inf}),
        (ValueError, "values has no number for slot 1", {"values": [1.0]}),
        (ValueError, "values must be from .* got nan", {"values": [1.0, nan]}),
        (ValueError, "values must be from .* got 1e\\+300", {"values": 1e300}),
        (ValueError, "values must add up to at most 33,554,432", {"values": [-2e7, 2e7]}),
        (ValueError, "values must be one number or", {"values": [[1.0]]}),
        (TypeError, "values must be", {"values": "strong"}),
        (TypeError, "groups", {"groups": 1.5}),
        (ValueError, "without", {"without": -1}),
    ],
)
def test_wrong_arguments_are_named(error, words, options):
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 50, 50))
    units.add_many("ab", [(5, 5), (7, 7)])
    grid = Grid(np.ones((5, 5), bool), 10)
    with pytest.raises(error, match=words):
        InfluenceMap(grid, units, **{"radius": 10, **options})
    if "values" in options:
        one = InfluenceMap(grid, units, 10)
        with pytest.raises(error, match=words):
            set_and_update(one, options["values"])
        assert one.at(5, 5) == 2.0
        one.values = 1
        one.update()


def set_and_update(one, values):
    one.values = values
    one.update()


def test_wrong_kinds_are_named():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 50, 50))
    grid = Grid(np.ones((5, 5), bool), 10)
    with pytest.raises(TypeError, match="grid must be a Grid"):
        InfluenceMap(units, units, 10)
    with pytest.raises(TypeError, match="units must be a DynamicQuadtree"):
        InfluenceMap(grid, grid, 10)
    one = InfluenceMap(grid, units, 10)
    with pytest.raises(ValueError, match="x and y"):
        one.at(nan, 0)
    with pytest.raises(ValueError, match="xy"):
        one.at_many([(nan, 0)])


def test_a_filter_may_update():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 50, 50))
    units.add("orc", 5, 5)
    one = InfluenceMap(Grid(np.ones((5, 5), bool), 10), units, 10)
    assert units.nearest(5, 5, where=lambda item: one.update() is None) == "orc"


def answers() -> list:
    """For test_modes."""
    game = Game(Grid(np.ones((9, 8), bool), 10), 3)
    told = []
    for _ in range(8):
        game.tick()
        told.append([one.totals.tolist() for one in game.maps])
    wary = game.grid.with_danger(game.maps[1], 9, 3.5, steps=5)
    for _ in range(4):
        game.tick()
        told.append(wary.costs.tolist())
    return told


# -- costs -----------------------------------------------------------------------------------------


def shunned(grid, one, full, factor, steps):
    """The costs that a grid with danger must have."""
    step = np.floor((one.totals * (steps / full)).clip(0, steps))
    return grid.costs * (1.0 + (factor - 1.0) * step / steps)


def ways(field):
    """All that a field tells."""
    cells = field.grid.center_many(range(len(field.grid)))
    return field.distances.tolist(), field.direction_many(cells).tolist()


@pytest.mark.parametrize("name", ["orthogonal", "staggered-columns", "hexagonal-rows"])
@pytest.mark.parametrize("seed", range(4))
def test_a_grid_with_danger_follows_its_grid_and_the_influence(name, seed, tmp_path):
    rng = np.random.default_rng(seed)
    _, grid = map_grid(tmp_path, name, rng.choice((1, 1, 1, 2, 3, 4), (40, 37)))
    game = Game(grid, seed, (40.0,))
    one = game.maps[0]
    wary = grid.with_danger(one, 9, 3.5, steps=5)
    wide = grid.with_clearance(4).with_danger(one, 9, 3.5)
    goals = grid.center_many(np.flatnonzero(~grid.blocked)[:3])
    field, paths = Field(wary, goals), Paths(wary)
    for tick in range(15):
        game.tick()
        if tick % 3 == 0:
            cells = rng.integers(0, len(grid), 3)
            grid.set_costs(cells, rng.choice((1, 2.5, 7, inf), 3), opaque=bool(tick % 2))
        if tick == 7:
            wary, field, paths, wide, game = pickle.loads(
                pickle.dumps((wary, field, paths, wide, game))
            )
            grid, one = game.grid, game.maps[0]
        assert np.allclose(wary.costs, shunned(grid, one, 9, 3.5, 5), rtol=1e-6)
        assert (wary.opaque == grid.opaque).all()
        base = grid.with_clearance(4)
        assert (wide.costs == base.with_danger(one, 9, 3.5).costs).all()
        new = grid.with_danger(one, 9, 3.5, steps=5)
        assert wary.costs.tolist() == new.costs.tolist()
        assert ways(field) == ways(Field(new, goals))
        places = np.concatenate(grid.center_many(rng.integers(0, len(grid), 2))).tolist()
        assert (paths.find(*places) is None) == (Paths(new).find(*places) is None)


def test_a_grid_with_danger_takes_the_nearest_cost_when_there_is_none_left():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 40, 40))
    units.add("tower", 5, 35)
    grid = Grid(np.ones((4, 4)), 10)
    threat = InfluenceMap(grid, units, 50)
    wary = grid.with_danger(threat, 1, 7.3, steps=60)
    field = Field(wary, [(35, 5)])
    for cell, cost in enumerate([2, 3, 4]):
        grid.set_costs([cell], cost)
    assert (wary.costs == grid.with_danger(threat, 1, 7.3, steps=60).costs).all()
    grid.set_costs([3, 15], [5.5, 5.5])
    wanted = grid.with_danger(threat, 1, 7.3, steps=20).costs
    assert np.abs(wary.costs / wanted - 1).max() < 0.2
    assert ways(field) == ways(Field(wary, [(35, 5)]))
    grid.build(units, "hall", (20, 0, 30, 10))
    assert wary.blocked[3, 2]
    grid.set_costs(range(16), 1)
    units.remove("hall")
    new = Grid(np.ones((4, 4)), 10).with_danger(threat, 1, 7.3, steps=60)
    assert (wary.costs == new.costs).all()


def test_a_grid_that_opens_below_danger_has_room_for_some_costs():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 40, 40))
    units.add("tower", 5, 35)
    grid = Grid(np.full((4, 4), inf), 10)
    wary = grid.with_danger(InfluenceMap(grid, units, 50), 1, 100, steps=300)
    grid.set_costs([15], 1)
    assert wary.costs[3, 3] == pytest.approx(15.9, abs=0.4)


def test_ways_lead_around_danger():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 210, 210))
    grid = Grid(np.ones((21, 21), bool), 10)
    units.add("tower", 105, 105)
    threat = InfluenceMap(grid, units, 60)
    wary = grid.with_danger(threat, full=1, factor=20)
    straight, around = (Paths(one).find(5, 105, 205, 105) for one in (grid, wary))
    assert np.abs(straight[:, 1] - 105).max() == 0
    assert np.abs(around[:, 1] - 105).max() > 40
    units.remove("tower")
    field = Field(wary, [(205, 105)])
    revision = field.revision
    threat.update()
    assert field.revision == revision + 1
    assert field.distance(5, 105) == Field(grid, [(205, 105)]).distance(5, 105)
    threat.update()
    assert field.revision == revision + 1


def test_an_interrupt_leaves_a_grid_with_danger_right():
    for number in range(1, 2000):
        game = Game(Grid(np.ones((6, 6), bool), 10), 8, (25.0,))
        wary = game.grid.with_danger(game.maps[0], 9, 3.5)
        field = Field(wary, [(5, 5)])
        for _ in range(3):
            game.tick()
        cut = interrupted(lambda field=field: field.distance(55, 55), number)
        new = game.grid.with_danger(game.maps[0], 9, 3.5)
        assert wary.costs.tolist() == new.costs.tolist()
        assert ways(field) == ways(Field(new, [(5, 5)]))
        if not cut:
            break
    assert number > 9


def test_blocks_on_a_grid_with_danger_stay():
    game = Game(Grid(np.ones((9, 9), bool), 10), 2, (30.0,))
    wary = game.grid.with_danger(game.maps[0], 5, 4)
    wary.block([40])
    for _ in range(9):
        game.tick()
    assert wary.blocked[4, 4]
    wary.unblock([40])
    assert (wary.costs == game.grid.with_danger(game.maps[0], 5, 4).costs).all()


@pytest.mark.parametrize(
    ("error", "words", "options"),
    [
        (TypeError, "influence must be an InfluenceMap", {"influence": 3}),
        (ValueError, "full must be finite and above 0, got 0", {"full": 0}),
        (ValueError, "full must be finite and above 0, got nan", {"full": nan}),
        (ValueError, "factor must be from 1 to 1000, got 0.5", {"factor": 0.5}),
        (ValueError, "steps must be at least 1, got 0", {"steps": 0}),
        (TypeError, "steps", {"steps": 1.5}),
        (ValueError, "at most 254 different values", {"steps": 300}),
    ],
)
def test_wrong_danger_is_named(error, words, options):
    game = Game(Grid(np.ones((9, 9), bool), 10), 2, (30.0,))
    asked = {"influence": game.maps[0], "full": 5, "factor": 9, **options}
    with pytest.raises(error, match=words):
        game.grid.with_danger(**asked)
    with pytest.raises(ValueError, match="influence must be on this grid"):
        Grid(np.ones((9, 8), bool), 10).with_danger(game.maps[0], 5, 4)

"""What stops walkers and what stops looks, apart; all that follows equals what is made anew."""

import copy

import numpy as np
import pytest

from tests.fog_game import KINDS, Sight, grid_of
from tests.interrupts import cut_everywhere
from tests.nav_worlds import ORIENTATIONS, map_grid, renewed, same, seen_as_new
from tests.tmx import TILESET, csv_layer, write_map
from tilequad import StaticQuadtree, load_map
from tilequad.nav import BLOCKED, Field, Fog, Grid, LineOfSight, Paths, Rule, Walls

INF = np.inf
RULES = (
    Rule("ground", BLOCKED, gids=[2]),  # a wall
    Rule("ground", BLOCKED, gids=[3], opaque=False),  # water
    Rule("ground", 3.0, gids=[4], opaque=True),  # a bush
)
GROUNDS = {0: (1.0, False), 1: (1.0, False), 2: (INF, True), 3: (INF, False), 4: (3.0, True)}


class Twin:
    """What each cell is, in plain Python."""

    def __init__(self, gids):
        self.ground = [GROUNDS[gid] for gid in np.ravel(gids).tolist()]
        self.blocks = [[] for _ in self.ground]

    def costs(self):
        pairs = zip(self.ground, self.blocks, strict=True)
        return [INF if blocks else ground[0] for ground, blocks in pairs]

    def opaque(self):
        pairs = zip(self.ground, self.blocks, strict=True)
        return [any(blocks) or ground[1] for ground, blocks in pairs]


def edit(rng, tile_map, grid, twin):
    """A random change of the grid, and of its twin."""
    cells = rng.integers(0, len(grid), rng.integers(1, 4)).tolist()
    kind, opaque = rng.integers(5), [None, False, True][rng.integers(3)]
    if kind == 0:
        cost = [1.0, 2.0, INF][rng.integers(3)]
        grid.set_costs(cells, cost, opaque=opaque)
        for cell in cells:
            twin.ground[cell] = cost, cost == INF if opaque is None else opaque
    elif kind == 1:
        gid = int(rng.integers(1, 5))
        for cell in cells:
            row, column = divmod(cell, grid.columns)
            tile_map.layer("ground").set_tile(column, row, gid)
            twin.ground[cell] = GROUNDS[gid]
    elif kind in (2, 3):
        grid.block(cells, opaque=bool(opaque))
        for cell in cells:
            twin.blocks[cell].append(bool(opaque))
    else:
        for cell, blocks in enumerate(twin.blocks):
            if bool(opaque) in blocks:
                grid.unblock([cell], opaque=bool(opaque))
                blocks.remove(bool(opaque))


def solid_at(grid, cells):
    """A tree of cells that are boxes; of others, a copy of their grid."""
    if grid.orientation != "orthogonal":
        return copy.deepcopy(grid)
    return StaticQuadtree(grid.boxes(np.flatnonzero(cells.ravel())))


class World:
    """A grid, and all that follow it."""

    def __init__(self, tile_map, grid, rng):
        self.tile_map, self.grid, self.rng = tile_map, grid, rng
        self.wide = grid.with_clearance(1.0)
        self.fog, self.afar = Fog(grid, 2), Fog(self.wide)
        self.sight, self.walls = LineOfSight(grid), Walls(grid)
        self.xy = grid.center_many(rng.integers(0, len(grid), 6))
        self.field = Field(grid, self.xy[:1])
        self.paths = Paths(grid)
        for number, (x, y) in enumerate(self.xy.tolist()):
            self.fog.add(x, y, radius_in_cells=5, team=number % 2, over_walls=number == 5)
        self.afar.add(*self.xy[0].tolist(), radius_in_cells=5)

    def check(self, twin):
        grid = self.grid
        assert grid.costs.ravel().tolist() == twin.costs()
        assert grid.opaque.ravel().tolist() == twin.opaque()
        assert (self.wide.opaque == grid.opaque).all()
        assert (self.wide.costs == grid.with_clearance(1.0).costs).all()
        assert same(self.field, renewed(self.field))
        assert (
            self.paths.connected_many(self.xy[0], grid.center_many(range(len(grid))))
            == Paths(grid).connected_many(self.xy[0], grid.center_many(range(len(grid))))
        ).all()
        assert seen_as_new(self.fog)
        assert seen_as_new(self.afar)
        low, high = np.array(grid.bounds[:2]), np.array(grid.bounds[2:])
        a, b = self.rng.uniform(low, high, (2, 60, 2))
        seen = LineOfSight(solid_at(grid, grid.opaque))
        assert (self.sight.clear_many(a, b) == seen.clear_many(a, b)).all()
        assert (LineOfSight(self.wide).clear_many(a, b) == seen.clear_many(a, b)).all()
        solid = Walls(solid_at(grid, grid.blocked))
        boxes = np.hstack((a, a + 3))
        for mine, theirs in zip(
            self.walls.move_and_slide_many(boxes, (b - a) / 4),
            solid.move_and_slide_many(boxes, (b - a) / 4),
            strict=True,
        ):
            np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)
        assert grid.query(grid.bounds).tolist() == np.flatnonzero(grid.blocked).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_random_edits_are_those_of_the_twin_and_all_follow(tmp_path, name, again):
    rng = np.random.default_rng(len(name))
    gids = rng.choice([0, 1, 1, 1, 2, 3, 4], (11, 8))
    tile_map, _ = map_grid(tmp_path, name, gids)
    twin = Twin(gids)
    world = World(tile_map, Grid.of(tile_map, *RULES), rng)
    world.check(twin)
    for step in range(24):
        edit(rng, world.tile_map, world.grid, twin)
        if step % 2:
            world.check(twin)
        if step % 8 == 7:
            world = again(world)


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_passes_water_and_ends_at_bushes(kind, tmp_path):
    rng = np.random.default_rng(3)
    grid = grid_of(kind, rng.random((15, 13)) < 0.3, tmp_path)
    opaque = rng.random((15, 13)) < 0.15
    cells = np.arange(len(grid))
    for stops in (False, True):
        part = cells[opaque.ravel() == stops]
        grid.set_costs(part, grid.costs.ravel()[part], opaque=stops)
    sight, fog = Sight(kind, grid), Fog(grid)
    assert (grid.opaque == opaque).all()
    assert (grid.blocked != opaque).any()
    for cell in rng.integers(0, len(grid), 4).tolist():
        seen = [other for other in sight.circle(cell, None, 7) if sight.sees(opaque, cell, other)]
        assert fog.field_of_view(*grid.center(cell), radius_in_cells=7).tolist() == seen


def test_an_array_says_what_stops_looks():
    free = [[True, False, True, True]]
    grid = Grid(free, 10, opaque=[[False, False, True, False]])
    assert grid.blocked.tolist() == [[False, True, False, False]]
    assert grid.opaque.tolist() == [[False, False, True, False]]
    assert Grid(free).opaque.tolist() == [[False, True, False, False]]
    assert Grid([[1.0, INF]]).opaque.tolist() == [[False, True]]
    with pytest.raises(ValueError, match=r"opaque must have the shape \(1, 4\), got \(2, 4\)"):
        Grid(free, opaque=[[True] * 4] * 2)
    with pytest.raises(TypeError, match="opaque must be booleans, got"):
        Grid(free, opaque=[[0, 1, 0, 1]])


def test_blocks_of_both_kinds_are_counted_apart():
    grid = Grid([[True]])
    grid.block([0], opaque=False)
    assert (grid.blocked.item(), grid.opaque.item()) == (True, False)
    grid.block([0, 0])
    assert grid.opaque.item()
    grid.unblock([0])
    assert (grid.blocked.item(), grid.opaque.item()) == (True, True)
    grid.unblock([0])
    assert (grid.blocked.item(), grid.opaque.item()) == (True, False)
    with pytest.raises(ValueError, match="cells must be blocked with opaque=True, but 0 is not"):
        grid.unblock([0])
    grid.set_costs([0], 2.0, opaque=True)  # a bush grows below the fence
    assert grid.opaque.item()
    grid.unblock([0], opaque=False)
    assert (grid.costs.item(), grid.opaque.item()) == (2.0, True)
    with pytest.raises(ValueError, match="cells must be blocked, but 0 is not"):
        grid.unblock([0], opaque=False)


def test_who_walks_takes_no_notice_of_smoke():
    grid = Grid([[True] * 5] * 5)
    field, fog, before = Field(grid, [(0.5, 0.5)]), Fog(grid), grid.revision
    viewer = fog.add(0.5, 4.5, 9)
    was = field.revision
    grid.set_costs([2], 1.0, opaque=True)
    assert (grid.revision, field.revision) == (before + 1, was)
    assert not fog.visible()[0, 4]
    assert viewer in fog


def test_an_interrupt_leaves_opacity_as_before_or_as_after():
    def make():
        grid = Grid([[True] * 4] * 3, 10)
        return grid, Fog(grid), LineOfSight(grid)

    def change(world):
        grid, fog, _ = world
        grid.set_costs([5], 1.0, opaque=True)
        grid.block([6, 6], opaque=False)
        fog.add(5, 15, 30)

    places = 0
    for places, (grid, fog, sight) in cut_everywhere(make, change):
        for one in list(fog):
            fog.remove(one)
        fog.add(5, 15, 40)
        sees = not grid.opaque[1, 1]
        assert fog.visible()[1].tolist() == [True, True, sees, sees], places
        assert sight.clear(5, 15, 35, 15) == sees
        assert fog.counts().max() == 1
    assert places > 15


# -- rules by tileset ------------------------------------------------------------------------------

TWO = TILESET + TILESET.replace('firstgid="1" name="tiles"', 'firstgid="5" name="collision"')


def of_rule(folder, *rules):
    layer = csv_layer("ground", [[1, 2, 5, 6], [7, 8, 0, 3]])
    objects = """<objectgroup name="things">
    <object id="1" gid="6" x="0" y="16" width="16" height="16"/>
    <object id="2" x="16" y="0" width="16" height="16"/></objectgroup>"""
    tile_map = load_map(write_map(folder, TWO, layer, objects, size=(4, 2)))
    return tile_map, Grid.of(tile_map, *rules)


def test_a_rule_takes_tiles_of_a_tileset(tmp_path):
    rule = Rule("ground", BLOCKED, tileset="collision", tiles=[1, 3], opaque=False)
    assert repr(rule) == "Rule('ground', BLOCKED, tileset='collision', tiles=[1, 3], opaque=False)"
    tile_map, grid = of_rule(tmp_path, rule)
    assert grid.blocked.astype(int).tolist() == [[0, 0, 0, 1], [0, 1, 0, 0]]
    assert not grid.opaque.any()
    tile_map.layer("ground").set_tile(0, 0, 6)
    tile_map.layer("ground").set_tile(3, 0, 2)
    assert grid.blocked.astype(int).tolist() == [[1, 0, 0, 0], [0, 1, 0, 0]]
    _, grid = of_rule(tmp_path, Rule(None, 2.0, tileset="tiles"))
    assert grid.costs.tolist() == [[2, 2, 1, 1], [1, 1, 1, 2]]
    _, grid = of_rule(tmp_path, Rule("things", BLOCKED, tileset="collision", tiles=[1]))
    assert grid.blocked.astype(int).tolist() == [[1, 0, 0, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"tileset": "colliders"}, "no tileset is called 'colliders'; there are: 'tiles', 'coll"),
        ({"tileset": "collision", "tiles": [4]}, "none of its tiles .* which ends at 3"),
    ],
)
def test_a_rule_whose_tileset_fits_nothing_warns_once(tmp_path, options, text):
    with pytest.warns(UserWarning, match=text) as caught:
        of_rule(tmp_path, Rule("ground", BLOCKED, **options))
    assert [warning.filename for warning in caught] == [__file__]


def test_a_rule_that_cannot_be():
    with pytest.raises(ValueError, match=r"tileset must be given beside tiles, got tiles=\[1\]"):
        Rule("ground", BLOCKED, tiles=[1])
    with pytest.raises(TypeError, match="tileset must be a name, got 3"):
        Rule("ground", BLOCKED, tileset=3)
    with pytest.raises(TypeError, match="tiles must be a list of tiles, got 3"):
        Rule("ground", BLOCKED, tileset="a", tiles=3)
